"""Lays out a report: one HTML page that needs nothing else, or Markdown with its pictures beside it.

jinja2 is imported when a page is made.
"""

import base64
import math
import re
from collections.abc import Callable, Mapping
from functools import cache
from os import PathLike
from pathlib import Path
from typing import Any

from jamaica_sim import __version__
from jamaica_sim.charts import drawing
from jamaica_sim.errors import UserError
from jamaica_sim.escape import Markdown, html_text, link, markdown_code, visible
from jamaica_sim.escape import markdown as markdown_text
from jamaica_sim.report import prose, words
from jamaica_sim.report.chapter import Chapter, Figure, cell_text
from jamaica_sim.report.report import Report
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.stats.estimate import Estimate
from jamaica_sim.store.atomic_files import write_whole

FORMS = {".html": "html", ".md": "md"}


def form_of(path: Path, form: str | None) -> str:
    """The form that is given, or else that of the file's ending."""
    if form is None and path.suffix not in FORMS:
        raise UserError(f"{path}: a report's file ends in .html or .md, or say which with --format.")
    return form or FORMS[path.suffix]


def write_report(report: Report, path: str | PathLike[str], form: str | None = None) -> Path:
    """Write a report as one HTML file, or as Markdown with its pictures in a folder beside it."""
    path = Path(path)
    form = form_of(path, form)
    path.parent.mkdir(parents=True, exist_ok=True)
    if form == "html":
        write_whole(path, html(report).encode())
        return path
    pictures = path.with_name(f"{path.stem}_pictures")
    pictures.mkdir(exist_ok=True)
    text, files = markdown(report, pictures.name)
    for name, content in files.items():
        write_whole(pictures / name, content)
    for old in set(pictures.glob("*.svg")) - {pictures / name for name in files}:
        old.unlink()
    write_whole(path, text.encode())
    return path


def html(report: Report) -> str:
    """The report as one page, its pictures and data inside."""
    text: str = template("report.html.j2").render(**_content(report), **page_style())
    return text


def markdown(report: Report, folder: str) -> tuple[str, dict[str, bytes]]:
    """The report as Markdown, and its pictures by file name."""
    files: dict[str, bytes] = {}

    def path_of(key: str, figure: Figure) -> Any:
        name = f"{key}-{figure.name}.svg"
        files[name] = figure.drawing.file()
        return link(f"{folder}/{name}")

    text = template("report.md.j2").render(**_content(report), path_of=path_of)
    return re.sub(r"\n{3,}", "\n\n", text), files


def _content(report: Report) -> dict[str, Any]:
    """What a template may write."""
    return {
        "report": report,
        "kicker": ["Jamaica", report.title, words.games(report.games)],
        "chapters": [_chapter(chapter) for chapter in report.chapters],
        "version": __version__,
        "thresholds": words.THRESHOLDS,
    }


def page_style() -> dict[str, Any]:
    """Colours, classes and sizes of type for a page."""
    sizes: dict[str, Mapping[bool, float]] = {"": drawing.SIZE, "_small": drawing.SMALL}
    return {
        "light": drawing.colours(),
        "dark": drawing.colours(dark=True),
        "classes": drawing.classes(),
        "sizes": {
            f"{form}{kind}": size[form == "narrow"] for form in ("wide", "narrow") for kind, size in sizes.items()
        },
    }


@cache
def template(name: str) -> Any:
    """A template of jinja2, with our filters."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    is_html = name.endswith(".html.j2")
    environment = Environment(
        loader=PackageLoader("jamaica_sim.report"),
        autoescape=is_html,
        finalize=_shown if is_html else markdown_text,  # of everything that a template writes
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "said": said_html,
        "said_md": said_markdown,
        "ticks": ticks_html,
        "ticks_md": ticks_markdown,
        "svg": svg_html,
        "row": lambda cells: Markdown(" | ".join(map(markdown_text, cells))),
        "code": markdown_code,
        "fenced": lambda text: markdown_code(text, fenced=True),
        "in_html": lambda text: Markdown(html_text(" ".join(str(text).split()))),
        "link": link,
        "plain": prose.plain,
        "games": words.games,
        "sentence": words.sentence,
    }
    return environment.get_template(name)


def _shown(value: Any) -> Any:
    """What a page writes of a value: no character that a browser would obey instead of show."""
    return visible(value) if type(value) is str else value


def said_html(text: str) -> Any:
    """A paragraph with its figures short and bold; the full figure shows when one points at it."""
    from markupsafe import Markup

    def figure(short: str, full: str) -> str:
        return f'<b title="{html_text(full)}">{html_text(short)}</b>'

    return Markup(_said(text, html_text, figure).replace("\n", " "))


def said_markdown(text: str) -> Any:
    """A paragraph with its figures in full and bold."""
    return Markdown(_said(text, _inner_markdown, lambda _, full: f"**{markdown_text(full.split('; n =')[0])}**"))


def _inner_markdown(text: str) -> str:
    """A part of a paragraph; spaces at its ends stay."""
    return f"{' ' * text[:1].isspace()}{markdown_text(text)}{' ' * text[-1:].isspace()}"


def _said(text: str, write: Callable[[str], str], figure: Callable[[str, str], str]) -> str:
    """A paragraph: its text by `write`, its figures by `figure`, of the short and the full text."""
    pieces = prose.FIGURE.split(text)
    figures = [figure(short, full) for short, full in zip(pieces[1::3], pieces[2::3], strict=True)]
    return "".join(text for pair in zip(map(write, pieces[::3]), [*figures, ""], strict=True) for text in pair)


def ticks_html(text: str) -> Any:
    """Text as safe HTML; words between backticks are set as code."""
    from markupsafe import Markup

    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", html_text(text)))


def ticks_markdown(text: str) -> Any:
    """Text as Markdown; names between backticks are code, everything else is plain text."""
    return Markdown(re.sub(r"\\`([\w. -]+)\\`", r"`\1`", markdown_text(text)))


def svg_html(figure: Figure, form: str = "both") -> Any:
    """A chart inside the page: wide and narrow, of which the page shows one; or the narrow one alone."""
    from markupsafe import Markup

    if form == "narrow":
        return Markup(figure.drawing.svg(narrow=True, css="always"))
    return Markup(figure.drawing.svg() + figure.drawing.svg(narrow=True))


def _chapter(chapter: Chapter) -> dict[str, Any]:
    return vars(chapter) | {
        "heading": words.sentence(chapter.heading or chapter.subject),
        "tables": [_table(chapter.key, number, table) for number, table in enumerate(chapter.tables)],
    }


def _table(key: str, number: int, table: ResultTable) -> dict[str, Any]:
    is_single = len(table.rows) == 1 and table.columns[0] == "table"  # the only table needs no label
    shown = [(n, name) for n, name in enumerate(table.columns) if n or not is_single]
    return {
        "title": table.title,
        "note": caption_of(table),
        "columns": [{"name": name, "number": n > 0 and any(_is_number(row[n]) for row in table.rows)}
                    for n, name in shown],
        "rows": [[_cell(table, n, row[n]) for n, _ in shown] for row in table.rows],
        "is_single": is_single,
        "file": f"{key}_{number + 1}.csv",
        "csv": f"data:text/csv;base64,{base64.b64encode(table.to_csv().encode()).decode()}",
    }  # fmt: skip


def _is_number(content: object) -> bool:
    return isinstance(content, Estimate | int | float) or bool(re.fullmatch(r"[-−]?[\d.]+%?", str(content)))


def _cell(table: ResultTable, column: int, content: Any) -> dict[str, Any]:
    text, is_number, games = cell_text(table, table.columns[column], content), _is_number(content), ""
    value, _, half = text.partition(" ± ")
    by = content.rstrip("%").replace("−", "-") if isinstance(content, str) else content
    if isinstance(content, Estimate):
        by, games = "" if math.isnan(content.value) else content.value, f"n = {content.n:,}"
    return {
        "text": text.replace("-", "−") if is_number else text,
        "value": value,
        "half": half,
        "number": column > 0 and is_number,
        "sort": by,
        "games": games,
    }


def caption_of(table: ResultTable) -> str:
    """The note of a table and the number of games behind its figures."""
    behind = table.behind()
    return "; ".join(filter(None, (table.note, f"{behind} behind each figure" if behind else "")))

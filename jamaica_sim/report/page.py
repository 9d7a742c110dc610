"""Lays out a report: one HTML page that needs nothing else.

jinja2 is imported when a page is made.
"""

import base64
import math
import re
from collections.abc import Mapping
from functools import cache
from os import PathLike
from pathlib import Path
from typing import Any

from jamaica_sim import __version__
from jamaica_sim.errors import UserError
from jamaica_sim.files.atomic_files import write_whole
from jamaica_sim.files.escape import html_text, link, visible
from jamaica_sim.report import prose, words
from jamaica_sim.report.chapter import Chapter, Figure, cell_text
from jamaica_sim.report.charts import drawing
from jamaica_sim.report.report import Report
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.results.stats.estimate import Estimate


def write_report(report: Report, path: str | PathLike[str]) -> Path:
    """Write a report as one HTML file."""
    path = Path(path)
    if path.suffix != ".html":
        raise UserError(f"{path}: a report's file ends in .html.")
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, html(report).encode())
    return path


def html(report: Report) -> str:
    """The report as one page, its pictures and data inside."""
    text: str = template("report.html.j2").render(**_content(report), **page_style())
    return text


def _content(report: Report) -> dict[str, Any]:
    """What a template may write."""
    return {
        "report": report,
        "kicker": ["Jamaica", report.title, words.games(report.games)],
        "chapters": [_chapter(chapter) for chapter in report.chapters],
        "version": __version__,
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

    environment = Environment(
        loader=PackageLoader("jamaica_sim.report"),
        autoescape=True,
        finalize=_shown,  # of everything that a template writes
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "said": said_html,
        "ticks": ticks_html,
        "svg": svg_html,
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

    pieces = prose.FIGURE.split(text)
    said = html_text(pieces[0])
    for short, full, after in zip(pieces[1::3], pieces[2::3], pieces[3::3], strict=True):
        said += f'<b title="{html_text(full)}">{html_text(short)}</b>{html_text(after)}'
    return Markup(said.replace("\n", " "))


def ticks_html(text: str) -> Any:
    """Text as safe HTML; words between backticks are set as code."""
    from markupsafe import Markup

    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", html_text(text)))


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

"""Reports: a study as one HTML file that needs nothing else, or as Markdown with its pictures beside it.

Chapters come from `findings`; here they only become pages. jinja2 and matplotlib are imported when a page is made.
"""

import base64
import re
from dataclasses import dataclass
from pathlib import Path

from jamaica_sim import __version__
from jamaica_sim.charts.style import picture
from jamaica_sim.experiment.study import Study
from jamaica_sim.report.chapter import Chapter, Finding, cell_text, top_findings
from jamaica_sim.report.chapters import chapters_of
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.stats.estimate import Estimate
from jamaica_sim.store.atomic_files import write_whole

FIGURE = re.compile(r"(?<![\w.])(-?\d[\d,.]*%? ± (?:&lt;|<)?\d+(?:\.\d+)?)")
FORMS = {".html": "html", ".md": "md"}


@dataclass(frozen=True)
class Report:
    """A study with its chapters and the findings of the first page."""

    study: Study
    chapters: list[Chapter]
    findings: list[Finding]


def make_report(study: Study, names=()) -> Report:
    """The report of a study; `names` limits it to some chapters."""
    chapters = chapters_of(study, names)
    return Report(study, chapters, top_findings(chapters, study.compare))


def form_of(path: Path, form: str | None) -> str:
    """The form that is asked for, or that the file's name asks for."""
    if form is None and path.suffix not in FORMS:
        raise ValueError(f"{path}: a report's file ends in .html or .md, or say which with --format.")
    return form or FORMS[path.suffix]


def write_report(report: Report, path, form: str | None = None) -> Path:
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
    write_whole(path, text.encode())
    return path


def html(report: Report) -> str:
    """The report as one page, its pictures inside."""

    def place(chapter, drawing):
        content = base64.b64encode(picture(drawing.draw())).decode()
        return f"data:image/svg+xml;base64,{content}"

    return _template("report.html.j2").render(_page(report, place))


def markdown(report: Report, folder: str) -> tuple[str, dict[str, bytes]]:
    """The report as Markdown, and its pictures by file name."""
    files = {}

    def place(chapter, drawing):
        name = f"{chapter.key}-{drawing.name}.svg"
        files[name] = picture(drawing.draw())
        return f"{folder}/{name}"

    text = _template("report.md.j2").render(_page(report, place))
    return re.sub(r"\n{3,}", "\n\n", text), files


def write_index(reports: list[Report], path, command: str) -> Path:
    """A Markdown page that leads to the reports in its folder, with what matters most of each."""
    path = Path(path)
    write_whole(path, _template("index.md.j2").render(reports=reports, facts=facts, command=command).encode())
    return path


def _template(name):
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("jamaica_sim.report"),
        autoescape=name.endswith(".html.j2"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["strong"] = strong_html
    environment.filters["strong_md"] = strong_markdown
    environment.filters["ticks"] = ticks_html
    environment.filters["pipes"] = lambda text: str(text).replace("|", "\\|").replace("<", "&lt;")
    return environment.get_template(name)


def strong_html(text: str):
    """Text with its figures set in bold, as safe HTML."""
    from markupsafe import Markup, escape

    return Markup(FIGURE.sub(r"<b>\1</b>", str(escape(text))))


def ticks_html(text: str):
    """Text with what stands between backticks set as code, as safe HTML."""
    from markupsafe import Markup, escape

    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text))))


def strong_markdown(text: str) -> str:
    """Text with its figures set in bold, as Markdown."""
    return FIGURE.sub(r"**\1**", text).replace("<", "&lt;")


def _page(report, place):
    study = report.study
    return {
        "study": study,
        "version": __version__,
        "facts": facts(study),
        "findings": report.findings,
        "titles": {chapter.key: chapter.title for chapter in report.chapters},
        "chapters": [_chapter(study, chapter, place) for chapter in report.chapters],
        "tables_played": [(s.label, f"{s.games:,}") for s in study.settings],
        "command": f"{study.command} && jamaica-sim report {study.folder} --out {study.name}.html",
        "confidence": "95%",
    }


def facts(study: Study) -> str:
    """One line about what was played."""
    games = {setting.games for setting in study.settings}
    each = f"{min(games):,} games" if len(games) == 1 else f"{min(games):,} to {max(games):,} games"
    line_ups = study.line_ups
    players = f"players: {', '.join(line_ups)}" if len(line_ups) <= 4 else f"{len(line_ups)} line-ups"
    tables = "one table" if len(study.settings) == 1 else f"{len(study.settings)} tables, the same deals at each"
    of_each = "" if len(study.settings) == 1 else f" each, {study.games:,} in all"
    return f"{each}{of_each}; {tables}; {players}; seed {study.settings[0].results.table.seed}"


def _chapter(study, chapter, place):
    return {
        "key": chapter.key,
        "title": chapter.title,
        "question": chapter.question,
        "sentences": chapter.sentences,
        "cautions": chapter.cautions,
        "pictures": [
            {"source": place(chapter, drawing), "caption": drawing.caption, "is_large": drawing.is_large}
            for drawing in chapter.pictures
        ],
        "tables": [_table(section) for section in chapter.tables],
        "command": f"{study.command} && jamaica-sim report {study.folder} --chapter {chapter.key} --out "
        f"{chapter.key}.html",
    }


def _table(section: ResultTable):
    return {
        "title": section.title,
        "note": caption_of(section),
        "columns": [
            {"name": name, "number": bool(place) and any(_is_number(row[place]) for row in section.rows)}
            for place, name in enumerate(section.columns)
        ],
        "rows": [[_cell(section, place, content) for place, content in enumerate(row)] for row in section.rows],
    }


def _is_number(content):
    return isinstance(content, Estimate | int | float) or bool(re.fullmatch(r"-?[\d.]+%?", str(content)))


def _cell(section, place, content):
    games = f"{content.n:,} games" if isinstance(content, Estimate) else ""
    text = cell_text(section, section.columns[place], content)
    return {"text": text, "number": bool(place) and _is_number(content), "games": games}


def caption_of(section: ResultTable) -> str:
    """The note of a table and the number of games behind its figures."""
    behind = section.behind()
    return "; ".join(filter(None, (section.note, behind and f"{behind} behind each figure")))

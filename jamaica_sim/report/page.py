"""Reports: a study as one HTML page that needs nothing else, or as Markdown with its pictures beside it.

The chapters decide what is said; this module lays it out. jinja2 is imported when a page is made.
"""

import base64
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from jamaica_sim import __version__
from jamaica_sim.components.changes import BOARD, in_few_words
from jamaica_sim.errors import UserError
from jamaica_sim.escape import Markdown, html_text, link, markdown_code, visible
from jamaica_sim.escape import markdown as markdown_text
from jamaica_sim.experiment.setting import variants_told
from jamaica_sim.play.commands import compare_command, sweep_command, typed
from jamaica_sim.report import drawing, prose, words
from jamaica_sim.report.chapter import (
    PRINTED,
    Chapter,
    Figure,
    KeyNumber,
    base_rules,
    cell_text,
    games_line,
    table_words,
)
from jamaica_sim.report.chapters import chapters_of
from jamaica_sim.report.chapters.balancing import balance_chapters
from jamaica_sim.report.chapters.comparing import comparison_chapters
from jamaica_sim.report.chapters.sensitivity import sensitivity_chapters
from jamaica_sim.report.chapters.sweeping import sweep_chapters
from jamaica_sim.report.games_to_watch import GamesToWatch
from jamaica_sim.report.looks import Looks
from jamaica_sim.report.the_board import playing_on
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.stats.estimate import Estimate
from jamaica_sim.store.atomic_files import write_whole
from jamaica_sim.variant import value_text

FORMS = {".html": "html", ".md": "md"}
LEAST_KEYS, MOST_KEYS = 4, 5


@dataclass(frozen=True)
class Report:
    """What a page says: the first screen, the chapters, and how it was made."""

    name: str
    title: str  # what was asked
    description: str
    headline: str
    standfirst: list[str]
    keys: list[KeyNumber]
    hero: Figure | None
    map: Figure | None
    chapters: list[Chapter]
    games: int
    seed: int
    command: str
    settings: list[tuple[str, int]]
    facts: str
    remarks: list[str] = field(default_factory=list)
    reference: str = ""  # the table that sentences are about where they name none, said once
    base: str = ""  # under which of several rules that table plays, such as "under the printed rules"


def make_report(study, names=()) -> Report:
    """The report of a study; `names` limits it to some chapters. It is written twice: see `looks`."""
    looks = Looks()
    with playing_on(study.reference.rules.components.board):
        chapters_of(study, looks, names)
        looks = looks.settled()
        chapters = chapters_of(study, looks, names)
    watch = GamesToWatch(study.reference)
    for chapter in chapters:
        chapter.watch = watch.of(chapter.key)
    seed = study.settings[0].results.table.seed
    command = f"{study.command} && {typed('report', study.folder, '--out', f'{study.name}.html')}"
    tried = (
        f"A difference is called clear if it holds up among all {len(looks.chances):,} figures that were looked at "
        "for one: the chance that even one of them is wrong is at most 5% (Holm 1979)."
    )
    return _report(
        study.name, study.title, study.description, chapters, study.games, seed, command,
        [(s.label, s.games) for s in study.settings], facts(study), [tried, *_designs(study)], _reference(study),
        _base(study),
    )  # fmt: skip


def _designs(study):
    """A remark that figures about causes come from other games than those that are counted above."""
    if study.causes is None:
        return []
    return ["Figures about causes come from designs beside these games; each says how many deals or games it rests on."]


def report_comparison(comparison, name: str) -> Report:
    """The report of a comparison of strategies."""
    looks = Looks()
    comparison_chapters(comparison, looks)
    looks = looks.settled()
    chapters = comparison_chapters(comparison, looks)
    seed = comparison.contest.seed
    command = f"{_again(comparison, name)} && {typed('report', name, '--out', f'{name}.html')}"
    return _report(
        name, f"The comparison {name}", "", chapters, comparison.games, seed, command,
        [(", ".join(comparison.labels), comparison.games)], comparison.circumstances().rstrip("."),
        [remark for remark in comparison.remarks()],
    )  # fmt: skip


def report_sweep(sweep, name: str) -> Report:
    """The report of a sweep of one or two rules."""
    looks = Looks()
    chapters = sweep_chapters(sweep, looks)
    plan = sweep.plan
    title = plan.title or f"The sweep {name}"
    command = f"{_sweep_again(plan, name)} && {typed('report', name, '--out', f'{name}.html')}"
    settings = [(plan.label(values), played.games) for values, played in zip(plan.points, sweep.results, strict=True)]
    return _report(
        name, title, plan.description, chapters, sweep.games, plan.base.seed, command, settings,
        sweep.circumstances().split("; 95%")[0],
        ["A difference is called clear if it holds up among all differences of the sweep (Holm 1979)."],
    )  # fmt: skip


def report_sensitivity(found, name: str) -> Report:
    """The report of a sensitivity analysis: which rules matter."""
    task = found.task
    title = task.title or "Which rules matter"
    command = typed("report", name, "--out", f"{name}.html")
    ranges = [(f"{rule.name}: {given_values(rule)}", task.games) for rule in task.space.rules]
    chapters = sensitivity_chapters(found)
    return _report(
        name, title, task.description, chapters, found.games, task.space.base.seed, command, ranges,
        found.circumstances().rstrip("."), ["Effects below a tenth of a standard deviation are not called noticeable."],
    )  # fmt: skip


def report_balance(found, name: str) -> Report:
    """The report of a search for rules that meet targets."""
    task = found.task
    title = task.title or f"The search {name}"
    again = typed("balance", task.source or f"{name}.toml", "--out", name)
    command = f"{again} && {typed('report', name, '--out', f'{name}.html')}"
    ranges = [(f"{rule.name}: {given_values(rule)}", task.games) for rule in task.space.rules]
    return _report(
        name, title, task.description, balance_chapters(found), found.games, task.space.base.seed, command, ranges,
        found.circumstances().split("; 95%")[0],
        ["A target is met where the whole 95% interval lies inside its range, and missed where it lies outside."],
    )  # fmt: skip


def _sweep_again(plan, name):
    if plan.source:
        return typed("sweep", plan.source, "--games", plan.games, "--out", name)
    rules = [f"{rule.name}={given_values(rule)}" for rule in plan.swept]
    return sweep_command(
        plan.base.rules, plan.base.strategies, plan.base.seed, *rules, "--games", plan.games, "--out", name
    )


def given_values(rule) -> str:
    """The values of a swept rule as the command line takes them."""
    joint = "|" if any(isinstance(value, tuple) for value in rule.values) else ","
    if rule.name == BOARD:
        return joint.join(in_few_words(value) for value in rule.values)
    return joint.join(value_text(value) for value in rule.values)


def _again(comparison, name):
    contest, plan = comparison.contest, comparison.plan
    long = ["--until", "verdict", "--max-games", plan.games] if plan.until_verdict else ["--games", plan.games]
    options = [*long, "--margin", plan.margin, "--alpha", plan.alpha, "--out", name]
    who = contest.rules, contest.strategies, contest.seed
    return compare_command(*who, *options, against=contest.against, luck=contest.luck)


def _base(study):
    base = base_rules(study)
    return f"{'under' if base == PRINTED else 'with'} {base}" if base else ""


def _reference(study):
    words_ = f"{table_words(study)}."
    said = f"Where nothing else is said: {words_}" if len(study.settings) > 1 else words.sentence(words_)
    return " ".join([said, *(words.sentence(f"{variant}.") for variant in variants_told(study.settings))])


def _report(name, title, description, chapters, games, seed, command, settings, told, remarks, reference="", base=""):
    lead = chapters[0]
    board = _first_map(chapters)
    hero = lead.hero or (lead.figures[0] if lead.figures else None)
    lead.figures = [f for f in lead.figures if f.name != (hero and hero.name)]  # shown once, on the first screen
    for chapter in chapters:
        chapter.figures = [f for f in chapter.figures if f is not board]
    said = [words.sentence(s) for s in lead.standfirst if s]
    chapters = _say_once(chapters, said)
    return Report(
        name, title, description, words.sentence(lead.headline or lead.heading),
        said, _keys(chapters, base), hero, board, chapters, games, seed,
        command, settings, told, remarks, reference, base,
    )  # fmt: skip


def _first_map(chapters):
    """The map for the first screen: first choice is battles where the ghost ship is the subject, else shortages."""
    maps = {chapter.key: chapter.map for chapter in chapters if chapter.map}
    order = ("battles", "shortages") if chapters[0].key in ("ghost", "claims") else ("shortages", "battles")
    return next((maps[key] for key in order if key in maps), None)


def _keys(chapters, base):
    """The key numbers of the first chapter, and one of each other chapter in turn until there are four."""
    keys = list(chapters[0].keys)[:MOST_KEYS]
    for chapter in chapters[1:]:
        if len(keys) < LEAST_KEYS:
            keys += [replace(key, words=", ".join(filter(None, (key.words, base)))) for key in chapter.keys[:1]]
    return keys


def _say_once(chapters, said):
    """Keep every sentence only where it is said first."""
    known = set(said)
    for chapter in chapters:
        kept = []
        for paragraph in chapter.paragraphs:
            new = [s for s in paragraph.split("\n") if s not in known]
            known |= set(new)
            if new:
                kept.append("\n".join(new))
        chapter.paragraphs = kept
    return chapters


def facts(study) -> str:
    """One line about what was played."""
    line_ups = study.line_ups
    players = f"players: {', '.join(line_ups)}" if len(line_ups) <= 4 else f"{len(line_ups)} line-ups"
    tables = "one table" if len(study.settings) == 1 else f"{len(study.settings)} tables, the same deals at each"
    in_all = "" if len(study.settings) == 1 else f", {study.games:,} in all"
    seed = study.settings[0].results.table.seed
    return f"{games_line(study.settings)}{in_all}; {tables}; {players}; seed {seed}"


# Files


def form_of(path: Path, form: str | None) -> str:
    """The form that is given, or else that of the file's ending."""
    if form is None and path.suffix not in FORMS:
        raise UserError(f"{path}: a report's file ends in .html or .md, or say which with --format.")
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
    for old in set(pictures.glob("*.svg")) - {pictures / name for name in files}:
        old.unlink()
    write_whole(path, text.encode())
    return path


def html(report: Report) -> str:
    """The report as one page, its pictures and data inside."""
    return _template("report.html.j2").render(
        report=report,
        kicker=["Jamaica", report.title, words.games(report.games)],
        chapters=[_chapter(chapter) for chapter in report.chapters],
        version=__version__,
        thresholds=words.THRESHOLDS,
        **_style(),
    )


def markdown(report: Report, folder: str) -> tuple[str, dict[str, bytes]]:
    """The report as Markdown, and its pictures by file name."""
    files = {}

    def path_of(key, figure):
        name = f"{key}-{figure.name}.svg"
        files[name] = figure.drawing.file()
        return link(f"{folder}/{name}")

    text = _template("report.md.j2").render(
        report=report,
        kicker=["Jamaica", report.title, words.games(report.games)],
        chapters=[_chapter(chapter) for chapter in report.chapters],
        path_of=path_of,
        version=__version__,
        thresholds=words.THRESHOLDS,
    )
    return re.sub(r"\n{3,}", "\n\n", text), files


def write_index(reports: list[Report], folder, command: str, order: Sequence[str] = ()) -> list[Path]:
    """Two pages that lead to the reports in their folder, with headline and chart: index.html and README.md.

    With an `order` of names, the entries of other reports stay as they are.
    """
    from markupsafe import Markup

    folder = Path(folder)
    articles, entries = _indexed(folder) if order else ({}, {})
    for report in reports:
        articles[report.name] = _template("index_article.html.j2").render(report=report).strip()
        entries[report.name] = _template("index_entry.md.j2").render(report=report).strip()
    names = sorted(articles, key=[*order, *articles].index)
    pages = {
        "index.html": _template("index.html.j2").render(
            articles=[Markup(articles[name]) for name in names],  # escaped when they were made
            games=sum(_games_of(article) for article in articles.values()),
            command=command,
            version=__version__,
            **_style(),
        ),
        "README.md": _template("index.md.j2").render(
            entries=[Markdown(entries[name]) for name in names if name in entries], command=command
        ),
    }
    for name, text in pages.items():
        write_whole(folder / name, text.encode())
    return [folder / name for name in pages]


def _indexed(folder):
    """The entries of the index by report, as HTML and as Markdown."""
    page, text = (_text_of(folder / name) for name in ("index.html", "README.md"))
    articles = re.finditer(r'<article class="report" id="([^"]+)".*?</article>', page, re.DOTALL)
    entries = re.finditer(r"^## .*?\[HTML\]\(([^)]+)\.html\).*?(?=\n+## |\s*\Z)", text, re.DOTALL | re.MULTILINE)
    return {a.group(1): a.group() for a in articles}, {e.group(1): e.group() for e in entries}


def _text_of(path):
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def _games_of(article):
    """The number of games behind a report, from its entry in the index: exact, or else from the words."""
    if exact := re.search(r'^<article [^>]*data-games="(\d+)"', article):
        return int(exact.group(1))
    told = re.search(r"([\d.,]+)( million)? games?</p>", article)
    return round(float(told.group(1).replace(",", "")) * (1_000_000 if told.group(2) else 1)) if told else 0


def _style():
    return {
        "light": drawing.colours(),
        "dark": drawing.colours(dark=True),
        "classes": drawing.classes(),
        "sizes": {
            "wide": drawing.SIZE[False],
            "narrow": drawing.SIZE[True],
            "wide_small": drawing.SMALL[False],
            "narrow_small": drawing.SMALL[True],
        },  # fmt: skip
    }


def _template(name):
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
    environment.filters["said"] = said_html
    environment.filters["said_md"] = said_markdown
    environment.filters["ticks"] = ticks_html
    environment.filters["ticks_md"] = ticks_markdown
    environment.filters["svg"] = svg_html
    environment.filters["row"] = lambda cells: Markdown(" | ".join(map(markdown_text, cells)))
    environment.filters["code"] = markdown_code
    environment.filters["fenced"] = lambda text: markdown_code(text, fenced=True)
    environment.filters["in_html"] = lambda text: Markdown(html_text(" ".join(str(text).split())))
    environment.filters["link"] = link
    environment.filters["plain"] = prose.plain
    environment.filters["games"] = words.games
    environment.filters["sentence"] = words.sentence
    return environment.get_template(name)


def _shown(value):
    """What a page writes of a value: no character that a browser would obey instead of show."""
    return visible(value) if type(value) is str else value


def said_html(text: str):
    """A paragraph with its figures short and bold; the full figure shows when one points at it."""
    from markupsafe import Markup

    def figure(short, full):
        return f'<b title="{html_text(full)}">{html_text(short)}</b>'

    return Markup(_said(text, html_text, figure).replace("\n", " "))


def said_markdown(text: str) -> str:
    """A paragraph with its figures in full and bold."""
    return Markdown(_said(text, _inner_markdown, lambda _, full: f"**{markdown_text(full.split('; n =')[0])}**"))


def _inner_markdown(text):
    """A part of a paragraph; spaces at its ends stay."""
    return f"{' ' * text[:1].isspace()}{markdown_text(text)}{' ' * text[-1:].isspace()}"


def _said(text, write, figure):
    """A paragraph: its text by `write`, its figures by `figure`, of the short and the full text."""
    pieces = prose.SAID.split(text)
    figures = [figure(short, full) for short, full in zip(pieces[1::3], pieces[2::3], strict=True)]
    return "".join(text for pair in zip(map(write, pieces[::3]), [*figures, ""], strict=True) for text in pair)


def ticks_html(text: str):
    """Text as safe HTML; words between backticks are set as code."""
    from markupsafe import Markup

    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", html_text(text)))


def ticks_markdown(text: str) -> str:
    """Text as Markdown; names between backticks are code, everything else is plain text."""
    return Markdown(re.sub(r"\\`([\w. -]+)\\`", r"`\1`", markdown_text(text)))


def svg_html(figure: Figure, form: str = "both"):
    """A chart inside the page: wide and narrow, of which the page shows one; or the narrow one alone."""
    from markupsafe import Markup

    if form == "narrow":
        return Markup(figure.drawing.svg(narrow=True, css="always"))
    return Markup(figure.drawing.svg() + figure.drawing.svg(narrow=True))


def _chapter(chapter):
    return {
        "key": chapter.key,
        "subject": chapter.subject,
        "heading": words.sentence(chapter.heading or chapter.subject),
        "paragraphs": chapter.paragraphs,
        "figures": chapter.figures,
        "watch": chapter.watch,
        "tables": [_table(chapter.key, number, table) for number, table in enumerate(chapter.tables)],
    }


def _table(key, number, table: ResultTable):
    is_single = len(table.rows) == 1 and table.columns[0] == "table"  # the only table needs no label
    first = 1 if is_single else 0
    return {
        "title": table.title,
        "note": caption_of(table),
        "columns": [
            {"name": name, "number": column > 0 and any(_is_number(row[column]) for row in table.rows)}
            for column, name in enumerate(table.columns)
        ][first:],
        "rows": [[_cell(table, column, content) for column, content in enumerate(row)][first:] for row in table.rows],
        "is_single": is_single,
        "file": f"{key}_{number + 1}.csv",
        "csv": f"data:text/csv;base64,{base64.b64encode(table.to_csv().encode()).decode()}",
    }


def _is_number(content):
    return isinstance(content, Estimate | int | float) or bool(re.fullmatch(r"[-−]?[\d.]+%?", str(content)))


def _cell(table, column, content):
    text = cell_text(table, table.columns[column], content)
    value, _, half = text.partition(" ± ")
    is_estimate = isinstance(content, Estimate)
    by = content.value if is_estimate else content
    if isinstance(by, str):
        by = by.rstrip("%").replace("−", "-")
    sortable = "" if is_estimate and math.isnan(content.value) else by
    return {
        "text": text.replace("-", "−") if _is_number(content) else text,
        "value": value,
        "half": half,
        "number": column > 0 and _is_number(content),
        "sort": sortable,
        "games": f"n = {content.n:,}" if is_estimate else "",
    }


def caption_of(table: ResultTable) -> str:
    """The note of a table and the number of games behind its figures."""
    behind = table.behind()
    return "; ".join(filter(None, (table.note, f"{behind} behind each figure" if behind else "")))

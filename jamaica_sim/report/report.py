"""What a report says, made of a study, a comparison, a sweep, an analysis or a search.

The chapters decide what is said; this module chooses the first screen and says how the report was made. `page` lays it
out.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from jamaica_sim.play.commands import compare_command, measure_words, sweep_command, typed
from jamaica_sim.play.game_table import GameTable
from jamaica_sim.report import words
from jamaica_sim.report.arrangement import PRINTED, base_rules, table_words
from jamaica_sim.report.chapter import Chapter, Figure, KeyNumber, games_line
from jamaica_sim.report.chapters import balancing, chapters_of, comparing, sensitivity, sweeping
from jamaica_sim.report.judge import Judge
from jamaica_sim.report.parts import Parts
from jamaica_sim.study.compare.comparison import Comparison
from jamaica_sim.study.experiment.setting import variants_told
from jamaica_sim.study.experiment.study import Study, beside_printed_command
from jamaica_sim.study.lab.balance_result import Balance
from jamaica_sim.study.lab.sensitivity import Sensitivity
from jamaica_sim.study.lab.sweep import Sweep, SweepPlan
from jamaica_sim.study.values import given_values

MOST_KEYS = 3


@dataclass
class Report:
    """What a page says: the first screen, the chapters, and how it was made."""

    name: str
    title: str  # what was asked
    description: str
    chapters: list[Chapter]
    judge: Judge
    games: int
    seed: int
    command: str
    settings: list[tuple[str, int]]
    facts: str
    remarks: list[str]
    reference: str = ""  # the table that sentences are about where they name none, said once
    base: str = ""  # under which of several rules that table plays, such as "under the printed rules"
    # What is claimed of several tables, with its verdict
    claims: list[dict[str, Any]] = field(init=False)
    # The first screen, from the first chapter
    headline: str = field(init=False)
    standfirst: list[str] = field(init=False)
    keys: list[KeyNumber] = field(init=False)
    hero: Figure | None = field(init=False)
    map: Figure | None = field(init=False)

    def __post_init__(self) -> None:
        """Fill the first screen. What is shown or said there is left out below."""
        lead = self.chapters[0]
        self.claims = [self.judge.verdict(claim).record() for chapter in self.chapters for claim in chapter.claims]
        self.headline = words.sentence(lead.heading)
        known = {self.headline}  # a heading is said once
        for chapter in self.chapters:
            if words.sentence(chapter.heading) in known:
                chapter.heading = chapter.subject
            known.add(words.sentence(chapter.heading))
        self.standfirst = [words.sentence(s) for s in lead.standfirst if s]
        self.keys, self.map = _keys(self.chapters, self.base), _first_map(self.chapters)
        self.hero = lead.figures.pop(0) if lead.figures else None
        for chapter in self.chapters:
            chapter.figures = [figure for figure in chapter.figures if figure is not self.map]
        _say_once(self.chapters, self.standfirst)


def make_report(study: Study, names: Sequence[str] = ()) -> Report:
    """The report of a study; `names` limits it to some chapters."""
    chapters, judge = chapters_of(study, names)
    remarks = [
        f"A difference is called clear if it holds up among all {judge.count:,} comparisons of this report: the chance "
        "that even one of them is luck is at most 5% (Holm 1979).",
        "What is named as the largest or smallest of several has an interval that allows for the picking (Bonferroni).",
    ]
    if len(study.settings) == 1 and study.settings[0].rules.changes():
        remarks.append(
            "The printed rules are not among these games. To see both side by side: "
            f"{beside_printed_command(study.settings[0].played, f'{study.name}_beside')}"
        )
    if study.causes:
        remarks.append(
            "Figures about causes come from designs beside these games; each says how many deals or games it rests on."
        )
    return Report(
        study.name,
        study.title,
        study.description,
        chapters,
        judge,
        study.games,
        study.settings[0].played.table.seed,
        _with_report(study.command, study.name, study.folder),
        [(s.label, s.games) for s in study.settings],
        facts(study),
        remarks,
        _reference(study),
        _base(study),
    )


def report_comparison(comparison: Comparison, name: str) -> Report:
    """The report of a comparison of strategies."""
    contest, plan = comparison.contest, comparison.plan
    long = ["--until", "verdict", "--max-games", plan.games] if plan.until_verdict else ["--games", plan.games]
    options = [*long, "--margin", plan.margin, "--alpha", plan.alpha, "--out", name, *measure_words(contest.measures)]
    who = contest.rules, contest.strategies, contest.seed
    return _report_of(
        comparing.standings_chapter(comparison),
        name,
        title=f"The comparison {name}",
        description="",
        games=comparison.games,
        seed=contest.seed,
        command=_with_report(compare_command(*who, *options, against=contest.against, luck=contest.luck), name),
        settings=[(", ".join(comparison.labels), comparison.games)],
        facts=comparison.circumstances().rstrip("."),
        remarks=list(comparison.remarks()),
    )


def report_sweep(sweep: Sweep, name: str) -> Report:
    """The report of a sweep of one to three rules."""
    plan = sweep.plan
    return _report_of(
        sweeping.swept_chapter(sweep),
        name,
        title=plan.title or f"The sweep {name}",
        description=plan.description,
        games=sweep.games,
        seed=plan.base.seed,
        command=_with_report(_sweep_again(plan, name), name),
        settings=[
            (words.sentence(plan.spoken(values)), played.games)
            for values, played in zip(plan.points, sweep.results, strict=True)
        ],
        reference=_at_every_table(plan.base),
        facts=sweep.played(),
        remarks=[
            "A difference is called clear if it holds up among all differences of the sweep (Holm 1979).",
            "Where a measure differs most is picked among all values; its interval allows for that (Bonferroni).",
        ],
    )


def report_sensitivity(analysis: Sensitivity, name: str) -> Report:
    """The report of a sensitivity analysis: which rules matter."""
    return _report_of(
        sensitivity.effects_chapter(analysis),
        name,
        title=analysis.task.title or "Which rules matter",
        command=typed("report", name, "--out", f"{name}.html"),
        facts=analysis.circumstances().rstrip("."),
        remarks=["Effects below a tenth of a standard deviation are not called noticeable."],
        **_of_ranges(analysis),
    )


def report_balance(search: Balance, name: str) -> Report:
    """The report of a search for rules that meet targets."""
    task = search.task
    return _report_of(
        balancing.proposals_chapter(search),
        name,
        title=task.title or f"The search {name}",
        command=_with_report(typed("balance", task.source or f"{name}.toml", "--out", name), name),
        facts=search.played(),
        remarks=[
            "A target is met where an interval that holds at every look lies inside its range, missed where it lies "
            "outside. Games were doubled until that was decided, up to eight times the first.",
        ],
        **_of_ranges(search),
    )


def _of_ranges(answer: Sensitivity | Balance) -> dict[str, Any]:
    """What the reports on searches over ranges of rules share."""
    task = answer.task
    ranges = [(f"{rule.name}: {given_values(rule.name, rule.values)}", task.games) for rule in task.space.rules]
    return {
        "description": task.description, "games": answer.games, "seed": task.space.base.seed, "settings": ranges,
        "reference": _at_every_table(task.space.base),
    }  # fmt: skip


def _at_every_table(base: GameTable) -> str:
    return f"At every table: {base.in_words()}."


def _report_of(findings: Parts, name: str, **about: Any) -> Report:
    """A report of one chapter, which its findings write."""
    judge = Judge([findings])
    return Report(name=name, chapters=[findings.write(judge)], judge=judge, **about)


def _with_report(command: str, name: str, folder: str = "") -> str:
    return f"{command} && {typed('report', folder or name, '--out', f'{name}.html')}"


def _sweep_again(plan: SweepPlan, name: str) -> str:
    if plan.source:
        return typed("sweep", plan.source, "--games", plan.games, "--out", name)
    rules = [f"{rule.name}={given_values(rule.name, rule.values)}" for rule in plan.swept]
    return sweep_command(
        plan.base.rules, plan.base.strategies, plan.base.seed, *rules, "--games", plan.games, "--out", name
    )


def _base(study: Study) -> str:
    base = base_rules(study)
    return f"{'under' if base == PRINTED else 'with'} {base}" if base else ""


def _reference(study: Study) -> str:
    table = f"{table_words(study)}."
    first = f"Unless noted: {table}" if len(study.settings) > 1 else words.sentence(table)
    return " ".join([first, *(words.sentence(f"{variant}.") for variant in variants_told(study.settings))])


def _first_map(chapters: list[Chapter]) -> Figure | None:
    """The map for the first screen: first choice is battles where the ghost ship is the subject, else shortages."""
    maps = {chapter.key: chapter.map for chapter in chapters if chapter.map}
    order = ("battles", "shortages") if chapters[0].key in ("ghost", "claims") else ("shortages", "battles")
    return next((maps[key] for key in order if key in maps), None)


def _keys(chapters: list[Chapter], base: str) -> list[KeyNumber]:
    """The key numbers of the first chapter, and one of each other chapter in turn until there are enough."""
    others = [
        replace(key, words=", ".join(filter(None, (key.words, base)))) for c in chapters[1:] for key in c.keys[:1]
    ]
    return [*chapters[0].keys, *others][:MOST_KEYS]


def _say_once(chapters: list[Chapter], first: list[str]) -> None:
    """Keep every sentence only where it is said first."""
    known = set(first)
    for chapter in chapters:
        paragraphs = []
        for paragraph in chapter.paragraphs:
            new = [s for s in paragraph.split("\n") if s not in known]
            known |= set(new)
            if new:
                paragraphs.append("\n".join(new))
        chapter.paragraphs = paragraphs


def facts(study: Study) -> str:
    """One line about what was played."""
    line_ups = study.line_ups
    players = f"players: {', '.join(line_ups)}" if len(line_ups) <= 4 else f"{len(line_ups)} line-ups"
    tables = "one table" if len(study.settings) == 1 else f"{len(study.settings)} tables, the same deals at each"
    in_all = "" if len(study.settings) == 1 else f", {study.games:,} in all"
    seed = study.settings[0].played.table.seed
    return f"{games_line(study.settings)}{in_all}; {tables}; {players}; seed {seed}"

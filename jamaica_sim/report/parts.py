"""Parts: what a chapter is a list of. A part has its tables, its charts, sentences with figures, and at most one claim.

Everything that is said of a difference is a claim, and `Verdict.told` writes its sentence. Heading, first screen and
key figures of a chapter are those of its first claim.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from jamaica_sim.report import prose, spaces, words
from jamaica_sim.report.arrangement import comparable, left_out_of, without_random_play
from jamaica_sim.report.chapter import Chapter, Figure, KeyNumber, is_known
from jamaica_sim.report.charts.grid_charts import matrix
from jamaica_sim.report.charts.row_charts import Row
from jamaica_sim.report.figures import against, chart, mark_of, profiles
from jamaica_sim.report.judge import HOLDS, Case, Claim, Findings, Judge
from jamaica_sim.report.sheet import Columns, Sheet
from jamaica_sim.results.measures import Measure
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.results.results import Results
from jamaica_sim.results.stats.estimate import Estimate, allowing_for, cohen_h
from jamaica_sim.study.experiment.setting import Setting
from jamaica_sim.study.experiment.study import Study

Pair = tuple[str, str]


@dataclass(frozen=True)
class Test:
    """What is said where a column is clearly above a value, clearly below it, or neither."""

    column: str
    above: str
    below: str = ""
    neither: str = ""
    null: float | Callable[[Setting], float] = 0.0
    direction: int = 1  # -1 where `above` and `below` change places

    def null_at(self, setting: Setting) -> float:
        """The value that the column is compared with."""
        return self.null(setting) if callable(self.null) else self.null


@dataclass
class Part(Findings):
    """One part of a chapter: at most one claim, and facts whose figures are those of the part's tables.

    `headline` is the part's own heading: of a claim that holds at every table, or of an answer that judges itself.
    """

    claim: Claim | None = None
    facts: Sequence[str] = ()
    tables: list[ResultTable] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    keys: list[KeyNumber] = field(default_factory=list)
    headline: str = ""
    effect: float = 0.0
    left_out: str = ""  # words for the tables that a claim leaves out
    map: Figure | None = None
    cells: Sheet | None = None  # from which facts, tables and charts were read

    @property
    def sheet(self) -> Sheet:
        """The sheet of a part that has one."""
        assert self.cells is not None
        return self.cells

    def write(self, judge: Judge, chapter: Chapter) -> None:
        """Add the part to a chapter."""
        facts, says, heading = [fact for fact in self.facts if fact], "", self.headline
        if self.claim:
            verdict = judge.verdict(self.claim)
            says, heading = verdict.told(), verdict.told(named=False)
            heading = (self.headline if verdict.kind == HOLDS else "") or heading
            chapter.claims.append(self.claim)
            chapter.effect = max(chapter.effect, self.effect if verdict.holds or verdict.fails else 0.0)
        if heading and not chapter.heading:
            chapter.heading, chapter.standfirst = heading, facts[:1]
            says = "" if says == heading else says
        chapter.say(f"{says}{self.left_out}." if says else "", *facts)
        chapter.tables += self.tables
        chapter.figures += self.figures
        chapter.keys += self.keys
        chapter.map = chapter.map or self.map


class Parts(Findings):
    """A chapter as a list of parts."""

    def __init__(self, key: str, subject: str, parts: Sequence[Part]):
        self.key, self.subject, self.parts = key, subject, list(parts)

    def write(self, judge: Judge) -> Chapter:
        """The chapter."""
        chapter = Chapter(self.key, self.subject)
        for part in self.parts:
            part.write(judge, chapter)
        return chapter


@dataclass(frozen=True)
class ChapterSource:
    """How a chapter is made of a study: its parts, then its words; and whether the study has any for it."""

    find: Callable[[Study], Parts]
    applies: Callable[[Study], bool] = lambda study: True


def chapter_of(
    key: str, subject: str, parts: Callable[[Study], Sequence[Part]], applies: Callable[[Study], bool] | None = None
) -> dict[str, ChapterSource]:
    """The source of a chapter, by its key."""
    return {key: ChapterSource(lambda study: Parts(key, subject, parts(study)), applies or (lambda study: True))}


# Measures at every table


def sheet(
    study: Study,
    title: str,
    columns: Columns,
    facts: Sequence[str] = (),
    test: Test | None = None,
    *,
    note: str = "",
    settings: Sequence[Setting] = (),
    shown: Sequence[str] = (),  # the columns of the table; all where none are named
    figures: Sequence[Callable[[Sheet], Figure]] = (),
    keys: Mapping[str, str] | None = None,  # columns of the reference table with their words
    label: Callable[[Setting], str] = lambda setting: setting.label,
) -> Part:
    """Measures at every table: a table, charts, and facts about the reference; `test` is about every usual table."""
    cells = Sheet(study, columns, settings)
    claim, effect, own = None, 0.0, study.reference if study.reference in cells.settings else cells.settings[0]
    every = list(settings) or comparable(study)
    if test:
        over = [s for s in without_random_play(every) if is_known(cells.at(test.column, s))]
        cases = {label(s): Case(cells.at(test.column, s), test.null_at(s)) for s in over or [own]}
        claim = Claim(test.above, cases, test.direction, opposite=test.below, neither=test.neither)
        effect = size_of(cells.at(test.column, own), test.null_at(own), cells.is_share(test.column))
    made = [
        KeyNumber((words.percent if cells.is_share(c) else words.amount)(cells.at(c).value), text)
        for c, text in (keys or {}).items()
        if is_known(cells.at(c))
    ]
    return Part(
        claim, [cells.tell(fact) for fact in facts if fact], [cells.table(title, shown, note, label=label)],
        [figure(cells) for figure in figures], made, effect=effect, left_out=left_out_of(every) if test else "",
        cells=cells,
    )  # fmt: skip


def size_of(estimate: Estimate, null: float, share: bool) -> float:
    """How far an estimate is from a value: of shares Cohen's h, of anything else a hundredth of the difference."""
    if not is_known(estimate):
        return 0.0
    return abs(cohen_h(estimate.value, null)) if share else abs(estimate.value - null) / 100


# Who leads


def leading(
    tables: Mapping[str, Mapping[Any, Estimate]], leaders: Sequence[Any], says: str, neither: str, opposite: str = "",
    noun: str = "tables",
) -> Claim:  # fmt: skip
    """That the leaders have more than each of the others at every table.

    At worst the errors of two add up, as those of shares of a whole do. The best of the others is picked among them.
    """
    cases = {}
    for label, of in tables.items():
        others = [e for name, e in of.items() if name not in leaders]
        high = max(others, key=lambda e: e.value)
        low = min((of.get(name, high.scaled(0)) for name in leaders), key=lambda e: e.value)
        change, reach = low.value - high.value, low.half_width + high.half_width
        lead = Estimate(change, change - reach, change + reach, min(low.n, high.n))
        cases[label] = Case(allowing_for(lead, len(others)))
    return Claim(says, cases, opposite=opposite, neither=neither, noun=noun)


# A response to a rule


def response(
    title: str,
    measure: Measure,
    pairs: Mapping[str, tuple[Results, Results]],  # by the table in words: without the rule, and with it
    says: tuple[str, str, str],  # where it clearly goes in the direction, the other way, or neither
    *,
    names: tuple[str, str] = ("without", "with"),
    note: str = "",
    direction: int = 1,  # -1 where less of it is expected: effects are in that direction
) -> Part:
    """A measure on the same deals without a rule and with it, at several tables."""
    rows = {label: (measure.of(a), measure.of(b), measure.difference(a, b)) for label, (a, b) in pairs.items()}
    cases = {label: Case(row[2]) for label, row in rows.items()}
    columns: tuple[str, ...] = ("table", *names, "difference, points" if measure.share else "difference")
    content: list[tuple[Any, ...]] = [(label, *row) for label, row in rows.items()]
    if not measure.share:
        columns = (*columns, "effect size d")
        content = [(*row, measure.effect_interval(*pairs[row[0]]).scaled(direction)) for row in content]
    return Part(
        Claim(says[0], cases, direction, opposite=says[1], neither=says[2]),
        tables=[ResultTable(title, columns, content, frozenset(names if measure.share else ()), note)],
        effect=max(abs(measure.effect(*two)) for two in pairs.values()),
    )


# Named estimates against one value


def ranking(
    title: str,
    rates: Mapping[str, Estimate],
    null: float,
    says: tuple[str, str],  # of the first, where it is clearly above the value, and where it is not; {} is its name
    *,
    sub: str,
    name: str,
    tables: Sequence[ResultTable] = (),
    facts: Sequence[str] = (),
    line_name: str = "",
    unit: str = "",  # of a key figure
    share: bool = True,
    labels: Mapping[str, str] | None = None,
    row_height: float | None = None,
) -> Part:
    """Names with their estimates, the best first, beside one value; the claim is about the first of them."""
    order = sorted(rates, key=lambda one: -rates[one].value)
    best, shown = order[0], labels or {}
    claim = Claim(says[0].format(shown.get(best, best)),
                  {best: Case(allowing_for(rates[best], len(rates)), null)}, neither=says[1])  # fmt: skip
    made = [Row(shown.get(one, one), [against(rates[one], null) if share else mark_of(rates[one])]) for one in order]
    low = {} if share else {"low": min(0.0, *(rates[one].low for one in order))}
    figure = chart(name, title, sub, made, row_height, line=null, line_name=line_name, **low)
    show = words.percent if share else words.signed
    keys = [KeyNumber(show(rates[one].value), unit.format(shown.get(one, one)))
            for one in dict.fromkeys((best, *order[1:2], order[-1]))] if unit else []  # fmt: skip
    effect = size_of(rates[best], null, share)
    return Part(claim, facts, [*tables], [figure], keys, effect=effect)


# Everybody against everybody


def grid(place: str, pairs: Mapping[Pair, Estimate], means: Mapping[str, Estimate], games: str, number: str) -> Part:
    """Shares of the victories of row against column; the claim is that the first beats each of the others.

    `means` are the shares over all opponents. `place` is the rules in words, where they vary.
    """
    order = sorted(means, key=lambda name: -means[name].value)
    top, last, others = order[0], order[-1], [name for name in order[1:] if (order[0], name) in pairs]
    claim = Claim(
        f"{top} wins against",
        {name: Case(pairs[top, name], 0.5) for name in others},
        opposite=f"{top} loses against",
        neither=f"{top} beats nobody clearly",
        at="",
        noun="other strategies",
    )
    facts = [
        f"{top} takes {prose.share(means[top])} of the victories over all opponents {place}; 50% would be even.",
        f"{order[1]} comes next with {prose.share(means[order[1]])}." if len(order) > 2 else "",
        f"{last} is last with {prose.share(means[last])}.",
    ]
    ranks, rows = [], []
    for name in order:
        own = {b: share for (a, b), share in pairs.items() if a == name}
        best, worst = (pick(own, key=lambda b: own[b].value) for pick in (max, min))
        ranks.append((name, means[name], best, worst))
        rows.append((name, *(own.get(b, "") for b in order)))
    columns = ("strategy", "share", "best against", "worst against")
    each = "Strategy against strategy"
    tables = [
        ResultTable(f"Share of the victories over all opponents {place}".strip(), columns, ranks, frozenset({"share"}),
                    "50% would be even; every opponent counts the same"),
        ResultTable(f"{each} {place}".strip(), ("strategy", *order), rows, frozenset(order),
                    "share of the victories of the row's ships; both have half of the seats"),
    ]  # fmt: skip
    made = [Row(name, [against(means[name], 0.5)]) for name in order]
    sub = words.sentence(f"share of the victories over all opponents {place}; {games} against each")
    wins = chart(f"ranking{number}", "Which strategy wins", sub, made, 29, high=1.0, line=0.5, line_name="even")
    sub = words.sentence(
        f"percent of the victories that the row takes from the column {place}; violet: more than half; {games} of each "
        "pair"
    )
    drawing = pairs_map(f"{each}, share of the victories in percent", "{0} {2} against {1}", order, pairs)
    keys = [KeyNumber(words.percent(means[name].value), f"of the victories go to {name}")
            for name in dict.fromkeys((top, order[1], last))]  # fmt: skip
    figures = [wins, Figure(f"opponents{number}", each, sub, drawing)]
    effect = size_of(means[top], 0.5, True)
    return Part(claim, facts, tables=tables, figures=figures, keys=keys, effect=effect)


def pairs_map(label: str, cell: str, names: list[str], shares: Mapping[Pair, Estimate]) -> Any:
    """Shares of rows against columns. The label says the first row; `cell` says row, column and percentage."""
    texts = {(a, b): f"{100 * shares[a, b].value:.0f}" for a in names for b in names if (a, b) in shares}
    lines = "; ".join(cell.format(a, b, texts[a, b]) for a, b in list(texts)[: len(names) - 1])
    return matrix(f"{label}: {lines}.", names, {pair: shares[pair].value for pair in texts}, texts)


# The board


def board(study: Study, what: str, title: str, cells: Sheet, middle: tuple[str, str], *, rounds: bool = False) -> Part:
    """Where on the board something happens, and with `rounds` when; the claim is about the space with the most of it.

    `middle` is the column whose figure stands in the middle of the map, and its words.
    """
    setting = study.reference
    played = {s.label: {space: mean for space, mean, _ in spaces.space_shares(s.played, what)}
              for s in without_random_play(comparable(study)) if s.played.of_game(what).value}  # fmt: skip
    most, _, part = spaces.space_shares(setting.played, what)[0]
    costly = sum(one.cost > 0 for one in spaces.board_of(setting)) if what == "shortages" else 0
    candidates = costly or len(spaces.board_of(setting)) - 1  # B1
    kind = spaces.KIND_WORDS[spaces.board_of(setting)[most].kind]
    claim = leading(
        played, [most], f"space {most}, a {kind}, has the most {what}", f"no space stands out for {what}",
        f"space {most} does not have the most {what}",
    ) if played else None  # fmt: skip
    share = prose.share(allowing_for(part, candidates))
    facts = [f"space {most} has {share} of all {what}; an equal share would be {1 / candidates:.1%}."] if played else []
    show = words.percent if cells.is_share(middle[0]) else words.amount
    drawn = spaces.map_figure(study, what, title, show(cells.at(middle[0]).value), middle[1])
    tables = [spaces.space_table(study, s, what) for s in cells.pair.values()]
    tables.append(spaces.round_table(study, setting, what))
    return Part(
        claim, facts, [table for table in tables if table.rows],
        [drawn, *([_by_round(study, what, cells)] if rounds else [])],
        effect=size_of(part, 1 / candidates, True), left_out=left_out_of(comparable(study)), map=drawn,
    )  # fmt: skip


def _by_round(study: Study, what: str, cells: Sheet) -> Figure:
    tables = {name: spaces.round_table(study, s, what).rows for name, s in cells.pair.items()}
    known = {name: {row[0]: row[2].value for row in rows} for name, rows in tables.items() if rows}
    peaks = {name: max(of, key=lambda n: of[n]) for name, of in known.items()}
    notes = {name: (peak, f"{words.amount(known[name][peak], 2)} in round {peak}", "middle")
             for name, peak in peaks.items()}  # fmt: skip
    sub = cells.sub(f"{what.capitalize()} in each round, per game that reached it")
    return profiles("rounds", f"{what.capitalize()} by round", sub, known, notes)

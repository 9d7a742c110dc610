"""What the 2021 rulebook says about its ghost ship, each claim as a hypothesis with an effect size and a verdict.

Differences are between games with and without the ghost ship on the same deals. Verdicts use intervals that are wider
than those shown, so that all of them together are wrong with a chance of at most 5% (Bonferroni).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from jamaica_sim.experiment.setting import Setting, label_of
from jamaica_sim.experiment.study import Study
from jamaica_sim.report import prose, words
from jamaica_sim.report.arrangement import chart_rows, has_chapter, spoken
from jamaica_sim.report.chapter import Chapter, ChapterSource, Figure, KeyNumber, games_line, turned
from jamaica_sim.report.judge import Comparison, Findings, Judge
from jamaica_sim.report.row_charts import Mark, Panel, Row, rows
from jamaica_sim.results.measures import BATTLES, GHOST_WINS, PACE, ROUNDS, SHORTAGES, Measure
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.stats.clear import ALPHA, CLEARLY
from jamaica_sim.stats.effect import cohen_h
from jamaica_sim.stats.estimate import Estimate
from jamaica_sim.stats.jackknife import jackknife

NOT_RARE = 0.1  # a share of the games that nobody would call rare: one in ten
HOLDS, SMALL_HOLDS, FAILS = "holds", "holds, but small", "does not hold"
OPPOSITE, NO_CHANGE, OPEN = "the opposite holds", "no change to speak of", "undecided"
DEPENDS = "depends on the table"


@dataclass(frozen=True)
class Saying:
    """What the rulebook says that the ghost ship changes: the measure, and whether it should rise (1) or fall (-1)."""

    words: str
    short: str
    subject: str
    measure: Measure
    direction: int


RARELY = "It is not rare that the ghost ship wins"
SAYINGS = (
    Saying("It brings more battles", "more battles", "battles", BATTLES, 1),
    Saying("It brings more turns", "more turns", "turns", ROUNDS, 1),
    Saying("It brings more shortages", "more shortages", "shortages", SHORTAGES, 1),
    Saying("It slows the game down", "a slower game", "pace", PACE, -1),
)


@dataclass(frozen=True)
class Case:
    """One saying at one table."""

    label: str
    change: Estimate
    effect: Estimate
    verdict: str


@dataclass(frozen=True)
class RuleBook(Findings):
    """The rulebook's sayings at every table that was played."""

    study: Study
    pairs: list[tuple[Setting, Setting]]  # without and with the ghost ship, few players first
    cases: dict[str, list[Case]]  # by saying
    wins: dict[str, str]  # the verdict on its wins, by table
    changes: list[Comparison]
    tables: list[ResultTable]


def standardised(saying: Saying, without: Setting, with_ghost: Setting) -> Estimate:
    """The change in standard deviations of a single game without the ghost ship, in the direction that is claimed."""
    effect = saying.measure.effect_interval(without.played, with_ghost.played)
    return effect if saying.direction > 0 else turned(effect)


def verdict_on(wide: Estimate, spread: float, direction: int) -> str:
    """The verdict on a change, from its wide interval and the standard deviation of a single game."""
    if math.isnan(wide.value):
        return OPEN
    if wide.low <= 0 <= wide.high:
        return NO_CHANGE if max(-wide.low, wide.high) < CLEARLY * spread else OPEN
    if (wide.value > 0) != (direction > 0):
        return OPPOSITE
    return HOLDS if abs(wide.value) >= CLEARLY * spread else SMALL_HOLDS


def verdict_on_win_rate(wide: Estimate) -> str:
    """Whether a win rate is surely above, or surely below, a share that nobody would call rare."""
    return HOLDS if wide.low > NOT_RARE else FAILS if wide.high < NOT_RARE else OPEN


def tests_made(study: Study) -> int:
    """How many verdicts a study asks for."""
    return len(ghost_settings(study)) + len(SAYINGS) * len(study.contrasts("ghost"))


def ghost_settings(study: Study) -> list[Setting]:
    """The settings with the ghost ship, few players first."""
    return sorted((s for s in study.settings if s.rules.ghost), key=lambda s: s.rules.players)


def contrasts(study: Study) -> list[tuple[Setting, Setting]]:
    """Pairs of settings without and with the ghost ship, few players first."""
    return sorted(study.contrasts("ghost"), key=lambda pair: pair[0].rules.players)


def short_label(study: Study, setting: Setting) -> str:
    """A setting in words, without a word about the ghost."""
    names = [name for name in study.varying if name != "ghost"]
    return label_of(setting, names or ["players"]).replace(" and ghost", "")


def find(study: Study) -> RuleBook:
    """Test each saying at every table, random play included."""
    confidence, pairs = 1 - ALPHA / tests_made(study), contrasts(study)
    wins = {}
    for setting in ghost_settings(study):
        wide = jackknife(GHOST_WINS.sums(setting.played), setting.games, confidence)
        wins[short_label(study, setting)] = verdict_on_win_rate(wide)
    cases: dict[str, list[Case]] = {}
    tables, changes = [_win_rate_table(study, wins)], []
    for saying in SAYINGS:
        measure, rows_, of_saying = saying.measure, [], []
        for without, with_ghost in pairs:
            before, after = without.played, with_ghost.played
            wide = measure.difference(before, after, confidence)
            verdict = verdict_on(wide, measure.spread(before), saying.direction)
            case = Case(short_label(study, without), measure.difference(before, after),
                        standardised(saying, without, with_ghost), verdict)  # fmt: skip
            of_saying.append(case)
            rows_.append((case.label, measure.of(before), measure.of(after), case.change, case.effect, verdict))
        cases[saying.words] = of_saying
        changes += [Comparison(case.change) for case in of_saying]
        columns = ("table", "without", "with", "difference", "effect size d", "verdict")
        note = f"{measure.column} per game; d in the direction that is claimed"
        tables.append(ResultTable(saying.words, columns, rows_, note=note))
    return RuleBook(study, pairs, cases, wins, changes, [_summary_table(tables), *tables])


def _win_rate_table(study: Study, verdicts: dict[str, str]) -> ResultTable:
    """How often the ghost ship wins, against one game in ten and against an equal share."""
    content = []
    for setting in ghost_settings(study):
        rate, even, label = GHOST_WINS.of(setting.played), 1 / setting.rules.ships, short_label(study, setting)
        content.append((label, rate, f"{even:.1%}", f"{cohen_h(rate.value, even):.2f}", verdicts[label]))
    columns = ("table", "ghost's win rate", "equal share", "effect size h", "verdict")
    note = f"not rare: at least one game in {1 / NOT_RARE:.0f}; h is against an equal share"
    return ResultTable(RARELY, columns, content, frozenset({"ghost's win rate"}), note)


def _summary_table(tables: Sequence[ResultTable]) -> ResultTable:
    """All sayings in one table: at how many tables each holds, and its overall verdict."""
    content = []
    for table in tables:
        verdicts = [row[-1] for row in table.rows]
        held = sum(verdict in (HOLDS, SMALL_HOLDS) for verdict in verdicts)
        content.append((table.title, f"{held} of {len(verdicts)}", overall(verdicts)))
    return ResultTable("The claims", ("claim", "holds at", "verdict"), content)


def overall(verdicts: Sequence[str]) -> str:
    """One verdict from the verdicts of all tables."""
    if len(set(verdicts)) == 1:
        return verdicts[0]
    good = [verdict in (HOLDS, SMALL_HOLDS) for verdict in verdicts]
    if all(good):
        return "holds, at some tables but small"
    return DEPENDS if any(good) else "not shown"


# Words


def write(book: RuleBook, judge: Judge) -> Chapter:
    """The chapter on the rulebook's claims."""
    study = book.study
    chapter = Chapter("claims", "The rulebook's claims", tables=book.tables)
    verdicts = {row[0]: row[-1] for row in book.tables[0].rows}
    chapter.headline = chapter.heading = _headline(verdicts)
    effects = [case.effect for of_saying in book.cases.values() for case in of_saying]
    clear = [judge.is_clear(change) for change in book.changes]
    chapter.effect = max((abs(e.value) for e, is_clear in zip(effects, clear, strict=True) if is_clear), default=0.0)
    chapter.say("The 2021 rulebook says that it is not rare for the ghost ship to win.", _rarity(book))
    for saying in SAYINGS:
        chapter.say(both_ends(saying, book.cases[saying.words], verdicts[saying.words]))
    chapter.say(
        f"An effect below {CLEARLY} standard deviations of a single game is called small. The verdicts allow for all "
        f"{tests_made(study)} tests at once."
    )
    chart = chart_rows(study, "Battles per game", BATTLES.of, settings=study.uniform())
    sub = f"Mean per game, without and with the ghost; {games_line(study.uniform())}"
    chapter.hero = _effects_figure(book)
    chapter.figures = [chapter.hero, Figure("battles", "Battles at each table", sub, chart)]
    if not has_chapter(study, "ghost"):
        chapter.figures.append(wins_chart(study, ghost_settings(study), "rare"))
    _first_screen(book, chapter, verdicts)
    return chapter


def _headline(verdicts: dict[str, str]) -> str:
    """A headline with the claims that clearly hold at every table, or else those that do not."""
    subjects = {saying.words: saying.subject for saying in SAYINGS} | {RARELY: "wins"}
    right = [subjects[saying] for saying, verdict in verdicts.items() if verdict == HOLDS]
    wrong = [subjects[saying] for saying, verdict in verdicts.items() if verdict in (OPPOSITE, FAILS)]
    if len(right) == len(verdicts):
        return "The rulebook is right about its ghost ship"
    if right:
        return f"The rulebook is right about the {words.listed(right)}, and little else"
    if wrong:
        return f"The rulebook is wrong about the {words.listed(wrong)}"
    return "What the rulebook says of its ghost ship depends on the table"


def _rarity(book: RuleBook) -> str:
    """At which tables it is not rare that the ghost ship wins."""
    start = f"Take not rare as one game in {words.number(round(1 / NOT_RARE))}, and it"
    held = [label for label, verdict in book.wins.items() if verdict == HOLDS]
    close = [label for label, verdict in book.wins.items() if verdict == OPEN]
    count = f"{words.number(len(held))} of {words.number(len(book.wins))} tables"
    where = "holds nowhere"
    if held:
        where = "holds at every table" if len(held) == len(book.wins) else f"holds at {count}: {'; '.join(held)}"
    too_close = f". Too close to call: {'; '.join(close)}" if close else ""
    return f"{start} {where}{too_close}."


def both_ends(saying: Saying, cases: Sequence[Case], verdict: str) -> str:
    """A saying's verdict with the least and the largest change of all tables."""
    in_order = sorted(cases, key=lambda case: case.change.value * saying.direction)
    least, most = in_order[0], in_order[-1]
    column = saying.measure.column
    unit = "rounds" if saying.measure is ROUNDS else column if "round" in column else f"{column} a game"
    held = sum(case.verdict in (HOLDS, SMALL_HOLDS) for case in cases)
    count = f" (holds at {words.number(held) if held else 'none'} of {words.number(len(cases))} tables)"
    if held == len(cases) or len(cases) == 1:
        count = ""
    ends = f"from {prose.change(least.change)} ({least.label}) to {prose.change(most.change)} ({most.label})"
    if len(cases) == 1:
        ends = prose.change(most.change)
    return f"{saying.words}: {verdict}{count}; {ends} {unit}."


def _effects_figure(book: RuleBook) -> Figure:
    made = []
    for saying in SAYINGS:
        cases = sorted(book.cases[saying.words], key=lambda case: case.effect.value)
        marks = []
        for case in cases:
            text = words.amount(case.effect.value, 2) if case in (cases[0], cases[-1]) else ""
            marks.append(Mark(case.effect.value, text, title=f"{case.label}: {prose.whole(case.effect)}"))
        made.append(Row(saying.short.capitalize(), marks))
    made.sort(key=lambda row: -row.marks[-1].value)
    label = f"Effect sizes of the rulebook's claims: {spoken([('', made)])}"
    panel = Panel("", made, line=CLEARLY, line_name=f"below {CLEARLY} one hardly notices", dashed=True)
    sub = (
        f"Standard deviations of a single game, to the right as the rulebook says; "
        f"{words.number(len(book.pairs))} tables, {games_line([book.study.reference])} each"
    )
    return Figure("claims", "What the ghost changes, as the rulebook says", sub, rows(label, [panel]))


def wins_chart(study: Study, settings: list[Setting], name: str) -> Figure:
    """How often the ghost ship wins at each table."""
    drawing = chart_rows(
        study, "How often the ghost ship wins", GHOST_WINS.of, True, settings, line=NOT_RARE, line_name="one in ten",
        dashed=True, bridge=False,
    )  # fmt: skip
    hollow = "; hollow: 2007 rules" if len({s.rules.edition for s in settings}) > 1 else ""
    return Figure(name, "How often the ghost wins", f"Share of the games; {games_line(settings)}{hollow}", drawing)


def _first_screen(book: RuleBook, chapter: Chapter, verdicts: dict[str, str]) -> None:
    without, with_ghost = next((p for p in book.pairs if book.study.reference in p), book.pairs[0])
    verb = words.times(BATTLES.of(with_ghost.played).value / BATTLES.of(without.played).value)
    players = words.number(without.rules.players)
    who = f" of {without.strategies[0].name}" if "line_up" in book.study.varying and not without.is_mixed else ""
    small = [saying for saying in SAYINGS if verdicts[saying.words] != HOLDS]
    chapter.standfirst = [
        f"With {players} players{who} the ghost {verb} the battles." if verb else "",
        *(f"{words.sentence(saying.short)}: {verdicts[saying.words]}." for saying in small),
        f"That it is not rare for it to win: {verdicts[RARELY]}.",
    ]
    held = {row[0]: row[1] for row in book.tables[0].rows}
    shorts = {SAYINGS[0].words: SAYINGS[0].short, RARELY: "wins that are not rare"}
    shorts |= {saying.words: saying.short for saying in SAYINGS}
    chapter.keys = [
        KeyNumber(held[saying], f"tables have {short}", strong=verdicts[saying] == HOLDS)
        for saying, short in shorts.items()
    ]


CHAPTERS = {"claims": ChapterSource(find, write, lambda study: bool(study.contrasts("ghost")))}

"""What the 2021 rulebook says about its ghost ship, each claim tested at every table that was played.

Differences are between games with and without the ghost ship on the same deals.
"""

from dataclasses import dataclass

from jamaica_sim.charts.row_charts import Mark, Panel, Row
from jamaica_sim.experiment.setting import LINE_UP, Setting, label_of
from jamaica_sim.experiment.study import Study
from jamaica_sim.report import prose, words
from jamaica_sim.report.arrangement import chart, mark_of
from jamaica_sim.report.chapter import Chapter, ChapterSource, Figure, KeyNumber, games_line, turned
from jamaica_sim.report.judge import HOLDS, PARTLY, Claim, Comparison, Findings, Judge, Verdict
from jamaica_sim.results.measures import BATTLES, GHOST_WINS, PACE, ROUNDS, SHORTAGES, Measure
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.stats.clear import CLEARLY
from jamaica_sim.stats.effect import cohen_h
from jamaica_sim.stats.estimate import Estimate

NOT_RARE = 0.1  # a share of the games that nobody would call rare: one in ten
RARELY = "It is not rare that the ghost ship wins"
HARDLY = ", but too little to notice"


@dataclass(frozen=True)
class Saying:
    """What the rulebook says that the ghost ship changes: the measure, and whether it should rise (1) or fall (-1)."""

    words: str
    short: str
    subject: str
    measure: Measure
    direction: int

    @property
    def unit(self) -> str:
        """What a difference counts."""
        column = self.measure.column
        return "rounds" if self.measure is ROUNDS else column if "round" in column else f"{column} a game"


SAYINGS = (
    Saying("It brings more battles", "more battles", "battles", BATTLES, 1),
    Saying("It brings more turns", "more turns", "turns", ROUNDS, 1),
    Saying("It brings more shortages", "more shortages", "shortages", SHORTAGES, 1),
    Saying("It slows the game down", "a slower game", "pace", PACE, -1),
)


@dataclass(frozen=True)
class Tested(Findings):
    """One saying at every table."""

    saying: Saying
    claim: Claim
    before: dict[str, Estimate]
    after: dict[str, Estimate]
    effects: dict[str, Estimate]  # in standard deviations of a game without the ghost, in the claimed direction

    def is_noticed(self, verdict: Verdict) -> bool:
        """Whether it is large enough to notice at every table where it holds."""
        return bool(verdict.holds) and all(self.effects[name].value >= CLEARLY for name in verdict.holds)


@dataclass(frozen=True)
class RuleBook(Findings):
    """The rulebook's sayings at every table that was played, random play included."""

    wins: Claim
    even: dict[str, float]  # an equal share of the wins, by table
    tested: list[Tested]
    reference: str  # the table that stands for all
    where: str  # that table in words
    games: str


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
    """Compare all measures with and without the ghost, and its wins with one game in ten."""
    settings, pairs = {short_label(study, s): s for s in ghost_settings(study)}, contrasts(study)
    wins = {label: Comparison(GHOST_WINS.of(s.played), NOT_RARE) for label, s in settings.items()}
    tested = []
    for saying in SAYINGS:
        played = {short_label(study, a): (a.played, b.played) for a, b in pairs}
        cases = {label: Comparison(saying.measure.difference(*two)) for label, two in played.items()}
        effects = {label: saying.measure.effect_interval(*two) for label, two in played.items()}
        tested.append(
            Tested(
                saying,
                Claim(saying.words, cases, saying.direction),
                {label: saying.measure.of(without) for label, (without, _) in played.items()},
                {label: saying.measure.of(with_ghost) for label, (_, with_ghost) in played.items()},
                {label: e if saying.direction > 0 else turned(e) for label, e in effects.items()},
            )
        )
    reference = next((a for a, b in pairs if study.reference in (a, b)), pairs[0][0])
    who = f", all {reference.strategies[0].name}," if LINE_UP in study.varying else ""
    return RuleBook(
        Claim(RARELY, wins),
        {label: 1 / s.rules.ships for label, s in settings.items()},
        tested,
        short_label(study, reference),
        f"{words.number(reference.rules.players)} players{who}",
        games_line([study.reference]),
    )


def write(book: RuleBook, judge: Judge) -> Chapter:
    """The chapter on the rulebook's claims."""
    rare = judge.verdict(book.wins)
    verdicts = [(tested, judge.verdict(tested.claim)) for tested in book.tested]
    claims = [book.wins, *(tested.claim for tested in book.tested)]
    chapter = Chapter("claims", "The rulebook's claims", claims=claims)
    chapter.headline = chapter.heading = _headline(rare, verdicts)
    clear = [abs(t.effects[name].value) for t, verdict in verdicts for name in (*verdict.holds, *verdict.fails)]
    chapter.effect = max(clear, default=0.0)
    chapter.say("The 2021 rulebook says that it is not rare for the ghost ship to win.", _rarity(rare))
    for tested, verdict in verdicts:
        chapter.say(_both_ends(tested, verdict))
    chapter.say(f"A change by less than {CLEARLY} standard deviations of a single game is too little to notice.")
    chapter.hero = _effects_figure(book)
    chapter.figures = [chapter.hero, _wins_figure(book)]
    chapter.tables = [_summary(rare, verdicts), _win_table(book, rare), *(_table(t, v) for t, v in verdicts)]
    battles = book.tested[0]
    verb = words.times(battles.after[book.reference].value / battles.before[book.reference].value)
    chapter.standfirst = [
        f"With {book.where} the ghost {verb} the battles." if verb else "",
        *(f"{tested.saying.short}: {_short(tested, verdict)}." for tested, verdict in verdicts),
        f"That it is not rare for it to win: {_held(rare)}.",
    ]
    chapter.keys = [
        KeyNumber(f"{len(verdict.holds)} of {len(verdict.claim.cases)}", f"tables have {short}", verdict.kind == HOLDS)
        for short, verdict in [*((t.saying.short, v) for t, v in verdicts), ("wins that are not rare", rare)]
    ]
    return chapter


# Words


def _held(verdict: Verdict) -> str:
    """The verdict with the number of tables at which the claim holds."""
    if verdict.kind in (HOLDS, PARTLY):
        return f"holds {verdict.count()}".strip()
    return verdict.kind


def _short(tested: Tested, verdict: Verdict) -> str:
    return f"{_held(verdict)}{HARDLY if verdict.holds and not tested.is_noticed(verdict) else ''}"


def _headline(rare: Verdict, verdicts: list[tuple[Tested, Verdict]]) -> str:
    """A headline with the claims that hold at every table, large enough to notice, or else those that fail."""
    right = [t.saying.subject for t, verdict in verdicts if verdict.kind == HOLDS and t.is_noticed(verdict)]
    wrong = [t.saying.subject for t, verdict in verdicts if len(verdict.fails) == len(verdict.claim.cases)]
    for subjects, is_so in ((right, rare.kind == HOLDS), (wrong, len(rare.fails) == len(rare.claim.cases))):
        subjects += ["wins"] if is_so else []
    if len(right) == len(verdicts) + 1:
        return "The rulebook is right about its ghost ship"
    if right:
        return f"The rulebook is right about the {words.listed(right)}, and little else"
    if wrong:
        return f"The rulebook is wrong about the {words.listed(wrong)}"
    return "What the rulebook says of its ghost ship depends on the table"


def _rarity(rare: Verdict) -> str:
    """At which tables it is not rare that the ghost ship wins."""
    where = "holds nowhere"
    if rare.holds:
        named = f": {'; '.join(rare.holds)}" if rare.kind == PARTLY else ""
        where = f"holds {rare.count()}{named}"
    close = f". Too close to call: {'; '.join(rare.open)}" if rare.open else ""
    return f"Take not rare as one game in {words.number(round(1 / NOT_RARE))}, and it {where}{close}."


def _both_ends(tested: Tested, verdict: Verdict) -> str:
    """A saying's verdict with the least and the largest change of all tables."""
    saying, cases = tested.saying, tested.claim.cases
    order = sorted(cases, key=lambda name: cases[name].estimate.value * saying.direction)
    ends = [f"{prose.change(cases[name].estimate)} ({name})" for name in (order[0], order[-1])]
    span = f"from {ends[0]} to {ends[1]}" if len(cases) > 1 else prose.change(cases[order[0]].estimate)
    return f"{saying.words}: {_short(tested, verdict)}; {span} {saying.unit}."


# Tables and figures


def _verdict_at(name: str, verdict: Verdict) -> str:
    return "holds" if name in verdict.holds else "the opposite holds" if name in verdict.fails else "too close to call"


def _summary(rare: Verdict, verdicts: list[tuple[Tested, Verdict]]) -> ResultTable:
    content = [(RARELY, f"{len(rare.holds)} of {len(rare.claim.cases)}", _held(rare))]
    content += [
        (t.saying.words, f"{len(verdict.holds)} of {len(verdict.claim.cases)}", _short(t, verdict))
        for t, verdict in verdicts
    ]
    return ResultTable("The claims", ("claim", "holds at", "verdict"), content)


def _win_table(book: RuleBook, rare: Verdict) -> ResultTable:
    """How often the ghost ship wins, against one game in ten and against an equal share."""
    content = []
    for label, case in book.wins.cases.items():
        even = book.even[label]
        effect = f"{cohen_h(case.estimate.value, even):.2f}"
        content.append((label, case.estimate, f"{even:.1%}", effect, _verdict_at(label, rare)))
    columns = ("table", "ghost's win rate", "equal share", "effect size h", "verdict")
    note = f"not rare: at least one game in {1 / NOT_RARE:.0f}; h is against an equal share"
    return ResultTable(RARELY, columns, content, frozenset({"ghost's win rate"}), note)


def _table(tested: Tested, verdict: Verdict) -> ResultTable:
    content = [
        (name, tested.before[name], tested.after[name], case.estimate, tested.effects[name], _verdict_at(name, verdict))
        for name, case in tested.claim.cases.items()
    ]
    columns = ("table", "without", "with", "difference", "effect size d", "verdict")
    note = f"{tested.saying.measure.column} per game; d in the direction that is claimed"
    return ResultTable(tested.saying.words, columns, content, note=note)


def _effects_figure(book: RuleBook) -> Figure:
    made = []
    for tested in book.tested:
        effects = sorted(tested.effects.items(), key=lambda item: item[1].value)
        ends = effects[0], effects[-1]
        marks = [
            Mark(e.value, words.amount(e.value, 2) if (name, e) in ends else "", title=f"{name}: {prose.whole(e)}")
            for name, e in effects
        ]
        made.append(Row(tested.saying.short.capitalize(), marks))
    made.sort(key=lambda row: -row.marks[-1].value)
    panel = Panel("", made, line=CLEARLY, line_name=f"below {CLEARLY} one hardly notices", dashed=True)
    tables = len(book.tested[0].claim.cases)
    sub = (
        f"Standard deviations of a single game, to the right as the rulebook says; {words.number(tables)} "
        f"table{'s' * (tables > 1)}, {book.games}"
    )
    return chart("claims", "What the ghost changes, as the rulebook says", sub, [panel])


def _wins_figure(book: RuleBook) -> Figure:
    made = [Row(name, [mark_of(case.estimate, True)]) for name, case in book.wins.cases.items()]
    panel = Panel("", made, line=NOT_RARE, line_name="one in ten", dashed=True)
    return chart("rare", "How often the ghost wins", f"Share of the games; {book.games}", [panel])


CHAPTERS = {"claims": ChapterSource(find, write, lambda study: bool(study.contrasts("ghost")))}

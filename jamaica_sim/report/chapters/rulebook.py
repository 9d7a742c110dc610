"""What the 2021 rulebook says about its ghost ship, each claim tested at every table that was played.

Differences are between games with and without the ghost ship on the same deals.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from jamaica_sim.charts.row_charts import Mark, Row
from jamaica_sim.experiment.setting import LINE_UP, Setting, label_of
from jamaica_sim.experiment.study import Study
from jamaica_sim.report import prose, words
from jamaica_sim.report.chapter import Chapter, ChapterSource, Figure, KeyNumber, games_line
from jamaica_sim.report.figures import chart, mark_of
from jamaica_sim.report.judge import HOLDS, PARTLY, Claim, Comparison, Findings, Judge, Verdict
from jamaica_sim.results.measures import BATTLES, GHOST_WINS, PACE, ROUNDS, SHORTAGES, Measure
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.stats.clear import CLEARLY
from jamaica_sim.stats.effect import cohen_h

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


class Tested(Findings):
    """One saying at every table."""

    def __init__(self, study: Study, saying: Saying):
        self.saying, measure = saying, saying.measure
        played = {short_label(study, a): (a.played, b.played) for a, b in contrasts(study)}
        cases = {label: Comparison(measure.difference(*two)) for label, two in played.items()}
        self.claim = Claim(saying.words, cases, saying.direction)
        self.before = {label: measure.of(without) for label, (without, _) in played.items()}
        self.after = {label: measure.of(with_ghost) for label, (_, with_ghost) in played.items()}
        # in standard deviations of a game without the ghost, in the claimed direction
        self.effects = {label: measure.effect_interval(*two).scaled(saying.direction) for label, two in played.items()}

    def short(self, verdict: Verdict) -> str:
        """Where it holds, and whether anybody would notice."""
        return f"{_where_it_holds(verdict)}{HARDLY if verdict.holds and not self.is_noticed(verdict) else ''}"

    def is_noticed(self, verdict: Verdict) -> bool:
        """Whether it is large enough to notice at every table where it holds."""
        return bool(verdict.holds) and all(self.effects[name].value >= CLEARLY for name in verdict.holds)

    def sentence(self, verdict: Verdict) -> str:
        """The verdict with the least and the largest change of all tables."""
        saying, cases = self.saying, self.claim.cases
        order = sorted(cases, key=lambda name: cases[name].estimate.value * saying.direction)
        both = [(name, cases[name].estimate) for name in (order[0], order[-1])]
        decimals = min(prose.decimals_for(e) for _, e in both)  # so that the smaller one does not look larger
        ends = [f"{prose.change(e, decimals=decimals)} ({name})" for name, e in both]
        span = f" {'and' if len(cases) == 2 else 'to'} ".join(dict.fromkeys(ends))
        return f"{saying.words}: {self.short(verdict)}; the ghost's effect is {span} {saying.unit}."

    def table(self, verdict: Verdict) -> ResultTable:
        """All tables."""
        content = [
            (name, self.before[name], self.after[name], case.estimate, self.effects[name], _verdict_at(name, verdict))
            for name, case in self.claim.cases.items()
        ]
        columns = ("table", "without", "with", "difference", "effect size d", "verdict")
        note = f"{self.saying.unit}; d in the direction that is claimed"
        return ResultTable(self.saying.words, columns, content, note=note)


class RuleBook(Findings):
    """The rulebook's sayings at every table that was played, random play included; its wins against one in ten."""

    def __init__(self, study: Study):
        settings, pairs = {short_label(study, s): s for s in ghost_settings(study)}, contrasts(study)
        self.wins = Claim(RARELY, {name: Comparison(GHOST_WINS.of(s.played), NOT_RARE) for name, s in settings.items()})
        self.even = {name: 1 / s.rules.ships for name, s in settings.items()}  # an equal share of the wins
        self.tested = [Tested(study, saying) for saying in SAYINGS]
        reference = next((a for a, b in pairs if study.reference in (a, b)), pairs[0][0])
        self.reference = short_label(study, reference)  # the table that stands for all
        who = f", all {reference.strategies[0].name}," if LINE_UP in study.varying else ""
        self.where = f"{words.number(reference.rules.players)} players{who}"
        self.games = games_line(ghost_settings(study))

    def write(self, judge: Judge) -> Chapter:
        """The chapter on the rulebook's claims."""
        rare = judge.verdict(self.wins)
        verdicts = [(tested, judge.verdict(tested.claim)) for tested in self.tested]
        claims = [self.wins, *(tested.claim for tested in self.tested)]
        chapter = Chapter("claims", "The rulebook's claims", claims=claims)
        chapter.headline = chapter.heading = _headline(rare, verdicts)
        clear = [abs(t.effects[name].value) for t, verdict in verdicts for name in (*verdict.holds, *verdict.fails)]
        chapter.effect = max(clear, default=0.0)
        chapter.say("The 2021 rulebook says that it is not rare for the ghost ship to win.", _rarity(rare))
        for tested, verdict in verdicts:
            chapter.say(tested.sentence(verdict))
        chapter.say(f"A change by less than {CLEARLY} standard deviations of a single game is too little to notice.")
        made = [Row(name, [mark_of(case.estimate, True)]) for name, case in self.wins.cases.items()]
        title, line = "How often the ghost wins", "one in ten"
        sub = f"Share of the games; {self.games}"
        rates = chart("rare", title, sub, made, line=NOT_RARE, line_name=line, dashed=True)
        chapter.figures = [self._effects_figure(), rates]
        summary = [(RARELY, rare, _where_it_holds(rare)), *((t.saying.words, v, t.short(v)) for t, v in verdicts)]
        content = [(says, f"{len(v.holds)} of {len(v.claim.cases)}", short) for says, v, short in summary]
        chapter.tables = [
            ResultTable("The claims", ("claim", "holds at", "verdict"), content),
            self._win_table(rare),
            *(tested.table(verdict) for tested, verdict in verdicts),
        ]
        battles = self.tested[0]
        verb = words.times(battles.after[self.reference].value / battles.before[self.reference].value)
        chapter.standfirst = [
            f"With {self.where} the ghost {verb} the battles." if verb else "",
            *_together([(tested.saying.short, tested.short(verdict)) for tested, verdict in verdicts]),
            f"That it is not rare for it to win: {_where_it_holds(rare)}.",
        ]
        chapter.keys = [
            KeyNumber(f"{len(v.holds)} of {len(v.claim.cases)}", f"tables have {short}", v.kind == HOLDS)
            for short, v in [*((t.saying.short, v) for t, v in verdicts), ("wins that are not rare", rare)]
        ]
        return chapter

    def _win_table(self, rare: Verdict) -> ResultTable:
        """How often the ghost ship wins, against one game in ten and against an equal share."""
        content = []
        for label, case in self.wins.cases.items():
            even = self.even[label]
            effect = f"{cohen_h(case.estimate.value, even):.2f}"
            content.append((label, case.estimate, f"{even:.1%}", effect, _verdict_at(label, rare)))
        columns = ("table", "ghost's win rate", "equal share", "effect size h", "verdict")
        note = f"not rare: at least one game in {1 / NOT_RARE:.0f}; h is against an equal share"
        return ResultTable(RARELY, columns, content, frozenset({"ghost's win rate"}), note)

    def _effects_figure(self) -> Figure:
        made = []
        for tested in self.tested:
            effects = sorted(tested.effects.items(), key=lambda item: item[1].value)
            ends = effects[0], effects[-1]
            marks = [
                Mark(e.value, words.amount(e.value, 2) if (name, e) in ends else "", title=f"{name}: {prose.whole(e)}")
                for name, e in effects
            ]
            made.append(Row(tested.saying.short.capitalize(), marks))
        made.sort(key=lambda row: -row.marks[-1].value)
        tables = len(self.tested[0].claim.cases)
        sub = (
            f"Standard deviations of a single game, to the right as the rulebook says; {words.number(tables)} "
            f"table{'s' * (tables > 1)}, {self.games}"
        )
        title, line = "What the ghost changes, as the rulebook says", f"below {CLEARLY} one hardly notices"
        return chart("claims", title, sub, made, line=CLEARLY, line_name=line, dashed=True)


# Words


def _where_it_holds(verdict: Verdict) -> str:
    """The verdict with the number of tables at which the claim holds."""
    return f"holds {verdict.count()}".strip() if verdict.kind in (HOLDS, PARTLY) else verdict.kind


def _together(judged: Sequence[tuple[str, str]]) -> list[str]:
    """Claims with their verdicts, a sentence for all that have the same one."""
    alike: dict[str, list[str]] = {}
    for claim, verdict in judged:
        alike.setdefault(verdict, []).append(claim)
    return [f"{words.listed(claims)}: {'each ' * (len(claims) > 1)}{verdict}." for verdict, claims in alike.items()]


def _verdict_at(name: str, verdict: Verdict) -> str:
    return "holds" if name in verdict.holds else "the opposite holds" if name in verdict.fails else "too close to call"


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
    return f"If that means one game in {words.number(round(1 / NOT_RARE))}, it {where}{close}."


CHAPTERS = {"claims": ChapterSource(RuleBook, RuleBook.write, lambda study: bool(study.contrasts("ghost")))}

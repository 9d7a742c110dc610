"""The ghost ship: how often it wins, where it ends, what it takes."""

from collections.abc import Sequence
from functools import partial
from typing import TypeVar

from jamaica_sim.charts.row_charts import Panel, Row
from jamaica_sim.codes import LOOT_KINDS
from jamaica_sim.components import red_line
from jamaica_sim.experiment.setting import LINE_UP, Setting
from jamaica_sim.experiment.study import Study
from jamaica_sim.report import prose, words
from jamaica_sim.report.arrangement import left_out_of, thinking
from jamaica_sim.report.chapter import Chapter, ChapterSource, Figure, KeyNumber, Read, games_line, rate_of
from jamaica_sim.report.chapters.battles import LOOT_WORDS
from jamaica_sim.report.chapters.race import ENDS
from jamaica_sim.report.chapters.rulebook import contrasts, ghost_settings, short_label
from jamaica_sim.report.figures import mark_of, panels_chart
from jamaica_sim.report.judge import HOLDS, Claim, Comparison, Findings, Judge
from jamaica_sim.report.sheet import MASTER, quantity
from jamaica_sim.results.measures import BATTLES, GHOST_SHIP, GHOST_WINS, Floats
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.results.results import Results
from jamaica_sim.stats.effect import cohen_h
from jamaica_sim.stats.estimate import Estimate, proportion_interval

NEAR = (LINE_UP, "edition", "players")
PICKS_FIGHTS = 1.4  # times as many battles, and at least half of the new ones begun by the ghost


def of_ghost(quantity: str) -> Read:
    """A column: a quantity of the ghost ship."""
    return lambda results: results.of_ships("group", results.table.groups.index(GHOST_SHIP), quantity)


def share_of_ends(which: int, results: Results) -> Estimate:
    """The share of the games in which the ghost ship ends at this one of `ENDS`."""
    behind, circuit, home = results.tally["final_spaces"][results.table.rules.players]
    line = red_line.first_beyond(results.table.rules.components.board)
    counts = (home.sum(), circuit[line:].sum(), behind.sum() + circuit[:line].sum())
    return proportion_interval(int(counts[which]), results.games)


def _battles_won(results: Results) -> Floats:
    return rate_of(results.sums.group(GHOST_SHIP, "battles"), results.sums.group(GHOST_SHIP, "battles_won"))


def _loot(kind: int) -> Read:
    return lambda results: results.of_row("loot", results.table.rules.players, kind)


WINS: dict[str, Read] = {
    "win rate": GHOST_WINS.of,
    "score": of_ghost("score"),
    "position": of_ghost("position_points"),
    "gold": of_ghost("gold"),
    "treasures": of_ghost("treasure_points"),
    "treasures taken": of_ghost("treasures_taken"),
}
PLACES: dict[str, Read] = {word: partial(share_of_ends, which) for which, word in enumerate(ENDS)}
BATTLE: dict[str, Read] = {
    "battles": of_ghost("battles"),
    "attacks": of_ghost("attacks"),
    "battles won": quantity(_battles_won).of,
    # The ghost gives nothing away (G6).
    **{word: _loot(kind) for kind, word in enumerate(LOOT_WORDS) if LOOT_KINDS[kind] != "give"},
}
NUMBERS = (
    ("The ghost ship's wins", WINS, ("win rate",), "win rate and points per game"),
    ("Where the ghost ship is at the end", PLACES, ENDS, "share of the games"),
    ("What the ghost ship does in battle", BATTLE, ("battles won",), "times per game: its battles, those that it "
     "began, and what it took"),
)  # fmt: skip


class Voyage(Findings):
    """What the ghost ship does at one table."""

    def __init__(self, study: Study, setting: Setting):
        self.label = short_label(study, setting)
        self.players, self.who = setting.rules.players, str(setting.factors[LINE_UP])
        self.near = _nearness(study, setting)
        # in the order of `NUMBERS`
        self.numbers = [{word: read(setting.played) for word, read in columns.items()} for _, columns, _, _ in NUMBERS]
        self.wins = self.numbers[0]["win rate"]
        self.even = 1 / (self.players + 1)  # an equal share of the wins


class Contrast(Findings):
    """The same table without the ghost ship and with it: its battles."""

    def __init__(self, study: Study, without: Setting, with_ghost: Setting):
        a, b = without.played, with_ghost.played
        self.players, self.near = without.rules.players, _nearness(study, without)
        self.without, self.with_ghost = BATTLES.of(a), BATTLES.of(b)
        self.more = Comparison(BATTLES.difference(a, b))
        self.begun = BATTLE["attacks"](b)  # by the ghost

    def is_picking_fights(self) -> bool:
        """Whether it brings many more battles and begins half of the new ones or more."""
        more = self.with_ghost.value >= PICKS_FIGHTS * self.without.value
        return more and self.begun.value >= 0.5 * self.more.estimate.value


Table = TypeVar("Table", Voyage, Contrast)


def _nearness(study: Study, setting: Setting) -> int:
    """In how many of `NEAR` a table is like the reference."""
    return sum(setting.factors[name] == study.reference.factors[name] for name in NEAR)


def _nearest(tables: Sequence[Table]) -> dict[int, Table]:
    """By number of players: the table nearest to the reference."""
    nearest: dict[int, Table] = {}
    for one in tables:
        if one.players not in nearest or one.near > nearest[one.players].near:
            nearest[one.players] = one
    return nearest


class Ghost(Findings):
    """What the games show about the ghost ship: its wins, ends and booty."""

    def __init__(self, study: Study):
        settings = ghost_settings(study)
        planned = thinking(settings)
        rates = {short_label(study, s): (GHOST_WINS.of(s.played), 1 / s.rules.ships) for s in planned}
        below = {name: Comparison(rate, even) for name, (rate, even) in rates.items()}
        # fewer than one game in ten, and less than half of an equal share
        seldom = {name: Comparison(rate, min(words.SELDOM, even / 2)) for name, (rate, even) in rates.items()}
        self.voyages = [Voyage(study, s) for s in settings]  # few players first
        self.pairs = [Contrast(study, a, b) for a, b in contrasts(study) if b in planned]
        self.below_share = Claim("the ghost ship wins less than its share", below, -1)
        self.seldom = Claim("the ghost ship seldom wins", seldom, -1)
        self.left_out = left_out_of(settings)
        self.sub = f"Means of {games_line(settings)}, {study.reference.rules.edition} rules"
        self.line = list(
            _nearest(self.voyages).values()
        )  # for each number of players the table nearest to the reference

    def write(self, judge: Judge) -> Chapter:
        """The chapter on the ghost ship."""
        wins = self._wins_words(judge)
        chapter = Chapter("ghost", "The ghost ship", f"It {wins}", claims=[self.below_share, self.seldom])
        clear = [one for one in self.below_share.cases.values() if judge.is_clear(one)]
        chapter.effect = max((abs(cohen_h(one.estimate.value, one.null)) for one in clear), default=0.0)
        self._write_wins(judge, chapter)
        few = self.line[0]
        score, _, fights = few.numbers
        chapter.say(
            f"with {words.number(few.players)} players its gold is worth {prose.mean(score['gold'])} points at the "
            f"end, its place on the board {prose.mean(score['position'])}; it fights {prose.mean(fights['battles'])} "
            f"battles a game, begins {prose.mean(fights['attacks'])} of them, and wins "
            f"{prose.share(fights['battles won'])}.",
        )
        chapter.figures = [self._figure()]
        for n, (title, columns, shares, note) in enumerate(NUMBERS):
            content = [(voyage.label, *voyage.numbers[n].values()) for voyage in self.voyages]
            chapter.tables.append(ResultTable(title, ("table", *columns), content, frozenset(shares), note))
        picks = self.pairs and all(pair.is_picking_fights() and judge.is_above(pair.more) for pair in self.pairs)
        chapter.headline = f"The ghost ship {'picks fights but ' if picks else ''}{wins}"
        chapter.standfirst = self._standfirst()
        chapter.keys = self._keys()
        return chapter

    def _wins_words(self, judge: Judge) -> str:
        """How often it wins: a word that is true at every table, or with its scope."""
        seldom = judge.verdict(self.seldom)
        if seldom.kind == HOLDS:
            rates = [one.estimate.value for one in self.seldom.cases.values()]
            often = "never" if not any(rates) else "hardly ever" if max(rates) < words.HARDLY_EVER else "seldom"
            return f"{often} wins"
        players = {v.label: v.players for v in self.voyages if v.label in self.seldom.cases}
        fewest, most = max(players[name] for name in (*seldom.fails, *seldom.open)) + 1, max(players.values())
        if most >= fewest:
            return f"seldom wins with {words.number(fewest)} players{' or more' if most > fewest else ''}"
        below = judge.verdict(self.below_share)
        if below.kind == HOLDS:
            return f"wins less than its share {below.count()}".strip()
        return f"wins less than its share {below.scope()}" if below.holds else "wins no less than its share"

    def _write_wins(self, judge: Judge, chapter: Chapter) -> None:
        few, many = self.line[0], self.line[-1]
        seldom, end, players = judge.verdict(self.seldom), few.numbers[1], words.number(few.players)
        chapter.say(
            f"with {players} players it wins {prose.share(few.wins)} of the games, where {few.even:.1%} would be an "
            "equal share.",
            f"with {words.number(many.players)} it wins {prose.share(many.wins)}; an equal share is {many.even:.1%}."
            if many is not few
            else "",
            f"it seldom wins {seldom.scope()}: fewer than one game in ten, and less than half of an equal share"
            f"{self.left_out}."
            if len(seldom.claim.cases) > 1
            else "",
            *self._among_others(),
            f"it comes home in {prose.share(end[ENDS[0]])} of the games with {players} players, and in "
            f"{prose.share(end[ENDS[2]])} it is not even past the red line.",
        )

    def _among_others(self) -> list[str]:
        """How often it wins where all play something else than at the reference table."""
        sentences = []
        for who in dict.fromkeys(v.who for v in self.voyages if v.who != self.line[0].who):
            line = list(_nearest([v for v in self.voyages if v.who == who]).values())
            ends = dict.fromkeys((line[0], line[-1]))
            rates = [f"{prose.share(v.wins)} with {words.number(v.players)}" for v in ends]
            among = "among masters" if who == MASTER else f"where all play {who}"
            sentences.append(f"{among} it wins {words.listed(rates)} players.")
        return sentences

    def _standfirst(self) -> list[str]:
        sentences, pairs = [], _nearest(self.pairs)
        if pairs:
            added = [words.amount(end(pair.more.estimate.value for pair in pairs.values())) for end in (min, max)]
            numbers = [words.number(n) for n in pairs]
            where = numbers[0] if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]}"
            sentences.append(f"It adds {' to '.join(dict.fromkeys(added))} battles to a game of {where} players.")
        often = [
            f"{words.one_game_in(v.wins.value) or words.percent(v.wins.value) + ' of the games'} with "
            f"{words.number(v.players)} players"
            for v in dict.fromkeys((self.line[-1], self.line[0]))
        ]
        sentences.append(f"It wins {words.listed(often)}.")
        return sentences + [s for s in self._among_others() if s.startswith("among masters")]

    def _keys(self) -> list[KeyNumber]:
        keys = []
        if reference := max(self.pairs, key=lambda pair: pair.near, default=None):
            more, less = (words.amount(e.value) for e in (reference.with_ghost, reference.without))
            text = f"battles a game with {words.number(reference.players)} players: {more} instead of {less}"
            keys.append(KeyNumber(words.signed(reference.more.estimate.value), text))
        for voyage in dict.fromkeys((self.line[0], self.line[-1])):
            rate, equal = voyage.wins.value, f"an equal share is 1 in {voyage.players + 1}"
            text = f"of the games it wins with {words.number(voyage.players)} players; {equal}"
            keys.append(KeyNumber(words.one_in(rate) or words.percent(rate), text))
        return keys

    def _figure(self) -> Figure:
        """Battles without and with it, and its wins; hollow: its wins among masters."""
        pairs, battles, wins = _nearest(self.pairs), [], []
        others = _nearest([v for v in self.voyages if v.who == MASTER != self.line[0].who])
        for voyage in self.line:
            label = f"{voyage.players} players"
            if pair := pairs.get(voyage.players):
                marks = [mark_of(pair.without, False, "base", name="without")]
                battles.append(Row(label, [*marks, mark_of(pair.with_ghost, name="with the ghost")]))
            elif pairs:
                battles.append(Row(label, [], note="always with it"))
            marks = [mark_of(voyage.wins, True, name=voyage.who if others else "the ghost")]
            if other := others.get(voyage.players):
                marks.append(mark_of(other.wins, True, "subject", True, other.who))
            wins.append(Row(label, marks, voyage.even, words.percent(voyage.even, 0)))
        panels = [
            *([Panel("Battles in a game", battles, weight=1.15)] if battles else []),
            Panel("Games that the ghost wins", wins, form="dots" if others else "bars", equal_name="an equal share"),
        ]
        title = "Battles, and wins of the ghost" if battles else "How often the ghost wins"
        return panels_chart("ghost", title, self.sub, panels, row_height=44)


CHAPTERS = {"ghost": ChapterSource(Ghost, Ghost.write, lambda study: any(s.rules.ghost for s in study.settings))}

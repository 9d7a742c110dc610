"""The ghost ship: how often it wins, where it ends, what it takes."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from jamaica_sim.charts.row_charts import Panel, Row
from jamaica_sim.codes import LOOT_KINDS
from jamaica_sim.components import red_line
from jamaica_sim.experiment.setting import LINE_UP, Setting
from jamaica_sim.experiment.study import Study
from jamaica_sim.report import prose, words
from jamaica_sim.report.arrangement import chart, left_out_of, mark_of, thinking
from jamaica_sim.report.chapter import Chapter, ChapterSource, Figure, KeyNumber, Read, games_line, ratio
from jamaica_sim.report.chapters.battles import LOOT_WORDS
from jamaica_sim.report.chapters.race import ENDS
from jamaica_sim.report.chapters.rulebook import contrasts, ghost_settings, short_label
from jamaica_sim.report.judge import HOLDS, Claim, Comparison, Findings, Judge
from jamaica_sim.report.sheet import MASTER
from jamaica_sim.results.measures import BATTLES, GHOST_SHIP, GHOST_WINS
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
    "battles won": ratio(
        lambda sums: sums.group(GHOST_SHIP, "battles_won"), lambda sums: sums.group(GHOST_SHIP, "battles")
    ),
    # The ghost gives nothing away (G6).
    **{word: _loot(kind) for kind, word in enumerate(LOOT_WORDS) if LOOT_KINDS[kind] != "give"},
}
NUMBERS = (
    ("The ghost ship's wins", WINS, ("win rate",), "win rate and points per game"),
    ("Where the ghost ship is at the end", PLACES, ENDS, "share of the games"),
    ("What the ghost ship does in battle", BATTLE, ("battles won",), "times per game: its battles, those that it "
     "began, and what it took"),
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Voyage:
    """What the ghost ship does at one table."""

    label: str
    players: int
    who: str  # plays
    near: int  # in how many of `NEAR` it is like the reference table
    numbers: list[dict[str, Estimate]]  # in the order of `NUMBERS`

    @property
    def wins(self) -> Estimate:
        """How often it wins."""
        return self.numbers[0]["win rate"]

    @property
    def even(self) -> float:
        """An equal share of the wins."""
        return 1 / (self.players + 1)


@dataclass(frozen=True)
class Contrast(Findings):
    """The same table without the ghost ship and with it."""

    players: int
    near: int
    without: Estimate  # battles
    with_ghost: Estimate
    more: Comparison  # battles
    begun: Estimate  # battles by the ghost

    @property
    def is_picking_fights(self) -> bool:
        """Whether it brings many more battles and begins half of the new ones or more."""
        more = self.with_ghost.value >= PICKS_FIGHTS * self.without.value
        return more and self.begun.value >= 0.5 * self.more.estimate.value


Table = TypeVar("Table", Voyage, Contrast)


@dataclass(frozen=True)
class Ghost(Findings):
    """What the games show about the ghost ship."""

    voyages: list[Voyage]  # few players first
    pairs: list[Contrast]
    below_share: Claim  # it wins less than an equal share
    seldom: Claim  # it wins fewer than one game in ten, and less than half of an equal share
    left_out: str  # of the two claims, in words
    games: str
    edition: str

    @property
    def line(self) -> list[Voyage]:
        """For each number of players the table nearest to the reference."""
        return list(_nearest(self.voyages).values())


def find(study: Study) -> Ghost:
    """Count its wins, ends and booty."""
    settings = ghost_settings(study)
    planned = thinking(settings)
    rates = {short_label(study, s): (GHOST_WINS.of(s.played), 1 / s.rules.ships) for s in planned}
    below = {name: Comparison(rate, even) for name, (rate, even) in rates.items()}
    seldom = {name: Comparison(rate, min(words.SELDOM, even / 2)) for name, (rate, even) in rates.items()}
    return Ghost(
        [_voyage(study, s) for s in settings],
        [_contrast(study, a, b) for a, b in contrasts(study) if b in planned],
        Claim("the ghost ship wins less than its share", below, -1),
        Claim("the ghost ship seldom wins", seldom, -1),
        left_out_of(settings),
        games_line(settings),
        study.reference.rules.edition,
    )


def _nearness(study: Study, setting: Setting) -> int:
    return sum(setting.factors[name] == study.reference.factors[name] for name in NEAR)


def _voyage(study: Study, setting: Setting) -> Voyage:
    numbers = [{word: read(setting.played) for word, read in columns.items()} for _, columns, _, _ in NUMBERS]
    who, players = str(setting.factors[LINE_UP]), setting.rules.players
    return Voyage(short_label(study, setting), players, who, _nearness(study, setting), numbers)


def _contrast(study: Study, without: Setting, with_ghost: Setting) -> Contrast:
    a, b = without.played, with_ghost.played
    return Contrast(
        without.rules.players,
        _nearness(study, without),
        BATTLES.of(a),
        BATTLES.of(b),
        Comparison(BATTLES.difference(a, b)),
        BATTLE["attacks"](b),
    )


def _nearest(tables: Sequence[Table]) -> dict[int, Table]:
    """By number of players: the table nearest to the reference."""
    found: dict[int, Table] = {}
    for one in tables:
        if one.players not in found or one.near > found[one.players].near:
            found[one.players] = one
    return found


# Words


def write(ghost: Ghost, judge: Judge) -> Chapter:
    """The chapter on the ghost ship."""
    chapter = Chapter("ghost", "The ghost ship", claims=[ghost.below_share, ghost.seldom])
    clear = [one for one in ghost.below_share.cases.values() if judge.is_clear(one)]
    chapter.effect = max((abs(cohen_h(one.estimate.value, one.null)) for one in clear), default=0.0)
    wins = _wins_words(ghost, judge)
    chapter.heading = f"It {wins}"
    _write_wins(ghost, judge, chapter)
    _write_battles(ghost, chapter)
    chapter.hero = _hero(ghost)
    chapter.figures = [chapter.hero]
    chapter.tables = [
        ResultTable(
            title, ("table", *columns), [(v.label, *v.numbers[n].values()) for v in ghost.voyages], frozenset(shares),
            note,
        )
        for n, (title, columns, shares, note) in enumerate(NUMBERS)
    ]  # fmt: skip
    fights = ghost.pairs and all(pair.is_picking_fights and judge.is_above(pair.more) for pair in ghost.pairs)
    chapter.headline = f"The ghost ship {'picks fights but ' if fights else ''}{wins}"
    chapter.standfirst = _standfirst(ghost)
    chapter.keys = _keys(ghost)
    return chapter


def _wins_words(ghost: Ghost, judge: Judge) -> str:
    """How often it wins: a word that is true at every table, or with its scope."""
    seldom = judge.verdict(ghost.seldom)
    if seldom.kind == HOLDS:
        rates = [one.estimate.value for one in ghost.seldom.cases.values()]
        often = "never" if not any(rates) else "hardly ever" if max(rates) < words.HARDLY_EVER else "seldom"
        return f"{often} wins"
    players = {v.label: v.players for v in ghost.voyages if v.label in ghost.seldom.cases}
    fewest = max(players[name] for name in (*seldom.fails, *seldom.open)) + 1
    if any(n >= fewest for n in players.values()):
        return f"seldom wins with {words.number(fewest)} players{' or more' if max(players.values()) > fewest else ''}"
    below = judge.verdict(ghost.below_share)
    if below.kind == HOLDS:
        return f"wins less than its share {below.count()}".strip()
    return f"wins less than its share {below.scope()}" if below.holds else "wins no less than its share"


def _write_wins(ghost: Ghost, judge: Judge, chapter: Chapter) -> None:
    few, many = ghost.line[0], ghost.line[-1]
    seldom = judge.verdict(ghost.seldom)
    end = few.numbers[1]
    chapter.say(
        f"with {words.number(few.players)} players it wins {prose.share(few.wins)} of the games, where "
        f"{few.even:.1%} would be an equal share.",
        f"with {words.number(many.players)} it wins {prose.share(many.wins)}, and {many.even:.1%} would be equal."
        if many is not few
        else "",
        f"it seldom wins {seldom.scope()}: fewer than one game in ten, and less than half of an equal share"
        f"{ghost.left_out}."
        if len(seldom.claim.cases) > 1
        else "",
        *_among_others(ghost),
        f"it comes home in {prose.share(end[ENDS[0]])} of the games with {words.number(few.players)} players, and in "
        f"{prose.share(end[ENDS[2]])} it is not even past the red line.",
    )


def _among_others(ghost: Ghost) -> list[str]:
    """How often it wins where all play something else than at the reference table."""
    sentences = []
    usual = ghost.line[0].who
    for who in dict.fromkeys(v.who for v in ghost.voyages if v.who != usual):
        line = list(_nearest([v for v in ghost.voyages if v.who == who]).values())
        rates = [f"{prose.share(v.wins)} with {words.number(v.players)}" for v in dict.fromkeys((line[0], line[-1]))]
        among = "among masters" if who == MASTER else f"where all play {who}"
        sentences.append(f"{among} it wins {words.listed(rates)} players.")
    return sentences


def _write_battles(ghost: Ghost, chapter: Chapter) -> None:
    few = ghost.line[0]
    points, fights = few.numbers[0], few.numbers[2]
    chapter.say(
        f"its gold is worth {prose.mean(points['gold'])} points at the end, its place on the board "
        f"{prose.mean(points['position'])} with {words.number(few.players)} players.",
        f"it fights {prose.mean(fights['battles'])} battles a game, begins {prose.mean(fights['attacks'])} of them, "
        f"and wins {prose.share(fights['battles won'])}.",
    )


def _standfirst(ghost: Ghost) -> list[str]:
    sentences, pairs = [], _nearest(ghost.pairs)
    if pairs:
        added = [words.amount(end(pair.more.estimate.value for pair in pairs.values())) for end in (min, max)]
        numbers = [words.number(n) for n in pairs]
        where = numbers[0] if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]}"
        sentences.append(f"It adds {' to '.join(dict.fromkeys(added))} battles to a game of {where} players.")
    often = [
        f"{words.one_game_in(v.wins.value) or words.percent(v.wins.value) + ' of the games'} with "
        f"{words.number(v.players)} players"
        for v in dict.fromkeys((ghost.line[-1], ghost.line[0]))
    ]
    sentences.append(f"It wins {words.listed(often)}.")
    sentences += [s for s in _among_others(ghost) if s.startswith("among masters")]
    return sentences


def _keys(ghost: Ghost) -> list[KeyNumber]:
    reference = max(ghost.pairs, key=lambda pair: pair.near, default=None)
    keys = []
    if reference:
        more, less = (words.amount(e.value) for e in (reference.with_ghost, reference.without))
        text = f"battles a game with {words.number(reference.players)} players: {more} instead of {less}"
        keys.append(KeyNumber(words.signed(reference.more.estimate.value), text))
    for voyage in dict.fromkeys((ghost.line[0], ghost.line[-1])):
        rate = voyage.wins.value
        text = f"of the games it wins with {words.number(voyage.players)} players; an equal share is 1 in "
        keys.append(KeyNumber(words.one_in(rate) or words.percent(rate), f"{text}{voyage.players + 1}"))
    return keys


def _hero(ghost: Ghost) -> Figure:
    """Battles without and with it, and its wins; hollow: its wins among masters."""
    pairs, battles, wins = _nearest(ghost.pairs), [], []
    others = _nearest([v for v in ghost.voyages if v.who == MASTER != ghost.line[0].who])
    for voyage in ghost.line:
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
        Panel("Battles in a game", battles, weight=1.15),
        Panel("Games that the ghost wins", wins, form="dots" if others else "bars", equal_name="an equal share"),
    ]
    title = "Battles, and wins of the ghost" if battles else "How often the ghost wins"
    sub = f"Means of {ghost.games}, {ghost.edition} rules"
    return chart("ghost", title, sub, [panel for panel in panels if panel.rows], row_height=44)


CHAPTERS = {"ghost": ChapterSource(find, write, lambda study: any(s.rules.ghost for s in study.settings))}

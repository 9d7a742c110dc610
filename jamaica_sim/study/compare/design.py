"""Who sits where in a comparison, and for how long: the line-ups of a cycle of deals, which is repeated.

A line-up names the players clockwise. A deal is one game number, so all its seatings have the same luck. Every pair of
strategies meets equally often, and every strategy sits equally often in every seat.
"""

import math
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from itertools import combinations, permutations

import numpy as np

from jamaica_sim.errors import UserError
from jamaica_sim.files.limits import check_games
from jamaica_sim.game.rules import Rules
from jamaica_sim.play.own_measures import Measures, OwnMeasures
from jamaica_sim.strategy.library import allow, with_code_loaded
from jamaica_sim.strategy.strategy import Strategy

LineUp = tuple[int, ...]  # the strategies clockwise, by their numbers
MOST_LINE_UPS = 500  # in a cycle; if there are more, a smaller balanced design stands for all of them
PASSES = 4  # over all choices, to find orders that follow each other evenly
MOST_PATIENCE = 8  # how often the search for such a design is tried
LOOK_GAMES = 1_000  # games between two looks, about
MOST_LOOKS = 1_000_000  # looks in all, about; beyond a billion games looks become rarer
LEAST_SHARE, MOST_SHARE = 0.0005, 0.2  # limits of margin and alpha


@dataclass(frozen=True, eq=False)
class Design:
    """The line-ups of a comparison: one cycle of deals, repeated as long as games are played."""

    strategies: int  # how many are compared
    players: int  # of a table
    cycle: tuple[tuple[tuple[int, ...], ...], ...]  # for each deal its line-ups, each of strategies by number
    rotations: int  # of the seats of each line-up, played on a deal

    @property
    def games_in_deal(self) -> int:
        """Games played on one deal."""
        return len(self.cycle[0]) * self.rotations

    @property
    def games_in_cycle(self) -> int:
        """Games after which every pair has met equally often, and every strategy sat equally often in every seat."""
        return len(self.cycle) * self.games_in_deal

    @property
    def sides(self) -> int:
        """How many different strategies sit at a table."""
        return self.side_strategies.shape[1]

    @cached_property
    def side_strategies(self) -> np.ndarray:
        """The strategies in each kind of deal, shape (kinds, sides), in the order in which they first appear.

        With two strategies the first is always side 0.
        """
        if self.strategies == 2:
            return np.array([[0, 1]] * len(self.cycle))
        return np.array([list(dict.fromkeys(sum(deal, ()))) for deal in self.cycle])

    @cached_property
    def side_seats(self) -> np.ndarray:
        """How many ships each side has, over all games of the deal, shape (kinds, sides)."""
        return (self.seatings[:, :, :, None] == self.side_strategies[:, None, None, :]).sum(axis=(1, 2))

    @cached_property
    def ship_pairs(self) -> np.ndarray:
        """How many pairs of ships, one of each side, meet in a deal, shape (kinds, sides, sides)."""
        ships = (self.seatings[:, :, :, None] == self.side_strategies[:, None, None, :]).sum(axis=2)
        return ships.transpose(0, 2, 1) @ ships

    @cached_property
    def seatings(self) -> np.ndarray:
        """The strategy on each ship, shape (kinds, games in a deal, players)."""
        lines = np.array(self.cycle)
        rotated = [np.roll(lines, rotation, axis=2) for rotation in range(self.rotations)]
        return np.stack(rotated, axis=2).reshape(len(self.cycle), self.games_in_deal, self.players)

    @cached_property
    def members(self) -> np.ndarray:
        """The member that a ship's wins are summed for, shape (kinds, games, players).

        A member is a player of the line-up; with two strategies it is a strategy.
        """
        if self.strategies == 2:
            return self.seatings
        ships, games = np.arange(self.players), np.arange(self.rotations)
        return np.broadcast_to((ships[None, :] - games[:, None]) % self.players, self.seatings.shape)

    @cached_property
    def membership(self) -> np.ndarray:
        """1 where a ship of a game belongs to a member, shape (kinds, games in a deal, players, members)."""
        return (self.members[..., None] == np.arange(self.members.max() + 1)).astype(np.int64)

    @cached_property
    def lead_weights(self) -> np.ndarray:
        """With two strategies: how much a win of each counts in a lead, so that equals are level with unequal seats."""
        seats = self.side_seats[0]
        return np.lcm.reduce(seats) // seats * [1, -1]

    @cached_property
    def sides_of_members(self) -> np.ndarray:
        """The side that each member is on, shape (kinds, members)."""
        if self.strategies == 2:
            return self.side_strategies
        lines = np.array(self.cycle)[:, 0]
        return (lines[:, :, None] == self.side_strategies[:, None, :]).argmax(axis=2)


@cache
def design(strategies: int, players: int) -> Design:
    """The line-ups for this many strategies at tables of this many players.

    Two strategies sit alternately, and a deal is played twice, with the roles exchanged. If the number of players is
    odd, the line-up is turned by one seat from deal to deal, so that both sit equally often in every seat.
    Three or more strategies, but not more than players, all sit at every table, in every clockwise order. The remaining
    seats change hands, so that each strategy has equally many. With more strategies than players every choice of them
    makes a line-up, in every clockwise order or, if those are too many, in one. If even the choices are more than
    `MOST_LINE_UPS`, those of a cyclic design stand for all. In every design each pair meets equally often.
    """
    if strategies < 2:
        raise UserError("a comparison needs at least two strategies.")
    if strategies == 2:
        return _alternating(players)
    if strategies <= players:
        line_ups = [order for members in _shared_places(strategies, players) for order in _clockwise_orders(members)]
    else:
        line_ups = _chosen_tables(strategies, players)
    return Design(strategies, players, tuple((line_up,) for line_up in line_ups), players)


@cache
def design_against(field: int, players: int) -> Design:
    """The line-ups for one ship of strategy 0 against a field of this many others, at tables of this many players.

    All rotations are played on each deal, so strategy 0 sits once in every seat. A field smaller than the table has
    several ships of the same strategy. From a larger field every choice plays in turn, or those of a cyclic design.
    """
    if field < 1:
        raise UserError("a comparison against a field needs at least one opponent.")
    seats = players - 1
    if field <= seats:
        choices = list(_shared_places(field, seats))
    elif math.comb(field, seats) > MOST_LINE_UPS and seats > 2:
        choices = _cyclic_choices(field, seats)
    else:
        choices = list(combinations(range(field), seats))
    with_first = [(0, *(1 + s for s in choice)) for choice in choices]
    orders = [order for members in with_first for order in _clockwise_orders(members)]
    line_ups = orders if len(orders) <= MOST_LINE_UPS else _evenly_followed(with_first, field + 1)
    return Design(field + 1, players, tuple((line_up,) for line_up in line_ups), players)


def _chosen_tables(strategies: int, players: int) -> list[LineUp]:
    choices = math.comb(strategies, players)
    if choices > MOST_LINE_UPS and players > 2:
        return _evenly_followed(_cyclic_choices(strategies, players), strategies)
    every_choice = list(combinations(range(strategies), players))
    if choices * math.factorial(players - 1) > MOST_LINE_UPS:
        return _evenly_followed(every_choice, strategies)
    return [order for members in every_choice for order in _clockwise_orders(members)]


def _alternating(players: int) -> Design:
    line_up = tuple(seat % 2 for seat in range(players))
    if players % 2 == 0:
        return Design(2, players, ((line_up,),), 2)
    turned = [line_up[turn:] + line_up[:turn] for turn in range(players)]
    return Design(2, players, tuple((line, tuple(1 - s for s in line)) for line in turned), 1)


def _shared_places(strategies: int, players: int) -> Iterator[LineUp]:
    """Who takes part: every strategy equally often, and in the remaining seats every possible choice of strategies."""
    for extra in combinations(range(strategies), players % strategies):
        yield tuple(sorted([*range(strategies)] * (players // strategies) + [*extra]))


def _clockwise_orders(members: LineUp) -> Iterator[LineUp]:
    """The different clockwise orders around the table, without those that repeat within a round, such as ABAB."""
    seen = set()
    for rest in permutations(members[1:]):
        order = (members[0], *rest)
        turns = [order[turn:] + order[:turn] for turn in range(len(order))]
        if len(set(turns)) == len(turns) and min(turns) not in seen:
            seen.add(min(turns))
            yield min(turns)


def _evenly_followed(choices: Sequence[LineUp], strategies: int) -> list[LineUp]:
    """A clockwise order for each choice, so that every strategy follows every other about equally often."""
    follows = np.zeros((strategies, strategies), int)
    line_ups: list[LineUp] = [()] * len(choices)
    for _ in range(PASSES):
        for place, members in enumerate(choices):
            if line_ups[place]:
                follows[np.array(line_ups[place]), np.roll(line_ups[place], -1)] -= 1
            orders = np.array([(members[0], *rest) for rest in permutations(members[1:])])
            best = orders[follows[orders, np.roll(orders, -1, axis=1)].sum(axis=1).argmin()]
            follows[best, np.roll(best, -1)] += 1
            line_ups[place] = tuple(best.tolist())
    return line_ups


def _cyclic_choices(strategies: int, players: int) -> list[LineUp]:
    """Choices of strategies in which every pair is together equally often.

    From a difference family (Bose 1939): a few sets of whole numbers in which every difference between two members,
    modulo the number of strategies, occurs equally often. The sets are shifted through all remainders.
    """
    fewest = (strategies - 1) // math.gcd(strategies - 1, players * (players - 1))
    for patience in range(1, MOST_PATIENCE + 1):
        family = _difference_family(strategies, players, fewest * patience, 3000 * patience)
        if family:
            return [tuple(sorted((m + shift) % strategies for m in s)) for s in family for shift in range(strategies)]
    raise UserError(f"no balanced line-ups of {strategies} strategies at tables of {players} were found: try fewer.")


def _difference_family(modulus: int, size: int, sets: int, tries: int) -> list[list[int]] | None:
    """Sets of `size` members with every difference equally often, or None where the search does not find any.

    Hill climbing that allows steps on the level: a random member is exchanged for the one that makes the differences
    most even.
    """
    luck = random.Random(modulus * 100 + size)
    family = [sorted(range(modulus), key=lambda _: luck.random())[:size] for _ in range(sets)]
    even = sets * size * (size - 1) // (modulus - 1)
    excess = sum(_differences(members, modulus) for members in family) - even * (np.arange(modulus) > 0)
    for _ in range(tries):
        if not excess.any():
            return family
        place, leaver = int(luck.random() * sets), int(luck.random() * size)
        excess -= _differences(family[place], modulus)
        del family[place][leaver]
        excess += _differences(family[place], modulus)
        best = _most_even_members(family[place], excess)
        family[place].append(int(best[int(luck.random() * best.size)]))
        excess += _differences(family[place], modulus) - _differences(family[place][:-1], modulus)
    return None


def _differences(members: Sequence[int], modulus: int) -> np.ndarray:
    """How often each difference other than 0 occurs."""
    numbers = np.array(members)
    counts = np.bincount(((numbers[:, None] - numbers) % modulus).ravel(), minlength=modulus)
    counts[0] = 0
    return counts


def _most_even_members(members: Sequence[int], excess: np.ndarray) -> np.ndarray:
    """The possible new members that make the sum of squares of the excess smallest."""
    ahead = (np.arange(excess.size)[:, None] - members) % excess.size
    added = np.concatenate([ahead, -ahead % excess.size], axis=1)
    alike = (added[:, :, None] == added[:, None, :]).sum(axis=(1, 2))
    growth = 2 * excess[added].sum(axis=1) + alike
    is_new = (ahead > 0).all(axis=1)
    return np.flatnonzero(is_new & (growth == growth[is_new].min()))


@dataclass(frozen=True, eq=False)
class Contest:
    """What is compared: strategies, with labels that tell them apart, the rules, and the seed of all luck.

    `luck` has the seeds of those sources of luck that are drawn from another seed. With `against` the first strategy
    has one ship at every table, against a field of the others.
    """

    rules: Rules
    strategies: tuple[Strategy, ...]
    seed: int
    against: bool = False
    luck: Mapping[str, int] = field(default_factory=dict)
    known: Design | None = None  # the line-ups, where they are found already
    measures: Measures = field(default_factory=dict)  # of one's own, by name

    def own_measures(self) -> OwnMeasures | None:
        """The measures of one's own, ready to be taken; None where there are none."""
        return OwnMeasures(self.measures, self.labels, self.rules) if self.measures else None

    def with_code(self, trust: bool = False) -> "Contest":
        """The same contest with the strategies' code loaded; a stranger's code is refused unless it is trusted."""
        allow([self.rules], trust)
        return replace(self, strategies=with_code_loaded(self.strategies, trust))

    @property
    def design(self) -> Design:
        """The line-ups."""
        if self.known is not None:
            return self.known
        if self.against:
            return design_against(len(self.strategies) - 1, self.rules.players)
        return design(len(self.strategies), self.rules.players)

    @property
    def labels(self) -> list[str]:
        """The names to report by."""
        return [strategy.label for strategy in self.strategies]


@dataclass(frozen=True)
class ComparisonPlan:
    """How long to play, and what counts as a difference."""

    games: int  # with `until_verdict` at most this many
    until_verdict: bool = False  # stop as soon as every pair is told apart or equal
    margin: float = 0.01  # the difference in win rate that matters
    alpha: float = 0.05  # one minus the confidence; also the chance of a wrong verdict, at all looks together

    def __post_init__(self) -> None:
        check_games(self.games)
        for name, meaning in (("margin", "0.01 is one point of win rate"), ("alpha", "0.05 is for 95% intervals")):
            value = getattr(self, name)
            if not isinstance(value, int | float) or not LEAST_SHARE <= value <= MOST_SHARE:
                raise UserError(f"the {name} must be from {LEAST_SHARE} to {MOST_SHARE}, not {value!r}: {meaning}.")

    def looks(self, design: Design) -> list[int]:
        """The numbers of deals between looks: whole cycles of the design, so that every look is balanced."""
        in_cycle = design.games_in_cycle
        cycles = self.games // in_cycle if self.until_verdict else -(-self.games // in_cycle)
        if cycles == 0:
            raise UserError(
                f"{self.games:,} games are too few: all line-ups of {design.strategies} strategies at tables of "
                f"{design.players} once take {in_cycle:,} games."
            )
        step = max(-(-LOOK_GAMES // in_cycle), cycles // MOST_LOOKS)
        steps = [min(step, cycles - done) for done in range(0, cycles, step)]
        return [cycles * len(design.cycle) for cycles in steps]

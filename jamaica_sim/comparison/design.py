"""Who sits where in a comparison, and playing it: line-ups, blocks, and the exact sums that every figure is made from.

A line-up says clockwise who plays. A block is one deal (one game number, so the same luck for every ship) played in all
seat rotations of a line-up: each player sits once in every seat from the first Captain. Blocks are independent of
each other, and nothing of a block is kept but what it adds to the sums of a `BlockTally`.
"""

import math
import random
import time
from contextlib import closing
from dataclasses import dataclass, fields
from functools import cache, cached_property
from itertools import combinations, permutations

import numpy as np

from jamaica_sim.engine.rulebook import rulebook_of
from jamaica_sim.engine.state import RESULT_DTYPE
from jamaica_sim.play.chunks import Pace
from jamaica_sim.play.state_record import Seats, StrategyFault, fault_of_asked, new_state, play, point_in_game
from jamaica_sim.play.worker_threads import in_order
from jamaica_sim.rules import Rules
from jamaica_sim.strategy.strategy import Strategy
from jamaica_sim.tally.layout import WIN_UNITS

MOST_LINE_UPS = 500  # in a cycle; beyond that a smaller balanced design stands for all of them
MOST_PATIENCE = 8  # how often the search for such a design may begin anew
CHUNK_GAMES = 2048  # games that a thread plays in one go at most
CHUNK_SECONDS = 0.1  # that it should take for them: the longest wait until a comparison stops
FURTHER_THAN_ANY = 1 << 20  # spaces
AHEAD_UNITS = 2  # finishing ahead counts 2, level 1


@dataclass(frozen=True, eq=False)
class Design:
    """The line-ups of a comparison: one cycle of blocks, repeated as long as games are played.

    Attributes
    ----------
    strategies, players : int
        How many strategies are compared, at tables of how many.
    blocks : tuple
        The cycle: for each block the line-ups that are played on its deal, each a tuple of strategy numbers.
    rotations : int
        Seat rotations of each line-up; all that differ.
    """

    strategies: int
    players: int
    blocks: tuple[tuple[tuple[int, ...], ...], ...]
    rotations: int

    @property
    def games_in_block(self) -> int:
        """Games played on one deal."""
        return len(self.blocks[0]) * self.rotations

    @property
    def games_in_cycle(self) -> int:
        """Games after which every pair has met, and everybody has sat everywhere, equally often."""
        return len(self.blocks) * self.games_in_block

    @property
    def sides(self) -> int:
        """How many different strategies sit at a table."""
        return min(self.strategies, self.players)

    @cached_property
    def side_strategies(self) -> np.ndarray:
        """The strategies in each kind of block, shape (kinds, sides), in the order in which they first appear."""
        return np.array([list(dict.fromkeys(sum(block, ()))) for block in self.blocks])

    @cached_property
    def side_seats(self) -> np.ndarray:
        """How many ships each of these has, over all games of the block, shape (kinds, sides)."""
        return (self.seatings[:, :, :, None] == self.side_strategies[:, None, None, :]).sum(axis=(1, 2))

    @cached_property
    def ship_pairs(self) -> np.ndarray:
        """How many pairs of ships, one of each side, meet in a block, shape (kinds, sides, sides)."""
        ships = (self.seatings[:, :, :, None] == self.side_strategies[:, None, None, :]).sum(axis=2)
        return ships.transpose(0, 2, 1) @ ships

    @cached_property
    def seatings(self) -> np.ndarray:
        """The strategy on each ship, shape (kinds, games in a block, players)."""
        lines = np.array(self.blocks)
        rotated = [np.roll(lines, rotation, axis=2) for rotation in range(self.rotations)]
        return np.stack(rotated, axis=2).reshape(len(self.blocks), self.games_in_block, self.players)

    @cached_property
    def members(self) -> np.ndarray:
        """Whose wins are summed together, shape (games in a block, players): a player's, or one of two strategies'."""
        if self.strategies == 2:
            return self.seatings[0]
        ships, games = np.arange(self.players), np.arange(self.rotations)
        return (ships[None, :] - games[:, None]) % self.players

    @cached_property
    def sides_of_members(self) -> np.ndarray:
        """The side that each member is on, shape (kinds, members)."""
        if self.strategies == 2:
            return np.array([[0, 1]])
        lines = np.array(self.blocks)[:, 0]
        return (lines[:, :, None] == self.side_strategies[:, None, :]).argmax(axis=2)


@cache
def design(strategies: int, players: int) -> Design:
    """The line-ups for some strategies at tables of some players.

    Two strategies sit alternately; where the number of players is odd, a deal is also played with the roles exchanged.
    Up to as many strategies as players all sit at every table, in every clockwise order; who takes the places that are
    left over changes, so that everybody has equally many. With more strategies than players every choice of them
    makes a line-up, in every clockwise order or else in one. Where even that would be more than `MOST_LINE_UPS`, those
    of a cyclic design stand for all choices. In every design each pair meets equally often.
    """
    if strategies < 2:
        raise ValueError("a comparison needs at least two strategies.")
    if strategies == 2:
        return _alternating(players)
    line_ups = _shared_tables(strategies, players) if strategies <= players else _chosen_tables(strategies, players)
    return Design(strategies, players, tuple((line_up,) for line_up in line_ups), players)


def _shared_tables(strategies, players):
    return [order for members in _shared_places(strategies, players) for order in _clockwise_orders(members)]


def _chosen_tables(strategies, players):
    choices = math.comb(strategies, players)
    if choices > MOST_LINE_UPS and players > 2:
        return _evenly_followed(_cyclic_choices(strategies, players), strategies)
    every_choice = list(combinations(range(strategies), players))
    if choices * math.factorial(players - 1) > MOST_LINE_UPS:
        return _evenly_followed(every_choice, strategies)
    return [order for members in every_choice for order in _clockwise_orders(members)]


def _alternating(players):
    line_up = tuple(seat % 2 for seat in range(players))
    if players % 2 == 0:
        return Design(2, players, ((line_up,),), 2)
    exchanged = tuple(1 - strategy for strategy in line_up)
    return Design(2, players, ((line_up, exchanged),), players)


def _shared_places(strategies, players):
    """Who takes part: everybody, as often as possible, and then every choice of those who take the places left over."""
    for extra in combinations(range(strategies), players % strategies):
        yield sorted([*range(strategies)] * (players // strategies) + [*extra])


def _clockwise_orders(members):
    """The different orders around the table, without those that repeat themselves before the round is full."""
    seen = set()
    for rest in permutations(members[1:]):
        order = (members[0], *rest)
        turns = [order[turn:] + order[:turn] for turn in range(len(order))]
        if len(set(turns)) == len(turns) and min(turns) not in seen:
            seen.add(min(turns))
            yield min(turns)


def _evenly_followed(choices, strategies, passes=4):
    """A clockwise order for each choice, so that everybody sits behind everybody about equally often."""
    follows = np.zeros((strategies, strategies), int)
    line_ups = [None] * len(choices)
    for _ in range(passes):
        for place, members in enumerate(choices):
            if line_ups[place]:
                follows[line_ups[place], np.roll(line_ups[place], -1)] -= 1
            orders = np.array([(members[0], *rest) for rest in permutations(members[1:])])
            best = orders[follows[orders, np.roll(orders, -1, axis=1)].sum(axis=1).argmin()]
            follows[best, np.roll(best, -1)] += 1
            line_ups[place] = tuple(best.tolist())
    return line_ups


def _cyclic_choices(strategies, players):
    """Choices of strategies in which every pair is together equally often.

    A difference family (Bose 1939): a few sets of whole numbers, shifted through all remainders modulo the number of
    strategies, so that every difference between two members occurs equally often.
    """
    fewest = (strategies - 1) // math.gcd(strategies - 1, players * (players - 1))
    for patience in range(1, MOST_PATIENCE + 1):
        family = _difference_family(strategies, players, fewest * patience, 3000 * patience)
        if family:
            return [tuple(sorted((m + shift) % strategies for m in s)) for s in family for shift in range(strategies)]
    raise ValueError(f"no balanced line-ups of {strategies} strategies at tables of {players} were found: try fewer.")


def _difference_family(modulus, size, sets, tries):
    """Sets of `size` members with every difference equally often, or None where the search does not find any.

    Climbing with even steps: a random member is exchanged for the one that makes the differences most even.
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


def _differences(members, modulus):
    """How often each difference other than 0 occurs."""
    members = np.array(members)
    counts = np.bincount(((members[:, None] - members) % modulus).ravel(), minlength=modulus)
    counts[0] = 0
    return counts


def _most_even_members(members, excess):
    """The new members that leave the least sum of squares of the excess."""
    ahead = (np.arange(excess.size)[:, None] - members) % excess.size
    added = np.concatenate([ahead, -ahead % excess.size], axis=1)
    alike = (added[:, :, None] == added[:, None, :]).sum(axis=(1, 2))
    growth = 2 * excess[added].sum(axis=1) + alike
    is_new = (ahead > 0).all(axis=1)
    return np.flatnonzero(is_new & (growth == growth[is_new].min()))


@dataclass(frozen=True, eq=False)
class Contest:
    """What is compared: strategies, with labels that tell them apart, under which rules, and the seed of all luck."""

    rules: Rules
    strategies: tuple[Strategy, ...]
    seed: int

    @property
    def design(self) -> Design:
        """The line-ups."""
        return design(len(self.strategies), self.rules.players)

    @property
    def labels(self) -> list[str]:
        """The names to report by."""
        return [strategy.label for strategy in self.strategies]


@dataclass(eq=False)
class BlockTally:
    """Sums over blocks, in whole numbers, by kind of block: they add up in any order, and do not grow with the games.

    Attributes
    ----------
    blocks : ndarray, shape (kinds,)
        How many blocks.
    wins : ndarray, shape (kinds, members + players)
        Wins in `WIN_UNITS`, by member of the line-up, then by seat from the first Captain.
    products : ndarray, shape (kinds, members + players, members + players)
        Sum over blocks of the outer product of the block's wins.
    ahead, ahead_squares : ndarray, shape (kinds, sides, sides)
        How often ships of one strategy finished ahead of ships of the other, in `AHEAD_UNITS`, and its squares.
    leads : ndarray, shape (games in a block, 2)
        Of two strategies: the first one's wins less the second one's in each game of the block, and their squares.
    """

    blocks: np.ndarray
    wins: np.ndarray
    products: np.ndarray
    ahead: np.ndarray
    ahead_squares: np.ndarray
    leads: np.ndarray

    @classmethod
    def empty(cls, plan: Design) -> "BlockTally":
        """No blocks yet."""
        kinds, wide, sides = len(plan.blocks), plan.members.max() + 1 + plan.players, plan.sides
        shapes = ((kinds,), (kinds, wide), (kinds, wide, wide), (kinds, sides, sides), (kinds, sides, sides))
        return cls(*(np.zeros(shape, np.int64) for shape in (*shapes, (plan.games_in_block, 2))))

    def add(self, other: "BlockTally"):
        """Add the blocks of another tally to this one."""
        for field in fields(self):
            getattr(self, field.name)[...] += getattr(other, field.name)

    def as_array(self) -> np.ndarray:
        """All sums in a row."""
        return np.concatenate([getattr(self, field.name).ravel() for field in fields(self)])

    @classmethod
    def from_array(cls, plan: Design, sums: np.ndarray) -> "BlockTally | None":
        """The tally that `as_array` made this of, None where it is of another design."""
        tally = cls.empty(plan)
        if sums.shape != tally.as_array().shape:
            return None
        start = 0
        for field in fields(cls):
            array = getattr(tally, field.name)
            array[...] = sums[start : start + array.size].reshape(array.shape)
            start += array.size
        return tally

    def copy(self) -> "BlockTally":
        """The same sums, which later additions to this one do not change."""
        return BlockTally(*(getattr(self, field.name).copy() for field in fields(self)))


@dataclass(frozen=True)
class Blocks:
    """Some blocks as they were played.

    Attributes
    ----------
    kinds : ndarray, shape (blocks,)
        The kind of each block: its place in the cycle of the design.
    wins : ndarray, shape (blocks, games in a block, players)
        Wins in `WIN_UNITS`, by ship.
    first_captains : ndarray, shape (blocks,)
        The ship of the first Captain, the same in all games of a block.
    standings : ndarray, shape (blocks, games in a block, players)
        Numbers that put the ships in order (E3): by score, then by spaces left to the finish.
    """

    kinds: np.ndarray
    wins: np.ndarray
    first_captains: np.ndarray
    standings: np.ndarray

    def wins_by_seat(self) -> np.ndarray:
        """Wins by seat from the first Captain, instead of by ship."""
        seats = np.arange(self.wins.shape[2])
        ships = (seats[None, :] + self.first_captains[:, None]) % seats.size
        return np.take_along_axis(self.wins, ships[:, None, :], axis=2)


def tally_blocks(plan: Design, played: Blocks) -> BlockTally:
    """What some blocks add to the sums."""
    tally = BlockTally.empty(plan)
    wins_by_member = _by_member(plan, played.wins)
    wins = np.concatenate([wins_by_member, played.wins_by_seat().sum(axis=1)], axis=1)
    ahead = _ahead_by_side(plan, played)
    np.add.at(tally.blocks, played.kinds, 1)
    np.add.at(tally.wins, played.kinds, wins)
    np.add.at(tally.products, played.kinds, wins[:, :, None] * wins[:, None, :])
    np.add.at(tally.ahead, played.kinds, ahead)
    np.add.at(tally.ahead_squares, played.kinds, ahead**2)
    if plan.strategies == 2:
        leads = leads_by_game(plan, played)
        tally.leads[:] = np.stack([leads.sum(axis=0), (leads**2).sum(axis=0)], axis=1)
    return tally


def leads_by_game(plan: Design, played: Blocks) -> np.ndarray:
    """The first of two strategies' wins less the second one's, shape (blocks, games in a block), in `WIN_UNITS`."""
    return (played.wins * np.where(plan.members == 0, 1, -1)).sum(axis=2)


def _membership(plan):
    """1 where a ship of a game belongs to a member, shape (games in a block, players, members)."""
    return (plan.members[:, :, None] == np.arange(plan.members.max() + 1)).astype(np.int64)


def _by_member(plan, of_ships):
    games = plan.games_in_block * plan.players
    return of_ships.reshape(-1, games) @ _membership(plan).reshape(games, -1)


def _ahead_by_side(plan, played):
    """How often the ships of each strategy finished ahead of those of each other, in `AHEAD_UNITS`, by block."""
    own, others = played.standings[:, :, :, None], played.standings[:, :, None, :]
    ahead = 2 * (own > others).astype(np.int64) + (own == others)
    membership = _membership(plan)
    by_member = (membership.transpose(0, 2, 1) @ ahead @ membership).sum(axis=1)
    if plan.strategies in (2, plan.players) or plan.strategies > plan.players:
        return by_member
    sides = (plan.sides_of_members[:, :, None] == np.arange(plan.sides)).astype(np.int64)[played.kinds]
    return sides.transpose(0, 2, 1) @ by_member @ sides


class BlockPlayer:
    """One state record for one thread; plays blocks in it, one after the other."""

    def __init__(self, contest: Contest):
        self._contest = contest
        self._tables = rulebook_of(contest.rules)
        self._state = new_state(contest.strategies[:1])
        self._seats = Seats(contest.strategies)
        self._seated = ()

    def play(self, first: int, count: int) -> Blocks:
        """Play the blocks `first` to `first + count - 1`; block b is dealt as game b, to the kinds of block in turn."""
        plan = self._contest.design
        kinds = np.arange(first, first + count) % len(plan.blocks)
        rows = np.zeros((plan.games_in_block, count), RESULT_DTYPE)
        together = count if len(plan.blocks) == 1 else 1  # blocks of one kind that follow each other
        for start in range(0, count, together):
            for game, seating in enumerate(plan.seatings[kinds[start]]):
                self._play(seating, first + start, rows[game, start : start + together])
        return self._blocks(kinds, rows.T)

    def _play(self, seating, deal, rows):
        contest = self._contest
        self._seats.take(self._state, seating)
        self._seated = [contest.strategies[s] for s in seating]
        try:
            play(self._state, self._tables, self._seated, contest.seed, deal, rows)
        except StrategyFault as fault:
            fault.show_with(contest.rules, self._seated, contest.seed)
            raise

    def asked(self) -> tuple | None:
        """See `point_in_game`."""
        return point_in_game(self._state[0])

    def fault(self, what: str) -> StrategyFault:
        """See `fault_of_asked`."""
        return fault_of_asked(self._state[0], self._contest.rules, self._seated, self._contest.seed, what)

    def _blocks(self, kinds, rows):
        rules, tables = self._contest.rules, self._tables[0]
        won = rows["winners"][:, :, None].astype(np.int64) >> np.arange(rules.ships) & 1
        wins = won * (int(WIN_UNITS) // won.sum(axis=2, keepdims=True))
        space, lap, score = (
            rows[name][:, :, : rules.players].astype(np.int64) for name in ("final_space", "final_lap", "score")
        )
        left = tables["to_finish"][space] - tables["circuit"] * lap
        first_captains = rows["first_captain"][:, 0].astype(np.int64)
        return Blocks(kinds, wins[:, :, : rules.players], first_captains, score * FURTHER_THAN_ANY - left)


def tallies_in_order(contest: Contest, looks, threads: int, chunk_games: int = CHUNK_GAMES, done=None, stop=None):
    """Play blocks on threads and yield the sums of all blocks so far after each of `looks`, numbers of further blocks.

    Neither the threads nor the size of a chunk changes a sum. `done` are the sums of blocks that are played already.
    Closing the generator stops the threads, and so does the event `stop`.
    """
    plan = contest.design

    def play_blocks(player, chunk):
        started = time.perf_counter()
        tally = tally_blocks(plan, player.play(chunk[0], chunk[1]))
        return chunk, tally, time.perf_counter() - started

    sums = BlockTally.empty(plan) if done is None else done.copy()
    pace = Pace(CHUNK_SECONDS, max(1, chunk_games // plan.games_in_block))
    work = _chunks(looks, int(sums.blocks.sum()), pace)
    with closing(in_order(lambda: BlockPlayer(contest), play_blocks, work, threads, stop)) as played:
        for (_, count, is_look), tally, seconds in played:
            sums.add(tally)
            pace.learn(count, seconds)
            if is_look:
                yield sums.copy()


def _chunks(looks, first, pace):
    """Cut blocks into chunks (first, how many, whether a look follows); no chunk reaches beyond a look."""
    for blocks in looks:
        end = first + blocks
        while first < end:
            count = min(pace.games, end - first)
            first += count
            yield first - count, count, first == end

"""The deals of a comparison: playing them, and the exact sums that every figure is made from.

A deal is one game number, so the same luck for every ship, played in all seatings that the design wants. Deals are
independent of each other, and nothing of a deal is kept but what it adds to the sums of a `DealTally`.
"""

import time
from contextlib import closing
from dataclasses import dataclass, fields

import numpy as np

from jamaica_sim.codes import WIN_UNITS
from jamaica_sim.comparison.design import Contest, Design
from jamaica_sim.engine.rulebook import rulebook_of
from jamaica_sim.engine.state import RESULT_DTYPE
from jamaica_sim.play.chunks import Pace
from jamaica_sim.play.state_record import Seats, StrategyFault, fault_of_asked, new_state, play, point_in_game
from jamaica_sim.play.worker_threads import in_order

CHUNK_GAMES = 2048  # games that a thread plays in one go at most
CHUNK_SECONDS = 0.1  # that it should take for them: the longest wait until a comparison stops
FURTHER_THAN_ANY = 1 << 20  # spaces
AHEAD_UNITS = 2  # finishing ahead counts 2, level 1


@dataclass(eq=False)
class DealTally:
    """Sums over deals, in whole numbers, by kind of deal: they add up in any order, and do not grow with the games.

    Attributes
    ----------
    deals : ndarray, shape (kinds,)
        How many deals.
    wins : ndarray, shape (kinds, members + players)
        Wins in `WIN_UNITS`, by member of the line-up, then by seat from the first Captain.
    products : ndarray, shape (kinds, members + players, members + players)
        Sum over deals of the outer product of the deal's wins.
    ahead, ahead_squares : ndarray, shape (kinds, sides, sides)
        How often ships of one strategy finished ahead of ships of the other, in `AHEAD_UNITS`, and its squares.
    leads : ndarray, shape (games in a deal, 2)
        Of two strategies: the first one's lead in each game of the deal (`leads_by_game`), and its square.
    """

    deals: np.ndarray
    wins: np.ndarray
    products: np.ndarray
    ahead: np.ndarray
    ahead_squares: np.ndarray
    leads: np.ndarray

    @classmethod
    def empty(cls, plan: Design) -> "DealTally":
        """No deals yet."""
        kinds, wide, sides = len(plan.cycle), plan.members.max() + 1 + plan.players, plan.sides
        shapes = ((kinds,), (kinds, wide), (kinds, wide, wide), (kinds, sides, sides), (kinds, sides, sides))
        return cls(*(np.zeros(shape, np.int64) for shape in (*shapes, (plan.games_in_deal, 2))))

    def add(self, other: "DealTally"):
        """Add the deals of another tally to this one."""
        for field in fields(self):
            getattr(self, field.name)[...] += getattr(other, field.name)

    def as_array(self) -> np.ndarray:
        """All sums in a row."""
        return np.concatenate([getattr(self, field.name).ravel() for field in fields(self)])

    @classmethod
    def from_array(cls, plan: Design, sums: np.ndarray) -> "DealTally | None":
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

    def copy(self) -> "DealTally":
        """The same sums, which later additions to this one do not change."""
        return DealTally(*(getattr(self, field.name).copy() for field in fields(self)))


@dataclass(frozen=True)
class Deals:
    """Some deals as they were played.

    Attributes
    ----------
    kinds : ndarray, shape (deals,)
        The kind of each deal: its place in the cycle of the design.
    wins : ndarray, shape (deals, games in a deal, players)
        Wins in `WIN_UNITS`, by ship.
    first_captains : ndarray, shape (deals,)
        The ship of the first Captain, the same in all games of a deal.
    standings : ndarray, shape (deals, games in a deal, players)
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


def tally_deals(plan: Design, played: Deals) -> DealTally:
    """What some deals add to the sums."""
    tally = DealTally.empty(plan)
    wins_by_member = np.einsum("dgp,dgpm->dm", played.wins, plan.membership[played.kinds])
    wins = np.concatenate([wins_by_member, played.wins_by_seat().sum(axis=1)], axis=1)
    ahead = _ahead_by_side(plan, played)
    np.add.at(tally.deals, played.kinds, 1)
    np.add.at(tally.wins, played.kinds, wins)
    np.add.at(tally.products, played.kinds, wins[:, :, None] * wins[:, None, :])
    np.add.at(tally.ahead, played.kinds, ahead)
    np.add.at(tally.ahead_squares, played.kinds, ahead**2)
    if plan.strategies == 2:
        leads = leads_by_game(plan, played)
        tally.leads[:] = np.stack([leads.sum(axis=0), (leads**2).sum(axis=0)], axis=1)
    return tally


def leads_by_game(plan: Design, played: Deals) -> np.ndarray:
    """The first of two strategies' wins less the second one's, shape (deals, games in a deal), in `WIN_UNITS`.

    Where they have unequally many ships, the wins are weighted (`Design.lead_weights`).
    """
    return (played.wins * plan.lead_weights[plan.members[played.kinds]]).sum(axis=2)


def _ahead_by_side(plan, played):
    """How often the ships of each strategy finished ahead of those of each other, in `AHEAD_UNITS`, by deal."""
    own, others = played.standings[:, :, :, None], played.standings[:, :, None, :]
    ahead = 2 * (own > others).astype(np.int64) + (own == others)
    membership = plan.membership[played.kinds]
    by_member = (membership.swapaxes(2, 3) @ ahead @ membership).sum(axis=1)
    if plan.sides == plan.sides_of_members.shape[1]:  # each member is a side of its own
        return by_member
    sides = (plan.sides_of_members[:, :, None] == np.arange(plan.sides)).astype(np.int64)[played.kinds]
    return sides.transpose(0, 2, 1) @ by_member @ sides


class DealPlayer:
    """One state record for one thread; plays deals in it, one after the other."""

    def __init__(self, contest: Contest):
        self._contest = contest
        self._tables = rulebook_of(contest.rules)
        self._state = new_state(contest.strategies[:1], contest.rules)
        self._seats = Seats(contest.strategies, contest.rules)
        self._seated = ()

    def play(self, first: int, count: int) -> Deals:
        """Play the deals `first` to `first + count - 1`; deal b is dealt as game b, to the kinds of deal in turn."""
        plan = self._contest.design
        kinds = np.arange(first, first + count) % len(plan.cycle)
        rows = np.zeros((plan.games_in_deal, count), RESULT_DTYPE)
        together = count if len(plan.cycle) == 1 else 1  # deals of one kind that follow each other
        for start in range(0, count, together):
            for game, seating in enumerate(plan.seatings[kinds[start]]):
                self._play(seating, first + start, rows[game, start : start + together])
        return self._deals(kinds, rows.T)

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

    def _deals(self, kinds, rows):
        rules, tables = self._contest.rules, self._tables[0]
        won = rows["winners"][:, :, None].astype(np.int64) >> np.arange(rules.ships) & 1
        wins = won * (WIN_UNITS // won.sum(axis=2, keepdims=True))
        space, lap, score = (
            rows[name][:, :, : rules.players].astype(np.int64) for name in ("final_space", "final_lap", "score")
        )
        left = tables["to_finish"][space] - tables["circuit"] * lap
        first_captains = rows["first_captain"][:, 0].astype(np.int64)
        return Deals(kinds, wins[:, :, : rules.players], first_captains, score * FURTHER_THAN_ANY - left)


def tallies_in_order(contest: Contest, looks, threads: int, chunk_games: int = CHUNK_GAMES, done=None, stop=None):
    """Play deals on threads and yield the sums of all deals so far after each of `looks`, numbers of further deals.

    Neither the threads nor the size of a chunk changes a sum. `done` are the sums of deals that are played already.
    Closing the generator stops the threads, and so does the event `stop`.
    """
    plan = contest.design

    def play_deals(player, chunk):
        started = time.perf_counter()
        tally = tally_deals(plan, player.play(chunk[0], chunk[1]))
        return chunk, tally, time.perf_counter() - started

    sums = DealTally.empty(plan) if done is None else done.copy()
    pace = Pace(CHUNK_SECONDS, max(1, chunk_games // plan.games_in_deal))
    work = _chunks(looks, int(sums.deals.sum()), pace)
    with closing(in_order(lambda: DealPlayer(contest), play_deals, work, threads, stop)) as played:
        for (_, count, is_look), tally, seconds in played:
            sums.add(tally)
            pace.learn(count, seconds)
            if is_look:
                yield sums.copy()


def _chunks(looks, first, pace):
    """Cut deals into chunks (first, how many, whether a look follows); no chunk reaches beyond a look."""
    for deals in looks:
        end = first + deals
        while first < end:
            count = min(pace.games, end - first)
            first += count
            yield first - count, count, first == end

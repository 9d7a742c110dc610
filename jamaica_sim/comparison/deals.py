"""The deals of a comparison: playing them, and the exact sums that every figure is made from.

A deal is one game number, so all its seatings have the same luck. It is played in all seatings of the design. Deals are
independent of each other. Only the sums of a `DealTally` are kept, no single deal.
"""

import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, fields
from functools import partial
from typing import NamedTuple

import numpy as np

from jamaica_sim.codes import WIN_UNITS
from jamaica_sim.comparison.design import Contest, Design
from jamaica_sim.engine.rulebook import rulebook_of
from jamaica_sim.engine.state import RESULT_DTYPE
from jamaica_sim.play.chunks import Pace
from jamaica_sim.play.state_record import GamePlayer, Seats, StrategyFault
from jamaica_sim.play.worker_threads import in_order
from jamaica_sim.stats.control import STAGES, stage_of

CHUNK_GAMES = 2048  # games that a thread plays in one go at most
CHUNK_SECONDS = 0.1  # how long a chunk should take, and so the longest wait until a comparison stops
FURTHER_THAN_ANY = 1 << 20  # spaces, more than any ship has to go
AHEAD_UNITS = 2  # finishing ahead counts 2, level 1


@dataclass(eq=False)
class DealTally:
    """Sums over deals, in whole numbers, by kind of deal. They add up in any order, and their size is fixed.

    The last four are kept with two strategies only. Stages are those of `stats.control`; the four values of a stage are
    the wins of both, how often the first finished ahead, and the first one's fortune minus the second's.
    """

    deals: np.ndarray  # [kind]
    wins: np.ndarray  # [kind, member of the line-up, then seat from the first Captain], in WIN_UNITS
    products: np.ndarray  # [kind, ...]: sums over deals of the outer product of the deal's wins
    ahead: np.ndarray  # [kind, side, side]: ships of one strategy ahead of ships of the other, in AHEAD_UNITS
    ahead_squares: np.ndarray
    leads: np.ndarray  # [game of the deal]: the first one's lead (`leads_by_game`), and its square
    stage_deals: np.ndarray  # [stage]
    stage_sums: np.ndarray  # [stage, value]
    stage_products: np.ndarray  # [stage, value, value]

    @classmethod
    def empty(cls, plan: Design) -> "DealTally":
        """No deals yet."""
        kinds, wide, sides = len(plan.cycle), plan.members.max() + 1 + plan.players, plan.sides
        stages = STAGES if plan.strategies == 2 else 0
        by_kind = ((kinds,), (kinds, wide), (kinds, wide, wide), (kinds, sides, sides), (kinds, sides, sides))
        shapes = (*by_kind, (plan.games_in_deal, 2), (stages,), (stages, 4), (stages, 4, 4))
        return cls(*(np.zeros(shape, np.int64) for shape in shapes))

    def add(self, other: "DealTally") -> None:
        """Add the deals of another tally to this one."""
        for field in fields(self):
            getattr(self, field.name)[...] += getattr(other, field.name)

    def as_array(self) -> np.ndarray:
        """All sums in one flat array."""
        return np.concatenate([getattr(self, field.name).ravel() for field in fields(self)])

    @classmethod
    def from_array(cls, plan: Design, sums: np.ndarray) -> "DealTally | None":
        """The tally from the sums of `as_array`; None where they are of another design.

        Folders of earlier versions have no sums by stage, which are then 0.
        """
        tally = cls.empty(plan)
        by_stage = tally.stage_deals.size + tally.stage_sums.size + tally.stage_products.size
        if by_stage and sums.ndim == 1 and sums.size == tally.as_array().size - by_stage:
            sums = np.concatenate([sums, np.zeros(by_stage, np.int64)])
        if sums.shape != tally.as_array().shape:
            return None
        start = 0
        for field in fields(cls):
            array = getattr(tally, field.name)
            array[...] = sums[start : start + array.size].reshape(array.shape)
            start += array.size
        return tally

    def copy(self) -> "DealTally":
        """A copy that later additions to this tally do not change."""
        return DealTally(*(getattr(self, field.name).copy() for field in fields(self)))


@dataclass(frozen=True)
class Deals:
    """Some deals as they were played."""

    numbers: np.ndarray
    kinds: np.ndarray  # of each deal: its place in the cycle of the design
    wins: np.ndarray  # [deal, game, ship], in WIN_UNITS
    first_captains: np.ndarray  # of each deal: the ship, the same in all its games
    standings: np.ndarray  # [deal, game, ship]: numbers that put the ships in order (E3): score, then spaces to go
    fortune: np.ndarray  # [deal, game, ship]: what luck gave it beyond its mean (`engine/fortune.py`)

    def wins_by_seat(self) -> np.ndarray:
        """Wins by seat from the first Captain, instead of by ship."""
        seats = np.arange(self.wins.shape[2])
        ships = (seats[None, :] + self.first_captains[:, None]) % seats.size
        return np.take_along_axis(self.wins, ships[:, None, :], axis=2)


def tally_deals(plan: Design, played: Deals) -> DealTally:
    """The sums over some deals."""
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
        luck = fortune_by_deal(plan, played)
        _tally_stages(tally, played.numbers, np.column_stack([wins_by_member, ahead[:, 0, 1], luck]))
    return tally


def _tally_stages(tally: DealTally, numbers: np.ndarray, values: np.ndarray) -> None:
    """Sums and products of the values of deals, by stage."""
    stages = stage_of(numbers)
    for stage in np.unique(stages):
        of_stage = values[stages == stage]
        tally.stage_deals[stage] = len(of_stage)
        tally.stage_sums[stage] = of_stage.sum(axis=0)
        tally.stage_products[stage] = of_stage.T @ of_stage


def leads_by_game(plan: Design, played: Deals) -> np.ndarray:
    """Wins of the first of two strategies minus the second's, in `WIN_UNITS`, weighted by `Design.lead_weights`."""
    return (played.wins * plan.lead_weights[plan.members[played.kinds]]).sum(axis=2)


def fortune_by_deal(plan: Design, played: Deals) -> np.ndarray:
    """The fortune of the first strategy's ships minus that of the second's, by deal."""
    return (played.fortune * np.array([1, -1])[plan.members[played.kinds]]).sum(axis=(1, 2))


def _ahead_by_side(plan: Design, played: Deals) -> np.ndarray:
    """How often the ships of each strategy finished ahead of those of every other, in `AHEAD_UNITS`, by deal."""
    own, others = played.standings[:, :, :, None], played.standings[:, :, None, :]
    ahead = 2 * (own > others).astype(np.int64) + (own == others)
    membership = plan.membership[played.kinds]
    by_member = (membership.swapaxes(2, 3) @ ahead @ membership).sum(axis=1)
    if plan.sides == plan.sides_of_members.shape[1]:  # each member is a side of its own
        return by_member
    sides = (plan.sides_of_members[:, :, None] == np.arange(plan.sides)).astype(np.int64)[played.kinds]
    return sides.transpose(0, 2, 1) @ by_member @ sides


class DealPlayer(GamePlayer):
    """Plays deals, one after the other, in one state record for one thread."""

    def __init__(self, contest: Contest, plan: Design | None = None) -> None:
        super().__init__(contest.rules, contest.strategies[:1], contest.seed, contest.luck)
        self._contest = contest
        self._plan = plan or contest.design
        self._rulebook = rulebook_of(contest.rules)
        self._seats = Seats(contest.strategies, contest.rules)
        self._seating = np.zeros(0, np.int64)

    def play(self, first: int, count: int) -> Deals:
        """Play the deals `first` to `first + count - 1`. Deal b is game number b; the kinds of deal take turns."""
        plan = self._plan
        numbers = np.arange(first, first + count)
        kinds = numbers % len(plan.cycle)
        rows = np.zeros((plan.games_in_deal, count), RESULT_DTYPE)
        together = count if len(plan.cycle) == 1 else 1  # deals of one kind that follow each other
        for start in range(0, count, together):
            for game, seating in enumerate(plan.seatings[kinds[start]]):
                self._play(seating, first + start, rows[game, start : start + together])
        return self._deals(numbers, kinds, rows.T)

    def _play(self, seating: np.ndarray, deal: int, rows: np.ndarray) -> None:
        self._seats.take(self.state, seating)
        self._seating, self.seated = seating, [self._contest.strategies[s] for s in seating]
        self.play_rows(self._rulebook, deal, rows)

    def explain(self, fault: StrategyFault) -> None:
        """Add to a fault how to see its game, and who sits where."""
        super().explain(fault)
        fault.where = (self._seating.tolist(),)

    def _deals(self, numbers: np.ndarray, kinds: np.ndarray, rows: np.ndarray) -> Deals:
        rules, r = self._contest.rules, self._rulebook[0]
        won = rows["winners"][:, :, None].astype(np.int64) >> np.arange(rules.ships) & 1
        wins = won * (WIN_UNITS // won.sum(axis=2, keepdims=True))
        space, lap, score, fortune = (
            rows[name][:, :, : rules.players].astype(np.int64)
            for name in ("final_space", "final_lap", "score", "fortune")
        )
        to_go = r["to_finish"][space] - r["circuit"] * lap
        first_captains = rows["first_captain"][:, 0].astype(np.int64)
        standings = score * FURTHER_THAN_ANY - to_go
        return Deals(numbers, kinds, wins[:, :, : rules.players], first_captains, standings, fortune)


class Piece(NamedTuple):
    """Consecutive deals between two looks; `is_look` if a look comes right after them."""

    first: int
    deals: int
    is_look: bool


PlayedPieces = tuple[list[Piece], list["DealTally"], float]  # pieces, the sums of each, and the seconds they took


@dataclass(frozen=True)
class Dealer:
    """Plays deals: `play(work, stop)` yields (pieces, their tallies, seconds) for each list of pieces in `work`.

    With `across_looks` a list of pieces may go on beyond a look, so that it can be as long as the pace says.
    """

    play: Callable[[Iterable[list[Piece]], threading.Event], Generator[PlayedPieces, None, None]]
    pace: Pace
    across_looks: bool = False


def dealer_here(contest: Contest, threads: int, chunk_games: int = CHUNK_GAMES) -> Dealer:
    """A dealer that plays deals on threads of this machine."""
    plan = contest.design

    def play(work: Iterable[list[Piece]], stop: threading.Event) -> Generator[PlayedPieces, None, None]:
        return in_order(lambda: DealPlayer(contest), partial(play_pieces, plan), work, threads, stop)

    return Dealer(play, Pace(CHUNK_SECONDS, max(1, chunk_games // plan.games_in_deal)))


def play_pieces(plan: Design, player: DealPlayer, pieces: list[Piece]) -> PlayedPieces:
    """Play pieces, and tally each piece by itself."""
    started = time.perf_counter()
    tallies = [tally_deals(plan, player.play(piece.first, piece.deals)) for piece in pieces]
    return pieces, tallies, time.perf_counter() - started


def tallies_in_order(
    contest: Contest,
    looks: Sequence[int],
    dealer: Dealer,
    done: DealTally | None = None,
    stop: threading.Event | None = None,
) -> Generator[DealTally, None, None]:
    """Have deals played, and yield the sums of all deals so far, with those in `done`, after each look.

    `looks` has the number of further deals before each look. Closing the generator stops the dealer, as does `stop`.
    """
    sums = DealTally.empty(contest.design) if done is None else done.copy()
    work = _cut(looks, int(sums.deals.sum()), dealer.pace, dealer.across_looks)
    with closing(dealer.play(work, stop or threading.Event())) as played:
        for pieces, tallies, seconds in played:
            dealer.pace.learn(sum(piece.deals for piece in pieces), seconds)
            for piece, tally in zip(pieces, tallies, strict=True):
                sums.add(tally)
                if piece.is_look:
                    yield sums.copy()


def _cut(looks: Sequence[int], first: int, pace: Pace, across_looks: bool) -> Iterator[list[Piece]]:
    """Cut deals into lists of pieces; no piece reaches beyond a look."""
    pieces, room = [], pace.games
    for deals in looks:
        end = first + deals
        while first < end:
            count = min(room, end - first)
            first, room = first + count, room - count
            pieces.append(Piece(first - count, count, first == end))
            if room == 0 or not across_looks:
                yield pieces
                pieces, room = [], pace.games
    if pieces:
        yield pieces

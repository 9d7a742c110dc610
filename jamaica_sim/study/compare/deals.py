"""The deals of a comparison: playing them, and the exact sums that every figure is made from.

A deal is one game number, so all its seatings have the same luck. It is played in all seatings of the design. Deals are
independent of each other. Only sums over deals are kept, no single deal.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from jamaica_sim.engine.rulebook import rulebook_of
from jamaica_sim.engine.state import RESULT_DTYPE
from jamaica_sim.game.codes import WIN_UNITS
from jamaica_sim.play.chunks import Layout, Summing
from jamaica_sim.play.manifest import plain_table, seated
from jamaica_sim.play.own_measures import words_for_ships
from jamaica_sim.play.state_record import Seats, StrategyFault
from jamaica_sim.play.tally.layout import OWN, PARTS
from jamaica_sim.results.stats.control import STAGES, stage_of
from jamaica_sim.study.compare.design import Contest, Design

CHUNK_GAMES = 2048  # games whose rows are kept until they are summed up
FURTHER_THAN_ANY = 1 << 20  # spaces, more than any ship has to go
AHEAD_UNITS = 2  # finishing ahead counts 2, level 1


def deal_sums(design: Design, measures: int = 0) -> np.dtype:
    """The record of sums over deals, in whole numbers, by kind of deal. Records add up in any order.

    `leads` and what follows is kept with two strategies only. Stages are those of `stats.control`; the four values of a
    stage are the wins of both, how often the first finished ahead, and the first one's fortune minus the second's.
    """
    kinds, wide, sides = len(design.cycle), design.members.max() + 1 + design.players, design.sides
    stages = STAGES if design.strategies == 2 else 0
    shapes: dict[str, tuple[int, ...]] = {
        "games": (),
        "deals": (kinds,),
        "wins": (kinds, wide),  # by member of the line-up, then by seat from the first Captain, in WIN_UNITS
        "products": (kinds, wide, wide),  # sums over deals of the outer product of the deal's wins
        "ahead": (kinds, sides, sides),  # ships of one strategy ahead of ships of the other, in AHEAD_UNITS
        "ahead_squares": (kinds, sides, sides),
        "leads": (design.games_in_deal, 2),  # by game of the deal: the first one's lead (`leads_by_game`), its square
        "stage_deals": (stages,),
        "stage_sums": (stages, 4),
        "stage_products": (stages, 4, 4),
    }
    if measures:
        shapes["own"] = (measures, PARTS, OWN)  # measures of one's own, by part: cycles of line-ups in turn
    return np.dtype((np.record, [(name, np.int64, shape) for name, shape in shapes.items()]))


def no_deals(design: Design, measures: int = 0) -> np.ndarray:
    """The sums before any deal: an array of one record."""
    return np.zeros(1, deal_sums(design, measures))


@dataclass(frozen=True)
class Deals:
    """Some deals as they were played."""

    numbers: np.ndarray
    kinds: np.ndarray  # of each deal: its place in the cycle of the design
    wins: np.ndarray  # [deal, game, ship], in WIN_UNITS
    first_captains: np.ndarray  # of each deal: the ship, the same in all its games
    standings: np.ndarray  # [deal, game, ship]: numbers that put the ships in order (E3): score, then spaces to go
    fortune: np.ndarray  # [deal, game, ship]: what luck gave it beyond its mean (`engine/luck.py`)
    own: np.ndarray | None = None  # the sums of measures of one's own, over these deals

    def wins_by_seat(self) -> np.ndarray:
        """Wins by seat from the first Captain, instead of by ship."""
        seats = np.arange(self.wins.shape[2])
        ships = (seats[None, :] + self.first_captains[:, None]) % seats.size
        return np.take_along_axis(self.wins, ships[:, None, :], axis=2)


def tally_deals(design: Design, played: Deals) -> np.ndarray:
    """The sums over some deals, an array of one record."""
    sums = no_deals(design, 0 if played.own is None else len(played.own))
    tally = sums[0]
    if played.own is not None:
        tally["own"] = played.own
    tally["games"] = played.wins.shape[0] * design.games_in_deal
    wins_by_member = np.einsum("dgp,dgpm->dm", played.wins, design.membership[played.kinds])
    wins = np.concatenate([wins_by_member, played.wins_by_seat().sum(axis=1)], axis=1)
    ahead = _ahead_by_side(design, played)
    np.add.at(tally.deals, played.kinds, 1)
    np.add.at(tally.wins, played.kinds, wins)
    np.add.at(tally.products, played.kinds, wins[:, :, None] * wins[:, None, :])
    np.add.at(tally.ahead, played.kinds, ahead)
    np.add.at(tally.ahead_squares, played.kinds, ahead**2)
    if design.strategies == 2:
        leads = leads_by_game(design, played)
        tally.leads[:] = np.stack([leads.sum(axis=0), (leads**2).sum(axis=0)], axis=1)
        luck = fortune_by_deal(design, played)
        _tally_stages(tally, played.numbers, np.column_stack([wins_by_member, ahead[:, 0, 1], luck]))
    return sums


def _tally_stages(tally: np.record, numbers: np.ndarray, values: np.ndarray) -> None:
    """Sums and products of the values of deals, by stage."""
    stages = stage_of(numbers)
    for stage in np.unique(stages):
        of_stage = values[stages == stage]
        tally.stage_deals[stage] = len(of_stage)
        tally.stage_sums[stage] = of_stage.sum(axis=0)
        tally.stage_products[stage] = of_stage.T @ of_stage


def leads_by_game(design: Design, played: Deals) -> np.ndarray:
    """Wins of the first of two strategies minus the second's, in `WIN_UNITS`, weighted by `Design.lead_weights`."""
    return (played.wins * design.lead_weights[design.members[played.kinds]]).sum(axis=2)


def fortune_by_deal(design: Design, played: Deals) -> np.ndarray:
    """The fortune of the first strategy's ships minus that of the second's, by deal."""
    return (played.fortune * np.array([1, -1])[design.members[played.kinds]]).sum(axis=(1, 2))


def _ahead_by_side(design: Design, played: Deals) -> np.ndarray:
    """How often the ships of each strategy finished ahead of those of every other, in `AHEAD_UNITS`, by deal."""
    own, others = played.standings[:, :, :, None], played.standings[:, :, None, :]
    ahead = 2 * (own > others).astype(np.int64) + (own == others)
    membership = design.membership[played.kinds]
    by_member = (membership.swapaxes(2, 3) @ ahead @ membership).sum(axis=1)
    if design.sides == design.sides_of_members.shape[1]:  # each member is a side of its own
        return by_member
    sides = (design.sides_of_members[:, :, None] == np.arange(design.sides)).astype(np.int64)[played.kinds]
    return sides.transpose(0, 2, 1) @ by_member @ sides


class DealPlayer(Summing):
    """Plays deals, one after the other, in one state record for one thread."""

    def __init__(self, contest: Contest) -> None:
        super().__init__(contest.rules, contest.strategies[:1], contest.seed, contest.luck)
        self._contest = contest
        self._design = contest.design
        self._rulebook = rulebook_of(contest.rules)
        self._seats = Seats(contest.strategies, contest.rules)
        self._seating = np.zeros(0, np.int64)
        self._measures = contest.own_measures()

    def sums(self, first: int, count: int) -> np.ndarray:
        """The sums over deals, an array of one record."""
        sums = no_deals(self._design, len(self._contest.measures))
        size = max(1, CHUNK_GAMES // self._design.games_in_deal)
        for start in range(first, first + count, size):
            tally = tally_deals(self._design, self.deals(start, min(size, first + count - start)))
            sums.view(np.int64)[:] += tally.view(np.int64)
        return sums

    def deals(self, first: int, count: int) -> Deals:
        """Play the deals `first` to `first + count - 1`. Deal b is game number b; the kinds of deal take turns."""
        design = self._design
        numbers = np.arange(first, first + count)
        kinds = numbers % len(design.cycle)
        rows = np.zeros((design.games_in_deal, count), RESULT_DTYPE)
        together = count if len(design.cycle) == 1 else 1  # deals of one kind that follow each other
        for start in range(0, count, together):
            for game, seating in enumerate(design.seatings[kinds[start]]):
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
        own = self._measured(numbers, kinds, rows) if self._measures else None
        return Deals(numbers, kinds, wins[:, :, : rules.players], first_captains, standings, fortune, own)

    def _measured(self, numbers: np.ndarray, kinds: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """The sums of measures of one's own. The name of a strategy means other ships in each seating."""
        assert self._measures is not None
        seatings, labels = self._design.seatings[kinds], self._contest.labels
        words = words_for_ships([], self._contest.rules)
        ships = 1 << np.arange(seatings.shape[2])
        words |= {label: ((seatings == number) @ ships).ravel() for number, label in enumerate(labels)}
        part = numbers // len(self._design.cycle) % PARTS
        return self._measures.sums(rows.ravel(), np.repeat(part, rows.shape[1]), words)


# On a cluster. An order has the line-ups too, because finding them takes long when there are many strategies.


def _order(contest: Contest) -> dict[str, Any]:
    design = contest.design
    lines = [design.strategies, design.players, design.cycle, design.rotations]
    return {**plain_table(contest), "against": contest.against, "design": lines}


def _ordered(order: dict[str, Any]) -> Contest:
    strategies, players, cycle, rotations = order["design"]
    lines = tuple(tuple(tuple(line) for line in deal) for deal in cycle)
    known = Design(strategies, players, lines, rotations)
    return contest_of(order, known)


def contest_of(config: dict[str, Any], known: Design | None = None) -> Contest:
    """The contest that a configuration describes; `known` are its line-ups, where they are found already."""
    rules, seats = seated(config)
    own = config.get("luck", {}), known, config.get("measures", {})
    return Contest(rules, tuple(seats), config["seed"], config["against"], *own)


def sums_before(config: dict[str, Any]) -> np.ndarray:
    """The sums of a configuration before any deal."""
    contest = contest_of(config)
    return no_deals(contest.design, len(contest.measures))


def _dtype(contest: Contest) -> np.dtype:
    return deal_sums(contest.design, len(contest.measures))


BY_DEAL = Layout(DealPlayer, _dtype, _order, _ordered)

"""The figures of the studio: what is shown of two sets of rules that play the same deals, and what is clear.

Every difference has a confidence sequence, and all sequences together miss with a chance of at most 5%, however often
one looks (`stats.sequential.Family`). So "clear" stays true while the games go on.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from jamaica_sim.play.game_table import GameTable
from jamaica_sim.results.measures import (
    BATTLES,
    COMEBACKS,
    GHOST_SHIP,
    GHOST_WINS,
    LEAD,
    LEAD_CHANGES,
    ROUNDS,
    SHORTAGES,
    STRATEGY_GAP,
    TREASURES,
    Floats,
    Measure,
)
from jamaica_sim.results.results import Results, Sums
from jamaica_sim.stats.sequential import Family, RunningSquares
from jamaica_sim.tally.layout import TALLY_DTYPE

FEW = 400  # games; before them no difference is called clear
SMALL_SHARE = 0.01  # a share that differs by less is as good as the same
WIDE = 3.0  # standard deviations: what one game may differ by
ALPHA_FIGURES, ALPHA_SPACES = 0.04, 0.01  # together the chance that anything is wrongly called clear
MAPS = ("short", "fought", "landed")
SMALL_ON_SPACE = 0.02  # per game
ORDINALS = ("first Captain", "second", "third", "fourth", "fifth", "sixth")
SEATS_IN_WORDS = ("the first Captain", *(f"the {ordinal} seat" for ordinal in ORDINALS[1:]))


@dataclass(frozen=True)
class Figure:
    """One row of the page: a measure, the group it stands in, its label, and the seats whose ships stand before it.

    `raw` is the measure without corrections that need all games at once: its error is taken from there.
    """

    group: str
    measure: Measure
    label: str
    seats: tuple[int, ...] = ()
    raw: Callable[[Results], Floats] | None = None

    def margin(self, base: Results) -> float:
        """What a difference has to exceed to matter, in the unit of the measure."""
        if self.measure.share:
            return SMALL_SHARE
        return max(1e-6, self.measure.noticeable / 2 * self.measure.spread(base))


def figures_of(table: GameTable) -> list[Figure]:
    """The rows of a table, in the order of the page."""
    labels = [strategy.label for strategy in table.strategies]
    rows = []
    for name in dict.fromkeys(labels):
        seats = tuple(seat for seat, label in enumerate(labels) if label == name)
        rows.append(Figure("wins", _win_rate(name, len(seats)), name, seats))
    if table.rules.ghost:
        rows.append(Figure("wins", GHOST_WINS, GHOST_SHIP, (table.rules.players,)))
    for seat in range(table.rules.players):
        rows.append(Figure("seats", _seat_rate(seat), ORDINALS[seat]))
    rows += [Figure("game", measure, measure.column) for measure in (ROUNDS, SHORTAGES, BATTLES, TREASURES)]
    rows += [Figure("close", measure, measure.column) for measure in (LEAD_CHANGES, LEAD, COMEBACKS)]
    if STRATEGY_GAP.applies(table):
        rows.append(Figure("close", STRATEGY_GAP, "best − worst", raw=_raw_gap(labels)))
    return rows


def _win_rate(name: str, seats: int) -> Measure:
    def sums(results: Results) -> Floats:
        rate: Floats = results.sums.group(name, "win") / seats / results.sums.games
        return rate

    return Measure(f"win:{name}", name, f"the share of games that a ship of {name} wins", "", "", sums, share=True)


def _seat_rate(seat: int) -> Measure:
    def sums(results: Results) -> Floats:
        rate: Floats = results.sums.seat_wins(seat) / results.sums.games
        return rate

    noun = f"the share of games that {SEATS_IN_WORDS[seat]} wins"
    return Measure(f"seat:{seat}", ORDINALS[seat], noun, "", "", sums, share=True)


def _raw_gap(labels: list[str]) -> Callable[[Results], Floats]:
    def sums(results: Results) -> Floats:
        rates = [results.sums.group(name, "win") / labels.count(name) for name in dict.fromkeys(labels)]
        gap: Floats = (np.max(rates, axis=0) - np.min(rates, axis=0)) / results.sums.games
        return gap

    return sums


class _BatchSums(Sums):
    """Sums over all games so far, and over all of them but one part of the last batch."""

    def __init__(self, results: "_Growing"):
        super().__init__(results)
        self._batch = results.batch
        self._parts = np.flatnonzero(self._batch["part_games"])

    def _of(self, name: str, *index: int) -> Floats:
        total = self._tally[name][(slice(None), *index)].sum()
        return np.concatenate([[total], total - self._batch[name][(self._parts, *index)]]).astype(float)


@dataclass(frozen=True, repr=False)
class _Growing(Results):
    """Results whose last batch can be left out part by part."""

    batch: np.void = field(kw_only=True)

    @property
    def sums(self) -> Sums:
        """See `_BatchSums`."""
        return _BatchSums(self)


class Watch:
    """Two sets of rules on the same deals, batch after batch."""

    def __init__(self, base: GameTable, varied: GameTable):
        self.tables = (base, varied)
        self.is_changed = base.rules != varied.rules
        self.figures = figures_of(base)
        self._squares = [RunningSquares() for _ in self.figures]
        self._family = Family(len(self.figures), ALPHA_FIGURES)
        self._tallies = tuple(np.zeros(1, TALLY_DTYPE) for _ in self.tables)
        self._scales: list[tuple[float, float]] = []  # margin and span of each figure, fixed by the first batch

    @property
    def results(self) -> tuple[Results, Results]:
        """What both have shown so far."""
        base, varied = (Results(t, tally[0], 0, 0.0) for t, tally in zip(self.tables, self._tallies, strict=True))
        return base, varied

    def add(self, base: np.ndarray, varied: np.ndarray) -> None:
        """Add the tallies of the next batch."""
        batches = (base, varied)
        for total, batch in zip(self._tallies, batches, strict=True):
            total.view(np.int64)[:] += batch.view(np.int64)
        if not self.is_changed:
            return
        ours, theirs = (
            _Growing(table, total[0], 0, 0.0, batch=batch[0])
            for table, total, batch in zip(self.tables, self._tallies, batches, strict=True)
        )
        for figure, squares in zip(self.figures, self._squares, strict=True):
            sums = figure.raw or figure.measure.sums
            squares.add(ours.games, sums(theirs) - sums(ours))
        if not self._scales:
            first = self.results[0]
            self._scales = [
                (figure.margin(first), 1.0 if figure.measure.share else max(1e-6, WIDE * figure.measure.spread(first)))
                for figure in self.figures
            ]

    def rows(self) -> list[dict[str, Any]]:
        """Every figure as a row for the page; shares in percent, their differences in points."""
        base, varied = self.results
        games = base.games
        if not self.is_changed:
            return [self._base_row(figure, base) for figure in self.figures]
        found = []
        for figure, squares, (margin, span) in zip(self.figures, self._squares, self._scales, strict=True):
            measure = figure.measure
            half = float(self._family.half_width(games, squares.total, margin, span))
            was, now = measure.of(base), measure.of(varied)
            gap = now.value - was.value
            row = _row(figure, was.value, now.value, now.half_width)
            row |= {
                "difference": _plain(measure.scale * gap),
                "half": _plain(measure.scale * half),
                "size": _plain(gap / (measure.spread(base) or 1.0)),
                "state": state_of(gap, half, margin, games),
            }
            found.append(row)
        return found

    @staticmethod
    def _base_row(figure: Figure, base: Results) -> dict[str, Any]:
        value = figure.measure.of(base)
        return _row(figure, value.value, value.value, value.half_width) | {"state": "base"}

    def spaces(self) -> dict[str, list[list[Any]]]:
        """For each map and space: the base's mean per game, the variant's, and the sign of a clear change."""
        base, varied = self.results
        games, found = base.games, {}
        boards = [len(table.rules.components.board) for table in self.tables]
        family = Family(len(MAPS) * max(boards), ALPHA_SPACES)
        for name in MAPS:
            means, squares = zip(*(_by_space(results, name) for results in (base, varied)), strict=True)
            clear = np.zeros(means[0].size, int)
            if self.is_changed and games >= FEW:
                # Unpaired, which is wider: luck that both share is not taken off.
                half = family.half_width(games, squares[0] + squares[1], SMALL_ON_SPACE, 2.0)
                gap = means[1] - means[0]
                clear = np.where(np.abs(gap) > half, np.sign(gap), 0).astype(int)
            most = max(boards)
            found[name] = [*(np.round(mean[:most], 4).tolist() for mean in means), clear[:most].tolist()]
        return found


def state_of(gap: float, half: float, margin: float, games: int) -> str:
    """What can be said of a difference: "few" games, "clear", "small" (no more than the margin), "close" to call."""
    if games < FEW or not math.isfinite(half) or math.isnan(gap):
        return "few"
    if abs(gap) > half:
        return "clear"
    return "small" if abs(gap) + half < margin else "close"


def _by_space(results: Results, name: str) -> tuple[Floats, Floats]:
    """The mean per game of a map, and the sum of squares about it, for each space."""
    total, squares = results.tally[name].astype(float)
    return total / results.games, squares - total**2 / results.games


def _row(figure: Figure, base: float, value: float, own_half: float) -> dict[str, Any]:
    measure = figure.measure
    return {
        "group": figure.group,
        "key": measure.key,
        "label": figure.label,
        "noun": measure.noun,
        "share": measure.share,
        "seats": list(figure.seats),
        "base": _plain(measure.scale * base),
        "value": _plain(measure.scale * value),
        "own_half": _plain(measure.scale * own_half),
    }


def _plain(value: float) -> float | None:
    return round(float(value), 6) if math.isfinite(value) else None

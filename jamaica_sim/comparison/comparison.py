"""What a comparison showed: estimates made from the exact sums of its blocks, tables, and the sentence to quote.

Every error is counted over blocks, never over single games. After a comparison that was played until its verdict all
intervals are confidence sequences, which hold however often one has looked.
"""

import json
import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy import special

from jamaica_sim.comparison.design import AHEAD_UNITS, BlockTally, Contest, Design
from jamaica_sim.limits import check_games
from jamaica_sim.results.results import ResultTable
from jamaica_sim.stats.estimate import (
    Estimate,
    PairMoments,
    mean_interval,
    pairing_gain,
    ratio_interval,
    ratio_squares,
)
from jamaica_sim.stats.rating import (
    LineUpTally,
    RankRange,
    Rating,
    Transitivity,
    ranks_with_ties,
    rate,
    transitivity,
)
from jamaica_sim.stats.sequential import Verdict, confidence_sequence, judge, sequence_half_width
from jamaica_sim.store.atomic_files import write_whole
from jamaica_sim.store.saved_folder import appearing_folder
from jamaica_sim.tally.layout import WIN_UNITS

WIN = int(WIN_UNITS)
LOOK_GAMES = 1_000  # about as many between two looks
MOST_LOOKS = 1_000_000  # or about as many in all, which is a billion games
LEAST_SHARE, MOST_SHARE = 0.0005, 0.2  # of margin and alpha
RATING_POINTS = 400 / math.log(10)  # as in chess: 400 points are ten to one


@dataclass(frozen=True)
class Plan:
    """How long to play, and what counts as a difference.

    Attributes
    ----------
    games : int
        Games to play; with `until_verdict` the most.
    until_verdict : bool
        Whether to stop as soon as every pair is told apart or equal.
    margin : float
        The difference in win rate that matters.
    alpha : float
        One less the confidence of the intervals; the chance of a wrong verdict, at all looks together.
    """

    games: int
    until_verdict: bool = False
    margin: float = 0.01
    alpha: float = 0.05

    def __post_init__(self):
        check_games(self.games)
        for name, meaning in (("margin", "0.01 is one point of win rate"), ("alpha", "0.05 is for 95% intervals")):
            value = getattr(self, name)
            if not isinstance(value, int | float) or not LEAST_SHARE <= value <= MOST_SHARE:
                raise ValueError(f"the {name} must be from {LEAST_SHARE} to {MOST_SHARE}, not {value!r}: {meaning}.")

    def looks(self, design: Design) -> list[int]:
        """The numbers of blocks between looks: whole cycles of the design, so that every look is balanced."""
        in_cycle = design.games_in_cycle
        cycles = self.games // in_cycle if self.until_verdict else -(-self.games // in_cycle)
        if cycles == 0:
            raise ValueError(
                f"{self.games:,} games are too few: all line-ups of {design.strategies} strategies at tables of "
                f"{design.players} once take {in_cycle:,} games."
            )
        step = max(-(-LOOK_GAMES // in_cycle), cycles // MOST_LOOKS)
        steps = [min(step, cycles - done) for done in range(0, cycles, step)]
        return [cycles * len(design.blocks) for cycles in steps]


class PairSums(NamedTuple):
    """Sums over the blocks in which both of two strategies sat, as arrays over pairs; the diagonal is over one's own.

    `value` is what the first of the pair won in a block, weighted so that `scale` makes a win rate of 1 per seat, and
    `square` and `cross` are its squares and its products with the second's; no value is larger than `span`.
    `ahead` is how often its ships finished ahead, weighted so that `ahead_scale` makes a share of 1.
    """

    blocks: np.ndarray
    value: np.ndarray
    square: np.ndarray
    cross: np.ndarray
    scale: int
    span: float
    ahead: np.ndarray
    ahead_square: np.ndarray
    ahead_scale: int


def pair_sums(design: Design, tally: BlockTally) -> PairSums:
    """The sums of a tally by pair of strategies, whatever line-ups they met in."""
    members = design.sides_of_members.shape[1]
    unit = int(np.lcm.reduce(design.side_seats.ravel()))
    on_side = (design.sides_of_members[:, :, None] == np.arange(design.sides)) * (unit // design.side_seats)[:, None]
    value = np.einsum("kms,km->ks", on_side, tally.wins[:, :members])
    cross = on_side.transpose(0, 2, 1) @ tally.products[:, :members, :members] @ on_side
    square = np.diagonal(cross, axis1=1, axis2=2)
    pair_unit = int(np.lcm.reduce(design.ship_pairs.ravel()))
    weight = pair_unit // design.ship_pairs
    count = design.strategies
    place = design.side_strategies[:, :, None] * count + design.side_strategies[:, None, :]

    def by_pair(of_sides):
        flat = np.zeros(count * count, np.int64)
        np.add.at(flat, place, np.broadcast_to(of_sides, place.shape))
        return flat.reshape(count, count)

    return PairSums(
        blocks=by_pair(tally.blocks[:, None, None]),
        value=by_pair(value[:, :, None]),
        square=by_pair(square[:, :, None]),
        cross=by_pair(cross),
        scale=WIN * unit,
        span=design.games_in_block / int(design.side_seats.min()),
        ahead=by_pair(tally.ahead * weight),
        ahead_square=by_pair(tally.ahead_squares * weight**2),
        ahead_scale=AHEAD_UNITS * pair_unit,
    )


@dataclass(frozen=True, eq=False)
class Comparison:
    """What some blocks showed about the strategies of a contest. Strategies are numbered as they were given."""

    contest: Contest
    plan: Plan
    tally: BlockTally
    complete: bool = True

    @property
    def deals(self) -> int:
        """How many blocks were played, each on a deal of its own."""
        return int(self.tally.blocks.sum())

    @property
    def games(self) -> int:
        """How many games were played."""
        return self.deals * self.contest.design.games_in_block

    @property
    def labels(self) -> list[str]:
        """The names of the strategies."""
        return self.contest.labels

    @property
    def is_duel(self) -> bool:
        """Whether there are just two strategies."""
        return len(self.labels) == 2

    @property
    def confidence(self) -> float:
        """Of all intervals."""
        return 1 - self.plan.alpha

    @cached_property
    def _sums(self) -> PairSums:
        return pair_sums(self.contest.design, self.tally)

    def _interval(self, n, total, total_sq, scale, span, alpha=None) -> Estimate:
        moments, alpha = (int(n), int(total), int(total_sq)), alpha or self.plan.alpha
        if self.plan.until_verdict:
            return confidence_sequence(*moments, self.plan.margin, alpha, scale=scale, span=span)
        return mean_interval(*moments, 1 - alpha, scale=scale, span=span * scale)

    def _moments(self, first, second) -> PairMoments:
        s = self._sums
        both = (first, second), (second, first)
        totals, squares = ([int(of[pair]) for pair in both] for of in (s.value, s.square))
        return PairMoments(int(s.blocks[first, second]), *totals, *squares, int(s.cross[first, second]))

    def win_rate(self, strategy: int, opponent: int | None = None) -> Estimate:
        """Share of the victory that a ship has in a game, at tables with the opponent if one is named."""
        s, pair = self._sums, (strategy, strategy if opponent is None else opponent)
        return _share(self._interval(s.blocks[pair], s.value[pair], s.square[pair], s.scale, s.span))

    def difference(self, first: int, second: int, alpha: float | None = None) -> Estimate:
        """Win rate of the first less that of the second, on the deals that both played at one table."""
        s = self._sums
        return self._interval(*self._moments(first, second).difference(), s.scale, s.span, alpha)

    def ahead(self, first: int, second: int) -> Estimate:
        """Share of games in which a ship of the first finishes ahead of one of the second (E3), level counting half."""
        s, pair = self._sums, (first, second)
        return _share(self._interval(s.blocks[pair], s.ahead[pair], s.ahead_square[pair], s.ahead_scale, 1.0))

    def share_of_points(self, first: int, second: int) -> Estimate:
        """Of the victories that the two have at common tables, the share of the first."""
        n, a, b, aa, bb, ab = self._moments(first, second)
        of_both = PairMoments(n, a, a + b, aa, aa + bb + 2 * ab, aa + ab)
        s = self._sums
        if not self.plan.until_verdict or a + b == 0:
            return _share(ratio_interval(of_both, self.confidence, span=s.scale * s.span))
        if not math.isfinite(self.difference(first, second).half_width):
            return Estimate(a / (a + b), 0.0, 1.0, n)
        squares = ratio_squares(of_both) / s.scale**2  # of half the difference, where the two are equal
        half_width = float(sequence_half_width(n, squares, self.plan.margin / 2, self.plan.alpha, s.span / 2))
        half_width *= n * s.scale / (a + b)
        return _share(Estimate(a / (a + b), a / (a + b) - half_width, a / (a + b) + half_width, n))

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """All pairs of strategies."""
        count = len(self.labels)
        return [(first, second) for first in range(count) for second in range(first + 1, count)]

    def verdict(self, first: int, second: int) -> Verdict:
        """Whether the first is better, worse or equal within the margin; all verdicts hold together (Bonferroni)."""
        return judge(self.difference(first, second, self.plan.alpha / len(self.pairs)), self.plan.margin)

    @cached_property
    def verdicts(self) -> dict[tuple[int, int], Verdict]:
        """The verdict of every pair."""
        return {pair: self.verdict(*pair) for pair in self.pairs}

    @property
    def is_at_its_end(self) -> bool:
        """Whether nothing is left to play."""
        everything = sum(self.plan.looks(self.contest.design))
        return self.deals == everything or (self.plan.until_verdict and self.is_settled)

    @property
    def is_settled(self) -> bool:
        """Whether every pair is told apart, or equal within the margin."""
        return all(self.verdict(*pair) != "undecided" for pair in self.pairs)

    @property
    def pairing_gain(self) -> float:
        """Of two strategies: how many times the games independent deals would need for the same interval."""
        wins, products = self.tally.wins[0], self.tally.products[0]
        total, total_sq = wins[0] - wins[1], products[0, 0] + products[1, 1] - 2 * products[0, 1]
        return pairing_gain(self.deals, total, total_sq, self.tally.leads.tolist())

    # Many strategies

    @cached_property
    def rating(self) -> Rating:
        """The joint rating of three or more strategies, with seat effects."""
        design, tally = self.contest.design, self.tally
        tallies = [
            LineUpTally(block[0], design.rotations, int(n), wins, products, self.contest.rules.ghost)
            for block, n, wins, products in zip(design.blocks, tally.blocks, tally.wins, tally.products, strict=True)
        ]
        return rate(tallies, self.confidence, widen=self._widening)

    @property
    def _widening(self):
        """How much wider a confidence sequence is here than an interval for one look."""
        if not self.plan.until_verdict:
            return 1.0
        once = replace(self, plan=replace(self.plan, until_verdict=False))
        numbers = range(len(self.labels))
        return max(self.win_rate(s).half_width / once.win_rate(s).half_width for s in numbers)

    @cached_property
    def ranks(self) -> list[RankRange]:
        """The best and the worst rank that each strategy may have."""
        strengths = [strength.value for strength in self.rating.strengths]
        return ranks_with_ties(strengths, self.rating.covariance, self.confidence)

    def points(self, strategy: int) -> Estimate:
        """The rating of a strategy in points: 0 is the average of the field, 400 more are ten times the chance."""
        strength = self.rating.strengths[strategy]
        return Estimate(*(RATING_POINTS * v for v in (strength.value, strength.low, strength.high)), strength.n)

    def rank(self, strategy: int) -> str:
        """The rank of a strategy in words, such as "2" or "2 to 4"."""
        best, worst = self.ranks[strategy]
        return f"{best}" if best == worst else f"{best} to {worst}"

    @property
    def order(self) -> list[int]:
        """The strategies, strongest first."""
        if self.is_duel:
            return sorted((0, 1), key=lambda s: -self.win_rate(s).value)
        return sorted(range(len(self.labels)), key=lambda s: -self.rating.strengths[s].value)

    @cached_property
    def transitivity(self) -> Transitivity:
        """Whether who finishes ahead of whom puts all strategies in one order, or in a circle."""
        count = len(self.labels)
        matrix, errors = np.full((count, count), 0.5), np.zeros((count, count))
        quantile = float(special.ndtri(1 - self.plan.alpha / 2))
        for pair in self.pairs:
            ahead = self.ahead(*pair)
            matrix[pair], errors[pair] = ahead.value, ahead.half_width / quantile
        return transitivity(matrix, errors, self.confidence)

    # In words

    def sentence(self) -> str:
        """The result in one sentence to quote."""
        return f"{self._duel() if self.is_duel else self._lead()}, {self.games:,} games, seed {self.contest.seed}."

    def _duel(self):
        points = "the players' points" if self.contest.rules.ghost else "the points"
        verdict = self.verdict(0, 1)
        first, second = (1, 0) if verdict == "worse" else (0, 1)
        names, share = (self.labels[first], self.labels[second]), self.share_of_points(first, second)
        if verdict in ("better", "worse"):
            return f"{names[0]} beats {names[1]} in {share:%} of {points}"
        if verdict == "equal":
            return (
                f"{names[0]} and {names[1]} are equal within {_points(self.plan.margin)} of win rate: "
                f"{names[0]} has {share:%} of {points}"
            )
        return f"{names[0]} and {names[1]} are too close to call: {names[0]} has {share:%} of {points}"

    def _lead(self):
        leaders = [s for s in self.order if self.ranks[s].best == 1]
        names = [self.labels[s] for s in leaders]
        table = f"at tables of {self.contest.rules.players}, where {100 * self.even:.3g}% is even"
        field = f"{len(self.labels)} strategies"
        if len(names) == 1:
            return f"{names[0]} leads {field} with a win rate of {self.win_rate(leaders[0]):%} {table}"
        if len(names) == len(self.labels):
            return f"{field} cannot be told apart {table}"
        best = f"{names[0]} with a win rate of {self.win_rate(leaders[0]):%}"
        return f"{_and(names)} share the lead of {field}, {best} {table}"

    @property
    def even(self) -> float:
        """The win rate of equals: what the ghost ship leaves, shared by all seats."""
        players = self.contest.rules.players
        return int(self.tally.wins[:, -players:].sum()) / (WIN * self.games * players)

    def remarks(self) -> list[str]:
        """What else there is to say, a sentence each."""
        if self.is_duel:
            return [self._pairing_remark()]
        return [self._circle_remark(), self._verdict_remark()]

    def _pairing_remark(self):
        gain = self.pairing_gain
        if not math.isfinite(gain):
            return "The same deals cancel all luck: with exchanged seats every deal ended as before."
        needed = round(gain * self.games, -2)
        if gain < 1:
            return f"The same deals did not save games here: independent ones would have needed about {needed:,.0f}."
        return (
            f"The same deals saved {1 - 1 / gain:.0%} of the games: independent ones would have needed about "
            f"{needed:,.0f} for the same interval."
        )

    def _circle_remark(self):
        found = self.transitivity
        if found.verdict == "transitive":
            return "The field is transitive: whoever finishes ahead of one is also ahead of all that this one beats."
        if found.verdict == "undecided":
            close = found.pairs - found.settled
            pairs = f"{close} of {found.pairs} pairs {'is' if close == 1 else 'are'}"
            return f"No circle was found, but {pairs} too close to say who finishes ahead."
        if not found.cycles:
            return "The field is not transitive: there is a circle of four or more strategies."
        a, b, c = found.cycles[0]
        shares = ", ".join(f"{self.ahead(*pair).value:.1%}" for pair in ((a, b), (b, c), (c, a)))
        names = [self.labels[s] for s in (a, b, c)]
        return (
            f"Rock, paper, scissors: {names[0]} finishes ahead of {names[1]}, {names[1]} of {names[2]} and "
            f"{names[2]} of {names[0]} ({shares})."
        )

    def _verdict_remark(self):
        said = list(self.verdicts.values())
        equal, unclear = said.count("equal"), said.count("undecided")
        return (
            f"Of {len(said)} pairs at common tables: {len(said) - equal - unclear} differ in win rate, "
            f"{equal} equal within {_points(self.plan.margin)}, {unclear} undecided."
        )

    def circumstances(self) -> str:
        """What was played, in one sentence."""
        rules, design = self.contest.rules, self.contest.design
        ghost = " and the ghost ship" if rules.ghost else ""
        kind = "confidence sequences" if self.plan.until_verdict else "intervals"
        stopped = "" if self.complete else "; stopped early"
        return (
            f"{rules.players} players{ghost}, edition {rules.edition}: {self.deals:,} deals, each played in "
            f"{design.games_in_block} seatings; {100 * self.confidence:.4g}% {kind} over deals{stopped}."
        )

    # Tables

    def standings(self) -> ResultTable:
        """The strategies with their win rates; with more than two also ranks and ratings."""
        even = f"per seat, {100 * self.even:.3g}% is even"
        if self.is_duel:
            rows = [
                (
                    self.labels[own],
                    self.win_rate(own),
                    self.difference(own, other),
                    self.share_of_points(own, other),
                    self.ahead(own, other),
                )
                for own, other in ((0, 1), (1, 0))
            ]
            columns = ("strategy", "win rate", "lead", "of the points", "finishes ahead")
            return ResultTable("Strategies", columns, rows, frozenset(columns[1:]), even)
        rows = [(self.labels[s], self.rank(s), self.win_rate(s), self.points(s)) for s in self.order]
        return ResultTable(
            "Strategies", ("strategy", "rank", "win rate", "rating"), rows, frozenset({"win rate"}), even
        )

    def matrix(self, of: str = "ahead") -> ResultTable:
        """Every strategy against every other: who finishes "ahead", or the "win_rate" at tables with the other."""
        title = {"ahead": "Who finishes ahead of whom", "win_rate": "Win rate by opponent"}[of]
        order = self.order
        cells = {(a, b): getattr(self, of)(a, b) for a in order for b in order if a != b}
        rows = [(self.labels[a], *(cells.get((a, b), "") for b in order)) for a in order]
        names = tuple(self.labels[s] for s in order)
        return ResultTable(title, ("strategy", *names), rows, frozenset(names), "row against column")

    def pair_table(self) -> ResultTable:
        """A row for each pair: both win rates at common tables, their difference, who finishes ahead, the verdict."""
        rows = [
            (
                self.labels[a],
                self.labels[b],
                self.win_rate(a, b),
                self.win_rate(b, a),
                self.difference(a, b),
                self.share_of_points(a, b),
                self.ahead(a, b),
                self.verdicts[a, b],
            )
            for a, b in self.pairs
        ]
        shares = ("win rate", "win rate of second", "difference", "of the points", "ahead")
        return ResultTable("Pairs", ("first", "second", *shares, "verdict"), rows, frozenset(shares))

    def seats(self) -> ResultTable:
        """What a seat from the first Captain is worth: its win rate among equal strategies."""
        rows = list(enumerate(self.rating.seat_shares))
        note = "among equals; seat 0 is the first Captain, then clockwise"
        return ResultTable("Seats", ("seat", "win rate"), rows, frozenset({"win rate"}), note)

    def result_tables(self) -> list[ResultTable]:
        """The tables that `compare` prints; those of pairs without their intervals, which are in `pair_table`."""
        if self.is_duel:
            return [self.standings()]
        matrices = [_brief(self.matrix())]
        if len(self.labels) > self.contest.rules.players:
            matrices.append(_brief(self.matrix("win_rate")))
        return [self.standings(), *matrices, self.seats()]

    def tables(self) -> dict[str, ResultTable]:
        """All tables in full, by the names of their files."""
        tables = {"strategies": self.standings(), "pairs": self.pair_table()}
        return tables if self.is_duel else {**tables, "seats": self.seats()}

    def by_strategy(self):
        """Win rates, and ratings where there are more than two, as a pandas table."""
        return _frame(self.standings())

    def by_pair(self):
        """Every pair, as a pandas table."""
        return _frame(self.pair_table())

    def by_seat(self):
        """What each seat is worth, as a pandas table; of more than two strategies."""
        return _frame(self.seats())

    # On disk

    def facts(self) -> dict:
        """The whole result as plain values; the same comparison gives the same on every machine."""
        facts = {
            "sentence": self.sentence(),
            "remarks": self.remarks(),
            "complete": self.complete,
            "games": self.games,
            "deals": self.deals,
            "seatings_of_a_deal": self.contest.design.games_in_block,
            "line_ups": [list(block) for block in self.contest.design.blocks],
            "until": "verdict" if self.plan.until_verdict else None,
            "margin": self.plan.margin,
            "alpha": self.plan.alpha,
            "seed": self.contest.seed,
            "rules": self.contest.rules.as_dict(),
            "strategies": [strategy.identity() for strategy in self.contest.strategies],
        }
        if self.is_duel:
            return {**facts, "pairing_gain": _finite(self.pairing_gain)}
        found = self.transitivity
        cycles = [[self.labels[s] for s in cycle] for cycle in found.cycles]
        return {**facts, "transitivity": {**found._asdict(), "cycles": cycles}}

    def as_json(self) -> str:
        """Facts and tables as one JSON object."""
        tables = {name: _records(section) for name, section in self.tables().items()}
        return json.dumps({**self.facts(), "tables": tables}, indent=2, ensure_ascii=False)

    def as_csv(self) -> str:
        """All tables as one long one: table, row, quantity, value, both ends, blocks."""
        import pandas as pd

        return pd.DataFrame(_long_rows(self.tables())).to_csv(index=False, lineterminator="\n")

    def save(self, folder):
        """Write tables (CSV, JSON) and charts (PNG) into a new folder, which is there whole or not at all."""
        with appearing_folder(folder) as beside:
            for name, content in self.files().items():
                write_whole(beside / name, content)

    def files(self) -> dict[str, bytes]:
        """All files by name."""
        from jamaica_sim.comparison.charts import charts

        tables = {
            f"{name}.csv": _frame(section).to_csv(index=False, lineterminator="\n").encode()
            for name, section in self.tables().items()
        }
        pictures = {f"{name}.png": png for name, png in charts(self).items()}
        return {"comparison.json": (self.as_json() + "\n").encode(), **tables, **pictures}


def _share(estimate):
    """An estimate whose ends do not leave the range of a share."""
    return replace(estimate, low=max(0.0, estimate.low), high=min(1.0, estimate.high))


def _points(margin):
    points = f"{100 * margin:.4g}"
    return f"{points} point{'s' * (points != '1')}"


def _and(names):
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _brief(section):
    """A table of shares without their intervals, which its note bounds."""
    estimates = [cell for row in section.rows for cell in row if isinstance(cell, Estimate)]
    widest = max(estimates, key=lambda e: e.half_width)
    rows = [tuple(f"{100 * c.value:.1f}" if isinstance(c, Estimate) else c for c in row) for row in section.rows]
    note = f"{section.note}, in percent, each ± {100 * widest.half_width:.1f} or less"
    return ResultTable(section.title, section.columns, rows, frozenset(), note)


def _finite(number):
    return float(number) if math.isfinite(number) else None


def _records(section):
    """Flat rows: an estimate becomes its value, both ends and the number of blocks."""
    records = []
    for row in section.rows:
        flat = {}
        for column, cell in zip(section.columns, row, strict=True):
            name = column.replace(" ", "_")
            if isinstance(cell, Estimate):
                flat[name] = _finite(cell.value)
                flat[f"{name}_low"], flat[f"{name}_high"] = _finite(cell.low), _finite(cell.high)
                flat["blocks"] = cell.n
            else:
                flat[name] = cell
        records.append(flat)
    return records


def _frame(section):
    import pandas as pd

    return pd.DataFrame.from_records(_records(section))


def _long_rows(tables):
    for name, section in tables.items():
        keys = 2 if name == "pairs" else 1
        for row in section.rows:
            for column, cell in zip(section.columns[keys:], row[keys:], strict=True):
                exact = isinstance(cell, Estimate)
                ends = [_finite(e) for e in (cell.low, cell.high)] if exact else [None, None]
                yield {
                    "table": name,
                    "row": " / ".join(map(str, row[:keys])),
                    "quantity": column,
                    "value": _finite(cell.value) if exact else cell,
                    "low": ends[0],
                    "high": ends[1],
                    "blocks": cell.n if exact else None,
                }

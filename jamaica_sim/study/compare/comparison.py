"""A comparison as the user gets it: its numbers, and the sentences, tables and files made from them.

The intervals of all tables count deals.
"""

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from jamaica_sim.files.atomic_files import write_whole
from jamaica_sim.game.words import rules_told
from jamaica_sim.play.game_table import seed_words
from jamaica_sim.results.result_table import Answer, ResultTable, finite, tables_as_json
from jamaica_sim.study.compare.numbers import Numbers
from jamaica_sim.study.saved_folder import appearing_folder

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Numbers, Answer):
    """What some deals showed about the strategies of a contest. Strategies are given by their names.

    Examples
    --------
    >>> from jamaica_sim import compare
    >>> duel = compare(["balanced", "random"], games=400, seed=1)
    >>> duel
    <Comparison: balanced beats random in 99.2% ± 0.8 of the points, 400 games, seed 1.
     2 strategies at tables of 4 players, edition 2007; 200 deals>
    >>> duel.difference("balanced", "random").value > 0.4
    True
    """

    TABLES_IN_NOTEBOOK = 1

    def __repr__(self) -> str:
        return (
            f"<Comparison: {self._heading()}\n {len(self.labels)} strategies at tables of "
            f"{rules_told(self.contest.rules)}; {self.deals:,} deals>"
        )

    def _heading(self) -> str:
        return self.sentence() if self.deals else "no deal has been played yet."

    def sentence(self) -> str:
        """The result in one sentence to quote."""
        describe = _against if self.contest.against else _duel if self.is_duel else _lead
        result = describe(self)
        return f"{result}, {self.games:,} games, seed {seed_words(self.contest.seed, self.contest.luck)}."

    def remarks(self) -> list[str]:
        """Further findings, a sentence each."""
        if self.contest.against:
            edge = f"{self.labels[0]} wins {self.edge:%} more than an equal share"
            return [f"{edge}; it had one ship at every table, once in every seat of each deal."]
        if self.is_duel:
            return [_pairing_remark(self)]
        return [_circle_remark(self), _verdict_remark(self)]

    def circumstances(self) -> str:
        """What was played, in one sentence."""
        rules, design = self.contest.rules, self.contest.design
        kind = "confidence sequences" if self.plan.until_verdict else "intervals"
        stopped = "" if self.complete else "; stopped early"
        return (
            f"{rules_told(rules)}: {self.deals:,} deals, each played in "
            f"{design.games_in_deal} seatings; {100 * self.confidence:.4g}% {kind} over deals{stopped}."
        )

    def result_tables(self) -> list[ResultTable]:
        """The tables that `compare` prints. Tables of pairs have no intervals here; `pair_table` has them."""
        if self.is_duel or self.contest.against:
            return [standings(self), *measured(self)]
        matrices = [matrix(self).brief()]
        if len(self.labels) > self.contest.rules.players:
            matrices.append(matrix(self, "win_rate").brief())
        return [standings(self), *matrices, seats(self), *measured(self)]

    def written_tables(self) -> dict[str, ResultTable]:
        """All tables in full, by the names of their files."""
        tables = {"strategies": standings(self), "pairs": pair_table(self)}
        tables |= {table.title.lower().replace(" ", "_"): table for table in measured(self)}
        return tables if self.is_duel or self.contest.against else {**tables, "seats": seats(self)}

    def by_strategy(self) -> "pd.DataFrame":
        """Win rates, and ratings where there are more than two, as a pandas table."""
        return standings(self).to_pandas()

    def by_pair(self) -> "pd.DataFrame":
        """Every pair, as a pandas table."""
        return pair_table(self).to_pandas()

    def by_seat(self) -> "pd.DataFrame":
        """What each seat is worth, as a pandas table; only for more than two strategies, or two players."""
        return seats(self).to_pandas()

    def facts(self) -> dict[str, Any]:
        """The whole result as plain values; the same comparison gives the same values on every machine."""
        facts = {
            "sentence": self.sentence(),
            "remarks": self.remarks(),
            "complete": self.complete,
            "games": self.games,
            "deals": self.deals,
            "seatings_of_a_deal": self.contest.design.games_in_deal,
            "line_ups": [list(deal) for deal in self.contest.design.cycle],
            "until": "verdict" if self.plan.until_verdict else None,
            "margin": self.plan.margin,
            "alpha": self.plan.alpha,
            "seed": self.contest.seed,
            **({"luck": dict(self.contest.luck)} if self.contest.luck else {}),
            "rules": self.contest.rules.as_dict(),
            "strategies": [strategy.identity() for strategy in self.contest.strategies],
        }
        if self.contest.against:
            edge = {name: finite(getattr(self.edge, name)) for name in ("value", "low", "high")}
            return {**facts, "against_the_field": {**edge, "verdict": self.edge_verdict}}
        if self.is_duel:
            return {**facts, "pairing_gain": finite(self.pairing_gain), "luck_gain": finite(self.luck_gain)}
        cycles = [[self.labels[s] for s in cycle] for cycle in self.transitivity.cycles]
        return {**facts, "transitivity": {**self.transitivity._asdict(), "cycles": cycles}}

    def footer(self) -> list[str]:
        """What the command prints below the tables, line by line."""
        speed = [f"In {self.seconds:.1f} s ({self.games / self.seconds:,.0f} games/s)."] if self.seconds else []
        return [self.sentence(), *self.remarks(), self.circumstances(), *speed]

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write tables (CSV, JSON) into a new folder, which appears complete or not at all."""
        with appearing_folder(folder) as beside:
            for name, content in self.files().items():
                write_whole(beside / name, content)

    def files(self) -> dict[str, bytes]:
        """All files by name."""
        written = {f"{name}.csv": table.to_csv().encode() for name, table in self.written_tables().items()}
        return {"comparison.json": (tables_as_json(self.written_tables(), self.facts()) + "\n").encode(), **written}


# Its tables

_table = partial(ResultTable, unit="deal")


def standings(numbers: Numbers) -> ResultTable:
    """The strategies with their win rates; with more than two also ranks and ratings."""
    even = f"per seat, {100 * numbers.even:.3g}% is even"
    if numbers.contest.against:
        name = numbers.labels[0]
        rows: list[tuple[Any, ...]] = [(name, numbers.win_rate(0), "", "")]
        rows += [
            (numbers.labels[s], numbers.win_rate(s), numbers.difference(0, s), numbers.ahead(0, s))
            for s in numbers.order[1:]
        ]
        columns: tuple[str, ...] = ("strategy", "win rate", f"lead of {name}", f"{name} ahead")
        return _table("Strategies", columns, rows, frozenset(columns[1:]), even)
    if numbers.is_duel:
        rows = [
            (
                numbers.labels[own],
                numbers.win_rate(own),
                numbers.difference(own, other),
                numbers.share_of_points(own, other),
                numbers.ahead(own, other),
            )
            for own, other in ((0, 1), (1, 0))
        ]
        columns = ("strategy", "win rate", "lead", "of the points", "finishes ahead")
        return _table("Strategies", columns, rows, frozenset(columns[1:]), even)
    rows = [(numbers.labels[s], numbers.rank(s), numbers.win_rate(s), numbers.points(s)) for s in numbers.order]
    return _table("Strategies", ("strategy", "rank", "win rate", "rating"), rows, frozenset({"win rate"}), even)


def matrix(numbers: Numbers, of: str = "ahead") -> ResultTable:
    """Every strategy against every other: who finishes "ahead", or the "win_rate" at tables with the other."""
    title = {"ahead": "Who finishes ahead of whom", "win_rate": "Win rate by opponent"}[of]
    order = numbers.order
    cells = {(a, b): getattr(numbers, of)(a, b) for a in order for b in order if a != b}
    rows = [(numbers.labels[a], *(cells.get((a, b), "") for b in order)) for a in order]
    names = tuple(numbers.labels[s] for s in order)
    return _table(title, ("strategy", *names), rows, frozenset(names), "row against column")


def pair_table(numbers: Numbers) -> ResultTable:
    """A row for each pair: both win rates at common tables, their difference, who finishes ahead, the verdict."""
    rows = [
        (
            numbers.labels[a],
            numbers.labels[b],
            numbers.win_rate(a, b),
            numbers.win_rate(b, a),
            numbers.difference(a, b),
            numbers.share_of_points(a, b),
            numbers.ahead(a, b),
            numbers.verdicts[a, b],
        )
        for a, b in numbers.pairs
    ]
    shares = ("win rate", "win rate of second", "difference", "of the points", "ahead")
    return _table("Pairs", ("first", "second", *shares, "verdict"), rows, frozenset(shares), keys=2)


def seats(numbers: Numbers) -> ResultTable:
    """What a seat from the first Captain is worth: its win rate among equal strategies."""
    rows = list(enumerate(numbers.rating.seat_shares))
    note = "among equals; seat 0 is the first Captain, then clockwise"
    return _table("Seats", ("seat", "win rate"), rows, frozenset({"win rate"}), note)


def measured(numbers: Numbers) -> list[ResultTable]:
    """The measures of one's own over all games: shares, and means."""
    own = numbers.contest.own_measures()
    kinds = {name: own.is_share[name] for name in numbers.contest.measures} if own else {}
    heads = {True: ("How often", ("of all games", "share")), False: ("An average game", ("per game", "mean"))}
    return [
        _table(*heads[kind], [(name, numbers.measure(name)) for name in kinds if kinds[name] is kind],
               frozenset({"share"} if kind else ()))
        for kind in (True, False) if kind in kinds.values()
    ]  # fmt: skip


# Its sentences


def _duel(numbers: Numbers) -> str:
    points = "the players' points" if numbers.contest.rules.ghost else "the points"
    verdict = numbers.verdict(0, 1)
    first, second = (1, 0) if verdict == "worse" else (0, 1)
    names, share = (numbers.labels[first], numbers.labels[second]), numbers.share_of_points(first, second)
    if verdict in ("better", "worse"):
        return f"{names[0]} beats {names[1]} in {share:%} of {points}"
    if verdict == "equal":
        return (
            f"{names[0]} and {names[1]} are equal within {_points(numbers.plan.margin)} of win rate: "
            f"{names[0]} has {share:%} of {points}"
        )
    return f"{names[0]} and {names[1]} are too close to call: {names[0]} has {share:%} of {points}"


def _against(numbers: Numbers) -> str:
    name, *field = numbers.labels
    opponents = _and(field) if len(field) > 1 else field[0]
    even = f"at tables of {numbers.contest.rules.players}, where {100 * numbers.even:.3g}% is even"
    rate = f"it wins {numbers.win_rate(0):%} {even}"
    verdict = numbers.edge_verdict
    if verdict in ("better", "worse"):
        return f"{name} is {verdict} than the field of {opponents}: {rate}"
    if verdict == "equal":
        within = f"within {_points(numbers.plan.margin)} of win rate"
        return f"{name} and the field of {opponents} are equal {within}: {rate}"
    return f"{name} and the field of {opponents} are too close to call: {rate}"


def _lead(numbers: Numbers) -> str:
    leaders = [s for s in numbers.order if numbers.ranks[s].best == 1]
    names = [numbers.labels[s] for s in leaders]
    table = f"at tables of {numbers.contest.rules.players}, where {100 * numbers.even:.3g}% is even"
    field = f"{len(numbers.labels)} strategies"
    if len(names) == 1:
        return f"{names[0]} leads {field} with a win rate of {numbers.win_rate(leaders[0]):%} {table}"
    if len(names) == len(numbers.labels):
        return f"{field} cannot be told apart {table}"
    best = f"{names[0]} with a win rate of {numbers.win_rate(leaders[0]):%}"
    return f"{_and(names)} share the lead of {field}, {best} {table}"


def _pairing_remark(numbers: Numbers) -> str:
    gain = numbers.pairing_gain * numbers.luck_gain
    if not math.isfinite(gain):
        return "The same deals cancel all luck: with seats exchanged, every deal ended as before."
    needed = round(gain * numbers.games, -2 if numbers.games >= 1000 else 0)
    if gain < 1:
        return f"The same deals did not save games here: independent ones would have needed about {needed:,.0f}."
    luck = "" if numbers.luck_gain == 1 else " and known luck"
    return (
        f"The same deals{luck} saved {1 - 1 / gain:.0%} of the games: independent ones would have needed about "
        f"{needed:,.0f} for the same interval."
    )


def _circle_remark(numbers: Numbers) -> str:
    transitivity = numbers.transitivity
    if transitivity.verdict == "transitive":
        return "The field is transitive: whoever finishes ahead of a strategy is also ahead of all that it beats."
    if transitivity.verdict == "undecided":
        close = transitivity.pairs - transitivity.settled
        pairs = f"{close} of {transitivity.pairs} pairs {'is' if close == 1 else 'are'}"
        return f"No circle was found, but {pairs} too close to say who finishes ahead."
    if not transitivity.cycles:
        return "The field is not transitive: there is a circle of four or more strategies."
    a, b, c = transitivity.cycles[0]
    shares = ", ".join(f"{numbers.ahead(*pair).value:.1%}" for pair in ((a, b), (b, c), (c, a)))
    names = [numbers.labels[s] for s in (a, b, c)]
    return (
        f"Rock, paper, scissors: {names[0]} finishes ahead of {names[1]}, {names[1]} of {names[2]} and "
        f"{names[2]} of {names[0]} ({shares})."
    )


def _verdict_remark(numbers: Numbers) -> str:
    verdicts = list(numbers.verdicts.values())
    equal, unclear = verdicts.count("equal"), verdicts.count("undecided")
    return (
        f"Of {len(verdicts)} pairs at common tables: {len(verdicts) - equal - unclear} differ in win rate, "
        f"{equal} equal within {_points(numbers.plan.margin)}, {unclear} undecided."
    )


def _points(margin: float) -> str:
    points = f"{100 * margin:.4g}"
    return f"{points} point{'s' * (points != '1')}"


def _and(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"

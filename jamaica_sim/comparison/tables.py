"""The result tables of a comparison, made from its numbers. Their intervals count deals."""

from functools import partial
from typing import Any

from jamaica_sim.comparison.numbers import Numbers
from jamaica_sim.results.result_table import ResultTable

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


def result_tables(numbers: Numbers) -> list[ResultTable]:
    """The tables that `compare` prints. Tables of pairs have no intervals here; `pair_table` has them."""
    if numbers.is_duel or numbers.contest.against:
        return [standings(numbers)]
    matrices = [matrix(numbers).brief()]
    if len(numbers.labels) > numbers.contest.rules.players:
        matrices.append(matrix(numbers, "win_rate").brief())
    return [standings(numbers), *matrices, seats(numbers)]


def all_tables(numbers: Numbers) -> dict[str, ResultTable]:
    """All tables in full, by the names of their files."""
    tables = {"strategies": standings(numbers), "pairs": pair_table(numbers)}
    return tables if numbers.is_duel or numbers.contest.against else {**tables, "seats": seats(numbers)}

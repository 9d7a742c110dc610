"""A condition on the rows of games, such as `winners == ghost and margin < 3`, as a small language of its own.

It has columns, numbers, words for ships, comparisons, arithmetic, and, or, not. It has no calls, attributes or
indices. Anything else is refused, so that a condition from a stranger is harmless. A value is a number (int64 or
float64), true or false, or a set of ships. A number that is not 0 counts as true; what is true or false is no number.
"""

import ast
import operator
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from jamaica_sim.errors import UserError
from jamaica_sim.suggest import did_you_mean

SETS = ("winners", "half_time_leaders", "half_time_last")  # columns that are sets of ships
SEATS = ("first_captain", "ended_by")  # columns that are the number of a ship, or -1
TRUE_OR_FALSE = ("comeback",)  # columns that are conditions
USUAL = ("game", "rounds", "margin", "winner_score", "shortages", "battles", "score_0")  # columns named in a message
LARGEST = 2.0**62  # whole numbers up to here are exact
LONGEST = 1000  # characters of a condition
COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
SUMS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Mod: operator.mod,
}


Columns = Mapping[str, np.ndarray]


class ConditionError(UserError):
    """A condition that cannot be understood; the message is one sentence."""


class _Ships:
    """Sets of ships as bits: one set for each game (a column), or one set for all games (a word)."""

    def __init__(self, bits: Any, of_games: bool) -> None:
        self.bits, self.of_games = bits, of_games


class Condition:
    """A condition that has been read. `holds(columns)` tells for which games it is true."""

    def __init__(self, text: str, columns: Iterable[str], ships: dict[str, int]) -> None:
        """Read a condition; `ships` maps each word to the set of ships that it stands for."""
        self._text, self._names, self._ships = text, list(columns), ships
        if len(text) > LONGEST:
            raise ConditionError(f"a condition may have {LONGEST} letters, not {len(text):,}.")
        try:
            self._tree = ast.parse(text.strip(), mode="eval").body
            self.holds({name: np.zeros(1, np.int64) for name in self._names})  # so that mistakes are told at once
        except ConditionError:
            raise
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise ConditionError(f"the condition {text!r} cannot be read: it is like winners == ghost.") from None

    def holds(self, columns: Columns) -> np.ndarray:
        """Whether the condition is true, for each game."""
        with np.errstate(divide="ignore", invalid="ignore"):
            value = self._value(self._tree, columns)
        if isinstance(value, _Ships):
            raise ConditionError(
                f"the condition {self._text!r} only names ships: compare them, as in winners == ghost."
            )
        games = len(next(iter(columns.values())))
        return np.broadcast_to(np.asarray(value).astype(bool), (games,))

    def _value(self, node: ast.expr, columns: Columns) -> Any:
        match node:
            case ast.BoolOp(op=op, values=values):
                together = np.logical_and if isinstance(op, ast.And) else np.logical_or
                return together.reduce(np.broadcast_arrays(*(self._truth(value, columns) for value in values)))
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return np.logical_not(self._truth(operand, columns))
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -self._number(operand, columns)
            case ast.BinOp(op=op, left=left, right=right) if type(op) in SUMS:
                return _exact(SUMS[type(op)], self._number(left, columns), self._number(right, columns))
            case ast.Compare(left=left, ops=ops, comparators=others):
                sides = [left, *others]
                parts = [self._compared(op, sides[i], sides[i + 1], columns) for i, op in enumerate(ops)]
                return np.logical_and.reduce(np.broadcast_arrays(*parts))
            case ast.Name(id=name):
                return self._named(name, columns)
            case ast.Constant(value=str() as name):
                return self._named(name, {})
            case ast.Constant(value=bool() | int() | float() as number) if abs(number) < LARGEST:
                return np.asarray(number)
        raise ConditionError(
            f"the condition {self._text!r} has {ast.unparse(node)!r} in it: it may have columns, numbers, ships, "
            f"comparisons, + - * / %, and, or, not."
        )

    def _named(self, name: str, columns: Columns) -> Any:
        if name in columns:
            values = columns[name]
            if name in SETS:
                return _Ships(values, True)
            if name in SEATS:
                return _Ships(np.where(values < 0, 0, 1 << np.maximum(values, 0)), True)
            kind = bool if name in TRUE_OR_FALSE else np.float64 if values.dtype.kind == "f" else np.int64
            return values.astype(kind)
        if name in self._ships:
            return _Ships(self._ships[name], False)
        usual = ", ".join(column for column in USUAL if column in self._names)
        known = f"columns are {usual} and others, see docs/results.md; ships are {', '.join(self._ships)}."
        hint = did_you_mean(name, [*self._names, *self._ships], otherwise=known)
        raise ConditionError(f"there is no column and no ship {name!r}: {hint}")

    def _truth(self, node: ast.expr, columns: Columns) -> np.ndarray:
        """A number or what is true or false."""
        value = self._value(node, columns)
        if isinstance(value, _Ships):
            raise ConditionError(f"{ast.unparse(node)!r} is no number but a ship: compare it, as in winners == ghost.")
        return value

    def _number(self, node: ast.expr, columns: Columns) -> np.ndarray:
        value = self._truth(node, columns)
        if value.dtype == bool:
            raise ConditionError(
                f"{ast.unparse(node)!r} is no number, it is true or false: join such parts with and, or, not."
            )
        return value

    def _compared(self, op: ast.cmpop, left: ast.expr, right: ast.expr, columns: Columns) -> Any:
        one, other = self._value(left, columns), self._value(right, columns)
        if isinstance(one, _Ships) or isinstance(other, _Ships):
            return self._ships_compared(op, one, other)
        if type(op) not in COMPARISONS:
            raise ConditionError("`in` asks for a ship in a set of ships, as in ghost in winners.")
        if bool in (one.dtype, other.dtype):
            return self._truths_compared(op, one, other)
        return COMPARISONS[type(op)](one, other)

    def _truths_compared(self, op: ast.cmpop, one: np.ndarray, other: np.ndarray) -> Any:
        """`comeback == 1`: what is true or false is compared with the like, with 0 or with 1."""
        plain = all(side.dtype == bool or (not side.ndim and side in (0, 1)) for side in (one, other))
        if not plain or not isinstance(op, ast.Eq | ast.NotEq):
            raise ConditionError(
                f"the condition {self._text!r} compares what is true or false with a number: join parts with and, or."
            )
        return COMPARISONS[type(op)](one.astype(bool), other.astype(bool))

    def _ships_compared(self, op: ast.cmpop, one: Any, other: Any) -> Any:
        """`winners == racer`: all winners are racers. `racer in winners`: one of them is."""
        one, other = (_seat(side) if not isinstance(side, _Ships) else side for side in (one, other))
        if isinstance(op, ast.In | ast.NotIn):
            found = (one.bits & other.bits) != 0
            return found if isinstance(op, ast.In) else ~np.asarray(found)
        if not isinstance(op, ast.Eq | ast.NotEq):
            raise ConditionError("ships can be compared with ==, != and in only.")
        those, named = (one, other) if one.of_games else (other, one)
        if named.of_games:
            equal = those.bits == named.bits
        else:
            equal = ((those.bits & ~named.bits) == 0) & (those.bits != 0)
        return equal if isinstance(op, ast.Eq) else ~np.asarray(equal)


def _seat(value: np.ndarray) -> _Ships:
    """The ship with this number."""
    if np.ndim(value) or value.dtype == bool or value not in range(6):
        raise ConditionError("a ship is a word, such as ghost or Blue or a strategy's name, or a number from 0 to 5.")
    return _Ships(1 << int(value), False)


def _exact(operation: Callable[[Any, Any], Any], one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Two numbers calculated; whole numbers too large for 63 bits become float64 instead of wrapping round."""
    if operation is operator.truediv or float in (one.dtype, other.dtype):
        return operation(one, other)
    rough = operation(one.astype(np.float64), other.astype(np.float64))
    return rough if np.any(np.abs(rough) > LARGEST) else operation(one, other)

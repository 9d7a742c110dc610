"""An expression over the columns of a table of games, such as `margin < 3` or `winners == ghost and rounds > 12`.

It has columns, numbers, ships by name, comparisons, arithmetic, and, or, not. It has no calls, attributes or indices,
and its size is limited, so that one from a stranger is harmless. A value is a number (int64 or float64), true or false,
or a set of ships. What is true or false is no number; where a condition is wanted, a number other than 0 is true.
"""

import ast
import operator
from collections.abc import Collection, Mapping
from functools import reduce
from typing import Any

import numpy as np

from jamaica_sim.errors import UserError
from jamaica_sim.files.escape import did_you_mean

SETS = ("winners", "half_time_leaders", "half_time_last")  # columns that are sets of ships
SEATS = ("first_captain", "ended_by")  # columns that are the number of a ship, or -1
USUAL = ("game", "rounds", "margin", "winner_score", "shortages", "battles", "score_0")  # columns named in a message
LARGEST = 2.0**62  # whole numbers up to here are exact
LONGEST, DEEPEST = 1000, 50  # characters; levels of the tree
COMPARED: dict[type, Any] = {ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le,
                             ast.Gt: operator.gt, ast.GtE: operator.ge}  # fmt: skip
SUMS: dict[type, Any] = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
                         ast.Div: operator.truediv, ast.Mod: operator.mod}  # fmt: skip
Columns = Mapping[str, np.ndarray]


class ExpressionError(UserError):
    """An expression that cannot be understood; the message is one sentence."""


class Ships:
    """Sets of ships as bits: one set for each game (a column), or one set for all games (a word)."""

    def __init__(self, bits: Any, is_word: bool = False):
        self.bits, self.is_word = bits, is_word

    def equals(self, other: "Ships") -> Any:
        """`winners == racer`: all winners are racers. Two columns are equal if their sets are."""
        those, named = (other, self) if self.is_word else (self, other)
        return (those.bits & ~named.bits == 0) & (those.bits != 0) if named.is_word else those.bits == named.bits


class Expression:
    """An expression that has been read once. Called with columns, it gives a value for each game."""

    def __init__(self, text: str, columns: Collection[str], ships: Mapping[str, int] | None = None):
        """Read an expression; `ships` maps each word to the set of ships that it stands for."""
        self.text, self._columns, self._ships = text, columns, dict(ships or {})
        if len(text) > LONGEST:
            raise ExpressionError(f"an expression may have {LONGEST} letters, not {len(text):,}.")
        try:
            self._tree = ast.parse(text.strip(), mode="eval").body
            depth = _depth(self._tree)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise ExpressionError(f"{text!r} cannot be read: write it like margin < 3 or winners == ghost.") from None
        if depth > DEEPEST:
            raise ExpressionError(f"{text[:40]!r}... has more than {DEEPEST} parts within each other.")
        self({name: np.zeros(1, np.int64) for name in columns})  # so that mistakes are told at once

    def __call__(self, columns: Columns, ships: Mapping[str, Any] | None = None) -> np.ndarray:
        """The value for each game: int64, float64 or bool; `ships` are words that mean another set in each game."""
        if ships is not None:
            self._ships = dict(ships)
        with np.errstate(divide="ignore", invalid="ignore"):
            value = self._plain(self._tree, columns)
        return np.broadcast_to(value, len(next(iter(columns.values()))))

    def _value(self, node: ast.expr, columns: Columns) -> Any:
        match node:
            case ast.BoolOp(op=op, values=values):
                join = np.logical_and if isinstance(op, ast.And) else np.logical_or
                return reduce(join, [self._plain(value, columns) for value in values])
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return np.logical_not(self._plain(operand, columns))
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -self._number(operand, columns)
            case ast.BinOp(op=op, left=left, right=right) if type(op) in SUMS:
                return _exact(SUMS[type(op)], self._number(left, columns), self._number(right, columns))
            case ast.Compare(left=left, ops=ops, comparators=others):
                sides = [self._value(side, columns) for side in (left, *others)]
                return reduce(np.logical_and, map(_compared, ops, sides, sides[1:]))
            case ast.Name(id=name) if name in columns:
                return _column(name, columns[name])
            case ast.Name(id=name) | ast.Constant(value=str() as name):
                return self._word(name)
            case ast.Constant(value=bool() | int() | float() as number) if abs(number) < LARGEST:
                return np.asarray(number)
        raise ExpressionError(f"{self.text!r} has {ast.unparse(node)!r} in it: it may have columns, numbers, ships, "
                              "comparisons, + - * / %, and, or, not.")  # fmt: skip

    def _word(self, name: str) -> Ships:
        if name in self._ships:
            return Ships(self._ships[name], is_word=True)
        known = f"columns are {', '.join(c for c in USUAL if c in self._columns)} and others, see docs/results.md"
        known += f"; ships are {', '.join(self._ships)}." if self._ships else "."
        hint = did_you_mean(name, [*self._columns, *self._ships], otherwise=known)
        raise ExpressionError(f"there is no column {'and no ship ' if self._ships else ''}{name!r}: {hint}")

    def _plain(self, node: ast.expr, columns: Columns) -> Any:
        """A number, or what is true or false."""
        value = self._value(node, columns)
        if isinstance(value, Ships):
            raise ExpressionError(f"{ast.unparse(node)!r} is no number but ships: compare it, as in winners == ghost.")
        return value

    def _number(self, node: ast.expr, columns: Columns) -> Any:
        value = self._plain(node, columns)
        if value.dtype == bool:
            raise ExpressionError(f"{ast.unparse(node)!r} is true or false and no number: join with and, or, not.")
        return value


def _depth(node: ast.AST) -> int:
    return 1 + max(map(_depth, ast.iter_child_nodes(node)), default=0)


def _column(name: str, values: np.ndarray) -> Any:
    if name in SETS:
        return Ships(values)
    if name in SEATS:
        return Ships(np.where(values < 0, 0, 1 << np.maximum(values, 0)))
    kind = bool if name == "comeback" else np.float64 if values.dtype.kind == "f" else np.int64
    return values.astype(kind)


def _compared(op: ast.cmpop, one: Any, other: Any) -> Any:
    if isinstance(one, Ships) or isinstance(other, Ships):
        one, other = (side if isinstance(side, Ships) else _seat(side) for side in (one, other))
        if isinstance(op, ast.Eq | ast.NotEq):
            return np.asarray(one.equals(other)) == isinstance(op, ast.Eq)
        if isinstance(op, ast.In | ast.NotIn):
            return np.asarray(one.bits & other.bits != 0) == isinstance(op, ast.In)
        raise ExpressionError("ships can be compared with ==, != and in only.")
    if type(op) not in COMPARED:
        raise ExpressionError("`in` asks for a ship in a set of ships, as in ghost in winners.")
    if bool in (one.dtype, other.dtype):  # `comeback == 1`: compared with the like, with 0 or with 1
        plain = all(side.dtype == bool or (not side.ndim and side in (0, 1)) for side in (one, other))
        if not plain or not isinstance(op, ast.Eq | ast.NotEq):
            raise ExpressionError("what is true or false is compared with a number: join such parts with and, or.")
    return COMPARED[type(op)](one, other)


def _seat(value: np.ndarray) -> Ships:
    """The ship with this number."""
    if np.ndim(value) or value.dtype == bool or value not in range(6):
        raise ExpressionError("a ship is a word, such as ghost or Blue or a strategy's name, or a number from 0 to 5.")
    return Ships(1 << int(value), is_word=True)


def _exact(operation: Any, one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Two numbers calculated; whole numbers too large for 63 bits become float64 instead of wrapping round."""
    if operation is operator.mod and not np.all(other):
        one = one.astype(np.float64)  # a remainder by 0 is no number
    if operation is operator.truediv or float in (one.dtype, other.dtype):
        return operation(one, other)
    rough = operation(one.astype(np.float64), other.astype(np.float64))
    return rough if np.any(np.abs(rough) > LARGEST) else operation(one, other)

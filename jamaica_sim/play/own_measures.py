"""Measures of one's own: the share of games in which a condition holds, or the mean of a number over games.

A measure is an expression over the columns of the table of games, such as `margin < 3`, or a Python function of that
table. It is counted chunk by chunk beside the tally: of each part of the games how many have a value, the values' whole
units, and the rest in fractions of `FRACTIONS`. These are whole numbers, so their order does not matter. A game has no
value where its number is not finite, such as 0 / 0, or larger than `LARGEST`.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from jamaica_sim.engine.state import RESULT_DTYPE
from jamaica_sim.errors import UserError
from jamaica_sim.files.escape import shown
from jamaica_sim.game.rules import Rules
from jamaica_sim.play.expression import Expression
from jamaica_sim.play.game_columns import game_columns
from jamaica_sim.play.tally.layout import FRACTIONS, GAME_QUANTITIES, PARTS, tally_dtype
from jamaica_sim.strategy.option_words import COLOURS

Measures = Mapping[str, Any]  # by name: the text of an expression, or a function
MOST = 20
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,39}")
# Names of measures that exist (`results/measures.py`), beside the quantities of a game.
TAKEN = (
    *"captain first_less_last last_seat seats treasures ghost comebacks points lead spread pace first_home".split(),
    *"shortages_each decided decided_round tension favourites hope waiting matter kingmaking".split(),
    *GAME_QUANTITIES,
)
LARGEST = 2.0**22  # of a value: a trillion of them have a sum below 2^63
EXAMPLE = "such as close = margin < 3"


def parse_measures(texts: Sequence[str]) -> dict[str, str]:
    """Measures from words such as `close = margin < 3`."""
    found: dict[str, str] = {}
    for text in texts:
        name, equals, expression = (part.strip() for part in text.partition("="))
        if not equals or not expression or not NAME.fullmatch(name):
            raise UserError(f"a measure is a name and an expression, {EXAMPLE}, not {shown(text)}.")
        if name in found:
            raise UserError(f"the measure {name} is given twice: say it once.")
        found[name] = expression
    return found


def refuse_functions(measures: Measures, where: str) -> None:
    """Refuse measures that are functions, where only text can be kept or sent."""
    for name, given in measures.items():
        if callable(given):
            raise UserError(f"the measure {name} is a function, which {where} cannot have: write it as an expression.")


def words_for_ships(labels: Sequence[str], rules: Rules) -> dict[str, int]:
    """The words for ships, each with the set that it means: a strategy's all ships, a colour's one, and the ghost."""
    words: dict[str, int] = {}
    for ship, label in enumerate(labels):
        words[label] = words.get(label, 0) | 1 << ship
    words |= {colour: 1 << ship for ship, colour in enumerate(COLOURS[: rules.players])}
    return words | ({"ghost": 1 << rules.players} if rules.ghost else {})


class OwnMeasures:
    """Some measures, read once for a table: who sits there decides what the words for ships mean."""

    def __init__(self, measures: Measures, labels: Sequence[str], rules: Rules) -> None:
        """Read measures; one that cannot be understood or has a name that it cannot have is refused."""
        if not isinstance(measures, Mapping):
            raise UserError(f'measures are a dictionary, such as {{"close": "margin < 3"}}, not {shown(measures)}.')
        if len(measures) > MOST:
            raise UserError(f"there can be {MOST} measures of one's own, not {len(measures)}.")
        self._ships, self._words = rules.ships, words_for_ships(labels, rules)
        none = game_columns(np.zeros(1, RESULT_DTYPE), self._ships)
        self._read = {name: self._reader(name, given, none) for name, given in measures.items()}
        self.is_share = {name: values(none).dtype == bool for name, values in self._read.items()}

    def _reader(self, name: str, given: Any, none: Mapping[str, np.ndarray]) -> Callable[..., np.ndarray]:
        if not NAME.fullmatch(str(name)):
            raise UserError(
                f"the name of a measure is one word of letters, digits and _, {EXAMPLE}, not {shown(name)}."
            )
        if name in TAKEN:
            raise UserError(f"there is a measure {name} already: give yours another name.")
        if isinstance(given, str):
            try:
                return Expression(given, list(none), self._words)
            except UserError as error:
                raise UserError(f"the measure {name}: {error}") from error
        if not callable(given):
            raise UserError(
                f"the measure {name} is an expression or a function of the table of games, not {shown(given)}."
            )
        return partial(_values_of, name, given)

    def sums(self, rows: np.ndarray, part: np.ndarray, words: Mapping[str, Any] | None = None) -> np.ndarray:
        """The sums of some games by part, of each measure as `summed` says; `words` for ships may differ by game."""
        columns = game_columns(rows, self._ships)
        values = [read(columns, words).astype(np.float64) for read in self._read.values()]
        return np.array([summed(np.where(np.abs(v) <= LARGEST, v, np.nan), part) for v in values])

    def beside(self, tally: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """A tally of some games, with the sums of these measures."""
        wide = np.zeros(1, tally_dtype(len(self._read)))
        wide.view(np.int64)[: tally.itemsize // 8] = tally.view(np.int64)
        wide["own"] = self.sums(rows, rows["game"] % PARTS)
        return wide


def summed(values: np.ndarray, part: np.ndarray) -> np.ndarray:
    """The sums of values by part: how many, whole units, fractions."""
    there = np.isfinite(values)
    part, values = part[there], values[there]
    whole = np.floor(values)
    columns = None, whole, np.rint((values - whole) * FRACTIONS)
    sums = [np.bincount(part, weights, PARTS) for weights in columns]  # exact: all below 2^53
    return np.stack(sums, axis=1).astype(np.int64)


def total_of(own: np.ndarray) -> np.ndarray:
    """The sums of values, from what `summed` gives."""
    return own[..., 1] + own[..., 2] / FRACTIONS


def _values_of(name: str, function: Callable[..., Any], columns: Mapping[str, np.ndarray], _: Any = None) -> np.ndarray:
    """What a function makes of the table of games: one number, or true or false, for each game."""
    import pandas as pd

    games = pd.DataFrame(dict(columns))
    try:
        values = np.asarray(function(games))
    except Exception as error:
        raise UserError(f"the measure {name} failed: {type(error).__name__}: {error}") from error
    if values.shape != (len(games),) or values.dtype.kind not in "biuf":
        raise UserError(
            f"the measure {name} must give one number, or true or false, for each game, not {shown(values)}."
        )
    return values

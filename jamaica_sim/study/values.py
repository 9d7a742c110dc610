"""The values that a rule is given wherever rules vary: on the command line, in files of experiments, sweeps and ranges.

As text: `2..6`, `0..10..2`, `1,3,5`, or `1,2,3|4,5,6` where one value is itself a list. A list is several values;
only the rules that are always lists, such as dice, take it as one. Starting goods are one number or a list, one for
each seat: `3|3,3,4,4`, or `3,3,4,4|` for that list alone, and in a file `[3, [3, 3, 4, 4]]`, or `[[3, 3, 4, 4]]`.
"""

import re
from collections.abc import Sequence
from typing import Any

from jamaica_sim.files.escape import did_you_mean
from jamaica_sim.files.limits import value_in_text
from jamaica_sim.game.components.changes import BOARD, named_board
from jamaica_sim.game.components.course import NAMED
from jamaica_sim.game.rules import BY_SEAT, HOUSE_RULES, LISTS, RulesError, check_rule_names, rule_name
from jamaica_sim.game.words import value_text
from jamaica_sim.strategy.heuristic.weights import DEFAULTS

SPAN = re.compile(r"([+-]?\d{1,6})\.\.([+-]?\d{1,6})(?:\.\.([1-9]\d{0,5}))?")
MOST_VALUES = 200
MOST_SWEPT = 3  # rules of a sweep
WORDS = (BOARD, HOUSE_RULES)  # text is one value, not a list of values


def parse_swept(text: str) -> tuple[str, tuple[Any, ...]]:
    """`RULE=VALUES` as the rule's name and its values."""
    name, equals, values = text.partition("=")
    name = rule_name(name)
    if not equals or not values.strip():
        raise RulesError(f"a rule and its values are wanted, such as hand_size=2..6, not {text!r}.")
    return name, values_of(name, values)


def values_of(name: str, given: Any) -> tuple[Any, ...]:
    """The values of a rule, from text, a list, a range or an array; a value that comes twice is refused."""
    given = given.tolist() if hasattr(given, "tolist") else given
    if name.startswith("weight."):
        return _weights(name, given)
    check_rule_names([name])
    if isinstance(given, str) and name not in WORDS:
        values = _from_text(name, given)
    elif isinstance(given, list | tuple | range):
        values = [tuple(value) if isinstance(value, list) else value for value in given]
    else:
        values = [given]
    if name in LISTS and values and not all(isinstance(value, tuple) for value in values):
        values = [tuple(values)]  # one value that is a list
    if not values:
        raise RulesError(f"{name} has no value.")
    if len(values) > MOST_VALUES:
        raise RulesError(f"{name} must have 1 to {MOST_VALUES} values, not {len(values):,}.")
    if name == BOARD:
        values = [named_board(value) for value in values]
        names = [found[1] for value in values if isinstance(value, str) and (found := NAMED.match(value))]
        if len({*names}) < len(names):
            raise RulesError("two boards have the same name: give one of the files another.")
    for number, value in enumerate(values):
        if any(value == other and type(value) is type(other) for other in values[:number]):
            by_seat = f" A number for each seat is one value: {name} = [{list(values)}]." if name in BY_SEAT else ""
            raise RulesError(f"{name} has the value {value} twice: say it once.{by_seat}")
    return tuple(values)


def _weights(name: str, given: Any) -> tuple[float, ...]:
    """The values of a strategy's weight, which need not be whole; its range is checked where it is seated."""
    weight = name.removeprefix("weight.")
    if weight not in DEFAULTS:
        raise RulesError(f"there is no weight {weight!r}: {did_you_mean(weight, list(DEFAULTS))}")
    values = _from_text(name, given) if isinstance(given, str) else list(given)
    try:
        weights = tuple(dict.fromkeys(float(value) for value in values))
    except (TypeError, ValueError):
        raise RulesError(f"{name} must have numbers as values, such as -5..10..5 or 0,2.5, not {given!r}.") from None
    if not 1 <= len(weights) <= MOST_VALUES:
        raise RulesError(f"{name} must have 1 to {MOST_VALUES} values, not {len(weights):,}.")
    return weights


def given_values(name: str, values: Sequence[Any]) -> str:
    """Values as `_from_text` reads them; a stroke at the end tells one list by seat from several numbers."""
    is_list = any(isinstance(value, tuple) for value in values)
    end = "|" if is_list and name in BY_SEAT and len(values) == 1 else ""
    return f"{('|' if is_list else ',').join(map(value_text, values))}{end}"


def plain_value(value: Any) -> Any:
    """A value for JSON: a tuple becomes a list."""
    return list(value) if isinstance(value, tuple) else value


def _from_text(name: str, text: str) -> list[Any]:
    span = SPAN.fullmatch(text.strip())
    if span and name not in LISTS:
        low, high, step = int(span[1]), int(span[2]), int(span[3] or 1)
        if low > high:
            raise RulesError(f"{name}={text}: a range begins with its least value, such as {high}..{low}.")
        if (high - low) // step >= MOST_VALUES:
            raise RulesError(f"{name}={text}: more than {MOST_VALUES} values.")
        return list(range(low, high + 1, step))
    if name in LISTS or (name in BY_SEAT and "|" in text):
        lists = [tuple(value_in_text(part) for part in one.split(",")) for one in text.removesuffix("|").split("|")]
        return [one[0] if name in BY_SEAT and len(one) == 1 else one for one in lists]  # one number for all seats
    return [value_in_text(part) for part in re.split(r"[,|]", text)]

"""What a page asks: a table, the changed rules, and the rules that they are compared with.

Nothing here runs code that a request names: strategies are chosen by name from a list made at the start, rules are
numbers and words that `Rules` checks.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

from msgspec import Meta

from jamaica_sim.errors import UserError
from jamaica_sim.files.escape import did_you_mean
from jamaica_sim.game.components.changes import BOARD, PRINTED, is_board_file
from jamaica_sim.game.house_file import HouseRules, house_rules_of, shipped_house_rules
from jamaica_sim.game.rules import HOUSE_RULES, NO_HOUSE_RULES, Rules
from jamaica_sim.play.game_table import DEFAULT_LINE_UP, GameTable
from jamaica_sim.strategy.library import load_strategy, strategy_names
from jamaica_sim.strategy.strategy import Strategy
from jamaica_sim.web.streams import OfPage

SEED = 1  # that of `run`, so that a command gives the same figures
Word = Annotated[str, Meta(max_length=80)]
LongWord = Annotated[str, Meta(max_length=20_000)]  # a board of one's own as a text
Value = int | bool | LongWord | Annotated[list[int | Word], Meta(max_length=24)]
Changes = Annotated[dict[Word, Value], Meta(max_length=300)]


class AskedTable(OfPage, kw_only=True):
    """A table and its rules, as a page sends them."""

    edition: Literal["2007", "2021"] = "2007"
    players: Annotated[int, Meta(ge=2, le=6)] = 4
    ghost: bool = False
    strategies: Annotated[list[Word], Meta(max_length=6)] = []
    changes: Changes = {}
    measures: Annotated[dict[Word, Annotated[str, Meta(max_length=1000)]], Meta(max_length=20)] = {}
    base: Changes = {}  # what the changes are compared with: nothing changed, or another variant


class Menu:
    """What a page may choose by name: strategies and house rules, shipped or given when the command was started."""

    def __init__(self, files: Iterable[str] = (), house: HouseRules | None = None):
        self.files, self.own_house = list(dict.fromkeys(files)), house
        self.houses = {name: house_rules_of(name) for name in shipped_house_rules()}
        if house is not None:
            self.houses[house.name] = replace(house, changed=())  # its parameters are changes of the page
        self._loaded: dict[str, Strategy] = {}
        self._label_of: dict[str, str] = {}  # by what the command line has
        shipped = strategy_names()
        for given in self.files:
            strategy = load_strategy(given)
            label = strategy.label
            while given not in shipped and label in (*shipped, *self._loaded):
                label += "_2"
            self._loaded[label], self._label_of[given] = strategy.labelled(label), label
        self.names = list(dict.fromkeys([*self._loaded, *shipped]))

    def labels(self, given: Iterable[str]) -> list[str]:
        """The names under which strategies of the command line are seated."""
        return [self._label_of[one] for one in given]

    def strategy(self, name: str) -> Strategy:
        """A strategy by its name; never from a path."""
        if name not in self.names:
            raise UserError(f"there is no strategy {name!r}: {did_you_mean(name, self.names, 'there are')}")
        if name not in self._loaded:
            self._loaded[name] = load_strategy(name)
        return self._loaded[name]


@dataclass(frozen=True)
class Asked:
    """A question as two tables that are played on the same deals."""

    base: GameTable
    varied: GameTable

    @property
    def is_changed(self) -> bool:
        """Whether there is anything to compare."""
        return self.base.rules != self.varied.rules


def lay(question: AskedTable, menu: Menu) -> Asked:
    """The tables of a question; what contradicts itself is refused in the sentence of the command line."""
    printed = Rules(edition=question.edition, players=question.players, ghost=question.ghost)
    names = question.strategies or list(DEFAULT_LINE_UP[: question.players])
    seats = [menu.strategy(name) for name in names]
    tables = []
    for changes in (question.base, question.changes):
        rules = printed.but(**plain(changes, menu))
        tables.append(GameTable.seat(rules, seats, SEED, measures=question.measures))
    return Asked(*tables)


def plain(changes: Mapping[str, Any], menu: Menu) -> dict[str, Any]:
    """Changes as rules take them: lists as tuples, house rules from the menu, and no file."""
    if is_board_file(changes.get(BOARD, PRINTED)):
        raise UserError("a board of your own comes with --rules FILE: the page itself reads no file.")
    found = {name: tuple(value) if isinstance(value, list) else value for name, value in changes.items()}
    if found.get(HOUSE_RULES, NO_HOUSE_RULES) != NO_HOUSE_RULES:
        named = str(found[HOUSE_RULES])
        if named not in menu.houses:
            raise UserError("house rules of your own come with --house-rules FILE: the page itself reads no file.")
        found[HOUSE_RULES] = menu.houses[named]
    return found

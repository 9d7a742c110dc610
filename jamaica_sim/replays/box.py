"""The box of one game: board, cards, treasures and rules, read from its trace.

A trace has only those rules and components that differ from the edition's.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from jamaica_sim.game.codes import SIXTH_HOLD_SLOT
from jamaica_sim.game.components import Card, Treasure
from jamaica_sim.game.components.course import Space, previous_spaces, steps_home
from jamaica_sim.game.rules import Rules
from jamaica_sim.play.trace import Place, Trace

SIXTH_HOLD = int(SIXTH_HOLD_SLOT)  # the hold that the card of this name adds
STARTING_GOODS = ("food", "gold", "gunpowder")  # S1: in the first holds, in this order


@dataclass(frozen=True)
class Box:
    """The rules and components of one game."""

    rules: Rules
    board: tuple[Space, ...]
    cards: tuple[Card, ...]
    treasures: tuple[Treasure, ...]

    @cached_property
    def steps_home(self) -> list[int]:
        """Fewest steps from each space to the finish."""
        return steps_home(self.board)

    @cached_property
    def previous(self) -> list[list[int]]:
        """For each space, the spaces one step back."""
        return previous_spaces(self.board)

    def card_named(self, name: str) -> int:
        """The number of a treasure, -1 where the game has none of this name."""
        names = [card.name for card in self.treasures]
        return names.index(name) if name in names else -1

    def is_power(self, card: int) -> bool:
        """Whether a treasure is a power, which is laid face up."""
        return self.treasures[card].kind == "power"

    def to_go(self, space: int, lap: int) -> int:
        """Spaces to the finish by the shortest way (E3)."""
        return self.steps_home[space] - self.steps_home[0] * lap

    def position_points(self, space: int, lap: int) -> int:
        """The points of a ship's place (E2)."""
        at_start = lap < 0 or (lap == 0 and space == 0)
        return self.rules.start_score if at_start else self.board[space].score


def box_of(trace: Trace, rules: Rules | None = None) -> Box:
    """The box of a trace's game; `rules` may be given if they are at hand."""
    given: object = trace
    if not isinstance(given, Mapping) or "config" not in given:
        raise TypeError(f"a game is told from its trace, such as replay_story(replay(42)), not from {trace!r}.")
    if rules is None:
        config = trace["config"]
        printed = {name: config[name] for name in ("edition", "players", "ghost", "round_cap")}
        house = {name: config[name] for name in ("house_rules",) if name in config}
        rules = Rules(**printed | config.get("rules", {}) | house)
    return box_by(rules)


def box_by(rules: Rules) -> Box:
    """The box of a game by these rules."""
    parts = rules.components
    return Box(rules, parts.board, parts.action_cards, parts.treasures)


At = tuple[int, int]  # space and lap


def way_sailed(box: Box, start: Place, end: Place, forward: bool, die: int) -> list[int]:
    """The spaces of a move: exactly `die` steps (M1), or fewer where the ship comes home (M4)."""
    target = (end["space"], end["lap"])

    def walk(position: At, steps: int) -> list[int] | None:
        if steps == 0 or (forward and position[0] == 0 and position[1] > 0):
            return [] if position == target else None
        for following in neighbours(box, position, forward):
            rest = walk(following, steps - 1)
            if rest is not None:
                return [following[0], *rest]
        return None

    return walk((start["space"], start["lap"]), die) or [end["space"]]


def way_back(box: Box, start: Place, end: Place) -> list[int]:
    """The spaces of a retreat: the shortest way back (H2, H3)."""
    target = (end["space"], end["lap"])
    ways: list[tuple[At, list[int]]] = [((start["space"], start["lap"]), [])]
    for position, way in ways:  # grows while it is read: breadth first
        if position == target:
            return way
        if len(way) < len(box.board):
            ways += [(before, [*way, before[0]]) for before in neighbours(box, position, forward=False)]
    return [end["space"]]


def neighbours(box: Box, position: At, forward: bool) -> list[At]:
    """The positions one step on, or one step back."""
    space, lap = position
    if forward:
        return [(n, lap + (n == 0)) for n in box.board[space].next]
    return [(p, lap - (space == 0)) for p in box.previous[space]]

"""What lay in the box of one game: board, cards, treasures and rules, as its trace tells them.

A trace says where rules or components differ from the edition's; where it does not, the rules may be handed over.
"""

import math
from dataclasses import dataclass, fields
from functools import cached_property

from jamaica_sim.components import Card, Space, Treasure, action_cards, board, treasures
from jamaica_sim.engine.board import lengths_to_finish, previous_spaces
from jamaica_sim.rules import Rules

SIXTH_HOLD = 5  # the hold that the card of this name adds


@dataclass(frozen=True)
class Box:
    """The rules and components of one game."""

    rules: Rules
    board: tuple[Space, ...]
    cards: tuple[Card, ...]
    treasures: tuple[Treasure, ...]

    @cached_property
    def steps_left(self) -> list[int]:
        """Fewest steps from each space to the finish."""
        return lengths_to_finish(self.board).tolist()

    @cached_property
    def previous(self) -> list[list[int]]:
        """The spaces one step back of each."""
        return previous_spaces(self.board)

    def card_named(self, name: str) -> int:
        """The number of a treasure, -1 where the game has none of this name."""
        names = [card.name for card in self.treasures]
        return names.index(name) if name in names else -1

    def is_power(self, card: int) -> bool:
        """Whether a treasure is laid face up."""
        return self.treasures[card].kind == "power"

    def to_go(self, space: int, lap: int) -> int:
        """Spaces to the finish by the shortest way (E3)."""
        return self.steps_left[space] - self.steps_left[0] * lap

    def place_points(self, space: int, lap: int) -> int:
        """The points of a ship's place (E2)."""
        at_start = lap < 0 or (lap == 0 and space == 0)
        return self.rules.start_score if at_start else self.board[space].score


def box_of(trace: dict, rules: Rules | None = None) -> Box:
    """The box of a trace's game; `rules` tells what the trace does not."""
    config = trace["config"]
    changed = dict(config.get("rules", {}))
    own = changed.pop("components", {})
    if rules is None:
        known = {field.name for field in fields(Rules)}
        printed = {name: config[name] for name in ("edition", "players", "ghost", "round_cap")}
        rules = Rules(**printed | {name: value for name, value in changed.items() if name in known})
    return Box(
        rules,
        tuple(_spaces(own["board"])) if "board" in own else board(),
        tuple(Card(row["morning"], row["evening"]) for row in own.get("action_cards", ())) or action_cards(),
        tuple(Treasure(row["name"], row["kind"], int(row["value"])) for row in own.get("treasures", ())) or treasures(),
    )


def _spaces(rows):
    """The spaces of another board. Those without a place lie where the printed board has them, or else in a round."""
    printed = board() if len(rows) == len(board()) else None
    for number, row in enumerate(rows):
        angle = 2 * math.pi * number / len(rows)
        x, y = 0.5 + 0.45 * math.sin(angle), 0.5 + 0.45 * math.cos(angle)
        if printed:
            x, y = printed[number].x, printed[number].y
        steps = tuple(int(n) for n in row["next"])
        yield Space(row["kind"], int(row["cost"]), int(row["score"]), steps, row.get("x", x), row.get("y", y))

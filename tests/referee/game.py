"""The referee's own picture of a game: ships, pile, lair tokens, bank, and the place reached in the trace.
Every check goes through `Game.require`, or `Game.rule`, which also counts the clause as exercised where it holds."""

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from . import trace_format
from .components import PORT_ROYAL, Components

SIXTH = 5  # the index of the 6th Hold
RESOURCES = ("gold", "food", "gunpowder")
MISSING = "missing"  # the resource of a hold that a variant leaves out
WHEN = ("morning", "evening")


class RuleBroken(Exception):
    """The trace deviates from a clause at an event (None: in the setup or the result)."""

    def __init__(self, clause: str, event_index: int | None, message: str):
        place = "outside the events" if event_index is None else f"event {event_index}"
        super().__init__(f"{clause}, {place}: {message}")
        self.clause = clause
        self.event_index = event_index
        self.message = message


class Position(NamedTuple):
    space: int
    lap: int  # 0 from the start, -1 behind the start line, 1 on Port Royal after the circuit


@dataclass
class Hold:
    resource: str | None = None  # None: empty
    amount: int = 0

    def fill(self, resource: str, amount: int) -> None:
        self.resource, self.amount = resource, amount

    def remove(self, amount: int) -> None:
        self.amount -= amount
        if self.amount == 0:
            self.resource = None


@dataclass
class Ship:
    seat: int
    is_ghost: bool
    holds: list[Hold]  # 5, or 6 with the 6th Hold; those that a variant leaves out are MISSING
    position: Position = Position(PORT_ROYAL, 0)
    treasures: dict[int, bool] = field(default_factory=dict)  # treasure -> True where it lies face up
    gained_in: dict[int, int] = field(default_factory=dict)  # treasure -> the round in which it was gained
    hand: set[int] = field(default_factory=set)
    deck: set[int] = field(default_factory=set)
    discard: set[int] = field(default_factory=set)

    @property
    def finished(self) -> bool:
        return self.position.lap == 1

    def stock(self, resource: str) -> int:
        return sum(hold.amount for hold in self.holds if hold.resource == resource)

    def has_power(self, cards: frozenset[int]) -> bool:
        """A power works for its owner where it lies face up (G4, G6)."""
        return any(self.treasures.get(card, False) for card in cards)


@dataclass
class Bank:
    """C6: unlimited, unless a variant says otherwise; it remembers what it handed out and got back."""

    issued: Counter = field(default_factory=Counter)
    returned: Counter = field(default_factory=Counter)

    def out(self, resource: str) -> int:
        return self.issued[resource] - self.returned[resource]


@dataclass
class Game:
    parts: Components
    changes: dict = field(default_factory=dict)  # rules of a variant, by name
    players: int = 0
    edition: str = ""
    round_cap: int = 0
    ships: list[Ship] = field(default_factory=list)  # by seat; the ghost is the last
    pile: list[int] = field(default_factory=list)  # top first
    removed: list[int] = field(default_factory=list)
    lair_tokens: set[int] = field(default_factory=set)
    bank: Bank = field(default_factory=Bank)
    captain: int = 0
    round: int = 0
    events: list[dict] = field(default_factory=list)
    index: int | None = None  # of the event read last
    coverage: Counter = field(default_factory=Counter)

    @property
    def ghost(self) -> Ship | None:
        return self.ships[-1] if self.ships[-1].is_ghost else None

    def require(self, clause: str, holds: bool, message: str) -> None:
        """Raise where the clause is broken."""
        if not holds:
            raise RuleBroken(clause, self.index, message)

    def rule(self, clause: str, holds: bool, message: str) -> None:
        """The clause applies here: raise where it is broken, count it where it holds."""
        self.require(clause, holds, message)
        self.exercised(clause)

    def exercised(self, clause: str) -> None:
        self.coverage[clause] += 1

    def uses_power(self, ship: Ship, cards: frozenset[int], clause: str) -> None:
        """Count the clause of a power that had an effect, and B10 where the power is new."""
        self.exercised(clause)
        if any(ship.gained_in.get(card) == self.round for card in cards):
            self.exercised("B10")

    def following(self) -> int:
        return 0 if self.index is None else self.index + 1

    def next_kind(self) -> str:
        following = self.following()
        return trace_format.kind_of(self.events[following]) if following < len(self.events) else "the end"

    def take(self, kind: str, clause: str, **expected) -> dict:
        """Read the next event: the clause demands this kind, with these values."""
        found = self.next_kind()
        self.index = self.following()
        self.rule(clause, found == kind, f"expected {kind}, found {found}")
        event = self.events[self.index]
        trace_format.check_event(self, event)
        for name, value in expected.items():
            self.require(clause, event[name] == value, f"{kind}: {name} is {event[name]!r}, should be {value!r}")
        return event

    def absent(self, kind: str, clause: str, message: str) -> None:
        """The next event may not be of this kind, by this clause."""
        if self.next_kind() == kind:
            self.index = self.following()
            raise RuleBroken(clause, self.index, f"{kind}: {message}")

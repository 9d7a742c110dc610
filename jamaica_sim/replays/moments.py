"""The moments at which chances change: throws, draws and other luck, and decisions of players who decide at random.

A deterministic strategy's decision changes no chances, because they already take it into account. Every moment has a
name and a way to play on from just after it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from jamaica_sim.game.words import listed
from jamaica_sim.play.positions import GamePositions, Onward, Position
from jamaica_sim.play.trace import Event, Trace
from jamaica_sim.replays.box import Box
from jamaica_sim.replays.words import card_name, did, face_name, treasure_name

LUCK, DECISION = "luck", "decision"


@dataclass(frozen=True)
class Moment:
    """Something that changes chances: which event of the trace, its name, and how to play on after it."""

    round: int
    event: int
    kind: str
    name: str
    onward: Onward | None  # None: the chances are those before the next round, or the result


def moments_of(positions: GamePositions, trace: Trace, box: Box, names: list[str]) -> list[list[Moment]]:
    """The moments of each round, in their order."""
    starts = positions.between_rounds()
    ends = [start.event for start in starts[1:]] + [len(trace["events"])]
    moody = {seat for seat, strategy in enumerate(positions.table.strategies) if strategy.draws_luck}
    found = []
    for start, end in zip(starts, ends, strict=True):
        decided = [p for p in positions.decisions() if start.event <= p.event < end]
        teller = _Narrator(trace["events"], box, names)
        moments = list(_by_luck(start, end, decided, teller, positions.after))
        moments += [
            (p.event, 1 if p.decision == "place_dice" else -1, _by_player(p, box, names))
            for p in decided
            if p.player in moody
        ]
        found.append([moment for _, _, moment in sorted(moments, key=lambda one: one[:2])])
    return found


def _by_luck(
    start: Position,
    end: int,
    decided: list[Position],
    teller: "_Narrator",
    after: Callable[[Position, int], Onward],
) -> Iterator[tuple[int, int, Moment]]:
    """The moments of luck as (event, 0, moment), to be sorted with those of decisions.

    Dice come before the decision about them, other luck after the decision at the same event.
    """
    dice = next((Onward(p) for p in decided if p.decision == "place_dice"), None)
    for number in range(start.event, end):
        name = teller.luck(number)
        if not name:
            continue
        onward: Onward | None = after(start, number)
        if number == start.event:
            onward = dice or onward
        elif number + 1 == end and teller.is_draw(number):
            onward = None  # the next round follows
        yield number, 0, Moment(start.round, number, LUCK, name, onward)


def _by_player(position: Position, box: Box, names: list[str]) -> Moment:
    name = f"{names[position.player]} {did(position, position.answer, box, names)}"
    return Moment(position.round, position.event, DECISION, name, Onward(position, position.answer))


class _Narrator:
    """Names the moments of luck."""

    def __init__(self, events: list[Event], box: Box, names: list[str]) -> None:
        self._events, self._box, self._names = events, box, names

    def luck(self, number: int) -> str:
        """The name of an event, empty where there is no luck in it."""
        event = self._events[number]
        tell = getattr(self, f"_{event['event']}", None)
        return tell(number, event) if tell else ""

    def _round(self, number: int, event: Event) -> str:
        return f"{self._names[event['captain']]}'s dice, {listed(map(str, sorted(event['dice'])))}"

    def _roll(self, number: int, event: Event) -> str:
        name, face = self._names[event["ship"]], face_name(event["face"])
        if self._events[number - 1]["event"] == "sabre":
            return f"the Sabre's reroll of {name}'s die, {face}"
        return f"{name}'s combat roll, {face}"

    def _treasure(self, number: int, event: Event) -> str:
        return f"{self._names[event['ship']]}'s treasure, {treasure_name(self._box, event['treasure'])}"

    def _shortage(self, number: int, event: Event) -> str:
        return f"{self._names[event['ship']]}'s shortage roll, a {event['symbol']}" if event["symbol"] else ""

    def _loot(self, number: int, event: Event) -> str:
        if event["take"] != "hidden":
            return ""
        winner, loser = self._names[event["ship"]], self._names[event["loser"]]
        return f"the treasure that {winner} draws from {loser}, {treasure_name(self._box, event['treasure'])}"

    def _draw(self, number: int, event: Event) -> str:
        cards = listed(card_name(self._box, card) for card in event["cards"])
        return f"{self._names[event['ship']]} draws {cards}"

    def is_draw(self, number: int) -> bool:
        """Whether a player draws cards for the next round."""
        return self._events[number]["event"] == "draw"

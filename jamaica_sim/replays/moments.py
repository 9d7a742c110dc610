"""The moments at which chances change: throws, draws and other luck, and decisions of players who decide at random.

A deterministic strategy's decision changes no chances, because they already take it into account. Every moment has a
name and a way to play on from just after it.
"""

from collections.abc import Iterator
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
        moments = list(_by_luck(positions, start, end, decided, trace["events"], box, names))
        moments += [
            (p.event, 1 if p.decision == "place_dice" else -1, _by_player(p, box, names))
            for p in decided
            if p.player in moody
        ]
        found.append([moment for _, _, moment in sorted(moments, key=lambda one: one[:2])])
    return found


def _by_luck(
    positions: GamePositions,
    start: Position,
    end: int,
    decided: list[Position],
    events: list[Event],
    box: Box,
    names: list[str],
) -> Iterator[tuple[int, int, Moment]]:
    """The moments of luck as (event, 0, moment), to be sorted with those of decisions.

    Dice come before the decision about them, other luck after the decision at the same event.
    """
    dice = next((Onward(p) for p in decided if p.decision == "place_dice"), None)
    for number in range(start.event, end):
        if name := _name_of_luck(events, number, box, names):
            onward: Onward | None = positions.after(start, number)
            if number == start.event:
                onward = dice or onward
            elif number + 1 == end and events[number]["event"] == "draw":
                onward = None  # the next round follows
            yield number, 0, Moment(start.round, number, LUCK, name, onward)


def _by_player(position: Position, box: Box, names: list[str]) -> Moment:
    name = f"{names[position.player]} {did(position, position.answer, box, names)}"
    return Moment(position.round, position.event, DECISION, name, Onward(position, position.answer))


def _name_of_luck(events: list[Event], number: int, box: Box, names: list[str]) -> str:
    """The name of an event, empty where there is no luck in it."""
    event = events[number]
    who = names[event["ship"]] if "ship" in event else ""
    match event["event"]:
        case "round":
            return f"{names[event['captain']]}'s dice, {listed(map(str, sorted(event['dice'])))}"
        case "roll":
            is_again = events[number - 1]["event"] == "sabre"
            roll = f"the Sabre's reroll of {who}'s die" if is_again else f"{who}'s combat roll"
            return f"{roll}, {face_name(event['face'])}"
        case "treasure":
            return f"{who}'s treasure, {treasure_name(box, event['treasure'])}"
        case "shortage" if event["symbol"]:
            return f"{who}'s shortage roll, a {event['symbol']}"
        case "loot" if event["take"] == "hidden":
            card = treasure_name(box, event["treasure"])
            return f"the treasure that {who} draws from {names[event['loser']]}, {card}"
        case "draw":
            return f"{who} draws {listed(card_name(box, card) for card in event['cards'])}"
    return ""

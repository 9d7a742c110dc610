"""What a player may know of the events of a game (K1, K2): the events of its trace without what is hidden from it.

An event keeps its name and its public fields. A hidden number is None; of hidden cards only the number is told.
"""

from typing import Any

from jamaica_sim.rules import Rules

Event = dict[str, Any]


def events_for(events: list[Event], player: int, rules: Rules) -> list[Event]:
    """The events as this player may know them at the end of the list."""
    face_down = {number for number, card in enumerate(rules.components.treasures) if card.kind != "power"}
    ghost = rules.players if rules.ghost else None
    revealed = _revealed(events)
    told = []
    for number, event in enumerate(events):
        hide = _HIDDEN.get(event["event"])
        told.append(hide(event, player, face_down, ghost, number in revealed) if hide else event)
    return told


def _revealed(events: list[Event]) -> set[int]:
    """The numbers of the `choose` events whose card has been turned over since."""
    waiting: dict[int, int] = {}
    revealed: set[int] = set()
    for number, event in enumerate(events):
        if event["event"] == "choose":
            waiting[event["ship"]] = number
        elif event["event"] in ("action", "skip") and event["ship"] in waiting:
            revealed.add(waiting.pop(event["ship"]))
    return revealed


def _choose(event: Event, player: int, face_down: set[int], ghost: int | None, is_revealed: bool) -> Event:
    if event["ship"] == player:
        return event
    return {**event, "hand": len(event["hand"]), "card": event["card"] if is_revealed else None}


def _draw(event: Event, player: int, face_down: set[int], ghost: int | None, is_revealed: bool) -> Event:
    return event if event["ship"] == player else {**event, "cards": len(event["cards"])}


def _treasure(event: Event, player: int, face_down: set[int], ghost: int | None, is_revealed: bool) -> Event:
    """A power lies face up, except the ghost's: it draws unseen (G4)."""
    is_seen = event["ship"] == player or (event["ship"] != ghost and event["treasure"] not in face_down)
    return event if is_seen else {**event, "treasure": None}


def _loot(event: Event, player: int, face_down: set[int], ghost: int | None, is_revealed: bool) -> Event:
    """A face-down card that changes hands is seen by both ships (R5); a power lies face up before or after."""
    is_hidden = event.get("treasure") in face_down and player not in (event["ship"], event["loser"])
    return {**event, "treasure": None} if is_hidden else event


def _house(event: Event, player: int, face_down: set[int], ghost: int | None, is_revealed: bool) -> Event:
    """What a house rule did; a face-down card is seen by the ships that it concerns."""
    is_hidden = event.get("treasure") in face_down and player not in (event.get("ship"), event.get("to"))
    return {**event, "treasure": None} if is_hidden else event


_HIDDEN = {"choose": _choose, "draw": _draw, "treasure": _treasure, "loot": _loot, "house": _house}

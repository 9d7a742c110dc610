"""What a player may know of the events of a game (K1, K2): the events of its trace without what is hidden from it.

An event keeps its name and its public fields. A hidden number is None; of hidden cards only the number is told.
"""

from typing import Any

from jamaica_sim.game.rules import Rules

Event = dict[str, Any]


def events_for(events: list[Event], player: int, rules: Rules) -> list[Event]:
    """The events as this player may know them at the end of the list."""
    face_down = {number for number, card in enumerate(rules.components.treasures) if card.kind != "power"}
    ghost = rules.players if rules.ghost else None
    revealed = _revealed(events)
    return [
        {**event, **_hidden(event, player, face_down, ghost, number in revealed)} for number, event in enumerate(events)
    ]


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


def _hidden(event: Event, player: int, face_down: set[int], ghost: int | None, is_revealed: bool) -> Event:
    """What stands in place of the fields that this player may not know.

    A face-down treasure is seen by the ships that it concerns (R5). Powers lie face up; the ghost draws unseen (G4).
    """
    what, treasure = event["event"], event.get("treasure")
    if player in (event.get("ship"), event.get("loser")):
        return {}
    if what == "choose":
        return {"hand": len(event["hand"]), **({} if is_revealed else {"card": None})}
    if what == "draw":
        return {"cards": len(event["cards"])}
    is_drawn_unseen = what == "treasure" and event["ship"] == ghost
    return {"treasure": None} if treasure in face_down or is_drawn_unseen else {}

"""What a player may know of the events of a game (K1, K2): the events of its trace without what is hidden from it.

An event keeps its name and its public fields. A hidden number is None; of hidden cards only the number is told.
"""

from typing import Any

from jamaica_sim.game.rules import Rules
from jamaica_sim.play.trace import Event, Trace

NOBODY = -1  # as a player: who knows only what all may know
LUCK = ("seed", "luck", "game")  # of a configuration: from these all that is to come can be reckoned


def trace_for(trace: Trace, player: int, rules: Rules) -> dict[str, Any]:
    """A game that is not over as this player may know it; None stands for a card that it may not."""
    setup = trace["setup"]
    hands = [hand if ship == player else [None] * len(hand) for ship, hand in enumerate(setup["hands"])]
    known = {"captain": setup["captain"], "pile": [None] * len(setup["pile"]), "removed": [], "hands": hands}
    events = [_counted(event) for event in events_for(trace["events"], player, rules)]
    config = {name: value for name, value in trace["config"].items() if name not in LUCK}
    return {**trace, "config": config, "setup": known, "events": events}


def _counted(event: Event) -> Event:
    """Hidden cards as so many unknown ones."""
    for name in ("hand", "cards"):
        if isinstance(event.get(name), int):
            event = {**event, name: [None] * event[name]}
    return event


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

"""What a seat is told of a game: the events that it may know, their sentences, and the question it is asked.

Nothing else of a game goes to a page. What is hidden from the seat is not sent at all, and neither is the seed, from
which all luck follows; a game that is over is told in full.
"""

from typing import Any

from jamaica_sim.play.outside.game import Game, events_for
from jamaica_sim.play.trace import Trace
from jamaica_sim.replays.page import page_data
from jamaica_sim.strategy.question import Question
from jamaica_sim.web.foresight import foresight, leads

# The event that follows the answer, where the sentence before it depends on it.
FOLLOWING = {"choose_retreat": "retreat", "hold_to_empty": "load", "hold_to_pay": "pay"}
LOOT = ("choose_loot", "ghost_loot")
Told = dict[str, Any]


def told(game: Game, seat: int) -> Told:
    """The game as the page shows it to this seat."""
    trace, asked = game.trace(), game.question
    return table_for(_set_up(trace, asked), seat, game, asked)


def table_for(trace: Trace, seat: int, game: Game, asked: Question | None) -> Told:
    """A trace as this seat may know it."""
    rules = game.table.rules
    pending = FOLLOWING.get(asked.decision) if asked else None
    data = page_data(trace, rules, pending=pending)
    for number, ship in enumerate(data["ships"]):
        if number < rules.players and game.table.strategies[number].is_outside:
            name = ship["strategy"]  # of a person, who may have none
            you = f"{name} (you)" if name else "you"
            ship["strategy"] = you if number == seat else name or "a person"
    data["question"] = _question(asked) if asked is not None and asked.player == seat else None
    data["asked"] = None if asked is None else asked.player
    if asked is not None:
        data["trace"] = _public_trace(trace, seat, game)
        data["steps"] = [_heard(step, seat) for step in data["steps"]]
        data["summary"] = None
    return data


def _set_up(trace: Trace, asked: Question | None) -> Trace:
    """The setup with hands and Captain, which a trace does not tell before the first cards are chosen."""
    if asked is None:
        return trace
    setup, view = trace["setup"], asked.view
    sizes = [ship["hand_size"] for ship in view["ships"] if "hand_size" in ship]
    hands: list[list[Any]] = [hand or [None] * size for hand, size in zip(setup["hands"], sizes, strict=True)]
    if None in hands[asked.player]:
        hands[asked.player] = [card["card"] for card in view["hand"]]
    captain = view["captain"] if setup["captain"] is None else setup["captain"]
    return {**trace, "setup": {**setup, "captain": captain, "hands": hands}}


def _public_trace(trace: Trace, seat: int, game: Game) -> Told:
    setup = trace["setup"]
    hands = [hand if ship == seat else [None] * len(hand) for ship, hand in enumerate(setup["hands"])]
    known = {name: value for name, value in trace["config"].items() if name not in ("seed", "luck", "game")}
    return {
        "config": known,
        "setup": {"captain": setup["captain"], "pile": [None] * len(setup["pile"]), "hands": hands},
        "events": [_counted(event) for event in events_for(trace["events"], seat, game.table.rules)],
        "result": None,
    }


def _counted(event: Told) -> Told:
    """Hidden cards as so many unknown ones."""
    for name in ("hand", "cards"):
        if isinstance(event.get(name), int):
            event = {**event, name: [None] * event[name]}
    return event


def _heard(step: list[Any], seat: int) -> list[Any]:
    """A step with the words that this seat may hear."""
    kind, first, count, subject, words, path = step
    heard = [
        (part["secret"] if seat in part["to"] else part["otherwise"]) if isinstance(part, dict) else part
        for part in words
    ]
    return [kind, first, count, subject, heard, path]


def _question(asked: Question) -> Told:
    foreseen = foresight(asked)
    view = asked.view
    return {
        "decision": asked.decision,
        "asks": asked.asks,
        "player": asked.player,
        "ship": asked.ship,
        "options": [
            {"answer": answer, "words": words, "does": foreseen[answer], "leads": leads(asked, answer)}
            for answer, words in asked.words.items()
        ],
        "round": view["round"],
        "captain": view["captain"],
        "dice": view["dice"],
        "placed": view["placed"],
        "discards": [[card["card"] for card in ship["discard"]] for ship in view["ships"] if "discard" in ship],
        "holds": [ship["holds"] for ship in view["ships"]],
        "free_split": asked.rules.free_split,
        "due": {"amount": view["amount"], "resource": view["resource"]} if "amount" in view else None,
        "battle": view.get("battle"),
        "loser": view["battle"]["loser"] if asked.decision in LOOT else None,
    }

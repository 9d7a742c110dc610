"""What a seat is told of a game: the events that it may know, their sentences, and the question it is asked.

Nothing else of a game goes to a page. What is hidden from the seat is not sent at all, and neither is the seed, from
which all luck follows; a game that is over is told in full.
"""

from typing import Any

from jamaica_sim.play.outside.game import Game
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
    return table_for(game.trace(), seat, game, game.question)


def table_for(trace: Trace, seat: int, game: Game, asked: Question | None) -> Told:
    """A trace as this seat may know it."""
    rules = game.table.rules
    pending = FOLLOWING.get(asked.decision) if asked else None
    data = page_data(trace, rules, pending=pending, reader=None if asked is None else seat)
    for number, ship in enumerate(data["ships"]):
        if number < rules.players and game.table.strategies[number].is_outside:
            name = ship["strategy"]  # of a person, who may have none
            you = f"{name} (you)" if name else "you"
            ship["strategy"] = you if number == seat else name or "a person"
    data["question"] = _question(asked) if asked is not None and asked.player == seat else None
    data["asked"] = None if asked is None else asked.player
    return data


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

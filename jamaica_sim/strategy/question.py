"""A question to a player outside the engine: who is asked what, the legal answers in words, and the player's view.

A question holds a copy of the view, the part of the game that the player may see (K1, K2), and nothing else. Words and
the view by names are made when they are asked for.
"""

from collections.abc import Callable
from functools import cached_property
from random import Random
from struct import Struct
from typing import Any

import numpy as np

from jamaica_sim.engine.events import WHEN
from jamaica_sim.engine.machine.bits import members_of
from jamaica_sim.engine.state import NO_FACE, NONE, STAR
from jamaica_sim.engine.view import VIEW_DTYPE
from jamaica_sim.errors import UserError
from jamaica_sim.game.codes import DECISIONS, EVENING, MORNING, RESOURCES
from jamaica_sim.game.components import Components
from jamaica_sim.game.rules import Rules
from jamaica_sim.strategy.option_words import holds_of, option_words, ship_names

ASKED = Struct("4q")  # me, ship, decision and legal, with which a view begins
assert (VIEW_DTYPE.names or ())[:4] == ("me", "ship", "decision", "legal")
Facts = dict[str, Any]
Shown = Callable[[int], list[Facts]]  # the members of a set of cards
BATTLE = ("attack_powder", "defence_powder", "use_sabre", "choose_loot", "ghost_loot")  # asked within a battle
ASKS = {
    "place_dice": "which die is for the morning",
    "choose_card": "which card to play",
    "choose_space": "where to sail",
    "choose_retreat": "where to go back to",
    "hold_to_empty": "which hold to empty",
    "hold_to_pay": "which hold to pay from",
    "choose_target": "whom to attack",
    "attack_powder": "how much gunpowder to add to the attack",
    "defence_powder": "how much gunpowder to add to the defence",
    "use_sabre": "whether to use Saran's Sabre",
    "choose_loot": "what to take",
    "ghost_direction": "which way the ghost sails",
    "ghost_space": "where the ghost sails",
    "ghost_target": "whom the ghost attacks",
    "ghost_loot": "what the ghost takes",
    "house_choice": "what a house rule asks",
}


class IllegalAnswer(UserError):
    """An answer that is none of the legal ones; the message names them."""

    def __init__(self, answer: Any, message: str):
        self.answer = answer
        super().__init__(message)


class Question:
    """A question of the game to one player.

    Attributes
    ----------
    player : int
        The player who is asked, by seat.
    ship : int
        The ship that the question is about: the player's own, or the ghost.
    decision : str
        The decision point, such as "choose_card".
    options : tuple of int
        The legal answers.
    rules : Rules
        The rules of the game, with its board and cards.
    """

    def __init__(self, view: bytes, rules: Rules):
        self._bytes, self.rules = view, rules
        self.player, self.ship, decision, legal = ASKED.unpack_from(view)
        self.decision = DECISIONS[decision]
        self.options = tuple(members_of(legal))

    def __repr__(self) -> str:
        told = ", ".join(f"{answer}: {words}" for answer, words in self.words.items())
        return f"<Question to {self.names[self.player]}, {self.asks} ({self.decision}): {told}>"

    def read(self, name: str) -> Any:
        """A field of the view as the engine has it, such as "stock"; `docs/strategies.md` lists the fields."""
        return self._record[name]

    @cached_property
    def _record(self) -> np.void:
        return np.frombuffer(self._bytes, VIEW_DTYPE)[0]

    @property
    def asks(self) -> str:
        """What is asked, in words."""
        house = self.rules.house_rules
        return house.description if house and self.decision == "house_choice" else ASKS[self.decision]

    @property
    def names(self) -> list[str]:
        """The ships' names, by number."""
        return ship_names(self.rules.players, bool(self.rules.ghost))

    @cached_property
    def words(self) -> dict[int, str]:
        """What each legal answer means."""
        return {x: option_words(self, x, self.rules, self.names) for x in self.options}

    @cached_property
    def luck(self) -> Random:
        """Random numbers of the player's own, the same each time when the game is played again."""
        return Random(int(self._record["luck_key"]))

    @cached_property
    def view(self) -> dict[str, Any]:
        """All that the player may see, by names."""
        return _view(self)

    def as_dict(self) -> dict[str, Any]:
        """The whole question as plain values, ready for JSON."""
        return {
            "player": self.player,
            "ship": self.ship,
            "decision": self.decision,
            "asks": self.asks,
            "options": [{"answer": answer, "words": words} for answer, words in self.words.items()],
            "view": self.view,
        }

    def checked(self, answer: Any) -> int:
        """A legal answer as a plain number; refuses any other in a sentence that names the legal ones."""
        try:
            number = answer.__index__()
        except (AttributeError, TypeError):
            number = None
        if number is None or isinstance(answer, bool) or number not in self.options:
            legal = ", ".join(f"{option} ({words})" for option, words in self.words.items())
            raise IllegalAnswer(answer, f"{answer!r} is not a legal answer to {self.decision}: answer {legal}.")
        return number


def _view(asked: Question) -> Facts:
    read, box = asked.read, asked.rules.components

    def cards(bits: int) -> list[Facts]:
        return [_card(card, box) for card in members_of(int(bits))]

    def treasures(bits: int) -> list[Facts]:
        return [{"treasure": card, "name": box.treasures[card].name} for card in members_of(int(bits))]

    placed = read("placed").tolist()
    chosen, turn = int(read("card")), int(read("turn"))
    acting = turn != NONE
    told: Facts = {
        "round": int(read("round")),
        "captain": int(read("captain")),
        "dice": read("dice").tolist(),
        "placed": {"morning": placed[MORNING], "evening": placed[EVENING]} if any(placed) else None,
        "turn": turn if acting else None,
        "when": WHEN[read("when")] if acting else None,
        "hand": cards(read("hand")),
        "chosen": _card(chosen, box) if chosen != NONE else None,
        "treasures": treasures(read("treasures")),
        "tokens": members_of(int(read("tokens"))),
        "ships": [_ship(asked, ship, name, cards, treasures) for ship, name in enumerate(asked.names)],
    }
    if asked.decision in ("hold_to_empty", "hold_to_pay"):
        told |= {"resource": RESOURCES[read("resource")], "amount": int(read("amount"))}
    if asked.decision in BATTLE:
        told["battle"] = _battle(asked)
    return told


def _card(card: int, box: Components) -> Facts:
    return {"card": card, "name": box.action_cards[card].name}


def _ship(asked: Question, ship: int, name: str, cards: Shown, treasures: Shown) -> Facts:
    read = asked.read
    played = int(read("played")[ship])
    told: Facts = {
        "ship": ship,
        "name": name,
        "space": int(read("space")[ship]),
        "lap": int(read("lap")[ship]),
        "holds": [
            {"hold": hold, "resource": kind, "amount": amount}
            for hold, (kind, amount) in holds_of(int(read("stowage")[ship])).items()
        ],
        **{resource: int(read("stock")[ship, i]) for i, resource in enumerate(RESOURCES)},
        "powers": treasures(read("powers")[ship]),
        "face_down": int(read("face_down")[ship]),
        "known": treasures(read("known")[ship]),
    }
    if ship < asked.rules.players:
        told |= {
            "hand_size": int(read("hand_size")[ship]),
            "discard": cards(read("discard")[ship]),
            "played": _card(played, asked.rules.components) if played != NONE else None,
        }
    return told


def _battle(asked: Question) -> Facts:
    """The battle in progress; what has not come yet is None."""
    told: Facts = {name: int(asked.read(name)) for name in ("attacker", "defender")}
    for side in ("attack", "defence"):
        face, powder = int(asked.read(f"{side}_face")), f"{side}_powder"
        has_come = face != NO_FACE and asked.decision != powder  # powder is added just before the roll
        told[powder] = int(asked.read(powder)) if has_come else None
        told[f"{side}_face"] = "star" if face == STAR else None if face == NO_FACE else face
        told[f"{side}_strength"] = None if face in (STAR, NO_FACE) else int(asked.read(f"{side}_strength"))
    if asked.decision in ("choose_loot", "ghost_loot"):
        told |= {"winner": int(asked.read("winner")), "loser": int(asked.read("loser"))}
    return told

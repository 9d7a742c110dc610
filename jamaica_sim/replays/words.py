"""Names for ships, spaces, cards and goods, shared by the story, the summary and the page."""

from collections.abc import Container, Iterable, Sequence
from typing import NamedTuple

from jamaica_sim.play.positions import Position
from jamaica_sim.play.trace import Event, Place
from jamaica_sim.replays.book import Ship
from jamaica_sim.replays.box import SIXTH_HOLD, Box
from jamaica_sim.strategy.option_words import option_words, space_name

KINDS = {"sea": "sea", "port": "port", "lair": "lair", "port_royal": "Port Royal"}
LONGEST_STRATEGY = 24  # letters of a strategy's name
VERBS = {
    "place_dice": "puts",
    "choose_card": "plays",
    "choose_space": "sails to",
    "choose_retreat": "goes back to",
    "hold_to_empty": "throws overboard",
    "hold_to_pay": "pays from the hold with",
    "choose_target": "attacks",
    "attack_powder": "adds",
    "defence_powder": "adds",
    "use_sabre": "chooses",
    "choose_loot": "chooses",
    "ghost_direction": "moves the ghost",
    "ghost_space": "sails the ghost to",
    "ghost_target": "has the ghost attack",
    "ghost_loot": "chooses for the ghost",
    "house_choice": "chooses",
}


class Secret(NamedTuple):
    """Words that only some ships may read; the others read something else, or nothing."""

    text: str
    otherwise: str
    ships: tuple[int, ...]

    def read_by(self, reader: int | None) -> str:
        """The words as a ship reads them; None is someone who sees all cards."""
        return self.text if reader is None or reader in self.ships else self.otherwise


Part = str | int | Secret  # of a sentence: words, a ship by its number, or a secret


def capital(text: str) -> str:
    """The text with a capital first letter."""
    return text[:1].upper() + text[1:]


def listed_parts(items: Sequence[Part], last: str = "and") -> list[Part]:
    """The same as a list of parts, for items that are not text yet."""
    parts: list[Part] = []
    for number, item in enumerate(items):
        if number:
            parts.append(f" {last} " if number == len(items) - 1 else ", ")
        parts.append(item)
    return parts


def spoken(words: Iterable[Part], ships: Sequence[Ship], reader: int | None = None) -> str:
    """Words as text, as `Secret.read_by`."""
    return "".join(
        part.read_by(reader) if isinstance(part, Secret) else ships[part].name if isinstance(part, int) else part
        for part in words
    )


def full_name(ship: Ship) -> str:
    """A ship's colour and strategy."""
    strategy = ship.strategy.replace("_", " ")
    if len(strategy) > LONGEST_STRATEGY:
        strategy = f"{strategy[: LONGEST_STRATEGY - 1]}…"
    return f"{ship.name} {strategy}".strip()


def goods(thing: Event) -> str:
    """The amount and the resource of an event."""
    return f"{thing['amount']} {thing['resource']}"


def points(score: int) -> str:
    """A score with its unit."""
    return f"{score} point{'s' * (abs(score) != 1)}"


def face_name(face: int | str) -> str:
    """A face of the combat die."""
    return "a star" if face == "star" else str(face)


def card_name(box: Box, card: int) -> str:
    """An action card."""
    return box.cards[card].name


def treasure_name(box: Box, card: int) -> str:
    """A treasure card."""
    return box.treasures[card].title


def into(box: Box, hold: int) -> str:
    """Where something is loaded, if that is worth telling."""
    return " into the 6th Hold" if hold == SIXTH_HOLD >= box.rules.holds else ""


def described_space(box: Box, position: Place, plundered: Container[int], word: str = "space ") -> str:
    """A space with what is there, and whether it lies behind the start."""
    space, kind = position["space"], box.board[position["space"]].kind
    remarks = []
    if space:
        remarks.append("empty lair" if space in plundered else KINDS[kind])
    if position["lap"] < 0:
        remarks.append("behind the start")
    return space_name(space, word) + (f" ({', '.join(remarks)})" if remarks else "")


def did(position: Position, answer: int, box: Box, names: list[str]) -> str:
    """What a player does with an answer: `plays gold/gold`."""
    return f"{VERBS[position.decision]} {option_words(position, answer, box.rules, names)}"

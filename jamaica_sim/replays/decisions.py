"""Words for decisions: what a player did, and what each answer would have been."""

from jamaica_sim.codes import LOOT_GIVE, LOOT_HIDDEN, LOOT_NOTHING, LOOT_POWER, RESOURCES
from jamaica_sim.play.positions import Position
from jamaica_sim.replays.box import Box
from jamaica_sim.replays.words import card_name, space_name, treasure_name

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
}


def did(position: Position, answer: int, box: Box, names: list[str]) -> str:
    """What a player does with an answer: `plays gold/gold`."""
    return f"{VERBS[position.decision]} {option_name(position, answer, box, names)}"


def option_name(position: Position, answer: int, box: Box, names: list[str]) -> str:
    """One answer: `gold/gold`, `space 12`, `to take 4 gold`."""
    return _NAMES[position.decision](position, answer, box, names)


def _dice(position, answer, box, names):
    dice = position.read("dice").tolist()
    return f"{dice[answer]} on the morning"


def _card(position, answer, box, names):
    return card_name(box, answer)


def _space(position, answer, box, names):
    return space_name(answer)


def _own_hold(position, answer, box, names):
    return _contents(position, position.ship, answer)


def _ship(position, answer, box, names):
    return names[answer]


def _powder(position, answer, box, names):
    return f"{answer or 'no'} gunpowder"


def _sabre(position, answer, box, names):
    return "to roll again by the Sabre" if answer else "to let the roll stand"


def _direction(position, answer, box, names):
    return "forward" if answer else "backward"


def _loot(position, answer, box, names):
    if answer < LOOT_POWER:
        return f"to take {_contents(position, int(position.read('loser')), answer)}"
    if answer < LOOT_HIDDEN:
        return f"to take {treasure_name(box, answer - LOOT_POWER)}"
    if answer == LOOT_HIDDEN:
        return "to take a face-down treasure"
    if answer < LOOT_NOTHING:
        return f"to give {treasure_name(box, answer - LOOT_GIVE)} away"
    return "to take nothing"


def _contents(position, ship, hold):
    kind, amount = int(position.read("hold_kind")[ship, hold]), int(position.read("hold_count")[ship, hold])
    return f"{amount} {RESOURCES[kind]}" if kind < len(RESOURCES) else "nothing"


_NAMES = {
    "place_dice": _dice,
    "choose_card": _card,
    "choose_space": _space,
    "choose_retreat": _space,
    "hold_to_empty": _own_hold,
    "hold_to_pay": _own_hold,
    "choose_target": _ship,
    "attack_powder": _powder,
    "defence_powder": _powder,
    "use_sabre": _sabre,
    "choose_loot": _loot,
    "ghost_direction": _direction,
    "ghost_space": _space,
    "ghost_target": _ship,
    "ghost_loot": _loot,
}

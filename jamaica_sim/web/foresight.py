"""What each answer would do, in a few words, by what the asked player can see: the page and the terminal show it first.

A decision without a line in `FORESEEN` is told by its plain words alone.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from jamaica_sim.game.codes import LOOT_GIVE, LOOT_HIDDEN, LOOT_NOTHING, LOOT_POWER
from jamaica_sim.replays.box import box_by, neighbours
from jamaica_sim.strategy.option_words import space_name
from jamaica_sim.strategy.question import Question

MOST_ENDS = 4  # spaces that are named; more are counted
LADY_BETH = "Lady Beth"
NOTHING: Mapping[str, int] = MappingProxyType({})


def foresight(question: Question) -> dict[int, str]:
    """What each legal answer would do; nothing for an answer whose words say all."""
    tell = FORESEEN.get(question.decision)
    return {answer: tell(question, answer) if tell else "" for answer in question.options}


def _place_dice(question: Question, answer: int) -> str:
    dice = question.view["dice"]
    return f"morning {dice[answer]}, evening {dice[1 - answer]}"


def _choose_card(question: Question, answer: int) -> str:
    card, placed = question.rules.components.action_cards[answer], question.view["placed"]
    own = _ship(question, question.player)
    ends, loaded, onward = [(own["space"], own["lap"])], dict[str, int](), ""
    parts = []
    for symbol, die in ((card.morning, placed["morning"]), (card.evening, placed["evening"])):
        if symbol in ("forward", "backward"):
            ends = _ends(question, ends, symbol == "forward", die)
            way = "forward" if symbol == "forward" else "back"
            parts.append(f"sail {die} {way} {onward or f'to {_named(question, ends, loaded)}'}")
            onward = onward or _leaves(question, ends, loaded)
        else:
            parts.append(f"load {die} {symbol}{_overboard(own, symbol)}")
            loaded[symbol] = die
    return ", then ".join(parts)


def leads(question: Question, answer: int) -> list[tuple[int, str]]:
    """The spaces that an answer can lead to, each with a few words about what it costs there."""
    if question.decision in ("choose_space", "choose_retreat", "ghost_space"):
        return [(answer, _mark(question, answer, question.ship))]
    if question.decision == "ghost_direction":
        return [(space, _mark(question, space, question.ship)) for space, _ in _ghost_ends(question, answer)]
    if question.decision != "choose_card":
        return []
    card, placed = question.rules.components.action_cards[answer], question.view["placed"]
    own = _ship(question, question.player)
    ends, loaded, marks = [(own["space"], own["lap"])], dict[str, int](), dict[int, str]()
    for symbol, die in ((card.morning, placed["morning"]), (card.evening, placed["evening"])):
        if symbol in ("forward", "backward"):
            ends = _ends(question, ends, symbol == "forward", die)
            marks |= {space: _mark(question, space, question.ship, loaded) for space, _ in ends}
            if _leaves(question, ends, loaded).startswith("from where"):
                break  # nobody knows where the evening begins
        else:
            loaded[symbol] = die
    return list(marks.items())


def ahead_of(question: Question, ship: dict[str, Any]) -> list[list[int]]:
    """The spaces that a ship can come to with one step, with two, and so on up to a six."""
    found = [[(int(ship["space"]), int(ship["lap"]))]]
    for _ in range(6):
        found.append(_ends(question, found[-1], True, 1))
    return [[space for space, _ in ends] for ends in found[1:]]


def described(question: Question, spaces: list[int]) -> list[str]:
    """Spaces with their kind and what it costs to end there."""
    places = [
        (space, question.rules.components.board[space], _mark(question, space, question.player)) for space in spaces
    ]
    return [f"{space_name(space)} ({place.kind}{', ' * bool(mark)}{mark})" for space, place, mark in places]


def _mark(question: Question, space: int, ship: int, loaded: Mapping[str, int] = NOTHING) -> str:
    """What happens on a space, in two words."""
    place = question.rules.components.board[space]
    words = ["battle"] if _others(question, space, ship) else []
    if place.kind == "lair" and space in question.view["tokens"]:
        words.append("treasure")
    elif place.cost and ship < question.rules.players:
        resource = _due(place.kind)
        is_short = _ship(question, ship)[resource] + loaded.get(resource, 0) < place.cost
        words.append(f"short of {resource}" if is_short else f"{place.cost} {resource}")
    return ", ".join(words)


def _leaves(question: Question, ends: list[tuple[int, int]], loaded: dict[str, int]) -> str:
    """From where the evening goes on, if nobody knows that space yet; otherwise what the morning's end costs is paid.

    A battle comes before the payment (M2), so that it can lead to a shortage or avert one.
    """
    places = [question.rules.components.board[space] for space, _ in ends]
    if any(
        place.cost and _others(question, space, question.player) for place, (space, _) in zip(places, ends, strict=True)
    ):
        return "from there"
    own = _ship(question, question.player)
    if all(place.cost > own[_due(place.kind)] + loaded.get(_due(place.kind), 0) for place in places):
        return "from where the shortage takes it"
    if len(ends) > 1:
        return "from there"
    if places[0].cost:
        resource = _due(places[0].kind)
        loaded[resource] = loaded.get(resource, 0) - places[0].cost
    return ""


def _due(kind: str) -> str:
    return "gold" if kind == "port" else "food"


def _others(question: Question, space: int, ship: int) -> list[str]:
    """Whom a ship could fight on a space; nobody in Port Royal."""
    ships = question.view["ships"]
    return [other["name"] for other in ships if other["ship"] != ship and other["space"] == space != 0]


def _overboard(ship: dict[str, Any], resource: str) -> str:
    if any(hold["resource"] is None for hold in ship["holds"]):
        return ""
    if all(hold["resource"] == resource for hold in ship["holds"]):
        return " (ignored: every hold has it)"
    return " (no hold is free now)"


def _ends(question: Question, starts: list[tuple[int, int]], forward: bool, die: int) -> list[tuple[int, int]]:
    """Where a ship can come to from these positions (M1, M4)."""
    box, ends = box_by(question.rules), set(starts)
    for _ in range(die):
        home = {at for at in ends if forward and at[0] == 0 and at[1] > 0}
        ends = home.union(*(neighbours(box, at, forward) for at in ends - home))
    return sorted(ends, key=lambda end: (end[1], end[0]))


def _named(question: Question, ends: list[tuple[int, int]], loaded: Mapping[str, int] = NOTHING) -> str:
    if len(ends) > MOST_ENDS:
        return f"one of {len(ends)} spaces"
    spaces = [space for space, _ in ends]
    return " or ".join(f"{space_name(n)} ({_space_words(question, n, question.ship, loaded)})" for n in spaces)


def _space_words(question: Question, space: int, ship: int, loaded: Mapping[str, int] = NOTHING) -> str:
    """Kind and cost of a space, for a ship that arrives there after it has loaded so much."""
    place = question.rules.components.board[space]
    own = _ship(question, ship)
    is_ghost = ship >= question.rules.players
    words = "free" if place.kind == "port_royal" else place.kind
    if place.kind == "lair":
        words += ", a treasure" if space in question.view["tokens"] else ", empty"
    elif place.cost and not is_ghost:
        resource = _due(place.kind)
        there = own[resource] + loaded.get(resource, 0)
        words += f", costs {place.cost} {resource} of your {there}"
        if there < place.cost:
            words += ": a shortage"
    if others := _others(question, space, ship):
        words += f"; battle with {' or '.join(others)}"
    return words


def _ship(question: Question, ship: int) -> dict[str, Any]:
    found: dict[str, Any] = question.view["ships"][ship]
    return found


def _choose_space(question: Question, answer: int) -> str:
    return f"{_space_words(question, answer, question.ship)}; {_points(question, answer)}"


def _points(question: Question, space: int) -> str:
    score = question.rules.components.board[space].score
    return f"{score} point{'s' * (abs(score) != 1)}"


def _ghost_direction(question: Question, answer: int) -> str:
    die, ends = question.view["placed"][question.view["when"]], _ghost_ends(question, answer)
    return f"sails {die} {'forward' if answer else 'back'} to {_named(question, ends)}"


def _ghost_ends(question: Question, answer: int) -> list[tuple[int, int]]:
    ghost, die = _ship(question, question.ship), question.view["placed"][question.view["when"]]
    return _ends(question, [(ghost["space"], ghost["lap"])], bool(answer), die)


def _hold_to_empty(question: Question, answer: int) -> str:
    hold = _hold(question, question.ship, answer)
    return (
        f"{hold['amount']} {hold['resource']} overboard, then {question.view['amount']} {question.view['resource']} in"
    )


def _hold(question: Question, ship: int, number: int) -> dict[str, Any]:
    return next(hold for hold in _ship(question, ship)["holds"] if hold["hold"] == number)


def _hold_to_pay(question: Question, answer: int) -> str:
    hold, due = _hold(question, question.ship, answer), int(question.view["amount"])
    paid = 1 if question.rules.free_split else min(due, hold["amount"])
    left = "and is empty then" if paid == hold["amount"] else f"and keeps {hold['amount'] - paid}"
    return f"pays {paid} of {due} {left}"


def _target(question: Question, answer: int) -> str:
    ship = _ship(question, answer)
    aboard = [f"{hold['amount']} {hold['resource']}" for hold in ship["holds"] if hold["resource"]]
    treasures = [power["name"] for power in ship["powers"]]
    if ship["face_down"]:
        treasures.append(f"{ship['face_down']} face down")
    return "has " + (", ".join([*aboard, *treasures]) or "nothing aboard")


def _powder(question: Question, answer: int) -> str:
    faces = [face.strength for face in question.rules.components.combat_die if face.strength is not None]
    beth = any(power["name"] == LADY_BETH for power in _ship(question, question.player)["powers"])
    bonus = answer + (question.rules.lady_beth_bonus if beth else 0)
    left = f"{_ship(question, question.player)['gunpowder'] - answer} gunpowder left"
    attack, die = question.view["battle"]["attack_strength"], question.rules.components.combat_die
    if question.decision == "defence_powder" and attack is not None:
        wins = len(die) - sum(face + bonus <= attack for face in faces)
        ties = ", 1 ties" if attack - bonus in faces else ""
        return f"{wins} of {len(die)} faces win against {attack}{ties}; {left}"
    return f"strength {min(faces) + bonus} to {max(faces) + bonus}, or a star; {left}"


def _loot(question: Question, answer: int) -> str:
    treasures = question.rules.components.treasures
    if answer < LOOT_POWER:
        holds = _ship(question, question.view["battle"]["winner"])["holds"]
        is_free = any(hold["resource"] is None for hold in holds)
        return "into a free hold" if is_free else "other goods go overboard to make room"
    if answer < LOOT_HIDDEN:
        return "a power"
    if answer == LOOT_HIDDEN:
        return "drawn unseen"
    if answer < LOOT_NOTHING:
        value, loser = treasures[answer - LOOT_GIVE].value, question.names[question.view["battle"]["loser"]]
        return f"{loser} gets {value} points" if value else f"the power goes to {loser}"
    return "everything stays as it is"


FORESEEN: dict[str, Callable[[Question, int], str]] = {
    "place_dice": _place_dice,
    "choose_card": _choose_card,
    "choose_space": _choose_space,
    "choose_retreat": _choose_space,
    "hold_to_empty": _hold_to_empty,
    "hold_to_pay": _hold_to_pay,
    "choose_target": _target,
    "attack_powder": _powder,
    "defence_powder": _powder,
    "use_sabre": lambda question, answer: "the new roll counts, whatever it is" if answer else "the battle goes on",
    "choose_loot": _loot,
    "ghost_direction": _ghost_direction,
    "ghost_space": _choose_space,
    "ghost_target": _target,
    "ghost_loot": _loot,
}

"""Rulebooks of random variants never change: a hash of all that is derived guards every way to derive it.

It may only be replaced when a rule that it depends on is changed on purpose.
"""

import hashlib
import random

from jamaica_sim.engine.rulebook import SAME_NAMES, rulebook_of
from jamaica_sim.engine.state import RULES_DTYPE
from jamaica_sim.game.components.course import LETTERS
from jamaica_sim.game.rules import Rules, RulesError

VARIANTS = 150
SYMBOLS = ("gold", "food", "gunpowder", "forward", "backward")
GIVEN = {*SAME_NAMES, "engine", "moments", "parameters", "printed"}
FROZEN = "4c82c999e196aae4"


def random_board(luck):
    """A board as a short text, with up to three forks."""
    many, following, space = luck.randint(12, 62), {}, 1
    for _ in range(luck.randint(0, 3)):
        space += luck.randint(0, 8)
        outer = luck.randint(1, 5)
        inner = luck.randint(1, outer)
        meeting = space + outer + inner + 1
        if meeting >= many:
            break
        following |= {space: f">{space + 1}/{space + outer + 1}", space + outer: f">{meeting}"}
        space = meeting
    words = []
    for number in range(many):
        kind = luck.choice(("sea", "sea", "port", "lair")) if number else "port_royal"
        cost = luck.randint(0, 10) if kind in ("sea", "port") else 0
        score = luck.choice(("", "", "+3", "-2", "+7"))
        words.append(f"{LETTERS[kind]}{cost or ''}{score}{following.get(number, '')}")
    return " ".join(words)


def random_changes(luck, players):
    """Some changed rules and components."""
    faces = luck.randint(2, 12)
    some = {
        "board": (random_board(luck), {"treasure_pile": 0}),
        "start_gold": (tuple(luck.randint(0, 9) for _ in range(players)), {}),
        "action_die": (tuple(luck.randint(1, 10) for _ in range(luck.randint(2, 12))), {}),
        "holds": (luck.randint(3, 5), {}),
        "limited_bank": (True, {}),
        "ports.dearer": (luck.randint(-3, 5), {}),
        "seas.dearer": (luck.randint(-3, 5), {}),
        "card.3": (f"{luck.choice(SYMBOLS)}/{luck.choice(SYMBOLS)}", {}),
        "card.11": (f"{luck.choice(SYMBOLS)}/{luck.choice(SYMBOLS)}", {}),
        "treasure.plus_7.value": (luck.randint(-20, 40), {}),
        "treasure.sarans_sabre.copies": (luck.randint(0, 3), {}),
        "combat_die": (
            tuple(luck.choice(("star", *range(1, 21))) for _ in range(faces)),
            {"shortage_die": tuple(luck.choice(("circle", "square", "skull", "star")) for _ in range(faces))},
        ),
    }
    changes = {}
    for name in luck.sample(sorted(some), luck.randint(0, 5)):
        changes |= {name: some[name][0], **some[name][1]}
    return changes


def random_variants():
    """Rules that can be played."""
    luck, found = random.Random(42), []
    while len(found) < VARIANTS:
        players = luck.randint(2, 6)
        ghost = players == 2 or (players < 6 and luck.random() < 0.4)
        rules = Rules(edition=luck.choice(("2007", "2021")), players=players, ghost=ghost)
        try:
            found.append(rules.but(**random_changes(luck, players)))
        except RulesError:
            pass
    return found


def test_rulebooks_of_random_variants_are_what_they_were():
    digest = hashlib.sha256()
    for rules in random_variants():
        rulebook = rulebook_of(rules)
        for name in RULES_DTYPE.names:
            if name not in GIVEN:
                digest.update(name.encode() + rulebook[name].tobytes())
    assert digest.hexdigest()[:16] == FROZEN

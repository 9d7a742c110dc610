"""Twenty-seven rules that designers would like to try: each as a file of house rules, a shipped one, or plain rules.

`shows` finds the idea's effect in the traces of some games; games by the printed rules must not have it. The table in
docs/house_rules.md has the same ideas: `python tests/house_ideas.py` plays it.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

Traces = list[dict[str, Any]]


@dataclass(frozen=True)
class Idea:
    """A rule in words, what it takes, and how it shows."""

    words: str
    shows: Callable[[Traces], bool]
    code: str = ""  # functions of a file
    shipped: str = ""
    rules: dict[str, Any] = field(default_factory=dict)


def events(traces: Traces, kind: str) -> list[dict[str, Any]]:
    return [event for trace in traces for event in trace["events"] if event["event"] == kind]


def house(what: str, moment: str, fits: Callable[[dict[str, Any]], bool] = lambda event: True) -> Callable:
    """Whether a file did this at that moment."""
    return lambda traces: any(
        (event["what"], event["moment"]) == (what, moment) and fits(event) for event in events(traces, "house")
    )


def gaps(options: list[dict[str, int]]) -> list[int]:
    """How far apart two ends of a move are: 6 where the printed lanes begin at 7 and 13."""
    spaces = sorted(option["space"] for option in options)
    return [b - a for a, b in zip(spaces, spaces[1:], strict=False)]


def captains(trace: dict[str, Any]) -> list[int]:
    return [event["captain"] for event in trace["events"] if event["event"] == "round"]


def spends_unloaded_powder(traces: Traces) -> bool:
    """Whether a ship spends gunpowder that it neither loaded nor won before: it had some from the start."""
    return any(first_gain(trace, event["ship"]) > trace["events"].index(event) for trace in traces
               for event in trace["events"] if event["event"] == "powder" and event["amount"] > 0)  # fmt: skip


def first_gain(trace: dict[str, Any], ship: int) -> int:
    """The number of the event by which a ship first gets gunpowder or a treasure that may bring some."""
    for number, event in enumerate(trace["events"]):
        if event.get("ship") == ship and (event.get("resource") == "gunpowder" or event["event"] == "loot"):
            return number
    return len(trace["events"])


def trace_round(trace: dict[str, Any], event: dict[str, Any]) -> int:
    before = trace["events"][: trace["events"].index(event)]
    return sum(one["event"] == "round" for one in before)


def ties(traces: Traces) -> int:
    return sum(event["winner"] is None for event in events(traces, "battle_end"))


def early_battles(traces: Traces) -> int:
    return sum(trace_round(t, e) < 3 for t in traces for e in t["events"] if e["event"] == "battle")


TO_GO = """
@helper
def _to_go(game, rules, ship):
    return rules.to_finish[game.space[ship]] - rules.circuit * game.lap[ship]
"""
IDEAS = [
    Idea("whoever is last draws a fourth card", house("hand_limit", "hand_limit"), shipped="last_draws"),
    Idea("an empty lair pays two doubloons", house("give", "lair"), shipped="lairs_pay"),
    Idea("everybody starts with two gunpowder", spends_unloaded_powder, rules={"start_gunpowder": 2}),
    Idea(
        "seats three and four start with a doubloon more",
        lambda traces: all(trace["config"].get("rules", {}).get("start_gold") == [3, 3, 4, 4] for trace in traces),
        rules={"start_gold": (3, 3, 4, 4)},
    ),
    Idea(
        "the Captain stays Captain",
        lambda traces: all(len({*captains(trace)}) == 1 for trace in traces),
        "def set_up(game, rules):\n    game.memory[0] = game.captain\n"
        "def round_ends(game, rules):\n    set_captain(game, rules, game.memory[0])\n",
    ),
    Idea(
        "whoever is last is Captain",
        house("captain", "round_ends"),
        "def round_ends(game, rules):\n    last = last_ship(game, rules)\n"
        "    if last >= 0:\n        set_captain(game, rules, last)\n",
    ),
    Idea("doubles feed everybody", house("give", "round_begins"), shipped="doubles_feed"),
    Idea(
        "storms: each round a stretch of sea costs one food more",
        house("cost", "cost", lambda event: event["is"] == event["was"] + 1),
        "def round_begins(game, rules):\n    game.memory[0] = roll(game, rules, rules.spaces - 1)\n"
        "def cost(game, rules, ship, space, n):\n"
        "    here = game.memory[0] <= space < game.memory[0] + 6\n"
        "    return n + 1 if here and rules.space_kind[space] == SEA else n\n",
    ),
    Idea(
        "the last ship's die counts one more",
        house("die", "die", lambda event: event["is"] == event["was"] + 1),
        "def die(game, rules, ship, when, n):\n    return min(n + (ship == last_ship(game, rules)), 10)\n",
    ),
    Idea(
        "the first visitor of a port gets two doubloons",
        house("give", "arrived"),
        "def arrived(game, rules, ship, space):\n"
        "    if rules.space_kind[space] == PORT and game.space_memory[space] == 0:\n"
        "        game.space_memory[space] = 1\n        give(game, rules, ship, GOLD, 2)\n",
    ),
    Idea(
        "first home 15 points more, second 10, third 5",
        house("points", "points", lambda event: event["is"] == event["was"] + 15),
        TO_GO + "def points(game, rules, ship, n):\n    ahead = 0\n    for other in range(rules.players):\n"
        "        ahead += _to_go(game, rules, other) < _to_go(game, rules, ship)\n"
        "    return n + max(15 - 5 * ahead, 0)\n",
    ),
    Idea(
        "every shortage costs two points",
        house("points", "points", lambda event: event["is"] < event["was"]),
        "def arrived(game, rules, ship, space):\n    game.ship_memory[ship, 0] += game.retreated\n"
        "def points(game, rules, ship, n):\n    return n - 2 * game.ship_memory[ship, 0]\n",
    ),
    Idea(
        "the defender wins ties",
        lambda traces: ties(traces) == 0,
        "def battle_result(game, rules, attacker, defender, attack, defence, n):\n"
        "    return defender if n < 0 else n\n",
    ),
    Idea(
        "the winner of a battle takes a second hold",
        house("hold", "battle_ended"),
        "def battle_ended(game, rules, attacker, defender, winner):\n    if winner >= 0:\n"
        "        loser = attacker + defender - winner\n        for hold in range(HOLDS):\n"
        "            if move_hold(game, rules, winner, loser, hold) > 0:\n                return\n",
    ),
    Idea("the winner of a battle sails on", house("sail", "battle_ended"), shipped="winner_sails_on"),
    Idea(
        "a lair gives two cards, and the worst goes back",
        house("return", "lair"),
        "def lair(game, rules, ship, space, token):\n"
        "    if token == 1 and draw_treasure(game, rules, ship) == 1:\n"
        "        return_treasure(game, rules, ship, True)\n",
    ),
    Idea(
        "the defender may flee a space back",
        house("sail", "battle_begins"),
        'CHOICES = {"battle_begins": ("fight", "flee")}\n'
        "def battle_begins(game, rules, attacker, defender):\n"
        "    return ask(defender, 2) if defender < rules.players else 0\n"
        "def battle_begins_chosen(game, rules, attacker, defender, player, answer):\n    if answer == 0:\n"
        "        return 0\n    sail(game, rules, defender, -1)\n    return CALLED_OFF\n",
    ),
    Idea(
        "the attacker may sail by",
        house("asks", "battle_begins", lambda event: event["answer"] == 1),
        'CHOICES = {"battle_begins": ("fight", "sail by")}\n'
        "def battle_begins(game, rules, attacker, defender):\n"
        "    return ask(attacker, 2) if attacker < rules.players else 0\n"
        "def battle_begins_chosen(game, rules, attacker, defender, player, answer):\n"
        "    return CALLED_OFF if answer == 1 else 0\n",
    ),
    Idea(
        "in a port two food may be sold for a doubloon",
        house("take", "arrived"),
        'CHOICES = {"arrived": ("keep the food", "sell two")}\n'
        "def arrived(game, rules, ship, space):\n"
        "    in_port = rules.space_kind[space] == PORT and ship < rules.players\n"
        "    return ask(ship, 2) if in_port and game.stock[ship, FOOD] >= 2 else 0\n"
        "def arrived_chosen(game, rules, ship, space, player, answer):\n    if answer == 1:\n"
        "        take(game, rules, ship, FOOD, 2)\n        give(game, rules, ship, GOLD, 1)\n    return 0\n",
    ),
    Idea(
        "nobody fights in the first two rounds",
        lambda traces: early_battles(traces) == 0,
        "def battle_begins(game, rules, attacker, defender):\n    return CALLED_OFF if game.round < 3 else 0\n",
    ),
    Idea(
        "whoever runs short pays what it has and stays",
        lambda traces: bool(events(traces, "shortage")) and not events(traces, "retreat"),
        "def shortage(game, rules, ship, space, missing, n):\n    return 0\n",
    ),
    Idea(
        "in a port one pays a doubloon to each ship there",
        house("take", "arrived", lambda event: event["resource"] == "gold"),
        "def arrived(game, rules, ship, space):\n    for other in range(rules.players):\n"
        "        if other != ship and game.space[other] == space and rules.space_kind[space] == PORT:\n"
        "            give(game, rules, other, GOLD, take(game, rules, ship, GOLD, 1))\n",
    ),
    Idea(
        "of three dice the two highest count",
        house("die", "die", lambda event: event["is"] > event["was"]),
        "def round_begins(game, rules):\n    game.memory[0] = roll(game, rules, 6)\n"
        "def die(game, rules, ship, when, n):\n    morning, evening = game.placed[0], game.placed[1]\n"
        "    is_lower = morning < evening if when == 0 else evening <= morning\n"
        "    return max(n, game.memory[0]) if is_lower else n\n",
    ),
    Idea(
        "the first fork leads elsewhere",
        lambda traces: any(
            event["from"]["space"] <= 6 and gaps(event["options"]) == [7] for event in events(traces, "move")
        ),
        rules={"space.6.next": "7/14", "space.12.next": 13, "space.13.next": 15},
    ),
    Idea(
        "ships have six holds",
        lambda traces: any(event["hold"] == 5 for event in events(traces, "load"))
        and not any(event["treasure"] == 3 for event in events(traces, "treasure")),
        rules={"holds": 6, "treasure.sixth_hold": 0},
    ),
    Idea(
        "a twelfth card, gold and forward",
        lambda traces: any(event["card"] == 11 for event in events(traces, "choose")),
        rules={"card.11": "gold/forward"},
    ),
    Idea(
        "a second Lady Beth instead of the curse of 2",
        lambda traces: all(len(trace["config"].get("rules", {}).get("components", {}).get("treasures", ())) == 12
                           for trace in traces),
        rules={"treasure.lady_beth": 2, "treasure.minus_2": 0},
    ),
]  # fmt: skip
assert len(IDEAS) == 27


def table_of(idea: Idea) -> dict[str, Any]:
    """The rules of an idea, as `simulate` and `replay` take them."""
    from jamaica_sim.game.house_file import NAMED, HouseRules

    if idea.shipped:
        return {"house_rules": idea.shipped}
    if not idea.code:
        return idea.rules
    text = f'"""{idea.words.capitalize()}."""\nfrom jamaica_sim.strategy.house.api import *\n{idea.code}'
    NAMED.add(text)  # as if the user had named a file
    return {"house_rules": HouseRules("idea.py", text)}


def main() -> None:
    """Print the table of the docs."""
    from jamaica_sim import simulate
    from jamaica_sim.game.words import value_text
    from jamaica_sim.results.measures import BY_KEY

    keys = ("rounds", "shortages", "battles", "comebacks")
    for idea in [Idea("the printed rules", bool), *IDEAS]:
        results = simulate(games=20_000, players=4, strategies="balanced", **table_of(idea))
        values = [BY_KEY[key].of(results) for key in keys]
        told = [f"{v.value:.2f} ± {v.half_width:.2f}" for v in values[:-1]]
        told.append(f"{100 * values[-1].value:.1f} ± {100 * values[-1].half_width:.1f}")
        plain = ", ".join(f"`{name}={value_text(value)}`" for name, value in idea.rules.items())
        how = f"`{idea.shipped}`" if idea.shipped else plain or ("a file" if idea.code else "")
        print(f"| {idea.words} | {how} | {' | '.join(told)} |", flush=True)


if __name__ == "__main__":
    main()

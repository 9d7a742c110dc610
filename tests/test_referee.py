"""The referee accepts hand-built games, and rejects the same games with one clause broken, by that clause."""

import pytest
from referee import COMPONENTS, RuleBroken, check
from referee.components import load_components
from referee.game import Game, Ship
from referee.rounds import draw as check_draw


def event(kind, **fields):
    return {"event": kind, **fields}


def at(space, lap=0):
    return {"space": space, "lap": lap}


def going(kind, ship, start, end, *other_options):
    return event(kind, ship=ship, **{"from": start}, to=end, options=[end, *other_options])


def action(ship, when, symbol, die, **forced):
    return event("action", ship=ship, when=when, symbol=symbol, die=die, **forced)


def load(ship, resource, amount, hold, emptied=None):
    return event("load", ship=ship, resource=resource, amount=amount, hold=hold, emptied=emptied)


def pay(ship, resource, amount, *holds):
    return event("pay", ship=ship, resource=resource, amount=amount, holds=[list(hold) for hold in holds])


def battle(attacker, defender, space, targets):
    return event("battle", attacker=attacker, defender=defender, space=space, targets=targets)


def powder(ship, amount):
    return event("powder", ship=ship, amount=amount)


def roll(ship, face):
    return event("roll", ship=ship, face=face)


def battle_end(winner, attack, defence):
    return event("battle_end", winner=winner, attack=attack, defence=defence)


def loot(ship, loser, decider, take, **what):
    return event("loot", ship=ship, loser=loser, decider=decider, take=take, **what)


def draw(ship, *cards):
    return event("draw", ship=ship, cards=list(cards), reshuffled=False)


def trace(config, setup, events, result):
    players = config["players"]
    return {
        "schema": "jamaica-trace/1",
        "config": {"ghost": False, "seed": 1, "game": 0, "strategies": ["random"] * players, **config},
        "setup": setup,
        "events": events,
        "result": {"finished": False, **result},
    }


def skirmish():
    """One round of the 2007 edition: a shortage, and a battle that ends in a tie."""
    events = [
        event("round", number=1, captain=0, dice=[4, 3], placed=[3, 4]),
        event("choose", ship=0, hand=[7, 3, 0], card=7),
        event("choose", ship=1, hand=[10, 2, 5], card=10),
        event("choose", ship=2, hand=[6, 8, 9], card=6),
        action(0, "morning", "forward", 3),
        going("move", 0, at(0), at(3)),
        pay(0, "food", 2, (0, 2)),
        action(0, "evening", "forward", 4),
        going("move", 0, at(3), at(7), at(13)),
        pay(0, "food", 1, (0, 1)),
        event("shortage", ship=0, resource="food", due=2, paid=1, symbol=None),
        going("retreat", 0, at(7), at(5)),
        pay(0, "gold", 3, (1, 3)),
        action(1, "morning", "forward", 3),
        going("move", 1, at(0), at(3)),
        pay(1, "food", 2, (0, 2)),
        action(1, "evening", "gunpowder", 4),
        load(1, "gunpowder", 4, 2),
        action(2, "morning", "forward", 3),
        going("move", 2, at(0), at(3)),
        battle(2, 1, 3, [1]),
        powder(2, 0),
        roll(2, 6),
        powder(1, 4),
        pay(1, "gunpowder", 4, (2, 4)),
        roll(1, 2),
        battle_end(None, 6, 6),
        pay(2, "food", 2, (0, 2)),
        action(2, "evening", "food", 4),
        load(2, "food", 4, 3),
    ]
    return trace(
        {"players": 3, "edition": "2007", "round_cap": 1},
        {
            "captain": 0,
            "pile": [0, 1, 2, 3, 4, 5, 6, 7, 8],
            "removed": [9, 10, 11],
            "hands": [[7, 3, 0], [10, 2, 5], [6, 8, 9]],
        },
        events,
        {"rounds": 1, "scores": [-5, -2, -2], "winners": [1, 2], "positions": [at(5), at(3), at(3)]},
    )


def treasure_hunt():
    """Three rounds of the 2021 edition: treasures change hands, a ship goes behind the start, full holds, the Sabre."""
    first_round = [
        event("round", number=1, captain=2, dice=[4, 5], placed=[4, 5]),
        event("choose", ship=2, hand=[0, 3, 10], card=10),
        event("choose", ship=0, hand=[4, 5, 6], card=6),
        event("choose", ship=1, hand=[1, 2, 9], card=1),
        action(2, "morning", "forward", 4),
        going("move", 2, at(0), at(4)),
        event("treasure", ship=2, space=4, treasure=3),
        action(2, "evening", "gunpowder", 5),
        load(2, "gunpowder", 5, 2),
        action(0, "morning", "forward", 4),
        going("move", 0, at(0), at(4)),
        battle(0, 2, 4, [2]),
        powder(0, 0),
        roll(0, 10),
        powder(2, 2),
        pay(2, "gunpowder", 2, (2, 2)),
        roll(2, 4),
        battle_end(0, 10, 6),
        loot(0, 2, 0, "power", treasure=3),
        action(0, "evening", "food", 5),
        load(0, "food", 5, 2),
        action(1, "morning", "forward", 4),
        going("move", 1, at(0), at(4)),
        battle(1, 0, 4, [0, 2]),
        powder(1, 0),
        roll(1, "star"),
        battle_end(1, None, None),
        loot(1, 0, 1, "hold", hold=2, resource="food", amount=5),
        load(1, "food", 5, 2),
        action(1, "evening", "backward", 5),
        going("move", 1, at(4), at(49, -1)),
        pay(1, "food", 3, (0, 3)),
        draw(2, 7),
        draw(0, 7),
        draw(1, 7),
    ]
    second_round = [
        event("round", number=2, captain=0, dice=[2, 6], placed=[6, 2]),
        event("choose", ship=0, hand=[4, 5, 7], card=7),
        event("choose", ship=1, hand=[2, 9, 7], card=7),
        event("choose", ship=2, hand=[0, 3, 7], card=3),
        action(0, "morning", "forward", 6),
        going("move", 0, at(4), at(16), at(10)),
        pay(0, "gold", 3, (1, 3)),
        action(0, "evening", "forward", 2),
        going("move", 0, at(16), at(18)),
        event("shortage", ship=0, resource="gold", due=3, paid=0, symbol="skull"),
        going("retreat", 0, at(18), at(11), at(4)),
        event("treasure", ship=0, space=11, treasure=1),
        action(1, "morning", "forward", 6),
        going("move", 1, at(49, -1), at(5)),
        pay(1, "gold", 3, (1, 3)),
        action(1, "evening", "forward", 2),
        going("move", 1, at(5), at(7), at(13)),
        pay(1, "food", 2, (2, 2)),
        action(2, "morning", "gold", 6),
        load(2, "gold", 6, 3),
        action(2, "evening", "gold", 2),
        load(2, "gold", 2, 4),
        draw(0, 1),
        draw(1, 10),
        draw(2, 8),
    ]
    third_round = [
        event("round", number=3, captain=1, dice=[1, 2], placed=[2, 1]),
        event("choose", ship=1, hand=[2, 9, 10], card=10),
        event("choose", ship=2, hand=[0, 7, 8], card=0),
        event("choose", ship=0, hand=[4, 5, 1], card=5),
        action(1, "morning", "forward", 2),
        going("move", 1, at(7), at(9)),
        event("treasure", ship=1, space=9, treasure=0),
        action(1, "evening", "gunpowder", 1),
        load(1, "gunpowder", 1, 0),
        action(2, "morning", "food", 2),
        load(2, "food", 2, 4, {"resource": "gold", "amount": 2}),
        action(2, "evening", "gunpowder", 1),
        load(2, "gunpowder", 1, 1, {"resource": "gold", "amount": 3}),
        action(0, "morning", "backward", 2),
        going("move", 0, at(11), at(9)),
        battle(0, 1, 9, [1]),
        powder(0, 0),
        roll(0, 2),
        event("sabre", ship=0, of=0),
        roll(0, 8),
        powder(1, 1),
        pay(1, "gunpowder", 1, (0, 1)),
        roll(1, 4),
        battle_end(0, 8, 5),
        loot(0, 1, 0, "power", treasure=0),
        action(0, "evening", "forward", 1),
        going("move", 0, at(9), at(10)),
        pay(0, "food", 3, (0, 3)),
    ]
    return trace(
        {"players": 3, "edition": "2021", "round_cap": 3},
        {
            "captain": 2,
            "pile": [3, 1, 0, 4, 5, 6, 7, 9, 10],
            "removed": [2, 8, 11],
            "hands": [[4, 5, 6], [1, 2, 9], [0, 3, 10]],
        },
        first_round + second_round + third_round,
        {"rounds": 3, "scores": [-5, -5, 1], "winners": [2], "positions": [at(10), at(9), at(4)]},
    )


def race():
    """A whole game of the 2021 edition: one ship, with the Map, sails round while the others stay near the start."""
    rounds = [
        [
            event("round", number=1, captain=0, dice=[6, 4], placed=[4, 6]),
            event("choose", ship=0, hand=[6, 7, 10], card=6),
            event("choose", ship=1, hand=[0, 2, 5], card=5),
            event("choose", ship=2, hand=[1, 3, 5], card=3),
            action(0, "morning", "forward", 4),
            going("move", 0, at(0), at(4)),
            event("treasure", ship=0, space=4, treasure=0),
            action(0, "evening", "food", 6),
            load(0, "food", 6, 2),
            action(1, "morning", "backward", 4),
            going("move", 1, at(0), at(46, -1)),
            pay(1, "food", 2, (0, 2)),
            action(1, "evening", "forward", 6),
            going("move", 1, at(46, -1), at(2)),
            pay(1, "food", 1, (0, 1)),
            event("shortage", ship=1, resource="food", due=3, paid=1, symbol="circle"),
            going("retreat", 1, at(2), at(0)),
            action(2, "morning", "gold", 4),
            load(2, "gold", 4, 2),
            action(2, "evening", "gold", 6),
            load(2, "gold", 6, 3),
            draw(0, 4, 9),
            draw(1, 3),
            draw(2, 0),
        ],
        [
            event("round", number=2, captain=1, dice=[6, 3], placed=[6, 3]),
            event("choose", ship=1, hand=[0, 2, 3], card=0),
            event("choose", ship=2, hand=[0, 1, 5], card=1),
            event("choose", ship=0, hand=[4, 7, 9, 10], card=7),
            action(1, "morning", "food", 6),
            load(1, "food", 6, 0),
            action(1, "evening", "gunpowder", 3),
            load(1, "gunpowder", 3, 2),
            action(2, "morning", "forward", 6),
            going("move", 2, at(0), at(6)),
            pay(2, "gold", 5, (3, 5)),
            action(2, "evening", "backward", 3),
            going("move", 2, at(6), at(3)),
            pay(2, "food", 2, (0, 2)),
            action(0, "morning", "forward", 6),
            going("move", 0, at(4), at(16), at(10)),
            pay(0, "gold", 3, (1, 3)),
            action(0, "evening", "forward", 3),
            going("move", 0, at(16), at(19)),
            event("treasure", ship=0, space=19, treasure=4),
            draw(1, 8),
            draw(2, 2),
            draw(0, 1),
        ],
        [
            event("round", number=3, captain=2, dice=[1, 4], placed=[4, 1]),
            event("choose", ship=2, hand=[0, 2, 5], card=5),
            event("choose", ship=0, hand=[1, 4, 9, 10], card=10),
            event("choose", ship=1, hand=[2, 3, 8], card=2),
            action(2, "morning", "backward", 4),
            going("move", 2, at(3), at(49, -1)),
            pay(2, "food", 1, (0, 1)),
            event("shortage", ship=2, resource="food", due=3, paid=1, symbol="skull"),
            action(2, "evening", "forward", 1),
            going("move", 2, at(49, -1), at(0)),
            action(0, "morning", "forward", 4),
            going("move", 0, at(19), at(29), at(23)),
            pay(0, "food", 1, (2, 1)),
            action(0, "evening", "gunpowder", 1),
            load(0, "gunpowder", 1, 1),
            action(1, "morning", "gunpowder", 4),
            load(1, "gunpowder", 4, 3),
            action(1, "evening", "gold", 1),
            load(1, "gold", 1, 4),
            draw(2, 8),
            draw(0, 2),
            draw(1, 6),
        ],
        [
            event("round", number=4, captain=0, dice=[6, 6], placed=[6, 6]),
            event("choose", ship=0, hand=[1, 2, 4, 9], card=4),
            event("choose", ship=1, hand=[3, 6, 8], card=3),
            event("choose", ship=2, hand=[0, 2, 8], card=0),
            action(0, "morning", "gold", 6),
            load(0, "gold", 6, 3),
            action(0, "evening", "forward", 6),
            going("move", 0, at(29), at(41), at(35)),
            pay(0, "gold", 5, (3, 5)),
            action(1, "morning", "gold", 6),
            load(1, "gold", 6, 2, {"resource": "gunpowder", "amount": 3}),
            action(1, "evening", "gold", 6),
            load(1, "gold", 6, 3, {"resource": "gunpowder", "amount": 4}),
            action(2, "morning", "food", 6),
            load(2, "food", 6, 0),
            action(2, "evening", "gunpowder", 6),
            load(2, "gunpowder", 6, 4),
            draw(0, 0),
            draw(1, 10),
            draw(2, 4),
        ],
        [
            event("round", number=5, captain=1, dice=[2, 6], placed=[2, 6]),
            event("choose", ship=1, hand=[6, 8, 10], card=8),
            event("choose", ship=2, hand=[2, 4, 8], card=2),
            event("choose", ship=0, hand=[0, 1, 2, 9], card=9),
            action(1, "morning", "gunpowder", 2),
            load(1, "gunpowder", 2, 4, {"resource": "gold", "amount": 1}),
            action(1, "evening", "food", 6),
            load(1, "food", 6, 4, {"resource": "gunpowder", "amount": 2}),
            action(2, "morning", "gunpowder", 2),
            load(2, "gunpowder", 2, 3, {"resource": "gold", "amount": 1}),
            action(2, "evening", "gold", 6),
            load(2, "gold", 6, 3, {"resource": "gunpowder", "amount": 2}),
            action(0, "morning", "food", 2),
            load(0, "food", 2, 4),
            action(0, "evening", "forward", 6),
            going("move", 0, at(41), at(47)),
            pay(0, "food", 3, (4, 2), (0, 1)),
            draw(1, 9),
            draw(2, 6),
            draw(0, 3),
        ],
        [
            event("round", number=6, captain=2, dice=[5, 1], placed=[5, 1]),
            event("choose", ship=2, hand=[4, 6, 8], card=8),
            event("choose", ship=0, hand=[0, 1, 2, 3], card=1),
            event("choose", ship=1, hand=[6, 9, 10], card=6),
            action(2, "morning", "gunpowder", 5),
            load(2, "gunpowder", 5, 1, {"resource": "gold", "amount": 3}),
            action(2, "evening", "food", 1),
            load(2, "food", 1, 1, {"resource": "gunpowder", "amount": 5}),
            action(0, "morning", "forward", 5),
            going("move", 0, at(47), at(0, 1)),
            event("finish", ship=0),
            event("skip", ship=0, when="evening"),
            action(1, "morning", "forward", 5),
            going("move", 1, at(0), at(5)),
            pay(1, "gold", 3, (1, 3)),
            action(1, "evening", "food", 1),
            load(1, "food", 1, 1),
        ],
    ]
    return trace(
        {"players": 3, "edition": "2021", "round_cap": 100},
        {
            "captain": 0,
            "pile": [0, 4, 1, 2, 3, 5, 6, 7, 8],
            "removed": [9, 10, 11],
            "hands": [[6, 7, 10], [0, 2, 5], [1, 3, 5]],
        },
        [item for events in rounds for item in events],
        {"rounds": 6, "finished": True, "scores": [19, 7, 5], "winners": [0], "positions": [at(0, 1), at(5), at(0)]},
    )


def hoard():
    """Four rounds, 2007 edition: the 6th Hold is stolen with its contents, a ship has gold in all its holds."""
    rounds = [
        [
            event("round", number=1, captain=0, dice=[4, 2], placed=[4, 2]),
            event("choose", ship=0, hand=[2, 3, 6], card=6),
            event("choose", ship=1, hand=[0, 7, 10], card=0),
            event("choose", ship=2, hand=[1, 2, 3], card=3),
            action(0, "morning", "forward", 4),
            going("move", 0, at(0), at(4)),
            event("treasure", ship=0, space=4, treasure=3),
            action(0, "evening", "food", 2),
            load(0, "food", 2, 2),
            action(1, "morning", "food", 4),
            load(1, "food", 4, 2),
            action(1, "evening", "gunpowder", 2),
            load(1, "gunpowder", 2, 3),
            action(2, "morning", "gold", 4),
            load(2, "gold", 4, 2),
            action(2, "evening", "gold", 2),
            load(2, "gold", 2, 3),
            draw(0, 7),
            draw(1, 8),
            draw(2, 4),
        ],
        [
            event("round", number=2, captain=1, dice=[5, 1], placed=[5, 1]),
            event("choose", ship=1, hand=[7, 8, 10], card=8),
            event("choose", ship=2, hand=[1, 2, 4], card=2),
            event("choose", ship=0, hand=[2, 3, 7], card=3),
            action(1, "morning", "gunpowder", 5),
            load(1, "gunpowder", 5, 4),
            action(1, "evening", "food", 1),
            load(1, "food", 1, 3, {"resource": "gunpowder", "amount": 2}),
            action(2, "morning", "gunpowder", 5),
            load(2, "gunpowder", 5, 4),
            action(2, "evening", "gold", 1),
            load(2, "gold", 1, 4, {"resource": "gunpowder", "amount": 5}),
            action(0, "morning", "gold", 5),
            load(0, "gold", 5, 3),
            action(0, "evening", "gold", 1),
            load(0, "gold", 1, 4),
            draw(1, 4),
            draw(2, 9),
            draw(0, 8),
        ],
        [
            event("round", number=3, captain=2, dice=[4, 4], placed=[4, 4]),
            event("choose", ship=2, hand=[1, 4, 9], card=1),
            event("choose", ship=0, hand=[2, 7, 8], card=2),
            event("choose", ship=1, hand=[4, 7, 10], card=10),
            action(2, "morning", "forward", 4),
            going("move", 2, at(0), at(4)),
            battle(2, 0, 4, [0]),
            powder(2, 0),
            roll(2, 8),
            powder(0, 0),
            roll(0, 2),
            battle_end(2, 8, 2),
            loot(2, 0, 2, "hold", hold=3, resource="gold", amount=5),
            load(2, "gold", 5, 0, {"resource": "food", "amount": 3}),
            action(2, "evening", "backward", 4),
            going("move", 2, at(4), at(0)),
            action(0, "morning", "gunpowder", 4),
            load(0, "gunpowder", 4, 3),
            action(0, "evening", "gold", 4),
            load(0, "gold", 4, 5),
            action(1, "morning", "forward", 4),
            going("move", 1, at(0), at(4)),
            battle(1, 0, 4, [0]),
            powder(1, 5),
            pay(1, "gunpowder", 5, (4, 5)),
            roll(1, 4),
            powder(0, 4),
            pay(0, "gunpowder", 4, (3, 4)),
            roll(0, 2),
            battle_end(1, 9, 6),
            loot(1, 0, 1, "power", treasure=3),
            action(1, "evening", "gunpowder", 4),
            load(1, "gunpowder", 4, 4),
            draw(2, 10),
            draw(0, 9),
            draw(1, 9),
        ],
        [
            event("round", number=4, captain=0, dice=[3, 1], placed=[3, 1]),
            event("choose", ship=0, hand=[7, 8, 9], card=8),
            event("choose", ship=1, hand=[4, 7, 9], card=4),
            event("choose", ship=2, hand=[4, 9, 10], card=4),
            action(0, "morning", "gunpowder", 3),
            load(0, "gunpowder", 3, 3),
            action(0, "evening", "food", 1),
            load(0, "food", 1, 3, {"resource": "gunpowder", "amount": 3}),
            action(1, "morning", "gold", 3),
            load(1, "gold", 3, 3, {"resource": "food", "amount": 1}),
            action(1, "evening", "forward", 1),
            going("move", 1, at(4), at(5)),
            pay(1, "gold", 3, (5, 3)),
            action(2, "morning", "gold", 3),
            event("no_load", ship=2, resource="gold", amount=3),
            action(2, "evening", "forward", 1),
            going("move", 2, at(0), at(1)),
            event("shortage", ship=2, resource="food", due=2, paid=0, symbol=None),
            going("retreat", 2, at(1), at(0)),
        ],
    ]
    return trace(
        {"players": 3, "edition": "2007", "round_cap": 4},
        {
            "captain": 0,
            "pile": [3, 4, 1, 2, 0, 5, 6, 7, 8],
            "removed": [9, 10, 11],
            "hands": [[2, 3, 6], [0, 7, 10], [1, 2, 3]],
        },
        [item for events in rounds for item in events],
        {"rounds": 4, "scores": [-1, 2, 10], "winners": [2], "positions": [at(4), at(5), at(0)]},
    )


def haunting():
    """Two rounds of two players and the ghost, which wins two battles and loses one."""
    first_round = [
        event("round", number=1, captain=0, dice=[4, 1], placed=[4, 1]),
        event("choose", ship=0, hand=[3, 6, 8], card=6),
        event("choose", ship=1, hand=[0, 5, 7], card=0),
        action(0, "morning", "forward", 4),
        going("move", 0, at(0), at(4)),
        event("treasure", ship=0, space=4, treasure=9),
        action(0, "evening", "food", 1),
        load(0, "food", 1, 2),
        action(1, "morning", "food", 4),
        load(1, "food", 4, 2),
        action(1, "evening", "gunpowder", 1),
        load(1, "gunpowder", 1, 3),
        action(2, "morning", "forward", 4, forced=False),
        going("move", 2, at(0), at(4)),
        battle(2, 0, 4, [0]),
        powder(2, 0),
        roll(2, 6),
        powder(0, 0),
        roll(0, 4),
        battle_end(2, 8, 4),
        loot(2, 0, 1, "hold", hold=0, resource="food", amount=3),
        action(2, "evening", "backward", 1, forced=False),
        going("move", 2, at(4), at(3)),
        draw(0, 2),
        draw(1, 4),
    ]
    second_round = [
        event("round", number=2, captain=1, dice=[3, 3], placed=[3, 3]),
        event("choose", ship=1, hand=[4, 5, 7], card=7),
        event("choose", ship=0, hand=[2, 3, 8], card=3),
        action(1, "morning", "forward", 3),
        going("move", 1, at(0), at(3)),
        battle(1, 2, 3, [2]),
        powder(1, 1),
        pay(1, "gunpowder", 1, (3, 1)),
        roll(1, 10),
        powder(2, 0),
        roll(2, 2),
        battle_end(1, 11, 4),
        loot(1, 2, 1, "hold", hold=0, resource="gold", amount=5),
        load(1, "gold", 5, 3),
        pay(1, "food", 2, (0, 1), (2, 1)),
        action(1, "evening", "forward", 3),
        going("move", 1, at(3), at(6)),
        pay(1, "gold", 5, (3, 5)),
        action(0, "morning", "gold", 3),
        load(0, "gold", 3, 0),
        action(0, "evening", "gold", 3),
        load(0, "gold", 3, 3),
        action(2, "morning", "forward", 3, forced=True),
        going("move", 2, at(3), at(6)),
        battle(2, 1, 6, [1]),
        powder(2, 0),
        roll(2, "star"),
        battle_end(2, None, None),
        loot(2, 1, 0, "hold", hold=1, resource="gold", amount=3),
        load(2, "gold", 3, 0),
        action(2, "evening", "backward", 3, forced=False),
        going("move", 2, at(6), at(3)),
    ]
    return trace(
        {"players": 2, "rules": {"free_split": True}, "ghost": True, "edition": "2007", "round_cap": 2},
        {"captain": 0, "pile": [9, 0, 1, 3, 4, 5, 6, 7, 8], "removed": [10, 11], "hands": [[3, 6, 8], [0, 5, 7]]},
        first_round + second_round,
        {"rounds": 2, "scores": [2, -5, 1], "winners": [0], "positions": [at(4), at(6), at(3)]},
    )


GAMES = [skirmish, treasure_hunt, race, hoard, haunting]


@pytest.mark.parametrize("build", GAMES)
def test_a_legal_game_is_accepted(build):
    assert check(build())["E3"] == 1


def test_the_clauses_exercised_are_counted():
    coverage = check(treasure_hunt())
    assert coverage["E4"] == 2 and coverage["T5"] == 2
    assert coverage["B7"] > 0 and coverage["L2"] > 0 and coverage["M3"] > 0
    assert coverage["G2"] == coverage["H2"] == coverage["L3"] == 0


def place(game, kind, number=0):
    """The index of the event of this kind with this number."""
    return [index for index, item in enumerate(game["events"]) if item["event"] == kind][number]


def change(kind, which=0, /, **fields):
    """Change fields of one event."""
    return lambda game: game["events"][place(game, kind, which)].update(fields)


def drop(kind, number=0):
    return lambda game: game["events"].pop(place(game, kind, number))


def replace(kind, number, new):
    return lambda game: game["events"].__setitem__(place(game, kind, number), new)


def insert_after(kind, number, new):
    return lambda game: game["events"].insert(place(game, kind, number) + 1, new)


def swap_with_next(kind, number=0):
    def swap(game):
        first = place(game, kind, number)
        events = game["events"]
        events[first], events[first + 1] = events[first + 1], events[first]

    return swap


def change_part(part, **fields):
    """Change the config, the setup or the result."""
    return lambda game: game[part].update(fields)


# The clause, the game, and how the clause is broken in it.
BROKEN = [
    ("TRACE", skirmish, change_part("config", edition="2015")),
    ("TRACE", skirmish, change("roll", 0, loaded=True)),
    ("TRACE", skirmish, change("load", 0, hold="2")),
    ("TRACE", skirmish, change("action", 0, forced=False)),
    ("TRACE", skirmish, change_part("result", rounds=2)),
    ("TRACE", skirmish, change_part("result", positions=[at(5), at(3), at(4)])),
    ("C4", skirmish, change("round", 0, dice=[3, 7], placed=[3, 7])),
    ("C5", skirmish, change("roll", 0, face=5)),
    ("C5", treasure_hunt, change("shortage", 0, symbol="triangle")),
    ("S1", skirmish, change_part("config", players=7)),
    ("S2", skirmish, change_part("setup", pile=[0, 1, 2, 3, 4, 5, 6, 7], removed=[8, 9, 10, 11])),
    ("S2", skirmish, change_part("setup", removed=[8, 9, 10])),
    ("S3", skirmish, change_part("setup", captain=3)),
    ("S3", skirmish, change_part("setup", captain=1)),
    ("S3", skirmish, change_part("setup", hands=[[7, 3, 3], [10, 2, 5], [6, 8, 9]])),
    ("S3", skirmish, change_part("setup", hands=[[7, 3, 0], [10, 2, 5, 1], [6, 8, 9]])),
    ("T1", skirmish, change("round", 0, placed=[3, 3])),
    ("T1", treasure_hunt, change("round", 1, number=3)),
    ("T2", skirmish, change("choose", 1, hand=[10, 2, 6])),
    ("T2", skirmish, change("choose", 1, card=7)),
    ("T2", skirmish, swap_with_next("choose", 0)),
    ("T3", skirmish, change("action", 0, symbol="backward")),
    ("T3", skirmish, change("action", 0, die=4)),
    ("T3", skirmish, change("action", 0, when="evening")),
    ("T3", skirmish, insert_after("load", 0, load(1, "gunpowder", 4, 3))),
    ("T4", treasure_hunt, change("draw", 0, cards=[10])),
    ("T4", treasure_hunt, change("draw", 0, cards=[7, 8])),
    ("T4", treasure_hunt, change("draw", 0, reshuffled=True)),
    ("T4", treasure_hunt, drop("draw", 1)),
    ("T4", treasure_hunt, change("draw", 1, ship=2)),
    ("T4", skirmish, insert_after("load", 1, draw(0, 1))),
    ("T5", treasure_hunt, change("round", 1, captain=2)),
    ("L1", skirmish, change("load", 0, amount=3)),
    ("L1", skirmish, change("load", 0, resource="gold")),
    ("L1", skirmish, change("load", 0, hold=1)),
    ("L1", skirmish, change("load", 0, hold=5)),
    ("L1", skirmish, drop("load")),
    ("L2", skirmish, change("load", 0, emptied={"resource": "food", "amount": 1})),
    ("L2", treasure_hunt, change("load", 6, emptied=None)),
    ("L2", treasure_hunt, change("load", 6, emptied={"resource": "gold", "amount": 6})),
    ("L2", treasure_hunt, change("load", 6, hold=0, emptied={"resource": "food", "amount": 3})),
    ("L3", skirmish, replace("load", 0, event("no_load", ship=1, resource="gunpowder", amount=4))),
    ("L3", hoard, drop("no_load")),
    ("L3", hoard, change("no_load", 0, amount=1)),
    ("L3", hoard, replace("no_load", 0, load(2, "gold", 3, 3, {"resource": "gold", "amount": 2}))),
    ("L2", hoard, change("load", -1, hold=5, emptied={"resource": "gold", "amount": 4})),
    ("L4", treasure_hunt, change("load", 1, hold=5)),
    ("M1", skirmish, change("move", 0, to=at(2), options=[at(2)])),
    ("M1", skirmish, change("move", 1, options=[at(7)])),
    ("M1", skirmish, change("move", 1, to=at(8))),
    ("M1", skirmish, change("move", 1, options=[at(7), at(13), at(13)])),
    ("M1", skirmish, change("move", 1, **{"from": at(4)})),
    ("M3", treasure_hunt, change("move", 3, to=at(49), options=[at(49)])),
    ("M3", treasure_hunt, change("move", 6, to=at(0, 1), options=[at(0, 1)])),
    ("M3", treasure_hunt, insert_after("move", 6, event("finish", ship=1))),
    ("E1", treasure_hunt, insert_after("move", 7, event("finish", ship=1))),
    ("P1", skirmish, change("pay", 0, amount=1, holds=[[0, 1]])),
    ("P1", skirmish, change("pay", 0, resource="gold", holds=[[1, 2]])),
    ("P1", skirmish, change("pay", 0, holds=[[1, 2]])),
    ("P1", skirmish, change("pay", 0, holds=[[0, 1], [0, 1]])),
    ("P1", skirmish, change("pay", 0, holds=[[0, 1]])),
    ("P1", skirmish, drop("pay", 0)),
    ("P1", haunting, change("pay", 1, holds=[[0, 2], [2, 0]])),
    ("P1", haunting, change_part("config", rules={"free_split": False})),
    ("P2", treasure_hunt, change("treasure", 0, treasure=1)),
    ("P2", treasure_hunt, drop("treasure")),
    ("P2", treasure_hunt, insert_after("loot", 0, event("treasure", ship=0, space=4, treasure=1))),
    ("P2", treasure_hunt, insert_after("move", 0, pay(2, "food", 2, (0, 2)))),
    ("B1", skirmish, drop("battle")),
    ("B1", skirmish, change("battle", 0, targets=[0, 1])),
    ("B1", treasure_hunt, change("battle", 1, targets=[0])),
    ("B1", treasure_hunt, change("battle", 1, defender=1)),
    ("B1", skirmish, insert_after("move", 2, battle(1, 0, 3, [0]))),
    ("B2", skirmish, change("powder", 0, amount=1)),
    ("B2", skirmish, drop("powder")),
    ("B3", treasure_hunt, insert_after("roll", 2, powder(0, 0))),
    ("B4", skirmish, change("powder", 1, amount=5)),
    ("B4", skirmish, drop("powder", 1)),
    ("B4", skirmish, drop("roll", 1)),
    ("B5", skirmish, change("battle_end", 0, winner=2)),
    ("B5", skirmish, change("battle_end", 0, attack=8)),
    ("B5", treasure_hunt, change("battle_end", 0, winner=2)),
    ("B5", treasure_hunt, change("battle_end", 1, attack=10)),
    ("B5", skirmish, insert_after("battle_end", 0, loot(2, 1, 2, "nothing"))),
    ("B6", skirmish, drop("pay", 4)),
    ("B6", skirmish, change("pay", 4, amount=3, holds=[[2, 3]])),
    ("B7", skirmish, insert_after("roll", 0, event("sabre", ship=2, of=2))),
    ("B7", treasure_hunt, change("sabre", 0, of=1)),
    ("B7", treasure_hunt, change("sabre", 0, ship=1)),
    ("B7", treasure_hunt, insert_after("roll", 4, event("sabre", ship=0, of=0))),
    ("B7", treasure_hunt, insert_after("sabre", 0, powder(0, 0))),
    ("B8", treasure_hunt, drop("loot", 0)),
    ("B8", treasure_hunt, change("loot", 0, take="hidden")),
    ("B8", treasure_hunt, change("loot", 0, treasure=1)),
    ("B8", treasure_hunt, change("loot", 0, take="give")),
    ("B8", treasure_hunt, change("loot", 1, decider=0)),
    ("B8", treasure_hunt, change("loot", 1, amount=4)),
    ("B8", treasure_hunt, change("loot", 1, hold=3)),
    ("P1", hoard, replace("loot", 1, loot(1, 0, 1, "nothing"))),  # B9: hold 5 went along
    ("H1", skirmish, change("shortage", 0, due=1)),
    ("H1", skirmish, change("shortage", 0, paid=0)),
    ("H1", skirmish, drop("pay", 1)),
    ("H1", skirmish, insert_after("move", 0, event("shortage", ship=0, resource="food", due=2, paid=0, symbol=None))),
    ("H2", skirmish, change("shortage", 0, symbol="circle")),
    ("H2", skirmish, change("retreat", 0, to=at(4), options=[at(4)])),
    ("H2", skirmish, drop("retreat")),
    ("H3", treasure_hunt, change("shortage", 0, symbol="star")),
    ("H3", treasure_hunt, change("shortage", 0, symbol="circle")),
    ("H3", treasure_hunt, change("retreat", 0, options=[at(11)])),
    ("M4", race, change("move", 12, to=at(2, 1), options=[at(2, 1)])),
    ("M3", race, insert_after("move", 8, event("finish", ship=2))),
    ("E1", race, drop("finish")),
    ("E1", race, drop("skip")),
    ("E1", race, insert_after("load", -1, event("round", number=7, captain=0, dice=[1, 1], placed=[1, 1]))),
    ("E1", race, change_part("result", finished=False)),
    ("T4", race, change("draw", 0, cards=[4])),
    ("T4", race, insert_after("load", -1, draw(0, 5))),
    ("P3", race, insert_after("move", 8, pay(2, "gold", 3, (1, 3)))),
    ("B1", race, insert_after("retreat", 0, battle(1, 2, 0, [2]))),
    ("H3", race, insert_after("retreat", 0, pay(1, "gold", 1, (1, 1)))),
    ("H4", race, change("retreat", 0, to=at(45, -1), options=[at(45, -1)])),
    ("H4", race, insert_after("shortage", 1, going("retreat", 2, at(49, -1), at(44, -1)))),
    ("H4", race, insert_after("shortage", 1, battle(2, 1, 49, [1]))),
    ("E2", race, change_part("result", scores=[-1, 7, 5])),
    ("E2", race, change_part("result", scores=[19, 7, 25])),
    ("R3", haunting, change("battle_end", 0, attack=6)),
    ("R3", haunting, change("battle_end", 1, defence=2)),
    ("E2", skirmish, change_part("result", scores=[-5, -1, -2])),
    ("E2", treasure_hunt, change_part("result", scores=[15, -5, 1])),
    ("E3", skirmish, change_part("result", winners=[2])),
    ("E3", haunting, change_part("result", winners=[2])),
    ("E4", skirmish, change_part("result", finished=True)),
    ("E4", skirmish, insert_after("load", 1, event("round", number=2, captain=1, dice=[1, 1], placed=[1, 1]))),
    ("G1", haunting, change_part("config", ghost=False)),
    ("G1", haunting, change_part("setup", pile=[9, 0, 1, 2, 3, 4, 5, 6, 7], removed=[8, 10])),
    ("G2", haunting, change("action", 4, ship=1)),
    ("G2", haunting, change("action", 4, die=1)),
    ("G3", haunting, change("action", 4, forced=True)),
    ("G3", haunting, change("action", 10, forced=False)),
    ("G3", haunting, change("action", 10, symbol="backward")),
    ("G3", haunting, change("action", 10, symbol="gold")),
    ("G4", haunting, insert_after("move", 2, pay(2, "gold", 2, (0, 2)))),
    ("G5", haunting, change("powder", 0, amount=1)),
    ("G5", haunting, change("loot", 0, decider=0)),
    ("G6", haunting, insert_after("loot", 0, load(2, "food", 3, 2))),
    ("G6", haunting, replace("loot", 0, loot(2, 0, 1, "give", treasure=2))),
    ("G6", haunting, drop("loot")),
    ("G7", haunting, replace("loot", 1, loot(1, 2, 1, "power", treasure=2))),
    ("G7", haunting, change("loot", 1, amount=3)),
    ("G8", haunting, change_part("result", scores=[2, -5, 6])),
]


@pytest.mark.parametrize(("clause", "build", "breaking"), BROKEN, ids=[case[0] for case in BROKEN])
def test_a_broken_clause_is_named(clause, build, breaking):
    game = build()
    breaking(game)
    with pytest.raises(RuleBroken) as caught:
        check(game)
    assert caught.value.clause == clause, caught.value


@pytest.mark.parametrize("build", GAMES)
def test_no_event_can_be_missing_or_doubled(build):
    game = build()
    events = game["events"]
    for index, item in enumerate(events):
        for altered in ([], [item, item]):
            game["events"] = events[:index] + altered + events[index + 1 :]
            with pytest.raises(RuleBroken):
                check(game)


@pytest.mark.parametrize("build", [skirmish, haunting])
@pytest.mark.parametrize("nonsense", [None, -1, 99, "x", True, [], [[1]], {}])
def test_nonsense_is_a_broken_trace_and_not_a_crash(build, nonsense):
    game = build()
    for item in game["events"]:
        for name, value in item.items():
            if value == nonsense:
                continue
            item[name] = nonsense
            with pytest.raises(RuleBroken):
                check(game)
            item[name] = value


@pytest.mark.parametrize(
    ("deck", "card", "reshuffled", "legal"),
    [
        (set(), 5, True, True),
        (set(), 5, False, False),  # the pile was empty
        ({9}, 9, False, True),
        ({9}, 9, True, False),  # there was a card left
        ({9}, 5, False, False),  # that card was in the discard pile
        (set(), 0, True, False),  # that card is in the hand
    ],
)
def test_the_discard_pile_is_shuffled_when_the_draw_pile_is_empty(deck, card, reshuffled, legal):
    game = Game(load_components(COMPONENTS))
    ship = Ship(seat=0, is_ghost=False, holds=[], hand={0, 1}, deck=deck, discard=set(range(2, 11)) - deck)
    drawing = event("draw", ship=0, cards=[card], reshuffled=reshuffled)
    if legal:
        check_draw(game, ship, drawing)
        assert ship.hand == {0, 1, card}
    else:
        with pytest.raises(RuleBroken, match="T4"):
            check_draw(game, ship, drawing)

"""Replays one game of a run with the trace on, and turns the engine's rows into a trace, version 1.

The numbers come from the same rules as any run's, compiled with the trace; nothing is played or decided here.
"""

from jamaica_sim.codes import (
    EMPTY,
    FORWARD,
    HOLDS,
    LOOT_GIVE,
    LOOT_HIDDEN,
    LOOT_NOTHING,
    LOOT_POWER,
    RESOURCES,
    SYMBOLS,
)
from jamaica_sim.engine.events import EVENTS
from jamaica_sim.engine.state import NO_FACE, STAR
from jamaica_sim.play.chunks import Tracer
from jamaica_sim.play.game_table import GameTable
from jamaica_sim.play.state_record import StrategyFault
from jamaica_sim.play.worker_threads import in_order
from jamaica_sim.rules import combat_die, treasures

SCHEMA = "jamaica-trace/1"
WHEN = ("morning", "evening")


def trace_game(table: GameTable, game: int) -> dict:
    """The whole game as one JSON-ready object; raises Interrupted where a strategy's fault ends it early."""
    tracer, fault = Tracer(table), None
    try:
        for _ in in_order(lambda: tracer, Tracer.trace, [game], 1):
            pass
    except StrategyFault as error:
        fault = error
    row, rows, pile = tracer.traced()
    if fault and not rows.size:
        raise fault  # nothing to tell: it came before the first dice were placed
    events = [_EVENT_WRITERS[EVENTS[event]](ship, values) for event, ship, *values in rows.tolist()]
    in_game = [card for card in range(len(treasures())) if int(table.rulebook["treasures_in_game"][0]) >> card & 1]
    trace = {
        "schema": SCHEMA,
        "config": {
            "players": table.rules.players,
            "ghost": table.rules.ghost,
            "edition": table.rules.edition,
            "seed": table.seed,
            "game": game,
            "strategies": [strategy.label for strategy in table.strategies],
            "round_cap": table.rules.round_cap,
        },
        "setup": {
            "captain": next(event["captain"] for event in events if event["event"] == "round"),
            "pile": pile,
            "removed": [card for card in in_game if card not in pile],
            "hands": _first_hands(events, table.rules.players),
        },
        "events": events,
        "result": None if fault else _result(row, table.rules.ships),
    }
    if fault:
        raise Interrupted(trace, fault) from fault
    return trace


class Interrupted(Exception):
    """A strategy's fault ended the game: the trace up to there, without a result, and the fault."""

    def __init__(self, trace: dict, fault: Exception):
        self.trace, self.fault = trace, fault
        super().__init__(str(fault))


def _first_hands(events, players):
    hands = [[] for _ in range(players)]
    for event in [event for event in events if event["event"] == "choose"][:players]:
        hands[event["ship"]] = event["hand"]
    return hands


def _result(row, ships):
    return {
        "rounds": int(row["rounds"]),
        "finished": bool(row["finished"]),
        "scores": row["score"][:ships].tolist(),
        "winners": _members(int(row["winners"])),
        "positions": [
            _position(int(space), int(lap))
            for space, lap in zip(row["final_space"][:ships], row["final_lap"][:ships], strict=True)
        ],
    }


def _members(bits):
    return [i for i in range(bits.bit_length()) if bits >> i & 1]


def _position(space, lap):
    return {"space": space, "lap": lap}


def _face(strength):
    return "star" if strength == STAR else strength


def _round(captain, values):
    first, second, morning, evening, number = values[:5]
    return {
        "event": "round",
        "number": number,
        "captain": captain,
        "dice": [first, second],
        "placed": [morning, evening],
    }


def _choose(ship, values):
    return {"event": "choose", "ship": ship, "hand": _members(values[0]), "card": values[1]}


def _action(ship, values):
    when, symbol, die, forced = values[:4]
    event = {"event": "action", "ship": ship, "when": WHEN[when], "symbol": SYMBOLS[symbol], "die": die}
    if forced >= 0:  # the ghost's moves only
        event["forced"] = bool(forced)
    return event


def _skip(ship, values):
    return {"event": "skip", "ship": ship, "when": WHEN[values[0]]}


def _load(ship, values):
    resource, amount, hold, emptied_kind, emptied_count = values[:5]
    emptied = None if emptied_kind == EMPTY else {"resource": RESOURCES[emptied_kind], "amount": emptied_count}
    return {
        "event": "load",
        "ship": ship,
        "resource": RESOURCES[resource],
        "amount": amount,
        "hold": hold,
        "emptied": emptied,
    }


def _no_load(ship, values):
    return {"event": "no_load", "ship": ship, "resource": RESOURCES[values[0]], "amount": values[1]}


def _sailing(name, ship, values, forward):
    """A move or a retreat; an option's lap follows from whether the way to it wraps round Port Royal."""
    start, lap, end, end_lap, options = values[:5]

    def lap_at(space):
        if forward:
            return lap + 1 if space < start else lap
        return lap - 1 if space > start else lap

    return {
        "event": name,
        "ship": ship,
        "from": _position(start, lap),
        "to": _position(end, end_lap),
        "options": [_position(space, lap_at(space)) for space in _members(options)],
    }


def _move(ship, values):
    return _sailing("move", ship, values, forward=values[5] == FORWARD)


def _retreat(ship, values):
    return _sailing("retreat", ship, values, forward=False)


def _battle(ship, values):
    defender, space, targets = values[:3]
    return {
        "event": "battle",
        "attacker": ship,
        "defender": defender,
        "space": space,
        "targets": _members(targets),
    }


def _powder(ship, values):
    return {"event": "powder", "ship": ship, "amount": values[0]}


def _roll(ship, values):
    return {"event": "roll", "ship": ship, "face": _face(values[0])}


def _sabre(ship, values):
    return {"event": "sabre", "ship": ship, "of": values[0]}


def _battle_end(ship, values):
    winner, attack_face, attack, defence_face, defence = values[:5]
    return {
        "event": "battle_end",
        "winner": winner if winner >= 0 else None,
        "attack": attack if attack_face not in (STAR, NO_FACE) else None,
        "defence": defence if defence_face not in (STAR, NO_FACE) else None,
    }


def _loot(ship, values):
    loser, decider, answer, thing, amount = values[:5]
    event = {"event": "loot", "ship": ship, "loser": loser, "decider": decider}
    if answer < LOOT_POWER:
        return {**event, "take": "hold", "hold": answer, "resource": RESOURCES[thing], "amount": amount}
    if answer < LOOT_HIDDEN:
        return {**event, "take": "power", "treasure": int(answer - LOOT_POWER)}
    if answer == LOOT_HIDDEN:
        return {**event, "take": "hidden", "treasure": thing}
    if answer < LOOT_NOTHING:
        return {**event, "take": "give", "treasure": int(answer - LOOT_GIVE)}
    return {**event, "take": "nothing"}


def _pay(ship, values):
    resource, amount, holds = values[:3]
    paid = [[hold, holds >> 8 * hold & 255] for hold in range(HOLDS) if holds >> 8 * hold & 255]
    return {"event": "pay", "ship": ship, "resource": RESOURCES[resource], "amount": amount, "holds": paid}


def _shortage(ship, values):
    resource, due, paid, face = values[:4]
    return {
        "event": "shortage",
        "ship": ship,
        "resource": RESOURCES[resource],
        "due": due,
        "paid": paid,
        "symbol": combat_die()[face].shortage_symbol if face >= 0 else None,
    }


def _treasure(ship, values):
    return {"event": "treasure", "ship": ship, "space": values[0], "treasure": values[1]}


def _finish(ship, values):
    return {"event": "finish", "ship": ship}


def _draw(ship, values):
    drawn, cards = values[0], []
    while drawn:
        cards.append((drawn & 15) - 1)
        drawn >>= 4
    return {"event": "draw", "ship": ship, "cards": cards, "reshuffled": bool(values[1])}


_EVENT_WRITERS = {
    "round": _round,
    "choose": _choose,
    "action": _action,
    "skip": _skip,
    "load": _load,
    "no_load": _no_load,
    "move": _move,
    "battle": _battle,
    "powder": _powder,
    "roll": _roll,
    "sabre": _sabre,
    "battle_end": _battle_end,
    "loot": _loot,
    "pay": _pay,
    "shortage": _shortage,
    "retreat": _retreat,
    "treasure": _treasure,
    "finish": _finish,
    "draw": _draw,
}

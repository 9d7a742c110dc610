"""Replays one game of a run with the trace on, and turns the engine's rows into a trace, version 1.

The engine plays the game by the same rules as in any run, compiled with the trace. Nothing is decided here.
"""

from typing import Any, TypedDict

import numpy as np

from jamaica_sim.engine.machine.bits import members_of
from jamaica_sim.files.limits import check_game_number, plain
from jamaica_sim.game.rules import Rules
from jamaica_sim.play import compile_ahead
from jamaica_sim.play.chunks import Tracer, in_order
from jamaica_sim.play.game_table import GameTable, seat_table
from jamaica_sim.play.state_record import StrategyFault
from jamaica_sim.strategy.library import Strategies

SCHEMA = "jamaica-trace/1"

Event = dict[str, Any]  # its kind is the entry "event"


class Place(TypedDict):
    """Where a ship is."""

    space: int
    lap: int


class Setup(TypedDict):
    """The game before its first round."""

    captain: Any  # a seat; None where a fault came before the first round
    pile: list[int]
    removed: list[int]
    hands: list[list[int]]


class Result(TypedDict):
    """How a game ended."""

    rounds: int
    finished: bool
    scores: list[int]
    winners: list[int]
    positions: list[Place]


class Trace(TypedDict):
    """A whole game. Its result is None if a fault ended it, or if it is not over."""

    schema: str
    config: dict[str, Any]
    setup: Setup
    events: list[Event]
    result: Any  # a Result


def trace_game(table: GameTable, game: int, tracer: Tracer | None = None) -> Trace:
    """The whole game as one JSON-ready object; raises Interrupted where a strategy's fault ends it early.

    `tracer` plays the game, if others than the table's strategies have played it.
    """
    tracing, fault = tracer or Tracer(table), None
    try:
        for _ in in_order(lambda: tracing, lambda worker, number: worker.trace(number), [game], 1):
            pass
    except StrategyFault as error:
        fault = error
    row, events, pile = tracing.traced()
    if fault and not events:
        raise fault  # nothing to tell: it came before the first dice were placed
    in_game = members_of(int(table.rulebook["treasures_in_game"][0]))
    trace: Trace = {
        "schema": SCHEMA,
        "config": config_of(table, game),
        "setup": {
            "captain": next((event["captain"] for event in events if event["event"] == "round"), None),
            "pile": pile,
            "removed": [card for card in in_game if card not in pile],
            "hands": _first_hands(events, table.rules.players),
        },
        "events": events,
        "result": None if fault else result_of(row, table.rules.ships),
    }
    if fault:
        raise Interrupted(trace, fault) from fault
    return trace


def config_of(table: GameTable, game: int) -> dict[str, Any]:
    """What is played in a game of a table."""
    return {
        "players": table.rules.players,
        "ghost": table.rules.ghost,
        "edition": table.rules.edition,
        "seed": table.seed,
        **({"luck": dict(table.luck)} if table.luck else {}),
        "game": game,
        "strategies": [strategy.label for strategy in table.strategies],
        "round_cap": table.rules.round_cap,
        **_variant(table.rules),
    }


def _variant(rules: Rules) -> dict[str, Any]:
    """What differs from the edition: every changed rule, and each changed table of components in full."""
    usual = Rules(edition=rules.edition, players=rules.players, ghost=rules.ghost, round_cap=rules.round_cap)
    printed = usual.as_dict()
    changed = {name: value for name, value in rules.as_dict().items() if value != printed.get(name)}
    house = {"house_rules": changed.pop("house_rules")} if "house_rules" in changed else {}
    return {**({"rules": changed} if changed else {}), **house}


class Interrupted(Exception):
    """A strategy's fault ended the game: the trace up to there, without a result, and the fault."""

    def __init__(self, trace: Trace, fault: Exception) -> None:
        self.trace, self.fault = trace, fault
        super().__init__(str(fault))


def _first_hands(events: list[Event], players: int) -> list[list[int]]:
    hands: list[list[int]] = [[] for _ in range(players)]
    for event in [event for event in events if event["event"] == "choose"][:players]:
        hands[event["ship"]] = event["hand"]
    return hands


def result_of(row: np.void, ships: int) -> Result:
    """The result of a game from its row."""
    return {
        "rounds": int(row["rounds"]),
        "finished": bool(row["finished"]),
        "scores": row["score"][:ships].tolist(),
        "winners": members_of(int(row["winners"])),
        "positions": [
            _position(int(space), int(lap))
            for space, lap in zip(row["final_space"][:ships], row["final_lap"][:ships], strict=True)
        ],
    }


def _position(space: int, lap: int) -> Place:
    return {"space": space, "lap": lap}


def replay(
    game: int,
    *,
    rules: Rules | None = None,
    strategies: Strategies | None = None,
    seed: int = 1,
    luck: dict[str, int] | None = None,
    **rule_changes: Any,
) -> Trace:
    """One game as a trace: the same game that `simulate` plays under this number.

    Examples
    --------
    >>> from jamaica_sim import replay
    >>> replay(42, strategies="random", players=3, seed=1)["result"]["scores"]
    [0, 33, 13]
    """
    return replay_table(seat_table(rules, strategies, seed, luck, **rule_changes), plain(game))


def replay_table(table: GameTable, game: int) -> Trace:
    """The same for a table that is already seated."""
    check_game_number(game)
    compile_ahead.compile_missing(table.strategies, compile_ahead.REPLAY)
    return trace_game(table, game)

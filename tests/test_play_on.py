"""Playing on from a position: the game goes on exactly as it did, from every decision and between any two rounds."""

from functools import cache

import numpy as np
import pytest
from house_games import PLAYED_ON, ROOM, SAME_LUCK, SEED, field

from jamaica_sim.engine.game import trace_chunk
from jamaica_sim.engine.play_on import play_on
from jamaica_sim.engine.rulebook import rulebook_of
from jamaica_sim.engine.state import POSITION_BYTES, RESULT_DTYPE
from jamaica_sim.game.codes import DECISIONS
from jamaica_sim.game.rules import Rules
from jamaica_sim.play.state_record import new_state
from jamaica_sim.strategy.library import load_strategy

TABLES = [
    Rules(players=2, ghost=True),
    Rules(players=4),
    Rules(players=3, edition="2021", ghost=True),
    Rules(players=6, edition="2021"),
    Rules(players=5, ghost=True, limited_bank=True, bank=(30, 20, 20)),
]


def captured(rules, strategies, game):
    """The positions of a game, and its result row."""
    state = new_state(strategies, rules, traced=True)
    positions = np.zeros((ROOM, POSITION_BYTES), np.uint8)
    state["capture"], state["capture_room"], state["capture_bytes"] = positions.ctypes.data, ROOM, POSITION_BYTES
    row = np.zeros(1, RESULT_DTYPE)
    trace_chunk(state, rulebook_of(rules), SEED, game, row)
    taken = int(state["captured"][0])
    assert taken < ROOM
    return positions[:taken], row


@cache
def players(name, seats):
    return [load_strategy(name)] * seats


@pytest.mark.parametrize("name", ["random", "balanced"])
@pytest.mark.parametrize("rules", TABLES, ids=str)
def test_a_game_goes_on_as_it_did_from_every_position(rules, name):
    strategies = players(name, rules.players)
    state, rulebook = new_state(strategies, rules), rulebook_of(rules)
    seen = set()
    for game in range(12):
        positions, row = captured(rules, strategies, game)
        decisions, answers = field(positions, "decision")[:, 0], field(positions, "answer")[:, 0]
        seen |= set(decisions.tolist())
        for index in range(len(positions)):
            again = np.zeros(1, RESULT_DTYPE)
            assert play_on(state, rulebook, positions, index, SAME_LUCK, 0, answers[index], again) == 1
            where = f"game {game}, position {index}: {decisions[index]}"
            for column in PLAYED_ON:
                assert (again[column] == row[column]).all(), f"{where}: {column}"
    if name == "random":  # which leads into every situation
        reached = {"round" if number < 0 else DECISIONS[number] for number in seen}
        ghosts = {name for name in DECISIONS if name.startswith("ghost")}
        assert {"round", *DECISIONS} - reached - {"house_choice"} <= (set() if rules.ghost else ghosts)

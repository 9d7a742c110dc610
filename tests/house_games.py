"""Games by house rules that are a text in a test, and what of a game that is played on must be the same."""

from functools import cache

import numpy as np

from jamaica_sim.engine.rulebook import rulebook_of
from jamaica_sim.engine.state import RESULT_DTYPE, STATE_DTYPE
from jamaica_sim.game.house_file import NAMED, HouseRules
from jamaica_sim.play.state_record import new_state, play
from jamaica_sim.strategy.house.compile import in_force
from jamaica_sim.strategy.library import load_strategy

SEED = 77
ROOM = 3000
SAME_LUCK = -1
# The columns about leaders of earlier rounds are left out: a position does not have them.
PLAYED_ON = [name for name in RESULT_DTYPE.names if name not in ("half_time_leaders", "half_time_last", "lead_changes")]


def field(positions, name):
    dtype, offset = STATE_DTYPE.fields[name]
    return np.ascontiguousarray(positions[:, offset : offset + dtype.itemsize]).view(dtype.base)


IMPORT = "from jamaica_sim.strategy.house.api import *\n"


def house(body, name="rule.py"):
    text = f'"""A rule for a test."""\n{IMPORT}\n{body}'
    NAMED.add(text)  # as if the user had named a file
    return HouseRules(name, text)


@cache
def players(name, seats):
    return [load_strategy(name)] * seats


def rulebook_with(rules, body):
    if body is not None:
        rules = rules.but(house_rules=house(body))
    return in_force(rulebook_of(rules), rules, traced=True)


def rows_of(rules, body, games=40, strategy="random"):
    strategies = players(strategy, rules.players)
    rows = np.zeros(games, RESULT_DTYPE)
    play(new_state(strategies, rules), rulebook_with(rules, body), strategies, SEED, 0, rows)
    return rows

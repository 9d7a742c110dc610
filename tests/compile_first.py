"""Compiles pieces of the engine into the cache before the tests start: `python compile_first.py engine tally`."""

import sys

from tabletop import Tabletop

from jamaica_sim.house.compile import HOUSE_ENGINES
from jamaica_sim.play.compile_ahead import PIECES
from jamaica_sim.training.train import make_task, tables_of, warm_up

OTHERS = {
    "tabletop": Tabletop,
    "house": lambda: HOUSE_ENGINES[0].address,
    "traced house": lambda: HOUSE_ENGINES[1].address,
    "training": lambda: warm_up(make_task("champion", tables_of())),
}

if __name__ == "__main__":
    for name in sys.argv[1:]:
        compile_piece = OTHERS[name] if name in OTHERS else PIECES[name][0]
        compile_piece()

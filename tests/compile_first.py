"""Compiles pieces of the engine into the cache before the tests start: `python compile_first.py engine tally`."""

import sys

from tabletop import Tabletop

from jamaica_sim.play.compile_ahead import PIECES
from jamaica_sim.strategy.house.compile import HOUSE_ENGINES

OTHERS = {
    "tabletop": Tabletop,
    "house": lambda: HOUSE_ENGINES[0].address,
    "traced house": lambda: HOUSE_ENGINES[1].address,
}

if __name__ == "__main__":
    for name in sys.argv[1:]:
        compile_piece = OTHERS[name] if name in OTHERS else PIECES[name][0]
        compile_piece()

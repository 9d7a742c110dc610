"""Compiles pieces of the engine into the cache before the tests start: `python compile_first.py engine tally`."""

import sys

from tabletop import Tabletop

from jamaica_sim.play.compile_ahead import PIECES

if __name__ == "__main__":
    for name in sys.argv[1:]:
        compile_piece = Tabletop if name == "tabletop" else PIECES[name][0]
        compile_piece()

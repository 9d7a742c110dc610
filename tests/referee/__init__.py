"""An independent referee: it replays a game trace and checks every step against the rules.
It is written from the rules and the trace format alone and may not use anything of the engine, so that the two check
each other. `check(trace)` raises `RuleBroken` at the first deviation (clause "TRACE" where the format itself is broken)
and otherwise returns how often each clause was exercised."""

from collections import Counter
from pathlib import Path

from . import rounds, scoring, setup, trace_format
from .components import load_components
from .game import Game, RuleBroken

__all__ = ["CLAUSES", "COMPONENTS", "EDITION_CLAUSES", "GHOST_CLAUSES", "Coverage", "RuleBroken", "check"]

COMPONENTS = Path(__file__).parent.parent.parent / "jamaica_sim" / "game" / "components"

Coverage = Counter  # clause id -> number of checks that involved it and passed

# The clauses that a trace can show. C1 to C3 are the CSV files, C6 is about the bank, K1 to K3 are about what a player
# may see.
CLAUSES = tuple(
    "C4 C5 S1 S2 S3 T1 T2 T3 T4 T5 L1 L2 L3 L4 M1 M2 M3 M4 P1 P2 P3 P4 B1 B2 B3 B4 B5 B6 B7 B8 B9 B10 "
    "H1 H2 H3 H4 R1 R2 R3 R4 R5 E1 E2 E3 E4 G1 G2 G3 G4 G5 G6 G7 G8".split()
)
EDITION_CLAUSES = {"2007": ("H2",), "2021": ("H3",)}  # the ones that only this edition can exercise
GHOST_CLAUSES = tuple(clause for clause in CLAUSES if clause.startswith("G"))


def check(trace: dict, components: Path = COMPONENTS) -> Coverage:
    """Replay `trace`; raise RuleBroken at the first deviation from the rules, else return the clauses exercised."""
    changes = trace["config"].get("rules", {}) if isinstance(trace, dict) and "config" in trace else {}
    game = Game(load_components(components, changes.get("components")), changes)
    trace_format.check_outline(game, trace)
    setup.set_up(game, trace["config"], trace["setup"])
    game.events = trace["events"]
    rounds.play(game)
    scoring.check_result(game, trace["result"])
    return game.coverage

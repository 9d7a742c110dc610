"""House rules and strategies that a slip could make: nasty numbers returned and passed on, writes by other names.

    python tests/nasty_files.py FIRST COUNT

plays by so many of them, one after the other; each ends in games or in a sentence. A process that dies has named the
file before. Nothing is checked for bounds here that is not checked for users.
"""

import random
import sys
import tempfile
from itertools import chain
from pathlib import Path

from jamaica_sim import UserError, simulate
from jamaica_sim.game.codes import DECISIONS
from jamaica_sim.game.house_file import ARGUMENTS
from jamaica_sim.play.state_record import StrategyFault
from jamaica_sim.strategy import compile as strategy_code
from jamaica_sim.strategy.house import compile as house_code

NUMBERS = """0 1 -1 2 3 6 7 15 40 -40 62 63 64 255 256 1000 2**15 -2**15-1 2**31 -2**31 2**53 2**62 2**63-1 -2**63 2**63
    True 1.5 float('nan') None""".split()
FIELDS = {
    "game": "round captain turn moment keeps_trace gifts_waiting".split(),
    "view": "round me legal hand turn".split(),
}
ARRAYS = {
    "game": "space stock lap dice stowage powers memory memory ship_memory space_memory gifts moment_of",
    "view": "space stock lap dice holds discard known memory",
    "rules": "cost space_kind parameters to_finish bank moments engine ends",
    "weights": "",
}
VERBS = """give(game,rules,{},{},{}) add(game,rules,{},{},{}) take(game,rules,{},{},{}) sail(game,rules,{},{})
    draw_treasure(game,rules,{}) return_treasure(game,rules,{},{}) roll(game,rules,{}) set_captain(game,rules,{})
    move_hold(game,rules,{},{},{})""".split()
HELPERS = "lowest({}) nth({},{}) count({}) has({},{}) only({}) ask({},{}) _read(game,{}) _write(game,{})".split()
SIGNS = "+ - * // % << >> & ^".split()
GHOSTLY = {"edition": "2021", "ghost": True, "players": 3}
OF_VIEW = """lowest({}) nth({},{}) count({}) has({},{}) only({}) pick_random(view,{}) _read(view,{})
    _write(view,{})""".split()
HEAD = '''"""A slip."""
from jamaica_sim.strategy.{}api import *

@helper
def _read(record, place):
    return record.space[place]

@helper
def _write(record, place):
    where = record.stock
    where[place, 0] = 99
    return place

'''


class Slip:
    """One file, made of luck."""

    def __init__(self, number):
        self.luck = random.Random(number)
        self.is_house = self.luck.random() < 0.6
        self.record = "game" if self.is_house else "view"
        self.given = [self.record, "rules"] if self.is_house else ["view", "rules", "weights"]
        self.names = []

    def number(self, depth=2):
        """An expression: mostly a number, of whatever size."""
        luck = self.luck
        kind = luck.random() if depth else luck.random() / 2
        if kind < 0.25:
            return luck.choice(NUMBERS)
        if kind < 0.4 and self.names:
            return luck.choice(self.names)
        if kind < 0.5:
            return f"{self.record}.{luck.choice(FIELDS[self.record])}"
        if kind < 0.8:
            calls = [*HELPERS, *VERBS] if self.is_house else OF_VIEW
            return self.filled(luck.choice(calls), depth - 1)
        if kind < 0.9:
            return f"{self.array()}[{self.number(0)}]"
        return f"({self.number(depth - 1)} {luck.choice(SIGNS)} {self.number(0)})"

    def filled(self, call, depth):
        return call.format(*[self.small(depth) for _ in range(call.count("{}"))])

    def small(self, depth):
        """Often a number that makes sense, so that verbs also do something."""
        return str(self.luck.randrange(4)) if self.luck.random() < 0.5 else self.number(depth)

    def array(self):
        record = self.luck.choice(self.given)
        arrays = ARRAYS[record].split()
        return f"{record}.{self.luck.choice(arrays)}" if arrays else f"{self.record}.space"

    def line(self):
        luck, kind = self.luck, self.luck.random()
        value = self.number()
        if kind < 0.1:  # another name for a record, or what is in it
            return f"w = {luck.choice(self.given)}\n    w.{luck.choice(FIELDS[self.record])} = {value}"
        if kind < 0.25:
            return f"a = {self.array()}\n    a[{self.small(1)}{luck.choice(['', ', 0'])}] = {value}"
        if kind < 0.3:
            return f"for a in {self.array()}:\n        a[{self.small(0)}] += {value}"
        if kind < 0.35:
            return f"both = ({self.array()}, {self.array()})\n    both[{self.small(0)}][{self.small(0)}] = {value}"
        if kind < 0.4:
            return f"{self.array()}.{luck.choice(['fill', 'sort', 'put', 'itemset'])}({value})"
        if kind < 0.45:
            return f"np.add({self.array()}, {value}, {self.array()})"
        if kind < 0.6 and self.names:
            return f"if {value} > {self.number(0)}:\n        return {self.number()}"
        return f"x = {value}"

    def function(self, name, arguments):
        self.names = [*arguments]
        lines = [self.line() for _ in range(self.luck.choice([0, 0, 1, 1, 2]))]
        if self.luck.random() < 0.9:
            lines.append(f"return {self.number()}")
        body = "\n    ".join(lines) or "pass"
        return f"def {name}({', '.join((*self.given, *arguments))}):\n    {body}\n\n"

    def text(self):
        if not self.is_house:
            names = self.luck.sample(DECISIONS, self.luck.choice([1, 1, 2]))
            return f"import numpy as np\n{HEAD.format('')}" + "".join(self.function(name, ()) for name in names)
        names = self.luck.sample([*ARGUMENTS], self.luck.choice([1, 1, 2]))
        pairs = chain.from_iterable((n, f"{n}_chosen") if f"{n}_chosen" in ARGUMENTS else (n,) for n in names)
        functions = [self.function(name, ARGUMENTS[name]) for name in dict.fromkeys(pairs)]
        return HEAD.format("house.").replace('"""\n', '"""\nimport numpy as np\n', 1) + "".join(functions)


def play(number, path):
    """Play some games by a file: what came of it, in a word or a sentence."""
    slip = Slip(number)
    path.write_text(slip.text())
    table = {"games": 12, "seed": number, "threads": 1, "per_game": True} | (GHOSTLY if number % 3 == 0 else {})
    try:
        if slip.is_house:
            simulate(house_rules=path, strategies=["balanced", "random"][number % 2 :], **table)
        else:
            simulate(strategies=[str(path)], **table)
    except (UserError, StrategyFault) as error:
        assert str(error).strip()
        return f"{type(error).__name__}: {' '.join(str(error).split())}"
    return "played"


def main(first, count):
    """Play by each of the files; code is compiled for each and not kept."""
    house_code.kept_with_text = strategy_code.kept_with_text = lambda *of: None
    with tempfile.TemporaryDirectory() as folder:
        for number in range(first, first + count):
            print(number, end=" ", flush=True)
            print(play(number, Path(folder) / f"slip_{number}.py"), flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))

"""The engine inside a page: its module for WebAssembly, where the fields of its records lie, and who can be seated.

The module is made in a process of its own, which compiles for no processor in particular. What it compiles is kept in
the cache beside the object code. This file says what a page gets; `engine/machine/wasm.py` how modules are joined.
"""

import base64
import hashlib
import json
import os
import subprocess
import sys
import zlib
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from jamaica_sim.engine.chances import derive_rulebook
from jamaica_sim.engine.game import play_chunk
from jamaica_sim.engine.house_engine import HOUSE_ENGINES
from jamaica_sim.engine.machine.cache import Kept, ObjectCode, kept_with_text
from jamaica_sim.engine.machine.wasm import GENERIC, check_versions, wasm_of
from jamaica_sim.engine.rulebook import POWER_NAMES, SAME_NAMES, TREASURE_NAMES
from jamaica_sim.engine.state import KINDS, RAW_DTYPE, RESULT_DTYPE, RULES_DTYPE, STAR, STATE_DTYPE
from jamaica_sim.engine.view import SHIPS
from jamaica_sim.errors import UserError
from jamaica_sim.game.codes import DECISIONS, RETREATS, SPACE_KINDS, SYMBOLS
from jamaica_sim.game.house_file import FUNCTIONS, HouseRules, house_rules_of
from jamaica_sim.game.rules import Rules
from jamaica_sim.play.game_columns import flat_columns, numbered_row
from jamaica_sim.play.game_table import DEFAULT_LINE_UP, GameTable
from jamaica_sim.play.tally.count import sum_rows
from jamaica_sim.play.tally.layout import (
    GAME_QUANTITIES,
    GAME_VALUES_DTYPE,
    ROW_NUMBERS,
    SHIP_VALUES_DTYPE,
    SIDE_BY_SIDE_DTYPE,
    TALLY_DTYPE,
)
from jamaica_sim.strategy.bans import BANS, BANS_DTYPE
from jamaica_sim.strategy.compile import HEURISTIC, NET_PLAYER, RESTRICTED
from jamaica_sim.strategy.heuristic.tables import tabulate
from jamaica_sim.strategy.heuristic.weights import DEFAULTS, FLAGS, WEIGHTS_DTYPE
from jamaica_sim.strategy.house.compile import compiled_functions
from jamaica_sim.strategy.library import load_strategy, with_code_loaded
from jamaica_sim.strategy.strategy import Decision, Strategy
from jamaica_sim.study.lab.common_deals import play_tables
from jamaica_sim.web.question import SEED, Menu

ON_PAGES = ("built in", "data", "net", "code")  # kinds of strategies
# The sums that figures are made of, in the order of the page (`pages/game/sums.js`).
GAME_SUMS = (
    *("rounds", "shortages", "battles", "treasures_taken", "lead_changes", "margin"),
    *("sole_half_time_leader", "sole_half_time_leader_wins"),
)
MAPS = ("short", "fought", "landed")
CHECKED, FEW_GAMES = ("rounds", "shortages", "battles", "margin"), 64
PAGE = "page"  # the form in the cache
PLANES = 8  # bytes of a number: records pack better with the first bytes of all numbers first
# What a page reads and writes, by record. The rest is the engine's own.
RECORDS: dict[str, tuple[np.dtype[np.void], tuple[str, ...]]] = {
    "raw": (RAW_DTYPE, ("goods", "holds", "next", "cards", "treasure_name", "treasure_kind", "in_game")),
    "rules": (
        RULES_DTYPE,
        (*SAME_NAMES, "die_faces", "die_face", "spaces", "combat_faces", "space_kind", "cost", "score", "card_symbol")
        + ("treasure_value", "die_strength", "die_retreat", "engine", "moments", "parameters", "printed"),
    ),
    "state": (
        STATE_DTYPE,
        ("game", "round", "me", "decision", "strategy", "weights", "reads_words", "in_moment", "error")
        + ("error_player", "error_decision", "error_answer", "sum_landed", "sum_short", "sum_fought"),
    ),
    "row": (RESULT_DTYPE, ()),
    "tally": (TALLY_DTYPE, ("part_games", "part_seat_wins", "part_game", "by_game")),
    "beside": (SIDE_BY_SIDE_DTYPE, ("part_sum", "captain_sum", "captain_square_sum")),
    "ships": (SHIP_VALUES_DTYPE, ()),
    "values": (GAME_VALUES_DTYPE, ()),
    "weights": (WEIGHTS_DTYPE, (*POWER_NAMES, "treasure_worth", "heuristic")),
    "bans": (BANS_DTYPE, BANS_DTYPE.names or ()),
}


def made_engine(menu: Menu) -> dict[str, Any]:
    """What a page needs to play with this menu: kept on disk, or made now by a process of its own."""
    check_versions()
    kept = _place(menu)
    found = kept.load(PAGE) if kept else None
    if found is None:
        command = [sys.executable, "-m", "jamaica_sim.web.inner_engine"]
        given = json.dumps({"files": menu.files, "house": menu.own_house and str(menu.own_house.path)})
        done = subprocess.run(command, env={**os.environ, **GENERIC}, input=given, capture_output=True, text=True)
        if done.returncode:
            raise UserError(done.stderr.strip().splitlines()[-1])
        found = ObjectCode("", "", "", False, done.stdout.encode())
        if kept:
            kept.save(found, PAGE)
    made: dict[str, Any] = json.loads(found.code)
    return made


def needs_compiling(menu: Menu) -> str:
    """What has to be compiled first; nothing where it is kept."""
    kept = _place(menu)
    return "" if kept and kept.load(PAGE) else "the engine for the page"


def _place(menu: Menu) -> Kept | None:
    digests = [menu.strategy(name).digest for name in menu.names] + [house.text for house in menu.houses.values()]
    return kept_with_text(inner_engine, __file__, "\0".join([*menu.names, *digests]))


def can_play(strategy: Strategy) -> bool:
    """Whether a page can seat a strategy: one that searches needs the exponential function of this machine."""
    return strategy.kind in ON_PAGES


def inner_engine(menu: Menu) -> dict[str, Any]:
    """What a page needs to play: JSON with the packed module. Whoever cannot play there is left out."""
    seated = with_code_loaded([it for name in menu.names if can_play(it := menu.strategy(name))])
    functions = _engine()
    names: dict[int, str] = {}
    for code in (HEURISTIC, NET_PLAYER, RESTRICTED):
        functions[code.py_func.__name__] = code.module()
        names[id(code)] = code.py_func.__name__
    for strategy in seated:
        for decision, function in strategy.functions.items():
            if id(function) not in names:
                names[id(function)] = f"{strategy.label} {decision}"
                functions[names[id(function)]] = _module(function)
    moments = {name: _moments(house, functions) for name, house in menu.houses.items()}
    if moments:
        functions["house_engine"] = HOUSE_ENGINES[0].module()
    module = wasm_of(functions)
    return {
        "hash": hashlib.sha256(module).hexdigest(),
        "module": packed(module),
        "layout": _layout(),
        "strategies": {strategy.label: _strategy(strategy, names) for strategy in seated},
        "moments": moments,
        "check": _few_games(),
    }


def _few_games() -> dict[str, Any]:
    """A few games, with sums that a damaged page would not play."""
    table = GameTable.seat(Rules(), [load_strategy(name) for name in DEFAULT_LINE_UP[:4]], SEED)
    [results] = play_tables([table], FEW_GAMES, 0, 1) or []
    tally = results.tally
    of_games = [tally["by_game"][GAME_QUANTITIES.index(name)].tolist() for name in CHECKED]
    sums = [FEW_GAMES, *tally["by_ship"][:4, 0, 0].tolist(), *(value for pair in of_games for value in pair)]
    seating = {"players": 4, "edition": "2007", "ghost": False, "strategies": list(DEFAULT_LINE_UP[:4])}
    return {"table": seating, "games": FEW_GAMES, "sums": sums}


def _module(function: Decision) -> ObjectCode:
    found: Any = function
    code: ObjectCode = found.module()
    return code


def _engine() -> dict[str, ObjectCode]:
    """The functions that every page calls by itself, each with arguments of the form that it gets."""
    rows, ships, values = np.zeros(2, RESULT_DTYPE), np.zeros(1, SHIP_VALUES_DTYPE), np.zeros(1, GAME_VALUES_DTYPE)
    raws, rulebooks, states = np.zeros(1, RAW_DTYPE), np.zeros(1, RULES_DTYPE), np.zeros(1, STATE_DTYPE)
    tally, beside = np.zeros(1, TALLY_DTYPE), np.zeros(1, SIDE_BY_SIDE_DTYPE)
    numbers, members = rows.view(np.int16).reshape(rows.size, ROW_NUMBERS), np.full((SHIPS, SHIPS), -1)
    side = ships, ships.view(np.int32), values, values.view(np.int64)
    return {
        "derive": derive_rulebook.module(raws, rulebooks),
        "tabulate": tabulate.module(np.zeros(1, WEIGHTS_DTYPE)),
        "play": play_chunk.module(states, rulebooks, 1, 0, rows),
        "add_up": sum_rows.module(rows, numbers, rulebooks, members, tally, beside, *side),
    }


def _moments(house: HouseRules, functions: dict[str, ObjectCode]) -> dict[str, int]:
    """The names of the functions of house rules, with the number of the moment of each."""
    found = {}
    for moment, function in compiled_functions(house.name, house.text).items():
        found[f"{house.name} {moment}"] = FUNCTIONS.index(moment)
        functions[f"{house.name} {moment}"] = function.module()
    return found


def _layout() -> dict[str, Any]:
    def fields(dtype: np.dtype[np.void], names: Iterable[str]) -> dict[str, Any]:
        known: Mapping[str, Any] = dtype.fields or {}
        return {name: [known[name][1], list(known[name][0].shape), known[name][0].base.str[1:]] for name in names}

    return {
        "records": {name: {"size": d.itemsize, "fields": fields(d, names)} for name, (d, names) in RECORDS.items()},
        "row_numbers": ROW_NUMBERS,
        "columns": {name: int(place[0]) for name, place in flat_columns(numbered_row(), SHIPS)},
        "game_quantities": list(GAME_QUANTITIES),
        "decisions": list(DECISIONS),
        "space_kinds": list(SPACE_KINDS),
        "symbols": list(SYMBOLS),
        "treasure_kinds": list(KINDS),
        "star": int(STAR),
        "retreats": {symbol: int(kind) for symbol, kind in RETREATS.items()},
        "moments": list(FUNCTIONS),
        "same_names": SAME_NAMES,
        "treasure_names": list(TREASURE_NAMES),
        "powers": {title: name for name, title in POWER_NAMES.items()},
    }


def _strategy(strategy: Strategy, names: Mapping[int, str]) -> dict[str, Any]:
    """How a strategy is seated: its functions by decision, and the record that they read, without tables."""
    if strategy.heuristic is None:
        return {"functions": [], "record": "", "bans": 0, "reads_words": True}
    record = strategy.weights.copy()
    weights = record["weights"] if strategy.net else record
    for name in set(WEIGHTS_DTYPE.names or ()) - {*DEFAULTS, *FLAGS, "card_kept", "treasure_worth"}:
        weights[name] = 0
    deciding = [strategy.functions.get(decision, strategy.heuristic) for decision in DECISIONS]
    return {
        "functions": [names[id(function)] for function in deciding],
        "record": packed(record.tobytes(), PLANES),
        "bans": sum(1 << BANS.index(ban) for ban in strategy.bans),
        "reads_words": strategy.kind != "code",
    }


def packed(content: bytes, planes: int = 1) -> str:
    """Bytes as a text: deflated, and before that with every `planes`-th byte side by side."""
    content += bytes(-len(content) % planes)
    apart = np.frombuffer(content, np.uint8).reshape(-1, planes).T.tobytes()
    return base64.b64encode(zlib.compress(apart, 9)).decode()


if __name__ == "__main__":
    try:
        asked = json.load(sys.stdin)
        own = asked["house"] and house_rules_of(asked["house"])
        json.dump(inner_engine(Menu(asked["files"], own)), sys.stdout)
    except UserError as error:
        sys.exit(str(error))

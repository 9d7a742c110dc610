"""Writes the JSON schemas of strategy, rules and experiment files from the tables that the program itself reads.

Run it after a weight, a rule or a key was added: `python tools/schemas.py`.
"""

import json
import re
from pathlib import Path

from jamaica_sim.files.limits import LARGEST_SEED, MOST_GAMES, MOST_STEPS
from jamaica_sim.game.codes import DECISIONS, SHORTAGE_SYMBOLS, SPACE_KINDS, SYMBOLS
from jamaica_sim.game.components import STAR, the_box
from jamaica_sim.game.components.changes import (
    AT_ONCE,
    BOARD,
    BOARD_MEANING,
    DEARER,
    MOST_COST,
    RED_LINE,
    component_rules,
)
from jamaica_sim.game.house_file import LARGEST
from jamaica_sim.game.rules import HOUSE_RULES, rule_fields
from jamaica_sim.play.own_measures import MOST
from jamaica_sim.strategy.bans import BANS
from jamaica_sim.strategy.heuristic.weights import WEIGHTS
from jamaica_sim.strategy.search.settings import SETTINGS
from jamaica_sim.strategy.toml_file import KEYS as STRATEGY_KEYS
from jamaica_sim.study.experiment.chapters import CHAPTERS
from jamaica_sim.study.experiment.file import ALL
from jamaica_sim.study.experiment.file import KEYS as EXPERIMENT_KEYS

FOLDER = Path(__file__).resolve().parent.parent / "jamaica_sim" / "schemas"
DIALECT = "http://json-schema.org/draft-07/schema#"  # what editors of TOML know


def _object(properties, **more):
    return {"type": "object", "properties": properties, "additionalProperties": False, **more}


def _titled(what, properties):
    return {"$schema": DIALECT, "title": f"jamaica-sim {what}", **_object(properties)}


def _text(meaning):
    return {"type": "string", "description": meaning}


def _weights():
    return _object(
        {
            w.name: {
                "type": "number",
                "minimum": w.low,
                "maximum": w.high,
                "default": w.default,
                "description": f"{w.meaning} ({w.unit})",
            }
            for w in WEIGHTS
        }
    )


def strategy_schema() -> dict:
    """The schema of a strategy file of weights."""
    numbers = {
        s.name: {
            "type": "integer" if s.whole else "number",
            "minimum": s.low,
            "maximum": s.high,
            "default": s.default,
            "description": s.meaning,
        }
        for s in SETTINGS
    }
    decisions = {"type": "array", "items": {"enum": list(DECISIONS)}, "minItems": 1}
    known = {
        "name": _text("1 to 60 letters, digits, spaces or any of _ . + -"),
        "description": _text("what the strategy does"),
        "intent": _text("what question it should answer"),
        "bans": {"type": "array", "items": {"enum": list(BANS)}, "description": "parts of the game that it leaves out"},
        "weights": _weights(),
        "net": _object({"file": _text("the .npz file with the net, in the same folder")}, required=["file"]),
        "search": _object({**numbers, "decisions": decisions, "policy": _weights()}),
    }
    return _titled("strategy", {key: known[key] for key in STRATEGY_KEYS})


def _rule(rule):
    limits = rule.metadata
    if "choices" in limits:
        shape = {"enum": [*limits["choices"], *map(int, limits["choices"])]}  # an edition is a year, with quotes or not
    elif "flag" in limits:
        shape = {"type": "boolean"}
    elif "counts" in limits:
        counts = limits["counts"]
        shape = _list(_whole(limits["low"], limits["high"]), counts[0], counts[-1])
    else:
        shape = _whole(limits["low"], limits["high"])
        if "by_seat" in limits:
            shape = {"anyOf": [shape, _list(shape, 2, 6)]}
    return {**shape, "description": f"{limits['meaning']} ({limits['clause']})"}


def _whole(low, high, **more):
    return {"type": "integer", "minimum": low, "maximum": high, **more}


def _list(items, fewest, most):
    return {"type": "array", "items": items, "minItems": fewest, "maxItems": most}


def _components(box):
    """Patterns of the dotted names of board, cards and dice, each with the schema of its value."""
    score = _whole(-100, 100, description="points")
    treasures = {rule.name.split(".")[1] for rule in component_rules(box) if rule.name.startswith("treasure.")}
    treasure = rf"treasure\.({'|'.join(sorted(treasures))})"
    card = r"card\.(\d+|[a-z]+/[a-z]+)"
    copies = _whole(0, len(box.treasures), description="so many of these cards are in the game")
    faces = (2, 12)
    return {
        r"space\.\d+\.cost": _whole(0, MOST_COST, description="doubloons of a port, food of a sea space"),
        r"space\.\d+\.score": score,
        r"space\.\d+\.kind": {"enum": list(SPACE_KINDS[1:])},
        r"space\.\d+\.next": {
            "type": ["integer", "string"],
            "description": "the space that follows, or two: 7/13",
        },
        BOARD: _text(BOARD_MEANING),
        HOUSE_RULES: _text("a Python file of house rules, a shipped one by name, or none"),
        r"house\.\w+": _whole(-LARGEST, LARGEST, description="a parameter of the house rules"),
        treasure: copies,
        rf"{treasure}\.copies": copies,
        rf"{treasure}\.value": score,
        card: {"type": "string", "description": "two symbols, such as gold/forward"},
        rf"{card}\.(morning|evening)": {"enum": list(SYMBOLS)},
        "combat_die": _list({"anyOf": [_whole(1, 20), {"const": STAR}]}, *faces),
        "shortage_die": _list({"enum": list(SHORTAGE_SYMBOLS)}, *faces),
        **{re.escape(name): _whole(-MOST_COST, MOST_COST, description=AT_ONCE[name]) for name in DEARER},
        RED_LINE: _whole(2, len(box.board) - 1, description=AT_ONCE[RED_LINE]),
    }


def _as_table(patterns, leaf):
    """A TOML table with these names: in quotes, `"space.6.cost"`, or as tables of their own, `cost` in [space.6]."""
    found = {pattern: leaf(shape) for pattern, shape in patterns.items()}
    below = {}
    for pattern, shape in patterns.items():
        first, _, rest = pattern.partition(r"\.")
        below.setdefault(first, {})[rest] = shape
    for first, inner in below.items():
        plain = inner.pop("", None)
        if inner:
            table = _as_table(inner, leaf)
            found[first] = {"anyOf": [leaf(plain), table]} if plain else table
    names = {name: shape for name, shape in found.items() if re.escape(name) == name}  # editors complete these
    others = {f"^{pattern}$": shape for pattern, shape in found.items() if pattern not in names}
    return {**_object(names), "patternProperties": others}


def _rules(leaf=lambda shape: shape, **more):
    """All rules. `leaf` turns the schema of a rule's value into the schema of its entry in the file."""
    table = _as_table(_components(the_box()), leaf)
    rules = {rule.name: leaf(_rule(rule)) for rule in rule_fields()}
    return {**table, "properties": {**rules, **table["properties"], **more}}


def rules_schema() -> dict:
    """The schema of a file for --rules."""
    return {**_titled("rules", {}), **_rules(code=_text("a file of house rules beside this one"))}


def experiment_schema() -> dict:
    """The schema of an experiment file: every rule may have one value or a list of values."""

    def factor(shape):
        several = {"type": "array", "items": shape, "minItems": 1}
        return {"anyOf": [shape, several], "description": shape.get("description", "")}

    name = _text("the name of a shipped strategy, or a file beside this one")
    line_up = {"anyOf": [name, {"type": "array", "items": name, "minItems": 1}]}
    whole_library = {"const": ALL}
    known = {
        "title": _text("what is asked"),
        "description": _text("what is played, for the report"),
        "games": _whole(1, MOST_GAMES, description="games at each setting"),
        "seed": _whole(0, LARGEST_SEED),
        "adapt": _whole(0, MOST_STEPS, description="steps in which players adapt to the rules, beside the old ones"),
        "chapters": {"type": "array", "items": {"enum": list(CHAPTERS)}},
        "compare": _text("the factor that the report is about"),
        "question": _text("the measure that the report answers first, such as first Captain's edge"),
        "rules": _rules(factor),
        "tables": {
            "type": "array",
            "items": _rules(factor, name=_text('what these rules are called, for compare = "variant"')),
        },
        "line_ups": {"anyOf": [whole_library, {"type": "array", "items": line_up}]},
        "measures": {"type": "object", "maxProperties": MOST, "additionalProperties": _text("such as margin < 3")},
        "pairs": {"anyOf": [whole_library, {"type": "array", "items": name}]},
    }
    return _titled("experiment", {key: known[key] for key in EXPERIMENT_KEYS})


SCHEMAS = {"strategy": strategy_schema, "rules": rules_schema, "experiment": experiment_schema}


def text_of(name: str) -> str:
    """The text of a schema's file."""
    return json.dumps(SCHEMAS[name](), indent=1) + "\n"


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for schema in SCHEMAS:
        (FOLDER / f"{schema}.json").write_text(text_of(schema), encoding="utf-8")

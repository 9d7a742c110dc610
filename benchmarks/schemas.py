"""Writes the JSON schemas of strategy, rules and experiment files from the tables that the program itself reads.

To be run after a weight, a rule or a key was added: `python benchmarks/schemas.py`.
"""

import json
from pathlib import Path

from jamaica_sim.codes import DECISIONS
from jamaica_sim.experiment.file import CHAPTER_NAMES
from jamaica_sim.experiment.file import KEYS as EXPERIMENT_KEYS
from jamaica_sim.rules import rule_fields
from jamaica_sim.strategy.heuristic.weights import WEIGHTS
from jamaica_sim.strategy.search.settings import SETTINGS
from jamaica_sim.strategy.toml_file import KEYS as STRATEGY_KEYS

FOLDER = Path(__file__).resolve().parent.parent / "jamaica_sim" / "schemas"
DIALECT = "http://json-schema.org/draft-07/schema#"  # what editors of TOML know
COMPONENTS = ("space", "treasure", "card", "combat_die")  # tables of the board, cards and dice


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
    """Of a strategy file of weights."""
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
        "weights": _weights(),
        "search": _object({**numbers, "decisions": decisions, "policy": _weights()}),
    }
    return _titled("strategy", {key: known.get(key, {}) for key in STRATEGY_KEYS})


def _rule(rule):
    limits = rule.metadata
    number = {"type": "integer", "minimum": limits.get("low"), "maximum": limits.get("high")}
    if "choices" in limits:
        shape = {"enum": list(limits["choices"])}
    elif "flag" in limits:
        shape = {"type": "boolean"}
    elif "counts" in limits:
        shape = {"type": "array", "items": number, "minItems": limits["counts"][0], "maxItems": limits["counts"][-1]}
    else:
        shape = number
    return {**shape, "description": f"{limits.get('meaning', '')} ({limits.get('clause', '')})"}


def _rules():
    return {rule.name: _rule(rule) for rule in rule_fields()} | {name: {"type": "object"} for name in COMPONENTS}


def rules_schema() -> dict:
    """Of a file for --rules."""
    board = _text("a CSV file with another board")
    return _titled("rules", {**_rules(), "board": board})


def experiment_schema() -> dict:
    """Of an experiment file: every rule may have one value or a list of them."""
    factors = {name: {"anyOf": [rule, {"type": "array", "items": rule}]} for name, rule in _rules().items()}
    table = {"type": "object", "properties": factors}
    known = {
        "title": _text("what is asked"),
        "description": _text("what is played, for the report"),
        "games": {"type": "integer", "minimum": 1, "description": "games at each setting"},
        "seed": {"type": "integer", "minimum": 0},
        "chapters": {"type": "array", "items": {"enum": list(CHAPTER_NAMES)}},
        "compare": _text("the factor that the report is about"),
        "rules": table,
        "tables": {"type": "array", "items": table},
    }
    return _titled("experiment", {key: known.get(key, {}) for key in EXPERIMENT_KEYS})


SCHEMAS = {"strategy": strategy_schema, "rules": rules_schema, "experiment": experiment_schema}


def text_of(name: str) -> str:
    """A schema as its file has it."""
    return json.dumps(SCHEMAS[name](), indent=1) + "\n"


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for schema in SCHEMAS:
        (FOLDER / f"{schema}.json").write_text(text_of(schema), encoding="utf-8")

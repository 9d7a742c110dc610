"""What the shell completes: names of shipped files, of rules and editions, and files in the current folder."""

import glob
from collections.abc import Callable
from pathlib import Path

import click


def _shipped(kind: str, incomplete: str) -> list[str]:
    """Names of shipped files and of matching files in the current folder; imports nothing."""
    package = Path(__file__).resolve().parent.parent
    folders = (package / "shipped" / kind, package.parent / kind)
    names = {path.stem for folder in folders for path in folder.glob("*") if path.suffix in (".toml", ".py")}
    names |= {"random"} if kind == "strategies" else set()
    return sorted({name for name in names if name.startswith(incomplete)} | {*_files(incomplete, ".toml", ".py")})


def _files(incomplete: str, *endings: str) -> list[str]:
    """Files in the current folder whose names begin with `incomplete`."""
    return sorted(path.name for path in Path().glob(f"{glob.escape(incomplete)}*") if path.suffix in endings)


def _editions(incomplete: str) -> list[str]:
    from jamaica_sim.game.rules import EDITIONS

    return [edition for edition in EDITIONS if edition.startswith(incomplete)]


def _rules(incomplete: str) -> list[str]:
    """The names of the rules, each with its equals sign."""
    from jamaica_sim.game.rules import rule_fields

    return [f"{rule.name}=" for rule in rule_fields() if rule.name.startswith(incomplete)]


Completer = Callable[[click.Context, click.Parameter, str], list[str]]


def _completer(words: Callable[[str], list[str]]) -> Completer:
    """What click calls, from a function of the word that is begun."""
    return lambda ctx, param, incomplete: words(incomplete)


complete_strategy = _completer(lambda begun: _shipped("strategies", begun))
complete_experiment = _completer(lambda begun: _shipped("experiments", begun))
complete_sweep = _completer(lambda begun: [*_rules(begun), *_shipped("experiments/sweeps", begun)])
complete_targets = _completer(lambda begun: _shipped("experiments/targets", begun))
complete_edition = _completer(_editions)
complete_rule = _completer(_rules)
complete_rules = _completer(lambda begun: [*_editions(begun), *_files(begun, ".toml")])
complete_rules_file = _completer(lambda begun: _files(begun, ".toml"))

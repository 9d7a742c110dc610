"""What the shell completes: names of shipped files, of rules and editions, and files in the current folder."""

import glob
from pathlib import Path

import click


def _shipped(kind: str, incomplete: str) -> list[str]:
    """Names of shipped files and of matching files in the current folder; imports nothing."""
    package = Path(__file__).resolve().parent.parent
    folders = (package / "shipped" / kind, package.parent / kind)
    found = {path.stem for folder in folders for path in folder.glob("*") if path.suffix in (".toml", ".py")}
    found |= {"random"} if kind == "strategies" else set()
    return sorted({name for name in found if name.startswith(incomplete)} | {*_files(incomplete, ".toml", ".py")})


def _files(incomplete: str, *endings: str) -> list[str]:
    """Files in the current folder whose names begin with `incomplete`."""
    return sorted(path.name for path in Path().glob(f"{glob.escape(incomplete)}*") if path.suffix in endings)


def complete_strategy(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """For the shell: the shipped strategies, and files here."""
    return _shipped("strategies", incomplete)


def complete_experiment(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """For the shell: the shipped experiments, and files here."""
    return _shipped("experiments", incomplete)


def complete_sweep(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """For the shell: rules to sweep, the shipped sweeps, and files here."""
    return [*complete_rule(ctx, param, incomplete), *_shipped("experiments/sweeps", incomplete)]


def complete_targets(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """For the shell: the shipped files of targets, and files here."""
    return _shipped("experiments/targets", incomplete)


def complete_edition(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """For the shell: the editions."""
    from jamaica_sim.rules import EDITIONS

    return [edition for edition in EDITIONS if edition.startswith(incomplete)]


def complete_rules(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """For the shell: the editions, and files here."""
    return [*complete_edition(ctx, param, incomplete), *_files(incomplete, ".toml")]


def complete_rules_file(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """For the shell: files of rules here."""
    return _files(incomplete, ".toml")


def complete_rule(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """For the shell: the names of the rules, each with its equals sign."""
    from jamaica_sim.rules import rule_fields

    return [f"{rule.name}=" for rule in rule_fields() if rule.name.startswith(incomplete)]

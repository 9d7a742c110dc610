"""What a user types to play the same games again, or to see one of them. Every word is quoted for the shell."""

import os
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from jamaica_sim.files.user_files import AnyPath
from jamaica_sim.game.components.changes import BOARD
from jamaica_sim.game.house_file import HouseRules
from jamaica_sim.game.house_file import is_shipped as is_shipped_file
from jamaica_sim.game.rules import HOUSE_RULES, Rules
from jamaica_sim.game.words import value_text
from jamaica_sim.play.own_measures import Measures
from jamaica_sim.strategy.library import is_shipped
from jamaica_sim.strategy.strategy import Strategy

Luck = Mapping[str, int] | None


def typed(*words: object) -> str:
    """A command line of ours, each word quoted if the shell would not take it literally."""
    return shlex.join(["jamaica-sim", *(os.fspath(w) if isinstance(w, os.PathLike) else str(w) for w in words)])


def resume_command(folder: AnyPath) -> str:
    """The command that goes on with what is played in a folder."""
    return typed("resume", folder)


def report_command(folder: AnyPath) -> str:
    """The command that makes the report of a folder as a page."""
    return typed("report", folder, "--out", f"{Path(folder).resolve().name}.html")


def says_all(rules: Rules, strategies: Sequence[Strategy]) -> bool:
    """Whether a command says in few words all that is played: no board of one's own, no weights without a file."""
    return (
        BOARD not in rules.changes()
        and not _is_only_kept(rules.house_rules)
        and all(s.path is not None or is_shipped(s) for s in strategies)
    )


def _is_only_kept(house: HouseRules | None) -> bool:
    """Whether house rules came in a folder: there is no file that a command could name."""
    return house is not None and house.path is None and not is_shipped_file(house)


def game_of(*source: object, game: int) -> str:
    """The command that shows a game of a folder, which has all that was played; `source` names it, and the setting."""
    return typed("replay", *source, "--game", game)


def run_command(
    rules: Rules,
    strategies: Sequence[Strategy],
    seed: int,
    games: int,
    first_game: int = 0,
    luck: Luck = None,
    measures: Measures | None = None,
) -> str:
    """The command that plays these games."""
    first: list[object] = ["--first-game", first_game] if first_game else []
    return typed(
        "run",
        "--games",
        games,
        *_table_words(rules, strategies, seed),
        *_luck_words(luck),
        *measure_words(measures),
        *first,
    )


def replay_command(rules: Rules, strategies: Sequence[Strategy], seed: int, game: int | None, luck: Luck = None) -> str:
    """The command that shows a game at such a table."""
    return typed("replay", *_table_words(rules, strategies, seed), *_luck_words(luck), "--game", game)


def compare_command(
    rules: Rules, strategies: Sequence[Strategy], seed: int, *options: object, against: bool = False, luck: Luck = None
) -> str:
    """The command that compares strategies, or the first against a field of the others; `options` say how long."""
    first, *others = (_named(strategy) for strategy in strategies)
    words = ["--against", *others] if against else others
    return typed("compare", first, *words, *options, *_table_words(rules, [], seed), *_luck_words(luck))


def sweep_command(rules: Rules, strategies: Sequence[Strategy], seed: int, *words: object) -> str:
    """The command that sweeps rules; `words` say which and how long."""
    return typed("sweep", *words, *_table_words(rules, strategies, seed))


def _table_words(rules: Rules, strategies: Sequence[Strategy], seed: int) -> list[object]:
    """The options of the command line that lay a table."""
    words: list[object] = [
        "--players",
        rules.players,
        "--edition",
        rules.edition,
        "--ghost" if rules.ghost else "--no-ghost",
    ]
    for name, value in rules.changes().items():
        words += ["--house-rules", value] if name == HOUSE_RULES else ["--rule", f"{name}={value_text(value)}"]
    for seat in in_turn([_named(strategy) for strategy in strategies]) if strategies else []:
        words += ["-s", seat]
    return [*words, "--seed", seed]


def _luck_words(luck: Luck) -> list[str]:
    return [word for source, seed in (luck or {}).items() for word in ("--luck", f"{source}={seed}")]


def measure_words(measures: Measures | None) -> list[str]:
    """The options that name measures of one's own."""
    return [word for name, text in (measures or {}).items() for word in ("--measure", f"{name} = {text}")]


def _named(strategy: Strategy) -> str:
    """How the command line names a strategy: a shipped one by name, another by its file."""
    if strategy.path is None or is_shipped(strategy):
        return strategy.name
    return str(strategy.path)


def in_turn(seats: list[str]) -> list[str]:
    """The shortest list that gives these seats when it is seated in turn."""
    return next(
        seats[:few] for few in range(1, len(seats) + 1) if all(seat == seats[i % few] for i, seat in enumerate(seats))
    )

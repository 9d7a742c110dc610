"""Numbers and their limits: games, threads, seeds and sources of luck. Imports nothing, so that `--help` is quick."""

from operator import index
from typing import Any

from jamaica_sim.errors import UserError

MOST_GAMES = 10**12  # of one run: months of a large cluster
MOST_ROWS = 10**10  # games of a run that keeps a row of each: a terabyte
MOST_ROWS_IN_MEMORY = 2_000_000  # games whose rows are kept without a folder: a gigabyte
MOST_THREADS = 1024
MOST_STRATEGIES = 256  # of one comparison: more would make too many line-ups
MOST_STEPS = 5  # in which players adapt to rules
LAST_GAME = 2**62  # the last that a run may begin with: the numbers of all its games fit into 63 bits
LARGEST_NUMBER = LAST_GAME + MOST_GAMES - 1  # of a game
MOST_PLAYED_AGAIN = 10**8  # games of a run without rows that are played again to find some of them
LARGEST_SEED = 2**63 - 1
LUCK_SOURCES = ("captain", "dice", "decks", "treasures", "combat", "shortage", "hidden", "own", "house")


def check_games(games: Any, first_game: Any = 0) -> None:
    """Refuse numbers of games that cannot be played."""
    if not is_int_between(games, 1, MOST_GAMES):
        raise UserError(f"the number of games must be a whole number from 1 to {MOST_GAMES:,}, not {games!r}.")
    if not is_int_between(first_game, 0, LAST_GAME):
        raise UserError(f"the first game must be a whole number from 0 to {LAST_GAME:,}, not {first_game!r}.")


def whole_games(games: Any) -> int:
    """A number of games such as 1e6 as a whole number; anything else is returned unchanged."""
    return int(games) if isinstance(games, float) and games.is_integer() else plain(games)


def plain(value: Any) -> Any:
    """A whole number of NumPy as Python's own, which can be written to a manifest; anything else as it is."""
    if isinstance(value, int) or not hasattr(value, "__index__"):
        return value
    try:
        return index(value)
    except TypeError:  # an array, or NumPy's own true or false
        return value


def check_rows(games: int, in_memory: bool = False) -> None:
    """Refuse more games than a table of games can have rows."""
    if in_memory and games > MOST_ROWS_IN_MEMORY:
        raise UserError(
            f"rows of {games:,} games are kept in a folder, out=...; without one of {MOST_ROWS_IN_MEMORY:,} at most."
        )
    if games > MOST_ROWS:
        raise UserError(f"a table of games can have {MOST_ROWS:,} rows, not {games:,}: play fewer, or without it.")


def check_threads(threads: Any) -> None:
    """Refuse a number of threads that cannot be used; None stands for as many as there are cores."""
    if threads is not None and not is_int_between(threads, 1, MOST_THREADS):
        raise UserError(f"threads: it must be a whole number from 1 to {MOST_THREADS:,}, not {threads!r}.")


def check_game_number(game: Any) -> None:
    """Refuse a value that is not the number of a game."""
    if not is_int_between(game, 0, LARGEST_NUMBER):
        raise UserError(f"the game must be a whole number from 0 to {LARGEST_NUMBER:,}, not {game!r}.")


def check_seed(seed: Any) -> None:
    """Refuse a value that cannot be a seed."""
    if not is_int_between(seed, 0, LARGEST_SEED):
        raise UserError(f"the seed must be a whole number from 0 to {LARGEST_SEED}, not {seed!r}.")


def check_luck(luck: Any) -> None:
    """Refuse unknown sources of luck, and values that cannot be their seeds."""
    if not hasattr(luck, "items"):
        raise UserError(f'luck is a dict such as {{"dice": 7}}, not {luck!r}.')
    for source, seed in luck.items():
        if source not in LUCK_SOURCES:
            raise UserError(f"there is no source of luck {source!r}: there are {', '.join(LUCK_SOURCES)}.")
        if not is_int_between(seed, 0, LARGEST_SEED):
            raise UserError(f"the seed of {source} must be a whole number from 0 to {LARGEST_SEED}, not {seed!r}.")


def is_int_between(value: Any, low: int, high: int) -> bool:
    """Whether this is a whole number, and neither a flag nor text, within limits."""
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


def is_number(text: str) -> bool:
    """Whether this is a number in digits that Python reads without complaint; no limit of ours has as many."""
    return text.isdecimal() and len(text) <= 100


def value_in_text(text: str) -> bool | int | str:
    """A value on the command line: true or false, a whole number or a word. Each rule checks which of them it takes."""
    text = text.strip()
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    try:
        return int(text)
    except ValueError:
        return text

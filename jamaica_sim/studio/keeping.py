"""Out of the studio: a variant as a file of rules, as commands, as a game to watch and as a report."""

import secrets
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

import numpy as np

from jamaica_sim.experiment.setting import LINE_UP, VARIANT, Setting, Variant, labelled, with_named_factors
from jamaica_sim.experiment.study import Study
from jamaica_sim.house_file import HouseRules, is_shipped
from jamaica_sim.lab.ranges import given_values
from jamaica_sim.play.chunks import Chunk, play_in_order
from jamaica_sim.play.commands import in_turn, run_command, sweep_command
from jamaica_sim.play.compile_ahead import REPLAY, compile_missing
from jamaica_sim.play.game_table import GameTable
from jamaica_sim.replays.page import replay_page
from jamaica_sim.replays.replay import replay_table
from jamaica_sim.report.page import html
from jamaica_sim.report.report import make_report
from jamaica_sim.results.results import Results
from jamaica_sim.rules import HOUSE_RULES, Rules
from jamaica_sim.studio.live import KeptGames, is_slow, played
from jamaica_sim.studio.question import SEED, Asked
from jamaica_sim.studio.words import title_of
from jamaica_sim.variant import CODE, toml_value, value_text

LOOKED_AT, LOOKED_AT_IF_SLOW = 400, 24  # games, to find a typical one
REPORT_GAMES, REPORT_GAMES_IF_SLOW = 20_000, 400
SAFE = ",/_-"  # characters of values that an address shows as they are
MOST_PAGES = 8  # that are kept for the browser to open
TYPICAL_IN = ("rounds", "shortages", "battles")


class MadePages:
    """Pages that were made for the browser to open; the oldest goes first."""

    def __init__(self) -> None:
        self._pages: OrderedDict[str, str] = OrderedDict()
        self._lock = threading.Lock()

    def add(self, page: str) -> str:
        """Keep a page; its name."""
        name = secrets.token_urlsafe(9)
        with self._lock:
            self._pages[name] = page
            while len(self._pages) > MOST_PAGES:
                self._pages.popitem(last=False)
        return name

    def find(self, name: str) -> str | None:
        """A page by its name, while it is kept."""
        return self._pages.get(name)


def as_toml(changes: Mapping[str, Any], rules: Rules) -> str:
    """A variant as a file of rules."""
    lines = ["# A variant of Jamaica, made in the studio. Play it: jamaica-sim run --rules rules.toml"]
    table = {"edition": rules.edition, "players": rules.players, "ghost": rules.ghost}
    named = {CODE if name == HOUSE_RULES else name: _named(value) for name, value in {**table, **changes}.items()}
    return "\n".join([*lines, *(f"{name} = {toml_value(value)}" for name, value in named.items()), ""])


def _named(value: Any) -> Any:
    """House rules by the name that a file of rules or the page has for them."""
    if not isinstance(value, HouseRules):
        return value
    return value.name.removesuffix(".py") if is_shipped(value) else value.name


def as_command(asked: Asked, games: int) -> str:
    """The command that gives the same figures: a sweep where one rule is changed, with the base and the differences."""
    table = asked.varied
    if len(asked.changes) == 1 and not asked.compared and HOUSE_RULES not in asked.changes:
        ((name, value),) = asked.changes.items()
        swept = f"{name}={given_values(name, [value])}"
        return sweep_command(asked.base.rules, table.strategies, SEED, swept, "--games", games)
    return run_command(table.rules, table.strategies, SEED, games)


def fragment_of(rules: Rules, strategies: Sequence[str]) -> str:
    """A table as the page's address has it."""
    seats = [strategies[seat % len(strategies)] for seat in range(rules.players)] if strategies else []
    parts = {"players": rules.players, "edition": rules.edition, "ghost": int(bool(rules.ghost))}
    parts |= {"s": ",".join(seats)} if seats else {}
    told = {name: value_text(_named(value)) for name, value in (parts | rules.changes()).items()}
    return "#" + "&".join(f"{name}={quote(text, safe=SAFE)}" for name, text in told.items())


def typical_game(table: GameTable) -> str:
    """The page of a typical game: of the first ones, that nearest to the mean in rounds, shortages and battles."""
    games = LOOKED_AT_IF_SLOW if is_slow(table) else LOOKED_AT
    parts = list(play_in_order(table, [Chunk(0, games)], 1, keep_rows=True))
    rows = np.concatenate([part.rows for part in parts])
    values = np.array([rows[name].reshape(rows.size, -1).sum(axis=1) for name in TYPICAL_IN], float)
    apart = values - values.mean(axis=1, keepdims=True)
    distance = np.square(apart / (values.std(axis=1, keepdims=True) + 1e-9)).sum(axis=0)
    compile_missing(table.strategies, REPLAY)
    return replay_page(replay_table(table, int(distance.argmin())), rules=table.rules)


def report(asked: Asked, kept: KeptGames) -> str:
    """The report of a variant beside the rules that it is compared with."""
    games = REPORT_GAMES_IF_SLOW if is_slow(asked.base) else REPORT_GAMES
    tables = (asked.base, asked.varied) if asked.is_changed else (asked.base,)
    tallies = played(tables, (0, games), kept, threading.Event())
    assert tallies is not None  # nobody stops it
    changes = (asked.compared, asked.changes)
    titles = [title_of(change, table.rules) for change, table in zip(changes, tables, strict=False)]
    settings = [
        _setting(Results(table, tally[0], 0, 0.0), place, f"{title[0].lower()}{title[1:]}")
        for place, (table, tally, title) in enumerate(zip(tables, tallies, titles, strict=True))
    ]
    compare = VARIANT if asked.is_changed else ""
    told = labelled(with_named_factors(settings), compare)
    command = run_command(asked.varied.rules, asked.varied.strategies, SEED, games)
    study = Study("variant", titles[-1], "Made in the studio.", (), compare, told, command, "variant")
    return html(make_report(study))


def _setting(results: Results, place: int, title: str) -> Setting:
    table = results.table
    factors = table.rules.by_name() | {LINE_UP: " v. ".join(in_turn([s.label for s in table.strategies]))}
    return Setting(table.rules, table.strategies, factors, {VARIANT: Variant(place, title)}, results=results)

"""Trials that are watched while they run: one rule over its range, and which rules move a figure most.

Both play several tables on the same deals, in growing batches, around the rules that the page shows.
"""

import threading
from collections.abc import Iterator, Sequence
from typing import Annotated, Any

import msgspec
import numpy as np
from msgspec import Meta

from jamaica_sim.errors import UserError
from jamaica_sim.lab.ranges import plain_value
from jamaica_sim.lab.rule_space import make_space
from jamaica_sim.lab.sweep import rule_value
from jamaica_sim.play.game_table import GameTable
from jamaica_sim.results.results import Results
from jamaica_sim.rules import RulesError
from jamaica_sim.studio.figures import Figure, figures_of
from jamaica_sim.studio.live import KeptGames, Line, batches, compiled, is_slow, played
from jamaica_sim.studio.question import SEED, Menu, Question, Word, lay
from jamaica_sim.tally.layout import TALLY_DTYPE

MOST_VALUES = 13  # of a curve
CURVE_GAMES, SCREEN_GAMES = 16_384, 6_144  # of each table
SLOW_GAMES = 64  # where somebody searches
TOP = 12  # rules of a ranking


class CurveQuestion(Question, kw_only=True):
    """One rule and the values that it is given."""

    rule: Word
    values: Annotated[list[int], Meta(min_length=1, max_length=MOST_VALUES)]


class ScreenQuestion(Question, kw_only=True):
    """One figure, by its key."""

    figure: Word


def curve(question: CurveQuestion, menu: Menu, kept: KeptGames, stop: threading.Event) -> Iterator[Line]:
    """How every figure responds to a rule, the others as they are; values that cannot be played are left out."""
    tables, values = [], []
    for value in question.values:
        changed = msgspec.structs.replace(question, changes={**question.changes, question.rule: value})
        try:
            tables.append(lay(changed, menu).varied)
            values.append(value)
        except RulesError as error:
            refused = error
    if not tables:
        raise refused
    here = question.changes.get(question.rule, rule_value(lay(question, menu).varied.rules, question.rule))
    figures = figures_of(tables[0])
    facts = {
        "values": values,
        "at": values.index(here) if here in values else None,
        "labels": {figure.measure.key: figure.label for figure in figures},
        "shares": {figure.measure.key: figure.measure.share for figure in figures},
    }
    for games, results in growing(tables, SLOW_GAMES if is_slow(tables[0]) else CURVE_GAMES, kept, stop):
        points = {figure.measure.key: [_point(figure, result) for result in results] for figure in figures}
        yield {"kind": "curve", "games": games, "figures": points, **facts}
    yield {"kind": "end"}


def screen(question: ScreenQuestion, menu: Menu, kept: KeptGames, stop: threading.Event) -> Iterator[Line]:
    """Which rules move a figure most: each alone, from least to most of its usual range."""
    base = lay(question, menu).varied
    known = {figure.measure.key: figure for figure in figures_of(base)}
    figure = known.get(question.figure)
    if figure is None:
        raise UserError(f"there is no figure {question.figure!r} at this table.")
    tried = list(_ends(base))
    tables = [base, *(table for _, _, table in tried)]
    for games, (first, *others) in growing(tables, SLOW_GAMES if is_slow(base) else SCREEN_GAMES, kept, stop):
        rows = [
            {"name": name, "value": value, **_change(figure, first, other)}
            for (name, value, _), other in zip(tried, others, strict=True)
        ]
        strongest: dict[str, Line] = {}
        for row in sorted(rows, key=lambda row: -abs(row["difference"])):
            strongest.setdefault(row["name"], row)
        yield {"kind": "screen", "games": games, "share": figure.measure.share, "rules": list(strongest.values())[:TOP]}
    yield {"kind": "end"}


def _ends(base: GameTable) -> Iterator[tuple[str, Any, GameTable]]:
    """Each rule at the least and the most of its usual range, where that can be played and is any change."""
    for rule in make_space(base).rules:
        for value in (rule.values[0], rule.values[-1]):
            try:
                rules = base.rules.but(**{rule.name: value})
            except RulesError:
                continue
            if rules != base.rules:
                yield rule.name, plain_value(value), GameTable.seat(rules, base.strategies, SEED)


def growing(
    tables: Sequence[GameTable], most: int, kept: KeptGames, stop: threading.Event
) -> Iterator[tuple[int, list[Results]]]:
    """The results of all tables after each batch."""
    for _ in compiled(tables[0], stop):
        pass
    totals = [np.zeros(1, TALLY_DTYPE) for _ in tables]
    for first, games in batches(is_slow(tables[0]), most):
        tallies = played(tuple(tables), (first, games), kept, stop)
        if tallies is None:
            return
        for total, tally in zip(totals, tallies, strict=True):
            total.view(np.int64)[:] += tally.view(np.int64)
        yield first + games, [Results(t, total[0], 0, 0.0) for t, total in zip(tables, totals, strict=True)]


def _point(figure: Figure, results: Results) -> list[float]:
    value = figure.measure.of(results)
    scale = figure.measure.scale
    return [round(scale * value.value, 5), round(min(scale * value.half_width, 1e6), 5)]


def _change(figure: Figure, base: Results, other: Results) -> Line:
    change = figure.measure.difference(base, other)
    return {"difference": round(change.value, 5), "half": round(min(change.half_width, 1e6), 5)}

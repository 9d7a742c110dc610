"""Where on the board and when something happens: shares of spaces, tables by space and by round, maps."""

import math

from jamaica_sim.game.components.course import Space
from jamaica_sim.report import words
from jamaica_sim.report.arrangement import table_words
from jamaica_sim.report.chapter import Figure, where
from jamaica_sim.report.charts.board_map import LABELLED, BoardMap, board_map, figure_text
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.results.results import Results
from jamaica_sim.results.stats.estimate import Estimate
from jamaica_sim.study.experiment.setting import Setting
from jamaica_sim.study.experiment.study import Study

KIND_WORDS = {"port_royal": "Port Royal", "sea": "sea space", "port": "port", "lair": "lair"}
SpaceShares = list[tuple[int, Estimate, Estimate]]


def board_of(setting: Setting) -> tuple[Space, ...]:
    """The board that was played on, which need not be the printed one."""
    return setting.rules.components.board


def cost_words(space: Space) -> str:
    """What a space costs, in words."""
    return f"{space.cost} {'doubloons' if space.kind == 'port' else 'food'}" if space.cost else "nothing"


def space_shares(results: Results, what: str) -> SpaceShares:
    """By space, most first: how often `what` happens per game, and the space's share of it."""
    table, total = results.spaces(), results.of_game(what).value
    column = table.columns.index(what)
    shares = [(row[0], row[column], row[column].scaled(1 / total if total else math.nan)) for row in table.rows]
    return sorted(shares, key=lambda item: -item[1].value)


def space_table(study: Study, setting: Setting, what: str) -> ResultTable:
    """All spaces on which something happened, most first."""
    board, place = board_of(setting), where(study, setting)
    rows = [
        (space, KIND_WORDS[board[space].kind], cost_words(board[space]), mean, part)
        for space, mean, part in space_shares(setting.played, what)
        if mean.value > 0
    ]
    note = words.sentence(f"per game {place}; share of all {what}")
    title = f"{what.capitalize()} by space {place}".strip()
    return ResultTable(title, ("space", "kind", "cost", what, "share"), rows, frozenset({"share"}), note)


def round_table(study: Study, setting: Setting, what: str) -> ResultTable:
    """Shortages or battles by round, for the rounds that one game in a hundred reaches."""
    table, place = setting.played.rounds(), where(study, setting)
    column = table.columns.index(what)
    rows = [(row[0], row[1], row[column]) for row in table.rows if row[1].value >= 0.01][:25]
    note = words.sentence(f"per game that reached the round {place}")
    title = f"{what.capitalize()} by round {place}".strip()
    return ResultTable(title, ("round", "games reached", what), rows, frozenset({"games reached"}), note)


def map_figure(study: Study, what: str, title: str, big: str, small: str) -> Figure:
    """How often `what` happens on each space of the reference; a figure and its words in the middle of the board."""
    setting = study.reference
    means = {space: mean.value for space, mean, _ in space_shares(setting.played, what)}
    values = [means.get(number, 0.0) for number in range(len(board_of(setting)))]
    most = sorted(range(len(values)), key=lambda n: -values[n])[:LABELLED]
    top = ", ".join(f"space {n} {figure_text(values[n])}" for n in most)
    label = f"Map of the board with {what} per game on each space. {big} {small}, most on {top}."
    sub = f"{what.capitalize()} per game on each space ({table_words(study)}); top four labelled"
    drawing = board_map(label, BoardMap(board_of(setting), values, big, small), f"{what} a game")
    return Figure("map", title, sub, drawing)

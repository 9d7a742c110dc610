"""Where on the board and when something happens: shares of spaces, tables by space and by round, maps."""

import math

from jamaica_sim.charts.board_map import LABELLED, BoardMap, board_maps, figure_text
from jamaica_sim.components.course import Space
from jamaica_sim.experiment.setting import Setting
from jamaica_sim.experiment.study import Study
from jamaica_sim.report import words
from jamaica_sim.report.chapter import Figure, where
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.results.results import Results
from jamaica_sim.stats.estimate import Estimate

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


def map_of(setting: Setting, what: str, title: str, big: str, small: str) -> BoardMap:
    """How often `what` happens per game on each space, with a figure and its words for the middle of the board."""
    means = {space: mean.value for space, mean, _ in space_shares(setting.played, what)}
    board = board_of(setting)
    return BoardMap(title, board, [means.get(number, 0.0) for number in range(len(board))], big, small)


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


def board_figures(title: str, what: str, place: str, maps: list[BoardMap]) -> tuple[Figure, Figure]:
    """How often something happens on each space: on the first map alone, and on two side by side if there are two."""
    first = _figure_of(title, what, place, maps[:1])
    return first, _figure_of(title, what, place, maps[:2]) if maps[1:] else first


def _figure_of(title: str, what: str, place: str, maps: list[BoardMap]) -> Figure:
    texts = []
    for one in maps:
        most = sorted(range(len(one.values)), key=lambda n: -one.values[n])[:LABELLED]
        top = ", ".join(f"space {n} {figure_text(one.values[n])}" for n in most)
        texts.append(", ".join(filter(None, (one.title, f"{one.big} {one.small}", f"most on {top}"))))
    label = f"Map of the board with {what} per game on each space. {'; '.join(texts)}."
    where = f" (the first: {place}); one scale for both" if len(maps) > 1 else f" ({place})"
    sub = f"{what.capitalize()} per game on each space{where}; the four with the most carry their figure"
    return Figure("map", title, sub, board_maps(label, maps, f"{what} a game"))

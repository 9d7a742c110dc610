"""A game as one page that plays it: board, ships, dice, cards, battles, and the sentence of each step.

The page is self-contained. Python gives it the steps, their sentences and the components. The page itself works out the
table after each step (`pages/shared/table.js`), so that the file of a long game stays small.
"""

import html
import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

from jamaica_sim.files.atomic_files import write_whole
from jamaica_sim.files.page_files import embedded, filled, joined, page_files, styles
from jamaica_sim.game.rules import Rules
from jamaica_sim.game.words import changes_told
from jamaica_sim.play.public import trace_for
from jamaica_sim.play.trace import Trace
from jamaica_sim.replays.book import Book
from jamaica_sim.replays.box import STARTING_GOODS, Box, box_of
from jamaica_sim.replays.chances import GameChances
from jamaica_sim.replays.chances_told import for_page
from jamaica_sim.replays.steps import StoryStep, steps_of
from jamaica_sim.replays.summary import in_rows, summarise, verdict
from jamaica_sim.replays.words import Part, Secret


def replay_page(
    trace: Trace,
    path: str | os.PathLike[str] | None = None,
    *,
    rules: Rules | None = None,
    fault: str = "",
    chances: GameChances | None = None,
    reader: int | None = None,
) -> str:
    """A game as a page, and with `path` as a file.

    Parameters
    ----------
    trace : dict
        A trace, as `replay` gives it.
    path : path, optional
        Where to write the page.
    rules : Rules, optional
        The rules that were played, where the trace does not tell them.
    fault : str
        What ended the game, where it has no result.
    chances : GameChances, optional
        Each ship's chances to win at every moment, and with every answer that could be given.
    reader : int, optional
        The seat whose knowledge the page has, for a game that is not over; -1 has what all know.

    Examples
    --------
    >>> from jamaica_sim import replay, replay_page
    >>> page = replay_page(replay(3, strategies="random", players=3), "game3.html")
    >>> page.startswith("<!doctype html>")
    True
    """
    data = page_data(trace, rules, fault, reader=reader)
    if chances is not None:
        data["chances"] = for_page(chances)
    config = trace["config"]
    game = f"game {config['game']} of seed {config['seed']}" if reader is None else "a game that is not over"
    parts = {
        "TITLE": html.escape(f"Jamaica: {game}"),
        "STYLE": styles("shared/look.css", "shared/table.css", "replay/replay.css"),
        "SYMBOLS": page_files()["shared/symbols.svg"],
        "SCRIPT": joined("replay/player.js"),
        "DATA": embedded(data),
    }
    page = filled("replay/replay.html", parts)
    if path is not None:
        write_whole(Path(path), page.encode())
    return page


def page_data(
    trace: Trace, rules: Rules | None = None, fault: str = "", pending: str | None = None, reader: int | None = None
) -> dict[str, Any]:
    """The data of the page: the trace, its steps with their sentences, the components, the summary.

    `pending` is as for `steps_of`. With a reader, a seat, it is only what this seat may know.
    """
    box = box_of(trace, rules)
    ships = Book(trace, box).ships
    return {
        "changes": changes_told(box.rules),
        "schema": "jamaica-replay-page/1",
        "reader": reader,
        "trace": trace if reader is None else trace_for(trace, reader, box.rules),
        "ships": [{"name": ship.name, "strategy": ship.strategy, "ghost": ship.is_ghost} for ship in ships],
        "box": _box(box),
        "steps": [_step(step, reader) for step in steps_of(trace, box, fault, pending)],
        "summary": None if trace["result"] is None else _summary(trace, box),
    }


def _box(box: Box) -> dict[str, Any]:
    rules = box.rules
    return {
        "board": [asdict(space) for space in box.board],
        "previous": box.previous,
        "steps_home": box.steps_home,
        "cards": [asdict(card) for card in box.cards],
        "treasures": [asdict(card) | {"name": card.title} for card in box.treasures],
        "holds": rules.holds,
        "start": {resource: rules.start_goods(resource) for resource in STARTING_GOODS},
        "start_score": rules.start_score,
        "ghost_gold": list(rules.ghost_gold),
        "lady_beth_bonus": rules.lady_beth_bonus,
    }


def _step(step: StoryStep, reader: int | None) -> list[Any]:
    return [step.kind, step.first, step.count, step.subject, [_part(part, reader) for part in step.words], step.path]


def _part(part: Part, reader: int | None) -> Any:
    if not isinstance(part, Secret):
        return part
    if reader is not None:
        return part.read_by(reader)
    return {"secret": part.text, "otherwise": part.otherwise, "to": part.ships}


def _summary(trace: Trace, box: Box) -> dict[str, Any]:
    summary = summarise(trace, box)
    return {
        "verdict": verdict(trace, box),
        "leaders": in_rows(summary.leaders),
        "ahead": in_rows(summary.ahead),
        "turns": [asdict(turn) for turn in summary.turns],
        "counts": summary.counts,
    }

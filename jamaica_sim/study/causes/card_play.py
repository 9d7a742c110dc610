"""How action cards and treasures are used: how often each is there to choose, chosen or drawn, when, and who then wins.

These are counts of what ships do. They price nothing: ships that play a card differ in more than the card.
"""

from dataclasses import dataclass

import numpy as np

from jamaica_sim.game.components import action_cards
from jamaica_sim.play.chunks import chunks, in_order, threads_or_all
from jamaica_sim.play.compile_ahead import REPLAY, compile_missing
from jamaica_sim.play.game_columns import win_shares
from jamaica_sim.play.game_table import GameTable
from jamaica_sim.play.tally.event_columns import kinds_of
from jamaica_sim.results.stats.estimate import PARTS, Estimate, jackknife
from jamaica_sim.study.events_parquet import BATCH, EventTracer, Tables

SPANS = (1, 4, 7, 10)  # the first round of each span of rounds
FIELDS = THERE, TAKEN, SHIPS, WINS = range(4)  # times there and taken; ships that took it at least once, and their wins
ANY = "any treasure"


@dataclass(frozen=True)
class Use:
    """How a card is used: figures by ship and game; `spans` are the shares of its uses in each span of rounds."""

    name: str
    there: Estimate  # times per ship and game that it can be chosen; for a treasure, that it is drawn
    taken: Estimate  # share of those times that it is
    spans: tuple[Estimate, ...]
    win_rate: Estimate  # of the players' ships that took it at least once


def card_uses(table: GameTable, games: int = 5000, threads: int | None = None) -> dict[str, list[Use]]:
    """How the players use the action cards, and the treasures that they draw from lairs; of these also any of them."""
    compile_missing(table.strategies, REPLAY)
    actions = [f"{card.morning}/{card.evening}" for card in action_cards()]
    titles = [card.title for card in table.rules.components.treasures]
    treasures = list(dict.fromkeys(titles))
    number_of = np.array([treasures.index(title) for title in titles])
    counts = {"cards": _Counts(len(actions)), "treasures": _Counts(len(treasures)), ANY: _Counts(1)}
    for played, tables in in_order(
        lambda: EventTracer(table), lambda tracer, batch: tracer.play_batch(batch, True), chunks(0, games, BATCH),
        threads_or_all(threads),
    ):  # fmt: skip
        wins = win_shares(played.rows, table.rules.ships)[:, : table.rules.players]
        chosen, drawn = (_columns(tables, table, kind) for kind in ("choose", "treasure"))
        hands = (chosen["options"][:, None] >> np.arange(len(actions))) & 1
        counts["cards"].add(chosen, chosen["card"], hands, wins, played.chunk.first)
        number = number_of[drawn["treasure"]]
        counts["treasures"].add(drawn, number, np.eye(len(treasures), dtype=int)[number], wins, played.chunk.first)
        counts[ANY].add(drawn, 0 * number, np.ones((number.size, 1), int), wins, played.chunk.first)
    ships = games * table.rules.players
    return {
        "cards": counts["cards"].uses(actions, ships, games),
        "treasures": [*counts[ANY].uses([ANY], ships, games), *counts["treasures"].uses(treasures, ships, games)],
    }


def _columns(tables: list[Tables], table: GameTable, kind: str) -> dict[str, np.ndarray]:
    """The columns of one kind of event, of the players' ships."""
    names = kinds_of(table.rules.house_rules is not None)[kind][1]
    found = {name: np.concatenate([one[kind][n] for one in tables]) for n, name in enumerate(names)}
    mine = found["ship"] < table.rules.players
    return {name: column[mine].astype(np.int64) for name, column in found.items()}


class _Counts:
    """What is counted of some cards, in parts of the games."""

    def __init__(self, cards: int):
        self._counts = np.zeros((PARTS, cards, len(FIELDS)))
        self._spans = np.zeros((PARTS, cards, len(SPANS)))
        self._games = np.zeros(PARTS)

    def add(self, of: dict[str, np.ndarray], card: np.ndarray, there: np.ndarray, wins: np.ndarray, first: int) -> None:
        """Add the events of a batch: which card was taken, and which were there (columns)."""
        part = of["game"] % PARTS
        np.add.at(self._games, np.arange(first, first + len(wins)) % PARTS, wins.shape[1])
        np.add.at(self._counts[:, :, THERE], part, there)
        np.add.at(self._counts[:, :, TAKEN], (part, card), 1)
        np.add.at(self._spans, (part, card, np.searchsorted(SPANS, of["round"], "right") - 1), 1)
        once = np.unique(np.stack([of["game"] - first, of["ship"], card]), axis=1)
        game, ship, card = once
        np.add.at(self._counts[:, :, SHIPS], ((game + first) % PARTS, card), 1)
        np.add.at(self._counts[:, :, WINS], ((game + first) % PARTS, card), wins[game, ship])

    def uses(self, names: list[str], ships: int, games: int) -> list[Use]:
        """The figures of each card that was there at all."""
        counts, spans, by_ship = (np.concatenate([one.sum(0)[None], one.sum(0) - one])
                                  for one in (self._counts, self._spans, self._games))  # fmt: skip

        def share(above: np.ndarray, below: np.ndarray, n: float) -> Estimate:
            with np.errstate(invalid="ignore", divide="ignore"):
                return jackknife(above / below, int(n))

        found = []
        for number, name in enumerate(names):
            there, taken, took, won = counts[:, number].T
            if taken[0]:
                in_spans = tuple(share(one, taken, min(taken[0], ships)) for one in spans[:, number].T)
                found.append(Use(name, share(there, by_ship, ships), share(taken, there, min(there[0], ships)),
                                 in_spans, share(won, took, min(took[0], games))))  # fmt: skip
        return found

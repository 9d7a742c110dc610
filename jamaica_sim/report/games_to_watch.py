"""Games to watch: for each chapter a typical game and an extreme one, with the commands that show them.

They are chosen among the first games of the reference setting. These games are played again, because a run need not
have kept them. The command shows exactly the game that is described.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from jamaica_sim.experiment.setting import Setting
from jamaica_sim.play.chunks import CHUNK, chunks, default_threads, play_in_order
from jamaica_sim.play.commands import game_of, replay_command, says_all
from jamaica_sim.play.compile_ahead import RUN, compile_missing
from jamaica_sim.run.find_games import game_columns

LOOKED_AT = 1000  # games
LOOKED_AT_WITH_SEARCH = 50  # each takes as long as hundreds of others


@dataclass(frozen=True)
class GameToWatch:
    """A game in words, and the command that shows it."""

    words: str
    game: int
    value: float
    command: str


@dataclass(frozen=True)
class Quantity:
    """The quantity that tells the games of a chapter apart."""

    of: Callable[[dict, int], np.ndarray]  # columns of games, number of ships
    words: Callable[[int], str]
    most: str  # what the game with the most of it is called


def _counted(noun, plural=""):
    return lambda n: f"{n} {noun if n == 1 else plural or noun + 's'}"


def _lead_of_ghost(columns, ships):
    """The ghost's points minus those of the best player; the ghost is the last ship."""
    scores = np.stack([columns[f"score_{ship}"] for ship in range(ships)]).astype(np.int64)
    return scores[-1] - scores[:-1].max(axis=0)


def _points_of_treasures(columns, ships):
    return sum(np.abs(columns[f"treasure_points_{ship}"].astype(np.int64)) for ship in range(ships))


def _column(name):
    return lambda columns, ships: columns[name].astype(np.int64)


ROUNDS = Quantity(_column("rounds"), _counted("round"), "the longest")
GHOST = Quantity(
    _lead_of_ghost,
    lambda n: f"the ghost {_counted('point')(abs(n))} {'ahead of' if n >= 0 else 'behind'} the best player",
    "the ghost's best",
)
QUANTITIES = {
    "claims": GHOST,
    "changes": ROUNDS,
    "who_wins": Quantity(
        _column("margin"),
        lambda n: f"won by {_counted('point')(n)}" if n else "no difference in points",
        "the clearest",
    ),
    "ghost": GHOST,
    "shortages": Quantity(_column("shortages"), _counted("shortage"), "the hungriest"),
    "treasures": Quantity(
        _points_of_treasures, lambda n: f"treasures and curses of {_counted('point')(n)}", "the one of most treasure"
    ),
    "race": ROUNDS,
    "battles": Quantity(_column("battles"), _counted("battle"), "the fiercest"),
    "scores": Quantity(_column("winner_score"), lambda n: f"won with {_counted('point')(n)}", "the highest score"),
    "drama": Quantity(
        _column("lead_changes"), _counted("change of the lead", "changes of the lead"), "the most eventful"
    ),
    "box": Quantity(_column("peak_gold"), lambda n: f"{n} gold on the ships at once", "the one with most gold"),
}


class GamesToWatch:
    """Looks for games of one setting."""

    def __init__(self, setting: Setting):
        self._setting = setting
        self._columns = None

    def of(self, chapter: str) -> list[GameToWatch]:
        """A typical and an extreme game for a chapter; none where a strategy is code that nobody has trusted."""
        results, quantity = self._setting.results, QUANTITIES.get(chapter)
        asleep = any(strategy.asleep for strategy in results.table.strategies)
        if quantity is None or asleep or (quantity is GHOST and not self._setting.rules.ghost):
            return []
        if self._columns is None:
            self._columns = self._play()
        values = quantity.of(self._columns, self._setting.rules.ships)
        typical = int(np.abs(values - values.mean()).argmin())
        found = [self._game(typical, "a typical game", values, quantity)]
        extreme = int(values.argmax())
        if values[extreme] != values[typical]:
            found.append(self._game(extreme, f"{quantity.most} of the first {values.size:,}", values, quantity))
        return found

    def _play(self):
        results = self._setting.results
        is_slow = any(strategy.search for strategy in results.table.strategies)
        games = min(LOOKED_AT_WITH_SEARCH if is_slow else LOOKED_AT, results.games)
        compile_missing(results.table.strategies, RUN)
        work = chunks(results.first_game, games, CHUNK)
        played = play_in_order(results.table, work, default_threads(), keep_rows=True)
        return game_columns(np.concatenate([part.rows for part in played]), self._setting.rules.ships)

    def _game(self, row, name, values, quantity):
        table, game = self._setting.results.table, int(self._columns["game"][row])
        words = f"{name}: {quantity.words(int(values[row]))}"
        if says_all(table.rules, table.strategies) or not self._setting.folder:
            command = replay_command(table.rules, table.strategies, table.seed, game, table.luck)
        else:
            command = game_of(self._setting.folder, game)
        return GameToWatch(words, game, float(values[row]), command)

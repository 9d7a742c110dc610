"""Swings: how much the chances to win move at each throw, draw and battle of a game, and what decisions cost.

The chance to win, given everything drawn so far, is a martingale. Its squared steps, summed by source of luck, add up
to the variance of winning: no part is missing or counted twice. A chance is estimated by playing on with new luck.
Steps of independent estimates are multiplied, so that their noise cancels.

The engine marks every draw (`engine/luck.py`). A game that is played on keeps the original luck up to one of the marks.
Consecutive draws of one source are one step.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from jamaica_sim.engine.play_on import play_on, trace_on
from jamaica_sim.engine.state import LUCK_ROWS, NONE, RESULT_DTYPE, STATE_DTYPE
from jamaica_sim.errors import UserError
from jamaica_sim.files.limits import LUCK_SOURCES
from jamaica_sim.game.codes import DECISIONS
from jamaica_sim.play.chunks import Chunk, Worker, in_order, threads_or_all
from jamaica_sim.play.compile_ahead import CHANCES, RUN, WHAT_IF, compile_missing
from jamaica_sim.play.game_columns import win_shares
from jamaica_sim.play.game_table import GameTable
from jamaica_sim.play.positions import Capturer
from jamaica_sim.play.state_record import NO_GAME, field_in
from jamaica_sim.results.stats.estimate import Estimate
from jamaica_sim.results.stats.variance_shares import mean_of, share_of, swing_squares

OWN = LUCK_SOURCES.index("own")
PRIOR_GAMES = 20_000  # games that give the chances before the first draw
PRIOR_SEED = 1 << 41  # added to the seed, so that these are other games
ON_SEED = 1_000_003
CLEARLY = 1.0  # an answer must be better by this many standard errors to count as better


@dataclass(frozen=True)
class LuckSwings:
    """The variance of winning by source of luck. Each of `games` games is played on several times from every step."""

    games: int
    played_on: int
    shares: dict[str, Estimate]  # of the sum of all squared steps, largest first
    variance: Estimate  # the sum of all squared steps
    direct: Estimate  # the same from the results alone: mean squared distance from the chances before the first draw
    steps: dict[str, Estimate]  # steps in a game, by source
    largest: dict[str, Estimate]  # root mean square of one step of the source, as a change of one ship's chance
    squares: np.ndarray = field(repr=False, compare=False)  # by game and source, in the order of `LUCK_SOURCES`

    def together(self, *sources: str) -> Estimate:
        """The share of several sources."""
        columns = [LUCK_SOURCES.index(source) for source in sources]
        return share_of(self.squares[:, columns].sum(1), self.squares.sum(1))


def swings(table: GameTable, games: int = 200, played_on: int = 32, threads: int | None = None) -> LuckSwings:
    """Play games at a table, and play each on from every step of its luck, `played_on` times."""
    if games < 2 or played_on < 2:
        raise UserError("swings need at least 2 games, played on at least twice each.")
    compile_missing(table.strategies, (*WHAT_IF, *RUN))
    own = any(strategy.draws_luck for strategy in table.strategies)
    prior = chances_before(table)
    swingers = in_order(
        lambda: _Swinger(table, prior, played_on, own), _Swinger.squares, range(games), threads_or_all(threads)
    )
    squares, distances, counts = map(np.array, zip(*swingers, strict=True))
    whole = squares.sum(1)
    drawn = [i for i in range(len(LUCK_SOURCES)) if counts[:, i].any()]
    shares = {LUCK_SOURCES[i]: share_of(squares[:, i], whole) for i in drawn}
    ships = table.rules.ships
    return LuckSwings(
        games,
        played_on,
        dict(sorted(shares.items(), key=lambda item: -item[1].value)),
        mean_of(whole),
        mean_of(distances),
        {LUCK_SOURCES[i]: mean_of(counts[:, i]) for i in drawn},
        {LUCK_SOURCES[i]: _root(share_of(squares[:, i] / ships, counts[:, i])) for i in drawn},
        squares,
    )


def chances_before(table: GameTable, games: int = PRIOR_GAMES) -> np.ndarray:
    """Each ship's chance to win before anything is drawn, from other games."""
    other = replace(table, seed=table.seed + PRIOR_SEED)
    rows = Worker(other).play(Chunk(0, games), keep_rows=True).rows
    assert rows is not None  # they were wanted
    return win_shares(rows, table.rules.ships).mean(0)


def _root(square: Estimate) -> Estimate:
    value, low, high = (float(np.sqrt(max(x, 0.0))) for x in (square.value, square.low, square.high))
    return Estimate(value, low, high, square.n)


def steps_of(sources: np.ndarray, own: bool) -> list[tuple[int, int]]:
    """The source and the first draw of each step of a game's luck. The strategies' own draws count only if `own`."""
    steps: list[tuple[int, int]] = []
    for draw, source in enumerate(sources.tolist()):
        if (source != OWN or own) and (not steps or steps[-1][0] != source):
            steps.append((source, draw))
    return steps


class _Swinger(Capturer):
    """Plays a game with marks at every draw, and plays it on from each of its steps."""

    def __init__(self, table: GameTable, prior: np.ndarray | None, played_on: int, own: bool) -> None:
        super().__init__(table)
        self._prior, self._own = prior, own
        self._onward = np.zeros(played_on, RESULT_DTYPE)

    def squares(self, game: int) -> tuple[np.ndarray, float, np.ndarray]:
        """Of one game: the variance by source, the squared distance of its result from the prior, steps by source."""
        self.trace(game)
        drawn = int(self.state["luck_drawn"][0])
        if drawn > LUCK_ROWS:
            raise UserError(f"game {game} draws luck {drawn:,} times, more than the {LUCK_ROWS:,} that are kept.")
        result = win_shares(self._rows, self._table.rules.ships)[0]
        steps = steps_of(self.state["luck_source"][0, :drawn], self._own)
        paths = self._paths(game, steps, result)
        kinds = [source for source, _ in steps]
        squares = swing_squares(paths, kinds, len(LUCK_SOURCES))
        return squares, float(((result - self._prior) ** 2).sum()), np.bincount(kinds, minlength=len(LUCK_SOURCES))

    def _paths(self, game: int, steps: Sequence[tuple[int, int]], result: np.ndarray) -> np.ndarray:
        """Independent estimates of the chances before the first step and after each: one for each game played on."""
        between = np.flatnonzero(self.field("decision") == NONE)
        begun = self.field("luck_drawn")[between]
        start = self.records[between[0]].copy()
        paths = np.empty((len(self._onward), len(steps) + 1, len(result)))
        paths[:, 0], paths[:, -1] = self._prior, result
        for step, (_, next_draw) in enumerate(steps[1:], 1):
            if next_draw < begun[0]:  # only the first hands are dealt, before the Captain is drawn
                paths[:, step] = self._before_captain(game, start)
            else:
                index = between[int(np.searchsorted(begun, next_draw, side="right")) - 1]
                paths[:, step] = self._played_on(game, self.records, index, next_draw)
        return paths

    def _before_captain(self, game: int, start: np.ndarray) -> np.ndarray:
        """The chances when the hands are dealt and every player is the first Captain with equal chance."""
        players = self._table.rules.players
        starts = np.repeat(start[None], players, 0)
        for name, kind in (("captain", np.int64), ("first_captain", np.int16)):
            offset = field_in(STATE_DTYPE, name)[1]
            size = np.dtype(kind).itemsize
            starts[:, offset : offset + size] = np.arange(players, dtype=kind)[:, None].view(np.uint8)
        return np.mean([self._played_on(game, starts, captain, 0) for captain in range(players)], axis=0)

    def _played_on(self, game: int, positions: np.ndarray, index: int, renew_at: int) -> np.ndarray:
        """Each ship's share of the win in games played on from a position, with the game's own luck up to a draw."""
        state = self.state
        state["renew_at"] = renew_at
        try:
            played = trace_on(state, self._table.rulebook, positions, index, self._seed(game), 0, NONE, self._onward)
            if played < self._onward.size:
                state["error"] = 0
                raise self.fault("gave an answer that is not one of the legal options")
        finally:
            state["game"] = NO_GAME
        return win_shares(self._onward, self._table.rules.ships)

    def _seed(self, game: int, which: int = 0) -> int:
        """The seed of the luck of games played on."""
        return ((self._table.seed * ON_SEED + game) * 2 + which) % 2**62


@dataclass(frozen=True)
class Losses:
    """What decisions cost: the chance to win that a better answer would have added, for a player who sees all hands.

    An answer counts as better if it wins clearly more of the games played on. Other games measure how much better it
    is, so that chance does not exaggerate it. Losses that are not clear from the games played on are not counted.
    """

    games: int
    decisions: int  # decisions that were examined
    played_on: int
    together: Estimate  # points of win chance that one player loses in a game
    by_decision: dict[str, Estimate]  # the same by decision, most first
    asked: dict[str, Estimate]  # how often a player has a choice in a game


def losses(
    table: GameTable, games: int = 200, sampled: int = 10, played_on: int = 64, threads: int | None = None
) -> Losses:
    """Play games at a table, and each on from a few random decisions: with every answer, twice `played_on` times."""
    if games < 2 or sampled < 1 or played_on < 2:
        raise UserError("losses need at least 2 games, 1 decision of each, played on at least twice.")
    compile_missing(table.strategies, CHANCES)
    losers = in_order(lambda: _Loser(table, sampled, played_on), _Loser.lost, range(games), threads_or_all(threads))
    lost, asked = map(np.array, zip(*losers, strict=True))
    looked_at = int(np.minimum(asked.sum(1), sampled).sum())
    lost, asked = lost / table.rules.players, asked / table.rules.players
    kinds = [i for i in range(len(DECISIONS)) if asked[:, i].any()]
    found = {DECISIONS[i]: mean_of(lost[:, i]) for i in kinds}
    return Losses(
        games,
        looked_at,
        played_on,
        mean_of(lost.sum(1)),
        dict(sorted(found.items(), key=lambda item: -item[1].value)),
        {DECISIONS[i]: mean_of(asked[:, i]) for i in kinds},
    )


def loss_of(answers: np.ndarray, answer: int) -> float:
    """The chance to win that an answer lost: `answers[half, option]` has the results of games played on, in two halves.

    Each half says which answer is clearly better, on the same luck. The other half says how much better it is.
    """
    gains = answers - answers[:, answer : answer + 1]
    means = gains.mean(2)
    errors = gains.std(2, ddof=1) / np.sqrt(gains.shape[2])
    lost = 0.0
    for chooser in range(2):
        best = int(np.argmax(means[chooser] - CLEARLY * errors[chooser]))
        lost += means[1 - chooser, best] / 2
    return float(lost)


class _Loser(_Swinger):
    """Plays a game, and plays it on from some of its decisions."""

    def __init__(self, table: GameTable, sampled: int, played_on: int) -> None:
        super().__init__(table, None, played_on, True)
        self._sampled = sampled
        self._second = Worker(table).state  # without a trace, which is faster

    def lost(self, game: int) -> tuple[np.ndarray, np.ndarray]:
        """By kind of decision: the chance to win lost in one game, and how often the decision came up."""
        self.trace(game)
        kinds = self.field("decision")
        decided = np.flatnonzero(kinds != NONE)
        lost = np.zeros(len(DECISIONS))
        chosen = np.random.default_rng([self._table.seed, game]).permutation(decided)[: self._sampled]
        facts = {name: self.field(name) for name in ("legal", "me", "answer")}
        for index in chosen:
            legal, player, answer = (int(facts[name][index]) for name in ("legal", "me", "answer"))
            options = [option for option in range(legal.bit_length()) if legal >> option & 1]
            won = [[self._won(game, index, option, half)[:, player] for option in options] for half in range(2)]
            lost[kinds[index]] += loss_of(np.array(won), options.index(answer)) * len(decided) / len(chosen)
        return lost, np.bincount(kinds[decided], minlength=len(DECISIONS))

    def _won(self, game: int, index: int, answer: int, half: int) -> np.ndarray:
        state, rows, seed = self._second, self._onward, self._seed(game, half)
        if play_on(state, self._table.rulebook, self.records, index, seed, 0, np.int64(answer), rows) < rows.size:
            state["error"] = 0
            raise self.fault("gave an answer that is not one of the legal options")
        return win_shares(rows, self._table.rules.ships)

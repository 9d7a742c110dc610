"""Swings: how much the chances to win move at each throw, draw and battle of a game, and what decisions cost.

The chance to win, to one who knows all that has been drawn so far, is a martingale. Its squared steps, added up by
source of luck, are the variance of winning: nothing is left over, and nothing is counted twice. A chance is
estimated by playing on with new luck. Two independent estimates are multiplied, so that their noise does not count.

The engine marks every draw (`engine/luck.py`), and the games played on keep the game's own luck up to one of the marks.
Neighbouring draws of one source are one step.
"""

from dataclasses import dataclass, replace

import numpy as np

from jamaica_sim.causes.seating import win_shares
from jamaica_sim.codes import DECISIONS
from jamaica_sim.engine.play_on import play_on, trace_on
from jamaica_sim.engine.state import LUCK_ROWS, NONE, POSITION_BYTES, RESULT_DTYPE, STATE_DTYPE
from jamaica_sim.limits import LUCK_SOURCES
from jamaica_sim.play.chunks import Chunk, Tracer, Worker, default_threads
from jamaica_sim.play.compile_ahead import CHANCES, RUN, WHAT_IF, compile_missing
from jamaica_sim.play.game_table import GameTable
from jamaica_sim.play.state_record import NO_GAME
from jamaica_sim.play.worker_threads import in_order
from jamaica_sim.stats.estimate import Estimate
from jamaica_sim.stats.variance_shares import mean_of, share_of, swing_squares

FIRST_ROOM = 2048  # positions of a game, before its length is known
DECKS, CAPTAIN, OWN = (LUCK_SOURCES.index(name) for name in ("decks", "captain", "own"))
PRIOR_GAMES = 20_000  # from which the chances before the first draw are known
PRIOR_SEED = 1 << 41  # added to the seed, so that these are other games
ON_SEED = 1_000_003


@dataclass(frozen=True)
class Swings:
    """The variance of winning by source of luck, from so many games, each played on so often from each step."""

    games: int
    played_on: int
    shares: dict[str, Estimate]  # of the sum of all squared steps, largest first
    variance: Estimate  # the sum of all squared steps
    direct: Estimate  # the same from the results alone: mean squared distance from the chances before the first draw
    steps: dict[str, Estimate]  # steps in a game, by source
    largest: dict[str, Estimate]  # root mean square of one step of the source, as a change of one ship's chance


def swings(
    table: GameTable, games: int = 200, played_on: int = 8, first: int = 0, threads: int | None = None, progress=None
) -> Swings:
    """Play games at a table, and each on from every step of its luck, twice `played_on` times."""
    if games < 2 or played_on < 1:
        raise ValueError("swings need at least 2 games, played on at least once each.")
    compile_missing(table.strategies, (*WHAT_IF, *RUN))
    own = any(strategy.draws_luck for strategy in table.strategies)
    prior = chances_before(table)
    squares, distances, counts = [], [], []
    for found in in_order(
        lambda: _Swinger(table, prior, played_on, own),
        _Swinger.squares,
        range(first, first + games),
        threads or default_threads(),
    ):
        for column, values in zip((squares, distances, counts), found, strict=True):
            column.append(values)
        if progress is not None:
            progress(len(squares))
    squares, distances, counts = np.array(squares), np.array(distances), np.array(counts, float)
    whole = squares.sum(1)
    drawn = [i for i in range(len(LUCK_SOURCES)) if counts[:, i].any()]
    shares = {LUCK_SOURCES[i]: share_of(squares[:, i], whole) for i in drawn}
    ships = table.rules.ships
    return Swings(
        games,
        played_on,
        dict(sorted(shares.items(), key=lambda item: -item[1].value)),
        mean_of(whole),
        mean_of(distances),
        {LUCK_SOURCES[i]: mean_of(counts[:, i]) for i in drawn},
        {LUCK_SOURCES[i]: _root(share_of(squares[:, i] / ships, counts[:, i])) for i in drawn},
    )


def chances_before(table: GameTable, games: int = PRIOR_GAMES) -> np.ndarray:
    """Each ship's chance to win before anything is drawn, from other games."""
    other = replace(table, seed=table.seed + PRIOR_SEED)
    rows = Worker(other).play(Chunk(0, games), keep_rows=True).rows
    return win_shares(rows, table.rules.ships).mean(0)


def _root(square: Estimate) -> Estimate:
    value, low, high = (float(np.sqrt(max(x, 0.0))) for x in (square.value, square.low, square.high))
    return Estimate(value, low, high, square.n)


def steps_of(sources: np.ndarray, own: bool) -> list[tuple[int, int]]:
    """The steps of a game's luck: source and first draw of each; what strategies draw themselves only if `own`."""
    steps = []
    for draw, source in enumerate(sources.tolist()):
        if (source != OWN or own) and (not steps or steps[-1][0] != source):
            steps.append((source, draw))
    return steps


class _Swinger(Tracer):
    """Plays a game with marks at every draw, and on from each of its steps."""

    def __init__(self, table, prior, played_on, own):
        super().__init__(table)
        self._prior, self._own = prior, own
        self._room = np.zeros((FIRST_ROOM, POSITION_BYTES), np.uint8)
        self._onward = np.zeros(played_on, RESULT_DTYPE)

    def squares(self, game: int):
        """By source what one game adds to the variance, how far its result is from the prior, how many steps it has."""
        positions, sources, result = self._play_through(game)
        steps = steps_of(sources, self._own)
        paths = [self._path(game, positions, steps, result, which) for which in range(2)]
        kinds = [source for source, _ in steps]
        squares = swing_squares(*paths, kinds, len(LUCK_SOURCES))
        return squares, float(((result - self._prior) ** 2).sum()), np.bincount(kinds, minlength=len(LUCK_SOURCES))

    def _play_through(self, game):
        """The positions between the rounds, the source of every draw, and the result."""
        while True:
            state = self._state
            state["capture"], state["capture_room"] = self._room.ctypes.data, len(self._room)
            state["capture_bytes"], state["captured"], state["renew_at"] = POSITION_BYTES, 0, 0
            self.trace(game)
            taken, drawn = int(state["captured"][0]), int(state["luck_drawn"][0])
            if drawn > LUCK_ROWS:
                raise ValueError(f"game {game} draws luck {drawn:,} times, more than the {LUCK_ROWS:,} that are kept.")
            if taken < len(self._room):
                break
            self._room = np.zeros((4 * len(self._room), POSITION_BYTES), np.uint8)
        state["capture_room"] = 0
        captured = self._room[:taken]
        positions = np.ascontiguousarray(captured[position_field(captured, "decision") == NONE])
        result = win_shares(self._rows, self._table.rules.ships)[0]
        return positions, state["luck_source"][0, :drawn].copy(), result

    def _path(self, game, positions, steps, result, which):
        """The chances before the first step and after each; `which` of two independent estimates."""
        begun = position_field(positions, "luck_drawn")
        chances = [self._prior]
        for _, next_draw in steps[1:]:
            if next_draw < begun[0]:  # only the first hands are dealt, before the Captain is drawn
                chances.append(self._before_captain(game, positions[0], which))
            else:
                index = int(np.searchsorted(begun, next_draw, side="right")) - 1
                chances.append(self._chance(game, positions, index, next_draw, which))
        return np.array([*chances, result])

    def _before_captain(self, game, start, which):
        """The chances when the hands are dealt and every player is the first Captain with equal chance."""
        players = self._table.rules.players
        starts = np.repeat(start[None], players, 0)
        for name, kind in (("captain", np.int64), ("first_captain", np.int16)):
            offset = STATE_DTYPE.fields[name][1]
            size = np.dtype(kind).itemsize
            starts[:, offset : offset + size] = np.arange(players, dtype=kind)[:, None].view(np.uint8)
        return np.mean([self._chance(game, starts, captain, 0, which) for captain in range(players)], axis=0)

    def _chance(self, game, positions, index, renew_at, which):
        """Each ship's chance from a position on, with the game's own luck up to a draw."""
        state = self._state
        state["renew_at"] = renew_at
        seed = ((self._table.seed * ON_SEED + game) * 2 + which) % 2**62
        try:
            played = trace_on(state, self._table.rulebook, positions, index, seed, 0, NONE, self._onward)
            if played < self._onward.size:
                state["error"] = 0
                raise self.fault("gave an answer that is not one of the legal options")
        finally:
            state["game"] = NO_GAME
        return win_shares(self._onward, self._table.rules.ships).mean(0)


def position_field(positions: np.ndarray, name: str) -> np.ndarray:
    """One field of captured positions."""
    dtype, offset = STATE_DTYPE.fields[name]
    return np.ascontiguousarray(positions[:, offset : offset + dtype.itemsize]).view(dtype.base)[:, 0]


@dataclass(frozen=True)
class Losses:
    """What decisions cost: the chance to win that a better answer would have brought, to one who sees all hands.

    The better answer is chosen by one estimate and judged by another, so that chance does not make it look better.
    """

    games: int
    played_on: int
    by_decision: dict[str, Estimate]  # points of win chance that one player loses in a game
    asked: dict[str, Estimate]  # how often a player is asked in a game


def losses(
    table: GameTable,
    games: int = 200,
    sampled: int = 10,
    played_on: int = 32,
    first: int = 0,
    threads: int | None = None,
    progress=None,
) -> Losses:
    """Play games at a table, and on from a few decisions of each, drawn at random, with every answer."""
    compile_missing(table.strategies, CHANCES)
    lost, asked = [], []
    threads = threads or default_threads()
    for one_lost, one_asked in in_order(
        lambda: _Loser(table, sampled, played_on), _Loser.lost, range(first, first + games), threads
    ):
        lost.append(one_lost)
        asked.append(one_asked)
        if progress is not None:
            progress(len(lost))
    lost, asked = np.array(lost) / table.rules.players, np.array(asked) / table.rules.players
    kinds = [i for i in range(len(DECISIONS)) if asked[:, i].any()]
    found = {DECISIONS[i]: mean_of(lost[:, i]) for i in kinds}
    return Losses(
        games,
        played_on,
        dict(sorted(found.items(), key=lambda item: -item[1].value)),
        {DECISIONS[i]: mean_of(asked[:, i]) for i in kinds},
    )


class _Loser(_Swinger):
    """Plays a game, and on from some of its decisions."""

    def __init__(self, table, sampled, played_on):
        super().__init__(table, None, played_on, True)
        self._sampled = sampled
        self._second = Worker(table)._state

    def lost(self, game: int):
        """By decision what was lost in one game, and how often was asked."""
        self._play_through(game)
        captured = self._room[: int(self._state["captured"][0])]
        kinds = position_field(captured, "decision")
        decided = np.flatnonzero(kinds != NONE)
        lost = np.zeros(len(DECISIONS))
        chosen = np.random.default_rng([self._table.seed, game]).permutation(decided)[: self._sampled]
        for index in chosen:
            lost[kinds[index]] += self._loss(game, captured, index) * len(decided) / len(chosen)
        return lost, np.bincount(kinds[decided], minlength=len(DECISIONS))

    def _loss(self, game, captured, index):
        one = captured[index : index + 1]
        legal, player, answer = (int(position_field(one, name)[0]) for name in ("legal", "me", "answer"))
        options = [option for option in range(legal.bit_length()) if legal >> option & 1]
        chosen_by, judged_by = (
            {option: self._won(game, captured, index, option, which)[player] for option in options}
            for which in range(2)
        )
        best = max(options, key=lambda option: (chosen_by[option], option == answer))
        return judged_by[best] - judged_by[answer]

    def _won(self, game, captured, index, answer, which):
        seed = ((self._table.seed * ON_SEED + game) * 2 + which) % 2**62
        state, rows = self._second, self._onward
        if play_on(state, self._table.rulebook, captured, index, seed, 0, np.int64(answer), rows) < rows.size:
            state["error"] = 0
            raise self.fault("gave an answer that is not one of the legal options")
        return win_shares(rows, self._table.rules.ships).mean(0)

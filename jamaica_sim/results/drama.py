"""How exciting games are: when the winner is decided, how the chances swing, who still has hope, how long one waits.

Each ship's chance to win before every round is estimated from its position. The estimate is fitted to who won, on the
other half of the games, so it is calibrated for the very rules and players in question. Whether a choice matters is
found by playing on with each answer for the rest of its round and one more, and estimating the chances then.
"""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from threading import Event
from typing import Any

import numpy as np

from jamaica_sim.engine.state import CHOICE_ROWS, NONE, POSITION_BYTES, POSITION_DTYPE, RESULT_DTYPE
from jamaica_sim.errors import UserError
from jamaica_sim.game.codes import FOOD, GOLD, GUNPOWDER
from jamaica_sim.play.chunks import Chunk, Tracer, chunks, in_order, threads_or_all
from jamaica_sim.play.compile_ahead import REPLAY, WHAT_IF, compile_missing
from jamaica_sim.play.game_columns import win_shares
from jamaica_sim.play.game_table import GameTable, seat_table
from jamaica_sim.play.positions import Foresight
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.results.stats.estimate import Estimate, jackknife

GAMES = 2_000  # that are looked at, if nothing else is said
FEWEST = 200  # games, to fit the judgement
ROOM = 8_192  # positions that are kept at a time
BATCH = 32  # games at a time
LATE = 8.0  # spaces before the finish at which it is half late
PLENTY = 4.0  # food or gunpowder that is half as good as an endless supply
PARTS = 50
HOPE = 0.1
RIDGE = 1e-4
STEPS = 12
MATTER, KINGMAKING = "matter", "kingmaking"
BY_CHOICES = (MATTER, KINGMAKING)  # measures that judge choices
MATTERS = 0.01  # a chance
NO_HOPE, CROWNS = 0.01, 0.1  # a chance that is as good as none; a change of another's chance that decides
CHOICES = 500  # that are judged, one of a game
JUDGED_GAMES, JUDGED_ROUNDS = 64, 1  # games that are played on with each answer, and rounds after the present one
FIRST_SHARE = 0.2  # of the time, until choices are judged
JUDGE = "master"  # who plays on: the strongest of the fast ones
WORDS = {
    "decided": "share of rounds until the eventual winner's chance stays above one half",
    "decided_round": "rounds until the eventual winner's chance stays above one half",
    "tension": "share of the chances to win that changes hands in a round",
    "favourites": "changes of favourite",
    "hope": "share of rounds until the eventual last ship's chance stays below 10%",
    "waiting": "others' choices between two of one's own",
    MATTER: "share of choices whose best answer is at least one percentage point better than the next",
    KINGMAKING: "share of choices of a ship below 1% that move another's chance by at least 10 percentage points",
}
SHARES = ("decided", "tension", "hope", MATTER, KINGMAKING)


@dataclass(frozen=True, eq=False)
class Drama:
    """The measures of some games: for each name its total and how many games it has, in each of `PARTS` parts."""

    games: int
    totals: dict[str, np.ndarray]
    counts: dict[str, np.ndarray]
    calibration: list[tuple[float, float, int]]  # by tenths: mean judged chance, share of wins, number of chances

    def sums(self, name: str) -> np.ndarray:
        """A mean over all games, and over all games but one part, for differences on the same deals."""
        totals, counts = self.totals[name], self.counts[name]
        return np.append(totals.sum(), totals.sum() - totals) / np.append(counts.sum(), counts.sum() - counts)

    def of(self, name: str) -> Estimate:
        """A measure with its interval."""
        return jackknife(self.sums(name), int(self.counts[name].sum()))

    def tables(self) -> list[ResultTable]:
        """The measures as tables: shares, and counts."""
        note = "chances to win before each round, estimated from the position and fitted to these rules"
        shares = [(WORDS[name], self.of(name)) for name in self.totals if name in SHARES]
        counts = [(WORDS[name], self.of(name)) for name in self.totals if name not in SHARES]
        return [
            ResultTable("Tension", ("of a game", "share"), shares, frozenset({"share"}), note),
            ResultTable("Tension in numbers", ("per game", "mean"), counts, frozenset(), note),
        ]

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for a file."""
        lists = {kind: {n: v.tolist() for n, v in getattr(self, kind).items()} for kind in ("totals", "counts")}
        return {"games": self.games, **lists, "calibration": self.calibration}


def drama_of(plain: Any) -> Drama | None:
    """The drama that `as_dict` describes; None where it is none."""
    try:
        names = [name for name in WORDS if name not in BY_CHOICES or name in plain["totals"]]
        totals, counts = ({n: np.array(plain[kind][n], float) for n in names} for kind in ("totals", "counts"))
        shapes = {array.shape for arrays in (totals, counts) for array in arrays.values()}
        calibration = [(float(a), float(b), int(n)) for a, b, n in plain["calibration"]]
        is_sound = shapes == {(PARTS,)} and all(np.isfinite(a).all() for a in (*totals.values(), *counts.values()))
        return Drama(int(plain["games"]), totals, counts, calibration) if is_sound else None
    except (TypeError, KeyError, ValueError, OverflowError):
        return None


@dataclass(frozen=True)
class Snapshots:
    """Some games: `facts[snapshot, ship, fact]` before each round, and the result."""

    games: np.ndarray  # of each snapshot
    facts: np.ndarray
    rows: np.ndarray  # result rows, one for each game
    waiting: np.ndarray  # for each game: choices of others between two of one's own, on average; nan where none
    choices: np.ndarray  # the position before one choice of each game that has any, drawn at random: its bytes


class RoundTracer(Tracer):
    """Plays games and keeps the positions between their rounds."""

    def __init__(self, table: GameTable) -> None:
        super().__init__(table)
        self._records = np.zeros(ROOM, POSITION_DTYPE)

    def snapshots(self, chunk: Chunk) -> list[Snapshots]:
        """The snapshots of some games; of its halves where they do not fit."""
        state = self.state
        state["trace_length"], state["choices_noted"] = 0, 0
        self.capture(self._records)
        rows = np.zeros(chunk.games, RESULT_DTYPE)
        played = self.play_rows(self._table.rulebook, chunk.first, rows)
        taken, choices = self.captured, int(state["choices_noted"][0])
        if chunk.games > 1 and (played < chunk.games or taken >= ROOM or choices >= CHOICE_ROWS):
            half = chunk.games // 2
            later = Chunk(chunk.first + half, chunk.games - half)
            return self.snapshots(Chunk(chunk.first, half)) + self.snapshots(later)
        captured = self._records[:taken]
        positions, decisions = (captured[(captured["decision"] == NONE) == none] for none in (True, False))
        asked = state["choices"][0, :choices]
        waiting = [_waiting(asked["player"][asked["game"] == game]) for game in rows["game"]]
        drawn = [_one_of(np.flatnonzero(decisions["game"] == game), int(game)) for game in rows["game"]]
        choices = decisions[[one for one in drawn if one is not None]].view(np.uint8).reshape(-1, POSITION_BYTES)
        return [Snapshots(positions["game"].copy(), facts_of(positions, self._table), rows, np.array(waiting), choices)]


def _one_of(choices: np.ndarray, game: int) -> int | None:
    """One of the choices of a game, the same each time."""
    return int(choices[Random(game).randrange(choices.size)]) if choices.size else None


def _waiting(players: np.ndarray) -> float:
    """Choices of others between two of one's own, averaged over all such pairs of a game."""
    gaps = [np.diff(np.flatnonzero(players == player)) - 1 for player in np.unique(players)]
    every = np.concatenate(gaps) if gaps else np.zeros(0)
    return float(every.mean()) if every.size else float("nan")


def facts_of(positions: np.ndarray, table: GameTable) -> np.ndarray:
    """The facts about each ship from which its chance is judged, `[snapshot, ship, fact]`."""
    book, ships, players = table.rulebook[0], table.rules.ships, table.rules.players
    who = np.arange(ships)
    to_go = 0.1 * positions["to_go"][:, :ships]
    space, lap = positions["space"][:, :ships], positions["lap"][:, :ships]
    stock = positions["stock"][:, :ships].astype(float)
    at_start = (lap < 0) | ((lap == 0) & (space == 0))
    place = np.where(at_start, table.rules.start_score, book["score"][space])
    treasures = _bits(positions["hidden"][:, :ships], len(book["treasure_value"])) @ book["treasure_value"]
    hands = _bits(positions["hands"][:, :ships], len(book["forward_symbols"]))
    points = 0.1 * (place + stock[..., GOLD] + treasures)
    late = (LATE / (LATE + 10 * to_go.min(axis=1)))[:, None]
    food, powder = stock[..., FOOD], stock[..., GUNPOWDER]
    is_ghost = np.broadcast_to(who >= players, to_go.shape).astype(float)
    turn = np.where(who < players, (who - positions["captain"][:, None]) % players, 0)
    powers = _bits(positions["powers"][:, :ships], len(book["treasure_value"])).sum(axis=-1)
    return np.stack(
        [
            to_go, to_go**2, to_go * late, to_go - _least_other(to_go), points, points * late, points * late**3,
            points - _largest_other(points), food / (food + PLENTY), late * food / (food + PLENTY),
            powder / (powder + PLENTY), 0.1 * stock[..., GOLD], hands @ book["forward_symbols"],
            late * (hands @ book["forward_symbols"]), hands @ book["load_symbols"], (1 - late) * powers,
            turn, is_ghost, is_ghost * to_go, is_ghost * late,
        ],
        axis=-1,
    )  # fmt: skip


def _bits(sets: np.ndarray, members: int) -> np.ndarray:
    return (sets[..., None] >> np.arange(members) & 1).astype(float)


def _least_other(values: np.ndarray) -> np.ndarray:
    """For each ship, the least value of the others."""
    both = np.sort(values, axis=1)[:, :2]
    return np.where(values == both[:, :1], both[:, 1:], both[:, :1])


def _largest_other(values: np.ndarray) -> np.ndarray:
    return -_least_other(-values)


def measure_drama(
    table: GameTable,
    games: int = GAMES,
    first_game: int = 0,
    threads: int | None = None,
    progress: Callable[[int], object] | None = None,
    stop: Event | None = None,
    *,
    matter: bool = True,
) -> Drama | None:
    """The drama of some games; None where `stop` ended the play. Judging choices (`matter`) takes most of the time."""
    if games < FEWEST:
        raise UserError(f"the tension of a game is judged from at least {FEWEST} games, not {games}.")
    judges = seat_table(table.rules, JUDGE, table.seed)
    compile_missing([*table.strategies, *(judges.strategies if matter else ())], WHAT_IF if matter else REPLAY)
    threads = threads_or_all(threads)
    first_share = FIRST_SHARE if matter else 1.0  # of the time
    snapshots: list[Snapshots] = []
    done = 0
    work = list(chunks(first_game, games, BATCH))
    for parts in in_order(lambda: RoundTracer(table), RoundTracer.snapshots, work, threads, stop):
        snapshots += parts
        done += sum(part.rows.size for part in parts)
        if progress is not None:
            progress(int(done * first_share))
    if done < games:
        return None
    values, fits, calibration = _values(snapshots, table.rules.ships)
    if matter:
        choices = np.concatenate([part.choices for part in snapshots])
        choices = choices[np.linspace(0, len(choices) - 1, min(len(choices), CHOICES)).astype(int)]
        numbers = choices.view(POSITION_DTYPE)["game"][:, 0] - first_game
        tasks = [(choice, fits[number % 2]) for choice, number in zip(choices, numbers, strict=True)]
        values |= {name: np.full(games, np.nan) for name in BY_CHOICES}
        done = 0
        for own, others in in_order(lambda: Foresight(judges), _chances_after, tasks, threads, stop):
            values[MATTER][numbers[done]] = _gap(own) >= MATTERS
            values[KINGMAKING][numbers[done]] = own.max() < NO_HOPE and _sway(others) >= CROWNS
            done += 1
            if progress is not None:
                progress(int(games * (first_share + (1 - first_share) * done / len(tasks))))
        if done < len(tasks):
            return None
    part = np.arange(games) * PARTS // games
    there = {name: ~np.isnan(column) for name, column in values.items()}
    totals = {name: np.bincount(part, np.where(there[name], v, 0.0), PARTS) for name, v in values.items()}
    counts = {name: np.bincount(part, there[name], PARTS) for name in values}
    return Drama(games, totals, counts, calibration)


def _chances_after(foresight: Foresight, task: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """A player's chance with each answer to a choice, and those of all other ships in each game played on."""
    choice, coefficients = task
    position, every = foresight.ends(choice, JUDGED_GAMES, JUDGED_ROUNDS)
    chances = []
    for ends in every:
        judged = _chances(facts_of(ends, foresight.table), coefficients)
        won = win_shares(ends, foresight.table.rules.ships)
        chances.append(np.where((ends["finished_ships"] != 0)[:, None], won, judged))
    of_all = np.array(chances)  # answers, games, ships
    return of_all[:, :, position.player].mean(axis=1), np.delete(of_all, position.player, axis=2)


def _gap(own: np.ndarray) -> float:
    """How much better a player's chance is with the best answer to a choice than with the next."""
    second, best = np.sort(own)[-2:]
    return float(best - second)


def _sway(others: np.ndarray) -> float:
    """How far two answers move the chance of another ship apart: found in half of the games, measured in the rest."""
    found, measured = others[:, ::2].mean(axis=1), others[:, 1::2].mean(axis=1)
    ship = np.ptp(found, axis=0).argmax()
    return float(measured[found[:, ship].argmax(), ship] - measured[found[:, ship].argmin(), ship])


def _values(
    snapshots: list[Snapshots], ships: int
) -> tuple[dict[str, np.ndarray], list[np.ndarray], list[tuple[float, float, int]]]:
    """The measures of each game; how chances are judged in games of even and odd numbers; and their calibration."""
    rows = np.concatenate([part.rows for part in snapshots])
    games = np.concatenate([part.games for part in snapshots])
    facts = np.concatenate([part.facts for part in snapshots])
    number = np.searchsorted(rows["game"], games)  # of the game, from 0
    shares = win_shares(rows, ships)
    won = shares[number]
    chances, fits = np.zeros(won.shape), []
    for half in (0, 1):  # fitted on one half of the games, used on the other
        used = number % 2 == half
        fits.append(_fit(facts[~used], won[~used]))
        chances[used] = _chances(facts[used], fits[half])
    starts = np.searchsorted(number, np.arange(rows.size + 1))
    of_games = [
        _of_game(chances[a:b], shares[game], rows["score"][game, :ships])
        for game, (a, b) in enumerate(zip(starts[:-1], starts[1:], strict=True))
    ]
    values = {name: np.array([one[name] for one in of_games]) for name in of_games[0]}
    values["waiting"] = np.concatenate([part.waiting for part in snapshots])
    return values, fits, _calibration(chances.ravel(), won.ravel())


def _calibration(chances: np.ndarray, won: np.ndarray) -> list[tuple[float, float, int]]:
    """How often those won who were given a chance, by tenths of the chance."""
    tenth = np.minimum((10 * chances).astype(int), 9)
    among = [tenth == number for number in range(10) if (tenth == number).any()]
    return [(float(chances[those].mean()), float(won[those].mean()), int(those.sum())) for those in among]


def _of_game(chances: np.ndarray, won: np.ndarray, scores: np.ndarray) -> dict[str, float]:
    """The measures of one game, from the chances before each round and the result."""
    rounds = len(chances)
    course = np.vstack([chances, won])
    winner = int(won.argmax())
    behind = np.flatnonzero(course[:, winner] <= 0.5)  # before these rounds the winner was not yet sure
    favourites = chances.argmax(axis=1)
    last = int(scores.argmin())
    hopeful = np.flatnonzero(chances[:, last] >= HOPE)
    decided = min(behind[-1] + 1, rounds) if behind.size else 0
    return {
        "decided": decided / rounds,
        "decided_round": float(decided),
        "tension": float(np.abs(np.diff(course, axis=0)).sum(axis=1).mean() / 2),
        "favourites": float((np.diff(favourites) != 0).sum()),
        "hope": (hopeful[-1] + 1) / rounds if hopeful.size else 0.0,
    }


def _chances(facts: np.ndarray, coefficients: np.ndarray) -> np.ndarray:
    strength = facts @ coefficients
    share = np.exp(strength - strength.max(axis=1, keepdims=True))
    return share / share.sum(axis=1, keepdims=True)


def _fit(facts: np.ndarray, won: np.ndarray) -> np.ndarray:
    """The coefficients of a conditional logit with the greatest likelihood, by Newton's method."""
    scale = facts.std(axis=(0, 1))
    x = facts / np.where(scale > 0, scale, 1)
    count, coefficients = len(x), np.zeros(x.shape[2])
    for _ in range(STEPS):
        p = _chances(x, coefficients)
        mean = (x * p[..., None]).sum(axis=1)
        gradient = np.einsum("nsf,ns->f", x, won - p) / count - RIDGE * coefficients
        hessian = np.einsum("nsf,nsg,ns->fg", x, x, p, optimize=True) - mean.T @ mean
        step = np.linalg.solve(hessian / count + RIDGE * np.eye(x.shape[2]), gradient)
        coefficients += step
        if np.abs(step).max() < 1e-4:
            break
    return coefficients / np.where(scale > 0, scale, 1)

"""Labelled decisions: positions from games of mixed players, what search says each option is worth, for the trainer.

A label is a view with its options and the mean value of each on the same deals. It is made from the rules, the players
and a seed alone, so the same labels come out on any machine. The trainer reads, for each decision, the rows of its
context, of each option, and the values.
"""

import io
import zipfile
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from jamaica_sim.engine.rulebook import rulebook_of
from jamaica_sim.engine.state import RESULT_DTYPE
from jamaica_sim.engine.view import VIEW_DTYPE
from jamaica_sim.files.user_files import read_plain_file
from jamaica_sim.game.codes import (
    CHOOSE_CARD,
    CHOOSE_SPACE,
    DECISIONS,
    GHOST_DIRECTION,
    GHOST_LOOT,
    GHOST_SPACE,
    GHOST_TARGET,
    PLACE_DICE,
)
from jamaica_sim.game.rules import Rules
from jamaica_sim.play.state_record import GamePlayer, Seats
from jamaica_sim.strategy.house.compile import in_force
from jamaica_sim.strategy.net.facts import MOST_FACTS
from jamaica_sim.strategy.net.forward import ARRAYS, FIRST, SECOND
from jamaica_sim.strategy.net.layout import LEARNED, ROWS
from jamaica_sim.strategy.search.searcher import MOST_OPTIONS
from jamaica_sim.strategy.strategy import Strategy
from jamaica_sim.study.train.compiled import BATCH, SIZES, label_all, note_all, train_batches

LABEL = np.dtype(
    [
        ("asked", VIEW_DTYPE),
        ("options", "i8"),  # how many
        ("option", "i8", (MOST_OPTIONS,)),
        ("value", "f4", (MOST_OPTIONS,)),
    ],
    align=True,
)
ROOM = 4_000  # decisions kept of a game at most
GAMES_A_LOT = 1 << 16  # numbers of games that belong to a lot: far more than it takes
# The shares of the decisions that are labelled, by decision point: fewer of those that matter little or come up often.
KEPT = np.full(len(DECISIONS), 0.5)
KEPT[[PLACE_DICE, GHOST_TARGET, GHOST_LOOT]] = 1.0
KEPT[[CHOOSE_CARD, CHOOSE_SPACE, GHOST_DIRECTION, GHOST_SPACE]] = 0.3, 0.25, 0.3, 0.3


class LabelMaker:
    """Makes labels for one kind of table: who plays, with which shares of the seats, and who searches."""

    def __init__(self, rules: Rules, players: Sequence[Strategy], shares: Sequence[float], teacher: Strategy) -> None:
        self._rules, self._rulebook = rules, in_force(rulebook_of(rules), rules)
        self.players, self._shares, self._teacher = list(players), shares, teacher
        self.player = GamePlayer(rules, [self.players[0]] * rules.players, 0)
        self._seats = Seats(self.players, rules)
        teacher.addresses()  # writes the heuristic's address into the record
        self._search = teacher.weights_for(rules.components.treasures)

    def make(self, seed: int, lot: int, size: int) -> np.ndarray:
        """`size` labels: a lot of the games of a seed. Lots have different games."""
        labels = np.zeros(size, LABEL)
        views = self._positions(np.random.default_rng((seed, lot)), seed, lot * GAMES_A_LOT, size)
        label_all(views, labels, self._rulebook, self._search)
        labels["asked"] = views
        return labels

    def _positions(self, random: np.random.Generator, seed: int, first: int, size: int) -> np.ndarray:
        kept, many, game = [], 0, first
        while many < size:
            views = self._views(random, seed, game)
            share = KEPT[views["decision"]]
            is_planned = (views["decision"] == CHOOSE_CARD) & (views["plan"] != 0)
            chosen = np.isin(views["decision"], LEARNED) & ~is_planned & (random.random(views.size) < share)
            kept.append(views[chosen])
            many += int(chosen.sum())
            game += 1
        return np.concatenate(kept)[:size]

    def _views(self, random: np.random.Generator, seed: int, game: int) -> np.ndarray:
        """All views of one game with players drawn for its seats."""
        seating = random.choice(len(self.players), self._rules.players, p=self._shares)
        player, views = self.player, np.zeros(ROOM, VIEW_DTYPE)
        player.seed = seed
        player.sit(self._seats, seating.tolist())
        player.capture(views)
        player.play_rows(self._rulebook, game, np.zeros(1, RESULT_DTYPE))
        return views[: player.captured]


KINDS = {"rows": np.int16, "numbers": np.float32, "lists": np.int64, "firsts": np.int64, "values": np.float32}
LARGEST_FILE = 2**26  # bytes


@dataclass(frozen=True)
class Examples:
    """Decisions in flat arrays: list `i` of facts is `rows[lists[i] : lists[i + 1]]`, with their numbers.

    Decision `d` has its context in list `firsts[d]` and its options in the lists after that, up to `firsts[d + 1]`. The
    entries of `values` belong to the lists; that of a context is not used.
    """

    rows: np.ndarray
    numbers: np.ndarray
    lists: np.ndarray
    firsts: np.ndarray
    values: np.ndarray

    @property
    def size(self) -> int:
        """How many decisions there are."""
        return self.firsts.size - 1


def examples_of(labels: np.ndarray, rules: Rules, weights: np.ndarray) -> Examples:
    """The examples of some labels of one kind of table. `weights` is a record of the heuristic's weights."""
    many = labels.size + int(labels["options"].sum())
    rows, numbers = np.zeros(many * MOST_FACTS, np.int16), np.zeros(many * MOST_FACTS, np.float32)
    lists, firsts = np.zeros(many + 1, np.int64), np.zeros(labels.size + 1, np.int64)
    values = np.zeros(many, np.float32)
    views = np.ascontiguousarray(labels["asked"])
    noted = note_all(views, labels, rulebook_of(rules), weights, rows, numbers, lists, firsts, values)
    return Examples(rows[:noted].copy(), numbers[:noted].copy(), lists, firsts, values)


def write_examples(examples: Examples) -> bytes:
    """The content of a file with these examples."""
    content = io.BytesIO()
    np.savez_compressed(content, **{name: getattr(examples, name) for name in KINDS})
    return content.getvalue()


def read_examples(path: Path) -> Examples | None:
    """The examples in a file; None where there is no file, or not a valid one: the trainer goes where they point."""
    try:
        with np.load(io.BytesIO(read_plain_file(path, LARGEST_FILE)), allow_pickle=False) as arrays:
            examples = Examples(**{name: arrays[name] for name in KINDS})
    except (OSError, ValueError, LookupError, EOFError, RuntimeError, zipfile.BadZipFile, zlib.error):
        return None
    return examples if _is_sound(examples) else None


def _is_sound(e: Examples) -> bool:
    """Whether every index points into the array that it is for, and every number is one."""
    if any(getattr(e, name).dtype != kind or getattr(e, name).ndim != 1 for name, kind in KINDS.items()):
        return False
    if e.firsts.size < 1 or e.lists.size != e.values.size + 1 or e.rows.size != e.numbers.size:
        return False
    options = np.diff(e.firsts) - 1
    return bool(
        (e.firsts[0], e.firsts[-1], e.lists[0], e.lists[-1]) == (0, e.values.size, 0, e.rows.size)
        and (np.diff(e.lists) >= 0).all()
        and ((options >= 1) & (options <= MOST_OPTIONS)).all()
        and ((e.rows >= 0) & (e.rows < ROWS)).all()
        and np.isfinite(e.numbers).all()
        and np.isfinite(e.values).all()
    )


def together(parts: list[Examples]) -> Examples:
    """Several lots of examples as one."""
    facts = np.cumsum([0, *(part.rows.size for part in parts)])
    lists = np.cumsum([0, *(part.values.size for part in parts)])
    return Examples(
        np.concatenate([part.rows for part in parts]),
        np.concatenate([part.numbers for part in parts]),
        np.concatenate([*(part.lists[:-1] + more for part, more in zip(parts, facts, strict=False)), facts[-1:]]),
        np.concatenate([*(part.firsts[:-1] + more for part, more in zip(parts, lists, strict=False)), lists[-1:]]),
        np.concatenate([part.values for part in parts]),
    )


# The trainer finds the net whose scores order the options as the search does. The loss of a decision is the squared
# error of the centred scores against SCALE times the centred values, less PICK times the expected value under
# softmax(score / HEAT). The second term is linear in the values, so that their noise does not bias it. Adam with
# decoupled decay; the rate falls with a cosine.

STEPS_AT_ONCE = 200  # batches between two looks at progress


def new_parameters(seed: int) -> np.ndarray:
    """Random parameters to begin with."""
    random = np.random.default_rng(seed)
    spreads = {"rows": 0.15, "second": (2 / FIRST) ** 0.5, "bias": 0.0, "last": SECOND**-0.5}
    parts = [random.normal(0.0, spreads[name], size) for name, size in SIZES.items()]
    return np.concatenate(parts).astype(np.float32)


def arrays_of(parameters: np.ndarray) -> dict[str, np.ndarray]:
    """The parameters as the arrays of a net."""
    starts = np.cumsum([0, *SIZES.values()])
    return {
        name: parameters[start : start + SIZES[name]].reshape(shape)
        for (name, shape), start in zip(ARRAYS.items(), starts, strict=False)
    }


def parameters_of(arrays: Mapping[str, np.ndarray]) -> np.ndarray:
    """The arrays of a net as one row of parameters, to train on."""
    return np.concatenate([arrays[name].ravel() for name in ARRAYS]).astype(np.float32)


def _work() -> np.ndarray:
    return np.zeros((MOST_OPTIONS + 2, FIRST + SECOND + 1), np.float32)


def train_on(
    parameters: np.ndarray,
    examples: Examples,
    epochs: int,
    rate: float,
    seed: int,
    progress: Callable[[int, int], bool],
) -> np.ndarray | None:
    """The trained parameters; None if `progress`, called with batches done and in all, says that it is to stop."""
    p, random = parameters.copy(), np.random.default_rng(seed)
    gradient, means, squares = (np.zeros_like(p) for _ in range(3))
    batches = -(-examples.size // BATCH)
    steps, done = epochs * batches, 0
    for _ in range(epochs):
        order = random.permutation(examples.size)
        for begin in range(0, batches, STEPS_AT_ONCE):
            part = order[begin * BATCH : (begin + STEPS_AT_ONCE) * BATCH]
            many = -(-part.size // BATCH)
            rates = 0.5 * rate * (1 + np.cos(np.pi * np.arange(done, done + many) / steps))
            e = examples
            train_batches(
                p, gradient, means, squares, e.rows, e.numbers, e.lists, e.firsts, e.values, part, done, rates, _work()
            )
            done += many
            if progress(done, steps):
                return None
    return p

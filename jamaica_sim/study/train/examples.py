"""Labels as the trainer reads them: for each decision the rows of its context, of each option, and the values."""

import io
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from jamaica_sim.engine.rulebook import rulebook_of
from jamaica_sim.files.user_files import read_plain_file
from jamaica_sim.game.rules import Rules
from jamaica_sim.strategy.net.facts import MOST_FACTS
from jamaica_sim.strategy.net.layout import ROWS
from jamaica_sim.strategy.search.searcher import MOST_OPTIONS
from jamaica_sim.study.train.compiled import note_all

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

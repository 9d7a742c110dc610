"""Labels as the trainer reads them: for each decision the rows of its context, of each option, and the values."""

from dataclasses import dataclass

import numpy as np

from jamaica_sim.engine.rulebook import rulebook_of
from jamaica_sim.rules import Rules
from jamaica_sim.strategy.net.facts import MOST_FACTS
from jamaica_sim.training.compiled import note_all


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
    noted = note_all(labels, rulebook_of(rules), weights, rows, numbers, lists, firsts, values)
    return Examples(rows[:noted].copy(), numbers[:noted].copy(), lists, firsts, values)


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

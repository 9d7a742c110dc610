"""The trainer: finds the net whose scores order the options as the search's values do.

The loss of a decision is the squared error of the centred scores against SCALE times the centred values, less PICK
times the expected value under softmax(score / HEAT). The second term is linear in the values, so that their noise does
not bias it. Adam with decoupled decay; the rate falls with a cosine.
"""

from collections.abc import Callable, Mapping

import numpy as np

from jamaica_sim.strategy.net.forward import ARRAYS, FIRST, SECOND
from jamaica_sim.strategy.search.searcher import MOST_OPTIONS
from jamaica_sim.study.train.compiled import BATCH, SIZES, train_batches
from jamaica_sim.study.train.examples import Examples

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

"""The settings of a search, `[search]` in a strategy file: one table with each one's meaning, default and range."""

from dataclasses import dataclass

import numpy as np

from jamaica_sim.game.codes import DECISIONS
from jamaica_sim.strategy.heuristic.weights import WEIGHTS_DTYPE
from jamaica_sim.strategy.net.forward import NET_DTYPE
from jamaica_sim.strategy.net.net_file import Net
from jamaica_sim.strategy.search.value import VALUE_DTYPE, fitted


@dataclass(frozen=True)
class SearchNumber:
    """A number in `[search]`."""

    name: str
    default: float
    low: float
    high: float
    meaning: str
    whole: bool = False


SETTINGS = (
    SearchNumber("rollouts", 60, 1, 100_000, "at most so many deals for each decision, the same for all options", True),
    SearchNumber("depth", 3, 1, 1000, "rounds that a rollout lasts, the one in progress included", True),
    SearchNumber("gate", 1.0, 0, 100, "standard errors by which an option must beat the first thought to be preferred"),
    SearchNumber("drop", 2.0, 0, 100, "standard errors behind the best at which an option is dropped"),
    SearchNumber("utility", 0.5, 0, 1, "share of the points in what a finished game is worth; the rest is the win"),
)
BY_NAME = {setting.name: setting for setting in SETTINGS}
# Decisions for which search gains most. For a hold to pay from or to empty and for a retreat it is not worth its time.
SEARCHED = (
    "place_dice",
    "choose_card",
    "choose_space",
    "choose_loot",
    "ghost_direction",
    "ghost_space",
    "ghost_target",
    "ghost_loot",
)
KEYS = (*BY_NAME, "policy", "decisions")

# The net comes first, and in it the heuristic's weights. So the heuristic, which makes the decisions that are not
# searched, and the first thought read them at the same address.
SEARCH_DTYPE = np.dtype(
    [
        ("net", NET_DTYPE),  # its own, with its own weights
        ("first_thought", "i8"),  # address of what gives the answer that search must beat: the heuristic, or the net
        ("policy", WEIGHTS_DTYPE),  # everybody's in rollouts
        *((setting.name, "i8" if setting.whole else "f8") for setting in SETTINGS),
        ("value", VALUE_DTYPE),
    ],
    align=True,
)


@dataclass(frozen=True)
class Search:
    """How a strategy searches."""

    numbers: dict[str, float]  # settings that differ from the defaults
    policy: dict[str, float]  # the weights that everybody plays by in rollouts, as far as they differ from the defaults
    decisions: tuple[str, ...] = SEARCHED

    def record(self, weights: np.ndarray, policy: np.ndarray, net: Net | None = None) -> np.ndarray:
        """The record that the compiled search reads, in an array of one, with the records of both sets of weights."""
        record = np.zeros(1, SEARCH_DTYPE)
        for setting in SETTINGS:
            record[setting.name] = self.numbers.get(setting.name, setting.default)
        record["net"]["weights"], record["policy"] = weights, policy
        if net:
            net.fill(record["net"])
        record["value"] = fitted()
        return record


assert set(SEARCHED) <= set(DECISIONS)

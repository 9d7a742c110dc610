"""How long a comparison is played, what counts as a difference, and what the manifest of its folder says of it.

Its settings are seatings: who sits where. They share their deals and one record of sums, those by deal.
"""

import re
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np

from jamaica_sim.errors import UserError
from jamaica_sim.files.limits import MOST_STRATEGIES, check_games
from jamaica_sim.play.manifest import (
    FolderError,
    Manifest,
    ManifestKind,
    first_of_wrong_kind,
    is_setting,
    seated,
    wrong_table,
)
from jamaica_sim.study.compare.deals import no_deals
from jamaica_sim.study.compare.design import Contest, Design

LOOK_GAMES = 1_000  # games between two looks, about
MOST_LOOKS = 1_000_000  # looks in all, about; beyond a billion games looks become rarer
LEAST_SHARE, MOST_SHARE = 0.0005, 0.2  # limits of margin and alpha


@dataclass(frozen=True)
class ComparisonPlan:
    """How long to play, and what counts as a difference."""

    games: int  # with `until_verdict` at most this many
    until_verdict: bool = False  # stop as soon as every pair is told apart or equal
    margin: float = 0.01  # the difference in win rate that matters
    alpha: float = 0.05  # one minus the confidence; also the chance of a wrong verdict, at all looks together

    def __post_init__(self) -> None:
        check_games(self.games)
        for name, meaning in (("margin", "0.01 is one point of win rate"), ("alpha", "0.05 is for 95% intervals")):
            value = getattr(self, name)
            if not isinstance(value, int | float) or not LEAST_SHARE <= value <= MOST_SHARE:
                raise UserError(f"the {name} must be from {LEAST_SHARE} to {MOST_SHARE}, not {value!r}: {meaning}.")

    def looks(self, design: Design) -> list[int]:
        """The numbers of deals between looks: whole cycles of the design, so that every look is balanced."""
        in_cycle = design.games_in_cycle
        cycles = self.games // in_cycle if self.until_verdict else -(-self.games // in_cycle)
        if cycles == 0:
            raise UserError(
                f"{self.games:,} games are too few: all line-ups of {design.strategies} strategies at tables of "
                f"{design.players} once take {in_cycle:,} games."
            )
        step = max(-(-LOOK_GAMES // in_cycle), cycles // MOST_LOOKS)
        steps = [min(step, cycles - done) for done in range(0, cycles, step)]
        return [cycles * len(design.cycle) for cycles in steps]


# In a folder


def configuration(contest: Contest, plan: ComparisonPlan) -> dict[str, Any]:
    """Everything that decides the result of a comparison."""
    design = contest.design
    games = sum(plan.looks(design)) * design.games_in_deal
    seatings = [seats.tolist() for deal in design.seatings for seats in deal]
    return {
        "rules": contest.rules.as_dict(),
        "strategies": [strategy.identity() for strategy in contest.strategies],
        "seed": contest.seed,
        **({"luck": dict(contest.luck)} if contest.luck else {}),
        **({"measures": dict(contest.measures)} if contest.measures else {}),
        "first_game": 0,
        "per_game": False,
        "against": contest.against,
        **vars(plan),
        "games": games,
        "settings": [
            {"label": ", ".join(contest.labels[s] for s in seats), "rules": {}, "seats": seats} for seats in seatings
        ],
    }


def read_configuration(config: dict[str, Any]) -> tuple[Contest, ComparisonPlan]:
    """The contest and the plan that a configuration describes."""
    rules, strategies = seated(config)
    if len(strategies) < 2:
        raise FolderError("the comparison has fewer than two strategies.")
    more = {name: config[name] for name in ("luck", "measures") if name in config}
    contest = Contest(rules, tuple(strategies), config["seed"], config["against"], **more)
    contest.own_measures()  # refuses what cannot be read
    plan = ComparisonPlan(*(config[name] for name in ("games", "until_verdict", "margin", "alpha")))
    plan.looks(contest.design)
    seatings = [seats for deal in contest.design.seatings.tolist() for seats in deal]
    if [setting["seats"] for setting in config["settings"]] != seatings:
        raise FolderError("the comparison has other line-ups than this version would play: play it again.")
    return contest, plan


def _sums(config: dict[str, Any]) -> np.ndarray:
    contest, _ = read_configuration(config)
    return no_deals(contest.design, len(contest.measures))


def _wrong_comparison(manifest: Manifest) -> str:
    """The first wrong entry in the manifest of a comparison; empty where all is well."""
    config = manifest["configuration"]
    kinds = {"against": bool, "until_verdict": bool, "margin": int | float, "alpha": int | float, "settings": list}
    wrong = wrong_table(config, MOST_STRATEGIES) or first_of_wrong_kind(
        {f"configuration.{name}": (config.get(name), kind) for name, kind in kinds.items()}
    )
    if wrong:
        return wrong
    if not all(is_setting(setting, len(config["strategies"])) for setting in config["settings"]):
        return "configuration.settings"
    if config.get("first_game") != 0 or config.get("per_game") is not False or manifest.get("ranges") is not None:
        return "configuration.first_game"
    return "games_done" if manifest["games_done"] > config["games"] else ""


FILES = re.compile(r"sums\.npy|sums-[0-9]{12,13}\.npy|(?!manifest\.)[a-z][a-z_]{0,39}\.(csv|json)")
COMPARISON = ManifestKind("jamaica-comparison/3", "a comparison's", FILES, _wrong_comparison, _sums)


def is_look(plan: ComparisonPlan, design: Design, games: int) -> bool:
    """Whether a comparison looks at its sums after so many games."""
    return games in (0, *(deals * design.games_in_deal for deals in accumulate(plan.looks(design))))

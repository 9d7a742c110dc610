"""The folder of a comparison: its manifest, the exact sums so far, and in the end the tables and charts.

It is saved, stopped and resumed like the folder of a run; `docs/compare.md` describes its contents.
"""

import os
import re
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from jamaica_sim.comparison.comparison import Comparison
from jamaica_sim.comparison.deals import DealTally
from jamaica_sim.comparison.design import Contest
from jamaica_sim.comparison.when_to_stop import ComparisonPlan
from jamaica_sim.limits import MOST_STRATEGIES
from jamaica_sim.store import saved_folder as saved
from jamaica_sim.store.atomic_files import load_array, npy_bytes
from jamaica_sim.store.manifest import (
    FolderError,
    Manifest,
    ManifestKind,
    first_of_wrong_kind,
    new_manifest,
    read_complete,
    read_manifest,
    refuse_other_program,
    seated,
    wrong_table,
)
from jamaica_sim.store.saved_folder import SavedFolder, is_tidy, read_counted, read_sums, tally_name
from jamaica_sim.strategy.strategy import Strategy
from jamaica_sim.user_files import AnyPath


def _wrong_comparison(manifest: Manifest) -> str:
    config = manifest["configuration"]
    kinds = {"against": bool, "until_verdict": bool, "margin": int | float, "alpha": int | float}
    return wrong_table(config, MOST_STRATEGIES) or first_of_wrong_kind(
        {f"configuration.{name}": (config.get(name), kind) for name, kind in kinds.items()}
    )


FILES = re.compile(r"tally\.npy|tally-[0-9]{12,13}\.npy|(?!manifest\.)[a-z][a-z_]{0,39}\.(csv|json|png)")
COMPARISON = ManifestKind("jamaica-comparison/2", "a comparison's", FILES, _wrong_comparison)


def configuration(contest: Contest, plan: ComparisonPlan) -> dict[str, Any]:
    """Everything that decides the result of a comparison."""
    return {
        "rules": contest.rules.as_dict(),
        "strategies": [strategy.identity() for strategy in contest.strategies],
        "seed": contest.seed,
        **({"luck": dict(contest.luck)} if contest.luck else {}),
        "against": contest.against,
        **vars(plan),
    }


def read_configuration(config: dict[str, Any]) -> tuple[Contest, ComparisonPlan]:
    """The contest and the plan that a configuration describes."""
    rules, strategies = seated(config)
    if len(strategies) < 2:
        raise FolderError("the comparison has fewer than two strategies.")
    contest = Contest(rules, tuple(strategies), config["seed"], config["against"], config.get("luck", {}))
    plan = ComparisonPlan(*(config[name] for name in ("games", "until_verdict", "margin", "alpha")))
    plan.looks(contest.design)
    return contest, plan


class UnfinishedComparison(NamedTuple):
    """What is left to play in a folder."""

    contest: Contest
    plan: ComparisonPlan

    @property
    def strategies(self) -> tuple[Strategy, ...]:
        """Who plays."""
        return self.contest.strategies


def unfinished_comparison(path: AnyPath) -> UnfinishedComparison | None:
    """The comparison in a folder if there is more to do; None where it is complete and every file intact."""
    path, manifest = Path(path), read_manifest(path, COMPARISON)
    if is_tidy(path, manifest) and all(read_counted(path, manifest, name) is not None for name in manifest["files"]):
        return None
    refuse_other_program(path, manifest)
    return UnfinishedComparison(*read_configuration(manifest["configuration"]))


def load_comparison(path: str | os.PathLike[str]) -> Comparison:
    """The comparison in a folder, which must be complete.

    Examples
    --------
    >>> from jamaica_sim import compare, load_comparison
    >>> _ = compare(["balanced", "random"], games=80, out="duel")
    >>> load_comparison("duel").games
    80
    """
    path, manifest = Path(path), read_complete(path, COMPARISON)
    return _saved(path, manifest)


def _saved(path: Path, manifest: Manifest) -> Comparison:
    """The comparison so far in a folder, its sums checked against the manifest."""
    contest, plan = read_configuration(manifest["configuration"])
    design = contest.design
    sums = load_array(read_sums(path, manifest), np.int64)
    tally = None if sums is None else DealTally.from_array(design, sums)
    deals = 0 if tally is None else int(tally.deals.sum())
    if (
        tally is None
        or deals * design.games_in_deal != manifest["games_done"]
        or deals not in accumulate(plan.looks(design))
    ):
        raise FolderError(
            f"{path / tally_name(manifest)} was written by another version of jamaica-sim: "
            "read it with that one, or play it again."
        )
    return Comparison(contest, plan, tally)


class ComparisonFolder(SavedFolder):
    """The folder of one comparison, open for writing by this process alone."""

    kind = COMPARISON
    tally: DealTally | None = None  # the sums that were saved when it was opened

    @classmethod
    def create(cls, path: AnyPath, contest: Contest, plan: ComparisonPlan) -> "ComparisonFolder":
        """A new folder; a path that exists is refused."""
        return cls.begin(path, new_manifest(configuration(contest, plan), COMPARISON))

    def take_up(self) -> None:
        """Read the sums."""
        if self.games_done:
            self.tally = _saved(self.path, self.manifest).tally

    def keep(self, comparison: Comparison, seconds: float) -> None:
        """Save the sums so far, and the seconds that they took, if it is time."""
        if self.is_time(saved.SAVE_EVERY):
            self.submit(self._write, comparison, seconds)

    def stop(self, comparison: Comparison | None, seconds: float, files: dict[str, bytes] | None = None) -> None:
        """Save the sums so far, and leave the folder to others. With files, tables and charts, it is complete."""
        try:
            if comparison is not None and (files or comparison.games > self.games_done):
                self.submit(self._write, comparison, seconds, files)
        finally:
            self.finish_writing()

    # In the background only

    def _write(self, comparison: Comparison, seconds: float, files: dict[str, bytes] | None = None) -> None:
        manifest = self.advanced(seconds, games_done=comparison.games, complete=bool(files))
        self.commit(manifest, {tally_name(manifest): npy_bytes(comparison.tally.as_array()), **(files or {})})

"""Joins the folders of runs that played different games of the same configuration, as if one run had played them all.

Nothing is played, and the folders that are joined are only read.
"""

import os
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from jamaica_sim.files.atomic_files import hash_of, json_bytes, write_whole
from jamaica_sim.files.limits import check_games, check_rows
from jamaica_sim.files.other_folders import MANIFEST
from jamaica_sim.files.sources import program, same_games
from jamaica_sim.files.user_files import AnyPath
from jamaica_sim.play.commands import resume_command
from jamaica_sim.play.manifest import (
    FolderError,
    Manifest,
    manifest_bytes,
    new_manifest,
    no_tallies,
    read_manifest,
    seated,
    table_of,
)
from jamaica_sim.results.results import Results
from jamaica_sim.study.folder import TABLES, read_sums, sums_bytes
from jamaica_sim.study.parts import encode, part_name, read_part, written_parts
from jamaica_sim.study.saved_folder import GAMES, SUMS, appearing_folder

OneRun = tuple[Path, Manifest]  # a run's folder, and its manifest


def merge_runs(folders: Sequence[str | os.PathLike[str]], out: str | os.PathLike[str]) -> Results:
    """Join complete runs of the same configuration and different games into a new folder.

    Examples
    --------
    >>> from jamaica_sim import merge_runs, simulate
    >>> _ = simulate(games=50, strategies="random", out="part-0")
    >>> _ = simulate(games=50, strategies="random", first_game=50, out="part-1")
    >>> merge_runs(["part-0", "part-1"], "whole").games
    100
    """
    runs = read_mergeable(folders)
    config = runs[0][1]["configuration"]
    tally = no_tallies(config)
    for path, manifest in runs:
        tally.view(np.int64)[:] += read_sums(path, manifest).view(np.int64)
    seconds = sum(manifest["seconds"] for _, manifest in runs)
    results = Results(table_of(config), tally[0], runs[0][1]["ranges"][0][0], seconds)
    with appearing_folder(out) as beside:
        _write_files(beside, runs, {SUMS: sums_bytes(tally), TABLES: json_bytes(results.tables())})
    return results


def differences(one: Manifest, other: Manifest) -> list[str]:
    """The differences between two manifests that keep the runs from being joined, each in a few words."""
    found = []
    if not same_games(one, other):
        found.append(f"jamaica-sim {program(one)} and {program(other)}")
    a, b = one["configuration"], other["configuration"]
    rules = [seated(config)[0] for config in (a, b)]
    mine, theirs = (its.as_dict() for its in rules)
    for name in sorted(mine.keys() | theirs.keys()):
        if rules[0] != rules[1] and mine.get(name) != theirs.get(name):  # equal boards may have two names
            found.append(f"{name} {mine.get(name)} and {theirs.get(name)}")
    if len(a["strategies"]) == len(b["strategies"]):
        for seat, (one_there, other_there) in enumerate(zip(a["strategies"], b["strategies"], strict=True)):
            if one_there["sha256"] != other_there["sha256"]:
                found.append(f"seat {seat} {_strategy(one_there)} and {_strategy(other_there)}")
    if a["seed"] != b["seed"]:
        found.append(f"seed {a['seed']} and {b['seed']}")
    if a.get("luck") != b.get("luck"):
        found.append(f"luck {_luck(a)} and {_luck(b)}")
    if a.get("measures") != b.get("measures"):
        found.append("other measures of one's own")
    if a["per_game"] != b["per_game"]:
        found.append("one with and one without a table of games")
    return found


def _strategy(identity: dict[str, Any]) -> str:
    return f"{identity['label']} ({identity['sha256'][:8]})"


def _luck(config: dict[str, Any]) -> str:
    return " ".join(f"{source}={seed}" for source, seed in config.get("luck", {}).items()) or "all from the seed"


def read_mergeable(folders: Iterable[AnyPath]) -> list[OneRun]:
    """The folders with their manifests, in the order of their games; refused unless they can be joined."""
    runs = [(Path(folder), read_manifest(folder)) for folder in folders]
    if len(runs) < 2:
        raise FolderError("merging takes at least two folders.")
    for path, manifest in runs:
        if not manifest["complete"]:
            raise FolderError(f"the run in {path} is not complete: finish it first with `{resume_command(path)}`.")
    first_path, first = runs[0]
    for path, manifest in runs[1:]:
        if found := differences(first, manifest):
            raise FolderError(f"the runs {first_path} and {path} have different configurations: {'; '.join(found)}.")
    _refuse_overlaps(runs)
    games = sum(manifest["games_done"] for _, manifest in runs)
    check_games(games)
    if first["configuration"]["per_game"]:
        check_rows(games)
    return sorted(runs, key=lambda run: run[1]["ranges"][0][0])


def _refuse_overlaps(runs: Sequence[OneRun]) -> None:
    spans = sorted((first, first + count, path) for path, manifest in runs for first, count in manifest["ranges"])
    for (_, end, path), (first, other_end, other) in pairwise(spans):
        if first < end:
            last = min(end, other_end) - 1
            raise FolderError(f"the runs {path} and {other} both have the games {first:,} to {last:,}.")


def joined_ranges(manifests: Iterable[Manifest]) -> list[list[int]]:
    """The ranges of games of several manifests; adjacent ranges become one."""
    joined: list[list[int]] = []
    for first, count in sorted(tuple(r) for manifest in manifests for r in manifest["ranges"]):
        if joined and sum(joined[-1]) == first:
            joined[-1][1] += count
        else:
            joined.append([first, count])
    return joined


def joined_manifest(runs: Sequence[OneRun]) -> Manifest:
    """The manifest of all these games as one run, still without its files."""
    manifests = [manifest for _, manifest in runs]
    ranges = joined_ranges(manifests)
    games = sum(count for _, count in ranges)
    config = {**manifests[0]["configuration"], "first_game": ranges[0][0], "games": games}
    config.pop("events", None)  # tables of events are not joined
    return {
        **new_manifest(config),
        "version": manifests[0]["version"],
        "engine": manifests[0]["engine"],
        "games_done": games,
        "complete": True,
        "ranges": ranges,
        "started": min(manifest["started"] for manifest in manifests),
        "seconds": round(sum(manifest["seconds"] for manifest in manifests), 3),
    }


def _write_files(folder: Path, runs: Sequence[OneRun], files: dict[str, bytes]) -> None:
    manifest = joined_manifest(runs)
    for name, content in files.items():
        write_whole(folder / name, content, alone=False)
    manifest["files"] = {name: hash_of(content) for name, content in files.items()}
    if manifest["configuration"]["per_game"]:
        manifest["files"] |= _write_parts(folder, runs)
    manifest["files"] = dict(sorted(manifest["files"].items()))
    write_whole(folder / MANIFEST, manifest_bytes(manifest), alone=False)


def _write_parts(folder: Path, runs: Sequence[OneRun]) -> dict[str, str]:
    """Copy the parts; if several runs have games of the same part, join theirs into one."""
    (folder / GAMES).mkdir()
    sources: dict[int, list[OneRun]] = {}
    for path, manifest in runs:
        for number in written_parts(manifest):
            sources.setdefault(number, []).append((path, manifest))
    hashes = {}
    for number in sorted(sources):
        name = part_name(number)
        content = _join_part(number, sources[number])
        write_whole(folder / name, content, alone=False)
        hashes[name] = hash_of(content)
    return hashes


def _join_part(number: int, runs: Sequence[OneRun]) -> bytes:
    parts = [read_part(path, manifest, number) for path, manifest in runs]
    if len(parts) == 1:
        return parts[0][0]
    import pyarrow as pa

    return encode(pa.concat_tables([table for _, table in parts]).sort_by("game").combine_chunks())

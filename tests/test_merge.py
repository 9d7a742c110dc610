"""Runs of the same configuration joined into one: the same bytes as if one run had played all games."""
# Fixtures are imported and then named as arguments.
# ruff: noqa: F401, F811

import shutil

import numpy as np
import pandas as pd
import pytest
from command import assert_told, type_in
from folders import FIRST, GAMES, HARM, PART, FullDisk, contents, finished, small_parts, stopped, table, whole

from jamaica_sim.play.game_table import seat_table
from jamaica_sim.play.manifest import FolderFault, read_manifest
from jamaica_sim.study.merge import merge_runs
from jamaica_sim.study.simulate import resume_run, run_games


def piece(table, out, first, end, per_game=True):
    run_games(table, end - first, first_game=first, out=out, per_game=per_game, threads=2)
    return out


@pytest.fixture
def pieces(table, tmp_path):
    """The games of `finished` in three runs: the first cut is within a part, the second at the end of one."""
    cuts = [FIRST, FIRST + 701, 6 * PART, FIRST + GAMES]
    ends = zip(cuts[:-1], cuts[1:], strict=True)
    return [piece(table, tmp_path / f"piece-{number}", *ends) for number, ends in enumerate(ends)]


def test_merged_is_as_played_in_one_go(pieces, tmp_path, finished):
    before = [contents(folder) for folder in pieces]
    result = type_in("merge", pieces[2], pieces[0], pieces[1], "--out", tmp_path / "merged")
    assert result.exit_code == 0, result.stderr
    assert f"{GAMES:,} games of 3 players" in result.stdout
    assert contents(tmp_path / "merged") == contents(finished)
    assert [contents(folder) for folder in pieces] == before


def test_without_a_table_of_games(table, tmp_path):
    one = piece(table, tmp_path / "one", 0, 500, per_game=False)
    two = piece(table, tmp_path / "two", 500, 900, per_game=False)
    merge_runs([one, two], tmp_path / "merged")
    piece(table, tmp_path / "whole", 0, 900, per_game=False)
    assert contents(tmp_path / "merged") == contents(tmp_path / "whole")


def test_games_with_a_gap(pieces, tmp_path, finished):
    """The manifest says which games there are. Lost parts are made again, and the missing run can be merged later."""
    merged = tmp_path / "merged"
    results = merge_runs([pieces[0], pieces[2]], merged)
    manifest = read_manifest(merged)
    assert manifest["ranges"] == [[FIRST, 701], [6 * PART, FIRST + GAMES - 6 * PART]]
    assert manifest["games_done"] == results.games == sum(count for _, count in manifest["ranges"])
    games = pd.read_parquet(merged / "games")["game"].tolist()
    assert games == [*range(FIRST, FIRST + 701), *range(6 * PART, FIRST + GAMES)]
    before = contents(merged)
    shutil.rmtree(merged / "games")
    resume_run(merged)
    assert contents(merged) == before
    merge_runs([merged, pieces[1]], tmp_path / "all")
    assert contents(tmp_path / "all") == contents(finished)


def test_gaps_within_a_part(table, tmp_path):
    ends = [(10, 60), (100, 140), (450, 700)]
    folders = [piece(table, tmp_path / f"piece-{first}", first, end) for first, end in ends]
    merge_runs(folders, tmp_path / "merged")
    before = contents(tmp_path / "merged")
    (tmp_path / "merged/games/part-00000000.parquet").unlink()
    resume_run(tmp_path / "merged")
    assert contents(tmp_path / "merged") == before
    games = pd.read_parquet(tmp_path / "merged/games")["game"]
    assert games.tolist() == np.concatenate([np.arange(*end) for end in ends]).tolist()


# Refusals


def refused(tmp_path, folders, *hints, code=2):
    assert_told(type_in("merge", *folders, "--out", tmp_path / "merged"), code, *hints)
    assert not (tmp_path / "merged").exists() and not list(tmp_path.glob(".merged*"))


def test_overlaps_are_refused(table, pieces, tmp_path):
    other = piece(table, tmp_path / "other", FIRST + 600, FIRST + 900)
    refused(tmp_path, [*pieces, other], "both have the games 1,900 to 2,000")
    refused(tmp_path, [pieces[0], pieces[0]], "both have the games 1,300 to 2,000")


CONFIGURATIONS = {
    "seed": ({"seed": 6}, "seed 5 and 6"),
    "rule": ({"hand_size": 4}, "hand_size 3 and 4"),
    "edition": ({"edition": "2021"}, "edition 2007 and 2021"),
    "strategy": ({"strategies": ["random", "hoarder"]}, "seat 1 racer ("),
    "players": ({"players": 4}, "players 3 and 4"),
}


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_other_configurations_are_refused(name, pieces, tmp_path):
    change, hint = CONFIGURATIONS[name]
    facts = {"strategies": ["random", "racer"], "players": 3, "seed": 5}
    other = piece(seat_table(**{**facts, **change}), tmp_path / "other", 0, 100)
    refused(tmp_path, [pieces[0], other], "have different configurations", hint)


def test_one_without_games_is_refused(table, pieces, tmp_path):
    other = piece(table, tmp_path / "other", 0, 100, per_game=False)
    refused(tmp_path, [pieces[0], other], "one with and one without a table of games")


def test_another_version_is_refused(table, pieces, tmp_path, monkeypatch):
    from jamaica_sim.play import manifest

    monkeypatch.setattr(manifest, "played_by", lambda: {"version": "0.0.9", "engine": "e" * 64})
    other = piece(table, tmp_path / "other", 0, 100)
    refused(tmp_path, [pieces[0], other], "0.0.9 (engine eeeeeeee)")


def test_an_unfinished_run_is_refused(stopped, pieces, tmp_path):
    refused(tmp_path, [stopped, pieces[0]], "is not complete", f"jamaica-sim resume {stopped}")


def test_a_damaged_run_is_refused(pieces, tmp_path):
    HARM["missing part"](pieces[0])
    refused(tmp_path, pieces, "part-00000003.parquet is missing or damaged", "repair it", code=1)


def test_too_few_and_no_run(pieces, tmp_path):
    refused(tmp_path, pieces[:1], "at least two folders")
    refused(tmp_path, [pieces[0], tmp_path / "nowhere"], "is not a run's folder")
    assert_told(type_in("merge", *pieces), 2, "--out")
    assert_told(type_in("merge", *pieces, "--out", pieces[0]), 2, "exists already")


def test_a_full_disk(pieces, tmp_path, monkeypatch):

    monkeypatch.setattr("os.fsync", FullDisk(7))
    with pytest.raises(FolderFault, match="merged cannot be written: No space left on device"):
        merge_runs(pieces, tmp_path / "merged")
    assert not (tmp_path / "merged").exists() and not list(tmp_path.glob(".merged*"))

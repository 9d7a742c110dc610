"""Causes in experiments and reports: found beside the settings, kept, resumed, and told in sentences that are true."""

import json
from pathlib import Path

import pytest

from jamaica_sim.causes.findings import bans_cost, estimate, find_causes, plain
from jamaica_sim.experiment.file import experiment_from_text
from jamaica_sim.experiment.folder import CAUSES, unfinished_experiment
from jamaica_sim.experiment.play import resume_experiment, run_experiment
from jamaica_sim.experiment.study import load_study
from jamaica_sim.play.game_table import seat_table
from jamaica_sim.report import prose
from jamaica_sim.report.page import make_report
from jamaica_sim.stats.estimate import Estimate
from jamaica_sim.store.manifest import FolderFault, read_manifest

SMALL = """
title = "Small"
games = 60
line_ups = ["racer"]
chapters = ["luck", "worths", "restricted"]
[rules]
players = 3
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("causes") / "small"
    run_experiment(experiment_from_text(SMALL, Path("small.toml")), path, threads=1)
    return path


def told(study):
    return [prose.plain(s) for chapter in make_report(study).chapters for s in chapter.sentences()]


def test_findings_are_kept_with_the_experiment(folder):
    study = load_study(folder)
    assert set(study.causes) == {"tables", "worths", "restricted"}
    shares = [estimate(v).value for v in study.causes["tables"][0]["luck"]["shares"].values()]
    assert sum(shares) == pytest.approx(1)
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["complete"] and CAUSES in manifest["files"] and unfinished_experiment(folder) is None


def test_the_same_findings_again(folder, tmp_path):
    again = run_experiment(experiment_from_text(SMALL, Path("small.toml")), tmp_path / "again", threads=2)
    assert again.causes == load_study(folder).causes


def test_an_experiment_that_was_stopped_finds_them_later(folder, tmp_path, monkeypatch):
    from jamaica_sim.experiment import play
    from jamaica_sim.run.play import Stopped

    def stop(*arguments):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(play, "find_causes", stop)
        with pytest.raises(Stopped):
            run_experiment(experiment_from_text(SMALL, Path("small.toml")), tmp_path / "cut", threads=1)
    assert unfinished_experiment(tmp_path / "cut") is not None
    assert resume_experiment(tmp_path / "cut", threads=1).causes == load_study(folder).causes


def test_damaged_findings_are_refused(folder, tmp_path):
    import shutil

    shutil.copytree(folder, tmp_path / "copy")
    (tmp_path / "copy" / CAUSES).write_text("{}")
    with pytest.raises(FolderFault, match="causes.json"):
        load_study(tmp_path / "copy")


def test_experiments_without_such_chapters_are_as_before(tmp_path):
    plain_text = SMALL.replace('["luck", "worths", "restricted"]', '["race"]')
    study = run_experiment(experiment_from_text(plain_text, Path("plain.toml")), tmp_path / "plain", threads=1)
    assert study.causes is None and read_manifest(tmp_path / "plain" / "000_3_players_no_ghost_2007_racer")["complete"]


def test_the_report_leads_with_the_luck(folder):
    report = make_report(load_study(folder))
    assert "of the luck" in report.headline and report.hero.name == "budget"
    assert [chapter.key for chapter in report.chapters][0] == "luck"
    assert {chapter.key for chapter in report.chapters} == {"luck", "worths", "restricted"}


# Sentences on truths that can be read off


def with_causes(study, **found):
    from dataclasses import replace

    return replace(study, causes={**study.causes, **found})


@pytest.mark.parametrize(
    "effect, sentence",
    [
        (Estimate(-0.05, -0.06, -0.04, 100), "Attacking pays: without it a ship wins 5 points less often."),
        (Estimate(0.05, 0.04, 0.06, 100), "Attacking does not pay: without it a ship wins 5 points more often."),
        (Estimate(0.01, -0.01, 0.03, 100), "Attacking hardly matters: without it +1 points, too close to call."),
    ],
)
def test_what_is_said_of_a_ban(folder, effect, sentence):
    study = load_study(folder)
    changed = [{"name": "attack", "effect": plain(effect)}, *study.causes["restricted"][1:]]
    found = [s for s in told(with_causes(study, restricted=changed)) if s.startswith("Attacking")]
    assert found == [sentence]


def test_what_is_said_of_a_shortage(folder):
    study = load_study(folder)
    cost = [{"name": "a shortage forgiven", "effect": plain(Estimate(0.08, 0.07, 0.09, 500))}]
    sentences = told(with_causes(study, worths={**study.causes["worths"], "shortage": cost}))
    assert "A shortage costs 8 points of win rate, measured by forgiving one of them." in sentences


def test_the_largest_shares_are_named(folder):
    study = load_study(folder)
    table = study.causes["tables"][0]["luck"]
    values = {"combat": 0.5, "dice": 0.25, "decks": 0.2, "captain": 0.05}
    luck = {**table, "shares": {name: plain(Estimate(v, v - 0.01, v + 0.01, 50)) for name, v in values.items()}}
    report = make_report(with_causes(study, tables=[{"luck": luck}]))
    assert report.headline.startswith("Combat die and dice are about three quarters of the luck")
    assert "50% is combat die, 25% dice, 20% cards drawn" in prose.plain(report.standfirst[0])


def test_bans_cost_what_two_runs_differ_by():
    from jamaica_sim.causes.seating import win_shares
    from jamaica_sim.causes.worth import rows_of

    table = seat_table(strategies="racer", players=3, seed=6)
    found = bans_cost(table, 80, 1)
    assert set(found) == {"attack", "lairs", "gunpowder", "backward", "shortage"}
    base = win_shares(rows_of(table, 80, 1), 3)[:, 0].mean()
    assert all(-base <= effect.value <= 1 - base and effect.n == 80 for effect in found.values())


def test_only_what_is_wanted_is_looked_for():
    table = seat_table(strategies="racer", players=3, seed=6)
    said = []
    assert find_causes([table], ["race"], 100, 1, said.append) == {"tables": [{}]} and said == []


def test_tables_side_by_side_name_every_source_once(folder):
    from jamaica_sim.report.chapters.causing import _other_tables, luck

    study = load_study(folder)
    one = study.causes["tables"][0]["luck"]
    more = {**one, "shares": {**one["shares"], "shortage": [0.1, 0.05, 0.15, 50]}}
    chapter = luck(study, None)

    class TwoTables:
        settings = [study.settings[0], study.settings[0]]

    _other_tables(chapter, TwoTables, [one, more])
    columns = chapter.tables[-1].columns
    assert len(columns) == len(set(columns)) == 1 + len(more["shares"])
    assert chapter.tables[-1].rows[0][-1] == "not drawn"

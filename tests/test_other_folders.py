"""A folder of another kind than a command wants: one sentence says what it is and what can be done with it."""

import json

import pytest
from click.testing import CliRunner

import jamaica_sim
from jamaica_sim.cli import main
from jamaica_sim.files.other_folders import IN_IT
from jamaica_sim.play.manifest import EXPERIMENT, RUN
from jamaica_sim.study.compare.compare import COMPARISON, load_comparison
from jamaica_sim.study.lab.balance_task import BalanceTask
from jamaica_sim.study.lab.screening import SensitivityTask

KINDS = {
    kind.schema.partition("/")[0]: kind
    for kind in (RUN, COMPARISON, EXPERIMENT, SensitivityTask.FOLDER, BalanceTask.FOLDER)
}
COMMANDS = {
    "replay": "replay {} --game 0",
    "games": "games {} --closest",
    "merge": "merge {} {} --out both",
    "board": "board --heat shortages --from {} --out board.png",
}
TAKEN = {("board", EXPERIMENT.schema)} | {(command, RUN.schema) for command in COMMANDS}
TAKEN |= {(command, kind.schema) for command in ("replay", "games") for kind in (EXPERIMENT,)}


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def folder_of(place, schema, **facts):
    place.mkdir(parents=True)
    (place / "manifest.json").write_text(json.dumps({"schema": schema, **facts}))


def said(words):
    done = CliRunner().invoke(main, words.split())
    assert done.exit_code == 2 and done.output.count("\n") == 1
    return done.output


def test_every_kind_of_folder_is_known():
    assert KINDS.keys() == IN_IT.keys()


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_folder_of_another_kind(command, kind, here):
    if (command, kind.schema) in TAKEN:
        pytest.skip("it is taken")
    folder_of(here / "there", kind.schema, complete=True)
    answer = said(COMMANDS[command].format("there", "there"))
    assert f"it has {IN_IT[kind.schema.partition('/')[0]]}: `jamaica-sim report there` shows it" in answer


def test_what_is_not_complete_can_be_gone_on_with(here):
    folder_of(here / "half", COMPARISON.schema, complete=False)
    assert "`jamaica-sim resume half` goes on with it" in said("replay half --game 0")


def test_a_run_where_a_comparison_is_wanted(here):
    folder_of(here / "voyage", RUN.schema, complete=True)
    with pytest.raises(jamaica_sim.FolderError, match="`jamaica-sim replay voyage --game 0` one of its games"):
        load_comparison("voyage")


@pytest.mark.parametrize("schema", ["jamaica-run/99", "jamaica-shanty/1", "x" * 500, None])
def test_a_kind_that_nobody_knows(schema, here):
    folder_of(here / "odd", schema, complete=True)
    assert "its manifest.json" in said("replay odd --game 0")


@pytest.mark.parametrize("command", ["resume {}", "report {}", *COMMANDS.values()])
def test_what_is_no_folder_at_all(command, here):
    (here / "mine.toml").write_text("")
    (here / "kept.jamaica.json").write_text("")
    (here / "tuned.toml").write_text("")
    (here / "tuned.tuning.json").write_text("")
    folder_of(here / "shelf" / "voyage", RUN.schema, complete=True)
    (here / "shelf" / "voyage" / "games").mkdir()
    (here / "empty").mkdir()
    ways_out = {
        "nowhere": "there is no such folder",
        "empty": "it has no manifest.json.",
        "mine.toml": "`jamaica-sim run -s mine.toml` plays it",
        "tuned.toml": "`jamaica-sim tune` is typed again",
        "tuned.tuning.json": "`jamaica-sim tune` is typed again",
        "kept.jamaica.json": "`jamaica-sim replay kept.jamaica.json` shows it, without --game",
        "shelf": "but shelf/voyage has",
        "shelf/voyage/games": "it is a part of the folder shelf/voyage: name that",
        "shelf/voyage/manifest.json": "it is a part of the folder shelf/voyage: name that",
    }
    for path, way_out in ways_out.items():
        assert way_out in said(command.format(path, path))

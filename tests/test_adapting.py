"""Players who adapt: the best answer found under changed rules, and the game at their table beside the old one."""

import json
import signal
from contextlib import nullcontext
from dataclasses import replace
from importlib import import_module

import pytest
from click.testing import CliRunner

from jamaica_sim import UserError, report_on, run_experiment
from jamaica_sim.cli import main
from jamaica_sim.play.game_table import seat_table
from jamaica_sim.study.experiment.run_experiment import resume_experiment
from jamaica_sim.study.experiment.study import load_study
from jamaica_sim.study.lab.sweep import make_plan, play_sweep
from jamaica_sim.study.lab.sweep_folder import adapted_sweep, side_by_side
from jamaica_sim.study.simulate import Stopped, run_games
from jamaica_sim.study.tune import tune
from jamaica_sim.study.tune.adapting import adapt


@pytest.fixture(scope="module")
def adapted():
    """A finish worth nothing: a few variations are enough to find something better than to race."""
    table = seat_table(strategies="racer", **{"space.0.score": 0})
    return table, adapt(table, 2, evaluations=24, games=800)


def test_an_answer_is_found_and_all_play_it(adapted):
    table, found = adapted
    assert found.steps[0].reference.name == "racer" and found.steps[0].verdict == "better"
    assert found.table.rules == table.rules and found.table.seed == table.seed
    assert {strategy.name for strategy in found.table.strategies} != {"racer"}
    assert found.sentence().startswith("step 1: the best answer found to racer gains ")
    assert "equilibrium" not in found.sentence()


def test_both_tables_stand_side_by_side(adapted):
    table, found = adapted
    old = run_games(table, 400)
    shown = side_by_side(old, found)
    rows = {row[0]: row for row in shown.rows}
    assert rows["rounds"][1] == old.of_game("rounds") and rows["rounds"][2].n == 400
    assert rows["rounds"][3].value == pytest.approx(rows["rounds"][2].value - rows["rounds"][1].value)


def test_it_ends_where_no_better_answer_is_found():
    found = adapt(seat_table(strategies="champion"), 3, evaluations=12, games=400)
    assert len(found.steps) == 1 and "no better answer to champion was found" in found.sentence()
    assert {strategy.name for strategy in found.table.strategies} == {"champion"}


def test_a_sweep_with_adapted_players(monkeypatch):
    monkeypatch.setattr("jamaica_sim.study.lab.sweep_folder.adapt", lambda table, *_, **__: adapt(table, 1, 12, 200))
    found = play_sweep(make_plan({"space.0.score": (0, 15)}, seat_table(strategies="racer"), 200))
    again, told = adapted_sweep(found, 1)
    assert again.plan.points == found.plan.points and len(told) == 2
    assert all(line.startswith("space.0.score ") for line in told)
    printed = CliRunner().invoke(main, "sweep space.0.score=0,15 -s racer --games 200 --adapt 1 --format json".split())
    whole = json.loads(printed.stdout)  # one object
    assert whole["found"] == told and sum(title.endswith("adapted players") for title in whole["tables"]) == 2


def test_a_stopped_step_goes_on_where_it_was(tmp_path, monkeypatch):
    """The same call resumes the step, and finds what it would have found without the stop."""
    table = seat_table(strategies="racer", seed=8, **{"space.0.score": 0})
    played, real = [], tune.try_strategies

    def counted(*arguments):
        played.append(arguments)
        if len(played) == 2:
            signal.raise_signal(signal.SIGINT)
        return real(*arguments)

    monkeypatch.setattr(tune, "try_strategies", counted)
    with pytest.raises(Stopped, match="in step 1 of 1: what they found so far is kept"):
        adapt(table, 1, evaluations=24, games=200)
    found = adapt(table, 1, evaluations=24, games=200)
    trials = len(played)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    played.extend([None, None])
    alone = adapt(table, 1, evaluations=24, games=200)
    assert alone.sentence() == found.sentence() and alone.strategy.changes == found.strategy.changes
    assert len(played) - 2 - trials == trials - 1  # one generation was kept, and the stopped trial was played again


def ctrl_c_in(monkeypatch, name):
    """Press Ctrl-C when the games of this function begin."""
    module, function = name.rsplit(".", 1)
    real = getattr(import_module(module), function)

    def interrupted(*arguments, **named):
        signal.raise_signal(signal.SIGINT)
        return real(*arguments, **named)

    monkeypatch.setattr(name, interrupted)


def test_adapted_players_who_play_can_be_stopped(adapted, monkeypatch):
    table, found = adapted
    old = run_games(table, 400)
    ctrl_c_in(monkeypatch, "jamaica_sim.study.lab.sweep_folder.play_tables")
    with pytest.raises(Stopped, match="while the adapted players played: what they found so far is kept"):
        side_by_side(old, found)
    sweep = play_sweep(make_plan({"space.0.score": (0, 15)}, seat_table(strategies="racer"), 200))
    monkeypatch.setattr("jamaica_sim.study.lab.sweep_folder.adapt", lambda table, *_, **__: replace(found, table=table))
    ctrl_c_in(monkeypatch, "jamaica_sim.study.lab.sweep.play_until_stopped")
    with pytest.raises(Stopped, match="while the adapted players played"):
        adapted_sweep(sweep, 1)


def test_the_oldest_steps_go(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setattr("jamaica_sim.study.tune.adapting.MOST_KEPT", 2)
    for seed in range(4):
        adapt(seat_table(strategies="racer", seed=seed), 1, evaluations=12, games=200)
    steps = sorted(file.name.split(".")[0] for file in (tmp_path / "jamaica-sim" / "adapting").iterdir())
    assert len(steps) == 6 and steps[::2] == steps[1::2]  # the last two and the one that was played: both its files


def test_steps_are_checked():
    with pytest.raises(UserError, match="1 to 5 steps"):
        adapt(seat_table(), 0)


@pytest.fixture
def calls(monkeypatch):
    """How often players have adapted, in few variations."""
    calls = []

    def quickly(table, steps, **_):
        calls.append(steps)
        return adapt(table, steps, 12, 200)

    monkeypatch.setattr("jamaica_sim.study.experiment.run_experiment.adapt", quickly)
    return calls


FINISH = """
games = 60
adapt = 1
line_ups = ["racer"]
[[tables]]
name = "printed"
[[tables]]
name = "finish"
"space.0.score" = 0
"""


def test_an_experiment_stopped_after_its_players_adapted_goes_on_with_them(tmp_path, calls):
    """By the same command and by `resume` alike; nobody adapts once more, and the games are those of one go."""
    (tmp_path / "finish.toml").write_text(FINISH)
    whole = run_experiment(tmp_path / "finish.toml", tmp_path / "whole")

    def watch(label, number):
        if number == 2:
            raise KeyboardInterrupt
        return nullcontext()

    for go_on in (lambda out: run_experiment(tmp_path / "finish.toml", out), resume_experiment):
        out = tmp_path / f"stopped_{go_on.__name__}"
        with pytest.raises(Stopped, match="120 of 240 games are played and saved"):
            run_experiment(tmp_path / "finish.toml", out, watch=watch)
        adapted = len(calls)
        again = go_on(out)
        assert len(calls) == adapted and again.description == whole.description
        for one, other in zip(again.settings, whole.settings, strict=True):
            assert one.played.tally == other.played.tally and one.label == other.label


def test_an_experiment_with_adapted_players(tmp_path, calls):
    file = tmp_path / "finish.toml"
    file.write_text(FINISH)
    study = run_experiment(file, tmp_path / "played")
    assert [setting.factors["line_up"] for setting in study.settings] == ["racer", "racer adapted"] * 2
    assert study.settings[2].rules == study.settings[3].rules and calls == [1, 1]
    assert "best answers found" in study.description and "equilibrium" in study.description
    first = load_study(tmp_path / "played")
    assert first.settings[3].strategies[0].changes == study.settings[3].strategies[0].changes
    with pytest.raises(UserError, match="exists already"):
        run_experiment(file, tmp_path / "played")
    assert calls == [1, 1]  # it is refused before anybody adapts
    assert "racer adapted" in report_on(tmp_path / "played", tmp_path / "report.html").read_text(encoding="utf-8")
    file.write_text("adapt = 9\n")
    with pytest.raises(UserError, match="from 0 to 5"):
        run_experiment(file, tmp_path / "other")

"""`run --beside-printed`: one's own rules and the printed ones on the same deals, in one folder and one report."""

import json

import pytest
from click.testing import CliRunner

from jamaica_sim import Rules, UserError, report_on, simulate
from jamaica_sim.cli import main
from jamaica_sim.play.game_table import seat_table
from jamaica_sim.study.experiment.run_experiment import beside_printed
from jamaica_sim.study.experiment.study import load_study
from jamaica_sim.study.tune.adapting import adapt

RUN = ["run", "-n", "400", "-s", "random", "-p", "3", "--seed", "5", "--threads", "1"]


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    folder = tmp_path_factory.mktemp("beside") / "h5"
    done = CliRunner().invoke(main, [*RUN, "--rule", "hand_size=5", "--out", str(folder), "--beside-printed"])
    assert done.exit_code == 0, done.output
    return folder, done.output


def test_both_rules_are_played_on_the_same_deals(played):
    printed, mine = load_study(played[0]).settings
    assert printed.rules == Rules(players=3) and mine.rules == Rules(players=3, hand_size=5)
    for setting in (printed, mine):
        alone = simulate(400, rules=setting.rules, strategies="random", seed=5)
        assert setting.played.of_game("rounds") == alone.of_game("rounds")
    assert "the printed rules" in played[1] and "hand size 5" in played[1] and "difference" in played[1]


def test_the_report_has_both_and_its_command_makes_it_again(played, tmp_path):
    study = load_study(played[0])
    assert study.command.endswith("--rule hand_size=5 -s random --seed 5 --beside-printed --out h5")
    page = report_on(played[0], tmp_path / "h5.html").read_text(encoding="utf-8")
    assert "the printed 2007 rules" in page and "With hand size 5" in page and "Hand size 5: hand size 5" not in page


FINISH = ["run", "-n", "200", "-s", "racer", "--rule", "space.0.score=0", "--adapt", "1", "--format", "json"]


def quickly(table, steps, **how):
    return adapt(table, steps, 24, 800, **how)


def test_players_who_adapt_stand_beside_the_old_ones(tmp_path, monkeypatch):
    monkeypatch.setattr("jamaica_sim.study.experiment.run_experiment.adapt", quickly)
    done = CliRunner().invoke(main, [*FINISH, "--out", str(tmp_path / "x"), "--beside-printed"])
    found = json.loads(done.stdout)
    old, adapted = found["tables"].items()
    assert "best answers found" in adapted[0] and "the best answer found to racer" in found["description"]
    for (_, rows), who in ((old, "racer"), (adapted, "racer_adapted")):
        assert {f"the_printed_rules,_{who}", f"space.0.score_0,_{who}", "difference"} <= rows[0].keys()


def test_a_run_whose_players_adapt_is_one_object(monkeypatch):
    monkeypatch.setattr("jamaica_sim.study.tune.adapting.adapt", quickly)
    found = json.loads(CliRunner().invoke(main, FINISH).stdout)
    assert found["games"] == 200 and "Old players and adapted ones" in found["tables"]
    assert found["found"].startswith("step 1: the best answer found to racer")


def test_the_report_of_one_run_names_the_command(tmp_path):
    simulate(50, strategies="random", hand_size=5, out=tmp_path / "alone")
    told = report_on(tmp_path / "alone", tmp_path / "alone.html").read_text(encoding="utf-8")
    assert "--beside-printed --out alone_beside" in told
    simulate(50, strategies="random", out=tmp_path / "usual")
    assert "--beside-printed" not in report_on(tmp_path / "usual", tmp_path / "u.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--out", "x"], "These are the printed rules"),
        (["--rule", "hand_size=5"], "give --out DIR"),
        (["--rule", "hand_size=5", "--out", "x", "--events"], "goes without"),
        (["--rule", "hand_size=5", "--out", "x", "--luck", "dice=4"], "goes without"),
    ],
)
def test_what_does_not_go_with_it(more, words):
    done = CliRunner().invoke(main, [*RUN, "--beside-printed", *more])
    assert done.exit_code == 2 and words in done.output


def test_a_long_change_has_a_short_name():
    many = {f"space.{n}.cost": 1 for n in (1, 2, 3, 5)}
    assert beside_printed(seat_table(**many), 10, "x").settings[1].label == "these rules"
    with pytest.raises(UserError, match="printed rules"):
        beside_printed(seat_table(), 10, "x")

"""One ship of each strategy among ships of each other."""

import json
import signal

import pytest
from click.testing import CliRunner

from jamaica_sim import compare
from jamaica_sim.cli import main
from jamaica_sim.study.compare import one_against_each as module
from jamaica_sim.study.compare.compare import prepare
from jamaica_sim.study.compare.one_against_each import one_against_each
from jamaica_sim.study.simulate import Stopped


def test_one_ship_among_others():
    found = one_against_each(prepare(["balanced", "random", "racer"], players=3), 400)
    alone = compare(["balanced"], against=["random"], games=400, players=3)
    assert found.rates[0, 1] == alone.win_rate(0) and found.edges[0, 1] == alone.edge
    assert found.invaders()["random"] == ["balanced", "racer"]
    assert not {"random"} & {*found.invaders()["balanced"], *found.invaders()["racer"]}
    assert "random by balanced, racer" in found.sentence()


def test_two_of_a_kind_do_not_invade_each_other():
    assert not any(one_against_each(prepare(["balanced", "balanced"]), 400).invaders().values())


def test_the_command():
    words = ["compare", "balanced", "random", "--survive", "-n", "100"]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0 and "One ship among others of a kind" in done.stdout and "Invaded: random" in done.stdout
    facts = json.loads(CliRunner().invoke(main, [*words, "--format", "json"]).stdout)
    assert facts["invaded_by"] == {"balanced": [], "random": ["balanced"]}
    refused = CliRunner().invoke(main, [*words, "--out", "x"])
    assert refused.exit_code == 2 and "leave" in refused.stderr


@pytest.mark.parametrize("after", [0, 1, 3])
def test_ctrl_c_shows_the_pairs_that_are_complete(after, monkeypatch):
    played, real = [], module.compare

    def counted(*strategies, **how):
        if len(played) == after:
            signal.raise_signal(signal.SIGINT)
        played.append(strategies)
        return real(*strategies, **how)

    monkeypatch.setattr(module, "compare", counted)
    contest = prepare(["balanced", "racer", "random"])
    with pytest.raises(Stopped, match=f"{after} of 6 pairs are played") as stopped:
        one_against_each(contest, 400)
    if not after:
        assert stopped.value.answer is None
        return
    found = stopped.value.answer
    monkeypatch.setattr(module, "compare", real)
    whole = one_against_each(contest, 400)
    assert len(found.rates) == after and all(whole.rates[pair] == rate for pair, rate in found.rates.items())
    assert found.sentence().startswith("Not all pairs are played.") and found.as_csv() and found.as_json()

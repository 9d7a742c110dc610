"""Who survives: one ship among others of each kind, against what these win themselves."""

import signal

import pytest
from click.testing import CliRunner

from jamaica_sim import UserError, compare, simulate, survive
from jamaica_sim.cli import main
from jamaica_sim.comparison import surviving
from jamaica_sim.run.simulate import Stopped


def test_one_ship_among_others():
    found = survive(["balanced", "random", "racer"], games=400, players=3)
    assert found.rates[0, 1] == compare(["balanced"], against=["random"], games=400, players=3).win_rate(0)
    assert found.among_own[0].value == pytest.approx(1 / 3) and found.among_own[0].half_width == 0
    assert found.gain(0, 1).value == pytest.approx(found.rates[0, 1].value - 1 / 3)
    assert set(found.invaders[1]) == {0, 2} and 1 not in found.invaders[0] + found.invaders[2]
    assert "random by balanced, racer" in found.sentence()
    assert found.facts()["invaded_by"]["random"] == ["balanced", "racer"]


def test_with_the_ghost_the_usual_share_is_measured():
    found = survive(["balanced", "random"], games=300, players=2, edition="2021")
    alone = simulate(games=300, players=2, edition="2021", strategies="random").ghost_win_rate
    usual = found.among_own[1]
    assert usual.value == pytest.approx((1 - alone.value) / 2) and usual.half_width > 0
    assert found.gain(0, 1).half_width > found.rates[0, 1].half_width
    assert "is measured" in found.circumstances()


def test_two_of_a_kind_do_not_invade_each_other():
    assert survive(["balanced", "balanced"], games=400).invaders == {0: [], 1: []}
    with pytest.raises(UserError, match="at least two"):
        survive(["balanced"])


def test_the_command():
    words = ["compare", "balanced", "random", "--survive", "-n", "100"]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0 and "One ship among others of a kind" in done.stdout and "Invaded: random" in done.stdout
    assert " 25.0%" in done.stdout and "wrongly called an invasion is at most 5%" in " ".join(done.stdout.split())
    refused = CliRunner().invoke(main, [*words, "--out", "x"])
    assert refused.exit_code == 2 and "leave" in refused.stderr


@pytest.mark.parametrize("after", [0, 1, 3])
def test_ctrl_c_shows_the_pairs_that_are_complete(after, monkeypatch):
    played, real = [], surviving.compare

    def counted(*strategies, **how):
        if len(played) == after:
            signal.raise_signal(signal.SIGINT)
        played.append(strategies)
        return real(*strategies, **how)

    monkeypatch.setattr(surviving, "compare", counted)
    with pytest.raises(Stopped, match=f"{after} of 6 pairs are played") as stopped:
        surviving.survive(["balanced", "racer", "random"], games=400)
    if not after:
        assert stopped.value.answer is None
        return
    found = stopped.value.answer
    monkeypatch.setattr(surviving, "compare", real)
    whole = surviving.survive(["balanced", "racer", "random"], games=400)
    assert len(found.rates) == after and all(whole.rates[pair] == rate for pair, rate in found.rates.items())
    assert found.sentence().startswith("Not all pairs are played.") and found.as_csv() and found.as_json()

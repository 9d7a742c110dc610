"""Ctrl-C shows what there is: the answer of the first games, the same as if only these had been asked for."""

import signal

import pytest
from click.testing import CliRunner

from jamaica_sim.cli import main
from jamaica_sim.play.game_table import seat_table
from jamaica_sim.study import simulate
from jamaica_sim.study.lab.common_deals import PIECE
from jamaica_sim.study.lab.sweep import make_plan, play_sweep
from jamaica_sim.study.simulate import Stopped, run_games

TABLE = seat_table(strategies="random", players=3)


def ctrl_c_after(games):
    """A function to show progress that presses Ctrl-C once, when so many games are played."""
    pressed = []

    def progress(done):
        if done >= games and not pressed:
            pressed.append(done)
            signal.raise_signal(signal.SIGINT)

    return progress


@pytest.mark.parametrize("out", [None, "run"])
def test_a_run(out, tmp_path):
    with pytest.raises(Stopped, match="Stopped: .* of 100,000 games are played") as stopped:
        run_games(TABLE, 100_000, chunk_size=50, threads=1, out=out and tmp_path / out, progress=ctrl_c_after(200))
    answer = stopped.value.answer
    assert 200 <= answer.games < 100_000
    assert answer.tally.tobytes() == run_games(TABLE, answer.games, threads=1).tally.tobytes()


def test_a_sweep_has_the_same_games_of_every_table():
    with pytest.raises(Stopped, match="of 50,000 games of each set of rules are played") as stopped:
        play_sweep(make_plan({"hand_size": (2, 4)}, TABLE, 50_000), 1, ctrl_c_after(3 * PIECE + 1))
    found = stopped.value.answer
    assert found.plan.games in range(PIECE, 50_000, PIECE)
    whole = play_sweep(make_plan({"hand_size": (2, 4)}, TABLE, found.plan.games), 1)
    assert [one.tally.tobytes() for one in found.results] == [one.tally.tobytes() for one in whole.results]
    assert found.as_csv() == whole.as_csv()


def test_the_command_prints_it_and_ends_with_1(monkeypatch):
    def stopped(table, games, **how):
        return run_games(table, games, chunk_size=50, threads=1, progress=ctrl_c_after(200))

    monkeypatch.setattr(simulate, "run_games", stopped)
    ended = CliRunner().invoke(main, ["run", "--games", "100000", "-s", "random", "--format", "csv"])
    assert ended.exit_code == 1 and ended.stdout.count("\n") > 10
    assert ended.stderr.startswith("Stopped: ") and ended.stderr.endswith("is kept and can be resumed.\n")


@pytest.mark.parametrize("command", [["run", "-r", "hand_size=5"], ["sweep", "hand_size=2,4"]])
def test_games_are_printed_where_only_their_tension_is_missing(command, tmp_path, monkeypatch):
    def stopped(*_, **__):
        raise KeyboardInterrupt

    for module in ("results.drama", "study.lab.common_deals"):
        monkeypatch.setattr(f"jamaica_sim.{module}.measure_drama", stopped)
    out = str(tmp_path / "kept")
    ended = CliRunner().invoke(main, [*command, "-n", "200", "-s", "random", "--tension", "--out", out])
    assert ended.exit_code == 1 and "200 games" in ended.stdout
    assert ended.stderr.endswith(
        f"Stopped while the tension of games was measured: it is missing. {out} has all but that.\n"
    )

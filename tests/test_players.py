"""Plain Python players: seated like strategies, asked with what they may see, and named when they go wrong."""

import json
import signal
import threading
from contextlib import contextmanager

import pytest

from jamaica_sim import compare, load, load_strategy, new_strategy, replay, resume, simulate
from jamaica_sim.cli import main
from jamaica_sim.engine.state import POSITION_BYTES  # noqa: F401 (the engine is compiled first)
from jamaica_sim.game.codes import DECISIONS
from jamaica_sim.play.check import check_strategy
from jamaica_sim.play.outside.game import Game
from jamaica_sim.play.state_record import StrategyFault
from jamaica_sim.strategy.library import Untrusted, look_at_strategy
from jamaica_sim.strategy.strategy import StrategyError
from jamaica_sim.study.experiment.file import load_experiment
from jamaica_sim.study.experiment.run_experiment import run_experiment
from jamaica_sim.study.simulate import Stopped, run_games

FIRST = "def answer(question):\n    return question.options[0]\n"
LUCKY = "def answer(question):\n    return question.luck.choice(question.options)\n"


def first(question):
    """Takes the first answer."""
    return question.options[0]


def lucky(question):
    return question.luck.choice(question.options)


@pytest.fixture
def mine(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(f'"""Plays by luck."""\n{LUCKY}')
    return path


def test_a_function_plays_like_a_strategy():
    results = simulate(games=40, players=3, strategies=[first, "balanced"], seed=3)
    assert results.games == 40 and "first" in str(results)
    assert replay(2, players=3, strategies=[first, "balanced"], seed=3)["config"]["strategies"][0] == "first"
    assert compare(first, "balanced", games=40, players=2, ghost=True).games == 40


def test_the_same_seed_is_the_same_result_on_any_threads_and_chunks(mine):
    one, many = (
        simulate(games=60, players=3, strategies=[lucky, str(mine)], seed=3, threads=t, chunk_size=c)
        for t, c in ((1, 60), (2, 7))
    )
    assert one.tally.tobytes() == many.tally.tobytes()
    assert simulate(games=60, players=3, strategies=[lucky, str(mine)], seed=4).tally.tobytes() != one.tally.tobytes()


def test_a_player_is_asked_all_that_a_seat_outside_is_asked():
    """The game of a player is the game of `Game` with the same answers, whoever sits beside it."""
    for number in range(4):
        asked = []

        def noting(question, asked=asked):
            asked.append(repr(question))
            return question.luck.choice(question.options)

        rules = dict(players=3, ghost=True, edition="2021", seed=9)
        trace = replay(number, strategies=[noting, "balanced", "champion"], **rules)
        game, seen = Game(strategies=[None, "balanced", "champion"], number=number, **rules), []
        while not game.is_over:
            seen.append(repr(game.question))
            game.answer(game.question.luck.choice(game.question.options))
        assert seen == asked and game.events == trace["events"] and game.result == trace["result"]


def test_a_file_is_of_one_kind_or_the_other(tmp_path):
    path = tmp_path / "both.py"
    path.write_text(f"{FIRST}\ndef use_sabre(view, rules, weights):\n    return 0\n")
    for read in (load_strategy, look_at_strategy):
        with pytest.raises(StrategyError, match="either a Python player, with answer"):
            read(path)
    path.write_text("def answer(question, more):\n    return 0\n")
    with pytest.raises(StrategyError, match="one argument, the question"):
        load_strategy(path)
    path.write_text(FIRST)
    assert load_strategy(path).kind == look_at_strategy(path).kind == "plain"
    with pytest.raises(StrategyError, match="None is a seat outside"):
        simulate(games=1, strategies=["balanced", None])


def test_a_player_that_errs_is_named(tmp_path):
    path = tmp_path / "wrong.py"
    path.write_text("def answer(question):\n    return {}[question.decision]\n")
    with pytest.raises(
        StrategyFault, match=r"wrong.py\) raised KeyError: 'place_dice' \(line 2\) at place_dice in game"
    ):
        simulate(games=4, strategies=[str(path), "balanced"])
    for wrong in (99, -1, "2", None, 1.5):
        with pytest.raises(StrategyFault, match=f"answered {wrong!r}, which is not one of the legal options, at"):
            simulate(games=4, strategies=[lambda question, wrong=wrong: wrong, "balanced"])
    with pytest.raises(StrategyFault, match="the strategy lambda raised StopIteration"):
        simulate(games=1, strategies=[lambda question: next(iter(()))])
    with pytest.raises(StrategyFault, match="raised SystemExit: 3"):  # not the end of our process
        replay(0, strategies=[lambda question: exit(3)])


def test_a_player_that_never_answers_is_named(monkeypatch):
    monkeypatch.setenv("JAMAICA_SIM_PATIENCE", "0.3")
    waiting = threading.Event()
    with pytest.raises(StrategyFault, match="the strategy waits has not answered for 0.3 seconds at"):
        simulate(games=4, strategies=[named("waits", lambda question: waiting.wait()), "balanced"])
    waiting.set()


def named(name, function):
    function.__name__ = name
    return function


def test_a_run_is_kept_resumed_and_has_rows(mine, tmp_path):
    whole = simulate(games=50, players=3, strategies=[str(mine), "balanced"], out=tmp_path / "whole", per_game=True)
    assert (tmp_path / "whole" / "games").is_dir()
    with pytest.raises(KeyboardInterrupt):
        stop_after(30, tmp_path / "half", mine)
    assert resume(tmp_path / "half", trust=True).tally.tobytes() == whole.tally.tobytes()
    assert load(tmp_path / "half").games == 50


def stop_after(games, out, mine):
    from jamaica_sim.play.game_table import seat_table

    def progress(done):
        if done >= games:
            raise KeyboardInterrupt

    run_games(seat_table(None, [str(mine), "balanced"], players=3), 50, out=out, chunk_size=10, progress=progress)


@pytest.mark.slow
def test_an_experiment_seats_players_in_threads_and_goes_on(mine, tmp_path):
    """Stopped within its second setting it goes on from its folder, and ends up like one that was never stopped."""
    mine.write_text(f"{mine.read_text()}# that nobody has named yet\n")
    path = tmp_path / "two.toml"
    path.write_text(f'games = 600\nline_ups = [["./{mine.name}", "balanced"]]\n[rules]\nedition = ["2007", "2021"]\n')
    found = load_experiment(path)
    with pytest.raises(Untrusted):  # a file may come from anybody
        run_experiment(found, tmp_path / "whole")
    whole = run_experiment(found, tmp_path / "whole", threads=2, trust=True)

    @contextmanager
    def watch(label, number):
        yield lambda done: signal.raise_signal(signal.SIGINT) if number == 1 else None

    with pytest.raises(Stopped):
        run_experiment(found, tmp_path / "stopped", watch=watch, threads=1, trust=True)
    mine.unlink()  # it was read once
    again = resume(tmp_path / "stopped", trust=True)
    assert [setting.results.tally for setting in again.settings] == [s.results.tally for s in whole.settings]
    with pytest.raises(ValueError, match="the Python player mine can answer on this machine only"):
        run_experiment(found, tmp_path / "elsewhere", cluster="local:1", trust=True)


def test_a_function_is_not_there_when_a_run_goes_on(tmp_path):
    simulate(games=20, players=3, strategies=[first, "balanced"], out=tmp_path / "run")
    assert load(tmp_path / "run").games == 20
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text())
    assert manifest["configuration"]["strategies"][0]["kind"] == "plain"
    (tmp_path / "run" / "sums.npy").unlink()
    with pytest.raises(StrategyError, match="is a Python function that only its own program has"):
        resume(tmp_path / "run")


def test_a_strangers_player_is_not_run(tmp_path):
    marker = tmp_path / "ran"
    player = tmp_path / "stranger.py"
    player.write_text(f"open({str(marker)!r}, 'a').write('x')\n{FIRST}")
    stranger = look_at_strategy(player)
    assert stranger.not_loaded and not marker.exists()
    with pytest.raises(StrategyError, match="its code was read, but not run"):
        stranger.addresses()
    game = Game(players=3, strategies=[None, "balanced", "racer"])
    path = tmp_path / "game.jamaica.json"
    game.answer(game.question.options[0])
    game.save(path)
    saved = json.loads(path.read_text())
    saved["strategies"][1] = stranger.identity()
    path.write_text(json.dumps(saved))
    with pytest.raises(Untrusted):
        Game.load(path)
    assert Game.watch(path).answers == game.answers and not marker.exists()


def test_a_cluster_refuses_players(mine):
    for play in (lambda: simulate(games=10, strategies=[str(mine)], cluster="local:1"),
                 lambda: compare(str(mine), "balanced", games=100, cluster="local:1")):  # fmt: skip
        with pytest.raises(ValueError, match="the Python player mine can answer on this machine only"):
            play()


def test_the_check_says_the_kind_and_finds_luck_that_is_not_keyed(mine, tmp_path, capsys):
    report = check_strategy(mine)
    assert report.problems == [] and set(report.asked) == set(DECISIONS) - {"house_choice"}
    path = tmp_path / "moody.py"
    path.write_text("import random\n\ndef answer(question):\n    return random.choice(question.options)\n")
    with pytest.raises(SystemExit):
        main(["strategies", "check", str(path)])
    told = capsys.readouterr()
    assert "moody (a plain Python player)" in told.out
    assert "answers the same view in different ways" in told.out + told.err


def test_the_template_plays(tmp_path):
    path = new_strategy("fresh", tmp_path, plain=True)
    fresh = simulate(200, strategies=[path, "random"], seed=2)
    assert fresh.win_rate("fresh").low > 0.3 > 0.2 > fresh.win_rate("random").high  # of 25% each, if they were equal
    assert simulate(games=20, players=3, strategies=[str(path), "random"]).games == 20
    with pytest.raises(StrategyError, match="choose one of code and plain"):
        new_strategy("both", tmp_path, code=True, plain=True)

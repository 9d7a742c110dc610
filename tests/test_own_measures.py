"""Measures of one's own: what the table of games says, wherever games are counted, and refused in a sentence."""

import json

import numpy as np
import pytest
from command import assert_told, type_in

from jamaica_sim import balance, compare, load, merge_runs, resume, run_experiment, simulate, sweep
from jamaica_sim.play.own_measures import MOST, TAKEN, total_of
from jamaica_sim.report.report import make_report
from jamaica_sim.results.measures import BY_KEY
from jamaica_sim.study import simulate as playing
from jamaica_sim.study.experiment.study import load_study

OWN = {"close": "margin < 3", "cost": "shortages / (battles - 8)", "mine": "winners == racer"}
SEATS = {"strategies": ["balanced", "racer"], "players": 3, "ghost": True}
GAMES = 700


def flat_of(results):
    return results.by_game(tidy=False)


@pytest.fixture(scope="module")
def results():
    return simulate(GAMES, **SEATS, measures=OWN, per_game=True, chunk_size=100)


def test_a_measure_is_what_the_table_of_games_says(results):
    games = flat_of(results)
    scores = np.sort(games[[f"score_{ship}" for ship in range(4)]].to_numpy().astype(int), axis=1)
    shared = np.bitwise_count(games["winners"].to_numpy()) > 1
    margin = np.where(shared, 0, scores[:, -1] - scores[:, -2])
    shortages = games[[f"shortages_{ship}_{kind}" for ship in range(4) for kind in ("gold", "food")]].sum(axis=1)
    battles = games[[f"attacks_{ship}" for ship in range(4)]].sum(axis=1)
    fought = battles != 8
    close, cost, mine = (results.of_game(name) for name in OWN)
    assert (close.value, close.n) == (np.mean(margin < 3), GAMES)
    assert cost.n == fought.sum() < GAMES, "a game without a value does not count"
    assert cost.value == pytest.approx((shortages / (battles - 8))[fought].mean(), abs=1e-6)
    assert mine.value == np.mean(games["winners"] == 2)
    error = (shortages / (battles - 8))[fought].std(ddof=1) / np.sqrt(fought.sum())
    assert cost.half_width == pytest.approx(1.96 * error, rel=0.3)
    assert [row[0] for row in results.shares().rows][-2:] == ["close", "mine"]
    assert results.game().rows[-1][0] == "cost"


def test_chunks_and_threads_change_nothing(results):
    again = simulate(GAMES, **SEATS, measures=OWN, chunk_size=37, threads=2)
    assert again.tally["own"].tolist() == results.tally["own"].tolist()
    assert again.tables() == results.tables()


def test_the_same_function_gives_the_same(results):
    by_function = simulate(GAMES, **SEATS, measures={"close": lambda games: games["margin"] < 3})
    assert by_function.of_game("close") == results.of_game("close")


def test_differences_are_paired(results):
    other = simulate(GAMES, **SEATS, measures=OWN, hand_size=4)
    paired, alone = other.difference(results, "close"), results.of_game("close")
    assert paired.value == pytest.approx(other.of_game("close").value - alone.value)
    assert other.difference(other, "cost").value == 0


def test_a_stopped_run_goes_on_and_runs_are_joined(tmp_path, monkeypatch, results):
    whole = simulate(GAMES, **SEATS, measures=OWN, out=tmp_path / "whole")
    play = playing.play_in_order

    def stopping(*args, **kwargs):
        for number, played in enumerate(play(*args, **kwargs)):
            if number == 3:
                raise KeyboardInterrupt
            yield played

    monkeypatch.setattr(playing, "play_in_order", stopping)
    with pytest.raises(KeyboardInterrupt):
        simulate(GAMES, **SEATS, measures=OWN, out=tmp_path / "stopped", chunk_size=90)
    monkeypatch.undo()
    resume(tmp_path / "stopped")
    for name in ("sums.npy", "tables.json"):
        assert (tmp_path / "stopped" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    assert load(tmp_path / "whole").of_game("cost") == whole.of_game("cost") == results.of_game("cost")
    for first, many in ((0, 300), (300, 400)):
        simulate(many, **SEATS, measures=OWN, first_game=first, out=tmp_path / f"part {first}")
    joined = merge_runs([tmp_path / "part 0", tmp_path / "part 300"], tmp_path / "joined")
    assert joined.of_game("cost") == results.of_game("cost")
    simulate(50, **SEATS, first_game=GAMES, out=tmp_path / "without")
    assert_told(type_in("merge", tmp_path / "whole", tmp_path / "without", "--out", tmp_path / "no"), 2, "measures")


def test_a_comparison_names_ships_by_strategy(tmp_path):
    own = {"close": "margin < 3", "tenacious": "winners == racer and comeback", "turns": "rounds"}
    alone = simulate(200, strategies=["balanced", "racer"], measures=own, per_game=True)
    turned = simulate(200, strategies=["racer", "balanced"], measures=own)
    duel = compare("balanced", "racer", games=400, measures=own, out=tmp_path / "duel")
    for name in own:
        both = (alone.of_game(name).value + turned.of_game(name).value) / 2
        assert duel.measure(name).value == pytest.approx(both)
    assert 0 < duel.measure("close").half_width < 0.1
    assert load(tmp_path / "duel").measure("turns") == duel.measure("turns")
    titles = [table.title for table in duel.result_tables()]
    assert titles == ["Strategies", "How often", "An average game"]


def test_a_sweep_a_search_and_an_experiment_take_them(tmp_path):
    own = {"close": "margin < 3", "turns": "rounds * 2"}
    hands = sweep({"hand_size": (3, 4)}, games=400, strategies="balanced", measures=own)
    assert hands.difference("turns", {"hand_size": 4}).value == 2 * hands.difference("rounds", {"hand_size": 4}).value
    assert hands.value("close").value == pytest.approx(100 * hands.results[0].of_game("close").value)
    found = balance(
        {"turns": {"at_most": 20}, "close": (0, 100)}, {"hand_size": "2..5"}, measures=own, trials=4, games=400,
        search_games=200, adapt=0, strategies="balanced", out=tmp_path / "search",
    )  # fmt: skip
    assert found.value("turns", 0).value == pytest.approx(2 * found.value("rounds", 0).value)
    assert load(tmp_path / "search").sentence() == found.sentence()
    text = 'games = 300\nline_ups = ["balanced"]\nquestion = "close"\n[rules]\nhand_size = [3, 4]\n[measures]\n'
    file = tmp_path / "hands.toml"
    file.write_text(text + 'close = "margin < 3"\n', encoding="utf-8")
    run_experiment(file, tmp_path / "hands")
    study = load_study(tmp_path / "hands")
    report = make_report(study)
    assert "close" in report.headline
    assert any(chapter.subject == "Measures of your own" for chapter in report.chapters)
    file.write_text(text + 'close = "margn < 3"\n', encoding="utf-8")
    assert_told(type_in("experiment", "run", file, "--out", tmp_path / "no"), 2, "margin", "close")


SLIPS = {
    "x = magin < 3": "did you mean 'margin'",
    "x = winners == balancd": "did you mean 'balanced'",
    "x = winners": "compare it",
    "x = __import__('os')": "it may have columns",
    "x = rounds.real": "it may have columns",
    "x = rounds ** 9": "it may have columns",
    "x = " + "not " * 60 + "comeback": "within each other",
    "x = " + "rounds+" * 300 + "1": "1000 letters",
    "rounds = margin < 3": "another name",
    "two words = margin < 3": "a name and an expression",
    "margin < 3": "a name and an expression",
}


@pytest.mark.parametrize("text", SLIPS)
def test_slips_are_told_in_a_sentence(text):
    assert_told(type_in("run", "-n", 10, "--measure", text), 2, SLIPS[text])


def test_what_has_no_value_does_not_count():
    found = simulate(50, strategies="random", measures={"a": "rounds / 0", "b": "rounds % 0", "c": "game * 9999999"})
    assert [found.of_game(name).n for name in "abc"] == [0, 0, 1]
    assert np.isnan(found.of_game("a").value)
    assert total_of(found.tally["own"]).sum() == 0


def test_limits_and_functions_that_cannot_be_kept(tmp_path):
    with pytest.raises(ValueError, match=f"{MOST} measures"):
        simulate(1, measures={f"m{i}": "rounds" for i in range(MOST + 1)})
    with pytest.raises(ValueError, match="a folder"):
        simulate(1, measures={"f": lambda games: games["rounds"]}, out=tmp_path / "kept")
    with pytest.raises(ValueError, match="f failed: KeyError"):
        simulate(1, measures={"f": lambda games: games["round"]})
    with pytest.raises(ValueError, match="for each game"):
        simulate(1, measures={"f": lambda games: 1})
    assert set(BY_KEY) <= set(TAKEN)


def test_a_folder_says_what_was_measured(tmp_path):
    words = f"run -n 60 -s balanced --out {tmp_path / 'run'} --measure".split()
    assert type_in(*words, "close = margin < 3").exit_code == 0
    assert json.loads((tmp_path / "run" / "manifest.json").read_text())["configuration"]["measures"] == {
        "close": "margin < 3"
    }
    page = tmp_path / "run.html"
    assert type_in("report", tmp_path / "run", "--out", page).exit_code == 0
    assert "Measures of your own" in page.read_text(encoding="utf-8")
    assert "close = margin &lt; 3" in page.read_text(encoding="utf-8")

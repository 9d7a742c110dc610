"""Tension of games: the measures of a game made by hand, calibrated chances, the same on any number of threads."""

import numpy as np
import pytest

from jamaica_sim import UserError, balance, load, sweep
from jamaica_sim.engine.state import POSITION_DTYPE
from jamaica_sim.play.chunks import Chunk, chunks
from jamaica_sim.play.game_table import seat_table
from jamaica_sim.play.positions import Capturer, Foresight, GamePositions, Onward
from jamaica_sim.results.drama import (
    BATCH,
    FEWEST,
    HOPE,
    WORDS,
    RoundTracer,
    _chances_after,
    _gap,
    _of_game,
    _one_of,
    _sway,
    _values,
    drama_of,
    measure_drama,
)
from jamaica_sim.results.measures import DRAMA, quantities_of
from jamaica_sim.results.results import Results
from jamaica_sim.study.folder import keep_drama
from jamaica_sim.study.simulate import run_games

TABLE = {"players": 3, "ghost": True, "strategies": "balanced", "seed": 5}


@pytest.fixture(scope="module", autouse=True)
def few_choices():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("jamaica_sim.results.drama.CHOICES", 40)
        yield


@pytest.fixture(scope="module")
def drama():
    return measure_drama(seat_table(**TABLE), 600, threads=2)


def test_the_measures_of_a_game_made_by_hand():
    chances = np.array([[0.4, 0.3, 0.3], [0.6, 0.3, 0.1], [0.45, 0.5, 0.05], [0.7, 0.2, 0.1], [0.8, 0.15, 0.05]])
    found = _of_game(chances, np.array([1.0, 0.0, 0.0]), np.array([20, 10, 3]))
    assert found["decided"] == 3 / 5 and found["decided_round"] == 3
    assert found["favourites"] == 2
    assert found["hope"] == 4 / 5  # ship 2 came last, and had 10% before the fourth round
    assert found["tension"] == pytest.approx((0.2 + 0.2 + 0.3 + 0.1 + 0.2) / 5)
    never = _of_game(np.array([[0.3, 0.7]] * 4), np.array([1.0, 0.0]), np.array([5, 1]))
    assert never["decided"] == 1 and never["favourites"] == 0
    assert HOPE == 0.1


def test_chances_are_calibrated(drama):
    for judged, won, n in drama.calibration:
        error = np.sqrt(max(judged * (1 - judged), 0.02) / n)
        assert abs(judged - won) < 0.02 + 6 * error, (judged, won, n)  # chances of one game are not independent
    assert sum(n for _, _, n in drama.calibration) > 600 * 4 * 8


def test_the_same_on_any_number_of_threads(drama):
    alone = measure_drama(seat_table(**TABLE), 600, threads=1)
    assert all((alone.totals[name] == drama.totals[name]).all() for name in WORDS)
    assert 0.5 < drama.of("decided").value < 1 and drama.of("waiting").value == pytest.approx(2, abs=0.2)
    assert drama.of("tension").half_width < 0.02


def test_choices_that_matter(drama):
    matter = drama.of("matter")
    assert matter.n == 40 and 0.2 < matter.value < 0.95
    king = drama.of("kingmaking")
    assert king.n == 40 and 0 <= king.value < 0.2
    without = measure_drama(seat_table(**TABLE), FEWEST, matter=False)
    assert not {"matter", "kingmaking"} & {*without.totals} and "matter" not in {
        m.key for m in quantities_of(seat_table(**TABLE))
    }
    assert drama_of(without.as_dict()).totals.keys() == without.totals.keys()  # a file of an earlier version


def test_who_sways_another_is_found_in_one_half_of_the_games_and_measured_in_the_other():
    others = np.zeros((3, 64, 2))
    others[2, :, 1] = 0.4  # the third answer gives the second of the others 40 points
    assert _sway(others) == pytest.approx(0.4)
    luck = np.random.default_rng(1)
    swayed = [_sway(luck.random((6, 64, 3))) for _ in range(400)]  # answers that change nothing
    assert abs(np.mean(swayed)) < 3 * np.std(swayed) / 20


@pytest.mark.slow
def test_choices_are_judged_as_by_games_played_to_the_end():
    """The best answer of a choice, and how much better it is, as many games played on to the end have it."""
    who, judges = seat_table(strategies="balanced"), seat_table(strategies="master")
    found = [one for chunk in chunks(0, 600, BATCH) for one in RoundTracer(who).snapshots(chunk)]
    _, fits, _ = _values(found, 4)
    judged, played = [], []
    for choice, game in zip(found[0].choices, range(BATCH), strict=True):
        judged.append(_gap(_chances_after(Foresight(judges), (choice, fits[game % 2]))[0]))
        positions = GamePositions(judges, game, Capturer(who))
        position = positions.decisions()[_one_of(np.arange(len(positions.decisions())), game)]
        assert position.read("legal") == choice.view(POSITION_DTYPE)["legal"][0]
        tasks = [Onward(position, answer, as_known=True) for answer in position.options]
        second, best = sorted(chances.of(position.player) for chances in positions.chances(tasks, 400))[-2:]
        played.append(best - second)
    assert np.corrcoef(judged, played)[0, 1] > 0.7
    assert np.mean(judged) == pytest.approx(np.mean(played), abs=0.025)


def test_it_is_kept_in_a_folder(drama, tmp_path):
    run_games(seat_table(**TABLE), 600, out=tmp_path / "run")
    keep_drama(tmp_path / "run", [drama])
    loaded = load(tmp_path / "run").drama
    assert loaded.of("hope") == drama.of("hope") and loaded.calibration == drama.calibration
    (tmp_path / "run" / "tension.json").write_text('{"games": 1e999, "totals": {}}')
    assert load(tmp_path / "run").drama is None
    for forged in (None, [], {"games": 3}, {**drama.as_dict(), "totals": {name: [1.0] for name in WORDS}}):
        assert drama_of(forged) is None


def test_sweeps_and_targets_have_it(tmp_path):
    found = sweep({"hand_size": (3, 5)}, games=300, strategies="balanced", tension=True, out=tmp_path / "sweep")
    assert {measure.key for measure in DRAMA} <= {quantity.key for quantity in found.quantities}
    assert found.difference("tension", {"hand_size": 5}).n and "Tension is from" in found.circumstances()
    plain = sweep({"hand_size": (3, 5)}, games=300, strategies="balanced")
    assert "tension" not in {quantity.key for quantity in plain.quantities}


@pytest.mark.slow
def test_a_search_can_aim_at_tension(tmp_path):
    pytest.importorskip("optuna")
    found = balance(
        {"tension": {"at_least": 18}}, ranges={"hand_size": "2..5"}, strategies="balanced", games=400, search_games=400,
        trials=6, finalists=1, adapt=0, out=tmp_path / "search",
    )  # fmt: skip
    assert "tension" in str(found.result_tables()[0].columns) or found.task.drama


def test_too_few_games_are_refused():
    with pytest.raises(UserError, match=str(FEWEST)):
        measure_drama(seat_table(**TABLE), FEWEST - 1)
    assert Results.__dataclass_fields__["drama"].default is None


def test_long_games_that_fill_a_trace_are_all_there():
    chunk = Chunk(0, 2 * BATCH)
    found = RoundTracer(seat_table(players=6, strategies="random")).snapshots(chunk)
    assert len(found) > 1
    assert [game for one in found for game in one.rows["game"].tolist()] == list(range(chunk.games))
    assert all((one.rows["rounds"] > 0).all() for one in found)

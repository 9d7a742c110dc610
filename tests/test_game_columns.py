"""One row for each ship of each game: the same figures as the results, from memory and from a folder."""

import numpy as np
import pandas as pd
import pytest

from jamaica_sim import UserError, load_games, simulate
from jamaica_sim.files.limits import MOST_ROWS_IN_MEMORY

TABLE = {"players": 3, "ghost": True, "strategies": ["balanced", "random"], "seed": 4}


@pytest.fixture(scope="module")
def results():
    return simulate(games=1e3, per_game=True, **TABLE)


@pytest.fixture(scope="module")
def ships(results):
    return results.by_game()


def test_the_rows_are_those_of_the_results(results, ships):
    assert len(ships) == 4 * results.games and ships["game"].nunique() == results.games == 1000
    assert ships["win"].sum() == pytest.approx(results.games)
    for name in results.table.groups:
        assert ships.loc[ships["strategy"] == name, "win"].mean() == pytest.approx(results.win_rate(name).value)
    for seat, row in enumerate(results.seats().rows):
        mine = ships[ships["seat"] == seat]
        assert mine["win"].mean() == pytest.approx(row[1].value) and mine["score"].mean() == pytest.approx(row[2].value)
    assert (ships["seat"] == -1).equals(ships["strategy"] == "ghost ship")
    assert ships["attacks"].sum() / results.games == pytest.approx(results.of_game("battles").value)
    assert ships.drop_duplicates("game")["rounds"].mean() == pytest.approx(results.of_game("rounds").value)
    sources = ships[["position_points", "gold", "treasure_points"]].sum(axis=1)
    assert sources.eq(ships["score"]).all()


def test_what_is_told_of_a_set_of_ships_is_told_of_each(results, ships):
    flat = results.by_game(tidy=False)
    for ship in range(4):
        mine = ships[ships["ship"] == ship].reset_index(drop=True)
        assert mine["half_time_leader"].eq(flat["half_time_leaders"] & (1 << ship) != 0).all()
        assert mine["home_first"].eq(flat["ended_by"] == ship).all()
        assert mine["loaded_gold"].eq(flat[f"loaded_{ship}_gold"]).all()
        others = flat[[f"score_{other}" for other in range(4) if other != ship]].max(axis=1)
        assert mine["lead"].eq(flat[f"score_{ship}"] - others).all()


def test_a_folder_gives_the_same_with_and_without_rows(ships, tmp_path):
    for per_game in (True, False):
        simulate(games=1000, per_game=per_game, out=tmp_path / f"run{per_game}", **TABLE)
        pd.testing.assert_frame_equal(load_games(tmp_path / f"run{per_game}"), ships)
    flat = load_games(tmp_path / "runTrue", tidy=False)
    assert flat.shape[0] == 1000 and np.issubdtype(flat["winners"].dtype, np.integer)


def test_a_run_without_rows_says_how_to_keep_them():
    with pytest.raises(UserError, match="per_game=True"):
        simulate(games=10, strategies="random").by_game()


def test_rows_in_a_folder_are_read_from_it(tmp_path):
    options = {"games": 40, "players": 3, "strategies": "random", "per_game": True}
    kept = simulate(**options, out=tmp_path / "run").by_game()
    assert kept.equals(simulate(**options).by_game())
    with pytest.raises(UserError, match="kept in a folder"):
        simulate(games=MOST_ROWS_IN_MEMORY + 1, per_game=True)
    with pytest.raises(UserError, match=r"not 10\.5"):
        simulate(games=10.5)

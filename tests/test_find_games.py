"""Finding games of a run: conditions mean what they say and can do nothing else, presets find what they name."""

import json
import shlex

import numpy as np
import pandas as pd
import pytest
from command import type_in

from jamaica_sim import find_games
from jamaica_sim.play.expression import Expression, ExpressionError
from jamaica_sim.play.game_table import seat_table
from jamaica_sim.play.trace import replay_table
from jamaica_sim.replays.box import box_of
from jamaica_sim.study import parts
from jamaica_sim.study.find_games import PRESETS
from jamaica_sim.study.folder import table_of_run
from jamaica_sim.study.simulate import run_games

GAMES, FIRST, SHIPS = 1200, 300, 4
ALWAYS = f"{' * '.join(['(score_0 + 300)'] * 12)} > 0"  # more than 63 bits


@pytest.fixture(scope="module")
def table():
    return seat_table(strategies=["racer", "random", "random"], players=3, ghost=True, seed=5)


@pytest.fixture(scope="module")
def folder(table, tmp_path_factory):
    """A run in several parts, with its rows."""
    path = tmp_path_factory.mktemp("runs") / "with rows"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parts, "PART", 500)
        run_games(table, GAMES, first_game=FIRST, out=path, per_game=True)
        yield path


@pytest.fixture(scope="module")
def rows(folder):
    """All games as pandas reads them, in order."""
    return pd.read_parquet(folder / "games").sort_values("game", ignore_index=True)


def numbers(frame):
    return frame["game"].tolist()


def every_game(folder, where):
    return numbers(find_games(folder, where, limit=GAMES))


def test_conditions_mean_what_they_say(folder, rows):
    score = rows[[f"score_{ship}" for ship in range(SHIPS)]].to_numpy()
    best, second = np.sort(score, axis=1)[:, -1], np.sort(score, axis=1)[:, -2]
    won, shared = rows["winners"], np.bitwise_count(rows["winners"].to_numpy()) > 1
    expected = {
        "winners == ghost": won == 8,
        "winners != ghost": won != 8,
        "ghost in winners": won & 8 != 0,
        "ghost not in winners": won & 8 == 0,
        "winners == random": (won & ~6 == 0),
        "random in winners": won & 6 != 0,
        "winners == Blue": won == 1,
        "winners == 'Blue'": won == 1,
        "winners == 0": won == 1,
        "winners == half_time_leaders": won == rows["half_time_leaders"],
        "ended_by == ghost": rows["ended_by"] == 3,
        "first_captain == random": rows["first_captain"].isin([1, 2]),
        "margin <= 1": (best - second <= 1) | shared,
        "2 < margin < 5": (best - second > 2) & (best - second < 5) & ~shared,
        "not finished or rounds > 20 and score_0 >= 15": (rows["finished"] == 0)
        | ((rows["rounds"] > 20) & (rows["score_0"] >= 15)),
        "rounds % 2 == 1": rows["rounds"] % 2 == 1,
        "-score_3 > 2 + 1": rows["score_3"] < -3,
        "winner_score / rounds > 1.5": best / rows["rounds"] > 1.5,
        "shortages > 9": rows.filter(regex=r"^shortages_\d_(gold|food)$").sum(axis=1) > 9,
        "battles == 4": rows.filter(regex=r"^attacks_\d$").sum(axis=1) == 4,
        "treasures < 3": rows.filter(regex=r"^treasures_taken_\d$").sum(axis=1) < 3,
        "comeback": won & rows["half_time_leaders"] == 0,
        "comeback == 0": won & rows["half_time_leaders"] != 0,
        "(margin < 2) == (rounds > 11)": ((best - second < 2) | shared) == (rows["rounds"] > 11),
        f"{' * '.join(['score_0'] * 5)} > 32767 * 3": rows["score_0"].astype(int) ** 5 > 32767 * 3,
        ALWAYS: won >= 0,
        f"game >= {FIRST + 3} and game < {FIRST + 5}": rows["game"].between(FIRST + 3, FIRST + 4),
        "1": won >= 0,
    }
    for where, mask in expected.items():
        assert every_game(folder, where) == numbers(rows[mask]), where
        assert 0 < mask.sum() < GAMES or where in (ALWAYS, "1", "not finished or rounds > 20 and score_0 >= 15"), where


NO_NUMBERS = ["(rounds < 2) + (rounds < 3) == 2", "-(rounds < 3)", "(rounds < 3) < 2", "(rounds < 3) == 2",
              "comeback * 2 == 2", "winners == True", "-comeback", "(rounds < 3) % 2", "comeback > 0"]  # fmt: skip


@pytest.mark.parametrize("text", NO_NUMBERS)
def test_what_is_true_or_false_is_no_number(text):
    """A sum of conditions was true or false too, so `== 2` found nothing; minus was a traceback."""
    with pytest.raises(ExpressionError, match="true or false|a ship is a word"):
        Expression(text, ["winners", "rounds", "comeback"], {"ghost": 8})


def test_large_numbers_do_not_wrap_round():
    large = Expression("game == 4611686018427387903", ["game"], {})
    assert large({"game": np.array([2**62 - 1, 2**62 - 2])}).tolist() == [True, False]
    product = Expression("score_0 * score_0 * score_0 * score_0 * score_0 * score_0 > 1000000", ["score_0"], {})
    assert product({"score_0": np.array([9, 11, 40, 181], np.int16)}).tolist() == [False, True, True, True]
    assert Expression("game * game > 0", ["game"], {})({"game": np.array([2**62])}).all()


def test_an_unknown_column_is_answered_with_columns():
    with pytest.raises(ExpressionError, match="columns are game, rounds.*docs/results.md; ships are ghost"):
        Expression("foo > 3", ["winners", "rounds", "game"], {"ghost": 8})


DANGEROUS = [
    "__import__('os').system('true')",
    "winners.__class__",
    "@rows",
    "rounds if 1 else 2",
    "[game for game in winners]",
    "(lambda: 1)()",
    "rounds[0]",
    "f'{winners}'",
    "game ** 99999999",
    "rounds << 99999",
    "9" * 400,
    "(game := 3)",
    "open('x')",
    "rounds & 1",
    "1e400",
    "1j",
    "b'x' == 1",
    "None",
    "*rounds",
    "x\0y",
    "(" * 500 + "1" + ")" * 500,
    "-" * 999 + "1",
    "+".join(["1"] * 400),
    "not " * 100 + "rounds",
]


@pytest.mark.parametrize("text", [*DANGEROUS, "", "winners", "winners > ghost", "winners == 9", "rounds in 3"])
def test_whatever_is_no_condition_is_refused_in_one_sentence(text):
    with pytest.raises(ExpressionError) as refused:
        Expression(text, ["winners", "rounds", "game"], {"ghost": 8})
    assert "\n" not in str(refused.value)


def test_sorting_keeps_the_order_of_equal_games(folder, rows):
    longest = rows.sort_values(["rounds", "game"], ascending=[False, True])
    assert numbers(find_games(folder, sort="-rounds", limit=25)) == numbers(longest)[:25]
    assert numbers(find_games(folder, sort="rounds", limit=25)) == numbers(rows.sort_values(["rounds", "game"]))[:25]
    assert numbers(find_games(folder)) == list(range(FIRST, FIRST + 10))


def test_presets_find_what_they_name(folder):
    every = find_games(folder, limit=GAMES)
    assert (find_games(folder, preset="closest")["margin"] == every["margin"].nsmallest(10).to_list()).all()
    assert (find_games(folder, preset="longest")["rounds"] == every["rounds"].nlargest(10).to_list()).all()
    assert (find_games(folder, preset="most-shortages")["shortages"] == every["shortages"].nlargest(10).to_list()).all()
    assert set(find_games(folder, preset="ghost-wins")["winners"]) == {"the ghost"}
    behind = find_games(folder, "racer in winners", preset="comeback")
    assert behind["comeback"].all() and set(behind["winners"]) == {"Blue racer"}
    assert behind["deficit"].is_monotonic_decreasing and behind["deficit"].min() > 0


def test_the_deficit_is_that_of_the_winner_at_half_time(folder, table):
    """Compared with the traces: where every ship was after half the rounds, and who was last."""
    found = find_games(folder, "rounds < 20", preset="comeback", limit=4)
    box = box_of(replay_table(table, FIRST))
    games = pd.read_parquet(folder / "games")
    last_of_game = dict(zip(games["game"], games["half_time_last"], strict=True))
    for row in found.itertuples():
        trace = replay_table(table, row.game)
        half, number, now = row.rounds // 2, 0, [(0, 0)] * SHIPS
        for event in trace["events"]:
            number = event["number"] if event["event"] == "round" else number
            if event["event"] in ("move", "retreat") and number <= half:
                now[event["ship"]] = event["to"]["space"], event["to"]["lap"]
        to_go = [box.to_go(*place) for place in now]
        of_players = to_go[: table.rules.players]
        last = {ship for ship, spaces in enumerate(of_players) if spaces == max(of_players)}
        assert {ship for ship in range(SHIPS) if last_of_game[row.game] >> ship & 1} == last
        assert row.deficit == min(to_go[ship] for ship in trace["result"]["winners"]) - min(to_go)
    assert numbers(find_games(folder, "deficit > 0", limit=GAMES)) == every_game(folder, "comeback")


def test_the_command_of_each_game_replays_it(folder, table):
    found = find_games(folder, preset="closest", limit=2)
    for row in found.itertuples():
        words = shlex.split(row.replay)
        assert words[:2] == ["jamaica-sim", "replay"]
        trace = json.loads(type_in(*words[1:], "--format", "json").stdout)
        assert trace == replay_table(table, row.game)
        assert trace["result"]["scores"] == [row.score_0, row.score_1, row.score_2, row.score_3]


def test_a_run_without_rows_is_played_again(folder, table, tmp_path):
    bare = tmp_path / "bare"
    run_games(table, GAMES, first_game=FIRST, out=bare)
    plain = find_games(bare, "margin < 2", "-rounds").drop(columns="replay")
    pd.testing.assert_frame_equal(plain, find_games(folder, "margin < 2", "-rounds").drop(columns="replay"))


def test_the_command(folder):
    done = type_in("games", folder, "--where", "winners == ghost", "--sort", "margin", "--limit", 3)
    assert done.exit_code == 0
    count = len(every_game(folder, "winners == ghost"))
    assert f"Found {count:,} of 1,200 games: " in done.stdout and done.stdout.count("jamaica-sim replay ") == 3
    records = json.loads(type_in("games", folder, "--longest", "--limit", 2, "--format", "json").stdout)
    assert [record["game"] for record in records] == numbers(find_games(folder, preset="longest", limit=2))
    for preset in PRESETS:
        assert type_in("games", folder, f"--{preset}").exit_code == 0
    assert "No such game: 0 of 1,200 games" in type_in("games", folder, "-w", "margin > 999").stdout


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--where", "winers == ghost"], "There is no column and no ship 'winers': did you mean 'winners'?"),
        (["--where", "open('x')"], "it may have columns, numbers, ships, comparisons"),
        (["--sort", "scores_0"], "There is no column 'scores_0' to sort by: did you mean"),
        (["--closest", "--longest"], "Choose one of --closest, --ghost-wins"),
        (["--closest", "--sort", "rounds"], "A preset has a sort order of its own"),
        (["--limit", "0"], "from 1 to 100,000"),
    ],
)
def test_mistakes_end_in_one_sentence(folder, words, sentence):
    done = type_in("games", folder, *words)
    assert done.exit_code == 2 and sentence in done.stderr and "\n" not in done.stderr.strip()


def test_a_run_without_the_ghost_has_no_ghost_wins(tmp_path):
    run_games(seat_table(strategies="random", players=3), 5, out=tmp_path / "run")
    assert "was played without the ghost ship" in type_in("games", tmp_path / "run", "--ghost-wins").stderr


def test_a_damaged_part_is_told(folder, tmp_path):
    import shutil

    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    part = sorted((copy / "games").iterdir())[0]
    part.write_bytes(part.read_bytes()[:-9])
    done = type_in("games", copy, "--closest")
    assert done.exit_code == 1 and "is missing or damaged" in done.stderr


def test_a_folder_refuses_games_that_its_run_did_not_play(folder):
    assert table_of_run(folder, FIRST).rules.players == 3
    for game in (FIRST - 1, FIRST + GAMES):
        done = type_in("replay", folder, "--game", game)
        assert done.exit_code == 2 and f"has no game {game:,}: its games are 300 to 1,499" in done.stderr

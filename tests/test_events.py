"""Tables of events and choices: the same as the traces tell, on any number of threads, whole after a stop."""

import os
import shutil
import signal
from itertools import count

import numpy as np
import pandas as pd
import pytest

from jamaica_sim import UserError, load_games, resume, simulate
from jamaica_sim.game.codes import DECISIONS
from jamaica_sim.game.components import action_cards, treasures
from jamaica_sim.play.game_table import seat_table
from jamaica_sim.play.manifest import read_plain
from jamaica_sim.play.tally.event_columns import CHOICES, LEFT_OUT, STANDING, kinds_of
from jamaica_sim.play.trace import trace_game
from jamaica_sim.study import events_parquet
from jamaica_sim.study.simulate import Stopped

GAMES = 40
NAMES = ["balanced", "random", "balanced", "ghost ship"]
CARDS, TREASURES = action_cards(), treasures()
TABLE = {"players": 3, "ghost": True, "edition": "2021", "strategies": ["balanced", "random"], "seed": 6}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("events") / "run"
    simulate(games=GAMES, out=path, events=True, **TABLE)
    return path


@pytest.fixture(scope="module")
def traces():
    return [trace_game(seat_table(**TABLE), game) for game in range(GAMES)]


def members(bits):
    return [i for i in range(63) if bits >> i & 1]


def told(trace):
    """The events of a trace as the tables have them: number in the game, round, time of day, event."""
    number, action, in_round = count(), None, 0
    for event in trace["events"]:
        if event["event"] == "action":
            action = event
        elif event["event"] == "round":
            action, in_round = None, event["number"]
        if event["event"] not in LEFT_OUT:
            yield {**event, "number": next(number), "round": in_round, "action": action}


def test_every_event_of_a_trace_is_a_row(folder, traces):
    kinds = kinds_of(has_house_rules=False).keys() - {CHOICES}
    tables = {kind: pd.read_parquet(folder / "events" / kind) for kind in kinds}
    rows = {kind: table.to_dict("records") for kind, table in tables.items()}
    for game, trace in enumerate(traces):
        stands = [0] * 4
        for event in told(trace):
            row = rows[event["event"]].pop(0)
            assert (row["game"], row["number"], row["round"]) == (game, event["number"], event["round"])
            if "when" in row:
                assert row["when"] == event["action"]["when"]
            if "ship" in row and not pd.isna(row["ship"]):
                assert row["strategy"] == NAMES[int(row["ship"])]
            where = event.get("attacker", event.get("ship"))
            if event["event"] in ("move", "retreat"):
                stands[where] = event["to"]["space"]
            if event["event"] in STANDING or event["event"] in ("battle", "treasure"):
                assert row["space"] == stands[where], event
            assert "card" not in event or row["card"] == CARDS[event["card"]].name
            assert "treasure" not in event or row["treasure"] == TREASURES[event["treasure"]].title
            for name in ("ship", "amount", "resource", "take", "attack", "defence", "due"):
                if name in event and event["event"] != "draw":
                    assert row[name] == event[name] or (event[name] is None and pd.isna(row[name])), (name, row, event)
            if event["event"] == "move":
                assert (row["from_space"], row["space"], row["lap"]) == (
                    event["from"]["space"], event["to"]["space"], event["to"]["lap"],
                )  # fmt: skip
                assert members(row["options"]) == sorted({end["space"] for end in event["options"]})
                assert (row["die"], row["symbol"]) == (event["action"]["die"], event["action"]["symbol"])
            if event["event"] == "choose":
                assert members(row["options"]) == event["hand"]
            if event["event"] == "load" and event["emptied"]:
                assert (row["emptied_resource"], row["emptied_amount"]) == tuple(event["emptied"].values())
            if event["event"] == "roll":
                assert row["die"] == (0 if event["face"] == "star" else event["face"])
            if event["event"] == "battle":
                assert (row["ship"], row["other"]) == (event["attacker"], event["defender"])
            if event["event"] == "shortage":
                assert row["symbol"] == event["symbol"] and row["amount"] == event["paid"]
    assert not any(rows.values())


def test_choices_are_those_of_the_traces(folder, traces):
    choices = pd.read_parquet(folder / "choices")
    cards = choices[choices["decision"] == "choose_card"]
    for game, trace in enumerate(traces):
        chosen = [event for event in told(trace) if event["event"] == "choose" and len(event["hand"]) > 1]
        mine = cards[cards["game"] == game]
        assert mine["answer"].tolist() == [event["card"] for event in chosen]
        assert mine["number"].tolist() == [event["number"] for event in chosen]
        assert mine["hand"].tolist() == [len(event["hand"]) for event in chosen]
    assert {*choices["decision"].unique()} <= {*DECISIONS} and "ghost_direction" in {*choices["decision"]}
    assert choices["options"].map(lambda bits: bits.bit_count()).min() > 1
    assert ((choices["options"].to_numpy() >> choices["answer"].to_numpy()) & 1 == 1).all()
    assert choices["rank"].between(1, 4).all()
    leaders = choices[(choices["decision"] == "choose_card") & (choices["round"] > 1)]
    assert (leaders["lead"] > 0).mean() == pytest.approx(1 / 4, abs=0.15)


def test_the_last_choice_knows_the_score(folder):
    """Points beside a choice are those of the score, if nothing happens any more."""
    choices, ships = pd.read_parquet(folder / "choices"), load_games(folder)
    last = choices.groupby(["game", "ship"]).last().reset_index().merge(ships, on=["game", "ship"])
    assert np.corrcoef(last["points"], last["score"])[0, 1] > 0.6


def files(path):
    parts = sorted([*(path / "events").rglob("*"), *(path / "choices").rglob("*")])
    return {part.relative_to(path): part.read_bytes() for part in parts if part.is_file()}


def assert_same(one, other):
    assert [*files(one)] == [*files(other)]
    for name in files(one):
        pd.testing.assert_frame_equal(pd.read_parquet(one / name), pd.read_parquet(other / name))


def test_the_files_do_not_depend_on_threads_or_batches(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(events_parquet, "BATCH", 7)
    simulate(games=GAMES, out=tmp_path / "again", events=True, threads=2, **TABLE)
    assert_same(folder, tmp_path / "again")


def test_a_run_is_the_same_with_events_as_without(folder, tmp_path):
    """The games are played once: sums, tables and rows come from the play that is traced."""
    for events in (False, True):
        simulate(games=GAMES, out=tmp_path / str(events), per_game=True, events=events, **TABLE)
    plain, traced = read_plain(tmp_path / "False"), read_plain(tmp_path / "True")
    assert traced["files"] == plain["files"] and {"sums.npy", "games/part-00000000.parquet"} <= {*plain["files"]}
    assert read_plain(folder)["files"]["sums.npy"] == plain["files"]["sums.npy"]


@pytest.mark.parametrize(("stop_after", "first_game"), [(0, 0), (1, 0), (10, 0), (10, 65_520), (21, 65_520)])
def test_a_stop_among_events_is_resumed(tmp_path, monkeypatch, stop_after, first_game):
    """Also where the stop is in the middle of a batch of the resumed run, and where a part of the rows ends."""
    settings = {"games": GAMES, "events": True, "per_game": True, "first_game": first_game, **TABLE}
    monkeypatch.setattr(events_parquet, "IN_PART", 16)
    monkeypatch.setattr(events_parquet, "BATCH", 8)
    simulate(out=tmp_path / "whole", **settings)

    def stop(done):
        if done >= stop_after:
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(Stopped):
        simulate(out=tmp_path / "run", progress=stop, threads=1, **settings)
    done = read_plain(tmp_path / "run")["games_done"]
    assert not read_plain(tmp_path / "run")["complete"] and stop_after <= done < GAMES
    monkeypatch.setattr(events_parquet, "BATCH", 16)  # so that counted games end within a batch
    assert resume(tmp_path / "run").games == GAMES
    assert_same(tmp_path / "run", tmp_path / "whole")
    assert read_plain(tmp_path / "run")["files"] == read_plain(tmp_path / "whole")["files"]


def test_a_lost_table_is_made_again(folder, tmp_path):
    shutil.copytree(folder, tmp_path / "run")
    next((tmp_path / "run" / "choices").iterdir()).unlink()
    assert resume(tmp_path / "run").games == GAMES and files(tmp_path / "run") == files(folder)
    assert read_plain(tmp_path / "run")["files"] == read_plain(folder)["files"]


def test_events_need_a_folder():
    with pytest.raises(UserError, match="name one with out="):
        simulate(games=10, events=True)


def test_a_batch_that_outgrows_its_trace_counts_once(tmp_path, monkeypatch):
    settings = {"games": 120, "players": 6, "strategies": "random", "seed": 3}
    simulate(out=tmp_path / "plain", **settings)
    simulate(out=tmp_path / "traced", events=True, **settings)
    assert read_plain(tmp_path / "traced")["files"] == read_plain(tmp_path / "plain")["files"]
    rounds = pd.read_parquet(tmp_path / "traced" / "events" / "round")
    assert len(rounds) == simulate(**settings).of_game("rounds").value * 120
    monkeypatch.setattr(events_parquet, "BATCH", 16)
    simulate(out=tmp_path / "small", events=True, **settings)
    assert_same(tmp_path / "small", tmp_path / "traced")


HOUSE_RULES = """'A gift before the dice are placed.'
from jamaica_sim.strategy.house.api import FOOD, GOLD, give

def set_up(game, rules):
    give(game, rules, 0, GOLD, 1)

def round_begins(game, rules):
    give(game, rules, 1, FOOD, 1)
"""


def test_what_house_rules_do_before_the_dice_belongs_to_the_round_that_begins(tmp_path):
    (tmp_path / "early.py").write_text(HOUSE_RULES)
    settings = {"games": 20, "house_rules": str(tmp_path / "early.py"), "strategies": "random", "seed": 2}
    simulate(out=tmp_path / "run", events=True, **settings)
    gifts, rounds = (pd.read_parquet(tmp_path / "run" / "events" / kind) for kind in ("house_give", "round"))
    first = gifts[gifts["moment"] == "set_up"]
    assert first["game"].tolist() == [*range(20)] and not first[["round", "number"]].any(axis=None)
    begun = gifts[gifts["moment"] == "round_begins"].merge(rounds, on=["game", "round"], validate="one_to_one")
    assert len(begun) + len(first) == len(gifts) and begun["when"].isna().all()
    assert (begun["number_x"] == begun["number_y"] - 1).all()

"""Luck by source: every key has one source, one source is drawn again while the others stay, and folders record it."""

import json
from collections import defaultdict

import numpy as np
import pytest
from command import assert_told, type_in
from folders import contents, stop_after

from jamaica_sim import simulate
from jamaica_sim.api import report_of
from jamaica_sim.engine.machine import random as rng
from jamaica_sim.files.limits import LUCK_SOURCES
from jamaica_sim.game.house_file import NAMED, HouseRules
from jamaica_sim.play.chunks import TALLIES, Chunk, Worker
from jamaica_sim.play.game_table import seat_table
from jamaica_sim.play.manifest import FolderError, FolderFault, manifest_bytes, read_manifest
from jamaica_sim.play.trace import replay_table
from jamaica_sim.study.cluster import packed_order, play_order
from jamaica_sim.study.compare.compare import COMPARISON, configuration, make_plan, prepare, read_configuration
from jamaica_sim.study.compare.deals import BY_DEAL, DealPlayer
from jamaica_sim.study.folder import table_of_run
from jamaica_sim.study.merge import merge_runs
from jamaica_sim.study.simulate import Stopped, resume_run, run_games

GAMES = 200


def table(luck=None, seed=31, **facts):
    facts = {"strategies": ["random", "racer"], "players": 4, "edition": "2021"} | facts
    return seat_table(seed=seed, luck=luck, **facts)


def wheel():
    """House rules with luck of their own: each round a die pays the Captain."""
    text = '"""A wheel of fortune."""\nfrom jamaica_sim.strategy.house.api import *\ndef round_ends(game, rules):\n'
    text += "    give(game, rules, game.captain, GOLD, roll(game, rules, 6))\n"
    NAMED.add(text)
    return HouseRules("wheel.py", text)


def rows(seated, games=GAMES):
    return Worker(seated).play(Chunk(0, games), keep_rows=True).rows


# Keys


def test_every_key_has_one_source():
    assert sorted(rng.SOURCE_OF_PURPOSE) == list(range(rng.KEYS))
    assert set(rng.SOURCE_OF_KEY) == set(range(len(LUCK_SOURCES)))
    assert rng.SOURCE_OF_KEY.size == rng.KEYS
    names = {int(rng.SOURCE_OF_KEY[key]) for key in range(int(rng.DECK), int(rng.STRATEGY))}
    assert names == {LUCK_SOURCES.index("decks")}


def test_the_own_seed_changes_nothing():
    assert rows(table({source: 31 for source in LUCK_SOURCES[:3]})).tobytes() == rows(table()).tobytes()


def test_all_sources_from_another_seed_are_its_run():
    seated = table(dict.fromkeys(LUCK_SOURCES, 8))
    assert (seated.seed, seated.luck) == (8, {})
    assert rows(seated).tobytes() == rows(table(seed=8)).tobytes()


def test_source_by_source_the_run_becomes_the_other():
    """Seven sources of seed 8 in a run of seed 31 are the same as one source of seed 31 in a run of seed 8."""
    for source in LUCK_SOURCES:
        others = {other: 8 for other in LUCK_SOURCES if other != source}
        assert rows(table(others), 40).tobytes() == rows(table({source: 31}, seed=8), 40).tobytes()


@pytest.mark.parametrize("source", LUCK_SOURCES)
def test_every_source_matters(source):
    facts = {"house_rules": wheel()} if source == "house" else {}
    assert rows(table({source: 8}, **facts)).tobytes() != rows(table(**facts)).tobytes()


def test_what_no_rule_draws_matters_to_nobody():
    plain = {"edition": "2007", "strategies": ["racer"]}
    for source in ("shortage", "own", "house"):
        assert rows(table({source: 8}, **plain)).tobytes() == rows(table(**plain)).tobytes()


# Streams do not leak


def luck_in(trace):
    """The results of each source in a game, by source and by where they were drawn."""
    found = defaultdict(dict)
    found["captain"]["first"] = trace["setup"]["captain"]
    found["treasures"] |= dict(enumerate(trace["setup"]["pile"]))
    for ship, hand in enumerate(trace["setup"]["hands"]):
        found["decks"][ship, "hand"] = tuple(hand)
    number, rolls, shuffled, drawn = 0, defaultdict(int), set(), defaultdict(int)
    for event in trace["events"]:
        kind, ship = event["event"], event.get("ship")
        if kind == "round":
            number = event["number"]
            found["dice"][number] = tuple(event["dice"])
        elif kind == "house" and event["what"] == "roll":
            found["house"][number] = event["face"]
        elif kind == "roll":
            found["combat"][number, ship, rolls[number, ship]] = event["face"]
            rolls[number, ship] += 1
        elif kind == "shortage":
            found["shortage"][number, ship, rolls[number, ship, "short"]] = event["symbol"]
            rolls[number, ship, "short"] += 1
        elif kind == "draw":
            if event["reshuffled"]:
                shuffled.add(ship)
            if ship not in shuffled:
                for card in event["cards"]:
                    found["decks"][ship, drawn[ship]] = card
                    drawn[ship] += 1
    return found


@pytest.mark.parametrize("source", LUCK_SOURCES)
def test_nothing_else_is_drawn_anew(source):
    """The results of all other sources are the same in both traces, wherever both games drew them."""
    facts = {"house_rules": wheel()} if source == "house" else {}
    same, other, compared, differing = table(**facts), table({source: 8}, **facts), defaultdict(int), 0
    for game in range(12):
        before, after = luck_in(replay_table(same, game)), luck_in(replay_table(other, game))
        for name in before:
            both = before[name].keys() & after[name].keys()
            changed = sum(before[name][where] != after[name][where] for where in both)
            if name == source:
                differing += changed
            else:
                assert changed == 0, (game, name)
            compared[name] += len(both)
    assert all(compared[name] >= 12 for name in ("captain", "dice", "decks", "treasures", "combat", "shortage"))
    assert differing > 0 or source in ("hidden", "own")


# Folders, clusters and comparisons know the luck


def test_a_folder_knows_its_luck(tmp_path):
    seated = table({"dice": 7, "combat": 9})
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    run_games(seated, GAMES, out=whole, threads=1)
    with pytest.raises(Stopped):
        run_games(seated, GAMES, out=cut, threads=1, chunk_size=16, progress=stop_after(60))
    resume_run(cut)
    assert contents(cut) == contents(whole)
    assert read_manifest(whole)["configuration"]["luck"] == {"dice": 7, "combat": 9}
    trace = replay_table(table_of_run(whole, 3), 3)
    assert trace == replay_table(seated, 3) and trace["config"]["luck"] == {"dice": 7, "combat": 9}
    assert (
        type_in("replay", whole, "--game", 3, "--format", "json").stdout
        == type_in(
            *"replay --game 3 -s random -s racer -p 4 -e 2021 --seed 31 --luck dice=7 --luck combat=9".split(),
            "--format",
            "json",
        ).stdout
    )


def test_a_folder_without_it_is_as_before(tmp_path):
    run_games(table({"dice": 31}), 20, out=tmp_path / "run", threads=1)
    assert "luck" not in read_manifest(tmp_path / "run")["configuration"]


@pytest.mark.parametrize("luck", [{"dice": -1}, {"wind": 3}, {"dice": True}, []])
def test_a_manifest_with_impossible_luck(tmp_path, luck):
    run_games(table({"dice": 7}), 20, out=tmp_path / "run", threads=1)
    manifest = read_manifest(tmp_path / "run")
    manifest["configuration"]["luck"] = luck
    (tmp_path / "run" / "manifest.json").write_bytes(manifest_bytes(manifest))
    with pytest.raises(FolderFault, match="luck"):
        read_manifest(tmp_path / "run")


def test_other_luck_is_not_merged(tmp_path):
    run_games(table(), 20, out=tmp_path / "one", threads=1)
    run_games(table({"dice": 7}), 20, first_game=20, out=tmp_path / "two", threads=1)
    with pytest.raises(FolderError, match="luck all from the seed and dice=7"):
        merge_runs([tmp_path / "one", tmp_path / "two"], tmp_path / "both")


def test_workers_of_a_cluster_draw_the_same():
    seated = table({"decks": 7})
    answer, _, played, _ = play_order(TALLIES, packed_order(TALLIES, seated), Chunk(0, 50), True)
    assert answer == "played" and np.array_equal(played, rows(seated, 50))


def test_comparisons_draw_it_too(tmp_path):
    """Deals are the games of the run with this luck; folder, report, resume and cluster know of it."""
    words = ["compare", "racer", "balanced", "--games", 40, "--seed", 31]
    asked = [*words, "--luck", "decks=7", "--out", tmp_path / "one", "--format", "json"]
    facts = json.loads(type_in(*asked).stdout)
    assert facts["luck"] == {"decks": 7} and facts["sentence"].endswith("40 games, seed 31 (decks of 7).")
    config = read_manifest(tmp_path / "one", COMPARISON)["configuration"]
    assert config["luck"] == {"decks": 7} and read_configuration(config)[0].luck == {"decks": 7}
    contest = prepare(["racer", "balanced"], seed=31, luck={"decks": 7})
    seating = contest.design.seatings[0][0]
    played = DealPlayer(contest).deals(0, 20).standings[:, 0]
    plain = DealPlayer(prepare(["racer", "balanced"], seed=31)).deals(0, 20).standings[:, 0]
    assert not np.array_equal(played, plain)
    seats = [contest.strategies[number].name for number in seating]
    won = rows(seat_table(strategies=seats, seed=31, luck={"decks": 7}), 20)["winners"]
    best = (played == played.max(axis=1, keepdims=True)).astype(int) @ (1 << np.arange(4))
    assert np.array_equal(best, won)
    assert BY_DEAL.table(BY_DEAL.order(contest)).luck == {"decks": 7}
    assert "--luck decks=7" in report_of(tmp_path / "one").command
    plainest = prepare(["racer", "balanced"], seed=31, luck={"dice": 31})
    assert "luck" not in configuration(plainest, make_plan(40))


def test_from_python():
    facts = {"strategies": ["random", "racer"], "players": 4, "edition": "2021", "seed": 31}
    once, again = simulate(50, luck={"dice": 7}, **facts), simulate(50, luck={"dice": 7}, **facts)
    assert once.tally.tobytes() == again.tally.tobytes() != simulate(50, **facts).tally.tobytes()
    assert once.facts()["luck"] == {"dice": 7} and "dice of 7" in once.sentence()
    with pytest.raises(ValueError, match="no source of luck 'dise'"):
        simulate(50, luck={"dise": 7})


@pytest.mark.parametrize(
    "words, hint",
    [
        (["dice"], "SOURCE=SEED"),
        (["dice=seven"], "SOURCE=SEED"),
        (["dise=7"], "did you mean 'dice'"),
        (["dice=1", "--luck", "dice=2"], "twice"),
        (["dice=99999999999999999999"], "seed of dice"),
    ],
)
def test_what_is_no_luck_is_refused(words, hint):
    assert_told(type_in("run", "--games", 10, "--luck", *words), 2, hint)

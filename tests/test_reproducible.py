"""The same games everywhere: any threads, chunks and order give the same rows and sums, and a replay is the game.

A run's figures for a game are checked against the game's trace, event by event.
"""

import random
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import jamaica_sim.strategy.strategy as strategy_module
from jamaica_sim.game.codes import RESOURCES
from jamaica_sim.game.components import treasures
from jamaica_sim.play.chunks import Chunk, Worker, chunks, play_in_order
from jamaica_sim.play.game_table import seat_table
from jamaica_sim.play.tally.layout import TALLY_DTYPE
from jamaica_sim.play.trace import replay_table
from jamaica_sim.strategy.library import strategy_from_text
from jamaica_sim.study.simulate import run_games, simulate

TABLES = [
    {"players": 2, "edition": "2021"},
    {"players": 3, "edition": "2007", "ghost": True},
    {"players": 4, "edition": "2007"},
    {"players": 5, "edition": "2021", "ghost": True},
    {"players": 6, "edition": "2021"},
    {"players": 3, "edition": "2007", "round_cap": 6},
]
IDS = [" ".join(str(value) for value in rules.values()) for rules in TABLES]
GAMES = 60


def play(table, games=600, first=0, size=100, threads=1):
    """Rows and sums of some games."""
    played = list(play_in_order([table], chunks(first, games, size), threads, keep_rows=True))
    tally = sum(part.tally.view(np.int64) for part in played).view(TALLY_DTYPE)
    return np.concatenate([part.rows for part in played]), tally


@pytest.fixture(scope="module", params=TABLES, ids=IDS)
def games(request):
    """The rows of some games in a run, and their traces replayed one by one."""
    table = seat_table(strategies="random", seed=77, **request.param)
    rows, _ = play(table, GAMES)
    return table, rows, [replay_table(table, game) for game in range(GAMES)]


# Same result everywhere


@pytest.mark.parametrize(("threads", "size"), [(1, 1), (1, 7), (2, 7), (2, 1000), (5, 1), (5, 7), (5, 1000)])
def test_threads_and_chunks_change_nothing(threads, size):
    table = seat_table(strategies="random", players=3, ghost=True, seed=4)
    rows, tally = play(table)
    other_rows, other_tally = play(table, size=size, threads=threads)
    assert np.array_equal(rows, other_rows)
    assert tally.tobytes() == other_tally.tobytes()


def test_the_order_of_chunks_changes_nothing():
    table = seat_table(strategies="random", players=4, edition="2021", seed=4)
    rows, tally = play(table)
    parts = list(chunks(0, 600, 50))
    random.Random(1).shuffle(parts)
    worker = Worker(table)
    shuffled = {chunk.first: worker.play(chunk, keep_rows=True) for chunk in parts}
    assert sum(part.tally.view(np.int64) for part in shuffled.values()).tobytes() == tally.tobytes()
    assert np.array_equal(np.concatenate([shuffled[first].rows for first in sorted(shuffled)]), rows)


def test_a_game_alone_is_the_game_in_the_run():
    table = seat_table(strategies="random", players=5, seed=4)
    rows, _ = play(table, 200)
    for game in (0, 1, 99, 199):
        assert play(table, 1, first=game)[0] == rows[game]


CURIOUS = """
from jamaica_sim.strategy.api import count, nth


def choose_space(view, rules, weights):
    seen = view.resource + 3 * view.amount + 5 * view.attacker + 7 * view.defence_strength + view.winner + view.loser
    for ship in range(rules.ships):
        for hold in range(6):
            seen = 31 * seen + 4 * view.hold_count[ship, hold] + view.hold_kind[ship, hold]
        seen += view.holds[ship, 3] + 64 * view.holds[ship, 0]
    return nth(view.legal, abs(seen) % count(view.legal))
"""


def test_a_strategy_sees_nothing_of_the_game_before():
    """Not even of holds that look as before: here a ship gets the 6th Hold, all empty, before anybody is asked."""
    bare = {
        "edition": "2021",
        "hand_size": 1,
        "map_hand_size": 1,
        "action_die": (2, 2),
        "start_food": 0,
        "start_gold": 0,
    }
    curious = strategy_from_text(CURIOUS, Path("curious.py"))
    for rules in (bare, {}):
        table = seat_table(strategies=["random", "random", curious], players=3, seed=3, **rules)
        rows, _ = play(table, 340)
        alone = [Worker(table).play(Chunk(game, 1), keep_rows=True).rows for game in range(len(rows))]
        assert np.array_equal(np.concatenate(alone), rows)


def test_what_a_worker_played_before_changes_nothing():
    table = seat_table(strategies="random", players=3, seed=4)
    worker = Worker(table)
    worker.play(Chunk(11, 1), keep_rows=True)
    worker.play(Chunk(500, 40), keep_rows=False)
    again = worker.play(Chunk(0, 40), keep_rows=True)
    fresh = Worker(table).play(Chunk(0, 40), keep_rows=True)
    assert np.array_equal(again.rows, fresh.rows) and again.tally.tobytes() == fresh.tally.tobytes()


def test_simulate_gives_the_same_tables_for_any_threads():
    tables = [simulate(3000, strategies="random", players=3, threads=threads).tables() for threads in (1, 2, 5)]
    assert tables[0] == tables[1] == tables[2]


def test_games_and_seeds_differ():
    table = seat_table(strategies="random", players=4, seed=1)
    rows, _ = play(table, 500)
    other, _ = play(seat_table(strategies="random", players=4, seed=2), 500)
    luck = [row["score"].tobytes() + row["loaded"].tobytes() for row in rows]
    other_luck = [row["score"].tobytes() + row["loaded"].tobytes() for row in other]
    assert len(set(luck)) == 500
    assert not set(luck) & set(other_luck)


def test_game_numbers_and_seeds_do_not_run_into_each_other():
    """For example, game k of seed s is not game k + 1 of seed s - 1."""
    tables = [seat_table(strategies="random", players=6, seed=seed, round_cap=1) for seed in range(8)]
    setups = {str(replay_table(table, game)["setup"]) for table in tables for game in range(8)}
    assert len(setups) == 64


# A replay is the game of the run


def test_replay_has_the_result_of_the_run(games):
    table, rows, traces = games
    ships = table.rules.ships
    for row, trace in zip(rows, traces, strict=True):
        result = trace["result"]
        assert result["rounds"] == row["rounds"] and result["finished"] == row["finished"]
        assert result["scores"] == row["score"][:ships].tolist()
        assert sum(1 << winner for winner in result["winners"]) == row["winners"]
        assert [place["space"] for place in result["positions"]] == row["final_space"][:ships].tolist()
        assert [place["lap"] for place in result["positions"]] == row["final_lap"][:ships].tolist()
        assert trace["setup"]["captain"] == row["first_captain"]


def count(trace, ships, kind, ship="ship", where=lambda event: True, weight=lambda event: 1):
    """Sum over the events of a kind, by ship."""
    totals = [0] * ships
    for event in trace["events"]:
        if event["event"] == kind and where(event):
            totals[event[ship]] += weight(event)
    return totals


def test_columns_of_a_row_count_the_events_of_the_trace(games):
    table, rows, traces = games
    ships = table.rules.ships
    for row, trace in zip(rows, traces, strict=True):
        attacks, defences = count(trace, ships, "battle", "attacker"), count(trace, ships, "battle", "defender")
        assert row["attacks"][:ships].tolist() == attacks
        assert row["battles"][:ships].tolist() == [sum(pair) for pair in zip(attacks, defences, strict=True)]
        assert row["battles_won"][:ships].tolist() == count(trace, ships, "loot")
        assert row["treasures_taken"][:ships].tolist() == count(trace, ships, "treasure")
        assert row["powder_spent"][:ships].tolist() == count(trace, ships, "powder", weight=amount)
        for number, resource in enumerate(RESOURCES[:2]):
            shortages = count(trace, ships, "shortage", where=lambda event, r=resource: event["resource"] == r)
            assert row["shortages"][:ships, number].tolist() == shortages
        home = [event["ship"] for event in trace["events"] if event["event"] == "finish"]
        assert row["ended_by"] == (home[0] if home else -1)
        assert row["stars"][:ships].tolist() == standing_stars(trace, ships)


def amount(event):
    return event["amount"]


def standing_stars(trace, ships):
    """Stars that decided a battle: the last roll before its end."""
    stars, last = [0] * ships, None
    for event in trace["events"]:
        if event["event"] == "roll":
            last = event
        elif event["event"] == "battle_end" and last["face"] == "star":
            stars[last["ship"]] += 1
    return stars


def test_goods_are_conserved(games):
    """A ship's goods at the end are those it began with, loaded and looted, less those it paid, lost and threw away."""
    table, rows, traces = games
    ships = table.rules.ships
    for row, trace in zip(rows, traces, strict=True):
        gold, loaded, thrown = doubloons(trace, table.rules)
        assert row["gold"][:ships].tolist() == gold
        for number, resource in enumerate(RESOURCES):
            assert row["loaded"][:ships, number].tolist() == loaded[resource]
            assert row["overboard"][:ships, number].tolist() == thrown[resource]


def doubloons(trace, rules):
    """From the events: final doubloons by ship, and by resource the goods loaded by symbols and thrown overboard."""
    ships = rules.ships
    gold = [rules.start_gold] * rules.players + [sum(rules.ghost_gold)] * rules.ghost
    loaded, thrown = ({resource: [0] * ships for resource in RESOURCES} for _ in range(2))
    sixth_hold = Counter()
    looting = False
    for event in trace["events"]:
        ship = event.get("ship")
        if event["event"] == "load":
            emptied = event["emptied"]
            if emptied:
                thrown[emptied["resource"]][ship] += emptied["amount"]
                gold[ship] -= emptied["amount"] * (emptied["resource"] == "gold")
            if not looting:
                loaded[event["resource"]][ship] += event["amount"]
            gold[ship] += event["amount"] * (event["resource"] == "gold")
        if event["event"] == "pay" and event["resource"] == "gold":
            gold[ship] -= event["amount"]
        if event["event"] == "loot" and event["take"] == "hold" and event["resource"] == "gold":
            gold[event["loser"]] -= event["amount"]
        move_sixth_hold(event, gold, sixth_hold)
        looting = event["event"] == "loot" and event["take"] == "hold"
    return gold, loaded, thrown


def move_sixth_hold(event, gold, sixth_hold):
    """Track the doubloons in the 6th Hold, which go along when the card changes hands (B9)."""
    kind = event["event"]
    if kind == "load" and event["hold"] == 5:
        sixth_hold["gold"] = event["amount"] if event["resource"] == "gold" else 0
    elif kind == "pay" and event["resource"] == "gold":
        sixth_hold["gold"] -= dict(event["holds"]).get(5, 0)
    elif kind == "loot" and event["take"] == "hold" and event["hold"] == 5:
        sixth_hold["gold"] = 0
    elif kind == "loot" and event["take"] in ("power", "give") and event["treasure"] == 3:
        giver, taker = (event["loser"], event["ship"]) if event["take"] == "power" else (event["ship"], event["loser"])
        gold[giver] -= sixth_hold["gold"]
        gold[taker] += sixth_hold["gold"]


def test_treasures_are_conserved(games):
    """Every treasure at the end came from the pile and is on one ship only; the points follow from them."""
    table, rows, traces = games
    for row, trace in zip(rows, traces, strict=True):
        held = [members(row["treasures_held"][ship]) for ship in range(table.rules.ships)]
        drawn = [event["treasure"] for event in trace["events"] if event["event"] == "treasure"]
        assert drawn == trace["setup"]["pile"][: len(drawn)]
        expected = set(drawn) | ({2} if table.rules.ghost else set())
        assert sum(len(cards) for cards in held) == len(set.union(*held)) and set.union(*held) == expected
        points = [sum(treasures()[card].value for card in cards) for cards in held]
        assert row["treasure_points"][: len(held)].tolist() == points


def members(number):
    return {i for i in range(16) if int(number) >> i & 1}


def test_cards_are_conserved(games):
    """Hand, deck and discard pile of every player are the eleven cards at all times."""
    table, _, traces = games
    for trace in traces:
        hands = [set(hand) for hand in trace["setup"]["hands"]]
        decks = [set(range(11)) - hand for hand in hands]
        for event in trace["events"]:
            if event["event"] == "choose":
                assert set(event["hand"]) == hands[event["ship"]]
                hands[event["ship"]].remove(event["card"])
            if event["event"] == "draw":
                deal(event, hands[event["ship"]], decks[event["ship"]])


def deal(event, hand, deck):
    for card in event["cards"]:
        if not deck:
            deck |= set(range(11)) - hand
        deck.remove(card)
        hand.add(card)


def test_positions_are_legal(games):
    table, rows, _ = games
    ships = table.rules.ships
    spaces, laps = rows["final_space"][:, :ships], rows["final_lap"][:, :ships]
    assert ((0 <= spaces) & (spaces < 50)).all() and (laps <= 1).all()
    assert (spaces[laps == 1] == 0).all()
    assert (rows["finished"] == (laps == 1).any(axis=1)).all()
    assert (rows["score"] == rows["position_points"] + rows["gold"] + rows["treasure_points"])[:, :ships].all()


def test_sums_are_the_sums_of_the_rows(games):
    table, _, _ = games
    rows, tally = play(table, 300)
    results = run_games(table, 300)
    assert results.tally.tobytes() == tally[0].tobytes()
    assert results.of_game("rounds").value == pytest.approx(rows["rounds"].mean())
    assert results.of_game("battles").value == pytest.approx(rows["attacks"].sum(axis=1).mean())
    assert results.of_game("shortages").value == pytest.approx(rows["shortages"].sum(axis=(1, 2)).mean())
    assert tally["fought"][0, 0].sum() == rows["attacks"].sum()
    assert tally["short"][0, 0].sum() == rows["shortages"].sum()
    assert tally["rounds"][0].sum() == 300
    wins = tally["by_ship"][0, :, 0, 0]
    assert wins.sum() == 60 * 300  # every game has one victory, shared or not


# Unrelated luck stays


def dice_and_setup(trace):
    dice = [event["dice"] for event in trace["events"] if event["event"] == "round"]
    return dice, trace["setup"]


@pytest.mark.parametrize(
    "change",
    [
        {"lady_beth_bonus": 5},
        {"start_food": 6},
        {"edition": "2021"},
        {"map_hand_size": 5},
        {"limited_bank": True},
        {"start_score": 0},
    ],
    ids=lambda change: next(iter(change)),
)
def test_a_changed_rule_leaves_unrelated_luck(change):
    """Dice, first hands, treasure pile and Captain of a game stay the same."""
    table = seat_table(strategies="random", players=4)
    other = seat_table(strategies="random", players=4, **change)
    for game in range(25):
        dice, setup = dice_and_setup(replay_table(table, game))
        other_dice, other_setup = dice_and_setup(replay_table(other, game))
        assert setup == other_setup
        rounds = min(len(dice), len(other_dice))
        assert dice[:rounds] == other_dice[:rounds]


def test_each_ship_keeps_its_own_deck_when_another_sits_down():
    four, five = seat_table(strategies="random", players=4), seat_table(strategies="random", players=5)
    for game in range(25):
        hands = replay_table(four, game)["setup"]["hands"]
        assert replay_table(five, game)["setup"]["hands"][:4] == hands


@pytest.mark.parametrize("seat", range(3))
def test_another_strategy_leaves_unrelated_luck(seat):
    """A strategy changes neither the dice nor the pile, nor the others' first cards and luck."""
    seats = ["random"] * 3
    table = seat_table(strategies=seats, players=3)
    seats[seat] = "balanced"
    other = seat_table(strategies=seats, players=3)
    first_choices_differ = 0
    for game in range(25):
        trace, other_trace = replay_table(table, game), replay_table(other, game)
        (dice, setup), (other_dice, other_setup) = dice_and_setup(trace), dice_and_setup(other_trace)
        assert setup == other_setup
        rounds = min(len(dice), len(other_dice))
        assert dice[:rounds] == other_dice[:rounds]
        cards, other_cards = first_cards(trace), first_cards(other_trace)
        assert [card for ship, card in cards.items() if ship != seat] == [
            card for ship, card in other_cards.items() if ship != seat
        ]
        first_choices_differ += cards[seat] != other_cards[seat]
    assert first_choices_differ > 5


def first_cards(trace):
    """The card that each player chose in the first round, in seat order."""
    choices = [event for event in trace["events"] if event["event"] == "choose"][: trace["config"]["players"]]
    return {event["ship"]: event["card"] for event in sorted(choices, key=lambda event: event["ship"])}


@pytest.mark.parametrize("text", ["", 'bans = ["attack"]'])
def test_threads_that_seat_a_strategy_at_once_share_its_record(monkeypatch, text):
    """Engines keep the record's address: if a second record replaced it, an engine could read freed memory."""
    strategy = strategy_from_text(text, Path("mine.toml"))
    cards = tuple(replace(card, value=card.value + 1) for card in treasures())
    together, slowly = threading.Barrier(4), strategy_module.weights_record

    def make(*arguments, **changes):
        time.sleep(0.05)
        return slowly(*arguments, **changes)

    def seat(_):
        together.wait()
        return strategy.weights_for(cards)

    monkeypatch.setattr(strategy_module, "weights_record", make)
    with ThreadPoolExecutor(4) as threads:
        records = list(threads.map(seat, range(4)))
    assert all(record is records[0] for record in records)


def test_changed_treasures_give_the_same_result_with_two_threads():
    table = seat_table(players=4, **{"treasure.plus_7.value": 12})
    alone = run_games(table, 3_000, threads=1).tally
    for _ in range(3):
        anew = seat_table(players=4, **{"treasure.plus_7.value": 12})
        assert run_games(anew, 3_000, threads=2, chunk_size=100).tally.tobytes() == alone.tobytes()

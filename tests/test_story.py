"""The story of a game: it can be told for every kind of game, fits its page, and its book agrees with the engine."""

import re

import pytest

from jamaica_sim.play.chunks import Chunk, Worker
from jamaica_sim.play.game_table import seat_table as seat_any_table
from jamaica_sim.replays.replay import replay_table
from jamaica_sim.replays.story import WIDTH, tell
from jamaica_sim.rules import Rules

GAMES = 12
SETTINGS = [
    (edition, players, ghost)
    for edition in ("2007", "2021")
    for players in range(2, 7)
    for ghost in (False, True)
    if (players, ghost) not in ((2, False), (6, True))
]
VARIANTS = [
    Rules(players=3, holds=2, start_food=0, start_gold=7, start_score=-9),
    Rules(players=3, ghost=True, ghost_gold=(0, 9), lady_beth_bonus=7, treasure_pile=2),
    Rules(players=6, limited_bank=True, bank=(20, 20, 8), hand_size=1, map_hand_size=5),
    Rules(players=4, edition="2021", round_cap=4, action_die=(1, 10)),
]


def seat_table(rules=None, **rule_changes):
    """Random players: they come into every situation there is."""
    return seat_any_table(rules, "random", **rule_changes)


def story_table(text):
    """The score table at the end of a story: by ship, position, gold, treasures, score."""
    rows = re.findall(r"^  (\S.*?)  +(-?\d+) +(\d+) +(-?\d+) +(-?\d+)$", text, re.MULTILINE)
    return {name: [int(number) for number in numbers] for name, *numbers in rows}


def gold_in_last_list(text):
    """By ship, the doubloons in the holds that the last list of ships shows."""
    last = text.rsplit("\nAfter round ", 1)[1].split("\n\n")[0]
    blocks = re.split(r"\n  (?=\S)", last)[1:]
    return [sum(int(n) for n in re.findall(r"\[(\d+) gold\]", block)) for block in blocks]


def names(table):
    seats = [f"Ship {seat} ({strategy.label})" for seat, strategy in enumerate(table.strategies)]
    return seats + ["The ghost ship"] * table.rules.ghost


def check_story(table, game):
    trace = replay_table(table, game)
    text = tell(trace, rules=table.rules)
    row = Worker(table).play(Chunk(game, 1), keep_rows=True).rows[0]
    scores = story_table(text)
    assert list(scores) == sorted(scores, key=lambda name: -scores[name][3])
    for ship, name in enumerate(names(table)):
        parts = [row[column][ship] for column in ("position_points", "gold", "treasure_points", "score")]
        assert scores[name] == parts
    assert gold_in_last_list(text) == row["gold"][: table.rules.ships].tolist()
    assert max(map(len, text.splitlines())) <= WIDTH
    assert text.count("\nRound ") == trace["result"]["rounds"]
    return text


@pytest.mark.parametrize(("edition", "players", "ghost"), SETTINGS)
def test_every_setting_is_told_as_it_was_played(edition, players, ghost):
    table = seat_table(Rules(edition=edition, players=players, ghost=ghost))
    for game in range(GAMES):
        check_story(table, game)


@pytest.mark.parametrize("rules", VARIANTS, ids=["holds", "ghost", "bank", "cap"])
def test_variants_are_told_by_their_rules(rules):
    table = seat_table(rules)
    for game in range(GAMES):
        check_story(table, game)


def test_the_trace_alone_is_enough_for_the_rules_as_printed():
    table = seat_table(players=3, edition="2021")
    trace = replay_table(table, 7)
    assert tell(trace) == tell(trace, rules=table.rules)


def test_colour_changes_nothing_but_the_colour():
    trace = replay_table(seat_table(players=5, ghost=True), 3)
    coloured = tell(trace, colour=True)
    assert "\033[" in coloured
    assert re.sub(r"\033\[\d+m", "", coloured) == tell(trace)


def test_a_game_that_nobody_finishes_says_so():
    text = check_story(seat_table(round_cap=2), 0)
    assert "Nobody has come home after 2 rounds" in text


def test_a_bank_without_tokens_is_told():
    table = seat_table(players=6, limited_bank=True, bank=(18, 18, 1))
    told = "".join(check_story(table, game) for game in range(5))
    assert "the bank has no gunpowder left" in told
    assert "the bank has no more" in told


def event(kind, **fields):
    return {"event": kind, **fields}


def at(space, lap=0):
    return {"space": space, "lap": lap}


def battle_trace():
    """One round, made by hand: a battle with gunpowder, both sides' Sabre and loot, and a shortage."""
    events = [
        event("round", number=1, captain=1, dice=[4, 1], placed=[1, 4]),
        event("choose", ship=1, hand=[5, 7, 10], card=10),
        event("choose", ship=0, hand=[2, 6, 7], card=7),
        event("action", ship=1, when="morning", symbol="forward", die=1),
        event("move", ship=1, **{"from": at(0)}, to=at(1), options=[at(1)]),
        event("pay", ship=1, resource="food", amount=2, holds=[[0, 2]]),
        event("action", ship=1, when="evening", symbol="gunpowder", die=4),
        event("load", ship=1, resource="gunpowder", amount=4, hold=2, emptied=None),
        event("action", ship=0, when="morning", symbol="forward", die=1),
        event("move", ship=0, **{"from": at(0)}, to=at(1), options=[at(1)]),
        event("battle", attacker=0, defender=1, space=1, targets=[1]),
        event("powder", ship=0, amount=0),
        event("roll", ship=0, face=8),
        event("sabre", ship=1, of=0),
        event("roll", ship=0, face=6),
        event("powder", ship=1, amount=3),
        event("pay", ship=1, resource="gunpowder", amount=3, holds=[[2, 3]]),
        event("roll", ship=1, face=4),
        event("battle_end", winner=1, attack=6, defence=7),
        event("loot", ship=1, loser=0, decider=1, take="hold", hold=1, resource="gold", amount=3),
        event("load", ship=1, resource="gold", amount=3, hold=3, emptied=None),
        event("pay", ship=0, resource="food", amount=2, holds=[[0, 2]]),
        event("action", ship=0, when="evening", symbol="forward", die=4),
        event("move", ship=0, **{"from": at(1)}, to=at(5), options=[at(5)]),
        event("shortage", ship=0, resource="gold", due=3, paid=0, symbol=None),
        event("retreat", ship=0, **{"from": at(5)}, to=at(4), options=[at(4)]),
        event("treasure", ship=0, space=4, treasure=9),
    ]
    return {
        "schema": "jamaica-trace/1",
        "config": {
            "players": 3,
            "ghost": False,
            "edition": "2007",
            "seed": 1,
            "game": 0,
            "strategies": ["racer", "random", "random"],
            "round_cap": 1,
        },
        "setup": {"captain": 1, "pile": [9], "removed": [], "hands": [[2, 6, 7], [5, 7, 10], []]},
        "events": events,
        "result": {
            "rounds": 1,
            "finished": False,
            "scores": [-7, 1, -2],
            "winners": [1],
            "positions": [at(4), at(1), at(0)],
        },
    }


def test_a_battle_is_told_roll_by_roll():
    text = " ".join(tell(battle_trace()).split())
    for sentence in (
        "Round 1: Ship 1 (random) is Captain and rolls 4 and 1: 1 for the morning, 4 for the evening",
        "Ship 0 (racer) plays forward/forward: morning 1 sails forward from Port Royal to space 1 (sea) and attacks "
        "Ship 1 (random):",
        "Ship 0 (racer) adds no gunpowder and rolls 8, then by Ship 1 (random)'s Saran's Sabre 6: strength 6.",
        "Ship 1 (random) adds 3 gunpowder from hold 2 and rolls 4: strength 7.",
        "Ship 1 (random) wins, takes 3 gold from hold 1 of Ship 0 (racer) and puts the loot into hold 3.",
        "Ship 0 (racer) then pays 2 food from hold 0.",
        "runs short of gold (3 due, has none), goes back to space 4 (lair) and draws a treasure: Cursed -2.",
        "0 racer space 4 lair (28 to go) [1 food] [ ] [ ] [ ] [ ]",
        "1 random space 1 sea (31 to go) [1 food] [3 gold] [1 gunpowder] [3 gold] [ ]",
        "Ship 1 (random) wins with 1 point.",
    ):
        assert sentence in text

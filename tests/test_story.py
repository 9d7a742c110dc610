"""The story of a game: it can be told for every kind of game, fits its page, and its book agrees with the engine."""

import re

import pytest

from jamaica_sim.game.rules import Rules
from jamaica_sim.play.chunks import Chunk, Worker
from jamaica_sim.play.game_table import seat_table as seat_any_table
from jamaica_sim.play.trace import replay_table
from jamaica_sim.replays.book import COLOURS
from jamaica_sim.replays.story import WIDTH, tell

FEW, MANY = range(3), range(3, 9)
GAMES = pytest.mark.parametrize("games", [FEW, pytest.param(MANY, marks=pytest.mark.slow)], ids=["few", "many"])
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
    Rules(players=3).but(**{"space.2.kind": "lair", "space.8.cost": 6, "space.0.score": 40}),
]


def seat_table(rules=None, **rule_changes):
    """A table of random players, who reach every situation."""
    return seat_any_table(rules, "random", **rule_changes)


NUMBER = r" +(-?\d+)"


def story_table(text):
    """The table at the end of a story: by ship, points for place, gold, treasures, curses, and the score."""
    rows = re.findall(rf"^  (\S.*?) {NUMBER * 5} +\d+ of \d+ +\d+ +\d+$", text, re.MULTILINE)
    return {name.rstrip(): [int(number) for number in numbers] for name, *numbers in rows}


def last_standings(text):
    """By ship, space, spaces to go, points and doubloons as the last list of ships shows them."""
    last = text.rsplit("\n  After round ", 1)[1].split("\n\n")[0]
    for line in re.split(r"\n {4}(?=\S)", last)[1:]:
        place, to_go, points = re.match(r".*?  +(\S.*?)  +(\d+)  +(-?\d+)  ", line).groups()
        yield place, int(to_go), int(points), sum(int(n) for n in re.findall(r"(\d+) gold", line))


def names(table):
    seats = [f"{colour} {strategy.label}" for colour, strategy in zip(COLOURS, table.strategies, strict=False)]
    return seats + ["The ghost"] * table.rules.ghost


def check_story(table, game):
    trace = replay_table(table, game)
    text = tell(trace)
    row = Worker(table).play(Chunk(game, 1), keep_rows=True).rows[0]
    scores = story_table(text)
    assert list(scores) == sorted(scores, key=lambda name: -scores[name][4])
    for ship, (name, (place, to_go, points, gold)) in enumerate(zip(names(table), last_standings(text), strict=True)):
        space, *parts, score = (
            row[column][ship] for column in ("final_space", "position_points", "gold", "treasure_points", "score")
        )
        assert [scores[name][0], scores[name][1], scores[name][2] + scores[name][3]] == parts
        assert scores[name][4] == points == score and gold == parts[1]
        assert place.startswith(str(space)) or (space == 0 and place == ("home" if to_go == 0 else "Port Royal"))
    assert max(map(len, text.splitlines())) <= WIDTH
    assert text.count("\nRound ") == trace["result"]["rounds"]
    return text


@GAMES
@pytest.mark.parametrize(("edition", "players", "ghost"), SETTINGS)
def test_every_setting_is_told_as_it_was_played(edition, players, ghost, games):
    table = seat_table(Rules(edition=edition, players=players, ghost=ghost))
    for game in games:
        check_story(table, game)


@GAMES
@pytest.mark.parametrize("rules", VARIANTS, ids=["holds", "ghost", "bank", "cap", "board"])
def test_variants_are_told_by_their_rules(rules, games):
    table = seat_table(rules)
    for game in games:
        check_story(table, game)


def test_the_trace_alone_is_enough():
    table = seat_table(players=3, edition="2021")
    trace = replay_table(table, 7)
    assert "rules" not in trace["config"] and tell(trace) == tell(trace, rules=table.rules)


def test_a_trace_tells_the_rules_that_were_changed():
    trace = replay_table(seat_table(players=3, hand_size=4, action_die=(2, 3)), 7)
    assert trace["config"]["rules"] == {"hand_size": 4, "action_die": [2, 3]}


def test_colour_changes_nothing_but_the_colour():
    trace = replay_table(seat_table(players=5, ghost=True), 3)
    coloured = tell(trace, colour=True)
    assert "\033[" in coloured
    assert re.sub(r"\033\[\d+m", "", coloured) == tell(trace)


def test_a_game_that_nobody_finishes_says_so():
    text = check_story(seat_table(round_cap=2), 0)
    assert "Nobody came home in time." in text


def test_a_bank_without_goods_is_told():
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
        "Round 1: Red random is Captain, 1 in the morning, 4 in the evening",
        "Blue forward/forward 1 sails from Port Royal to space 1 (sea), attacks Red, adds no gunpowder and rolls 8: "
        "strength 8. Red uses Saran's Sabre to roll the die of Blue again. Blue rolls again: 6, strength 6. "
        "Red adds 3 gunpowder and rolls 4: strength 7. Red wins 7 to 6 and takes 3 gold from Blue. Blue pays 2 food.",
        "runs short of gold (3 due, none paid), goes back to space 4 (lair) and draws a face-down treasure: Cursed -2.",
        "Blue racer 4 lair 28 -7 1 food, 4 empty; -2",
        "Red random 1 sea 31 1 1 food, 3 gold, 1 gunpowder, 3 gold, 1 empty",
        "Red random wins with 1 point, 3 more than Green random, after 1 round.",
        "round 1: Red takes 3 gold from Blue (Blue -3, Red +3).",
    ):
        assert sentence in text


def test_the_summary_alone():
    trace = battle_trace()
    short = tell(trace, summary=True)
    assert short.startswith(
        "Jamaica, edition 2007, 3 players: game 0 of seed 1\nwith other rules: round cap 1\n\nSummary\n"
    )
    assert tell(trace).endswith(short.split("\n\n", 1)[1])
    assert "Most points: Red in round 1." in short and "Furthest along: Blue in round 1." in short


def test_a_long_game_takes_few_lines_for_each_round():
    trace = replay_table(seat_table(players=4), 3)
    assert len(tell(trace).splitlines()) < 24 * trace["result"]["rounds"]


@pytest.mark.parametrize("last", range(4, 27))
def test_a_game_that_breaks_off_is_told_to_its_last_event(last):
    """A strategy's fault can end a game anywhere in a round, even in the middle of a battle."""
    trace = battle_trace()
    text = tell(trace | {"events": trace["events"][:last], "result": None})
    assert "event" not in text and "{" not in text
    assert "Red    forward/gunpowder" in text and ("attacks Red" in text) == (last > 10)
    assert ("takes 3 gold" in text) == (last > 19)


def test_names_that_look_like_a_ship_are_left_alone_by_colours():
    trace = battle_trace()
    trace["config"]["strategies"][2] = "Redeemer"
    assert "Redeemer" in tell(trace, colour=True)

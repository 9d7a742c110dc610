"""House rules in the engine: every moment and verb by a file of a few lines, and games that go on alike."""

import numpy as np
import pytest
from house_games import PLAYED_ON, ROOM, SAME_LUCK, SEED, field, house, players, rows_of, rulebook_with

from jamaica_sim.engine.events import read_event
from jamaica_sim.engine.game import play_chunk, trace_chunk
from jamaica_sim.engine.play_on import play_on
from jamaica_sim.engine.rulebook import rulebook_of
from jamaica_sim.engine.state import POSITION_BYTES, RESULT_DTYPE
from jamaica_sim.game.codes import DECISIONS, FOOD, GOLD, HOLD_TO_EMPTY, HOUSE_CHOICE, MOMENTS
from jamaica_sim.game.house_file import ARGUMENTS, HouseRules, HouseRulesError
from jamaica_sim.game.rules import Rules, RulesError
from jamaica_sim.play.state_record import HouseRulesFault, new_state, play
from jamaica_sim.strategy.house.compile import in_force
from jamaica_sim.strategy.library import load_strategy
from jamaica_sim.study.simulate import simulate

TABLES = [
    Rules(players=2, ghost=True),
    Rules(players=4),
    Rules(players=3, edition="2021", ghost=True),
    Rules(players=6, edition="2021", limited_bank=True, bank=(40, 30, 25)),
]


def traced(rules, body, game, strategy="random"):
    """The events of a game, its row, and its last state."""
    strategies = players(strategy, rules.players)
    state, row = new_state(strategies, rules, traced=True), np.zeros(1, RESULT_DTYPE)
    play(state, rulebook_with(rules, body), strategies, SEED, game, row)
    trace = state["trace"][0, : int(state["trace_length"][0])]
    return [read_event(line.tolist()) for line in trace], row[0], state[0]


def house_events(rules, body, what, games=6, **how):
    """What house rules did in some games."""
    return [
        event
        for game in range(games)
        for event in traced(rules, body, game, **how)[0]
        if event["event"] == "house" and event["what"] == what
    ]


def empty_functions():
    lines = []
    for name, arguments in ARGUMENTS.items():
        returned = "n" if arguments[-1:] == ("n",) else "0"
        lines += [f"def {name}({', '.join(('game', 'rules', *arguments))}):", f"    return {returned}", ""]
    return "\n".join(lines)


@pytest.mark.parametrize("rules", TABLES, ids=str)
@pytest.mark.parametrize("strategy", ["random", "balanced"])
def test_a_file_that_does_nothing_changes_nothing(rules, strategy):
    """All columns alike: so the second engine plays the rules of the first, with every moment called."""
    games = 300 if strategy == "random" else 60
    assert (rows_of(rules, empty_functions(), games, strategy) == rows_of(rules, None, games, strategy)).all()


@pytest.mark.parametrize("rules", TABLES, ids=str)
def test_a_traced_game_is_the_same_game(rules):
    events, row, _ = traced(rules, empty_functions(), 3)
    plain, plain_row, _ = traced(rules, None, 3)
    assert events == plain and row == plain_row


def test_costs_by_file_are_those_of_a_changed_board():
    """Sea spaces one dearer, by a file and by the board: what the rules then do is the same in every column."""
    dearer = "def cost(game, rules, ship, space, n):\n    return n + 1 if rules.space_kind[space] == SEA else n\n"
    for edition in ("2007", "2021"):
        rules = Rules(players=4, edition=edition)
        by_board = rules.but(**{"seas.dearer": 1})
        assert (rows_of(rules, dearer, 200) == rows_of(by_board, None, 200)).all()


def books_are_kept(state, rules):
    """Stocks are what the holds have, the bank knows what is on the ships, no card is in two places."""
    stowage = np.array([[int(word) >> 8 * hold & 0xFF for hold in range(6)] for word in state["stowage"]])
    for resource in range(3):
        there = np.where(stowage >> 4 + resource & 1, stowage & 15, 0).sum(axis=1)
        assert (there[: rules.ships] == state["stock"][: rules.ships, resource]).all()
        assert state["in_play"][resource] == state["stock"][: rules.ships, resource].sum()
        if rules.limited_bank:
            assert state["peak"][resource] <= rules.bank[resource]
    held = [int(state[name][ship]) for name in ("powers", "hidden") for ship in range(rules.ships)]
    everywhere = [*held, int(state["treasures_undrawn"])]
    assert sum(one.bit_count() for one in everywhere) == int(np.bitwise_or.reduce(everywhere)).bit_count()
    assert sum(int(state["occupants"][i]).bit_count() for i in range(len(state["occupants"]))) == rules.ships


BUSY = """
def set_up(game, rules):
    for ship in range(rules.players):
        give(game, rules, ship, GUNPOWDER, 1)
def round_begins(game, rules):
    game.memory[0] += 1
    if game.memory[0] % 3 == 0:
        set_captain(game, rules, 0)
def arrived(game, rules, ship, space):
    game.ship_memory[ship, 0] += 1
    game.space_memory[space] += 1
    take(game, rules, ship, FOOD, 1)
def lair(game, rules, ship, space, token):
    if token == 0:
        if roll(game, rules, 6) > 3:
            draw_treasure(game, rules, ship)
        else:
            return_treasure(game, rules, ship, True)
def battle_ended(game, rules, attacker, defender, winner):
    if winner >= 0:
        move_hold(game, rules, winner, attacker + defender - winner, 1)
        sail(game, rules, winner, 1)
        sail(game, rules, attacker + defender - winner, -1)
def round_ends(game, rules):
    last = last_ship(game, rules)
    if last >= 0:
        give(game, rules, last, GOLD, 3)
def hand_limit(game, rules, ship, n):
    return n + 1 if ship == last_ship(game, rules) else n
def die(game, rules, ship, when, n):
    return n + (ship == game.captain)
def points(game, rules, ship, n):
    return n + game.ship_memory[ship, 0]
"""


@pytest.mark.parametrize("rules", TABLES, ids=str)
def test_the_books_are_kept_whatever_a_file_does(rules):
    seen = set()
    for game in range(25):
        events, _, state = traced(rules, BUSY, game)
        books_are_kept(state, rules)
        seen |= {event["what"] for event in events if event["event"] == "house"}
    assert {"give", "take", "sail", "treasure", "return", "hold", "roll", "captain", "die", "hand_limit"} <= seen
    rows = rows_of(rules, BUSY, 200)
    assert (rows["score"] != rows["position_points"] + rows["gold"] + rows["treasure_points"]).any()


def test_a_trace_tells_every_effect(request):
    """The doubloons of every ship, counted from the events alone, are those at the end."""
    rules = Rules(players=4)
    for game in range(10):
        events, row, _ = traced(rules, BUSY, game)
        gold = np.full(rules.players, rules.start_gold)
        for event in events:
            kind = event["event"]
            if kind in ("load", "pay") and event["resource"] == "gold":
                gold[event["ship"]] += event["amount"] * (1 if kind == "load" else -1)
            if kind == "loot" and event["take"] == "hold" and event["resource"] == "gold":
                gold[event["loser"]] -= event["amount"]
            if kind == "house" and event["what"] in ("give", "take", "hold") and event["resource"] == "gold":
                gold[event["ship"]] += event["amount"] * (-1 if event["what"] == "take" else 1)
                if event["what"] == "hold":
                    gold[event["loser"]] -= event["amount"]
            emptied = event.get("emptied")
            if emptied and emptied["resource"] == "gold":
                gold[event["ship"]] -= emptied["amount"]
        assert gold.tolist() == row["gold"][: rules.players].tolist()


ASKING = """
def set_up(game, rules):
    return ask(0, 2)
def set_up_chosen(game, rules, player, answer):
    give(game, rules, player, GOLD, 1 + answer)
    return ask(player + 1, 2) if player + 1 < rules.players else 0
def round_begins(game, rules):
    return ask(game.captain, 3)
def round_begins_chosen(game, rules, player, answer):
    give(game, rules, player, answer, 1)
def arrived(game, rules, ship, space):
    return ask(ship, 2) if ship < rules.players else 0
def arrived_chosen(game, rules, ship, space, player, answer):
    if answer == 1 and take(game, rules, ship, GUNPOWDER, 1) == 1:
        sail(game, rules, ship, 1)
def lair(game, rules, ship, space, token):
    return ask(game.captain, 2)
def lair_chosen(game, rules, ship, space, token, player, answer):
    if answer == 1:
        give(game, rules, ship, FOOD, 2)
def battle_begins(game, rules, attacker, defender):
    return ask(attacker, 3) if attacker < rules.players else 0
def battle_begins_chosen(game, rules, attacker, defender, player, answer):
    if answer == 2:
        sail(game, rules, defender, -1)
    return CALLED_OFF if answer == 1 else 0
def battle_ended(game, rules, attacker, defender, winner):
    return ask(winner, 2) if 0 <= winner < rules.players else 0
def battle_ended_chosen(game, rules, attacker, defender, winner, player, answer):
    sail(game, rules, winner, answer)
def round_ends(game, rules):
    return ask(game.captain, 2)
def round_ends_chosen(game, rules, player, answer):
    if answer == 1:
        set_captain(game, rules, (player + 1) % rules.players)
"""


@pytest.mark.parametrize("rules", TABLES, ids=str)
@pytest.mark.parametrize("body", [BUSY, ASKING], ids=["acting", "asking"])
def test_a_game_goes_on_as_it_did_from_every_position(rules, body):
    strategies = players("random", rules.players)
    rulebook, state = rulebook_with(rules, body), new_state(strategies, rules)
    asked = set()
    for game in range(4):
        first = new_state(strategies, rules, traced=True)
        positions, row = np.zeros((ROOM, POSITION_BYTES), np.uint8), np.zeros(1, RESULT_DTYPE)
        first["capture"], first["capture_room"], first["capture_bytes"] = positions.ctypes.data, ROOM, POSITION_BYTES
        trace_chunk(first, rulebook, SEED, game, row)
        positions = positions[: int(first["captured"][0])]
        decisions, answers = field(positions, "decision")[:, 0], field(positions, "answer")[:, 0]
        moments, waiting = field(positions, "moment")[:, 0], field(positions, "gifts_waiting")[:, 0]
        asked |= {"gift" for d, n in zip(decisions, waiting, strict=True) if d == HOLD_TO_EMPTY and n > 0}
        asked |= {MOMENTS[m] for d, m in zip(decisions, moments, strict=True) if d == HOUSE_CHOICE}
        for index in range(len(positions)):
            again = np.zeros(1, RESULT_DTYPE)
            assert play_on(state, rulebook, positions, index, SAME_LUCK, 0, answers[index], again) == 1
            where = f"game {game}, position {index}: {decisions[index]}, {moments[index]}"
            for column in PLAYED_ON:
                assert (again[column] == row[column]).all(), f"{where}: {column}"
    if body is ASKING:
        assert len(asked - {"gift"}) == 7
    assert "gift" in asked


@pytest.mark.clause("L1", "L2", "L3")
def test_gifts_follow_the_loading_rules():
    body = "def set_up(game, rules):\n    for _ in range(3):\n        give(game, rules, 0, GOLD, 2)\n"
    rules = Rules(players=3, holds=3)  # food, gold and an empty hold
    overboard = []
    for game in range(20):
        events, *_ = traced(rules, body, game)
        gifts = [event for event in events if event["event"] == "house"]
        assert [(gift["amount"], gift["emptied"] is None) for gift in gifts] == [(2, True), (2, False)]  # the third: L3
        assert gifts[1]["emptied"] == {"resource": "food", "amount": 3} and gifts[1]["hold"] == 0
        events, *_ = traced(rules, body + "    give(game, rules, 0, FOOD, 1)\n", game)
        overboard += [event["emptied"]["amount"] for event in events if event["event"] == "house" and event["emptied"]]
    assert {2, 3} <= set(overboard)  # the ship chooses


def test_goods_can_be_added_on_top_by_another_name():
    body = "def set_up(game, rules):\n    for _ in range(3):\n        add(game, rules, 0, GOLD, 3)\n"
    events, *_ = traced(Rules(players=3, holds=2), body, 0)
    assert [(event["hold"], event["amount"]) for event in events if event["event"] == "house"] == [(1, 3), (1, 3)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        (Rules(players=4), (24.06, 12.79, 33.86)),
        (Rules(players=3, edition="2021"), (22.56, 5.52, 21.53)),
    ],
    ids=str,
)
def test_gifts_are_those_of_another_engine(rules, expected):
    """Random games with `lairs_pay`: rounds, battles and shortages, 400,000 games each by an engine of its own."""
    results = simulate(100_000, rules=rules.but(house_rules="lairs_pay"), strategies="random", seed=8, threads=2)
    for name, value, tolerance in zip(("rounds", "battles", "shortages"), expected, (0.1, 0.1, 0.2), strict=True):
        assert abs(results.of_game(name).value - value) < tolerance, name


def test_searchers_play_by_the_same_rules():
    """Where empty lairs pay a fortune, a searcher calls at more of them than its first thought would."""
    pays = "def lair(game, rules, ship, space, token):\n    give(game, rules, ship, GOLD, 9)\n"
    rules = Rules(players=3)
    visits = {}
    for name in ("champion", "searcher"):
        line_up = [load_strategy(name), *players("balanced", 2)]
        gifts = 0
        state, rulebook = new_state(line_up, rules, traced=True), rulebook_with(rules, pays)
        for game in range(12):
            state["trace_length"] = 0
            play(state, rulebook, line_up, SEED, game, np.zeros(1, RESULT_DTYPE))
            trace = state["trace"][0, : int(state["trace_length"][0])]
            gifts += sum(event["event"] == "house" and event["ship"] == 0 for event in map(read_event, trace.tolist()))
        visits[name] = gifts
    assert visits["searcher"] > 1.3 * visits["champion"]


def test_the_result_of_a_battle_and_a_shortage_that_costs_nothing():
    rules = Rules(players=4)
    ties = "def battle_result(game, rules, attacker, defender, attack, defence, n):\n    return defender\n"
    rows = rows_of(rules, ties)
    assert rows["attacks_won"].sum() == 0 and rows["defences_won"].sum() > 50
    stays = "def shortage(game, rules, ship, space, missing, n):\n    return 0\n"
    events = [event for game in range(5) for event in traced(rules, stays, game)[0]]
    assert any(event["event"] == "shortage" for event in events)
    assert not any(event["event"] == "retreat" for event in events)


def test_the_first_option_is_what_the_heuristic_takes():
    events = house_events(Rules(players=4), ASKING, "asks", games=2, strategy="balanced")
    assert len(events) > 20 and {event["answer"] for event in events} == {0}


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("def lairs(game, rules, ship, space, token):\n    pass", "changes nothing"),
        ("def lair(game, rules, ship):\n    pass", r"line 4, in lair.*must take \(game, rules, ship, space, token\)"),
        ("def lair(game, rules, ship, space, token):\n    game.stock[ship, 0] = 3", "line 5.*change the game by verbs"),
        ("def lair(game, rules, ship, space, token):\n    rules.cost[3] = 3", "line 5.*change the game by verbs"),
        ("def lair(game, rules, ship, space, token):\n    give(game, rules, ship, GOLD, game.hand)", "no field 'hand'"),
        ("import random\ndef round_ends(game, rules):\n    pass", r"use roll\(game, rules, faces\)"),
        ("def points(game, rules, ship, n):\n    n + 1", "points must return a number"),
        ("def points(game, rules, ship, n):\n    return n / 2", "points must return a whole number"),
        ("def round_ends(game, rules):\n    gve(game, rules, 0, GOLD, 1)", "gve"),
        ('def round_ends(game, rules):\n    give(game, rules, 0, GOLD, PARAMETERS["pays"])', "no parameter 'pays'"),
        ("PARAMETERS = {'pays': 2.5}\ndef round_ends(game, rules):\n    pass", "must be a whole number"),
        ("PARAMETERS = {'pays': 1 + 1}\ndef round_ends(game, rules):\n    pass", "must be written out"),
        ("def round_ends(game, rules)\n    pass", "not valid Python"),
        (
            "def round_ends(game, rules):\n    try:\n        while True:\n            pass\n    finally:\n        pass",
            "a loop within a `try`",
        ),
    ],
)
def test_mistakes_are_told_with_the_line(body, sentence):
    with pytest.raises((HouseRulesError, RulesError), match=sentence):
        rulebook_with(Rules(), body)


def test_a_file_without_a_description_is_refused():
    with pytest.raises(HouseRulesError, match="no description"):
        HouseRules("x.py", "def round_ends(game, rules):\n    pass")


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("give(game, rules, 9, GOLD, 1)", "there is no such ship"),
        ("give(game, rules, -1, GOLD, 1)", "there is no ship -1 .*two share the last"),
        ("give(game, rules, 0, 7, 1)", "there is no such resource"),
        ("game.memory[9] = 1", "index"),
        ("roll(game, rules, 0)", "1 to 1,000 faces"),
    ],
)
def test_a_fault_in_a_game_names_the_function_not_a_strategy(line, sentence):
    with pytest.raises(
        HouseRulesFault, match=rf"the house rules raised .*{sentence}.* in round_ends, in game 0, round 1"
    ):
        rows_of(Rules(players=3), f"def round_ends(game, rules):\n    {line}\n")


def test_a_parameter_changes_the_game_without_compiling(monkeypatch):
    body = 'PARAMETERS = {"pays": (2, 0, 9)}\ndef lair(game, rules, ship, space, token):\n'
    text = house(body + '    give(game, rules, ship, GOLD, PARAMETERS["pays"])\n')
    rules = Rules(players=3)

    def gold(house_rules):
        changed, rows = rules.but(house_rules=house_rules), np.zeros(100, RESULT_DTYPE)
        rulebook = in_force(rulebook_of(changed), changed)
        play_chunk(new_state(players("random", 3), rules), rulebook, SEED, 0, rows)
        return rows["gold"].mean()

    two = gold(text)
    monkeypatch.setattr("jamaica_sim.strategy.house.compile.CompiledMoment._compile", None)
    assert gold(text.but(pays=0)) < two < gold(text.but(pays=9))
    with pytest.raises(HouseRulesError, match="house.pays must be a whole number from 0 to 9, not 10"):
        text.but(pays=10)
    with pytest.raises(HouseRulesError, match="has no parameter house.paid: did you mean 'house.pays'"):
        text.but(paid=1)


def test_doubloons_and_food_are_named():
    assert (GOLD, FOOD) == (0, 1) and "house_choice" in DECISIONS

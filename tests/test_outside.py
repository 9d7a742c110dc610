"""Games that stop and ask: answered by a strategy's own answers they are the games of a run, bit for bit."""

import json
import pickle

import numpy as np
import pytest

from jamaica_sim.engine.state import VIEW_DTYPE
from jamaica_sim.errors import UserError
from jamaica_sim.game.codes import DECISIONS
from jamaica_sim.game.house_file import house_rules_of, shipped_house_rules
from jamaica_sim.game.rules import Rules
from jamaica_sim.play.chunks import Chunk, Worker
from jamaica_sim.play.game_table import seat_table
from jamaica_sim.play.outside.game import Game, ScriptTracer
from jamaica_sim.play.positions import GamePositions, Onward
from jamaica_sim.play.state_record import StrategyFault
from jamaica_sim.play.trace import trace_game
from jamaica_sim.strategy.library import Untrusted, load_strategy, look_at_strategy
from jamaica_sim.strategy.question import Question
from jamaica_sim.web.coach import adviser

SEED = 41
GAMES = 6
TABLES = [
    Rules(players=2, ghost=True),
    Rules(players=3, edition="2021", ghost=True),
    Rules(players=3, edition="2021"),
    Rules(players=4),
    Rules(players=4, edition="2021", hand_size=4, steal_known=True),
    Rules(players=4, give_any_treasure=True, free_split=True, start_food=6),
    Rules(players=5, ghost=True, limited_bank=True, bank=(30, 20, 20)),
    Rules(players=6, edition="2021"),
    Rules(players=6, limited_bank=True),
    Rules(players=3, ghost=True).but(
        **{"space.6.cost": 3, "space.2.kind": "lair", "combat_die": (1, 2, 3, 4, 6, "star")}
    ),
]
WHO = ["hoarder", "balanced", "gambler", "racer", "treasure_hunter", "provisioner"]


def rows_of_run(table, games):
    return Worker(table).play(Chunk(0, games), keep_rows=True).rows


def with_outside(table, seats):
    """The same table with these seats outside."""
    players = [None if seat in seats else strategy for seat, strategy in enumerate(table.strategies)]
    return dict(rules=table.rules, strategies=players, seed=table.seed)


def answered(game, answers):
    """Answer a game by each player's own answers, in order."""
    told = {player: iter(given) for player, given in answers.items()}
    asked = set()
    while not game.is_over:
        asked.add(game.question.decision)
        game.answer(next(told[game.question.player]))
    assert all(next(rest, None) is None for rest in told.values())
    return asked


def own_answers(table, number, seats):
    decisions = GamePositions(table, number).decisions()
    return {seat: [position.answer for position in decisions if position.player == seat] for seat in seats}


@pytest.mark.parametrize("rules", TABLES, ids=str)
def test_a_game_answered_as_strategies_answer_is_the_game_of_a_run(rules):
    table = seat_table(rules, WHO[: rules.players], SEED)
    rows = rows_of_run(table, GAMES)
    for number in range(GAMES):
        for seats in ({0}, {1, rules.players - 1}, set(range(rules.players))):
            game = Game(**with_outside(table, seats), number=number)
            answered(game, own_answers(table, number, seats))
            assert game.row.tobytes() == rows[number].tobytes(), (number, seats)


@pytest.mark.slow
@pytest.mark.parametrize("name", shipped_house_rules())
def test_a_game_with_house_rules_is_the_game_of_a_run(name):
    rules = Rules(players=3, ghost=True, edition="2021", house_rules=house_rules_of(name))
    test_a_game_answered_as_strategies_answer_is_the_game_of_a_run(rules)


@pytest.mark.slow
def test_house_rules_that_raise_are_named_and_the_question_stays(tmp_path):
    path = tmp_path / "bad.py"
    path.write_text(
        '"""Raises."""\ndef round_ends(game, rules):\n    if game.round == 3:\n        raise ValueError(\'oops\')\n'
    )
    for seats in (None, [None, "balanced", "balanced"]):
        game = Game(players=3, house_rules=house_rules_of(str(path)), strategies=seats)
        with pytest.raises(StrategyFault, match="raised an exception in round_ends, in game 0, round 3"):
            to_the_end(game)
        given, asked = game.answers, game.question
        assert asked is not None and asked.view["round"] == 3 and game.result is None
        with pytest.raises(StrategyFault, match="in round_ends"):
            game.answer(asked.options[0])
        assert game.answers == given and game.question.as_dict() == asked.as_dict()


def test_every_decision_is_asked_outside_and_answered_at_random():
    """Resumes positions of resumed games, at every decision; the books of goods must stay right (P1)."""
    seen = set()
    for number, rules in enumerate(TABLES * 3):
        game = Game(rules=rules, seed=SEED, number=number)
        while not game.is_over:
            seen.add(game.question.decision)
            game.answer(game.question.luck.choice(game.question.options))
        state = game._rows.positions
        on_ships = state["stock"][0].sum(axis=0)
        assert state["in_play"][0].tolist() == on_ships.tolist()
        again = trace_game(game.table, number, ScriptTracer(game.table, game._scripts))
        assert again["result"] == game.result
    assert seen == set(DECISIONS) - {"house_choice"}  # which only house rules ask


@pytest.fixture
def game():
    return Game(players=3, ghost=True, edition="2021", strategies=["balanced", None, "random"], seed=5, number=2)


def play_some(game, answers):
    for _ in range(answers):
        game.answer(game.question.luck.choice(game.question.options))
    return game


def to_the_end(game):
    while not game.is_over:
        game.answer(game.question.options[-1])
    return game.row.tobytes()


def test_a_wrong_answer_is_refused_in_a_sentence_and_the_question_stays(game):
    asked = game.question
    for wrong in (62, -1, "3", None, True, 1.0, 2**70):
        with pytest.raises(UserError, match=f"is not a legal answer to {asked.decision}: answer {asked.options[0]} "):
            game.answer(wrong)
    assert game.question is asked
    game.answer(np.int64(asked.options[0]))
    to_the_end(game)
    with pytest.raises(UserError, match="the game is over"):
        game.answer(0)


def test_answers_are_taken_back_one_by_one(game):
    asked = []
    for _ in range(12):
        asked.append(repr(game.question))
        play_some(game, 1)
    events = game.events
    for question in reversed(asked):
        game.take_back()
        assert repr(game.question) == question
        assert game.events == events[: len(game.events)]
    assert game.notes == [(number, "taken back") for number in range(11, -1, -1)]
    with pytest.raises(UserError, match="no answer to take back"):
        game.take_back()
    other = Game(players=3, ghost=True, edition="2021", strategies=["balanced", None, "random"], seed=5, number=2)
    assert to_the_end(game) == to_the_end(other)


def test_a_copy_goes_its_own_way(game):
    play_some(game, 5)
    copy = game.copy()
    assert repr(copy.question) == repr(game.question) and copy.events == game.events
    copy.answer(copy.question.options[-1])
    assert len(game.answers) == 5 and len(copy.answers) == 6
    game.answer(game.question.options[-1])
    assert to_the_end(copy) == to_the_end(game)


def test_a_game_is_kept_in_a_small_file_and_goes_on(game, tmp_path):
    play_some(game, 14)
    game.note("coach asked")
    path = tmp_path / "game.jamaica.json"
    game.save(path)
    assert path.stat().st_size < 10_000
    loaded = Game.load(path)
    assert (repr(loaded.question), loaded.events, loaded.answers) == (repr(game.question), game.events, game.answers)
    assert loaded.notes == [(14, "coach asked")]
    assert to_the_end(loaded) == to_the_end(game)
    loaded.take_back()
    game.save(path)
    assert Game.load(path).result == game.result


def test_a_file_outlives_a_change_of_its_strategies(game, tmp_path):
    """All seats give the answers of the file again, whoever sits there now."""
    play_some(game, 4)
    path = tmp_path / "game.jamaica.json"
    game.save(path)
    saved = json.loads(path.read_text())
    saved["strategies"][0] = load_strategy("hoarder").identity()
    path.write_text(json.dumps(saved))
    loaded = Game.load(path)
    assert repr(loaded.question) == repr(game.question) and loaded.events == game.events
    assert loaded.table.strategies[0].name == "hoarder"
    loaded.take_back()
    loaded.answer(game.answers[-1][1])
    assert not to_the_end(loaded) == to_the_end(game)


DAMAGES = {
    "format": lambda saved: saved | {"format": "jamaica-game/9"},
    "rules": lambda saved: saved | {"rules": {"players": 99}},
    "no rules": lambda saved: {name: value for name, value in saved.items() if name != "rules"},
    "strategies": lambda saved: saved | {"strategies": "balanced"},
    "code as weights": lambda saved: (
        saved | {"strategies": [saved["strategies"][0] | {"file": "x.py"}, *saved["strategies"][1:]]}
    ),
    "seed": lambda saved: saved | {"seed": -1},
    "luck": lambda saved: saved | {"luck": {"dice": "x"}},
    "number": lambda saved: saved | {"number": 2**63},
    "answers": lambda saved: saved | {"answers": [[0], [1.5], None]},
    "too few seats": lambda saved: saved | {"answers": saved["answers"][:2]},
    "illegal": lambda saved: saved | {"answers": [saved["answers"][0], [61, *saved["answers"][1]], None]},
    "illegal inside": lambda saved: saved | {"answers": [[61, *saved["answers"][0]], saved["answers"][1], None]},
    "too many": lambda saved: saved | {"answers": [saved["answers"][0] + [0] * 9, saved["answers"][1], None]},
    "random answers": lambda saved: saved | {"answers": [*saved["answers"][:2], [0]]},
    "notes": lambda saved: saved | {"notes": [[1, "\x1b[2J"]]},
    "list": lambda saved: [saved],
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_refused_in_a_sentence(game, tmp_path, damage):
    path = tmp_path / "game.jamaica.json"
    play_some(game, 9).save(path)
    path.write_text(json.dumps(DAMAGES[damage](json.loads(path.read_text()))))
    with pytest.raises(UserError, match=r"game\.jamaica\.json .*\.$") as refused:
        Game.load(path)
    assert "\n" not in str(refused.value)


def test_what_is_no_file_of_a_game_is_refused(tmp_path):
    path = tmp_path / "x.json"
    with pytest.raises(UserError, match="there is no file"):
        Game.load(path)
    for content in (b"", b"\xff", b"{", b"[" * 100_000, b" " * 9 * 2**20):
        path.write_bytes(content)
        with pytest.raises(UserError):
            Game.load(path)
    with pytest.raises(UserError, match="cannot be read|not an ordinary file"):
        Game.load(tmp_path)


def test_code_from_a_file_runs_only_if_it_is_trusted(tmp_path):
    code = tmp_path / "mine.py"
    marker = tmp_path / "ran"
    code.write_text(f"open({str(marker)!r}, 'a').write('x')\ndef use_sabre(view, rules, weights):\n    return 0\n")
    strategy = look_at_strategy(code)
    game = Game(players=3, strategies=[None, "balanced", "racer"], seed=5)
    path = tmp_path / "game.jamaica.json"
    play_some(game, 3).save(path)
    saved = json.loads(path.read_text())
    saved["strategies"][1] = strategy.identity()
    path.write_text(json.dumps(saved))
    with pytest.raises(Untrusted):
        Game.load(path)
    assert not marker.exists()
    assert Game.load(path, trust=True).answers == game.answers and marker.exists()


def test_a_question_shows_only_what_its_player_may_see():
    """Everything hidden is exchanged; the question stays the same, to the letter."""
    seen = 0
    for rules in TABLES:
        game = Game(rules=rules, seed=SEED)
        while not game.is_over:
            other = game.copy()
            hidden = other._rows.bytes[VIEW_DTYPE.itemsize :]
            hidden[:] = np.random.default_rng(seen).integers(0, 256, hidden.size)
            again = Question(other._rows.views[0].tobytes(), rules)
            assert again.as_dict() == game.question.as_dict() and again.luck.random() == game.question.luck.random()
            seen += 1
            game.answer(game.question.luck.choice(game.question.options))
    assert seen > 500


def test_events_for_a_player_hide_what_it_may_not_know(game):
    """Whatever is told to a player is the same in all games that look the same to it."""
    play_some(game, 30)
    whole, told = game.events, game.events_for(1)
    assert len(whole) == len(told)
    for event, public in zip(whole, told, strict=True):
        assert event.keys() == public.keys()
        own = 1 in (event.get("ship"), event.get("loser"))
        if event["event"] in ("choose", "draw") and not own:
            cards = "hand" if event["event"] == "choose" else "cards"
            assert public[cards] == len(event[cards])
        elif event["event"] not in ("treasure", "loot"):
            assert public == event
    number = max(i for i, event in enumerate(whole) if event["event"] == "round")
    acted = {event["ship"] for event in whole[number:] if event["event"] in ("action", "skip")}
    for event, public in list(zip(whole, told, strict=True))[number:]:
        if event["event"] == "choose":
            assert public["card"] == (event["card"] if event["ship"] in acted | {1} else None)


def test_positions_of_a_game_are_played_on_as_the_player_knows_them(game):
    play_some(game, 8)
    positions = game.positions()
    asked = positions.all[-1]
    assert (asked.player, asked.decision, asked.options) == (
        game.question.player,
        game.question.decision,
        game.question.options,
    )
    assert asked.event == len(game.events)
    assert positions.table.strategies[asked.player].name == adviser().name
    tasks = [Onward(asked, answer, as_known=True) for answer in asked.options]
    assert all(chances.wins.sum() == pytest.approx(1) for chances in positions.chances(tasks, 10))


def test_a_pickled_game_goes_on_alike_and_says_what_it_is():
    game = Game(players=3, strategies=[None, "searcher", "random"], seed=4)
    for _ in range(12):
        game.answer(game.question.options[-1])
    again = pickle.loads(pickle.dumps(game))
    assert again.answers == game.answers and again.events == game.events
    assert repr(game) == repr(again) and "12 answers from outside, asks <Question to Blue" in repr(game)
    for one in (game, again):
        while (asked := one.question) is not None:
            one.answer(asked.options[0])
    assert game.result == again.result and repr(game).endswith("over>")

"""Chances to win: they come true as often as they say, and playing on is the game itself where nothing is changed."""

import json
import re

import numpy as np
import pytest
from click.testing import CliRunner

from jamaica_sim import replay_chances, replay_page
from jamaica_sim.cli import main
from jamaica_sim.play.game_table import seat_table
from jamaica_sim.replays.box import box_of
from jamaica_sim.replays.chances import BLUNDER, chances_of, for_page
from jamaica_sim.replays.page import page_data
from jamaica_sim.replays.positions import GamePositions
from jamaica_sim.replays.replay import replay_table
from jamaica_sim.rules import Rules

GAME = 5
TABLES = [Rules(), Rules(players=3, ghost=True, edition="2021"), Rules(players=2, hand_size=4)]


def type_in(*words):
    return CliRunner().invoke(main, [str(word) for word in words])


@pytest.fixture(scope="module", params=TABLES, ids=["four", "ghost", "two"])
def played(request):
    table = seat_table(request.param, ["balanced", "random"])
    return table, replay_table(table, GAME), GamePositions(table, GAME)


def test_there_is_a_position_before_every_round_and_at_every_choice(played):
    _, trace, positions = played
    assert [position.round for position in positions.before_rounds()] == list(range(1, trace["result"]["rounds"] + 1))
    number, chosen = 0, []
    for event in trace["events"]:
        number = event["number"] if event["event"] == "round" else number
        if event["event"] == "choose" and len(event["hand"]) > 1:
            chosen.append((number, event["ship"], tuple(sorted(event["hand"])), event["card"]))
    assert [(p.round, p.ship, p.cards, p.answer) for p in positions.choices()] == chosen


def test_the_game_itself_comes_of_the_card_that_was_played(played):
    _, trace, positions = played
    for position in positions.choices()[::7]:
        again = positions.with_card(trace, position, position.answer)
        assert again["events"] == trace["events"] and again["result"] == trace["result"]


def test_another_card_changes_nothing_before_it(played):
    _, trace, positions = played
    position = positions.choices()[9]
    other = next(card for card in position.cards if card != position.answer)
    branch = positions.with_card(trace, position, other)
    at = next(i for i, (a, b) in enumerate(zip(trace["events"], branch["events"], strict=False)) if a != b)
    assert branch["events"][at] == trace["events"][at] | {"card": other}
    assert branch["events"][at]["ship"] == position.ship
    dice = [[e["dice"] for e in game["events"] if e["event"] == "round"] for game in (trace, branch)]
    both = min(map(len, dice))
    assert dice[0][:both] == dice[1][:both]  # the luck is kept
    assert page_data(branch)["steps"][-1][0] == "end"


def test_chances_add_up_and_split_into_luck_and_decisions(played):
    table, trace, positions = played
    chances = chances_of(positions, trace, box_of(trace), 60)
    again = chances_of(GamePositions(table, GAME), trace, box_of(trace), 60)
    assert for_page(chances) == for_page(again)
    for before in chances.rounds:
        assert sum(before.all()) == pytest.approx(1)
    for swing in chances.swings():
        assert swing["luck"] + swing["decisions"] == pytest.approx(swing["change"])
    for choice in chances.choices:
        assert set(choice.chances) == set(choice.position.cards)
        assert choice.loss >= 0 and choice.is_blunder == (choice.loss >= BLUNDER)


def test_the_cards_that_strategies_choose_are_better_than_others():
    """Over many games, the card that strategies choose is better than a random other one."""
    table = seat_table(strategies="balanced", players=3)
    leads = []
    for game in range(3):
        positions = GamePositions(table, game)
        choices = positions.choices()
        tasks = [(p, card) for p in choices for card in (p.answer, min(c for c in p.cards if c != p.answer))]
        found = iter(positions.play_on(tasks, 50))
        leads += [next(found).of(p.ship) - next(found).of(p.ship) for p in choices]
    error = np.std(leads) / np.sqrt(len(leads))
    assert np.mean(leads) > 3 * error


@pytest.mark.slow
def test_chances_come_true_as_often_as_they_say():
    """Over a thousand games: of all chances near 30%, 30% come true; and so in every tenth from 0 to 1."""
    table = seat_table(strategies=["balanced", "racer", "random"], players=3, seed=9)
    chance, came_true = [], []
    for game in range(1000):
        positions = GamePositions(table, game)
        rounds = positions.before_rounds()
        position = rounds[(game * 7) % len(rounds)]
        (found,) = positions.play_on([(position, -1)], 300)
        winners = replay_table(table, game)["result"]["winners"]
        chance += found.all()
        came_true += [(ship in winners) / len(winners) for ship in range(3)]
    chance, came_true = np.array(chance), np.array(came_true)
    for low in np.arange(0, 1, 0.1):
        near = (chance >= low) & (chance <= low + 0.1)
        error = np.sqrt(max(0.05, chance[near].mean() * (1 - chance[near].mean())) / near.sum())
        assert abs(chance[near].mean() - came_true[near].mean()) < 3.5 * error, f"{low:.1f}: {near.sum()} chances"


GAME_OF = ["replay", "--game", GAME, "--players", 3, "-s", "balanced"]


def test_the_commands(tmp_path):
    table = seat_table(strategies="balanced", players=3)
    position = GamePositions(table, GAME).choice(2, 1)
    text = type_in(*GAME_OF, "--chances", 40, "--summary").stdout
    assert "Chances to win before each round, from 40 games played on from there" in text
    assert (
        len(re.findall(r"^ +\d+( +\d+% ± \d+){3}$", text, re.MULTILINE))
        == replay_table(table, GAME)["result"]["rounds"]
    )
    advice = type_in(*GAME_OF, "--advise", "2:red", "--chances", 40).stdout
    assert advice.count("%") == len(position.cards) and "(played" in advice
    done = type_in(*GAME_OF, "--chances", 40, "--html", tmp_path / "game.html")
    assert done.exit_code == 0
    chances = replay_chances(GAME, 40, strategies="balanced", players=3)
    assert (tmp_path / "game.html").read_text() == replay_page(chances.trace, chances=chances)
    other = next(card for card in position.cards if card != position.answer)
    branch = json.loads(type_in(*GAME_OF, "--what-if", f"2:ship1={other}", "--json").stdout)
    assert branch["config"]["what_if"] == {"round": 2, "ship": 1, "card": other}
    assert "if Red had played" in type_in(*GAME_OF, "--what-if", f"2:Red={other}", "--summary").stdout


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--what-if", "2:ship1"], "wants ROUND:SHIP=CARD"),
        (["--what-if", "2:ship1=rum/rum"], "There is no card 'rum/rum' in the hand: it has "),
        (["--what-if", "99:ship1=3"], "The game has the rounds 1 to"),
        (["--what-if", "2:ship7=3"], "'2:ship7' is no round and ship"),
        (["--advise", "two:Red"], "'two:Red' is no round and ship"),
        (["--advise", "2:Red", "--summary"], "Choose one of"),
        (["--what-if", "2:Red=3", "--chances", 10], "goes on with its own luck"),
        (["--chances", 5], "from 10 to 100,000"),
        (["--chances", 10, "--json"], "A trace has no chances"),
    ],
)
def test_mistakes_end_in_one_sentence(words, sentence):
    done = type_in(*GAME_OF, *words)
    assert done.exit_code == 2 and sentence in done.stderr and "\n" not in done.stderr.strip()

"""Chances to win: they come true as often as they say, every moment is named, luck and decisions add up."""

import json
import re

import numpy as np
import pytest
from command import type_in

from jamaica_sim import replay_advice, replay_chances, replay_page
from jamaica_sim.game.rules import Rules
from jamaica_sim.play.game_table import seat_table
from jamaica_sim.play.positions import Chances, GamePositions, Onward, Position
from jamaica_sim.play.trace import replay_table
from jamaica_sim.replays.box import box_of
from jamaica_sim.replays.chances import BLUNDER, Choice, chances_of, tasks_in
from jamaica_sim.replays.chances_told import advice_lines, chances_lines, for_page, half_width, percent, points
from jamaica_sim.replays.page import page_data
from jamaica_sim.replays.story import tell
from jamaica_sim.replays.what_if import answer_of, choice_at, choices_of, with_answer
from jamaica_sim.replays.words import VERBS, did
from jamaica_sim.strategy.option_words import COLOURS

GAME = 5
TABLES = [Rules(), Rules(players=3, ghost=True, edition="2021")]
GAMES = 12


@pytest.fixture(scope="module", params=TABLES, ids=["four", "ghost"])
def played(request):
    table = seat_table(request.param, ["balanced", "random"])
    trace, positions = replay_table(table, GAME), GamePositions(table, GAME)
    return trace, positions, chances_of(positions, trace, box_of(trace), GAMES)


def test_another_card_changes_nothing_before_it(played):
    trace, positions, _ = played
    position = positions.decisions("choose_card")[9]
    other = next(card for card in position.options if card != position.answer)
    branch = with_answer(positions, trace, position, other)
    at = next(i for i, (a, b) in enumerate(zip(trace["events"], branch["events"], strict=False)) if a != b)
    assert branch["events"][at] == trace["events"][at] | {"card": other}
    assert branch["events"][at]["ship"] == position.player
    dice = [[e["dice"] for e in game["events"] if e["event"] == "round"] for game in (trace, branch)]
    both = min(map(len, dice))
    assert dice[0][:both] == dice[1][:both]  # the luck is kept
    assert page_data(branch)["steps"][-1][0] == "end"


def test_changes_of_all_moments_lead_from_the_first_chances_to_the_result(played):
    trace, _, chances = played
    ships = range(len(trace["result"]["scores"]))
    for number, moments in enumerate(chances.moments):
        following = chances.rounds[number + 1] if number + 1 < len(chances.rounds) else chances.result
        assert (moments[-1][1].shares == following.shares).all(), f"round {number + 1}"
    for ship in ships:
        split = chances.split(ship)
        assert split.luck[0] + split.decisions[0] == pytest.approx(split.change[0])
        assert split.before[0] + split.change[0] == pytest.approx(chances.result.of(ship))
        rounds = [chances.split(ship, number, number).change[0] for number in range(1, len(chances.rounds) + 1)]
        assert sum(rounds) == pytest.approx(split.change[0])


def test_every_throw_draw_and_treasure_is_a_moment(played):
    trace, _, chances = played
    events = trace["events"]
    moments = [moment for of_round in chances.moments for moment, _ in of_round if moment.kind == "luck"]
    lucky = {"roll", "treasure", "round"} | ({"shortage"} if trace["config"]["edition"] == "2021" else set())
    expected = [at for at, event in enumerate(events) if event["event"] in lucky or event.get("take") == "hidden"]
    assert [moment.event for moment in moments if events[moment.event]["event"] != "draw"] == expected
    drawn = [moment for moment in moments if events[moment.event]["event"] == "draw"]
    assert [moment.event for moment in drawn] == [at for at, event in enumerate(events) if event["event"] == "draw"]
    for moment in moments:
        if events[moment.event]["event"] == "roll":
            is_again = events[moment.event - 1]["event"] == "sabre"
            assert moment.name.startswith("the Sabre's reroll") == is_again


def test_heuristics_change_no_chances_by_deciding(played):
    """They always give the same answer, so only random players have decisions among the moments."""
    trace, _, chances = played
    names = trace["config"]["strategies"]
    deciders = [m.onward.position.player for of_round in chances.moments for m, _ in of_round if m.kind == "decision"]
    assert deciders and {names[player] for player in deciders} == {"random"}


def test_chances_are_reproducible_and_counted(played):
    trace, positions, chances = played
    asked = []
    again = chances_of(positions, trace, box_of(trace), GAMES, asked.append)
    assert for_page(again) == for_page(chances)
    assert asked[-1] == GAMES * tasks_in(positions, trace, box_of(trace))
    for choice in chances.choices:
        assert set(choice.chances) == set(choice.position.options)
        assert choice.loss >= 0 and choice.is_blunder == (choice.loss >= BLUNDER)


def test_a_choice_is_judged_by_certain_differences_only():
    position = Position(3, "choose_card", 0, 0, (1, 2), 1)
    rng = np.random.default_rng(1)

    def chances(share):
        wins = (rng.random(400) < share).astype(float)
        return Chances(np.stack([wins, 1 - wins], axis=1))

    sure = Choice(position, {1: chances(0.2), 2: chances(0.6)})
    assert sure.best == 2 and sure.is_blunder and sure.loss == pytest.approx(0.4, abs=0.1)
    assert sure.cost(1)[0] == pytest.approx(-sure.loss)  # what one ship loses the other gains
    alike = Choice(position, {1: chances(0.4), 2: chances(0.41)})
    assert alike.best == 1 and alike.loss == 0 and alike.cost(0) == (0, 0)
    assert "(played and best)" in "\n".join(advice_lines(alike, ["Blue", "Red"], box_of_two()))
    assert "rather than" in advice_lines(sure, ["Blue", "Red"], box_of_two())[-1]
    hopeless = Choice(position, {1: chances(0), 2: chances(0)})
    assert "best" not in "\n".join(advice_lines(hopeless, ["Blue", "Red"], box_of_two()))


def box_of_two():
    from jamaica_sim.replays.box import Box

    rules = Rules(players=2)
    return Box(rules, rules.components.board, rules.components.action_cards, rules.components.treasures)


def test_every_number_has_its_interval():
    assert percent(0.3, 1000) == "30% ± 3" and percent(0.0, 10) == "0% ± 19"
    assert (
        points(-0.231, 0.015) == "-23 ± 3"
        and points(0.0, 0.0) == points(-0.004, 0.0) == "0 ± 0"
        and points(0.5, 0.001) == "+50 ± 1"
    )
    assert half_width(0.5, 96) == pytest.approx(0.1)


def test_every_decision_has_words(played):
    _, positions, chances = played
    names = [ship.name for ship in chances.ships]
    told = {p.decision: did(p, p.answer, chances.box, names) for p in positions.decisions()}
    assert set(told) <= set(VERBS) and len(told) > 8
    assert all(text.startswith(VERBS[decision]) and len(text) > 5 for decision, text in told.items())
    everything = [did(p, answer, chances.box, names) for p in positions.decisions() for answer in p.options]
    assert not [text for text in everything if "None" in text or text.endswith(" ")]


def test_the_page_is_told_where_chances_change(played):
    trace, _, chances = played
    told = for_page(chances)
    steps = page_data(trace)["steps"]
    assert [mark[0] for mark in told["marks"]] == sorted(mark[0] for mark in told["marks"])
    assert told["marks"][-1][0] == len(steps) - 1 and told["marks"][-1][1] == chances.result.wins.round(4).tolist()
    for _, wins, widths in told["marks"][:-1]:
        assert sum(wins) == pytest.approx(1, abs=0.001) and min(widths) > 0
    kinds = {"puts": "place", "plays": "choose", "sails to": "move", "attacks": "battle"}
    for decision in told["decisions"]:
        kind = steps[decision["step"]][0]
        assert kind == kinds.get(decision["verb"], kind)
        assert decision["answer"] in [option[0] for option in decision["options"]]


def test_the_terminal_has_rounds_swings_and_the_split(played):
    trace, _, chances = played
    text = "\n".join(chances_lines(chances))
    assert f"for a spectator who sees all hands, from {GAMES} games" in " ".join(text.split())
    ships = len(trace["result"]["scores"])
    assert len(re.findall(rf"^ +\d+( +\d+% ± \d+){{{ships}}}$", text, re.MULTILINE)) == trace["result"]["rounds"]
    for name in ("luck", "decisions"):
        assert re.search(rf"^  {name} +(([+-]\d+|0) ± \d+ *){{{ships}}}$", text, re.MULTILINE)


@pytest.mark.slow
def test_the_cards_that_strategies_choose_are_better_than_others():
    """Over many games, the chosen card gives better chances than another one, judged by what the player knew."""
    table = seat_table(strategies="balanced", players=3)
    leads = []
    for game in range(3):
        positions = GamePositions(table, game)
        choices = positions.decisions("choose_card")
        pairs = [(p, card) for p in choices for card in (p.answer, min(c for c in p.options if c != p.answer))]
        found = iter(positions.chances([Onward(p, card, as_known=True) for p, card in pairs], 50))
        leads += [next(found).of(p.player) - next(found).of(p.player) for p in choices]
    error = np.std(leads) / np.sqrt(len(leads))
    assert np.mean(leads) > 3 * error


@pytest.mark.slow
def test_chances_come_true_as_often_as_they_say():
    """Over hundreds of games: of all chances near 30%, 30% come true. The same holds in every tenth from 0 to 1."""
    from true_chances import calibration

    for tenth in calibration(games=500, onward=100):
        assert abs(tenth.said - tenth.came_true) < 3.5 * tenth.error, tenth


GAME_OF = ["replay", "--game", GAME, "--players", 3, "-s", "balanced"]


def test_the_commands(tmp_path):
    table = seat_table(strategies="balanced", players=3)
    position = choice_at(GamePositions(table, GAME), 2, "red")
    text = type_in(*GAME_OF, "--chances", 10, "--summary").stdout
    assert "from 10 games played on from there" in " ".join(text.split())
    advice = type_in(*GAME_OF, "--advise", "2:red", "--chances", 10).stdout
    assert advice.count("%") == len(position.options) and "(played" in advice
    assert "What this ship cannot know" in advice
    done = type_in(*GAME_OF, "--chances", 10, "--html", tmp_path / "game.html")
    assert done.exit_code == 0
    chances = replay_chances(GAME, 10, strategies="balanced", players=3)
    assert (tmp_path / "game.html").read_text() == replay_page(chances.trace, chances=chances)
    other = next(card for card in position.options if card != position.answer)
    branch = json.loads(type_in(*GAME_OF, "--what-if", f"2:ship1={other}", "--format", "json").stdout)
    assert branch["config"]["what_if"] == {"round": 2, "ship": 1, "card": other}
    assert "if Red had played" in type_in(*GAME_OF, "--what-if", f"2:Red={other}", "--summary").stdout


def test_the_same_game_goes_on_by_house_rules():
    table = seat_table(strategies="balanced", players=3, house_rules="lairs_pay")
    trace, positions = replay_table(table, GAME), GamePositions(table, GAME)
    again = with_answer(positions, trace, positions.all[1], positions.all[1].answer)
    assert again["events"] == trace["events"] and "(house rule lairs_pay)" in tell(again)


def test_any_choice_can_be_made_again_and_made_otherwise():
    """With the answer that was given, the game goes on as it did; with another, only from there on."""
    table = seat_table(strategies="balanced", players=3, ghost=True, edition="2021")
    trace, positions = replay_table(table, GAME), GamePositions(table, GAME)
    box, seen = box_of(trace), set()
    for position in positions.decisions():
        choices = choices_of(positions, position.round, position.player)
        (name,) = (name for name, other in choices.items() if other.index == position.index)
        assert choice_at(positions, position.round, COLOURS[position.player], name).index == position.index
        assert answer_of(position, box, position.answer) == position.answer
        if position.decision in seen:
            continue
        seen.add(position.decision)
        assert with_answer(positions, trace, position, position.answer)["events"] == trace["events"]
        other = next(answer for answer in position.options if answer != position.answer)
        changed = with_answer(positions, trace, position, other)
        assert changed["events"][: position.event] == trace["events"][: position.event]
        assert changed["config"]["what_if"]["ship"] == position.player
        assert "as it would have gone on if" in tell(changed)
    assert {"place_dice", "choose_card", "choose_space", "hold_to_pay", "ghost_direction"} <= seen
    space = next(position for position in positions.decisions("choose_space"))
    assert answer_of(space, box, f"Space {space.options[0]}") == space.options[0]
    advice = replay_advice(
        GAME, space.round, space.player, 10, "choose_space:1", strategies="balanced", players=3, ghost=True,
        edition="2021",
    )  # fmt: skip
    assert {*advice} == {f"space {option}" for option in space.options}


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--what-if", "2:ship1"], "wants ROUND:SHIP[:DECISION]=ANSWER"),
        (["--what-if", "2:ship1=rum/rum"], "There is no card 'rum/rum': there are "),
        (["--advise", "2:ship1:choose_sail"], "this ship had no decision 'choose_sail': it had "),
        (["--what-if", "99:ship1=3"], "The game has the rounds 1 to"),
        (["--what-if", "2:ship7=3"], "There is no ship 'ship7': there are Blue, Red"),
        (["--advise", "two:Red"], "'two:Red' is no round and ship"),
        (["--advise", "2:Red", "--summary"], "Choose one of"),
        (["--what-if", "2:Red=3", "--chances", 10], "--what-if shows one other game"),
        (["--chances", 5], "from 10 to 100,000"),
        (["--chances", 10, "--format", "json"], "--format json has no chances"),
    ],
)
def test_mistakes_end_in_one_sentence(words, sentence):
    done = type_in(*GAME_OF, *words)
    assert done.exit_code == 2 and sentence in done.stderr and "\n" not in done.stderr.strip()

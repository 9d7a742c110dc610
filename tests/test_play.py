"""Playing oneself: what a seat is told, how a game is kept, and the questions of the page, without a browser."""

import json
import random
import re
from itertools import islice, pairwise

import numpy as np
import pytest
from click.testing import CliRunner
from playing import Client, answered, new_game, table

from jamaica_sim import simulate
from jamaica_sim.cli import main
from jamaica_sim.errors import UserError
from jamaica_sim.game.rules import Rules
from jamaica_sim.play.game_table import seat_table
from jamaica_sim.play.outside.game import Game
from jamaica_sim.play.positions import Chances, GamePositions, Onward, Position
from jamaica_sim.play.public import events_for
from jamaica_sim.replays.box import box_of
from jamaica_sim.replays.steps import steps_of
from jamaica_sim.replays.story import replay_story, tell
from jamaica_sim.web import told as telling
from jamaica_sim.web.coach import COLUMNS, Advice, advise, adviser
from jamaica_sim.web.foresight import FORESEEN, foresight
from jamaica_sim.web.levels import LEVELS, opponent
from jamaica_sim.web.play_part import Play, coach_lines, state_of
from jamaica_sim.web.review import (
    Review,
    Value,
    judged,
    judging,
    mean_of,
    positions_of,
    review_game,
    reviewing,
    total_of,
    with_average_luck,
)
from jamaica_sim.web.review_ladder import AT_RANDOM, LADDER, as_champion
from jamaica_sim.web.review_told import address_of
from jamaica_sim.web.saved_games import RESIGNED, SavedGames, seat_people, table_words
from jamaica_sim.web.streams import Desk
from jamaica_sim.web.terminal import play_in_terminal


@pytest.fixture
def play(tmp_path):
    return Play(Desk(), SavedGames(tmp_path))


def exchanged(trace, seat, rules):
    """The same game with all cards exchanged that the seat cannot know."""
    treasures = rules.components.treasures
    known = {event.get("treasure") for event in events_for(trace["events"], seat, rules)}
    hidden = [n for n, card in enumerate(treasures) if card.kind != "power" and n not in known]
    other = dict(zip(hidden, hidden[1:] + hidden[:1], strict=True))

    def turned(cards):
        return [card if card is None else (card + 3) % len(rules.components.action_cards) for card in cards]

    events = []
    for event, public in zip(trace["events"], events_for(trace["events"], seat, rules), strict=True):
        changed = dict(event)
        if public.get("treasure", 0) is None:
            changed["treasure"] = other.get(event["treasure"], event["treasure"])
        if event["event"] in ("choose", "draw") and event["ship"] != seat:
            name = "hand" if event["event"] == "choose" else "cards"
            changed[name] = turned(event[name])
            if event["event"] == "choose" and public["card"] is None:
                changed["card"] = turned([event["card"]])[0]
        events.append(changed)
    hands = [hand if ship == seat else turned(hand) for ship, hand in enumerate(trace["setup"]["hands"])]
    setup = {**trace["setup"], "hands": hands, "pile": trace["setup"]["pile"][::-1], "removed": []}
    return {**trace, "events": events, "setup": setup}


@pytest.mark.parametrize(
    "facts",
    [
        {"seats": (None, "balanced", "random"), "ghost": True, "edition": "2021"},
        {"seats": (None, "champion", "random", "balanced", None)},
    ],
    ids=["ghost", "hot seat"],
)
@pytest.mark.clause("K1", "K2")
def test_exchanged_hidden_cards_change_no_byte_that_is_sent(facts):
    luck, differing = random.Random(1), 0
    for seed in range(3):
        given = table(seed=seed, **facts)
        game = Game(rules=given.rules, strategies=list(given.strategies), seed=seed)
        while (question := game.question) is not None:
            trace, seat = game.trace(), question.player
            other = exchanged(trace, seat, given.rules)
            differing += other != trace
            sent = [json.dumps(telling.table_for(one, seat, game, question)) for one in (trace, other)]
            assert sent[0] == sent[1]
            assert '"seed"' not in sent[0]
            if question.decision == "attack_powder":
                assert question.view["battle"]["defence_powder"] is None
            told = [tell(one, rules=given.rules, reader=seat) for one in (trace, other)]
            assert told[0] == told[1]
            game.answer(luck.choice(question.options))
    assert differing > 50


def test_replay_of_a_game_that_goes_on_hides_what_its_player_may_not_know(tmp_path):
    game, path = Game(strategies=[None, "balanced", "racer"], players=3, seed=9), tmp_path / "on.jamaica.json"

    def shown(*options):
        game.save(path)
        done = CliRunner().invoke(main, ["replay", str(path), *options])
        assert done.exit_code == 0, done.output
        return done.stdout

    assert "At the start" in shown()  # before the first dice are placed
    while not any(event["event"] == "treasure" and event["ship"] for event in game.events):
        game.answer(game.question.options[0])
    assert "Treasure pile, top first" in shown("--reveal") != shown()
    assert "seed 9" in shown("--reveal") and "1 face down" in shown() and "pile" not in shown()
    told = json.loads(shown("--format", "json"))
    assert {*told["setup"]["pile"]} == {None} and not {"seed", "game"} & {*told["config"]}
    shown("--html", str(tmp_path / "on.html"))
    page = (tmp_path / "on.html").read_text().replace(" ", "")
    assert '"pile":[null' in page and '"seed"' not in page and "seed9" not in page
    refused = CliRunner().invoke(main, ["replay", str(path), "--advise", "1:Red"])
    assert refused.exit_code == 2 and "is hidden" in refused.stderr


def test_a_game_over_the_server_is_the_saved_game(play):
    opened, luck, decisions = play.games.begin(table(ghost=True, edition="2021")), random.Random(2), set()
    client, name = Client(play), opened.path.name
    state = client.ask("state", game=name).json()
    while state["asked"] is not None:
        decisions.add(state["question"]["decision"])
        answer = luck.choice(state["question"]["options"])["answer"]
        state = client.ask("answer", game=name, number=state["number"], answer=answer).json()
    again = Game.load(opened.path)
    assert again.result == opened.game.result == state["trace"]["result"]
    assert again.answers == opened.game.answers and {"choose_card", "place_dice"} <= decisions


def test_a_late_click_and_a_wrong_answer_change_nothing(play):
    opened = play.games.begin(table())
    client, name = Client(play), opened.path.name
    for number, answer in ((1, 0), (0, 62)):
        refused = client.ask("answer", game=name, number=number, answer=answer)
        assert refused.status_code == 422 and refused.json()["error"].endswith(".")
    assert opened.game.answers == []
    assert client.ask("answer", game=name, number=0, answer=63).status_code == 422
    assert client.ask("state", game="../other.jamaica.json").status_code == 422
    assert client.ask("state", game=name, seat=1).status_code == 422


def test_taken_back_resigned_and_deleted(play):
    opened = play.games.begin(table())
    client, name = Client(play), opened.path.name
    first = client.ask("state", game=name).json()
    answer = first["question"]["options"][0]["answer"]
    client.ask("answer", game=name, number=0, answer=answer)
    back = client.ask("back", game=name).json()
    assert back["question"] == first["question"] and back["taken_back"] == 1
    assert client.ask("resign", game=name).json()["resigned"]
    assert Game.load(opened.path).notes == [(0, "taken back"), (0, RESIGNED)]
    assert not client.ask("back", game=name).json()["resigned"]
    assert [one["game"] for one in client.ask("games", game=name).json()["games"]] == [name]
    client.ask("delete", game=name)
    assert not opened.path.exists() and client.ask("state", game=name).status_code == 422


def test_another_game_has_other_luck(play):
    opened = play.games.begin(table())
    at = Client(play).ask("again", game=opened.path.name).json()["at"]
    other = play.games.open(at.split("#")[1])
    assert other.game.table.rules == opened.game.table.rules and other.game.table.seed != opened.game.table.seed


def test_a_game_goes_on_where_it_was_when_the_server_has_died(tmp_path):
    opened = new_game(tmp_path)
    answered(opened.game, random.Random(1), 9)
    opened.save()
    found = SavedGames(tmp_path).open(opened.path.name)  # another process would do the same
    assert state_of(found, None) == state_of(opened, None)


def test_several_people_see_only_public_things_until_one_is_ready(tmp_path):
    opened = new_game(tmp_path, seats=(None, None, "random"))
    state = state_of(opened, None)
    assert state["question"] is None and state["asked"] in (0, 1)
    assert all(card is None for hand in state["trace"]["setup"]["hands"] for card in hand)
    mine = state_of(opened, state["asked"])
    assert mine["question"]["player"] == state["asked"]
    assert state_of(opened, 1 - state["asked"])["question"] is None


def test_every_answer_is_told_before_it_is_given():
    luck, seen, open_ends = random.Random(4), set(), set()
    for seed in range(12):
        given = table(seats=(None, None, None), seed=seed, ghost=True, edition="2021" if seed % 2 else "2007")
        game = Game(rules=given.rules, strategies=list(given.strategies), seed=seed)
        while (question := game.question) is not None:
            seen.add(question.decision)
            assert all(foresight(question).values()), question
            if question.decision == "choose_card":
                for morning, evening in (does.split(", then ") for does in foresight(question).values()):
                    if evening.startswith("sail") and (" or space" in morning or "a shortage" in morning):
                        assert " to space" not in evening and "battle" not in evening
                        open_ends.add(evening.split(" from ")[1])
            game.answer(luck.choice(question.options))
    assert set(FORESEEN) - seen <= {"use_sabre"} and open_ends == {"there", "where the shortage takes it"}


def test_a_game_in_the_terminal(tmp_path):
    opened, said, luck = new_game(tmp_path), [], random.Random(5)
    words = iter(["x", "s", "b", "c"])

    def ask(text):
        word = next(words, None)
        return word if word is not None else str(luck.randint(1, 3))

    play_in_terminal(opened, said.append, ask)
    assert opened.game.is_over and "Points: " in said[-4] and said[-1].startswith("jamaica-sim review ")
    assert any("there is no answer to take back" in line for line in said)
    first = next(n for n, line in enumerate(said) if "which die is for the morning" in line)
    assert said[first - 2].startswith(("  Your hand: ", "  Your treasures: "))
    assert Game.load(opened.path).result == opened.game.result
    assert "outside" not in replay_story(opened.game.trace())  # a person's ship has its colour alone


def test_the_terminal_can_be_left_and_resigned(tmp_path):
    opened = new_game(tmp_path)
    words = iter(["1", "q"])
    play_in_terminal(opened, lambda text: None, lambda text: next(words))
    assert not opened.game.is_over
    said = []
    play_in_terminal(opened, said.append, lambda text: "r")
    assert opened.is_resigned and said[-1].startswith("jamaica-sim replay ")  # a review needs a whole game


def test_help_names_the_defaults_of_this_command():
    told = CliRunner().invoke(main, ["play", "--help"], terminal_width=200).output
    assert "default: experienced" in told and "default: drawn" in told and "different ones" not in told


def test_seats_and_names():
    assert seat_people(1, 3, ["champion"]) == [None, "champion", "champion"]
    assert seat_people(2, 3, ["racer"]) == [None, None, "racer"]
    for people, others in ((1, ["racer", "racer", "racer"]), (4, ["racer"])):
        with pytest.raises(UserError):
            seat_people(people, 3, others)
    assert table_words(table(ghost=True)) == "3_players_2007_ghost_balanced-random"


def test_the_coach_says_what_each_answer_is_worth_and_the_file_notes_it(tmp_path):
    opened = new_game(tmp_path, seats=(None, "champion", "champion", "champion"))
    answered(opened.game, random.Random(3), 8)
    lines = list(coach_lines(opened, _after(3)))
    assert [line["kind"] for line in lines] == ["coach"] * 3 + ["end"]
    first, _, last, _ = lines
    assert first["games"] == 32 and last["games"] == 128 and "128 games each, played on by master" in last["sentence"]
    options = {option["answer"]: option for option in last["options"]}
    assert set(options) == set(opened.game.question.options)
    assert (
        options[last["best"]]["verdict"] in ("best", "first choice", "best by points")
        and options[last["best"]]["cost"] == 0
    )
    assert all(option["half"] > 0 and option["cost"] + option["cost_half"] >= 0 for option in options.values())
    assert Game.load(opened.path).notes == [(8, "coach asked")]


class _after:
    """A stop that is set after so many looks."""

    def __init__(self, looks):
        self._left = looks

    def is_set(self):
        self._left -= 1
        return self._left < 0


def test_answers_far_behind_are_dropped_and_the_others_have_the_luck_of_one_batch():
    game = Game(players=3, strategies=[None, "balanced", "racer"], seed=8)
    (*_, in_parts) = advise(game, most=512)
    positions = game.positions(adviser(), everywhere=True)
    tasks = [Onward(positions.all[-1], answer, as_known=True) for answer in game.question.options]
    for whole, part in zip(positions.chances(tasks, 512), in_parts.chances.values(), strict=True):
        assert whole.shares[: part.games].tolist() == part.shares.tolist()
    played = {answer: chances.games for answer, chances in in_parts.chances.items()}
    assert played[in_parts.best] == 512 > min(played.values())
    assert all(in_parts.verdict(answer) == "worse" for answer, games in played.items() if games < 512)


def test_the_adviser_is_asked_by_its_view_alone():
    for rules in ({"players": 2, "ghost": True, "edition": "2021"}, {"players": 4}):
        for number in range(2):
            positions = GamePositions(seat_table(strategies="master", **rules), number)
            others = [p.decision for p in positions.decisions() if positions.thought(p) != p.answer]
            assert (
                set(others) <= {"choose_card"} and len(others) < 4
            )  # a Captain who has placed the dice for another card


def test_only_an_answer_clearly_better_or_further_ahead_replaces_the_advisers():
    rng = np.random.default_rng(1)
    position = Position(1, "choose_card", 0, 0, tuple(range(5)), 2)

    def best(chance_of_4, ahead_of_3=0):
        chances = {}
        for answer in position.options:
            won = rng.random((200, 1)) < (chance_of_4 if answer == 4 else 0.3)
            score = rng.normal(0, 5, (200, 2)) + [ahead_of_3 * (answer == 3), 0]
            chances[answer] = Chances(won * np.ones((1, 2)), {"score": score})
        return Advice(position, chances, 2)

    assert np.mean([best(0.3).best == 2 for _ in range(200)]) > 0.8  # the highest of five equals is mostly another
    assert np.mean([best(0.6).best == 4 for _ in range(200)]) > 0.95
    ahead = [best(0.3, ahead_of_3=3) for _ in range(200)]
    assert np.mean([advice.best == 3 and advice.verdict(3) == "best by points" for advice in ahead]) > 0.8


def test_a_review_adds_up_and_finds_a_planted_mistake():
    game = Game(players=3, strategies=[None, "champion", "champion"], seed=5)
    luck = random.Random(1)
    answered(game, luck)
    review = review_game(game, 0, 60)
    total = review.start.points + review.luck.points + review.others.points + review.own.points
    assert total == pytest.approx(review.result) and review.adjusted.half > 0
    costs = [cost.points for _, cost in review.kinds.values()]
    assert sum(costs) == pytest.approx(review.error.points) and costs == sorted(costs, reverse=True)
    assert review.error.points > review.error.half > 0  # random answers cost much
    worst = review.worst()
    assert 1 <= len(worst) <= 3 and all(decision.better != decision.given and decision.why for decision in worst)
    trace, rules = game.trace(), game.table.rules
    steps = steps_of(trace, box_of(trace, rules))
    assert all(int(address_of(trace, rules, 0, d).split(".")[1].split("&")[0]) <= len(steps) for d in worst)


def test_a_review_goes_on_and_plays_more_games_where_it_is_close():
    game = Game(players=3, strategies=[None, "champion", "champion"], seed=5)
    answered(game, random.Random(1))
    finer = list(islice((found for found in reviewing(game, 0, 20) if isinstance(found, Review)), 2))
    assert all(a.games < b.games and a.luck.half > b.luck.half for a, b in pairwise(finer))
    positions = game.positions(adviser(), everywhere=True)
    asked = positions.decisions()
    found = next(found for played, found in judging(positions, asked, 0, 20) if played > 40 * len(asked))
    least, most = min(found, key=lambda one: one.games), max(found, key=lambda one: one.games)
    assert most.games > 10 * least.games and least.costs[0].half < total_of(one.costs[0] for one in found).half / 5


class _Equals:
    """Positions in which every answer is as good as any other."""

    table = seat_table(players=2)

    def __init__(self, rng):
        self._rng = rng

    def thought(self, position):
        return self._rng.choice(position.options)

    def chances(self, ways, games, **_):
        columns = dict.fromkeys(COLUMNS, np.zeros((games, 3)))
        return [Chances((self._rng.random((games, 1)) < 0.3) * np.ones((1, 3)), columns) for _ in ways]


def test_noise_earns_nothing_in_a_review():
    """Answers that are equal cost nothing on average, however many there are."""
    position = Position(1, "choose_card", 0, 0, tuple(range(5)), 2)
    equals = _Equals(np.random.default_rng(1))
    costs = [judged(equals, position, 100).costs[0].points for _ in range(300)]
    assert abs(np.mean(costs)) < 3 * np.std(costs) / np.sqrt(len(costs)) > 0


def test_average_luck_is_the_start_where_everybody_answers_as_the_adviser():
    """And elsewhere it is the result on average; `benchmarks/coach.py luck` measures this with many games."""
    table = Game(players=3, strategies=[None, "master", "master"], seed=2).table
    positions, seat = positions_of(table, adviser(), 1)
    start, adjusted = with_average_luck(positions, 50)
    others = sum(positions.thought(position) != position.answer for position in positions.decisions())
    assert (start.tolist() == adjusted.tolist()) == (others == 0) and others < 3
    won = []
    for number in range(12):
        positions, seat = positions_of(table, opponent("random"), number)
        won.append(with_average_luck(positions, 20)[1][:, seat].mean())
    assert np.mean(won) < 0.15  # random play hardly ever wins


def test_costs_have_no_sign_and_parts_of_a_sum_have_one():
    assert str(Value(5.2, 4.6)) == "5 ± 5" and Value(5.2, 4.6).change == "+5 ± 5"
    assert (-Value(5.2, 4.6)).change == "-5 ± 5"
    assert str(Value(-0.0, 0.0)) == Value(-0.3, 0.2).change == "0 ± 1"


def test_a_mean_of_few_games_has_no_interval():
    values = [Value(points, 5.0) for points in (10, 20, 60, 30, 40)]
    few = mean_of(values[:2])
    assert str(few) == "15 (too few games for an interval)" and as_champion(few, [Rules()]) == ""
    assert str(mean_of(values[:1])) == "10 ± 5" and str(mean_of(values)) == "32 ± 24"


def test_an_error_rate_is_told_as_that_of_an_erring_champion():
    for (players, ghost), rungs in LADDER.items():
        rules = Rules(players=players, ghost=ghost)
        points = [rung.points for rung in rungs]
        assert points == sorted(points) and len(points) == len(AT_RANDOM) and all(rung.half > 0 for rung in rungs)
        told = as_champion(Value(points[2], 0.0), [rules])
        assert told.startswith("about as good as champion with 10% of its choices at random (95%: ")
        ends = [int(part.removesuffix(" at random)").rstrip("%")) for part in told.partition("95%: ")[2].split(" to ")]
        assert ends[0] < 10 < ends[1]
        as_good = as_champion(Value(points[0] - 9, 99.0), [rules])
        assert as_good == "about as good as champion (95%: 0% to half or more at random)"
        beyond = as_champion(Value(points[-1] + 50, 1.0), [rules])
        assert beyond == "at beginner level, or below (95%: half or more at random)"
    assert as_champion(Value(9, 1), [Rules(), Rules(players=3)]) == as_champion(Value(9, 1), [Rules(players=3)]) == ""
    assert as_champion(Value(9, 1), [Rules(hand_size=4)]) == "" != as_champion(Value(9, 1), [Rules(edition="2021")])


def test_levels_are_strategies_under_plain_names():
    assert [opponent(name).label for name in LEVELS] == list(LEVELS)
    assert opponent("racer").name == "racer"


def test_each_level_of_weak_play_loses_to_the_next():
    """One ship against three of the next level wins less than a quarter, and more than nothing."""
    for weaker, stronger in pairwise(["child", "beginner", "club_player", "experienced"]):
        rate = simulate(3000, strategies=[opponent(weaker), *[opponent(stronger)] * 3]).win_rate(opponent(weaker).label)
        assert 0.05 < rate.value and rate.high < 0.25, weaker


@pytest.mark.slow
def test_the_review_command(tmp_path):
    opened = new_game(tmp_path)
    answered(opened.game, random.Random(2))
    opened.save()
    page = tmp_path / "50% #1.html"
    words = ["review", str(tmp_path), "--games", "100", "--html", str(page)]
    told = CliRunner().invoke(main, words)
    told_of = told.output.replace(str(tmp_path), "")  # a folder may be called pytest-0
    assert told.exit_code == 0 and "your decisions" in told_of and "Error rate" in told_of
    assert "cost +" not in told_of and "-0" not in told_of and " 1 times" not in told_of
    own, *kinds = re.findall(r"(?:your decisions|times?) +([+-]?\d+) ±", told_of)
    assert abs(sum(map(int, kinds)) + int(own)) <= len(kinds)  # rounded
    text = page.read_text()
    assert 'href="50%25%20%231_games/1.html#r' in text and (tmp_path / "50% #1_games" / "1.html").exists()
    assert [text.count(f'class="chart {form}"') for form in ("wide", "narrow")] == [3, 3]  # rate, parts, kinds
    assert f"{own.removeprefix('-')} ±" in text and "95% intervals" in text

"""Tables set on the page, branches of games, and reviews kept beside games, without a browser."""

import json
import random

import pytest
from click.testing import CliRunner
from playing import Client, answered, new_game

from jamaica_sim.cli import main
from jamaica_sim.play.outside.game import Game
from jamaica_sim.web.foresight import leads
from jamaica_sim.web.play_part import Play
from jamaica_sim.web.record import ReviewedGame, learn, learnt_of, mistakes, record_of, review_path
from jamaica_sim.web.review_told import review_page
from jamaica_sim.web.saved_games import SavedGames, branch_of
from jamaica_sim.web.streams import Desk

GAMES = 20  # played on for each answer: enough to see that random play costs


@pytest.fixture
def play(tmp_path):
    return Play(Desk(), SavedGames(tmp_path))


def finished(folder, seed=3):
    opened = new_game(folder, seed=seed)
    answered(opened.game, random.Random(seed))
    opened.save()
    return opened


def test_a_table_is_set_with_levels_names_and_house_rules(play):
    client = Client(play)
    offered = client.ask("menu").json()
    levels, house = offered["levels"], offered["houses"][0]["name"]
    assert levels[-1]["name"] == "relentless" and all(one["description"] for one in levels)
    asked = {"players": 3, "edition": "2021", "ghost": True, "people": ["Ada"], "strategies": ["strong", "racer"]}
    asked["changes"] = {"hand_size": 4, "house_rules": house}
    at = client.ask("begin", **asked).json()["at"]
    table = play.games.open(at.split("#")[1]).game.table
    assert [strategy.label for strategy in table.strategies] == ["Ada", "strong", "racer"]
    assert table.rules.hand_size == 4 and table.rules.house_rules.name == f"{house}.py"
    told = client.ask("state", game=at.split("#")[1]).json()
    assert [ship["strategy"] for ship in told["ships"]][:2] == ["Ada (you)", "strong"]
    for wrong in ({"strategies": ["strong"] * 3}, {"people": ["<b>"]}, {"changes": {"hand_size": 99}}, {"players": 7}):
        assert client.ask("begin", **{**asked, **wrong}).status_code == 422


def test_a_branch_is_the_game_as_it_was_and_leaves_a_file_once_it_is_played(play):
    opened = finished(play.games.folder)
    client, name = Client(play), opened.path.name
    answers = opened.game.answers
    at = client.ask("branch", game=name, number=5).json()["at"].split("#")[1]
    branch = play.games.open(at)
    assert branch.game.answers == answers[:5] and branch_of(branch.game) == (name, 5)
    branch.note("coach asked")
    assert [one["game"] for one in play.games.listed()] == [name]
    assert opened.game.after(0).question.options == Game.load(opened.path).after(0).question.options
    told = client.ask("answer", game=at, number=5, answer=answers[5][1]).json()
    assert told["number"] == 6 and tuple(told["branch"]) == (name, 5)
    assert sorted(one["state"].split(";")[-1] for one in play.games.listed())[0] == " a branch"
    assert opened.game.answers == answers


def test_reviews_are_kept_until_the_game_changes_and_mistakes_until_they_are_learnt(tmp_path, monkeypatch):
    first, second = finished(tmp_path, 3), finished(tmp_path, 4)
    new_game(tmp_path, seed=5)  # not over
    left_out = []
    found = list(record_of(sorted(tmp_path.glob("*.jamaica.json")), GAMES, left_out.append))
    record = list({one.path: one for one in found if isinstance(one, ReviewedGame)}.values())
    assert {one.path for one in record} == {first.path, second.path} and "it is not over" in left_out[0]
    assert all(found.error.points > 0 for found in (one.review for one in record))
    [kept] = [one for one in record_of([first.path], GAMES) if isinstance(one, ReviewedGame)]
    assert kept.review == next(one.review for one in record if one.path == first.path)
    worst = mistakes(record)
    assert worst and all(a[1].cost.points >= b[1].cost.points for a, b in zip(worst, worst[1:], strict=False))
    one, decision = worst[0]
    assert (
        one.game.after(decision.number).question.words[one.game.answers[decision.number][1]].removeprefix("to ")
        == decision.given
    )
    learn(one.path, decision.number)
    [again] = [it for it in record_of([one.path], GAMES) if isinstance(it, ReviewedGame)]
    assert decision.number in again.learnt == tuple(learnt_of(one.path))
    assert (decision.number, decision.given) not in [(d.number, d.given) for _, d in mistakes([again])]
    page = review_page(record, lambda one, decision: "../play#x")
    assert page.count('<tr><th scope="row"><a href="../play#x">') == 2 and "Error rate from game to game" in page
    review_path(first.path).write_text("{")
    assert learnt_of(first.path) == []
    first.game.note("something")
    first.save()
    assert any(isinstance(it, tuple) for it in record_of([first.path], GAMES))  # it is reviewed anew


def test_where_an_answer_leads_is_where_it_comes_to():
    luck, compared = random.Random(2), 0
    for seed in range(6):
        game = Game(players=3, strategies=[None, "balanced", "random"], seed=seed)
        while (asked := game.question) is not None:
            marks = {answer: dict(leads(asked, answer)) for answer in asked.options}
            answer = luck.choice(asked.options)
            if asked.decision == "choose_space":
                assert all(set(found) == {space} for space, found in marks.items())
            before = len(game.events)
            game.answer(answer)
            moves = [one for one in game.events[before:] if one["event"] == "move" and one["ship"] == 0]
            if (
                asked.decision == "choose_card"
                and moves
                and moves[0]["from"]["space"] == asked.view["ships"][0]["space"]
            ):
                assert moves[0]["to"]["space"] in marks[answer]
                compared += 1
    assert compared > 20


def test_an_unfinished_game_keeps_its_pile_secret(tmp_path):
    opened = new_game(tmp_path)
    answered(opened.game, random.Random(1), 9)
    opened.save()
    story = CliRunner().invoke(main, ["replay", str(opened.path)])
    assert story.exit_code == 0 and "Treasure pile" not in story.output
    told = json.loads(CliRunner().invoke(main, ["replay", str(opened.path), "--format", "json"]).stdout)
    assert set(told["setup"]["pile"]) == {None} and told["setup"]["removed"] == []

"""The studio's answers: equal to `run` and `sweep` to the digit, in order, refused in a sentence, in words that fit."""

import asyncio
import json
import re
import shutil
from dataclasses import replace

import httpx
import pytest

from jamaica_sim.errors import UserError
from jamaica_sim.game.components import board
from jamaica_sim.game.components.course import board_text
from jamaica_sim.game.rules import Rules
from jamaica_sim.web import keeping
from jamaica_sim.web.box import box
from jamaica_sim.web.notebook import AskedNotebook, Notebook
from jamaica_sim.web.part import Studio
from jamaica_sim.web.play_part import Play
from jamaica_sim.web.question import AskedTable, Menu, lay
from jamaica_sim.web.saved_games import SavedGames
from jamaica_sim.web.server import application
from jamaica_sim.web.streams import Desk
from studio_false_alarms import false_alarms

SEATS = ["balanced", "racer", "hoarder", "treasure_hunter"]
GHOSTLY = {"players": 3, "ghost": True, "edition": "2021", "strategies": ["balanced", "racer", "balanced"]}


@pytest.fixture(scope="module")
def menu():
    return Menu()


def asked(menu, **question):
    return lay(AskedTable(**question), menu)


# Refusals


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ({"changes": {"treasure_pile": 12}}, "only 9 lairs to draw it from"),
        ({"changes": {"hand_sise": 4}}, "did you mean 'hand_size'"),
        ({"changes": {"hand_size": "many"}}, "hand_size must be a whole number"),
        ({"players": 2, "ghost": False}, "two players always play with the ghost ship"),
        ({"strategies": ["balanzed"]}, "did you mean 'balanced'"),
        ({"strategies": ["../../evil.py"]}, "there is no strategy"),
        ({"strategies": ["strategies/balanced.toml"]}, "there is no strategy"),
        ({"changes": {"board": "/etc/passwd"}}, "a board of your own comes with --rules FILE"),
        ({"base": {"board": "somewhere.csv"}}, "a board of your own comes with --rules FILE"),
        ({"changes": {"house_rules": "/tmp/evil.py"}}, "the page itself reads no file"),
        ({"base": {"house_rules": "evil.py"}}, "the page itself reads no file"),
    ],
)
def test_what_cannot_be_is_refused_in_the_sentence_of_the_command_line(menu, question, sentence):
    with pytest.raises(UserError, match=sentence):
        asked(menu, **question)


def test_a_file_of_the_command_line_can_be_seated_and_no_other(tmp_path, monkeypatch):
    (tmp_path / "mine.toml").write_text("[weights]\nfinish = 3\n")
    (tmp_path / "other.toml").write_text("[weights]\nfinish = 3\n")
    monkeypatch.chdir(tmp_path)
    menu = Menu(["mine.toml", "balanced"])
    assert menu.labels(["mine.toml", "balanced"]) == ["mine", "balanced"]
    assert lay(AskedTable(strategies=["mine"]), menu).base.strategies[0].label == "mine"
    for name in ("other", "other.toml", "mine.toml", str(tmp_path / "mine.toml")):
        with pytest.raises(UserError, match="there is no strategy"):
            menu.strategy(name)


def test_house_rules_are_chosen_by_name(menu):
    name = next(iter(menu.houses))
    table = asked(menu, changes={"house_rules": name})
    assert table.varied.rules.house_rules == menu.houses[name] and table.base.rules.house_rules is None


def test_parameters_that_a_file_of_rules_changed_are_changes_of_the_page():
    house = Rules(house_rules="lairs_pay").but(**{"house.pays": 5}).house_rules
    menu = Menu(house=replace(house, name="mine.py"))
    (parameter,) = next(house["parameters"] for house in box(menu)["houses"] if house["name"] == "mine.py")
    assert parameter["value"] == 2
    table = asked(menu, changes={"house_rules": "mine.py", "house.pays": 5})
    assert dict(table.varied.rules.house_rules.changed) == {"pays": 5}
    assert asked(menu, changes={"house_rules": "mine.py"}).varied.rules.house_rules.changed == ()


def listed(rule):
    """The value of a rule as a list; that of a card which may be added is none."""
    value = rule["value"]
    return [] if value is None else value if isinstance(value, list) else [value]


def test_the_box_has_every_rule_with_its_meaning(menu):
    found = box(menu)
    rules = {rule["name"]: rule for rule in found["rules"]}
    assert rules["hand_size"] | {"low": 1, "high": 8, "value": 3} == rules["hand_size"]
    assert rules["limited_bank"]["flag"] is True and rules["action_die"]["value"] == [1, 2, 3, 4, 5, 6]
    assert {"space.6.cost", "treasure.lady_beth.copies", "card.3", "red_line", "ports.dearer"} <= set(rules)
    assert not {"players", "edition", "ghost"} & set(rules)
    assert all(rule["meaning"] and rule["clause"] and rule["allowed"] for rule in rules.values())
    assert [s["name"] for s in found["strategies"] if s["slow"]] == ["searcher"]
    numbers = [rule for rule in rules.values() if rule["name"] not in ("board", "house_rules") and "flag" not in rule]
    assert all("form" in rule or "low" in rule for rule in numbers)  # so that an address can be checked
    assert all(re.fullmatch(rule["form"], str(value)) for rule in numbers if "form" in rule for value in listed(rule))
    json.dumps(found)


def test_the_box_with_a_board_of_ones_own(menu):
    """Its spaces are the board's; everything else is as printed, also what such a board has too few lairs for."""
    text = "mine:" + board_text(with_few_lairs())
    printed, own = ({rule["name"]: rule for rule in box(menu, board)["rules"]} for board in ("printed", text))
    assert own["space.6.cost"]["value"] == 9 and printed["space.6.cost"]["value"] == 5
    assert "space.50.cost" in own and "space.50.cost" not in printed and own["red_line"]["high"] == 50
    assert own["board"]["value"] == "printed" and own["treasure_pile"] == printed["treasure_pile"]
    assert len(box(menu, text)["board"]) == 51
    with pytest.raises(UserError, match="the page itself reads no file"):
        box(menu, "/etc/passwd")


def with_few_lairs():
    """The printed board with a dear port, one space more, and hardly a lair."""
    spaces = [replace(s, kind="sea", cost=1) if s.kind == "lair" and n > 20 else s for n, s in enumerate(board())]
    spaces[6] = replace(spaces[6], cost=9)
    return [*(replace(s, next=(50,)) if n == 49 else s for n, s in enumerate(spaces)), replace(spaces[49], next=(0,))]


def test_an_address_has_the_table(menu):
    rules = Rules(players=3, ghost=True, edition="2021").but(**{"hand_size": 4, "card.3": "gold/food"})
    told = keeping.fragment_of(rules, ["racer", "balanced"])
    assert told == "#players=3&edition=2021&ghost=1&s=racer,balanced,racer&hand_size=4&card.3=gold/food"


# The part as a whole, with a plain client


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    """Asks the studio as a page would: path and question to status and lines."""
    desk = Desk()
    play = Play(desk, SavedGames(tmp_path_factory.mktemp("games")))
    app = application([Studio(play=play).part(), play.part()], "token", 8117)

    def ask(path, question=None):
        async def go():
            transport = httpx.ASGITransport(app=app)
            async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8117/token/") as http:
                return await (http.get(path) if question is None else http.post(path, json=question, timeout=300))

        answer = asyncio.run(go())
        return answer.status_code, answer

    return ask


@pytest.mark.parametrize(
    "question",
    [
        {"players": 7},
        {"edition": "1999"},
        {"changes": {str(n): 1 for n in range(301)}},
        {"games": 1000},
        {"unknown": 1},
        {"strategies": ["balanced"] * 7},
        {"changes": {"hand_size": {"a": 1}}},
        {"changes": {"action_die": [1] * 25}},
    ],
)
def test_questions_have_limits(client, question):
    status, answer = client("api/watch", question)
    assert status == 422 and answer.json()["error"].startswith("this request cannot be read")


def test_the_part_shows_boxes_and_reports(client):
    assert client("api/box", {})[1].json()["rules"]
    assert client("made/nothing")[0] == 404 and client("api/answer", {})[0] == 404
    asked = {"changes": {"hand_size": 4, "holds": 4}, "titles": ["The printed rules", "A hand of 4 & <b>4</b> holds"]}
    status, answer = client("api/report", asked)
    page = client(answer.json()["at"])[1]
    assert "A hand of 4 &amp; &lt;b&gt;4&lt;/b&gt; holds" in page.text and "<b>4</b>" not in page.text
    assert "connect-src" not in page.headers["content-security-policy"]


def test_the_page_says_that_it_is_made_and_never_more_than_it_may_do(client):
    status, answer = client("")
    assert status == 200 and "Compiling the engine for this page" in answer.text  # nobody has prepared it here
    assert "So far: " in answer.text


@pytest.mark.slow  # compiles what an outside seat needs
def test_one_can_sit_down_at_the_table(client):
    status, answer = client("api/sit", {"changes": {"hand_size": 4}, "players": 3})
    at = answer.json()["at"]
    assert status == 200 and at.startswith("play#") and client("play")[0] == 200
    state = client("api/play/state", {"game": at.removeprefix("play#")})[1].json()
    assert state["people"] == [0] and state["number"] == 0


def test_a_notebook_keeps_variants_in_a_file(tmp_path):
    file = tmp_path / "variants.jsonl"
    first = [{"key": "a", "games": 5000}, {"key": "b", "games": 5000}]
    assert Notebook(file).answer(AskedNotebook(entries=first)) == {"entries": first}
    again = [{"key": "c", "games": 1}, {"key": "a", "games": 9000}, {"key": "b", "gone": True}]
    kept = [{"key": "c", "games": 1}, {"key": "a", "games": 9000}]
    assert Notebook(file).answer(AskedNotebook(entries=again)) == {"entries": kept}
    assert [json.loads(line) for line in file.read_text().splitlines()] == kept == Notebook(file).entries()
    assert Notebook().answer(AskedNotebook(entries=first)) == {"entries": None}
    file.write_text('{"key": "a"}\n[1]\n')
    with pytest.raises(UserError, match=r"variants.jsonl, line 2 is no variant of a notebook: remove the line"):
        Notebook(file)


@pytest.mark.slow  # compiles the engine with a trace
def test_a_typical_game_can_be_watched(client):
    status, answer = client("api/watch", {"changes": {"hand_size": 4}})
    page = client(answer.json()["at"])[1]
    assert status == 200 and page.text.startswith("<!doctype html>") and '"hand_size":4' in page.text


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("node") is None, reason="node is not here")
def test_false_alarms_are_rare():
    """A small part of `benchmarks/studio_false_alarms.py`: at 5% of the visits, 9 of 60 would be one in a thousand."""
    found = false_alarms(60, games=20_000, large=24, small=24)
    assert found["visits"] == 60 and found["wrong"] <= 8

"""The engine inside a page against Python's: rulebooks, rows, sums, figures and refusals are the same.

Everything is asked of the page's own modules by node; without node these tests are skipped.
"""

import hashlib
import json
import math
import random
import shutil
import subprocess
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from jamaica_sim import Rules
from jamaica_sim.engine.rulebook import rulebook_of
from jamaica_sim.engine.state import RULES_DTYPE
from jamaica_sim.game.house_file import house_rules_of, shipped_house_rules
from jamaica_sim.game.rules import RulesError, rule_fields
from jamaica_sim.play.chunks import Chunk, Worker
from jamaica_sim.play.game_table import GameTable
from jamaica_sim.play.tally.layout import GAME_QUANTITIES
from jamaica_sim.results.measures import BY_KEY, own_measures
from jamaica_sim.results.results import Results
from jamaica_sim.results.stats.estimate import jackknife
from jamaica_sim.results.stats.sequential import sequence_half_width
from jamaica_sim.strategy.library import load_strategy
from jamaica_sim.study.lab.common_deals import play_tables
from jamaica_sim.web.inner_engine import GAME_SUMS, MAPS, can_play
from jamaica_sim.web.inner_page import page_data
from jamaica_sim.web.question import Menu

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="node is not here")
SYMBOLS = ("gold", "food", "gunpowder", "forward", "backward")
MANY = 1000
PAGES = files("jamaica_sim").joinpath("pages")
STRATEGIES = ("random", "balanced", "racer", "hoarder", "champion", "veteran", "master", "corsair", "endgame")


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """What a page has from Python, and a function that asks its modules."""
    data = page_data(Menu(), "printed")
    file = tmp_path_factory.mktemp("page") / "data.json"
    file.write_text(json.dumps(data))

    def asked(questions, pages=PAGES):
        command = [NODE, str(Path(__file__).with_name("inner_page.mjs")), str(file), str(pages)]
        given = "".join(f"{json.dumps(question)}\n" for question in questions)
        done = subprocess.run(command, input=given, capture_output=True, text=True, timeout=600)
        assert done.returncode == 0, done.stderr
        return list(map(json.loads, done.stdout.splitlines()))

    return asked


def a_change(rng):
    """One change by name, as the page makes it; it may be refused."""
    space, value = rng.randint(1, 49), rng.randint(-20, 30)
    treasures = ["plus_3", "plus_5", "minus_2", "minus_4", "morgans_map", "sarans_sabre", "lady_beth", "sixth_hold"]
    changes = {
        f"space.{space}.cost": rng.randint(0, 10),
        f"space.{space}.score": value,
        f"space.{space}.kind": rng.choice(["sea", "port", "lair"]),
        f"space.{space}.next": rng.choice([space + 1, space + 2, f"{space + 1}/{space + 3}"]),
        rng.choice(["ports.dearer", "seas.dearer"]): rng.randint(-3, 5),
        "red_line": rng.randint(2, 49),
        f"treasure.{rng.choice(treasures)}.copies": rng.randint(0, 3),
        f"treasure.{rng.choice(treasures[:4])}.value": value,
        f"card.{rng.randint(0, 11)}": f"{rng.choice(SYMBOLS)}/{rng.choice(SYMBOLS)}",
        "combat_die": [rng.choice(["star", *range(1, 21)]) for _ in range(rng.randint(2, 12))],
        "shortage_die": [rng.choice(["circle", "square", "skull", "star"]) for _ in range(6)],
    }
    name = rng.choice(list(changes))
    return {name: changes[name]}


def a_plain_change(rng, players):
    rule = rng.choice([rule for rule in rule_fields() if rule.name not in ("edition", "players", "ghost")])
    limits = rule.metadata
    if "flag" in limits:
        return {rule.name: rng.random() < 0.7}
    low, high = limits["low"], min(limits["high"], 40)
    if "counts" in limits:
        return {rule.name: [rng.randint(low, high) for _ in range(rng.choice(list(limits["counts"])))]}
    if "by_seat" in limits and rng.random() < 0.4:
        return {rule.name: [rng.randint(low, high) for _ in range(players)]}
    return {rule.name: rng.randint(low, high)}


def variants(seed, many):
    """Tables with changes by name, whether they can be played or not."""
    rng = random.Random(seed)
    for _ in range(many):
        players = rng.randint(2, 6)
        ghost = players == 2 or (players < 6 and rng.random() < 0.4)
        changes = {}
        for _ in range(rng.choice([0, 1, 1, 2, 4])):
            changes |= a_change(rng) if rng.random() < 0.7 else a_plain_change(rng, players)
        seats = [rng.choice(STRATEGIES) for _ in range(players)]
        yield (
            {"players": players, "ghost": ghost, "edition": rng.choice(["2007", "2021"]), "strategies": seats},
            changes,
        )


def rules_of(table, changes):
    plain = {name: tuple(value) if isinstance(value, list) else value for name, value in changes.items()}
    if "house_rules" in plain:
        plain["house_rules"] = house_rules_of(plain["house_rules"])
    return Rules(edition=table["edition"], players=table["players"], ghost=table["ghost"]).but(**plain)


def seated(table, changes):
    return GameTable.seat(rules_of(table, changes), [load_strategy(name) for name in table["strategies"]], 1)


def whole_rulebook(rules):
    """The bytes of a rulebook, without what lies between its fields."""
    clean = np.zeros(1, RULES_DTYPE)
    found = rulebook_of(rules)
    for name in RULES_DTYPE.names:
        clean[name] = found[name]
    return hashlib.sha256(clean.tobytes()).hexdigest()


@pytest.mark.parametrize("many", [200, pytest.param(MANY, marks=pytest.mark.slow)])
def test_rulebooks_and_refusals_are_pythons(page, many):
    asked = list(variants(7, many))
    found = page({"asked": "rulebook", "table": table, "changes": changes} for table, changes in asked)
    refused = 0
    for (table, changes), answer in zip(asked, found, strict=True):
        try:
            wanted = {"found": whole_rulebook(rules_of(table, changes))}
        except RulesError as error:
            wanted, refused = {"refused": str(error)}, refused + 1
        assert answer == wanted, (table, changes)
    assert many / 20 < refused < many / 2


def sums_of(played, worker):
    """The sums of a page, from a tally of Python."""
    tally = played.tally[0]
    places = [GAME_QUANTITIES.index(name) for name in GAME_SUMS]
    for part in range(64):
        yield tally["part_games"][part]
        yield from tally["part_ships"][part, :, 0]
        yield from tally["part_seat_wins"][part]
        yield from tally["part_game"][part, places]
    yield from tally["by_game"][places, 1]
    yield from tally["by_ship"][:, 0, 1]
    for name in MAPS:
        yield from tally[name].ravel()
    yield from [0] * (64 * 10 + 5)  # measures of one's own


def compared_games(page, asked, games=128):
    questions = [
        {"asked": "games", "table": table, "changes": changes, "first": 64 * k, "games": games}
        for k, (table, changes) in enumerate(asked)
    ]
    for question, answer in zip(questions, page(questions), strict=True):
        table = seated(question["table"], question["changes"]).with_code(True)
        worker = Worker(table)
        played = worker.play(Chunk(question["first"], games), True)
        assert answer["found"]["sums"] == list(map(int, sums_of(played, worker))), question
        assert answer["found"]["rows"] == hashlib.sha256(played.rows.tobytes()).hexdigest(), question


def playable(seed, many):
    found = []
    for table, changes in variants(seed, 20 * many):
        try:
            rules_of(table, changes)
        except RulesError:
            continue
        found.append((table, changes))
        if len(found) == many:
            return found
    raise AssertionError("too few variants can be played")


@pytest.mark.parametrize("many", [12, pytest.param(120, marks=pytest.mark.slow)])
def test_rows_and_sums_are_pythons(page, many):
    compared_games(page, playable(11, many), 128)


def test_games_by_house_rules_are_pythons(page):
    table = {
        "players": 4,
        "ghost": False,
        "edition": "2007",
        "strategies": ["balanced", "racer", "champion", "corsair"],
    }
    compared_games(page, [(table, {"house_rules": name}) for name in shipped_house_rules()], 64)


TABLES = [
    ({"players": 4, "ghost": False, "edition": "2007", "strategies": ["balanced", "racer", "racer", "random"]}, 768),
    ({"players": 2, "ghost": True, "edition": "2021", "strategies": ["champion", "balanced"]}, 3072),
]


@pytest.mark.parametrize(("table", "games"), TABLES)
def test_figures_are_the_measures_of_results(page, table, games):
    changes = {"hand_size": 4, "space.6.cost": 0}
    [answer] = page([{"asked": "figures", "table": table, "changes": changes, "most": games}])
    last = answer["found"][-1]
    rows = {row["key"]: row for row in last["rows"]}
    base, varied = play_tables([seated(table, {}), seated(table, changes)], games)
    for key in ("rounds", "shortages", "lead", "lead_changes", "spread", "captain", "first_less_last", "seats"):
        measure = BY_KEY[key]
        was, now = measure.of(base), measure.of(varied)
        its = (rows[key]["base"], rows[key]["value"], rows[key]["own_half"])
        assert its == pytest.approx(
            [measure.scale * value for value in (was.value, now.value, now.half_width)], rel=1e-5
        )
    for name in dict.fromkeys(table["strategies"]):
        assert rows[f"win:{name}"]["value"] == pytest.approx(100 * win_rate(varied, name), abs=1e-5)
    looks = [line for line in answer["found"] if line["games"] >= 400]
    for k, row in enumerate(last["rows"]):  # what the intervals of all looks have in common
        scale, low, high = 100 if row["share"] else 1, -math.inf, math.inf
        for line in looks:
            (margin, span), its = line["scales"][k], line["rows"][k]
            half = scale * sequence_half_width(line["games"], line["squares"][k], margin, 0.04 / len(rows), span)
            gap = its["value"] - its["base"]
            low, high = max(low, gap - half), min(high, gap + half)
        assert [row["difference"], row["half"]] == pytest.approx([(low + high) / 2, (high - low) / 2], rel=1e-4)
        assert (row["state"] == "clear") == (low > 0 or high < 0)


def test_no_verdict_is_taken_back(page):
    """Games, the difference and half its interval at each look, and the verdict: margin 1."""
    looks = [(0.9, 0.5, 192), (0.9, 0.5, 1000), (0.4, 0.45, 2000), (0.05, 0.3, 4000), (3.0, 0.1, 8000)]
    clear, small = [(gap, half, games) for gap, half, games in looks], [(0.1, 0.8, 1000), (0.6, 0.7, 2000)]
    found = page({"asked": "looks", "looks": its, "margin": 1} for its in (clear, small))
    said = [[one["state"] for one in answer["found"]] for answer in found]
    assert said == [["few", "clear", "clear", "clear", "clear"], ["small", "small"]]
    for one in found[0]["found"][1:]:  # what is shown says it too: an interval above zero, which never widens
        assert one["difference"] - one["half"] > 0
    halves = [one["half"] for one in found[0]["found"][1:]]
    assert halves == sorted(halves, reverse=True)


def test_playing_on_looks_at_the_same_moments(page):
    """The batches up to 200,000 games begin those up to a million."""
    short, long = (answer["found"] for answer in page({"asked": "batches", "most": most} for most in (200_000, 10**6)))
    assert long[: len(short)] == short


MEASURES = {
    "close": "margin < 3",
    "how": "(rounds + 2) * -winner_score % 7 / battles",
    "mine": "winners == racer and not comeback or 3 < shortages <= 6",
    "ships": "Blue in winners and ended_by != 1 and half_time_last == first_captain",
    "late": "peak_gold - loaded_0_food >= lanes_1_fork0_outer or lead_changes == 0",
}


@pytest.mark.parametrize(("table", "games"), TABLES)
def test_measures_of_ones_own_are_pythons(page, table, games):
    own = MEASURES | {"mine": "ghost not in winners or treasures == 2"} if table["ghost"] else MEASURES
    measured = seated(table, {})
    measured = GameTable.seat(measured.rules, measured.strategies, 1, measures=own)
    [base] = play_tables([measured], games)
    asked = {**table, "measures": own, "shares": list(base.own_shares.values())}
    [answer] = page([{"asked": "figures", "table": asked, "changes": {}, "most": games}])
    rows = {row["label"]: row for row in answer["found"][-1]["rows"] if row["group"] == "own"}
    assert list(rows) == list(own)
    for measure in own_measures(measured):
        value = measure.scale * jackknife(measure.sums(base), 1).value
        assert rows[measure.key]["value"] == pytest.approx(value, abs=1e-5), measure.key
        assert rows[measure.key]["share"] == measure.share


def win_rate(results: Results, name: str) -> float:
    labels = [strategy.label for strategy in results.table.strategies]
    return float(results.sums.group(name, "win")[0]) / labels.count(name) / results.games


def test_no_figure_is_clear_between_equal_rules(page):
    table, _ = TABLES[0]
    [answer] = page([{"asked": "figures", "table": table, "changes": {}, "most": 768}])
    assert {row["state"] for line in answer["found"] for row in line["rows"]} == {"base"}
    assert all(math.isfinite(row["value"]) for row in answer["found"][0]["rows"])


def test_sentences(page):
    table, _ = TABLES[0]
    cases = {
        "A hand of 4 and port 6 free": {"hand_size": 4, "space.6.cost": 0},
        "No Lady Beth": {"treasure.lady_beth.copies": 0, "hand_size": 3},
        "A card food/food": {"card.11": "food/food"},
        "House rules hungry ghost (toll 2)": {"house_rules": "hungry_ghost", "house.toll": 2},
        "Ports 2 dearer, no food at the start and 1 more change": {
            "ports.dearer": 2,
            "start_food": 0,
            "limited_bank": True,
        },
    }
    found = page({"asked": "figures", "table": table, "changes": its, "most": 192} for its in cases.values())
    assert [answer["found"][-1]["sentence"]["title"] for answer in found] == list(cases)
    assert found[0]["found"][-1]["sentence"]["text"] == "no difference that 192 games can show"


CHANGES = [
    ("space.6.cost", 0, "port 6 free"),
    ("space.15.cost", 5, "sea 15 costs 5"),
    ("space.6.kind", "lair", "space 6 a lair"),
    ("space.6.kind", "sea", "space 6 open sea"),
    ("space.0.score", -3, "Port Royal worth −3"),
    ("space.5.next", "6/9", "port 5 leads to 6 or 9"),
    ("treasure.lady_beth.copies", 0, "no Lady Beth"),
    ("treasure.plus_7.value", 10, "treasure +7 worth 10"),
    ("ports.dearer", 2, "ports 2 dearer"),
    ("seas.dearer", -1, "seas 1 cheaper"),
    ("hand_size", 4, "a hand of 4"),
    ("start_food", 0, "no food at the start"),
    ("start_score", -8, "the start worth −8"),
    ("limited_bank", True, "a limited bank"),
    ("combat_die", [2, 4, "star"], "combat die 2 4 ★"),
    ("card.3", "gold/food", "card gold/gold turned into gold/food"),
    ("card.11", "gold/food", "a card gold/food"),
    ("treasure.plus_3.copies", 3, "3 times treasure +3"),
    ("bank", [60, 40, 40], "a bank of 60/40/40 gold, food and gunpowder"),
    ("board", "mine:start sea", "board “mine”"),
]


def test_changes_in_words(page):
    found = page({"asked": "words", "name": name, "value": value} for name, value, _ in CHANGES)
    assert [answer["found"] for answer in found] == [words for *_, words in CHANGES]


def test_titles(page):
    cases = {
        "The printed rules": {},
        "A hand of 4": {"hand_size": 4},
        "A hand of 4 and 3 holds": {"hand_size": 4, "holds": 3},
        "A hand of 4, 3 holds and 1 more change": {"hand_size": 4, "holds": 3, "start_food": 1},
        "House rules lairs pay (pays 5) and a hand of 4": {"house_rules": "lairs_pay", "house.pays": 5, "hand_size": 4},
    }
    found = page({"asked": "title", "changes": changes} for changes in cases.values())
    assert [answer["found"] for answer in found] == list(cases)


def row(key, group, state="clear", difference=1.0, size=0.3, **more):
    own = {"key": key, "group": group, "state": state, "difference": difference, "size": size}
    return {"label": key.split(":")[-1], **own, **more}


def test_the_sentence_has_the_largest_clear_effects(page):
    rows = [
        row("win:racer", "wins", difference=-2.04, size=0.05, value=31.5, base=33.54),
        row("rounds", "game", difference=-0.96, size=-0.5),
        row("shortages", "game", difference=0.04, size=0.2),
        row("comebacks", "close", "close", difference=9.0, size=0.9),
        row("lead_changes", "close", difference=0.31, size=0.1, label="lead changes"),
    ]
    unclear = [{**one, "state": "close"} for one in rows]
    asked = [(rows, 5_000, False), (unclear, 100, False), (unclear, 5_000, False), (unclear, 5_000, True)]
    found = page({"asked": "sentence", "rows": its, "games": games, "over": over} for its, games, over in asked)
    assert [answer["found"]["text"] for answer in found] == [
        "games 1.0 rounds shorter; 0.3 more lead changes a game; racer wins 32% instead of 34%",
        "too few games to say yet",
        "too close to call yet",
        "no difference that 5,000 games can show",
    ]
    assert [answer["found"]["sure"] for answer in found] == [True, False, False, False]


def test_a_strategy_that_searches_cannot_play_on_a_page():
    assert not can_play(load_strategy("searcher"))
    assert can_play(load_strategy("corsair"))


# What a slip in the page's modules would be, one by one: file, what stands there, and instead of it.
MUTANTS = [
    ("game/figures.js", "(NOTICEABLE / 2) * spread", "NOTICEABLE * spread"),
    ("game/figures.js", "n * (all - value)", "n * (all + value)"),
    ("game/figures.js", "wins / leaders", "leaders / wins"),
    ("game/figures.js", "value / seats.length", "value"),
    ("game/figures.js", "ALPHA_FIGURES / this.figures.length", "ALPHA_FIGURES"),
    ("game/figures.js", "gap - (meanRange(", "gap + (meanRange("),
    ("game/standing.js", "games < FEW ||", "games < 0 ||"),
    ("game/figures.js", "Math.sqrt(share * (1 - share))", "Math.sqrt(share)"),
    ("game/intervals.js", "(parts - 1) / parts", "1 / parts"),
    ("game/intervals.js", "seen * rho + 1", "seen * rho"),
    ("game/intervals.js", "squares / (n - 1) / n", "squares / n"),
    ("game/normals.js", "-Number(size)", "Number(size)"),
    ("game/sums.js", "all - partOf(batch, part, column)", "all - partOf(sums, part, 0)"),
    ("game/rules.js", "space.cost + value, 1)", "space.cost + value, 0)"),
    ("game/rules.js", "n < value ? lost", "n <= value ? lost"),
    ("game/rules.js", "plain.hand_size + 1", "plain.hand_size"),
    ("game/rules.js", "? 4 : 3", "? 1 : 3"),
    ("game/rules.js", "pile <= lairs", "pile < lairs"),
    ("game/course.js", "forks.length <= codes.most_forks", "forks.length < codes.most_forks"),
    ("game/course.js", "n < to && to < spaces", "to < spaces"),
    ("game/words.js", "size(b) - size(a)", "size(a) - size(b)"),
    ("game/words.js", 'up ? "longer" : "shorter"', 'up ? "shorter" : "longer"'),
    ("engine/engine.js", 'part_seat_wins", part, seat', 'part_seat_wins", part, 0'),
]
# Changes at their limits.
EDGES = [
    {"treasure_pile": 9, "hand_size": 5},
    {"treasure_pile": 10},
    {"ports.dearer": -3, "red_line": 20},
    {"combat_die": [1, 2, 3], "shortage_die": ["skull", "star", "circle"]},
    {"space.1.next": "2/41"},
    {"space.6.next": 6},
]


@pytest.fixture(scope="module")
def shown(page):
    """Everything that a slip could change, asked of modules in some folder."""
    equal, unequal = TABLES[0][0], {**TABLES[1][0], "strategies": ["champion", "random"]}
    questions = [
        {"asked": "figures", "table": equal, "changes": {"hand_size": 5}, "most": 768},
        {"asked": "figures", "table": unequal, "changes": {"start_food": 0}, "most": 768},
        *({"asked": "rulebook", "table": equal, "changes": changes} for changes in EDGES),
        *({"asked": "rulebook", "table": table, "changes": changes} for table, changes in variants(5, 300)),
    ]
    return lambda pages: page(questions, pages)


@pytest.mark.slow
@pytest.mark.parametrize(("file", "stands", "instead"), MUTANTS)
def test_a_slip_in_the_pages_modules_shows(shown, tmp_path, file, stands, instead):
    """The tests above hold what the page shows against Python; so whatever changes it is found by them."""
    own = tmp_path / "pages"
    shutil.copytree(PAGES, own)
    source = (own / file).read_text()
    assert source.count(stands) >= 1, f"{file} has no {stands}"
    (own / file).write_text(source.replace(stands, instead))
    assert shown(own) != shown(PAGES)

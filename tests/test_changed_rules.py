"""A changed rule is never lost on the way: every rule, singly and in pairs, shows wherever rules are told.

That is `repr`, `rules diff`, the last line of a run, its manifest, its report, the page of a game, and the commands
that are printed, which play the same game again. Each place tells a change from none and from another value, and two
changes from either of them.
"""

import json
import re
import shlex
from dataclasses import fields, replace
from itertools import combinations
from random import Random
from zlib import crc32

import numpy as np
import pytest

from jamaica_sim import Rules, UserError, load, load_experiment, load_rules, new_experiment, report_on, simulate
from jamaica_sim.cli.options import table_rules
from jamaica_sim.cli.replay import replay as replay_command_line
from jamaica_sim.game.components import board, the_box
from jamaica_sim.game.components.changes import AT_ONCE, BOARD, DEARER, PRINTED, RED_LINE
from jamaica_sim.game.components.course import NEAREST, board_csv, board_text, lanes_after, read_board
from jamaica_sim.game.house_file import shipped_house_rules
from jamaica_sim.game.rules import HOUSE_RULES, RulesError, rule_fields, rules_of
from jamaica_sim.game.variant import differences, rule_rows, rules_in
from jamaica_sim.game.words import changes_told
from jamaica_sim.play.commands import replay_command
from jamaica_sim.play.game_table import seat_table
from jamaica_sim.play.tally.layout import TALLY_DTYPE
from jamaica_sim.play.trace import config_of, replay_table
from jamaica_sim.replays.box import box_of
from jamaica_sim.replays.page import page_data
from jamaica_sim.replays.story import tell
from jamaica_sim.report.arrangement import table_words
from jamaica_sim.results.results import Results
from jamaica_sim.study.experiment.setting import Setting, labelled, variants_told
from jamaica_sim.study.experiment.study import Study
from jamaica_sim.study.folder import table_of_run
from jamaica_sim.study.lab.sweep import make_plan

USUAL = ("edition", "players", "ghost")  # every sentence says these anyway
POWERS = ("morgans_map", "sarans_sabre", "lady_beth", "sixth_hold")
POINTS = ("plus_3", "plus_5", "plus_7", "minus_2", "minus_3", "minus_4")
# Every name, from what is declared and printed: a list of ours could have lost the very rule that is lost elsewhere.
NAMES = [
    *(field.name for field in fields(Rules) if field.name not in (*USUAL, "components")),
    *(f"space.{n}.{what}" for n in range(50) for what in ("kind", "cost", "score", "next") if n or what[0] in "sn"),
    *(f"treasure.{name}.copies" for name in POWERS + POINTS),
    *(f"treasure.{name}.value" for name in POINTS),
    *(f"card.{n}" for n in range(11)),
    *(BOARD, "combat_die", "shortage_die"),
]
LAIR_COSTS = [f"space.{number}.cost" for number, space in enumerate(board()) if space.kind == "lair"]
PAIRS = 150
MORE_THAN_THE_BOX = [
    {"start_gold": (3, 3, 4, 4)},
    {"start_food": (1, 2, 3), "start_gunpowder": (0, 0, 5), "players": 3, "edition": "2021"},
    {"holds": 6, "treasure.sixth_hold": 0},
    {"card.11": "gold/gold"},
    {f"card.{number}": "forward/food" for number in range(11, 15)},
    {"treasure.lady_beth": 2, "treasure.minus_2": 0},
    {"treasure.plus_7": 5, "treasure.plus_3": 0, "treasure.plus_5": 0, "treasure.plus_7.value": 8},
    {"house_rules": "lairs_pay", "house.pays": 5},
    {"house_rules": "late_wages", "house.powder": 3, "hand_size": 4, "start_gold": (3, 3, 4, 4)},
]
REPLAYED = 12  # of all sets of rules, games really played twice


def boards(random):
    """Boards of one's own: a space less, a space more, a lane led elsewhere, no fork at all."""
    lines = board_csv(board()).splitlines()
    gone = random.choice([2, 16, 17, 29, 42, 43])
    twin = random.choice([2, 17, 43])
    yield read_board("\n".join(line for n, line in enumerate(lines) if n != gone + 1))
    yield read_board("\n".join([*lines[: twin + 2], f"new,sea,{random.randint(1, 9)},-5,,,", *lines[twin + 2 :]]))
    elsewhere = {6: (7, 14), 12: (13,), 13: (15,)}  # one space of the inner lane becomes the last of the outer one
    yield tuple(replace(space, next=elsewhere.get(n, space.next)) for n, space in enumerate(board()))
    yield tuple(replace(s, next=((n + 1) % len(board()),)) for n, s in enumerate(board()))


def value(name, random):
    """A random value of a rule; it may be one that cannot be played."""
    row = next((row for row in rule_rows(Rules()) if row.name == name), None)
    field = next((field.metadata for field in rule_fields() if field.name == name), {})
    if name in DEARER:
        return random.choice([-2, -1, 1, 2, 3])
    if name == "red_line":
        return random.randint(2, 49)
    if name == BOARD:
        text = board_text(random.choice([b for b in boards(random) if playable(b)]))
        return f"b{crc32(text.encode())}:{text}"  # as that of a file is
    if name == HOUSE_RULES:
        return random.choice([*shipped_house_rules()])
    if "by_seat" in field and random.random() < 0.5:
        return tuple(random.randint(0, 9) for _ in range(4))
    if "flag" in field:
        return not row.value
    if "counts" in field:
        return tuple(random.randint(max(field["low"], 1), min(field["high"], 9)) for _ in row.value)
    if "low" in field:
        return random.randint(max(field["low"], -20), min(field["high"], 20))
    if name.endswith(".kind"):
        return random.choice(["sea", "port", "lair"])
    if name.endswith(".next"):
        return random.choice([row.value, 7, 15, "7/13", "7/14", "20/27", "33/40"])
    if name.startswith("card."):
        return random.choice(["gold/gold", "food/backward", "gunpowder/forward", "forward/forward"])
    if name == "combat_die":
        return tuple(random.choice([2, 4, 6, 8, 10, "star"]) for _ in range(random.randint(2, 8)))
    if name == "shortage_die":
        return tuple(random.choice(["circle", "square", "skull", "star"]) for _ in row.value)
    return random.randint(0, 9)


def playable(spaces):
    try:
        replace(the_box(), board=spaces)
    except ValueError:
        return False
    return True


def table_for(random, names):
    """A random table at which rules of these names can be changed."""
    players = random.choice([2, 3, 4, 5, 6])
    table = {"players": players, "edition": random.choice(["2007", "2021"])}
    table["ghost"] = players == 2 or (players < 6 and random.random() < 0.3)
    if any(name.endswith((".kind", ".copies")) for name in names):
        table["treasure_pile"] = 8  # there may be a lair or a card less
    return table


def those_of(table, *changes):
    """The different rules of a table with each of these changes, and without any; those that can be played."""
    found = []
    for change in ({}, *changes):
        try:
            found.append(rules_of(table | change))
        except RulesError:
            continue
    return list(dict.fromkeys(found))


def every_change():
    """Sets of rules that are to be told apart; in each the last has all of its changes."""
    random = Random(27)
    for name in [*NAMES, *AT_ONCE]:
        for _ in range(40):
            values = [{name: value(name, random)} for _ in range(2)]
            found = those_of(table_for(random, [name]), *values)
            if len(found) > 1:
                yield found
                break
        else:  # lairs cost nothing, and most spaces can lead nowhere else
            assert name.endswith(".next") or name in LAIR_COSTS, name
    for changes in MORE_THAN_THE_BOX:
        table = {"players": changes.get("players", 4)}
        fewer = [{n: v for n, v in changes.items() if n != left_out} for left_out in changes]
        yield those_of(table, *fewer, changes)
    few = [name for name in NAMES if "." not in name] + [*AT_ONCE] * 2 + [BOARD] * 3
    for _ in range(PAIRS):
        pair = random.sample([*few, *random.sample(NAMES, 12)], 2)
        one, other = ({name: value(name, random)} for name in pair)
        found = those_of(table_for(random, pair), one, other, one | other)
        if len(found) > 1:
            yield found


def as_typed(command):
    """The rules, seed and game of a printed command, as the command line reads it."""
    words = shlex.split(command)
    assert words[:2] == ["jamaica-sim", "replay"]
    given = replay_command_line.make_context("replay", words[2:]).params
    facts = ("players", "edition", "ghost", "rule_changes", "rules_file")
    return table_rules(**{name: given[name] for name in facts}), given["seed"], given["game"]


@pytest.fixture(scope="module")
def neighbours():
    return list(every_change())


@pytest.fixture(scope="module")
def all_changed(neighbours):
    return list(dict.fromkeys(found[-1] for found in neighbours))


def test_every_rule_is_among_them(all_changed):
    assert len(all_changed) > 250
    names = {name for rules in all_changed for name in rules.changes()}
    assert {*AT_ONCE, BOARD, HOUSE_RULES, "house.pays"} <= names
    assert sum(name.startswith("space.") for name in names) > 120
    assert {row.name for row in rule_rows(Rules())} == {*NAMES, *USUAL} - {HOUSE_RULES}


def test_no_changed_rule_is_lost(all_changed):
    seated = seat_table(strategies="balanced")
    for rules in all_changed:
        assert eval(repr(rules)) == rules
        kept = Rules(**json.loads(json.dumps(rules.as_dict())))  # in a manifest
        assert kept == rules
        for one in (rules, kept):
            assert as_typed(replay_command(one, seated.strategies, 3, 5)) == (rules, 3, 5)


def in_diff(rules, table):
    return str([(a and (a.name, a.value), b and (b.name, b.value)) for a, b in differences(Rules(), rules)])


def in_last_line(rules, table):
    return Results(replace(table, rules=rules), np.zeros(1, TALLY_DTYPE)[0], 0, 1.0).sentence()


def in_report(rules, table):
    setting = labelled([Setting(rules, table.strategies, rules.by_name() | {"line_up": "balanced"})])
    return table_words(Study("run", "", "", (), "", setting, "", ""))


def on_page(rules, table):
    """What the page of a game is made from has to be complete; its words are those that the test below compares."""
    box = box_of(json.loads(json.dumps({"config": config_of(replace(table, rules=rules), 5)})))
    assert box.rules == rules
    return changes_told(box.rules), rules.players, rules.ghost, rules.edition


@pytest.mark.parametrize("told", [in_diff, in_last_line, in_report, on_page])
def test_changed_rules_are_told_apart(told, neighbours):
    table = seat_table(strategies="balanced")
    for found in neighbours:
        assert len({told(rules, table) for rules in found}) == len(found), found


def test_pages_and_commands_have_the_same_game(all_changed):
    for rules in [*Random(2).sample(all_changed, REPLAYED), *map(rules_of, MORE_THAN_THE_BOX)]:
        table = seat_table(rules, "balanced", 3)
        trace = replay_table(table, 5)
        again, seed, game = as_typed(replay_command(rules, table.strategies, 3, 5))
        assert replay_table(seat_table(again, "balanced", seed), game)["events"] == trace["events"]
        assert box_of(json.loads(json.dumps(trace))).rules == rules  # what the page is made from
        assert "with other rules: " in tell(trace)
        assert page_data(trace)["changes"] == changes_told(rules)


def test_a_board_of_ones_own_keeps_its_places(tmp_path):
    (tmp_path / "own.csv").write_text(board_csv(board()).replace("0.908,0.699", "0.5,0.5"))
    rules = Rules(board=str(tmp_path / "own.csv"))
    assert rules == Rules() and rules.changes() == {}  # the same game, drawn elsewhere
    assert (rules.components.board[1].x, rules.components.board[1].y) == (0.5, 0.5)
    assert Rules(**rules.as_dict()).components.board[1].x == 0.5
    assert rules.but(board=PRINTED).components.board[1].x == board()[1].x


@pytest.mark.parametrize("came", [1, 2])
def test_spaces_that_came_and_went_are_all_that_differs(came, tmp_path):
    lines = board_csv(board()).splitlines()
    new = ["bay,sea,4,-5,,,", "wreck,lair,0,-5,,,"][:came]
    text = "\n".join([*lines[:5], *new, *lines[5:17], *lines[18:]])  # and space 16 is gone
    (tmp_path / "own.csv").write_text(text)
    mine = load_rules(tmp_path / "own.csv")  # a board alone is a file of rules, too
    assert mine == Rules(board=str(tmp_path / "own.csv"))
    for first, second in ((Rules(), mine), (mine, Rules())):
        names = [(a or b).name for a, b in differences(first, second)]
        assert names == ["board", *(f"space.{number}" for number in (4, 5)[:came]), "space.16"]
    written = new_experiment("other", tmp_path, tmp_path / "own.csv")
    assert '\nboard = "own.csv"\n' in written.read_text()
    assert [setting.rules for setting in load_experiment(written).settings] == [Rules(), mine]


HOUSE = """'''A lair pays.'''
from jamaica_sim.strategy.house.api import GOLD, give


def lair(game, rules, ship, space, token):
"""


def two_versions(folder):
    """Files of one name in two folders: house rules that differ in their code alone, and boards."""
    for version in ("one", "other"):
        (folder / version).mkdir()
        (folder / version / "mine.py").write_text(f"{HOUSE}    give(game, rules, ship, GOLD, {len(version)})\n")
        lines = board_csv(board()).replace("6,port,5", f"6,port,{len(version)}")
        (folder / version / "mine.csv").write_text(lines)


def test_another_version_of_house_rules_is_told(tmp_path):
    two_versions(tmp_path)
    one, other = (Rules(house_rules=str(tmp_path / name / "mine.py")) for name in ("one", "other"))
    assert repr(one) != repr(other)
    ((before, after),) = differences(one, other)
    assert before.name == HOUSE_RULES and before.value != after.value and after.value.startswith("mine.py (")
    assert differences(one, one.but(house_rules=str(tmp_path / "one" / "mine.py"))) == []


@pytest.mark.parametrize(("rule", "suffix"), [(HOUSE_RULES, "py"), (BOARD, "csv")])
def test_two_files_of_one_name_are_told_apart_or_refused(rule, suffix, tmp_path):
    two_versions(tmp_path)
    tables = [f'[[tables]]\n{rule} = "{version}/mine.{suffix}"\n' for version in ("one", "other")]
    (file := tmp_path / "e.toml").write_text('line_ups = ["balanced"]\n' + "".join(tables))
    with pytest.raises(UserError, match="two different files are called mine"):
        load_experiment(file)
    named = [table.replace("]]\n", f']]\nname = "{name}"\n') for name, table in zip(("A", "B"), tables, strict=True)]
    file.write_text('line_ups = ["balanced"]\n' + "".join(named))
    assert len({setting.rules for setting in load_experiment(file).settings}) == 2
    if rule == BOARD:  # a sweep tells house rules by their paths
        with pytest.raises(RulesError, match="two boards have the same name"):
            make_plan({BOARD: [str(tmp_path / v / "mine.csv") for v in ("one", "other")]}, seat_table())


def test_semicolons_may_separate_the_columns_of_a_board():
    assert read_board(board_csv(board()).replace(",", ";")) == board()


def board_without_space_10(folder):
    lines = board_csv(board()).splitlines()
    (folder / "b2.csv").write_text("\n".join(line for line in lines if not line.startswith("10,")))
    return str(folder / "b2.csv")


@pytest.mark.parametrize(
    "change", [{"space.20.cost": 9}, {"space.49.score": 1}, {"space.6.next": "7/12"}, {RED_LINE: 33}]
)
def test_a_number_that_could_mean_two_spaces_of_a_file_is_refused(change, tmp_path):
    own = board_without_space_10(tmp_path)
    (tmp_path / "own.toml").write_text('board = "b2.csv"\n')
    ways = (lambda: Rules(board=own, **change), lambda: Rules(board=own).but(**change))
    for way in (*ways, lambda: rules_in(tmp_path / "own.toml", change)):
        with pytest.raises(RulesError, match="could mean two of them: change the file instead"):
            way()
    assert Rules(board=own, **{"space.6.cost": 3}).components.board[6].cost == 3  # before the gap, both agree


def test_rules_changed_beside_a_board_are_told(tmp_path):
    own = board_without_space_10(tmp_path)
    for change, words in (({"space.6.cost": 3}, "space.6.cost 3"), ({"ports.dearer": 2}, "ports 2 dearer")):
        rules = Rules(board=own, hand_size=4, **change)
        assert changes_told(rules) == changes_told(Rules(board=own).but(hand_size=4, **change))
        assert changes_told(rules) == f"hand size 4, board b2, {words}"
        seated = seat_table(strategies="balanced")
        assert eval(repr(rules)) == rules == as_typed(replay_command(rules, seated.strategies, 3, 5))[0]


@pytest.mark.parametrize("as_long", [True, False])
def test_the_name_of_a_boards_file_is_kept(as_long, tmp_path):
    """In the last line, the manifest, the report and `rules diff`, also of a board that differs in one space only."""
    own = board_without_space_10(tmp_path)
    if as_long:
        (own := tmp_path / "b2.csv").write_text(board_csv(board()).replace("6,port,5", "6,port,4"))
    rules = Rules(board=own, **{"space.5.cost": 1})
    result = simulate(20, rules=rules, strategies="random", out=tmp_path / "run")
    assert "board b2, space.5.cost 1" in repr(result)
    assert repr(load(tmp_path / "run")) == repr(result)
    again = table_of_run(tmp_path / "run").rules
    assert again == rules and changes_told(again) == "board b2, space.5.cost 1"
    assert any(b.value.startswith("b2, ") for _, b in differences(Rules(), again) if b and b.name == BOARD)
    assert "board b2" in report_on(tmp_path / "run", tmp_path / "run.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("own", ["b2.csv", "/etc/hostname", "b2:", "b2:h s2", 7, ["h"]])
def test_the_name_of_a_board_reads_no_file(own):
    kept = Rules(**{"space.5.cost": 1}).as_dict()
    kept["components"]["own_board"] = own
    with pytest.raises(RulesError):
        Rules(**kept)


@pytest.mark.parametrize("names", [("", ""), ('name = "Cheap"', 'name = "Short"')])
def test_every_table_of_an_experiment_tells_its_rules(names, tmp_path):
    board_without_space_10(tmp_path)
    cheap, short = names
    tables = f'[[tables]]\n{cheap}\n"space.6.cost" = 3\n[[tables]]\n{short}\nboard = "b2.csv"\n"space.5.cost" = 1\n'
    (tmp_path / "e.toml").write_text(f'title = "E"\ngames = 10\nline_ups = ["balanced"]\n{tables}')
    settings = load_experiment(tmp_path / "e.toml").settings
    told = variants_told(settings) or [setting.label for setting in settings]
    assert "space.6.cost 3" in told[0] and "board b2" not in told[0] and "spaces" not in told[0]
    assert "board b2" in told[1] and "space.5.cost 1" in told[1]


def test_spaces_without_places_lie_between_their_neighbours_and_lanes_apart():
    lines = board_csv(board()).splitlines()
    longer = read_board("\n".join([*lines[:4], "new,sea,2,-5,,,", *lines[4:]]))
    assert longer[3].x == pytest.approx((board()[2].x + board()[3].x) / 2)
    assert longer[7].next == (8, 14)  # names, not numbers, say what follows
    bare = read_board("\n".join(",".join(line.split(",")[:5]) for line in lines))
    for fork, following in ((6, 19), (19, 32), (32, 50)):
        outer, inner = lanes_after(bare, fork, following)
        far = [np.hypot(bare[n].x - 0.5, bare[n].y - 0.5) for n in (*outer, *inner)]
        assert min(far[: len(outer)]) > max(far[len(outer) :])
        angles = np.unwrap(
            [np.arctan2(bare[n].y - 0.5, bare[n].x - 0.5) for n in (fork, *inner, *bare[inner[-1]].next)]
        )
        assert (np.diff(angles) < 0).all()  # beside the outer lane, from the fork to where they meet
    assert len({(space.x, space.y) for space in bare}) == len(bare)


def test_many_new_spaces_do_not_cover_one_another():
    lines = board_csv(board()).splitlines()
    longest = read_board("\n".join([*lines[:4], *(f"bay{n},sea,2,-5" for n in range(12)), *lines[4:]]))
    assert len(longest) == 62
    assert min(np.hypot(a.x - b.x, a.y - b.y) for a, b in combinations(longest, 2)) > 2 * NEAREST


def test_a_treasure_is_called_by_the_points_that_it_brings(tmp_path):
    """In the story, on the page and in the report, which also counts only the copies in the game."""
    rules = Rules(**{"treasure.plus_7.value": 9, "treasure.plus_7.copies": 1, "treasure.minus_2.value": 4})
    table = seat_table(rules, strategies="balanced")
    for number in range(40):
        trace = replay_table(table, number)
        text = " ".join(tell(trace).split())
        assert "Treasure +7" not in text and "Cursed -2" not in text and "Treasure +9" in text
    names = [card["name"] for card in page_data(trace, rules)["box"]["treasures"] if card["in_game"]]
    assert names.count("Treasure +9") == 1 and "Cursed +4" in names and "Morgan's Map" in names
    simulate(games=400, rules=rules, strategies="balanced", out=tmp_path / "run")
    page = report_on(tmp_path / "run", tmp_path / "run.html").read_text(encoding="utf-8")
    text = re.sub(r"(<[^>]+>\s*)+", " | ", page)
    assert "| Treasure +9 | points | 1 |" in text and "Treasure +7" not in text and "| Cursed +4 | cursed |" in text

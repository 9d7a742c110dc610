"""Changed rules and components: by name, from files, refused where they contradict themselves, played by the rules."""

import json
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from click.testing import CliRunner
from referee import RuleBroken, check
from rich.console import Console

from jamaica_sim import Rules, simulate
from jamaica_sim.cli import main
from jamaica_sim.engine.rulebook import rulebook_of
from jamaica_sim.engine.state import END, END_AT, FALL, FALL_AT, GOODS_BITS, PAID
from jamaica_sim.game.codes import FOOD, GOLD, MAX_SPACES
from jamaica_sim.game.components import board, components_of, rows_of, the_box
from jamaica_sim.game.rules import RulesError, rules_of
from jamaica_sim.game.variant import differences, load_rules, rule_rows
from jamaica_sim.play.chunks import Chunk, Worker
from jamaica_sim.play.game_table import seat_table
from jamaica_sim.play.trace import trace_game
from jamaica_sim.study.experiment.file import experiment_from_text

VARIANTS = {
    "costs and scores": {"space.6.cost": 0, "space.13.cost": 9, "space.0.score": 40, "space.45.score": -30},
    "kinds": {"space.6.kind": "lair", "space.20.kind": "port"},
    "treasures": {"treasure.lady_beth": 0, "treasure.plus_3": 1, "treasure.minus_4.value": 20, "treasure_pile": 7},
    "action cards": {"card.gold/gold": "backward/gunpowder", "card.7": "forward/gold"},
    "dice": {"combat_die": (1, 20, "star"), "shortage_die": ("skull", "skull", "circle"), "action_die": (1, 1, 10)},
    "numbers": {"hand_size": 5, "start_food": 0, "start_gold": 9, "lady_beth_bonus": 7, "start_score": 12},
    "fewer holds": {"holds": 3, "start_food": 6},
    "fewest holds with the ghost": {"holds": 2, "ghost": True, "players": 3},
    "goods by seat": {"start_food": (1, 0, 5, 2), "start_gold": (3, 3, 4, 4), "start_gunpowder": (0, 2, 2, 7)},
    "gunpowder with the ghost": {"start_gunpowder": 3, "ghost": True, "players": 2},
    "six holds": {"holds": 6, "treasure.sixth_hold": 0},
    "six holds with the ghost": {"holds": 6, "treasure.sixth_hold": 0, "ghost": True, "players": 3},
    "fifteen cards": {f"card.{n}": "forward/gunpowder" for n in range(11, 15)} | {"hand_size": 7},
    "two Lady Beths": {"treasure.lady_beth": 2, "treasure.minus_2": 0},
    "all maps and sabres": {"treasure.morgans_map": 5, "treasure.sarans_sabre": 4, "treasure.lady_beth": 3}
    | {f"treasure.{name}": 0 for name in "sixth_hold plus_3 plus_5 plus_7 minus_2 minus_3 minus_4".split()},
    "nothing but curses": {"treasure.minus_4": 11, "treasure.lady_beth": 1, "treasure.minus_4.value": -9}
    | {f"treasure.{n}": 0 for n in "morgans_map sarans_sabre sixth_hold plus_3 plus_5 plus_7 minus_2 minus_3".split()},
    "a limited bank": {"limited_bank": True, "bank": (16, 14, 4)},
    "many spaces at once": {"ports.dearer": 2, "seas.dearer": -1, "red_line": 30},
    "known cards are stolen": {"steal_known": True},
    "any treasure is given": {"give_any_treasure": True},
    "any treasure, but not to the ghost": {"give_any_treasure": True, "ghost_takes_cursed_only": True, "ghost": True},
    "costs are split": {"free_split": True},
    "costs are split over six holds": {"free_split": True, "holds": 6, "treasure.sixth_hold": 0, "start_food": 9},
    "early reshuffle": {"early_reshuffle": True},
    "only cursed cards for the ghost": {"ghost_takes_cursed_only": True, "ghost": True, "players": 3},
}
SMALL_BOARD = """kind,cost,score,next
port_royal,0,9,1
sea,1,-5,2
port,2,-5,3
lair,0,-5,4|6
sea,1,-5,5
lair,0,-5,7
sea,6,-5,7
port,4,0,8
sea,2,1,9
lair,0,2,10
sea,1,3,11
port,3,4,12
sea,2,5,0
"""


def rows(rules, games=60):
    """The result rows of some random games, as bytes."""
    return Worker(seat_table(rules, "random", 4)).play(Chunk(0, games), keep_rows=True).rows.tobytes()


@pytest.mark.parametrize("edition", ["2007", "2021"])
@pytest.mark.parametrize("changes", VARIANTS.values(), ids=VARIANTS)
def test_variants_are_played_by_their_rules(changes, edition):
    """The referee knows a variant only from the trace."""
    table = seat_table(rules_of({"edition": edition, **changes}), "random", 5)
    for game in range(8):
        trace = trace_game(table, game)
        assert trace["config"]["rules"]
        check(trace)


@pytest.mark.parametrize(("choice", "clause"), [("give_any_treasure", "B8"), ("free_split", "P1")])
def test_what_a_choice_allows_is_refused_without_it(choice, clause):
    table = seat_table(rules_of({choice: True}), "random", 5)
    broken = set()
    for game in range(12):
        trace = trace_game(table, game)
        check(trace)
        del trace["config"]["rules"]
        try:
            check(trace)
        except RuleBroken as refused:
            broken.add(refused.clause)
    assert broken == {clause}


def test_heuristic_games_of_variants_are_by_the_rules():
    for changes in VARIANTS.values():
        table = seat_table(rules_of(changes), "balanced", 6)
        for game in range(3):
            check(trace_game(table, game))


def test_a_variant_that_says_what_the_edition_says_is_the_edition(tmp_path):
    """The file is complete: it names every rule and component, and reads the board from its own CSV file."""
    for edition in ("2007", "2021"):
        lines = [
            _toml(row) for row in rule_rows(Rules(edition=edition)) if row.value is not None and row.name != "board"
        ]
        (tmp_path / "board.csv").write_text(_csv(board()))
        (tmp_path / "full.toml").write_text("\n".join([*lines, 'board = "board.csv"', ""]))
        full = load_rules(tmp_path / "full.toml")
        assert full == Rules(edition=edition) and full.changes() == {}
        assert rows(full) == rows(Rules(edition=edition))
        assert "rules" not in trace_game(seat_table(full, "random", 4), 0)["config"]


def _toml(row):
    value = list(row.value) if isinstance(row.value, tuple) else row.value
    return f"{row.name} = {json.dumps(value)}"


def _csv(spaces):
    lines = ["space,kind,cost,score,next,x,y"]
    for number, s in enumerate(spaces):
        lines.append(f"{number},{s.kind},{s.cost},{s.score},{'|'.join(map(str, s.next))},{s.x},{s.y}")
    return "\n".join(lines) + "\n"


def test_goods_by_seat_are_written_alike_in_every_file(tmp_path):
    for number, value in enumerate(("[2, 3, 3, 4]", "[[2, 3, 3, 4]]")):
        (tmp_path / f"{number}.toml").write_text(f"start_gold = {value}\n")
        assert load_rules(tmp_path / f"{number}.toml") == Rules(start_gold=(2, 3, 3, 4))
    factor = 'line_ups = ["random"]\n[rules]\nstart_gold = [3, [2, 3, 3, 4]]\nhand_size = "2..4"\n'
    settings = experiment_from_text(factor, tmp_path / "x.toml").settings
    assert [(s.rules.start_gold, s.rules.hand_size) for s in settings] == [
        (gold, cards) for gold in (3, (2, 3, 3, 4)) for cards in (2, 3, 4)
    ]


def test_another_board_from_a_file(tmp_path):
    (tmp_path / "small.csv").write_text(SMALL_BOARD)
    (tmp_path / "small.toml").write_text('board = "small.csv"\ntreasure_pile = 3\nplayers = 3\n')
    rules = load_rules(tmp_path / "small.toml")
    assert len(rules.components.board) == 13 and rules.components.lairs == 3
    for edition in ("2007", "2021"):
        table = seat_table(rules.but(edition=edition), "random", 7)
        for game in range(10):
            check(trace_game(table, game))
    results = simulate(200, rules=rules, strategies="balanced", threads=1)
    assert len(results.by_space()) == 13
    assert Rules(**rules.as_dict()) == rules  # as a manifest keeps it


def test_reports_and_pictures_follow_another_board(tmp_path):
    from jamaica_sim.report.page import html
    from jamaica_sim.report.report import make_report
    from jamaica_sim.results.board_picture import draw_board
    from jamaica_sim.study.experiment.study import load_study
    from jamaica_sim.study.simulate import run_games

    (tmp_path / "small.csv").write_text(SMALL_BOARD)
    (tmp_path / "small.toml").write_text('board = "small.csv"\ntreasure_pile = 3\nplayers = 3\nghost = true\n')
    rules = load_rules(tmp_path / "small.toml")
    run_games(seat_table(rules, "random"), 200, threads=1, out=tmp_path / "run")
    study = load_study(tmp_path / "run")
    page = html(make_report(study))
    assert "space 12" in page and "space 14" not in page and "space 41" not in page
    plain = draw_board(rules=rules)
    words = {text.get_text() for text in plain.texts}
    assert "9" in words and draw_board(study.reference.results, "shortages").texts


def longest_box():
    """The box with as many spaces as a board can have."""
    *spaces, last = board()
    spaces.append(replace(last, next=(50,)))
    spaces += [replace(last, next=((number + 1) % MAX_SPACES,)) for number in range(50, MAX_SPACES)]
    return replace(the_box(), board=tuple(spaces))


def arrival_by_the_rules(record, by_die, aboard, space):
    """Doubloons and food that a ship pays on a space, where it ends up, and the steps that it loses, if it is short."""
    currency, cost, paid = record["currency"][space], record["cost"][space], [0, 0]
    paid[currency] = min(aboard[currency], cost)
    if aboard[currency] >= cost:
        return paid, space, None
    if by_die:
        return paid, space, record["expected_fall"][space]
    left = np.subtract(aboard, paid)
    routes = [s for s in range(record["spaces"]) if record["first_payable"][*left, space] >> s & 1]
    end = min(routes, key=lambda s: record["to_finish"][s])
    paid[record["currency"][end]] += record["cost"][end]
    return paid, end, record["to_finish"][end] - record["to_finish"][space]


@pytest.mark.parametrize("edition", ["2007", "2021"])
@pytest.mark.parametrize("box", [the_box, longest_box])
def test_strategies_foresee_what_an_arrival_brings(box, edition):
    """H2 and H3: for every space and all goods, except where a retreat depends on more than the goods."""
    rules = Rules(edition=edition, components=box())
    record, told = rulebook_of(rules)[0], 0
    for gold, food, space in product(range(8), range(8), range(record["spaces"])):
        arrival = int(record["arrivals"][record["gold_row"][gold] + record["food_row"][food] + space])
        paid, end, steps = arrival_by_the_rules(record, rules.shortage_by_die, (gold, food), space)
        if arrival >= 0:
            assert arrival & PAID == paid[GOLD] | paid[FOOD] << GOODS_BITS and arrival >> END_AT & END == end
            number = arrival >> FALL_AT & FALL
            assert number == 0 if steps is None else number > 0 and record["fall_steps"][number] == steps
            told += steps is not None
        else:
            assert steps is not None and edition == "2007"
    assert told > 500


def test_battles_are_told_of_a_board_longer_than_the_printed_one(tmp_path):
    from jamaica_sim.report.report import make_report
    from jamaica_sim.study.experiment.study import load_study
    from jamaica_sim.study.simulate import run_games

    rules = Rules(players=3, components=longest_box())
    run_games(seat_table(rules, "random"), 400, threads=1, out=tmp_path / "run")
    (battles,) = make_report(load_study(tmp_path / "run"), ["battles"]).chapters
    assert any("an equal share would be 1.6%" in told for told in battles.paragraphs)  # 61 spaces besides Port Royal
    assert battles.map


def test_components_survive_their_own_rows():
    changed = rules_of({"space.6.cost": 1, "treasure.plus_7": 1, "card.3": "food/food", "combat_die": (2, "star")})
    assert set(changed.components.changed()) == {"board", "treasures", "action_cards", "combat_die"}
    assert components_of(changed.components.changed()) == changed.components
    assert rows_of(the_box().treasures)[0]["name"] == "Morgan's Map"
    assert the_box().changed() == {}


def test_morgans_map_stays_one_card_better():
    assert [Rules(hand_size=size).hand_with_map for size in (1, 3, 4, 5)] == [2, 4, 5, 6]
    assert Rules(hand_size=4, map_hand_size=4).hand_with_map == 4
    assert Rules().but(hand_size=5).hand_with_map == 6


REFUSED = [
    ({"hand_sise": 4}, "did you mean 'hand_size'"),
    ({"space.99.cost": 1}, "the spaces of the board are 0 to 49"),
    ({"space.6.price": 1}, "did you mean 'space.6"),
    ({"space.6.cost": 11}, "space 6: the cost must be a whole number from 0 to 10"),
    ({"space.4.cost": 2}, "space 4 is a lair, which costs nothing"),
    ({"space.6.kind": "harbour"}, "a space is port_royal, sea, port, lair"),
    ({"space.0.kind": "sea"}, "space 0, and no other, is port_royal"),
    ({"treasure.lady_bet": 0}, "did you mean 'treasure.lady_beth'"),
    ({"treasure.lady_beth": 2}, "12 treasure cards at most: for more of lady_beth leave others out"),
    ({"treasure.lady_beth": 2, "treasure.minus_2": 0, "ghost": True, "players": 3}, "leave one of her in"),
    ({"treasure.sixth_hold": 2, "treasure.minus_2": 0}, "0 to 1, not 2"),
    ({"holds": 6}, "six holds leave no room for the card 6th Hold: take it out with treasure.sixth_hold=0"),
    ({"holds": 7}, "from 2 to 6, not 7"),
    ({"holds": 2, "start_gunpowder": 1}, "a third hold"),
    ({"start_gold": (3, 3, 4)}, "start_gold must be one whole number from 0 to 10, or one for each of 4 players"),
    ({"start_gold": (3, 3, 4, 11)}, "or one for each of 4 players, not 3, 3, 4, 11"),
    ({"treasure.lady_beth.value": 3}, "a power, which is worth no points"),
    ({"treasure.lady_beth": 0, "players": 3, "ghost": True}, "sails with the ghost"),
    ({"treasure_pile": 10}, "only 9 lairs"),
    ({"treasure.plus_7": 0, "treasure.plus_3": 0}, "only 8 treasure cards are in the game"),
    ({"card.3": "gold"}, "two symbols"),
    ({"card.3": "gold/rum"}, "'rum'"),
    ({"card.12": "gold/gold"}, "there is no rule 'card.12'"),
    ({f"card.{n}": "gold/gold" for n in range(11, 16)}, "there is no rule 'card.15'"),
    ({"combat_die": (2, 4, 6)}, None),
    ({"combat_die": (2,)}, "2 to 12 faces"),
    ({"combat_die": (0, 4)}, "a star or a whole number from 1 to 20"),
    ({"shortage_die": ("skull",)}, "a symbol for each of the 6 faces"),
    ({"shortage_die": ("skull",) * 5 + ("moon",)}, "not 'moon'"),
    ({"limited_bank": True, "bank": (5, 45, 45)}, "begin with 12 gold, but the bank has only 5"),
    ({"hand_size": 8}, "give map_hand_size as well"),
    ({"steal_known": 1}, "true or false"),
]


@pytest.mark.parametrize(("changes", "words"), REFUSED, ids=lambda value: str(value)[:40])
def test_what_contradicts_itself_is_refused(changes, words):
    if words is None:
        rules_of(changes)
        return
    with pytest.raises(RulesError, match=words) as caught:
        rules_of(changes)
    assert str(caught.value).count(". ") == 0 and str(caught.value)[-1] in ".?"


BOARDS = [
    ("kind,cost,score\nsea,1,1\n", "no next there"),
    (SMALL_BOARD.replace("lair,0,-5,4|6", "lair,0,-5,4|6|7"), "one space, or to two lanes"),
    (SMALL_BOARD.replace("sea,2,5,0", "sea,2,5,40"), "leads to '40', but no row has that name"),
    (SMALL_BOARD.replace("sea,2,5,0", "sea,2,5,3"), "spaces further down, or 0"),
    (SMALL_BOARD.replace("lair,0,-5,7", "lair,0,-5,0").replace("sea,6,-5,7", "sea,6,-5,7"), "must meet again"),
    (SMALL_BOARD.replace("sea,1,-5,2", "sea,1,-5,3"), "no space leads to space 2"),
    ("\n".join(SMALL_BOARD.splitlines()[:8]), "11 to 62 spaces"),
    (SMALL_BOARD.splitlines()[0], "11 to 62 spaces, not 0"),
    (SMALL_BOARD.replace("lair,0,-5,4|6", "lair,0,-5,4|4"), "must begin on different spaces"),
    (SMALL_BOARD.replace("lair,0,-5,4|6", "lair,0,-5,4|6,0.5,0.5,0.5,0.5"), "more fields than there are columns"),
    (SMALL_BOARD.replace("lair,0,-5,4|6", "lair"), "space 3: the cost must be a whole number, not ''"),
]


@pytest.mark.parametrize(("text", "words"), BOARDS)
def test_boards_that_cannot_be_played_are_refused(text, words, tmp_path):
    (tmp_path / "b.csv").write_text(text)
    (tmp_path / "b.toml").write_text('board = "b.csv"\n')
    with pytest.raises(RulesError, match=words):
        load_rules(tmp_path / "b.toml")


def test_house_rules_are_no_file_of_rules(tmp_path):
    (tmp_path / "mine.py").write_text('"""Nothing."""\ndef round_ends(game, rules):\n    pass\n')
    with pytest.raises(RulesError, match=r"mine.py is no file of rules: .* --house-rules .*mine.py\.$"):
        load_rules(tmp_path / "mine.py")


def test_differences_name_every_changed_rule():
    pairs = differences(Rules(), rules_of({"edition": "2021", "space.6.cost": 0}))
    assert {ours.name: (ours.value, theirs.value) for ours, theirs in pairs} == {
        "edition": ("2007", "2021"),
        "space.6.cost": (5, 0),
    }


def test_treasure_values_reach_the_heuristic():
    """Players who weigh treasures go to lairs less often when treasures are worthless."""
    worthless = {f"treasure.plus_{n}.value": -20 for n in (3, 5, 7)}
    usual, changed = (
        simulate(3000, strategies="treasure_hunter", rules=rules_of(changes), threads=1) for changes in ({}, worthless)
    )
    taken = [r.of_game("treasures_taken").value for r in (usual, changed)]
    assert taken[1] < 0.9 * taken[0]


def test_a_narrow_terminal_breaks_no_words(monkeypatch):
    """Where a row has no room on a line it is told in sentences; a pipe gets the whole row."""
    monkeypatch.setattr("jamaica_sim.cli.show.output", lambda: Console(force_terminal=True, width=80))
    narrow = CliRunner().invoke(main, ["rules", "list"]).output.split("\nAlso by name")[0]
    assert max(map(len, narrow.splitlines())) <= 80
    assert "hand_size: cards in a hand\n    value: 3; may be: 1 to 8; clause: S3, T4\n" in narrow
    assert "value: circle,circle,square,square,skull,star; may be: as many" in " ".join(narrow.split())

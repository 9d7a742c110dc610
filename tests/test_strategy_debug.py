"""What helps in writing a strategy of code: names for numbers, types for editors, functions run as plain Python."""

import typing
from pathlib import Path

import numpy as np
import pytest

from jamaica_sim import debug_decisions
from jamaica_sim.engine.state import CARDS, NO_FACE, NONE, RULES_DTYPE, STAR, TREASURES, VIEW_DTYPE, Rulebook
from jamaica_sim.engine.view import View
from jamaica_sim.game.components import action_cards, treasures
from jamaica_sim.play.debug import TWINS, Record
from jamaica_sim.play.game_table import seat_table
from jamaica_sim.play.positions import GamePositions
from jamaica_sim.strategy import api, names
from jamaica_sim.strategy.heuristic.weights import WEIGHTS_DTYPE, Weights
from jamaica_sim.strategy.strategy import StrategyError

CODE = """
from jamaica_sim.strategy import api
from jamaica_sim.strategy.api import GOLD, ask_heuristic, count, has, helper, luck, nth, only, pick_random, spaces_left

@helper
def _far(view, rules):
    return spaces_left(view, rules, view.me) > 20

def choose_card(view, rules, weights):
    if _far(view, rules):
        return pick_random(view, view.hand)
    print("asking", view.round)
    return ask_heuristic(view, rules, weights)

def attack_powder(view, rules, weights):
    return nth(view.legal, int(luck(view) * count(view.legal)))

def place_dice(view, rules, weights):
    return ask_heuristic(view, rules, weights) if has(view.legal, 1) and api.lowest(only(1)) == 1 else 0
"""


@pytest.fixture
def mine(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(CODE)
    return path


def test_every_card_and_treasure_has_its_name():
    for number, card in enumerate(action_cards()):
        assert getattr(names, f"CARD_{card.morning}_{card.evening}".upper()) == number
    numbers = {"MORGANS_MAP": "Morgan's Map", "SARANS_SABRE": "Saran's Sabre", "LADY_BETH": "Lady Beth"}
    numbers |= {"SIXTH_HOLD": "6th Hold", "TREASURE_3_TOO": "Treasure +3", "TREASURE_7_TOO": "Treasure +7"}
    numbers |= {f"TREASURE_{n}": f"Treasure +{n}" for n in (3, 5, 7)} | {
        f"CURSED_{n}": f"Cursed -{n}" for n in (2, 3, 4)
    }
    assert {getattr(names, name): card for name, card in numbers.items()} == dict(
        enumerate(card.name for card in treasures())
    )
    assert (names.CARDS, names.TREASURES, names.STAR, names.NOT_ROLLED) == (CARDS, TREASURES, STAR, NO_FACE)
    assert names.NOBODY == NONE
    assert all(hasattr(api, name) for name in api.__all__)


@pytest.mark.parametrize(("stub", "dtype"), [(View, VIEW_DTYPE), (Rulebook, RULES_DTYPE), (Weights, WEIGHTS_DTYPE)])
def test_editors_are_told_the_fields_that_there_are(stub, dtype):
    hints = typing.get_type_hints(stub)
    assert tuple(hints) == dtype.names
    for name, hint in hints.items():
        base, shape = dtype[name].subdtype or (dtype[name], ())
        assert (hint in (int, float)) == (not shape), name
        assert ("float" in str(hint)) == (base.kind == "f"), name


def test_plain_functions_play_the_game_that_compiled_ones_play(mine, capsys):
    made = debug_decisions(mine, game=5, seat=1, players=3)
    printed = capsys.readouterr().out
    table = seat_table(strategies=["balanced", mine, "balanced"], players=3)
    asked = [
        p
        for p in GamePositions(table, 5).decisions()
        if p.player == 1 and p.decision in ("choose_card", "place_dice", "attack_powder")
    ]
    assert [(m.round, m.decision, m.options, m.answer) for m in made] == [
        (p.round, p.decision, p.options, p.answer) for p in asked
    ]
    assert len(made) > 8 and "asking" in printed
    assert made[0].view.me == 1 and made[0].heuristic in made[0].options


def test_one_decision_can_be_looked_at_alone(mine):
    assert {m.decision for m in debug_decisions(mine, decision="choose_card")} == {"choose_card"}


def test_mistakes_end_in_their_own_traceback(mine):
    mine.write_text(CODE.replace('print("asking", view.round)', "{}[f'{view.round}']"))
    with pytest.raises(KeyError) as caught:
        debug_decisions(mine)
    assert Path(str(caught.traceback[-1].path)) == mine
    mine.write_text(CODE.replace("pick_random(view, view.hand)", "12"))
    with pytest.raises(ValueError, match="choose_card answered 12, which is not one of the legal options"):
        debug_decisions(mine)


def test_a_division_by_zero_is_an_error_as_in_compiled_code(mine):
    mine.write_text(CODE.replace('print("asking", view.round)', "view.stock[0, 0] // (view.stock[0, 0] * 0)"))
    with pytest.raises(ArithmeticError):
        debug_decisions(mine)
    with pytest.raises(ArithmeticError):  # also where the same file sits in another seat
        debug_decisions(mine, seat=1, against=[mine, "random"])


@pytest.mark.parametrize(
    ("strategy", "options", "words"),
    [
        ("balanced", {}, "balanced has no functions to debug"),
        ("corsair", {"decision": "place_dice"}, "corsair has no function 'place_dice'"),
        ("corsair", {"seat": 4}, "seat must be from 0 to 3"),
        ("corsair", {"hand_sise": 4}, "hand_size"),
    ],
)
def test_what_cannot_be_debugged_is_refused(strategy, options, words):
    with pytest.raises((StrategyError, ValueError), match=words):
        debug_decisions(strategy, **options)


def test_plain_luck_is_the_engines():
    view = Record(np.zeros(1, VIEW_DTYPE), "the view")
    view._memory["luck_key"] = 2**63 + 12345
    assert 0 <= TWINS["luck"](view) < 1 and view.luck_index == 1
    assert TWINS["pick_random"](view, 0b101000) in (3, 5)
    with pytest.raises(AttributeError, match="did you mean 'hand'"):
        view.hands  # noqa: B018
    with pytest.raises(AttributeError, match="may read the view"):
        view.round = 3

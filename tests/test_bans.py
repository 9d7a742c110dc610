"""Restricted play: no banned answer is given where there is another one, as other code sees it in positions."""

import pytest
from command import assert_told, type_in

from jamaica_sim.game.codes import DECISIONS
from jamaica_sim.game.components import action_cards, the_box
from jamaica_sim.play.game_table import seat_table
from jamaica_sim.play.positions import GamePositions
from jamaica_sim.strategy.bans import BANS
from jamaica_sim.strategy.library import load_strategy, strategy_from_identity
from jamaica_sim.strategy.strategy import StrategyError

BOARD, CARDS = the_box().board, action_cards()
CODE = """
from jamaica_sim.strategy.api import lowest

BANS = ["attack", "gunpowder"]


def attack_powder(view, rules, weights):
    return view.stock[view.me, 2]


def choose_space(view, rules, weights):
    return lowest(view.legal)
"""


@pytest.fixture(scope="module")
def banned(tmp_path_factory):
    """A strategy file for each ban, one with all of them, one that searches and one of code."""
    folder = tmp_path_factory.mktemp("bans")
    for ban in BANS:
        (folder / f"{ban}.toml").write_text(f'bans = ["{ban}"]\n[weights]\nattack = 2.0\n')
    (folder / "all.toml").write_text(f"bans = {list(BANS)}\n")
    (folder / "search.toml").write_text('bans = ["backward"]\n[search]\nrollouts = 2\ndepth = 1\n')
    (folder / "code.py").write_text(CODE)
    return folder


def is_bad(ban, position, space, costs):
    """Whether the ban is about a move that ends there."""
    here, player = BOARD[space], position.player
    if ban == "attack":
        others = [ship for ship in range(4) if ship != player and position.read("space")[ship] == space]
        return space != 0 and bool(others)
    if ban == "lairs":
        return bool(int(position.read("tokens")) >> space & 1)
    if ban == "shortage" and costs:
        return here.cost > int(position.read("stock")[player, 0 if here.kind == "port" else 1])
    return False


def broken(ban, position):
    """Whether a banned answer was given although another was legal."""
    answer, options = position.answer, position.options
    if position.decision in ("choose_space", "choose_retreat"):
        costs = position.decision == "choose_space"
        bad = {option: is_bad(ban, position, option, costs) for option in options}
    elif position.decision in ("attack_powder", "defence_powder"):
        bad = {option: ban == "gunpowder" and option > 0 for option in options}
    elif position.decision == "choose_card":
        bad = {
            option: ban == "backward" and "backward" in (CARDS[option].morning, CARDS[option].evening)
            for option in options
        }
    else:
        return False
    return bad[answer] and not all(bad.values())


def count_broken(table, ban, games):
    """How many answers of ship 0 break a ban, and how many it gave."""
    found, asked = 0, 0
    for game in range(games):
        for position in GamePositions(table, game).all:
            if position.player == 0 and position.decision:
                found += broken(ban, position)
                asked += 1
    return found, asked


def seats(strategy):
    return seat_table(strategies=[str(strategy), "racer", "balanced", "racer"], players=4, seed=3)


@pytest.mark.parametrize("ban", BANS)
def test_what_is_banned_does_not_happen(banned, ban):
    free, asked = count_broken(seat_table(strategies=["balanced", "racer", "balanced", "racer"], seed=3), ban, 15)
    assert free > 0 and asked > 100  # without the ban it does happen
    assert count_broken(seats(banned / f"{ban}.toml"), ban, 15)[0] == 0


def test_all_bans_at_once(banned):
    """Bans apply one after the other, so the first of them is kept wherever it can be."""
    assert count_broken(seats(banned / "all.toml"), "attack", 8)[0] == 0


def test_searchers_and_code_have_bans_too(banned):
    for file, bans in (("search.toml", ("backward",)), ("code.py", ("attack", "gunpowder"))):
        for ban in bans:
            assert count_broken(seats(banned / file), ban, 3)[0] == 0, (file, ban)


def test_a_ban_reads_only_what_a_player_may_see():
    """The filter works on the view: its function has the same arguments as a strategy's."""
    from jamaica_sim.engine.view import VIEW_DTYPE
    from jamaica_sim.strategy.compile import RESTRICTED

    assert len(RESTRICTED._dtypes) == 3 and RESTRICTED._dtypes[0] == VIEW_DTYPE


def test_a_strategy_remembers_its_bans(banned):
    strategy = load_strategy(banned / "attack.toml")
    assert strategy.bans == ("attack",) and strategy.digest != load_strategy("balanced").digest
    assert len(set(strategy.addresses().tolist())) == 1 and len(strategy.addresses()) == len(DECISIONS)


@pytest.mark.parametrize("bans, hint", [('["atack"]', "did you mean 'attack'"), ('"attack"', "must be a list")])
def test_what_is_no_ban_is_refused(tmp_path, bans, hint):
    (tmp_path / "mine.toml").write_text(f"bans = {bans}\n")
    with pytest.raises(StrategyError, match="line 1: .*ban"):
        load_strategy(tmp_path / "mine.toml")
    assert_told(type_in("run", "--games", 10, "-s", tmp_path / "mine.toml"), 2, hint)
    (tmp_path / "mine.py").write_text(f"BANS = {bans}\n")
    with pytest.raises(StrategyError, match=hint):
        load_strategy(tmp_path / "mine.py")


def test_a_dictionary_of_weights_may_have_bans():
    strategy = load_strategy({"gold": 1.2, "bans": ["attack", "lairs"]})
    assert strategy.bans == ("attack", "lairs") and strategy.changes == {"gold": 1.2}
    assert strategy.name == "gold 1.2 without attack without lairs"
    assert strategy_from_identity(strategy.identity()).bans == strategy.bans
    with pytest.raises(StrategyError, match="there is no ban 'atack'"):
        load_strategy({"bans": ["atack"]})
    with pytest.raises(StrategyError, match="bans must be a list"):
        load_strategy({"bans": "attack"})

"""What things are worth: handicaps do what they say, and natural experiments equal a count from replays."""

import numpy as np
import pytest

from jamaica_sim import UserError, luck_shares, worths
from jamaica_sim.game.components import action_cards, treasures
from jamaica_sim.play.game_table import seat_table
from jamaica_sim.play.trace import replay_table
from jamaica_sim.study.causes import worth
from jamaica_sim.study.causes.worth import handicapped, without_power

GAMES = 200


@pytest.fixture(scope="module")
def table():
    return seat_table(strategies="racer", players=3, seed=6)


@pytest.fixture(scope="module")
def traces(table):
    return [replay_table(table, game) for game in range(GAMES)]


def events(trace, kind, ship=None):
    return [e for e in trace["events"] if e["event"] == kind and ship in (None, e["ship"])]


def shares(trace):
    winners = trace["result"]["winners"]
    return [(ship in winners) / len(winners) for ship in range(3)]


# Handicaps


@pytest.mark.parametrize("change, name", [({"gold": 2}, "start_gold"), ({"food": -1}, "start_food")])
def test_one_ship_begins_with_more(table, change, name):
    changed = handicapped(table, 1, **change)
    more = next(iter(change.values()))
    assert (changed.rulebook[name] - table.rulebook[name])[0, :3].tolist() == [0, more, 0]
    assert (changed.rulebook["no_cargo"] == table.rulebook["no_cargo"]).all()
    rows = worth.rows_of(changed, 40, 1)
    assert not np.array_equal(rows, worth.rows_of(table, 40, 1))


def test_no_handicap_is_the_same_game(table):
    assert np.array_equal(worth.rows_of(handicapped(table, 1), 40, 1), worth.rows_of(table, 40, 1))


def test_gunpowder_at_the_start_can_be_spent(table):
    spent = worth.rows_of(handicapped(table, 0, gunpowder=6), 100, 1)["powder_spent"][:, 0].mean()
    assert spent > worth.rows_of(table, 100, 1)["powder_spent"][:, 0].mean()


def test_a_sixth_hold_from_the_start(table):
    """Only its own ship fills it, and without the handicap nobody has a sixth hold."""
    off = without_power(table, "sixth_hold")
    changed, filled = handicapped(off, 1, holds=1), 0
    for game in range(12):
        loads = [e for e in events(replay_table(changed, game), "load") if e["hold"] == 5]
        assert {e["ship"] for e in loads} <= {1}
        filled += len(loads)
        assert not [e for e in events(replay_table(off, game), "load") if e["hold"] == 5]
    assert filled >= 6
    with pytest.raises(ValueError, match="6th Hold"):
        handicapped(table, 1, holds=1)
    rare = seat_table(strategies="racer", players=3, seed=6, holds=4)
    assert handicapped(rare, 1, holds=1).rulebook["no_cargo"][0, 1] == table.rulebook["no_cargo"][0, 1]


def test_what_a_hold_more_is_worth_by_two_runs(table):
    found = {w.name: w.effect for w in worth.starts(table, 80, 1)}
    off = without_power(table, "sixth_hold")
    before, after = (
        worth.win_shares(worth.rows_of(seated, 80, 1), 3)[:, 0] for seated in (off, handicapped(off, 0, holds=1))
    )
    assert found["one hold more"].value == pytest.approx((after - before).mean())
    assert set(found) == set(worth.STARTS)


def test_a_card_that_is_left_out_is_never_held(table):
    changed = handicapped(table, 2, without_card=7)
    for game in range(6):
        trace = replay_table(changed, game)
        held = {ship: {c for e in events(trace, "choose", ship) for c in e["hand"]} for ship in range(3)}
        assert 7 not in held[2] and 7 in held[0] | held[1]


def test_a_shortage_is_forgiven(table, traces):
    changed, forgiven = handicapped(table, 0, forgiven=2), 0
    for game in range(40):
        kinds = [e["event"] for e in traces[game]["events"] if e.get("ship") == 0]
        if kinds.count("shortage") < 2:
            continue
        forgiven += 1
        trace = [e for e in replay_table(changed, game)["events"] if e.get("ship") == 0]
        short = [i for i, e in enumerate(trace) if e["event"] == "shortage"]
        followed = [trace[i + 1]["event"] == "retreat" if i + 1 < len(trace) else False for i in short]
        plain = [e for e in traces[game]["events"] if e.get("ship") == 0]
        assert trace[: short[1]] == plain[: short[1]]  # the same game up to there
        assert not followed[1]
    assert forgiven >= 3


@pytest.mark.parametrize("power", ["morgans_map", "sarans_sabre", "lady_beth", "sixth_hold"])
def test_a_power_that_is_off_changes_nothing_before_it_is_drawn(table, traces, power):
    off = without_power(table, power)
    number = [card.name for card in treasures()].index(
        {"morgans_map": "Morgan's Map", "sarans_sabre": "Saran's Sabre", "lady_beth": "Lady Beth"}.get(
            power, "6th Hold"
        )
    )
    for game in range(12):
        trace, plain = replay_table(off, game)["events"], traces[game]["events"]
        drawn = [i for i, e in enumerate(plain) if e["event"] == "treasure" and e["treasure"] == number]
        upto = drawn[0] + 1 if drawn else len(plain)
        assert trace[:upto] == plain[:upto]


@pytest.mark.parametrize("change", [{"ship": 3}, {"gold": -4}, {"holds": 2}, {"without_card": 11}])
def test_impossible_handicaps(table, change):
    with pytest.raises(ValueError):
        handicapped(table, **change)


def test_lady_beth_sails_with_the_ghost():
    ghostly = seat_table(strategies="racer", players=3, ghost=True)
    with pytest.raises(ValueError, match="ghost"):
        without_power(ghostly, "lady_beth")
    with pytest.raises(ValueError, match="no power"):
        without_power(ghostly, "compass")


# Natural experiments, counted from replays by other code


def test_treasures_by_drawer_equal_a_count_from_replays(table, traces):
    found = {w.name: w.effect for w in worth.treasures(table, GAMES, 1)}
    drawn, games = {}, {}
    for number, trace in enumerate(traces):
        for event in events(trace, "treasure"):
            name = treasures()[event["treasure"]].name
            drawn.setdefault(name, []).append(shares(trace)[event["ship"]])
            games.setdefault(name, set()).add(number)
    everyone = np.mean([share for listed in drawn.values() for share in listed])
    assert set(found) == set(drawn)
    for name, listed in drawn.items():
        assert found[name].value == pytest.approx(np.mean(listed) - everyone), name
        assert found[name].n == len(games[name])


def test_first_hands_equal_a_count_from_replays(table, traces):
    found = worth.first_hands(table, GAMES, 1)
    for number in range(len(action_cards())):
        won = {True: [], False: []}
        for trace in traces:
            for ship, hand in enumerate(trace["setup"]["hands"]):
                won[number in hand].append(shares(trace)[ship])
        expected = np.mean(won[True]) - np.mean(won[False])
        assert found[number].effect.value == pytest.approx(expected), number


def test_seats_equal_a_count_from_replays(table, traces):
    found = worth.seats(table, GAMES, 1)
    first = np.mean([shares(trace)[trace["setup"]["captain"]] for trace in traces]) - 1 / 3
    assert found[0].effect.value == pytest.approx(first)
    assert sum(w.effect.value for w in found) == pytest.approx(0)


def test_powers_equal_a_count_from_replays(table, traces):
    """For the ship that drew the card by the trace: its share of the win with the power, less that without it."""
    found = {w.name: w.effect for w in worth.powers(table, 60, 1)}
    names = [card.name for card in treasures()]
    for power, name in (("sarans_sabre", "Saran's Sabre"), ("morgans_map", "Morgan's Map")):
        off, gains = without_power(table, power), []
        for game in range(60):
            drawn = [e["ship"] for e in events(traces[game], "treasure") if e["treasure"] == names.index(name)]
            if drawn:
                gains.append(shares(traces[game])[drawn[0]] - shares(replay_table(off, game))[drawn[0]])
        assert found[name].value == pytest.approx(np.mean(gains)) and found[name].n == len(gains), name


def test_cards_left_out_equal_a_count_from_replays(table, traces):
    found = worth.cards_left_out(table, 40, 1)
    for number in (0, 5):
        without = handicapped(table, 0, without_card=number)
        gains = [shares(traces[game])[0] - shares(replay_table(without, game))[0] for game in range(40)]
        assert found[number].effect.value == pytest.approx(np.mean(gains)), number


def test_forgiving_by_hand(table):
    (found,) = worth.shortage_forgiven(table, 60, 1)
    before = worth.rows_of(table, 60, 1)
    gain, count = 0.0, 0
    for game in range(60):
        for number in range(1, int(before["shortages"][game, 0].sum()) + 1):
            trace = replay_table(handicapped(table, 0, forgiven=number), game)
            gain += shares(trace)[0] - worth.win_shares(before[game : game + 1], 3)[0, 0]
            count += 1
    assert found.effect.value == pytest.approx(gain / count)


def test_designed_experiments_say_so(table):
    for found in (*worth.starts(table, 60, 1), *worth.cards_left_out(table, 60, 1), *worth.powers(table, 60, 1)):
        assert found.design == "designed" and found.effect.n <= 60


def test_causes_are_asked_with_the_arguments_of_simulate():
    shares = luck_shares(6, strategies="random", players=3)
    assert sum(share.value for _, share in shares.rows) == pytest.approx(1)
    captains = worths("seats", games=2e2, strategies="random", players=3)
    assert sum(row[1].value for row in captains.rows) == pytest.approx(0, abs=1e-9)
    with pytest.raises(UserError, match="did you mean 'powers'"):
        worths("power")

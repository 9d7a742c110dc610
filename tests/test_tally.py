"""The tally of result rows, compared with plain sums made one by one, for every kind of group."""

import numpy as np
import pytest
from tabletop import members

from jamaica_sim.game.codes import LOOT_KINDS
from jamaica_sim.game.components import board, treasures
from jamaica_sim.play.chunks import Chunk, Worker
from jamaica_sim.play.game_table import seat_table
from jamaica_sim.play.tally import layout as t
from jamaica_sim.play.tally.count import Tallier
from jamaica_sim.play.tally.layout import GAME_QUANTITIES, SHIP_QUANTITIES, TALLY_DTYPE

FIRST, GAMES = 40, 203  # not a multiple of the parts or of four


def ship_quantities(row, ship):
    """A ship's quantities in one game."""
    winners = members(row["winners"])
    gold_shortages, food_shortages = row["shortages"][ship].tolist()
    values = {name: int(row[name][ship]) for name in SHIP_QUANTITIES if name in row.dtype.names and name != "shortages"}
    return values | {
        "win": 60 // len(winners) if ship in winners else 0,
        "shortages": gold_shortages + food_shortages,
        "gold_shortages": gold_shortages,
        "food_shortages": food_shortages,
        "short": int(gold_shortages + food_shortages > 0),
        "ended_game": int(row["ended_by"] == ship),
    }


def game_quantities(row, ships, rules, tables):
    """A game's quantities, from those of its ships."""
    winners, peaks = members(row["winners"]), row["peak"].tolist()
    winner, leaders = max(winners), members(row["half_time_leaders"])
    last = members(row["half_time_last"])
    loot = dict(zip(LOOT_KINDS, row["loot"].sum(axis=0).tolist(), strict=True))
    share = {ship: values["win"] for ship, values in enumerate(ships)}
    together = {name: sum(values[name] for values in ships) for name in SHIP_QUANTITIES}
    others = [values["score"] for ship, values in enumerate(ships) if ship != winner]
    left, circuit = tables["to_finish"][0].tolist(), int(tables["circuit"][0])
    progress = sum(
        circuit * (1 + int(row["final_lap"][ship])) - left[row["final_space"][ship]] for ship in range(rules.players)
    )
    return {
        "rounds": int(row["rounds"]),
        "unfinished": 1 - int(row["finished"]),
        "battles": together["attacks"],
        "shortages": together["shortages"],
        "short": int(together["shortages"] > 0),
        "treasures_taken": together["treasures_taken"],
        "shared_win": int(len(winners) > 1),
        "winner_score": ships[winner]["score"],
        "winner_position_points": ships[winner]["position_points"],
        "winner_gold": ships[winner]["gold"],
        "winner_treasure_points": ships[winner]["treasure_points"],
        "margin": ships[winner]["score"] - max(others),
        "finisher_wins": share.get(int(row["ended_by"]), 0),
        "half_time_leaders": len(leaders),
        "half_time_leader_wins": sum(share[ship] for ship in leaders),
        "sole_half_time_leader": int(len(leaders) == 1),
        "sole_half_time_leader_wins": sum(share[ship] for ship in leaders) if len(leaders) == 1 else 0,
        "half_time_last": len(last),
        "half_time_last_wins": sum(share[ship] for ship in last),
        "lead_changes": int(row["lead_changes"]),
        "peak_gold": peaks[0],
        "peak_food": peaks[1],
        "peak_gunpowder": peaks[2],
        "gold_shortages": together["gold_shortages"],
        "food_shortages": together["food_shortages"],
        "decided_battles": together["battles_won"],
        "attacks_won": together["attacks_won"],
        "defences_won": together["defences_won"],
        "drawn_battles": int(row["attacks_drawn"].sum()),
        **{f"loot_{kind}": times for kind, times in loot.items()},
        "shortages_ahead": int(row["shortages_ahead"].sum()),
        "shortages_behind": int(row["shortages_behind"].sum()),
        "powder_spent": together["powder_spent"],
        "box_too_small": int(any(peak > box for peak, box in zip(peaks, t.BOX, strict=True))),
        "progress": progress,
        "progress_times_rounds": progress * int(row["rounds"]),
    }


def add(moments, value):
    moments += (value, value * value)


def plain_tally(rows, rules, groups, tables):
    """The tally, made game by game and ship by ship."""
    tally = np.zeros(1, TALLY_DTYPE)[0]
    for row in rows:
        part = int(row["game"]) % t.PARTS
        ships = [ship_quantities(row, ship) for ship in range(rules.ships)]
        tally["games"] += 1
        tally["part_games"][part] += 1
        numbers = row.tobytes()
        columns = np.frombuffer(numbers, np.int16).astype(np.int64)
        tally["row_sum"] += columns
        tally["row_square_sum"] += columns * columns
        for ship, values in enumerate(ships):
            add_ship(tally, part, row, ship, values, rules)
        for group in set(groups[: rules.ships]):
            inside = [values for ship, values in enumerate(ships) if groups[ship] == group]
            for number, name in enumerate(SHIP_QUANTITIES):
                add(tally["by_group"][group, number], sum(values[name] for values in inside))
            fought, won = (sum(values[name] for values in inside) for name in ("battles", "battles_won"))
            tally["fought_times_won"][group] += fought * won
        game = game_quantities(row, ships, rules, tables)
        assert set(game) == set(GAME_QUANTITIES)
        for number, name in enumerate(GAME_QUANTITIES):
            add(tally["by_game"][number], game[name])
            tally["part_game"][part, number] += game[name]
        tally["rounds"][game["rounds"]] += 1
        tally["winner_scores"][game["winner_score"] - t.SCORE_LOW] += 1
        tally["margins"][game["margin"]] += 1
        for resource, peak in enumerate(row["peak"].tolist()):
            tally["peaks"][resource, peak] += 1
    return tally


def add_ship(tally, part, row, ship, values, rules):
    win, shortages = values["win"], values["shortages"]
    space, lap = int(row["final_space"][ship]), int(np.clip(row["final_lap"][ship], -1, 1))
    seat = (ship - int(row["first_captain"])) % rules.players
    for number, name in enumerate(SHIP_QUANTITIES):
        add(tally["by_ship"][ship, number], values[name])
        tally["part_ships"][part, ship, number] += values[name]
        if ship < rules.players:
            add(tally["by_seat"][seat, number], values[name])
    tally["scores"][ship, values["score"] - t.SCORE_LOW] += 1
    tally["final_spaces"][ship, lap + 1, space] += 1
    add(tally["wins_by_final_space"][lap + 1, space], win)
    if ship >= rules.players:
        return
    tally["part_seat_wins"][part, seat] += win
    tally["ships_by_shortages"][min(shortages, t.MOST_SHORTAGES)] += 1
    add(tally["wins_by_shortages"][min(shortages, t.MOST_SHORTAGES)], win)
    tally["part_shortages"][part, min(shortages, 3)] += (1, win)
    past_red_line = lap == 0 and space > 0 and board()[space].score > 0
    tally["part_ends"][part, 0 if lap == 1 else 1 if past_red_line else 2] += (1, win)
    for card in members(row["treasures_held"][ship]):
        tally["ships_with_treasure"][card] += 1
        add(tally["wins_with_treasure"][card], win)
        tally["part_treasures"][part, card] += (1, win)
    for number, name in enumerate(t.TREASURE_NAMES):
        if any(treasures()[card].name == name for card in members(row["treasures_held"][ship])):
            tally["part_holders"][part, number] += (1, win)
    for card in members(row["lair_treasures"][ship]):
        tally["part_drawn"][part, card] += (1, win, values["score"])
    for fork, (outer, inner) in enumerate(row["lanes"][ship].tolist()):
        if (outer > 0) != (inner > 0):
            lane = 0 if outer else 1
            tally["ships_by_lane"][fork, lane] += 1
            add(tally["wins_by_lane"][fork, lane], win)
            tally["part_lanes"][part, fork, lane] += (1, win)


TABLES = {
    "alike": ({"players": 4}, "random", [0, 0, 0, 0, 1, 0]),
    "all different": ({"players": 4, "edition": "2021", "ghost": True}, "random", [0, 1, 2, 3, 4, 0]),
    "some alike": ({"players": 5, "ghost": True}, "random", [0, 1, 0, 2, 1, 3]),
    "with the ghost": ({"players": 2, "edition": "2021"}, "random", [0, 0, 1, 0, 0, 0]),
    "six": ({"players": 6, "edition": "2021"}, "random", [0, 1, 1, 1, 2, 2]),
    "short games": ({"players": 3, "round_cap": 4}, "random", [0, 1, 1, 0, 0, 0]),
}


@pytest.mark.parametrize("name", TABLES)
def test_every_sum_is_what_it_says(name):
    rules, strategies, groups = TABLES[name]
    table = seat_table(strategies=strategies, seed=6, **rules)
    rows = Worker(table).play(Chunk(FIRST, GAMES), keep_rows=True).rows
    groups = np.array(groups)
    made = Tallier(table.rulebook, groups).tally(rows)[0]
    plain = plain_tally(rows, table.rules, groups.tolist(), table.rulebook)
    of_the_kernel = (*t.KERNEL_SUMS, "games_in_round")
    for field in TALLY_DTYPE.names:
        if field not in of_the_kernel:
            assert np.array_equal(made[field], plain[field]), field


def test_no_rows_are_no_sums():
    table = seat_table(strategies="random", players=3)
    rows = np.zeros(0, t.RESULT_DTYPE)
    assert not Tallier(table.rulebook, table.group_of_ships()).tally(rows).view(np.int64).any()

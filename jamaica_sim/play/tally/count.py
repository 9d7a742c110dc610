"""Adds up result rows to a tally, in whole numbers. `layout.py` says what is counted."""

import numpy as np

from jamaica_sim.engine.machine.bits import count, has, lowest, single
from jamaica_sim.engine.machine.jit import entry, inline
from jamaica_sim.engine.moving import spaces_to_go
from jamaica_sim.engine.state import FORKS, SHIPS, TREASURES
from jamaica_sim.game.codes import LOOT_KINDS
from jamaica_sim.play.tally.layout import (
    BEFORE_RED_LINE,
    BOX,
    GAME_QUANTITIES,
    GAME_VALUES_DTYPE,
    HOME,
    MOST_SHORTAGES,
    PARTS,
    PAST_RED_LINE,
    QUANTITIES,
    ROW_NUMBERS,
    SCORE_LOW,
    SHIP_VALUES_DTYPE,
    SHORTAGE_LEVELS,
    SIDE_BY_SIDE_DTYPE,
    TALLY_DTYPE,
    TREASURE_NAMES,
    WIN_UNITS,
)

# Typed, because numba compiles a function again for each literal argument.
LOOT_GOLD, LOOT_FOOD, LOOT_GUNPOWDER, LOOT_POWER, LOOT_HIDDEN, LOOT_GIVE, LOOT_NOTHING = (
    np.int64(LOOT_KINDS.index(kind)) for kind in ("gold", "food", "gunpowder", "power", "hidden", "give", "nothing")
)


@inline
def _add(moments, value):
    moments[0] += value
    moments[1] += value * value


@inline
def _ship_values(row, ships):
    """Set all quantities of all ships. A ship that is not in the game has zeros in the row."""
    winners = np.int64(row.winners)
    share = WIN_UNITS // max(count(winners), 1)
    for ship in range(SHIPS):
        ships.win[ship] = (winners >> ship & 1) * share
        ships.score[ship] = row.score[ship]
        ships.position_points[ship] = row.position_points[ship]
        ships.gold[ship] = row.gold[ship]
        ships.treasure_points[ship] = row.treasure_points[ship]
        ships.gold_shortages[ship] = row.shortages[ship, 0]
        ships.food_shortages[ship] = row.shortages[ship, 1]
        ships.shortages[ship] = row.shortages[ship, 0] + row.shortages[ship, 1]
        ships.short[ship] = ships.shortages[ship] > 0
        ships.battles[ship] = row.battles[ship]
        ships.attacks[ship] = row.attacks[ship]
        ships.battles_won[ship] = row.battles_won[ship]
        ships.attacks_won[ship] = row.attacks_won[ship]
        ships.defences_won[ship] = row.defences_won[ship]
        ships.stars[ship] = row.stars[ship]
        ships.powder_spent[ship] = row.powder_spent[ship]
        ships.treasures_taken[ship] = row.treasures_taken[ship]
        ships.ended_game[ship] = row.ended_by == ship


@inline
def _share(row, ships):
    """The share of the victory that a set of ships has together, in WIN_UNITS."""
    winners = np.int64(row.winners)
    return count(winners & ships) * (WIN_UNITS // count(winners))


@inline
def _together(of_ships):
    """The sum of a quantity over all ships."""
    total = np.int64(0)
    for ship in range(SHIPS):
        total += of_ships[ship]
    return total


@inline
def _looted(row, kind):
    """In how many battles the winner took this kind of loot."""
    total = np.int64(0)
    for ship in range(SHIPS):
        total += row.loot[ship, kind]
    return total


@inline
def _of_group(of_ships, members):
    """The sum of a quantity over the members of a group."""
    total = np.int64(0)
    for ship in range(SHIPS):
        total += members[ship] * of_ships[ship]
    return total


@inline
def _game_values(row, r, ships, game):
    """Set all quantities of the game."""
    game.rounds = row.rounds
    game.unfinished = 1 - row.finished
    game.lead_changes = row.lead_changes
    game.treasures_taken = _together(ships.treasures_taken)
    _battle_values(row, ships, game)
    _shortage_values(row, ships, game)
    _victory_values(row, r, game)
    _leader_values(row, game)
    game.peak_gold, game.peak_food, game.peak_gunpowder = row.peak[0], row.peak[1], row.peak[2]
    game.box_too_small = (row.peak[0] > BOX[0]) | (row.peak[1] > BOX[1]) | (row.peak[2] > BOX[2])
    game.progress = 0
    for ship in range(r.players):
        game.progress += r.circuit - spaces_to_go(r, row.final_space[ship], row.final_lap[ship])
    game.progress_times_rounds = game.progress * game.rounds


@inline
def _battle_values(row, ships, game):
    game.battles = _together(ships.attacks)
    game.decided_battles = _together(ships.battles_won)
    game.attacks_won = _together(ships.attacks_won)
    game.defences_won = _together(ships.defences_won)
    game.drawn_battles = game.battles - game.decided_battles
    game.powder_spent = _together(ships.powder_spent)
    game.loot_gold = _looted(row, LOOT_GOLD)
    game.loot_food = _looted(row, LOOT_FOOD)
    game.loot_gunpowder = _looted(row, LOOT_GUNPOWDER)
    game.loot_power = _looted(row, LOOT_POWER)
    game.loot_hidden = _looted(row, LOOT_HIDDEN)
    game.loot_give = _looted(row, LOOT_GIVE)
    game.loot_nothing = _looted(row, LOOT_NOTHING)


@inline
def _shortage_values(row, ships, game):
    game.shortages = _together(ships.shortages)
    game.gold_shortages = _together(ships.gold_shortages)
    game.food_shortages = _together(ships.food_shortages)
    game.shortages_ahead = _together(row.shortages_ahead)
    game.shortages_behind = _together(row.shortages_behind)
    game.short = game.shortages > 0


@inline
def _victory_values(row, r, game):
    winner, best_of_others = 0, -(1 << 15)
    for ship in range(r.ships):
        if has(np.int64(row.winners), ship):
            winner = ship
    for ship in range(r.ships):
        if ship != winner:
            best_of_others = max(best_of_others, row.score[ship])
    game.shared_win = count(np.int64(row.winners)) > 1
    game.winner_score = row.score[winner]
    game.winner_position_points = row.position_points[winner]
    game.winner_gold = row.gold[winner]
    game.winner_treasure_points = row.treasure_points[winner]
    game.margin = row.score[winner] - best_of_others
    game.finisher_wins = _share(row, np.int64(1) << row.ended_by) if row.ended_by >= 0 else 0


@inline
def _leader_values(row, game):
    leaders = np.int64(row.half_time_leaders)
    game.half_time_leaders = count(leaders)
    game.half_time_leader_wins = _share(row, leaders)
    game.sole_half_time_leader = single(leaders)
    game.sole_half_time_leader_wins = game.sole_half_time_leader * game.half_time_leader_wins
    last = np.int64(row.half_time_last)
    game.half_time_last = count(last)
    game.half_time_last_wins = _share(row, last)


@inline
def _bin(histogram, value):
    histogram[min(max(value, 0), histogram.size - 1)] += 1


@inline
def _lap(row, ship):
    """Behind the start line, on the circuit or home: 0, 1 or 2."""
    return min(max(row.final_lap[ship], -1), 1) + 1


@inline
def _end(row, r, ship):
    if row.final_lap[ship] > 0:
        return HOME
    past = row.final_lap[ship] == 0 and row.final_space[ship] >= r.red_line
    return PAST_RED_LINE if past else BEFORE_RED_LINE


@inline
def _only_lane(row, ship, fork, lane):
    """1 where the ship passed the fork, and by this lane only."""
    return np.int64(row.lanes[ship, fork, lane] > 0) & np.int64(row.lanes[ship, fork, 1 - lane] == 0)


@inline
def _tally_players(tally, r, beside, part, row, ships):
    """Add the players' ships: treasures held, treasures drawn and lanes taken."""
    held, passed, drawn = beside.part_held[part], beside.part_passed[part], tally.part_drawn[part]
    for ship in range(r.players):
        cards = np.int64(row.treasures_held[ship])
        for card in range(TREASURES):
            held[card] += cards >> card & 1
        for name in range(len(TREASURE_NAMES)):
            tally.part_holders[part, name, 0] += cards & r.copies[name] != 0
        cards = np.int64(row.lair_treasures[ship])
        while cards != 0:
            card = lowest(cards)
            cards &= cards - 1
            drawn[card, 0] += 1
            drawn[card, 1] += ships.win[ship]
            drawn[card, 2] += row.score[ship]
        for fork in range(FORKS):
            for lane in range(2):
                passed[fork, lane] += _only_lane(row, ship, fork, lane)


@inline
def _tally_ship(tally, r, part, row, ship, shortages, is_player):
    """Add where a ship ended and, for a player's ship, how often it ran short."""
    tally.final_spaces[ship, _lap(row, ship), row.final_space[ship]] += 1
    if is_player:
        tally.ships_by_shortages[min(shortages, MOST_SHORTAGES)] += 1
        tally.part_shortages[part, min(shortages, SHORTAGE_LEVELS - 1), 0] += 1
        tally.part_ends[part, _end(row, r, ship), 0] += 1


@inline
def _tally_winner(tally, r, part, row, ship, seat, win, shortages, is_player):
    """Add the win of a ship: by final space and, for a player's ship, by seat, shortages, treasures and lanes.

    Only winners need this, because the wins of other ships are 0.
    """
    _add(tally.wins_by_final_space[_lap(row, ship), row.final_space[ship]], win)
    if not is_player:
        return
    tally.part_seat_wins[part, seat] += win
    _add(tally.wins_by_shortages[min(shortages, MOST_SHORTAGES)], win)
    tally.part_shortages[part, min(shortages, SHORTAGE_LEVELS - 1), 1] += win
    tally.part_ends[part, _end(row, r, ship), 1] += win
    for card in range(TREASURES):
        held = np.int64(row.treasures_held[ship]) >> card & 1
        tally.wins_with_treasure[card, 1] += held * win * win
        tally.part_treasures[part, card, 1] += held * win
    for name in range(len(TREASURE_NAMES)):
        tally.part_holders[part, name, 1] += (row.treasures_held[ship] & r.copies[name] != 0) * win
    for fork in range(FORKS):
        for lane in range(2):
            only = _only_lane(row, ship, fork, lane)
            tally.wins_by_lane[fork, lane, 1] += only * win * win
            tally.part_lanes[part, fork, lane, 1] += only * win


@inline
def _sum_columns(numbers, tally):
    """Add up every column and its squares."""
    for i in range(numbers.shape[0]):
        for column in range(ROW_NUMBERS):
            number = np.int64(numbers[i, column])
            tally.row_sum[column] += number
            tally.row_square_sum[column] += number * number


@inline
def _sum_row(row, r, members, tally, beside, ships, ship_numbers, game, game_numbers):
    """Add everything of one row but its columns."""
    part, captain = row.game % PARTS, row.first_captain
    tally.part_games[part] += 1
    _ship_values(row, ships)
    captain_sum, captain_square_sum = beside.captain_sum[captain], beside.captain_square_sum[captain]
    part_sum = beside.part_sum[part]
    for number in range(QUANTITIES * SHIPS):
        value = np.int64(ship_numbers[number])
        captain_sum[number] += value
        captain_square_sum[number] += value * value
        part_sum[number] += value
    for ship in range(SHIPS):
        beside.fought_times_won[ship] += ships.battles[ship] * ships.battles_won[ship]
    for group in range(SHIPS):
        if members[group, 0] < 0:
            continue
        group_members = members[group]
        for quantity in range(QUANTITIES):
            of_ships = ship_numbers[quantity * SHIPS : (quantity + 1) * SHIPS]
            _add(tally.by_group[group, quantity], _of_group(of_ships, group_members))
        fought, won = _of_group(ships.battles, group_members), _of_group(ships.battles_won, group_members)
        tally.fought_times_won[group] += fought * won
    _tally_players(tally, r, beside, part, row, ships)
    for ship in range(r.ships):
        _bin(tally.scores[ship], row.score[ship] - SCORE_LOW)
        _tally_ship(tally, r, part, row, ship, ships.shortages[ship], ship != r.ghost)
    winners = np.int64(row.winners)
    while winners != 0:
        ship = lowest(winners)
        winners &= winners - 1
        seat = ship - captain
        if seat < 0:
            seat += r.players
        _tally_winner(tally, r, part, row, ship, seat, ships.win[ship], ships.shortages[ship], ship != r.ghost)
    _game_values(row, r, ships, game)
    for quantity in range(len(GAME_QUANTITIES)):
        tally.by_game[quantity, 1] += game_numbers[quantity] * game_numbers[quantity]
        tally.part_game[part, quantity] += game_numbers[quantity]
    _bin(tally.rounds, row.rounds)
    _bin(tally.winner_scores, game.winner_score - SCORE_LOW)
    _bin(tally.margins, game.margin)
    for resource in range(row.peak.size):
        _bin(tally.peaks[resource], row.peak[resource])


@entry
def sum_rows(rows, numbers, rulebooks, members, tallies, besides, ship_values, ship_numbers, game_values, game_numbers):
    """Add up result rows. `Tallier` makes the rest of the tally from these sums.

    `numbers` is the same rows as 16-bit numbers. `members` has a row for each group: 1 for its ships and 0 for others
    if it has several ships, -1 throughout if it has one ship or none. `ship_values` and `game_values` have room for the
    quantities of one game, by name; `ship_numbers` and `game_numbers` are the same memory as plain numbers.
    """
    tally = tallies[0]
    beside = besides[0]
    r = rulebooks[0]
    ships = ship_values[0]
    game = game_values[0]
    _sum_columns(numbers, tally)
    for i in range(rows.size):
        _sum_row(rows[i], r, members, tally, beside, ships, ship_numbers, game, game_numbers)


class Tallier:
    """Makes tallies of result rows of games at one table; `groups` has each ship's group."""

    def __init__(self, rulebooks: np.ndarray, groups: np.ndarray) -> None:
        self._rulebooks = rulebooks
        self._beside = np.zeros(1, SIDE_BY_SIDE_DTYPE)
        ships, game = np.zeros(1, SHIP_VALUES_DTYPE), np.zeros(1, GAME_VALUES_DTYPE)
        self._values = ships, ships.view(np.int32), game, game.view(np.int64)
        players, ships = int(rulebooks["players"][0]), int(rulebooks["ships"][0])
        seats = np.arange(players)
        self._captains, self._ships_by_seat = seats[:, None], (seats[:, None] + seats) % players
        self._members = np.full((SHIPS, SHIPS), -1)
        self._alone = []  # pairs of a group and its only ship
        for group in range(SHIPS):
            members = np.flatnonzero(groups[:ships] == group)
            if len(members) > 1:
                self._members[group] = np.isin(range(SHIPS), members)
            elif len(members) == 1:
                self._alone.append((group, members[0]))

    def tally(self, rows: np.ndarray) -> np.ndarray:
        """The tally of some rows."""
        tally, beside = np.zeros(1, TALLY_DTYPE), self._beside
        beside.view(np.int64).fill(0)
        numbers = rows.view(np.int16).reshape(rows.size, ROW_NUMBERS)
        sum_rows(rows, numbers, self._rulebooks, self._members, tally, beside, *self._values)
        self._sum_up(tally[0], beside[0])
        return tally

    def _sum_up(self, tally, beside):
        """Derive the rest of the tally from the sums by part and by first Captain."""
        players = len(self._captains)
        tally["games"] = tally["part_games"].sum()
        by_ship, by_seat = tally["by_ship"], tally["by_seat"]
        for moment, name in enumerate(("captain_sum", "captain_square_sum")):
            sums = beside[name].reshape(SHIPS, QUANTITIES, SHIPS)
            by_ship[..., moment] = sums.sum(axis=0).T
            by_seat[:players, :, moment] = sums[self._captains, :, self._ships_by_seat].sum(axis=0)
        for group, ship in self._alone:
            tally["by_group"][group] = by_ship[ship]
            tally["fought_times_won"][group] = beside["fought_times_won"][ship]
        tally["part_ships"] = beside["part_sum"].reshape(PARTS, QUANTITIES, SHIPS).transpose(0, 2, 1)
        tally["by_game"][:, 0] = tally["part_game"].sum(axis=0)
        for ships, wins, parts, counted in (
            ("ships_with_treasure", "wins_with_treasure", "part_treasures", "part_held"),
            ("ships_by_lane", "wins_by_lane", "part_lanes", "part_passed"),
        ):
            tally[parts][..., 0] = beside[counted]
            tally[ships], tally[wins][..., 0] = beside[counted].sum(axis=0), tally[parts][..., 1].sum(axis=0)

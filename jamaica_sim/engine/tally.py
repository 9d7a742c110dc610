"""Reduces result rows to sums: whole numbers only, so that chunks can be added in any order with the same result.

A moment is a sum and a sum of squares, from which the analysis makes means with intervals. Shared wins are exact:
a win counts WIN_UNITS, the least number that every number of winners divides. For ratios, and for differences between
runs of the same deals, the games are also summed in PARTS parts by their number, of which one can be left out.
"""

import numpy as np

from jamaica_sim.engine.bits import count, has
from jamaica_sim.engine.jit import entry, inline
from jamaica_sim.engine.state import FORKS, RESULT_DTYPE, SHIPS, SPACES, TREASURES
from jamaica_sim.rules import Rules, board
from jamaica_sim.words import MAX_ROUND_CAP, RESOURCES

WIN_UNITS = np.int64(60)
MOMENT = 2  # sum, sum of squares

# Quantities of one ship in one game, kept by ship, by seat from the first Captain and by group (strategy or ghost).
SHIP_QUANTITIES = (
    "win",  # in WIN_UNITS
    "score",
    "position_points",
    "gold",
    "treasure_points",
    "shortages",
    "gold_shortages",
    "food_shortages",
    "short",  # 1 in a game with a shortage of this ship
    "battles",
    "attacks",
    "battles_won",
    "stars",
    "powder_spent",
    "treasures_taken",
    "ended_game",  # 1 where this ship came home first
)
BATTLES, ATTACKS, BATTLES_WON = (SHIP_QUANTITIES.index(name) for name in ("battles", "attacks", "battles_won"))
# Quantities of a whole game.
GAME_QUANTITIES = (
    "rounds",
    "unfinished",
    "battles",
    "shortages",
    "short",
    "treasures_taken",
    "shared_win",
    "winner_score",
    "winner_position_points",
    "winner_gold",
    "winner_treasure_points",
    "margin",  # winner's lead over the best of the others; 0 in a shared win
    "finisher_wins",  # in WIN_UNITS: the share of the victory of the ship that ended the game
    "half_time_leader_wins",  # in WIN_UNITS: the share of the victory of those furthest along at half-time
    "lead_changes",
    "peak_gold",
    "peak_food",
    "peak_gunpowder",
    "gold_shortages",
    "food_shortages",
    "decided_battles",  # that did not end in a tie
    "powder_spent",
    "box_too_small",  # 1 where more tokens were in play at once than the box holds (C6)
    "progress",  # spaces that the players' ships are past the start, by the shortest way, all together
)
ROW_NUMBERS = RESULT_DTYPE.itemsize // 2  # the row as 16-bit numbers
MOST_SHORTAGES = 24  # and more
SCORE_LOW, SCORES = -30, 160  # the histogram of scores
MARGINS = 100
PEAKS = 256
PARTS = 64
SHORTAGE_LEVELS = 4  # none, one, two, more
BOX = Rules.bank
RED_LINE = min(number for number, space in enumerate(board()) if number and space.score > 0)
HOME, PAST_RED_LINE, BEFORE_RED_LINE = range(3)  # where a ship ends
MEMBERS = 2  # how many ships, and their wins in WIN_UNITS

TALLY = [
    ("games", "i8"),
    ("by_ship", "i8", (SHIPS, len(SHIP_QUANTITIES), MOMENT)),
    ("by_seat", "i8", (SHIPS, len(SHIP_QUANTITIES), MOMENT)),
    ("by_group", "i8", (SHIPS, len(SHIP_QUANTITIES), MOMENT)),
    ("fought_times_won", "i8", (SHIPS,)),  # by group: battles times battles won, for the error of their ratio
    ("by_game", "i8", (len(GAME_QUANTITIES), MOMENT)),
    ("row_sum", "i8", (ROW_NUMBERS,)),  # of every column of the result row that is a plain number
    ("row_square_sum", "i8", (ROW_NUMBERS,)),
    ("rounds", "i8", (MAX_ROUND_CAP + 1,)),  # histogram
    ("scores", "i8", (SHIPS, SCORES)),  # histogram by ship
    ("winner_scores", "i8", (SCORES,)),
    ("margins", "i8", (MARGINS,)),
    ("peaks", "i8", (len(RESOURCES), PEAKS)),
    ("final_spaces", "i8", (SHIPS, 3, SPACES)),  # by ship; behind the start line, on the circuit, home
    ("wins_by_final_space", "i8", (3, SPACES, MOMENT)),  # of all ships
    ("ships_by_shortages", "i8", (MOST_SHORTAGES + 1,)),  # players' ships that ran short so often
    ("wins_by_shortages", "i8", (MOST_SHORTAGES + 1, MOMENT)),
    ("ships_with_treasure", "i8", (TREASURES,)),  # players' ships that held the card at the end
    ("wins_with_treasure", "i8", (TREASURES, MOMENT)),
    ("ships_by_lane", "i8", (FORKS, 2)),  # players' ships that passed the fork by one lane only
    ("wins_by_lane", "i8", (FORKS, 2, MOMENT)),
    # The same games in parts: game k is in part k % PARTS. Ships are players' ships, except in `part_ships`.
    ("part_games", "i8", (PARTS,)),
    ("part_ships", "i8", (PARTS, SHIPS, len(SHIP_QUANTITIES))),  # by ship
    ("part_seat_wins", "i8", (PARTS, SHIPS)),
    ("part_game", "i8", (PARTS, len(GAME_QUANTITIES))),
    ("part_shortages", "i8", (PARTS, SHORTAGE_LEVELS, MEMBERS)),  # by the ship's shortages
    ("part_treasures", "i8", (PARTS, TREASURES, MEMBERS)),  # that held the card at the end
    ("part_lanes", "i8", (PARTS, FORKS, 2, MEMBERS)),  # that passed the fork by one lane only
    ("part_ends", "i8", (PARTS, 3, MEMBERS)),  # by where the ship ended
    ("part_roles", "i8", (PARTS, 2, 2)),  # ships that only attacked, only defended: their battles, battles won
    # Summed by the kernel while it plays.
    ("landed", "i8", (MOMENT, SPACES)),
    ("short", "i8", (MOMENT, SPACES)),
    ("fought", "i8", (MOMENT, SPACES)),
    ("short_in_round", "i8", (MOMENT, MAX_ROUND_CAP + 1)),
    ("fought_in_round", "i8", (MOMENT, MAX_ROUND_CAP + 1)),
    ("games_in_round", "i8", (MAX_ROUND_CAP + 1,)),
]
TALLY_DTYPE = np.dtype(TALLY, align=True)
KERNEL_SUMS = ("landed", "short", "fought", "short_in_round", "fought_in_round")


@inline
def _add(moments, value):
    moments[0] += value
    moments[1] += value * value


@inline
def _ship_values(row, ship, values):
    wins = (row.winners >> ship) & 1
    values[0] = wins * (WIN_UNITS // max(count(np.int64(row.winners)), 1))
    values[1] = row.score[ship]
    values[2] = row.position_points[ship]
    values[3] = row.gold[ship]
    values[4] = row.treasure_points[ship]
    values[5] = row.shortages[ship, 0] + row.shortages[ship, 1]
    values[6] = row.shortages[ship, 0]
    values[7] = row.shortages[ship, 1]
    values[8] = values[5] > 0
    values[9] = row.battles[ship]
    values[10] = row.attacks[ship]
    values[11] = row.battles_won[ship]
    values[12] = row.stars[ship]
    values[13] = row.powder_spent[ship]
    values[14] = row.treasures_taken[ship]
    values[15] = row.ended_by == ship


@inline
def _share(row, ships):
    """The share of the victory, in WIN_UNITS, that a set of ships has."""
    winners = np.int64(row.winners)
    return count(winners & ships) * (WIN_UNITS // count(winners))


@inline
def _game_values(row, t, values):
    winner, best_of_others = 0, -10000
    values[:] = 0
    for ship in range(t.ships):
        values[2] += row.attacks[ship]
        values[3] += row.shortages[ship, 0] + row.shortages[ship, 1]
        values[5] += row.treasures_taken[ship]
        values[18] += row.shortages[ship, 0]
        values[19] += row.shortages[ship, 1]
        values[20] += row.battles_won[ship]
        values[21] += row.powder_spent[ship]
        if has(np.int64(row.winners), ship):
            winner = ship
    for ship in range(t.ships):
        if ship != winner:
            best_of_others = max(best_of_others, row.score[ship])
    for ship in range(t.players):
        values[23] += t.circuit * (1 + row.final_lap[ship]) - t.to_finish[row.final_space[ship]]
    values[0] = row.rounds
    values[1] = 1 - row.finished
    values[4] = values[3] > 0
    values[6] = count(np.int64(row.winners)) > 1
    values[7] = row.score[winner]
    values[8] = row.position_points[winner]
    values[9] = row.gold[winner]
    values[10] = row.treasure_points[winner]
    values[11] = row.score[winner] - best_of_others
    if row.ended_by >= 0:
        values[12] = _share(row, np.int64(1) << row.ended_by)
    values[13] = _share(row, np.int64(row.half_time_leaders))
    values[14] = row.lead_changes
    for resource in range(row.peak.size):
        values[15 + resource] = row.peak[resource]
        values[22] |= row.peak[resource] > BOX[resource]


@inline
def _bin(histogram, value):
    histogram[min(max(value, 0), histogram.size - 1)] += 1


@inline
def _tally_fates(tally, row, ship, win, shortages, is_player):
    """How ships end, and how those win that ran short, hold a treasure or took a lane."""
    lap = min(max(row.final_lap[ship], -1), 1) + 1
    tally.final_spaces[ship, lap, row.final_space[ship]] += 1
    _add(tally.wins_by_final_space[lap, row.final_space[ship]], win)
    if not is_player:
        return
    shortages = min(shortages, MOST_SHORTAGES)
    tally.ships_by_shortages[shortages] += 1
    _add(tally.wins_by_shortages[shortages], win)
    for card in range(TREASURES):
        if has(np.int64(row.treasures_held[ship]), card):
            tally.ships_with_treasure[card] += 1
            _add(tally.wins_with_treasure[card], win)
    for fork in range(FORKS):
        outer, inner = row.lanes[ship, fork, 0] > 0, row.lanes[ship, fork, 1] > 0
        if outer != inner:
            lane = 0 if outer else 1
            tally.ships_by_lane[fork, lane] += 1
            _add(tally.wins_by_lane[fork, lane], win)


@inline
def _end(row, ship):
    if row.final_lap[ship] > 0:
        return HOME
    past = row.final_lap[ship] == 0 and row.final_space[ship] >= RED_LINE
    return PAST_RED_LINE if past else BEFORE_RED_LINE


@inline
def _join(members, win):
    members[0] += 1
    members[1] += win


@inline
def _tally_part(tally, part, row, ship, seat, values):
    """A player's ship among those that fared alike, in its part of the games."""
    win = values[0]
    tally.part_seat_wins[part, seat] += win
    _join(tally.part_shortages[part, min(values[5], SHORTAGE_LEVELS - 1)], win)
    _join(tally.part_ends[part, _end(row, ship)], win)
    for card in range(TREASURES):
        if has(np.int64(row.treasures_held[ship]), card):
            _join(tally.part_treasures[part, card], win)
    for fork in range(FORKS):
        outer, inner = row.lanes[ship, fork, 0] > 0, row.lanes[ship, fork, 1] > 0
        if outer != inner:
            _join(tally.part_lanes[part, fork, 0 if outer else 1], win)
    if values[BATTLES] > 0 and (values[ATTACKS] == values[BATTLES] or values[ATTACKS] == 0):
        role = 0 if values[ATTACKS] > 0 else 1
        tally.part_roles[part, role, 0] += values[BATTLES]
        tally.part_roles[part, role, 1] += values[BATTLES_WON]


def row_numbers(rows):
    """Result rows as 16-bit numbers, a row each."""
    return rows.view(np.int16).reshape(rows.size, ROW_NUMBERS)


@entry
def tally_rows(rows, numbers, tables, groups, tallies):
    """Add result rows to a tally. `numbers` is the same rows as 16-bit numbers; `groups` has each ship's group."""
    tally = tallies[0]
    t = tables[0]
    ship_values = np.zeros(len(SHIP_QUANTITIES), np.int64)
    game_values = np.zeros(len(GAME_QUANTITIES), np.int64)
    group_values = np.zeros((SHIPS, len(SHIP_QUANTITIES)), np.int64)
    for i in range(rows.size):
        row = rows[i]
        tally.games += 1
        part = row.game % PARTS
        tally.part_games[part] += 1
        for column in range(ROW_NUMBERS):
            number = np.int64(numbers[i, column])
            tally.row_sum[column] += number
            tally.row_square_sum[column] += number * number
        group_values[:] = 0
        for ship in range(t.ships):
            _ship_values(row, ship, ship_values)
            is_player = ship != t.ghost
            seat = ship - row.first_captain
            if seat < 0:
                seat += t.players
            for quantity in range(ship_values.size):
                _add(tally.by_ship[ship, quantity], ship_values[quantity])
                if is_player:
                    _add(tally.by_seat[seat, quantity], ship_values[quantity])
                group_values[groups[ship], quantity] += ship_values[quantity]
                tally.part_ships[part, ship, quantity] += ship_values[quantity]
            if is_player:
                _tally_part(tally, part, row, ship, seat, ship_values)
            _bin(tally.scores[ship], ship_values[1] - SCORE_LOW)
            _tally_fates(tally, row, ship, ship_values[0], ship_values[5], is_player)
        for group in range(SHIPS):
            tally.fought_times_won[group] += group_values[group, BATTLES] * group_values[group, BATTLES_WON]
            for quantity in range(ship_values.size):
                _add(tally.by_group[group, quantity], group_values[group, quantity])
        _game_values(row, t, game_values)
        for quantity in range(game_values.size):
            _add(tally.by_game[quantity], game_values[quantity])
            tally.part_game[part, quantity] += game_values[quantity]
        _bin(tally.rounds, row.rounds)
        _bin(tally.winner_scores, game_values[7] - SCORE_LOW)
        _bin(tally.margins, game_values[11])
        for resource in range(row.peak.size):
            _bin(tally.peaks[resource], row.peak[resource])

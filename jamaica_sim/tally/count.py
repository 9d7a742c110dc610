"""Reduces result rows to sums: whole numbers only, so that chunks can be added in any order with the same result.

A moment is a sum and a sum of squares, from which the analysis makes means with intervals. Shared wins are exact:
a win counts WIN_UNITS, the least number that every number of winners divides. For ratios, and for differences between
runs of the same deals, the games are also summed in PARTS parts by their number, of which one can be left out.
"""

import numpy as np

from jamaica_sim.codes import MAX_ROUND_CAP, RESOURCES
from jamaica_sim.components import board
from jamaica_sim.engine.machine.bits import count, has, lowest
from jamaica_sim.engine.machine.branch_hints import flat
from jamaica_sim.engine.machine.jit import entry, inline
from jamaica_sim.engine.state import FORKS, RESULT_DTYPE, SHIPS, SPACES, TREASURES
from jamaica_sim.rules import Rules

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
SHORTAGES, GOLD_SHORTAGES, FOOD_SHORTAGES, BATTLES, ATTACKS, BATTLES_WON, POWDER_SPENT, TREASURES_TAKEN = (
    SHIP_QUANTITIES.index(name)
    for name in (
        "shortages",
        "gold_shortages",
        "food_shortages",
        "battles",
        "attacks",
        "battles_won",
        "powder_spent",
        "treasures_taken",
    )
)
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


# What is summed in another order than a tally has it: all ships or all cards side by side, so that the processor adds
# several at once.
QUANTITIES = len(SHIP_QUANTITIES)
SIDE_BY_SIDE = [
    ("captain_sum", "i8", (SHIPS, QUANTITIES, SHIPS)),  # by first Captain
    ("captain_square_sum", "i8", (SHIPS, QUANTITIES, SHIPS)),
    ("part_sum", "i8", (PARTS, QUANTITIES, SHIPS)),
    ("fought_times_won", "i8", (SHIPS,)),  # by ship
    ("part_held", "i8", (PARTS, TREASURES)),  # players' ships that held the card at the end
    ("part_passed", "i8", (PARTS, FORKS, 2)),  # that passed the fork by one lane only
]
SIDE_BY_SIDE_DTYPE = np.dtype(SIDE_BY_SIDE, align=True)


@inline
def _add(moments, value):
    moments[0] += value
    moments[1] += value * value


@inline
def _ship_values(row, values):
    """All quantities of all ships; the row of a ship that is not there is 0."""
    winners = np.int64(row.winners)
    share = WIN_UNITS // max(count(winners), 1)
    for ship in range(SHIPS):
        values[0, ship] = (winners >> ship & 1) * share
        values[1, ship] = row.score[ship]
        values[2, ship] = row.position_points[ship]
        values[3, ship] = row.gold[ship]
        values[4, ship] = row.treasure_points[ship]
        values[5, ship] = row.shortages[ship, 0] + row.shortages[ship, 1]
        values[6, ship] = row.shortages[ship, 0]
        values[7, ship] = row.shortages[ship, 1]
        values[8, ship] = values[5, ship] > 0
        values[9, ship] = row.battles[ship]
        values[10, ship] = row.attacks[ship]
        values[11, ship] = row.battles_won[ship]
        values[12, ship] = row.stars[ship]
        values[13, ship] = row.powder_spent[ship]
        values[14, ship] = row.treasures_taken[ship]
        values[15, ship] = row.ended_by == ship


@inline
def _share(row, ships):
    """The share of the victory, in WIN_UNITS, that a set of ships has."""
    winners = np.int64(row.winners)
    return count(winners & ships) * (WIN_UNITS // count(winners))


@inline
def _together(values, quantity):
    """A quantity of all ships together."""
    total = np.int64(0)
    for ship in range(SHIPS):
        total += values[quantity, ship]
    return total


@inline
def _of_group(values, quantity, members):
    """A quantity of all members of a group together."""
    total = np.int64(0)
    for ship in range(SHIPS):
        total += members[ship] * values[quantity, ship]
    return total


@inline
def _game_values(row, r, ship_values, values):
    winner, best_of_others = 0, -10000
    for ship in range(r.ships):
        if has(np.int64(row.winners), ship):
            winner = ship
    for ship in range(r.ships):
        if ship != winner:
            best_of_others = max(best_of_others, row.score[ship])
    progress = np.int64(0)
    for ship in range(r.players):
        progress += r.circuit * (1 + row.final_lap[ship]) - r.to_finish[row.final_space[ship]]
    values[0] = row.rounds
    values[1] = 1 - row.finished
    values[2] = _together(ship_values, ATTACKS)
    values[3] = _together(ship_values, SHORTAGES)
    values[4] = values[3] > 0
    values[5] = _together(ship_values, TREASURES_TAKEN)
    values[6] = count(np.int64(row.winners)) > 1
    values[7] = row.score[winner]
    values[8] = row.position_points[winner]
    values[9] = row.gold[winner]
    values[10] = row.treasure_points[winner]
    values[11] = row.score[winner] - best_of_others
    values[12] = _share(row, np.int64(1) << row.ended_by) if row.ended_by >= 0 else 0
    values[13] = _share(row, np.int64(row.half_time_leaders))
    values[14] = row.lead_changes
    values[18] = _together(ship_values, GOLD_SHORTAGES)
    values[19] = _together(ship_values, FOOD_SHORTAGES)
    values[20] = _together(ship_values, BATTLES_WON)
    values[21] = _together(ship_values, POWDER_SPENT)
    values[22] = 0
    for resource in range(row.peak.size):
        values[15 + resource] = row.peak[resource]
        values[22] |= row.peak[resource] > BOX[resource]
    values[23] = progress


@inline
def _bin(histogram, value):
    histogram[min(max(value, 0), histogram.size - 1)] += 1


@inline
def _lap(row, ship):
    """Behind the start line, on the circuit or home: 0, 1 or 2."""
    return min(max(row.final_lap[ship], -1), 1) + 1


@inline
def _end(row, ship):
    if row.final_lap[ship] > 0:
        return HOME
    past = row.final_lap[ship] == 0 and row.final_space[ship] >= RED_LINE
    return PAST_RED_LINE if past else BEFORE_RED_LINE


@inline
def _only_lane(row, ship, fork, lane):
    """1 where the ship passed the fork, and by this lane only."""
    return np.int64(row.lanes[ship, fork, lane] > 0) & np.int64(row.lanes[ship, fork, 1 - lane] == 0)


@inline
def _tally_ships(tally, beside, part, row, values, players):
    """What players' ships hold, which lanes they took, and how they fought that only attacked or were only attacked."""
    for ship in range(SHIPS):
        beside.fought_times_won[ship] += values[BATTLES, ship] * values[BATTLES_WON, ship]
    held, passed = beside.part_held[part], beside.part_passed[part]
    for ship in range(players):
        cards = np.int64(row.treasures_held[ship])
        for card in range(TREASURES):
            held[card] += cards >> card & 1
        for fork in range(FORKS):
            passed[fork, 0] += _only_lane(row, ship, fork, 0)
            passed[fork, 1] += _only_lane(row, ship, fork, 1)
        battles, attacks, won = values[BATTLES, ship], values[ATTACKS, ship], values[BATTLES_WON, ship]
        tally.part_roles[part, 0, 0] += (attacks == battles) * battles
        tally.part_roles[part, 0, 1] += (attacks == battles) * won
        tally.part_roles[part, 1, 0] += (attacks == 0) * battles
        tally.part_roles[part, 1, 1] += (attacks == 0) * won


@inline
def _tally_ship(tally, part, row, ship, shortages, is_player):
    """Where a ship ended and, of a player, how often it ran short."""
    tally.final_spaces[ship, _lap(row, ship), row.final_space[ship]] += 1
    if is_player:
        tally.ships_by_shortages[min(shortages, MOST_SHORTAGES)] += 1
        tally.part_shortages[part, min(shortages, SHORTAGE_LEVELS - 1), 0] += 1
        tally.part_ends[part, _end(row, ship), 0] += 1


@inline
def _tally_winner(tally, part, row, ship, seat, win, shortages, is_player):
    """The same, what it held and which lanes it took, for a ship that won: the others' wins are 0."""
    _add(tally.wins_by_final_space[_lap(row, ship), row.final_space[ship]], win)
    if not is_player:
        return
    tally.part_seat_wins[part, seat] += win
    _add(tally.wins_by_shortages[min(shortages, MOST_SHORTAGES)], win)
    tally.part_shortages[part, min(shortages, SHORTAGE_LEVELS - 1), 1] += win
    tally.part_ends[part, _end(row, ship), 1] += win
    for card in range(TREASURES):
        held = np.int64(row.treasures_held[ship]) >> card & 1
        tally.wins_with_treasure[card, 1] += held * win * win
        tally.part_treasures[part, card, 1] += held * win
    for fork in range(FORKS):
        for lane in range(2):
            only = _only_lane(row, ship, fork, lane)
            tally.wins_by_lane[fork, lane, 1] += only * win * win
            tally.part_lanes[part, fork, lane, 1] += only * win


@inline
def _sum_columns(numbers, tally):
    """Every column of the rows, four rows at a time: then half of the work is not loading and storing sums."""
    sums, square_sums = np.zeros(ROW_NUMBERS, np.int64), np.zeros(ROW_NUMBERS, np.int64)
    fours = numbers.shape[0] & ~3
    for i in range(0, fours, 4):
        one, two, three, four = numbers[i], numbers[i + 1], numbers[i + 2], numbers[i + 3]
        for column in range(ROW_NUMBERS):
            a, b, c, d = np.int64(one[column]), np.int64(two[column]), np.int64(three[column]), np.int64(four[column])
            sums[column] += a + b + c + d
            square_sums[column] += a * a + b * b + c * c + d * d
    for i in range(fours, numbers.shape[0]):
        for column in range(ROW_NUMBERS):
            a = np.int64(numbers[i, column])
            sums[column] += a
            square_sums[column] += a * a
    for column in range(ROW_NUMBERS):
        tally.row_sum[column] += sums[column]
        tally.row_square_sum[column] += square_sums[column]


@inline
def _sum_row(row, r, members, tally, beside, values, all_values, game_values):
    """Everything else of one row."""
    part, captain = row.game % PARTS, row.first_captain
    tally.part_games[part] += 1
    _ship_values(row, values)
    captain_sum = flat(beside.captain_sum[captain])
    captain_square_sum = flat(beside.captain_square_sum[captain])
    part_sum = flat(beside.part_sum[part])
    for number in range(QUANTITIES * SHIPS):
        value = np.int64(all_values[number])
        captain_sum[number] += value
        captain_square_sum[number] += value * value
        part_sum[number] += value
    for group in range(SHIPS):
        if members[group, 0] < 0:
            continue
        group_members = members[group]
        for quantity in range(QUANTITIES):
            _add(tally.by_group[group, quantity], _of_group(values, quantity, group_members))
        fought, won = _of_group(values, BATTLES, group_members), _of_group(values, BATTLES_WON, group_members)
        tally.fought_times_won[group] += fought * won
    _tally_ships(tally, beside, part, row, values, r.players)
    for ship in range(r.ships):
        _bin(tally.scores[ship], row.score[ship] - SCORE_LOW)
        _tally_ship(tally, part, row, ship, values[SHORTAGES, ship], ship != r.ghost)
    winners = np.int64(row.winners)
    while winners != 0:
        ship = lowest(winners)
        winners &= winners - 1
        seat = ship - captain
        if seat < 0:
            seat += r.players
        _tally_winner(tally, part, row, ship, seat, values[0, ship], values[SHORTAGES, ship], ship != r.ghost)
    _game_values(row, r, values, game_values)
    for quantity in range(game_values.size):
        tally.by_game[quantity, 1] += game_values[quantity] * game_values[quantity]
        tally.part_game[part, quantity] += game_values[quantity]
    _bin(tally.rounds, row.rounds)
    _bin(tally.winner_scores, game_values[7] - SCORE_LOW)
    _bin(tally.margins, game_values[11])
    for resource in range(row.peak.size):
        _bin(tally.peaks[resource], row.peak[resource])


@entry
def sum_rows(rows, numbers, rulebooks, members, tallies, besides):
    """Add result rows up: what is left to `Tallier` is what follows from these sums.

    `numbers` is the same rows as 16-bit numbers; `members` has 1 for each ship of a group of several and 0 for others,
    and -1 throughout for a group of one ship or none.
    """
    tally = tallies[0]
    beside = besides[0]
    r = rulebooks[0]
    values = np.zeros((QUANTITIES, SHIPS), np.int32)
    all_values = values.reshape(QUANTITIES * SHIPS)
    game_values = np.zeros(len(GAME_QUANTITIES), np.int64)
    _sum_columns(numbers, tally)
    for i in range(rows.size):
        _sum_row(rows[i], r, members, tally, beside, values, all_values, game_values)


class Tallier:
    """Makes tallies of result rows of games at one table; `groups` has each ship's group."""

    def __init__(self, rulebooks, groups):
        self._rulebooks = rulebooks
        self._beside = np.zeros(1, SIDE_BY_SIDE_DTYPE)
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

    def tally(self, rows) -> np.ndarray:
        """The tally of some rows."""
        tally, beside = np.zeros(1, TALLY_DTYPE), self._beside
        beside.view(np.int64).fill(0)
        numbers = rows.view(np.int16).reshape(rows.size, ROW_NUMBERS)
        sum_rows(rows, numbers, self._rulebooks, self._members, tally, beside)
        self._sum_up(tally[0], beside[0])
        return tally

    def _sum_up(self, tally, beside):
        """What follows from the sums by part of the games and by first Captain."""
        players = len(self._captains)
        tally["games"] = tally["part_games"].sum()
        by_ship, by_seat = tally["by_ship"], tally["by_seat"]
        for moment, name in enumerate(("captain_sum", "captain_square_sum")):
            sums = beside[name]
            by_ship[..., moment] = sums.sum(axis=0).T
            by_seat[:players, :, moment] = sums[self._captains, :, self._ships_by_seat].sum(axis=0)
        for group, ship in self._alone:
            tally["by_group"][group] = by_ship[ship]
            tally["fought_times_won"][group] = beside["fought_times_won"][ship]
        tally["part_ships"] = beside["part_sum"].transpose(0, 2, 1)
        tally["by_game"][:, 0] = tally["part_game"].sum(axis=0)
        for ships, wins, parts, counted in (
            ("ships_with_treasure", "wins_with_treasure", "part_treasures", "part_held"),
            ("ships_by_lane", "wins_by_lane", "part_lanes", "part_passed"),
        ):
            tally[parts][..., 0] = beside[counted]
            tally[ships], tally[wins][..., 0] = beside[counted].sum(axis=0), tally[parts][..., 1].sum(axis=0)

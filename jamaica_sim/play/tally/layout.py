"""Names and record types of a tally: what is counted, by ship, by game and for groups of ships.

Everything is a whole number, so chunks can be added in any order with the same result. A moment is a sum and a sum of
squares, from which means with intervals are made. Shared wins are exact: a win counts WIN_UNITS, which every possible
number of winners divides. For ratios, and for differences between runs of the same deals, the games are also summed
in PARTS parts by their number. The jackknife leaves out one part at a time.

A quantity is defined by its name alone: the jitted code writes it as a field of a record. To add one, name it here and
set it in `count.py`.
"""

from functools import cache

import numpy as np

from jamaica_sim.engine.state import FORKS, RESULT_DTYPE, TREASURES
from jamaica_sim.engine.view import SHIPS, SPACES
from jamaica_sim.game import codes
from jamaica_sim.game.codes import MAX_ROUND_CAP, RESOURCES
from jamaica_sim.game.components import treasures
from jamaica_sim.game.rules import Rules

WIN_UNITS = np.int64(codes.WIN_UNITS)  # typed for the jitted code
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
    "attacks_won",
    "defences_won",
    "stars",
    "powder_spent",
    "treasures_taken",
    "ended_game",  # 1 where this ship came home first
)
# Quantities of a whole game; names that end in `_wins` are in WIN_UNITS.
GAME_QUANTITIES = (
    "rounds",
    "unfinished",
    "battles",
    "decided_battles",  # battles that did not end in a tie
    "attacks_won",  # battles that the attacker won
    "defences_won",  # battles that the defender won
    "drawn_battles",  # battles that nobody won
    "loot_gold",  # battles whose winner took a hold with doubloons
    "loot_food",
    "loot_gunpowder",
    "loot_power",  # a face-up power
    "loot_hidden",  # a face-down card
    "loot_give",  # gave a card away
    "loot_nothing",
    "powder_spent",
    "shortages",
    "gold_shortages",
    "food_shortages",
    "shortages_ahead",  # in rounds that the ship began ahead of the mean of the other ships
    "shortages_behind",  # in rounds that the ship began behind that mean
    "short",  # 1 in a game with a shortage
    "treasures_taken",
    "shared_win",
    "winner_score",
    "winner_position_points",
    "winner_gold",
    "winner_treasure_points",
    "margin",  # winner's lead over the best of the others; 0 in a shared win
    "finisher_wins",  # the share of the victory of the ship that ended the game
    "half_time_leaders",  # how many ships were furthest along at half-time
    "half_time_leader_wins",  # the leaders' share of the victory, all together
    "sole_half_time_leader",  # 1 where there was exactly one leader
    "sole_half_time_leader_wins",  # the sole leader's share of the victory
    "half_time_last",  # how many players' ships were furthest behind at half-time
    "half_time_last_wins",  # the last ships' share of the victory, all together
    "lead_changes",
    "peak_gold",
    "peak_food",
    "peak_gunpowder",
    "box_too_small",  # 1 where more goods were in play at once than the box holds (C6)
    "progress",  # spaces sailed since the start, by the shortest way, summed over the players' ships
    "progress_times_rounds",  # for the error of the ratio of progress to rounds
)
QUANTITIES = len(SHIP_QUANTITIES)
# The quantities of one game, for all ships side by side.
SHIP_VALUES_DTYPE = np.dtype([(name, "i4", (SHIPS,)) for name in SHIP_QUANTITIES])
GAME_VALUES_DTYPE = np.dtype([(name, "i8") for name in GAME_QUANTITIES])

ROW_NUMBERS = RESULT_DTYPE.itemsize // 2  # the row as 16-bit numbers
MOST_SHORTAGES = 24  # the last bin counts this many or more
SCORE_LOW, SCORES = -30, 160  # the histogram of scores: lowest score, number of bins
MARGINS = 100
PEAKS = 256
PARTS = 64
SHORTAGE_LEVELS = 4  # none, one, two, more
BOX = Rules.bank
HOME, PAST_RED_LINE, BEFORE_RED_LINE = range(3)  # where a ship ends
MEMBERS = 2  # how many ships, and their wins in WIN_UNITS
DRAWERS = 3  # how many ships, their wins in WIN_UNITS, their points

TREASURE_NAMES = tuple(dict.fromkeys(card.name for card in treasures()))  # cards of the same name are copies

TALLY = [
    ("games", "i8"),
    ("by_ship", "i8", (SHIPS, QUANTITIES, MOMENT)),
    ("by_seat", "i8", (SHIPS, QUANTITIES, MOMENT)),
    ("by_group", "i8", (SHIPS, QUANTITIES, MOMENT)),
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
    ("ships_by_shortages", "i8", (MOST_SHORTAGES + 1,)),  # players' ships by how often they ran short
    ("wins_by_shortages", "i8", (MOST_SHORTAGES + 1, MOMENT)),
    ("ships_with_treasure", "i8", (TREASURES,)),  # players' ships that held the card at the end
    ("wins_with_treasure", "i8", (TREASURES, MOMENT)),
    ("ships_by_lane", "i8", (FORKS, 2)),  # players' ships that passed the fork by one lane only
    ("wins_by_lane", "i8", (FORKS, 2, MOMENT)),
    # The same games in parts: game k is in part k % PARTS. Only players' ships are counted, except in `part_ships`.
    ("part_games", "i8", (PARTS,)),
    ("part_ships", "i8", (PARTS, SHIPS, QUANTITIES)),  # by ship
    ("part_seat_wins", "i8", (PARTS, SHIPS)),
    ("part_game", "i8", (PARTS, len(GAME_QUANTITIES))),
    ("part_shortages", "i8", (PARTS, SHORTAGE_LEVELS, MEMBERS)),  # by the ship's shortages
    ("part_treasures", "i8", (PARTS, TREASURES, MEMBERS)),  # ships that held the card at the end
    ("part_holders", "i8", (PARTS, len(TREASURE_NAMES), MEMBERS)),  # ships that held at least one copy at the end
    ("part_drawn", "i8", (PARTS, TREASURES, DRAWERS)),  # ships that drew the card from a lair
    ("part_lanes", "i8", (PARTS, FORKS, 2, MEMBERS)),  # ships that passed the fork by one lane only
    ("part_ends", "i8", (PARTS, 3, MEMBERS)),  # by where the ship ended
    # Summed by the kernel while it plays.
    ("landed", "i8", (MOMENT, SPACES)),
    ("short", "i8", (MOMENT, SPACES)),
    ("fought", "i8", (MOMENT, SPACES)),
    ("short_in_round", "i8", (MOMENT, MAX_ROUND_CAP + 1)),
    ("fought_in_round", "i8", (MOMENT, MAX_ROUND_CAP + 1)),
    ("games_in_round", "i8", (MAX_ROUND_CAP + 1,)),
]
TALLY_DTYPE = np.dtype(TALLY, align=True)
OWN = 3  # of a measure of one's own: games with a value, whole units of the values, fractions of a unit
FRACTIONS = 2**22  # of a unit


@cache
def tally_dtype(measures: int) -> np.dtype[np.void]:
    """The record of a tally with so many measures of one's own."""
    own = [("own", "i8", (measures, PARTS, OWN))] if measures else []
    return np.dtype([*TALLY, *own], align=True)


KERNEL_SUMS = ("landed", "short", "fought", "short_in_round", "fought_in_round")

# Sums in another order than in a tally: all ships or all cards side by side, so that the processor adds several at
# once.
SIDE_BY_SIDE = [
    ("captain_sum", "i8", (SHIPS, QUANTITIES * SHIPS)),  # by first Captain
    ("captain_square_sum", "i8", (SHIPS, QUANTITIES * SHIPS)),
    ("part_sum", "i8", (PARTS, QUANTITIES * SHIPS)),
    ("fought_times_won", "i8", (SHIPS,)),  # by ship
    ("part_held", "i8", (PARTS, TREASURES)),  # players' ships that held the card at the end
    ("part_passed", "i8", (PARTS, FORKS, 2)),  # players' ships that passed the fork by one lane only
]
SIDE_BY_SIDE_DTYPE = np.dtype(SIDE_BY_SIDE, align=True)

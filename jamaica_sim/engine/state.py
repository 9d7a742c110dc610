"""Every array of the game, field by field: the rulebook, the hidden part of the state, the result row.

The part of the state that a player may see is its head, in `view.py`.

One structured record holds a game in flight; its fields are small arrays over ships, holds and cards. It stays in the
first-level cache, which is nine times faster than separate arrays over games. A set is an int64 with a bit for each
member.
"""

from collections.abc import Iterable
from typing import Annotated, Any

import numpy as np

from jamaica_sim.engine.machine import random as rng
from jamaica_sim.engine.machine.memory import Fields, Floats, Numbers, fields_of
from jamaica_sim.engine.view import DICE, SHIPS, SPACES, VIEW_DTYPE, View
from jamaica_sim.files.limits import LUCK_SOURCES
from jamaica_sim.game.codes import (
    CHOSEN,
    DECISIONS,
    HOLDS,
    LOOT_KINDS,
    MAX_COST,
    MAX_FACE,
    MAX_ROUND_CAP,
    MAX_SPACES,
    MOMENTS_THAT_ACT,
    MOST_PARAMETERS,
    RESOURCES,
    SPACE_KINDS,
)
from jamaica_sim.game.components import MOST_CARDS, MOST_FACES, treasures
from jamaica_sim.game.components.course import MOST_FORKS

CARDS, TREASURES = MOST_CARDS, len(treasures())
FACES, FORKS = MOST_FACES, MOST_FORKS
SYMBOL_COUNTS = 2 * CARDS + 1  # numbers of equal symbols that a hand can show
MOST_STOCK = HOLDS * MAX_FACE  # of one resource on one ship
ACTIONS_FORESEEN = 4  # loads that looking ahead may add to a ship's stock
MOST_FORESEEN = MOST_STOCK + ACTIONS_FORESEEN * MAX_FACE
WIDTH = 8  # numbers of 16 bits that are compared at once
LANE_COUNTS = 8  # two lanes of each fork, and moves without a choice of lanes
assert SHIPS <= WIDTH and 2 * FORKS < LANE_COUNTS
ACTION_BITS = 3
TRACE_ROWS, TRACE_COLUMNS = 1 << 17, 10
TRACE_FULL = 1 << 14  # events after which a chunk of games ends, so that its trace can be read
CHOICE_ROWS = 1 << 16  # choices that are noted with a trace
LUCK_ROWS = 1 << 15  # draws of one game whose sources are kept
HALF = TREASURES // 2
ODDS_REACH = 40  # advantages in gunpowder beyond this make no difference

# An arrival in one number of 32 bits, small because there are many. The doubloons and food paid have four bits each,
# in the same positions as in a cargo (`heuristic/cargo.py`). Between them is the space where the ship ends up, above
# them the number of its fall, 0 if it does not run short. The number is negative where it does not tell everything: for
# a retreat behind the start line, and for one whose best end depends on the treasures there.
GOODS_BITS = 16
PAID, END_AT, END, FALL_AT, FALL = np.int64(0xF000F), np.int64(4), np.int64(0x3F), np.int64(20), np.int64(0x7F)
NOT_TOLD = np.int64(-1 << 31)
FALLS = 128  # numbers of falls. Where a ship retreats, the number is NO_STEPS + steps; where the die decides, 1 + space
NO_STEPS = 64
assert MAX_SPACES <= NO_STEPS  # so that every fall has a number

# A passage in one number. The lower bits are the first end that the outer lane does not reach, the upper bits are the
# number of the outer lane. The inner lane has the next number. NO_PASSAGE stands for a move without a choice of lanes.
PASSAGE_END, PASSAGE_LANE = 0xFF, 8
NO_PASSAGE = PASSAGE_END | 7 << PASSAGE_LANE


class Rulebook:
    """The rules in force and the components: written once for a run, read by everybody."""

    players: int  # how many people play
    ships: int  # players and the ghost
    left: Annotated[Numbers, SHIPS]  # the next player clockwise
    ghost: int  # the ghost's ship number, -1 without it
    # What each ship begins with. Ships differ only in games with a handicap (`causes/handicap.py`), or by their seat.
    no_cargo: Annotated[Numbers, SHIPS]  # the word of its ordinary holds, all empty (`machine/hold_word.py`)
    start_gold: Annotated[Numbers, SHIPS]
    start_food: Annotated[Numbers, SHIPS]
    start_gunpowder: Annotated[Numbers, SHIPS]
    seat_goods: Annotated[Numbers, SHIPS, len(RESOURCES)]  # what a seat has on top, the first Captain's first
    all_cards: Annotated[Numbers, SHIPS]  # set: its deck
    forgiven: Annotated[Numbers, SHIPS]  # number of the shortage that does not send it back; 0: none
    ghost_gold: Annotated[Numbers, 2]  # what the ghost begins with, by hold
    hand_size: int  # cards in hand
    hand_with_map: int  # cards in hand with Morgan's Map
    treasure_pile: int  # how many cards form the pile
    treasures_in_game: int  # set of the cards that the pile is made from
    die_faces: int  # how many faces an action die has
    die_face: Annotated[Numbers, 12]  # what each face shows
    lady_beth_bonus: int  # what Lady Beth adds
    start_score: int  # points before the circuit
    shortage_by_die: int  # H3 instead of H2
    round_cap: int  # after how many rounds a game is stopped
    limited_bank: int  # 1 where the bank has a limit
    steal_known: int  # B8: a known face-down card may be taken by choice
    give_any_treasure: int  # B8: any own card may be given to a player
    free_split: int  # P1: a cost may be split at will
    ghost_takes_cursed_only: int  # G7
    early_reshuffle: int  # T4
    spaces: int  # on this board; the arrays over spaces have room for the largest board
    most_cost: int  # the highest cost of any space
    red_line: int  # the first space that counts points
    combat_faces: int  # how many faces the combat die has
    bank: Annotated[Numbers, len(RESOURCES)]  # goods in the box; a very large number where the bank is unlimited
    cost: Annotated[Numbers, SPACES]  # how much a space costs
    currency: Annotated[Numbers, SPACES]  # the resource that the cost is paid in
    score: Annotated[Numbers, SPACES]  # its printed points
    to_finish: Annotated[Numbers, SPACES]  # fewest steps to Port Royal
    circuit: int  # the same for a whole lap
    forward_finish: Annotated[Numbers, SPACES, MAX_FACE + 1]  # sets of ends on the circuit; stops at Port Royal (M4)
    forward_pass: Annotated[Numbers, SPACES, MAX_FACE + 1]  # the same behind the start line; passes Port Royal (M3)
    backward: Annotated[Numbers, SPACES, MAX_FACE + 1]  # sets of ends of a move backward
    previous: Annotated[Numbers, SPACES]  # set of the spaces one step back
    lairs: int  # set of spaces
    free_spaces: int  # set of the spaces without a cost
    payable_port: Annotated[Numbers, MOST_FORESEEN + 1]  # by doubloons: set of the ports that a ship can pay
    payable_sea: Annotated[Numbers, MOST_FORESEEN + 1]  # by food
    nearest_behind: Annotated[Numbers, len(SPACE_KINDS), SPACES]  # H3
    fork_crossed: Annotated[Numbers, SPACES, MAX_FACE + 1]  # -1: none
    outer_ends: Annotated[Numbers, SPACES, MAX_FACE + 1]  # set of the ends of a move that takes the outer lane
    card_actions: Annotated[Numbers, CARDS]  # both symbols in one number, morning's in the lower ACTION_BITS
    treasure_value: Annotated[Numbers, TREASURES]  # points, negative for cursed ones
    power_cards: int  # set
    cursed_cards: int  # set
    morgans_map: int  # sets of the cards of this name, in the box one
    sarans_sabre: int
    lady_beth: int  # a ship has it: `view.powers[ship] & rules.lady_beth != 0`
    sixth_hold: int
    copies: Annotated[Numbers, TREASURES]  # sets of the cards of each name of the box, in its order
    # `forward_finish`, `forward_pass` and `backward` in one array. The die comes before the space, so that rows of
    # numbers that the usual dice never show stay out of the processor's cache.
    ends: Annotated[Numbers, 3, MAX_FACE + 1, SPACES]
    passages: Annotated[Numbers, "i2", 3, MAX_FACE + 1, SPACES]  # the lane that such a move takes, see above
    first_payable: Annotated[Numbers, MAX_COST + 1, MAX_COST + 1, SPACES]  # H2, by doubloons and food up to `most_cost`
    die_strength: Annotated[Numbers, FACES]  # combat die; STAR for a star
    die_retreat: Annotated[Numbers, FACES]  # the kind of space it sends a ship back to, STAYS for a star
    # What luck is worth, see `luck.py`.
    treasure_worth: Annotated[Numbers, TREASURES]  # in points
    worth_of_half: Annotated[Numbers, "i2", 2, 1 << HALF]  # of a set of cards: by half of the treasures, and the set
    fortune_share: Annotated[Numbers, "i2", TREASURES + 1]  # the fortune of one point, divided by the size of a set
    battle_fortune: Annotated[
        Numbers, "i2", 2, 2 * ODDS_REACH + 1, FACES
    ]  # attack, defence, by advantage; all faces sum to 0
    fall_fortune: Annotated[Numbers, "i2", SPACES, FACES]  # likewise
    # For strategies only: the engine does not read these.
    hold_slots: int  # set of the ordinary holds
    card_symbol: Annotated[Numbers, CARDS, 2]  # morning and evening
    space_kind: Annotated[Numbers, SPACES]  # PORT_ROYAL, SEA, PORT or LAIR
    reached_from: Annotated[Numbers, SPACES]  # set of the spaces from which one die forward can end here
    ahead: Annotated[Numbers, SPACES]  # set of the spaces that one die forward can end on
    ahead_share: Annotated[Floats, SPACES]  # 1 / the number of these spaces
    far: Annotated[Floats, SPACES]  # steps from the start by the shortest way
    points: Annotated[Floats, SPACES]  # printed score on the circuit, where Port Royal is the start
    die_face_later: Annotated[Numbers, 12]  # the second die of a throw that is foreseen; `die_face` has the first
    forward_symbols: Annotated[Numbers, CARDS]  # how many of them a card shows
    load_symbols: Annotated[Numbers, CARDS]
    hand_symbols: Annotated[Numbers, "i2", 1 << CARDS]  # by hand: SYMBOL_COUNTS times its forward, and its load symbols
    outer_lanes: int  # set of the spaces in the long lanes
    expected_fall: Annotated[Floats, SPACES]  # steps that a shortage costs on average where it rolls the die (H3)
    # What the end of a move brings, by a ship's doubloons and food, each at most MAX_COST: see above.
    # The index is `gold_row[doubloons]` + `food_row[food]` + space.
    arrivals: Annotated[Numbers, "i4", (MAX_COST + 1) * (MAX_COST + 1) * SPACES]
    # Likewise: SPACES + 1 times the number of spaces ahead, plus how many of them it could not pay.
    risk_number: Annotated[Numbers, "i2", (MAX_COST + 1) * (MAX_COST + 1) * SPACES]
    fall_steps: Annotated[Floats, FALLS]  # the steps that a fall costs, by its number in an arrival
    gold_row: Annotated[Numbers, MOST_FORESEEN + 1]  # see `arrivals`
    food_row: Annotated[Numbers, MOST_FORESEEN + 1]  # see `arrivals`
    attacked_from: Annotated[Numbers, SPACES]  # `reached_from`; empty for Port Royal, where nobody fights (B1)
    attack_prize: Annotated[Floats, MOST_FORESEEN + 1]  # what an attacker may take, by the defender's doubloons
    usual_attack: Annotated[Floats, MOST_FORESEEN + 1]  # chance of a usual attack, by the defender's gunpowder
    attack_odds: Annotated[Floats, 2 * ODDS_REACH + 1]  # chance that the attacker wins, by [ODDS_REACH + its advantage]
    defence_odds: Annotated[Floats, 2 * ODDS_REACH + 1]  # chance that the defender wins, likewise
    odds_over: Annotated[Floats, ODDS_REACH + 1]  # chance to roll more than a number, or a star
    odds_equal: Annotated[Floats, ODDS_REACH + 1]  # chance to roll just that number
    mean_treasure: float  # points of an average face-down card
    # House rules; all zero without them (`house_rules.py`).
    engine: Annotated[Numbers, 2]  # addresses of the engine that knows the moments: without and with a trace
    moments: Annotated[Numbers, CHOSEN + len(MOMENTS_THAT_ACT)]  # addresses of the file's functions
    parameters: Annotated[Numbers, MOST_PARAMETERS]  # the file's own numbers
    printed: int  # 1 until the code of house rules is in force; see HOUSE_RULES_DTYPE


STAR, NO_FACE = np.int64(-1), np.int64(0)
NONE = np.int64(-1)  # no ship, no space, no card

# Fields that nobody, or only their owner, may see, and fields that the engine keeps for itself.
HIDDEN: Fields = [
    ("key", "u8", (rng.KEYS,)),
    ("hands", "i8", (SHIPS,)),  # sets of cards
    ("deck", "i8", (SHIPS,)),
    ("chosen", "i8", (SHIPS,)),  # the card chosen in this round
    ("hidden", "i8", (SHIPS,)),  # sets: the face-down treasures of each ship
    ("knows", "i8", (SHIPS, SHIPS)),  # sets: [observer, owner], the owner's face-down cards that the observer knows
    ("treasures_undrawn", "i8"),  # set: cards neither drawn nor known to be out of the game
    ("treasures_drawn", "i8"),
    ("combat_rolls", "i8", (SHIPS,)),  # in this round
    ("shortage_rolls", "i8", (SHIPS,)),
    ("hidden_picks", "i8"),  # face-down cards stolen at random so far in the game
    ("unpacked", "i8", (SHIPS,)),  # the stowage that the fields `holds`, `hold_kind` and `hold_count` show
    ("in_play", "i8", (len(RESOURCES),)),  # goods on all ships
    ("finished_ships", "i8"),  # set
    ("to_go", "u2", (WIDTH,)),  # spaces to the finish, for each ship (E3)
    ("to_go_before", "u2", (WIDTH,)),  # the same at the beginning of the round
    ("passed", "i2", (SHIPS, LANE_COUNTS)),  # moves by each fork's outer and inner lane, and without a choice
    ("landed", "u2", (SPACES,)),  # this game's counts by space
    ("short", "u2", (SPACES,)),
    ("fought", "u2", (SPACES,)),
    ("short_in_round", "i8"),
    ("fought_in_round", "i8"),
    ("strategy", "i8", (len(DECISIONS), SHIPS)),  # addresses of compiled functions; 0: random
    ("weights", "i8", (SHIPS,)),  # addresses of each ship's weights
    ("reads_words", "i8", (SHIPS,)),  # 1: the strategy reads `stowage` itself, no holds need to be unpacked for it
    ("luck", "u8", (SHIPS,)),  # random bits for the player's next decision
    ("luck_place", "u8", (SHIPS,)),  # the counter of the player's stream at these bits
    ("deck_luck", "u8", (SHIPS,)),  # the same for the next card that the player draws
    ("deck_place", "u8", (SHIPS,)),
    ("thrown", "i8", (DICE,)),  # the dice of the next round
    # 1 when a strategy gave an illegal answer, 2 when house rules did; the next three fields say who, where and what.
    ("error", "i8"),
    ("error_player", "i8"),
    ("error_decision", "i8"),
    ("error_answer", "i8"),
    ("capture", "i8"),  # address of the records to which the state is copied when a player is asked
    ("captured", "i8"),
    ("capture_room", "i8"),  # how many fit there
    ("capture_bytes", "i8"),  # how much of the state is copied: the view, or the position
    ("luck_drawn", "i8"),  # draws of luck so far in the game, counted only where a trace is kept
    ("answer", "i8"),  # in a captured position: what the player answered
    ("noted", "i8"),  # in a captured position: how many events the trace had, 0 without one
    ("in_moment", "i8"),  # 1 + the moment of house rules that is being played, 0 between them
    ("keeps_trace", "i8"),  # which engine plays that moment
    ("house_draws", "i8"),  # draws of luck by house rules so far in the game
    ("treasures_returned", "i8"),  # by house rules
]

# The result row of a game. It lies in the state in one piece, so that one copy stores a finished game.
RESULT: Fields = [
    ("game", "i8"),
    ("rounds", "i2"),
    ("finished", "i2"),  # 0: nobody was home when the round cap came (E4)
    ("first_captain", "i2"),
    ("ended_by", "i2"),  # the first ship home, -1
    ("winners", "i2"),  # set of ships
    ("half_time_leaders", "i2"),  # set of the ships furthest along after half the rounds
    ("lead_changes", "i2"),  # rounds after which another ship led alone
    ("peak", "i2", (len(RESOURCES),)),  # most goods on all ships at once (C6)
    ("score", "i2", (SHIPS,)),
    ("position_points", "i2", (SHIPS,)),
    ("gold", "i2", (SHIPS,)),
    ("treasure_points", "i2", (SHIPS,)),
    ("final_space", "i2", (SHIPS,)),
    ("final_lap", "i2", (SHIPS,)),
    ("treasures_held", "i2", (SHIPS,)),  # set
    ("treasures_taken", "i2", (SHIPS,)),  # from lairs
    ("shortages", "i2", (SHIPS, 2)),  # of doubloons, of food
    ("attacks", "i2", (SHIPS,)),
    ("battles", "i2", (SHIPS,)),  # attacks and defences
    ("battles_won", "i2", (SHIPS,)),
    ("stars", "i2", (SHIPS,)),  # combat rolls that showed a star and stood
    ("powder_spent", "i2", (SHIPS,)),
    ("loot", "i2", (SHIPS, len(LOOT_KINDS))),  # how often each winner took what
    ("loaded", "i2", (SHIPS, len(RESOURCES))),  # by load symbols
    ("overboard", "i2", (SHIPS, len(RESOURCES))),  # emptied to make room
    ("lanes", "i2", (SHIPS, FORKS, 2)),  # forward passages of each fork by the outer and the inner lane
    ("attacks_won", "i2", (SHIPS,)),
    ("defences_won", "i2", (SHIPS,)),
    ("attacks_drawn", "i2", (SHIPS,)),  # that nobody won
    ("defences_drawn", "i2", (SHIPS,)),
    ("lair_treasures", "i2", (SHIPS,)),  # set of the cards drawn from lairs
    ("shortages_ahead", "i2", (SHIPS,)),  # in rounds that began ahead of the mean of the other ships
    ("shortages_behind", "i2", (SHIPS,)),  # in rounds that began behind it
    ("half_time_last", "i2"),  # set of the players' ships furthest behind after half the rounds
    ("fortune", "i2", (SHIPS,)),  # what luck gave beyond its mean, in sixtieths of a point
]

# Large fields that are seldom used come last, so that the fields in use at every step stay close together.
SUMS: Fields = [
    ("sum_landed", "i8", (2, SPACES)),  # over games: sum of the counts, sum of their squares
    ("sum_short", "i8", (2, SPACES)),
    ("sum_fought", "i8", (2, SPACES)),
    ("sum_short_in_round", "i8", (2, MAX_ROUND_CAP + 1)),
    ("sum_fought_in_round", "i8", (2, MAX_ROUND_CAP + 1)),
    ("games_in_round", "i8", (MAX_ROUND_CAP + 1,)),  # how many games reached that round
    ("leaders", "i1", (MAX_ROUND_CAP + 1,)),  # set of the ships in the lead after each round
    # `to_go` after each round, because only the end of the game tells which round was half-time. Row 0 stays zero.
    ("to_go_after", "u2", (MAX_ROUND_CAP + 1, WIDTH)),
    ("other_luck", "i8"),  # set of the sources of luck that have a seed of their own
    ("other_seed", "i8", (len(LUCK_SOURCES),)),
]

# What is noted of a choice among several answers, beside the trace. Ships are ranked by the way that is left to them.
CHOICE = [
    ("game", "i8"),
    ("event", "i8"),  # how many events the trace had
    ("legal", "i8"),  # set of answers
    ("round", "i2"),
    ("player", "i2"),
    ("ship", "i2"),
    ("decision", "i2"),
    ("answer", "i2"),
    ("space", "i2"),
    ("lap", "i2"),
    ("to_go", "i2"),
    ("rank", "i2"),
    ("points", "i2"),  # by position, gold and treasures, as if the game ended now
    ("lead", "i2"),  # points ahead of the best other ship
    ("goods", "i2", (len(RESOURCES),)),
    ("hand", "i2"),  # cards
]

# These fields end the record of a traced game. The engine for records without them has no code for traces.
# The first field after the view differs, so that numba does not treat one record as a subtype of the other.
TRACE: Fields = [
    ("trace_length", "i8"),
    ("trace", "i8", (TRACE_ROWS, TRACE_COLUMNS)),
    ("luck_source", "i1", (LUCK_ROWS,)),  # of each draw
    ("renew_at", "i8"),  # number of the first draw with new luck; 0: never
    ("renew_key", "u8"),  # the stream of the new luck
    ("drawn_by", "i4", (TRACE_ROWS,)),  # how often luck had been drawn when each event was noted
    ("choices_noted", "i8"),
    ("choices", np.dtype(CHOICE, align=True), (CHOICE_ROWS,)),
    ("is_blind", "i8"),  # 1: before a game is played on, all that the asked player cannot know is dealt again
]
UNTRACED: Fields = [("untraced", "i8")]
TRACED: Fields = [("traced", "i8")]


def _places(dtype: "np.dtype[np.void]") -> dict[str, int]:
    """Where each field of a record begins."""
    return {name: offset for name, (_, offset, *_) in (dtype.fields or {}).items()}


RULES, VIEW = fields_of(Rulebook), fields_of(View)
RULES_DTYPE = np.dtype(RULES, align=True)
# The last field tells the engine with the moments compiled in from the one without. Both read the same rulebook.
HOUSE_RULES_DTYPE = np.dtype([*RULES[:-1], ("house", "i8")], align=True)
RESULT_DTYPE = np.dtype(RESULT, align=True)
STATE_DTYPE = np.dtype(VIEW + UNTRACED + HIDDEN + RESULT + SUMS, align=True)
TRACED_STATE_DTYPE = np.dtype(VIEW + TRACED + HIDDEN + RESULT + SUMS + TRACE, align=True)
PLACES = _places(STATE_DTYPE)
RESULT_OFFSET, RESULT_BYTES = PLACES["game"], RESULT_DTYPE.itemsize
POSITION_BYTES = RESULT_OFFSET + RESULT_BYTES  # the size of a state without its sums


def _part_of_state(names: Iterable[str], **options: bool) -> "np.dtype[np.void]":
    """Some fields of a position, at their places."""
    names = list(names)
    formats, offsets = [STATE_DTYPE[name] for name in names], [PLACES[name] for name in names]
    parts: Any = {"names": names, "formats": formats, "offsets": offsets, "itemsize": POSITION_BYTES, **options}
    return np.dtype(parts)


POSITION_DTYPE = _part_of_state(name for name, place in PLACES.items() if place < POSITION_BYTES)

assert PLACES[SUMS[0][0]] == POSITION_BYTES  # the sums come right after the result
assert _places(VIEW_DTYPE).items() <= PLACES.items()
assert all(place == PLACES.get(name, place) for name, place in _places(TRACED_STATE_DTYPE).items())
assert all(place == PLACES[name] - RESULT_OFFSET for name, place in _places(RESULT_DTYPE).items())

# What a file of house rules sees: the public part of the view, with the memory that it may write to.
OF_ONE_PLAYER = set("me ship decision legal luck_key luck_index hand plan card treasures known".split())
UNPACKED_LATE = {"holds", "hold_kind", "hold_count"}
_SHOWN = [name for name, *_ in VIEW if name not in OF_ONE_PLAYER | UNPACKED_LATE]
GAME_DTYPE = _part_of_state([*_SHOWN, "keeps_trace"], aligned=True)


ROUTES = 1 << FORKS  # ways that a move can take: a circuit is longer than any die, so it meets no fork twice
KINDS = ("power", "points", "cursed")  # of treasures
POWER, POINTS, CURSED = (np.int64(i) for i in range(len(KINDS)))
NOWHERE = np.int64(-1)


class Raw:
    """What the rules and the components say, and room to work in."""

    goods: Annotated[Numbers, len(RESOURCES), SHIPS]  # at the start, by seat
    holds: int  # ordinary ones of a ship
    next: Annotated[Numbers, SPACES, 2]  # spaces one step forward; the second is NOWHERE where the course does not fork
    cards: int  # in a deck
    treasure_name: Annotated[Numbers, TREASURES]  # number of each card's name among those of the box
    treasure_kind: Annotated[Numbers, TREASURES]
    in_game: Annotated[Numbers, TREASURES]  # 1 for a card that the pile may be made from
    # Room to work in, all zero
    found: Annotated[Numbers, SPACES]  # sets of spaces behind each space
    fork_at: Annotated[Numbers, SPACES]  # number of the fork after each space, NOWHERE
    outer: Annotated[Numbers, FORKS]  # set: the outer lane of each fork
    route_at: Annotated[Numbers, 2, ROUTES]  # routes before and after a step: where they are,
    route_fork: Annotated[Numbers, 2, ROUTES]  # the fork that they crossed first,
    route_is_outer: Annotated[Numbers, 2, ROUTES]  # and whether by its outer lane
    fall: Annotated[Numbers, len(SPACE_KINDS), SPACES]  # steps lost by a retreat to a kind of space
    outcome: Annotated[Floats, FACES]  # of a roll, by face, and the same less its mean: exactly, and as it is booked
    exact: Annotated[Floats, FACES]
    booked: Annotated[Floats, FACES]
    order: Annotated[Numbers, FACES]


RAW_DTYPE = np.dtype(fields_of(Raw), align=True)

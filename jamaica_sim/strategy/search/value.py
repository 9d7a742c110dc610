"""The value of a position between two rounds: each ship's chance to win, from a strength that a small net gives it.

The chance of a ship is its share in the sum of all ships' exp(strength). The strength comes from the ship's features
through one hidden layer. The nets, one for each kind of table (edition, players, ghost), are fitted by
`tools/fit_value.py` and lie in `value.npz`.
"""

from functools import cache
from math import exp
from pathlib import Path

import numpy as np

from jamaica_sim.engine.house_rules import points_in_all
from jamaica_sim.engine.machine.bits import count, has, lowest, pick
from jamaica_sim.engine.machine.hold_word import empty_holds
from jamaica_sim.engine.machine.jit import inline, jit
from jamaica_sim.engine.points import position_points, treasure_points
from jamaica_sim.game.codes import FOOD, GOLD, GUNPOWDER, SYMBOLS
from jamaica_sim.game.components import action_cards
from jamaica_sim.game.rules import EDITIONS

CARDS = tuple(f"{card.morning}_{card.evening}" for card in action_cards())
FEATURES = (
    "to_go",
    "to_go_squared",
    "to_go_late",
    "points",
    "points_late",
    "points_last",
    "food",
    "food_late",
    "powder",
    "powder_late",
    "gold",
    "empty_holds",
    "morgans_map",
    "sarans_sabre",
    "lady_beth",
    "sixth_hold",
    "sails",
    "sails_late",
    "stores",
    "captain",
    "place_in_turn",
    "ghost",
    "ghost_to_go",
    "ghost_late",
    "risk",
    "lairs_ahead",
    "place_points",
    "treasure_points",
    "face_down",
    "behind",
    "food_few",
    *(f"hand_{card}" for card in CARDS),
    *(f"late_hand_{card}" for card in CARDS),
    *(f"played_{card}" for card in CARDS),
)
SLOTS = len(FEATURES) + 1  # the last slot is for cards that are not in CARDS; its weights are 0
OF_CARDS = FEATURES.index(f"hand_{CARDS[0]}")
# The features of a ship, each by its name, and all of them as `numbers`: the same memory.
FEATURES_DTYPE = np.dtype(
    {
        "names": [*FEATURES, "numbers"],
        "formats": [*("f8" for _ in FEATURES), ("f8", (SLOTS,))],
        "offsets": [*(8 * place for place in range(len(FEATURES))), 0],
        "itemsize": 8 * SLOTS,
    }
)
UNITS = 32  # of the hidden layer; the sums are written out for this number
KINDS = 20  # players from 2 to 6, with or without the ghost, two editions
PLENTY = 4.0  # food or gunpowder that is half as good as an endless supply
# The nets of all kinds of table. A kind without one has zeros: equal chances for everybody.
VALUE_DTYPE = np.dtype(
    [("first", "f4", (KINDS, SLOTS, UNITS)), ("bias", "f4", (KINDS, UNITS)), ("last", "f4", (KINDS, UNITS))], align=True
)
LATE = 8.0  # spaces before the finish at which `late` is one half
FEW = 1.5  # like PLENTY, for `food_few`: whether there is any food at all
FILE = Path(__file__).with_name("value.npz")


def _places_of_cards():
    """The number among CARDS of the card with these two symbols; -1 if there is none."""
    places = np.full((len(SYMBOLS), len(SYMBOLS)), -1)
    for number, card in enumerate(action_cards()):
        places[SYMBOLS.index(card.morning), SYMBOLS.index(card.evening)] = number
    return places


PLACE_OF_CARD = _places_of_cards()
assert len(FEATURES) % 4 == 0


@inline
def kind_of(r):
    """The number of this kind of table."""
    return ((r.players - 2) * 2 + (r.ghost >= 0)) * 2 + r.shortage_by_die


def kind_number(players: int, ghost: bool, edition: str) -> int:
    """The same number, from the rules."""
    return ((players - 2) * 2 + ghost) * 2 + EDITIONS.index(edition)


@cache
def fitted() -> np.ndarray:
    """The fitted nets, in an array of one."""
    record = np.zeros(1, VALUE_DTYPE)
    with np.load(FILE, allow_pickle=False) as arrays:
        for name in VALUE_DTYPE.names:
            record[name] = arrays[name]
    return record


@inline
def nearest_home(s, r):
    """Spaces that the ship in the lead has to go, and those that the next one has."""
    first = second = np.int64(1000)
    for ship in range(r.ships):
        to_go = np.int64(s.to_go[ship])
        second = min(second, max(first, to_go))
        first = min(first, to_go)
    return first, second


@inline
def lateness(first):
    """Grows to 1 as the ship in the lead comes home."""
    return LATE / (LATE + first)


@jit
def write_features(s, r, ship, first, second, f):
    """Write a ship's features to `f`; `first` and `second` come from `nearest_home`."""
    late = lateness(first)
    to_go = 0.1 * s.to_go[ship]
    gold, food, powder = s.stock[ship, GOLD], s.stock[ship, FOOD], s.stock[ship, GUNPOWDER]
    of_place, of_treasures = position_points(s, r, ship), treasure_points(r, s.hidden[ship])
    points = 0.1 * points_in_all(s, r, ship, of_place + gold + of_treasures)
    f.to_go = to_go
    f.to_go_squared = to_go * to_go
    f.to_go_late = to_go * late
    f.points = points
    f.points_late = points * late
    f.points_last = points * late * late * late
    f.food = food / (food + PLENTY)
    f.food_late = f.food * late
    f.powder = powder / (powder + PLENTY)
    f.powder_late = f.powder * late
    f.gold = 0.1 * gold
    empty = count(empty_holds(s.stowage[ship]))
    f.empty_holds = empty / (empty + 1.0)
    powers, early = s.powers[ship], 1.0 - late
    f.morgans_map = early * (powers & r.morgans_map != 0)
    f.sarans_sabre = early * (powers & r.sarans_sabre != 0)
    f.lady_beth = early * (powers & r.lady_beth != 0)
    f.sixth_hold = early * (powers & r.sixth_hold != 0)
    is_ghost = 1.0 * (ship == r.ghost)
    f.captain = 1.0 * (s.captain == ship)
    f.place_in_turn = (1.0 - is_ghost) * ((ship - s.captain) % r.players)
    f.ghost = is_ghost
    f.ghost_to_go = is_ghost * to_go
    f.ghost_late = is_ghost * late
    ahead = r.ahead[s.space[ship]]
    payable = r.free_spaces | r.payable_port[gold] | r.payable_sea[food]
    f.risk = (1.0 - is_ghost) * count(ahead & ~payable) * r.ahead_share[s.space[ship]]
    f.lairs_ahead = 1.0 * count(ahead & s.tokens)
    f.place_points = 0.1 * of_place
    f.treasure_points = 0.1 * of_treasures
    f.face_down = 1.0 * count(s.hidden[ship])
    f.behind = to_go - 0.1 * pick(s.to_go[ship] == first, second, first)
    f.food_few = food / (food + FEW)
    _write_cards(s, r, ship, late, f)


@inline
def _write_cards(s, r, ship, late, f):
    """Write the features of cards: symbols and cards in the hand, and discarded cards, which will not come soon."""
    numbers = f.numbers
    for i in range(OF_CARDS, SLOTS):
        numbers[i] = 0.0
    sails, stores, hand, played = 0, 0, s.hands[ship], s.discard[ship]
    while hand != 0:
        card = lowest(hand)
        hand &= hand - 1
        sails += r.forward_symbols[card]
        stores += r.load_symbols[card]
        place = PLACE_OF_CARD[r.card_symbol[card, 0], r.card_symbol[card, 1]]
        numbers[pick(place < 0, SLOTS - 1, OF_CARDS + place)] += 1.0
        numbers[pick(place < 0, SLOTS - 1, OF_CARDS + len(CARDS) + place)] += late
    while played != 0:
        card = lowest(played)
        played &= played - 1
        place = PLACE_OF_CARD[r.card_symbol[card, 0], r.card_symbol[card, 1]]
        numbers[pick(place < 0, SLOTS - 1, OF_CARDS + 2 * len(CARDS) + place)] += 1.0
    f.sails = sails / (sails + 1.0)
    f.sails_late = f.sails * late
    f.stores = stores / (stores + 1.0)


@jit
def chance(s, r, me, value, f, units):
    """The chance of a ship to win, by the fitted nets; `f` and `units` are room to work in."""
    nearest, second = nearest_home(s, r)
    kind = kind_of(r)
    own, everybody = 0.0, 0.0
    for ship in range(r.ships):
        write_features(s, r, ship, nearest, second, f)
        share = exp(_strength(value.first[kind], value.bias[kind], value.last[kind], f, units))
        everybody += share
        if ship == me:
            own = share
    return own / everybody


@inline
def _strength(first, bias, last, f, units):
    for j in range(UNITS):
        units[j] = bias[j]
    for i in range(0, len(FEATURES), 4):  # four at a time, with no branch on what is 0: faster
        one, two = np.float32(f.numbers[i]), np.float32(f.numbers[i + 1])
        three, four = np.float32(f.numbers[i + 2]), np.float32(f.numbers[i + 3])
        row1, row2, row3, row4 = first[i], first[i + 1], first[i + 2], first[i + 3]
        for j in range(UNITS):
            units[j] += (one * row1[j] + two * row2[j]) + (three * row3[j] + four * row4[j])
    return layer_sum(units, last)


@inline
def layer_sum(units, last):
    """The last layer of 32 units, in sums of pairs: the same on every machine, and no long chain of additions."""
    for j in range(UNITS):
        units[j] = (units[j] if units[j] > 0.0 else np.float32(0.0)) * last[j]
    for j in range(8):
        units[j] = (units[j] + units[j + 8]) + (units[j + 16] + units[j + 24])
    for j in range(4):
        units[j] += units[j + 4]
    return (units[0] + units[1]) + (units[2] + units[3])


@inline
def final_utility(s, r, me, margin, scale):
    """The utility of a finished game: the win (or a share of it), and a share by points, so that a near miss counts."""
    own, everybody = 0.0, 0.0
    for ship in range(r.ships):
        share = exp((s.score[ship] - s.score[me]) / scale)
        everybody += share
        if ship == me:
            own = share
    win = has(s.winners, me) / count(s.winners)
    return (1.0 - margin) * win + margin * own / everybody

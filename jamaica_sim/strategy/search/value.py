"""The value of a position between two rounds: each ship's chance to win, from a strength that sums up its features.

A conditional logit: the chance of a ship is its share in the sum of all ships' exp(strength). The coefficients are
fitted for each kind of table (edition, players, ghost) by `benchmarks/fit_value.py` and lie in `value.csv`.
"""

import csv
from functools import cache
from math import exp
from pathlib import Path

import numpy as np

from jamaica_sim.codes import FOOD, GOLD, GUNPOWDER, SYMBOLS
from jamaica_sim.components import action_cards
from jamaica_sim.engine.machine.bits import count, has, lowest
from jamaica_sim.engine.machine.branch_hints import pick
from jamaica_sim.engine.machine.hold_word import empty_holds
from jamaica_sim.engine.machine.jit import inline, jit
from jamaica_sim.engine.scoring import position_points, treasure_points
from jamaica_sim.rules import EDITIONS

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
SLOTS = len(FEATURES) + 1  # the last slot is for cards that are not in CARDS; its coefficient is 0
OF_CARDS = FEATURES.index(f"hand_{CARDS[0]}")
KINDS = 20  # players from 2 to 6, with or without the ghost, two editions
PLENTY = 4.0  # food or gunpowder that is half as good as an endless supply
LATE = 8.0  # spaces before the finish at which `late` is one half
FEW = 1.5  # like PLENTY, for `food_few`: whether there is any food at all
FILE = Path(__file__).with_name("value.csv")


def _places_of_cards():
    """The number among CARDS of the card with these two symbols; -1 if there is none."""
    places = np.full((len(SYMBOLS), len(SYMBOLS)), -1)
    for number, card in enumerate(action_cards()):
        places[SYMBOLS.index(card.morning), SYMBOLS.index(card.evening)] = number
    return places


PLACE_OF_CARD = _places_of_cards()


@inline
def kind_of(r):
    """The number of this kind of table."""
    return ((r.players - 2) * 2 + (r.ghost >= 0)) * 2 + r.shortage_by_die


def kind_number(players: int, ghost: bool, edition: str) -> int:
    """The same number, from the rules."""
    return ((players - 2) * 2 + ghost) * 2 + EDITIONS.index(edition)


@cache
def coefficients() -> np.ndarray:
    """The fitted coefficients, a row for each kind of table."""
    table = np.zeros((KINDS, SLOTS))
    with FILE.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            kind = kind_number(int(row["players"]), row["with_ghost"] == "yes", row["edition"])
            table[kind, : len(FEATURES)] = [float(row[name]) for name in FEATURES]
    return table


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
def write_features(s, r, ship, first, second, x):
    """Write a ship's features to `x` in the order of FEATURES; `first` and `second` come from `nearest_home`."""
    late = lateness(first)
    to_go = 0.1 * s.to_go[ship]
    gold, food, powder = s.stock[ship, GOLD], s.stock[ship, FOOD], s.stock[ship, GUNPOWDER]
    of_place, of_treasures = position_points(s, r, ship), treasure_points(r, s.hidden[ship])
    points = 0.1 * (of_place + gold + of_treasures)
    x[0] = to_go
    x[1] = to_go * to_go
    x[2] = to_go * late
    x[3] = points
    x[4] = points * late
    x[5] = points * late * late * late
    x[6] = food / (food + PLENTY)
    x[7] = x[6] * late
    x[8] = powder / (powder + PLENTY)
    x[9] = x[8] * late
    x[10] = 0.1 * gold
    empty = count(empty_holds(s.stowage[ship]))
    x[11] = empty / (empty + 1.0)
    powers, early = s.powers[ship], 1.0 - late
    x[12] = early * (powers & r.morgans_map != 0)
    x[13] = early * (powers & r.sarans_sabre != 0)
    x[14] = early * (powers & r.lady_beth != 0)
    x[15] = early * (powers & r.sixth_hold != 0)
    is_ghost = 1.0 * (ship == r.ghost)
    x[19] = 1.0 * (s.captain == ship)
    x[20] = (1.0 - is_ghost) * ((ship - s.captain) % r.players)
    x[21] = is_ghost
    x[22] = is_ghost * to_go
    x[23] = is_ghost * late
    ahead = r.ahead[s.space[ship]]
    payable = r.free_spaces | r.payable_port[gold] | r.payable_sea[food]
    x[24] = (1.0 - is_ghost) * count(ahead & ~payable) * r.ahead_share[s.space[ship]]
    x[25] = 1.0 * count(ahead & s.tokens)
    x[26] = 0.1 * of_place
    x[27] = 0.1 * of_treasures
    x[28] = 1.0 * count(s.hidden[ship])
    x[29] = to_go - 0.1 * pick(s.to_go[ship] == first, second, first)
    x[30] = food / (food + FEW)
    _write_cards(s, r, ship, late, x)


@inline
def _write_cards(s, r, ship, late, x):
    """Write the features of cards: symbols and cards in the hand, and discarded cards, which will not come soon."""
    for i in range(OF_CARDS, x.size):
        x[i] = 0.0
    sails, stores, hand, played = 0, 0, s.hands[ship], s.discard[ship]
    while hand != 0:
        card = lowest(hand)
        hand &= hand - 1
        sails += r.forward_symbols[card]
        stores += r.load_symbols[card]
        place = PLACE_OF_CARD[r.card_symbol[card, 0], r.card_symbol[card, 1]]
        x[pick(place < 0, x.size - 1, OF_CARDS + place)] += 1.0
        x[pick(place < 0, x.size - 1, OF_CARDS + len(CARDS) + place)] += late
    while played != 0:
        card = lowest(played)
        played &= played - 1
        place = PLACE_OF_CARD[r.card_symbol[card, 0], r.card_symbol[card, 1]]
        x[pick(place < 0, x.size - 1, OF_CARDS + 2 * len(CARDS) + place)] += 1.0
    x[16] = sails / (sails + 1.0)
    x[17] = x[16] * late
    x[18] = stores / (stores + 1.0)


@jit
def chance(s, r, me, table, x):
    """The chance of a ship to win, by the fitted coefficients."""
    first, second = nearest_home(s, r)
    row = table[kind_of(r)]
    own, everybody = 0.0, 0.0
    for ship in range(r.ships):
        write_features(s, r, ship, first, second, x)
        strength = 0.0
        for i in range(x.size):
            strength += row[i] * x[i]
        share = exp(strength)
        everybody += share
        if ship == me:
            own = share
    return own / everybody


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

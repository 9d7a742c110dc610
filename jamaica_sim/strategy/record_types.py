"""Types for editors: what `view` and `rules` of a decision function have, field by field.

Nothing of this is used when a game is played; numba ignores annotations. `tools/record_types.py` writes this file.
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Numbers: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]


class View:
    """What the deciding player may see, and what it is asked. It can only be read."""

    me: int
    """The player who decides; the number of the own ship."""
    ship: int
    """The ship that the decision is about: the own, or the ghost ship."""
    decision: int
    """The number of the decision point."""
    legal: int
    """Set of the legal answers."""
    luck_key: int
    """The player's own luck: use `luck` and `pick_random`."""
    luck_index: int
    """The player's own luck: use `luck` and `pick_random`."""
    round: int
    """The round, from 1."""
    captain: int
    """The Captain of this round."""
    dice: Numbers
    """[2]: The dice as rolled."""
    placed: Numbers
    """[2]: Morning's and evening's die; 0 while the Captain is deciding."""
    when: int
    """Which action is being carried out: 0 morning, 1 evening."""
    space: Numbers
    """[ship]: Where each ship is."""
    lap: Numbers
    """[ship]: 0 on the circuit, 1 at home, negative behind the start line."""
    occupants: Numbers
    """[space]: Set of the ships on each space."""
    holds: Numbers
    """[ship, kind]: By kind of contents (3: empty), set of the ship's holds with it."""
    hold_kind: Numbers
    """[ship, hold]: What is in holds 0 to 4, and in 5, the 6th Hold; 3: nothing."""
    hold_count: Numbers
    """[ship, hold]: How much is in it."""
    stowage: Numbers
    """[ship]: The holds once more, as one number in the engine's own form."""
    stock: Numbers
    """[ship, resource]: Goods in all holds together."""
    powers: Numbers
    """[ship]: Set of the face-up treasures."""
    face_down: Numbers
    """[ship]: How many face-down treasures."""
    hand_size: Numbers
    """[ship]: How many cards in hand."""
    discard: Numbers
    """[ship]: Set of the cards on the discard pile."""
    played: Numbers
    """[ship]: The card revealed in this round, -1 before."""
    tokens: int
    """Set of the lairs that still have a treasure."""
    hand: int
    """Set: the own cards in hand."""
    plan: int
    """The card that the heuristic placed the dice for, plus 1, until it is chosen; 0: none."""
    card: int
    """The own card chosen in this round, -1 before."""
    treasures: int
    """Set: the own face-down treasures."""
    known: Numbers
    """[ship]: Set of the ship's face-down treasures that the player knows, because it had them (R5)."""
    resource: int
    """What comes aboard or is due, and how much."""
    amount: int
    """What comes aboard or is due, and how much."""
    attacker: int
    """The ships of the battle."""
    defender: int
    """The ships of the battle."""
    attack_powder: int
    """Gunpowder committed."""
    attack_face: int
    """What the die shows: -1 a star, 0 not rolled yet."""
    attack_strength: int
    """Die, gunpowder and Lady Beth together; 0 before the roll, without meaning with a star."""
    defence_powder: int
    """Gunpowder committed."""
    defence_face: int
    """What the die shows: -1 a star, 0 not rolled yet."""
    defence_strength: int
    """Die, gunpowder and Lady Beth together; 0 before the roll, without meaning with a star."""
    winner: int
    """Of the battle, when it comes to the loot."""
    loser: int
    """Of the battle, when it comes to the loot."""
    sabre_used: int
    """1: Saran's Sabre was used in this battle."""
    turn: int
    """The ship whose action is in progress, -1 while cards are chosen."""
    retreated: int
    """1: in this action that ship has gone back for a shortage."""
    unplayed: Numbers
    """Cards not on the ship's discard pile when its deck was last shuffled; those that still are not there are
    in its hand. Empty before the first shuffle.
    """
    moment: int
    """In a `house_choice`: which moment asks, what it is about, and where the acting ship was."""
    moment_of: Numbers
    """Moment of."""
    moment_space: int
    """In a `house_choice`: which moment asks, what it is about, and where the acting ship was."""
    extra_treasures: int
    """Cards that house rules drew from the pile, less those that they returned."""
    memory: Numbers
    """Memory."""
    ship_memory: Numbers
    """Ship memory."""
    space_memory: Numbers
    """Space memory."""


class Rulebook:
    """The rules in force, the components, and tables made from them once."""

    players: int
    """How many players; ships, the ghost ship included."""
    ships: int
    """How many players; ships, the ghost ship included."""
    left: Numbers
    """[player]: The next player clockwise."""
    ghost: int
    """The ghost's ship number, -1 without it."""
    no_cargo: Numbers
    """The engine's own forms of the above."""
    start_gold: Numbers
    """[ship]: What ships start with."""
    start_food: Numbers
    """[ship]: What ships start with."""
    start_gunpowder: Numbers
    """[ship]: What ships start with."""
    seat_goods: Numbers
    """[seat, resource]: What a seat starts with on top; seat 0 is the first Captain."""
    all_cards: Numbers
    """Set of all cards of a deck."""
    forgiven: Numbers
    """[ship]: Which of its shortages sends a ship nowhere; 0: none."""
    ghost_gold: Numbers
    """[2]: What ships start with."""
    hand_size: int
    """Cards in hand, without and with Morgan's Map."""
    hand_with_map: int
    """Cards in hand, without and with Morgan's Map."""
    treasure_pile: int
    """How many cards the pile starts with; set of those it is drawn from."""
    treasures_in_game: int
    """How many cards the pile starts with; set of those it is drawn from."""
    die_faces: int
    """How many faces an action die has, and what they show."""
    die_face: Numbers
    """[face]: How many faces an action die has, and what they show."""
    lady_beth_bonus: int
    """What Lady Beth adds."""
    start_score: int
    """Points before the circuit."""
    shortage_by_die: int
    """1: a shortage rolls the die (2021); 0: it leads back to a space that can be paid (2007)."""
    round_cap: int
    """After how many rounds a game is stopped."""
    limited_bank: int
    """1 where the bank has a limit; goods there are, very many where it has none."""
    steal_known: int
    """1 where such a rule is in force."""
    ghost_takes_cursed_only: int
    """1 where such a rule is in force."""
    early_reshuffle: int
    """1 where such a rule is in force."""
    spaces: int
    """Of the board: how many spaces; the largest cost; the first space that counts points."""
    most_cost: int
    """Of the board: how many spaces; the largest cost; the first space that counts points."""
    red_line: int
    """Of the board: how many spaces; the largest cost; the first space that counts points."""
    combat_faces: int
    """How many faces the combat die has."""
    bank: Numbers
    """[resource]: 1 where the bank has a limit; goods there are, very many where it has none."""
    cost: Numbers
    """[space]: The board."""
    currency: Numbers
    """[space]: The resource that the cost is paid in."""
    score: Numbers
    """[space]: The board."""
    to_finish: Numbers
    """[space]: Fewest steps to Port Royal; the same for the whole circuit."""
    circuit: int
    """Fewest steps to Port Royal; the same for the whole circuit."""
    forward_finish: Numbers
    """[space, by die]: Set of the spaces where a move forward can end, on the circuit."""
    forward_pass: Numbers
    """[space, by die]: The same behind the start line, where Port Royal is no finish."""
    backward: Numbers
    """[space, by die]: The same backward."""
    previous: Numbers
    """[space]: Set of the spaces one step back."""
    lairs: int
    """Sets of spaces: lairs; without a cost; in the long lanes."""
    free_spaces: int
    """Sets of spaces: lairs; without a cost; in the long lanes."""
    payable_port: Numbers
    """[goods]: Set of the ports that so many doubloons can pay, of the sea that so much food can."""
    payable_sea: Numbers
    """[goods]: Set of the ports that so many doubloons can pay, of the sea that so much food can."""
    nearest_behind: Numbers
    """[kind, space]: 2021: set of the nearest spaces of a kind behind."""
    fork_crossed: Numbers
    """[space, by die]: The fork that a move forward passes, -1 for none; set of its ends by the outer lane."""
    outer_ends: Numbers
    """[space, by die]: The fork that a move forward passes, -1 for none; set of its ends by the outer lane."""
    card_actions: Numbers
    """The engine's own forms of the above."""
    treasure_value: Numbers
    """[treasure]: Points, negative for cursed ones."""
    power_cards: int
    """Sets of treasures."""
    cursed_cards: int
    """Sets of treasures."""
    morgans_map: int
    """Sets of the cards of that name, one in the box: `view.powers[ship] & rules.lady_beth != 0`."""
    sarans_sabre: int
    """Sets of the cards of that name, one in the box: `view.powers[ship] & rules.lady_beth != 0`."""
    lady_beth: int
    """Sets of the cards of that name, one in the box: `view.powers[ship] & rules.lady_beth != 0`."""
    sixth_hold: int
    """Sets of the cards of that name, one in the box: `view.powers[ship] & rules.lady_beth != 0`."""
    copies: Numbers
    """[name]: The same for every name of the box, in its order."""
    ends: Numbers
    """The engine's own forms of the above."""
    passages: Numbers
    """The engine's own forms of the above."""
    first_payable: Numbers
    """[gold, food, space]: 2007: set of the spaces that a shortage leads back to, with so much left (up to 7
    each).
    """
    die_strength: Numbers
    """[face]: The combat die: strength (-1 a star); the kind of space a shortage leads back to (0: it stays)."""
    die_retreat: Numbers
    """[face]: The combat die: strength (-1 a star); the kind of space a shortage leads back to (0: it stays)."""
    treasure_worth: Numbers
    """What a comparison books as [known luck](compare.md#what-the-figures-mean): of no use to a strategy."""
    worth_of_half: Numbers
    """What a comparison books as [known luck](compare.md#what-the-figures-mean): of no use to a strategy."""
    fortune_share: Numbers
    """What a comparison books as [known luck](compare.md#what-the-figures-mean): of no use to a strategy."""
    battle_fortune: Numbers
    """What a comparison books as [known luck](compare.md#what-the-figures-mean): of no use to a strategy."""
    fall_fortune: Numbers
    """What a comparison books as [known luck](compare.md#what-the-figures-mean): of no use to a strategy."""
    hold_slots: int
    """Set of the ordinary holds."""
    card_symbol: Numbers
    """[card, 2]: Morning's and evening's symbol."""
    space_kind: Numbers
    """[space]: The board."""
    reached_from: Numbers
    """[space]: Set of the spaces from which one die forward can end here."""
    ahead: Numbers
    """[space]: Set of the spaces that one die forward can end on; 1 divided by how many they are."""
    ahead_share: Floats
    """[space]: Set of the spaces that one die forward can end on; 1 divided by how many they are."""
    far: Floats
    """[space]: Steps from the start by the shortest way; the printed score on the circuit, where Port Royal is
    the start.
    """
    points: Floats
    """[space]: Steps from the start by the shortest way; the printed score on the circuit, where Port Royal is
    the start.
    """
    die_face_later: Numbers
    """[12]: The second die of a throw that strategies foresee; `die_face` has the first."""
    forward_symbols: Numbers
    """[card]: How many a card shows."""
    load_symbols: Numbers
    """[card]: How many a card shows."""
    hand_symbols: Numbers
    """[set of cards]: Both numbers of a whole hand in one: 23 times its forward symbols, plus its load symbols."""
    outer_lanes: int
    """Sets of spaces: lairs; without a cost; in the long lanes."""
    expected_fall: Floats
    """[space]: 2021: steps that a shortage costs there on average."""
    arrivals: Numbers
    """[row + space]: What a ship pays at the end of a move, where it ends up, and the number of its fall if it
    runs short, in one number (see `board.py`). The row, for what is aboard, is `gold_row[doubloons] +
    food_row[food]`.
    """
    risk_number: Numbers
    """[row + space]: 63 times how many spaces one die forward can end on, plus how many of them such a ship
    could not pay.
    """
    fall_steps: Floats
    """[fall]: Steps that a shortage costs, by the number of the fall: bits 20 to 26 of an arrival."""
    gold_row: Numbers
    """[doubloons]: See `arrivals`."""
    food_row: Numbers
    """[food]: See `arrivals`."""
    attacked_from: Numbers
    """[space]: As `reached_from`, but empty in Port Royal, where there are no battles."""
    attack_prize: Floats
    """[doubloons]: What an attacker may take from a ship, and the chance that a usual attack on it succeeds, as
    the heuristic reckons.
    """
    usual_attack: Floats
    """[gunpowder]: What an attacker may take from a ship, and the chance that a usual attack on it succeeds, as
    the heuristic reckons.
    """
    attack_odds: Floats
    """[81]: Chance that the attacker, that the defender wins, at [40 + the attacker's advantage in gunpowder
    and Lady Beth].
    """
    defence_odds: Floats
    """[81]: Chance that the attacker, that the defender wins, at [40 + the attacker's advantage in gunpowder
    and Lady Beth].
    """
    odds_over: Floats
    """[41]: Chance to roll more than a number, a star included; to roll just that number."""
    odds_equal: Floats
    """[41]: Chance to roll more than a number, a star included; to roll just that number."""
    mean_treasure: float
    """Points of an average face-down treasure."""
    engine: Numbers
    """How house rules are in force; of no use to a strategy."""
    moments: Numbers
    """How house rules are in force; of no use to a strategy."""
    parameters: Numbers
    """Parameters."""
    printed: int
    """How house rules are in force; of no use to a strategy."""

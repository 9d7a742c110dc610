"""Where the facts of a decision are collected: a list of rows with numbers, and what is found once for all options."""

import numpy as np

from jamaica_sim.engine.machine.bits import count, lowest, pick
from jamaica_sim.engine.machine.jit import inline, jit
from jamaica_sim.engine.machine.memory import stack_record
from jamaica_sim.engine.moving import spaces_to_go
from jamaica_sim.engine.points import treasure_points
from jamaica_sim.engine.view import SPACES
from jamaica_sim.game.codes import CHOOSE_CARD, PLACE_DICE
from jamaica_sim.strategy.heuristic.situation import best_rival, own_standing
from jamaica_sim.strategy.net.layout import (
    BEHIND,
    HOME,
    LAST_NEAREST,
    LAST_ROUND,
    SPACES_A_STEP,
    block,
    number,
)
from jamaica_sim.strategy.search.value import CARDS, PLACE_OF_CARD, kind_of, lateness

MOST_FACTS = 128  # of the context, or of an option
TENTH = np.float64(0.1)  # points, spaces and goods are counted in tens
UNKNOWN_CARD = len(CARDS)

DECISION, KIND, ROUND, NEAREST = block("decision"), block("kind_of_table"), block("round"), block("nearest_home")
SEAT, POWERS, DISCARDED, TOKENS = (
    block("seat_after_captain"),
    block("own_powers"),
    block("discarded"),
    block("tokens"),
)
OWN_PLACE, WHEN = block("own_place"), block("when")
MORNING_DIE, EVENING_DIE, KEPT = block("morning_die"), block("evening_die"), block("card_kept")
LATE, OWN_TREASURES, OWN_FACE_DOWN = number("late"), number("own_treasures"), number("own_face_down")
OWN_LEAD, OWN_WAY_AHEAD, GHOST_WAY_AHEAD = number("own_lead"), number("own_way_ahead"), number("ghost_way_ahead")

THROW = np.dtype(
    [
        ("others", "f8", (8,)),  # what the other players could do, in the order of rows from "others_gold_loaded" on
        ("met", "f8", (2, SPACES)),  # by whether they act after the own ship, and space: how many could be there
        ("ghost_morning", "i8"),  # set: spaces that the ghost ship could reach
        ("ghost_evening", "i8"),
    ],
    align=True,
)
FACTS = np.dtype(
    [
        ("many", "i8"),
        ("row", "i8", (MOST_FACTS,)),
        ("number", "f4", (MOST_FACTS,)),
        # Found once for a decision.
        ("late", "f8"),
        ("nearest_other", "i8"),  # spaces that the nearest other ship has to go
        ("own_points", "i8"),  # of the own treasures
        ("rival", "f8"),  # the best standing among the others
        ("order", "i8"),  # of the dice, among `throws`
        ("throws", THROW, (2,)),  # by the order of the dice
        ("worth_before", "f8"),  # what the heuristic thinks of the own situation before the option
    ],
    align=True,
)
new_facts = stack_record(FACTS)


@inline
def note(facts, row, worth):
    """Note a fact with its number."""
    facts.row[facts.many] = row
    facts.number[facts.many] = worth
    facts.many += 1


@inline
def note_row(facts, row):
    """Note a fact that is so or not."""
    facts.row[facts.many] = row
    facts.number[facts.many] = 1.0
    facts.many += 1


@inline
def place_row(space, lap):
    """The row of a place within a block of places."""
    return pick(lap == 1, HOME, pick(lap < 0, BEHIND, space))


@inline
def card_row(rules, card):
    """The row of a card within a block of cards."""
    place = PLACE_OF_CARD[rules.card_symbol[card, 0], rules.card_symbol[card, 1]]
    return pick(place < 0, UNKNOWN_CARD, place)


@inline
def note_cards(facts, rules, first, cards):
    """Note every card of a set."""
    while cards != 0:
        note_row(facts, first + card_row(rules, lowest(cards)))
        cards &= cards - 1


@inline
def note_members(facts, first, members):
    """Note every member of a set."""
    while members != 0:
        note_row(facts, first + lowest(members))
        members &= members - 1


@inline
def note_dice(facts, morning, evening):
    """Note the placed dice."""
    note_row(facts, MORNING_DIE + morning)
    note_row(facts, EVENING_DIE + evening)


@jit
def note_context(view, rules, around, facts):
    """Note what all options of a decision share."""
    me, nearest_other = view.me, np.int64(1000)
    for ship in range(rules.ships):
        to_go = spaces_to_go(rules, view.space[ship], view.lap[ship])
        nearest_other = min(nearest_other, pick(ship == me, np.int64(1000), to_go))
    own = spaces_to_go(rules, view.space[me], view.lap[me])
    nearest = min(own, nearest_other)
    facts.nearest_other, facts.late = nearest_other, lateness(nearest)
    facts.own_points = treasure_points(rules, view.treasures)
    facts.rival = best_rival(view, rules, around)
    facts.many = 0
    note_row(facts, DECISION + view.decision)
    note_row(facts, KIND + kind_of(rules))
    note_row(facts, ROUND + min(view.round, LAST_ROUND))
    note_row(facts, NEAREST + min(max(nearest, 0) // SPACES_A_STEP, LAST_NEAREST))
    note_row(facts, SEAT + (me - view.captain) % rules.players)
    note_row(facts, OWN_PLACE + place_row(view.space[me], view.lap[me]))
    note_powers(facts, rules, view.powers[me])
    note_cards(facts, rules, DISCARDED, view.discard[me])
    note_members(facts, TOKENS, view.tokens)
    note(facts, LATE, facts.late)
    note(facts, OWN_TREASURES, TENTH * facts.own_points)
    note(facts, OWN_FACE_DOWN, count(view.treasures))
    note(facts, OWN_LEAD, TENTH * (own_standing(view, rules) - facts.rival))
    note(facts, OWN_WAY_AHEAD, TENTH * (nearest_other - own))
    if rules.ghost >= 0:
        ghost = spaces_to_go(rules, view.space[rules.ghost], view.lap[rules.ghost])
        note(facts, GHOST_WAY_AHEAD, TENTH * (own - ghost))
    if view.decision == CHOOSE_CARD:
        note_dice(facts, view.placed[0], view.placed[1])
    elif view.decision != PLACE_DICE:
        note_row(facts, WHEN + view.when)
        note_cards(facts, rules, KEPT, view.hand)


@inline
def note_powers(facts, rules, powers):
    """Note the own powers."""
    if powers != 0:
        for place in range(4):
            if powers & power_card(rules, place) != 0:
                note_row(facts, POWERS + place)


@inline
def power_card(rules, place):
    """The set of one power card, by its place in the blocks of powers."""
    first = pick(place == 0, rules.morgans_map, rules.sarans_sabre)
    second = pick(place == 2, rules.lady_beth, rules.sixth_hold)
    return pick(place < 2, first, second)

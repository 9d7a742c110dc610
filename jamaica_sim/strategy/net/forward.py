"""The compiled net: scores every option of a decision and takes the best.

The first layer is a sum of rows, one for each fact; those of the context are summed once for a decision. Two small
layers follow. All sums are in a fixed order, so the answer is the same on every machine.
"""

import numpy as np

from jamaica_sim.engine.machine.bits import has, lowest
from jamaica_sim.engine.machine.jit import inline, jit
from jamaica_sim.engine.machine.memory import ADDRESS, caller, stack_record
from jamaica_sim.engine.state import RULES_DTYPE, VIEW_DTYPE
from jamaica_sim.game.codes import (
    CHOOSE_CARD,
    CHOOSE_LOOT,
    CHOOSE_SPACE,
    GHOST_DIRECTION,
    GHOST_LOOT,
    GHOST_SPACE,
    PLACE_DICE,
)
from jamaica_sim.strategy.api import luck, pick_random
from jamaica_sim.strategy.heuristic.cargo import cargo_of
from jamaica_sim.strategy.heuristic.situation import look_around, new_surroundings, weigh_holds
from jamaica_sim.strategy.heuristic.weights import WEIGHTS_DTYPE
from jamaica_sim.strategy.heuristic.worth import situation_worth
from jamaica_sim.strategy.net.facts import new_facts, note_context
from jamaica_sim.strategy.net.layout import LEARNED_SET, ROWS
from jamaica_sim.strategy.net.options import (
    note_card,
    note_direction,
    note_ghost_space,
    note_loot,
    note_own_loot,
    note_space,
    note_target,
)
from jamaica_sim.strategy.net.others import foresee, note_rivals, note_throw
from jamaica_sim.strategy.search.searcher import ORDER_BITS
from jamaica_sim.strategy.search.value import UNITS, layer_sum

FIRST, SECOND = 128, UNITS  # units of the two hidden layers; the sums are written out for these numbers
WORST = np.float32(-1e9)
# The arrays of a net: what its file has, and what the compiled code reads.
ARRAYS = {"rows": (ROWS, FIRST), "second": (FIRST, SECOND), "bias": (SECOND,), "last": (SECOND,)}

# The heuristic's weights come first: it takes the decisions that the net does not, and reads them at the same address.
NET_DTYPE = np.dtype([("weights", WEIGHTS_DTYPE), *((name, "f4", shape) for name, shape in ARRAYS.items())], align=True)
LAYERS = np.dtype(
    [("context", "f4", (FIRST,)), ("first", "f4", (FIRST,)), ("second", "f4", (SECOND,))],
    align=True,
)
_new_layers = stack_record(LAYERS, align=64)
_ask_heuristic = caller(VIEW_DTYPE, RULES_DTYPE, ADDRESS)


def decide_by_net(view, rules, weights):
    """The net's answer to the decision in the view, or the heuristic's where the net has not learned to answer."""
    decision = view.decision
    if not has(LEARNED_SET, decision):
        return _ask_heuristic(weights.weights.heuristic, view, rules, weights)
    if weights.weights.has_errors != 0 and luck(view) < weights.weights.errors:
        return pick_random(view, view.legal)
    if decision == CHOOSE_CARD and view.plan != 0:  # the dice were placed for it
        return view.plan - 1
    best = _best_option(view, rules, weights)
    if decision != PLACE_DICE:
        return best
    view.plan = 1 + (best & (1 << ORDER_BITS) - 1)
    return best >> ORDER_BITS


@inline
def _best_option(view, rules, weights):
    around, facts, layers = new_surroundings(), new_facts(), _new_layers()
    begin(view, rules, weights.weights, around, facts)
    for i in range(FIRST):
        layers.context[i] = 0.0
    _add_rows(weights, facts, layers.context)
    cards = options = view.hand if view.decision == PLACE_DICE else view.legal
    orders = 1 + np.int64(view.decision == PLACE_DICE)
    best, best_score = np.int64(0), WORST
    for order in range(orders):
        options = cards
        while options != 0:
            option = order << ORDER_BITS | lowest(options)
            options &= options - 1
            facts.many = 0
            note_option(view, rules, weights.weights, around, facts, option)
            score = _score(weights, facts, layers)
            if score > best_score:
                best, best_score = option, score
    return best


@jit
def begin(view, rules, weights, around, facts):
    """Look around and note what all options of the decision share."""
    look_around(view, rules, weights, around)
    weigh_holds(view, weights, around)
    note_context(view, rules, around, facts)
    note_rivals(view, rules, facts)
    if view.decision == PLACE_DICE:
        foresee(view, rules, facts, 0, view.dice[0], view.dice[1])
        foresee(view, rules, facts, 1, view.dice[1], view.dice[0])
    elif view.decision == CHOOSE_CARD:
        foresee(view, rules, facts, 0, view.placed[0], view.placed[1])
        note_throw(facts, 0)
    me = view.me
    facts.worth_before = situation_worth(view, rules, weights, around, view.space[me], view.lap[me], cargo_of(view, me))


@jit
def note_option(view, rules, weights, around, facts, option):
    """Note what an option leads to."""
    decision = view.decision
    if decision == CHOOSE_CARD or decision == PLACE_DICE:
        note_card(view, rules, weights, around, facts, option, decision == PLACE_DICE)
    elif decision == CHOOSE_SPACE:
        note_space(view, rules, weights, around, facts, option)
    elif decision == CHOOSE_LOOT:
        note_own_loot(view, rules, weights, around, facts, option)
    elif decision == GHOST_DIRECTION:
        note_direction(view, rules, weights, around, facts, option)
    elif decision == GHOST_SPACE:
        note_ghost_space(view, rules, weights, around, facts, option)
    elif decision == GHOST_LOOT:
        note_loot(view, rules, weights, around, facts, option)
    else:
        note_target(view, rules, weights, around, facts, option)


@inline
def _add_rows(net, facts, sums):
    """Add the row of each fact, times its number: four at a time, with facts of the number 0 behind the last."""
    for n in range(facts.many, facts.many + 3):
        facts.row[n] = 0
        facts.number[n] = 0.0
    for n in range(0, facts.many, 4):
        row1, row2 = net.rows[facts.row[n]], net.rows[facts.row[n + 1]]
        row3, row4 = net.rows[facts.row[n + 2]], net.rows[facts.row[n + 3]]
        one, two, three, four = facts.number[n], facts.number[n + 1], facts.number[n + 2], facts.number[n + 3]
        for i in range(FIRST):
            sums[i] += (one * row1[i] + two * row2[i]) + (three * row3[i] + four * row4[i])


@jit
def _score(net, facts, layers):
    """The net's score of the option whose facts were noted."""
    first, second = layers.first, layers.second
    for i in range(FIRST):
        first[i] = layers.context[i]
    _add_rows(net, facts, first)
    for i in range(FIRST):
        first[i] = _positive(first[i])
    for j in range(SECOND):
        second[j] = net.bias[j]
    for i in range(0, FIRST, 4):  # no branch on whether a unit is on, and four at a time: three times as fast
        one, two, three, four = first[i], first[i + 1], first[i + 2], first[i + 3]
        row1, row2, row3, row4 = net.second[i], net.second[i + 1], net.second[i + 2], net.second[i + 3]
        for j in range(SECOND):
            second[j] += (one * row1[j] + two * row2[j]) + (three * row3[j] + four * row4[j])
    return layer_sum(second, net.last)


@inline
def _positive(number):
    return number if number > 0.0 else np.float32(0.0)

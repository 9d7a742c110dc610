"""The search: deal anew what the player cannot know, play on with every option, take the best on average.

All options are tried on the same deals, so that their differences show early. Options that fall behind are dropped. The
first thought, the heuristic's or a net's, stands unless another answer is better by some standard errors. Only the view
is read, and all luck comes from the player's own stream.
"""

from math import sqrt

import numpy as np

from jamaica_sim.engine.deal_anew import choose_anew, choose_secretly, complete_position, deal_anew
from jamaica_sim.engine.decide import VIEW_BYTES, call_strategy
from jamaica_sim.engine.machine.bits import count, has, lowest, only, single
from jamaica_sim.engine.machine.jit import inline, jit
from jamaica_sim.engine.machine.memory import address_of, copy_record, stack_record
from jamaica_sim.engine.machine.random import draw
from jamaica_sim.engine.play_on import next_round, rest_of_round, resume
from jamaica_sim.engine.position import copy_position, new_position
from jamaica_sim.engine.scoring import score_game
from jamaica_sim.engine.state import NONE
from jamaica_sim.engine.turn import choose_card, is_over, left_of, place_dice
from jamaica_sim.game.codes import ATTACK_POWDER, CHOOSE_CARD, DEFENCE_POWDER, MORNING, PLACE_DICE
from jamaica_sim.strategy.search.value import FEATURES_DTYPE, UNITS, chance, final_utility

MOST_OPTIONS = 12
ORDER_BITS = 4  # an option for the dice has the card in these low bits, and the order of the dice above them
AMOUNTS = 6  # about so many amounts of gunpowder are tried
FIRST_LOOK, LOOKS = 12, 6  # deals before options are dropped for the first time, and between two such times
OF_DEALS = np.int64(1 << 16)  # the draw of the player's stream of luck from which on draws are the keys of deals
POINTS = 5.0  # a lead of so many points multiplies the share by points by e

CONTEST = np.dtype(
    [
        ("options", "i8"),  # how many
        ("alive", "i8"),  # set of those still tried
        ("option", "i8", (MOST_OPTIONS,)),  # the first thought comes first
        ("deals", "i8"),
        ("utility", "f8", (MOST_OPTIONS,)),  # in this deal
        ("sum", "f8", (MOST_OPTIONS,)),
        ("behind", "f8", (MOST_OPTIONS,)),  # of a dropped option: how far it was behind the best on the same deals
        ("product", "f8", (MOST_OPTIONS, MOST_OPTIONS)),  # sums of products of two options' utilities
        ("features", FEATURES_DTYPE),  # of one ship at a time
        ("units", "f4", (UNITS,)),  # of the value's net
    ],
    align=True,
)


new_contest = stack_record(CONTEST, cleared=True)


def search(view, rules, weights):
    """The answer to the decision in the view, by search."""
    if view.decision == CHOOSE_CARD and view.plan != 0:  # it was searched together with the dice
        return view.plan - 1
    contest = new_contest()
    try_options(view, rules, weights, contest)
    best = _winner(weights, contest)
    if view.decision != PLACE_DICE:
        return best
    view.plan = 1 + (best & (1 << ORDER_BITS) - 1)
    return best >> ORDER_BITS


@jit
def try_options(view, rules, weights, contest):
    """List the options of the decision in the view and try them on the same deals."""
    base = new_position()
    copy_record(base, view, VIEW_BYTES)
    complete_position(base, rules)
    _seat_policy(base, rules, weights)
    _list_options(base, rules, weights, contest)
    if contest.options > 1:
        _hold_contest(base, rules, weights, contest, view.luck_key)


@inline
def _seat_policy(s, r, weights):
    for ship in range(r.ships):
        s.weights[ship] = address_of(weights.policy)
        s.reads_words[ship] = 1
        for decision in range(s.strategy.shape[0]):
            s.strategy[decision, ship] = weights.net.weights.heuristic


@jit
def _list_options(s, r, weights, contest):
    """List the options to try, the first thought first."""
    answer = call_strategy(weights.first_thought, s, r, address_of(weights))
    if s.decision == PLACE_DICE:
        _add_option(contest, answer << ORDER_BITS | s.plan - 1)
        s.plan = 0
        for order in range(2):
            cards = s.hand
            while cards != 0:
                _add_option(contest, order << ORDER_BITS | lowest(cards))
                cards &= cards - 1
        return
    _add_option(contest, answer)
    options = s.legal
    step = 1
    if s.decision == ATTACK_POWDER or s.decision == DEFENCE_POWDER:
        most = count(options) - 1
        _add_option(contest, most)
        step = max(1, most // AMOUNTS)
    number = 0
    while options != 0:
        if number % step == 0:
            _add_option(contest, lowest(options))
        options &= options - 1
        number += 1


@inline
def _add_option(contest, option):
    """Add an option, if it is not there yet and there is room."""
    is_there = contest.options == MOST_OPTIONS
    for i in range(contest.options):
        is_there |= contest.option[i] == option
    if not is_there:
        contest.option[contest.options] = option
        contest.options += 1


@jit
def _hold_contest(base, r, weights, contest, luck_key):
    """Try all options on one deal after the other, until one is left or there have been enough deals."""
    dealt, swapped, work = new_position(), new_position(), new_position()
    is_dice = base.decision == PLACE_DICE
    contest.alive = only(contest.options) - 1
    for number in range(weights.rollouts):
        copy_position(dealt, base)
        deal_anew(dealt, r, draw(luck_key, OF_DEALS + number))
        if is_dice:
            copy_position(swapped, dealt)
            _place_and_choose(swapped, r, base.me, 1)
            _place_and_choose(dealt, r, base.me, 0)
        else:
            choose_secretly(dealt, r, base)
        for i in range(contest.options):
            if has(contest.alive, i):
                option = contest.option[i]
                if is_dice and option >> ORDER_BITS != 0:
                    copy_position(work, swapped)
                else:
                    copy_position(work, dealt)
                contest.utility[i] = _play_option(work, r, weights, contest, base.me, option)
        _count(contest)
        looks = contest.deals - FIRST_LOOK
        if looks >= 0 and looks % LOOKS == 0:
            _drop_the_poor(contest, weights.drop, weights.gate > 0.0)
            if single(contest.alive):
                return


@jit
def _place_and_choose(s, r, me, order):
    """Place the dice; then everybody else chooses a card by the policy."""
    place_dice(s, order)
    player = left_of(r, me)
    while player != me:
        choose_anew(s, r, player)
        player = left_of(r, player)


@jit
def _play_option(s, r, weights, contest, me, option):
    """Play on with an option for some rounds; returns the utility for the searching player."""
    if s.placed[MORNING] != 0 and s.chosen[me] == NONE:
        choose_card(s, me, option & (1 << ORDER_BITS) - 1)
        rest_of_round(s, r, s.captain, MORNING, True)
    else:
        resume(s, r, option)
    for _ in range(1, weights.depth):
        if is_over(s, r):
            break
        next_round(s, r)
    if is_over(s, r):
        score_game(s, r)
        return final_utility(s, r, me, weights.utility, POINTS)
    return chance(s, r, me, weights.value, contest.features, contest.units)


@inline
def _count(contest):
    contest.deals += 1
    for i in range(contest.options):
        if has(contest.alive, i):
            contest.sum[i] += contest.utility[i]
            for j in range(i + 1):
                contest.product[i, j] += contest.utility[i] * contest.utility[j]


@inline
def _mean(contest, i):
    return contest.sum[i] / contest.deals


@jit
def _error(contest, i, j):
    """The standard error of the difference of two options on the same deals."""
    high, low = max(i, j), min(i, j)
    n = contest.deals
    squares = contest.product[i, i] + contest.product[j, j] - 2.0 * contest.product[high, low]
    difference = _mean(contest, i) - _mean(contest, j)
    return sqrt(max(squares / n - difference * difference, 0.0) / max(n - 1, 1))


@jit
def _leader(contest):
    """The best of the options still tried, the first of equals."""
    best = lowest(contest.alive)
    for i in range(contest.options):
        if has(contest.alive, i) and _mean(contest, i) > _mean(contest, best):
            best = i
    return best


@jit
def _drop_the_poor(contest, errors, first_stays):
    """Drop options that are behind the best. Where there is a gate, a few deals must not outvote the first thought."""
    best = _leader(contest)
    for i in range(np.int64(first_stays), contest.options):
        if i != best and has(contest.alive, i):
            behind = _mean(contest, best) - _mean(contest, i)
            if behind >= errors * _error(contest, best, i):
                contest.alive &= ~only(i)
                contest.behind[i] = behind


@jit
def write_values(contest, values):
    """Write the mean utility of every option; a dropped one gets the leader's, less what it was behind."""
    best = _mean(contest, _leader(contest))
    for i in range(contest.options):
        values[i] = _mean(contest, i) if has(contest.alive, i) else best - contest.behind[i]


@jit
def _winner(weights, contest):
    """The first thought, unless the best option beats it by `gate` standard errors."""
    if contest.deals == 0:
        return contest.option[0]
    best = _leader(contest)
    if weights.gate > 0.0 and _mean(contest, best) - _mean(contest, 0) <= weights.gate * _error(contest, best, 0):
        best = 0
    return contest.option[best]

"""House rules: the moments at which the functions of a file act or change a number, and the gates to their engine.

The rules are compiled a second time, for a rulebook with the field `house`; only there the moments call the file's
functions, by address. In the ordinary engine they compile to nothing. It has a gate at the few places where games with
house rules leave it: `is_gated` and `through_gate`. Whatever a file does shows in the view, so that a player who plays
on from a view plays by the same rules.

A file's function cannot be left in its middle. So a gift that needs room waits in the view until the function has
returned; then the ship is asked which hold to empty, and a game can go on from that question like from any other.
"""

import numpy as np

from jamaica_sim.engine.decide import ask, ask_place
from jamaica_sim.engine.events import note_house_asks, note_house_give, note_house_number
from jamaica_sim.engine.loading import can_load, empty_hold, from_bank
from jamaica_sim.engine.machine.bits import ONE, ZERO, count, lowest, only
from jamaica_sim.engine.machine.hold_word import (
    add_stock,
    cleared,
    contents_at,
    distinct,
    empty_holds,
    filled,
    holds_without,
    number_of,
    place_of,
)
from jamaica_sim.engine.machine.jit import jit, overloaded
from jamaica_sim.engine.machine.memory import NUMBER, caller
from jamaica_sim.engine.state import GAME_DTYPE, HOUSE_RULES_DTYPE, NONE, RULES_DTYPE, STATE_DTYPE, TRACED_STATE_DTYPE
from jamaica_sim.game.codes import (
    AT_BATTLE_BEGIN,
    CHOSEN,
    EMPTY,
    GOLD,
    HOLD_TO_EMPTY,
    HOUSE_CHOICE,
    LARGEST_NUMBER,
    MOST_OPTIONS,
    MOST_QUESTIONS,
    OF_BATTLE_RESULT,
    OF_POINTS,
    OF_SHORTAGE,
)

CALLED_OFF = np.int64(-1)  # what `battle_begins` returns where the battle does not take place
REFUSED = 2  # `error` of a state in which a file returned what makes no sense; 1 is a strategy's illegal answer
ASKED_BITS = np.int64(8)  # a question is the number of its options and, above these bits, 1 + the player who is asked
# What the engine of house rules is asked to do: to play a part of the game, or, from VERBS on, a verb of a file.
SET_UP, NEXT_ROUND, REST_OF_ROUND, RESUME, SCORE = (np.int64(i) for i in range(5))
VERB_NAMES = ("give", "take", "sail", "draw_treasure", "roll", "set_captain", "move_hold", "return_treasure", "add")
GIVE, TAKE, SAIL, DRAW_TREASURE, ROLL, SET_CAPTAIN, MOVE_HOLD, RETURN_TREASURE, ADD = (
    np.int64(8 + i) for i in range(len(VERB_NAMES))
)

call_moment = caller(GAME_DTYPE, RULES_DTYPE, *5 * [NUMBER])
_call_engine = caller(STATE_DTYPE, HOUSE_RULES_DTYPE, *4 * [NUMBER])
_call_traced_engine = caller(TRACED_STATE_DTYPE, HOUSE_RULES_DTYPE, *4 * [NUMBER])


# The gates


@overloaded
def is_gated(s, r):
    """Whether this game is played by the engine of house rules; in that engine itself there are no gates."""
    return (lambda s, r: False) if "house" in r.fields else (lambda s, r: r.engine[0] != 0)


@overloaded
def through_gate(s, r, part, first, second, third):
    """Have the engine of house rules play a part of the game."""
    if "house" in r.fields:
        return lambda s, r, part, first, second, third: None
    return _pass_traced if "traced" in s.fields else _pass


def _pass(s, r, part, first, second, third):
    _call_engine(r.engine[0], s, r, part, first, second, third)


def _pass_traced(s, r, part, first, second, third):
    _call_traced_engine(r.engine[1], s, r, part, first, second, third)


# The moments


@overloaded
def act(s, r, moment, first, second, third):
    """Let the file act at a moment that is about these ships and spaces; returns 0, or CALLED_OFF."""
    return _act if "house" in r.fields else (lambda s, r, moment, first, second, third: ZERO)


def _act(s, r, moment, first, second, third):
    if r.moments[moment] == 0:
        return ZERO
    s.moment = moment
    s.moment_space = s.space[max(s.turn, ZERO)]
    s.moment_of[0], s.moment_of[1], s.moment_of[2] = first, second, third
    return _ask_on(s, r, moment, _call(s, r, moment, first, second, third, ZERO, ZERO))


@jit
def _call(s, r, moment, first, second, third, fourth, fifth):
    """Call the function of a moment; `in_moment` tells whose fault an error is."""
    s.in_moment = moment + 1
    s.keeps_trace = keeps_trace(s)
    returned = call_moment(r.moments[moment], s, r, first, second, third, fourth, fifth)
    s.in_moment = 0
    return returned


@overloaded
def keeps_trace(s):
    """1 in a state record with a trace, otherwise 0."""
    return (lambda s: 1) if "traced" in s.fields else (lambda s: 0)


@jit
def _refuse(s, moment, returned):
    """What a file returned makes no sense, and would be an index or a number of the result row."""
    s.in_moment = moment + 1
    s.error = REFUSED
    s.error_answer = returned
    raise ValueError("a function of the house rules returned what makes no sense there")


@jit
def _ask_on(s, r, moment, question):
    """Ask what a moment wants to know, until it has no more questions; returns 0, or CALLED_OFF."""
    asked = ZERO
    hand_out(s, r, question)
    while question > 0:
        player, options = (question >> ASKED_BITS) - 1, question & (1 << ASKED_BITS) - 1
        asked += 1
        is_good = ZERO <= player < r.players and ONE <= options <= MOST_OPTIONS and asked <= MOST_QUESTIONS
        if not is_good or r.moments[CHOSEN + s.moment] == 0:
            _refuse(s, moment, question)
        answer = ask(s, r, HOUSE_CHOICE, player, player, only(options) - 1)
        moment, question = CHOSEN + s.moment, _chosen(s, r, player, options, answer)
        hand_out(s, r, question)
    if question < 0 and (question != CALLED_OFF or s.moment != AT_BATTLE_BEGIN):
        _refuse(s, moment, question)
    return question


@jit
def _chosen(s, r, player, options, answer):
    """What follows an answer, by the moment's function `..._chosen`; returns its next question, if it has one."""
    note_house_asks(s, moment=s.moment, ship=player, player=player, options=options, answer=answer)
    about = s.moment_of
    return _call(s, r, CHOSEN + s.moment, about[0], about[1], about[2], player, answer)


@overloaded
def house_choice_on(s, r, answer):
    """Go on after the question of a moment, or after one about its gifts; returns what `act` would have returned."""
    return _house_choice_on if "house" in r.fields else (lambda s, r, answer: ZERO)


def _house_choice_on(s, r, answer):
    if s.gifts_waiting > 0:
        hand_out_on(s, answer)
        return _ask_on(s, r, CHOSEN + s.moment, s.question_after)
    return _ask_on(s, r, CHOSEN + s.moment, _chosen(s, r, s.me, count(s.legal), answer))


@overloaded
def is_asked_by_house(s, r):
    """Whether the question of the view is one of a moment, or about its gifts."""
    if "house" in r.fields:
        return lambda s, r: s.decision == HOUSE_CHOICE or s.gifts_waiting > 0
    return lambda s, r: False


@overloaded
def is_still_at(s, r, ship, space):
    """Whether a ship is still where it arrived: a ship that house rules have moved owes nothing there."""
    if "house" in r.fields:
        return lambda s, r, ship, space: s.space[ship] == space
    return lambda s, r, ship, space: True


# The numbers


@overloaded
def changed(s, r, moment, n, ship, second, third, fourth):
    """The number `n`, as house rules change it; the arguments of the moment are `ship`, ..., and `n` last."""
    return _changed if "house" in r.fields else (lambda s, r, moment, n, ship, second, third, fourth: n)


def _changed(s, r, moment, n, ship, second, third, fourth):
    number = _number(s, r, moment, n, ship, second, third, fourth)
    if number != n:
        note_house_number(s, moment=moment, ship=ship, was=n, is_=number)
    return number


@overloaded
def foreseen(s, r, moment, n, ship, second, third, fourth):
    """The same as `changed` where the number is only looked up: nothing is noted."""
    return _number.py_func if "house" in r.fields else (lambda s, r, moment, n, ship, second, third, fourth: n)


@jit
def _number(s, r, moment, n, ship, second, third, fourth):
    if r.moments[moment] == 0:
        return n
    number = _call(s, r, moment, ship, second, third, fourth, n)
    if moment == OF_BATTLE_RESULT:
        is_good = number == NONE or number == ship or number == second
    elif moment == OF_SHORTAGE:
        is_good = number == ZERO or number == ONE
    else:
        is_good = -LARGEST_NUMBER <= number <= LARGEST_NUMBER
    if not is_good:
        _refuse(s, moment, number)
    return number


@jit
def points_in_all(s, r, ship, points):
    """The points of a ship as house rules change them, also outside their engine: a searcher values positions so."""
    return _number(s, r, OF_POINTS, points, ship, ZERO, ZERO, ZERO)


@overloaded
def has_moment(r, moment):
    """Whether the file changes this number; never in the ordinary engine."""
    return (lambda r, moment: r.moments[moment] != 0) if "house" in r.fields else (lambda r, moment: False)


SHIP_BITS, RESOURCE_BITS = 3, 2  # of a gift that waits; the amount lies above them


@jit
def in_bank(s, r, resource, amount):
    """As much of an amount as a limited bank still has (C6)."""
    return min(amount, r.bank[resource] - s.in_play[resource]) if r.limited_bank != 0 else amount


@jit
def give(s, r, moment, ship, resource, amount, may_wait):
    """Goods from the bank; returns how much comes aboard, now or when room was made. The ghost keeps doubloons (G6)."""
    amount = in_bank(s, r, resource, amount)
    if amount <= 0 or (ship == r.ghost and resource != GOLD):
        return ZERO
    stowage = s.stowage[ship]
    empty = empty_holds(stowage)
    if empty != 0:
        _come_aboard(s, moment, ship, resource, amount, lowest(empty))
    elif may_wait and ship != r.ghost and can_load(stowage, resource):
        if s.gifts_waiting == s.gifts.size:
            raise ValueError("too many gifts at one moment for ships without an empty hold")
        s.gifts[s.gifts_waiting] = (amount << RESOURCE_BITS | resource) << SHIP_BITS | ship
        s.gifts_waiting += 1
    else:
        return ZERO
    return amount


@jit
def hand_out(s, r, question):
    """Bring the gifts that wait aboard, one after the other; `question` is what the moment asks after that."""
    s.question_after = question
    while s.gifts_waiting > 0:
        gift = s.gifts[0]
        ship = gift & (1 << SHIP_BITS) - 1
        resource = (gift >> SHIP_BITS) & (1 << RESOURCE_BITS) - 1
        amount = in_bank(s, r, resource, gift >> (SHIP_BITS + RESOURCE_BITS))
        stowage = s.stowage[ship]
        empty = empty_holds(stowage)
        if amount > 0 and empty != 0:
            _come_aboard(s, s.moment, ship, resource, amount, lowest(empty))
        elif amount > 0 and can_load(stowage, resource):
            options = distinct(stowage, holds_without(stowage, resource))
            place = ask_place(s, r, HOLD_TO_EMPTY, ship, ship, options, resource, amount)
            _come_aboard(s, s.moment, ship, resource, amount, place)
        _forget_first(s)


@jit
def hand_out_on(s, hold):
    """Go on after the question which hold to empty for the first gift that waits."""
    _come_aboard(s, s.moment, s.ship, s.resource, s.amount, place_of(hold))
    _forget_first(s)


@jit
def _forget_first(s):
    s.gifts_waiting -= 1
    for i in range(s.gifts_waiting):
        s.gifts[i] = s.gifts[i + 1]


@jit
def _come_aboard(s, moment, ship, resource, amount, place):
    emptied = fill(s, ship, place, resource, amount)
    from_bank(s, resource, amount)
    hold = number_of(place)
    note_house_give(s, moment=moment, ship=ship, resource=resource, amount=amount, hold=hold, emptied=emptied)


@jit
def fill(s, ship, place, resource, amount):
    """Put goods into a hold that is emptied first; returns what was in it, as resource and amount."""
    stowage = s.stowage[ship]
    kind, there = EMPTY, ZERO
    if contents_at(stowage, place) != 0:
        kind, there = empty_hold(s, ship, stowage, place)
        stowage = cleared(stowage, place)
    s.stowage[ship] = filled(stowage, place, resource, amount)
    add_stock(s, ship, resource, amount)
    return kind, there

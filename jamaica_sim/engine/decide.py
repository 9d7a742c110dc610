"""Asking a strategy: the one place where a player's decision comes from.

The state has the address of each strategy's compiled function, so the compiled engine does not depend on it. The call
uses numba's own convention, so that exceptions come through. Address 0 is uniform random play, which is part of the
engine because a call costs as much as the rest of a random decision.
"""

import numpy as np

from jamaica_sim.engine.events import events_noted
from jamaica_sim.engine.luck import mark_luck
from jamaica_sim.engine.machine.bits import count, lowest, nth, single
from jamaica_sim.engine.machine.hold_word import (
    AMOUNT,
    EVERY_BYTE,
    MARKS,
    empty_holds,
    holds_with,
    place_of,
    set_bytes,
    set_of,
)
from jamaica_sim.engine.machine.jit import entry, inline, jit, overloaded
from jamaica_sim.engine.machine.memory import ADDRESS, caller, copy_to_address, load_row, store_at_address
from jamaica_sim.engine.machine.random import LUCK_OF_OWN, STEP, below, scramble
from jamaica_sim.engine.points import points_now
from jamaica_sim.engine.state import CHOICE_ROWS, NONE, POSITION_BYTES, RULES_DTYPE, STATE_DTYPE, VIEW_DTYPE
from jamaica_sim.game.codes import EMPTY, FOOD, GOLD, GUNPOWDER, MAX_SHIPS, RESOURCES

LARGEST_ANSWER = 62
NO_POINTS = np.int64(-(1 << 14))
VIEW_BYTES = VIEW_DTYPE.itemsize
ANSWER_OFFSET = STATE_DTYPE.fields["answer"][1]


# Calls the strategy function at an address with (view, rules, weights); the view is the head of the state.
call_strategy = caller(VIEW_DTYPE, RULES_DTYPE, ADDRESS)


@inline
def shuffle_luck(s, player):
    """Draw the luck of the player's next decision now, so that nothing waits for it later."""
    place = s.luck_place[player] + STEP
    s.luck_place[player] = place
    s.luck[player] = scramble(place)


@jit
def _capture(s):
    """Keep a copy of the asked player's view, or of the whole position."""
    s.noted = events_noted(s)
    copy_to_address(s.capture + s.captured * s.capture_bytes, s, s.capture_bytes)
    s.captured += 1


@jit
def _capture_answer(s, answer):
    """Note the answer in the position that was captured last."""
    if s.capture_bytes == POSITION_BYTES:
        store_at_address(s.capture + (s.captured - 1) * s.capture_bytes + ANSWER_OFFSET, answer)


@jit
def unpack_holds(s):
    """Unpack the ships' stowage into fields that are easier to read, for strategies that do not read the words."""
    changed = 0
    for ship in range(MAX_SHIPS):
        changed |= np.int64(s.unpacked[ship] != s.stowage[ship]) << ship
    while changed != 0:
        _unpack_ship(s, lowest(changed))
        changed &= changed - 1


@inline
def _unpack_ship(s, ship):
    stowage = s.stowage[ship]
    gold, food, powder = holds_with(stowage, GOLD), holds_with(stowage, FOOD), holds_with(stowage, GUNPOWDER)
    others = EVERY_BYTE ^ (gold | food | powder)  # empty holds, and holds that the ship does not have
    set_bytes(s.hold_kind, ship, GOLD * gold + FOOD * food + GUNPOWDER * powder + EMPTY * others)
    set_bytes(s.hold_count, ship, stowage & MARKS * AMOUNT)
    s.holds[ship, GOLD] = set_of(gold)
    s.holds[ship, FOOD] = set_of(food)
    s.holds[ship, GUNPOWDER] = set_of(powder)
    s.holds[ship, EMPTY] = set_of(empty_holds(stowage))
    s.unpacked[ship] = stowage


@inline
def show_view(s, r, decision, player, ship, legal):
    """Fill in one player's view: the question, the player's own cards and treasures, and what it knows (K1, K2)."""
    s.luck_key = s.luck[player]  # does not reveal the stream that it was drawn from
    s.luck_index = 0
    s.me = player
    s.ship = ship
    s.decision = decision
    s.legal = legal
    s.hand = s.hands[player]
    s.card = s.chosen[player]
    s.treasures = s.hidden[player]
    for owner in range(MAX_SHIPS):
        s.known[owner] = s.knows[player, owner]


@inline
def _ask_strategy(s, r, decision, player, ship, legal):
    if single(legal):
        return lowest(legal)
    return _call_strategy(s, r, decision, player, ship, legal)


@jit
def _call_strategy(s, r, decision, player, ship, legal):
    mark_luck(s, r, LUCK_OF_OWN)
    show_view(s, r, decision, player, ship, legal)
    shuffle_luck(s, player)
    if s.capture_room == 0 and s.reads_words[player] != 0:
        answer = call_strategy(s.strategy[decision, player], s, r, s.weights[player])
    else:
        answer = _call_with_more(s, r, decision, player)
    if answer < 0 or answer > LARGEST_ANSWER or (legal >> answer) & 1 == 0:
        return _instead_of(s, decision, player, legal, answer)
    return answer


@jit
def _call_with_more(s, r, decision, player):
    """The strategy's answer where its view shows the holds one by one, or where the view or the position is kept."""
    is_captured = s.captured < s.capture_room
    if s.reads_words[player] == 0 or is_captured:
        unpack_holds(s)
    if is_captured:
        _capture(s)
    answer = call_strategy(s.strategy[decision, player], s, r, s.weights[player])
    if is_captured:
        _capture_answer(s, answer)
    return answer


@jit
def _instead_of(s, decision, player, legal, answer):
    """Note an illegal answer, the first of a game; the game goes on with a legal one."""
    if s.error == 0:
        s.error = 1
        s.error_player = player
        s.error_decision = decision
        s.error_answer = answer
    return lowest(legal)


def _capture_random_choice(s, r, decision, player, ship, legal):
    if s.captured < s.capture_room and not single(legal):
        show_view(s, r, decision, player, ship, legal)
        unpack_holds(s)
        luck, place = s.luck[player], s.luck_place[player]
        shuffle_luck(s, player)
        _capture(s)
        s.luck[player], s.luck_place[player] = luck, place
        _capture_answer(s, nth(legal, below(luck, count(legal))))


def _capture_before_round(s):
    if s.captured < s.capture_room and s.capture_bytes == POSITION_BYTES:
        s.decision = NONE
        _capture(s)


def _write_choice(s, r, decision, player, ship, legal, answer):
    if single(legal) or s.choices_noted >= CHOICE_ROWS:
        return
    row = s.choices[s.choices_noted]
    s.choices_noted += 1
    row.game, row.event, row.round, row.decision = s.game, s.trace_length, s.round, decision
    row.player, row.ship, row.legal, row.answer = player, ship, legal, answer
    row.space, row.lap, row.to_go, row.hand = s.space[ship], s.lap[ship], s.to_go[ship], count(s.hands[player])
    for resource in range(len(RESOURCES)):
        row.goods[resource] = s.stock[ship, resource]
    row.rank, row.points, best = 1, points_now(s, r, ship), NO_POINTS
    for other in range(r.ships):
        if other != ship:
            best = max(best, points_now(s, r, other))
            row.rank += s.to_go[other] < s.to_go[ship]
    row.lead = row.points - best


@overloaded
def _note_choice(s, r, decision, player, ship, legal, answer):
    """Note a choice and who made it, in the engine with a trace; in the other this compiles to nothing."""
    return _write_choice if "traced" in s.fields else (lambda s, r, decision, player, ship, legal, answer: None)


@overloaded
def capture_round(s):
    """Capture the position between two rounds, in the engine with a trace; in the other this compiles to nothing."""
    return _capture_before_round if "traced" in s.fields else (lambda s: None)


@overloaded
def _capture_random(s, r, decision, player, ship, legal):
    """Capture a random decision, in the engine with a trace; in the other this compiles to nothing."""
    return _capture_random_choice if "traced" in s.fields else (lambda s, r, decision, player, ship, legal: None)


@inline
def _choose_at_random(s, r, player, options):
    mark_luck(s, r, LUCK_OF_OWN)
    answer = nth(options, below(s.luck[player], count(options)))
    shuffle_luck(s, player)
    return answer


@inline
def ask(s, r, decision, player, ship, legal):
    """The player's answer, one of the set `legal`; a strategy is not asked where there is only one.

    Random play does the same for one option as for many: a branch on whether there is a choice would be mispredicted
    more often than not.
    """
    if s.strategy[decision, player] != 0:  # this branch costs nothing beside the strategy's own time
        answer = _ask_strategy(s, r, decision, player, ship, legal)
    else:
        _capture_random(s, r, decision, player, ship, legal)
        answer = _choose_at_random(s, r, player, legal)
    _note_choice(s, r, decision, player, ship, legal, answer)
    return answer


@inline
def ask_place(s, r, decision, player, ship, marks, resource, amount):
    """The same as `ask` where the options are holds: takes their marks, and returns the place of the chosen one."""
    s.resource = resource
    s.amount = amount
    if s.strategy[decision, player] != 0:
        place = place_of(_ask_strategy(s, r, decision, player, ship, set_of(marks)))
    else:
        _capture_random(s, r, decision, player, ship, set_of(marks))
        place = _choose_at_random(s, r, player, marks)
    _note_choice(s, r, decision, player, ship, set_of(marks), place >> 3)
    return place


@inline
def ask_seldom(s, r, decision, player, ship, legal):
    """The same as `ask` where there is hardly ever a choice: a branch is nearly always predicted, and saves a draw."""
    if single(legal):
        return lowest(legal)
    return ask(s, r, decision, player, ship, legal)


@entry
def answer_again(views, states, rulebooks, weights, address, answers):
    """Ask the strategy function at `address` once for each view, copied to the head of the only record in `states`."""
    s = states[0]
    r = rulebooks[0]
    for i in range(views.size):
        load_row(s, views, i, VIEW_BYTES)
        answers[i] = call_strategy(address, s, r, weights)

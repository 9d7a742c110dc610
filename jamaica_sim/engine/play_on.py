"""Playing on from a position: the rest of a round from any decision with a given answer, and the rounds after it.

A position is the state without its sums, at the moment when a player is asked (the view says what) or between two
rounds. Each rule is split where it asks: its function `..._on` does what follows the answer. So nothing is played
twice, no log is kept, and the same code plays whole games and plays on from a position.
"""

import numpy as np

from jamaica_sim.engine.arriving import after_retreat, arrive, arrive_on, end_fall, settle, take_token, take_treasure
from jamaica_sim.engine.battle import battle_on, begin_battle
from jamaica_sim.engine.deal_anew import deal_blindly
from jamaica_sim.engine.decide import ask
from jamaica_sim.engine.ghost import GHOST_ASKS, arrive_as_ghost_on, ghost_moves, ghost_moves_on
from jamaica_sim.engine.house_rules import (
    NEXT_ROUND,
    REST_OF_ROUND,
    RESUME,
    act,
    house_choice_on,
    is_asked_by_house,
    is_gated,
    is_still_at,
    through_gate,
)
from jamaica_sim.engine.loading import is_loading, load_on
from jamaica_sim.engine.luck import new_luck_to_come
from jamaica_sim.engine.machine.bits import ONE, ZERO, has, only, pick
from jamaica_sim.engine.machine.jit import entry, inline, jit, overloaded
from jamaica_sim.engine.machine.memory import load_row, store_row
from jamaica_sim.engine.machine.random import STEP, draw, scramble
from jamaica_sim.engine.moving import MOVING_ASKS, sail_on
from jamaica_sim.engine.paying import PAYING_ASKS, pay_on
from jamaica_sim.engine.position import copy_position, new_position, seat_players_of
from jamaica_sim.engine.scoring import score_game
from jamaica_sim.engine.shortage import SHORTAGE_ASKS, run_short_on
from jamaica_sim.engine.state import (
    ACTION_BITS,
    NONE,
    POSITION_BYTES,
    RESULT_BYTES,
    RESULT_OFFSET,
)
from jamaica_sim.engine.turn import (
    act_in_turn,
    ask_card,
    ask_dice,
    begin_round,
    choose_card,
    draw_and_pass,
    end_round,
    is_over,
    left_of,
    place_dice,
)
from jamaica_sim.game.codes import (
    AT_ARRIVAL,
    AT_BATTLE_BEGIN,
    AT_BATTLE_END,
    AT_LAIR,
    AT_ROUND_BEGIN,
    CHOOSE_CARD,
    EVENING,
    MORNING,
    PLACE_DICE,
)

# Moments of house rules in the middle of an action. At the others no ship is acting.
MOMENTS_OF_ACTIONS = np.int64(1 << AT_ARRIVAL | 1 << AT_LAIR | 1 << AT_BATTLE_BEGIN | 1 << AT_BATTLE_END)


@jit
def next_round(s, r):
    """Play one round: the same as `play_round`, but with one copy of the actions' code for everything that plays on."""
    if is_gated(s, r):
        through_gate(s, r, NEXT_ROUND, ZERO, ZERO, ZERO)
        return
    begin_round(s, r)
    act(s, r, AT_ROUND_BEGIN, ZERO, ZERO, ZERO)
    _dice_and_cards(s, r)


@inline
def _dice_and_cards(s, r):
    """A round from the moment when its dice are placed."""
    ask_dice(s, r)
    _choose_on(s, r, s.captain)
    rest_of_round(s, r, s.captain, MORNING, True)


@jit
def rest_of_round(s, r, player, when, is_acting):
    """Play the actions from this player's at this time of day on, unless all have acted; then end the round."""
    if is_gated(s, r):
        through_gate(s, r, REST_OF_ROUND, player, when, np.int64(is_acting))
        return
    actions = ONE
    if is_acting:
        actions = _symbols_from(s, r, player) >> (ACTION_BITS * when)
    act_in_turn(s, r, player, when, actions)
    end_round(s, r)


@inline
def _symbols_from(s, r, player):
    """The symbols of the cards of this player and the players after it, and a 1 that marks the end."""
    symbols, shift, ship = ZERO, ZERO, player
    while shift == 0 or ship != s.captain:
        symbols |= r.card_actions[s.chosen[ship]] << shift
        shift += 2 * ACTION_BITS
        ship = left_of(r, ship)
    return symbols | ONE << shift


@jit
def _choose_on(s, r, player):
    """T2: from this player on, everybody chooses a card."""
    ship = player
    while s.chosen[ship] == NONE:
        ask_card(s, r, ship)
        ship = left_of(r, ship)


@inline
def ask_again(s, r):
    """Ask the question of the view again; returns the answer."""
    return ask(s, r, s.decision, s.me, s.ship, s.legal)


@jit
def resume(s, r, answer):
    """Play to the end of the round from the decision in the view, with this answer."""
    if is_gated(s, r):
        through_gate(s, r, RESUME, answer, ZERO, ZERO)
        return
    if is_asked_by_house(s, r) and not has(MOMENTS_OF_ACTIONS, s.moment):
        _between_actions_on(s, r, answer)
        return
    if s.decision == PLACE_DICE or s.decision == CHOOSE_CARD:
        if s.decision == PLACE_DICE:
            place_dice(s, answer)
            _choose_on(s, r, s.captain)
        else:
            choose_card(s, s.me, answer)
            _choose_on(s, r, left_of(r, s.me))
        rest_of_round(s, r, s.captain, MORNING, True)
        return
    ship, when = s.turn, s.when
    _end_action(s, r, ship, when, answer)
    if ship == r.ghost:
        ghost_moves(s, r, when + 1)
        draw_and_pass(s, r)
    else:
        player = pick(when == EVENING, left_of(r, ship), ship)
        rest_of_round(s, r, player, when ^ EVENING, when == MORNING or player != s.captain)


@overloaded
def _between_actions_on(s, r, answer):
    """Go on after a question that house rules asked while no ship was acting."""
    return _end_or_begin if "house" in r.fields else (lambda s, r, answer: None)


def _end_or_begin(s, r, answer):
    moment = s.moment
    house_choice_on(s, r, answer)
    if moment == AT_ROUND_BEGIN:
        _dice_and_cards(s, r)


@jit
def _end_action(s, r, ship, when, answer):
    """Finish the action in progress, from the rule that asked."""
    decision = s.decision
    space, others = NONE, ZERO  # where the ship has yet to arrive, and who is there
    if is_asked_by_house(s, r):
        space, others = _end_moment(s, r, ship, answer)
    elif has(MOVING_ASKS, decision):
        space, others = sail_on(s, r, ship, when, answer)
    elif has(SHORTAGE_ASKS, decision):
        space, others = run_short_on(s, r, ship, answer)
        space, others = after_retreat(s, r, ship, space, others)
    elif has(PAYING_ASKS, decision):
        pay_on(s, r, ship, answer)
    elif has(GHOST_ASKS, decision):
        ghost_moves_on(s, r, when, answer)
    elif is_loading(s, r):
        load_on(s, ship, answer)
    else:
        start = s.space[ship]
        battle_on(s, r, ship, answer)
        space, others = _after_battle(s, r, ship, start)
    arrive(s, r, ship, space, others)


@inline
def _after_battle(s, r, ship, start):
    """What a ship still owes on the space where it fought; returns a new arrival, if there is one."""
    space, others = NONE, ZERO
    if is_still_at(s, r, ship, start):
        if ship == r.ghost or (s.retreated != 0 and r.shortage_by_die != 0):
            take_treasure(s, r, ship, start)
        else:
            space, others = settle(s, r, ship, start)
    return space, others


@overloaded
def _end_moment(s, r, ship, answer):
    """Go on after a question that house rules asked in an action; returns a new arrival, if there is one."""
    return _end_moment_of_action if "house" in r.fields else (lambda s, r, ship, answer: (NONE, ZERO))


def _end_moment_of_action(s, r, ship, answer):
    moment, start, about = s.moment, s.moment_space, (s.moment_of[0], s.moment_of[1])
    called_off = house_choice_on(s, r, answer)
    others = s.occupants[start] & ~only(ship)
    if moment == AT_LAIR:
        take_token(s, r, ship, start)
        return NONE, ZERO
    if moment == AT_ARRIVAL:
        if ship == r.ghost:
            arrive_as_ghost_on(s, r, start, others)
        elif s.retreated != 0 and r.shortage_by_die != 0:
            end_fall(s, r, ship, start, others)
        else:
            return arrive_on(s, r, ship, start, others)
        return NONE, ZERO
    if moment == AT_BATTLE_BEGIN:
        begin_battle(s, r, about[0], about[1], start, called_off)
    return _after_battle(s, r, ship, start)


@inline
def _finish_game(s, r):
    """Play until the game is over and fill the result row, except the columns about leaders of earlier rounds."""
    while not is_over(s, r):
        next_round(s, r)
        if s.error != 0:
            return
    s.rounds = s.round
    s.finished = s.finished_ships != 0
    score_game(s, r)


@overloaded
def _renew(s, r, key):
    """Renew the luck; where a trace is kept and `is_blind` is set, deal again what the player cannot know."""
    return _renew_or_deal if "traced" in s.fields else (lambda s, r, key: new_luck_to_come(s, r, key))


def _renew_or_deal(s, r, key):
    if s.is_blind != 0:
        s.trace_length = 0
        deal_blindly(s, r, key)
    else:
        new_luck_to_come(s, r, key)


@inline
def _play_on(s, r, positions, index, seed, first, answer, rows):
    own = new_position()
    copy_position(own, s)
    for i in range(rows.size):
        load_row(s, positions, index, POSITION_BYTES)
        seat_players_of(own, s)
        s.captured = s.capture_room = 0
        if seed >= 0:
            _renew(s, r, draw(scramble(np.uint64(seed) + STEP), first + i))
        if s.decision != NONE:
            resume(s, r, answer if answer != NONE else ask_again(s, r))
        if s.error == 0:
            _finish_game(s, r)
        if s.error != 0:
            return i
        store_row(rows, i, s, RESULT_OFFSET, RESULT_BYTES)
    return rows.size


@entry
def play_on(states, rulebooks, positions, index, seed, first, answer, rows):
    """Play a position on to the end of the game, once for each row; returns how many before a strategy erred.

    `answer` is given to the decision in progress; with NONE the player is asked. Row i has the luck of
    (`seed`, `first` + i), or with a negative seed the game's own luck. The strategies are those of `states`.
    """
    return _play_on(states[0], rulebooks[0], positions, index, seed, first, answer, rows)


@entry
def trace_on(states, rulebooks, positions, index, seed, first, answer, rows):
    """The same as `play_on`, in a state record with a trace."""
    return _play_on(states[0], rulebooks[0], positions, index, seed, first, answer, rows)

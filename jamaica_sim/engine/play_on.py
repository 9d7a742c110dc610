"""Playing on from a position: the rest of a round from any decision with a given answer, and the rounds after it.

A position is the state without its sums, at the moment when a player is asked (the view says what) or between two
rounds. Each rule is cut where it asks: here is what follows the answer. So nothing is played twice, no log is kept,
and the same code plays a game and plays on from it.
"""

import numpy as np

from jamaica_sim.codes import (
    ATTACK_POWDER,
    BACKWARD,
    CHOOSE_CARD,
    CHOOSE_LOOT,
    CHOOSE_RETREAT,
    CHOOSE_SPACE,
    CHOOSE_TARGET,
    DEFENCE_POWDER,
    EVENING,
    FORWARD,
    GHOST_DIRECTION,
    GHOST_LOOT,
    GHOST_SPACE,
    GHOST_TARGET,
    HOLD_TO_EMPTY,
    HOLD_TO_PAY,
    MORNING,
    PLACE_DICE,
    USE_SABRE,
)
from jamaica_sim.engine.arriving import after_retreat, arrive, settle, take_treasure
from jamaica_sim.engine.battle import (
    ATTACK_ROLL,
    ATTACK_STANDS,
    DEFENCE_ROLL,
    DEFENCE_STANDS,
    OPENING,
    commit_powder,
    fight,
    open_battle,
)
from jamaica_sim.engine.decide import ask
from jamaica_sim.engine.ghost import GO_FORWARD, arrive_as_ghost, ghost_moves, move_ghost
from jamaica_sim.engine.loading import count_load, empty_hold, fill_hold, to_bank
from jamaica_sim.engine.looting import take_loot
from jamaica_sim.engine.luck import new_luck_to_come
from jamaica_sim.engine.machine.bits import ONE, ZERO
from jamaica_sim.engine.machine.branch_hints import out_of_line, pick
from jamaica_sim.engine.machine.hold_word import cleared, place_of
from jamaica_sim.engine.machine.jit import entry, inline, jit
from jamaica_sim.engine.machine.memory import copy_record, load_row, stack_record, store_row
from jamaica_sim.engine.machine.random import STEP, draw, scramble
from jamaica_sim.engine.moving import plot_course, sail_to, way_of
from jamaica_sim.engine.paying import pay, pay_from
from jamaica_sim.engine.sabre import REROLL
from jamaica_sim.engine.scoring import score_game
from jamaica_sim.engine.shortage import retreat_to
from jamaica_sim.engine.state import (
    ACTION_BITS,
    NO_FACE,
    NONE,
    POSITION_BYTES,
    RESULT_BYTES,
    RESULT_OFFSET,
    STATE_DTYPE,
)
from jamaica_sim.engine.turn import (
    act_in_turn,
    ask_card,
    ask_dice,
    begin_round,
    choose_card,
    draw_and_pass,
    end_round,
    left_of,
    place_dice,
)

CACHE_LINE = 64

# Room for a position on the stack, all zero; its type is that of a state, whose sums must not be touched.
new_position = stack_record(STATE_DTYPE, POSITION_BYTES, CACHE_LINE, cleared=True)


@inline
def copy_position(target, source):
    """Make one position equal to another."""
    copy_record(target, source, POSITION_BYTES)


@inline
def is_over(s, r):
    """Whether the game has ended (E1, E4); asked between two rounds."""
    return s.finished_ships != 0 or s.round >= r.round_cap


@jit
def next_round(s, r):
    """One round from its start: the same as `play_round`, with one copy of the actions' code for all that plays on."""
    begin_round(s, r)
    ask_dice(s, r)
    _choose_on(s, r, s.captain)
    rest_of_round(s, r, s.captain, MORNING, True)


@jit
def rest_of_round(s, r, player, when, is_acting):
    """The actions from this player's at this time of day on, unless all have acted; then the end of the round."""
    out_of_line()
    actions = ONE
    if is_acting:
        actions = _symbols_from(s, r, player) >> (ACTION_BITS * when)
    act_in_turn(s, r, player, when, actions)
    end_round(s, r)


@inline
def _symbols_from(s, r, player):
    """The symbols of the cards chosen by this player and those after it, and a 1 at the end."""
    symbols, place, ship = ZERO, ZERO, player
    while place == 0 or ship != s.captain:
        symbols |= r.card_actions[s.chosen[ship]] << place
        place += 2 * ACTION_BITS
        ship = left_of(r, ship)
    return symbols | ONE << place


@jit
def _choose_on(s, r, player):
    """T2: from this player on, everybody chooses a card."""
    ship = player
    while s.chosen[ship] == NONE:
        ask_card(s, r, ship)
        ship = left_of(r, ship)


@inline
def ask_again(s, r):
    """What the player who is being asked answers here."""
    return ask(s, r, s.decision, s.me, s.ship, s.legal)


@jit
def resume(s, r, answer):
    """Go on to the end of the round from the decision that the view shows, with this answer to it."""
    out_of_line()
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


@jit
def _end_action(s, r, ship, when, answer):
    """The rest of the action of the ship whose turn it is."""
    out_of_line()
    decision = s.decision
    space, others = NONE, ZERO  # where the ship has yet to arrive
    if decision == CHOOSE_SPACE:
        direction = r.card_symbol[s.played[ship], when]
        course = plot_course(s, r, ship, direction, s.placed[when])
        space, others = answer, sail_to(s, r, ship, direction, course, answer)
    elif decision == CHOOSE_RETREAT:
        others = retreat_to(s, r, ship, s.space[ship], s.legal, answer)
        space, others = after_retreat(s, r, ship, answer, others)
    elif decision == HOLD_TO_PAY:
        _pay_on(s, r, ship, answer)
    elif decision == HOLD_TO_EMPTY and is_loading(s, r):
        _make_room(s, answer)
        count_load(s, ship, s.resource, s.amount)
    elif decision == GHOST_DIRECTION:
        move_ghost(s, r, when, pick(answer == GO_FORWARD, FORWARD, BACKWARD), False)
    elif decision == GHOST_SPACE:
        _sail_ghost(s, r, when, answer)
    else:
        _fight_on(s, r, ship, answer)
        if ship == r.ghost or (s.retreated != 0 and r.shortage_by_die != 0):
            take_treasure(s, r, ship, s.space[ship])
        else:
            space, others = settle(s, r, ship, s.space[ship])
    arrive(s, r, ship, space, others)


@inline
def is_loading(s, r):
    """Whether the action in progress is a load; a hold is emptied for loot too."""
    return s.turn != r.ghost and r.card_symbol[s.played[s.turn], s.when] < FORWARD


@inline
def _pay_on(s, r, ship, hold):
    """The rest of a payment, of which `amount` was due when it was asked from which hold."""
    left = s.amount - pay_from(s, ship, s.stowage[ship], place_of(hold), s.resource, s.amount)
    to_bank(s, s.resource, r.cost[s.space[ship]] - left)
    pay(s, r, ship, s.resource, left)


@inline
def _make_room(s, hold):
    """Empty a hold for what is coming aboard, and load it."""
    ship, place = s.ship, place_of(hold)
    stowage = s.stowage[ship]
    kind, there = empty_hold(s, ship, stowage, place)
    fill_hold(s, ship, cleared(stowage, place), place, s.resource, s.amount, kind, there)


@inline
def _sail_ghost(s, r, when, end):
    """The ghost's move in the direction to which the offered ends belong."""
    ghost, die = r.ghost, s.placed[when]
    ahead = r.ends[way_of(s.lap[ghost], FORWARD), die, s.space[ghost]]
    direction = pick(s.legal == ahead, FORWARD, BACKWARD)
    others = sail_to(s, r, ghost, direction, plot_course(s, r, ghost, direction, die), end)
    arrive_as_ghost(s, r, end, others)


@inline
def _fight_on(s, r, ship, answer):
    """The rest of a battle from the decision in it."""
    decision = s.decision
    if decision == CHOOSE_LOOT or decision == GHOST_LOOT:
        take_loot(s, r, s.winner, s.loser, s.me, answer)
        return
    if decision == HOLD_TO_EMPTY:
        _make_room(s, answer)
        return
    stage = OPENING
    if decision == ATTACK_POWDER:
        s.attack_powder = commit_powder(s, s.attacker, answer)
        stage = ATTACK_ROLL
    elif decision == DEFENCE_POWDER:
        s.defence_powder = commit_powder(s, s.defender, answer)
        stage = DEFENCE_ROLL
    elif decision == USE_SABRE:
        stage = _after_sabre(s, answer)
    elif decision == CHOOSE_TARGET or decision == GHOST_TARGET:
        open_battle(s, ship, answer, s.space[ship])
    fight(s, r, s.attacker, s.defender, stage)


@inline
def _after_sabre(s, answer):
    """B7: the die just rolled is rolled again, or stands. The defender has rolled if its die shows something."""
    if answer == REROLL:
        s.sabre_used = 1
        return pick(s.defence_face == NO_FACE, ATTACK_ROLL, DEFENCE_ROLL)
    return pick(s.defence_face == NO_FACE, ATTACK_STANDS, DEFENCE_STANDS)


@inline
def _finish_game(s, r):
    """Rounds until the game is over, and the result row, without what goes by the leaders of earlier rounds."""
    while not is_over(s, r):
        next_round(s, r)
        if s.error != 0:
            return
    s.rounds = s.round
    s.finished = s.finished_ships != 0
    score_game(s, r)


@inline
def _play_on(s, r, positions, index, seed, first, answer, rows):
    strategies, weights, reads_words = s.strategy.copy(), s.weights.copy(), s.reads_words.copy()
    for i in range(rows.size):
        load_row(s, positions, index, POSITION_BYTES)
        s.strategy[:], s.weights[:], s.reads_words[:] = strategies, weights, reads_words
        s.captured = s.capture_room = 0
        if seed >= 0:
            new_luck_to_come(s, r, draw(scramble(np.uint64(seed) + STEP), first + i))
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
    """Play a position on to the end of the game, once for each row; returns how many until a strategy erred.

    The answer is that to the decision in progress, NONE to have the player asked. The luck of playing on number i is
    that of (`seed`, `first` + i), or with a negative seed the game's own. The strategies are those of `states`.
    """
    return _play_on(states[0], rulebooks[0], positions, index, seed, first, answer, rows)


@entry
def trace_on(states, rulebooks, positions, index, seed, first, answer, rows):
    """The same in a state record with a trace."""
    return _play_on(states[0], rulebooks[0], positions, index, seed, first, answer, rows)

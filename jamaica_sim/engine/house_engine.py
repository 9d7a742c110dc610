"""The engine of house rules: the rules compiled with their moments, for a rulebook with the field `house`.

One compiled function plays every part of a game that the ordinary engine hands over at its gates, and carries out the
verbs of files. It is compiled when the first file of house rules is played, once for all files, and kept on disk.

Each verb keeps the books: bank, stocks, knowledge, trace. None asks a player and none starts another moment, so a game
can go on from any question: a gift that needs room waits (`house_rules.py`). A verb that cannot be carried out does
nothing, except for a ship, a resource or a moment that makes no sense: that is an error of the file.
"""

import numpy as np

from jamaica_sim.engine.events import (
    note_house_captain,
    note_house_give,
    note_house_hold,
    note_house_return,
    note_house_roll,
    note_house_sail,
    note_house_take,
    note_house_treasure,
)
from jamaica_sim.engine.house_rules import (
    ADD,
    DRAW_TREASURE,
    GIVE,
    MOVE_HOLD,
    NEXT_ROUND,
    REST_OF_ROUND,
    RESUME,
    RETURN_TREASURE,
    ROLL,
    SAIL,
    SCORE,
    SET_CAPTAIN,
    SET_UP,
    TAKE,
    act,
    fill,
    give,
    in_bank,
)
from jamaica_sim.engine.loading import from_bank, to_bank
from jamaica_sim.engine.luck import mark_luck
from jamaica_sim.engine.machine.bits import ONE, ZERO, has, lowest, only
from jamaica_sim.engine.machine.hold_word import (
    MARKS,
    SIXTH_PLACE,
    add_stock,
    amount_at,
    cleared,
    contents_at,
    empty_holds,
    holds_with,
    holds_without,
    kind_at,
    lessened,
    number_of,
    place_of,
    smallest,
)
from jamaica_sim.engine.machine.jit import KeptFunction, inline, jit
from jamaica_sim.engine.machine.random import HOUSE, LUCK_OF_HOUSE, LUCK_OF_TREASURES, below, draw
from jamaica_sim.engine.moving import come_home, lap_after, put, way_of
from jamaica_sim.engine.play_on import next_round, rest_of_round, resume
from jamaica_sim.engine.scoring import score_game
from jamaica_sim.engine.state import HOUSE_RULES_DTYPE, NONE, STATE_DTYPE, TRACED_STATE_DTYPE
from jamaica_sim.engine.treasures import receive, top_of_pile
from jamaica_sim.game.codes import (
    AT_ROUND_BEGIN,
    AT_ROUND_END,
    AT_SET_UP,
    BACKWARD,
    CHOSEN,
    EMPTY,
    FORWARD,
    GOLD,
    GUNPOWDER,
    MAX_FACE,
    OF_DIE,
)


@inline
def _play_part(s, r, part, first, second, third):
    if part == NEXT_ROUND:
        next_round(s, r)
    elif part == RESUME:
        resume(s, r, first)
    elif part == REST_OF_ROUND:
        rest_of_round(s, r, first, second, third != 0)
    elif part == SCORE:
        score_game(s, r)
    elif part == SET_UP:
        _set_up(s, r)
    else:
        return do_verb(s, r, part, first, second, third)
    return ZERO


@inline
def _set_up(s, r):
    """Forget what the last game remembered; then the file sets up its own."""
    s.extra_treasures = 0
    s.house_draws = 0
    s.gifts_waiting = 0
    for i in range(s.memory.size):
        s.memory[i] = 0
    for ship in range(s.ship_memory.shape[0]):
        for i in range(s.ship_memory.shape[1]):
            s.ship_memory[ship, i] = 0
    for space in range(s.space_memory.size):
        s.space_memory[space] = 0
    act(s, r, AT_SET_UP, ZERO, ZERO, ZERO)


def play_house(s, r, part, first, second, third):
    """Play a part of a game, or carry out a verb."""
    return _play_part(s, r, part, first, second, third)


def trace_house(s, r, part, first, second, third):
    """The same in a state record with a trace."""
    return _play_part(s, r, part, first, second, third)


HOUSE_ENGINES = (
    KeptFunction(play_house, STATE_DTYPE, HOUSE_RULES_DTYPE, *4 * [np.int64]),
    KeptFunction(trace_house, TRACED_STATE_DTYPE, HOUSE_RULES_DTYPE, *4 * [np.int64]),
)


MOST_IN_HOLD = np.int64(MAX_FACE)
LARGEST_DIE = 1000


@inline
def _moment(s):
    """The moment that is being played, also in what follows the answer to its question."""
    moment = s.in_moment - 1
    return moment - CHOSEN if moment >= CHOSEN else moment


@jit
def do_verb(s, r, verb, first, second, third):
    """Carry out a verb; returns what the file gets from it."""
    if verb == ROLL:
        return _roll(s, r, first)
    if verb == SET_CAPTAIN:
        return _set_captain(s, r, first)
    if first == -1:
        raise ValueError("there is no ship -1 (last_ship returns -1 where two share the last place)")
    if first < 0 or first >= r.ships:
        raise ValueError("there is no such ship")
    if verb == GIVE:
        return _give(s, r, first, second, third)
    if verb == ADD:
        return _add(s, r, first, second, third)
    if verb == TAKE:
        return _take(s, first, second, third)
    if verb == SAIL:
        return _sail(s, r, first, second)
    if verb == DRAW_TREASURE:
        return _draw_treasure(s, r, first)
    if verb == MOVE_HOLD:
        return _move_hold(s, r, first, second, third)
    if verb == RETURN_TREASURE:
        return _return_treasure(s, r, first, second)
    raise ValueError("there is no such verb")


@jit
def _room_for(s, ship, resource, amount):
    """The place of the hold that goods come into: an empty one, or else the smallest with fewer of another resource.

    NONE where there is none. Players would choose (L2), but a hold that changes ships does so at once.
    """
    stowage = s.stowage[ship]
    empty = empty_holds(stowage)
    if empty != 0:
        return lowest(empty)
    best, least = NONE, amount
    others = holds_without(stowage, resource) & MARKS
    while others != 0:
        place = lowest(others)
        others &= others - 1
        if amount_at(stowage, place) < least:
            best, least = place, amount_at(stowage, place)
    return best


@jit
def _give(s, r, ship, resource, amount):
    """Goods from the bank by the loading rules; a function that only returns a number cannot have the ship asked."""
    _check_resource(resource)
    moment = _moment(s)
    return give(s, r, moment, ship, resource, min(amount, MOST_IN_HOLD), moment < OF_DIE)


@jit
def _add(s, r, ship, resource, amount):
    """Goods from the bank on top of the smallest hold with the same resource that has room; returns how much.

    Where there is none they are a gift into an empty hold. Nothing goes overboard for them.
    """
    _check_resource(resource)
    amount = in_bank(s, r, resource, min(amount, MOST_IN_HOLD))
    stowage = s.stowage[ship]
    place = smallest(stowage, resource)
    if holds_with(stowage, resource) == 0 or amount_at(stowage, place) + amount > MOST_IN_HOLD:
        return give(s, r, _moment(s), ship, resource, amount, False)
    if amount <= 0:
        return ZERO
    s.stowage[ship] += amount << place
    add_stock(s, ship, resource, amount)
    from_bank(s, resource, amount)
    moment, hold, emptied = _moment(s), number_of(place), (EMPTY, ZERO)
    note_house_give(s, moment=moment, ship=ship, resource=resource, amount=amount, hold=hold, emptied=emptied)
    return amount


@jit
def _take(s, ship, resource, amount):
    """Goods back to the bank, out of the smallest holds first; returns how much there was."""
    _check_resource(resource)
    owed = min(amount, s.stock[ship, resource])
    taken = ZERO
    while owed > 0:
        place = smallest(s.stowage[ship], resource)
        part = min(owed, amount_at(s.stowage[ship], place))
        s.stowage[ship] = lessened(s.stowage[ship], place, resource, part)
        add_stock(s, ship, resource, -part)
        to_bank(s, resource, part)
        moment, hold = _moment(s), number_of(place)
        note_house_take(s, moment=moment, ship=ship, resource=resource, amount=part, hold=hold)
        owed -= part
        taken += part
    return taken


@jit
def _sail(s, r, ship, steps):
    """Sail on by the shortest way, or back; returns the space. On the circuit Port Royal ends the way forward (M4)."""
    direction = FORWARD if steps > 0 else BACKWARD
    start, lap = s.space[ship], s.lap[ship]
    for _ in range(abs(steps)):
        if s.lap[ship] == 1:
            break
        here = s.space[ship]
        space = _next(r, r.ends[way_of(s.lap[ship], direction), 1, here], direction)
        put(s, r, ship, here, space, lap_after(s.lap[ship], here, space, direction))
    if s.space[ship] != start or s.lap[ship] != lap:
        to = s.space[ship], s.lap[ship]
        note_house_sail(s, moment=_moment(s), ship=ship, from_=(start, lap), to=to)
        if s.lap[ship] == 1 and not has(s.finished_ships, ship):
            come_home(s, ship)
    return s.space[ship]


@jit
def _next(r, spaces, direction):
    """Of some neighbouring spaces the one on the shortest way."""
    best = lowest(spaces)
    while spaces != 0:
        space = lowest(spaces)
        spaces &= spaces - 1
        if r.to_finish[space] < r.to_finish[best] and space != 0:
            best = space
    return best


@jit
def _draw_treasure(s, r, ship):
    """The top card of the pile, as from a lair but without a token; returns 1, or 0 where the pile is empty."""
    if s.treasures_drawn >= r.treasure_pile:
        return ZERO
    mark_luck(s, r, LUCK_OF_TREASURES)
    card = top_of_pile(s, s.treasures_undrawn, s.treasures_drawn + s.treasures_returned)
    s.treasures_undrawn &= ~only(card)
    s.treasures_drawn += 1
    s.extra_treasures += 1
    note_house_treasure(s, moment=_moment(s), ship=ship, treasure=card)
    if ship != r.ghost:
        receive(s, r, ship, card)
    else:
        s.hidden[ship] |= only(card)
        s.face_down[ship] += 1
    return ONE


@jit
def _return_treasure(s, r, ship, worst):
    """Put back the face-down card of least value (`worst` 1) or of most (0); returns 1, or 0 where there is none."""
    cards = s.hidden[ship]
    if cards == 0:
        return ZERO
    card = lowest(cards)
    while cards != 0:
        other = lowest(cards)
        cards &= cards - 1
        if (r.treasure_value[other] < r.treasure_value[card]) == (worst != 0) and other != card:
            card = other
    s.hidden[ship] &= ~only(card)
    s.face_down[ship] -= 1
    for observer in range(r.ships):  # whoever knew a card of this ship cannot be sure of it any more
        if observer != ship:
            s.knows[observer, ship] = 0
    s.knows[ship, ship] &= ~only(card)
    s.treasures_undrawn |= only(card)
    s.treasures_drawn -= 1
    s.treasures_returned += 1
    s.extra_treasures -= 1
    note_house_return(s, moment=_moment(s), ship=ship, treasure=card)
    return ONE


@jit
def _roll(s, r, faces):
    """A die of house rules: a number from 1 to `faces`."""
    if faces < 1 or faces > LARGEST_DIE:
        raise ValueError("a die has 1 to 1,000 faces")
    mark_luck(s, r, LUCK_OF_HOUSE)
    face = 1 + below(draw(s.key[HOUSE], s.house_draws), faces)
    s.house_draws += 1
    note_house_roll(s, moment=_moment(s), faces=faces, face=face)
    return face


@jit
def _set_captain(s, r, player):
    """Make a player Captain; only between two rounds, since the whole round goes by the Captain."""
    if player < 0 or player >= r.players:
        raise ValueError("there is no such player")
    moment = _moment(s)
    if moment != AT_SET_UP and moment != AT_ROUND_BEGIN and moment != AT_ROUND_END:
        raise ValueError("set_captain works in set_up, round_begins and round_ends only")
    if s.captain != player:
        s.captain = player
        note_house_captain(s, moment=moment, captain=player)
    return player


@jit
def _move_hold(s, r, ship, loser, hold):
    """The contents of the loser's hold come aboard; returns how much. They stay where the ship has no room for them."""
    if loser < 0 or loser >= r.ships or loser == ship:
        raise ValueError("there is no such ship to take from")
    if hold < 0 or hold > number_of(SIXTH_PLACE):
        raise ValueError("there is no such hold")
    place = place_of(hold)
    amount = amount_at(s.stowage[loser], place)
    if contents_at(s.stowage[loser], place) == 0:
        return ZERO
    resource = kind_at(s.stowage[loser], place)
    into = _room_for(s, ship, resource, amount)
    if into == NONE or (ship == r.ghost and resource != GOLD):
        return ZERO
    s.stowage[loser] = cleared(s.stowage[loser], place)
    add_stock(s, loser, resource, -amount)
    emptied = fill(s, ship, into, resource, amount)
    moment, number = _moment(s), number_of(into)
    note_house_hold(
        s,
        moment=moment,
        ship=ship,
        loser=loser,
        hold=hold,
        resource=resource,
        amount=amount,
        into=number,
        emptied=emptied,
    )
    return amount


@jit
def _check_resource(resource):
    if resource < GOLD or resource > GUNPOWDER:
        raise ValueError("there is no such resource")

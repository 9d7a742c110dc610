"""The kernel: a thin loop that plays games one after the other in one state record and stores a result row for each.

These are the entry points that Python calls. A worker owns its state, so threads share nothing but the rules.
"""

from jamaica_sim.engine.events import events_noted
from jamaica_sim.engine.house_rules import NEXT_ROUND, SET_UP, is_gated, through_gate
from jamaica_sim.engine.machine.bits import ZERO, only, single
from jamaica_sim.engine.machine.jit import entry, inline, jit
from jamaica_sim.engine.machine.memory import clear_bytes, store_row
from jamaica_sim.engine.scoring import last_ships, leaders, score_game
from jamaica_sim.engine.setup import set_up
from jamaica_sim.engine.state import RESULT_BYTES, RESULT_OFFSET, TRACE_FULL, WIDTH
from jamaica_sim.engine.treasures import top_of_pile
from jamaica_sim.engine.turn import is_over, play_round


@jit
def play_game(s, r, seed, game):
    """Game number `game` of a seed, from the setup to the score."""
    clear_bytes(s, RESULT_OFFSET, RESULT_BYTES)
    set_up(s, r, seed, game)
    if is_gated(s, r):
        through_gate(s, r, SET_UP, ZERO, ZERO, ZERO)
    while not is_over(s, r):
        if is_gated(s, r):
            through_gate(s, r, NEXT_ROUND, ZERO, ZERO, ZERO)
        else:
            play_round(s, r)
        _end_round(s, r)
        if s.error != 0:
            return
    s.rounds = s.round
    s.finished = s.finished_ships != 0
    half_time = s.round // 2
    s.half_time_leaders, s.half_time_last = s.leaders[half_time], last_ships(s.to_go_after[half_time], r.players)
    score_game(s, r)


@inline
def _end_round(s, r):
    s.leaders[s.round] = leaders(s)
    for ship in range(WIDTH):
        s.to_go_after[s.round, ship] = s.to_go[ship]
    if s.round == 1:
        s.leaders[0] = (1 << r.ships) - 1
    elif single(s.leaders[s.round]) and s.leaders[s.round] != s.leaders[s.round - 1]:
        s.lead_changes += 1
    s.games_in_round[s.round] += 1
    add(s.sum_short_in_round, s.round, s.short_in_round)
    add(s.sum_fought_in_round, s.round, s.fought_in_round)


@inline
def add(sums, index, amount):
    """Add to a sum and to the sum of squares."""
    sums[0, index] += amount
    sums[1, index] += amount * amount


@inline
def add_counts(sums, counts):
    """Add one game's counts by space to the sums and sums of squares, then reset the counts to zero."""
    for space in range(counts.size):
        n = counts[space]
        sums[0, space] += n
        sums[1, space] += n * n
        counts[space] = 0


@entry
def list_pile(states, rulebooks, pile):
    """Write the top cards of the treasure pile of the game in `states`, as many as `pile` has room for."""
    s = states[0]
    undrawn = rulebooks[0].treasures_in_game
    for drawn in range(pile.size):
        pile[drawn] = top_of_pile(s, undrawn, drawn)
        undrawn &= ~only(pile[drawn])


@inline
def _play_games(s, r, seed, first_game, rows):
    """Play one game for each row; returns how many were played before a strategy erred or the trace was full."""
    for i in range(rows.size):
        play_game(s, r, seed, first_game + i)
        if s.error != 0:
            return i
        add_counts(s.sum_landed, s.landed)
        add_counts(s.sum_short, s.short)
        add_counts(s.sum_fought, s.fought)
        store_row(rows, i, s, RESULT_OFFSET, RESULT_BYTES)
        if events_noted(s) >= TRACE_FULL:
            return i + 1
    return rows.size


@entry
def play_chunk(states, rulebooks, seed, first_game, rows):
    """Play `rows.size` games from `first_game` on, one result row each; returns how many before a strategy erred."""
    return _play_games(states[0], rulebooks[0], seed, first_game, rows)


@entry
def trace_chunk(states, rulebooks, seed, first_game, rows):
    """The same as `play_chunk`, in a state record with one trace for all games; it ends where the trace is full."""
    return _play_games(states[0], rulebooks[0], seed, first_game, rows)

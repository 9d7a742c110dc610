"""Games that stop and ask. A seat may be outside the engine: its compiled function has no answer and raises.

The exception unwinds the engine to `_play_until_asked`, and the game lies in its own row as it was when it asked: the
row is a position. With the answer, `resume` goes on from there. Nothing is copied and nothing is played twice.
"""

import numpy as np

from jamaica_sim.engine.house_rules import SET_UP, is_gated, through_gate
from jamaica_sim.engine.machine.bits import ZERO, count, has, nth, single
from jamaica_sim.engine.machine.jit import entry, inline, jit
from jamaica_sim.engine.machine.memory import ADDRESS, caller, clear_bytes, record_at
from jamaica_sim.engine.play_on import next_round, resume
from jamaica_sim.engine.position import copy_position
from jamaica_sim.engine.scoring import last_ships, leaders, score_game
from jamaica_sim.engine.setup import set_up
from jamaica_sim.engine.state import (
    NONE,
    POSITION_BYTES,
    RESULT_BYTES,
    RESULT_OFFSET,
    RULES_DTYPE,
    STATE_DTYPE,
    VIEW_DTYPE,
)
from jamaica_sim.engine.turn import is_over
from jamaica_sim.game.codes import DECISIONS, MAX_ROUND_CAP, MAX_SHIPS

# What is done with a game in place of an answer.
BEGIN, LEAVE = np.int64(-1), np.int64(-2)
# How far a game has come.
ASKED, OVER, FAULT = (np.int64(i) for i in range(3))
MOST_ANSWERS = 1 << 16  # of one seat in one game

# What is said to a game and heard from it, beside its row.
TALK_DTYPE = np.dtype(
    [
        ("game", "i8"),  # its number
        ("answer", "i8"),  # to the question that it has asked, or BEGIN, or LEAVE
        ("outcome", "i8"),  # how far it has come
        ("player", "i8"),  # whom it asks, NONE when it is over
        ("decision", "i8"),
        ("legal", "i8"),  # set of the legal answers, empty when it is over
        ("by_points", "i8"),  # whether a ship's reward is its points, not its share of the victory
        ("rewards", "f4", (MAX_SHIPS,)),  # of the ships when the game has just ended, otherwise 0
    ],
    align=True,
)
# After each round: the set of the ships in the lead, and of those that are last.
STANDINGS_SHAPE = (MAX_ROUND_CAP + 1, 2)

# What a seat outside reads in place of weights. It gives the answers of its script first. After them it asks the
# strategy behind it and writes the answer down; where there is none (address 0), the seat is outside, and raises.
SCRIPT_DTYPE = np.dtype(
    [
        ("given", "i8"),  # answers given so far
        ("length", "i8"),
        ("functions", "i8", (len(DECISIONS),)),
        ("weights", "i8"),
        ("answers", "i1", (MOST_ANSWERS,)),
    ],
    align=True,
)

_call = caller(VIEW_DTYPE, RULES_DTYPE, ADDRESS)
position_at = record_at(STATE_DTYPE)


def answer_by_script(view, rules, script):
    """The next answer of the script, or of the strategy behind it; raises where an answer must come from outside."""
    given = script.given
    if given == script.length:
        if script.functions[view.decision] == 0 or given == MOST_ANSWERS:
            raise StopIteration
        answer = _call(script.functions[view.decision], view, rules, script.weights)
        script.answers[given] = answer
        script.length += 1
        script.given += 1
        return answer  # not what was written, which has no room for nonsense
    script.given += 1
    return np.int64(script.answers[given])


@jit
def _play_until_asked(s, r, talk, standings, answer):
    """Play on with an answer, or from between two rounds with BEGIN; returns whether the game is over."""
    # One call within the `try`: on Python 3.12 and 3.13 numba misses exceptions of a loop that stands in one.
    try:
        _play_to_the_end(s, r, talk, standings, answer)
    except Exception:
        return False
    return True


@jit
def _play_to_the_end(s, r, talk, standings, answer):
    if answer != BEGIN:
        resume(s, r, answer)
        if s.round > 0:  # house rules may ask before the first round
            _end_round(s, r, standings)
    elif is_gated(s, r):
        through_gate(s, r, SET_UP, ZERO, ZERO, ZERO)
    while s.error == 0 and not is_over(s, r):
        next_round(s, r)
        _end_round(s, r, standings)
    if s.error == 0:
        _end_game(s, r, talk, standings)


@inline
def _end_round(s, r, standings):
    """Keep who leads and who is last."""
    led = leaders(s)
    if s.round == 1:
        standings[0, 0], standings[0, 1] = (1 << r.ships) - 1, (1 << r.players) - 1
    elif single(led) and led != standings[s.round - 1, 0]:
        s.lead_changes += 1
    standings[s.round, 0], standings[s.round, 1] = led, last_ships(s.to_go, r.players)


@inline
def _end_game(s, r, talk, standings):
    half_time = s.round // 2
    s.rounds = s.round
    s.finished = s.finished_ships != 0
    s.half_time_leaders, s.half_time_last = standings[half_time, 0], standings[half_time, 1]
    score_game(s, r)
    talk.player, talk.legal = NONE, ZERO
    for ship in range(MAX_SHIPS):
        talk.rewards[ship] = s.score[ship] if talk.by_points != 0 else has(s.winners, ship) / count(s.winners)


@jit
def _step(s, w, r, seed, talk, standings, outside):
    """Give one game its answer, or begin it; returns how far it has come."""
    answer = talk.answer
    if answer == BEGIN:
        clear_bytes(w, RESULT_OFFSET, RESULT_BYTES)
        set_up(w, r, seed, talk.game)  # which reads what lies behind a position
        copy_position(s, w)
    is_finished = _play_until_asked(s, r, talk, standings, answer)
    if s.error != 0 or s.in_moment != 0 or not (is_finished or has(outside, s.me)):
        return FAULT  # of a strategy that is not outside, or of house rules
    if is_finished:
        return OVER
    talk.player, talk.decision, talk.legal = s.me, s.decision, s.legal
    return ASKED


@entry
def step_games(workers, rulebooks, seed, outside, rows, talks, standings):
    """Give each game its answer, or begin it, and play it up to the next question to a seat of the set `outside`.

    `rows` has the positions of the games. A game that begins is seated like the worker; one that is over has its result
    row within its position. Returns how many games have ended, -1 if one has come to a FAULT.
    """
    w, r = workers[0], rulebooks[0]
    ended, at_fault = 0, False
    for i in range(talks.size):
        talk = talks[i]
        if talk.answer < 0:  # the game was over
            for ship in range(MAX_SHIPS):
                talk.rewards[ship] = 0
        if talk.answer != LEAVE:
            s = position_at(rows, i, POSITION_BYTES)
            talk.outcome = _step(s, w, r, seed, talk, standings[i], outside)
            ended += talk.outcome == OVER
            at_fault |= talk.outcome == FAULT
    return -1 if at_fault else ended


@inline
def _is_legal(legal, answer):
    return 0 <= answer < 63 and has(legal, answer)


@entry
def take_answers(talks, answers, stride):
    """Have an answer ready for each game. One that is over begins anew, `stride` numbers on, or stays if that is 0.

    Returns the first game whose answer is not legal, and then takes none; -1 if all are legal.
    """
    for i in range(talks.size):
        if talks[i].legal != 0 and not _is_legal(talks[i].legal, answers[i]):
            return i
    for i in range(talks.size):
        talk = talks[i]
        if talk.legal != 0:
            talk.answer = answers[i]
        else:
            talk.answer = BEGIN if stride != 0 else LEAVE
            talk.game += stride
    return -1


@entry
def draw_answers(talks, draws, answers):
    """Choose one of each game's legal answers by a random number from 0 to 1."""
    for i in range(talks.size):
        legal = talks[i].legal
        answers[i] = nth(legal, np.int64(draws[i] * count(legal))) if legal != 0 else ZERO


@entry
def read_actions(talks, offsets, actions, answers):
    """The answers that actions stand for: `offsets` has, for each decision, the action that is the answer 0.

    An action that is not legal stands for one that is: the legal answers are counted round.
    """
    for i in range(talks.size):
        talk = talks[i]
        answers[i] = actions[i] - offsets[talk.decision]
        if talk.legal != 0 and not _is_legal(talk.legal, answers[i]):
            answers[i] = nth(talk.legal, actions[i] % count(talk.legal))

"""A game laid out by hand: ships, holds and treasures as a test wants them, decisions by script, one action at a time.

It writes and reads the engine's state by field name and calls the engine's own functions; `_perform` is the only place
that knows which ones. After each action the state's books are checked: sets, counts and stocks must agree.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
from compiled import entry_of_tests
from numba import carray, from_dtype, int64, njit, types
from numba.core import cgutils
from numba.extending import intrinsic

from jamaica_sim.engine.arriving import arrive
from jamaica_sim.engine.events import read_event
from jamaica_sim.engine.ghost import ghost_moves
from jamaica_sim.engine.loading import load
from jamaica_sim.engine.moving import sail
from jamaica_sim.engine.rulebook import rulebook_of
from jamaica_sim.engine.scoring import score_game
from jamaica_sim.engine.setup import set_up
from jamaica_sim.engine.state import RULES_DTYPE, TRACED_STATE_DTYPE, VIEW_DTYPE
from jamaica_sim.engine.turn import play_round
from jamaica_sim.game.codes import CHOOSE_SPACE, DECISIONS, HOLDS, MAX_SHIPS, RESOURCES, SYMBOLS
from jamaica_sim.game.components import action_cards
from jamaica_sim.game.rules import Rules

MAP, SABRE, LADY_BETH, SIXTH_HOLD = range(4)  # treasures by number
PLUS_3, OTHER_PLUS_3, PLUS_5, PLUS_7, OTHER_PLUS_7 = range(4, 9)
MINUS_2, MINUS_3, MINUS_4 = range(9, 12)
POWERS = (MAP, SABRE, LADY_BETH, SIXTH_HOLD)
CURSED = (MINUS_2, MINUS_3, MINUS_4)

MOST_ANSWERS, MOST_QUESTIONS, UNSCRIPTED = 16, 400, -1
SCRIPT_DTYPE = np.dtype(
    [
        ("answers", "i8", (MAX_SHIPS, len(DECISIONS), MOST_ANSWERS)),
        ("given", "i8", (MAX_SHIPS, len(DECISIONS))),  # answers used so far
        ("asked", "i8"),
        ("views", VIEW_DTYPE, (MOST_QUESTIONS,)),  # what the player saw at each question
    ],
    align=True,
)
VIEWS_OFFSET = SCRIPT_DTYPE.fields["views"][1]
VIEW_SIZE = VIEW_DTYPE.itemsize

SET_UP, LOAD, MOVE, GHOST, ROUND, SCORE = range(6)


@intrinsic
def _copy_view(typingctx, memory, offset, view):
    """Copy everything that the player sees into the script's memory."""

    def codegen(context, builder, signature, args):
        target = cgutils.pointer_add(builder, args[0], args[1])
        cgutils.raw_memcpy(builder, target, args[2], context.get_constant(types.intp, VIEW_SIZE), 1)
        return context.get_dummy_value()

    return types.none(types.voidptr, types.intp, view), codegen


def _answer(view, rules, memory):
    """A strategy: the next answer of the script for this player and decision, or the lowest legal one."""
    script = carray(memory, 1, SCRIPT_DTYPE)[0]
    if script.asked < MOST_QUESTIONS:
        _copy_view(memory, VIEWS_OFFSET + script.asked * VIEW_SIZE, view)
    script.asked += 1
    answer = UNSCRIPTED
    number = script.given[view.me, view.decision]
    if number < MOST_ANSWERS:
        answer = script.answers[view.me, view.decision, number]
    script.given[view.me, view.decision] += 1
    if answer != UNSCRIPTED:
        return answer
    lowest = 0
    while (view.legal >> lowest) & 1 == 0:
        lowest += 1
    return lowest


@cache
def _scripted():
    """The compiled strategy; kept alive here as long as its address may be called."""
    return njit(int64(from_dtype(VIEW_DTYPE), from_dtype(RULES_DTYPE), types.voidptr))(_answer)


@cache
def scripted_address() -> int:
    """The address of the scripted strategy's compiled function."""
    compiled = next(iter(_scripted().overloads.values()))
    return compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name)


@cache
def _engine():
    """`_perform` as machine code, compiled or loaded by its first call."""
    return entry_of_tests(_perform)


def _perform(states, rulebooks, what, a, b, c):
    s = states[0]
    r = rulebooks[0]
    if what == SET_UP:
        set_up(s, r, a, b)
    elif what == LOAD:
        load(s, r, a, b, c)
    elif what == MOVE:
        space, others = sail(s, r, a, b, c, CHOOSE_SPACE, a)
        arrive(s, r, a, space, others)
    elif what == GHOST:
        ghost_moves(s, r, np.int64(0))
    elif what == ROUND:
        play_round(s, r)
    else:
        score_game(s, r)


_rulebook = cache(rulebook_of)


class Question(NamedTuple):
    """A decision that a player was asked for."""

    decision: str
    player: int
    ship: int
    legal: set[int]
    view: np.void  # all that the player saw

    def __repr__(self):
        return f"{self.decision} of player {self.player} for ship {self.ship}, legal {sorted(self.legal)}"


def members(bits) -> set[int]:
    """The members of a set of small numbers."""
    bits, found = int(bits), set()
    while bits:
        found.add((bits & -bits).bit_length() - 1)
        bits &= bits - 1
    return found


def bits(numbers) -> int:
    """A set of small numbers as the engine keeps it."""
    return sum(1 << number for number in set(numbers))


def packed(holds, slots) -> int:
    """Holds as the engine keeps them: a byte each, with a bit for the resource above the amount."""
    stowage = sum(0x80 << 8 * hold for hold in range(HOLDS) if hold not in slots)  # there is no such hold
    for hold, contents in enumerate(holds):
        if contents is not None:
            stowage |= (16 << RESOURCES.index(contents[0]) | contents[1]) << 8 * hold
    return stowage


def card(morning: str, evening: str) -> int:
    """The action card with these symbols."""
    return next(i for i, c in enumerate(action_cards()) if (c.morning, c.evening) == (morning, evening))


class Tabletop:
    """One game in front of us. Every player is scripted; without a line in the script it takes the lowest option."""

    def __init__(self, players=3, seed=5, game=0, **rules):
        self.rules = Rules(players=players, **rules)
        self.rulebook = _rulebook(self.rules).copy()
        self.states = np.zeros(1, TRACED_STATE_DTYPE)
        self.script_memory = np.zeros(1, SCRIPT_DTYPE)
        self.script_memory["answers"] = UNSCRIPTED
        self.states["strategy"] = scripted_address()
        self.states["weights"] = self.script_memory.ctypes.data
        self.seed = seed
        self.set_up(game)

    def set_up(self, game):
        """Begin a game, also after another one at the same table."""
        self._do(SET_UP, self.seed, game)
        self.state["round"] = 1
        return self

    @property
    def state(self):
        return self.states[0]

    @property
    def ghost(self) -> int:
        """The ghost's ship number."""
        return self.rules.players

    def _do(self, what, a=0, b=0, c=0):
        begin = int(self.state["trace_length"])
        _engine()(self.states, self.rulebook, np.int64(what), np.int64(a), np.int64(b), np.int64(c))
        assert self.state["error"] == 0, f"illegal answer {self.state['error_answer']} to {self.questions[-1]}"
        self._check_books()
        rows = self.state["trace"][begin : int(self.state["trace_length"])].tolist()
        self.events = [read_event(row) for row in rows]

    def _check_books(self):
        """Fields of the state that repeat one another must agree."""
        s, ships = self.state, range(self.rules.ships)
        stock = s["stock"].tolist()
        for ship in ships:
            holds = [self.hold(ship, number) for number in range(HOLDS)]
            assert packed(holds, self._slots(ship)) == s["stowage"][ship]
            for kind, resource in enumerate(RESOURCES):
                assert sum(hold[1] for hold in holds if hold and hold[0] == resource) == stock[ship][kind]
            assert s["to_go"][ship] == self.rulebook["to_finish"][0, s["space"][ship]] - (
                self.rulebook["circuit"][0] * s["lap"][ship]
            )
            assert len(members(s["hidden"][ship])) == s["face_down"][ship]
            assert len(members(s["hands"][ship])) == s["hand_size"][ship]
        assert np.sum(stock[: len(ships)], axis=0).tolist() == s["in_play"].tolist()
        occupants = [0] * len(s["occupants"])
        for ship in ships:
            occupants[s["space"][ship]] |= 1 << ship
        assert s["occupants"].tolist() == occupants

    def _slots(self, ship):
        return set(range(self.rules.holds)) | ({HOLDS - 1} if SIXTH_HOLD in self.powers(ship) else set())

    # Laying out

    def put(self, ship, space, lap=0):
        """Put a ship on a space."""
        s = self.state
        s["occupants"][s["space"][ship]] &= ~(1 << ship)
        s["occupants"][space] |= 1 << ship
        s["space"][ship], s["lap"][ship] = space, lap
        s["to_go"][ship] = self.rulebook["to_finish"][0, space] - self.rulebook["circuit"][0] * lap
        return self

    def stow(self, ship, *holds):
        """Fill the ship's holds: `("food", 3)`, or None for an empty one; the sixth is the 6th Hold."""
        s = self.state
        s["in_play"] -= s["stock"][ship]
        s["stowage"][ship], s["stock"][ship] = packed(holds, self._slots(ship)), 0
        for resource, amount in filter(None, holds):
            s["stock"][ship, RESOURCES.index(resource)] += amount
        s["in_play"] += s["stock"][ship]
        return self

    def give(self, ship, *treasures, face_down=False):
        """Give a ship treasures. A power lies face up unless the ghost drew it unseen; its owner knows the others."""
        s = self.state
        for treasure in treasures:
            s["treasures_undrawn"] &= ~(1 << treasure)
            if treasure in POWERS and not face_down:
                s["powers"][ship] |= 1 << treasure
                continue
            s["hidden"][ship] |= 1 << treasure
            s["face_down"][ship] += 1
            if ship != self.ghost or not self.rules.ghost:
                s["knows"][ship, ship] |= 1 << treasure
        if SIXTH_HOLD in treasures and not face_down:
            s["stowage"][ship] &= (1 << 8 * (HOLDS - 1)) - 1
        return self

    def script(self, player, **answers):
        """What the player will answer to each decision, in order; None for the lowest legal answer."""
        for decision, given in answers.items():
            given = given if isinstance(given, list | tuple) else [given]
            line = self.script_memory["answers"][0, player, DECISIONS.index(decision)]
            line[: len(given)] = [UNSCRIPTED if answer is None else answer for answer in given]
        return self

    def play_at_random(self, *players):
        """Have these players, or all of them, decide at random instead of by script."""
        for player in players or range(self.rules.players):
            self.state["strategy"][:, player] = 0
        return self

    def deal(self, ship, hand, deck):
        """Give a player this hand and this deck; the other cards are on the discard pile."""
        s = self.state
        s["hands"][ship], s["deck"][ship], s["hand_size"][ship] = bits(hand), bits(deck), len(hand)
        s["discard"][ship] = int(self.rulebook["all_cards"][0, ship]) & ~bits(hand) & ~bits(deck)
        return self

    def combat_die(self, *faces):
        """Give the combat die other faces; -1 is a star."""
        self.rulebook["die_strength"] = [faces[i % len(faces)] for i in range(self.rulebook["die_strength"].size)]
        return self

    # Playing

    def load(self, ship, resource, die):
        """Resolve a load symbol."""
        self._do(LOAD, ship, RESOURCES.index(resource), die)
        return self

    def move(self, ship, direction, die):
        """Resolve a movement symbol, with all that the end space brings."""
        self._do(MOVE, ship, SYMBOLS.index(direction), die)
        return self

    def forward(self, ship, die):
        return self.move(ship, "forward", die)

    def backward(self, ship, die):
        return self.move(ship, "backward", die)

    def ghost_moves(self, morning, evening):
        """The ghost's turn with these dice."""
        self.state["placed"] = (morning, evening)
        self._do(GHOST)
        return self

    def play_round(self):
        """A whole round, dice and all."""
        self._do(ROUND)
        return self

    def score(self):
        """End the game here."""
        self._do(SCORE)
        return self

    # Looking

    def at(self, ship) -> tuple[int, int]:
        """Space and lap of a ship."""
        return int(self.state["space"][ship]), int(self.state["lap"][ship])

    def hold(self, ship, number):
        """The contents of a hold as `stow` takes them."""
        byte = int(self.state["stowage"][ship]) >> 8 * number & 0x7F
        return (RESOURCES[(byte >> 4).bit_length() - 1], byte & 0xF) if byte else None

    def holds(self, ship) -> list:
        """The contents of all holds."""
        return [self.hold(ship, number) for number in sorted(self._slots(ship))]

    def stock(self, ship, resource) -> int:
        """How much of a resource is on a ship."""
        return int(self.state["stock"][ship, RESOURCES.index(resource)])

    def powers(self, ship) -> set[int]:
        """Face-up treasures."""
        return members(self.state["powers"][ship])

    def face_down(self, ship) -> set[int]:
        """Face-down treasures."""
        return members(self.state["hidden"][ship])

    def known(self, observer, owner) -> set[int]:
        """The face-down treasures of one ship that another knows."""
        return members(self.state["knows"][observer, owner])

    def tokens(self) -> set[int]:
        """The lairs that still have a treasure token."""
        return members(self.state["tokens"])

    def winners(self) -> set[int]:
        """Who won, after `score`."""
        return members(self.state["winners"])

    @property
    def questions(self) -> list[Question]:
        """All questions asked since the beginning."""
        memory = self.script_memory[0]
        return [
            Question(DECISIONS[view["decision"]], int(view["me"]), int(view["ship"]), members(view["legal"]), view)
            for view in memory["views"][: min(memory["asked"], MOST_QUESTIONS)].copy()
        ]

    def asked(self, decision) -> list[Question]:
        """The questions of one kind."""
        return [question for question in self.questions if question.decision == decision]

    def happened(self, kind) -> list[dict]:
        """The events of one kind in the last action."""
        return [event for event in self.events if event["event"] == kind]

    @property
    def rolls(self) -> list:
        """The faces rolled in the last action's battles."""
        return [event["face"] for event in self.happened("roll")]


def until(wanted, play) -> Tabletop:
    """Play the scene `play(game)` in one game after the other until the luck is as wanted."""
    for game in range(4_000):
        top = play(game)
        if wanted(top):
            return top
    raise AssertionError("no game has such luck")


def with_rolls(faces, play) -> Tabletop:
    """Play the scene until the combat die falls as wanted."""
    return until(lambda top: top.rolls == list(faces), play)

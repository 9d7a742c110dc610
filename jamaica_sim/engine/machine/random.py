"""Luck: every draw is a pure function of (seed, game, purpose, index), so neither threads nor other draws change it.

A stream is wyrand (Wang Yi 2022), whose state is a counter: draw i of a key is one scramble of key + (i + 1) * STEP.
It passes BigCrush and PractRand, costs one multiplication, and does not reveal its state. Keys are hashed from seed,
game, purpose and ship. Integers are unbiased by Lemire's multiply-shift with rejection (Lemire 2019); a rejected draw
is scrambled again, which leaves every other draw as it was.
"""

import numpy as np

from jamaica_sim.engine.machine.jit import inline, intrinsic, jit
from jamaica_sim.engine.machine.late import ir, types
from jamaica_sim.files.limits import LUCK_SOURCES
from jamaica_sim.game.codes import MAX_SHIPS

STEP = np.uint64(0x2D358DCCAA6C78A5)
TWIST = np.uint64(0x8BB84B93962EACC9)
GAME_STEP = np.uint64(0xD1342543DE82EF95)
ONE = np.uint64(1)

# Purposes, one key each; decks and strategies have one for each ship.
CAPTAIN, ACTION_DICE, TREASURE_PILE, COMBAT_DIE, SHORTAGE_DIE, HIDDEN_CARD = (np.int64(i) for i in range(6))
DECK = np.int64(6)
STRATEGY = DECK + MAX_SHIPS
HOUSE = STRATEGY + MAX_SHIPS  # dice and cards of house rules
KEYS = int(HOUSE) + 1

# Each key belongs to exactly one source, so that a source can be drawn again while everything else stays.
(
    LUCK_OF_CAPTAIN,
    LUCK_OF_DICE,
    LUCK_OF_DECKS,
    LUCK_OF_TREASURES,
    LUCK_OF_COMBAT,
    LUCK_OF_SHORTAGE,
    LUCK_OF_HIDDEN,
    LUCK_OF_OWN,
    LUCK_OF_HOUSE,
) = (np.int64(i) for i in range(len(LUCK_SOURCES)))
SOURCE_OF_PURPOSE = {
    CAPTAIN: LUCK_OF_CAPTAIN,
    ACTION_DICE: LUCK_OF_DICE,
    TREASURE_PILE: LUCK_OF_TREASURES,
    COMBAT_DIE: LUCK_OF_COMBAT,
    SHORTAGE_DIE: LUCK_OF_SHORTAGE,
    HIDDEN_CARD: LUCK_OF_HIDDEN,
    **{DECK + ship: LUCK_OF_DECKS for ship in range(MAX_SHIPS)},
    **{STRATEGY + ship: LUCK_OF_OWN for ship in range(MAX_SHIPS)},
    HOUSE: LUCK_OF_HOUSE,
}
SOURCE_OF_KEY = np.array([SOURCE_OF_PURPOSE[key] for key in range(KEYS)], np.int64)


@intrinsic
def _product(typingctx, a, b):
    """The 128 bits of a product, as its upper and its lower half."""

    def codegen(context, builder, signature, args):
        word, double = ir.IntType(64), ir.IntType(128)
        whole = builder.mul(builder.zext(args[0], double), builder.zext(args[1], double))
        upper = builder.trunc(builder.lshr(whole, ir.Constant(double, 64)), word)
        return context.make_tuple(builder, signature.return_type, (upper, builder.trunc(whole, word)))

    return types.UniTuple(types.uint64, 2)(types.uint64, types.uint64), codegen


@inline
def scramble(place):
    """wyrand's output function: both halves of state * (state ^ TWIST), combined by XOR."""
    upper, lower = _product(place, place ^ TWIST)
    return upper ^ lower


@inline
def first_place(key):
    """The counter of a stream at draw 0. A draw is `scramble` of the counter, and each draw moves it on by STEP."""
    return key + STEP


@inline
def draw(key, index):
    """64 random bits: draw number `index` of the stream `key`."""
    return scramble(first_place(key) + np.uint64(index) * STEP)


@inline
def below(random_bits, n):
    """A uniform whole number from 0 to n - 1 out of one draw."""
    size = np.uint64(n)
    number, rest = _product(random_bits, size)
    if rest < size:
        threshold = (np.uint64(0) - size) % size
        while rest < threshold:
            random_bits = scramble(random_bits + STEP)
            number, rest = _product(random_bits, size)
    return np.int64(number)


@inline
def deal_keys(keys, seed, game):
    """Fill `keys` with the key of every purpose in this game."""
    of_game = _key_of_game(seed, game)
    for i in range(keys.size):
        keys[i] = draw(of_game, i)


@jit
def deal_other_keys(keys, game, sources, seeds):
    """Replace the keys of a set of sources by those of the same game with other seeds, one seed for each source."""
    for i in range(keys.size):
        source = SOURCE_OF_KEY[i]
        if (sources >> source) & 1 != 0:
            keys[i] = draw(_key_of_game(seeds[source], game), i)


@inline
def _key_of_game(seed, game):
    of_seed = scramble(scramble(np.uint64(seed) + STEP) + STEP)
    return scramble(scramble(of_seed ^ (np.uint64(game) * GAME_STEP + ONE)) + STEP)

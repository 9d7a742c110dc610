"""Luck: every draw is a pure function of (seed, game, purpose, index), so it follows neither threads nor other draws.

A stream is SplitMix64 (Steele, Lea and Flood 2014), whose state is a counter: draw i of a key is one mix of
key + (i + 1) * GOLDEN. Keys are hashed from seed, game, purpose and ship. Integers are unbiased by Lemire's
multiply-shift with rejection (Lemire 2019); a rejected draw is mixed on, which leaves every other draw as it was.
"""

import numpy as np

from jamaica_sim.engine.hints import unlikely
from jamaica_sim.engine.jit import inline
from jamaica_sim.words import MAX_SHIPS

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
GOLDEN_INVERSE = np.uint64(pow(int(GOLDEN), -1, 2**64))
STREAM_STEP = np.uint64(0xD1342543DE82EF95)
MIX_1, MIX_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
SHIFT_30, SHIFT_27, SHIFT_31, SHIFT_32 = (np.uint64(n) for n in (30, 27, 31, 32))
LOW_32 = np.uint64(0xFFFFFFFF)
TWO_32 = np.uint64(1 << 32)
ONE = np.uint64(1)

# Purposes, one key each; decks and strategies have one for each ship.
CAPTAIN, ACTION_DICE, TREASURE_PILE, COMBAT_DIE, SHORTAGE_DIE, HIDDEN_CARD = (np.int64(i) for i in range(6))
DECK = np.int64(6)
STRATEGY = DECK + MAX_SHIPS
KEYS = int(STRATEGY) + MAX_SHIPS


@inline
def mix(z):
    """SplitMix64's output function: a bijection whose every output bit depends on every input bit."""
    z = (z ^ (z >> SHIFT_30)) * MIX_1
    z = (z ^ (z >> SHIFT_27)) * MIX_2
    return z ^ (z >> SHIFT_31)


@inline
def first_place(key):
    """Where a stream begins: its state before draw 0, which is `mix` of it; the next draw lies GOLDEN further on."""
    return key + GOLDEN


@inline
def index_of(key, place):
    """Which draw of the stream `key` lies at a place."""
    return np.int64((place - first_place(key)) * GOLDEN_INVERSE)


@inline
def draw(key, index):
    """64 random bits: draw number `index` of the stream `key`."""
    return mix(first_place(key) + np.uint64(index) * GOLDEN)


@inline
def below(random_bits, n):
    """A uniform whole number from 0 to n - 1 out of one draw."""
    size = np.uint64(n)
    product = (random_bits >> SHIFT_32) * size
    if unlikely(product & LOW_32 < size):
        threshold = (TWO_32 - size) % size
        while product & LOW_32 < threshold:
            random_bits = mix(random_bits + GOLDEN)
            product = (random_bits >> SHIFT_32) * size
    return np.int64(product >> SHIFT_32)


@inline
def deal_keys(keys, seed, game):
    """Fill `keys` with the key of every purpose in this game."""
    base = mix(mix(np.uint64(seed) + GOLDEN) ^ (np.uint64(game) * STREAM_STEP + ONE))
    for i in range(keys.size):
        keys[i] = mix(base + np.uint64(i + 1) * STREAM_STEP)

"""The holds of a ship as one word: every function on it does what a list of holds would, whatever is aboard."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit
from tabletop import members, packed

from jamaica_sim.engine.decide import unpack_holds
from jamaica_sim.engine.machine import hold_word as h
from jamaica_sim.engine.machine.jit import OPTIONS
from jamaica_sim.engine.scoring import indices_of_least
from jamaica_sim.engine.state import STATE_DTYPE
from jamaica_sim.game.codes import EMPTY, HOLDS, MAX_FACE, RESOURCES

SIXTH = HOLDS - 1
contents = st.none() | st.tuples(st.sampled_from(RESOURCES), st.integers(1, MAX_FACE))
ORDER = """empty with without distinct smallest filled cleared lessened with_sixth without_sixth distinct_others
    kind amount_there contents""".split()


@njit(**OPTIONS)
def _look(word, resource, place, amount, found):
    found[0] = h.set_of(h.empty_holds(word))
    found[1] = h.set_of(h.holds_with(word, resource))
    found[2] = h.set_of(h.holds_without(word, resource))
    found[3] = h.set_of(h.distinct(word, h.holds_with(word, resource)))
    found[4] = h.number_of(h.smallest(word, resource))
    found[5] = h.filled(word, place, resource, amount)
    found[6] = h.cleared(word, place)
    found[7] = h.lessened(word, place, resource, amount)
    found[8] = h.with_sixth(word)
    found[9] = h.without_sixth(word)
    found[10] = h.set_of(h.distinct(word, h.holds_without(word, resource)))
    found[11] = h.kind_at(word, place)
    found[12] = h.amount_at(word, place)
    found[13] = h.contents_at(word, place)


def look(aboard, slots, resource, hold=0, amount=1):
    """What the functions find in such holds, by name."""
    found = np.zeros(len(ORDER), np.int64)
    word, place = packed(aboard, slots), 8 * hold
    _look(np.int64(word), np.int64(RESOURCES.index(resource)), np.int64(place), np.int64(amount), found)
    return dict(zip(ORDER, found.tolist(), strict=True))


@st.composite
def ships(draw):
    """The contents of some holds, as `packed` takes them, and which holds there are."""
    slots = [*range(draw(st.integers(2, 5))), *([SIXTH] if draw(st.booleans()) else [])]
    aboard = [draw(contents) if hold in slots else None for hold in range(HOLDS)]
    return aboard, slots


@settings(max_examples=400, deadline=None)
@given(ships(), st.sampled_from(RESOURCES))
def test_sets_of_holds(ship, resource):
    aboard, slots = ship
    found = look(aboard, slots, resource)
    own = [hold for hold in slots if aboard[hold] and aboard[hold][0] == resource]
    assert members(found["empty"]) == {hold for hold in slots if aboard[hold] is None}
    assert members(found["with"]) == set(own)
    assert members(found["without"]) == set(slots) - set(own)
    first = {aboard[hold]: hold for hold in reversed(own) if hold != SIXTH}
    assert members(found["distinct"]) == set(first.values()) | ({SIXTH} & set(own))
    if None not in [aboard[hold] for hold in slots]:  # then some may be thrown overboard (L2)
        others = [hold for hold in slots if hold not in own]
        first = {aboard[hold]: hold for hold in reversed(others) if hold != SIXTH}
        assert members(found["distinct_others"]) == set(first.values()) | ({SIXTH} & set(others))
    if own:
        assert found["smallest"] == min(own, key=lambda hold: (aboard[hold][1], hold))


@settings(max_examples=400, deadline=None)
@given(ships(), st.sampled_from(RESOURCES), st.data())
def test_changing_one_hold(ship, resource, data):
    aboard, slots = ship
    hold, amount = data.draw(st.sampled_from(slots)), data.draw(st.integers(1, MAX_FACE))

    def changed(to):
        return packed([to if number == hold else there for number, there in enumerate(aboard)], slots)

    if aboard[hold] is None:
        assert look(aboard, slots, resource, hold, amount)["filled"] == changed((resource, amount))
        return
    kind, amount_there = aboard[hold]
    taken = min(amount, amount_there)
    found = look(aboard, slots, kind, hold, taken)
    assert (RESOURCES[found["kind"]], found["amount_there"]) == (kind, amount_there)
    assert found["contents"] == 1 << int(h.KIND_BITS) + RESOURCES.index(kind) | amount_there
    assert found["cleared"] == changed(None)
    assert found["lessened"] == changed((kind, amount_there - taken) if taken < amount_there else None)


@given(ships())
@settings(deadline=None)
def test_the_sixth_hold_comes_and_goes(ship):
    aboard, slots = ship
    ordinary, found = [hold for hold in slots if hold != SIXTH], look(aboard, slots, "gold")
    assert found["without_sixth"] == packed(aboard[:SIXTH], ordinary)
    if SIXTH not in slots:
        assert found["with_sixth"] == packed(aboard, [*ordinary, SIXTH])


@njit(**OPTIONS)
def _least(numbers):
    return indices_of_least(numbers)


@pytest.mark.parametrize(
    "numbers", [[5, 3, 9, 3, 7, 8, 65535, 65535], [0] * 8, [1, 2, 3, 4, 5, 6, 7, 0], [40000] * 7 + [50000]]
)
def test_the_least_of_eight_numbers(numbers):
    least = {place for place, number in enumerate(numbers) if number == min(numbers)}
    assert members(_least(np.array(numbers, np.uint16))) == least


@njit(**OPTIONS)
def _unpack(states):
    unpack_holds(states[0])


@settings(deadline=None)
@given(st.lists(st.lists(ships(), min_size=6, max_size=6), min_size=1, max_size=4))
def test_what_strategies_read_of_the_holds(moments):
    """Whatever the fields showed before."""
    states = np.zeros(1, STATE_DTYPE)
    states["unpacked"] = -1  # as after the setup
    for fleet in moments:
        states["stowage"] = [packed(*ship) for ship in fleet]
        _unpack(states)
        for ship, (aboard, slots) in enumerate(fleet):
            kinds = [EMPTY if there is None else RESOURCES.index(there[0]) for there in aboard]
            assert states["hold_kind"][0, ship, :HOLDS].tolist() == kinds
            assert states["hold_count"][0, ship, :HOLDS].tolist() == [there[1] if there else 0 for there in aboard]
            for kind in range(EMPTY + 1):
                there = {hold for hold in slots if kinds[hold] == kind}
                assert members(states["holds"][0, ship, kind]) == there

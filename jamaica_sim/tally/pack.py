"""Packs result rows as columns of differences: Parquet's encoding DELTA_BINARY_PACKED. Files are made elsewhere.

A page is one column: a head with its first number, then blocks of 128 differences. A block has its smallest difference,
then what each has beyond it, in four miniblocks, each as narrow as its numbers allow. Rows become columns a block at a
time, in the cache. NumPy and pyarrow take nearly four times as long for the same.
"""

import numpy as np

from jamaica_sim.engine.machine.bits import length
from jamaica_sim.engine.machine.jit import entry, inline
from jamaica_sim.tally.layout import ROW_NUMBERS

BLOCK, MINIBLOCKS = 128, 4
MINIBLOCK = BLOCK // MINIBLOCKS
NARROW = 8  # bits: eight such numbers fit into a word
WIDEST = 17  # bits of a difference between two 16-bit numbers
HEAD_BYTES, BLOCK_HEAD_BYTES = 16, 3 + MINIBLOCKS  # at most
ALL_BUT_SEVEN = 2**57 - 1  # the bits that are left of a word without seven
WORD = 8  # bytes; so many may be written beyond the end, and what comes next replaces them


def _room_for(numbers):
    """The most bytes that a page of so many numbers takes while it is packed."""
    blocks = -(-(numbers - 1) // BLOCK)
    return HEAD_BYTES + blocks * (BLOCK_HEAD_BYTES + BLOCK * WIDEST // 8) + WORD


@inline
def _store_word(out, at, word):
    """Write a word, its lowest byte first."""
    for byte in range(WORD):
        out[at + byte] = word >> 8 * byte


@inline
def _store_varint(out, at, number):
    """Write a number as 64 bits without a sign, seven in a byte; returns where it ends."""
    while number & ~127 != 0:
        out[at] = number & 127 | 128
        number = number >> 7 & ALL_BUT_SEVEN
        at += 1
    out[at] = number
    return at + 1


@inline
def _zigzag(number):
    """A number whose sign is its lowest bit."""
    return number << 1 ^ number >> 63


@inline
def _pack_narrow(beyond, first, width, out, at):
    """Pack a miniblock, eight numbers at a time."""
    for start in range(first, first + MINIBLOCK, 8):
        word = np.int64(0)
        for number in range(8):
            word |= np.int64(beyond[start + number]) << number * width
        _store_word(out, at, word)
        at += width
    return at


@inline
def _pack_wide(beyond, first, width, out, at):
    """Pack a miniblock whose numbers have any width."""
    word, bits = np.int64(0), np.int64(0)
    for number in range(first, first + MINIBLOCK):
        word |= np.int64(beyond[number]) << bits
        bits += width
        while bits >= 8:
            out[at] = word
            word >>= 8
            bits -= 8
            at += 1
    return at


@inline
def _pack_block(values, size, beyond, out, at):
    """Pack the first `size` differences between a number and the next; those that lack count as the smallest."""
    least = np.int32(2**31 - 1)
    for i in range(size):
        beyond[i] = np.int32(values[i + 1]) - np.int32(values[i])
        least = min(least, beyond[i])
    for i in range(size):
        beyond[i] -= least
    for i in range(size, BLOCK):
        beyond[i] = 0
    at = _store_varint(out, at, _zigzag(np.int64(least)))
    widths, at = at, at + MINIBLOCKS
    for miniblock in range(MINIBLOCKS):
        start = miniblock * MINIBLOCK
        used = np.int32(0)
        for i in range(start, start + MINIBLOCK):
            used |= beyond[i]
        width = length(np.int64(used))
        out[widths + miniblock] = width
        if width > NARROW:
            at = _pack_wide(beyond, start, width, out, at)
        elif width > 0:
            at = _pack_narrow(beyond, start, width, out, at)
    values[0] = values[size]  # the next block goes on from here
    return at


@inline
def _begin_page(out, numbers, first):
    """Write the head of a page with its first number."""
    at = _store_varint(out, np.int64(0), BLOCK)
    at = _store_varint(out, at, MINIBLOCKS)
    at = _store_varint(out, at, numbers)
    return _store_varint(out, at, _zigzag(first))


@entry
def pack_rows(rows, numbers, places, first_game, done, total, games, columns, beyond, pages, ends):
    """Pack the next rows after `done` of a `total`: the numbers of the games, then the columns at some places.

    `numbers` is the same rows as 16-bit numbers. `games` and `columns` keep a block until it is full, after the number
    before it; `beyond` has room for its differences. `ends` is how far the pages are written.
    """
    for i in range(rows.size):
        row = done + i
        slot = (row - 1) % BLOCK + 1 if row > 0 else 0
        games[slot] = rows[i].game - first_game
        for column in range(places.size):
            columns[column, slot] = numbers[i, places[column]]
        if row == 0:
            ends[0] = _begin_page(pages[0], total, np.int64(first_game))
            for column in range(places.size):
                ends[column + 1] = _begin_page(pages[column + 1], total, np.int64(columns[column, 0]))
        elif slot == BLOCK or row == total - 1:
            ends[0] = _pack_block(games, slot, beyond, pages[0], ends[0])
            for column in range(places.size):
                page = column + 1
                ends[page] = _pack_block(columns[column], slot, beyond, pages[page], ends[page])


class Packer:
    """Packs rows of games that are within 16 bits of each other: their numbers, and the 16-bit numbers at some places.

    The memory is used again for the next pages, so that the system need not clear it anew.
    """

    def __init__(self, places):
        self._places = np.array(places, np.int64)
        games, columns = np.zeros(BLOCK + 1, np.int32), np.zeros((len(places), BLOCK + 1), np.int16)
        self._block = games, columns, np.zeros(BLOCK, np.int32)
        self._pages = np.empty((1 + len(places), 0), np.uint8)

    def pack(self, chunks: list[np.ndarray]) -> list[memoryview]:
        """The pages of the rows in some chunks, at least one row; they are valid until the next ones are made."""
        total, done = sum(rows.size for rows in chunks), 0
        if self._pages.shape[1] < _room_for(total):
            self._pages = np.empty((len(self._pages), _room_for(total)), np.uint8)
        ends = np.zeros(len(self._pages), np.int64)
        first_game = int(chunks[0]["game"][0])
        for rows in chunks:
            numbers = rows.view(np.int16).reshape(rows.size, ROW_NUMBERS)
            pack_rows(rows, numbers, self._places, first_game, done, total, *self._block, self._pages, ends)
            done += rows.size
        return [page[:end].data for page, end in zip(self._pages, ends.tolist(), strict=True)]

"""The frame of a Parquet file: the heads of its pages and its foot. Knows nothing about games, and packs no numbers.

All columns are in one row group and have no missing values. Each is one page, packed by `tally/pack.py` and not
compressed. Heads and foot are records in Thrift's compact form; `parquet.thrift` of the Parquet format numbers their
fields. pyarrow cannot be given pages that are packed already.
"""

from collections.abc import Sequence
from dataclasses import dataclass

MAGIC = b"PAR1"
TRUE, BYTE, WHOLE, LONG, TEXT, LIST, RECORD = 1, 3, 5, 6, 8, 9, 12  # Thrift's kinds of values
FORMAT_VERSION = 2
INT32, INT64 = 1, 2  # physical types
INT_16 = 16  # the older name of the logical type below
DELTA_BINARY_PACKED, RLE = 5, 3
REQUIRED, UNCOMPRESSED, DATA_PAGE = 0, 0, 0
# A value is a pair: its kind and its bytes.
Value = tuple[int, bytes]


def _varint(number: int) -> bytes:
    content = bytearray()
    while number > 127:
        content.append(number & 127 | 128)
        number >>= 7
    return bytes([*content, number])


def _whole(number: int, kind: int = WHOLE) -> Value:
    return kind, _varint(number << 1)  # the lowest bit is the sign


def _long(number: int) -> Value:
    return _whole(number, LONG)


def _text(content: bytes) -> Value:
    return TEXT, _varint(len(content)) + content


def _list(values: Sequence[Value]) -> Value:
    size, kind = len(values), values[0][0]
    head = bytes([size << 4 | kind]) if size < 15 else bytes([15 << 4 | kind]) + _varint(size)
    return LIST, head + b"".join(content for _, content in values)


def _record(fields: dict[int, Value]) -> Value:
    pieces, last = [], 0
    for number, (kind, content) in fields.items():
        pieces += bytes([number - last << 4 | kind]), content
        last = number
    return RECORD, b"".join(pieces) + b"\0"


@dataclass(frozen=True)
class Column:
    """A column: 16-bit numbers, for which Parquet has no type but INT32, or 64-bit ones."""

    name: str
    physical: int = INT32
    span: tuple[int, int] | None = None  # its smallest and largest number, by which readers skip files


def parquet_file(columns: Sequence[Column], rows: int, pages: Sequence, metadata: dict[str, str], writer: str) -> bytes:
    """A whole file of columns, each with its packed page."""
    pieces, groups, place = [MAGIC], [], len(MAGIC)
    for column, page in zip(columns, pages, strict=True):
        head = _page_head(len(page), rows)
        size = len(head) + len(page)
        groups.append(_column_chunk(column, rows, place, size))
        pieces += head, page
        place += size
    foot = _foot(columns, rows, groups, place - len(MAGIC), metadata, writer)
    return b"".join([*pieces, foot, len(foot).to_bytes(4, "little"), MAGIC])


def _page_head(size, rows):
    numbers = {
        1: _whole(rows),
        2: _whole(DELTA_BINARY_PACKED),
        3: _whole(RLE),  # of definition levels: there are none
        4: _whole(RLE),  # of repetition levels: there are none
    }
    return _record({1: _whole(DATA_PAGE), 2: _whole(size), 3: _whole(size), 5: _record(numbers)})[1]


def _column_chunk(column, rows, place, size):
    facts = {
        1: _whole(column.physical),
        2: _list([_whole(DELTA_BINARY_PACKED), _whole(RLE)]),
        3: _list([_text(column.name.encode())]),
        4: _whole(UNCOMPRESSED),
        5: _long(rows),
        6: _long(size),
        7: _long(size),
        9: _long(place),  # of the page
    }
    if column.span:
        least, most = (_text(number.to_bytes(8, "little", signed=True)) for number in column.span)
        facts[12] = _record({1: most, 2: least, 3: _long(0), 5: most, 6: least})  # 1 and 2 are for older readers
    return _record({2: _long(0), 3: _record(facts)})


def _foot(columns, rows, groups, size, metadata, writer):
    group = {
        1: _list(groups),
        2: _long(size),
        3: _long(rows),
        5: _long(len(MAGIC)),  # where it begins
        6: _long(size),
    }
    texts = [_record({1: _text(key.encode()), 2: _text(value.encode())}) for key, value in metadata.items()]
    foot = {
        1: _whole(FORMAT_VERSION),
        2: _list([_record({4: _text(b"schema"), 5: _whole(len(columns))}), *map(_type, columns)]),
        3: _long(rows),
        4: _list([_record(group)]),
        5: _list(texts),
        6: _text(writer.encode()),
        7: _list([_record({1: _record({})})] * len(columns)),  # statistics are ordered as the type says
    }
    return _record(foot)[1]


def _type(column):
    fields = {1: _whole(column.physical), 3: _whole(REQUIRED), 4: _text(column.name.encode())}
    if column.physical == INT32:
        signed_16_bits = _record({1: (BYTE, bytes([16])), 2: (TRUE, b"")})
        fields |= {6: _whole(INT_16), 10: _record({10: signed_16_bits})}
    return _record(fields)

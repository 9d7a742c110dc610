"""Files with a net: NumPy arrays in an .npz file, checked before they are believed.

The arrays are those of `ARRAYS`, as half-precision numbers, and `layout`, which says for which facts they were trained.
Nothing is unpickled, and no more is read than such a file can have.
"""

import hashlib
import io
import struct
import zipfile
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NoReturn

import numpy as np

from jamaica_sim.errors import UserError
from jamaica_sim.strategy.net.forward import ARRAYS, NET_DTYPE
from jamaica_sim.strategy.net.layout import LAYOUT_HASH

LARGEST_NET = 2**19  # bytes of a file
LONGEST_HEADER = 256  # bytes, of an array within it
HIGHEST = 1000.0  # of any number in a net
KIND = np.dtype("<f2")
LAYOUT = np.dtype("<u8")
SHAPES: dict[str, tuple[tuple[int, ...], np.dtype]] = {
    "layout": ((), LAYOUT),
    **{name: (shape, KIND) for name, shape in ARRAYS.items()},
}
UNREADABLE = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, ValueError, RuntimeError, OverflowError)
OTHER_FACTS = "{} was trained by another version, for other facts: train it again."


@dataclass(frozen=True, eq=False)
class Net:
    """A net: its arrays, and the content of the file that they come from."""

    arrays: Mapping[str, np.ndarray]
    content: bytes = field(repr=False)
    file: str = ""

    @property
    def digest(self) -> str:
        """A hash of the file's content."""
        return hashlib.sha256(self.content).hexdigest()

    def check_facts(self) -> None:
        """Refuse to play with a net of another version, which a folder may keep."""
        if not self.arrays:
            raise UserError(OTHER_FACTS.format(self.file))

    def fill(self, record: np.ndarray) -> None:
        """Write the arrays into a record of the type `NET_DTYPE`."""
        for name, array in self.arrays.items():
            record[name] = array

    def record(self, weights: np.ndarray) -> np.ndarray:
        """The record that the compiled net reads, in an array of one, with a record of the heuristic's weights."""
        record = np.zeros(1, NET_DTYPE)
        record["weights"] = weights
        self.fill(record)
        return record


def write_net(arrays: Mapping[str, np.ndarray]) -> bytes:
    """The content of a file with these arrays; the same arrays always give the same bytes."""
    parts = {"layout": np.array(int(LAYOUT_HASH, 16), LAYOUT)} | {name: arrays[name].astype(KIND) for name in ARRAYS}
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in parts.items():
            member = io.BytesIO()
            np.lib.format.write_array(member, array, allow_pickle=False)
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), member.getvalue(), zipfile.ZIP_DEFLATED)
    return content.getvalue()


def read_net(content: bytes, file: str, refuse: Callable[[str], NoReturn], is_kept: bool = False) -> Net:
    """The net in a file with this content; calls `refuse(problem)` where it is none.

    A folder may keep a net of another version (`is_kept`): its results can be read, but the net cannot play.
    """
    if len(content) > LARGEST_NET:
        refuse(f"{file} has more than {LARGEST_NET:,} bytes, so it is no net.")
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = {info.filename: info for info in archive.infolist()}
            if len(archive.infolist()) != len(SHAPES) or set(members) != {f"{name}.npy" for name in SHAPES}:
                refuse(f"{file} must have the arrays {', '.join(SHAPES)} and nothing else.")
            layout = _array(archive, members["layout.npy"], "layout", file, refuse)
            if int(layout) != int(LAYOUT_HASH, 16):
                return Net({}, content, file) if is_kept else refuse(OTHER_FACTS.format(file))
            arrays = {name: _array(archive, members[f"{name}.npy"], name, file, refuse) for name in ARRAYS}
    except UserError:
        raise
    except UNREADABLE:
        refuse(f"{file} is not an .npz file with a net.")
    for name, array in arrays.items():
        if not (np.abs(array) <= HIGHEST).all():  # not a number is refused too
            refuse(f"{file}: the array {name!r} has numbers that are not finite or not between ±{HIGHEST:g}.")
    return Net({name: array.astype(np.float32) for name, array in arrays.items()}, content, file)


def _array(
    archive: zipfile.ZipFile, member: zipfile.ZipInfo, name: str, file: str, refuse: Callable[[str], NoReturn]
) -> np.ndarray:
    """One array, read only if its header says what it must."""
    shape, kind = SHAPES[name]
    most = int(np.prod(shape)) * kind.itemsize + LONGEST_HEADER
    with archive.open(member) as opened:
        stream = io.BytesIO(opened.read(most + 1))
    version = np.lib.format.read_magic(stream)
    if version != (1, 0):
        refuse(f"{file}: the array {name!r} is of another version of NumPy's format.")
    found_shape, is_fortran, found_kind = np.lib.format.read_array_header_1_0(stream, LONGEST_HEADER)
    if found_shape != shape or found_kind != kind or is_fortran:
        wanted = f"{kind.name} of shape {shape}"
        refuse(f"{file}: the array {name!r} must be {wanted}, not {found_kind} of shape {found_shape}.")
    values = stream.read()
    if len(values) != int(np.prod(shape)) * kind.itemsize:
        refuse(f"{file}: the array {name!r} has {len(values):,} bytes, not what its shape needs.")
    return np.frombuffer(values, kind).reshape(shape)

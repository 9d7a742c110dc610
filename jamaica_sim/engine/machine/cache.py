"""Where compiled code is kept on disk, what it is stamped with, and how it is called from there without numba.

The stamp is a hash of the function's file, of all that it imports from this package, and of the versions of the
programs that compile it. numba's own cache sees only the file of the function itself and would serve old code after a
helper has changed. A function is called by numba's calling convention: it returns a status, writes its result and a
description of an exception to two addresses, and takes an array in pieces.
"""

import ctypes
import hashlib
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
import numpy as np

from jamaica_sim.engine.machine.late import IS_TESTED, VERSIONS
from jamaica_sim.files import sources
from jamaica_sim.files.clean_import import clean_import
from jamaica_sim.files.user_files import is_ours, safe_folder, users_folder

RETURNED: dict[str, Any] = {
    "int64": ctypes.c_int64,
    "float64": ctypes.c_double,
    "bool": ctypes.c_bool,
    "none": ctypes.c_int64,
}
RAISED = 1  # the status of an exception that is described
INT64 = np.iinfo(np.int64)
Form = tuple[tuple[int, np.dtype[Any]] | None, ...]  # of arguments: dimensions and dtype of an array, None for a number


@dataclass(frozen=True)
class ObjectCode:
    """One function with everything that it calls: the linker's name for it, its return type, its arguments' form."""

    symbol: str
    returns: str
    form: str
    needs_numba: bool  # whether it calls numba's runtime, for example to make arrays
    code: bytes

    def to_bytes(self) -> bytes:
        """A line of JSON with all other fields, and then the code."""
        facts = {name: value for name, value in asdict(self).items() if name != "code"}
        return json.dumps(facts).encode() + b"\n" + self.code

    @classmethod
    def from_bytes(cls, content: bytes) -> "ObjectCode":
        """Read what `to_bytes` wrote; raises ValueError or TypeError for anything else."""
        facts, _, code = content.partition(b"\n")
        return cls(**json.loads(facts), code=code)


@cache
def _target() -> Any:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.Target.from_triple(llvm.get_process_triple())


@cache
def _start_numba() -> None:
    """Start numba's runtime and make its functions known to the linker."""
    context = clean_import("numba.core.registry").cpu_target.target_context
    clean_import("numba.core.runtime").rtsys.initialize(context)


class Loaded:
    """A function in memory; keep it alive as long as its address is used."""

    def __init__(self, compiled: ObjectCode) -> None:
        if compiled.needs_numba:
            _start_numba()
        # It has its own linker, so that functions of the same name in other object code are not mixed up with these.
        machine = _target().create_target_machine(codemodel="jitdefault", jit=True)
        self._linker = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
        self._linker.add_object_file(llvm.ObjectFileRef.from_data(compiled.code))
        self._linker.finalize_object()
        self.address: int = self._linker.get_function_address(compiled.symbol)
        self.returns = compiled.returns


def form_of(arguments: Iterable[Any]) -> Form:
    """The form of some arguments."""
    return tuple((a.ndim, a.dtype) if isinstance(a, np.ndarray) else None for a in arguments)


def form_text(form: Form) -> str:
    """A form as a short text. Records are told apart by their size, since the stamp says which fields they have."""
    return " ".join("int64" if part is None else f"{part[0]}{part[1].str}" for part in form)


class Call:
    """A compiled function, for Python to call with arguments of one form. The GIL is released during the call."""

    def __init__(self, address: int, returns: str, form: Form) -> None:
        pieces: list[Any] = [ctypes.c_void_p, ctypes.c_void_p]
        for part in form:
            if part is None:
                pieces += [ctypes.c_int64]
            else:
                pieces += [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p]
                pieces += [ctypes.c_int64] * (2 * part[0])
        self._function = ctypes.CFUNCTYPE(ctypes.c_int32, *pieces)(address)
        self._types, self._returns = pieces, returns

    def bound(self, arguments: tuple[Any, ...]) -> Callable[[], Any]:
        """A call with these arguments, which it keeps alive."""
        result, raised = RETURNED[self._returns](), ctypes.c_void_p()
        pieces = [piece for argument in arguments for piece in _pieces_of(argument)]
        given = [kind(piece) for kind, piece in zip(self._types[2:], pieces, strict=True)]
        function = partial(self._function, ctypes.addressof(result), ctypes.addressof(raised), *given)

        def call(kept: object = arguments) -> Any:
            status = function()
            if status != 0:
                raise _exception(status, raised.value)
            return None if self._returns == "none" else result.value

        return call


def whole_number(argument: Any) -> int:
    """An argument that is no array, as compiled code takes it."""
    number = int(argument)
    if not INT64.min <= number <= INT64.max:
        raise OverflowError(f"{number} is no number of 64 bits.")
    return number


def _pieces_of(argument: Any) -> tuple[Any, ...]:
    if not isinstance(argument, np.ndarray):
        return (whole_number(argument),)
    if not argument.flags.c_contiguous:
        raise TypeError("an array for compiled code must lie in one piece.")
    own = argument.size, argument.itemsize, argument.ctypes.data
    return (None, None, *own, *argument.shape, *argument.strides)


class _Raised(ctypes.Structure):
    """numba's description of an exception: a pickle, and details of the run with a function that unwraps them."""

    _fields_ = [
        ("pickle", ctypes.c_void_p),
        ("size", ctypes.c_int32),
        ("details", ctypes.c_void_p),
        ("unwrap", ctypes.c_void_p),
        ("number", ctypes.c_int32),
    ]


def _exception(status: int, address: int | None) -> BaseException:
    """The exception that the compiled function raised."""
    if status < RAISED or not address:
        return SystemError(f"compiled code ended with status {status}.")
    serialize = clean_import("numba.core.serialize")
    raised = _Raised.from_address(address)
    pickled = ctypes.string_at(raised.pickle, raised.size)
    if raised.number > 0:
        details = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p)(raised.unwrap)(raised.details)
        kind, values, _ = serialize.runtime_build_excinfo_struct(pickled, details)
    else:
        kind, values, _ = serialize.loads(pickled)
    return kind(*values)


# Bounds checks cost a few percent; the test suite turns them on. Code with and without them has different stamps.
BOUNDS_CHECK = os.environ.get("JAMAICA_SIM_BOUNDS_CHECK", "0") == "1"

HASH_BYTES = hashlib.sha256().digest_size
OBJECT, MODULE = "obj", "bc"  # the two forms of a function: object code, and the LLVM module that it was made from
WHERE = "NUMBA_CACHE_DIR"


@cache
def stamp_of(source: str) -> str | None:
    """A hash of everything that compiled code of a source file depends on, except the processor and numba's settings.

    None for code that comes from no file.
    """
    if not Path(source).is_file():
        return None
    programs = *VERSIONS, sys.version_info[:3], BOUNDS_CHECK
    return hashlib.sha256(f"{programs!r}\0{sources.digest_of(source)}".encode()).hexdigest()


@cache
def target() -> str:
    """What code is compiled for: this processor, and all settings of numba."""
    processor = llvm.get_process_triple(), llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()
    settings = sorted((name, value) for name, value in os.environ.items() if name.startswith("NUMBA_"))
    settings = [(name, value) for name, value in settings if name != WHERE]
    return repr((processor, settings))


def _cache_folders() -> Iterator[Path]:
    """Folders for compiled code, best first: the one that the user names, the user's cache folder, a temporary one."""
    if os.environ.get(WHERE):
        yield Path(os.environ[WHERE]) / "jamaica-sim"
    if users := users_folder("cache"):
        yield users
    with suppress(OSError):  # no temporary folder either
        yield Path(tempfile.gettempdir()) / f"jamaica-sim-{os.getuid() if hasattr(os, 'getuid') else 'user'}"


@cache
def cache_folder() -> Path | None:
    """The first folder that is safe and can be written to; None where there is none, and then nothing is kept."""
    for folder in _cache_folders():
        if safe := safe_folder(folder, make=True):
            with suppress(OSError), tempfile.TemporaryFile(dir=safe):
                return safe
    return None


class Kept:
    """The file that keeps one function's compiled code. It begins with a hash of the rest.

    A file that does not match its hash is ignored: damaged code must not run. The name of its folder is a hash of the
    stamp and of the target.
    """

    def __init__(self, function: Callable[..., Any], stamp: str) -> None:
        self._name = f"{function.__module__}.{function.__qualname__}".replace("<", "(").replace(">", ")")
        self._stamp = stamp

    @cached_property
    def _folder(self) -> Path:
        folder = hashlib.sha256(f"{self._stamp}\0{target()}".encode()).hexdigest()
        base = cache_folder()
        assert base, "nothing is kept without a folder"
        return base / folder[:16]

    def _path(self, kind: str) -> Path:
        return self._folder / f"{self._name}.{kind}"

    def is_there(self, kind: str = OBJECT) -> bool:
        """Whether the file exists."""
        return self._path(kind).is_file()

    def load(self, kind: str = OBJECT) -> ObjectCode | None:
        """The kept code; None where there is no file, or not a valid one."""
        try:
            return ObjectCode.from_bytes(self._read(self._path(kind)))
        except (OSError, ValueError, TypeError):
            return None

    def save(self, compiled: ObjectCode, kind: str = OBJECT) -> None:
        """Keep the code, if possible. A full disk costs the next process time, but does not end this one."""
        with suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._refuse_strangers()
            content = compiled.to_bytes()
            with tempfile.NamedTemporaryFile(dir=self._folder, delete=False) as file:
                try:
                    file.write(hashlib.sha256(content).digest() + content)
                    file.close()
                    os.replace(file.name, self._path(kind))
                except BaseException:
                    os.unlink(file.name)
                    raise

    def _read(self, path: Path) -> bytes:
        """The file's content after the hash; raises OSError where it is damaged or the folder is not ours alone."""
        self._refuse_strangers()
        number = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0))
        with open(number, "rb") as file:
            content = file.read()
        digest, rest = content[:HASH_BYTES], content[HASH_BYTES:]
        if hashlib.sha256(rest).digest() != digest:
            raise OSError(f"{path} is damaged")
        return rest

    def _refuse_strangers(self) -> None:
        if not (is_ours(self._folder) and is_ours(self._folder.parent)):
            raise PermissionError(f"{self._folder} is not ours alone")


def keeps_code() -> bool:
    """Whether compiled code is kept: there is a folder for it, and we can load what the installed numba compiles."""
    return IS_TESTED and cache_folder() is not None


def kept(function: Callable[..., Any], stamp: str | None) -> Kept | None:
    """Where compiled code of a function is kept; None where it is not."""
    return Kept(function, stamp) if stamp and keeps_code() else None


def kept_with_text(function: Callable[..., Any], source: str, text: str) -> Kept | None:
    """Where compiled code of a user's function is kept: it depends on a source file of ours and on the user's text."""
    return kept(function, hashlib.sha256(f"{stamp_of(source)}\0{text}".encode()).hexdigest())


def kept_by_file(function: Callable[..., Any]) -> Kept | None:
    """Where compiled code of a function is kept that depends on nothing but its file and what that imports."""
    return kept(function, stamp_of(function.__code__.co_filename))

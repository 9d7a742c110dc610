"""The one jit policy of the project.

`jit` and `inline` are for functions that only jitted code calls; `entry` is for the few that Python calls, and keeps
their compiled code on disk. `intrinsic` and `overloaded` are numba's. All of them only remember the function:
numba is imported when something has to be compiled.
"""

import ctypes
import os
import re
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from functools import cached_property, partial, update_wrapper
from typing import Any

import llvmlite.binding as llvm
import numpy as np
import numpy.typing as npt

from jamaica_sim.engine.machine.cache import (
    BOUNDS_CHECK,
    MODULE,
    Call,
    Form,
    Kept,
    Loaded,
    ObjectCode,
    form_of,
    form_text,
    kept_by_file,
    whole_number,
)
from jamaica_sim.engine.machine.late import IS_TESTED, numba
from jamaica_sim.errors import UserError
from jamaica_sim.files.clean_import import clean_import

if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
    raise UserError("the environment variable NUMBA_DISABLE_JIT is set: unset it, the engine plays compiled only.")

if (threads := os.environ.get("NUMBA_NUM_THREADS", "").strip()).lstrip("-").isdecimal() and not 0 < int(threads[:9]):
    raise UserError("the environment variable NUMBA_NUM_THREADS must be a number from 1 up, or unset.")

Function = Callable[..., Any]
Options = Mapping[str, Any]
OPTIONS: Options = {"nogil": True, "error_model": "numpy", "boundscheck": BOUNDS_CHECK}
# The engine allocates no memory, so references are not counted: less to compile, and compiled code needs no numba.
INNER = {**OPTIONS, "_nrt": False, "no_cpython_wrapper": True, "no_cfunc_wrapper": True} if IS_TESTED else OPTIONS

# Both name `forceinline`, because numba passes a caller's forced inlining down to everything that it calls.
NOT_INLINE = {**INNER, "forceinline": False}
INLINE = {**INNER, "forceinline": True}

JITTED = "_ZN"  # how the linker's name of a jitted function begins
ENVIRONMENT = re.compile(r"@(_ZN08NumbaEnv\w+)")  # numba's name for a function's link to Python
PICKLE = re.compile(r'(@\.const\.pickledata\.\w+ =[^\n]*? constant \[(\d+) x i8\] c")([^"\n]*)"')  # of an exception
LOADING = threading.RLock()  # workers start together: the first one loads or compiles


class _Wrapper:
    """Stands for a function, under its name."""

    def __init__(self, function: Function) -> None:
        named: Any = self
        update_wrapper(named, function)
        self.py_func = function


class Jitted(_Wrapper):
    """A function for jitted code to call. numba asks for its type when it first meets it, and that jits it."""

    def __init__(self, function: Function, options: Options) -> None:
        super().__init__(function)
        self._options = options

    @cached_property
    def dispatcher(self) -> Any:
        """numba's dispatcher of the function."""
        return self._jitted()

    def _jitted(self) -> Any:
        return numba.njit(**self._options)(self.py_func)

    @property
    def _numba_type_(self) -> Any:
        return self.dispatcher._numba_type_


def jit(function: Function) -> Jitted:
    """Jit a function for jitted code to call."""
    return Jitted(function, NOT_INLINE)


def inline(function: Function) -> Jitted:
    """Jit a function for jitted code to call, always inlined."""
    return Jitted(function, INLINE)


class _Registered(_Wrapper):
    """A function that numba keeps in its registries. It is put there when numba first meets it."""

    def __init__(self, function: Function, register: Callable[[Function], Any]) -> None:
        super().__init__(function)
        self._register = register

    @cached_property
    def _numba_type_(self) -> Any:
        registered = self._register(self.py_func)
        context = clean_import("numba.core.registry").cpu_target.typing_context
        context.refresh()
        return context.resolve_value_type(registered)


def intrinsic(function: Function) -> _Registered:
    """numba's `intrinsic`: a function that writes LLVM."""
    return _Registered(function, lambda function: numba.extending.intrinsic(function))


def overloaded(function: Function) -> _Registered:
    """numba's `overload`: a function that is given types, and returns the function that is compiled for them."""

    def register(function: Function) -> Function:
        numba.extending.overload(function, jit_options=NOT_INLINE)(function)
        return function

    return _Registered(function, register)


class Entry(_Wrapper):
    """A function that Python calls, for arguments of one form: whole numbers and arrays.

    Its compiled code is kept on disk, stamped with its file. The first call loads it, or compiles it.
    """

    def __init__(self, function: Function, options: Options = INNER) -> None:
        super().__init__(function)
        self._options, self._form = options, Form()
        self._loaded: Loaded | Compiled | None = None
        self._call: Call | PlainCall | None = None

    @cached_property
    def _kept(self) -> Kept | None:
        return kept_by_file(self.py_func)  # when first needed: many files go into a stamp

    def is_compiled(self) -> bool:
        """Whether a call would find compiled code, in memory or on disk."""
        return self._call is not None or (self._kept is not None and self._kept.is_there())

    def __call__(self, *arguments: Any) -> Any:
        return self._call_for(arguments).bound(arguments)()

    def bound(self, *arguments: Any) -> Callable[[], Any]:
        """A call with these very arguments. They are converted once; arrays are read and written where they lie."""
        return self._call_for(arguments).bound(arguments)

    def _call_for(self, arguments: tuple[Any, ...]) -> "Call | PlainCall":
        form, call = form_of(arguments), self._call
        if call is None:
            with LOADING:
                call = self._call = self._call or self._load(form, arguments)
        if form != self._form:
            name = self.py_func.__name__
            raise TypeError(f"{name} is compiled for ({form_text(self._form)}), not for ({form_text(form)}).")
        return call

    def _load(self, form: Form, arguments: tuple[Any, ...]) -> "Call | PlainCall":
        def signature() -> Any:
            return tuple(map(numba.typeof, arguments))

        def compiled() -> Compiled:
            return compile_engine(self.py_func, signature(), self._options)

        self._form = form
        if not IS_TESTED:
            return PlainCall(self.py_func, signature(), self._options)
        self._loaded = load(self._kept, form_text(form), compiled)
        return Call(self._loaded.address, self._loaded.returns, form)

    def module(self, *arguments: Any) -> ObjectCode:
        """Its LLVM module for arguments of this form, kept beside the compiled code."""

        def compiled() -> Compiled:
            return compile_engine(self.py_func, tuple(map(numba.typeof, arguments)), self._options)

        return module(self._kept, form_text(form_of(arguments)), compiled)


class PlainCall:
    """A function that numba compiles and calls as it does for everybody; used like `Call`."""

    def __init__(self, function: Function, signature: Any, options: Options) -> None:
        self._compiled = numba.njit(signature, **options)(function)

    def bound(self, arguments: tuple[Any, ...]) -> Callable[[], Any]:
        """A call with these arguments."""
        return partial(self._compiled, *(a if isinstance(a, np.ndarray) else whole_number(a) for a in arguments))


class KeptFunction(_Wrapper):
    """A function that compiled code calls by address, with records and whole numbers; it returns a whole number.

    Its compiled code is kept on disk. Keep the object alive as long as the address is used.
    """

    def __init__(self, function: Function, *dtypes: npt.DTypeLike) -> None:
        super().__init__(function)
        self._dtypes = [np.dtype(dtype) for dtype in dtypes]
        self._loaded: Loaded | Compiled | None = None

    @cached_property
    def _kept(self) -> Kept | None:
        return kept_by_file(self.py_func)

    def _compile(self) -> "Compiled":
        return compile_engine(self.py_func, numba.int64(*map(numba.from_dtype, self._dtypes)))

    def is_compiled(self) -> bool:
        """Whether its address is available without compiling."""
        return self._loaded is not None or (self._kept is not None and self._kept.is_there())

    @property
    def address(self) -> int:
        """Where the compiled function starts; compiles it, or loads it from disk, the first time."""
        with LOADING:
            if self._loaded is None:
                self._loaded = load(self._kept, self._form, self._compile)
            return self._loaded.address

    def module(self) -> ObjectCode:
        """Its LLVM module, kept beside the compiled code."""
        return module(self._kept, self._form, self._compile)

    @property
    def _form(self) -> str:
        return " ".join(dtype.str for dtype in self._dtypes)


def entry(function: Function) -> Entry:
    """Jit a function that Python calls, see `Entry`."""
    return Entry(function)


def load(kept: Kept | None, form: str, compiled: "Callable[[], Compiled]") -> "Loaded | Compiled":
    """A function in memory: loaded from disk, if it is kept there for arguments of this form, or else compiled now."""
    code = kept.load() if kept else None
    if code is not None and code.form == form:
        return Loaded(code)
    function = compiled()
    if kept and (code := function.object_code(form)) is not None:
        kept.save(code)
    return function


def module(kept: Kept | None, form: str, compiled: "Callable[[], Compiled]") -> ObjectCode:
    """The LLVM module of a function for arguments of this form: kept on disk, or compiled now."""
    with LOADING:
        code = kept.load(MODULE) if kept else None
        if code is None or code.form != form:
            function = compiled()
            code = function.module(form)
            if kept:
                kept.save(code, MODULE)
                if (own := function.object_code(form)) is not None:
                    kept.save(own)
        return code


def compile_engine(function: Function, signature: Any, options: Options = INNER) -> "Compiled":
    """Compile a function in the engine's way, with our patches where numba is a version that they were tested with."""
    from jamaica_sim.engine.machine.numba_patches import engine_compiler

    dispatcher = numba.njit(**options)(function)
    with engine_compiler(function.__qualname__) if IS_TESTED else nullcontext():
        dispatcher.compile(signature)
    return Compiled(dispatcher)


class Compiled:
    """A function that numba has compiled in this process, for one signature; keep it as long as its address is used."""

    def __init__(self, dispatcher: Any) -> None:
        self.dispatcher = dispatcher
        [result] = dispatcher.overloads.values()
        self.signature, self._library = result.signature, result.library
        self.returns, self._symbol = str(result.signature.return_type), result.fndesc.llvm_func_name
        self.address: int = self._library.get_pointer_to_function(self._symbol)

    def object_code(self, form: str) -> ObjectCode | None:
        """Its code for arguments of this form, to be kept; None where another process could not use it."""
        needed, is_bound = _links(self._library)
        named = numba.config.CPU_NAME or ""
        if is_bound or named != os.environ.get("NUMBA_CPU_NAME", ""):  # a processor not named by the environment
            return None
        return ObjectCode(self._symbol, self.returns, form, bool(needed), self._library._compiled_object)

    def module(self, form: str) -> ObjectCode:
        """Its optimised LLVM module, with exceptions in words instead of pickles."""
        text = PICKLE.sub(_in_words, str(self._library._final_module))
        return ObjectCode(self._symbol, self.returns, form, False, llvm.parse_assembly(text).as_bitcode())


def _in_words(found: re.Match[str]) -> str:
    """The constant that describes an exception, as its kind and words; zeros fill the rest."""
    head, size, escaped = found.groups()
    raw = re.sub(rb"\\([0-9A-F]{2})", lambda it: bytes([int(it[1], 16)]), escaped.encode("latin-1"))
    kind, values, _ = clean_import("numba.core.serialize").loads(raw)
    words = ": ".join([kind.__name__, *map(str, values or ())]).encode()[: int(size)]
    return head + "".join(rf"\{byte:02X}" for byte in words.ljust(int(size), b"\0")) + '"'


def _links(library: Any) -> tuple[set[str], bool]:
    """The names that compiled code needs from numba's runtime, and whether it is bound to objects of this process."""
    module = library._final_module
    links = Counter(ENVIRONMENT.findall(str(module)))
    is_bound = library.has_dynamic_globals or any(times > 1 for times in links.values())
    declared = [it.name for them in (module.functions, module.global_variables) for it in them if it.is_declaration]
    process = ctypes.CDLL(None) if os.name == "posix" else None
    needed = {name for name in declared if not name.startswith("llvm.") and not hasattr(process, name)}
    # A jitted function that was compiled before and is not linked in has an address in this process only.
    return needed, is_bound or any(name.startswith(JITTED) for name in needed)

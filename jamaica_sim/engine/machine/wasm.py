"""One WebAssembly module from compiled functions, by LLVM alone: no linker, and nothing that numba is not built on.

numba's modules are joined, aimed at WebAssembly and written as one object. An object without undefined symbols is a
module already: it imports its memory, its stack pointer and its table of functions, and its addresses are final. Only
the exports are missing; they are added from the object's table of symbols.
"""

import os
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import llvmlite.binding as llvm

from jamaica_sim.engine.machine.cache import ObjectCode
from jamaica_sim.engine.machine.late import IS_TESTED, VERSIONS
from jamaica_sim.errors import UserError

# Compiled for the processor at hand, modules have vectors and instructions that WebAssembly lacks. So whoever wants
# one compiles in a process that is started with these.
GENERIC = {"NUMBA_CPU_NAME": "generic"}
TRIPLE = "wasm32-unknown-unknown"
FEATURES = "+simd128,+bulk-memory,+sign-ext,+nontrapping-fptoint,+mutable-globals"
# The one helper that LLVM calls: the product of two numbers of 128 bits.
RUNTIME = """
define void @__multi3(ptr %out, i64 %a, i64 %a2, i64 %b, i64 %b2) {
  %al = and i64 %a, 4294967295
  %ah = lshr i64 %a, 32
  %bl = and i64 %b, 4294967295
  %bh = lshr i64 %b, 32
  %ll = mul i64 %al, %bl
  %hl = mul i64 %ah, %bl
  %lh = mul i64 %al, %bh
  %hh = mul i64 %ah, %bh
  %carried = lshr i64 %ll, 32
  %middle = add i64 %hl, %carried
  %middle_low = and i64 %middle, 4294967295
  %middle_high = lshr i64 %middle, 32
  %second = add i64 %lh, %middle_low
  %second_high = lshr i64 %second, 32
  %h1 = add i64 %hh, %middle_high
  %h2 = add i64 %h1, %second_high
  %x1 = mul i64 %a, %b2
  %x2 = mul i64 %a2, %b
  %h3 = add i64 %h2, %x1
  %high = add i64 %h3, %x2
  %low = mul i64 %a, %b
  store i64 %low, ptr %out
  %above = getelementptr i8, ptr %out, i64 8
  store i64 %high, ptr %above
  ret void
}
"""
# Of the binary format: sections, and what the section "linking" says.
CUSTOM, EXPORTS, START_OR_LATER = 0, 7, (8, 9, 10, 11, 12)
SYMBOLS, FUNCTION, DATA, SECTION = 8, 0, 1, 3
UNDEFINED, HAS_NAME = 0x10, 0x40


def check_versions() -> None:
    """Refuse a numba that was not tested: how it lays out modules is not promised."""
    if not IS_TESTED:
        raise UserError(
            f"the engine for a page cannot be made with numba {VERSIONS[0]} and llvmlite {VERSIONS[1]}, which were not "
            "tested with this version: install the numba that pyproject.toml allows."
        )


def wasm_of(functions: Mapping[str, ObjectCode]) -> bytes:
    """A module that exports these functions by name; they were kept as LLVM modules (`jit.Compiled.module`)."""
    machine = _machine()
    whole = _aimed(llvm.parse_assembly(RUNTIME))
    for number, code in enumerate(functions.values()):
        whole.link_in(_with_one_name(_aimed(llvm.parse_bitcode(code.code)), code.symbol, f"export_{number}"))
    passes = llvm.create_new_module_pass_manager()
    passes.add_global_dead_code_eliminate_pass()
    passes.run(whole, llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options()))
    whole.verify()
    data = machine.emit_object(whole)
    return _with_exports(data, {f"export_{number}": name for number, name in enumerate(functions)})


@cache
def _machine() -> Any:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    target = llvm.Target.from_triple(TRIPLE)
    return target.create_target_machine(cpu="generic", features=FEATURES, opt=3, reloc="static", codemodel="default")


def _aimed(module: Any) -> Any:
    module.triple, module.data_layout = TRIPLE, str(_machine().target_data)
    return module


def _with_one_name(module: Any, symbol: str, name: str) -> Any:
    """Everything but one function made the module's own: equal names in two modules need not mean the same."""
    for function in module.functions:
        if function.name == symbol:
            function.name, function.linkage = name, "external"
        elif not function.is_declaration:
            function.linkage = "internal"
    for variable in module.global_variables:
        if not variable.is_declaration:
            variable.linkage = "internal"
    return module


def _with_exports(data: bytes, names: Mapping[str, str]) -> bytes:
    """An object as a module that exports the functions with these symbols under these names."""
    parts = list(_sections(data))
    [linking] = [body for kind, body in parts if kind == CUSTOM and _Reader(body).name() == "linking"]
    indexes = dict(_functions(linking))
    entries = [_text(name) + b"\0" + _number(indexes[symbol]) for symbol, name in names.items()]
    exports = _number(len(entries)) + b"".join(entries)
    kept = [(kind, body) for kind, body in parts if kind != CUSTOM]  # the others are for linkers
    place = next(n for n, (kind, _) in enumerate(kept) if kind in START_OR_LATER)
    kept.insert(place, (EXPORTS, exports))
    return data[:8] + b"".join(bytes([kind]) + _number(len(body)) + body for kind, body in kept)


class _Reader:
    """Reads numbers (LEB128) and texts one after the other."""

    def __init__(self, data: bytes, at: int = 0):
        self._data, self.at = data, at

    @property
    def is_at_end(self) -> bool:
        return self.at >= len(self._data)

    def number(self) -> int:
        value = shift = 0
        while True:
            byte = self._data[self.at]
            self.at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def bytes(self, many: int) -> bytes:
        self.at += many
        return self._data[self.at - many : self.at]

    def name(self) -> str:
        return self.bytes(self.number()).decode()


def _number(value: int) -> bytes:
    found = bytearray()
    while value >= 0x80:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*found, value])


def _text(text: str) -> bytes:
    return _number(len(text.encode())) + text.encode()


def _sections(data: bytes) -> Iterator[tuple[int, bytes]]:
    reader = _Reader(data, 8)
    while not reader.is_at_end:
        kind = reader.number()
        yield kind, reader.bytes(reader.number())


def _functions(linking: bytes) -> Iterator[tuple[str, int]]:
    """Symbol and index of each function that an object defines; an undefined symbol would need a linker."""
    reader = _Reader(linking)
    reader.name()
    assert reader.number() == 2, "the version of the section"
    while not reader.is_at_end:
        kind, size = reader.number(), reader.number()
        end = reader.at + size
        for _ in range(reader.number() if kind == SYMBOLS else 0):
            what, flags = reader.number(), reader.number()
            is_defined = not flags & UNDEFINED
            if what == DATA:
                name = reader.name()
                assert is_defined, f"{name} is not defined"
                for _ in range(3):
                    reader.number()
            elif what == SECTION:
                reader.number()
            else:
                index = reader.number()
                name = reader.name() if is_defined or flags & HAS_NAME else ""
                if what == FUNCTION:
                    if not is_defined:
                        raise UserError(f"the page cannot have a function that calls {name or 'another one'}.")
                    yield name, index
        reader.at = end


def is_generic() -> bool:
    """Whether this process compiles for no processor in particular."""
    return all(os.environ.get(name) == value for name, value in GENERIC.items())

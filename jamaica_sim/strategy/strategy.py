"""Strategy files by name or path: data only (TOML: a name, a description, weights) or code (Python functions).

A data file runs no code and compiles nothing. A code file is trusted code: it is imported, and its decision functions
are compiled. What a file leaves out falls back to the parametric heuristic with its weights.
"""

import ast
import dis
import hashlib
import re
import sys
import tomllib
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import cache
from graphlib import CycleError, TopologicalSorter
from inspect import CO_ASYNC_GENERATOR, CO_COROUTINE, CO_GENERATOR, CO_VARARGS, CO_VARKEYWORDS
from pathlib import Path
from types import CodeType, FunctionType, ModuleType

import numpy as np

from jamaica_sim.codes import DECISIONS
from jamaica_sim.strategy.heuristic.weights import BY_NAME, weights_record

SUFFIXES = {".toml": "data", ".py": "code"}
KEYS = ("name", "description", "intent", "weights")
ARGUMENTS = ("view", "rules", "weights")  # of a decision function
LONGEST_SHOWN = 60
RANDOM = "random"
RANDOM_DESCRIPTION = (
    "Plays at random: every legal answer to every decision is equally likely. It knows no fear and no plan, and is "
    "the measure that everything else is held against."
)


class StrategyError(ValueError):
    """A strategy that cannot be used: one sentence with the file and what to do."""


@dataclass(frozen=True, eq=False)
class Strategy:
    """A strategy, ready to be seated."""

    name: str
    kind: str  # "built in" (random), "data" or "code"
    description: str
    intent: str = ""
    path: Path | None = None
    text: str = ""
    changes: dict = field(default_factory=dict)  # weights that differ from the defaults
    functions: dict = field(default_factory=dict)  # decision -> CompiledDecision
    label: str = ""
    weights: np.ndarray = field(default=None, repr=False)

    def __post_init__(self):
        object.__setattr__(self, "label", self.label or self.name)
        object.__setattr__(self, "weights", weights_record(**self.changes))

    @property
    def digest(self) -> str:
        """A hash of what decides how this strategy plays."""
        return hashlib.sha256(f"{self.kind}\0{self.name}\0{self.text}".encode()).hexdigest()

    def labelled(self, label: str) -> "Strategy":
        """The same strategy under another label."""
        return replace(self, label=label)

    def identity(self) -> dict:
        """All that is needed to seat it again, elsewhere or later."""
        return {
            "name": self.name,
            "label": self.label,
            "kind": self.kind,
            "file": self.path.name if self.path else None,
            "sha256": self.digest,
            "text": self.text,
        }

    def addresses(self) -> np.ndarray:
        """The address of the compiled function for each decision point; 0 is uniform random play."""
        if self.kind == "built in":
            return np.zeros(len(DECISIONS), np.int64)
        self.weights["heuristic"] = heuristic().address
        return np.array([self._function(decision).address for decision in DECISIONS], np.int64)

    def _function(self, decision):
        return self.functions.get(decision) or heuristic()

    def is_compiled(self) -> bool:
        """Whether it can play without compiling anything."""
        if self.kind == "built in":
            return True
        return heuristic().is_compiled() and all(function.is_compiled() for function in self.functions.values())


@cache
def heuristic():
    """The compiled parametric heuristic, which all data files share."""
    from jamaica_sim.strategy.compile import CompiledDecision
    from jamaica_sim.strategy.heuristic.decide import decide

    return CompiledDecision(decide, plain=True)


@cache
def shipped_folder() -> Path:
    """Where the shipped strategies lie: inside the package when installed, beside it in a checkout."""
    package = Path(__file__).resolve().parent.parent
    installed = package / "shipped" / "strategies"
    return installed if installed.is_dir() else package.parent / "strategies"


def shipped_names() -> list[str]:
    """The names of the shipped strategies."""
    return sorted([RANDOM, *(path.stem for path in shipped_folder().glob("*") if path.suffix in SUFFIXES)])


def load_strategy(name_or_file) -> Strategy:
    """The shipped strategy of that name, or the strategy in that file."""
    text = str(name_or_file)
    if text == RANDOM:
        return Strategy(RANDOM, "built in", RANDOM_DESCRIPTION)
    if Path(text).suffix in SUFFIXES or "/" in text or "\\" in text:
        return load_file(Path(text))
    for suffix in SUFFIXES:
        path = shipped_folder() / f"{text}{suffix}"
        if path.is_file():
            return load_file(path)
    near = get_close_matches(text, shipped_names(), 1)
    hint = f"did you mean {near[0]!r}?" if near else f"the shipped ones are {', '.join(shipped_names())}."
    own = f"A file of your own is named by its path, ./{text}.toml."
    raise StrategyError(f"there is no strategy {text!r}: {hint} {own}")


def load_file(path: Path) -> Strategy:
    """The strategy in a file."""
    if path.suffix not in SUFFIXES:
        raise StrategyError(f"{path}: a strategy file ends in .toml (weights) or .py (code).")
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise StrategyError(f"there is no strategy file {path}.") from None
    except OSError as error:
        raise StrategyError(f"{path} cannot be read: {error.strerror or error}.") from error
    except UnicodeDecodeError as error:
        raise StrategyError(f"{path} is not UTF-8 text: byte {error.start} is not a character.") from error
    except ValueError as error:
        raise StrategyError(f"{str(path)!r} cannot be the name of a file: {error}.") from error
    return strategy_from_text(text, path)


def strategy_from_text(text: str, path: Path) -> Strategy:
    """The strategy that a file of this text is."""
    load = _load_data if path.suffix == ".toml" else _load_code
    return load(text, path)


def strategy_from_identity(identity: dict) -> Strategy:
    """The strategy that `Strategy.identity` described, from its own text."""
    if identity["kind"] == "built in":
        return load_strategy(identity["name"]).labelled(identity["label"])
    strategy = strategy_from_text(identity["text"], Path(identity["file"]))
    if strategy.digest != identity["sha256"]:
        raise StrategyError(f"the strategy {identity['name']!r} does not match its hash: it was changed.")
    return strategy.labelled(identity["label"])


def _line_of(text, key):
    for number, line in enumerate(text.splitlines(), 1):
        if re.match(rf"\s*[\"']?{re.escape(key)}[\"']?\s*=", line) or line.strip() == f"[{key}]":
            return number
    return 1


def _refuse(path, text, key, problem):
    raise StrategyError(f"{path}, line {_line_of(text, key)}: {problem}")


def _nearest(word, words):
    near = get_close_matches(str(word), words, 1)
    return f"did you mean {near[0]!r}?" if near else f"known are {', '.join(words)}."


def _shown(value):
    """A value as a message shows it, however long it is."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):
        return "something too long to show"
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}..."


def _load_data(text, path):
    try:
        data = tomllib.loads(text)
    except RecursionError:
        raise StrategyError(f"{path} is not valid TOML: it is nested too deeply.") from None
    except ValueError as error:  # TOML's own, or a number with thousands of digits
        raise StrategyError(f"{path} is not valid TOML: {error}.") from error
    for key in data:
        if key not in KEYS:
            _refuse(path, text, key, f"there is no key {key!r} in a strategy file: {_nearest(key, KEYS)}")
    for key in ("name", "description", "intent"):
        if not isinstance(data.get(key, ""), str):
            _refuse(path, text, key, f"{key} must be text, not {_shown(data[key])}.")
    weights = data.get("weights", {})
    if not isinstance(weights, dict):
        _refuse(path, text, "weights", "weights must be a table: [weights], then one `name = number` a line.")
    check_weights(weights, lambda key, problem: _refuse(path, text, key, problem))
    return Strategy(
        _checked_name(data.get("name", path.stem), path),
        "data",
        data.get("description", "").strip(),
        data.get("intent", "").strip(),
        path,
        text,
        {name: float(value) for name, value in weights.items()},
    )


def _checked_name(name, path):
    if not re.fullmatch(r"[\w .+-]{1,60}", name):
        raise StrategyError(f"{path}: the name {name!r} must be 1 to 60 letters, digits, spaces or any of _ . + -")
    return name


def check_weights(weights, refuse):
    """Refuse weights that are unknown, no number or out of range, by calling `refuse(key, problem)`."""
    for key, value in weights.items():
        if key not in BY_NAME:
            refuse(key, f"there is no weight {key!r}: {_nearest(key, list(BY_NAME))}")
        weight = BY_NAME[key]
        if isinstance(value, bool) or not isinstance(value, int | float):
            refuse(key, f"the weight {key!r} must be a number, not {_shown(value)}.")
        if not weight.low <= value <= weight.high:
            allowed = f"from {weight.low:g} to {weight.high:g} {weight.unit}"
            refuse(key, f"the weight {key!r} must be {allowed}, not {_shown(value)}.")


def _load_code(text, path):
    from jamaica_sim.strategy.compile import CompiledDecision

    module = _import_text(text, path)
    _refuse_recursion(module, path)
    weights = _weights_of(module, path)
    functions = {
        name: CompiledDecision(_bare(function), text, str(path))
        for name, function in vars(module).items()
        if _is_decision(name, function, module, path)
    }
    return Strategy(
        _checked_name(str(getattr(module, "NAME", path.stem)), path),
        "code",
        str(module.__doc__ or "").strip(),
        str(getattr(module, "INTENT", "")).strip(),
        path,
        text,
        {name: float(value) for name, value in weights.items()},
        functions,
    )


def _weights_of(module, path):
    """The weights that a code file sets; a misspelt WEIGHTS is refused."""
    for name, value in vars(module).items():
        if name != "WEIGHTS" and isinstance(value, dict) and get_close_matches(name.upper(), ["WEIGHTS"], 1, 0.8):
            raise StrategyError(f"{path}: {name!r} is not read; did you mean 'WEIGHTS'?")
    weights = getattr(module, "WEIGHTS", {})
    if not isinstance(weights, dict):
        raise StrategyError(f"{path}: WEIGHTS must be a dictionary of weights, not {_shown(weights)}.")

    def refuse(key, problem):
        raise StrategyError(f"{path}: in WEIGHTS, {problem}")

    weights = dict(weights)
    check_weights(weights, refuse)
    return weights


def _globals_in(code):
    """The module-level names that a function's code reads, in comprehensions and functions inside it too."""
    inner = [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    own = {step.argval for step in dis.get_instructions(code) if step.opname == "LOAD_GLOBAL"}
    return own.union(*map(_globals_in, inner))


def _refuse_recursion(module, path):
    """A function that calls itself, or calls in a circle, could exhaust the stack, which would end the program."""
    own = {name: _bare(value) for name, value in vars(module).items() if _is_own(value, module)}
    code = {name: function.__code__ for name, function in own.items()}
    try:
        TopologicalSorter({name: _globals_in(code[name]) & set(code) for name in code}).prepare()
    except CycleError as error:
        circle = " calls ".join(error.args[1])
        raise StrategyError(f"{path}: {circle}: the functions of a strategy cannot call themselves.") from None


def _bare(function):
    """A function without the decorator @helper."""
    return getattr(function, "py_func", function)


def _is_own(function, module):
    function = _bare(function)
    return isinstance(function, FunctionType) and function.__module__ == module.__name__


def _is_decision(name, function, module, path):
    """Whether something in a code file is a decision function; a misspelt one is refused."""
    own = _is_own(function, module)
    if name not in DECISIONS:
        near = get_close_matches(name, DECISIONS, 1, 0.8)
        if near and own and not name.startswith("_"):
            raise StrategyError(
                f"{path}: {name!r} is not a decision point; did you mean {near[0]!r}? "
                f"A helper's name starts with an underscore."
            )
        return False
    if not own:
        raise StrategyError(f"{path}: {name} must be a function that this file defines.")
    code = _bare(function).__code__
    if code.co_argcount != 3 or code.co_kwonlyargcount or code.co_flags & (CO_VARARGS | CO_VARKEYWORDS):
        raise StrategyError(f"{path}: {name} must take three arguments: ({', '.join(ARGUMENTS)}).")
    if code.co_flags & (CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR):
        raise StrategyError(f"{path}: {name} must return a whole number: it can neither yield nor be async.")
    return True


def _refuse_writing(tree, path):
    """What a strategy is shown is the game itself: a slip such as `view.round = 3` would change it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute | ast.Subscript) and not isinstance(node.ctx, ast.Load):
            root, line = node, node.lineno
            while isinstance(root, ast.Attribute | ast.Subscript):
                root = root.value
            if isinstance(root, ast.Name) and root.id in ARGUMENTS:
                raise StrategyError(f"{path}, line {line}: a strategy may read {root.id}, but not change it.")


def _import_text(text, path):
    """Import a code file from its text, under a name that depends on the text alone."""
    name = f"jamaica_strategy_{hashlib.sha256(text.encode()).hexdigest()[:16]}"
    module = ModuleType(name)
    module.__file__ = str(path)
    sys.modules[name] = module  # numba looks functions' globals up there
    try:
        tree = ast.parse(text, str(path))
        _refuse_writing(tree, path)
        exec(compile(tree, str(path), "exec"), module.__dict__)
    except SyntaxError as error:
        where = f", line {error.lineno}" if error.lineno else ""
        raise StrategyError(f"{path}{where}: not valid Python: {error.msg}.") from error
    except (KeyboardInterrupt, StrategyError):
        raise
    except BaseException as error:  # SystemExit and the like too: a file must not end the program
        reason = f"{type(error).__name__}: {error}".rstrip(": ")
        raise StrategyError(f"{path} cannot be imported: {reason}.") from error
    return module

"""Strategy files of code: Python functions, one for each decision that the file makes itself.

Such a file is trusted code: it is imported, and its functions are compiled. Mistakes that would crash the engine or
change the game, such as recursion or writing to the view, are refused with the file and the line.
"""

import ast
import dis
import hashlib
import re
import sys
import traceback
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from inspect import CO_ASYNC_GENERATOR, CO_COROUTINE, CO_GENERATOR, CO_VARARGS, CO_VARKEYWORDS
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

from jamaica_sim.engine.state import RULES_DTYPE
from jamaica_sim.engine.view import VIEW_DTYPE
from jamaica_sim.files.escape import did_you_mean, nearest, shown
from jamaica_sim.files.user_files import Refusal, not_python, python_of
from jamaica_sim.game.codes import DECISIONS
from jamaica_sim.game.house_file import house_rules_instead
from jamaica_sim.strategy import api
from jamaica_sim.strategy.compile import HEURISTIC, RESTRICTED, CompiledDecision
from jamaica_sim.strategy.heuristic.weights import WEIGHTS_DTYPE
from jamaica_sim.strategy.player import player_of_file
from jamaica_sim.strategy.slips import told
from jamaica_sim.strategy.strategy import (
    NOT_LOADED,
    Strategy,
    StrategyError,
    check_weights,
    checked_bans,
    checked_name,
    refuse_all,
)

PLAYER = "answer"  # the function of a plain Python player
ARGUMENTS = ("view", "rules", "weights")  # of a decision function
LUCKY = ("random", "numpy.random")  # modules with luck of their own
LARGEST_CODE = 2**17  # characters of a file; Python needs up to a thousand times as much memory to read it
LOOPS = (ast.For, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
LIKELY_SLIP = 0.8  # names as similar as this are taken for a misspelling
# What is read from a file beside its functions.
CONSTANTS: dict[str, type] = {"NAME": str, "INTENT": str, "WEIGHTS": dict, "BANS": list}
RECORDS = {  # the arguments of a decision function: what messages call them, and their fields
    "view": ("the view", VIEW_DTYPE.names or ()),
    "rules": ("rules", RULES_DTYPE.names or ()),
    "weights": ("weights", WEIGHTS_DTYPE.names or ()),
}


def read_code(text: str, path: Path) -> Strategy:
    """The strategy in a Python file with this text: compiled decision functions, or a plain Python player."""
    tree = _parsed(text, path)
    if is_player(tree, path):
        return _read_player(tree, text, path)
    if (instead := house_rules_instead(text, path)) and not any(name in text for name in DECISIONS):
        raise StrategyError(f"{path} is no strategy: {instead}")
    problems = [*_writing(tree, path), *_classes(tree, path), *_twice(tree, path)]
    problems += [*_other_luck(tree, text, path), *_unknown_fields(tree, text, path), *loops_in_try(tree, text, path)]
    try:
        module = run_file(tree, text, path, StrategyError, api)
    except StrategyError as error:
        refuse_all(path, [*problems, str(error)])
    weights, bans = getattr(module, "WEIGHTS", {}), getattr(module, "BANS", [])
    problems += [*_recursion(module, path), *_weights(weights, path), *_misspelt(module, path)]
    bans = checked_bans(bans, lambda problem: problems.append(f"{path}: {problem}"))
    for name, function in vars(module).items():
        problems += _functions(name, function, module, path)
    refuse_all(path, problems)
    functions = {
        name: CompiledDecision(_bare(function), text, str(path))
        for name, function in vars(module).items()
        if name in DECISIONS
    }
    if not functions:
        raise StrategyError(
            f"{path} decides nothing: none of its functions is named after a decision point ({', '.join(DECISIONS)}). "
            f"For weights alone write a .toml file."
        )
    return Strategy(
        checked_name(str(getattr(module, "NAME", path.stem)), path),
        "code",
        str(module.__doc__ or "").strip(),
        str(getattr(module, "INTENT", "")).strip(),
        path,
        text,
        {name: float(value) for name, value in weights.items()},
        functions,
        HEURISTIC,
        bans=bans,
        restricted=RESTRICTED if bans else None,
    )


def is_player(tree: ast.Module, path: Path) -> bool:
    """Whether a file is a plain Python player: it defines `answer`. A file is of one kind or the other."""
    names = set(_functions_in(tree))
    assigned = {target.id for node in tree.body if isinstance(node, ast.Assign) for target in node.targets
                if isinstance(target, ast.Name)}  # fmt: skip
    decisions = [name for name in DECISIONS if name in names]
    if PLAYER not in names | assigned:
        return False
    if decisions:
        raise StrategyError(
            f"{path} has a function {PLAYER} and a function {decisions[0]}: a file is either a Python player, with "
            f"{PLAYER}(question), or has compiled decision functions."
        )
    return True


def _functions_in(tree: ast.Module) -> list[str]:
    return [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]


def _read_player(tree: ast.Module, text: str, path: Path) -> Strategy:
    module = run_file(tree, text, path, StrategyError, api)
    name = checked_name(str(getattr(module, "NAME", path.stem)), path)
    intent = str(getattr(module, "INTENT", "")).strip()
    return player_of_file(getattr(module, PLAYER), name, str(module.__doc__ or "").strip(), intent, text, path)


def look_at_code(text: str, path: Path, name: str = "") -> Strategy:
    """The strategy in a Python file with this text, as far as reading tells: none of its code is run.

    Its intent, its weights and, if no `name` is given, its name are known only if the file assigns them as literals.
    """
    tree = _parsed(text, path)
    written = dict(filter(None, map(_written_out, tree.body)))
    weights = written.get("WEIGHTS", {})
    refuse_all(path, _weights(weights, path))
    return Strategy(
        checked_name(name or str(written.get("NAME", path.stem)), path),
        "plain" if is_player(tree, path) else "code",
        (ast.get_docstring(tree) or "").strip(),
        str(written.get("INTENT", "")).strip(),
        path,
        text,
        weights,
        {name: NOT_LOADED for name in _functions_in(tree) if name in DECISIONS},
        not_loaded=True,
    )


def _written_out(node: ast.stmt) -> tuple[str, Any] | None:
    """The name and the value of an assignment of a literal; None for any other statement."""
    if not isinstance(node, ast.Assign | ast.AnnAssign):
        return None
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    if len(targets) != 1 or not isinstance(targets[0], ast.Name) or node.value is None:
        return None
    try:
        return targets[0].id, ast.literal_eval(node.value)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None


def _misspelt(module: ModuleType, path: Path) -> Iterator[str]:
    """Module-level names that are probably misspellings of one in CONSTANTS."""
    for name, value in vars(module).items():
        near = nearest(name.upper(), CONSTANTS, LIKELY_SLIP)
        if name not in CONSTANTS and near and isinstance(value, CONSTANTS[near]) and not name.startswith("_"):
            yield f"{path}: {name!r} is not read; did you mean {near!r}?"


def _weights(weights: object, path: Path) -> list[str]:
    """What is wrong with the weights that a code file sets."""
    if not isinstance(weights, dict):
        return [f"{path}: WEIGHTS must be a dictionary of weights, not {shown(weights)}."]
    problems: list[str] = []
    check_weights(weights, lambda _, problem: problems.append(f"{path}: in WEIGHTS, {problem}"))
    return problems


def _globals_in(code: CodeType) -> set[str]:
    """The module-level names that a function's code reads, also in comprehensions and functions inside it."""
    inner = [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    own = {step.argval for step in dis.get_instructions(code) if step.opname == "LOAD_GLOBAL"}
    return own.union(*map(_globals_in, inner))


def _recursion(module: ModuleType, path: Path) -> Iterator[str]:
    """Functions that call themselves, also in a circle: they could exhaust the stack and end the program."""
    own = {name: _bare(value) for name, value in vars(module).items() if _is_own(value, module)}
    code = {name: function.__code__ for name, function in own.items()}
    try:
        TopologicalSorter({name: _globals_in(code[name]) & set(code) for name in code}).prepare()
    except CycleError as error:
        circle = " calls ".join(error.args[1])
        yield f"{path}: {circle}: the functions of a strategy cannot call themselves."


def _bare(function: Any) -> Any:
    """A function without the decorator @helper."""
    return getattr(function, "py_func", function)


def _is_own(function: object, module: ModuleType) -> bool:
    bare = _bare(function)
    return isinstance(bare, FunctionType) and bare.__module__ == module.__name__


def _functions(name: str, function: Any, module: ModuleType, path: Path) -> Iterator[str]:
    """What is wrong with something in a code file as a decision function, or with its name if that is misspelt."""
    own = _is_own(function, module)
    if name not in DECISIONS:
        near = nearest(name, DECISIONS, LIKELY_SLIP)
        if near and own and not name.startswith("_"):
            yield (
                f"{path}: {name!r} is not a decision point; did you mean {near!r}? "
                f"A helper's name starts with an underscore."
            )
        elif own and function is _bare(function) and _arguments_of(function) == ARGUMENTS and not name.startswith("_"):
            yield (
                f"{path}, line {function.__code__.co_firstlineno}: {name!r} is not a decision point and would never be "
                f"asked: there are {', '.join(DECISIONS)}. A helper has the decorator @helper."
            )
        return
    if not own:
        yield f"{path}: {name} must be a function that this file defines."
        return
    code = _bare(function).__code__
    if code.co_argcount != 3 or code.co_kwonlyargcount or code.co_flags & (CO_VARARGS | CO_VARKEYWORDS):
        yield f"{path}: {name} must take three arguments: ({', '.join(ARGUMENTS)})."
    if code.co_flags & (CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR):
        yield f"{path}: {name} must return a whole number: it can neither yield nor be async."


def _arguments_of(function: FunctionType) -> tuple[str, ...]:
    code = function.__code__
    return code.co_varnames[: code.co_argcount]


def _classes(tree: ast.Module, path: Path) -> Iterator[str]:
    """Decision functions inside a class: they would never be asked."""
    for outer in tree.body:
        if isinstance(outer, ast.ClassDef):
            inside = [n for n in outer.body if isinstance(n, ast.FunctionDef) and n.name in DECISIONS]
            for node in inside:
                yield (
                    f"{path}, line {node.lineno}: {node.name} is inside the class {outer.name} and would never be "
                    f"asked: write it at the left margin, as a function of (view, rules, weights)."
                )


def _twice(tree: ast.Module, path: Path) -> Iterator[str]:
    """Two functions of the same name: only the last would play."""
    seen: dict[str, int] = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            if node.name in seen:
                yield (
                    f"{path}, line {node.lineno}: {node.name} is defined for the second time, after line "
                    f"{seen[node.name]}: one of the two would never be asked."
                )
            seen[node.name] = node.lineno


def _other_luck(tree: ast.Module, text: str, path: Path) -> Iterator[str]:
    """Luck that does not come from the seed: the same seed must give the same game."""
    modules, names = {"random"}, set()  # names of such modules, and names imported from them
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules |= {alias.asname for alias in node.names if alias.name in LUCKY and alias.asname}
        elif isinstance(node, ast.ImportFrom) and node.module in LUCKY:
            names |= {alias.asname or alias.name for alias in node.names}
    for function in [node for node in tree.body if isinstance(node, ast.FunctionDef)]:
        for node in ast.walk(function):
            of_module = isinstance(node, ast.Attribute) and (
                isinstance(node.value, ast.Name)
                and node.value.id in modules
                or isinstance(node.value, ast.Attribute)
                and node.value.attr == "random"
            )
            if isinstance(node, ast.expr) and (of_module or isinstance(node, ast.Name) and node.id in names):
                sentence = "this luck does not come from the seed: use luck(view) or pick_random(view, members)."
                yield told(str(path), text, function.name, node.lineno, sentence)


def _unknown_fields(tree: ast.Module, text: str, path: Path) -> Iterator[str]:
    """Fields that the view, the rules or the weights do not have: numba would name no line."""
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef):
            continue
        given = [argument.arg for argument in function.args.args]
        names = {name: RECORDS[name] for name in given if name in RECORDS}
        if function.name in DECISIONS and len(given) == len(ARGUMENTS):  # whatever the file calls them
            names |= {name: RECORDS[usual] for name, usual in zip(given, ARGUMENTS, strict=True)}
        for node in ast.walk(function):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in names:
                what, fields = names[node.value.id]
                if node.attr not in fields:
                    hint = did_you_mean(node.attr, fields, otherwise="docs/strategies.md lists all fields.")
                    sentence = f"{what} ha{'s' if what == 'the view' else 've'} no field {node.attr!r}: {hint}"
                    yield told(str(path), text, function.name, node.lineno, sentence)


def loops_in_try(tree: ast.Module, text: str, path: Path) -> Iterator[str]:
    """Loops within a `try` of a compiled function: on Python 3.12 and 3.13 numba misses some of their exceptions."""
    for function in [node for node in tree.body if isinstance(node, ast.FunctionDef)]:
        tries = [node for node in ast.walk(function) if isinstance(node, ast.Try)]
        guarded = [inner for node in tries for statement in node.body for inner in ast.walk(statement)]
        for line in sorted({node.lineno for node in guarded if isinstance(node, LOOPS)}):
            sentence = "a loop within a `try` does not work on every Python: call a function with the loop there."
            yield told(str(path), text, function.name, line, sentence)


def _writing(tree: ast.Module, path: Path) -> Iterator[str]:
    """Writing to the arguments. They are the game itself: a slip such as `view.round = 3` would change it."""
    for name, _, line in written_to(tree):
        if name in ARGUMENTS:
            yield f"{path}, line {line}: a strategy may read {name}, but change nothing in it."


def written_to(tree: ast.Module) -> Iterator[tuple[str, list[str], int]]:
    """The names whose fields or members a file writes to, each with the fields that lead there, and the line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute | ast.Subscript) and not isinstance(node.ctx, ast.Load):
            root: ast.expr = node
            fields: list[str] = []
            while isinstance(root, ast.Attribute | ast.Subscript):
                fields[:0] = [root.attr] if isinstance(root, ast.Attribute) else []
                root = root.value
            if isinstance(root, ast.Name):
                yield root.id, fields, node.lineno


def run_file(tree: ast.Module, text: str, path: Path, refusal: Refusal, api: ModuleType) -> ModuleType:
    """Run a file of a user's as a module, under a name that depends on the text alone; it imports from `api`."""
    name = f"jamaica_file_{hashlib.sha256(text.encode()).hexdigest()[:16]}"
    sys.modules[name] = module = ModuleType(name)  # numba looks up the functions' globals there, and pickle its classes
    module.__file__ = str(path)
    try:
        exec(compile(tree, str(path), "exec"), module.__dict__)
    except SyntaxError as error:
        raise refusal(not_python(error, path)) from error
    except (KeyboardInterrupt, StrategyError):
        raise
    except BaseException as error:  # SystemExit and the like too: a file must not end the program
        raise refusal(_not_imported(error, text, path, api)) from error
    return module


def _not_imported(error: BaseException, text: str, path: Path, api: ModuleType) -> str:
    """Why a file cannot be imported, with the line of the file that failed."""
    reason = f"{type(error).__name__}: {error}".rstrip(": .") + "."
    missing = re.match(rf"cannot import name '(\w+)' from '{re.escape(api.__name__)}'", str(error))
    if missing:
        reason = f"the api has no {missing[1]!r}: {did_you_mean(missing[1], api.__all__)}"
    lines = [step.lineno for step in traceback.extract_tb(error.__traceback__) if step.filename == str(path)]
    source = text.splitlines()
    if not lines or not lines[-1] or lines[-1] > len(source):
        return f"{path} cannot be imported: {reason}"
    line = source[lines[-1] - 1].strip()[:80]
    if re.fullmatch(r"\[[\w.]+\]", line):
        reason = "this looks like a file of weights, whose name ends in .toml."
    elif isinstance(error, ModuleNotFoundError):
        what = "a strategy is one file, and imports only what is installed."
        if str(error.name).startswith("jamaica_sim."):
            what = f"what such a file works with is in {api.__name__}."
        reason = f"there is no package {error.name!r}: {what}"
    return f"{path}, line {lines[-1]}: `{line}`: cannot be imported: {reason}"


def _parsed(text: str, path: Path) -> ast.Module:
    if len(text) > LARGEST_CODE:
        raise StrategyError(f"{path}: a strategy's code may have {LARGEST_CODE:,} characters, not {len(text):,}.")
    return python_of(text, path, StrategyError)

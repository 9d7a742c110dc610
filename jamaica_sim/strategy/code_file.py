"""Strategy files of code: Python functions, one for each decision point that the file makes itself.

Such a file is trusted code: it is imported, and its functions are compiled. Mistakes that would crash the engine or
change the game, such as recursion or writing to the view, are refused with the file and the line.
"""

import ast
import dis
import hashlib
import sys
from graphlib import CycleError, TopologicalSorter
from inspect import CO_ASYNC_GENERATOR, CO_COROUTINE, CO_GENERATOR, CO_VARARGS, CO_VARKEYWORDS
from pathlib import Path
from types import CodeType, FunctionType, ModuleType

from jamaica_sim.codes import DECISIONS
from jamaica_sim.strategy.compile import CompiledDecision, heuristic
from jamaica_sim.strategy.file_checks import check_weights, checked_name, shown
from jamaica_sim.strategy.heuristic.weights import BY_NAME
from jamaica_sim.strategy.strategy import Strategy, StrategyError
from jamaica_sim.suggest import nearest

ARGUMENTS = ("view", "rules", "weights")  # of a decision function
LIKELY_SLIP = 0.8  # names as similar as this are taken for a misspelling


def read_code(text: str, path: Path) -> Strategy:
    """The strategy that a Python file of this text is."""
    module = _import_text(text, path)
    _refuse_recursion(module, path)
    weights = _weights_of(module, path)
    functions = {
        name: CompiledDecision(_bare(function), text, str(path))
        for name, function in vars(module).items()
        if _is_decision(name, function, module, path)
    }
    return Strategy(
        checked_name(str(getattr(module, "NAME", path.stem)), path),
        "code",
        str(module.__doc__ or "").strip(),
        str(getattr(module, "INTENT", "")).strip(),
        path,
        text,
        {name: float(value) for name, value in weights.items()},
        functions,
        heuristic(),
    )


def look_at_code(text: str, path: Path, name: str = "") -> Strategy:
    """The strategy that a Python file of this text is, as far as reading it tells: nothing of it is run.

    Its name, where none is given, its intent and its weights are known if the file writes them out.
    """
    tree = _parsed(text, path)
    written = dict(filter(None, map(_written_out, tree.body)))
    weights = written.get("WEIGHTS")
    numbers = weights if isinstance(weights, dict) else {}
    return Strategy(
        checked_name(name or str(written.get("NAME", path.stem)), path),
        "code",
        (ast.get_docstring(tree) or "").strip(),
        str(written.get("INTENT", "")).strip(),
        path,
        text,
        {w: float(v) for w, v in numbers.items() if w in BY_NAME and isinstance(v, int | float)},
        dict.fromkeys(node.name for node in tree.body if isinstance(node, ast.FunctionDef) and node.name in DECISIONS),
        asleep=True,
    )


def _written_out(node):
    """The name and the value of an assignment whose value is written out; None for anything else."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    if len(targets) != 1 or not isinstance(targets[0], ast.Name) or node.value is None:
        return None
    try:
        return targets[0].id, ast.literal_eval(node.value)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None


def _weights_of(module, path):
    """The weights that a code file sets; a misspelt WEIGHTS is refused."""
    for name, value in vars(module).items():
        if name != "WEIGHTS" and isinstance(value, dict) and nearest(name.upper(), ["WEIGHTS"], LIKELY_SLIP):
            raise StrategyError(f"{path}: {name!r} is not read; did you mean 'WEIGHTS'?")
    weights = getattr(module, "WEIGHTS", {})
    if not isinstance(weights, dict):
        raise StrategyError(f"{path}: WEIGHTS must be a dictionary of weights, not {shown(weights)}.")

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
        near = nearest(name, DECISIONS, LIKELY_SLIP)
        if near and own and not name.startswith("_"):
            raise StrategyError(
                f"{path}: {name!r} is not a decision point; did you mean {near!r}? "
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
    tree = _parsed(text, path)
    _refuse_writing(tree, path)
    try:
        exec(compile(tree, str(path), "exec"), module.__dict__)
    except SyntaxError as error:
        raise _not_python(error, path) from error
    except (KeyboardInterrupt, StrategyError):
        raise
    except BaseException as error:  # SystemExit and the like too: a file must not end the program
        reason = f"{type(error).__name__}: {error}".rstrip(": ")
        raise StrategyError(f"{path} cannot be imported: {reason}.") from error
    return module


def _parsed(text, path):
    try:
        return ast.parse(text, str(path))
    except SyntaxError as error:
        raise _not_python(error, path) from error
    except (ValueError, RecursionError, MemoryError) as error:  # null bytes, or nested too deeply
        raise StrategyError(f"{path}: not valid Python: {error or 'nested too deeply'}.") from error


def _not_python(error, path):
    where = f", line {error.lineno}" if error.lineno else ""
    return StrategyError(f"{path}{where}: not valid Python: {error.msg}.")

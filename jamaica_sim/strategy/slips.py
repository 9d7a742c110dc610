"""Turns numba's message about a function that it cannot compile into one sentence, with the line to correct.

Only texts are read here. A message that no rule below knows is passed on in numba's words, with the line.
"""

import ast
import builtins
import re
from collections.abc import Callable, Iterator, Mapping
from operator import attrgetter
from typing import Any

from jamaica_sim.suggest import did_you_mean, nearest

LONGEST_LINE = 80
OPERATORS = {
    "add": "+", "iadd": "+", "sub": "-", "isub": "-", "mul": "*", "imul": "*", "truediv": "/", "floordiv": "//",
    "mod": "%", "pow": "**", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!=", "and_": "&",
    "iand": "&", "or_": "|", "ior": "|", "xor": "^", "lshift": "<<", "rshift": ">>",
}  # fmt: skip
KINDS = (
    (r"u?int\d+|Literal\[int\].*", "a whole number"),
    (r"float\d+", "a fraction"),
    (r"bool(ean)?|Literal\[bool\].*", "true or false"),
    (r"unicode_type|Literal\[str\].*", "text"),
    (r"none|NoneType", "nothing"),
    (r"OptionalType\(.*", "sometimes nothing"),
    (r"(nested)?array\(.*", "an array"),
    (r"(reflected )?list\(.*|ListType.*", "a list"),
    (r"(Uni|Named)?[Tt]uple(\(.*)?", "a tuple"),
    (r"set\(.*|reflected set.*", "a Python set"),
    (r"Dict.*", "a dictionary"),
    (r"a record|record|Record.*", "the view, the rules or the weights as a whole"),
    (r"slice.*", "a slice"),
    (r"range.*", "a range"),
    (r"(\w+=)?type\(CPUDispatcher\(.*", "a function"),
)
SET_HINT = "a set such as view.hand is a whole number: use has, count, lowest and nth from jamaica_sim.strategy.api"
END_WITH = "let it end with `return ask_heuristic(view, rules, weights)`"


Names = Mapping[str, Any]  # those that a file defines or imports; __api__ has those of the api
# What a pattern found as a sentence: a text with its groups by number, or a function.
Rule = str | Callable[[re.Match[str], Names], str | None]


def kind_of(numba_type: str) -> str:
    """The words for a type of numba's in a message."""
    for pattern, words in KINDS:
        if re.fullmatch(pattern, numba_type.strip(), re.DOTALL):
            return words
    return numba_type.strip()


def told(file: str, text: str, function: str, line: int | None, sentence: str) -> str:
    """File, line, function, source line and what to do, in one line."""
    lines = text.splitlines()
    if not line or line > len(lines):
        return f"{file}: in {function}, {sentence}"
    function = _function_at(text, line) or function
    source = lines[line - 1].strip()
    if len(source) > LONGEST_LINE:
        source = f"{source[:LONGEST_LINE]}..."
    return f"{file}, line {line}, in {function}: `{source}`: {sentence}"


def compile_slip(error: Exception, file: str, text: str, function: str, names: Names) -> str:
    """Why a function does not compile; `names` are those that its file defines or imports."""
    message = re.sub(r"Record\(.*?;\d+;(True|False)\)", "a record", str(error))  # without the list of its fields
    line = _line_of(error, message, file)
    if isinstance(error, KeyError):  # an unknown field of a record that the file calls by another name
        name = str(error.args[0]) if error.args else ""
        line = line or _line_with(text, function, rf"\.{re.escape(name)}\b")
        return told(file, text, function, line, f"neither the view, the rules nor the weights have a field {name!r}.")
    sentence = _sentence(message, names) or _in_numbas_words(message)
    line = line or _line_with(text, function, _suspect(message))
    return told(file, text, function, line, sentence)


def return_slip(returned: str, file: str, text: str, function: str) -> str:
    """Why a function that compiles returns no valid answer; `returned` is numba's name of its return type."""
    kind = kind_of(returned)
    node = _definition(text, function)
    returns = sorted(_returns(node), key=attrgetter("lineno")) if node else []
    empty = [r for r in returns if r.value is None or isinstance(r.value, ast.Constant) and r.value.value is None]
    line = node.lineno if node else None
    if kind == "nothing" and node and any(isinstance(n, ast.Raise) for n in ast.walk(node)) and not returns:
        raised = next(n for n in ast.walk(node) if isinstance(n, ast.Raise))
        return told(file, text, function, raised.lineno, f"it always raises and never answers: {END_WITH}.")
    if kind == "nothing":
        called = [r for r in returns if isinstance(r.value, ast.Call)]
        if called:
            sentence = "what it returns is nothing: the function called there has no `return` with a value."
            return told(file, text, function, called[0].lineno, sentence)
        line = empty[0].lineno if empty else line
        return told(file, text, function, line, f"it never returns an answer: {END_WITH}.")
    if kind == "sometimes nothing":
        unset = _returned_none(node, returns)
        if unset and not empty:
            sentence = f"{unset[0]!r} can still be None here: begin with a legal answer, lowest(view.legal)."
            return told(file, text, function, unset[1], sentence)
        line = empty[0].lineno if empty else line
        return told(file, text, function, line, f"not every path through it returns an answer: {END_WITH}.")
    likely = [r for r in returns if _is_likely(r.value, kind)] or returns
    line = likely[0].lineno if likely else line
    advice = {
        "a fraction": "use // to divide and int() to cut a fraction off",
        "an array": "a field with two axes needs two indexes, such as view.stock[view.me, GOLD]",
        "a list": "return one of its members",
    }.get(kind, "return one of the legal answers, a whole number")
    return told(file, text, function, line, f"it returns {kind}, not one of the legal whole numbers: {advice}.")


def _returned_none(node: ast.FunctionDef | None, returns: list[ast.Return]) -> tuple[str, int] | None:
    """The first return of a name that is None somewhere in the function: the name and the line."""
    none = {
        target.id
        for n in ast.walk(node or ast.Module([], []))
        if isinstance(n, ast.Assign) and isinstance(n.value, ast.Constant) and n.value.value is None
        for target in n.targets
        if isinstance(target, ast.Name)
    }
    unset = ((r.value.id, r.lineno) for r in returns if isinstance(r.value, ast.Name) and r.value.id in none)
    return next(unset, None)


def _is_likely(value: ast.expr | None, kind: str) -> bool:
    """Whether an expression looks like the one that is of the wrong kind."""
    if value is None:
        return False
    inside = list(ast.walk(value))
    if kind == "a fraction":
        return any(isinstance(n, ast.Div) or isinstance(n, ast.Constant) and isinstance(n.value, float) for n in inside)
    if kind == "text":
        return any(isinstance(n, ast.Constant) and isinstance(n.value, str) for n in inside)
    return not isinstance(value, ast.Constant)


def _functions(text: str) -> list[ast.FunctionDef]:
    """The functions of a file, outer ones before those inside them."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]


def _definition(text: str, function: str) -> ast.FunctionDef | None:
    return next((node for node in reversed(_functions(text)) if node.name == function), None)


def _function_at(text: str, line: int) -> str | None:
    """The name of the function that a line belongs to: a helper may be to blame."""
    return next((n.name for n in _functions(text) if n.lineno <= line <= (n.end_lineno or 0)), None)


def _returns(node: ast.AST) -> Iterator[ast.Return]:
    """The return statements of a function, not those of functions inside it."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Return):
            yield child
        elif not isinstance(child, ast.FunctionDef | ast.Lambda | ast.ClassDef):
            yield from _returns(child)


def _line_of(error: Exception, message: str, file: str) -> int | None:
    """The line that numba blames: the innermost, which its message names first."""
    found = re.search(rf"{re.escape(file)}[\"']?(?:,)? \(?(?:line )?(\d+)", message)
    if found:
        return int(found[1])
    loc = getattr(error, "loc", None)
    return getattr(loc, "line", None)


def _line_with(text: str, function: str, pattern: str) -> int | None:
    node = _definition(text, function)
    if node is None or not pattern:
        return None
    lines = text.splitlines()
    return next((n for n in range(node.lineno, (node.end_lineno or 0) + 1) if re.search(pattern, lines[n - 1])), None)


def _suspect(message: str) -> str:
    """A pattern for the line to blame, if numba names none."""
    if "context manager" in message:
        return r"^\s*with\b"
    if "Locator" in message or "closure" in message:
        return r"\blambda\b|^\s+def\b|\bfor\b.*\bin\b.*\)"
    found = re.match(r"(\w+)\(\) takes|module '[\w.]+' has no attribute '(\w+)'", message)
    return rf"\b{found[1] or found[2]}\b" if found else ""


def _in_numbas_words(message: str) -> str:
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    telling = [line for line in lines if not line.startswith(("Failed in", "During:", "File ", "-", "<source"))]
    said = (telling or lines or ["it gives no reason"])[0].rstrip(".")
    return f"numba cannot compile this: {said}."


def _sentence(message: str, names: Names) -> str | None:
    """What to do, by the first of RULES that fits numba's message; None if none fits."""
    for pattern, answer in RULES:
        found = re.search(pattern, message, re.DOTALL)
        if found:
            groups = found[0], *found.groups()
            if sentence := answer.format(*groups) if isinstance(answer, str) else answer(found, names):
                return sentence
    return None


def _unknown_name(found: re.Match[str], names: Names) -> str:
    name = found[1]
    api = names.get("__api__", ())
    if name in api:
        return f"there is no name {name!r} here: import it, `from jamaica_sim.strategy.api import {name}`."
    near = nearest(name, [n for n in (*names, *api, *vars(builtins)) if not n.startswith("__")])
    return f"there is no name {name!r} here{f': did you mean {near!r}?' if near else '.'}"


def _untyped_global(found: re.Match[str], _: Names) -> str:
    name, what = found[1], found[2]
    if what == "function":
        return f"{name!r} needs the decorator @helper: a function that another one calls is compiled too."
    if what == "dict":
        return f"the dictionary {name!r} cannot be read in compiled code: use a tuple or a numpy array by number."
    if what in ("builtin_function_or_method", "type"):
        return f"{name!r} cannot be used in compiled code: numbers, arrays, loops, numpy and math can."
    return f"{name!r} cannot be read in compiled code ({what}): numbers, tuples and numpy arrays can."


def _no_implementation(found: re.Match[str], _: Names) -> str | None:
    function, inside = found[1], _arguments(found[2])
    kinds = [kind_of(argument) for argument in inside]
    if function == "getitem":
        if "sometimes nothing" in kinds[1:] or "nothing" in kinds[1:]:
            return "the index can still be None here: begin with a whole number instead."
        if kinds[:1] == ["an array"]:
            return "an array has an index for each of its axes, all whole numbers: docs/strategies.md lists them."
        if kinds[:1] == ["a whole number"]:
            return f"a whole number has no members to index; {SET_HINT}."
        return f"{kinds[0]} cannot be indexed by {kinds[-1]}."
    if function in ("contains", "len") and "a whole number" in kinds:
        return f"{SET_HINT}."
    if function == "exception_match":
        return "compiled code can catch `except Exception:` only; better not to raise at all."
    if function in OPERATORS and len(kinds) == 2:
        return f"{kinds[0]} and {kinds[1]} do not go together with `{OPERATORS[function]}`: use numbers only."
    if kinds:
        return f"{function} cannot be called with {', '.join(kinds)} in compiled code."
    return None


def _by_index(numba_type: str) -> str:
    """A hint how the members of an array are named; empty for other types."""
    is_array = kind_of(numba_type.splitlines()[0]) == "an array"
    return ": its members are named by index, such as view.stock[view.me, GOLD]" if is_array else ""


def _arguments(text: str) -> list[str]:
    """The arguments of a printed call, split at the commas between them."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


OPCODES = {
    "IMPORT_NAME": "imports stand at the top of the file, outside of functions.",
    "STORE_GLOBAL": "a strategy keeps nothing between decisions: `global` is not possible.",
    "UNPACK_EX": "`a, *b = ...` is not possible in compiled code: take the members one by one.",
    "SETUP_WITH": "`with` is not possible in compiled code.",
    "BEFORE_WITH": "`with` is not possible in compiled code.",
}
RULES: tuple[tuple[str, Rule], ...] = (
    (r"NameError: name '(\w+)' is not defined", _unknown_name),
    (r"Untyped global name '(\w+)'.*?<class '([\w.]+)'>", _untyped_global),
    (
        r"No implementation of function Function\(.*?\) found for signature:\s*>>> (\w+)\((.*?)\)\s*\n",
        _no_implementation,
    ),
    (r"Invalid use of getiter with parameters \(\w*int\d+\)", f"one cannot loop over a number; {SET_HINT}."),
    (
        r"Unknown attribute '(\w+)' of type (.*)",
        lambda found, _: f"{kind_of(found[2].splitlines()[0])} has no {found[1]!r}{_by_index(found[2])}.",
    ),
    (
        r"Invalid use of (\S+) with parameters",
        lambda found, _: f"{kind_of(found[1])} is not a function and cannot be called.",
    ),
    (
        r"Can(?:no|')t unify (?:return type from the following types: )?(.*?) for '(\w+)",
        lambda found, _: (
            f"{found[2]!r} is now {' and now '.join(dict.fromkeys(kind_of(k) for k in found[1].split(' and ')))}: "
            f"let it be one kind of thing."
        ),
    ),
    (
        r"Can't unify return type from the following types: (.*?)(?:\n|$)",
        lambda found, _: (
            f"it returns {' or '.join(dict.fromkeys(map(kind_of, _arguments(found[1]))))}: return whole numbers only."
        ),
    ),
    (
        r"Use of unsupported opcode \((\w+)\)",
        lambda found, _: OPCODES.get(found[1], "this construct is not possible in compiled code."),
    ),
    (
        r"Cannot capture the non-constant value associated with variable '(\w+)'",
        "a function inside a function cannot use {1!r}: write a loop instead.",
    ),
    (r"context manager", OPCODES["SETUP_WITH"]),
    (r"use of yield in a closure", "write a list, [... for ...], or a loop: generators do not compile."),
    (r"'Locator' object|<lambda>", "functions inside functions do not compile here: write a @helper of its own."),
    (
        r"Cannot infer the type of variable '(\w+)'.*list\(undefined\)",
        "nothing says what the empty list {1!r} holds: put a number in it, or use a set's bits.",
    ),
    (r"missing a required argument: '(\w+)'", "the argument {1!r} is missing in this call."),
    (r"(\w+)\(\) takes (?:from \d+ to )?\d+ positional arguments? but", "{1} is called with too many arguments."),
    (r"too many positional arguments", "there are too many arguments in this call."),
    (
        r"module 'jamaica_sim.strategy.api' has no attribute '(\w+)'",
        lambda found, names: f"the api has no {found[1]!r}: {did_you_mean(found[1], names.get('__api__', ()))}",
    ),
    (r"[Ii]nt(?:eger)? .*too (?:large|big)|too large", "this number is too large: whole numbers have 64 bits."),
)

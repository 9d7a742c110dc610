"""Turns numba's message about a function that it cannot compile into one sentence, with the line to correct.

Only texts are read here. The eight mistakes that are made most often have a sentence of their own: an unknown name, a
function without @helper, a set used as a list, a wrong index, an unknown field, kinds that do not go together, no
answer, and an answer that is no whole number. Any other message is passed on in numba's words, with the line.
"""

import ast
import builtins
import re
from collections.abc import Iterator, Mapping
from operator import attrgetter
from typing import Any

from jamaica_sim.files.escape import nearest

LONGEST_LINE = 80
OPERATORS = {"add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "lt": "<", "le": "<=",
             "gt": ">", "ge": ">=", "eq": "==", "ne": "!=", "and_": "&", "or_": "|"}  # fmt: skip
KINDS = (
    (r"u?int\d+|Literal\[int\].*", "a whole number"),
    (r"float\d+", "a fraction"),
    (r"bool(ean)?|Literal\[bool\].*", "true or false"),
    (r"unicode_type|Literal\[str\].*", "text"),
    (r"none|NoneType", "nothing"),
    (r"OptionalType\(.*", "sometimes nothing"),
    (r"(nested|readonly )?array\(.*", "an array"),
    (r"(Uni|Named)?[Tt]uple(\(.*)?", "a tuple"),
    (r"a record|record|Record.*", "the view, the rules or the weights as a whole"),
)
SET_HINT = "a set such as view.hand is a whole number: use has, count, lowest and nth from jamaica_sim.strategy.api"
END_WITH = "let it end with `return ask_heuristic(view, rules, weights)`"
ADVICE = {
    "a fraction": "use // to divide and int() to cut a fraction off",
    "an array": "a field with two axes needs two indexes, such as view.stock[view.me, GOLD]",
}  # for a function that returns this
UNTYPED = {
    "function": "needs the decorator @helper: a function that another one calls is compiled too",
    "dict": "is a dictionary, which cannot be read in compiled code: use a tuple or a numpy array by number",
}  # a name of the file that compiled code cannot read

WRITERS = "setitem|delitem|arr_fill|\\w*sort|shuffle|fill_diagonal|nditer|nan_to_num|as\\w+array|i\\w+|add|clip"
READ_ONLY = "what belongs to the game, the rules or the weights can be read, but not written to, by no name."

Names = Mapping[str, Any]  # those that a file defines or imports; __api__ has those of the api


def kind_of(numba_type: str) -> str:
    """The words for a type of numba's in a message."""
    known = (words for pattern, words in KINDS if re.fullmatch(pattern, numba_type.strip(), re.DOTALL))
    return next(known, "something else")


def told(file: str, text: str, function: str, line: int | None, sentence: str) -> str:
    """File, line, function, source line and what to do, in one line."""
    lines = text.splitlines()
    if not line or line > len(lines):
        return f"{file}: in {function}, {sentence}"
    around = [n.name for n in _functions(text) if n.lineno <= line <= (n.end_lineno or 0)]  # a helper may be to blame
    source = lines[line - 1].strip()
    if len(source) > LONGEST_LINE:
        source = f"{source[:LONGEST_LINE]}..."
    return f"{file}, line {line}, in {(around or [function])[0]}: `{source}`: {sentence}"


def compile_slip(error: Exception, file: str, text: str, function: str, names: Names) -> str:
    """Why a function does not compile; `names` are those that its file defines or imports."""
    message = re.sub(r"Record\(.*?;\d+;(True|False)\)", "a record", str(error))  # without the list of its fields
    found = re.search(rf"{re.escape(file)}[\"']?(?:,)? \(?(?:line )?(\d+)", message)  # the innermost comes first
    line = int(found[1]) if found else getattr(getattr(error, "loc", None), "line", None)
    if isinstance(error, KeyError):  # an unknown field of a record that the file calls by another name
        name = str(error.args[0]) if error.args else ""
        node = _definition(text, function)
        for number in range(node.lineno, (node.end_lineno or 0) + 1) if node and not line else ():
            if re.search(rf"\.{re.escape(name)}\b", text.splitlines()[number - 1]):
                line = number
        return told(file, text, function, line, f"neither the view, the rules nor the weights have a field {name!r}.")
    return told(file, text, function, line, _sentence(message, names) or _in_numbas_words(message))


def return_slip(returned: str, file: str, text: str, function: str) -> str:
    """Why a function that compiles returns no valid answer; `returned` is numba's name of its return type."""
    kind, node = kind_of(returned), _definition(text, function)
    returns = sorted(_returns(node), key=attrgetter("lineno")) if node else []
    if kind in ("nothing", "sometimes nothing"):
        line = next((r.lineno for r in returns if r.value is None), node.lineno if node else None)
        what = "it never returns an answer" if kind == "nothing" else "not every path through it returns an answer"
        return told(file, text, function, line, f"{what}: {END_WITH}.")
    likely = [r for r in returns if not isinstance(r.value, ast.Constant) or not isinstance(r.value.value, int)]
    advice = ADVICE.get(kind, "return one of the legal answers, a whole number")
    blamed = likely[0] if likely else node
    line = blamed.lineno if blamed else None
    return told(file, text, function, line, f"it returns {kind}, not one of the legal whole numbers: {advice}.")


def _functions(text: str) -> list[ast.FunctionDef]:
    """The functions of a file, outer ones before those inside them."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]


def _definition(text: str, function: str) -> ast.FunctionDef | None:
    return next((node for node in reversed(_functions(text)) if node.name == function), None)


def _returns(node: ast.AST) -> Iterator[ast.Return]:
    """The return statements of a function, not those of functions inside it."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Return):
            yield child
        elif not isinstance(child, ast.FunctionDef | ast.Lambda | ast.ClassDef):
            yield from _returns(child)


def _in_numbas_words(message: str) -> str:
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    telling = [line for line in lines if not line.startswith(("Failed in", "During:", "File ", "-", "<source"))]
    said = (telling or lines or ["it gives no reason"])[0].rstrip(".")
    return f"numba cannot compile this: {said}."


def _sentence(message: str, names: Names) -> str | None:
    """What to do about one of the commonest mistakes; None for any other."""
    written = (
        rf"Cannot resolve setattr: \(a record\)|No implementation of function.*>>> ({WRITERS})\((.*, )?readonly .*\n"
    )
    if re.search(written, message, re.DOTALL):
        return READ_ONLY
    if found := re.search(r"NameError: name '(\w+)' is not defined", message):
        return _unknown_name(found[1], names)
    if found := re.search(r"Untyped global name '(\w+)'.*?<class '([\w.]+)'>", message, re.DOTALL):
        return (
            f"{found[1]!r} {UNTYPED.get(found[2], 'cannot be used in compiled code: numbers, arrays and loops can')}."
        )
    if found := re.search(r"No implementation of function Function\(.*?>>> (\w+)\((.*?)\)\s*\n", message, re.DOTALL):
        return _no_implementation(found[1], [kind_of(argument) for argument in _arguments(found[2])])
    if re.search(r"Invalid use of getiter with parameters \(\w*int\d+\)", message):
        return f"one cannot loop over a number; {SET_HINT}."
    if found := re.search(r"Unknown attribute '(\w+)' of type (.*)", message):
        return f"{kind_of(found[2].splitlines()[0])} has no {found[1]!r}: members of an array are named by index."
    if found := re.search(r"Can(?:no|')t unify (?:return type .*?: )?(.*?) for '(\w+)", message):
        kinds = dict.fromkeys(map(kind_of, found[1].split(" and ")))
        return f"{found[2]!r} is now {' and now '.join(kinds)}: let it be one kind of thing."
    return None


def _unknown_name(name: str, names: Names) -> str:
    api = names.get("__api__", ())
    if name in api:
        return f"there is no name {name!r} here: import it, `from jamaica_sim.strategy.api import {name}`."
    near = nearest(name, [n for n in (*names, *api, *vars(builtins)) if not n.startswith("__")])
    return f"there is no name {name!r} here{f': did you mean {near!r}?' if near else '.'}"


def _no_implementation(function: str, kinds: list[str]) -> str | None:
    if "a whole number" in kinds[: 1 if function == "getitem" else None] and function in ("getitem", "contains", "len"):
        return f"{SET_HINT}."
    if function == "getitem" and {"sometimes nothing", "nothing"} & {*kinds[1:]}:
        return "the index can still be None here: begin with a whole number instead."
    if function == "getitem":
        return "an array has an index for each of its axes, all whole numbers: docs/strategies.md lists them."
    if (operator := OPERATORS.get(function.removeprefix("i"))) and len(kinds) == 2:
        return f"{kinds[0]} and {kinds[1]} do not go together with `{operator}`: use numbers only."
    return None


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

"""Checks the code of a file of house rules, compiles its functions and writes their addresses into a rulebook.

Such a file is trusted code, like a strategy's. A mistake is told with the file, the line and what to do. Compiled code
is kept on disk under a stamp of the engine, this package and the file's own text.
"""

import ast
from functools import cache, cached_property
from pathlib import Path
from threading import Lock
from types import ModuleType
from typing import Any

import numpy as np

from jamaica_sim.engine.house_engine import HOUSE_ENGINES
from jamaica_sim.engine.house_rules import VERB_NAMES
from jamaica_sim.engine.machine.cache import Kept, kept_with_text
from jamaica_sim.engine.machine.jit import Compiled, KeptFunction
from jamaica_sim.engine.machine.late import numba, types
from jamaica_sim.engine.state import GAME_DTYPE, RULES_DTYPE
from jamaica_sim.files.escape import did_you_mean, nearest
from jamaica_sim.game.codes import MOMENTS_OF_NUMBERS
from jamaica_sim.game.house_file import ARGUMENTS, CHOSEN_SUFFIX, FUNCTIONS, HouseRules, HouseRulesError
from jamaica_sim.game.rules import Rules
from jamaica_sim.strategy.code_file import loops_in_try, run_file, written_to
from jamaica_sim.strategy.house import api
from jamaica_sim.strategy.library import check_trust, is_strangers
from jamaica_sim.strategy.read_only import MEMORIES, checked
from jamaica_sim.strategy.slips import compile_slip, told

LIKELY_SLIP = 0.8
ONE_AT_A_TIME = Lock()  # for threads: Python before 3.13 fails where two parse at once (its issue 106905)
PASSED = ("first", "second", "third", "fourth", "fifth")  # the arguments of every compiled moment


def in_force(rulebook: np.ndarray, rules: Rules, traced: bool = False) -> np.ndarray:
    """The rulebook with the house rules' code in force, compiled where it is not; a stranger's code is refused."""
    record = rulebook[0]
    if rules.house_rules is None or record["engine"][int(traced)] != 0:
        return rulebook
    check_trust(rules.house_rules)
    with ONE_AT_A_TIME:
        for name, function in compiled_functions(rules.house_rules.name, rules.house_rules.text).items():
            record["moments"][FUNCTIONS.index(name)] = function.address
    for engine, house_engine in enumerate(HOUSE_ENGINES[: 1 + traced]):
        record["engine"][engine] = house_engine.address
    return rulebook


def needs_compiling(rules: Rules, traced: bool = False) -> str:
    """What of the house rules has to be compiled before the first game, in words; empty where nothing has to be."""
    if rules.house_rules is None or is_strangers(rules.house_rules):
        return ""
    if not HOUSE_ENGINES[int(traced)].is_compiled():
        return "the engine of house rules (about 20 seconds)"
    functions = compiled_functions(rules.house_rules.name, rules.house_rules.text).values()
    return "" if all(one.is_compiled() for one in functions) else f"{rules.house_rules.name} (some seconds)"


@cache
def compiled_functions(name: str, text: str) -> "dict[str, CompiledMoment]":
    """The functions of a file, checked; each is compiled when its address is first asked for."""
    rules = HouseRules(name, text)
    tree = _with_parameters(rules)
    _check(rules, tree)
    module = run_file(tree, text, Path(name), HouseRulesError, api)
    return {moment: CompiledMoment(module, moment, rules) for moment in rules.functions}


class CompiledMoment(KeptFunction):
    """A function of a file as machine code."""

    def __init__(self, module: ModuleType, moment: str, rules: HouseRules):
        super().__init__(getattr(module, moment), GAME_DTYPE, RULES_DTYPE)
        self._moment, self._rules = moment, rules

    @cached_property
    def _kept(self) -> Kept | None:
        return kept_with_text(self.py_func, __file__, self._rules.text)

    def _compile(self) -> Compiled:
        records = tuple(map(numba.from_dtype, (GAME_DTYPE, RULES_DTYPE)))
        returned = self._compile_for(self.py_func, (*records, *[types.int64] * len(ARGUMENTS[self._moment])))
        passed = self._passed()
        source = f"def moment(game, rules, {', '.join(PASSED)}):\n    "
        call = f"function({', '.join(('game', 'rules', *passed))})"
        source += f"{call}\n    return 0" if returned == types.none else f"return {call}"
        if returned != types.none and not isinstance(returned, types.Integer | types.Boolean):
            raise HouseRulesError(f"{self._rules.name}: {self._moment} must return a whole number, not {returned}.")
        if returned == types.none and self._moment in MOMENTS_OF_NUMBERS:
            raise HouseRulesError(f"{self._rules.name}: {self._moment} must return a number: end it with `return n`.")
        names: dict[str, Any] = {"function": checked(self.py_func)}
        exec(source, names)
        names["moment"].__name__ = names["moment"].__qualname__ = self._moment
        dispatcher = checked(names["moment"])
        dispatcher.compile(types.int64(*records, *[types.int64] * len(PASSED)))
        return Compiled(dispatcher)

    def _passed(self) -> tuple[str, ...]:
        """Which of the passed arguments the function takes: a number that it may change is always passed last."""
        wanted = len(ARGUMENTS[self._moment])
        if self._moment in MOMENTS_OF_NUMBERS:
            return (*PASSED[: wanted - 1], PASSED[-1])
        if self._moment.endswith(CHOSEN_SUFFIX):
            return (*PASSED[: wanted - 2], *PASSED[-2:])
        return PASSED[:wanted]

    def _compile_for(self, function: Any, signature: Any) -> Any:
        """Compile the function by itself; returns numba's type of what it returns."""
        dispatcher = checked(function)
        try:
            dispatcher.compile(signature)
        except Exception as error:  # numba can raise anything on a user's function
            names = {**function.__globals__, "__api__": api.__all__}
            slip = compile_slip(error, self._rules.name, self._rules.text, function.__name__, names)
            raise HouseRulesError(slip) from error
        (result,) = dispatcher.overloads.values()
        return result.signature.return_type


class _Parameters(ast.NodeTransformer):
    """Turns `PARAMETERS["pays"]` inside a function into the rulebook's field, so that a new value compiles nothing."""

    def __init__(self, rules: HouseRules):
        self._rules, self._names = rules, [parameter.name for parameter in rules.parameters]

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        if not (isinstance(node.value, ast.Name) and node.value.id == "PARAMETERS"):
            return self.generic_visit(node)
        name = node.slice.value if isinstance(node.slice, ast.Constant) else None
        if name not in self._names:
            hint = did_you_mean(str(name), self._names, "there are") if self._names else "the file declares none."
            raise HouseRulesError(f"{self._rules.name}, line {node.lineno}: there is no parameter {name!r}: {hint}")
        read = ast.parse(f"rules.parameters[{self._names.index(name)}]", mode="eval").body
        return ast.fix_missing_locations(ast.copy_location(read, node))


def _with_parameters(rules: HouseRules) -> ast.Module:
    tree = ast.parse(rules.text, rules.name)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            _Parameters(rules).visit(node)
    return tree


def _check(rules: HouseRules, tree: ast.Module) -> None:
    for name, fields, line in written_to(tree):
        if name in RECORDS and not (name == "game" and fields[0] in MEMORIES):
            sentence = f"change the game by verbs ({', '.join(VERB_NAMES)}); only its memory can be written to."
            raise HouseRulesError(told(rules.name, rules.text, "the file", line, sentence))
    for slip in loops_in_try(tree, rules.text, Path(rules.name)):
        raise HouseRulesError(slip)
    for function in tree.body:
        if isinstance(function, ast.FunctionDef):
            _check_function(rules, function)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in RECORDS:
            _check_field(rules, node)
        if isinstance(node, ast.Import | ast.ImportFrom):
            _check_import(rules, node)


RECORDS = {"game": GAME_DTYPE.names or (), "rules": RULES_DTYPE.names or ()}


def _check_function(rules: HouseRules, node: ast.FunctionDef) -> None:
    arguments = tuple(argument.arg for argument in node.args.args)
    if node.name in ARGUMENTS:
        wanted = ("game", "rules", *ARGUMENTS[node.name])
        if len(arguments) != len(wanted) or arguments[:2] != wanted[:2]:
            sentence = f"it must take ({', '.join(wanted)})."
            raise HouseRulesError(told(rules.name, rules.text, node.name, node.lineno, sentence))
    elif (near := nearest(node.name, FUNCTIONS, LIKELY_SLIP)) and not node.name.startswith("_"):
        sentence = f"{node.name!r} is no moment; did you mean {near!r}? A helper's name starts with an underscore."
        raise HouseRulesError(told(rules.name, rules.text, node.name, node.lineno, sentence))


def _check_field(rules: HouseRules, node: ast.Attribute) -> None:
    assert isinstance(node.value, ast.Name)
    fields = RECORDS[node.value.id]
    if node.attr not in fields:
        hint = did_you_mean(node.attr, fields, otherwise="docs/house_rules.md lists what a file can see.")
        sentence = f"{node.value.id} has no field {node.attr!r}: {hint}"
        raise HouseRulesError(told(rules.name, rules.text, "the file", node.lineno, sentence))


def _check_import(rules: HouseRules, node: ast.Import | ast.ImportFrom) -> None:
    """Refuse luck that does not come from the seed."""
    modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
    if any(module.split(".")[0] in ("random", "secrets", "time") or module == "numpy.random" for module in modules):
        sentence = "luck comes from the seed: use roll(game, rules, faces)."
        raise HouseRulesError(told(rules.name, rules.text, "the file", node.lineno, sentence))

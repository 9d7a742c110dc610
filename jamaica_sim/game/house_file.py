"""A file of house rules as far as reading tells: its description, its functions, its parameters. None of it is run.

`Rules` carry such a file as text, so that folders and traces are complete. `house/` compiles it.
"""

import ast
import hashlib
import re
import shlex
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path, PurePath
from typing import Any

from jamaica_sim.errors import UserError
from jamaica_sim.files.escape import did_you_mean
from jamaica_sim.files.limits import is_int_between
from jamaica_sim.files.user_files import beside, python_of, read_text
from jamaica_sim.game.codes import LARGEST_NUMBER, MOMENTS, MOMENTS_THAT_ACT, MOST_PARAMETERS, MOST_QUESTIONS

PREFIX = "house."  # of a parameter's name among the rules
CHOSEN_SUFFIX = "_chosen"
# The arguments of each moment, after the game and the rules.
ARGUMENTS = {
    "set_up": (),
    "round_begins": (),
    "arrived": ("ship", "space"),
    "lair": ("ship", "space", "token"),
    "battle_begins": ("attacker", "defender"),
    "battle_ended": ("attacker", "defender", "winner"),
    "round_ends": (),
    "die": ("ship", "when", "n"),
    "cost": ("ship", "space", "n"),
    "shortage": ("ship", "space", "missing", "n"),
    "hand_limit": ("ship", "n"),
    "battle_result": ("attacker", "defender", "attack", "defence", "n"),
    "points": ("ship", "n"),
}
ARGUMENTS |= {f"{name}{CHOSEN_SUFFIX}": (*ARGUMENTS[name], "player", "answer") for name in MOMENTS_THAT_ACT}
assert set(MOMENTS) <= set(ARGUMENTS)
FUNCTIONS = tuple(ARGUMENTS)
A_MOMENT = re.compile(rf"^def (?:{'|'.join(FUNCTIONS)})\(\s*game\b", re.MULTILINE)
LARGEST_TEXT = 2**18  # characters of a file
LARGEST = 10**6  # of a parameter
USUAL_MOST = 10  # a parameter without a range goes from 0 to this, or to twice its value


RETURNED = {
    "battle_result": "it must return the attacker, the defender, or -1 for a tie",
    "shortage": "it must return 1, or 0 where the ship stays",
    **dict.fromkeys(
        ("die", "cost", "hand_limit", "points"),
        f"it must return a number from -{LARGEST_NUMBER:,} to {LARGEST_NUMBER:,}",
    ),
}


def what_it_returns(function: str) -> str:
    """What a function of a file may return, in words."""
    moment = function.removesuffix(CHOSEN_SUFFIX)
    called_off = ", CALLED_OFF" if moment == "battle_begins" else ""
    asks = f"ask(player, options){called_off} or nothing, has a function {moment}{CHOSEN_SUFFIX} for the answer"
    return RETURNED.get(function, f"it must return {asks}, and asks at most {MOST_QUESTIONS:,} times")


class HouseRulesError(UserError):
    """A file of house rules that cannot be played; the message says where and what to do."""


def house_rules_instead(text: str, path: Path) -> str:
    """What to say of a file of house rules that is given as something else; empty where it is none."""
    return f"it has house rules: write --house-rules {shlex.quote(str(path))}." if A_MOMENT.search(text) else ""


@dataclass(frozen=True)
class Parameter:
    """A number of the file's own, which `--rule house.NAME=...` changes."""

    name: str
    value: int
    low: int
    high: int


@dataclass(frozen=True)
class HouseRules:
    """The text of a file of house rules, and the values that its parameters have here, by name."""

    name: str
    text: str = field(repr=False)
    changed: tuple[tuple[str, int], ...] = ()
    path: Path | None = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        return str(self.path or (PurePath(self.name).stem if is_shipped(self) else self.name))

    def __repr__(self) -> str:
        return repr(self.version) if is_shipped(self) else f"HouseRules({self.version!r})"

    @property
    def version(self) -> str:
        """The name, and for a file that is not shipped a mark of its text: another text has another mark."""
        if is_shipped(self):
            return PurePath(self.name).stem
        return f"{self.name} ({hashlib.sha256(self.text.encode()).hexdigest()[:8]})"

    def __post_init__(self) -> None:
        if len(self.text) > LARGEST_TEXT:
            raise HouseRulesError(f"{self.name}: a file of house rules has at most {LARGEST_TEXT:,} characters.")
        if not self.functions:
            raise HouseRulesError(
                f"{self.name} changes nothing: none of its functions is named after a moment ({', '.join(MOMENTS)})."
            )
        _ = self.description, self.parameters  # are checked

    @cached_property
    def tree(self) -> ast.Module:
        """The file, parsed."""
        return python_of(self.text, self.name, HouseRulesError)

    @property
    def functions(self) -> tuple[str, ...]:
        """The moments that the file has functions for."""
        defined = [node.name for node in self.tree.body if isinstance(node, ast.FunctionDef)]
        return tuple(name for name in FUNCTIONS if name in defined)

    @property
    def description(self) -> str:
        """The first line of the docstring: one sentence, which stands wherever the rules are named."""
        text = ast.get_docstring(self.tree) or ""
        first = text.strip().splitlines()[0].strip() if text.strip() else ""
        if not first:
            raise HouseRulesError(
                f'{self.name} has no description: begin the file with """One sentence that says what changes."""'
            )
        return first

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """The file's own numbers, with the values that they have here."""
        declared = self._assigned("PARAMETERS") or {}
        if not isinstance(declared, dict) or len(declared) > MOST_PARAMETERS:
            raise HouseRulesError(f"{self.name}: PARAMETERS must be a dict of at most {MOST_PARAMETERS} whole numbers.")
        now = dict(self.changed)
        parameters = tuple(self._parameter(name, given, now) for name, given in declared.items())
        for name in now:
            if name not in declared:
                known = did_you_mean(f"{PREFIX}{name}", [f"{PREFIX}{one}" for one in declared], "it has")
                known = known if declared else "it has none."
                raise HouseRulesError(f"{self.name} has no parameter {PREFIX}{name}: {known}")
        return parameters

    def _parameter(self, name: Any, given: Any, now: dict[str, int]) -> Parameter:
        value: Any
        low: Any
        high: Any
        value, low, high = given if isinstance(given, tuple) and len(given) == 3 else (given, None, None)
        good = isinstance(name, str) and name.isidentifier() and is_int_between(value, -LARGEST, LARGEST)
        if low is None and good:
            low, high = min(0, 2 * value), max(USUAL_MOST, 2 * value)
        if not good or not is_int_between(low, -LARGEST, LARGEST) or not is_int_between(high, low, LARGEST):
            raise HouseRulesError(
                f"{self.name}: in PARAMETERS, {name!r} must be a whole number, or (value, least, most), not {given!r}."
            )
        value = now.get(name, value)
        if not is_int_between(value, low, high):
            raise HouseRulesError(f"{PREFIX}{name} must be a whole number from {low} to {high}, not {value!r}.")
        return Parameter(name, value, low, high)

    def choices(self, moment: str) -> tuple[str, ...]:
        """The words for the options of a moment's question; empty where the file has none."""
        words = self._assigned("CHOICES") or {}
        told = words.get(moment, ()) if isinstance(words, dict) else ()
        return tuple(map(str, told)) if isinstance(told, tuple | list) else ()

    def _assigned(self, name: str) -> Any:
        """The literal that the file assigns to a name at its left margin; None where there is none."""
        for node in self.tree.body:
            if isinstance(node, ast.Assign) and [t.id for t in node.targets if isinstance(t, ast.Name)] == [name]:
                try:
                    return ast.literal_eval(node.value)
                except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
                    raise HouseRulesError(
                        f"{self.name}, line {node.lineno}: {name} must be written out, without computing."
                    ) from None
        return None

    def but(self, **values: int) -> "HouseRules":
        """The same file with other values of its parameters."""
        printed = {p.name: p.value for p in replace(self, changed=()).parameters}
        changed = {name: value for name, value in (dict(self.changed) | values).items() if value != printed.get(name)}
        return replace(self, changed=tuple(sorted(changed.items())))

    def as_dict(self) -> dict[str, Any]:
        """What a manifest or a trace keeps of it."""
        values = {parameter.name: parameter.value for parameter in self.parameters}
        return {"file": self.name, "description": self.description, "parameters": values, "text": self.text}


@cache
def shipped_house_rules() -> dict[str, Path]:
    """The shipped files of house rules, by name."""
    package = Path(__file__).resolve().parent.parent
    installed = package / "shipped" / "experiments"
    folder = (installed if installed.is_dir() else package.parent / "experiments") / "house_rules"
    return {path.stem: path for path in sorted(folder.glob("*.py"))}


def is_shipped(rules: HouseRules) -> bool:
    """Whether this very file is shipped under its name."""
    path = shipped_house_rules().get(PurePath(rules.name).stem)
    return path is not None and path.read_text(encoding="utf-8") == rules.text


NAMED: set[str] = set()  # texts of files that the user has named in this process


def house_rules_in(path: str | Path, folder: Path | None = None) -> HouseRules:
    """The house rules in a file, or the shipped ones of that name.

    The user has named the file, unless another file did, which lies in `folder`.
    """
    if str(path) in shipped_house_rules():
        file = shipped_house_rules()[str(path)]
        return HouseRules(file.name, file.read_text(encoding="utf-8"), path=Path(str(path)))
    file = Path(path) if folder is None else beside(folder, str(path), HouseRulesError)
    if file.suffix != ".py":
        known = did_you_mean(str(path), list(shipped_house_rules()), "the shipped ones are")
        raise HouseRulesError(f"{file}: house rules are a Python file, ending in .py, or a shipped one: {known}")
    text = read_text(file, HouseRulesError, missing=_no_file(file))
    if folder is None:
        NAMED.add(text)
    return HouseRules(file.name, text, path=file)


def _no_file(file: Path) -> str:
    known = ", ".join(shipped_house_rules()) or "none"
    return f"there is no file {file}; the shipped house rules are {known}."


def house_rules_of(kept: object) -> HouseRules:
    """House rules out of what a manifest kept, or out of a file that the user names."""
    if isinstance(kept, HouseRules):
        return kept
    if isinstance(kept, str | Path):
        return house_rules_in(kept)
    if not isinstance(kept, dict) or not isinstance(kept.get("file"), str) or not isinstance(kept.get("text"), str):
        raise HouseRulesError("house_rules must have a file and its text.")
    given = kept.get("parameters") or {}
    if not isinstance(given, dict):
        raise HouseRulesError("the parameters of house_rules must be a table of numbers.")
    return HouseRules(PurePath(kept["file"]).name, kept["text"]).but(**given)

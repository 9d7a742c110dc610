"""A strategy as the engine seats it: its name, its weights and a compiled function for each decision point.

It does not know where it comes from: `library.py` finds strategies, `toml_file.py` and `code_file.py` read them.
"""

import base64
import hashlib
import re
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np

from jamaica_sim.engine.step import SCRIPT_DTYPE
from jamaica_sim.errors import UserError
from jamaica_sim.files.escape import did_you_mean, html_table, html_text, shown
from jamaica_sim.game.codes import DECISIONS, GHOST_SHIP
from jamaica_sim.game.components import Treasure, treasures
from jamaica_sim.game.rules import Rules
from jamaica_sim.strategy.bans import BANS, bans_record
from jamaica_sim.strategy.heuristic.tables import weights_record
from jamaica_sim.strategy.heuristic.weights import BY_NAME, DEFAULTS
from jamaica_sim.strategy.net.net_file import Net
from jamaica_sim.strategy.search.settings import Search

Cards: TypeAlias = tuple[Treasure, ...] | None  # treasures; None: the printed ones
Player: TypeAlias = Callable[[Any], int]  # answers questions, see `strategy/question.py`

# The engine reads a record by its address. Of two threads that make the same one, the second would free the first's.
MAKING_RECORDS = threading.Lock()


def _weights(cards: Cards, changes: Mapping[str, float]) -> np.ndarray:
    """A record of weights, copied from a cache: an experiment seats the same strategy at thousands of tables."""
    return _tabulated(cards, tuple(changes.items())).copy()


@lru_cache(maxsize=64)
def _tabulated(cards: Cards, changes: tuple[tuple[str, float], ...]) -> np.ndarray:
    return weights_record(cards, **dict(changes))


class StrategyError(UserError):
    """A strategy that cannot be used: one sentence with the file and what to do."""


class Decision(Protocol):
    """A compiled decision function; `compile.CompiledDecision` is one."""

    @property
    def address(self) -> int:
        """Where the compiled function starts."""

    def is_compiled(self) -> bool:
        """Whether its address is available without compiling."""


@runtime_checkable
class PlaysByRules(Protocol):
    """A decision that reads a record of its own for each set of rules; `player.Bridge` is one."""

    def record_for(self, rules: Rules) -> np.ndarray:
        """The record."""


class NotLoaded:
    """Stands for a function of code that was only read."""

    address = 0

    def is_compiled(self) -> bool:
        """It never is."""
        return False


NOT_LOADED = NotLoaded()


@dataclass(frozen=True, eq=False, repr=False)
class Strategy:
    """A strategy, ready to be seated.

    Examples
    --------
    >>> from jamaica_sim import load_strategy
    >>> load_strategy("random")
    <Strategy random (built in): Plays at random: every legal answer to every decision is equally likely.>
    >>> load_strategy({"gold": 1.2})
    <Strategy gold 1.2 (data): weights gold 1.2>
    """

    name: str
    kind: str  # "built in" (random), "data", "net", "search", "code", "plain" (Python) or "outside" (nobody yet)
    description: str
    intent: str = ""
    path: Path | None = None
    text: str = ""
    changes: dict[str, float] = field(default_factory=dict)  # weights that differ from the defaults
    functions: Mapping[str, Decision] = field(default_factory=dict)  # those that its file defines, by decision point
    heuristic: Decision | None = field(default=None, repr=False)  # decides the rest; None: uniform random play
    label: str = ""
    not_loaded: bool = False  # code that was only read, not run: it cannot play before `library.load_code`
    search: Search | None = field(default=None, repr=False)
    net: Net | None = field(default=None, repr=False)
    first_thought: Decision | None = field(default=None, repr=False)  # of a search: the answer that it must beat
    bans: tuple[str, ...] = ()  # parts of the game that it leaves out
    restricted: Decision | None = field(default=None, repr=False)  # the filter before its functions, where it has bans
    weights: np.ndarray = field(init=False, repr=False)  # what its compiled functions read
    variants: dict[Any, np.ndarray] = field(
        init=False, default_factory=dict, repr=False
    )  # records for other treasures and for bans

    def __repr__(self) -> str:
        return f"<Strategy {self.label} ({self.kind}): {self._in_short()}>"

    def _repr_html_(self) -> str:
        said = f"<p><b>{html_text(self.label)}</b> ({self.kind}): {html_text(' '.join(self.description.split()))}</p>"
        decided = f"<p>Decides itself: {html_text(', '.join(self.functions))}</p>" if self.functions else ""
        rows = [(name, f"{value:g}", f"{DEFAULTS[name]:g}") for name, value in self.changes.items()]
        weights = html_table("Weights that it changes", ("weight", "here", "default"), rows) if rows else ""
        return said + decided + weights

    def _in_short(self) -> str:
        first = " ".join(self.description.split()).split(". ")[0].rstrip(".")
        weights = ", ".join(f"{name} {value:g}" for name, value in self.changes.items())
        return f"{first}." if first else f"weights {weights}" if weights else "all weights at their defaults"

    def __post_init__(self) -> None:
        object.__setattr__(self, "label", self.label or self.name)
        object.__setattr__(self, "weights", self._record())

    def __copy__(self) -> "Strategy":
        return self  # nothing in it changes

    def __deepcopy__(self, memo: object) -> "Strategy":
        return self

    @property
    def is_outside(self) -> bool:
        """Whether nobody plays it: a `Game` asks for its answers."""
        return self.kind == "outside"

    @property
    def is_code(self) -> bool:
        """Whether it is Python code, which runs with the user's rights."""
        return self.kind in ("code", "plain")

    @property
    def has_weights(self) -> bool:
        """Whether the parametric heuristic is part of it."""
        return self.kind in ("data", "net", "search", "code")

    def record_for(self, rules: Rules) -> np.ndarray:
        """What its functions read in games by these rules; it lives as long as the strategy."""
        player: object = self.heuristic
        if isinstance(player, PlaysByRules):
            return player.record_for(rules)
        return self.weights_for(rules.components.treasures)

    def _record(self, cards: Cards = None) -> np.ndarray:
        if not self.has_weights:
            return np.zeros(1, SCRIPT_DTYPE)
        weights = _weights(cards, self.changes)
        if self.search:
            return self.search.record(weights, _weights(cards, self.search.policy), self.net)
        return self.net.record(weights) if self.net else weights

    def weights_for(self, cards: tuple[Treasure, ...]) -> np.ndarray:
        """The record that its functions read in games with these treasures; it lives as long as the strategy."""
        with MAKING_RECORDS:
            if not self.bans:
                return self._weights_for(cards)
            if (self.bans, cards) not in self.variants:
                weights = self._weights_for(cards)
                record = bans_record(self.bans, self._own_addresses(), weights.ctypes.data)
                self.variants[self.bans, cards] = record
            return self.variants[self.bans, cards]

    def _weights_for(self, cards: tuple[Treasure, ...]) -> np.ndarray:
        if not self.has_weights or cards == treasures():
            return self.weights
        if cards not in self.variants:
            self.variants[cards] = self._record(cards)
        self._own(self.variants[cards])["heuristic"] = self._own(self.weights)["heuristic"]
        if self.search:
            self.variants[cards]["first_thought"] = self.weights["first_thought"]
        return self.variants[cards]

    def _own(self, record: np.ndarray) -> np.ndarray:
        """The heuristic's weights within a record that the compiled functions read."""
        if self.search:
            return record["net"]["weights"]
        return record["weights"] if self.net else record

    @property
    def digest(self) -> str:
        """A hash of what decides how this strategy plays."""
        net = f"\0{self.net.digest}" if self.net else ""
        return hashlib.sha256(f"{self.kind}\0{self.name}\0{self.text}{net}".encode()).hexdigest()

    @property
    def draws_luck(self) -> bool:
        """Whether it may draw from its own stream of luck: weights and nets do so only for noise and errors."""
        own = self._own(self.weights)
        return self.kind not in ("data", "net") or any(own[name].item() != 0 for name in ("noise", "errors"))

    def labelled(self, label: str) -> "Strategy":
        """The same strategy under another label."""
        return replace(self, label=label)

    def identity(self) -> dict[str, Any]:
        """Everything that is needed to seat it again, elsewhere or later."""
        return {
            "name": self.name,
            "label": self.label,
            "kind": self.kind,
            "file": self.path.name if self.path else None,
            "sha256": self.digest,
            "text": self.text,
            **({"net": base64.b64encode(self.net.content).decode()} if self.net else {}),
        }

    def addresses(self) -> np.ndarray:
        """The address of the compiled function for each decision point; 0 is uniform random play."""
        if self.not_loaded:
            raise StrategyError(f"the strategy {self.name} cannot play: its code was read, but not run.")
        if self.net:
            self.net.check_facts()
        if self.bans and self.restricted is not None:
            return np.full(len(DECISIONS), self.restricted.address, np.int64)
        return self._own_addresses()

    def _own_addresses(self) -> np.ndarray:
        if self.heuristic is None:
            return np.zeros(len(DECISIONS), np.int64)
        if self.has_weights:
            self._own(self.weights)["heuristic"] = self.heuristic.address
        if self.first_thought is not None:
            self.weights["first_thought"] = self.first_thought.address
        deciding = [self.functions.get(decision, self.heuristic) for decision in DECISIONS]
        return np.array([function.address for function in deciding], np.int64)

    def is_compiled(self) -> bool:
        """Whether it can play without compiling anything."""
        functions = [*self.functions.values(), *filter(None, [self.heuristic, self.first_thought, self.restricted])]
        return all(function.is_compiled() for function in functions)


# Checks of every strategy file, of data or code

NAME = re.compile(r"[\w .+-]{1,60}")
MOST_PROBLEMS = 20  # told at once


def refuse_all(path: Path, problems: Iterable[str]) -> None:
    """Refuse a file for all that is wrong with it, if anything is. Each problem begins with the path."""
    several = list(dict.fromkeys(problems))
    if len(several) == 1:
        raise StrategyError(several[0])
    if several:
        told = [problem.removeprefix(str(path)).lstrip(":, ") for problem in several[:MOST_PROBLEMS]]
        told += [f"and {len(several) - MOST_PROBLEMS:,} more."] if len(several) > MOST_PROBLEMS else []
        raise StrategyError(f"{path} has {len(several)} problems:" + "".join(f"\n  - {problem}" for problem in told))


def checked_name(name: str, path: Path) -> str:
    """The name, if it fits into tables and file names."""
    if not NAME.fullmatch(name):
        raise StrategyError(f"{path}: the name {name!r} must be 1 to 60 letters, digits, spaces or any of _ . + -")
    if name == GHOST_SHIP:  # figures are added up by name
        raise StrategyError(f"{path}: the ghost ship is called {name!r} already: give the strategy another name.")
    return name


def check_weights(weights: Mapping[Any, object], refuse: Callable[[str, str], object]) -> None:
    """Refuse weights that are unknown, not numbers or out of range, by calling `refuse(key, problem)` for each."""
    for key, value in weights.items():
        weight = BY_NAME.get(key)
        if weight is None:
            refuse(key, f"there is no weight {shown(key)}: {did_you_mean(str(key), list(BY_NAME))}")
        elif isinstance(value, bool) or not isinstance(value, int | float):
            refuse(key, f"the weight {key!r} must be a number, not {shown(value)}.")
        elif not weight.low <= value <= weight.high:
            allowed = f"from {weight.low:g} to {weight.high:g} {weight.unit}"
            refuse(key, f"the weight {key!r} must be {allowed}, not {shown(value)}.")


def checked_bans(bans: object, refuse: Callable[[str], object]) -> tuple[str, ...]:
    """The parts of the game that a file bans; calls `refuse(problem)` for what is no list or no known ban."""
    if not isinstance(bans, list | tuple):
        refuse(f"bans must be a list such as [{BANS[0]!r}], not {shown(bans)}.")
        return ()
    for ban in bans:
        if ban not in BANS:
            refuse(f"there is no ban {shown(ban)}: {did_you_mean(str(ban), BANS, 'the bans are')}")
    return tuple(dict.fromkeys(map(str, bans)))

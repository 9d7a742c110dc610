"""The library: strategies by name or file, the shipped ones, and strategies made from a dictionary of weights.

Whose code may run stands here, too: what is shipped, and what the user names here and now. Code that came inside
somebody's folder or experiment is a stranger's, a strategy's like that of house rules: it runs only if the user says
so, every time.
"""

import base64
import copyreg
import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, NoReturn, TypeAlias

from jamaica_sim.errors import UserError
from jamaica_sim.files.escape import did_you_mean
from jamaica_sim.files.user_files import read_text
from jamaica_sim.game.house_file import NAMED, HouseRules
from jamaica_sim.game.house_file import is_shipped as is_shipped_file
from jamaica_sim.game.rules import Rules
from jamaica_sim.strategy.code_file import look_at_code, read_code
from jamaica_sim.strategy.player import Bridge, outside_strategy, strategy_of_player
from jamaica_sim.strategy.strategy import NAME, Player, Strategy, StrategyError, check_weights, checked_bans
from jamaica_sim.strategy.toml_file import read_toml, write_toml

# What can be given as a strategy, and as the strategies of a whole table.
AnyStrategy: TypeAlias = str | os.PathLike[str] | Mapping[str, float] | Strategy | Player
Strategies: TypeAlias = AnyStrategy | Sequence[AnyStrategy]

SUFFIXES = {".toml": "data", ".py": "code"}  # of strategy files, with the kind of strategy
Readers: TypeAlias = Mapping[str, Callable[[str, Path], Strategy]]
READERS: Readers = {".toml": read_toml, ".py": read_code}
LOOKERS: Readers = {".toml": read_toml, ".py": look_at_code}  # which run no code
RANDOM = "random"
RANDOM_DESCRIPTION = (
    "Plays at random: every legal answer to every decision is equally likely. It knows no fear and no plan, and is "
    "the measure that everything else is held against."
)


@cache
def shipped_folder() -> Path:
    """Where the shipped strategies lie: inside the package when installed, beside it in a checkout."""
    package = Path(__file__).resolve().parent.parent
    installed = package / "shipped" / "strategies"
    return installed if installed.is_dir() else package.parent / "strategies"


def strategy_names() -> list[str]:
    """The names of the shipped strategies.

    Examples
    --------
    >>> from jamaica_sim import strategy_names
    >>> "champion" in strategy_names()
    True
    """
    return sorted([RANDOM, *(path.stem for path in shipped_folder().glob("*") if path.suffix in SUFFIXES)])


def quick_names() -> list[str]:
    """The names of the shipped strategies that answer at once: all but those that search."""
    return [name for name in strategy_names() if look_at_strategy(name).kind != "search"]


def is_shipped(strategy: Strategy) -> bool:
    """Whether the library has this very strategy under its name."""
    return strategy.name in strategy_names() and _shipped_digest(strategy.name) == strategy.digest


@cache
def _shipped_digest(name: str) -> str:
    return load_strategy(name, LOOKERS).digest


def look_at_strategy(strategy: AnyStrategy) -> Strategy:
    """Like `load_strategy`, but code is only read and not run: such a strategy is not loaded, and cannot play."""
    return load_strategy(strategy, LOOKERS)


def load_code(strategy: Strategy) -> Strategy:
    """The same strategy with its code loaded, so that it can play. This runs the code."""
    if not strategy.not_loaded:
        return strategy
    if strategy.path is None and strategy.kind == "plain":
        raise StrategyError(
            f"the player {strategy.name} is a Python function that only its own program has: to go on elsewhere or "
            "later, write it into a file with a function answer(question)."
        )
    real = read_code(strategy.text, strategy.path or Path(f"{strategy.name}.py"))
    if real.name != strategy.name:
        raise StrategyError(f"{strategy.path}: NAME must be written out, so that it can be read without running code.")
    return real.labelled(strategy.label)


def load_strategy(strategy: AnyStrategy, readers: Readers = READERS) -> Strategy:
    """The shipped strategy of that name, the strategy in that file, or one made from a dictionary of weights.

    A `Strategy` is returned as it is. `readers` say how files are read: code is run unless they only look at it.

    Examples
    --------
    >>> from jamaica_sim import load_strategy
    >>> load_strategy("racer").changes["finish"] > 0
    True
    >>> load_strategy({"gold": 1.2, "food": 9}).name
    'gold 1.2 food 9'
    """
    if isinstance(strategy, Strategy):
        return strategy
    if callable(strategy):
        return strategy_of_player(strategy)
    if isinstance(strategy, Mapping):
        return strategy_from_weights(strategy)
    given: object = strategy
    if not isinstance(given, str | os.PathLike):
        outside = " (None is a seat outside, which only Game and Games ask)" if given is None else ""
        raise StrategyError(
            f"a strategy is a name, a file, a dictionary of weights or a function, not {given!r}{outside}."
        )
    text = str(given)
    if text == RANDOM:
        return Strategy(RANDOM, "built in", RANDOM_DESCRIPTION)
    if Path(text).suffix in SUFFIXES or "/" in text or "\\" in text:
        return load_file(Path(text), readers)
    for suffix in SUFFIXES:
        path = shipped_folder() / f"{text}{suffix}"
        if path.is_file():
            return load_file(path, readers)
    if "," in text:
        parts = [part.strip() for part in text.split(",") if part.strip()]
        each = " ".join(f"-s {part}" for part in parts)
        raise StrategyError(f"there is no strategy {text!r}: name several one by one, {each}, or {parts} in Python.")
    if Path(text).suffix and not text.startswith("."):
        raise StrategyError(f"{text}: a strategy file ends in .toml (weights) or .py (code).")
    hint = did_you_mean(text, strategy_names(), "the shipped ones are")
    there = [f"{text}{suffix}" for suffix in SUFFIXES if Path(f"{text}{suffix}").is_file()]
    if there:
        raise StrategyError(f"there is no strategy {text!r}, but a file: name it with its ending, {there[0]}.")
    own = f"A file of your own is named by its path, ./{text}.toml."
    raise StrategyError(f"there is no strategy {text!r}: {hint} {own}")


def load_file(path: Path, readers: Readers = READERS) -> Strategy:
    """The strategy in a file."""
    if path.suffix not in SUFFIXES:
        raise StrategyError(f"{path}: a strategy file ends in .toml (weights) or .py (code).")
    if not str(path).isprintable():
        raise StrategyError(f"{str(path)!r} cannot be the name of a file with a strategy: it cannot be printed.")
    missing = f"there is no strategy file {path}: `jamaica-sim strategies new NAME` writes one to start from."
    return readers[path.suffix](read_text(path, StrategyError, missing), path)


def strategy_from_weights(weights: Mapping[str, Any], name: str = "", description: str = "") -> Strategy:
    """The strategy with these weights, and defaults for all others; without a name it is named after its weights.

    `bans` among them is a list of what it never does, as in a file.
    """
    bans = weights.get("bans", ())
    weights = {weight: value for weight, value in weights.items() if weight != "bans"}
    if isinstance(weights.get("weights"), Mapping):
        raise StrategyError(f"a dictionary has the weights themselves, such as {dict(weights['weights'])}.")
    name = name or _name_of(weights, bans)

    def refuse(_: str, problem: str) -> NoReturn:
        raise StrategyError(f"the strategy {name!r}: {problem}")

    check_weights(weights, refuse)
    bans = checked_bans(list(bans) if isinstance(bans, tuple) else bans, lambda problem: refuse("bans", problem))
    return replace(read_toml(write_toml(name, description, weights, bans=bans), Path(f"{name}.toml")), path=None)


def _name_of(weights: Mapping[str, Any], bans: object) -> str:
    words = [f"{weight} {value}" for weight, value in weights.items()]
    name = (
        " ".join([*words, *(f"without {ban}" for ban in (bans if isinstance(bans, list | tuple) else ()))])
        if words or bans
        else "weights"
    )
    return name if NAME.fullmatch(name) else "weights"


def load_strategies(strategies: Strategies) -> list[Strategy]:
    """Several strategies, each given in any of the ways that `load_strategy` takes; one alone is a list of one."""
    if isinstance(strategies, str | os.PathLike | Mapping | Strategy) or not isinstance(strategies, Iterable):
        return [load_strategy(strategies)]
    return [load_strategy(strategy) for strategy in strategies]


def strategy_from_text(text: str, path: Path) -> Strategy:
    """The strategy in a file with this text."""
    return READERS[path.suffix](text, path)


def _net_content(identity: dict[str, Any]) -> bytes:
    """The content of the net's file that an identity keeps; empty where it keeps none: a net is never looked for."""
    try:
        return base64.b64decode(identity.get("net", ""), validate=True)
    except ValueError:
        raise StrategyError(f"the net of the strategy {identity['name']!r} is damaged.") from None


def strategy_from_identity(identity: dict[str, Any]) -> Strategy:
    """The strategy that `Strategy.identity` described, from its own text; code is not run: see `load_code`."""
    if identity["kind"] == "built in":
        return load_strategy(identity["name"]).labelled(identity["label"])
    if identity["kind"] == "outside":
        return outside_strategy(identity["name"]).labelled(identity["label"])
    file = identity["file"]
    if identity["kind"] == "plain" and file is None:
        strategy = Strategy(identity["name"], "plain", "A Python player.", text=identity["text"], not_loaded=True)
        return strategy.labelled(identity["label"])
    path = Path(file or "weights.toml")
    if SUFFIXES[path.suffix] == "code":
        strategy = look_at_code(identity["text"], path, identity["name"])
    else:
        strategy = read_toml(identity["text"], path, _net_content(identity))
    if strategy.digest != identity["sha256"]:
        raise StrategyError(f"the strategy {identity['name']!r} does not match its hash: it was changed.")
    return replace(strategy, label=identity["label"], path=strategy.path if file else None)


def revived(identity: dict[str, Any], path: Path | None, not_loaded: bool) -> Strategy:
    """The strategy that was pickled: made from its own text, and ready to play if it was."""
    strategy = replace(strategy_from_identity(identity), path=path)
    return strategy if not_loaded else load_code(strategy)


def _pickled(strategy: Strategy) -> tuple[Callable[..., Strategy], tuple[Any, ...]]:
    """What `pickle` keeps of a strategy: its text. Compiled code has addresses of this process."""
    if strategy.kind == "plain":
        raise TypeError(f"the strategy {strategy.name} is a Python function of this process: it cannot be pickled.")
    return revived, (strategy.identity(), strategy.path, strategy.not_loaded)


copyreg.pickle(Strategy, _pickled)


# Telling strategies of the same name apart, by where they come from


def told_apart(strategies: Iterable[Strategy], every_one: bool = False) -> list[Strategy]:
    """The strategies, labelled so that different ones have different labels; with `every_one`, no label comes twice."""
    strategies = list(strategies)
    if len({s.label for s in strategies}) < len({(s.label, _who(s)) for s in strategies}):
        strategies = [s.labelled(_label(s, strategies)) for s in strategies]
    if not every_one:
        return strategies
    labels = [s.label for s in strategies]
    numbers = [labels[: i + 1].count(label) for i, label in enumerate(labels)]
    return [
        s.labelled(f"{s.label} #{number}") if labels.count(s.label) > 1 else s
        for s, number in zip(strategies, numbers, strict=True)
    ]


def _who(strategy: Strategy) -> tuple[str, int]:
    """Who a strategy is: its digest; of Python players with the same source, made by one function, also which one."""
    bridge = strategy.heuristic
    return strategy.digest, id(bridge.player) if isinstance(bridge, Bridge) and strategy.path is None else 0


def _label(strategy: Strategy, strategies: Sequence[Strategy]) -> str:
    namesakes = {_who(s): s for s in strategies if s.name == strategy.name}
    if len(namesakes) == 1 or is_shipped(strategy):
        return strategy.name
    origins = {who: _origin(s, [*namesakes.values()]) for who, s in namesakes.items()}
    return f"{strategy.name} ({_what_differs(origins[_who(strategy)], set(origins.values()))})"


def _origin(strategy: Strategy, namesakes: Sequence[Strategy]) -> str:
    """The file; the name of a shipped strategy; without a file of its own a hash, and for one hash a number."""
    if is_shipped(strategy):
        return strategy.name
    if strategy.path and [s.path for s in namesakes].count(strategy.path) == 1:
        return str(strategy.path)
    same = [_who(s) for s in namesakes if s.digest == strategy.digest]
    return str(same.index(_who(strategy)) + 1) if len(same) > 1 else strategy.digest[:8]


def _what_differs(path: str, paths: Collection[str]) -> str:
    """A path without the folders and the file name that all paths share; the whole path if nothing would remain."""
    split = [Path(other).parts for other in paths]
    first = len(os.path.commonprefix(split))
    last = len(os.path.commonprefix([other[::-1] for other in split]))
    kept = Path(path).parts[first : len(Path(path).parts) - last]
    return str(Path(*kept)) if kept and len(paths) > 1 else path


# Whose code may run


class Untrusted(UserError):
    """Nobody has allowed this code to run; the message is one sentence."""

    def __init__(self, code: list[Strategy] | HouseRules):
        if isinstance(code, HouseRules):
            several, what, or_name = True, f"house rules {code.name}", ", or name the file: --house-rules FILE"
        else:
            several, or_name = len(code) > 1, ""
            names = ", ".join(f"{s.name} ({s.path})" for s in code[:5]) + (" and others" if len(code) > 5 else "")
            what = f"strateg{'ies' if several else 'y'} {names}"
        are, them = ("are", "them") if several else ("is", "it")
        super().__init__(
            f"the {what} {are} Python code that came along and would run with your rights: read {them} first, then "
            f"allow {them} with --trust{or_name}."
        )


def strangers(strategies: Iterable[Strategy]) -> list[Strategy]:
    """The strategies, each once, whose code came along and is not shipped."""
    code = {s.digest: s for s in strategies if s.is_code and s.not_loaded and s.path}.values()
    return [s for s in code if not is_shipped(s)]


def with_code_loaded(strategies: Iterable[Strategy], trust: bool = False) -> tuple[Strategy, ...]:
    """The strategies ready to play; a stranger's code is refused unless `trust` is set."""
    strategies = tuple(strategies)
    if not trust and (found := strangers(strategies)):
        raise Untrusted(found)
    real = {s.digest: load_code(s) for s in strategies if s.not_loaded}
    return tuple(real[s.digest].labelled(s.label) if s.not_loaded else s for s in strategies)


def allow(rules: Iterable[Rules], trust: bool) -> None:
    """Let the house rules of these rules run from now on, where the user says so."""
    if trust:
        NAMED.update(one.house_rules.text for one in rules if one.house_rules is not None)


def is_strangers(file: HouseRules) -> bool:
    """Whether nobody has allowed the code of house rules to run."""
    return not (file.text in NAMED or is_shipped_file(file))


def check_trust(file: HouseRules) -> None:
    """Refuse a stranger's house rules."""
    if is_strangers(file):
        raise Untrusted(file)

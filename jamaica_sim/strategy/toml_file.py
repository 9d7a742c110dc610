"""Strategy files of data: a name, a description and weights in TOML, a net and how to search, if the strategy does.

Reading one runs no code and compiles nothing.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from jamaica_sim.files.escape import did_you_mean, shown
from jamaica_sim.files.user_files import beside, read_plain_file, toml_of
from jamaica_sim.game.codes import DECISIONS
from jamaica_sim.game.variant import other_kind
from jamaica_sim.strategy.compile import HEURISTIC, NET_PLAYER, RESTRICTED, SEARCHER
from jamaica_sim.strategy.heuristic.weights import BY_NAME
from jamaica_sim.strategy.net.layout import LEARNED
from jamaica_sim.strategy.net.net_file import LARGEST_NET, Net, read_net
from jamaica_sim.strategy.search.settings import BY_NAME as SETTINGS
from jamaica_sim.strategy.search.settings import KEYS as SEARCH_KEYS
from jamaica_sim.strategy.search.settings import SEARCHED, Search, SearchNumber
from jamaica_sim.strategy.strategy import (
    Decision,
    Strategy,
    StrategyError,
    check_weights,
    checked_bans,
    checked_name,
    refuse_all,
)

KEYS = ("name", "description", "intent", "bans", "weights", "net", "search")


def read_toml(text: str, path: Path, net_content: bytes | None = None) -> Strategy:
    """The strategy in a TOML file with this text. Its net is read from the file beside it, unless it is given."""
    python = any(line.startswith(("def ", "import ", "from ", '"""')) for line in text.splitlines())
    hint = " It looks like Python: a file of code ends in .py." if python else ""
    data = toml_of(text, path, lambda problem: StrategyError(problem + hint))
    problems: list[str] = []

    def note(key: str, problem: str) -> None:
        problems.append(f"{path}, line {_line_of(text, key)}: {problem}")

    for key in data:
        if key in BY_NAME:
            note(key, f"the weight {key!r} stands below a line [weights]: write that line before it.")
        elif key not in KEYS:
            other = "" if "weights" in data else other_kind(data, path, "a strategy")
            note(key, f"there is no key {key!r} in a strategy file: {other or did_you_mean(key, KEYS)}")
            if other:
                break  # what else is wrong with it does not matter
    for key in ("name", "description", "intent"):
        if not isinstance(data.get(key, ""), str):
            note(key, f"{key} must be text, not {shown(data[key])}.")
    weights = data.get("weights", {})
    if isinstance(weights, dict):
        check_weights(weights, note)
    else:
        note("weights", "weights must be a table: [weights], then one `name = number` a line.")
    bans = checked_bans(data.get("bans", []), lambda problem: note("bans", problem))
    refuse_all(path, problems)
    search = _search_of(data, text, path) if "search" in data else None
    net = _net_of(data, text, path, net_content) if "net" in data else None
    functions: dict[str, Decision] = {DECISIONS[decision]: NET_PLAYER for decision in LEARNED} if net else {}
    return Strategy(
        checked_name(data.get("name", path.stem), path),
        "search" if search else "net" if net else "data",
        data.get("description", "").strip(),
        data.get("intent", "").strip(),
        path,
        text,
        {name: float(value) for name, value in weights.items()},
        functions=dict.fromkeys(search.decisions, SEARCHER) if search else functions,
        heuristic=HEURISTIC,
        search=search,
        net=net,
        first_thought=(NET_PLAYER if net else HEURISTIC) if search else None,
        bans=bans,
        restricted=RESTRICTED if bans else None,
    )


def _net_of(data: dict[str, Any], text: str, path: Path, content: bytes | None) -> Net:
    """The net of a file with a table `[net]`."""
    net = data["net"]

    def refuse(problem: str) -> NoReturn:
        _refuse(path, text, "net", problem)

    if not isinstance(net, dict) or set(net) != {"file"}:
        refuse('net must be a table with one line: [net], then `file = "NAME.npz"`.')
    file = net["file"]
    if not isinstance(file, str) or not file.endswith(".npz") or not file.isprintable():
        refuse(f"file must be the name of an .npz file in the same folder, not {shown(file)}.")
    is_kept = content is not None
    if content is None:
        try:
            content = read_plain_file(beside(path.parent, file, StrategyError), LARGEST_NET, links=True)
        except OSError as error:
            refuse(f"the net {path.parent / file} cannot be read: {error.strerror or error}.")
    return read_net(content, file, refuse, is_kept)


def _search_of(data: dict[str, Any], text: str, path: Path) -> Search:
    """How a file with a table `[search]` searches.

    In rollouts everybody plays by the file's weights, without foresight, unless `[search.policy]` says otherwise.
    """
    search = data["search"]

    def refuse(key: str, problem: str) -> NoReturn:
        _refuse(path, text, key, problem)

    if not isinstance(search, dict):
        refuse("search", "search must be a table: [search], then one `name = value` a line.")
    for key in search:
        if key not in SEARCH_KEYS:
            refuse(key, f"there is no key {key!r} in [search]: {did_you_mean(key, SEARCH_KEYS)}")
    numbers = {key: value for key, value in search.items() if key in SETTINGS}
    for key, value in numbers.items():
        _check_number(SETTINGS[key], value, refuse)
    decisions = search.get("decisions", list(SEARCHED))
    if not isinstance(decisions, list) or not decisions:
        refuse("decisions", f"decisions must be a list of decision points, not {shown(decisions)}.")
    for decision in decisions:
        if decision not in DECISIONS:
            hint = did_you_mean(str(decision), DECISIONS)
            refuse("decisions", f"there is no decision point {shown(decision)}: {hint}")
    policy = search.get("policy", {})
    if not isinstance(policy, dict):
        refuse("policy", "policy must be a table: [search.policy], then the weights that differ in rollouts.")
    check_weights(policy, refuse)
    weights = {**data.get("weights", {}), "foresight": 0.0, **policy}
    return Search(numbers, weights, tuple(dict.fromkeys(decisions)))


def _check_number(setting: SearchNumber, value: object, refuse: Callable[[str, str], NoReturn]) -> None:
    kind = int if setting.whole else int | float
    if isinstance(value, bool) or not isinstance(value, kind) or not setting.low <= value <= setting.high:
        what = "a whole number" if setting.whole else "a number"
        refuse(
            setting.name, f"{setting.name} must be {what} from {setting.low:g} to {setting.high:g}, not {shown(value)}."
        )


def write_toml(
    name: str, description: str, weights: Mapping[str, float], net: str = "", bans: Sequence[str] = ()
) -> str:
    """The text of a file for a strategy with these weights, in full precision, with bans and the net in a file."""
    texts = {"name": name, "description": description}
    lines = [f"{key} = {json.dumps(text, ensure_ascii=False)}" for key, text in texts.items() if text]
    if bans:
        lines.append(f"bans = {json.dumps(list(bans))}")
    if net:
        lines += ["", "[net]", f"file = {json.dumps(net, ensure_ascii=False)}"]
    return "\n".join(
        [*lines, "", "[weights]", *(f"{weight} = {float(value)!r}" for weight, value in weights.items()), ""]
    )


def _line_of(text: str, key: str) -> int:
    for number, line in enumerate(text.splitlines(), 1):
        if re.match(rf"\s*[\"']?{re.escape(key)}[\"']?\s*=", line) or line.strip() == f"[{key}]":
            return number
    return 1


def _refuse(path: Path, text: str, key: str, problem: str) -> NoReturn:
    raise StrategyError(f"{path}, line {_line_of(text, key)}: {problem}")

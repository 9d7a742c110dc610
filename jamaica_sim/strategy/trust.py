"""Whose code may run: what is shipped, and what the user names here and now.

Code that came inside somebody's folder or experiment is a stranger's, a strategy's like that of house rules: it runs
only if the user says so, every time.
"""

from collections.abc import Iterable

from jamaica_sim.errors import UserError
from jamaica_sim.game.house_file import NAMED, HouseRules
from jamaica_sim.game.house_file import is_shipped as is_shipped_file
from jamaica_sim.game.rules import Rules
from jamaica_sim.strategy.library import is_shipped, load_code
from jamaica_sim.strategy.strategy import Strategy


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

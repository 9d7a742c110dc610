"""Whose code may run: what is shipped, and what the user names here and now.

Code that came inside somebody's folder or experiment is a stranger's: it runs only if the user says so, every time. The
same holds for strategies and for house rules.
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

    def __init__(self, strangers: list[Strategy]):
        self.strangers = strangers
        several = len(strangers) > 1
        names = ", ".join(f"{s.name} ({s.path})" for s in strangers[:5]) + (" and others" if len(strangers) > 5 else "")
        super().__init__(
            f"the strateg{'ies' if several else 'y'} {names} {'are' if several else 'is'} Python code that came along "
            f"and would run with your rights: read it first, then allow it with --trust, or name the file "
            f"once: jamaica-sim strategies check FILE."
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


class UntrustedRules(UserError):
    """Nobody has allowed this code to run."""


def allow(rules: Iterable[Rules], trust: bool) -> None:
    """Let the house rules of these rules run from now on, where the user says so."""
    if trust:
        NAMED.update(one.house_rules.text for one in rules if one.house_rules is not None)


def strangers_code(files: Iterable[HouseRules]) -> list[HouseRules]:
    """The files, each once, whose code nobody has allowed to run."""
    different = {file.text: file for file in files}.values()
    return [file for file in different if not (file.text in NAMED or is_shipped_file(file))]


def check_trust(file: HouseRules) -> None:
    """Refuse a stranger's code."""
    if strangers_code([file]):
        raise UntrustedRules(
            f"the house rules {file.name} are Python code that came along and would run with your rights: read them "
            f"first, then allow them with --trust, or name the file once: jamaica-sim rules check FILE."
        )

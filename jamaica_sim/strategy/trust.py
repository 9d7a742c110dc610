"""Whose code may run: what is shipped, and what the user names here and now.

Code that came inside somebody's folder or experiment is a stranger's: it runs only if the user says so, every time.
"""

from collections.abc import Iterable

from jamaica_sim.errors import UserError
from jamaica_sim.strategy.library import awake, is_shipped
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
    code = {s.digest: s for s in strategies if s.is_code and s.asleep and s.path}.values()
    return [s for s in code if not is_shipped(s)]


def woken(strategies: Iterable[Strategy], trust: bool = False) -> tuple[Strategy, ...]:
    """The strategies ready to play; a stranger's code is refused unless `trust` is set."""
    strategies = tuple(strategies)
    if not trust and (found := strangers(strategies)):
        raise Untrusted(found)
    real = {s.digest: awake(s) for s in strategies if s.asleep}
    return tuple(real[s.digest].labelled(s.label) if s.asleep else s for s in strategies)

"""Whose code may run: shipped strategies, and strategies that the user has named before.

Code that came inside somebody's folder or experiment is a stranger's until the user has said otherwise. Code that the
user has named is remembered by the hash of its text, in the user's own state folder.
"""

import hashlib
import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from jamaica_sim.errors import UserError
from jamaica_sim.own_folders import safe_folder, users_folder
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
            f"and would run with your rights: read it first, then allow it with --trust."
        )


def _mark(text: str, make: bool = False) -> Path | None:
    """The file that says that the user has named this code; None without a folder that only the user can write to."""
    users = users_folder("state")
    folder = users and safe_folder(users / "named", make)
    return folder and folder / hashlib.sha256(text.encode()).hexdigest()


def remember(strategies: Iterable[Strategy]) -> None:
    """Remember code that the user has named, so that it may run when it comes back in a folder."""
    for strategy in strategies:
        if strategy.is_code and strategy.path and not is_shipped(strategy):
            name_code(strategy.text)


def name_code(text: str) -> None:
    """Remember code that the user has named."""
    if mark := _mark(text, make=True):
        with suppress(OSError):  # then the user will be asked
            os.close(os.open(mark, os.O_WRONLY | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600))


def is_named(text: str) -> bool:
    """Whether the user has named this code before."""
    mark = _mark(text)
    try:
        facts = mark and os.lstat(mark)
    except OSError:
        return False
    if not facts or not stat.S_ISREG(facts.st_mode):
        return False
    return not hasattr(os, "getuid") or facts.st_uid == os.getuid()


def strangers(strategies: Iterable[Strategy]) -> list[Strategy]:
    """The strategies, each once, whose code nobody has allowed to run."""
    code = {s.digest: s for s in strategies if s.is_code and s.asleep and s.path}.values()
    return [s for s in code if not is_shipped(s) and not is_named(s.text)]


def woken(strategies: Iterable[Strategy], trust: bool = False) -> tuple[Strategy, ...]:
    """The strategies ready to play; a stranger's code is refused unless `trust` is set."""
    strategies = tuple(strategies)
    if not trust and (found := strangers(strategies)):
        raise Untrusted(found)
    real = {s.digest: awake(s) for s in strategies if s.asleep}
    remember(real.values())
    return tuple(real[s.digest].labelled(s.label) if s.asleep else s for s in strategies)

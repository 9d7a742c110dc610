"""Whose house rules may run: shipped files, and files that the user names or allows in this process.

The same rules hold as for strategies of code (`strategy/trust.py`).
"""

from collections.abc import Iterable

from jamaica_sim.errors import UserError
from jamaica_sim.game.house_file import NAMED, HouseRules, is_shipped
from jamaica_sim.game.rules import Rules


class UntrustedRules(UserError):
    """Nobody has allowed this code to run."""


def allow(rules: Iterable[Rules], trust: bool) -> None:
    """Let the house rules of these rules run from now on, where the user says so."""
    if trust:
        NAMED.update(one.house_rules.text for one in rules if one.house_rules is not None)


def strangers_code(files: Iterable[HouseRules]) -> list[HouseRules]:
    """The files, each once, whose code nobody has allowed to run."""
    different = {file.text: file for file in files}.values()
    return [file for file in different if not (file.text in NAMED or is_shipped(file))]


def check_trust(file: HouseRules) -> None:
    """Refuse a stranger's code."""
    if strangers_code([file]):
        raise UntrustedRules(
            f"the house rules {file.name} are Python code that came along and would run with your rights: read them "
            f"first, then allow them with --trust, or name the file once: jamaica-sim rules check FILE."
        )

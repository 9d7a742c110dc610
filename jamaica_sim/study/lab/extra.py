"""The packages of the extra `lab`, imported when they are needed. A sentence says how to get one that is missing."""

from importlib import import_module
from typing import Any

from jamaica_sim.errors import UserError


class ExtraMissing(UserError):
    """A package of the extra is not installed, in one sentence."""


def need(module: str) -> Any:
    """A module of a package that only the laboratory needs."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        package = module.partition(".")[0]
        raise ExtraMissing(
            f"the package {package} is missing: install what the laboratory needs with pip install optuna SALib."
        ) from error

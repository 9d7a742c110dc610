"""numba and llvmlite, imported on first use, and the versions whose insides we rely on.

Only compiling needs them. A start that finds everything compiled does without them, which saves half of its time. Our
patches, the loader of object code and the way it is called were tested with the versions below. All others are used
plainly: no patches, nothing kept on disk, a slower start, the same results.
"""

import os
import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import llvmlite

from jamaica_sim.files.clean_import import clean_import


class _Late:
    """A module that is imported on first use."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        return getattr(clean_import(self._name), attribute)


numba = _Late("numba")
types = _Late("numba.core.types")
cgutils = _Late("numba.core.cgutils")
arrayobj = _Late("numba.np.arrayobj")
ir = _Late("llvmlite.ir")


# numba -> llvmlite, minor versions. pyproject.toml has the oldest and the newest, and .ci/run tests both.
TESTED = {
    "0.61": "0.44",
    "0.62": "0.45",
    "0.63": "0.46",
    "0.64": "0.46",
    "0.65": "0.47",
    "0.66": "0.48",
    "0.67": "0.49",
    "0.68": "0.50",
}
PLAIN = "JAMAICA_SIM_PLAIN_NUMBA"  # set to 1, it has every version used plainly


def _numba_version() -> str:
    """numba's version, from its file: importing numba would take longer than a warm start may."""
    found = find_spec("numba")
    folder = next(iter(found.submodule_search_locations or [])) if found else ""
    text = Path(folder, "_version.py").read_text(encoding="utf-8")
    version = re.search(r'"version": "([^"]+)"', text)
    return version[1] if version else text  # laid out in another way: all of it, which is no tested version


def _minor(version: str) -> str:
    return ".".join(version.split(".")[:2])


VERSIONS = _numba_version(), llvmlite.__version__
IS_TESTED = os.environ.get(PLAIN, "0") != "1" and TESTED.get(_minor(VERSIONS[0])) == _minor(VERSIONS[1])

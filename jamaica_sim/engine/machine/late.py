"""numba and llvmlite, imported on first use.

Only compiling needs them. A start that finds everything compiled does without them, which saves half of its time.
"""

from typing import Any

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

"""numba and llvmlite, imported when something of them is first used.

Only compiling needs them. A start that finds everything compiled does without, which saves half of its time.
"""

from importlib import import_module


class _Late:
    """A module that is imported when something of it is first used."""

    def __init__(self, name):
        self._name = name

    def __getattr__(self, attribute):
        return getattr(import_module(self._name), attribute)


numba = _Late("numba")
types = _Late("numba.core.types")
cgutils = _Late("numba.core.cgutils")
arrayobj = _Late("numba.np.arrayobj")
ir = _Late("llvmlite.ir")

"""Imports libraries that read settings from the current folder, without those settings.

matplotlib looks there for `matplotlibrc`, numba for `.numba_config.yaml`. A folder that somebody else has filled must
not decide how charts are drawn and how code is compiled, nor stop either with a file that cannot be read.
"""

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

SETTINGS = ("matplotlibrc", ".numba_config.yaml")
_IMPORTING = threading.RLock()  # two threads that load numba at once see half of it


def clean_import(name: str) -> ModuleType:
    """A module by its name. If its library is not loaded yet, it finds no settings in the current folder."""
    with _IMPORTING:
        library = name.partition(".")[0]
        if library not in sys.modules:
            with _away(library):
                import_module(library)
        if library == "numba":  # it reads the file again whenever it compiles
            config = import_module("numba.core.config")
            config._config_fname = os.path.join(os.path.dirname(config.__file__ or ""), ".numba_config.yaml")  # type: ignore[attr-defined]
        return import_module(name)


@contextmanager
def _away(library: str) -> Iterator[None]:
    """Be in the library's own folder for a moment, if there are settings here: other threads' files move along."""
    found = find_spec(library)
    try:
        here = os.getcwd()
    except OSError:  # the current folder was removed: it has no settings
        here = None
    if here is None or found is None or found.origin is None or not any(map(os.path.lexists, SETTINGS)):
        yield
        return
    os.chdir(Path(found.origin).parent)
    try:
        yield
    finally:
        os.chdir(here)

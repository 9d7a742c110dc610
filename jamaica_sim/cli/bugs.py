"""How a bug of ours ends: one sentence that names the file with the trace, and exit code 3."""

import os
import sys
import tempfile
import traceback
from contextlib import suppress
from pathlib import Path

from jamaica_sim.files.user_files import users_folder

VARIABLE = "JAMAICA_SIM_TRACEBACK"
EXIT_CODE = 3


def sentence(error: Exception) -> str:
    """What the user reads of a bug: what it is, and where its trace was written."""
    what = f"{type(error).__name__}: {error}".splitlines()[0].strip().rstrip(":.")
    kept = _kept("".join(traceback.format_exception(error)))
    trace = f"Please report it with the trace in {kept}." if kept else f"{VARIABLE}=1 shows the trace."
    return f"This is a bug in jamaica-sim, not a mistake of yours ({what}). {trace}"


def wants_trace() -> bool:
    """Whether the trace is to be shown: `--traceback` sets the same variable."""
    return os.environ.get(VARIABLE, "") not in ("", "0")


def _kept(trace: str) -> Path | None:
    """The file of the state folder, or of the folder for temporary files, in which the trace is now."""
    users = users_folder("state")
    for folder in ([users / "traces"] if users else []) + [None]:
        with suppress(OSError):
            if folder:
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            return _written(folder, trace)
    return None


def _written(folder: Path | None, trace: str) -> Path:
    handle, name = tempfile.mkstemp(".txt", "jamaica-sim-", folder)
    with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
        file.write(f"{' '.join(sys.argv)}\n\n{trace}")
    return Path(name)

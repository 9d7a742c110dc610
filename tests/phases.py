"""Starts the program so that a test knows which phase it is in: a file appears as soon as a function is called.

A phase is `module:function` (or `module:Class.method`), or `import:module` for the import of a module. A `!` after a
function stands for its last moments: it has done its work and returns a little later. A program that is to be killed
waits there, so that the kill comes at this very moment.
"""

import importlib
import importlib.abc
import os
import subprocess
import sys
import time
from pathlib import Path

from children import start_child

LAST_MOMENTS = 0.4  # seconds: less than the grace that work gets to end in order
SOON = 2.0  # seconds that the program may take to end, as docs/security.md promises
ALLOWANCE = 20.0  # more seconds for busy machines: other tests run at the same time
LONG = 300  # seconds for anything else


def start(*words, phase=None, reached=None, **environment):
    """Start the program with these words; the file `reached` appears when `phase` begins."""
    program = ["-m", "jamaica_sim"] if phase is None else [__file__, phase, reached]
    command = [sys.executable, *program, *words]
    pipes = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen([str(word) for word in command], **pipes, env=os.environ | environment)


def wait_for(path, process):
    """Wait until a file appears; fails if the program ends before."""
    deadline = time.monotonic() + LONG
    while not path.exists():
        if process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.01)
            continue
        process.kill()
        raise AssertionError(f"there is no {path.name}, and the program said: {process.communicate()[1]}")


def end(process, number):
    """Send a signal; returns what the program says and how long it took to end, which must be soon."""
    started = time.monotonic()
    process.send_signal(number)
    try:
        _, said = process.communicate(timeout=LONG)
    except subprocess.TimeoutExpired:
        process.kill()
        raise
    seconds = time.monotonic() - started
    assert seconds < SOON + ALLOWANCE, f"it took {seconds:.1f} seconds to end, and said: {said}"
    assert "Traceback" not in said
    return said, seconds


def kill(*words, phase, reached, save_every=None):
    """Kill the program at the beginning of a phase, or at its end where it has a `!`.

    It runs in a child, which needs no time to import. A kill is the same for a child as for a command in a shell.
    """
    child = start_child(_run, [str(word) for word in words], phase, reached, 2 * LONG, save_every)
    deadline = time.monotonic() + LONG
    while not reached.exists():
        assert child.is_alive() and time.monotonic() < deadline, f"it did not come to {phase}"
        time.sleep(0.01)
    child.kill()
    child.join()
    reached.unlink()


def finish(*words):
    """Let the program come to its end, in this process, which is faster."""
    from click.testing import CliRunner

    from jamaica_sim.cli import main

    result = CliRunner().invoke(main, [str(word) for word in words])
    assert result.exit_code == 0, (result.stderr, result.exception)


class _Watch(importlib.abc.MetaPathFinder):
    def __init__(self, name, reached):
        self._name, self._reached = name, reached

    def find_spec(self, name, path=None, target=None):
        if name == self._name:
            self._reached.touch()
        return None


def _announce(phase, reached, pause=0.0):
    where, _, what = phase.rstrip("!").partition(":")
    if where == "import":
        sys.meta_path.insert(0, _Watch(what, reached))
        return
    owner = importlib.import_module(where)
    *classes, name = what.split(".")
    for inner in classes:
        owner = getattr(owner, inner)
    real = getattr(owner, name)

    def announced(*args, **kwargs):
        if phase.endswith("!"):
            returned = real(*args, **kwargs)
            reached.touch()
            time.sleep(pause or LAST_MOMENTS)
            return returned
        reached.touch()
        time.sleep(pause)
        return real(*args, **kwargs)

    setattr(owner, name, announced)


def _run(words, phase, reached, pause=0.0, save_every=None):
    _announce(phase, reached, pause)
    if save_every is not None:
        importlib.import_module("jamaica_sim.study.saved_folder").SAVE_EVERY = save_every
    from jamaica_sim.cli import main

    main(words, prog_name="jamaica-sim")


if __name__ == "__main__":
    _run(sys.argv[3:], sys.argv[1], Path(sys.argv[2]))

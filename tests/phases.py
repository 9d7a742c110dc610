"""Starts the program so that a test knows which phase it is in: a file appears as soon as a function is called.

A phase is `module:function` (or `module:Class.method`), `import:module` for the import of a module, or one of the first
kind with `!` behind it for the last moments of the function: it has done its work and returns a little later.
"""

import importlib
import importlib.abc
import os
import subprocess
import sys
import time
from pathlib import Path

LAST_MOMENTS = 0.4  # seconds: less than work gets to end in order, so that it does end
SOON = 2.0  # seconds that the program may take to end, as docs/security.md promises
ALLOWANCE = 10.0  # seconds more, for machines that have other things to do: other tests run at the same time
LONG = 120  # seconds for anything else


def start(*words, phase=None, reached=None, **environment):
    """The program with these words; `reached` appears when `phase` begins."""
    program = ["-m", "jamaica_sim"] if phase is None else [__file__, phase, reached]
    command = [sys.executable, *program, *words]
    pipes = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen([str(word) for word in command], **pipes, env=os.environ | environment)


def wait_for(path, process):
    """Wait until a file appears; fails where the program ends before."""
    deadline = time.monotonic() + LONG
    while not path.exists():
        assert process.poll() is None, f"it ended before {path.name}: {process.stderr.read()}"
        assert time.monotonic() < deadline, f"there is no {path.name} after {LONG} seconds"
        time.sleep(0.01)


def end(process, number):
    """Send a signal; what the program says, once it has ended in time."""
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
    return said


def finish(*words, **environment):
    """Let the program do something to the end; what it says."""
    process = start(*words, **environment)
    try:
        _, said = process.communicate(timeout=LONG)
    except subprocess.TimeoutExpired:
        process.kill()
        raise
    assert process.returncode == 0, said
    return said


class _Watch(importlib.abc.MetaPathFinder):
    def __init__(self, name, reached):
        self._name, self._reached = name, reached

    def find_spec(self, name, path=None, target=None):
        if name == self._name:
            self._reached.touch()
        return None


def _announce(phase, reached):
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
            time.sleep(LAST_MOMENTS)
            return returned
        reached.touch()
        return real(*args, **kwargs)

    setattr(owner, name, announced)


if __name__ == "__main__":
    _announce(sys.argv[1], Path(sys.argv[2]))
    from jamaica_sim.cli import main

    main(sys.argv[3:], prog_name="jamaica-sim")

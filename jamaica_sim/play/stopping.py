"""Stopping cleanly: what Ctrl-C, a request to terminate or a closed terminal does while games are prepared or played.

While a command runs, a request is never forgotten: if the current work finishes by itself, the next does not begin.
Work that cannot check for requests, such as compiling, runs in a thread of its own, which is abandoned if it does not
end soon enough.
"""

import atexit
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import TypeVar

T = TypeVar("T")
SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
GRACE = 1.0  # seconds that work gets to end after a request to stop
GLANCE = 0.05  # seconds between two checks whether to stop
ECHO = 0.5  # seconds in which another signal is the same request: a terminal that closes sends several
LAST = 1.7  # seconds after which the program ends even if its KeyboardInterrupt was lost on the way
FLUSH = 0.2  # seconds to flush the output, whose reader may have stopped reading
_active: threading.Event | None = None  # of the outermost `stop_on_signals`
_program: threading.Event | None = None  # of the command that runs, never cleared
_asked = float("-inf")  # when the last request came
_children: set[subprocess.Popen[bytes]] = set()  # processes that end with this one
_abandoned: list[threading.Thread] = []  # threads that may still run compiled code at the end


def _request(number: int, frame: FrameType | None) -> None:
    """Handle a signal. The first one sets the event inside `stop_on_signals` and interrupts elsewhere; a second one
    always interrupts.
    """
    global _asked
    stop = _active or _program
    if stop is None:  # the signal came while a context was ending
        raise KeyboardInterrupt
    is_first, is_echo = not stop.is_set(), time.monotonic() - _asked < ECHO
    stop.set()
    if not is_first and is_echo:
        return
    _asked = time.monotonic()
    _register_end()
    if _active is None and _program is not None:
        with suppress(RuntimeError):  # the interpreter is ending already
            threading.Thread(target=_end_if_lost, daemon=True).start()
    if _active is None or not is_first:
        raise KeyboardInterrupt


def _end_if_lost() -> None:
    """End the program some time after a KeyboardInterrupt, in case a callback has swallowed it."""
    time.sleep(LAST)
    if _program is not None and _active is None:
        _end_now()


@contextmanager
def _handlers(kinds: tuple[object, ...] | None) -> Iterator[None]:
    """Let `_request` handle each signal whose present handler is in `kinds`; with None, each that is not ignored."""
    previous = {}
    try:
        for number in SIGNALS:
            handler = signal.getsignal(number)
            if handler not in (None, signal.SIG_IGN, _request) and (kinds is None or handler in kinds):  # as with nohup
                previous[number] = signal.signal(number, _request)
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


@contextmanager
def stop_on_signals() -> Iterator[threading.Event]:
    """An event that is set by Ctrl-C, a request to terminate or a closed terminal; a second one interrupts as usual.

    Inside another such context it is the same event, so that nothing new begins after a request. In a command of the
    program it is the command's event, which stays set.
    """
    global _active
    if _active is not None or threading.current_thread() is not threading.main_thread():
        yield _active or threading.Event()
        return
    stop = _program or threading.Event()
    try:
        _active = stop
        with _handlers(None):
            yield stop
    finally:
        _active = None


@contextmanager
def interrupt_on_signals() -> Iterator[None]:
    """Around a command: a request to terminate and a closed terminal interrupt like Ctrl-C, and are not forgotten."""
    global _program
    if _program is not None or threading.current_thread() is not threading.main_thread():
        yield
        return
    try:
        _program = threading.Event()
        with _handlers((signal.SIG_DFL, signal.default_int_handler)):
            yield
    finally:
        _program = None


def interruptible(work: Callable[[], T], when_stopped: bool = False) -> T:
    """Do some work in a thread and return its result. If it is to stop and does not, raise KeyboardInterrupt.

    The program then ends without the thread, see `leave_behind`. With `when_stopped` the work begins even after a
    request to stop: it is part of the end. If no outer context would notice the request, KeyboardInterrupt is raised
    even if the work has finished meanwhile.
    """
    if threading.current_thread() is not threading.main_thread():
        return work()
    is_outermost = _active is None
    returned: list[T] = []
    raised: list[BaseException] = []

    def do() -> None:
        try:
            returned.append(work())
        except BaseException as error:
            raised.append(error)

    with stop_on_signals() as stop:
        if stop.is_set() and not when_stopped:
            raise KeyboardInterrupt
        thread = threading.Thread(target=do, daemon=True)
        thread.start()
        asked = None
        try:
            while thread.is_alive():
                thread.join(GLANCE)
                if stop.is_set():
                    asked = asked or time.monotonic()
                    if time.monotonic() - asked > GRACE:
                        break
        finally:
            if thread.is_alive():
                leave_behind([thread])
        is_lost = is_outermost and stop.is_set() and not when_stopped
    if raised:
        raise raised[0]
    if is_lost or not returned:
        raise KeyboardInterrupt
    return returned[0]


@contextmanager
def ending_with_us(process: subprocess.Popen[bytes]) -> Iterator[subprocess.Popen[bytes]]:
    """Within this context, kill a child process if this one ends without waiting for its threads."""
    _children.add(process)
    try:
        yield process
    finally:
        _children.discard(process)


def leave_behind(threads: Iterable[threading.Thread]) -> None:
    """Abandon threads. If one still runs at the end, exit at once: an ordinary end would free its compiled code."""
    _abandoned.extend(threads)
    _register_end()


def _register_end() -> None:
    # Run before Python joins the threads of pools, if it offers that; otherwise after.
    register = getattr(threading, "_register_atexit", atexit.register)
    with suppress(RuntimeError):  # the interpreter is ending already
        register(_end_in_time)


def _end_in_time() -> None:
    """At exit: do not wait for threads, nor for a reader that has stopped reading the output."""
    exec("")  # otherwise Python, interrupted within an `exec`, would end as if nobody had caught that
    # Check all abandoned threads: one that has ended may have abandoned others since.
    if not _has_said_all() or any(thread.is_alive() for thread in list(_abandoned)):
        _end_now()


def _end_now() -> None:
    for process in list(_children):
        with suppress(OSError, subprocess.TimeoutExpired):
            process.kill()
            process.wait(1)
    _has_said_all()
    os._exit(1)


def _has_said_all() -> bool:
    """Whether all output is flushed; a reader that takes nothing is waited for only FLUSH seconds."""
    last_words = threading.Thread(target=_flush, daemon=True)
    try:
        last_words.start()
    except RuntimeError:  # an interpreter that is ending starts no more threads
        return False
    last_words.join(FLUSH)
    return not last_words.is_alive()


def _flush() -> None:
    for stream in (sys.stderr, sys.stdout):
        with suppress(AttributeError, OSError, ValueError):  # the stream is closed, or its reader is gone
            stream.flush()

"""Stopping in order: what Ctrl-C, a request to terminate or a closed terminal does while games are prepared or played.

Work that cannot look at the time, such as compiling, is done in a thread of its own, which is left behind when it does
not end soon enough.
"""

import atexit
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager, suppress

SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
GRACE = 1.0  # seconds that work gets to end in order once it should
GLANCE = 0.05  # seconds between two looks at whether to stop
_active: threading.Event | None = None
_is_interrupted = False  # a signal came outside of `stop_on_signals`: its exception may have been lost on the way
_children = set()  # processes that end with this one


@contextmanager
def stop_on_signals():
    """An event that is set by Ctrl-C, a request to terminate or a closed terminal; a second one interrupts as usual.

    Inside another such context it is the same event, so that nothing is begun between two of them.
    """
    global _active
    if _active is not None or threading.current_thread() is not threading.main_thread():
        yield _active or threading.Event()
        return
    stop = threading.Event()
    if _is_interrupted:
        stop.set()

    def request(number, frame):
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()

    previous = {}
    for number in SIGNALS:
        if signal.getsignal(number) not in (None, signal.SIG_IGN):  # as with nohup
            previous[number] = signal.signal(number, request)
    _active = stop
    try:
        yield stop
    finally:
        _active = None
        for number, handler in previous.items():
            signal.signal(number, handler)


@contextmanager
def interrupt_on_signals():
    """Have a request to terminate and a closed terminal interrupt like Ctrl-C, so that what is open is tidied up."""
    global _is_interrupted
    _is_interrupted, previous = False, {}

    def interrupt(number, frame):
        global _is_interrupted
        _is_interrupted = True
        raise KeyboardInterrupt

    if threading.current_thread() is threading.main_thread():
        for number in SIGNALS:
            if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
                previous[number] = signal.signal(number, interrupt)
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


def interruptible(work, when_stopped: bool = False):
    """Do some work, and return what it returns; left behind with a KeyboardInterrupt where it should stop and does not.

    The program then ends without it, see `leave_behind`. Work that is for the end is begun `when_stopped`, too.
    """
    if threading.current_thread() is not threading.main_thread():
        return work()
    outcome = {}

    def do():
        try:
            outcome["returned"] = work()
        except BaseException as error:
            outcome["raised"] = error

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
                atexit.register(leave_behind, [thread])
    if "raised" in outcome:
        raise outcome["raised"]
    if "returned" not in outcome:
        raise KeyboardInterrupt
    return outcome["returned"]


@contextmanager
def ending_with_us(process):
    """A process that ends when this one ends without waiting for its threads."""
    _children.add(process)
    try:
        yield process
    finally:
        _children.discard(process)


def leave_behind(threads):
    """End the program at once if some thread still runs compiled code, which an ordinary end would free."""
    if any(thread.is_alive() for thread in threads):
        for process in list(_children):
            with suppress(OSError, subprocess.TimeoutExpired):
                process.kill()
                process.wait(1)
        for stream in (sys.stdout, sys.stderr):
            with suppress(AttributeError, OSError, ValueError):  # closed, or nobody takes what is written
                stream.flush()
        os._exit(1)

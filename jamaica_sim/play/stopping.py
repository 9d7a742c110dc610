"""Stopping in order: what Ctrl-C, a request to terminate or a closed terminal does while games are played."""

import signal
import threading
from contextlib import contextmanager


@contextmanager
def stop_on_signals():
    """An event that is set by Ctrl-C or a request to terminate; a second Ctrl-C interrupts as usual."""
    stop = threading.Event()

    def request(number, frame):
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()

    previous = {}
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGINT, signal.SIGTERM):
            if signal.getsignal(number) not in (None, signal.SIG_IGN):
                previous[number] = signal.signal(number, request)
    try:
        yield stop
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)

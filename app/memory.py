"""Large computations, undisturbed by Python's collector of garbage."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_lock = threading.Lock()
_found_on: list[bool] = []  # of each computation under way, whether the collector was on when it began


@contextmanager
def uncollected() -> Iterator[None]:
    """Let nothing be collected while the results of a large study are made.

    They are made of hundreds of thousands of values that point to each other in no circle and are all in use to the
    end. The collector looks only for circles: it goes through the values again and again, for a quarter of the time,
    and finds none. All else is freed as ever. Where several compute at once it starts again after the last.
    """
    with _lock:
        _found_on.append(gc.isenabled())
        gc.disable()
    try:
        yield
    finally:
        with _lock:
            if len(_found_on) == 1 and _found_on[0]:
                gc.enable()
            _found_on.pop()  # the last: only the first can have found it on

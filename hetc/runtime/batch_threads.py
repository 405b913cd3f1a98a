"""Threads that run the batches of a call, kept for the next call: to start them takes as long as some batches.

A call has its threads to itself, since batches wait for those before them. What few calls need at a time is kept.
"""

from __future__ import annotations

import concurrent.futures
import os
import threading
from collections.abc import Generator
from contextlib import contextmanager

KEPT = 2
"""So many sets of threads wait for calls to come, of each number of threads."""

Threads = concurrent.futures.ThreadPoolExecutor

_idle: dict[int, list[Threads]] = {}
_lock = threading.Lock()


@contextmanager
def batch_threads(number: int) -> Generator[Threads]:
    """Threads for one call, which has to wait for all that it has submitted to them."""
    with _lock:
        waiting = _idle.setdefault(number, [])
        threads = waiting.pop() if waiting else Threads(number, thread_name_prefix="hetc-batch")
    try:
        yield threads
    finally:
        with _lock:
            waiting = _idle.setdefault(number, [])
            keeps = len(waiting) < KEPT
            if keeps:
                waiting.append(threads)
        if not keeps:
            threads.shutdown()


if hasattr(os, "register_at_fork"):  # a forked process has none of them
    os.register_at_fork(after_in_child=_idle.clear)

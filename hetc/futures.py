"""Calls whose results are asked for later."""

from __future__ import annotations

import concurrent.futures
import contextvars
import os
from collections.abc import Callable, Generator
from typing import Any

from hetc.callers import Caller, caller, run_for

THREADS = 1
"""So many calls are under way at once; the others wait their turn, as they do on a device's queue."""


class Future(concurrent.futures.Future[Any]):
    """The result of a call that was submitted, as soon as it is there.

    It is a `concurrent.futures.Future`: `result(timeout)`, `done()`, `exception()`, `cancel()` while it waits,
    `concurrent.futures.wait`; and it can be awaited.
    """

    def __await__(self) -> Generator[Any, None, Any]:
        """Let other tasks run until the result is there."""
        import asyncio  # whoever awaits has imported it; for others it would be a tenth of starting

        return asyncio.wrap_future(self).__await__()


def submit(call: Callable[[], object]) -> Future:
    """Call a function in another thread, with this one's settings."""
    future, context, who = Future(), contextvars.copy_context(), caller()
    _threads().submit(_run, future, context, who, call)
    return future


def _run(future: Future, context: contextvars.Context, who: Caller | None, call: Callable[[], object]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        result = context.run(run_for, who, call)
    except BaseException as error:  # noqa: BLE001 (whoever asks for the result gets it)
        future.set_exception(error)
    else:
        future.set_result(result)


_pool: concurrent.futures.ThreadPoolExecutor | None = None


def _threads() -> concurrent.futures.ThreadPoolExecutor:
    """The thread in which calls run; Python waits for it at its end."""
    global _pool
    if _pool is None:
        _pool = concurrent.futures.ThreadPoolExecutor(THREADS, thread_name_prefix="hetc")
    return _pool


def _forget_threads() -> None:
    global _pool
    _pool = None


# A process that was forked has none of its parent's threads.
os.register_at_fork(after_in_child=_forget_threads)

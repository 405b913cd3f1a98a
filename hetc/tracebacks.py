"""What a traceback shows of a call of hetc: the line that calls, and the user's own functions, not what is between.

After JAX's filtering of tracebacks (`jax_traceback_filtering`). With `debug=True` everything is shown.
"""

from __future__ import annotations

from types import TracebackType

from hetc.errors import CompileError, HetcError
from hetc.settings import current


def hide_own_frames(error: Exception) -> None:
    """Take hetc's own frames out of the traceback of an exception, but for the first, which is the one that handles it.

    An exception that began in hetc, and that hetc did not mean to raise, keeps them all: it is a fault to be reported.
    It is meant to be raised if it says so itself, or where the local variable `__tracebackhide__` is true, as in
    pytest: there Python is given the user's arguments.
    """
    first = error.__traceback__
    if first is None or current().debug:
        return
    frames: list[TracebackType] = []
    step = first.tb_next
    while step is not None:
        frames.append(step)
        step = step.tb_next
    if not frames or (_is_own(frames[-1]) and not _is_message(error) and not _is_hidden(frames)):
        return
    first.tb_next = None
    for kept in reversed([frame for frame in frames if not _is_own(frame)]):
        kept.tb_next, first.tb_next = first.tb_next, kept


def _is_own(step: TracebackType) -> bool:
    return step.tb_frame.f_globals.get("__name__", "").partition(".")[0] == "hetc"


def _is_hidden(steps: list[TracebackType]) -> bool:
    """Whether the last frame is marked; before Python 3.12 a comprehension has a frame of its own, in that one."""
    frames = (step.tb_frame for step in reversed(steps))
    frame = next((frame for frame in frames if not frame.f_code.co_name.startswith("<")), None)
    return frame is not None and bool(frame.f_locals.get("__tracebackhide__", False))


def _is_message(error: Exception) -> bool:
    """Whether an exception is one of hetc's that says itself what is wrong, or Python's about an argument."""
    return isinstance(error, HetcError) and not (isinstance(error, CompileError) and error.category is error.usual)

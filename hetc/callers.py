"""Where in the user's code hetc was called, for warnings and for what is recorded of a call."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import field
from types import FrameType
from typing import Any, TypeVar

from hetc.dataclass import dataclass
from hetc.errors import SourceLocation

Result = TypeVar("Result")


@dataclass(frozen=True)
class Caller:
    """A line of the user's that calls hetc: its place, its module, and what was told of it already."""

    place: SourceLocation
    module: str = "<string>"
    registry: dict[Any, Any] = field(default_factory=dict[Any, Any])

    def warn(self, message: str, category: type[Warning]) -> None:
        """Warn of the line, as `warnings.warn` does of the line that calls it."""
        warnings.warn_explicit(message, category, self.place.filename, self.place.line, self.module, self.registry)


def asking_frame(further: int = 0) -> FrameType:
    """The frame that has called the function that calls this, or one so much further out.

    A function that ends with its own frame in a variable would keep all that the frames around it hold, such as the
    user's arrays, until the garbage collector comes by.
    """
    frame: Any = inspect.currentframe()
    for _ in range(2 + further):
        frame = frame.f_back
    return frame


_for_whom: ContextVar[Caller | None] = ContextVar("hetc_for_whom", default=None)


def caller() -> Caller | None:
    """Who called hetc: the innermost frame that is not hetc's own; in another thread, who had it run (`run_for`).

    NumPy's own are none of the user's, either: it passes operators and functions of portable arrays on.
    """
    frame = inspect.currentframe()
    while frame is not None and frame.f_globals.get("__name__", "").split(".")[0] in ("hetc", "numpy"):
        if frame.f_code is run_for.__code__:
            return _for_whom.get()
        frame = frame.f_back
    return None if frame is None else _caller_in(frame)


def calling_place() -> SourceLocation | None:
    """Where hetc was called."""
    who = caller()
    return None if who is None else who.place


def run_for(for_whom: Caller | None, call: Callable[[], Result]) -> Result:
    """What a call gives; what is told of it is told of the line that asked for it."""
    token = _for_whom.set(for_whom)
    try:
        return call()
    finally:
        _for_whom.reset(token)


def _caller_in(frame: FrameType) -> Caller:
    registry = frame.f_globals.setdefault("__warningregistry__", {})
    return Caller(_place_in(frame), frame.f_globals.get("__name__") or "<string>", registry)


def _place_in(frame: FrameType) -> SourceLocation:
    """The expression that a frame is evaluating."""
    found = inspect.getframeinfo(frame, context=0).positions
    if found is None or found.lineno is None:
        return SourceLocation(frame.f_code.co_filename, frame.f_lineno)
    end = found.end_col_offset if found.end_lineno == found.lineno else None
    return SourceLocation(frame.f_code.co_filename, found.lineno, found.col_offset or 0, end)

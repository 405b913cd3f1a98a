"""What a forked child leaves to its parent: all that was made of a device with memory of its own.

An NVIDIA driver knows nothing of forks. When the child drops an object of its, a buffer or a queue, the driver gives it
back on the device, where it is the parent's: the parent's commands fail from then on, and the child dies when it ends.
So a child drops nothing of what there was when it was forked. (To end without Python's clearing up, as the children of
`multiprocessing` do, avoids that for those that drop nothing before.)
"""

from __future__ import annotations

import ctypes
import functools
import gc
import os
from typing import Any, cast

_OWN = ("hetc.", "pyopencl.")
"""Modules whose objects hold what is a device's."""


@functools.cache
def watch() -> None:
    """From now on, children that are forked leave this process's objects alone."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=keep_all)


def keep_all() -> None:
    """Let no object that may hold something of a device's ever go."""
    kinds: dict[type[Any], bool] = {}
    for found in gc.get_objects():
        kind = cast("type[Any]", type(found))
        keeps = kinds.get(kind)
        if keeps is None:
            keeps = kinds[kind] = f"{kind.__module__}.".startswith(_OWN)
        if keeps or (kind is _CACHE and f"{found.__module__}.".startswith(_OWN)):
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(found))


_CACHE: type = type(functools.cache(keep_all))
"""Functions that remember what they have made, programs among that."""

"""pyopencl as hetc uses it: every module of the runtime imports it from here.

pyopencl keeps what it compiles and generates in the user's cache folder, and cannot make a single kernel where that
folder cannot be written to (a container with a read-only home, say), unless PYOPENCL_NO_CACHE says so when it is first
imported. So hetc looks first. Raises ImportError where pyopencl is not installed.
"""

from __future__ import annotations

import os

from platformdirs import user_cache_path


def has_cache_folder() -> bool:
    """Whether the user's cache folder is there, or can be made, and can be written to."""
    folder = user_cache_path()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK | os.X_OK)


if not has_cache_folder():
    os.environ.setdefault("PYOPENCL_NO_CACHE", "1")

import pyopencl as cl  # noqa: E402 - after the environment is as it needs it

__all__ = ["cl"]

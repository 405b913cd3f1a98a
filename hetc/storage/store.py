"""Packages, and plans of host code, by the keys of their calls, where the settings say that they are stored.

What reads and writes files is imported when the first one is looked for, which no call in Python does.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from hetc import settings
from hetc.settings import Settings

if TYPE_CHECKING:
    from hetc.storage.files import Folder
    from hetc.storage.packages import Stored, T


def folder_of(current: Settings) -> Folder:
    """Where packages are stored under these settings."""
    from hetc.storage.files import Folder, default_folder

    return Folder(default_folder() if current.cache_dir is None else current.cache_dir, current.cache_size)


def may_find() -> bool:
    """Whether anything was stored when this process looked first; what it stores itself, it has."""
    current = settings.current()
    return current.cache and _is_used(current)


@functools.lru_cache(maxsize=64)
def _is_used(current: Settings) -> bool:
    # By settings, since to find out where the folder is takes longer than NumPy needs for an array.
    return bool(folder_of(current).entries())


def load(key: str, kind: type[T], current: Settings) -> T | None:
    """What is stored for calls with this key, a package or a plan."""
    from hetc.storage.packages import unpack

    folder = folder_of(current)
    text = folder.read(key)
    if text is None:
        return None
    try:
        return unpack(text, kind)
    except ValueError:
        folder.remove(key)
        return None


def save(key: str, stored: Stored, current: Settings) -> bool:
    """Store a package or plan; False if it cannot be."""
    from hetc.storage.packages import pack

    try:
        text = pack(stored)
    except TypeError:
        return False
    return folder_of(current).write(key, text)


def forget(key: str, current: Settings) -> None:
    """A stored package is of no use."""
    folder_of(current).remove(key)

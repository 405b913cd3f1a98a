"""Packages, and plans of host code, by the keys of their calls, where the settings say that they are stored."""

from __future__ import annotations

from hetc.settings import Settings
from hetc.storage.files import Folder, default_folder
from hetc.storage.packages import Stored, T, pack, unpack


def folder_of(settings: Settings) -> Folder:
    """Where packages are stored under these settings."""
    return Folder(default_folder() if settings.cache_dir is None else settings.cache_dir, settings.cache_size)


def load(key: str, kind: type[T], settings: Settings) -> T | None:
    """What is stored for calls with this key, a package or a plan."""
    folder = folder_of(settings)
    text = folder.read(key)
    if text is None:
        return None
    try:
        return unpack(text, kind)
    except ValueError:
        folder.remove(key)
        return None


def save(key: str, stored: Stored, settings: Settings) -> bool:
    """Store a package or plan; False if it cannot be."""
    try:
        text = pack(stored)
    except TypeError:
        return False
    return folder_of(settings).write(key, text)


def forget(key: str, settings: Settings) -> None:
    """A stored package is of no use."""
    folder_of(settings).remove(key)

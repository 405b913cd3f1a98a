"""Packages by the keys of their calls, as the settings have it: where they are stored, of what size, or not at all."""

from __future__ import annotations

from hetc.abi import Package
from hetc.settings import Settings
from hetc.storage.files import Folder, default_folder
from hetc.storage.packages import pack, unpack


def folder_of(settings: Settings) -> Folder:
    """Where packages are stored under these settings."""
    return Folder(default_folder() if settings.cache_dir is None else settings.cache_dir, settings.cache_size)


def load(key: str, settings: Settings) -> Package | None:
    """The package that is stored for calls with this key."""
    folder = folder_of(settings)
    text = folder.read(key)
    if text is None:
        return None
    try:
        return unpack(text)
    except ValueError:
        folder.remove(key)
        return None


def save(key: str, package: Package, settings: Settings) -> bool:
    """Store a package; False if it cannot be."""
    try:
        text = pack(package)
    except TypeError:
        return False
    return folder_of(settings).write(key, text)


def forget(key: str, settings: Settings) -> None:
    """A stored package is of no use."""
    folder_of(settings).remove(key)

"""The folder of stored packages: one file each, whole or not there, and no more of them than fit a size.

A file begins with the digest of the rest; one that does not fit it is removed. It is written under another name and
then renamed, so that no process sees half of it. The time of its last change is that of its last use. What goes wrong
(a home without room, or that cannot be written to) means that nothing is found, and nothing else.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from platformdirs import user_cache_path

from hetc.dataclass import dataclass

_log = logging.getLogger("hetc.storage")

FORMAT = b"hetc-package 1 "
SUFFIX = ".json"
_LEFT_OVER = ".part"
_ROOM = 0.9
"""What is left after the oldest have gone, as a share of the size that is allowed."""


def default_folder() -> Path:
    """Where packages are stored if the user names no folder."""
    return user_cache_path("hetc", appauthor=False)


@dataclass(frozen=True)
class Entry:
    """One stored package: its file, its size in bytes, and when it was used last, in seconds since 1970."""

    path: Path
    size: int
    used: float


@dataclass(frozen=True)
class Folder:
    """Stored packages, of at most `limit` bytes together."""

    path: Path
    limit: int

    def read(self, key: str) -> str | None:
        """What was stored under a key; None if there is nothing, or it is damaged."""
        path = self._path(key)
        try:
            data = path.read_bytes()
        except OSError:
            return None
        found = _checked(data)
        if found is None:
            _log.debug("a damaged entry is removed: %s", path)
            self.remove(key)
            return None
        with contextlib.suppress(OSError):
            os.utime(path)
        return found

    def write(self, key: str, text: str) -> bool:
        """Store something under a key, and let go of what was used least recently. False if that does not work."""
        data = text.encode()
        if len(data) > self.limit:
            return False
        try:
            self.path.mkdir(parents=True, exist_ok=True, mode=0o700)
            handle, name = tempfile.mkstemp(suffix=_LEFT_OVER, dir=self.path)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(FORMAT + hashlib.sha256(data).hexdigest().encode() + b"\n" + data)
                os.replace(name, self._path(key))  # noqa: PTH105 (the name is a string)
            except BaseException:
                with contextlib.suppress(OSError):
                    os.unlink(name)  # noqa: PTH108
                raise
        except OSError as error:
            _log.debug("nothing is stored in %s: %s", self.path, error)
            return False
        self._trim()
        return True

    def remove(self, key: str) -> None:
        """Forget what is stored under a key."""
        with contextlib.suppress(OSError):
            self._path(key).unlink(missing_ok=True)

    def entries(self) -> list[Entry]:
        """All that is stored."""
        return [entry for entry in self._files() if entry.path.suffix == SUFFIX]

    def clear(self) -> int:
        """Remove all that is stored, and what processes that died have left. The number of packages."""
        found = list(self._files())
        for entry in found:
            with contextlib.suppress(OSError):
                entry.path.unlink(missing_ok=True)
        return sum(entry.path.suffix == SUFFIX for entry in found)

    def _path(self, key: str) -> Path:
        return self.path / f"{key}{SUFFIX}"

    def _files(self) -> Iterator[Entry]:
        """The files of this folder that are hetc's."""
        try:
            found = list(os.scandir(self.path))
        except OSError:
            return
        for item in found:
            if item.name.endswith((SUFFIX, _LEFT_OVER)):
                with contextlib.suppress(OSError):  # another process may have removed it
                    status = item.stat()
                    yield Entry(Path(item.path), status.st_size, status.st_mtime)

    def _trim(self) -> None:
        files = sorted(self._files(), key=lambda entry: entry.used)
        total = sum(entry.size for entry in files)
        if total <= self.limit:
            return
        for entry in files:
            if total <= _ROOM * self.limit:
                break
            with contextlib.suppress(OSError):
                entry.path.unlink(missing_ok=True)
            total -= entry.size


def _checked(data: bytes) -> str | None:
    """The text of an entry, if it is whole."""
    head, separator, body = data.partition(b"\n")
    if not separator or head != FORMAT + hashlib.sha256(body).hexdigest().encode():
        return None
    try:
        return body.decode()
    except UnicodeDecodeError:
        return None

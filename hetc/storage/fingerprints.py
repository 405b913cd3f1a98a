"""Values as digests that say the same in every process.

Only what is listed here has one: plain values, code, dtypes, hetc's own records. Anything else (an object of the
user's, whose `repr` may be anything) raises `UnstableError`, and is then not looked for on disk. That is safe where a
digest that leaves something out is not.
"""

from __future__ import annotations

import dataclasses
import hashlib
import sys
from collections.abc import Iterable, Mapping
from enum import Enum
from types import CodeType
from typing import Any, cast

import numpy as np

_OWN = "hetc."
_NAMED = ("builtins", "numpy")
"""Modules whose classes are known by their names, beside hetc's own."""

_CODE = (
    "co_name", "co_qualname", "co_filename", "co_firstlineno", "co_flags", "co_argcount", "co_posonlyargcount",
    "co_kwonlyargcount", "co_code", "co_names", "co_varnames", "co_freevars", "co_cellvars", "co_linetable",
    "co_exceptiontable", "co_consts",
)  # fmt: skip


class UnstableError(Exception):
    """A value has no digest that would say the same in the next process."""


class Fingerprint:
    """A SHA-256 digest of values, one after the other.

    >>> one, other = Fingerprint(), Fingerprint()
    >>> one.add((1, "a")), other.add((1.0, "a"))
    (None, None)
    >>> one.text == other.text, len(one.text)
    (False, 64)
    """

    def __init__(self) -> None:
        self._hash = hashlib.sha256()

    @property
    def text(self) -> str:
        """The digest of all that was added, in hexadecimal."""
        return self._hash.hexdigest()

    def add(self, value: object) -> None:
        """Add a value with its type. Raises UnstableError."""
        match value:
            case None | bool() | int() | float() | complex() | str() if type(value).__module__ == "builtins":
                self._write(type(value).__name__, repr(value).encode(errors="surrogatepass"))
            case bytes():
                self._write("bytes", value)
            case tuple() if type(cast("object", value)) is tuple:
                self._add_all("tuple", cast("Iterable[object]", value))
            case list() if type(cast("object", value)) is list:
                self._add_all("list", cast("Iterable[object]", value))
            case frozenset():
                self._add_all("set", sorted(map(digest_of, cast("Iterable[object]", value))))
            case Mapping():
                self._add_all("map", cast("Mapping[object, object]", value).items())
            case CodeType():
                self._add_all("code", (getattr(value, name) for name in _CODE))
            case np.dtype():
                self._add_dtype(cast("np.dtype[Any]", value))
            case np.generic():
                self._add_all("number", (value.dtype, value.tobytes()))
            case type():
                self._add_class(value)
            case _:
                self._add_own(value)

    def _write(self, kind: str, data: bytes) -> None:
        self._hash.update(f"{kind} {len(data)} ".encode())
        self._hash.update(data)

    def _add_all(self, kind: str, values: Iterable[object]) -> None:
        values = list(values)
        self._write(kind, str(len(values)).encode())
        for value in values:
            self.add(value)

    def _add_dtype(self, dtype: np.dtype[Any]) -> None:
        if dtype.hasobject or dtype.metadata:
            raise UnstableError(f"the dtype {dtype}")
        own = [(name, *cast("Any", dtype.fields)[name][:2]) for name in dtype.names or ()]
        base = () if dtype.subdtype is None else dtype.subdtype
        self._add_all("dtype", (dtype.str, dtype.itemsize, dtype.alignment, dtype.isalignedstruct, own, base))

    def _add_class(self, cls: type) -> None:
        module, name = cls.__module__, cls.__qualname__
        named = module in _NAMED or module.startswith(_OWN)
        if not named or getattr(sys.modules.get(module), name, None) is not cls:
            raise UnstableError(f"the class {name}")
        self._add_all("class", (module, name))

    def _add_own(self, value: object) -> None:
        """A record of hetc's, by the fields that it is compared by, or a member of one of its enumerations."""
        cls = type(value)
        if not cls.__module__.startswith(_OWN):
            raise UnstableError(f"an object of type {cls.__qualname__}")
        self._add_class(cls)
        if isinstance(value, Enum):
            self.add(value.name)
        elif dataclasses.is_dataclass(value) and cls.__eq__ is not object.__eq__:
            self._add_all("fields", (getattr(value, f.name) for f in dataclasses.fields(value) if f.compare))
        else:
            raise UnstableError(f"an object of type {cls.__qualname__}")


def digest_of(value: object) -> str:
    """The digest of one value. Raises UnstableError."""
    found = Fingerprint()
    found.add(value)
    return found.text

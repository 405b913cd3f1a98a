"""Packages as text, and back: JSON in which each record names its class.

Only the records of `hetc.abi` are read, whatever the text says, so that a file from elsewhere makes nothing but data.

>>> from hetc.abi import Constant, Package
>>> package = Package("", (), (Constant(0, 5),), 1)
>>> unpack(pack(package)) == package
True
"""

from __future__ import annotations

import dataclasses
import json
from enum import Enum
from typing import Any, cast

from hetc import abi
from hetc.abi import elements, plans
from hetc.errors import SourceLocation

_RECORDS: dict[str, type] = {
    cls.__name__: cls
    for cls in (*vars(plans).values(), *vars(elements).values(), SourceLocation)
    if isinstance(cls, type) and dataclasses.is_dataclass(cls)
}
_ENUMERATIONS: dict[str, type[Enum]] = {"Container": abi.Container}


def pack(package: abi.Package) -> str:
    """A package as text. Raises TypeError for one that holds anything else than the records of `hetc.abi`."""
    return json.dumps(_plain(package), separators=(",", ":"))


def unpack(text: str) -> abi.Package:
    """The package that was written. Raises ValueError for what is none."""
    try:
        found = _value(json.loads(text))
    except (ValueError, KeyError, TypeError, IndexError, RecursionError) as error:
        raise ValueError(f"not a package: {error!r}") from error
    if not isinstance(found, abi.Package):
        raise ValueError("not a package")
    return found


def _plain(value: object) -> object:
    """A value of what JSON has: a list is a tuple or, with a name first, a record."""
    match value:
        case None | bool() | int() | float() | str() if type(value).__module__ == "builtins":
            return value
        case tuple():
            return ["", *map(_plain, cast("tuple[object, ...]", value))]
        case Enum() if _ENUMERATIONS.get(type(value).__name__) is type(value):
            return [type(value).__name__, value.name]
        case _ if _RECORDS.get(type(value).__name__) is type(value):
            fields = dataclasses.fields(cast("Any", value))
            return [type(value).__name__, *(_plain(getattr(value, field.name)) for field in fields)]
        case _:
            raise TypeError(f"{type(value).__name__} is no part of a package")


def _value(plain: Any) -> Any:
    if not isinstance(plain, list):
        return plain
    name, *parts = cast("list[Any]", plain)
    if name == "":
        return tuple(map(_value, parts))
    if name in _ENUMERATIONS:
        return _ENUMERATIONS[name][parts[0]]
    record = _RECORDS[name]
    if len(parts) != len(dataclasses.fields(record)):
        raise ValueError(f"{name} with {len(parts)} fields")
    return record(*map(_value, parts))

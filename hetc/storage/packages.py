"""Packages and host plans as text, and back: JSON in which each record names its class.

Only the records of `hetc.abi` are read, whatever the text says, so that a file from elsewhere makes nothing but data.

>>> from hetc.abi import Constant, Package
>>> package = Package("", (), (Constant(0, 5),), 1)
>>> unpack(pack(package), Package) == package
True
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from enum import Enum
from typing import Any, TypeVar, cast

from hetc import abi
from hetc.abi import elements, host_plans, plans, tuning
from hetc.errors import SourceLocation

Stored = abi.Package | abi.HostPlan | abi.Tuned
T = TypeVar("T", bound=Stored)

_RECORDS: dict[str, type] = {
    cls.__name__: cls
    for cls in (
        *vars(plans).values(),
        *vars(elements).values(),
        *vars(host_plans).values(),
        *vars(tuning).values(),
        SourceLocation,
    )
    if isinstance(cls, type) and dataclasses.is_dataclass(cls)
}
_ENUMERATIONS: dict[str, type[Enum]] = {"Container": abi.Container}
_MAPPING = "{}"


def pack(stored: Stored) -> str:
    """A package or plan as text. Raises TypeError for one that holds anything else than the records of `hetc.abi`."""
    return json.dumps(_plain(stored), separators=(",", ":"))


def unpack(text: str, kind: type[T]) -> T:
    """What was written, of that kind. Raises ValueError for what is none."""
    try:
        found = _value(json.loads(text))
    except (ValueError, KeyError, TypeError, IndexError, RecursionError) as error:
        raise ValueError(f"not a {kind.__name__}: {error!r}") from error
    if not isinstance(found, kind):
        raise ValueError(f"not a {kind.__name__}")
    return found


def _plain(value: object) -> object:
    """A value of what JSON has: a list is a tuple or, with a name first, a record."""
    match value:
        case None | bool() | int() | float() | str() if type(value).__module__ == "builtins":
            return value
        case tuple():
            return ["", *map(_plain, cast("tuple[object, ...]", value))]
        case Mapping():
            return [_MAPPING, *map(_plain, cast("Mapping[object, object]", value).items())]
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
    if name == _MAPPING:
        return dict(map(_value, parts))
    if name in _ENUMERATIONS:
        return _ENUMERATIONS[name][parts[0]]
    record = _RECORDS[name]
    if len(parts) != len(dataclasses.fields(record)):
        raise ValueError(f"{name} with {len(parts)} fields")
    return record(*map(_value, parts))

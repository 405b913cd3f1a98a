"""What a call of an array function comes to in CPython, and whether two outcomes are the same.

This is an oracle of its own: it shares no code with what hetc runs in Python.
"""

from __future__ import annotations

import types
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import hetc
from tests import oracle

PROGRAM = "program_"
"""How the names of programs and of their modules begin."""


@dataclass(frozen=True)
class Outcome:
    """A value, or an exception and the place that raised it: file, function, line.

    `spacing` tells of an expected value how far apart the floats are at each of its numbers.
    """

    value: Any = None
    spacing: Any = None
    error: BaseException | None = None
    place: tuple[str, str, int] = ("", "", 0)


def outcome(call: Callable[[], Any]) -> Outcome:
    """Call, and tell what came of it. What hetc itself raises passes through."""
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = call()
            return Outcome(list(found) if isinstance(found, hetc.Array) else found)
    except hetc.HetcError:
        raise
    except Exception as error:  # noqa: BLE001 (whatever the program raises is compared)
        return Outcome(error=error, place=_last_place(error.__traceback__))


def _last_place(traceback: types.TracebackType | None) -> tuple[str, str, int]:
    assert traceback is not None
    while traceback.tb_next is not None:
        traceback = traceback.tb_next
    return traceback.tb_frame.f_code.co_filename, traceback.tb_frame.f_code.co_name, traceback.tb_lineno


# --------------------------------------------------------------------------------------------------------------------
# Sameness
# --------------------------------------------------------------------------------------------------------------------


def difference(found: Outcome, expected: Outcome, *, ulp: int = 0) -> str | None:
    """How two outcomes differ, in a sentence that starts with what differs, or None."""
    if type(found.error) is not type(expected.error):
        return f"exception: {_tell(found)} instead of {_tell(expected)}"
    if expected.error is None:
        return difference_of_values(found.value, expected.value, ulp=ulp, spacing=expected.spacing)
    if str(found.error) != str(expected.error):
        return f"message: {found.error} instead of {expected.error}"
    if expected.place[0] != oracle.__file__ and found.place != expected.place:
        return f"place: raised in {found.place} instead of {expected.place}"
    return None


def _tell(one: Outcome) -> str:
    return f"{type(one.error).__name__}({one.error})" if one.error is not None else repr(one.value)[:200]


def difference_of_values(found: Any, expected: Any, *, ulp: int = 0, spacing: Any = None) -> str | None:
    """How two values differ: types all the way down, signed zeros, everything but which NaN.

    Floats may be `ulp` times their spacing apart; unless it is given, it is that of their type.
    """
    if isinstance(expected, np.ndarray) and expected.size == 0:  # of no elements, Python has no type
        leaves = found if isinstance(found, tuple) else (found,)
        return None if all(np.size(leaf) == 0 for leaf in leaves) else f"size: {found!r} instead of nothing"
    if _is_object(expected) and _is_object(found) and type(found).__qualname__ == type(expected).__qualname__:
        return difference_of_values(_fields(found), _fields(expected), ulp=ulp)
    if type(found) is not type(expected):
        return f"type: {type(found).__name__} {found!r:.200} instead of {type(expected).__name__} {expected!r:.200}"
    if isinstance(expected, list | tuple):
        if len(found) != len(expected):
            return f"length: {len(found)} instead of {len(expected)}"
        spacings = [None] * len(expected) if spacing is None else spacing
        parts = zip(found, expected, spacings, strict=True)
        return next((d for f, e, s in parts if (d := difference_of_values(f, e, ulp=ulp, spacing=s))), None)
    if isinstance(expected, np.ndarray):
        return _difference_of_arrays(found, expected, ulp, spacing)
    if isinstance(expected, float | complex | np.generic):
        return _difference_of_arrays(np.asarray(found), np.asarray(expected), ulp, spacing)
    if type(expected).__eq__ is object.__eq__ and expected is not None:  # functions, iterators: equal to itself alone
        return None
    return None if found == expected else f"value: {found!r:.200} instead of {expected!r:.200}"


def difference_of_identities(found: Any, ours: list[Any], expected: Any, theirs: list[Any]) -> str | None:
    """How results differ in which of the inputs' objects they are, or None."""
    places, known = _places(found, ours), _places(expected, theirs)
    return None if places == known else f"identity: of {found!r:.200}: {places} instead of {known}"


def _places(value: Any, inputs: list[Any]) -> list[tuple[int, int] | None]:
    """Where in the inputs each object of a result stands first."""
    first: dict[int, tuple[int, int]] = {}
    for number, one in enumerate(inputs):
        for place, element in enumerate(one if isinstance(one, list | tuple) else ()):
            first.setdefault(id(element), (number, place))
    found: list[tuple[int, int] | None] = []
    work = [value]
    while work:
        one = work.pop()
        if _is_object(one):
            found.append(first.get(id(one)))
        elif type(one) in (list, tuple):
            work += one
    return found


def _is_object(value: Any) -> bool:
    """Whether a value is an object of a class of a program. Each side has its own class."""
    return type(value).__module__.startswith(PROGRAM)


def _fields(value: Any) -> list[Any]:
    """The attributes of an object, or what a NamedTuple holds: names and values, in order of the names."""
    slots = [name for cls in type(value).__mro__ for name in getattr(cls, "__slots__", ()) if hasattr(value, name)]
    named = dict(zip(getattr(value, "_fields", ()), value, strict=True)) if isinstance(value, tuple) else {}
    return sorted((named | {name: getattr(value, name) for name in slots} | getattr(value, "__dict__", {})).items())


def _difference_of_arrays(found: Any, expected: Any, ulp: int, spacing: Any) -> str | None:
    if (found.dtype, found.shape) != (expected.dtype, expected.shape):
        return f"type: {found.dtype}{found.shape} instead of {expected.dtype}{expected.shape}"
    if expected.dtype == object:
        spacings = None if spacing is None else np.asarray(spacing).tolist()
        return difference_of_values(found.tolist(), expected.tolist(), ulp=ulp, spacing=spacings)
    if expected.dtype.kind == "c":
        real, imag = (None, None) if spacing is None else (np.real(spacing), np.imag(spacing))
        return _difference_of_arrays(found.real, expected.real, ulp, real) or _difference_of_arrays(
            found.imag, expected.imag, ulp, imag
        )
    if expected.dtype.kind != "f":
        same = found == expected
    else:
        same = (found == expected) & (np.signbit(found) == np.signbit(expected)) | (
            np.isnan(found) & np.isnan(expected)
        )
        if ulp:
            with np.errstate(all="ignore"):
                apart = np.spacing(np.abs(expected)) if spacing is None else spacing
                same |= np.abs(found - expected) <= ulp * apart
    wrong = np.flatnonzero(~same)
    if not wrong.size:
        return None
    first = wrong[0]
    return f"value: {found.flat[first]!r} instead of {expected.flat[first]!r}, at {first}, {wrong.size} of {same.size}"

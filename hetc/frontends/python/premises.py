"""What the meaning of a composition's names rests on, to be looked at again at later calls.

A `Resolution` follows from what names were bound to. As long as each of them still is, nothing needs to be resolved
again: a test of identity a name, instead of a walk through the code. Captured variables may get other values of the
same type, which are looked up anew. An array is never kept alive: only where its name is looked up is known.
"""

from __future__ import annotations

import builtins
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from hetc.arrays.numbers import NumberArray

ABSENT = object()
"""What an unbound name is bound to."""

_PLAIN = (int, float, bool, complex, type(None), np.ndarray, NumberArray)
"""Types of captured variables whose values do not change what is resolved."""
_IMMUTABLE = (int, float, bool, complex, str, type(None))

Place = CellType | dict[str, object]
"""Where a name is looked up: a cell, or the names of a module."""


class Premises:
    """The functions of a composition, and what their names were bound to; `holds` is False for what has no short check.

    `captured` are the names of captured variables, where they are looked up, and of what type their values are.
    """

    def __init__(self) -> None:
        self.holds = True
        self.functions: list[tuple[FunctionType, CodeType, object]] = []
        self.cells: list[tuple[CellType, object]] = []
        self.names: list[tuple[dict[str, object], str, object]] = []
        self.captured: dict[str, tuple[Place, str, type]] = {}

    def kept(self) -> Premises | None:
        """These, if they are all that the resolution rests on."""
        return self if self.holds else None

    def reject(self) -> None:
        """The composition has something that is to be resolved at every call."""
        self.holds = False

    def add_function(self, function: FunctionType) -> None:
        """A function is called: its code and the default values of its parameters matter."""
        defaults = function.__defaults__
        if function.__kwdefaults__ or not all(type(value) in _IMMUTABLE for value in defaults or ()):
            self.reject()
        self.functions.append((function, function.__code__, defaults))

    def add_name(self, place: Place, name: str, value: object) -> None:
        """A name was bound to a value, or to nothing (`ABSENT`), and it matters to which."""
        if isinstance(place, CellType):
            self.cells.append((place, value))
        else:
            self.names.append((place, name, value))

    def add_captured(self, name: str, place: Place, key: str, value: object) -> None:
        """The captured variable `name` was looked up here."""
        known = self.captured.get(name)
        if known is not None and (known[0] is not place or known[1] != key):  # one variable, as long as they are equal
            self.reject()
        kind = type(value)
        if kind not in _PLAIN and not (isinstance(value, np.generic) and not isinstance(value, np.void)):
            self.reject()
        self.captured[name] = place, key, kind

    def same_as(self, other: Premises) -> bool:
        """Whether these are the same, thing by thing."""
        return _identities(self) == _identities(other)

    def captures(self) -> dict[str, object] | None:
        """The captured variables as they are now; None if what was resolved may not be so any more."""
        for function, code, defaults in self.functions:
            if function.__code__ is not code or function.__defaults__ is not defaults or function.__kwdefaults__:
                return None
        for names, name, value in self.names:
            if names.get(name, ABSENT) is not value:
                return None
        try:
            for cell, value in self.cells:
                if cell.cell_contents is not value:
                    return None
            found: dict[str, object] = {}
            for name, (place, key, kind) in self.captured.items():
                value: Any = place.cell_contents if isinstance(place, CellType) else place[key]
                if type(value) is not kind or (kind is np.ndarray and value.dtype.names):
                    return None
                found[name] = value
        except (KeyError, ValueError):
            return None
        return found


def _identities(premises: Premises) -> list[object]:
    rows = (*premises.functions, *premises.cells, *premises.names)
    captured = [(name, id(place), key, kind) for name, (place, key, kind) in premises.captured.items()]
    return [[tuple(map(id, row)) for row in rows], captured]


class Lookup:
    """Following a name, and attributes of modules, to a value: what was found last, and where."""

    def __init__(self, premises: Premises, function: FunctionType, name: str) -> None:
        self.premises = premises
        code = function.__code__
        if name in code.co_freevars:
            self.place: Place = (function.__closure__ or ())[code.co_freevars.index(name)]
            try:
                self.found, self.value = True, self.place.cell_contents
            except ValueError:
                self.found, self.value = False, None
                premises.reject()
        elif name in function.__globals__:
            self.place, self.found, self.value = function.__globals__, True, function.__globals__[name]
        else:
            premises.add_name(function.__globals__, name, ABSENT)
            self.place = builtins.__dict__
            self.found, self.value = hasattr(builtins, name), getattr(builtins, name, None)
        self.name = name

    def step(self, attribute: str) -> bool:
        """Go on to an attribute of the module that was found; False if it has none of that name."""
        module = self.value
        assert isinstance(module, ModuleType)
        if not hasattr(module, attribute):
            self.premises.add_name(vars(module), attribute, ABSENT)
            return False
        self.settle()
        self.place, self.name, self.value = vars(module), attribute, getattr(module, attribute)
        if type(module) is not ModuleType or vars(module).get(attribute, ABSENT) is not self.value:
            self.premises.reject()  # the module makes it up
        return True

    def settle(self) -> None:
        """It matters which value was found."""
        self.premises.add_name(self.place, self.name, self.value if self.found else ABSENT)

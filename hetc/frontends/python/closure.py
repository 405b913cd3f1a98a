"""What the names in a function mean at this call: captured variables, other functions, known functions.

Closures and globals may change between calls, so this runs at every call, on the code object alone: no source is read
and no IR is made. The result has a `key` (everything that selects a compiled kernel) and the captured values (which are
passed to it).
"""

from __future__ import annotations

import builtins
import dis
import functools
import inspect
import re
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field as dataclass_field
from types import CodeType, FunctionType, ModuleType
from typing import Any

from hetc.analysis.naming import ascii_name
from hetc.dataclass import dataclass
from hetc.diagnostics import Category
from hetc.errors import SourceLocation, UnsupportedError
from hetc.extensions import is_intrinsic
from hetc.frontends.python.classes import ClassFacts
from hetc.frontends.python.known import known_name
from hetc.frontends.python.premises import Lookup, Premises
from hetc.loops import HostCode
from hetc.numbering import Numbering
from hetc.records import FieldPath, Records, is_records

Chain = tuple[str, ...]
"""A name and the attributes read from it in the code: `("np", "sqrt")`."""


@dataclass(frozen=True)
class Capture:
    """A captured variable whose value is passed to the kernel; `name` is unique in the module."""

    name: str


@dataclass(frozen=True)
class Known:
    """A function that hetc knows by name."""

    name: str


class ResolvedFunction:
    """A Python function and the meaning of the names in it; `symbol` is its name in the module.

    `program` knows the classes that its objects are of; `initializes` says that it is an `__init__`, which gives the
    object that it has filled.
    """

    initializes = False

    # No dataclass: to a type checker, a function that is a field of a class is a method of it.
    def __init__(self, function: FunctionType, symbol: str) -> None:
        self.function = function
        self.symbol = symbol
        self.bindings: dict[Chain, Binding] = {}
        self.methods: list[ResolvedFunction] = []
        """The functions that are called through the objects of the program."""
        self.program: Program | None = None


@dataclass(frozen=True)
class ClassUse:
    """A class that is called, asked for in `isinstance`, or passed to a class method."""

    cls: type


@dataclass(frozen=True)
class BoundMethod:
    """A class method, as it is found in a class."""

    function: ResolvedFunction
    cls: type


@dataclass(frozen=True)
class References:
    """A list of objects as places in the table of their class, which are negative for None.

    `whole` says that they are all objects of the table, in order.
    """

    places: Capture
    cls: type
    has_none: bool
    whole: bool


@dataclass(eq=False)
class ObjectTable:
    """The objects of a class, and what is captured of their fields once that is read.

    If they are `copied` each use of them in Python gives a copy, so that nobody can ask which object it is.
    """

    cls: type
    numbering: Numbering = dataclass_field(default_factory=Numbering)
    columns: dict[str, Capture | References] = dataclass_field(default_factory=dict[str, Capture | References])
    count: int = 0
    """How many references there are to its objects."""
    copied: bool = False
    has_none: bool = False
    """Whether None stands among the references."""

    @property
    def objects(self) -> list[Any]:
        """The distinct objects."""
        return self.numbering.objects

    @property
    def is_shared(self) -> bool:
        """Whether an object stands in several places."""
        return self.count > len(self.objects)


class CapturedObject:
    """A captured object, or list of objects (`each`), as bindings of the fields that are read.

    With `copied`, each use of the objects in Python gives a copy. `refusal` says why it is not compiled.
    """

    def __init__(self, value: object, *, each: bool, copied: bool = False) -> None:
        self.value = value
        self.each = each
        self.copied = copied
        self.parts: dict[str, Binding] = {}
        self.classes: list[CapturedObject] = []
        """The lists of the objects of each class, if they are of several, or None is among them; then without parts."""
        self.tags: Capture | None = None
        """Of which class each object is then."""
        self.has_none = False
        self.references: References | None = None
        """The objects as references into a table, which then has what is captured of their fields."""
        self.refusal: UnsupportedError | None = None


@dataclass(frozen=True)
class CapturedRecords:
    """A captured structured array, as bindings of its fields."""

    parts: dict[str, Capture | CapturedRecords]

    @property
    def names(self) -> frozenset[str]:
        """The captured variables that its numbers are."""
        parts = (part.names if isinstance(part, CapturedRecords) else {part.name} for part in self.parts.values())
        return frozenset[str]().union(*parts)


class Program(ABC):
    """What the frontend asks of the classes of a program; see `hetc.frontends.python.objects`."""

    @abstractmethod
    def symbol(self, cls: type) -> str:
        """The name of a class in the module."""

    @abstractmethod
    def constructor(self, cls: type) -> tuple[str, inspect.Signature]:
        """The function that makes an object, and its parameters. Raises UnsupportedError if it is not compiled."""

    @abstractmethod
    def method_signature(self, name: str) -> inspect.Signature | None:
        """The parameters of the methods of a name, without the object; None if no class has one.

        Raises UnsupportedError if classes have different ones.
        """

    @abstractmethod
    def known_classes(self) -> Sequence[ClassFacts]:
        """All classes of the program."""

    @abstractmethod
    def captured_objects(self) -> Sequence[object]:
        """The objects that the functions capture, and those in their fields."""

    @abstractmethod
    def tables_of_objects(self) -> Sequence[ObjectTable]:
        """The tables of objects that references are places in."""

    @abstractmethod
    def paths_of_fields(self) -> Sequence[tuple[str, FieldPath]]:
        """The captured variables that are attributes of captured objects, and which."""

    @abstractmethod
    def groups_of_fields(self) -> Mapping[str, str]:
        """The captured arrays that are fields of objects, each with the name of its objects."""

    @abstractmethod
    def member_symbol(self, facts: ClassFacts, name: str) -> str | UnsupportedError:
        """The function or captured variable that a member of a class means, or why it is not compiled."""

    @abstractmethod
    def initializer_symbol(self, cls: type, name: str) -> str:
        """The function that `__init__` or `__post_init__` of a class means.

        Raises UnsupportedError if it is not compiled.
        """

    @abstractmethod
    def factory_symbol(self, function: FunctionType) -> str:
        """The function that makes the default value of a field. Raises UnsupportedError if it is not compiled."""

    @abstractmethod
    def refuse(self, cls: type, name: str, reason: str) -> None:
        """A field of some object of a class is not compiled, for that reason."""

    @abstractmethod
    def is_made(self, cls: type) -> bool:
        """Whether objects of the class may be made."""

    @abstractmethod
    def initializer(self, function: FunctionType) -> tuple[str, inspect.Signature] | None:
        """The `__init__` that `super().__init__` means in a method, and its parameters, without the object."""

    @abstractmethod
    def super_method(self, function: FunctionType, name: str) -> tuple[str, inspect.Signature]:
        """The method that `super().name` means in a method, and its parameters, without the object.

        Raises UnsupportedError if it is not compiled.
        """


Binding = Capture | Known | ResolvedFunction | ClassUse | BoundMethod | CapturedObject | CapturedRecords


@dataclass(frozen=True)
class Resolution:
    """The functions of a composition, resolved for one call."""

    functions: tuple[ResolvedFunction | Known, ...]
    captures: dict[str, object]
    key: Hashable
    program: Program | None = None
    """What is known of the classes of the program, if it has objects."""
    index_arrays: tuple[str, ...] = ()
    """The captured variables that are the arrays of indices of skeletons, in order."""
    premises: Premises | None = None
    """What all this rests on; None where that cannot be told in short."""

    def with_captures(self, captures: dict[str, object]) -> Resolution:
        """The same with other values of the captured variables."""
        other = object.__new__(Resolution)  # at every call: `replace` would take as long as all the rest
        other.__dict__.update(self.__dict__, captures=captures)
        return other


def reachable(roots: Iterable[ResolvedFunction | Known]) -> list[ResolvedFunction]:
    """All functions that are called, callers before callees."""
    found: dict[str, ResolvedFunction] = {}
    stack = [root for root in reversed(list(roots)) if isinstance(root, ResolvedFunction)]
    while stack:
        function = stack.pop()
        if function.symbol not in found:
            found[function.symbol] = function
            callees = [b for b in function.bindings.values() if isinstance(b, ResolvedFunction)]
            callees += [b.function for b in function.bindings.values() if isinstance(b, BoundMethod)]
            callees += function.methods
            stack.extend(reversed(callees))
    return list(found.values())


def uses_numpy(roots: Iterable[ResolvedFunction | Known]) -> bool:
    """Whether any of the functions is NumPy's, or calls one that is."""
    roots = list(roots)
    bindings = [binding for function in reachable(roots) for binding in function.bindings.values()]
    return any(isinstance(found, Known) and found.name.startswith("np.") for found in (*roots, *bindings))


def resolve(functions: Sequence[object]) -> Resolution:
    """Resolve the functions of a composition and all that they call, for programs without objects.

    Raises UnsupportedError for what cannot be compiled: a callable without Python code, or recursion.
    """
    resolver = Resolver()
    roots = tuple(resolver.root(function) for function in functions)
    return Resolution(roots, resolver.captures, tuple(resolver.key), premises=resolver.premises.kept())


class Resolver:
    """Resolves functions, and the names in them; what objects mean is added in `hetc.frontends.python.objects`.

    With `merges`, an array that has several names is one captured variable.
    """

    def __init__(self, *, merges: bool = False) -> None:
        self.merges = merges
        self.captures: dict[str, object] = {}
        self.premises = Premises()
        self.key: list[Hashable] = []
        self.symbols: set[str] = set()
        self.done: dict[int, ResolvedFunction] = {}
        self.active: list[FunctionType] = []
        self.seen_records: dict[int, CapturedRecords] = {}

    def root(self, function: object) -> ResolvedFunction | Known:
        name = known_name(function)
        if name is not None:
            if is_intrinsic(name):
                self.premises.reject()
            self.key.append(name)
            return Known(name)
        if not isinstance(function, FunctionType):
            raise UnsupportedError(
                f"{_called(function)} has no Python source to compile",
                hint="pass a function or lambda written in Python",
                category=Category.SOURCE,
            )
        return self.function(function)

    def function(self, function: FunctionType) -> ResolvedFunction:
        if function in self.active:
            code = function.__code__
            raise UnsupportedError(
                f"{function.__name__}() calls itself, and a device has no call stack",
                location=SourceLocation(code.co_filename, code.co_firstlineno),
                hint="write the recursion as a loop",
                category=Category.RECURSION,
            )
        if id(function) in self.done:
            self.key.append(self.done[id(function)].symbol)
            return self.done[id(function)]
        resolved = ResolvedFunction(function, self._symbol(function.__name__))
        self.premises.add_function(function)
        # Code objects of two files may be equal; errors and locations name the file.
        self.key += [function.__code__, function.__code__.co_filename, _defaults_key(function)]
        self.active.append(function)
        for chain in captured_chains(function.__code__):
            binding = self._bind(function, chain)
            if binding is not None:
                resolved.bindings[binding[0]] = binding[1]
        self.active.pop()
        self.done[id(function)] = resolved
        return resolved

    def _bind(self, function: FunctionType, chain: Chain) -> tuple[Chain, Binding] | None:
        """Follow the chain through modules to a value; the attributes that are left belong to the value."""
        lookup, used = Lookup(self.premises, function, chain[0]), 1
        while isinstance(lookup.value, ModuleType) and used < len(chain) and lookup.step(chain[used]):
            used += 1
        found = self._bind_value(chain, used, lookup) if lookup.found else None
        if found is None:
            self.key.append(None)
        if found is None or not isinstance(found[1], Capture):
            lookup.settle()
        return found

    def _bind_value(self, chain: Chain, used: int, lookup: Lookup) -> tuple[Chain, Binding] | None:
        """What the value means that a chain has led to; the attributes that are left belong to it."""
        value = lookup.value
        if isinstance(value, ModuleType):
            return None
        if isinstance(value, HostCode):  # whose function stays the same
            value = value.function
        name = known_name(value)
        if name is not None:
            if is_intrinsic(name):  # another object may claim the name
                self.premises.reject()
            self.key.append(name)
            return chain[:used], Known(name)
        if isinstance(value, FunctionType):
            return chain[:used], self.function(value)
        if is_records(value):
            self.premises.reject()
            return chain[:used], self.records("_".join(chain[:used]), value)
        other = self.object_binding(chain, used, value)
        if other is not None or (isinstance(value, type) and not _is_own_exception(value)):
            self.premises.reject()
        if other is not None:
            return other
        if callable(value):  # the call of it, if there is one, says so with its place
            return None
        capture = Capture(self.capture("_".join(chain[:used]), value))
        self.key.append(capture.name)
        self.premises.add_captured(capture.name, lookup.place, lookup.name, value)
        return chain[:used], capture

    def object_binding(self, chain: Chain, used: int, value: object) -> tuple[Chain, Binding] | None:
        """What a class or object means; None for anything else."""
        del chain, used, value
        return None

    def records(self, name: str, array: Records) -> CapturedRecords:
        """The fields of a structured array as captured variables. An array has one binding, whatever its names."""
        if id(array) not in self.seen_records:
            self.seen_records[id(array)] = self._records(name, array)
        self.key.append(("records", name, array.dtype))
        return self.seen_records[id(array)]

    def _records(self, name: str, array: Records) -> CapturedRecords:
        parts: dict[str, Capture | CapturedRecords] = {}
        for field in array.dtype.names or ():
            part, whole = array[field], f"{name}_{field}"
            nested = part.dtype.names is not None
            parts[field] = self._records(whole, part) if nested else Capture(self.capture(whole, part))
        return CapturedRecords(parts)

    def capture(self, name: str, value: object) -> str:
        """A name for this value: two functions may capture different variables of the same name."""
        name = candidate = ascii_name(name)
        count = 0
        if self.merges:
            same = (known for known, other in self.captures.items() if other is value and hasattr(value, "__array__"))
            candidate = next(same, candidate)
        while candidate in self.captures and self.captures[candidate] is not value:
            count += 1
            candidate = f"{name}_{count}"
        self.captures[candidate] = value
        return candidate

    def _symbol(self, name: str) -> str:
        base = ascii_name(re.sub(r"\W", "", name)) or "function"
        candidate, count = base, 0
        while candidate in self.symbols:
            count += 1
            candidate = f"{base}_{count}"
        self.symbols.add(candidate)
        return candidate


def _defaults_key(function: FunctionType) -> Hashable:
    keywords = function.__kwdefaults__ or {}
    values: tuple[object, ...] = (*(function.__defaults__ or ()), *keywords.items())
    return tuple((type(value), repr(value)) for value in values)


def _called(value: object) -> str:
    """How a message names a callable, whose `repr` may be anything."""
    name = getattr(value, "__name__", None)
    return name if isinstance(name, str) else f"an object of type {type(value).__name__}"


@functools.lru_cache(maxsize=1024)
def captured_chains(code: CodeType) -> tuple[Chain, ...]:
    """The free names that a code object reads, each with the attributes read from it, in order of appearance.

    >>> def f(x):
    ...     return dis.opname[x] if x else functools.partial
    >>> captured_chains(f.__code__)
    (('dis', 'opname'), ('functools', 'partial'))
    """
    return tuple(dict.fromkeys(_chains(code, frozenset(code.co_freevars))))


def _chains(code: CodeType, free: frozenset[str]) -> Iterator[Chain]:
    """The chains of a code object and of those nested in it; `free` are the variables of the cells around them all."""
    chain: list[str] = []
    for instruction in _reading_instructions(code):
        if instruction.opname in ("LOAD_ATTR", "LOAD_METHOD") and chain:
            chain.append(instruction.argval)
            continue
        if chain:
            yield tuple(chain)
        chain = []
        if _reads(instruction, free):
            chain = [instruction.argval]
    for nested in code.co_consts:
        if isinstance(nested, CodeType):
            yield from _chains(nested, (free - set(code.co_cellvars)).intersection(nested.co_freevars))


def _reading_instructions(code: CodeType) -> Iterator[dis.Instruction]:
    """The instructions of a code object, but for the `__class__` that `super()` reads.

    Since Python 3.12 that is an instruction of its own, and no use of the class in the program.
    """
    found = [instruction for instruction in dis.get_instructions(code) if instruction.opname != "EXTENDED_ARG"]
    for place, instruction in enumerate(found):
        after = found[place + 2].opname if place + 2 < len(found) else ""
        if instruction.argval != "__class__" or not after.startswith("LOAD_SUPER_"):
            yield instruction


def _reads(instruction: dis.Instruction, free: frozenset[str]) -> bool:
    """Whether an instruction reads a free name."""
    return instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME") or (
        instruction.opname in ("LOAD_DEREF", "LOAD_CLASSDEREF") and instruction.argval in free
    )


def _is_own_exception(kind: type) -> bool:
    """Whether a class is an exception of Python's own, of which nothing changes but what its name is bound to."""
    return issubclass(kind, BaseException) and vars(builtins).get(kind.__name__) is kind

"""Programs with objects: which classes there are, and what their names mean.

Classes are found from objects (of the inputs, of captured variables, of fields of those) and from the names of classes
in functions. Their methods may read further attributes, so this goes on until nothing new is found.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Hashable, Sequence
from types import FunctionType
from typing import Any, cast

from hetc.abi import CLASSES, class_tag
from hetc.arrays.objects import ObjectArray
from hetc.dataclass import dataclass
from hetc.enumerations import kind_of, member_named
from hetc.errors import UnsupportedError
from hetc.frontends.python.calls import signature_of
from hetc.frontends.python.captured_objects import CapturingResolver
from hetc.frontends.python.classes import (
    ClassFacts,
    assigned_attributes,
    attribute_names,
    check_class,
    has_factory,
    is_class,
    is_generated,
    is_named_tuple,
    is_object,
    sample_objects,
    static_lookup,
)
from hetc.frontends.python.closure import (
    Binding,
    BoundMethod,
    Capture,
    CapturedObject,
    Chain,
    ClassUse,
    Program,
    Resolution,
    ResolvedFunction,
    reachable,
)


def resolve_program(
    functions: Sequence[object], inputs: Sequence[object] = (), *, stores: bool = False, every_object: bool = False
) -> Resolution:
    """Resolve the functions of a composition and all that they call, for inputs that may be lists of objects.

    `stores` says that it is a loop, which may store to what it captures, `every_object` that classes are looked for
    among all objects, not only the first ones. Raises UnsupportedError for what cannot be compiled: a callable without
    Python code, recursion, or objects of a class whose attributes are read by code of its own.
    """
    resolver = ObjectResolver(stores=stores)
    roots = tuple(resolver.root(function) for function in functions)
    for value in inputs:
        for sample in sample_objects(value, every=every_object):
            resolver.add_sample(sample)
    resolver.complete([root for root in roots if isinstance(root, ResolvedFunction)])
    premises = None if resolver.classes else resolver.premises.kept()
    program = resolver if resolver.classes else None
    return Resolution(roots, resolver.captures, tuple(resolver.key), program, premises=premises)


class ObjectResolver(CapturingResolver, Program):
    """Resolves functions, and classes with what is in them."""

    def __init__(self, *, stores: bool = False) -> None:
        super().__init__(stores=stores)
        self.functions: dict[tuple[type, str], ResolvedFunction | UnsupportedError] = {}
        """The functions of the members of classes."""
        self.initializers: dict[type, ResolvedFunction | UnsupportedError] = {}
        self.factories: dict[FunctionType, ResolvedFunction | UnsupportedError] = {}
        """The functions that make default values."""
        self.made: dict[type, str] = {}
        """Classes that are called, with the names of the functions that make their objects."""
        self.constants: dict[tuple[type, str], str] = {}

    # ---------------------------------------------------------------------------------------------------------------
    # Finding classes
    # ---------------------------------------------------------------------------------------------------------------

    def facts(self, cls: type) -> ClassFacts:
        """What is known of a class."""
        found = self.classes.get(cls)
        if found is None:
            check_class(cls)
            found = self.classes[cls] = ClassFacts(cls, self._class_symbol(cls))
        return found

    def _class_symbol(self, cls: type) -> str:
        """A name for a class: another tag than that of any other class goes with it."""
        tags = {class_tag(facts.symbol) for facts in self.classes.values()}
        if len(tags) == CLASSES:
            raise UnsupportedError(f"the program has more than {CLASSES} classes")
        symbol = self._symbol(cls.__name__)
        while class_tag(symbol) in tags:
            symbol = self._symbol(cls.__name__)
        return symbol

    def add_sample(self, sample: object) -> None:
        """An object of the program, or a number."""
        if is_object(sample):
            self.facts(type(sample)).samples.append(sample)

    def object_binding(self, chain: Chain, used: int, value: object) -> tuple[Chain, Binding] | None:
        """What a class or object means, with the attributes that belong to it."""
        if isinstance(value, type) and is_class(value):
            return self._class_binding(chain, used, value)
        copied = isinstance(value, ObjectArray)
        if isinstance(value, ObjectArray):
            value = value.items
        samples = (value,) if is_object(value) else sample_objects(value)
        if not samples:
            return None
        found = self.captured.get(id(value))
        if found is None:
            found = self.captured[id(value)] = CapturedObject(value, each=not is_object(value), copied=copied)
            self.names[id(value)] = "_".join(chain[:used])
            try:
                for sample in samples:
                    self.add_sample(sample)
            except UnsupportedError as error:
                found.refusal = error
        self.key.append(("object", type(samples[0])))
        return chain[:used], found

    def _class_binding(self, chain: Chain, used: int, cls: type) -> tuple[Chain, Binding] | None:
        """A class, or something that is read from it."""
        self.key.append(cls)
        try:
            self.facts(cls)
        except UnsupportedError:
            return None
        if used == len(chain):
            self._make(cls)
            return chain, ClassUse(cls)
        one = member_named(cls, chain[used])
        if one is not None:
            return self.object_binding(chain, used + 1, one)
        _, value = static_lookup(cls, chain[used])
        match value:
            case staticmethod() | FunctionType():
                function = value.__func__ if isinstance(value, staticmethod) else value
                if isinstance(function, FunctionType):
                    return chain[: used + 1], self.function(function)
            case classmethod() if isinstance(function := cast("Any", value).__func__, FunctionType):
                self._make(cls)
                return chain[: used + 1], BoundMethod(self.function(function), cls)
            case _ if value is not None and not hasattr(type(value), "__get__"):
                capture = Capture(self.capture("_".join(chain[: used + 1]), value))
                self.key.append(capture.name)
                return chain[: used + 1], capture
            case _:
                pass
        self.key.append(None)
        return None

    def _make(self, cls: type) -> None:
        """A class that may be called: its `__init__`, and those of its bases, are part of the program."""
        if cls not in self.made:
            self.made[cls] = self._symbol(f"new_{cls.__name__}")

    # ---------------------------------------------------------------------------------------------------------------
    # Until nothing new is found
    # ---------------------------------------------------------------------------------------------------------------

    def complete(self, roots: Sequence[ResolvedFunction]) -> None:
        """Find out what the attributes mean that the functions read."""
        if not self.classes or not roots:
            return
        methods = roots[0].methods
        while True:
            found = reachable(roots)
            codes = [f.function.__code__ for f in found]
            names = frozenset[str]().union(*map(attribute_names, codes))
            if self.assigned is not None:
                self.assigned = self.assigned.union(*map(assigned_attributes, codes))
            if "__class__" in names or any(("type",) in f.bindings for f in found):  # any class may be called
                for cls in list(self.classes):
                    self._make(cls)
            new = [facts.look_at(self._all_read(facts, names)) for facts in list(self.classes.values())]
            count = self._count(methods)
            for facts in list(self.classes.values()):
                self._resolve_members(facts, methods)
                self._find_nested(facts)
            for cls in list(self.made):
                self._resolve_initializers(cls, methods)
                self._resolve_defaults(constructor_signature(cls), methods)
            for function in reachable(roots):
                self._resolve_defaults(signature_of(function.function), methods)
                self._resolve_supers(function.function, methods)
            if not any(new) and count == self._count(methods):
                break
        self._find_identified(reachable(roots))
        self.fill_captured()
        for facts in self.classes.values():
            self.key.append(self._key_of(facts))
        for function in reachable(roots):
            function.program = self

    def _find_identified(self, functions: Sequence[ResolvedFunction]) -> None:
        """Find out of which classes the objects are told apart: also if nothing else of them is read.

        New objects that a loop assigns to an attribute have no identity that the device could know.
        """
        if not self.classes:
            return
        from hetc.frontends.python.identity_use import asks_identity

        asks = asks_identity(functions, self.classes.values())
        for facts in self.classes.values():
            is_told_apart = facts.enumeration is None and facts.cls not in self.assigned_classes
            facts.identified = is_told_apart and (asks or (self.assigned is None and not facts.fields))

    def _count(self, methods: Sequence[ResolvedFunction]) -> int:
        """How much has been found."""
        return len(methods) + len(self.classes) + len(self.made) + len(self.assigned_classes)

    def _all_read(self, facts: ClassFacts, names: frozenset[str]) -> frozenset[str]:
        """The names that are read, with the fields that an operator made by `dataclass` compares.

        Of objects that may be assigned as a whole they are all: new ones have all of them.
        """
        own = facts.own_fields() if facts.cls in self.assigned_classes else ()
        return names.union(own, *(member.fields for member in facts.members.values()))

    def _resolve_members(self, facts: ClassFacts, methods: list[ResolvedFunction]) -> None:
        for name, member in facts.members.items():
            if member.kind == "constant" and (facts.cls, name) not in self.constants:
                self.constants[facts.cls, name] = self.capture(f"{facts.symbol}_{name}", member.value)
            if member.function is None or (facts.cls, name) in self.functions:
                continue
            found = self.functions[facts.cls, name] = self._resolve(member.function)
            if isinstance(found, ResolvedFunction):
                methods.append(found)
            if member.kind == "class":
                self._make(facts.cls)

    def _resolve(self, function: FunctionType) -> ResolvedFunction | UnsupportedError:
        """A function that need not be called: what is wrong with it matters where it is."""
        active, self.active = self.active, []
        try:
            return self.function(function)
        except UnsupportedError as error:
            return error
        finally:
            self.active = active

    def _find_nested(self, facts: ClassFacts) -> None:
        for name in facts.fields:
            for sample in facts.samples[:64]:
                value: object = getattr(sample, name, None)
                if is_object(value) and self.assigned is not None and name in self.assigned:
                    self.assigned_classes.add(type(value))
                if is_object(value) and len(self.facts(type(value)).samples) < 64:
                    known = self.facts(type(value)).samples
                    if not any(value is other for other in known):
                        known.append(value)

    def _resolve_initializers(self, cls: type, methods: list[ResolvedFunction]) -> None:
        for base in cls.__mro__:
            for name in ("__init__", "__post_init__"):
                function = vars(base).get(name)
                if not isinstance(function, FunctionType) or (base, name) in self.functions:
                    continue
                if name == "__init__" and has_generated_init(base):
                    continue
                found = self.functions[base, name] = self._resolve(function)
                if isinstance(found, ResolvedFunction):
                    found.initializes = True
                    methods.append(found)

    def _resolve_defaults(self, signature: inspect.Signature, methods: list[ResolvedFunction]) -> None:
        """What makes the default values of parameters, and members of enumerations among them."""
        for parameter in signature.parameters.values():
            default: object = parameter.default
            if not isinstance(default, Factory):
                if kind_of(type(default)) is not None and not self.facts(type(default)).samples:
                    self.add_sample(default)
                continue
            made = default.function
            if isinstance(made, FunctionType) and made not in self.factories:
                found = self.factories[made] = self._resolve(made)
                if isinstance(found, ResolvedFunction):
                    methods.append(found)
            elif isinstance(made, type) and is_class(made):
                self.facts(made)
                self._make(made)

    def _resolve_supers(self, function: FunctionType, methods: list[ResolvedFunction]) -> None:
        """The methods that `super().name` may mean in a method."""
        for name in attribute_names(function.__code__) if "__class__" in function.__code__.co_freevars else ():
            for base, found in self._supers(function, name):
                if (base, name) not in self.functions:
                    resolved = self.functions[base, name] = self._resolve(found)
                    if isinstance(resolved, ResolvedFunction):
                        methods.append(resolved)

    def _supers(self, function: FunctionType, name: str) -> list[tuple[type, FunctionType]]:
        """What `super().name` means in a method, for each class whose objects have it; nothing if it is no method."""
        code = function.__code__
        owner: type = (function.__closure__ or ())[code.co_freevars.index("__class__")].cell_contents
        found: list[tuple[type, FunctionType]] = []
        for cls in self.classes:
            after = cls.__mro__[cls.__mro__.index(owner) + 1 :] if owner in cls.__mro__ else ()
            base = next((base for base in after if name in vars(base)), None)
            if base is not None and isinstance(value := vars(base)[name], FunctionType) and name != "__init__":
                found.append((base, value))
        return found

    def _key_of(self, facts: ClassFacts) -> Hashable:
        members = tuple((name, member.kind, member.fields, member.reason) for name, member in facts.members.items())
        return (
            facts.cls,
            facts.symbol,
            tuple(facts.fields),
            members,
            facts.is_frozen,
            facts.identified,
            self.made.get(facts.cls),
        )

    # ---------------------------------------------------------------------------------------------------------------
    # What emission asks
    # ---------------------------------------------------------------------------------------------------------------

    def symbol(self, cls: type) -> str:
        return self.classes[cls].symbol

    def method_signature(self, name: str) -> inspect.Signature | None:
        found: list[inspect.Signature] = []
        for facts in self.classes.values():
            member = facts.members.get(name)
            if member is not None and member.function is not None and member.kind in ("method", "static", "class"):
                signature = signature_of(member.function)
                found.append(signature if member.kind == "static" else without_first(signature))
        if any(signature != found[0] for signature in found[1:]):
            raise UnsupportedError(f"the methods '{name}' of several classes have different parameters")
        return found[0] if found else None

    def constructor(self, cls: type) -> tuple[str, inspect.Signature]:
        reason = refusal_of_constructor(cls)
        if reason is not None:
            raise UnsupportedError(f"making a {cls.__qualname__} is not compiled: {reason}")
        for name in ("__init__", "__post_init__"):
            if self._owner(cls, name) in self.functions:
                self.initializer_symbol(cls, name)
        return self.made[cls], constructor_signature(cls)

    def _owner(self, cls: type, name: str) -> tuple[type, str]:
        return next((base for base in cls.__mro__ if name in vars(base)), object), name

    def initializer_symbol(self, cls: type, name: str) -> str:
        found = self.functions.get(self._owner(cls, name))
        if isinstance(found, UnsupportedError):
            raise found
        if found is None:
            raise UnsupportedError(f"{cls.__qualname__}.{name} is not compiled")
        return found.symbol

    def factory_symbol(self, function: FunctionType) -> str:
        found = self.factories[function]
        if isinstance(found, UnsupportedError):
            raise found
        return found.symbol

    def known_classes(self) -> Sequence[ClassFacts]:
        return list(self.classes.values())

    def refuse(self, cls: type, name: str, reason: str) -> None:
        self.classes[cls].refused.setdefault(name, reason)

    def is_made(self, cls: type) -> bool:
        return cls in self.made

    def initializer(self, function: FunctionType) -> tuple[str, inspect.Signature] | None:
        found: list[ResolvedFunction | None] = []
        for cls in self.made:
            for place, base in enumerate(cls.__mro__):
                if vars(base).get("__init__") is function:
                    found.append(self._next_initializer(cls.__mro__[place + 1 :]))
        if not found or found[0] is None or any(other is not found[0] for other in found):
            return None
        return found[0].symbol, without_first(signature_of(found[0].function))

    def super_method(self, function: FunctionType, name: str) -> tuple[str, inspect.Signature]:
        found = self._supers(function, name) if "__class__" in function.__code__.co_freevars else []
        if not found or any(other is not found[0][1] for _, other in found):
            raise UnsupportedError(f"what super().{name} means is not the same for all objects, or no method")
        method = self.functions[found[0][0], name]
        if isinstance(method, UnsupportedError):
            raise method
        return method.symbol, without_first(signature_of(method.function))

    def _next_initializer(self, bases: Sequence[type]) -> ResolvedFunction | None:
        owner = next(base for base in bases if "__init__" in vars(base))
        found = self.functions.get((owner, "__init__"))
        return found if isinstance(found, ResolvedFunction) else None

    def member_symbol(self, facts: ClassFacts, name: str) -> str | UnsupportedError:
        if facts.members[name].kind == "constant":
            return self.constants[facts.cls, name]
        found = self.functions[facts.cls, name]
        return found.symbol if isinstance(found, ResolvedFunction) else found


def without_first(signature: inspect.Signature) -> inspect.Signature:
    """The parameters after the first."""
    return signature.replace(parameters=list(signature.parameters.values())[1:])


def constructor_signature(cls: type) -> inspect.Signature:
    """The parameters with which a class is called."""
    if is_named_tuple(cls):
        fields, defaults = cast("Any", cls)._fields, cast("Any", cls)._field_defaults
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        return inspect.Signature(
            [inspect.Parameter(name, kind, default=defaults.get(name, inspect.Parameter.empty)) for name in fields]
        )
    init = cast("Callable[..., None]", cls.__init__)
    if not isinstance(init, FunctionType):
        return inspect.Signature()
    signature = without_first(signature_of(init))
    made = factories(cls)
    parameters = [p.replace(default=made.get(p.name, p.default)) for p in signature.parameters.values()]
    return signature.replace(parameters=parameters)


def factories(cls: type) -> dict[str, Factory]:
    """The fields of a class whose default the `__init__` that `dataclass` wrote for it makes."""
    if not has_generated_init(cls):
        return {}
    return {f.name: Factory(f.default_factory) for f in dataclasses.fields(cast("Any", cls)) if has_factory(f)}


@dataclass(frozen=True)
class Factory:
    """A parameter's default value that is what a function returns."""

    function: object


def has_generated_init(cls: type) -> bool:
    """Whether the `__init__` of a class is the one that `dataclass` makes for it."""
    init = vars(cls).get("__init__")
    return isinstance(init, FunctionType) and is_generated(cls, "__init__", init)


def refusal_of_constructor(cls: type) -> str | None:
    """Why calling a class is not compiled, if it is not."""
    if kind_of(cls) is not None:
        return "it is an enumeration"
    if is_named_tuple(cls):
        made_by = cls.__new__
        plain = isinstance(made_by, FunctionType) and made_by.__code__.co_filename.startswith("<")
        return None if plain else "it has a __new__ of its own"
    if cls.__new__ is not object.__new__:
        return "it has a __new__ of its own"
    if getattr(cls, "__abstractmethods__", None):
        return "it is abstract"
    if hasattr(cls, "__del__"):
        return "it has a __del__"
    init = cls.__init__
    if init is not object.__init__ and not isinstance(init, FunctionType):
        return "its __init__ is not written in Python"
    if not has_generated_init(cls):
        generated = isinstance(init, FunctionType) and init.__code__.co_filename == "<string>"
        if generated:
            return "its __init__ is made by another class"
        return "it has a __setattr__ of its own" if cls.__setattr__ is not object.__setattr__ else None
    frozen = cast("Any", cls).__dataclass_params__.frozen
    if cls.__setattr__ is not object.__setattr__ and not frozen:
        return "it has a __setattr__ of its own"
    fields = dataclasses.fields(cast("Any", cls))
    if any(not f.init and (has_factory(f) or f.default is not dataclasses.MISSING) for f in fields):
        return "a field that is no parameter has a default"
    if set(constructor_signature(cls).parameters) != {f.name for f in fields if f.init}:
        return "it has parameters that are no fields"
    return None

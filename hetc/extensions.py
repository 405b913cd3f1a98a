"""What other packages add to hetc beside dialects and passes: intrinsics, passes in the default pipeline, containers.

A package names an `Extension` in the entry point group `hetc.extensions`; its dialects, passes and targets come by
`xdsl.universe` (see `hetc/tools/universe.py`). This module imports no compiler, and the names in an extension are
imported only when they are needed, so an extension costs a program nothing that does not use it.

    [project.entry-points."hetc.extensions"]
    fixed_point = "fixed_point.extension:EXTENSION"
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from hetc.dataclass import dataclass
from hetc.diagnostics import Category
from hetc.errors import HetcError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "hetc.extensions"


class ExtensionError(HetcError):
    """An extension is not what its entry point promises."""

    usual = Category.EXTENSION


@dataclass(frozen=True)
class Intrinsic:
    """A Python function that has device code of its own, which stands for its body.

    `function` names it, `build` the function that makes the device code, both as "package.module:name". Python runs
    the function itself, which is the oracle: what `build` makes has to give the same value and type, or refuse the
    types that it meets (`e.unsupported`), or require what it needs (`e.require`), so that Python runs the call.

    `build(e, arguments)` gets an `Emitter` and the arguments, each a `Number`, and returns a `Number` (both of
    `hetc.passes.semantics.emitter`). It runs once for each combination of types.
    """

    function: str
    build: str


@dataclass(frozen=True)
class PlacedPass:
    """A pass in the default pipeline: `spec` as `hetc-opt -p` takes it, and the pass that it comes right after.

    Of a pass that comes several times, the first counts. Several passes in one place keep their order.
    """

    spec: str
    after: str


@dataclass(frozen=True)
class Marshaller:
    """How array functions take a container of another package, and make one of their results.

    `container` names its class, `read` and `make` two functions, all as "package.module:name". What holds of the class
    holds of its subclasses. Lists, tuples and NumPy arrays, their subclasses included, are read as what they are.

    `read(container)` gives the elements: a NumPy array, best without a copy; for elements that are tuples a tuple of
    arrays, one a component; or a list, if the elements are Python's own numbers. They are the elements that iterating
    the container gives, in value and type, which is what a call means. `hetc.foreign.check_marshaller` says whether
    they are. What is given is only read, until the call has returned.

    `make(result, like)` gives a container with the elements of a result, in the form in which `read` gives them, where
    the input was `like`; or None if the class holds no such elements. Then, and without `make`, results are NumPy
    arrays or lists.
    """

    container: str
    read: str
    make: str | None = None


@dataclass(frozen=True)
class Extension:
    """What a package adds."""

    intrinsics: Sequence[Intrinsic] = ()
    passes: Sequence[PlacedPass] = ()
    marshallers: Sequence[Marshaller] = ()


@functools.cache
def extensions() -> tuple[Extension, ...]:
    """The extensions of all installed packages, in the order of their names. Raises ExtensionError."""
    found: list[Extension] = []
    for entry in sorted(_entry_points(), key=lambda entry: entry.name):
        value: object = entry.load()
        if not isinstance(value, Extension):
            raise ExtensionError(f"{entry.value}, in the entry points '{GROUP}', is no hetc.extensions.Extension")
        found.append(value)
    return tuple(found)


def whose_fault() -> str:
    """What to do about a failure of the compiler: it may be that of a package that extends it.

    >>> whose_fault()  # no package does
    'this is a fault of hetc: please report the function'
    """
    names = sorted({entry.name for entry in _entry_points()})
    others = f", or of a package that extends it ({', '.join(names)})" if names else ""
    return f"this is a fault of hetc{others}: please report the function"


def _entry_points() -> Iterator[EntryPoint]:
    """`entry_points(group=GROUP)`, which would read all that every installed package has, in a third of its time."""
    from importlib.metadata import distribution, distributions  # they take as long to import as most of hetc

    names = {found.name for found in distributions() if GROUP in (found.read_text("entry_points.txt") or "")}
    for name in names:  # of which the first on the path counts
        yield from distribution(name).entry_points.select(group=GROUP)


def intrinsic_name(value: object) -> str | None:
    """The name of a function that is an intrinsic, "package.module:name"; None for anything else."""
    if not _builders():  # asked at every call of an array function
        return None
    name = _name_of(value)
    return name if name in _builders() and _is_named(value, name) else None


def is_intrinsic(name: str) -> bool:
    """Whether the name of a known function is that of an intrinsic."""
    return ":" in name


def marshaller_of(kind: type) -> Marshaller | None:
    """The marshaller of a class or of the nearest class that it inherits from; None if there is none."""
    known = _marshallers()
    for base in kind.__mro__ if known else ():
        name = _name_of(base)
        if name in known and _is_named(base, name):
            return known[name]
    return None


def _name_of(value: object) -> str:
    return f"{getattr(value, '__module__', None)}:{getattr(value, '__qualname__', None)}"


def _is_named(value: object, name: str) -> bool:
    """Whether a name is a value's own: another object may claim it."""
    module, _, attribute = name.partition(":")
    return getattr(sys.modules.get(module), attribute, None) is value


def resolve(name: str) -> Any:
    """The object that "package.module:name" names. Raises ExtensionError if it is not there."""
    module, _, attribute = name.partition(":")
    found = getattr(sys.modules.get(module), attribute, None)
    if found is not None:  # at every call with a container, where importing would take longer than the rest
        return found
    from pkgutil import resolve_name

    try:
        return resolve_name(name)
    except (ImportError, AttributeError, ValueError) as error:
        raise ExtensionError(f"an extension names {name}, which is not there: {error}") from error


def builder(name: str) -> Any:
    """What makes the device code of an intrinsic."""
    return resolve(_builders()[name])


@functools.cache
def _builders() -> dict[str, str]:
    return {intrinsic.function: intrinsic.build for extension in extensions() for intrinsic in extension.intrinsics}


@functools.cache
def _marshallers() -> dict[str, Marshaller]:
    found: dict[str, Marshaller] = {}
    for marshaller in (each for extension in extensions() for each in extension.marshallers):
        other = found.setdefault(marshaller.container, marshaller)
        if other != marshaller:
            raise ExtensionError(f"{marshaller.container} is read by {other.read} and by {marshaller.read}")
    return found


def placed(steps: Sequence[str]) -> tuple[str, ...]:
    """A pipeline with the passes of all extensions in their places.

    Raises ExtensionError for a place that is not there. Empty steps are passes that the device at hand goes without.
    """
    import difflib  # few programs need it

    result = list(steps)
    for extension in extensions():
        positions: dict[str, int] = {}
        for place in extension.passes:
            names = [step.partition("{")[0] for step in result]
            if place.after not in names:
                near = difflib.get_close_matches(place.after, names, n=1)
                hint = f"did you mean {near[0]}?" if near else None
                reason = f"an extension places {place.spec} after {place.after}, which is no pass here"
                raise ExtensionError(reason, hint=hint)
            position = max(names.index(place.after), positions.get(place.after, -1)) + 1
            positions[place.after] = position
            result.insert(position, place.spec)
    return tuple(result)

"""What other packages add to hetc beside dialects and passes: intrinsics, and passes in the default pipeline.

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
class Extension:
    """What a package adds."""

    intrinsics: Sequence[Intrinsic] = ()
    passes: Sequence[PlacedPass] = ()


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
    name = f"{getattr(value, '__module__', None)}:{getattr(value, '__qualname__', None)}"
    if name not in _builders():
        return None
    module, _, attribute = name.partition(":")
    # Another object may claim the name.
    return name if getattr(sys.modules.get(module), attribute, None) is value else None


def is_intrinsic(name: str) -> bool:
    """Whether the name of a known function is that of an intrinsic."""
    return ":" in name


def resolve(name: str) -> Any:
    """The object that "package.module:name" names. Raises ExtensionError if it is not there."""
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

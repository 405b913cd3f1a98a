"""What a composition means at this call: its functions, resolved, and the arrays of indices that its stages hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hetc.frontends.python.closure import Resolution
from hetc.frontends.python.objects import resolve_program
from hetc.frontends.skeleton.composition import Stages, functions, index_arrays


def resolve_stages(stages: Stages, inputs: Sequence[object] = (), *, every_object: bool = False) -> Resolution:
    """Resolve a composition for inputs that may be lists of objects; its arrays of indices are captured like others.

    `every_object` looks for classes in all elements. Raises UnsupportedError as `resolve_program` does.
    """
    resolution = resolve_program(functions(stages), inputs, every_object=every_object)
    captures, names = dict(resolution.captures), list[str]()
    for array in index_arrays(stages):
        name, count = "indices", 0
        while name in captures:
            count += 1
            name = f"indices_{count}"
        names.append(name)
        captures[name] = array
    if not names:
        return resolution
    return replace(resolution, captures=captures, index_arrays=tuple(names), premises=None)

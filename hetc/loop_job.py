"""A parallel loop as a job for the compiler: its body as a function, its reductions, the values of its variables."""

from __future__ import annotations

import builtins
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import FunctionType
from typing import Any

import numpy as np

from hetc.abi import Package, Refused, TupleType, Unmarshal, ValueType, leaves
from hetc.analysis.naming import ascii_name
from hetc.diagnostics import Category
from hetc.errors import UnsupportedError
from hetc.frontends.loops.reductions import Reduction
from hetc.frontends.loops.rewrite import Loop
from hetc.frontends.python.closure import Resolution, reachable
from hetc.frontends.python.effects import may_have_effects
from hetc.frontends.python.objects import resolve_program
from hetc.frontends.skeleton.composition import Captured, ForAll, Reduce, Stages, functions
from hetc.jobs import CallOptions, Job, check_error_state, select_device
from hetc.loops import IndexSpace
from hetc.runtime.describe import of_objects
from hetc.runtime.describe_loop import describe_loop
from hetc.runtime.marshal import SCALARS
from hetc.settings import Settings


def loop_job(
    loop: Loop,
    host: FunctionType,
    space: IndexSpace,
    variables: Mapping[str, Any],
    options: CallOptions,
    current: Settings,
    *,
    warns: bool,
    in_order: bool = False,
) -> Job:
    """Describe a run of a loop of `host`, whose variables have these values now.

    The job holds for all parts of the loop's ranges. `warns` says that what NumPy warns of is to be found out; of sums
    it cannot be. The iterations may be meant to run `in_order`, each from what those before it have come to.

    Raises UnsupportedError for what is not compiled.
    """
    body_function = loop.body_in_order if in_order else loop.body
    if body_function is None:
        raise loop.refused or UnsupportedError("the loop is not compiled")
    if len(space.ranges) != loop.rank:
        raise UnsupportedError("the loop's indices are not those that its source shows", location=loop.place)
    starts = starts_of(loop, host, variables)
    body = body_function.function({**variables, **starts}, host.__globals__)
    stages: Stages = (ForAll(body, yields=bool(loop.reductions)),)
    if loop.combine is not None:
        inits = tuple(_init(r, starts[r.start]) for r in loop.reductions)
        stages += (Reduce(loop.combine, inits[0] if len(inits) == 1 else inits),)
    resolution = resolve_program(functions(stages), stores=True)
    signature, captures = describe_loop(space.ranges, resolution.captures)
    _check_skipped(loop, resolution, captures)
    if resolution.program is not None:
        captures = of_objects(captures, resolution.program.groups_of_fields())
    signature = replace(signature, layout=options.layout)
    check_error_state(signature, captures, resolution)
    device = select_device(options.device if options.device is not None else current.device)
    warns = warns and (current.debug or "warn" in np.geterr().values()) and not loop.reductions
    return Job(
        stages, space.ranges, space.ranges, signature, captures, resolution, device, current.debug, warns,
        verify=current.verifies, fastmath=options.is_fast(current),
    )  # fmt: skip


def _check_skipped(loop: Loop, resolution: Resolution, captures: Mapping[str, ValueType | Refused]) -> None:
    """Raise UnsupportedError if `and` or `or` may leave out what changes something."""
    if not any(reduction.may_skip for reduction in loop.reductions):
        return
    opaque = frozenset(name for name, value in captures.items() if isinstance(value, Refused))
    called = [function for function in reachable(resolution.functions) if function not in resolution.functions]
    if may_have_effects(called, opaque):
        raise UnsupportedError(
            "the loop calls what may change something, and 'and' or 'or' may leave the call out",
            location=loop.place,
            hint="call it in a statement of its own, before",
            category=Category.DEPENDENCE,
        )


def starts_of(loop: Loop, host: FunctionType, variables: Mapping[str, Any]) -> dict[str, object]:
    """What the iterations of a loop's reductions start from, by the names of the variables that hold it.

    Raises UnsupportedError where that is nothing to sum up from.
    """
    return {reduction.start: _start(reduction, host, variables) for reduction in loop.reductions}


def _start(reduction: Reduction, host: FunctionType, variables: Mapping[str, Any]) -> object:
    """What each iteration starts from, given the variable's value before the loop."""
    name, kind = reduction.name, reduction.kind
    if name not in variables:
        raise UnsupportedError(f"the variable '{name}' has no value before the loop", category=Category.UNBOUND)
    value = variables[name]
    if type(value) not in SCALARS or (reduction.is_arithmetic and SCALARS[type(value)].dtype == "bool"):
        raise UnsupportedError(
            f"'{name}' is a {type(value).__name__} before the loop, which is not summed up on a device",
            hint="start from a number",
            category=Category.REDUCTION,
        )
    if kind in ("min", "max") and {**host.__globals__, **variables}.get(kind, getattr(builtins, kind)) is not getattr(
        builtins, kind
    ):
        raise UnsupportedError(f"'{kind}' is not Python's own function here", category=Category.NAME)
    return reduction.start_value(value)


def check_sums(loop: Loop, values: Sequence[object], package: Package) -> None:
    """Raise UnsupportedError for a Python integer that NumPy's integers cannot be added to: Python raises for it."""
    if not loop.reductions:
        return
    (element,) = [step.element for step in package.steps if isinstance(step, Unmarshal)]
    single = len(loop.reductions) == 1
    items = (element,) if single or not isinstance(element, TupleType) else element.items
    for reduction, value, item in zip(loop.reductions, values, items, strict=True):
        if not isinstance(value, int) or reduction.carries:
            continue
        for scalar in leaves(item):
            limits = None if scalar.python or np.dtype(scalar.dtype).kind not in "iu" else np.iinfo(scalar.dtype)
            if limits is not None and not limits.min <= value <= limits.max:
                raise UnsupportedError(
                    f"'{reduction.name}' is {value} before the loop, which does not fit {scalar.dtype}",
                    category=Category.INTEGER,
                )


def _init(reduction: Reduction, start: object) -> object:
    """What the reduction starts from: a constant, or where it is compared with, the variable itself."""
    return Captured(ascii_name(reduction.start)) if reduction.carries else start

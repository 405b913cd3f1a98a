"""Whole modules on the interpreter, from level 1 on: an entry function with skeletons, or a host plan with kernels.

An element whose guard fails has no result. What the module stores to is changed in the captured arrays themselves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

import numpy as np
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, StringAttr, TupleType
from xdsl.ir import Attribute

from hetc.abi import SCALAR_TYPES, TAG_PATH, NoneType, alternative_path_of_tag, class_tag, tag_of
from hetc.abi import TupleType as AbiTuple
from hetc.analysis.entry import argument_facts, entry_function
from hetc.analysis.source_types import scalar_from_ir
from hetc.dataclass import dataclass
from hetc.dialects import heap, obj, skel
from hetc.interpreter import heaps, plans, skeletons
from hetc.interpreter.cases import NotInterpretedError, payloads
from hetc.interpreter.comparison import Record
from hetc.interpreter.program import Program, Steps
from hetc.interpreter.results import elements

STEPS: Steps = {**skeletons.STEPS, **plans.STEPS, **heaps.STEPS}
"""The ops of an entry function that are run on whole arrays."""


@dataclass(frozen=True)
class Result:
    """The elements of a call's result (one, for a reduction), and by element the guards that failed."""

    elements: list[Any]
    failed: dict[int, str]


def run_module(module: ModuleOp, inputs: Sequence[Sequence[Any]], captured: Mapping[str, Any]) -> Result:
    """Run a module on its inputs; `captured` holds captured arrays, lists and scalars.

    Raises InterpretationError for ops that are not interpreted, and for programs that have no meaning.
    """
    entry = entry_function(module)
    if entry is None or "skel.result" not in entry.attributes:
        raise NotInterpretedError("the module has no entry function with typed elements")
    if len(entry.body.blocks) != 1:
        raise NotInterpretedError("the interpreter does not know functions of several blocks")
    element = entry.attributes["skel.result"]
    _check_inputs(skel.element_type(argument.type) for argument in entry.body.block.args)
    run = Program(module, inputs, {name: _array_or_scalar(value) for name, value in captured.items()})
    for argument, facts in zip(entry.body.block.args, argument_facts(entry), strict=True):
        run.values[argument] = _argument(inputs, argument.type, facts.path)
    for op in entry.body.block.ops:
        if isinstance(op, func.ReturnOp):
            columns: list[Any] = [run.values[value] for value in op.arguments]
            if len(columns) == 1 and isinstance(columns[0], list):  # a plan has put the result together
                columns = cast("list[Any]", columns[0])
            if run.picked is not None and "skel.originals" in entry.attributes:
                return Result(_originals(inputs, run.picked, entry.attributes["skel.originals"]), run.failed)
            found = [np.atleast_1d(column) for column in columns]
            return Result(elements(found, element, run.published, run.failed) if found else [], run.failed)
        step = STEPS.get(type(op))
        if step is None:
            run.step(op)
        else:
            step(run, op)
    raise NotInterpretedError("the entry function does not return")


def _array_or_scalar(value: Any) -> Any:
    return np.array(cast("list[Any]", value)) if isinstance(value, list) else value


def _originals(inputs: Sequence[Any], places: Sequence[int], what: Attribute) -> list[Any]:
    """The elements of the inputs at some places, as they are: "elements" of the one input, or "rows"."""
    rows = [tuple(column[place] for column in inputs) for place in places]
    return [row[0] for row in rows] if what == StringAttr("elements") else rows


def _argument(inputs: Sequence[Any], type_: Attribute, path: tuple[int, ...]) -> Any:
    index, *rest = path
    if isinstance(type_, skel.SequenceType) and isinstance(inputs[index], range):
        return inputs[index]
    elements = list(inputs[index])
    for k in rest:
        elements = [component(element, k) for element in elements]
    zero = np.dtype(scalar_from_ir(skel.element_type(type_)).dtype).type(0)
    return payloads([zero if element is None else element for element in elements], skel.element_type(type_))


def component(element: Any, place: int) -> Any:
    """A component of an element, as a path names it: an item or field, the tag of a union, or one of its alternatives.

    None where the element is of another alternative.

    >>> from hetc.abi import alternative_path
    >>> component((1, 2.5), 1), component(2.5, TAG_PATH), component(2.5, alternative_path(SCALAR_TYPES["int"]))
    (2.5, 2, None)
    """
    if place >= 0:
        return None if element is None else element[place]
    tag = _tag(element)
    if place == TAG_PATH:
        return tag
    return element if alternative_path_of_tag(tag) == place else None


_PYTHON = {int: "int", float: "float", complex: "complex", bool: "bool"}
_NUMPY = {scalar.dtype: scalar for scalar in SCALAR_TYPES.values() if not scalar.python}


def _tag(element: Any) -> int:
    """The tag of the alternative that an element is of."""
    match element:
        case None:
            return tag_of(NoneType())
        case Record():
            return class_tag(element.symbol)
        case tuple():
            return tag_of(AbiTuple(tuple(_NUMPY["float64"] for _ in cast("tuple[Any, ...]", element))))
        case np.generic():
            return tag_of(_NUMPY[element.dtype.name])
        case _:
            return tag_of(SCALAR_TYPES[_PYTHON[type(element)]])


def _check_inputs(inputs: Iterator[Attribute]) -> None:
    """Raise NotInterpretedError for what cannot be read: lists in the heap."""
    for element in inputs:
        if any(isinstance(part, heap.ListType) for part in _parts(element)):
            raise NotInterpretedError(f"the interpreter does not know inputs of type {element}")


def _parts(element: Attribute) -> Iterator[Attribute]:
    """An element type, and all that it is made of."""
    yield element
    match element:
        case TupleType():
            items: Sequence[Attribute] = element.types.data
        case obj.ListType():
            items = element.types
        case obj.UnionType():
            items = tuple(element.alternatives)
        case obj.ObjectType():
            items = tuple(element.types)
        case _:
            items = ()
    for item in items:
        yield from _parts(item)

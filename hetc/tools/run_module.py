"""MLIR modules on a device: does the data fit what the module takes for granted, and what comes out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute

from hetc import driver
from hetc.abi import Bounds, InputKind, Refused, TupleType, ValueType
from hetc.analysis.attributes import int_values
from hetc.analysis.entry import argument_facts, entry_function
from hetc.analysis.source_types import to_ir
from hetc.dialects import skel
from hetc.errors import HetcError
from hetc.runtime.describe import describe
from hetc.runtime.devices import Device
from hetc.runtime.executor import Executable, GuardFailed
from hetc.runtime.overlap import check_distinct


class MisfitError(HetcError, ValueError):
    """The data does not fit the module."""


def run_on_device(module: ModuleOp, captured: Mapping[str, Any], inputs: Sequence[Any], device: Device) -> object:
    """The result of a module on a device; what is left of the pipeline is run on it first.

    Raises HetcError if elements are the same in an array that must have none such, or if a guard fails: there is no
    Python function to run instead.
    """
    package = driver.package_of(module, device.traits)
    check_distinct(package.distinct, captured)
    try:
        return Executable(package, device).run(inputs, captured)
    except GuardFailed as failure:
        raise HetcError(f"a guard failed on the device, and a module has no Python to go back to: {failure}") from None


def check_fits(module: ModuleOp, inputs: Sequence[Any], captured: Mapping[str, Any]) -> None:
    """Raise MisfitError unless types and facts of the module's arguments and captured variables hold for the data."""
    entry = entry_function(module)
    if entry is None:
        raise MisfitError("the module has no entry function (a func.func with the attribute skel.entry)")
    declared = [op for op in module.ops if isinstance(op, skel.CaptureOp)]
    for op in declared:
        if op.sym_name.data not in captured:
            name = op.sym_name.data
            raise MisfitError(f"the module reads the captured variable {name}; give it with --capture {name}=DATA")
    signature, captures = describe(inputs, {op.sym_name.data: captured[op.sym_name.data] for op in declared})
    for argument, facts in zip(entry.body.block.args, argument_facts(entry), strict=True):
        index, *path = facts.path
        if index >= len(inputs):
            raise MisfitError(f"the module reads input {index}, of {len(inputs)}")
        given = signature.inputs[index]
        expected = skel.element_type(argument.type)
        sequence = isinstance(argument.type, skel.SequenceType)
        _check_type(f"input {index}", given, path, expected, sequence=sequence)
        for complaint in (
            *_bounds(given, facts.bounds),
            *(["be below a length"] if not set(facts.below) <= set(given.below) else []),
            *(["follow each other"] if facts.unit_step and not given.unit_step else []),
        ):
            raise MisfitError(f"input {index}: the module takes for granted that its integers {complaint}")
    for op in declared:
        _check_capture(op, captures[op.sym_name.data], captured[op.sym_name.data])


def _check_type(what: str, given: ValueType, path: Sequence[int], expected: Attribute, *, sequence: bool) -> None:
    element = given.element
    for item in path:
        if not isinstance(element, TupleType) or item >= len(element.items):
            raise MisfitError(f"{what}: the module takes tuples, the elements are {given.element}")
        element = element.items[item]
    if to_ir(element) != expected or sequence != (given.kind is InputKind.SEQUENCE):
        kind = "a range" if sequence else f"elements of type {expected}"
        raise MisfitError(f"{what}: the module takes {kind}, not {given.kind.value} of {element}")


def _check_capture(op: skel.CaptureOp, given: ValueType | Refused, actual: object) -> None:
    name = op.sym_name.data
    if isinstance(given, Refused):
        raise MisfitError(f"captured {name}: {given.reason}")
    dims = () if op.dims is None else int_values(op.dims)
    expected = op.type if given.kind is InputKind.SCALAR else skel.element_type(op.type)
    bounds = None if op.bounds is None else Bounds(*int_values(op.bounds))
    equals_dim = None if op.equals_dim is None else op.equals_dim.value.data
    value = None if op.value is None else op.value.value.data
    if to_ir(given.element) != expected or dims != given.dims or list(_bounds(given, bounds)):
        raise MisfitError(f"captured {name}: the module takes {op}, which the data is not")
    positive = op.positive is None or given.positive
    if equals_dim not in (None, given.equals_dim) or value not in (None, actual) or not positive:
        raise MisfitError(f"captured {name}: the module takes {op} for granted, which the data is not")


def _bounds(given: ValueType, needed: Bounds | None) -> Iterator[str]:
    if needed is None:
        return
    known = given.bounds
    if known is None or known.low < needed.low or known.high > needed.high:
        yield f"lie in [{needed.low}, {needed.high}]"

"""The steps of a plan that concern the host alone, as closures: bringing data into shape, and sizes."""

from __future__ import annotations

import operator
from collections.abc import Callable

import numpy as np

from hetc import abi
from hetc.runtime import marshal, records
from hetc.runtime.call import Action, Call

HostStep = abi.Marshal | abi.MarshalRecords | abi.Scalar | abi.Size | abi.Constant | abi.Compute | abi.EachBatch


def prepare_host_step(step: HostStep) -> Action:
    """The closure that does what `step` says, to the call it is given."""
    match step:
        case abi.Marshal():
            return _prepare_marshal(step)
        case abi.MarshalRecords():
            return _prepare_records(step)
        case abi.Scalar():
            return _prepare_scalar(step)
        case abi.Size():
            return _prepare_size(step)
        case abi.Constant():
            return _prepare_constant(step)
        case abi.Compute():
            return _prepare_compute(step)
        case abi.EachBatch():  # it only parts the others
            return lambda call: None


def find_source(source: abi.Source) -> Callable[[Call], object]:
    """How to find a source's object in a call."""
    index, name = source.index, source.name
    if index is not None:
        return lambda call: call.inputs[index]
    if name is None:
        raise AssertionError(f"{source} is neither an input nor a captured variable")
    return lambda call: call.captures[name]


def _prepare_marshal(step: abi.Marshal) -> Action:
    find, result, path, dtype = find_source(step.source), step.result, step.source.path, np.dtype(step.dtype)

    if step.stride > 1:
        stride = step.stride

        def in_place(call: Call) -> None:
            call.values[result] = marshal.in_place(find(call), path, stride)

        return in_place

    def action(call: Call) -> None:
        call.values[result] = marshal.marshal(find(call), path, dtype)

    return action


def _prepare_records(step: abi.MarshalRecords) -> Action:
    result, finders = step.result, [find_source(source) for source in step.sources]
    marshal_them = records.marshaller(step)

    def action(call: Call) -> None:
        call.values[result] = marshal_them([find(call) for find in finders])

    return action


def _prepare_scalar(step: abi.Scalar) -> Action:
    find, result, path, dtype = find_source(step.source), step.result, step.source.path, np.dtype(step.dtype)
    part = step.part

    def action(call: Call) -> None:
        call.values[result] = marshal.marshal_scalar(find(call), path, part, dtype)

    return action


def _prepare_size(step: abi.Size) -> Action:
    find, result, dimension = find_source(step.source), step.result, step.dim

    def action(call: Call) -> None:
        call.values[result] = marshal.length(find(call), dimension)

    return action


def _prepare_constant(step: abi.Constant) -> Action:
    result, value = step.result, step.value

    def action(call: Call) -> None:
        call.values[result] = value

    return action


OPERATORS: dict[str, Callable[[int, int], int]] = {
    "add": operator.add,
    "mul": operator.mul,
    "min": min,
    "max": max,
    "sub": lambda left, right: left - right,
    "div": lambda left, right: left // right,
    "ceildiv": lambda left, right: -(-left // right),
}


def _prepare_compute(step: abi.Compute) -> Action:
    result, left, right, compute = step.result, step.left, step.right, OPERATORS[step.op]

    def action(call: Call) -> None:
        call.values[result] = compute(call.values[left], call.values[right])

    return action

"""Whole modules on the interpreter, from level 1 on: an entry function with skeletons, or a host plan with kernels.

Skeletons run element by element, reductions from left to right; kernels run work-item by work-item. An element whose
guard fails has no result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
from xdsl.dialects import func, gpu
from xdsl.dialects.builtin import ComplexType, MemRefType, ModuleOp, TupleType
from xdsl.ir import Attribute, Operation, SSAValue

from hetc.analysis.entry import argument_facts, entry_function
from hetc.analysis.source_types import leaf_types, scalar_from_ir
from hetc.dialects import dyn, obj, offload, skel
from hetc.dialects.obj import payload
from hetc.interpreter import kernels, operations, structure
from hetc.interpreter.cases import (
    Array,
    Cases,
    Handlers,
    NotInterpretedError,
    Stopped,
    UndefinedError,
    Value,
    dtype_of,
    payloads,
    python_value,
)

OPS: Handlers = {**operations.HANDLERS, **structure.HANDLERS, **kernels.HANDLERS}
"""Every op that is interpreted."""


@dataclass(frozen=True)
class Result:
    """The elements of a call's result (one, for a reduction), and by element the guards that failed."""

    elements: list[Any]
    failed: dict[int, str]


def run_module(module: ModuleOp, inputs: Sequence[Sequence[Any]], captured: Mapping[str, Any]) -> Result:
    """Run a module on inputs of one length; `captured` holds captured arrays, lists and scalars.

    Raises InterpretationError for ops that are not interpreted, and for programs that have no meaning.
    """
    arrays = {name: _array_or_scalar(value) for name, value in captured.items()}
    return _Program(module, inputs, arrays).run()


def _array_or_scalar(value: Any) -> Any:
    return np.array(cast("list[Any]", value)) if isinstance(value, list) else value


@dataclass
class _Program:
    module: ModuleOp
    inputs: Sequence[Sequence[Any]]
    captured: dict[str, Any]
    values: dict[SSAValue, Any] = field(default_factory=dict[SSAValue, Any])
    failed: dict[int, str] = field(default_factory=dict[int, str])

    def run(self) -> Result:
        entry = entry_function(self.module)
        if entry is None or "skel.result" not in entry.attributes:
            raise NotInterpretedError("the module has no entry function with typed elements")
        self.length = len(self.inputs[0])
        self.known = self.captured | self._sizes()
        self.kernels = {f.sym_name.data: f for f in self.module.walk() if isinstance(f, gpu.FuncOp)}
        for argument, facts in zip(entry.body.block.args, argument_facts(entry), strict=True):
            self.values[argument] = self._argument(argument.type, facts.path)
        element = entry.attributes["skel.result"]
        _check_numbers(element, *(skel.element_type(argument.type) for argument in entry.body.block.args))
        for op in entry.body.block.ops:
            if isinstance(op, func.ReturnOp):
                columns: list[Any] = [self.values[value] for value in op.arguments]
                if len(columns) == 1 and isinstance(columns[0], list):  # a plan has put the result together
                    columns = cast("list[Any]", columns[0])
                return Result(_elements([np.atleast_1d(column) for column in columns], element), self.failed)
            self._step(op)
        raise NotInterpretedError("the entry function does not return")

    def _sizes(self) -> dict[str, Any]:
        sizes: dict[str, Any] = {"dim0": self.length}
        for op in self.module.ops:
            if isinstance(op, skel.CaptureOp) and op.dims is not None:
                shape = self.captured[op.sym_name.data].shape
                sizes |= {f"dim{dim}": size for dim, size in zip(op.dims.get_values(), shape, strict=True)}
        return sizes

    def _argument(self, type_: Attribute, path: tuple[int, ...]) -> Any:
        index, *rest = path
        if isinstance(type_, skel.SequenceType) and isinstance(self.inputs[index], range):
            return self.inputs[index]
        elements = list(self.inputs[index])
        for k in rest:
            elements = [element[k] for element in elements]
        return payloads(elements, skel.element_type(type_))

    def _step(self, op: Operation) -> None:
        step = _STEPS.get(type(op))
        if step is not None:
            step(self, op)
            return
        cases = self._cases(op.operands)
        cases.step(op)
        for result in op.results:
            value = cases.get(result)
            self.values[result] = value.data[0] if isinstance(value, Value) else value

    def _cases(self, known: Iterable[SSAValue]) -> Cases:
        """One case, which knows these values of the entry; a tuple is a list of values already."""
        cases = Cases(1, OPS, self.known, self.module)
        for value in known:
            data = self.values[value]
            cases.values[value] = data if isinstance(data, list) else cases.plain(np.atleast_1d(data))
        return cases

    # --- Skeletons ---------------------------------------------------------------------------------------------------

    def _body(self, block: Any, arguments: Sequence[Any], index: int) -> list[Any] | None:
        cases = self._cases(self.values)
        try:
            values = cases.run(block, [cases.plain(np.atleast_1d(argument)) for argument in arguments])
        except Stopped:
            values = []
        if not cases.alive[0]:
            self.failed.setdefault(index, cases.failed[0])
            return None
        return [cases.demand(value, "a result")[0] for value in values]

    def map(self, op: skel.MapOp) -> None:
        columns = [_column(self.values[value]) for value in op.inputs]
        length = len(columns[0])
        outputs: list[Array] = [np.zeros(length, dtype_of(payload(skel.element_type(v.type)))) for v in op.outputs]
        for index in range(length):
            values = self._body(op.body.block, [column[index] for column in columns], index)
            for output, value in zip(outputs, values or (), strict=False):
                output[index] = value
        self.values |= zip(op.outputs, outputs, strict=True)

    def reduce(self, op: skel.ReduceOp) -> None:
        columns = [_column(self.values[value]) for value in op.inputs]
        total: list[Any] | None = [self.values[init] for init in op.inits]
        for index in range(len(columns[0])):
            element = self._body(op.transform.block, [column[index] for column in columns], 0)
            if total is None or element is None:
                break
            total = element if not total else self._body(op.combine.block, [*total, *element], 0)
        self.values |= zip(op.outputs, total or [0] * len(op.outputs), strict=True)

    def scan(self, op: skel.ScanOp) -> None:
        columns = [_column(self.values[value]) for value in op.inputs]
        outputs: list[Array] = [np.zeros(self.length, dtype_of(payload(skel.element_type(v.type)))) for v in op.outputs]
        total: list[Any] | None = [self.values[init] for init in op.inits] or None
        for index in range(self.length):
            element = self._body(op.transform.block, [column[index] for column in columns], 0)
            before = total
            if element is not None:
                total = element if total is None else self._body(op.combine.block, [*total, *element], 0)
            if element is None or total is None:
                break
            for output, value in zip(outputs, total if op.exclusive is None else before or (), strict=True):
                output[index] = value
        self.values |= zip(op.outputs, outputs, strict=True)

    def scatter(self, op: skel.ScatterOp) -> None:
        columns = [_column(self.values[value]) for value in op.inputs]
        size = op.size.value.data
        outputs: list[Array] = [
            np.full(size, self.values[init], dtype_of(payload(skel.element_type(output.type))))
            for output, init in zip(op.outputs, op.inits, strict=True)
        ]
        taken: set[int] = set()
        for row in zip(*columns, strict=True):
            found = self._body(op.transform.block, row, 0)
            if found is None:
                break
            place, *element = found
            if op.unique is not None and int(place) in taken:
                self.failed.setdefault(0, "two elements have the same key")
                break
            taken.add(int(place))
            combined = self._body(op.combine.block, [*(output[place] for output in outputs), *element], 0)
            for output, value in zip(outputs, combined or (), strict=False):
                output[place] = value
        self.values |= zip(op.outputs, outputs, strict=True)

    def positions(self, op: skel.PositionsOp) -> None:
        self.values[op.result] = range(len(self.values[op.array]))

    # --- Plans -------------------------------------------------------------------------------------------------------

    def captured_value(self, op: skel.CapturedOp) -> None:
        self.values[op.result] = self.captured[op.variable.root_reference.data]

    def marshal(self, op: offload.MarshalOp) -> None:
        array = self.values[op.operand]
        array = np.asarray(array).reshape(-1)
        kind = dtype_of(op.result.type.element_type)
        numbers: np.ndarray[Any, Any] = array.view(kind) if array.dtype.kind == "u" else array.astype(kind)
        if op.stride is not None and numbers.size:  # between them are those of other fields
            stride = op.stride.value.data
            spread: np.ndarray[Any, Any] = np.zeros((numbers.size - 1) * stride + 1, kind)
            spread[::stride] = numbers
            numbers = spread
        self.values[op.result] = numbers

    def alias(self, op: Operation) -> None:
        self.values[op.results[0]] = self.values[op.operands[0]]

    def size(self, op: offload.SizeOp) -> None:
        value = self.values[op.operand]
        self.values[op.result] = np.int64(len(value) if op.dim.value.data == 0 else value.shape[op.dim.value.data])

    def scalar(self, op: offload.ScalarOp) -> None:
        value = self.values[op.operand]
        part = op.part.data
        self.values[op.result] = dtype_of(op.result.type)(value if part == "value" else getattr(value, part))

    def allocate(self, op: offload.AllocOp) -> None:
        assert isinstance(op.result.type, MemRefType)
        # What is not written is poison; 99 is no truth value and an unlikely number.
        fill = 0 if op.zeroed is not None else 99
        self.values[op.result] = np.full(int(self.values[op.count]), fill, dtype_of(op.result.type.element_type))

    def launch(self, op: offload.LaunchOp) -> None:
        kernel = self.kernels[op.kernel.nested_references.data[-1].data]
        extent, group = int(self.values[op.extent]), max(op.group.value.data, 1)
        items = -(-extent // group) * group if op.tail.data == "guard" else extent
        types = kernel.body.block.arg_types
        arguments = [_seen_as(self.values[value], type_) for value, type_ in zip(op.arguments, types, strict=True)]
        for item in range(items):
            cases = Cases(1, OPS, self.known | {"item": item, "group": group}, self.module)
            numbers = [value if _is_buffer(value) else cases.plain(np.atleast_1d(value)) for value in arguments]
            try:
                cases.run(kernel.body.block, numbers)
            except Stopped:
                self.failed.setdefault(item, cases.failed[0])

    def check(self, op: offload.CheckGuardsOp) -> None:
        if bool(np.any(self.values[op.flags])) != bool(self.failed):
            raise UndefinedError("flags and failed guards differ")

    def unmarshal(self, op: offload.UnmarshalOp) -> None:
        hosts = [self.values[host] for host in op.hosts]
        self.values[op.result] = [host[:1] if op.scalar is not None else host for host in hosts]


_STEPS: dict[type[Operation], Callable[[_Program, Any], None]] = {
    skel.MapOp: _Program.map,
    skel.ReduceOp: _Program.reduce,
    skel.ScanOp: _Program.scan,
    skel.ScatterOp: _Program.scatter,
    skel.PositionsOp: _Program.positions,
    skel.CapturedOp: _Program.captured_value,
    offload.MarshalOp: _Program.marshal,
    offload.CopyInOp: _Program.alias,
    offload.CopyOutOp: _Program.alias,
    offload.SizeOp: _Program.size,
    offload.ScalarOp: _Program.scalar,
    offload.AllocOp: _Program.allocate,
    offload.LaunchOp: _Program.launch,
    offload.CheckGuardsOp: _Program.check,
    offload.UnmarshalOp: _Program.unmarshal,
}


def _check_numbers(*elements: Attribute) -> None:
    """Raise NotInterpretedError for elements that are not numbers, or tuples of them."""
    for element in elements:
        if isinstance(element, TupleType):
            _check_numbers(*element.types.data)
        elif isinstance(element, obj.UnionType | obj.ObjectType | dyn.NoneType):
            raise NotInterpretedError(f"the interpreter does not know elements of type {element}")


def _is_buffer(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.ndim > 0


def _seen_as(value: Any, type_: Attribute) -> Any:
    """A buffer as a kernel takes it: one of complex numbers may be one of twice as many floats."""
    if not isinstance(type_, MemRefType) or not np.iscomplexobj(value) or isinstance(type_.element_type, ComplexType):
        return value
    return value.view(dtype_of(type_.element_type))


def _column(value: Any) -> Array:
    return np.array(value, np.int64) if isinstance(value, range) else value


def _elements(columns: Sequence[Array], element: Attribute) -> list[Any]:
    """Columns of payloads as Python elements, tuples where the element type is one."""
    leaves = leaf_types(element)
    values = [
        [python_value(payload.astype(dtype_of_leaf(leaf)), leaf) for payload in column]
        for column, leaf in zip(columns, leaves, strict=True)
    ]
    return [_nested(iter(row), element) for row in zip(*values, strict=True)]


def dtype_of_leaf(leaf: Attribute) -> np.dtype[Any]:
    """The NumPy type of a number's payload."""
    dtype = np.dtype(scalar_from_ir(leaf).dtype)
    return np.dtype(f"i{dtype.itemsize}") if dtype.kind == "u" else dtype


def _nested(row: Any, element: Attribute) -> Any:
    if isinstance(element, TupleType):
        return tuple(_nested(row, item) for item in element.types.data)
    return next(row)

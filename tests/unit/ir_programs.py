"""Whole modules on the interpreter, from level 1 on: an entry function with skeletons, or a host plan with kernels.

Skeletons run element by element, reductions from left to right; kernels run work-item by work-item. An element whose
guard fails has no result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from xdsl.dialects import arith, func, gpu, memref
from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, DictionaryAttr, MemRefType, ModuleOp, TupleType
from xdsl.ir import Attribute, Operation, SSAValue

from hetc.analysis.entry import entry_function
from hetc.analysis.source_types import leaf_types, scalar_from_ir
from hetc.dialects import guard, offload, skel
from hetc.dialects.obj import payload
from tests.unit.ir_interpreter import HANDLERS, Array, Cases, Stopped, Value, dtype_of, payloads, python_value


@dataclass(frozen=True)
class Result:
    """The elements of a call's result (one, for a reduction), and by element the guards that failed."""

    elements: list[Any]
    failed: dict[int, str]


def run_module(module: ModuleOp, inputs: Sequence[Sequence[Any]], captured: dict[str, Any]) -> Result:
    """Run a module on inputs of one length; `captured` holds captured arrays, lists and scalars."""
    arrays = {name: np.array(value) if isinstance(value, list) else value for name, value in captured.items()}
    return _Program(module, inputs, arrays).run()


@dataclass
class _Program:
    module: ModuleOp
    inputs: Sequence[Sequence[Any]]
    captured: dict[str, Any]
    values: dict[SSAValue, Any] = field(default_factory=dict[SSAValue, Any])
    failed: dict[int, str] = field(default_factory=dict[int, str])

    def run(self) -> Result:
        entry = entry_function(self.module)
        assert entry is not None
        self.length = len(self.inputs[0])
        self.known = self.captured | self._sizes()
        self.kernels = {f.sym_name.data: f for f in self.module.walk() if isinstance(f, gpu.FuncOp)}
        facts = entry.arg_attrs.data if isinstance(entry.arg_attrs, ArrayAttr) else ()
        for argument, fact in zip(entry.body.block.args, facts, strict=True):
            self.values[argument] = self._argument(argument.type, fact)
        element = entry.attributes["skel.result"]
        for op in entry.body.block.ops:
            if isinstance(op, func.ReturnOp):
                columns = [self.values[value] for value in op.arguments]
                if len(columns) == 1 and isinstance(columns[0], list):  # a plan has put the result together
                    columns = columns[0]
                return Result(_elements([np.atleast_1d(column) for column in columns], element), self.failed)
            self._step(op)
        raise AssertionError("the entry does not return")

    def _sizes(self) -> dict[str, Any]:
        sizes: dict[str, Any] = {"dim0": self.length}
        for op in self.module.ops:
            if isinstance(op, skel.CaptureOp) and op.dims is not None:
                shape = self.captured[op.sym_name.data].shape
                sizes |= {f"dim{dim}": size for dim, size in zip(op.dims.get_values(), shape, strict=True)}
        return sizes

    def _argument(self, type_: Attribute, fact: DictionaryAttr) -> Any:
        path = fact.data["skel.path"]
        assert isinstance(path, DenseArrayBase)
        index, *rest = (int(k) for k in path.get_values())
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
        HANDLERS[type(op)](cases, op)
        for result in op.results:
            value = cases.get(result)
            self.values[result] = value.data[0] if isinstance(value, Value) else value

    def _cases(self, known: Iterable[SSAValue]) -> Cases:
        """One case, which knows these values of the entry; a tuple is a list of values already."""
        cases = Cases(1, self.known, self.module)
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
        outputs = [np.zeros(self.length, dtype_of(payload(skel.element_type(v.type)))) for v in op.outputs]
        for index in range(self.length):
            values = self._body(op.body.block, [column[index] for column in columns], index)
            for output, value in zip(outputs, values or (), strict=False):
                output[index] = value
        self.values |= zip(op.outputs, outputs, strict=True)

    def reduce(self, op: skel.ReduceOp) -> None:
        columns = [_column(self.values[value]) for value in op.inputs]
        total: list[Any] | None = [self.values[init] for init in op.inits]
        for index in range(self.length):
            element = self._body(op.transform.block, [column[index] for column in columns], 0)
            if total is None or element is None:
                break
            total = self._body(op.combine.block, [*total, *element], 0)
        self.values |= zip(op.outputs, total or [0] * len(op.outputs), strict=True)

    # --- Plans -------------------------------------------------------------------------------------------------------

    def captured_value(self, op: skel.CapturedOp) -> None:
        self.values[op.result] = self.captured[op.variable.root_reference.data]

    def marshal(self, op: offload.MarshalOp) -> None:
        array = self.values[op.operand]
        array = np.asarray(array).reshape(-1)
        kind = dtype_of(op.result.type.element_type)
        self.values[op.result] = array.view(kind) if array.dtype.kind == "u" else array.astype(kind)

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
        for item in range(items):
            cases = Cases(1, self.known | {"item": item, "group": group}, self.module)
            arguments = [self.values[argument] for argument in op.arguments]
            try:
                cases.run(
                    kernel.body.block,
                    [
                        value if isinstance(value, np.ndarray) and value.ndim else cases.plain(np.atleast_1d(value))
                        for value in arguments
                    ],
                )
            except Stopped:
                self.failed.setdefault(item, cases.failed[0])

    def check(self, op: offload.CheckGuardsOp) -> None:
        assert bool(np.any(self.values[op.flags])) == bool(self.failed), "flags and failed guards differ"

    def unmarshal(self, op: offload.UnmarshalOp) -> None:
        hosts = [self.values[host] for host in op.hosts]
        self.values[op.result] = [host[:1] if op.scalar is not None else host for host in hosts]


_STEPS: dict[type[Operation], Callable[[_Program, Any], None]] = {
    skel.MapOp: _Program.map,
    skel.ReduceOp: _Program.reduce,
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


# --------------------------------------------------------------------------------------------------------------------
# What only kernels do
# --------------------------------------------------------------------------------------------------------------------


def _identity(of: Callable[[int, int], int]) -> Callable[[Cases, Any], None]:
    def run(c: Cases, op: Operation) -> None:
        c.set(op.results[0], np.full(1, of(c.captured["item"], c.captured["group"])))

    return run


def _load(c: Cases, op: memref.LoadOp) -> None:
    c.set(op.res, c.get(op.memref)[_place(c, op.memref, op.indices)])


def _store(c: Cases, op: memref.StoreOp) -> None:
    c.get(op.memref)[_place(c, op.memref, op.indices)] = c.demand(c.get(op.value), "a store")


def _place(c: Cases, buffer: SSAValue, indices: Sequence[SSAValue]) -> Array:
    (index,) = (c.demand(c.get(index), "an address") for index in indices)
    assert 0 <= index[0] < len(c.get(buffer)), "an access outside a buffer"
    return index


def _check(c: Cases, op: guard.CheckOp) -> None:
    if not c.demand(c.get(op.condition), "a guard")[0] and op.kind.data is not guard.GuardKind.WARNING:
        c.get(op.flags)[op.slot.value.data] = 1
        c.failed[0] = op.reason.data
        raise Stopped


def _long_product(c: Cases, op: arith.MulSIExtendedOp) -> None:
    left, right = c.get(op.lhs), c.get(op.rhs)
    width = left.data.dtype.itemsize * 8
    products = [int(a) * int(b) for a, b in zip(left.data, right.data, strict=True)]
    for result, shift in ((op.low, 0), (op.high, width)):
        wrapped = [((p >> shift) + (1 << (width - 1))) % (1 << width) - (1 << (width - 1)) for p in products]
        c.set(result, np.array(wrapped, left.data.dtype), left, right)


def _minmax(function: Callable[[Any, Any], Any]) -> Callable[[Cases, Any], None]:
    def run(c: Cases, op: Operation) -> None:
        left, right = (c.get(operand) for operand in op.operands)
        a, b = (value.data.view(np.uint64) for value in (left, right))
        c.set(op.results[0], function(a, b).view(np.int64), left, right)

    return run


HANDLERS |= {
    gpu.GlobalIdOp: _identity(lambda item, group: item),
    gpu.BlockIdOp: _identity(lambda item, group: item // group),
    gpu.ThreadIdOp: _identity(lambda item, group: item % group),
    gpu.ReturnOp: lambda c, op: None,
    memref.LoadOp: _load,
    memref.StoreOp: _store,
    guard.CheckOp: _check,
    offload.ZeroOp: lambda c, op: c.set(op.result, np.zeros(1, dtype_of(op.result.type))),
    arith.MulSIExtendedOp: _long_product,
    arith.IndexCastOp: lambda c, op: c.set(
        op.result, c.get(op.input).data.astype(dtype_of(op.result.type)), c.get(op.input)
    ),
    arith.MinUIOp: _minmax(np.minimum),
    arith.MaxUIOp: _minmax(np.maximum),
    arith.CeilDivUIOp: lambda c, op: c.set(
        op.results[0], -(-c.get(op.operands[0]).data // c.get(op.operands[1]).data), *map(c.get, op.operands)
    ),
}

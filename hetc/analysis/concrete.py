"""Run level-0 IR on Python objects: what a `dyn` program means, op by op, by Python's own operators.

It runs a few elements of a call to see which branches they take (a *profile*), and serves tests as a reference of what
the frontends emit. A program runs without side effects, whatever it raises, unless it is allowed to store to arrays.
"""

from __future__ import annotations

import builtins
import cmath
import functools
import itertools
import keyword
import math
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, cast

import numpy as np
from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i1
from xdsl.dialects.complex import ComplexNumberAttr
from xdsl.ir import Block, Operation, SSAValue

from hetc.analysis import compensated_sums
from hetc.analysis.concrete_objects import NotRunError, has_objects, python_numbers, wrapped
from hetc.analysis.concrete_values import HANDLERS as VALUES
from hetc.dialects import dyn, obj, skel
from hetc.extensions import is_intrinsic, resolve
from hetc.windows import Neighbourhood, Window

FUEL = 5_000
"""How many ops a run may take: about 5 ms."""


class OutOfFuelError(Exception):
    """A run took too long."""


class LeftError(Exception):
    """The program came to a `dyn.leave`."""


class ConcreteRun:
    """Runs the functions of a level-0 module; `taken` holds the branches of each `scf.if` that were taken.

    With `values`, objects, and functions that are values, are run as well (`hetc.analysis.concrete_values`).
    """

    def __init__(
        self,
        module: ModuleOp,
        captured: Mapping[str, object],
        fuel: int = FUEL,
        *,
        stores: bool = False,
        values: bool = False,
    ) -> None:
        self.stores = stores
        self.classes = {op.sym_name.data: op for op in module.ops if isinstance(op, obj.ClassOp)}
        self.handlers = {**VALUES, **_HANDLERS} if values else _HANDLERS
        self.functions = {op.sym_name.data: op for op in module.ops if isinstance(op, func.FuncOp)}
        self.captured = python_numbers(captured, module) if values else captured
        self.fuel = fuel
        self.values: dict[SSAValue, Any] = {}
        self.taken: dict[scf.IfOp, set[bool]] = {}

    def call(self, name: str, arguments: Sequence[object]) -> Any:
        """The result of a function of the module.

        Raises what the program raises; and LeftError, OutOfFuelError or NotRunError where it cannot be run to its end.
        """
        outer, self.values = self.values, {}
        try:
            return self.block(self.functions[name].body.block, arguments)[0]
        finally:
            self.values = outer

    def element(self, body: Block, arguments: Sequence[object]) -> Any:
        """What the body of a skeleton yields for one element."""
        return self.elements(body, arguments)[0]

    def elements(self, body: Block, arguments: Sequence[object]) -> list[Any]:
        """All that the body of a skeleton yields for one element."""
        outer, self.values = self.values, {}
        try:
            return self.block(body, arguments)
        finally:
            self.values = outer

    def block(self, block: Block, arguments: Sequence[object]) -> list[Any]:
        """Run a block; the result is what its terminator passes on."""
        for argument, value in zip(block.args, arguments, strict=True):
            self.values[argument] = value
        last = block.last_op
        for op in block.ops:
            if op is last:
                break
            self.op(op)
        assert last is not None
        return [self.values[operand] for operand in last.operands]

    def op(self, op: Operation) -> None:
        """Run one op."""
        self.fuel -= 1
        if self.fuel < 0:
            raise OutOfFuelError
        handler = self.handlers.get(type(op))
        if handler is None:
            raise NotRunError(op.name)
        handler(self, op)

    def get(self, value: SSAValue) -> Any:
        """The object that a value is; a variable without a value raises what Python raises."""
        found = self.values[value]
        if isinstance(found, _Unbound):
            raise UnboundLocalError(found.variable)
        return found

    def all(self, values: Sequence[SSAValue]) -> list[Any]:
        """The objects that some values are."""
        return [self.get(value) for value in values]


class _Unbound:
    """No value."""

    def __init__(self, variable: str) -> None:
        self.variable = variable


@functools.cache
def function_named(name: str) -> Callable[..., Any]:
    """The function that a `dyn.builtin` calls.

    >>> function_named("math.sqrt")(4.0), function_named("len")((1, 2))
    (2.0, 2)
    >>> function_named("number.imag")(2j)
    2.0
    """
    if is_intrinsic(name):
        return resolve(name)
    module, _, attribute = name.rpartition(".")
    if module in ("number.astype", "number.view"):
        return operator.methodcaller(module.removeprefix("number."), attribute)
    if module == "sum":
        return compensated_sums.PARTS[attribute]
    if module == "number":
        return (operator.attrgetter if attribute in dyn.NUMBER_ATTRIBUTES else operator.methodcaller)(attribute)
    return getattr({"cmath": cmath, "math": math, "np": np, "": builtins}[module], attribute)


@functools.cache
def operator_named(name: str) -> Callable[..., Any]:
    """Python's operator of a name in `dyn`."""
    return getattr(operator, f"{name}_" if keyword.iskeyword(name) else name)


def _const(run: ConcreteRun, op: dyn.ConstOp) -> None:
    if isinstance(op.value, ComplexNumberAttr):
        run.values[op.result] = complex(op.value.real.data, op.value.imag.data)
        return
    value = op.value.value.data
    run.values[op.result] = bool(value) if isinstance(op.value, IntegerAttr) and op.value.type == i1 else value


def _global(run: ConcreteRun, op: dyn.GlobalOp) -> None:
    run.values[op.result] = run.captured[op.variable.root_reference.data]


def _binary(run: ConcreteRun, op: dyn.BinaryOp) -> None:
    run.values[op.result] = operator_named(op.operator.data)(run.get(op.left), run.get(op.right))


def _unary(run: ConcreteRun, op: dyn.UnaryOp) -> None:
    run.values[op.result] = operator_named(op.operator.data)(run.get(op.operand))


def _compare(run: ConcreteRun, op: dyn.CompareOp) -> None:
    run.values[op.result] = operator_named(op.operator.data)(run.get(op.left), run.get(op.right))


def _truth(run: ConcreteRun, op: dyn.TruthOp) -> None:
    run.values[op.result] = bool(run.get(op.operand))


def _from_bool(run: ConcreteRun, op: dyn.FromBoolOp) -> None:
    run.values[op.result] = run.get(op.operand)


def _call(run: ConcreteRun, op: dyn.CallOp) -> None:
    run.values[op.result] = run.call(op.callee.root_reference.data, run.all(op.arguments))


def _builtin(run: ConcreteRun, op: dyn.BuiltinOp) -> None:
    values = run.all(op.arguments)
    count = len(values) - len(op.named)
    keywords = dict(zip(op.named, values[count:], strict=True))
    run.values[op.result] = function_named(op.function.data)(*values[:count], **keywords)


def _getitem(run: ConcreteRun, op: dyn.GetItemOp) -> None:
    indices = run.all(op.indices)
    run.values[op.result] = run.get(op.container)[indices[0] if len(indices) == 1 else tuple(indices)]


def _store_item(run: ConcreteRun, op: dyn.StoreItemOp) -> None:
    if not run.stores:
        raise NotRunError(op.name)
    indices = run.all(op.indices)
    run.get(op.container)[indices[0] if len(indices) == 1 else tuple(indices)] = run.get(op.value)


def _window(run: ConcreteRun, op: skel.WindowOp) -> None:
    grid = run.captured[op.array.root_reference.data]
    neighbourhood = Neighbourhood(op.radius.get_values(), op.boundary.data)
    fill = None if op.fill is None else run.get(op.fill)
    run.values[op.result] = Window(grid, tuple(run.all(op.point)), neighbourhood, fill)


def _shape(run: ConcreteRun, op: dyn.ShapeOp) -> None:
    run.values[op.result] = run.get(op.container).shape


def _build_tuple(run: ConcreteRun, op: dyn.BuildTupleOp) -> None:
    run.values[op.result] = tuple(run.all(op.items))


def _build_list(run: ConcreteRun, op: dyn.BuildListOp) -> None:
    run.values[op.result] = run.all(op.items)


def _append(run: ConcreteRun, op: dyn.AppendOp) -> None:
    # In place: nothing looks at the list before it, and a copy would make each loop quadratic.
    run.values[op.result] = run.get(op.container)
    run.values[op.result].append(run.get(op.value))


def _unpack(run: ConcreteRun, op: dyn.UnpackOp) -> None:
    items, count = tuple(run.get(op.operand)), len(op.items)
    if op.star is not None and len(items) >= count - 1:
        star = op.star.value.data
        end = len(items) - (count - 1 - star)
        items = (*items[:star], list(items[star:end]), *items[end:])
    if len(items) != count:
        raise ValueError(f"expected {count} values to unpack, got {len(items)}")
    run.values.update(zip(op.items, items, strict=True))


def _bound(run: ConcreteRun, op: dyn.BoundOp) -> None:
    run.values[op.result] = run.get(op.operand)


def _unbound(run: ConcreteRun, op: dyn.UnboundOp) -> None:
    run.values[op.result] = _Unbound(op.variable.data)


def _none(run: ConcreteRun, op: dyn.NoneOp) -> None:
    run.values[op.result] = None


def _leave(_: ConcreteRun, op: dyn.LeaveOp) -> None:
    raise LeftError(op.reason.data)


def _flag(run: ConcreteRun, op: arith.ConstantOp) -> None:
    assert isinstance(op.value, IntegerAttr)
    run.values[op.result] = bool(op.value.value.data)


def _if(run: ConcreteRun, op: scf.IfOp) -> None:
    condition = bool(run.get(op.cond))
    run.taken.setdefault(op, set()).add(condition)
    region = op.true_region if condition else op.false_region
    if region.blocks:
        run.values.update(zip(op.results, run.block(region.block, ()), strict=True))


def _while(run: ConcreteRun, op: scf.WhileOp) -> None:
    carried = [run.values[value] for value in op.arguments]
    while True:
        condition, *passed = run.block(op.before_region.block, carried)
        if not condition:
            break
        carried = run.block(op.after_region.block, passed)
    run.values.update(zip(op.results, passed, strict=True))


def _for(run: ConcreteRun, op: dyn.ForRangeOp) -> None:
    carried = [run.values[value] for value in op.inits]
    for number in range(*run.all([op.start, op.stop, op.step])):
        carried = run.block(op.body.block, [number, *carried])
        if op.early_exit is not None and carried[-1]:
            break
    run.values.update(zip(op.outputs, carried, strict=True))


_HANDLERS: dict[type[Operation], Callable[[ConcreteRun, Any], None]] = {
    dyn.ConstOp: _const,
    dyn.GlobalOp: _global,
    dyn.BinaryOp: _binary,
    dyn.UnaryOp: _unary,
    dyn.CompareOp: _compare,
    dyn.TruthOp: _truth,
    dyn.FromBoolOp: _from_bool,
    dyn.CallOp: _call,
    dyn.BuiltinOp: _builtin,
    dyn.GetItemOp: _getitem,
    dyn.StoreItemOp: _store_item,
    skel.WindowOp: _window,
    dyn.ShapeOp: _shape,
    dyn.BuildTupleOp: _build_tuple,
    dyn.BuildListOp: _build_list,
    dyn.AppendOp: _append,
    dyn.UnpackOp: _unpack,
    dyn.UnboundOp: _unbound,
    dyn.BoundOp: _bound,
    dyn.NoneOp: _none,
    dyn.LeaveOp: _leave,
    arith.ConstantOp: _flag,
    scf.IfOp: _if,
    scf.WhileOp: _while,
    dyn.ForRangeOp: _for,
}


def run_entry(  # noqa: PLR0912 (a case a skeleton)
    run: ConcreteRun, entry: func.FuncOp, columns: Sequence[Sequence[object]], start: tuple[object, ...] | None = None
) -> Any:
    """The result of the entry function on inputs given as sequences of elements: a list, or a reduction's value.

    `start` holds what a reduction or scan goes on from, if not from its own start.
    """
    arrays: dict[SSAValue, Any] = {
        argument: _column(run, column, argument)
        for argument, column in zip(entry.body.block.args, columns, strict=True)
    }
    for op in entry.body.block.ops:
        match op:
            case skel.MapOp() | skel.ForallOp():
                found = [run.elements(op.body.block, row) for row in _rows(op, arrays)]
                arrays |= {output: [row[k] for row in found] for k, output in enumerate(op.outputs)}
            case skel.FilterOp():
                rows = list(zip(*(arrays[value] for value in op.inputs), strict=True))
                kept = [row for row in rows if run.element(op.predicate.block, row)]
                arrays |= {output: [row[k] for row in kept] for k, output in enumerate(op.outputs)}
            case skel.ZipOp():
                arrays[op.output] = list(zip(*(arrays[value] for value in op.inputs), strict=True))
            case skel.ReduceOp():
                begin = [run.values[init] for init in op.inits] if start is None else start
                elements = [run.element(op.transform.block, [value]) for value in arrays[op.inputs[0]]]
                combine = op.combine.block
                arrays[op.outputs[0]] = functools.reduce(lambda a, b: run.element(combine, [a, b]), elements, *begin)
            case skel.PositionsOp():
                arrays[op.result] = range(len(arrays[op.array]))
            case dyn.GetItemOp() if op.container in arrays:
                arrays[op.result] = arrays[op.container][run.values[op.indices[0]]]
            case skel.CapturedOp():
                arrays[op.result] = cast("Any", run.captured[op.variable.root_reference.data])
            case skel.GatherOp():
                for old, new in zip(op.inputs, op.outputs, strict=True):
                    arrays[new] = [arrays[old][k] for k in arrays[op.indices]]
            case skel.ScatterOp():
                arrays[op.outputs[0]] = _scatter(run, op, [arrays[value] for value in op.inputs])
            case skel.PartitionOp():
                arrays |= zip(op.outputs, _partition(run, op, [arrays[value] for value in op.inputs]), strict=True)
            case skel.ScanOp():
                arrays[op.outputs[0]] = _scan(run, op, arrays[op.inputs[0]], start)
            case func.ReturnOp():
                return arrays[op.arguments[0]] if op.arguments else []
            case _:
                run.op(op)
    raise AssertionError("the entry returns its result")


def _column(run: ConcreteRun, column: Sequence[object], argument: SSAValue) -> Sequence[object]:
    """The elements of an input, Python's objects as objects of the module's classes."""
    element = skel.element_type(argument.type)
    return [wrapped(run, value, element) for value in column] if has_objects(element) else column


def _rows(op: skel.MapOp | skel.ForallOp, arrays: Mapping[SSAValue, Any]) -> Iterable[tuple[Any, ...]]:
    """What the body of a map or a loop is run on, in order."""
    if isinstance(op, skel.MapOp):
        return zip(*(arrays[value] for value in op.inputs), strict=True)
    return itertools.product(*(arrays[value] for value in op.sequences))


def _scatter(run: ConcreteRun, op: skel.ScatterOp, columns: Sequence[Sequence[object]]) -> list[Any]:
    pairs = [run.elements(op.transform.block, row) for row in zip(*columns, strict=True)]
    init = run.values[op.inits[0]] if op.inits else type(pairs[0][1])() if pairs else 0
    size = op.size.value.data
    items: list[Any] = [init] * size
    for key, value in pairs:
        items[key] = run.element(op.combine.block, [items[key], value])
    if op.unique is not None and len({int(key) % size for key, _ in pairs}) < len(pairs):
        raise ValueError("two elements have the same key")
    return items


def _partition(run: ConcreteRun, op: skel.PartitionOp, columns: Sequence[Sequence[object]]) -> list[list[object]]:
    classes = [run.element(op.body.block, row) for row in zip(*columns, strict=True)]
    order = sorted(range(len(classes)), key=classes.__getitem__)
    return [[column[k] for k in order] for column in columns[len(columns) - len(op.outputs) :]]


def _scan(run: ConcreteRun, op: skel.ScanOp, inputs: Sequence[object], start: tuple[object, ...] | None) -> list[Any]:
    elements = [run.element(op.transform.block, [value]) for value in inputs]
    init = (run.values[op.inits[0]] if op.inits else None) if start is None else start[0]
    combine = op.combine.block
    prefixes = list(itertools.accumulate(elements, lambda a, b: run.element(combine, [a, b]), initial=init))
    return prefixes if init is None else prefixes[:-1] if op.exclusive is not None else prefixes[1:]

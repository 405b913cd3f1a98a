"""Composition and signature -> the level-0 module: skeletons over dynamic functions.

The module holds the declarations of captured variables, the entry function with one skeleton a stage, and every
Python function that is called, each in `dyn`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar, cast

import numpy as np
from xdsl.dialects import func
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    UNKNOWN_LOC,
    ArrayAttr,
    DenseArrayBase,
    LocationAttr,
    ModuleOp,
    StringAttr,
    TensorType,
    UnitAttr,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from hetc.abi import (
    NAMED_RECORD,
    NUMPY_SCALARS,
    RECORD,
    Container,
    ElementType,
    Grid,
    InputKind,
    ObjectType,
    Refused,
    Signature,
    ValueType,
    only_numbers,
)
from hetc.analysis.entry import ArgumentFacts
from hetc.analysis.locations import source_location
from hetc.analysis.naming import ascii_name
from hetc.analysis.source_types import to_ir
from hetc.diagnostics import Category
from hetc.dialects import dyn, skel
from hetc.errors import UnsupportedError
from hetc.frontends.python.calls import default_node, signature_of
from hetc.frontends.python.class_declarations import declare_records, emit_classes
from hetc.frontends.python.closure import CapturedRecords, Known, Resolution, ResolvedFunction, reachable
from hetc.frontends.python.emit import emit_callee, emit_function, parameter_names
from hetc.frontends.python.expressions import ExpressionEmitter
from hetc.frontends.python.object_writes import written_attributes
from hetc.frontends.python.scopes import ordered_parameters
from hetc.frontends.python.source import function_node
from hetc.frontends.skeleton.composition import (
    Captured,
    Enumerate,
    Filter,
    ForAll,
    Gather,
    Iterate,
    Map,
    Nothing,
    Partition,
    Reduce,
    Scan,
    Scatter,
    Sort,
    Stage,
    Stages,
    Stencil,
    Zip,
    keeps_elements,
)
from hetc.windows import Neighbourhood

Op = TypeVar("Op", bound=Operation)
OBJECTS = TensorType(dyn.OBJECT, [DYNAMIC_INDEX])


def emit_module(
    name: str,
    stages: Stages,
    signature: Signature,
    captures: Mapping[str, ValueType | Refused],
    resolution: Resolution,
) -> ModuleOp:
    """The level-0 module of a composition for one signature.

    `captures` gives the type of each captured variable of `resolution`. Raises UnsupportedError for a construct that is
    not compiled.
    """
    functions = reachable(resolution.functions)
    stores = any(isinstance(stage, ForAll) for stage in stages)
    writes = writes_of(stages, signature, resolution)
    entry = EntryEmitter(stages, signature, resolution, captures).emit(
        unused_name(name, functions, "_loop" if stores else "_map")
    )
    if writes:
        entry.attributes["skel.writes"] = ArrayAttr(skel.write_attribute(number, name) for number, _, name in writes)
    returned = tuple((parameter, name) for _, parameter, name in writes)
    refused = {name: value for name, value in captures.items() if isinstance(value, Refused)}
    types = {name: captures[name] for name in resolution.captures}
    declarations = [declare(name, type_) for name, type_ in types.items() if isinstance(type_, ValueType)]
    roots = [root for root in resolution.functions if isinstance(root, ResolvedFunction)]
    bodies = [
        emit_function(f, refused, stores=stores, writes=returned)
        if f in roots
        else emit_callee(f, refused, stores=stores)
        for f in functions
    ]
    classes = [] if resolution.program is None else emit_classes(resolution.program, refused)
    captured = (binding for function in functions for binding in function.bindings.values())
    if any(is_record(value.element) for value in signature.inputs) or any(
        isinstance(binding, CapturedRecords) for binding in captured
    ):
        classes += declare_records()
    return ModuleOp([*declarations, *classes, entry, *bodies])


def writes_of(stages: Stages, signature: Signature, resolution: Resolution) -> list[tuple[int, str, str]]:
    """The attributes of elements that a single map assigns: the number of the input, the parameter and the name."""
    root = next(iter(resolution.functions), None)
    if len(stages) != 1 or not isinstance(stages[0], Map) or not isinstance(root, ResolvedFunction):
        return []
    if any(value.resident for value in signature.inputs):  # a portable array has read its objects before
        return []
    node = function_node(root.function)
    parameters = ordered_parameters(node.args)[: len(signature.inputs)]
    numbers = {
        name: number
        for number, name in enumerate(parameters)
        if isinstance(signature.inputs[number].element, ObjectType)
    }
    return [(numbers[owner], owner, name) for owner, name in written_attributes(node) if owner in numbers]


def is_record(element: ElementType) -> bool:
    """Whether it is the type of elements of a structured array."""
    return isinstance(element, ObjectType) and element.symbol in (RECORD, NAMED_RECORD)


def unused_name(name: str, functions: Iterable[ResolvedFunction], suffix: str) -> str:
    """A name for the entry that no Python function of the module has."""
    taken = {function.symbol for function in functions}
    while name in taken:
        name += suffix
    return name


def declare(name: str, value: ValueType) -> skel.CaptureOp:
    """The declaration of a captured variable."""
    element = to_ir(value.element)
    bounds = None if value.bounds is None else (value.bounds.low, value.bounds.high)
    type_ = element if value.kind is InputKind.SCALAR else TensorType(element, [DYNAMIC_INDEX] * value.rank)
    stride = value.strides[0] if value.strides else None
    declared = skel.CaptureOp(
        name, type_, value.dims, bounds, value.equals_dim, value.value, resident=value.resident, stride=stride
    )
    declared.positive = UnitAttr() if value.positive else None
    declared.objects = StringAttr(value.objects) if value.objects else None
    return declared


class EntryEmitter:
    """Emits the entry function: one skeleton a stage, in order."""

    def __init__(
        self,
        stages: Stages,
        signature: Signature,
        resolution: Resolution,
        captures: Mapping[str, ValueType | Refused],
    ) -> None:
        self.stages = stages
        self.signature = signature
        self.functions = iter(resolution.functions)
        self.captures = captures
        self.index_arrays = iter(resolution.index_arrays)
        self.dim: int | None = 0
        """The number of the dimension that is the length of the arrays; None if it has none."""
        self.block = Block(arg_types=[input_type(value) for value in signature.inputs])
        batches = signature.batches
        self.numbers = self.block.args[-1] if batches is not None and batches.numbered else None
        """What numbers the elements, where they are a batch of many."""
        first = next((f for f in resolution.functions if isinstance(f, ResolvedFunction)), None)
        self.location: LocationAttr = UNKNOWN_LOC if first is None else location_of(first)

    def emit(self, name: str) -> func.FuncOp:
        """The entry function."""
        arrays: list[SSAValue] = list(self.block.args)
        if self.numbers is not None:
            arrays.remove(self.numbers)
        for stage in self.stages:
            arrays = self.applied(stage, arrays)
            if isinstance(stage, Filter | Scatter):
                self.dim = None
        if len(arrays) > 1:
            arrays = [self.add(skel.ZipOp(arrays, OBJECTS)).output]
        self.add(func.ReturnOp(*arrays))
        return self.entry(name, arrays)

    def applied(self, stage: Stage, arrays: list[SSAValue]) -> list[SSAValue]:
        """What a stage makes of arrays."""
        match stage:
            case Map():
                return [self.map(arrays)]
            case Zip():
                return [self.add(skel.ZipOp(arrays, OBJECTS)).output]
            case Enumerate():
                return [self.numbers or self.add(skel.PositionsOp(arrays[0])).result, *arrays]
            case Reduce():
                return [self.reduce(arrays, stage)]
            case Scan():
                return [self.scan(arrays, stage)]
            case Filter():
                return self.filter(arrays)
            case Gather():
                return self.gather(arrays)
            case Scatter():
                return [self.scatter(arrays, stage)]
            case ForAll():
                return self.forall(arrays, stage)
            case Stencil(neighbourhood=neighbourhood):
                return [self.stencil(arrays, neighbourhood)]
            case Partition():
                return self.partition(arrays, stage)
            case Iterate() | Sort():
                raise AssertionError("iterations and sorts are taken apart before")

    def entry(self, name: str, results: Sequence[SSAValue]) -> func.FuncOp:
        """The function around what has been emitted, with what is known of the call."""
        facts = [
            ArgumentFacts(
                (k,),
                value.bounds,
                value.below,
                value.unit_step,
                value.constant,
                value.resident,
                value.strides,
                value.layout,
            )
            for k, value in enumerate(self.signature.inputs)
        ]
        entry = func.FuncOp(
            name,
            (self.block.arg_types, [result.type for result in results]),
            Region(self.block),
            arg_attrs=ArrayAttr(fact.attribute() for fact in facts),
        )
        entry.location = self.location
        entry.attributes["skel.entry"] = UnitAttr()
        entry.attributes["skel.container"] = StringAttr(self.signature.container.value)
        zips = sum(isinstance(stage, Zip) for stage in self.stages)
        gathers = any(isinstance(stage, Gather) for stage in self.stages)
        if keeps_elements(self.stages) and not gathers and zips < 2 and not self._made_of_numbers():
            rows = zips or len(self.signature.inputs) > 1
            entry.attributes["skel.originals"] = StringAttr("rows" if rows else "elements")
        if any(isinstance(stage, ForAll) and stage.dropped for stage in self.stages):
            entry.attributes["skel.dropped"] = UnitAttr()
        if self.signature.layout is not None:
            entry.attributes["skel.layout"] = StringAttr(self.signature.layout)
        if self.signature.wide:
            entry.attributes["skel.wide"] = UnitAttr()
        if self.signature.batches is not None:
            entry.attributes["skel.batches"] = ArrayAttr(map(StringAttr, self.signature.batches.carried))
            if divided := self.signature.batches.divided:
                entry.attributes["skel.divided"] = ArrayAttr(map(StringAttr, divided))
        if self.signature.empty:
            entry.attributes["skel.empty"] = DenseArrayBase.from_list(i64, self.signature.empty)
        return entry

    def _made_of_numbers(self) -> bool:
        """Whether the elements of the result are made again of their numbers, other than objects and records."""
        elements = [value.element for value in self.signature.inputs]
        return self.signature.container in (Container.NDARRAY, Container.ARRAY) and all(
            not isinstance(element, Refused) and only_numbers(element) for element in elements
        )

    def add(self, op: Op) -> Op:
        """Append an op that belongs to the function met last: skeletons have no place of their own in the source."""
        op.location = self.location
        self.block.add_op(op)
        return op

    def located(self, op: Op) -> Op:
        """An op at the place of the function met last."""
        op.location = self.location
        return op

    def map(self, arrays: Sequence[SSAValue]) -> SSAValue:
        """`skel.map` of the next function."""
        body = self.call_body(len(arrays))
        return self.add(skel.MapOp(arrays, [OBJECTS], Region(body))).outputs[0]

    def forall(self, arrays: Sequence[SSAValue], stage: ForAll) -> list[SSAValue]:
        """`skel.forall` of the next function."""
        body = self.call_body(len(arrays))
        end = body.last_op
        if not stage.yields and end is not None:
            end.operands = []
        results = [OBJECTS] if stage.yields else []
        return list(self.add(skel.ForallOp(arrays, results, Region(body), single=stage.single)).outputs)

    def stencil(self, sequences: Sequence[SSAValue], neighbourhood: Neighbourhood) -> SSAValue:
        """`skel.forall` of the points of the grids, with the next function on their windows.

        The grids are captured, and the sequences number their axes.
        """
        grids = self.signature.grids
        inner = self.call_body(len(grids))
        block = Block(arg_types=[dyn.OBJECT] * len(sequences))
        radii = neighbourhood.radii(len(sequences))
        windows = [self.window(grid, block.args, radii, neighbourhood.boundary) for grid in grids]
        for op in (op for ops in windows for op in ops):
            block.add_op(op)
        for argument, ops in zip(inner.args, windows, strict=True):
            argument.replace_all_uses_with(ops[-1].results[0])
        for op in list(inner.ops):
            op.detach()
            block.add_op(op)
        return self.add(skel.ForallOp(sequences, [OBJECTS], Region(block))).outputs[0]

    def window(self, grid: Grid, point: Sequence[SSAValue], radii: Sequence[int], boundary: str) -> list[Operation]:
        """The window of a grid around a point."""
        made: list[Operation] = []
        outer, self.block = self.block, Block()
        fill = self.literal(grid.fill) if boundary == "constant" else None
        for op in list(self.block.ops):
            op.detach()
            made.append(op)
        self.block = outer
        return [*made, self.located(skel.WindowOp(grid.name, point, radii, boundary, fill))]

    def reduce(self, arrays: Sequence[SSAValue], stage: Reduce) -> SSAValue:
        """`skel.reduce` with the next function, from an initial value if there is one."""
        combine, identity = self.call_body(2), self.identity()
        inits = [] if stage.init is Nothing.NOTHING else [self.literal(stage.init)]
        result = self.add(skel.ReduceOp(arrays, inits, Region(identity), Region(combine))).outputs[0]
        if stage.part is None:
            return result
        return self.add(dyn.GetItemOp(result, [self.add(dyn.ConstOp(stage.part)).result])).result

    def scan(self, arrays: Sequence[SSAValue], stage: Scan) -> SSAValue:
        """`skel.scan` with the next function."""
        combine, identity = self.call_body(2), self.identity()
        inits = [] if stage.init is None else [self.literal(stage.init)]
        regions = Region(identity), Region(combine)
        return self.add(skel.ScanOp(arrays, inits, [OBJECTS], *regions, exclusive=stage.exclusive)).outputs[0]

    def filter(self, arrays: Sequence[SSAValue]) -> list[SSAValue]:
        """`skel.filter` by the next function, whose result counts by its truth value."""
        predicate = self.call_body(len(arrays))
        end = predicate.last_op
        assert isinstance(end, skel.YieldOp)
        truth = self.located(dyn.TruthOp(end.values[0]))
        predicate.insert_op_before(truth, end)
        end.operands = [truth.result]
        transform = Block(arg_types=[dyn.OBJECT] * len(arrays))
        transform.add_op(self.located(skel.YieldOp(*transform.args)))
        outputs = [OBJECTS] * len(arrays)
        return list(self.add(skel.FilterOp(arrays, outputs, Region(predicate), Region(transform))).outputs)

    def gather(self, arrays: Sequence[SSAValue]) -> list[SSAValue]:
        """`skel.gather` of all arrays by the next array of indices."""
        if self.dim is None:
            raise self.unsupported("a gather from an array whose length only the run tells is not compiled")
        indices, self.dim = self.indices()
        return list(self.add(skel.GatherOp(arrays, indices, [OBJECTS] * len(arrays))).outputs)

    def scatter(self, arrays: Sequence[SSAValue], stage: Scatter) -> SSAValue:
        """`skel.scatter` by the next array of keys, or of elements that are keys, each of which counts as 1."""
        inputs = list(arrays)
        if stage.keys is not None:
            keys, dim = self.indices()
            if self.dim is None or dim != self.dim:
                raise self.unsupported("there is not one key for each element, as far as the compiler knows")
            inputs.insert(0, keys)
        transform = Block(arg_types=[dyn.OBJECT] * len(inputs))
        values: list[SSAValue] = list(transform.args)
        if stage.keys is None:
            one = self.located(dyn.ConstOp(1))
            transform.add_op(one)
            values.append(one.result)
        transform.add_op(self.located(skel.YieldOp(*values)))
        combine = self.last_of_two() if stage.combine is None else self.call_body(2)
        inits = [] if stage.init is None else [self.literal(stage.init)]
        regions, unique = (Region(transform), Region(combine)), stage.combine is None
        return self.add(skel.ScatterOp(inputs, stage.size, inits, [OBJECTS], *regions, unique=unique)).outputs[0]

    def partition(self, arrays: Sequence[SSAValue], stage: Partition) -> list[SSAValue]:
        """`skel.partition` by the next function."""
        outputs = [OBJECTS] * (len(arrays) - stage.dropped)
        return list(
            self.add(skel.PartitionOp(arrays, stage.classes, outputs, Region(self.call_body(len(arrays))))).outputs
        )

    def indices(self) -> tuple[SSAValue, int]:
        """The next array of indices, and the number of the dimension that is its length."""
        name = next(self.index_arrays)
        type_ = self.captures[name]
        if isinstance(type_, Refused):
            raise UnsupportedError(type_.reason, hint=type_.hint, category=type_.category)
        array = TensorType(to_ir(type_.element), [DYNAMIC_INDEX])
        return self.add(skel.CapturedOp(name, array)).result, type_.dims[0]

    def unsupported(self, reason: str) -> UnsupportedError:
        """What is not compiled, at the place of the function met last."""
        return UnsupportedError(reason, location=source_location(self.location), category=Category.CONTAINER)

    def last_of_two(self) -> Block:
        """A block that yields the second of two."""
        block = Block(arg_types=[dyn.OBJECT] * 2)
        block.add_op(self.located(skel.YieldOp(block.args[1])))
        return block

    def identity(self) -> Block:
        """A block that yields what it is given."""
        block = Block(arg_types=[dyn.OBJECT])
        block.add_op(self.located(skel.YieldOp(block.args[0])))
        return block

    def literal(self, value: object) -> SSAValue:
        """A number, or a tuple of literals, as IR. A NumPy scalar is a call of its type on a Python number."""
        if isinstance(value, Captured):
            return self.add(dyn.GlobalOp(value.name)).result
        if isinstance(value, tuple):
            items = cast("tuple[object, ...]", value)
            return self.add(dyn.BuildTupleOp([self.literal(item) for item in items])).result
        if isinstance(value, np.generic) and value.dtype.name in NUMPY_SCALARS:
            number = self.literal(value.item())
            return self.add(dyn.BuiltinOp(f"np.{value.dtype.name}", [number])).result
        if type(value) not in (bool, int, float, complex):
            raise UnsupportedError(
                f"the initial value {value!r} is not a number or a tuple of them",
                location=source_location(self.location),
                hint="start a reduction from a number, such as 0.0",
                category=Category.REDUCTION,
            )
        assert isinstance(value, bool | int | float | complex)
        return self.add(dyn.ConstOp(value)).result

    def call_body(self, count: int) -> Block:
        """A block that calls the next function on its arguments."""
        function = next(self.functions)
        block = Block(arg_types=[dyn.OBJECT] * count)
        call: dyn.BuiltinOp | dyn.CallOp
        if isinstance(function, Known):
            call = dyn.BuiltinOp(function.name, block.args)
        else:
            emitter = ExpressionEmitter(function, function.function.__code__.co_filename)
            node = function_node(function.function)
            names = parameter_names(function.function, emitter.place(node))
            signature = signature_of(function.function)
            try:
                bound = signature.bind(*block.args).arguments
            except TypeError:
                raise UnsupportedError(
                    f"{function.function.__name__} takes {len(names)} arguments, but each element gives {count}",
                    location=emitter.place(node),
                    category=Category.ARGUMENTS,
                ) from None
            emitter.block = block
            arguments: list[SSAValue] = []
            for name, parameter in signature.parameters.items():
                if parameter.kind is parameter.VAR_POSITIONAL:
                    rest = cast("tuple[SSAValue, ...]", bound.get(name, ()))
                    arguments.append(emitter.add(dyn.BuildTupleOp(rest), node).result)
                else:
                    arguments.append(
                        bound[name] if name in bound else emitter.default(parameter.default, default_node(node, name))
                    )
            for argument, name in zip(block.args, names, strict=False):
                argument.name_hint = ascii_name(name)
            call = dyn.CallOp(function.symbol, arguments)
            self.location = emitter.location(node)
        block.add_op(self.located(call))
        block.add_op(self.located(skel.YieldOp(call.result)))
        return block


def location_of(function: ResolvedFunction) -> LocationAttr:
    """Where a function stands in its file."""
    emitter = ExpressionEmitter(function, function.function.__code__.co_filename)
    return emitter.location(function_node(function.function))


def input_type(value: ValueType) -> Attribute:
    """The IR type of an input."""
    element = to_ir(value.element)
    return skel.SequenceType(element) if value.kind is InputKind.SEQUENCE else TensorType(element, [DYNAMIC_INDEX])

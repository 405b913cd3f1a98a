"""The kernel side of outlining: a `gpu.func` under construction, and the parameters that it turns out to need."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from xdsl.dialects import arith, gpu, memref, scf, ub
from xdsl.dialects.builtin import AnyFloat, IndexType, IntegerAttr, TensorType, UnitAttr, i32, i64
from xdsl.dialects.complex import ConstantOp as ComplexConstantOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from hetc.dialects import obj, offload, skel
from hetc.passes.conversion.bodies import inline_body
from hetc.passes.conversion.guarded import held, tell
from hetc.passes.conversion.kernels import atomic_addition
from hetc.passes.outlining.host import Box, HostPlan

Op = TypeVar("Op", bound=Operation)
INDEX = IndexType()
NO_WRAP = arith.IntegerOverflowAttr((arith.IntegerOverflowFlag.NSW,))
MAY_WRAP = arith.IntegerOverflowAttr("none")


class Kernel:
    """A kernel: its body block, and the host value of each parameter."""

    def __init__(self, plan: HostPlan, name: str, source: Operation) -> None:
        self.plan = plan
        self.name = plan.unused_kernel_name(name)
        self.location = source.location
        self.block = Block()
        self.current = self.block
        self.arguments: list[SSAValue] = []
        self.by_box: dict[int, Sequence[SSAValue]] = {}
        self.parameters: dict[object, SSAValue] = {}
        self.constants: dict[SSAValue, SSAValue] = {}

    def add(self, op: Op) -> Op:
        """Append an op to the current block."""
        op.location = self.location
        self.current.add_op(op)
        return op

    def parameter(self, host: SSAValue, name: str | None) -> SSAValue:
        """The kernel's parameter for a host value."""
        if host not in self.parameters:
            parameter = self.block.insert_arg(host.type, len(self.block.args))
            parameter.name_hint = name
            self.parameters[host] = parameter
            self.arguments.append(host)
        return self.parameters[host]

    def words(self, array: SSAValue, name: str) -> SSAValue:
        """A parameter that sees the buffer of an array as one of words of 32 bits, as far as they are whole."""
        host = self.plan.buffer(array)
        if ("words", host) not in self.parameters:
            parameter = self.block.insert_arg(offload.device_buffer(i32), len(self.block.args))
            parameter.name_hint = name
            self.parameters["words", host] = parameter
            self.arguments.append(host)
        return self.parameters["words", host]

    def parameter_by_box(self, hosts: Sequence[SSAValue], name: str) -> SSAValue:
        """A parameter that has a host value of its own for each box that the kernel is launched for."""
        parameter = self.block.insert_arg(hosts[0].type, len(self.block.args))
        parameter.name_hint = name
        self.by_box[len(self.arguments)] = hosts
        self.arguments.append(hosts[0])
        return parameter

    def constant(self, value: int) -> SSAValue:
        """An index known now."""
        return self.add(arith.ConstantOp(IntegerAttr(value, INDEX))).result

    def global_id(self, dimension: gpu.DimensionEnum = gpu.DimensionEnum.X, name: str | None = "index") -> SSAValue:
        """The index of this work-item, in a dimension."""
        index = self.add(gpu.GlobalIdOp(gpu.DimensionAttr(dimension))).result
        index.name_hint = name
        return index

    def local(self, element: Attribute, length: int, name: str) -> SSAValue:
        """An array that the work-items of a group share."""
        type_ = offload.local_array(element, length)
        array = self.add(memref.AllocaOp.get(element, shape=[length], memory_space=type_.memory_space)).memref
        array.name_hint = name
        return array

    def barrier(self) -> None:
        """Wait for all work-items of the group: what they have stored in local memory is there then."""
        self.add(gpu.BarrierOp())

    def loop(
        self,
        bounds: tuple[SSAValue, SSAValue, SSAValue],
        carried: Sequence[SSAValue],
        body: Callable[[SSAValue, Sequence[SSAValue]], Sequence[SSAValue]],
    ) -> list[SSAValue]:
        """Count from a first number up to an end, by a step; the body makes the carried values of those before."""
        block = Block(arg_types=[INDEX, *(value.type for value in carried)])
        outer, self.current = self.current, block
        self.add(scf.YieldOp(*body(block.args[0], block.args[1:])))
        self.current = outer
        return list(self.add(scf.ForOp(*bounds, carried, Region(block))).results)

    def branch(
        self,
        condition: SSAValue,
        then: Callable[[], Sequence[SSAValue]],
        other: Callable[[], Sequence[SSAValue]] = list,
    ) -> list[SSAValue]:
        """The values of one side or the other."""
        blocks = Block(), Block()
        outer = self.current
        for self.current, side in zip(blocks, (then, other), strict=True):
            self.add(scf.YieldOp(*side()))
        self.current = outer
        end = blocks[0].last_op
        assert end is not None
        return list(self.add(scf.IfOp(condition, end.operand_types, Region(blocks[0]), Region(blocks[1]))).results)

    def load(self, buffer: SSAValue, index: SSAValue) -> SSAValue:
        """buffer[index]."""
        return self.add(memref.LoadOp.get(buffer, [index])).res

    def store(self, value: SSAValue, buffer: SSAValue, index: SSAValue) -> None:
        """buffer[index] = value."""
        self.add(memref.StoreOp.get(value, buffer, [index]))

    def store_results(
        self, outputs: Sequence[SSAValue], values: Sequence[SSAValue], index: SSAValue, length: SSAValue
    ) -> None:
        """result[index] = value, for each output of a skeleton, in buffers of so many elements."""
        buffers = self.plan.allocate_results(outputs, length)
        for value, parameter in zip(values, self.result_parameters(buffers), strict=True):
            self.store(value, parameter, index)

    def result_parameters(self, buffers: Sequence[SSAValue]) -> list[SSAValue]:
        """The parameters for the buffers of results."""
        names = ["result"] if len(buffers) == 1 else [f"result{k}" for k in range(len(buffers))]
        return [self.parameter(buffer, name) for buffer, name in zip(buffers, names, strict=True)]

    def elements(self, inputs: Sequence[SSAValue], names: Sequence[str | None], index: SSAValue) -> list[SSAValue]:
        """The elements of a skeleton's inputs at an index."""
        return [self._element(array, name, index) for array, name in zip(inputs, names, strict=True)]

    def _element(self, array: SSAValue, name: str | None, index: SSAValue) -> SSAValue:
        if isinstance(array.type, skel.SequenceType):
            value = self._number_of(array, index)
        else:
            value = self.load(self.parameter(self.plan.buffer(array), f"{name or 'x'}_in"), index)
        if value.name_hint is None:
            value.name_hint = name
        return value

    def _number_of(self, sequence: SSAValue, index: SSAValue) -> SSAValue:
        """start + step * index, or start alone where all numbers are the same."""
        if isinstance(sequence.owner, skel.PositionsOp):
            return self.add(arith.IndexCastOp(index, i64)).result
        start = self.parameter(self.plan.sequence_part("start", sequence), "start")
        if self.plan.is_constant(sequence):
            return start
        offset = self.add(arith.IndexCastOp(index, i64)).result
        if isinstance(start.type, AnyFloat):
            step = self.parameter(self.plan.sequence_part("step", sequence), "step")
            places = self.add(arith.SIToFPOp(offset, start.type)).result
            return self.add(arith.AddfOp(start, self.add(arith.MulfOp(places, step)).result)).result
        overflow = NO_WRAP if self.plan.is_short(sequence) else MAY_WRAP
        if not self.plan.has_unit_step(sequence):
            step = self.parameter(self.plan.sequence_part("step", sequence), "step")
            offset = self.add(arith.MuliOp(offset, step, overflow=overflow)).result
        return self.add(arith.AddiOp(start, offset, overflow=overflow)).result

    def inline(self, region: Region, arguments: Sequence[SSAValue]) -> list[SSAValue]:
        """A copy of a body, on the given elements; the result is what it yields."""
        return inline_body(region.clone(), self.current, arguments)

    def inline_told(self, region: Region, arguments: Sequence[SSAValue]) -> list[SSAValue]:
        """What a body yields, and whether its guards have held; where they have not, the numbers have no meaning."""
        body = Block()
        values = inline_body(region.clone(), body, arguments)
        body.add_op(scf.YieldOp(*values))
        tell(body, self.location)
        end = body.last_op
        assert end is not None
        values = list(end.operands)
        body.erase_op(end)
        for op in list(body.ops):
            op.detach()
            self.current.add_op(op)
        return values

    def inline_past_guards(
        self, region: Region, arguments: Sequence[SSAValue], use: Callable[[Sequence[SSAValue]], None]
    ) -> None:
        """Use what a body yields: guards in it, or in branches, stay, and what follows them is done only if they hold.

        So does a kernel that no work-item may leave.
        """
        body, outer = Block(), self.current
        values = inline_body(region.clone(), body, arguments)
        sides: list[Block] = []
        for op in list(body.ops):
            op.detach()
            self.current.add_op(op)
            if (condition := held(op)) is not None:
                sides.append(Block())
                self.add(scf.IfOp(condition, [], Region(sides[-1])))
                self.current = sides[-1]
        use(values)
        for self.current in sides:
            self.add(scf.YieldOp())
        self.current = outer

    def finish(
        self,
        extent: SSAValue,
        group: int = 0,
        *,
        elementwise: bool = False,
        single: bool = False,
        boxes: Sequence[Box] = (),
    ) -> None:
        """Resolve what the body reads from outside, close the kernel, and launch it: for all indices, or some boxes.

        A group size other than 0 is one that the kernel relies on. `elementwise`: each work-item computes the element
        of its index, and nothing else depends on it. `single`: it is for one work-item, whose loops are all that may be
        vectorised.
        """
        for op in list(self.block.walk()):
            self._copy_constants(op)
            _resolve(self, op)
        self.add(gpu.ReturnOp([]))
        function = gpu.FuncOp(self.name, (self.block.arg_types, []), Region(self.block), kernel=True)
        function.location = self.location
        if elementwise:
            function.attributes["offload.elementwise"] = UnitAttr()
        if single:
            function.attributes["offload.single"] = UnitAttr()
        self.plan.kernels.add_op(function)
        for number, box in enumerate(boxes):
            arguments = [self.by_box[k][number] if k in self.by_box else host for k, host in enumerate(self.arguments)]
            self.plan.launch(self.name, extent, arguments, box=box)
        if not boxes:
            self.plan.launch(self.name, extent, self.arguments, group)

    def _copy_constants(self, op: Operation) -> None:
        """Constants of the entry function that a body shares (CSE finds them) are copied into the kernel."""
        for position, operand in enumerate(op.operands):
            constant = operand.owner
            if (
                isinstance(constant, arith.ConstantOp | ComplexConstantOp | ub.PoisonOp)
                and constant.parent_block() is self.plan.entry.body.block
            ):
                if operand not in self.constants:
                    copy = constant.clone()
                    copy.location = constant.location
                    first = self.block.first_op
                    assert first is not None
                    self.block.insert_op_before(copy, first)
                    self.constants[operand] = copy.results[0]
                op.operands[position] = self.constants[operand]


def _resolve(kernel: Kernel, op: Operation) -> None:
    """Captured variables and sizes become parameters; loads of captured arrays become loads of buffers."""
    match op:
        case skel.CapturedOp() if isinstance(op.result.type, TensorType):
            pass
        case skel.CapturedOp():
            name = op.variable.root_reference.data
            _replace(op, kernel.parameter(kernel.plan.captured_scalar(name), name))
        case skel.SizeOp():
            size = kernel.parameter(kernel.plan.size(op.dim.value.data), f"size{op.dim.value.data or ''}")
            _replace(op, _before(op, arith.IndexCastOp(size, i64)).result)
        case obj.LoadOp():
            buffer, index = _place(kernel, op)
            _replace(op, _before(op, memref.LoadOp.get(buffer, [index])).res)
        case obj.StoreOp():
            buffer, index = _place(kernel, op)
            kernel.plan.written[skel.captured_name(op.array)] = None
            _before(op, memref.StoreOp.get(op.value, buffer, [index]))
            _erase(op)
        case obj.AccumulateOp():
            buffer, index = _place(kernel, op)
            kernel.plan.written[skel.captured_name(op.array)] = None
            _before(op, atomic_addition(op.value, buffer, index))
            _erase(op)
        case _:
            pass


def _place(kernel: Kernel, op: obj.LoadOp | obj.StoreOp | obj.AccumulateOp) -> tuple[SSAValue, SSAValue]:
    """The buffer that an access of an array goes to, and the index in it: captured arrays are row-major."""
    if not isinstance(op.array.owner, skel.CapturedOp):
        buffer = kernel.parameter(kernel.plan.buffer(op.array), op.array.name_hint or "elements")
        return buffer, _before(op, arith.IndexCastOp(op.indices[0], INDEX)).result
    name = skel.captured_name(op.array)
    buffer = kernel.parameter(kernel.plan.captured_buffer(name), name)
    position = op.indices[0]
    dims = kernel.plan.declarations[name].dims
    for axis, index in enumerate(op.indices[1:], start=1):
        assert dims is not None
        size = kernel.parameter(kernel.plan.size(int(dims.get_values()[axis])), f"{name}_columns")
        columns = _before(op, arith.IndexCastOp(size, i64)).result
        row = _before(op, arith.MuliOp(position, columns)).result
        position = _before(op, arith.AddiOp(row, index)).result
    return buffer, _before(op, arith.IndexCastOp(position, INDEX)).result


def _erase(op: Operation) -> None:
    """Erase an op, and the captured array that it alone used."""
    captured = [operand.owner for operand in op.operands if isinstance(operand.owner, skel.CapturedOp)]
    for dead in (op, *captured):
        block = dead.parent_block()
        if block is not None and all(not result.uses for result in dead.results):
            block.erase_op(dead)


def _before(op: Operation, new: Op) -> Op:
    new.location = op.location
    block = op.parent_block()
    assert block is not None
    block.insert_op_before(new, op)
    return new


def _replace(op: Operation, value: SSAValue) -> None:
    if value.name_hint is None:
        value.name_hint = op.results[0].name_hint
    op.results[0].replace_all_uses_with(value)
    _erase(op)

"""The `offload` ops of the entry function -> the steps of a plan, as data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from xdsl.dialects import arith, func, gpu
from xdsl.dialects.builtin import IntegerAttr, MemRefType, ModuleOp, TensorType, UnitAttr
from xdsl.dialects.complex import ConstantOp as ComplexConstantOp
from xdsl.ir import Attribute, Operation, SSAValue

from hetc import abi
from hetc.analysis.attributes import int_values
from hetc.analysis.entry import argument_facts, entry_function
from hetc.analysis.locations import source_location
from hetc.analysis.source_types import from_ir
from hetc.backends.opencl.names import Names, mangle
from hetc.backends.opencl.printer import index_bits, kernel_name
from hetc.backends.opencl.types import dtype
from hetc.dialects import guard, offload, skel
from hetc.errors import CompileError

_COMPUTE = {
    arith.AddiOp: "add", arith.SubiOp: "sub", arith.MuliOp: "mul", arith.MinUIOp: "min", arith.MaxUIOp: "max",
    arith.DivUIOp: "div", arith.CeilDivUIOp: "ceildiv",
}  # fmt: skip


class PlanBuilder:
    """Turns the entry function into steps over numbered registers."""

    def __init__(self, module: ModuleOp) -> None:
        entry = entry_function(module)
        if entry is None:
            raise CompileError("the module has no entry function (skel.entry), so there is no plan")
        self.entry = entry
        self.bits = next((index_bits(op) for op in module.ops if isinstance(op, gpu.ModuleOp)), 64)
        self.registers: dict[SSAValue, int] = {}
        self.sources: dict[SSAValue, abi.Source] = {}
        self.steps: list[abi.Step] = []
        for argument, facts in zip(entry.body.block.args, argument_facts(entry), strict=True):
            self.sources[argument] = abi.Source(index=facts.path[0], path=facts.path[1:])

    def build(self) -> tuple[abi.Step, ...]:
        """All steps, in order."""
        for op in self.entry.body.block.ops:
            handler = _HANDLERS.get(type(op))
            if handler is None:
                raise CompileError(f"the op '{op.name}' is not a step of a plan; a pass must lower it first")
            handler(self, op)
        return tuple(self.steps)

    def new(self, value: SSAValue) -> int:
        """A register for a value."""
        self.registers[value] = len(self.registers)
        return self.registers[value]

    def source(self, value: SSAValue) -> abi.Source:
        """Where a marshalled value comes from."""
        return self.sources[value]

    def dtype(self, type_: Attribute) -> str:
        """The dtype that holds a payload."""
        return dtype(type_, self.bits)


def _captured(b: PlanBuilder, op: skel.CapturedOp) -> None:
    b.sources[op.result] = abi.Source(name=op.variable.root_reference.data)


def _marshal(b: PlanBuilder, op: offload.MarshalOp) -> None:
    stride = 1 if op.stride is None else op.stride.value.data
    b.steps.append(abi.Marshal(b.new(op.result), b.source(op.operand), _storage(b, op.operand, op.result.type), stride))


def _marshal_records(b: PlanBuilder, op: offload.MarshalRecordsOp) -> None:
    b.steps.append(abi.MarshalRecords(b.new(op.result), _members(b, op), op.record.size))


def _present_records(b: PlanBuilder, op: offload.PresentRecordsOp) -> None:
    b.steps.append(abi.PresentRecords(b.new(op.result), _members(b, op), op.record.size, _is_set(op.shared)))


def _members(b: PlanBuilder, op: offload.MarshalRecordsOp | offload.PresentRecordsOp) -> tuple[abi.Member, ...]:
    record = op.record
    members = zip(op.sources, record.names, record.types, record.offsets, strict=True)
    return tuple(
        abi.Member(name, b.source(source), _storage(b, source, type_), offset)
        for source, name, type_, offset in members
    )


def _storage(b: PlanBuilder, operand: SSAValue, payload: Attribute) -> str:
    """The dtype of marshalled data: the source type's, so that NumPy data needs no conversion."""
    if isinstance(operand.type, TensorType):
        element = from_ir(operand.type.element_type)
        assert isinstance(element, abi.ScalarType)
        return element.dtype
    return b.dtype(payload)


def _scalar(b: PlanBuilder, op: offload.ScalarOp) -> None:
    step = abi.Scalar(b.new(op.result), b.source(op.operand), b.dtype(op.result.type), op.part.data)
    b.steps.append(step)


def _size(b: PlanBuilder, op: offload.SizeOp) -> None:
    b.steps.append(abi.Size(b.new(op.result), b.source(op.operand), op.dim.value.data))


def _constant(b: PlanBuilder, op: arith.ConstantOp) -> None:
    if isinstance(op.value, IntegerAttr):
        b.steps.append(abi.Constant(b.new(op.result), op.value.value.data))


def _cast(b: PlanBuilder, op: arith.IndexCastOp) -> None:
    """The host's numbers have no width."""
    b.registers[op.result] = b.registers[op.input]


def _compute(b: PlanBuilder, op: Any) -> None:
    left, right = b.registers[op.lhs], b.registers[op.rhs]
    b.steps.append(abi.Compute(b.new(op.result), _COMPUTE[type(op)], left, right))


def _alloc(b: PlanBuilder, op: offload.AllocOp) -> None:
    count = b.registers[op.count]
    flags = {"shared": _is_set(op.shared), "zeroed": _is_set(op.zeroed)}
    b.steps.append(abi.Alloc(b.new(op.result), b.dtype(op.result.type), count, **flags))


def _copy_in(b: PlanBuilder, op: offload.CopyInOp) -> None:
    host = b.registers[op.host]
    b.steps.append(abi.CopyIn(b.new(op.result), host, _is_set(op.shared), _is_set(op.in_parts)))


def _present(b: PlanBuilder, op: offload.PresentOp) -> None:
    shared, saved = _is_set(op.shared), _is_set(op.saved)
    dtype = _storage(b, op.array, op.result.type)
    b.steps.append(abi.Present(b.new(op.result), b.source(op.array), dtype, shared, saved))


def _launch(b: PlanBuilder, op: offload.LaunchOp) -> None:
    arguments = tuple(b.registers[argument] for argument in op.arguments)
    extent = b.registers[op.extent]
    box, start = (tuple(b.registers[size] for size in sizes) for sizes in (op.box, op.start))
    shape = () if op.shape is None else int_values(op.shape)
    kernel, group = mangle(op.kernel_name), op.group.value.data
    in_parts, layouts = _is_set(op.in_parts), tuple(map(int_values, op.layouts or ()))
    b.steps.append(abi.Launch(kernel, extent, arguments, group, op.tail.data, box, start, shape, in_parts, layouts))


def _check_guards(b: PlanBuilder, op: offload.CheckGuardsOp) -> None:
    marks, warned = (None if buffer is None else b.registers[buffer] for buffer in (op.marks, op.warned))
    block = None if op.block is None else op.block.value.data
    b.steps.append(abi.CheckGuards(b.registers[op.flags], marks, warned, block))


def _copy_out(b: PlanBuilder, op: offload.CopyOutOp) -> None:
    buffer = b.registers[op.buffer]
    b.steps.append(abi.CopyOut(b.new(op.result), buffer, _is_set(op.shared), _is_set(op.in_parts)))


def _heap(b: PlanBuilder, op: offload.HeapOp) -> None:
    registers = b.new(op.state), b.new(op.left)
    dtypes = tuple((b.new(buffer), b.dtype(buffer.type)) for buffer in op.buffers)
    areas = offload.in_areas(dtypes, int_values(op.areas))
    buffers = tuple(tuple(register for register, _ in area) for area in areas)
    names = tuple(tuple(name for _, name in area) for area in areas)
    b.steps.append(abi.Heap(*registers, buffers, names, b.registers[op.count]))


def _drain(b: PlanBuilder, op: offload.DrainOp) -> None:
    results = offload.in_areas([b.new(host) for host in op.hosts], int_values(op.areas))
    kernel = mangle(op.kernel.nested_references.data[-1].data)
    b.steps.append(abi.Drain(b.registers[op.state], kernel, tuple(map(tuple, results))))


def _each_batch(b: PlanBuilder, op: offload.EachBatchOp) -> None:
    b.steps.append(abi.EachBatch(op.names))


def _last(b: PlanBuilder, op: offload.LastOp) -> None:
    buffer = b.registers[op.buffer]
    b.steps.append(abi.Last(b.new(op.result), buffer))


def _require(b: PlanBuilder, op: offload.RequireOp) -> None:
    b.steps.append(abi.Require(b.registers[op.size]))


def _save(b: PlanBuilder, op: offload.SaveOp) -> None:
    b.steps.append(abi.Save(b.registers[op.host]))


def _write_back(b: PlanBuilder, op: offload.WriteBackOp) -> None:
    b.steps.append(abi.WriteBack(b.registers[op.buffer], b.source(op.array), _is_set(op.shared)))


def _written(b: PlanBuilder, op: offload.WrittenOp) -> None:
    b.steps.append(abi.Written(b.registers[op.buffer], b.source(op.array), _is_set(op.shared), *_waiting(op)))


def _retain(b: PlanBuilder, op: offload.RetainOp) -> None:
    buffers = tuple(b.registers[buffer] for buffer in op.buffers)
    b.steps.append(abi.Retain(buffers, from_ir(op.element), _is_set(op.shared), *_waiting(op)))


def _waiting(op: offload.WrittenOp | offload.RetainOp) -> tuple[bool, str]:
    """Whether the host goes on before the device has done its work, and if not, why."""
    return _is_set(op.asynchronous), "" if op.waits is None else op.waits.data


def _unmarshal(b: PlanBuilder, op: offload.UnmarshalOp) -> None:
    hosts = tuple(b.registers[host] for host in op.hosts)
    container = abi.Container(op.container.data)
    writes = () if op.writes is None else tuple(abi.FieldWrite(*skel.written_field(write)) for write in op.writes)
    b.steps.append(abi.Unmarshal(hosts, from_ir(op.element), container, _is_set(op.scalar), writes))


def _pick(b: PlanBuilder, op: offload.PickOp) -> None:
    container = abi.Container(op.container.data)
    b.steps.append(abi.Pick(b.registers[op.positions], container, op.what.data == "rows"))


def _nothing(b: PlanBuilder, op: Operation) -> None:
    """What the plan has no step for: its end, and what a reduction starts from, which its kernel holds."""


def _is_set(attribute: UnitAttr | None) -> bool:
    return attribute is not None


_HANDLERS: dict[type[Operation], Callable[[PlanBuilder, Any], None]] = {
    skel.CapturedOp: _captured,
    offload.MarshalOp: _marshal,
    offload.MarshalRecordsOp: _marshal_records,
    offload.PresentRecordsOp: _present_records,
    offload.ScalarOp: _scalar,
    offload.SizeOp: _size,
    offload.AllocOp: _alloc,
    offload.CopyInOp: _copy_in,
    offload.PresentOp: _present,
    offload.LaunchOp: _launch,
    offload.CheckGuardsOp: _check_guards,
    offload.CopyOutOp: _copy_out,
    offload.HeapOp: _heap,
    offload.DrainOp: _drain,
    offload.EachBatchOp: _each_batch,
    offload.LastOp: _last,
    offload.RequireOp: _require,
    offload.SaveOp: _save,
    offload.WriteBackOp: _write_back,
    offload.WrittenOp: _written,
    offload.UnmarshalOp: _unmarshal,
    offload.RetainOp: _retain,
    offload.PickOp: _pick,
    arith.ConstantOp: _constant,
    arith.IndexCastOp: _cast,
    ComplexConstantOp: _nothing,
    func.ReturnOp: _nothing,
    **dict.fromkeys(_COMPUTE, _compute),
}


def kernels(module: ModuleOp) -> tuple[abi.Kernel, ...]:
    """The entry points of a module's program, with their parameters."""
    return tuple(
        _kernel(function, index_bits(inner))
        for inner in module.ops
        if isinstance(inner, gpu.ModuleOp)
        for function in inner.body.block.ops
        if isinstance(function, gpu.FuncOp)
    )


def _kernel(function: gpu.FuncOp, bits: int) -> abi.Kernel:
    name = kernel_name(function)
    names = Names(frozenset({name}))
    parameters = tuple(
        abi.KernelParameter(
            "buffer" if isinstance(argument.type, MemRefType) else "scalar",
            dtype(argument.type, bits),
            names.define(argument),
        )
        for argument in function.body.block.args
    )
    return abi.Kernel(name, parameters)


def guard_sites(module: ModuleOp) -> tuple[abi.GuardSite, ...]:
    """The guards that are left, by slot; of several that share one, the first. A full heap is no reason to leave."""
    checks = [op for op in module.walk(reverse=True) if isinstance(op, guard.CheckOp)]
    sites = [_site(op) for op in checks if op.kind.data is not guard.GuardKind.ALLOC]
    return tuple(site for _, site in sorted({site.slot: site for site in sites}.items()))


def _site(op: guard.CheckOp) -> abi.GuardSite:
    return abi.GuardSite(op.slot.value.data, op.kind.data.value, op.reason.data, source_location(op.location))

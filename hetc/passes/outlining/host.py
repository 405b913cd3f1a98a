"""The host side of outlining: what is on the device, and the `offload` ops that put it there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import TypeVar

from xdsl.dialects import arith, func, gpu
from xdsl.dialects.builtin import IndexType, IntegerAttr, MemRefType, ModuleOp, StringAttr, SymbolRefAttr, TensorType
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from hetc.abi import INT64_MAX, Container, ElementType, made_of_numbers, only_numbers
from hetc.analysis.entry import argument_facts
from hetc.analysis.source_types import from_ir
from hetc.dataclass import dataclass
from hetc.dialects import guard, obj, offload, skel
from hetc.passes.conversion.dead_code import erase_dead

Op = TypeVar("Op", bound=Operation)
INDEX = IndexType()
SKELETONS = skel.MapOp | skel.FilterOp | skel.ReduceOp | skel.ScanOp | skel.ForallOp | skel.ScatterOp | skel.PartitionOp


@dataclass(frozen=True)
class Box:
    """A part of an index space of up to three dimensions, x first. Without a start it begins at zero."""

    sizes: tuple[SSAValue, ...]
    start: tuple[SSAValue, ...] = ()


@dataclass
class HostPlan:
    """The entry function while it turns into a plan. Device buffers and sizes are made once and reused."""

    module: ModuleOp
    entry: func.FuncOp
    kernels_symbol: SymbolRefAttr
    kernels: Block
    buffers: dict[object, SSAValue] = field(default_factory=dict[object, SSAValue])
    lengths: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    """How many elements an array has, where a filter decides."""
    scalars: dict[object, SSAValue] = field(default_factory=dict[object, SSAValue])
    captured: dict[str, SSAValue] = field(default_factory=dict[str, SSAValue])
    written: dict[str, None] = field(default_factory=dict[str, None])
    """The captured arrays that kernels store to."""

    def __post_init__(self) -> None:
        terminator = self.entry.body.block.last_op
        assert terminator is not None
        self.before: Operation = terminator
        self.location = terminator.location
        self.declarations = {op.sym_name.data: op for op in self.module.ops if isinstance(op, skel.CaptureOp)}

    def add(self, op: Op) -> Op:
        """Append a step to the plan."""
        op.location = self.location
        Rewriter.insert_op(op, InsertPoint.before(self.before))
        return op

    def at(self, op: Operation) -> None:
        """The steps that follow belong to this op."""
        self.before, self.location = op, op.location

    def reads(self, declaration: skel.CaptureOp) -> bool:
        """Whether the plan reads a captured variable."""
        return declaration.sym_name.data in self.captured

    # ---------------------------------------------------------------------------------------------------------------
    # Sizes
    # ---------------------------------------------------------------------------------------------------------------

    def constant(self, value: int) -> SSAValue:
        """A size known now."""
        if ("constant", value) not in self.scalars:
            self.scalars["constant", value] = self.add(arith.ConstantOp(IntegerAttr(value, INDEX))).result
        return self.scalars["constant", value]

    def length(self, *arrays: SSAValue) -> SSAValue:
        """The number of elements: of arrays that a filter has made, of the inputs, or a loop's number of iterations."""
        for array in arrays:
            if isinstance(array.owner, skel.PositionsOp):
                return self.length(array.owner.array)
            if array in self.lengths:
                return self.lengths[array]
            if isinstance(array.owner, skel.CapturedOp):
                dims = self.declarations[skel.captured_name(array)].dims
                assert dims is not None
                return self.size(int(dims.get_values()[0]))
        loops = [op for op in self.entry.body.block.ops if isinstance(op, skel.ForallOp)]
        if not loops:
            return self.size(0)
        if "iterations" not in self.scalars:
            first, *others = loops[0].sequences
            count = self.length_of(first)
            for sequence in others:
                count = self.add(arith.MuliOp(count, self.length_of(sequence))).result
            self.scalars["iterations"] = count
        return self.scalars["iterations"]

    def length_of(self, sequence: SSAValue) -> SSAValue:
        """The length of one of a loop's sequences."""
        if ("length", sequence) not in self.scalars:
            self.scalars["length", sequence] = self.add(offload.SizeOp(sequence, 0)).result
        return self.scalars["length", sequence]

    def size(self, dim: int) -> SSAValue:
        """The length of a numbered dimension, taken from a value that has it."""
        if ("size", dim) not in self.scalars:
            value, axis = self._owner_of(dim)
            self.scalars["size", dim] = self.add(offload.SizeOp(value, axis)).result
        return self.scalars["size", dim]

    def _owner_of(self, dim: int) -> tuple[SSAValue, int]:
        if dim == 0:
            return self.entry.body.block.args[0], 0
        for name, declaration in self.declarations.items():
            dims = () if declaration.dims is None else declaration.dims.get_values()
            if dim in dims:
                return self.capture(name), list(dims).index(dim)
        raise ValueError(f"no input and no captured array has dimension {dim}")

    # ---------------------------------------------------------------------------------------------------------------
    # Data
    # ---------------------------------------------------------------------------------------------------------------

    def capture(self, name: str) -> SSAValue:
        """A captured variable, on the host."""
        if name not in self.captured:
            declared = self.declarations[name].type
            type_ = declared if isinstance(declared, TensorType) else obj.payload(declared)
            self.captured[name] = self.add(skel.CapturedOp(name, type_)).result
            self.captured[name].name_hint = name
        return self.captured[name]

    def buffer(self, array: SSAValue) -> SSAValue:
        """The device buffer of an array of the entry function."""
        if isinstance(array.owner, skel.CapturedOp):
            array = self.capture(skel.captured_name(array))
        if array not in self.buffers:
            element = obj.payload(skel.element_type(array.type))
            if self.is_resident(array):
                buffer = self.add(offload.PresentOp(array, element)).result
            else:
                host = self.add(offload.MarshalOp(array, element)).result
                buffer = self.add(offload.CopyInOp(host, element)).result
                host.name_hint = array.name_hint
            buffer.name_hint = array.name_hint
            self.buffers[array] = buffer
        return self.buffers[array]

    def is_resident(self, array: SSAValue) -> bool:
        """Whether an array of the entry function is a portable one, which may be on the device."""
        if isinstance(array, BlockArgument):
            return argument_facts(self.entry)[array.index].resident
        return self.declarations[skel.captured_name(array)].resident is not None

    def captured_buffer(self, name: str) -> SSAValue:
        """The device buffer of a captured array."""
        return self.buffer(self.capture(name))

    def captured_scalar(self, name: str) -> SSAValue:
        """A captured number, as a kernel argument."""
        return self._scalar("value", self.capture(name), obj.payload(self.declarations[name].type), name)

    def is_short(self, sequence: SSAValue) -> bool:
        """Whether the first and last number of a sequence are known to be less than 2**63 apart."""
        assert isinstance(sequence, BlockArgument)
        bounds = argument_facts(self.entry)[sequence.index].bounds
        return bounds is not None and bounds.high - bounds.low <= INT64_MAX

    def has_unit_step(self, sequence: SSAValue) -> bool:
        """Whether the numbers of a sequence are known to follow each other."""
        assert isinstance(sequence, BlockArgument)
        return argument_facts(self.entry)[sequence.index].unit_step

    def is_constant(self, sequence: SSAValue) -> bool:
        """Whether the numbers of a sequence are known to be all the same."""
        assert isinstance(sequence, BlockArgument)
        return argument_facts(self.entry)[sequence.index].constant

    def sequence_part(self, part: str, sequence: SSAValue) -> SSAValue:
        """The start or step of a sequence, as a kernel argument."""
        return self._scalar(part, sequence, obj.payload(skel.element_type(sequence.type)), part)

    def _scalar(self, part: str, value: SSAValue, type_: Attribute, name: str) -> SSAValue:
        if (part, value) not in self.scalars:
            result = self.add(offload.ScalarOp(part, value, type_)).result
            result.name_hint = name
            self.scalars[part, value] = result
        return self.scalars[part, value]

    def allocate(self, count: SSAValue, element: Attribute, *, zeroed: bool = False) -> SSAValue:
        """A new device buffer."""
        return self.add(offload.AllocOp(count, element, zeroed=zeroed)).result

    def allocate_results(
        self, outputs: Sequence[SSAValue], length: SSAValue, *, zeroed: bool = False
    ) -> list[SSAValue]:
        """A buffer of so many elements for each output of a skeleton."""
        types = [obj.payload(skel.element_type(output.type)) for output in outputs]
        buffers = [self.allocate(length, type_, zeroed=zeroed) for type_ in types]
        self.buffers |= zip(outputs, buffers, strict=True)
        self.lengths |= dict.fromkeys(outputs, length)
        return buffers

    def launch(
        self, kernel: str, extent: SSAValue, arguments: Sequence[SSAValue], group: int = 0, box: Box | None = None
    ) -> None:
        """Run a kernel; a group size other than 0 is one that the kernel relies on."""
        symbol = SymbolRefAttr(self.kernels_symbol.root_reference, [kernel])
        sizes, start = ((), ()) if box is None else (box.sizes, box.start)
        self.add(offload.LaunchOp(symbol, extent, arguments, group, box=sizes, start=start))

    def require(self, op: guard.RequireOp) -> None:
        """Leave for Python unless a result of a reduction is true."""
        self.at(op)
        self.add(offload.RequireOp(self.add(offload.LastOp(self.buffers[op.condition])).result))

    def unused_kernel_name(self, name: str) -> str:
        """A kernel name that is not taken yet."""
        taken = {op.sym_name.data for op in self.kernels.ops if isinstance(op, gpu.FuncOp)}
        candidate, count = name, 1
        while candidate in taken:
            count += 1
            candidate = f"{name}_{count}"
        return candidate

    def finish(self, terminator: func.ReturnOp) -> None:
        """Copy the results out, and end with the Python result."""
        self.at(terminator)
        entry = self.entry.attributes
        element, container = entry["skel.result"], entry["skel.container"]
        assert isinstance(container, StringAttr)
        scalar = "skel.scalar" in entry
        stays = not scalar and _stays(Container(container.data), from_ir(element))
        hosts = [] if stays else [self._on_host(value) for value in terminator.arguments]
        for name in self.written:
            kind = offload.WrittenOp if self.is_resident(self.capture(name)) else offload.WriteBackOp
            self.add(kind(self.captured_buffer(name), self.capture(name)))
        results: list[SSAValue] = []
        originals = entry.get("skel.originals")
        if isinstance(originals, StringAttr) and _are_positions(terminator):
            inputs = self._inputs()
            results = [self.add(offload.PickOp(container.data, originals.data, hosts[0], inputs)).result]
        elif hosts:
            writes = entry.get("skel.writes")
            made = offload.UnmarshalOp(container.data, element, hosts, scalar=scalar, writes=writes)
            results = [self.add(made).result]
        elif terminator.arguments:
            buffers = [self.buffer(value) for value in terminator.arguments]
            results = [self.add(offload.RetainOp(element, buffers)).result]
        new = func.ReturnOp(*results)
        new.location = terminator.location
        Rewriter.replace_op(terminator, new)
        for op in reversed(list(self.entry.body.block.ops)):
            if isinstance(op, SKELETONS | skel.PositionsOp | guard.RequireOp):
                Rewriter.erase_op(op)
        erase_dead(self.entry, guard.FactOp, skel.SizeOp, skel.CapturedOp)

    def _inputs(self) -> list[SSAValue]:
        """One argument of the entry function for each input."""
        first: dict[int, SSAValue] = {}
        for argument, facts in zip(self.entry.body.block.args, argument_facts(self.entry), strict=True):
            first.setdefault(facts.path[0], argument)
        return [first[number] for number in sorted(first)]

    def _on_host(self, value: SSAValue) -> SSAValue:
        if isinstance(value.owner, Block):  # an input that is returned as it is
            return self.add(offload.MarshalOp(value, obj.payload(skel.element_type(value.type)))).result
        buffer = self.buffers[value]
        assert isinstance(buffer.type, MemRefType)
        return self.add(offload.CopyOutOp(buffer, buffer.type.element_type)).result


def _are_positions(end: func.ReturnOp) -> bool:
    """Whether what the entry function returns are positions in the inputs."""
    return any(isinstance(v.owner, skel.FilterOp) and v.owner.positions is not None for v in end.arguments)


def _stays(container: Container, element: ElementType) -> bool:
    """Whether a result is a portable array, so that its numbers can stay on the device."""
    kept = container in (Container.ARRAY, Container.KEPT) and only_numbers(element)
    return kept or (container is Container.KEPT and made_of_numbers(element))

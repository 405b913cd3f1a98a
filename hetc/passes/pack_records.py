"""pack-records: fields that stand beside each other become an array of structs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func, gpu, memref
from xdsl.dialects.builtin import MemRefType, ModuleOp
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from hetc.analysis.entry import argument_facts, entry_function
from hetc.dialects import offload, skel
from hetc.dialects.parts.offload_records import LoadMemberOp, MarshalRecordsOp, PresentRecordsOp, RecordType
from hetc.passes.conversion.insertion import insert
from hetc.passes.layouts.accesses import Brought, buffer_of, kernels_of, parameters_of


@dataclass(frozen=True)
class PackRecordsPass(ModulePass):
    """Marshal, move and load the numbers of a record together.

    Needs: a plan in which `choose-layout` has said what stands in records; all passes done that look at single loads.
    Leaves: for each record one `marshal_records`, one buffer, and one parameter in each kernel that reads it.

    1. Marshals of one record, in the order of their places in it, become one of structs, before the first of them.
    2. Their copies to the device become one.
    3. The first of their parameters in a kernel becomes the array of structs, and the others go.
    4. x[i] -> records[i].x

    A number that a kernel reads otherwise by now than as what was marshalled (bytes as words, say) stays an array, and
    the others move up. Cost: linear.
    """

    name = "pack-records"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        entry = entry_function(op)
        if entry is None:
            return
        kernels = kernels_of(op)
        records: dict[str, list[Brought]] = {}
        for marshal in [inner for inner in entry.body.block.ops if isinstance(inner, Brought)]:
            if marshal.record is None:
                continue
            if _is_plain(marshal, kernels):
                records.setdefault(marshal.record.data, []).append(marshal)
            else:
                marshal.record = marshal.offset = marshal.reason = None
        for symbol, marshals in records.items():
            if len(marshals) > 1:
                _pack(entry, kernels, symbol, sorted(marshals, key=_offset))
            else:
                marshals[0].record = marshals[0].offset = marshals[0].reason = None


def _offset(marshal: Brought) -> int:
    assert marshal.offset is not None
    return marshal.offset.value.data


def _element(marshal: Brought) -> Attribute:
    assert isinstance(marshal.result.type, MemRefType)
    return marshal.result.type.element_type


def _is_plain(marshal: Brought, kernels: Mapping[str, gpu.FuncOp]) -> bool:
    """Whether kernels load the very numbers."""
    parameters = parameters_of(marshal, kernels)
    return parameters is not None and all(
        isinstance(parameter.type, MemRefType)
        and parameter.type.element_type == _element(marshal)
        and all(isinstance(use.operation, memref.LoadOp) for use in parameter.uses)
        for parameter in parameters
    )


def _pack(entry: func.FuncOp, kernels: Mapping[str, gpu.FuncOp], symbol: str, marshals: Sequence[Brought]) -> None:
    names = list(_names(entry, symbol, marshals))
    record = RecordType.of(symbol, names, [_element(marshal) for marshal in marshals])
    parameters = {
        p: name for marshal, name in zip(marshals, names, strict=True) for p in parameters_of(marshal, kernels) or ()
    }
    buffers = [buffer for marshal in marshals if (buffer := buffer_of(marshal)) is not None]
    first = next(op for op in entry.body.block.ops if op in marshals)
    for marshal in marshals:
        source = _array(marshal).owner
        if isinstance(source, Operation) and not source.is_before_in_block(first):
            source.detach()
            Rewriter.insert_op(source, InsertPoint.before(first))
    records = _bring(marshals, record, first)
    for launch in {use.operation for buffer in buffers for use in buffer.uses}:
        assert isinstance(launch, offload.LaunchOp)
        _pass_records(launch, set(buffers), records)
    for kernel in kernels.values():
        _take_records(kernel, parameters, record)
    for buffer, marshal in zip(buffers, marshals, strict=True):
        if isinstance(copied := buffer.owner, offload.CopyInOp):
            Rewriter.erase_op(copied)
        Rewriter.erase_op(marshal)


def _array(brought: Brought) -> SSAValue:
    return brought.array if isinstance(brought, offload.PresentOp) else brought.operand


def _bring(marshals: Sequence[Brought], record: RecordType, first: Operation) -> SSAValue:
    """The device's buffer of the structs."""
    arrays = [_array(marshal) for marshal in marshals]
    if isinstance(marshals[0], offload.PresentOp):
        present = PresentRecordsOp(arrays, record)
        present.shared = marshals[0].shared
        ops: list[PresentRecordsOp | MarshalRecordsOp | offload.CopyInOp] = [present]
    else:
        packed, copied = MarshalRecordsOp(arrays, record), buffer_of(marshals[0])
        assert copied is not None
        assert isinstance(copied.owner, offload.CopyInOp)
        copy = offload.CopyInOp(packed.result, record)
        copy.shared = copied.owner.shared
        ops = [packed, copy]
    for op in ops:
        op.result.name_hint = record.symbol.data
    insert(ops, InsertPoint.before(first), first)
    return ops[-1].result


def _names(entry: func.FuncOp, symbol: str, marshals: Sequence[Brought]) -> Iterator[str]:
    """What the numbers are called: as the captured fields are without the name of their objects, or by their paths."""
    facts = argument_facts(entry)
    taken: set[str] = set()
    for marshal in marshals:
        array = _array(marshal)
        if isinstance(array, BlockArgument):
            name = "_".join(["field", *(str(abs(part)) for part in facts[array.index].path[1:])])
        else:
            name = skel.captured_name(array)
            name = name.removeprefix(f"{symbol}_")
        while name in taken:
            name += "_"
        taken.add(name)
        yield name


def _pass_records(launch: offload.LaunchOp, buffers: set[SSAValue], records: SSAValue) -> None:
    """Give a kernel the records once, where it was given the first of the arrays."""
    arguments = list[SSAValue]()
    for argument in launch.arguments:
        if argument not in buffers:
            arguments.append(argument)
        elif records not in arguments:
            arguments.append(records)
    launch.pass_arguments(arguments)


def _take_records(kernel: gpu.FuncOp, parameters: Mapping[SSAValue, str], record: RecordType) -> None:
    """Load the members in the place of numbers of arrays."""
    block = kernel.body.block
    mine = [argument for argument in block.args if argument in parameters]
    if not mine:
        return
    records = block.insert_arg(offload.device_buffer(record), mine[0].index)
    records.name_hint = record.symbol.data
    for argument in mine:
        for load in [use.operation for use in argument.uses]:
            assert isinstance(load, memref.LoadOp)
            member = LoadMemberOp(records, load.indices[0], parameters[argument], load.res.type)
            member.result.name_hint = load.res.name_hint
            insert([member], InsertPoint.before(load), load)
            load.res.replace_all_uses_with(member.result)
            Rewriter.erase_op(load)
        block.erase_arg(argument)
    kernel.properties["function_type"] = kernel.function_type.from_lists(block.arg_types, [])

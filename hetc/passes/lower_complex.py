"""lower-complex: complex numbers are carried as two floats, and their arrays are arrays of floats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, gpu, memref, ub
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    ComplexType,
    FloatAttr,
    FunctionType,
    IndexType,
    IntegerAttr,
    MemRefType,
    ModuleOp,
)
from xdsl.dialects.complex import ConstantOp, CreateOp, ImOp, ReOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from hetc.analysis.walking import host_ops, kernels_in, walk
from hetc.dialects import offload
from hetc.passes.conversion.control_flow import Conversion
from hetc.passes.conversion.dead_code import erase_dead
from hetc.passes.conversion.insertion import insert

INDEX = IndexType()


@dataclass(frozen=True)
class LowerComplexPass(ModulePass):
    """Take complex numbers apart in kernels: a value is two floats, element i of a buffer the floats 2i and 2i + 1.

    Needs: kernels outlined. Leaves: no complex type in a kernel. The host's buffers stay arrays of complex numbers, as
    NumPy has them: a kernel sees the same memory as twice as many floats, so nothing is marshalled.

    1. A captured number is two arguments of a kernel, its parts; a buffer of complex numbers is one of floats, and an
       array in local memory, too.
    2. Loads, stores, constants, choices and values that nobody reads become two each.
    3. Carry the complex values of `scf.if`, `scf.for` and `scf.while` as their parts.
    4. re(create(a, b)) -> a, im(create(a, b)) -> b; drop what nothing uses.

    Cost: linear.
    """

    name = "lower-complex"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        scalars: dict[SSAValue, list[SSAValue]] = {
            inner.result: _split_scalar(inner)
            for inner in walk(op)
            if isinstance(inner, offload.ScalarOp) and isinstance(inner.result.type, ComplexType)
        }
        for launch in [inner for inner in host_ops(op) if isinstance(inner, offload.LaunchOp)]:
            launch.pass_arguments([part for value in launch.arguments for part in scalars.get(value, [value])])
        for scalar in scalars:
            assert isinstance(scalar.owner, Operation)
            Rewriter.erase_op(scalar.owner)
        for kernel in kernels_in(op):
            _lower_kernel(kernel)


def _split_scalar(op: offload.ScalarOp) -> list[SSAValue]:
    """A captured number's parts, as two numbers of the plan."""
    assert isinstance(op.result.type, ComplexType)
    parts = [offload.ScalarOp(part, op.operand, op.result.type.element_type) for part in ("real", "imag")]
    insert(parts, InsertPoint.before(op), op)
    for part in parts:
        part.result.name_hint = _name(op.result, part.part.data)
    return [part.result for part in parts]


def _lower_kernel(kernel: gpu.FuncOp) -> None:
    block = kernel.body.block
    for argument in list(block.args):
        _lower_parameter(block, argument)
    kernel.function_type = FunctionType(ArrayAttr(block.arg_types), kernel.function_type.outputs)
    for op in walk(kernel):
        _lower_op(op)
    _CarryParts().convert(kernel)
    for op in walk(kernel):
        if isinstance(op, ReOp | ImOp) and isinstance(create := op.complex.owner, CreateOp):
            part = create.real if isinstance(op, ReOp) else create.imaginary
            if part.name_hint is None:
                part.name_hint = op.result.name_hint
            op.result.replace_all_uses_with(part)
    erase_dead(kernel, ReOp, ImOp, CreateOp)


def _lower_parameter(block: Block, argument: SSAValue) -> None:
    assert argument in block.args
    position = block.args.index(argument)
    if isinstance(argument.type, ComplexType):
        parts = [block.insert_arg(argument.type.element_type, position + k) for k in range(2)]
        for part, name in zip(parts, ("real", "imag"), strict=True):
            part.name_hint = _name(argument, name)
        create = CreateOp(parts[0], parts[1], argument.type)
        first = block.first_op
        assert first is not None
        insert([create], InsertPoint.before(first), first)
        argument.replace_all_uses_with(create.complex)
    elif isinstance(argument.type, MemRefType) and isinstance(element := argument.type.element_type, ComplexType):
        floats = block.insert_arg(MemRefType(element.element_type, [DYNAMIC_INDEX]), position)
        floats.name_hint = argument.name_hint
        argument.replace_all_uses_with(floats)
    else:
        return
    block.erase_arg(block.args[block.args.index(argument)])


def _lower_op(op: Operation) -> None:
    match op:
        case memref.AllocaOp():
            _lower_local(op)
        case memref.LoadOp(res=SSAValue(type=ComplexType())):
            _lower_load(op)
        case memref.StoreOp(value=SSAValue(type=ComplexType())):
            _lower_store(op)
        case ConstantOp():
            _replace(op, [arith.ConstantOp(part) for part in op.value if isinstance(part, FloatAttr)])
        case ub.PoisonOp(result=SSAValue(type=ComplexType() as type_)):
            _replace(op, [ub.PoisonOp(type_.element_type) for _ in range(2)])
        case arith.SelectOp(result=SSAValue(type=ComplexType())):
            then, other = _parts(op.lhs, op), _parts(op.rhs, op)
            _replace(op, [arith.SelectOp(op.cond, a, b) for a, b in zip(then, other, strict=True)])
        case _:
            pass


def _lower_local(op: memref.AllocaOp) -> None:
    """An array of complex numbers in local memory is one of twice as many floats."""
    type_ = op.memref.type
    if isinstance(element := type_.element_type, ComplexType):
        (length,) = type_.get_shape()
        floats = offload.local_array(element.element_type, 2 * length)
        Rewriter.replace_value_with_new_type(op.memref, floats)


def _lower_load(op: memref.LoadOp) -> None:
    _replace(op, [memref.LoadOp.get(op.memref, [place]) for place in _places(op, op.indices[0])])


def _lower_store(op: memref.StoreOp) -> None:
    parts = _parts(op.value, op)
    for part, place in zip(parts, _places(op, op.indices[0]), strict=True):
        insert([memref.StoreOp.get(part, op.memref, [place])], InsertPoint.before(op), op)
    Rewriter.erase_op(op)


def _places(op: Operation, index: SSAValue) -> list[SSAValue]:
    """Where the parts of element `index` are."""
    two, one = (arith.ConstantOp(IntegerAttr(number, INDEX)) for number in (2, 1))
    real = arith.MuliOp(index, two.result)
    imaginary = arith.AddiOp(real.result, one.result)
    insert([two, one, real, imaginary], InsertPoint.before(op), op)
    return [real.result, imaginary.result]


def _parts(value: SSAValue, before: Operation) -> list[SSAValue]:
    """The parts of a complex value."""
    ops = [ReOp(value), ImOp(value)]
    insert(ops, InsertPoint.before(before), before)
    return [op.result for op in ops]


def _replace(op: Operation, parts: Sequence[Operation]) -> None:
    """Replace an op that gives a complex number by the ops that give its parts."""
    (result,) = op.results
    assert isinstance(result.type, ComplexType)
    values = [part.results[0] for part in parts]
    for value, name in zip(values, ("real", "imag"), strict=True):
        value.name_hint = _name(result, name)
    create = CreateOp(values[0], values[1], result.type)
    insert([*parts, create], InsertPoint.before(op), op)
    result.replace_all_uses_with(create.complex)
    Rewriter.erase_op(op)


def _name(value: SSAValue, part: str) -> str | None:
    return None if value.name_hint is None else f"{value.name_hint}_{part}"


class _CarryParts(Conversion):
    def expand(self, type_: Attribute) -> list[Attribute] | None:
        return [type_.element_type, type_.element_type] if isinstance(type_, ComplexType) else None

    def unpack(self, value: SSAValue) -> tuple[list[Operation], list[SSAValue]]:
        ops = [ReOp(value), ImOp(value)]
        for op, part in zip(ops, ("real", "imag"), strict=True):
            op.result.name_hint = _name(value, part)
        return [*ops], [op.result for op in ops]

    def pack(self, parts: Sequence[SSAValue], type_: Attribute) -> tuple[list[Operation], SSAValue]:
        assert isinstance(type_, ComplexType)
        create = CreateOp(parts[0], parts[1], type_)
        return [create], create.complex

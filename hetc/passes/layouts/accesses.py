"""What kernels do to arrays that are marshalled: at which places they read them, and what these are computed from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from xdsl.dialects import gpu, memref, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue

from hetc.analysis.walking import kernels_in
from hetc.dialects import offload

Access = memref.LoadOp | memref.StoreOp | memref.AtomicRMWOp

_OWN = gpu.GlobalIdOp | gpu.BlockIdOp | gpu.ThreadIdOp | memref.LoadOp


def kernels_of(module: ModuleOp) -> dict[str, gpu.FuncOp]:
    """The kernels of a module, by name."""
    return {f.sym_name.data: f for f in kernels_in(module)}


Brought = offload.MarshalOp | offload.PresentOp
"""What brings the numbers of an input or captured array to the device."""


def buffer_of(brought: Brought) -> SSAValue | None:
    """The device's buffer of the numbers; None if the host needs them, too."""
    if isinstance(brought, offload.PresentOp):
        return brought.result
    copies = [use.operation for use in brought.result.uses]
    return copies[0].result if len(copies) == 1 and isinstance(copies[0], offload.CopyInOp) else None


def parameters_of(brought: Brought, kernels: Mapping[str, gpu.FuncOp]) -> list[SSAValue] | None:
    """The parameters of kernels that are the numbers; None if the plan uses these otherwise."""
    buffer = buffer_of(brought)
    if buffer is None:
        return None
    found: list[SSAValue] = []
    for use in buffer.uses:
        if isinstance(use.operation, offload.WriteBackOp):
            continue
        if not isinstance(use.operation, offload.LaunchOp):
            return None
        parameter = parameter_of(use.operation, use.index, kernels)
        if parameter not in found:  # a kernel that is launched twice has it once
            found.append(parameter)
    return found


def parameter_of(launch: offload.LaunchOp, operand: int, kernels: Mapping[str, gpu.FuncOp]) -> SSAValue:
    """The parameter of a kernel that an operand of its launch is."""
    sizes = len(launch.operands) - len(launch.arguments)  # sizes and starts come first
    return kernels[launch.kernel_name].body.block.args[operand - sizes]


def accesses_of(brought: Brought, kernels: Mapping[str, gpu.FuncOp]) -> list[Access] | None:
    """What kernels do to the numbers; None if the plan uses them otherwise than in kernels."""
    parameters = parameters_of(brought, kernels)
    if parameters is None:
        return None
    found: list[Access] = []
    for inner in [use.operation for parameter in parameters for use in parameter.uses]:
        if not isinstance(inner, Access):
            return None
        found.append(inner)
    return found


def is_read_by_all(access: Access) -> bool:
    """Whether all work-items make an access in a loop, at the same places."""
    return _in_loop(access) and not _is_own(access.indices[0])


def is_at_data(access: Access) -> bool:
    """Whether the place of an access is data."""
    return any(isinstance(op, memref.LoadOp) for op in _behind(access.indices[0]))


def origins(access: Access) -> frozenset[Operation]:
    """The loads that the place of an access is computed from, without what their own places are computed from."""
    return frozenset(op for op in _behind(access.indices[0], through_loads=False) if isinstance(op, memref.LoadOp))


def _in_loop(op: Operation) -> bool:
    parent = op.parent_op()
    return parent is not None and (isinstance(parent, scf.ForOp | scf.WhileOp) or _in_loop(parent))


def _is_own(index: SSAValue) -> bool:
    """Whether a place may be another one for each work-item, or is data."""
    return any(isinstance(op, _OWN) for op in _behind(index))


def _behind(value: SSAValue, *, through_loads: bool = True) -> Iterator[Operation]:
    """The ops that a value is computed from, through what loops and branches carry."""
    work, seen = [value], {value}
    while work:
        one = work.pop()
        if isinstance(one.owner, Operation):
            yield one.owner
        if isinstance(one.owner, memref.LoadOp) and not through_loads:
            continue
        new = [other for other in _computed_from(one) if other not in seen]
        seen.update(new)
        work += new


def _computed_from(value: SSAValue) -> Sequence[SSAValue]:
    """The values that a value is computed from in one step: of what control flow carries, those in its own place."""
    owner = value.owner
    if isinstance(owner, Operation):
        if not owner.regions:
            return owner.operands
        assert isinstance(value, OpResult)
        return [_passed(block, value.index) for region in owner.regions for block in region.blocks]
    assert isinstance(value, BlockArgument)
    around, place = owner.parent_op(), value.index
    match around:
        case scf.ForOp():
            if place == 0:  # where it ends does not tell which places it comes to
                return [around.lb, around.step]
            return [around.iter_args[place - 1], _passed(owner, place - 1)]
        case scf.WhileOp() if owner is around.before_region.block:
            return [around.arguments[place], _passed(around.after_region.block, place)]
        case scf.WhileOp():
            return [_passed(around.before_region.block, place)]
        case _:
            return ()


def _passed(block: Block, place: int) -> SSAValue:
    """What a block passes on at its end."""
    end = block.last_op
    assert end is not None
    return end.args[place] if isinstance(end, scf.ConditionOp) else end.operands[place]

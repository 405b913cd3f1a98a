"""What an explanation says of a whole call: which skeletons have become one, and what is moved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import BlockArgument

from hetc import abi
from hetc.analysis.entry import argument_facts, entry_function
from hetc.dialects import offload, skel
from hetc.dialects.skel import captured_name
from hetc.runtime.routes import route_of
from hetc.timeline.units import spelled_bytes

FUSED = "fuse-skeletons"
LAID_OUT = "choose-layout"
_SKELETONS = (
    skel.MapOp, skel.ZipOp, skel.FilterOp, skel.ReduceOp, skel.ScanOp, skel.ForallOp, skel.ScatterOp, skel.PartitionOp,
)  # fmt: skip


def skeletons_of(module: ModuleOp) -> tuple[str, ...]:
    """The skeletons of a module, in order."""
    return tuple(op.name.removeprefix("skel.") for op in module.walk() if isinstance(op, _SKELETONS))


def fusion(before: Sequence[str], after: Sequence[str], package: abi.Package) -> Iterator[str]:
    """What has become of several skeletons."""
    if len(before) > 1:
        kernels = ", ".join(kernel.name for kernel in package.kernels)
        became = f"fused into {', '.join(after)}" if len(after) < len(before) else "not fused"
        yield f"skeletons: {', '.join(before)}, {became}; kernels: {kernels}"


def moves(package: abi.Package, signature: abi.Signature) -> Iterator[str]:
    """What a call moves to the device and back, as its plan says."""
    sources = {step.result: step.source for step in package.steps if isinstance(step, abi.Marshal)}
    copied, present, shared = list[str](), list[str](), list[bool]()
    back = 0
    for step in package.steps:
        match step:
            case abi.CopyIn():
                shared.append(step.shared)
                if step.host in sources:
                    copied.append(str(sources[step.host]))
            case abi.Present():
                shared.append(step.shared)
                present.append(str(step.source))
            case abi.Unmarshal():
                back = len(step.hosts)
            case _:
                pass
    read = {step.source.index for step in package.steps if isinstance(step, abi.Marshal | abi.Scalar | abi.Present)}
    unread = [f"input {index}" for index in range(len(signature.inputs)) if index not in read]
    if copied and all(shared):
        yield f"moves: nothing; the device reads {_listed(copied)} where the host has them"
    elif copied:
        yield f"moves: {_listed(copied)} to the device" + (", and the result back" if back else "")
    if present:
        yield f"stays where it is: {_listed(present)}"
    if unread:
        yield f"not read: {_listed(unread)}"


def waiting(package: abi.Package) -> Iterator[str]:
    """Whether the host waits for the device, where a plan may leave everything there."""
    ends = [step for step in package.steps if isinstance(step, abi.Written | abi.Retain)]
    if ends and all(end.asynchronous for end in ends):
        yield "the host goes on at once: nothing comes back, and no guard is left"
    elif ends and ends[0].waits and not ends[0].shared:
        yield f"the host waits for the device: {ends[0].waits}"


def staged(package: abi.Package, traits: abi.DeviceTraits) -> Iterator[str]:
    """How large arrays are moved, where that is not by the driver."""
    route = route_of(traits)
    copies = [step for step in package.steps if isinstance(step, abi.CopyIn | abi.Present | abi.CopyOut | abi.Retain)]
    if route is not None and not all(step.shared for step in copies):
        least = spelled_bytes(route.least)
        yield f"staged: arrays of {least} and more are moved through pinned memory, by several threads"


def layouts(module: ModuleOp) -> Iterator[str]:
    """How the fields of structured arrays are read, after that has been decided, and why."""
    entry = entry_function(module)
    facts = [] if entry is None else argument_facts(entry)
    for op in module.walk():
        if isinstance(op, offload.MarshalOp) and op.reason is not None:
            of = facts[op.operand.index] if isinstance(op.operand, BlockArgument) else None
            source = (
                abi.Source(name=captured_name(op.operand)) if of is None else abi.Source(of.path[0], None, of.path[1:])
            )
            way = "copied, as struct of arrays" if op.stride is None else "in place, as array of structs"
            yield f"layout: {source} is read {way}: {op.reason.data}"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(dict.fromkeys(names))

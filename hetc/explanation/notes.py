"""What an explanation says of a whole call: which skeletons have become one, and what is moved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import BlockArgument

from hetc import abi, settings
from hetc.analysis.entry import argument_facts, entry_function
from hetc.dialects import offload, skel
from hetc.dialects.skel import CaptureOp, captured_name
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
    sources: dict[abi.Register, tuple[abi.Source, ...]] = {}
    for step in package.steps:
        if isinstance(step, abi.Marshal | abi.MarshalRecords):
            sources[step.result] = (step.source,) if isinstance(step, abi.Marshal) else step.sources
    copied, present, shared = list[str](), list[str](), list[bool]()
    back = 0
    for step in package.steps:
        match step:
            case abi.CopyIn():
                shared.append(step.shared)
                if step.host in sources:
                    copied.extend(map(str, sources[step.host]))
            case abi.Present():
                shared.append(step.shared)
                present.append(str(step.source))
            case abi.PresentRecords():
                shared.append(step.shared)
                present.extend(str(member.source) for member in step.members)
            case abi.Unmarshal():
                back = len(step.hosts)
            case _:
                pass
    read = {source.index for source in package.read}
    read |= {step.source.index for step in package.steps if isinstance(step, abi.Present | abi.PresentRecords)}
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
        if route.results is not None:
            again = spelled_bytes(route.results.least)
            yield f"pinned: results of {again} and more, where their memory is used again; they are copied directly"


def overlapped(package: abi.Package, traits: abi.DeviceTraits) -> Iterator[str]:
    """Whether copies in both directions go on at once, and from which size on."""
    route = route_of(traits)
    if route is None or route.parts is None or not settings.current().overlap:
        return
    if any(isinstance(step, abi.Launch) and step.in_parts for step in package.steps):
        least = spelled_bytes(route.parts.least)
        yield f"in parts: of {least} and more, one part comes while the kernel runs for another and a third goes"


def layouts(module: ModuleOp) -> Iterator[str]:
    """How the fields of objects and of structured arrays are read, after that has been decided, and why."""
    entry = entry_function(module)
    facts = [] if entry is None else argument_facts(entry)
    fields = {op.sym_name.data for op in module.ops if isinstance(op, CaptureOp) and op.objects is not None}
    together: dict[tuple[str, str], list[str]] = {}
    for op in module.walk():
        if isinstance(op, offload.MarshalOp | offload.PresentOp) and op.reason is not None:
            array = op.array if isinstance(op, offload.PresentOp) else op.operand
            of = facts[array.index] if isinstance(array, BlockArgument) else None
            source = abi.Source(name=captured_name(array)) if of is None else abi.Source(of.path[0], None, of.path[1:])
            of_objects = source.name in fields if of is None else not of.strides
            together.setdefault((_way(op, of_objects=of_objects), op.reason.data), []).append(str(source))
    for (way, reason), sources in together.items():
        yield f"layout: {_listed(sources)} {'is' if len(sources) == 1 else 'are'} {way}: {reason}"


def _way(op: offload.MarshalOp | offload.PresentOp, *, of_objects: bool) -> str:
    """How the numbers of a marshalled array lie, of which it has been decided."""
    if isinstance(op, offload.MarshalOp) and op.stride is not None:
        return "read in place, as array of structs"
    if op.record is not None:
        return f"read as array of structs '{op.record.data}'"
    return "read as struct of arrays" if of_objects else "read copied, as struct of arrays"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(dict.fromkeys(names))

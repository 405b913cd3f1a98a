"""transfer-elimination: arrays stay on the device between the parallel loops of a function."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from hetc.analysis.array_copies import BOTH, DEVICE, HOST, Facts, Groups, later_looks, names, right_copies
from hetc.dialects import offload
from hetc.dialects.offload import TransferAttr


@dataclass(frozen=True)
class TransferEliminationPass(ModulePass):
    """Decide, for each region and array, which copies to the device and back are made.

    Needs: functions of `offload` host ops (regions, accesses of the host, branches); others stay as they are.
    Leaves: the same ops with `transfers`, which say what is copied where, and why.

    1. Variables that `offload.alias` connects are one group: their arrays may share memory.
    2. Forwards, over all paths: which copy of a group's arrays may be the right one. A region makes one on the device,
       and the only right one where it writes; what the host writes, or may write, is right on the host alone.
    3. Backwards: which accesses of the host may look at what an array is now. What a region overwrites as a whole,
       nobody looks at; at the end, the caller looks at its arrays, and at what is returned.
    4. A region's copy *in* is removed where the device's copy is right on all paths, or the region overwrites all of
       the array; where it is right on some paths, it is made on the others only, such as the first round of a loop.
    5. A region's copy *out* is removed where the region does not write, or nobody looks; else it is delayed to the
       places that look. There, it is made if the device's copy may be the only right one. Where the host writes, the
       device's copy is dropped.
    6. Where code that cannot be interrupted may look right after a region, its copies are made at once.

    A call of an array function (`offload.call`) is a region that reads its inputs, and makes a new array that only the
    device has. One of a function with parallel loops may leave the arrays that it is given anywhere: it has a plan of
    its own, which starts from `offload.handed`.

    What a statement does that is not seen is `offload.host_any`, a barrier for all arrays. An exception that leaves the
    function brings everything back, whatever is decided here. Cost: linear in ops and groups for each round of the two
    analyses, of which nested loops need as many as they are deep.

    The idea is that of HJ-OpenCL (Grossman, Imam, Sarkar). Its analysis moves everything in the first and last round of
    a loop, which this one does not.
    """

    name = "transfer-elimination"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in op.walk():
            if isinstance(inner, FuncOp) and any(isinstance(part, offload.LeaveOp) for part in inner.walk()):
                _Decisions(inner).mark()


class _Decisions:
    """What is decided for one function."""

    def __init__(self, function: FuncOp) -> None:
        self.function = function
        self.groups = Groups(function)
        self.copies = right_copies(function, self.groups)
        self.looks = later_looks(function, self.groups)
        regions = [op for op in function.walk() if isinstance(op, offload.RegionOp | offload.CallOp | offload.HandedOp)]
        self.in_regions = sorted({name for region in regions for name in _arrays(region)})

    def mark(self) -> None:
        """Say at each op that can be reached what is copied there."""
        for op, copies in self.copies.items():
            match op:
                case offload.RegionOp():
                    op.transfers = ArrayAttr(self.region(op, copies))
                case offload.CallOp():
                    op.transfers = ArrayAttr(self.call(op, copies))
                case offload.HostReadOp() | offload.HostWriteOp():
                    writes = isinstance(op, offload.HostWriteOp)
                    op.transfers = ArrayAttr(self.access(names(op.arrays), copies, writes=writes))
                case offload.HostAnyOp():
                    op.transfers = ArrayAttr(self.access(self.in_regions, copies, writes=True))
                case offload.LeaveOp():
                    returned = {self.groups.of(name) for name in names(op.returns)}
                    seen = [
                        name
                        for name in self.in_regions
                        if self.groups.of(name) in returned or self.groups.is_seen(self.groups.of(name))
                    ]
                    op.transfers = ArrayAttr(self.access(seen, copies, writes=False))
                case _:
                    pass

    def region(self, op: offload.RegionOp, copies: Facts) -> Iterator[TransferAttr]:
        """What a region copies of each array."""
        written = {*names(op.writes), *names(op.overwrites)}
        for name in _arrays(op):
            yield TransferAttr(name, "in", *self.copy_in(name, op, copies[self.groups.of(name)]))
            yield TransferAttr(name, "out", *self.copy_out(name, op, written=name in written))

    def call(self, op: offload.CallOp, copies: Facts) -> Iterator[TransferAttr]:
        """What a call copies of each array: like a region, but that its callee decides about what it writes."""
        for name in names(op.reads):
            yield TransferAttr(name, "in", *self.needed(copies[self.groups.of(name)]))
            yield TransferAttr(name, "out", "removed", "the call does not write it")
        for name in names(op.writes):
            yield TransferAttr(name, "out", *self.seen_after(op, name))
        for name in names(op.makes):
            yield TransferAttr(name, "out", *self.seen_after(op, name))

    def copy_in(self, name: str, op: offload.RegionOp, right: frozenset[str]) -> tuple[str, str]:
        """What becomes of a region's copy to the device, and why."""
        if op.at_once is not None:
            return "kept", op.at_once.data
        if name in names(op.overwrites):
            return "removed", "the region overwrites all of it"
        return self.needed(right)

    def needed(self, right: frozenset[str]) -> tuple[str, str]:
        """What becomes of the copy to the device of an array that is read there, and why."""
        if HOST not in right:
            return "removed", "the device has a right copy"
        if not right - {HOST}:
            return "kept", "only the host has a right copy"
        return "first", "on some paths the device has a right copy"

    def copy_out(self, name: str, op: offload.RegionOp, *, written: bool) -> tuple[str, str]:
        """What becomes of a region's copy back, and why."""
        if not written:
            return "removed", "the region does not write it"
        if op.at_once is not None:
            return "kept", op.at_once.data
        return self.seen_after(op, name)

    def seen_after(self, op: Operation, name: str) -> tuple[str, str]:
        """What becomes of the copy back of an array that the device has changed or made, and why."""
        places = self.looks[op][self.groups.of(name)]
        if not places:
            return "removed", "nobody looks at it"
        return "delayed", f"until {', '.join(sorted(places))}"

    def access(self, accessed: list[str], copies: Facts, *, writes: bool) -> Iterator[TransferAttr]:
        """What is copied where the host accesses arrays."""
        for name in accessed:
            right = copies[self.groups.of(name)]
            if DEVICE in right:
                yield TransferAttr(name, "out", "kept", "the device may have written it since")
            else:
                yield TransferAttr(name, "out", "removed", "the host has a right copy")
            if writes and (BOTH in right or DEVICE in right):
                yield TransferAttr(name, "device", "dropped", "the host may write it")


def _arrays(op: Operation) -> list[str]:
    match op:
        case offload.RegionOp():
            return sorted({*names(op.reads), *names(op.writes), *names(op.overwrites)})
        case offload.CallOp():
            return sorted({*names(op.reads), *names(op.writes), *names(op.makes)})
        case offload.HandedOp():
            return names(op.arrays)
        case _:
            return []

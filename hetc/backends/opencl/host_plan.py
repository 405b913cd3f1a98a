"""What `transfer-elimination` has decided for a function's host code -> a plan for the runtime, as data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from hetc.abi import CallArrays, HostAccess, HostPlan, RegionArrays, Transfer
from hetc.analysis.array_copies import Groups, names
from hetc.dialects import offload

_Access = offload.HostReadOp | offload.HostWriteOp | offload.HostAnyOp


def host_plan(module: ModuleOp) -> HostPlan:
    """The plan of the one function of a module."""
    (function,) = (op for op in module.ops if isinstance(op, FuncOp))
    groups = Groups(function)
    handed = any(isinstance(op, offload.HandedOp) for op in function.walk())
    accesses: dict[tuple[int, int], HostAccess] = {}
    regions: dict[int, RegionArrays] = {}
    calls: dict[int, CallArrays] = {}
    transfers: list[Transfer] = []
    for op in function.walk():
        match op:
            case offload.HostReadOp() | offload.HostWriteOp() | offload.HostAnyOp():
                place = op.line.value.data, op.column.value.data
                access = _access(op, accesses.get(place, HostAccess()), handed=handed)
                if access != HostAccess():
                    accesses[place] = access
            case offload.RegionOp() if op.at_once is None:
                regions[op.number.value.data] = _region(op, groups)
            case offload.CallOp():
                calls[op.number.value.data] = _call(op, groups)
            case _:
                pass
        transfers += _transfers(op)
    return HostPlan(accesses, regions, tuple(sorted(dict.fromkeys(transfers), key=lambda each: each.line)), calls)


def _access(op: _Access, before: HostAccess, *, handed: bool) -> HostAccess:
    """What is done at an op, and for others at the same place; `handed` says that the caller keeps arrays, too."""
    marks = op.transfers or ()
    fetched = {mark.array.data for mark in marks if mark.way.data == "out" and mark.decision.data == "kept"}
    dropped = {mark.array.data for mark in marks if mark.way.data == "device"}
    everything = isinstance(op, offload.HostAnyOp) and (handed or bool(fetched or dropped))
    return HostAccess(
        tuple(sorted(fetched.union(before.fetched))),
        tuple(sorted(dropped.union(before.dropped))),
        everything or before.everything,
    )


def _region(op: offload.RegionOp, groups: Groups) -> RegionArrays:
    kept = sorted({*names(op.reads), *names(op.writes), *names(op.overwrites)})
    writes, overwrites = tuple(names(op.writes)), tuple(names(op.overwrites))
    return RegionArrays(tuple(kept), writes, overwrites, *_holders(kept, groups))


def _call(op: offload.CallOp, groups: Groups) -> CallArrays:
    kept = sorted({*names(op.reads), *names(op.writes), *names(op.makes)})
    (made,) = names(op.makes) or [""]
    arguments = tuple(name.data for name in op.arguments)
    return CallArrays(arguments, made, op.gives.data, op.hands is not None, *_holders(kept, groups))


def _holders(kept: Sequence[str], groups: Groups) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The variables whose arrays anyone may hold, and those whose former arrays are nobody's."""
    return (
        tuple(name for name in kept if groups.is_held_by_anyone(groups.of(name))),
        tuple(name for name in kept if groups.is_single(groups.of(name)) and not groups.is_seen(groups.of(name))),
    )


def _transfers(op: Operation) -> Iterator[Transfer]:
    match op:
        case offload.RegionOp():
            place = "loop"
        case offload.CallOp():
            place = f"call of {op.what.data}"
        case offload.HostReadOp():
            place = "read"
        case offload.HostWriteOp():
            place = "write"
        case offload.HostAnyOp():
            place = op.what.data
        case offload.LeaveOp():
            place = "return"
        case _:
            return
    for mark in op.transfers or ():
        yield Transfer(op.line.value.data, place, mark.array.data, mark.way.data, mark.decision.data, mark.why.data)

"""Fields of objects, which are arrays of their own, or stand beside each other in records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from xdsl.dialects import func, gpu, memref
from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, MemRefType, ModuleOp, StringAttr, i64
from xdsl.ir import BlockArgument

from hetc.analysis.entry import ArgumentFacts, argument_facts
from hetc.dataclass import dataclass
from hetc.dialects import offload, skel
from hetc.dialects.parts.offload_records import is_member, size_of, struct_offsets
from hetc.passes.layouts.accesses import (
    Access,
    Brought,
    accesses_of,
    buffer_of,
    is_at_data,
    is_read_by_all,
    origins,
    parameter_of,
)

STORED = "kernels store to it"
BY_ALL = "all work-items read it in a loop"
OWN = "each work-item reads its own"
ALONE = "no other field is read at the same places"
TOGETHER = "read together at places that are data"
ASKED = {"aos": "an array of structs is asked for", "soa": "a struct of arrays is asked for"}
SEVERAL = "a kernel reads it in the place of other objects, too"


@dataclass(frozen=True, eq=False)
class Field:
    """An array with a number of each of some objects, and what kernels do to it."""

    brought: Brought
    accesses: Sequence[Access]
    asked: str | None

    @property
    def can_be_member(self) -> bool:
        """Whether its numbers may stand in records: of those that kernels store to, nothing else is to be moved."""
        result = self.brought.result.type
        assert isinstance(result, MemRefType)
        return is_member(result.element_type) and all(isinstance(one, memref.LoadOp) for one in self.accesses)

    @property
    def size(self) -> int:
        """The bytes of a number."""
        assert isinstance(self.brought.result.type, MemRefType)
        return size_of(self.brought.result.type.element_type)

    @property
    def reason(self) -> str:
        """Why it is an array of its own, if nothing else is to be said."""
        if any(not isinstance(access, memref.LoadOp) for access in self.accesses):
            return STORED
        if any(map(is_read_by_all, self.accesses)):
            return BY_ALL
        return ALONE if any(map(is_at_data, self.accesses)) else OWN


def group_fields(module: ModuleOp, entry: func.FuncOp, kernels: Mapping[str, gpu.FuncOp], asked: str | None) -> None:
    """Decide for the fields of each group of objects which of them stand in records."""
    launches = [op for op in entry.body.block.ops if isinstance(op, offload.LaunchOp)]
    symbols: dict[str, int] = {}
    for symbol, fields in _groups(module, entry, kernels, asked).items():
        if len(fields) < 2:
            continue
        stated = fields[0].asked
        for field in fields:
            field.brought.reason = StringAttr(field.reason if stated != "soa" else ASKED["soa"])
        members = [field for field in fields if field.can_be_member]
        for record in _records(members, stated):
            if not _is_one(record, launches, kernels):
                for field in record:
                    field.brought.reason = StringAttr(SEVERAL)
                continue
            number = symbols[symbol] = symbols.get(symbol, 0) + 1
            _put_together(record, symbol if number == 1 else f"{symbol}_{number}", ASKED.get(stated or "", TOGETHER))


def _groups(
    module: ModuleOp, entry: func.FuncOp, kernels: Mapping[str, gpu.FuncOp], asked: str | None
) -> dict[str, list[Field]]:
    """The arrays that have an element for each of the same objects, by the name of these."""
    declared = {op.sym_name.data: op.objects for op in module.ops if isinstance(op, skel.CaptureOp)}
    facts, parted = argument_facts(entry), _parted(entry)
    found: dict[str, list[Field]] = {}
    for brought in [op for op in entry.body.block.ops if isinstance(op, Brought)]:
        array = brought.array if isinstance(brought, offload.PresentOp) else brought.operand
        stated = asked
        if isinstance(array, BlockArgument):
            symbol = _symbol_of_input(facts[array.index], is_present=isinstance(brought, offload.PresentOp))
            # What is asked for one function comes before what is asked for an array that it is given.
            stated = asked or {"aos": "aos", "soa": "soa"}.get(facts[array.index].layout)
        else:
            name = skel.captured_name(array)
            objects = None if name in parted else declared.get(name)
            symbol = None if objects is None else objects.data
        accesses = None if symbol is None else accesses_of(brought, kernels)
        if symbol is not None and accesses:
            found.setdefault(symbol, []).append(Field(brought, accesses, stated))
    return found


def _parted(entry: func.FuncOp) -> set[str]:
    """The captured arrays of which a batch has some rows only."""
    divided = entry.attributes.get("skel.divided")
    return {name.data for name in divided if isinstance(name, StringAttr)} if isinstance(divided, ArrayAttr) else set()


def _symbol_of_input(facts: ArgumentFacts, *, is_present: bool) -> str | None:
    """The name of the objects of an input.

    None for an array, which is read where it lies, and for numbers.
    """
    number, *component = facts.path
    is_field = component and not facts.strides and (not is_present or facts.layout)
    return f"input_{number}" if is_field else None


def _records(members: Sequence[Field], asked: str | None) -> Iterator[Sequence[Field]]:
    """The fields that stand in one record, for each record."""
    if asked is not None:
        if asked == "aos" and len(members) > 1:
            yield members
        return
    chosen = [field for field in members if field.reason == ALONE]
    places = {field: frozenset[object]().union(*map(origins, field.accesses)) for field in chosen}
    found = [[field] for field in chosen]
    for one, other in combinations(chosen, 2):
        left, right = (next(part for part in found if field in part) for field in (one, other))
        if left is not right and places[one] & places[other]:
            left += right
            found.remove(right)
    yield from (part for part in found if len(part) > 1)


def _is_one(record: Sequence[Field], launches: Sequence[offload.LaunchOp], kernels: Mapping[str, gpu.FuncOp]) -> bool:
    """Whether each kernel reads the record, or nothing of it, in all of its launches."""
    buffers = {buffer: field for field in record if (buffer := buffer_of(field.brought)) is not None}
    seen: dict[str, object] = {}
    for launch in launches:
        taken = {
            parameter_of(launch, place, kernels): buffers[operand]
            for place, operand in enumerate(launch.operands)
            if operand in buffers
        }
        if seen.setdefault(launch.kernel_name, taken) != taken:
            return False
    return True


def _put_together(record: Sequence[Field], symbol: str, reason: str) -> None:
    """The largest numbers come first, so that a struct is padded at its end only."""
    ordered = sorted(record, key=lambda field: -field.size)
    for field, offset in zip(ordered, struct_offsets([field.size for field in ordered]), strict=True):
        field.brought.record = StringAttr(symbol)
        field.brought.offset = IntegerAttr(offset, i64)
        field.brought.reason = StringAttr(reason)

"""box-elimination: numbers are carried as their payloads, and no box is left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass

from hetc.dialects import obj
from hetc.passes.conversion.control_flow import Conversion
from hetc.passes.conversion.dead_code import erase_dead


@dataclass(frozen=True)
class BoxEliminationPass(ModulePass):
    """Remove boxes and unboxes in pairs, across branches and loops.

    Needs: calls inlined and tuples flattened. Leaves: no `obj.box` and no `obj.unbox`, unless a boxed value is used by
    something else.

    1. Carry the boxed values of `scf.if`, `scf.for` and `scf.while` as payloads.
    2. unbox(box(x)) -> x.
    3. Drop the boxes that nothing uses.

    Cost: linear. After Fumero et al., PPPJ 2015, section 5.2 ("elimination of boxing and unboxing").
    """

    name = "box-elimination"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        _CarryPayloads().convert(op)
        for unbox in [inner for inner in op.walk() if isinstance(inner, obj.UnboxOp)]:
            if isinstance(box := unbox.boxed.owner, obj.BoxOp):
                unbox.payload.replace_all_uses_with(box.payload)
        erase_dead(op, obj.UnboxOp, obj.BoxOp)


class _CarryPayloads(Conversion):
    def expand(self, type_: Attribute) -> list[Attribute] | None:
        return [obj.payload(type_.source)] if isinstance(type_, obj.BoxedType) else None

    def unpack(self, value: SSAValue) -> tuple[list[Operation], list[SSAValue]]:
        unbox = obj.UnboxOp(value)
        unbox.payload.name_hint = value.name_hint
        return [unbox], [unbox.payload]

    def pack(self, parts: Sequence[SSAValue], type_: Attribute) -> tuple[list[Operation], SSAValue]:
        assert isinstance(type_, obj.BoxedType)
        box = obj.BoxOp(parts[0], type_.source)
        return [box], box.boxed

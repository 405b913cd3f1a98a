"""flatten-tuples: tuples are carried as their items, and disappear."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TupleType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass

from hetc.dialects import obj
from hetc.passes.conversion.control_flow import Conversion
from hetc.passes.conversion.dead_code import erase_dead


@dataclass(frozen=True)
class FlattenTuplesPass(ModulePass):
    """Replace every tuple by its items, across branches and loops.

    Needs: calls inlined. Leaves: no `obj.pack` and no `obj.extract`.

    1. Carry the tuples of `scf.if`, `scf.for` and `scf.while` as their items, nested tuples included.
    2. extract(pack(x0, ..., xn), k) -> xk.
    3. Drop the packs that nothing uses.

    A tuple that is used otherwise stays. Cost: linear. This is the tuple case of scalar replacement (Fumero, PhD thesis
    2017, section 4.5, by Graal's partial escape analysis).
    """

    name = "flatten-tuples"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        _FlattenTuples().convert(op)
        for extract in [inner for inner in op.walk() if isinstance(inner, obj.ExtractOp)]:
            if isinstance(pack := extract.operand.owner, obj.PackOp):
                item = pack.items[extract.index.value.data]
                if item.name_hint is None:
                    item.name_hint = extract.result.name_hint
                extract.result.replace_all_uses_with(item)
        erase_dead(op, obj.ExtractOp, obj.PackOp)


class _FlattenTuples(Conversion):
    def expand(self, type_: Attribute) -> list[Attribute] | None:
        if not isinstance(type_, TupleType):
            return None
        return self.expanded(type_.types.data)

    def unpack(self, value: SSAValue) -> tuple[list[Operation], list[SSAValue]]:
        if not isinstance(value.type, TupleType):
            return [], [value]
        ops: list[Operation] = []
        parts: list[SSAValue] = []
        for index in range(len(value.type.types.data)):
            extract = obj.ExtractOp(value, index)
            inner_ops, inner_parts = self.unpack(extract.result)
            ops += [extract, *inner_ops]
            parts += inner_parts
        return ops, parts

    def pack(self, parts: Sequence[SSAValue], type_: Attribute) -> tuple[list[Operation], SSAValue]:
        return self._pack(iter(parts), type_)

    def _pack(self, parts: Iterator[SSAValue], type_: Attribute) -> tuple[list[Operation], SSAValue]:
        if not isinstance(type_, TupleType):
            return [], next(parts)
        ops: list[Operation] = []
        items: list[SSAValue] = []
        for item in type_.types.data:
            inner_ops, value = self._pack(parts, item)
            ops += inner_ops
            items.append(value)
        pack = obj.PackOp(items)
        return [*ops, pack], pack.result

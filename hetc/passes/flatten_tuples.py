"""flatten-tuples: tuples, lists and objects are carried as their parts, unions as tag and alternatives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TupleType, i8
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass

from hetc.analysis.walking import walk
from hetc.dialects import dyn, obj
from hetc.passes.conversion.control_flow import Conversion
from hetc.passes.conversion.dead_code import erase_dead


@dataclass(frozen=True)
class FlattenTuplesPass(ModulePass):
    """Replace tuples and lists by their items, objects by their fields, unions by their tags and alternatives.

    Needs: calls inlined. Leaves: no `obj.pack`, `obj.extract`, `obj.as_list`, `obj.list_items`, `obj.none`,
    `obj.union`, `obj.tag`, `obj.alternative`, `obj.new`, `obj.get`.

    1. Carry the tuples and lists of `scf.if`, `scf.for` and `scf.while` as their items, nested ones included; objects
       as their fields; unions as their tag and all their alternatives, whatever the tag; None as nothing.
    2. extract(pack(x0, ..., xn), k) -> xk; get(new(x0, ..., xn), field k) -> xk;
       alternative(union t (x0, ..., xn), k) -> xk; tag(union t (...)) -> t.
    3. Drop the packs, objects, unions and Nones that nothing uses, and the declarations of classes.

    A tuple that is used otherwise stays. Cost: linear. This is the tuple case of scalar replacement (Fumero, PhD thesis
    2017, section 4.5, by Graal's partial escape analysis).
    """

    name = "flatten-tuples"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        _FlattenTuples().convert(op)
        for inner in walk(op):
            part = _part(inner)
            if part is not None:
                if part.name_hint is None:
                    part.name_hint = inner.results[0].name_hint
                inner.results[0].replace_all_uses_with(part)
        erase_dead(op, *_ERASED)
        for inner in walk(op):
            if isinstance(inner, obj.ClassOp):
                inner.detach()


def _part(op: Operation) -> SSAValue | None:
    """The part that an op takes out of a pack or union that was put together before."""
    match op:
        case obj.ExtractOp(operand=whole, index=index) if isinstance(pack := whole.owner, obj.PackOp):
            return pack.items[index.value.data]
        case obj.AlternativeOp(operand=whole, index=index) if isinstance(union := whole.owner, obj.UnionOp):
            return union.alternatives[index.value.data]
        case obj.GetOp(operand=whole) if isinstance(new := whole.owner, obj.NewOp):
            return new.fields[op.index]
        case obj.ListItemsOp(operand=whole) if isinstance(made := whole.owner, obj.AsListOp):
            return made.items
        case obj.TagOp(operand=whole) if isinstance(union := whole.owner, obj.UnionOp):
            return union.tag
        case _:
            return None


_ERASED = (
    obj.GetOp,
    obj.NewOp,
    obj.ExtractOp,
    obj.PackOp,
    obj.AsListOp,
    obj.ListItemsOp,
    obj.TagOp,
    obj.AlternativeOp,
    obj.UnionOp,
    obj.NoneOp,
)


class _FlattenTuples(Conversion):
    def expand(self, type_: Attribute) -> list[Attribute] | None:
        match type_:
            case TupleType():
                return self.expanded(type_.types.data)
            case obj.ListType():
                return self.expanded(type_.types)
            case obj.ObjectType():
                return self.expanded(type_.types)
            case obj.UnionType():
                return [i8, *self.expanded(type_.alternatives.data)]
            case dyn.NoneType():
                return []
            case _:
                return None

    def unpack(self, value: SSAValue) -> tuple[list[Operation], list[SSAValue]]:
        ops: list[Operation] = []
        parts: list[SSAValue] = []
        taken: Sequence[obj.ExtractOp | obj.AlternativeOp | obj.GetOp]
        match value.type:
            case TupleType():
                taken = [obj.ExtractOp(value, index) for index in range(len(value.type.types.data))]
            case obj.ListType():
                items = obj.ListItemsOp(value)
                ops.append(items)
                taken = [obj.ExtractOp(items.result, index) for index in range(len(value.type.types))]
            case obj.ObjectType():
                taken = [obj.GetOp(value, name) for name in value.type.fields]
            case obj.UnionType():
                tag = obj.TagOp(value)
                ops.append(tag)
                parts.append(tag.result)
                taken = [obj.AlternativeOp(value, index) for index in range(len(value.type.alternatives))]
            case dyn.NoneType():
                return [], []
            case _:
                return [], [value]
        for part in taken:
            inner_ops, inner_parts = self.unpack(part.result)
            ops += [part, *inner_ops]
            parts += inner_parts
        return ops, parts

    def pack(self, parts: Sequence[SSAValue], type_: Attribute) -> tuple[list[Operation], SSAValue]:
        return self._pack(iter(parts), type_)

    def _pack(self, parts: Iterator[SSAValue], type_: Attribute) -> tuple[list[Operation], SSAValue]:
        match type_:
            case TupleType():
                ops, items = self._pack_all(parts, type_.types.data)
                whole: obj.PackOp | obj.AsListOp | obj.NewOp | obj.UnionOp | obj.NoneOp = obj.PackOp(items)
            case obj.ListType():
                ops, pack = self._pack(parts, type_.items)
                whole = obj.AsListOp(pack)
            case obj.ObjectType():
                ops, items = self._pack_all(parts, type_.types)
                whole = obj.NewOp(items, type_)
            case obj.UnionType():
                tag = next(parts)
                ops, items = self._pack_all(parts, type_.alternatives.data)
                whole = obj.UnionOp(tag, items)
            case dyn.NoneType():
                ops, whole = [], obj.NoneOp()
            case _:
                return [], next(parts)
        return [*ops, whole], whole.result

    def _pack_all(
        self, parts: Iterator[SSAValue], types: Sequence[Attribute]
    ) -> tuple[list[Operation], list[SSAValue]]:
        packed = [self._pack(parts, type_) for type_ in types]
        return [op for ops, _ in packed for op in ops], [value for _, value in packed]

"""What a part of the interpretation may ask of the whole: the abstract values, and to run a block.

`loops` and `branches` interpret control flow with this alone, so that the interpreter can import them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

from xdsl.dialects import ub
from xdsl.dialects.builtin import TupleType, i8
from xdsl.ir import Attribute, Block, Operation, SSAValue

from hetc.abi import Bounds
from hetc.diagnostics import Category
from hetc.dialects import dyn, heap, obj
from hetc.enumerations import VALUE
from hetc.passes.semantics.emitter import Emitter, Number
from hetc.passes.specialization.values import Abstract, Captured, MaybeUnbound, Unbound, Value, View, describe


class Interpretation(Emitter, ABC):
    """The abstract values of a function's old values, while its ops run in order."""

    def __init__(self) -> None:
        super().__init__()
        self.values: dict[SSAValue, Value] = {}
        self.classes: dict[str, obj.ClassOp] = {}
        self.tables: dict[str, obj.TableOp] = {}
        """The tables that references are places in, by the names of their classes."""
        self.active_members: list[str] = []
        """The functions of classes that are being interpreted."""
        self.unrolled = 0
        """How many iterations of loops have been unrolled."""
        self.stores = False
        self.single = False
        """Whether this is the body of a loop's only iteration: a guard that fails loses all of it."""
        """Whether elements of captured arrays may be stored to."""
        self.assigned: frozenset[str] = frozenset()
        """The attributes that the program may assign of objects that others see."""
        self.stored_objects: list[SSAValue] = []
        """The objects that it stores to attributes of others."""

    @abstractmethod
    def run_op(self, op: Operation) -> None:
        """Interpret one op."""

    @abstractmethod
    def size(self, dim: int) -> SSAValue:
        """The length of a numbered dimension."""

    @abstractmethod
    def with_bounds(self, value: SSAValue, source: Attribute, bounds: Bounds | None) -> SSAValue:
        """A payload with the bounds that marshalling vouches for."""

    @abstractmethod
    def call(self, symbol: str, arguments: Sequence[Value], *, for_result: bool = False) -> Value:
        """Call a function of the module; `for_result` says that it makes the element of an output."""

    @abstractmethod
    def captured_value(self, name: str) -> Value:
        """The value of a captured variable."""

    @abstractmethod
    def compare_tuples(self, name: str, left: SSAValue, right: SSAValue) -> SSAValue:
        """`left < right`, ... of two tuples, as an `i1`."""

    @abstractmethod
    def in_place(self, block: Block, arguments: Sequence[Value], around: Mapping[SSAValue, Value] | None) -> Value:
        """Interpret the body of a function where it is called; `around` are the values that it sees."""

    def run_block(self, block: Block) -> None:
        """Interpret the ops of a block, up to its terminator."""
        for op in block.ops:
            if op is not block.last_op:
                self.run_op(op)

    def bind(self, old: SSAValue, value: Value) -> None:
        """An old value has this abstract value; the name that the user gave it travels along."""
        self.values[old] = value
        if isinstance(value, SSAValue) and old.name_hint is not None:
            _carry_name(value, old.name_hint)

    def bind_number(self, old: SSAValue, number: Number) -> None:
        """An old value is this number."""
        self.bind(old, self.box(number))

    def get(self, old: SSAValue) -> Value:
        """The abstract value of an old value."""
        return self.values[old]

    def typed(self, old: SSAValue) -> SSAValue:
        """The boxed value, tuple or `i1` of an old value that an op uses."""
        return self.on_device(self.values[old])

    def on_device(self, value: Value) -> SSAValue:
        """A value that an op uses, which must be on the device."""
        match value:
            case SSAValue():
                return value
            case Unbound(variable) | MaybeUnbound(_, variable):
                raise self.unsupported(
                    f"the variable '{variable}' may have no value here",
                    hint="assign it before the branch or loop",
                    category=Category.UNBOUND,
                )
            case Captured() | View():
                raise self.unsupported(
                    "an array cannot be used as a value here",
                    hint="index it down to one of its numbers; the elements of a matrix are its rows: loop over them, "
                    "or pass all numbers with matrix.ravel()",
                    category=Category.CONTAINER,
                )
            case Abstract():
                raise self.unsupported(f"{value.noun} cannot be used as a value here", category=Category.CONTAINER)

    def number(self, old: SSAValue) -> Number:
        """The number that an old value is."""
        boxed = self._value_of_member(self.typed(old))
        if isinstance(boxed.type, TupleType | obj.ListType | obj.ObjectType | heap.ListType):
            raise self.unsupported(f"a number is needed here, not {describe(boxed.type)}", category=Category.CONTAINER)
        return self.unbox(boxed)

    def _value_of_member(self, value: SSAValue) -> SSAValue:
        """The value of a member of an enumeration of numbers, which it is itself; any other value as it is."""
        cls = self.classes.get(value.type.symbol) if isinstance(value.type, obj.ObjectType) else None
        is_number = cls is not None and cls.enumeration is not None and cls.enumeration.data == "number"
        return self.add(obj.GetOp(value, VALUE)).result if is_number else value

    def poison(self, type_: Attribute) -> SSAValue:
        """A value that nobody reads."""
        if isinstance(type_, TupleType):
            return self.add(obj.PackOp([self.poison(item) for item in type_.types.data])).result
        if isinstance(type_, obj.ObjectType):
            return self.add(obj.NewOp([self.poison(item) for item in type_.types], type_)).result
        if isinstance(type_, obj.ListType):
            return self.add(obj.AsListOp(self.poison(type_.items))).result
        if isinstance(type_, heap.ListType):
            return self.add(heap.NewOp(self.constant(0, dyn.INT).value, type_)).result
        if isinstance(type_, obj.BoxedType):
            payload = self.add(ub.PoisonOp(obj.payload(type_.source))).result
            return self.add(obj.BoxOp(payload, type_.source)).boxed
        if isinstance(type_, obj.UnionType):
            return self.add(obj.UnionOp(self.poison(i8), [self.poison(item) for item in type_.alternatives])).result
        if isinstance(type_, dyn.NoneType):
            return self.add(obj.NoneOp()).result
        return self.add(ub.PoisonOp(type_)).result


def _carry_name(value: SSAValue, name: str) -> None:
    """Give a value, and the payload that it boxes, the user's name for it."""
    value.name_hint = name
    if isinstance(value.owner, obj.BoxOp) and value.owner.payload.name_hint is None:
        value.owner.payload.name_hint = name

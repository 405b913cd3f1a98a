"""Classes and objects in the `obj` dialect: what a class gives its objects, and objects as their fields.

An object is a value here (HJ-OpenCL moves objects whole, as structs; here they are the fields that the kernel reads).
One that came from outside is *given*. As a result, Python gives that very object: so it needs a field that says which
one it is, `id$`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    NoneAttr,
    StringAttr,
    SymbolNameConstraint,
    SymbolRefAttr,
    TupleType,
    UnitAttr,
)
from xdsl.ir import Attribute, ParametrizedAttribute, SSAValue, TypeAttribute
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    param_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import AttrParser
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.printer import Printer
from xdsl.traits import HasCanonicalizationPatternsTrait, Pure, SymbolOpInterface
from xdsl.utils.exceptions import VerifyException

MEMBER_KINDS = ("method", "static", "class", "property", "setter", "constant", "fields", "refused")
"""What a name in a class can mean: a function with the object as its first argument, one without, one with the class;
a function that is called where the name is read, one where it is assigned; a captured variable; an operator that
dataclasses make, over the fields that are named; something that is not compiled."""

ENUMERATION_KINDS = ("plain", "number", "text")
"""What the members of an enumeration are, beside being its members."""


@irdl_attr_definition
class MemberAttr(ParametrizedAttribute):
    """`#obj.member<"method", @norm>`: what a name in a class means.

    The second part is the symbol of the function or captured variable; for "fields" an array of names, for "refused" a
    string that says why it is not compiled.
    """

    name = "obj.member"
    kind: StringAttr = param_def()
    meaning: Attribute = param_def()

    def __init__(self, kind: str, meaning: Attribute):
        super().__init__(StringAttr(kind), meaning)

    def verify(self) -> None:
        if self.kind.data not in MEMBER_KINDS:
            raise VerifyException(
                f"unknown kind '{self.kind.data}' of member, expected one of {', '.join(MEMBER_KINDS)}"
            )
        expected = {"fields": ArrayAttr, "refused": StringAttr}.get(self.kind.data, SymbolRefAttr)
        if not isinstance(self.meaning, expected):
            raise VerifyException(f"a member of kind '{self.kind.data}' cannot mean {self.meaning}")

    @property
    def symbol(self) -> str:
        """The function or captured variable that it means."""
        assert isinstance(self.meaning, SymbolRefAttr)
        return self.meaning.root_reference.data

    @property
    def reason(self) -> str:
        """Why it is not compiled."""
        assert isinstance(self.meaning, StringAttr)
        return self.meaning.data

    @property
    def fields(self) -> list[str]:
        """The fields that it compares."""
        assert isinstance(self.meaning, ArrayAttr)
        return [part.data for part in self.meaning if isinstance(part, StringAttr)]


@irdl_attr_definition
class ObjectType(ParametrizedAttribute, TypeAttribute):
    """`!obj.object<@Point {x: T, y: U}>`: an object of exactly that class, as its fields.

    Those fields that cannot be read are left out. `!obj.object<given @Point {...}>` is an object that came from
    outside. The field `id$`, if it has one, is what Python's `id` gives; in an object that is not given, it is zero if
    the object is new. Like a tuple type it stands for the element type too, with source types in place of boxed ones.
    """

    name = "obj.object"
    cls: SymbolRefAttr = param_def()
    names: ArrayAttr[StringAttr] = param_def()
    items: TupleType = param_def()
    given: UnitAttr | NoneAttr = param_def()

    def __init__(self, cls: str, names: Sequence[str], types: Sequence[Attribute], *, given: bool = False):
        super().__init__(
            SymbolRefAttr(cls),
            ArrayAttr(map(StringAttr, names)),
            TupleType(ArrayAttr(types)),  # pyright: ignore[reportArgumentType] (xDSL wants type attributes)
            UnitAttr() if given else NoneAttr(),
        )

    @property
    def symbol(self) -> str:
        """The name of the class."""
        return self.cls.root_reference.data

    @property
    def fields(self) -> tuple[str, ...]:
        """The names of the fields, in order."""
        return tuple(name.data for name in self.names)

    @property
    def types(self) -> tuple[Attribute, ...]:
        """The types of the fields, in order."""
        return self.items.types.data

    @property
    def is_given(self) -> bool:
        """Whether the object came from outside, so that it is one that Python has."""
        return isinstance(self.given, UnitAttr)

    def of(self, types: Sequence[Attribute]) -> ObjectType:
        """The same with other types of fields."""
        return ObjectType(self.symbol, self.fields, types, given=self.is_given)

    def verify(self) -> None:
        if len(self.fields) != len(self.types):
            raise VerifyException("an object type has one type a field")
        if len(set(self.fields)) != len(self.fields):
            raise VerifyException("the fields of an object have different names")

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string("given " if self.is_given else "")
            printer.print_attribute(self.cls)
            printer.print_string(" {")
            for place, (name, type_) in enumerate(zip(self.fields, self.types, strict=True)):
                printer.print_string(f"{', ' if place else ''}{name}: ")
                printer.print_attribute(type_)
            printer.print_string("}")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        def field() -> tuple[str, Attribute]:
            name = parser.parse_identifier()
            parser.parse_punctuation(":")
            return name, parser.parse_attribute()

        with parser.in_angle_brackets():
            given = parser.parse_optional_keyword("given") is not None
            symbol = parser.parse_symbol_name()
            pairs = parser.parse_comma_separated_list(parser.Delimiter.BRACES, field)
        return ObjectType(symbol.data, [n for n, _ in pairs], [t for _, t in pairs], given=given).parameters


class GetCanonicalization(HasCanonicalizationPatternsTrait):
    """Canonicalisation of `obj.get`."""

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return (ForwardField(),)


@irdl_op_definition
class ClassOp(IRDLOperation):
    """A class: the fields of its objects, in order, inherited ones included, and what its other names mean.

    `bases` are the classes that an object of it is an instance of, the class itself first. `maker` is the function that
    makes an object of the arguments of the class. `mutable` says that fields
    can be assigned; `slots` lists those that there can be, if there can be no others. With `sequence` it is a
    NamedTuple: its objects are tuples of their fields. With `enumeration` they are the members of one, which their
    order tells apart: "plain" ones, each a "number" too, which is its value, or a "text".

    ```mlir
    obj.class @Point ["x", "y"] is ["Point", "object"] {members = {norm = #obj.member<"method", @norm>}, mutable}
    ```
    """

    name = "obj.class"
    sym_name = prop_def(SymbolNameConstraint())
    fields = prop_def(ArrayAttr[StringAttr])
    bases = prop_def(ArrayAttr[StringAttr])
    members = opt_prop_def(DictionaryAttr)
    maker = opt_prop_def(SymbolRefAttr)
    mutable = opt_prop_def(UnitAttr)
    slots = opt_prop_def(ArrayAttr[StringAttr])
    sequence = opt_prop_def(UnitAttr)
    enumeration = opt_prop_def(StringAttr)
    traits = traits_def(SymbolOpInterface())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$sym_name $fields `is` $bases attr-dict"

    def __init__(
        self,
        name: str,
        fields: Sequence[str],
        bases: Sequence[str],
        members: Mapping[str, MemberAttr],
        *,
        maker: str | None = None,
        mutable: bool = False,
        slots: Sequence[str] | None = None,
        sequence: bool = False,
    ):
        super().__init__(
            properties={
                "sym_name": StringAttr(name),
                "fields": ArrayAttr(map(StringAttr, fields)),
                "bases": ArrayAttr(map(StringAttr, bases)),
                "members": DictionaryAttr(dict(members)) if members else None,
                "maker": None if maker is None else SymbolRefAttr(maker),
                "mutable": UnitAttr() if mutable else None,
                "slots": None if slots is None else ArrayAttr(map(StringAttr, slots)),
                "sequence": UnitAttr() if sequence else None,
            }
        )

    def member(self, name: str) -> MemberAttr | None:
        """What a name in the class means; None if it is not in it."""
        found = None if self.members is None else self.members.data.get(name)
        return found if isinstance(found, MemberAttr) else None

    def verify_(self) -> None:
        names = [field.data for field in self.fields]
        if len(set(names)) != len(names):
            raise VerifyException("the fields of a class have different names")
        if self.enumeration is not None and self.enumeration.data not in ENUMERATION_KINDS:
            raise VerifyException(f"unknown kind '{self.enumeration.data}' of enumeration")
        members = {} if self.members is None else dict(self.members.data)
        for name, member in members.items():
            if not isinstance(member, MemberAttr):
                raise VerifyException(f"'{name}' must be an #obj.member")
            if name in names and member.kind.data != "constant":  # an object may have a value of its own
                raise VerifyException(f"'{name}' cannot be a field and a {member.kind.data}")


@irdl_op_definition
class NewOp(IRDLOperation):
    """An object with the given fields. It never reaches a kernel: `flatten-tuples` replaces objects by their fields.

    ```mlir
    %p = obj.new(%x, %y) : (!obj.boxed<f32>, !obj.boxed<f32>) -> !obj.object<@Point {x: !obj.boxed<f32>, y: !obj.boxed<f32>}>
    ```
    """  # noqa: E501 (one line is one op)

    name = "obj.new"
    fields = var_operand_def()
    result = result_def(ObjectType)
    traits = traits_def(Pure())
    assembly_format = "`(` $fields `)` attr-dict `:` functional-type($fields, $result)"

    def __init__(self, fields: Sequence[SSAValue], type_: ObjectType):
        super().__init__(operands=[fields], result_types=[type_])

    def verify_(self) -> None:
        assert isinstance(self.result.type, ObjectType)
        if self.result.type.types != tuple(self.fields.types):
            raise VerifyException("the object type must list the types of the fields")


@irdl_op_definition
class GetOp(IRDLOperation):
    """A field of an object. Its canonicalisation is get(new(x0, ..., xn), field k) -> xk.

    ```mlir
    %x = obj.get %p "x" : !obj.object<@Point {x: !obj.boxed<f32>}> -> !obj.boxed<f32>
    ```
    """

    name = "obj.get"
    operand = operand_def(ObjectType)
    field = prop_def(StringAttr)
    result = result_def()
    traits = traits_def(Pure(), GetCanonicalization())
    assembly_format = "$operand $field attr-dict `:` type($operand) `->` type($result)"

    def __init__(self, operand: SSAValue, field: str):
        assert isinstance(operand.type, ObjectType)
        super().__init__(
            operands=[operand],
            properties={"field": StringAttr(field)},
            result_types=[operand.type.types[operand.type.fields.index(field)]],
        )

    def verify_(self) -> None:
        assert isinstance(self.operand.type, ObjectType)
        if self.field.data not in self.operand.type.fields:
            raise VerifyException(f"the object has no field '{self.field.data}'")
        if self.operand.type.types[self.index] != self.result.type:
            raise VerifyException("the result must have the type of the field")

    @property
    def index(self) -> int:
        """The place of the field in the object."""
        assert isinstance(self.operand.type, ObjectType)
        return self.operand.type.fields.index(self.field.data)


class ForwardField(RewritePattern):
    """get(new(x0, ..., xn), field k) -> xk."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: GetOp, rewriter: PatternRewriter) -> None:
        if isinstance(new := op.operand.owner, NewOp):
            rewriter.replace(op, [], [new.fields[op.index]])

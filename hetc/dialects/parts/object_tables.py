"""Tables of objects in the `obj` dialect: the distinct objects of a class, to which references are places.

Objects that several lists and fields hold, or that lead to others of their class, are no values: what is written to
one is seen by all who refer to it. So all objects of such a class that a program meets stand in one table, a captured
array for each field, and a reference is the place of an object in the table: an object type with the one field
`place$`.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, FlatSymbolRefAttrConstr, NoneAttr, StringAttr, SymbolRefAttr, UnitAttr
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_attr_definition,
    irdl_op_definition,
    param_def,
    prop_def,
)
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

PLACE = "place$"
"""The field of a reference to an object of a table: its place in there. No attribute is called so."""


@irdl_attr_definition
class ColumnAttr(ParametrizedAttribute):
    """`#obj.column<@captured>`: a field of all objects of a table, as the captured array of its values.

    `#obj.column<@captured to @Node>` holds references to objects of the table of another class, or of the same one, as
    their places; with `or none` some are None, and their places are negative.
    """

    name = "obj.column"
    array: SymbolRefAttr = param_def()
    cls: SymbolRefAttr | NoneAttr = param_def()
    none: UnitAttr | NoneAttr = param_def()

    def __init__(self, array: str, cls: str | None = None, *, none: bool = False):
        super().__init__(
            SymbolRefAttr(array),
            NoneAttr() if cls is None else SymbolRefAttr(cls),
            UnitAttr() if none else NoneAttr(),
        )

    @property
    def captured(self) -> str:
        """The captured array."""
        return self.array.root_reference.data

    @property
    def refers_to(self) -> str | None:
        """The class of the objects that it refers to; None if it holds numbers."""
        return self.cls.root_reference.data if isinstance(self.cls, SymbolRefAttr) else None

    @property
    def has_none(self) -> bool:
        """Whether some references are None."""
        return isinstance(self.none, UnitAttr)

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_attribute(self.array)
            if self.refers_to is not None:
                printer.print_string(" to ")
                printer.print_attribute(self.cls)
            printer.print_string(" or none" if self.has_none else "")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            array = parser.parse_symbol_name().data
            known = parser.parse_symbol_name().data if parser.parse_optional_keyword("to") is not None else None
            none = known is not None and parser.parse_optional_keyword("or") is not None
            if none:
                parser.parse_characters("none")
        return ColumnAttr(array, known, none=none).parameters


@irdl_op_definition
class TableOp(IRDLOperation):
    """The objects of a class that a program meets: for each field that is read, the column of its values.

    ```mlir
    obj.table @Node ["x", "next"] [#obj.column<@Node_x>, #obj.column<@Node_next to @Node or none>]
    ```
    """

    name = "obj.table"
    cls = prop_def(FlatSymbolRefAttrConstr)
    fields = prop_def(ArrayAttr[StringAttr])
    columns = prop_def(ArrayAttr[ColumnAttr])
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$cls $fields $columns attr-dict"

    def __init__(self, cls: str, fields: Sequence[str], columns: Sequence[ColumnAttr]):
        super().__init__(
            properties={
                "cls": SymbolRefAttr(cls),
                "fields": ArrayAttr(map(StringAttr, fields)),
                "columns": ArrayAttr(columns),
            }
        )

    @property
    def symbol(self) -> str:
        """The name of the class."""
        return self.cls.root_reference.data

    def column(self, name: str) -> ColumnAttr | None:
        """The values of a field; None if it is not read."""
        names = [field.data for field in self.fields]
        return self.columns.data[names.index(name)] if name in names else None

    def verify_(self) -> None:
        names: list[Attribute] = list(self.fields)
        if len(set(names)) != len(names):
            raise VerifyException("the fields of a table have different names")
        if len(names) != len(self.columns):
            raise VerifyException("a table has one column a field")

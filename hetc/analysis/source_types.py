"""Source types in their two spellings: `hetc.abi.ScalarType`, and the MLIR type that stands for it in the IR.

| Python or NumPy | abi name | IR | payload |
|---|---|---|---|
| `int` | `int` | `!dyn.int` | `i64` |
| `float` | `float` | `!dyn.float` | `f64` |
| `complex` | `complex` | `!dyn.complex` | `complex<f64>` |
| `bool` | `bool` | `!dyn.bool` | `i1` |
| `np.bool_` | `b1` | `i1` | `i1` |
| `np.int32`, ... | `i32`, ... | `si32`, ... | `i32` |
| `np.uint32`, ... | `u32`, ... | `ui32`, ... | `i32` |
| `np.float16`, `np.float32`, ... | `f16`, `f32`, ... | the same | the same |
| `np.complex64`, `np.complex128` | `c64`, `c128` | `complex<f32>`, `complex<f64>` | the same |
"""

from __future__ import annotations

from xdsl.dialects.builtin import ComplexType, IntegerType, Signedness, TupleType, f16, f32, f64, i1
from xdsl.ir import Attribute

from hetc import abi
from hetc.dialects import dyn, heap, obj

_TO_IR: dict[str, Attribute] = {
    "int": dyn.INT,
    "float": dyn.FLOAT,
    "complex": dyn.COMPLEX,
    "bool": dyn.BOOL,
    "b1": i1,
    "f16": f16,
    "f32": f32,
    "f64": f64,
    "c64": ComplexType(f32),
    "c128": ComplexType(f64),
    **{f"i{width}": IntegerType(width, Signedness.SIGNED) for width in (8, 16, 32, 64)},
    **{f"u{width}": IntegerType(width, Signedness.UNSIGNED) for width in (8, 16, 32, 64)},
}
_FROM_IR = {attribute: abi.SCALAR_TYPES[name] for name, attribute in _TO_IR.items()}


TAG = _TO_IR[abi.TAG.name]
"""The source type of a union's tag."""


def to_ir(element: abi.ElementType) -> Attribute:
    """The IR's source type of an element type; objects are given, since elements of inputs are."""
    match element:
        case abi.TupleType(items):
            return obj.tuple_type(to_ir(item) for item in items)
        case abi.UnionType(items):
            return obj.UnionType(to_ir(item) for item in items)
        case abi.NoneType():
            return dyn.NONE
        case abi.ObjectType(symbol, names, items):
            return obj.ObjectType(symbol, names, [to_ir(item) for item in items], given=True)
        case abi.ListType(item):
            return heap.ListType(to_ir(item))
        case abi.FixedListType(items):
            return obj.ListType(to_ir(item) for item in items)
        case abi.ScalarType(name):
            return _TO_IR[name]


def from_ir(source: Attribute) -> abi.ElementType:
    """The element type of a source type. Raises KeyError for anything else."""
    match source:
        case TupleType():
            return abi.TupleType(tuple(from_ir(item) for item in source.types.data))
        case obj.UnionType():
            return abi.UnionType(tuple(from_ir(item) for item in source.alternatives))
        case dyn.NoneType():
            return abi.NoneType()
        case obj.ObjectType():
            return abi.ObjectType(source.symbol, source.fields, tuple(from_ir(item) for item in source.types))
        case heap.ListType():
            return abi.ListType(from_ir(source.item))
        case obj.ListType():
            return abi.FixedListType(tuple(from_ir(item) for item in source.types))
        case _:
            return _FROM_IR[source]


def scalar_from_ir(source: Attribute) -> abi.ScalarType:
    """The scalar type of a source type of one number."""
    return _FROM_IR[source]


def leaf_types(source: Attribute) -> tuple[Attribute, ...]:
    """The source types of the numbers that an element is stored as, left to right.

    Of a list in the heap these are where it begins and how many items it has.
    """
    match source:
        case TupleType():
            return tuple(leaf for item in source.types.data for leaf in leaf_types(item))
        case obj.ListType():
            return tuple(leaf for item in source.types for leaf in leaf_types(item))
        case obj.UnionType():
            return (TAG, *(leaf for item in source.alternatives for leaf in leaf_types(item)))
        case dyn.NoneType():
            return ()
        case obj.ObjectType():
            return tuple(leaf for item in source.types for leaf in leaf_types(item))
        case heap.ListType():
            return (_TO_IR["i64"], _TO_IR["i64"])
        case _:
            return (source,)


def is_python(source: Attribute) -> bool:
    """Whether a source type is Python's `int`, `float`, `complex` or `bool`, which are weak in NumPy's promotion."""
    return source in (dyn.INT, dyn.FLOAT, dyn.COMPLEX, dyn.BOOL)


def is_bool(source: Attribute) -> bool:
    """Whether a source type is a truth value, Python's or NumPy's."""
    return source in (dyn.BOOL, i1)


def is_float(source: Attribute) -> bool:
    """Whether a source type is a floating-point number, Python's or NumPy's."""
    return source in (dyn.FLOAT, f16, f32, f64)


def is_complex(source: Attribute) -> bool:
    """Whether a source type is a complex number, Python's or NumPy's."""
    return source == dyn.COMPLEX or isinstance(source, ComplexType)


def part_type(source: Attribute) -> Attribute:
    """The source type of the parts of a complex number: `float` of `complex`, `float32` of `complex64`."""
    if source == dyn.COMPLEX:
        return dyn.FLOAT
    assert isinstance(source, ComplexType)
    return source.element_type


def is_integer(source: Attribute) -> bool:
    """Whether a source type is an integer, Python's or NumPy's; truth values are not."""
    return source == dyn.INT or (isinstance(source, IntegerType) and source != i1)


def is_unsigned(source: Attribute) -> bool:
    """Whether an integer source type is unsigned."""
    return isinstance(source, IntegerType) and source.signedness.data is Signedness.UNSIGNED


def spelling(source: Attribute) -> str:
    """How a message names a source type: `float`, `numpy.float32`, a tuple of those."""
    match source:
        case TupleType():
            return f"({', '.join(spelling(item) for item in source.types.data)})"
        case obj.ListType():
            return f"[{', '.join(spelling(item) for item in source.types)}]"
        case obj.UnionType():
            return " or ".join(spelling(item) for item in source.alternatives)
        case dyn.NoneType():
            return "None"
        case obj.ObjectType():
            return source.symbol
        case heap.ListType():
            return f"list[{spelling(source.item)}]"
        case _:
            scalar = _FROM_IR[source]
            return scalar.name if scalar.python else f"numpy.{scalar.dtype}"

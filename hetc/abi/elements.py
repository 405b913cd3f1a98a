"""Element types: what an element of an array, list or range is, and the numbers that it consists of."""

from __future__ import annotations

import zlib

from hetc.dataclass import dataclass


@dataclass(frozen=True)
class ScalarType:
    """A source type of one element: a Python number or a NumPy scalar.

    `name` is what `hetc-opt --args` and messages use; `dtype` is the NumPy dtype of its storage on the device;
    `python` tells Python's `int`, `float`, `complex` and `bool` (weak in promotion, guarded for overflow) from NumPy's
    scalars.
    """

    name: str
    dtype: str
    python: bool = False

    def __str__(self) -> str:
        return self.name


SCALAR_TYPES: dict[str, ScalarType] = {
    t.name: t
    for t in (
        ScalarType("int", "int64", python=True),
        ScalarType("float", "float64", python=True),
        ScalarType("bool", "bool", python=True),
        ScalarType("complex", "complex128", python=True),
        ScalarType("b1", "bool"),
        ScalarType("i8", "int8"),
        ScalarType("i16", "int16"),
        ScalarType("i32", "int32"),
        ScalarType("i64", "int64"),
        ScalarType("u8", "uint8"),
        ScalarType("u16", "uint16"),
        ScalarType("u32", "uint32"),
        ScalarType("u64", "uint64"),
        ScalarType("f16", "float16"),
        ScalarType("f32", "float32"),
        ScalarType("f64", "float64"),
        ScalarType("c64", "complex64"),
        ScalarType("c128", "complex128"),
    )
}
"""Every element type that hetc compiles, by name."""

NUMPY_SCALARS: dict[str, ScalarType] = {t.dtype: t for t in SCALAR_TYPES.values() if not t.python}
"""NumPy dtype name -> element type."""


@dataclass(frozen=True)
class TupleType:
    """The type of a tuple element: one `ElementType` a component."""

    items: tuple[ElementType, ...]

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.items))})"


@dataclass(frozen=True)
class NoneType:
    """The type of `None`, of which nothing needs to be stored."""

    def __str__(self) -> str:
        return "none"


@dataclass(frozen=True)
class UnionType:
    """The type of elements that are of different types: `items`, in the order of their tags."""

    items: tuple[ElementType, ...]

    def __str__(self) -> str:
        return " | ".join(map(str, self.items))


@dataclass(frozen=True)
class ObjectType:
    """The type of objects of one class: `items` are the types of their fields `names`, as far as they matter.

    `symbol` is the class's name in the module; a class that makes results is among the captured values by that name.
    """

    symbol: str
    names: tuple[str, ...]
    items: tuple[ElementType, ...]

    def __str__(self) -> str:
        fields = ", ".join(f"{name}: {item}" for name, item in zip(self.names, self.items, strict=True))
        return f"{self.symbol}({fields})"


IDENTITY = "id$"
"""The field of an object that came from outside which says which object it is; no attribute is called so.

It is what Python's `id` gives: of an object that is made on the device, zero, where there may be either.
"""

RECORD = "np.void"
"""The symbol of an `ObjectType` that is an element of a structured array. No class of a program has it."""

NAMED_RECORD = "np.record"
"""The same of one whose fields are attributes, too, as the elements of a `numpy.recarray` are."""

FIELD_ARRAY = "np.ndarray"
"""The symbol of an `ObjectType` that is a field of a record, and an array: its items in order, or arrays of them."""


@dataclass(frozen=True)
class ListType:
    """The type of a result that is a list of any length, of items that are all of one type."""

    item: ElementType

    def __str__(self) -> str:
        return f"list[{self.item}]"


@dataclass(frozen=True)
class FixedListType:
    """The type of a result that is a list of as many items as `items` has types: stored as a tuple of them is."""

    items: tuple[ElementType, ...]

    def __str__(self) -> str:
        return f"[{', '.join(map(str, self.items))}]"


ElementType = ScalarType | TupleType | NoneType | UnionType | ObjectType | ListType | FixedListType

TAG = SCALAR_TYPES["i8"]
"""How the tag of a union is stored: the number that `tag_of` gives the type of the element."""

MAX_ALTERNATIVES = 6
"""A value of more types is left to Python."""

CLASSES = 128
"""As many classes have tags, all below zero: a number made of the class's name."""
_FIRST_TUPLE_TAG = 64
MAX_TAGGED_WIDTH = 63
"""The longest tuple that may be one of several types."""


def tag_of(element: ElementType) -> int:
    """The tag of an alternative. Tuples of one length have one tag: they are joined item by item.

    >>> tag_of(NoneType()), tag_of(SCALAR_TYPES["int"])
    (0, 1)
    """
    match element:
        case ScalarType(name):
            return 1 + list(SCALAR_TYPES).index(name)
        case TupleType(items):
            return _FIRST_TUPLE_TAG + len(items)
        case NoneType():
            return 0
        case ObjectType(symbol):
            return class_tag(symbol)
        case UnionType() | ListType() | FixedListType():
            raise ValueError(f"{element} is no alternative of a union")


def class_tag(symbol: str) -> int:
    """The tag of objects of a class. Whoever names the classes of a program sees to it that their tags differ."""
    return -1 - zlib.crc32(symbol.encode()) % CLASSES


TAG_PATH = -1
"""The component of a `Source.path` that is the tag of a union."""


def alternative_path(element: ElementType) -> int:
    """The component of a `Source.path` that is an alternative of a union; where it is another, a zero.

    >>> alternative_path(SCALAR_TYPES["int"])
    -3
    """
    return alternative_path_of_tag(tag_of(element))


def alternative_path_of_tag(tag: int) -> int:
    """The same for the alternative with a tag."""
    return -2 - tag % 256


def leaves(element: ElementType) -> tuple[ScalarType, ...]:
    """The scalars that an element type is stored as, left to right; a union as its tag and all its alternatives.

    A list is stored as where its items begin and how many there are; and what an item is stored as, for all items.

    >>> [t.name for t in leaves(TupleType((SCALAR_TYPES["f32"], TupleType((SCALAR_TYPES["int"],)))))]
    ['f32', 'int']
    """
    match element:
        case ScalarType():
            return (element,)
        case NoneType():
            return ()
        case TupleType(items) | ObjectType(items=items) | FixedListType(items):
            return tuple(leaf for item in items for leaf in leaves(item))
        case UnionType(items):
            return (TAG, *(leaf for item in items for leaf in leaves(item)))
        case ListType(item):
            return (SCALAR_TYPES["i64"], SCALAR_TYPES["i64"], *leaves(item))


def leaf_at(element: ElementType, path: tuple[int, ...]) -> ScalarType:
    """The scalar that an element type has at a path, which is that of a `Source`.

    >>> leaf_at(TupleType((SCALAR_TYPES["f32"], TupleType((SCALAR_TYPES["int"],)))), (1, 0)).name
    'int'
    """
    match element:
        case ScalarType():
            return element
        case TupleType(items) | ObjectType(items=items) | FixedListType(items):
            return leaf_at(items[path[0]], path[1:])
        case UnionType(items):
            if path[0] == TAG_PATH:
                return TAG
            return leaf_at(next(item for item in items if alternative_path(item) == path[0]), path[1:])
        case NoneType() | ListType():
            raise ValueError(f"{element} has no number at a path")


def without_identity(element: ElementType) -> ElementType:
    """The same without the fields that say which objects they are, which are no numbers of the program's.

    >>> point = ObjectType("Point", ("x", IDENTITY), (SCALAR_TYPES["int"], SCALAR_TYPES["i64"]))
    >>> str(without_identity(point))
    'Point(x: int)'
    """
    match element:
        case TupleType(items):
            return TupleType(tuple(map(without_identity, items)))
        case UnionType(items):
            return UnionType(tuple(map(without_identity, items)))
        case FixedListType(items):
            return FixedListType(tuple(map(without_identity, items)))
        case ObjectType(symbol, names, items):
            kept = [(name, without_identity(i)) for name, i in zip(names, items, strict=True) if name != IDENTITY]
            return ObjectType(symbol, tuple(name for name, _ in kept), tuple(item for _, item in kept))
        case ScalarType() | NoneType() | ListType():
            return element


def made_of_numbers(element: ElementType) -> bool:
    """Whether an element is a new object with at least one field, all of them numbers, tuples or such objects.

    Those that came from outside are not, nor are members of enumerations, which are no new objects.
    """
    match element:
        case ObjectType(_, names, items) if names and all(map(str.isidentifier, names)):
            return all(only_numbers(item) or made_of_numbers(item) for item in items)
        case _:
            return False


def only_numbers(element: ElementType) -> bool:
    """Whether an element is a number or tuples of numbers, so that arrays of numbers are all there is to store."""
    match element:
        case TupleType(items):
            return all(map(only_numbers, items))
        case _:
            return isinstance(element, ScalarType)

"""Arrays of numbers, of any number of dimensions, and views of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Protocol, cast

import numpy as np

from hetc.abi import NUMPY_SCALARS, ScalarType
from hetc.arrays.base import AnyArray, Array, where_text
from hetc.arrays.formulas import Formula
from hetc.arrays.geometry import (
    Layout,
    basic_key,
    in_shape,
    is_row_major,
    offset_of,
    reshaped,
    row_major,
    select,
    selects_element,
)
from hetc.arrays.memory import HostArray, Memory
from hetc.arrays.methods import NumPyMethods


class NumPyCalls(Protocol):
    """What NumPy's functions mean on portable arrays: see the module `array_functions`, which stands above this one."""

    def ufunc(self, ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any: ...

    def function(self, function: Any, args: tuple[Any, ...], options: dict[str, Any]) -> Any: ...

    def assign(self, array: NumberArray, key: Any, value: Any) -> bool: ...

    def astype(self, array: NumberArray, dtype: np.dtype[Any]) -> NumberArray | None: ...

    def packed(self, array: NumberArray) -> Memory | None: ...


class NumberArray(NumPyMethods, np.lib.mixins.NDArrayOperatorsMixin, Array):
    """An array of numbers of one dtype; a view has the memory of its owner, and keeps it alive.

    >>> a = NumberArray.of(np.arange(6.0).reshape(2, 3))
    >>> row = a[1]
    >>> row[:2] = 0
    >>> a.tolist(), row.sum()
    ([[0.0, 1.0, 2.0], [0.0, 0.0, 5.0]], np.float64(5.0))
    """

    numpy_calls: ClassVar[NumPyCalls]
    """Set when hetc is imported."""

    def __init__(
        self,
        memory: Memory,
        shape: tuple[int, ...],
        layout: Layout | None = None,
        frame: tuple[int, ...] | None = None,
    ) -> None:
        self._memory = memory
        self._shape = shape
        self._layout = layout
        """Where a view's elements are in its memory; None for all of it, row by row."""
        self._frame = frame or shape
        self._packed: tuple[int, Memory] | None = None
        """The elements of a view as they were at a version of the memory."""

    @staticmethod
    def of(array: AnyArray, *, frozen: bool = False) -> NumberArray:
        """The array whose memory is this NumPy array's, which is contiguous, row by row."""
        return NumberArray(Memory.of(array.reshape(-1), frozen=frozen), array.shape)

    # --- what it is --------------------------------------------------------------------------------------------------

    @property
    def element(self) -> ScalarType:
        """The type of an element."""
        return NUMPY_SCALARS[self.dtype.name]

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the elements."""
        return self._memory.dtype

    @property
    def shape(self) -> tuple[int, ...]:
        """The length of each dimension."""
        return self._shape

    @property
    def size(self) -> int:
        """The number of elements."""
        return math.prod(self._shape)

    @property
    def itemsize(self) -> int:
        """The bytes of an element."""
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """The bytes of all elements."""
        return self.size * self.itemsize

    @property
    def places(self) -> tuple[str, ...]:
        """Where the data is now: "host", and the devices that have a copy of their own."""
        return self._memory.places

    @property
    def is_on_host(self) -> bool:
        """Whether Python can look at the data without anything being moved."""
        return self._memory.is_on_host

    @property
    def is_view(self) -> bool:
        """Whether the array is part of the memory of another, or has its elements in another order."""
        return self._layout is not None

    @property
    def owner(self) -> Memory:
        """The memory that the array shares with its views, or with what it is a view of."""
        return self._memory

    def memories(self) -> Sequence[Memory]:
        """What the numbers of the array are kept in."""
        return (self._memory,)

    @property
    def layout(self) -> Layout:
        """Where the elements are in the memory."""
        return row_major(self._shape) if self._layout is None else self._layout

    @property
    def formula(self) -> Formula | None:
        """What computes the elements of an array of one dimension, if nothing else does."""
        found, layout = self._memory.formula, self._layout
        if found is None or layout is None or not layout.size:
            return found
        return found.part(offset_of(layout), layout.strides[0]) if layout.ndim == 1 else None

    @property
    def geometry(self) -> tuple[Any, ...] | None:
        """Where the elements of a view are in its memory, as numbers; None for all of it, row by row."""
        layout = self._layout
        return None if layout is None else (layout.strides, offset_of(layout) if layout.size else 0, self._frame)

    @property
    def whole(self) -> NumberArray:
        """The array that this one is a view of: all of the memory, row by row."""
        return self if self._layout is None else NumberArray(self._memory, self._frame)

    # --- moving ------------------------------------------------------------------------------------------------------

    def memory(self, path: tuple[int, ...]) -> Memory:
        """The elements row by row, for devices to read; those of a view are put together once a version."""
        assert not path, "a number has no parts"
        layout, memory = self._layout, self._memory
        if layout is None:
            return memory
        if self._packed is None or self._packed[0] != memory.version:
            version = memory.version
            if is_row_major(layout):
                packed = memory.part(offset_of(layout), layout.size)
            else:
                found = self.numpy_calls.packed(self)
                packed = Memory.of(np.ascontiguousarray(self.host()).reshape(-1)) if found is None else found
            self._packed = version, packed
        return self._packed[1]

    def host(self) -> AnyArray:
        """The elements as a NumPy array, to be read only."""
        array = self._on(self._memory.read())
        array.flags.writeable = False
        return array

    def writable(self) -> AnyArray:
        """The elements as a NumPy array, to be changed now: devices get them again when they need them.

        Raises ValueError for an array that shares the memory of what it was made from.
        """
        return self._on(self._memory.write())

    def _on(self, memory: HostArray) -> AnyArray:
        """The elements in the host's memory."""
        layout = self._layout
        if layout is None:
            return memory.reshape(self._shape)
        strides = tuple(stride * self.itemsize for stride in layout.strides)
        offset = offset_of(layout) * self.itemsize if layout.size else 0
        return np.ndarray(self._shape, self.dtype, cast("Any", memory), offset, strides)

    def elements(self) -> AnyArray:
        """The elements as functions in Python see them."""
        return self.host()

    def copy(self) -> NumberArray:
        """The same array in memory of its own, wherever the data is."""
        layout = self._layout
        if layout is not None and not is_row_major(layout):
            if (packed := self.numpy_calls.packed(self)) is not None:
                return NumberArray(packed, self._shape)
            return NumberArray.of(np.array(self.host(), order="C"))
        start = 0 if layout is None else offset_of(layout)
        return NumberArray(self._memory.part(start, self.size, own=True), self._shape)

    # --- elements, views, assignment ---------------------------------------------------------------------------------

    def __getitem__(self, key: Any) -> Any:
        """An element as a NumPy scalar, a view for slices, a new array for lists of indices and masks."""
        if not basic_key(key):
            found: Any = self.host()[_plain(key)]
            return NumberArray.of(np.array(found, order="C")) if isinstance(found, np.ndarray) else found
        parts = key if isinstance(key, tuple) else (key,)
        selected = select(self.layout, parts)
        if selects_element(self.layout, parts):
            return self._memory.item(offset_of(selected))
        return self._view(selected)

    def __setitem__(self, key: Any, value: Any) -> None:
        if self._repeats():
            raise ValueError("assignment destination is read-only: its elements stand in several places")
        if not self.numpy_calls.assign(self, key, value):
            value = _plain(value)
            self.writable()[_plain(key)] = value

    def _repeats(self) -> bool:
        """Whether an element of the memory is several elements of the array, as `numpy.broadcast_to` has it."""
        return self._layout is not None and any(
            size > 1 and not stride for size, stride in zip(self._layout.shape, self._layout.strides, strict=True)
        )

    def put(self, key: Any, value: Any) -> bool:
        """Assign one element, if a basic index selects one: whether it has been done."""
        parts: tuple[Any, ...] = cast("Any", key) if isinstance(key, tuple) else (key,)
        if not selects_element(self.layout, parts) or isinstance(value, Array | np.ndarray):
            return False
        self._memory.put(offset_of(select(self.layout, parts)), value)
        return True

    def part(self, key: Any) -> NumberArray:
        """What a basic index selects as a view, also where that is one element."""
        parts: tuple[Any, ...] = cast("Any", key) if isinstance(key, tuple) else (key,)
        return self._view(select(self.layout, parts))

    def _view(self, layout: Layout) -> NumberArray:
        if layout.size == self._memory.size and is_row_major(layout) and not (layout.size and offset_of(layout)):
            return NumberArray(self._memory, layout.shape)
        return NumberArray(self._memory, layout.shape, layout, self._frame)

    def view_of(self, change: Callable[[Layout], Layout]) -> NumberArray:
        """The view whose layout a function of NumPy's makes of this array's."""
        return self._view(change(self.layout))

    @property
    def T(self) -> NumberArray:  # noqa: N802 (NumPy's name)
        """The view with the dimensions in reverse order."""
        return self._view(self.layout.T) if self.ndim > 1 else self

    def reshape(self, *shape: Any) -> NumberArray:
        """The elements, row by row, in another shape: a view where NumPy has one, else a copy. Raises ValueError."""
        wanted = shape[0] if len(shape) == 1 and isinstance(shape[0], Sequence) else shape
        found = reshaped(self._shape, tuple(map(int, cast("Sequence[Any]", wanted))))
        if self._layout is None:
            return NumberArray(self._memory, found)
        if (layout := in_shape(self._layout, found)) is not None:
            return self._view(layout)
        return self.copy().reshape(found)

    def astype(self, dtype: Any) -> NumberArray:
        """A copy with elements of another dtype, converted as NumPy does."""
        wanted = np.dtype(dtype)
        if wanted == self.dtype:
            return self.copy()
        found = self.numpy_calls.astype(self, wanted)
        return NumberArray.of(np.array(self.host(), wanted, order="C")) if found is None else found

    def tolist(self) -> Any:
        """The elements as nested lists of Python's numbers."""
        return self.host().tolist()

    def item(self, *place: int) -> Any:
        """One element as Python's number."""
        return self.host().item(*place)

    # --- protocols ---------------------------------------------------------------------------------------------------

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> AnyArray:
        """A read-only NumPy array on the same memory, or a copy where one is asked for or needed."""
        host = self.host()
        if dtype is not None and np.dtype(dtype) != self.dtype:
            if copy is False:
                raise ValueError(f"{self.dtype} elements cannot be seen as {np.dtype(dtype)} without a copy")
            return host.astype(dtype)
        return host.copy() if copy else host

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        return self.numpy_calls.ufunc(ufunc, method, inputs, options)

    def __pow__(self, other: Any) -> Any:
        if self.dtype != np.bool_:
            return super().__pow__(other)
        found: Any = self.host() ** _plain(other)  # of a square NumPy makes int8, of what numpy.power gives int64
        return NumberArray.of(found) if isinstance(found, np.ndarray) else found

    def __array_function__(self, function: Any, types: Any, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
        return self.numpy_calls.function(function, args, options)

    def __buffer__(self, flags: int) -> memoryview:
        """The elements, read-only; Python asks for it from 3.12 on."""
        return memoryview(cast("Any", self.host()))

    def __dlpack__(self, **options: Any) -> Any:
        """The elements on the host. A consumer that cannot be told that they are read-only gets a copy."""
        tells = (options.get("max_version") or (0, 0)) >= (1, 0)
        return (self.host() if tells else self.host().copy()).__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        """The host: DLPack's kDLCPU."""
        return (1, 0)

    def __reduce__(self) -> tuple[Any, ...]:
        return NumberArray.of, (np.array(self.host(), order="C"),)

    def __contains__(self, value: object) -> bool:
        return value in self.host()

    def __bool__(self) -> bool:
        return bool(self.host())

    def __int__(self) -> int:
        return int(self.host())

    def __float__(self) -> float:
        return float(self.host())

    def __complex__(self) -> complex:
        return complex(self.host())

    def __index__(self) -> int:
        return self.host().__index__()

    def __repr__(self) -> str:
        """The elements, as NumPy shows them, if the host has them; nothing is moved for the sake of being shown."""
        where = where_text(self.places)
        if not self.is_on_host or (not self.places and self.size > np.get_printoptions()["threshold"]):
            return f"hetc.array(<shape {self._shape}>, dtype={self.dtype}, {where})"
        shown = np.array2string(self.host(), separator=", ", prefix="hetc.array(")
        return f"hetc.array({shown}, dtype={self.dtype}, {where})"

    def __str__(self) -> str:
        return str(self.host())


def _plain(value: Any) -> Any:
    """An index or value with NumPy arrays in the place of portable ones."""
    if isinstance(value, Array):
        return np.asarray(value)
    if isinstance(value, tuple):
        return tuple(map(_plain, cast("Sequence[Any]", value)))
    return value

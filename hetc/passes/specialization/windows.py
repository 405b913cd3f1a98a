"""Windows: elements of a captured array around a point."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import TupleType
from xdsl.ir import SSAValue

from hetc.abi import Bounds
from hetc.analysis.attributes import int_values
from hetc.analysis.source_types import is_integer, spelling
from hetc.dataclass import dataclass
from hetc.diagnostics import Category
from hetc.dialects import obj, skel
from hetc.dialects.guard import GuardKind
from hetc.passes.semantics import conversions
from hetc.passes.semantics.emitter import Number
from hetc.passes.specialization.interpretation import Interpretation
from hetc.passes.specialization.values import Abstract, Captured, Value


@dataclass(frozen=True)
class Window(Abstract):
    """The neighbourhood of a point: `fill` is what a constant boundary holds."""

    array: Captured
    point: tuple[SSAValue, ...]
    radius: tuple[int, ...]
    boundary: str
    fill: SSAValue | None
    noun: ClassVar[str] = "a window of a stencil"


def make(s: Interpretation, op: skel.WindowOp) -> None:
    """`skel.window`."""
    array = s.captured_value(op.array.root_reference.data)
    if not isinstance(array, Captured) or array.declaration.dims is None:
        raise s.unsupported("a stencil takes arrays of numbers", category=Category.CONTAINER)
    element, fill = array.type.element_type, None
    if op.fill is not None:
        number = s.number(op.fill)
        if number.source != element:
            raise s.unsupported(
                f"beyond the ends is {spelling(number.source)}, and the elements are {spelling(element)}",
                hint="give the boundary a value of the elements' type",
                category=Category.CONTAINER,
            )
        fill = number.value
    point = tuple(s.number(index).value for index in op.point)
    s.values[op.result] = Window(array, point, int_values(op.radius), op.boundary.data, fill)


def getitem(s: Interpretation, window: Window, indices: list[Value]) -> Value:
    """`window[offsets]`: an offset outside of the radius raises IndexError."""
    indices = _separate(s, indices)
    if len(indices) != len(window.point):
        raise s.unsupported(
            f"a window of {len(window.point)} dimensions has as many offsets, not {len(indices)}",
            category=Category.CONTAINER,
        )
    dims = window.array.declaration.dims
    assert dims is not None
    places: list[SSAValue] = []
    inside: SSAValue | None = None
    for point, index, radius, dim in zip(window.point, indices, window.radius, dims.get_values(), strict=True):
        offset, size = _offset(s, index, radius), s.size(dim)
        places.append(s.add(skel.NeighborOp(point, offset, size, radius, window.boundary)).result)
        if window.fill is not None:
            here = s.add(skel.InsideOp(point, offset, size, radius)).result
            inside = here if inside is None else s.both(inside, here)
    value = _load(s, window.array, places)
    if inside is not None and window.fill is not None:
        value = s.select(inside, value, window.fill)
    return s.box(Number(value, window.array.type.element_type))


def _separate(s: Interpretation, indices: list[Value]) -> list[Value]:
    """The offsets of a subscript, of which a tuple is as good as its items."""
    (first, *rest) = indices
    if rest or not isinstance(first, SSAValue) or not isinstance(first.type, TupleType):
        return indices
    return [s.add(obj.ExtractOp(first, k)).result for k in range(len(first.type.types.data))]


def _offset(s: Interpretation, index: Value, radius: int) -> SSAValue:
    """An offset along an axis, which is not farther away than the radius."""
    number = s.unbox(index) if isinstance(index, SSAValue) and isinstance(index.type, obj.BoxedType) else None
    if number is None or not is_integer(number.source):
        raise s.unsupported("an offset in a window must be an integer", category=Category.CONTAINER)
    number = conversions.to_int(s, number)
    if isinstance(number.constant, int) and abs(number.constant) > radius:
        raise s.unsupported(
            f"the offset {number.constant} is outside of the window, whose radius is {radius}",
            hint="give the stencil a larger radius",
            category=Category.CONTAINER,
        )
    s.require_between(number, -radius, radius, GuardKind.BOUNDS, "the offset is outside of the window")
    return number.value


def _load(s: Interpretation, array: Captured, places: list[SSAValue]) -> SSAValue:
    name, declared = array.declaration.sym_name.data, array.declaration.bounds
    captured = s.add(skel.CapturedOp(name, array.type)).result
    captured.name_hint = name
    value = s.add(obj.LoadOp(captured, places)).result
    return s.with_bounds(value, array.type.element_type, None if declared is None else Bounds(*declared.get_values()))

"""Views: captured arrays with some dimensions indexed and some sliced."""

from __future__ import annotations

from dataclasses import replace

from xdsl.dialects import arith
from xdsl.dialects.builtin import TupleType, i1
from xdsl.ir import SSAValue

from hetc.abi import INT64_MAX, Bounds
from hetc.analysis.source_types import is_integer, is_python
from hetc.diagnostics import Category
from hetc.dialects import dyn, obj, skel
from hetc.dialects.guard import GuardKind
from hetc.passes.semantics import conversions
from hetc.passes.semantics.emitter import Number
from hetc.passes.specialization.interpretation import Interpretation
from hetc.passes.specialization.values import Axis, Captured, SliceValue, Value, View


def view_of(value: Value) -> View | None:
    """An array as a view of it, None if the value is no array."""
    if isinstance(value, Captured):
        rank = value.type.get_num_dims()
        return View(value, (None,) * rank, tuple(range(rank)))
    return value if isinstance(value, View) else None


def is_sequence(view: View) -> bool:
    """Whether an array stands for a captured list, tuple or range: then it has Python's operations, not NumPy's."""
    return is_python(view.array.type.element_type)


def length(s: Interpretation, view: View, dimension: int = 0) -> SSAValue:
    """The length of a dimension of a view."""
    axis = view.axes[view.order[dimension]]
    if isinstance(axis, Axis):
        return axis.length
    dims = view.array.declaration.dims
    if dims is None:
        raise s.unsupported(
            f"the dimensions of @{view.array.declaration.sym_name.data} are not declared", category=Category.CONTAINER
        )
    return s.size(dims.get_values()[view.order[dimension]])


def item(s: Interpretation, view: View, position: SSAValue) -> Value:
    """The item at a position inside the view: a number, or a view of fewer dimensions."""
    return _reduced(s, at(s, view, position))


def at(s: Interpretation, view: View, position: SSAValue) -> View:
    """The part at a position inside the view, without loading it if it is a number."""
    return _indexed(s, view, 0, position)


def getitem(s: Interpretation, view: View, indices: list[Value]) -> Value:
    """`view[indices]`: each is an integer or a slice; negative ones count from the end, outside raises IndexError."""
    return _reduced(s, part(s, view, indices))


def part(s: Interpretation, view: View, indices: list[Value]) -> View:
    """The part of a view that `view[indices]` names, without loading it if it is a number."""
    if len(indices) > len(view.order):
        raise s.unsupported(
            f"too many indices for an array of {len(view.order)} dimensions", category=Category.CONTAINER
        )
    dimension = 0
    for index in indices:
        if isinstance(index, SliceValue):
            view = _sliced(s, view, dimension, index)
            dimension += 1
        else:
            position = checked_index(s, _number(s, index), length(s, view, dimension))
            view = _indexed(s, view, dimension, position)
    return view


def _number(s: Interpretation, index: Value) -> Number:
    if not isinstance(index, SSAValue) or not isinstance(index.type, obj.BoxedType):
        raise s.unsupported("an index must be an integer", category=Category.CONTAINER)
    return s.unbox(index)


def checked_index(s: Interpretation, index: Number, length: SSAValue) -> SSAValue:
    """Python's index: negative ones count from the end; outside raises IndexError."""
    if not is_integer(index.source):
        raise s.unsupported(f"an index must be an integer, not {s.names(index)}", category=Category.CONTAINER)
    index = conversions.to_int(s, index)
    negative = s.compare_ints("slt", index.value, 0)
    from_end = s.add(arith.AddiOp(index.value, length)).result
    position = s.select(negative, from_end, index.value)
    inside = s.both(s.compare_ints("sge", position, 0), s.compare_ints("slt", position, length))
    s.require(inside, GuardKind.BOUNDS, "index out of range")
    return position


def _indexed(s: Interpretation, view: View, dimension: int, position: SSAValue) -> View:
    """The view with one dimension fixed at a position."""
    number = view.order[dimension]
    axis = view.axes[number]
    if isinstance(axis, Axis):
        offset = s.add(arith.MuliOp(position, axis.step)).result
        position = s.add(arith.AddiOp(axis.start, offset)).result
    axes = (*view.axes[:number], position, *view.axes[number + 1 :])
    return replace(view, axes=axes, order=(*view.order[:dimension], *view.order[dimension + 1 :]))


def _reduced(s: Interpretation, view: View) -> Value:
    """The number that a view without dimensions is; the view itself otherwise."""
    if view.order:
        return view
    array = view.array
    value = s.add(obj.LoadOp(*place(s, view))).result
    source = array.type.element_type
    bounds = array.declaration.bounds
    value = s.with_bounds(value, source, None if bounds is None else Bounds(*bounds.get_values()))
    return s.box(Number(value, source))


def place(s: Interpretation, view: View) -> tuple[SSAValue, list[SSAValue]]:
    """The captured array and the indices of the number that a view without dimensions is."""
    name = view.array.declaration.sym_name.data
    captured = s.add(skel.CapturedOp(name, view.array.type)).result
    captured.name_hint = name
    return captured, [axis for axis in view.axes if isinstance(axis, SSAValue)]


# --------------------------------------------------------------------------------------------------------------------
# Slices
# --------------------------------------------------------------------------------------------------------------------


def _sliced(s: Interpretation, view: View, dimension: int, part: SliceValue) -> View:
    """The view with one dimension sliced, as `PySlice_AdjustIndices` does it."""
    size = length(s, view, dimension)
    step = _step(s, part.step)
    zero = s.constant(0, dyn.INT).value
    down = s.flag(step.integer < 0) if step.integer is not None else s.compare_ints("slt", step.value, 0)
    before_first = s.select(down, s.constant(-1, dyn.INT).value, zero)
    last = s.select(down, s.add(arith.SubiOp(size, s.constant(1, dyn.INT).value)).result, size)
    start = s.select(down, last, zero) if part.start is None else _clipped(s, part.start, size, before_first, last)
    # Going down to the very first item ends before it, at -1: no number written as the end says that.
    stop = s.select(down, before_first, size) if part.stop is None else _clipped(s, part.stop, size, before_first, last)
    count = _count(s, start, stop, step, down)
    number = view.order[dimension]
    axis = Axis(start, step.value, count)
    outer = view.axes[number]
    if isinstance(outer, Axis):
        offset = s.add(arith.MuliOp(start, outer.step)).result
        inner_step = s.add(arith.MuliOp(step.value, outer.step)).result
        axis = Axis(s.add(arith.AddiOp(outer.start, offset)).result, inner_step, count)
    return replace(view, axes=(*view.axes[:number], axis, *view.axes[number + 1 :]))


def _step(s: Interpretation, step: Number | None) -> Number:
    if step is None:
        return s.constant(1, dyn.INT)
    step = slice_index(s, step)
    if step.constant == 0:
        raise s.unsupported("a slice with step 0 raises ValueError", category=Category.CONTAINER)
    if step.constant is None:
        s.require(s.compare_ints("ne", step.value, 0), GuardKind.DOMAIN, "a slice with step 0 raises ValueError")
    s.require_between(step, -INT64_MAX, INT64_MAX, GuardKind.OVERFLOW, "the step is -2**63")
    return step


def slice_index(s: Interpretation, number: Number) -> Number:
    """A part of a slice: anything that Python takes as an index."""
    if number.source == i1:
        raise s.unsupported("a slice is made of integers, not of NumPy truth values", category=Category.CONTAINER)
    return conversions.to_index(s, number)


def _clipped(s: Interpretation, part: Number, size: SSAValue, low: SSAValue, high: SSAValue) -> SSAValue:
    """A start or stop: counted from the end if it is negative, and no farther out than the ends."""
    part = slice_index(s, part)
    if isinstance(part.constant, int):
        if part.constant < 0:
            return s.add(arith.MaxSIOp(s.add(arith.AddiOp(part.value, size)).result, low)).result
        return s.add(arith.MinSIOp(part.value, high)).result
    negative = s.compare_ints("slt", part.value, 0)
    from_end = s.add(arith.MaxSIOp(s.add(arith.AddiOp(part.value, size)).result, low)).result
    return s.select(negative, from_end, s.add(arith.MinSIOp(part.value, high)).result)


def _count(s: Interpretation, start: SSAValue, stop: SSAValue, step: Number, down: SSAValue) -> SSAValue:
    """How many items a slice has."""
    low, high = s.select(down, stop, start), s.select(down, start, stop)
    span = s.add(arith.SubiOp(high, low)).result
    zero, one = s.constant(0, dyn.INT).value, s.constant(1, dyn.INT).value
    if step.constant in (1, -1):
        return s.add(arith.MaxSIOp(span, zero)).result
    size = s.select(down, s.add(arith.SubiOp(zero, step.value)).result, step.value)
    steps = s.add(arith.DivSIOp(s.add(arith.SubiOp(span, one)).result, size)).result
    some = s.compare_ints("sgt", span, 0)
    return s.select(some, s.add(arith.AddiOp(steps, one)).result, zero)


# --------------------------------------------------------------------------------------------------------------------
# Attributes
# --------------------------------------------------------------------------------------------------------------------


def array_of(s: Interpretation, old: SSAValue, attribute: str) -> View:
    """The NumPy array whose attribute is read."""
    view = view_of(s.get(old))
    if view is None:
        raise s.unsupported(f"'.{attribute}' needs a captured array", category=Category.CONTAINER)
    if is_sequence(view):
        raise s.unsupported(f"a list or tuple has no attribute '{attribute}'", category=Category.CONTAINER)
    return view


def shape(s: Interpretation, op: dyn.ShapeOp) -> None:
    """`.shape`."""
    view = array_of(s, op.container, "shape")
    sizes = [length(s, view, k) for k in range(len(view.order))]
    s.bind(op.result, s.add(obj.PackOp([s.box(Number(size, dyn.INT)) for size in sizes])).result)


def attribute(s: Interpretation, op: dyn.GetAttrOp) -> None:
    """`.ndim`, `.size`, `.T`."""
    name = op.attribute.data
    view = array_of(s, op.container, name)
    if name == "T":
        s.values[op.result] = replace(view, order=view.order[::-1])
    elif name == "ndim":
        s.bind_number(op.result, s.constant(len(view.order), dyn.INT))
    else:
        size = length(s, view)
        for k in range(1, len(view.order)):
            size = s.add(arith.MuliOp(size, length(s, view, k))).result
        s.bind_number(op.result, Number(size, dyn.INT))


def index_values(s: Interpretation, view: View, indices: list[Value]) -> list[Value]:
    """The indices of a subscript, of which a tuple is as good as its items on an array."""
    (first, *rest) = indices
    if rest or not isinstance(first, SSAValue) or not isinstance(first.type, TupleType):
        return indices
    if is_sequence(view):
        raise s.unsupported("a list is indexed by integers, not by tuples", category=Category.CONTAINER)
    return [s.add(obj.ExtractOp(first, k)).result for k in range(len(first.type.types.data))]

"""The interpreter: runs `dyn` ops on abstract values and appends the typed ops that they mean.

Control flow is in `branches` and `loops`, which know the interpreter as an `Interpretation`; skeletons are in
`skeletons`, which starts it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, TensorType, TupleType, i1
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from hetc.abi import INT32_MAX, INT64_MAX, Bounds
from hetc.analysis.concrete import operator_named
from hetc.analysis.source_types import is_integer, is_python
from hetc.diagnostics import Category
from hetc.dialects import dyn, guard, obj, skel
from hetc.dialects.guard import GuardKind
from hetc.passes.semantics import arithmetic, comparison, functions
from hetc.passes.semantics.emitter import Constant, Number
from hetc.passes.specialization.branches import choose, each_alternative, run_if
from hetc.passes.specialization.interpretation import Interpretation
from hetc.passes.specialization.loops import run_for, run_while
from hetc.passes.specialization.values import Captured, Row, Unbound, Value, describe

MAX_FOLDED_EXPONENT = 1024
"""Python would take long for a power with a larger one, or its memory."""

Handler = Callable[["Interpreter", Any], None]


class Interpreter(Interpretation):
    """Specialises the functions of one module."""

    def __init__(self, module: ModuleOp) -> None:
        super().__init__()
        self.functions: dict[str, func.FuncOp] = {}
        self.captures: dict[str, skel.CaptureOp] = {}
        for op in module.ops:
            if isinstance(op, func.FuncOp):
                self.functions[op.sym_name.data] = op
            elif isinstance(op, skel.CaptureOp):
                self.captures[op.sym_name.data] = op
        self.specialized: dict[tuple[object, ...], tuple[func.FuncOp, Attribute]] = {}
        self.new_functions: list[func.FuncOp] = []
        self.empty_dims: frozenset[int] = frozenset()
        self.size_limit = INT32_MAX

    def run_op(self, op: Operation) -> None:
        self.location = op.location
        handler = _HANDLERS.get(type(op))
        if handler is None:
            raise self.unsupported(f"the op '{op.name}' is not expected at level 0", category=Category.INTERNAL)
        union = self._union_used(op)
        if union is None:
            handler(self, op)
        else:
            self._by_alternative(op, union)

    # ---------------------------------------------------------------------------------------------------------------
    # Unions
    # ---------------------------------------------------------------------------------------------------------------

    def _union_used(self, op: Operation) -> SSAValue | None:
        """An operand of several types, if the op's meaning depends on its type."""
        if isinstance(op, _POLYMORPHIC):
            return None
        operands = (op.start, op.stop, op.step) if isinstance(op, dyn.ForRangeOp) else op.operands
        for old in operands:
            value = self.values[old]
            if isinstance(value, SSAValue) and isinstance(value.type, obj.UnionType):
                return old
        return None

    def _by_alternative(self, op: Operation, old: SSAValue) -> None:
        """Interpret an op once for each type of an operand, and test its tag to choose between them."""
        union = self.typed(old)

        def as_(alternative: SSAValue) -> list[Value]:
            self.values[old] = alternative
            self.run_op(op)
            return [self.values[result] for result in op.results]

        try:
            results = each_alternative(self, union, as_)
        finally:
            self.values[old] = union
        for result, value in zip(op.results, results, strict=True):
            self.bind(result, value)

    # ---------------------------------------------------------------------------------------------------------------
    # Facts
    # ---------------------------------------------------------------------------------------------------------------

    def size(self, dim: int) -> SSAValue:
        """The length of a numbered dimension, with what is known about it."""
        raw = self.add(skel.SizeOp(dim)).result
        return self.add(guard.FactOp(raw, 0 if dim in self.empty_dims else 1, self.size_limit)).result

    def with_bounds(self, value: SSAValue, source: Attribute, bounds: Bounds | None) -> SSAValue:
        """A payload with the bounds that marshalling vouches for."""
        if bounds is None or source != dyn.INT or (bounds.low == -INT64_MAX - 1 and bounds.high == INT64_MAX):
            return value
        return self.add(guard.FactOp(value, bounds.low, bounds.high)).result

    # ---------------------------------------------------------------------------------------------------------------
    # Functions
    # ---------------------------------------------------------------------------------------------------------------

    def call(self, symbol: str, arguments: Sequence[Value]) -> Value:
        """Call a Python function; one specialisation for each tuple of argument types."""
        passed = [argument for argument in arguments if isinstance(argument, SSAValue)]
        key = (symbol, *(argument.type if isinstance(argument, SSAValue) else argument for argument in arguments))
        if key not in self.specialized:
            self.specialized[key] = self._specialize_function(symbol, arguments)
        function, result = self.specialized[key]
        return self.add(func.CallOp(function.sym_name.data, passed, [result])).res[0]

    def _specialize_function(self, symbol: str, arguments: Sequence[Value]) -> tuple[func.FuncOp, Attribute]:
        old = self.functions.get(symbol)
        if old is None:
            raise self.unsupported(f"the function @{symbol} is not in the module", category=Category.INTERNAL)
        if len(old.body.block.args) != len(arguments):
            raise self.unsupported(
                f"@{symbol} takes {len(old.body.block.args)} arguments, not {len(arguments)}",
                category=Category.ARGUMENTS,
            )
        caller = self.location
        block = Block(arg_types=[a.type for a in arguments if isinstance(a, SSAValue)])
        parameters = iter(block.args)
        for parameter, argument in zip(old.body.block.args, arguments, strict=True):
            self.bind(parameter, next(parameters) if isinstance(argument, SSAValue) else argument)
        with self.inside(block):
            self.run_block(old.body.block)
            terminator = old.body.block.last_op
            assert isinstance(terminator, func.ReturnOp)
            self.location = terminator.location
            result = self.typed(terminator.arguments[0])
            self.add(func.ReturnOp(result))
        number = sum(f.sym_name.data.rsplit("__", 1)[0] == symbol for f in self.new_functions)
        name = symbol if number == 0 else f"{symbol}__{number}"
        new = func.FuncOp(name, (block.arg_types, [result.type]), Region(block), visibility="private")
        new.location = old.location
        self.new_functions.append(new)
        self.location = caller
        return new, result.type


# --------------------------------------------------------------------------------------------------------------------
# Ops
# --------------------------------------------------------------------------------------------------------------------


def _const(s: Interpreter, op: dyn.ConstOp) -> None:
    constant: Constant
    if isinstance(op.value, IntegerAttr):
        constant, source = op.value.value.data, dyn.BOOL if op.value.type == i1 else dyn.INT
        constant = bool(constant) if source == dyn.BOOL else constant
    else:
        constant, source = op.value.value.data, dyn.FLOAT
    s.bind_number(op.result, s.constant(constant, source))


def _global(s: Interpreter, op: dyn.GlobalOp) -> None:
    declaration = s.captures.get(op.variable.root_reference.data)
    if declaration is None:
        raise s.unsupported(f"the captured variable {op.variable} is not declared", category=Category.INTERNAL)
    if isinstance(declaration.type, TensorType):
        s.values[op.result] = Captured(declaration)
        return
    source = declaration.type
    if isinstance(source, dyn.NoneType):
        s.bind(op.result, s.add(obj.NoneOp()).result)
        return
    if declaration.value is not None:
        s.bind_number(op.result, s.constant(declaration.value.value.data, source))
        return
    if declaration.equals_dim is not None:
        value = s.size(declaration.equals_dim.value.data)
    else:
        value = s.add(skel.CapturedOp(declaration.sym_name.data, obj.payload(source))).result
        bounds = None if declaration.bounds is None else Bounds(*declaration.bounds.get_values())
        value = s.with_bounds(value, source, bounds)
    s.bind_number(op.result, Number(value, source))


def _binary(s: Interpreter, op: dyn.BinaryOp) -> None:
    left, right = s.number(op.left), s.number(op.right)
    known = _folded(s, op.operator.data, left, right)
    s.bind_number(op.result, known or arithmetic.binary(s, op.operator.data, left, right))


def _folded(s: Interpreter, name: str, *operands: Number) -> Number | None:
    """The result of an operator on Python numbers that are known now, if it is a number that fits."""
    if any(number.constant is None or not is_python(number.source) for number in operands):
        return None
    if name in ("pow", "lshift") and not abs(operands[1].constant or 0) <= MAX_FOLDED_EXPONENT:
        return None
    try:
        value = operator_named(name)(*(number.constant for number in operands))
    except (ArithmeticError, ValueError, TypeError):  # it is left to run time, where Python raises it
        return None
    if isinstance(value, bool):
        return s.constant(value, dyn.BOOL)
    if isinstance(value, int) and -INT64_MAX - 1 <= value <= INT64_MAX:
        return s.constant(value, dyn.INT)
    return s.constant(value, dyn.FLOAT) if isinstance(value, float) else None


def _unary(s: Interpreter, op: dyn.UnaryOp) -> None:
    if op.operator.data == "not":
        s.bind_number(op.result, Number(s.negate(_truth_of(s, op.operand)), dyn.BOOL))
        return
    s.bind_number(op.result, arithmetic.unary(s, op.operator.data, s.number(op.operand)))


def _compare(s: Interpreter, op: dyn.CompareOp) -> None:
    name = op.operator.data
    nones = [isinstance(s.typed(value).type, dyn.NoneType) for value in op.operands]
    if name in ("is", "is_not"):
        s.bind_number(op.result, Number(_identical(s, op, nones), dyn.BOOL))
        return
    if any(nones) and name in ("eq", "ne"):
        s.bind_number(op.result, s.constant(all(nones) == (name == "eq"), dyn.BOOL))
        return
    left, right = s.number(op.left), s.number(op.right)
    s.bind_number(op.result, _folded(s, name, left, right) or comparison.compare(s, name, left, right))


def _identical(s: Interpreter, op: dyn.CompareOp, nones: Sequence[bool]) -> SSAValue:
    """`is` and `is not`, where the answer does not depend on how Python stores numbers: None, True and False."""
    positive = op.operator.data == "is"
    if any(nones):
        return s.flag(all(nones) == positive)
    left, right = s.number(op.left), s.number(op.right)
    if left.source == right.source == dyn.BOOL:
        return comparison.compare(s, "eq" if positive else "ne", left, right).value
    if dyn.BOOL in (left.source, right.source) and left.source != right.source:
        return s.flag(not positive)
    raise s.unsupported(
        "the identity of numbers is not compiled", hint="compare them with == or !=", category=Category.CONSTRUCT
    )


def _none(s: Interpreter, op: dyn.NoneOp) -> None:
    s.bind(op.result, s.add(obj.NoneOp()).result)


def _truth(s: Interpreter, op: dyn.TruthOp) -> None:
    s.bind(op.result, _truth_of(s, op.operand))


def _truth_of(s: Interpreter, old: SSAValue) -> SSAValue:
    """Whether a value counts as true: a number that is not zero, a tuple that is not empty; None does not."""
    value = s.typed(old)
    match value.type:
        case dyn.NoneType():
            return s.flag(False)
        case TupleType() as tuple_type:
            return s.flag(bool(tuple_type.types.data))
        case _:
            return s.truth(s.number(old))


def _from_bool(s: Interpreter, op: dyn.FromBoolOp) -> None:
    s.bind_number(op.result, Number(s.typed(op.operand), dyn.BOOL))


def _call(s: Interpreter, op: dyn.CallOp) -> None:
    arguments: list[Value] = [
        argument if isinstance(argument := s.get(old), Captured) else s.typed(old) for old in op.arguments
    ]
    s.bind(op.result, s.call(op.callee.root_reference.data, arguments))


def _builtin(s: Interpreter, op: dyn.BuiltinOp) -> None:
    name = op.function.data
    values = [s.get(argument) for argument in op.arguments]
    if name == "len" and len(values) == 1:
        s.bind_number(op.result, _length(s, values[0]))
    elif name == "divmod" and len(values) == 2:
        left, right = (s.number(argument) for argument in op.arguments)
        parts = [arithmetic.binary(s, part, left, right) for part in ("floordiv", "mod")]
        s.bind(op.result, s.add(obj.PackOp([s.box(part) for part in parts])).result)
    elif name in ("min", "max"):
        items = _items(s, s.typed(op.arguments[0])) if len(values) == 1 else [s.number(v) for v in op.arguments]
        s.bind(op.result, _extreme(s, name, items))
    else:
        s.bind_number(op.result, functions.call(s, name, [s.number(argument) for argument in op.arguments]))


def _items(s: Interpreter, value: SSAValue) -> list[Number]:
    if not isinstance(value.type, TupleType):
        raise s.unsupported("a single argument must be a tuple", category=Category.CONTAINER)
    return [s.unbox(s.add(obj.ExtractOp(value, k)).result) for k in range(len(value.type.types.data))]


def _extreme(s: Interpreter, name: str, numbers: Sequence[Number]) -> Value:
    """min and max keep the first of equals, and compare as Python does, NaN included; the type may be any of theirs."""
    if not numbers:
        raise s.unsupported(f"{name}() of an empty tuple raises ValueError")
    if len({number.source for number in numbers}) == 1:
        return s.box(functions.call(s, name, numbers)) if len(numbers) > 1 else s.box(numbers[0])
    predicate = "lt" if name == "min" else "gt"

    def better(number: Number, best: SSAValue) -> list[Value]:
        is_better = comparison.compare(s, predicate, number, s.unbox(best)).value
        return choose(s, is_better, lambda: [s.box(number)], lambda: [best])

    best = s.box(numbers[0])
    for number in numbers[1:]:
        (value,) = each_alternative(s, best, functools.partial(better, number))
        assert isinstance(value, SSAValue)
        best = value
    return best


def _length(s: Interpreter, value: Value) -> Number:
    if isinstance(value, Captured):
        return Number(_dimension(s, value, 0), dyn.INT)
    if isinstance(value, Row):
        return Number(_dimension(s, value.array, len(value.indices)), dyn.INT)
    if isinstance(value, SSAValue) and isinstance(value.type, TupleType):
        return s.constant(len(value.type.types.data), dyn.INT)
    raise s.unsupported("len() needs a captured array or a tuple", category=Category.CONTAINER)


def _dimension(s: Interpreter, array: Captured, axis: int) -> SSAValue:
    dims = array.declaration.dims
    if dims is None:
        raise s.unsupported(
            f"the dimensions of @{array.declaration.sym_name.data} are not declared", category=Category.INTERNAL
        )
    return s.size(dims.get_values()[axis])


def _getitem(s: Interpreter, op: dyn.GetItemOp) -> None:
    container = s.get(op.container)
    if isinstance(container, SSAValue) and isinstance(container.type, TupleType):
        _getitem_tuple(s, op, container)
        return
    if isinstance(container, Captured):
        container = Row(container, ())
    if not isinstance(container, Row):
        raise s.unsupported("only captured arrays and tuples can be indexed", category=Category.CONTAINER)
    array, indices = container.array, list(container.indices)
    rank = array.type.get_num_dims()
    if len(indices) + len(op.indices) > rank:
        raise s.unsupported(f"too many indices for an array of {rank} dimensions", category=Category.CONTAINER)
    for index in op.indices:
        indices.append(_checked_index(s, s.number(index), _dimension(s, array, len(indices))))
    if len(indices) < rank:
        s.values[op.result] = Row(array, tuple(indices))
        return
    name = array.declaration.sym_name.data
    captured = s.add(skel.CapturedOp(name, array.type)).result
    captured.name_hint = name
    value = s.add(obj.LoadOp(captured, indices)).result
    source = array.type.element_type
    bounds = array.declaration.bounds
    value = s.with_bounds(value, source, None if bounds is None else Bounds(*bounds.get_values()))
    s.bind_number(op.result, Number(value, source))


def _checked_index(s: Interpreter, index: Number, length: SSAValue) -> SSAValue:
    """Python's index: negative ones count from the end; outside raises IndexError."""
    if not is_integer(index.source):
        raise s.unsupported(f"an index must be an integer, not {s.names(index)}")
    index = functions.call(s, "int", [index])
    negative = s.compare_ints("slt", index.value, 0)
    from_end = s.add(arith.AddiOp(index.value, length)).result
    position = s.select(negative, from_end, index.value)
    inside = s.both(s.compare_ints("sge", position, 0), s.compare_ints("slt", position, length))
    s.require(inside, GuardKind.BOUNDS, "index out of range")
    return position


def _getitem_tuple(s: Interpreter, op: dyn.GetItemOp, container: SSAValue) -> None:
    assert isinstance(container.type, TupleType)
    length = len(container.type.types.data)
    index = s.number(op.indices[0]).constant if len(op.indices) == 1 else None
    if not isinstance(index, int):
        raise s.unsupported("a tuple is indexed by a number written in the source", category=Category.CONTAINER)
    if not -length <= index < length:
        raise s.unsupported(f"index {index} is outside a tuple of {length} items", category=Category.CONTAINER)
    s.bind(op.result, s.add(obj.ExtractOp(container, index % length)).result)


def _shape(s: Interpreter, op: dyn.ShapeOp) -> None:
    container = s.get(op.container)
    if not isinstance(container, Captured):
        raise s.unsupported("'.shape' needs a captured array", category=Category.CONTAINER)
    sizes = [_dimension(s, container, axis) for axis in range(container.type.get_num_dims())]
    s.bind(op.result, s.add(obj.PackOp([s.box(Number(size, dyn.INT)) for size in sizes])).result)


def _build_tuple(s: Interpreter, op: dyn.BuildTupleOp) -> None:
    s.bind(op.result, s.add(obj.PackOp([s.typed(item) for item in op.items])).result)


def _unpack(s: Interpreter, op: dyn.UnpackOp) -> None:
    value = s.typed(op.operand)
    if not isinstance(value.type, TupleType):
        raise s.unsupported(f"{describe(value.type)} cannot be unpacked", category=Category.CONTAINER)
    if len(value.type.types.data) != len(op.items):
        raise s.unsupported(
            f"a tuple of {len(value.type.types.data)} cannot be unpacked into {len(op.items)}",
            category=Category.CONTAINER,
        )
    for k, item in enumerate(op.items):
        s.bind(item, s.add(obj.ExtractOp(value, k)).result)


def _unbound(s: Interpreter, op: dyn.UnboundOp) -> None:
    s.values[op.result] = Unbound(op.variable.data)


def _leave(s: Interpreter, op: dyn.LeaveOp) -> None:
    category = Category.CONSTRUCT if op.code is None else Category.of(op.code.data)
    raise s.unsupported(op.reason.data, hint=None if op.hint is None else op.hint.data, category=category)


def _constant(s: Interpreter, op: arith.ConstantOp) -> None:
    s.bind(op.result, s.add(arith.ConstantOp(op.value)).result)


_HANDLERS: dict[type[Operation], Handler] = {
    dyn.ConstOp: _const,
    dyn.GlobalOp: _global,
    dyn.BinaryOp: _binary,
    dyn.UnaryOp: _unary,
    dyn.CompareOp: _compare,
    dyn.TruthOp: _truth,
    dyn.FromBoolOp: _from_bool,
    dyn.CallOp: _call,
    dyn.BuiltinOp: _builtin,
    dyn.GetItemOp: _getitem,
    dyn.ShapeOp: _shape,
    dyn.BuildTupleOp: _build_tuple,
    dyn.UnpackOp: _unpack,
    dyn.UnboundOp: _unbound,
    dyn.NoneOp: _none,
    dyn.LeaveOp: _leave,
    arith.ConstantOp: _constant,
    scf.IfOp: run_if,
    scf.WhileOp: run_while,
    dyn.ForRangeOp: run_for,
}

_POLYMORPHIC = (dyn.BuildTupleOp, dyn.CallOp, scf.IfOp, scf.WhileOp)
"""Ops that pass on a value of any type."""

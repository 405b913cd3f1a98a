"""The interpreter: runs `dyn` ops on abstract values and appends the typed ops that they mean.

Control flow is in `branches` and `loops`, which know the interpreter as an `Interpretation`; skeletons are in
`skeletons`, which starts it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import UNKNOWN_LOC, IntegerAttr, ModuleOp, TensorType, i1
from xdsl.dialects.complex import ComplexNumberAttr
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from hetc.abi import INT64_MAX, LONGEST, Bounds
from hetc.analysis.fast_math import fast_math
from hetc.diagnostics import Category
from hetc.dialects import dyn, guard, obj, skel
from hetc.dialects.guard import GuardKind
from hetc.errors import UnsupportedError
from hetc.passes.semantics import arithmetic, comparison, complex_functions, conversions, functions
from hetc.passes.semantics.emitter import Constant, Number
from hetc.passes.semantics.folding import folded
from hetc.passes.specialization import (
    calling,
    containers,
    growing,
    iterations,
    object_comparisons,
    object_sequences,
    object_tables,
    objects,
    results,
    sequences,
    stores,
    tuple_functions,
    views,
    windows,
)
from hetc.passes.specialization.branches import choose, each_alternative, run_if
from hetc.passes.specialization.interpretation import Interpretation
from hetc.passes.specialization.loops import run_for, run_while
from hetc.passes.specialization.values import (
    Abstract,
    Captured,
    MaybeUnbound,
    MixedSequence,
    ObjectSequence,
    RangeValue,
    References,
    Unbound,
    Value,
)

MAX_DEPTH = 32
"""Calls that are interpreted in place, inside each other."""

Handler = Callable[["Interpreter", Any], None]


def _is_passed(argument: Value) -> bool:
    """Whether a function is compiled once for all arguments like this one."""
    return isinstance(argument, SSAValue | Captured)


class Interpreter(Interpretation):
    """Specialises the functions of one module."""

    def __init__(self, module: ModuleOp) -> None:
        super().__init__()
        self.warns = guard.warns(module)
        self.fast = self.licence = fast_math(module)
        self.functions: dict[str, func.FuncOp] = {}
        self.captures: dict[str, skel.CaptureOp] = {}
        for op in module.ops:
            if isinstance(op, func.FuncOp):
                self.functions[op.sym_name.data] = op
            elif isinstance(op, skel.CaptureOp):
                self.captures[op.sym_name.data] = op
            elif isinstance(op, obj.ClassOp):
                self.classes[op.sym_name.data] = op
            elif isinstance(op, obj.TableOp):
                self.tables[op.symbol] = op
        self.makers = {op.maker.root_reference.data for op in self.classes.values() if op.maker is not None}
        stores = (op for op in module.walk() if isinstance(op, dyn.StoreAttrOp))
        self.assigned = frozenset(op.attribute.data for op in stores)
        self.specialized: dict[tuple[object, ...], tuple[func.FuncOp, Attribute] | None] = {}
        self.depth = 0
        """How many calls are interpreted in place."""
        self.new_functions: list[func.FuncOp] = []
        self.empty_dims: frozenset[int] = frozenset()
        self.size_limit = LONGEST

    def run_op(self, op: Operation) -> None:
        if op.location != UNKNOWN_LOC:  # what has no place in the source counts as done by what has
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
        operands: Sequence[SSAValue] = op.operands
        if isinstance(op, dyn.ForRangeOp):
            operands = (op.start, op.stop, op.step)
        elif isinstance(op, dyn.ForEachOp):
            operands = (op.iterable,)
        elif isinstance(op, dyn.SetAttrOp | dyn.StoreAttrOp | dyn.MethodOp):
            operands = (op.container,)
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

    def call(self, symbol: str, arguments: Sequence[Value], *, for_result: bool = False) -> Value:
        """Call a Python function; one specialisation for each tuple of argument types.

        A function that takes or returns a view, a range, a function or an object is interpreted where it is called.
        """
        outer = self.fast
        self.fast = self.licence or fast_math(self._function(symbol, len(arguments)))
        try:
            return self._called(symbol, arguments, for_result=for_result)
        finally:
            self.fast = outer

    def _called(self, symbol: str, arguments: Sequence[Value], *, for_result: bool) -> Value:
        key = (symbol, *(argument.type if isinstance(argument, SSAValue) else argument for argument in arguments))
        shared = all(map(_is_passed, arguments)) and not any(map(objects.is_object, arguments))
        if shared and symbol not in self.makers:
            if key not in self.specialized:
                self.specialized[key] = self._specialize_function(symbol, arguments)
            found = self.specialized[key]
            whole = found is not None and (results.count_objects(found[1]) or growing.has_list(found[1]))
            # Without arguments it may make the default value of a field of an object that is a result.
            if found is not None and not (whole and (for_result or not arguments)):
                function, result = found
                passed = [argument for argument in arguments if isinstance(argument, SSAValue)]
                return self.add(func.CallOp(function.sym_name.data, passed, [result])).res[0]
        body = self._function(symbol, len(arguments)).body.block
        result = self.in_place(body, arguments, None)
        if for_result:
            assert body.last_op is not None
            made = body.last_op.operands[0].owner
            self.location = made.location if isinstance(made, Operation) else body.last_op.location
            result = growing.as_result(self, results.as_result(self, result))
        if any(map(sequences.has_function, arguments)) and isinstance(result, Abstract):
            raise self.unsupported(
                "a function that takes a function returns no array and no function", category=Category.CONTAINER
            )
        return result

    def captured_value(self, name: str) -> Value:
        return _captured_value(self, name)

    def compare_tuples(self, name: str, left: SSAValue, right: SSAValue) -> SSAValue:
        result = containers.compared(self, name, left, right)
        assert result is not None
        return result

    def in_place(self, block: Block, arguments: Sequence[Value], around: Mapping[SSAValue, Value] | None) -> Value:
        if self.depth > MAX_DEPTH:
            raise self.unsupported(
                "these functions call each other without end, and a device has no call stack",
                category=Category.RECURSION,
            )
        caller, outer = self.location, self.values
        self.values = dict(outer if around is None else around)
        self.depth += 1
        try:
            for parameter, argument in zip(block.args, arguments, strict=True):
                self.values[parameter] = argument
            self.run_block(block)
            terminator = block.last_op
            assert isinstance(terminator, func.ReturnOp | dyn.YieldOp)
            return self.get(terminator.operands[0])
        finally:
            self.depth -= 1
            self.location, self.values = caller, outer

    def _function(self, symbol: str, count: int) -> func.FuncOp:
        found = self.functions.get(symbol)
        if found is None:
            raise self.unsupported(f"the function @{symbol} is not in the module", category=Category.INTERNAL)
        if len(found.body.block.args) != count:
            raise self.unsupported(
                f"@{symbol} takes {len(found.body.block.args)} arguments, not {count}", category=Category.ARGUMENTS
            )
        return found

    def _never_returns(self, block: Block) -> UnsupportedError:
        """The reason why no path of a function comes to an end: that of the path that was left last."""
        left = [op for op in block.walk() if isinstance(op, guard.RequireOp)]
        if not left:
            return self.unsupported("no path through the function gives a value", category=Category.CONSTRUCT)
        self.location = left[-1].location
        return self.unsupported(left[-1].reason.data, category=Category.CONSTRUCT)

    def _specialize_function(self, symbol: str, arguments: Sequence[Value]) -> tuple[func.FuncOp, Attribute] | None:
        """None if the function returns something that is not on the device."""
        old = self._function(symbol, len(arguments))
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
            value = self.get(terminator.arguments[0])
            if isinstance(value, Abstract):
                self.location = caller
                return None
            if isinstance(value, Unbound) and not value.variable:
                raise self._never_returns(block)
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
    if isinstance(op.value, ComplexNumberAttr):
        constant, source = complex(op.value.real.data, op.value.imag.data), dyn.COMPLEX
    elif isinstance(op.value, IntegerAttr):
        constant, source = op.value.value.data, dyn.BOOL if op.value.type == i1 else dyn.INT
        constant = bool(constant) if source == dyn.BOOL else constant
    else:
        constant, source = op.value.value.data, dyn.FLOAT
    s.bind_number(op.result, s.constant(constant, source))


def _global(s: Interpreter, op: dyn.GlobalOp) -> None:
    s.bind(op.result, s.captured_value(op.variable.root_reference.data))


def _captured_value(s: Interpreter, name: str) -> Value:
    declaration = s.captures.get(name)
    if declaration is None:
        raise s.unsupported(f"the captured variable @{name} is not declared", category=Category.INTERNAL)
    if isinstance(declaration.type, TensorType):
        return Captured(declaration)
    source = declaration.type
    if isinstance(source, dyn.NoneType):
        return s.add(obj.NoneOp()).result
    if declaration.value is not None:
        return s.box(s.constant(declaration.value.value.data, source))
    if declaration.equals_dim is not None:
        value = s.size(declaration.equals_dim.value.data)
    else:
        positive = declaration.positive is not None
        value = s.add(skel.CapturedOp(declaration.sym_name.data, obj.payload(source), positive=positive)).result
        bounds = None if declaration.bounds is None else Bounds(*declaration.bounds.get_values())
        value = s.with_bounds(value, source, bounds)
    return s.box(Number(value, source))


def _binary(s: Interpreter, op: dyn.BinaryOp) -> None:
    in_place = dyn.IN_PLACE in op.attributes
    whole = objects.binary(s, op.operator.data, s.get(op.left), s.get(op.right), in_place=in_place)
    if whole is not None:
        s.bind(op.result, whole)
        return
    sequence = containers.binary(s, op)
    if sequence is not None:
        s.bind(op.result, sequence)
        return
    if op.operator.data == "matmul":
        raise s.unsupported("the operator '@' is compiled for objects that define it", category=Category.CONTAINER)
    left, right = s.number(op.left), s.number(op.right)
    known = folded(s, op.operator.data, left, right)
    s.bind_number(op.result, known or arithmetic.binary(s, op.operator.data, left, right))


def _unary(s: Interpreter, op: dyn.UnaryOp) -> None:
    if op.operator.data == "not":
        s.bind_number(op.result, Number(s.negate(_truth_of(s, op.operand)), dyn.BOOL))
        return
    whole = objects.apply_special(s, op.operator.data, s.get(op.operand), [])
    if whole is not None:
        s.bind(op.result, whole)
        return
    s.bind_number(op.result, arithmetic.unary(s, op.operator.data, s.number(op.operand)))


def _compare(s: Interpreter, op: dyn.CompareOp) -> None:
    name = op.operator.data
    whole = object_comparisons.compare(s, name, s.get(op.left), s.get(op.right))
    if whole is not None:
        s.bind(op.result, whole)
        return
    sequence = containers.compared(s, name, s.get(op.left), s.get(op.right))
    if sequence is not None:
        s.bind_number(op.result, Number(sequence, dyn.BOOL))
        return
    nones = [isinstance(s.typed(value).type, dyn.NoneType) for value in op.operands]
    if name in ("is", "is_not"):
        s.bind_number(op.result, Number(_identical(s, op, nones), dyn.BOOL))
        return
    if any(nones) and name in ("eq", "ne"):
        s.bind_number(op.result, s.constant(all(nones) == (name == "eq"), dyn.BOOL))
        return
    left, right = s.number(op.left), s.number(op.right)
    s.bind_number(op.result, folded(s, name, left, right) or comparison.compare(s, name, left, right))


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
    value = s.get(old)
    if objects.is_object(value):
        return objects.truth(s, value)
    items = sequences.items_of(s, value)
    if items is not None:
        return s.flag(bool(items))
    if isinstance(value, RangeValue):
        return s.compare_ints("ne", sequences.range_length(s, value), 0)
    if growing.is_growing(value):
        return s.compare_ints("ne", growing.length(s, value), 0)
    if isinstance(s.typed(old).type, dyn.NoneType):
        return s.flag(False)
    number = s.number(old)
    return s.truth(number) if number.constant is None else s.flag(bool(number.constant))


def _from_bool(s: Interpreter, op: dyn.FromBoolOp) -> None:
    s.bind_number(op.result, Number(s.typed(op.operand), dyn.BOOL))


_KEYWORD_ONLY = {"math.isclose": 2, "cmath.isclose": 2, "math.prod": 1}
"""How many arguments functions take by position that take others by keyword only."""


def _builtin(s: Interpreter, op: dyn.BuiltinOp) -> None:
    name = op.function.data
    if name.startswith("number.") and objects.get_attribute(s, op):
        return
    if name in objects.CONVERSIONS and op.arguments:
        special = objects.convert(s, name, calling.arguments_of(s, op.arguments))
        if special is not None:
            s.bind(op.result, special)
            return
    if name in _KEYWORD_ONLY and len(op.arguments) - len(op.named) > _KEYWORD_ONLY[name]:
        raise s.unsupported(f"{name}() with so many positional arguments raises TypeError")
    if name == "type" and len(op.arguments) == 1:
        s.bind(op.result, objects.type_of(s, s.get(op.arguments[0])))
        return
    sequence = _sequence(s, op)
    if sequence is not None:
        s.bind(op.result, sequence)
    elif name == "cmath.polar" and len(op.arguments) == 1:
        parts = complex_functions.polar(s, s.number(op.arguments[0]))
        s.bind(op.result, s.add(obj.PackOp([s.box(part) for part in parts])).result)
    elif name in ("min", "max"):
        items = (
            sequences.items_of(s, s.get(op.arguments[0]))
            if len(op.arguments) == 1
            else list(map(s.typed, op.arguments))
        )
        if items is None:
            raise s.unsupported(f"{name}() of one argument needs a tuple or list")
        numbers = [s.unbox(item) for item in items if isinstance(item, SSAValue)]
        if len(numbers) < len(items):
            raise s.unsupported(f"{name}() compares numbers")
        s.bind(op.result, _extreme(s, name, numbers))
    elif (result := tuple_functions.run(s, op)) is not None:
        s.bind(op.result, result)
    else:
        s.bind_number(op.result, functions.call(s, name, [s.number(argument) for argument in op.arguments]))


def _sequence(s: Interpreter, op: dyn.BuiltinOp) -> Value | None:
    """A call of a built-in function that makes or measures a sequence, None if it is another one."""
    name = op.function.data
    if name in ("zip", "enumerate", "reversed"):
        return iterations.iterator(s, op)
    if name == "range" and 1 <= len(op.arguments) <= 3:
        return _range(s, [conversions.to_index(s, s.number(argument)) for argument in op.arguments])
    if name not in ("len", "tuple", "list", "sorted") or len(op.arguments) > 1:
        return None
    if not op.arguments:
        return sequences.pack(s, [], as_list=name == "list") if name in ("tuple", "list") else None
    (value,) = calling.arguments_of(s, op.arguments)
    if name == "len":
        return s.box(_length(s, value))
    items = iterations.all_items(s, value)
    return containers.sorted_list(s, items) if name == "sorted" else sequences.pack(s, items, as_list=name == "list")


def _range(s: Interpreter, numbers: Sequence[Number]) -> Value:
    start = s.constant(0, dyn.INT) if len(numbers) == 1 else numbers[0]
    step = numbers[2] if len(numbers) == 3 else s.constant(1, dyn.INT)
    if step.constant == 0:
        raise s.unsupported("range() with step 0 raises ValueError")
    if step.constant is None:
        s.require(s.compare_ints("ne", step.value, 0), GuardKind.DOMAIN, "range() with step 0 raises ValueError")
    return RangeValue(start, numbers[0] if len(numbers) == 1 else numbers[1], step)


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
    items, view = objects.array_items(s, value), views.view_of(value)
    items = sequences.items_of(s, value) if items is None else items
    if items is not None:
        return s.constant(len(items), dyn.INT)
    if view is not None:
        return Number(views.length(s, view), dyn.INT)
    if isinstance(value, RangeValue):
        return Number(sequences.range_length(s, value), dyn.INT)
    if isinstance(value, ObjectSequence | MixedSequence | References):
        return Number(object_sequences.length(s, value), dyn.INT)
    if growing.is_growing(value):
        return Number(growing.length(s, value), dyn.INT)
    raise s.unsupported("len() needs an array, a tuple, a list or a range", category=Category.CONTAINER)


def _attribute(s: Interpreter, op: dyn.GetAttrOp) -> None:
    if not objects.get_attribute(s, op):
        views.attribute(s, op)


def _shape(s: Interpreter, op: dyn.ShapeOp) -> None:
    if not objects.get_attribute(s, op):
        views.shape(s, op)


def _bound(s: Interpreter, op: dyn.BoundOp) -> None:
    value = s.get(op.operand)
    if isinstance(value, Unbound | MaybeUnbound):
        s.on_device(value)
    s.bind(op.result, value)


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
    dyn.CallOp: calling.call,
    dyn.CallValueOp: calling.call_value,
    dyn.SpreadOp: calling.spread,
    dyn.FunctionOp: calling.function,
    dyn.KnownOp: calling.known,
    dyn.LambdaOp: calling.nested,
    dyn.BuiltinOp: _builtin,
    dyn.GetItemOp: sequences.getitem,
    dyn.SetItemOp: sequences.set_item,
    dyn.AppendOp: sequences.append,
    dyn.StoreItemOp: stores.store_item,
    dyn.SliceOp: sequences.make_slice,
    dyn.ShapeOp: _shape,
    dyn.GetAttrOp: _attribute,
    dyn.FieldOp: objects.record_field,
    dyn.SetAttrOp: objects.set_attribute,
    dyn.StoreAttrOp: stores.store_attribute,
    dyn.StoreFieldOp: stores.store_field,
    dyn.MethodOp: objects.method,
    dyn.NewOp: objects.new,
    dyn.SeveralOp: object_sequences.several,
    dyn.ReferOp: object_tables.make_list,
    dyn.ClassOp: objects.class_value,
    dyn.BuildTupleOp: sequences.build,
    dyn.BuildListOp: sequences.build,
    dyn.UnpackOp: sequences.unpack,
    dyn.ContainsOp: containers.contains,
    dyn.IsInstanceOp: containers.isinstance_,
    dyn.UnboundOp: _unbound,
    dyn.BoundOp: _bound,
    dyn.NoneOp: _none,
    dyn.LeaveOp: _leave,
    arith.ConstantOp: _constant,
    scf.IfOp: run_if,
    scf.WhileOp: run_while,
    dyn.ForRangeOp: run_for,
    dyn.ForEachOp: iterations.run_for_each,
    skel.WindowOp: windows.make,
}

_POLYMORPHIC = (
    dyn.BoundOp,
    dyn.BuildTupleOp,
    dyn.BuildListOp,
    dyn.SetItemOp,
    dyn.AppendOp,
    dyn.NewOp,
    dyn.SeveralOp,
    dyn.ReferOp,
    dyn.CallOp,
    dyn.CallValueOp,
    dyn.LambdaOp,
    scf.IfOp,
    scf.WhileOp,
)
"""Ops that pass on a value of any type."""

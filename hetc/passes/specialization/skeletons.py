"""Skeletons in the entry function: arrays become one array a number (struct of arrays), bodies become typed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import compress

import numpy as np
from xdsl.dialects import func
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    DictionaryAttr,
    StringAttr,
    TensorType,
    TupleType,
    UnitAttr,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from hetc.abi import INT64_MAX, MAX_ALTERNATIVES, TAG_PATH, Bounds, Container, alternative_path
from hetc.analysis.attributes import int_values
from hetc.analysis.entry import argument_facts
from hetc.analysis.source_types import TAG, from_ir, is_complex, leaf_types, scalar_from_ir, spelling
from hetc.diagnostics import Category
from hetc.dialects import dyn, guard, obj, skel
from hetc.passes.semantics.complex_numbers import REAL_STAYS_REAL
from hetc.passes.semantics.emitter import Number
from hetc.passes.specialization import growing, indexed, results
from hetc.passes.specialization.carried import weak_constant
from hetc.passes.specialization.interpreter import Interpreter
from hetc.passes.specialization.payloads import boxed_from
from hetc.passes.specialization.unions import common_type, has_union, unboxed
from hetc.passes.specialization.values import Array, boxed_of, describe, element_of, payloads_of


class EntrySpecializer:
    """Specialises the entry function."""

    def __init__(self, s: Interpreter, old: func.FuncOp) -> None:
        self.s = s
        self.old = old
        self.arrays: dict[SSAValue, Array] = {}
        self.scalars: set[SSAValue] = set()
        self.dims: dict[SSAValue, int] = {}
        """The numbers of the dimensions that arrays have, other than 0."""
        self.filtered = False

    def run(self) -> func.FuncOp:
        """The new entry function."""
        attributes = self.old.attributes
        if "skel.wide" in attributes:
            self.s.size_limit = INT64_MAX
        if "skel.empty" in attributes:
            self.s.empty_dims = frozenset(int_values(attributes["skel.empty"]))
        block, facts = Block(), list[DictionaryAttr]()
        self._inputs(block, facts)
        returned = self.old.body.block.last_op
        assert isinstance(returned, func.ReturnOp)
        with self.s.inside(block):
            for op in self.old.body.block.ops:
                self.s.location = op.location
                if op is not returned:
                    self._run_op(op)
            result = self.arrays[returned.arguments[0]] if returned.arguments else Array((), dyn.NONE)
            kept = results.kept_leaves(result.element)
            result = Array(tuple(compress(result.leaves, kept)), results.narrowed_type(result.element))
            self.s.add(func.ReturnOp(*result.leaves))
        new = func.FuncOp(
            self.old.sym_name.data,
            (block.arg_types, [leaf.type for leaf in result.leaves]),
            Region(block),
            arg_attrs=ArrayAttr(facts),
        )
        new.location = self.old.location
        new.attributes |= attributes
        new.attributes["skel.result"] = result.element
        if returned.arguments and returned.arguments[0] in self.scalars:
            new.attributes["skel.scalar"] = UnitAttr()
        return new

    def _inputs(self, block: Block, facts: list[DictionaryAttr]) -> None:
        """One argument for each number of each input's elements."""
        for argument, stated in zip(self.old.body.block.args, argument_facts(self.old), strict=True):
            element = skel.element_type(argument.type)
            leaves: list[SSAValue] = []
            for number, (component, leaf) in enumerate(_paths(element)):
                is_sequence = isinstance(argument.type, skel.SequenceType)
                type_ = argument.type if is_sequence else TensorType(leaf, [DYNAMIC_INDEX])
                new = block.insert_arg(type_, len(block.args))
                new.name_hint = argument.name_hint
                leaves.append(new)
                strides = stated.strides[number : number + 1]
                facts.append(replace(stated, path=(*stated.path, *component), strides=strides).attribute())
            self.arrays[argument] = Array(tuple(leaves), element, stated.bounds, stated.below)

    def _run_op(self, op: Operation) -> None:
        match op:
            case skel.MapOp():
                self._map(op)
            case skel.ZipOp():
                self._zip(op)
            case skel.ReduceOp():
                self._reduce(op)
            case skel.ScanOp():
                self._scan(op)
            case skel.FilterOp():
                self._filter(op)
            case skel.ForallOp():
                self._forall(op)
            case skel.CapturedOp():
                self._captured(op)
            case skel.PositionsOp():
                self._positions(op)
            case dyn.GetItemOp() if op.container in self.scalars:
                self._part(op)
            case skel.GatherOp():
                self._gather(op)
            case skel.ScatterOp():
                self._scatter(op)
            case skel.PartitionOp():
                self._partition(op)
            case _:
                self.s.run_op(op)

    def _map(self, op: skel.MapOp) -> None:
        inputs = [self.arrays[value] for value in op.inputs]
        block = self._body(op.body.block, inputs)
        with self.s.inside(block):
            self.s.run_block(op.body.block)
            element = self._yield(op.body.block, lists=True, last=_is_returned(op.outputs[0]))
        self._check_storable(element)
        leaves = [leaf for array in inputs for leaf in array.leaves]
        types = [TensorType(leaf, [DYNAMIC_INDEX]) for leaf in leaf_types(element)]
        new = self.s.add(skel.MapOp(leaves, types, Region(block)))
        self.arrays[op.outputs[0]] = Array(tuple(new.outputs), element)

    def _filter(self, op: skel.FilterOp) -> None:
        inputs = [self.arrays[value] for value in op.inputs]
        old = op.predicate.block
        predicate, transform = self._body(old, inputs), Block()
        with self.s.inside(predicate):
            self.s.run_block(old)
            terminator = old.last_op
            assert isinstance(terminator, skel.YieldOp)
            self.s.location = terminator.location
            keep = self.s.get(terminator.values[0])
            assert isinstance(keep, SSAValue)
            self.s.add(skel.YieldOp(keep))
        leaves = [leaf for array in inputs for leaf in array.leaves]
        with self.s.inside(transform):
            self.s.add(skel.YieldOp(*[transform.insert_arg(a.type, a.index) for a in predicate.args]))
        for array in inputs:
            self._check_storable(array.element)
        types = [TensorType(skel.element_type(leaf.type), [DYNAMIC_INDEX]) for leaf in leaves]
        new = self.s.add(skel.FilterOp(leaves, types, Region(predicate), Region(transform)))
        self.filtered = True
        outputs = iter(new.outputs)
        for array, output in zip(inputs, op.outputs, strict=True):
            self.arrays[output] = replace(array, leaves=tuple(next(outputs) for _ in array.leaves))

    def _check_storable(self, element: Attribute) -> None:
        """Raise UnsupportedError for elements that no array holds."""
        if has_empty_tuple(element):
            raise self.s.unsupported("a result with an empty tuple in it is not compiled", category=Category.CONTAINER)
        if not leaf_types(element):
            raise self.s.unsupported(
                "the function returns nothing but None", hint="return a number", category=Category.CONSTRUCT
            )

    def _forall(self, op: skel.ForallOp) -> None:
        arrays = [self.arrays[value] for value in op.sequences]
        block, old, self.s.stores, self.s.single = Block(), op.body.block, True, op.single is not None
        with self.s.inside(block):
            for argument, array in zip(old.args, arrays, strict=True):
                payload = block.insert_arg(obj.payload(array.element), len(block.args))
                payload.name_hint = argument.name_hint
                self.s.bind_number(argument, Number(self._index(array, payload), array.element))
            self.s.run_block(old)
            element = self._yield(old, last=True) if op.outputs else dyn.NONE
            if not op.outputs:
                self.s.add(skel.YieldOp())
        types = [TensorType(leaf, [DYNAMIC_INDEX]) for leaf in leaf_types(element)]
        sequences = [array.leaves[0] for array in arrays]
        new = self.s.add(skel.ForallOp(sequences, types, Region(block), single=op.single is not None))
        if op.outputs:
            self.arrays[op.outputs[0]] = Array(tuple(new.outputs), element)

    def _body(self, old: Block, inputs: Sequence[Array]) -> Block:
        """A block that takes the payloads of the inputs' elements and boxes them for the old block's arguments."""
        block = Block()
        with self.s.inside(block):
            for argument, array in zip(old.args, inputs, strict=True):
                payloads = [block.insert_arg(type_, len(block.args)) for type_ in payloads_of(array.element)]
                for payload in payloads:
                    payload.name_hint = argument.name_hint if len(payloads) == 1 else None
                if array.below:
                    boxed = self.s.box(Number(self._index(array, *payloads), array.element))
                else:
                    boxed = boxed_from(self.s, iter(payloads), array.element, array.bounds)
                self.s.values[argument] = boxed
        return block

    def _index(self, array: Array, payload: SSAValue) -> SSAValue:
        """An integer of an array with what is known of it, as an index."""
        bounds = array.bounds or Bounds()
        high = min(bounds.high, *(self.s.size_limit + c for _, c in array.below), INT64_MAX)
        return self.s.add(guard.FactOp(payload, bounds.low, high, array.below)).result

    def _yield(
        self, old: Block, target: Attribute | None = None, *, lists: bool = False, last: bool = False
    ) -> Attribute:
        """End a body with the payloads of what the old body yields, as numbers of the target type if one is given.

        The result is the element type. `lists` says that it may be a list, `last` that nothing but Python takes it.
        """
        terminator = old.last_op
        assert isinstance(terminator, skel.YieldOp)
        self.s.location = terminator.location
        value = results.checked(self.s, self.s.get(terminator.values[0]), last=last)
        element = element_of(value.type)
        if not lists and growing.has_list(element):
            raise self.s.unsupported("a list is the result of maps alone", category=Category.CONTAINER)
        self.s.add(skel.YieldOp(*unboxed(self.s, value, target or element)))
        return target or element

    def _captured(self, op: skel.CapturedOp) -> None:
        """A captured array, as one that skeletons take."""
        name = op.variable.root_reference.data
        declaration = self.s.captures[name]
        stated = None if declaration.bounds is None else Bounds(*declaration.bounds.get_values())
        array = self.s.add(skel.CapturedOp(name, declaration.type)).result
        assert declaration.dims is not None
        (self.dims[array],) = declaration.dims.get_values()
        self.arrays[op.result] = Array((array,), skel.element_type(array.type), stated)

    def _positions(self, op: skel.PositionsOp) -> None:
        leaf = self.arrays[op.array].leaves[0]
        numbers = self.s.add(skel.PositionsOp(leaf)).result
        self.arrays[op.result] = Array((numbers,), dyn.INT, Bounds(0, self.s.size_limit - 1))

    def _part(self, op: dyn.GetItemOp) -> None:
        """An item of the tuple that a reduction gives."""
        whole, (index,) = self.arrays[op.container], op.indices
        number = self.s.unbox(self.s.typed(index)).constant
        assert isinstance(whole.element, TupleType)
        assert isinstance(number, int)
        items = whole.element.types.data
        first = sum(len(leaf_types(item)) for item in items[:number])
        leaves = whole.leaves[first : first + len(leaf_types(items[number]))]
        self.arrays[op.result] = Array(leaves, items[number])
        self.scalars.add(op.result)

    def _gather(self, op: skel.GatherOp) -> None:
        """A map over the indices, which loads from the arrays."""
        inputs = [indexed.stored(self.s, self.arrays[value]) for value in op.inputs]
        indices = self.arrays[op.indices]
        leaves = [leaf for array in inputs for leaf in array.leaves]
        length = self.dims.get(self.arrays[op.inputs[0]].leaves[0], 0)
        body = indexed.gather_body(self.s, indices, leaves, length)
        types = [TensorType(skel.element_type(leaf.type), [DYNAMIC_INDEX]) for leaf in leaves]
        new = self.s.add(skel.MapOp(indices.leaves, types, Region(body)))
        self.dims |= dict.fromkeys(new.outputs, self.dims[indices.leaves[0]])
        outputs = iter(new.outputs)
        for array, output in zip(inputs, op.outputs, strict=True):
            self.arrays[output] = replace(array, leaves=tuple(next(outputs) for _ in array.leaves))

    def _scatter(self, op: skel.ScatterOp) -> None:
        inputs = [self.arrays[value] for value in op.inputs]
        element = self._transform(op, inputs, None)[1]
        indexed.check_numbers(self.s, element)
        if op.inits:
            init = self.s.typed(op.inits[0])
            start = element_of(init.type)
            accumulator = self._accumulator(start, element, op.combine.block)
            if not self._holds(op, start, accumulator):
                raise self.s.unsupported(
                    f"items without elements are {spelling(start)}, and the others are {spelling(accumulator)}",
                    hint="start from a number of the elements' type",
                    category=Category.REDUCTION,
                )
            inits = self._initial_values(init, accumulator, element)
        else:
            accumulator = self._accumulator(element, element, op.combine.block)
            inits = [self.s.constant(0, leaf).value for leaf in leaf_types(accumulator)]
        types = [TensorType(leaf, [DYNAMIC_INDEX]) for leaf in leaf_types(accumulator)]
        transform, _ = self._transform(op, inputs, accumulator)
        combine, _ = self._combine(op.combine.block, accumulator, accumulator, accumulator)
        leaves, size = [leaf for array in inputs for leaf in array.leaves], op.size.value.data
        regions, unique = (Region(transform), Region(combine)), op.unique is not None
        new = self.s.add(skel.ScatterOp(leaves, size, inits, types, *regions, unique=unique))
        self.arrays[op.outputs[0]] = Array(tuple(new.outputs), accumulator)

    def _partition(self, op: skel.PartitionOp) -> None:
        inputs = [self.arrays[value] for value in op.inputs]
        kept = inputs[len(inputs) - len(op.outputs) :]
        for array in kept:
            indexed.check_numbers(self.s, array.element)
        block, old = self._body(op.body.block, inputs), op.body.block
        with self.s.inside(block):
            self.s.run_block(old)
            end = old.last_op
            assert isinstance(end, skel.YieldOp)
            place = indexed.place_of(self.s, self.s.get(end.values[0]), op.classes.value.data)
            self.s.add(skel.YieldOp(place))
        leaves = [leaf for array in inputs for leaf in array.leaves]
        types = [TensorType(leaf, [DYNAMIC_INDEX]) for array in kept for leaf in leaf_types(array.element)]
        new = self.s.add(skel.PartitionOp(leaves, op.classes.value.data, types, Region(block)))
        outputs = iter(new.outputs)
        for array, output in zip(kept, op.outputs, strict=True):
            self.arrays[output] = Array(tuple(next(outputs) for _ in array.leaves), array.element, array.bounds)

    def _transform(
        self, op: skel.ScatterOp, inputs: Sequence[Array], target: Attribute | None
    ) -> tuple[Block, Attribute]:
        """What gives an element's place and value, as numbers of the target type if one is given; its type."""
        block, old = self._body(op.transform.block, inputs), op.transform.block
        with self.s.inside(block):
            self.s.run_block(old)
            end = old.last_op
            assert isinstance(end, skel.YieldOp)
            key, value = end.values
            place = indexed.place_of(self.s, self.s.get(key), op.size.value.data)
            boxed = self.s.typed(value)
            element = element_of(boxed.type)
            self.s.add(skel.YieldOp(place, *unboxed(self.s, boxed, target or element)))
        return block, element

    def _zip(self, op: skel.ZipOp) -> None:
        """Zip is free: an array of tuples is the list of its components' arrays."""
        inputs = [self.arrays[value] for value in op.inputs]
        element = obj.tuple_type(array.element for array in inputs)
        self.arrays[op.output] = Array(tuple(leaf for array in inputs for leaf in array.leaves), element)

    def _reduce(self, op: skel.ReduceOp) -> None:
        array = self.arrays[op.inputs[0]]
        if op.inits:
            init = self.s.typed(op.inits[0])
            accumulator = self._accumulator(element_of(init.type), array.element, op.combine.block)
            inits = self._initial_values(init, accumulator, array.element)
            # What is left of a filter may be nothing, and then the result is the initial value as it is.
            nonempty = self.filtered and element_of(init.type) != accumulator
        else:
            accumulator = self._accumulator(array.element, array.element, op.combine.block)
            inits, nonempty = list[SSAValue](), True
        regions = self._regions(op, array, accumulator)
        new = self.s.add(skel.ReduceOp(array.leaves, inits, *regions, nonempty=nonempty))
        self.arrays[op.outputs[0]] = Array(tuple(new.outputs), accumulator)
        self.scalars.add(op.outputs[0])

    def _regions(self, op: skel.ReduceOp | skel.ScanOp, array: Array, accumulator: Attribute) -> tuple[Region, Region]:
        """The transform and combine regions for an accumulator of this type."""
        transform = self._body(op.transform.block, [array])
        with self.s.inside(transform):
            self.s.run_block(op.transform.block)
            self._yield(op.transform.block, accumulator)
        combine, _ = self._combine(op.combine.block, accumulator, accumulator, accumulator)
        return Region(transform), Region(combine)

    def _scan(self, op: skel.ScanOp) -> None:
        array = self.arrays[op.inputs[0]]
        init = self.s.typed(op.inits[0]) if op.inits else None
        start = array.element if init is None else element_of(init.type)
        accumulator = self._accumulator(start, array.element, op.combine.block)
        self._check_storable(accumulator)
        if op.exclusive is not None and not self._holds(op, start, accumulator):
            raise self.s.unsupported(
                f"the first element of the scan is {spelling(start)}, and the others are {spelling(accumulator)}",
                hint="start the scan from a number of the elements' type",
                category=Category.REDUCTION,
            )
        inits = [] if init is None else self._initial_values(init, accumulator, array.element)
        types = [TensorType(leaf, [DYNAMIC_INDEX]) for leaf in leaf_types(accumulator)]
        regions = self._regions(op, array, accumulator)
        new = self.s.add(skel.ScanOp(array.leaves, inits, types, *regions, exclusive=op.exclusive is not None))
        self.arrays[op.outputs[0]] = Array(tuple(new.outputs), accumulator)

    def _holds(self, op: skel.ScanOp | skel.ScatterOp, init: Attribute, accumulator: Attribute) -> bool:
        """Whether elements of the accumulator's type can stand for the initial value, the first element of a result.

        They are of one type; in an array, they need only be of one dtype.
        """
        if has_union(accumulator) or init == accumulator:
            return True
        if any(isinstance(type_, obj.ObjectType) for type_ in (init, accumulator)):
            return False
        is_array = self.old.attributes["skel.container"] == StringAttr(Container.NDARRAY.value)
        if not _is_returned(op.outputs[0]) or not is_array or shape_of(init) != shape_of(accumulator):
            return False
        pairs = zip(leaf_types(init), leaf_types(accumulator), strict=True)
        return all(scalar_from_ir(one).dtype == scalar_from_ir(other).dtype for one, other in pairs)

    def _accumulator(self, init: Attribute, element: Attribute, combine: Block) -> Attribute:
        """The type that the operator accumulates in: what it makes of the initial value and an element.

        Elements are converted to that type, which must hold their values, as Python's operators do (`True + 1`); and
        the operator must stay in it, or it combines no two partial results.
        """
        accumulator = element if init == element else self._combine(combine, init, element)[1]
        if any(has_union(type_) or isinstance(type_, obj.ObjectType) for type_ in (init, element, accumulator)):
            return self._union_accumulator(accumulator, init, element, combine)
        kept = [self._combine(combine, accumulator, right)[1] for right in dict.fromkeys((accumulator, element))]
        if any(result != accumulator for result in kept):
            made = next(result for result in kept if result != accumulator)
            raise self.s.unsupported(
                f"the operator makes {spelling(made)} out of {spelling(accumulator)} and {spelling(element)}, "
                "so it combines no partial results",
                hint="return what the operator takes; convert the elements first, with a map",
                category=Category.REDUCTION,
            )
        if not embeds(element, accumulator):
            raise self.s.unsupported(
                f"{spelling(element)} cannot be converted to {spelling(accumulator)} without loss",
                hint="start the reduction from a number of the elements' type",
                category=Category.REDUCTION,
            )
        return accumulator

    def _union_accumulator(
        self, accumulator: Attribute, init: Attribute, element: Attribute, combine: Block
    ) -> Attribute:
        """The type of a result that may be of several types: of any that the operator makes, or is given."""
        for type_ in (init, element):
            accumulator = self._joined(accumulator, type_)
        for _ in range(MAX_ALTERNATIVES):
            wider = self._joined(accumulator, self._combine(combine, accumulator, accumulator)[1])
            if wider == accumulator:
                return accumulator
            accumulator = wider
        raise self.s.unsupported("the types of this reduction do not settle", category=Category.REDUCTION)

    def _joined(self, left: Attribute, right: Attribute) -> Attribute:
        return element_of(common_type(self.s, boxed_of(left), boxed_of(right)))

    def _combine(
        self, old: Block, left: Attribute, right: Attribute, target: Attribute | None = None
    ) -> tuple[Block, Attribute]:
        """The operator on an accumulator and an element of the given types; its result as the target type, if given."""
        block = self._body(old, [Array((), left), Array((), right)])
        with self.s.inside(block):
            self.s.run_block(old)
            result = self._yield(old, target)
        return block, result

    def _initial_values(self, init: SSAValue, accumulator: Attribute, element: Attribute) -> list[SSAValue]:
        """The initial value as payloads of the accumulator's type."""
        if has_union(accumulator) or element_of(init.type) == accumulator:
            return unboxed(self.s, init, accumulator)
        payloads = self._converted(init, boxed_of(accumulator))
        if payloads is None:
            raise self.s.unsupported(
                f"a reduction of {spelling(element)} cannot start from {describe(init.type)}",
                hint="start it from a number of the elements' type",
                category=Category.REDUCTION,
            )
        return payloads

    def _converted(self, init: SSAValue, type_: Attribute) -> list[SSAValue] | None:
        """A constant, or tuple of constants, converted without rounding."""
        if isinstance(type_, TupleType):
            if not isinstance(init.owner, obj.PackOp) or len(init.owner.items) != len(type_.types.data):
                return None
            parts = [self._converted(i, t) for i, t in zip(init.owner.items, type_.types.data, strict=True)]
            return None if None in parts else [payload for part in parts if part for payload in part]
        if init.type == type_:
            return [self.s.unbox(init).value]
        assert isinstance(init.type, obj.BoxedType)
        assert isinstance(type_, obj.BoxedType)
        number = weak_constant(init, type_)
        if number is not None:
            return [self.s.constant(number, type_.source).value]
        if embeds(init.type.source, type_.source):
            return [self.s.convert(self.s.unbox(init), type_.source).value]
        return None


def _is_returned(output: SSAValue) -> bool:
    """Whether a skeleton's result is what Python gets."""
    return all(isinstance(use.operation, func.ReturnOp) for use in output.uses)


def embeds(source: Attribute, target: Attribute) -> bool:
    """Whether every value of an element type is one of another: `bool` in `int` in `float`, `float32` in `float64`."""
    if source == target:
        return True
    if any(isinstance(one, obj.ObjectType) for one in (source, target)):
        return False
    if isinstance(source, TupleType) or isinstance(target, TupleType):
        pairs = list(zip(leaf_types(source), leaf_types(target), strict=False))
        return shape_of(source) == shape_of(target) and all(embeds(one, other) for one, other in pairs)
    if is_complex(target) and not is_complex(source) and REAL_STAYS_REAL:
        return False
    return np.can_cast(scalar_from_ir(source).dtype, scalar_from_ir(target).dtype, "safe")


def shape_of(element: Attribute) -> object:
    """The tuple structure of an element type, without its numbers."""
    return tuple(shape_of(item) for item in element.types.data) if isinstance(element, TupleType) else None


def has_empty_tuple(element: Attribute) -> bool:
    """Whether a tuple without items is an element, or part of it: there is nothing to hold it in."""
    match element:
        case TupleType():
            return not element.types.data or any(map(has_empty_tuple, element.types.data))
        case obj.ObjectType():
            return not element.types or any(map(has_empty_tuple, element.types))
        case obj.UnionType():  # its tag is there to be held
            return any(not is_bare(part) and has_empty_tuple(part) for part in element.alternatives)
        case _:
            return False


def is_bare(element: Attribute) -> bool:
    """Whether it is the type of objects of which no field is known."""
    return isinstance(element, obj.ObjectType) and not element.types


def _paths(element: Attribute) -> list[tuple[tuple[int, ...], Attribute]]:
    """Each number of an element type, with the tuple indices that lead to it."""
    match element:
        case TupleType():
            items = list(enumerate(element.types.data))
            tag: list[tuple[tuple[int, ...], Attribute]] = []
        case obj.ObjectType():
            items, tag = list(enumerate(element.types)), []
        case obj.UnionType():
            items = [(alternative_path(from_ir(item)), item) for item in element.alternatives]
            tag = [((TAG_PATH,), TAG)]
        case dyn.NoneType():
            return []
        case _:
            return [((), element)]
    return [*tag, *(((k, *path), leaf) for k, item in items for path, leaf in _paths(item))]

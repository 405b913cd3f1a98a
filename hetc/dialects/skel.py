"""The `skel` dialect: parallel skeletons with value semantics on arrays.

Arrays are `tensor<?xT>` whose element type `T` is a *source* type (`f32`, `si32`, `!dyn.int`, a `tuple<...>`), so that
signedness and "Python or NumPy" are never lost; `!skel.sequence<T>` is start + step * index and has no memory. Regions
compute on payloads (`f32`, `i64`) from level 1 on, and on `!dyn.object` at level 0.

The laws that `fuse-skeletons` rewrites by stand in the ops' docstrings; they are those of the Bird-Meertens calculus as
used by Marawacc (Fumero, PhD thesis 2017, chapter 4).

Attributes that the frontend puts on functions and their arguments:

* `skel.entry` marks the function that the caller runs; `skel.container` says where its result goes.
* `skel.wide` on the entry: a dimension has over 2**30 elements, or an array 2**31; `skel.empty` lists the dimensions
  with none.
* `skel.path = array<i64: k, p...>` on an argument: it is component `p...` of input number `k`.
* `skel.bounds = array<i64: low, high>` on an argument: all its integers lie in that interval.
* `skel.below = array<i64: dim, c, ...>` on an argument: its integers are at most the length of dimension dim plus c.
* `skel.unit_step` on an argument: it is a sequence whose numbers follow each other.
* `skel.constant` on an argument: it is a sequence whose numbers are all the same.
* `skel.resident` on an argument: it is a portable array, which may be on the device.
* `skel.strides` on an argument: how far apart its numbers lie in memory, if they can be used there, else 0; for each
  number of an element. `skel.layout` on the entry: "aos" or "soa", as the caller has asked for.
* `skel.layout` on an argument: it is a number of the objects of a portable array, of that layout, or "auto".
* `skel.batches = ["name", ...]` on the entry: its inputs are one batch of their elements; the captured variables of
  these names are what the batch before has come to. `skel.divided` names captured arrays of which it has some rows.
* `skel.originals` on the entry: what comes back are the objects that went in, "elements" of the one input, or "rows":
  tuples of the elements of all.
* `skel.dropped` on the entry: nobody wants the result, and it is only asked how it comes about; `check-floats` takes it
  away.
* `skel.result` on the entry: the element type of the result, a tuple type if elements are tuples.
* `skel.writes = [{input = k, field = "x"}, ...]` on the entry: elements of the result are tuples of what the function
  returns and, for each of these, the attribute of the element of input k, and whether it was assigned.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    I64,
    DenseArrayBase,
    DictionaryAttr,
    FlatSymbolRefAttrConstr,
    IntegerAttr,
    StringAttr,
    SymbolNameConstraint,
    SymbolRefAttr,
    TensorType,
    UnitAttr,
    i1,
    i64,
)
from xdsl.ir import Attribute, Block, Dialect, ParametrizedAttribute, Region, SSAValue, TypeAttribute
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    ParsePropInAttrDict,
    base,
    irdl_attr_definition,
    irdl_op_definition,
    lazy_traits_def,
    operand_def,
    opt_prop_def,
    opt_region_def,
    param_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.traits import (
    HasCanonicalizationPatternsTrait,
    HasParent,
    IsTerminator,
    Pure,
    RecursiveMemoryEffect,
    SymbolOpInterface,
)
from xdsl.utils.exceptions import VerifyException

from hetc.dialects.dyn import INT, OBJECT
from hetc.dialects.obj import payload
from hetc.dialects.parts.windows import InsideOp, NeighborOp, WindowOp


def write_attribute(number: int, field: str) -> DictionaryAttr:
    """An item of `skel.writes`."""
    return DictionaryAttr({"input": IntegerAttr(number, i64), "field": StringAttr(field)})


def written_field(write: DictionaryAttr) -> tuple[int, str]:
    """The input and the field of an item of `skel.writes`."""
    number, field = write.data["input"], write.data["field"]
    assert isinstance(number, IntegerAttr)
    assert isinstance(field, StringAttr)
    return number.value.data, field.data


@irdl_attr_definition
class SequenceType(ParametrizedAttribute, TypeAttribute):
    """`!skel.sequence<T>`: the values start + step * index, computed where they are needed.

    The device never sees it in memory (Fumero et al., VEE 2017, section 5.3, on R's sequences).
    """

    name = "skel.sequence"
    element: Attribute = param_def()


ARRAY = base(TensorType) | base(SequenceType)


def element_type(array: Attribute) -> Attribute:
    """The source type of the elements of an array or sequence."""
    if isinstance(array, TensorType):
        return array.element_type
    assert isinstance(array, SequenceType)
    return array.element


@irdl_op_definition
class CaptureOp(IRDLOperation):
    """Declares a captured variable: a scalar's source type or the tensor type of an array.

    `dims` numbers the dimensions of an array: equal numbers are equal lengths at this call. `bounds` holds for the
    integers in it. `equals_dim` says that an integer equals the length of that dimension, `value` that it has this
    value at every call that the module is compiled for, `positive` that a float is at least 2**-64. `distinct` asks for
    a look at the array before each run: no two of its elements may be the same. `resident` marks a portable array,
    which may be on the device. `stride` says that its numbers can be used where they lie, so many numbers apart.
    `objects` names the objects that an array is a field of; arrays of one name have an element for each of them.

    ```mlir
    skel.capture @gain : f32
    skel.capture @softening : !dyn.float {positive}
    skel.capture @positions : tensor<?xf32> {dims = array<i64: 0>}
    skel.capture @n : !dyn.int {bounds = array<i64: 1, 2147483647>}
    skel.capture @order : !dyn.int {value = 7 : i64}
    skel.capture @permutation : tensor<?xsi64> {distinct}
    skel.capture @masses : tensor<?xf32> {stride = 6 : i64}
    skel.capture @Page_rank : tensor<?x!dyn.float> {objects = "Page"}
    ```
    """

    name = "skel.capture"
    sym_name = prop_def(SymbolNameConstraint())
    type = prop_def()
    dims = opt_prop_def(DenseArrayBase.constr(i64))
    bounds = opt_prop_def(DenseArrayBase.constr(i64))
    equals_dim = opt_prop_def(IntegerAttr[I64])
    value = opt_prop_def(IntegerAttr[I64])
    positive = opt_prop_def(UnitAttr)
    distinct = opt_prop_def(UnitAttr)
    resident = opt_prop_def(UnitAttr)
    stride = opt_prop_def(IntegerAttr[I64])
    objects = opt_prop_def(StringAttr)
    traits = traits_def(SymbolOpInterface())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$sym_name `:` $type attr-dict"

    def __init__(
        self,
        name: str,
        type: Attribute,
        dims: Sequence[int] = (),
        bounds: tuple[int, int] | None = None,
        equals_dim: int | None = None,
        value: int | None = None,
        *,
        resident: bool = False,
        stride: int | None = None,
    ):
        super().__init__(
            properties={
                "sym_name": StringAttr(name),
                "type": type,
                "dims": DenseArrayBase.from_list(i64, dims) if dims else None,
                "bounds": DenseArrayBase.from_list(i64, bounds) if bounds else None,
                "equals_dim": None if equals_dim is None else IntegerAttr(equals_dim, i64),
                "value": None if value is None else IntegerAttr(value, i64),
                "resident": UnitAttr() if resident else None,
                "stride": None if stride is None else IntegerAttr(stride, i64),
            }
        )

    def verify_(self) -> None:
        rank = self.type.get_num_dims() if isinstance(self.type, TensorType) else 0
        if self.distinct is not None and not rank:
            raise VerifyException("only the elements of an array can be distinct")
        if self.objects is not None and rank != 1:
            raise VerifyException("the field of objects is an array of one dimension")
        if self.positive is not None and rank:
            raise VerifyException("only a number can be positive")
        dims = () if self.dims is None else self.dims.get_values()
        if len(dims) not in (0, rank):
            raise VerifyException(f"dims numbers {len(dims)} dimensions of a value of rank {rank}")


@irdl_op_definition
class CapturedOp(IRDLOperation):
    """Reads a captured variable: an array, or the payload of a scalar; `positive` if its declaration says so.

    ```mlir
    %g = skel.captured @gain : f32
    %s = skel.captured @softening {positive} : f64
    ```
    """

    name = "skel.captured"
    variable = prop_def(FlatSymbolRefAttrConstr)
    positive = opt_prop_def(UnitAttr)
    result = result_def()
    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$variable attr-dict `:` type($result)"

    def __init__(self, variable: str, type: Attribute, *, positive: bool = False):
        super().__init__(
            properties={"variable": SymbolRefAttr(variable), "positive": UnitAttr() if positive else None},
            result_types=[type],
        )


def captured_name(array: SSAValue) -> str:
    """The name of the captured variable that an array is."""
    captured = array.owner
    assert isinstance(captured, CapturedOp)
    return captured.variable.root_reference.data


@irdl_op_definition
class SizeOp(IRDLOperation):
    """The length of a numbered dimension of this call; dimension 0 is the length of the inputs.

    ```mlir
    %n = skel.size 0
    ```
    """

    name = "skel.size"
    dim = prop_def(IntegerAttr[I64])
    result = result_def(i64)
    traits = traits_def(Pure())
    assembly_format = "$dim attr-dict"

    def __init__(self, dim: int):
        super().__init__(properties={"dim": IntegerAttr(dim, i64)}, result_types=[i64])


@irdl_op_definition
class YieldOp(IRDLOperation):
    """Ends a region of a skeleton with the values it computes.

    ```mlir
    skel.yield %y : f32
    ```
    """

    name = "skel.yield"
    values = var_operand_def()
    traits = lazy_traits_def(lambda: (IsTerminator(), HasParent(*_SKELETONS), Pure()))
    assembly_format = "($values^ `:` type($values))? attr-dict"

    def __init__(self, *values: SSAValue):
        super().__init__(operands=[values])


class MapCanonicalization(HasCanonicalizationPatternsTrait):
    """Canonicalisation of `skel.map`."""

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return (EliminateMapIdentity(),)


@irdl_op_definition
class MapOp(IRDLOperation):
    """`outputs[i] = body(inputs[0][i], ..., inputs[k][i])` for every index, in any order.

    All inputs have one length, which is that of the outputs. Several outputs are the components of a tuple result.
    The body must not depend on the order of the elements.

    Laws: map(id) = id; map(g) . map(f) = map(g . f), by `fuse-skeletons`.

    ```mlir
    %z = skel.map(%x, %y) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32> {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      skel.yield %c : f32
    }
    ```
    """

    name = "skel.map"
    inputs = var_operand_def(ARRAY)
    outputs = var_result_def(TensorType)
    body = region_def("single_block")
    traits = traits_def(RecursiveMemoryEffect(), MapCanonicalization())
    assembly_format = "`(` $inputs `)` attr-dict-with-keyword `:` functional-type($inputs, $outputs) $body"

    def __init__(self, inputs: Sequence[SSAValue], outputs: Sequence[Attribute], body: Region):
        super().__init__(operands=[inputs], result_types=[outputs], regions=[body])

    def verify_(self) -> None:
        if not self.inputs:
            raise VerifyException("a map needs at least one input")
        _check_elements(self.body.block, self.inputs.types, "input")
        _check_yield(self.body.block, [element_type(t) for t in self.outputs.types], "output")


@irdl_op_definition
class FilterOp(IRDLOperation):
    """The elements `x` for which `predicate(x)` holds, in their order, each as `transform(x)`.

    An element is one of each input; all inputs have one length. The outputs are the components of the results; they
    have one length, that is known once the filter has run. The transform must do no harm to elements that are not kept.

    With `positions`, there is no transform: the one output are the positions of the kept elements, as `!dyn.int`.

    Laws: filter(p) . map(f) = filter with predicate p . f and transform f; map(g) . filter(p) = filter with transform
    g; filter(q) . filter(p) = filter(p and q); reduce(op) . filter(p) = a reduction that combines where p holds. All
    by `fuse-skeletons`, where nothing costly is computed twice.

    The meaning is that of Bird's `p <|` ("An introduction to the theory of lists", 1987).

    ```mlir
    %y = skel.filter(%x) : (tensor<?xf32>) -> tensor<?xf32> predicate {
    ^bb0(%a: f32):
      %zero = arith.constant 0.0 : f32
      %p = arith.cmpf ogt, %a, %zero : f32
      skel.yield %p : i1
    } transform {
    ^bb0(%a: f32):
      skel.yield %a : f32
    }
    ```
    """

    name = "skel.filter"
    inputs = var_operand_def(ARRAY)
    positions = opt_prop_def(UnitAttr)
    outputs = var_result_def(TensorType)
    predicate = region_def("single_block")
    transform = region_def("single_block")
    traits = traits_def(RecursiveMemoryEffect())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = (
        "`(` $inputs `)` (`positions` $positions^)? attr-dict-with-keyword "
        "`:` functional-type($inputs, $outputs) `predicate` $predicate `transform` $transform"
    )

    def __init__(
        self,
        inputs: Sequence[SSAValue],
        outputs: Sequence[Attribute],
        predicate: Region,
        transform: Region,
        *,
        positions: bool = False,
    ):
        super().__init__(
            operands=[inputs],
            result_types=[outputs],
            regions=[predicate, transform],
            properties={"positions": UnitAttr() if positions else None},
        )

    def verify_(self) -> None:
        if not self.inputs:
            raise VerifyException("a filter needs at least one input")
        for block in (self.predicate.block, self.transform.block):
            _check_elements(block, self.inputs.types, "input")
        last = self.predicate.block.last_op
        _check_types(() if last is None else last.operand_types, [i1], "the predicate must yield a truth value")
        if self.positions is None:
            _check_yield(self.transform.block, [element_type(t) for t in self.outputs.types], "output")
            return
        _check_yield(self.transform.block, [], "output")
        if [element_type(t) for t in self.outputs.types] != [INT]:
            raise VerifyException("the positions are one array of !dyn.int")


@irdl_op_definition
class ForallOp(IRDLOperation):
    """The iterations of a parallel loop: the body once for each point of the product of its index sequences.

    The body may store to captured arrays (`dyn.store_item`, `obj.store`); its effect is that of the iterations in
    order, the last sequence running fastest. Output k holds what the iterations yield, in that order, in one dimension.

    With `margins`, the body is for the points that are margins[2k] from the start of sequence k and margins[2k + 1]
    from its end, or farther; `border` is the body for the others.

    The iterations may run in any order, at once, if no two of them access an element that one of them stores to.
    `check-dependences` shows that, or refuses the loop. A loop over one sequence without stores is a map.

    After `forall` of HJ-OpenCL (Grossman, Imam, Sarkar), whose iterations the programmer vouches for.

    ```mlir
    skel.forall(%rows, %columns) : (!skel.sequence<!dyn.int>, !skel.sequence<!dyn.int>) -> () {
    ^bb0(%i: i64, %j: i64):
      %a = skel.captured @image : tensor<?x?xf32>
      %zero = arith.constant 0.0 : f32
      obj.store %zero, %a[%i, %j] : f32, tensor<?x?xf32>
      skel.yield
    }
    ```
    """

    name = "skel.forall"
    sequences = var_operand_def(SequenceType)
    margins = opt_prop_def(DenseArrayBase.constr(i64))
    outputs = var_result_def(TensorType)
    body = region_def("single_block")
    border = opt_region_def("single_block")
    traits = traits_def(RecursiveMemoryEffect())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = (
        "`(` $sequences `)` (`margins` $margins^)? attr-dict-with-keyword "
        "`:` functional-type($sequences, $outputs) $body (`border` $border^)?"
    )

    def __init__(
        self,
        sequences: Sequence[SSAValue],
        outputs: Sequence[Attribute],
        body: Region,
        margins: Sequence[int] = (),
        border: Region | None = None,
    ):
        super().__init__(
            operands=[sequences],
            result_types=[outputs],
            regions=[body, [] if border is None else [border]],
            properties={"margins": DenseArrayBase.from_list(i64, margins) if margins else None},
        )

    def verify_(self) -> None:
        if not self.sequences:
            raise VerifyException("a loop needs at least one sequence of indices")
        margins = () if self.margins is None else self.margins.get_values()
        if len(margins) not in (0, 2 * len(self.sequences)) or (self.border is None) != (not margins):
            raise VerifyException("a loop with a border has two margins for each sequence")
        for region in (self.body, *(() if self.border is None else (self.border,))):
            _check_elements(region.block, self.sequences.types, "sequence")
            _check_yield(region.block, [element_type(t) for t in self.outputs.types], "output")


@irdl_op_definition
class ZipOp(IRDLOperation):
    """The array whose element `i` is the tuple of the inputs' elements `i`.

    It exists at level 0 only: `specialize` represents an array of tuples as one array a component (struct of arrays,
    Fumero, PhD thesis 2017, section 4.4.2), after which zip is the identity.

    ```mlir
    %z = skel.zip(%x, %y) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?x!dyn.object>
    ```
    """

    name = "skel.zip"
    inputs = var_operand_def(ARRAY)
    output = result_def(TensorType)
    traits = traits_def(Pure())
    assembly_format = "`(` $inputs `)` attr-dict `:` functional-type($inputs, $output)"

    def __init__(self, inputs: Sequence[SSAValue], output: Attribute):
        super().__init__(operands=[inputs], result_types=[output])


@irdl_op_definition
class ReduceOp(IRDLOperation):
    """`combine(... combine(combine(init, t[0]), t[1]) ..., t[n-1])` with `t[i] = transform(inputs[0][i], ...)`.

    `combine` must be associative; it need not be commutative: operands keep their order. On an empty input the result
    is `init`; with `nonempty`, Python runs the call then, since `init` is of another type than the accumulator. Without
    `init` a reduction begins with `t[0]`, and is `nonempty`. Several results are the components of a tuple accumulator.

    Laws: reduce(op) . map(f) = reduce with transform f, by `fuse-skeletons`.

    ```mlir
    %sum = skel.reduce(%x) init(%zero : f32) : (tensor<?xf32>) -> f32 transform {
    ^bb0(%e: f32):
      skel.yield %e : f32
    } combine {
    ^bb0(%p: f32, %q: f32):
      %r = arith.addf %p, %q : f32
      skel.yield %r : f32
    }
    ```
    """

    name = "skel.reduce"
    inputs = var_operand_def(ARRAY)
    inits = var_operand_def()
    nonempty = opt_prop_def(UnitAttr)
    outputs = var_result_def()
    transform = region_def("single_block")
    combine = region_def("single_block")
    traits = traits_def(RecursiveMemoryEffect())
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    assembly_format = (
        "`(` $inputs `)` (`init` `(` $inits^ `:` type($inits) `)`)? (`nonempty` $nonempty^)? attr-dict-with-keyword "
        "`:` functional-type($inputs, $outputs) `transform` $transform `combine` $combine"
    )

    def __init__(
        self,
        inputs: Sequence[SSAValue],
        inits: Sequence[SSAValue],
        transform: Region,
        combine: Region,
        *,
        nonempty: bool = False,
    ):
        super().__init__(
            operands=[inputs, inits],
            result_types=[combine.block.arg_types[: len(combine.block.args) // 2]],
            regions=[transform, combine],
            properties={"nonempty": UnitAttr() if nonempty or not inits else None},
        )

    def verify_(self) -> None:
        if not self.inputs:
            raise VerifyException("a reduction needs at least one input")
        carried = tuple(self.outputs.types)
        if self.inits and tuple(self.inits.types) != carried:
            raise VerifyException("the results must have the types of the initial values")
        if not self.inits and self.nonempty is None:
            raise VerifyException("a reduction without an initial value is nonempty")
        _check_elements(self.transform.block, self.inputs.types, "input")
        _check_types(self.combine.block.arg_types, carried * 2, "the combine region must take two accumulators")
        for block in (self.transform.block, self.combine.block):
            last = block.last_op
            found = last.operand_types if isinstance(last, YieldOp) else ()
            _check_types(found, carried, "a region must yield an accumulator")


@irdl_op_definition
class ScanOp(IRDLOperation):
    """`outputs[i] = combine(... combine(combine(init, t[0]), t[1]) ..., t[i])` with `t[i] = transform(inputs[0][i])`.

    Without an initial value it begins with `t[0]`; an `exclusive` scan has one, and leaves `t[i]` out of `outputs[i]`.
    `combine` must be associative; it need not be commutative: operands keep their order. Several outputs are the
    components of a tuple accumulator. All inputs have one length, which is that of the outputs.

    Laws: scan(op) . map(f) = scan with transform f, by `fuse-skeletons`.

    ```mlir
    %sums = skel.scan(%x) init(%zero : f32) exclusive : (tensor<?xf32>) -> tensor<?xf32> transform {
    ^bb0(%e: f32):
      skel.yield %e : f32
    } combine {
    ^bb0(%p: f32, %q: f32):
      %r = arith.addf %p, %q : f32
      skel.yield %r : f32
    }
    ```
    """

    name = "skel.scan"
    inputs = var_operand_def(ARRAY)
    inits = var_operand_def()
    exclusive = opt_prop_def(UnitAttr)
    outputs = var_result_def(TensorType)
    transform = region_def("single_block")
    combine = region_def("single_block")
    traits = traits_def(RecursiveMemoryEffect())
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    assembly_format = (
        "`(` $inputs `)` (`init` `(` $inits^ `:` type($inits) `)`)? (`exclusive` $exclusive^)? attr-dict-with-keyword "
        "`:` functional-type($inputs, $outputs) `transform` $transform `combine` $combine"
    )

    def __init__(
        self,
        inputs: Sequence[SSAValue],
        inits: Sequence[SSAValue],
        outputs: Sequence[Attribute],
        transform: Region,
        combine: Region,
        *,
        exclusive: bool = False,
    ):
        super().__init__(
            operands=[inputs, inits],
            result_types=[outputs],
            regions=[transform, combine],
            properties={"exclusive": UnitAttr() if exclusive else None},
        )

    def verify_(self) -> None:
        if not self.inputs:
            raise VerifyException("a scan needs at least one input")
        if self.exclusive is not None and not self.inits:
            raise VerifyException("an exclusive scan needs an initial value")
        _check_elements(self.transform.block, self.inputs.types, "input")
        for block in (self.transform.block, self.combine.block):
            _check_yield(block, [element_type(t) for t in self.outputs.types], "output")
        last = self.combine.block.last_op
        carried = () if last is None else tuple(last.operand_types)
        if self.inits:
            _check_types(self.inits.types, carried, "the initial values must be those of an accumulator")
        _check_types(self.combine.block.arg_types, carried * 2, "the operator must take two accumulators")


@irdl_op_definition
class PositionsOp(IRDLOperation):
    """The numbers of an array's elements: 0, 1, and so on up to its length.

    ```mlir
    %k = skel.positions %x : tensor<?xf32>
    ```
    """

    name = "skel.positions"
    array = operand_def(ARRAY)
    result = result_def(SequenceType(INT))
    traits = traits_def(Pure())
    assembly_format = "$array attr-dict `:` type($array)"

    def __init__(self, array: SSAValue):
        super().__init__(operands=[array], result_types=[SequenceType(INT)])


@irdl_op_definition
class GatherOp(IRDLOperation):
    """`outputs[i] = inputs[indices[i]]` for every index; negative indices count from the end, others raise IndexError.

    The outputs have the length of the indices. It exists at level 0 only: `specialize` makes of it a map over the
    indices, which loads from the inputs; so the laws of maps are its laws.

    ```mlir
    %y = skel.gather(%x) at %i : tensor<?xsi64>, (tensor<?xf32>) -> tensor<?x!dyn.object>
    ```
    """

    name = "skel.gather"
    inputs = var_operand_def(ARRAY)
    indices = operand_def(ARRAY)
    outputs = var_result_def(TensorType)
    traits = traits_def(Pure())
    assembly_format = (
        "`(` $inputs `)` `at` $indices attr-dict `:` type($indices) `,` functional-type($inputs, $outputs)"
    )

    def __init__(self, inputs: Sequence[SSAValue], indices: SSAValue, outputs: Sequence[Attribute]):
        super().__init__(operands=[inputs, indices], result_types=[outputs])

    def verify_(self) -> None:
        if len(self.inputs) != len(self.outputs):
            raise VerifyException("a gather gives as many arrays as it takes")


@irdl_op_definition
class ScatterOp(IRDLOperation):
    """`outputs[k] = combine(... combine(init, t[i0]) ..., t[in])`: the elements with key k, in their order.

    The transform gives an element's key, from 0 up to `size` (at level 0, what Python takes for an index), and then
    `t[i]`; `combine` must be associative; it need not be commutative: operands keep their order. The outputs, of `size`
    items, are the components of the accumulators. With `unique`, it is an error if two elements have the same key, and
    Python runs the call.

    Laws: scatter(op) . map(f) = scatter with transform f, by `fuse-skeletons`. A reduction is a scatter with one key.

    It is the `reduce_by_key` of Hillis and Steele's "Data parallel algorithms", 1986, for keys that are numbers of
    places; with `unique` it is the inverse of a gather.

    ```mlir
    %counts = skel.scatter(%x) size 256 init(%zero : i64) : (tensor<?xui8>) -> tensor<?x!dyn.int> transform {
    ^bb0(%e: i8):
      %key = arith.extui %e : i8 to i64
      %one = arith.constant 1 : i64
      skel.yield %key, %one : i64, i64
    } combine {
    ^bb0(%p: i64, %q: i64):
      %r = arith.addi %p, %q : i64
      skel.yield %r : i64
    }
    ```
    """

    name = "skel.scatter"
    inputs = var_operand_def(ARRAY)
    size = prop_def(IntegerAttr[I64])
    inits = var_operand_def()
    unique = opt_prop_def(UnitAttr)
    outputs = var_result_def(TensorType)
    transform = region_def("single_block")
    combine = region_def("single_block")
    traits = traits_def(RecursiveMemoryEffect())
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    assembly_format = (
        "`(` $inputs `)` `size` $size `init` `(` ($inits^ `:` type($inits))? `)` (`unique` $unique^)? "
        "attr-dict-with-keyword `:` functional-type($inputs, $outputs) `transform` $transform `combine` $combine"
    )

    def __init__(
        self,
        inputs: Sequence[SSAValue],
        size: int,
        inits: Sequence[SSAValue],
        outputs: Sequence[Attribute],
        transform: Region,
        combine: Region,
        *,
        unique: bool = False,
    ):
        super().__init__(
            operands=[inputs, inits],
            result_types=[outputs],
            regions=[transform, combine],
            properties={"size": IntegerAttr(size, i64), "unique": UnitAttr() if unique else None},
        )

    def verify_(self) -> None:
        if not self.inputs:
            raise VerifyException("a scatter needs at least one input")
        if self.size.value.data < 1:
            raise VerifyException("a scatter needs room for at least one item")
        _check_elements(self.transform.block, self.inputs.types, "input")
        _check_yield(self.combine.block, [element_type(t) for t in self.outputs.types], "output")
        last = self.combine.block.last_op
        carried = () if last is None else tuple(last.operand_types)
        if self.inits:
            _check_types(self.inits.types, carried, "the initial values must be those of an accumulator")
        _check_types(self.combine.block.arg_types, carried * 2, "the operator must take two accumulators")
        end = self.transform.block.last_op
        key = OBJECT if carried == (OBJECT,) else i64
        found = end.operand_types if isinstance(end, YieldOp) else ()
        _check_types(found, [key, *carried], "the transform must yield a key and an accumulator")


@irdl_op_definition
class PartitionOp(IRDLOperation):
    """The elements of the inputs by their class: first those of class 0, then those of class 1, each in their order.

    The body gives the class of an element, from 0 up to `classes` (at level 0, what Python takes for an index). The
    outputs are the last inputs, as many as there are outputs; of the others, only the class is asked. All have one
    length.

    Laws: a filter by `c == 0` is the first part of a partition by c. A partition by c % n and then one by c // n are
    one by c, since the second keeps the order of the first: so partitions by digits, the last first, are a stable sort
    (Knuth, "The Art of Computer Programming", volume 3, 1973, section 5.2.5). Only `hetc.sort` makes partitions, and
    that knows of the law; no pass does.

    ```mlir
    %order = skel.partition(%keys, %places) classes 256 : (tensor<?xui32>, tensor<?xui32>) -> tensor<?xui32> {
    ^bb0(%key: i32, %place: i32):
      %mask = arith.constant 255 : i32
      %digit = arith.andi %key, %mask : i32
      %class = arith.extui %digit : i32 to i64
      skel.yield %class : i64
    }
    ```
    """

    name = "skel.partition"
    inputs = var_operand_def(ARRAY)
    classes = prop_def(IntegerAttr[I64])
    outputs = var_result_def(TensorType)
    body = region_def("single_block")
    traits = traits_def(RecursiveMemoryEffect())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = (
        "`(` $inputs `)` `classes` $classes attr-dict-with-keyword `:` functional-type($inputs, $outputs) $body"
    )

    def __init__(self, inputs: Sequence[SSAValue], classes: int, outputs: Sequence[Attribute], body: Region):
        super().__init__(
            operands=[inputs],
            result_types=[outputs],
            regions=[body],
            properties={"classes": IntegerAttr(classes, i64)},
        )

    @property
    def kept(self) -> Sequence[SSAValue]:
        """The inputs whose elements are the outputs'."""
        return self.inputs[len(self.inputs) - len(self.outputs) :]

    def verify_(self) -> None:
        if not 0 < len(self.outputs) <= len(self.inputs):
            raise VerifyException("a partition has outputs, and no more than inputs")
        if self.classes.value.data < 1:
            raise VerifyException("a partition has at least one class")
        _check_elements(self.body.block, self.inputs.types, "input")
        end = self.body.block.last_op
        found = end.operand_types if isinstance(end, YieldOp) else ()
        _check_types(found, [OBJECT if found == (OBJECT,) else i64], "the body must yield a class")
        for array, output in zip(self.kept, self.outputs, strict=True):
            element = element_type(output.type)
            if element not in (OBJECT, element_type(array.type)):
                raise VerifyException(
                    f"elements of {element_type(array.type)} stay what they are, and are no {element}"
                )


def _check_elements(block: Block, arrays: Sequence[Attribute], what: str) -> None:
    if len(block.args) != len(arrays):
        raise VerifyException(f"the body takes {len(block.args)} elements of {len(arrays)} {what}s")
    for index, (argument, array) in enumerate(zip(block.args, arrays, strict=True)):
        _check_element(argument.type, element_type(array), f"{what} {index}")


def _check_yield(block: Block, elements: Sequence[Attribute], what: str) -> None:
    last = block.last_op
    if not isinstance(last, YieldOp) or len(last.values) != len(elements):
        raise VerifyException(f"the body must yield {len(elements)} values")
    for index, (value, element) in enumerate(zip(last.values, elements, strict=True)):
        _check_element(value.type, element, f"{what} {index}")


def _check_element(found: Attribute, element: Attribute, what: str) -> None:
    """At level 0 every element is an object; below it, the payload of its source type."""
    if found == OBJECT:
        return
    try:
        expected = payload(element)
    except ValueError as error:
        raise VerifyException(str(error)) from None
    if found != expected:
        raise VerifyException(f"an element of {what} is {expected}, not {found}")


def _check_types(found: Sequence[Attribute], expected: Sequence[Attribute], message: str) -> None:
    if tuple(found) != tuple(expected):
        expected_text = ", ".join(map(str, expected))
        raise VerifyException(f"{message}, expected ({expected_text}), found ({', '.join(map(str, found))})")


class EliminateMapIdentity(RewritePattern):
    """map(id)(x) -> x, where no element changes its type."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: MapOp, rewriter: PatternRewriter) -> None:
        last = op.body.block.last_op
        if (
            isinstance(last, YieldOp)
            and op.body.block.first_op is last
            and tuple(last.values) == tuple(op.body.block.args)
            and tuple(op.inputs.types) == tuple(op.outputs.types)
        ):
            rewriter.replace(op, [], list(op.inputs))


_SKELETONS = (MapOp, FilterOp, ForallOp, ReduceOp, ScanOp, ScatterOp, PartitionOp)
"""The skeletons with regions."""

SKEL = Dialect(
    "skel",
    [
        CaptureOp,
        CapturedOp,
        SizeOp,
        YieldOp,
        ZipOp,
        PositionsOp,
        GatherOp,
        WindowOp,
        NeighborOp,
        InsideOp,
        *_SKELETONS,
    ],
    [SequenceType],
)

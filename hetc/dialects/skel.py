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
from xdsl.ir import Attribute, Dialect, Region, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    opt_prop_def,
    opt_region_def,
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
    Pure,
    RecursiveMemoryEffect,
    SymbolOpInterface,
)
from xdsl.utils.exceptions import VerifyException

from hetc.dialects.dyn import INT
from hetc.dialects.parts.skel_bodies import (
    ARRAY,
    SequenceType,
    YieldOp,
    check_elements,
    check_types,
    check_yield,
    element_type,
)
from hetc.dialects.parts.skel_indexing import GatherOp, PartitionOp, PositionsOp, ScatterOp
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
        check_elements(self.body.block, self.inputs.types, "input")
        check_yield(self.body.block, [element_type(t) for t in self.outputs.types], "output")


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
            check_elements(block, self.inputs.types, "input")
        last = self.predicate.block.last_op
        check_types(() if last is None else last.operand_types, [i1], "the predicate must yield a truth value")
        if self.positions is None:
            check_yield(self.transform.block, [element_type(t) for t in self.outputs.types], "output")
            return
        check_yield(self.transform.block, [], "output")
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

    With `single`, each sequence has one element: there is one iteration, whose body is a sequential loop of the
    program, and nothing to be shown. One work-item runs it.

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
    single = opt_prop_def(UnitAttr)
    outputs = var_result_def(TensorType)
    body = region_def("single_block")
    border = opt_region_def("single_block")
    traits = traits_def(RecursiveMemoryEffect())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = (
        "(`single` $single^)? `(` $sequences `)` (`margins` $margins^)? attr-dict-with-keyword "
        "`:` functional-type($sequences, $outputs) $body (`border` $border^)?"
    )

    def __init__(
        self,
        sequences: Sequence[SSAValue],
        outputs: Sequence[Attribute],
        body: Region,
        margins: Sequence[int] = (),
        border: Region | None = None,
        *,
        single: bool = False,
    ):
        super().__init__(
            operands=[sequences],
            result_types=[outputs],
            regions=[body, [] if border is None else [border]],
            properties={
                "margins": DenseArrayBase.from_list(i64, margins) if margins else None,
                "single": UnitAttr() if single else None,
            },
        )

    def verify_(self) -> None:
        if not self.sequences:
            raise VerifyException("a loop needs at least one sequence of indices")
        margins = () if self.margins is None else self.margins.get_values()
        if len(margins) not in (0, 2 * len(self.sequences)) or (self.border is None) != (not margins):
            raise VerifyException("a loop with a border has two margins for each sequence")
        if self.single is not None and self.border is not None:
            raise VerifyException("a single iteration has no border")
        for region in (self.body, *(() if self.border is None else (self.border,))):
            check_elements(region.block, self.sequences.types, "sequence")
            check_yield(region.block, [element_type(t) for t in self.outputs.types], "output")


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
        check_elements(self.transform.block, self.inputs.types, "input")
        check_types(self.combine.block.arg_types, carried * 2, "the combine region must take two accumulators")
        for block in (self.transform.block, self.combine.block):
            last = block.last_op
            found = last.operand_types if isinstance(last, YieldOp) else ()
            check_types(found, carried, "a region must yield an accumulator")


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
        check_elements(self.transform.block, self.inputs.types, "input")
        for block in (self.transform.block, self.combine.block):
            check_yield(block, [element_type(t) for t in self.outputs.types], "output")
        last = self.combine.block.last_op
        carried = () if last is None else tuple(last.operand_types)
        if self.inits:
            check_types(self.inits.types, carried, "the initial values must be those of an accumulator")
        check_types(self.combine.block.arg_types, carried * 2, "the operator must take two accumulators")


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
        MapOp,
        FilterOp,
        ForallOp,
        ReduceOp,
        ScanOp,
        ScatterOp,
        PartitionOp,
    ],
    [SequenceType],
)

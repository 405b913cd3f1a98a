"""The host's code around the parallel loops of a function, as the `offload` dialect sees it: who looks at which array.

The function is blocks of ops that end in `offload.branch` and `offload.leave`; it is run by Python, and what decides
between the successors of a branch is not said. Arrays go by the names of the function's variables, which Python binds
anew as it goes: `offload.alias` says which variables may be bound to the same memory.

Regions that name the arrays that they read and write, between accesses of the host, are the view of a program that
HJ-OpenCL's elimination of redundant transfers works on (Grossman, Imam, Sarkar); exceptional paths, aliases and the
overwriting of whole arrays are ours.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xdsl.dialects.builtin import I64, ArrayAttr, IntegerAttr, StringAttr, UnitAttr, i64
from xdsl.ir import Block, ParametrizedAttribute
from xdsl.irdl import (
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    opt_prop_def,
    param_def,
    prop_def,
    traits_def,
    var_successor_def,
)
from xdsl.traits import IsTerminator
from xdsl.utils.exceptions import VerifyException

HOLDERS = ("argument", "local", "anyone")
GIVES = ("array", "array1", "array2", "array3", "number", "any")
WAYS = {"in": ("kept", "first", "removed"), "out": ("kept", "delayed", "removed"), "device": ("dropped",)}


@irdl_attr_definition
class TransferAttr(ParametrizedAttribute):
    """`#offload.transfer<"x", "in", "removed", "why">`: what `transfer-elimination` has decided of one copy, and why.

    "in" is the copy to the device that a region makes of an array: "kept", "removed", or made on the "first" of several
    runs only, where the device has no right copy. "out" is the copy back: "kept" at this place, "removed", or "delayed"
    to the places that look. What the host changes is dropped on the "device".
    """

    name = "offload.transfer"
    array: StringAttr = param_def()
    way: StringAttr = param_def()
    decision: StringAttr = param_def()
    why: StringAttr = param_def()

    def __init__(self, array: str, way: str, decision: str, why: str):
        super().__init__(StringAttr(array), StringAttr(way), StringAttr(decision), StringAttr(why))

    def verify(self) -> None:
        known = WAYS.get(self.way.data)
        if known is None:
            raise VerifyException(f"unknown way '{self.way.data}', expected one of {', '.join(WAYS)}")
        if self.decision.data not in known:
            raise VerifyException(f"unknown decision '{self.decision.data}', expected one of {', '.join(known)}")


Transfers = ArrayAttr[TransferAttr]
StringsAttr = ArrayAttr[StringAttr]


def strings(names: Iterable[str]) -> StringsAttr:
    """`["x", "y"]`, sorted."""
    return ArrayAttr(StringAttr(name) for name in sorted(names))


@irdl_op_definition
class VariableOp(IRDLOperation):
    """A variable of the host's function that may be bound to arrays. Who else holds them: the caller ("argument"),
    nobody ("local"), or it is not known ("anyone").

    ```mlir
    offload.variable "x" "argument"
    ```
    """

    name = "offload.variable"
    variable = prop_def(StringAttr)
    holder = prop_def(StringAttr)
    assembly_format = "$variable $holder attr-dict"

    def __init__(self, variable: str, holder: str):
        super().__init__(properties={"variable": StringAttr(variable), "holder": StringAttr(holder)})

    def verify_(self) -> None:
        if self.holder.data not in HOLDERS:
            raise VerifyException(f"unknown holder '{self.holder.data}', expected one of {', '.join(HOLDERS)}")


@irdl_op_definition
class AliasOp(IRDLOperation):
    """Two variables may, anywhere in the function, be bound to arrays that share memory.

    ```mlir
    offload.alias "row" "x"
    ```
    """

    name = "offload.alias"
    one = prop_def(StringAttr)
    other = prop_def(StringAttr)
    assembly_format = "$one $other attr-dict"

    def __init__(self, one: str, other: str):
        super().__init__(properties={"one": StringAttr(one), "other": StringAttr(other)})


@irdl_op_definition
class NewOp(IRDLOperation):
    """A variable is bound to a new array, of which only the host has a copy.

    ```mlir
    offload.new "y"
    ```
    """

    name = "offload.new"
    variable = prop_def(StringAttr)
    assembly_format = "$variable attr-dict"

    def __init__(self, variable: str):
        super().__init__(properties={"variable": StringAttr(variable)})


@irdl_op_definition
class RegionOp(IRDLOperation):
    """A parallel loop, number `number` of the function, which a device may run.

    It reads and writes elements of arrays, and overwrites arrays as a whole without reading them. `at_once` says why
    its arrays must be brought back as soon as it is done. Without a device, Python runs it, on the host's copies.

    ```mlir
    offload.region 0 reads ["x"] writes ["y"] overwrites [] line 4
    ```
    """

    name = "offload.region"
    number = prop_def(IntegerAttr[I64])
    reads = prop_def(StringsAttr)
    writes = prop_def(StringsAttr)
    overwrites = prop_def(StringsAttr)
    at_once = opt_prop_def(StringAttr)
    line = prop_def(IntegerAttr[I64])
    transfers = opt_prop_def(Transfers)
    assembly_format = (
        "$number `reads` $reads `writes` $writes `overwrites` $overwrites (`at_once` $at_once^)? "
        "`line` $line (`transfers` $transfers^)? attr-dict"
    )

    def __init__(
        self,
        number: int,
        reads: Iterable[str],
        writes: Iterable[str],
        overwrites: Iterable[str],
        line: int,
        at_once: str | None = None,
    ):
        super().__init__(
            properties={
                "number": IntegerAttr(number, i64),
                "reads": strings(reads),
                "writes": strings(writes),
                "overwrites": strings(overwrites),
                "at_once": None if at_once is None else StringAttr(at_once),
                "line": IntegerAttr(line, i64),
            }
        )

    def verify_(self) -> None:
        for name in self.overwrites:
            if name in (*self.reads, *self.writes):
                raise VerifyException(f"the region overwrites all of '{name.data}', and does no more with it")


@irdl_op_definition
class CallOp(IRDLOperation):
    """A call of an array function, or of another function with parallel loops: number `number` of the host's calls.

    A device may run it. It reads the arrays of some variables, and may write those of others, wherever these are right
    afterwards: with `hands`, the callee has a plan of its own for the arrays that it is given. What it `gives` is an
    "array", one of a known rank ("array1"), a "number", or "any" value. An array is bound to the variable that it
    `makes`, and only the device may have a right copy; without one, the host has it at once. `arguments` has the
    variable of each argument, "" for what is no array of one.

    ```mlir
    offload.call 3 "square" reads ["x"] writes [] makes ["y"] gives "array1" arguments ["x"] line 4
    ```
    """

    name = "offload.call"
    number = prop_def(IntegerAttr[I64])
    what = prop_def(StringAttr)
    reads = prop_def(StringsAttr)
    writes = prop_def(StringsAttr)
    makes = prop_def(StringsAttr)
    gives = prop_def(StringAttr)
    arguments = prop_def(StringsAttr)
    hands = opt_prop_def(UnitAttr)
    line = prop_def(IntegerAttr[I64])
    transfers = opt_prop_def(Transfers)
    assembly_format = (
        "$number $what `reads` $reads `writes` $writes `makes` $makes `gives` $gives `arguments` $arguments "
        "(`hands` $hands^)? `line` $line (`transfers` $transfers^)? attr-dict"
    )

    def __init__(  # noqa: PLR0913 (its properties)
        self,
        number: int,
        what: str,
        reads: Iterable[str],
        writes: Iterable[str],
        makes: Iterable[str],
        gives: str,
        arguments: Sequence[str],
        line: int,
        *,
        hands: bool = False,
    ):
        super().__init__(
            properties={
                "number": IntegerAttr(number, i64),
                "what": StringAttr(what),
                "reads": strings(reads),
                "writes": strings(writes),
                "makes": strings(makes),
                "gives": StringAttr(gives),
                "arguments": ArrayAttr(map(StringAttr, arguments)),
                "hands": UnitAttr() if hands else None,
                "line": IntegerAttr(line, i64),
            }
        )

    def verify_(self) -> None:
        if self.gives.data not in GIVES:
            raise VerifyException(f"unknown value '{self.gives.data}', expected one of {', '.join(GIVES)}")
        if self.gives.data == "number" and self.makes.data:
            raise VerifyException("a call that gives a number makes no array")


@irdl_op_definition
class HandedOp(IRDLOperation):
    """The function is called with arrays that its caller keeps on the device, of which the device's copies may be the
    right ones from the start. What is not seen may look at any array of the caller's, too.

    ```mlir
    offload.handed ["x"]
    ```
    """

    name = "offload.handed"
    arrays = prop_def(StringsAttr)
    assembly_format = "$arrays attr-dict"

    def __init__(self, arrays: Iterable[str]):
        super().__init__(properties={"arrays": strings(arrays)})


class _Access(IRDLOperation):
    """An access of the host, by the statement at a line and column."""

    line = prop_def(IntegerAttr[I64])
    column = prop_def(IntegerAttr[I64])
    transfers = opt_prop_def(Transfers)


class _ArraysAccess(_Access):
    """An access to the arrays that some variables are bound to."""

    arrays = prop_def(StringsAttr)

    def __init__(self, arrays: Iterable[str], line: int, column: int):
        super().__init__(
            properties={"arrays": strings(arrays), "line": IntegerAttr(line, i64), "column": IntegerAttr(column, i64)}
        )


@irdl_op_definition
class HostReadOp(_ArraysAccess):
    """The host reads the arrays that some variables are bound to.

    ```mlir
    offload.host_read ["x"] line 7 column 4
    ```
    """

    name = "offload.host_read"
    assembly_format = "$arrays `line` $line `column` $column (`transfers` $transfers^)? attr-dict"


@irdl_op_definition
class HostWriteOp(_ArraysAccess):
    """The host writes some elements of the arrays that some variables are bound to, and may read them.

    ```mlir
    offload.host_write ["x"] line 7 column 4
    ```
    """

    name = "offload.host_write"
    assembly_format = "$arrays `line` $line `column` $column (`transfers` $transfers^)? attr-dict"


@irdl_op_definition
class HostAnyOp(_Access):
    """The host does what is not seen, such as calling a function: it may read and write all arrays.

    ```mlir
    offload.host_any "calls update" line 7 column 4
    ```
    """

    name = "offload.host_any"
    what = prop_def(StringAttr)
    assembly_format = "$what `line` $line `column` $column (`transfers` $transfers^)? attr-dict"

    def __init__(self, what: str, line: int, column: int):
        super().__init__(
            properties={
                "what": StringAttr(what),
                "line": IntegerAttr(line, i64),
                "column": IntegerAttr(column, i64),
            }
        )


@irdl_op_definition
class BranchOp(IRDLOperation):
    """The host goes on in one of some blocks: a branch, a loop's next round or end, an exception that is caught.

    ```mlir
    offload.branch ^bb1, ^bb2
    ```
    """

    name = "offload.branch"
    targets = var_successor_def()
    traits = traits_def(IsTerminator())
    assembly_format = "$targets attr-dict"

    def __init__(self, targets: Sequence[Block]):
        super().__init__(successors=[targets])


@irdl_op_definition
class RaiseOp(IRDLOperation):
    """An exception leaves the function, which brings all arrays back.

    ```mlir
    offload.raise line 9
    ```
    """

    name = "offload.raise"
    line = prop_def(IntegerAttr[I64])
    traits = traits_def(IsTerminator())
    assembly_format = "`line` $line attr-dict"

    def __init__(self, line: int):
        super().__init__(properties={"line": IntegerAttr(line, i64)})


@irdl_op_definition
class LeaveOp(IRDLOperation):
    """The function returns. Arrays that others hold must be right on the host then, and those in what it `returns`.

    ```mlir
    offload.leave returns ["y"] line 9
    ```
    """

    name = "offload.leave"
    returns = prop_def(StringsAttr)
    line = prop_def(IntegerAttr[I64])
    transfers = opt_prop_def(Transfers)
    traits = traits_def(IsTerminator())
    assembly_format = "`returns` $returns `line` $line (`transfers` $transfers^)? attr-dict"

    def __init__(self, returns: Iterable[str], line: int):
        super().__init__(properties={"returns": strings(returns), "line": IntegerAttr(line, i64)})

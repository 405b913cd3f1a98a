"""Some cases on their way through typed IR, side by side: values, poison, and which cases are left.

Every SSA value is an array with one item a *case*, so that one walk over a block computes all cases of a table. A guard
that fails takes its cases out, and what they compute from there on is not looked at. An op whose meaning is undefined
(a shift by the width, a float that does not fit the integer) gives *poison*; poison that is returned, tested or
required is an error, and so is a division by zero, which may trap. Only programs with unions return poison, as the
alternatives that a union does not have: they become an unlikely number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from xdsl.dialects import func, scf
from xdsl.dialects.builtin import ComplexType, Float16Type, Float32Type, IndexType, IntegerType, ModuleOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from hetc.analysis.source_types import scalar_from_ir
from hetc.dataclass import dataclass
from hetc.dialects import skel
from hetc.errors import HetcError

Array = np.ndarray[Any, Any]
"""The payloads of all cases."""


UNLIKELY = 99
"""What has no meaning is stored as this number, which is no truth value either."""


class InterpretationError(HetcError):
    """The interpreter cannot say what a program means."""


class UndefinedError(InterpretationError):
    """The program relies on something that has no meaning on a device."""


class NotInterpretedError(InterpretationError):
    """The program has an op that the interpreter does not know."""


@dataclass(frozen=True)
class Value:
    """One item a case, and which of them are poison."""

    data: Array
    poison: Array


class Cases:
    """Some cases on their way through a program; `alive` says which have failed no guard."""

    def __init__(
        self,
        count: int,
        handlers: Handlers,
        captured: Mapping[str, Any] | None = None,
        module: ModuleOp | None = None,
        *,
        keeps_poison: bool = False,
    ) -> None:
        self.keeps_poison = keeps_poison
        self.count = count
        self.handlers = handlers
        self.alive = np.ones(count, bool)
        self.failed: list[str] = [""] * count
        self.values: dict[SSAValue, Any] = {}
        self.captured = captured or {}
        self.functions = {f.sym_name.data: f for f in module.ops if isinstance(f, func.FuncOp)} if module else {}

    # --- values ------------------------------------------------------------------------------------------------------

    def plain(self, data: Array) -> Value:
        return Value(data, np.zeros(self.count, bool))

    def get(self, value: SSAValue) -> Any:
        return self.values[value]

    def set(self, value: SSAValue, data: Array, *sources: Value, undefined: Array | None = None) -> None:
        """Record a result; it is poison where an operand was, or where the op has no meaning."""
        poison = np.zeros(self.count, bool)
        for source in sources:
            poison = poison | source.poison
        if undefined is not None:
            poison = poison | undefined
        self.values[value] = Value(np.asarray(data, dtype_of(value.type)), poison)

    def demand(self, value: Value, what: str) -> Array:
        """The data of a value that decides something: it must not be poison."""
        if np.any(value.poison & self.alive):
            raise UndefinedError(f"{what} relies on a result without meaning")
        return value.data

    def stored(self, value: Value, what: str) -> Array:
        """The data of a value that is kept in memory."""
        if self.keeps_poison:
            return np.where(value.poison, np.array(UNLIKELY).astype(value.data.dtype), value.data)
        return self.demand(value, what)

    # --- blocks ------------------------------------------------------------------------------------------------------

    def run(self, block: Block, arguments: Sequence[Any]) -> list[Any]:
        """Run a block; the result is what its terminator passes on."""
        for argument, value in zip(block.args, arguments, strict=True):
            self.values[argument] = value
        end = block.last_op
        if not isinstance(end, scf.YieldOp | scf.ConditionOp | skel.YieldOp | func.ReturnOp):
            self.run_ops(block.ops)
            return []
        self.run_ops(op for op in block.ops if op is not end)
        return [self.get(operand) for operand in end.operands]

    def run_ops(self, ops: Iterable[Operation]) -> None:
        """Run ops one after the other, as long as a case is left."""
        for op in ops:
            if not self.alive.any():
                raise Stopped
            self.step(op)

    def step(self, op: Operation) -> None:
        """Run one op."""
        handler = self.handlers.get(type(op))
        if handler is None:
            raise NotInterpretedError(f"the interpreter does not know {op.name}")
        handler(self, op)

    def one_path(self, condition: Value) -> bool:
        """The truth value of a condition that all cases agree on."""
        data = self.demand(condition, "a branch")
        if self.count != 1:
            raise NotInterpretedError("control flow is run one case at a time")
        return bool(data[0])


Handler = Callable[[Cases, Any], None]
"""What an op does to the cases."""

Handlers = Mapping[type[Operation], Handler]
"""What each op does."""


class Stopped(Exception):  # noqa: N818 (no error: nothing is left to compute)
    """No case is left: all have failed some guard."""


class NoRoom(Stopped):
    """A work-item has found the heap full: it is run again."""


def dtype_of(type_: Attribute) -> type:
    """The NumPy type that holds a payload."""
    match type_:
        case IndexType():
            return np.int64
        case IntegerType():
            return {1: np.bool_, 8: np.int8, 16: np.int16, 32: np.int32, 64: np.int64}[type_.width.data]
        case Float16Type():
            return np.float16
        case Float32Type():
            return np.float32
        case ComplexType():
            return np.complex64 if type_.element_type == Float32Type() else np.complex128
        case _:
            return np.float64


def payloads(values: Iterable[Any], source: Attribute) -> Array:
    """Python or NumPy scalars of one source type as payloads: unsigned numbers keep their bits."""
    array = np.array(list(values), np.dtype(scalar_from_ir(source).dtype))
    return array.view(f"i{array.dtype.itemsize}") if array.dtype.kind == "u" else array


def python_value(payload: Any, source: Attribute) -> Any:
    """The inverse for one case: a Python number, or a NumPy scalar."""
    scalar = scalar_from_ir(source)
    if scalar.python:
        return {"int": int, "float": float, "complex": complex, "bool": bool}[scalar.name](payload)
    number = np.asarray(payload)
    return (number.view(scalar.dtype) if number.dtype.kind == "i" else number.astype(scalar.dtype))[()]

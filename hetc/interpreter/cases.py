"""Some cases on their way through typed IR, side by side: values, poison, and which cases are left.

Every SSA value is an array with one item a *case*, so that one walk over a block computes all cases: the rows of a
table, or the work-items of a group. A guard that fails takes its cases out, and what they compute from there on is not
looked at; so does a branch that cases do not take, as long as the others are on it. An op whose meaning is undefined
(a shift by the width, a float that does not fit the integer) gives *poison*; poison that is returned, tested or
required is an error, and so is a division by zero, which may trap. Only programs with unions return poison, as the
alternatives that a union does not have: they become an unlikely number.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, cast

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


@functools.cache
def sound(count: int) -> Array:
    """No poison, for so many cases: one array, so that a look at which it is tells, without one at its items."""
    none: Array = np.zeros(count, bool)
    none.flags.writeable = False
    return none


class Cases:
    """Some cases on their way through a program; `alive` says which have failed no guard and take the path that is run.

    It is never changed in place. `sound` is the poison of values that have none.
    """

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
        self.sound = sound(count)
        self.handlers = handlers
        self.alive = np.ones(count, bool)
        self.failed: list[str] = [""] * count
        self.values: dict[SSAValue, Any] = {}
        self.captured = captured or {}
        self._module = module

    @functools.cached_property
    def functions(self) -> dict[str, func.FuncOp]:
        """The functions of the module, by their names."""
        return {f.sym_name.data: f for f in self._module.ops if isinstance(f, func.FuncOp)} if self._module else {}

    # --- values ------------------------------------------------------------------------------------------------------

    def plain(self, data: Array) -> Value:
        return Value(data, self.sound)

    def get(self, value: SSAValue) -> Any:
        return self.values[value]

    def set(self, value: SSAValue, data: Array, *sources: Value, undefined: Array | None = None) -> None:
        """Record a result; it is poison where an operand was, or where the op has no meaning."""
        poison = self.sound if undefined is None or not undefined.any() else undefined
        for source in sources:
            if source.poison is not self.sound:
                poison = poison | source.poison
        self.values[value] = Value(np.asarray(data, dtype_of(value.type)), poison)

    def demand(self, value: Value, what: str) -> Array:
        """The data of a value that decides something: it must not be poison."""
        if value.poison is not self.sound and np.any(value.poison & self.alive):
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
        seen: Array | None = None
        for op in ops:
            if self.alive is not seen:
                seen = self.alive
                if not seen.any():
                    raise Stopped
            self.step(op)

    def step(self, op: Operation) -> None:
        """Run one op."""
        handler = self.handlers.get(type(op))
        if handler is None:
            raise NotInterpretedError(f"the interpreter does not know {op.name}")
        handler(self, op)

    def run_for(self, taken: Array, block: Block, arguments: Sequence[Any]) -> list[Any] | None:
        """Run a block for those of the cases that take this path, and leave alive those of them that come to its end.

        The result is None if there are none.
        """
        self.alive = taken
        if not taken.any():
            return None
        try:
            return self.run(block, arguments)
        except Stopped:
            self.alive = np.zeros(self.count, bool)
            return None


Handler = Callable[[Cases, Any], None]
"""What an op does to the cases."""

Handlers = Mapping[type[Operation], Handler]
"""What each op does."""


class Stopped(Exception):  # noqa: N818 (no error: nothing is left to compute)
    """No case is left: all have failed some guard."""


def merged(chosen: Array, new: Any, old: Any) -> Any:
    """The new value for the chosen cases, the old one for the others; of tuples, item by item."""
    if isinstance(new, list):
        return [merged(chosen, one, other) for one, other in zip(cast("list[Any]", new), old, strict=True)]
    if not isinstance(new, Value):  # an array, which does not change
        return new
    poison = new.poison if new.poison is old.poison else np.where(chosen, new.poison, old.poison)
    return Value(np.where(chosen, new.data, old.data), poison)


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

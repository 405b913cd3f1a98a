"""Calls of NumPy's functions on portable arrays, run as array statements: planned and compiled once for each kind.

A call is a statement of its operands (`hetc.frontends.array_code.calls`), of which the same planner makes loops as of
the statements of a function. What it gives is a portable array on the device. Where a guard stops a loop nothing has
changed, and the call is NumPy's.
"""

from __future__ import annotations

import ast
import functools
import math
from collections.abc import Hashable
from dataclasses import field
from types import CodeType, FunctionType
from typing import Any, cast

import numpy as np

from hetc import settings
from hetc.array_job import NewArrays, ReadyPlan
from hetc.arrays.memory import Memory
from hetc.arrays.numbers import NumberArray
from hetc.arrays.result_memory import empty_result
from hetc.dataclass import dataclass
from hetc.dispatch import Dispatcher, note_deoptimisation
from hetc.errors import CompileError, UnsupportedError
from hetc.frontends.array_code.calls import ArrayCall
from hetc.frontends.array_code.forms import Form, form_of
from hetc.frontends.array_code.leaves import LeafValues
from hetc.frontends.array_code.plans import plan
from hetc.frontends.array_code.statements import ArrayStatement, array_statement
from hetc.frontends.array_code.values import Values
from hetc.jobs import CallOptions
from hetc.runtime import profile
from hetc.runtime.call import GuardFailed
from hetc.runtime.devices import Device

MAX_PLANS = 1024
"""Plans that are kept; the oldest go first."""
_FILE = "<a call of NumPy>"


@dataclass(frozen=True)
class Operation:
    """The statement of a kind of calls: `leaves` has for each leaf the number of its operand, or its value."""

    statement: ArrayStatement
    host: Any
    leaves: tuple[tuple[int | None, Any], ...]


@functools.lru_cache(MAX_PLANS)
def operation(text: str) -> Operation:
    """The statement that a text is."""
    is_store = "[...] =" in text
    (node,) = ast.parse(text if is_store else f"return {text}", _FILE).body
    statement = array_statement(node, frozenset())
    assert statement is not None, text
    code = compile("def call(): pass", _FILE, "exec")
    (inner,) = [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    return Operation(statement, FunctionType(inner, {}, "numpy"), tuple(map(_leaf, statement.leaves)))


def _leaf(node: ast.expr) -> tuple[int | None, Any]:
    name = node.value if isinstance(node, ast.Subscript) else node
    if isinstance(name, ast.Name) and name.id[0] == "x":
        return int(name.id[1:]), None
    return None, LeafValues([{"np": np}]).value(node)


@dataclass
class ArrayCalls:
    """Who runs calls on portable arrays, and the plans for those that have run."""

    dispatcher: Dispatcher
    plans: dict[Hashable, ReadyPlan | CompileError] = field(default_factory=dict[Hashable, "ReadyPlan | CompileError"])

    def run(self, call: ArrayCall, device: Device) -> Any:
        """What a call comes to. Raises CompileError, DeviceError, GuardFailed; then nothing has changed."""
        current = settings.current()
        made = operation(call.text)
        values = values_of(made, call)
        form = form_of([made.statement], values)
        how = device, current.debug, current.verifies, current.fastmath, "warn" in np.geterr().values()
        key = call.text, how, form.key
        ready = self.plans.get(key)
        if ready is None:
            ready = self._keep(key, _ready(made, values, form, device))
        if isinstance(ready, CompileError):
            raise ready.with_traceback(None)
        if profile.active():
            with profile.calling(call.text, None):
                result = self._result(ready, key, values, form, current)
        else:
            result = self._result(ready, key, values, form, current)
        if call.shape is None or not isinstance(result, NumberArray):
            return result if not call.shape else NumberArray.of(np.full(call.shape, result))
        return result if result.shape == call.shape else result.reshape(call.shape)

    def _result(self, ready: ReadyPlan, key: Hashable, values: Values, form: Form, current: settings.Settings) -> Any:
        try:
            return ready.run(values, form.sizes(ready.form), self.dispatcher, current).get(0)
        except GuardFailed as failure:
            note_deoptimisation(failure)
            raise
        except CompileError as error:
            if not ready.started:  # else it is the numbers, or the lengths, of this call
                self._keep(key, error)
            raise

    def _keep(self, key: Hashable, ready: ReadyPlan | CompileError) -> ReadyPlan | CompileError:
        while len(self.plans) >= MAX_PLANS:
            self.plans.pop(next(iter(self.plans)))
        self.plans[key] = ready
        return ready


def _ready(made: Operation, values: Values, form: Form, device: Device) -> ReadyPlan | CompileError:
    """The plan for calls of this form, or why there is none."""
    try:
        found = plan([made.statement], values, portable=True)
        return ReadyPlan.of(found, values, form, made.host, CallOptions(device), new_arrays(device))
    except UnsupportedError as error:
        return error


def values_of(made: Operation, call: ArrayCall) -> Values:
    """The leaves of a call's statement."""
    leaves = [value if number is None else call.operands[number] for number, value in made.leaves]
    containers = {
        (0, leaf): value.whole if isinstance(value, NumberArray) else value
        for leaf, value in enumerate(leaves)
        if isinstance(value, NumberArray | np.ndarray)
    }
    return Values([leaves], cast("Any", containers), [[]])


def new_arrays(device: Device) -> NewArrays:
    """What makes the arrays that kernels of a device fill."""

    def make(shape: tuple[int, ...], dtype: np.dtype[Any]) -> NumberArray:
        size = math.prod(shape)
        if device.shared_memory:
            memory = Memory.of(empty_result(size, dtype))
        else:
            from hetc.runtime.residence import make_room  # it imports pyopencl

            memory = Memory(size, dtype)
            make_room(memory, device)
        memory.empty = True
        return NumberArray(memory, shape)

    return make

"""Checking that passes keep what a program means: the module is run before and after each, by reference interpreters.

Level 0 is run on Python objects (`hetc.analysis.concrete`), everything below on NumPy payloads (`hetc.interpreter`).
An element must be what Python gives (functions of `math` may differ in the last places, and all that is computed under
`fastmath` in the last half of the digits of single precision) or fail a guard, so that Python runs it; where Python
raises, a guard must fail. A pass must not make a guard fail that held before it.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import DiagnosticException

from hetc.analysis.concrete import ConcreteRun, LeftError, NotRunError, OutOfFuelError, run_entry
from hetc.analysis.concrete_objects import ConcreteObject
from hetc.analysis.entry import entry_function
from hetc.analysis.fast_math import is_exact
from hetc.analysis.verification import Verifier
from hetc.dialects import dyn, skel
from hetc.errors import HetcError
from hetc.interpreter.cases import NotInterpretedError
from hetc.interpreter.comparison import Record, same_value
from hetc.interpreter.modules import Result, run_module
from hetc.tools.mlir_output import printed

ULP = 4
"""How many units in the last place a function of `math` may be off."""

RELAXED_ULP = 1 << 12
"""How many they are under `fastmath`: sums in another order round otherwise, and a wrong pass is off by more.

Half of the digits of single precision, which is more than sums of a few thousand terms of one sign lose.
"""

FUEL = 10_000_000
"""How many ops of level 0 are run."""


@dataclass(frozen=True)
class Raised:
    """Python raises, or the program leaves for Python: in either case a guard has to fail."""

    what: str


@dataclass(frozen=True)
class State:
    """What a module computes: an element each, or why it goes to Python."""

    elements: Sequence[Any]

    @property
    def left(self) -> int:
        """How many elements go to Python."""
        return sum(isinstance(element, Raised) for element in self.elements)


@dataclass(frozen=True)
class Verdict:
    """What the check of one pass came to; `wrong` says what is, `unknown` what is not interpreted.

    Only the first state that is interpreted may have nothing that it is `compared` to.
    """

    name: str
    state: State | None = None
    wrong: str | None = None
    unknown: str | None = None
    unchanged: bool = False
    compared: bool = True

    def __str__(self) -> str:
        if self.wrong is not None:
            return f"WRONG: {self.wrong}"
        if self.unknown is not None:
            return f"not checked: {self.unknown}"
        left = 0 if self.state is None else self.state.left
        found = "unchanged" if self.unchanged else "same" if self.compared else "runs, with nothing to compare to"
        return found + (f", {left} elements go to Python" if left else "")


def interpret(
    module: ModuleOp, inputs: Sequence[Any], captured: Mapping[str, Any], *, elementwise: bool | None = None
) -> State:
    """Run a module of any level. It may store to captured arrays.

    `elementwise` says that each element is made of one of the inputs; if that is not known, the module's own skeletons
    say so. Raises NotInterpretedError for what the interpreters do not know.
    """
    entry = entry_function(module)
    if entry is None:
        raise NotInterpretedError("the module has no entry function")
    if elementwise is None:
        whole_only = skel.ReduceOp | skel.ScanOp | skel.FilterOp | skel.ForallOp | skel.GatherOp | skel.ScatterOp
        whole_only |= skel.PartitionOp
        elementwise = not any(isinstance(op, whole_only) for op in entry.body.block.ops)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if not is_dynamic(module):
            return _state(run_module(module, inputs, captured), elementwise)

        def run(columns: Sequence[Any]) -> Any:
            found = run_entry(ConcreteRun(module, captured, FUEL, stores=True, values=True), entry, columns)
            return list(map(_recorded, cast("list[Any]", found))) if isinstance(found, list) else _recorded(found)

        return by_rows(run, inputs) if elementwise else whole(run, inputs)


def _recorded(value: Any) -> Any:
    """A result of level 0, its objects as their fields."""
    if isinstance(value, ConcreteObject):
        return Record(tuple((name, _recorded(item)) for name, item in value.fields()))
    if isinstance(value, tuple):
        return tuple(map(_recorded, cast("tuple[Any, ...]", value)))
    return value


def is_dynamic(module: ModuleOp) -> bool:
    """Whether a module is on level 0."""
    return any(op.name.startswith(f"{dyn.DYN.name}.") for op in module.walk())


def by_rows(run: Callable[[Sequence[Any]], Any], inputs: Sequence[Any]) -> State:
    """What each element alone gives."""
    rows = zip(*inputs, strict=True)
    return State([_outcome(lambda row=row: run([[value] for value in row])[0]) for row in rows])


def whole(run: Callable[[Sequence[Any]], Any], inputs: Sequence[Any]) -> State:
    """What a call gives whose elements depend on each other: all of it, or nothing."""
    result = _outcome(lambda: run(inputs))
    return State(cast("list[Any]", result) if isinstance(result, list) else [result])


def _outcome(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except NotRunError as error:
        raise NotInterpretedError(f"the interpreter of level 0 does not know {error}") from None
    except OutOfFuelError:
        raise NotInterpretedError("the program takes too long on level 0") from None
    except LeftError as error:
        return Raised(str(error))
    except (ArithmeticError, AttributeError, LookupError, NameError, TypeError, ValueError, AssertionError) as error:
        return Raised(f"{type(error).__name__}: {error}")


def _state(result: Result, elementwise: bool) -> State:
    if result.failed and not elementwise:
        return State([Raised(next(iter(result.failed.values())))])
    failed = {index: Raised(reason) for index, reason in result.failed.items()}
    return State([failed.get(index, element) for index, element in enumerate(result.elements)])


def stored(captured: Mapping[str, Any], run: Callable[[], State | None]) -> State | None:
    """What a run computes, and leaves in captured arrays, which are restored after it."""
    before = {name: value.copy() for name, value in captured.items() if isinstance(value, np.ndarray)}
    try:
        state = run()
        if state is None:
            return None
        if state.left:
            return State([Raised(next(e.what for e in state.elements if isinstance(e, Raised)))])
        contents = (captured[name].reshape(-1) for name in sorted(before))
        return State([*state.elements, *itertools.chain.from_iterable(contents)])
    finally:
        for name, value in before.items():
            captured[name][...] = value


@dataclass
class Checker:
    """Compares what a module computes with what Python gives, if the program came from there, and with what it was.

    Without Python, what failed a guard must go on failing one. With `stores`, what the module leaves in captured arrays
    is compared too.
    """

    inputs: Sequence[Any]
    captured: Mapping[str, Any]
    python: State | None = None
    elementwise: bool | None = None
    stores: bool = False
    before: State | None = None
    typed: bool = False
    """Whether the state before was that of a typed module: typing may lose elements to Python, other passes may not."""

    def check(self, name: str, module: ModuleOp) -> Verdict:
        """Run the module and compare."""
        try:
            state = self.run(module)
        except NotInterpretedError as error:
            return Verdict(name, unknown=error.reason)
        except HetcError as error:
            return Verdict(name, wrong=error.reason)
        right = self.before if self.python is None else self.python
        ulp = ULP if is_exact(module) else RELAXED_ULP
        wrong = None if right is None else _difference(state, right, ulp)
        if wrong is None and self.before is not None and self.typed:
            wrong = _lost(state, self.before)
        self.before, self.typed = state, not is_dynamic(module)
        return Verdict(name, state, wrong, compared=right is not None)

    def run(self, module: ModuleOp) -> State:
        """What a module computes. Raises NotInterpretedError for what the interpreters do not know."""

        def found() -> State:
            return interpret(module, self.inputs, self.captured, elementwise=self.elementwise)

        state = stored(self.captured, found) if self.stores else found()
        assert state is not None
        return state

    def check_passes(self, ctx: Context, module: ModuleOp, passes: Sequence[ModulePass]) -> Iterator[Verdict]:
        """The verdict on the module itself, then on each pass; the last is the first that is wrong."""
        verdict = self.check("(input)", module)
        yield verdict
        text, verifier = printed(module, locations=False), Verifier()
        for pass_ in passes:
            if verdict.wrong is not None:
                return
            try:
                pass_.apply(ctx, module)
                verifier.verify(module)
            except DiagnosticException as error:
                yield Verdict(pass_.name, wrong=str(error))
                return
            after = printed(module, locations=False)
            if after == text:
                verdict = Verdict(pass_.name, verdict.state, unknown=verdict.unknown, unchanged=True)
            else:
                verdict = self.check(pass_.name, module)
            text = after
            yield verdict


def _difference(found: State, right: State, ulp: int) -> str | None:
    """What is wrong with the first element that is."""
    if len(found.elements) == 1 and isinstance(found.elements[0], Raised) and len(right.elements) != 1:
        return None  # a call that goes to Python as a whole
    if len(found.elements) != len(right.elements):
        return f"{len(found.elements)} elements instead of {len(right.elements)}"
    for index, (one, other) in enumerate(zip(found.elements, right.elements, strict=True)):
        if isinstance(one, Raised):
            continue
        if isinstance(other, Raised):
            return f"element {index} is {one!r}, but it must go to Python: {other.what}"
        if not same_value(one, other, ulp):
            return f"element {index} is {one!r} instead of {other!r}"
    return None


def _lost(found: State, before: State) -> str | None:
    for index, (one, other) in enumerate(zip(found.elements, before.elements, strict=False)):
        if isinstance(one, Raised) and not isinstance(other, Raised):
            return f"element {index} goes to Python ({one.what}), and did not before"
    return None

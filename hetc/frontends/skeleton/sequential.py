"""The sequential Python meaning of a composition: the oracle, and what runs when a call falls back to Python."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, cast

import numpy as np

from hetc.abi import Container
from hetc.containers import collect, elements_of, select
from hetc.frontends.skeleton.barriers import after_barrier
from hetc.frontends.skeleton.composition import (
    Enumerate,
    Filter,
    ForAll,
    Gather,
    Iterate,
    Map,
    Nothing,
    Partition,
    Reduce,
    Scan,
    Scatter,
    Sort,
    Stage,
    Stages,
    Stencil,
    Zip,
    is_barrier,
    keeps_elements,
)
from hetc.settings import current


def run_in_python(stages: Stages, inputs: Sequence[Iterable[object]], container: Container) -> object:
    """What the composition means: each element through the stages, in order, by Python.

    Elements of a NumPy array are NumPy scalars (None where it is masked); elements of a list are its objects. The
    result of an array comes back in `container`; in an ndarray, tuple elements become one array a component, as NumPy's
    own functions with several outputs return them.

    >>> run_in_python((Map(lambda i: i * i),), [range(4)], Container.LIST)
    [0, 1, 4, 9]
    """
    run = SequentialRun(stages, inputs, container)
    run.advance(None)
    return run.result()


class SequentialRun:
    """A composition run by Python, some elements at a time; `done` counts those that were asked for so far.

    `results` are what came of them, in order, unless the composition ends with a reduction.

    >>> run = SequentialRun((Map(lambda i: i * i),), [range(4)], Container.LIST)
    >>> run.advance(3)
    >>> run.advance(None)
    >>> run.result()
    [0, 1, 4, 9]
    """

    def __init__(
        self,
        stages: Stages,
        inputs: Sequence[Iterable[object]],
        container: Container,
        rows: Iterable[tuple[object, ...]] | None = None,
        first: int = 0,
    ) -> None:
        """`rows` are the elements, where they are not those of the inputs; `first` is the number of the first one."""
        self.done = 0
        self._first = first
        self._of_inputs = rows is None
        self._inputs: Sequence[Any] = inputs
        self._container = container
        self._rows = iter(_rows_of(inputs) if rows is None else rows)
        self.results: list[object] = []
        self._all_stages = stages
        barrier = next((k for k, stage in enumerate(stages) if is_barrier(stage)), len(stages))
        self._following, stages = stages[barrier:], stages[:barrier]
        last = stages[-1] if stages else None
        self._reduction = last if isinstance(last, Reduce) else None
        self._value = None if self._reduction is None else self._reduction.init
        self._filters = any(isinstance(stage, Filter) for stage in stages)
        # An array keeps its dtype, which the elements alone do not tell.
        arrays = container in (Container.NDARRAY, Container.MASKED)
        self._kept: list[int] | None = [] if arrays and rows is None and keeps_elements(self._all_stages) else None
        elementwise = stages if self._reduction is None else stages[:-1]
        self._stages = tuple(map(_begun, elementwise))

    def advance(self, count: int | None) -> None:
        """Run the next `count` elements, or with None all that are left. Raises what the functions raise."""
        __tracebackhide__ = True  # the user's functions may not take these elements
        try:
            rows = itertools.islice(self._rows, count)
            if self._following:
                self.results += _rows(self._stages, rows)
            elif self._reduction is not None:
                self._value = _reduced(self._reduction, _elements(self._stages, rows), self._value)
            elif self._kept is not None:
                for number, row in enumerate(rows, self.done):
                    self._kept += [number for _ in _elements(self._stages, (row,))]
            else:
                match self._stages:
                    case (Map(function),):
                        self.results += [function(*row) for row in rows]
                    case stages:
                        self.results += _elements(stages, rows)
            # A filter or reduction does not show how many elements there were; at the end nobody asks.
            self.done = self.done + (count or 0) if self._filters or self._reduction is not None else len(self.results)
        except Exception as error:
            if current().debug and self._of_inputs:
                error.add_note(f"hetc: in {self._current_element()}")
            raise

    def _current_element(self) -> str:
        """The element that was begun last: as many as are left come after it."""
        from hetc.frontends.skeleton.elements import element_text

        number = len(self._inputs[0]) - sum(1 for _ in self._rows) - 1
        return element_text(self._all_stages, self._inputs, number, self._first)

    def result(self) -> object:
        """What has come of the elements that have run."""
        if self._following:
            return self._after_barrier()
        if self._reduction is not None:
            return _result(self._reduction, self._value)
        if self._kept is None:
            return collect(self.results, self._container)
        zips = sum(isinstance(stage, Zip) for stage in self._stages)
        result = select(self._inputs, self._kept, self._container, rows=zips > 0 or len(self._inputs) > 1)
        for _ in range(zips - 1):
            result = (result,)
        return result

    def _after_barrier(self) -> object:
        """What the stages from the first one on make of the results that needs all of them."""
        barrier, *following = self._following
        assert isinstance(barrier, Gather | Scatter | Partition)
        typed = not self._stages and isinstance(self._inputs[0], np.ndarray)
        zero: object = cast("Any", self._inputs[0]).dtype.type(0) if typed else 0
        rows = after_barrier(barrier, cast("list[tuple[object, ...]]", self.results), zero)
        if not rows and keeps_elements(self._all_stages) and not any(isinstance(s, Zip) for s in self._all_stages):
            return select(self._inputs, [], self._container, rows=len(self._inputs) > 1)
        run = SequentialRun(tuple(following), self._inputs, self._container, rows)
        run.advance(None)
        return run.result()


def _result(reduction: Reduce, value: Any) -> object:
    """What a reduction gives that has come to a value."""
    __tracebackhide__ = True  # these are Python's and NumPy's own words
    if value is Nothing.NOTHING:
        if reduction.part is not None:
            raise ValueError("attempt to get the place of the least or greatest element of none")
        raise TypeError("reduce() of empty iterable with no initial value")
    return value if reduction.part is None else value[reduction.part]


def _reduced(reduction: Reduce, elements: Iterable[object], value: object) -> object:
    """The result of a reduction that goes on from a value."""
    __tracebackhide__ = True  # the user's functions may not take these elements
    if reduction.last is None:
        if value is Nothing.NOTHING:
            value = next(iterator := iter(elements), value)
            elements = iterator
        return functools.reduce(reduction.operator, elements, value)
    if value is not reduction.last:
        for element in elements:
            value = reduction.operator(value, element)
            if value is reduction.last:
                break
    return value


def _begun(stage: Stage) -> _Begun:
    """A stage as it is run."""
    return _Prefixes(stage) if isinstance(stage, Scan) else _Numbers() if isinstance(stage, Enumerate) else stage


class _Numbers:
    """An enumeration under way."""

    def __init__(self) -> None:
        self.numbers = itertools.count()


class _Prefixes:
    """A scan under way."""

    def __init__(self, scan: Scan) -> None:
        self._scan = scan
        self._value = scan.init
        self._empty = scan.init is None
        self._pending: list[object] = []

    def next(self, element: object) -> object:
        """The result for the next element. The operator is called no earlier than its result is needed."""
        __tracebackhide__ = True  # the operator may not take these elements
        if self._scan.exclusive:
            for before in self._pending:
                self._value = self._scan.operator(self._value, before)
            self._pending = [element]
        else:
            self._value = element if self._empty else self._scan.operator(self._value, element)
            self._empty = False
        return self._value


_Begun = Stage | _Prefixes | _Numbers
"""A stage with the state that it has while it is run."""


def _elements(stages: Sequence[_Begun], rows: Iterable[tuple[object, ...]]) -> Iterator[object]:
    """The elements of the result, from those of the inputs: each element goes through all stages at once."""
    return (row[0] if len(row) == 1 else row for row in _rows(stages, rows))


def _rows_of(inputs: Sequence[Iterable[object]]) -> Iterable[tuple[object, ...]]:
    """The elements of inputs. Raises TypeError for what has none."""
    __tracebackhide__ = True
    return zip(*map(elements_of, inputs), strict=True)


def _rows(stages: Sequence[_Begun], rows: Iterable[tuple[object, ...]]) -> Iterator[tuple[object, ...]]:
    """The elements, each as what the next function takes."""
    __tracebackhide__ = True  # the user's functions may not take these elements
    for start in rows:
        row: tuple[Any, ...] = start
        for stage in stages:
            match stage:
                case Map(function):
                    row = (function(*row),)
                case Zip():
                    row = (row,)
                case Filter(predicate):
                    if not predicate(*row):
                        break
                case _Prefixes():
                    row = (stage.next(row[0]),)
                case _Numbers():
                    row = (next(stage.numbers), *row)
                case Scan() | Enumerate():
                    raise AssertionError("a scan or enumeration has a state while it is run")
                case Reduce():
                    raise AssertionError("a reduction comes last")
                case ForAll():
                    raise AssertionError("a loop is run by its own statement")
                case Stencil() | Iterate():
                    raise AssertionError("grids and iterations are taken apart before")
                case Gather() | Scatter() | Partition() | Sort():
                    raise AssertionError("what needs all elements has them at once")
        else:
            yield row


def repaired(
    stages: Stages,
    inputs: Sequence[Any],
    container: Container,
    result: Any,
    wrong: Iterable[range],
    begun: SequentialRun | None = None,
) -> object:
    """The result of a map, of which some index ranges are wrong: Python runs these, in order.

    `result` is in `container`, and so is what is returned, unless that cannot hold what Python gives: an array of int64
    holds no larger integer. Then Python runs the others too. The first elements may have run already, in `begun`. No
    element that raises or has side effects runs twice: it is in `begun` or in a wrong range. Raises what the functions
    raise; the first exception is Python's.
    """
    parts: list[tuple[range, list[object]]] = []
    if begun is not None:
        parts.append((range(begun.done), begun.results))
    first = 0 if begun is None else begun.done
    for span in wrong:
        left = range(max(span.start, first), span.stop)
        if left:
            parts.append((left, _run(stages, inputs, left)))
    elements: Any = list(result) if container is Container.TUPLE else result
    if all(_store(elements, span, collect(part, container)) for span, part in parts if part):
        return tuple(elements) if container is Container.TUPLE else elements
    complete: list[object] = []
    for span, part in parts:
        complete += _run(stages, inputs, range(len(complete), span.start))
        complete += part
    complete += _run(stages, inputs, range(len(complete), len(inputs[0])))
    return collect(complete, container)


def _run(stages: Stages, inputs: Sequence[Any], span: range) -> list[object]:
    """The elements of an index range, by Python."""
    parts = [value[span.start : span.stop] for value in inputs]
    run = SequentialRun(stages, parts, Container.LIST, first=span.start)
    run.advance(None)
    return run.results


def _store(result: Any, span: range, part: Any) -> bool:
    """Put elements in their place, if they have the type of the others."""
    if isinstance(result, tuple):  # one array a component
        components = zip(cast("tuple[object, ...]", result), part, strict=True)
        return all(_store(one, span, other) for one, other in components)
    if isinstance(result, np.ndarray) and cast("Any", result).dtype != part.dtype:
        return False
    result[span.start : span.stop] = part
    return True

"""What the variables of a loop's body stand for, and what a kernel is given for them in one run."""

from __future__ import annotations

import math
from typing import Any, cast

import numpy as np

from hetc.arrays.geometry import in_shape
from hetc.arrays.numbers import NumberArray
from hetc.dataclass import dataclass
from hetc.errors import UnsupportedError
from hetc.frontends.array_code.accesses import Access
from hetc.frontends.array_code.forms import Sizes
from hetc.frontends.array_code.trees import Tree
from hetc.frontends.array_code.typed import DType, Shape
from hetc.frontends.array_code.values import Source, Values

Groups = tuple[tuple[int, ...], ...]


def grouped(array: Any, groups: Groups) -> Any:
    """An array with some of its dimensions as one; no groups leave it as it is.

    Where NumPy would copy a view for that, the result is for reading only.

    >>> grouped(np.zeros((2, 3, 4)), ((0, 1), (2,))).shape
    (6, 4)
    """
    return _in_shape(array, tuple(math.prod(array.shape[dim] for dim in dims) for dims in groups)) if groups else array


def _in_shape(array: Any, shape: Shape) -> Any:
    """An array, row by row, in another shape: a view, or, to be read only, a copy.

    A portable array has its elements in a row already if a kernel has read them before.
    """
    if isinstance(array, NumberArray) and array.is_view and in_shape(array.layout, shape) is None:
        return NumberArray(array.memory(()), shape)
    return array.reshape(shape)


@dataclass(frozen=True)
class CapturedArray:
    """An array of a leaf, as a kernel is given it: see `Access.handed`; `flat` in one dimension, row by row.

    Otherwise `groups` are the dimensions that become one, if any do.
    """

    source: Source
    access: Access
    flat: bool
    groups: Groups = ()

    def source_in(self, values: Values) -> Any:
        """The array, for leaves of the kind that this was found for, with the dimensions that it has there."""
        source = self.source
        array = values.leaves[source.statement][source.leaf]
        return self.access.handed(array, values.containers.get((source.statement, source.leaf)))

    def of(self, values: Values) -> Any:
        """The array as a kernel is given it."""
        return self.shaped(self.source_in(values))

    def shaped(self, handed: Any) -> Any:
        """The array as a kernel is given it, of the array with all its dimensions."""
        return handed.reshape(-1) if self.flat else grouped(handed, self.groups)


@dataclass(frozen=True)
class CapturedNumber:
    """A number that is computed before the loop, as NumPy converts it for the function that takes it.

    `kind` is the type that it must have, lest NumPy take it for another dtype: 2 ** k is an int, unless k is negative.
    """

    statement: int
    tree: Tree
    dtype: DType
    kind: type


@dataclass(frozen=True)
class CapturedMade:
    """What an earlier step has made, see `CapturedArray`."""

    step: int
    statement: int | None
    flat: bool
    groups: Groups = ()

    def of(self, made: Any) -> Any:
        """What a kernel is given of it."""
        if not isinstance(made, np.ndarray | NumberArray):
            return made
        array = cast("Any", made)
        return array.reshape(-1) if self.flat else grouped(array, self.groups)


@dataclass(frozen=True)
class NewArray:
    """An array that the loop fills, for a statement or step: in the form in which the loop indexes it.

    Each of its dimensions is as long as the product of some lengths.
    """

    statement: int
    lengths: tuple[Shape, ...]
    dtype: DType

    def shape_in(self, sizes: Sizes) -> Shape:
        """Its shape in a run."""
        return tuple(math.prod(sizes[length] for length in lengths) for lengths in self.lengths)


@dataclass(frozen=True)
class CapturedLength:
    """The number of elements that a fold brings down: the product of the lengths of some axes, less a number."""

    lengths: Shape
    less: int = 0

    def length_in(self, sizes: Sizes) -> int:
        """What it is in a run. Raises UnsupportedError for nothing to divide by, of which NumPy warns."""
        found = math.prod(sizes[length] for length in self.lengths) - self.less
        if self.less and found <= 0:
            raise UnsupportedError("there are no more elements than degrees of freedom that are left out")
        return found


Captured = CapturedArray | CapturedNumber | CapturedMade | NewArray | CapturedLength

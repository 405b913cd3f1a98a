"""What the variables of a loop's body stand for, and what a kernel is given for them in one run."""

from __future__ import annotations

import math
from typing import Any, cast

import numpy as np

from hetc.dataclass import dataclass
from hetc.frontends.array_code.accesses import Access, AnyArray
from hetc.frontends.array_code.forms import Sizes
from hetc.frontends.array_code.trees import Tree
from hetc.frontends.array_code.typed import DType, Shape
from hetc.frontends.array_code.values import Source, Values

Groups = tuple[tuple[int, ...], ...]


def grouped(array: AnyArray, groups: Groups) -> AnyArray:
    """An array with some of its dimensions as one; no groups leave it as it is.

    >>> grouped(np.zeros((2, 3, 4)), ((0, 1), (2,))).shape
    (6, 4)
    """
    return array.reshape([math.prod(array.shape[dim] for dim in dims) for dims in groups]) if groups else array


@dataclass(frozen=True)
class CapturedArray:
    """An array of a leaf, as a kernel is given it: see `Access.handed`; `flat` in one dimension, row by row.

    Otherwise `groups` are the dimensions that become one, if any do.
    """

    source: Source
    access: Access
    flat: bool
    groups: Groups = ()

    def of(self, values: Values) -> Any:
        """The array, for leaves of the kind that this was found for."""
        source = self.source
        array = values.leaves[source.statement][source.leaf]
        handed = self.access.handed(array, values.containers.get((source.statement, source.leaf)))
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
        if not isinstance(made, np.ndarray):
            return made
        array = cast("AnyArray", made)
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
    """The number of elements that a fold brings down: the product of the lengths of some axes."""

    lengths: Shape

    def length_in(self, sizes: Sizes) -> int:
        """What it is in a run."""
        return math.prod(sizes[length] for length in self.lengths)


Captured = CapturedArray | CapturedNumber | CapturedMade | NewArray | CapturedLength

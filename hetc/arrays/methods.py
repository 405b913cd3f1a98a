"""The methods of arrays that NumPy has as functions, too."""

from __future__ import annotations

from typing import Any, cast

import numpy as np


class NumPyMethods:
    """`a.sum(axis=0)` is `numpy.sum(a, axis=0)`, and so with others."""

    def transpose(self, *axes: Any) -> Any:
        """As `numpy.transpose`; the axes may be several arguments."""
        given = axes[0] if len(axes) == 1 else axes or None
        return np.transpose(cast("Any", self), given)

    def ravel(self) -> Any:
        """The elements in one dimension, row by row: a view where NumPy has one."""
        return np.reshape(cast("Any", self), -1)

    def flatten(self) -> Any:
        """A copy of the elements in one dimension, row by row."""
        return cast("Any", self).copy().reshape(-1)

    def fill(self, value: Any) -> None:
        """Assign a number to all elements."""
        cast("Any", self)[...] = value

    def sum(self, *args: Any, **options: Any) -> Any:
        """As `numpy.sum`."""
        return np.sum(cast("Any", self), *args, **options)

    def prod(self, *args: Any, **options: Any) -> Any:
        """As `numpy.prod`."""
        return cast("Any", np.prod)(self, *args, **options)

    def min(self, *args: Any, **options: Any) -> Any:
        """As `numpy.min`."""
        return np.min(cast("Any", self), *args, **options)

    def max(self, *args: Any, **options: Any) -> Any:
        """As `numpy.max`."""
        return np.max(cast("Any", self), *args, **options)

    def mean(self, *args: Any, **options: Any) -> Any:
        """As `numpy.mean`."""
        return np.mean(cast("Any", self), *args, **options)

    def var(self, *args: Any, **options: Any) -> Any:
        """As `numpy.var`."""
        return np.var(cast("Any", self), *args, **options)

    def std(self, *args: Any, **options: Any) -> Any:
        """As `numpy.std`."""
        return np.std(cast("Any", self), *args, **options)

    def any(self, *args: Any, **options: Any) -> Any:
        """As `numpy.any`."""
        return np.any(cast("Any", self), *args, **options)

    def all(self, *args: Any, **options: Any) -> Any:
        """As `numpy.all`."""
        return np.all(cast("Any", self), *args, **options)

    def argmin(self, *args: Any, **options: Any) -> Any:
        """As `numpy.argmin`."""
        return np.argmin(cast("Any", self), *args, **options)

    def argmax(self, *args: Any, **options: Any) -> Any:
        """As `numpy.argmax`."""
        return np.argmax(cast("Any", self), *args, **options)

    def cumsum(self, *args: Any, **options: Any) -> Any:
        """As `numpy.cumsum`."""
        return np.cumsum(cast("Any", self), *args, **options)

    def cumprod(self, *args: Any, **options: Any) -> Any:
        """As `numpy.cumprod`."""
        return cast("Any", np.cumprod)(self, *args, **options)

    def clip(self, *args: Any, **options: Any) -> Any:
        """As `numpy.clip`."""
        return cast("Any", np.clip)(self, *args, **options)

    def dot(self, *args: Any, **options: Any) -> Any:
        """As `numpy.dot`."""
        return np.dot(cast("Any", self), *args, **options)

    def round(self, *args: Any, **options: Any) -> Any:
        """As `numpy.round`."""
        return cast("Any", np.round)(self, *args, **options)

    def argsort(self, *args: Any, **options: Any) -> Any:
        """As `numpy.argsort`."""
        return np.argsort(cast("Any", self), *args, **options)

    def diagonal(self, *args: Any, **options: Any) -> Any:
        """As `numpy.diagonal`."""
        return np.diagonal(cast("Any", self), *args, **options)

    def trace(self, *args: Any, **options: Any) -> Any:
        """As `numpy.trace`."""
        return np.trace(cast("Any", self), *args, **options)

    def repeat(self, *args: Any, **options: Any) -> Any:
        """As `numpy.repeat`."""
        return np.repeat(cast("Any", self), *args, **options)

    def take(self, *args: Any, **options: Any) -> Any:
        """As `numpy.take`."""
        return np.take(cast("Any", self), *args, **options)

    def nonzero(self, *args: Any, **options: Any) -> Any:
        """As `numpy.nonzero`."""
        return np.nonzero(cast("Any", self), *args, **options)

    def swapaxes(self, *args: Any, **options: Any) -> Any:
        """As `numpy.swapaxes`."""
        return np.swapaxes(cast("Any", self), *args, **options)

    def squeeze(self, *args: Any, **options: Any) -> Any:
        """As `numpy.squeeze`."""
        return cast("Any", np.squeeze)(self, *args, **options)

"""The skeletons: each function makes an array function of one stage, and is the place that says what it means.

They are named after Python's and NumPy's own functions. After Cole, Algorithmic Skeletons (1989), and Bird's laws of
lists (1987); which laws the compiler uses is said at each op of `hetc/dialects/skel.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hetc.api import ArrayFunction, iterating
from hetc.frontends.skeleton.composition import (
    Filter,
    Map,
    Nothing,
    Reduce,
    Scan,
    Sort,
    Stencil,
    Zip,
    all_of,
    any_of,
    greatest_place,
    least_place,
)

__all__ = [
    "all", "any", "argmax", "argmin", "argsort", "filter", "gather", "histogram", "iterate", "map", "reduce",
    "reduce_by_key", "scan", "scatter", "sort", "stencil", "zip",
]  # fmt: skip


def map(function: Callable[..., Any]) -> ArrayFunction:
    """Apply a function to each element, or to the elements of several inputs.

    >>> import hetc
    >>> hetc.map(lambda a, b: 2.5 * a + b)([1.0, 2.0], [10.0, 20.0])
    [12.5, 25.0]
    """
    return ArrayFunction((Map(function),))


def zip() -> ArrayFunction:
    """Make one array of tuples out of several inputs.

    >>> import hetc
    >>> (hetc.zip() | (lambda pair: pair[0] * pair[1]))([1, 2], [3, 4])
    [3, 8]
    """
    return ArrayFunction((Zip(),))


def reduce(operator: Callable[[Any, Any], Any], init: object = Nothing.NOTHING) -> ArrayFunction:
    """Combine all elements, in order, with an associative operator, from an initial value.

    Without one it starts from the first element, and raises TypeError if there is none.

    >>> import hetc
    >>> hetc.reduce(lambda a, b: a + b, 0)([1, 2, 3])
    6
    """
    return ArrayFunction((Reduce(operator, init),))


def scan(operator: Callable[[Any, Any], Any], init: object = None, exclusive: bool = False) -> ArrayFunction:
    """Combine, for each element, all elements up to it, in order, with an associative operator.

    The result has the length of the input: element i is `init op x[0] op ... op x[i]`, without `init` if it is None.
    `exclusive` leaves x[i] out: the first element is the initial value, which it needs.

    >>> import hetc
    >>> hetc.scan(lambda a, b: a + b)([1, 2, 3])
    [1, 3, 6]
    >>> hetc.scan(lambda a, b: a + b, 0, exclusive=True)([1, 2, 3])
    [0, 1, 3]
    """
    return ArrayFunction((Scan(operator, init, exclusive),))


def filter(predicate: Callable[..., Any]) -> ArrayFunction:
    """Keep the elements of which a function is true, in their order: `[x for x in xs if predicate(x)]`.

    Several inputs give the function one argument each, and elements of the result that are tuples. An array keeps its
    dtype, also if nothing is kept; what a list keeps are its very objects.

    >>> import hetc
    >>> hetc.filter(lambda x: x > 1)([3, 0, 2])
    [3, 2]
    >>> hetc.filter(lambda a, b: a < b)([1, 5], [2, 4])
    [(1, 2)]
    """
    return ArrayFunction((Filter(predicate),))


def gather(indices: Any) -> ArrayFunction:
    """The elements at some indices, in that order: `[xs[i] for i in indices]`.

    Indices are integers in an array, list, tuple or range of one dimension. Negative ones count from the end;
    IndexError is raised for the first that is outside. The result is as long as the indices.

    >>> import hetc
    >>> hetc.gather([2, 0, -1, 0])([10, 20, 30])
    [30, 10, 30, 10]
    """
    from hetc.frontends.skeleton.indexed import gathering

    return ArrayFunction((gathering(indices),))


def scatter(
    indices: Any, size: int, combine: Callable[[Any, Any], Any] | None = None, init: object = None
) -> ArrayFunction:
    """Put element k in place `indices[k]` of an array of `size` items, which else are `init`.

    An item that several elements go to is `combine(... combine(init, x) ..., y)`, in their order; the operator is
    associative. Without `combine`, InputError is raised if two elements have one place; `lambda old, new: new` keeps
    the last. Without `init`, items start as the zero of the elements' type. IndexError is raised for an index outside,
    InputError unless there is one for each element.

    >>> import hetc
    >>> hetc.scatter([2, 0], 4)([10, 20])
    [20, 0, 10, 0]
    >>> hetc.scatter([1, 0, 1], 2, lambda a, b: a + b, 100)([1, 2, 3])
    [102, 104]
    """
    from hetc.frontends.skeleton.indexed import scattering

    return ArrayFunction((scattering(indices, size, combine, init),))


def reduce_by_key(
    operator: Callable[[Any, Any], Any], init: object, keys: Any, size: int | None = None
) -> ArrayFunction:
    """For each key from 0 up to `size`, combine its elements, in order, with an associative operator, from `init`.

    Element k has the key `keys[k]`, an integer. `size` is one more than the largest key, if it is not given. It is
    `hetc.scatter(keys, size, operator, init)`.

    >>> import hetc
    >>> hetc.reduce_by_key(max, 0, keys=[0, 1, 0, 1])([3, 4, 5, 2])
    [5, 4]
    """
    from hetc.frontends.skeleton.indexed import reducing_by_key

    return ArrayFunction((reducing_by_key(operator, init, keys, size),))


def histogram(bins: int, range: tuple[float, float] | None = None) -> ArrayFunction:  # noqa: A002 (NumPy's name)
    """How many elements lie in each of `bins` bins.

    Without a range, the elements are the numbers of their bins, as in `numpy.bincount`; negative ones count from the
    end, and IndexError is raised for one that is no bin. With a range, the bins divide it evenly; elements outside are
    left out, and the upper end belongs to the last bin: the counts of `numpy.histogram`.

    >>> import hetc
    >>> hetc.histogram(4)([1, 3, 1, 0])
    [1, 2, 0, 1]
    >>> hetc.histogram(2, (0.0, 1.0))([0.1, 0.5, 1.0, 1.5])
    [1, 2]
    """
    from hetc.frontends.skeleton.indexed import histogram_of

    return ArrayFunction(histogram_of(bins, range))


def any(predicate: Callable[..., Any]) -> ArrayFunction:
    """Whether a function is true of an element: `any(predicate(x) for x in xs)`.

    As in Python, it is as if the elements after the first such one were not there: what they would raise is not raised.

    >>> import hetc
    >>> hetc.any(lambda a, b: a > b)([1, 5], [2, 4])
    True
    """
    return ArrayFunction(any_of(predicate))


def argmin() -> ArrayFunction:
    """The place of the least element, as `numpy.argmin` has it: the first of several, or the first NaN.

    Raises ValueError if there are no elements.

    >>> import hetc
    >>> hetc.argmin()([3, 1, 2, 1])
    1
    """
    return ArrayFunction(least_place())


def argmax() -> ArrayFunction:
    """The place of the greatest element, as `numpy.argmax` has it; see `hetc.argmin`.

    >>> import hetc
    >>> hetc.map(abs).argmax()([3, -4, 2])
    1
    """
    return ArrayFunction(greatest_place())


def all(predicate: Callable[..., Any]) -> ArrayFunction:
    """Whether a function is true of all elements: `all(predicate(x) for x in xs)`.

    As in Python, it is as if the elements after the first of which it is false were not there.

    >>> import hetc
    >>> hetc.all(lambda x: 6 / x > 1)([2, 10, 0])
    False
    """
    return ArrayFunction(all_of(predicate))


def stencil(
    function: Callable[..., Any], radius: int | tuple[int, ...] = 1, boundary: str = "clamp", value: object = 0
) -> ArrayFunction:
    """Apply a function to the window around each point of an array of one to three dimensions.

    The function gets `w`, where `w[0, 0]` is the element at the point and `w[-1, 0]` the one before it along the first
    axis (in one dimension `w[0]`, `w[-1]`), as far as `radius` reaches: one number, or one an axis. Several inputs of
    one shape give it one window each. The result has their shape.

    `boundary` says what lies beyond the ends: "clamp" the nearest element, "wrap" the other end, "mirror" and "reflect"
    what is there if the array is mirrored at the middle of its last element, or after it, and "constant" the `value`.
    Of `scipy.ndimage`, the names "nearest", "grid-wrap", "grid-mirror" and "grid-constant" mean the same.

    Raises InputError for a boundary or radius that there is not, and when it is called for arrays of other shapes.

    >>> import hetc, numpy as np
    >>> mean = hetc.stencil(lambda w: (w[-1] + w[0] + w[1]) / 3)
    >>> mean([3.0, 6.0, 0.0])
    [4.0, 3.0, 2.0]
    >>> hetc.stencil(lambda w: w[-1, 0] + w[0, 1], boundary="wrap")(np.arange(4).reshape(2, 2))
    array([[3, 3],
           [3, 3]])
    """
    from hetc.windows import neighbourhood

    return ArrayFunction((Stencil(function, neighbourhood(radius, boundary, value)),))


def sort(key: Callable[..., Any] | None = None, *, reverse: bool = False) -> ArrayFunction:
    """The elements in order, by themselves or by what a function makes of them: `sorted(xs, key=key, reverse=reverse)`.

    Elements that are equal stay in their order, in a reverse order, too. In lists a NaN is what it is to `sorted`. In
    arrays it comes after all numbers, as `numpy.sort(kind="stable")` has it; in a reverse order before them. Tuples
    are ordered by their first items, then by their second, and so on. Of several inputs, the function takes an element
    of each, and all of them are put in one order.

    Laws: sort . sort = sort; sort(key) . map(f) = map(f) . sort(key . f), if the elements are not looked at but by
    their keys; sort(reverse) = reversed . sort . reversed.

    >>> import hetc, numpy as np
    >>> hetc.sort()([3, 1, 2])
    [1, 2, 3]
    >>> hetc.sort(key=abs, reverse=True)(np.array([1.0, -3.0, 2.0]))
    array([-3.,  2.,  1.])
    >>> hetc.sort(key=lambda name, age: age)(["Ada", "Bob"], [36, 24])
    [('Bob', 24), ('Ada', 36)]
    """
    return ArrayFunction((Sort(key, reverse),))


def argsort(key: Callable[..., Any] | None = None, *, reverse: bool = False) -> ArrayFunction:
    """Where the elements of `hetc.sort(key, reverse=reverse)` are in the input: `numpy.argsort(xs, kind="stable")`.

    Law: gather(argsort(xs)) = sort, of the same input.

    >>> import hetc
    >>> hetc.argsort()([30, 10, 20])
    [1, 2, 0]
    """
    return ArrayFunction((Sort(key, reverse, places=True),))


def iterate(
    function: ArrayFunction, times: int | None = None, until: Callable[..., Any] | None = None
) -> ArrayFunction:
    """Apply an array function again and again to what it has made: `times` times, or until a condition holds.

    `until` is called after each round with what it has made and what it was made of, and ends the iteration by a true
    result: `until(new, old)`, or for two arrays `until(new_a, new_b, old_a, old_b)`. It gets portable arrays where
    arrays are iterated, so that nothing moves unless it looks. Results that are tuples are the inputs of the next
    round.

    Raises InputError for a function that gives one value, such as a reduction, and for both or none of the conditions.

    >>> import hetc
    >>> hetc.iterate(hetc.map(lambda x: 2 * x), times=3)([1, 2])
    [8, 16]
    >>> hetc.iterate(hetc.map(lambda x: x // 2), until=lambda new, old: max(new) < 4)([100, 9])
    [3, 0]
    """
    return ArrayFunction((iterating(function, times, until),))

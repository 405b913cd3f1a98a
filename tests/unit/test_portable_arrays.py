"""Portable arrays on the host: what they are made of, indexing, assignment, protocols, against NumPy."""

from __future__ import annotations

import copy
import math
import operator
import pickle
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hetc
from hetc.abi import NUMPY_SCALARS
from hetc.arrays.geometry import row_major, select
from hetc.arrays.object_copies import copies

MATRIX = np.arange(24.0).reshape(4, 6)


def same(found: Any, expected: Any) -> None:
    """A portable array with the dtype, shape and contents of a NumPy array, or the same scalar."""
    if isinstance(expected, np.ndarray):
        assert isinstance(found, hetc.Array)
        found = np.asarray(found)
    assert type(found) is type(expected)
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    np.testing.assert_array_equal(found, expected)


@pytest.fixture(autouse=True)
def on_the_host():
    with hetc.configure(offload="never"):
        yield


# --------------------------------------------------------------------------------------------------------------------
# Sources
# --------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", sorted(NUMPY_SCALARS))
@pytest.mark.parametrize("size", [0, 1, 7, 255])
def test_arrays_of_every_dtype(dtype: str, size: int) -> None:
    source = (np.arange(size) % 5).astype(dtype)
    same(hetc.array(source), source)
    swapped = source.astype(source.dtype.newbyteorder())
    same(hetc.array(swapped), source)
    same(hetc.array(source[::-2]), source[::-2])


@pytest.mark.parametrize(
    "source",
    [
        MATRIX,
        np.asfortranarray(MATRIX),
        MATRIX[::-1, 1::2],
        MATRIX.T,
        np.broadcast_to(np.float32(3), (5,)),
        np.frombuffer(b"\0" + np.arange(3.0).tobytes(), np.uint8)[1:].view(np.float64),
        np.array(5.0),
        np.zeros((0, 3)),
        np.zeros((2, 0, 3)),
    ],
    ids=["rows", "fortran", "strides", "transposed", "broadcast", "unaligned", "0-d", "0-rows", "0-size"],
)
def test_arrays_of_every_layout(source: np.ndarray) -> None:
    same(hetc.array(source), source)
    source = source.view()
    source.flags.writeable = False
    same(hetc.array(source), source)


@pytest.mark.parametrize(
    "source", [[1, 2], (1.5, 2), [True], [1j], [[1, 2], [3, 4]], [], range(3, 9, 2), 7, 2.5, [np.float32(1)]]
)
def test_python_data_has_numpys_dtype(source: Any) -> None:
    same(hetc.array(source), np.array(source))


def test_buffers_and_objects_with_protocols() -> None:
    same(hetc.array(memoryview(np.arange(3, dtype=np.int32))), np.arange(3, dtype=np.int32))
    same(hetc.array(bytearray(b"ab")), np.array([97, 98], np.uint8))

    class Interface:
        __array_interface__ = MATRIX.__array_interface__

    class Exported:
        def __dlpack__(self, **options: Any) -> Any:
            return MATRIX.__dlpack__(**options)

        def __dlpack_device__(self) -> tuple[int, int]:
            return MATRIX.__dlpack_device__()

    for made in (Interface(), Exported()):
        same(hetc.array(made), MATRIX)
        shared: Any = hetc.array(made, copy=False)
        assert np.shares_memory(np.asarray(shared), MATRIX)


def test_tuples_are_kept_as_components() -> None:
    points: Any = hetc.array([(1, 2.5, (True, 3)), (4, 5, (False, 6))])
    assert str(points.element) == "(i64, f64, (b1, i64))"
    assert points[1] == (4, 5.0, (False, 6))
    assert points.tolist() == [(1, 2.5, (True, 3)), (4, 5.0, (False, 6))]
    assert list(points) == list(points[:]) == [points[0], points[1]]
    assert (len(points), points.shape, points.nbytes) == (2, (2,), 2 * (8 + 8 + 1 + 8))
    same(points.fields[1], np.array([2.5, 5]))
    same(points["f0"], np.array([1, 4]))
    assert np.asarray(points)["f2"]["f1"].tolist() == [3, 6]
    points[0] = (7, 8, (True, 9))
    points[1:] = [(0, 0, (False, 0))]
    assert points.tolist() == [(7, 8.0, (True, 9)), (0, 0.0, (False, 0))]
    assert pickle.loads(pickle.dumps(points)).tolist() == copy.copy(points).tolist() == points.tolist()
    with pytest.raises(TypeError):
        points + 1


@pytest.mark.parametrize(
    "source",
    [
        ["a"],
        [None, 1],
        [object],
        np.array(["2020-01-01"], "datetime64[D]"),
        np.zeros(2, object),
        np.zeros(2, "f8,i4"),
        np.longdouble(1) * np.ones(2),
        np.ma.array([1.0, 2.0], mask=[True, False]),
        [[1], [2, 3]],
        [2**64],
        range(2**64, 2**64 + 2),
        {1: 2},
        [(1, 2), (3,)],
        [(1, 2), 3],
        [()],
        [(1, "a")],
        [(1, [2, 3])],
    ],
    ids=repr,
)
def test_what_holds_no_numbers_is_refused(source: Any) -> None:
    with pytest.raises(hetc.InputError, match=r"hetc.array takes|no array of numbers|do not fit 64 bits"):
        hetc.array(source)


def test_options_that_there_are_not() -> None:
    with pytest.raises(ValueError, match="struct of arrays"):
        hetc.array([1], layout="aos")
    with pytest.raises(ValueError, match="pinned"):
        hetc.array([1], pinned=True, copy=False)
    for source in (MATRIX[::2], [(1, 2)], MATRIX.astype(">f8")):
        with pytest.raises(ValueError, match="cannot be shared"):
            hetc.array(source, copy=False)


# --------------------------------------------------------------------------------------------------------------------
# Values
# --------------------------------------------------------------------------------------------------------------------


def test_an_array_is_a_value() -> None:
    source = np.arange(4.0)
    made: Any = hetc.array(source)
    source[0] = 9
    assert made[0] == 0
    other: Any = hetc.array(made)
    other[1] = 9
    assert (made[1], source[1]) == (1, 1)


def test_shared_memory_is_read_only() -> None:
    source = np.arange(4.0)
    made: Any = hetc.array(source, copy=False)
    assert np.shares_memory(np.asarray(made), source)
    for write in (lambda: operator.setitem(made, 0, 1), lambda: operator.setitem(made[1:], 0, 1)):
        with pytest.raises(ValueError, match="read-only"):
            write()
    with pytest.raises(ValueError, match="read-only"):
        made += 1
    assert source.tolist() == [0, 1, 2, 3]
    made.copy()[0] = 5
    assert isinstance(hetc.array([1.0, 2.0], copy=None), hetc.Array)


KEYS: tuple[Any, ...] = (
    0, -1, np.int64(2), slice(1, 3), slice(None, None, -2), (1, 2), (slice(None), 1), (..., 0), (..., 1, 1), None,
    (None, 1), (slice(3, 1), slice(None)), [0, 2], [[True] * 6] * 4, np.array([1, -1]), ([0, 1], [1, 0]), (1, [0, 2]),
    (), ..., (slice(None), None, slice(1, 2)), (np.bool_(True),), (-4, -6),
)  # fmt: skip


@pytest.mark.parametrize("key", KEYS, ids=repr)
def test_indexing_is_numpys(key: Any) -> None:
    made: Any = hetc.array(MATRIX)
    same(made[key], MATRIX[key])
    part = made[1:, ::-1]
    expected = MATRIX[1:, ::-1]
    if not isinstance(key, list | tuple | np.ndarray) and key is not None:
        same(part[key], expected[key])
    same(made.T[1:].T, MATRIX.T[1:].T)


@pytest.mark.parametrize("key", [4, (0, 6), (0, 0, 0), (..., ...), "a", 1.5, [4]], ids=repr)
def test_indices_that_there_are_not(key: Any) -> None:
    with pytest.raises(IndexError) as expected:
        MATRIX[key]
    with pytest.raises(IndexError, match=r".") as found:
        hetc.array(MATRIX)[key]
    assert str(found.value) == str(expected.value)


@pytest.mark.parametrize("key", KEYS, ids=repr)
def test_assignment_is_numpys(key: Any) -> None:
    expected = MATRIX.copy()
    made: Any = hetc.array(MATRIX)
    view, expected_view = made[::-1, 1:], expected[::-1, 1:]
    made[key] = 100
    expected[key] = 100
    same(view, expected_view)
    view[1:] = view[:-1]
    expected_view[1:] = expected_view[:-1]
    same(made, expected)
    with pytest.raises(ValueError, match="could not broadcast"):
        made[0] = [1, 2]
    same(made, expected)


def test_a_view_keeps_its_owner_alive() -> None:
    view: Any = hetc.array(MATRIX)[2]
    same(view, MATRIX[2])
    view[0] = 1
    assert view[0] == 1


def test_an_index_reads_no_memory() -> None:
    far = row_major((10**12,))
    assert select(far, (slice(10**11, None, 2),)).shape == (math.ceil((10**12 - 10**11) / 2),)
    assert select(far, (10**12 - 1,)).shape == ()


# --------------------------------------------------------------------------------------------------------------------
# NumPy and other protocols
# --------------------------------------------------------------------------------------------------------------------

CALLS: tuple[Callable[[Any], Any], ...] = (
    lambda a: a + 1,
    lambda a: 2.5 * a - a,
    lambda a: a @ a.T,
    lambda a: a < 3,
    lambda a: -a,
    lambda a: abs(a) ** 2,
    lambda a: a == MATRIX,
    lambda a: MATRIX + a,
    np.sin,
    np.sum,
    lambda a: a.sum(axis=1),
    lambda a: a.sum(axis=0, keepdims=True),
    np.add.reduce,
    np.add.accumulate,
    lambda a: np.add.outer(a[0], a[1]),
    lambda a: a.min(),
    lambda a: a.max(axis=0),
    lambda a: a.mean(),
    lambda a: a.cumsum(),
    lambda a: (a > 3).any(),
    lambda a: (a > 3).all(axis=1),
    lambda a: np.where(a > 3, a, 0),
    lambda a: np.where(a > 3, a, -a),
    lambda a: np.concatenate([a, a]),
    lambda a: np.sort(a, axis=None),
    lambda a: np.dot(a[0], a[1]),
    lambda a: np.clip(a, 2, 5),
    np.transpose,
    np.zeros_like,
    lambda a: a.reshape(2, -1),
    lambda a: a.reshape((3, 8)),
    lambda a: a[:, 1:].reshape(-1),
    lambda a: a.ravel(),
    lambda a: a.astype(np.float32),
    lambda a: a.T,
    np.linalg.norm,
)


@pytest.mark.parametrize("call", range(len(CALLS)))
def test_numpys_functions(call: int) -> None:
    same(CALLS[call](hetc.array(MATRIX)), CALLS[call](MATRIX))


def test_functions_of_several_results() -> None:
    made = hetc.array([3, 1, 3])
    values, counts = np.unique(made, return_counts=True)
    same(values, np.array([1, 3]))
    same(counts, np.array([1, 2]))
    assert np.shape(made) == (3,)


def test_operations_in_place() -> None:
    made: Any = hetc.array(MATRIX)
    expected = MATRIX.copy()
    kept = made
    made += 2
    made[1] *= 3
    expected += 2
    expected[1] *= 3
    assert made is kept
    same(made, expected)
    assert np.multiply(made, 2, out=made) is made
    np.copyto(made[0], 5)
    assert np.cumsum(made[1], out=made[2]) is not None
    expected *= 2
    expected[0] = 5
    np.cumsum(expected[1], out=expected[2])
    same(made, expected)
    whole: Any = hetc.array([1, 2])
    np.add.at(whole, [0, 0], 5)
    same(whole, np.array([11, 2]))
    whole[0] = 1
    with pytest.raises(TypeError, match="Cannot cast"):
        whole += 1.5
    same(whole, np.array([1, 2]))


def test_a_result_has_memory_of_its_own() -> None:
    made: Any = hetc.array(MATRIX)
    diagonal: Any = np.diagonal(made)
    diagonal[0] = -1
    same(made, MATRIX)


def test_a_view_is_one_where_numpy_has_one() -> None:
    for view in (
        np.transpose,
        lambda a: a.reshape(2, -1)[::-1, 1:],
        lambda a: np.swapaxes(a, 0, 1)[2],
        lambda a: a[:, ::2].reshape(2, 2, -1),
        lambda a: np.expand_dims(a, 1),
        lambda a: np.squeeze(a[:, None]),
        np.flip,
        lambda a: a.T.ravel(),  # NumPy copies it
        lambda a: np.moveaxis(a[None], 0, -1),
    ):
        made, expected = hetc.array(MATRIX), MATRIX.copy()
        turned, plain = view(made), view(expected)
        same(turned, plain)
        turned[...] = -1
        plain[...] = -1
        same(made, expected)
    wide: Any = np.broadcast_to(hetc.array(MATRIX), (3, *MATRIX.shape))
    same(wide, np.broadcast_to(MATRIX, (3, *MATRIX.shape)))
    with pytest.raises(ValueError, match="read-only"):
        wide[0] = 1


def test_conversions_to_numpy() -> None:
    made: Any = hetc.array(MATRIX)
    array = np.asarray(made)
    assert not array.flags.writeable
    assert np.shares_memory(array, np.asarray(made))
    fresh = np.array(made)
    fresh[0] = 7
    same(made, MATRIX)
    assert np.asarray(made, np.float32).dtype == np.float32
    with pytest.raises(ValueError, match="without a copy"):
        np.array(made, np.float32, copy=False)
    same(hetc.array(np.from_dlpack(made)), MATRIX)
    assert not np.from_dlpack(made).flags.writeable
    np.from_dlpack(made.copy())
    assert made.__buffer__(0).tolist() == MATRIX.tolist()
    old = made.__dlpack__()
    assert old is not None


def test_what_an_array_says_of_itself() -> None:
    made: Any = hetc.array(MATRIX)
    for name in ("shape", "dtype", "ndim", "size", "nbytes", "itemsize"):
        assert getattr(made, name) == getattr(MATRIX, name)
    assert len(made) == 4
    assert repr(hetc.array([1.5, 2])) == "hetc.array([1.5, 2. ], dtype=float64, on host)"
    assert str(hetc.array([1, 2])) == "[1 2]"
    assert repr(hetc.array([(1, 2.5)])).startswith("hetc.array([(1, 2.5)], dtype=[")
    assert made.tolist() == MATRIX.tolist()
    assert (3.0 in made, 99 in made) == (True, False)
    assert [row.tolist() for row in made] == MATRIX.tolist()


def test_one_number_is_a_number() -> None:
    one: Any = hetc.array(3)
    assert (int(one), float(one), complex(one), bool(one), operator.index(one), one.item()) == (3, 3.0, 3, True, 3, 3)
    with pytest.raises(TypeError, match="unsized"):
        len(one)
    with pytest.raises(ValueError, match="truth value"):
        bool(hetc.array([1, 2]))
    with pytest.raises(TypeError, match="unhashable"):
        hash(hetc.array([1]))


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda a: pickle.loads(pickle.dumps(a))])
def test_copies(again: Callable[[Any], Any]) -> None:
    made: Any = hetc.array(MATRIX)
    for part, expected in ((made, MATRIX), (made[1, ::2], MATRIX[1, ::2]), (made[1:3], MATRIX[1:3])):
        other = again(part)
        same(other, expected)
        other[0] = -5
        same(part, expected)


# --------------------------------------------------------------------------------------------------------------------
# Array functions, in Python
# --------------------------------------------------------------------------------------------------------------------


def test_array_functions_give_portable_arrays() -> None:
    a = hetc.array([1.0, 2.0, 3.0])
    same(hetc.map(lambda x: x + 1)(a), np.array([2.0, 3, 4]))
    same(hetc.map(lambda x, y: x + y)(a, np.ones(3)), np.array([2.0, 3, 4]))
    same(hetc.map(lambda x, y: x + y)([1, 1, 1], a), np.array([2.0, 3, 4]))
    pairs = hetc.map(lambda x: (x, x > 1))(a)
    assert isinstance(pairs, hetc.Array)
    assert pairs.tolist() == [(1, False), (2, True), (3, True)]
    assert hetc.map(lambda p: p[0] if p[1] else -p[0])(pairs).tolist() == [-1, 2, 3]
    assert hetc.map(lambda x: type(x) is np.float64)(a).tolist() == [True] * 3
    assert hetc.reduce(lambda p, q: p + q, 0.0)(a) == 6
    assert hetc.map(lambda x: None if x > 2 else x)(a).dtype == object
    with pytest.raises(hetc.InputError, match="different lengths"):
        hetc.map(lambda x, y: x)(a, [1])


def test_captured_arrays_in_python() -> None:
    table: Any = hetc.array([10.0, 20.0, 30.0])
    same(hetc.map(lambda i: table[i] + len(table))(hetc.array([2, 0])), np.array([33.0, 13.0]))


# --------------------------------------------------------------------------------------------------------------------
# Copies of objects
# --------------------------------------------------------------------------------------------------------------------


class Plain:
    def __init__(self, **attributes: Any) -> None:
        self.__dict__.update(attributes)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    __hash__ = None


class Slotted(Plain):
    __slots__ = ("extra",)


class Counting(Plain):
    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return Counting(copied=True)


class Stateful(Plain):
    def __getstate__(self) -> dict[str, Any]:
        return {"state": 1}


class Number(float):
    pass


def test_copies_are_deep_copies() -> None:
    shared = Plain(value=[1, 2])
    slotted = Slotted(x=1)
    slotted.extra = [3]
    ring = Plain(x=1)
    ring.me = ring
    number = Number(2.5)
    number.note = [1]
    objects = [
        Plain(x=1, y="a", z=(1, [2]), inner=Plain(w=2.5)), Plain(one=shared, other=shared), shared, slotted,
        Counting(x=1), Stateful(x=1), ring, None, number, [Plain(x=1)], np.arange(3), Plain,
    ]  # fmt: skip
    found, expected = copies(objects), copy.deepcopy(objects)
    assert list(map(type, found)) == list(map(type, expected))
    assert found[:6] == expected[:6]
    assert found[1].one is found[1].other is found[2] is not shared
    assert found[3].extra == [3]
    assert found[3].extra is not slotted.extra
    assert found[6].me is found[6] is not ring
    assert (found[8], found[8].note) == (2.5, [1])
    assert found[9] == expected[9]
    assert found[9][0] is not objects[9][0]
    assert found[-1] is Plain


WARN: list[Callable[[Any, Any], Any]] = [
    lambda x, y: x / y,
    lambda x, y: x // y,
    lambda x, y: x % y,
    lambda x, y: x * y,
    lambda x, y: 1 / x,
    lambda x, y: y - y,
    lambda x, y: np.log(x),
    lambda x, y: np.divide(x, y, out=hetc.array(np.zeros(5)) if isinstance(x, hetc.Array) else np.zeros(5)),
    np.divide.outer,
    lambda x, y: np.multiply.accumulate(x),
    lambda x, y: np.multiply.reduce(x),
]


@pytest.mark.parametrize("call", WARN)
def test_what_numpy_computes_on_the_host_it_warns_of_in_the_users_line(call: Callable[[Any, Any], Any]) -> None:
    x, y = np.array([0.0, 1, -1, 1e300, np.inf]), np.array([0.0, 0, 5, 1e300, np.inf])
    told: list[set[tuple[str, str, int]]] = []
    for make in (np.array, hetc.array):
        with hetc.configure(offload="never"), warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            call(make(x), make(y))
        told.append({(str(one.message), one.filename, one.lineno) for one in caught})
    assert told[0]
    assert told[1] == told[0]


def test_an_error_state_of_the_users_own_is_left_alone() -> None:
    zeros, calls = hetc.array(np.zeros(2)), list[str]()
    with hetc.configure(offload="never"), np.errstate(all="call", call=lambda kind, _: calls.append(kind)):
        assert np.isnan(zeros / zeros).all()
    with hetc.configure(offload="never"), np.errstate(all="raise"), pytest.raises(FloatingPointError):
        zeros / zeros
    with hetc.configure(offload="never"), warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RuntimeWarning, match="invalid value encountered in divide"):
            zeros / zeros
    assert calls == ["invalid value"]

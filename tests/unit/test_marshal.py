"""Python data into arrays, and arrays into Python data."""

from __future__ import annotations

import numpy as np
import pytest

from hetc.abi import SCALAR_TYPES, Container, ElementType, TupleType
from hetc.runtime.marshal import length, marshal, marshal_scalar, unmarshal

INT, FLOAT, F32, B1 = (SCALAR_TYPES[name] for name in ("int", "float", "f32", "b1"))
F8 = np.dtype(np.float64)


def test_an_array_in_order_is_not_copied() -> None:
    for x in (np.arange(6.0), np.arange(6.0)[2:], np.arange(6.0).reshape(2, 3), np.zeros(0)):
        result = marshal(x, (), F8)
        assert result.ctypes.data == x.ctypes.data
        assert result.shape == (x.size,)
    read_only = np.arange(6.0)
    read_only.flags.writeable = False
    assert marshal(read_only, (), F8) is read_only


@pytest.mark.parametrize(
    "x",
    [
        np.arange(12.0)[::2],
        np.arange(12.0)[::-1],
        np.broadcast_to(1.5, (7,)),
        np.asfortranarray(np.arange(12.0).reshape(3, 4)),
        np.arange(12.0).reshape(3, 4)[:, 1:3],
        np.zeros(81, np.uint8)[1:].view(np.float64),
    ],
    ids=["strided", "negative stride", "zero stride", "Fortran order", "part of a matrix", "unaligned"],
)
def test_any_other_layout_is_copied(x: np.ndarray) -> None:
    result = marshal(x, (), F8)
    assert result.flags.c_contiguous
    assert result.flags.aligned
    assert not np.shares_memory(result, x)
    np.testing.assert_array_equal(result, x.ravel(order="C"))


@pytest.mark.parametrize(
    ("value", "path", "dtype", "expected"),
    [
        ([1, 2, -3], (), "int64", [1, 2, -3]),
        ((1.5, 2.5), (), "float64", [1.5, 2.5]),
        ([True, False], (), "bool", [True, False]),
        ([np.float32(1.5)], (), "float32", [1.5]),
        ([], (), "float64", []),
        (range(5, -5, -3), (), "int64", [5, 2, -1, -4]),
        (range(2**63 - 2, 2**63), (), "int64", [2**63 - 2, 2**63 - 1]),
        (range(-(2**63), 2**63 - 1, 2**62), (), "int64", [-(2**63), -(2**62), 0, 2**62]),
        ([(1, 2.0), (3, 4.0)], (0,), "int64", [1, 3]),
        ([(1, 2.0), (3, 4.0)], (1,), "float64", [2.0, 4.0]),
        ([(1, (2.0, True)), (3, (4.0, False))], (1, 1), "bool", [True, False]),
    ],
)
def test_python_data(value: object, path: tuple[int, ...], dtype: str, expected: list[object]) -> None:
    result = marshal(value, path, np.dtype(dtype))
    assert result.dtype == dtype
    assert result.tolist() == expected


@pytest.mark.parametrize(
    ("value", "part", "dtype", "expected"),
    [
        (np.int32(7), "value", "int32", 7),
        (np.uint64(2**64 - 1), "value", "uint64", 2**64 - 1),
        (2.5, "value", "float64", 2.5),
        (np.True_, "value", "bool", True),
        (range(5, 20, 3), "start", "int64", 5),
        (range(5, 20, 3), "step", "int64", 3),
    ],
)
def test_scalars(value: object, part: str, dtype: str, expected: object) -> None:
    result = marshal_scalar(value, (), part, np.dtype(dtype))
    assert (result, type(result)) == (expected, type(expected))


def test_scalar_of_a_tuple() -> None:
    assert marshal_scalar((1, (2, 3)), (1, 0), "value", np.dtype("int64")) == 2


def test_lengths() -> None:
    assert [length(np.zeros((2, 3)), 0), length(np.zeros((2, 3)), 1), length([1], 0), length(range(4), 0)] == [
        2,
        3,
        1,
        4,
    ]


X = np.array([1.5, 2.5, 3.5], np.float32)
K = np.array([1, 2, 3])
FLAGS = np.array([True, False, True])


@pytest.mark.parametrize(
    ("hosts", "element", "container", "expected"),
    [
        ([X], F32, Container.LIST, [np.float32(1.5), np.float32(2.5), np.float32(3.5)]),
        ([K], INT, Container.LIST, [1, 2, 3]),
        ([K], INT, Container.TUPLE, (1, 2, 3)),
        ([FLAGS], B1, Container.LIST, [np.True_, np.False_, np.True_]),
        (
            [X, K],
            TupleType((F32, INT)),
            Container.LIST,
            [(np.float32(1.5), 1), (np.float32(2.5), 2), (np.float32(3.5), 3)],
        ),
        (
            [K, K, FLAGS],
            TupleType((INT, TupleType((INT, B1)))),
            Container.TUPLE,
            ((1, (1, np.True_)), (2, (2, np.False_)), (3, (3, np.True_))),
        ),
        ([K[:0], K[:0]], TupleType((INT, INT)), Container.LIST, []),
    ],
)
def test_results_in_python(
    hosts: list[np.ndarray], element: ElementType, container: Container, expected: object
) -> None:
    result = unmarshal(hosts, element, container, scalar=False)
    assert result == expected
    assert repr(result) == repr(expected)  # types too


def test_results_in_arrays() -> None:
    assert unmarshal([X], F32, Container.NDARRAY, scalar=False) is X
    nested = unmarshal([X, K, FLAGS], TupleType((F32, TupleType((INT, B1)))), Container.NDARRAY, scalar=False)
    assert isinstance(nested, tuple)
    assert nested[0] is X
    assert nested[1][0] is K
    assert nested[1][1] is FLAGS


@pytest.mark.parametrize("container", list(Container))
@pytest.mark.parametrize(
    ("hosts", "element", "expected"),
    [
        ([X], F32, np.float32(1.5)),
        ([K], INT, 1),
        ([X, K], TupleType((F32, INT)), (np.float32(1.5), 1)),
    ],
)
def test_a_reductions_result(
    hosts: list[np.ndarray], element: ElementType, container: Container, expected: object
) -> None:
    assert repr(unmarshal(hosts, element, container, scalar=True)) == repr(expected)

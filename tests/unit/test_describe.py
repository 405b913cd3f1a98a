"""What is found out about a call's data, and what is refused."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from hetc.abi import (
    INT32_MAX,
    INT64_MAX,
    LONGEST,
    NUMPY_SCALARS,
    SCALAR_TYPES,
    Bounds,
    Container,
    ElementType,
    InputKind,
    NoneType,
    Refused,
    TupleType,
    UnionType,
    ValueType,
)
from hetc.errors import InputError, UnsupportedError
from hetc.runtime.describe import describe

INT, FLOAT, BOOL = (SCALAR_TYPES[name] for name in ("int", "float", "bool"))
F32, F64, I64 = (SCALAR_TYPES[name] for name in ("f32", "f64", "i64"))


def element(value: object) -> ElementType:
    return describe((value,), {})[0].inputs[0].element


def capture(value: object, length: int = 5) -> ValueType | Refused:
    return describe((np.zeros(length),), {"c": value})[1]["c"]


@pytest.mark.parametrize("dtype", sorted(NUMPY_SCALARS))
def test_arrays_and_numpy_scalars_of_every_type(dtype: str) -> None:
    array = np.zeros(3, dtype)
    assert describe((array,), {})[0].inputs[0] == ValueType(InputKind.ARRAY, NUMPY_SCALARS[dtype], dims=(0,))
    assert element(list(array)) == NUMPY_SCALARS[dtype]
    assert capture(array[0]) == ValueType(InputKind.SCALAR, NUMPY_SCALARS[dtype], rank=0)


def test_both_of_cs_long_types_are_known() -> None:
    for code in "lqLQ":
        size = np.dtype(code).itemsize * 8
        assert str(element(np.zeros(2, code))) == f"{'i' if code.islower() else 'u'}{size}"
        assert str(element(list(np.zeros(2, code)))) == f"{'i' if code.islower() else 'u'}{size}"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ([1, 2], INT),
        ([1.0, 2.0], FLOAT),
        ([True, False], BOOL),
        ([np.float64(1)], F64),
        ((1, 2), INT),
        (range(3), INT),
        ([], FLOAT),
        ((), FLOAT),
        ([1, 2.0], UnionType((INT, FLOAT))),
        ([2.0, True, None, 1], UnionType((NoneType(), INT, FLOAT, BOOL))),
        ([np.float32(1), np.float64(1)], UnionType((F32, F64))),
        ([(1, (2, 3.0)), (1, (2, 3))], TupleType((INT, TupleType((INT, UnionType((INT, FLOAT))))))),
        ([(1, 2.0)], TupleType((INT, FLOAT))),
        (np.ma.array([1.0, 2.0]), F64),
        (np.ma.array([1.0, 2.0], mask=[True, False]), UnionType((NoneType(), F64))),
        ([(1, (2.0, True)), (3, (4.0, False))], TupleType((INT, TupleType((FLOAT, BOOL))))),
        (np.zeros(3)[::2], F64),
        (np.zeros(0), F64),
    ],
)
def test_elements(value: object, expected: ElementType) -> None:
    assert element(value) == expected


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ([None, None], "input 0 holds nothing but None"),
        ([(1, 2), None], "element 1 of input 0 is None, but element 0 is a tuple"),
        ([1, 2.0, True, None, *(np.dtype(code).type(1) for code in "bhi")], "the elements of input 0 are of 7 types"),
        ([1, 2.0, 2**63], "element 1 of input 0 is an int that does not fit 64 bits"),
        ([1, "a"], "element 1 of input 0 is a str"),
        ([np.clongdouble(1)], "element 0 of input 0 is a numpy.clongdouble"),
        ([2.0, np.clongdouble(1)], "element 1 of input 0 is a numpy.clongdouble"),
        ([1, 2**63], "element 1 of input 0 is an int that does not fit 64 bits"),
        ([[1], [2]], "element 0 of input 0 is a list"),
        ([(1, 2), (1,)], "element 1 of input 0 is a tuple of 1, element 0 a tuple of 2"),
        ([()], "element 0 of input 0 is a tuple of 0"),
        ([(1, 2), 3], "element 1 of input 0 is an int, but element 0 is a tuple"),
        (range(2**63, 2**63 + 3), "input 0 is a range of numbers that do not fit 64 bits"),
        (range(0, 2**70, 2**69), "input 0 is a range of numbers that do not fit 64 bits"),
        (range(2**70), "input 0 is a range of more than"),
        (np.zeros((2, 2)), "input 0 is an array of 2 dimensions"),
        (np.array(1.0), "input 0 is an array of 0 dimensions"),
        (np.zeros(2, "M8[s]"), "input 0 has datetime64"),
        (np.zeros(2, np.clongdouble), f"input 0 has {np.dtype(np.clongdouble)} elements"),
        (np.zeros(2, object), "input 0 has object elements"),
        (np.zeros(2, ">f4"), "input 0 has >f4 elements, whose bytes are not in this machine's order"),
        (np.zeros(2, "S4, O"), "input 0 has .* elements"),
        (np.array(["a"]), "input 0 has <U1 elements"),
        (np.ma.array([[1.0, 2.0]]), "input 0 is an array of 2 dimensions"),
        ({1: 2}, "input 0 is a dict"),
        ("abc", "input 0 is a str"),
        (iter([1]), "input 0 is a list_iterator"),
        (None, "input 0 is None"),
    ],
)
def test_refused_inputs(value: object, reason: str) -> None:
    with pytest.raises(UnsupportedError, match=reason):
        describe((value,), {})


def test_memory_mapped_arrays_are_arrays(tmp_path: Any) -> None:
    np.save(tmp_path / "x.npy", np.zeros(4))
    assert element(np.load(tmp_path / "x.npy", mmap_mode="r")) == F64


@pytest.mark.parametrize(
    ("values", "container"),
    [
        ((np.zeros(2), [1, 2]), Container.NDARRAY),
        (([1, 2],), Container.LIST),
        (((1, 2),), Container.TUPLE),
        (((1, 2), [1, 2]), Container.LIST),
        ((range(2),), Container.LIST),
        (((1, 2), range(2)), Container.LIST),
    ],
)
def test_container(values: tuple[object, ...], container: Container) -> None:
    assert describe(values, {})[0].container is container


@pytest.mark.parametrize(
    ("value", "bounds"),
    [
        ([3, 1, 7], Bounds(1, INT32_MAX)),
        ([3, 0], Bounds(0, INT32_MAX)),
        ([-1, 2**31], Bounds(-(2**31), INT64_MAX)),
        ([-(2**63), 2**63 - 1], Bounds()),
        (range(10), Bounds(0, INT32_MAX)),
        (range(10, 0, -3), Bounds(1, INT32_MAX)),
        (range(0, 2**40, 2**39), Bounds(0, INT64_MAX)),
        (range(0), Bounds(0, INT32_MAX)),
        ([(1, 2.0, -5)], Bounds(-(2**31), INT32_MAX)),
        ([(1, np.int64(2))], None),
        ([1.0], None),
        ([True], None),
        ([1, None], None),
        (np.ones(3, np.int64), None),
        ([np.int64(3)], None),
        ([], None),
    ],
)
def test_bounds(value: object, bounds: Bounds | None) -> None:
    assert describe((value,), {})[0].inputs[0].bounds == bounds


def test_lengths_must_agree() -> None:
    with pytest.raises(InputError, match="input 0 has 5, input 1 has 4, input 2 has 5"):
        describe((np.zeros(5), [1, 2, 3, 4], range(5)), {})
    # Said before anything about elements.
    with pytest.raises(InputError):
        describe(([1, None], [1]), {})
    with pytest.raises(InputError, match="at least one input"):
        describe((), {})


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (7, ValueType(InputKind.SCALAR, INT, rank=0, bounds=Bounds(1, INT32_MAX))),
        (5, ValueType(InputKind.SCALAR, INT, rank=0, bounds=Bounds(1, INT32_MAX), equals_dim=0)),
        (-(2**40), ValueType(InputKind.SCALAR, INT, rank=0, bounds=Bounds(high=INT32_MAX))),
        (5.0, ValueType(InputKind.SCALAR, FLOAT, rank=0, positive=True)),
        (0.0, ValueType(InputKind.SCALAR, FLOAT, rank=0)),
        (math.nan, ValueType(InputKind.SCALAR, FLOAT, rank=0)),
        (np.float32(1e-20), ValueType(InputKind.SCALAR, F32, rank=0)),
        (np.float64(1e-19), ValueType(InputKind.SCALAR, F64, rank=0, positive=True)),
        (True, ValueType(InputKind.SCALAR, BOOL, rank=0)),
        (np.int64(5), ValueType(InputKind.SCALAR, I64, rank=0)),
        (np.zeros(5), ValueType(InputKind.ARRAY, F64, dims=(0,))),
        (np.zeros((5, 3), order="F"), ValueType(InputKind.ARRAY, F64, rank=2, dims=(0, 1))),
        ([1, 2, 3], ValueType(InputKind.ARRAY, INT, bounds=Bounds(1, INT32_MAX), dims=(1,))),
        ((1.0, 2.0), ValueType(InputKind.ARRAY, FLOAT, dims=(1,))),
        ([], ValueType(InputKind.ARRAY, FLOAT, dims=(1,))),
        (None, ValueType(InputKind.SCALAR, NoneType(), rank=0)),
    ],
)
def test_captures(value: object, expected: ValueType) -> None:
    assert capture(value) == expected


@pytest.mark.parametrize(
    "value", ["a", 2**63, len, {}, np.zeros((1, 1, 1, 1)), [[1]], [(1, 2)], [1, None], np.clongdouble(1)]
)
def test_refused_captures_are_named(value: object) -> None:
    refused = capture(value)
    assert isinstance(refused, Refused)
    assert "captured variable 'c'" in refused.reason


def test_one_capture_of_each_dimension() -> None:
    values = {"n": 3, "a": np.zeros((3, 5)), "b": np.zeros(3), "m": 5, "c": np.zeros((0, 9))}
    signature, types = describe((np.zeros(5),), values)
    assert [types[name].dims for name in values] == [(), (1, 0), (1,), (), (2, 3)]
    # `n` comes before the array whose length it is.
    assert (types["n"].equals_dim, types["m"].equals_dim) == (1, 0)
    assert signature.empty == (2,)
    assert not signature.wide


def test_empty_and_wide() -> None:
    assert describe((np.zeros(0),), {})[0].empty == (0,)
    assert describe((np.zeros(1),), {})[0].empty == ()
    large = np.broadcast_to(np.float32(0), (LONGEST + 1,))
    assert describe((large,), {})[0].wide
    assert not describe((large[1:],), {})[0].wide
    assert describe((np.zeros(1),), {"m": np.broadcast_to(np.float32(0), (2**16, 2**15))})[0].wide


def test_equal_calls_have_equal_signatures() -> None:
    first = describe((np.zeros(5), [1] * 5), {"a": 2.0})
    second = describe((np.zeros(9), [7] * 9), {"a": 3.0})
    assert first == second
    assert hash(first[0]) == hash(second[0])

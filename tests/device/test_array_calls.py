"""NumPy's functions on portable arrays, on every device: broadcasting, axes, views and assignment."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, cast

import numpy as np
import pytest

import hetc
from hetc.arrays.numbers import NumberArray
from hetc.runtime.devices import Device

pytestmark = pytest.mark.usefixtures("kernels_of_gpus_unoptimized")

FLAGS = 64
"""No more bytes than these come back to say that no guard has failed."""

generator = np.random.default_rng(5)
CUBE = generator.integers(-9, 9, (7, 4, 6)).astype(np.float64) + 0.5
TABLE = CUBE[0].copy()
ROW = CUBE[0, 0].copy()


def same(found: Any, expected: Any, rtol: float = 0.0) -> None:
    """A portable array with the dtype, shape and contents of a NumPy array, or the same scalar."""
    assert isinstance(found, hetc.Array) == isinstance(expected, np.ndarray)
    assert (np.asarray(found).dtype, np.shape(found)) == (np.asarray(expected).dtype, np.shape(expected))
    if rtol:
        np.testing.assert_allclose(np.asarray(found), np.asarray(expected), rtol=rtol)
    else:
        np.testing.assert_array_equal(np.asarray(found), np.asarray(expected))


def on_device(target: Device, source: Any, dtype: Any = None) -> Any:
    """A portable array that is on a device alone, if that has memory of its own."""
    plain = np.array(source, dtype)
    return hetc.array(plain) + plain.dtype.type(0)


def ran(call: Callable[[], Any], out: int = FLAGS) -> Any:
    """What a call gives, which runs on a device and moves nothing but flags back."""
    with hetc.profile() as p:
        result = call()
    assert p.launches
    assert p.bytes_d2h <= out
    return result


# --------------------------------------------------------------------------------------------------------------------
# Elements
# --------------------------------------------------------------------------------------------------------------------

ELEMENTWISE: dict[str, Callable[[Any, Any, Any], Any]] = {
    "row": lambda a, t, r: a + r,
    "column": lambda a, t, r: t[:, :1] * a,
    "outer": lambda a, t, r: r[:, None] - r,
    "new axis": lambda a, t, r: a * t[None] + 1,
    "number": lambda a, t, r: 2 * a,
    "same": lambda a, t, r: a * a,
    "transposed": lambda a, t, r: a[0].T - t.T,
    "parts": lambda a, t, r: a[1:, 1:-1] + a[:-1, :-2],
    "steps": lambda a, t, r: a[::2, ::-1, 1::3] + 1,
    "plane": lambda a, t, r: a[:, 2] + a[3, :, 1][1],
    "repeated": lambda a, t, r: np.broadcast_to(r, (4, 6)) + t,
    "comparison": lambda a, t, r: (a < r) & (t > 0),
    "where": lambda a, t, r: np.where(a > 0, a, r),
    "clip": lambda a, t, r: np.clip(a, -2, 3.5),
    "one bound": lambda a, t, r: a.clip(0, None),
    "square": lambda a, t, r: a**2,
    "ufunc.outer": lambda a, t, r: np.subtract.outer(r, t[0]),
    "numpy": lambda a, t, r: a + ROW[::-1],
}


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_elements_of_any_shapes(target: Device, name: str) -> None:
    apply = ELEMENTWISE[name]
    made = [on_device(target, source) for source in (CUBE, TABLE, ROW)]
    with hetc.configure(offload="always"):
        same(ran(lambda: apply(*made)), apply(CUBE, TABLE, ROW))


def test_kinds_of_numbers(target: Device) -> None:
    plain = {dtype: np.arange(1, 8).astype(dtype) for dtype in ("int8", "uint16", "int32", "float32", "float16")}
    with hetc.configure(offload="always"):
        for dtype, x in plain.items():
            a = hetc.array(x)
            same(ran(lambda a=a: a + a[:, None]), x + x[:, None])
            same(ran(lambda a=a: a * 2), x * 2)
            if dtype != "float16":
                same(ran(lambda a=a: a[:, None] + hetc.array(plain["int32"])), x[:, None] + plain["int32"])
                same(a.astype(np.float64), x.astype(np.float64))


@pytest.mark.parametrize("shape", [(), (0,), (3, 0), (1,), (1, 1), (1, 5), (2, 1, 3), (2, 3, 2, 2)])
def test_odd_shapes(target: Device, shape: tuple[int, ...]) -> None:
    x = np.arange(np.prod(shape), dtype=np.float64).reshape(shape) + 1
    with hetc.configure(offload="always"):
        a = hetc.array(x)
        for apply in (lambda v: v + v, lambda v: v + 1, np.sum, lambda v: v.T + 0, np.ravel):
            same(apply(a), apply(x))
        if x.ndim:
            same(a.sum(axis=-1, keepdims=True), x.sum(axis=-1, keepdims=True))
            same(a.sum(axis=0), x.sum(axis=0))
            a[...] = 5
            assert np.all(np.asarray(a) == 5)


def test_many_dimensions(target: Device) -> None:
    x = np.arange(120.0).reshape(2, 3, 4, 5)
    with hetc.configure(offload="always"):
        a = on_device(target, x)
        for other in (x[0, 0], x[:, :1, :1, :1].copy(), x[0, 0, 0], x[:, :, :1, :1].copy()):
            same(ran(lambda other=other: a - other), x - other)
            same(ran(lambda other=other: hetc.array(other) - a), other - x)
        same(ran(lambda: np.sqrt(a) * a + 1), np.sqrt(x) * x + 1)
        with pytest.raises(ValueError, match="broadcast"):
            a + np.ones((3, 1, 4))


def test_views_of_many_dimensions(target: Device) -> None:
    x = np.arange(720.0).reshape(2, 4, 3, 5, 6)
    with hetc.configure(offload="always"):
        a, b = on_device(target, x), on_device(target, -2 * x)
        for part in (lambda v: v[:, ::2], lambda v: v[:, 1:3], lambda v: v[1], lambda v: v[..., 2:5]):
            same(ran(lambda part=part: part(a) - part(b)), part(x) + 2 * part(x))
            same(ran(lambda part=part: part(a) * part(a)[0]), part(x) * part(x)[0])
            same(part(a).sum(axis=(0, 1)), part(x).sum(axis=(0, 1)))
            same(np.max(part(a), axis=-1, keepdims=True), np.max(part(x), axis=-1, keepdims=True))
        same(a[0].T + b[0].T, -x[0].T)  # put in a row by the host
        a[1] = b[0]
        x[1] = -2 * x[0]
        a[:, :2, ...] += 1.5
        x[:, :2] += 1.5
        a[...] = a * a[0, 0] + 1
        x[...] = x * x[0, 0] + 1
        same(a, x)
        same(
            ran(lambda: (a - a.mean(axis=0)) / (a.std(axis=0) + 1)),
            (x - x.mean(axis=0)) / (x.std(axis=0) + 1),
            rtol=1e-12,
        )


def test_calls_on_all_lengths_have_one_plan(target: Device) -> None:
    with hetc.configure(offload="always"):
        hetc.array(TABLE) + 1  # makes what has the plans
        calls = cast("Any", NumberArray.numpy_calls).calls
        known = set(calls.plans)
        for n in (2, 3, 7, 255, 257):
            x = np.arange(3.0 * n).reshape(3, n) if n != 3 else np.arange(6.0).reshape(3, 2)
            a = hetc.array(x)
            same(ran(lambda a=a: np.hypot(a, a[2]) - a[1:, 1:].sum()), np.hypot(x, x[2]) - x[1:, 1:].sum(), rtol=1e-15)
        made = [key for key in calls.plans if key not in known]
        assert len({text for text, *_ in made}) == 3
        assert len(made) <= 6  # parts of one column are seen in another way


def test_variances_of_too_few(target: Device) -> None:
    """What NumPy warns of hangs on a length that a plan does not."""
    with hetc.configure(offload="always"):
        for n in (5, 2, 3, 2):
            x = np.arange(3.0 * n).reshape(n, 3)
            a = on_device(target, x)
            for fold in (lambda v: np.var(v[:, :2], axis=0, ddof=2), lambda v: v[:, 0].std(ddof=2)):
                with warnings.catch_warnings(record=True) as expected:
                    warnings.simplefilter("always")
                    right = fold(x)
                with warnings.catch_warnings(record=True) as found:
                    warnings.simplefilter("always")
                    same(fold(a), right, rtol=1e-12)
                assert sorted(str(w.message) for w in found) == sorted(str(w.message) for w in expected)


def test_stores_of_what_numpy_has_over_the_same_memory(target: Device) -> None:
    with hetc.configure(offload="always"):
        a: Any = hetc.array(np.zeros(1000))
        a[...] = np.arange(1000.0)[::-1] * 2
        plain, right = np.asarray(a), np.array(a)
        a[...] = plain[::-1]
        same(a, right[::-1])


def test_fortran_order_and_read_only_sources(target: Device) -> None:
    x = np.asfortranarray(TABLE)
    x.flags.writeable = False
    with hetc.configure(offload="always"):
        same(ran(lambda: hetc.array(x) + x), x + x)
        shared: Any = hetc.array(TABLE, copy=False)
        same(ran(lambda: shared + ROW), TABLE + ROW)
        with pytest.raises(ValueError, match="read-only"):
            shared[1:] = 0
        with pytest.raises(ValueError, match="read-only"):
            shared += 1


# --------------------------------------------------------------------------------------------------------------------
# Axes
# --------------------------------------------------------------------------------------------------------------------

AXES = (0, 1, -1, (0, 2), (2, 1, 0), None)
FOLDS = ("sum", "prod", "min", "max", "mean", "any", "all", "var", "std")


@pytest.mark.parametrize("name", FOLDS)
def test_folds_along_axes(target: Device, name: str) -> None:
    with hetc.configure(offload="always"):
        a = on_device(target, CUBE)
        for axis in AXES if name in ("sum", "std") else (1, (0, 2)):
            for options in ({}, {"keepdims": True}):
                apply = lambda v, axis=axis, options=options: getattr(v, name)(axis=axis, **options)  # noqa: E731
                same(ran(lambda apply=apply: apply(a), out=FLAGS), apply(CUBE), rtol=1e-13)
        if name == "mean":
            same(a[::-1, 1:3].mean(0), CUBE[::-1, 1:3].mean(0), rtol=1e-13)


def test_more_of_folds(target: Device) -> None:
    whole = np.arange(24, dtype=np.int32).reshape(4, 6) - 9
    narrow = CUBE.astype(np.float32)
    many = CUBE.reshape(7, 2, 2, 3, 2)
    with hetc.configure(offload="always"):
        i, f, m = (on_device(target, source) for source in (whole, narrow, many))
        same(ran(lambda: i.sum(axis=0)), whole.sum(axis=0))
        same(ran(lambda: np.sum(i, 1, np.float64)), np.sum(whole, 1, np.float64))
        same(ran(lambda: i.mean(axis=1)), whole.mean(axis=1))
        same(ran(lambda: np.count_nonzero(i > 2, axis=1)), np.count_nonzero(whole > 2, axis=1))
        same(ran(lambda: i.argmin(axis=0)), whole.argmin(axis=0))
        same(ran(lambda: f.argmax(axis=-1)), narrow.argmax(axis=-1))
        assert f.argmax() == narrow.argmax()
        same(ran(lambda: f.std(axis=1, ddof=1)), narrow.std(axis=1, ddof=1), rtol=1e-6)
        same(ran(lambda: f.sum(axis=0, dtype=np.float64)), narrow.sum(axis=0, dtype=np.float64), rtol=1e-13)
        same(ran(lambda: np.add.reduce(f)), np.add.reduce(narrow), rtol=1e-6)
        same(ran(lambda: np.maximum.reduce(f, axis=(0, 1))), np.maximum.reduce(narrow, axis=(0, 1)))
        same(ran(lambda: m.sum(axis=(1, 2))), many.sum(axis=(1, 2)), rtol=1e-13)
        same(ran(lambda: m.max(axis=(3, 4), keepdims=True)), many.max(axis=(3, 4), keepdims=True))
        odd = np.where(CUBE > 5, np.nan, CUBE)
        same(ran(lambda: on_device(target, odd).max(axis=0)), odd.max(axis=0))


@pytest.mark.parametrize("shape", [(512, 256), (4, 160, 128), (257, 259)])
def test_folds_of_long_axes(target: Device, shape: tuple[int, ...]) -> None:
    x = (np.arange(np.prod(shape)) % 17).astype(np.float32).reshape(shape)
    with hetc.configure(offload="always"):
        a = hetc.array(x)
        same(ran(a.min), x.min())
        for axis in range(len(shape)):
            for name in ("sum", "max", "mean"):
                same(ran(lambda n=name, k=axis: getattr(a, n)(axis=k)), getattr(x, name)(axis=axis), rtol=1e-6)


def test_running_totals(target: Device) -> None:
    whole = np.arange(42, dtype=np.int16).reshape(6, 7)
    with hetc.configure(offload="always"):
        a, i = on_device(target, CUBE), on_device(target, whole)
        for axis in (0, 1, -1):
            same(ran(lambda axis=axis: a.cumsum(axis=axis)), CUBE.cumsum(axis=axis))
        same(ran(lambda: np.cumsum(i, 0)), np.cumsum(whole, 0))
        same(ran(lambda: np.cumprod(i[:, ::3], axis=1)), np.cumprod(whole[:, ::3], axis=1))
        same(ran(lambda: np.maximum.accumulate(a)), np.maximum.accumulate(CUBE))
        same(ran(lambda: np.minimum.accumulate(a, axis=2)), np.minimum.accumulate(CUBE, axis=2))
        same(ran(i.cumsum), whole.cumsum())


def test_products(target: Device) -> None:
    x, y, v = CUBE[0], CUBE[1].T.copy(), CUBE[2, 0]
    with hetc.configure(offload="always"):
        a, b, c = (on_device(target, source) for source in (x, y, v))
        same(ran(lambda: a @ b), x @ y, rtol=1e-12)
        same(ran(lambda: a @ a.T), x @ x.T, rtol=1e-12)
        same(ran(lambda: a.dot(c)), x.dot(v), rtol=1e-12)
        same(ran(lambda: c @ b), v @ y, rtol=1e-12)
        same(ran(lambda: c @ c), v @ v, rtol=1e-12)
        i = np.arange(12, dtype=np.int8).reshape(3, 4) * 9
        same(ran(lambda: on_device(target, i) @ i.T), i @ i.T)
        with pytest.raises(ValueError, match="mismatch"):
            a @ a


# --------------------------------------------------------------------------------------------------------------------
# Stores
# --------------------------------------------------------------------------------------------------------------------


def assign(key: Any, value: Callable[[Any], Any]) -> Callable[[Any], None]:
    def run(a: Any) -> None:
        a[key] = value(a)

    return run


def masked(a: Any) -> None:
    a[a > 4] = -1
    a[:] = np.where(a < 0, 0.25, a)
    np.add(a, 1, out=a, where=a > 2)


def in_place(a: Any) -> None:
    a += ROW
    a *= a
    a[1:] -= a[:-1]
    a[:, 1] /= 3
    np.sqrt(np.abs(a), out=a)
    np.maximum(a[0], 2, out=a[1])


STORES: dict[str, Callable[[Any], None]] = {
    "number": assign(slice(1, -1), lambda a: 3),
    "row": assign((slice(None), slice(1, 3)), lambda a: a[0, :2]),
    "moved on": assign(slice(1, None), lambda a: a[:-1]),
    "moved back": assign(slice(None, -1), lambda a: a[1:] + 1),
    "turned": assign(slice(None), lambda a: a[::-1]),
    "plane": assign((slice(None), 2), lambda a: a[:, 1] * 2),
    "steps": assign((slice(None, None, -2), slice(None), slice(1, None, 3)), lambda a: a[:4, :, :2]),
    "one": assign((3, 2, 1), lambda a: 7.5),
    "few": assign((3, 2), lambda a: 7.5),
    "masked": masked,
    "in place": in_place,
}


@pytest.mark.parametrize("name", STORES)
def test_stores(target: Device, name: str) -> None:
    run, plain = STORES[name], CUBE.copy()
    run(plain)
    with hetc.configure(offload="auto"):  # where the data is: on the device, if that has memory of its own
        a: Any = hetc.map(lambda x: x + 0).on(target)(hetc.array(CUBE.reshape(-1))).reshape(CUBE.shape)
        view = a[2:]
        with hetc.profile() as p:
            run(a)
        assert p.bytes_d2h <= FLAGS
        same(a, plain)
        same(view, plain[2:])


def test_stores_to_other_types_and_of_what_does_not_fit(target: Device) -> None:
    x = np.arange(6, dtype=np.int32)
    with hetc.configure(offload="always"):
        a = on_device(target, x)
        a[3:3] = a[:1]
        a[1:] = a[:-1] + np.int64(2**32)
        x[1:] = (x[:-1] + np.int64(2**32)).astype(np.int32)
        same(a, x)
        for bad, error in (
            (lambda v: v.__setitem__(slice(1, 3), [1, 2, 3]), ValueError),
            (lambda v: v.__setitem__(slice(1, 1), [1, 2, 3]), ValueError),
            (lambda v: v.__setitem__(9, 1), IndexError),
            (lambda v: v.__iadd__(0.5), TypeError),
            (lambda v: v.__setitem__(slice(None), 2**40), OverflowError),
            (lambda v: v + np.ones(5), ValueError),
            (lambda v: v.sum(axis=3), np.exceptions.AxisError),
            (lambda v: np.add(v, v, out=hetc.array(np.zeros(2, np.int32))), ValueError),
        ):
            with pytest.raises(error):
                bad(x)
            with pytest.raises(error):
                bad(a)
        same(a, x)


def test_arrays_put_together(target: Device) -> None:
    with hetc.configure(offload="always"):
        a, t = on_device(target, TABLE), on_device(target, TABLE, np.float32)
        same(ran(lambda: np.concatenate([a, a[1:3]])), np.concatenate([TABLE, TABLE[1:3]]))
        same(
            ran(lambda: np.concatenate((t, a[:, :4]), axis=-1)), np.concatenate((TABLE.astype("f4"), TABLE[:, :4]), -1)
        )
    same(np.stack([a, a]), np.stack([TABLE, TABLE]))


# --------------------------------------------------------------------------------------------------------------------
# What moves, and what is told
# --------------------------------------------------------------------------------------------------------------------


def standardised(a: Any) -> Any:
    return (a - a.mean(axis=0)) / a.std(axis=0)


def test_statements_move_an_array_once(target: Device) -> None:
    x = generator.normal(size=(257, 33))
    with hetc.configure(offload="always"):
        a = hetc.array(x)
        with hetc.profile() as p:
            b = standardised(a)
        assert p.bytes_h2d == (0 if target.shared_memory else x.nbytes)
        assert p.bytes_d2h <= FLAGS
        with hetc.profile() as p:
            for _ in range(10):
                b = standardised(b)
        assert (p.bytes_h2d, p.compile_ms) == (0, 0)
        assert p.bytes_d2h <= 10 * FLAGS
        for _ in range(11):
            x = standardised(x)
        same(b, x, rtol=1e-9)


def test_views_are_put_in_a_row_where_they_are(target: Device) -> None:
    with hetc.configure(offload="auto"):
        double = hetc.map(lambda x: x + x).on(target)
        a: Any = double(hetc.array(ROW))
        with hetc.profile() as p:
            found = double(a[::-1])
        assert (p.bytes_h2d, p.bytes_d2h <= FLAGS) == (0, True)
        same(found, (ROW + ROW)[::-1] * 2)


def test_numpys_warnings_in_its_words(target: Device) -> None:
    x = np.array([1.0, 0.0, -1.0, 2.0])
    y = np.array([[0.0, 0.0, 1.0, 2.0], [4.0, 1.0, 2.0, 3.0]])
    calls: tuple[Callable[[Any, Any], Any], ...] = (
        lambda a, b: a / b, lambda a, b: np.log(b), lambda a, b: np.sqrt(a), lambda a, b: 1 / b, lambda a, b: b / a,
        lambda a, b: np.log(b[1]),
    )  # fmt: skip
    with hetc.configure(offload="always"):
        a, b = on_device(target, x), on_device(target, y)
        for apply in calls:
            with warnings.catch_warnings(record=True) as expected:
                warnings.simplefilter("always")
                plain = apply(x, y)
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                found = ran(lambda apply=apply: apply(a, b))
            same(found, plain, rtol=1e-15)
            assert sorted(str(one.message) for one in told) == sorted(str(one.message) for one in expected)
            assert {one.filename for one in told} <= {__file__}
        with np.errstate(divide="raise"), pytest.raises(FloatingPointError, match="divide by zero"):
            1 / b
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("error")
            np.log(-a)


def test_what_runs_on_the_host_gives_the_same(target: Device) -> None:
    with hetc.configure(offload="always"):
        a = on_device(target, CUBE)
        for apply in (
            lambda v: np.sort(v, axis=1), lambda v: v[[2, 0]], lambda v: v[v > 0], lambda v: np.median(v, axis=0),
            lambda v: np.sum(v, axis=0, where=v > 0), lambda v: v.round(), lambda v: np.cumsum(v, dtype=np.float32),
            lambda v: np.einsum("ijk->ik", v), lambda v: v.astype(np.int32), np.diagonal,
            lambda v: v @ v[0].T, lambda v: np.modf(v)[0],
        ):  # fmt: skip
            same(apply(a), apply(CUBE), rtol=1e-12)

"""Packages written by hand, run on every device: what the plan's steps mean, without the compiler."""

from __future__ import annotations

import dataclasses
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from hetc import abi
from hetc.abi import (
    Alloc,
    CheckGuards,
    Compute,
    Constant,
    Container,
    CopyIn,
    CopyOut,
    GuardSite,
    Kernel,
    KernelParameter,
    Launch,
    Marshal,
    Package,
    Scalar,
    Size,
    Source,
    TupleType,
    Unmarshal,
)
from hetc.errors import DeviceError
from hetc.runtime import profile
from hetc.runtime.devices import Device
from hetc.runtime.executor import Executable, GuardFailed

SIZES = (0, 1, 7, 255, 256, 257, 100_003)
F32, F64, INT, FLOAT = (abi.SCALAR_TYPES[name] for name in ("f32", "f64", "int", "float"))


def buffer(dtype: str, name: str) -> KernelParameter:
    return KernelParameter("buffer", dtype, name)


def scalar(dtype: str, name: str) -> KernelParameter:
    return KernelParameter("scalar", dtype, name)


SAXPY = """
#pragma OPENCL FP_CONTRACT OFF
__kernel void saxpy(__global const float *x, __global const float *y, __global float *r, float a, ulong n) {
    size_t i = get_global_id(0);
    if (GUARD && i >= n) return;
    r[i] = a * x[i] + y[i];
}
"""


def saxpy(device: Device, tail: str, group: int, *, shared: bool | None = None) -> Executable:
    """`a * x + y` over two float32 inputs, with `a` captured."""
    shared = device.shared_memory if shared is None else shared
    steps = (
        Marshal(0, Source(index=0), "float32"),
        Marshal(1, Source(index=1), "float32"),
        Scalar(2, Source(name="a"), "float32"),
        Size(3, Source(index=0)),
        CopyIn(4, 0, shared),
        CopyIn(5, 1, shared),
        Alloc(6, "float32", 3, shared),
        Launch("saxpy", 3, (4, 5, 6, 2, 3), group, tail),
        CopyOut(7, 6, shared),
        Unmarshal((7,), F32, Container.NDARRAY),
    )
    parameters = (
        buffer("float32", "x"),
        buffer("float32", "y"),
        buffer("float32", "r"),
        scalar("float32", "a"),
        scalar("uint64", "n"),
    )
    options = (f"-DGUARD={int(tail == 'guard')}",)
    package = Package(SAXPY, (Kernel("saxpy", parameters),), steps, 8, build_options=options)
    return Executable(package, device)


def pair(size: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(size)
    return rng.random(size, np.float32), rng.random(size, np.float32)


A = np.float32(2.5)


@pytest.mark.parametrize(
    ("tail", "group"),
    [("exact", 0), ("guard", 64), ("split", 64), ("single", 64), ("guard", 0), ("split", 0), ("single", 0)],
)
@pytest.mark.parametrize("shared", [True, False])
def test_launch_tails_cover_every_size(device: Device, tail: str, group: int, shared: bool) -> None:
    run = saxpy(device, tail, group, shared=shared and device.shared_memory).run
    for size in SIZES:
        x, y = pair(size)
        result = run((x, y), {"a": A})
        assert isinstance(result, np.ndarray)
        assert result.dtype == np.float32
        np.testing.assert_array_equal(result, A * x + y)


def test_exact_launch_of_whole_groups(device: Device) -> None:
    x, y = pair(512)
    np.testing.assert_array_equal(saxpy(device, "exact", 64).run((x, y), {"a": A}), A * x + y)


@pytest.mark.parametrize("shared", [True, False])
def test_layouts_are_copied_where_needed_and_left_alone(device: Device, shared: bool) -> None:
    run = saxpy(device, "exact", 0, shared=shared and device.shared_memory).run
    base, y = pair(3000)
    read_only = base[:1000].copy()
    read_only.flags.writeable = False
    bytes_off = np.zeros(4001, np.uint8)[1:].view(np.float32)
    bytes_off[:] = base[:1000]
    views = {
        "strided": base[::3],
        "negative stride": base[999::-1],
        "zero stride": np.broadcast_to(np.float32(3), (1000,)),
        "read-only": read_only,
        "column of a Fortran-ordered matrix": np.asfortranarray(base.reshape(1000, 3))[:, 1],
        "row of a Fortran-ordered matrix": np.asfortranarray(base.reshape(3, 1000))[1],
        "unaligned": bytes_off,
        "not at the start of a page": base[1:1001],
    }
    for name, x in views.items():
        before = x.copy()
        np.testing.assert_array_equal(run((x, y[:1000]), {"a": A}), A * x + y[:1000], err_msg=name)
        np.testing.assert_array_equal(x, before, err_msg=name)


def test_one_array_may_be_both_inputs(device: Device) -> None:
    x, _ = pair(1000)
    np.testing.assert_array_equal(saxpy(device, "exact", 0).run((x, x), {"a": A}), A * x + x)


def test_results_do_not_share_memory(device: Device) -> None:
    executable = saxpy(device, "exact", 0)
    x, y = pair(1000)
    first = executable.run((x, y), {"a": A})
    kept = np.copy(first)
    second = executable.run((y, x), {"a": A})
    assert not np.shares_memory(first, second)
    np.testing.assert_array_equal(first, kept)
    assert first.flags.writeable


ADDRESSES = """
__kernel void addresses(__global const float *x, __global ulong *r) { r[0] = (ulong)x; r[1] = (ulong)r; }
"""


@pytest.mark.parametrize("read_only", [False, True])
def test_shared_memory_is_the_arrays_own(device: Device, read_only: bool) -> None:
    """On a CPU the kernel sees the very addresses of the input and of the result."""
    if device.kind != "cpu":
        pytest.skip("a pointer means the same on both sides on CPUs only")
    steps = (
        Marshal(0, Source(index=0), "float32"),
        CopyIn(1, 0, shared=True),
        Constant(2, 2),
        Alloc(3, "uint64", 2, shared=True),
        Constant(4, 1),
        Launch("addresses", 4, (1, 3)),
        CopyOut(5, 3, shared=True),
        Unmarshal((5,), abi.SCALAR_TYPES["u64"], Container.NDARRAY),
    )
    kernel = Kernel("addresses", (buffer("float32", "x"), buffer("uint64", "r")))
    executable = Executable(Package(ADDRESSES, (kernel,), steps, 6), device)
    base, _ = pair(1_000_001)
    for x in (base, base[1:], base[:1]):
        view = x.view()
        view.flags.writeable = not read_only
        result = executable.run((view,), {})
        assert result.tolist() == [x.ctypes.data, result.ctypes.data]


def test_scalars_are_read_at_each_call(device: Device) -> None:
    executable = saxpy(device, "exact", 0)
    x, y = pair(10)
    for a in (np.float32(1), np.float32(-0.5), np.float32(np.inf)):
        np.testing.assert_array_equal(executable.run((x, y), {"a": a}), a * x + y)


def test_many_threads_may_run_one_executable(device: Device) -> None:
    executable = saxpy(device, "split", 64)
    x, y = pair(10_001)

    def right(a: float) -> bool:
        return np.array_equal(executable.run((x, y), {"a": a}), np.float32(a) * x + y)

    with ThreadPoolExecutor(4) as threads:
        assert all(threads.map(right, [float(i % 4) for i in range(80)]))


# Guards -------------------------------------------------------------------------------------------------------------

INVERSE = """
__kernel void inverse(__global const long *x, __global long *r, __global int *flags) {
    size_t i = get_global_id(0);
    if (x[i] == 0) { flags[1] = 1; return; }
    r[i] = 100 / x[i];
}
"""


def inverse(device: Device, *, shared: bool, more: bool = False) -> Executable:
    """`100 // x` over a list of Python ints, with a guard against zero; with `more`, a launch after the check."""
    launch = Launch("inverse", 1, (2, 3, 5))
    steps = (
        Marshal(0, Source(index=0), "int64"),
        Size(1, Source(index=0)),
        CopyIn(2, 0, shared),
        Alloc(3, "int64", 1, shared),
        Constant(4, 2),
        Alloc(5, "int32", 4, shared, zeroed=True),
        launch,
        CheckGuards(5),
        *((launch,) if more else ()),
        CopyOut(6, 3, shared),
        Unmarshal((6,), INT, Container.LIST),
    )
    parameters = (buffer("int64", "x"), buffer("int64", "r"), buffer("int32", "flags"))
    guards = (GuardSite(0, "overflow", "stays in 64 bits"), GuardSite(1, "zero_division", "divides by zero"))
    return Executable(Package(INVERSE, (Kernel("inverse", parameters),), steps, 7, guards), device)


@pytest.mark.parametrize("more", [False, True])
@pytest.mark.parametrize("shared", [True, False])
def test_a_guard_that_fires_stops_the_plan(device: Device, shared: bool, more: bool) -> None:
    executable = inverse(device, shared=shared and device.shared_memory, more=more)
    assert executable.run(([1, 3, 7],), {}) == [100, 33, 14]
    with profile.profile() as counted, pytest.raises(GuardFailed) as failed:
        executable.run(([1, 0, 7],), {})
    assert [site.kind for site in failed.value.sites] == ["zero_division"]
    assert counted.launches == 1
    assert executable.run(([2],), {}) == [50]
    assert executable.run(([],), {}) == []


# A reduction --------------------------------------------------------------------------------------------------------

SUM = """
__kernel void partial(__global const long *x, __global long *r, long n) {
    size_t i = get_global_id(0);
    long first = i * 8, last = min(n, (long)(first + 8)), sum = 0;
    for (long j = first; j < last; j++) sum += x[j];
    r[i] = sum;
}
"""


def test_a_reduction_of_three_levels(device: Device) -> None:
    shared = device.shared_memory
    steps = (
        Marshal(0, Source(index=0), "int64"),
        Size(1, Source(index=0)),
        CopyIn(2, 0, shared),
        Constant(3, 8),
        Compute(4, "ceildiv", 1, 3),
        Alloc(5, "int64", 4),
        Launch("partial", 4, (2, 5, 1)),
        Compute(6, "ceildiv", 4, 3),
        Alloc(7, "int64", 6),
        Launch("partial", 6, (5, 7, 4)),
        Constant(8, 1),
        Alloc(9, "int64", 8, shared),
        Launch("partial", 8, (7, 9, 6)),
        CopyOut(10, 9, shared),
        Unmarshal((10,), INT, Container.LIST, scalar=True),
    )
    parameters = (buffer("int64", "x"), buffer("int64", "r"), scalar("int64", "n"))
    executable = Executable(Package(SUM, (Kernel("partial", parameters),), steps, 11), device)
    for size in (1, 7, 8, 9, 255, 512):
        result = executable.run((list(range(size)),), {})
        assert (result, type(result)) == (sum(range(size)), int)


@pytest.mark.parametrize(
    ("op", "left", "right", "expected"),
    [
        ("add", 7, 2, 9),
        ("mul", 7, 2, 14),
        ("min", 7, 2, 2),
        ("max", 7, 2, 7),
        ("ceildiv", 7, 2, 4),
        ("ceildiv", 0, 2, 0),
    ],
)
def test_compute(device: Device, op: str, left: int, right: int, expected: int) -> None:
    source = "__kernel void write(__global long *r, long value) { r[0] = value; }"
    kernel = Kernel("write", (buffer("int64", "r"), scalar("int64", "value")))
    steps = (
        Constant(0, left),
        Constant(1, right),
        Compute(2, op, 0, 1),
        Constant(3, 1),
        Alloc(4, "int64", 3),
        Launch("write", 3, (4, 2)),
        CopyOut(5, 4),
        Unmarshal((5,), INT, Container.LIST),
    )
    assert Executable(Package(source, (kernel,), steps, 6), device).run((), {}) == [expected]


# Results ------------------------------------------------------------------------------------------------------------

SPLIT = """
__kernel void split(__global const double *x, __global const long *k, __global double *halves, __global long *twice,
                    long start, long step) {
    size_t i = get_global_id(0);
    halves[i] = x[i] / 2;
    twice[i] = k[i] * 2 + start + step * (long)i;
}
"""


def split(device: Device, container: Container) -> Executable:
    """`(x / 2, k * 2 + i)` over tuples `(x, k)` and a range of `i`."""
    shared = device.shared_memory
    steps = (
        Marshal(0, Source(index=0, path=(0,)), "float64"),
        Marshal(1, Source(index=0, path=(1,)), "int64"),
        Scalar(2, Source(index=1), "int64", "start"),
        Scalar(3, Source(index=1), "int64", "step"),
        Size(4, Source(index=1)),
        CopyIn(5, 0, shared),
        CopyIn(6, 1, shared),
        Alloc(7, "float64", 4, shared),
        Alloc(8, "int64", 4, shared),
        Launch("split", 4, (5, 6, 7, 8, 2, 3)),
        CopyOut(9, 7, shared),
        CopyOut(10, 8, shared),
        Unmarshal((9, 10), TupleType((FLOAT, INT)), container),
    )
    parameters = (
        buffer("float64", "x"),
        buffer("int64", "k"),
        buffer("float64", "halves"),
        buffer("int64", "twice"),
        scalar("int64", "start"),
        scalar("int64", "step"),
    )
    return Executable(Package(SPLIT, (Kernel("split", parameters),), steps, 11), device)


def test_tuples_come_apart_and_together(device: Device) -> None:
    pairs = [(float(i), i * i) for i in range(100)]
    expected = [(x / 2, k * 2 + i) for (x, k), i in zip(pairs, range(5, -295, -3), strict=True)]
    assert split(device, Container.LIST).run((pairs, range(5, -295, -3)), {}) == expected
    assert split(device, Container.TUPLE).run((tuple(pairs), range(5, -295, -3)), {}) == tuple(expected)
    assert split(device, Container.LIST).run(([], range(0)), {}) == []
    halves, twice = split(device, Container.NDARRAY).run((pairs, range(5, -295, -3)), {})
    np.testing.assert_array_equal(halves, [x for x, _ in expected])
    np.testing.assert_array_equal(twice, [k for _, k in expected])


def test_one_buffer_as_two_results_is_two_arrays(device: Device) -> None:
    executable = saxpy(device, "exact", 0)
    copy, two = CopyOut(7, 6, device.shared_memory), TupleType((F32, F32))
    plans = [
        (copy, Unmarshal((7, 7), two, Container.NDARRAY)),
        (copy, dataclasses.replace(copy, result=8), Unmarshal((7, 8), two, Container.NDARRAY)),
    ]
    for plan in plans:
        steps = (*executable.package.steps[:-2], *plan)
        package = dataclasses.replace(executable.package, steps=steps, registers=9)
        x, y = pair(100)
        first, second = Executable(package, device).run((x, y), {"a": A})
        assert not np.shares_memory(first, second)
        np.testing.assert_array_equal(first, second)


def test_an_input_copied_out_is_a_new_array(device: Device) -> None:
    shared = device.shared_memory
    steps = (
        Marshal(0, Source(index=0), "float32"),
        CopyIn(1, 0, shared),
        CopyOut(2, 1, shared),
        Unmarshal((2,), F32, Container.NDARRAY),
    )
    x, _ = pair(100)
    result = Executable(Package("__kernel void nothing() {}", (), steps, 3), device).run((x,), {})
    assert not np.shares_memory(result, x)
    np.testing.assert_array_equal(result, x)


def test_scalar_arguments_of_every_type(device: Device) -> None:
    types = {
        "bool": ("uchar", True),
        "int8": ("char", np.int8(-128)),
        "int16": ("short", np.int16(-32768)),
        "int32": ("int", np.int32(-(2**31))),
        "int64": ("long", -(2**63)),
        "uint8": ("uchar", np.uint8(255)),
        "uint16": ("ushort", np.uint16(65535)),
        "uint32": ("uint", np.uint32(2**32 - 1)),
        "uint64": ("ulong", np.uint64(2**64 - 1)),
        "float32": ("float", np.float32(0.1)),
        "float64": ("double", 0.1),
    }
    for dtype, (c_type, value) in types.items():
        source = f"__kernel void write(__global {c_type} *r, {c_type} value) {{ r[0] = value; }}"
        steps = (
            Scalar(0, Source(name="value"), dtype),
            Constant(1, 1),
            Alloc(2, dtype, 1),
            Launch("write", 1, (2, 0)),
            CopyOut(3, 2),
            Unmarshal((3,), abi.NUMPY_SCALARS[dtype], Container.NDARRAY, scalar=True),
        )
        kernel = Kernel("write", (buffer(dtype, "r"), scalar(dtype, "value")))
        result = Executable(Package(source, (kernel,), steps, 4), device).run((), {"value": value})
        assert isinstance(result, np.generic)
        assert (result, result.dtype) == (value, np.dtype(dtype))


def test_captured_matrices_are_row_major(device: Device) -> None:
    source = (
        "__kernel void copy(__global const double *m, __global double *r) { size_t i = get_global_id(0); r[i] = m[i]; }"
    )
    steps = (
        Marshal(0, Source(name="m"), "float64"),
        Size(1, Source(name="m"), 0),
        Size(2, Source(name="m"), 1),
        Compute(3, "mul", 1, 2),
        CopyIn(4, 0, device.shared_memory),
        Alloc(5, "float64", 3, device.shared_memory),
        Launch("copy", 3, (4, 5)),
        CopyOut(6, 5, device.shared_memory),
        Unmarshal((6,), F64, Container.NDARRAY),
    )
    kernel = Kernel("copy", (buffer("float64", "m"), buffer("float64", "r")))
    executable = Executable(Package(source, (kernel,), steps, 7), device)
    matrix = np.arange(12.0).reshape(3, 4)
    for m in (matrix, np.asfortranarray(matrix), matrix[:, ::2], matrix[::-1]):
        np.testing.assert_array_equal(executable.run((), {"m": m}), m.ravel())


# Profile and errors -------------------------------------------------------------------------------------------------


def test_profile_counts_what_ran(device: Device) -> None:
    x, y = pair(1000)
    for shared in {device.shared_memory, False}:
        executable = saxpy(device, "split", 64, shared=shared)
        with profile.profile() as counted:
            executable.run((x, y), {"a": A})
        assert counted.launches == 2
        assert counted.kernel_ns > 0
        assert (counted.bytes_h2d, counted.bytes_d2h) == ((0, 0) if shared else (8000, 4000))


def test_building_counts_as_compiling(device: Device) -> None:
    with profile.profile() as counted:
        saxpy(device, "exact", 0)
    assert counted.compile_ms > 0


def test_a_program_that_does_not_build_shows_the_log(device: Device) -> None:
    package = Package("__kernel void broken() { int a = undeclared; }", (Kernel("broken", ()),), (), 0)
    with pytest.raises(DeviceError, match="undeclared") as failed:
        Executable(package, device)
    assert failed.value.__cause__ is None
    assert failed.value.__suppress_context__


def test_too_much_memory_is_a_device_error(device: Device) -> None:
    steps = (Constant(0, 2**50), Alloc(1, "float64", 0))
    executable = Executable(Package("__kernel void nothing() {}", (), steps, 2), device)
    with pytest.raises(DeviceError) as failed:
        executable.run((), {})
    assert failed.value.__suppress_context__
    # The device still works.
    x, y = pair(10)
    np.testing.assert_array_equal(saxpy(device, "exact", 0).run((x, y), {"a": A}), A * x + y)

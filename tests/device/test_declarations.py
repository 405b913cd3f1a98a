"""Programs with a part of PoCL's header are those that they are with all of it, and are built where a part is wrong."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from importlib import metadata
from typing import Any

import numpy as np
import pytest

import hetc
from hetc.runtime import declarations, executor
from hetc.runtime.devices import Device, list_devices
from hetc.runtime.opencl import cl

SOURCE = """
__kernel void many(__global const double *x, __global double *y, __global int *n)
{
    const size_t i = get_global_id(0);
    y[i] = sin(fabs(x[i])) + pow(x[i], 2.0) + fma(x[i], 2.0, 1.0) + convert_double_rtz(convert_float_rtp(x[i]));
    vstore2(vload2(i, y) + (double2)(1.0, 2.0), i, y);
    atomic_add(n, as_int(1.0f) & max((int)i, 3));
    barrier(CLK_GLOBAL_MEM_FENCE);
}
"""


@pytest.fixture
def pocl() -> Device:
    found = [device for device in list_devices() if from_pip(device)]
    if not found:
        pytest.skip("the header is read of the PoCL that pip installs, where there is one, and it knows the processor")
    return found[0]


def from_pip(device: Device) -> bool:
    """Whether a device is that of pip's package, rather than of the system's PoCL."""
    try:
        return declarations.pocl_version(device.handle) == metadata.version(declarations.PACKAGE)
    except metadata.PackageNotFoundError:
        return False


def test_only_pocl_gets_a_part(device: Device) -> None:
    """And only the one that `pip` has installed, whose header is known."""
    found = declarations.with_declarations(device.handle, SOURCE, ["-w"])
    assert (found is None) == (not from_pip(device))


def test_a_part_holds_what_is_called_and_little_else(pocl: Device) -> None:
    source, options = declarations.with_declarations(pocl.handle, SOURCE, ["-w"]) or ("", [])
    part, _, program = source.partition("#line 1\n")
    assert (program, options) == (SOURCE, ["-w", declarations.LEFT_OUT])
    assert len(part) < 30_000
    called = set(re.findall(r"(\w+)\(", SOURCE)) - {"many", "as_int"}  # as_int is a macro of the base header
    assert called == {name for name in called if re.search(rf"\b{name}\(", part)}


def test_the_binary_is_that_of_the_whole_header(pocl: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.linspace(-3, 3, 64)

    def results() -> list[bytes]:
        program = executor._build_program.__wrapped__(pocl.context, SOURCE, ("-w",))
        kernel, queue, flags = cl.Kernel(program, "many"), pocl.queue, cl.mem_flags
        arrays = [x, np.zeros(2 * len(x)), np.zeros(1, np.int32)]
        buffers = [cl.Buffer(pocl.context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=a) for a in arrays]
        kernel(queue, (1,), (1,), *buffers)
        for array, buffer in zip(arrays, buffers, strict=True):
            cl.enqueue_copy(queue, array, buffer)
        return [array.tobytes() for array in arrays]

    short = results()
    monkeypatch.setattr(executor, "with_declarations", lambda *_: None)
    assert results() == short


def test_a_part_that_does_not_do_is_no_matter(pocl: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[str] = []

    def wrong(_: cl.Device, source: str, options: Any) -> tuple[str, list[str]]:
        tried.append(source)
        return f"#error\n{source}", [*options]

    monkeypatch.setattr(executor, "with_declarations", wrong)
    x = np.arange(1.0, 9.0)
    with hetc.configure(device=pocl, fallback="error"):
        found = hetc.map(lambda a: math.floor(a * 31.0625) % 7)(x)
    assert found.tolist() == [math.floor(a * 31.0625) % 7 for a in x]
    assert len(tried) == 1


def test_what_is_wrong_in_a_program_is_told_with_the_lines_of_the_program(pocl: Device) -> None:
    with pytest.raises(cl.Error, match=r":3:1[0-9]: .*undeclared_function"):
        executor._build_program.__wrapped__(
            pocl.context, "\n__kernel void f() {\n    int x = undeclared_function(1);\n}\n", ()
        )


def test_programs_that_ask_for_much(agree: Callable[..., Any]) -> None:
    x = np.linspace(0.1, 0.9, 257)
    agree(hetc.map(lambda a: math.atan2(a, 2) + math.hypot(a, 1) + math.erf(a) + math.copysign(a, -1)), x, ulp=16)
    agree(
        hetc.map(lambda a: (int(a * 100), round(a), abs(a), math.isnan(a), math.frexp(a)[1] if a else 0)),
        x,
        fallbacks=None,
    )

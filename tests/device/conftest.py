"""Device tests run on every OpenCL device there is, and compare with what CPython does."""

from __future__ import annotations

import copy
import dataclasses
import functools
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import Any

import numpy as np
import pytest

import hetc
from hetc import abi, driver
from hetc.runtime import executor
from hetc.runtime.devices import Device, list_devices
from tests import oracle
from tests.device.common_passes import CommonPasses
from tests.oracle import in_cpython


@pytest.fixture(params=list_devices() or [None], ids=lambda device: device.traits.family if device else "none")
def device(request: pytest.FixtureRequest) -> Device:
    if request.param is None:
        pytest.skip("there is no OpenCL device: pip install 'hetc[cpu]'")
    return request.param


def checked(device: Device) -> bool:
    """Whether modules are verified after each pass, which takes a third of a compilation: on the first device.

    What passes make of a program hangs on the traits of a device, and those of the others differ little.
    """
    return device.traits.family == list_devices()[0].traits.family


@pytest.fixture(scope="session", autouse=True)
def kernels_of_gpus_with_and_without_optimization() -> Iterator[None]:
    """The first device optimizes the kernels that are made for GPUs, the others do not.

    Groups with barriers are what compilers for processors take longest to optimize, half a second each; and no user has
    these kernels compiled by them. What a kernel means hangs on neither.
    """
    build = executor._build_kernels

    def built(package: abi.Package, device: Device) -> Any:
        if device.traits.family == "gpu" and device.kind == "cpu" and device.handle not in OPTIMIZING:
            options = (*package.build_options, UNOPTIMIZED)
            package = dataclasses.replace(package, build_options=options)
        return build(package, device)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(executor, "_build_kernels", built)
        yield


UNOPTIMIZED = "-cl-opt-disable"

OPTIMIZING = {device.handle for device in list_devices()[:1]}
"""The devices that optimize the kernels of GPUs."""


@pytest.fixture
def kernels_of_gpus_unoptimized() -> Iterator[None]:
    """For tests of what happens around kernels, of which there are the same in tests of kernels."""
    optimizing = {*OPTIMIZING}
    OPTIMIZING.clear()
    yield
    OPTIMIZING.update(optimizing)


@pytest.fixture(scope="session", autouse=True)
def passes_in_common() -> Iterator[None]:
    """Of a program that is compiled for all devices, the passes that are told nothing of the device run once."""
    common = CommonPasses()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(driver, "compile", common.compile)
        patch.setattr(driver, "levels", common.levels)
        yield


SIZES = (0, 1, 7, 255, 256, 257, 65_537)
"""Lengths around those of work-groups, and one of many."""

DTYPES = [
    "bool",
    "int8",
    "uint8",
    "int16",
    "uint16",
    "int32",
    "uint32",
    "int64",
    "uint64",
    "float16",
    "float32",
    "float64",
]
"""The numbers of NumPy that devices have."""


@functools.cache
def discrete(device: Device, number: int = 0) -> Device:
    """The same device as one whose memory is its own; each `number` is another device.

    It is one for all tests, so that what is compiled for it is compiled once.
    """
    return as_gpu(device)


@pytest.fixture
def gpu(device: Device) -> Device:
    """The device, as if it had memory of its own."""
    return as_gpu(device)


def as_gpu(device: Device, **traits: Any) -> Device:
    """The device, taken for a GPU; all have the local memory of the one with least, so that they get the same code."""
    traits = {"local_memory": min(one.traits.local_memory for one in list_devices()), **traits}
    changed = dataclasses.replace(device.traits, family="gpu", shared_memory=False, **traits)
    return dataclasses.replace(device, traits=changed)


@pytest.fixture(params=[True, False], ids=["shared", "discrete"])
def target(request: pytest.FixtureRequest, device: Device) -> Iterator[Device]:
    """A device to run on, as it is and as one with memory of its own, where all must be compiled."""
    made = device if request.param else discrete(device)
    with hetc.configure(device=made, fallback="error", verify=checked(device)):
        yield made


@pytest.fixture
def agree(device: Device) -> Callable[..., Any]:
    """See `agreement`."""
    return agreement(device)


def agreement(device: Device) -> Callable[..., Any]:
    """`agree(af, *inputs)`: hetc on the device gives what CPython gives; the result of the call.

    The call must have been compiled (`fallbacks=0`) and no guard may have failed (`deopts=0`) unless the test says so;
    None stands for any number.
    `ulp` is for functions of `math` and NumPy that OpenCL does not round correctly, `rtol` for sums of floats, which
    a reduction may group as it likes.
    """

    def check(
        af: hetc.ArrayFunction,
        *inputs: Any,
        deopts: int | None = 0,
        fallbacks: int | None = 0,
        ulp: int = 0,
        rtol: float = 0.0,
    ) -> Any:
        expected = outcome(lambda: in_cpython(af, inputs))
        before = tuple(map(copied, inputs))
        fallback = "error" if fallbacks == 0 else "silent"
        with (
            hetc.configure(device=device, offload="always", fallback=fallback, verify=checked(device)),
            hetc.profile() as p,
        ):
            found = outcome(lambda: af(*inputs))
        assert_same_outcome(found, expected, ulp, rtol)
        assert_same(inputs, before, 0, 0.0)
        assert fallbacks in (None, p.fallbacks), f"{p.fallbacks} fallbacks"
        assert deopts in (None, p.deopts), f"{p.deopts} calls went back to Python"
        return found.value

    return check


# --------------------------------------------------------------------------------------------------------------------
# CPython
# --------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Outcome:
    """What a call came to: a value, or an exception and the place that raised it."""

    value: Any = None
    error: Exception | None = None
    place: tuple[str, str, int] = ("", "", 0)


def outcome(call: Callable[[], Any]) -> Outcome:
    """Call, and tell what came of it. Warnings, of NumPy or that Python deprecates `~True`, are not compared."""
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            return Outcome(call())
    except hetc.HetcError:
        raise
    except Exception as error:  # noqa: BLE001 (whatever the user's function raises is compared)
        return Outcome(error=error, place=last_place(error.__traceback__))


def copied(value: Any) -> Any:
    """An input as it is now; lists of numbers, which are long, quickly."""
    plain = isinstance(value, list | tuple) and set(map(type, value)) <= {int, float, complex, bool}
    return copy.copy(value) if plain else copy.deepcopy(value)


def last_place(traceback: TracebackType | None) -> tuple[str, str, int]:
    """The file, function and line that raised."""
    assert traceback is not None
    while traceback.tb_next is not None:
        traceback = traceback.tb_next
    code = traceback.tb_frame.f_code
    return code.co_filename, code.co_name, traceback.tb_lineno


# --------------------------------------------------------------------------------------------------------------------
# Sameness
# --------------------------------------------------------------------------------------------------------------------


def assert_same_outcome(found: Outcome, expected: Outcome, ulp: int, rtol: float) -> None:
    """The same value, or the same exception from the same line of the user's function."""
    if found.error is not None and expected.error is None:
        raise found.error
    assert type(found.error) is type(expected.error), f"{found} instead of {expected}"
    if expected.error is None:
        assert_same(found.value, expected.value, ulp, rtol)
        return
    assert str(found.error) == str(expected.error)
    if expected.place[0] != oracle.__file__:  # it was the user's function that raised, not the call of it
        assert found.place == expected.place


def assert_same(found: Any, expected: Any, ulp: int, rtol: float) -> None:
    """Same types all the way down, same values: signed zeros differ, NaN is NaN.

    A complex number may be off by as many units in the last place of its size.
    """
    assert type(found) is type(expected), f"{found!r} instead of {expected!r}"
    if isinstance(expected, list | tuple):
        assert len(found) == len(expected)
        if len(expected) > 1000 and set(map(type, expected)) <= {int, float, complex, bool}:
            assert list(map(type, found)) == list(map(type, expected))
            assert_same_numbers(np.array(found), np.array(expected), ulp, rtol)
            return
        for one, other in zip(found, expected, strict=True):
            assert_same(one, other, ulp, rtol)
    elif isinstance(expected, np.ndarray | np.generic | float | complex):
        assert_same_numbers(np.asarray(found), np.asarray(expected), ulp, rtol)
    else:
        assert found == expected


def same_floats(found: np.ndarray[Any, Any], expected: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Where two arrays hold the same floats: signed zeros differ, NaN is NaN."""
    equal = (found == expected) & (np.signbit(found) == np.signbit(expected))
    return equal | (np.isnan(found) & np.isnan(expected))


def assert_same_numbers(found: np.ndarray[Any, Any], expected: np.ndarray[Any, Any], ulp: int, rtol: float) -> None:
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    if expected.dtype.kind not in "fc":
        np.testing.assert_array_equal(found, expected)
        return
    equal = same_floats(found.real, expected.real) & same_floats(found.imag, expected.imag)
    with np.errstate(all="ignore"):
        error = np.abs(found - expected)
        near = error <= np.maximum(ulp * np.spacing(np.abs(expected)), rtol * np.abs(expected))
    wrong = np.flatnonzero(~(equal | near))
    assert not wrong.size, (
        f"{wrong.size} of {expected.size} differ; at {wrong[0]}: {found.flat[wrong[0]]!r} instead of "
        f"{expected.flat[wrong[0]]!r}"
    )

"""Functions and inputs that are unusual and allowed: wrappers, any alphabet, OpenCL's words, deep expressions."""

from __future__ import annotations

import functools
import inspect
import math
from collections import namedtuple
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hetc
from hetc.runtime.devices import Device

# ruff: noqa: PLC2401 (names of any alphabet)

Agree = Callable[..., Any]


def swapped(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapper(y: Any, x: Any) -> Any:
        return function(x, y)

    return wrapper


@swapped
def difference(x: int, y: int) -> int:
    return x - 10 * y


def claimed(a: int, b: int) -> int:
    return a - 10 * b


claimed.__signature__ = inspect.signature(lambda b, a: None)


def test_a_function_has_the_parameters_of_its_code(agree: Agree) -> None:
    agree(hetc.map(difference), [1, 2], [3, 4])
    agree(hetc.map(claimed), [1, 2], [3, 4])
    agree(hetc.map(lambda x: difference(x, 2 * x) + claimed(x, 5)), [1, 2])


größe = 3


def test_names_of_any_alphabet(agree: Agree) -> None:
    agree(hetc.map(lambda ñ: ñ + größe), [1, 2])

    def größter_wert(α: int) -> int:
        β = α * 2
        for ı in range(α):
            β += ı
        return β

    agree(hetc.map(größter_wert), [1, 2, 3])
    agree(hetc.map(lambda x: größter_wert(x) + 1), [1, 2, 3])


WORDS = (
    "kernel", "half", "local", "float4", "FLT_DIG", "DBL_MANT_DIG", "HALF_MAX", "SCHAR_MAX", "FP_ILOGB0",
    "image2d_array_t", "_Generic", "_Alignas", "uint16", "get_global_id", "CLK_LOCAL_MEM_FENCE", "barrier",
)  # fmt: skip


@pytest.mark.parametrize("word", WORDS)
def test_words_of_opencl(agree: Agree, tmp_path: Any, word: str) -> None:
    path = tmp_path / "words.py"
    path.write_text(f"def f({word}):\n    return {word} + 1\n")
    names: dict[str, Any] = {}
    exec(compile(path.read_text(), str(path), "exec"), names)
    agree(hetc.map(names["f"]), [1, 2])


def test_a_file_whose_name_ends_a_line(agree: Agree, tmp_path: Any) -> None:
    path = tmp_path / "two\nlines\\"
    path.write_text("f = lambda x: x * 3\n")
    names: dict[str, Any] = {}
    exec(compile(path.read_text(), str(path), "exec"), names)
    agree(hetc.map(names["f"]), [1, 2])


def test_empty_tuples(agree: Agree) -> None:
    agree(hetc.map(lambda x: ()), [1, 2, 3], fallbacks=1)
    agree(hetc.map(lambda x: ((), x)), [1, 2], fallbacks=1)


def test_each_element_goes_through_all_stages(agree: Agree) -> None:
    af = hetc.map(lambda v: 10 // (v - 500)).map(math.sqrt)
    agree(af, range(1000), deopts=1)
    with hetc.configure(offload="never"), pytest.raises(ValueError, match="math domain error"):
        af(range(1000))


def test_an_expression_that_is_too_deep(device: Device, tmp_path: Any) -> None:
    path = tmp_path / "deep.py"
    path.write_text(f"f = lambda x: {' + '.join(['x'] * 1400)}\n")
    names: dict[str, Any] = {}
    exec(compile(path.read_text(), str(path), "exec"), names)
    with hetc.configure(device=device, fallback="silent"):
        assert hetc.map(names["f"])([1, 2]) == [1400, 2800]


def test_a_named_tuple_is_a_sequence(device: Device) -> None:
    pair = namedtuple("pair", "x y")(1, 2)
    af = hetc.map(lambda v: v + 1)
    with hetc.configure(device=device, fallback="silent"):
        found = af(pair)
    with hetc.configure(offload="never"):
        assert af(pair) == found == [2, 3]


def test_arguments_that_make_no_sense() -> None:
    with pytest.raises(TypeError, match="a skeleton takes a function, not int"):
        hetc.map(3)
    with pytest.raises(TypeError, match="then\\(\\) takes an array function"):
        hetc.map(abs).then(abs)
    with pytest.raises(TypeError, match="a device is one of"):
        hetc.map(abs).on(3.5)
    with hetc.configure(fallback="silent"), pytest.raises(TypeError):
        hetc.map(abs)(np.array(3.0))
    assert hetc.map(lambda x: x + 1).on(0)([1]) == [2]

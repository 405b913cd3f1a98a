"""The names in generated OpenCL C: no variable of the printer's takes one of the user's."""

from __future__ import annotations

import re

import hetc
from hetc import driver
from hetc.abi import DeviceTraits
from hetc.frontends.python.closure import resolve
from hetc.frontends.skeleton.composition import functions
from hetc.runtime.describe import describe


def swap(x):
    a, b, b_next = x, 1, 3
    for _ in range(5):
        b_next = b_next + a
        a, b = b + b_next, a
    return a + b + b_next


def test_a_saved_value_does_not_hide_a_variable_of_the_user():
    stages = hetc.map(swap).stages
    resolution = resolve(functions(stages))
    signature, captures = describe([[1, 2, 3]], resolution.captures)
    source = driver.compile(driver.Request(stages, signature, captures, resolution, DeviceTraits("cpu"))).source
    constants = set(re.findall(r"const \w+ (\w+) =", source))
    assigned = set(re.findall(r"^ *(\w+) = ", source, re.MULTILINE))
    assert "b_next" in assigned
    assert not constants & assigned

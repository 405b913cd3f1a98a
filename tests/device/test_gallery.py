"""The gallery: each program runs on the device from end to end, and gives what the plain one gives."""

from __future__ import annotations

import ast
import importlib
import inspect
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

import hetc
from examples.gallery import GALLERY
from hetc.runtime.devices import Device

USER_LINES = 40


@pytest.fixture(params=GALLERY)
def program(request: pytest.FixtureRequest) -> ModuleType:
    return importlib.import_module(f"examples.gallery.{request.param}")


def small(program: ModuleType) -> int:
    return GALLERY[program.__name__.rpartition(".")[2]][0]


def same(found: Any, expected: Any) -> bool:
    if isinstance(expected, tuple):
        return len(found) == len(expected) and all(map(same, found, expected))
    if isinstance(expected, list):
        return found == expected
    return found.dtype == expected.dtype and np.allclose(found, expected, rtol=1e-9, atol=1e-12)


def test_the_device_gives_what_the_plain_program_gives(device: Device, program: ModuleType) -> None:
    size = small(program)
    with hetc.configure(device=device, offload="always", fallback="error"), hetc.profile() as profile:
        found = program.compute(size)
    assert (profile.deopts, profile.fallbacks) == (0, 0)
    assert profile.launches > 0
    assert same(found, program.plain(size))


def test_python_gives_what_the_plain_program_gives(program: ModuleType) -> None:
    size = small(program) // 2
    with hetc.configure(offload="never"):
        assert same(program.compute(size), program.plain(size))


def test_a_picture_is_drawn(program: ModuleType) -> None:
    figure = Figure()
    program.picture(figure, program.plain(small(program)))
    assert figure.axes


def test_a_program_is_short(program: ModuleType) -> None:
    """Without its docstrings, the plain version, and the picture."""
    module = ast.parse(inspect.getsource(program))
    lines = set[int]()
    for statement in module.body:
        if isinstance(statement, ast.FunctionDef) and statement.name in ("plain", "picture"):
            continue
        for node in ast.walk(statement):
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                continue
            if isinstance(node, ast.stmt):
                last = node.lineno if hasattr(node, "body") else node.end_lineno or node.lineno
                lines.update(range(node.lineno, last + 1))
    assert len(lines) < USER_LINES

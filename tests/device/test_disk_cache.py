"""Kernels that the next process finds on disk: the same results, without the compiler."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hetc
from hetc import api
from hetc.division import DividingDispatcher
from hetc.runtime.devices import Device
from hetc.storage import store
from hetc.storage.files import Folder
from tests.device.conftest import discrete

PROGRAM = """
import json, sys
import numpy as np, hetc

folder, device, offload = sys.argv[1:4]
hetc.configure(cache_dir=folder, device=device, offload=offload, fallback="error", cache_size="1MB")
factor = 2.5

def helper(v):
    if v > 1e9:
        raise ValueError("too large")
    return v * factor

scale = hetc.map(lambda a, b: helper(a) + b)
total = hetc.map(lambda a: a * a).reduce(lambda p, q: p + q, 0)
blur = hetc.stencil(lambda w: (w[-1] + w[0] + w[1]) / 3)

@hetc.jit
def add(x, y):
    s = 0.0
    for i in hetc.forall(len(x)):
        y[i] = helper(x[i])
        s += y[i]
    return s

x = np.arange(1000.0)
y = np.zeros(1000)
with hetc.profile() as p:
    results = [scale(x, x).sum(), total(list(range(100))), blur(x).sum(), float(add(x, y)), y.sum()]
compiler = sorted(name for name in sys.modules if name.startswith(("xdsl", "hetc.passes", "hetc.driver")))
print(json.dumps([results, p.disk_hits, p.disk_misses, compiler]))
"""


def run(folder: Path, device: Device, repository: Path, offload: str = "always", **environment: str) -> Any:
    """What the program says in a process of its own."""
    script = folder / "program.py"
    if not script.exists():
        script.write_text(PROGRAM)
    path = os.pathsep.join([str(repository), os.environ.get("PYTHONPATH", "")])
    found = os.environ | {"PYTHONPATH": path, "HETC_CACHE": ""} | environment
    command = [sys.executable, "-W", "ignore", str(script), str(folder / "cache"), device.name, offload]
    done = subprocess.run(command, env=found, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def test_the_next_process_starts_without_the_compiler(device: Device, tmp_path: Path, repository: Path):
    first = run(tmp_path, device, repository)
    assert (first[1], first[2]) == (0, 4)
    second = run(tmp_path, device, repository, PYTHONHASHSEED="7")
    assert second[0] == first[0]
    assert second[1:] == [4, 0, []]
    off = run(tmp_path, device, repository, HETC_CACHE="off")
    assert (off[0], off[1], off[2]) == (first[0], 0, 0)
    (tmp_path / "program.py").write_text(PROGRAM.replace("v * factor", "v + factor"))
    changed = run(tmp_path, device, repository)
    assert changed[0] != first[0]
    assert changed[1] == 0
    for entry in (tmp_path / "cache").iterdir():
        entry.write_bytes(entry.read_bytes()[:-10])
    damaged = run(tmp_path, device, repository)
    assert damaged[0] == changed[0]
    assert damaged[1] == 0


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, device: Device) -> Iterator[Folder]:
    with hetc.configure(cache=True, cache_dir=tmp_path, device=device, fallback="error"):
        yield Folder(tmp_path, 10**8)


def another_process(monkeypatch: pytest.MonkeyPatch) -> DividingDispatcher:
    """Nothing is compiled any more, nothing is learnt."""
    fresh = DividingDispatcher()
    monkeypatch.setattr(api, "_dispatcher", fresh)
    return fresh


def test_explain_and_profile_tell_of_it(folder: Folder, monkeypatch: pytest.MonkeyPatch):
    double = hetc.map(lambda x: x + x)
    data = np.arange(4.0)
    another_process(monkeypatch)
    with hetc.profile() as p:
        double(data)
    assert (p.disk_hits, p.disk_misses, p.cache_hits) == (0, 1, 0)
    assert "compiled; no guard" in str(double.explain(data))
    another_process(monkeypatch)
    with hetc.profile() as p:
        double(data)
        double(data)
    assert (p.disk_hits, p.disk_misses, p.cache_hits) == (1, 0, 1)
    assert [event.name for event in p.events if event.kind == "load"] == ["looking for a stored kernel"]
    assert not [event for event in p.events if event.kind == "compile"]
    assert "found on disk; no guard" in str(double.explain(data))


def test_a_branch_that_was_left_out_is_found_out(folder: Folder, monkeypatch: pytest.MonkeyPatch):
    def f(x: float) -> float:
        return x * 2 if x < 100 else x / 3

    function = hetc.map(f)
    few, many = np.arange(90.0), np.arange(5000.0)
    for number, data in enumerate((few, many, few, many)):
        another_process(monkeypatch)
        with hetc.profile() as p:
            for _ in range(2):  # the first call finds out, the second has a kernel for it
                assert function(data).tolist() == [f(x) for x in data]
        assert (p.disk_hits, p.disk_misses) == [(0, 1), (1, 1), (1, 0), (2, 0)][number]
    assert len(folder.entries()) == 2


def test_the_exception_is_pythons(folder: Folder, monkeypatch: pytest.MonkeyPatch):
    def f(x: int) -> int:
        return 10 // x

    for _ in range(2):
        another_process(monkeypatch)
        with pytest.raises(ZeroDivisionError):
            hetc.map(f)([1, 2, 0])
        assert hetc.map(f)([1, 2, 5]) == [10, 5, 2]


def test_captured_integers_that_are_constants(folder: Folder, monkeypatch: pytest.MonkeyPatch):
    rounds = 5

    def f(x: float) -> float:
        for _ in range(rounds):
            x = x * 1.5
        return x

    function, data = hetc.map(f), np.arange(4.0)
    for hits in (0, 2):
        another_process(monkeypatch)
        with hetc.profile() as p:
            for _ in range(12):
                assert function(data).tolist() == [f(x) for x in data]
        assert p.disk_hits == hits
    assert len(folder.entries()) == 2


def test_plans_of_host_code_are_stored_too(folder: Folder, monkeypatch: pytest.MonkeyPatch, device: Device):
    def twice(x: Any, y: Any) -> Any:
        z = np.empty(len(x))
        for i in hetc.forall(len(x)):
            z[i] = 2 * x[i]
        for i in hetc.forall(len(x)):
            y[i] = z[i] + 1
        return y[0] + np.sum(y)

    def seen(function: Any, *arrays: Any) -> tuple[set[str], list[Any]]:
        another_process(monkeypatch)
        mine = [array.copy() for array in arrays]
        with hetc.profile() as p:
            result = hetc.jit(function)(*mine)
        theirs = [array.copy() for array in arrays]
        assert result == function(*theirs)
        assert all(np.array_equal(one, other) for one, other in zip(mine, theirs, strict=True))
        return {event.name for event in p.events if event.kind == "compile"}, p.events

    x, y = np.arange(5.0), np.zeros(5)
    with hetc.configure(device=discrete(device)):
        compiled, _ = seen(twice, x, y)
        assert "transfer-elimination" in compiled
        compiled, events = seen(twice, x, y)
        assert compiled == set()
        assert "looking for a stored plan" in {event.name for event in events}
        compiled, _ = seen(twice, x.astype(np.float32), y)  # the host's code is the same
        assert "transfer-elimination" not in compiled
        assert compiled
        both = np.zeros(10)
        another_process(monkeypatch)
        with hetc.profile() as p:
            hetc.jit(twice)(both[:5], both[4:9])  # these overlap
        assert "transfer-elimination" in {event.name for event in p.events}


def test_objects_are_compiled_at_every_start(folder: Folder, monkeypatch: pytest.MonkeyPatch):
    class Point:
        def __init__(self, x: float) -> None:
            self.x = x

    points = [Point(1.0), Point(2.0)]
    assert hetc.map(lambda p: p.x * 2)(points) == [2.0, 4.0]
    assert folder.entries() == []


def test_without_a_folder_that_can_be_written_to(folder: Folder, monkeypatch: pytest.MonkeyPatch):
    another_process(monkeypatch)
    with hetc.configure(cache_dir="/proc/hetc"):
        assert hetc.map(lambda x: x - 1)(np.arange(3.0)).tolist() == [-1, 0, 1]


def test_a_stored_kernel_is_used_at_once_where_that_pays(
    folder: Folder, monkeypatch: pytest.MonkeyPatch, device: Device
):
    def f(x: float) -> float:
        for _ in range(100):
            x = x * 0.5 + 1
        return x

    function, data = hetc.map(f), np.arange(20_000.0)
    with hetc.configure(offload="auto"):
        assert not store.may_find()
    function(data)
    store._is_used.cache_clear()  # another process has not looked yet
    another_process(monkeypatch)
    with hetc.configure(offload="auto"), hetc.profile() as p:
        function(data)
    assert (p.disk_hits, p.launches > 0, p.compile_ms < 500) == (1, True, True)

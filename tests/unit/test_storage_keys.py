"""What selects a stored kernel: whatever is changed of a program, the next process compiles anew."""

from __future__ import annotations

import dataclasses
import itertools
import os
import subprocess
import sys
import types
from collections.abc import Callable
from importlib.metadata import PathDistribution as Distribution
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hetc
from hetc import extensions, jobs, settings
from hetc.errors import SourceLocation
from hetc.frontends.loops.host_names import call_facts
from hetc.frontends.loops.rewrite import host_function
from hetc.jobs import CallOptions, Job
from hetc.runtime import devices
from hetc.speculation import Compiled
from hetc.storage import fingerprints, keys
from hetc.storage.host_plan_keys import host_plan_key
from hetc.transfers import Versions

pytestmark = pytest.mark.skipif(not devices.list_devices(), reason="there is no OpenCL device")

PROGRAM = """\
import math
import types
import numpy as np
import hetc

data = np.array([1.5, 2.5, 3.5])
table = np.array([1.0, 2.0])
factor = 2.0
count = 3
module = types.ModuleType("module")
module.offset = 1.0

def helper(v):
    return v * factor + count

def f(a, by=2.0):
    return helper(a) * by + table[0] + module.offset + math.sqrt(a)

call = hetc.map(f)
inputs = (data,)
"""

_numbers = itertools.count()


def key_of(folder: Path, source: str, options: CallOptions | None = None, compiled: Compiled | None = None) -> Any:
    """The key of the call that a program makes, in a process that has just read it."""
    file = folder / "program.py"
    file.write_text(source)
    os.utime(file, (0, next(_numbers)))
    program = types.ModuleType("program")
    exec(compile(source, str(file), "exec"), program.__dict__)
    with hetc.configure(cache=True):
        job = Job.of(program.call.stages, program.inputs, options or CallOptions(), settings.current())
        return job.stored_under(compiled or Compiled())


@pytest.fixture
def base(tmp_path: Path) -> str:
    found = key_of(tmp_path, PROGRAM)
    assert len(found) == 64
    return found


def test_the_same_program_again(base: str, tmp_path: Path):
    assert key_of(tmp_path, PROGRAM) == base


CHANGES = {
    "the function": ("return helper(a) * by", "return helper(a) + by"),
    "a constant": ("math.sqrt(a)", "math.sqrt(a) + 1"),
    "the type of a constant": ("module.offset + math", "module.offset + 0 * 1.0 + math"),
    "a function that it calls": ("return v * factor", "return v - factor"),
    "a function of the same code elsewhere": ("def helper(v):\n", "\ndef helper(v):\n"),
    "a comment": ("import math\n", "import math  # functions\n"),
    "a default value": ("by=2.0", "by=3.0"),
    "a default value's type": ("by=2.0", "by=2"),
    "the type of a global": ("factor = 2.0", "factor = 2"),
    "the range of an integer": ("count = 3", "count = -3"),
    "an integer that equals a length": ("count = 3", "count = 2"),
    "the type of an array": ("np.array([1.0, 2.0])", "np.array([1, 2])"),
    "the rank of an array": ("table[0]", "table[0, 0]"),
    "the length of an array": ("np.array([1.0, 2.0])", "np.array([1.0, 2.0, 3.0])"),
    "an attribute of a module": ("module.offset = 1.0", "module.offset = 1"),
    "a known function": ("math.sqrt", "math.exp"),
    "a known function behind a name": ("import math\n", "import cmath as math\n"),
    "a global in place of a builtin": ("factor = 2.0", "factor = 2.0\ndef abs(x): return x\n"),
    "a function in place of a number": ("count = 3", "def count(): pass"),
    "a number that is no longer there": ("count = 3", ""),
    "the type of the data": ("np.array([1.5, 2.5, 3.5])", "np.array([1.5, 2.5, 3.5], np.float32)"),
    "the container of the data": ("np.array([1.5, 2.5, 3.5])", "[1.5, 2.5, 3.5]"),
    "no data": ("np.array([1.5, 2.5, 3.5])", "np.array([])"),
    "data that is repeated": ("np.array([1.5, 2.5, 3.5])", "np.broadcast_to(1.5, 3)"),
    "a portable array": ("np.array([1.5, 2.5, 3.5])", "hetc.array([1.5, 2.5, 3.5])"),
    "another stage": ("call = hetc.map(f)", "call = hetc.map(f).map(helper)"),
    "another skeleton": ("call = hetc.map(f)", "call = hetc.filter(f)"),
    "a future": ("import math\n", "from __future__ import annotations; import math\n"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_of_the_program(change: str, base: str, tmp_path: Path):
    before, after = CHANGES[change]
    assert before in PROGRAM
    assert key_of(tmp_path, PROGRAM.replace(before, after)) not in (base, None)


CALLS = (
    "hetc.reduce(f, 0.0)", "hetc.reduce(f, 0)", "hetc.reduce(f, 1.0)", "hetc.reduce(f, -0.0)", "hetc.reduce(f)",
    "hetc.scan(f)", "hetc.scan(f, 0.0)", "hetc.scan(f, 0.0, True)", "hetc.map(f).any(f)", "hetc.map(f).all(f)",
    "hetc.map(f).argmin()", "hetc.map(f).argmax()", "hetc.scatter(np.array([2, 0, 1]), 3)",
    "hetc.scatter(np.array([2, 0, 1]), 4)", "hetc.scatter(np.array([2, 0, 1]), 3, f, 0.0)",
    "hetc.scatter(np.array([2, 0, 1]), 3, f, 1.0)", "hetc.gather(np.array([2, 0, 1]))",
    "hetc.gather(np.array([2, 0, 1], np.int32))", "hetc.map(f)", "hetc.zip()", "hetc.map(np.sqrt)", "hetc.map(np.exp)",
)  # fmt: skip


def test_compositions_differ(tmp_path: Path):
    found = [key_of(tmp_path, PROGRAM.replace("hetc.map(f)", call)) for call in CALLS]
    assert None not in found
    assert len(set(found)) == len(CALLS)


def test_values_that_are_passed_to_the_kernel_are_no_part_of_it(base: str, tmp_path: Path):
    # The text of the file is, so the value comes from elsewhere.
    value = tmp_path / "value.txt"
    reading = f"import pathlib; factor = float(pathlib.Path({str(value)!r}).read_text())"
    source = PROGRAM.replace("factor = 2.0", reading)
    found: set[str | None] = set()
    for text in ("3.0", "4.0"):
        value.write_text(text)
        found.add(key_of(tmp_path, source))
    assert len(found) == 1
    assert found.isdisjoint({base, None})


def test_code_that_is_made_in_the_same_place(tmp_path: Path):
    # What the file says is the same, what it makes of it is not.
    source = PROGRAM + "import os\nif os.environ.get('HETC_TEST_OTHER'):\n    helper = lambda v: v\n"
    one = key_of(tmp_path, source)
    os.environ["HETC_TEST_OTHER"] = "1"
    try:
        assert key_of(tmp_path, source) not in (one, None)
    finally:
        del os.environ["HETC_TEST_OTHER"]


@pytest.mark.parametrize(
    "compiled",
    [Compiled(tells=True), Compiled(recompilations=4), Compiled(widened=frozenset([SourceLocation("program.py", 3)]))],
)
def test_what_was_learnt(compiled: Compiled, base: str, tmp_path: Path):
    assert key_of(tmp_path, PROGRAM, compiled=compiled) not in (base, None)


def test_options_settings_and_error_state(base: str, tmp_path: Path):
    found = [base, key_of(tmp_path, PROGRAM, CallOptions(layout="soa"))]
    for changes in ({"debug": True}, {"verify": True}, {"transfer_elimination": False}, {"fastmath": True}):
        with hetc.configure(**changes):
            found.append(key_of(tmp_path, PROGRAM))
    with np.errstate(all="ignore"):
        found.append(key_of(tmp_path, PROGRAM))
    assert None not in found
    assert len(set(found)) == len(found)


def test_settings_that_say_where_a_call_runs_are_no_part_of_it(base: str, tmp_path: Path):
    with hetc.configure(offload="auto", threshold=1.0, fallback="error", cache_size="1MB", cache_dir=tmp_path):
        assert key_of(tmp_path, PROGRAM) == base


@pytest.mark.parametrize("fact", ["name", "platform", "version", "driver"])
def test_another_device_or_driver(fact: str, base: str, tmp_path: Path):
    device = devices.select()
    other = dataclasses.replace(device, **{fact: f"{getattr(device, fact)} 2"})
    assert key_of(tmp_path, PROGRAM, CallOptions(device=other)) not in (base, None)
    traits = dataclasses.replace(device.traits, compute_units=device.traits.compute_units + 1)
    other = dataclasses.replace(device, traits=traits)
    assert key_of(tmp_path, PROGRAM, CallOptions(device=other)) not in (base, None)


@pytest.mark.parametrize("version", ["numpy", "python", "xdsl", "hetc"])
def test_another_compiler(version: str, base: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    match version:
        case "numpy":
            monkeypatch.setattr(np, "__version__", "9.9")
        case "python":
            monkeypatch.setattr(sys, "version", "3.99")
        case "xdsl":
            monkeypatch.setattr(keys, "installed", lambda _: "9.9")
        case _:
            files = list(keys.files_of(Path(hetc.__file__).parent))
            name, size, time = files[-1]
            assert len(files) > 100
            monkeypatch.setattr(keys, "files_of", lambda _: [*files[:-1], (name, size, time + 1)])
    keys.compiler.cache_clear()
    try:
        assert key_of(tmp_path, PROGRAM) not in (base, None)
    finally:
        monkeypatch.undo()
        keys.compiler.cache_clear()


def test_a_package_that_is_being_worked_on(base: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    assert keys.installed("xdsl") == keys.installed("xdsl")
    monkeypatch.setattr(Distribution, "read_text", lambda _, name: {"direct_url.json": EDITABLE}.get(name, ""))
    keys.compiler.cache_clear()
    try:
        with pytest.raises(fingerprints.UnstableError):
            keys.installed("xdsl")
        assert key_of(tmp_path, PROGRAM) is None
    finally:
        monkeypatch.undo()
        keys.compiler.cache_clear()
    assert key_of(tmp_path, PROGRAM) == base


def test_files_are_listed_with_their_size_and_time(tmp_path: Path):
    (tmp_path / "part").mkdir()
    for name in ("a.py", "part/b.py", "notes.txt"):
        (tmp_path / name).write_text("x = 1\n")
    before = list(keys.files_of(tmp_path))
    assert [name for name, _, _ in before] == ["a.py", "part/b.py"]
    os.utime(tmp_path / "part" / "b.py", ns=(1, 1))
    assert list(keys.files_of(tmp_path)) != before


EDITABLE = '{"dir_info": {"editable": true}, "url": "file:///somewhere"}'
NOT_STORED = {
    "a captured object": ("module.offset = 1.0", "class C: offset = 1.0\nmodule = C()"),
    "a class": ("return v * factor", "return C(v).x"),
    "a default value of a class of the user's": ("by=2.0", "by=types.SimpleNamespace()"),
}


@pytest.mark.parametrize("change", NOT_STORED)
def test_what_cannot_be_told_is_not_stored(change: str, tmp_path: Path):
    before, after = NOT_STORED[change]
    source = PROGRAM.replace("import math\n", "import math\nclass C:\n    def __init__(self, x): self.x = x\n")
    assert key_of(tmp_path, source.replace(before, after)) is None


def test_with_extensions_nothing_is_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(keys, "extensions", lambda: (extensions.Extension(),))
    assert key_of(tmp_path, PROGRAM) is None


def test_all_that_the_compiler_is_told_is_in_the_key():
    """A new field has to be looked at: it is part of the key, or it does not change what is compiled."""
    from hetc import driver

    assert {f.name for f in dataclasses.fields(driver.Request)} == {
        "stages", "signature", "captures", "resolution", "traits", "name", "verify", "samples", "widened", "warns",
        "checks", "fastmath",
    }  # fmt: skip
    # All fields of a job are in the key, but for these.
    assert {f.name for f in dataclasses.fields(Job)} >= jobs._NO_FACTS
    assert jobs._NO_FACTS == {
        "stages", "inputs", "columns", "resolution", "device", "loop_of", "heap", "in_python", "constants", "elsewhere",
        "batches", "divided",
    }  # fmt: skip


SAME_EVERYWHERE = """
import sys
from pathlib import Path
from tests.unit.test_storage_keys import PROGRAM, key_of
print(key_of(Path(sys.argv[1]), PROGRAM))
"""


def test_queues_for_batches_are_no_part_of_it(base: str, tmp_path: Path):
    for device in hetc.devices():
        device.on_queue(1)
    assert key_of(tmp_path, PROGRAM) == base


def test_processes_agree(base: str, tmp_path: Path, repository: Path):
    for seed in ("1", "2"):
        environment = os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": str(repository)}
        command = [sys.executable, "-c", SAME_EVERYWHERE, str(tmp_path)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        assert done.stdout.strip() == base


def digest(value: object) -> str:
    return fingerprints.digest_of(value)


def test_values_of_different_types_differ():
    values: list[object] = [
        None, False, 0, 0.0, -0.0, 0j, "", b"", (), [], frozenset(), {}, "0", b"0", (0,), [0], ((),), (0, 0), ("",),
        np.float32(0), np.float64(0), np.int64(0), np.dtype("f4"), np.dtype("<f8"), np.dtype([("a", "f4")]),
        np.dtype([("b", "f4")]), np.dtype([("a", "f4"), ("b", "f4")]), int, float, np.float32, float("nan"),
    ]  # fmt: skip
    assert len({digest(value) for value in values}) == len(values)


def test_parts_do_not_run_into_each_other():
    assert digest(("ab", "c")) != digest(("a", "bc"))
    assert digest((("a",), "b")) != digest(("a", ("b",)))


@pytest.mark.parametrize("value", [object(), types.SimpleNamespace(), np.arange(3), lambda: 0, np.dtype(object)])
def test_what_has_no_digest(value: object):
    with pytest.raises(fingerprints.UnstableError):
        digest(value)


def test_classes_of_the_users_have_no_digest():
    class Own:
        pass

    class Number(int):
        pass

    make: list[Callable[[], object]] = [lambda: Own, Own, lambda: Number(3), lambda: (1, Number(3))]
    for each in make:
        with pytest.raises(fingerprints.UnstableError):
            digest(each())


LOOPS = """\
import numpy as np
import hetc

scale = 2.0

def f(x, y, n):
    s = 0.0
    for i in hetc.forall(n):
        y[i] = x[i] * scale
        s += x[i]
    if np.sum(y) > 0:
        x[0] = scale
    return s

arguments = (np.arange(3.0), np.arange(3.0), 3)
"""


def plan_key(folder: Path, source: str) -> str | None:
    """The key of the plan of host code of a program that has just been read."""
    file = folder / "loops.py"
    file.write_text(source)
    os.utime(file, (0, next(_numbers)))
    program = types.ModuleType("loops")
    exec(compile(source, str(file), "exec"), program.__dict__)
    host = host_function(program.f, lambda *_: iter(()))
    versions = Versions(host, lambda *_: iter(()))
    given = versions.arguments(program.arguments, {})
    return host_plan_key(host, call_facts(host.original, versions.names, given), settings.current())


PLAN_CHANGES = {
    "the host's code": ("> 0:", "> 1:"),
    "the body of a loop": ("x[i] * scale", "x[i] + scale"),
    "a reduction": ("s += x[i]", "s *= x[i]"),
    "what is no parallel loop": ("hetc.forall(n)", "range(n)"),
    "what a name means": ("scale = 2.0", "scale = 2.0; hetc = __import__('types').SimpleNamespace(forall=range)"),
    "a function that is known": ("np.sum", "np.max"),
    "a function that is not": ("arguments = (", "np = __import__('types').SimpleNamespace(**vars(np)); arguments = ("),
    "the kind of a global": ("scale = 2.0", "scale = [2.0]"),
    "the rank of an argument": ("np.arange(3.0), 3)", "np.ones((3, 3)), 3)"),
    "the kind of an argument": ("np.arange(3.0), 3)", "[0.0] * 3, 3)"),
    "arrays that overlap": ("np.arange(3.0), np.arange(3.0)", "*[np.arange(3.0)] * 2"),
}


@pytest.mark.parametrize("change", PLAN_CHANGES)
def test_a_change_of_host_code(change: str, tmp_path: Path):
    before, after = PLAN_CHANGES[change]
    assert before in LOOPS
    base = plan_key(tmp_path, LOOPS)
    assert base == plan_key(tmp_path, LOOPS)
    assert plan_key(tmp_path, LOOPS.replace(before, after)) not in (base, None)


def test_a_function_whose_name_leads_elsewhere_is_no_part_of_a_plan(tmp_path: Path):
    source = LOOPS.replace("np.sum(y)", "known(y)").replace("scale = 2.0", "scale = 2.0\nknown = lambda y: 0\n")
    assert plan_key(tmp_path, source) is not None  # it is not known, whatever it is
    named = source + "known.__module__, known.__name__ = 'math', 'sqrt'\n"
    assert plan_key(tmp_path, named) is None

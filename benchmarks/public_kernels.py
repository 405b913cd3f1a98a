"""Plain NumPy kernels of a public collection, NPBench, through hetc: right or not, offloaded or not, and how fast.

    git clone https://github.com/spcl/npbench
    python -m benchmarks.public_kernels path/to/npbench            # writes docs/public-kernels.md

Nothing of the kernels is changed but that each function of their NumPy versions is decorated with `hetc.jit`. They are
run on the collection's own data. Numba's times are those of the collection's versions for Numba, where Numba is
installed. (Ziogas et al., NPBench: a benchmarking suite for high-performance NumPy, ICS 2021.)
"""

from __future__ import annotations

import argparse
import copy
import importlib
import importlib.util
import json
import platform
import signal
import statistics
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np

import hetc
from hetc.errors import CompileError
from hetc.jit_function import JitFunction
from hetc.runtime.devices import select

PAGE = Path(__file__).resolve().parents[1] / "docs" / "public-kernels.md"
TOLERANCE = 1e-8
"""How far results may be apart, relative to their largest number; twice as many digits are lost in single precision."""
LONG_SECONDS = 6.0
"""A kernel whose NumPy version takes longer on data of the size that is asked for is measured on size S."""
WARM_CALLS, WARM_LEAST, WARM_SECONDS = 6, 2.0, 6.0
"""Calls before those that are timed, in which it is found out what pays: so many, for so long, and how long at most."""
ROUNDS, ROUNDS_SECONDS = 9, 6.0
"""How often each version is called in turn, and after how long no more."""

Row = dict[str, Any]


def main() -> int:
    """Try all kernels; 1 if hetc gets one wrong."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.public_kernels", description=__doc__)
    parser.add_argument("checkout", type=Path, help="the folder that NPBench has been cloned to")
    parser.add_argument("--preset", default="M", help="NPBench's size of the data: S, M, L or paper")
    parser.add_argument("--only", nargs="*", help="the kernels to run, by their files' names")
    parser.add_argument("--timeout", type=float, default=240, help="seconds for one kernel")
    parser.add_argument("--device", default=None, help="a part of a device's name")
    parser.add_argument("--output", type=Path, default=PAGE, help="the page to write")
    parser.add_argument("--rows", type=Path, help="a file of what has been measured, which is read and added to")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        for row in one_kernel(arguments.checkout, arguments.one, arguments.preset, arguments.device):
            print(json.dumps(row), flush=True)
        return 0
    known: dict[str, Row] = {}
    if arguments.rows is not None and arguments.rows.exists():
        known = json.loads(arguments.rows.read_text())
    names = arguments.only
    if names is None:
        names = sorted(path.stem for path in (arguments.checkout / "bench_info").glob("*.json"))
    for name in names:
        known[name] = in_process(arguments, name)
        print(known[name], flush=True)
        if arguments.rows is not None:
            arguments.rows.write_text(json.dumps(known, indent=1))
    rows = [known[name] for name in sorted(known)]
    arguments.output.write_text(page(rows, select(arguments.device).name))
    wrong = [row["name"] for row in rows if row.get("right") is False]
    print(f"wrote {arguments.output}: {len(rows)} kernels, wrong: {', '.join(wrong) or 'none'}")
    return 1 if wrong else 0


def in_process(arguments: argparse.Namespace, name: str) -> Row:
    """What one kernel comes to, in a process of its own, which may take too long or crash."""
    command = [sys.executable, "-m", "benchmarks.public_kernels", str(arguments.checkout), "--one", name]
    command += ["--preset", arguments.preset, *(["--device", arguments.device] if arguments.device else [])]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=arguments.timeout, check=False)
        told, failed = done.stdout, done.stderr.strip().splitlines()[-1:] if done.returncode else []
    except subprocess.TimeoutExpired as late:
        told = (late.stdout.decode() if isinstance(late.stdout, bytes) else late.stdout) or ""
        failed = [f"took more than {arguments.timeout:.0f} s"]
    rows = [json.loads(line) for line in told.splitlines() if line.startswith("{")]
    if rows:  # all but what takes too long
        return rows[-1]
    return {"name": name, "failed": failed[0] if failed else "crashed"}


def one_kernel(checkout: Path, name: str, preset: str, device: str | None) -> Iterator[Row]:
    """Run a kernel by NumPy and by hetc, and compare: what is known of it, again and again, as more of it is known."""
    sys.path.insert(0, str(checkout))
    info = json.loads((checkout / "bench_info" / f"{name}.json").read_text())["benchmark"]
    base = f"npbench.benchmarks.{info['relative_path'].replace('/', '.')}.{info['module_name']}"
    plain = getattr(importlib.import_module(f"{base}_numpy"), info["func_name"])
    compiled = decorated(f"{base}_numpy", info["func_name"])
    warnings.simplefilter("ignore")
    small = inputs(base, info, "S")
    row: Row = {"name": name, "launches": None, "reasons": []}
    row["preset"], data = preset, inputs(base, info, preset)
    if preset != "S" and takes_long(plain, data, info):
        row["preset"], data = "S", small
    with hetc.configure(device=device, offload="auto", fallback="silent"):
        row["first"] = seconds(compiled, data, info)
        row["right"] = agree(plain, compiled, data, info)
        warm(compiled, data, info)
        versions: dict[str, Callable[..., Any]] = {"numpy": plain, "hetc": compiled}
        row["seconds"] = in_turn(versions, data, info)
        with hetc.profile() as p:
            call(compiled, data, info)
        row["launches_auto"] = p.launches
        yield row
        numba, first = numba_version(base, info, data)
        if numba is not None:
            row |= {"seconds": in_turn({**versions, "numba": numba}, data, info), "numba_first": first}
            yield row
    # Another function, of which nothing has been measured.
    compiled = decorated(f"{base}_numpy", info["func_name"])
    with hetc.configure(device=device, offload="always", fallback="silent"), hetc.profile() as p:
        row["right"] = agree(plain, compiled, small, info) and row["right"]
        row["launches"] = p.launches
    yield row
    row["reasons"] = reasons(compiled, small, info)
    yield row


def decorated(module: str, name: str) -> JitFunction:
    """The function of a module that is loaded afresh, all of whose functions are decorated."""
    spec = importlib.util.find_spec(module)
    assert spec is not None
    assert spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    for key, value in list(vars(loaded).items()):
        if isinstance(value, FunctionType) and value.__module__ == loaded.__name__:
            setattr(loaded, key, hetc.jit(value))
    return getattr(loaded, name)


def inputs(base: str, info: dict[str, Any], preset: str) -> dict[str, Any]:
    """The data of a kernel, as the collection makes it."""
    data = dict(info["parameters"][preset])
    init = info.get("init")
    if init:
        make = getattr(importlib.import_module(base), init["func_name"])
        made = make(*(data[argument] for argument in init["input_args"]))
        outputs = init["output_args"]
        data.update(zip(outputs, made if len(outputs) > 1 else (made,), strict=True))
    return data


def call(function: Callable[..., Any], data: dict[str, Any], info: dict[str, Any]) -> list[Any]:
    """Call a kernel with copies of its data: what it returns, and what it leaves in its arrays."""
    arguments = {name: copy.deepcopy(data[name]) for name in info["input_args"]}
    returned = function(*arguments.values())
    results = list(returned) if isinstance(returned, tuple) else [] if returned is None else [returned]
    return results + [arguments[name] for name in info["output_args"] if name in arguments]


def agree(one: Callable[..., Any], other: Callable[..., Any], data: dict[str, Any], info: dict[str, Any]) -> bool:
    """Whether two versions of a kernel give the same."""
    expected, found = call(one, data, info), call(other, data, info)
    return len(expected) == len(found) and all(map(close, expected, found))


def close(expected: Any, found: Any) -> bool:
    """Whether two results are of one type and shape, and as good as equal."""
    if type(expected) is not type(found):
        return False
    one, other = np.asarray(expected), np.asarray(found)
    if one.dtype != other.dtype or one.shape != other.shape:
        return False
    if one.dtype.kind not in "fc":
        return bool(np.array_equal(one, other))
    tolerance = TOLERANCE if one.dtype.itemsize >= 8 and one.dtype != np.complex64 else np.sqrt(TOLERANCE)
    finite = np.abs(one[np.isfinite(one)])
    scale = float(finite.max()) if finite.size else 1.0
    return bool(np.allclose(one, other, rtol=tolerance, atol=tolerance * scale, equal_nan=True))


def seconds(function: Callable[..., Any], data: dict[str, Any], info: dict[str, Any]) -> float:
    """The time of a call, without that of copying its data."""
    arguments = [copy.deepcopy(data[name]) for name in info["input_args"]]
    start = time.perf_counter()
    function(*arguments)
    return time.perf_counter() - start


def warm(function: Callable[..., Any], data: dict[str, Any], info: dict[str, Any]) -> None:
    """Call a version some times."""
    spent, calls = 0.0, 0
    while spent < WARM_LEAST or (calls < WARM_CALLS and spent <= WARM_SECONDS):
        spent += seconds(function, data, info)
        calls += 1


def in_turn(versions: dict[str, Callable[..., Any]], data: dict[str, Any], info: dict[str, Any]) -> dict[str, float]:
    """The median times of some versions, called in turn, so that all meet the same noise."""
    times: dict[str, list[float]] = {name: [] for name in versions}
    start = time.perf_counter()
    for _ in range(ROUNDS):
        for name, function in versions.items():
            times[name].append(seconds(function, data, info))
        if time.perf_counter() - start > ROUNDS_SECONDS:
            break
    return {name: statistics.median(found) for name, found in times.items()}


def takes_long(function: Callable[..., Any], data: dict[str, Any], info: dict[str, Any]) -> bool:
    """Whether a version takes longer than kernels are to take here."""

    def late(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, LONG_SECONDS)
    try:
        return seconds(function, data, info) > LONG_SECONDS
    except TimeoutError:
        return True
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def reasons(function: JitFunction, data: dict[str, Any], info: dict[str, Any]) -> list[str]:
    """Why statements run in NumPy, as `explain` says it."""
    try:
        met = function.loops_met(tuple(copy.deepcopy(data[name]) for name in info["input_args"]), {})
    except CompileError as error:
        return [error.reason]
    return list(dict.fromkeys(job.reason for _, job in met if isinstance(job, CompileError)))


def numba_version(
    base: str, info: dict[str, Any], data: dict[str, Any]
) -> tuple[Callable[..., Any] | None, float | None]:
    """The fastest of the collection's versions for Numba, and its first call's time; None without one that runs."""
    if importlib.util.find_spec("numba") is None:
        return None, None
    found: list[tuple[float, float, Callable[..., Any]]] = []
    for kind in ("numba_np", "numba_n", "numba_op", "numba_o"):
        if kind.startswith("numba_o") and found:
            break  # object mode is what is left
        if importlib.util.find_spec(f"{base}_{kind}") is None:
            continue
        try:
            function = getattr(importlib.import_module(f"{base}_{kind}"), info["func_name"])
            first = seconds(function, data, info)
            found.append((seconds(function, data, info), first, function))
        except Exception as error:  # noqa: BLE001 (whatever another compiler says of a kernel)
            print(f"{base}_{kind}: {type(error).__name__}", file=sys.stderr)
    if not found:
        return None, None
    _, first, function = min(found, key=lambda version: version[0])
    return function, first


def page(rows: list[Row], device: str) -> str:
    """The page as Markdown."""
    done = [row for row in rows if "failed" not in row]
    counts = {
        "rows": len(rows),
        "done": len(done),
        "right": sum(row["right"] for row in done),
        "always": sum(bool(row["launches"]) for row in done),
        "auto": sum(bool(row["launches_auto"]) for row in done),
        "compared": sum("numba" in row["seconds"] for row in done),
        "beats_numba": sum(ratio(row, "numba") >= 1 for row in done if "numba" in row["seconds"]),
        "slower": sum(ratio(row, "numpy") < 1 / 1.2 for row in done),
    }
    text = _INTRODUCTION.format(
        **counts, device=device, python=platform.python_version(), numpy=np.__version__, numba=_numba()
    )
    heads = [
        "kernel", "size", "right", "always", "auto", "NumPy, ms", "hetc to NumPy", "hetc to Numba", "first call, s",
        "Numba's", "what stays in NumPy, and why",
    ]  # fmt: skip
    lines = [text, _line(heads), _line(["---"] * len(heads))]
    for row in rows:
        if "failed" in row:
            lines.append(_line([row["name"], *[""] * (len(heads) - 2), row["failed"]]))
            continue
        has_numba = "numba" in row["seconds"]
        why = "; ".join(reason.replace("|", "&#124;") for reason in row["reasons"][:3])
        lines.append(
            _line(
                [
                    row["name"],
                    row["preset"],
                    "yes" if row["right"] else "**no**",
                    "too long" if row["launches"] is None else str(row["launches"]),
                    str(row["launches_auto"]),
                    f"{row['seconds']['numpy'] * 1e3:.1f}",
                    f"{ratio(row, 'numpy'):.2f}",
                    f"{ratio(row, 'numba'):.2f}" if has_numba else "",
                    f"{row['first']:.2f}",
                    f"{row['numba_first']:.2f}" if has_numba else "",
                    why,
                ]
            )
        )
    return "\n".join(lines) + "\n"


def ratio(row: Row, other: str) -> float:
    """How many times as fast as another version hetc is."""
    return row["seconds"][other] / row["seconds"]["hetc"]


def _numba() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return f"Numba {version('numba')}"
    except PackageNotFoundError:
        return "no Numba"


_INTRODUCTION = """# Public kernels

{rows} kernels of [NPBench](https://github.com/spcl/npbench), as its NumPy versions are, with `@hetc.jit` before
each function and nothing else changed; with {device}, Python {python}, NumPy {numpy} and {numba}.
Written by `python -m benchmarks.public_kernels`, which runs each in a process of its own.

Of {done} kernels that ran, {right} give NumPy's result; under `offload="always"` statements of
{always} run on the device, under `offload="auto"` those of {auto}, as it was measured then. hetc is as fast as
Numba or faster on {beats_numba} of {compared}, and takes more than 1.2 times NumPy's time on {slower}.

* "always" counts the kernels that a call on data of size S launches under `offload="always"`, "auto" those of a call on
  data of the size given, after some others.
* Ratios are how many times as fast hetc is under `offload="auto"`, in the steady state: medians of calls in turn, in
  one process, with nothing else on the machine. Numba's is the fastest of NPBench's own versions for it, in
  which most statements are loops by hand; where none runs, or compiling them took too long, there is no ratio.
* First calls are apart: hetc's is in NumPy, mostly, and reads the function; Numba's compiles.
"""


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    sys.exit(main())

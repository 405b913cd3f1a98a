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
RUNS = 2


def main() -> int:
    """Try all kernels; 1 if hetc gets one wrong."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.public_kernels", description=__doc__)
    parser.add_argument("checkout", type=Path, help="the folder that NPBench has been cloned to")
    parser.add_argument("--preset", default="M", help="NPBench's size of the data: S, M, L or paper")
    parser.add_argument("--only", nargs="*", help="the kernels to run, by their files' names")
    parser.add_argument("--timeout", type=float, default=120, help="seconds for one kernel")
    parser.add_argument("--device", default=None, help="a part of a device's name")
    parser.add_argument("--output", type=Path, default=PAGE, help="the page to write")
    parser.add_argument("--no-times", action="store_true", help="leave times out, where the machine is not quiet")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        for row in one_kernel(arguments.checkout, arguments.one, arguments.preset, arguments.device):
            print(json.dumps(row), flush=True)
        return 0
    names = arguments.only or sorted(path.stem for path in (arguments.checkout / "bench_info").glob("*.json"))
    rows: list[dict[str, Any]] = []
    for name in names:
        rows.append(in_process(arguments, name))
        print(rows[-1], flush=True)
    arguments.output.write_text(
        page(rows, arguments.preset, select(arguments.device).name, times=not arguments.no_times)
    )
    wrong = [row["name"] for row in rows if row.get("right") is False]
    print(f"wrote {arguments.output}: {len(rows)} kernels, wrong: {', '.join(wrong) or 'none'}")
    return 1 if wrong else 0


def in_process(arguments: argparse.Namespace, name: str) -> dict[str, Any]:
    """What one kernel comes to, in a process of its own, which may take too long or crash."""
    command = [sys.executable, "-m", "benchmarks.public_kernels", str(arguments.checkout), "--one", name]
    command += ["--preset", arguments.preset, *(["--device", arguments.device] if arguments.device else [])]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=arguments.timeout, check=False)
    except subprocess.TimeoutExpired as late:
        told = late.stdout.decode() if isinstance(late.stdout, bytes) else late.stdout
        if told:  # all but what Numba takes
            return json.loads(told.splitlines()[-1])
        return {"name": name, "failed": f"took more than {arguments.timeout:.0f} s"}
    if done.returncode:
        return {"name": name, "failed": done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "crashed"}
    return json.loads(done.stdout.splitlines()[-1])


def one_kernel(checkout: Path, name: str, preset: str, device: str | None) -> Iterator[dict[str, Any]]:
    """Run a kernel by NumPy and by hetc, and compare; then once more with Numba's time, which may take long."""
    sys.path.insert(0, str(checkout))
    info = json.loads((checkout / "bench_info" / f"{name}.json").read_text())["benchmark"]
    base = f"npbench.benchmarks.{info['relative_path'].replace('/', '.')}.{info['module_name']}"
    plain = getattr(importlib.import_module(f"{base}_numpy"), info["func_name"])
    compiled = decorated(f"{base}_numpy", info["func_name"])
    warnings.simplefilter("ignore")
    small, data = inputs(base, info, "S"), inputs(base, info, preset)
    row: dict[str, Any] = {"name": name}
    with hetc.configure(device=device, offload="always", fallback="silent"), hetc.profile() as p:
        row["right"] = agree(plain, compiled, small, info)
        row["launches"] = p.launches
    row["reasons"] = reasons(compiled, small, info)
    row["numpy"] = seconds(plain, data, info)
    with hetc.configure(device=device, offload="auto", fallback="silent"):
        right = agree(plain, compiled, data, info)
        row["right"] = row["right"] and right
        row["hetc"] = seconds(compiled, data, info, warm=4)
        with hetc.profile() as p:
            call(compiled, data, info)
        row["launches_auto"] = p.launches
    row["numba"] = None
    yield row
    yield {**row, "numba": numba_seconds(base, info, data)}


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


def seconds(function: Callable[..., Any], data: dict[str, Any], info: dict[str, Any], warm: int = 1) -> float:
    """The median time of a call, without that of copying its data."""
    times: list[float] = []
    for number in range(warm + RUNS):
        arguments = [copy.deepcopy(data[name]) for name in info["input_args"]]
        start = time.perf_counter()
        function(*arguments)
        times.append(time.perf_counter() - start)
        if number >= warm and sum(times[warm:]) > 10:
            break
    return statistics.median(times[warm:])


def reasons(function: JitFunction, data: dict[str, Any], info: dict[str, Any]) -> list[str]:
    """Why statements run in NumPy, as `explain` says it."""
    try:
        met = function.loops_met(tuple(copy.deepcopy(data[name]) for name in info["input_args"]), {})
    except CompileError as error:
        return [error.reason]
    return list(dict.fromkeys(job.reason for _, job in met if isinstance(job, CompileError)))


def numba_seconds(base: str, info: dict[str, Any], data: dict[str, Any]) -> float | None:
    """The fastest of the collection's versions for Numba; None without one that runs."""
    if importlib.util.find_spec("numba") is None:
        return None
    found: list[float] = []
    for kind in ("numba_n", "numba_np", "numba_o", "numba_op"):
        if importlib.util.find_spec(f"{base}_{kind}") is None:
            continue
        try:
            function = getattr(importlib.import_module(f"{base}_{kind}"), info["func_name"])
            found.append(seconds(function, data, info))
        except Exception as error:  # noqa: BLE001 (whatever another compiler says of a kernel)
            print(f"{base}_{kind}: {type(error).__name__}", file=sys.stderr)
    return min(found, default=None)


def page(rows: list[dict[str, Any]], preset: str, device: str, *, times: bool) -> str:
    """The page as Markdown."""
    done = [row for row in rows if "failed" not in row]
    right = sum(row["right"] for row in done)
    offloaded = sum(bool(row["launches"]) for row in done)
    lines = [
        f"""# Public kernels

{len(rows)} kernels of [NPBench](https://github.com/spcl/npbench), as its NumPy versions are, with `@hetc.jit` before
each function and nothing else changed; with {device}, Python {platform.python_version()} and NumPy {np.__version__}.
Written by `python -m benchmarks.public_kernels`. "always" counts the kernels that a call on data of size S launches
under `offload="always"`, "auto" those of a call on data of size {preset} after some others, as they were measured then.

Of {len(done)} kernels that ran, {right} give NumPy's result; statements of {offloaded} run on the device.
"""
    ]
    if times:
        lines.append(_TIMES)
    heads = ["kernel", "right", "always", "auto", *(["NumPy, ms", "hetc", "Numba"] if times else [])]
    heads.append("what stays in NumPy, and why")
    lines += [_line(heads), _line(["---"] * len(heads))]
    for row in rows:
        if "failed" in row:
            lines.append(_line([row["name"], *[""] * (len(heads) - 2), row["failed"]]))
            continue
        cells = [row["name"], "yes" if row["right"] else "**no**", str(row["launches"]), str(row["launches_auto"])]
        if times:
            numba = "" if row["numba"] is None else f"{row['numpy'] / row['numba']:.2f}"
            cells += [f"{row['numpy'] * 1e3:.1f}", f"{row['numpy'] / row['hetc']:.2f}", numba]
        why = "; ".join(reason.replace("|", "&#124;") for reason in row["reasons"][:3])
        lines.append(_line([*cells, why]))
    return "\n".join(lines) + "\n"


_TIMES = """Times are ratios to NumPy's, more is faster, under `offload="auto"`. Numba's is that of the fastest of
NPBench's own versions for Numba; none is given where compiling them took too long.
"""


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    sys.exit(main())

"""The kernels of the examples and of the gallery under Oclgrind, an OpenCL device that checks every access.

    python -m tests.under_oclgrind [NAME ...]

It finds accesses outside of buffers and races between work-items. `make oclgrind` brings it into out/oclgrind, not into
the environment, where it would be one more device for all other tests. To hetc it is a GPU.

Source: Price and McIntosh-Smith, "Oclgrind: An Extensible OpenCL Device Simulator", IWOCL 2015.
"""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

REPOSITORY = Path(__file__).resolve().parents[1]
FOLDER = REPOSITORY / "out" / "oclgrind"
MARK = re.compile(r"^### (\S+)\n", re.MULTILINE)
COMPILER = re.compile(r"^\d+ warnings? generated\.\n", re.MULTILINE)
"""What Oclgrind's compiler says beside the log of a build: it does not unroll every loop that asks for it."""


def driver() -> Path | None:
    """Oclgrind's library, if `make oclgrind` has brought it."""
    return next(iter((FOLDER / "pyopencl" / ".libs").glob("liboclgrind-rt-icd*.so")), None)


def complaints(names: list[str]) -> dict[str, str]:
    """What is wrong with each program: what Oclgrind says, or a wrong result; nothing for those that are clean."""
    library = driver()
    assert library is not None, "there is no Oclgrind: make oclgrind"
    with tempfile.TemporaryDirectory() as vendors:
        Path(vendors, "oclgrind.icd").write_text(f"{library}\n")
        result = subprocess.run(
            [sys.executable, "-m", "tests.under_oclgrind", "--run", *names],
            cwd=REPOSITORY,
            env={**os.environ, "OCL_ICD_VENDORS": vendors, "OCLGRIND_DATA_RACES": "1"},
            capture_output=True,
            text=True,
        )
    _, *parts = MARK.split(COMPILER.sub("", result.stderr))
    found = dict(zip(parts[::2], parts[1::2], strict=True))
    if result.returncode:
        found["the run"] = f"ended with {result.returncode}"
    return found


def programs() -> Iterator[tuple[str, Callable[[], Any], Callable[[], Any]]]:
    """Each program by name: what runs it on little data, and what gives the result that it must have."""
    from examples import black_scholes, dot, kmeans_objects, loops, matrix_product_2x2, nbody_objects, saxpy
    from examples.gallery import GALLERY

    for name in GALLERY:
        module, size = importlib.import_module(f"examples.gallery.{name}"), max(2, GALLERY[name][0] // 2)
        if name == "kmeans":
            size = 40
        yield name, lambda m=module, n=size: m.compute(n), lambda m=module, n=size: m.plain(n)
    for module, function in (
        (saxpy, saxpy.saxpy), (dot, dot.dot), (black_scholes, black_scholes.black_scholes),
        (matrix_product_2x2, matrix_product_2x2.matrix_product),
    ):  # fmt: skip
        inputs = module.sample(300)
        yield module.__name__, lambda f=function, i=inputs: f(*i), lambda m=module, i=inputs: m.reference(*i)
    points, bodies, data = kmeans_objects.random_points(30), nbody_objects.random_bodies(3), loops.sample(300)
    yield "kmeans_objects", lambda: kmeans_objects.kmeans(points), lambda: [*map(kmeans_objects.nearest, points)]
    yield "nbody_objects", lambda: nbody_objects.nbody(bodies), lambda: [*map(nbody_objects.step, bodies)]
    yield "energy", lambda: loops.energy(*data), lambda: loops.energy.function(*data)


def agree(found: Any, expected: Any) -> bool:
    """Whether numbers are close, and anything else is equal."""
    if isinstance(expected, tuple):
        return len(found) == len(expected) and all(map(agree, found, expected))
    if isinstance(expected, np.ndarray | float):
        return bool(np.allclose(found, expected, rtol=1e-5, atol=1e-6))
    return bool(found == expected)


def run(names: list[str]) -> None:
    """Run programs in this process; each begins with a mark on the standard error."""
    import hetc

    for name, compute, plain in programs():
        if names and name not in names:
            continue
        print(f"### {name}", file=sys.stderr, flush=True)
        with hetc.configure(device="oclgrind", offload="always", fallback="error"), hetc.profile() as profile:
            found = compute()
        if not profile.launches or not agree(found, plain()):
            print("it has run no kernel, or given another result", file=sys.stderr, flush=True)


def main(arguments: list[str]) -> int:
    """Run programs, or check them from outside."""
    if arguments[:1] == ["--run"]:
        run(arguments[1:])
        return 0
    found = complaints(arguments)
    for name, text in found.items():
        print(f"{name:30} {text.strip() or 'clean'}")
    return int(any(text.strip() for text in found.values()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

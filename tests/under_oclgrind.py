"""The kernels of the examples and of the gallery under Oclgrind, an OpenCL device that checks every access.

    python -m tests.under_oclgrind [NAME ...]

It finds accesses outside of buffers and races between work-items. `make oclgrind` brings it into out/oclgrind, not into
the environment, where it would be one more device for all other tests. To hetc it is a GPU.

Source: Price and McIntosh-Smith, "Oclgrind: An Extensible OpenCL Device Simulator", IWOCL 2015.
"""

from __future__ import annotations

import copy
import dataclasses
import importlib
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

REPOSITORY = Path(__file__).resolve().parents[1]
FOLDER = REPOSITORY / "out" / "oclgrind"
MARK = re.compile(r"^### (\S+)\n", re.MULTILINE)
COMPILER = re.compile(r"^\d+ warnings? generated\.\n", re.MULTILINE)
"""What Oclgrind's compiler says beside the log of a build: it does not unroll every loop that asks for it."""


LOCAL_MEMORY = {"OCLGRIND_LOCAL_MEM_SIZE": str(2**17)}
"""To Oclgrind, a kernel has the local memory of all kernels whose names begin with its own, too."""


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
            env={**os.environ, "OCL_ICD_VENDORS": vendors, "OCLGRIND_DATA_RACES": "1", **LOCAL_MEMORY},
            capture_output=True,
            text=True,
        )
    _, *parts = MARK.split(COMPILER.sub("", result.stderr))
    found = dict(zip(parts[::2], parts[1::2], strict=True))
    if result.returncode:
        found["the run"] = f"ended with {result.returncode}"
    return found


Program = tuple[str, Callable[[], Any], Callable[[], Any]]
"""A name, what runs the program on little data, and what gives the result that it must have."""


def programs() -> Iterator[Program]:
    """Each program, by the name of its file, or of its file and function."""
    yield from _gallery()
    yield from _examples()


def _gallery() -> Iterator[Program]:
    from examples.gallery import GALLERY

    for name in GALLERY:
        module, size = importlib.import_module(f"examples.gallery.{name}"), max(2, GALLERY[name][0] // 2)
        if name == "kmeans":
            size = 40
        yield f"gallery.{name}", lambda m=module, n=size: m.compute(n), lambda m=module, n=size: m.plain(n)


def _examples() -> Iterator[Program]:
    from examples import (
        black_scholes,
        dot,
        heat,
        kmeans_objects,
        life,
        loops,
        mandelbrot,
        matrix_product_2x2,
        nbody,
        nbody_objects,
        pagerank_objects,
        saxpy,
    )  # fmt: skip

    for module, function in (
        (saxpy, saxpy.saxpy), (dot, dot.dot), (black_scholes, black_scholes.black_scholes),
        (matrix_product_2x2, matrix_product_2x2.matrix_product),
    ):  # fmt: skip
        inputs = module.sample(300)
        yield _stem(module), lambda f=function, i=inputs: f(*i), lambda m=module, i=inputs: m.reference(*i)
    yield _as_python("mandelbrot", mandelbrot.mandelbrot, range(0, mandelbrot.WIDTH * mandelbrot.HEIGHT, 90_001))
    yield _as_python("nbody", nbody.nbody, *(column[:1] for column in nbody.sample(1)))
    yield _as_python("heat", heat.some_rounds, heat.plate(8))
    yield _as_python("life", life.generation, life.glider(8))
    yield _as_python("kmeans_objects", kmeans_objects.kmeans, kmeans_objects.random_points(30))
    yield _as_python("nbody_objects", nbody_objects.nbody, nbody_objects.random_bodies(3))
    points, numbers = kmeans_objects.random_points(5), [0, 1, 2, 1, 0]
    loop_calls: list[tuple[ModuleType, Any, tuple[Any, ...]]] = [
        (loops, loops.saxpy, (2.5, *loops.sample(300)[:2])),
        (loops, loops.mandelbrot, (np.zeros((2, 3), np.int32),)),
        (loops, loops.energy, loops.sample(300)),
        (kmeans_objects, kmeans_objects.move_clusters, (kmeans_objects.clusters[:3], points, numbers)),
        (nbody_objects, nbody_objects.simulate, (nbody_objects.random_bodies(9), 2)),
        (pagerank_objects, pagerank_objects.pagerank, (*pagerank_objects.random_web(20), 2)),
    ]
    for module, function, arguments in loop_calls:
        name = f"{_stem(module)}.{function.function.__name__}"
        yield name, lambda f=function, a=arguments: _left(f, a), lambda f=function, a=arguments: _left(f.function, a)


def _stem(module: ModuleType) -> str:
    return module.__name__.rpartition(".")[2]


def _as_python(name: str, function: Any, *inputs: Any) -> Program:
    """An array function whose result is to be Python's."""
    import hetc

    def plain() -> Any:
        with hetc.configure(offload="never"):
            return function(*inputs)

    return name, lambda: function(*inputs), plain


def _left(function: Callable[..., Any], arguments: Sequence[Any]) -> Any:
    """What a function gives, and what it leaves in its arguments."""
    own = copy.deepcopy(arguments)
    return (function(*own), *own)


def agree(found: Any, expected: Any) -> bool:
    """Whether numbers are close, objects have close attributes, and anything else is equal."""
    if isinstance(expected, tuple | list):
        return len(found) == len(expected) and all(map(agree, found, expected))
    if isinstance(expected, np.ndarray | float):
        return bool(np.allclose(found, expected, rtol=1e-5, atol=1e-6))
    if dataclasses.is_dataclass(expected):
        return all(agree(getattr(found, f.name), getattr(expected, f.name)) for f in dataclasses.fields(expected))
    if hasattr(expected, "__dict__"):
        return all(agree(getattr(found, name), value) for name, value in vars(expected).items())
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

"""Replay: the OpenCL of every example is stored beside this file, so that a change of the compiler shows its effects.

`python -m tests.replay.update` writes the files anew; the difference in version control is then what to review. A test
compares them, and fails on any difference that was not stored.

A file holds the kernels' text and, in a comment at its end, the host's plan. It depends on nothing of the machine:
the devices are invented.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

from benchmarks.compile_time import SAMPLE_SIZE, request
from examples import black_scholes, dot, mandelbrot, matrix_product_2x2, nbody, saxpy
from hetc import driver
from hetc.abi import DeviceTraits
from hetc.api import ArrayFunction
from hetc.backends.opencl.target import plan_text

FOLDER = Path(__file__).parent

EXAMPLES: dict[str, tuple[ModuleType, ArrayFunction]] = {
    "black_scholes": (black_scholes, black_scholes.black_scholes),
    "dot": (dot, dot.dot),
    "mandelbrot": (mandelbrot, mandelbrot.mandelbrot),
    "matrix_product_2x2": (matrix_product_2x2, matrix_product_2x2.matrix_product),
    "nbody": (nbody, nbody.nbody),
    "saxpy": (saxpy, saxpy.saxpy),
}

DEVICES = (
    DeviceTraits("intel-cpu", shared_memory=True, compute_units=8, max_group_size=8192),
    DeviceTraits("gpu", shared_memory=False, compute_units=132, max_group_size=1024),
)


def file_name(example: str, traits: DeviceTraits) -> str:
    """Where the text of an example for a device is stored."""
    return f"{example}.{traits.family}.cl"


def replay(example: str, traits: DeviceTraits) -> str:
    """What the compiler makes of an example for a device."""
    module, function = EXAMPLES[example]
    package = driver.compile(request(function, module.sample(SAMPLE_SIZE), traits))
    return f"{package.source.strip()}\n\n/* The host's plan:\n\n{plan_text(package)}*/\n"


def expected_files() -> dict[str, Callable[[], str]]:
    """The name of each file, and what makes its contents."""
    return {
        file_name(example, traits): lambda example=example, traits=traits: replay(example, traits)
        for example in EXAMPLES
        for traits in DEVICES
    }


def main() -> None:
    """Write all files, and remove those that belong to no example."""
    files = expected_files()
    for stale in {path.name for path in FOLDER.glob("*.cl")} - set(files):
        (FOLDER / stale).unlink()
        print(f"removed  {stale}")
    for name, make in files.items():
        path = FOLDER / name
        text = make()
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
            print(f"changed  {name}")


if __name__ == "__main__":
    main()

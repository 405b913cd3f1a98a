"""The options of `hetc run`; importing them loads no compiler."""

from __future__ import annotations

import argparse
from pathlib import Path

from hetc.tools.device_traits import DEVICE_TRAITS


def add(parser: argparse.ArgumentParser) -> None:
    """Add what `hetc run` takes."""
    parser.add_argument("program", metavar="FILE.py:NAME|FILE.mlir", help="an array function, a function to map, or IR")
    parser.add_argument("data", nargs="*", help='an input each: x.npy, "[1, 2]", "range(9)", or random: "f32[1000]"')
    parser.add_argument("--capture", action="append", default=[], metavar="NAME=DATA", help="what IR captures")
    parser.add_argument("--seed", type=int, default=0, help="of the random data (0)")
    parser.add_argument("--low", type=float, help="the least random number (0)")
    parser.add_argument("--high", type=float, help="what random numbers are below (1 for floats, 100 for integers)")
    parser.add_argument("--device", help="part of a device's name, 'cpu' or 'gpu'; else the usual one")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE.npy", help="save the result, rather than print it")
    parser.add_argument("-p", "--passes", metavar="PIPELINE", help="with --interpret and --check-passes: these passes")
    parser.add_argument(
        "--device-traits", choices=DEVICE_TRAITS, default="intel-cpu", help="what the passes are told of the device"
    )
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--interpret", action="store_true", help="run in the reference interpreters, without a device")
    how.add_argument("--check-passes", action="store_true", help="run before and after each pass, and compare")

"""`hetc`: what a user asks about an installation.

::

    hetc devices            the OpenCL devices that hetc can use, as a table
    hetc devices --json     the same for programs
    hetc doctor             what is installed, whether each device works, and what mends it if not; also --json
    hetc explain FILE.py:NAME --args "f32[?], int[?]"
                            where a function runs for inputs of these types, line by line, and why;
                            with -o PAGE.html as a page, with the function at all levels
    hetc cache              where kernels are stored, and how many; also `path`, `clear`
    hetc new pass NAME      a pass, with its test; also: new dialect, new package
    hetc run FILE.py:NAME "f32[1000]"
                            run it, on random data for instance; see hetc/tools/run_main.py
    hetc trace SCRIPT.py    run a program under a profile; see hetc/tools/trace_main.py
    hetc --version
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import hetc
from hetc.errors import HetcError
from hetc.runtime import devices
from hetc.tools import cache_main, run_options, trace_main
from hetc.tools.facts import facts_of


def main(arguments: Sequence[str] | None = None) -> None:
    """Run `hetc` with these arguments, or the command line's. Raises `SystemExit` if the status is not 0."""
    parser = argparse.ArgumentParser("hetc", description="A heterogeneous compiler for Python.")
    parser.add_argument("--version", action="version", version=f"hetc {hetc.__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    devices_parser = commands.add_parser("devices", help="list the OpenCL devices that hetc can use")
    devices_parser.add_argument("--json", action="store_true", help="print JSON, with sizes in bytes")
    devices_parser.set_defaults(command=_devices)
    doctor_parser = commands.add_parser("doctor", help="look at the installation and test each device")
    doctor_parser.add_argument("--json", action="store_true", help="print JSON")
    doctor_parser.add_argument("--seconds", type=float, default=120, help="the longest that a test may take (120)")
    doctor_parser.set_defaults(command=_doctor)
    cache_main.add_parser(commands)
    explain_parser = commands.add_parser("explain", help="show where a function runs, its types and its guards")
    explain_parser.add_argument("function", metavar="FILE.py:NAME", help="an array function, or a function to map")
    explain_parser.add_argument("--args", required=True, help='the types of its inputs, such as "f32[?], int[?]"')
    explain_parser.add_argument("--device", help="part of a device's name, 'cpu' or 'gpu'; else the usual one")
    explain_parser.add_argument("-o", "--output", metavar="PAGE.html", type=Path, help="write a page with all levels")
    explain_parser.set_defaults(command=_explain)
    new_parser = commands.add_parser("new", help="write a pass, a dialect or a package, with tests")
    new_parser.add_argument("kind", choices=("pass", "dialect", "package"))
    new_parser.add_argument("name", help="such as lower-fixed for a pass, fixed for a dialect")
    new_parser.set_defaults(command=_new)
    run_parser = commands.add_parser("run", help="run a function or a module on data")
    run_options.add(run_parser)
    run_parser.set_defaults(command=_run)
    trace_parser = commands.add_parser("trace", help="run a program, and tell what happened when")
    trace_main.add(trace_parser)
    trace_parser.set_defaults(command=trace_main.run)
    options = parser.parse_args(arguments)
    try:
        print(options.command(options))
    except (HetcError, OSError) as error:
        print(f"hetc: error: {error}", file=sys.stderr)
        raise SystemExit(1) from None


def _devices(options: argparse.Namespace) -> str:
    found = devices.list_devices()
    if not found:
        raise HetcError("no OpenCL device found", hint=f"install one for the CPU with: {devices.INSTALL_COMMAND}")
    facts = [facts_of(device) for device in found]
    return json.dumps(facts, indent=2) if options.json else table(facts)


def _doctor(options: argparse.Namespace) -> str:
    from hetc.tools import doctor

    report = doctor.examine(options.seconds)
    text = report.json() if options.json else str(report)
    if not report.works:
        print(text)
        raise SystemExit(1)
    return text


def _explain(options: argparse.Namespace) -> str:
    # These import xDSL, which `hetc devices` does not need.
    from hetc.explanation.explain import explain_types
    from hetc.tools.python_input import array_function_named, run_file
    from hetc.tools.signature_text import parse_signature

    filename, colon, name = options.function.rpartition(":")
    if not colon or not filename.endswith(".py"):
        raise HetcError(f"expected FILE.py:NAME, not {options.function!r}")
    signature = parse_signature(options.args)
    function = array_function_named(run_file(Path(filename).read_bytes(), filename), name)
    explanation = explain_types(function.stages, signature, options.device, f"{name} = {function!r}")
    if options.output is None:
        return str(explanation)
    explanation.save(options.output)
    return f"wrote {options.output}"


def _new(options: argparse.Namespace) -> str:
    # This imports xDSL, too.
    from hetc.tools import scaffold

    write = {"pass": scaffold.new_pass, "dialect": scaffold.new_dialect, "package": scaffold.new_package}
    return "\n".join(f"wrote {path}" for path in write[options.kind](options.name, Path()))


def _run(options: argparse.Namespace) -> str:
    # This imports xDSL, too.
    from hetc.tools import run_main

    return run_main.reported(options)


def table(rows: Sequence[dict[str, str | int | bool]]) -> str:
    """Rows with the same keys as aligned columns under their names.

    >>> print(table([{"name": "A", "memory": 3 * 2**30, "fp_64": True}, {"name": "Bee", "memory": 0, "fp_64": False}]))
    name  memory   fp 64
    A     3.0 GiB  yes
    Bee   0.0 GiB  no
    """
    lines = [
        [key.replace("_", " ") for key in rows[0]],
        *([_cell(key, value) for key, value in row.items()] for row in rows),
    ]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines
    )


def _cell(key: str, value: str | int | bool) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{int(value) / 2**30:.1f} GiB" if key == "memory" else str(value)

"""`hetc trace SCRIPT.py [ARGUMENTS]`: run a program as `python SCRIPT.py` does, under a profile."""

from __future__ import annotations

import argparse
import runpy
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

import hetc
from hetc.errors import HetcError


def add(parser: argparse.ArgumentParser) -> None:
    """Add what `hetc trace` takes."""
    parser.add_argument("script", metavar="SCRIPT.py", type=Path, help="the program to run")
    parser.add_argument("-o", "--output", metavar="FILE.json", type=Path, help="write a trace for ui.perfetto.dev")
    parser.add_argument("--plot", metavar="FILE.svg", type=Path, help="write a picture: .svg, .png or .pdf")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="the program's own arguments")


def run(options: argparse.Namespace) -> str:
    """Run the program and return the summary. However it ends, what has happened until then is written.

    Raises HetcError if there is no such file, or for a picture that cannot be written, and what the program raises,
    but for SystemExit with a status that says that all is well.
    """
    script: Path = options.script
    if not script.is_file():
        raise HetcError(f"there is no file {script}")
    with _arguments_of(script, options.arguments), hetc.profile() as profile:
        try:
            runpy.run_path(str(script), run_name="__main__")
        except SystemExit as ended:
            if ended.code:
                _write(profile, options)
                raise
        except BaseException:
            _write(profile, options)
            raise
    wrote = _write(profile, options)
    return "\n".join([profile.summary(), *(f"wrote {path}" for path in wrote)])


def _write(profile: hetc.Profile, options: argparse.Namespace) -> list[Path]:
    """Write the files that are asked for, and return their names."""
    wrote: list[Path] = []
    for path, write in ((options.output, profile.trace), (options.plot, profile.plot)):
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            write(path)
            wrote.append(path)
    return wrote


@contextmanager
def _arguments_of(script: Path, arguments: Sequence[str]) -> Generator[None]:
    """Let a program find its own arguments, and the modules beside it."""
    before, path = sys.argv, list(sys.path)
    sys.argv = [str(script), *arguments]
    sys.path.insert(0, str(script.resolve().parent))
    try:
        yield
    finally:
        sys.argv, sys.path[:] = before, path

"""The options of `hetc-opt` that are about looking at passes, and what they say together."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Collection, Iterator
from pathlib import Path

from hetc.tools.instrumentation import Printing


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options to xDSL's own, of which `--time-passes` and `--print-between-passes` are replaced by better."""
    parser.add_argument(
        "--no-locations", action="store_true", help="print no source locations, even if the input has them"
    )
    parser.add_argument(
        "--debug-locations",
        dest="print_debuginfo",
        action="store_true",
        default=False,
        help="print source locations; the same as --print-debuginfo",
    )
    parser.add_argument(
        "--color",
        choices=("auto", "always", "never"),
        default="auto",
        help="colours in the output (auto: on a terminal)",
    )
    group = parser.add_argument_group("looking at passes (what these print goes to the standard error)")
    for when in ("before", "after"):
        group.add_argument(
            f"--print-ir-{when}", metavar="PASSES", type=_names, default=(), help=f"print the IR {when} these passes"
        )
        group.add_argument(f"--print-ir-{when}-all", action="store_true", help=f"print the IR {when} every pass")
    group.add_argument(
        "--print-ir-after-change", action="store_true", help="print the IR after each pass that changes it"
    )
    group.add_argument("--print-ir-diff", action="store_true", help="print the lines that each pass changes")
    group.add_argument(
        "--verify-each",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="verify the IR before the passes and after each of them; otherwise only after the last",
    )
    group.add_argument(
        "--crash-reproducer",
        metavar="FILE",
        type=Path,
        help="where to write the IR before a pass that fails (a crash is written to a temporary file anyway)",
    )
    lists = parser.add_argument_group("lists")
    for what in ("passes", "dialects", "pipelines"):
        lists.add_argument(f"--list-{what}", action="store_true", help=f"list all {what}, with a line of documentation")


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def named_passes(options: argparse.Namespace) -> Iterator[str]:
    """The passes that options name."""
    yield from options.print_ir_before
    yield from options.print_ir_after


def printing(options: argparse.Namespace) -> Printing:
    """What to print around passes."""

    def when(names: Collection[str], every: bool) -> Collection[str] | None:
        return None if every else names

    return Printing(
        before=when(options.print_ir_before, options.print_ir_before_all),
        after=when(options.print_ir_after, options.print_ir_after_all or options.print_between_passes),
        changed=options.print_ir_after_change,
        diff=options.print_ir_diff,
        locations=options.print_debuginfo,
    )


def wants_color(options: argparse.Namespace) -> bool:
    """Whether the output is for a terminal that shows colours, and MLIR (xDSL colours nothing else)."""
    if options.color != "auto":
        return options.color == "always"
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return options.output_file is None and sys.stdout.isatty() and not plain

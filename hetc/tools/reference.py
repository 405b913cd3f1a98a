"""The pages about dialects and passes, written from their docstrings and from the pipeline."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter

from xdsl.ir import Attribute, Operation
from xdsl.passes import ModulePass, PassOptionInfo, get_pass_option_infos

from hetc import driver
from hetc.tools.device_traits import DEVICE_TRAITS
from hetc.tools.listing import first_sentence
from hetc.tools.pipelines import DESCRIPTIONS
from hetc.tools.universe import HETC_UNIVERSE

Definition = type[Operation] | type[Attribute]
DIALECT_LEVELS = ("dyn", "skel", "obj", "guard", "special", "offload")
"""The order of the page: that in which a program meets the dialects."""


def dialects() -> str:
    """The page about dialects: what each is for, then its types, attributes and operations."""
    head = (
        "# Dialects\n\nhetc's own. Beside them a program has xDSL's `arith`, `math`, `complex`, `scf`, `func`, "
        "`tensor`, `memref`, `gpu`\nand `ub`. This page is written by `docs/update.py` from the docstrings.\n"
    )
    names = sorted(HETC_UNIVERSE.all_dialects, key=lambda name: (*DIALECT_LEVELS, name).index(name))
    links = "".join(f"- [{name}](#{name})\n" for name in names)
    return "\n".join([head, links, *map(_dialect, names)])


def _dialect(name: str) -> str:
    dialect = HETC_UNIVERSE.all_dialects[name]()
    module = sys.modules[f"hetc.dialects.{name}"]
    definitions: Iterable[Definition] = (*dialect.attributes, *dialect.operations)
    parts = (f"### `{_shown(part)}`\n\n{_text(part)}\n" for part in definitions)
    return "\n".join([f"## {name}\n", _lines(module.__doc__), "", *parts])


def _shown(part: Definition) -> str:
    if issubclass(part, Operation):
        return part.name
    return f"{'!' if part.__name__.endswith('Type') else '#'}{part.name}"


def _text(part: type) -> str:
    """The docstring that a class has itself."""
    return _lines(vars(part).get("__doc__"))


def _lines(docstring: str | None) -> str:
    return inspect.cleandoc(docstring or "")


def passes() -> str:
    """The page about passes: a picture of the pipeline, then each pass in its order, with its options."""
    head = (
        "# Passes\n\nIn the order of the default pipeline (`hetc-opt -p default`); the picture is that for Intel's CPU "
        "runtime,\nand shows a pass as often as it runs. Options are given as in `-p 'lower-guards{block=256}'`. "
        "This page is\nwritten by `docs/update.py` from the pipeline and the docstrings.\n"
    )
    order = dict.fromkeys(spec.name for traits in DEVICE_TRAITS.values() for _, spec in driver.passes_by_level(traits))
    own = [name for name in (*order, *sorted(HETC_UNIVERSE.all_passes)) if name in HETC_UNIVERSE.all_passes]
    return "\n".join([head, picture(), *map(_pass, dict.fromkeys(own))])


def _pass(name: str) -> str:
    found = HETC_UNIVERSE.all_passes[name]()
    options = [f"`{option.name}` ({option.expected_type}, {option.default_value})" for option in _options(found)]
    module = sys.modules[found.__module__].__doc__
    more = "" if first_sentence(module).startswith(f"{name}:") else f"{_lines(module)}\n\n"
    taken = f"\nOptions, with type and default: {', '.join(options)}.\n" if options else ""
    return f"## {name}\n\n{more}{_text(found)}\n{taken}"


def _options(found: type[ModulePass]) -> Iterator[PassOptionInfo]:
    for option in get_pass_option_infos(found):
        # Annotations are texts, shown with their quotes.
        yield option._replace(name=option.name.replace("_", "-"), expected_type=option.expected_type.strip("'"))


def picture() -> str:
    """The levels and the passes between them, as a Mermaid flowchart."""
    lines = ["```mermaid", "flowchart TD", '    level0(["level 0: dynamic Python"])']
    before = "level0"
    number = 0
    for level, steps in groupby(driver.passes_by_level(DEVICE_TRAITS["intel-cpu"]), itemgetter(0)):
        lines.append(f'    subgraph to{level}["to level {level}"]')
        for _, spec in steps:
            number += 1
            lines += [f'        p{number}["{spec.name}"]', f"        {before} --> p{number}"]
            before = f"p{number}"
        # A semicolon would end Mermaid's statement.
        label = DESCRIPTIONS[f"level-{level}"].replace(";", ",")
        lines += ["    end", f'    level{level}(["level {level}: {label}"])']
        lines.append(f"    {before} --> level{level}")
        before = f"level{level}"
    lines += [
        '    level4(["level 4: OpenCL C, and the plan as data"])',
        f"    {before} -->|target opencl| level4",
        "```\n",
    ]
    return "\n".join(lines)

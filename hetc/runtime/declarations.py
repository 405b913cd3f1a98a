"""PoCL's declarations of OpenCL C's functions: of a program those that it calls, rather than all.

Before each program PoCL has Clang read `opencl-c.h`, 15,000 declarations in 18,000 lines, which takes most of the time
that it takes to build a small one: nine tenths of 170 ms of CPU time for a map (PoCL 3.0 on an AMD EPYC), and of the 26
that it takes to find the program in its cache. The header is one that Clang's authors mean to be read before all
else, and is left out where the macro that guards it is defined; the file itself says what stands in it. So a program
comes with a part of that file: all directives, and the declarations of the names that the program calls.

The part is made from the file of the very PoCL that builds the program, where `pip` has installed it, and where it is
not as it is known to be, there is none.
"""

from __future__ import annotations

import functools
import importlib.util
import re
from collections.abc import Iterable, Iterator, Sequence
from importlib import metadata
from pathlib import Path

from hetc.runtime.opencl import cl

PACKAGE = "pocl_binary_distribution"
FOLDER = Path(".libs", "share", "pocl", "include")
HEADER, BASE = "opencl-c.h", "opencl-c-base.h"
GUARD = "_OPENCL_H_"
LEFT_OUT = f"-D{GUARD}"
"""The option with which Clang reads none of the header."""

_CONTINUED = re.compile(r"\\[ \t]*\n")
_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_CALLED = re.compile(r"\b([A-Za-z_]\w*)\s*\(")
_KEPT = 256
"""For how many sets of names the text is kept."""


class Declarations:
    """What a header declares, and the part of it that is about some names.

    >>> header = Declarations(["#ifdef fp64", "double sin(double);", "#endif", "float sin(float);", "int abs(int);"])
    >>> print(header.part_for("y = sin(x);"))
    #ifdef fp64
    double sin(double);
    #endif
    float sin(float);
    >>> print(header.part_for("y = abs(x);"))
    int abs(int);
    """

    def __init__(self, lines: Iterable[str]) -> None:
        self._texts: list[str] = []
        self._always: list[int] = []
        self._functions: dict[str, list[int]] = {}
        for place, (text, name) in enumerate(_items(lines)):
            self._texts.append(text)
            (self._functions.setdefault(name, []) if name else self._always).append(place)
        self._part = functools.lru_cache(maxsize=_KEPT)(self._part_of)

    def part_for(self, source: str) -> str:
        """What of the header the text of a program needs."""
        return self._part(frozenset(self._functions.keys() & _CALLED.findall(source)))

    def _part_of(self, names: frozenset[str]) -> str:
        """All but the declarations of functions with other names, and conditions that nothing is left to hang on."""
        open_: list[list[str]] = [[]]
        filled = [True]
        for place in sorted([*self._always, *(place for name in names for place in self._functions[name])]):
            text = self._texts[place]
            if text.startswith("#if"):
                open_.append([text])
                filled.append(False)
            elif text.startswith("#endif"):
                inside = open_.pop()
                if filled.pop():
                    open_[-1] += [*inside, text]
                    filled[-1] = True
            else:
                open_[-1].append(text)
                filled[-1] |= not text.startswith(("#else", "#elif"))
        return "\n".join(open_[0])


def _items(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The directives and declarations, each with the name of the function that it declares, if it declares one."""
    parts: list[str] = []
    for line in map(str.strip, lines):
        if line.startswith("#"):
            yield line, ""
        elif line:
            parts.append(line)
            if line.endswith(";"):
                declaration = " ".join(parts)
                head, parenthesis, _ = declaration.partition("(")
                yield declaration, head.replace("*", " ").split()[-1] if parenthesis else ""
                parts.clear()


def with_declarations(device: cl.Device, source: str, options: Sequence[str]) -> tuple[str, list[str]] | None:
    """A program and its options as PoCL builds it sooner; None where nothing is known that makes it so."""
    version = pocl_version(device)
    header = None if version is None else _installed(version)
    if header is None:
        return None
    return f"{header.part_for(source)}\n#line 1\n{source}", [*options, LEFT_OUT]


def pocl_version(device: cl.Device) -> str | None:
    """The version of PoCL that a device is of, as its package has it; None for other devices."""
    if device.platform.name != "Portable Computing Language":
        return None
    return device.driver_version.partition("-")[0].strip()


@functools.cache
def _installed(version: str) -> Declarations | None:
    """The header of the package of this version, if it is there, and is as it is known to be."""
    try:
        found = importlib.util.find_spec(PACKAGE)
        if metadata.version(PACKAGE) != version or found is None or not found.submodule_search_locations:
            return None
        folder = Path(found.submodule_search_locations[0], FOLDER)
        return of_header(folder / BASE, (folder / HEADER).read_text())
    except (metadata.PackageNotFoundError, OSError, UnicodeDecodeError):
        return None


def of_header(base: Path, text: str) -> Declarations | None:
    """The declarations of a header's text, which begins by reading `base`, unless its guard is another."""
    lines = [line.strip() for line in _COMMENT.sub("", _CONTINUED.sub(" ", text)).splitlines() if line.strip()]
    if lines[:2] != [f"#ifndef {GUARD}", f"#define {GUARD}"] or lines[-1] != "#endif" or not base.is_file():
        return None
    own = f'#include "{base.name}"'
    return Declarations(f'#include "{base}"' if line == own else line for line in lines[2:-1])

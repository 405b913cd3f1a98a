"""What an explanation says about source lines: types of values, guards, and where a line runs."""

from __future__ import annotations

from hetc.analysis.naming import file_name
from hetc.dataclass import dataclass
from hetc.errors import SourceLocation

DEVICE, HOST = "device", "host"


@dataclass(frozen=True)
class Value:
    """A variable that a line binds, or with name None what it returns; `types` as Python and NumPy spell them.

    A line has several types for a value where calls with different types reach it.
    """

    name: str | None
    types: tuple[str, ...]

    def __str__(self) -> str:
        types = " or ".join(self.types)
        return f"returns {types}" if self.name is None else f"{self.name}: {types}"


@dataclass(frozen=True)
class Guard:
    """An assumption of the compiled code: `kept` guards are checked as it runs, for the others `proof` says why not.

    One that `leaves` always fails: Python runs the elements that come there. One that is `hoisted` is asked once,
    before the loop that it stands in. `failures` counts the calls since the kernel was compiled in which it failed.
    """

    kind: str
    reason: str
    location: SourceLocation | None
    kept: bool
    proof: str = ""
    failures: int = 0
    leaves: bool = False
    hoisted: bool = False

    def __str__(self) -> str:
        if not self.kept:
            return f"guard removed: {self.reason}: {self.proof}"
        times = "in one call" if self.failures == 1 else f"in {self.failures} calls"
        if self.leaves:
            return f"left to Python: {self.reason}" + (f"; taken {times}" if self.failures else "")
        where = ", before the loop" if self.hoisted else ""
        return f"guard kept{where}: {self.reason}" + (f"; failed {times}" if self.failures else "")


@dataclass(frozen=True)
class ViewLine:
    """A line of a program at some level; `at` is the key of the user's line that it comes from, or empty."""

    text: str
    at: str = ""


@dataclass(frozen=True)
class View:
    """A program at one level."""

    name: str
    lines: tuple[ViewLine, ...]


def line_key(filename: str, number: int) -> str:
    """What names a line in all levels, as the comments of OpenCL C do: the file's name, and the number.

    >>> line_key("folder/user.py", 3)
    'user.py:3'
    """
    return f"{file_name(filename)}:{number}"


@dataclass(frozen=True)
class Line:
    """One line of a user's function: `where` it runs ("device", "host", or "" for a line without code).

    `notes` says what else is worth knowing, such as where a float32 program computes in double precision.
    """

    function: str
    filename: str
    number: int
    text: str
    where: str
    values: tuple[Value, ...] = ()
    guards: tuple[Guard, ...] = ()
    notes: tuple[str, ...] = ()

"""The fuzzer itself: what it draws, what it calls a difference, and how it makes a program small."""

from __future__ import annotations

import ast
import math
from collections import namedtuple
from typing import Any

import numpy as np
import pytest

import hetc
from tests.fuzz.comparison import PROGRAM, Outcome, difference, difference_of_identities, difference_of_values
from tests.fuzz.execution import Counts, Verdict
from tests.fuzz.programs import Program
from tests.fuzz.reduction import reduced
from tests.fuzz.runs import counts_as_data, counts_from_data, numbered, summary
from tests.fuzz.statements import LANGUAGE
from tests.oracle import with_spacing

DRAWN = [numbered("unit", number) for number in range(4000)]


@pytest.mark.filterwarnings("ignore::SyntaxWarning")  # of `1 is None`, a fine program
def test_every_program_is_python() -> None:
    for program in DRAWN:
        compile(program.source, program.name, "exec", dont_inherit=True)


def test_every_construct_is_drawn() -> None:
    """In 4000 programs, all but the rarest."""
    known = {part.construct for part in (*LANGUAGE.rules, *LANGUAGE.forms)}
    drawn = {construct for program in DRAWN for construct in program.constructs}
    assert len(known - drawn) <= 8, sorted(known - drawn)


def test_a_number_names_a_program() -> None:
    assert numbered("unit", 7) == numbered("unit", 7)
    assert numbered("unit", 7).source != numbered("other", 7).source


@pytest.mark.parametrize(
    ("found", "expected", "kind"),
    [
        (1, 1, None),
        (1, True, "type"),
        (1.0, 1, "type"),
        (np.float64(1), 1.0, "type"),
        (0.0, -0.0, "value"),
        (math.nan, -math.nan, None),
        ([1, 2.0], [1, 2], "type"),
        ((1, 2), (1, 2, 3), "length"),
        (np.array([1, 2]), np.array([1, 3]), "value"),
        (np.array([1, 2], np.int32), np.array([1, 2]), "type"),
        (np.array([], np.int32), np.array([]), None),
        (complex(0, -0.0), complex(0, 0.0), "value"),
        (None, 0, "type"),
        (2**70, 2**70 + 1, "value"),
    ],
)
def test_differences_of_values(found: Any, expected: Any, kind: str | None) -> None:
    told = difference_of_values(found, expected)
    assert (told if told is None else told.partition(":")[0]) == kind


def test_differences_of_objects() -> None:
    """Each side has its own class: objects are told apart by the names of classes and attributes, and the values."""
    classes = {
        "plain": type("Record", (), {"__module__": "program_1_0"}),
        "slots": type("Record", (), {"__slots__": ("a", "b"), "__module__": "program_1_0"}),
        "named": namedtuple("Record", "a b", module="program_1_0"),
    }

    def record(style: str, a: object, b: object) -> Any:
        if style == "named":
            return classes[style](a, b)
        one: Any = classes[style]()
        one.a, one.b = a, b
        return one

    for style in ("plain", "slots", "named"):
        one = record(style, 1, 2.0)
        assert difference_of_values([None, one], [None, record(style, 1, 2.0)]) is None
        assert str(difference_of_values(record(style, 1, 2), one)).startswith("type")
        assert str(difference_of_values(record(style, 1, 2.5), one)).startswith("value")
        assert str(difference_of_values(None, one)).startswith("type")
        assert str(difference_of_values(one, 1)).startswith("type")
    lacking = record("slots", 1, 2.0)
    del lacking.b
    assert str(difference_of_values(lacking, record("slots", 1, 2.0))).startswith("length")


def test_objects_are_compared_by_their_places_in_the_inputs() -> None:
    one_class: Any = type("Record", (), {"__module__": f"{PROGRAM}1"})
    one, other = one_class(), one_class()
    assert difference_of_identities([one, 1], [[one, other]], [one, 1], [[one, other]]) is None
    assert difference_of_identities([(one, 1)], [[one, one]], [(other, 1)], [[other, other]]) is None
    assert difference_of_identities([one_class()], [[one]], [one_class()], [[one]]) is None
    assert str(difference_of_identities([one], [[one, other]], [other], [[one, other]])).startswith("identity")
    assert str(difference_of_identities([one_class()], [[one]], [one], [[one]])).startswith("identity")


def test_programs_over_objects_are_drawn() -> None:
    """All styles of classes, and all ways to use them."""
    styles = ("plain", "dataclass", "slots", "frozen", "inherited", "named tuple")
    uses = ("attributes", "method", "property", "operator", "class method", "copy", "result", "assigned")
    uses += ("enumeration", "loop", "unpacked", "type", "is", "the element itself")
    drawn = {construct for program in DRAWN for construct in program.constructs if construct.startswith("objects: ")}
    references = (
        "references",
        *(f"references, {way}" for way in ("loop", "map of edges", "map of places", "map that assigns")),
    )
    assert drawn == {f"objects: {what}" for what in (*styles, *uses, *references, "None among them")}


def test_every_skeleton_is_drawn() -> None:
    skeletons = {"filter", "map of map", "reduce", "scan", "reduce by key", "histogram", "gather", "scatter", "iterate"}
    skeletons |= {"any, all, argmin, argmax", "stencil", "stencil of map", "stencil: two dimensions"}
    assert skeletons <= {construct for program in DRAWN for construct in program.constructs}


def test_differences_of_exceptions() -> None:
    one = Outcome(error=ValueError("a"), place=("f.py", "f", 3))
    assert difference(one, one) is None
    assert str(difference(one, Outcome(value=3))).startswith("exception")
    assert str(difference(one, Outcome(error=IndexError("a")))).startswith("exception")
    assert str(difference(one, Outcome(error=ValueError("b"), place=one.place))).startswith("message")
    assert str(difference(one, Outcome(error=ValueError("a"), place=("f.py", "f", 4)))).startswith("place")


def test_small_differences_are_told_unless_allowed() -> None:
    next_one = math.nextafter(1.0, 2.0)
    assert difference_of_values(next_one, 1.0) is not None
    assert difference_of_values(next_one, 1.0, ulp=1) is None


def test_the_spacing_is_that_of_the_type_that_a_number_was_computed_in() -> None:
    """An array of both types widens those of the narrow one; whole numbers are exact however they are stored."""
    third = np.float32(1) / np.float32(3)
    value, spacing = with_spacing(hetc.map(lambda i: (third, 2.5, 3)[i]), [np.arange(3)])
    assert value.dtype == np.float64
    for place, step in ((0, float(np.spacing(third))), (1, math.ulp(2.5)), (2, 0.0)):
        near, far = value.copy(), value.copy()
        near[place] += step
        far[place] += max(2 * step, math.ulp(3.0))
        assert difference_of_values(near, value, ulp=1, spacing=spacing) is None
        assert difference_of_values(far, value, ulp=1, spacing=spacing) is not None


def test_a_failing_program_is_made_small() -> None:
    """What takes away everything but the fault: here, that a floor division stands in a loop."""
    source = """\
def helper(x):
    return x

def program_1(a, b):
    c = a + 1
    for k in range(3):
        if c > b and helper(a) < 100:
            c = (c + k) // (b - 7)
        else:
            c = c * 2
    return c + helper(b)

def inputs_0():
    return [[1, 2, 3], [4, 5, 6]]

def inputs_1():
    return [[1, 2, 300], [4, 5, 600]]
"""

    def fails(program: Program) -> bool:
        tree = ast.parse(program.source)
        loops = [node for node in ast.walk(tree) if isinstance(node, ast.For)]
        return any(isinstance(node, ast.FloorDiv) for loop in loops for node in ast.walk(loop))

    small = reduced(Program("program_1", source, 2, frozenset()), fails)
    assert small.calls == 1
    assert len(small.source.splitlines()) <= 9, small.source


def test_counts_survive_json() -> None:
    counts = Counts()
    counts.add(Verdict(DRAWN[0], "device"))
    counts.add(Verdict(DRAWN[1], "python", "value: 1 instead of 2", "a list is not compiled"))
    assert counts_from_data(counts_as_data(counts)) == counts
    assert "2 programs, 1 wrong: 1 on the device (50%)" in summary(counts)

"""The text form of signatures: what it accepts, and the message with a caret for what it does not."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hetc
from hetc.abi import SCALAR_TYPES, Bounds, Container, ElementType, InputKind, TupleType
from hetc.errors import HetcError
from hetc.runtime.describe import describe
from hetc.tools.signature_text import parse_signature

ELEMENTS: st.SearchStrategy[ElementType] = st.recursive(
    st.sampled_from(sorted(SCALAR_TYPES.values(), key=str)),
    lambda items: st.lists(items, min_size=1, max_size=3).map(lambda found: TupleType(tuple(found))),
    max_leaves=6,
)


@given(st.lists(ELEMENTS, min_size=1, max_size=4))
def test_round_trip(elements: list[ElementType]):
    signature = parse_signature(", ".join(f"{element}[?]" for element in elements))
    assert [value.element for value in signature.inputs] == elements
    assert {value.dims for value in signature.inputs} == {(0,)}


@pytest.mark.parametrize(
    ("text", "inputs"),
    [
        ("f32[?], f64[3]", (np.ones(3, np.float32), np.ones(3))),
        ("b1[?], u8[?]", (np.ones(2, bool), np.ones(2, np.uint8))),
        ("range", (range(2**20),)),
        ("float[?]", ([1.0, 2.0],)),
        ("bool[?], f32[?]", ([True], np.ones(1, np.float32))),
        ("(float, (bool, float))[?]", ([(1.0, (True, 2.0))],)),
        ("array f32[?], f32[?]", (hetc.array(np.ones(2, np.float32)), np.ones(2, np.float32))),
        ("array (i64, f64)[2]", (hetc.array([(1, 2.0), (3, 4.0)]),)),
    ],
)
def test_text_means_what_a_call_with_such_data_means(text: str, inputs: tuple[object, ...]):
    assert parse_signature(text) == describe(inputs, {})[0]


def test_integers_of_lists_may_be_any():
    (value,) = parse_signature("int[?]").inputs
    assert value.bounds == Bounds()
    assert value.bounds.low == -(2**63)
    assert parse_signature("int[?]").container is Container.LIST


def test_a_range_is_a_sequence():
    (value,) = parse_signature("range[10]").inputs
    assert value.kind is InputKind.SEQUENCE
    assert value.bounds == Bounds(0, 2**31 - 1)


@pytest.mark.parametrize(
    ("text", "reason", "marked"),
    [
        ("", "no inputs", ""),
        ("f32", "expected '[' after f32, since an input is a sequence of elements (f32[?]), found the end", ""),
        ("f32[?", "expected ']' after a length, found the end", ""),
        ("f32[?],", "expected an element type, found the end", ""),
        ("f32[?] f64[?]", "expected ',' or the end after an input, found 'f64'", "f64"),
        ("f32[?, ?]", "an input has one dimension", ","),
        ("f32[n]", "expected a length or '?', found 'n'", "n"),
        ("f32[-1]", "expected a length or '?', found '-'", "-"),
        ("f32[10], int[11]", "inputs of different lengths, 10 and 11", "11"),
        ("f23[?]", "unknown element type 'f23'; did you mean 'f32'?", "f23"),
        ("rang", "unknown element type 'rang'; did you mean 'range'?", "rang"),
        ("object[?]", "unknown element type 'object'; known are int, float, bool", "object"),
        ("array int[?]", "the elements of a portable array are NumPy's", "int"),
        ("()[?]", "expected an element type, found ')'", ")"),
        ("(f32, f32[?]", "expected ')' at the end of a tuple, found '['", "["),
        ("f32[?]; f32[?]", "expected ',' or the end after an input, found ';'", ";"),
    ],
)
def test_mistakes_are_marked(text: str, reason: str, marked: str):
    with pytest.raises(HetcError) as caught:
        parse_signature(text)
    first, source, carets = str(caught.value).split("\n")
    assert first.startswith(reason)
    assert source == f"    {text}"
    column = carets.index("^")
    assert carets.count("^") == max(1, len(marked))
    assert source[column : column + len(marked)] == marked

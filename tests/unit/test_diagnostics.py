"""The codes of messages: each kind has one, its example has that kind, and warnings can be filtered by it."""

from __future__ import annotations

import ast
import pickle
import re
import runpy
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

import hetc
from hetc import api
from hetc.diagnostics import Category
from hetc.division import DividingDispatcher
from hetc.errors import SourceLocation
from hetc.runtime import devices

needs_device = pytest.mark.skipif(not devices.list_devices(), reason="there is no OpenCL device")
EXAMPLES = [category for category in Category if category.value.example]


@pytest.fixture(autouse=True)
def dispatcher(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing warned about yet."""
    monkeypatch.setattr(api, "_dispatcher", DividingDispatcher())


def run(text: str, folder: Path) -> None:
    """Run Python text from a file, since hetc reads the source of functions."""
    path = folder / "example.py"
    path.write_text(f"import hetc\nimport numpy as np\n\n{text}\n")
    runpy.run_path(str(path))


def refused(x: int) -> object:
    return [x, {x}]


def test_codes_are_unique_and_in_order() -> None:
    codes = [category.code for category in Category]
    assert codes == sorted(set(codes))
    assert all(category.value.meaning.endswith(".") and category.value.advice.endswith(".") for category in Category)


@needs_device
@pytest.mark.parametrize("category", EXAMPLES, ids=lambda category: category.code)
def test_the_example_of_a_code_has_that_code(category: Category, tmp_path: Path) -> None:
    with hetc.configure(fallback="error"), pytest.raises(hetc.HetcError) as error:
        run(category.value.example, tmp_path)
    assert (error.value.category, error.value.code) == (category, category.code)
    assert str(error.value).startswith(f"{category.code}: ")
    assert f"{category.code}: {error.value.location}: " in str(error.value) or error.value.location is None


@needs_device
def test_a_warning_and_the_error_have_the_same_text_with_the_place() -> None:
    with pytest.warns(hetc.FallbackWarning) as caught:
        hetc.map(refused)([1])
    with hetc.configure(fallback="error"), pytest.raises(hetc.UnsupportedError) as error:
        hetc.map(refused)([1])
    assert str(caught[0].message) == str(error.value)
    assert str(error.value).startswith(f"{error.value.code}: {__file__}:")
    assert "    return [x, {x}]\n               ^^^" in str(error.value)


@needs_device
def test_what_is_wrong_with_the_data_points_at_the_call() -> None:
    call = hetc.map(lambda x: x)
    with pytest.warns(hetc.FallbackWarning) as caught:
        call(["a", 1])
    assert f"HETC0020: {__file__}:" in str(caught[0].message)
    assert '    call(["a", 1])\n    ^^^^^^^^^^^^^^' in str(caught[0].message)


@needs_device
def test_one_place_warns_once_whatever_the_data() -> None:
    def call(values: list[object]) -> object:
        return hetc.map(lambda x: x)(values)

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for values in (["a"], [1, "a"], [1, 2, "text"]):
            assert call(values) == values
        assert len(caught) == 1
        hetc.map(lambda x: x)(["a"])  # another place
    assert len(caught) == 2


@needs_device
def test_warnings_are_filtered_by_code() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.filterwarnings("ignore", message=".*HETC0001")
        hetc.map(refused)([1])
        assert not caught
        hetc.map(lambda x: x)(["a"])
    assert [str(warning.message)[:8] for warning in caught] == ["HETC0020"]


def warnings_of(path: Path) -> Iterator[ast.Call]:
    """The calls that warn, in a file: `warnings.warn` and `Caller.warn`."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("warnings.warn", "who.warn"):
            yield node


def test_every_warning_has_a_code(repository: Path) -> None:
    found = [(path, call) for path in (repository / "hetc").rglob("*.py") for call in warnings_of(path)]
    assert len(found) >= 3
    for path, call in found:
        text = ast.unparse(call.args[0])
        source = path.read_text()
        # The text begins with a code, is that of an error, or a variable that is.
        begins = r"f['\"]\{Category\.\w+\.code\}: "
        if re.search(rf"{text} = f['\"]\{{kind\}} encountered in ", source):
            continue  # NumPy's own warning, in NumPy's words
        assert re.match(begins, text) or text == "str(told)" or re.search(rf"{text} = {begins}", source), (path, text)


def test_each_class_of_errors_has_a_usual_code() -> None:
    usual = {
        hetc.UnsupportedError: "HETC0001",
        hetc.CompileError: "HETC0040",
        hetc.InputError: "HETC0025",
        hetc.DeviceError: "HETC0033",
    }
    for kind, code in usual.items():
        assert kind("why").code == code
        assert str(kind("why", hint="so", category=Category.CALL)) == "HETC0002: why\n  hint: so"
    assert hetc.HetcError("why").code is None
    assert str(hetc.HetcError("why")) == "why"


def test_an_error_gets_a_place_only_if_it_has_none() -> None:
    here, there = SourceLocation("a.py", 1), SourceLocation("b.py", 2, 3)
    error = hetc.UnsupportedError("why", hint="so", category=Category.TYPES).at(here)
    assert (type(error), error.location, error.hint, error.code) == (hetc.UnsupportedError, here, "so", "HETC0010")
    assert error.at(there).location == here
    assert pickle.loads(pickle.dumps(error)).reason == "why"

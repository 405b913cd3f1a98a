"""The OpenCL of the examples is what is stored under `tests/replay`."""

from __future__ import annotations

import difflib

import pytest

from tests.replay.update import FOLDER, expected_files

FILES = expected_files()


@pytest.mark.parametrize("name", FILES)
def test_opencl_is_unchanged(name: str) -> None:
    stored = (FOLDER / name).read_text()
    difference = "\n".join(
        difflib.unified_diff(stored.splitlines(), FILES[name]().splitlines(), "stored", "now", lineterm="")
    )
    if difference:
        pytest.fail(f"{difference}\n\nIf this is meant: python -m tests.replay.update", pytrace=False)


def test_every_file_belongs_to_an_example() -> None:
    assert {path.name for path in FOLDER.glob("*.cl")} == set(FILES)

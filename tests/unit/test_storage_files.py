"""Stored packages: as they were written, or not at all; and no more of them than fit."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path

import pytest

from hetc import abi
from hetc.abi import SCALAR_TYPES, TupleType
from hetc.abi.host_plans import HostAccess, RegionArrays
from hetc.abi.plans import GuardSite, Kernel, KernelParameter
from hetc.errors import SourceLocation
from hetc.storage.files import Folder
from hetc.storage.packages import pack, unpack
from hetc.tools import cli

PACKAGE = abi.Package(
    "__kernel void f() {}  // \u00e9",
    (Kernel("f", (KernelParameter("buffer", "float32", "x"), KernelParameter("scalar", "int64", "n"))),),
    (
        abi.Marshal(0, abi.Source(0), "float32"),
        abi.Scalar(1, abi.Source(None, "n", (1, -2)), "int64", "start"),
        abi.Launch("f", 1, (0, 1), 256, "split", (1,), (1,), (8, 8)),
        abi.CheckGuards(0, None, 3, 4),
        abi.Unmarshal((0,), TupleType((SCALAR_TYPES["int"], SCALAR_TYPES["f32"])), abi.Container.LIST, scalar=True),
    ),
    5,
    (GuardSite(0, "domain", "why", SourceLocation("file.py", 3, 4, 9)), GuardSite(1, "branch", "never", None)),
    ("-cl-std=CL1.2",),
    ("x",),
    (("specialize", 0.25),),
)


def test_a_package_is_read_as_it_was_written():
    found = unpack(pack(PACKAGE), abi.Package)
    assert found == PACKAGE
    assert found.pass_seconds == PACKAGE.pass_seconds


@pytest.mark.parametrize(
    "text",
    [
        "", "{", "null", "5", "[]", '["Package"]', '["Signature", 1]', '["os.system", "ls"]', '["eval", "1"]',
        '["Constant", 0, 1]', '["Container", "NO"]', '["Kernel", "f", [""]]', "[" * 5000,
    ],
)  # fmt: skip
def test_what_is_no_package_is_refused(text: str):
    with pytest.raises(ValueError, match="not a Package"):
        unpack(text, abi.Package)


def test_a_plan_of_host_code_is_read_as_it_was_written():
    plan = abi.HostPlan(
        {(3, 4): HostAccess(("x",), everything=True), (5, 0): HostAccess()},
        {0: RegionArrays(("x", "y"), ("y",), alone=("x",))},
        (abi.Transfer(3, "before", "x", "out", "kept", "why"),),
    )
    assert unpack(pack(plan), abi.HostPlan) == plan
    with pytest.raises(ValueError, match="not a Package"):
        unpack(pack(plan), abi.Package)


def test_only_data_is_written():
    with pytest.raises(TypeError):
        pack(abi.Package(object(), (), (), 0))  # type: ignore[arg-type]
    assert json.loads(pack(PACKAGE))[0] == "Package"


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path / "cache", 10_000)


def test_what_is_stored_is_found(folder: Folder):
    assert folder.read("a") is None
    assert folder.entries() == []
    assert folder.write("a", "one \u00e9\n two")
    assert folder.read("a") == "one \u00e9\n two"
    assert folder.write("a", "other")
    assert folder.read("a") == "other"
    assert [entry.path.name for entry in folder.entries()] == ["a.json"]
    assert folder.clear() == 1
    assert folder.read("a") is None


@pytest.mark.parametrize("damage", [b"", b"hetc-package 1 ", b"no", b"\xff\xfe"])
def test_a_damaged_entry_is_removed(damage: bytes, folder: Folder, caplog: pytest.LogCaptureFixture):
    folder.write("a", "text")
    path = folder.path / "a.json"
    path.write_bytes(damage)
    with caplog.at_level("DEBUG", logger="hetc.storage"):
        assert folder.read("a") is None
    assert not path.exists()
    assert [record.message for record in caplog.records] == [f"a damaged entry is removed: {path}"]


def test_any_changed_byte_is_seen(folder: Folder):
    folder.write("a", "text")
    path = folder.path / "a.json"
    whole = path.read_bytes()
    for place in range(len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        assert folder.read("a") is None
        path.write_bytes(whole[:place])
        assert folder.read("a") is None


def test_what_was_used_least_recently_goes_first(folder: Folder):
    for number in range(4):
        folder.write(str(number), "x" * 2000)
        os.utime(folder.path / f"{number}.json", (number, number))
    assert folder.read("0") is not None  # now the last that was used
    folder.write("4", "x" * 2500)
    assert {entry.path.stem for entry in folder.entries()} == {"0", "2", "3", "4"}
    assert sum(entry.size for entry in folder.entries()) <= folder.limit
    assert not folder.write("large", "x" * 20_000)
    assert len(folder.entries()) == 4


def test_a_folder_that_cannot_be_used_is_no_error(tmp_path: Path):
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "file", tmp_path / "file" / "below", Path("/proc/hetc")):
        folder = Folder(path, 1000)
        assert not folder.write("a", "text")
        assert folder.read("a") is None
        assert folder.entries() == []
        assert folder.clear() == 0


def test_nothing_half_written_is_left(folder: Folder, monkeypatch: pytest.MonkeyPatch):
    def fails(*_: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(os, "replace", fails)
    assert not folder.write("a", "text")
    assert list(folder.path.iterdir()) == []


def test_several_at_once(folder: Folder):
    texts = [f"{number} " * 100 for number in range(8)]
    seen: list[str | None] = []

    def work(text: str) -> None:
        for _ in range(30):
            folder.write("a", text)
            seen.append(folder.read("a"))

    threads = [threading.Thread(target=work, args=(text,)) for text in texts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(seen) <= {*texts}


def test_hetc_cache(folder: Folder, capsys: pytest.CaptureFixture[str]):
    folder.write("a", "text")
    cli.main(["cache", "--folder", str(folder.path)])
    said = capsys.readouterr().out
    assert str(folder.path) in said
    assert "kernels  1" in said
    cli.main(["cache", "path", "--folder", str(folder.path)])
    assert capsys.readouterr().out == f"{folder.path}\n"
    cli.main(["cache", "clear", "--folder", str(folder.path)])
    assert capsys.readouterr().out.startswith("removed 1 kernels")
    assert folder.entries() == []

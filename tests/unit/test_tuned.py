"""What has been measured of launches, on disk: found by the next process, and by nobody whom it does not concern."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import hetc
from hetc import abi
from hetc.runtime.devices import Device, list_devices
from hetc.runtime.tuning import TunedLaunch, Tuning, told
from hetc.storage import keys, store, tuned
from hetc.storage.packages import pack, unpack
from hetc.storage.tuned import OnDisk

STEP = abi.Launch("f", 3, (0, 1), 64, "split", layouts=((256,), (16, 16)))
PACKAGE = abi.Package("__kernel void f() {} // line 3\n", (), (STEP,), 4)
RECORD = abi.Tuned("f", (abi.TunedClass(4096, (256,), (((64,), 2.0), ((256,), 1.5))),))


@pytest.fixture
def device() -> Device:
    found = list_devices()
    if not found:
        pytest.skip("there is no OpenCL device")
    return found[0]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setattr(keys, "installed", lambda name: f"{name} as it is")
    with hetc.configure(cache=True, cache_dir=tmp_path, tuning="auto"):
        yield tmp_path


def test_what_is_written_is_read(device: Device):
    assert unpack(pack(RECORD), abi.Tuned) == RECORD
    OnDisk(PACKAGE, device).save(STEP, RECORD)
    assert OnDisk(PACKAGE, device).load(STEP) == RECORD


def test_the_registers_and_comments_do_not_matter(device: Device):
    OnDisk(PACKAGE, device).save(STEP, RECORD)
    other = replace(PACKAGE, source="__kernel void f() {} // line 9\n", guards=(abi.GuardSite(0, "branch", "why"),))
    assert OnDisk(other, device).load(replace(STEP, extent=7, arguments=(4, 5))) == RECORD


def test_what_matters_is_in_the_key(device: Device, monkeypatch: pytest.MonkeyPatch):
    OnDisk(PACKAGE, device).save(STEP, RECORD)
    assert OnDisk(replace(PACKAGE, source="__kernel void f() { }"), device).load(STEP) is None
    assert OnDisk(replace(PACKAGE, build_options=("-x",)), device).load(STEP) is None
    assert OnDisk(PACKAGE, device).load(replace(STEP, kernel="g")) is None
    assert OnDisk(PACKAGE, device).load(replace(STEP, group=128)) is None
    assert OnDisk(PACKAGE, device).load(replace(STEP, layouts=((256,),))) is None
    assert OnDisk(PACKAGE, replace(device, name="another")).load(STEP) is None
    traits = replace(device.traits, compute_units=device.traits.compute_units + 1)
    assert OnDisk(PACKAGE, replace(device, traits=traits)).load(STEP) is None
    monkeypatch.setattr(tuned, "compiler", lambda: "another version")
    assert OnDisk(PACKAGE, device).load(STEP) is None


@pytest.mark.parametrize(
    "classes",
    [
        5, (3,), (abi.TunedClass(4096, (7,), ()),), (abi.TunedClass(4096, (256,), ()),),
        (abi.TunedClass(4096, (256,), (((64,), 0.0), ((256,), 1.0))),),
        (abi.TunedClass(4096, (256,), (((64,), 1.0), ((99,), 1.0))),),
        (abi.TunedClass("many", (256,), (((64,), 2.0), ((256,), 1.5))),),  # type: ignore[arg-type]
        (abi.TunedClass(4096, (256,), 3),), (abi.TunedClass(4096, (256,), ((1, 2, 3),)),),  # type: ignore[arg-type]
    ],
)  # fmt: skip
def test_a_record_that_makes_no_sense_is_not_there(classes: object, device: Device):
    OnDisk(PACKAGE, device).save(STEP, RECORD)
    key = OnDisk(PACKAGE, device)._key(STEP)
    assert key is not None
    store.save(key, abi.Tuned("f", classes), hetc.settings.current())  # type: ignore[arg-type]
    assert OnDisk(PACKAGE, device).load(STEP) is None


def test_a_damaged_file_is_not_there(device: Device, folder: Path):
    OnDisk(PACKAGE, device).save(STEP, RECORD)
    (file,) = folder.glob(f"{tuned.PREFIX}*")
    file.write_bytes(file.read_bytes()[:-3])
    launch = TunedLaunch(STEP, OnDisk(PACKAGE, device))
    assert launch.layout(5000) == ((), None) or launch.layout(5000)[0] == ()
    assert launch.chosen() == ()


def test_a_package_is_no_record(device: Device):
    key = OnDisk(PACKAGE, device)._key(STEP)
    assert key is not None
    store.save(key, PACKAGE, hetc.settings.current())
    assert OnDisk(PACKAGE, device).load(STEP) is None


def test_the_next_process_does_not_measure(device: Device):
    OnDisk(PACKAGE, device).save(STEP, RECORD)
    (launch,) = Tuning(PACKAGE, OnDisk(PACKAGE, device))
    assert launch.layout(5000) == ((256,), None)
    assert launch.layout(9000)[0] == ()  # another size class
    assert launch.chosen() == RECORD.classes


def test_off_is_the_model_alone(device: Device):
    OnDisk(PACKAGE, device).save(STEP, RECORD)
    (launch,) = Tuning(PACKAGE, OnDisk(PACKAGE, device))
    with hetc.configure(tuning="off"):
        assert {launch.layout(5000) for _ in range(200)} == {((), None)}
    assert launch.layout(5000)[0] == (256,)


def test_without_a_cache_nothing_is_read_or_written(device: Device, folder: Path):
    with hetc.configure(cache=False):
        OnDisk(PACKAGE, device).save(STEP, RECORD)
        assert OnDisk(PACKAGE, device).load(STEP) is None
    assert list(folder.iterdir()) == []


def test_several_sizes_by_several_processes(device: Device):
    sizes = [1 << bits for bits in range(12, 20)]

    def work(size: int) -> None:
        one = replace(RECORD.classes[0], items=size)
        OnDisk(PACKAGE, device).save(STEP, abi.Tuned("f", (one,)))

    for size in sizes[:4]:
        work(size)
    found = OnDisk(PACKAGE, device).load(STEP)
    assert found is not None
    assert [one.items for one in found.classes] == sizes[:4]
    threads = [threading.Thread(target=work, args=(size,)) for size in sizes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = OnDisk(PACKAGE, device).load(STEP)  # whole, whoever came last
    assert found is not None
    assert {one.layout for one in found.classes} == {(256,)}


def test_small_launches_are_left_alone(device: Device, folder: Path):
    (launch,) = Tuning(PACKAGE, OnDisk(PACKAGE, device))
    assert {launch.layout(100) for _ in range(200)} == {((), None)}
    assert list(folder.iterdir()) == []


def test_what_is_told():
    assert told(RECORD.classes[0]) == "from 4096 work-items on, groups of 256 in the place of 64: 0.75 of the time"


def test_a_countdown_that_threads_have_passed(device: Device):
    """Two threads may count down at once, so that none sees zero: launches are still asked about."""
    (launch,) = Tuning(PACKAGE, None)
    launch.layout(5000)
    (trials,) = launch._classes.values()
    trials.unasked = -1
    before = trials.launches
    launch.layout(5000)
    assert trials.launches > before

"""Loops and NumPy statements whose device is chosen: results are Python's on each, and arrays do not go to and fro."""

from __future__ import annotations

import copy
import dataclasses
import itertools
from collections.abc import Callable, Hashable, Iterator
from typing import Any

import numpy as np
import pytest

import hetc
from hetc import api, jit_function, sorting
from hetc.arrays.memory import DeviceCopy, Memory
from hetc.choice import Choice, Home
from hetc.chosen_regions import MOST_REPEATS, Lease
from hetc.dispatch import Dispatcher
from hetc.errors import DeviceError, FallbackWarning
from hetc.frontends.skeleton.composition import Sort
from hetc.places import Record
from hetc.runtime.devices import Device, list_devices
from hetc.runtime.executor import Executable
from hetc.runtime.repeated_run import RepeatedRun
from hetc.timeline.events import Kind
from tests.device.conftest import discrete

DEVICES = list_devices()
pytestmark = pytest.mark.skipif(not DEVICES, reason="there is no OpenCL device")


@pytest.fixture(autouse=True)
def dispatcher(monkeypatch: pytest.MonkeyPatch) -> Dispatcher:
    """Nothing compiled or measured yet."""
    fresh = api.DividingDispatcher()
    monkeypatch.setattr(api, "_dispatcher", fresh)
    monkeypatch.setattr(jit_function, "dispatcher", lambda: fresh)
    return fresh


@pytest.fixture(params=["both", "shared-and-own-memory", "own-memory-and-shared"])
def pair(request: pytest.FixtureRequest) -> tuple[Device, Device]:
    """Two devices: those that there are, and one as it is and as one with memory of its own."""
    if request.param == "both":
        if len(DEVICES) < 2:
            pytest.skip("there are no two devices")
        return DEVICES[0], DEVICES[1]
    found = DEVICES[0], discrete(DEVICES[0])
    return found if request.param == "shared-and-own-memory" else (found[1], found[0])


@pytest.fixture(autouse=True)
def free(pair: tuple[Device, Device], monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The device of a run is hetc's to choose, and kernels cost nothing."""
    monkeypatch.delenv("HETC_DEVICE", raising=False)
    with hetc.configure(candidates=pair, offload="auto", device=None, threshold=0, fallback="error"):
        yield


class Watched:
    """Which device each kernel has run on."""

    def __init__(self) -> None:
        self.devices: list[Device] = []
        self.repeated = 0
        """How many of them were runs of the short form."""
        self.failing: Callable[[Device], bool] = lambda device: False
        self.error = DeviceError("there is no memory left")
        self.first: Device | None = None
        self.copied: list[Hashable] = []
        """The devices to which the numbers of portable arrays, and of those that are kept, have been copied."""

    def is_first(self, device: Device) -> bool:
        """Whether a device is the one that is asked for first."""
        self.first = self.first or device
        return device is self.first


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> Watched:
    """The runs of executables, and repeated ones, which may be made to fail before anything is launched."""
    watched = Watched()

    def watching(run: Callable[..., Any]) -> Callable[..., Any]:
        def watch(self: Executable | RepeatedRun, *args: Any, **kwargs: Any) -> Any:
            if watched.failing(self.device):
                raise copy.copy(watched.error)
            watched.devices.append(self.device)
            watched.repeated += isinstance(self, RepeatedRun)
            return run(self, *args, **kwargs)

        return watch

    for cls in (Executable, RepeatedRun):
        monkeypatch.setattr(cls, "run", watching(cls.run))
    keep = Memory.keep

    def watch_copies(self: Memory, device: Hashable, copy: DeviceCopy) -> None:
        if not copy.is_host:
            watched.copied.append(device)
        keep(self, device, copy)

    monkeypatch.setattr(Memory, "keep", watch_copies)
    return watched


def check_moves(ran: Watched, pair: tuple[Device, Device], most: int) -> None:
    """Arrays have not been brought from one device to the other more often than that.

    Two devices that both share the host's memory have all arrays where they are: there, no array is copied at all,
    whichever of them each run goes to.
    """
    if all(device.shared_memory for device in pair):
        assert ran.copied == []
    else:
        assert sum(one is not other for one, other in itertools.pairwise(ran.devices)) <= most


def steps_of_python(a: Any, b: Any, rounds: int) -> None:
    for _ in range(rounds):
        for i in hetc.forall(len(a)):
            b[i] = a[i] * 0.5 + 1.0
        for i in hetc.forall(len(a)):
            a[i] = b[i] - 0.25


def steps_of_numpy(a: Any, b: Any, rounds: int) -> None:
    for _ in range(rounds):
        b[:] = a * 0.5 + 1.0
        a[:] = b - 0.25


def statements_of_numpy(x: Any, y: Any) -> Any:
    z = (x * y + np.sqrt(x)) * (x - y * 0.25) + x / (y + 2.0)
    return (z - y * 0.5) * (z + x) - np.sqrt(x * 0.5 + y) / (x + 1.0)


def summed_of_python(a: Any) -> int:
    total = 0
    for i in hetc.forall(len(a)):
        total += a[i] * 2
    return total


halved = hetc.map(lambda b: b * 0.5)


def mixed_of_python(a: Any, rounds: int) -> Any:
    b = np.zeros(len(a))
    c = a
    for _ in range(rounds):
        for i in hetc.forall(len(a)):
            b[i] = c[i] + 1.0
        c = halved(b)
        for i in hetc.forall(len(a)):
            a[i] = c[i] + b[i]
    return c


steps, statements, summed, mixed = map(
    hetc.jit, (steps_of_python, statements_of_numpy, summed_of_python, mixed_of_python)
)


@pytest.fixture(autouse=True)
def functions(dispatcher: Dispatcher, monkeypatch: pytest.MonkeyPatch) -> None:
    """Functions of which nothing has been found out yet."""
    for name, function in (("steps", steps), ("statements", statements), ("summed", summed), ("mixed", mixed)):
        monkeypatch.setitem(globals(), name, hetc.jit(function.function))


@pytest.mark.parametrize("size", [1, 257, 30_000])
def test_loops_give_what_python_gives(size: int, ran: Watched) -> None:
    for rounds in (1, 2, 12):
        a, b = np.arange(size) / 7, np.zeros(size)
        x, y = a.copy(), b.copy()
        steps(a, b, rounds)
        steps_of_numpy(x, y, rounds)
        np.testing.assert_array_equal(a, x)
        np.testing.assert_array_equal(b, y)
    numbers = list(range(size))
    assert [summed(np.array(numbers)) for _ in range(4)] == [2 * sum(numbers)] * 4


def test_calls_between_loops_give_what_python_gives(pair: tuple[Device, Device], ran: Watched) -> None:
    for rounds in (1, 2, 12):
        a = np.arange(9000.0)
        x = a.copy()
        c, z = mixed(a, rounds), x
        for _ in range(rounds):
            y = z + 1.0
            z = y * 0.5
            x = z + y
        np.testing.assert_array_equal(c, z)
        np.testing.assert_array_equal(a, x)
    del ran.devices[:]
    mixed(np.arange(9000.0), 30)
    check_moves(ran, pair, 12)


def test_statements_give_what_numpy_gives(ran: Watched) -> None:
    x, y = np.arange(200_000.0), np.ones(200_000)
    for _ in range(6):
        np.testing.assert_array_equal(statements(x, y), statements_of_numpy(x, y))


def records(dispatcher: Dispatcher, device: Device, of: str = "loop") -> list[Record]:
    """What is known of a candidate for loops or statements."""
    found = dispatcher.hotness.records.items()
    return [record for key, record in found if isinstance(record, Record) and _is_of(key, of, device)]


def _is_of(key: Any, of: str, device: Device) -> bool:
    return key[0] == "choice" and key[2] is device and key[1][0][0] == of


def teach(dispatcher: Dispatcher, device: Device, seconds: float, of: str = "loop") -> None:
    """Let a candidate be known to take so long, wherever its data is."""
    for record in records(dispatcher, device, of):
        record.compiled, record.idle, record.saved, record.measured = True, 0.0, 0.0, 100
        for line in record.lines.values():
            line.runs.clear()
            line.runs.append((30_000, seconds))


def choose_again(function: Any) -> None:
    """Let no earlier choice hold for the next runs of its loops: what was taught is to be asked."""
    for context in function._contexts.values():
        for repeats in context.repeats.elsewhere.values():
            for repeat in repeats.found:
                repeat.leases.clear()


def test_a_choice_holds_for_few_and_short_runs(ran: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = list[Choice]()
    decide = Choice.decide

    def count(self: Choice, *args: Any) -> Any:
        chosen.append(self)
        return decide(self, *args)

    monkeypatch.setattr(Choice, "decide", count)
    a, b = np.arange(1_000.0), np.zeros(1_000)
    for _ in range(4):
        steps(a, b, 200)
    assert len(chosen) < len(ran.devices)
    known = [repeats for context in steps._contexts.values() for repeats in context.repeats.elsewhere.values()]
    leases = [lease for repeats in known for repeat in repeats.found for lease in repeat.leases.values()]
    assert leases
    for lease in leases:
        assert 0 <= lease.left <= lease.most <= MOST_REPEATS
        place = lease.choice.place
        assert place is not None
        slow = dataclasses.replace(lease.choice, place=dataclasses.replace(place, seconds=1.0))
        assert Lease(slow, lease).left == 0


def test_a_loop_comes_to_the_faster_device(pair: tuple[Device, Device], dispatcher: Dispatcher, ran: Watched) -> None:
    a, b = np.arange(30_000.0), np.zeros(30_000)
    for _ in range(4):
        steps(a, b, 4)
    for fast, slow in (pair, pair[::-1]):
        for home in dispatcher.hotness.records.values():
            if isinstance(home, Home):
                home.device = None
        teach(dispatcher, fast, 1e-6)
        teach(dispatcher, slow, 10.0)
        choose_again(steps)
        del ran.devices[:]
        steps(a, b, 1)
        assert set(ran.devices) == {fast}


def test_a_choice_ends_where_data_has_moved(pair: tuple[Device, Device], dispatcher: Dispatcher, ran: Watched) -> None:
    """What was chosen for one loop does not bring the arrays back that another loop of the function has moved."""
    if all(device.shared_memory for device in pair):
        pytest.skip("nothing moves")
    a, b = np.arange(30_000.0), np.zeros(30_000)
    for _ in range(4):
        steps(a, b, 40)
    known = [repeats for context in steps._contexts.values() for repeats in context.repeats.elsewhere.values()]
    leases = [lease for repeats in known for repeat in repeats.found for lease in repeat.leases.values()]
    assert leases
    for lease in leases:
        lease.left = lease.most = MOST_REPEATS
    chosen = leases[-1].choice.device
    (other,) = (device for device in pair if device is not chosen)
    for home in dispatcher.hotness.records.values():
        if isinstance(home, Home):
            home.device = other
    teach(dispatcher, other, 1e-6)
    assert chosen is not None
    teach(dispatcher, chosen, 10.0)
    del ran.devices[:]
    steps(a, b, 2)
    assert set(ran.devices) == {other}


def test_statements_come_to_the_faster_device(
    pair: tuple[Device, Device], dispatcher: Dispatcher, ran: Watched
) -> None:
    x, y = np.arange(200_000.0), np.ones(200_000)
    for _ in range(4):
        statements(x, y)
    for fast, slow in (pair, pair[::-1]):
        globals()["statements"] = hetc.jit(statements_of_numpy)  # no call of it is left alone
        teach(dispatcher, fast, 1e-7, "arrays")
        teach(dispatcher, slow, 10.0, "arrays")
        del ran.devices[:]
        np.testing.assert_array_equal(statements(x, y), statements_of_numpy(x, y))
        assert set(ran.devices) == {fast}


def test_arrays_do_not_go_to_and_fro(pair: tuple[Device, Device], ran: Watched) -> None:
    a, b = np.arange(30_000.0), np.zeros(30_000)
    for _ in range(3):
        steps(a, b, 10)
    del ran.devices[:]
    steps(a, b, 100)
    assert len(ran.devices) == 200
    check_moves(ran, pair, 20)


def test_loops_on_a_chosen_device_are_repeated_by_the_short_path(ran: Watched) -> None:
    a, b = np.arange(30_000.0), np.zeros(30_000)
    x, y = a.copy(), b.copy()
    for _ in range(4):
        steps(a, b, 40)
        steps_of_numpy(x, y, 40)
    del ran.devices[:]
    ran.repeated = 0
    for number in range(3):
        steps(a, b, 50)
        steps_of_numpy(x, y, 50)
        if number == 1:
            b = np.zeros(30_000)  # another array of the same kind
            y = b.copy()
    assert len(ran.devices) == 300
    assert ran.repeated >= 250
    np.testing.assert_array_equal(a, x)
    np.testing.assert_array_equal(b, y)


def test_a_choice_holds_for_data_in_the_same_places_alone(pair: tuple[Device, Device], ran: Watched) -> None:
    """What a host's statement changes between two loops is seen by the next, wherever that runs."""

    @hetc.jit
    def changed(a: Any, b: Any, rounds: int) -> None:
        for k in range(rounds):
            for i in hetc.forall(len(a)):
                b[i] = a[i] + 1.0
            if k % 3 == 0:
                b[k] = -5.0
            for i in hetc.forall(len(a)):
                a[i] = b[i] * 0.5

    a, b = np.arange(20_000.0), np.zeros(20_000)
    x, y = a.copy(), b.copy()
    for _ in range(4):
        changed(a, b, 30)
        for k in range(30):
            y[:] = x + 1.0
            if k % 3 == 0:
                y[k] = -5.0
            x[:] = y * 0.5
        np.testing.assert_array_equal(a, x)
        np.testing.assert_array_equal(b, y)
    assert ran.repeated


def test_a_profile_and_explain_tell_why(pair: tuple[Device, Device]) -> None:
    a, b = np.arange(30_000.0), np.zeros(30_000)
    with hetc.profile() as found:
        steps(a, b, 5)
    told = [event.name for event in found.events if event.kind is Kind.CHOICE]
    assert len(told) == 10
    assert all(device.name in told[-1] for device in pair)
    text = " ".join(str(steps.explain(a, b, 1)).split())
    assert text.count("chosen from:") == 2
    assert all(device.name in text for device in pair)
    assert "chosen from:" not in str(steps.on(pair[0]).explain(a, b, 1))


# --- Sorts -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [2, 1000, 70_000])
def test_a_sort_comes_to_the_faster_device(
    size: int, pair: tuple[Device, Device], dispatcher: Dispatcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    used = list[Device]()
    work = sorting.DeviceSort.sorted

    def watch(self: sorting.DeviceSort, *args: Any) -> Any:
        used.append(self.device)
        return work(self, *args)

    monkeypatch.setattr(sorting.DeviceSort, "sorted", watch)
    x = np.random.default_rng(0).standard_normal(size).astype(np.float32)
    ordered, expected = hetc.sort(), np.sort(x)
    for _ in range(3):
        np.testing.assert_array_equal(ordered(x), expected)
    found = [
        record for key, record in dispatcher.hotness.records.items()
        if isinstance(record, Record) and key[0] == "choice" and key[1][0] is Sort
    ]  # fmt: skip
    assert {record.device for record in found} == set(pair)
    for fast, slow in (pair, pair[::-1]):
        for record in found:
            record.compiled, record.idle, record.saved, record.measured = True, 0.0, 0.0, 100
            for line in record.lines.values():
                line.runs.clear()
                line.runs.append((size, 1e-9 if record.device is fast else 10.0))
        for home in dispatcher.hotness.records.values():
            if isinstance(home, Home):
                home.device = None
        del used[:]
        np.testing.assert_array_equal(ordered(x), expected)
        assert used == [fast]
        text = " ".join(str(ordered.explain(x)).split())
        assert text.count("chosen from:") == 1
        told = text[text.index("chosen from:") :]
        assert all(f"{device.name} ({device.platform})" in told for device in pair)
        assert slow in pair


def test_a_device_that_does_not_sort_is_left(pair: tuple[Device, Device], monkeypatch: pytest.MonkeyPatch) -> None:
    used = list[Device]()
    work = sorting.DeviceSort.sorted

    def fail(self: sorting.DeviceSort, *args: Any) -> Any:
        used.append(self.device)
        if self.device is used[0]:
            raise DeviceError("there is no memory left")
        return work(self, *args)

    monkeypatch.setattr(sorting.DeviceSort, "sorted", fail)
    x = np.random.default_rng(0).standard_normal(50_000)
    with pytest.warns(FallbackWarning, match="no memory"):
        np.testing.assert_array_equal(hetc.sort()(x), np.sort(x))
    assert set(used) == set(pair)


# --- A device that fails ---------------------------------------------------------------------------------------------


def repeat(check: Callable[[], None]) -> None:
    for _ in range(6):
        check()


def run_all(check: Callable[[], None]) -> list[str]:
    """What is warned of in some rounds."""
    with hetc.configure(fallback="warn"), pytest.warns(FallbackWarning) as told:
        repeat(check)
    return [str(each.message) for each in told]


def check_loops() -> None:
    a, b = np.arange(3000.0), np.zeros(3000)
    x, y = a.copy(), b.copy()
    steps(a, b, 3)
    steps_of_numpy(x, y, 3)
    np.testing.assert_array_equal(a, x)
    np.testing.assert_array_equal(b, y)


def check_statements() -> None:
    x, y = np.arange(200_000.0), np.ones(200_000)
    np.testing.assert_array_equal(statements(x, y), statements_of_numpy(x, y))


def check_calls() -> None:
    numbers = [number / 3 for number in range(20_000)]
    assert polynomial(numbers) == [polynomial_of_python(number) for number in numbers]


def polynomial_of_python(a: float) -> float:
    for _ in range(8):
        a = a * 0.25 + 1.5
    return a


polynomial = hetc.map(polynomial_of_python)
CHECKS = [check_loops, check_statements, check_calls]


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("out_of_memory", [False, True])
def test_another_candidate_takes_what_a_device_fails_to_run(
    check: Callable[[], None], out_of_memory: bool, pair: tuple[Device, Device], ran: Watched
) -> None:
    ran.failing = ran.is_first
    ran.error.out_of_memory = out_of_memory
    told = run_all(check)
    assert all("no memory left" in text for text in told)
    assert ran.first not in ran.devices


@pytest.mark.parametrize("check", CHECKS)
def test_python_takes_what_no_device_runs(check: Callable[[], None], ran: Watched) -> None:
    ran.failing = lambda device: True
    told = run_all(check)
    assert all("no memory left" in text for text in told)
    assert ran.devices == []


@pytest.mark.parametrize("check", CHECKS)
def test_another_candidate_takes_what_a_driver_does_not_compile(
    check: Callable[[], None], pair: tuple[Device, Device], ran: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    make = Executable.__init__

    def refuse(self: Executable, package: Any, device: Device, *more: Any) -> None:
        if ran.is_first(device):
            raise DeviceError("the driver has crashed")
        make(self, package, device, *more)

    monkeypatch.setattr(Executable, "__init__", refuse)
    told = run_all(check)
    assert all("the driver has crashed" in text for text in told)
    assert ran.first not in ran.devices


def summed_twice_of_python(a: Any, size: int) -> None:
    for i, j in hetc.forall(size, 3):
        a[i, j] += 1.0
    for i in hetc.prange(0, size, 2):
        a[i, 0] *= 2.0


def test_parts_that_have_run_do_not_run_again(pair: tuple[Device, Device], ran: Watched) -> None:
    """A run of a loop that begins in Python goes on in several parts; whichever a device fails at, each runs once."""
    for fails_at in range(6):
        function, a, runs = hetc.jit(summed_twice_of_python), np.ones((400, 3)), itertools.count()
        ran.failing = lambda device, runs=runs, fails_at=fails_at: device is pair[0] and next(runs) >= fails_at
        expected = a.copy()
        with hetc.configure(fallback="silent"):
            for _ in range(6):
                function(a, 400)
                expected += 1.0
                expected[::2, 0] *= 2.0
                np.testing.assert_array_equal(a, expected)


def test_nothing_is_said_where_that_is_wanted(ran: Watched) -> None:
    ran.failing = ran.is_first
    quiet = polynomial.options(fallback="silent"), steps.options(fallback="silent")
    numbers = [number / 3 for number in range(20_000)]
    for _ in range(4):
        assert quiet[0](numbers) == [polynomial_of_python(number) for number in numbers]
        quiet[1](np.arange(3000.0), np.zeros(3000), 3)
    assert ran.first not in ran.devices


def test_what_may_have_changed_is_not_run_again(ran: Watched) -> None:
    ran.failing, ran.error.launched = lambda device: True, True
    with pytest.raises(DeviceError, match="no memory left"):
        repeat(check_loops)


def test_a_device_that_is_asked_for_raises(pair: tuple[Device, Device], ran: Watched) -> None:
    ran.failing = lambda device: device is pair[0]
    with pytest.raises(DeviceError, match="no memory left"):
        hetc.map(lambda a: a * 3).on(pair[0])(np.arange(9.0))
    with pytest.raises(DeviceError, match="no memory left"):
        steps.on(pair[0])(np.arange(9.0), np.zeros(9), 1)

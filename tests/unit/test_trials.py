"""Which layout is chosen, in launches whose times are made up."""

from __future__ import annotations

import random
import statistics
from collections.abc import Callable

import pytest

from hetc.runtime import trials
from hetc.runtime.trials import Trials

LAYOUTS = ((), (16, 16), (256,), (8192,))
ITEMS = 1000
Clock = Callable[[int, int], float]
"""The nanoseconds of a launch in a layout, by its number."""


def simulated(clock: Clock, launches: int = 400, delay: int = 0) -> tuple[Trials, list[int]]:
    """The trials after so many launches, and the layouts that were run; times are known some launches later."""
    found, ran, under_way = Trials(LAYOUTS), list[int](), list[tuple[int, int]]()
    for number in range(launches):
        layout, timed = asked(found)
        ran.append(layout)
        if timed:
            under_way.append((layout, number))
        while under_way and under_way[0][1] <= number - delay:
            of, which = under_way.pop(0)
            found.took(of, round(clock(of, which)), ITEMS)
    return found, ran


def asked(found: Trials) -> tuple[int, bool]:
    """What the next launch is, as its caller finds it out."""
    if found.unasked:
        found.unasked -= 1
        return 0, False
    return found.next()


def times(*factors: float, base: float = 1e6, noise: float = 0.0, seed: int = 0) -> Clock:
    drawn = random.Random(seed)
    return lambda layout, _: base * factors[layout] * (1 + noise * drawn.random())


def test_the_fastest_is_chosen():
    found, ran = simulated(times(1, 0.9, 0.7, 1.2))
    assert found.chosen == 2
    assert ran[-1] == 2


@pytest.mark.parametrize("factors", [(1, 1.1, 1.5, 3), (1, 1, 1, 1), (1, 0.97, 0.98, 1.01)])
def test_what_gains_too_little_is_not(factors: tuple[float, ...]):
    found, ran = simulated(times(*factors))
    assert found.chosen == 0
    assert ran[-1] == 0


def test_noise_does_not_decide():
    """Of many that are as fast as each other, seldom another one is chosen, and none that is slower is."""
    chosen = [simulated(times(1, 1, 1, 1, noise=0.5, seed=seed))[0].chosen for seed in range(400)]
    assert sum(map(bool, chosen)) <= 0.05 * len(chosen)
    slower = [simulated(times(1, 1.2, 1.2, 1.2, noise=0.5, seed=seed))[0].chosen for seed in range(400)]
    assert sum(map(bool, slower)) <= 2


def test_a_gain_is_found_in_noise():
    chosen = [simulated(times(1, 1, 0.7, 1, noise=0.2, seed=seed))[0].chosen for seed in range(100)]
    assert chosen.count(2) >= 95


def test_a_single_slow_launch_decides_nothing():
    """Whatever else the machine does falls on one launch, or on all for a while."""
    assert simulated(lambda layout, number: 9e6 if number == 60 else (1e6, 1e6, 8e5, 1e6)[layout])[0].chosen == 2
    assert simulated(lambda layout, number: 3e6 if 40 <= number < 60 else 1e6)[0].chosen == 0


@pytest.mark.parametrize("slow", [1.5, 4, 12])
def test_what_trials_cost(slow: float):
    """At most a fifth of what has been run before they begin, where others take up to four times as long."""
    clock = times(1, slow, slow, slow)
    ran = simulated(clock)[1]
    lost = sum(clock(layout, 0) - clock(0, 0) for layout in ran)
    begun = next(number for number, layout in enumerate(ran) if layout)
    assert begun >= trials.PATIENCE
    tried_once = 3 * (slow - 1) * 1e6
    assert lost <= (2 if slow < trials.SIFTED[1] else 1) * tried_once + 1


def test_short_launches_are_not_tried():
    assert set(simulated(times(1, 0.1, 0.1, 0.1, base=trials.LEAST_NS / 2), 5000)[1]) == {0}


def test_short_launches_are_seldom_asked_about():
    found, wanted = Trials(LAYOUTS), 0
    for _ in range(100_000):
        layout, timed = asked(found)
        if timed:
            found.took(layout, trials.LEAST_NS // 10, ITEMS)
            wanted += 1
    assert wanted < 200


def test_few_launches_are_not_tried():
    assert set(simulated(times(1, 0.1, 0.1, 0.1), trials.PATIENCE)[1]) == {0}


def test_times_that_come_late():
    assert simulated(times(1, 0.9, 0.7, 1.2), delay=1)[0].chosen == 2


def test_launches_that_fail_are_not_waited_for():
    """A launch whose time never comes: the layout is not chosen, and there is an end."""
    found = Trials(LAYOUTS)
    for _ in range(400):
        layout, timed = asked(found)
        if timed and layout != 2:
            found.took(layout, 1_000_000, ITEMS)
    assert found.chosen == 0


def test_sizes_in_a_class_differ():
    """Data of up to twice the size takes longer; what is compared is the time an item."""
    found = Trials(LAYOUTS)
    for number in range(400):
        layout, timed = asked(found)
        items = ITEMS * (1 + number % 2)
        if timed:
            found.took(layout, round(1e3 * items * (1, 1.2, 0.8, 1)[layout]), items)
    assert found.chosen == 2
    assert dict(found.measured)[LAYOUTS[2]] == pytest.approx(800)


def test_what_another_process_has_chosen():
    found = Trials(LAYOUTS)
    found.choose((256,))
    assert [found.next() for _ in range(3)] == [(2, False)] * 3
    other = Trials(LAYOUTS)
    other.choose((99,))  # a layout that there is no more
    assert other.chosen is None


def test_it_is_the_same_each_time():
    """The same times lead to the same launches."""
    first, second = (simulated(times(1, 0.9, 0.8, 2, noise=0.3, seed=7))[1] for _ in range(2))
    assert first == second
    assert statistics.mode(first[-50:]) == first[-1]

"""Monte Carlo: where the price of a share stands after a year, simulated day by day along many paths.

Each path has a generator of random numbers of its own: Park and Miller, "Random Number Generators: Good Ones Are Hard
To Find", Communications of the ACM 31 (10), 1988.
"""

from __future__ import annotations

import math

import numpy as np

import hetc

DAYS, RATE, VOLATILITY = 250, 0.0002, 0.012


def path(seed):
    """The price after all days, as a share of the first."""
    state, price = 1 + 48271 * seed % 2147483646, 1.0
    for _ in range(DAYS):
        total = 0.0
        for _ in range(4):  # four uniform numbers make one that is nearly normal
            state = 48271 * state % 2147483647
            total += state / 2147483647
        price *= 1.0 + RATE + VOLATILITY * math.sqrt(3.0) * (total - 2.0)
    return price


prices = hetc.map(path)


def compute(size):
    return np.array(prices(range(size)))


def plain(size):
    """The same by NumPy: all paths at once, a day at a time."""
    state, price = 1 + 48271 * np.arange(size) % 2147483646, np.ones(size)
    for _ in range(DAYS):
        total = np.zeros(size)
        for _ in range(4):
            state = 48271 * state % 2147483647
            total += state / 2147483647
        price *= 1.0 + RATE + VOLATILITY * math.sqrt(3.0) * (total - 2.0)
    return price


def picture(figure, price):
    axes = figure.add_subplot()
    axes.hist(price, 100, color="steelblue")
    axes.axvline(price.mean(), color="black")
    axes.set(xlabel="price after a year", ylabel="paths", title=f"mean {price.mean():.3f}")

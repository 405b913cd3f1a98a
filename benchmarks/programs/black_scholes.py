"""Black-Scholes: the prices of call and put options."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from benchmarks.peers import Peers
from benchmarks.programs.program import Program, elementwise
from examples import black_scholes

RATE, VOLATILITY = black_scholes.RATE, black_scholes.VOLATILITY


def arrays(xp: Any) -> Any:
    def cdf(d):
        k = 1 / (1 + 0.2316419 * xp.abs(d))
        polynomial = k * (0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
        tail = 0.3989422804014327 * xp.exp(-0.5 * d * d) * polynomial
        return xp.where(d > 0, 1 - tail, tail)

    def run(price, strike, years):
        spread = VOLATILITY * xp.sqrt(years)
        d1 = (xp.log(price / strike) + (RATE + 0.5 * VOLATILITY * VOLATILITY) * years) / spread
        n1, n2 = cdf(d1), cdf(d1 - spread)
        discounted = strike * xp.exp(-RATE * years)
        return price * n1 - discounted * n2, discounted * (1 - n2) - price * (1 - n1)

    return run


def element(jit: Any) -> Any:
    """One option in float32, for Numba on either device."""
    f = np.float32
    zero, one, half, scale = f(0), f(1), f(0.5), f(0.3989422804014327)
    b0, b1, b2, b3, b4, b5 = map(f, (0.2316419, 0.319381530, -0.356563782, 1.781477937, -1.821255978, 1.330274429))
    rate, volatility = f(RATE), f(VOLATILITY)

    @jit
    def cdf(d):
        k = one / (one + b0 * abs(d))
        tail = scale * math.exp(-half * d * d) * (k * (b1 + k * (b2 + k * (b3 + k * (b4 + k * b5)))))
        return one - tail if d > zero else tail

    @jit
    def prices(price, strike, years):
        spread = volatility * math.sqrt(years)
        d1 = (math.log(price / strike) + (rate + half * volatility * volatility) * years) / spread
        n1 = cdf(d1)
        n2 = cdf(d1 - spread)
        discounted = strike * math.exp(-rate * years)
        return price * n1 - discounted * n2, discounted * (one - n2) - price * (one - n1)

    return prices


def numba(nb: Any) -> Any:
    prices = element(nb.njit(fastmath=True))

    @nb.njit(parallel=True, fastmath=True)
    def run(price, strike, years):
        call, put = np.empty_like(price), np.empty_like(price)
        for i in nb.prange(len(price)):
            call[i], put[i] = prices(price[i], strike[i], years[i])
        return call, put

    return run


def cuda(cu: Any) -> Any:
    prices = element(cu.jit(device=True, fastmath=True))

    @cu.jit(fastmath=True)
    def kernel(price, strike, years, call, put):
        i = cu.grid(1)
        if i < len(price):
            call[i], put[i] = prices(price[i], strike[i], years[i])

    def run(price, strike, years):
        n = len(price)
        call, put = cu.device_array(n, np.float32), cu.device_array(n, np.float32)
        kernel[(n + 255) // 256, 256](price, strike, years, call, put)
        return call, put

    return run


PROGRAM = Program(
    "Black-Scholes",
    4 << 20,
    32 << 20,
    black_scholes.black_scholes,
    black_scholes.sample,
    black_scholes.reference,
    elementwise("black_scholes", 2, (np.float32(RATE), np.float32(VOLATILITY))),
    Peers(arrays, numba, cuda),
)

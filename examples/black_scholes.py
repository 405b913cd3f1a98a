"""Black-Scholes: the prices of a European call and put option.

The mapped function calls another Python function, reads captured globals and returns a tuple, so that the array
function returns two arrays. `np.exp`, `np.log` and `np.sqrt` of a float32 stay float32, and so does the whole program.

Source of the formulas: Black and Scholes, "The Pricing of Options and Corporate Liabilities", 1973; Abramowitz and
Stegun, "Handbook of Mathematical Functions", 1964, formula 26.2.17.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import hetc

RATE = 0.02
VOLATILITY = 0.30


def normal_cdf(d):
    """The normal distribution function of `d`, to within 7.5e-8."""
    k = 1 / (1 + 0.2316419 * abs(d))
    polynomial = k * (0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
    tail = 0.3989422804014327 * np.exp(-0.5 * d * d) * polynomial
    return 1 - tail if d > 0 else tail


def option_prices(price, strike, years):
    """The prices of the call and the put option on a share that costs `price`."""
    spread = VOLATILITY * np.sqrt(years)
    d1 = (np.log(price / strike) + (RATE + 0.5 * VOLATILITY * VOLATILITY) * years) / spread
    d2 = d1 - spread
    n1, n2 = normal_cdf(d1), normal_cdf(d2)
    discounted = strike * np.exp(-RATE * years)
    call = price * n1 - discounted * n2
    put = discounted * (1 - n2) - price * (1 - n1)
    return call, put


black_scholes = hetc.map(option_prices)


def sample(size: int, seed: int = 0) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
    """Prices, strike prices and years to maturity of `size` options."""
    generator = np.random.default_rng(seed)
    price = generator.uniform(5, 30, size).astype(np.float32)
    strike = generator.uniform(1, 100, size).astype(np.float32)
    years = generator.uniform(0.25, 10, size).astype(np.float32)
    return price, strike, years


def reference(
    price: NDArray[np.float32], strike: NDArray[np.float32], years: NDArray[np.float32]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The same in double precision."""
    return array_prices(price.astype(np.float64), strike.astype(np.float64), years.astype(np.float64))


def array_prices(price, strike, years):
    """The same for whole arrays at once, as one writes it for NumPy."""

    def array_cdf(d):
        k = 1 / (1 + 0.2316419 * np.abs(d))
        polynomial = k * (0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
        tail = 0.3989422804014327 * np.exp(-0.5 * d * d) * polynomial
        return np.where(d > 0, 1 - tail, tail)

    spread = VOLATILITY * np.sqrt(years)
    d1 = (np.log(price / strike) + (RATE + 0.5 * VOLATILITY * VOLATILITY) * years) / spread
    n1, n2 = array_cdf(d1), array_cdf(d1 - spread)
    discounted = strike * np.exp(-RATE * years)
    return price * n1 - discounted * n2, discounted * (1 - n2) - price * (1 - n1)


def main() -> None:
    """Price a few options."""
    price, strike, years = sample(5)
    call, put = black_scholes(price, strike, years)
    for row in zip(price, strike, years, call, put, strict=True):
        print("share {:6.2f}, strike {:6.2f}, years {:5.2f}: call {:6.2f}, put {:6.2f}".format(*row))


if __name__ == "__main__":
    main()

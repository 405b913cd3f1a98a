"""The price of a European call option, over strike prices and times to maturity.

Source: Black and Scholes, "The Pricing of Options and Corporate Liabilities", Journal of Political Economy 81, 1973.
"""

from __future__ import annotations

import math

import numpy as np

import hetc

PRICE, RATE, VOLATILITY = 100.0, 0.03, 0.25


def normal_cdf(d):
    """The distribution function of the normal distribution."""
    return 0.5 * (1.0 + math.erf(d / math.sqrt(2.0)))


def call_price(strike, years):
    """What the right to buy at the strike price is worth."""
    spread = VOLATILITY * math.sqrt(years)
    d1 = (math.log(PRICE / strike) + (RATE + 0.5 * VOLATILITY**2) * years) / spread
    return PRICE * normal_cdf(d1) - strike * math.exp(-RATE * years) * normal_cdf(d1 - spread)


prices = hetc.map(call_price)


def compute(size):
    strike, years = surface(size)
    return strike, years, prices(strike.reshape(-1), years.reshape(-1)).reshape(size, size)


def surface(size):
    """Strike prices and times, as a grid."""
    return np.meshgrid(np.linspace(60.0, 140.0, size), np.linspace(0.05, 2.0, size))


def plain(size):
    """The same by Python, an option at a time."""
    strike, years = surface(size)
    options = zip(strike.flat, years.flat, strict=True)
    return strike, years, np.array([call_price(float(k), float(t)) for k, t in options]).reshape(size, size)


def picture(figure, result):
    axes = figure.add_subplot(projection="3d")
    axes.plot_surface(*result, cmap="viridis")
    axes.set(xlabel="strike price", ylabel="years", zlabel="price")

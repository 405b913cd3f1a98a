"""SIR epidemics: how many are ill at the worst time, over how fast they infect and recover.

Source: Kermack and McKendrick, "A Contribution to the Mathematical Theory of Epidemics", Proc. R. Soc. A 115, 1927.
"""

from __future__ import annotations

import numpy as np

import hetc

DAYS, PARTS = 200, 4


def peak(infection, recovery):
    """The largest share of infectious people, and the share that has been ill in the end."""
    healthy, ill, worst = 0.999, 0.001, 0.001
    for _ in range(DAYS * PARTS):
        new = infection * healthy * ill / PARTS
        healthy -= new
        ill += new - recovery * ill / PARTS
        worst = max(worst, ill)
    return worst, 1.0 - healthy


epidemics = hetc.map(peak)


def compute(size):
    infection, recovery = parameters(size)
    worst, total = epidemics(infection.reshape(-1), recovery.reshape(-1))
    return infection, recovery, worst.reshape(size, size), total.reshape(size, size)


def parameters(size):
    """Infections a day by one person, and the share that recovers in a day."""
    return np.meshgrid(np.linspace(0.05, 0.6, size), np.linspace(0.05, 0.3, size))


def plain(size):
    """The same by NumPy: all epidemics at once, a step at a time."""
    infection, recovery = parameters(size)
    healthy, ill, worst = (np.full(infection.shape, value) for value in (0.999, 0.001, 0.001))
    for _ in range(DAYS * PARTS):
        new = infection * healthy * ill / PARTS
        healthy = healthy - new
        ill = ill + (new - recovery * ill / PARTS)
        worst = np.maximum(worst, ill)
    return infection, recovery, worst, 1.0 - healthy


def picture(figure, result):
    infection, recovery, *shares = result
    for axes, share, title in zip(figure.subplots(1, 2), shares, ("ill at the peak", "ill in the end"), strict=True):
        figure.colorbar(axes.contourf(infection, recovery, share, 20, cmap="YlOrRd"), ax=axes)
        axes.set(xlabel="infections a day", ylabel="recovery a day", title=title)
    figure.tight_layout()

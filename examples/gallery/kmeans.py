"""K-means: points find their nearest centre, and centres move to the mean of their points.

Source: Lloyd, "Least Squares Quantization in PCM", IEEE Transactions on Information Theory 28 (2), 1982.
"""

from __future__ import annotations

import numpy as np

import hetc

K, ROUNDS = 6, 8


@hetc.jit
def nearest(x, y, cx, cy, label):
    """Write the number of the nearest centre of each point."""
    for i in hetc.forall(len(x)):
        best, least = 0, 1e300
        for k in range(len(cx)):
            distance = (x[i] - cx[k]) ** 2 + (y[i] - cy[k]) ** 2
            if distance < least:
                best, least = k, distance
        label[i] = best


def sums(values, label):
    """The sum of the values of each label."""
    return hetc.reduce_by_key(lambda a, b: a + b, 0.0, label, K)(values)


def compute(size):
    x, y = points(size)
    cx, cy, label = x[:K].copy(), y[:K].copy(), np.zeros(size, np.int64)
    for _ in range(ROUNDS):
        nearest(x, y, cx, cy, label)
        count = np.maximum(sums(np.ones(size), label), 1)
        cx, cy = sums(x, label) / count, sums(y, label) / count
    return x, y, label, cx, cy


def points(size):
    """Points about a few places."""
    draw = np.random.default_rng(3)
    places = draw.uniform(-4, 4, (K, 2))
    return (places[draw.integers(0, K, size)] + draw.normal(0, 0.6, (size, 2))).T.copy()


def plain(size):
    """The same by NumPy: all distances as a matrix."""
    x, y = points(size)
    cx, cy = x[:K], y[:K]
    for _ in range(ROUNDS):
        label = np.argmin((x[:, None] - cx) ** 2 + (y[:, None] - cy) ** 2, axis=1)
        count = np.maximum(np.bincount(label, minlength=K), 1)
        cx, cy = (np.bincount(label, values, K) / count for values in (x, y))
    return x, y, label, cx, cy


def picture(figure, result):
    x, y, label, cx, cy = result
    axes = figure.add_subplot()
    axes.set(xticks=[], yticks=[])
    axes.scatter(x, y, s=1, c=label, cmap="tab10")
    axes.scatter(cx, cy, s=60, c="black", marker="x")

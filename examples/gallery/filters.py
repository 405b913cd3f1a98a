"""Image filters: on a photograph of Admiral Grace Hopper, from matplotlib's sample data (public domain)."""

from __future__ import annotations

import numpy as np

import hetc


def blur(w):
    """The mean of 25 points."""
    total = 0.0
    for i in range(-2, 3):
        for j in range(-2, 3):
            total += w[i, j]
    return total / 25.0


def edge(w):
    """How much the brightness changes, by Sobel's operator."""
    across = w[-1, 1] + 2.0 * w[0, 1] + w[1, 1] - w[-1, -1] - 2.0 * w[0, -1] - w[1, -1]
    down = w[1, -1] + 2.0 * w[1, 0] + w[1, 1] - w[-1, -1] - 2.0 * w[-1, 0] - w[-1, 1]
    return (across * across + down * down) ** 0.5


blurred = hetc.stencil(blur, radius=2, boundary="reflect")
edges = hetc.stencil(edge, radius=1, boundary="reflect")


def compute(size):
    image = photograph(size)
    soft = blurred(image)
    return image, soft, edges(soft)


def photograph(size):
    """Brightness between 0 and 1, at most `size` rows."""
    import matplotlib.image as images
    from matplotlib import cbook

    pixels = images.imread(cbook.get_sample_data("grace_hopper.jpg", asfileobj=False))
    return pixels[:size, :size].mean(axis=2) / 255.0


def plain(size):
    """The same by NumPy, on arrays with a margin."""
    image = photograph(size)
    rows, columns = image.shape
    w = np.pad(image, 2, "symmetric")
    soft = sum(w[i : i + rows, j : j + columns] for i in range(5) for j in range(5)) / 25.0
    w = np.pad(soft, 1, "symmetric")

    def at(i, j):
        return w[1 + i : 1 + i + rows, 1 + j : 1 + j + columns]

    across = at(-1, 1) + 2.0 * at(0, 1) + at(1, 1) - at(-1, -1) - 2.0 * at(0, -1) - at(1, -1)
    down = at(1, -1) + 2.0 * at(1, 0) + at(1, 1) - at(-1, -1) - 2.0 * at(-1, 0) - at(-1, 1)
    return image, soft, np.sqrt(across * across + down * down)


def picture(figure, result):
    for axes, image, title in zip(figure.subplots(1, 3), result, ("photograph", "blurred", "edges"), strict=True):
        axes.set(xticks=[], yticks=[], title=title)
        axes.imshow(image, cmap="gray")

"""K-means with objects: each point finds its nearest cluster.

Points and clusters are dataclasses with methods and operators. The mapped function makes a new `Point` for each
difference; none of them is left in the kernel, and of the points only the coordinates are moved.

Source: Lloyd, "Least Squares Quantization in PCM", IEEE Transactions on Information Theory 28 (2), 1982.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass

import hetc


@dataclass
class Point:
    """A place in the plane, and a number that the device never sees."""

    x: float
    y: float
    number: int = 0

    def __sub__(self, other: Point) -> Point:
        return Point(self.x - other.x, self.y - other.y)

    @property
    def squared(self) -> float:
        """The square of its distance from the origin."""
        return self.x * self.x + self.y * self.y


@dataclass(frozen=True)
class Cluster:
    """A cluster, by its centre."""

    centre: Point
    weight: int = 0


def random_points(count: int, seed: int = 0) -> list[Point]:
    """Points about the corners of a square."""
    draw = random.Random(seed)
    corners = [(draw.choice((-2, 2)), draw.choice((-2, 2))) for _ in range(count)]
    return [Point(x + draw.gauss(0, 1), y + draw.gauss(0, 1), k) for k, (x, y) in enumerate(corners)]


clusters = [Cluster(point) for point in random_points(8, seed=1)]


def nearest(point: Point) -> int:
    """The number of the cluster whose centre is nearest."""
    best, least = 0, math.inf
    for number, cluster in enumerate(clusters):
        distance = (point - cluster.centre).squared
        if distance < least:
            best, least = number, distance
    return best


kmeans = hetc.map(nearest)


def moved(points: list[Point], numbers: list[int]) -> list[Cluster]:
    """New clusters, each about the mean of its points; one without points stays where it is."""
    result: list[Cluster] = []
    for number, cluster in enumerate(clusters):
        own = [point for point, k in zip(points, numbers, strict=True) if k == number]
        count = len(own)
        centre = Point(sum(p.x for p in own) / count, sum(p.y for p in own) / count) if own else cluster.centre
        result.append(Cluster(centre, count))
    return result


def main() -> None:
    """Print the clusters after a few steps."""
    points = random_points(2000)
    for _ in range(5):
        clusters[:] = moved(points, kmeans(points))
    for cluster in clusters:
        print(f"{cluster.centre.x: .3f} {cluster.centre.y: .3f}  {cluster.weight} points")


if __name__ == "__main__":
    main()

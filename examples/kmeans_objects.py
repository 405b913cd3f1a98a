"""K-means with objects: each point finds its nearest cluster, and each cluster moves to the mean of its points.

Points and clusters are dataclasses with methods and operators. A new `Point` is made for each difference; none of them
is left in the kernel, and of the points only the coordinates are moved. Each cluster gets a new centre, a real `Point`.

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

    def __add__(self, other: Point) -> Point:
        return Point(self.x + other.x, self.y + other.y)

    def __sub__(self, other: Point) -> Point:
        return Point(self.x - other.x, self.y - other.y)

    @property
    def squared(self) -> float:
        """The square of its distance from the origin."""
        return self.x * self.x + self.y * self.y


@dataclass
class Cluster:
    """A cluster, by its centre."""

    centre: Point
    weight: int = 0

    def move(self, total: Point, weight: int) -> None:
        """Go to the mean of some points; without points, stay."""
        self.weight = weight
        if weight > 0:
            self.centre = Point(total.x / weight, total.y / weight, 0)


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


@hetc.jit
def move_clusters(some: list[Cluster], points: list[Point], numbers: list[int]) -> None:
    """Move each cluster to the mean of the points that have its number."""
    for k in hetc.forall(len(some)):
        total, weight = Point(0.0, 0.0), 0
        for i, point in enumerate(points):
            if numbers[i] == k:
                total, weight = total + point, weight + 1
        some[k].move(total, weight)


def main() -> None:
    """Print the clusters after a few steps."""
    points = random_points(2000)
    for _ in range(5):
        move_clusters(clusters, points, kmeans(points))
    for cluster in clusters:
        print(f"{cluster.centre.x: .3f} {cluster.centre.y: .3f}  {cluster.weight} points")


if __name__ == "__main__":
    main()

"""N-body with objects: each body moves by the gravity of all.

`Vector` has operators, `Body` has two vectors. `step` makes a new body of each, and `simulate` moves the bodies that
there are. All vectors on the way become numbers in registers; what is left are real `Body` and `Vector` objects.

Source: Nyland, Harris and Prins, "Fast N-Body Simulation with CUDA", GPU Gems 3, 2007, equation 3.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass

import hetc

SOFTENING = 0.01
STEP = 0.01


@dataclass(frozen=True, slots=True)
class Vector:
    """A vector of three numbers."""

    x: float
    y: float
    z: float

    def __add__(self, other: Vector) -> Vector:
        return Vector(self.x + other.x, self.y + other.y, self.z + other.z)

    def __sub__(self, other: Vector) -> Vector:
        return Vector(self.x - other.x, self.y - other.y, self.z - other.z)

    def __mul__(self, factor: float) -> Vector:
        return Vector(self.x * factor, self.y * factor, self.z * factor)

    def dot(self, other: Vector) -> float:
        """The scalar product."""
        return self.x * other.x + self.y * other.y + self.z * other.z


@dataclass
class Body:
    """A body that moves."""

    position: Vector
    velocity: Vector
    mass: float

    def pull(self, other: Body) -> Vector:
        """The acceleration of this body by another one."""
        between = other.position - self.position
        squared = between.dot(between) + SOFTENING
        return between * (other.mass / (squared * math.sqrt(squared)))

    def accelerate(self, acceleration: Vector) -> None:
        """Change its velocity."""
        self.velocity = self.velocity + acceleration * STEP

    def move(self) -> None:
        """Be where it is a moment later."""
        self.position = self.position + self.velocity * STEP

    def moved(self, acceleration: Vector) -> Body:
        """The body a moment later."""
        velocity = self.velocity + acceleration * STEP
        return Body(self.position + velocity * STEP, velocity * 1.0, self.mass)


def random_bodies(count: int, seed: int = 0) -> list[Body]:
    """Bodies about the origin, at rest."""
    draw = random.Random(seed)
    places = [Vector(draw.gauss(0, 1), draw.gauss(0, 1), draw.gauss(0, 1)) for _ in range(count)]
    return [Body(place, Vector(0.0, 0.0, 0.0), draw.random()) for place in places]


bodies = random_bodies(512)


def step(body: Body) -> Body:
    """A body, moved by all of them."""
    acceleration = Vector(0.0, 0.0, 0.0)
    for other in bodies:
        acceleration = acceleration + body.pull(other)
    return body.moved(acceleration)


nbody = hetc.map(step)


@hetc.jit
def simulate(some: list[Body], steps: int) -> None:
    """Move some bodies, in place."""
    for _ in range(steps):
        for i in hetc.forall(len(some)):
            acceleration = Vector(0.0, 0.0, 0.0)
            for other in some:
                acceleration = acceleration + some[i].pull(other)
            some[i].accelerate(acceleration)
        for i in hetc.forall(len(some)):
            some[i].move()


def main() -> None:
    """Print where a few bodies are after some steps."""
    simulate(bodies, 5)
    for body in bodies[:5]:
        print(f"{body.position.x: .3f} {body.position.y: .3f} {body.position.z: .3f}")


if __name__ == "__main__":
    main()

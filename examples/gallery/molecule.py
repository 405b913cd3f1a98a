"""Molecular distances: all pairs of atoms of a double helix, as objects with a method."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

import hetc


@dataclass
class Atom:
    """An atom, in units of a nanometre."""

    name: str
    x: float
    y: float
    z: float

    def distance(self, other):
        """How far another atom is."""
        return math.sqrt((self.x - other.x) ** 2 + (self.y - other.y) ** 2 + (self.z - other.z) ** 2)


@hetc.jit
def distances(atoms, matrix):
    """Write the distance of each pair."""
    for i, j in hetc.forall(len(atoms), len(atoms)):
        matrix[i, j] = atoms[i].distance(atoms[j])


def compute(size):
    atoms = helix(size)
    matrix = np.zeros((len(atoms), len(atoms)))
    distances(atoms, matrix)
    return matrix


def helix(size):
    """The phosphorus atoms of two strands: 10.5 base pairs a turn, 0.34 nm a pair."""
    angles = [2 * math.pi * k / 10.5 for k in range(size)]
    strand = [Atom("P", math.cos(a), math.sin(a), 0.34 * k) for k, a in enumerate(angles)]
    return strand + [Atom("P", math.cos(a + 2.4), math.sin(a + 2.4), 0.34 * k) for k, a in enumerate(angles)]


def plain(size):
    """The same by NumPy, of which objects are no business."""
    places = np.array([(atom.x, atom.y, atom.z) for atom in helix(size)])
    return np.sqrt(((places[:, None] - places) ** 2).sum(2))


def picture(figure, matrix):
    axes = figure.add_subplot()
    axes.set(xlabel="atom", ylabel="atom", title="distance in nm")
    figure.colorbar(axes.imshow(matrix, cmap="cividis"), ax=axes)

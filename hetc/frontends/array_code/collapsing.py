"""Which neighbouring dimensions of a loop may be one, so that arrays of many dimensions need few indices.

    s = x.sum(axis=3)    of (8, 4, 16, 32)    ->    one index for the first three, one for the fourth
    y = e / s[:, :, :, None]                  ->    likewise: `s` has all of the first three, or would have none

Two dimensions that follow each other, of the index space or among those that a fold brings down, are one if each array
has both, next to each other, row by row, or neither (loop collapsing: Polychronopoulos, Loop coalescing: a compiler
transformation for parallel machines, 1987, section 2; here without the divisions, since no array tells them apart).
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from hetc.frontends.array_code.steps import LoopStep
from hetc.frontends.array_code.typed import Applied, Elements, Expanded, Fold, Made, Value

Token = tuple[int, int]
"""A dimension that is run through: of the index space, or of a fold's operand, by the number of that."""

SPACE = 0


def token_of(fold: Fold, dim: int) -> Token:
    """The dimension of a fold's operand."""
    return id(fold), dim


def joined_dims(step: LoopStep, looped: Sequence[int], most: int) -> frozenset[Token]:
    """The dimensions that are one with those before them: none, if no array has more than `most`."""
    finder = _Finder(tuple((SPACE, dim) for dim in range(len(step.space))))
    finder.pair([(SPACE, dim) for dim in looped])
    finder.rank = len(looped) if any(action.kept for action in step.actions) else 0
    for action in step.actions:
        finder.visit(action.value, finder.space)
        if action.target is not None:
            finder.visit(action.target, finder.space, stored=True)
    if step.total is not None:
        finder.visit(step.total.operand, finder.space)
    return frozenset(finder.pairs.values()) if finder.rank > most else frozenset()


class _Finder:
    """Begins with all pairs of neighbours and drops those that an array tells apart."""

    def __init__(self, space: tuple[Token, ...]) -> None:
        self.space = space
        self.pairs: dict[Token, Token] = {}
        self.rank = 0

    def pair(self, tokens: Sequence[Token]) -> None:
        self.pairs.update(itertools.pairwise(tokens))

    def visit(self, value: Value, tokens: Sequence[Token], *, stored: bool = False) -> None:
        """Look at the arrays of a value, whose dimensions are the last of some."""
        own = tokens[len(tokens) - len(value.shape) :]
        match value:
            case Elements(access=access):
                found = [own[dim] for dim, _ in access.dims if dim is not None]
                self._seen(found, in_rows=access.whole and (access.packed or not stored))
            case Made(shape=shape):
                self._seen([own[dim] for dim, size in enumerate(shape) if size != 1], in_rows=True)
            case Applied(operands=operands):
                for operand in operands:
                    self.visit(operand, own)
            case Expanded(operand=operand, kept=kept):
                self.visit(operand, [own[dim] for dim in kept])
            case Fold(operand=operand, axes=axes):
                kept_tokens = iter(own)
                inner = [
                    token_of(value, dim) if dim in axes else next(kept_tokens) for dim in range(len(operand.shape))
                ]
                self.pair([token_of(value, dim) for dim in axes if operand.shape[dim] != 1])
                self.visit(operand, inner)
            case _:
                return

    def _seen(self, tokens: Sequence[Token], *, in_rows: bool) -> None:
        """An array has these dimensions, in this order."""
        self.rank = max(self.rank, len(tokens))
        places = {token: place for place, token in enumerate(tokens)}
        for first, second in list(self.pairs.items()):
            one, other = places.get(first), places.get(second)
            if one is None and other is None:
                continue
            if not in_rows or one is None or other != one + 1:
                del self.pairs[first]

"""Make a program that fails small: take away statements, expressions and data as long as it fails in the same way.

Works on the syntax tree of the program's module, so it needs to know nothing of how the program was drawn.
"""

from __future__ import annotations

import ast
import copy
import time
from collections.abc import Callable, Iterator

from tests.fuzz.programs import Program

Fails = Callable[[Program], bool]

_KEPT = ("composition", "read_only")
"""Functions of the module that are left as they are."""


def reduced(program: Program, fails: Fails, seconds: float = 60.0) -> Program:
    """The smallest program found in the time given that still fails. `fails` is only asked about other programs."""
    end = time.monotonic() + seconds
    program = _with_one_call(program, fails)
    progress = True
    while progress and time.monotonic() < end:
        progress = False
        position = 0
        while time.monotonic() < end:
            candidates = list(_candidates(program.source))
            if position >= len(candidates):
                break
            candidate = program.with_source(candidates[position])
            if _size(candidate) < _size(program) and fails(candidate):
                program, progress = candidate, True  # the next candidate now stands at the same position
            else:
                position += 1
    return program


def _size(program: Program) -> tuple[int, str]:
    """What grows smaller at each step, so that there is an end."""
    return len(program.source), program.source


def _with_one_call(program: Program, fails: Fails) -> Program:
    """The program with the inputs of one call only, if it fails so."""
    for number in range(program.calls):
        tree = ast.parse(program.source)
        tree.body = [
            n
            for n in tree.body
            if not _is_inputs(n) or (isinstance(n, ast.FunctionDef) and n.name.endswith(f"_{number}"))
        ]
        for node in tree.body:
            if isinstance(node, ast.FunctionDef) and _is_inputs(node):
                node.name = "inputs_0"
        candidate = Program(program.name, ast.unparse(tree), 1, program.constructs, program.inexact)
        if fails(candidate):
            return candidate
    return program


def _is_inputs(node: ast.stmt) -> bool:
    return isinstance(node, ast.FunctionDef) and node.name.startswith("inputs_")


def _candidates(source: str) -> Iterator[str]:
    """Smaller texts: the big steps first."""
    tree = ast.parse(source)
    for index, node in enumerate(tree.body):
        if not (
            isinstance(node, ast.FunctionDef)
            and (_is_inputs(node) or node.name in _KEPT or node.name.startswith("program"))
        ):
            yield _changed(tree, lambda new, index=index: new.body.pop(index))
    spots = [(path, node) for path, node in _walk(tree, ()) if _in_reach(tree, path)]
    for path, node in spots:
        yield from _smaller_statements(tree, path, node)
    for path, node in spots:
        yield from _smaller_expressions(tree, path, node)


Path = tuple[tuple[str, int | None], ...]


def _walk(node: ast.AST, path: Path) -> Iterator[tuple[Path, ast.AST]]:
    """Every node below, with the way to it."""
    for name, value in ast.iter_fields(node):
        children = list(enumerate(value)) if isinstance(value, list) else [(None, value)]
        for index, child in children:
            if isinstance(child, ast.AST):
                here = (*path, (name, index))
                yield here, child
                yield from _walk(child, here)


def _in_reach(tree: ast.Module, path: Path) -> bool:
    index = path[0][1]
    assert index is not None
    node = tree.body[index]
    return isinstance(node, ast.FunctionDef) and node.name not in _KEPT


def _smaller_statements(tree: ast.Module, path: Path, node: ast.AST) -> Iterator[str]:
    """Without a statement, or with its body in its place."""
    index = path[-1][1]
    if not isinstance(node, ast.stmt) or index is None or len(path) < 2:
        return
    yield _replaced(tree, path, [])
    for block in ("body", "orelse", "finalbody"):
        inner = getattr(node, block, None)
        if inner and not isinstance(node, ast.FunctionDef):
            yield _replaced(tree, path, inner)
    if isinstance(node, ast.Match):
        for case in node.cases:
            yield _replaced(tree, path, case.body)
    if isinstance(node, ast.If | ast.For | ast.While) and node.orelse:
        bare = copy.deepcopy(node)
        bare.orelse = []
        yield _replaced(tree, path, [bare])


def _smaller_expressions(tree: ast.Module, path: Path, node: ast.AST) -> Iterator[str]:
    """With a part of an expression, or a constant, in its place."""
    if isinstance(node, ast.List | ast.Tuple) and isinstance(node.ctx, ast.Load):
        for index in range(len(node.elts)):
            shorter = copy.deepcopy(node)
            del shorter.elts[index]
            yield _replaced(tree, path, shorter)
    if not isinstance(node, ast.expr) or isinstance(getattr(node, "ctx", None), ast.Store | ast.Del):
        return
    if isinstance(node, ast.Constant | ast.Name | ast.Attribute) or path[-1][0] == "func":
        if isinstance(node, ast.Constant) and type(node.value) in (int, float):
            for smaller in (type(node.value)(0), type(node.value)(1)):
                if node.value not in (0, 1) and smaller != node.value:
                    yield _replaced(tree, path, ast.Constant(smaller))
        return
    for _, child in _walk(node, ()):
        if isinstance(child, ast.expr) and not isinstance(child, ast.Starred | ast.Slice):
            yield _replaced(tree, path, child)
    for value in (0, 1, 0.0, True):
        yield _replaced(tree, path, ast.Constant(value))


def _replaced(tree: ast.Module, path: Path, new: ast.AST | list[ast.stmt]) -> str:
    """The text with another node, or other statements, at a place."""

    def change(copied: ast.Module) -> None:
        node: ast.AST = copied
        for name, index in path[:-1]:
            child = getattr(node, name)
            node = child if index is None else child[index]
        name, index = path[-1]
        if isinstance(new, list):
            block = getattr(node, name)
            block[index : index + 1] = new
            if not block:
                block.append(ast.Pass())
        elif index is None:
            setattr(node, name, new)
        else:
            getattr(node, name)[index] = new

    return _changed(tree, change)


def _changed(tree: ast.Module, change: Callable[[ast.Module], object]) -> str:
    copied = copy.deepcopy(tree)
    change(copied)
    return ast.unparse(ast.fix_missing_locations(copied))

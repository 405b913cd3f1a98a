"""Find the syntax tree of a function, exactly: also of one lambda among several on a line.

`inspect.getsource` returns lines; a line may hold several lambdas. The code object knows better: since Python 3.11
`co_positions()` gives the line and column span of every instruction. The function's node is the smallest function or
lambda of its file whose span holds them all. That the file still says what the function does is known by compiling it
again: an edited file may have another function in the same place.
"""

from __future__ import annotations
import __future__

import ast
import functools
import linecache
from dataclasses import replace
from types import CodeType, FunctionType

from hetc.diagnostics import Category
from hetc.errors import SourceLocation, UnsupportedError

FunctionNode = ast.FunctionDef | ast.Lambda

_Span = tuple[int, int, int, int]  # line, column, end line, end column

FUTURE_FLAGS: int = sum(getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)


SYNTAX = "__hetc_syntax__"
"""The attribute of a function that was made of a syntax tree, and not of a file's: that tree."""


def function_node(function: FunctionType) -> FunctionNode:
    """The syntax tree of a function, or UnsupportedError if its source is not at hand or has changed."""
    made_of: FunctionNode | None = vars(function).get(SYNTAX)
    if made_of is not None:
        return made_of
    code = function.__code__
    place = SourceLocation(code.co_filename, code.co_firstlineno)
    lines = _stamp(code.co_filename)
    nodes = _function_nodes(code.co_filename, lines)
    if not nodes:
        raise UnsupportedError(
            f"the source of {function.__name__} ({code.co_filename}) cannot be read",
            hint="define the function in a file, or in a notebook cell",
            category=Category.SOURCE,
        )
    spans = _instruction_spans(code)
    matching = [
        node for node in nodes if _has_signature(node, code) and all(_holds(_body_span(node), s) for s in spans)
    ]
    if not matching or code not in _codes(code.co_filename, lines, code.co_flags & FUTURE_FLAGS):
        raise UnsupportedError(
            f"the source of {function.__name__} is not the source it was compiled from",
            location=place,
            hint="reload the module after editing its file",
            category=Category.SOURCE,
        )
    if not spans:
        matching = _with_this_code(matching, code, _codes(code.co_filename, lines, code.co_flags & FUTURE_FLAGS))
        if len(matching) != 1:
            raise UnsupportedError(
                f"functions called {function.__name__} on one line cannot be told apart without columns",
                location=place,
                hint="run Python without -X no_debug_ranges and PYTHONNODEBUGRANGES, or put each on a line of its own",
                category=Category.SOURCE,
            )
    node = min(matching, key=lambda n: _size(_positions(n)))
    if isinstance(node, ast.AsyncFunctionDef):
        raise UnsupportedError("an async function cannot be compiled", location=place)
    return node


def source_of(function: FunctionType) -> tuple[str, ...]:
    """The text that `function_node` goes by: the lines of a file, or a syntax tree that was made, written out."""
    made_of: FunctionNode | None = vars(function).get(SYNTAX)
    if made_of is not None:
        return (ast.dump(made_of, include_attributes=True),)
    return _stamp(function.__code__.co_filename)


def _stamp(filename: str) -> tuple[str, ...]:
    """The file's text as Python knows it; part of the cache key, so that a reloaded file is parsed again."""
    linecache.checkcache(filename)
    return tuple(linecache.getlines(filename))


@functools.lru_cache(maxsize=64)
def _function_nodes(filename: str, lines: tuple[str, ...]) -> tuple[FunctionNode | ast.AsyncFunctionDef, ...]:
    tree = _tree(filename, lines)
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
    return () if tree is None else tuple(node for node in ast.walk(tree) if isinstance(node, kinds))


@functools.lru_cache(maxsize=64)
def _tree(filename: str, lines: tuple[str, ...]) -> ast.Module | None:
    try:
        return ast.parse("".join(lines), filename)
    except SyntaxError:
        return None


def imports_of(filename: str) -> list[ast.stmt]:
    """The imports of a module, wherever they stand in it: CPython compiles calls of what they name differently."""
    from hetc.frontends.python.scopes import scope_nodes

    tree = _tree(filename, _stamp(filename))
    found = [] if tree is None else [n for n in scope_nodes(tree) if isinstance(n, ast.Import | ast.ImportFrom)]
    return [node for node in found if not (isinstance(node, ast.ImportFrom) and node.module == "__future__")]


@functools.lru_cache(maxsize=64)
def _codes(filename: str, lines: tuple[str, ...], flags: int) -> tuple[CodeType, ...]:
    """The code objects of all functions in a file, in order, compiled with the given `__future__` flags too."""
    try:
        work: list[CodeType] = [compile("".join(lines), filename, "exec", flags, dont_inherit=True)]
    except SyntaxError:
        work = []
    found: list[CodeType] = []
    while work:
        code = work.pop()
        found.append(code)
        work += [constant for constant in reversed(code.co_consts) if isinstance(constant, CodeType)]
    return tuple(found)


def _with_this_code(
    nodes: list[FunctionNode | ast.AsyncFunctionDef], code: CodeType, codes: tuple[CodeType, ...]
) -> list[FunctionNode | ast.AsyncFunctionDef]:
    """The nodes of a line whose code this is: the functions of a line stand in the same order as their codes.

    Needed where instructions have no columns: `lambda x: 1` in Python 3.12, everything under `-X no_debug_ranges`.
    """
    line = code.co_firstlineno
    here = sorted((node for node in nodes if _first_line(node) == line), key=_positions)
    compiled = [c for c in codes if (c.co_name, c.co_firstlineno) == (code.co_name, line)]
    if len(here) != len(compiled):
        return here
    return [node for node, own in zip(here, compiled, strict=True) if own == code]


def _first_line(node: FunctionNode | ast.AsyncFunctionDef) -> int:
    """The line where a function starts, decorators included."""
    decorators = [] if isinstance(node, ast.Lambda) else node.decorator_list
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def _instruction_spans(code: CodeType) -> list[_Span]:
    spans = [
        (line, column, end_line, end_column)
        for line, end_line, column, end_column in code.co_positions()
        if line is not None and end_line is not None and column is not None and end_column is not None
    ]
    # The prologue carries the position of the `def` line itself, with an empty span.
    return [span for span in spans if span[:2] != span[2:]]


def _body_span(node: FunctionNode | ast.AsyncFunctionDef) -> _Span:
    """The span in which the function's own instructions lie: not its parameters, so that nesting is unambiguous."""
    if isinstance(node, ast.Lambda):
        return _positions(node.body)
    first, last = node.body[0], node.body[-1]
    return (*_positions(first)[:2], *_positions(last)[2:])


def _positions(node: ast.expr | ast.stmt) -> _Span:
    line, column = node.lineno, node.col_offset
    end_line, end_column = node.end_lineno, node.end_col_offset
    assert end_line is not None
    assert end_column is not None
    return line, column, end_line, end_column


def _holds(outer: _Span, inner: _Span) -> bool:
    return outer[:2] <= inner[:2] and inner[2:] <= outer[2:]


def _size(span: _Span) -> tuple[int, int]:
    return span[2] - span[0], span[3] - span[1]


def _has_signature(node: FunctionNode | ast.AsyncFunctionDef, code: CodeType) -> bool:
    arguments = node.args
    names = [a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    names += [a.arg for a in (arguments.vararg, arguments.kwarg) if a is not None]
    name = "<lambda>" if isinstance(node, ast.Lambda) else node.name
    return code.co_name == name and list(code.co_varnames[: len(names)]) == names


_BINARY: dict[str, type[ast.operator]] = {
    "add": ast.Add, "sub": ast.Sub, "mul": ast.Mult, "truediv": ast.Div, "floordiv": ast.FloorDiv, "mod": ast.Mod,
    "pow": ast.Pow, "matmul": ast.MatMult,
}  # fmt: skip


def expression_at(place: SourceLocation, operator: str | None) -> SourceLocation:
    """The whole of an expression of which only the start is known: of a binary operator by its name, or of a call.

    Where that is ambiguous, or spans several lines, the start is all that is told.
    """
    tree = _tree(place.filename, _stamp(place.filename))
    found = {
        node.end_col_offset
        for node in (() if tree is None else ast.walk(tree))
        if isinstance(node, ast.Call if operator is None else ast.BinOp | ast.AugAssign)
        and (node.lineno, node.col_offset) == (place.line, place.column)
        and node.end_lineno == node.lineno
        and (isinstance(node, ast.Call) or isinstance(node.op, _BINARY.get(operator or "", ast.operator)))
    }
    return replace(place, end_column=found.pop()) if len(found) == 1 else place


def name_of(function: object) -> str | None:
    """A function's name; for a lambda, the variable that the statement with it assigns, if there is one."""
    name = getattr(function, "__name__", None)
    if not isinstance(function, FunctionType) or name != "<lambda>":
        return name
    try:
        inner = _positions(function_node(function))
    except UnsupportedError:
        return None
    filename = function.__code__.co_filename
    around = [assigned for assigned in _assignments(filename, _stamp(filename)) if _holds(assigned[0], inner)]
    return min(around, key=lambda assigned: _size(assigned[0]))[1] if around else None


@functools.lru_cache(maxsize=64)
def _assignments(filename: str, lines: tuple[str, ...]) -> tuple[tuple[_Span, str], ...]:
    """The statements of a file that assign to a variable: where they are, and its name."""
    tree = _tree(filename, lines)
    return tuple(
        (_positions(node), node.targets[0].id)
        for node in (() if tree is None else ast.walk(tree))
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    )

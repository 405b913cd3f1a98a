"""The iteration of a parallel loop in which something was raised, as messages name it."""

from __future__ import annotations

import ast
from types import TracebackType

from hetc.containers import values_text
from hetc.frontends.loops.rewrite import HostFunction


def iteration_text(host: HostFunction, traceback: TracebackType | None) -> str | None:
    """The iteration that a frame of the function was in, by the loops' variables; None if it was in no parallel loop.

    The frame's variables are the user's, since Python runs the iteration that raises in the user's own function.
    """
    code = host.original.__code__
    while traceback is not None:
        frame = traceback.tb_frame
        if (frame.f_code.co_filename, frame.f_code.co_name) == (code.co_filename, code.co_name):
            names = [name for name in _variables(host, traceback.tb_lineno) if name in frame.f_locals]
            return f"the iteration {values_text(names, [frame.f_locals[name] for name in names])}" if names else None
        traceback = traceback.tb_next
    return None


def _variables(host: HostFunction, line: int) -> list[str]:
    """The variables of the loops around a line, the outermost first, if the outermost is a parallel one."""
    places = {loop.place.line for loop in host.loops}
    loops = [
        node
        for node in ast.walk(host.node)
        if isinstance(node, ast.For) and node.lineno <= line <= (node.end_lineno or node.lineno)
    ]
    parallel = [node for node in loops if node.iter.lineno in places]
    if not parallel:
        return []
    first = min(node.lineno for node in parallel)
    inner = sorted((node for node in loops if node.lineno >= first), key=lambda node: node.lineno)
    return [name.id for node in inner for name in ast.walk(node.target) if isinstance(name, ast.Name)]

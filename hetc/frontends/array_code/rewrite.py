"""Array statements that ask, before they run, whether a device has run them.

    b = a * x                    if __hetc_arrays_0__ := START @ 0:
    return b.sum()      ->           if __hetc_arrays_0__.runs(0):
                                         if __hetc_arrays_0__.gives:
                                             b = __hetc_arrays_0__.take()
                                     else:
                                         b = a * x
                                     if __hetc_arrays_0__.runs(1):
                                         return __hetc_arrays_0__.take()
                                     else:
                                         return __hetc_arrays_0__.ended(b.sum())
                                 else:
                                     del __hetc_arrays_0__
                                     b = a * x
                                     return b.sum()

`START @ k` gives nothing where group k is not looked into, which costs next to nothing. What a device does not run,
NumPy runs, at the user's line: its exceptions and warnings are NumPy's own.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Sequence
from typing import Any

from hetc.callers import asking_frame
from hetc.frontends.array_code.statements import ArrayStatement, Group, Kind, groups_in, names_kept, statement_lists
from hetc.frontends.python.liveness import Liveness
from hetc.frontends.python.made_functions import placed
from hetc.frontends.python.scopes import Names, assigned_names, closures_of

START_ARRAYS = "hetc starts array statements"
"""The constant in whose place the rewritten code has the object that starts a group."""

StartGroup = Callable[[int], Any]
"""Whether group k is looked into: what keeps account of a run of it, or None."""


class ArraysStart:
    """`start @ k` starts group number k, in the frame where it stands.

    `pauses` has for each group how many times it is to be passed by, which is what most cost is saved by.
    """

    def __init__(self, start: StartGroup, pauses: list[int]) -> None:
        self.start = start
        self.pauses = pauses

    def __matmul__(self, number: int) -> Any:
        if self.pauses[number]:
            self.pauses[number] -= 1
            return None
        run = self.start(number)
        if run is not None:
            run.frame = asking_frame()
        return run


def array_groups(node: ast.FunctionDef, loops: Sequence[ast.For], shared: Names) -> list[Group]:
    """The groups of array statements of a function, outside of its parallel loops.

    `shared` are the variables that it shares with other functions.
    """
    after = Liveness(node.body, closures_of(node.body)).after
    kept = names_kept(node, shared)
    needed = assigned_names(node.body) if kept is None else kept
    after = {key: names | needed for key, names in after.items()}
    return [group for body in statement_lists(node, loops) for group in groups_in(body, after)]


def rewrite_groups(node: ast.FunctionDef, loops: Sequence[ast.For]) -> None:
    """Change the array statements of a function, which is as it was when `array_groups` has looked at it."""
    number = 0
    for body in [*statement_lists(node, loops)]:  # all at first: what is put in is not to be looked into
        found: dict[int, Group] = {id(group.first): group for group in groups_in(body, {})}
        if not found:
            continue
        new: list[ast.stmt] = []
        left = 0
        for statement in body:
            group = found.get(id(statement))
            if group is not None:
                new.append(_asking(group, number))
                number, left = number + 1, len(group.statements)
            if left:
                left -= 1
            else:
                new.append(statement)
        body[:] = new


def _asking(group: Group, number: int) -> ast.stmt:
    variable = f"__hetc_arrays_{number}__"
    start = ast.BinOp(ast.Constant(START_ARRAYS), ast.MatMult(), ast.Constant(number))
    test = ast.NamedExpr(ast.Name(variable, ast.Store()), start)
    forget = ast.Delete([ast.Name(variable, ast.Del())])
    asked = [_asked(statement, variable, place) for place, statement in enumerate(group.statements)]
    if group.statements[-1].kind is not Kind.RETURN:
        asked.append(ast.Expr(_method(variable, "end")))
        asked.append(copy.deepcopy(forget))
    plain: list[ast.stmt] = [forget, *(copy.deepcopy(statement.node) for statement in group.statements)]
    return placed(ast.If(test, [placed(node, group.first) for node in asked], plain), group.first)


def _asked(statement: ArrayStatement, variable: str, place: int) -> ast.stmt:
    node = statement.node
    given: list[ast.stmt] = [ast.Pass()]
    plain: ast.stmt = node
    take = _method(variable, "take")
    if statement.kind is Kind.RETURN:
        assert isinstance(node, ast.Return)
        assert node.value is not None
        given = [ast.Return(take)]
        plain = ast.copy_location(ast.Return(_method(variable, "ended", node.value)), node)
    elif statement.name is not None:
        bound = ast.Assign([ast.Name(statement.name, ast.Store())], take)
        given = [ast.If(ast.Attribute(ast.Name(variable, ast.Load()), "gives", ast.Load()), [bound], [])]
    return placed(ast.If(_method(variable, "runs", ast.Constant(place)), given, [plain]), node)


def _method(variable: str, name: str, *arguments: ast.expr) -> ast.expr:
    return ast.Call(ast.Attribute(ast.Name(variable, ast.Load()), name, ast.Load()), list(arguments), [])

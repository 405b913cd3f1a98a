"""Which local variables are still needed after each statement: backward liveness on the syntax tree.

SSA form needs it at joins and loops, to carry the variables that matter and no others (Aho, Lam, Sethi, Ullman,
Compilers, 2nd edition, section 9.2.5; structured control flow makes one pass a loop enough, a second confirms it).
A call of a nested function needs the variables that the function reads.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from hetc.frontends.python.scopes import NONE, Closures, Names, assigned_names, loaded_names


class Liveness:
    """The live variables after each statement of a function, and at the head of each loop."""

    def __init__(
        self,
        body: Sequence[ast.stmt],
        closures: Closures | None = None,
        at_end: Names = NONE,
        *,
        own_range: bool = False,
    ) -> None:
        """`at_end` are the variables that are needed where the function ends.

        `own_range` says that `range` may be something else than Python's own.
        """
        self.after: dict[int, Names] = {}
        self.head: dict[int, Names] = {}
        self.closures: Closures = closures or {}
        self.at_end = at_end
        self.own_range = own_range
        self._block(body, at_end, NONE, NONE)

    def _block(self, body: Sequence[ast.stmt], live: Names, on_break: Names, on_continue: Names) -> Names:
        for statement in reversed(body):
            self.after[id(statement)] = live
            live = self._statement(statement, live, on_break, on_continue)
        return live

    def _statement(self, node: ast.stmt, live: Names, on_break: Names, on_continue: Names) -> Names:
        match node:
            case ast.If():
                self.after[id(node)] = live
                then = self._block(node.body, live, on_break, on_continue)
                other = self._block(node.orelse, live, on_break, on_continue)
                return then | other | self._loaded(node.test)
            case ast.While():
                ended = self._block(node.orelse, live, on_break, on_continue)
                return self._loop(node, live, ended, self._loaded(node.test), NONE)
            case ast.For():
                ended, target = self._block(node.orelse, live, on_break, on_continue), assigned_names(node.target)
                head = self._loop(node, live, ended, NONE, target)
                if surely_runs(node.iter) and not self.own_range:  # what its first iteration assigns is not needed
                    head = self._block(node.body, head, live, head) - target
                return head | self._loaded(node.iter)
            case ast.Try() | ast.TryStar():  # the handlers are Python's
                clean = [*node.body, *node.orelse, *node.finalbody]
                return self._block(clean, live, on_break, on_continue)
            case ast.Raise():
                return NONE
            case ast.Return():
                return self._loaded(node) | self.at_end
            case ast.Break():
                return on_break
            case ast.Continue():
                return on_continue
            case ast.AugAssign():
                return live | self._loaded(node) | assigned_names(node.target)
            case _:
                return (live - _certainly_assigned(node)) | self._loaded(node)

    def _loop(self, node: ast.While | ast.For, live: Names, ended: Names, test: Names, target: Names) -> Names:
        """`live` is needed after a break, `ended` (by the `else` branch, too) after the last iteration."""
        self.after[id(node)] = live | ended
        head = ended | test
        while True:
            inside = self._block(node.body, head, live, head) - target
            if inside <= head:
                break
            head |= inside
        self.head[id(node)] = head
        return head

    def _loaded(self, node: ast.AST) -> Names:
        return loaded_names(node, self.closures)


def surely_runs(iterable: ast.expr) -> bool:
    """Whether a loop over an expression has an iteration, as its syntax tells; `range` is taken for Python's own.

    >>> [surely_runs(ast.parse(text, mode="eval").body) for text in ("range(2, -8, -1)", "range(n)", "(a, b)")]
    [True, False, True]
    """
    match iterable:
        case ast.Call(func=ast.Name("range"), args=arguments, keywords=[]) if 1 <= len(arguments) <= 3:
            numbers = [_integer(argument) for argument in arguments]
            known = [number for number in numbers if number is not None]
            return len(known) == len(numbers) and 0 not in known[2:] and len(range(*known)) > 0
        case ast.Tuple(elts=items) | ast.List(elts=items):
            return any(not isinstance(item, ast.Starred) for item in items)
        case _:
            return False


def _integer(node: ast.expr) -> int | None:
    """The value of a literal integer, of either sign."""
    match node:
        case ast.Constant(value=int() as value) if not isinstance(value, bool):
            return value
        case ast.UnaryOp(ast.USub(), ast.Constant(value=int() as value)) if not isinstance(value, bool):
            return -value
        case _:
            return None


def _certainly_assigned(node: ast.stmt) -> Names:
    """The names that a statement assigns whatever happens: those of its targets.

    An assignment expression may stand in a part that is not evaluated.
    """
    match node:
        case ast.Assign(targets=targets) | ast.Delete(targets=targets):
            return frozenset(name for target in targets for name in assigned_names(target))
        case ast.AnnAssign(target=target, value=ast.expr()):
            return assigned_names(target)
        case ast.FunctionDef(name=name):
            return frozenset({name})
        case _:
            return NONE

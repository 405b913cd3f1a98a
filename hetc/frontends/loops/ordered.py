"""Ordinary loops as tasks: a loop that Python runs in order becomes the body of one iteration, as a whole.

    for i in range(1, n):              def f_loop(_):
        s += x[i] * s                      s = s__start
        x[i] = s                ->         for i in range(1, n):
    return s                                   s += x[i] * s
                                               x[i] = s
                                           return s

The iterations of a task depend on each other as they like: one work-item runs them in order. What is left of a loop
after some of its iterations have run in Python is a task, too: its range starts where Python has come to.

In the function, such a loop asks who runs it, as parallel loops do:

    for i in range(1, n):              for i in (__hetc_ordered_0__ := ORDER @ (0, range(1, n))):
        BODY                    ->         BODY
                                       else:
                                           if __hetc_ordered_0__.__class__ == RUN and __hetc_ordered_0__.fresh:
                                               (s,) = __hetc_ordered_0__.take()
                                       del __hetc_ordered_0__

`break` and `return` are values that the task leaves behind: whether, and what is returned.

A `while` loop that lies in no other loop is the one round of such a loop, and so it runs as a task, or in Python, as a
whole.
"""

from __future__ import annotations

import ast
import copy
import functools
from collections.abc import Callable, Collection, Iterator, Sequence
from types import CodeType, FrameType
from typing import Any, cast

from hetc.callers import asking_frame
from hetc.dataclass import dataclass
from hetc.errors import SourceLocation, UnsupportedError
from hetc.frontends.loops.conditions import Place, check_task, own_jumps
from hetc.frontends.loops.vectors import Kinds, functions_used, subscripted, with_loops
from hetc.frontends.python.liveness import Liveness
from hetc.frontends.python.made_functions import BodyFunction, arguments_of, compile_inside, placed
from hetc.frontends.python.scopes import FUNCTIONS, Names, assigned_names, closures_of, scope_nodes

ORDER = "hetc runs a loop in order"
"""The constant in whose place the rewritten code has the object that starts an ordinary loop."""

ORDERED_RUN = "hetc ran a loop in order"
"""The same for the class of a run: what is iterated over is one if the loop is looked into."""

FIRST, STOP, STEP, REST = "__hetc_first", "__hetc_stop", "__hetc_step", "__hetc_rest"
"""The captured variables that hold what is left of a range, or of an array that is iterated over."""

BROKE = "__hetc_broke"
"""The variable that tells whether a task has ended with `break`."""

_ONE_ROUND = range(1)
"""What the loop around a `while` loop iterates over."""

_ROUND = "__hetc_round"
"""The variable of the loop around a `while` loop, which nobody sees."""

_START = "__start"

StartOrdered = Callable[[int, Any, FrameType], Any]
"""Starts loop k, which iterates over a value, in a frame: what is iterated over instead."""


class OrderStart:
    """`order @ (k, iterable)` starts ordinary loop number k, in the frame where it stands.

    `order @ (~k, None)` starts one that has one round.

    `pauses` has for each loop how many times it is to be passed by, which costs next to nothing.
    """

    def __init__(self, start: StartOrdered, pauses: list[int]) -> None:
        self.start = start
        self.pauses = pauses

    def __matmul__(self, started: tuple[int, Any]) -> Any:
        number, iterable = started
        if number < 0:
            number, iterable = ~number, _ONE_ROUND
        if self.pauses[number]:
            self.pauses[number] -= 1
            return iterable
        return self.start(number, iterable, asking_frame())


@dataclass(frozen=True)
class OrderedLoop:
    """An ordinary loop of a function, as a task. `refused` says why it is none.

    `inside` are the loops inside it, by their numbers, and `around` that of the loop around it. `names` are the
    variables that it leaves behind, `started` those that it goes on from.
    """

    place: SourceLocation
    last_line: int
    node: ast.For
    name: str
    variables: Names
    host: CodeType
    names: tuple[str, ...] = ()
    started: tuple[str, ...] = ()
    breaks: bool = False
    returns: bool = False
    """Whether it may return from the function: then the last two values that a task leaves behind are whether it has,
    and what."""
    around: int | None = None
    inside: tuple[int, ...] = ()
    refused: UnsupportedError | None = None
    has_parallel: bool = False
    """Whether a parallel loop is inside of it."""
    shared: Names = frozenset()
    """The variables that the function shares with others, which may assign them."""

    @functools.cached_property
    def around_names(self) -> tuple[str, ...]:
        """The variables around the loop that may be arrays in it."""
        return subscripted(self.node)

    @functools.cached_property
    def is_while(self) -> bool:
        """Whether it is the loop around a `while` loop."""
        return _is_round(self.node)

    @functools.cached_property
    def is_plain(self) -> bool:
        """Whether what is iterated over means the same in the task as where Python has come to it."""
        return _is_plain(self.node.iter)

    def body(self, bound: Collection[str], kinds: Kinds, *, rest: bool) -> BodyFunction:
        """The task as a function of an index that it does not need, where the variables in `bound` have values.

        `kinds` are the arrays around the loop; `rest` says that it is about what is left of it.
        """
        loop = copy.deepcopy(self.node)
        loop.orelse = []
        loop.body, uses_functions = with_loops(loop.body, kinds)
        if rest:
            loop.iter = placed(self._rest(loop.iter, kinds), loop.iter)
        begin = [_assign(name, ast.Name(name + _START, ast.Load())) for name in self.started if name in bound]
        results: list[ast.expr] = [ast.Name(name, ast.Load()) for name in self.names]
        if self.breaks:
            begin.append(_assign(BROKE, ast.Constant(False)))
            loop.body = [_NoteBreaks().visit(statement) for statement in loop.body]
            results.append(ast.Name(BROKE, ast.Load()))
        loops: list[ast.stmt] = loop.body if self.is_while else [loop]
        if self.returns:
            given = [*(ast.Constant(None) for _ in self.names), *([ast.Constant(True)] if self.breaks else [])]
            loop.body = [_Return(given).visit(statement) for statement in loop.body]
            loops = loop.body if self.is_while else [loop]
            results += [ast.Constant(False), ast.Constant(None)]
        result = None if not results else results[0] if len(results) == 1 else ast.Tuple(results, ast.Load())
        function = ast.FunctionDef(
            name=self.name,
            args=arguments_of(["__hetc_task"]),
            body=[*begin, *loops, ast.Return(result)],
            decorator_list=[],
            returns=None,
        )
        placed(function, loop)
        outer = {FIRST, STOP, STEP, REST} | {name + _START for name in self.started}
        outer |= set(functions_used()) if uses_functions else set()
        return BodyFunction(compile_inside(function, sorted(self.variables | outer), self.host), function)

    def _rest(self, iterable: ast.expr, kinds: Kinds) -> ast.expr:
        """What is left to iterate over."""
        match iterable:
            case ast.Call(func=ast.Name("range"), args=arguments, keywords=[]) if arguments:
                if any(isinstance(argument, ast.Starred) for argument in arguments):
                    return ast.Call(iterable.func, [ast.Name(name, ast.Load()) for name in (FIRST, STOP, STEP)], [])
                changed = assigned_names(self.node.body) | assigned_names(self.node.target)
                stop, step = arguments[min(1, len(arguments) - 1)], arguments[2:]
                if not _is_lasting(stop, self.variables - self.shared - changed, kinds):
                    stop = ast.Name(STOP, ast.Load())
                if step and not _is_number(step[0]):
                    step = [ast.Name(STEP, ast.Load())]
                return ast.Call(iterable.func, [ast.Name(FIRST, ast.Load()), stop, *step], [])
            case _:
                return ast.Name(REST, ast.Load())


def start_name(name: str) -> str:
    """The captured variable that holds what a variable is before a task."""
    return name + _START


class _Rounds(ast.NodeTransformer):
    """while C: BODY -> for _ in range(1): while C: BODY, where the loop lies in no other and in no function inside."""

    def visit(self, node: ast.AST) -> Any:
        """Put a loop around one, and leave alone what is in others."""
        if isinstance(node, ast.While):
            once = placed(ast.Call(ast.Name("range", ast.Load()), [ast.Constant(1)], []), node.test)
            return placed(ast.For(ast.Name(_ROUND, ast.Store()), once, [node], []), node)
        return node if isinstance(node, (*FUNCTIONS, ast.ClassDef, ast.For, ast.AsyncFor)) else super().visit(node)


def make_rounds(node: ast.FunctionDef) -> None:
    """Make the `while` loops of a function, in place, the rounds of loops around them."""
    _Rounds().generic_visit(node)


def _is_round(loop: ast.For) -> bool:
    return isinstance(loop.target, ast.Name) and loop.target.id == _ROUND


def ordinary_loops(node: ast.FunctionDef, parallel: Sequence[ast.For]) -> Iterator[tuple[ast.For, int | None]]:
    """The loops of a function's own code that run in order, outside of its parallel loops, the outer ones first.

    With each comes the number of the innermost one around it.
    """
    left_out, count = set(map(id, parallel)), 0
    work: list[tuple[ast.AST, int | None]] = [(inner, None) for inner in reversed(node.body)]
    while work:
        inner, around = work.pop()
        if isinstance(inner, (*FUNCTIONS, ast.ClassDef)):
            continue
        children: Sequence[ast.AST] = list(ast.iter_child_nodes(inner))
        own: list[tuple[ast.AST, int | None]] = [(child, around) for child in children]
        if id(inner) in left_out:
            assert isinstance(inner, ast.For)
            own = [(child, around) for child in inner.orelse]
        elif isinstance(inner, ast.For):
            yield inner, around
            own = [*((child, count) for child in inner.body), *((child, around) for child in inner.orelse)]
            count += 1
        work += reversed(own)


def ordered_loops(
    node: ast.FunctionDef,
    parallel: Sequence[ast.For],
    shared: Names,
    kept: Names | None,
    variables: Names,
    host: CodeType,
    refuse: Place,
) -> tuple[OrderedLoop, ...]:
    """The ordinary loops of a function as tasks.

    `shared` are the variables that it shares with other functions, `kept` those that stay although nothing reads them,
    None for all of them.
    """
    found = list(ordinary_loops(node, parallel))
    after = Liveness(node.body, closures_of(node.body)).after
    made: list[OrderedLoop] = []
    for number, (loop, around) in enumerate(found):
        assigned = assigned_names(loop.body) | assigned_names(loop.target) - {_ROUND}
        names = assigned & (after.get(id(loop), frozenset()) | (assigned if kept is None else kept))
        before = ast.Pass()
        entry = Liveness([before, loop], closures_of(loop.body), names).after[id(before)]
        refused = None
        try:
            check_task(loop, parallel, shared, refuse)
        except UnsupportedError as error:
            refused = error
        breaks = any(isinstance(jump, ast.Break) for jump in own_jumps(loop.body))
        returns = any(isinstance(inner, ast.Return) for inner in scope_nodes(loop.body))
        place = refuse(loop.iter, "").location
        assert place is not None
        inside = tuple(k for k in range(number + 1, len(found)) if _is_inside(found, k, number))
        made.append(
            OrderedLoop(
                place, loop.end_lineno or loop.lineno, loop, f"{node.name}_{loop.lineno}", variables, host,
                tuple(sorted(names)), tuple(sorted(entry & assigned)), breaks, returns, around, inside, refused,
                any(one in parallel for one in ast.walk(loop)), shared,
            )
        )  # fmt: skip
    return tuple(made)


def _is_inside(found: Sequence[tuple[ast.For, int | None]], number: int | None, outer: int) -> bool:
    while number is not None:
        number = found[number][1]
        if number == outer:
            return True
    return False


class RewriteOrdered(ast.NodeTransformer):
    """Makes the ordinary loops of a function ask who runs them. `loops` are those that `ordinary_loops` finds."""

    def __init__(self, found: Sequence[ast.For], loops: Sequence[OrderedLoop]) -> None:
        self.numbers = {id(node): number for number, node in enumerate(found)}
        self.loops = loops

    def visit_For(self, node: ast.For) -> Any:
        """A loop and what is in it; one that is no task stays as it is."""
        self.generic_visit(node)
        number = self.numbers.get(id(node))
        if number is None or self.loops[number].refused is not None:
            return node.body if _is_round(node) else node
        made, variable = self.loops[number], f"__hetc_ordered_{number}__"
        pair = ast.Tuple([ast.Constant(number), node.iter], ast.Load())
        if made.is_while:  # while it runs in Python, that variable is a number
            node.target = placed(ast.Name(variable, ast.Store()), node.target)
            pair.elts = [placed(ast.Constant(~number), node.iter), placed(ast.Constant(None), node.iter)]
        start = ast.BinOp(ast.Constant(ORDER), ast.MatMult(), pair)
        node.iter = placed(ast.NamedExpr(ast.Name(variable, ast.Store()), start), node.iter)
        orelse = node.orelse
        if orelse and made.breaks:
            orelse = [placed(ast.If(ast.UnaryOp(ast.Not(), _told(variable, "broke")), orelse, []), node)]
        taken: list[ast.stmt] = []
        if made.names:
            targets: list[ast.expr] = [ast.Name(name, ast.Store()) for name in made.names]
            values = ast.Call(ast.Attribute(ast.Name(variable, ast.Load()), "take", ast.Load()), [], [])
            assignment = ast.Assign([ast.Tuple(targets, ast.Store())], values)
            taken = [placed(ast.If(_told(variable, "fresh"), [assignment], []), node)]
        if made.returns:
            left = ast.Return(ast.Attribute(ast.Name(variable, ast.Load()), "value", ast.Load()))
            taken.append(placed(ast.If(_told(variable, "returned"), [left], []), node))
        node.orelse = [*taken, *orelse]
        return [node, placed(ast.Delete([ast.Name(variable, ast.Del())]), node)]

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        """Functions inside are left alone; the function itself is entered by `generic_visit`."""
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> Any:
        """Likewise."""
        return node


def _told(variable: str, name: str) -> ast.expr:
    """Whether something that is iterated over is a run, and says so."""
    kind = ast.Attribute(ast.Name(variable, ast.Load()), "__class__", ast.Load())
    is_run = ast.Compare(kind, [ast.Eq()], [ast.Constant(ORDERED_RUN)])
    return ast.BoolOp(ast.And(), [is_run, ast.Attribute(ast.Name(variable, ast.Load()), name, ast.Load())])


class _NoteBreaks(ast.NodeTransformer):
    """break -> BROKE = True; break, where it leaves the loop itself."""

    def visit_Break(self, node: ast.Break) -> Any:
        return [placed(_assign(BROKE, ast.Constant(True)), node), node]

    def visit(self, node: ast.AST) -> Any:
        """Leave alone what has a `break` of its own, but for the `else` branches of loops."""
        if isinstance(node, ast.For | ast.While):
            node.orelse = [part for statement in node.orelse for part in _listed(self.visit(statement))]
            return node
        return node if isinstance(node, (*FUNCTIONS, ast.ClassDef)) else super().visit(node)


class _Return(ast.NodeTransformer):
    """return E -> return None, ..., True, E: nothing but E is looked at after it."""

    def __init__(self, given: Sequence[ast.expr]) -> None:
        self.given = given

    def visit(self, node: ast.AST) -> Any:
        """Leave functions inside alone."""
        if isinstance(node, ast.Return):
            value = ast.Constant(None) if node.value is None else node.value
            values = [*copy.deepcopy(list(self.given)), ast.Constant(True), value]
            return placed(ast.Return(ast.Tuple(values, ast.Load())), node)
        return node if isinstance(node, (*FUNCTIONS, ast.ClassDef)) else super().visit(node)


def _listed(found: Any) -> list[Any]:
    return cast("list[Any]", found) if isinstance(found, list) else [found]


def _assign(name: str, value: ast.expr) -> ast.stmt:
    return ast.Assign([ast.Name(name, ast.Store())], value)


def _is_number(node: ast.expr) -> bool:
    inner = node.operand if isinstance(node, ast.UnaryOp) else node
    return isinstance(inner, ast.Constant)


_PLAIN = (
    ast.Name, ast.Constant, ast.BinOp, ast.UnaryOp, ast.Subscript, ast.Attribute, ast.Load, ast.operator, ast.unaryop,
)  # fmt: skip
_PLAIN_CALLS = frozenset({"range", "len", "enumerate", "zip", "reversed", "min", "max"})


def _is_lasting(node: ast.expr, names: Names, kinds: Kinds) -> bool:
    """Whether an expression has the same value as long as the variables `names` are bound to the same objects.

    Numbers and the lengths of arrays have it. What is in an array or an object, and the length of a list, may change.
    """
    match node:
        case ast.Constant():
            return True
        case ast.Name(id=name):
            return name in names and name not in kinds
        case ast.UnaryOp(operand=operand):
            return _is_lasting(operand, names, kinds)
        case ast.BinOp(left=left, right=right):
            return _is_lasting(left, names, kinds) and _is_lasting(right, names, kinds)
        case ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=name)], keywords=[]):
            return name in names and name in kinds
        case ast.Subscript(value=ast.Attribute(value=ast.Name(id=name), attr="shape"), slice=ast.Constant()):
            return name in names and name in kinds
        case _:
            return False


def _is_plain(node: ast.expr) -> bool:
    """Whether an expression is one of numbers and lengths, which may be evaluated again."""
    for inner in ast.walk(node):
        match inner:
            case ast.Call(func=ast.Name(id=name), keywords=[]) if name in _PLAIN_CALLS:
                pass
            case _ if isinstance(inner, _PLAIN):
                pass
            case _:
                return False
    return True

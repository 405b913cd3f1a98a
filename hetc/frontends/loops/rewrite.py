"""A function with parallel loops, made ready: its loops ask, before each part of their iterations, who runs them.

    for i in hetc.forall(n):            __hetc_loop_0__ = START @ (0, hetc.forall(n))
        BODY                            for i in __hetc_loop_0__:
                                ->          if __hetc_loop_0__.fresh:
                                                (s,) = __hetc_loop_0__.take()
                                            BODY
                                        else:
                                            if __hetc_loop_0__.fresh:
                                                (s,) = __hetc_loop_0__.take()
                                            if __hetc_loop_0__.ended:
                                                i = __hetc_loop_0__.last
                                            del __hetc_loop_0__

All else stays as it is, with its line numbers and columns. The statement iterates over the iterations that Python is
to run; those in between run on a device while Python asks for the next one. `fresh` says that this has changed the
variables that the loop sums up, `ended` that the last iteration ran there. `START` is a constant of the code: the
function gets no new name.
"""

from __future__ import annotations

import ast
import copy
import functools
import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from types import FrameType, FunctionType
from typing import Any, cast

from hetc.callers import asking_frame
from hetc.dataclass import dataclass
from hetc.diagnostics import Category
from hetc.errors import CompileError, SourceLocation, UnsupportedError
from hetc.frontends.array_code.rewrite import START_ARRAYS, ArraysStart, StartGroup, array_groups, rewrite_groups
from hetc.frontends.array_code.statements import Group, names_kept
from hetc.frontends.loops.body import body_function, fits_rank
from hetc.frontends.loops.conditions import (
    READ_ALL_LOCALS,
    check_loop,
    names_read_outside,
    shared_names,
    temporaries,
)
from hetc.frontends.loops.forgetting import Forgetting
from hetc.frontends.loops.host_skeletons import call_numbers
from hetc.frontends.loops.ordered import (
    ORDER,
    ORDERED_RUN,
    OrderedLoop,
    OrderStart,
    RewriteOrdered,
    StartOrdered,
    make_rounds,
    ordered_loops,
    ordinary_loops,
)
from hetc.frontends.loops.reductions import Reduction, combination, reductions_of
from hetc.frontends.python.made_functions import BodyFunction, compile_inside, placed
from hetc.frontends.python.scopes import FUNCTIONS, Names, loaded_names
from hetc.frontends.python.source import function_node

_START = "hetc starts a parallel loop"
"""The constant in whose place the rewritten code has the object that starts a loop."""

_BRING = "hetc brings arrays to the host"
"""The same for the object that brings arrays."""

Run = Callable[[int, Any, FrameType | None], Any]
"""Starts loop number k over an index space in a frame."""

_OF_TUPLES = (Category.CONTAINER, Category.OPERATION, Category.DEPENDENCE)
"""What is said of code that takes a tuple of indices for a number."""

Position = tuple[int, int]
"""The line and column of a statement."""

_CALL = "hetc calls with arrays that stay"
"""The same for the object that makes calls whose arrays stay on a device."""

Call = Callable[[int, Any, tuple[Any, ...]], Any]
"""Makes call number k of a function with some arguments."""

Bring = Callable[[Position, FrameType | None], None]
"""Brings the arrays to the host that a statement looks at, in a frame."""

_SPACES = frozenset({"forall", "prange"})


@dataclass(frozen=True)
class Loop:
    """A parallel loop of a function. `refused` says why Python runs all its iterations, `body` is None then.

    `combine` combines what two runs of iterations have come to, if there are reductions. `needs_last` says that the
    last iteration must be run by Python, since the function reads variables that it leaves behind.

    `of_arrays`: it is no loop of the source, but array statements, which `hetc.frontends.array_code` makes one of.
    """

    place: SourceLocation
    rank: int = 1
    body: BodyFunction | None = None
    reductions: tuple[Reduction, ...] = ()
    combine: FunctionType | None = None
    needs_last: bool = False
    refused: UnsupportedError | None = None
    pair_hint: str | None = None
    """What to write for a loop over the numbers from one to another, if its one variable may be meant to be one."""
    of_arrays: bool = False
    ordered: OrderedLoop | None = None
    """It is an ordinary loop, which runs as a task."""
    body_in_order: BodyFunction | None = None
    """The body of an iteration that goes on from those before it: what is debugged is run so."""

    def explained(self, error: CompileError) -> CompileError:
        """Why the loop is not compiled, at its place if there is no better one, with what may be meant instead."""
        found = error.at(self.place)
        if self.pair_hint is None or error.category not in _OF_TUPLES:
            return found
        return type(found)(found.reason, location=found.location, hint=self.pair_hint, category=found.category)


@dataclass(frozen=True)
class ArrayGroups:
    """The groups of array statements of a function; for each, how many times it is to be passed by from now on."""

    groups: tuple[Group, ...]
    pauses: list[int]


@dataclass(frozen=True)
class OrderedLoops:
    """The ordinary loops of a function; for each, how many times it is to be passed by from now on."""

    loops: tuple[OrderedLoop, ...]
    pauses: list[int]


class LoopStart:
    """`start @ (k, space)` starts loop number k, in the frame where it stands."""

    def __init__(self, run: Run) -> None:
        self.run = run

    def __matmul__(self, started: tuple[int, Any]) -> Any:
        return self.run(*started, asking_frame())


class ArraysBrought:
    """`brought @ (line, column)` brings what the host looks at there; it is false, for use in conditions."""

    def __init__(self, bring: Bring) -> None:
        self.bring = bring

    def __matmul__(self, place: Position) -> bool:
        self.bring(place, asking_frame())
        return False


class CallMade:
    """`called @ (k, function, arguments)` is what call number k gives."""

    def __init__(self, call: Call) -> None:
        self.call = call

    def __matmul__(self, made: tuple[int, Any, tuple[Any, ...]]) -> Any:
        return self.call(*made)


class HostFunction:
    """A function whose parallel loops ask who runs them, and these loops; `original` and `node` are the user's."""

    # No dataclass: to a type checker, a function that is a field of a class is a method of it.
    def __init__(
        self,
        function: FunctionType,
        loops: tuple[Loop, ...],
        groups: ArrayGroups,
        original: FunctionType,
        node: ast.FunctionDef,
        ordered: OrderedLoops,
    ) -> None:
        self.function = function
        self.loops = loops
        self.groups = groups
        self.original = original
        self.node = node
        self.ordered = ordered

    @functools.cached_property
    def is_planned(self) -> bool:
        """Whether the host's code may keep arrays on a device: it has loops, or calls that may be of array functions.

        Not that of a generator, which is left and entered in the middle, by anyone.
        """
        flags = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
        if self.original.__code__.co_flags & flags:
            return False
        return any(loop.body is not None for loop in self.loops) or any(
            isinstance(inner, ast.Call) for inner in ast.walk(self.node)
        )

    def place(self, node: Any) -> SourceLocation:
        """The place of a statement or expression of the function."""
        return _place_of(self.original, node)

    def bringing(
        self, places: Collection[Position], calls: Collection[int], run: Run, bring: Bring, call: Call
    ) -> FunctionType:
        """The function again, in which the host asks for its arrays at some places: `bring` is called there.

        A place is the line and column of a statement. What is asked for at a `while` is asked for in each round. The
        calls with some numbers are made by `call`.
        """
        node = copy.deepcopy(self.node)
        chosen = {key: number for key, number in call_numbers(node).items() if number in calls}
        _Bringing(places, chosen).generic_visit(node)
        _Rewriter(self.original, node).rewrite(self.loops)
        objects = {_START: LoopStart(run), _BRING: ArraysBrought(bring), _CALL: CallMade(call)}
        return _compiled(self.original, node, objects)


def _no_group(_number: int) -> None:
    """Array statements that are not looked into."""


def _as_it_is(_number: int, iterable: Any, _frame: FrameType) -> Any:
    """Ordinary loops that are Python's."""
    return iterable


def host_function(
    function: FunctionType,
    run: Run,
    start: StartGroup = _no_group,
    order: StartOrdered = _as_it_is,
    ordered_run: type | None = None,
) -> HostFunction:
    """Rewrite a function. `run` is called where a loop starts; the statement iterates over what it returns.

    `start` is called where a group of array statements starts (`hetc.frontends.array_code`), `order` where an ordinary
    loop does, which may return an `ordered_run`.

    Raises UnsupportedError for a function whose source is not at hand, or that cannot be compiled apart from its class.
    """
    original = function_node(function)
    if not isinstance(original, ast.FunctionDef):
        raise UnsupportedError("a lambda has no loops", category=Category.SOURCE)
    _check_names(function, original)
    node = copy.deepcopy(original)
    node.decorator_list = []
    if "type_params" in vars(node):  # since Python 3.12; they concern the annotations
        vars(node)["type_params"] = []
    rewriter, clean = _Rewriter(function, node), copy.deepcopy(node)
    loops = rewriter.loops_of(clean)
    groups = array_groups(clean, parallel_loops(clean), _shared_by(clean))
    shared = _shared_by(clean)
    kept, rounds = names_kept(clean, shared), copy.deepcopy(clean)
    if kept is not None:  # all variables of the function are looked at
        make_rounds(rounds)
    ordered = ordered_loops(
        rounds,
        parallel_loops(rounds),
        shared,
        kept,
        rewriter.variables,
        function.__code__,
        rewriter.refuse,
    )
    rewrite_groups(node, parallel_loops(node))
    if kept is not None:
        make_rounds(node)
    found = [loop for loop, _ in ordinary_loops(node, parallel_loops(node))]
    RewriteOrdered(found, ordered).generic_visit(node)
    rewriter.rewrite(loops)
    pauses, passing = [0] * len(groups), [0] * len(ordered)
    objects = {
        _START: LoopStart(run),
        START_ARRAYS: ArraysStart(start, pauses),
        ORDER: OrderStart(order, passing),
        ORDERED_RUN: ordered_run,
    }
    compiled = _compiled(function, node, objects)
    arrays, in_order = ArrayGroups(tuple(groups), pauses), OrderedLoops(ordered, passing)
    return HostFunction(compiled, loops, arrays, function, clean, in_order)


def _compiled(function: FunctionType, node: ast.FunctionDef, objects: Mapping[str, object]) -> FunctionType:
    """A function with other code; the texts that stand for objects in it are replaced."""
    if loaded_names(node) & READ_ALL_LOCALS:
        Forgetting().generic_visit(node)
    code = compile_inside(node, function.__code__.co_freevars, function.__code__)
    constants = tuple(
        objects.get(constant, constant) if isinstance(constant, str) else constant for constant in code.co_consts
    )
    code = code.replace(co_consts=constants, co_qualname=function.__code__.co_qualname)
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    new = FunctionType(
        code, function.__globals__, function.__name__, function.__defaults__, tuple(cells[n] for n in code.co_freevars)
    )
    new.__kwdefaults__ = function.__kwdefaults__
    new.__qualname__ = function.__qualname__
    new.__module__ = function.__module__
    return new


def _shared_by(node: ast.FunctionDef) -> Names:
    """The variables that a function shares with others, as far as its syntax tells."""
    nowhere = ast.For(ast.Name("_", ast.Store()), ast.Constant(0), [], [])
    return shared_names(node, nowhere)


def _check_names(function: FunctionType, node: ast.FunctionDef) -> None:
    """Names that a class around the function changes cannot be found again outside of it."""
    for inner in ast.walk(node):
        name = inner.id if isinstance(inner, ast.Name) else inner.attr if isinstance(inner, ast.Attribute) else ""
        if name.startswith("__") and not name.endswith("__"):
            raise UnsupportedError(
                f"the name '{name}' may be private to a class",
                location=_place_of(function, inner),
                hint="name it with one underscore",
                category=Category.NAME,
            )


def _place_of(function: FunctionType, node: Any) -> SourceLocation:
    end = node.end_col_offset if node.end_lineno == node.lineno else None
    return SourceLocation(function.__code__.co_filename, node.lineno, node.col_offset, end)


def parallel_loops(node: ast.FunctionDef) -> list[ast.For]:
    """The outermost loops over index spaces, in the order of the source."""
    found: list[ast.For] = []
    work: list[ast.AST] = list(reversed(node.body))
    while work:
        inner = work.pop()
        if isinstance(inner, ast.For) and _is_space(inner.iter):
            found.append(inner)
            work += reversed(inner.orelse)
        elif not isinstance(inner, (*FUNCTIONS, ast.ClassDef)):
            work += reversed(list(ast.iter_child_nodes(inner)))
    return found


def _is_space(node: ast.expr) -> bool:
    """Whether an expression looks like a call of `forall` or `prange`; whether it is one shows when it is evaluated."""
    if not isinstance(node, ast.Call):
        return False
    return (node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")) in _SPACES


def _pair_hint(loop: ast.For, rank: int) -> str | None:
    """What to say of `for i in forall(a, b)`, which may be meant to be `for i in prange(a, b)`."""
    if rank != 2 or not isinstance(loop.target, ast.Name):
        return None
    call = cast("ast.Call", loop.iter)
    space, arguments = ast.unparse(call.func), ", ".join(map(ast.unparse, call.args))
    return (
        f"'{loop.target.id}' is a pair of indices: {space}({arguments}) has two dimensions, of these lengths; "
        f"for the numbers from {ast.unparse(call.args[0])} to {ast.unparse(call.args[1])} write "
        f"{space.replace('forall', 'prange')}({arguments})"
    )


class _Rewriter:
    def __init__(self, function: FunctionType, node: ast.FunctionDef) -> None:
        self.function = function
        self.node = node
        code = function.__code__
        self.variables: Names = frozenset((*code.co_varnames, *code.co_cellvars, *code.co_freevars))

    def refuse(self, node: ast.AST, reason: str, **details: Any) -> UnsupportedError:
        """The error that says why a loop is not compiled."""
        return UnsupportedError(reason, location=_place_of(self.function, node), **details)

    def loops_of(self, node: ast.FunctionDef) -> tuple[Loop, ...]:
        """The loops of the function, which has not been changed yet."""
        found = parallel_loops(node)
        return tuple(self.loop(node, loop, number, len(found)) for number, loop in enumerate(found))

    def loop(self, node: ast.FunctionDef, loop: ast.For, number: int, count: int) -> Loop:
        """One loop, or why it is not compiled."""
        place = _place_of(self.function, loop.iter)
        try:
            return self.compiled_loop(node, loop, f"{node.name}_{number}" if count > 1 else node.name, place)
        except UnsupportedError as error:
            return Loop(place, refused=error)

    def compiled_loop(self, node: ast.FunctionDef, loop: ast.For, name: str, place: SourceLocation) -> Loop:
        """A loop whose body is a function of its own. Raises UnsupportedError."""
        rank = self.rank(loop)
        if not fits_rank(loop.target, rank):
            raise self.refuse(loop.target, "the loop's target does not take its indices one by one")
        after = names_read_outside(node, loop)
        reductions = reductions_of(loop.body, after)
        own_range = "range" in self.variables or self.function.__globals__.get("range", range) is not range
        check_loop(loop, shared_names(node, loop), reductions, after, self.refuse, own_range=own_range)
        given = name, loop, rank, reductions, self.variables, self.function.__code__
        body = body_function(*given)
        in_order = body_function(*given, in_order=True) if any(r.may_skip for r in reductions) else body

        def compile_it(function: ast.FunctionDef) -> FunctionType:
            made = BodyFunction(compile_inside(function, [], self.function.__code__), function)
            return made.function({}, {})

        combine = combination(reductions, loop, compile_it) if reductions else None
        needs_last = bool(temporaries(loop, reductions) & after)
        hint = _pair_hint(loop, rank)
        return Loop(place, rank, body, reductions, combine, needs_last, pair_hint=hint, body_in_order=in_order)

    def rank(self, loop: ast.For) -> int:
        """How many indices a loop has."""
        call = cast("ast.Call", loop.iter)
        if call.keywords or any(isinstance(argument, ast.Starred) for argument in call.args):
            raise self.refuse(call, "the number of the loop's indices is not known")
        name = call.func.id if isinstance(call.func, ast.Name) else cast("ast.Attribute", call.func).attr
        return 1 if name == "prange" else len(call.args)

    def rewrite(self, loops: Sequence[Loop]) -> None:
        """Change the loops of the function."""
        for number, (loop, made) in enumerate(zip(parallel_loops(self.node), loops, strict=True)):
            place = ast.Tuple([ast.Constant(number), loop.iter], ast.Load())
            start = ast.BinOp(ast.Constant(_START), ast.MatMult(), place)
            if made.body is None:
                loop.iter = placed(start, loop.iter)
            else:
                self.rewrite_loop(loop, f"__hetc_loop_{number}__", start, [r.name for r in made.reductions])

    def rewrite_loop(self, loop: ast.For, variable: str, start: ast.expr, names: Sequence[str]) -> None:
        """One loop, of which some iterations may run on a device. `names` are its reductions."""
        loop.iter = placed(ast.NamedExpr(ast.Name(variable, ast.Store()), start), loop.iter)
        taken: list[ast.stmt] = []
        if names:
            targets: list[ast.expr] = [ast.Name(name, ast.Store()) for name in names]
            values = ast.Call(_attribute(variable, "take"), [], [])
            assignment = ast.Assign([ast.Tuple(targets, ast.Store())], values)
            taken = [ast.If(_attribute(variable, "fresh"), [assignment], [])]
        last = ast.Assign([copy.deepcopy(loop.target)], _attribute(variable, "last"))
        ended = ast.If(_attribute(variable, "ended"), [last], [])
        forget = ast.Delete([ast.Name(variable, ast.Del())])
        loop.orelse[:0] = [placed(node, loop) for node in (*copy.deepcopy(taken), ended, forget)]
        loop.body[:0] = [placed(node, loop) for node in taken]


class _Bringing(ast.NodeTransformer):
    """Asks for arrays before statements, and in the conditions of `while`; and gives calls to who makes them."""

    def __init__(self, places: Collection[Position], calls: Mapping[int, int]) -> None:
        self.places = places
        self.calls = calls

    def visit(self, node: ast.AST) -> Any:
        if not isinstance(node, (*FUNCTIONS, ast.ClassDef)):  # the function itself is entered by `generic_visit`
            self.generic_visit(node)
        if isinstance(node, ast.Call) and (number := self.calls.get(id(node))) is not None:
            made = ast.Tuple([ast.Constant(number), node.func, ast.Tuple(node.args, ast.Load())], ast.Load())
            return placed(ast.BinOp(ast.Constant(_CALL), ast.MatMult(), made), node)
        if not isinstance(node, ast.stmt) or (node.lineno, node.col_offset) not in self.places:
            return node
        ask = placed(ast.BinOp(ast.Constant(_BRING), ast.MatMult(), _position(node)), node)
        if isinstance(node, ast.While):
            node.test = placed(ast.BoolOp(ast.Or(), [ask, node.test]), node.test)
            return node
        return [placed(ast.Expr(ask), node), node]


def _position(node: ast.stmt) -> ast.expr:
    return ast.Tuple([ast.Constant(node.lineno), ast.Constant(node.col_offset)], ast.Load())


def _load(name: str) -> ast.expr:
    return ast.Name(name, ast.Load())


def _attribute(variable: str, name: str) -> ast.expr:
    return ast.Attribute(_load(variable), name, ast.Load())

"""Expressions: syntax tree -> `dyn` ops, in Python's evaluation order.

An expression is emitted either for its *value* (a `!dyn.object`) or for its *test* (an `i1`, its truth value). `and`,
`or`, `not`, comparisons and conditional expressions are emitted for their test where only the truth matters, so that a
condition needs no Python object.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import TypeVar

from xdsl.dialects import scf
from xdsl.dialects.builtin import FileLineColLoc, UnitAttr, i1
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from hetc.abi import Refused
from hetc.analysis.locations import location_attribute
from hetc.diagnostics import Category
from hetc.dialects import dyn
from hetc.errors import SourceLocation, UnsupportedError
from hetc.frontends.python.calls import bind_arguments
from hetc.frontends.python.closure import Binding, Capture, Known, ResolvedFunction

Env = dict[str, SSAValue]
"""The local variables that have a value, by name."""

Op = TypeVar("Op", bound=Operation)

_BINARY: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "truediv",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
    ast.Pow: "pow",
    ast.BitAnd: "and",
    ast.BitOr: "or",
    ast.BitXor: "xor",
    ast.LShift: "lshift",
    ast.RShift: "rshift",
}
_UNARY: dict[type[ast.unaryop], str] = {ast.USub: "neg", ast.UAdd: "pos", ast.Invert: "invert", ast.Not: "not"}
_COMPARE: dict[type[ast.cmpop], str] = {
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Eq: "eq",
    ast.NotEq: "ne",
    ast.Gt: "gt",
    ast.GtE: "ge",
    ast.Is: "is",
    ast.IsNot: "is_not",
}
_OTHER_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.In: "in",
    ast.NotIn: "not in",
}
_CONSTRUCTS: dict[type[ast.AST], str] = {
    ast.List: "a list",
    ast.Dict: "a dict",
    ast.Set: "a set",
    ast.ListComp: "a list comprehension",
    ast.GeneratorExp: "a generator expression",
    ast.DictComp: "a dict comprehension",
    ast.SetComp: "a set comprehension",
    ast.Lambda: "a nested lambda",
    ast.JoinedStr: "an f-string",
    ast.Await: "await",
    ast.Yield: "yield",
    ast.YieldFrom: "yield from",
    ast.Starred: "a starred expression",
    ast.NamedExpr: "an assignment expression",
}
INT64 = range(-(2**63), 2**63)


class ExpressionEmitter:
    """Emits expressions of one function into the current block."""

    def __init__(
        self, resolved: ResolvedFunction, filename: str, refused: Mapping[str, Refused] = MappingProxyType({})
    ) -> None:
        self.resolved = resolved
        self.refused = refused
        self.filename = filename
        self.block = Block()
        self.locals: frozenset[str] = frozenset()
        self.branches = 0
        """How many branches the current block stands in."""

    # ---------------------------------------------------------------------------------------------------------------
    # Building
    # ---------------------------------------------------------------------------------------------------------------

    def add(self, op: Op, node: ast.AST) -> Op:
        """Append an op that comes from a syntax node."""
        op.location = self.location(node)
        self.block.add_op(op)
        return op

    @contextmanager
    def inside(self, block: Block) -> Generator[Block]:
        """Append to another block for a while."""
        outer, self.block = self.block, block
        try:
            yield block
        finally:
            self.block = outer

    @contextmanager
    def branch(self) -> Generator[Block]:
        """Append to a new block that is run under a condition: what is refused there need not be reached."""
        self.branches += 1
        try:
            with self.inside(Block()) as block:
                yield block
        finally:
            self.branches -= 1

    def leave(self, error: UnsupportedError, node: ast.AST) -> None:
        """The path that comes here goes back to Python."""
        op = self.add(dyn.LeaveOp(error.reason, error.hint, error.code), node)
        if error.location is not None:
            op.location = location_attribute(error.location)

    def nothing(self, node: ast.AST) -> SSAValue:
        """A value that control flow makes sure nobody reads."""
        return self.add(dyn.UnboundOp(""), node).result

    def place(self, node: ast.AST) -> SourceLocation:
        """Where a node stands."""
        line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        end_line, end = getattr(node, "end_lineno", None), getattr(node, "end_col_offset", None)
        return SourceLocation(self.filename, line, column, end if end_line == line else None)

    def location(self, node: ast.AST) -> FileLineColLoc:
        """Where a node stands, as an attribute."""
        return location_attribute(self.place(node))

    def unsupported(
        self, node: ast.AST, reason: str, *, hint: str | None = None, category: Category = Category.CONSTRUCT
    ) -> UnsupportedError:
        """The error that sends the call to Python, with the place in the user's source."""
        return UnsupportedError(reason, location=self.place(node), hint=hint, category=category)

    # ---------------------------------------------------------------------------------------------------------------
    # Values
    # ---------------------------------------------------------------------------------------------------------------

    def value(self, node: ast.expr, env: Env) -> SSAValue:
        """Emit an expression for its value."""
        match node:
            case ast.Constant():
                return self.constant(node)
            case ast.Name():
                return self.variable(node, env)
            case ast.BinOp():
                left = self.value(node.left, env)
                return self.binary(node.op, left, self.value(node.right, env), node)
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)) if not isinstance(
                number, bool
            ):
                return self.number(-number, node)
            case ast.UnaryOp():
                operand = self.value(node.operand, env)
                return self.add(dyn.UnaryOp(_UNARY[type(node.op)], operand), node).result
            case ast.BoolOp():
                return self.short_circuit(node, env)
            case ast.Compare():
                return self.comparison(node, env)
            case ast.IfExp():
                return self.conditional(node, env)
            case ast.Call():
                return self.call(node, env)
            case ast.Subscript():
                return self.subscript(node, env)
            case ast.Attribute():
                return self.attribute(node, env)
            case ast.Tuple():
                items = [self.value(element, env) for element in node.elts]
                return self.add(dyn.BuildTupleOp(items), node).result
            case _:
                raise self.unsupported(node, f"{describe(node)} is not compiled")

    def constant(self, node: ast.Constant) -> SSAValue:
        """A literal."""
        if node.value is None:
            return self.add(dyn.NoneOp(), node).result
        if not isinstance(node.value, bool | int | float):
            raise self.unsupported(node, f"the constant {node.value!r} is not a real number")
        return self.number(node.value, node)

    def number(self, value: bool | int | float, node: ast.AST) -> SSAValue:
        """A Python number known now."""
        if isinstance(value, int) and value not in INT64:
            raise self.unsupported(node, f"the integer {value} does not fit 64 bits", category=Category.INTEGER)
        return self.add(dyn.ConstOp(value), node).result

    def variable(self, node: ast.Name, env: Env) -> SSAValue:
        """A local or captured variable."""
        if node.id in env:
            return env[node.id]
        if node.id in self.locals:
            return self.add(dyn.UnboundOp(node.id), node).result
        binding = self.binding(node)
        if isinstance(binding, Capture):
            return self.captured(binding, node)
        if binding is None:
            raise self.unsupported(
                node, f"the name '{node.id}' has no value that can be compiled", category=Category.NAME
            )
        raise self.unsupported(
            node, f"the function '{node.id}' can be called here, but is not a value", category=Category.NAME
        )

    def captured(self, capture: Capture, node: ast.AST) -> SSAValue:
        """A captured variable."""
        refused = self.refused.get(capture.name)
        if refused is not None:
            raise self.unsupported(node, refused.reason, hint=refused.hint, category=refused.category)
        result = self.add(dyn.GlobalOp(capture.name), node).result
        result.name_hint = capture.name
        return result

    def binary(self, operator: ast.operator, left: SSAValue, right: SSAValue, node: ast.AST) -> SSAValue:
        """A binary operator on values."""
        name = _BINARY.get(type(operator))
        if name is None:
            raise self.unsupported(node, f"the operator {type(operator).__name__} is not compiled")
        return self.add(dyn.BinaryOp(name, left, right), node).result

    def comparison(self, node: ast.Compare, env: Env) -> SSAValue:
        """`a < b < c`: each operand once, left to right, stopping at the first comparison that is false."""
        left = self.value(node.left, env)
        return self.compare_chain(left, node.ops, node.comparators, node, env)

    def compare_chain(
        self,
        left: SSAValue,
        operators: Sequence[ast.cmpop],
        operands: Sequence[ast.expr],
        node: ast.Compare,
        env: Env,
    ) -> SSAValue:
        """The rest of a comparison chain, as a value."""
        name = _COMPARE.get(type(operators[0]))
        if name is None:
            raise self.unsupported(node, f"the operator '{_OTHER_COMPARISONS[type(operators[0])]}' is not compiled")
        right = self.value(operands[0], env)
        first = self.add(dyn.CompareOp(name, left, right), node).result
        if len(operators) == 1:
            return first
        condition = self.add(dyn.TruthOp(first), node).result
        with self.inside(Block()) as rest:
            value = self.compare_chain(right, operators[1:], operands[1:], node, env)
            self.add(scf.YieldOp(value), node)
        return self.choose(condition, rest, first, node, otherwise=True)

    def choose(self, condition: SSAValue, block: Block, value: SSAValue, node: ast.AST, *, otherwise: bool) -> SSAValue:
        """`block`'s value if the condition holds, else `value` (`otherwise=False`: the other way round)."""
        with self.inside(Block()) as short:
            self.add(scf.YieldOp(value), node)
        then, other = (block, short) if otherwise else (short, block)
        return self.add(scf.IfOp(condition, [value.type], Region(then), Region(other)), node).results[0]

    def short_circuit(self, node: ast.BoolOp, env: Env) -> SSAValue:
        """`a and b`: a if a is false, else b. `a or b`: a if a is true, else b."""
        value = self.value(node.values[0], env)
        for operand in node.values[1:]:
            condition = self.add(dyn.TruthOp(value), node).result
            with self.inside(Block()) as block:
                self.add(scf.YieldOp(self.value(operand, env)), node)
            value = self.choose(condition, block, value, node, otherwise=isinstance(node.op, ast.And))
        return value

    def conditional(self, node: ast.IfExp, env: Env) -> SSAValue:
        """`a if test else b`."""
        condition = self.test(node.test, env)
        return self.either(node, condition, lambda branch: self.value(branch, dict(env)), dyn.OBJECT)

    def either(
        self, node: ast.IfExp, condition: SSAValue, emit: Callable[[ast.expr], SSAValue], type_: Attribute
    ) -> SSAValue:
        """The two branches of a conditional expression, each emitted into its own block."""
        regions: list[Region] = []
        for branch in (node.body, node.orelse):
            with self.branch() as block:
                try:
                    value = emit(branch)
                except UnsupportedError as error:
                    if type_ == i1:
                        raise
                    self.leave(error, branch)
                    value = self.nothing(branch)
                self.add(scf.YieldOp(value), branch)
            regions.append(Region(block))
        then, other = regions
        choice = self.add(scf.IfOp(condition, [type_], then, other), node)
        choice.attributes[dyn.BRANCH] = UnitAttr()
        return choice.results[0]

    def subscript(self, node: ast.Subscript, env: Env) -> SSAValue:
        """`container[index]` or `container[i, j]`; `a[i][j]` on an array is the same as `a[i, j]`."""
        if isinstance(node.slice, ast.Slice):
            raise self.unsupported(node, "slices are not compiled", hint="index the elements in a loop")
        container = self.value(node.value, env)
        index_nodes = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        indices = [self.value(index, env) for index in index_nodes]
        return self.add(dyn.GetItemOp(container, indices), node).result

    def attribute(self, node: ast.Attribute, env: Env) -> SSAValue:
        """`module.constant`, or `array.shape`."""
        binding = self.binding(node)
        if isinstance(binding, Capture):
            return self.captured(binding, node)
        if binding is not None:
            raise self.unsupported(
                node,
                f"the function '{ast.unparse(node)}' can be called here, but is not a value",
                category=Category.NAME,
            )
        if node.attr == "shape":
            return self.add(dyn.ShapeOp(self.value(node.value, env)), node).result
        raise self.unsupported(node, f"the attribute '.{node.attr}' is not compiled", category=Category.NAME)

    # ---------------------------------------------------------------------------------------------------------------
    # Calls
    # ---------------------------------------------------------------------------------------------------------------

    def call(self, node: ast.Call, env: Env) -> SSAValue:
        """A call of a known function, or of a Python function whose source is compiled too."""
        binding = self.binding(node.func)
        if isinstance(binding, Known):
            if node.keywords or any(isinstance(a, ast.Starred) for a in node.args):
                raise self.unsupported(
                    node,
                    f"{binding.name} is compiled with plain positional arguments only",
                    category=Category.ARGUMENTS,
                )
            arguments = [self.value(argument, env) for argument in node.args]
            return self.add(dyn.BuiltinOp(binding.name, arguments), node).result
        if isinstance(binding, ResolvedFunction):
            refuse = functools.partial(self.unsupported, category=Category.ARGUMENTS)
            bound = bind_arguments(binding.function, node, refuse)
            arguments = [self.value(a, env) if isinstance(a, ast.expr) else self.default(a.value, node) for a in bound]
            return self.add(dyn.CallOp(binding.symbol, arguments), node).result
        raise self.unsupported(
            node,
            f"the call of '{ast.unparse(node.func)}' is not compiled",
            hint="call Python functions whose source is at hand, math.* or NumPy's scalar functions",
            category=Category.CALL,
        )

    def default(self, value: object, node: ast.AST) -> SSAValue:
        """A parameter's default value."""
        if type(value) not in (bool, int, float):  # numpy.float64 is a float too, but another type
            raise self.unsupported(
                node, f"the default argument {value!r} is not a Python number", category=Category.ARGUMENTS
            )
        assert isinstance(value, bool | int | float)
        return self.number(value, node)

    def binding(self, node: ast.expr) -> Binding | None:
        """What a name or a chain of attributes means, if it is not local."""
        chain: list[str] = []
        while isinstance(node, ast.Attribute):
            chain.insert(0, node.attr)
            node = node.value
        if not isinstance(node, ast.Name) or node.id in self.locals:
            return None
        return self.resolved.bindings.get((node.id, *chain))

    def known(self, node: ast.expr) -> str | None:
        """The name of the known function that an expression denotes."""
        binding = self.binding(node)
        return binding.name if isinstance(binding, Known) else None

    # ---------------------------------------------------------------------------------------------------------------
    # Tests
    # ---------------------------------------------------------------------------------------------------------------

    def test(self, node: ast.expr, env: Env) -> SSAValue:
        """Emit an expression for its truth value, an `i1`."""
        match node:
            case ast.BoolOp():
                value = self.test(node.values[0], env)
                for operand in node.values[1:]:
                    with self.inside(Block()) as block:
                        self.add(scf.YieldOp(self.test(operand, env)), operand)
                    value = self.choose(value, block, value, node, otherwise=isinstance(node.op, ast.And))
                return value
            case ast.Compare() if len(node.ops) > 1:
                return self.test_chain(node, env)
            case ast.IfExp():
                condition = self.test(node.test, env)
                return self.either(node, condition, lambda branch: self.test(branch, dict(env)), i1)
            case _:
                return self.add(dyn.TruthOp(self.value(node, env)), node).result

    def test_chain(self, node: ast.Compare, env: Env) -> SSAValue:
        """A comparison chain of which only the truth matters."""
        return self.add(dyn.TruthOp(self.comparison(node, env)), node).result


def describe(node: ast.AST) -> str:
    """How a message names a construct.

    >>> describe(ast.parse("[1]", mode="eval").body)
    'a list'
    """
    return _CONSTRUCTS.get(type(node), f"this expression ({type(node).__name__})")

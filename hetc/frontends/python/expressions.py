"""Expressions: syntax tree -> `dyn` ops, in Python's evaluation order.

An expression is emitted either for its *value* (a `!dyn.object`) or for its *test* (an `i1`, its truth value). `and`,
`or`, `not`, comparisons and conditional expressions are emitted for their test where only the truth matters, so that a
condition needs no Python object.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import TypeVar, cast

from xdsl.dialects import scf
from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import FileLineColLoc, IntegerAttr, UnitAttr, i1
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from hetc.abi import Refused
from hetc.analysis.locations import location_attribute
from hetc.analysis.naming import ascii_name
from hetc.dataclass import dataclass
from hetc.diagnostics import Category
from hetc.dialects import dyn
from hetc.errors import SourceLocation, UnsupportedError
from hetc.frontends.python import remedies
from hetc.frontends.python.closure import Binding, Capture, Known, ResolvedFunction
from hetc.frontends.python.desugar import Bind, Internal, IsInstance, Nothing
from hetc.frontends.python.scopes import walrus_names

Env = dict[str, SSAValue]
"""The local variables that have a value, by name."""

Op = TypeVar("Op", bound=Operation)

_BINARY: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.MatMult: "matmul",
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
_CONSTRUCTS: dict[type[ast.AST], str] = {
    ast.Dict: "a dict",
    ast.Set: "a set",
    ast.GeneratorExp: "a generator outside sum(), any(), all(), min(), max(), tuple() and list()",
    ast.DictComp: "a dict comprehension",
    ast.SetComp: "a set comprehension",
    ast.Lambda: "a lambda that is not called or passed to a function",
    ast.JoinedStr: "an f-string",
    ast.Await: "await",
    ast.Yield: "yield",
    ast.YieldFrom: "yield from",
    ast.Starred: "a starred expression",
}
INT64 = range(-(2**63), 2**63)
_QUOTES = "'\""


@dataclass(frozen=True)
class Facts:
    """Variables that a test assigns in operands that need not be evaluated: their values where the test came out so.

    In `a and (x := b)` it is `x` where the test holds, in `a or (x := b)` where it does not.
    """

    when: bool
    values: Env


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
        self.maybe_unbound: set[str] = set()
        """The local variables that have no value on some path so far: reading them may raise."""
        self.branches = 0
        """How many branches the current block stands in."""
        self.facts: dict[int, Facts] = {}
        """By the identity of a node that tests."""
        self.stores = False
        """Whether elements of arrays may be assigned: in the iterations of a loop."""

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

    def flag(self, value: bool, node: ast.AST) -> SSAValue:
        """A constant `i1`."""
        return self.add(ConstantOp(IntegerAttr(int(value), i1)), node).result

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
            case ast.Tuple() | ast.List():
                return self.display(node, env)
            case _:
                return self.other(node, env)

    def other(self, node: ast.expr, env: Env) -> SSAValue:
        """An expression that assigns, or one that stands for something that Python has no expression for."""
        match node:
            case ast.NamedExpr(target=target):
                value = self.value(node.value, env)
                self.assign(target, value, env)
                return value
            case Internal():
                arguments = [self.value(argument, env) for argument in node.args]
                return self.add(dyn.BuiltinOp(node.name, arguments), node).result
            case IsInstance():
                classes = self.classes(node.cls, env) if node.cls is not None else node.classes
                return self.add(dyn.IsInstanceOp(self.value(node.value, env), classes), node).result
            case Nothing():
                return self.nothing(node)
            case _:
                raise self.unsupported(node, f"{describe(node)} is not compiled", hint=remedies.of_construct(node))

    def display(self, node: ast.Tuple | ast.List, env: Env) -> SSAValue:
        """`(a, b)` or `[a, *b]`."""
        build = dyn.BuildTupleOp if isinstance(node, ast.Tuple) else dyn.BuildListOp
        if not any(isinstance(element, ast.Starred) for element in node.elts):
            items = [self.value(element, env) for element in node.elts]
            return self.add(build(items), node).result
        whole = self.add(build([]), node).result
        for element in node.elts:
            if isinstance(element, ast.Starred):
                kind = "tuple" if isinstance(node, ast.Tuple) else "list"
                part = self.add(dyn.BuiltinOp(kind, [self.iterable(element.value, env)]), element).result
            else:
                part = self.add(build([self.value(element, env)]), element).result
            whole = self.add(dyn.BinaryOp("add", whole, part), node).result
        return whole

    def iterable(self, node: ast.expr, env: Env) -> SSAValue:
        """An expression that is iterated at once: `zip`, `enumerate` and `reversed` are iterators, good for one use."""
        known = self.known(node.func) if isinstance(node, ast.Call) else None
        if isinstance(node, ast.Call) and known == "iter" and len(node.args) == 1 and not node.keywords:
            return self.iterable(node.args[0], env)
        if not isinstance(node, ast.Call) or known not in ("zip", "enumerate", "reversed"):
            return self.value(node, env)
        keywords = {keyword.arg: keyword.value for keyword in node.keywords}
        start = keywords.pop("start", None) if known == "enumerate" else None
        strict = keywords.pop("strict", None) if known == "zip" else None
        if strict is not None and not (isinstance(strict, ast.Constant) and isinstance(strict.value, bool)):
            raise self.unsupported(strict, "whether zip is strict is not known", category=Category.ARGUMENTS)
        if keywords or any(isinstance(argument, ast.Starred) for argument in node.args):
            raise self.unsupported(node, f"{known} is compiled with plain arguments only", category=Category.ARGUMENTS)
        count = len(node.args) if known == "zip" else 1
        arguments = [self.iterable(argument, env) for argument in node.args[:count]]
        arguments += [self.value(argument, env) for argument in node.args[count:]]
        arguments += [] if start is None else [self.value(start, env)]
        if isinstance(strict, ast.Constant) and strict.value:
            return self.add(dyn.BuiltinOp(known, [*arguments, self.value(strict, env)], ["strict"]), node).result
        return self.add(dyn.BuiltinOp(known, arguments), node).result

    def classes(self, node: ast.expr, env: Env) -> list[str]:
        """The names of the classes that the second argument of `isinstance` gives."""
        match node:
            case ast.Tuple(elts=parts):
                return [name for part in parts for name in self.classes(part, env)]
            case ast.BinOp(op=ast.BitOr(), left=left, right=right):
                return [*self.classes(left, env), *self.classes(right, env)]
            case ast.Constant(value=None):
                return ["None"]
            case _:
                name = self.known(node)
                if name is None:
                    raise self.unsupported(node, f"'{ast.unparse(node)}' is no class that hetc knows")
                return [name]

    def assign(self, target: ast.expr, value: SSAValue, env: Env) -> None:
        """Bind a target, unpacking tuples and lists."""
        match target:
            case ast.Name(id=name):
                if not isinstance(value.owner, Block) and value.name_hint is None:
                    value.name_hint = hint_of(name)
                env[name] = value
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                stars = [k for k, element in enumerate(elements) if isinstance(element, ast.Starred)]
                star = stars[0] if stars else None
                items = self.add(dyn.UnpackOp(value, len(elements), star), target).results
                for element, item in zip(elements, items, strict=True):
                    self.assign(element.value if isinstance(element, ast.Starred) else element, item, env)
            case ast.Subscript() if self.stores:
                container = self.value(target.value, env)
                if (field := field_name(target)) is not None:
                    self.add(dyn.StoreFieldOp(value, container, field), target)
                else:
                    self.add(dyn.StoreItemOp(value, container, self.indices(target, env)), target)
            case ast.Attribute() if self.stores:
                self.add(dyn.StoreAttrOp(value, self.value(target.value, env), target.attr), target)
            case _:
                raise self.unsupported(
                    target,
                    "only local variables can be assigned here",
                    hint="return the new value instead of storing it",
                )

    def local(self, name: str, env: Env, node: ast.AST) -> SSAValue:
        """A local variable's value here, or the mark that it has none."""
        if name in env:
            return env[name]
        self.maybe_unbound.add(name)
        return self.add(dyn.UnboundOp(name), node).result

    def constant(self, node: ast.Constant) -> SSAValue:
        """A literal."""
        if node.value is None:
            return self.add(dyn.NoneOp(), node).result
        if not isinstance(node.value, bool | int | float | complex):
            hint = remedies.of_constant(node.value)
            raise self.unsupported(node, f"the constant {node.value!r} is not a number", hint=hint)
        return self.number(node.value, node)

    def number(self, value: bool | int | float | complex, node: ast.AST) -> SSAValue:
        """A Python number known now."""
        if isinstance(value, int) and value not in INT64:
            raise self.unsupported(node, f"the integer {value} does not fit 64 bits", category=Category.INTEGER)
        return self.add(dyn.ConstOp(value), node).result

    def variable(self, node: ast.Name, env: Env) -> SSAValue:
        """A local or captured variable."""
        if node.id in env and node.id not in self.maybe_unbound:
            return env[node.id]
        if node.id in env or node.id in self.locals:
            value = env[node.id] if node.id in env else self.add(dyn.UnboundOp(node.id), node).result
            return self.add(dyn.BoundOp(value), node).result
        binding = self.binding(node)
        if isinstance(binding, Capture):
            return self.captured(binding, node)
        if binding is None:
            raise self.unsupported(
                node,
                f"the name '{node.id}' has no value that can be compiled",
                hint=remedies.of_name(node.id) if self.has_no_value(node) else None,
                category=Category.NAME,
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
        self.facts.pop(id(node), None)
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
        right = self.value(operands[0], env)
        first = self.compare(operators[0], left, right, node)
        if len(operators) == 1:
            return first
        condition = self.add(dyn.TruthOp(first), node).result

        def rest(inner: Env) -> SSAValue:
            inner.update(self.assume(node, True, {}))
            return self.compare_chain(right, operators[1:], operands[1:], node, inner)

        return self.choose(condition, first, rest, operands[1:], node, env, otherwise=True)

    def compare(self, operator: ast.cmpop, left: SSAValue, right: SSAValue, node: ast.AST) -> SSAValue:
        """One comparison of values."""
        if isinstance(operator, ast.In | ast.NotIn):
            found = self.add(dyn.ContainsOp(left, right), node).result
            return found if isinstance(operator, ast.In) else self.add(dyn.UnaryOp("not", found), node).result
        return self.add(dyn.CompareOp(_COMPARE[type(operator)], left, right), node).result

    def choose(
        self,
        condition: SSAValue,
        value: SSAValue,
        emit: Callable[[Env], SSAValue],
        parts: Sequence[ast.expr],
        node: ast.AST,
        env: Env,
        *,
        otherwise: bool,
    ) -> SSAValue:
        """What `emit` makes of `parts` if the condition holds, else `value` (`otherwise=False`: the other way round).

        The parts may assign variables (`:=`): those keep their values where the parts are not evaluated.
        """
        names = sorted({name for part in parts for name in walrus_names(part)})
        with self.inside(Block()) as short:
            kept = [self.local(name, env, node) for name in names]
            self.add(scf.YieldOp(value, *kept, *(self.nothing(node) for _ in names)), node)
        with self.inside(Block()) as long:
            inner = dict(env)
            result = emit(inner)
            assigned = [self.local(name, inner, node) for name in [*names, *names]]
            self.add(scf.YieldOp(result, *assigned), parts[0])
        then, other = (long, short) if otherwise else (short, long)
        types = [value.type, *[dyn.OBJECT] * 2 * len(names)]
        chosen = self.add(scf.IfOp(condition, types, Region(then), Region(other)), node).results
        env.update(zip(names, chosen[1:], strict=False))
        facts = self.facts.setdefault(id(node), Facts(otherwise, {}))
        facts.values.update(zip(names, chosen[1 + len(names) :], strict=True))
        return chosen[0]

    def assume(self, test: ast.expr, holds: bool, env: Env) -> Env:
        """The variables where a test has come out so: those that it assigns have values there."""
        known = dict(env)
        if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) is holds:
            known = self.assume(test.values[0], holds, env)
        facts = self.facts.get(id(test))
        return {**known, **facts.values} if facts is not None and facts.when is holds else known

    def short_circuit(self, node: ast.BoolOp, env: Env) -> SSAValue:
        """`a and b`: a if a is false, else b. `a or b`: a if a is true, else b."""
        self.facts.pop(id(node), None)
        value = self.value(node.values[0], env)
        for operand in node.values[1:]:
            condition = self.add(dyn.TruthOp(value), node).result
            value = self.operand(node, condition, value, operand, self.value, env)
        return value

    def operand(
        self,
        node: ast.BoolOp,
        condition: SSAValue,
        value: SSAValue,
        operand: ast.expr,
        emit: Callable[[ast.expr, Env], SSAValue],
        env: Env,
    ) -> SSAValue:
        """`value and operand`, or `value or operand`: the condition is the truth of the value."""
        both = isinstance(node.op, ast.And)

        def rest(inner: Env) -> SSAValue:
            inner.update(self.assume(node, both, {}))
            return emit(operand, inner)

        return self.choose(condition, value, rest, [operand], node, env, otherwise=both)

    def conditional(self, node: ast.IfExp, env: Env) -> SSAValue:
        """`a if test else b`."""
        condition = self.test(node.test, env)
        return self.either(node, condition, self.value, dyn.OBJECT, env)

    def either(
        self,
        node: ast.IfExp,
        condition: SSAValue,
        emit: Callable[[ast.expr, Env], SSAValue],
        type_: Attribute,
        env: Env,
    ) -> SSAValue:
        """The two branches of a conditional expression, each emitted into its own block."""
        names = sorted({*walrus_names(node.body), *walrus_names(node.orelse)})
        regions: list[Region] = []
        for branch, holds in ((node.body, True), (node.orelse, False)):
            inner = self.assume(node.test, holds, env)
            with self.branch() as block:
                try:
                    value = emit(branch, inner)
                except UnsupportedError as error:
                    if type_ == i1:
                        raise
                    self.leave(error, branch)
                    value = self.nothing(branch)
                self.add(scf.YieldOp(value, *(self.local(name, inner, branch) for name in names)), branch)
            regions.append(Region(block))
        then, other = regions
        choice = self.add(scf.IfOp(condition, [type_, *[dyn.OBJECT] * len(names)], then, other), node)
        choice.attributes[dyn.BRANCH] = UnitAttr()
        env.update(zip(names, choice.results[1:], strict=True))
        return choice.results[0]

    def subscript(self, node: ast.Subscript, env: Env) -> SSAValue:
        """`container[index]` or `container[i, j]`; `a[i][j]` on an array is the same as `a[i, j]`."""
        container = self.value(node.value, env)
        if (field := field_name(node)) is not None:
            return self.add(dyn.FieldOp(container, field), node).result
        return self.add(dyn.GetItemOp(container, self.indices(node, env)), node).result

    def indices(self, node: ast.Subscript, env: Env) -> list[SSAValue]:
        """The indices of a subscript."""
        index_nodes = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if not index_nodes:
            raise self.unsupported(node, "an index that is an empty tuple is not compiled")
        return [self.index(index, env) for index in index_nodes]

    def index(self, node: ast.expr, env: Env) -> SSAValue:
        """An index, or `start:stop:step`."""
        if not isinstance(node, ast.Slice):
            return self.value(node, env)
        parts = [None if part is None else self.value(part, env) for part in (node.lower, node.upper, node.step)]
        return self.add(dyn.SliceOp(*parts), node).result

    def attribute(self, node: ast.Attribute, env: Env) -> SSAValue:
        """`module.constant`, `array.shape`, a part of a number, or a field of an object or record."""
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
        if node.attr in dyn.ARRAY_ATTRIBUTES:
            return self.add(dyn.GetAttrOp(self.value(node.value, env), node.attr), node).result
        if node.attr in dyn.NUMBER_ATTRIBUTES:
            return self.add(dyn.BuiltinOp(f"number.{node.attr}", [self.value(node.value, env)]), node).result
        return self.add(dyn.GetAttrOp(self.value(node.value, env), node.attr), node).result

    # ---------------------------------------------------------------------------------------------------------------
    # Calls
    # ---------------------------------------------------------------------------------------------------------------

    def call(self, node: ast.Call, env: Env) -> SSAValue:
        """A call."""
        del env
        raise self.unknown_call(node)

    def unknown_call(self, node: ast.Call) -> UnsupportedError:
        """Why a call of something that hetc does not know is not compiled: its name may have no value at all."""
        root = node.func
        while isinstance(root, ast.Attribute):
            root = root.value
        if isinstance(root, ast.Name) and self.has_no_value(root):
            reason, hint = f"the name '{root.id}' has no value", remedies.of_name(root.id)
            return self.unsupported(root, reason, hint=hint, category=Category.CALL)
        called, hint = ast.unparse(node.func), remedies.of_call(node.func)
        if called.endswith(".append") and isinstance(root, ast.Name) and root.id in self.locals:
            hint = "append while the list has one name, and is part of no other value"
        reason = f"the call of {called if called[0] in _QUOTES else repr(called)} is not compiled"
        return self.unsupported(node, reason, hint=hint, category=Category.CALL)

    def has_no_value(self, node: ast.Name) -> bool:
        """Whether a name is neither local nor captured, nor that of anything global: Python raises NameError."""
        function = self.resolved.function
        known = (self.locals, function.__code__.co_freevars, function.__globals__, vars(builtins))
        return not any(node.id in names for names in known)

    def default(self, value: object, node: ast.AST) -> SSAValue:
        """A parameter's default value."""
        if value is None:
            return self.add(dyn.NoneOp(), node).result
        if type(value) is tuple:
            items = [self.default(item, node) for item in cast("tuple[object, ...]", value)]
            return self.add(dyn.BuildTupleOp(items), node).result
        if type(value) not in (bool, int, float, complex):  # numpy.float64 is a float too, but another type
            raise self.unsupported(
                node,
                f"the default argument {value!r} is not a Python number",
                hint="pass it as an argument, or name it outside of the function",
                category=Category.ARGUMENTS,
            )
        assert isinstance(value, bool | int | float | complex)
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
        self.facts.pop(id(node), None)
        match node:
            case ast.BoolOp():
                value = self.test(node.values[0], env)
                for operand in node.values[1:]:
                    value = self.operand(node, value, value, operand, self.test, env)
                return value
            case Bind():
                self.assign(node.target, self.value(node.value, env), env)
                return self.flag(True, node)
            case ast.Compare() if len(node.ops) > 1:
                return self.test_chain(node, env)
            case ast.IfExp():
                condition = self.test(node.test, env)
                return self.either(node, condition, self.test, i1, env)
            case _:
                return self.add(dyn.TruthOp(self.value(node, env)), node).result

    def test_chain(self, node: ast.Compare, env: Env) -> SSAValue:
        """A comparison chain of which only the truth matters."""
        return self.add(dyn.TruthOp(self.comparison(node, env)), node).result


def hint_of(name: str) -> str:
    """The name that the IR shows for a variable. Those that hetc makes up have a dot, which no name of the user's has.

    >>> hint_of("total"), hint_of("best.2")
    ('total', 'best')
    """
    return ascii_name(name.partition(".")[0])


def field_name(node: ast.Subscript) -> str | None:
    """The name in `container["name"]`; None for another index."""
    index = node.slice
    return index.value if isinstance(index, ast.Constant) and isinstance(index.value, str) else None


def describe(node: ast.AST) -> str:
    """How a message names a construct.

    >>> describe(ast.parse("{1}", mode="eval").body)
    'a set'
    """
    return _CONSTRUCTS.get(type(node), f"this expression ({type(node).__name__})")

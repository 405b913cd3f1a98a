"""What a statement of a function's host code does to arrays: which it reads and writes, and what variables become.

A statement is seen where all its operators, calls and attributes are on values that `host_values` knows. Where one is
not, the statement is a barrier: it may read and write any array, and the arrays that it mentions may be held by anyone
from then on.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from types import ModuleType

from hetc.dataclass import dataclass
from hetc.frontends.loops.host_calls import (
    Arguments,
    Outcome,
    attribute_of_array,
    call_of,
    elementwise,
    is_maker,
    is_seen,
    method_of_array,
    roots_of,
)
from hetc.frontends.loops.host_skeletons import Site, given_by, jit_call, made_by, skeleton_call
from hetc.frontends.loops.host_values import (
    CALLED,
    FOREIGN,
    NUMBER,
    OTHER,
    PLAIN,
    SIMPLE,
    TEXT,
    UNKNOWN,
    Kind,
    Value,
    array,
    attribute_of_module,
    is_number_type,
    value_of,
)
from hetc.frontends.python.scopes import assigned_names, loaded_names

Lookup = Callable[[str], Value]
"""What is known of the value of a name; an array that a variable is bound to goes by the variable's name."""


Given = Callable[[object, Arguments], Value | None]
"""What a function with parallel loops gives for some arguments; None if that is not known."""


def _nothing_known(function: object, values: Arguments) -> Value | None:
    del function, values
    return None


@dataclass
class Effects:
    """What some code does. `barrier` says what is not seen, `bound` what variables are bound to, in order."""

    reads: set[str] = field(default_factory=set[str])
    writes: set[str] = field(default_factory=set[str])
    shared: set[str] = field(default_factory=set[str])
    """Variables whose arrays anyone may hold from then on."""
    bound: list[tuple[str, Value]] = field(default_factory=list[tuple[str, Value]])
    sites: list[Site] = field(default_factory=list[Site])
    """The calls whose arrays may stay on the device, in the order in which they are made."""
    barrier: str | None = None


class EffectsOf:
    """Collects the effects of expressions and simple statements, given what is known of variables."""

    def __init__(self, lookup: Lookup, given: Given = _nothing_known) -> None:
        self.lookup = lookup
        self.given = given
        self.found = Effects()

    def hide(self, what: str, *values: Value) -> Value:
        """Something is not seen, which is given some values. It may give back what it is given."""
        if any(value.kind is Kind.UNKNOWN for value in values):  # it will be found out
            return UNKNOWN
        self.found.barrier = self.found.barrier or what
        roots = roots_of(values)
        self.found.reads |= roots
        self.found.writes |= roots
        self.found.shared |= roots
        return Value(Kind.OTHER, roots=roots)

    def apply(self, outcome: Outcome | None, what: str, *values: Value) -> Value:
        """Do what is known of an operator or call, or hide what it does."""
        if outcome is None:
            return self.hide(what, *values)
        self.found.reads |= outcome.reads
        self.found.writes |= outcome.writes
        return outcome.value

    # --- expressions -------------------------------------------------------------------------------------------------

    def value(self, node: ast.expr) -> Value:
        """What an expression gives."""
        match node:
            case ast.Constant(value=constant):
                return value_of(constant)
            case ast.Name(id=name):
                return self.lookup(name)
            case ast.BinOp() | ast.UnaryOp() | ast.Compare():
                return self.operator(node)
            case ast.BoolOp(values=parts):
                return self.choice([self.value(part) for part in parts])
            case ast.IfExp():
                self.truth(node.test)
                return self.value(node.body).joined(self.value(node.orelse))
            case ast.Attribute():
                return self.attribute(self.value(node.value), node.attr)
            case ast.Subscript():
                return self.subscript(self.value(node.value), node.slice)
            case ast.Call():
                return self.call(node)
            case ast.Tuple(elts=parts) if all(not isinstance(part, ast.Starred) for part in parts):
                return self.tuple([self.value(part) for part in parts])
            case ast.Slice():
                values = [self.value(part) for part in (node.lower, node.upper, node.step) if part is not None]
                return PLAIN if all(value.kind in SIMPLE for value in values) else self.hide("slices", *values)
            case ast.Lambda() if not _evaluated(node.args):
                return FOREIGN
            case ast.JoinedStr(values=parts):
                values = [self.value(part.value) for part in parts if isinstance(part, ast.FormattedValue)]
                return TEXT if all(value.kind in SIMPLE for value in values) else self.hide("formats", *values)
            case _:
                return self.unseen(node)

    def unseen(self, node: ast.AST) -> Value:
        """An expression or statement that is not looked into."""
        names = sorted(loaded_names(node))
        self.found.bound += [(name, OTHER) for name in sorted(assigned_names(node))]
        return self.hide(f"does what is not seen ({type(node).__name__})", *map(self.lookup, names))

    def operator(self, node: ast.BinOp | ast.UnaryOp | ast.Compare) -> Value:
        """An operator: elementwise on arrays."""
        match node:
            case ast.BinOp():
                values = [self.value(node.left), self.value(node.right)]
            case ast.UnaryOp():
                values = [self.value(node.operand)]
            case ast.Compare():
                values = [self.value(part) for part in (node.left, *node.comparators)]
                if all(isinstance(operator, ast.Is | ast.IsNot) for operator in node.ops):
                    return PLAIN
        if any(value.kind is Kind.UNKNOWN for value in values):
            return UNKNOWN
        found = self.apply(elementwise(values), "uses an operator of a type that is not known", *values)
        truth = isinstance(node, ast.Compare) or (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not))
        return PLAIN if truth and found.kind in SIMPLE else found

    def choice(self, values: Sequence[Value]) -> Value:
        """`a and b`: one of the values, of which the truth is asked."""
        found = UNKNOWN
        for value in values:
            found = found.joined(value)
        if any(value.kind is Kind.UNKNOWN for value in values):
            return UNKNOWN
        if not is_seen(values):
            return self.hide("asks for the truth of a value of a type that is not known", *values)
        self.found.reads |= roots_of(values)
        return found

    def truth(self, node: ast.expr) -> None:
        """A condition."""
        self.choice([self.value(node)])

    def tuple(self, values: Sequence[Value]) -> Value:
        """A tuple: known if it is one of numbers."""
        if any(value.kind is Kind.UNKNOWN for value in values):
            return UNKNOWN
        if values and all(value.kind is Kind.NUMBER for value in values):
            return Value(Kind.INTS, len(values))
        if all(value.kind in SIMPLE and value.kind is not Kind.TEXT for value in values):
            return PLAIN
        self.found.shared |= roots_of(values)
        return Value(Kind.FOREIGN, roots=roots_of(values))

    def attribute(self, owner: Value, name: str) -> Value:
        """An attribute that is read."""
        if owner.kind is Kind.UNKNOWN:
            return UNKNOWN
        if owner.kind is Kind.FUNCTION and isinstance(owner.function, ModuleType):
            return attribute_of_module(owner.function, name)
        outcome = attribute_of_array(owner, name) if owner.kind is Kind.ARRAY else None
        return self.apply(outcome, f"reads the attribute '{name}'", owner)

    def subscript(self, owner: Value, index: ast.expr) -> Value:
        """An item, a view, or a selection; of a view alone nothing is read."""
        parts = index.elts if isinstance(index, ast.Tuple) else [index]
        indices = [self.value(part) for part in parts]
        if Kind.UNKNOWN in (owner.kind, *(value.kind for value in indices)):
            return UNKNOWN
        if owner.kind in SIMPLE and all(value.kind in SIMPLE for value in indices):
            return (
                NUMBER
                if owner.kind is Kind.INTS and indices[0].kind is Kind.NUMBER
                else (TEXT if owner.kind is Kind.TEXT else PLAIN)
            )
        if owner.kind is not Kind.ARRAY or not is_seen(indices):
            return self.hide("reads an item of a value of a type that is not known", owner, *indices)
        self.found.reads |= roots_of(indices)
        if all(isinstance(part, ast.Slice) for part in parts):
            return array(owner.rank, owner.roots)
        self.found.reads |= owner.roots
        if owner.rank == len(parts) and all(value.kind is Kind.NUMBER for value in indices):
            return NUMBER
        return array(None, owner.roots)

    def call(self, node: ast.Call) -> Value:
        """A call of a known function, of a method of an array, or of anything else."""
        values = [self.argument(part) for part in node.args]
        options = {word.arg or "**": self.argument(word.value) for word in node.keywords}
        every = (*values, *options.values())
        method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        owner = self.value(node.func.value) if isinstance(node.func, ast.Attribute) else PLAIN
        if Kind.UNKNOWN in (owner.kind, *(value.kind for value in every)):
            return UNKNOWN
        if any(isinstance(part, ast.Starred) for part in node.args):
            return self.hide("passes arguments that are not seen", owner, *every)
        if owner.kind is Kind.ARRAY:
            return self.apply(method_of_array(owner, method, values, options), f"calls '{method}'", owner, *every)
        if owner.kind in (Kind.SKELETON, Kind.REDUCTION):
            made = made_by(method, owner.kind, every)
            return self.keep(self.apply(made, f"calls '{method}'", owner, *every), owner, *every)
        if isinstance(node.func, ast.Attribute) and owner.kind is not Kind.FUNCTION:
            return self.hide(f"calls '{method}'", owner, *every)
        function = self.attribute(owner, method) if method else self.value(node.func)
        if function.kind is Kind.UNKNOWN:
            return UNKNOWN
        if function.kind in CALLED:
            return self.call_of_code(node, function, values, options)
        if function.kind is Kind.FUNCTION and is_maker(function.function):
            made = made_by(getattr(function.function, "__name__", ""), None, every)
            return self.keep(self.apply(made, f"calls '{ast.unparse(node.func)}'", *every), *every)
        outcome = call_of(function.function, values, options) if function.kind is Kind.FUNCTION else None
        return self.apply(outcome, f"calls '{ast.unparse(node.func)}'", function, *every)

    def keep(self, value: Value, *values: Value) -> Value:
        """A value that keeps others: anyone may hold their arrays."""
        self.found.shared |= roots_of(values)
        return value

    def call_of_code(self, node: ast.Call, function: Value, values: Arguments, options: Mapping[str, Value]) -> Value:
        """A call of an array function, or of a function with parallel loops."""
        site, result = None, None
        if not options and function.kind is not Kind.JIT:
            site = skeleton_call(node, function, values, self.found.sites)
            result = None if site is None else given_by(site)
        elif not options:
            result = self.given(function.function, values)
            site = jit_call(node, values, result)
        if site is None or result is None:
            return self.hide(f"calls '{ast.unparse(node.func)}'", function, *values, *options.values())
        passed = [value for name, value in zip(site.arguments, values, strict=True) if not name]
        self.found.reads |= roots_of(passed) | function.roots
        self.found.sites.append(site)
        if result.kind is Kind.ARRAY and site.hands:
            return replace(result, roots=roots_of(values))
        return result

    def argument(self, node: ast.expr) -> Value:
        """An argument of a call: the type of numbers is one like any other value."""
        if isinstance(node, ast.Starred):
            return self.value(node.value)
        value = self.value(node)
        return PLAIN if value.kind is Kind.FUNCTION and is_number_type(value.function) else value

    # --- statements --------------------------------------------------------------------------------------------------

    def statement(self, node: ast.stmt) -> None:
        """A statement that has no statements in it."""
        match node:
            case ast.Expr(value=value):
                self.value(value)
            case ast.Assign(targets=targets, value=value):
                self.assign(targets, value)
            case ast.AnnAssign(target=ast.Name() as target, value=value):
                if value is not None:
                    self.assign([target], value)
            case ast.AugAssign():
                self.augment(node)
            case ast.Assert(test=test, msg=None):
                self.truth(test)
            case ast.Delete(targets=targets) if all(isinstance(target, ast.Name) for target in targets):
                pass
            case ast.Pass() | ast.Break() | ast.Continue() | ast.Global() | ast.Nonlocal():
                pass
            case ast.FunctionDef(decorator_list=[], returns=None) if not _evaluated(node.args):
                self.found.bound.append((node.name, FOREIGN))
            case _:
                self.unseen(node)

    def assign(self, targets: Sequence[ast.expr], source: ast.expr) -> None:
        """An assignment; with several targets, or parts, what one binds must not be what another stores to."""
        pairs: list[tuple[ast.expr, Value]] = []
        for target in targets:
            match target, source:
                case ast.Tuple(elts=names), ast.Tuple(elts=parts) if len(names) == len(parts) and not any(
                    isinstance(part, ast.Starred) for part in (*names, *parts)
                ):
                    pairs += zip(names, map(self.value, parts), strict=True)
                case ast.Tuple(elts=names) | ast.List(elts=names), _:
                    pairs += [(name, self.part(self.value(source))) for name in names]
                case _:
                    pairs.append((target, self.value(source)))
        bound = {target.id for target, _ in pairs if isinstance(target, ast.Name)}
        stores = [target for target, _ in pairs if not isinstance(target, ast.Name)]
        if any(isinstance(n, ast.Name) and n.id in bound for target in stores for n in ast.walk(target)):
            self.hide("binds a variable and stores to it", *(value for _, value in pairs))
        for target, value in pairs:
            self.store(target, value)

    def part(self, value: Value) -> Value:
        """What one of several targets gets of a value."""
        if value.kind is Kind.INTS:
            return NUMBER
        if value.kind in (Kind.PLAIN, Kind.UNKNOWN):
            return value
        return self.hide("takes a value apart", value)

    def store(self, target: ast.expr, value: Value) -> None:
        """A value is bound to a variable, or stored to elements."""
        match target:
            case ast.Name(id=name):
                self.found.bound.append((name, value))
            case ast.Subscript(value=owner, slice=index):
                into = self.value(owner)
                parts = index.elts if isinstance(index, ast.Tuple) else [index]
                values = [value, *(self.value(part) for part in parts)]
                if Kind.UNKNOWN in (into.kind, *(v.kind for v in values)):
                    return
                if into.kind is Kind.ARRAY and is_seen(values):
                    self.found.reads |= roots_of(values)
                    self.found.writes |= into.roots
                else:
                    self.hide("stores to a value of a type that is not known", into, *values)
            case _:
                self.hide("stores to an attribute", value)
                self.unseen(target)

    def augment(self, node: ast.AugAssign) -> None:
        """`x += y`: in place for arrays."""
        if not isinstance(node.target, ast.Name):
            self.value(node.target)
            self.store(node.target, self.value(node.value))
            return
        before, value = self.lookup(node.target.id), self.value(node.value)
        if Kind.UNKNOWN in (before.kind, value.kind):
            return
        found = self.apply(elementwise([before, value]), "uses an operator of a type that is not known", before, value)
        if before.kind is Kind.ARRAY and found.kind is Kind.ARRAY:
            self.found.writes |= before.roots
        else:
            self.found.bound.append((node.target.id, found))


def _evaluated(arguments: ast.arguments) -> list[ast.expr]:
    """The expressions that the definition of a function evaluates, for its parameters."""
    parameters = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    annotations = [parameter.annotation for parameter in parameters if parameter is not None]
    return [node for node in (*arguments.defaults, *arguments.kw_defaults, *annotations) if node is not None]


def effects_of(nodes: Sequence[ast.stmt], lookup: Lookup, given: Given = _nothing_known) -> Effects:
    """What statements do that are run in some order, any number of times, with all that is in them."""
    found = EffectsOf(lookup, given)
    for node in nodes:
        _collect(node, found)
    return found.found


def _collect(node: ast.stmt, found: EffectsOf) -> None:
    match node:
        case ast.If() | ast.While():
            found.truth(node.test)
            inner = [*node.body, *node.orelse]
        case ast.For():
            bind_targets(node, found)
            inner = [*node.body, *node.orelse]
        case ast.Try():
            found.found.bound += [(handler.name, FOREIGN) for handler in node.handlers if handler.name is not None]
            handled = [statement for handler in node.handlers for statement in handler.body]
            inner = [*node.body, *handled, *node.orelse, *node.finalbody]
        case _:
            found.statement(node)
            inner = []
    for statement in inner:
        _collect(statement, found)


def bind_targets(node: ast.For, found: EffectsOf) -> Value:
    """Bind the variables of a loop to what its iterable gives; returns what is known of the iterable."""
    iterable = found.value(node.iter)
    item = item_of(iterable)
    if iterable.kind is Kind.ARRAY:
        found.found.reads |= iterable.roots
    elif iterable.kind not in SIMPLE:
        found.hide("loops over a value of a type that is not known", iterable)
    parts = node.target.elts if isinstance(node.target, ast.Tuple | ast.List) else [node.target]
    for part in parts:
        found.store(part, NUMBER if item.kind is Kind.INTS and part is not node.target else item)
    return iterable


def item_of(iterable: Value) -> Value:
    """What a loop over a value gives, without a look at what comes of asking for it."""
    match iterable.kind:
        case Kind.ARRAY:
            return NUMBER if iterable.rank == 1 else array(None, iterable.roots)
        case Kind.UNKNOWN:
            return UNKNOWN
        case Kind.INTS:
            return NUMBER
        case Kind.POINTS:
            return Value(Kind.INTS, iterable.rank)
        case kind if kind in SIMPLE:
            return PLAIN
        case _:
            return Value(Kind.OTHER, roots=iterable.roots)

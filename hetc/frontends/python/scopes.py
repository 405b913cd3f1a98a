"""Which names a piece of syntax reads and assigns in its own scope.

Nested functions, lambdas and comprehensions are scopes of their own: what they assign stays inside, except for
assignment expressions in comprehensions (PEP 572), and what they read from outside counts as read here.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

Names = frozenset[str]
Closures = Mapping[str, Names]
"""The variables that each nested function reads when it is called."""

NONE: Names = frozenset()
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def assigned_names(node: ast.AST | Sequence[ast.stmt]) -> Names:
    """The local names that a statement, or a list of statements, may assign or delete."""
    return _scope_of(node).names(assigned=True)


def updated_names(node: ast.AST | Sequence[ast.stmt]) -> Names:
    """The variables whose items or attributes a statement, or a list of statements, may store, or append to."""
    stored = frozenset(
        inner.value.id
        for inner in scope_nodes(node)
        if isinstance(inner, ast.Subscript | ast.Attribute)
        and isinstance(inner.ctx, ast.Store)
        and isinstance(inner.value, ast.Name)
    )
    return stored | {name.id for inner in scope_nodes(node) if (name := appended_list(inner)) is not None}


def appended_list(node: ast.AST) -> ast.Name | None:
    """The variable of the list that a statement appends an item to."""
    match node:
        case ast.Expr(
            value=ast.Call(func=ast.Attribute(value=ast.Name() as name, attr="append"), args=[item], keywords=[])
        ):
            return None if isinstance(item, ast.Starred) else name
        case _:
            return None


def loaded_names(node: ast.AST | Sequence[ast.stmt], closures: Closures | None = None) -> Names:
    """The names of this scope that a piece of syntax may read, also through the nested functions that it names."""
    found = set(_scope_of(node).names(assigned=False))
    work = list(found)
    while closures and work:
        new = closures.get(work.pop(), NONE) - found
        found |= new
        work += new
    return frozenset(found)


def free_names(function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> Names:
    """The names that a function reads and does not bind itself."""
    scope = _Scope()
    scope.visit_all(function.body if isinstance(function.body, list) else [function.body])
    own = (scope.assigned - scope.outer) | set(parameters_of(function.args))
    return frozenset(scope.loaded - own)


def closures_of(body: Sequence[ast.stmt]) -> dict[str, Names]:
    """What each nested function of a function reads, by the name that it is bound to."""
    found: dict[str, Names] = {}
    for node in scope_nodes(body):
        for name, function in bound_functions(node):
            found[name] = found.get(name, NONE) | free_names(function)
    return found


def bound_functions(node: ast.AST) -> list[tuple[str, ast.FunctionDef | ast.Lambda]]:
    """The functions that a statement binds to names: `def g` and `g = lambda`."""
    match node:
        case ast.FunctionDef():
            return [(node.name, node)]
        case ast.Assign(targets=targets, value=ast.Lambda() as function):
            return [(target.id, function) for target in targets if isinstance(target, ast.Name)]
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.Lambda() as function):
            return [(name, function)]
        case _:
            return []


def parameters_of(arguments: ast.arguments) -> list[str]:
    """The names of all parameters."""
    plain = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    starred = [argument for argument in (arguments.vararg, arguments.kwarg) if argument is not None]
    return [argument.arg for argument in [*plain, *starred]]


def ordered_parameters(arguments: ast.arguments) -> list[str]:
    """The names of the parameters in the order of a signature, without `**kwargs`."""
    variadic = [] if arguments.vararg is None else [arguments.vararg]
    found = [*arguments.posonlyargs, *arguments.args, *variadic, *arguments.kwonlyargs]
    return [argument.arg for argument in found]


def binding_counts(arguments: ast.arguments, body: Sequence[ast.stmt]) -> Counter[str]:
    """How many pieces of a function's syntax give each name a value."""
    counts = Counter(parameters_of(arguments))
    for node in scope_nodes(body):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            counts[node.id] += 1
        elif isinstance(node, ast.FunctionDef):
            counts[node.name] += 1
        elif isinstance(node, COMPREHENSIONS):
            counts.update(assigned_names(node))
    return counts


def scope_nodes(root: ast.AST | Sequence[ast.stmt]) -> Iterator[ast.AST]:
    """All nodes of a scope, without the bodies of the scopes nested in it."""
    work: list[ast.AST] = list(root) if isinstance(root, Sequence) else [root]
    while work:
        node = work.pop()
        yield node
        if not isinstance(node, (*FUNCTIONS, *COMPREHENSIONS, ast.ClassDef)):
            work.extend(ast.iter_child_nodes(node))


def walrus_names(node: ast.AST) -> list[str]:
    """The names that assignment expressions in an expression may assign, sorted."""
    return sorted(assigned_names(node))


def _scope_of(node: ast.AST | Sequence[ast.stmt]) -> _Scope:
    scope = _Scope()
    scope.visit_all(node if isinstance(node, Sequence) else [node])
    return scope


class _Scope:
    """Collects the names of one scope."""

    def __init__(self) -> None:
        self.loaded: set[str] = set()
        self.assigned: set[str] = set()
        self.outer: set[str] = set()
        """Names that `nonlocal` and `global` statements declare."""

    def names(self, *, assigned: bool) -> Names:
        return frozenset(self.assigned if assigned else self.loaded)

    def visit_all(self, nodes: Sequence[ast.AST]) -> None:
        for node in nodes:
            self.visit(node)

    def visit(self, node: ast.AST) -> None:
        match node:
            case ast.Name(id=name, ctx=ast.Load()):
                self.loaded.add(name)
            case ast.Name(id=name):
                self.assigned.add(name)
            case ast.Nonlocal(names=names) | ast.Global(names=names):
                self.outer.update(names)
            case ast.AnnAssign():  # annotations of local variables are not evaluated
                self.visit_all([node.target] if node.value is None else [node.value, node.target])
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
                if not isinstance(node, ast.Lambda):
                    self.assigned.add(node.name)
                    self.visit_all(node.decorator_list)
                self.visit_all([*node.args.defaults, *(d for d in node.args.kw_defaults if d is not None)])
                self.loaded |= free_names(node)
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                self._comprehension(node)
            case _:
                self.visit_all(list(ast.iter_child_nodes(node)))

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp) -> None:
        first = node.generators[0]
        self.visit(first.iter)
        inner = _Scope()
        for generator in node.generators:
            inner.visit_all([generator.target, *generator.ifs])
            if generator is not first:
                inner.visit(generator.iter)
        inner.visit_all([node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt])
        targets = comprehension_targets(node)
        self.loaded |= inner.loaded - targets
        self.assigned |= inner.assigned - targets


def comprehension_targets(node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp) -> Names:
    """The variables of a comprehension, which are local to it."""
    return frozenset(name for generator in node.generators for name in assigned_names(generator.target))

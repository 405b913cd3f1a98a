"""Calls: of known functions, of Python functions, of nested ones, and of functions that are values.

A nested function is compiled where it is called: its body is emitted there, and the variables that it reads are those
of that moment, as Python has it. A function is a value only as an argument of a Python function.
"""

from __future__ import annotations

import ast
import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

from xdsl.ir import Region, SSAValue

from hetc.dataclass import dataclass
from hetc.diagnostics import Category
from hetc.dialects import dyn
from hetc.frontends.python.calls import Argument, Default, bind_arguments, signature_from, signature_of
from hetc.frontends.python.closure import Known, ResolvedFunction
from hetc.frontends.python.expressions import Env, ExpressionEmitter
from hetc.frontends.python.keywords import SIGNATURES, given
from hetc.frontends.python.known import numpy_type
from hetc.frontends.python.scopes import Names, free_names

Function = ast.FunctionDef | ast.Lambda


@dataclass(frozen=True)
class Nested:
    """A nested function: its syntax, the mark that it is defined, its default values, and what it reads, through others
    too, from the function that defines it (which stands `depth` scopes deep).
    """

    name: str
    node: Function
    mark: SSAValue | None
    defaults: dict[str, object]
    free: Names
    depth: int


class CallEmitter(ExpressionEmitter, ABC):
    """Emits calls."""

    nested: dict[str, Nested]
    scopes: tuple[Names, ...]
    """The local variables of the functions around this point, outermost first: of more than one where a nested function
    is emitted in place of its call."""

    @abstractmethod
    def inline(
        self, function: Nested, arguments: Sequence[SSAValue], env: Env, node: ast.AST, exported: Sequence[str] = ()
    ) -> SSAValue:
        """The body of a nested function, in place of its call; it assigns the exported variables of this function."""

    def variable(self, node: ast.Name, env: Env) -> SSAValue:
        """A local or captured variable."""
        if node.id in self.nested:
            raise self.unsupported(
                node,
                f"the function '{node.id}' can be called or passed here, but is not a value",
                category=Category.NAME,
            )
        return super().variable(node, env)

    def call(self, node: ast.Call, env: Env) -> SSAValue:
        """A call of a known function, or of a Python function whose source is compiled too."""
        binding = self.binding(node.func)
        if isinstance(binding, Known):
            return self.known_call(binding.name, node, env)
        if isinstance(binding, ResolvedFunction):
            return self.resolved_call(binding, node, env)
        if isinstance(node.func, ast.Lambda):
            return self.nested_call(self.nested_function("<lambda>", node.func, None, env), node, env)
        if isinstance(node.func, ast.Name):
            if node.func.id in self.nested:
                return self.nested_call(self.nested[node.func.id], node, env)
            if node.func.id in self.locals:
                return self.value_call(node.func, node, env)
        if isinstance(node.func, ast.Attribute) and node.func.attr in (*dyn.NUMBER_METHODS, "astype", "view"):
            return self.method_call(node, node.func, env)
        raise self.unknown_call(node)

    # ---------------------------------------------------------------------------------------------------------------
    # Known functions
    # ---------------------------------------------------------------------------------------------------------------

    def known_call(self, name: str, node: ast.Call, env: Env) -> SSAValue:
        """A call of a function that hetc knows by name."""
        if name in ("zip", "enumerate", "reversed", "iter"):
            raise self.unsupported(
                node, f"{name}() is compiled where something runs over it", hint="loop over it", category=Category.CALL
            )
        starred = any(isinstance(argument, ast.Starred) for argument in node.args)
        if name in SIGNATURES and not starred and (node.keywords or any(map(_is_none, node.args))):
            return self.keyword_call(name, SIGNATURES[name], node, env)
        if node.keywords:
            raise self.unsupported(
                node, f"{name} is compiled with plain positional arguments only", category=Category.ARGUMENTS
            )
        if name == "isinstance" and len(node.args) == 2:
            classes = self.classes(node.args[1], env)
            return self.add(dyn.IsInstanceOp(self.value(node.args[0], env), classes), node).result
        if starred:
            function = self.add(dyn.KnownOp(name), node).result
            return self.add(dyn.SpreadOp(function, self.spread(node, env)), node).result
        evaluate = self.iterable if name in ("tuple", "list", "sorted") else self.value
        arguments = [evaluate(argument, env) for argument in node.args]
        return self.add(dyn.BuiltinOp(name, arguments), node).result

    def keyword_call(self, name: str, signature: inspect.Signature, node: ast.Call, env: Env) -> SSAValue:
        """A call of a known function with keywords, or with a None that says what its default says."""
        parameters = given(signature, bind_arguments(signature, name, node, self.unsupported))
        arguments = self.arguments(signature, name, node, env, self.value)[: len(parameters)]
        keywords = [parameter.name for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY]
        return self.add(dyn.BuiltinOp(name, arguments, keywords), node).result

    def method_call(self, node: ast.Call, method: ast.Attribute, env: Env) -> SSAValue:
        """A call of a method of numbers."""
        name = method.attr
        if name in ("astype", "view") and len(node.args) == 1 and not node.keywords:
            name = f"{name}.{self.dtype(node.args[0])}"
        elif node.args or node.keywords:
            raise self.unsupported(node, f"{name}() with such arguments is not compiled", category=Category.ARGUMENTS)
        return self.add(dyn.BuiltinOp(f"number.{name}", [self.value(method.value, env)]), node).result

    def dtype(self, node: ast.expr) -> str:
        """The NumPy type that an expression names: `np.float32`, `float` or `"float32"`."""
        name = node.value if isinstance(node, ast.Constant) else (self.known(node) or "").removeprefix("np.")
        found = numpy_type(name) if isinstance(name, str) else None
        if found is None:
            raise self.unsupported(node, f"'{ast.unparse(node)}' is no known type of NumPy")
        return found

    def spread(self, node: ast.Call, env: Env) -> SSAValue:
        """All positional arguments of a call, as something that can be unpacked."""
        match node.args:
            case [ast.Starred(value=ast.Name() | ast.Subscript() | ast.Attribute() as whole)]:
                return self.value(whole, env)
            case _:
                pass
        return self.display(ast.copy_location(ast.Tuple(node.args, ast.Load()), node), env)

    # ---------------------------------------------------------------------------------------------------------------
    # Python functions
    # ---------------------------------------------------------------------------------------------------------------

    def resolved_call(self, function: ResolvedFunction, node: ast.Call, env: Env) -> SSAValue:
        """A call of a function of the module."""
        name, signature = function.function.__name__, signature_of(function.function)
        arguments = self.arguments(signature, name, node, env, self.argument)
        return self.add(dyn.CallOp(function.symbol, arguments), node).result

    def value_call(self, function: ast.expr, node: ast.Call, env: Env) -> SSAValue:
        """A call of a function that is the value of a variable."""
        callee = self.value(function, env)
        if node.keywords:
            raise self.unsupported(
                node, "a function that is a value is called with positional arguments only", category=Category.ARGUMENTS
            )
        if any(isinstance(argument, ast.Starred) for argument in node.args):
            return self.add(dyn.SpreadOp(callee, self.spread(node, env)), node).result
        arguments = [self.argument(argument, env) for argument in node.args]
        return self.add(dyn.CallValueOp(callee, arguments), node).result

    def arguments(
        self,
        signature: inspect.Signature,
        name: str,
        node: ast.Call,
        env: Env,
        emit: Callable[[ast.expr, Env], SSAValue],
    ) -> list[SSAValue]:
        """The arguments of a call, evaluated left to right, in the order of the parameters."""
        if any(isinstance(argument, ast.Starred) for argument in node.args):
            return self.spread_arguments(signature, name, node, env)
        bound = bind_arguments(signature, name, node, self.unsupported)
        written = [*node.args, *(keyword.value for keyword in node.keywords)]
        values = {id(argument): emit(argument, env) for argument in written}

        def of(argument: Argument) -> SSAValue:
            match argument:
                case tuple():
                    return self.add(dyn.BuildTupleOp([values[id(item)] for item in argument]), node).result
                case Default(value=value):
                    return value if isinstance(value, SSAValue) else self.default(value, node)
                case _:
                    return values[id(argument)]

        return [of(argument) for argument in bound.values()]

    def spread_arguments(self, signature: inspect.Signature, name: str, node: ast.Call, env: Env) -> list[SSAValue]:
        """The arguments of `f(a, *b, k=c)`: as many as there are positional parameters, or Python raises TypeError."""
        parameters = list(signature.parameters.values())
        positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
        variadic = any(p.kind is p.VAR_POSITIONAL for p in parameters)
        only = inspect.Signature([p for p in parameters if p.kind is p.KEYWORD_ONLY])
        if any(p.default is not p.empty for p in positional):
            raise self.unsupported(
                node, f"{name}() has defaults, and is called with *, so its arguments vary", category=Category.ARGUMENTS
            )
        if any(p.kind is p.VAR_KEYWORD for p in parameters):
            raise self.unsupported(node, f"{name}() takes **, which is not compiled", category=Category.ARGUMENTS)
        whole = self.spread(node, env)
        count = len(positional) + variadic
        values = list(self.add(dyn.UnpackOp(whole, count, len(positional) if variadic else None), node).results)
        if variadic:
            values[-1] = self.add(dyn.BuiltinOp("tuple", [values[-1]]), node).result
        bare = ast.copy_location(ast.Call(node.func, [], node.keywords), node)
        return values + self.arguments(only, name, bare, env, self.argument)

    def argument(self, node: ast.expr, env: Env) -> SSAValue:
        """An argument of a Python function, which may be a function."""
        binding = self.binding(node)
        if isinstance(binding, Known):
            return self.add(dyn.KnownOp(binding.name), node).result
        if isinstance(binding, ResolvedFunction):
            parameters = signature_of(binding.function).parameters.values()
            if any(p.kind not in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in parameters):
                raise self.unsupported(
                    node, "a function that is a value takes plain parameters only", category=Category.ARGUMENTS
                )
            return self.add(dyn.FunctionOp(binding.symbol), node).result
        if isinstance(node, ast.Lambda):
            return self.lambda_value(self.nested_function("<lambda>", node, None, env), node, env)
        if isinstance(node, ast.Name) and node.id in self.nested:
            return self.lambda_value(self.nested[node.id], node, env)
        return self.value(node, env)

    # ---------------------------------------------------------------------------------------------------------------
    # Nested functions
    # ---------------------------------------------------------------------------------------------------------------

    def nested_function(self, name: str, node: Function, mark: SSAValue | None, env: Env) -> Nested:
        """A nested function as its definition makes it: the default values are evaluated here."""
        if isinstance(node, ast.FunctionDef) and node.decorator_list:
            raise self.unsupported(node, "a decorated nested function is not compiled", category=Category.ARGUMENTS)
        arguments = node.args
        plain = [*arguments.posonlyargs, *arguments.args]
        defaults: dict[str, object] = {}
        for parameter, default in zip(plain[len(plain) - len(arguments.defaults) :], arguments.defaults, strict=True):
            defaults[parameter.arg] = self.value(default, env)
        for parameter, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
            if default is not None:
                defaults[parameter.arg] = self.value(default, env)
        free, work = set(free_names(node)), list(free_names(node))
        while work:
            other = self.nested.get(work.pop())
            new = (other.free if other is not None else frozenset[str]()) - free
            free |= new
            work += new
        return Nested(name, node, mark, defaults, frozenset(free), len(self.scopes))

    def nested_call(self, function: Nested, node: ast.Call, env: Env) -> SSAValue:
        """A call of a nested function."""
        self.check_reachable(function, node, env)
        signature = signature_from(function.node.args, function.defaults)
        arguments = self.arguments(signature, function.name, node, env, self.value)
        return self.inline(function, arguments, env, node)

    def lambda_value(self, function: Nested, node: ast.AST, env: Env) -> SSAValue:
        """A nested function as a value, with the variables around it as they are now: for a call that starts now."""
        self.check_reachable(function, node, env)
        arguments = function.node.args
        if function.defaults or arguments.vararg or arguments.kwarg or arguments.kwonlyargs:
            raise self.unsupported(
                node, "a nested function that is a value takes plain parameters only", category=Category.ARGUMENTS
            )
        count = len([*arguments.posonlyargs, *arguments.args])
        with self.branch() as block:
            parameters = [block.insert_arg(dyn.OBJECT, k) for k in range(count)]
            result = self.inline(function, parameters, env, node)
            self.add(dyn.YieldOp([result]), node)
        return self.add(dyn.LambdaOp(Region(block)), node).result

    def check_reachable(self, function: Nested, node: ast.AST, env: Env) -> None:
        """The function must be defined on every path that comes here, and its variables must not be shadowed here."""
        if function.mark is not None and env.get(function.name) is not function.mark:
            raise self.unsupported(
                node, f"the function '{function.name}' may not be defined here", category=Category.NAME
            )
        if any(scope & function.free for scope in self.scopes[function.depth :]):
            raise self.unsupported(
                node, f"'{function.name}' reads variables whose names mean something else here", category=Category.NAME
            )


def _is_none(node: ast.expr) -> bool:
    """Whether an expression is the literal None."""
    return isinstance(node, ast.Constant) and node.value is None

"""Comprehensions, and the functions that run over what they are given: sum, any, all, min, max.

Each is the call of a function that Python could have had instead, on the first iterable:

```text
[f(v) for v in t if c]        def list_(t):                 any(c for v in t)     def any_(t):
                                  result = []                                         for v in t:
                                  for v in t:                                             if c: return True
                                      if c: result.append(f(v))                       return False
                                  return result
```

So a comprehension has a scope of its own, and reads the variables around it, as Python says. What assignment
expressions in it assign are variables of the function around it: the call returns them too.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Sequence

from xdsl.ir import SSAValue

from hetc.diagnostics import Category
from hetc.dialects import dyn
from hetc.frontends.python.call_expressions import Nested
from hetc.frontends.python.desugar import Internal, Leave, Nothing, UnrolledFor, placed
from hetc.frontends.python.expressions import Env
from hetc.frontends.python.object_expressions import ObjectEmitter
from hetc.frontends.python.scopes import free_names, walrus_names

CONSUMERS = ("sum", "any", "all", "min", "max")
ITERABLE, RESULT, ITEM, FIRST, DEFAULT = "iterable.", "result.", "item.", "first.", "default."
LOST, NEXT = "lost.", "next."
COMPENSATED = (3, 12)
"""The Python from which on `sum` adds floats with an error term."""


class ComprehensionEmitter(ObjectEmitter):
    """Emits comprehensions."""

    def other(self, node: ast.expr, env: Env) -> SSAValue:
        """A list comprehension."""
        if isinstance(node, ast.ListComp):
            return self.comprehension(node, env)
        return super().other(node, env)

    def known_call(self, name: str, node: ast.Call, env: Env) -> SSAValue:
        """A call of a known function, which may run over a generator."""
        if name in ("tuple", "list") and len(node.args) == 1 and isinstance(node.args[0], ast.GeneratorExp):
            if node.keywords:
                raise self.unsupported(
                    node, f"{name}() is compiled with one argument only", category=Category.ARGUMENTS
                )
            return self.add(dyn.BuiltinOp(name, [self.comprehension(node.args[0], env)]), node).result
        literal = any(isinstance(argument, ast.Starred | ast.Tuple | ast.List) for argument in node.args)
        direct = name in ("min", "max") and not node.keywords and (literal or len(node.args) > 1)
        if name in CONSUMERS and node.args and not direct:
            return self.consume(name, node, env)
        return super().known_call(name, node, env)

    def comprehension(self, node: ast.ListComp | ast.GeneratorExp, env: Env) -> SSAValue:
        """The list that a comprehension makes."""
        append = ast.Attribute(ast.Name(RESULT, ast.Load()), "append", ast.Load())
        loops = self.loops(node.generators, [ast.Expr(ast.Call(append, [node.elt], []))], UnrolledFor)
        body = [assigned(RESULT, ast.List([], ast.Load())), *loops, returned(ast.Name(RESULT, ast.Load()))]
        return self.run_function("list", body, node.generators[0].iter, {}, node, env)

    def consume(self, name: str, node: ast.Call, env: Env) -> SSAValue:
        """`sum`, `any`, `all`, `min` or `max` of one iterable."""
        keywords = {keyword.arg: keyword.value for keyword in node.keywords}
        source = node.args[0]
        others: dict[str, ast.expr] = {}
        if name == "sum":
            start = node.args[1] if len(node.args) == 2 else keywords.pop("start", None)
            others = {RESULT: ast.Constant(0) if start is None else start}
        elif name in ("min", "max") and "default" in keywords:
            others = {DEFAULT: keywords.pop("default")}
        if keywords or len(node.args) > (2 if name == "sum" else 1):
            raise self.unsupported(node, f"{name}() is not compiled with these arguments", category=Category.ARGUMENTS)
        if isinstance(source, ast.GeneratorExp):
            generators, item = source.generators, source.elt
        else:
            generators = [ast.comprehension(placed(ast.Name(ITEM, ast.Store()), node), source, [], 0)]
            item = placed(ast.Name(ITEM, ast.Load()), node)
        before, inside, after = _CONSUMERS[name](item)
        if DEFAULT in others:
            after = [ast.If(ast.Name(FIRST, ast.Load()), [returned(ast.Name(DEFAULT, ast.Load()))], []), *after[1:]]
        body = [*before, *self.loops(generators, inside, ast.For), *after]
        return self.run_function(name, body, generators[0].iter, others, node, env)

    def loops(
        self, generators: Sequence[ast.comprehension], body: list[ast.stmt], kind: type[ast.For]
    ) -> list[ast.stmt]:
        """The loops of a comprehension; the first runs over the parameter."""
        for generator in reversed(generators):
            if generator.is_async:
                raise self.unsupported(generator.iter, "an async comprehension is not compiled")
            for test in reversed(generator.ifs):
                body = [placed(ast.If(test, body, []), test)]
            source = generator.iter
            if generator is generators[0]:
                source = placed(ast.Name(ITERABLE, ast.Load()), source)
            body = [placed(kind(generator.target, source, body, []), generator.target)]
        return body

    def run_function(
        self,
        name: str,
        body: Sequence[ast.stmt],
        iterable: ast.expr,
        others: dict[str, ast.expr],
        node: ast.expr,
        env: Env,
    ) -> SSAValue:
        """Call the function that stands for a comprehension."""
        arguments = [self.iterable(iterable, env), *(self.value(placed(o, node), env) for o in others.values())]
        parameters = [ast.arg(parameter) for parameter in (ITERABLE, *others)]
        function = placed(
            ast.FunctionDef(name, ast.arguments([], parameters, None, [], [], None, []), list(body), [], None, None),
            node,
        )
        nested = Nested(name, function, None, {}, free_names(function), len(self.scopes))
        return self.inline(nested, arguments, env, node, walrus_names(node))


def assigned(name: str, value: ast.expr) -> ast.stmt:
    """An assignment."""
    return ast.Assign([ast.Name(name, ast.Store())], value)


def returned(value: ast.expr) -> ast.stmt:
    """A return statement."""
    return ast.Return(value)


Parts = tuple[list[ast.stmt], list[ast.stmt], list[ast.stmt]]
"""What stands before the loops, inside, and after."""


def _any(item: ast.expr) -> Parts:
    return [], [ast.If(item, [returned(ast.Constant(True))], [])], [returned(ast.Constant(False))]


def _all(item: ast.expr) -> Parts:
    return [], [ast.If(item, [], [returned(ast.Constant(False))])], [returned(ast.Constant(True))]


def _sum(item: ast.expr) -> Parts:
    """Additions; since Python 3.12, those of floats with an error term."""
    total = ast.Name(RESULT, ast.Load())
    if sys.version_info < COMPENSATED:
        return [], [assigned(RESULT, ast.BinOp(total, ast.Add(), item))], [returned(total)]
    state: list[ast.expr] = [total, ast.Name(LOST, ast.Load()), ast.Name(ITEM, ast.Load())]
    step = [
        assigned(ITEM, item),
        assigned(NEXT, Internal("sum.add", [*state])),
        assigned(LOST, Internal("sum.lose", [*state])),
        assigned(RESULT, ast.Name(NEXT, ast.Load())),
    ]
    return [assigned(LOST, ast.Constant(0.0))], step, [returned(Internal("sum.end", state[:2]))]


def _extreme(operator: ast.cmpop, item: ast.expr) -> Parts:
    """The first of the items that no other is better than."""
    better = ast.Compare(ast.Name(ITEM, ast.Load()), [operator], [ast.Name(RESULT, ast.Load())])
    keep = [assigned(RESULT, ast.Name(ITEM, ast.Load()))]
    before = [assigned(FIRST, ast.Constant(True)), assigned(RESULT, Nothing())]
    inside = [
        assigned(ITEM, item),
        ast.If(ast.Name(FIRST, ast.Load()), keep, [ast.If(better, keep, [])]),
        assigned(FIRST, ast.Constant(False)),
    ]
    empty = Leave("the smallest or largest of no items: Python raises ValueError")
    return before, inside, [ast.If(ast.Name(FIRST, ast.Load()), [empty], []), returned(ast.Name(RESULT, ast.Load()))]


_CONSUMERS: dict[str, Callable[[ast.expr], Parts]] = {
    "any": _any,
    "all": _all,
    "sum": _sum,
    "min": lambda item: _extreme(ast.Lt(), item),
    "max": lambda item: _extreme(ast.Gt(), item),
}

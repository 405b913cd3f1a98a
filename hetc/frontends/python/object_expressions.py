"""Expressions with objects: attributes, methods, classes that are called, captured objects."""

from __future__ import annotations

import ast
import inspect
from abc import ABC
from collections.abc import Sequence
from types import FunctionType
from typing import cast

from xdsl.ir import SSAValue

from hetc.abi import RECORD
from hetc.diagnostics import Category
from hetc.dialects import dyn
from hetc.enumerations import kind_of
from hetc.errors import UnsupportedError
from hetc.frontends.python.call_expressions import CallEmitter, Function
from hetc.frontends.python.calls import signature_of
from hetc.frontends.python.closure import (
    BoundMethod,
    Capture,
    CapturedObject,
    CapturedRecords,
    ClassUse,
    Program,
    References,
)
from hetc.frontends.python.expressions import Env
from hetc.frontends.python.objects import Factory


class ObjectEmitter(CallEmitter, ABC):
    """Emits what is read of objects, and what makes them. Without classes in the program it adds nothing."""

    filled: str | None
    inlined: tuple[Function, ...]

    @property
    def program(self) -> Program | None:
        """What is known of classes, if there are any."""
        return self.resolved.program

    def variable(self, node: ast.Name, env: Env) -> SSAValue:
        """A local or captured variable; objects and classes among them."""
        binding = self.binding(node)
        match binding:
            case CapturedObject():
                return self.captured_object(binding, node)
            case CapturedRecords():
                return self.captured_records(binding, node)
            case ClassUse() if self.program is not None:
                return self.add(dyn.ClassOp(self.program.symbol(binding.cls)), node).result
            case _:
                return super().variable(node, env)

    def captured_object(self, found: CapturedObject, node: ast.AST) -> SSAValue:
        """A captured object, or list of objects, from its captured fields."""
        if found.refusal is not None or self.program is None:
            refusal = found.refusal or UnsupportedError("the object is not compiled")
            raise self.unsupported(node, refusal.reason, hint=refusal.hint, category=Category.CAPTURED)
        if found.references is not None:
            return self._references(found.references, node, each=found.each)
        if found.tags is not None:
            classes = [self.captured_object(part, node) for part in found.classes]
            return self.add(dyn.SeveralOp(self.captured(found.tags, node), classes, none=found.has_none), node).result
        cls = type(cast("list[object]", found.value)[0] if found.each else found.value)
        names: list[str] = []
        fields: list[SSAValue] = []
        for name, part in found.parts.items():
            if isinstance(part, Capture) and part.name in self.refused:
                self.program.refuse(cls, name, self.refused[part.name].reason)
                continue  # reading it is refused, where it is read
            assert isinstance(part, Capture | CapturedObject)
            names.append(name)
            captured = isinstance(part, Capture)
            fields.append(self.captured(part, node) if captured else self.captured_object(part, node))
        if found.each and not fields:
            raise self.unsupported(
                node, "nothing that is compiled is read from these objects", category=Category.CAPTURED
            )
        kind = "each" if found.each else "given"
        return self.add(dyn.NewOp(kind, self.program.symbol(cls), names, fields), node).result

    def _references(self, found: References, node: ast.AST, *, each: bool) -> SSAValue:
        """References into a table: a list of them, or the only one in it."""
        assert self.program is not None
        places, symbol = self.captured(found.places, node), self.program.symbol(found.cls)
        whole = found.whole and each
        listed = self.add(dyn.ReferOp(places, symbol, none=found.has_none, whole=whole), node).result
        return listed if each else self.add(dyn.GetItemOp(listed, [self.add(dyn.ConstOp(0), node).result]), node).result

    def compare_chain(
        self,
        left: SSAValue,
        operators: Sequence[ast.cmpop],
        operands: Sequence[ast.expr],
        node: ast.Compare,
        env: Env,
    ) -> SSAValue:
        """The rest of a comparison chain. Where something is `NotImplemented`, Python runs the program."""
        is_last = len(operators) == 1 and self.known(operands[0]) == "NotImplemented"
        if is_last and isinstance(operators[0], ast.Is | ast.IsNot):
            return self.add(dyn.ConstOp(isinstance(operators[0], ast.IsNot)), node).result
        return super().compare_chain(left, operators, operands, node, env)

    def captured_records(self, found: CapturedRecords, node: ast.AST) -> SSAValue:
        """A captured structured array, from those of its fields that are compiled."""
        fields: dict[str, SSAValue] = {}
        for name, part in found.parts.items():
            if isinstance(part, Capture) and part.name not in self.refused:
                fields[name] = self.captured(part, node)
            elif isinstance(part, CapturedRecords) and part.names - self.refused.keys():
                fields[name] = self.captured_records(part, node)
        if not fields:
            raise self.unsupported(node, "no field of this structured array is compiled", category=Category.CAPTURED)
        return self.add(dyn.NewOp("each", RECORD, list(fields), list(fields.values())), node).result

    def attribute(self, node: ast.Attribute, env: Env) -> SSAValue:
        """An attribute of an object, or of a module, an array or a number."""
        binding = self.binding(node)
        if isinstance(binding, CapturedObject | ClassUse) and self.program is not None:
            if isinstance(binding, CapturedObject):
                return self.captured_object(binding, node)
            return self.add(dyn.ClassOp(self.program.symbol(binding.cls)), node).result
        return super().attribute(node, env)

    def classes(self, node: ast.expr, env: Env) -> list[str]:
        """The names of the classes that the second argument of `isinstance` gives."""
        binding = self.binding(node) if isinstance(node, ast.Name | ast.Attribute) else None
        is_class = isinstance(binding, ClassUse) and (type(binding.cls) is type or kind_of(binding.cls) is not None)
        if isinstance(binding, ClassUse) and is_class and self.program is not None:
            return [f"@{self.program.symbol(binding.cls)}"]
        return super().classes(node, env)

    # ---------------------------------------------------------------------------------------------------------------
    # Calls
    # ---------------------------------------------------------------------------------------------------------------

    def call(self, node: ast.Call, env: Env) -> SSAValue:
        """A call of a class or a method; others as without objects."""
        program, binding = self.program, self.binding(node.func)
        if program is None:
            return super().call(node, env)
        match binding:
            case ClassUse(cls):
                symbol, signature = self._constructor(program, cls, node)
                arguments = self.arguments(signature, cls.__name__, node, env, self.value)
                return self.add(dyn.CallOp(symbol, arguments), node).result
            case BoundMethod(function, cls):
                signature = _without_first(signature_of(function.function))
                receiver = self.add(dyn.ClassOp(program.symbol(cls)), node).result
                arguments = self.arguments(signature, function.function.__name__, node, env, self.argument)
                return self.add(dyn.CallOp(function.symbol, [receiver, *arguments]), node).result
            case CapturedObject():
                return self.value_call(node.func, node, env)
            case None if self._is_type(node.func):
                return self.value_call(node.func, node, env)
            case None if isinstance(node.func, ast.Attribute) and self._is_method_of_type(node.func.value, node):
                own = ast.copy_location(ast.Attribute(node.args[0], node.func.attr, ast.Load()), node.func)
                return self.call(ast.copy_location(ast.Call(own, node.args[1:], node.keywords), node), env)
            case None if isinstance(node.func, ast.Attribute) and self._is_super(node.func.value):
                return self._super_call(program, node, node.func.attr, env)
            case None if isinstance(node.func, ast.Attribute):
                try:
                    found = program.method_signature(node.func.attr)
                except UnsupportedError as error:
                    raise self.unsupported(node, error.reason, category=Category.CALL) from None
                if found is not None:
                    receiver = self.value(node.func.value, env)
                    arguments = self.arguments(found, node.func.attr, node, env, self.argument)
                    return self.add(dyn.MethodOp(receiver, node.func.attr, arguments), node).result
            case _:
                pass
        return super().call(node, env)

    def _is_type(self, node: ast.expr) -> bool:
        """Whether an expression is `type(x)` or `x.__class__`."""
        match node:
            case ast.Call(func=function, args=[_], keywords=[]):
                return self.known(function) == "type"
            case ast.Attribute(attr="__class__"):
                return True
            case _:
                return False

    def _is_method_of_type(self, function: ast.expr, node: ast.Call) -> bool:
        """Whether a call is `type(x).method(x, ...)`, which is `x.method(...)` for objects that hide no method."""
        match function, node.args:
            case ast.Call(args=[ast.Name(id=name)]), [ast.Name(id=first), *_]:
                return name == first and self._is_type(function)
            case _:
                return False

    def _is_super(self, node: ast.expr) -> bool:
        """Whether an expression is `super()`, in a method and not in a function in it."""
        match node:
            case ast.Call(func=ast.Name(id="super") as name, args=[], keywords=[]):
                return self.binding(name) is None and not self.inlined
            case _:
                return False

    def _super_call(self, program: Program, node: ast.Call, name: str, env: Env) -> SSAValue:
        """`super().name(...)`: the method of a base class, of the object that the first parameter is."""
        function = self.resolved.function
        try:
            symbol, signature = program.super_method(function, name)
        except UnsupportedError as error:
            raise self.unsupported(node, error.reason, category=Category.CALL) from None
        one = ast.copy_location(ast.Name(function.__code__.co_varnames[0], ast.Load()), node)
        receiver = self.variable(one, env)
        return self.add(
            dyn.CallOp(symbol, [receiver, *self.arguments(signature, name, node, env, self.argument)]), node
        ).result

    def _constructor(self, program: Program, cls: type, node: ast.AST) -> tuple[str, inspect.Signature]:
        try:
            return program.constructor(cls)
        except UnsupportedError as error:
            raise self.unsupported(node, error.reason, hint=error.hint, category=Category.CALL) from None

    def default(self, value: object, node: ast.AST) -> SSAValue:
        """A parameter's default value: made by a function, a member of an enumeration, or without objects."""
        if self.program is not None and isinstance(value, Factory):
            return self._made_default(self.program, value.function, node)
        if self.program is not None and kind_of(type(value)) is not None:
            facts = next(facts for facts in self.program.known_classes() if facts.cls is type(value))
            fields = {name: getattr(value, name) for name in facts.fields}
            numbers = {name: part for name, part in fields.items() if type(part) in (bool, int, float)}
            parts = [self.number(part, node) for part in numbers.values()]
            return self.add(dyn.NewOp("given", facts.symbol, list(numbers), parts), node).result
        return super().default(value, node)

    def _made_default(self, program: Program, made: object, node: ast.AST) -> SSAValue:
        """What a function or class that is called without arguments gives."""
        try:
            if made is bool or made is int or made is float or made is complex:
                return self.number(made(), node)
            if isinstance(made, FunctionType):
                return self.add(dyn.CallOp(program.factory_symbol(made), []), node).result
            if isinstance(made, type) and program.is_made(made):
                symbol, signature = program.constructor(made)
                arguments = [self.default(p.default, node) for p in signature.parameters.values()]
                return self.add(dyn.CallOp(symbol, arguments), node).result
        except UnsupportedError as error:
            raise self.unsupported(node, error.reason, hint=error.hint, category=Category.CALL) from None
        raise self.unsupported(node, "what makes this default value is not compiled", category=Category.ARGUMENTS)

    def makes_object(self, node: ast.expr) -> bool:
        """Whether an expression calls a class of the program."""
        return isinstance(node, ast.Call) and isinstance(self.binding(node.func), ClassUse)

    # ---------------------------------------------------------------------------------------------------------------
    # __init__
    # ---------------------------------------------------------------------------------------------------------------

    def filled_object(self, env: Env, value: SSAValue | None, node: ast.AST) -> SSAValue:
        """What an `__init__` gives: the object."""
        if value is not None and not isinstance(value.owner, dyn.NoneOp):
            raise self.unsupported(node, "an __init__ that returns something raises TypeError")
        assert self.filled is not None
        return env[self.filled]

    def super_init(self, node: ast.Call, filled: SSAValue, env: Env) -> SSAValue:
        """`super().__init__(...)`: the object, with what the base class fills in."""
        found = None if self.program is None else self.program.initializer(self.resolved.function)
        if found is None:
            raise self.unsupported(node, "this super().__init__ is not compiled", category=Category.CALL)
        symbol, signature = found
        arguments = self.arguments(signature, "__init__", node, env, self.value)
        return self.add(dyn.CallOp(symbol, [filled, *arguments]), node).result


def is_super_init(node: ast.expr) -> bool:
    """Whether an expression is `super().__init__`."""
    match node:
        case ast.Attribute(value=ast.Call(func=ast.Name(id="super"), args=[]), attr="__init__"):
            return True
        case _:
            return False


def _without_first(signature: inspect.Signature) -> inspect.Signature:
    return signature.replace(parameters=list(signature.parameters.values())[1:])

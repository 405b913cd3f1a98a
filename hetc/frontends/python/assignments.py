"""Assignments: variables are SSA values, so a list or object that is changed is another value of its variable.

That is right for those with one name only (`hetc.frontends.python.ownership`). In a parallel loop, where `stores` is
set, items, fields and attributes of others are stored where they are.
"""

from __future__ import annotations

import ast
from abc import ABC
from collections.abc import Sequence

from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import Operation, SSAValue

from hetc.dialects import dyn
from hetc.frontends.python.comprehensions import ComprehensionEmitter
from hetc.frontends.python.expressions import Env, field_name, hint_of
from hetc.frontends.python.object_expressions import is_super_init
from hetc.frontends.python.scopes import NONE, Names, assigned_names, scope_nodes, updated_names


class AssignmentEmitter(ComprehensionEmitter, ABC):
    """Emits assignments. `owned` and `owned_objects` are the variables of lists and objects that have no other name."""

    owned: Names
    owned_objects: Names

    def augment(self, node: ast.AugAssign, env: Env) -> None:
        """`target += value`."""
        match node.target:
            case ast.Attribute(value=ast.Name(id=name)) if name in self.owned_objects:
                left = self.value(
                    ast.copy_location(ast.Attribute(node.target.value, node.target.attr), node.target), env
                )
                self.assign(node.target, self.in_place(left, node, env), env)
            case ast.Name(id=name):
                left = self.variable(ast.copy_location(ast.Name(name, ast.Load()), node.target), env)
                self.assign(node.target, self.in_place(left, node, env), env)
            case ast.Subscript(value=ast.Name(id=name)) if name in self.owned:
                index = self.value(node.target.slice, env)
                left = self.add(dyn.GetItemOp(self.owned_list(name, env, node), [index]), node.target).result
                value = self.in_place(left, node, env)
                container = self.owned_list(name, env, node)
                env[name] = self.add(dyn.SetItemOp(container, index, value), node.target).result
            case ast.Subscript() if self.stores and (field := field_name(node.target)) is not None:
                container = self.value(node.target.value, env)
                left = self.add(dyn.FieldOp(container, field), node.target).result
                self.add(dyn.StoreFieldOp(self.in_place(left, node, env), container, field), node.target)
            case ast.Subscript() if self.stores:
                container, indices = self.value(node.target.value, env), self.indices(node.target, env)
                left = self.add(dyn.GetItemOp(container, indices), node.target).result
                self.add(dyn.StoreItemOp(self.in_place(left, node, env), container, indices), node.target)
            case ast.Attribute(attr=name) if self.stores:
                container = self.value(node.target.value, env)
                left = self.add(dyn.GetAttrOp(container, name), node.target).result
                self.add(dyn.StoreAttrOp(self.in_place(left, node, env), container, name), node.target)
            case _:
                super().assign(node.target, self.nothing(node), env)

    def in_place(self, left: SSAValue, node: ast.AugAssign, env: Env) -> SSAValue:
        """The operator of an augmented assignment, which changes a list in place."""
        result = self.binary(node.op, left, self.value(node.value, env), node)
        assert isinstance(result.owner, Operation)
        result.owner.attributes[dyn.IN_PLACE] = UnitAttr()
        return result

    def assign(self, target: ast.expr, value: SSAValue, env: Env) -> None:
        """Bind a target; an item of a list that has one name only can be one."""
        match target:
            case ast.Subscript(value=ast.Name(id=name)) if name in self.owned:
                container = self.owned_list(name, env, target)
                index = self.value(target.slice, env)
                env[name] = self.add(dyn.SetItemOp(container, index, value), target).result
            case ast.Attribute(value=ast.Name(id=name)) if name in self.owned_objects:
                container = self.owned_list(name, env, target)
                env[name] = self.add(dyn.SetAttrOp(container, target.attr, value), target).result
            case _:
                super().assign(target, value, env)

    def owned_list(self, name: str, env: Env, node: ast.AST) -> SSAValue:
        """The list or object in a local variable."""
        return self.variable(ast.copy_location(ast.Name(name, ast.Load()), node), env)

    def use(self, value: SSAValue, node: ast.AST) -> None:
        """Nothing but that the value must be there."""
        self.add(dyn.BuildTupleOp([value]), node)

    def delete(self, target: ast.expr, env: Env) -> None:
        """`del name`: the variable has no value from here on."""
        if not isinstance(target, ast.Name) or target.id in self.nested or target.id not in env:
            raise self.unsupported(target, "only local variables that have a value can be deleted here")
        self.use(env.pop(target.id), target)

    def changed_names(self, statements: Sequence[ast.stmt]) -> Names:
        """The variables that get another value: a list with one name only, when an item of it is stored, is another.

        So is an object, when an attribute of it is stored.
        """
        calls = [node for node in scope_nodes(statements) if isinstance(node, ast.Call)]
        refilled = self.filled is not None and any(is_super_init(call.func) for call in calls)
        updated = updated_names(statements) & (self.owned | self.owned_objects)
        return assigned_names(statements) | updated | (frozenset({self.filled or ""}) if refilled else NONE)

    def bind(self, values: Sequence[SSAValue], names: Sequence[str], env: Env) -> None:
        """Bind variables to values, and let the values carry their names."""
        for name, value in zip(names, values, strict=False):
            value.name_hint = hint_of(name)
            env[name] = value

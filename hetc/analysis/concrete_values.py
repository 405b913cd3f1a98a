"""Ops of level 0 on objects and on functions that are values, run on Python: more of `hetc.analysis.concrete`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol, cast

from xdsl.ir import Block, Operation, SSAValue

from hetc.abi import class_tag
from hetc.analysis.concrete_objects import (
    ConcreteObject,
    NotRunError,
    Runs,
    builtin_class,
    is_instance,
    new_object,
)
from hetc.dialects import dyn


class Running(Runs, Protocol):
    """A run, as far as the handlers know it."""

    values: dict[SSAValue, Any]

    def get(self, value: SSAValue) -> Any: ...

    def all(self, values: Sequence[SSAValue]) -> list[Any]: ...

    def block(self, block: Block, arguments: Sequence[object]) -> list[Any]: ...


Handler = Callable[[Any, Any], None]


def _new(run: Running, op: dyn.NewOp) -> None:
    fields = {name.data: run.get(value) for name, value in zip(op.names, op.fields, strict=True)}
    run.values[op.result] = new_object(run, op.kind.data, op.cls.root_reference.data, fields)


def _getattr(run: Running, op: dyn.GetAttrOp) -> None:
    container, name = run.get(op.container), op.attribute.data
    if isinstance(container, ConcreteObject):
        run.values[op.result] = container.attribute(name)
    elif name in ("ndim", "size", "T", "shape"):
        run.values[op.result] = getattr(container, name)
    elif container is None:
        raise AttributeError(f"'NoneType' object has no attribute '{name}'")
    else:
        raise NotRunError(f"{op.name} of {type(container).__name__}")


def _setattr(run: Running, op: dyn.SetAttrOp) -> None:
    run.values[op.result] = _object(run, op, op.container).with_attribute(op.attribute.data, run.get(op.value))


def _store_attr(run: Running, op: dyn.StoreAttrOp) -> None:
    _object(run, op, op.container).store(op.attribute.data, run.get(op.value))


def _object(run: Running, op: Operation, value: SSAValue) -> ConcreteObject:
    found = run.get(value)
    if not isinstance(found, ConcreteObject):
        raise NotRunError(f"{op.name} of {type(found).__name__}")
    return found


def _field(run: Running, op: dyn.FieldOp) -> None:
    run.values[op.result] = run.get(op.container)[op.field.data]


def _method(run: Running, op: dyn.MethodOp) -> None:
    container = run.get(op.container)
    if container is None:
        raise AttributeError(f"'NoneType' object has no attribute '{op.method.data}'")
    if not isinstance(container, ConcreteObject):
        raise NotRunError(f"the method '{op.method.data}' of {type(container).__name__}")
    run.values[op.result] = container.method(op.method.data, run.all(op.arguments))


def _isinstance(run: Running, op: dyn.IsInstanceOp) -> None:
    names = [name.data for name in op.classes]
    run.values[op.result] = is_instance(run.get(op.value), names, builtin_class)


def _several(run: Running, op: dyn.SeveralOp) -> None:
    classes = run.all(op.classes)
    tags = {class_tag(column[0].symbol): column for column in classes if column}
    missing = op.none is not None
    run.values[op.result] = [
        tags[int(tag)][number] if int(tag) in tags or not missing else None
        for number, tag in enumerate(run.get(op.tags))
    ]


def _function(run: Running, op: dyn.FunctionOp) -> None:
    name = op.callee.root_reference.data

    def call(*arguments: object) -> Any:
        return run.call(name, arguments)

    run.values[op.result] = call


def _lambda(run: Running, op: dyn.LambdaOp) -> None:
    around = run.values  # names are looked up when it is called, in the function that it stands in

    def call(*arguments: object) -> Any:
        outer, run.values = run.values, around
        try:
            return run.block(op.body.block, arguments)[0]
        finally:
            run.values = outer

    run.values[op.result] = call


def _call_value(run: Running, op: dyn.CallValueOp) -> None:
    run.values[op.result] = _callable(op, run.get(op.callee))(*run.all(op.arguments))


def _spread(run: Running, op: dyn.SpreadOp) -> None:
    run.values[op.result] = _callable(op, run.get(op.callee))(*cast("Iterable[Any]", run.get(op.arguments)))


def _callable(op: Operation, value: Any) -> Callable[..., Any]:
    if not callable(value) or isinstance(value, type):
        raise NotRunError(f"{op.name} of {type(value).__name__}")
    return value


def _slice(run: Running, op: dyn.SliceOp) -> None:
    parts = [None if part is None else run.get(part) for part in (op.start, op.stop, op.step)]
    run.values[op.result] = slice(*parts)


def _setitem(run: Running, op: dyn.SetItemOp) -> None:
    # In place, as `dyn.append` is: the list has no other name.
    run.values[op.result] = run.get(op.container)
    run.values[op.result][run.get(op.index)] = run.get(op.value)


def _contains(run: Running, op: dyn.ContainsOp) -> None:
    run.values[op.result] = run.get(op.value) in run.get(op.container)


def _for_each(run: Running, op: dyn.ForEachOp) -> None:
    carried = [run.values[value] for value in op.inits]
    for item in run.get(op.iterable):
        carried = run.block(op.body.block, [item, *carried])
        if op.early_exit is not None and carried[-1]:
            break
    run.values.update(zip(op.outputs, carried, strict=True))


HANDLERS: Mapping[type[Operation], Handler] = {
    dyn.NewOp: _new,
    dyn.GetAttrOp: _getattr,
    dyn.SetAttrOp: _setattr,
    dyn.StoreAttrOp: _store_attr,
    dyn.FieldOp: _field,
    dyn.MethodOp: _method,
    dyn.IsInstanceOp: _isinstance,
    dyn.SeveralOp: _several,
    dyn.FunctionOp: _function,
    dyn.LambdaOp: _lambda,
    dyn.CallValueOp: _call_value,
    dyn.SpreadOp: _spread,
    dyn.SliceOp: _slice,
    dyn.SetItemOp: _setitem,
    dyn.ContainsOp: _contains,
    dyn.ForEachOp: _for_each,
}

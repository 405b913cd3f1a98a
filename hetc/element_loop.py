"""A map whose function changes objects by other means than its parameters, or whose objects lead to others of their
class, as a loop over its elements.

```text
hetc.map(f)(bodies, times)    ->    for i in hetc.forall(len(bodies)):
                                        results[i] = f(bodies[i], times[i])
```
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Sequence
from types import FunctionType
from typing import cast

import numpy as np

from hetc.frontends.python.classes import assigned_attributes, sample_objects
from hetc.frontends.python.closure import Resolution, ResolvedFunction, reachable
from hetc.frontends.python.made_functions import BodyFunction, compile_inside, placed
from hetc.frontends.python.object_tables import edges_of, reachable_from, recursive_classes
from hetc.frontends.python.object_writes import written_attributes
from hetc.frontends.python.scopes import ordered_parameters
from hetc.frontends.python.source import function_node
from hetc.frontends.skeleton.composition import Map, Stages

_FUNCTION = "the function"
"""A variable that no program has."""


def is_loop(stages: Stages, inputs: Sequence[object], resolution: Resolution) -> bool:
    """Whether a composition is a single map that must be a loop to be compiled.

    Its function may change objects of its inputs, or these are linked: as captured ones they are references.
    """
    root = resolution.functions[0] if len(stages) == 1 and isinstance(stages[0], Map) else None
    if not isinstance(root, ResolvedFunction) or not any(map(sample_objects, inputs)):
        return False
    if not all(type(value) in (list, tuple, range) or _is_vector(value) for value in inputs):
        return False
    if len({len(cast("Sequence[object]", value)) for value in inputs}) > 1:
        return False
    assigned = assigned_attributes(root.function.__code__)
    setters = _setters(resolution)
    others = [f for f in reachable([root]) if f is not root and not f.initializes and f.function not in setters]
    elsewhere = frozenset[str]().union(*(assigned_attributes(f.function.__code__) for f in others))
    if elsewhere or not assigned.isdisjoint(setters.values()) or _are_linked(inputs, resolution):
        return True
    return bool(assigned) and not assigned <= {name for _, name in written_attributes(function_node(root.function))}


def _are_linked(inputs: Sequence[object], resolution: Resolution) -> bool:
    """Whether objects of the inputs lead to others of their class, or to such objects."""
    known = () if resolution.program is None else resolution.program.known_classes()
    classes = {facts.cls: facts for facts in known}
    edges = edges_of(classes)
    linked = recursive_classes(classes, edges)
    kinds = {type(one) for value in inputs for one in sample_objects(value)} if linked else set[type]()
    return any(not linked.isdisjoint(reachable_from(kind, edges) | {kind}) for kind in kinds)


def _setters(resolution: Resolution) -> dict[FunctionType, str]:
    """What properties of the program call when they are assigned, and their names."""
    classes = () if resolution.program is None else resolution.program.known_classes()
    return {
        member.setter: name
        for facts in classes
        for name, member in facts.members.items()
        if isinstance(member.setter, FunctionType)
    }


def _is_vector(value: object) -> bool:
    return type(value) is np.ndarray and value.ndim == 1


def element_function(function: FunctionType, inputs: Sequence[object], given: Sequence[int] = ()) -> FunctionType:
    """The function of an index that calls a function with the elements of the inputs there.

    The elements of the inputs that are `given` it takes itself, after the index; the other inputs it captures.
    """
    names = ordered_parameters(function_node(function).args)[: len(inputs)]
    names += [f"input {number}" for number in range(len(names), len(inputs))]
    body = _body(function, tuple(names), tuple(given))
    values = {
        name: list(value) if isinstance(value, range) else value
        for number, (name, value) in enumerate(zip(names, inputs, strict=True))
        if number not in given
    }
    return body.function({**values, _FUNCTION: function}, function.__globals__)


@functools.lru_cache(maxsize=256)
def _body(function: FunctionType, names: tuple[str, ...], given: tuple[int, ...]) -> BodyFunction:
    node, index = function_node(function), "index"
    while index in names:
        index += "_"
    elements: list[ast.expr] = [
        ast.Name(name, ast.Load())
        if number in given
        else ast.Subscript(ast.Name(name, ast.Load()), ast.Name(index, ast.Load()), ast.Load())
        for number, name in enumerate(names)
    ]
    result = ast.Return(ast.Call(ast.Name(_FUNCTION, ast.Load()), elements, []))
    parameters = [ast.arg(index), *(ast.arg(names[number]) for number in given)]
    arguments = ast.arguments([], parameters, None, [], [], None, [])
    made = ast.FunctionDef(name="elements", args=arguments, body=[result], decorator_list=[], returns=None)
    placed(made, node)
    captured = [name for number, name in enumerate(names) if number not in given]
    return BodyFunction(compile_inside(made, [*captured, _FUNCTION], function.__code__), made)

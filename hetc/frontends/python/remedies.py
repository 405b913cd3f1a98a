"""What to write instead of what is not compiled: the hints of messages that a construct or a callee alone can tell.

Others are with what refuses; where neither knows better, a message has the advice of its category
(`hetc/diagnostics.py`).
"""

from __future__ import annotations

import ast

_TEXT = "return numbers, and make text of the results"
_TABLE = "use a list or an array whose indices are the keys, or look the values up before the call"
_LIST = "return a list, which may have any length"

_CONSTRUCTS: dict[type[ast.AST], str] = {
    ast.Dict: _TABLE,
    ast.DictComp: _TABLE,
    ast.Set: "compare with a tuple or a list",
    ast.SetComp: "compare with a tuple or a list",
    ast.JoinedStr: _TEXT,
    ast.GeneratorExp: "write a list, [... for ...]",
    ast.Yield: _LIST,
    ast.YieldFrom: _LIST,
    ast.Lambda: "call it, or pass it to a function that calls it",
    ast.Import: "import at the top of the file",
    ast.ImportFrom: "import at the top of the file",
    ast.ClassDef: "define the class outside of the function",
    ast.Global: "return the value",
    ast.Nonlocal: "return the value",
    ast.With: "open what it opens around the call",
    ast.Match: "write if and elif, or cases of numbers, tuples and classes",
}

_MODULES = {
    "random": "pass random numbers as an input, or compute them from a seed (docs/gallery.md, Monte Carlo)",
    "time": "measure around the call, or with hetc.profile()",
    "datetime": "pass times as numbers",
    "sys": "do it before or after the call",
    "os": "do it before or after the call",
}

_PRINT = "print the results; a print in a branch stops only the elements there, and debug=True runs all in Python"

_BUILTINS = {
    "print": _PRINT,
    "breakpoint": "put it into a branch, or use hetc.configure(debug=True): then Python runs the function",
    "input": "read before the call, and pass what was read",
    "open": "read the file before the call, and pass what was read",
    "str": _TEXT,
    "repr": _TEXT,
    "format": _TEXT,
    "dict": _TABLE,
    "set": "compare with a tuple or a list",
    "map": "write a comprehension, [f(item) for item in items]",
    "filter": "write a comprehension, [item for item in items if ...]",
    "eval": "write the expression into the function",
    "exec": "write the statements into the function",
}

_ARRAYS = "make a list, such as [0.0] * n, or make the array before the call"
_MAKERS = frozenset(("array", "asarray", "zeros", "ones", "empty", "full", "arange", "linspace", "zeros_like", "eye"))
_WHOLE = frozenset(
    ("mean", "median", "std", "var", "dot", "cumsum", "argmax", "argmin", "sort", "argsort", "linalg", "percentile",
     "histogram", "concatenate")
)  # fmt: skip

_METHODS = {
    "append": "return the value: the result holds what each call returns; lists that the function makes can grow",
    "extend": "append one by one, to a list that the function makes",
    "format": _TEXT,
    "join": _TEXT,
    "items": _TABLE,
    "keys": _TABLE,
    "values": _TABLE,
    "get": _TABLE,
    "add": "return the value: the result holds what each call returns",
    "update": "return the value: the result holds what each call returns",
}

_USUAL = "call Python functions whose source is at hand, math.* or NumPy's scalar functions"


def of_construct(node: ast.AST) -> str | None:
    """What to write instead of a statement or expression; None where only its category knows.

    >>> of_construct(ast.parse("{1: 2}", mode="eval").body)
    'use a list or an array whose indices are the keys, or look the values up before the call'
    """
    return _CONSTRUCTS.get(type(node))


def of_constant(value: object) -> str | None:
    """What to write instead of a literal that is no number.

    >>> of_constant("text")
    'return numbers, and make text of the results'
    """
    return _TEXT if isinstance(value, str | bytes) else None


def of_call(callee: ast.expr) -> str:
    """What to call instead.

    >>> of_call(ast.parse("out.append", mode="eval").body)
    'return the value: the result holds what each call returns; lists that the function makes can grow'
    """
    match callee:
        case ast.Name(id=name):
            return _BUILTINS.get(name, _USUAL)
        case ast.Attribute(value=ast.Name(id=module)) if module in _MODULES:
            return _MODULES[module]
        case ast.Attribute(value=ast.Attribute(value=ast.Name(id="np" | "numpy"), attr="random")):
            return _MODULES["random"]
        case ast.Attribute(value=ast.Name(id="np" | "numpy"), attr=name):
            if name in _MAKERS:
                return _ARRAYS
            return "loop over the numbers, or call it before or after hetc" if name in _WHOLE else _USUAL
        case ast.Attribute(attr=name):
            return _METHODS.get(name, _USUAL)
        case _:
            return _USUAL


def of_name(name: str) -> str:
    """What to do about a name that has no value.

    >>> of_name("math")
    'import it at the top of the file: import math'
    """
    usual = {"np": "import numpy as np", "numpy": "import numpy", "math": "import math", "cmath": "import cmath"}
    if name in usual:
        return f"import it at the top of the file: {usual[name]}"
    return "assign it before the call, or pass it as an argument"

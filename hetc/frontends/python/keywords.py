"""The parameters of the known functions that take keywords, so that their arguments stand in one order."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Mapping

from hetc.frontends.python.calls import Argument, Default, signature_from

_PARAMETERS = {
    "cmath.isclose": "a, b, *, rel_tol=1e-9, abs_tol=0.0",
    "complex": "real=0, imag=0",
    "math.isclose": "a, b, *, rel_tol=1e-9, abs_tol=0.0",
    "math.prod": "iterable, /, *, start=1",
    "np.clip": "a, a_min, a_max",
    "np.round": "a, decimals=0",
    "pow": "base, exp, mod=None",
    "round": "number, ndigits=None",
}
"""As Python and NumPy have them, but for those that are refused."""


def _signature(parameters: str) -> inspect.Signature:
    function = ast.parse(f"lambda {parameters}: None", mode="eval").body
    assert isinstance(function, ast.Lambda)
    arguments = function.args
    plain, values = [*arguments.posonlyargs, *arguments.args], arguments.defaults
    written = [*zip(plain[len(plain) - len(values) :], values, strict=True)]
    written += [(p, v) for p, v in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if v is not None]
    return signature_from(arguments, {parameter.arg: ast.literal_eval(value) for parameter, value in written})


SIGNATURES = {name: _signature(parameters) for name, parameters in _PARAMETERS.items()}
"""By the names of `hetc.frontends.python.known`."""


def given(signature: inspect.Signature, arguments: Mapping[str, Argument]) -> list[inspect.Parameter]:
    """The parameters up to the last one that is not left to its default; a `None` that is written may be one.

    >>> round_ = SIGNATURES["round"]
    >>> [p.name for p in given(round_, {"number": ast.Name("x"), "ndigits": ast.Constant(None)})]
    ['number']
    """
    parameters = list(signature.parameters.values())
    while parameters and _is_default(arguments[parameters[-1].name], parameters[-1]):
        parameters.pop()
    return parameters


def _is_default(argument: Argument, parameter: inspect.Parameter) -> bool:
    if isinstance(argument, ast.Constant):
        return argument.value is None and parameter.default is None
    return isinstance(argument, Default)

"""`math`'s functions of integers: exact in 64 bits, or back to Python's big integers."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import math
from xdsl.ir import Attribute

from hetc.analysis.source_types import is_bool, is_python
from hetc.dialects import dyn, guard
from hetc.dialects.guard import GuardKind
from hetc.passes.semantics import conversions
from hetc.passes.semantics.emitter import Emitter, Number
from hetc.passes.semantics.terms import Term, constant, repeat

LARGEST_ROOT = 3_037_000_499
"""The integer square root of 2**63 - 1."""


def call(e: Emitter, name: str, arguments: Sequence[Number]) -> Number | None:
    """`math.name` of integers, or None if it is another function; a float raises TypeError, as in Python."""
    low, high = _ARITY.get(name, (0, -1))
    if not low <= len(arguments) <= high:
        return None
    for number in arguments:
        if is_bool(number.source) and not is_python(number.source):
            raise e.unsupported(f"{e.names(number)} is no integer")
    terms = [Term(e, conversions.to_index(e, number).value) for number in arguments]
    match name:
        case "gcd" | "lcm":
            combine, start = (_gcd, 0) if name == "gcd" else (_lcm, 1)
            result = constant(e, start, dyn_int(e))
            for term in terms:
                result = combine(result, _size(term, name))
        case "isqrt":
            result = _square_root(terms[0])
        case "comb":
            result = _combinations(terms[0], terms[1])
        case "perm" if len(terms) == 2:
            result = _permutations(terms[0], terms[1])
        case _:
            _require_natural(name, terms[0])
            result = _falling(name, terms[0], terms[0])
    return Number(result.value, dyn.INT)


_ARITY = {"gcd": (0, 64), "lcm": (0, 64), "isqrt": (1, 1), "comb": (2, 2), "perm": (1, 2), "factorial": (1, 1)}


def dyn_int(e: Emitter) -> Attribute:
    """The payload of a Python integer."""
    return e.constant(0, dyn.INT).value.type


def checked(name: str, left: Term, operator: str, right: Term) -> Term:
    """A sum, difference or product that fits 64 bits, or back to Python."""
    fits = left.e.add(guard.FitsOp(operator, left.value, right.value)).result
    left.e.require(fits, GuardKind.OVERFLOW, f"the result of {name}() does not fit 64 bits")
    return {"add": left + right, "sub": left - right, "mul": left * right}[operator]


def _require_natural(name: str, *terms: Term) -> None:
    for term in terms:
        term.e.require((term >= 0).value, GuardKind.DOMAIN, f"math.{name}() of a negative number raises ValueError")


def _size(term: Term, name: str) -> Term:
    lowest = term.differs(-(2**63))
    term.e.require(lowest.value, GuardKind.OVERFLOW, f"the result of {name}() does not fit 64 bits")
    return abs(term)


def _gcd(a: Term, b: Term) -> Term:
    """Euclid's algorithm, on numbers that are not negative."""
    return repeat([a, b], lambda terms: terms[1].differs(0), lambda terms: [terms[1], terms[0] % terms[1]])[0]


def _lcm(a: Term, b: Term) -> Term:
    divisor = _gcd(a, b)
    zero = divisor.equals(0)
    quotient = a / zero.choose(a.constant(1), divisor)
    return checked("lcm", quotient, "mul", b)


def _square_root(n: Term) -> Term:
    """The square root in double precision is off by at most one."""
    _require_natural("isqrt", n)
    root = n.to(dyn.INT, dyn.FLOAT).call(math.SqrtOp).to(dyn.FLOAT, dyn.INT)
    root = (root > LARGEST_ROOT).choose(root.constant(LARGEST_ROOT), root)
    root = (root * root > n).choose(root - 1, root)
    above = root + 1
    return ((above <= LARGEST_ROOT) & (above * above <= n)).choose(above, root)


def _falling(name: str, n: Term, count: Term) -> Term:
    """n * (n - 1) * ... of `count` factors."""

    def step(terms: Sequence[Term]) -> list[Term]:
        result, factor, left = terms
        return [checked(name, result, "mul", factor), factor - 1, left - 1]

    return repeat([n.constant(1), n, count], lambda terms: terms[2] > 0, step)[0]


def _permutations(n: Term, k: Term) -> Term:
    _require_natural("perm", n, k)
    none = k > n
    return none.choose(n.constant(0), _falling("perm", n, none.choose(n.constant(0), k)))


def _combinations(n: Term, k: Term) -> Term:
    """The product of (n - k + i) / i: each quotient is exact, and is computed without a larger product."""
    _require_natural("comb", n, k)
    none = k > n
    rest = n - k
    count = none.choose(n.constant(0), (rest < k).choose(rest, k))

    def step(terms: Sequence[Term]) -> list[Term]:
        result, i = terms
        factor = n - count + i
        whole = checked("comb", result / i, "mul", factor)
        part = checked("comb", result % i, "mul", factor) / i
        return [checked("comb", whole, "add", part), i + 1]

    product = repeat([n.constant(1), n.constant(1)], lambda terms: terms[1] <= count, step)[0]
    return none.choose(n.constant(0), product)

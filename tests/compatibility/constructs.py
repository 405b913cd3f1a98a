"""The constructs of the compatibility page: each is a tiny program, in sections.

A row is the text that the page shows, and the body of a function of its parameters; a body of one line is what the
function returns. Elements are given by the names of the parameters: see `INPUTS`.
"""

from __future__ import annotations

from dataclasses import dataclass

INPUTS = {
    "a": "[1, 2, 3, 4]",
    "b": "[5, 3, 2, 7]",
    "x": "[0.5, 1.5, 2.0, 4.25]",
    "y": "[1.0, 0.25, 3.5, 2.0]",
    "t": "[True, False, True, True]",
    "f": "np.array([0.5, 1.5, 2.0, 4.25], np.float32)",
    "i": "np.array([1, 2, 3, 4], np.int32)",
    "p": "[(1, 0.5), (2, 1.5), (3, 2.0), (4, 4.25)]",
    "z": "[1 + 2j, 0.5j, 2 - 1j, 1 + 0j]",
}
"""The elements of a parameter, by its name: ints, floats, bools, NumPy scalars, tuples, complex numbers."""


@dataclass(frozen=True)
class Construct:
    """One row: what the page shows, a function's parameters and body."""

    shown: str
    parameters: str
    body: str


def _row(shown: str, parameters: str, body: str | None = None) -> Construct:
    """A row; without a body, what is shown is the expression that is returned."""
    return Construct(shown, parameters, body if body is not None else shown)


STATEMENTS = (
    _row("b = a", "a", "c = a\nreturn c + 1"),
    _row("b: int = a", "a", "c: int = a\nreturn c"),
    _row(
        "a += 1, and all other operators",
        "ax",
        "a += 1\n"
        "a -= 2\n"
        "a *= 3\n"
        "a //= 2\n"
        "a %= 7\n"
        "a <<= 2\n"
        "a >>= 1\n"
        "a |= 8\n"
        "a &= 63\n"
        "a ^= 5\n"
        "x /= 2\n"
        "x **= 2\n"
        "return a + x",
    ),
    _row("b, c = c, b", "ab", "a, b = b, a\nreturn a - b"),
    _row("(b, c), d = ...", "ab", "(c, d), e = (a, b), a\nreturn c + d * e"),
    _row("b, *c = ...", "ab", "c, *d = a, b, 3\nreturn c + d[0]"),
    _row("b = c = a", "a", "b = c = a + 1\nreturn b * c"),
    _row("if, elif, else", "a", "if a > 3:\n    c = 1\nelif a > 2:\n    c = 2\nelse:\n    c = 3\nreturn c"),
    _row("early return", "a", "if a > 2:\n    return a\nreturn -a"),
    _row("return of two types", "a", "if a > 2:\n    return a\nreturn 0.5"),
    _row("return of None on some path", "a", "if a > 2:\n    return a\nreturn None"),
    _row("a variable of two types", "a", "c = a\nif a > 2:\n    c = 0.5\nreturn c * 2"),
    _row("for over range", "a", "c = 0\nfor k in range(a):\n    c += k\nreturn c"),
    _row("for over range with a negative step", "a", "c = 0\nfor k in range(10, a, -2):\n    c += k\nreturn c"),
    _row("for over a captured array", "x", "for w in weights:\n    x += w\nreturn x"),
    _row("for over a captured list", "a", "for w in table:\n    a += w\nreturn a"),
    _row("for over zip()", "x", "for v, w in zip(levels, table):\n    x += v * w\nreturn x"),
    _row("for over enumerate()", "x", "for k, w in enumerate(levels):\n    x += k * w\nreturn x"),
    _row("for over reversed()", "a", "for w in reversed(table):\n    a = a * 2 + w\nreturn a"),
    _row("for over a list or tuple display", "a", "c = 0\nfor w in (1, a, 7):\n    c += w\nreturn c"),
    _row("for over a slice", "a", "for w in table[1:]:\n    a += w\nreturn a"),
    _row("for over a string or dict", "a", "for w in 'ab':\n    a += 1\nreturn a"),
    _row("nested for", "a", "c = 0\nfor k in range(3):\n    for m in range(k):\n        c += a * m\nreturn c"),
    _row("while", "a", "while a < 100:\n    a = a * 3\nreturn a"),
    _row("while True with break", "a", "while True:\n    a += 2\n    if a > 10:\n        break\nreturn a"),
    _row(
        "for or while with else",
        "a",
        "for k in range(4):\n    if k == a:\n        break\nelse:\n    a = 100\nreturn a",
    ),
    _row("continue", "a", "c = 0\nfor k in range(5):\n    if k == a:\n        continue\n    c += k\nreturn c"),
    _row("return inside a loop", "a", "for k in range(5):\n    if k == a:\n        return k\nreturn -1"),
    _row("pass, docstring", "a", "'''A docstring.'''\npass\nreturn a"),
    _row("assert that holds", "a", "assert a > 0, 'positive'\nreturn a"),
    _row("assert that fails for an element", "a", "assert a < 4\nreturn a"),
    _row("raise on a path not taken", "a", "if a > 100:\n    raise ValueError('too large')\nreturn a"),
    _row(
        "try and except, nothing raised",
        "a",
        "try:\n    c = 12 // a\nexcept ZeroDivisionError:\n    c = 0\nreturn c",
    ),
    _row(
        "try and except, raised for an element",
        "a",
        "try:\n    c = 12 // (a - 2)\nexcept ZeroDivisionError:\n    c = 0\nreturn c",
    ),
    _row("try and finally", "a", "try:\n    c = a + 1\nfinally:\n    d = 2\nreturn c * d"),
    _row(
        "match on values",
        "a",
        "match a:\n    case 1:\n        return 10\n    case 2 | 3:\n        return 20\n    case _:\n        return 30",
    ),
    _row("match on a tuple", "p", "match p:\n    case (k, w):\n        return k * w"),
    _row("nested function", "a", "def inner(c):\n    return c + a\nreturn inner(2)"),
    _row("del", "a", "c = a\ndel c\nreturn a"),
    _row("global or nonlocal", "a", "global offset\nreturn a + offset"),
    _row("store into a captured array", "a", "weights[a % 4] = 1.0\nreturn a"),
    _row("store into a local list", "a", "c = [0, 0, 0]\nc[a % 3] = a\nreturn c[1]"),
    _row("list.append in a loop", "a", "c = []\nfor k in range(3):\n    c.append(k * a)\nreturn c[2]"),
    _row("with", "a", "with np.errstate(all='ignore'):\n    return a"),
    _row("import", "a", "import math\nreturn math.sqrt(a)"),
    _row("yield", "a", "yield a"),
    _row("print() and other calls without a value", "a", "nothing_at_all(a)\nreturn a"),
)

EXPRESSIONS = (
    _row("a + b if a < b else 7", "ab"),
    _row("a and b", "ab"),
    _row("a or b", "ab"),
    _row("not a", "a"),
    _row("a < b <= 5", "ab"),
    _row("a in (1, 2)", "a"),
    _row("a in table", "a"),
    _row("a is None", "a"),
    _row("(c := a + 1) * c", "a"),
    _row("(a, x)", "ax"),
    _row("(a, (x, b))", "abx"),
    _row("p[0] * p[1]", "p"),
    _row("p[-1]", "p"),
    _row("[a, b, a + b][1]", "ab"),
    _row("table[a]", "a"),
    _row("table[-a]", "a"),
    _row("table[9 - a], IndexError for some", "a", "return table[7 - a]"),
    _row("weights[a % 4]", "a"),
    _row("matrix[a % 2, b % 3]", "ab"),
    _row("matrix[a % 2][b % 3]", "ab"),
    _row("matrix.shape[0]", "a"),
    _row("sum(table[1:])", "a"),
    _row("table[::-1][a]", "a"),
    _row("sum([k * a for k in range(4)])", "a"),
    _row("sum(k * a for k in range(4))", "a"),
    _row("[a, b]", "ab"),
    _row("[k * a for k in range(3)]", "a"),
    _row("{0: a, 1: b}[1]", "ab"),
    _row("len({a, b})", "ab"),
    _row("(lambda c: c * 2)(a)", "a"),
    _row("f-string", "a", "return f'{a}'"),
    _row("helper(a, b)", "ab"),
    _row("helper(y=a, x=b)", "ab"),
    _row("with_default(a)", "a"),
    _row("helper(*(a, b))", "ab"),
    _row("total(a, b, 3), with *args", "ab", "return total(a, b, 3)"),
    _row("fibonacci(a), recursion", "a", "return fibonacci(a)"),
    _row("double(a), a lambda", "a", "return double(a)"),
    _row("a.real", "a"),
    _row("x.is_integer()", "x"),
    _row("a.bit_length()", "a"),
    _row("a.bit_count()", "a"),
    _row("x.as_integer_ratio()", "x"),
    _row("offset + a, a captured int", "a", "return offset + a"),
    _row("limit + a, a captured float", "a", "return limit + a"),
    _row("step + a, a captured NumPy scalar", "a", "return step + a"),
    _row("point.x, an attribute of an object", "a", "return point.real + a"),
    _row("an int literal of more than 64 bits", "a", "return a + 2**100"),
    _row("an int result of more than 64 bits, for some", "a", "return (a + 4) ** 22"),
    _row("complex literal: x * 1j", "x", "return x * 1j"),
    _row("z * z + 1", "z"),
    _row("abs(z)", "z"),
    _row("cmath.exp(z)", "z"),
)

BUILTINS = tuple(
    _row(shown, parameters)
    for shown, parameters in (
        ("abs(a)", "a"),
        ("all([a > 0, b > 2])", "ab"),
        ("any(k == a for k in table)", "a"),
        ("bin(a)", "a"),
        ("bool(a)", "a"),
        ("chr(a)", "a"),
        ("complex(x, y)", "xy"),
        ("divmod(a, b)", "ab"),
        ("divmod(x, y)", "xy"),
        ("float(a)", "a"),
        ("hash(a)", "a"),
        ("int(x)", "x"),
        ("isinstance(a, int)", "a"),
        ("len(table)", "a"),
        ("max(a, b)", "ab"),
        ("max(a, b, 3)", "ab"),
        ("max(table)", "a"),
        ("min(a, b)", "ab"),
        ("min(x, y)", "xy"),
        ("min([a, b])", "ab"),
        ("max(a, b, key=double)", "ab"),
        ("pow(a, 2)", "a"),
        ("pow(a, b)", "ab"),
        ("pow(a, b, 7)", "ab"),
        ("pow(x, y)", "xy"),
        ("round(x)", "x"),
        ("round(x, 1)", "x"),
        ("round(a, -1)", "a"),
        ("sorted([a, b])[0]", "ab"),
        ("str(a)", "a"),
        ("sum(table)", "a"),
        ("sum(weights)", "a"),
        ("type(a) is int", "a"),
        ("list(map(double, table))[0]", "a"),
        ("len(list(filter(None, table)))", "a"),
    )
)

COMPOSITIONS = (
    ("map", "hetc.map(program)"),
    ("map of map", "hetc.map(program).map(double)"),
    ("map of several inputs", "hetc.map(helper)"),
    ("zip, then map", "hetc.zip().map(lambda pair: pair[0] + pair[1])"),
    ("map, then reduce", "hetc.map(program).reduce(helper_sum, 0)"),
    ("reduce", "hetc.reduce(helper_sum, 0)"),
    ("scan", "hetc.scan(helper_sum)"),
    ("scan, exclusive", "hetc.scan(helper_sum, 0, exclusive=True)"),
    ("map, then scan, then map", "hetc.map(program).scan(helper_sum).map(double)"),
    ("filter", "hetc.filter(lambda x: x > 1)"),
    ("map, then filter, then map", "hetc.map(program).filter(lambda x: x > 1).map(double)"),
    ("filter, then reduce", "hetc.filter(lambda x: x > 1).reduce(helper_sum, 0)"),
    ("any", "hetc.any(lambda x: x > 1)"),
    ("filter, then all", "hetc.filter(lambda x: x > 1).all(program)"),
    ("map of a builtin", "hetc.map(abs)"),
)

DATA = (
    ("list of int", "[1, 2, 3]"),
    ("list of float", "[1.0, 2.5, 3.0]"),
    ("list of bool", "[True, False]"),
    ("list of complex", "[1j, 2 + 1j]"),
    ("list of int beyond 64 bits", "[1, 2**70]"),
    ("list of int and float", "[1, 2.5]"),
    ("list of int and None", "[1, None]"),
    ("list of str", "['a', 'b']"),
    ("list of NumPy scalars", "[np.int32(1), np.int32(2)]"),
    ("list of tuples", "[(1, 2.0), (3, 4.0)]"),
    ("list of lists", "[[1, 2], [3, 4]]"),
    ("tuple", "(1, 2, 3)"),
    ("range", "range(5)"),
    ("range with a step", "range(10, 0, -3)"),
    ("set, dict, iterator", "iter([1, 2, 3])"),
    ("empty list", "[]"),
    *(
        (f"array of {dtype}", f"np.array([1, 2, 3], np.{dtype})")
        for dtype in (
            "bool_",
            "int8",
            "int16",
            "int32",
            "int64",
            "uint8",
            "uint16",
            "uint32",
            "uint64",
            "float16",
            "float32",
            "float64",
            "longdouble",
            "complex64",
            "complex128",
        )
    ),
    ("array of objects", "np.array([1, 2, 3], object)"),
    ("array of dates", "np.array(['2020-01-01', '2020-01-02'], 'datetime64[D]')"),
    ("array of records", "np.array([(1, 2.0)], [('a', np.int32), ('b', np.float64)])"),
    ("array in the other byte order", "np.array([1, 2, 3], '>i4')"),
    ("strided array", "np.arange(10.0)[::3]"),
    ("reversed array", "np.arange(10.0)[::-1]"),
    ("read-only array", "read_only(np.arange(4.0))"),
    ("row of an array in Fortran order", "np.asfortranarray(np.ones((3, 4)))[1]"),
    ("array of two dimensions", "np.ones((3, 4))"),
    ("empty array", "np.array([], np.int32)"),
)

SECTIONS = (("Statements", STATEMENTS), ("Expressions", EXPRESSIONS), ("Builtins", BUILTINS))

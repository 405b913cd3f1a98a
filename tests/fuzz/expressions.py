"""The expressions of the language that programs are drawn from: one line a construct."""

from __future__ import annotations

from tests.fuzz.grammar import Generator, Rule, Variable


def _comprehension(opening: str, closing: str, element: str) -> object:
    """A comprehension or generator expression over a range or a captured sequence, with its own variable."""

    def build(g: Generator, depth: int) -> str:
        name = g.fresh("i")
        source, kind = g.random.choice(
            [("range(4)", "int"), ("table", "int"), ("levels", "float"), ("range(1, 6, 2)", "int")]
        )
        before = list(g.variables)
        g.variables.append(Variable(name, kind))
        g.loops += 1
        inner = g.expression(element, min(depth, 1))
        condition = f" if {g.expression('bool', min(depth, 1))}" if g.maybe(0.3) else ""
        g.loops -= 1
        g.variables = before
        return f"{opening}{inner} for {name} in {source}{condition}{closing}"

    return build


def _walrus(kind: str) -> object:
    def build(g: Generator, depth: int) -> str:
        value = g.expression(kind, depth)
        name = g.fresh("w")
        return f"(({name} := {value}) + {name})" if kind != "bool" else f"(({name} := {value}) or {name})"

    return build


def _lambda(kind: str) -> object:
    def build(g: Generator, depth: int) -> str:
        name = g.fresh("u")
        before = list(g.variables)
        g.variables.append(Variable(name, kind))
        body = g.expression(kind, min(depth, 1))
        g.variables = before
        return f"(lambda {name}: {body})({g.expression(kind, depth)})"

    return build


def _common(kind: str) -> list[Rule]:
    """What integers and floats share."""
    k, same = f"{{{kind}}}", f"{{{kind}_}}"
    captured = "table" if kind == "int" else "levels"
    return [
        Rule(kind, "+", f"({k} + {k})", 6),
        Rule(kind, "-", f"({k} - {k})", 6),
        Rule(kind, "*", f"({k} * {k})", 5, grows=kind == "int"),
        Rule(kind, "* small", f"({k} * {'3' if kind == 'int' else '1.5'})", 2),
        Rule(kind, "//", f"({k} // {k})", 2),
        Rule(kind, "%", f"({k} % {k})", 2),
        Rule(kind, "unary -", f"(-{k})", 2),
        Rule(kind, "unary +", f"(+{k})", 0.5),
        Rule(kind, "abs", f"abs({k})", 2),
        Rule(kind, "** constant", f"({k} ** 2)", 1, grows=kind == "int"),
        Rule(kind, "pow()", f"pow({k}, 3)", 0.5, grows=kind == "int", inexact=kind == "float"),
        Rule(kind, "min", f"min({same}, {same})", 2),
        Rule(kind, "max", f"max({same}, {same})", 2),
        Rule(kind, "min of three", f"min({same}, {same}, {same})", 0.5),
        Rule(kind, "conditional expression", f"({same} if {{bool}} else {same})", 4),
        Rule(kind, "and", f"({same} and {same})", 1),
        Rule(kind, "or", f"({same} or {same})", 1),
        Rule(kind, "call of a function", f"helper({k}, {k})", 2, grows=kind == "int"),
        Rule(kind, "default argument", f"scaled({k})", 1),
        Rule(kind, "keyword argument", f"scaled(x={k}, by={k})", 0.5, grows=kind == "int"),
        Rule(kind, "call of a branching function", f"clamped({same}, {same})", 1),
        Rule(kind, "tuple from a call", f"divided({k}, {k})[0]", 0.7),
        Rule(kind, "divmod", f"divmod({k}, {k})[{{index}}]", 0.7),
        Rule(kind, "tuple index", f"({k}, {k})[{{index}}]", 0.5),
        Rule(kind, "int of bool", f"({k} + ({{bool}}))", 0.7),
        Rule(kind, "np.maximum", f"np.maximum({k}, {k})", 0.5),
        Rule(kind, "np.minimum", f"np.minimum({k}, {k})", 0.5),
        Rule(kind, "assignment expression", _walrus(kind), core=False),
        Rule(kind, "nested lambda", _lambda(kind), core=False),
        Rule(kind, "sum of a generator", _comprehension("sum(", ")", kind), core=False),
        Rule(kind, "sum of a list comprehension", _comprehension("sum([", "])", kind), core=False),
        Rule(kind, "max of a comprehension", _comprehension("max([", "])", kind), core=False),
        Rule(kind, "list index", f"[{same}, {same}, {same}][{{index}}]", core=False),
        Rule(kind, "sum of a list", f"sum([{same}, {same}])", core=False),
        Rule(kind, "list comprehension index", _comprehension("[", "][0]", kind), core=False),
        Rule(kind, "starred call", f"helper(*({k}, {k}))", core=False, grows=kind == "int"),
        Rule(kind, "*args", f"total({k}, {k}, {k})", core=False),
        Rule(kind, ".real", f"({k}).real", core=False),
        Rule(kind, ".conjugate()", f"({k}).conjugate()", core=False),
        Rule(kind, "np.where", f"np.where({{bool}}, {same}, {same})", 0.3, core=False),
        Rule(kind, "np.clip", f"np.clip({k}, 1, 5)", 0.3, core=False),
        Rule(kind, "np.abs", f"np.abs({k})", 0.4),
        Rule(kind, "np.sign", f"np.sign({k})", 0.3, core=False),
        Rule(kind, "functools.reduce", f"functools.reduce(helper, {captured})", 0.3, core=False),
    ]  # fmt: skip


def _dict(g: Generator, depth: int) -> str:
    return f"{{0: {g.expression('int', depth)}, 1: 5}}[{g.pick('0', '1', '2')}]"


_ORDER = ("<", "<=", ">", ">=", "==", "!=")

_INT = [
    Rule("int", "&", "({int} & {int})", 2),
    Rule("int", "|", "({int} | {int})", 2),
    Rule("int", "^", "({int} ^ {int})", 2),
    Rule("int", "~", "(~{int})", 1),
    Rule("int", ">>", "({int} >> ({int} & 7))", 1),
    Rule("int", "<<", "({int} << ({int} & 7))", 1, grows=True),
    Rule("int", "<< small", "({int} << 3)", 1),
    Rule("int", ">> any", "({int} >> ({int} % 80 - 5))", 0.5),
    Rule("int", "** variable", "(({int} % 11) ** ({int} & 3))", 0.7, grows=True),
    Rule("int", "** negative", "(({int} % 5) ** ({int} % 4 - 1))", 0.3, core=False, grows=True),
    Rule("int", "pow with modulus", "pow({int} & 15, {int} & 7, 13)", 0.7, core=False),
    Rule("int", "int()", "int({float})", 2),
    Rule("int", "int(bool)", "int({bool})", 1),
    Rule("int", "int(int)", "int({int})", 1),
    Rule("int", "round", "round({float})", 1),
    Rule("int", "round int", "round({int})", 0.5),
    Rule("int", "round int to digits", "round({int}, -1)", 0.5, core=False),
    Rule("int", "math.floor", "math.floor({float})", 1),
    Rule("int", "math.ceil", "math.ceil({float})", 1),
    Rule("int", "math.trunc", "math.trunc({float})", 1),
    Rule("int", "len", "len({sequence})", 1),
    Rule("int", "captured list", "table[{int} % 5]", 2),
    Rule("int", "captured index may raise", "table[{int0}]", 0.5),
    Rule("int", "captured NumPy array", "numbers[{int} % 4]", 1.5, numpy=True),
    Rule("int", "captured scalar", "offset", 1),
    Rule("int", "captured NumPy scalar", "step", 0.7, numpy=True),
    Rule("int", "shape", "matrix.shape[{index}]", 0.4),
    Rule("int", "np.int32()", "np.int32({bool})", 0.5, numpy=True),
    Rule("int", "np.uint8()", "np.uint8({int} & 127)", 0.5, numpy=True),
    Rule("int", "np.int64()", "np.int64({int0})", 0.5, numpy=True),
    Rule("int", "math.gcd", "math.gcd({int}, {int})", core=False),
    Rule("int", "math.lcm", "math.lcm({int}, {int})", core=False, grows=True),
    Rule("int", "math.isqrt", "math.isqrt({int})", core=False),
    Rule("int", "math.comb", "math.comb({int} % 12, {int} % 7)", core=False),
    Rule("int", "math.perm", "math.perm({int} % 9, {int} % 5)", core=False),
    Rule("int", "math.factorial", "math.factorial({int} % 21)", core=False),
    Rule("int", "bit_length", "({int}).bit_length()", core=False),
    Rule("int", "bit_count", "({int}).bit_count()", core=False),
    Rule("int", ".imag", "({int}).imag", 0.5, core=False),
    Rule("int", "slice", "table[1:][{int} % 4]", core=False),
    Rule("int", "slice with step", "table[::-2][{int} % 3]", core=False),
    Rule("int", "slice with variables", "sum(table[{int} & 3:])", core=False),
    Rule("int", "len of a slice", "len(table[{int} % 4:4])", core=False),
    Rule("int", "sum of a captured list", "sum(table)", core=False),
    Rule("int", "max of a captured list", "max(table)", core=False),
    Rule("int", "min with default", "min([], default={int})", 0.4, core=False),
    Rule("int", "sorted", "sorted([{int}, {int}, {int}])[1]", core=False),
    Rule("int", "math.prod", "math.prod([{int} % 7, {int} % 5])", core=False, grows=True),
    Rule("int", "len of a list", "len([{int}, {int}])", core=False),
    Rule("int", "list .count", "table.count({int})", 0.6, core=False),
    Rule("int", "list .index", "table.index({int})", 0.6, core=False),
    Rule("int", "operator functions", "operator.add({int}, {int})", 0.6, core=False),
    Rule("int", "np.bitwise_and", "np.bitwise_and({int}, {int})", 0.6, core=False, numpy=True),
    Rule("int", "np.left_shift", "np.left_shift({int}, 2)", 0.4, core=False, numpy=True),
    Rule("int", "ord", "ord('a')", 0.3, core=False),
    Rule("int", "dict", _dict, 0.5, core=False),
    Rule("int", "recursion", "fibonacci({int} % 6)", 0.5, core=False),
]  # fmt: skip

_FLOAT = [
    Rule("float", "/", "({float} / {float})", 4),
    Rule("float", "/ of integers", "({int} / {int})", 1.5),
    Rule("float", "float()", "float({int})", 2),
    Rule("float", "float(bool)", "float({bool})", 0.5),
    Rule("float", "captured float array", "weights[{int} % 4]", 2, numpy=True),
    Rule("float", "captured matrix", "matrix[{int} % 2, {int} % 3]", 1, numpy=True),
    Rule("float", "captured matrix row", "matrix[{int} % 2][{int} % 3]", 0.7, numpy=True),
    Rule("float", "captured float tuple", "levels[{int} % 3]", 1),
    Rule("float", "captured float", "limit", 1),
    Rule("float", "negative index", "weights[-1]", 0.7, numpy=True),
    Rule("float", "math.sqrt", "math.sqrt({float})", 1.5),
    Rule("float", "math.fabs", "math.fabs({float})", 1),
    Rule("float", "math.copysign", "math.copysign({float}, {float})", 1),
    Rule("float", "math.fmod", "math.fmod({float}, {float})", 0.7),
    Rule("float", "np.sqrt", "np.sqrt({float})", 1, numpy=True),
    Rule("float", "np.floor", "np.floor({float})", 0.7, numpy=True),
    Rule("float", "np.ceil", "np.ceil({float})", 0.5, numpy=True),
    Rule("float", "np.trunc", "np.trunc({float})", 0.5, numpy=True),
    Rule("float", "np.fabs", "np.fabs({float})", 0.5, numpy=True),
    Rule("float", "np.square", "np.square({float})", 0.5, numpy=True),
    Rule("float", "np.copysign", "np.copysign({float}, {float})", 0.5, numpy=True),
    Rule("float", "np.float32()", "np.float32({float})", 0.7, numpy=True),
    Rule("float", "np.float64()", "np.float64({float})", 0.7, numpy=True),
    Rule("float", "math constant", "math.inf", 0.4),
    Rule("float", "math.nan", "math.nan", 0.2),
    Rule("float", "round to digits", "round({float}, 2)", core=False),
    Rule("float", "round to variable digits", "round({float}, {int} % 5 - 1)", 0.5, core=False),
    Rule("float", "math.ldexp", "math.ldexp({float}, {int} % 20 - 10)", core=False),
    Rule("float", "math.frexp", "math.frexp({float})[0]", core=False),
    Rule("float", "math.modf", "math.modf({float})[{index}]", core=False),
    Rule("float", "math.remainder", "math.remainder({float}, {float})", core=False),
    Rule("float", "math.nextafter", "math.nextafter({float}, {float})", core=False),
    Rule("float", "math.ulp", "math.ulp({float})", core=False),
    Rule("float", "math.fsum", "math.fsum([{float}, {float}, {float}])", 0.6, core=False),
    Rule("float", "np.rint", "np.rint({float})", core=False, numpy=True),
    Rule("float", "np.fmod", "np.fmod({float}, {float})", core=False, numpy=True),
    # Of two zeros NumPy returns either, also within one array.
    Rule("float", "np.fmax", "(np.fmax({float}, {float}) + 0.0)", core=False, numpy=True),
    Rule("float", "np.reciprocal", "np.reciprocal({float})", 0.6, core=False, numpy=True),
    Rule("float", "np.add", "np.add({float}, {float})", 0.6, core=False, numpy=True),
    Rule("float", "np.float16()", "np.float16({float})", core=False, numpy=True),
    Rule("float", "slice of an array", "weights[::-1][{int} % 4]", core=False, numpy=True),
    Rule("float", "sum of a captured array", "sum(weights)", core=False),
    Rule("float", ".real of complex", "{complex}.real", core=False),
    Rule("float", ".imag of complex", "{complex}.imag", core=False),
    Rule("float", "float method", "float({float}.is_integer())", 0.5, core=False),
    Rule("float", "power of a float", "({float} ** 0.5)", 0.5, core=False),
    Rule("float", "math.pow", "math.pow({float}, 2.0)", 0.5, core=False),
    Rule("float", "math.pi", "math.pi", 0.4),
]  # fmt: skip

_BOOL = [
    *(Rule("bool", op, f"({{{kind}}} {op} {{{kind}}})", 2.5) for op in _ORDER for kind in ("int", "float")),
    *(Rule("bool", "mixed comparison", f"({{int}} {op} {{float}})", 0.4) for op in _ORDER),
    Rule("bool", "chained comparison", "({int} < {int} <= {int})", 1),
    Rule("bool", "chained comparison", "({float} <= {float} < {float})", 1),
    Rule("bool", "not", "(not {bool})", 2),
    Rule("bool", "not number", "(not {number})", 1),
    Rule("bool", "and of tests", "({bool} and {bool})", 2),
    Rule("bool", "or of tests", "({bool} or {bool})", 2),
    Rule("bool", "math.isnan", "math.isnan({float})", 0.7),
    Rule("bool", "math.isinf", "math.isinf({float})", 0.7),
    Rule("bool", "math.isfinite", "math.isfinite({float})", 0.7),
    Rule("bool", "np.isnan", "np.isnan({float})", 0.7),
    Rule("bool", "np.isfinite", "np.isfinite({float})", 0.4),
    Rule("bool", "bool()", "bool({number})", 1),
    Rule("bool", "bool & bool", "({bool} & {bool})", 0.7),
    Rule("bool", "bool ^ bool", "({bool} ^ {bool})", 0.5),
    Rule("bool", "comparison of bools", "({bool} == {bool})", 0.7),
    Rule("bool", "in a tuple", "({int} in (1, 2, 3))", core=False),
    Rule("bool", "in a captured list", "({int} in table)", core=False),
    Rule("bool", "not in", "({int} not in (0, 1))", core=False),
    Rule("bool", "in a range", "({int} in range(5))", core=False),
    Rule("bool", "is None", "({number} is None)", core=False),
    Rule("bool", "is not None", "(nothing is not None)", 0.5, core=False),
    Rule("bool", "isinstance", "isinstance({number}, int)", core=False),
    Rule("bool", "isinstance of a tuple", "isinstance({number}, (float, np.floating))", 0.6, core=False),
    Rule("bool", "type() is", "(type({number}) is int)", 0.6, core=False),
    Rule("bool", "any", _comprehension("any(", ")", "bool"), core=False),
    Rule("bool", "all", _comprehension("all(", ")", "bool"), core=False),
    Rule("bool", "any of a list", "any([{bool}, {bool}])", 0.5, core=False),
    Rule("bool", "math.isclose", "math.isclose({float}, {float})", core=False),
    Rule("bool", "np.logical_and", "np.logical_and({bool}, {bool})", 0.6, core=False),
    Rule("bool", "np.signbit", "np.signbit({float})", 0.6, core=False),
    Rule("bool", "tuple comparison", "(({int}, {int}) < ({int}, {int}))", 0.6, core=False),
    Rule("bool", "complex comparison", "({complex} == {complex})", 0.6, core=False),
    Rule("bool", "conditional test", "({bool} if {bool} else {bool})", 0.5),
]  # fmt: skip

_COMPLEX = [
    Rule("complex", "complex +", "({complex} + {complex})", 3),
    Rule("complex", "complex -", "({complex} - {complex})", 2),
    Rule("complex", "complex *", "({complex} * {complex})", 3),
    Rule("complex", "complex /", "({complex} / {complex})", 1),
    Rule("complex", "complex unary -", "(-{complex})", 1),
    Rule("complex", "complex()", "complex({float}, {float})", 2),
    Rule("complex", "complex and real", "({complex} * {float})", 1),
    Rule("complex", "complex conjugate", "{complex}.conjugate()", 1),
    Rule("complex", "complex ** 2", "({complex} ** 2)", 0.5),
]  # fmt: skip

_INEXACT_UNARY = (
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atanh",
    "cbrt",
    "cos",
    "cosh",
    "degrees",
    "erf",
    "erfc",
    "exp",
    "exp2",
    "expm1",
    "gamma",
    "lgamma",
    "log",
    "log10",
    "log1p",
    "log2",
    "radians",
    "sin",
    "sinh",
    "tan",
    "tanh",
)
_INEXACT_NUMPY = (
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctanh",
    "cbrt",
    "cos",
    "cosh",
    "exp",
    "exp2",
    "expm1",
    "log",
    "log10",
    "log1p",
    "log2",
    "sin",
    "sinh",
    "tan",
    "tanh",
)
_INEXACT_COMPLEX = ("sqrt", "exp", "log", "sin", "cos")
_NOT_YET = {"gamma", "lgamma"}

_INEXACT = [
    *(Rule("float", f"math.{f}", f"math.{f}({{float}})", inexact=True, core=f not in _NOT_YET) for f in _INEXACT_UNARY),
    *(Rule("float", f"np.{f}", f"np.{f}({{float}})", inexact=True) for f in _INEXACT_NUMPY),
    *(Rule("float", f"math.{f} of int", f"math.{f}({{int}})", inexact=True) for f in ("sin", "exp", "log", "log2")),
    *(Rule("float", f"np.{f} of int", f"np.{f}({{int}})", inexact=True) for f in ("sin", "exp", "log")),
    Rule("float", "math.pow()", "math.pow({float}, {float})", inexact=True),
    Rule("float", "power of a float", "({float} ** 0.5)", inexact=True),
    Rule("float", "float ** float", "({float} ** {float})", 2, inexact=True),
    Rule("float", "int ** negative", "(({int} % 9) ** -2)", inexact=True, core=False),
    Rule("float", "math.hypot", "math.hypot({float}, {float})", inexact=True),
    Rule("float", "math.atan2", "math.atan2({float}, {float})", inexact=True),
    Rule("float", "np.hypot", "np.hypot({float}, {float})", inexact=True),
    Rule("float", "np.arctan2", "np.arctan2({float}, {float})", inexact=True),
    Rule("float", "math.log with base", "math.log({float}, 3.0)", inexact=True, core=False),
    Rule("float", "np.power", "np.power({float}, {float})", inexact=True, core=False),
    Rule("float", "np.deg2rad", "np.deg2rad({float})", inexact=True, core=False),
    Rule("float", "np.logaddexp", "np.logaddexp({float}, {float})", inexact=True, core=False),
    Rule("float", "math.dist", "math.dist(({float}, {float}), (1.0, 2.0))", inexact=True, core=False),
    Rule("float", "abs of complex", "abs({complex})", inexact=True, core=False),
    *(Rule("complex", f"cmath.{f}", f"cmath.{f}({{complex}})", inexact=True) for f in _INEXACT_COMPLEX),
]  # fmt: skip

RULES = [*_common("int"), *_common("float"), *_INT, *_FLOAT, *_BOOL, *_COMPLEX, *_INEXACT]

"""The OpenCL C expression of each op that computes a value.

Every entry takes the C text of its operands, each safe to stand between operators, and gives the text of its result
and whether that text is itself safe to stand there (an atom).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from xdsl.dialects import arith, gpu, llvm, math, memref, ub
from xdsl.dialects.builtin import Float16Type, IndexType, IntegerType, f16, f32, i1
from xdsl.ir import Operation, SSAValue

from hetc.analysis.attributes import number_attribute
from hetc.analysis.fast_math import FastMathFlag, may
from hetc.backends.opencl.names import mangle
from hetc.backends.opencl.types import c_type, literal, unsigned
from hetc.dialects import offload, special
from hetc.dialects.parts.offload_records import LoadMemberOp
from hetc.errors import CompileError

Text = tuple[str, bool]
Expression = Callable[[Any, Sequence[str], int], Text]

_COMPARE_INT = ("==", "!=", "<", "<=", ">", ">=", "<", "<=", ">", ">=")
_COMPARE_FLOAT = {1: "==", 2: ">", 3: ">=", 4: "<", 5: "<=", 13: "!="}
_UNORDERED = {9: "<=", 10: "<", 11: ">=", 12: ">"}  # ugt = !(a <= b), ...


def expression(op: Operation, operands: Sequence[str], index_bits: int) -> Text | None:
    """The C expression of an op, or None if the op is not an expression."""
    entry = _EXPRESSIONS.get(type(op))
    return None if entry is None else entry(op, operands, index_bits)


def is_expression(op: Operation) -> bool:
    """Whether an op computes one value and has a C expression."""
    return type(op) in _EXPRESSIONS


def _infix(symbol: str) -> Expression:
    def emit(op: Operation, operands: Sequence[str], _bits: int) -> Text:
        return _narrow(op, f"{operands[0]} {symbol} {operands[1]}")

    return emit


def _wrapping(symbol: str) -> Expression:
    """`arith` wraps, C's signed integers may not overflow: unsigned ones wrap, unless the op says that it does not."""
    plain, unsigned_infix = _infix(symbol), _unsigned_infix(symbol)

    def emit(op: arith.AddiOp | arith.SubiOp | arith.MuliOp, operands: Sequence[str], bits: int) -> Text:
        type_ = op.result.type
        narrow = isinstance(type_, IntegerType) and type_.width.data < 32
        safe = narrow or arith.IntegerOverflowFlag.NSW in op.overflow_flags.data
        return (plain if safe else unsigned_infix)(op, operands, bits)

    return emit


def _narrow(op: Operation, text: str) -> Text:
    """C computes integers narrower than `int` in `int`; cut the result back."""
    type_ = op.results[0].type
    if isinstance(type_, IntegerType) and 1 < type_.width.data < 32:
        return f"({c_type(type_, 64)})({text})", True
    return text, False


def _unsigned_infix(symbol: str) -> Expression:
    def emit(op: Operation, operands: Sequence[str], bits: int) -> Text:
        type_ = op.operands[0].type
        if isinstance(type_, IndexType) or type_ == i1:
            return f"{operands[0]} {symbol} {operands[1]}", False
        name = unsigned(type_)
        return f"({c_type(type_, bits)})(({name}){operands[0]} {symbol} ({name}){operands[1]})", True

    return emit


def _logical(symbol: str, bitwise: str) -> Expression:
    def emit(op: Operation, operands: Sequence[str], _bits: int) -> Text:
        chosen = symbol if op.results[0].type == i1 else bitwise
        return _narrow(op, f"{operands[0]} {chosen} {operands[1]}")

    return emit


def _xor(op: arith.XOrIOp, operands: Sequence[str], _bits: int) -> Text:
    if op.result.type == i1:
        if operands[1] == "true":
            return f"!{operands[0]}", True
        return f"{operands[0]} != {operands[1]}", False
    return _narrow(op, f"{operands[0]} ^ {operands[1]}")


def _call(name: str) -> Expression:
    return lambda op, operands, bits: (f"{name}({', '.join(operands)})", True)


def _cast(op: Operation, operands: Sequence[str], bits: int) -> Text:
    return f"({c_type(op.results[0].type, bits)}){operands[0]}", True


def _unsigned_cast(op: Operation, operands: Sequence[str], bits: int) -> Text:
    source, target = op.operands[0].type, op.results[0].type
    inner = operands[0] if source == i1 else f"({unsigned(source)}){operands[0]}"
    return f"({c_type(target, bits)}){inner}", True


def _to_unsigned(op: Operation, operands: Sequence[str], bits: int) -> Text:
    target = op.results[0].type
    return f"({c_type(target, bits)})({unsigned(target)}){operands[0]}", True


def _truncate(op: arith.TruncIOp, operands: Sequence[str], bits: int) -> Text:
    if op.result.type == i1:
        return f"({operands[0]} & 1) != 0", False
    return _cast(op, operands, bits)


def _compare_int(op: arith.CmpiOp, operands: Sequence[str], _bits: int) -> Text:
    predicate = op.predicate.value.data
    if 2 <= predicate <= 5 and (isinstance(op.lhs.type, IndexType) or op.lhs.type == i1):
        raise CompileError(f"a signed comparison of {op.lhs.type} has no OpenCL C")
    if predicate > 5 and isinstance(op.lhs.type, IntegerType) and op.lhs.type != i1:
        name = unsigned(op.lhs.type)
        return f"({name}){operands[0]} {_COMPARE_INT[predicate]} ({name}){operands[1]}", False
    return f"{operands[0]} {_COMPARE_INT[predicate]} {operands[1]}", False


def _compare_float(op: arith.CmpfOp, operands: Sequence[str], _bits: int) -> Text:
    predicate, (a, b) = op.predicate.value.data, operands
    match predicate:
        case 0 | 15:
            return ("true" if predicate else "false"), True
        case 6:
            return f"islessgreater({a}, {b})", True
        case 7:
            return f"isordered({a}, {b})", True
        case 8:
            return f"!islessgreater({a}, {b})", True
        case 14:
            return (f"isnan({a})" if a == b else f"isunordered({a}, {b})"), True
        case _ if predicate in _UNORDERED:
            return f"!({a} {_UNORDERED[predicate]} {b})", True
        case _:
            return f"{a} {_COMPARE_FLOAT[predicate]} {b}", False


def _constant(op: arith.ConstantOp, _operands: Sequence[str], bits: int) -> Text:
    text = literal(op.value)
    if isinstance(op.result.type, IndexType):  # `min` and `max` are overloaded, so the type must be plain
        text += "ul" if bits == 64 else "u"
    if text == "NAN" or text.endswith("INFINITY"):
        return f"({c_type(op.result.type, bits)}){text}", True
    return (f"({text})", True) if text.startswith("-") else (text, True)


def _zero(op: offload.ZeroOp, _operands: Sequence[str], bits: int) -> Text:
    """An index space has no third dimension, or starts it at zero; the compiler of a kernel cannot know."""
    return f"({c_type(op.result.type, bits)})get_global_offset(2)", True


def _poison(op: ub.PoisonOp, _operands: Sequence[str], _bits: int) -> Text:
    type_ = op.results[0].type
    return literal(number_attribute(0, type_)), True


def _identifier(function: str) -> Expression:
    """A work-item function of a dimension."""

    def emit(op: Any, _operands: Sequence[str], _bits: int) -> Text:
        return f"{function}({'xyz'.index(op.dimension.data.value)})", True

    return emit


def one_dimensional(op: memref.LoadOp | memref.StoreOp | memref.AtomicRMWOp) -> None:
    """Raise CompileError unless a buffer is accessed by one index: a pass linearises what has several."""
    if len(op.indices) != 1:
        raise CompileError(f"'{op.name}' with {len(op.indices)} indices has no OpenCL C; a pass must linearise them")


def _on_index(inner: Expression) -> Expression:
    """An op that C computes right on `index`, which is unsigned there, and not on signed integers."""

    def emit(op: Operation, operands: Sequence[str], bits: int) -> Text:
        if not isinstance(op.results[0].type, IndexType):
            raise CompileError(f"'{op.name}' on {op.results[0].type} has no OpenCL C")
        return inner(op, operands, bits)

    return emit


def _on_signed(inner: Expression) -> Expression:
    """An op that C computes right on signed integers, and not on `index`, which is unsigned there."""

    def emit(op: Operation, operands: Sequence[str], bits: int) -> Text:
        if isinstance(op.operands[0].type, IndexType):
            raise CompileError(f"'{op.name}' on index has no OpenCL C")
        return inner(op, operands, bits)

    return emit


def _signed_cast(op: Operation, operands: Sequence[str], bits: int) -> Text:
    """A cast that keeps the sign: the one bit of a truth value is its sign."""
    text, atom = _cast(op, operands, bits)
    return (f"-{text}", False) if op.operands[0].type == i1 else (text, atom)


def _load(op: memref.LoadOp, operands: Sequence[str], _bits: int) -> Text:
    one_dimensional(op)
    if op.res.type == f16:
        return f"vload_half({_bare(operands[1])}, {operands[0]})", True
    text = f"{operands[0]}[{_bare(operands[1])}]"
    return (f"{text} != 0", False) if op.res.type == i1 else (text, True)


def _load_member(op: LoadMemberOp, operands: Sequence[str], _bits: int) -> Text:
    text = f"{operands[0]}[{_bare(operands[1])}].{mangle(op.member.data)}"
    return (f"{text} != 0", False) if op.result.type == i1 else (text, True)


def is_renaming(op: Operation) -> bool:
    """Whether an op only says that a number is now in memory, or no longer: a conversion of half precision.

    Loads and stores convert. Raises CompileError for a conversion of anything but a load or store.
    """
    match op:
        case arith.ExtFOp(input=SSAValue(type=Float16Type(), owner=owner)):
            ok = isinstance(owner, memref.LoadOp)
        case arith.TruncFOp(result=SSAValue(type=Float16Type())):
            ok = all(isinstance(use.operation, memref.StoreOp) for use in op.result.uses)
        case _:
            return False
    if not ok:
        raise CompileError("OpenCL C computes nothing in half precision; run expand-half first")
    return True


def _convert_float(op: Operation, operands: Sequence[str], bits: int) -> Text:
    # The operand is safe to stand between operators.
    return (operands[0], True) if is_renaming(op) else _cast(op, operands, bits)


def _bitcast(op: arith.BitcastOp, operands: Sequence[str], bits: int) -> Text:
    return f"as_{c_type(op.result.type, bits)}({_bare(operands[0])})", True


def _bare(text: str) -> str:
    """Without the parentheses around it, if one pair encloses all of it."""
    if not text.startswith("(") or not text.endswith(")"):
        return text
    depth = 0
    for position, character in enumerate(text):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if depth == 0 and position < len(text) - 1:
            return text
    return text[1:-1]


def _select(_op: arith.SelectOp, operands: Sequence[str], _bits: int) -> Text:
    return f"{operands[0]} ? {operands[1]} : {operands[2]}", False


def _ceil_divide(_op: Operation, operands: Sequence[str], _bits: int) -> Text:
    return f"({operands[0]} + {operands[1]} - 1) / {operands[1]}", False


def _native(inner: Expression, flag: FastMathFlag, name: str) -> Expression:
    """An op whose flag says that in single precision the device's own approximation will do."""

    def emit(op: Operation, operands: Sequence[str], bits: int) -> Text:
        if op.results[0].type == f32 and may(op, flag):
            return f"native_{name}({', '.join(operands)})", True
        return inner(op, operands, bits)

    return emit


_NATIVE = frozenset({"cos", "exp", "exp2", "log", "log10", "log2", "sin", "sqrt", "tan"})
"""The functions of one number that OpenCL C has approximations of (specification, section 6.15.2)."""

_MATH = {
    math.AbsFOp: "fabs", math.AcosOp: "acos", math.AcoshOp: "acosh", math.AsinOp: "asin", math.AsinhOp: "asinh",
    math.AtanOp: "atan", math.AtanhOp: "atanh", math.Atan2Op: "atan2", math.CbrtOp: "cbrt", math.CeilOp: "ceil",
    math.CopySignOp: "copysign", math.CosOp: "cos", math.CoshOp: "cosh", math.ErfOp: "erf", math.ExpOp: "exp",
    math.Exp2Op: "exp2", math.ExpM1Op: "expm1", math.FmaOp: "fma", math.FloorOp: "floor", math.LogOp: "log",
    math.Log10Op: "log10", math.Log1pOp: "log1p", math.Log2Op: "log2", math.PowFOp: "pow", math.RoundEvenOp: "rint",
    math.SinOp: "sin", math.SinhOp: "sinh", math.SqrtOp: "sqrt", math.TanOp: "tan", math.TanhOp: "tanh",
    math.TruncOp: "trunc", special.ErfcOp: "erfc",
}  # fmt: skip

_EXPRESSIONS: dict[type[Operation], Expression] = {
    arith.ConstantOp: _constant,
    arith.AddiOp: _wrapping("+"),
    arith.SubiOp: _wrapping("-"),
    arith.MuliOp: _wrapping("*"),
    arith.DivSIOp: _on_signed(_infix("/")),
    arith.RemSIOp: _on_signed(_infix("%")),
    arith.DivUIOp: _unsigned_infix("/"),
    arith.RemUIOp: _unsigned_infix("%"),
    arith.CeilDivUIOp: _on_index(_ceil_divide),
    arith.MinUIOp: _on_index(_call("min")),
    arith.MaxUIOp: _on_index(_call("max")),
    arith.MinSIOp: _on_signed(_call("min")),
    arith.MaxSIOp: _on_signed(_call("max")),
    arith.AndIOp: _logical("&&", "&"),
    arith.OrIOp: _logical("||", "|"),
    arith.XOrIOp: _xor,
    arith.ShLIOp: _infix("<<"),
    arith.ShRSIOp: _infix(">>"),
    arith.ShRUIOp: _unsigned_infix(">>"),
    arith.CmpiOp: _compare_int,
    arith.CmpfOp: _compare_float,
    arith.SelectOp: _select,
    arith.AddfOp: _infix("+"),
    arith.SubfOp: _infix("-"),
    arith.MulfOp: _infix("*"),
    arith.DivfOp: _native(_infix("/"), FastMathFlag.ALLOW_RECIP, "divide"),
    arith.NegfOp: lambda op, operands, bits: (f"-{operands[0]}", False),
    arith.IndexCastOp: _cast,
    arith.SIToFPOp: _signed_cast,
    arith.UIToFPOp: _unsigned_cast,
    arith.FPToSIOp: _cast,
    arith.FPToUIOp: _to_unsigned,
    arith.ExtFOp: _convert_float,
    arith.TruncFOp: _convert_float,
    arith.BitcastOp: _bitcast,
    arith.TruncIOp: _truncate,
    arith.ExtSIOp: _signed_cast,
    arith.ExtUIOp: _unsigned_cast,
    llvm.FRemOp: _call("fmod"),
    memref.LoadOp: _load,
    LoadMemberOp: _load_member,
    ub.PoisonOp: _poison,
    offload.ZeroOp: _zero,
    gpu.GlobalIdOp: _identifier("get_global_id"),
    gpu.BlockIdOp: _identifier("get_group_id"),
    gpu.ThreadIdOp: _identifier("get_local_id"),
    special.RsqrtOp: _native(_call("rsqrt"), FastMathFlag.APPROX_FUNC, "rsqrt"),
    **{
        op: _native(_call(name), FastMathFlag.APPROX_FUNC, name) if name in _NATIVE else _call(name)
        for op, name in _MATH.items()
    },
}

"""Names in OpenCL C: the user's where possible, and never a word that the language or its library has taken."""

from __future__ import annotations

import re

from xdsl.ir import SSAValue

from hetc.analysis.naming import spelled

_KEYWORDS = """
auto break case char const continue default do double else enum extern float for goto if inline int long register
restrict return short signed sizeof static struct switch typedef union unsigned void volatile while bool half quad
complex imaginary _Bool _Complex _Imaginary kernel __kernel global __global local __local constant __constant private
__private generic __generic read_only write_only read_write uniform pipe uchar ushort uint ulong size_t ptrdiff_t
intptr_t uintptr_t event_t sampler_t image1d_t image2d_t image3d_t queue_t ndrange_t clk_event_t reserve_id_t true false
NULL INFINITY NAN HUGE_VAL HUGE_VALF MAXFLOAT INT_MIN INT_MAX LONG_MIN LONG_MAX UINT_MAX ULONG_MAX CHAR_BIT CHAR_MIN
CHAR_MAX SHRT_MIN SHRT_MAX UCHAR_MAX USHRT_MAX FLT_MAX FLT_MIN FLT_EPSILON DBL_MAX DBL_MIN DBL_EPSILON asm typeof
_Alignas _Alignof _Atomic _Generic _Noreturn _Static_assert _Thread_local
template class new delete this namespace using public protected operator virtual try catch throw unix linux vec_step
main
"""
_FUNCTIONS = """
acos acosh acospi asin asinh asinpi atan atan2 atan2pi atanh atanpi cbrt ceil copysign cos cosh cospi erf erfc exp exp10
exp2 expm1 fabs fdim floor fma fmax fmin fmod fract frexp hypot ilogb ldexp lgamma lgamma_r log log10 log1p log2 logb
mad maxmag minmag modf nan nextafter pow pown powr remainder remquo rint rootn round rsqrt sin sincos sinh sinpi sqrt
tan tanh tanpi tgamma trunc abs abs_diff add_sat clamp clz ctz hadd mad24 mad_hi mad_sat max min mul24 mul_hi popcount
rhadd rotate sub_sat upsample degrees mix radians sign smoothstep step cross distance dot length normalize fast_distance
fast_length fast_normalize all any bitselect isequal isfinite isgreater isgreaterequal isinf isless islessequal
islessgreater isnan isnormal isnotequal isordered isunordered select signbit barrier prefetch printf shuffle shuffle2
mem_fence read_mem_fence write_mem_fence work_group_barrier atom_add atomic_add get_global_id get_global_size
get_local_id get_local_size get_group_id get_num_groups get_work_dim get_global_offset
"""
_IMAGE = re.compile(r"image[123]d(_\w+)?_t")
_LIMIT = re.compile(r"(FLT|DBL|HALF|FP|S?CHAR|SHRT|INT|LONG)_[A-Z0-9_]+")
_VECTOR = re.compile(r"(u?(char|short|int|long)|float|double|half|bool|quad)(2|3|4|8|16)")
_PREFIXES = (
    "as_", "convert_", "vload", "vstore", "native_", "half_", "atomic_", "atom_", "async_", "cl", "CL", "__", "M_",
)  # fmt: skip

RESERVED = frozenset(_KEYWORDS.split()) | frozenset(_FUNCTIONS.split())


def mangle(name: str) -> str:
    """A name as OpenCL C may have it: itself, or with an underscore behind it.

    >>> mangle("price"), mangle("kernel"), mangle("float4"), mangle("größe")
    ('price', 'kernel_', 'float4_', 'gr_F6__DF_e')
    """
    plain = spelled(name)
    if not plain or plain[0].isdigit():
        plain = f"v{plain}"
    patterns = (_VECTOR, _IMAGE, _LIMIT)
    if plain in RESERVED or plain.startswith(_PREFIXES) or any(pattern.fullmatch(plain) for pattern in patterns):
        return f"{plain}_"
    return plain


class Names:
    """The names of one function's values: each its own, numbered where several would share one."""

    def __init__(self, taken: frozenset[str] = frozenset()) -> None:
        self._taken = set(taken)
        self._names: dict[SSAValue, str] = {}
        self._count = 0

    def __contains__(self, value: SSAValue) -> bool:
        return value in self._names

    def __getitem__(self, value: SSAValue) -> str:
        return self._names[value]

    def define(self, value: SSAValue) -> str:
        """A new name for a value."""
        if value.name_hint is None:
            base, self._count = f"t{self._count}", self._count + 1
        else:
            base = mangle(value.name_hint)
        self._names[value] = self.fresh(base)
        return self._names[value]

    def fresh(self, base: str) -> str:
        """A name that nothing has yet, for a variable of the printer's own."""
        name, number = base, 1
        while name in self._taken:
            number += 1
            name = f"{base}_{number}"
        self._taken.add(name)
        return name

    def alias(self, value: SSAValue, name: str) -> None:
        """A value that lives in a variable that exists."""
        self._names[value] = name

"""Kernels in `gpu`, `scf`, `arith`, `math`, `memref` -> OpenCL C text.

The printer makes no decision about the program: what an index is, what happens in a partial last group, which guards
are left, was decided by passes and stands in the IR. It chooses names and line breaks. A pure op that is used once, in
its own block, and has no name of the user's becomes part of the expression that uses it.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, gpu, memref, scf, ub
from xdsl.dialects.builtin import (
    FileLineColLoc,
    Float64Type,
    IntegerAttr,
    IntegerType,
    MemRefType,
    ModuleOp,
    f16,
    i32,
    i64,
)
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.traits import is_side_effect_free

from hetc.analysis.kernels import ADD_INTEGERS
from hetc.analysis.naming import file_name
from hetc.analysis.walking import kernels_in
from hetc.backends.opencl.expressions import expression, is_expression, is_renaming, one_dimensional
from hetc.backends.opencl.names import Names, mangle
from hetc.backends.opencl.types import c_type, declaration, memory_type, parameter_type, unsigned
from hetc.dialects import guard, offload, special
from hetc.dialects.parts.offload_records import LoadMemberOp, RecordType
from hetc.errors import CompileError

INDENT = "    "
ONE_LANE = "__attribute__((intel_vec_len_hint(1)))"
LONGEST_EXPRESSION = 100


def print_program(module: ModuleOp) -> str:
    """The OpenCL C of all kernels of a module."""
    kernels = [
        _Kernel(function, inner).text()
        for inner in module.ops
        if isinstance(inner, gpu.ModuleOp)
        for function in inner.body.block.ops
        if isinstance(function, gpu.FuncOp)
    ]
    lines = ["#pragma OPENCL FP_CONTRACT OFF"]
    if uses_fp64(module):
        lines.append("#pragma OPENCL EXTENSION cl_khr_fp64 : enable")
    if any(isinstance(op, memref.AtomicRMWOp) and op.value.type == i64 for op in module.walk()):
        lines.append("#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable")
    structs = [declaration(record) for record in records_of(module)]
    return "\n\n".join(["\n".join(lines), *structs, *kernels]) + "\n"


def records_of(module: ModuleOp) -> list[RecordType]:
    """The structs that kernels take, in order of appearance."""
    kernels = kernels_in(module)
    types = [argument.type for kernel in kernels for argument in kernel.body.block.args]
    elements = [type_.element_type for type_ in types if isinstance(type_, MemRefType)]
    return list(dict.fromkeys(element for element in elements if isinstance(element, RecordType)))


def uses_fp64(module: ModuleOp) -> bool:
    """Whether a kernel of the module computes in double precision."""
    return any(
        isinstance(value.type.element_type if isinstance(value.type, MemRefType) else value.type, Float64Type)
        for inner in module.ops
        if isinstance(inner, gpu.ModuleOp)
        for op in inner.walk()
        for value in (*op.results, *(argument for region in op.regions for b in region.blocks for argument in b.args))
    )


def index_bits(module: gpu.ModuleOp) -> int:
    """The width of `index` in a module's kernels, as `choose-index-space` set it."""
    attribute = module.attributes.get("offload.index_bits")
    return attribute.value.data if isinstance(attribute, IntegerAttr) else 64


_CALLS = arith.MaxSIOp | arith.MinSIOp | arith.MaxUIOp | arith.MinUIOp
"""What is a call in OpenCL C, and may be the bound of a loop."""


class _Kernel:
    """The text of one kernel."""

    def __init__(self, function: gpu.FuncOp, module: gpu.ModuleOp) -> None:
        self.function = function
        self.bits = index_bits(module)
        self.name = kernel_name(function)
        self.names = Names(frozenset({self.name}))
        self.inlined: dict[SSAValue, tuple[str, bool]] = {}
        self.lines: list[str] = []
        self.depth = 1
        self.place: tuple[str, int] | None = None
        self.stored = {op.memref for op in function.walk() if isinstance(op, memref.StoreOp | memref.AtomicRMWOp)} | {
            buffer for op in function.walk() if isinstance(op, guard.CheckOp) for buffer in (op.flags, op.marks)
        }

    def text(self) -> str:
        """The whole kernel."""
        block = self.function.body.block
        parameters = [self.parameter(argument) for argument in block.args]
        self.block(block)
        head = f"__kernel void {self.name}("
        joined = ", ".join(parameters)
        if len(head) + len(joined) > LONGEST_EXPRESSION:
            joined = "\n" + ",\n".join(f"{INDENT}{parameter}" for parameter in parameters)
        scalar = [ONE_LANE] if offload.SCALAR in self.function.attributes else []
        return "\n".join([*scalar, f"{head}{joined})", "{", *self.lines, "}"])

    def parameter(self, argument: SSAValue) -> str:
        """The declaration of a parameter."""
        name = self.names.define(argument)
        if isinstance(argument.type, MemRefType):
            constant = "" if argument in self.stored else "const "
            return f"__global {constant}{memory_type(argument.type.element_type)} *restrict {name}"
        return f"const {parameter_type(argument.type, self.bits)} {name}"

    def line(self, text: str) -> None:
        """One line of the body."""
        self.lines.append(f"{INDENT * self.depth}{text}")

    # ---------------------------------------------------------------------------------------------------------------
    # Values
    # ---------------------------------------------------------------------------------------------------------------

    def value(self, value: SSAValue) -> str:
        """The text of an operand, safe to stand between operators."""
        if value in self.inlined:
            text, atom = self.inlined[value]
            return text if atom else f"({text})"
        return self.names[value]

    def bare(self, value: SSAValue) -> str:
        """The text of an operand that stands alone."""
        if value in self.inlined:
            return self.inlined[value][0]
        return self.names[value]

    def compute(self, op: Operation) -> None:
        """An op that computes one value: part of a later expression, or a variable."""
        result = op.results[0]
        if is_signed_place(op, self.bits) and (result.has_one_use() or op.operands[0] not in self.inlined):
            self.inlined[result] = self.inlined.get(op.operands[0]) or (self.names[op.operands[0]], True)
            return
        text = expression(op, [self.value(operand) for operand in op.operands], self.bits)
        assert text is not None
        if isinstance(op, arith.ConstantOp | ub.PoisonOp) or is_renaming(op) or self.is_inlined(op, text[0]):
            self.inlined[result] = text
            return
        if not result.uses:
            return
        self.comment(op)
        self.line(f"const {c_type(result.type, self.bits)} {self.names.define(result)} = {text[0]};")

    def is_inlined(self, op: Operation, text: str) -> bool:
        """Whether an op's text goes into the expression that uses it."""
        result = op.results[0]
        if not result.has_one_use() or result.name_hint is not None or len(text) > LONGEST_EXPRESSION:
            return False
        (use,) = result.uses
        return (
            is_side_effect_free(op)
            and use.operation.parent is op.parent
            and not (
                isinstance(use.operation, scf.ForOp) and isinstance(op, _CALLS)
            )  # the loop would not be vectorised
            and not isinstance(op, memref.LoadOp | LoadMemberOp)
        )

    def comment(self, op: Operation) -> None:
        """The user's line that the statements from here on come from."""
        location = op.location
        if not isinstance(location, FileLineColLoc):
            return
        place = file_name(location.filename.data), location.line.data
        if place != self.place:
            self.place = place
            self.line(f"// {place[0]}:{place[1]}")

    # ---------------------------------------------------------------------------------------------------------------
    # Statements
    # ---------------------------------------------------------------------------------------------------------------

    def block(self, block: Block) -> None:
        """The statements of a block, up to its terminator."""
        for op in block.ops:
            match op:
                case memref.StoreOp():
                    self.store(op)
                case memref.AtomicRMWOp():
                    self.add_in_one_step(op)
                case memref.AllocaOp():
                    self.share(op)
                case gpu.BarrierOp():
                    self.line("barrier(CLK_LOCAL_MEM_FENCE);")
                case scf.IfOp():
                    self.branch(op)
                case scf.ForOp():
                    self.count(op)
                case scf.WhileOp():
                    self.loop(op)
                case guard.CheckOp():
                    self.check(op)
                case arith.MulSIExtendedOp():
                    self.multiply_extended(op)
                case special.SinCosOp():
                    self.sine_and_cosine(op)
                case scf.YieldOp() | scf.ConditionOp() | gpu.ReturnOp():
                    pass
                case _ if is_expression(op):
                    self.compute(op)
                case _:
                    raise CompileError(f"the op '{op.name}' has no OpenCL C; a pass must lower it first")

    def store(self, op: memref.StoreOp) -> None:
        """An assignment to an element, which rounds to half precision."""
        one_dimensional(op)
        self.comment(op)
        value, buffer, index = self.bare(op.value), self.value(op.memref), self.bare(op.indices[0])
        half = op.value.type == f16
        self.line(f"vstore_half_rte({value}, {index}, {buffer});" if half else f"{buffer}[{index}] = {value};")

    def add_in_one_step(self, op: memref.AtomicRMWOp) -> None:
        """An atomic addition; what was there before is a variable, if somebody needs it."""
        one_dimensional(op)
        if op.kind.value.data != ADD_INTEGERS:
            raise CompileError("of the atomic operations, only additions of integers have OpenCL C")
        self.comment(op)
        function = "atomic_add" if op.value.type == i32 else "atom_add"
        text = f"{function}(&{self.value(op.memref)}[{self.bare(op.indices[0])}], {self.bare(op.value)});"
        before = (
            f"const {c_type(op.result.type, self.bits)} {self.names.define(op.result)} = " if op.result.uses else ""
        )
        self.line(before + text)

    def share(self, op: memref.AllocaOp) -> None:
        """An array that a work-group shares."""
        type_ = op.memref.type
        if type_.memory_space != offload.LOCAL or op.parent is not self.function.body.block:
            raise CompileError("only arrays in local memory, made by the kernel's own block, have OpenCL C")
        (length,) = type_.get_shape()
        aligned = "" if op.alignment is None else f" __attribute__((aligned({op.alignment.value.data})))"
        self.line(f"__local {memory_type(type_.element_type)} {self.names.define(op.memref)}[{length}]{aligned};")

    def nested(self, block: Block) -> None:
        """A block, indented."""
        self.depth += 1
        self.block(block)
        self.depth -= 1

    def declare(self, values: Sequence[SSAValue], inits: Sequence[SSAValue | None]) -> list[str]:
        """Variables for values that branches or loops assign."""
        names: list[str] = []
        texts = [None if init is None else self.bare(init) for init in inits]
        for value, text in zip(values, texts, strict=True):
            name = self.names.define(value)
            start = "" if text is None else f" = {text}"
            self.line(f"{c_type(value.type, self.bits)} {name}{start};")
            names.append(name)
        return names

    def assign(self, names: Sequence[str], values: Sequence[SSAValue]) -> None:
        """Assign all at once: a value that an earlier assignment would overwrite is saved first."""
        pairs = [(n, v, self.bare(v)) for n, v in zip(names, values, strict=True) if self.bare(v) != n]
        texts: list[str] = []
        for position, (name, value, text) in enumerate(pairs):
            earlier = {name for name, _, _ in pairs[:position]}
            if earlier & self.variables(value):
                saved = self.names.fresh(f"{name}_next")
                self.line(f"const {c_type(value.type, self.bits)} {saved} = {text};")
                texts.append(saved)
            else:
                texts.append(text)
        for (name, _, _), text in zip(pairs, texts, strict=True):
            self.line(f"{name} = {text};")

    def variables(self, value: SSAValue) -> set[str]:
        """The variables that the text of a value reads."""
        if value not in self.inlined:
            return {self.names[value]} if value in self.names else set()
        found: set[str] = set()
        if isinstance(value.owner, Operation):
            for operand in value.owner.operands:
                found |= self.variables(operand)
        return found

    def branch(self, op: scf.IfOp) -> None:
        """`scf.if`."""
        self.comment(op)
        names = self.declare(op.results, [None] * len(op.results))
        self.line(f"if ({self.bare(op.cond)}) {{")
        self.branch_block(op.true_region.block, names)
        if op.false_region.blocks and (names or op.false_region.block.first_op is not op.false_region.block.last_op):
            self.line("} else {")
            self.branch_block(op.false_region.block, names)
        self.line("}")

    def branch_block(self, block: Block, names: Sequence[str]) -> None:
        """One branch, which ends by assigning the results."""
        self.depth += 1
        self.block(block)
        terminator = block.last_op
        if names and terminator is not None:
            self.assign(names, terminator.operands)
        self.depth -= 1

    def count(self, op: scf.ForOp) -> None:
        """`scf.for`: the carried values are variables that the body assigns."""
        self.comment(op)
        variable, *carried = op.body.block.args
        for argument, result in zip(carried, op.results, strict=True):
            argument.name_hint = argument.name_hint or result.name_hint
        names = self.declare(carried, list(op.iter_args))
        for result, name in zip(op.results, names, strict=True):
            self.names.alias(result, name)
        name = self.names.define(variable)
        type_ = c_type(variable.type, self.bits)
        low, high, step = self.bare(op.lb), self.value(op.ub), self.value(op.step)
        advance = f"++{name}" if step in ("1", "1L", "1u", "1ul") else f"{name} += {step}"
        self.tell_compiler(op)
        self.line(f"for ({type_} {name} = {low}; {name} < {high}; {advance}) {{")
        self.depth += 1
        self.block(op.body.block)
        terminator = op.body.block.last_op
        assert terminator is not None
        self.assign(names, terminator.operands)
        self.depth -= 1
        self.line("}")

    def loop(self, op: scf.WhileOp) -> None:
        """`scf.while`: compute the condition, leave or go on, in one endless loop."""
        self.comment(op)
        before, after = op.before_region.block, op.after_region.block
        condition = before.last_op
        assert isinstance(condition, scf.ConditionOp)
        for argument, passed in zip(after.args, condition.args, strict=True):
            if isinstance(passed.owner, Block) and passed.name_hint is None:
                passed.name_hint = argument.name_hint
        names = self.declare(before.args, list(op.arguments))
        passed_names = self.passed_names(op, condition, names)
        self.tell_compiler(op)
        self.line("while (true) {")
        self.depth += 1
        self.block(before)
        self.assign(passed_names, condition.args)
        self.line(f"if (!{self.value(condition.condition)})")
        self.line(f"{INDENT}break;")
        for argument, name in zip(after.args, passed_names, strict=True):
            self.names.alias(argument, name)
        self.block(after)
        terminator = after.last_op
        assert terminator is not None
        self.assign(names, terminator.operands)
        self.depth -= 1
        self.line("}")

    def tell_compiler(self, loop: scf.ForOp | scf.WhileOp) -> None:
        """Before a loop that `limit-vectorization` or `unroll-loops` marked."""
        if offload.SCALAR in loop.attributes:
            self.line("#pragma clang loop vectorize(disable)")
        rounds = loop.attributes.get(offload.UNROLL)
        if isinstance(rounds, IntegerAttr):
            self.line(f"#pragma unroll {rounds.value.data}")

    def passed_names(self, op: scf.WhileOp, condition: scf.ConditionOp, names: Sequence[str]) -> list[str]:
        """The variables of what the condition passes on: those of the carried values, if it passes these themselves."""
        found: list[str] = []
        for result, passed in zip(op.results, condition.args, strict=True):
            if isinstance(passed, BlockArgument) and passed.owner is op.before_region.block:
                self.names.alias(result, names[passed.index])
                found.append(self.names[result])
            else:
                found += self.declare([result], [None])
        return found

    def check(self, op: guard.CheckOp) -> None:
        """A guard that is left: note the failure, and leave unless it may stay."""
        self.comment(op)
        flags = self.value(op.flags)
        self.line(f"if (!{self.value(op.condition)}) {{  // {op.reason.data}")
        self.line(f"{INDENT}{flags}[{op.slot.value.data}] = 1;")
        if op.mark is not None and op.marks is not None:
            self.line(f"{INDENT}{self.value(op.marks)}[{self.bare(op.mark)}] = 1;")
        if op.stay is None:
            self.line(f"{INDENT}return;")
        self.line("}")

    def multiply_extended(self, op: arith.MulSIExtendedOp) -> None:
        """The halves of a product that are used."""
        self.comment(op)
        a, b = self.value(op.lhs), self.value(op.rhs)
        type_, wrapping = c_type(op.low.type, self.bits), unsigned(op.low.type)
        for value, text in ((op.low, f"({type_})(({wrapping}){a} * ({wrapping}){b})"), (op.high, f"mul_hi({a}, {b})")):
            if value.uses:
                self.line(f"const {type_} {self.names.define(value)} = {text};")

    def sine_and_cosine(self, op: special.SinCosOp) -> None:
        """Two variables, the second of which the function assigns through a pointer."""
        self.comment(op)
        type_ = c_type(op.operand.type, self.bits)
        sine, cosine = self.names.define(op.sine), self.names.define(op.cosine)
        self.line(f"{type_} {cosine};")
        self.line(f"const {type_} {sine} = sincos({self.bare(op.operand)}, &{cosine});")


def kernel_name(function: gpu.FuncOp) -> str:
    """The C name of a kernel."""
    return mangle(function.sym_name.data)


def is_signed_place(op: Operation, bits: int) -> bool:
    """Whether an op makes a place in memory of a signed integer as wide as an index, which will do as it is.

    It is not negative: there is no element before the first. Where C leaves it undefined what a sum comes to that
    overflows, a compiler may add what is constant of it to an address; of unsigned integers, which wrap, it may not.
    """
    if not isinstance(op, arith.IndexCastOp) or op.input.type != IntegerType(bits) or bits == _WIDE:
        return False
    return bool(op.result.uses) and all(
        isinstance(use.operation, memref.LoadOp | memref.StoreOp) and use.operation.indices[0] is op.result
        for use in op.result.uses
    )


_WIDE = 64
"""The width of an index that is as wide as an address: then there is nothing to gain."""

"""The compiler from front to back: composition and signature in, package out. The sole composer of the stages.

    composition, signature --frontends--> level 0 --passes--> level 3 --backend--> hetc.abi.Package

The pipeline is `PIPELINE`, one tuple, in which the facts about a device fill the gaps. Importing this module imports
xDSL; `hetc.dispatch` does so when a call has no compiled kernel yet.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from io import StringIO
from math import prod
from typing import Protocol

from xdsl.context import Context
from xdsl.dialects import arith, func, gpu, llvm, math, memref, scf, tensor, ub
from xdsl.dialects.builtin import ArrayAttr, Builtin, ModuleOp, StringAttr
from xdsl.dialects.complex import Complex
from xdsl.passes import ModulePass
from xdsl.printer import Printer
from xdsl.transforms.canonicalize import CanonicalizePass
from xdsl.transforms.common_subexpression_elimination import CommonSubexpressionElimination
from xdsl.universe import Universe
from xdsl.utils.arg_spec import ArgSpec, parse_pipeline
from xdsl.utils.exceptions import PassFailedException, VerifyException

from hetc.abi import LONGEST, DeviceTraits, HostPlan, Package, Refused, Signature, ValueType
from hetc.analysis.branch_profile import Samples, mark_seen_branches
from hetc.analysis.fast_math import FAST_MATH, LICENSED
from hetc.analysis.locations import location_attribute
from hetc.analysis.verification import Verifier
from hetc.backends.opencl.host_plan import host_plan as emit_host_plan
from hetc.backends.opencl.printer import uses_fp64
from hetc.backends.opencl.target import emit_package
from hetc.dataclass import dataclass
from hetc.diagnostics import Category
from hetc.dialects.dyn import DYN
from hetc.dialects.guard import GUARD, WARNS, WIDENED, Warns
from hetc.dialects.heap import HEAP
from hetc.dialects.obj import OBJ
from hetc.dialects.offload import OFFLOAD
from hetc.dialects.skel import SKEL
from hetc.dialects.special import SPECIAL
from hetc.errors import CompileError, SourceLocation, UnsupportedError
from hetc.extensions import ExtensionError, extensions, placed
from hetc.frontends.loops.host_code import host_module as emit_host_module
from hetc.frontends.loops.host_names import CallFacts
from hetc.frontends.loops.rewrite import HostFunction
from hetc.frontends.python.closure import Resolution
from hetc.frontends.python.source import name_of
from hetc.frontends.skeleton.composition import Stages, functions
from hetc.frontends.skeleton.emit import emit_module
from hetc.frontends.skeleton.resolution import resolve_stages
from hetc.passes.batch import BatchPass
from hetc.passes.bound_loops import BoundLoopsPass
from hetc.passes.box_elimination import BoxEliminationPass
from hetc.passes.check_dependences import CheckDependencesPass
from hetc.passes.check_floats import CheckFloatsPass
from hetc.passes.choose_index_space import ChooseIndexSpacePass
from hetc.passes.choose_layout import ChooseLayoutPass
from hetc.passes.coarsen_kernels import CoarsenKernelsPass
from hetc.passes.cooperation.spreading import Spread
from hetc.passes.cooperation.summing import GroupSum
from hetc.passes.defer_guards import DeferGuardsPass
from hetc.passes.drop_unused_inputs import DropUnusedInputsPass
from hetc.passes.drop_waits import DropWaitsPass
from hetc.passes.expand_half import ExpandHalfPass
from hetc.passes.flatten_tuples import FlattenTuplesPass
from hetc.passes.fold_ranges import FoldRangesPass
from hetc.passes.fuse_sincos import FuseSincosPass
from hetc.passes.fuse_skeletons import FuseSkeletonsPass
from hetc.passes.guard_elimination import GuardEliminationPass
from hetc.passes.hide_complements import HideComplementsPass
from hetc.passes.hide_negations import HideNegationsPass
from hetc.passes.hide_truncations import HideTruncationsPass
from hetc.passes.hoist_guards import HoistGuardsPass
from hetc.passes.inline import InlinePass
from hetc.passes.limit_vectorization import LimitVectorizationPass
from hetc.passes.lower_complex import LowerComplexPass
from hetc.passes.lower_guards import LowerGuardsPass
from hetc.passes.lower_heap import LowerHeapPass
from hetc.passes.merge_warnings import MergeWarningsPass
from hetc.passes.narrow_addresses import NarrowAddressesPass
from hetc.passes.narrow_integers import NarrowIntegersPass
from hetc.passes.offer_layouts import OfferLayoutsPass
from hetc.passes.outline_kernels import OutlineKernelsPass
from hetc.passes.overlap_copies import OverlapCopiesPass
from hetc.passes.pack_records import PackRecordsPass
from hetc.passes.peel_borders import PeelBordersPass
from hetc.passes.prepare_filters import PrepareFiltersPass
from hetc.passes.relax_floats import RelaxFloatsPass
from hetc.passes.reserve_lists import ReserveListsPass
from hetc.passes.save_written_arrays import SaveWrittenArraysPass
from hetc.passes.share_buffers import ShareBuffersPass
from hetc.passes.sink_guards import SinkGuardsPass
from hetc.passes.specialize import SpecializePass
from hetc.passes.split_gathers import SplitGathersPass
from hetc.passes.spread_loops import SpreadLoopsPass
from hetc.passes.sum_in_groups import SumInGroupsPass
from hetc.passes.tile_loops import TileLoopsPass
from hetc.passes.transfer_elimination import TransferEliminationPass
from hetc.passes.unroll_loops import UnrollLoopsPass
from hetc.passes.version_lengths import VersionLengthsPass
from hetc.passes.warning_elimination import WarningEliminationPass
from hetc.passes.widen_loads import WidenLoadsPass
from hetc.runtime import profile
from hetc.runtime.describe import describe
from hetc.timeline.events import Kind

PIPELINE = (
    # level 0 -> 1: types
    "specialize",
    # level 1 -> 2: what is left is what the program computes
    "inline",
    "flatten-tuples",
    "box-elimination",
    "canonicalize",
    "cse",
    "{check_floats}",
    "fold-ranges",
    "guard-elimination",
    "check-dependences{{atomics={atomics}}}",
    "hoist-guards",
    "bound-loops",
    "fold-ranges",
    "guard-elimination",
    "warning-elimination",
    "fuse-skeletons",
    "prepare-filters",
    "peel-borders",
    "canonicalize",
    "drop-unused-inputs",
    "reserve-lists",
    # level 2 -> 3: kernels and the host's plan
    "outline-kernels{{levels={levels} lanes={lanes} {copies} {groups}}}",
    "choose-layout{{in-place={in_place}}}",
    "lower-heap{{atomics={atomics}}}",
    "lower-complex",
    "expand-half",
    "choose-index-space{{group={group} loop-group={loop_group} tail={tail} index-bits={index_bits}}}",
    "{version_lengths}",
    "narrow-integers{{addresses={addresses}}}",
    "merge-warnings",
    "{sink_guards}",
    "defer-guards",
    "lower-guards{{float-products={float_products}}}",
    "{share_buffers}",
    "save-written-arrays",
    "narrow-addresses",
    "canonicalize",
    "cse",
    "relax-floats{{contract={contract} {exact}}}",
    "fuse-sincos",
    "{coarsen_kernels}",
    "{widen_loads}",
    "{sum_in_groups}",
    "{spread_loops}",
    "{tile_loops}",
    "pack-records",
    "batch",
    "drop-waits",
    "{overlap_copies}",
    "{hide_negations}",
    "{hide_complements}",
    "{hide_truncations}",
    "{split_gathers}",
    "{limit_vectorization}",
    "{unroll_loops}",
    "{offer_layouts}",
)
"""The default pipeline. The gaps in braces are filled from a device's row of `DEVICE_CHOICES`, and where a call is
debugged."""

LEVEL_STARTS = {"specialize": 1, "inline": 2, "outline-kernels": 3}
"""The first pass on the way to each level."""


MOST_STRIPS = 4096
"""So many partial results one work-item still scans in no time."""


@dataclass(frozen=True)
class DeviceChoices:
    """What the passes are told about a family of devices.

    The first of `levels`, `copies`, `strips`, `coarse_work` and `groups` count per compute unit. With `groups`, those
    that run at a time, the work-items of a group exchange data in local memory.
    """

    tail: str
    group: int
    loop_group: int
    index_bits: int
    levels: tuple[int, ...]
    lanes: int
    copies: int = 16
    copies_group: int = 1
    copies_near: int = 16 << 10
    strips: int = 256
    strands: int = 4
    scalar_loops: str = "none"
    scalar_branches: bool = False
    scalar_gathers: bool = False
    short_versions: bool = False
    hidden_negations: str = "none"
    hidden_idioms: bool = False
    sunk_guards: bool = False
    contract: bool = False
    exact: tuple[str, ...] = ()
    coarse_work: int = 0
    coarse_shape: tuple[int, ...] = ()
    unrolled: int = 0
    groups: int = 0
    tile_bytes: int = 0
    spread_work: int = 0
    spread_bytes: int = 0
    layouts: tuple[int, ...] = ()
    blocks: tuple[int, ...] = ()


DEVICE_CHOICES = {
    "intel-cpu": DeviceChoices(
        "split", group=4096, loop_group=64, index_bits=64, levels=(1024, 64), lanes=16,
        scalar_loops="all", scalar_branches=True, scalar_gathers=True, hidden_negations="negations", hidden_idioms=True,
        exact=("cos", "divf", "exp", "rsqrt", "sin", "tan"), coarse_work=1024, coarse_shape=(16, 4),
        short_versions=True, layouts=(256, 1024, 8192), blocks=(16, 16, 8, 64),
    ),
    "pocl": DeviceChoices(
        "single", group=1024, loop_group=64, index_bits=64, levels=(1024, 64), lanes=8, scalar_loops="floats",
        coarse_work=1024, coarse_shape=(16, 4),
    ),
    "cpu": DeviceChoices(
        "split", group=1024, loop_group=64, index_bits=64, levels=(1024, 64), lanes=16, scalar_loops="floats",
        coarse_work=1024, coarse_shape=(16, 4),
    ),
    "gpu": DeviceChoices(
        "guard", group=256, loop_group=256, index_bits=32, levels=(1024, 8192, 64), lanes=256,
        hidden_negations="absolutes", copies=64, copies_group=0, copies_near=0, strips=0, sunk_guards=True,
        contract=True, coarse_work=8192, unrolled=4, groups=8, tile_bytes=32 << 10, spread_work=128,
        spread_bytes=40 << 10, short_versions=True,
    ),
}  # fmt: skip
"""The per-device table. Why: the docstrings of the passes that are told."""

_PASSES: dict[str, type[ModulePass]] = {
    pass_.name: pass_
    for pass_ in (
        SpecializePass, InlinePass, FlattenTuplesPass, BoxEliminationPass, CanonicalizePass,
        CommonSubexpressionElimination, FoldRangesPass, GuardEliminationPass, HoistGuardsPass, BoundLoopsPass,
        FuseSkeletonsPass, PeelBordersPass, PrepareFiltersPass, CheckDependencesPass, DropUnusedInputsPass,
        OutlineKernelsPass, ChooseLayoutPass, LowerComplexPass, ExpandHalfPass, ChooseIndexSpacePass,
        NarrowIntegersPass, DeferGuardsPass, LowerGuardsPass, ShareBuffersPass, ReserveListsPass, LowerHeapPass,
        VersionLengthsPass, MergeWarningsPass, SumInGroupsPass,
        RelaxFloatsPass, SaveWrittenArraysPass, HideNegationsPass, HideComplementsPass, HideTruncationsPass,
        LimitVectorizationPass, SinkGuardsPass, NarrowAddressesPass, CoarsenKernelsPass, FuseSincosPass,
        UnrollLoopsPass, WarningEliminationPass, BatchPass, TileLoopsPass, SpreadLoopsPass, WidenLoadsPass,
        DropWaitsPass, CheckFloatsPass, OverlapCopiesPass, PackRecordsPass, SplitGathersPass, OfferLayoutsPass,
    )
}  # fmt: skip

FRONTEND, BACKEND = "frontend", "opencl"
"""The names of the first and last stage, beside those of the passes."""


class Composition(Protocol):
    """An array function, as far as the compiler knows it."""

    @property
    def stages(self) -> Stages: ...


def pipeline(traits: DeviceTraits, *, checks: bool = False) -> tuple[str, ...]:
    """The passes for a device, each as `hetc-opt -p` takes it; with `checks`, those that look for floats gone wrong.

    >>> [step.partition(" strips")[0] for step in pipeline(DeviceTraits("cpu")) if step.startswith("outline")]
    ['outline-kernels{levels=1024,64 lanes=16 copies=16 copies-group=1 copies-near=16384']
    """
    choices = DEVICE_CHOICES[traits.family]
    facts = {
        "levels": ",".join(map(str, (choices.levels[0] * traits.compute_units, *choices.levels[1:]))),
        "copies": f"copies={choices.copies * traits.compute_units} copies-group={choices.copies_group} "
        f"copies-near={choices.copies_near} "
        f"strips={min(choices.strips * traits.compute_units, MOST_STRIPS)} strands={choices.strands}",
        "lanes": min(choices.lanes, traits.max_group_size),
        "groups": _groups(choices, traits),
        "group": min(choices.group, traits.max_group_size),
        "loop_group": min(choices.loop_group, traits.max_group_size),
        "atomics": _atomics(traits),
        "tail": choices.tail,
        "index_bits": choices.index_bits,
        "addresses": str(choices.index_bits == 32).lower(),
        "float_products": str(choices.tail != "guard" and traits.fp64).lower(),
        "check_floats": "check-floats" if checks else "",
        "contract": str(choices.contract).lower(),
        "exact": f"exact={','.join(choices.exact)}" if choices.exact else "",
        "version_lengths": "version-lengths" if choices.short_versions else "",
        "sink_guards": "sink-guards" if choices.sunk_guards else "",
        "coarsen_kernels": _coarsening(choices, traits),
        "widen_loads": "widen-loads" if choices.tail == "guard" and not traits.shared_memory else "",
        "sum_in_groups": _for_few("sum-in-groups", GroupSum.lanes, choices, traits),
        "spread_loops": _for_few("spread-loops", Spread.lanes, choices, traits),
        "tile_loops": f"tile-loops{{local-memory={min(choices.tile_bytes, traits.local_memory)}}}"
        if choices.tile_bytes
        else "",
        "unroll_loops": f"unroll-loops{{rounds={choices.unrolled}}}" if choices.unrolled else "",
        "in_place": str(traits.shared_memory).lower(),
        "share_buffers": "share-buffers" if traits.shared_memory else "",
        "overlap_copies": "" if traits.shared_memory else "overlap-copies",
        "hide_negations": _hidden(choices),
        "hide_complements": "hide-complements" if choices.hidden_idioms else "",
        "hide_truncations": "hide-truncations" if choices.hidden_idioms else "",
        "split_gathers": "split-gathers" if choices.scalar_gathers else "",
        "limit_vectorization": _limits(choices),
        "offer_layouts": _layouts(choices, traits),
    }
    return tuple(filter(None, placed([step.format(**facts) for step in PIPELINE])))


def passes_by_level(traits: DeviceTraits) -> Iterator[tuple[int, ArgSpec]]:
    """The passes for a device, each with the level that it is on the way to."""
    level = 1
    for spec in parse_pipeline(",".join(pipeline(traits))):
        level = LEVEL_STARTS.get(spec.name, level)
        yield level, spec


def _groups(choices: DeviceChoices, traits: DeviceTraits) -> str:
    if not choices.groups:
        return "groups=0"
    count, words = choices.groups * traits.compute_units, str(not traits.shared_memory).lower()
    return f"groups={count} local-memory={traits.local_memory} atomics={_atomics(traits)} words={words}"


def _for_few(name: str, lanes: int, choices: DeviceChoices, traits: DeviceTraits) -> str:
    """A pass whose groups of so many work-items share the work of few elements, where a device has such groups."""
    if not choices.spread_work or traits.max_group_size < lanes:
        return ""
    memory = min(choices.spread_bytes, traits.local_memory)
    units = f" units={traits.compute_units}" if name == SpreadLoopsPass.name else ""
    return f"{name}{{most={choices.spread_work * traits.compute_units} local-memory={memory}{units}}}"


def _coarsening(choices: DeviceChoices, traits: DeviceTraits) -> str:
    if not choices.coarse_work or prod(choices.coarse_shape) > traits.max_group_size:
        return ""
    shape, words = ",".join(map(str, choices.coarse_shape)), str(not traits.shared_memory).lower()
    how = f"shape={shape}" if shape else f"words={words}"
    return f"coarsen-kernels{{least={choices.coarse_work * traits.compute_units} {how}}}"


def _atomics(traits: DeviceTraits) -> str:
    return "32,64" if traits.int64_atomics else "32"


def _limits(choices: DeviceChoices) -> str:
    if choices.scalar_loops == "none":
        return ""
    chosen = {"branches": choices.scalar_branches, "gathers": choices.scalar_gathers}
    marks = " ".join(f"{name}={str(value).lower()}" for name, value in chosen.items())
    return f"limit-vectorization{{loops={choices.scalar_loops} {marks}}}"


def _layouts(choices: DeviceChoices, traits: DeviceTraits) -> str:
    if not choices.layouts:
        return ""
    groups = ",".join(str(group) for group in choices.layouts if group <= traits.max_group_size)
    blocks = ",".join(map(str, choices.blocks))
    return f"offer-layouts{{groups={groups} blocks={blocks}}}" if blocks else f"offer-layouts{{groups={groups}}}"


def _hidden(choices: DeviceChoices) -> str:
    if choices.hidden_negations == "none":
        return ""
    return f"hide-negations{{absolutes={str(choices.hidden_negations == 'absolutes').lower()}}}"


@functools.lru_cache(maxsize=32)
def _pass_objects(specs: tuple[str, ...]) -> tuple[ModulePass, ...]:
    return tuple(_pass_class(spec.name).from_spec(spec) for spec in parse_pipeline(",".join(specs)))


def _pass_class(name: str) -> type[ModulePass]:
    """The pass of a name: hetc's own, or one that an extension has placed in the pipeline."""
    if name in _PASSES:
        return _PASSES[name]
    known = Universe.get_multiverse().all_passes
    if name not in known:
        raise ExtensionError(f"an extension places the pass {name}, which no installed package has")
    return known[name]()


@functools.lru_cache(maxsize=1)
def context() -> Context:
    """The dialects that the compiler knows; one a process."""
    ctx = Context()
    for dialect in (
        Builtin, arith.Arith, Complex, func.Func, gpu.GPU, llvm.LLVM, math.Math, memref.MemRef, scf.Scf, tensor.Tensor,
        ub.UB, DYN, OBJ, HEAP, GUARD, SKEL, SPECIAL, OFFLOAD,
    ):  # fmt: skip
        ctx.load_dialect(dialect)
    if extensions():
        for name, load in Universe.get_multiverse().all_dialects.items():
            if name not in ctx.registered_dialect_names:
                ctx.register_dialect(name, load)
    return ctx


@dataclass(frozen=True)
class Request:
    """What to compile, and for which device. `captures` types the captured variables of `resolution`.

    `samples` are elements of the call, for a profile of its branches; without them nothing is speculated on, nor at the
    places `widened`, where it has failed before. With `warns`, the call finds out whether, or where, NumPy warns; with
    `checks`, too, floats become none. With `fastmath`, floats may be computed faster than exactly.
    """

    stages: Stages
    signature: Signature
    captures: Mapping[str, ValueType | Refused]
    resolution: Resolution
    traits: DeviceTraits
    name: str = "kernel"
    verify: bool = False
    samples: Samples | None = None
    widened: frozenset[SourceLocation] = frozenset()
    warns: Warns | None = None
    checks: bool = False
    fastmath: bool = False


def frontend(request: Request) -> ModuleOp:
    """The level-0 module; with the branches marked that the samples take."""
    module = emit_module(request.name, request.stages, request.signature, request.captures, request.resolution)
    if request.warns is not None:
        module.attributes[WARNS] = StringAttr(request.warns)
    if request.fastmath:
        module.attributes[FAST_MATH] = LICENSED
    if request.widened:
        module.attributes[WIDENED] = ArrayAttr(map(location_attribute, sorted(request.widened, key=str)))
    if request.samples is not None:
        mark_seen_branches(module, request.samples, request.widened)
    return module


Clock = Callable[[str, float], None]
Watch = Callable[[str, ModuleOp], None]


def stages(traits: DeviceTraits, *, checks: bool = False) -> tuple[str, ...]:
    """The names of the stages that `levels` passes through, in order; the backend is not among them."""
    return (FRONTEND, *(pass_.name for pass_ in _pass_objects(pipeline(traits, checks=checks))))


def levels(request: Request, clock: Clock | None = None) -> Iterator[tuple[str, ModuleOp]]:
    """The module after the frontend and after each pass, one object that changes. `clock` is told each stage's seconds.

    Raises UnsupportedError for what is not compiled, CompileError for a pass that fails.
    """
    start = time.perf_counter()
    verifier = Verifier()
    try:
        module = frontend(request)
    except RecursionError:
        raise _too_deep() from None
    seconds = time.perf_counter() - start
    if request.verify:
        with _failures_of(FRONTEND):
            verifier.verify(module)
    if clock is not None:
        clock(FRONTEND, seconds)
    yield FRONTEND, module
    passes = _pass_objects(pipeline(request.traits, checks=request.checks))
    yield from later_levels(module, passes, verifier if request.verify else None, clock)


def later_levels(
    module: ModuleOp, passes: Sequence[ModulePass], verifier: Verifier | None, clock: Clock | None = None
) -> Iterator[tuple[str, ModuleOp]]:
    """The module after each of some passes, as `levels` has it: verified after each, if there is a verifier."""
    for pass_ in passes:
        start = time.perf_counter()
        with _failures_of(pass_.name):
            pass_.apply(context(), module)
            seconds = time.perf_counter() - start
            if verifier is not None:
                verifier.verify(module)
        if clock is not None:
            clock(pass_.name, seconds)
        yield pass_.name, module


@contextlib.contextmanager
def _failures_of(stage: str) -> Generator[None]:
    """What fails in a stage, as an error of the compiler's that names it."""
    try:
        yield
    except (PassFailedException, VerifyException) as error:
        raise CompileError(f"{stage}: {error}") from error
    except RecursionError:
        raise _too_deep() from None


def _too_deep() -> UnsupportedError:
    return UnsupportedError(
        "a function is nested too deeply to be compiled",
        hint="split its expressions into statements",
        category=Category.NESTING,
    )


def compile(request: Request, watch: Watch | None = None) -> Package:  # noqa: A001 (what it does)
    """A package for the runtime, with the seconds of each stage. `watch` is shown the module after each.

    Raises UnsupportedError for what is not compiled for this device, CompileError for a pass that fails.
    """
    seconds: list[tuple[str, float]] = []

    def clock(stage: str, taken: float) -> None:
        end = profile.now()
        profile.note(Kind.COMPILE, stage, end - int(taken * 1e9), end)
        seconds.append((stage, taken))

    module = ModuleOp([])
    for stage, module in levels(request, clock):
        if watch is not None:
            watch(stage, module)
    start = time.perf_counter()
    if not request.traits.fp64 and uses_fp64(module):
        raise UnsupportedError(
            "the function computes in double precision, which the device does not have",
            hint="use numpy.float32 arrays and numpy functions; math.* and Python floats are double precision",
            category=Category.NO_FP64,
        )
    package = emit_package(module, request.traits)
    clock(BACKEND, time.perf_counter() - start)
    return dataclasses.replace(package, pass_seconds=tuple(seconds))


def host_module(host: HostFunction, facts: CallFacts) -> ModuleOp:
    """The host's code of a function with parallel loops, with what is decided about copies of arrays."""
    with profile.span(Kind.COMPILE, TransferEliminationPass.name):
        module = emit_host_module(host, facts)
        TransferEliminationPass().apply(context(), module)
    return module


def host_plan(host: HostFunction, facts: CallFacts) -> HostPlan:
    """Where the arrays of a function with parallel loops are copied, in calls with certain facts."""
    return emit_host_plan(host_module(host, facts))


def module_text(module: ModuleOp) -> str:
    """A module as MLIR text, for reading: without locations."""
    output = StringIO()
    Printer(output).print_op(module)
    return output.getvalue() + "\n"


def level0(
    composition: Composition, signature: Signature, name: str | None = None, *, fastmath: bool = False
) -> ModuleOp:
    """The level-0 module of an array function for inputs of which only the types are known.

    Captured variables are read now.
    """
    request = request_for_types(composition.stages, signature, DeviceTraits(), name)
    return frontend(dataclasses.replace(request, fastmath=fastmath))


def request_for_types(stages: Stages, signature: Signature, traits: DeviceTraits, name: str | None = None) -> Request:
    """What to compile for inputs of which only the types are known. Captured variables are read now."""
    resolution = resolve_stages(stages)
    # No captured array has this length, so none is taken to be as long as the inputs.
    _, captures = describe([range(_NO_LENGTH)], resolution.captures)
    return Request(stages, signature, captures, resolution, traits, name or entry_name(stages))


def request_for_inputs(
    stages: Stages, inputs: Sequence[object], traits: DeviceTraits, name: str, *, fastmath: bool = False
) -> Request:
    """What to compile for these very inputs. Captured variables are read now."""
    resolution = resolve_stages(stages, inputs)
    signature, captures = describe(inputs, resolution.captures)
    return Request(stages, signature, captures, resolution, traits, name, fastmath=fastmath)


def package_of(module: ModuleOp, traits: DeviceTraits) -> Package:
    """A package for the runtime from a module of any level: what is left of the pipeline is run on it."""
    names = {op.name.partition(".")[0] for op in module.walk()}
    level = 3 if OFFLOAD.name in names else 1 if SKEL.name in names and DYN.name not in names else 0
    for to_level, spec in passes_by_level(traits):
        if to_level > level:
            _pass_class(spec.name).from_spec(spec).apply(context(), module)
    return emit_package(module, traits)


_NO_LENGTH = LONGEST - 1


def entry_name(stages: Stages) -> str:
    """A name for the compiled function: the variable that holds it, or the first function's own name."""
    names = [name for function in functions(stages) if (name := name_of(function)) is not None]
    return names[0] if names else "kernel"

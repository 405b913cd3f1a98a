"""`hetc run`: data from texts, runs in the interpreters, and passes that are checked for meaning."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter
from xdsl.universe import Universe

from hetc.dialects import guard
from hetc.errors import HetcError
from hetc.tools import cli, run_main
from hetc.tools.data_text import RandomData, read_data, read_value

Run = Callable[..., str]

PROGRAMS = """\
import hetc
import numpy as np

weights = [1.0, 2.0, 4.0]
scale = 3

def reciprocal(x): return 1 // x
def weighted(x): return weights[x % 3] * scale
def power(n):
    r = 1
    for i in range(1, n + 1):
        r *= i
    return r
def turn(x): return (x + 1j) ** 2
def pair(x, y): return x / y, [x, y][0]
def maybe(x): return None if x < 3 else x
total = hetc.map(lambda x: x * x).reduce(lambda p, q: p + q, 0)
running = hetc.scan(lambda p, q: p + q)
before = hetc.map(lambda x: 2 * x).scan(lambda p, q: p + q, 0, exclusive=True)
def items(n): return [k * k for k in range(n)]
def divisors(n):
    found = []
    for k in range(n):
        if n % (k + 1) == 0:
            found.append((k + 1, 0.5 * k))
    return found
def grown(n):
    found = [n]
    for k in range(n):
        found.append(found[k] + k)
        if k == 3:
            found[0] = 7
    return len(found) + sum(found)
all_grown = hetc.map(grown).reduce(lambda p, q: p + q, 0)
def leaving(n):
    found = []
    for k in range(n):
        found.append(1 // (5 - k))
    return found
odd = hetc.filter(lambda n: n > 2).map(lambda n: [k for k in range(n) if k % 2])
large = hetc.filter(lambda x: x > 30)
tripled = hetc.map(lambda x: x * 3).filter(lambda x: x > 30)
sums = tripled.scan(lambda p, q: p + q)
both_large = hetc.zip().filter(lambda p: p[0] > 30 and p[1] > 0.1)
inverses = hetc.map(lambda x: (x, 1 / x)).filter(lambda p: p[1] < 0.5)
permuted = hetc.map(lambda x: x + 1).gather([2, 0, 1])
least = hetc.map(lambda x: -x).argmin()

class Item:
    def __init__(self, size): self.size = size

def made(n): return [Item(float(k)) for k in range(n)]
big = hetc.filter(lambda item: item.size > 1.5)
edges = hetc.map(lambda x: x - 1).stencil(lambda w: w[0] - w[1], 1, "constant", 7).map(lambda x: x // 2)
corners = hetc.stencil(lambda w: w[-2, 1] - w[1, -2], radius=2, boundary="mirror")
both = corners.stencil(lambda w: w[0, 0] + w[1, 1], boundary="wrap")

@hetc.jit
def differences(x, y):
    for i in hetc.forall(len(y)):
        y[i] = x[i] - 2 * y[i]

@hetc.jit
def counted(bins, x):
    for i in hetc.forall(len(x)):
        bins[x[i]] += 1
    total = 0
    for i in hetc.forall(len(bins)):
        total += bins[i]
    return total

table = np.linspace(1, 2, 140)

def quotients(a):
    total = 0.0
    for k in range(len(table)):
        total += a / table[k]
    return total

def digits(a):
    total = 0
    for k in range(1, 140):
        total += a // k
    return total

sums, counts = hetc.map(quotients), hetc.map(digits)
fast_sums = sums.options(fastmath=True)
fast_roots = hetc.map(lambda x, y: 1 / np.sqrt(x * x + y * y)).options(fastmath=True)
fast_pair = hetc.map(pair).options(fastmath=True)

@hetc.jit
def product(a, b, c):
    for i, j in hetc.forall(c.shape[0], c.shape[1]):
        total = 0.0
        for k in range(a.shape[1]):
            total += a[i, k] * b[k, j]
        c[i, j] = total
"""


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    path = tmp_path / "programs.py"
    path.write_text(PROGRAMS)
    return path


@pytest.fixture
def run(programs: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """A function that runs `hetc-run` on a program and returns what it prints."""
    monkeypatch.chdir(programs.parent)

    def call(*arguments: str) -> str:
        run_main.main(arguments)
        return capsys.readouterr().out.rstrip("\n")

    return call


@pytest.fixture
def fails(run: Run, capsys: pytest.CaptureFixture[str]) -> Run:
    """A function that runs `hetc-run`, which has to fail, and returns what it prints, errors last."""

    def call(*arguments: str) -> str:
        with pytest.raises(SystemExit) as caught:
            run(*arguments)
        assert caught.value.code == 1
        captured = capsys.readouterr()
        return (captured.out + captured.err).rstrip("\n")

    return call


# --- Data ------------------------------------------------------------------------------------------------------------


def test_data_from_files(tmp_path: Path):
    x, y = np.arange(3, dtype=np.float32), np.ones(3)
    np.save(tmp_path / "x.npy", x)
    np.savez(tmp_path / "xy.npz", x=x, y=y)
    assert read_data(str(tmp_path / "x.npy"), RandomData()).tolist() == x.tolist()
    assert read_data(f"{tmp_path / 'xy.npz'}:y", RandomData()).dtype == y.dtype
    with pytest.raises(HetcError, match="no array 'z'; there is: x, y"):
        read_data(f"{tmp_path / 'xy.npz'}:z", RandomData())
    (tmp_path / "text.npy").write_text("no array")
    with pytest.raises(HetcError, match=r"text.npy is no file of arrays"):
        read_data(str(tmp_path / "text.npy"), RandomData())


@pytest.mark.parametrize("dtype", ["b1", "i8", "u8", "i64", "u64", "f16", "f32", "f64", "c64", "c128"])
def test_random_data_is_the_same_for_a_seed(dtype: str):
    first, again = (read_data(f"{dtype}[257]", RandomData(7)) for _ in range(2))
    assert first.dtype == np.dtype({"b1": "bool"}.get(dtype, dtype.replace("c64", "c8").replace("c128", "c16")
        if dtype[0] == "c" else f"{dtype[0]}{int(dtype[1:]) // 8}"))  # fmt: skip
    assert np.array_equal(first, again)
    assert not np.array_equal(first, read_data(f"{dtype}[257]", RandomData(8)))


def test_random_data_has_a_shape():
    grid = read_data("f32[3, 5]", RandomData(7))
    assert (grid.shape, grid.dtype) == ((3, 5), np.float32)
    assert np.array_equal(grid.reshape(-1), read_data("f32[15]", RandomData(7)))
    with pytest.raises(HetcError, match=r"int\[2,2\]: arrays of NumPy's types alone have several dimensions"):
        read_data("int[2,2]", RandomData())


def test_random_data_has_limits():
    numbers = read_data("int[1000]", RandomData(low=-5, high=5))
    assert type(numbers[0]) is int
    assert set(numbers) == set(range(-5, 5))
    assert set(read_data("u8[1000]", RandomData(low=-5, high=1000))) <= set(range(256))
    pairs = read_data("(f32, bool)[4]", RandomData())
    assert [tuple(map(type, pair)) for pair in pairs] == [(np.float32, bool)] * 4
    assert read_data("range[5]", RandomData()) == range(5)
    assert read_value("2.5", RandomData()) == 2.5


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("f32[?]", "f32[?]: random data needs a length, such as f32[1000]"),
        ("3", "3 is one value, where a sequence of elements is needed, such as [3]"),
        ("f32[3], f32[3]", "f32[3], f32[3] is several inputs; give them as several arguments"),
        ("f33[3]", "unknown element type 'f33'; did you mean 'f32'?"),
    ],
)
def test_no_data(text: str, message: str):
    with pytest.raises(HetcError, match=re.escape(message)):
        read_data(text, RandomData())


# --- In the interpreters ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("passes", ["", "level-1", "level-1,level-2", "default"])
def test_every_level_is_interpreted(run: Run, passes: str):
    text = run("programs.py:reciprocal", "[3, 1, 0, -1]", "--interpret", "-p", passes)
    *values, failed = (line.partition(": ") for line in sorted(text.split("\n"), key=lambda line: "Python" in line))
    assert [(index, value) for index, _, value in values] == [("0", "0"), ("1", "1"), ("3", "-1")]
    assert failed[0] == "2"
    assert "division" in failed[2]


def test_the_interpreters_save_what_is_whole(run: Run, fails: Run, tmp_path: Path):
    said = fails("programs.py:reciprocal", "[1, 0]", "--interpret", "-o", "out.npy")
    assert said.endswith("1 elements go to Python, so that there is no result to save")
    run("programs.py:reciprocal", "[1, 2]", "--interpret", "-o", "out.npy")
    assert np.load(tmp_path / "out.npy").tolist() == [1, 0]


# --- Checking passes -------------------------------------------------------------------------------------------------

CHECKED = [
    ("reciprocal", "[3, 1, 0, -1]"),
    ("weighted", "int[7]"),
    ("power", "[1, 5, 20, 21, 25]"),
    ("turn", "float[5]"),
    ("pair", "float[3]", "[0.0, 1.0, 2.0]"),
    ("maybe", "[1, 5]"),
    ("maybe", "[1, 5.5]"),
    *((name, "[3, 1, 0, 4, 30, 6]") for name in ("items", "divisors", "grown", "all_grown", "odd")),
    *((name, "int[9]") for name in ("large", "tripled", "sums", "permuted", "least")),
    ("both_large", "u8[7]", "f32[7]"),
    ("inverses", "[3, 1, 2]"),
    ("inverses", "[3, 0, 2]"),
    ("edges", "[3, 1, 4, 1, 5]"),
    ("edges", "i32[9]"),
    ("corners", "f32[5,4]"),
    ("both", "u8[3,7]"),
    ("differences", "u8[7]", "u8[7]"),
    ("differences", "f64[9]", "f64[7]"),
    ("counted", "=np.zeros(5, 'u4')", "[3, 1, 3]"),
    *((name, f"int[{size}]") for name in ("total", "running", "before") for size in (1, 7, 70)),
]


@pytest.mark.parametrize("device", ["intel-cpu", "gpu"])
@pytest.mark.parametrize("program", CHECKED, ids="-".join)
def test_every_pass_keeps_the_meaning(run: Run, program: tuple[str, ...], device: str):
    name, *data = program
    text = run(f"programs.py:{name}", *data, "--check-passes", "--device-traits", device)
    assert "WRONG" not in text
    assert "not checked" not in text
    assert text.count("\n") > 20


EXAMPLES = [
    ("saxpy", "saxpy", "f32[5]", "f32[5]"),
    ("dot", "dot", "f32[70]", "f32[70]"),
    ("black_scholes", "black_scholes", "f32[3]", "f32[3]", "f32[3]", "--low", "0.5", "--high", "2"),
    ("heat", "diffuse", "f64[3,5]"),
    ("heat", "some_rounds", "f32[2,2]"),
    ("life", "generation", "u8[5,4]", "--high", "2"),
    ("loops", "saxpy", "2.5", "f32[5]", "f32[5]"),
    ("loops", "mandelbrot", "i32[1,2]"),
    ("loops", "energy", "f64[7]", "f64[7]", "f64[7]"),
    ("mandelbrot", "mandelbrot", "range(3)"),
    ("matrix_product_2x2", "matrix_product", "float[5]", "float[5]"),
    ("nbody", "nbody", "f32[1]", "f32[1]", "f32[1]"),
]

GALLERY = [
    ("mandelbrot", "escape", "i32[2,2]"),
    ("nbody", "simulate", *(f"=stars(4)[{k}]" for k in range(4)), "1"),
    ("kmeans", "nearest", "f64[5]", "f64[5]", "f64[3]", "f64[3]", "i64[5]"),
    ("heat", "step", "f64[4,4]"),
    ("options", "prices", "f64[3]", "f64[3]", "--low", "0.3"),
    ("filters", "blurred", "f64[4,5]"),
    ("filters", "edges", "f64[3,3]"),
    ("life", "generation", "i32[4,3]", "--high", "3"),
    ("monte_carlo", "prices", "range(1)"),
    ("pagerank", "pagerank", "=np.array([0, 1, 3])", "=np.array([1, 0, 1])", "f64[3]", "f64[2,2]", "f64[2]", "1"),
    ("ray_marching", "brightness", "[51360]"),
    ("epidemics", "peak", "f64[1]", "f64[1]"),
]

OBJECTS = [
    ("kmeans_objects", "kmeans", "=random_points(5)"),
    ("kmeans_objects", "move_clusters", "=clusters[:3]", "=random_points(5)", "=[0, 1, 2, 1, 0]"),
    ("nbody_objects", "nbody", "=random_bodies(1)"),
    ("nbody_objects", "simulate", "=random_bodies(3)", "1"),
    ("pagerank_objects", "pagerank", "=random_web(5)[0]", "=random_web(5)[1]", "1"),
    ("gallery/molecule", "distances", "=helix(2)", "f64[4,4]"),
]


def named(program: tuple[str, ...]) -> str:
    return "-".join(program[:2])


@pytest.fixture
def examples(repository: Path, tmp_path: Path) -> Path:
    """The examples; N-body with few bodies, since each step of the interpreters is one of Python's."""
    folder, copies = repository / "examples", tmp_path / "examples"
    (copies / "gallery").mkdir(parents=True)
    for path in [*folder.glob("*.py"), *folder.glob("gallery/*.py")]:
        text = path.read_text().replace("BODIES = 8192", "BODIES = 5").replace("bodies(512)", "bodies(5)")
        (copies / path.relative_to(folder)).write_text(text)
    assert "BODIES = 5" in (copies / "nbody.py").read_text()
    return copies


@pytest.mark.parametrize("program", EXAMPLES, ids=named)
def test_every_pass_keeps_the_meaning_of_the_examples(run: Run, examples: Path, program: tuple[str, ...]):
    file, name, *data = program
    assert re.fullmatch(r"(?s)(.*all checked\n?)+", run(f"{examples}/{file}.py:{name}", *data, "--check-passes"))


@pytest.mark.parametrize("program", GALLERY, ids=named)
def test_every_pass_keeps_the_meaning_of_the_gallery_on_a_gpu(run: Run, examples: Path, program: tuple[str, ...]):
    file, name, *data = program
    text = run(f"{examples}/gallery/{file}.py:{name}", *data, "--check-passes", "--device-traits", "gpu")
    assert re.fullmatch(r"(?s)(.*all checked\n?)+", text)


@pytest.mark.parametrize(
    ("program", "passes"),
    [
        (("sums", "[0.5, 1.5]"), ("spread-loops", "tile-loops")),
        (("counts", "[7, 4611686018427387903, 4611686018427387904]"), ("spread-loops",)),
        (("product", "f64[1,33]", "f64[33,2]", "f64[1,2]"), ("tile-loops",)),
        (("fast_sums", "[0.5, 1.5]"), ("sum-in-groups",)),
        (("fast_roots", "f32[9]", "f32[9]"), ("relax-floats",)),
    ],
)
def test_what_groups_do_together_keeps_the_meaning(run: Run, program: tuple[str, ...], passes: tuple[str, ...]):
    """The passes have changed something, and elements that fail are those that did.

    What is computed under `fastmath` goes through the passes for it, and may be off by more than the last digits.
    """
    name, *data = program
    text = run(f"programs.py:{name}", *data, "--check-passes", "--device-traits", "gpu")
    assert text.endswith("all checked")
    assert all(re.search(rf"\n{changed} +same", text) for changed in passes)


@pytest.mark.parametrize("program", OBJECTS, ids=named)
def test_every_pass_keeps_the_meaning_of_the_examples_with_objects(run: Run, examples: Path, program: tuple[str, ...]):
    """What loops store in objects is compared from level 0 on, all else with Python."""
    file, name, *data = program
    text = run(f"{examples}/{file}.py:{name}", *data, "--check-passes")
    assert re.fullmatch(r"(?s)(.*all checked\n?)+", text)
    assert "Python" not in text  # no element goes there


def test_all_examples_are_checked(examples: Path):
    programs = {path.stem for path in examples.glob("*.py")} - {"__init__", "demo", "picture"}
    gallery = {path.stem for path in examples.glob("gallery/*.py")} - {"__init__", "__main__"}
    checked = {file for file, *_ in EXAMPLES + OBJECTS} | {f"gallery/{file}" for file, *_ in GALLERY}
    assert checked == programs | {f"gallery/{name}" for name in gallery}


def test_objects_that_are_kept_are_the_very_objects(run: Run):
    text = run("programs.py:big", "=made(4)", "--check-passes")
    assert text.endswith("all checked")
    assert re.search(r"\nprepare-filters +same\n", text)


def test_what_the_function_raises_is_shown_at_its_line(fails: Callable[..., str], tmp_path: Path):
    (tmp_path / "raises.py").write_text("def f(x):\n    return len(str(1 // x))\n\n\ndef g(x, y):\n    return x + y\n")
    path = str(tmp_path / "raises.py")
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        said = fails(f"{path}:f", "[1, 0]")
    assert f"HETC0011: {path}:2:16: str() of numbers is not compiled\n" in said  # a warning, at the user's line
    assert said.endswith(
        f"{path}:2:20: the function raises ZeroDivisionError: integer division or modulo by zero\n"
        "    return len(str(1 // x))\n                   ^^^^^^"
    )
    assert "Traceback" not in said
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        said = fails(f"{path}:g", "[1, 0]")
    assert said.endswith("the function raises TypeError: g() missing 1 required positional argument: 'y'")


def test_lists_whose_items_are_left_to_python(run: Run):
    """The second element takes more than the heap has room for at first, the third goes to Python."""
    text = run("programs.py:leaving", "[3, 5, 6, 0]", "--check-passes")
    assert re.search(r"\nlower-heap +same, 1 elements go to Python\n", text)
    assert text.endswith("all checked")


def test_what_is_not_interpreted_is_said(run: Run):
    text = run("programs.py:power", "[1, 5]", "--check-passes", "-p", "specialize,convert-scf-to-cf")
    assert re.search(
        r"\nconvert-scf-to-cf +not checked: the interpreter does not know functions of several blocks", text
    )
    assert text.endswith("3 states, 1 not checked")


@dataclass(frozen=True)
class BreakPass(ModulePass):
    """One of several mistakes that a pass may make."""

    name = "break"
    mistake: str = ""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in list(op.walk()):
            match self.mistake:
                case "swap" if isinstance(inner, arith.SubiOp | arith.DivSIOp | arith.DivfOp):
                    inner.operands = inner.operands[::-1]
                case "guard" if isinstance(inner, guard.RequireOp):
                    Rewriter.erase_op(inner)
                case "lose" if isinstance(inner, guard.RequireOp):
                    false = arith.ConstantOp.from_int_and_width(0, 1)
                    assert inner.parent is not None
                    inner.parent.insert_op_before(false, inner)
                    inner.operands = [false.result]
                case _:
                    pass


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the pass known."""
    universe = Universe.get_multiverse()
    universe.all_passes["break"] = lambda: BreakPass
    monkeypatch.setattr(Universe, "get_multiverse", staticmethod(lambda: universe))


@pytest.mark.usefixtures("broken")
@pytest.mark.parametrize(
    ("program", "mistake", "said"),
    [
        (("pair", "[3.0, 1.0]", "[4.0, 1.0]"), "swap", r"element 0 is \(1.33\d*, 3.0\) instead of \(0.75, 3.0\)"),
        (("fast_pair", "[3.0, 1.0]", "[4.0, 1.0]"), "swap", r"element 0 is \(1.33\d*, 3.0\) instead of \(0.75, 3.0\)"),
        (("power", "[3, 25]"), "guard", r"element 1 is \d+ instead of 15511210043330985984000000"),
        (("power", "[3, 25]"), "lose", r"element 0 goes to Python \(.*64 bits.*\), and did not before"),
        (
            ("reciprocal", "[3, 0]"),
            "lose",
            r"element 0 goes to Python \(integer division by zero\), and did not before",
        ),
        (("differences", "i8[2]", "i8[2]"), "swap", r"element 2 is np.int8\(\S+\) instead of np.int8\(\S+\)"),
        (("edges", "[3, 1, 4]"), "swap", r"element 0 is .* instead of 1"),
    ],
)
def test_a_broken_pass_is_found(fails: Run, program: tuple[str, ...], mistake: str, said: str):
    name, *data = program
    pipeline = f'level-1,level-2,break{{mistake="{mistake}"}},cse'
    text = fails(f"programs.py:{name}", *data, "--check-passes", "-p", pipeline)
    wrong = text.split("\n")[-2]
    assert re.fullmatch(f"break +WRONG: {said}", wrong), text


@pytest.mark.usefixtures("broken")
def test_a_broken_pass_over_a_module_is_found(fails: Run, hetc_opt: Callable[..., str], tmp_path: Path):
    level1 = hetc_opt(f"{tmp_path}/programs.py:power", "--args", "int[?]", "-p", "level-1")
    (tmp_path / "level1.mlir").write_text(level1)
    text = fails(f"{tmp_path}/level1.mlir", "[3, 25]", "--check-passes", "-p", 'inline,break{mistake="guard"}')
    assert re.search(r"break +WRONG: element 1 is -?\d+, but it must go to Python: the result of '\*' does not", text)


# --- Mistakes --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("programs.py:pair",), 'no data: give each input, such as x.npy, "[1, 2]", or "f32[1000]" for random numbers'),
        (("programs.txt", "[1]"), "expected FILE.py:NAME or FILE.mlir, not 'programs.txt'"),
        (("programs.py:par", "[1]"), "programs.py: no array function 'par'; did you mean 'pair'?"),
        (
            ("programs.py:pair", "[1]", "--capture", "x=1"),
            "--capture is for IR; a Python function has its own variables",
        ),
        (("programs.py:pair", "[1]", "-p", "cse"), "-p goes with --interpret or --check-passes; .*"),
        (("programs.py:power", "[1]", "-p", "inlin", "--interpret"), "no pass 'inlin'; did you mean 'inline'?"),
        (("programs.py:power", "none.npy"), "none.npy: No such file or directory"),
        (("programs.py:power", "=hetc.mapp"), r"=hetc.mapp raises AttributeError: module 'hetc' has no .*"),
        (("none.mlir", "[1]"), "none.mlir: No such file or directory"),
    ],
)
def test_a_mistake_is_one_line(fails: Run, arguments: tuple[str, ...], said: str):
    pattern = re.sub(r"(?<!\.\*)[\[\]?]", lambda bracket: "\\" + bracket[0], said)
    assert re.fullmatch(f"hetc run: error: {pattern}", fails(*arguments))


def test_invalid_ir_has_a_place(fails: Run, tmp_path: Path):
    (tmp_path / "invalid.mlir").write_text("func.func @f(%x: f32) -> i32 {\n  func.return %x : f32\n}\n")
    first, source, _ = fails("invalid.mlir", "f32[3]").split("\n")
    assert first.startswith("invalid.mlir:2:3: error: Expected arguments ")
    assert source == "  func.return %x : f32"


def test_it_is_a_command_of_hetc(run: Run, capsys: pytest.CaptureFixture[str]):
    cli.main(["run", "programs.py:reciprocal", "[1, 2]", "--interpret"])
    assert capsys.readouterr().out == "0: 1\n1: 0\n"

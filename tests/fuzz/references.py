"""Programs over objects that refer to others: edges among nodes, which many share, and nodes that lead to others."""

from __future__ import annotations

from tests.fuzz.grammar import Generator, indented

DECLARATION = """\
import dataclasses


@dataclasses.dataclass(eq=False{slots})
class Node:
    value: float
    count: int = 0
    other: int = 1
    left: object = None
    right: object = None

    def add(self, amount):
        self.count += amount

    def next(self, key):
        return self.left if key < self.other else self.right

    @property
    def twice(self):
        return self.value * 2


@dataclasses.dataclass(eq=False{slots})
class Edge:
    source: Node
    target: object
    weight: int = 1
    length: float = 0.5


def network(size, count, factor, start):
    nodes = [Node(k / 4 - 1, start + k, k % 5 - 1) for k in range(size)]
    for k, one in enumerate(nodes):
        one.left = nodes[2 * k + 1] if 2 * k + 1 < size else None
        one.right = nodes[2 * k + 2] if 2 * k + 2 < size else None
    ends = [(k * factor % size, (k * k + 1) % size) for k in range(count)] if size else []
    return nodes, [Edge(nodes[k], None if k % 3 == 2 else nodes[m], k - m, m / 8) for k, m in ends]
"""

_INTEGERS = ("1", "2", "e.weight", "e.weight * 3", "i", "e.source.other", "e.source.count", "2**40", "1 - i")
_FLOATS = (
    "0.5",
    "e.length",
    "e.length * i",
    "e.source.other * 0.25",
    "e.source.value",
    "e.source.twice",
    "1 / (i - 6)",
)
_WRITES = (
    "e.source.count {sign} {integer}",
    "e.source.count {sign} {integer}",
    "if e.target is not None: e.target.count {sign} {integer}",
    "e.source.add({integer})",
    "e.source.value = {number}",
    "e.source.value {sign} {number}",
    "e.length = {number}",
    "e.length {sign} {number}",
    "e.weight = {integer}",
    "e.target.value = {number}",
    "if e.target is not None: e.length = e.target.value",
    "one = e.source if e.weight > 0 else e.target\nif one is not None: one.other {sign} 1",
    "one = e.target\nif one is not None and one is not e.source: one.count += 1",
    "e.source.left = None",
    "nodes[i % len(nodes)].count {sign} {integer}",
    "nodes[-1 - i % len(nodes)].value = {number}",
    "if e.source.left is not None: e.source.left.count {sign} {integer}",
    "node, n = e.source, 0\nwhile node is not None:\n    node, n = node.next(i % 4), n + 1\ne.weight = n",
)
_RESULTS = (
    "e.source.value * {number}",
    "e.source.count + {integer}",
    "0 if e.target is None else e.target.other",
    "e.target.value + {number}",
    "e.source",
    "e.target",
    "(e.source, e.target, i)",
    "e.source is e.target",
    "e.source if e.weight > 0 else e.target",
    "e.source.next(i % 4)",
    "e.source.left is not None and e.source.left.left is e.target",
    "depth(e.source, i)",
    "Edge(e.source, e.target, {integer}, {number})",
)
_DEPTH = """\
def depth(node, key):
    steps = 0
    while node is not None:
        node, steps = node.next(key % 4), steps + 1
    return steps
"""


def draw_references(g: Generator, name: str) -> tuple[list[str], str, list[list[str]]]:
    """The declarations and the function, the text of the composition, and of the inputs of two calls."""
    g.constructs |= {"objects", "objects: references"}
    declaration = DECLARATION.format(slots=g.pick("", "", ", slots=True")).splitlines()
    calls = [_inputs(g, large=False), _inputs(g, large=g.maybe(0.2))]
    way = g.pick("loop", "loop", "loop", "map of edges", "map of places", "map that assigns")
    g.constructs.add(f"objects: references, {way}")
    if way == "loop":
        lines = ["e = edges[i]", *_statements(g)]
        space = g.pick("len(edges)", "len(edges)", "len(nodes)")
        body = [f"for i in hetc.forall({space}):", *indented(lines)]
        function = [f"def {name}(nodes, edges):", *indented(body)]
        return [*declaration, "", "", *function], f"hetc.jit({name})", [[f"*{text}"] for text in calls]
    result = f"return {_filled(g, g.pick(*_RESULTS))}"
    functions = [*declaration, "", "", *_DEPTH.splitlines(), "", ""]
    if way == "map of places":
        functions += ["nodes, edges = network(7, 23, 3, 0)", "", ""]
        function = [f"def {name}(i):", *indented(["e = edges[i % 23]", result])]
        return functions + function, f"hetc.map({name})", [[f"range({g.pick(1, 7, 40, 257)})"] for _ in calls]
    lines = [result] if way == "map of edges" else [*_statements(g), result]
    lines = [line for line in lines if "nodes" not in line] or [result]
    function = [f"def {name}(e, i):", *indented(lines)]
    inputs = [[f"*(lambda edges: (edges, range(len(edges))))({text}[1])"] for text in calls]
    return functions + function, f"hetc.map({name})", inputs


def _inputs(g: Generator, *, large: bool) -> str:
    size, count = g.pick((1, 1), (3, 8), (7, 7), (20, 20), (9, 255), (64, 257), (300, 257), (0, 0))
    start = g.pick("2**63 - 20", "-2**63", "2**40") if large else "0"
    return f"network({size}, {count}, {g.pick(1, 1, 3, 7)}, {start})"


def _statements(g: Generator) -> list[str]:
    found = [_filled(g, g.pick(*_WRITES)) for _ in range(g.pick(1, 1, 1, 2, 2, 3))]
    return [line for text in found for line in text.splitlines()]


def _filled(g: Generator, text: str) -> str:
    return text.format(sign=g.pick("+=", "+=", "-="), integer=g.pick(*_INTEGERS), number=g.pick(*_FLOATS))

"""How a program is drawn: templates with holes, by kind of value, and what may be used where.

A rule says what a construct looks like, for one kind of value: `("int", "//", "({int} // {int})")`. Filling a hole
draws a rule of the hole's kind, one level less deep; at the ground stand the variables in scope and constants. So a
construct is added in one place, as one line, and is counted by its name.

Each program uses a random part of the language (*swarm testing*: Groce, Zhang, Eide, Chen and Regehr, ISSTA 2012):
most of the core, and few of the other constructs but those often. One construct that is not compiled sends the whole
program to Python, so that programs that use everything would all run there.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

_HOLE = re.compile(r"\{(\w+)\}")

KINDS = ("int", "float", "bool", "complex")
"""The kinds of numbers. A kind says what operators make sense; the types are those of the data."""


@dataclass(frozen=True)
class Rule:
    """One way to write an expression of a kind.

    * `core` is false for constructs that a program uses seldom but then often.
    * `grows`: repeating it in a loop may make integers of millions of digits.
    * `numpy`: it gives NumPy's scalars, also from Python's numbers. Most programs on Python's numbers do without, since
      a variable would have two types.
    * `inexact`: OpenCL does not round the result correctly. Such a value is only returned, since a comparison or a
      subtraction would make any difference of its last bit.
    """

    kind: str
    construct: str
    template: str | Callable[[Generator, int], str]
    weight: float = 1.0
    core: bool = True
    grows: bool = False
    numpy: bool = False
    inexact: bool = False


@dataclass(frozen=True)
class Form:
    """One way to write a statement; `build` gives its lines, indented from column 0."""

    construct: str
    build: Callable[[Generator, int], list[str]]
    weight: float = 1.0
    core: bool = True
    in_loop: bool = False
    compound: bool = False


@dataclass(frozen=True)
class Language:
    """All rules and statement forms."""

    rules: Sequence[Rule]
    forms: Sequence[Form]

    def optional(self) -> list[str]:
        """The names of the constructs that are no part of the core."""
        return sorted({part.construct for part in (*self.rules, *self.forms) if not part.core})


@dataclass(frozen=True)
class Variable:
    """A variable in scope. One that counts a loop is `fixed`: nothing else assigns it."""

    name: str
    kind: str
    fixed: bool = False


@dataclass
class Generator:
    """Draws one function. `random` is the only source of choice, so a seed gives the same program again."""

    random: random.Random
    language: Language
    variables: list[Variable] = field(default_factory=list[Variable])
    constructs: set[str] = field(default_factory=set[str])
    loops: int = 0
    in_function: int = 0
    result_kind: str = "int"
    pair: bool = False
    numpy: bool = True
    anchors: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    _excluded: set[str] = field(default_factory=set[str])
    _favoured: set[str] = field(default_factory=set[str])
    _numbers: dict[str, int] = field(default_factory=dict[str, int])

    def swarm(self) -> None:
        """Choose the part of the language for this program."""
        core = sorted({part.construct for part in (*self.language.rules, *self.language.forms) if part.core})
        self._excluded = {construct for construct in core if self.random.random() < 0.25}
        optional = self.language.optional()
        chosen = self.random.sample(optional, self.random.choice([0, 0, 0, 0, 0, 1, 1, 1, 2, 3]))
        self._favoured = set(chosen)
        self._excluded |= set(optional) - self._favoured

    # ------------------------------------------------------------------------------------------------------------
    # Choices
    # ------------------------------------------------------------------------------------------------------------

    def maybe(self, probability: float) -> bool:
        return self.random.random() < probability

    def pick(self, *choices: str) -> str:
        return self.random.choice(choices)

    def fresh(self, stem: str) -> str:
        """A name that no other variable of the program has."""
        self._numbers[stem] = self._numbers.get(stem, -1) + 1
        return f"{stem}{self._numbers[stem]}"

    def names(self, kind: str) -> list[str]:
        return [variable.name for variable in self.variables if variable.kind == kind]

    def _weight(self, part: Rule | Form) -> float:
        return part.weight * (6.0 if part.construct in self._favoured else 1.0)

    # ------------------------------------------------------------------------------------------------------------
    # Expressions
    # ------------------------------------------------------------------------------------------------------------

    def expression(self, kind: str, depth: int) -> str:
        """An expression of a kind."""
        if depth <= 0 or self.maybe(0.15):
            return self.atom(kind)
        rules = [
            rule
            for rule in self.language.rules
            if rule.kind == kind
            and rule.construct not in self._excluded
            and not rule.inexact
            and not (rule.grows and self.loops)
            and (self.numpy or not rule.numpy)
        ]
        if not rules:
            return self.atom(kind)
        return self.use(self.random.choices(rules, [self._weight(rule) for rule in rules])[0], depth)

    def use(self, rule: Rule, depth: int) -> str:
        """An expression by a rule."""
        self.constructs.add(rule.construct)
        if callable(rule.template):
            return rule.template(self, depth - 1)
        return self.fill(rule.template, depth - 1)

    def fill(self, template: str, depth: int) -> str:
        """A template with its holes filled, from left to right.

        A hole is a kind, `kind0` for a variable or constant, or `kind_` for what meets a value of another path.
        """

        def hole(match: re.Match[str]) -> str:
            name = match[1]
            if name.endswith("0"):
                return self.atom(name[:-1])
            return self.anchored(name[:-1], depth) if name.endswith("_") else self.expression(name, depth)

        return _HOLE.sub(hole, template)

    def atom(self, kind: str) -> str:
        """A variable of the kind, mostly, or a constant."""
        if kind == "number":
            kind = self.random.choice(
                [variable.kind for variable in self.variables if variable.kind in KINDS] or ["int"]
            )
        names = self.names(kind)
        if names and self.maybe(0.75):
            return self.random.choice(names)
        return self.random.choice(CONSTANTS[kind])

    def anchored(self, kind: str, depth: int) -> str:
        """An expression that mostly has the type of a parameter of the kind: two paths then give one type."""
        if kind not in self.anchors or self.maybe(0.15):
            return self.expression(kind, depth)
        name = self.random.choice(self.anchors[kind])
        if kind == "bool":
            return name
        operator = self.pick("+", "-") if self.loops or kind != "int" else self.pick("+", "-", "*", "|")
        return f"({name} {operator} {self.expression(kind, depth - 1)})" if self.maybe(0.8) else name

    def inexact(self, kind: str, depth: int) -> str | None:
        """A call of a function that OpenCL does not round correctly, if there is one of this kind."""
        rules = [r for r in self.language.rules if r.kind == kind and r.inexact and r.construct not in self._excluded]
        favoured = [rule for rule in rules if rule.construct in self._favoured]
        if not rules or (not favoured and self.maybe(0.7)):
            return None
        return self.use(self.random.choice(favoured or rules), depth)

    # ------------------------------------------------------------------------------------------------------------
    # Statements
    # ------------------------------------------------------------------------------------------------------------

    def block(self, depth: int, most: int = 3) -> list[str]:
        """One or a few statements in a scope of their own: what they define first is not used after them."""
        before = list(self.variables)
        lines = [line for _ in range(self.random.randint(1, most)) for line in self.statement(depth)]
        if not self.maybe(0.05):  # else a variable may be read that has no value
            self.variables = before
        return lines

    def statement(self, depth: int) -> list[str]:
        """The lines of one statement."""
        forms = [
            form
            for form in self.language.forms
            if form.construct not in self._excluded
            and (self.loops or not form.in_loop)
            and (depth > 0 or not form.compound)
        ]
        form = self.random.choices(forms, [self._weight(form) for form in forms])[0]
        self.constructs.add(form.construct)
        return form.build(self, depth)

    def result(self, depth: int) -> str:
        """What the function returns, always of the same shape."""
        kind = self.result_kind
        return f"({self.anchored(kind, depth)}, {self.anchored(kind, 1)})" if self.pair else self.anchored(kind, depth)


CONSTANTS: dict[str, Sequence[str]] = {
    "int": ("0", "1", "2", "-1", "3", "5", "7", "10", "-4", "100", "255", "32767", "2147483647", "9007199254740993"),
    "float": ("0.0", "1.0", "-1.0", "0.5", "-2.5", "3.0", "0.1", "1e3", "-0.0", "1e-3", "1e300", "limit"),
    "bool": ("True", "False"),
    "complex": ("1j", "(2-1j)", "0j", "(0.5+2j)"),
    "index": ("0", "1", "-1"),
    "sequence": ("table", "weights", "matrix", "levels"),
}


def indented(lines: Sequence[str]) -> list[str]:
    """Lines, one level deeper."""
    return [f"    {line}" if line else "" for line in lines]

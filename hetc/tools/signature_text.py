"""The text form of a call's signature, as `hetc-opt --args` takes it.

One input after the other, all of one length::

    signature ::= input ("," input)*
    input     ::= "array"? element "[" length "]" | "range" ("[" length "]")?
    element   ::= name | "(" element ("," element)* ","? ")"
    length    ::= "?" | integer

A `name` is one of `hetc.abi.SCALAR_TYPES`: `f32[?]` is a NumPy array of float32, `int[?]` a list of Python integers,
`(f32, f32)[?]` a list of pairs, `range` a Python range, `array f32[?]` a portable array of float32. A length does not
change the compiled code; it is there to be read, and so that two that contradict each other are found.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass, field

from hetc.abi import (
    INT32_MAX,
    SCALAR_TYPES,
    Bounds,
    Container,
    ElementType,
    InputKind,
    ScalarType,
    Signature,
    TupleType,
    ValueType,
    leaves,
)
from hetc.errors import HetcError


class SignatureTextError(HetcError, ValueError):
    """The text of a signature is malformed; the message shows where, with a caret."""


def parse_signature(text: str) -> Signature:
    """The signature that a text describes. Raises `SignatureTextError`.

    Integers of lists are taken to be any 64-bit number, those of a range to lie in [0, 2**31 - 1].

    >>> [str(value.element) for value in parse_signature("f32[?], (int, bool)[?]").inputs]
    ['f32', '(int, bool)']
    >>> parse_signature("f32[8], f23[8]")
    Traceback (most recent call last):
    ...
    hetc.tools.signature_text.SignatureTextError: unknown element type 'f23'; did you mean 'f32'?
        f32[8], f23[8]
                ^^^
    """
    return _Parser(text).signature()


@dataclass(frozen=True)
class _Token:
    text: str
    start: int


@dataclass
class _Parser:
    """Recursive descent, one method a rule of the grammar; `length` is the one length given so far."""

    text: str
    position: int = 0
    length: _Token | None = None
    tokens: list[_Token] = field(init=False)

    def __post_init__(self) -> None:
        self.tokens = [_Token(m.group(), m.start()) for m in re.finditer(r"\w+|[^\w\s]", self.text)]
        self.tokens.append(_Token("", len(self.text.rstrip())))

    # --- tokens ------------------------------------------------------------------------------------------------------

    @property
    def next(self) -> _Token:
        return self.tokens[self.position]

    def take(self) -> _Token:
        token = self.next
        self.position += 1
        return token

    def take_if(self, text: str) -> bool:
        found = self.next.text == text
        self.position += found
        return found

    def expect(self, text: str, why: str) -> None:
        if not self.take_if(text):
            raise self.error(self.next, f"expected '{text}' {why}, {_found(self.next)}")

    def error(self, token: _Token, reason: str) -> SignatureTextError:
        return SignatureTextError(f"{reason}\n    {self.text}\n    {' ' * token.start}{'^' * max(1, len(token.text))}")

    # --- rules -------------------------------------------------------------------------------------------------------

    def signature(self) -> Signature:
        if not self.next.text:
            raise self.error(self.next, "no inputs: expected something like f32[?]")
        inputs = [self.input()]
        while self.take_if(","):
            inputs.append(self.input())
        if self.next.text:
            raise self.error(self.next, f"expected ',' or the end after an input, {_found(self.next)}")
        return Signature(tuple(inputs), _container(inputs))

    def input(self) -> ValueType:
        if self.take_if("range"):
            if self.take_if("["):
                self.bracketed_length()
            return ValueType(InputKind.SEQUENCE, SCALAR_TYPES["int"], bounds=Bounds.around(0, INT32_MAX), dims=(0,))
        resident = self.take_if("array")
        start, element = self.next, self.element()
        if resident and any(leaf.python for leaf in leaves(element)):
            raise self.error(start, "the elements of a portable array are NumPy's: name types such as f64 or i64")
        self.expect("[", f"after {element}, since an input is a sequence of elements ({element}[?])")
        self.bracketed_length()
        python_integers = any(leaf.name == "int" for leaf in leaves(element))
        bounds = Bounds() if python_integers else None
        return ValueType(InputKind.ARRAY, element, bounds=bounds, dims=(0,), resident=resident)

    def bracketed_length(self) -> None:
        token = self.take()
        if token.text.isdecimal():
            if self.length is not None and int(self.length.text) != int(token.text):
                raise self.error(token, f"inputs of different lengths, {self.length.text} and {token.text}")
            self.length = token
        elif token.text != "?":
            raise self.error(token, f"expected a length or '?', {_found(token)}")
        if self.next.text == ",":
            raise self.error(self.next, "an input has one dimension; only captured arrays may have two")
        self.expect("]", "after a length")

    def element(self) -> ElementType:
        token = self.take()
        if token.text == "(":
            return self.rest_of_tuple()
        if token.text in SCALAR_TYPES:
            return SCALAR_TYPES[token.text]
        if not token.text.isidentifier():
            raise self.error(token, f"expected an element type, {_found(token)}")
        close = difflib.get_close_matches(token.text, [*SCALAR_TYPES, "range", "array"], n=1)
        known = f"did you mean '{close[0]}'?" if close else f"known are {', '.join(SCALAR_TYPES)}"
        raise self.error(token, f"unknown element type '{token.text}'; {known}")

    def rest_of_tuple(self) -> ElementType:
        items = [self.element()]
        while self.take_if(",") and self.next.text != ")":
            items.append(self.element())
        self.expect(")", "at the end of a tuple")
        return TupleType(tuple(items))


def _found(token: _Token) -> str:
    return f"found '{token.text}'" if token.text else "found the end"


def _container(inputs: list[ValueType]) -> Container:
    """What a call returns: a portable array if any input is one, else an array if any is one, otherwise a list."""
    if any(value.resident for value in inputs):
        return Container.ARRAY
    elements = [value.element for value in inputs]
    arrays = any(isinstance(element, ScalarType) and not element.python for element in elements)
    return Container.NDARRAY if arrays else Container.LIST

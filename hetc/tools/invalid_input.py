"""Where in MLIR text an invalid operation stands, and what a name that is not there may have meant."""

from __future__ import annotations

import re
from dataclasses import replace

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError, VerifyException
from xdsl.utils.lexer import Input, Span

from hetc.tools.spelling import close_to, unknown


class _SpanParser(Parser):
    """xDSL's parser, which also tells where each operation begins: `Operation.location` is for the user's source."""

    def __init__(self, ctx: Context, text: str, name: str) -> None:
        super().__init__(ctx, text, name)
        self.spans: dict[Operation, Span[str] | Span[bytes]] = {}

    def parse_operation(self) -> Operation:
        span = self._current_token.span
        op = super().parse_operation()
        self.spans[op] = span
        return op


def located(error: VerifyException, module: ModuleOp, ctx: Context, text: str, name: str) -> ParseError | None:
    """The error of a verifier at the place of the operation in the text that the module was read from.

    None if no single operation is to blame. The text is read once more: places cost, and most input is valid.
    """
    invalid = next((index for index, op in enumerate(module.walk()) if not _verifies(op)), None)
    if invalid is None:
        return None
    parser = _SpanParser(ctx, text, name)
    op = list(parser.parse_module().walk())[invalid]
    return ParseError(parser.spans[op], str(error)) if op in parser.spans else None


def _verifies(op: Operation) -> bool:
    try:
        op.verify(verify_nested_ops=False)
    except VerifyException:
        return False
    return True


def explained(error: ParseError, ctx: Context) -> ParseError:
    """A parser's error at the place of what it is about, with what was meant, if it is about a name.

    xDSL points behind the name of an operation or type, and to the end of the text for values that are not defined.
    """
    if (undefined := _UNDEFINED.search(error.msg)) is not None:
        return _of_values(error, undefined[1].split(", "), ctx)
    place = error.span
    if (match := _UNREGISTERED.match(error.msg)) is not None:
        place = _before(place, match[1]) or place
    return ParseError(place, with_suggestion(error.msg, ctx))


def _before(place: Span[str] | Span[bytes], name: str) -> Span[str] | Span[bytes] | None:
    """The last occurrence of a name before the end of a place."""
    source = place.input.content
    start = source.rfind(name, 0, place.end) if isinstance(source, str) else source.rfind(name.encode(), 0, place.end)
    end = start + len(name if isinstance(source, str) else name.encode())
    return None if start < 0 else replace(place, start=start, end=end)


def _of_values(error: ParseError, names: list[str], ctx: Context) -> ParseError:
    """The same error at the first operation that uses a value that is not defined."""
    source = error.span.input.content
    text = source if isinstance(source, str) else source.decode(errors="replace")
    parser = _SpanParser(ctx, text, error.span.input.name)
    try:
        parser.parse_module()
    except ParseError:
        missing = [value for values in parser.forward_ssa_references.values() for value in values.values()]
    else:
        return error
    spans = [parser.spans[use.operation] for value in missing for use in value.uses if use.operation in parser.spans]
    first = min((span.start for span in spans), default=None)
    use = None if first is None else re.compile(rf"({'|'.join(map(re.escape, names))})(?![\w$.-])").search(text, first)
    defined = set(re.findall(r"%[\w$.-]+", text)) - set(names)
    close = [f"did you mean '{near}'?" for name in names if (near := close_to(name, defined))]
    message = "; ".join([error.msg, *close])
    if use is None:
        return ParseError(error.span, message)
    return ParseError(Span(use.start(), use.end(), Input(text, error.span.input.name), error.span.line_offset), message)


_UNDEFINED = re.compile(r"^values used but not defined: \[(.*)\]$")
_UNREGISTERED = re.compile(r"^(?:Operation |')([\w.]+)'?(?: dialect)? is not registered$")


def with_suggestion(message: str, ctx: Context) -> str:
    """A parser's message with what was meant, if it is about a name that no dialect has."""
    match = _UNREGISTERED.match(message)
    if match is None:
        return message
    name = match[1]
    dialect = name.partition(".")[0]
    if dialect not in ctx.registered_dialect_names:
        return f"{message}: {unknown('dialect', dialect, ctx.registered_dialect_names, lists='--list-dialects')}"
    operation = message.startswith("Operation")
    loaded = [found for found in ctx.loaded_dialects if found.name == dialect]
    known = [part.name for found in loaded for part in (found.operations if operation else found.attributes)]
    what = "operation" if operation else "type or attribute"
    return f"{message}: {unknown(what, name, known)}" if close_to(name, known) else message

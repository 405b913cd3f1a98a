"""Where in MLIR text an invalid operation stands, and what a name that is not there may have meant."""

from __future__ import annotations

import re

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError, VerifyException
from xdsl.utils.lexer import Span

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

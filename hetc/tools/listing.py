"""What `hetc-opt --list-passes`, `--list-dialects` and `--list-pipelines` print: names, a line each."""

from __future__ import annotations

import dataclasses
import inspect
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib.metadata import entry_points

from xdsl.ir import Dialect
from xdsl.passes import ModulePass, get_pass_option_infos
from xdsl.universe import Universe

from hetc.abi import DeviceTraits
from hetc.tools import pipelines


def passes() -> str:
    """Every pass, by the package that brings it, hetc's first; with the options that it takes."""
    return _sections((name, map(_pass, _loaded(universe.all_passes))) for name, universe in _universes())


def dialects() -> str:
    """Every dialect, by the package that brings it, hetc's first."""
    return _sections((name, map(_dialect, _loaded(universe.all_dialects))) for name, universe in _universes())


def named_pipelines(traits: DeviceTraits) -> str:
    """The pipelines that have a name, and their passes on a device."""
    levels = [name for name in pipelines.DESCRIPTIONS if name != "default"]
    sections = ((name, ((step, "") for step in pipelines.passes_of(name, traits))) for name in levels)
    return "\n".join([_sections([("pipelines", pipelines.DESCRIPTIONS.items())]), _sections(sections)])


def first_sentence(docstring: str | None) -> str:
    """The first sentence of a docstring, on one line.

    >>> first_sentence('''Cancels pairs
    ... of negations. Exact.''')
    'Cancels pairs of negations.'
    """
    paragraph = " ".join((docstring or "").strip().partition("\n\n")[0].split())
    sentence, stop, _ = paragraph.partition(". ")
    return sentence + stop.rstrip()


def _universes() -> Iterator[tuple[str, Universe]]:
    found = {entry.name: entry.load() for entry in entry_points(group="xdsl.universe")}
    for name in sorted(found, key=lambda name: (name != "hetc", name == "xdsl", name)):
        yield name, found[name]


def _loaded(factories: Mapping[str, Callable[[], object]]) -> Iterator[tuple[str, object]]:
    for name in sorted(factories):
        try:
            yield name, factories[name]()
        except Exception as error:  # noqa: BLE001 (one package that is broken hides no other)
            yield name, error


def _pass(entry: tuple[str, object]) -> tuple[str, str]:
    name, class_ = entry
    if isinstance(class_, Exception):
        return name, _broken(class_)
    assert isinstance(class_, type)
    assert issubclass(class_, ModulePass)
    options = " ".join(option.name.replace("_", "-") for option in get_pass_option_infos(class_))
    # A class without words of its own has those of its base class.
    own = class_.__doc__ if _documented(class_) else sys.modules[class_.__module__].__doc__
    return f"{name}{{{options}}}" if options else name, first_sentence(inspect.cleandoc(own or ""))


def _documented(class_: type[ModulePass]) -> bool:
    """Whether a class has a docstring that a person wrote: a dataclass without one gets its signature."""
    text = vars(class_).get("__doc__")
    signature = f"{class_.__name__}(" if dataclasses.is_dataclass(class_) else "\0"
    return bool(text) and not text.startswith(signature)


def _dialect(entry: tuple[str, object]) -> tuple[str, str]:
    """A dialect has no docstring; the module that holds its ops has."""
    name, dialect = entry
    if isinstance(dialect, Exception):
        return name, _broken(dialect)
    assert isinstance(dialect, Dialect)
    modules = [part.__module__ for part in (*dialect.operations, *dialect.attributes)]
    docs = [sys.modules[module].__doc__ for module in dict.fromkeys(modules)]
    return name, first_sentence(next(filter(None, docs), None))


def _broken(error: Exception) -> str:
    return f"does not load: {type(error).__name__}: {error}"


def _sections(sections: Iterable[tuple[str, Iterable[tuple[str, str]]]]) -> str:
    """Titles with indented rows in two columns; a name too long for its column has a line of its own."""
    lines: list[str] = []
    for title, rows in sections:
        entries = list(rows)
        if not entries:
            continue
        lines.append(f"{title}:")
        for name, text in entries:
            if len(name) > _COLUMN and text:
                lines += [f"  {name}", f"  {'':{_COLUMN}}  {text}"]
            else:
                lines.append(f"  {name:{_COLUMN}}  {text}".rstrip())
    return "\n".join(lines)


_COLUMN = 24

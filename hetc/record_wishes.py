"""Which structs the kernels of a call read of the objects of each class, for those that read the fields of the next."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hetc import abi
from hetc.jobs import Job
from hetc.records import FieldPath
from hetc.runtime.records import dtype_of
from hetc.structs import WANTED, Struct

_READ_AS = frozenset({"float64", "int64", "bool"})
"""What the numbers of Python that are read are stored as."""


def note_structs(job: Job, package: abi.Package) -> None:
    """Remember the structs that a package reads of the objects of a call."""
    program = job.resolution.program
    if program is None:
        return
    paths = dict(program.paths_of_fields())
    known = program.known_classes()
    classes = {facts.symbol: facts.cls for facts in known}
    wanted: dict[type, tuple[Struct, ...]] = dict.fromkeys(classes.values(), ())
    for step in package.steps:
        if isinstance(step, abi.MarshalRecords):
            for cls, fields in _fields(step, job.signature, paths, classes).items():
                taken = {name for struct in wanted.get(cls, ()) for name, _ in struct.fields}
                new = tuple((name, member) for name, member in fields.items() if name not in taken)
                wanted[cls] = (*wanted.get(cls, ()), Struct(dtype_of(step), new))
    WANTED.note({(facts.cls, tuple(facts.fields)): wanted[facts.cls] for facts in known})


def _fields(
    step: abi.MarshalRecords,
    signature: abi.Signature,
    paths: Mapping[str, FieldPath],
    classes: Mapping[str, type],
) -> dict[type, dict[str, str]]:
    """The attributes of the objects of each class that are members of a struct, and which members."""
    found: dict[type, dict[str, str]] = {}
    for member in step.members:
        if member.dtype in _READ_AS:
            for cls, name in _attributes(member.source, signature, paths, classes):
                found.setdefault(cls, {}).setdefault(name, member.name)
    return found


def _attributes(
    source: abi.Source, signature: abi.Signature, paths: Mapping[str, FieldPath], classes: Mapping[str, type]
) -> Iterator[tuple[type, str]]:
    """The class and attribute that a source is, if it is one of the very objects, and not of others in their fields."""
    if source.index is not None:
        element = signature.inputs[source.index].element
        if isinstance(element, abi.ObjectType) and len(source.path) == 1 and element.symbol in classes:
            yield classes[element.symbol], element.names[source.path[0]]
    elif (path := paths.get(source.name or "")) is not None and len(path.steps) == 1:
        ((objects, name),) = path.steps
        first = next((one for one in objects if one is not None), None)
        if first is not None:
            yield type(first), name

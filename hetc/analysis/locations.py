"""Source locations: MLIR's attribute, and the place in the user's source that it stands for."""

from __future__ import annotations

from xdsl.dialects.builtin import FileLineColLoc, IntAttr, StringAttr
from xdsl.ir import Attribute

from hetc.errors import SourceLocation


def source_location(location: Attribute) -> SourceLocation | None:
    """A location attribute as a place, None if it is unknown. MLIR counts columns from 1, Python from 0."""
    if not isinstance(location, FileLineColLoc):
        return None
    return SourceLocation(location.filename.data, location.line.data, location.column.data - 1)


def location_attribute(place: SourceLocation) -> FileLineColLoc:
    """The inverse of `source_location`."""
    return FileLineColLoc(StringAttr(place.filename), IntAttr(place.line), IntAttr(place.column + 1))

"""One entity as a file of JSON lines and back again: the same memory, row by row, in an empty place.

The first line is a manifest with counts and hashes; then follow the rows, kind after kind. What a column
becomes is derived from the models, so that none is forgotten; see docs/exporting.md.
"""

from memory.stewardship.exporting.exports import Export, open_export
from memory.stewardship.exporting.imports import Imported, import_entity
from memory.stewardship.exporting.reading import UnreadableExportError

__all__ = ["Export", "Imported", "UnreadableExportError", "import_entity", "open_export"]

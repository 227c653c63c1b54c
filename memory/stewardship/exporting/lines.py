"""The lines of the file: the manifest, and one strict class for the rows of each kind."""

from __future__ import annotations

import json
from datetime import date
from decimal import Decimal
from functools import cache
from typing import Annotated, Any, Literal
from uuid import UUID

from django.contrib.postgres.fields import ArrayField
from django.db import models
from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field, create_model

from memory.ingest.instants import in_utc
from memory.ingest.storable import json_problem, text_problem
from memory.stewardship.exporting.kinds import SEQUENCE, Kind

VERSION = 1
MARK = "row"
"""The name that says of which kind a line is; no column has it."""
LINE_BYTES_LIMIT = 16 * 1024 * 1024
MOST_ROWS = 10_000_000
"""Of one kind, more than a file of a gigabyte holds: record numbers are drawn before the rows are seen."""
LARGEST_INTEGER = {
    models.PositiveSmallIntegerField: 2**15 - 1,
    models.PositiveIntegerField: 2**31 - 1,
    models.PositiveBigIntegerField: 2**63 - 1,
}
Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class Strict(BaseModel):
    """Unknown names are refused, and a value is of its type or wrong."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Opening(BaseModel):
    """What every version of the format begins with."""

    model_config = ConfigDict(extra="ignore", frozen=True, strict=True)

    format: Literal["memseek-entity"]
    version: int


class KindCount(Strict):
    """The rows of one kind."""

    kind: str
    rows: Annotated[int, Field(ge=0, le=MOST_ROWS)]
    sha256: Digest
    """Of their lines, line ends included."""


class Manifest(Strict):
    """The first line."""

    format: Literal["memseek-entity"] = "memseek-entity"
    version: Literal[1] = 1
    kinds: tuple[KindCount, ...]
    sha256: Digest
    """Of all lines after this one."""

    @property
    def counts(self) -> dict[str, int]:
        """Rows by kind."""
        return {found.kind: found.rows for found in self.kinds}

    def line(self) -> bytes:
        """As it stands in the file."""
        return as_line(self.model_dump())


def as_line(value: dict[str, Any]) -> bytes:
    """One object on one line, in UTF-8."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=_plain).encode() + b"\n"


def _plain(value: Any) -> str:
    if isinstance(value, (UUID, Decimal)):
        return str(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, (bytes, memoryview)):
        return bytes(value).hex()
    raise TypeError(f"{type(value).__name__} has no place in an export.")


@cache
def row_class(kind: Kind) -> type[BaseModel]:
    """What a line of this kind has to be: every column, nothing else, within the column's limits."""
    columns: dict[str, Any] = {field.attname: (_annotation(field), ...) for field in kind.fields}
    marked = {MARK: (Literal[kind.name], ...), **columns}
    return create_model(f"{kind.model.__name__}Line", __base__=Strict, **marked)


def _annotation(field: models.Field[Any, Any]) -> Any:
    if field.attname == SEQUENCE:
        return Annotated[int, Field(ge=0)]
    found = _type_of(field)
    return found | None if field.null else found


def _type_of(field: models.Field[Any, Any]) -> Any:
    if isinstance(field, models.ForeignKey):
        return _type_of(field.target_field)
    if isinstance(field, ArrayField):
        return list[_type_of(field.base_field)]  # type: ignore[misc]  # made at run time
    if isinstance(field, models.CharField):
        return Annotated[str, Field(max_length=field.max_length), AfterValidator(_storable)]
    if isinstance(field, models.BooleanField):
        return bool
    return _PLAIN_TYPES.get(type(field)) or _integer(field)


def _integer(field: models.Field[Any, Any]) -> Any:
    return Annotated[int, Field(ge=0, le=LARGEST_INTEGER[type(field)])]  # type: ignore[index]


def _storable(text: str) -> str:
    if problem := text_problem(text):
        raise ValueError(problem)
    return text


def _storable_json(value: Any) -> Any:
    if problem := json_problem(value, bytes_limit=LINE_BYTES_LIMIT):
        raise ValueError(problem)
    return value


_PLAIN_TYPES: dict[type[models.Field[Any, Any]], Any] = {
    models.UUIDField: UUID,
    models.TextField: Annotated[str, AfterValidator(_storable)],
    models.DateTimeField: Annotated[AwareDatetime, AfterValidator(in_utc)],
    models.DateField: date,
    models.DecimalField: Decimal,
    models.JSONField: Annotated[Any, AfterValidator(_storable_json)],
    models.BinaryField: Digest,
}

"""Bodies as JSON: what the rooms give out is frozen records, and they go out as they are."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from datetime import date, datetime
from typing import Any
from uuid import UUID

import orjson
from pydantic import BaseModel
from rest_framework.renderers import JSONRenderer
from rest_framework.utils.encoders import JSONEncoder

_FIELD_NAMES: dict[type, tuple[str, ...]] = {}


def fields_of(record: Any) -> dict[str, Any]:
    """The fields of a record as they are; `dataclasses.asdict` copies every value below them too."""
    return {name: getattr(record, name) for name in _field_names(type(record))}


def _field_names(cls: type) -> tuple[str, ...]:
    """Empty for what is no record. Kept: looking at the fields takes longer than all the rest."""
    if cls not in _FIELD_NAMES:
        _FIELD_NAMES[cls] = tuple(field.name for field in fields(cls)) if is_dataclass(cls) else ()
    return _FIELD_NAMES[cls]


def _time(moment: datetime) -> str:
    """As DRF writes it."""
    told = moment.isoformat()
    return f"{told[:-6]}Z" if told.endswith("+00:00") else told


_QUICK: Mapping[type, Callable[[Any], str]] = {UUID: str, datetime: _time, date: date.isoformat}
"""What bodies hold hundreds of. DRF would ask them one after the other whether they are something else."""


class BodyEncoder(JSONEncoder):
    """Records as objects of their fields; times, ids and numbers as DRF writes them."""

    def default(self, obj: Any) -> Any:
        """The JSON value of what is none."""
        if quick := _QUICK.get(type(obj)):
            return quick(obj)
        if _field_names(type(obj)):
            return fields_of(obj)
        if isinstance(obj, BaseModel):
            return obj.model_dump(mode="json")
        # Some records hold read-only views of their mappings.
        return dict(obj) if isinstance(obj, Mapping) else super().default(obj)


class BodyRenderer(JSONRenderer):
    """The renderer of the API's bodies: the same values as DRF's, in less than half its time.

    A number that is none (NaN) goes out as null. Records, times and dates are written by the encoder: the
    library would add what is cached beside a record's fields, and cut the seconds of an old time zone.
    """

    encoder_class = BodyEncoder

    def render(
        self, data: Any, accepted_media_type: str | None = None, renderer_context: Any = None
    ) -> bytes:
        """UTF-8. What only the standard library can write (numbers beyond 64 bits, other keys) it writes."""
        if data is None or self.get_indent(accepted_media_type or "", renderer_context or {}):
            return self._by_the_standard_library(data, accepted_media_type, renderer_context)
        try:
            written = orjson.dumps(data, default=_ENCODER.default, option=_OPTIONS)
        except orjson.JSONEncodeError:
            return self._by_the_standard_library(data, accepted_media_type, renderer_context)
        return _LINE_ENDS.sub(lambda found: _ESCAPED[found[0]], written)

    def _by_the_standard_library(self, data: Any, accepted_media_type: str | None, context: Any) -> bytes:
        written: bytes = super().render(data, accepted_media_type, context)
        return written


_ENCODER = BodyEncoder()
_OPTIONS = orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME
_ESCAPED = {"\u2028".encode(): b"\\u2028", "\u2029".encode(): b"\\u2029"}
_LINE_ENDS = re.compile(b"\xe2\x80[\xa8\xa9]")
"""Ends of lines for JavaScript, but not for JSON: DRF escapes them."""

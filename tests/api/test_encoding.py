"""Bodies as JSON."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest
from django.utils.safestring import mark_safe
from django.utils.translation import gettext_lazy
from pydantic import BaseModel
from rest_framework.renderers import JSONRenderer

from memory.api.encoding import BodyEncoder, BodyRenderer, fields_of
from memory.models.search import Layer


class Pair(NamedTuple):
    number: int
    name: str


class Colour(StrEnum):
    BLUE = "blue"


@dataclass(frozen=True, slots=True)
class Inner:
    at: datetime
    colour: Colour


@dataclass(frozen=True, slots=True)
class Outer:
    id: UUID
    day: date
    inner: tuple[Inner, ...]
    facts: Mapping[str, str]


class Settings(BaseModel):
    floor: int = 70


INNER = Inner(datetime(2026, 6, 2, 9, tzinfo=UTC), Colour.BLUE)
OUTER = Outer(UUID(int=7), date(2026, 6, 2), (INNER,), MappingProxyType({"a": "b"}))


def test_records_go_out_as_they_are() -> None:
    body = {"entity": "agent.alice", "outer": OUTER, "settings": Settings(), "none": None}
    assert json.loads(BodyRenderer().render(body)) == {
        "entity": "agent.alice",
        "outer": {
            "id": "00000000-0000-0000-0000-000000000007",
            "day": "2026-06-02",
            "inner": [{"at": "2026-06-02T09:00:00Z", "colour": "blue"}],
            "facts": {"a": "b"},
        },
        "settings": {"floor": 70},
        "none": None,
    }


def test_the_fields_of_a_record_are_not_copied() -> None:
    assert fields_of(OUTER)["inner"] is OUTER.inner
    assert fields_of({"a": 1}) == {}


class ByTheStandardLibrary(JSONRenderer):
    """What DRF would write."""

    encoder_class = BodyEncoder


@dataclass(frozen=True)
class Remembering:
    """A record that keeps something beside its fields."""

    name: str
    _own: int = 1

    @cached_property
    def shouted(self) -> str:
        return self.name.upper()


REMEMBERING = Remembering("alice")
assert REMEMBERING.shouted == "ALICE"
WIDE = 2**70
BODIES = [
    {"outer": OUTER, "settings": Settings()},
    {"text": 'quoted "\u05d0\u4e2d\U0001f600\x00\x7f\\/', "many": [0.1, -3, 1e20]},
    {"a text\u2028of two lines\u2029and more": "\u2028", "neither": "\u2027\u202a"},
    {"number": WIDE, "at": INNER.at},
    {2: "a", None: "b", True: "c"},
    {"local": datetime(2026, 6, 2, 9, 0, 0, 25, tzinfo=ZoneInfo("Europe/Berlin"))},
    {"winter": datetime(2026, 1, 2, 9, tzinfo=ZoneInfo("Europe/London"))},
    {"old": datetime(1890, 1, 2, 9, tzinfo=ZoneInfo("Europe/Berlin"))},
    {"words": gettext_lazy("Yes"), "share": Decimal("0.10"), "lasts": timedelta(seconds=90)},
    {"pair": Pair(1, "b"), "colour": Colour.BLUE, "layer": Layer.SECTION, "safe": mark_safe("<b>")},
    {"remembering": REMEMBERING},
    [],
    None,
]


@pytest.mark.parametrize("body", BODIES)
def test_bodies_are_byte_for_byte_what_drf_writes(body: Any) -> None:
    assert BodyRenderer().render(body) == ByTheStandardLibrary().render(body)


def test_numbers_are_the_same_though_written_shorter_and_none_is_null() -> None:
    assert BodyRenderer().render([1e-05, 1e-07, float("nan")]) == b"[0.00001,1e-7,null]"


def test_an_indentation_that_is_asked_for_is_given() -> None:
    written = BodyRenderer().render({"a": OUTER.day}, "application/json; indent=2")
    assert written == b'{\n  "a": "2026-06-02"\n}'


def test_what_is_no_json_is_refused() -> None:
    with pytest.raises(TypeError):
        BodyRenderer().render({"what": object()})

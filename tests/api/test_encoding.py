"""Bodies as JSON."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from enum import StrEnum
from types import MappingProxyType
from uuid import UUID

from pydantic import BaseModel

from memory.api.encoding import BodyRenderer, fields_of


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

"""The example page is what its command prints."""

from pathlib import Path

import pytest

from benchmarks.scenes import drawn, page, placed, remember, titles
from memory.models import Entity

ROOT = Path(__file__).resolve().parents[2]
CONVERSATION = ROOT / "examples" / "conversations" / "allotment.jsonl"

pytestmark = pytest.mark.django_db


@pytest.fixture
def entity() -> Entity:
    return remember(CONVERSATION)


def test_the_page_shows_the_scenes_as_they_are_made_now(entity: Entity) -> None:
    document = (ROOT / "docs" / "scenes-example.md").read_text(encoding="utf-8")
    assert placed(page(entity), document) == document


def test_titles_tell_each_scene_with_its_lines(entity: Entity) -> None:
    rows = titles(entity).splitlines()[2:]
    lines = [line for line in page(entity).partition("## Persona")[0].splitlines() if line.startswith("- ")]
    assert (len(rows) <= 15, sum(int(row.split("|")[2]) for row in rows)) == (True, len(lines))


def test_a_draw_is_the_same_for_the_same_seed(entity: Entity) -> None:
    first, again, other = (drawn(entity, 5, seed) for seed in (1, 1, 2))
    assert (first == again, first == other, len(first.splitlines())) == (True, False, 5)

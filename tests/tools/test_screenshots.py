"""The list of pictures; they are taken by `make screenshots`."""

from collections import Counter
from io import BytesIO
from pathlib import Path

import pytest
from django.test import Client
from PIL import Image

from memory.models import Entity
from tests.factories import make_entity, make_workspace
from tools.screenshots import SHOTS, Shot, picture_name, small

SHOWN = Path(__file__).resolve().parents[2] / "docs" / "screenshots"
FOLDER_BYTES_LIMIT = 4_000_000


@pytest.fixture
def tour(db: None) -> Entity:
    return make_entity("agent.alice-demo", workspace=make_workspace("demo"))


@pytest.mark.parametrize("shot", SHOTS, ids=lambda shot: shot.name)
def test_every_page_that_is_taken_answers(shot: Shot, tour: Entity, client: Client) -> None:
    expected = {200, 302} if shot.signs_in else {200}
    assert client.get(shot.path).status_code in expected


def test_every_page_is_taken_once() -> None:
    assert max(Counter(shot.name for shot in SHOTS).values()) == 1


def test_pictures_are_of_this_list_and_small() -> None:
    pictures = list(SHOWN.glob("*.png"))
    names = {picture_name(shot, look) for shot in SHOTS for look in ("light", "dark", "phone")}
    assert {path.name for path in pictures} <= names
    assert sum(path.stat().st_size for path in pictures) < FOLDER_BYTES_LIMIT


def test_a_palette_makes_a_picture_smaller_and_keeps_its_colours() -> None:
    full = Image.linear_gradient("L").convert("RGB")
    written = BytesIO()
    full.save(written, "PNG")
    with Image.open(BytesIO(small(written.getvalue()))) as few:
        assert (few.mode, few.size) == ("P", full.size)
        assert few.convert("RGB").getpixel((0, 255)) == (255, 255, 255)

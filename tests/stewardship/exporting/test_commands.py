"""`export_entity` and `import_entity`."""

from __future__ import annotations

import stat
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from memory.models import Message
from tests.cascade.story import an_entity
from tests.factories import make_message, make_workspace
from tests.stewardship.exporting.files import empty_the_place

pytestmark = pytest.mark.django_db(transaction=True)


def run(*arguments: str) -> list[str]:
    out = StringIO()
    call_command(*arguments, "--workspace", "demo", stdout=out)
    return out.getvalue().splitlines()


def test_a_memory_moves_through_a_file(tmp_path: Path) -> None:
    make_message(an_entity(), "I live in Oslo.")
    path = tmp_path / "alice.jsonl"

    told = run("export_entity", "agent.alice", str(path))

    assert told[:3] == ["entity: 1", "session: 1", "message: 1"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [found.name for found in tmp_path.iterdir()] == ["alice.jsonl"]
    empty_the_place()
    make_workspace()

    told = run("import_entity", str(path), "--name", "agent.moved")

    assert told[-1] == "agent.moved is in demo; the index and the graph follow."
    assert Message.objects.get().text == "I live in Oslo."


def test_a_file_that_is_there_is_not_overwritten(tmp_path: Path) -> None:
    an_entity()
    path = tmp_path / "alice.jsonl"
    path.write_text("something else")
    with pytest.raises(CommandError, match="is there already"):
        run("export_entity", "agent.alice", str(path))
    assert path.read_text() == "something else"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("export_entity", "agent.nobody", "out.jsonl"), "There is no entity agent.nobody"),
        (("import_entity", "nowhere.jsonl"), "No such file"),
    ],
)
def test_what_is_not_there_is_told(arguments: tuple[str, ...], told: str) -> None:
    an_entity()
    with pytest.raises(CommandError, match=told):
        run(*arguments)


def test_what_is_no_export_is_refused(tmp_path: Path) -> None:
    make_workspace()
    path = tmp_path / "notes.txt"
    path.write_text("notes")
    with pytest.raises(CommandError, match=r"line 1: this is no export of an entity\. Nothing was imported"):
        run("import_entity", str(path))

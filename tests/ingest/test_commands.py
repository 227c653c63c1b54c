"""The two commands that bring words in."""

import json
import re
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import BaseCommand, CommandError, call_command

from memory.ingest.access import open_access
from memory.ingest.importers.formats import READERS
from memory.management.commands.import_conversations import Command
from memory.models import Message, Workspace
from tests.setup.commands import ROOT, manage

SAMPLE = Path(__file__).parent / "files" / "two_friends.json"


def test_create_workspace_prints_one_object_with_the_key(db: None) -> None:
    out = StringIO()
    call_command("create_workspace", "acme", stdout=out)
    shown = json.loads(out.getvalue())
    workspace = Workspace.objects.get(name="acme")
    assert shown == {"workspace": "acme", "id": str(workspace.pk), "api_key": shown["api_key"]}
    access = open_access(shown["api_key"])
    assert access is not None
    assert access.workspace == workspace


def test_create_workspace_takes_scopes(db: None) -> None:
    out = StringIO()
    call_command("create_workspace", "acme", "--scope", "read", stdout=out)
    access = open_access(json.loads(out.getvalue())["api_key"])
    assert access is not None
    assert (access.allows("read"), access.allows("write")) == (True, False)


def test_create_workspace_refuses_a_taken_name(workspace: Workspace) -> None:
    with pytest.raises(CommandError, match="is there already"):
        call_command("create_workspace", "acme")


def run_import(*arguments: str, workspace: str = "acme") -> tuple[str, str, str]:
    """Standard output, standard error, and the error that ended it."""
    out, err = StringIO(), StringIO()
    try:
        call_command("import_conversations", *arguments, "--workspace", workspace, stdout=out, stderr=err)
    except CommandError as error:
        return out.getvalue(), err.getvalue(), str(error)
    return out.getvalue(), err.getvalue(), ""


def test_import_reports_what_is_new_and_what_cannot_be_read(workspace: Workspace) -> None:
    assert run_import(str(SAMPLE)) == (
        "6 messages in 4 conversations of 2 entities: talk-1, talk-2\n6 stored, 0 were there already.\n",
        "sample 3: has no sample_id or no conversation\n",
        "1 rows could not be taken; all others are in.",
    )
    assert run_import(str(SAMPLE))[0].endswith("\n0 stored, 6 were there already. Nothing new.\n")


def test_a_name_out_of_a_file_does_not_steer_the_terminal(workspace: Workspace, tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    path.write_text(json.dumps({"role": "user", "content": "hi", "name": "\x1b[31mAnn\x07\n"}))
    shown, *_ = run_import(str(path), "--dry-run")
    assert "speakers: [U+001B][31mAnn[U+0007][U+000A] 1" in shown.splitlines()


def test_import_does_not_wait_for_layers_that_nobody_makes(workspace: Workspace, settings: Any) -> None:
    settings.MEMSEEK = replace(settings.MEMSEEK, is_llm_fake=True)
    shown, *_ = run_import(str(SAMPLE), "--only", "talk-2", "--wait")
    assert shown.endswith("\nLLM_FAKE is set: messages are stored, no layer above them is made.\n")


@pytest.mark.slow
def test_the_commands_as_people_run_them(data_dir: Path, tmp_path: Path) -> None:
    made = manage(data_dir, "create_workspace", "acme")
    assert made.returncode == 0
    assert set(json.loads(made.stdout)) == {"workspace", "id", "api_key"}
    chat = tmp_path / "chat.jsonl"
    chat.write_text(
        json.dumps({"session": "s1", "role": "user", "content": "I always use blue for buttons."})
    )
    done = manage(data_dir, "import_conversations", str(chat), "--workspace", "acme", "--wait")
    counted, stored, settled = done.stdout.splitlines()
    assert (done.returncode, counted, stored) == (
        0,
        "1 messages in 1 conversations of 1 entities: chat",
        "1 stored, 0 were there already.",
    )
    assert settled.startswith("chat: settled after ")
    again = manage(data_dir, "import_conversations", str(chat), "--workspace", "acme")
    assert again.stdout.splitlines()[1] == "0 stored, 1 were there already. Nothing new."


def test_import_can_be_tried_without_storing(workspace: Workspace) -> None:
    shown, *_ = run_import(str(SAMPLE), "--dry-run", "--only", "talk-2")
    assert shown.splitlines() == [
        "1 messages in 1 conversations of 1 entities: talk-2",
        "1 would be stored, 0 were there already.",
        "format: locomo",
        "roles: user 1",
        "speakers: Tove 1",
        "times: 2024-01-01 12:30 to 2024-01-01 12:30 UTC, 0 without one",
    ]
    assert not Message.objects.exists()


def test_import_tells_what_is_left_out_and_whose_zone_was_taken(workspace: Workspace) -> None:
    arguments = (str(SAMPLE.with_name("chat.txt")), "--entity", "club", "--time-zone", "Europe/Berlin")
    dry, errors, failed = run_import(*arguments, "--dry-run")
    assert dry.splitlines() == [
        "5 messages in 2 conversations of 1 entities: club",
        "5 would be stored, 0 were there already.",
        "format: transcript",
        "roles: user 5",
        "speakers: Ruth 3, Omar Haddad 1, +49 170 0000 1",
        "times: 2024-05-01 08:00 to 2024-05-13 06:01 UTC, 0 without one",
        "Times that name no zone were read in Europe/Berlin.",
        "left out: 1 × notices of the messenger that nobody said",
        "left out: 2 × placeholders of pictures, sound and files",
    ]
    assert errors == "line 12: has a date or time that there is not\n"
    assert failed == "1 rows could not be taken; all others would be in."
    done, *_ = run_import(*arguments)
    assert done.splitlines()[1:] == ["5 stored, 0 were there already.", *dry.splitlines()[6:]]


def test_import_takes_the_memories_of_mem0(workspace: Workspace) -> None:
    shown, *_ = run_import(str(SAMPLE.with_name("mem0.json")), "--only", "ivo")
    assert shown.splitlines() == [
        "1 claims of another memory of 1 entities: ivo",
        "1 stored, 0 were there already.",
    ]


@pytest.mark.parametrize(
    ("text", "format", "problem"),
    [
        (
            "role,text",
            "auto",
            f"file is in none of the formats {', '.join(READERS)}; --format chooses one of them",
        ),
        ("7", "locomo", "file holds no list of samples"),
    ],
)
def test_import_refuses_other_files(
    workspace: Workspace, tmp_path: Path, text: str, format: str, problem: str
) -> None:
    path = tmp_path / "file"
    path.write_text(text)
    assert run_import(str(path), "--format", format) == ("", "", problem)


def test_import_tells_what_is_not_there(workspace: Workspace, tmp_path: Path) -> None:
    missing = tmp_path / "none.jsonl"
    assert "No such file" in run_import(str(missing))[2]
    assert run_import(str(SAMPLE), workspace="nobody")[2] == (
        "There is no workspace nobody; create_workspace makes one."
    )


def options_of(command: BaseCommand) -> set[str]:
    parser = command.create_parser("manage.py", "import_conversations")
    return {action.option_strings[-1] for action in parser._actions if action.option_strings}


def test_the_document_names_every_format_and_option() -> None:
    text = (ROOT / "docs" / "importing.md").read_text(encoding="utf-8")
    options, formats = text.split("\n## ")[:2]
    named = set(re.findall(r"`([a-z0-9]+)`", "".join(re.findall(r"^\| (`.*?) \|", formats, re.MULTILINE))))
    assert named == set(READERS)
    assert set(re.findall(r"`(--[a-z-]+)`", options)) == options_of(Command()) - options_of(BaseCommand())

"""The two commands that bring words in."""

import json
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from memory.ingest.access import open_access
from memory.models import Message, Workspace
from tests.setup.commands import manage

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
    assert (
        shown
        == "1 messages in 1 conversations of 1 entities: talk-2\n1 would be stored, 0 were there already.\n"
    )
    assert not Message.objects.exists()


@pytest.mark.parametrize(
    ("text", "format", "problem"),
    [
        ("role,text", "auto", "file is neither JSONL of messages nor LoCoMo JSON"),
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

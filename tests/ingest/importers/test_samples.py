"""A small invented sample of every format, into the database: whole messages, left-outs, bad rows, twice."""

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from memory.ingest.import_report import ImportReport
from memory.ingest.importers.formats import READERS, detect_format
from memory.ingest.importing import import_file
from memory.models import Message, Workspace

FILES = Path(__file__).parent.parent / "files"
SAMPLES = {
    "chatgpt.json": "chatgpt",
    "claude.json": "claude",
    "anthropic.json": "openai",
    "openai.json": "openai",
    "langchain_dict.json": "langchain",
    "langchain_constructors.json": "langchain",
    "slack": "slack",
    "chat.txt": "transcript",
    "minutes.txt": "transcript",
    "interview.txt": "transcript",
    "records.jsonl": "records",
}

each_sample = pytest.mark.parametrize("sample", SAMPLES)


def imported(workspace: Workspace, sample: str, **wishes: Any) -> ImportReport:
    return import_file(
        workspace=workspace, path=FILES / sample, entity="agent", time_zone="Europe/Berlin", **wishes
    )


def expected(sample: str) -> dict[str, Any]:
    """What the sample becomes, written by hand: messages, left-outs, bad rows."""
    path = FILES / "expected" / f"{Path(sample).stem}.json"
    value: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return value


def stored(workspace: Workspace) -> list[dict[str, Any]]:
    """Every message in whole, in the order it came; fields that are empty are left out."""
    rows = Message.objects.for_workspace(workspace.pk).select_related("session").order_by("seq")
    return [_shown(row) for row in rows]


def _shown(row: Message) -> dict[str, Any]:
    time: datetime | None = row.occurred_at
    fields = {
        "session": row.session.external_id,
        "title": row.session.title,
        "ordinal": row.ordinal,
        "role": row.role,
        "speaker": row.speaker,
        "text": row.text,
        "time": time and time.isoformat(),
        "attachment_text": row.attachment_text,
        "tool_name": row.tool_name,
        "tool_calls": row.tool_calls,
        "tool_call_id": row.tool_call_id,
        "metadata": row.metadata,
    }
    return {name: value for name, value in fields.items() if value or name == "ordinal"}


def shown(workspace: Workspace, report: ImportReport) -> dict[str, Any]:
    return {
        "messages": stored(workspace),
        "left_out": dict(report.contents.left_out),
        "bad_rows": [[row.place, row.problem] for row in report.bad_rows],
    }


@each_sample
def test_a_sample_becomes_these_messages(workspace: Workspace, sample: str) -> None:
    assert detect_format(FILES / sample) == SAMPLES[sample]
    report = imported(workspace, sample)
    assert shown(workspace, report) == expected(sample)


@each_sample
def test_a_second_import_adds_nothing(workspace: Workspace, sample: str) -> None:
    first = imported(workspace, sample)
    before = stored(workspace)
    again = imported(workspace, sample)
    assert (again.new, again.already_there, again.bad_rows) == (0, first.new, first.bad_rows)
    assert stored(workspace) == before


@each_sample
def test_a_dry_run_says_what_would_come_in(workspace: Workspace, sample: str) -> None:
    dry = imported(workspace, sample, is_dry_run=True)
    assert not Message.objects.exists()
    done = imported(workspace, sample)
    dry.is_dry_run = False
    assert dry == done
    assert done.contents.roles.total() == done.messages == len(stored(workspace))


def test_every_reader_has_a_sample() -> None:
    elsewhere = {"mem0", "locomo", "anthropic"}
    assert set(SAMPLES.values()) | elsewhere == set(READERS)

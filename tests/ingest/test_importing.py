"""Files into memory, twice."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memory.ingest.importers.records import BadRow
from memory.ingest.importing import ImportProgress, ImportReport, import_file
from memory.ingest.problems import IngestError
from memory.models import Entity, Message, Step, Work, Workspace

SAMPLE = Path(__file__).parent / "files" / "two_friends.json"
BAD_SAMPLE = BadRow("sample 3", "has no sample_id or no conversation")


@pytest.fixture
def chats(tmp_path: Path) -> Path:
    """Two conversations of 150 messages in all, with some that cannot be taken."""
    path = tmp_path / "chats.jsonl"
    good = [{"role": "user", "content": f"word {number}"} for number in range(148)]
    rows = [
        {"id": "long", "messages": good},
        "no json",
        {"id": "short", "messages": [{"role": "user", "content": "a"}, {"role": "robot", "content": "b"}]},
        {"id": "short-2", "messages": [{"role": "user", "content": "\0"}, {"role": "user", "content": "c"}]},
        {"id": "naive", "messages": [{"role": "user", "content": "d", "timestamp": "2024-01-01T00:00:00"}]},
    ]
    path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows))
    return path


BAD_CHATS = [
    BadRow("line 2", "is no JSON"),
    BadRow("line 3 message 2", "role Input should be 'user', 'assistant', 'tool' or 'system'"),
    BadRow("line 4 message 1", "text holds the character U+0000"),
    BadRow("line 5 message 1", "occurred_at has no time zone: add Z or an offset such as +02:00"),
]


def test_a_second_import_inserts_nothing_and_says_so(workspace: Workspace, chats: Path) -> None:
    first = import_file(workspace=workspace, path=chats)
    assert first == ImportReport(
        entities=["chats"], conversations=3, messages=150, new=150, already_there=0, bad_rows=BAD_CHATS
    )
    again = import_file(workspace=workspace, path=chats)
    assert (again.new, again.already_there, again.bad_rows) == (0, 150, BAD_CHATS)
    assert Message.objects.for_workspace(workspace.pk).count() == 150


def test_each_conversation_of_two_people_is_an_entity_with_its_own_times(workspace: Workspace) -> None:
    report = import_file(workspace=workspace, path=SAMPLE)
    assert report == ImportReport(
        entities=["talk-1", "talk-2"],
        conversations=4,
        messages=6,
        new=6,
        already_there=0,
        bad_rows=[BAD_SAMPLE],
    )
    talk = Entity.objects.get(workspace=workspace, name="talk-1")
    rows = Message.objects.for_entity(talk).order_by("seq")
    assert [(row.role, row.speaker, row.occurred_at) for row in rows] == [
        ("user", "Rosa", datetime(2023, 5, 8, 13, 56, 0, tzinfo=UTC)),
        ("user", "Iben", datetime(2023, 5, 8, 13, 56, 5, tzinfo=UTC)),
        ("user", "Rosa", datetime(2023, 5, 8, 13, 56, 10, tzinfo=UTC)),
        ("user", "Iben", datetime(2023, 9, 13, 0, 9, 0, tzinfo=UTC)),
        ("user", "Rosa", None),
    ]
    assert import_file(workspace=workspace, path=SAMPLE).new == 0


def test_one_sample_can_be_chosen_and_named(workspace: Workspace) -> None:
    report = import_file(workspace=workspace, path=SAMPLE, entity="bench", only="talk-2")
    assert (report.entities, report.new) == (["bench.talk-2"], 1)


def test_a_dry_run_counts_and_stores_nothing(workspace: Workspace, chats: Path) -> None:
    report = import_file(workspace=workspace, path=chats, is_dry_run=True)
    assert (report.messages, report.new, report.bad_rows) == (150, 150, BAD_CHATS)
    assert not Entity.objects.for_workspace(workspace.pk).exists()
    import_file(workspace=workspace, path=chats)
    report = import_file(workspace=workspace, path=chats, is_dry_run=True)
    assert (report.new, report.already_there) == (0, 150)


def test_a_conversation_that_grew_adds_its_new_tail(workspace: Workspace, tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    messages = [{"role": "user", "content": text} for text in "abc"]
    for length, new in ((2, 2), (3, 1)):
        path.write_text(json.dumps({"id": "one", "messages": messages[:length]}))
        assert import_file(workspace=workspace, path=path, entity="agent").new == new


def test_changed_words_under_a_known_key_are_told(workspace: Workspace, tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    for texts in ("abc", "aXcd"):
        messages = [{"role": "user", "content": text} for text in texts]
        path.write_text(json.dumps({"id": "one", "messages": messages}))
        report = import_file(workspace=workspace, path=path, entity="agent")
    assert (report.new, report.already_there) == (1, 2)
    assert report.bad_rows == [BadRow("line 1 message 2", "dedupe_key already stands for another message")]


def test_the_cascade_is_woken_once_at_the_end(workspace: Workspace, chats: Path) -> None:
    due_while_reading = []

    def look(_: ImportProgress) -> None:
        due_while_reading.extend(Work.objects.filter(due_at__isnull=False))

    import_file(workspace=workspace, path=chats, progress=look)
    work = Work.objects.get(entity__name="chats", step=Step.L1_EXTRACT)
    assert due_while_reading == []
    assert work.due_at is not None
    assert work.is_flushing


def test_progress_is_told_after_every_hundred(workspace: Workspace, chats: Path) -> None:
    seen: list[ImportProgress] = []
    import_file(workspace=workspace, path=chats, progress=seen.append)
    assert [progress.messages for progress in seen] == [100, 150]
    assert 0 < seen[0].fraction < seen[1].fraction == 1


@pytest.mark.parametrize("name", [" bad", "x\n\0", "x" * 300])
@pytest.mark.parametrize("is_dry_run", [True, False])
def test_a_sample_whose_id_is_no_name_does_not_stop_the_others(
    workspace: Workspace, tmp_path: Path, name: str, is_dry_run: bool
) -> None:
    path = tmp_path / "talks.json"
    conversation = {"session_1": [{"speaker": "A", "text": "hi"}, {"speaker": "B", "text": "ho"}]}
    samples = [{"sample_id": id, "conversation": conversation} for id in ("first", name, "last")]
    path.write_text(json.dumps(samples))
    report = import_file(workspace=workspace, path=path, is_dry_run=is_dry_run)
    assert (report.entities, report.messages, report.new) == (["first", "last"], 4, 4)
    (bad,) = report.bad_rows
    assert (bad.place, bad.problem[:24]) == (name[:120], "as the name of an entity")


def test_a_name_that_the_caller_gives_is_refused_as_a_whole(workspace: Workspace, chats: Path) -> None:
    with pytest.raises(IngestError):
        import_file(workspace=workspace, path=chats, entity="x" * 300)
    assert not Message.objects.exists()


def test_times_at_the_end_of_the_calendar_are_bad_rows(workspace: Workspace, tmp_path: Path) -> None:
    path = tmp_path / "chats.jsonl"
    messages = [{"role": "user", "content": text} for text in "ab"]
    rows = [{"id": "late", "created": "9999-12-31T23:59:59Z", "messages": messages}, messages[0]]
    path.write_text("\n".join(json.dumps(row) for row in rows))
    report = import_file(workspace=workspace, path=path)
    problem = "occurred_at has to lie between the years 2 and 9998"
    assert report.bad_rows == [BadRow(f"line 1 message {number}", problem) for number in (1, 2)]
    assert report.new == 1

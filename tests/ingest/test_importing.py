"""Files into memory, twice."""

import json
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memory.ingest.import_report import BAD_ROWS_KEPT, Contents, ImportReport
from memory.ingest.importers.records import BadRow, UnreadableFileError
from memory.ingest.importing import ImportProgress, import_file
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
        {"id": "timeless", "messages": [{"role": "user", "content": "d", "timestamp": "at noon"}]},
    ]
    path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows))
    return path


BAD_CHATS = [
    BadRow("line 2", "is no JSON"),
    BadRow("line 3 message 2", "role Input should be 'user', 'assistant', 'tool' or 'system'"),
    BadRow("line 4 message 1", "text holds the character U+0000"),
    BadRow("line 5 message 1", "occurred_at is no ISO 8601 time"),
]


def test_a_second_import_inserts_nothing_and_says_so(workspace: Workspace, chats: Path) -> None:
    first = import_file(workspace=workspace, path=chats)
    assert first == ImportReport(
        format="openai",
        entities=["chats"],
        conversations=3,
        messages=150,
        new=150,
        already_there=0,
        bad_rows=BAD_CHATS,
        contents=Contents(roles=Counter(user=150), undated=150),
    )
    again = import_file(workspace=workspace, path=chats)
    assert (again.new, again.already_there, again.bad_rows) == (0, 150, BAD_CHATS)
    assert Message.objects.for_workspace(workspace.pk).count() == 150


def test_each_conversation_of_two_people_is_an_entity_with_its_own_times(workspace: Workspace) -> None:
    report = import_file(workspace=workspace, path=SAMPLE)
    assert report == ImportReport(
        format="locomo",
        entities=["talk-1", "talk-2"],
        conversations=4,
        messages=6,
        new=6,
        already_there=0,
        bad_rows=[BAD_SAMPLE],
        contents=Contents(
            roles=Counter(user=6),
            speakers=Counter(Rosa=3, Iben=2, Tove=1),
            first_at=datetime(2023, 5, 8, 13, 56, tzinfo=UTC),
            last_at=datetime(2024, 1, 1, 12, 30, tzinfo=UTC),
            undated=1,
        ),
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


def test_a_dry_run_foresees_changed_words_under_a_known_key(workspace: Workspace, tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    reports = []
    for texts, is_dry_run in (("abc", False), ("aXcd", True), ("aXcd", False)):
        messages = [{"role": "user", "content": text} for text in texts]
        path.write_text(json.dumps({"id": "one", "messages": messages}))
        report = import_file(workspace=workspace, path=path, entity="agent", is_dry_run=is_dry_run)
        reports.append((report.messages, report.new, report.already_there, report.bad_rows))
    assert reports[1] == reports[2]
    assert reports[1][3] == [BadRow("line 1 message 2", "dedupe_key already stands for another message")]


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


def test_times_without_a_zone_are_read_in_the_entitys(workspace: Workspace, tmp_path: Path) -> None:
    path = tmp_path / "talk.txt"
    path.write_text(
        "2024-07-01 10:00 Ann: in summer\n2024-12-01 10:00 Ann: in winter\n2024-12-01 10:00Z Ann: said"
    )
    report = import_file(workspace=workspace, path=path, time_zone="Europe/Berlin")
    rows = Message.objects.for_workspace(workspace.pk).order_by("seq")
    times = [(7, 1, 8), (12, 1, 9), (12, 1, 10)]
    assert [row.occurred_at for row in rows] == [datetime(2024, *time, tzinfo=UTC) for time in times]
    assert report.contents.zone == "Europe/Berlin"
    assert Entity.objects.get(name="talk").time_zone == "Europe/Berlin"
    again = import_file(workspace=workspace, path=path, time_zone="America/Lima")
    assert (again.new, again.already_there, again.contents.zone) == (0, 3, "Europe/Berlin")


def test_a_zone_that_there_is_not_is_refused_before_anything_is_read(workspace: Workspace) -> None:
    with pytest.raises(IngestError, match="time zone database"):
        import_file(workspace=workspace, path=SAMPLE, time_zone="Mars/Olympus", is_dry_run=True)


def test_the_user_of_a_file_can_be_named(workspace: Workspace, tmp_path: Path) -> None:
    path = tmp_path / "talk.txt"
    path.write_text("User: one\nAnn: two\nAssistant: three")
    report = import_file(workspace=workspace, path=path, speaker="Nora")
    rows = Message.objects.for_workspace(workspace.pk).order_by("seq")
    assert [row.speaker for row in rows] == ["Nora", "Ann", ""]
    assert report.contents.speakers == Counter(Nora=1, Ann=1)


def test_an_interrupted_import_goes_on_where_it_broke_off(workspace: Workspace, chats: Path) -> None:
    def give_up(_: ImportProgress) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        import_file(workspace=workspace, path=chats, progress=give_up)
    assert Message.objects.count() == 100
    report = import_file(workspace=workspace, path=chats)
    assert (report.new, report.already_there, report.bad_rows) == (50, 100, BAD_CHATS)


def test_an_array_that_breaks_off_keeps_what_came_before(workspace: Workspace, tmp_path: Path) -> None:
    path = tmp_path / "chat.json"
    path.write_text('[\n{"role": "user", "content": "a"},\n{"role": "user", "content": "b"},\n{"role": "us')
    report = import_file(workspace=workspace, path=path)
    (bad,) = report.bad_rows
    assert (report.new, bad.place, bad.problem[:27]) == (2, "item 3", "and all after it is no JSON")


def test_nesting_without_end_is_no_message(workspace: Workspace, tmp_path: Path) -> None:
    path = tmp_path / "chat.json"
    path.write_text('[{"role": "user", "content": "a"},\n{"role": "user", "content": ' + "[" * 500_000)
    report = import_file(workspace=workspace, path=path)
    assert (report.new, report.bad_rows) == (
        1,
        [BadRow("item 2", "and all after it is no JSON: is nested more than 128 levels deep")],
    )


def test_bad_rows_beyond_a_thousand_are_counted(workspace: Workspace, tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    path.write_text('{"role": "user", "content": "a"}\n' + "7\n" * (BAD_ROWS_KEPT + 5))
    report = import_file(workspace=workspace, path=path)
    assert (len(report.bad_rows), report.more_bad_rows, report.bad_count) == (1_000, 5, 1_005)


def test_a_chosen_format_is_taken_at_its_word(workspace: Workspace, tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("Ann: hi")
    with pytest.raises(UnreadableFileError, match="is no JSON: it begins with neither"):
        import_file(workspace=workspace, path=path, format="claude")


def test_a_text_that_no_message_holds_becomes_several(workspace: Workspace, tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    text = "\n".join(f"line {number} of a log" for number in range(8_000))
    call = {"type": "function", "function": {"name": "save", "arguments": "{}"}}
    row = {"role": "assistant", "content": text, "tool_calls": [call], "metadata": {"app": "notes"}}
    path.write_text(json.dumps(row))
    report = import_file(workspace=workspace, path=path)
    rows = list(Message.objects.order_by("ordinal"))
    assert "".join(row.text for row in rows) == text
    assert all(row.text.startswith("line ") for row in rows)
    assert [(row.metadata, row.tool_calls) for row in rows] == [
        ({"app": "notes", "part": 1, "parts": 3}, [call]),
        ({"app": "notes", "part": 2, "parts": 3}, []),
        ({"app": "notes", "part": 3, "parts": 3}, []),
    ]
    assert (report.new, import_file(workspace=workspace, path=path).new) == (3, 0)


def test_a_text_without_measure_is_a_bad_row(workspace: Workspace, tmp_path: Path) -> None:
    path = tmp_path / "talk.txt"
    path.write_text("Ann: hi\nBen: " + "word " * 300_000)
    report = import_file(workspace=workspace, path=path)
    assert (report.new, report.bad_rows) == (
        1,
        [BadRow("line 2", "text String should have at most 65536 characters")],
    )

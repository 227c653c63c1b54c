"""Long conversations of two people, in dated sessions."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memory.ingest.importers.formats import detect_format
from memory.ingest.importers.locomo import read_date, read_locomo
from memory.ingest.importers.records import BadRow, ReadMessage, UnreadableFileError

SAMPLE = Path(__file__).parent.parent / "files" / "two_friends.json"


def test_both_speakers_are_people_with_their_captions_and_times() -> None:
    rows = [row for row in read_locomo(SAMPLE) if isinstance(row, ReadMessage)]
    assert [(row.entity, row.message["session"], row.message["speaker"]) for row in rows] == [
        ("talk-1", "session_1", "Rosa"),
        ("talk-1", "session_1", "Iben"),
        ("talk-1", "session_1", "Rosa"),
        ("talk-1", "session_2", "Iben"),
        ("talk-1", "session_10", "Rosa"),
        ("talk-2", "session_1", "Tove"),
    ]
    assert rows[1].message == {
        "session": "session_1",
        "role": "user",
        "speaker": "Iben",
        "text": "Lovely! Show me.",
        "attachment_text": "a wooden hive under a pear tree",
        "occurred_at": datetime(2023, 5, 8, 13, 56, 5, tzinfo=UTC),
        "dedupe_key": "locomo:talk-1:session_1:1",
        "metadata": {"dia_id": "D1:2"},
    }
    assert [row.message["occurred_at"] for row in rows[3:]] == [
        datetime(2023, 9, 13, 0, 9, tzinfo=UTC),
        None,
        datetime(2024, 1, 1, 12, 30, tzinfo=UTC),
    ]


def test_what_cannot_be_read_is_told() -> None:
    assert [row for row in read_locomo(SAMPLE) if isinstance(row, BadRow)] == [
        BadRow("sample 3", "has no sample_id or no conversation")
    ]


def test_a_bad_date_leaves_the_times_unknown(tmp_path: Path) -> None:
    path = tmp_path / "one.json"
    conversation = {"session_1_date_time": "in May", "session_1": [{"speaker": "A", "text": "hi"}, 7]}
    path.write_text(json.dumps({"sample_id": "x", "conversation": conversation}))
    bad_date, turn, bad_turn = read_locomo(path)
    assert bad_date == BadRow("x session_1", "has a date that cannot be read; its turns have no time")
    assert isinstance(turn, ReadMessage)
    assert turn.message["occurred_at"] is None
    assert bad_turn == BadRow("x session_1 turn 2", "is no object")


def test_how_far_it_is_grows_to_the_end() -> None:
    fractions = [row.fraction for row in read_locomo(SAMPLE) if isinstance(row, ReadMessage)]
    assert fractions == sorted(fractions)
    assert 0 < fractions[0] < fractions[-1] <= 1


@pytest.mark.parametrize("text", ["{", "7", '"text"'])
def test_other_files_are_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "other.json"
    path.write_text(text)
    with pytest.raises(UnreadableFileError):
        list(read_locomo(path))


@pytest.mark.parametrize("text", ["8 May, 2023", "25:00 pm on 8 May, 2023", ""])
def test_other_dates_are_no_dates(text: str) -> None:
    assert read_date(text) is None


@pytest.mark.parametrize(
    ("text", "format"),
    [
        ('[{"sample_id": "x"}]', "locomo"),
        ('{\n "sample_id": "x"}', "locomo"),
        ('{"sample_id": "x", "conversation": {}}', "locomo"),
        ('\n{"messages": []}\n{"messages": []}', "openai"),
        ('{"session": "s", "role": "user", "content": "hi"}', "openai"),
        ('[{"role": "user", "content": "hi"}]', "openai"),
        ('[\n {"messages": []}\n]', "openai"),
        ("[]", "locomo"),
        ('\ufeff[{"sample_id": "x"}]', "locomo"),
        ('\ufeff{"role": "user", "content": "hi"}', "openai"),
        ('{"messages": ' + "[" * 100_000, "openai"),
    ],
)
def test_the_format_shows_in_the_beginning(tmp_path: Path, text: str, format: str) -> None:
    path = tmp_path / "file"
    path.write_text(text)
    assert detect_format(path) == format


@pytest.mark.parametrize("content", [b"", b"role,text\n", b"\xff\xfe{", b"[" * 100_000, b"[1]\n[2]"])
def test_a_file_in_no_format_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(UnreadableFileError):
        detect_format(path)


def read(tmp_path: Path, **conversation: object) -> list[ReadMessage | BadRow]:
    path = tmp_path / "one.json"
    path.write_text("\ufeff" + json.dumps([{"sample_id": "x", "conversation": conversation}]))
    return list(read_locomo(path))


TURNS = [{"speaker": "A", "text": "hi"}]


def test_sessions_keep_the_names_they_have_and_come_by_their_numbers(tmp_path: Path) -> None:
    rows = read(
        tmp_path,
        session_10=TURNS,
        session_02=TURNS,
        session_02_date_time="1:56 pm on 8 May, 2023",
        session_2=TURNS,
        session_2_summary="They said hi.",
    )
    found = [row.message for row in rows if isinstance(row, ReadMessage)]
    assert [(m["session"], m["occurred_at"], m["dedupe_key"]) for m in found] == [
        ("session_02", datetime(2023, 5, 8, 13, 56, tzinfo=UTC), "locomo:x:session_02:0"),
        ("session_2", None, "locomo:x:session_2:0"),
        ("session_10", None, "locomo:x:session_10:0"),
    ]


@pytest.mark.parametrize("number", ["\uff11", "9" * 5_000, "one", ""])
def test_turns_under_another_name_are_told_and_the_others_read(tmp_path: Path, number: str) -> None:
    name = f"session_{number}"
    bad, good = read(tmp_path, **{name: TURNS}, session_1=TURNS)
    assert bad == BadRow(f"x {name[:64]}", "is not named session_ and a number")
    assert isinstance(good, ReadMessage)


def test_a_date_at_the_end_of_the_calendar_is_none(tmp_path: Path) -> None:
    rows = read(tmp_path, session_1=TURNS * 3, session_1_date_time="11:59 pm on 31 December, 9999")
    assert rows[0] == BadRow("x session_1", "has a date that cannot be read; its turns have no time")
    assert [row.message["occurred_at"] for row in rows if isinstance(row, ReadMessage)] == [None] * 3

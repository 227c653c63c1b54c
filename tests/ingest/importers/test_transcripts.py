"""Lines of transcripts: when, who, what."""

from pathlib import Path

import pytest

from memory.ingest.importers.records import BadRow, Found, LeftOut, ReadMessage
from memory.ingest.importers.transcripts import read_transcript


def read(tmp_path: Path, text: str) -> list[Found]:
    path = tmp_path / "talk.txt"
    path.write_text(text, newline="")
    return list(read_transcript(path))


def said(found: list[Found]) -> list[tuple[object, ...]]:
    """Speaker, text and time of every message; a time without a zone has none in its text either."""
    messages = [row.message for row in found if isinstance(row, ReadMessage)]
    return [(m["speaker"], m["text"], m["occurred_at"] and m["occurred_at"].isoformat()) for m in messages]


@pytest.mark.parametrize(
    ("line", "time"),
    [
        ("[12/31/24, 10:15:22] Ann: hi", "2024-12-31T10:15:22"),
        ("\u200e[12/31/24, 10:15:22\u202fPM] Ann: hi", "2024-12-31T22:15:22"),
        ("12/31/24, 12:05 AM - Ann: hi", "2024-12-31T00:05:00"),
        ("31/12/2024, 10:15 - Ann: hi", "2024-12-31T10:15:00"),
        ("[31.12.24, 10:15:22] Ann: hi", "2024-12-31T10:15:22"),
        ("01.02.24, 10:15 - Ann: hi", "2024-02-01T10:15:00"),
        ("1-2-2024 10:15 Ann: hi", "2024-02-01T10:15:00"),
        ("2024-05-01 10:00 Ann: hi", "2024-05-01T10:00:00"),
        ("[2024-05-01 10:00:59] Ann: hi", "2024-05-01T10:00:59"),
        ("(2024/05/01 10:00) Ann: hi", "2024-05-01T10:00:00"),
        ("2024-05-01T10:00:59.125Z Ann: hi", "2024-05-01T10:00:59+00:00"),
        (
            "2024-05-01 10:00 +05:30 - Ann: hi",
            "2024-05-01T10:00:00+05:30",
        ),
        ("2024-05-01 10:00-0200 Ann: hi", "2024-05-01T10:00:00-02:00"),
        ("[10:15] Ann: hi", None),
        ("00:12:34 Ann: hi", None),
        ("Ann: hi", None),
    ],
)
def test_times_in_their_usual_forms(tmp_path: Path, line: str, time: str | None) -> None:
    assert said(read(tmp_path, line)) == [("Ann", "hi", time)]


@pytest.mark.parametrize(
    ("lines", "days"),
    [
        (["3/4/24, 10:00 - A: x", "13/4/24, 10:00 - A: y"], ["04-03", "04-13"]),
        (["3/4/24, 10:00 - A: x", "4/13/24, 10:00 - A: y"], ["03-04", "04-13"]),
        (["3/4/24, 10:00 - A: x", "3/5/24, 10:00 - A: y"], ["04-03", "05-03"]),
        (["3/4/24, 10:00 AM - A: x", "3/5/24, 10:00 AM - A: y"], ["03-04", "03-05"]),
        (["3.4.24, 10:00 - A: x"], ["04-03"]),
    ],
)
def test_day_and_month_are_told_by_the_other_dates(tmp_path: Path, lines: list[str], days: list[str]) -> None:
    times = [time for *_, time in said(read(tmp_path, "\n".join(lines)))]
    assert [str(time)[5:10] for time in times] == days


def test_a_line_that_begins_nothing_goes_on_with_the_turn_before(tmp_path: Path) -> None:
    text = (
        "2024-05-01 10:00 Ann: one\r\n\r\nBen: not a turn\r\n10:15 Cy: nor this\r\n"
        "2024-05-01 10:01 Ben: two\r\n\r\n"
    )
    assert [found[:2] for found in said(read(tmp_path, text))] == [
        ("Ann", "one\n\nBen: not a turn\n10:15 Cy: nor this"),
        ("Ben", "two"),
    ]


def test_a_heading_within_a_text_is_nobody_who_speaks(tmp_path: Path) -> None:
    text = "Ann: see\nReasons:\n- one\n\nBen:\nI see.\nAnn:\nGood.\nhttp://one.example"
    assert [found[:2] for found in said(read(tmp_path, text))] == [
        ("Ann", "see\nReasons:\n- one"),
        ("Ben", "I see."),
        ("Ann", "Good.\nhttp://one.example"),
    ]


@pytest.mark.parametrize(
    ("name", "role", "speaker"),
    [
        ("User", "user", ""),
        ("HUMAN", "user", ""),
        ("Assistant", "assistant", ""),
        ("AI", "assistant", ""),
        ("System", "system", ""),
        ("ChatGPT", "assistant", "ChatGPT"),
        ("Claude", "assistant", "Claude"),
        ("Dr. Amy O’Neil-Ray", "user", "Dr. Amy O’Neil-Ray"),
        ("李雷", "user", "李雷"),
    ],
)
def test_words_for_roles_are_nobodys_names(tmp_path: Path, name: str, role: str, speaker: str) -> None:
    (found,) = read(tmp_path, f"{name}: hi")
    assert isinstance(found, ReadMessage)
    assert (found.message["role"], found.message["speaker"]) == (role, speaker)


def test_what_nobody_said_is_left_out(tmp_path: Path) -> None:
    text = "\n".join(
        [
            "31.12.24, 10:14 - Messages are encrypted",
            "31.12.24, 10:15 - Ann: <Media omitted>",
            "31.12.24, 10:16 - Ann: ",
            "31.12.24, 10:17 - Ann: <3 you",
        ]
    )
    *left_out, kept = read(tmp_path, text)
    assert left_out == [
        LeftOut("notices of the messenger that nobody said"),
        LeftOut("placeholders of pictures, sound and files"),
        LeftOut("messages with nothing in them"),
    ]
    assert said([kept]) == [("Ann", "<3 you", "2024-12-31T10:17:00")]


def test_a_line_in_another_encoding_costs_itself_only(tmp_path: Path) -> None:
    path = tmp_path / "talk.txt"
    path.write_bytes(b"Ann: one\nBen: caf\xe9\nAnn: two")
    first, bad, second = sorted(read_transcript(path), key=lambda row: getattr(row, "place", ""))
    assert bad == BadRow("line 2", "is not in UTF-8")
    assert said([first, second]) == [("Ann", "one", None), ("Ann", "two", None)]


def test_a_longer_export_of_the_same_chat_keeps_the_keys_of_what_it_repeats(tmp_path: Path) -> None:
    lines = [f"2024-05-0{day} 10:00 Ann: ok" for day in (1, 1, 2)]
    whole, tail = (
        read(tmp_path, "\n".join(lines)),
        read(tmp_path, "\n".join([*lines[2:], "2024-05-03 10:00 Ben: yes"])),
    )
    keys = [
        [row.message["dedupe_key"] for row in rows if isinstance(row, ReadMessage)] for rows in (whole, tail)
    ]
    assert len(set(keys[0])) == 3
    assert (keys[1][0], len(set(keys[0] + keys[1]))) == (keys[0][2], 4)


def test_a_text_without_end_is_kept_small_and_refused_later(tmp_path: Path) -> None:
    (found,) = read(tmp_path, "Ann: " + "word word\n" * 200_000)
    assert isinstance(found, ReadMessage)
    assert 1_000_000 < len(found.message["text"]) < 1_000_100


def test_a_year_in_full_is_never_one_of_this_century(tmp_path: Path) -> None:
    first, bad = read(tmp_path, "0024-05-01 10:00 Ann: hi\n0000-05-01 10:00 Ann: hi")
    assert said([first]) == [("Ann", "hi", "0024-05-01T10:00:00")]
    assert bad == BadRow("line 2", "has a date or time that there is not")

"""Formats told by content, and what is in none."""

from pathlib import Path

import pytest

from memory.ingest.importers.formats import READERS, detect_format
from memory.ingest.importers.records import UnreadableFileError


@pytest.mark.parametrize(
    ("text", "format"),
    [
        ('[{"title": "x", "mapping": {"a": {"message": ', "chatgpt"),
        ('[{"uuid": "x", "name": "", "chat_messages": [', "claude"),
        ('{"results": [{"id": "1", "memory": "likes tea"}]}', "mem0"),
        ('[{"id": "1", "memory": "likes tea", "user_id": "a"}]', "mem0"),
        ('{"id": "1", "memory": "likes tea"}\n{"id": "2", "memory": "x"}', "mem0"),
        ('[{"type": "human", "data": {"content": "hi"}}]', "langchain"),
        ('{"messages": [{"lc": 1, "type": "constructor", "kwargs": {}}]}', "langchain"),
        ('{"type": "ai", "data": {}}\n{"type": "human", "data": {}}', "langchain"),
        ('{"session": "s", "role": "user", "text": "hi"}', "records"),
        ('{"session": "s", "role": "user", "text": "hi"}\n{"session": "s", "colour": 1}', "records"),
        ('{"session": "s", "role": "user", "text": "hi", "colour": 1}', "openai"),
        ('{"system": "x", "messages": [\n{"role": "user", "content": []}]}', "openai"),
        ("Ann: hello\nBen: hello", "transcript"),
        ("\ufeff[12/31/24, 10:15:22] Ann: hello", "transcript"),
        ("31.12.24, 10:15 - Ann created the group\n31.12.24, 10:16 - Ann: hello", "transcript"),
        ("[10:15] Ann: hello", "transcript"),
    ],
)
def test_the_format_shows_in_the_content(tmp_path: Path, text: str, format: str) -> None:
    path = tmp_path / "file"
    path.write_text(text)
    assert detect_format(path) == format


@pytest.mark.parametrize(
    "content",
    [
        "role,text\nuser,hi",
        "# Notes\n\nAnn: hello",
        "See https://one.example: it is good",
        "[1, 2]",
        '{"name": "x"}',
        '["Ann: hello"]',
        "31.12.24, 10:15 - Ann created the group",
        " ",
    ],
)
def test_what_is_in_no_format_is_told_with_what_was_tried(tmp_path: Path, content: str) -> None:
    path = tmp_path / "file"
    path.write_text(content)
    with pytest.raises(UnreadableFileError) as raised:
        detect_format(path)
    assert str(raised.value) == (
        f"file is in none of the formats {', '.join(READERS)}; --format chooses one of them"
    )


def test_a_character_cut_at_the_end_of_the_head_is_no_damage(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("Ann: " + "ü" * 100_000)
    assert detect_format(path) == "transcript"


def test_a_folder_of_other_things_is_refused(tmp_path: Path) -> None:
    for name in ("one.txt", "two.txt"):
        (tmp_path / name).write_text("Ann: hello")
    with pytest.raises(UnreadableFileError, match="is no Slack export"):
        detect_format(tmp_path)

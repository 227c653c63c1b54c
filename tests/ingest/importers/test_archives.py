"""Exports in folders and archives, and archives that are none."""

import json
import zipfile
from pathlib import Path

import pytest

from memory.ingest.importers.formats import READERS, Reader, detect_format
from memory.ingest.importers.records import BadRow, Found, ReadMessage, UnreadableFileError

FILES = Path(__file__).parent.parent / "files"


def packed(tmp_path: Path, **files: str | bytes) -> Path:
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def packed_folder(tmp_path: Path, folder: Path, within: str = "") -> Path:
    files = {
        f"{within}{path.relative_to(folder).as_posix()}": path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }
    return packed(tmp_path, **files)


def read(path: Path) -> list[Found]:
    return list(READERS[detect_format(path)](path))


def said(found: list[Found]) -> list[dict[str, object]]:
    return [dict(row.message) for row in found if isinstance(row, ReadMessage)]


@pytest.mark.parametrize("sample", ["chatgpt.json", "claude.json"])
def test_an_archive_holds_what_its_file_holds(tmp_path: Path, sample: str) -> None:
    content = (FILES / sample).read_bytes()
    path = packed(tmp_path, **{"conversations.json": content, "users.json": "[]", "chat.html": "<html>"})
    assert said(read(path)) == said(read(FILES / sample))


def test_an_archive_in_pieces_is_read_in_their_order(tmp_path: Path) -> None:
    pieces = {
        f"data/conversations-00{number}.json": json.dumps(
            [{"uuid": f"c{number}", "chat_messages": [{"uuid": "m", "sender": "human", "text": "hi"}]}]
        )
        for number in (1, 0)
    }
    found = read(packed(tmp_path, **pieces, **{"data/users.json": "[]"}))
    assert [(row.place, row.message["session"]) for row in found if isinstance(row, ReadMessage)] == [
        ("data/conversations-000.json item 1 message 1", "c0"),
        ("data/conversations-001.json item 1 message 1", "c1"),
    ]
    fractions = [row.fraction for row in found if isinstance(row, ReadMessage)]
    assert fractions == [0.5, 1.0]


def test_a_piece_that_is_none_costs_itself_only(tmp_path: Path) -> None:
    row = {"uuid": "c", "chat_messages": [{"uuid": "m", "sender": "human", "text": "hi"}]}
    pieces: dict[str, str | bytes] = {
        "conversations-000.json": json.dumps([row]),
        "conversations-001.json": "not JSON",
        "conversations-002.json": json.dumps([row | {"uuid": "d"}]),
    }
    found = read(packed(tmp_path, **pieces))
    assert [message["session"] for message in said(found)] == ["c", "d"]
    assert [row.place for row in found if isinstance(row, BadRow)] == ["conversations-001.json"]


@pytest.mark.parametrize("within", ["", "Garden Club export/"])
def test_a_slack_archive_holds_what_its_folder_holds(tmp_path: Path, within: str) -> None:
    path = packed_folder(tmp_path, FILES / "slack", within)
    assert detect_format(path) == "slack"
    assert said(read(path)) == said(read(FILES / "slack"))


def test_a_messengers_archive_is_read_past_its_pictures(tmp_path: Path) -> None:
    content = (FILES / "chat.txt").read_bytes()
    beside: dict[str, str | bytes] = {"00001-PHOTO.jpg": b"\xff\xd8", "__MACOSX/._chat.txt": b"\0\5\x16\7"}
    path = packed(tmp_path, **{"_chat.txt": content}, **beside)
    texts = [message["text"] for message in said(read(path))]
    assert texts == [message["text"] for message in said(read(FILES / "chat.txt"))]


def test_an_unpacked_export_is_read_from_its_folder(tmp_path: Path) -> None:
    (tmp_path / "conversations.json").write_bytes((FILES / "claude.json").read_bytes())
    (tmp_path / "users.json").write_text("[]")
    assert said(read(tmp_path)) == said(read(FILES / "claude.json"))


def test_a_link_out_of_a_folder_is_not_followed(tmp_path: Path) -> None:
    folder = tmp_path / "export"
    folder.mkdir()
    (folder / "conversations.json").symlink_to(FILES / "claude.json")
    with pytest.raises(UnreadableFileError, match=r"holds no conversations\.json"):
        detect_format(folder)


@pytest.mark.parametrize(
    "name", ["../conversations.json", "/conversations.json", "a/../../b.json", "C:/b.json"]
)
def test_an_archive_that_names_files_outside_itself_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UnreadableFileError, match="outside the archive"):
        detect_format(packed(tmp_path, **{name: "[]"}))


def test_an_archive_packed_beyond_belief_is_refused(tmp_path: Path) -> None:
    path = packed(tmp_path, **{"conversations.json": b"[" + b" " * 50_000_000})
    with pytest.raises(UnreadableFileError, match="packed beyond what text can be"):
        detect_format(path)


def test_a_damaged_archive_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "export.zip"
    path.write_bytes(b"PK\x03\x04 and nothing else")
    with pytest.raises(UnreadableFileError, match="is a damaged zip"):
        detect_format(path)


def pack_its_first_file_in_an_unknown_way(path: Path) -> None:
    content = bytearray(path.read_bytes())
    for place in (content.find(b"PK\x03\x04") + 8, content.find(b"PK\x01\x02") + 10):
        content[place] = 99
    path.write_bytes(content)


@pytest.mark.parametrize("reader", [read, READERS["chatgpt"], READERS["transcript"]])
def test_an_archive_packed_in_an_unknown_way_is_refused(tmp_path: Path, reader: Reader) -> None:
    path = packed(tmp_path, **{"conversations.json": "[]"})
    pack_its_first_file_in_an_unknown_way(path)
    with pytest.raises(UnreadableFileError, match="cannot be read"):
        list(reader(path))


def test_a_file_of_slack_that_is_packed_in_an_unknown_way_costs_itself_only(tmp_path: Path) -> None:
    day = json.dumps([{"user": "U1", "text": "hi", "ts": "1714550000.0"}])
    path = packed(tmp_path, **{"users.json": "[]", "garden/2024-05-01.json": day})
    pack_its_first_file_in_an_unknown_way(path)
    found = read(path)
    assert [row.place for row in found if isinstance(row, BadRow)] == ["users.json"]
    assert [message["text"] for message in said(found)] == ["hi"]


def test_what_stands_before_the_damage_is_kept(tmp_path: Path) -> None:
    row = {"uuid": "c", "chat_messages": [{"uuid": "m", "sender": "human", "text": "hi"}]}
    rows = [row | {"uuid": str(number), "name": "x" * 2_000} for number in range(200)]
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("conversations.json", json.dumps(rows))
    content = bytearray(path.read_bytes())
    content[300_000] ^= 0xFF
    path.write_bytes(content)
    *before, bad = read(path)
    assert len(before) > 100
    assert isinstance(bad, BadRow)
    assert "and all after it" in bad.problem


def test_a_day_of_a_channel_that_is_broken_costs_itself_only(tmp_path: Path) -> None:
    whole = packed_folder(tmp_path, FILES / "slack")
    expected = said(read(whole))
    with zipfile.ZipFile(whole, "a") as archive:
        archive.writestr("garden/2024-04-30.json", '[{"type": "message"')
    *_, bad = [row for row in read(whole) if isinstance(row, BadRow) and "04-30" in row.place]
    assert (bad.place, "is no JSON" in bad.problem) == ("garden/2024-04-30.json item 1", True)
    assert said(read(whole)) == expected

"""Trees of messages and what can be wrong with them."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memory.ingest.importers.chatgpt import read_chatgpt
from memory.ingest.importers.chatgpt_content import read_message
from memory.ingest.importers.records import BadRow, Found, ReadMessage


def read(tmp_path: Path, *conversations: Any) -> list[Found]:
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps(conversations))
    return list(read_chatgpt(path))


def texts(found: list[Found]) -> list[str]:
    return [row.message["text"] for row in found if isinstance(row, ReadMessage)]


def node(parent: Any, text: str | None = None, **fields: Any) -> dict[str, Any]:
    message = {
        "author": {"role": "user"},
        "content": {"content_type": "text", "parts": [text]},
        **fields,
    }
    return {"parent": parent, "children": [], "message": message if text else None}


def test_a_tree_that_leads_in_a_circle_ends(tmp_path: Path) -> None:
    mapping = {"a": node("b", "one"), "b": node("a", "two")}
    assert texts(read(tmp_path, {"id": "c", "mapping": mapping, "current_node": "b"})) == ["one", "two"]


@pytest.mark.parametrize("parent", [None, "gone", 7, ["x"], {}])
def test_a_branch_begins_where_no_node_is_named_before(tmp_path: Path, parent: Any) -> None:
    mapping = {"a": node(parent, "one"), "b": node("a", "two"), "c": None, "d": 7}
    assert texts(read(tmp_path, {"id": "c", "mapping": mapping, "current_node": "b"})) == ["one", "two"]


def test_a_conversation_without_an_id_is_known_by_its_first_message(tmp_path: Path) -> None:
    mapping = {"root": node(None), "a": node("root", "one"), "b": node("a", "two")}
    found = read(tmp_path, {"mapping": mapping, "current_node": "b"})
    addresses = [
        (row.message["session"], row.message["dedupe_key"]) for row in found if isinstance(row, ReadMessage)
    ]
    assert addresses == [("a", "chatgpt:a:a"), ("a", "chatgpt:a:b")]


@pytest.mark.parametrize("row", [7, None, {}, {"mapping": []}])
def test_what_is_no_conversation_costs_itself_only(tmp_path: Path, row: Any) -> None:
    good = {"id": "c", "mapping": {"a": node(None, "one")}, "current_node": "a"}
    bad, found = read(tmp_path, row, good)
    assert (bad, texts([found])) == (BadRow("item 1", "has no mapping of messages"), ["one"])


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ({"content_type": "text", "parts": ["a", "", "b"]}, "a\nb"),
        ({"content_type": "text", "parts": ["See \ue200cite\ue202turn0search0\ue201this."]}, "See this."),
        ({"parts": [{"content_type": "audio_transcription", "text": "spoken"}]}, "spoken"),
        ({"content_type": "tether_browsing_display", "result": "found"}, "found"),
        ({"content_type": "tether_quote", "text": "quoted", "title": "x"}, "quoted"),
    ],
)
def test_words_in_every_kind_of_content(content: dict[str, Any], text: str) -> None:
    fields = read_message({"author": {"role": "assistant"}, "content": content})
    assert isinstance(fields, dict)
    assert (fields["text"], fields["metadata"]) == (text, {})


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, "messages with nothing in them"),
        ("text", "messages with nothing in them"),
        ({"content_type": "text", "parts": [" "]}, "messages with nothing in them"),
        ({"content_type": "reasoning_recap", "content": "5 s"}, "messages of nothing but reasoning_recap"),
        ({"parts": [7, {}, {}]}, "messages of nothing but part"),
        ({"content_type": "user_editable_context", "text": "x"}, "copies of custom instructions"),
    ],
)
def test_what_holds_no_words_says_why_it_is_left_out(content: Any, reason: str) -> None:
    assert read_message({"author": {"role": "assistant"}, "content": content}) == reason


def test_a_message_without_a_time_has_that_of_the_one_before(tmp_path: Path) -> None:
    mapping = {
        "a": node(None, "one"),
        "b": node("a", "two", create_time=1_714_557_660),
        "c": node("b", "three", create_time="soon"),
        "d": node("c", "four", create_time=0),
    }
    conversation = {"id": "c", "create_time": 1_714_557_600, "mapping": mapping, "current_node": "d"}
    times = [
        row.message["occurred_at"] for row in read(tmp_path, conversation) if isinstance(row, ReadMessage)
    ]
    early, late = (datetime(2024, 5, 1, 10, minute, tzinfo=UTC) for minute in (0, 1))
    assert times == [early, late, "soon", late]

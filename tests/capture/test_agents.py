"""What each agent sends and what it is told, and what of it is captured."""

from __future__ import annotations

import ast
import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.cascade.engine import settle_entity
from memory.ingest.recalled import strip_recalled
from memory.llm.offline.model import OfflineModel
from memory.models import Entity
from tests.capture.conftest import SCRIPT, Hooks, stored

RULE = "Never deploy on a Friday without my approval."
HERE = {"MEMSEEK_HOOK_DETACH": "0"}
pytestmark = pytest.mark.slow


@pytest.fixture
def taught(hooks: Hooks) -> Hooks:
    """A memory that holds a rule; words are delivered by each call itself."""
    hooks.seconds, hooks.more = 20, HERE
    hooks.hook("UserPromptSubmit", prompt=RULE)
    settle_entity(Entity.objects.select_related("workspace").get(), model=OfflineModel())
    return hooks


def context_of(told: Any) -> str:
    return str(told["hookSpecificOutput"]["additionalContext"])


def test_a_session_starts_with_what_memory_knows(taught: Hooks) -> None:
    told = taught.hook("SessionStart", source="startup").told()
    assert told["hookSpecificOutput"]["hookEventName"] == "SessionStart"
    assert context_of(told).startswith("<memseek-recall")
    assert "Never deploy on a Friday" in context_of(told)


def test_a_prompt_is_told_something_only_on_request(taught: Hooks) -> None:
    assert taught.hook("UserPromptSubmit", prompt="Deploy the site.").output == ""
    taught.more = {**HERE, "MEMSEEK_HOOK_CONTEXT": "prompt"}
    told = taught.hook("UserPromptSubmit", prompt="Deploy the site on Friday.").told()
    assert told["hookSpecificOutput"]["hookEventName"] == "UserPromptSubmit"
    assert "Never deploy on a Friday" in context_of(told)


def test_what_was_told_is_not_captured_again(taught: Hooks) -> None:
    told = context_of(taught.hook("SessionStart", source="startup").told())
    taught.hook("UserPromptSubmit", prompt=f"{told}\n\nNow the tests.")
    taught.hook("UserPromptSubmit", prompt=told)
    taught.hook("Stop", last_assistant_message=f"Memory says: {told} Done.")
    assert [text.strip() for _, _, text in stored()] == [RULE, "Now the tests.", "Memory says:  Done."]


def test_a_hook_that_is_set_up_twice_counts_once(taught: Hooks) -> None:
    for _ in range(2):
        taught.hook("UserPromptSubmit", prompt="Yes.")
    for _ in range(2):
        taught.hook("Stop", last_assistant_message="Done.")
    assert [text for _, _, text in stored()] == [RULE, "Yes.", "Done."]
    assert taught.run("status").told() == {"waiting": 0, "aside": [], "server": "answers"}


def test_a_reply_is_read_from_the_transcript_where_it_is_not_told(taught: Hooks, tmp_path: Path) -> None:
    def entry(kind: str, content: Any, **more: Any) -> str:
        return json.dumps({"type": kind, "message": {"role": kind, "content": content}, **more})

    lines = [
        entry("user", "An earlier question"),
        entry("assistant", [{"type": "text", "text": "An earlier answer"}]),
        entry("user", "Run the tests."),
        entry("assistant", [{"type": "text", "text": "Running them."}, {"type": "tool_use", "id": "t"}]),
        entry("user", [{"type": "tool_result", "content": "2 passed"}]),
        entry("assistant", [{"type": "text", "text": "A helper speaks."}], isSidechain=True),
        "{ half a line",
        "[" * 100_000,
        entry("assistant", [{"type": "text", "text": "All pass."}]),
    ]
    transcript = tmp_path / "transcript.jsonl"
    transcript.write_text("\n".join(lines))
    taught.hook("Stop", transcript_path=str(transcript))
    assert stored()[1:] == [("s1", "assistant", "Running them.\n\nAll pass.")]


def test_vs_code_writes_the_same_fields_another_way(taught: Hooks) -> None:
    base = {"sessionId": "v1", "timestamp": "2026-01-01T00:00:00Z", "cwd": "/srv/billing"}
    prompt = {**base, "hookEventName": "UserPromptSubmit", "prompt": "From the editor."}
    assert taught.run("hook", given=json.dumps(prompt)).output == ""
    start = taught.run("hook", given=json.dumps({**base, "hookEventName": "SessionStart"})).told()
    assert "Never deploy" in context_of(start)
    assert stored()[1:] == [("v1", "user", "From the editor.")]


def test_cursor_has_its_own_names(taught: Hooks) -> None:
    base = {"conversation_id": "c1", "generation_id": "g1", "workspace_roots": ["/srv/billing"]}

    def event(name: str, **fields: Any) -> Any:
        ran = taught.run("hook", given=json.dumps({**base, "hook_event_name": name, **fields}))
        return ran.told() if ran.output else None

    assert "Never deploy" in event("sessionStart")["additional_context"]
    assert event("beforeSubmitPrompt", prompt="From Cursor.") == {"continue": True}
    assert event("afterAgentResponse", text="To Cursor.") is None
    assert event("stop", status="completed") is None
    assert stored()[1:] == [("c1", "user", "From Cursor."), ("c1", "assistant", "To Cursor.")]


def test_an_event_that_does_not_say_its_name_is_told_by_the_set_up(taught: Hooks) -> None:
    given_event = json.dumps({"prompt": "From a terminal.", "sessionId": "t1"})
    taught.run("hook", "--event", "userPromptSubmitted", given=given_event)
    assert stored()[1:] == [("t1", "user", "From a terminal.")]


def test_codex_notifies_of_a_whole_turn(taught: Hooks) -> None:
    turn = {
        "type": "agent-turn-complete",
        "thread-id": "x1",
        "turn-id": "7",
        "input-messages": ["Fix it.", "And test it."],
        "last-assistant-message": "Done.",
    }
    for event in (turn, turn, {**turn, "type": "something else"}):
        assert taught.run("notify", json.dumps(event)).output == ""
    assert stored()[1:] == [
        ("x1", "user", "Fix it."),
        ("x1", "user", "And test it."),
        ("x1", "assistant", "Done."),
    ]


def test_what_an_agent_says_to_its_helpers_is_not_captured(taught: Hooks) -> None:
    taught.hook("UserPromptSubmit", prompt="Search the code.", agent_id="h1")
    taught.hook("Stop", last_assistant_message="Found it.", agent_id="h1")
    assert len(stored()) == 1


def test_any_agent_may_call_it(taught: Hooks) -> None:
    taught.record("An answer.", role="assistant", session="own")
    assert stored()[1:] == [("own", "assistant", "An answer.")]
    assert "Never deploy" in taught.run("context", "--session", "own", "--task", "Deploy on Friday").output


@pytest.mark.parametrize(
    ("arguments", "given_text"),
    [
        ((), ""),
        (("nonsense",), ""),
        (("record",), ""),
        (("record", "--role", "nobody", "--session", "s"), "words"),
        (("hook",), "no JSON"),
        (("hook",), "[]"),
        (("hook",), '{"hook_event_name": 7, "prompt": ["?"]}'),
        (("hook",), '{"hook_event_name": "Stop", "transcript_path": "/nowhere"}'),
        (("notify", "no JSON"), ""),
        (("context", "--task", ""), ""),
    ],
)
def test_whatever_it_is_given_it_ends_well(hooks: Hooks, arguments: tuple[str, ...], given_text: str) -> None:
    hooks.more = HERE
    hooks.run(*arguments, given=given_text)
    assert stored() == []


def test_without_a_key_or_an_entity_it_says_so_and_lets_the_agent_go_on(hooks: Hooks) -> None:
    hooks.more = {"MEMSEEK_ENTITY": ""}
    ran = hooks.run("hook", given='{"hook_event_name": "beforeSubmitPrompt", "prompt": "Hi"}')
    assert (ran.told(), "MEMSEEK_ENTITY" in ran.complaint) == ({"continue": True}, True)


def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("memseek_hook", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


HOOK = script()
PIECES = st.sampled_from(
    [
        *("<memseek-recall>", "</memseek-recall>", '<memseek-recall id="a">', "<MEMSEEK-RECALL/>"),
        *(
            "< / memseek-recall >",
            "<memseek-recall",
            "<memseek-recaller>",
            "\n## Request (now)\n",
            "words",
            "\n",
        ),
    ]
)


@given(st.lists(PIECES, max_size=12).map("".join))
def test_it_reads_the_marks_as_the_server_does(text: str) -> None:
    assert HOOK.strip_recalled(text) == strip_recalled(text)


def test_it_is_written_for_python_3_9_and_needs_nothing_else() -> None:
    tree = ast.parse(SCRIPT.read_text(), feature_version=(3, 9))
    imported = {
        (node.module or "") if isinstance(node, ast.ImportFrom) else alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    assert {name.partition(".")[0] for name in imported} <= sys.stdlib_module_names

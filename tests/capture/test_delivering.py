"""A server that is up, down, slow and back: nothing is lost, nothing is doubled, no agent waits."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest

from tests.capture.conftest import SLACK_SECONDS, Hooks, stored
from tests.client.servers import Asked, losing_replies
from tests.proxy.serving import Line, free_port
from tests.setup.commands import wait_until

pytestmark = pytest.mark.slow

HERE = {"MEMSEEK_HOOK_DETACH": "0"}
"""Delivered by the call itself, as far as its time goes."""


def test_both_turns_arrive_and_nothing_is_left(hooks: Hooks) -> None:
    hooks.hook("UserPromptSubmit", prompt="Never deploy on Fridays.")
    hooks.hook("Stop", last_assistant_message="I will not.")
    hooks.wait_until_delivered()
    assert stored() == [("s1", "user", "Never deploy on Fridays."), ("s1", "assistant", "I will not.")]


def test_what_a_server_that_is_down_missed_comes_later_in_order_and_once(hooks: Hooks, line: Line) -> None:
    hooks.more, line.is_cut = HERE, True
    for number in range(5):
        ran = hooks.record(f"words {number}")
        assert ran.seconds < hooks.seconds + SLACK_SECONDS
    files = hooks.waiting()
    assert [json.loads(path.read_text())["text"] for path in files] == [f"words {n}" for n in range(5)]
    assert {path.stat().st_mode & 0o777 for path in files} == {0o600}
    assert files[0].parent.stat().st_mode & 0o777 == 0o700
    assert hooks.key not in "".join(path.read_text() for path in files)
    hooks.seconds, line.is_cut = 20, False
    hooks.record("words 5")
    hooks.run("flush")
    assert [text for _, _, text in stored()] == [f"words {n}" for n in range(6)]
    assert hooks.waiting() == []


@pytest.mark.parametrize("detach", ["0", "1"])
def test_a_server_that_hangs_holds_up_nobody(hooks: Hooks, line: Line, detach: str) -> None:
    hooks.seconds, hooks.more = 1.0, {"MEMSEEK_HOOK_DETACH": detach}
    line.is_open.clear()
    for ran in (
        hooks.hook("SessionStart", source="startup"),
        hooks.hook("UserPromptSubmit", prompt="Are you there?"),
        hooks.hook("Stop", last_assistant_message="I am."),
        hooks.hook("SessionEnd", reason="exit"),
    ):
        assert ran.seconds < hooks.seconds + SLACK_SECONDS
        assert ran.output == ""
    assert len(hooks.waiting()) == 2
    line.is_open.set()
    hooks.seconds = 20
    wait_until(lambda: hooks.run("flush").code == 0 and not hooks.waiting())
    assert stored() == [("s1", "user", "Are you there?"), ("s1", "assistant", "I am.")]


def test_a_reply_that_is_lost_doubles_nothing(hooks: Hooks) -> None:
    with losing_replies(hooks.base_url, "/records") as between:
        hooks.base_url, hooks.more = between.url, HERE
        hooks.record("words")
        assert len(hooks.waiting()) == 1
        hooks.run("flush")
        paths = [asked.path for asked in between.asked if isinstance(asked, Asked)]
    assert paths == ["/api/v1/records"] * 2
    assert (hooks.waiting(), stored()) == ([], [("s1", "user", "words")])


def test_many_sessions_at_once(hooks: Hooks) -> None:
    hooks.seconds = 20
    calls = [hooks.start("record", "--role", "user", "--session", f"s{n % 4}") for n in range(12)]
    for number, call in enumerate(calls):
        assert call.stdin is not None
        call.stdin.write(f"words {number}")
        call.stdin.close()
    for call in calls:
        assert call.wait() == 0
        for stream in (call.stdout, call.stderr):
            assert stream is not None
            stream.close()
    wait_until(lambda: len(stored()) == 12 or (hooks.run("flush").code != 0))
    hooks.wait_until_delivered()
    assert sorted(stored()) == sorted((f"s{n % 4}", "user", f"words {n}") for n in range(12))


def test_a_killed_hook_leaves_its_words_behind(hooks: Hooks, line: Line) -> None:
    hooks.seconds, hooks.more = 30, HERE
    line.is_open.clear()
    process = hooks.start("record", "--role", "user", "--session", "s1")
    assert process.stdin is not None
    process.stdin.write("words")
    process.stdin.close()
    wait_until(lambda: len(hooks.waiting()) == 1)
    process.send_signal(signal.SIGKILL)
    process.wait()
    for stream in (process.stdout, process.stderr):
        assert stream is not None
        stream.close()
    line.is_open.set()
    hooks.record("more words")
    hooks.run("flush")
    assert [text for _, _, text in stored()] == ["words", "more words"]


def test_without_a_folder_words_go_straight_to_the_server(hooks: Hooks, tmp_path: Path) -> None:
    hooks.spool = tmp_path / "a file"
    hooks.spool.write_text("no folder")
    ran = hooks.record("words")
    assert "cannot put words down" in ran.complaint
    assert stored() == [("s1", "user", "words")]
    hooks.base_url = f"http://127.0.0.1:{free_port()}"
    assert "words were lost" in hooks.record("more words").complaint


def test_a_full_folder_takes_no_more_and_keeps_what_it_has(hooks: Hooks, line: Line) -> None:
    hooks.seconds = 1
    hooks.more = {**HERE, "MEMSEEK_HOOK_MEGABYTES": "1"}
    line.is_open.clear()
    hooks.run("record", "--role", "user", "--session", "s1", given="x" * 1_000_000)
    held = len(hooks.waiting())
    assert "the spool is full" in hooks.record("y" * 60_000).complaint
    assert len(hooks.waiting()) == held == 16
    line.is_open.set()
    hooks.seconds = 20
    hooks.run("flush")
    assert sum(len(text) for _, _, text in stored() if text[0] == "x") == 1_000_000


def test_what_cannot_be_read_or_taken_is_set_aside_and_named(hooks: Hooks, line: Line) -> None:
    hooks.more, line.is_cut = HERE, True
    for text in ("good", "bad", "broken", "good too"):
        hooks.record(text)
    _, bad, broken, _ = hooks.waiting()
    bad.write_text(json.dumps({**json.loads(bad.read_text()), "role": "nobody"}))
    broken.write_text("[" * 100_000)
    hooks.seconds, line.is_cut = 20, False
    ran = hooks.run("flush")
    assert [text for _, _, text in stored()] == ["good", "good too"]
    names = sorted([f"{bad.stem}.refused", f"{broken.stem}.corrupt"])
    assert all(name in ran.complaint for name in names)
    assert hooks.run("status").told() == {"waiting": 0, "aside": names, "server": "answers"}
    assert names[0] in hooks.hook("SessionStart", source="startup").complaint


def test_what_cannot_be_set_aside_is_not_sent_on_and_on(hooks: Hooks, line: Line) -> None:
    hooks.more, line.is_cut = HERE, True
    hooks.record("bad")
    [bad] = hooks.waiting()
    bad.write_text(json.dumps({**json.loads(bad.read_text()), "role": "nobody"}))
    (bad.parent / "aside").write_text("no folder")
    line.is_cut = False
    assert "cannot deliver" in hooks.run("flush").complaint
    assert hooks.waiting() == [bad]


@pytest.mark.skipif(os.getuid() != 0, reason="only root gives folders away")
def test_words_are_not_left_in_a_folder_of_somebody_else(hooks: Hooks, tmp_path: Path) -> None:
    hooks.record("mine")
    hooks.wait_until_delivered()
    [folder] = hooks.spool.iterdir()
    taken = tmp_path / "taken"
    folder.rename(taken)
    os.chown(taken, 12_345, -1)
    folder.symlink_to(taken)
    before = set(taken.iterdir())
    assert "somebody else's" in hooks.record("not theirs").complaint
    assert [text for _, _, text in stored()] == ["mine", "not theirs"]
    assert set(taken.iterdir()) == before


def test_an_input_that_is_too_large_is_not_left_out_in_silence(hooks: Hooks) -> None:
    hooks.seconds, hooks.more = 20, HERE
    words = "x" * 17_000_000
    event = {"session_id": "s1", "hook_event_name": "beforeSubmitPrompt", "prompt": words}
    ran = hooks.run("hook", given=json.dumps(event))
    size = len(json.dumps(event))
    assert f"an input of {size} bytes is larger than 16777216: nothing of it is recorded" in ran.complaint
    # The agent goes on.
    assert ran.told() == {"continue": True}
    assert (stored(), hooks.waiting()) == ([], [])
    [name] = hooks.run("status").told()["aside"]
    [note] = hooks.spool.glob("*/aside/*.too-large")
    assert (note.name, note.stat().st_mode & 0o777) == (name, 0o600)
    assert json.loads(note.read_text()) == {"bytes": size, "most": 16_777_216}
    assert name in hooks.hook("SessionStart", source="startup").complaint


def test_of_words_that_are_too_many_the_beginning_is_recorded(hooks: Hooks, line: Line) -> None:
    hooks.seconds, hooks.more, line.is_cut = 20, HERE, True
    ran = hooks.record("x" * 17_000_000)
    assert "an input of 17000000 bytes is larger than 16777216: its beginning is recorded" in ran.complaint
    assert sum(len(json.loads(path.read_text())["text"]) for path in hooks.waiting()) == 16_777_216


def test_odd_settings_and_names_lose_nothing(hooks: Hooks) -> None:
    hooks.more = {
        **HERE,
        "MEMSEEK_HOOK_SECONDS": "inf",
        "MEMSEEK_HOOK_MEGABYTES": "inf",
        "MEMSEEK_HOOK_TOKENS": "nan",
    }
    told = {"hook_event_name": "UserPromptSubmit", "session_id": " \ud800\0", "prompt": "hi"}
    hooks.run("hook", given=json.dumps(told))
    assert stored() == [("?", "user", "hi")]


def test_words_for_one_memory_never_reach_another(hooks: Hooks, line: Line) -> None:
    hooks.more, line.is_cut = HERE, True
    hooks.record("for Alice")
    line.is_cut = False
    hooks.seconds, hooks.more = 20, {**HERE, "MEMSEEK_ENTITY": "agent.bob"}
    hooks.record("for Bob")
    hooks.run("flush")
    assert [text for _, _, text in stored()] == ["for Bob"]


def test_before_the_first_words_there_is_nothing_to_complain_of(hooks: Hooks) -> None:
    ran = hooks.hook("SessionStart", source="startup")
    assert (ran.output, ran.complaint) == ("", "")
    server = hooks.run("status").told()["server"]
    assert server == "answers; there is no memory of this name yet, the first words make it"


def test_the_status_tells_of_a_wrong_key_and_of_a_server_that_is_away(hooks: Hooks, line: Line) -> None:
    hooks.key = "msk_wrong"
    assert hooks.run("status").told()["server"] == "does not take this key (status 401)"
    line.is_cut = True
    assert hooks.run("status").told()["server"].startswith("does not answer (")

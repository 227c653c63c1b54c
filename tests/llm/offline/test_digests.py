"""Offline digests: who wanted what, what came of it, what is open; no name or number of their own."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from memory.cascade.compaction_contract import CompactionPayload, DigestAction, OfferedCall, OfferedTurn
from memory.cascade.rules.grounding import Ground, dates_said
from memory.llm.offline.digests import digest

START = datetime(2026, 6, 2, 9, 0, tzinfo=UTC)


def turns_of(*said: tuple[Any, ...]) -> tuple[OfferedTurn, ...]:
    """Turns of (role, text) a minute apart; calls and tool names as further fields."""
    return tuple(
        OfferedTurn(
            handle=f"m{place + 1}",
            role=role,
            speaker="Alice" if role == "user" else "",
            said_at=START + timedelta(minutes=place),
            text=text,
            **(more[0] if more else {}),
        )
        for place, (role, text, *more) in enumerate(said)
    )


def text_of(
    turns: tuple[OfferedTurn, ...], *, before: str = "", limit: int = 2_400, action: DigestAction = "summary"
) -> str:
    payload = CompactionPayload("agent.alice", "UTC", "Plans", action, limit, before, turns)
    [item] = digest(payload).items
    assert item.action == action
    return item.text


PLAN = turns_of(
    ("user", "Hi! I'm evaluating the enterprise plan for a July rollout. What does annual billing cost?"),
    ("assistant", "", {"calls": (OfferedCall("billing.quote", '{"plan": "enterprise"}'),)}),
    ("tool", '{"cycle": "annual", "price": 1200}', {"tool_name": "billing.quote"}),
    ("assistant", "Annual billing is 1,200 dollars. I'll send the quote tomorrow."),
    ("user", "Never contact our CFO directly. We decided to go with the annual plan."),
    ("assistant", "Understood. Which time zone should I use?"),
)
SUMMARY = """\
Wanted:
- Alice asked: "What does annual billing cost?", answer: "Annual billing is 1,200 dollars."
Decided:
- Alice and others decided to go with the annual plan.
Rules:
- Never contact Alice's CFO directly.
Told:
- Alice is evaluating the enterprise plan for a July rollout.
Promised:
- The assistant: "I'll send the quote tomorrow." (2026-06-02)
Results:
- billing.quote {"plan": "enterprise"}: {"cycle": "annual", "price": 1200}
Open:
- The assistant asked: "Which time zone should I use?\""""


def test_a_summary_tells_who_wanted_what_and_what_came_of_it() -> None:
    assert text_of(PLAN) == SUMMARY


def test_a_later_summary_holds_the_earlier_one_and_what_is_new() -> None:
    later = turns_of(("user", "UTC please. Can you book a demo for Bob?"))
    text = text_of(later, before=SUMMARY)
    assert text.startswith(SUMMARY[: SUMMARY.index("Open:")])
    assert text.endswith('Open:\n- Alice asked: "Can you book a demo for Bob?"')


def test_an_answer_that_comes_behind_the_fold_closes_the_question() -> None:
    before = text_of(turns_of(("user", "When is the freeze?")))
    assert before == 'Open:\n- Alice asked: "When is the freeze?"'
    after = text_of(turns_of(("assistant", "The freeze is on Monday.")), before=before)
    assert after == 'Wanted:\n- Alice asked: "When is the freeze?", answer: "The freeze is on Monday."'


def test_a_value_that_has_changed_stands_as_it_is_now() -> None:
    before = text_of(turns_of(("user", "My flight leaves on 2 July 2026.")))
    after = text_of(turns_of(("user", "My flight leaves on 9 July 2026.")), before=before)
    assert "July 9, 2026" in after
    assert "July 2, 2026" not in after


def test_the_same_words_again_stand_once() -> None:
    assert text_of(PLAN[4:5], before=text_of(PLAN[4:5])) == text_of(PLAN[4:5])


def test_what_weighs_most_stays_where_little_fits() -> None:
    text = text_of(PLAN, limit=180, action="brief")
    assert len(text) <= 180
    assert "decided to go with the annual plan" in text
    assert "Which time zone" in text


def test_the_prose_of_another_model_is_kept_sentence_by_sentence() -> None:
    text = text_of(PLAN[4:5], before="Alice wants a plan. She asked for a quote.")
    assert text.startswith("Before:\n- Alice wants a plan.\n- She asked for a quote.\nDecided:")


def test_secrets_are_left_where_they_were_said() -> None:
    said = turns_of(
        ("user", "My password is hunter2secret9. Can you log in?"),
        ("tool", "token=ghp_abcdefghijklmnopqrstuvwx", {"tool_name": "login"}),
        ("assistant", "Logged in."),
    )
    assert text_of(said) == 'Wanted:\n- Alice asked: "Can you log in?", answer: "Logged in."'


def test_arguments_stand_beside_the_result_of_a_tool_that_was_called_once() -> None:
    calls = tuple(OfferedCall("weather", arguments) for arguments in ('{"city": "Oslo"}', '{"city": "Rome"}'))
    said = turns_of(
        ("assistant", "", {"calls": calls}),
        ("tool", "21 °C", {"tool_name": "weather"}),
        ("tool", "30 °C", {"tool_name": "weather"}),
    )
    assert text_of(said) == "Results:\n- weather: 21 °C\n- weather: 30 °C"


def test_a_talk_without_anything_to_note_still_leaves_a_trace() -> None:
    small = turns_of(("user", "Hello there!"), ("assistant", "Hello."), ("user", "Bye!"))
    assert text_of(small) == 'Told:\n- Alice: "Hello there!"\n- Alice: "Bye!"'
    silent = turns_of(("assistant", "", {"calls": (OfferedCall("ping", "{}"),)}))
    assert text_of(silent) == "Nothing was said in words."
    assert text_of((), before=SUMMARY, limit=600, action="brief") != ""


SENTENCES = st.sampled_from(
    [
        "Can we ship tomorrow?",
        "We agreed on 14 March.",
        "Bertrand pays 400 euros.",
        "Always ask me before you deploy.",
        "I'll call Camille at 9.",
        "好的，我们决定用年度计划。",
        "¿Cuándo es la reunión?",
        "ok",
        '{"a": [1, 2]}',
        "It said «no». Then it said 'yes'.",
        "- one\n- two",
        "Open:\n- forged",
        "1. Export 40 cards. 2. Sort them.",
        "The keys are with Jonas. His deputy is Ingrid.",
        "Okay, then we take the Reader plan for 35 euros.",
        "Let me check.",
        "Yes.",
        "Shall we ask Camille?",
    ]
)


@given(
    said=st.lists(st.tuples(st.sampled_from(["user", "assistant", "tool"]), SENTENCES), max_size=8),
    cut=st.integers(0, 8),
    limit=st.integers(60, 900),
)
def test_every_digest_is_within_its_limit_grounded_and_the_same_each_time(
    said: list[tuple[str, str]], cut: int, limit: int
) -> None:
    turns = turns_of(*said)
    before = text_of(turns[:cut])
    text = text_of(turns[cut:], before=before, limit=limit)
    assert 0 < len(text) <= limit
    assert text == text_of(turns[cut:], before=before, limit=limit)
    days = {day for turn in turns for day in dates_said(turn.text, START.date())}
    ground = Ground([turn.text for turn in turns], extra=["Alice", "Assistant"], allowed_dates=days)
    assert ground.ungrounded(text) == ()

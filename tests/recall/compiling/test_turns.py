"""Turns as chat messages: whatever was said, a chat that models take, and the newest of it."""

from typing import Any
from uuid import UUID, uuid5

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai.types.chat import ChatCompletionMessageParam
from pydantic import TypeAdapter

from memory.recall.compiling.chat import chat_of
from memory.recall.compiling.turns import Turn, exchanges, message_tokens
from memory.recall.compiling.windows import STRIDE, conversation, window
from memory.recall.tokens import count_tokens

SPACE = UUID("019b0000-0000-7000-8000-000000000002")
SCHEMA = TypeAdapter(list[ChatCompletionMessageParam])
CALL = {"id": "c1", "type": "function", "function": {"name": "plan", "arguments": '{"of":"acme"}'}}


def turn(ordinal: int, role: str, text: str = "", **values: Any) -> Turn:
    return Turn(uuid5(SPACE, str(ordinal)), ordinal, role, text, **values)


def chat(turns: list[Turn]) -> list[dict[str, Any]]:
    return [message for exchange in exchanges(turns, count_tokens) for message in exchange.messages]


def assert_schema(messages: list[dict[str, Any]]) -> None:
    """Valid for OpenAI's types, and each call is followed by its results at once and by nothing else."""
    SCHEMA.validate_python(messages)
    open_calls: list[str] = []
    for message in messages:
        if message["role"] == "tool":
            open_calls.remove(message["tool_call_id"])
        else:
            assert open_calls == []
            open_calls = [call["id"] for call in message.get("tool_calls", [])]
    assert open_calls == []


def test_a_call_stands_with_its_results_although_others_spoke_between() -> None:
    turns = [
        turn(0, "user", "Which plan has Acme?", speaker="Alice"),
        turn(1, "assistant", tool_calls=[CALL, {"id": "c2", "name": "price", "arguments": {"of": "acme"}}]),
        turn(2, "tool", "enterprise", tool_name="plan", tool_call_id="c1"),
        turn(3, "user", "And hurry."),
        turn(4, "tool", "1200", tool_name="price", tool_call_id="c2"),
        turn(5, "assistant", "Enterprise, 1,200."),
    ]
    assert chat(turns) == [
        {"role": "user", "content": "Which plan has Acme?", "name": "Alice"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                CALL,
                {
                    "id": "c2",
                    "type": "function",
                    "function": {"name": "price", "arguments": '{"of": "acme"}'},
                },
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "enterprise"},
        {"role": "tool", "tool_call_id": "c2", "content": "1200"},
        {"role": "user", "content": "And hurry."},
        {"role": "assistant", "content": "Enterprise, 1,200."},
    ]
    assert_schema(chat(turns))


@pytest.mark.parametrize(
    ("turns", "expected"),
    [
        (
            [turn(0, "assistant", "One moment.", tool_calls=[CALL])],
            [
                {
                    "role": "assistant",
                    "content": 'One moment.\n[call of plan, without a result: {"of":"acme"}]',
                }
            ],
        ),
        (
            [turn(0, "tool", "enterprise", tool_name="plan", tool_call_id="c1")],
            [{"role": "assistant", "content": "[result of plan] enterprise"}],
        ),
        (
            [turn(0, "tool", "early", tool_call_id="c1"), turn(1, "assistant", tool_calls=[CALL])],
            [
                {"role": "assistant", "content": "[result of a tool] early"},
                {"role": "assistant", "content": '[call of plan, without a result: {"of":"acme"}]'},
            ],
        ),
        (
            [
                turn(0, "assistant", tool_calls=[CALL]),
                turn(1, "assistant", tool_calls=[CALL]),
                turn(2, "tool", "enterprise", tool_call_id="c1"),
                turn(3, "tool", "basic", tool_call_id="c1"),
            ],
            [
                {"role": "assistant", "content": None, "tool_calls": [CALL]},
                {"role": "tool", "tool_call_id": "c1", "content": "enterprise"},
                {"role": "assistant", "content": None, "tool_calls": [CALL]},
                {"role": "tool", "tool_call_id": "c1", "content": "basic"},
            ],
        ),
        (
            [
                turn(0, "assistant", tool_calls=[CALL, CALL]),
                turn(1, "tool", "enterprise", tool_name="plan", tool_call_id="c1"),
            ],
            [
                {
                    "role": "assistant",
                    "content": "\n".join(['[call of plan, without a result: {"of":"acme"}]'] * 2),
                },
                {"role": "assistant", "content": "[result of plan] enterprise"},
            ],
        ),
        (
            [turn(0, "assistant", tool_calls=["what?"])],
            [{"role": "assistant", "content": "[call of a tool]"}],
        ),
        (
            [turn(0, "user", "<memseek-recall>old</memseek-recall>Hello", speaker="Alice Example")],
            [{"role": "user", "content": "Hello"}],
        ),
        (
            [turn(0, "user", "<memseek-recall>old</memseek-recall>")],
            [{"role": "user", "content": "[recalled memory alone]"}],
        ),
        (
            [
                turn(0, "assistant", tool_calls=[{"id": "c1", "name": "price list", "arguments": {}}]),
                turn(1, "tool", "1200", tool_name="price list", tool_call_id="c1"),
            ],
            [{"role": "assistant", "content": "[call of price list: {}]\n[result of price list] 1200"}],
        ),
        (
            [turn(0, "user", "", attachment_text="A photo of the roof.")],
            [{"role": "user", "content": "[attached: A photo of the roof.]"}],
        ),
    ],
)
def test_what_no_chat_could_hold_is_told_in_words(turns: list[Turn], expected: list[dict[str, Any]]) -> None:
    assert chat(turns) == expected
    assert_schema(chat(turns))


ids = st.sampled_from(["c1", "c2", "c3"])
calls = st.lists(ids, max_size=3)
spoken = st.tuples(
    st.sampled_from(["user", "assistant", "tool", "system"]),
    st.text(max_size=20),
    calls,
    ids,
)


Said = tuple[str, str, list[str], str]


def told(said: list[Said]) -> list[Turn]:
    return [
        turn(
            ordinal,
            role,
            text,
            tool_calls=[{"id": id, "name": "look", "arguments": {}} for id in made]
            if role == "assistant"
            else [],
            tool_call_id=answers if role == "tool" else "",
        )
        for ordinal, (role, text, made, answers) in enumerate(said)
    ]


@given(st.lists(spoken, max_size=12), st.integers(0, 400))
def test_any_turns_and_any_window_of_them_are_a_chat_that_models_take(said: list[Said], budget: int) -> None:
    found = exchanges(told(said), count_tokens)
    assert sorted(turn.ordinal for exchange in found for turn in exchange.turns) == list(range(len(said)))
    assert_schema([message for exchange in found for message in exchange.messages])
    shown = window(found, first_ordinal=0, budget=budget).shown
    assert_schema([message for exchange in shown for message in exchange.messages])
    assert shown == tuple(found[len(found) - len(shown) :])


@given(st.lists(st.text(max_size=60), min_size=1, max_size=60), st.integers(40, 2_000))
def test_a_window_holds_the_newest_turn_and_keeps_to_its_budget(texts: list[str], budget: int) -> None:
    found = exchanges([turn(n, "user", text) for n, text in enumerate(texts)], count_tokens)
    chosen = conversation(found, first_ordinal=0, budget=budget, count=count_tokens)
    assert chosen.shown[-1].turns[0].ordinal == len(texts) - 1
    assert chosen.tokens <= budget
    assert len(chosen.left_out) + len(chosen.shown) == len(texts)


def test_the_window_moves_by_strides_so_that_a_cache_keeps_it() -> None:
    starts = []
    for count in range(30, 70):
        found = exchanges([turn(n, "user", "one two three") for n in range(count)], count_tokens)
        starts.append(window(found, first_ordinal=0, budget=200).shown[0].ordinal)
    assert {start % STRIDE for start in starts} == {0}
    assert starts == sorted(starts)
    assert len(set(starts)) <= 40 // STRIDE + 1


def test_a_turn_that_is_too_long_is_cut_and_says_so() -> None:
    found = exchanges([turn(0, "user", "word " * 500)], count_tokens)
    chosen = conversation(found, first_ordinal=0, budget=60, count=count_tokens)
    [message] = chosen.shown[0].messages
    assert (message["content"][:9], message["content"].count(" … ")) == ("word word", 1)
    assert message_tokens(message, count_tokens) <= 60
    assert chosen.cut == (turn(0, "user").id,)


@given(st.lists(spoken, max_size=12), st.integers(1, 400), st.integers(60, 2_000))
def test_a_conversation_keeps_to_its_budget_and_holds_the_newest_words_of_a_user(
    said: list[Said], length: int, budget: int
) -> None:
    stored = told([(role, text * length, made, answers) for role, text, made, answers in said])
    found = exchanges(stored, count_tokens)
    chosen = conversation(found, first_ordinal=0, budget=budget, count=count_tokens)
    assert chosen.tokens <= budget
    assert_schema([message for exchange in chosen.shown for message in exchange.messages])
    turns = [turn for exchange in chosen.shown for turn in exchange.turns]
    assert sorted([*turns, *chosen.left_out], key=lambda turn: turn.ordinal) == stored
    assert [turn for turn in turns if turn.role == "user"][-1:] == [
        turn for exchange in found for turn in exchange.turns if turn.role == "user"
    ][-1:]


def test_the_newest_words_of_a_user_stand_before_whatever_was_done_since() -> None:
    steps = [turn(n, "assistant", f"Step {n} is done.") for n in range(1, 30)]
    found = exchanges([turn(0, "user", "word " * 500), *steps], count_tokens)
    chosen = conversation(found, first_ordinal=0, budget=200, count=count_tokens)
    asked, *rest = [message for exchange in chosen.shown for message in exchange.messages]
    assert (asked["role"], asked["content"].count(" … ")) == ("user", 1)
    assert rest[-1]["content"] == "Step 29 is done."
    assert 50 <= message_tokens(asked, count_tokens) <= 100
    assert [turn.ordinal for turn in chosen.left_out] == list(range(1, 30 - len(rest)))


def test_long_results_are_cut_to_one_length() -> None:
    made: list[dict[str, Any]] = [{"id": id, "name": "look", "arguments": {}} for id in ("c1", "c2", "c3")]
    turns = [turn(0, "assistant", tool_calls=made), turn(1, "tool", "short", tool_call_id="c1")]
    turns += [turn(n, "tool", "word " * 500, tool_call_id=f"c{n}") for n in (2, 3)]
    chosen = conversation(exchanges(turns, count_tokens), first_ordinal=0, budget=300, count=count_tokens)
    [_, short, *long] = chosen.shown[0].messages
    assert short["content"] == "short"
    assert len({message["content"] for message in long}) == 1
    assert 250 <= chosen.tokens <= 300
    assert chosen.cut == (turns[0].id,)


def test_a_call_whose_arguments_do_not_fit_is_told_in_words() -> None:
    made = [{"id": "c1", "name": "write", "arguments": {"text": "word " * 5_000}}]
    turns = [turn(0, "assistant", tool_calls=made), turn(1, "tool", "done", tool_call_id="c1")]
    chosen = conversation(exchanges(turns, count_tokens), first_ordinal=0, budget=60, count=count_tokens)
    [message] = chosen.shown[0].messages
    assert message["role"] == "assistant"
    assert message["content"].startswith('[call of write: {"text": "word word')
    assert chosen.tokens <= 60


def test_a_window_without_turns_is_empty_however_little_is_left() -> None:
    assert conversation([], first_ordinal=0, budget=-5, count=count_tokens).shown == ()


def test_memory_stands_beside_the_newest_words_of_a_user_and_what_follows_stays() -> None:
    turns = [
        turn(0, "user", "First."),
        turn(1, "user", "Which plan?"),
        turn(2, "assistant", tool_calls=[CALL]),
        turn(3, "tool", "enterprise", tool_call_id="c1"),
    ]
    made = chat_of(
        [{"role": "system", "content": "frame"}],
        exchanges(turns, count_tokens),
        query="unused",
        asked=lambda words: f"memory, then {words}",
        count=count_tokens,
    )
    assert [(message["role"], message["content"]) for message in made.messages] == [
        ("system", "frame"),
        ("user", "First."),
        ("user", "memory, then Which plan?"),
        ("assistant", None),
        ("tool", "enterprise"),
    ]
    assert made.stable == 2
    assert made.tokens == 3 + sum(message_tokens(message, count_tokens) for message in made.messages)


def test_a_query_is_the_users_turn_where_nobody_has_spoken() -> None:
    frame = [{"role": "system", "content": "frame"}]
    made = chat_of(frame, [], query="Why?", asked=str.upper, count=count_tokens)
    assert made.messages[1:] == ({"role": "user", "content": "WHY?"},)
    assert made.stable == 1

"""Which call or result of a tool may stand behind which turns."""

from typing import Any

import pytest

from memory.ingest.incoming import IncomingTurn
from memory.ingest.pairing import Pairs
from memory.ingest.problems import Problem
from memory.ingest.tool_calls import ToolCall, read_tool_calls

CALL = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Oslo"}'}}


def turn(role: Any, **values: Any) -> IncomingTurn:
    return IncomingTurn(role=role, **({"text": "words"} | values))


def taken(*turns: IncomingTurn) -> list[str]:
    pairs = Pairs()
    return [str(problem.told("turns")) for n, one in enumerate(turns) for problem in pairs.take(n, one)]


def test_a_result_follows_its_call_and_there_is_one_for_each() -> None:
    asks, tells = turn("assistant", tool_calls=[CALL]), turn("tool", tool_call_id="c1")
    assert taken(asks, tells) == []
    assert taken(tells) == ["turns[0].tool_call_id: names no call of an earlier turn of this session"]
    assert taken(asks, tells, tells) == ["turns[2].tool_call_id: names a call that has its result already"]
    assert taken(asks, tells, asks, tells) == []


def test_calls_in_parallel_have_their_results_in_any_order() -> None:
    asks = turn("assistant", tool_calls=[{**CALL, "id": "a"}, {**CALL, "id": "b"}])
    assert taken(asks, turn("tool", tool_call_id="b"), turn("user"), turn("tool", tool_call_id="a")) == []


@pytest.mark.parametrize(
    ("role", "values", "field", "problem"),
    [
        ("tool", {}, "tool_call_id", "has to name the call that this is the result of"),
        ("user", {"tool_call_id": "c1"}, "tool_call_id", "belongs to turns of tools alone"),
        ("user", {"tool_calls": [CALL]}, "tool_calls", "belong to turns of assistants alone"),
        ("assistant", {"tool_calls": [CALL, CALL]}, "tool_calls", "use one id twice"),
        (
            "assistant",
            {"tool_calls": [{"id": "c1", "function": {}}]},
            "tool_calls",
            "each need a name and an id of at most 128 characters",
        ),
    ],
)
def test_what_fits_no_chat_is_refused(role: str, values: dict[str, Any], field: str, problem: str) -> None:
    assert Pairs().take(3, turn(role, **values)) == [Problem(3, field, problem)]


@pytest.mark.parametrize(
    ("item", "call"),
    [
        (CALL, ToolCall("c1", "weather", '{"city": "Oslo"}')),
        ({"id": "c1", "name": "weather", "arguments": {"a": 1}}, ToolCall("c1", "weather", '{"a": 1}')),
        ({"id": "c1", "name": "weather", "input": {"ü": 1}}, ToolCall("c1", "weather", '{"ü": 1}')),
        ({"id": "c1", "name": "weather"}, ToolCall("c1", "weather", "{}")),
        ({"id": "", "name": "weather"}, None),
        ({"id": 7, "name": "weather"}, None),
        ({"id": "c1", "name": " "}, None),
        ({"id": "c" * 129, "name": "weather"}, None),
        ("weather", None),
    ],
)
def test_a_call_is_read_in_either_of_the_usual_shapes(item: Any, call: ToolCall | None) -> None:
    assert read_tool_calls([item]) == (() if call is None else (call,))

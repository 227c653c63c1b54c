"""The scripted model says what it is told to, in order."""

import json

import pytest

from memory.llm.protocol import ModelReply, TransientModelError
from tests.llm.conftest import GOOD, Notes, question
from tests.scripted_model import ScriptedModel, by_task


def test_entries_of_every_kind_are_answered_in_order() -> None:
    whole = ModelReply("{}", "other", finish_reason="length")
    model = ScriptedModel(["no JSON", GOOD, Notes.model_validate(GOOD), whole, lambda asked: asked.task])

    replies = [model.answer(question()) for _ in range(5)]

    assert [json.loads(reply.text) for reply in replies[1:3]] == [GOOD, GOOD]
    assert [reply.text for reply in (replies[0], *replies[3:])] == ["no JSON", "{}", "l1_extract"]
    assert [reply.model for reply in replies] == [*["scripted@1"] * 3, "other", "scripted@1"]
    assert model.tasks == ["l1_extract"] * 5


def test_an_exception_is_raised_and_otherwise_takes_over() -> None:
    model = ScriptedModel([TransientModelError("network", "gone")], otherwise=by_task({"persona": GOOD}))

    with pytest.raises(TransientModelError):
        model.answer(question())

    assert json.loads(model.answer(question(task="persona")).text) == GOOD


def test_a_request_beyond_the_script_fails_the_test() -> None:
    with pytest.raises(AssertionError, match=r"Request 1 \(l1_extract\) is beyond the script"):
        ScriptedModel().answer(question())

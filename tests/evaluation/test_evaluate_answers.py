"""`manage.py evaluate_answers` with a reader and a judge behind real HTTP."""

import io
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from memory.evaluation.asking import prompt
from memory.evaluation.preparing import evaluation_workspace, prepare
from memory.evaluation.questions import read_questions
from memory.llm.openai_wire import close_clients
from memory.management.commands.evaluate_answers import spread
from tests.stub_provider import Reply, StubProvider


def reply(body: dict[str, Any]) -> Reply:
    """A reader that quotes a line with an approval; a judge that looks for the reference."""
    asked = body["messages"][-1]["content"]
    if asked.startswith("Question:"):
        _, _, rest = asked.partition("Reference:\n")
        reference, _, answer = rest.partition("\n\nAnswer:\n")
        return Reply.json({"items": [{"is_right": reference in answer, "reason": "compared"}]})
    material, _, question = asked.partition("\n\nQuestion:\n")
    said = [line for line in material.splitlines() if "approval" in line and "approves" in question]
    return Reply.json({"items": [{"answer": said[0] if said else "The conversation does not say."}]})


@pytest.fixture
def stub(settings: Any) -> Iterator[StubProvider]:
    """The configured model; conversations are prepared by the offline one."""
    with StubProvider(respond=reply) as provider:
        model = replace(
            settings.MEMSEEK.model, strong="stub", base_url=provider.base_url, api_key="sk-for-the-stub"
        )
        settings.MEMSEEK = replace(settings.MEMSEEK, model=model)
        yield provider
        close_clients()


@pytest.fixture
def prepared(locomo: Path, transactional_db: None) -> Path:
    """The conversation is there already: the stub answers no step of the cascade."""
    [sample] = read_questions(locomo)
    prepare(
        workspace=evaluation_workspace("evaluation"), path=locomo, sample=sample, notice=lambda text: None
    )
    return locomo


def test_memory_and_baselines_are_read_and_judged(prepared: Path, stub: StubProvider) -> None:
    out = io.StringIO()
    call_command("evaluate_answers", prepared, json=True, stdout=out)
    told = json.loads(out.getvalue())
    assert (told["questions"], told["model"], set(told["baselines"])) == (
        6,
        "stub",
        {"plain_file", "full_context"},
    )
    for values in (told, *told["baselines"].values()):
        # Who approves (Alice's line says so), and the question whose right answer is that nothing was said.
        assert values["right"] == pytest.approx(2 / 6, abs=1e-4)
        assert values["by_category"]["adversarial"] == {"questions": 1, "right": 1.0}
        assert values["failures"] == {}
        assert values["milliseconds_p95"] >= values["milliseconds_p50"] > 0
        assert values["tokens_in"] > 0
    assert len(stub.requests) == 6 * 3 * 2


def test_a_reader_that_fails_is_counted_and_judged_not_at_all(prepared: Path, stub: StubProvider) -> None:
    stub.respond = lambda body: Reply.json({"items": []})
    out = io.StringIO()
    call_command("evaluate_answers", prepared, questions=2, stdout=out)
    assert [line.split() for line in out.getvalue().splitlines()[2:]] == [
        ["memory", "0.000", "0", "0", "2"],
        ["plain_file", "0.000", "0", "0", "2"],
        ["full_context", "0.000", "0", "0", "2"],
    ]


def test_it_needs_a_language_model(locomo: Path) -> None:
    with pytest.raises(CommandError, match="This needs a language model"):
        call_command("evaluate_answers", locomo)


def test_a_number_of_questions_is_spread_over_all() -> None:
    [sample] = [range(10)]
    assert list(spread(sample, 3)) == [0, 3, 6]  # type: ignore[arg-type]
    assert list(spread(sample, None)) == list(range(10))  # type: ignore[arg-type]
    assert list(spread(sample, 0)) == []  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("task", "values"),
    [
        ("reader", {"material": "A $ sign.", "question": "Why?"}),
        ("judge", {"question": "Why?", "reference": "So.", "answer": "$so"}),
    ],
)
def test_prompts_take_these_values_and_put_them_in_as_they_are(task: str, values: dict[str, str]) -> None:
    _, user = prompt(task).render(values)
    assert all(value in user for value in values.values())

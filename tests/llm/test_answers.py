"""Finding the asked JSON in what a model wrote."""

import pytest

from memory.llm.answers import UnreadableAnswerError, read_answer
from tests.llm.conftest import GOOD, Notes
from tests.stub_provider.dialects import as_text

GOOD_TEXT = as_text(GOOD)


@pytest.mark.parametrize(
    "text",
    [
        GOOD_TEXT,
        f"Certainly.\n```json\n{GOOD_TEXT}\n```\nAnything else?",
        f'<think>{{"items": "a draft"}}</think>{GOOD_TEXT}',
        f"{{not this}} {GOOD_TEXT}",
        f'{{"items": 3}} {GOOD_TEXT}',
        f"{GOOD_TEXT} {GOOD_TEXT}",
    ],
    ids=["alone", "fenced", "thought aloud", "braces before", "a draft before", "twice"],
)
def test_words_around_an_answer_do_not_matter(text: str) -> None:
    assert read_answer(text, Notes) == Notes.model_validate(GOOD)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "it holds no JSON object"),
        ("I would rather not.", "it holds no JSON object"),
        ('{"items": [{"te', "it holds no JSON object"),
        (
            '{"items": [{"text": "Said in confidence.", "priority": 400}]}',
            "items.0.priority: less_than_equal",
        ),
        ('{"answer": {"items": []}}', "items: missing, answer: extra_forbidden"),
    ],
)
def test_what_does_not_fit_is_told_without_the_words(text: str, why: str) -> None:
    with pytest.raises(UnreadableAnswerError) as caught:
        read_answer(text, Notes)

    assert str(caught.value) == f"The answer does not fit Notes: {why}."

"""Questions with their evidence, as written by hand."""

import json
from pathlib import Path

import pytest

from memory.evaluation.questions import Question, UnreadableQuestionsError, read_questions, turn_ids


@pytest.mark.parametrize(
    ("written", "ids"),
    [
        ("D1:3", ["D1:3"]),
        ("D8:6; D9:17", ["D8:6", "D9:17"]),
        ("D9:1 D4:4 D4:6", ["D9:1", "D4:4", "D4:6"]),
        ("D30:05", ["D30:5"]),
        ("D:11:26", ["D11:26"]),
        ("d2 : 7", ["D2:7"]),
        ("D", []),
        ("", []),
    ],
)
def test_ids_are_read_however_they_are_written(written: str, ids: list[str]) -> None:
    assert turn_ids(written) == ids


def test_questions_have_categories_answers_and_evidence(locomo: Path) -> None:
    [sample] = read_questions(locomo)
    assert sample.conversation == "talk-1"
    assert [question.category for question in sample.questions] == [
        "single_hop",
        "temporal",
        "multi_hop",
        "adversarial",
        "open_domain",
        "open_domain",
    ]
    assert sample.questions[2:4] == (
        Question(
            "What did Alice say about billing and deploys?",
            "multi_hop",
            frozenset({"D1:1", "D1:3"}),
            "Express, approval",
        ),
        Question(
            "What is the cat called?", "adversarial", frozenset({"D1:4"}), "The conversation does not say."
        ),
    )


@pytest.mark.parametrize("content", ["no json", "[]", "{}", '[{"sample_id": "a", "qa": [{"question": 1}]}]'])
def test_a_file_without_questions_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "file.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(UnreadableQuestionsError):
        read_questions(path)


def test_an_answer_that_is_a_number_is_text(tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    row = {"question": "When?", "answer": 2022, "evidence": "D1:1", "category": 9}
    path.write_text(json.dumps({"sample_id": "a", "qa": [row]}), encoding="utf-8")
    [sample] = read_questions(path)
    assert sample.questions == (Question("When?", "other", frozenset({"D1:1"}), "2022"),)

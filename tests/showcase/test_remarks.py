"""What a page says when something stands in the way."""

from typing import Any

import pytest

from showcase.demonstration import remarks

WELL: dict[str, Any] = {
    "pending": 0,
    "parked": 0,
    "worker_seen_seconds": 3.0,
    "silent_seconds": 40.0,
    "is_llm_fake": False,
}


@pytest.mark.parametrize(
    ("amiss", "said"),
    [
        ({}, ()),
        ({"worker_seen_seconds": 41.0}, ("No worker seen for 41 s. To start one: make worker.",)),
        ({"worker_seen_seconds": 7_300.0}, ("No worker seen for 2 h. To start one: make worker.",)),
        ({"pending": 2}, ("2 inputs are waiting to be worked on.",)),
        (
            {"parked": 1},
            ("1 input is set aside after failures. manage.py doctor says why, the admin retries.",),
        ),
        ({"is_llm_fake": True}, ("LLM_FAKE is set: what is said is kept, and nothing is made of it.",)),
    ],
)
def test_what_is_amiss_is_said_in_words(amiss: dict[str, Any], said: tuple[str, ...]) -> None:
    assert remarks(**(WELL | amiss)) == said

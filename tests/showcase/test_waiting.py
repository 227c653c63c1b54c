"""How long one waits, in words."""

import pytest

from showcase.waiting import wait_said


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (1, "in 1 second"),
        (40, "in 40 seconds"),
        (121, "in 3 minutes"),
        (3_200, "in 54 minutes"),
        (3_799, "in about an hour"),
    ],
)
def test_a_wait_is_told_as_people_say_it(seconds: int, said: str) -> None:
    assert wait_said(seconds) == said

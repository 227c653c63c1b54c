"""Estimates of tokens: cheap, monotone, and different for different scripts."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.cascade.rules.budget import count_tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("a", 1),
        ("Prefers window seats", 5),
        ("测试口令是蓝色风筝", 9),
        ("Срок миграции", 6),
        ("🎉🎉", 4),
        ("x" * 4_000, 1_000),
    ],
)
def test_tokens_are_estimated_by_script(text: str, tokens: int) -> None:
    assert count_tokens(text) == tokens


@settings(deadline=None, max_examples=200)
@given(left=st.text(), right=st.text())
def test_a_whole_has_no_more_tokens_than_its_parts_and_no_fewer_than_one(left: str, right: str) -> None:
    whole = count_tokens(left + right)
    assert max(count_tokens(left), count_tokens(right)) <= whole <= count_tokens(left) + count_tokens(right)

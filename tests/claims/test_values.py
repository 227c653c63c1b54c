"""When values mean the same, and how they read."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.claims.values import claim_text, meaning_of, topic_of, value_text, words_of

keys = st.text(st.sampled_from('ab ,:("1é'), max_size=3)
leaves = (
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.sampled_from('ab ,:()[]{}"\\\n1.E+-é\u202e'), max_size=6)
    | st.sampled_from(["true", "null", "1200", "1E+30", "", " a", "cycle annual"])
)
values = st.recursive(
    leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3), max_leaves=6
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("annual", "annual"),
        ("Lund, Sweden", '"Lund, Sweden"'),
        ("3 apples", "3 apples"),
        ("1200", '"1200"'),
        (1_200.0, "1200"),
        (0.1, "0.1"),
        (-0.0, "0"),
        (10**41, "1E+41"),
        (True, "true"),
        ("true", '"true"'),
        ("", '""'),
        ({"price": 1_200, "cycle": "annual"}, "cycle annual, price 1200"),
        ({"cycle": "annual"}, "(cycle annual)"),
        (
            {"limits": {"seats": 5, "regions": ["eu", "us"]}, "ends": None},
            "ends null, limits (regions [eu, us], seats 5)",
        ),
        ({"a b": 1, "c": "d"}, '"a b" 1, c d'),
        ([], "[]"),
        ({}, "()"),
        ("two\nlines", '"two\\nlines"'),
        ("left\u202eright", '"left\\u202eright"'),
        ("שלום עולם", "שלום עולם"),
        ("نمی\u200cدانم", "نمی\u200cدانم"),
    ],
)
def test_a_value_reads_the_same_however_it_was_written(value: Any, text: str) -> None:
    assert value_text(value) == text


@given(one=values, other=values)
@settings(max_examples=300, deadline=None)
def test_texts_are_equal_where_meanings_are(one: Any, other: Any) -> None:
    assert (text_of(one) == text_of(other)) == (meaning_of(one) == meaning_of(other))


@given(value=values)
@settings(max_examples=100, deadline=None)
def test_a_value_means_itself_with_other_numbers_and_another_order(value: Any) -> None:
    assert meaning_of(rewritten(value)) == meaning_of(value)
    assert text_of(rewritten(value)) == text_of(value)


def text_of(value: Any) -> str:
    return claim_text(kind="thing", identifier="t-1", predicate="has", value=value)


def rewritten(value: Any) -> Any:
    """The same in other words: keys turned round, whole numbers as floats where these are exact."""
    if isinstance(value, dict):
        return {key: rewritten(value[key]) for key in reversed(value)}
    if isinstance(value, list):
        return [rewritten(item) for item in value]
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**50:
        return float(value)
    return value


@pytest.mark.parametrize(
    ("one", "other"),
    [(1, True), (0, False), ("1", 1), ([1, 2], [2, 1]), ({"a": 1}, ["a", 1]), (None, "null")],
)
def test_what_only_looks_alike_is_different(one: Any, other: Any) -> None:
    assert meaning_of(one) != meaning_of(other)


def test_texts_tell_apart_what_the_names_hold() -> None:
    spaced = claim_text(kind="city", identifier="New York: east", predicate="mayor", value="A")
    assert spaced == 'city "New York: east" mayor: A'


def test_a_predicate_is_filed_under_its_first_part() -> None:
    assert (topic_of("home_address.city"), words_of("home_address.city")) == (
        "home address",
        "home address city",
    )

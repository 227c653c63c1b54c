"""The JSON reader agrees with the standard one, and forgives only what has one reading."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.cascade.rules.tolerant_json import (
    DEEPEST,
    REFUSED,
    DamagedError,
    EndedInsideError,
    TooDeepError,
    holds_refused,
    read_json,
)

texts = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=12)
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4)
)
containers = st.lists(values, max_size=4) | st.dictionaries(texts, values, max_size=4)


@settings(deadline=None, max_examples=300)
@given(value=containers, is_ascii=st.booleans(), indent=st.sampled_from([None, 2]))
def test_what_is_json_is_read_as_the_standard_library_reads_it(
    value: Any, is_ascii: bool, indent: int | None
) -> None:
    text = json.dumps(value, ensure_ascii=is_ascii, indent=indent)
    read = read_json(f"before {text} after", 7)
    assert (read.value, read.end, read.repairs) == (value, 7 + len(text), ())


@settings(deadline=None, max_examples=300)
@given(value=containers, data=st.data())
def test_every_true_beginning_ends_inside(value: Any, data: st.DataObject) -> None:
    text = json.dumps(value, ensure_ascii=False)
    cut = data.draw(st.integers(1, len(text) - 1))
    with pytest.raises(EndedInsideError):
        read_json(text[:cut])


@settings(deadline=None, max_examples=300)
@given(text=st.text('{}[]",:\\tru1-eN a\n', max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        end = read_json(text).end
    except DamagedError as error:
        end = error.position
    assert 0 <= end <= len(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": [1, 2,],}', {"a": [1, 2]}),
        ('[{"a": 1} {"a": 2}]', [{"a": 1}, {"a": 2}]),
        ('{"a": 1 "b": 2}', {"a": 1, "b": 2}),
        ("{a: true, b_c: null}", {"a": True, "b_c": None}),
        ('{"a": True, "b": None, "c": False}', {"a": True, "b": None, "c": False}),
        ('{"a": "two\nlines"}', {"a": "two\nlines"}),
        (r'{"a": "it\'s C:\data"}', {"a": r"it's C:\data"}),
        ('{"a": 1, "a": 2}', {"a": 2}),
        (r'{"a": "\ud83c"}', {"a": "\ufffd"}),
        (r'{"a": "x\u0000y"}', {"a": "xy"}),
    ],
)
def test_damage_with_one_reading_is_repaired_with_a_word(text: str, value: Any) -> None:
    read = read_json(text)
    assert read.value == value
    assert read.repairs


@pytest.mark.parametrize(
    "text",
    [
        '{"a": "he said "hi" to me"}',
        '["a "" b"]',
        '{"a" "b"}',
        "{the trip}",
        "['a']",
        "[1, , 2]",
        "[,]",
        '{"a": }',
        "[1}",
        "[yes]",
        "[1.2.3]",
        "[01]",
    ],
)
def test_damage_with_more_than_one_reading_is_refused(text: str) -> None:
    with pytest.raises(DamagedError):
        read_json(text)


def test_surrogate_pairs_become_one_character_without_a_word() -> None:
    read = read_json(r'["\ud83c\udf89 \u65e5"]')
    assert (read.value, read.repairs) == (["🎉 日"], ())


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "9" * 5_000])
def test_numbers_that_json_does_not_have_are_marked(number: str) -> None:
    read = read_json(f'{{"a": [{number}], "b": 1}}')
    assert read.value == {"a": [REFUSED], "b": 1}
    assert holds_refused(read.value)


def test_depth_costs_no_recursion() -> None:
    assert read_json("[" * DEEPEST + "]" * DEEPEST).end == 2 * DEEPEST
    with pytest.raises(TooDeepError):
        read_json("[" * 10_000 + "]" * 10_000)

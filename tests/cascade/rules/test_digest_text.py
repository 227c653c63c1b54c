"""Texts of digests are cut and mended at the ends of sentences."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.cascade.rules.digest_text import cut_to, parts_of, shortened, without, without_middle


@pytest.mark.parametrize(
    ("text", "limit", "kept"),
    [
        ("One. Two. Three.", 16, "One. Two. Three."),
        ("One. Two. Three.", 12, "One. Two."),
        ("He said «no!» Then he left for good.", 20, "He said «no!»"),
        ("一件事。两件事。三件事。", 9, "一件事。两件事。"),
        ("Wanted:\n- a table\n- a chair", 20, "Wanted:\n- a table"),
        ("A sentence that goes on for long. Short.", 20, "A sentence that…"),
        ("Withoutanyspaceatallinit", 10, "Withoutan…"),
    ],
)
def test_a_text_is_cut_at_the_end_of_a_sentence_where_that_leaves_enough(
    text: str, limit: int, kept: str
) -> None:
    assert cut_to(text, limit) == kept


@given(text=st.text(), limit=st.integers(4, 40))
def test_nothing_is_longer_than_its_limit_and_the_parts_are_the_text(text: str, limit: int) -> None:
    assert "".join(parts_of(text)) == text
    assert len(cut_to(text, limit)) <= limit
    assert len(shortened(text, limit)) <= limit
    assert len(without_middle(text, limit)) <= limit


def test_bad_sentences_and_lines_are_left_out_alone() -> None:
    text = "Good one. Bad one. Good two.\n- bad line\n- good line"
    assert without(text, lambda part: "bad" in part.lower()) == "Good one. Good two.\n- good line"
    assert without("Bad.", lambda part: True) == ""


def test_a_long_text_keeps_its_beginning_and_its_end() -> None:
    assert without_middle("a" * 30 + "z" * 10, 20) == "a" * 12 + " … " + "z" * 5
    assert without_middle("short", 20) == "short"

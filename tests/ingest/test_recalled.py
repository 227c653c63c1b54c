"""Case 23: what memory handed out is not news when it comes back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.ingest.recalled import strip_recalled, wrap

texts = st.text(alphabet=st.characters(exclude_categories=["Cs"]))
unmarked = texts.filter(lambda text: "memseek-recall" not in text.lower())


@given(before=unmarked, recalled=texts, after=unmarked)
def test_words_around_a_block_stay_as_they_are(before: str, recalled: str, after: str) -> None:
    assert strip_recalled(before + wrap(recalled, "use-1") + after) == before + after


@given(text=unmarked)
def test_text_without_marks_is_unchanged(text: str) -> None:
    assert strip_recalled(text) == text


@given(text=texts, id=texts)
def test_a_wrapped_text_cannot_break_out(text: str, id: str) -> None:
    assert strip_recalled(wrap(f"{text}</memseek-recall>{text}", id)) == ""


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a<memseek-recall>x<memseek-recall>y</memseek-recall>z</memseek-recall>b", "ab"),
        ("a<memseek-recall>never closed", "a"),
        ('a<memseek-recall id="cut', "a"),
        ("a</memseek-recall>b", "ab"),
        ("a<MemSeek-Recall>x</MEMSEEK-RECALL>b", "ab"),
        ("a< memseek-recall >x</ memseek-recall >b", "ab"),
        ("a<memseek-recall/>b", "ab"),
        ("a<memseek-recall>x</memseek-recall>\n\n## Request (2026-06-24 12:00 UTC)\nb", "ab"),
        (
            "a<memseek-recall>x</memseek-recall>\nWait.\n## Request (12:00)\nb",
            "a\nWait.\n## Request (12:00)\nb",
        ),
        ("## Request (12:00)\nb", "## Request (12:00)\nb"),
        ("a<memseek-recaller>b", "a<memseek-recaller>b"),
        ("a < b and b > c", "a < b and b > c"),
    ],
)
def test_marks_are_read_tolerantly(text: str, left: str) -> None:
    assert strip_recalled(text) == left


@pytest.mark.timeout(20)
@pytest.mark.parametrize("blank", [" ", "\n", " /"])
def test_endless_white_space_after_a_bracket_is_read_once(blank: str) -> None:
    text = "<" + blank * 65_000
    assert strip_recalled(text) == text
    assert wrap(text, "use-1") == f'<memseek-recall id="use-1">\n{text}\n</memseek-recall>'
    assert strip_recalled(f"<{' ' * 65_000}memseek-recall>x") == ""

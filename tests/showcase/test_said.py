"""Words of strangers are text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from showcase.said import as_plain, as_said


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("<b>1 & 2</b>", "&lt;b&gt;1 &amp; 2&lt;/b&gt;"),
        ("a\r\nb\rc\nd\te", "a\nb\nc\nd\te"),
        ("a\u202eb", 'a<span class="unseen" title="right-to-left override">U+202E</span>b'),
        ("a\x00b", 'a<span class="unseen" title="control character">U+0000</span>b'),
        ("a\U000e0041b", 'a<span class="unseen" title="tag latin capital letter a">U+E0041</span>b'),
        ("\u0645\u06cc\u200c\u062e", "\u0645\u06cc\u200c\u062e"),
        ("👩\u200d💻", "👩\u200d💻"),
    ],
)
def test_a_text_is_escaped_set_apart_and_hides_nothing(text: str, shown: str) -> None:
    assert as_said(text) == f'<bdi class="said">{shown}</bdi>'


@pytest.mark.parametrize(
    ("text", "plain"), [("a\u202eb\n c", "ab c"), ("\U000e0041", ""), ('"quoted"', '"quoted"')]
)
def test_an_attribute_gets_one_line_without_hidden_characters(text: str, plain: str) -> None:
    assert as_plain(text) == plain


@given(st.text())
def test_no_text_opens_an_element(text: str) -> None:
    inner = as_said(text).removeprefix('<bdi class="said">').removesuffix("</bdi>")
    assert inner.count("<") == 2 * inner.count('<span class="unseen"')

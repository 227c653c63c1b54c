"""What holds for every text."""

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memory.indexing.analyser import analyse, fold, query_terms
from memory.indexing.analyser_highlights import highlights
from memory.indexing.analyser_words import PIECE_MARK

LANGUAGES = ("en", "de", "ar")
LETTERS = (
    "abcXYZäÉßıİŁ0123.,-_'’@#/\\|\"()&+ \n\tأإآكتابﷺـً שלוםתִּ北京しゃガｶﾞ한국กำไΣςй"
    "🎉👩🏽\u200d💻\ufe0fﬁ½㎏\u0345\u0301"
)
ANY_TEXT = st.one_of(st.text(), st.text(alphabet=LETTERS))
PRINTABLE = "".join(map(chr, range(32, 127)))


@given(ANY_TEXT)
def test_folding_again_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@given(ANY_TEXT)
def test_composed_and_decomposed_text_fold_and_read_the_same(text: str) -> None:
    composed, decomposed = unicodedata.normalize("NFC", text), unicodedata.normalize("NFD", text)
    assert fold(composed) == fold(decomposed)
    assert analyse(composed, languages=LANGUAGES) == analyse(decomposed, languages=LANGUAGES)


@given(ANY_TEXT)
@example("The Who")
@example(PRINTABLE)
@example("\ud800")
def test_every_text_asked_for_itself_shares_all_terms(text: str) -> None:
    asked = {term for term in query_terms(text, languages=LANGUAGES) if not term.startswith(PIECE_MARK)}
    kept = analyse(text, languages=LANGUAGES)
    assert asked <= set(kept)
    assert bool(asked) == bool(kept)


@given(ANY_TEXT, ANY_TEXT)
def test_a_text_is_read_the_same_whatever_was_read_before(text: str, other: str) -> None:
    first = analyse(text, languages=LANGUAGES)
    analyse(other, languages=LANGUAGES)
    assert analyse(text, languages=LANGUAGES) == first


@given(ANY_TEXT, ANY_TEXT)
def test_highlights_lie_in_the_text_in_order_and_apart(text: str, query: str) -> None:
    ends = 0
    for start, end in highlights(text, query + text[:5], LANGUAGES):
        assert ends <= start < end <= len(text)
        ends = end + 1


@pytest.mark.parametrize("sign", PRINTABLE)
def test_every_printable_sign_is_data(sign: str) -> None:
    text = f'{sign} {sign}{sign} rule {sign}rule{sign} a{sign}b "{sign}"'
    assert "rule" in query_terms(text, languages=["en"])
    assert "rule" in analyse(text, languages=["en"])


@pytest.mark.parametrize(
    "part", ["word ", "a-", "x'", "1.1", "(1,200)", "aB", "我们", "👍", "\u0301", '"' + PRINTABLE]
)
def test_queries_of_ten_thousand_characters_are_read(part: str) -> None:
    query = (part * 10_000)[:10_000]
    asked = {term for term in query_terms(query, languages=LANGUAGES) if not term.startswith(PIECE_MARK)}
    assert asked <= set(analyse(query, languages=LANGUAGES))

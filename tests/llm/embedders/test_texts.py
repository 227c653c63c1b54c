"""What an embedder is given of a text."""

import pytest

from memory.llm.embedders.texts import fit_text


@pytest.mark.parametrize(
    ("text", "longest", "fitted"),
    [
        ("Tea is fine.", 20, "Tea is fine."),
        ("Tea is fine. Coffee", 15, "Tea is fine."),
        ("Tea is fine", 11, "Tea is fine"),
        ("Tea isn't all that fine", 16, "Tea isn't all"),
        ("Version 8.2.1 is out now", 15, "Version 8.2.1"),
        ("一二三四五六七。九十", 10, "一二三四五六七。九十"),
        ("一二三四五六七。九十", 9, "一二三四五六七。"),
        ("一二三四五六七八九十", 8, "一二三四五六七八"),
        ("abcdefge\u0301h", 8, "abcdefg"),
        ("para one is\n\nthe next", 14, "para one is"),
        ("  \n Tea", 3, "Tea"),
        ("", 10, "-"),
        (" \n\t", 10, "-"),
        ("\x00", 10, "-"),
        ("a\x00b", 10, "a b"),
        ("bad \ud800 half", 20, "bad ? half"),
    ],
)
def test_a_text_is_made_fit(text: str, longest: int, fitted: str) -> None:
    assert fit_text(text, longest) == fitted

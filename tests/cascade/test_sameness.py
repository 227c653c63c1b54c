"""When a text says again what another one says, and when words say it by themselves."""

import pytest

from memory.cascade.sameness import adds, rewords, states

COFFEE = "Alice likes strong coffee."


@pytest.mark.parametrize(
    ("text", "other", "is_same"),
    [
        (COFFEE, COFFEE, True),
        ("Alice really likes strong coffee.", COFFEE, True),
        ("Strong coffee is what Alice likes.", COFFEE, True),
        ("Alice likes green tea.", COFFEE, False),
        ("The freeze is on 3 May 2026.", "The freeze is on 2 May 2026.", False),
        ("The freeze moved from 2 May 2026 to 3 May 2026.", "The freeze is on 2 May 2026.", False),
        ("Bob likes strong coffee.", COFFEE, False),
        ("她喜欢浓咖啡。", "她喜欢浓咖啡", True),
        ("", COFFEE, False),
    ],
)
def test_a_text_rewords_another(text: str, other: str, *, is_same: bool) -> None:
    assert rewords(text, other) is is_same


@pytest.mark.parametrize(
    ("words", "names", "is_stated"),
    [
        (["I do like strong coffee after all."], ["Alice"], True),
        (["Coffee helped."], ["Alice"], False),
        (["Yes, that is right."], ["Alice"], False),
        (["Bob likes strong coffee."], [], False),
        ([], ["Alice"], False),
    ],
)
def test_words_state_a_text_by_themselves(words: list[str], names: list[str], *, is_stated: bool) -> None:
    assert states(COFFEE, words, names) is is_stated


def test_words_add_something_to_what_stands() -> None:
    right = "The freeze is on 3 May 2026."
    assert adds("The freeze is on 9 May 2026.", ["Make it 9 May."], right)
    assert not adds("The freeze is on 3 May 2026, it is said.", ["Ticket 9 is closed."], right)

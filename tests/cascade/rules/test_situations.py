"""Which words bind a rule to a situation, and which rules have nothing to do with each other."""

import pytest

from memory.cascade.rules.situations import Binding, binding_of, joins_other_matter, keeps, says_again


@pytest.mark.parametrize(
    ("rule", "said", "situation"),
    [
        ("Answer only OK.", ["For this check answer only OK."], "For this check"),
        ("Answer only OK.", ["Hello! Just for now answer only OK. Thanks."], "Just for now"),
        ("Answer only OK.", ["I prefer short answers.", "In this chat, only say OK."], "In this chat"),
        ("Answer briefly.", ["Answer briefly while we test."], "while we test"),
        ("Schreibe auf Englisch.", ["Für diese E-Mail schreibe auf Englisch."], "Für diese E-Mail"),
        ("Écris en anglais.", ["Pour cette réponse, écris en anglais."], "Pour cette réponse"),
        ("Escribe en inglés.", ["Por esta vez, escribe en inglés."], "Por esta vez"),
        ("用英文回答。", ["这次用英文回答。"], "这次"),
        ("Answer only OK.", ["Always answer only OK."], ""),
        ("Answer only OK.", ["For this check answer only OK.", "From now on always answer only OK."], ""),
        ("Use tabs.", ["For this project use tabs."], ""),
        ("Never deploy.", ["Never deploy. For this mail a formal tone is right."], ""),
        ("", ["For this check answer only OK."], ""),
    ],
)
def test_a_rule_is_bound_by_the_words_that_are_said_with_it_alone(
    rule: str, said: list[str], situation: str
) -> None:
    assert binding_of(rule, said) == Binding(situation)


def test_a_rule_of_which_a_part_always_holds_is_two() -> None:
    said = ["For this check answer only OK.", "Please do not sound cold."]
    assert binding_of("Answer only OK and do not sound cold.", said) == Binding(
        "For this check", is_mixed=True
    )


@pytest.mark.parametrize(
    ("old", "new", "said", "is_other"),
    [
        ("Answer only OK.", "Answer only OK and do not sound cold.", "Please do not sound cold.", True),
        ("Do not sound cold.", "Do not sound cold or stiff.", "Do not sound stiff or cold.", False),
        ("Use PostgreSQL 15.", "Use MySQL.", "No, take MySQL instead.", False),
        ("Use PostgreSQL 15.", "Use PostgreSQL 16.", "Use version 16.", False),
        ("", "Use MySQL.", "Use MySQL.", False),
    ],
)
def test_a_rule_that_is_kept_whole_though_nobody_spoke_of_it_is_another_matter(
    old: str, new: str, said: str, is_other: bool
) -> None:
    assert joins_other_matter(old, new, [said]) is is_other


def test_a_rule_is_said_again_and_kept_by_all_of_its_words() -> None:
    old = "Answer only OK."
    assert [says_again(old, said) for said in (["Always answer OK."], ["Answer me."], [])] == [
        True,
        False,
        False,
    ]
    assert [keeps(old, new) for new in ("Always answer only OK.", "Answer in full.")] == [True, False]
    assert not keeps("", old)

"""How people ask to forget something."""

from __future__ import annotations

import pytest

from memory.stewardship.forgetting_words import Wish, read_wish, says_old


@pytest.mark.parametrize(
    ("words", "matter", "wants_old"),
    [
        ("Forget my old address.", "my address", True),
        ("forget my address", "my address", False),
        ("Please forget that my badge word is ORCHID-7!", "my badge word is ORCHID-7", False),
        ("Can you delete what I said about the Lund project?", "the Lund project", False),
        ("Erase everything I told you about my health", "my health", False),
        ("Delete everything about Rex", "Rex", False),
        ("remove my former employer", "my employer", True),
        ("forget how old I am", "how old I am", False),
        ("my old address", "my address", True),
        ("forget my phone number please", "my phone number", False),
        ("Vergiss bitte meine alte Adresse", "meine Adresse", True),
        ("Lösche, was ich über den Umzug gesagt habe", "den Umzug", False),
        ("Olvida mi antigua dirección", "mi dirección", True),
        ("Borra todo lo que te dije sobre mi hermana", "mi hermana", False),
        ("Oublie mon ancienne adresse", "mon adresse", True),
        ("Efface tout ce que je t'ai dit sur mon travail", "mon travail", False),
        ("Dimentica il mio vecchio indirizzo", "il mio indirizzo", True),
        ("Esqueça meu endereço anterior", "meu endereço", True),
        ("Vergeet mijn oude adres", "mijn adres", True),
        ("Забудь мой старый адрес", "мой адрес", True),
        ("请忘记我的旧地址", "地址", True),
        ("忘掉我说过的关于猫的事", "猫", False),
        ("私の古い住所を忘れてください", "住所", True),
        ("내 예전 주소를 잊어 줘", "주소", True),
        ("احذف عنواني القديم", "عنواني", True),
        ("תשכח את הכתובת הישנה שלי", "הכתובת שלי", True),
    ],
)
def test_a_request_says_what_is_meant(words: str, matter: str, wants_old: bool) -> None:
    wish = read_wish(words)
    assert (wish.matter, wish.wants_old) == (matter, wants_old)
    assert wish.is_asked == (words != "my old address")


@pytest.mark.parametrize("words", ["", "forget", "Forget!", "forget everything", "  please forget  "])
def test_a_request_without_a_matter_is_empty(words: str) -> None:
    assert read_wish(words).matter == ""


@pytest.mark.parametrize("words", ["I forget names easily", "The past is past", "Deleted files come back"])
def test_other_sentences_are_no_request(words: str) -> None:
    assert not read_wish(words).is_asked


def test_a_text_may_tell_of_something_former() -> None:
    assert says_old("Alice's old address was 12 Oak Street.")
    assert not says_old("Alice is 12 years old.")


def test_a_wish_is_plain_data() -> None:
    assert read_wish("forget tea") == Wish(matter="tea", wants_old=False, is_asked=True)

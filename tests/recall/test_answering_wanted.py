"""What of a text states something, what a question wants, and whether words hold it."""

import pytest

from memory.recall.answering.wanted import Wanted, gives, statements_of, wanted_by


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("We start on Monday.", "We start on Monday."),
        ("We start on Monday.\nAll of us.", "We start on Monday.\nAll of us."),
        ("When do we start?", ""),
        ("When do we start?! Who knows?", ""),
        ("“When do we start?”", ""),
        ("We start on Monday. And who leads?", "We start on Monday. …"),
        ("Who leads? And when? Mara leads.", "… Mara leads."),
        ("谁负责？ 李雷负责。", "… 李雷负责。"),
        (
            'Asked "Which comes first?", Mara said: "The list."',
            'Asked "Which comes first?", Mara said: "The list."',
        ),
    ],
)
def test_what_only_asks_is_left_out(text: str, stated: str) -> None:
    assert statements_of(text) == stated


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("When do we go live?", "time"),
        ("Do you know by what date we ship?", "time"),
        ("When did Mara visit Oslo?", ""),
        ("Who is the deputy?", "name"),
        ("How many tents are there?", "number"),
        ("How long is the refund window?", "duration"),
        ("Where does Mara live?", "place"),
        ("Wo wohnt Mara?", "place"),
        ("Which tent leaks?", "anything"),
        ("Does it leak when it rains?", ""),
        ("Was billing on Express?", ""),
        ("Wer vertritt Mara?", "name"),
        ("¿Cuándo abrimos?", "time"),
        ("我们什么时候上线？", "time"),
    ],
)
def test_a_question_tells_what_kind_of_words_would_answer(question: str, wanted: Wanted) -> None:
    assert wanted_by(question) == wanted


@pytest.mark.parametrize(
    ("wanted", "text", "is_given"),
    [
        ("time", "It starts on June 7.", True),
        ("time", "It starts next week.", True),
        ("time", "It may start.", False),
        ("number", "There are seven tents.", True),
        ("number", "There are tents.", False),
        ("duration", "The refund window is 30 days.", True),
        ("duration", "The refund window is short.", False),
        ("place", "Mara lives in Oslo.", True),
        ("place", "It lies under docs/guide.", True),
        ("place", "Mara lives alone.", False),
        ("name", "The deputy of Jonas is Lea.", True),
        ("name", "Lea is the deputy.", True),
        ("name", "Jonas has a deputy since June.", False),
        ("name", "We told Jonas about a deputy.", False),
        ("anything", "We told Jonas.", True),
        ("", "We told Jonas.", True),
    ],
)
def test_words_hold_what_is_wanted(wanted: Wanted, text: str, is_given: bool) -> None:
    asked = ["who", "is", "jonas", "deputy"]
    assert gives(wanted, text, asked=asked, names={"jonas", "lea"}) is is_given

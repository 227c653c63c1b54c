"""Two people who talk: what of a turn is told together, what is left out, and what rests on two turns."""

from tests.llm.offline.ladder import Ladder, message


def talk(*turns: tuple[str, str]) -> list[tuple[str, list[str]]]:
    ladder = Ladder()
    ladder.read(
        [
            message(text, speaker=speaker, handle=f"m{number}")
            for number, (speaker, text) in enumerate(turns, 1)
        ]
    )
    return [(item.text, item.messages) for item in ladder.decisions]


def test_what_a_turn_tells_of_one_matter_is_one_claim() -> None:
    told = talk(
        ("Ann", "Hello Ben!"),
        ("Ben", "We hiked along the cliffs on Saturday. It took us nine hours. I loved it!"),
    )
    assert [messages for _, messages in told] == [["m2"]]
    assert told[0][0].startswith("Ben and others hiked along the cliffs")
    assert told[0][0].endswith("It took Ben and others nine hours.")


def test_what_leans_on_nothing_that_was_said_is_left_out() -> None:
    assert talk(("Ann", "Morning!"), ("Ben", "It was in the corner behind them.")) == []


def test_an_answer_that_leans_on_its_question_rests_on_both_turns() -> None:
    told = talk(
        ("Ann", "How long did the repair of the organ take?"),
        ("Ben", "It kept three craftsmen busy until Easter."),
    )
    assert told == [
        (
            'Asked "How long did the repair of the organ take?", Ben answered: '
            "It kept three craftsmen busy until Easter.",
            ["m1", "m2"],
        )
    ]


def test_encouragement_is_no_claim() -> None:
    assert talk(("Ann", "Morning!"), ("Ben", "You are amazing! Keep going, I'm so proud of you.")) == []


def test_a_general_thought_is_kept_as_what_somebody_said() -> None:
    thought = "Steam engines need patience, grease, clean water, dry coal and a driver with sharp ears."
    assert talk(("Ann", "Morning!"), ("Ben", thought)) == [(f"Ben said: {thought}", ["m2"])]


def test_a_trait_is_kept_however_briefly_it_is_said() -> None:
    assert talk(("Ann", "Morning!"), ("Ben", "I love ramen.")) == [("Ben loves ramen.", ["m2"])]

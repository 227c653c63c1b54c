"""Answers that stand in memory in other words than the question's, and facts that are not there."""

from dataclasses import replace
from typing import Any

import pytest

from memory.models import Entity
from memory.recall.answering import answer_question
from memory.recall.answering.coverage import read_question
from memory.recall.answering.kin import kin_of
from tests.factories import make_atom, make_entity, make_message

FACTS = (
    ("The refund window is 30 days.", "refund window"),
    ("Dana's team runs Postgres 16.", "Dana"),
    ("Dana's team uses pnpm, never npm.", "Dana"),
    ("Dana moved from Porto to Lisbon in May 2026.", "Dana"),
    ("Dana works at Hooli as a data engineer.", "Dana"),
    ("Dana's dog is called Rex.", "Dana"),
    ("Bob runs support at Acme Bikes in Ghent.", "Bob"),
    ("Bob is allergic to peanuts.", "Bob"),
    ("Dana's team must finish the shed before April 20, 2027.", "Dana"),
    ("The rollback script lives in tools/undo.sh.", "rollback script"),
    ("Tests run in Jenkins every night.", "tests"),
)
ANSWERED = {
    "How long is the refund window?": FACTS[0][0],
    "Which database do we run?": FACTS[1][0],
    "What database does Dana's team use?": FACTS[1][0],
    "Which package manager do we use?": FACTS[2][0],
    "Where does Dana live?": FACTS[3][0],
    "Which city does Dana live in?": FACTS[3][0],
    "What is Dana's job?": FACTS[4][0],
    "What does Dana work as?": FACTS[4][0],
    "What is the name of my dog?": FACTS[5][0],
    "What is Dana's pet called?": FACTS[5][0],
    "Where does Bob work?": FACTS[6][0],
    "When is the deadline for the shed?": FACTS[8][0],
    "Where does the rollback script live?": FACTS[9][0],
    "Which CI do we use?": FACTS[10][0],
    "What does Dana do for a living?": FACTS[4][0],
}
NOT_HELD = (
    "How long is the warranty?",
    "How long is the refund form?",
    "Which editor do we use?",
    "Which framework does Dana's team use?",
    "Where does Bob live?",
    "Which city does Bob live in?",
    "What is Bob's pet called?",
    "What is the name of my cat?",
    "What is my name?",
    "Where does Carol work?",
    "When does the refund service go live?",
    "When is the deadline for the invoice?",
    "Who is Dana's wife?",
    "What does the warranty cost?",
    "Do we use Terraform?",
    "Which database does Zoe run?",
)


@pytest.fixture(autouse=True)
def words_alone(settings: Any) -> None:
    """No vectors: what is found does not depend on a model's load time."""
    product = settings.MEMSEEK
    settings.MEMSEEK = replace(product, embedding=replace(product.embedding, provider="none"))


@pytest.fixture
def entity(db: None) -> Entity:
    entity = make_entity("agent.kin")
    for text, subject in FACTS:
        said = [
            make_message(entity, "Noted.", speaker=subject.title() if subject in {"Dana", "Bob"} else "Dana")
        ]
        make_atom(entity, text, said, subject=subject)
    return entity


def test_the_claim_that_tells_it_in_other_words_is_quoted_first(entity: Entity) -> None:
    first = {}
    for question in ANSWERED:
        citations = answer_question(entity, question).citations
        first[question] = citations[0].text if citations else ""
    assert first == ANSWERED


def test_what_is_not_held_is_not_answered_by_what_is_near(entity: Entity) -> None:
    told = {question: answer_question(entity, question).text for question in NOT_HELD}
    assert told == {question: f"Memory holds no answer to “{question}”." for question in NOT_HELD}


def test_a_claim_about_another_person_is_not_her_who_told_it(entity: Entity) -> None:
    said = [make_message(entity, "Noted.", speaker="Dana")]
    make_atom(entity, "Ana works as a dentist in Faro.", said, subject="Ana")
    cited = answer_question(entity, "What is Dana's job?").citations
    assert [citation.text for citation in cited] == ["Dana works at Hooli as a data engineer."]


def test_memory_is_searched_by_kin_where_the_words_of_a_question_find_nothing(db: None) -> None:
    entity = make_entity("agent.moved")
    said = [make_message(entity, "Noted.", speaker="Dana")]
    make_atom(entity, "Dana moved from Porto to Lisbon in May 2026.", said, subject="Dana")
    cited = answer_question(entity, "Where do I live?").citations
    assert [citation.text for citation in cited] == ["Dana moved from Porto to Lisbon in May 2026."]


def test_a_word_that_only_carries_the_question_is_no_gap(entity: Entity) -> None:
    assert answer_question(entity, "Which CI do we use?").gaps == ()


def test_words_of_a_question_know_their_kin_and_their_weight() -> None:
    question = read_question(
        "How long does the package manager take?", languages=("en",), names=frozenset(), rarity={}
    )
    assert [(word.text, word.weight, word.is_light, word.kin is not None) for word in question.words] == [
        ("package manager", 1.0, False, True),
        ("take", 0.25, True, False),
    ]


@pytest.mark.parametrize(
    ("asked", "text", "is_told"),
    [
        ("live", "Dana moved to Lisbon.", True),
        ("live", "Dana's team moved to Postgres.", False),
        ("live", "We go live in May.", False),
        ("go live", "The launch is in May.", True),
        ("go live", "We launch in May.", True),
        ("work", "Bob runs support at Acme Bikes.", True),
        ("work", "Bob runs every morning.", False),
        ("job", "Dana is a data engineer.", True),
        ("database", "The team runs Postgres 16.", True),
        ("formatter", "Dana drinks coffee black.", False),
        ("formatter", "Dana's team formats with black.", True),
        ("tracker", "Costs are linear in users.", False),
        ("tracker", "Dana's team tracks bugs in Linear.", True),
        ("language", "We go to Oslo.", False),
        ("language", "It is written in Go.", True),
        ("city", "Dana lives in Lisbon.", True),
        ("city", "Dana lives in a flat.", False),
    ],
)
def test_what_says_a_word_otherwise(asked: str, text: str, is_told: bool) -> None:
    kin = kin_of(asked)
    assert kin is not None
    assert (kin.told.search(text) is not None) is is_told

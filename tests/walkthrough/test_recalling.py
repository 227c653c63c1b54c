"""Search, context and answer of the terminal, over a real memory."""

import hashlib

import pytest

from memory.walkthrough.access import MemoryProblemError
from memory.walkthrough.local import LocalMemory
from memory.walkthrough.naming import RESULTS_SHOWN
from tests.cast import Alice
from tests.factories import make_message


@pytest.fixture
def memory(alice: Alice) -> LocalMemory:
    return LocalMemory(alice.entity, timeout_seconds=0.0)


def test_search_finds_the_claim_with_its_words(alice: Alice, memory: LocalMemory) -> None:
    best = memory.search("deploy without approval").hits[0]
    assert (best.id, {message.id for message in best.messages}) == (
        alice.approval.pk,
        {alice.messages[1].pk, alice.messages[2].pk},
    )


def test_search_shows_a_page_of_results(alice: Alice, memory: LocalMemory) -> None:
    for number in range(RESULTS_SHOWN + 5):
        make_message(alice.entity, f"The lamp flickers, part {number}.")
    assert len(memory.search("lamp").hits) == RESULTS_SHOWN


def test_recall_gives_what_an_agent_would_get(memory: LocalMemory) -> None:
    context = memory.recall("Deploy billing tonight")
    assert "Never deploy without Alice's approval." in context.text
    assert "July" not in context.text
    assert context.sha256 == hashlib.sha256(context.text.encode()).hexdigest()


def test_an_answer_names_what_it_rests_on(alice: Alice, memory: LocalMemory) -> None:
    answer = memory.answer("Until when does billing stay on Express?")
    assert "October 15" in answer.text
    assert alice.deadline.pk in {cited.id for cited in answer.citations}


def test_a_question_without_words_is_a_problem(memory: LocalMemory) -> None:
    with pytest.raises(MemoryProblemError, match="A question has words"):
        memory.answer("<memseek-recall>all of it recalled</memseek-recall>")

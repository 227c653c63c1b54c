"""Message pages: the words, the turns around them, and what was made of them."""

from django.db import transaction
from django.test import Client

from memory.models import Message
from showcase.access import Place, Scope
from showcase.links import record_url
from showcase.records.messages import MessagePage, message_page
from tests.factories import make_message, make_pending_message
from tests.showcase.records.conftest import Told


def page_of(told: Told, message: Message) -> MessagePage:
    return message_page(Scope(told.entity, Place.DEMO), message.pk)


def test_words_stand_among_the_turns_of_their_session(told: Told) -> None:
    page = page_of(told, told.messages[1])
    assert ([card.text for card in page.before], page.card.text, [card.text for card in page.after]) == (
        ["Ask me before Ledger 0 is deployed."],
        "Ledger 0 moves in May.",
        ["Ledger 0 moves in June."],
    )
    assert page.earlier is not None
    assert page.later is not None
    assert (str(told.messages[0].pk) in page.earlier.url, str(told.messages[2].pk) in page.later.url) == (
        True,
        True,
    )


def test_what_was_made_is_followed_up_to_the_persona(told: Told) -> None:
    [atom] = page_of(told, told.messages[0]).made
    [line] = atom.children
    assert (atom.text, line.text, [trait.text for trait in line.children]) == (
        told.rule.text,
        told.rule.text,
        ["Wants to be asked first."],
    )


def test_what_the_run_decided_is_told(told: Told) -> None:
    [decided] = page_of(told, told.messages[0]).decided
    assert (decided.outcome, decided.reason) == ("skip", "says nothing new")


def test_states_are_told(told: Told) -> None:
    with transaction.atomic():
        waiting = make_pending_message(told.entity, "Wait.")
        kept = make_pending_message(told.entity, "Be kind.", role="system", is_extractable=False)
    assert [page_of(told, message).state for message in (told.messages[0], waiting, kept)] == [
        "read",
        "waiting to be read",
        "kept, never read",
    ]


def test_calls_and_attachments_are_text_and_metadata_is_for_members(told: Told, client: Client) -> None:
    call = {"function": {"name": "find_invoice", "arguments": '{"number": 7}'}}
    with transaction.atomic():
        message = make_message(
            told.entity, "", attachment_text="A photo.", tool_calls=[call], metadata={"secret": "plum"}
        )
    page = page_of(told, message)
    assert [code.label for code in page.calls] == ["Call of find_invoice"]
    content = client.get(record_url(Scope(told.entity, Place.DEMO), "message", message.pk)).content.decode()
    assert ("A photo." in content, "plum" in content) == (True, False)
    seen = message_page(Scope(told.entity, Place.LIVE), message.pk).metadata
    assert seen is not None
    assert "plum" in seen.text

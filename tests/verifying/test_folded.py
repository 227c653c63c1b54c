"""What a summary or brief stands for are its receipts, in every legal history; else the checker notices."""

from __future__ import annotations

from io import BytesIO

import pytest

from memory.cascade.compaction import ask_compaction
from memory.cascade.designs import load_design
from memory.cascade.rebuilding.lifecycle import propose
from memory.ingest.messages import append_messages
from memory.ingest.sessions import end_session
from memory.models import Digest, Entity, Evidence, Message, Session
from memory.stewardship.erasing import Scope, erase, plan_erasure
from memory.stewardship.exporting import import_entity
from memory.stewardship.verify import verify
from tests.cascade.rebuilding.remaking import a_model
from tests.cascade.story import an_entity, answer, settle
from tests.cascade.talks import digest_item, folding, open_talk, talk_of
from tests.factories import make_workspace
from tests.ingest.words import said
from tests.stewardship.erasing.planting import BOSS
from tests.stewardship.exporting.files import empty_the_place, exported

pytestmark = pytest.mark.django_db

PLACES = (1, 2, 4, 5, 7)


@pytest.fixture
def entity() -> Entity:
    """A talk with gaps, of which all but the last turn are folded."""
    entity = an_entity()
    session = open_talk(entity)
    append_messages(
        entity=entity,
        messages=[said(f"Turn {place} speaks of apples.", session="talk", ordinal=place) for place in PLACES],
    )
    fold(entity, session)
    return entity


def fold(entity: Entity, session: Session) -> None:
    """Fold all but the last turn, or close an ended session."""
    action = "summary" if session.ended_at is None else "brief"
    with folding(kept=1):
        if session.ended_at is None:
            ask_compaction(session)
        settle(entity, compaction=answer(digest_item(action, "Alice speaks of apples.")))


def told() -> list[tuple[str, str, str]]:
    return [(problem.kind, problem.row, problem.text) for problem in verify()]


def receipts(kind: str) -> list[int]:
    """The places of the messages that the current digest of a kind cites."""
    rows = Evidence.objects.filter(of_digest__kind=kind, of_digest__is_head=True)
    return sorted(rows.values_list("message__ordinal", flat=True))


def late(entity: Entity, place: int) -> Message:
    """A message that is stored below the fold, where nothing stood."""
    text = f"What was forgotten in place {place}."
    append_messages(entity=entity, messages=[said(text, session="talk", ordinal=place)])
    return Message.objects.get(ordinal=place)


def test_each_folded_turn_is_a_receipt(entity: Entity) -> None:
    assert (receipts("summary"), told()) == ([1, 2, 4, 5], [])


@pytest.mark.parametrize("place", [0, 3])
def test_what_came_later_into_a_gap_is_no_receipt_and_no_breach(entity: Entity, place: int) -> None:
    session = Session.objects.get()
    late(entity, place)
    assert told() == []
    talk_of(session, 2)
    fold(entity, session)
    assert (place in receipts("summary"), told()) == (False, [])
    end_session(session)
    fold(entity, session)
    assert (place in receipts("brief"), told()) == (False, [])


def test_a_gap_that_was_filled_before_the_fold_is_no_gap(entity: Entity) -> None:
    session = Session.objects.get()
    early = late(entity, 6)
    talk_of(session, 1)
    fold(entity, session)
    assert (receipts("summary"), told()) == ([1, 2, 4, 5, 6, 7], [])
    Evidence.objects.filter(of_digest__isnull=False, message=early).delete()
    # What stands after it was stored before it: it might have come too late, had it not been a receipt.
    assert told() == []


def test_erased_turns_are_no_receipts_and_the_rest_is_folded_anew(entity: Entity) -> None:
    gone = Message.objects.get(ordinal=2)
    plan = plan_erasure(entity=entity, scope=Scope("messages", messages=(gone.pk,)), actor=BOSS)
    erase(erasure=plan, actor=BOSS)
    assert (Digest.objects.count(), told()) == (0, [])
    fold(entity, Session.objects.get())
    assert (receipts("summary"), told()) == ([1, 4, 5], [])
    late(entity, 2)
    assert told() == []


@pytest.mark.django_db(transaction=True)
def test_an_export_keeps_what_came_late_apart(entity: Entity) -> None:
    late(entity, 3)
    file = exported(entity)
    empty_the_place()
    import_entity(workspace=make_workspace(), source=BytesIO(file))
    assert told() == []


def test_the_copy_of_a_folded_session_has_no_summary_and_is_no_breach(entity: Entity) -> None:
    propose(entity=entity, layer="L1", design=load_design(), model=a_model())
    copies = Session.objects.for_entity(Entity.objects.get(shadow_of=entity))
    assert (copies.get().folded_until, told()) == (6, [])


@pytest.mark.parametrize("place", [1, 2, 4, 5])
def test_a_folded_turn_without_its_receipt_is_found(entity: Entity, place: int) -> None:
    message = Message.objects.get(ordinal=place)
    Evidence.objects.filter(of_digest__isnull=False, message=message).delete()
    row = f"memory_message {message.pk}"
    assert told() == [("folded_without_receipt", row, "is covered, but no receipt of the summary")]


def test_a_turn_that_the_brief_forgets_is_found(entity: Entity) -> None:
    session = Session.objects.get()
    end_session(session)
    fold(entity, session)
    assert (receipts("brief"), told()) == (list(PLACES), [])
    [first, *_, last] = Message.objects.order_by("ordinal")
    Evidence.objects.filter(of_digest__kind="brief", message__in=(first, last)).delete()
    assert told() == [
        ("folded_without_receipt", f"memory_message {message.pk}", "is covered, but no receipt of the brief")
        for message in (first, last)
    ]

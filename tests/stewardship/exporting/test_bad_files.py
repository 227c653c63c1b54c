"""A file that is not whole, or does not belong here, is refused by its line; nothing of it is kept."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from typing import Any

import pytest
from django.db import transaction

from memory.ingest.tombstones import bury_claims, bury_messages
from memory.models import Entity, Erasure, Message
from memory.stewardship.exporting import UnreadableExportError, import_entity
from tests.cascade.story import an_entity
from tests.factories import make_atom, make_claim, make_message, make_workspace
from tests.stewardship.exporting.files import empty_the_place, exported, rewritten

pytestmark = pytest.mark.django_db(transaction=True)

MESSAGE_LINE = 4
"""After the manifest, the entity and the session."""


@pytest.fixture
def file() -> bytes:
    """Of two messages; the place it came from is empty again."""
    entity = an_entity()
    make_message(entity, "I live in Oslo.")
    make_message(entity, "I like tea.")
    written = exported(entity)
    empty_the_place()
    return written


def refusal(source: bytes | BytesIO, **values: Any) -> str:
    """Why the file is refused, and that nothing of it stayed."""
    before = (Entity.objects.count(), Message.objects.count())
    opened = BytesIO(source) if isinstance(source, bytes) else source
    with pytest.raises(UnreadableExportError) as refused:
        import_entity(workspace=make_workspace(), source=opened, **values)
    assert (Entity.objects.count(), Message.objects.count()) == before
    return str(refused.value)


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (lambda file: b"", "line 1: this is no export of an entity"),
        (lambda file: b"{}\n", "line 1: this is no export of an entity"),
        (lambda file: b"\x89PNG\r\n", "line 1: this is no export of an entity"),
        (
            lambda file: file.replace(b'"version":1', b'"version":2', 1),
            "line 1: the format is version 2, this program reads version 1",
        ),
        (
            lambda file: file.replace(b'"kind":"session"', b'"kind":"sessions"', 1),
            "line 1: the manifest does not list the kinds of rows of this version",
        ),
        (
            lambda file: file.replace(b'"rows":2', b'"rows":10000001', 1),
            "line 1: kinds.3.rows: Input should be less than or equal to 10000000",
        ),
        (
            lambda file: file.replace(b"Oslo", b"Rome"),
            "line 5: the rows of kind message are not those that the manifest was made of",
        ),
        (
            lambda file: file[:-2],
            "line 5: the file ends within the rows of kind message: it was cut off",
        ),
        (
            lambda file: b"".join(file.splitlines(keepends=True)[:-1]),
            "line 5: the file ends within the rows of kind message: it was cut off",
        ),
        (lambda file: file + b"{}\n", "line 6: more lines than the manifest counts"),
    ],
)
def test_a_damaged_file_is_refused(file: bytes, damage: Callable[[bytes], bytes], told: str) -> None:
    assert refusal(damage(file)) == told


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"colour": "red"}, "line 4: colour: Extra inputs are not permitted"),
        ({"ordinal": "0"}, "line 4: ordinal: Input should be a valid integer"),
        ({"ordinal": -1}, "line 4: ordinal: Input should be greater than or equal to 0"),
        ({"speaker": "a" * 129}, "line 4: speaker: String should have at most 128 characters"),
        ({"text": "a\0b"}, "line 4: text: Value error, holds the character U+0000"),
        ({"metadata": {"a": ["\0"]}}, "line 4: metadata: Value error, holds the character U+0000"),
        ({"seq": 2}, "line 4: the record number lies behind the last one"),
        ({"recorded_at": "2026-06-02T09:00:00"}, "line 4: recorded_at: Input should have timezone info"),
        ({"content_hash": "00"}, "line 4: content_hash: String should match pattern '^[0-9a-f]{64}$'"),
        ({"role": "pope"}, "the database refuses the rows of the file: message_role_known"),
        ({"seq": 1}, "the database refuses the rows of the file: memory_message_seq_key"),
    ],
)
def test_a_row_that_cannot_stand_is_refused_by_its_line(
    file: bytes, change: dict[str, Any], told: str
) -> None:
    assert refusal(rewritten(file, "message", change)) == told


def test_a_number_that_is_none_is_refused(file: bytes) -> None:
    source = rewritten(file, "message", {"metadata": {"a": float("nan")}})
    assert refusal(source) == "line 4: metadata: Value error, holds a number that is not finite"


def test_a_reference_to_another_memory_is_refused() -> None:
    """Whoever knows an id of somebody else's cannot point at it."""
    entity = an_entity()
    make_message(entity, "I live in Oslo.")
    file = exported(entity)
    empty_the_place()
    foreign = make_message(an_entity("agent.bob"), "Bob's words.")
    change = {"parent_id": str(foreign.pk)}
    told = refusal(rewritten(file, "message", change))
    assert told == "the database refuses the rows of the file: message_parent_fk"


def test_what_is_here_already_is_not_mixed_in(file: bytes) -> None:
    entity = import_entity(workspace=make_workspace(), source=BytesIO(file)).entity

    assert refusal(file) == (
        "line 2: the workspace has an entity agent.alice already; another name can be given"
    )
    assert refusal(file, name="agent.other") == (
        f"line 2: entity {entity.pk} is in this installation already; an entity can be imported only "
        "where its rows are not"
    )
    other_id = {"id": "00000000-0000-7000-8000-000000000001"}
    told = refusal(rewritten(file, "entity", other_id), name="agent.other")
    assert told.startswith("line 3: session ")


def test_a_name_or_a_zone_that_no_entity_may_have_is_refused(file: bytes) -> None:
    assert refusal(file, name=" ").startswith("line 2: ")
    assert "time_zone" in refusal(rewritten(file, "entity", {"time_zone": "Mars/Olympus"}))


def test_what_rests_on_nothing_is_refused() -> None:
    with transaction.atomic():
        entity = an_entity()
        said = [make_message(entity, text) for text in ("I live in Oslo.", "I like tea.")]
        lives, _likes = (make_atom(entity, message.text, [message]) for message in said)
    file = exported(entity)
    empty_the_place()
    # The second atom loses its only receipt to the first.
    taken = rewritten(file, "evidence", {"of_atom_id": str(lives.pk)}, place=1)
    assert refusal(taken) == "the database refuses the rows of the file: atom_has_evidence"


@pytest.mark.parametrize("name", [None, "agent.other"])
def test_what_was_erased_here_does_not_come_back(name: str | None) -> None:
    entity = an_entity()
    keyed = make_message(entity, "My badge is ORCHID-7.", dedupe_key="k1")
    plain = make_message(entity, "My badge is LILAC-9.")
    file = exported(entity)
    for message in (keyed, plain):
        empty_the_place()
        there = make_workspace()
        gone = Erasure.objects.create(
            workspace=there, scope="entity", entity_mark="x", expires_at=message.recorded_at
        )
        bury_messages(
            Entity(workspace=there, name=entity.name), gone, [(message.dedupe_key, message.content_hash)]
        )
        line = 4 + message.ordinal
        assert refusal(file, name=name) == (
            f"line {line}: this message was erased here; only an export made after that can be imported"
        )


def test_a_claim_that_was_erased_here_does_not_come_back() -> None:
    with transaction.atomic():
        entity = an_entity()
        claim = make_claim(entity, "billing.plan", "annual")
    file = exported(entity)
    empty_the_place()
    there = make_workspace()
    gone = Erasure.objects.create(
        workspace=there, scope="entity", entity_mark="x", expires_at=claim.created_at
    )
    key = ("tool_event", "billing.plan.observed", claim.text)
    bury_claims(Entity(workspace=there, name=entity.name), gone, [key])
    assert refusal(file) == (
        "the file holds a claim that was erased here; only an export made after that can be imported"
    )

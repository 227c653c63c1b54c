"""What was erased stays so: an import or a retry is told, fresh words are not held back."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory.ingest.entities import ensure_entity
from memory.ingest.importing import import_file
from memory.ingest.incoming import IncomingMessage
from memory.ingest.messages import Appended, append_messages
from memory.ingest.outside_claims import OutsideClaim, record_outside_claims
from memory.models import Atom, Entity, Message, Tombstone
from memory.stewardship.erasing import Scope, erase, plan_erasure
from tests.factories import make_workspace
from tests.ingest.words import said
from tests.stewardship.erasing.planting import BOSS

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def alice() -> Entity:
    return ensure_entity(workspace=make_workspace(), name="agent.alice")


def forget(entity: Entity, *texts: str) -> None:
    ids = Message.objects.for_entity(entity).filter(text__in=texts).values_list("pk", flat=True)
    scope = Scope("messages", messages=tuple(ids))
    erase(erasure=plan_erasure(entity=entity, scope=scope, actor=BOSS), actor=BOSS)


def told(appended: Appended) -> tuple[list[bool], tuple[int, ...]]:
    return [message.is_new for message in appended.messages], appended.erased


def texts(entity: Entity) -> list[str]:
    return list(
        Message.objects.for_entity(entity)
        .order_by("session__external_id", "ordinal")
        .values_list("text", flat=True)
    )


def send(entity: Entity, *messages: IncomingMessage) -> tuple[list[bool], tuple[int, ...]]:
    return told(append_messages(entity=entity, messages=messages))


def test_a_dedupe_key_stays_erased_whatever_comes_with_it(alice: Entity) -> None:
    send(alice, said("secret", dedupe_key="k1"), said("fine", dedupe_key="k2"))
    forget(alice, "secret")
    again = (said("secret", dedupe_key="k1"), said("fine", dedupe_key="k2"), said("new", dedupe_key="k3"))
    assert send(alice, *again) == ([False, True], (0,))
    assert send(alice, said("other", dedupe_key="k1")) == ([], (0,))
    assert texts(alice) == ["fine", "new"]


def test_a_place_stays_erased_for_the_same_words_only(alice: Entity) -> None:
    send(alice, said("secret", ordinal=0), said("fine", ordinal=1))
    forget(alice, "secret")
    assert send(alice, said("secret", ordinal=0)) == ([], (0,))
    assert send(alice, said("something else", ordinal=0)) == ([True], ())


def test_a_resent_transcript_keeps_its_gap(alice: Entity) -> None:
    talk = [said("hello"), said("secret"), said("fine")]
    send(alice, *talk)
    forget(alice, "secret")
    assert send(alice, *talk, said("and more")) == ([False, False, True], (1,))
    assert texts(alice) == ["hello", "fine", "and more"]


def test_a_transcript_of_a_session_that_is_gone_is_not_revived(alice: Entity) -> None:
    talk = [said("hello"), said("secret")]
    send(alice, *talk)
    forget(alice, "hello", "secret")
    assert send(alice, *talk, said("and more")) == ([True], (0, 1))


def test_what_is_said_live_is_new_in_the_same_words_too(alice: Entity) -> None:
    send(alice, said("ok"), said("hello"))
    forget(alice, "ok")
    assert send(alice, said("ok")) == ([True], ())
    assert send(alice, said("ok", dedupe_key="fresh")) == ([True], ())
    # Two at once that do not begin as the session does are no transcript.
    assert send(alice, said("ok"), said("thanks")) == ([True, True], ())


def test_an_import_says_what_was_erased(alice: Entity, tmp_path: Path) -> None:
    path = tmp_path / "chats.jsonl"
    rows: list[dict[str, Any]] = [{"role": "user", "content": f"word {number}"} for number in range(3)]
    path.write_text(json.dumps({"id": "talk", "messages": rows}))
    import_file(workspace=alice.workspace, path=path, entity=alice.name)
    forget(alice, "word 1")
    dry = import_file(workspace=alice.workspace, path=path, entity=alice.name, is_dry_run=True)
    again = import_file(workspace=alice.workspace, path=path, entity=alice.name)
    for report in (dry, again):
        assert (report.messages, report.new, report.already_there, report.erased) == (3, 0, 2, 1)
    assert texts(alice) == ["word 0", "word 2"]


def test_a_claim_of_another_memory_is_not_made_again_in_the_same_words(alice: Entity) -> None:
    claim = OutsideClaim(source="mem0", reference="r1", text="Alice keeps a heron.")
    assert record_outside_claims(entity=alice, claims=[claim]) == 1
    scope = Scope("messages", atoms=(Atom.objects.for_entity(alice).get().pk,))
    erase(erasure=plan_erasure(entity=alice, scope=scope, actor=BOSS), actor=BOSS)
    assert record_outside_claims(entity=alice, claims=[claim]) == 0
    assert record_outside_claims(entity=alice, claims=[replace(claim, text="Alice keeps two swans.")]) == 1


def test_an_entity_that_is_gone_stays_gone_under_its_name(alice: Entity) -> None:
    send(alice, said("secret", dedupe_key="k1"))
    erase(erasure=plan_erasure(entity=alice, scope=Scope("entity"), actor=BOSS), actor=BOSS)
    again = ensure_entity(workspace=alice.workspace, name=alice.name)
    assert send(again, said("secret", dedupe_key="k1")) == ([], (0,))
    other = ensure_entity(workspace=alice.workspace, name="agent.other")
    assert send(other, said("secret", dedupe_key="k1")) == ([True], ())


def test_hashes_are_kept_by_the_secret_and_known_under_an_earlier_one(alice: Entity, settings: Any) -> None:
    send(alice, said("secret", dedupe_key="k1"))
    forget(alice, "secret")
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "another secret", [settings.SECRET_KEY]
    assert send(alice, said("secret", dedupe_key="k1")) == ([], (0,))
    settings.SECRET_KEY_FALLBACKS = []
    assert send(alice, said("secret", dedupe_key="k1")) == ([True], ())


def test_asking_costs_one_statement_and_none_where_nothing_was_erased(alice: Entity) -> None:
    send(alice, said("secret", dedupe_key="k0"), said("first"))
    costs = []
    for number in range(2):
        with CaptureQueriesContext(connection) as captured:
            send(alice, *(said(f"{number} {place}", dedupe_key=f"{number} {place}") for place in range(20)))
        costs.append(len(captured))
        if number == 0:
            forget(alice, "secret")
    assert costs[1] == costs[0] + 1
    assert Tombstone.objects.count() == 2

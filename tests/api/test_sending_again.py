"""`Idempotency-Key`: the same write is done once, whatever is sent again, by however many at once."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, transaction
from django.db.models import F
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from memory.api.views import JsonView
from memory.api.wiring.replied_ids import ids_in
from memory.ingest.entities import ensure_entity
from memory.ingest.workspaces import create_key
from memory.models import Atom, Entity, IdempotentReply, Message, Outbox, Session, Share
from tests.api.conftest import Caller
from tests.factories import make_atom, make_message

WORDS = "The badge word is ORCHID."
BODY = {"entity": "agent.alice", "messages": [{"session": "s1", "role": "user", "text": WORDS}]}
WRITES = ("post", "put", "patch", "delete")


def send(token: str, body: Any = BODY, *, name: str = "k-1", path: str = "/api/v1/records") -> Any:
    client = Client(
        headers={"Authorization": f"Bearer {token}", "Idempotency-Key": name}, raise_request_exception=False
    )
    return client.post(path, body, content_type="application/json")


def test_a_write_that_is_sent_again_is_done_once_and_answered_by_its_ids(alice: Entity, token: str) -> None:
    first, again = send(token), send(token)
    [message] = Message.objects.all()
    assert (first.status_code, first.headers.get("Idempotency-Replayed")) == (201, None)
    assert (again.status_code, again.headers["Idempotency-Replayed"]) == (201, "true")
    record = {"id": str(message.pk), "seq": message.seq, "ordinal": 0, "created": True}
    assert first.json()["records"] == [record | {"session": "s1"}]
    assert again.json() == {"records": [record]}


def test_neither_words_nor_the_name_are_kept(alice: Entity, token: str) -> None:
    send(token, name="order-ORCHID-7")
    [kept] = IdempotentReply.objects.values()
    assert kept["entity_id"] == alice.pk
    assert "ORCHID" not in str(kept)
    assert "s1" not in str(kept["ids"])


@pytest.mark.parametrize(
    ("body", "path"),
    [(BODY | {"entity": "agent.other"}, "/api/v1/records"), (BODY, "/api/v1/sessions"), (BODY, "/records")],
)
def test_a_name_stands_for_one_request(alice: Entity, token: str, body: Any, path: str) -> None:
    send(token)
    reply = send(token, body, path=path)
    assert (reply.status_code, reply.json()["error"]) == (422, "idempotency_mismatch")
    assert Message.objects.count() == 1


def test_the_same_name_of_another_key_is_another_write(alice: Entity, token: str) -> None:
    other = create_key(workspace=alice.workspace, label="other").token
    assert [send(key).headers.get("Idempotency-Replayed") for key in (token, other)] == [None, None]
    assert Message.objects.count() == 2


def test_what_failed_is_not_kept(alice: Entity, token: str) -> None:
    wrong = {"entity": "agent.alice", "messages": []}
    assert send(token, wrong).status_code == 400
    assert send(token).status_code == 201
    assert IdempotentReply.objects.count() == 1


def test_after_a_day_a_name_is_free(alice: Entity, token: str) -> None:
    send(token)
    IdempotentReply.objects.update(created_at=F("created_at") - timedelta(days=1, seconds=1))
    assert send(token, BODY | {"entity": "agent.other"}).status_code == 201
    assert IdempotentReply.objects.count() == 1


@pytest.mark.parametrize("name", ["", "two words", "é", "x" * 256, "tab\there"])
def test_a_name_that_is_none_is_refused(alice: Entity, token: str, name: str) -> None:
    reply = send(token, name=name)
    assert (reply.status_code, reply.json()) == (
        400,
        {
            "error": "invalid",
            "detail": "Idempotency-Key: has to be 1 to 255 printable ASCII characters without spaces.",
        },
    )


def test_the_longest_name_is_taken(alice: Entity, token: str) -> None:
    assert send(token, name="~" * 255).status_code == 201


def test_questions_are_answered_in_full_each_time(alice: Entity, token: str) -> None:
    asked = {"entity": "agent.alice", "query": "badge"}
    replies = [send(token, asked, path="/api/v1/recall") for _ in range(2)]
    assert [reply.status_code for reply in replies] == [200, 200]
    assert [reply.headers.get("Idempotency-Replayed") for reply in replies] == [None, None]
    assert not IdempotentReply.objects.exists()


def test_a_key_that_was_made_is_told_once(alice: Entity) -> None:
    admin = create_key(workspace=alice.workspace, label="admin", scopes=["admin"]).token
    body = {"label": "agent", "scopes": ["read"]}
    first, again = (send(admin, body, path="/api/v1/keys") for _ in range(2))
    assert (first.status_code, again.status_code) == (201, 201)
    assert "msk_" in json.dumps(first.json())
    assert "msk_" not in json.dumps(again.json()) + str(IdempotentReply.objects.values_list("ids").get())


@pytest.mark.django_db(transaction=True)
def test_of_many_at_once_one_does_it(alice: Entity, token: str) -> None:
    replies: list[Any] = []
    begun = threading.Barrier(6)

    def go() -> None:
        try:
            begun.wait()
            replies.append(send(token))
        finally:
            connection.close()

    threads = [threading.Thread(target=go) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    statuses = {reply.status_code for reply in replies}
    done = [reply for reply in replies if reply.status_code == 201]
    assert statuses <= {201, 409}
    assert sum("Idempotency-Replayed" not in reply.headers for reply in done) == 1
    assert {reply.headers["Retry-After"] for reply in replies if reply.status_code == 409} <= {"1"}
    assert (Message.objects.count(), Outbox.objects.count()) == (1, 1)
    assert send(token).headers["Idempotency-Replayed"] == "true"


@pytest.mark.django_db(transaction=True)
def test_while_it_is_under_way_another_is_told_to_wait(alice: Entity, token: str) -> None:
    send(token, name="other")
    row = IdempotentReply.objects.get()
    lock = int.from_bytes(bytes(row.digest)[:8], signed=True)
    holding, may_end = threading.Event(), threading.Event()

    def hold() -> None:
        try:
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_xact_lock(%s)", [lock])
                holding.set()
                may_end.wait()
        finally:
            connection.close()

    thread = threading.Thread(target=hold)
    thread.start()
    holding.wait()
    reply = send(token, name="other")
    may_end.set()
    thread.join()
    assert (reply.status_code, reply.json()["error"], reply.headers["Retry-After"]) == (
        409,
        "in_progress",
        "1",
    )


@pytest.mark.django_db(transaction=True)
def test_the_reply_and_what_was_written_are_one(
    alice: Entity, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError("the process dies here")

    with monkeypatch.context() as broken:
        broken.setattr("memory.api.wiring.sending_again.keep_reply", fail)
        assert send(token).status_code == 500
    assert (Message.objects.count(), Session.objects.count(), Outbox.objects.count()) == (0, 0, 0)
    assert (send(token).status_code, Message.objects.count()) == (201, 1)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("word", ["retract", "restore"])
def test_corrections_are_made_once(alice: Entity, word: str) -> None:
    admin = create_key(workspace=alice.workspace, label="admin", scopes=["admin"]).token
    with transaction.atomic():
        atom = make_atom(alice, "Alice likes tea.", [make_message(alice, "I like tea.")])
    if word == "restore":
        Atom.objects.update(status="retracted")
    replies = [send(admin, {"reason": "so"}, path=f"/api/v1/atoms/{atom.pk}/{word}") for _ in range(2)]
    assert [reply.status_code for reply in replies] == [200, 200]
    assert replies[1].json()["correction"] == {"id": replies[0].json()["correction"]["id"]}


@pytest.mark.django_db(transaction=True)
def test_an_erase_is_told_again_when_its_entity_is_gone(alice: Entity) -> None:
    admin = create_key(workspace=alice.workspace, label="admin", scopes=["admin"]).token
    send(admin)
    planned = send(admin, {"entity": "agent.alice", "scope": {"kind": "entity"}}, path="/api/v1/erase").json()
    confirmed = {"entity": "agent.alice", "token": planned["token"]}
    replies = [send(admin, confirmed, name="gone", path="/api/v1/erase/confirm") for _ in range(2)]
    assert [reply.status_code for reply in replies] == [200, 200]
    assert replies[1].json() == {"erasure": {"id": planned["erasure"]["id"]}}


def test_a_reply_without_a_body_has_none_the_second_time(alice: Entity) -> None:
    admin = create_key(workspace=alice.workspace, label="admin", scopes=["admin"]).token
    reader = ensure_entity(workspace=alice.workspace, name="agent.bob")
    Share.objects.create(workspace=alice.workspace, entity=alice, reader=reader)
    client = Client(headers={"Authorization": f"Bearer {admin}", "Idempotency-Key": "closed"})
    replies = [client.delete("/api/v1/entities/agent.alice/shares/agent.bob") for _ in range(2)]
    assert [(reply.status_code, reply.content) for reply in replies] == [(204, b"")] * 2
    assert replies[1].headers["Idempotency-Replayed"] == "true"


def views(patterns: Any = None) -> Iterator[type[JsonView]]:
    for pattern in patterns if patterns is not None else get_resolver().url_patterns:
        if isinstance(pattern, URLResolver):
            yield from views(pattern.url_patterns)
        elif isinstance(pattern, URLPattern):
            view = getattr(pattern.callback, "view_class", None)
            if view and issubclass(view, JsonView) and any(hasattr(view, method) for method in WRITES):
                yield view


def test_what_is_not_kept_is_known() -> None:
    repeatable = {view.__name__ for view in views() if view.is_repeatable}
    assert repeatable == {
        *("RecallView", "ContextView", "AnswerView", "CompileView", "ScenePreviewView"),
        *("ForgetView", "EraseView", "GraphRefreshView", "LinksView"),
    }


@pytest.mark.parametrize(
    ("body", "ids"),
    [
        ({"id": str(1), "text": "word"}, {}),
        ({"id": "01a22a90-db6c-7477-8fb1-e11c0c36cd83", "text": "word", "seq": 7, "score": 9}, None),
        ({"claim": {"value": {"id": "01a22a90-db6c-7477-8fb1-e11c0c36cd83"}}}, {}),
        ({"ORCHID 7": {"seq": 7}}, {}),
        (["word"], {}),
        (None, {}),
        ({"records": [{"ordinal": 1, "created": False, "session": "s1"}, "word"]}, None),
    ],
)
def test_of_a_body_ids_and_numbers_of_records_stay(body: Any, ids: Mapping[str, Any] | None) -> None:
    expected = {
        2: {"id": "01a22a90-db6c-7477-8fb1-e11c0c36cd83", "seq": 7},
        1: {"records": [{"ordinal": 1, "created": False}]},
    }
    wanted = ids if ids is not None else expected[2 if "id" in body else 1]
    assert ids_in(body) == wanted


def test_without_a_name_nothing_changes(caller: Caller, alice: Entity) -> None:
    assert [caller.post("/records", BODY).status_code for _ in range(2)] == [201, 201]
    assert (Message.objects.count(), IdempotentReply.objects.count()) == (2, 0)

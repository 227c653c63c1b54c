"""The log tells ids, kinds and times, and never a word that somebody said: not even when things go wrong."""

from __future__ import annotations

import asyncio
import io
import json
import logging
import logging.config
import threading
from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest
from django.db import DatabaseError
from django.test import Client

from memory.cascade import engine, work
from memory.cascade.engine import settle_entity
from memory.ingest.entities import ensure_entity
from memory.ingest.incoming import read_messages
from memory.ingest.messages import append_messages
from memory.ingest.workspaces import create_key
from memory.llm.protocol import PermanentModelError, TransientModelError
from memory.models import Entity, Run, Step
from memory.tasks import run_step
from memseek_site.log_fields import add_fields, current_fields, log_fields
from memseek_site.logs import (
    JsonFormatter,
    SafeFormatter,
    TextFormatter,
    logging_settings,
    tell_of_lost_threads,
)
from tests.factories import make_workspace
from tests.scripted_model import ScriptedModel

WORD = "zebrafish"


def line_of(formatter: SafeFormatter, name: str, message: str, *arguments: Any, **extra: Any) -> str:
    record = logging.LogRecord(
        name, logging.WARNING, __file__, 1, message, arguments, extra.pop("exc_info", None)
    )
    vars(record).update(extra)
    return formatter.format(record)


def told(name: str, message: str, *arguments: Any, **extra: Any) -> dict[str, Any]:
    return dict(json.loads(line_of(JsonFormatter(), name, message, *arguments, **extra)))


@pytest.mark.parametrize(
    ("name", "message", "arguments", "wanted"),
    [
        ("memory.x", "%s of %s", (Step.PERSONA, 7), "persona of 7"),
        ("memory.x", "waits: %s", (DatabaseError(f"row ({WORD})"),), "waits: DatabaseError"),
        ("memory.x", "100 %", (), "100 %"),
        ("django.request", "%s: %s", ("Not Found", f"/{WORD}"), "…: …"),
        (
            "celery.worker",
            "Task %(name)s[%(id)s]: %(exc)s\n%(trace)s",
            ({"name": "memory.sweep", "id": "a-1", "exc": f"ValueError('{WORD}')", "trace": WORD},),
            "Task memory.sweep[a-1]: …",
        ),
        ("asyncio", f"Task failed\nfuture: {WORD}", (), "Task failed"),
        ("kombu", "%r", (ValueError(WORD),), "'ValueError'"),
        ("kombu", "%s", ({WORD},), "set"),
        ("kombu", "%d", ("no number",), "%d"),
        ("urllib3", "%s of %d", (WORD, 7), "… of 7"),
        (
            "django.security.DisallowedHost",
            f"Invalid HTTP_HOST header: '{WORD}'.",
            (),
            "Invalid HTTP_HOST header …",
        ),
        ("library", f"No row with id={WORD}", (), "No row with id …"),
        ("library", f"'{WORD}' is gone", (), "…"),
        ("library", "x" * 300, (), "x" * 200),
        ("uvicorn.error", "Application startup complete.", (), "Application startup complete."),
        ("uvicorn.error", "Started server process [%d]", (7,), "Started server process [7]"),
        (
            "celery.worker",
            "Task %(name)s[%(id)s] received",
            ({"name": "memory.sweep", "id": "a-1"},),
            "Task memory.sweep[a-1] received",
        ),
    ],
)
def test_messages_keep_ids_and_lose_words(
    name: str, message: str, arguments: tuple[Any, ...], wanted: str
) -> None:
    assert told(name, message, *arguments)["message"] == wanted


def test_only_known_fields_are_told() -> None:
    entity = UUID(int=7)
    line = told(
        "memory.x", "run", entity=entity, step=Step.PERSONA, data={"exc": WORD}, text=WORD, error_kind=""
    )
    assert {name: line[name] for name in line if name not in ("time", "level", "logger")} == {
        "message": "run",
        "entity": str(entity),
        "step": "persona",
    }
    with pytest.raises(KeyError, match="words"):
        add_fields(words=WORD)


def test_lines_bear_what_their_request_has_named() -> None:
    with log_fields(request_id="a"):
        add_fields(entity=7)
        line = told("memory.x", "said")
    add_fields(entity=8)
    assert (line["request_id"], line["entity"], dict(current_fields())) == ("a", 7, {})


@pytest.mark.parametrize("formatter", [JsonFormatter(), TextFormatter()])
def test_a_failure_is_told_by_its_kind_and_place(formatter: SafeFormatter) -> None:
    try:
        raise ValueError(WORD)
    except ValueError as error:
        line = line_of(formatter, "memory.x", "failed", exc_info=(ValueError, error, error.__traceback__))
    assert ("ValueError" in line, "test_logs.py" in line, WORD in line) == (True, True, False)


def test_a_line_for_people_is_short() -> None:
    line = line_of(TextFormatter(), "memory.x", "run", step="persona", milliseconds=12)
    assert line.partition(" ")[2] == "WARNING memory.x: run step=persona milliseconds=12"


@pytest.fixture(params=["text", "json"])
def log(request: pytest.FixtureRequest) -> Iterator[io.StringIO]:
    """All that the site logs, at the lowest level, with the handlers of its settings."""
    stream = io.StringIO()
    wanted = logging_settings(level="DEBUG", shape=request.param)
    handler = logging.StreamHandler(stream)
    chosen = JsonFormatter() if request.param == "json" else TextFormatter()
    handler.setFormatter(chosen)
    root = logging.getLogger()
    before = {name: logging.getLogger(name).__dict__.copy() for name in wanted["loggers"]}
    handlers, level = root.handlers[:], root.level
    logging.config.dictConfig(wanted)
    root.handlers = [handler]
    yield stream
    root.handlers, root.level = handlers, level
    for name, state in before.items():
        logging.getLogger(name).__dict__.update(state)


@pytest.fixture
def alice(transactional_db: None) -> Entity:
    return ensure_entity(workspace=make_workspace("acme"), name="agent.alice")


def said(entity: Entity, text: str) -> None:
    append_messages(entity=entity, messages=read_messages([{"session": "s", "role": "user", "text": text}]))


def attempted(entity: Entity, model: Any) -> None:
    """One attempt at reading the words, whatever was planned."""
    work.flush(entity)
    work.pull_in(entity=entity, step=Step.L1_EXTRACT)
    engine.drain(entity_id=entity.pk, step=Step.L1_EXTRACT, model=model, seconds=0)


class Breaking:
    """A model that breaks like a mistake of this program."""

    name = "breaking@1"

    def answer(self, request: Any) -> Any:
        raise RuntimeError(f"it holds {WORD}: {request.user}")


def test_no_line_holds_a_word_of_what_was_said_whatever_happens(
    log: io.StringIO, alice: Entity, client: Client, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.MEMSEEK = replace(
        settings.MEMSEEK, embedding=replace(settings.MEMSEEK.embedding, provider="none")
    )
    token = create_key(workspace=alice.workspace, label="test").token
    headers = {"authorization": f"Bearer {token}"}
    client.raise_request_exception = False
    # Good, bad and broken runs.
    said(alice, f"I keep a {WORD} at home in Oslo.")
    settle_entity(alice)
    said(alice, f"My {WORD} is called Otto.")
    for failure in (
        "no json",
        TransientModelError("http_503", f"busy with {WORD}", raw=WORD),
        PermanentModelError("http_401", f"refused {WORD}"),
    ):
        attempted(alice, ScriptedModel(otherwise=failure))
    attempted(alice, Breaking())
    attempted(alice, ScriptedModel(otherwise=f'{{"items": [{{"action": "store", "text": "{WORD}"}}]}}'))
    run_step.apply(args=(str(alice.pk), "l1_extract"))
    # Doors, good and bad.
    body = {"entity": "agent.alice", "messages": [{"session": WORD, "role": "user", "text": f"A {WORD}."}]}
    client.post("/records", body, "application/json", headers=headers)
    client.post("/records", {**body, WORD: WORD}, "application/json", headers=headers)
    client.post("/records", WORD, "application/json", headers=headers)
    for path in ("recall", "context", "timeline", "trace", "rules", WORD):
        client.get(f"/api/v1/{path}?entity=agent.alice&query={WORD}&task={WORD}&id={WORD}", headers=headers)
    client.post(
        "/api/v1/answer", {"entity": "agent.alice", "question": WORD}, "application/json", headers=headers
    )
    client.get(
        f"/api/v1/sessions/{WORD}/messages?entity={WORD}", headers={"x-request-id": WORD * 3, **headers}
    )
    monkeypatch.setattr("memory.api.recall_views.search", lambda *_: fail())
    client.get(f"/api/v1/recall?entity=agent.alice&query={WORD}", headers=headers)
    assert Run.objects.failed().count() >= 3
    lines = log.getvalue()
    assert [line for line in lines.splitlines() if WORD in line.lower()] == []
    assert str(alice.pk) in lines
    assert token not in lines
    assert "RuntimeError" in lines
    assert "DatabaseError" in lines


def fail() -> None:
    raise DatabaseError(f"Key (text)=({WORD}) exists")


@pytest.mark.django_db
def test_a_request_is_one_line_with_its_id_and_its_route(log: io.StringIO, client: Client) -> None:
    given = "0123456789abcdef0123456789abcdef"
    reply = client.get("/api/v1/sessions/secret/messages?entity=e", headers={"x-request-id": given})
    assert reply["X-Request-ID"] == given
    [line] = [line for line in log.getvalue().splitlines() if "memseek_site.requests" in line]
    assert [word in line for word in (given, "<path:session>", "401", "secret", "entity")] == [
        True,
        True,
        True,
        False,
        False,
    ]


@pytest.mark.django_db
def test_a_request_id_that_may_be_words_is_not_repeated(client: Client) -> None:
    replies = [client.get("/health", headers={"x-request-id": WORD})["X-Request-ID"] for _ in range(2)]
    assert [len(id) for id in replies] == [32, 32]
    assert len(set(replies)) == 2


def test_a_thread_that_ends_with_an_error_is_told_without_its_text(
    log: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threading, "excepthook", threading.excepthook)
    tell_of_lost_threads()

    def lost() -> None:
        raise ValueError(WORD)

    thread = threading.Thread(target=lost)
    thread.start()
    thread.join()
    assert ("a thread ended" in log.getvalue(), WORD in log.getvalue()) == (True, False)


def test_what_a_loop_says_of_a_lost_task_is_cut(log: io.StringIO) -> None:
    async def lose() -> None:
        asyncio.get_running_loop().call_exception_handler({"message": "lost", "exception": ValueError(WORD)})

    asyncio.run(lose())
    assert ("lost" in log.getvalue(), WORD in log.getvalue()) == (True, False)

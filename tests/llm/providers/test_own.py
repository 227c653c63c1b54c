"""Models and embedders of one's own: what they may give, raise and take, and what is made of it."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import httpx
import numpy as np
import pytest
from pydantic import BaseModel

from memory.llm.accounting import estimated_tokens
from memory.llm.embedders.protocol import PermanentEmbeddingError, TransientEmbeddingError
from memory.llm.endpoints import Price
from memory.llm.pacing import Pace
from memory.llm.protocol import (
    BudgetExceeded,
    ModelError,
    ModelReply,
    PermanentModelError,
    TransientModelError,
)
from memory.llm.providers.own import SeamError, embedder_seam, model_seam, own_embedder, own_model
from tests.llm.conftest import GOOD, KEY, Notes, question
from tests.llm.embedders.conftest import expected
from tests.llm.providers import brought
from tests.llm.test_secrets import everything_about, holds_key
from tests.stub_provider.dialects import as_text

GOOD_TEXT = as_text(GOOD)
HERE = "tests.llm.providers.brought"
Given = Callable[[], Any]


@dataclass
class Said:
    """A model that says or raises one thing after the other; `is_async` or blocking."""

    script: list[Any]
    is_async: bool = False
    name: str = "said@1"
    prompts: list[str] = field(default_factory=list)

    def generate(self, prompt: str, *, response_model: type[BaseModel]) -> Any:
        self.prompts.append(prompt)
        said = self.script.pop(0)
        return self._later(said) if self.is_async else self._now(said)

    async def _later(self, said: Any) -> Any:
        await asyncio.sleep(0)
        return self._now(said)

    def _now(self, said: Any) -> Any:
        if isinstance(said, BaseException):
            raise said
        return said() if callable(said) else said


@pytest.mark.parametrize("is_async", [False, True], ids=["blocking", "async"])
@pytest.mark.parametrize(
    "said", [GOOD_TEXT, GOOD, Notes.model_validate(GOOD)], ids=["text", "mapping", "instance"]
)
def test_whatever_form_an_answer_has_it_becomes_a_reply(pace: Pace, said: Any, is_async: bool) -> None:
    seam = Said([said], is_async)
    price = Price(Decimal(1_000_000), Decimal(0))

    reply = own_model(seam, pace=pace, price=price).answer(question())

    asked = estimated_tokens("You do l1_extract.") + estimated_tokens("m1 Alice: I like tea.")
    assert Notes.model_validate_json(reply.text) == Notes.model_validate(GOOD)
    assert seam.prompts == ["You do l1_extract.\n\nm1 Alice: I like tea."]
    assert reply == ModelReply(
        text=reply.text,
        model="said@1",
        tokens_in=asked,
        tokens_out=estimated_tokens(reply.text),
        cost=Decimal(asked),
        milliseconds=reply.milliseconds,
        calls=1,
        is_usage_estimated=True,
    )


class RateLimitError(Exception):
    """As SDKs have it: a status and a response."""

    status_code = 429

    def __init__(self) -> None:
        super().__init__("slow down")
        self.response = httpx.Response(429, headers={"Retry-After": "3"})


class GoneError(Exception):
    status_code = 404


class APITimeoutError(Exception):
    pass


def not_fitting() -> Any:
    return Notes.model_validate({"items": [{"text": "Said in confidence.", "priority": 400}]})


@pytest.mark.parametrize("is_async", [False, True], ids=["blocking", "async"])
@pytest.mark.parametrize(
    ("raised", "kind", "pause"),
    [
        (RateLimitError(), "http_429", 3.0),
        (httpx.ConnectError("refused"), "network", 0.5),
        (httpx.ReadTimeout("slow"), "timeout", 0.5),
        (APITimeoutError("slow"), "timeout", 0.5),
        (ConnectionResetError("reset"), "network", 0.5),
        (TimeoutError(), "timeout", 0.5),
        (asyncio.CancelledError(), "provider_failed", 0.5),
        (SystemExit(2), "provider_failed", 0.5),
        (RuntimeError("out of order"), "provider_failed", 0.5),
        (TransientModelError("busy", "Later."), "busy", 0.5),
        (not_fitting, "invalid_answer", 0.5),
        ("", "empty_answer", 0.5),
    ],
    ids=lambda value: None if callable(value) else str(value)[:20] if isinstance(value, str) else None,
)
def test_what_may_pass_is_tried_again(
    pace: Pace, pauses: list[float], raised: Any, kind: str, pause: float, is_async: bool
) -> None:
    model = own_model(Said([raised, GOOD], is_async), pace=pace)
    assert (model.answer(question()).calls, pauses) == (2, [pause])

    with pytest.raises(TransientModelError) as caught:
        own_model(Said([raised], is_async), pace=Pace(tries=1)).answer(question())
    assert (caught.value.kind, caught.value.calls) == (kind, 1)
    assert "confidence" not in str(caught.value)


@pytest.mark.parametrize(
    ("raised", "kind"),
    [
        (GoneError("no such model"), "http_404"),
        (TypeError("generate() got an unexpected argument"), "bad_provider"),
        (PermanentModelError("refused", "Never."), "refused"),
        (42, "bad_provider"),
        (None, "bad_provider"),
    ],
)
def test_what_stays_wrong_is_asked_once(pace: Pace, pauses: list[float], raised: Any, kind: str) -> None:
    with pytest.raises(PermanentModelError) as caught:
        own_model(Said([raised]), pace=pace).answer(question())

    assert (caught.value.kind, caught.value.calls, pauses) == (kind, 1, [])


@pytest.mark.parametrize("is_async", [False, True], ids=["blocking", "async"])
def test_the_deadline_holds(pace: Pace, is_async: bool) -> None:
    over = threading.Event()

    async def sleep() -> None:
        try:
            await asyncio.sleep(30)
        finally:
            over.set()

    seam = Said([sleep if is_async else lambda: over.wait(30)])
    with pytest.raises(TransientModelError) as caught:
        own_model(seam, pace=pace).answer(question(timeout_seconds=0.2))

    assert (caught.value.kind, caught.value.calls) == ("timeout", 1)
    # What can be cancelled is; what blocks goes on by itself.
    assert over.wait(10) if is_async else not over.is_set()
    over.set()


def test_a_call_that_nobody_waits_for_keeps_its_slot(pace: Pace) -> None:
    gate = threading.Event()
    model = own_model(Said([gate.wait, GOOD], name="held@1"), concurrency=1, pace=pace)
    with pytest.raises(TransientModelError, match="timeout"):
        model.answer(question(timeout_seconds=0.1))

    with pytest.raises(TransientModelError) as caught:
        model.answer(question(timeout_seconds=0.1))
    gate.set()

    assert (caught.value.kind, caught.value.calls) == ("busy", 0)
    assert model.answer(question()).calls == 1


def test_clients_may_keep_connections_for_all_calls_share_one_loop(pace: Pace) -> None:
    loops: list[asyncio.AbstractEventLoop] = []

    async def remember() -> dict[str, Any]:
        loops.append(asyncio.get_running_loop())
        return GOOD

    model = own_model(Said([remember, remember]), pace=pace)
    for _ in range(2):
        model.answer(question())

    assert loops[0] is loops[1]
    assert loops[0].is_running()


def test_no_more_calls_than_allowed_are_made(pace: Pace) -> None:
    seam = Said([RuntimeError("no")] * 3)

    with pytest.raises(BudgetExceeded) as caught:
        own_model(seam, pace=pace).answer(question(max_calls=2))

    assert (caught.value.calls, len(seam.prompts)) == (2, 2)


def test_a_key_in_an_error_goes_no_further(pace: Pace, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with pytest.raises(ModelError) as caught:
        own_model(Said([ValueError(f"bad header Bearer {KEY}")] * 3), pace=pace).answer(question())

    assert holds_key(caplog.text, str(caught.value), repr(caught.value)) == []
    assert everything_about(caught.value)


@pytest.mark.parametrize(
    ("name", "called"),
    [
        ("thinking", "thinking@1"),
        ("Thinking", "thinking@1"),
        ("make_thinking", "thinking@1"),
        ("Blocking", "named in the settings"),
        ("Whole", "whole@1"),
    ],
)
def test_a_path_may_lead_to_an_instance_a_class_or_a_function(name: str, called: str) -> None:
    seam = model_seam(f"{HERE}.{name}")

    assert own_model(seam, name="named in the settings").name == called
    assert model_seam(f"{HERE}.{name}") is seam


@pytest.mark.parametrize(
    ("load", "name", "complaint"),
    [
        (model_seam, "missing", "cannot be imported: ImportError"),
        (model_seam, "nothing", "has no method generate or answer"),
        (model_seam, "Broken", "cannot be made: KeyError: 'MY_KEY'"),
        (model_seam, "needs_words", "cannot be made: TypeError"),
        (model_seam, "Unnamed", "has a method answer, but no name of its own"),
        (model_seam, "Counting", "has no method generate or answer"),
        (embedder_seam, "Thinking", "has no method embed"),
        (embedder_seam, "Boundless", "has no dimensions from 1 to 4000"),
    ],
)
def test_a_path_that_leads_elsewhere_is_told(load: Callable[[str], Any], name: str, complaint: str) -> None:
    with pytest.raises(SeamError) as caught:
        load(f"{HERE}.{name}")

    assert str(caught.value).startswith(f"{HERE}.{name} {complaint}")


def test_vectors_of_ones_own_are_unit_rows_of_a_named_space() -> None:
    embedder = own_embedder(brought.Counting(), text_prefix="passage: ")
    texts = ["green tea", "black coffee", " "]

    vectors = embedder.embed(texts)

    assert vectors.dtype == np.float32
    assert np.allclose(vectors, expected([f"passage: {text.strip() or '-'}" for text in texts]))
    assert (embedder.dimensions, embedder.space) == (8, "own:counting@1+707ad539/8")
    assert embedder.embed([]).shape == (0, 8)
    assert np.allclose(embedder.embed_query("tea"), expected(["tea"])[0])


@dataclass
class Rows:
    """An embedder that gives what it was told to."""

    script: list[Any]
    dimensions: int = 2

    def embed(self, texts: Sequence[str]) -> Any:
        said = self.script.pop(0)
        if isinstance(said, Exception):
            raise said
        return said() if callable(said) else said


@pytest.mark.parametrize(
    ("said", "kind", "error"),
    [
        (RateLimitError(), "http_429", TransientEmbeddingError),
        (lambda: threading.Event().wait(5), "timeout", TransientEmbeddingError),
        ([[1.0, 2.0], [3.0, 4.0]], "malformed_response", TransientEmbeddingError),
        ([[0.0, 0.0]], "malformed_response", TransientEmbeddingError),
        ("words", "malformed_response", TransientEmbeddingError),
        ([[1.0, 2.0, 3.0]], "dimensions", PermanentEmbeddingError),
        (TypeError("no"), "bad_provider", PermanentEmbeddingError),
    ],
)
def test_an_embedder_that_fails_says_why(said: Any, kind: str, error: type[Exception]) -> None:
    with pytest.raises(error, match=f"^{kind}: "):
        own_embedder(Rows([said])).embed_query("tea", timeout_seconds=0.3)


def test_many_texts_go_in_batches_and_are_tried_again(pace: Pace, pauses: list[float]) -> None:
    seam = Rows([ConnectionError("no"), [[3.0, 4.0]] * 64, [[3.0, 4.0]] * 6])

    vectors = own_embedder(seam, pace=pace).embed([f"text {number}" for number in range(70)])

    assert (vectors.shape, pauses, np.allclose(vectors[0], [0.6, 0.8])) == ((70, 2), [0.5], True)

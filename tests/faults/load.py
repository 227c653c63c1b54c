"""Clients that store messages whatever happens: each repeats a request until it hears that it is stored."""

from __future__ import annotations

import itertools
import json
import random
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Event, Lock, Thread
from typing import Any, Self
from uuid import UUID

import httpx

from memory.ingest.entities import ensure_entity
from memory.models import Entity, Key, Message, Workspace
from tests.factories import make_workspace
from tests.faults.measures import PATIENCE_SECONDS
from tests.faults.site import Site, patiently

CLIENTS = 3
MESSAGES_A_REQUEST = 2
PAUSE_SECONDS = 0.05
"""Before a request is sent again."""
CALM_SECONDS = 0.1
"""Between two requests, as long as more is wanted than the least."""
THINGS = ("bicycle", "cello", "lamp", "kettle", "ladder", "camera", "anchor", "violin", "tent", "globe")
COLOURS = ("blue", "green", "red", "yellow", "white", "black", "grey", "brown")


@dataclass
class Told:
    """What the clients heard."""

    accepted: dict[tuple[str, str], UUID] = field(default_factory=dict)
    """Id of each message that was accepted, by entity and dedupe key."""
    requests: int = 0
    repeated: int = 0
    """Requests that had been sent before, their answer lost."""
    replayed: int = 0
    """Of those, requests whose first sending had been stored."""
    answers: Counter[str] = field(default_factory=Counter)
    """Status codes and kinds of lost connections."""


@dataclass(frozen=True)
class Balance:
    """What was accepted, against what stands once everything is at rest."""

    lost: int = 0
    """Accepted messages that do not stand under the id that was told."""
    surplus: int = 0
    """Messages that stand and were not accepted: doubled, or nobody's."""


EVEN = Balance()


class Load:
    """Clients at work throughout the block; its end waits for the answers to all that they have sent."""

    def __init__(self, site: Site, workspace: str, *, requests: int, filling: int = 0) -> None:
        self.site = site
        self.told = Told()
        self.requests = requests
        self.filling = filling
        self.owner = patiently(lambda: make_workspace(workspace))
        self.key = patiently(lambda: make_key(self.owner))
        self.entities = [
            patiently(lambda: ensure_entity(workspace=self.owner, name=f"agent.{number}"))  # noqa: B023 - at once
            for number in range(CLIENTS)
        ]
        self._lock = Lock()
        self._failed: list[str] = []
        self._stops = Event()
        self._is_enough = Event()
        self._threads = [
            Thread(target=self._work, args=(number, entity), name=f"client-{number}")
            for number, entity in enumerate(self.entities)
        ]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        self._is_enough.set()
        if kind is not None:
            self._stops.set()
        for thread in self._threads:
            thread.join()
        if kind is None:
            assert self._failed == [], f"{self._failed}\n{self.site.log()}"

    def _work(self, number: int, entity: Entity) -> None:
        try:
            with httpx.Client(base_url=self.site.address, headers=self._headers, timeout=10) as client:
                for turn in itertools.count():
                    if turn >= self.requests and self._is_enough.is_set():
                        break
                    self._store(client, entity.name, messages_of(number, turn, self.filling))
                    self._is_enough.wait(CALM_SECONDS)
        except Exception as error:  # the thread that waits for this one tells it
            self._failed.append(f"client {number}: {type(error).__name__}: {error}")

    @property
    def _headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.key}"}

    def _store(self, client: httpx.Client, entity: str, messages: Sequence[dict[str, Any]]) -> None:
        """Send until it is accepted, each time the same."""
        body = {"entity": entity, "messages": list(messages)}
        name = f"{entity}-{messages[0]['dedupe_key']}"
        deadline = time.monotonic() + PATIENCE_SECONDS
        for attempt in _attempts(deadline, self._stops):
            answer = self._send(client, body, name)
            with self._lock:
                self.told.requests += 1
                self.told.repeated += attempt > 0
            if answer is not None and answer.status_code in (200, 201):
                self._note(entity, messages, answer)
                return
            if answer is not None and answer.status_code < 500 and answer.status_code not in (409, 429):
                raise AssertionError(f"{answer.status_code}: {answer.text[:300]}")
        raise AssertionError(f"{name} was not accepted in time")

    def _send(self, client: httpx.Client, body: dict[str, Any], name: str) -> httpx.Response | None:
        try:
            answer = client.post("/api/v1/records", json=body, headers={"Idempotency-Key": name})
        except httpx.HTTPError as error:
            with self._lock:
                self.told.answers[type(error).__name__] += 1
            return None
        with self._lock:
            self.told.answers[str(answer.status_code)] += 1
        return answer

    def _note(self, entity: str, messages: Sequence[dict[str, Any]], answer: httpx.Response) -> None:
        stored = json.loads(answer.text)["records"]
        with self._lock:
            self.told.replayed += answer.headers.get("Idempotency-Replayed") == "true"
            for message, row in zip(messages, stored, strict=True):
                self.told.accepted[entity, message["dedupe_key"]] = UUID(row["id"])

    @property
    def refusals(self) -> int:
        """How often the site said that it could not."""
        with self._lock:
            return sum(count for kind, count in self.told.answers.items() if kind.startswith("5"))

    def is_refused_more_than(self, count: int) -> bool:
        """Whether it said so more often."""
        return self.refusals > count

    def stored(self) -> dict[tuple[str, str], UUID]:
        """What stands in the database of these clients."""
        rows = Message.objects.filter(workspace=self.owner)
        return {
            (entity, str(key)): pk for entity, key, pk in rows.values_list("entity__name", "dedupe_key", "pk")
        }

    def balance(self) -> Balance:
        """To be asked after the load."""
        stored, accepted = self.stored(), set(self.told.accepted.items())
        rows = Message.objects.filter(workspace=self.owner).count()
        kept = len(accepted & set(stored.items()))
        return Balance(lost=len(accepted) - kept, surplus=rows - kept)

    def parked(self) -> int:
        """Messages that were set aside, in sight."""
        return Message.objects.filter(workspace=self.owner, parked_at__isnull=False).count()


def _attempts(deadline: float, stops: Event) -> Iterator[int]:
    attempt = 0
    while time.monotonic() < deadline and not stops.is_set():
        yield attempt
        attempt += 1
        time.sleep(PAUSE_SECONDS)


def make_key(owner: Workspace) -> str:
    """A key that may write."""
    token = Key.new_token()
    Key.objects.create(
        workspace=owner, label="load", prefix=token[:8], digest=Key.digest_of(token), scopes=["write"]
    )
    return token


def messages_of(client: int, turn: int, filling: int = 0) -> list[dict[str, Any]]:
    """The next words of a client, different each time, with so many characters that mean nothing."""
    first = turn * MESSAGES_A_REQUEST
    return [
        {
            "session": f"talk-{number // 10}",
            "role": "user",
            "speaker": "Alice",
            "text": f"My {THINGS[number % 10]} number {number} of {client} is {COLOURS[number % 8]}.",
            "metadata": {"filling": random.Random(number).randbytes(filling // 2).hex()},
            "dedupe_key": f"{client}-{number}",
        }
        for number in range(first, first + MESSAGES_A_REQUEST)
    ]


@contextmanager
def under_load(site: Site, workspace: str, *, requests: int, filling: int = 0) -> Iterator[Load]:
    """Load for the block; afterwards the site is at rest and the checker finds nothing."""
    with Load(site, workspace, requests=requests, filling=filling) as load:
        yield load
    site.rest()

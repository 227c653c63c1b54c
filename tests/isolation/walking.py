"""One request at one door, and what of somebody else's came back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from django.test import Client
from django.utils.http import urlencode

REFUSALS = frozenset({400, 403, 404, 405, 409, 410, 412, 415, 422})


@dataclass(frozen=True)
class Answer:
    """What came back: the status, and every byte of headers and body."""

    method: str
    address: str
    status: int
    text: str
    location: str

    def shows(self, words: Iterable[str]) -> list[str]:
        """Which of these words are in it."""
        return [word for word in words if word in self.text]

    @property
    def told(self) -> str:
        return f"{self.method.upper()} {self.address}: {self.status} {self.location}".strip()


def ask(client: Client, method: str, address: str, body: Any = None, **query: str) -> Answer:
    """Send one request; what it names itself does not count as told."""
    given: dict[str, Any] = {"QUERY_STRING": urlencode(query)}
    if body is not None:
        given |= {"data": json.dumps(body), "content_type": "application/json"}
    reply: Any = getattr(client, method)(address, **given)
    content = b"".join(reply) if reply.streaming else reply.content
    headers = "\n".join(f"{name}: {value}" for name, value in reply.headers.items())
    cookies = reply.cookies.output()
    text = f"{headers}\n{cookies}\n{content.decode()}"
    return Answer(method, address, reply.status_code, text, reply.headers.get("Location", ""))


def bearer(token: str) -> Client:
    """A client of the API."""
    return Client(headers={"Authorization": f"Bearer {token}"}, raise_request_exception=False)


def leaks(answers: Iterable[Answer], words: Iterable[str]) -> Iterator[str]:
    """Every answer that shows one of the words."""
    sought = list(words)
    for answer in answers:
        found = answer.shows(sought)
        if found:
            place = answer.text.index(found[0])
            yield f"{answer.told} shows …{answer.text[max(0, place - 60) : place + 60]!r}…"

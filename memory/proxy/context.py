"""What memory adds to a request: what holds whatever is asked, and what speaks of the newest words."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memory.models import Entity, Session
from memory.models.base import new_id
from memory.proxy.conversation import SYSTEM_ROLES
from memory.recall.compiling import CompileRequest, compile_context
from memory.recall.compiling.request import LEAST_BUDGET
from memory.recall.tokens import safety_for

QUERY_CHARACTERS = 4_000


@dataclass(frozen=True, slots=True)
class Remembered:
    """Texts between the marks of recalled blocks; empty where memory has nothing to say."""

    system: str = ""
    """What rarely changes: persona, rules, scenes by name, briefs."""
    beside: str = ""
    """What speaks of the words of now."""

    @property
    def sha256(self) -> str:
        """Of what is added; empty when nothing is."""
        told = "\n".join(text for text in (self.system, self.beside) if text)
        return hashlib.sha256(told.encode()).hexdigest() if told else ""


NOTHING = Remembered()


def remembered(entity: Entity, session_name: str, words: str, *, model: str, tokens: int) -> Remembered:
    """What memory knows for some words. Turns that the session has stored last are not told again."""
    safety = safety_for(model)
    budget = max(tokens, round(LEAST_BUDGET * safety))
    request = CompileRequest(query=words[:QUERY_CHARACTERS], budget=budget, safety=safety)
    compiled = compile_context(_session(entity, session_name), request)
    return Remembered(compiled.system, compiled.beside)


def _session(entity: Entity, name: str) -> Session:
    """The session as it stands, or one that holds nothing and is not stored."""
    found = Session.objects.for_entity(entity).filter(external_id=name).first()
    session = found or Session(id=new_id(), workspace_id=entity.workspace_id, entity=entity, external_id=name)
    session.entity = entity
    return session


def with_memory(messages: Sequence[Any], told: Remembered, place: str) -> list[Any]:
    """The caller's messages, untouched and in their order, with memory's own system messages among them.

    `beside`: what rarely changes stands behind the caller's instructions, the rest before the newest words
    of the user, so that everything before it is the same in the next request. `first`: all of it stands
    behind the caller's instructions, in one message.
    """
    head = next(
        (at for at, message in enumerate(messages) if _role(message) not in SYSTEM_ROLES), len(messages)
    )
    if place == "first":
        text = "\n\n".join(part for part in (told.system, told.beside) if part)
        return [*messages[:head], *_system(text), *messages[head:]]
    newest = max((at for at, message in enumerate(messages) if _role(message) == "user"), default=head)
    between, rest = messages[head:newest], messages[newest:]
    return [*messages[:head], *_system(told.system), *between, *_system(told.beside), *rest]


def _system(text: str) -> list[dict[str, str]]:
    return [{"role": "system", "content": text}] if text else []


def _role(message: Any) -> Any:
    return message.get("role") if isinstance(message, Mapping) else None

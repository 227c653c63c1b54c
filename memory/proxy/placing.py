"""Where the turns of a request belong: in which session, and under which dedupe keys.

A conversation that nobody names is known by its opening, and by its number among those that began alike. Its
turns are known by all that was said before them. A client that sends only the newest part of a long
conversation is recognised by the turns that are stored last.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import count

from django.utils import timezone

from memory.ingest.tombstones import buried
from memory.models import Entity, Message, Session, Tombstone
from memory.proxy.conversation import Said, chained, is_opening, scope_of

KEY_MARK = "chat"
SESSION_MARK = "chat-"
RETRY_SECONDS = 120
"""The same opening within this time is the same request once more; later it is a new conversation."""
NUMBERS_AT_ONCE = 16
MOST_NUMBERS = 1_024
SESSIONS_LOOKED_AT = 5
TURNS_LOOKED_AT = 200
LEAST_OVERLAP = 2


@dataclass(frozen=True, slots=True)
class Place:
    """The session of a conversation, and the dedupe key of each of its turns."""

    session: str
    keys: tuple[str, ...]

    def followed_by(self, said: Said) -> Place:
        """The same with one more turn at the end."""
        root, _, digest = self.keys[-1].rpartition(":")
        return Place(self.session, (*self.keys, f"{root}:{chained([said], digest)[0]}"))


def place_of(
    entity: Entity, turns: Sequence[Said], *, session: str | None = None, is_retried: bool = False
) -> Place:
    """The place of at least one turn. `session` is what the client calls it; `is_retried` what it says."""
    scope, chain = scope_of(turns, session), chained(turns)
    numbers = _numbers(entity, scope, _first_kept(turns, chain))
    if is_opening(turns):
        number = _number_of_opening(numbers, is_retried=is_retried)
    elif numbers:
        number = _deepest(entity, scope, numbers, chain)
    else:
        resumed = _resumed(entity, turns, session)
        if resumed is not None:
            return resumed
        number = 1
    keys = tuple(_key(scope, number, digest) for digest in chain)
    return Place(session or f"{SESSION_MARK}{scope}-{number}", keys)


def known_keys(entity: Entity, keys: Iterable[str]) -> frozenset[str]:
    """Those of some keys under which a message is stored."""
    rows = Message.objects.for_entity(entity).filter(dedupe_key__in=list(keys))
    return frozenset(key for key in rows.order_by().values_list("dedupe_key", flat=True) if key)


def _key(scope: str, number: int, digest: str) -> str:
    return f"{KEY_MARK}:{scope}:{number}:{digest}"


def _first_kept(turns: Sequence[Said], chain: Sequence[str]) -> str:
    """The digest of the first turn that can be stored: by it a conversation is found again."""
    kept = (digest for turn, digest in zip(turns, chain, strict=True) if not turn.is_blank)
    return next(kept, chain[0])


def _numbers(entity: Entity, scope: str, digest: str) -> dict[int, bool]:
    """The numbers of conversations that began so, and whether a moment ago, which erased ones did not."""
    found: dict[int, bool] = {}
    for first in range(1, MOST_NUMBERS, NUMBERS_AT_ONCE):
        keys = {_key(scope, number, digest): number for number in range(first, first + NUMBERS_AT_ONCE)}
        found |= _begun(entity, keys)
        if first + NUMBERS_AT_ONCE - 1 not in found:
            break
    return found


def _begun(entity: Entity, keys: dict[str, int]) -> dict[int, bool]:
    since = timezone.now() - timedelta(seconds=RETRY_SECONDS)
    rows = Message.objects.for_entity(entity).filter(dedupe_key__in=list(keys)).order_by()
    found = {keys[key]: at >= since for key, at in rows.values_list("dedupe_key", "recorded_at") if key}
    return dict.fromkeys(_buried(entity, keys), False) | found


def _buried(entity: Entity, keys: dict[str, int]) -> frozenset[int]:
    """Conversations that were erased: their turns stay so when a client sends them again."""
    if not Tombstone.objects.filter(workspace_id=entity.workspace_id).exists():
        return frozenset()
    return buried(entity, {number: [("key", key.encode())] for key, number in keys.items()})


def _number_of_opening(numbers: dict[int, bool], *, is_retried: bool) -> int:
    if not numbers:
        return 1
    newest = max(numbers)
    return newest if is_retried or numbers[newest] else newest + 1


def _deepest(entity: Entity, scope: str, numbers: Iterable[int], chain: Sequence[str]) -> int:
    """The conversation that shares most turns; of several the newest."""
    newest = sorted(numbers)[-NUMBERS_AT_ONCE:]
    stored = known_keys(entity, (_key(scope, number, digest) for number in newest for digest in chain))
    return max(
        newest, key=lambda number: (sum(_key(scope, number, digest) in stored for digest in chain), number)
    )


def _resumed(entity: Entity, turns: Sequence[Said], session: str | None) -> Place | None:
    """The place of a conversation whose beginning the client dropped, by the turns that are stored last."""
    sessions = Session.objects.for_entity(entity)
    if session is not None:
        looked_at = sessions.filter(external_id=session)
    else:
        looked_at = sessions.filter(external_id__startswith=SESSION_MARK).order_by("-last_message_at")
    best: tuple[int, str, list[str]] = (0, "", [])
    for row in looked_at[:SESSIONS_LOOKED_AT]:
        keys = _overlap(row, turns)
        if len(keys) > best[0]:
            best = (len(keys), row.external_id, keys)
    length, name, keys = best
    if length < LEAST_OVERLAP or all(turn.role == "user" for turn in turns[:length]):
        return None
    root, _, digest = keys[-1].rpartition(":")
    return Place(name, (*keys, *(f"{root}:{link}" for link in chained(turns[length:], digest))))


def _overlap(session: Session, turns: Sequence[Said]) -> list[str]:
    """The keys of the longest run of stored turns that the sent ones begin with."""
    rows = Message.objects.filter(workspace_id=session.workspace_id, session=session)
    newest = rows.filter(dedupe_key__startswith=f"{KEY_MARK}:").order_by("-ordinal")[:TURNS_LOOKED_AT]
    stored = [(message.dedupe_key or "", _identity(message)) for message in reversed(newest)]
    sent = [turn.identity for turn in turns]
    longest: list[str] = []
    for start in range(len(stored)):
        length = _shared([identity for _, identity in stored[start:]], sent)
        if length > len(longest):
            longest = [key for key, _ in stored[start : start + length]]
    return longest


def _shared(stored: Sequence[str], sent: Sequence[str]) -> int:
    """How many of two lists are alike from the first on."""
    for place in count():
        if place >= min(len(stored), len(sent)) or stored[place] != sent[place]:
            return place
    raise AssertionError("unreachable: the lists have an end")


def _identity(message: Message) -> str:
    attachments = message.metadata.get("attachments", [])
    return Said(
        role=message.role,
        text=message.text,
        tool_calls=tuple(message.tool_calls),
        tool_call_id=message.tool_call_id,
        attachments=tuple(attachments),
    ).identity

"""What was answered to writes that may be sent again: found, or kept in the transaction of the write itself.

A lock of the transaction, not a row, says that a write is under way: a process that dies leaves nothing to
take over, and one write in two is never half kept.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from django.conf import settings
from django.utils.crypto import salted_hmac
from psycopg.types.json import Jsonb

from memory import queries
from memory.models import Key

LOCK_BYTES = 8
_SALT = "memory.replies"


class ReplyUnderWayError(Exception):
    """The same write is being done at this moment."""


class OtherRequestError(Exception):
    """The name was given to another write before."""


@dataclass(frozen=True, slots=True)
class NamedWrite:
    """A write under the name that its sender gave it, neither of them readable."""

    key: Key
    digest: bytes
    request: bytes

    @property
    def lock(self) -> int:
        """A number that stands for key and name."""
        return int.from_bytes(self.digest[:LOCK_BYTES], signed=True)


@dataclass(frozen=True, slots=True)
class KeptReply:
    """A status, and ids by the names that they had in the body."""

    status: int
    ids: Mapping[str, Any] = field(default_factory=dict)


def named_write(*, key: Key, name: str, request: Iterable[bytes]) -> NamedWrite:
    """A write of a key's bearer; the parts of the request may hold words, so only a keyed hash is kept."""
    # The lock is known to the whole server, so the key's id is part of the name.
    return NamedWrite(key, _digest([key.pk.bytes, name.encode()]), _digest(request))


def kept_reply(write: NamedWrite) -> KeptReply | None:
    """Within a transaction: what the write was answered before; after None nobody else does it until the end.

    Raises ReplyUnderWayError while another call does it, and OtherRequestError for another request under the
    same name.
    """
    # Two statements there and back once: the second sees what was committed before the lock was had.
    locked, found = queries.kept_rows(
        ("reply_lock", {"lock": write.lock}),
        ("reply_of_name", {"key": write.key.pk, "digest": write.digest}),
    )
    if not locked[0][0]:
        raise ReplyUnderWayError
    if not found:
        return None
    [(request, status, ids)] = found
    if bytes(request) != write.request:
        raise OtherRequestError
    return KeptReply(status, queries.json_value(ids))


def keep_reply(write: NamedWrite, reply: KeptReply, *, entity: str | None) -> None:
    """Within the transaction of the write: keep what it is answered, and the entity of this name if any."""
    queries.run(
        "reply_keep",
        workspace=write.key.workspace_id,
        key=write.key.pk,
        entity=entity,
        digest=write.digest,
        request=write.request,
        status=reply.status,
        ids=Jsonb(dict(reply.ids)),
    )


def _digest(parts: Iterable[bytes]) -> bytes:
    made = hmac.new(_secret(settings.SECRET_KEY), digestmod="sha256")
    for part in parts:
        made.update(len(part).to_bytes(LOCK_BYTES))
        made.update(part)
    return made.digest()


@lru_cache(maxsize=8)
def _secret(secret: str | bytes) -> bytes:
    return salted_hmac(_SALT, "key", secret=secret, algorithm="sha256").digest()

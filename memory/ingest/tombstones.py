"""Keyed hashes of what was erased, so that an import that brings it again is told so instead of reviving it.

A hash is made under the installation's secret, over the entity's name: it survives the entity, and says
nothing to whoever has only the database. It knows the dedupe key of a message, what it said, or a claim of
another memory.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Literal

from django.conf import settings
from django.utils.crypto import salted_hmac

from memory.models import Entity, Erasure, Tombstone

Kind = Literal["key", "content", "claim"]
BATCH = 2_000

_SALT = "memory.tombstones"


def tombstone_of(entity: Entity, kind: Kind, value: bytes, *, secret: str | bytes | None = None) -> bytes:
    """The hash that stands for a dedupe key or a content hash of an entity, under the current secret."""
    owner = f"{entity.workspace_id}\0{entity.name}\0{kind}\0".encode()
    return hmac.digest(_key(secret or settings.SECRET_KEY), owner + value, "sha256")


@lru_cache(maxsize=8)
def _key(secret: str | bytes) -> bytes:
    return salted_hmac(_SALT, "key", secret=secret, algorithm="sha256").digest()


def bury_messages(entity: Entity, erasure: Erasure, said: Iterable[tuple[str | None, Any]]) -> None:
    """Within the erasing transaction: keep the hashes of messages given as dedupe key and content hash."""
    digests: set[bytes] = set()
    for dedupe_key, content_hash in said:
        digests.add(tombstone_of(entity, "content", bytes(content_hash)))
        if dedupe_key is not None:
            digests.add(tombstone_of(entity, "key", dedupe_key.encode()))
    _keep(entity, erasure, digests)


def bury_claims(entity: Entity, erasure: Erasure, made: Iterable[tuple[str, str, str]]) -> None:
    """Within the erasing transaction: keep the hashes of claims given as source, reference and text."""
    _keep(entity, erasure, {tombstone_of(entity, "claim", claim_value(claim)) for claim in made})


def claim_value(key: tuple[str, str, str]) -> bytes:
    """What a claim of another memory is known by: its source, its reference and its words."""
    return "\0".join(key).encode()


def _keep(entity: Entity, erasure: Erasure, digests: set[bytes]) -> None:
    Tombstone.objects.bulk_create(
        (
            Tombstone(workspace_id=entity.workspace_id, erasure=erasure, digest=digest)
            for digest in sorted(digests)
        ),
        batch_size=BATCH,
        ignore_conflicts=True,
    )


def buried(entity: Entity, claims: Mapping[int, Sequence[tuple[Kind, bytes]]]) -> frozenset[int]:
    """Which of some messages were erased, by their index, for the keys and contents that each goes by.

    One statement, none where nothing is asked. Hashes made under an earlier secret are known while it is
    among `SECRET_KEY_FALLBACKS`.
    """
    secrets = [None, *settings.SECRET_KEY_FALLBACKS]
    sought = {
        tombstone_of(entity, kind, value, secret=secret): index
        for index, known_by in claims.items()
        for kind, value in known_by
        for secret in secrets
    }
    if not sought:
        return frozenset()
    rows = Tombstone.objects.filter(workspace_id=entity.workspace_id, digest__in=list(sought))
    found = {bytes(digest) for digest in rows.values_list("digest", flat=True)}
    return frozenset(
        index
        for index, known_by in claims.items()
        if any(
            tombstone_of(entity, kind, value, secret=secret) in found
            for kind, value in known_by
            for secret in secrets
        )
    )

"""Who is calling: what the key opens, and whose memory is meant where a call names nobody."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from rest_framework.exceptions import PermissionDenied

from memory.api.wiring.rating import TooManyRequests
from memory.ingest.access import Access
from memory.limiting.rates import Kind, admit
from memory.models import Entity

ENTITY = "entity"
STREAMS = "standard streams"


@dataclass(frozen=True, slots=True)
class Caller:
    """The bearer of a key."""

    access: Access
    entity: str = ""
    """Whose memory is meant where a call names nobody; empty when each call has to."""
    address: str = STREAMS
    """Where the call comes from, as rates count it."""

    def named(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments with the name of an entity, where there is one to add."""
        return {ENTITY: self.entity, **arguments} if self.entity else dict(arguments)

    def require(self, scope: str) -> None:
        """PermissionDenied when the key does not hold this scope."""
        if not self.access.allows(scope):
            raise PermissionDenied(f"This key has no {scope} scope.")

    def spend(self, kind: Kind) -> None:
        """Count a call; TooManyRequests beyond a rate of the key or of the address."""
        verdict = admit(key_id=self.access.key.pk, address=self.address, kind=kind)
        if verdict is not None and not verdict.is_allowed:
            raise TooManyRequests(verdict)


def caller_with(access: Access, entity: str = "", *, address: str = STREAMS) -> Caller:
    """The bearer of a key, with whose memory is meant where a call names nobody.

    That is the connection's own choice, else the only one that the key opens, else the setting's. What is
    chosen opens nothing that the key does not.
    """
    meant = entity or _only_entity(access) or settings.MEMSEEK.mcp_entity
    return Caller(access, meant, address)


def _only_entity(access: Access) -> str:
    if not access.is_bound or len(access.entity_ids) != 1:
        return ""
    only = Entity.objects.for_workspace(access.workspace.pk).filter(pk__in=access.entity_ids)
    return only.values_list("name", flat=True).first() or ""

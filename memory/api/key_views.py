"""Keys: listed, issued and revoked by the holder of an unbound key with scope admin."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Any, Literal, Self, cast
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, model_validator
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response
from typing_extensions import TypedDict

from memory.api.authentication import CanAdmin
from memory.api.cursors import id_cursor, read_id_cursor
from memory.api.operations import operation
from memory.api.reading import read_body, read_query
from memory.api.requests import Moment, Names, Text
from memory.api.session_requests import NothingAsked
from memory.api.skill_requests import PageAsked
from memory.api.views import JsonView
from memory.ingest.access import Access
from memory.stewardship.keys import KeyRecord, NewKey, issue_key, list_keys, revoke

KEYS = "keys"
LONGEST_LIFETIME_SECONDS = 10 * 366 * 24 * 3600
BOUND = "This key is bound to entities; it neither sees nor makes keys."
UNBOUND = "The key has to be bound to no entities."

Scope = Literal["read", "write", "admin"]


class KeyGiven(BaseModel):
    """`POST /keys`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    label: Annotated[Text, Field(max_length=64)]
    scopes: Annotated[tuple[Scope, ...], Field(min_length=1, max_length=3)]
    entities: Names = ()
    """Those that it is bound to; it opens every one of the workspace without them."""
    expires_at: Moment | None = None
    lifetime_seconds: Annotated[int, Field(ge=1, le=LONGEST_LIFETIME_SECONDS)] | None = None
    """In the place of `expires_at`; without both it does not expire."""

    @model_validator(mode="after")
    def _ends_once(self) -> Self:
        if self.expires_at is not None and self.lifetime_seconds is not None:
            raise ValueError("lifetime_seconds: takes the place of expires_at")
        return self

    @property
    def lifetime(self) -> timedelta | None:
        """How long it opens."""
        return None if self.lifetime_seconds is None else timedelta(seconds=self.lifetime_seconds)


class KeysBody(TypedDict):
    """A page of keys, newest first; what opens the door is stored nowhere."""

    keys: tuple[KeyRecord, ...]
    next_after: str | None


class _KeyringView(JsonView):
    permission_classes = [CanAdmin]

    def keyring(self) -> Access:
        """What the key opens, if it is the whole workspace."""
        access = self.access()
        if access.is_bound:
            raise PermissionDenied(BOUND)
        return access


class KeysView(_KeyringView):
    """`GET` and `POST /keys`."""

    @operation("List keys", query=PageAsked, returns=KeysBody, needs=UNBOUND)
    def get(self, request: Request) -> Response:
        """A page of the workspace's keys, newest first, revoked and expired ones too."""
        asked = read_query(PageAsked, request.query_params)
        page = list_keys(self.keyring(), after=read_id_cursor(asked.after, KEYS), limit=asked.limit)
        body: KeysBody = {"keys": page.keys, "next_after": id_cursor(KEYS, page.next_after)}
        return Response(body)

    @operation("Issue a key", body=KeyGiven, returns=NewKey, status=201, errors=(404,), needs=UNBOUND)
    def post(self, request: Request) -> Response:
        """Make a key. Its token stands in this reply and nowhere else; a lost one is revoked and replaced."""
        access = self.keyring()
        given = read_body(KeyGiven, cast(dict[str, Any], request.data))
        new = issue_key(
            access,
            label=given.label,
            scopes=given.scopes,
            entities=given.entities,
            expires_at=given.expires_at,
            lifetime=given.lifetime,
        )
        return Response(new, status=201, headers={"Cache-Control": "no-store"})


class KeyRevokeView(_KeyringView):
    """`POST /keys/{id}/revoke`."""

    @operation("Revoke a key", body=NothingAsked, returns=KeyRecord, needs=UNBOUND)
    def post(self, request: Request, key_id: UUID) -> Response:
        """End a key at once and for good; revoking it again changes nothing."""
        access = self.keyring()
        read_body(NothingAsked, cast(dict[str, Any], request.data))
        return Response(revoke(access, key_id))

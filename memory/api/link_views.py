"""Links: made by the bearer of a key that reads, opened by whoever holds them (`showcase.shared`)."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Annotated, Any, Self, cast
from uuid import UUID

from django.urls import reverse
from pydantic import BaseModel, ConfigDict, Field, model_validator
from rest_framework.request import Request
from rest_framework.response import Response
from typing_extensions import TypedDict

from memory.api.authentication import CanRead
from memory.api.operations import operation
from memory.api.reading import read_body
from memory.api.requests import Name
from memory.api.views import JsonView
from memory.limiting.rates import Kind
from memory.models import Entity, Scene
from memory.skills.reading import opened
from memory.stewardship.links import (
    DEFAULT_LIFETIME,
    LONGEST_LIFETIME,
    SHORTEST_LIFETIME,
    LinkTarget,
    make_link,
    target_of,
)

SECONDS = (int(SHORTEST_LIFETIME.total_seconds()), int(LONGEST_LIFETIME.total_seconds()))


class LinkGiven(BaseModel):
    """`POST /links`: an entity for its timeline, or a scene."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    entity: Name | None = None
    scene: UUID | None = None
    lifetime_seconds: Annotated[int, Field(ge=SECONDS[0], le=SECONDS[1])] = int(
        DEFAULT_LIFETIME.total_seconds()
    )
    """The link ends with the key that made it, if that comes before."""

    @model_validator(mode="after")
    def _has_one_target(self) -> Self:
        if (self.entity is None) == (self.scene is None):
            raise ValueError("entity, scene: give one of them")
        return self


class LinkBody(TypedDict):
    """A link. Whoever has it sees what it shows until it ends."""

    url: str
    target: LinkTarget
    entity: str
    scene: UUID | None
    expires_at: datetime


class LinksView(JsonView):
    """`POST /links`."""

    permission_classes = [CanRead]
    limit_kind = Kind.READ
    is_repeatable = True

    @operation("Make a link", body=LinkGiven, returns=LinkBody, status=201, errors=(404, 409))
    def post(self, request: Request) -> Response:
        """Show the timeline of an entity, or a scene, to whoever has the link: without a key, for a time.

        The key has to open the entity itself. Nothing is stored; revoking the key closes its links.
        """
        given = read_body(LinkGiven, cast(dict[str, Any], request.data))
        access = self.access()
        link = make_link(
            access,
            entity=self._entity(given),
            scene=given.scene,
            lifetime=timedelta(seconds=given.lifetime_seconds),
        )
        body: LinkBody = {
            "url": request.build_absolute_uri(reverse("shared", kwargs={"token": link.token})),
            "target": target_of(link.scene),
            "entity": link.entity.name,
            "scene": link.scene,
            "expires_at": link.expires_at,
        }
        return Response(body, status=201, headers={"Cache-Control": "no-store"})

    def _entity(self, given: LinkGiven) -> Entity:
        if given.scene is not None:
            return opened(Scene.objects.all(), self.access(), given.scene).entity
        return self.access().entity(str(given.entity))

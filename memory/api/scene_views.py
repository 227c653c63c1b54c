"""The history of scenes and of the persona."""

from __future__ import annotations

from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from memory.api import scene_bodies as bodies
from memory.api.authentication import CanRead
from memory.api.correction_requests import OwnedAsked
from memory.api.cursors import read_number_cursor
from memory.api.operations import operation
from memory.api.reading import read_query
from memory.api.scene_requests import DifferenceAsked
from memory.api.session_requests import NothingAsked
from memory.api.skill_requests import PageAsked
from memory.api.views import JsonView
from memory.models import Scene, Trait
from memory.recall.ladder import persona
from memory.recall.persona_reading import list_wordings
from memory.recall.scene_reading import find_version
from memory.recall.scene_versions import compare_versions, list_versions
from memory.skills.reading import opened


class _SceneView(JsonView):
    permission_classes = [CanRead]

    def scene(self, scene_id: UUID) -> Scene:
        """The scene of the address."""
        return opened(Scene.objects.all(), self.access(), scene_id, is_reading=True)


class SceneVersionsView(_SceneView):
    """`GET /scenes/{id}/versions`."""

    @operation("List the versions of a scene", query=PageAsked, returns=bodies.SceneVersionsBody)
    def get(self, request: Request, scene_id: UUID) -> Response:
        """A page of versions, newest first, each with its author and how many lines it changed."""
        asked = read_query(PageAsked, request.query_params)
        scene = self.scene(scene_id)
        after = read_number_cursor(asked.after, bodies.VERSIONS)
        page = list_versions(scene.entity, scene_id, after=after, limit=asked.limit)
        return Response(bodies.versions_body(scene, page))


class SceneVersionView(_SceneView):
    """`GET /scenes/{id}/versions/{number}`."""

    @operation("Read a version of a scene", query=NothingAsked, returns=bodies.ReadVersionBody)
    def get(self, request: Request, scene_id: UUID, number: int) -> Response:
        """A version line by line, each line with its author and its evidence."""
        read_query(NothingAsked, request.query_params)
        entity = self.scene(scene_id).entity
        return Response(bodies.version_body(entity, find_version(entity, scene_id, number)))


class SceneDifferenceView(_SceneView):
    """`GET /scenes/{id}/difference`."""

    @operation("Compare versions of a scene", query=DifferenceAsked, returns=bodies.SceneDifferenceBody)
    def get(self, request: Request, scene_id: UUID) -> Response:
        """What came, went and was reworded between two versions; without numbers by the last one."""
        asked = read_query(DifferenceAsked, request.query_params)
        scene = self.scene(scene_id)
        difference = compare_versions(scene.entity, scene_id, **asked.model_dump())
        return Response(bodies.difference_body(scene, difference))


class PersonaView(JsonView):
    """`GET /persona`."""

    permission_classes = [CanRead]

    @operation("Read the persona", query=OwnedAsked, returns=bodies.PersonaBody)
    def get(self, request: Request) -> Response:
        """The traits that hold, one a slot."""
        entity = self.access().readable(read_query(OwnedAsked, request.query_params).entity)
        body: bodies.PersonaBody = {"entity": entity.name, "traits": persona(entity)}
        return Response(body)


class WordingsView(JsonView):
    """`GET /persona/{trait}/versions`."""

    permission_classes = [CanRead]

    @operation("List the wordings of a trait", query=PageAsked, returns=bodies.WordingsBody)
    def get(self, request: Request, trait_id: UUID) -> Response:
        """A page of what a trait has said, newest first, each with its author and the lines under it."""
        asked = read_query(PageAsked, request.query_params)
        trait = opened(Trait.objects.all(), self.access(), trait_id, is_reading=True)
        after = read_number_cursor(asked.after, bodies.WORDINGS)
        page = list_wordings(trait.entity, trait_id, after=after, limit=asked.limit)
        return Response(bodies.wordings_body(trait, page))

"""Corrections by the bearer of a key with scope admin: an agent that may write does not overrule people."""

from __future__ import annotations

from typing import Any, TypeVar, cast
from uuid import UUID

from pydantic import BaseModel
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request
from rest_framework.response import Response

from memory.api import correction_bodies as bodies
from memory.api import correction_requests as asked
from memory.api.authentication import CanAdmin, CanRead
from memory.api.cursors import read_place_cursor
from memory.api.operations import operation
from memory.api.reading import read_body, read_query
from memory.api.scene_bodies import SCENES, ScenesBody, scenes_body
from memory.api.scene_requests import ScenesAsked
from memory.api.views import JsonView
from memory.api.wiring.reading_again import refuse_unmatched
from memory.models import Atom, Scene, Trait, TraitVersion
from memory.recall.scene_reading import SceneCursor, find_version, list_scenes
from memory.skills.reading import opened
from memory.stewardship.actors import Actor
from memory.stewardship.correcting_atoms import restore_atom, retract_atom, supersede_atom
from memory.stewardship.correcting_scenes import (
    edit_scene,
    merge_scenes,
    pin_lines,
    preview_scene,
    restore_scene,
    retire_scene,
)
from memory.stewardship.correcting_traits import restore_trait, retract_trait, set_trait

Model = TypeVar("Model", bound=BaseModel)


class CorrectionView(JsonView):
    """A person's change, in the name of a key."""

    permission_classes = [CanAdmin]

    def actor(self) -> Actor:
        """Whoever holds the key."""
        return Actor(key=self.access().key)

    @property
    def is_reading(self) -> bool:
        """Whether nothing is changed: then what is shared with the key's entities may be seen too."""
        return self.request.method in SAFE_METHODS

    def given(self, model: type[Model]) -> Model:
        """The body of the request."""
        return read_body(model, cast(dict[str, Any], self.request.data))

    def atom(self, atom_id: UUID) -> Atom:
        """The claim of the address."""
        return opened(Atom.objects.all(), self.access(), atom_id, is_reading=self.is_reading)

    def scene(self, scene_id: UUID) -> Scene:
        """The scene of the address, or of a body."""
        return opened(Scene.objects.all(), self.access(), scene_id, is_reading=self.is_reading)

    def trait(self, trait_id: UUID) -> Trait:
        """The trait of the address."""
        return opened(Trait.objects.all(), self.access(), trait_id, is_reading=self.is_reading)


class AtomView(CorrectionView):
    """`PATCH /atoms/{id}`."""

    @operation("Correct an atom", body=asked.ClaimCorrected, returns=bodies.CorrectedAtomBody, status=201)
    def patch(self, request: Request, atom_id: UUID) -> Response:
        """Put a corrected claim in the place of one: 201 with the new claim."""
        given = self.given(asked.ClaimCorrected)
        atom = self.atom(atom_id)
        made = supersede_atom(atom=atom, actor=self.actor(), **given.model_dump())
        receipt = made.evidence.select_related("correction").get(correction__isnull=False)
        return Response(bodies.atom_body(atom.entity, made, receipt.correction), status=201)


class AtomRetractView(CorrectionView):
    """`POST /atoms/{id}/retract`."""

    @operation("Take an atom back", body=asked.ReasonGiven, returns=bodies.CorrectedAtomBody)
    def post(self, request: Request, atom_id: UUID) -> Response:
        """Take a claim back."""
        given, atom = self.given(asked.ReasonGiven), self.atom(atom_id)
        correction = retract_atom(atom=atom, actor=self.actor(), reason=given.reason)
        return Response(bodies.atom_body(atom.entity, atom, correction))


class AtomRestoreView(CorrectionView):
    """`POST /atoms/{id}/restore`."""

    @operation("Restore an atom", body=asked.ReasonGiven, returns=bodies.CorrectedAtomBody)
    def post(self, request: Request, atom_id: UUID) -> Response:
        """Have a claim hold again."""
        given, atom = self.given(asked.ReasonGiven), self.atom(atom_id)
        correction = restore_atom(atom=atom, actor=self.actor(), reason=given.reason)
        return Response(bodies.atom_body(atom.entity, atom, correction))


class ReadOrCorrect(CorrectionView):
    """A door that is read with scope read, and corrected through with scope admin."""

    def get_permissions(self) -> list[BasePermission]:
        """By method."""
        return [CanRead() if self.request.method in SAFE_METHODS else CanAdmin()]


class ScenesView(ReadOrCorrect):
    """`GET /scenes`."""

    @operation("List scenes", query=ScenesAsked, returns=ScenesBody)
    def get(self, request: Request) -> Response:
        """A page of the scenes of an entity by name and id, those that live first."""
        wanted = read_query(ScenesAsked, request.query_params)
        entity = self.access().readable(wanted.entity)
        place = read_place_cursor(wanted.after, SCENES)
        after = SceneCursor(*place) if place else None
        page = list_scenes(entity, statuses=wanted.status, after=after, limit=wanted.limit)
        return Response(scenes_body(entity, page))


class SceneView(ReadOrCorrect):
    """`GET` and `PATCH /scenes/{id}`."""

    @operation("Read a scene", query=asked.SceneAsked, returns=bodies.SceneBody)
    def get(self, request: Request, scene_id: UUID) -> Response:
        """A version with its lines and its Markdown; the current one unless a number is given."""
        number = read_query(asked.SceneAsked, request.query_params).number
        scene = self.scene(scene_id)
        version = find_version(scene.entity, scene_id, number)
        self.tag_mark = str(version.number)
        return Response(bodies.scene_body(scene.entity, version))

    @operation("Edit a scene", body=asked.SceneEdited, returns=bodies.SceneBody, errors=(412,))
    def patch(self, request: Request, scene_id: UUID) -> Response:
        """Save an edited scene as its next version; with If-Match only while that one stands."""
        given, scene = self.given(asked.SceneEdited), self.scene(scene_id)
        # Between this look and the edit `base` decides, under the scene's lock.
        stands = find_version(scene.entity, scene_id).number
        refuse_unmatched(request, str(stands), f"The scene is at version {stands}.")
        version = edit_scene(scene=scene, actor=self.actor(), **given.model_dump())
        return Response(bodies.scene_body(scene.entity, version))


class ScenePreviewView(CorrectionView):
    """`POST /scenes/{id}/preview`."""

    is_repeatable = True

    @operation("Preview an edit of a scene", body=asked.SceneDrafted, returns=bodies.PreviewBody)
    def post(self, request: Request, scene_id: UUID) -> Response:
        """What saving would do; writes nothing."""
        given, scene = self.given(asked.SceneDrafted), self.scene(scene_id)
        return Response(bodies.preview_body(scene.entity, preview_scene(scene=scene, **given.model_dump())))


class ScenePinsView(CorrectionView):
    """`POST /scenes/{id}/pins`."""

    @operation("Pin lines of a scene", body=asked.LinesPinned, returns=bodies.SceneBody)
    def post(self, request: Request, scene_id: UUID) -> Response:
        """Pin lines, or unpin them."""
        given, scene = self.given(asked.LinesPinned), self.scene(scene_id)
        version = pin_lines(scene=scene, actor=self.actor(), **given.model_dump())
        return Response(bodies.scene_body(scene.entity, version))


class SceneMergeView(CorrectionView):
    """`POST /scenes/{id}/merge`."""

    @operation("Merge a scene into another", body=asked.SceneMerged, returns=bodies.SceneBody)
    def post(self, request: Request, scene_id: UUID) -> Response:
        """Move the lines of another scene into this one."""
        given, scene = self.given(asked.SceneMerged), self.scene(scene_id)
        other = self.scene(given.other)
        version = merge_scenes(into=scene, other=other, actor=self.actor(), reason=given.reason)
        return Response(bodies.scene_body(scene.entity, version))


class SceneRetireView(CorrectionView):
    """`POST /scenes/{id}/retire`."""

    @operation("Retire a scene", body=asked.ReasonGiven, returns=bodies.MadeCorrectionBody)
    def post(self, request: Request, scene_id: UUID) -> Response:
        """End a scene."""
        given, scene = self.given(asked.ReasonGiven), self.scene(scene_id)
        correction = retire_scene(scene=scene, actor=self.actor(), reason=given.reason)
        return Response(bodies.correction_body(scene.entity, correction))


class SceneRestoreView(CorrectionView):
    """`POST /scenes/{id}/restore`."""

    @operation("Restore a scene", body=asked.VersionRestored, returns=bodies.SceneBody)
    def post(self, request: Request, scene_id: UUID) -> Response:
        """Bring an ended scene back, or an earlier version."""
        given, scene = self.given(asked.VersionRestored), self.scene(scene_id)
        version = restore_scene(scene=scene, actor=self.actor(), **given.model_dump())
        return Response(bodies.scene_body(scene.entity, version))


class TraitsView(ReadOrCorrect):
    """`GET` and `POST /traits`."""

    @operation("List traits", query=asked.OwnedAsked, returns=bodies.TraitsBody)
    def get(self, request: Request) -> Response:
        """The persona's slots with their last wording, also those that were taken back."""
        entity = self.access().readable(read_query(asked.OwnedAsked, request.query_params).entity)
        heads = TraitVersion.objects.for_entity(entity).filter(is_head=True).select_related("trait")
        return Response(bodies.traits_body(entity, heads.order_by("trait__slot")))

    @operation("Word a trait", body=asked.TraitWorded, returns=bodies.CorrectedTraitBody, status=201)
    def post(self, request: Request) -> Response:
        """Word a slot of the persona."""
        given = self.given(asked.TraitWorded)
        entity = self.access().entity(given.entity)
        told = given.model_dump(exclude={"entity"})
        version = set_trait(entity=entity, actor=self.actor(), **told)
        return Response(bodies.trait_body(entity, version), status=201)


class TraitRetractView(CorrectionView):
    """`POST /traits/{id}/retract`."""

    @operation("Take a trait back", body=asked.ReasonGiven, returns=bodies.MadeCorrectionBody)
    def post(self, request: Request, trait_id: UUID) -> Response:
        """Take a trait back."""
        given, trait = self.given(asked.ReasonGiven), self.trait(trait_id)
        correction = retract_trait(trait=trait, actor=self.actor(), reason=given.reason)
        return Response(bodies.correction_body(trait.entity, correction))


class TraitRestoreView(CorrectionView):
    """`POST /traits/{id}/restore`."""

    @operation("Restore a trait", body=asked.VersionRestored, returns=bodies.CorrectedTraitBody)
    def post(self, request: Request, trait_id: UUID) -> Response:
        """Bring a wording back as the next version."""
        given, trait = self.given(asked.VersionRestored), self.trait(trait_id)
        version = restore_trait(trait=trait, actor=self.actor(), **given.model_dump())
        return Response(bodies.trait_body(trait.entity, version))

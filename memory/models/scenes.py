"""L2: scenes, their versions, and the immutable lines that versions are lists of."""

from __future__ import annotations

from typing import Self

from django.db import models
from django.db.models import F, Q

from memory.cascade.contract import LINE_TEXT_LIMIT, SCENE_CAP, TITLE_LIMIT
from memory.models.base import (
    NextRecordNumber,
    Owned,
    OwnedQuerySet,
    StepInput,
    StepInputQuerySet,
    in_entity,
    run_reference,
)


class Section(models.TextChoices):
    """The nine sections of a scene, in their order on the page."""

    WORK_CONTEXT = "work_context", "Work Context"
    APPLIES_WHEN = "applies_when", "Applies When"
    CORE_SOP = "core_sop", "Core SOP"
    DECISION_LOGIC = "decision_logic", "Decision Logic"
    PROHIBITIONS = "prohibitions", "Prohibitions and Failure Modes"
    KEY_EVIDENCE = "key_evidence", "Key Evidence"
    RELATED_TASKS = "related_tasks", "Related Tasks and Assets"
    EVOLUTION_RECORD = "evolution_record", "Evolution Record"
    OPEN_QUESTIONS = "open_questions", "Open Questions"


class SceneQuerySet(OwnedQuerySet["Scene"]):
    """Reads of scenes."""

    def live(self) -> Self:
        """Scenes that hold a slot now: at most fifteen of an entity."""
        return self.filter(status=Scene.Status.LIVE)


class Scene(Owned):
    """One context document: an identity with a history. What it says is in its head version."""

    class Status(models.TextChoices):
        LIVE = "live"
        MERGED = "merged"
        RETIRED = "retired"

    slug = models.CharField(
        max_length=24, editable=False, help_text="Opaque and stable: made once, never from the title."
    )
    status = models.CharField(max_length=8, choices=Status.choices, default=Status.LIVE)
    merged_into = in_entity("self", "absorbed", null=True, blank=True, on_delete=models.SET_NULL)
    slot = models.PositiveSmallIntegerField(null=True, blank=True)
    heat = models.PositiveIntegerField(
        default=0, help_text="Versions and receipts so far: how much happens here."
    )

    objects = SceneQuerySet.as_manager()

    class Meta:
        ordering = ["created_at"]
        constraints = [
            models.UniqueConstraint(fields=["entity", "slug"], name="scene_slug_once"),
            models.UniqueConstraint(
                fields=["entity", "slot"], condition=Q(status="live"), name="scene_slot_once_live"
            ),
            models.UniqueConstraint(fields=["workspace", "entity", "id"], name="scene_of_entity"),
            models.CheckConstraint(
                condition=Q(status="live", slot__range=(1, SCENE_CAP), slot__isnull=False)
                | Q(status__in=["merged", "retired"], slot__isnull=True),
                name="scene_live_has_slot",
            ),
            models.CheckConstraint(
                condition=Q(merged_into__isnull=True) | Q(status="merged"),
                name="scene_merged_into_means_merged",
            ),
            models.CheckConstraint(condition=~Q(merged_into=F("id")), name="scene_not_merged_into_itself"),
        ]

    def __str__(self) -> str:
        # A query may have looked the title up that its head version has.
        return str(getattr(self, "head_title", None) or self.slug)


class Line(Owned):
    """A text in one section, with its own evidence. Immutable; a changed line is a new one.

    It was written by a run or, where a correction stands behind it, by a person.
    """

    scene = in_entity(Scene, "lines")
    section = models.CharField(max_length=20, choices=Section.choices)
    text = models.CharField(max_length=LINE_TEXT_LIMIT, blank=True)
    is_pinned = models.BooleanField(default=False)
    run = run_reference(related_name="lines")
    correction = in_entity("memory.Correction", "lines", null=True, blank=True, on_delete=models.RESTRICT)
    erased_at = models.DateTimeField(null=True, blank=True, editable=False)

    objects = OwnedQuerySet["Line"].as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["workspace", "entity", "id"], name="line_of_entity"),
            models.CheckConstraint(
                condition=Q(erased_at__isnull=True) & ~Q(text="") | Q(erased_at__isnull=False, text=""),
                name="line_text_until_erased",
            ),
            models.CheckConstraint(condition=Q(section__in=Section.values), name="line_section_known"),
            models.CheckConstraint(
                condition=Q(run__isnull=True) | Q(correction__isnull=True), name="line_one_author"
            ),
        ]

    def __str__(self) -> str:
        return self.text

    def is_due(self, *, rests_on_dead: bool) -> bool:
        """Whether it waits to be rewritten, given that an atom under it no longer holds.

        The Evolution Record tells of what was, and what a person pinned stays as it is.
        """
        return rests_on_dead and self.section != Section.EVOLUTION_RECORD and not self.is_pinned


class SceneVersionQuerySet(StepInputQuerySet["SceneVersion"]):
    """Reads of versions."""

    def heads(self) -> Self:
        """The current version of each scene."""
        return self.filter(is_head=True)

    def live(self) -> Self:
        """Current versions of live scenes, in slot order."""
        return self.heads().filter(scene__status=Scene.Status.LIVE).order_by("scene__slot")

    def pending(self) -> Self:
        """Changed scenes that the persona has not looked at."""
        return super().pending().filter(is_head=True)


class SceneVersion(Owned, StepInput):
    """One state of a scene: an ordered list of lines. The version before is its lineage, not its evidence."""

    scene = in_entity(Scene, "versions")
    seq = models.BigIntegerField(db_default=NextRecordNumber(), unique=True, editable=False)
    number = models.PositiveIntegerField()
    title = models.CharField(max_length=TITLE_LIMIT)
    summary = models.CharField(max_length=400, blank=True, default="")
    is_head = models.BooleanField(default=True)
    run = run_reference(related_name="scene_versions")
    correction = in_entity(
        "memory.Correction", "scene_versions", null=True, blank=True, on_delete=models.RESTRICT
    )
    erased_at = models.DateTimeField(
        null=True, blank=True, editable=False, help_text="When some of its text was erased."
    )
    lines: models.ManyToManyField[Line, VersionLine] = models.ManyToManyField(
        Line, through="VersionLine", related_name="versions"
    )

    objects = SceneVersionQuerySet.as_manager()

    class Meta:
        ordering = ["scene", "number"]
        constraints = [
            models.UniqueConstraint(fields=["scene", "number"], name="scene_version_number_once"),
            models.UniqueConstraint(fields=["scene"], condition=Q(is_head=True), name="scene_one_head"),
            models.UniqueConstraint(fields=["workspace", "entity", "id"], name="scene_version_of_entity"),
            models.CheckConstraint(condition=Q(number__gte=1), name="scene_version_number_from_one"),
        ]
        indexes = [
            models.Index(F("entity"), F("seq").desc(), name="scene_version_timeline"),
            models.Index(
                fields=["entity", "seq"],
                condition=Q(consumed_by__isnull=True, parked_at__isnull=True, is_head=True),
                name="scene_version_pending",
            ),
            models.Index(
                fields=["entity"],
                condition=Q(consumed_by__isnull=True, parked_at__isnull=False),
                name="scene_version_parked",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.title} v{self.number}"


class VersionLine(models.Model):
    """A line's place in a version."""

    id = models.BigAutoField(primary_key=True)
    workspace = in_entity("memory.Workspace", "+", db_index=False)
    entity = in_entity("memory.Entity", "+")
    version = in_entity(SceneVersion, "places", db_index=False)
    line = in_entity(Line, "places")
    position = models.PositiveSmallIntegerField()

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["version", "position"], name="version_line_position_once"),
            models.UniqueConstraint(fields=["version", "line"], name="version_line_once"),
        ]

    def __str__(self) -> str:
        return f"{self.version_id}[{self.position}]"

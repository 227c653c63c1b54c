"""What may be claimed and where live values come from. Claims themselves are atoms."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from memory.models.atoms import PREDICATE_LIMIT, Authority
from memory.models.base import Owned, OwnedQuerySet, new_id


def every_authority() -> list[int]:
    """Anybody may assert it."""
    return [authority.value for authority in Authority]


class LiveSource(models.Model):
    """Where the value of a claim is fetched when it is needed: a registered callable, or an address."""

    class Kind(models.TextChoices):
        CALLABLE = "callable", "callable: registered in the settings"
        HTTP = "http", "http: an address on an allowed host"

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    workspace = models.ForeignKey("memory.Workspace", on_delete=models.CASCADE, related_name="live_sources")
    name = models.CharField(max_length=64)
    kind = models.CharField(max_length=8, choices=Kind.choices)
    address = models.CharField(
        max_length=1_000,
        help_text="Name of the callable, or an https address in which {kind}, {identifier} and {predicate} "
        "stand for those of the claim.",
    )
    credential = models.CharField(
        max_length=64,
        blank=True,
        default="",
        help_text="Name of a credential in the settings, sent as a bearer token; never the secret itself.",
    )
    timeout_milliseconds = models.PositiveIntegerField(default=500)
    most_bytes = models.PositiveIntegerField(default=65_536)
    cache_seconds = models.PositiveIntegerField(default=60)

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(fields=["workspace", "name"], name="live_source_name_once"),
            models.UniqueConstraint(fields=["workspace", "id"], name="live_source_in_workspace"),
            models.CheckConstraint(condition=Q(kind__in=["callable", "http"]), name="live_source_kind_known"),
            models.CheckConstraint(condition=~Q(name="") & ~Q(address=""), name="live_source_is_whole"),
            models.CheckConstraint(
                condition=Q(timeout_milliseconds__range=(1, 10_000)), name="live_source_time_limit"
            ),
            models.CheckConstraint(
                condition=Q(most_bytes__range=(1, 1_048_576)), name="live_source_size_limit"
            ),
        ]

    def __str__(self) -> str:
        return self.name


class Policy(models.Model):
    """What becomes of claims whose predicate matches a pattern; without one they are kept and projected."""

    class Action(models.TextChoices):
        STORE = "store", "store: keep it"
        GRAPH = "graph", "graph: keep it and project it into the graph"
        LIVE = "live", "live: keep a reference, fetch the value when it is needed"
        IGNORE = "ignore", "ignore: keep nothing"

    class Cardinality(models.TextChoices):
        ONE = "one", "one value holds"
        MANY = "many", "many values hold side by side"

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    workspace = models.ForeignKey("memory.Workspace", on_delete=models.CASCADE, related_name="policies")
    pattern = models.CharField(
        max_length=PREDICATE_LIMIT,
        help_text="A predicate, or a pattern such as billing.* ; the most specific one counts.",
    )
    action = models.CharField(max_length=8, choices=Action.choices, default=Action.GRAPH)
    cardinality = models.CharField(max_length=8, choices=Cardinality.choices, default=Cardinality.ONE)
    asserted_by = ArrayField(
        models.PositiveSmallIntegerField(choices=Authority.choices),
        default=every_authority,
        help_text="The authorities that may assert it.",
    )
    source = models.ForeignKey(
        LiveSource,
        null=True,
        blank=True,
        on_delete=models.RESTRICT,
        related_name="policies",
        db_constraint=False,
    )

    class Meta:
        verbose_name_plural = "policies"
        ordering = ["pattern"]
        constraints = [
            models.UniqueConstraint(fields=["workspace", "pattern"], name="policy_pattern_once"),
            models.CheckConstraint(condition=~Q(pattern=""), name="policy_pattern_not_empty"),
            models.CheckConstraint(
                condition=Q(action__in=["store", "graph", "live", "ignore"]), name="policy_action_known"
            ),
            models.CheckConstraint(
                condition=Q(cardinality__in=["one", "many"]), name="policy_cardinality_known"
            ),
            models.CheckConstraint(
                condition=Q(action="live", source__isnull=False) | ~Q(action="live") & Q(source__isnull=True),
                name="policy_live_has_source",
            ),
            models.CheckConstraint(
                condition=Q(asserted_by__contained_by=[1, 2, 3, 4]) & ~Q(asserted_by=[]),
                name="policy_authorities_known",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.pattern}: {self.action}"


class LiveValue(Owned):
    """What a live source last said of a claim, good or bad; kept for as long as the source allows."""

    created_at = None  # type: ignore[assignment]  # fetched_at is this table's word for it
    atom = models.OneToOneField(
        "memory.Atom", on_delete=models.CASCADE, related_name="live_value", db_constraint=False
    )
    value = models.JSONField(null=True)
    error = models.CharField(max_length=300, blank=True, default="")
    fetched_at = models.DateTimeField()
    known_at = models.DateTimeField(
        null=True, blank=True, help_text="When it last gave a value, whatever came of it since."
    )
    expires_at = models.DateTimeField()

    objects = OwnedQuerySet["LiveValue"].as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(value__isnull=False, error="") | Q(value__isnull=True) & ~Q(error=""),
                name="live_value_or_error",
            ),
            models.CheckConstraint(
                condition=Q(expires_at__gte=models.F("fetched_at")), name="live_value_expires_later"
            ),
        ]

    def __str__(self) -> str:
        return f"live value of {self.atom_id}"

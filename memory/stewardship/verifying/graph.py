"""Checks of the graph: it says what its atoms say. Each is a query for rows that break a rule."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache

from django.db.models import Case, Exists, F, JSONField, OuterRef, Q, Value, When
from django.db.models.functions import Coalesce

from memory.claims.policies import rules_of
from memory.models import Atom, GraphEdge, GraphNode, Unpromoted
from memory.stewardship.verifying.checks import Rows, RowsCheck

UNKNOWN = Value(datetime.min.replace(tzinfo=UTC))
"""In place of a time that nobody knows: nulls are not equal."""


def _bare_nodes() -> Rows:
    """Nodes that no edge touches."""
    touching = GraphEdge.objects.filter(Q(subject=OuterRef("pk")) | Q(object=OuterRef("pk")))
    return GraphNode.objects.exclude(Exists(touching))


def _edges_of_dead_atoms() -> Rows:
    """Edges of contested and retracted atoms, and of superseded ones that do not end."""
    superseded = Q(atom__status=Atom.Status.SUPERSEDED, valid_until__isnull=False)
    return _settled_edges().exclude(Q(atom__status=Atom.Status.LIVE) | superseded)


def _edges_that_differ() -> Rows:
    """Edges of claims that say something else than their claim, or begin at another time."""
    said_at = Coalesce("atom__occurred_at", "atom__created_at")
    # What was over before anybody spoke of it began at a time that nobody knows.
    began_at = Case(When(atom__valid_until__lte=said_at, then=UNKNOWN), default=said_at)
    subject = Q(subject__kind=F("atom__subject_kind"), subject__identifier=F("atom__subject_id"))
    value = Q(object__isnull=False) | Q(value=F("atom__value"))
    same = subject & value & Q(predicate=F("atom__predicate"), begins_at=F("began_at"))
    edges: Rows = _settled_edges().annotate(
        begins_at=Coalesce("valid_from", UNKNOWN), began_at=Coalesce("atom__valid_from", began_at)
    )
    return edges.exclude(atom__predicate="").exclude(same)


def _claims_without_edge() -> Rows:
    """Live claims that their policy wants in the graph and that are not there."""
    waiting = Unpromoted.objects.filter(atom=OuterRef("pk"))
    claims = Atom.objects.claims().live().filter(live_source="", edge__isnull=True).exclude(Exists(waiting))
    # A claim of nothing, JSON's own null, has no edge.
    missing = claims.exclude(value=Value(None, JSONField())).values_list("pk", "workspace_id", "predicate")
    rules = cache(rules_of)
    found = [pk for pk, owner, predicate in missing if rules(owner).of(predicate).is_projected]
    return Atom.objects.filter(pk__in=found)


def _settled_edges() -> Rows:
    """Edges whose atom does not wait for promotion."""
    return GraphEdge.objects.exclude(Exists(Unpromoted.objects.filter(atom=OuterRef("atom"))))


CHECKS = (
    RowsCheck("bare_node", "no edge touches it", _bare_nodes),
    RowsCheck("edge_of_dead_atom", "its atom does not hold", _edges_of_dead_atoms),
    RowsCheck("edge_differs", "says something else than its claim", _edges_that_differ),
)
WHEN_SETTLED = (
    RowsCheck(
        "claim_without_edge", "belongs in the graph and is not there", _claims_without_edge, has_shadows=False
    ),
)

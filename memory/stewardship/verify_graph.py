"""Checks of the graph: it says what its atoms say. Each is a query for rows that break a rule."""

from __future__ import annotations

from functools import cache
from typing import Any

from django.db.models import Exists, F, JSONField, OuterRef, Q, QuerySet, Value

from memory.claims.policies import rules_of
from memory.models import Atom, GraphEdge, GraphNode, Unpromoted


def bare_nodes() -> QuerySet[Any]:
    """Nodes that no edge touches."""
    touching = GraphEdge.objects.filter(Q(subject=OuterRef("pk")) | Q(object=OuterRef("pk")))
    return GraphNode.objects.exclude(Exists(touching))


def edges_of_dead_atoms() -> QuerySet[Any]:
    """Edges of contested and retracted atoms, and of superseded ones that do not end."""
    superseded = Q(atom__status=Atom.Status.SUPERSEDED, valid_until__isnull=False)
    return _settled_edges().exclude(Q(atom__status=Atom.Status.LIVE) | superseded)


def edges_that_differ() -> QuerySet[Any]:
    """Edges of claims that say something else than their claim."""
    subject = Q(subject__kind=F("atom__subject_kind"), subject__identifier=F("atom__subject_id"))
    value = Q(object__isnull=False) | Q(value=F("atom__value"))
    same = subject & value & Q(predicate=F("atom__predicate"))
    return _settled_edges().exclude(atom__predicate="").exclude(same)


def claims_without_edge() -> QuerySet[Any]:
    """Live claims that their policy wants in the graph and that are not there."""
    waiting = Unpromoted.objects.filter(atom=OuterRef("pk"))
    claims = Atom.objects.claims().live().filter(live_source="", edge__isnull=True).exclude(Exists(waiting))
    # A claim of nothing, JSON's own null, has no edge.
    missing = claims.exclude(value=Value(None, JSONField())).values_list("pk", "workspace_id", "predicate")
    rules = cache(rules_of)
    found = [pk for pk, owner, predicate in missing if rules(owner).of(predicate).is_projected]
    return Atom.objects.filter(pk__in=found)


def _settled_edges() -> QuerySet[GraphEdge]:
    """Edges whose atom does not wait for promotion."""
    return GraphEdge.objects.exclude(Exists(Unpromoted.objects.filter(atom=OuterRef("atom"))))

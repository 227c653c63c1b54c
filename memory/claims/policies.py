"""The policies of a workspace: read once, asked for any number of predicates."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import cast
from uuid import UUID

from memory.claims.matching import Action, Rule, most_specific
from memory.models import Policy, Workspace


@dataclass(frozen=True, slots=True)
class Rules:
    """All rules of a workspace, as they stood when they were read."""

    rules: tuple[Rule, ...] = ()
    _known: dict[str, Rule] = field(default_factory=dict, repr=False, compare=False)

    def of(self, predicate: str) -> Rule:
        """What counts for a predicate."""
        if predicate not in self._known:
            self._known[predicate] = most_specific(self.rules, predicate)
        return self._known[predicate]


def rules_of(workspace_id: UUID) -> Rules:
    """The rules of a workspace, by pattern; one statement."""
    rows = Policy.objects.filter(workspace_id=workspace_id).select_related("source").order_by("pattern")
    return Rules(tuple(_rule(row) for row in rows))


def policy_for(workspace: Workspace | UUID, predicate: str) -> Rule:
    """What counts for one predicate in a workspace, which may be given by its id; one statement."""
    return rules_of(workspace if isinstance(workspace, UUID) else workspace.pk).of(predicate)


def _rule(row: Policy) -> Rule:
    return Rule(
        pattern=row.pattern,
        action=cast(Action, row.action),
        is_many=row.cardinality == Policy.Cardinality.MANY,
        asserted_by=frozenset(row.asserted_by),
        source=row.source.name if row.source is not None else "",
    )

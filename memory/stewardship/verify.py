"""Checks that a memory is whole, whatever processes died while it was made. Reads only.

Most of it the database enforces itself; looking again finds what a restore, a missing constraint or a mistake
in the cascade would leave behind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Exists, F, Model, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from memory.models import (
    Atom,
    Chain,
    Digest,
    Entity,
    Evidence,
    Line,
    Message,
    ProcedureLine,
    Run,
    Scene,
    SceneVersion,
    Section,
    Session,
    SkillInput,
    Step,
    Trait,
    TraitVersion,
    Unpromoted,
    VersionLine,
    Work,
)
from memory.models.evidence import DERIVED, TARGETS
from memory.stewardship.verify_graph import (
    bare_nodes,
    claims_without_edge,
    edges_of_dead_atoms,
    edges_that_differ,
)
from memory.stewardship.verify_skills import (
    active_versions_without_steps,
    drafts_on_another_base,
    drafts_on_retired_procedures,
    procedures_without_version,
)

Rows = QuerySet[Any]


@dataclass(frozen=True, slots=True)
class Problem:
    """One row that is not as it should be."""

    kind: str
    """Name of the check, stable for programs."""
    entity: str
    row: str
    """`table id`."""
    text: str
    """What is wrong with the row, for people."""


@dataclass(frozen=True, slots=True)
class Check:
    """A rule, and the query for rows that break it, over all entities."""

    kind: str
    text: str
    find: Callable[[], Rows]


def verify(entity: Entity | None = None, *, is_settled: bool = False) -> list[Problem]:
    """Every problem of one entity, or of all; an empty list is what one hopes for.

    Work under way is no problem. `is_settled` says that the cascade should be at rest: then whatever waits,
    runs, is leased or has lost its ground is one too. Parked inputs are visible elsewhere and no problem.
    """
    problems = [problem for check in ALWAYS for problem in _problems(check.find(), check, entity)]
    if is_settled:
        for check in WHEN_SETTLED:
            # An open rebuild may wait in its shadow for as long as it likes.
            rows = check.find().filter(entity__shadow_of__isnull=True)
            problems += _problems(rows, check, entity)
    return problems


def _problems(rows: Rows, check: Check, entity: Entity | None) -> Iterator[Problem]:
    if entity is not None:
        rows = rows.filter(workspace_id=entity.workspace_id, entity_id=entity.pk)
    model: type[Model] = rows.model
    # Distinct: a join to several receipts would name the same row again.
    for name, row_id in rows.order_by("pk").distinct().values_list("entity__name", "pk"):
        yield Problem(check.kind, name, f"{model._meta.db_table} {row_id}", check.text)


def _without_receipt(rows: Rows, link: str) -> Rows:
    return rows.exclude(Exists(Evidence.objects.filter(**{link: OuterRef("pk")})))


def _atoms_without_evidence() -> Rows:
    return _without_receipt(Atom.objects.all(), "of_atom")


def _lines_without_evidence() -> Rows:
    return _without_receipt(Line.objects.filter(erased_at__isnull=True), "of_line")


def _trait_versions_without_evidence() -> Rows:
    return _without_receipt(TraitVersion.objects.filter(erased_at__isnull=True), "of_trait_version")


def _procedure_lines_without_evidence() -> Rows:
    return _without_receipt(ProcedureLine.objects.filter(erased_at__isnull=True), "of_procedure_line")


def _digests_without_evidence() -> Rows:
    return _without_receipt(Digest.objects.all(), "of_digest")


def _foreign_evidence() -> Rows:
    """Receipts whose derived row or target lies in another entity."""
    ends = (*DERIVED, *TARGETS)
    elsewhere = Q()
    for end in ends:
        elsewhere |= Q(**{f"{end}__isnull": False}) & ~Q(**{f"{end}__entity_id": F("entity_id")})
    return Evidence.objects.filter(elsewhere)


def _atoms_said_twice() -> Rows:
    """All but the first of live atoms with the same words."""
    first = Atom.objects.live().filter(
        workspace_id=OuterRef("workspace_id"),
        entity_id=OuterRef("entity_id"),
        text=OuterRef("text"),
        seq__lt=OuterRef("seq"),
    )
    return Atom.objects.live().filter(Exists(first))


def _chains_with_several_live() -> Rows:
    live = Count("atoms", filter=Q(atoms__status=Atom.Status.LIVE))
    return Chain.objects.annotate(live=live).filter(live__gt=1)


def _empty_chains() -> Rows:
    return Chain.objects.filter(atoms__isnull=True)


def _scenes_without_head() -> Rows:
    heads = SceneVersion.objects.filter(scene=OuterRef("pk"), is_head=True)
    return Scene.objects.live().exclude(Exists(heads))


def _scenes_without_lines() -> Rows:
    return SceneVersion.objects.live().filter(places__isnull=True)


def _traits_without_head() -> Rows:
    heads = TraitVersion.objects.filter(trait=OuterRef("pk"), is_head=True)
    return Trait.objects.filter(status=Trait.Status.LIVE).exclude(Exists(heads))


def _erased_lines_that_stand() -> Rows:
    """Live scenes let go of a line at once when its words are erased."""
    return Line.objects.filter(
        erased_at__isnull=False,
        places__version__is_head=True,
        places__version__scene__status=Scene.Status.LIVE,
    )


def _erased_traits_that_stand() -> Rows:
    return TraitVersion.objects.live().filter(erased_at__isnull=False)


def _overtaken_runs() -> Rows:
    """Marked as running although a later claim has taken their work: nobody will finish them."""
    later = Work.objects.filter(
        workspace_id=OuterRef("workspace_id"),
        entity_id=OuterRef("entity_id"),
        step=OuterRef("step"),
        token__gt=OuterRef("token"),
    )
    return Run.objects.filter(Exists(later), status=Run.Status.RUNNING)


def _inputs_without_work() -> Rows:
    """Messages that wait although their entity has no row of work: the sweep would never see them."""
    work = Work.objects.filter(workspace_id=OuterRef("workspace_id"), entity_id=OuterRef("entity_id"))
    return Message.objects.pending().exclude(Exists(work))


def _work_due() -> Rows:
    """Promotion follows a while after the rest, so that many atoms go in one run."""
    return Work.objects.filter(due_at__isnull=False).exclude(step=Step.PROMOTION, due_at__gt=Now())


def _lines_on_dead_atoms() -> Rows:
    """Live lines that a scene step should have rewritten; pins and the Evolution Record may keep theirs."""
    dead = Evidence.objects.filter(of_line=OuterRef("pk"), atom__isnull=False)
    standing = VersionLine.objects.filter(
        line=OuterRef("pk"), version__is_head=True, version__scene__status=Scene.Status.LIVE
    )
    lines = Line.objects.filter(is_pinned=False).exclude(section=Section.EVOLUTION_RECORD)
    return lines.filter(Exists(dead.exclude(atom__status=Atom.Status.LIVE)), Exists(standing))


def _traits_on_gone_lines() -> Rows:
    """Live traits that rest on a line which no live scene holds any more."""
    standing = VersionLine.objects.filter(
        line=OuterRef("line"), version__is_head=True, version__scene__status=Scene.Status.LIVE
    )
    gone = Evidence.objects.filter(of_trait_version=OuterRef("pk"), line__isnull=False)
    return TraitVersion.objects.live().filter(Exists(gone.exclude(Exists(standing))))


ALWAYS = (
    Check("atom_without_evidence", "rests on nothing", _atoms_without_evidence),
    Check("line_without_evidence", "rests on nothing", _lines_without_evidence),
    Check("trait_version_without_evidence", "rests on nothing", _trait_versions_without_evidence),
    Check("digest_without_evidence", "rests on nothing", _digests_without_evidence),
    Check("procedure_line_without_evidence", "rests on nothing", _procedure_lines_without_evidence),
    Check("foreign_evidence", "a receipt that crosses an entity", _foreign_evidence),
    Check("atom_said_twice", "another live atom says the same words", _atoms_said_twice),
    Check("chain_with_several_live", "more than one atom of the chain is live", _chains_with_several_live),
    Check("empty_chain", "no atom is in the chain", _empty_chains),
    Check("scene_without_head", "a live scene without a current version", _scenes_without_head),
    Check("scene_without_lines", "the current version of a live scene is empty", _scenes_without_lines),
    Check("trait_without_head", "a live trait without a current version", _traits_without_head),
    Check("erased_line_stands", "its words were erased, but a live scene holds it", _erased_lines_that_stand),
    Check("erased_trait_stands", "its words were erased, but it is live", _erased_traits_that_stand),
    Check("overtaken_run", "marked as running, but its work was claimed again", _overtaken_runs),
    Check("input_without_work", "waits, but its entity has no row of work", _inputs_without_work),
    Check("active_version_without_steps", "is handed out and says no step", active_versions_without_steps),
    Check("procedure_without_version", "nobody has worded it", procedures_without_version),
    Check("draft_on_another_base", "what it was made on is not active", drafts_on_another_base),
    Check("draft_of_retired_procedure", "its procedure has ended", drafts_on_retired_procedures),
    Check("bare_node", "no edge touches it", bare_nodes),
    Check("edge_of_dead_atom", "its atom does not hold", edges_of_dead_atoms),
    Check("edge_differs", "says something else than its claim", edges_that_differ),
)

WHEN_SETTLED = (
    Check("message_waits", "not read yet", Message.objects.pending),
    Check("atom_waits", "not placed yet", Atom.objects.pending),
    Check("scene_version_waits", "not looked at yet", SceneVersion.objects.pending),
    Check("session_waits", "not folded, or without its brief yet", Session.objects.pending),
    Check("skill_input_waits", "no draft was made of it yet", SkillInput.objects.pending),
    Check("promotion_waits", "not promoted yet", Unpromoted.objects.pending),
    Check("claim_without_edge", "belongs in the graph and is not there", claims_without_edge),
    Check("run_under_way", "marked as running", lambda: Run.objects.filter(status=Run.Status.RUNNING)),
    Check("work_leased", "somebody works on it", lambda: Work.objects.filter(lease_until__isnull=False)),
    Check("work_due", "is to be worked on", _work_due),
    Check("line_on_dead_atom", "rests on an atom that no longer holds", _lines_on_dead_atoms),
    Check("trait_on_gone_line", "rests on a line that no live scene holds", _traits_on_gone_lines),
)

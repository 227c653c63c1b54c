"""Every message, atom, scene and trait stands once, and what is numbered is numbered without a gap."""

from __future__ import annotations

from typing import Any

from django.db.models import Count, Exists, F, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce

from memory.models import (
    Atom,
    Chain,
    Digest,
    Message,
    ProcedureVersion,
    Scene,
    SceneVersion,
    Session,
    Trait,
    TraitVersion,
    VersionLine,
)
from memory.stewardship.verifying.checks import Rows, RowsCheck


def _messages_with_one_key() -> Rows:
    """All but the first of messages with the same dedupe key."""
    first = Message.objects.filter(
        workspace_id=OuterRef("workspace_id"),
        entity_id=OuterRef("entity_id"),
        dedupe_key=OuterRef("dedupe_key"),
        seq__lt=OuterRef("seq"),
    )
    return Message.objects.filter(Exists(first), dedupe_key__isnull=False)


def _messages_in_one_place() -> Rows:
    """All but the first of messages with the same place in a session."""
    first = Message.objects.filter(
        session_id=OuterRef("session_id"), ordinal=OuterRef("ordinal"), seq__lt=OuterRef("seq")
    )
    return Message.objects.filter(Exists(first))


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


def _old_heads(model: Any, *parent: str) -> Rows:
    """Current versions of something that has a later one."""
    same = {name: OuterRef(name) for name in parent}
    later = model.objects.filter(**same, number__gt=OuterRef("number"))
    rows: Rows = model.objects.filter(Exists(later), is_head=True)
    return rows


def _scene_heads() -> Rows:
    return _old_heads(SceneVersion, "scene_id")


def _trait_heads() -> Rows:
    return _old_heads(TraitVersion, "trait_id")


def _digest_heads() -> Rows:
    return _old_heads(Digest, "session_id", "kind")


def _without_predecessor(model: Any, parent: str) -> Rows:
    """Versions above the first whose number before is missing."""
    before = model.objects.filter(**{parent: OuterRef(parent)}, number=OuterRef("number") - 1)
    rows: Rows = model.objects.filter(number__gt=1).exclude(Exists(before))
    return rows


def _scene_numbers() -> Rows:
    return _without_predecessor(SceneVersion, "scene_id")


def _trait_numbers() -> Rows:
    return _without_predecessor(TraitVersion, "trait_id")


def _procedure_numbers() -> Rows:
    return _without_predecessor(ProcedureVersion, "procedure_id")


def _places_after_a_gap() -> Rows:
    before = VersionLine.objects.filter(version_id=OuterRef("version_id"), position=OuterRef("position") - 1)
    return VersionLine.objects.filter(position__gt=0).exclude(Exists(before))


def _sessions_that_count_too_little() -> Rows:
    """The next message would take a place that is taken."""
    beyond = Message.objects.filter(session=OuterRef("pk"), ordinal__gte=OuterRef("next_ordinal"))
    return Session.objects.filter(Exists(beyond))


def _sessions_folded_otherwise() -> Rows:
    """Turns that are left out of a context although no summary covers them, or the other way round."""
    summary = Digest.objects.heads().filter(session=OuterRef("pk"), kind=Digest.Kind.SUMMARY)
    covered = Coalesce(Subquery(summary.values("until_ordinal")[:1]), 0)
    return Session.objects.annotate(covered=covered).exclude(folded_until=F("covered"))


CHECKS = (
    RowsCheck("message_stored_twice", "an earlier message has its dedupe key", _messages_with_one_key),
    RowsCheck("message_place_twice", "an earlier message has its place", _messages_in_one_place),
    RowsCheck("atom_said_twice", "another live atom says the same words", _atoms_said_twice),
    RowsCheck("chain_with_several_live", "more than one atom of it is live", _chains_with_several_live),
    RowsCheck("empty_chain", "no atom is in the chain", _empty_chains),
    RowsCheck("scene_without_head", "a live scene without a current version", _scenes_without_head),
    RowsCheck("scene_without_lines", "the current version of a live scene is empty", _scenes_without_lines),
    RowsCheck("trait_without_head", "a live trait without a current version", _traits_without_head),
    RowsCheck("old_scene_head", "current, but there is a later version", _scene_heads),
    RowsCheck("old_trait_head", "current, but there is a later version", _trait_heads),
    RowsCheck("old_digest_head", "current, but there is a later version", _digest_heads),
    # A shadow has copies of the current versions alone, and of sessions without their digests.
    RowsCheck("scene_version_missing", "the version before is gone", _scene_numbers, has_shadows=False),
    RowsCheck("trait_version_missing", "the version before is gone", _trait_numbers, has_shadows=False),
    RowsCheck(
        "procedure_version_missing", "the version before is gone", _procedure_numbers, has_shadows=False
    ),
    RowsCheck("line_place_missing", "no line stands in the place before", _places_after_a_gap),
    RowsCheck("session_counts_too_little", "its next place is taken", _sessions_that_count_too_little),
    RowsCheck(
        "session_folded_otherwise",
        "not folded as far as its summary",
        _sessions_folded_otherwise,
        has_shadows=False,
    ),
)

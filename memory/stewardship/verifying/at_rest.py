"""What must be so once the cascade is at rest: nothing live rests on what no longer holds."""

from __future__ import annotations

from django.db.models import Exists, OuterRef

from memory.models import Atom, Evidence, Line, Scene, Section, TraitVersion, VersionLine
from memory.stewardship.verifying.checks import Rows, RowsCheck


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


WHEN_SETTLED = (
    RowsCheck(
        "line_on_dead_atom", "rests on an atom that no longer holds", _lines_on_dead_atoms, has_shadows=False
    ),
    RowsCheck(
        "trait_on_gone_line",
        "rests on a line that no live scene holds",
        _traits_on_gone_lines,
        has_shadows=False,
    ),
)

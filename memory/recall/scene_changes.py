"""Versions of scenes beside the ones before them, line by line."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from uuid import UUID

from django.db.models import Q

from memory.cascade.rules import difference as differing
from memory.models import SceneVersion, Section, VersionLine
from memory.recall.records import LineDifference, SceneChange

Lines = list[differing.VersionLine]


def scene_changes(versions: Sequence[SceneVersion]) -> tuple[SceneChange, ...]:
    """What each version changed against the one before; a first version adds all of its lines.

    The versions come with their scenes. One statement, however many there are.
    """
    if not versions:
        return ()
    lines = _lines_by_version(versions)
    return tuple(
        SceneChange(
            scene_id=version.scene_id,
            title=version.title,
            number=version.number,
            status=version.scene.status,
            lines=line_differences(
                lines[version.scene_id, version.number - 1], lines[version.scene_id, version.number]
            ),
        )
        for version in versions
    )


def _lines_by_version(versions: Sequence[SceneVersion]) -> dict[tuple[UUID, int], Lines]:
    """Lines of the versions and of those before them, by scene and number."""
    wanted = Q()
    for version in versions:
        wanted |= Q(version__scene=version.scene_id, version__number__in=(version.number, version.number - 1))
    places = VersionLine.objects.filter(wanted).select_related("line", "version").order_by("position")
    found: dict[tuple[UUID, int], Lines] = defaultdict(list)
    for place in places:
        line = differing.VersionLine(place.line_id, place.line.section, place.line.text)
        found[place.version.scene_id, place.version.number].append(line)
    return found


def line_differences(before: Lines, after: Lines) -> tuple[LineDifference, ...]:
    """The lines that came, went or were reworded, by section."""
    changes = differing.difference(before, after).changes
    changed = [change for change in changes if change.change is not differing.Change.UNCHANGED]
    return tuple(_line_difference(change) for change in sorted(changed, key=_section_position))


def _section_position(change: differing.LineChange) -> int:
    shown = change.after or change.before
    return Section.values.index(shown.section) if shown else 0


def _line_difference(change: differing.LineChange) -> LineDifference:
    shown = change.after or change.before
    return LineDifference(
        change=change.change.value,  # type: ignore[arg-type]  # unchanged lines are left out before
        section=Section(shown.section).label if shown else "",
        before=change.before.text if change.before else "",
        after=change.after.text if change.after else "",
    )

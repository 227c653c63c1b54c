"""Scenes edited, pinned, merged, retired and restored by a person."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.cascade.rules.difference import Change
from memory.cascade.rules.sections import parse_scene
from memory.cascade.scene_grounds import opening_words
from memory.models import Atom, Correction, Entity, Evidence, Line, Scene, SceneVersion, Work
from memory.models.base import new_id
from memory.models.runs import Step
from memory.stewardship.actors import Actor, RefusedChangeError, StaleChangeError
from memory.stewardship.correcting_atoms import retract_atom
from memory.stewardship.correcting_scenes import (
    edit_scene,
    merge_scenes,
    pin_lines,
    preview_scene,
    restore_scene,
    retire_scene,
)
from memory.stewardship.scene_edits import markdown_of
from memory.stewardship.scene_heads import read_version
from tests.cascade.scenes import a_scene
from tests.cascade.story import an_entity, settle
from tests.factories import NewLine, make_atom, make_message, make_scene, make_trait
from tests.stewardship.people import by, grounds, head, kinds, markdown, problems_at_rest, texts

pytestmark = pytest.mark.django_db

GO = "The gateway is written in Go."
WHEN = "It applies to deploys of the gateway."
STEPS = "Ask Dana before each deploy."


@pytest.fixture
def entity(db: None) -> Entity:
    return an_entity()


@pytest.fixture
def release(entity: Entity) -> SceneVersion:
    return a_scene(entity, GO, WHEN, STEPS)


def row(version: SceneVersion, text: str) -> Line:
    return version.lines.get(text=text)


def another_scene(entity: Entity, title: str, *lines: str) -> SceneVersion:
    message = make_message(entity, f"About {title}.")
    made = [NewLine("work_context", text, [make_atom(entity, text, [message])]) for text in lines]
    return make_scene(entity, title, made)


def test_unchanged_lines_stay_the_rows_they_are(entity: Entity, release: SceneVersion) -> None:
    version = edit_scene(
        scene=release.scene,
        markdown=markdown(release, **{STEPS: "Ask Robin before each deploy.", WHEN: None})
        + "- Watch the logs.\n",
        base=1,
        **by(reason="Dana left"),
    )
    assert texts(version) == [GO, "Ask Robin before each deploy.", "Watch the logs."]
    assert (version.number, version.is_head, head(entity)) == (2, True, version)
    assert row(version, GO) == row(release, GO)
    assert grounds(row(version, GO)) == {GO}
    assert grounds(row(version, "Ask Robin before each deploy.")) == {STEPS, "scene_edited"}
    assert grounds(row(version, "Watch the logs.")) == {"scene_edited"}
    correction = version.correction
    assert correction is not None
    assert (str(correction.user), correction.reason) == ("dana", "Dana left")
    old = {line.text: line for line in release.lines.all()}
    atoms = dict(Atom.objects.values_list("text", "pk"))
    assert correction.before["removed"] == [
        {"line": str(old[text].pk), "section": old[text].section, "text": text, "atoms": [str(atoms[text])]}
        for text in (WHEN, STEPS)
    ]
    assert correction.after["added"] == [
        {
            "section": "core_sop",
            "text": "Ask Robin before each deploy.",
            "replaces": str(old[STEPS].pk),
        },
        {"section": "core_sop", "text": "Watch the logs."},
    ]
    assert Work.objects.get(entity=entity, step=Step.PERSONA).due_at is not None
    settle(entity)
    assert problems_at_rest(entity) == []


def test_the_older_version_keeps_its_words(entity: Entity, release: SceneVersion) -> None:
    edit_scene(scene=release.scene, markdown=markdown(release, **{GO: None}), base=1, **by())
    release.refresh_from_db()
    assert (release.is_head, texts(release)) == (False, [GO, WHEN, STEPS])


def test_lines_may_stand_in_another_order_and_section(entity: Entity, release: SceneVersion) -> None:
    text = f"# Release\n\n## Core SOP\n\n- {STEPS}\n- {GO}\n\n## Applies When\n\n- {WHEN}\n"
    version = edit_scene(scene=release.scene, markdown=text, base=1, **by())
    assert [(line.section, line.text) for line in version.lines.order_by("places__position")] == [
        ("applies_when", WHEN),
        ("core_sop", STEPS),
        ("core_sop", GO),
    ]
    assert row(version, GO) != row(release, GO)
    assert row(version, STEPS) == row(release, STEPS)


def test_a_title_and_a_summary_are_given(entity: Entity, release: SceneVersion) -> None:
    summary = "How the gateway is released, who is asked before, and what it is written in."
    text = markdown(release).replace("# Release", "# Gateway")
    version = edit_scene(scene=release.scene, markdown=text, summary=summary, base=1, **by())
    assert (version.title, version.summary) == ("Gateway", summary)
    assert version.correction is not None
    assert version.correction.after["is_titled"] is True


def test_a_summary_tells_nothing_that_was_removed(entity: Entity, release: SceneVersion) -> None:
    SceneVersion.objects.filter(pk=release.pk).update(
        summary=f"The release of the gateway. {GO} More words here."
    )
    version = edit_scene(scene=release.scene, markdown=markdown(release, **{GO: None}), base=1, **by())
    assert "Go" not in version.summary


def test_what_is_shown_before_is_what_is_saved(entity: Entity, release: SceneVersion) -> None:
    text = f"**Core SOP**\n* {STEPS}\n* {STEPS}\n1. Watch the logs.\n\n# background\n{GO}\n"
    preview = preview_scene(scene=release.scene, markdown=text, base=1)
    assert (preview.title, preview.problems) == ("Release", ())
    assert [(line.section, line.text, line.line) for line in preview.lines] == [
        ("work_context", GO, row(release, GO).pk),
        ("core_sop", STEPS, row(release, STEPS).pk),
        ("core_sop", "Watch the logs.", None),
    ]
    assert [
        change.change for change in preview.difference.changes if change.change is not Change.UNCHANGED
    ] == [
        Change.REMOVED,
        Change.ADDED,
    ]
    assert preview.repairs[-2:] == ("A line that stood there twice was taken once.", "The title was kept.")
    assert (SceneVersion.objects.count(), Correction.objects.count()) == (1, 0)
    version = edit_scene(scene=release.scene, markdown=text, base=1, **by())
    assert texts(version) == [line.text for line in preview.lines]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("# Release\n", "A scene has at least one line: retire it instead."),
        (f"# {'x' * 81}\n\n- a\n", "The title has 81 characters, the limit is 80."),
        (f"# R\n\n- {'x' * 1001}\n", f"«{'x' * 60}» has 1001 characters, the limit is 1000."),
        ("# R\n\n- \u200b\n", "«\u200b» holds nothing that can be seen."),
        ("# R\n\n" + f"- {'x' * 990}\n".join(map(str, range(8))), "The scene would have 6"),
    ],
)
def test_what_cannot_be_saved_is_told_and_refused(
    entity: Entity, release: SceneVersion, text: str, problem: str
) -> None:
    preview = preview_scene(scene=release.scene, markdown=text, base=1)
    assert any(told.startswith(problem) for told in preview.problems), preview.problems
    with pytest.raises(RefusedChangeError, match=r"."):
        edit_scene(scene=release.scene, markdown=text, base=1, **by())
    assert (SceneVersion.objects.count(), Correction.objects.count()) == (1, 0)


@pytest.mark.parametrize(
    ("summary", "problem"),
    [
        ("Too short.", "The summary has 2 words, 8 to 40 are taken."),
        ("word " * 41, "The summary has 41 words, 8 to 40 are taken."),
        ("发布流程" * 110, "The summary has 440 characters, the limit is 400."),
    ],
)
def test_a_summary_out_of_range_is_told(
    entity: Entity, release: SceneVersion, summary: str, problem: str
) -> None:
    preview = preview_scene(
        scene=release.scene, markdown=markdown(release, **{GO: None}), base=1, summary=summary
    )
    assert preview.problems == (problem,)


def test_nothing_is_saved_where_nothing_changes(entity: Entity, release: SceneVersion) -> None:
    with pytest.raises(RefusedChangeError, match="Nothing would change"):
        edit_scene(scene=release.scene, markdown=markdown(release), base=1, **by())


def test_whoever_edits_an_older_version_is_told_so(entity: Entity, release: SceneVersion) -> None:
    edit_scene(scene=release.scene, markdown=markdown(release, **{GO: None}), base=1, **by("robin"))
    for change in (preview_scene, lambda **told: edit_scene(**told, **by())):
        with pytest.raises(StaleChangeError, match="Version 1 of the scene is not the current one, 2 is"):
            change(scene=release.scene, markdown=markdown(release), base=1)


def test_a_line_in_other_white_space_is_the_same_line(entity: Entity) -> None:
    version = another_scene(entity, "Release", "Two  spaces\tand a tab.", "Other.")
    Line.objects.filter(text="Two  spaces\tand a tab.").update(is_pinned=True)
    edited = edit_scene(
        scene=version.scene, markdown=markdown_of(read_version(version)) + "- New.\n", base=1, **by()
    )
    assert texts(edited) == ["Two  spaces\tand a tab.", "Other.", "New."]


def test_a_pinned_line_is_kept_and_tells_who_pinned_it(entity: Entity, release: SceneVersion) -> None:
    line = row(release, STEPS)
    version = pin_lines(scene=release.scene, lines=[line.pk], is_pinned=True, base=1, **by())
    line.refresh_from_db()
    assert (line.is_pinned, texts(version), version.number) == (True, texts(release), 2)
    assert grounds(line) == {STEPS, "lines_pinned"}
    assert version.correction is not None
    assert version.correction.after["lines"] == [{"line": str(line.pk), "section": "core_sop", "text": STEPS}]
    for text in (markdown(version, **{STEPS: None}), markdown(version, **{STEPS: "Ask before each deploy."})):
        with pytest.raises(RefusedChangeError, match="is pinned: unpin it before it is changed"):
            edit_scene(scene=release.scene, markdown=text, base=2, **by())
    unpinned = pin_lines(scene=release.scene, lines=[line.pk], is_pinned=False, base=2, **by())
    line.refresh_from_db()
    assert (line.is_pinned, unpinned.number, grounds(line)) == (False, 3, {STEPS})
    assert kinds(entity) == ["lines_pinned", "lines_unpinned"]


def test_a_pin_leaves_the_traits_on_the_line_alone(entity: Entity, release: SceneVersion) -> None:
    trait = make_trait(entity, "decision_pattern", "Asks first.", [row(release, STEPS)])
    pin_lines(scene=release.scene, lines=[row(release, STEPS).pk], is_pinned=True, base=1, **by())
    settle(entity)
    trait.trait.refresh_from_db()
    assert (trait.trait.status, problems_at_rest(entity)) == ("live", [])


def test_only_lines_of_the_version_are_pinned(entity: Entity, release: SceneVersion) -> None:
    other = another_scene(entity, "Other", "Other.")
    with pytest.raises(RefusedChangeError, match="Not all of these"):
        pin_lines(scene=release.scene, lines=[other.lines.get().pk], is_pinned=True, base=1, **by())
    with pytest.raises(RefusedChangeError, match="Nothing would change"):
        pin_lines(scene=release.scene, lines=[row(release, GO).pk], is_pinned=False, base=1, **by())


def test_merged_scenes_keep_their_lines_with_their_evidence(entity: Entity, release: SceneVersion) -> None:
    twin = make_atom(entity, "Go is what it is written in.", [make_message(entity, "Go.")])
    port = make_atom(entity, "It runs on port 8443.", [make_message(entity, "8443.")])
    lines = [NewLine("work_context", GO, [twin]), NewLine("work_context", port.text, [port])]
    other = make_scene(entity, "Gateway", lines)
    version = merge_scenes(into=release.scene, other=other.scene, **by())
    assert texts(version) == [GO, "It runs on port 8443.", WHEN, STEPS]
    assert row(version, "It runs on port 8443.") == row(other, "It runs on port 8443.")
    assert Evidence.objects.filter(of_line=row(release, GO)).count() == 2
    other.scene.refresh_from_db()
    assert (other.scene.status, other.scene.slot, other.scene.merged_into) == ("merged", None, release.scene)
    assert kinds(entity) == ["scenes_merged"]
    settle(entity)
    assert problems_at_rest(entity) == []


def test_a_scene_is_not_merged_with_itself_or_one_of_another_memory(
    entity: Entity, release: SceneVersion
) -> None:
    elsewhere = another_scene(an_entity("agent.bob"), "Gateway", "Other.")
    for other in (release.scene, elsewhere.scene):
        with pytest.raises(RefusedChangeError, match="Two different scenes"):
            merge_scenes(into=release.scene, other=other, **by())


def test_a_retired_scene_stays_readable_and_can_be_restored(entity: Entity, release: SceneVersion) -> None:
    trait = make_trait(entity, "decision_pattern", "Asks first.", [row(release, STEPS)])
    correction = retire_scene(scene=release.scene, **by())
    scene = Scene.objects.get(pk=release.scene_id)
    assert (scene.status, scene.slot, texts(release)) == ("retired", None, [GO, WHEN, STEPS])
    assert [line["text"] for line in correction.before["removed"]] == [GO, WHEN, STEPS]
    settle(entity)
    trait.trait.refresh_from_db()
    assert (trait.trait.status, problems_at_rest(entity)) == ("retracted", [])
    version = restore_scene(scene=scene, number=None, **by())
    scene.refresh_from_db()
    assert (scene.status, scene.slot, version.number, texts(version)) == ("live", 1, 2, [GO, WHEN, STEPS])
    assert row(version, GO) == row(release, GO)
    settle(entity)
    assert problems_at_rest(entity) == []


def test_an_earlier_version_becomes_a_new_one(entity: Entity, release: SceneVersion) -> None:
    edit_scene(scene=release.scene, markdown=markdown(release, **{GO: None}), base=1, **by())
    version = restore_scene(scene=release.scene, number=1, **by())
    assert (version.number, texts(version)) == (3, [GO, WHEN, STEPS])
    assert list(version.lines.values_list("pk", flat=True).order_by("pk")) == list(
        release.lines.values_list("pk", flat=True).order_by("pk")
    )
    for number, refusal in ((None, "name the version"), (3, "the current one"), (9, "no version 9")):
        with pytest.raises(RefusedChangeError, match=refusal):
            restore_scene(scene=release.scene, number=number, **by())


def test_a_restored_version_whose_title_was_erased_gets_one_from_its_first_line(
    entity: Entity, release: SceneVersion
) -> None:
    retire_scene(scene=release.scene, **by())
    SceneVersion.objects.filter(pk=release.pk).update(title="", summary="", erased_at=timezone.now())
    release.scene.refresh_from_db()
    version = restore_scene(scene=release.scene, number=None, **by())
    assert (version.title, texts(version)) == (opening_words(texts(version)[0]), [GO, WHEN, STEPS])


def test_a_restored_line_whose_ground_is_gone_is_the_persons_own(
    entity: Entity, release: SceneVersion
) -> None:
    retire_scene(scene=release.scene, **by())
    retract_atom(atom=Atom.objects.get(text=STEPS), **by())
    version = restore_scene(scene=Scene.objects.get(), number=None, **by())
    assert grounds(row(version, STEPS)) == {"scene_restored"}
    settle(entity)
    assert (texts(head(entity)), problems_at_rest(entity)) == ([GO, WHEN, STEPS], [])


def test_a_merge_is_taken_back(entity: Entity, release: SceneVersion) -> None:
    other = another_scene(entity, "Gateway", "It runs on port 8443.")
    merge_scenes(into=release.scene, other=other.scene, **by())
    version = restore_scene(scene=Scene.objects.get(pk=other.scene_id), number=None, **by())
    assert (texts(version), texts(head(entity))) == (["It runs on port 8443."], [GO, WHEN, STEPS])
    other.scene.refresh_from_db()
    assert (other.scene.status, other.scene.merged_into) == ("live", None)


def test_a_sixteenth_scene_is_not_restored(entity: Entity, release: SceneVersion) -> None:
    retire_scene(scene=release.scene, **by())
    Scene.objects.bulk_create(
        Scene(workspace_id=entity.workspace_id, entity=entity, slug=str(slot), slot=slot)
        for slot in range(1, 16)
    )
    with pytest.raises(RefusedChangeError, match="15 scenes live already: retire or merge one first"):
        restore_scene(scene=Scene.objects.get(pk=release.scene_id), number=None, **by())
    assert kinds(entity) == ["scene_retired"]


def test_a_scene_that_ended_meanwhile_is_not_changed(entity: Entity, release: SceneVersion) -> None:
    retire_scene(scene=release.scene, **by())
    with pytest.raises(StaleChangeError, match="The scene is retired by now"):
        retire_scene(scene=release.scene, **by())
    with pytest.raises(RefusedChangeError, match="restore it first"):
        retire_scene(scene=Scene.objects.get(pk=release.scene_id), **by())


@pytest.mark.parametrize("count", [1, 30])
def test_an_edit_costs_the_same_statements(
    entity: Entity, count: int, django_assert_num_queries: Any
) -> None:
    version = another_scene(entity, "Release", *(f"Line {number}." for number in range(count)))
    text = "# Release\n\n" + "".join(f"- Other {number}.\n" for number in range(count))
    scene = Scene.objects.select_related("entity").get(pk=version.scene_id)
    given_by = by()
    with django_assert_num_queries(26):
        edit_scene(scene=scene, markdown=text, base=1, **given_by)


@pytest.mark.django_db(transaction=True)
def test_of_two_who_edit_a_scene_at_once_one_is_told_to_look_again() -> None:
    entity = an_entity()
    release = a_scene(entity, GO, WHEN)
    begin = Barrier(2)

    def edit(text: str) -> str:
        scene = Scene.objects.select_related("entity").get(pk=release.scene_id)
        begin.wait()
        try:
            edit_scene(
                scene=scene, markdown=f"# Release\n\n- {text}\n", base=1, actor=Actor(name=text), reason=""
            )
        except StaleChangeError:
            return "stale"
        finally:
            connection.close()
        return text

    with ThreadPoolExecutor(2) as pool:
        told = sorted(pool.map(edit, ("One.", "Two.")))
    assert told in (["One.", "stale"], ["Two.", "stale"])
    assert (texts(head(entity)), Correction.objects.count()) == ([told[0]], 1)


MARKS = st.sampled_from(["", "- ", "* ", "1. ", "## ", "# ", "> ", "**", "```\n", "\n\n", "\\", "Core SOP: "])
PROSE = st.lists(st.tuples(MARKS, st.text(max_size=30)), max_size=12).map(
    lambda parts: "\n".join(f"{mark}{text}" for mark, text in parts)
)


@given(text=PROSE)
@settings(max_examples=60, deadline=None)
def test_whatever_a_person_types_is_shown_or_refused_and_saved_as_shown(text: str) -> None:
    entity = an_entity(f"agent.{new_id()}")
    version = another_scene(entity, "Release", GO, WHEN)
    preview = preview_scene(scene=version.scene, markdown=text, base=1)
    if preview.problems:
        with pytest.raises(RefusedChangeError):
            edit_scene(scene=version.scene, markdown=text, base=1, actor=Actor(), reason="")
        return
    saved = edit_scene(scene=version.scene, markdown=text, base=1, actor=Actor(), reason="")
    assert texts(saved) == [line.text for line in preview.lines]
    again = parse_scene(markdown_of(read_version(saved)))
    assert ([line.text for line in again.lines], again.repairs) == (texts(saved), ())

"""Scenes and traits read with their history: authors, evidence, versions and differences."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory.ingest.workspaces import create_key
from memory.models import Entity, Line, Scene, SceneVersion, Step, Trait, TraitVersion
from memory.stewardship.actors import Actor
from memory.stewardship.correcting_scenes import edit_scene, pin_lines
from memory.stewardship.correcting_traits import retract_trait, set_trait
from tests.api.conftest import Caller
from tests.factories import (
    NewLine,
    cite,
    make_atom,
    make_message,
    make_next_version,
    make_rule,
    make_run,
    make_scene,
    make_trait,
)

NO_RECORD = {"error": "not_found", "detail": "The entity has no record with such an id."}


def time(row: Any) -> str:
    row.refresh_from_db()
    return str(row.created_at.isoformat().replace("+00:00", "Z"))


class Story:
    """A scene in two versions: a deadline that moved, and a rule that stayed."""

    def __init__(self, entity: Entity) -> None:
        self.entity = entity
        said = [make_message(entity, text) for text in ("Until July 15.", "Never deploy.", "October 15.")]
        self.run = make_run(entity, Step.SCENE_SYNTHESIS, model="offline")
        self.old = make_atom(entity, "Billing stays on Express until July 15.", said[:1])
        self.rule = make_rule(entity, "Never deploy.", said[1:2])
        self.first = make_scene(
            entity,
            "Billing",
            [
                NewLine("work_context", self.old.text, [self.old]),
                NewLine("prohibitions", "Never deploy.", [self.rule]),
            ],
            run=self.run,
        )
        Line.objects.update(run_id=self.run.pk)
        self.july, self.never = self.first.lines.order_by("places__position")
        self.new = make_atom(
            entity, "Billing stays on Express until October 15.", said[2:], replaces=self.old
        )
        self.second = make_next_version(
            self.first,
            added=[NewLine("work_context", self.new.text, [self.new])],
            removed=[self.july],
            run=self.run,
        )
        self.october = self.second.lines.get(text=self.new.text)
        Line.objects.filter(pk=self.october.pk).update(run_id=self.run.pk)
        self.scene = Scene.objects.get()

    @property
    def author(self) -> dict[str, Any]:
        return {"kind": "run", "id": str(self.run.pk), "name": "offline", "reason": ""}


@pytest.fixture
def story(alice: Entity) -> Story:
    return Story(alice)


def test_scenes_are_listed_those_that_live_first(caller: Caller, story: Story) -> None:
    ended = make_scene(story.entity, "Ended", [NewLine("work_context", "x", [story.rule])]).scene
    Scene.objects.filter(pk=ended.pk).update(status="retired", slot=None)
    listed = {
        "id": str(story.scene.pk),
        "slug": story.scene.slug,
        "status": "live",
        "slot": 1,
        "heat": 0,
        "title": "Billing",
        "summary": "",
        "number": 2,
        "version": str(story.second.pk),
        "merged_into": None,
        "created_at": time(story.scene),
        "updated_at": time(story.second),
    }
    body = caller.get("/api/v1/scenes", entity="agent.alice", status="live").json()
    assert body == {"entity": "agent.alice", "scenes": [listed], "next_after": None}
    both = caller.get("/api/v1/scenes", entity="agent.alice").json()["scenes"]
    assert [(scene["title"], scene["status"]) for scene in both] == [
        ("Billing", "live"),
        ("Ended", "retired"),
    ]


def test_scenes_are_paged_in_slot_order(caller: Caller, story: Story) -> None:
    for number in range(4):
        scene = make_scene(story.entity, f"S{number}", [NewLine("work_context", "x", [story.rule])]).scene
        if number > 1:
            Scene.objects.filter(pk=scene.pk).update(status="retired", slot=None)
    titles: list[str] = []
    after: dict[str, str] = {}
    while True:
        page = caller.get("/api/v1/scenes", entity="agent.alice", limit=2, **after).json()
        titles += [scene["title"] for scene in page["scenes"]]
        if page["next_after"] is None:
            break
        after = {"after": page["next_after"]}
    assert titles == ["Billing", "S0", "S1", "S2", "S3"]


def test_a_version_is_read_with_author_and_evidence_of_each_line(caller: Caller, story: Story) -> None:
    def line(row: Line, atom: Any, *, is_due: bool = False) -> dict[str, Any]:
        atom.refresh_from_db()
        return {
            "id": str(row.pk),
            "section": row.section,
            "heading": row.get_section_display(),
            "text": row.text,
            "is_pinned": False,
            "is_due": is_due,
            "atoms": [str(atom.pk)],
            "author": story.author,
            "evidence": [
                {
                    "kind": "atom",
                    "id": str(atom.pk),
                    "short_id": atom.pk.hex[-8:],
                    "text": atom.text,
                    "status": atom.status,
                }
            ],
        }

    def version(row: SceneVersion, lines: list[dict[str, Any]], markdown: str) -> dict[str, Any]:
        return {
            "id": str(row.pk),
            "number": row.number,
            "is_head": row.is_head,
            "title": "Billing",
            "summary": "",
            "created_at": time(row),
            "author": story.author,
            "lines": lines,
            "markdown": markdown,
        }

    rule = line(story.never, story.rule)
    story.first.refresh_from_db()
    head, first = (
        caller.get(f"/api/v1/scenes/{story.scene.pk}/versions/{number}").json() for number in (2, 1)
    )
    named = {"entity": "agent.alice", "scene": str(story.scene.pk)}
    assert head == {
        **named,
        "version": version(story.second, [rule, line(story.october, story.new)], head["version"]["markdown"]),
    }
    assert first == {
        **named,
        "version": version(
            story.first,
            [line(story.july, story.old, is_due=True), rule],
            first["version"]["markdown"],
        ),
    }
    assert head["version"]["markdown"].startswith("# Billing\n")
    current = caller.get(f"/api/v1/scenes/{story.scene.pk}").json()
    assert (current["version"], current["correction"]) == (head["version"], None)
    assert caller.get(f"/api/v1/scenes/{story.scene.pk}", number=1).json()["version"] == first["version"]


def test_a_persons_line_names_the_person(caller: Caller, story: Story) -> None:
    head = caller.get(f"/api/v1/scenes/{story.scene.pk}").json()["version"]
    edit_scene(
        scene=story.scene,
        actor=Actor(name="Olga"),
        markdown=head["markdown"].replace("Never deploy.", "Never deploy on Fridays."),
        base=2,
        reason="She said so.",
    )
    pin = Line.objects.get(text="Never deploy on Fridays.")
    scene = Scene.objects.get()
    pin_lines(scene=scene, lines=(pin.pk,), is_pinned=True, base=3, actor=Actor(name="Olga"), reason="")
    read = caller.get(f"/api/v1/scenes/{story.scene.pk}").json()["version"]
    line = next(line for line in read["lines"] if line["text"] == "Never deploy on Fridays.")
    assert (read["number"], line["is_pinned"], line["author"]["kind"], line["author"]["name"]) == (
        4,
        True,
        "person",
        "Olga",
    )
    assert {one["kind"] for one in line["evidence"]} >= {"correction"}


def test_versions_are_listed_with_what_they_changed(caller: Caller, story: Story) -> None:
    def listed(row: SceneVersion, **counts: int) -> dict[str, Any]:
        row.refresh_from_db()
        return {
            "id": str(row.pk),
            "number": row.number,
            "is_head": row.is_head,
            "title": "Billing",
            "summary": "",
            "created_at": time(row),
            "author": story.author,
            "added": 0,
            "removed": 0,
            "reworded": 0,
            **counts,
        }

    path = f"/api/v1/scenes/{story.scene.pk}/versions"
    whole = [listed(story.second, reworded=1), listed(story.first, added=2)]
    named = {"entity": "agent.alice", "scene": str(story.scene.pk)}
    assert caller.get(path).json() == {**named, "versions": whole, "next_after": None}
    first = caller.get(path, limit=1).json()
    rest = caller.get(path, limit=1, after=first["next_after"]).json()
    assert (first["versions"], rest) == (whole[:1], {**named, "versions": whole[1:], "next_after": None})


def test_versions_are_compared_line_by_line_and_word_by_word(caller: Caller, story: Story) -> None:
    path = f"/api/v1/scenes/{story.scene.pk}/difference"
    body = caller.get(path).json()
    assert body == {
        "entity": "agent.alice",
        "scene": str(story.scene.pk),
        "difference": {
            "from_number": 1,
            "to_number": 2,
            "title_before": "Billing",
            "title_after": "Billing",
            "changes": [
                {
                    "change": "reworded",
                    "section": "work_context",
                    "line_before": str(story.july.pk),
                    "line_after": str(story.october.pk),
                    "before": story.old.text,
                    "after": story.new.text,
                    "words": [
                        {"edit": "equal", "text": "Billing stays on Express until "},
                        {"edit": "delete", "text": "July"},
                        {"edit": "insert", "text": "October"},
                        {"edit": "equal", "text": " 15."},
                    ],
                }
            ],
            "unchanged": 1,
        },
    }
    assert caller.get(path, from_number=1, to_number=2).json() == body
    back = caller.get(path, from_number=2, to_number=1).json()["difference"]["changes"]
    assert [(change["before"], change["after"]) for change in back] == [(story.new.text, story.old.text)]
    whole = caller.get(path, from_number=0).json()["difference"]
    assert [(change["change"], change["after"]) for change in whole["changes"]] == [
        ("added", story.new.text),
        ("added", "Never deploy."),
    ]
    assert caller.get(path, from_number=2, to_number=2).json()["difference"]["changes"] == []


def test_the_persona_and_its_history(caller: Caller, story: Story) -> None:
    run = make_run(story.entity, Step.PERSONA, model="offline")
    first = make_trait(story.entity, "archetype", "Careful.", [story.never], run=run)
    second = set_trait(
        entity=story.entity, slot="archetype", text="Very careful.", actor=Actor(name="Olga"), reason="So."
    )
    trait = Trait.objects.get()
    assert caller.get("/api/v1/persona", entity="agent.alice").json() == {
        "entity": "agent.alice",
        "traits": [
            {
                "id": str(trait.pk),
                "version_id": str(second.pk),
                "slot": "archetype",
                "text": "Very careful.",
                "number": 2,
                "receipts": 1,
            }
        ],
    }
    correction = second.correction
    assert correction is not None
    wordings = [
        {
            "id": str(second.pk),
            "number": 2,
            "is_head": True,
            "text": "Very careful.",
            "created_at": time(second),
            "author": {"kind": "person", "id": str(correction.pk), "name": "Olga", "reason": "So."},
            "evidence": [
                {
                    "kind": "correction",
                    "id": str(correction.pk),
                    "short_id": correction.pk.hex[-8:],
                    "text": "So.",
                    "section": "",
                    "scene": None,
                }
            ],
        },
        {
            "id": str(first.pk),
            "number": 1,
            "is_head": False,
            "text": "Careful.",
            "created_at": time(first),
            "author": {"kind": "run", "id": str(run.pk), "name": "offline", "reason": ""},
            "evidence": [
                {
                    "kind": "line",
                    "id": str(story.never.pk),
                    "short_id": story.never.pk.hex[-8:],
                    "text": "Never deploy.",
                    "section": "prohibitions",
                    "scene": str(story.scene.pk),
                }
            ],
        },
    ]
    path = f"/api/v1/persona/{trait.pk}/versions"
    named = {"entity": "agent.alice", "trait": str(trait.pk), "slot": "archetype"}
    assert caller.get(path).json() == {
        **named,
        "status": "live",
        "versions": wordings,
        "next_after": None,
    }
    retract_trait(trait=trait, actor=Actor(name="Olga"), reason="")
    assert caller.get("/api/v1/persona", entity="agent.alice").json()["traits"] == []
    page = caller.get(path, limit=1).json()
    assert (page["status"], page["versions"][0]["number"]) == ("retracted", 2)
    assert caller.get(path, limit=1, after=page["next_after"]).json()["versions"] == wordings[1:]


def test_words_that_were_erased_are_in_no_version(caller: Caller, story: Story) -> None:
    Line.objects.filter(pk=story.july.pk).update(text="", erased_at=story.first.created_at)
    read = caller.get(f"/api/v1/scenes/{story.scene.pk}/versions/1").json()["version"]
    assert [line["text"] for line in read["lines"]] == ["Never deploy."]
    difference = caller.get(f"/api/v1/scenes/{story.scene.pk}/difference").json()["difference"]
    assert [change["change"] for change in difference["changes"]] == ["added"]


@pytest.mark.parametrize(
    "path",
    [
        "{0}/versions/9",
        "{0}?number=9",
        "{0}/difference?to_number=9",
        "{0}/difference?from_number=9",
    ],
)
def test_a_version_that_is_not_there(caller: Caller, story: Story, path: str) -> None:
    reply = caller.client.get(f"/api/v1/scenes/{path.format(story.scene.pk)}")
    assert (reply.status_code, reply.json()) == (404, NO_RECORD)


@pytest.mark.parametrize(
    "path",
    [
        "scenes/{0}",
        "scenes/{0}/versions",
        "scenes/{0}/versions/1",
        "scenes/{0}/difference",
        "persona/{1}/versions",
    ],
)
def test_a_scene_that_a_key_does_not_open_is_not_found(
    story: Story, alice: Entity, bob: Entity, path: str
) -> None:
    trait = make_trait(alice, "archetype", "Careful.", [story.never]).trait_id
    other = Entity.objects.create(workspace=alice.workspace, name="agent.other")
    address = f"/api/v1/{path.format(story.scene.pk, trait)}"
    keys = [
        create_key(workspace=bob.workspace, label="elsewhere").token,
        create_key(workspace=alice.workspace, label="bound", entities=[other]).token,
    ]
    replies = [Caller(key).get(address) for key in keys]
    assert [(reply.status_code, reply.json()) for reply in replies] == [(404, NO_RECORD)] * 2
    assert Caller().get(address).status_code == 401


def test_statements_do_not_grow_with_lines_and_versions(caller: Caller, story: Story) -> None:
    trait = make_trait(story.entity, "archetype", "Careful.", [story.never]).trait
    newest = story.second

    def grow(count: int) -> None:
        nonlocal newest
        for number in range(count):
            run = make_run(story.entity, Step.SCENE_SYNTHESIS)
            line = NewLine("core_sop", f"Line {count} {number}.", [story.new])
            newest = make_next_version(newest, added=[line], run=run)
            TraitVersion.objects.filter(trait=trait).update(is_head=False)
            version = TraitVersion.objects.create(
                workspace_id=trait.workspace_id,
                entity=trait.entity,
                trait=trait,
                number=TraitVersion.objects.filter(trait=trait).count() + 1,
                text=f"Wording {count} {number}.",
                run_id=run.pk,
            )
            cite(version.entity, of_trait_version=version, targets={"line": [story.never]})

    def counted() -> list[int]:
        scene = f"scenes/{story.scene.pk}"
        paths = ["scenes", scene, f"{scene}/versions", f"{scene}/difference", "persona"]
        return [statements(caller, path) for path in [*paths, f"persona/{trait.pk}/versions"]]

    grow(1)
    counted()
    few = counted()
    grow(10)
    assert counted() == few


def statements(caller: Caller, path: str) -> int:
    query = {} if "/" in path else {"entity": "agent.alice"}
    with CaptureQueriesContext(connection) as captured:
        assert caller.get(f"/api/v1/{path}", **query).status_code == 200
    return len(captured)

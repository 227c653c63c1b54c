"""scene_synthesis: what is refused, pins, lengths, summaries, and what a model is shown."""

from datetime import UTC, datetime
from typing import Any

import pytest

from memory.models import Atom, Evidence, Line, SceneVersion
from tests.cascade.scenes import a_scene, dropped, heads, learn, lines
from tests.cascade.story import added, an_entity, answer, create, replaced, runs, say, settle, store, update

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("edit", "reason"),
    [
        (create("", ("core_sop", "It ships weekly.", ["a1"])), "A new scene needs a title."),
        (create("Weekly"), "A new scene needs at least one line."),
        (
            create("release", ("core_sop", "It ships weekly.", ["a1"])),
            "There is a scene «release» already: update it.",
        ),
        (update("s1"), "An update changes at least one line or the title."),
        (
            update("s4", added("core_sop", "It ships weekly.", ["a1"])),
            "“s4” was not offered; offered were a1 to a2, s1.",
        ),
        (
            update("s1", added("core_sop", "It ships weekly.", [])),
            "«It ships weekly.» names no claim that it rests on.",
        ),
        (update("s1", added("core_sop", "", ["a1"])), "A line needs a text."),
        (
            update("s1", added("core_sop", "It ships weekly to Oslo.", ["a1"])),
            "The claims it rests on do not hold: Oslo.",
        ),
        (
            update("s1", added("core_sop", "It ships weekly from 9 May on.", ["a1"])),
            "The claims it rests on do not hold: 9 May.",
        ),
        (
            update("s1", replaced("s1.l7", "core_sop", "It ships weekly.", ["a1"])),
            "“s1.l7” was not offered; offered were a1 to a2, s1.",
        ),
        (
            update("s1", added("core_sop", "Plan the Vrixoline.", ["a1"])),
            "It repeats an example of the prompt.",
        ),
        (
            update(
                "s1",
                {"op": "remove", "line": "s1.l1"},
                replaced("s1.l1", "core_sop", "It ships weekly.", ["a1"]),
            ),
            "s1.l1 was changed by another edit of this answer.",
        ),
    ],
)
def test_an_edit_that_does_not_stand_is_dropped_with_its_reason(edit: dict[str, Any], reason: str) -> None:
    entity = an_entity()
    first = a_scene(entity, "It ships monthly.")
    learn(entity, "It ships weekly.", synthesis=answer(edit))
    assert (dropped(entity), heads(entity)) == ([reason], [first])


def test_an_edit_that_was_refused_leaves_its_lines_free_for_another_edit() -> None:
    entity = an_entity()
    a_scene(entity, "It ships monthly.")
    bad = update(
        "s1",
        replaced("s1.l1", "core_sop", "It ships weekly.", ["a1"]),
        added("core_sop", "It ships to Oslo.", ["a1"]),
    )
    good = update("s1", replaced("s1.l1", "core_sop", "It ships weekly.", ["a1"]))
    requests = learn(entity, "It ships weekly.", synthesis=answer(bad, good))
    assert [text for _, text in lines(heads(entity)[0])] == ["It ships weekly."]
    assert "was changed by another edit" not in requests[-1].user


def test_a_pinned_line_is_never_touched_and_its_scene_never_retired() -> None:
    entity = an_entity()
    first = a_scene(entity, "It ships monthly.")
    Line.objects.update(is_pinned=True)
    Atom.objects.update(status="retracted")
    [*_, last] = learn(
        entity,
        "It ships weekly.",
        synthesis=answer(
            update("s1", replaced("s1.l1", "core_sop", "It ships weekly.", ["a1"])),
            update("s1", {"op": "remove", "line": "s1.l1"}),
            {"action": "retire", "scene": "s1", "reason": "obsolete"},
        ),
    )
    assert dropped(entity) == [
        "s1.l1 is pinned by a person.",
        "s1.l1 is pinned by a person.",
        "A scene with a pinned line is not retired.",
    ]
    assert "PINNED" in last.user
    assert " DUE" not in last.user.split("Scenes:")[1]
    assert heads(entity) == [first]


def test_a_title_given_once_stays_when_a_later_edit_of_the_answer_gives_none() -> None:
    entity = an_entity()
    a_scene(entity, "It ships monthly.")
    learn(
        entity,
        "It ships on Mondays.",
        synthesis=answer(
            update("s1", title="Shipping"),
            update("s1", added("core_sop", "It ships on Mondays.", ["a1"])),
        ),
    )
    [head] = heads(entity)
    assert (head.title, head.number, len(lines(head))) == ("Shipping", 2, 2)


def test_a_scene_never_grows_beyond_its_hard_limit_by_one_edit_or_by_many() -> None:
    entity = an_entity()
    a_scene(entity, "It ships monthly.")
    phrase = "it ships monthly and slowly and "
    texts = [f"Part {number}: {phrase * 28}on." for number in range(8)]
    claims = [f"Part {number}: it ships monthly and slowly and on." for number in range(8)]
    learn(
        entity,
        *claims,
        synthesis=answer(
            *(update("s1", added("core_sop", text, [f"a{n + 1}"])) for n, text in enumerate(texts)),
        ),
    )
    [head] = heads(entity)
    total = sum(len(text) for _, text in lines(head))
    assert (len(lines(head)), 6_000 - len(texts[0]) < total <= 6_000) == (7, True)
    assert [reason.split(" characters")[0].split("the limit is ")[-1] for reason in dropped(entity)] != []


def test_a_scene_that_is_too_long_already_may_still_become_shorter() -> None:
    entity = an_entity()
    head = a_scene(entity, "It ships monthly.", "It ships on Mondays.")
    scene = head.scene
    atom = Atom.objects.earliest("seq")
    for number in range(7):
        line = Line.objects.create(
            workspace_id=scene.workspace_id,
            entity=entity,
            scene=scene,
            section="core_sop",
            text=f"{number}" * 900,
        )
        Evidence.objects.create(workspace_id=scene.workspace_id, entity=entity, of_line=line, atom=atom)
        head.lines.add(
            line,
            through_defaults={
                "workspace_id": scene.workspace_id,
                "entity_id": entity.pk,
                "position": 10 + number,
            },
        )
    learn(entity, "It ships weekly.", synthesis=answer(update("s1", {"op": "remove", "line": "s1.l9"})))
    assert (dropped(entity), len(lines(heads(entity)[0]))) == ([], 8)


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("", "It ships monthly. It ships on Mondays."),
        ("Too short.", "It ships monthly. It ships on Mondays."),
        (
            "How and when the thing ships, month by month.",
            "How and when the thing ships, month by month.",
        ),
        (
            "How Bertrand ships the thing, month by month, slowly.",
            "It ships monthly. It ships on Mondays.",
        ),
    ],
)
def test_a_summary_is_checked_and_otherwise_made_from_the_lines(given: str, kept: str) -> None:
    entity = an_entity()
    learn(
        entity,
        "It ships monthly.",
        "It ships on Mondays.",
        synthesis=answer(
            create(
                "Release",
                ("core_sop", "It ships monthly.", ["a1"]),
                ("core_sop", "It ships on Mondays.", ["a2"]),
                summary=given,
            )
        ),
    )
    assert heads(entity)[0].summary == kept


@pytest.mark.parametrize("given", ["", "It once was due in July and was moved to October."])
def test_a_summary_tells_nothing_that_the_evolution_record_alone_holds(given: str) -> None:
    entity = an_entity()
    learn(
        entity,
        "It is due in October.",
        "It was due in July.",
        synthesis=answer(
            create(
                "Release",
                ("work_context", "It is due in October.", ["a1"]),
                ("evolution_record", "It was due in July.", ["a2"]),
                summary=given,
            )
        ),
    )
    assert heads(entity)[0].summary == "It is due in October."


def test_a_summary_has_at_most_forty_words() -> None:
    entity = an_entity()
    words = "it ships monthly and slowly " * 12
    learn(
        entity,
        "It ships monthly and slowly.",
        synthesis=answer(
            create("Release", ("core_sop", "It ships monthly and slowly.", ["a1"]), summary=words)
        ),
    )
    summary = heads(entity)[0].summary
    assert (len(summary.removesuffix(" …").split()), summary.endswith(" …")) == (40, True)


def test_at_most_three_scenes_are_shown_in_full_and_the_others_by_summary() -> None:
    entity = an_entity()
    topics = ["apples", "pears", "plums", "figs", "dates"]
    for topic in topics:
        learn(
            entity,
            f"We grow {topic}.",
            topic=topic,
            synthesis=answer(create(topic, ("core_sop", f"We grow {topic}.", ["a1"]))),
        )
    say(entity, *(f"We sell {topic}." for topic in topics))

    def extract(request: Any) -> Any:
        return answer(
            *(store(m.text, m.handle, topic=topics[n]) for n, m in enumerate(request.payload.messages))
        )

    model = settle(entity, l1_extract=extract)
    shown = [_shown(request.payload) for request in model.requests if request.task == "scene_synthesis"]
    assert shown == [(5, ["apples", "pears", "plums"]), (5, ["figs", "dates"])]


def _shown(payload: Any) -> tuple[int, list[str]]:
    return (len(payload.scenes), [scene.title for scene in payload.scenes if scene.is_full])


def test_atoms_superseded_before_they_were_placed_are_passed_over() -> None:
    entity = an_entity()
    say(entity, "It ships on Mondays.", "No, it ships on Tuesdays.")
    model = settle(
        entity,
        l1_extract=answer(
            store("It ships on Mondays.", "m1"),
            {
                "action": "merge",
                "text": "It ships on Tuesdays.",
                "messages": ["m2"],
                "targets": ["n1"],
                "reason": "value",
            },
        ),
        scene_synthesis=answer(create("Release", ("core_sop", "It ships on Tuesdays.", ["a1"]))),
    )
    [synthesis] = [request for request in model.requests if request.task == "scene_synthesis"]
    payload: Any = synthesis.payload
    assert [(atom.text, atom.is_new) for atom in payload.atoms] == [
        ("It ships on Tuesdays.", True),
        ("It ships on Mondays.", False),
    ]
    [run] = runs(entity, "scene_synthesis")
    old = Atom.objects.get(status="superseded")
    assert old.consumed_by_id == run.pk
    assert {
        "outcome": "passed over",
        "reason": "superseded before it was placed",
        "atoms": [str(old.pk)],
    } in run.decisions


@pytest.mark.parametrize(("day", "is_taken"), [(22, True), (23, False)])
def test_a_line_names_days_in_the_entitys_own_zone(day: int, is_taken: bool) -> None:
    entity = an_entity(time_zone="America/New_York")
    say(entity, "I fixed the pump.", at=datetime(2026, 4, 23, 2, 30, tzinfo=UTC))
    text = f"Alice fixed the pump on {day} April 2026."
    settle(
        entity,
        answer(store("Alice fixed the pump.")),
        scene_synthesis=answer(create("Pump", ("related_tasks", text, ["a1"]))),
    )
    assert SceneVersion.objects.exists() is is_taken

"""A model that tries in every run to undo what people decided, and corrections made while a model thinks."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from memory.cascade.engine import settle_entity
from memory.cascade.rebuilding.lifecycle import apply_rebuild
from memory.models import Atom, Entity, Line, Run, Scene, Trait
from memory.recall.terms import terms_of
from memory.stewardship.correcting_atoms import retract_atom, supersede_atom
from memory.stewardship.correcting_scenes import edit_scene, pin_lines, retire_scene
from memory.stewardship.correcting_traits import retract_trait, set_trait
from tests.cascade.rebuilding.remaking import TOLD, a_model, proposed, scenes, told
from tests.cascade.scenes import a_scene
from tests.cascade.story import (
    added,
    an_entity,
    answer,
    create,
    merge,
    replaced,
    runs,
    say,
    settle,
    store,
    update,
)
from tests.factories import NewLine, make_atom, make_message, make_scene, make_trait
from tests.scripted_model import ScriptedModel, by_task
from tests.stewardship.people import by, head, holding, markdown, persona, problems_at_rest, texts

pytestmark = pytest.mark.django_db

RULE = "Never deploy the gateway on Fridays."
GO = "The gateway is written in Go."
LOKI = "The gateway logs to Loki."
KEPT = "Logs are kept for thirty days."
COFFEE = "Alice likes strong coffee."
WRONG = "The API freeze is on 2 May 2026."
RIGHT = "The API freeze is on 3 May 2026."
OURS = "The gateway is written in Go, and Dana reviews it."
PILOT = "The pilot runs in Lisbon."
ASKS = "Asks before each deploy."
ALONE = "Decides alone and fast."


def a_memory() -> Entity:
    """Two scenes and two traits, and what people decided about them."""
    entity = an_entity()
    said = {text: make_message(entity, text) for text in (RULE, GO, LOKI, KEPT, COFFEE, WRONG, PILOT)}
    rule = make_atom(entity, RULE, [said[RULE]], kind="instruction", priority=90, terms=terms_of(RULE))
    atoms = {
        text: make_atom(entity, text, [said[text]], terms=terms_of(text)) for text in said if text != RULE
    }
    loki = [atoms[LOKI], atoms[KEPT]]
    release = make_scene(
        entity,
        "Release",
        [
            NewLine("work_context", GO, [atoms[GO]]),
            NewLine("prohibitions", RULE, [rule]),
            NewLine("key_evidence", LOKI, [atoms[LOKI]]),
            NewLine("key_evidence", KEPT, loki),
            NewLine("key_evidence", WRONG, [atoms[WRONG]]),
            NewLine("key_evidence", COFFEE, [atoms[COFFEE]]),
        ],
    )
    pilot = make_scene(entity, "Pilot", [NewLine("work_context", PILOT, [atoms[PILOT]])])
    lines = list(release.lines.order_by("places__position"))
    trait = make_trait(entity, "decision_pattern", ASKS, [lines[1]])
    make_trait(entity, "archetype", "Likes strong coffee.", [lines[1]])
    pin_lines(scene=release.scene, lines=[lines[1].pk], is_pinned=True, base=1, **by())
    text = markdown(release, **{GO: OURS, LOKI: None}).replace("# Release", "# Releases")
    edit_scene(scene=release.scene, markdown=text, base=2, **by())
    retract_atom(atom=atoms[COFFEE], **by())
    supersede_atom(atom=atoms[WRONG], text=RIGHT, **by())
    retire_scene(scene=pilot.scene, **by())
    retract_trait(trait=trait.trait, **by())
    set_trait(entity=entity, slot="archetype", text=ALONE, **by())
    return entity


def extract(request: Any) -> Any:
    """One good claim, and every way to say again what was corrected or taken back."""
    known = {atom.text: atom.handle for atom in request.payload.atoms}
    everything = [message.handle for message in (*request.payload.messages, *request.payload.context)]
    new = request.payload.messages[0]
    items = [store(f"Robin closed ticket {new.text.split()[1]}.", new.handle, topic="tickets")]
    for text in (COFFEE, "Alice really likes strong coffee.", "Strong coffee is what Alice likes.", WRONG):
        items.append(store(text, *everything))
        items += [merge(text, [handle], *everything) for handle in known.values()]
    reworded = "The API freeze is on 3 May 2026, it is said."
    items.append(store(reworded, *everything))
    if RIGHT in known:
        items.append(merge(reworded, [known[RIGHT]], *everything, reason="contradiction"))
    return answer(*items)


def synthesize(request: Any) -> Any:
    """The good line, and every way to drop, reword, move or add again what people decided about."""
    payload = request.payload
    atoms = [atom.handle for atom in payload.atoms if atom.state == "live"]
    fresh = [atom for atom in payload.atoms if atom.is_new]
    scene = payload.scenes[0]
    items = [update(scene.handle, *(added("related_tasks", atom.text, [atom.handle]) for atom in fresh))]
    for line in scene.lines:
        items.append(update(scene.handle, {"op": "remove", "line": line.handle}))
        items.append(
            update(scene.handle, replaced(line.handle, "core_sop", f"{line.text[:-1]} indeed.", atoms))
        )
    again = (
        RULE,
        "Never deploy the gateway on any Fridays.",
        GO,
        OURS,
        LOKI,
        "It logs to Loki.",
        COFFEE,
        WRONG,
    )
    for section in ("core_sop", "evolution_record"):
        items += [update(scene.handle, added(section, text, atoms)) for text in again]
    items += [
        create(f"Scene {place}", ("work_context", text, atoms)) for place, text in enumerate((*again, PILOT))
    ]
    items.append(update(scene.handle, title="Gateway"))
    items.append({"action": "retire", "scene": scene.handle, "reason": "obsolete"})
    return answer(*items)


def portray(request: Any) -> Any:
    lines = [line.handle for scene in request.payload.scenes for line in scene.lines if not line.is_due]
    newest = lines[-1:]
    return answer(
        {"action": "set", "slot": "decision_pattern", "text": ASKS, "lines": lines},
        {"action": "set", "slot": "archetype", "text": "Likes strong coffee.", "lines": newest},
        {"action": "set", "slot": "archetype", "text": "Decides with others.", "lines": lines},
        {"action": "retract", "slot": "archetype", "reason": "I think otherwise"},
    )


def place(request: Any) -> Any:
    """A line for each new claim."""
    fresh = [atom for atom in request.payload.atoms if atom.is_new]
    return answer(update("s1", *(added("related_tasks", atom.text, [atom.handle]) for atom in fresh)))


STUBBORN = {"l1_extract": extract, "scene_synthesis": synthesize, "persona": portray}


def test_a_model_that_tries_in_every_run_to_undo_what_people_decided_fails_for_twenty_runs() -> None:
    entity = a_memory()
    pinned = Line.objects.get(text=RULE)
    ours = Line.objects.get(text=OURS)
    now = timezone.now()
    for number in range(1, 21):
        say(entity, f"Ticket {number} of the API freeze is closed; coffee helped.", speaker="Robin", at=now)
        now += timedelta(minutes=1)
        settle_entity(entity, model=ScriptedModel(otherwise=by_task({**STUBBORN, "compaction": answer()})))
        shown = texts(head(entity, "Releases"))
        assert shown[:2] == [OURS, RULE]
        assert not {GO, LOKI, COFFEE, WRONG}.intersection(shown)
        assert f"Robin closed ticket {number}." in shown
        assert not [line for line in shown if "coffee" in line or "2 May" in line]
        live = holding(entity)
        assert RIGHT in live
        assert not [text for text in live if "coffee" in text or "2 May" in text or "it is said" in text]
        assert persona(entity) == {"archetype": ALONE}
        assert list(Scene.objects.live().values_list("slot", flat=True)) == [1]
    assert set(head(entity, "Releases").lines.values_list("pk", flat=True)) >= {pinned.pk, ours.pk}
    pinned.refresh_from_db()
    assert (pinned.text, pinned.section, pinned.is_pinned) == (RULE, "prohibitions", True)
    for step in STUBBORN:
        assert len([run for run in runs(entity, step) if run.status == "succeeded"]) >= 20
    assert problems_at_rest(entity) == []
    assert not Run.objects.filter(error_kind="internal").exists()
    noted = " ".join(entry.get("reason", "") for run in Run.objects.all() for entry in run.decisions)
    for reason in (
        f"a person took it back: {COFFEE}",
        f"a person corrected it: {WRONG}",
        f"a person wrote it: {RIGHT}",
        f"a person pinned «{RULE}»",
        f"a person wrote «{OURS}»",
        f"a person removed «{LOKI}»",
        "was written by a person, and what it rests on holds.",
        "is pinned by a person.",
        "archetype was written by a person.",
        "decision_pattern was taken back by a person.",
        "a person gave «Releases»",
    ):
        assert reason in noted, reason


def test_what_was_taken_back_is_offered_as_taken_back() -> None:
    entity = an_entity()
    retract_atom(atom=make_atom(entity, COFFEE, [make_message(entity, COFFEE)]), **by())
    say(entity, "I like strong coffee.", "The weather is fine.")
    model = settle(entity, l1_extract=answer(store(COFFEE)))
    [offered] = model.requests[0].payload.atoms  # type: ignore[attr-defined]
    assert (offered.text, offered.state) == (COFFEE, "retracted")
    assert holding(entity) == []
    [decision] = runs(entity)[0].decisions
    assert (decision["outcome"], decision["reason"]) == ("skip", f"a person took it back: {COFFEE}")


@pytest.mark.parametrize(
    ("action", "reason"),
    [("skip", "said already"), ("merge", f"«{COFFEE}» was taken back by a person.")],
)
def test_a_claim_that_was_taken_back_is_neither_repeated_nor_replaced(action: str, reason: str) -> None:
    entity = an_entity()
    retract_atom(atom=make_atom(entity, COFFEE, [make_message(entity, COFFEE)]), **by())
    say(entity, "I like strong coffee.")
    decision = {**merge("Alice likes tea.", ["a1"]), "action": action}
    decision["reason"] = "value" if action == "merge" else "said already"
    settle(entity, l1_extract=answer(decision))
    assert {entry["reason"] for entry in runs(entity)[0].decisions} == {reason}
    assert Atom.objects.get().evidence.count() == 1


def test_a_message_said_later_may_state_it_again_for_claims_and_lines() -> None:
    entity = a_memory()
    say(entity, "I do like strong coffee after all.", at=timezone.now() + timedelta(seconds=1))
    settle(
        entity,
        l1_extract=answer(store(COFFEE)),
        scene_synthesis=place,
    )
    assert holding(entity).count(COFFEE) == 1
    assert COFFEE in texts(head(entity, "Releases"))
    assert problems_at_rest(entity) == []


def test_a_persons_line_is_due_once_newer_words_contradict_what_it_rests_on() -> None:
    entity = a_memory()
    moved = "The gateway is written in Rust."
    say(entity, moved, at=timezone.now() + timedelta(seconds=1))

    def merging(request: Any) -> Any:
        known = {atom.text: atom.handle for atom in request.payload.atoms}
        return answer(merge(moved, [known[GO]]))

    def rewriting(request: Any) -> Any:
        due = next((line for line in request.payload.scenes[0].lines if line.text == OURS), None)
        if due is None or not due.is_due:
            return answer()
        new = next(atom.handle for atom in request.payload.atoms if atom.text == moved)
        return answer(update("s1", replaced(due.handle, "work_context", moved, [new])))

    settle(entity, l1_extract=merging, scene_synthesis=rewriting)
    assert texts(head(entity, "Releases"))[0] == moved
    assert problems_at_rest(entity) == []


def test_a_trait_of_a_person_is_changed_by_lines_on_newer_words() -> None:
    entity = a_memory()
    settle(entity)
    new = "Alice decides together with Dana."
    say(entity, new, at=timezone.now() + timedelta(seconds=1))

    def wording(request: Any) -> Any:
        lines = [*_handles(request, new), *_handles(request, RULE)]
        text = "Decides together with Dana."
        return answer({"action": "set", "slot": "archetype", "text": text, "lines": lines})

    settle(
        entity,
        l1_extract=answer(store(new)),
        scene_synthesis=place,
        persona=wording,
    )
    assert persona(entity) == {"archetype": "Decides together with Dana."}
    version = Trait.objects.get(slot="archetype").versions.get(is_head=True)
    assert list(version.evidence.values_list("line__text", flat=True)) == [new]


def correct_claim(entity: Entity) -> None:
    supersede_atom(atom=Atom.objects.live().get(text=GO), text="The gateway is written in Rust.", **by())


def correct_scene(entity: Entity) -> None:
    version = head(entity)
    edit_scene(scene=version.scene, markdown=markdown(version, **{RULE: None}), base=version.number, **by())


def correct_persona(entity: Entity) -> None:
    set_trait(entity=entity, slot="archetype", text=ALONE, **by())


@pytest.mark.parametrize("correct", [correct_claim, correct_scene, correct_persona])
@pytest.mark.parametrize("step", ["l1_extract", "scene_synthesis", "persona"])
def test_a_step_that_thinks_while_somebody_corrects_writes_nothing_and_begins_anew(
    step: str, correct: Callable[[Entity], None]
) -> None:
    entity = an_entity()
    a_scene(entity, GO, RULE)
    say(entity, "Robin is on call.")
    seen: list[Any] = []

    def interrupted(request: Any) -> Any:
        seen.append(request)
        if len(seen) == 1:
            correct(entity)
        return usual[step](request)

    usual: dict[str, Any] = {
        "l1_extract": lambda request: answer(store("Robin is on call.", topic="release")),
        "scene_synthesis": place,
        "persona": lambda request: answer(
            {"action": "set", "slot": "archetype", "text": "Is on call.", "lines": _handles(request, "Robin")}
        ),
    }
    settle(entity, **{**usual, step: interrupted})
    outcomes = [run.status for run in runs(entity, step)]
    assert outcomes.count("discarded") == 1
    [discarded] = [run for run in runs(entity, step) if run.status == "discarded"]
    assert (discarded.noop_reason, discarded.outputs) == ("a person corrected something meanwhile", {})
    assert len(seen) >= 2
    if correct is correct_persona:
        assert persona(entity) == {"archetype": ALONE}
    elif correct is correct_scene:
        assert RULE not in texts(head(entity))
    else:
        assert GO not in holding(entity)
    assert "Robin is on call." in texts(head(entity))
    assert problems_at_rest(entity) == []


def _handles(request: Any, word: str) -> list[str]:
    return [line.handle for scene in request.payload.scenes for line in scene.lines if word in line.text]


@pytest.mark.parametrize("layer", ["L1", "L2"])
def test_a_line_that_a_person_removed_stays_away_in_a_rebuild(layer: str) -> None:
    entity = told()
    version = head(entity, "Old")
    text = markdown(version, **{TOLD[0]: None})
    edit_scene(scene=version.scene, markdown=text, base=version.number, **by())
    apply_rebuild(proposed(entity, a_model(priority=66, title="Other"), layer).rebuild)
    said = {text for lines in scenes(entity).values() for text in lines}
    assert said == {TOLD[1], TOLD[2]}
    settle(entity)
    assert problems_at_rest(entity) == []

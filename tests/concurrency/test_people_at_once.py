"""Two people, or a person and a step, change the same rows: one of them is told, nobody's words are lost."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from memory.cascade import work
from memory.cascade.engine import drain
from memory.models import Atom, Correction, Entity, Line, Run, Scene, Step
from memory.stewardship.actors import StaleChangeError
from memory.stewardship.correcting_atoms import retract_atom, supersede_atom
from memory.stewardship.correcting_scenes import edit_scene, merge_scenes, pin_lines, retire_scene
from memory.stewardship.verify import verify
from tests.cascade.story import NOTHING, an_entity, answer, create, replaced, say, settle, store, update
from tests.cases.threads import at_once
from tests.concurrency.standing import standing
from tests.scripted_model import ScriptedModel, by_task
from tests.stewardship.people import by, head, holding, markdown, states, texts

pytestmark = pytest.mark.django_db(transaction=True)

OSLO = "Alice lives in Oslo."
BERGEN = "Alice lives in Bergen."
RULE = "Deploy on Mondays."
NEWS = "Deploy on Fridays."


def told(outcomes: list[str], name: str, action: Callable[[], object]) -> Callable[[], None]:
    """The action, its name noted as done or stale."""

    def act() -> None:
        try:
            action()
        except StaleChangeError:
            outcomes.append(f"{name} stale")
        else:
            outcomes.append(f"{name} done")

    return act


def both(first: Callable[[], object], second: Callable[[], object]) -> list[str]:
    outcomes: list[str] = []
    at_once(told(outcomes, "first", first), told(outcomes, "second", second))
    return sorted(outcomes)


def test_of_a_correction_and_a_retraction_of_one_claim_one_is_told_to_look_again() -> None:
    entity = an_entity()
    say(entity, OSLO)
    settle(entity, l1_extract=answer(store(OSLO)))
    first, second = (Atom.objects.select_related("entity").get(text=OSLO) for _ in range(2))
    outcomes = both(
        partial(supersede_atom, atom=first, text=BERGEN, **by()), partial(retract_atom, atom=second, **by())
    )
    assert (outcomes, states(entity)) in (
        (["first done", "second stale"], {OSLO: "superseded", BERGEN: "live"}),
        (["first stale", "second done"], {OSLO: "retracted"}),
    )
    assert Correction.objects.for_entity(entity).count() == 1
    assert verify(entity) == []


def two_scenes(entity: Entity) -> tuple[Scene, Scene]:
    say(entity, RULE, OSLO)
    settle(
        entity,
        l1_extract=answer(store(RULE, "m1"), store(OSLO, "m2")),
        scene_synthesis=answer(
            create("Release", ("core_sop", RULE, ["a1"])), create("Home", ("work_context", OSLO, ["a2"]))
        ),
    )
    return head(entity).scene, head(entity, "Home").scene


def test_of_two_merges_the_other_way_round_one_is_told_to_look_again() -> None:
    """Neither swallows the other, and nobody waits for ever."""
    entity = an_entity()
    release, home = two_scenes(entity)
    outcomes = both(
        partial(merge_scenes, into=release, other=home, **by()),
        partial(merge_scenes, into=home, other=release, **by()),
    )
    assert outcomes in (["first done", "second stale"], ["first stale", "second done"])
    [scene] = Scene.objects.for_entity(entity).live()
    assert set(texts(scene.versions.get(is_head=True))) == {RULE, OSLO}
    assert verify(entity) == []


def test_of_an_edit_and_a_retirement_one_is_told_to_look_again() -> None:
    entity = an_entity()
    release, _ = two_scenes(entity)
    version = head(entity)
    edit = partial(edit_scene, scene=release, markdown=markdown(version, **{RULE: NEWS}), base=1, **by())
    outcomes = both(edit, partial(retire_scene, scene=Scene.objects.get(pk=release.pk), **by()))
    retired = Scene.objects.get(pk=release.pk).status == Scene.Status.RETIRED
    # A retirement names no version, so it may come after the edit; the edit cannot come after it.
    assert (outcomes, release.versions.count(), retired) in (
        (["first done", "second done"], 2, True),
        (["first stale", "second done"], 1, True),
    )
    assert verify(entity) == []


def synthesise(entity: Entity, model: ScriptedModel) -> None:
    drain(entity_id=entity.pk, step=Step.SCENE_SYNTHESIS, model=model)


def rewrite(request: Any) -> Any:
    """Puts the new rule in the place of the line that says the old one, or adds it."""
    new = [atom.handle for atom in request.payload.atoms if atom.text == NEWS]
    for scene in request.payload.scenes:
        for line in scene.lines or ():
            if line.text.startswith(RULE[:-1]):
                return answer(update(scene.handle, replaced(line.handle, "core_sop", NEWS, new)))
    scene = next(scene for scene in request.payload.scenes if scene.title == "Release")
    add = {"op": "add", "section": "core_sop", "text": NEWS, "atoms": new}
    return answer(update(scene.handle, add))


def pin_the_rule(entity: Entity) -> None:
    version = head(entity)
    pin_lines(
        scene=version.scene,
        lines=[version.lines.get(text=RULE).pk],
        is_pinned=True,
        base=version.number,
        **by(),
    )


def edit_the_rule(entity: Entity) -> None:
    version = head(entity)
    changed = markdown(version, **{RULE: "Deploy on Mondays, after lunch."})
    edit_scene(scene=version.scene, markdown=changed, base=version.number, **by())


@pytest.mark.parametrize(
    ("change", "kept"),
    [(pin_the_rule, RULE), (edit_the_rule, "Deploy on Mondays, after lunch.")],
)
@pytest.mark.parametrize("point", ["after_read", "before_commit"])
def test_what_a_person_writes_while_synthesis_stands_is_kept(
    point: Any, change: Callable[[Entity], None], kept: str
) -> None:
    entity = an_entity()
    two_scenes(entity)
    say(entity, NEWS)
    settle_extraction(entity)
    model = ScriptedModel(otherwise=by_task({"scene_synthesis": rewrite, "persona": NOTHING}))
    with standing(point, partial(synthesise, entity, model)):
        change(entity)
        written = Line.objects.get(entity=entity, text=kept)
    runs = Run.objects.for_entity(entity).filter(step=Step.SCENE_SYNTHESIS).order_by("started_at")
    assert [run.status for run in runs][-2:] == ["discarded", "succeeded"]
    lines = list(head(entity).lines.all())
    if change is pin_the_rule:
        assert written in lines
    assert NEWS in holding(entity)
    assert verify(entity) == []


def settle_extraction(entity: Entity) -> None:
    work.flush(entity)
    drain(
        entity_id=entity.pk,
        step=Step.L1_EXTRACT,
        model=ScriptedModel(otherwise=answer(store(NEWS))),
    )


def test_a_person_who_saw_the_version_before_the_synthesis_is_told() -> None:
    entity = an_entity()
    two_scenes(entity)
    seen = head(entity)
    say(entity, NEWS)
    settle(entity, l1_extract=answer(store(NEWS)), scene_synthesis=rewrite)
    with pytest.raises(StaleChangeError):
        edit_scene(scene=seen.scene, markdown=markdown(seen, **{RULE: "Never."}), base=seen.number, **by())
    assert NEWS in texts(head(entity))

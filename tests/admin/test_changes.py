"""Changes that people ask for: confirmed first, done by a room, open to whoever has the duty."""

from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.db.models import Model
from django.test import Client
from django.urls import reverse

from memory.models import (
    Atom,
    Correction,
    Entity,
    Erasure,
    Message,
    ProcedureVersion,
    Review,
    Scene,
    SceneVersion,
    Session,
    Trait,
    TraitVersion,
    Work,
)
from tests.admin.conftest import CONFIRMED, Memory, park
from tests.factories import NewLine, make_next_version, make_scene

WHY = {"reason": "Because it is so.", **CONFIRMED}
ROLES = ("viewer", "reviewer", "operator")


def do(row: Model, name: str) -> str:
    return reverse(f"admin:memory_{row._meta.model_name}_do", args=[row.pk, name])


def list_of(model: type[Model]) -> str:
    return reverse(f"admin:memory_{model._meta.model_name}_changelist")


def row_of(memory: Memory, kind: str) -> Any:
    """The row of a kind that the table below speaks of."""
    return {
        "atom": lambda: memory.atom,
        "scene": lambda: memory.version.scene,
        "trait": lambda: memory.trait_version.trait,
        "draft": lambda: memory.draft,
        "procedure": lambda: memory.draft.procedure,
        "message": lambda: memory.message,
        "session": lambda: memory.message.session,
        "entity": lambda: memory.entity,
        "key": lambda: memory.key,
        "work": lambda: Work.objects.get(entity=memory.entity, step="l1_extract"),
        "run": lambda: memory.run,
    }[kind]()


# Kind of row, name of the change, and the roles that may ask for it.
OPEN_TO = [
    *((kind, name, {"reviewer", "operator"}) for kind, names in {
        "atom": ("retract", "supersede"),
        "scene": ("pin", "merge", "retire", "restore"),
        "trait": ("set", "retract", "restore"),
        "entity": ("set-trait",),
        "draft": ("approve", "reject"),
        "procedure": ("rollback", "retire"),
    }.items() for name in names),
    *((kind, name, {"operator"}) for kind, names in {
        "message": ("plan-erase",),
        "session": ("plan-erase",),
        "entity": ("plan-erase-period", "plan-erase-entity", "pause"),
        "key": ("revoke",),
        "work": ("retry", "pause"),
        "run": ("retry",),
    }.items() for name in names),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "name", "roles"), OPEN_TO)
def test_a_change_is_open_to_those_who_have_the_duty(
    kind: str, name: str, roles: set[str], alice: Memory, request: pytest.FixtureRequest
) -> None:
    address = do(row_of(alice, kind), name)
    clients: dict[str, Client] = {role: request.getfixturevalue(role) for role in ROLES}
    answers = {role: client.get(address).status_code for role, client in clients.items()}
    assert answers == {role: 200 if role in roles else 403 for role in ROLES}
    posted = {role: client.post(address, WHY).status_code for role, client in clients.items()}
    assert {role for role, status in posted.items() if status == 403} == set(ROLES) - roles


def test_nothing_of_another_workspace_is_changed(alice: Memory, bob: Memory, operator: Client) -> None:
    assert operator.post(do(bob.atom, "retract"), WHY).status_code == 404
    operator.post(list_of(Atom), {"action": "retract", "_selected_action": [str(bob.atom.pk)], **WHY})
    assert Atom.objects.get(pk=bob.atom.pk).status == "live"


def test_an_atom_is_retracted_and_restored_with_a_reason(alice: Memory, reviewer: Client) -> None:
    assert "This field is required" in reviewer.post(do(alice.atom, "retract"), CONFIRMED).content.decode()
    reviewer.post(do(alice.atom, "retract"), WHY)
    assert Atom.objects.get(pk=alice.atom.pk).status == "retracted"
    reviewer.post(do(alice.atom, "restore"), WHY)
    assert Atom.objects.get(pk=alice.atom.pk).status == "live"
    made = (
        Correction.objects.exclude(user=None).order_by("pk").values_list("kind", "reason", "user__username")
    )
    assert list(made) == [
        ("atom_retracted", "Because it is so.", "rita"),
        ("atom_restored", "Because it is so.", "rita"),
    ]


def test_several_atoms_are_retracted_once_the_page_that_lists_them_is_confirmed(
    alice: Memory, reviewer: Client
) -> None:
    asked = {"action": "retract", "_selected_action": [str(alice.atom.pk)]}
    page = reviewer.post(list_of(Atom), asked).content.decode()
    assert "what will happen" in page
    assert alice.atom.text in page
    assert Atom.objects.get(pk=alice.atom.pk).status == "live"
    reviewer.post(list_of(Atom), asked | WHY)
    assert Atom.objects.get(pk=alice.atom.pk).status == "retracted"


def test_an_atom_is_corrected(alice: Memory, reviewer: Client) -> None:
    page = reviewer.get(do(alice.atom, "supersede")).content.decode()
    assert alice.atom.text in page
    asked = {
        "text": "Deploy on Mondays alone.",
        "kind": "instruction",
        "priority": "90",
        "topic": "",
        "scope": "",
    }
    reviewer.post(do(alice.atom, "supersede"), asked | WHY)
    made = Atom.objects.get(text="Deploy on Mondays alone.")
    assert (made.status, made.priority, made.chain_id) == ("live", 90, alice.atom.chain_id)


def test_what_a_room_refuses_is_told_beside_the_question(alice: Memory, reviewer: Client) -> None:
    asked = {"text": alice.atom.text, "kind": "persona", "priority": "90", "topic": "", "scope": "deploys"}
    page = reviewer.post(do(alice.atom, "supersede"), asked | WHY).content.decode()
    assert "Only an instruction has a scope." in page


def test_a_scene_is_edited_after_a_preview_and_not_over_somebody_elses_version(
    alice: Memory, reviewer: Client
) -> None:
    scene = alice.version.scene
    address = reverse("admin:memory_scene_edit", args=[scene.pk])
    form = reviewer.get(address).context["form"]
    markdown = form.initial["markdown"].replace("Ask for approval.", "Ask Alice for approval.")
    asked = {"markdown": markdown, "base": form.initial["base"], "reason": "Whom to ask."}
    shown = reviewer.post(address, asked | {"preview": "yes"})
    assert "1 reworded" in shown.content.decode()
    assert SceneVersion.objects.filter(scene=scene).count() == 2
    reviewer.post(address, asked | {"save": "yes"})
    head = SceneVersion.objects.heads().get(scene=scene)
    assert (head.number, head.correction.user.username) == (3, "rita")
    assert "Ask Alice for approval." in set(head.lines.values_list("text", flat=True))
    stale = reviewer.post(address, asked | {"save": "yes"}).content.decode()
    assert "is not the current one" in stale
    assert SceneVersion.objects.filter(scene=scene).count() == 3


def test_lines_are_pinned_and_unpinned(alice: Memory, reviewer: Client) -> None:
    scene = alice.version.scene
    address = do(scene, "pin")
    reviewer.post(address, {"lines": [str(alice.line.pk)], "base": "2", **WHY})
    alice.line.refresh_from_db()
    assert alice.line.is_pinned
    assert (
        "pinned already"
        in reviewer.post(address, {"lines": [str(alice.line.pk)], "base": "3", **WHY}).content.decode()
    )
    reviewer.post(address, {"lines": [], "base": "3", **WHY})
    alice.line.refresh_from_db()
    assert not alice.line.is_pinned
    history = reviewer.get(reverse("admin:memory_scene_change", args=[scene.pk])).context["history"]
    assert [chapter.says for chapter in history.chapters[:2]] == [
        f"unpinned: “{alice.line.text}”",
        f"pinned: “{alice.line.text}”",
    ]


def test_scenes_are_merged_retired_and_restored(alice: Memory, reviewer: Client) -> None:
    into = alice.version.scene
    other = make_scene(alice.entity, "Other", [NewLine("core_sop", "Write it down.", [alice.atom])]).scene
    reviewer.post(do(into, "merge"), {"other": str(other.pk), **WHY})
    other.refresh_from_db()
    assert (other.status, other.merged_into_id) == ("merged", into.pk)
    reviewer.post(do(into, "retire"), WHY)
    assert Scene.objects.get(pk=into.pk).status == "retired"
    reviewer.post(do(into, "restore"), {"number": "", **WHY})
    assert Scene.objects.get(pk=into.pk).status == "live"


def test_a_trait_is_set_retracted_and_restored(alice: Memory, reviewer: Client) -> None:
    trait = alice.trait_version.trait
    reviewer.post(do(trait, "set"), {"text": "Careful, and quick.", **WHY})
    assert TraitVersion.objects.get(trait=trait, is_head=True).text == "Careful, and quick."
    reviewer.post(do(trait, "retract"), WHY)
    assert Trait.objects.get(pk=trait.pk).status == "retracted"
    reviewer.post(do(trait, "restore"), {"number": "1", **WHY})
    assert TraitVersion.objects.get(trait=trait, is_head=True).text == alice.trait_version.text
    reviewer.post(do(alice.entity, "set-trait"), {"slot": "role", "text": "Platform engineer.", **WHY})
    assert TraitVersion.objects.get(trait__slot="role", is_head=True).text == "Platform engineer."


def test_a_draft_is_approved_on_what_was_shown(alice: Memory, reviewer: Client) -> None:
    page = reviewer.get(reverse("admin:memory_procedureversion_change", args=[alice.draft.pk]))
    assert page.context["compared"].counts == "1 reworded"
    assert [one["url"].rpartition("?")[2] for one in page.context["row_changes"][1:2]] == ["base=1"]
    stale = reviewer.post(do(alice.draft, "approve"), {"base": "7", **WHY}).content.decode()
    assert Review.objects.filter(version=alice.draft).count() == 0
    assert "what will happen" in stale
    reviewer.post(do(alice.draft, "approve"), {"base": "1", "reason": "", **CONFIRMED})
    assert ProcedureVersion.objects.get(pk=alice.draft.pk).status == "active"
    assert Review.objects.get(version=alice.draft).user.username == "rita"  # type: ignore[union-attr]


def test_a_draft_is_rejected_with_a_reason(alice: Memory, reviewer: Client) -> None:
    reviewer.post(do(alice.draft, "reject"), CONFIRMED)
    assert ProcedureVersion.objects.get(pk=alice.draft.pk).status == "draft"
    reviewer.post(do(alice.draft, "reject"), WHY)
    assert ProcedureVersion.objects.get(pk=alice.draft.pk).status == "rejected"


def test_a_draft_is_edited_and_approved(alice: Memory, reviewer: Client) -> None:
    address = reverse("admin:memory_procedureversion_edit", args=[alice.draft.pk])
    form = reviewer.get(address).context["form"]
    markdown = form.initial["markdown"].replace("an hour", "two hours")
    asked = {"markdown": markdown, "base": form.initial["base"], "reason": "Longer."}
    assert "1 reworded" in reviewer.post(address, asked | {"preview": "yes"}).content.decode()
    reviewer.post(address, asked | {"save": "yes"})
    active = ProcedureVersion.objects.get(procedure=alice.draft.procedure, status="active")
    assert "Telemetry shows no errors for two hours." in set(active.lines.values_list("text", flat=True))
    reviewer.post(do(alice.draft.procedure, "rollback"), {"number": "1", **WHY})
    assert ProcedureVersion.objects.get(procedure=alice.draft.procedure, status="active").number == 1


def test_steps_are_paused_and_resumed(alice: Memory, operator: Client) -> None:
    operator.post(do(alice.entity, "pause"), {"steps": ["persona", "l1_extract"], **CONFIRMED})
    assert Entity.objects.get(pk=alice.entity.pk).paused_steps == ["l1_extract", "persona"]
    work = Work.objects.get(entity=alice.entity, step="persona")
    operator.post(list_of(Work), {"action": "resume", "_selected_action": [str(work.pk)], **CONFIRMED})
    assert Entity.objects.get(pk=alice.entity.pk).paused_steps == ["l1_extract"]


def test_the_page_that_pauses_opens_with_what_is_paused(alice: Memory, operator: Client) -> None:
    page = do(alice.entity, "pause")
    assert operator.get(page).context["form"].initial == {"steps": []}
    operator.post(page, {"steps": ["persona"], **CONFIRMED})
    assert operator.get(page).context["form"].initial == {"steps": ["persona"]}


def test_a_corrected_claim_leads_to_the_new_one(alice: Memory, reviewer: Client) -> None:
    page = do(alice.atom, "supersede")
    asked = {**reviewer.get(page).context["form"].initial, "text": "Deploy with approval.", **WHY}
    answer = reviewer.post(page, asked)
    new = Atom.objects.get(text="Deploy with approval.")
    assert answer["Location"] == reverse("admin:memory_atom_change", args=[new.pk])


def test_the_history_tells_what_an_erase_left(alice: Memory, reviewer: Client) -> None:
    line = NewLine("core_sop", "Ask before a deployment.", [alice.atom])
    first = make_scene(alice.entity, "Deployments", [line])
    make_next_version(first, run=None)
    page = reverse("admin:memory_scene_change", args=[first.scene_id])
    history = reviewer.get(page).context["history"]
    assert [(chapter.author_shown, chapter.says) for chapter in history.chapters] == [
        ("an erase", "words were erased"),
        ("", "the first version, 1 line"),
    ]


def test_what_a_run_parked_is_tried_again(alice: Memory, operator: Client) -> None:
    park(alice)
    type(alice.run).objects.filter(pk=alice.run.pk).update(status="failed", error_kind="invalid_json")
    page = operator.get(reverse("admin:memory_work_parked")).content.decode()
    assert "invalid_json" in page
    operator.post(
        reverse("admin:memory_run_changelist"),
        {"action": "retry", "_selected_action": [str(alice.run.pk)], **CONFIRMED},
    )
    assert list(Message.objects.for_entity(alice.entity).pending()) == [alice.message]


def test_messages_go_once_the_plan_that_counts_them_is_confirmed(alice: Memory, operator: Client) -> None:
    asked = {"action": "plan-erase", "_selected_action": [str(alice.message.pk)], "reason": "", **CONFIRMED}
    response = operator.post(list_of(Message), asked)
    erasure = Erasure.objects.get(status="planned")
    assert response["Location"] == do(erasure, "erase")
    assert Message.objects.filter(pk=alice.message.pk).exists()
    assert "messages" in operator.get(do(erasure, "erase")).content.decode()
    operator.post(do(erasure, "erase"), CONFIRMED)
    assert not Message.objects.filter(pk=alice.message.pk).exists()
    erasure.refresh_from_db()
    assert (erasure.status, erasure.user.username) == ("done", "olga")  # type: ignore[union-attr]


def test_what_is_meant_is_listed_and_forgotten_once_that_is_confirmed(
    alice: Memory, operator: Client, reviewer: Client
) -> None:
    address = reverse("admin:memory_entity_forget", args=[alice.entity.pk])
    assert reviewer.get(address).status_code == 403
    asked = operator.post(address, {"words": "forget the approval"})
    proposal = asked.context["proposal"]
    chosen = [str(match.id) for match in proposal.found.chosen]
    assert alice.atom.text in asked.content.decode()
    assert Message.objects.filter(pk=alice.message.pk).exists()
    operator.post(address, {"token": proposal.token, "listed": chosen, "chosen": chosen})
    assert not Message.objects.filter(pk=alice.message.pk).exists()
    again = operator.post(address, {"token": proposal.token, "listed": chosen, "chosen": chosen})
    assert "confirms nothing" in again.content.decode()
    assert "nobody" in operator.post(address, {"words": "forget nobody"}).content.decode()


def test_an_erase_is_of_one_entity(alice: Memory, bob: Memory, superuser: Client) -> None:
    chosen = [str(alice.message.session_id), str(bob.message.session_id)]
    asked = {"action": "plan-erase", "_selected_action": chosen, "reason": "", **CONFIRMED}
    assert "choose rows of one alone" in superuser.post(list_of(Session), asked).content.decode()
    assert not Erasure.objects.filter(status="planned").exists()


def test_the_log_holds_kinds_and_ids_and_no_word_of_memory(alice: Memory, operator: Client) -> None:
    operator.post(do(alice.atom, "retract"), WHY)
    operator.post(do(alice.entity, "set-trait"), {"slot": "role", "text": "Platform engineer.", **WHY})
    operator.post(
        reverse("admin:memory_entity_change", args=[alice.entity.pk]),
        {"time_zone": "Europe/Vienna", "paused_steps": []},
    )
    told = [(entry.object_repr, entry.change_message) for entry in LogEntry.objects.order_by("pk")]
    short = str(alice.atom.pk)[-8:], str(alice.entity.pk)[-8:]
    assert told == [
        (f"atom {short[0]}", "Retract"),
        (f"entity {short[1]}", "Set a trait"),
        (f"entity {short[1]}", '[{"changed": {"fields": ["Time zone"]}}]'),
    ]

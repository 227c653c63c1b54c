"""A line of the Evolution Record repeats what was replaced, and rests on what replaced it."""

from __future__ import annotations

import pytest
from django.db import transaction

from memory.models import Line, SceneVersion
from memory.stewardship.erasing import Scope, erase, plan_erasure
from memory.stewardship.verify import verify
from tests.cascade.story import an_entity
from tests.factories import NewLine, make_atom, make_message, make_scene
from tests.stewardship.erasing.planting import BOSS

pytestmark = pytest.mark.django_db(transaction=True)

OLD, NEW = "Mara's desk is on the second floor.", "Mara's desk is on the fifth floor."
CHANGED = f"{NEW} (before: {OLD})"


def test_a_line_that_quotes_an_erased_claim_goes_and_what_holds_stays() -> None:
    entity = an_entity("agent.mara")
    with transaction.atomic():
        first = make_message(entity, OLD)
        second = make_message(entity, f"I moved. {NEW} The second one was too loud, the floor below.")
        old = make_atom(entity, OLD, [first])
        new = make_atom(entity, NEW, [second], replaces=old)
        lines = [NewLine("work_context", NEW, [new]), NewLine("evolution_record", CHANGED, [new])]
        version = make_scene(entity, "Desk", lines)
    scope = Scope("messages", messages=(first.pk,))
    erase(erasure=plan_erasure(entity=entity, scope=scope, actor=BOSS), actor=BOSS)
    head = SceneVersion.objects.heads().get(scene=version.scene_id)
    assert list(head.lines.values_list("text", flat=True)) == [NEW]
    assert not Line.objects.filter(text__contains="second floor").exists()
    assert verify(entity) == []

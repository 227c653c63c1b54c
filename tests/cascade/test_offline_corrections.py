"""Corrections and other languages with the offline model in the real cascade, in batches of any size."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from memory.models import Atom, Run
from memory.recall.decisions import read_drops
from tests.cascade.story import an_entity
from tests.cascade.test_offline_ladder import hear

pytestmark = pytest.mark.django_db

TALK = [
    "I am allergic to peanuts.",
    "Actually it's hazelnuts, not peanuts.",
    "The kickoff is on Monday.",
    "Sorry, I meant Tuesday.",
    "Ich wohne in Berlin.",
    "Ich bin nach Hamburg gezogen.",
    "La semana pasada estuve en Roma.",
    "我昨天签了合同。",
]
REMEMBERED = {
    "Alice is allergic to hazelnuts.": 2,
    "The kickoff is on Tuesday.": 2,
    "Alice: Ich bin nach Hamburg gezogen.": 1,
    "Alice: En la semana del 25 de mayo de 2026 estuve en Roma.": 1,
    "Alice: 我2026年6月1日签了合同。": 1,
}


def remembered(talk: Sequence[Sequence[str]]) -> dict[str, int]:
    """Live texts with how many messages each rests on."""
    entity = an_entity()
    first = 0
    for texts in talk:
        hear(entity, texts, first)
        first += len(texts)
    assert read_drops(Run.objects.for_entity(entity)) == ()
    return {atom.text: atom.evidence.count() for atom in Atom.objects.for_entity(entity).live()}


@pytest.mark.parametrize("size", [1, 3, len(TALK)])
def test_mended_claims_stand_alone_on_both_messages(size: int) -> None:
    batches = [TALK[first : first + size] for first in range(0, len(TALK), size)]
    assert remembered(batches) == REMEMBERED

"""The history of traits."""

import pytest

from memory.models import Trait, TraitVersion
from memory.recall.persona_reading import list_traits
from tests.cast import Alice
from tests.factories import cite


def test_each_slot_has_its_latest_wordings_newest_first(alice: Alice) -> None:
    TraitVersion.objects.filter(pk=alice.trait.pk).update(is_head=False)
    newer = TraitVersion.objects.create(
        workspace=alice.entity.workspace,
        entity=alice.entity,
        trait=alice.trait.trait,
        number=2,
        text="Always asks for approval first.",
    )
    line = alice.trait.evidence.get().line
    cite(alice.entity, of_trait_version=newer, targets={"line": [line]})
    [history] = list_traits(alice.entity)
    assert [(one.number, one.text, one.is_head) for one in history.wordings] == [
        (2, "Always asks for approval first.", True),
        (1, alice.trait.text, False),
    ]
    assert [[receipt.id for receipt in one.evidence] for one in history.wordings] == [[line.pk], [line.pk]]
    [cut] = list_traits(alice.entity, limit=1)
    assert (cut.total, [one.number for one in cut.wordings]) == (2, [2])


def test_a_retracted_slot_keeps_its_history(alice: Alice) -> None:
    Trait.objects.filter(pk=alice.trait.trait_id).update(status="retracted")
    [history] = list_traits(alice.entity)
    assert (history.is_live, history.total) == (False, 1)


def test_a_history_without_wordings_is_refused(alice: Alice) -> None:
    with pytest.raises(ValueError, match="at least one"):
        list_traits(alice.entity, limit=0)

"""What hangs together by evidence."""

from django.db import transaction

from memory.recall.connected import connected
from tests.factories import NewLine, make_atom, make_entity, make_message, make_scene, make_trait


def test_groups_hold_what_is_above_and_below_their_rows_and_nothing_beside(db: None) -> None:
    entity = make_entity()
    with transaction.atomic():
        first, second = (make_message(entity, text) for text in ("One.", "Two."))
        atoms = [make_atom(entity, "One.", [first]), make_atom(entity, "Two.", [second])]
        lines = [NewLine("work_context", atom.text, [atom]) for atom in atoms]
        one, two = make_scene(entity, "Both", lines).lines.order_by("places__position")
        trait = make_trait(entity, "role", "Counts.", [one, two])
    below = {one.pk, two.pk, atoms[0].pk, atoms[1].pk, first.pk, second.pk}
    assert connected(entity, top=[trait.pk], words=[first.pk], middle=[atoms[1].pk], none=[]) == {
        "top": {trait.pk, *below},
        "words": {first.pk, atoms[0].pk, one.pk, trait.pk},
        "middle": {second.pk, atoms[1].pk, two.pk, trait.pk},
        "none": set(),
    }


def test_nothing_of_another_entity_is_followed(db: None) -> None:
    entity, other = make_entity(), make_entity("agent.bob-test")
    with transaction.atomic():
        message = make_message(other, "A secret.")
        make_atom(other, "A secret.", [message])
    assert connected(entity, asked=[message.pk]) == {"asked": {message.pk}}

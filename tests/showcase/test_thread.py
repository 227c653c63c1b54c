"""One thread through the ladder, as far up as it goes."""

from memory.models import Atom, Entity, TraitVersion
from showcase.access import Place, Scope
from showcase.parts import Card
from showcase.thread import thread_of
from tests.factories import NewLine, make_atom, make_entity, make_message, make_scene, make_workspace, repeat


def told(cards: tuple[Card, ...]) -> list[tuple[str, str]]:
    return [(card.kind, card.text) for card in cards]


def test_a_trait_is_followed_down_to_the_words(alice: Entity) -> None:
    rule = "Never deploy Billing 0 to production without written approval."
    assert told(thread_of(Scope(alice, Place.DEMO))) == [
        ("message", rule),
        ("atom", rule),
        ("line", rule),
        ("trait", "Ask before you act."),
    ]


def test_each_card_rests_on_the_one_before(alice: Entity) -> None:
    message, atom, line, trait = thread_of(Scope(alice, Place.DEMO))
    assert Atom.objects.filter(pk=atom.id, evidence__message=message.id).exists()
    version = TraitVersion.objects.get(trait=trait.id)
    assert version.evidence.filter(line=line.id, line__evidence__atom=atom.id).exists()


def test_a_ladder_that_is_not_finished_is_shown_as_far_as_it_goes(db: None) -> None:
    entity = make_entity("agent.half", workspace=make_workspace("half"))
    scope = Scope(entity, Place.DEMO)
    assert thread_of(scope) == ()
    message = make_message(entity, "We ship on Monday.")
    assert told(thread_of(scope)) == [("message", "We ship on Monday.")]
    atom = make_atom(entity, "Ships on Monday.", [message])
    assert [card.kind for card in thread_of(scope)] == ["message", "atom"]
    make_scene(entity, "Shipping", [NewLine("work_context", "Ships on Monday.", [atom])])
    assert [card.kind for card in thread_of(scope)] == ["message", "atom", "line"]


def test_the_first_words_come_before_those_that_repeat_them(alice: Entity) -> None:
    atom = Atom.objects.for_entity(alice).get(kind=Atom.Kind.INSTRUCTION)
    repeat(atom, make_message(alice, "As I said."))
    message, *_ = thread_of(Scope(alice, Place.DEMO))
    assert message.text == atom.text


def test_what_is_superseded_holds_no_thread(alice: Entity) -> None:
    Atom.objects.for_entity(alice).update(status=Atom.Status.SUPERSEDED)
    assert [card.kind for card in thread_of(Scope(alice, Place.DEMO))] == ["message"]

"""Atom pages: what a claim rests on, its chain, and what rests on it."""

from django.db import transaction
from django.test import Client

from memory.models import Atom, Correction, Evidence, GraphEdge, GraphNode
from showcase.access import Place, Scope
from showcase.links import record_url
from showcase.records.atoms import AtomPage, atom_page
from tests.factories import cite, make_atom, make_claim, make_message, repeat
from tests.showcase.records.conftest import Told


def page_of(told: Told, atom: object) -> AtomPage:
    return atom_page(Scope(told.entity, Place.DEMO), getattr(atom, "pk"))  # noqa: B009


def test_the_chain_is_a_timeline(told: Told) -> None:
    page = page_of(told, told.old)
    assert [(step.text, step.status, step.is_shown) for step in page.chain] == [
        (told.old.text, "superseded", True),
        (told.new.text, "live", False),
    ]
    assert page.chain[1].came == "merged with what stood: its value changed"
    assert (page.status, page.is_live) == ("superseded", False)


def test_a_contested_claim_stands_in_its_chain(told: Told) -> None:
    with transaction.atomic():
        message = make_message(told.entity, "No, in July.", session="ledger-0")
        atom = make_atom(told.entity, "Ledger 0 moves in July.", [message], status="contested")
        Atom.objects.filter(pk=atom.pk).update(chain=told.new.chain)
    assert [step.said for step in page_of(told, told.new).chain] == ["superseded", "holds now", "contested"]


def test_evidence_goes_down_to_the_words_and_up_to_the_persona(told: Told) -> None:
    with transaction.atomic():
        repeat(told.rule, make_message(told.entity, "As I said: ask me.", session="later"))
    page = page_of(told, told.rule)
    assert [(card.text, [fact.name for fact in card.facts]) for card in page.below] == [
        (told.messages[0].text, ["session"]),
        ("As I said: ask me.", ["session", "repeats it"]),
    ]
    assert [(card.title, card.text, card.state) for card in page.lines] == [("Ledger 0", told.rule.text, "")]
    assert [card.text for card in page.traits] == ["Wants to be asked first."]


def test_a_line_of_no_current_version_says_so(told: Told) -> None:
    [line] = page_of(told, told.old).lines
    assert (line.state, "/traces/" in line.url) == ("in no current version", True)


def test_facts_name_what_is_known(told: Told) -> None:
    facts = {fact.name: fact.value for fact in page_of(told, told.rule).facts if fact.value}
    assert facts["priority"] == "80"
    assert facts["holds when"] == "always"
    assert facts["on the word of"] == "user"
    assert facts["topic"] == "Ledger 0"
    assert facts["decision"] == "stored as new"


def test_what_people_ruled_is_told_without_names_to_visitors(told: Told, client: Client) -> None:
    correction = Correction.objects.create(
        workspace=told.entity.workspace,
        entity=told.entity,
        kind=Correction.Kind.ATOM_RESTORED,
        by="Carol",
        reason="It holds after all.",
        after={"atom": str(told.rule.pk)},
    )
    cite(told.entity, of_atom=told.rule, targets={"correction": [correction]})
    content = client.get(record_url(Scope(told.entity, Place.DEMO), "atom", told.rule.pk)).content.decode()
    assert "Atom restored by a person" in content
    assert "It holds after all." in content
    traced = client.get(f"/showcase/agent-memory/traces/{correction.pk}/").content.decode()
    assert "atom restored by a person" in traced
    assert "Carol" not in content + traced


def test_claims_tell_their_value_their_source_and_their_edge(told: Told) -> None:
    with transaction.atomic():
        claim = make_claim(told.entity, "billing.plan", "pro")
        owner = {"workspace_id": told.entity.workspace_id, "entity": told.entity}
        node = GraphNode.objects.create(**owner, kind="customer", identifier="customer-123")
        GraphEdge.objects.create(**owner, subject=node, predicate="billing.plan", value="pro", atom=claim)
    page = page_of(told, claim)
    facts = {fact.name: fact.value for fact in page.facts}
    assert facts["claims"] == 'customer customer-123: billing.plan = "pro"'
    assert [(fact.name, fact.value) for fact in page.outside] == [
        ("tool event", "billing.plan.observed (as application)")
    ]
    assert page.edge == "customer customer-123 — billing.plan → pro"
    assert Evidence.objects.filter(of_atom=claim).count() == 1

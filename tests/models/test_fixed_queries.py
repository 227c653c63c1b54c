"""Queries that are put together once: the same rows as the query itself, whatever is asked."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import connection, transaction
from django.db.models import Case, Count, F, QuerySet, TextField, Value, When
from django.test.utils import CaptureQueriesContext

from memory.fixed_queries import FixedQuery, one_of
from memory.models import Atom, Entity, Message
from tests.factories import make_atom, make_entity, make_message

LATER = datetime.now(UTC) + timedelta(days=1)


@pytest.fixture
def told(db: None) -> tuple[Entity, list[Message], list[Atom]]:
    """An entity with three messages and an atom of each, beside another that says the same."""
    tell("agent.bob")
    return tell("agent.alice")


def tell(name: str) -> tuple[Entity, list[Message], list[Atom]]:
    entity = make_entity(name)
    with transaction.atomic():
        messages = [make_message(entity, f"Line {number} is closed.") for number in range(3)]
        atoms = [make_atom(entity, message.text, [message]) for message in messages]
    return entity, messages, atoms


def written_atoms(*, entity: UUID, wanted: list[UUID]) -> QuerySet[Atom]:
    rows = Atom.objects.filter(one_of("pk", wanted), entity=entity).select_related("entity")
    return rows.annotate(receipts=Count("evidence")).defer("terms").order_by("seq")


def test_rows_are_those_of_the_query_with_their_relations_and_annotations(
    told: tuple[Entity, list[Message], list[Atom]],
) -> None:
    entity, _, atoms = told
    query = FixedQuery(written_atoms, entity=UUID, wanted=list[UUID])
    for wanted in ([], [atoms[1].pk], [atoms[2].pk, atoms[0].pk, uuid4()]):
        asked: dict[str, Any] = {"entity": entity.pk, "wanted": wanted}
        with CaptureQueriesContext(connection) as captured:
            found = [(atom.pk, atom.text, atom.entity.name, atom.receipts) for atom in query.rows(**asked)]  # type: ignore[attr-defined]
        whole = [atom for atom in atoms if atom.pk in wanted]
        assert found == [(atom.pk, atom.text, "agent.alice", 1) for atom in whole]
        assert (len(captured), query.rows(**asked)) == (1, list(written_atoms(**asked)))


def test_the_query_is_built_once_and_no_value_of_a_call_stays_in_it(
    told: tuple[Entity, list[Message], list[Atom]],
) -> None:
    entity, messages, _ = told
    built = []

    def said(*, entity: UUID, until: datetime, texts: list[str]) -> QuerySet[Message, tuple[UUID, bool]]:
        built.append(entity)
        is_told = Case(
            When(one_of("text", texts, TextField), then=Value(value=True)), default=Value(value=False)
        )
        rows = Message.objects.filter(entity=entity, recorded_at__lte=until).annotate(is_told=is_told)
        return rows.order_by("seq").values_list("pk", "is_told")

    query = FixedQuery(said, entity=UUID, until=datetime, texts=list[str])
    first, second, third = (message.pk for message in messages)
    asked = {"entity": entity.pk, "until": LATER, "texts": [messages[0].text, "100% of '%s'"]}
    assert query.rows(**asked) == [(first, True), (second, False), (third, False)]
    assert query.rows(**{**asked, "texts": []}) == [(first, False), (second, False), (third, False)]
    assert query.rows(**{**asked, "until": datetime.min.replace(tzinfo=UTC)}) == []
    assert query.rows(**{**asked, "entity": uuid4()}) == []
    assert query.rows(**asked) == [(first, True), (second, False), (third, False)]
    assert len(built) == 1


def test_columns_of_json_are_read_as_models_read_them(told: tuple[Entity, list[Message], list[Atom]]) -> None:
    entity, *_ = told
    message = make_message(entity, "Line 4 is closed.", metadata={"place": ["a", 1]})

    def noted(*, message: UUID) -> QuerySet[Any, Any]:
        return Message.objects.filter(pk=message).values("metadata", who=F("entity__name"))

    rows = FixedQuery(noted, message=UUID).rows(message=message.pk)
    assert rows == [{"metadata": {"place": ["a", 1]}, "who": entity.name}]


def everybody(**_: UUID) -> QuerySet[Entity]:
    return Entity.objects.all()


def test_a_value_that_the_query_does_not_hold_is_refused_and_a_missing_one_too(db: None) -> None:
    deaf = FixedQuery(everybody, entity=UUID)
    with pytest.raises(ValueError, match="does not hold as given: entity"):
        deaf.rows(entity=uuid4())
    whole = FixedQuery(lambda *, entity: Entity.objects.filter(pk=entity), entity=UUID)
    with pytest.raises(KeyError):
        whole.rows()

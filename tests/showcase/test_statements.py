"""Every page by the table of addresses, at two sizes: none takes more than twelve statements."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.test import Client

from memory.cascade.engine import settle_entity
from memory.indexing.step import index_entity
from memory.ingest.sandbox import open_sandbox, say
from memory.models import Entity, Member, Procedure, ProcedureVersion
from memory.skills.review import approve
from showcase.access import SANDBOX_KEY
from tests.cascade.story import an_entity
from tests.factories import make_message, make_rule
from tests.showcase.addresses import Rows, addresses
from tests.showcase.reactor.telling import say_and_settle, tell_session
from tests.showcase.records.conftest import Told, tell_history
from tests.showcase.skills.looping import learn, use_and_say
from tests.showcase.statements import STATEMENTS_LIMIT, statements
from tests.skills.skilled import PERSON, trace

TELLINGS, RULES = 5, 60
NO_PAGE = 405


def settled(entity: Entity) -> None:
    """Nothing waits for the cascade or for the index."""
    settle_entity(entity)
    index_entity(entity_id=entity.pk)


@pytest.fixture
def told(transactional_db: None) -> dict[str, Told]:
    """The tour and a visitor's memory, both with a history."""
    memories = {"demo": an_entity("agent.alice-demo"), "sandbox": open_sandbox()}
    with transaction.atomic():
        found = {name: tell_history(entity) for name, entity in memories.items()}
    for place in (0, 1):
        tell_session(memories["demo"], place)
    say(entity=memories["sandbox"], text="Never touch the ledger before 3 May.")
    for entity in memories.values():
        settled(entity)
    return found


@pytest.fixture
def procedure(told: Mapping[str, Told]) -> Procedure:
    """Drafted from traces, approved, used and criticised."""
    entity = told["demo"].entity
    for _ in range(2):
        trace(entity)
    learn(entity)
    version = approve(draft=ProcedureVersion.objects.drafts().get(entity=entity), actor=PERSON, base=None)
    use_and_say(version)
    learn(entity)
    procedure: Procedure = version.procedure
    return procedure


@pytest.fixture
def everybody(client: Client, told: Mapping[str, Told]) -> Client:
    """An operator of the tour's workspace who is a visitor with a sandbox too."""
    user = User.objects.create_user("olga", is_staff=True)
    Member.objects.create(workspace=told["demo"].entity.workspace, user=user, role=Member.Role.OPERATOR)
    client.force_login(user)
    session = client.session
    session[SANDBOX_KEY] = str(told["sandbox"].entity.pk)
    session.save()
    return client


def rows_of(told: Told) -> Rows:
    """A record of each kind that has a page."""
    return Rows(told.entity.pk, told.messages[0].pk, told.new.pk, told.head.scene_id)


def grow(told: Mapping[str, Told], procedure: Procedure) -> None:
    """Many times the rows of every kind, in every memory."""
    for name, records in told.items():
        with transaction.atomic():
            for number in range(1, TELLINGS + 1):
                tell_history(records.entity, number)
            for number in range(RULES):
                said = make_message(records.entity, f"Keep the ledger {number} closed.", session="many")
                make_rule(records.entity, said.text, [said])
        if name == "demo":
            say_and_settle(records.entity, "more", [f"Always archive report {n} first." for n in range(9)])
        settled(records.entity)
    for number in range(3):
        waiting = ProcedureVersion.objects.drafts().get(procedure=procedure)
        version = approve(draft=waiting, actor=PERSON, base=waiting.base and waiting.base.number)
        use_and_say(version, f"Write down step {number} of the change log before the deploy.")
        learn(procedure.entity)


def test_no_page_takes_more_than_twelve_statements_at_any_size(
    everybody: Client, told: Mapping[str, Told], procedure: Procedure
) -> None:
    pages = {
        name: path
        for name, path in addresses(
            rows_of(told["demo"]), rows_of(told["sandbox"]), procedure=procedure.pk, stage="2-l1"
        ).items()
        if everybody.get(path).status_code != NO_PAGE
    }
    small = {name: statements(everybody, path) for name, path in pages.items()}
    grow(told, procedure)
    large = {name: statements(everybody, path) for name, path in pages.items()}
    assert {page: count for page, count in small.items() if count > STATEMENTS_LIMIT} == {}
    assert {page: (small[page], count) for page, count in large.items() if count > small[page]} == {}

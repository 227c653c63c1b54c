"""A workspace with rows in every table, and the people who look at them."""

import hashlib
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from memory.claims.projection import Thing, node_id
from memory.models import (
    Correction,
    Digest,
    EmbeddingSpace,
    Entity,
    Erasure,
    Evidence,
    Feedback,
    GraphEdge,
    GraphNode,
    IdempotentReply,
    InstalledDesign,
    Key,
    LanguageSample,
    Layer,
    LayerCount,
    LiveSource,
    LiveValue,
    Member,
    ModelEndpoint,
    Outbox,
    Policy,
    ProcedureVersion,
    Process,
    Rebuild,
    Run,
    SceneVersion,
    SearchUnit,
    Share,
    Step,
    TermCount,
    Tombstone,
    TraitVersion,
    UnitVector,
    Use,
    Work,
    Workspace,
)
from tests.factories import (
    SAID_AT,
    NewLine,
    cite,
    make_atom,
    make_claim,
    make_entity,
    make_message,
    make_next_version,
    make_rule,
    make_run,
    make_scene,
    make_trait,
    make_workspace,
)
from tests.skills.procedures import DEPLOY, make_procedure, make_procedure_version

CONFIRMED = {"confirmed": "yes"}


@dataclass
class Memory:
    """One entity with something on every layer."""

    entity: Entity
    message: Any
    atom: Any
    version: SceneVersion
    line: Any
    trait_version: TraitVersion
    correction: Correction
    run: Run
    key: Key
    draft: ProcedureVersion

    @property
    def workspace(self) -> Workspace:
        return self.entity.workspace


def make_key(workspace: Workspace, label: str) -> Key:
    token = Key.new_token()
    return Key.objects.create(
        workspace=workspace, label=label, prefix=token[:8], digest=Key.digest_of(token), scopes=["read"]
    )


def make_correction(entity: Entity, atom: Any) -> Correction:
    correction = Correction.objects.create(
        workspace_id=entity.workspace_id, entity=entity, kind="atom_superseded", reason="A wrong date."
    )
    Evidence.objects.create(
        workspace_id=entity.workspace_id, entity=entity, of_atom=atom, correction=correction
    )
    return correction


def fill(name: str, *, workspace: Workspace) -> Memory:
    """A new entity with one row or more in every table."""
    return fill_entity(make_entity(name, workspace=workspace))


def fill_entity(entity: Entity) -> Memory:
    """One row or more in every table of an entity."""
    name, workspace = entity.name, entity.workspace
    run = make_run(entity)
    message = make_message(entity, f"{name}: never deploy without approval.", run=run)
    old = make_rule(entity, f"{name}: deploy with approval until July.", [message])
    atom = make_atom(
        entity,
        f"{name}: never deploy without approval.",
        [message],
        replaces=old,
        kind="instruction",
        run=run,
    )
    first = make_scene(entity, f"{name}: deploys", [NewLine("core_sop", "Ask for approval.", [old])])
    version = make_next_version(first, added=[NewLine("prohibitions", "Never deploy unapproved.", [atom])])
    line = version.lines.get(section="prohibitions")
    trait_version = make_trait(entity, "decision_pattern", f"{name}: careful.", [line])
    correction = make_correction(entity, atom)
    Work.objects.bulk_create(Work(workspace=workspace, entity=entity, step=step) for step in Step)
    Outbox.objects.create(workspace=workspace, entity=entity, event="message.stored", ids={"n": 1})
    Process.objects.get_or_create(kind="worker", name=name, defaults={"configuration_hash": "0"})
    ModelEndpoint.objects.get_or_create(base_url_hash="0", model=name, defaults={"json_mode": "schema"})
    key = make_key(workspace, name)
    make_designs(entity)
    make_claims(entity)
    make_digest(message)
    make_index(message)
    draft = make_skills(entity)
    make_erasure(entity)
    make_doors(entity, key)
    return Memory(entity, message, atom, version, line, trait_version, correction, run, key, draft)


def make_doors(entity: Entity, key: Key) -> None:
    """Another entity that may read this one's memory, and the reply to a write."""
    owner = {"workspace": entity.workspace, "entity": entity, "key": key}
    Share.objects.create(**owner, reader=make_entity(f"{entity.name}.reader", workspace=entity.workspace))
    IdempotentReply.objects.create(
        **owner, digest=entity.pk.bytes * 2, request=entity.pk.bytes * 2, status=201
    )


def make_skills(entity: Entity) -> ProcedureVersion:
    """A reviewed procedure, a use of it with feedback, and a draft that waits."""
    active = make_procedure(entity, f"{entity.name}: deploying")
    use = Use.objects.create(
        workspace_id=entity.workspace_id,
        entity=entity,
        kind="procedure",
        sha256="0" * 64,
        tokens=120,
        manifest={},
        procedure_versions=[active.pk],
        expires_at=timezone.now() + timedelta(days=90),
    )
    Feedback.objects.create(
        workspace_id=entity.workspace_id,
        entity=entity,
        use=use,
        procedure_version=active,
        kind="correction",
        source="operator",
        comment="Attach a rollback plan.",
    )
    sections = {**DEPLOY, "validation": ["Telemetry shows no errors for an hour."]}
    return make_procedure_version(active.procedure, active.title, sections, base=active)


def make_erasure(entity: Entity) -> None:
    """An erase that was done, with what it left."""
    erasure = Erasure.objects.create(
        workspace_id=entity.workspace_id,
        entity=entity,
        entity_mark="0" * 64,
        scope="messages",
        status="done",
        counts={"messages": 2},
        by="operator",
        expires_at=timezone.now(),
        done_at=timezone.now(),
    )
    digest = hashlib.sha256(str(erasure.pk).encode()).digest()
    Tombstone.objects.create(workspace_id=entity.workspace_id, erasure=erasure, digest=digest)


def make_designs(entity: Entity) -> None:
    """An installed design and a rebuild under it."""
    InstalledDesign.objects.create(
        workspace=entity.workspace,
        name=f"n{entity.pk.hex[-12:]}",
        version="1.0.0",
        digest=entity.pk.hex,
        description=f"{entity.name}: tried.",
        content={},
    )
    Rebuild.objects.create(
        workspace_id=entity.workspace_id,
        entity=entity,
        layer="L1",
        design="tried@1.0.0",
        design_hash="0",
        model="offline@1",
        status="discarded",
        ended_at=SAID_AT,
        erase_epoch=0,
        ground="0",
        difference={"atoms_added": 1},
    )


def make_claims(entity: Entity) -> None:
    """A claim with its edge, and one whose value is fetched from a source."""
    owner = {"workspace_id": entity.workspace_id, "entity": entity}
    name = f"n{entity.pk.hex[-12:]}"
    source = LiveSource.objects.create(workspace=entity.workspace, name=name, kind="callable", address="plan")
    Policy.objects.create(workspace=entity.workspace, pattern=name, action="live", source=source)
    claim = make_claim(entity, "billing.plan", {"cycle": "annual"})
    fetched = make_claim(entity, "billing.balance", None, live_source=name)
    LiveValue.objects.create(**owner, atom=fetched, value=12, fetched_at=SAID_AT, expires_at=SAID_AT)
    thing = Thing("customer", "customer-123")
    node = GraphNode.objects.create(
        **owner, id=node_id(entity.pk, thing), kind=thing.kind, identifier=thing.identifier
    )
    GraphEdge.objects.create(
        **owner, subject=node, predicate="billing.plan", value={"cycle": "annual"}, atom=claim
    )


def make_digest(message: Any) -> None:
    """What the message's session comes to."""
    owner = {"workspace_id": message.workspace_id, "entity": message.entity}
    digest = Digest.objects.create(
        **owner, session=message.session, kind="summary", number=1, text="Deploys.", until_ordinal=1
    )
    cite(message.entity, of_digest=digest, targets={"message": [message]})


def make_index(message: Any) -> None:
    """What search reads of a message; the queue has filled itself."""
    owner = {"workspace_id": message.workspace_id, "entity": message.entity}
    unit = SearchUnit.objects.create(
        **owner, layer=Layer.MESSAGE, message=message, terms=[7], frequencies=[1], length=1
    )
    space, _ = EmbeddingSpace.objects.get_or_create(
        name=f"{message.entity.name}/2", defaults={"dimensions": 2}
    )
    UnitVector.objects.create(**owner, unit=unit, space=space, embedding=[0.6, 0.8])
    TermCount.objects.create(**owner, term=7, units=1)
    LayerCount.objects.create(**owner, layer=Layer.MESSAGE, units=1, length=1)
    LanguageSample.objects.create(**owner, languages=["en"])


def park(memory: Memory) -> None:
    """Set the entity's message aside, as a failed run does."""
    type(memory.message).objects.filter(pk=memory.message.pk).update(
        consumed_by=None, parked_by=memory.run, parked_at=timezone.now()
    )


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def make_member(name: str, workspace: Workspace, role: str) -> User:
    user = User.objects.create_user(name, is_staff=True)
    Member.objects.create(workspace=workspace, user=user, role=role)
    return user


@pytest.fixture
def alice(db: None) -> Memory:
    return fill("agent.alice", workspace=make_workspace("northwind"))


@pytest.fixture
def bob(db: None) -> Memory:
    """Of another workspace: none of this may leak."""
    return fill("agent.bob", workspace=make_workspace("southwind"))


@pytest.fixture
def superuser(db: None) -> Client:
    return signed_in(User.objects.create_superuser("root"))


@pytest.fixture
def operator(alice: Memory) -> Client:
    return signed_in(make_member("olga", alice.workspace, "operator"))


@pytest.fixture
def reviewer(alice: Memory) -> Client:
    return signed_in(make_member("rita", alice.workspace, "reviewer"))


@pytest.fixture
def viewer(alice: Memory) -> Client:
    return signed_in(make_member("victor", alice.workspace, "viewer"))

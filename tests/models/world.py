"""Three memories with a row of every table in each.

`own` is tried; `near` lies in the same workspace, `far` in another one.
"""

from django.contrib.auth.models import User

from memory.models import (
    Chain,
    Correction,
    Digest,
    EmbeddingSpace,
    Entity,
    Erasure,
    Evidence,
    GraphEdge,
    GraphNode,
    IdempotentReply,
    InstalledDesign,
    Key,
    LanguageSample,
    Layer,
    LayerCount,
    Line,
    LiveSource,
    LiveValue,
    Member,
    Message,
    ModelEndpoint,
    Outbox,
    Policy,
    Process,
    Rebuild,
    RecordCount,
    Scene,
    SceneVersion,
    SearchUnit,
    Share,
    Step,
    TermCount,
    Tombstone,
    Trait,
    TraitVersion,
    Unindexed,
    UnitVector,
    Unpromoted,
    Work,
)
from tests.factories import (
    SAID_AT,
    NewLine,
    cite,
    make_atom,
    make_claim,
    make_entity,
    make_message,
    make_run,
    make_scene,
    make_trait,
    make_workspace,
)
from tests.models.rows import World, fresh_word
from tests.models.skills_world import make_skills


def make_world() -> World:
    """The three memories, a process, an endpoint and two people."""
    world: World = {
        "process": Process.objects.create(kind="worker", name="tried", configuration_hash="0").pk,
        "endpoint": ModelEndpoint.objects.create(base_url_hash="0", model="tried", json_mode="schema").pk,
        "user": User.objects.create(username="tried").pk,
        "other_user": User.objects.create(username="other").pk,
        "space": EmbeddingSpace.objects.create(name="tried@1/2", dimensions=2).pk,
    }
    entities = {
        "own": make_entity("agent.own", workspace=make_workspace("here")),
        "near": make_entity("agent.near", workspace=make_workspace("here")),
        "far": make_entity("agent.far", workspace=make_workspace("there")),
    }
    for name, entity in entities.items():
        Entity.objects.filter(pk=entity.pk).update(user_id=name)
        rows = {"workspace": entity.workspace_id, "entity": entity.pk, **_make_words(entity)}
        rows |= _make_index(entity, rows) | _make_digest(entity, rows) | _make_claims(entity)
        rows |= make_skills(entity, rows) | _make_erasure(entity) | _make_doors(entity)
        world |= {f"{name}.{row}": row_id for row, row_id in rows.items()}
    user = User.objects.get(username="tried")
    world["own.member"] = Member.objects.create(workspace=entities["own"].workspace, user=user).pk
    own = entities["own"]
    shadow = Entity.objects.create(workspace=own.workspace, name=own.name, shadow_of=own)
    world |= {"own.shadow": shadow.pk, "own.design": _make_design(own).pk}
    return world | _make_key(own)


def _make_design(entity: Entity) -> InstalledDesign:
    return InstalledDesign.objects.create(
        workspace=entity.workspace,
        name="tried",
        version="1.0.0",
        digest="0",
        description="Tried.",
        content={},
    )


def _make_key(entity: Entity) -> World:
    key = Key.objects.create(
        workspace=entity.workspace, label="tried", prefix="msk_t", digest="0", scopes=["read"]
    )
    key.entities.add(entity)
    bound = Key.entities.through.objects.get(key_id=key.pk)
    return {"own.key": key.pk, "own.key_entity": bound.pk}


def _make_words(entity: Entity) -> World:
    talk = entity.name
    message = make_message(entity, "Keep billing on Express.", session=talk, dedupe_key=talk)
    reply = make_message(entity, "It stays there.", session=talk, role="assistant", parent=message)
    old = make_atom(entity, "Billing moves to Fastify.", [message])
    atom = make_atom(entity, "Billing stays on Express.", [message], replaces=old)
    return {
        "session": message.session_id,
        "message": message.pk,
        "reply": reply.pk,
        "chain": atom.chain_id,
        "spare_chain": Chain.objects.create(workspace=entity.workspace, entity=entity).pk,
        "old_atom": old.pk,
        "atom": atom.pk,
        "receipt_of_atom": Evidence.objects.get(of_atom=atom).pk,
        **_make_upper_layers(entity, NewLine("work_context", atom.text, [atom])),
    }


def _make_digest(entity: Entity, rows: World) -> World:
    """What the session comes to, resting on the first of its two messages."""
    digest = Digest.objects.create(
        workspace_id=entity.workspace_id,
        entity=entity,
        session_id=rows["session"],
        kind=Digest.Kind.SUMMARY,
        number=1,
        text="Billing stays on Express.",
        until_ordinal=2,
    )
    cite(entity, of_digest=digest, targets={"message": [Message.objects.get(pk=str(rows["message"]))]})
    return {"digest": digest.pk, "receipt_of_digest": Evidence.objects.get(of_digest=digest).pk}


def _make_claims(entity: Entity) -> World:
    """A claim with its edge, one whose value is fetched, and what says so."""
    owner = {"workspace_id": entity.workspace_id, "entity": entity}
    source = LiveSource.objects.create(
        workspace=entity.workspace, name=fresh_word(), kind=LiveSource.Kind.CALLABLE, address="plans"
    )
    held = Policy.objects.create(workspace=entity.workspace, pattern=fresh_word())
    live = Policy.objects.create(
        workspace=entity.workspace, pattern=fresh_word(), action=Policy.Action.LIVE, source=source
    )
    claim = make_claim(entity, "billing.plan", {"kind": "plan", "id": "annual"})
    fetched = make_claim(entity, "billing.balance", None, live_source=source.name)
    value = {"value": 12, "fetched_at": SAID_AT, "expires_at": SAID_AT}
    node = GraphNode.objects.create(**owner, kind="customer", identifier="customer-123")
    other = GraphNode.objects.create(**owner, kind="plan", identifier="annual")
    edge = GraphEdge.objects.create(
        **owner, subject=node, predicate=claim.predicate, object=other, atom=claim
    )
    return {
        "source": source.pk,
        "policy": held.pk,
        "live_policy": live.pk,
        "claim": claim.pk,
        "live_claim": fetched.pk,
        "live_value": LiveValue.objects.create(**owner, atom=fetched, **value).pk,
        "graph_node": node.pk,
        "other_node": other.pk,
        "edge": edge.pk,
        "unpromoted": Unpromoted.objects.get(atom=claim).pk,
    }


def _make_upper_layers(entity: Entity, said: NewLine) -> World:
    version = make_scene(entity, "Billing API", [said])
    line = version.lines.get()
    trait_version = make_trait(entity, Trait.Slot.ARCHETYPE, "Keeps what works.", [line])
    return {
        "scene": version.scene_id,
        "version": version.pk,
        "place": version.places.get().pk,
        "line": line.pk,
        "receipt_of_line": Evidence.objects.get(of_line=line).pk,
        "trait": trait_version.trait_id,
        "trait_version": trait_version.pk,
        "receipt_of_trait": Evidence.objects.get(of_trait_version=trait_version).pk,
        **_make_corrected(version, trait_version),
        **_make_record(entity),
    }


def _make_corrected(version: SceneVersion, trait_version: TraitVersion) -> World:
    """What a person changed: a line, a version that no longer stands, and a wording of the trait."""
    owner = {"workspace_id": version.workspace_id, "entity": version.entity}
    correction = Correction.objects.create(**owner, kind=Correction.Kind.SCENE_EDITED)
    written = {**owner, "correction": correction}
    line = Line.objects.create(**written, scene=version.scene, section="core_sop", text="Ask first.")
    spare = Line.objects.create(**owner, scene=version.scene, section="core_sop", text="Spare.")
    trait = {"trait": trait_version.trait, "number": 9, "text": "Asks first.", "is_head": False}
    wording = TraitVersion.objects.create(**written, **trait)
    for derived in ({"of_line": line}, {"of_line": spare}, {"of_trait_version": wording}):
        cite(version.entity, **derived, targets={"correction": [correction]})
    scene = {"scene": version.scene, "number": 9, "title": "Billing", "is_head": False}
    return {
        "correction": correction.pk,
        "corrected_line": line.pk,
        "spare_line": spare.pk,
        "corrected_trait_version": wording.pk,
        "corrected_version": SceneVersion.objects.create(**written, **scene).pk,
        "correction_receipt": Evidence.objects.get(of_line=spare).pk,
    }


def _make_record(entity: Entity) -> World:
    owner = {"workspace_id": entity.workspace_id, "entity": entity}
    into = Scene.objects.live().get(entity=entity)
    ended = {"status": Scene.Status.MERGED, "slug": fresh_word(), "merged_into": into}
    return {
        "merged_scene": Scene.objects.create(**owner, **ended).pk,
        "run": make_run(entity).pk,
        "work": Work.objects.create(**owner, step=Step.L1_EXTRACT).pk,
        "outbox": Outbox.objects.create(**owner, event=Outbox.Event.STEP_DONE).pk,
        "rebuild": _make_rebuild(entity).pk,
    }


def _make_erasure(entity: Entity) -> World:
    erasure = Erasure.objects.create(
        workspace=entity.workspace,
        entity=entity,
        entity_mark="0",
        scope=Erasure.Scope.MESSAGES,
        expires_at=SAID_AT,
    )
    stone = Tombstone.objects.create(workspace=entity.workspace, erasure=erasure, digest=entity.pk.bytes * 2)
    return {"erasure": erasure.pk, "tombstone": stone.pk}


def _make_doors(entity: Entity) -> World:
    """Who else may read the memory, what a write was answered, what streams tell of one that is gone."""
    owner = {"workspace": entity.workspace, "entity": entity}
    reader, spare = (
        Entity.objects.create(workspace=entity.workspace, name=f"{place} of {entity.name}")
        for place in ("reader", "spare reader")
    )
    key = Key.objects.create(
        workspace=entity.workspace, label="tried", prefix="msk_t", digest=entity.name, scopes=["write"]
    )
    reply = {"digest": entity.pk.bytes * 2, "request": entity.pk.bytes * 2, "status": 201, "ids": {"n": 1}}
    gone = {"event": Outbox.Event.ERASED, "ids": {"entity": str(entity.pk)}}
    return {
        "key": key.pk,
        "spare_reader": spare.pk,
        "share": Share.objects.create(**owner, reader=reader, key=key).pk,
        "idempotent_reply": IdempotentReply.objects.create(**owner, key=key, **reply).pk,
        "gone": Outbox.objects.create(workspace=entity.workspace, **gone).pk,
    }


def _make_rebuild(entity: Entity) -> Rebuild:
    return Rebuild.objects.create(
        workspace_id=entity.workspace_id,
        entity=entity,
        layer="L1",
        design="tried@1.0.0",
        design_hash="0",
        model="tried",
        erase_epoch=0,
        ground="0",
    )


def _make_index(entity: Entity, rows: World) -> World:
    """What search reads: a unit of each layer, a vector, counts, and a row that waits."""
    owner = {"workspace_id": entity.workspace_id, "entity": entity}
    cut = {**owner, "terms": [7], "frequencies": [1], "length": 1}
    spare = Trait.objects.create(**owner, slot=Trait.Slot.INTERACTION_PROTOCOL)
    unit = SearchUnit.objects.create(
        **cut, layer=Layer.MESSAGE, message_id=rows["message"], session_id=rows["session"]
    )
    atom = SearchUnit.objects.create(**cut, layer=Layer.ATOM, atom_id=rows["atom"])
    section = SearchUnit.objects.create(
        **cut, layer=Layer.SECTION, scene_id=rows["scene"], section="work_context"
    )
    trait = SearchUnit.objects.create(**cut, layer=Layer.TRAIT, trait_id=rows["trait"])
    space = EmbeddingSpace.objects.get()
    LanguageSample.objects.create(**owner, languages=["en"])
    return {
        "spare_trait": spare.pk,
        "search_unit": unit.pk,
        "atom_unit": atom.pk,
        "section_unit": section.pk,
        "trait_unit": trait.pk,
        "unit_vector": UnitVector.objects.create(**owner, unit=unit, space=space, embedding=[0.6, 0.8]).pk,
        "term_count": TermCount.objects.create(**owner, term=7, units=4).pk,
        "layer_count": LayerCount.objects.create(**owner, layer=Layer.MESSAGE, units=1, length=1).pk,
        "record_count": RecordCount.objects.filter(**owner).order_by("pk")[0].pk,
        "unindexed": Unindexed.objects.create(**owner, layer=Layer.ATOM, row=rows["atom"]).pk,
    }

"""The product's own story, played over HTTP so that every operation of the API has a part in it.

What each chapter needs from those before stands in `self.ids`. The exchanges are the document's examples:
`make api-examples` takes them down anew.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.test import Client

import memory.walkthrough
from memory.api.operations.inspecting import operation_id
from memory.cascade.engine import settle_entity
from memory.ingest.workspaces import create_key
from memory.llm.offline.model import OfflineModel
from memory.llm.protocol import Model
from memory.models import Entity, Workspace
from tests.scripted_model import ScriptedModel
from tests.stewardship.exporting.files import empty_the_place

TOUR = tomllib.loads((Path(memory.walkthrough.__file__).parent / "tour.toml").read_text(encoding="utf-8"))
ALICE = "agent.alice"
V1 = "/api/v1"


@dataclass(frozen=True)
class Exchange:
    """A request and its reply, as the document shows them."""

    operation: str
    status: int
    parameters: Mapping[str, Any]
    body: Any
    response: Any


@dataclass
class Story:
    """A workspace with three keys, and what has been said to the API so far."""

    workspace: Workspace
    exchanges: list[Exchange] = field(default_factory=list)
    ids: dict[str, str] = field(default_factory=dict)
    tokens: dict[str, str] = field(default_factory=dict)
    clients: dict[str, Client] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for scope in ("read", "write", "admin"):
            key = create_key(workspace=self.workspace, label=f"{scope} key", scopes=[scope])
            self.tokens[scope] = key.token
            self.clients[scope] = Client(headers={"Authorization": self.authorization(scope)})
        self.clients[""] = Client()

    def authorization(self, scope: str) -> str:
        """The header of the key that has no more than this scope."""
        return f"Bearer {self.tokens[scope]}"

    def get(self, path: str, *, scope: str = "read", expects: int = 200, **query: Any) -> Any:
        """Read something; names in braces are taken from `ids`, as path parameters."""
        reply = self.clients[scope].get(path.format(**self.ids), query)
        return self._noted("GET", path, expects, reply, query, None)

    def delete(self, path: str) -> None:
        """Take something away."""
        reply = self.clients["admin"].delete(path.format(**self.ids))
        self._noted("DELETE", path, 204, reply, {}, None)

    def post(
        self, path: str, body: Any, *, scope: str = "write", expects: int = 200, method: str = "POST"
    ) -> Any:
        """Write something."""
        given = body if isinstance(body, bytes) else json.dumps(body)
        media_type = "application/x-ndjson" if isinstance(body, bytes) else "application/json"
        send = getattr(self.clients[scope], method.lower())
        reply = send(path.format(**self.ids), given, content_type=media_type)
        return self._noted(method, path, expects, reply, {}, None if isinstance(body, bytes) else body)

    def _noted(
        self, method: str, path: str, expects: int, reply: Any, query: Mapping[str, Any], body: Any
    ) -> Any:
        is_stream = getattr(reply, "streaming", False)
        content = b"".join(reply.streaming_content) if is_stream else reply.content
        assert reply.status_code == expects, (method, path, content)
        told = None if is_stream or not content else json.loads(content)
        in_path = {name: value for name, value in self.ids.items() if f"{{{name}}}" in path}
        note = Exchange(operation_id(path, method), expects, {**in_path, **query}, body, told)
        self.exchanges.append(note)
        return content if is_stream else told

    def settle(self, model: Model | None = None) -> None:
        """What a worker does meanwhile."""
        for entity in Entity.objects.filter(workspace=self.workspace).select_related("workspace"):
            settle_entity(entity, model=model or OfflineModel())

    def tell(self) -> list[Exchange]:
        """The whole story, from the first words to their erasure."""
        for chapter in CHAPTERS:
            chapter(self)
        return self.exchanges


def messages_of(session: int) -> list[dict[str, Any]]:
    """What is said in one of the tour's sessions, as `POST /records` takes it."""
    told = TOUR["sessions"][session]
    return [
        {**said, "occurred_at": said["occurred_at"].isoformat(), "session": told["external_id"]}
        for said in told["messages"]
    ]


def words_come_in(story: Story) -> None:
    story.get("/health", scope="")
    story.get(f"{V1}/health", scope="")
    story.get(f"{V1}/catalog")
    story.get(f"{V1}/openapi.json", scope="")
    first = {"entity": ALICE, "messages": messages_of(0)}
    story.post(f"{V1}/records", first, expects=201)
    second = {"entity": ALICE, "messages": messages_of(1)}
    stored = story.post("/records", second, expects=201)
    story.ids["message"] = stored["records"][0]["id"]
    story.settle()
    story.get("/timeline", entity=ALICE, limit=2)
    story.get(f"{V1}/timeline", entity=ALICE, status="all", collections="scenes,persona", limit=2)


def entities_are_made(story: Story) -> None:
    zone = {"name": "agent.bob", "time_zone": "Europe/Oslo"}
    story.post(f"{V1}/entities", zone, expects=201)
    story.get(f"{V1}/entities", prefix="agent.", limit=2)
    story.ids |= {"name": ALICE, "reader": "agent.bob"}
    at = V1 + "/entities/{name}"
    story.get(at)
    pause = {"time_zone": "Europe/Oslo", "paused_steps": []}
    story.post(at, pause, method="PATCH", scope="admin")
    story.get(f"{at}/status")
    story.post(f"{at}/flush", {}, expects=202)
    share = {"reader": "agent.bob", "reason": "Bob takes over the night shift."}
    story.post(f"{at}/shares", share, scope="admin", expects=201)
    story.get(f"{at}/shares", limit=2)
    story.delete(at + "/shares/{reader}")


def layers_are_looked_at(story: Story) -> None:
    story.get(f"{V1}/records", entity=ALICE, session="tour-2", limit=2)
    story.get("/records", entity=ALICE, role="user", limit=2)
    story.ids["record_id"] = story.ids["message"]
    story.get(V1 + "/records/{record_id}")
    story.get(V1 + "/records/{record_id}/changes")
    story.get(f"{V1}/records/changes", entity=ALICE, record=story.ids["message"])
    story.ids["atom_id"] = story.get(f"{V1}/atoms", entity=ALICE, limit=1)["atoms"][0]["id"]
    story.get(V1 + "/atoms/{atom_id}")
    scene = story.get(f"{V1}/scenes", entity=ALICE, limit=2)["scenes"][0]
    story.ids |= {"scene_id": scene["id"], "number": "1"}
    at = V1 + "/scenes/{scene_id}"
    story.get(f"{at}/versions", limit=2)
    story.get(at + "/versions/{number}")
    story.get(f"{at}/difference", from_number=0, to_number=1)
    story.get(f"{V1}/persona", entity=ALICE)
    story.ids["trait_id"] = story.get(f"{V1}/traits", entity=ALICE)["traits"][0]["id"]
    story.get(V1 + "/persona/{trait_id}/versions", limit=2)


def a_worker_meets_a_broken_model(story: Story) -> None:
    """Three bad answers to one message: it is set aside, and put back in line, twice."""
    said = {"session": "night", "role": "user", "text": "The certificates expire on August 3."}
    story.post(f"{V1}/records", {"entity": "agent.bob", "messages": [said]}, expects=201)
    story.get(f"{V1}/work", entity="agent.bob", limit=2)
    for _ in range(3):
        story.settle(ScriptedModel(otherwise="I would rather not."))
    batch = story.get(f"{V1}/parked", entity="agent.bob", limit=1)["parked"][0]
    runs = story.get(f"{V1}/runs", entity="agent.bob", state="failed", limit=1)["runs"]
    story.ids["run_id"] = runs[0]["id"]
    story.get(V1 + "/runs/{run_id}")
    story.ids["run_id"] = batch["run"]
    story.post(V1 + "/parked/{run_id}/retry", {}, scope="admin", expects=202)
    again = {"entity": "agent.bob", "step": "l1_extract"}
    story.post(f"{V1}/parked/retry", again, scope="admin", expects=202)
    story.settle()


def keys_are_issued(story: Story) -> None:
    asked = {
        "label": "night agent",
        "scopes": ["read"],
        "entities": ["agent.bob"],
        "lifetime_seconds": 28_800,
    }
    issued = story.post(f"{V1}/keys", asked, scope="admin", expects=201)
    story.get(f"{V1}/keys", scope="admin", limit=1)
    story.ids["key_id"] = issued["key"]["id"]
    story.post(V1 + "/keys/{key_id}/revoke", {}, scope="admin")


def links_are_made(story: Story) -> None:
    story.post(f"{V1}/links", {"entity": ALICE, "lifetime_seconds": 600}, scope="read", expects=201)


def memory_is_read(story: Story) -> None:
    task = TOUR["request"]["text"]
    asked = {"entity": ALICE, "query": "Until when does billing stay on Express?", "limit": 2}
    story.get(f"{V1}/recall", **asked)
    story.post(f"{V1}/recall", {**asked, "kinds": ["episodic"]}, scope="read")
    story.get(f"{V1}/context", entity=ALICE, task=task, budgets="rules:500,memory:400")
    told = {"entity": ALICE, "task": task, "total": 1_500, "record_use": True, "keep_text": True}
    story.ids["use"] = story.post(f"{V1}/context", told)["use"]
    story.post(f"{V1}/answer", {"entity": ALICE, "question": asked["query"]}, scope="read")
    rules = story.get(f"{V1}/rules", entity=ALICE, floor=70, limit=2)["rules"]
    atoms = story.get(f"{V1}/atoms", entity=ALICE, kind="episodic,persona", limit=2)["atoms"]
    story.ids |= {"rule": rules[0]["id"], "atom_id": atoms[-1]["id"]}
    story.get(f"{V1}/trace", entity=ALICE, id=rules[0]["short_id"])
    story.get(f"{V1}/sessions", entity=ALICE, limit=2)
    story.ids["session"] = "tour-1"
    story.get(V1 + "/sessions/{session}/messages", entity=ALICE, limit=2)


def a_session_is_held(story: Story) -> None:
    opening = {"entity": ALICE, "external_id": "deploy-evening", "title": "The evening before the deploy"}
    opened = story.post(f"{V1}/sessions", opening, expects=201)
    story.ids["session_id"] = opened["id"]
    at = V1 + "/sessions/{session_id}"
    story.post(
        f"{at}/turns", {"role": "user", "speaker": "Alice", "text": TOUR["request"]["text"]}, expects=201
    )
    reply = {"role": "assistant", "text": "No: billing stays on Express until October 15."}
    story.post(f"{at}/turns", {"turns": [reply]}, expects=201)
    story.get(f"{at}/turns", limit=2)
    story.post(f"{at}/context", {"budget": 2_000, "query": "Are the partners told?"}, scope="read")
    story.post(f"{at}/compact", {}, expects=202)
    story.settle()
    story.get(at)
    story.post(f"{at}/end", {})
    story.settle()
    story.get(f"{at}/digests", versions="all")


def claims_are_made(story: Story) -> None:
    claim = {
        "subject": {"kind": "service", "identifier": "billing-api"},
        "predicate": "runs.on",
        "value": {"framework": "express", "until": "2026-10-15"},
        "authority": "application",
        "evidence": [{"kind": "tool_event", "reference": "deploys/4711"}],
    }
    story.post(
        V1 + "/sessions/{session_id}/claims",
        {**claim, "predicate": "owned.by", "value": "platform"},
        expects=201,
    )
    observed = story.post(f"{V1}/claims", {"entity": ALICE, **claim}, expects=201)
    story.ids["claim_id"] = observed["claim"]["id"]
    story.get(f"{V1}/claims", entity=ALICE, predicate="runs.*", limit=2)
    story.get(V1 + "/claims/{claim_id}/history")
    story.get(f"{V1}/policies")
    story.post(f"{V1}/graph/refresh", {"entity": ALICE})
    story.get(f"{V1}/graph", entity=ALICE, subject_kind="service", subject_id="billing-api", depth=1)


def people_correct_atoms(story: Story) -> None:
    at = V1 + "/atoms/{atom_id}"
    atom = story.get(f"{V1}/atoms", entity=ALICE, limit=1)["atoms"][0]
    story.ids["atom_id"] = atom["id"]
    wording = {"text": f"{atom['text'].rstrip('.')}, as Alice says.", "reason": "Her own words."}
    story.post(at, wording, method="PATCH", scope="admin", expects=201)
    other = story.get(f"{V1}/atoms", entity=ALICE, limit=2)["atoms"][0]
    story.ids["atom_id"] = other["id"]
    story.post(f"{at}/retract", {"reason": "Said in jest."}, scope="admin")
    story.post(f"{at}/restore", {"reason": "It was meant after all."}, scope="admin")
    story.settle()


def people_correct_scenes(story: Story) -> None:
    scenes = story.get(f"{V1}/scenes", entity=ALICE)["scenes"]
    story.ids |= {"scene_id": scenes[0]["id"], "other": scenes[1]["id"]}
    at = V1 + "/scenes/{scene_id}"
    version = story.get(at)["version"]
    edited = {"markdown": version["markdown"].replace("\n- ", "\n- Noted: ", 1), "base": version["number"]}
    story.post(f"{at}/preview", edited, scope="admin")
    saved = story.post(at, {**edited, "reason": "Clearer."}, method="PATCH", scope="admin")["version"]
    pins = {"lines": [saved["lines"][0]["id"]], "is_pinned": True, "base": saved["number"]}
    story.post(f"{at}/pins", pins, scope="admin")
    story.post(f"{at}/merge", {"other": story.ids["other"], "reason": "One topic."}, scope="admin")
    story.post(f"{at}/retire", {"reason": "The migration is over."}, scope="admin")
    story.post(f"{at}/restore", {"reason": "Not quite."}, scope="admin")


def people_correct_the_persona(story: Story) -> None:
    wording = {"entity": ALICE, "slot": "role", "text": "Leads the platform team.", "reason": "She said so."}
    made = story.post(f"{V1}/traits", wording, scope="admin", expects=201)
    story.ids["trait_id"] = made["trait"]["id"]
    story.get(f"{V1}/traits", entity=ALICE)
    story.post(V1 + "/traits/{trait_id}/retract", {"reason": "She moved on."}, scope="admin")
    story.post(V1 + "/traits/{trait_id}/restore", {}, scope="admin")


def tasks_are_learnt_from(story: Story) -> None:
    for task in TOUR["tasks"]:
        given = {"entity": ALICE, **task, "occurred_at": task["occurred_at"].isoformat()}
        trace = story.post(f"{V1}/traces", given, expects=201)
    story.ids["trace_id"] = trace["id"]
    story.settle()
    story.get(f"{V1}/traces", entity=ALICE, limit=1)
    story.get(V1 + "/traces/{trace_id}")
    draft = story.get(f"{V1}/drafts", entity=ALICE)["drafts"][0]
    story.ids |= {"version_id": draft["id"], "procedure_id": draft["procedure"]}
    shown = story.get(V1 + "/drafts/{version_id}")
    approval = {"base": None, "reason": "Both tasks went well."}
    story.post(V1 + "/drafts/{version_id}/approve", approval, scope="admin")
    story.get(V1 + "/versions/{version_id}")
    story.ids["markdown"] = shown["markdown"]


def procedures_are_used(story: Story) -> None:
    use = story.post(f"{V1}/uses", {"procedure": story.ids["procedure_id"]}, expects=201)
    story.ids["use_id"] = use["id"]
    story.get(V1 + "/uses/{use_id}")
    story.get(f"{V1}/uses", entity=ALICE, limit=1)
    feedback = {
        "entity": ALICE,
        "use": use["id"],
        "kind": "correction",
        "source": "operator",
        "comment": "Tell the payment partners before the deploy.",
    }
    story.post(f"{V1}/feedback", feedback, expects=201)
    story.get(f"{V1}/feedback", entity=ALICE, limit=1)
    story.settle()


def drafts_are_reviewed(story: Story) -> None:
    at = V1 + "/drafts/{version_id}"
    story.ids["version_id"] = story.get(f"{V1}/drafts", entity=ALICE)["drafts"][0]["id"]
    words = story.get(at)["markdown"].replace("\n1. ", "\n1. Tell the payment partners.\n2. ", 1)
    edited = {"markdown": words, "base": 1, "reason": "One step was missing."}
    story.post(f"{at}/edit", edited, scope="admin")
    another = {"entity": ALICE, "procedure_version": story.ids["version_id"], "kind": "thumbs_down"}
    story.post(f"{V1}/feedback", {**another, "source": "end_user", "comment": "Ask twice."}, expects=201)
    story.settle()
    story.ids["version_id"] = story.get(f"{V1}/drafts", entity=ALICE)["drafts"][0]["id"]
    story.post(f"{at}/reject", {"reason": "Asking once is enough."}, scope="admin")
    story.get(f"{V1}/procedures", entity=ALICE, limit=1)
    at = V1 + "/procedures/{procedure_id}"
    story.get(at)
    story.get(f"{at}/versions", limit=2)
    story.post(f"{at}/rollback", {"number": 1, "reason": "The partners know."}, scope="admin")
    story.post(f"{at}/retire", {"reason": "All routes are moved."}, scope="admin")


def a_memory_moves(story: Story) -> None:
    story.ids["name"] = ALICE
    file = story.get(V1 + "/entities/{name}/export", scope="admin")
    empty_the_place()
    elsewhere = Story(Workspace.objects.create(name="elsewhere"), story.exchanges, story.ids)
    elsewhere.post(V1 + "/entities/{name}/import", file, scope="admin", expects=201)


def words_are_taken_away(story: Story) -> None:
    asked = {"entity": ALICE, "text": "forget the incident response method"}
    token = story.post(f"{V1}/forget", asked)["token"]
    story.post(f"{V1}/forget/confirm", {"entity": ALICE, "token": token}, scope="admin")
    scope = {"kind": "session", "sessions": ["tour-2"]}
    planned = story.post(
        f"{V1}/erase", {"entity": ALICE, "scope": scope, "reason": "Asked by mail."}, scope="admin"
    )
    story.post(f"{V1}/erase/confirm", {"entity": ALICE, "token": planned["token"]}, scope="admin")
    story.get(f"{V1}/erasures", entity=ALICE, scope="admin", limit=2)


CHAPTERS: tuple[Callable[[Story], None], ...] = (
    words_come_in,
    entities_are_made,
    layers_are_looked_at,
    a_worker_meets_a_broken_model,
    keys_are_issued,
    links_are_made,
    memory_is_read,
    a_session_is_held,
    claims_are_made,
    people_correct_atoms,
    people_correct_scenes,
    people_correct_the_persona,
    tasks_are_learnt_from,
    procedures_are_used,
    drafts_are_reviewed,
    words_are_taken_away,
    a_memory_moves,
)

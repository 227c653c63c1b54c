"""An agent's memory through the doors that agents and people use; a worker's part is run at once.

What is asserted of a memory here was read over HTTP, as a client would.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import Any

from django.db.models import F

from memory.cascade.engine import Outcome, drain, settle_entity
from memory.indexing.step import index_entity
from memory.ingest.workspaces import create_key
from memory.models import Entity, Step, Work
from tests.api.conftest import Caller
from tests.factories import make_workspace

START = datetime(2026, 6, 2, 9, 0, tzinfo=UTC)


class Agent:
    """One memory of a workspace, and a key with every scope for it."""

    def __init__(self, name: str = "agent.alice", *, workspace: str = "demo", time_zone: str = "UTC") -> None:
        self.name = name
        self.workspace = make_workspace(workspace)
        key = create_key(workspace=self.workspace, label="a person", scopes=["admin"])
        self.caller = Caller(key.token)
        self.post("entities", {"name": name, "time_zone": time_zone}, status=201)
        self.entity = Entity.objects.for_workspace(self.workspace.pk).get(name=name)
        self.said = 0

    def get(self, path: str, *, status: int = 200, **query: Any) -> Any:
        """The body of a reply that has this status."""
        reply: Any = self.caller.get(f"/api/v1/{path}", **query)
        assert reply.status_code == status, reply.content
        return reply.json()

    def post(self, path: str, body: Any, *, status: int = 200) -> Any:
        """The same for what is sent with a body."""
        reply: Any = self.caller.post(f"/api/v1/{path}", body)
        assert reply.status_code == status, reply.content
        return reply.json()

    def say(
        self,
        *texts: str,
        session: str = "talk",
        role: str = "user",
        at: datetime | None = START,
        **values: Any,
    ) -> list[str]:
        """Store messages as a chat does, one after the other and a minute apart; gives their ids."""
        messages = [self._message(text, session, role, at, values) for text in texts]
        return [str(self.send(message)[0]["id"]) for message in messages]

    def tell(self, *texts: str, session: str, at: datetime | None = START) -> list[str]:
        """The same in one request, in a session that is new: else it may be taken for a resent transcript."""
        stored = self.send(*(self._message(text, session, "user", at) for text in texts))
        return [str(one["id"]) for one in stored]

    def _message(
        self,
        text: str,
        session: str,
        role: str,
        at: datetime | None,
        values: Mapping[str, Any] = MappingProxyType({}),
    ) -> dict[str, Any]:
        said_at = at and (at + timedelta(minutes=self.said)).isoformat()
        self.said += 1
        speaker = {"speaker": "Alice"} if role == "user" else {}
        return {
            "session": session,
            "role": role,
            "text": text,
            "occurred_at": said_at,
            **speaker,
            **values,
        }

    def send(self, *messages: dict[str, Any]) -> list[dict[str, Any]]:
        """One request with these messages; gives what became of each."""
        body = self.post("records", {"entity": self.name, "messages": messages}, status=201)
        return list(body["records"])

    def work(self) -> None:
        """What a worker does until nothing is left to do."""
        settle_entity(self.entity)
        index_entity(entity_id=self.entity.pk)

    def step(self, step: Step) -> list[Outcome]:
        """One step alone, as far as it is due."""
        return drain(entity_id=self.entity.pk, step=step)

    def overdue(self) -> None:
        """The pause after a failure is over."""
        Work.objects.for_entity(self.entity).update(due_at=F("last_finished_at"))

    def messages(self) -> list[dict[str, Any]]:
        """L0, in the order of storing."""
        return list(self.get("records", entity=self.name, limit=100)["records"])

    def atoms(self, *states: str) -> list[dict[str, Any]]:
        """L1, the live claims or those of other states, in the order of making."""
        found = self.get("atoms", entity=self.name, limit=100, state=",".join(states or ("live",)))
        return list(found["atoms"])

    def claims(self, *states: str) -> list[str]:
        """Their texts."""
        return [atom["text"] for atom in self.atoms(*states)]

    def history(self) -> list[tuple[str, str]]:
        """Text and status of every claim there ever was."""
        return [(atom["text"], atom["status"]) for atom in self.atoms("all")]

    def scenes(self) -> dict[str, list[str]]:
        """L2: the lines of each live scene, by its title."""
        found = self.get("scenes", entity=self.name)["scenes"]
        live = [scene for scene in found if scene["status"] == "live"]
        return {scene["title"]: self._lines(scene) for scene in live}

    def _lines(self, scene: dict[str, Any]) -> list[str]:
        path = f"scenes/{scene['id']}/versions/{scene['number']}"
        version = self.get(path)["version"]
        return [line["text"] for line in version["lines"]]

    def persona(self) -> dict[str, tuple[str, int]]:
        """L3: wording and number of each trait, by its slot."""
        traits = self.get("persona", entity=self.name)["traits"]
        return {trait["slot"]: (trait["text"], trait["number"]) for trait in traits}

    def recall(self, query: str, **more: Any) -> dict[str, Any]:
        """The body of an answer of recall."""
        return dict(self.post("recall", {"entity": self.name, "query": query, **more}))

    def recalled(self, query: str, **more: Any) -> list[str]:
        """The texts that recall finds, the best first."""
        return [hit["text"] for hit in self.recall(query, **more)["hits"]]

    def context(self, task: str, **more: Any) -> str:
        """The text that an agent would be told before a task."""
        return str(self.post("context", {"entity": self.name, "task": task, **more})["text"])

    def runs(self, step: Step = Step.L1_EXTRACT) -> list[dict[str, Any]]:
        """Every attempt of a step with all that was recorded of it, the first one first."""
        listed = self.get("runs", entity=self.name, step=step.value, limit=100)["runs"]
        return [self.get(f"runs/{run['id']}") for run in reversed(listed)]

    def decisions(self, outcome: str, step: Step = Step.L1_EXTRACT) -> list[str]:
        """The reasons that runs give for what they dropped, repaired or skipped."""
        return [
            decision["reason"]
            for run in self.runs(step)
            for decision in run["decisions"]
            if decision["outcome"] == outcome
        ]

    def waiting(self, step: Step = Step.L1_EXTRACT) -> dict[str, Any]:
        """What waits for a step, and how its last attempt ended."""
        (row,) = self.get("work", entity=self.name, step=step.value)["work"]
        return dict(row)

    def parked(self) -> list[dict[str, Any]]:
        """What steps have set aside."""
        return list(self.get("parked", entity=self.name)["parked"])

    def erase(self, scope: dict[str, Any]) -> dict[str, Any]:
        """Plan an erase and confirm it."""
        token = self.post("erase", {"entity": self.name, "scope": scope})["token"]
        return dict(self.post("erase/confirm", {"entity": self.name, "token": token})["erasure"])

    def layers(self) -> dict[str, tuple[int, int]]:
        """How many records of each layer hold now, and how many there are with their history."""
        counts = self.get("timeline", entity=self.name)["counts"]
        return {name: (count["heads"], count["versions"]) for name, count in counts.items()}


def texts_of(hits: Sequence[dict[str, Any]], layer: str) -> list[str]:
    """The texts of the hits of one layer."""
    return [hit["text"] for hit in hits if hit["layer"] == layer]

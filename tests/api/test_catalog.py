"""`GET /catalog`: the designs that a key's workspace may use."""

from pathlib import Path

from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory.cascade.designs import load_design
from memory.cascade.designs.installing import install_design, use_design
from memory.models import Entity, Workspace
from tests.api.conftest import Caller

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "agent_memory_catalog" / "support_desk"


def test_the_catalog_tells_what_each_design_decides(caller: Caller, alice: Entity, bob: Entity) -> None:
    installed = install_design(alice.workspace, EXAMPLE).design
    use_design(alice.workspace, installed.full_name)
    body = caller.get("/api/v1/catalog").json()
    assert (body["workspace"], body["design"]) == ("acme", "support_desk@1.0.0")
    shipped, changed = body["designs"]
    assert (shipped["name"], shipped["version"], shipped["origin"], shipped["in_use"]) == (
        "agent_memory",
        "0.3.0",
        "shipped",
        False,
    )
    assert shipped == {
        "name": "agent_memory",
        "version": "0.3.0",
        "hash": load_design().digest,
        "description": load_design().description,
        "origin": "shipped",
        "in_use": False,
        "steps": [
            {"step": task, "prompt_hash": load_design().prompt_hash(task)}
            for task in ("answer", "compaction", "l1_extract", "persona", "scene_synthesis", "skill_extract")
        ],
        "limits": load_design().limits.model_dump(),
        "floors": {"rules": 70},
        "budgets": load_design().budgets.model_dump(),
        "weights": load_design().weights.model_dump(),
        "priorities": [],
        "rules": [],
        "instruction": "",
    }
    assert (changed["hash"], changed["origin"], changed["in_use"]) == (installed.digest, "installed", True)
    assert [found["name"] for found in changed["priorities"]] == ["money comes first", "tastes are minor"]


def test_the_catalog_of_another_workspace_does_not_show_it(caller: Caller, bob: Entity) -> None:
    install_design(bob.workspace, EXAMPLE)
    body = caller.get("/api/v1/catalog").json()
    assert [design["name"] for design in body["designs"]] == ["agent_memory"]


def test_the_catalog_needs_a_key_and_takes_no_parameters(caller: Caller) -> None:
    assert Caller().get("/api/v1/catalog").status_code == 401
    refused = caller.get("/api/v1/catalog", entity="agent.alice")
    assert (refused.status_code, refused.json()["error"]) == (400, "invalid")


def test_the_catalog_takes_the_same_statements_again(caller: Caller, alice: Entity) -> None:
    install_design(alice.workspace, EXAMPLE)
    caller.get("/api/v1/catalog")
    with CaptureQueriesContext(connection) as captured:
        caller.get("/api/v1/catalog")
    assert len(captured) == 2


def test_a_design_that_is_gone_is_told_by_its_name(caller: Caller, alice: Entity) -> None:
    Workspace.objects.filter(pk=alice.workspace_id).update(design="gone@1.0.0")
    reply = caller.get("/api/v1/rules", entity=alice.name)
    assert (reply.status_code, reply.json()) == (
        503,
        {
            "error": "unknown_design",
            "detail": "The design of this workspace is not here. There is no design gone@1.0.0; "
            "there are: agent_memory@0.3.0.",
        },
    )

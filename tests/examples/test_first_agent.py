"""The first agent, run as a process: against a server that runs, and alone."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory.client import Memory, SubjectRef
from memseek_site.trial import Trial, trial_server
from tests.data_folders import migrated_folder
from tests.setup.commands import ROOT, environment, processes_about
from tests.stub_provider import Reply, StubProvider

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]

TOLD = """\
First session
  user       We are looking at the enterprise plan and want to roll it out in July.
  assistant  {reply}
  claim      customer customer-123 billing.plan: cycle annual, price 1200 ({outcome})
  edge       customer-123 --billing.plan--> {{"cycle": "annual", "price": 1200}}
Later session, 0 turns so far
  asked      Where did we land on billing?
  recalled   customer customer-123 billing.plan: cycle annual, price 1200
  evidence   tool_event billing.plan_selected
  context    2 messages for the model, with annual, 1200, July in them
"""
PLAIN = "Thank you, I have made a note of that."
CUSTOMER = SubjectRef(kind="customer", identifier="customer-123")


@pytest.fixture(scope="module")
def server() -> Iterator[Trial]:
    with migrated_folder() as folder, trial_server(MEMSEEK_DATA_DIR=str(folder)) as server:
        yield server


def run(folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """The script in a plain environment, from a folder that is not the project's."""
    return subprocess.run(
        [sys.executable, str(ROOT / "examples" / "first_agent.py")],
        cwd=folder,
        env=environment(folder / "unused", TMPDIR=str(folder), **variables),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )


def against(server: Trial) -> dict[str, str]:
    return {"MEMSEEK_BASE_URL": server.base_url, "MEMSEEK_API_KEY": server.key}


def test_against_a_running_server_it_tells_its_story_and_a_second_run_the_same(
    server: Trial, tmp_path: Path
) -> None:
    for outcome in ("stored", "repeated"):
        told = run(tmp_path, **against(server))
        assert (told.stdout, told.stderr) == (TOLD.format(reply=PLAIN, outcome=outcome), "")
    with Memory(server.base_url, server.key) as memory:
        entity = memory.session.create(group_id="acme", user_id="customer-123").entity
        [claim] = memory.claims(entity=entity)
        [fact] = memory.graph(entity=entity, subject=CUSTOMER).facts
        assert (fact.atom, fact.predicate, fact.value) == (claim.id, "billing.plan", claim.value)
        assert [(receipt.kind, receipt.reference) for receipt in fact.evidence] == [
            ("tool_event", "billing.plan_selected")
        ]
        sessions = [session for session in memory.sessions(entity=entity) if session.ended_at]
        assert [session.messages for session in sessions] == [2, 0, 2, 0]


def test_the_reply_comes_from_a_model_where_one_is_configured(server: Trial, tmp_path: Path) -> None:
    with StubProvider([Reply.text("July it is, then.")]) as model:
        told = run(
            tmp_path,
            **against(server),
            MEMSEEK_MODEL_STRONG="stub",
            MEMSEEK_MODEL_BASE_URL=model.base_url,
        )
    assert "  assistant  July it is, then.\n" in told.stdout
    asked = model.requests[0].body
    assert asked["model"] == "stub"
    assert asked["messages"][-1]["content"].endswith("roll it out in July.")


def test_alone_it_brings_up_a_server_and_leaves_nothing_behind(tmp_path: Path) -> None:
    told = run(tmp_path)
    assert (told.stdout, told.stderr, told.returncode) == (
        "A server of its own is started, with an empty memory …\n"
        + TOLD.format(reply=PLAIN, outcome="stored"),
        "",
        0,
    )
    assert list(tmp_path.iterdir()) == []
    assert processes_about(str(tmp_path)) == {}


def test_a_wrong_key_is_told_and_not_shown(server: Trial, tmp_path: Path) -> None:
    told = run(tmp_path, MEMSEEK_BASE_URL=server.base_url, MEMSEEK_API_KEY="msk_a-wrong-one")
    assert told.returncode == 1
    assert "UnauthorisedError: 401" in told.stderr
    assert "msk_a-wrong-one" not in told.stdout + told.stderr

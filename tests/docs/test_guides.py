"""The programs in the guides run as they stand, and print what the guides say."""

from __future__ import annotations

import re
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from memory.ingest.workspaces import create_key, create_workspace
from memory.models import Entity
from tests.client.conftest import working
from tests.docs.test_documents import ROOT

GUIDES = ("client", "turns", "events-and-state", "tuning-retrieval", "voice-agents", "skills", "correcting")
FENCE = re.compile(r"^( *)```(python|text)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)


@pytest.fixture
def namespace(live_server: Any, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What a guide's programs begin with: server and keys in the environment, the reader's own model."""
    made = create_workspace(name="guides")
    monkeypatch.setenv("MEMSEEK_BASE_URL", live_server.url)
    monkeypatch.setenv("MEMSEEK_API_KEY", made.token)
    reviewer = create_key(workspace=made.workspace, label="Olivia", scopes=["admin"])
    monkeypatch.setenv("REVIEWER_KEY", reviewer.token)
    return {"generate_reply": lambda messages: "Noted.", "__name__": "guide"}


def fences(path: Path) -> list[tuple[str, str]]:
    """Programs and what they print, in their order."""
    return [(kind, dedent(text)) for _, kind, text in FENCE.findall(path.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("guide", GUIDES)
def test_a_guide_does_what_it_says(
    guide: str, namespace: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    found = fences(ROOT / "docs" / f"{guide}.md")
    assert {kind for kind, _ in found} == {"python", "text"}
    told = []
    with working():
        for kind, text in found:
            if kind == "python":
                exec(compile(text, f"{guide}.md", "exec"), namespace)
            else:
                told.append((capsys.readouterr().out, text))
    assert [printed for printed, _ in told] == [expected for _, expected in told]
    assert capsys.readouterr().out == ""


def test_the_agent_of_the_readme_runs(namespace: dict[str, Any]) -> None:
    [(_, program)] = [fence for fence in fences(ROOT / "README.md") if "memory.client" in fence[1]]
    assert len(program.splitlines()) <= 12
    exec(compile(program, "README.md", "exec"), namespace)
    assert Entity.objects.get().user_id == "customer-123"


def test_each_guide_is_in_the_index() -> None:
    index = (ROOT / "README.md").read_text(encoding="utf-8").split("## Guides\n")[1].split("\n## ")[0]
    listed = set(re.findall(r"\]\(docs/([\w-]+)\.md\)", index))
    assert {*GUIDES, "deciding", "live-state", "graph", "providers"} <= listed

"""What docs/mcp.md shows can be copied: every block is what it says it is, and names what is there."""

from __future__ import annotations

import json
import re
import tomllib
from typing import Any

import pytest

from memory.mcp.catalog import TOOLS
from memory.mcp.resources import TEMPLATES
from tests.setup.commands import ROOT

TEXT = (ROOT / "docs" / "mcp.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(json|toml)\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)


def servers() -> list[dict[str, Any]]:
    """The entry of Memseek in each client's file."""
    read = [json.loads(text) if kind == "json" else tomllib.loads(text) for kind, text in BLOCKS]
    named: list[Any] = [one.get("mcpServers") or one.get("mcp_servers") or one.get("servers") for one in read]
    return [one["memseek"] for one in named]


def test_every_client_is_shown_both_transports() -> None:
    assert ["http" if "url" in server else "command" for server in servers()] == ["http", "command"] * 4


@pytest.mark.parametrize("server", servers())
def test_an_entry_leads_here_and_holds_no_key(server: dict[str, Any]) -> None:
    if "url" in server:
        assert server["url"] == "http://127.0.0.1:8000/mcp?entity=agent.alice"
    else:
        assert server["args"] == ["/srv/memseek/manage.py", "mcp", "--entity", "agent.alice"]
    assert "MEMSEEK_API_KEY" in str(server) or "memseek-key" in str(server)
    assert "msk_" not in str(server)


def test_every_tool_is_listed_with_its_scope() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (read|write|admin) \|", TEXT, re.MULTILINE)
    assert rows == [(tool.name, tool.scope) for tool in TOOLS.values()]


def test_every_form_of_resource_is_named() -> None:
    shown = set(re.findall(r"memseek://agent\.alice(/\S+)", TEXT))
    forms = {template.form.partition("}")[2] for template in TEMPLATES}
    assert {one.replace("<id>", "{id}") for one in shown} == forms

"""The catalogue of designs."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict
from rest_framework.request import Request
from rest_framework.response import Response

from memory.api.authentication import CanRead
from memory.api.reading import read_query
from memory.api.views import JsonView
from memory.cascade.designs import Available, available_designs
from memory.models import Workspace


class CatalogAsked(BaseModel):
    """`GET /catalog` takes no parameters."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class CatalogView(JsonView):
    """`GET /catalog`."""

    permission_classes = [CanRead]

    def get(self, request: Request) -> Response:
        """The designs that the key's workspace may use, and which one reads its new messages."""
        read_query(CatalogAsked, request.query_params)
        return Response(catalog_body(self.access().workspace))


def catalog_body(workspace: Workspace) -> dict[str, Any]:
    """The body of `/catalog`. Prompts are told by their hashes, as runs record them."""
    return {
        "workspace": workspace.name,
        "design": workspace.design,
        "designs": [_design_value(found, workspace.design) for found in available_designs(workspace)],
    }


def _design_value(found: Available, used: str) -> dict[str, Any]:
    design = found.design
    tables = ("limits", "floors", "budgets", "weights", "priorities", "rules", "instruction")
    return {
        "name": design.name,
        "version": design.version,
        "hash": design.digest,
        "description": design.description,
        "origin": found.origin,
        "in_use": design.full_name == used,
        "steps": [{"step": task, "prompt_hash": design.prompt_hash(task)} for task in sorted(design.prompts)],
        **design.model_dump(mode="json", include=set(tables)),
    }

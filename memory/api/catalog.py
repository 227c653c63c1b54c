"""The catalogue of designs."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict
from rest_framework.request import Request
from rest_framework.response import Response
from typing_extensions import TypedDict

from memory.api.authentication import CanRead
from memory.api.operations import operation
from memory.api.reading import read_query
from memory.api.views import JsonView
from memory.cascade.designs import Available, available_designs
from memory.cascade.designs.schema import Budgets, Floors, Limits, Priority, StandingRule, Weights
from memory.models import Workspace


class CatalogAsked(BaseModel):
    """`GET /catalog` takes no parameters."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class StepBody(TypedDict):
    """A step of the cascade, and the prompt that it asks a model with."""

    step: str
    prompt_hash: str


class DesignBody(TypedDict):
    """A design: the named, versioned data that the cascade and contexts work by."""

    name: str
    version: str
    hash: str
    """SHA-256 of its content."""
    description: str
    origin: str
    """Where it comes from."""
    in_use: bool
    """Whether it reads the workspace's new messages."""
    steps: list[StepBody]
    limits: Limits
    floors: Floors
    budgets: Budgets
    weights: Weights
    priorities: tuple[Priority, ...]
    rules: tuple[StandingRule, ...]
    """Shown among the standing rules of every context."""
    instruction: str
    """Added to every prompt."""


class CatalogBody(TypedDict):
    """The designs that a workspace may use."""

    workspace: str
    design: str
    """The one in use, as `name@version`."""
    designs: list[DesignBody]


class CatalogView(JsonView):
    """`GET /catalog`."""

    permission_classes = [CanRead]

    @operation("List designs", query=CatalogAsked, returns=CatalogBody)
    def get(self, request: Request) -> Response:
        """The designs that the key's workspace may use, and which one reads its new messages."""
        read_query(CatalogAsked, request.query_params)
        return Response(catalog_body(self.access().workspace))


def catalog_body(workspace: Workspace) -> CatalogBody:
    """The body of `/catalog`. Prompts are told by their hashes, as runs record them."""
    return {
        "workspace": workspace.name,
        "design": workspace.design,
        "designs": [_design_value(found, workspace.design) for found in available_designs(workspace)],
    }


def _design_value(found: Available, used: str) -> DesignBody:
    design = found.design
    return {
        "name": design.name,
        "version": design.version,
        "hash": design.digest,
        "description": design.description,
        "origin": found.origin,
        "in_use": design.full_name == used,
        "steps": [{"step": task, "prompt_hash": design.prompt_hash(task)} for task in sorted(design.prompts)],
        "limits": design.limits,
        "floors": design.floors,
        "budgets": design.budgets,
        "weights": design.weights,
        "priorities": design.priorities,
        "rules": design.rules,
        "instruction": design.instruction,
    }

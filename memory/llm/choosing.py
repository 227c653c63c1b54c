"""Which model reads whose words."""

from __future__ import annotations

from uuid import UUID

from django.conf import settings

from memory.llm.protocol import Model
from memory.llm.registry import OFFLINE, configured_model, named_model
from memory.models.tenancy import SANDBOX_WORKSPACE_ID


def stays_offline(workspace_id: UUID) -> bool:
    """Whether a workspace's words are shown to no provider: visitors', unless the settings allow it."""
    return workspace_id == SANDBOX_WORKSPACE_ID and not settings.MEMSEEK.sandbox.asks_model


def model_of(workspace_id: UUID) -> Model | None:
    """The model that the settings name for a workspace; None when only L0 is kept (`LLM_FAKE=1`)."""
    if stays_offline(workspace_id) and not settings.MEMSEEK.is_llm_fake:
        return named_model(OFFLINE)
    return configured_model()


def may_embed(workspace_id: UUID) -> bool:
    """Whether the settings' embedder may see words of a workspace; one on this machine always may."""
    configured = settings.MEMSEEK.embedding
    return not (stays_offline(workspace_id) and (configured.is_endpoint or configured.is_own))

"""System checks of models and embedders that somebody brought: they are there and have the seam's shape."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.core import checks
from django.core.checks import CheckMessage

from memory.llm.providers.own import SeamError, embedder_seam, model_seam
from memseek_site.checks import SETTINGS

MODEL_IDENTIFIER = "memseek.E005"
EMBEDDER_IDENTIFIER = "memseek.E006"
OR_A_MAKER = "or a class or function of no arguments that gives one; see docs/providers.md."
MODEL_HINT = f"MEMSEEK_MODEL_PROVIDER names an object with generate(prompt, *, response_model), {OR_A_MAKER}"
EMBEDDER_HINT = f"MEMSEEK_EMBEDDING_PROVIDER names an object with embed(texts) and dimensions, {OR_A_MAKER}"


@checks.register(SETTINGS)
def providers_have_the_seams_shape(**_: Any) -> list[CheckMessage]:
    """Dotted paths of the settings lead to what they should."""
    product = settings.MEMSEEK
    found: list[CheckMessage] = []
    if product.model.is_own:
        found += _tried(model_seam, product.model.provider, MODEL_HINT, MODEL_IDENTIFIER)
    if product.embedding.is_own:
        found += _tried(embedder_seam, product.embedding.provider, EMBEDDER_HINT, EMBEDDER_IDENTIFIER)
    return found


def _tried(load: Callable[[str], object], path: str, hint: str, identifier: str) -> list[CheckMessage]:
    try:
        load(path)
    except SeamError as error:
        return [checks.Error(str(error), hint=hint, id=identifier)]
    return []

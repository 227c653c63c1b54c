"""How is it configured, and which model answers? Names of variables are shown, their values never."""

from collections.abc import Iterator

from django.conf import settings
from django.core import checks

from memseek_site.doctor.findings import Finding, broken, fine, note
from memseek_site.environment import Environment
from memseek_site.product import MemseekSettings


def examine() -> Iterator[Finding]:
    """Settings, model and keys."""
    yield from _wrong_settings()
    environment: Environment = settings.ENVIRONMENT
    given = [setting.name for setting in environment.read if setting.is_set]
    kind = "production" if settings.IS_PRODUCTION else "development"
    yield fine("settings", f"{kind}; set: {', '.join(given) or 'nothing, all defaults'}")
    yield _model(settings.MEMSEEK)
    yield from _keys(settings.MEMSEEK)
    redacted = " and ".join(sorted(settings.MEMSEEK.redact, reverse=True))
    if redacted:
        yield fine("redaction", f"{redacted} are taken out of words before they are stored")


def _wrong_settings() -> Iterator[Finding]:
    for finding in checks.run_checks():
        if finding.is_serious():
            yield broken("settings", f"{finding.msg} ({finding.id})", finding.hint or "")


def _model(product: MemseekSettings) -> Finding:
    if product.is_llm_fake:
        mend = "Unset LLM_FAKE and restart web and worker."
        return note("model", "LLM_FAKE is on: only messages are stored, the cascade does not run", mend)
    model = product.model
    if not model.is_configured:
        return fine("model", "the offline model answers; MEMSEEK_MODEL_STRONG names a real one")
    if model.is_own:
        return fine("model", f"{model.provider} answers, a model of your own")
    endpoint = _without_login(model.base_url) or "the provider's own endpoint"
    if model.is_key_missing:
        mend = (
            f"Set {model.api_key_variable} for web and worker, or name another in MEMSEEK_MODEL_API_KEY_ENV."
        )
        return broken(
            "model", f"{model.strong} is to answer, but {model.api_key_variable} holds no key", mend
        )
    key = f"key from {model.api_key_variable}" if model.api_key else "no key"
    named = f"{model.chosen_provider}: strong {model.strong}, cheap {model.cheap}"
    return fine("model", f"{named}, at {endpoint}, {key}")


def _without_login(address: str) -> str:
    """An address as it may be shown: some people write a password into it."""
    scheme, mark, rest = address.partition("://")
    return scheme + mark + rest.rpartition("@")[2]


def _keys(product: MemseekSettings) -> Iterator[Finding]:
    for name in product.unused_key_variables:
        mend = f"To use it: MEMSEEK_MODEL_API_KEY_ENV={name} and MEMSEEK_MODEL_STRONG; else leave it."
        yield note("keys", f"{name} is set, but no setting uses it", mend)

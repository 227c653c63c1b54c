"""Where a server is and what opens it, from arguments or the environment."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from memory.client.errors import ConfigurationError

BASE_URL_VARIABLE = "MEMSEEK_BASE_URL"
KEY_VARIABLE = "MEMSEEK_API_KEY"
VARIABLES = (BASE_URL_VARIABLE, KEY_VARIABLE)
DEFAULT_BASE_URL = "http://127.0.0.1:8000"
API_PREFIX = "/api/v1"


@dataclass(frozen=True, slots=True)
class Site:
    """A server's address without a slash at its end, and a key."""

    base_url: str
    key: str = field(repr=False)

    @property
    def api(self) -> str:
        """The address that all paths stand under."""
        return f"{self.base_url}{API_PREFIX}/"


def is_site_named() -> bool:
    """Whether the environment says where a server is."""
    return bool(os.environ.get(BASE_URL_VARIABLE, "").strip())


def is_key_named() -> bool:
    """Whether the environment holds a key."""
    return bool(os.environ.get(KEY_VARIABLE, "").strip())


def site_of(base_url: str | None, key: str | None) -> Site:
    """The site of some arguments, each with its variable behind it; ConfigurationError says what is wrong."""
    address = (base_url or os.environ.get(BASE_URL_VARIABLE) or DEFAULT_BASE_URL).strip()
    secret = (key or os.environ.get(KEY_VARIABLE) or "").strip()
    if not secret:
        raise ConfigurationError(f"A key is needed: give key=, or set {KEY_VARIABLE}.")
    # What a header cannot hold would be shown by the error of whoever tries.
    if not secret.isascii() or not secret.isprintable() or " " in secret:
        raise ConfigurationError("The key holds characters that no key has.")
    return Site(_plain_address(address), secret)


def _plain_address(address: str) -> str:
    try:
        parts = urlsplit(address)
        has_host = bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        raise ConfigurationError("base_url is no address such as http://127.0.0.1:8000.") from None
    if parts.username is not None or parts.password is not None:
        raise ConfigurationError("base_url holds a user or a password; only the key opens the memory.")
    if parts.scheme not in ("http", "https") or not has_host or parts.query or parts.fragment:
        raise ConfigurationError("base_url is no address such as http://127.0.0.1:8000.")
    return address.rstrip("/").removesuffix(API_PREFIX)

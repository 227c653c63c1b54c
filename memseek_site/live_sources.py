"""Settings of live sources: what may be called, which hosts may be asked, and the credentials by name."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from memseek_site.environment import Environment

CALLABLES_NAME = "MEMSEEK_LIVE_CALLABLES"
HOSTS_NAME = "MEMSEEK_LIVE_HOSTS"
PRIVATE_NAME = "MEMSEEK_LIVE_ALLOW_PRIVATE"
CREDENTIALS_NAME = "MEMSEEK_LIVE_CREDENTIALS"
CALLABLES_SHAPE = 'an object of names and dotted paths such as {"plan": "shop.live.billing_plan"}'
HOSTS_SHAPE = 'a JSON array of hosts such as ["billing.example.com", "crm.internal:8443"]'
CREDENTIALS_SHAPE = 'an object of names and variables such as {"billing": "BILLING_TOKEN"}'

_HOST = re.compile(r"(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?")
_DOTTED = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)+")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_NAME = re.compile(r"[\w.-]{1,64}")


@dataclass(frozen=True)
class LiveSettings:
    """Where values may be fetched from while a context is compiled."""

    callables: Mapping[str, str] = field(default_factory=dict)
    """Dotted path by name."""
    hosts: tuple[str, ...] = ()
    """`host` or `host:port`; an HTTP source on any other is not asked."""
    private_hosts: tuple[str, ...] = ()
    """Those of them that may lie at private addresses and be asked over http."""
    credentials: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Bearer token by name; never logged, stored or shown."""


def read_live_settings(environment: Environment) -> LiveSettings:
    """Everything under MEMSEEK_LIVE_; problems are noted in the environment."""
    hosts = _hosts(environment, HOSTS_NAME, "Hosts that live sources may be asked at")
    return LiveSettings(
        callables=_texts(
            environment, CALLABLES_NAME, "Functions that give live values", CALLABLES_SHAPE, _DOTTED
        ),
        hosts=hosts,
        private_hosts=_private_hosts(environment, hosts),
        credentials=_credentials(environment),
    )


def _private_hosts(environment: Environment, hosts: tuple[str, ...]) -> tuple[str, ...]:
    found = _hosts(
        environment, PRIVATE_NAME, "Of these hosts, those at private addresses, which http may be used with"
    )
    if set(found) - set(hosts):
        hint = f"Name each of them in {HOSTS_NAME} too."
        environment.reject(PRIVATE_NAME, f"{PRIVATE_NAME} names a host that may not be asked.", hint)
    return tuple(host for host in found if host in hosts)


def _hosts(environment: Environment, name: str, about: str) -> tuple[str, ...]:
    value = environment.json_value(name, about=f"{about}: {HOSTS_SHAPE}.", shape=HOSTS_SHAPE)
    if value is None:
        return ()
    if isinstance(value, list) and all(isinstance(host, str) and _HOST.fullmatch(host) for host in value):
        return tuple(value)
    _reject(environment, name, f"{HOSTS_SHAPE}, in lower case, without scheme, path or wildcard")
    return ()


def _credentials(environment: Environment) -> Mapping[str, str]:
    variables = _texts(
        environment, CREDENTIALS_NAME, "Variables that hold bearer tokens", CREDENTIALS_SHAPE, _VARIABLE
    )
    found = {name: environment.secret(variable) for name, variable in variables.items()}
    missing = [variables[name] for name, token in found.items() if not token]
    if missing:
        message = f"{CREDENTIALS_NAME} names variables that hold nothing: {', '.join(missing)}."
        environment.reject(CREDENTIALS_NAME, message, "Set them, or take the names out.")
    return {name: token for name, token in found.items() if token}


def _texts(
    environment: Environment, name: str, about: str, shape: str, wanted: re.Pattern[str]
) -> Mapping[str, str]:
    value: Any = environment.json_value(name, about=f"{about}: {shape}.", shape=shape)
    if value is None:
        return {}
    if isinstance(value, dict) and all(
        _NAME.fullmatch(key) and isinstance(text, str) and wanted.fullmatch(text)
        for key, text in value.items()
    ):
        return value
    _reject(environment, name, shape)
    return {}


def _reject(environment: Environment, name: str, shape: str) -> None:
    environment.reject(name, f"{name} has another shape.", f"Give it {shape}.")

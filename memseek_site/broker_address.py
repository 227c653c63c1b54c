"""The broker's address as an operator writes it, and as Celery takes it."""

import re
from urllib.parse import SplitResult, parse_qs, urlsplit

from memseek_site.environment import Environment

TCP_SCHEMES = ("redis", "rediss")
SOCKET_SCHEMES = ("unix", "redis+socket")
_PATH_OF_DATABASE = re.compile(r"/?|/[0-9]{1,9}")
_DATABASE_NUMBER = re.compile(r"[0-9]{1,9}")
_HINT = (
    "Write redis://user:password@host:6379/0, rediss:// for TLS or unix:///path/to/socket?db=0, special "
    "characters percent-encoded; the last part is the number of a database."
)


def read_broker_url(environment: Environment, address: str, *, embedded: str) -> str:
    """Celery's form of the address, the embedded one's for none; a problem is noted when it is no Redis."""
    if not address:
        return embedded
    found = _celery_address(address)
    if found is None:
        environment.reject("REDIS_URL", "REDIS_URL is no address of a Redis or Valkey server.", _HINT)
    return found or embedded


def _celery_address(address: str) -> str | None:
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        return None
    if parts.scheme in SOCKET_SCHEMES:
        return _socket_address(parts)
    is_usable = parts.scheme in TCP_SCHEMES and port != 0 and _PATH_OF_DATABASE.fullmatch(parts.path)
    return address if is_usable else None


def _socket_address(parts: SplitResult) -> str | None:
    """Celery calls the number of the database a virtual host."""
    query = parse_qs(parts.query)
    number = (query.get("db") or query.get("virtual_host") or ["0"])[-1]
    if not parts.path.strip("/") or parts.hostname or not _DATABASE_NUMBER.fullmatch(number):
        return None
    return f"redis+socket://{parts.netloc}{parts.path}?virtual_host={number}"

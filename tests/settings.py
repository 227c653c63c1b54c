"""The site's settings for tests: servers of their own, and nothing of the person who runs them.

A key or a model in the shell would make tests call a provider. Only the addresses of servers pass, so that
the same tests run on a PostgreSQL and a Redis of one's own.
"""

import os
from pathlib import Path

PASSING = {"DATABASE_URL", "DATABASE_OWNER_URL", "REDIS_URL", "MEMSEEK_DATA_DIR"}
OWN_PREFIXES = ("MEMSEEK_", "DATABASE_", "REDIS_")
OWN_NAMES = {
    "SECRET_KEY",
    "ALLOWED_HOSTS",
    "API_CORS_ORIGINS",
    "LLM_FAKE",
    "CSRF_TRUSTED_ORIGINS",
    "AGENT_MEMORY_RUN_ID",
}

for name in list(os.environ):
    is_own = name.startswith(OWN_PREFIXES) or name in OWN_NAMES or name.endswith("_API_KEY")
    if is_own and name not in PASSING:
        del os.environ[name]
os.environ.setdefault("MEMSEEK_DATA_DIR", str(Path(__file__).resolve().parent.parent / ".memseek" / "test"))
# Side by side, each process of pytest-xdist has servers of its own: a worker of one takes no task of another.
SUFFIX = f"-{os.environ.get('PYTEST_XDIST_WORKER', '')}"
if SUFFIX != "-" and not os.environ["MEMSEEK_DATA_DIR"].endswith(SUFFIX):
    os.environ["MEMSEEK_DATA_DIR"] += SUFFIX
os.environ["MEMSEEK_ENV_FILE"] = "none in tests"

from memseek_site.settings import *  # noqa: E402, F403
from memseek_site.settings import DATABASES, LOGGING, MIDDLEWARE  # noqa: E402

# Several runs may share the servers: each has a database of its own (tests/conftest.py removes dead ones).
DATABASES["default"]["TEST"] = {"NAME": f"test_memseek_{os.getpid()}"}
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
# Every reply of the API is held against the OpenAPI document.
MIDDLEWARE = ["tests.api.contract.middleware.ContractMiddleware", *MIDDLEWARE]
# pytest shows what is logged; what our handler takes for standard error now is closed when a test runs.
LOGGING["handlers"]["stderr"] = {"class": "logging.NullHandler"}

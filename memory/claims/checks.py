"""System checks of the functions that give live values: they are there and can be called."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core import checks
from django.core.checks import CheckMessage
from django.utils.module_loading import import_string

from memseek_site.checks import SETTINGS

IDENTIFIER = "memseek.E007"
HINT = "Name a function of one argument, a LiveQuestion, by its dotted path; see docs/live-state.md."


@checks.register(SETTINGS)
def live_callables_can_be_called(**_: Any) -> list[CheckMessage]:
    """Every dotted path of MEMSEEK_LIVE_CALLABLES leads to something that can be called."""
    return [
        checks.Error(f"MEMSEEK_LIVE_CALLABLES: {name} leads to {problem}.", hint=HINT, id=IDENTIFIER)
        for name, path in settings.MEMSEEK.live.callables.items()
        if (problem := _problem(path))
    ]


def _problem(path: str) -> str:
    try:
        return "" if callable(import_string(path)) else f"{path}, which cannot be called"
    except Exception as error:
        # Importing runs somebody else's program, which may raise anything.
        return f"{path}, which cannot be imported ({type(error).__name__})"

"""The way to a record's page."""

from __future__ import annotations

from showcase.access import Place, Scope
from showcase.links import overview_url
from showcase.parts import Crumb

DEMONSTRATION, SANDBOX = "Overview", "Your sandbox"


def crumbs(scope: Scope, *more: Crumb) -> tuple[Crumb, ...]:
    """From the overview of the memory on; members look at many, so theirs has its name."""
    names = {Place.DEMO: DEMONSTRATION, Place.SANDBOX: SANDBOX, Place.LIVE: scope.entity.name}
    return (Crumb(names[scope.place], overview_url(scope)), *more)

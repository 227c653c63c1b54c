"""`python -m benchmarks.admin`: how long the admin's pages take with 100,000 rows in its tables.

Fills one entity by INSERT ... SELECT, starts a web server, signs in as an operator and asks for every list,
the dashboard, the parked batches and a page of each table, several times each. Figures are milliseconds
over HTTP, the page included. Ends with 1 when a page takes longer than it may.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import httpx

from benchmarks.admin_data import fill_tables
from benchmarks.installation import installation, machine, note
from benchmarks.recall import server

if TYPE_CHECKING:
    from memory.models import Entity

ROWS = 100_000
REPEATS = 7
MOST_MILLISECONDS = 300
TIMEOUT_SECONDS = 120
SLOW_SECONDS = 2
PASSWORD = "benchmark only"  # noqa: S105  # of a database that is gone afterwards


def main() -> None:
    """Fill, sign in, ask, tell."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.admin", description=__doc__)
    parser.add_argument("--rows", type=int, default=ROWS, help=f"rows of each table ({ROWS})")
    parser.add_argument("--repeats", type=int, default=REPEATS, help=f"requests for each page ({REPEATS})")
    options = parser.parse_args()
    with installation():
        told = measure(options.rows, options.repeats)
    for line in report(told):
        print(line)
    print(json.dumps(told))
    sys.exit(bool(told["late"]))


def measure(rows: int, repeats: int) -> dict[str, Any]:
    """Median and worst of each page."""
    from django.conf import settings

    from memory.ingest.entities import ensure_entity
    from memory.ingest.workspaces import create_workspace
    from memseek_site.embedded.layout import layout_of
    from memseek_site.embedded.postgres import DATABASE, connect

    workspace = create_workspace(name="bench").workspace
    entity = ensure_entity(workspace=workspace, name="agent.bench")
    note(f"every table gets {rows} rows")
    with connect(layout_of(settings.DATA_DIR), DATABASE) as connection:
        fill_tables(connection, entity, rows)
    add_operator(entity)
    with (
        server() as address,
        httpx.Client(base_url=address, follow_redirects=True, timeout=TIMEOUT_SECONDS) as client,
    ):
        sign_in(client)
        pages = {name: timed(client, path, repeats) for name, path in addresses(entity)}
    late = {name: found for name, found in pages.items() if found["worst"] > MOST_MILLISECONDS}
    return {"rows": rows, "pages": pages, "late": sorted(late), "machine": machine()}


def add_operator(entity: Entity) -> None:
    """A person who sees the workspace by membership, as people do."""
    from django.contrib.auth.models import User

    from memory.models import Member

    user = User.objects.create_user("olga", password=PASSWORD, is_staff=True)
    Member.objects.create(workspace=entity.workspace, user=user, role=Member.Role.OPERATOR)


def sign_in(client: httpx.Client) -> None:
    """Through the page, as a browser does."""
    client.get("/admin/login/")
    form = {"username": "olga", "password": PASSWORD, "csrfmiddlewaretoken": client.cookies["csrftoken"]}
    client.post("/admin/login/", data=form, headers={"Referer": str(client.base_url)}).raise_for_status()


def addresses(entity: Entity) -> Iterator[tuple[str, str]]:
    """The dashboard, every list, lists that are narrowed, and a row's page of each table."""
    from django.contrib import admin
    from django.urls import reverse

    yield "dashboard", "/admin/"
    yield "dashboard of an entity", f"/admin/?entity={entity.name}"
    yield "parked batches", reverse("admin:memory_work_parked")
    tables = sorted(admin.site._registry, key=lambda model: str(model._meta.model_name))
    for model in tables:
        if model._meta.app_label != "memory" or admin.site._registry[model].workspace_path is None:  # type: ignore[attr-defined]
            continue
        name = f"memory_{model._meta.model_name}"
        yield f"list of {model._meta.verbose_name_plural}", reverse(f"admin:{name}_changelist")
        row = model._default_manager.order_by("-pk").first()
        if row is not None:
            yield f"page of {model._meta.verbose_name}", reverse(f"admin:{name}_change", args=[row.pk])
    atoms = reverse("admin:memory_atom_changelist")
    yield "atoms that are superseded", f"{atoms}?status__exact=superseded"
    yield "atoms of an entity by name", f"{atoms}?q={entity.name}"
    yield "last page of atoms", f"{atoms}?p=200"
    yield "failed runs", f"{reverse('admin:memory_run_changelist')}?status__exact=failed"


def timed(client: httpx.Client, path: str, repeats: int) -> dict[str, float]:
    """Milliseconds of a page, after one request that loads what is loaded late."""
    began = time.perf_counter()
    client.get(path).raise_for_status()
    if time.perf_counter() - began > SLOW_SECONDS:
        note(f"{path} took {time.perf_counter() - began:.1f} s at first")
    times = []
    for _ in range(repeats):
        began = time.perf_counter()
        client.get(path).raise_for_status()
        times.append((time.perf_counter() - began) * 1_000)
    return {"median": round(sorted(times)[len(times) // 2], 1), "worst": round(max(times), 1)}


def report(told: dict[str, Any]) -> Sequence[str]:
    """The pages, slowest first."""
    ordered = sorted(told["pages"].items(), key=lambda page: -page[1]["worst"])
    return [f"{found['median']:>8.1f} ms, worst {found['worst']:>8.1f} ms  {name}" for name, found in ordered]


if __name__ == "__main__":
    main()

"""`python -m benchmarks.showcase`: how long the pages take at 10,000 atoms, from request to first byte.

One entity is filled by COPY, with scenes, persona, rules, the runs that would have made them and a procedure;
a visitor has a sandbox, an operator signs in. Then every page of the table of addresses is asked for over the
loopback, again and again. Beside the time stand the processor's milliseconds of the web server and of
PostgreSQL for a request: where they are much less than the time, other work was going on. Ends with 1 when a
page takes longer than it may. The last line is JSON.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx

from benchmarks.installation import installation, machine, note
from benchmarks.ladder_data import add_ladder
from benchmarks.processes import Process, Served, served
from benchmarks.recall import build_index, filled_entity, filler
from benchmarks.showcase_data import add_procedure, add_runs, fill_sandbox

if TYPE_CHECKING:
    from memory.models import Entity
    from tests.showcase.addresses import Rows

ATOMS = 10_000
EMBEDDED = 2_000
"""Texts that get vectors of their own; those of the others are drawn around them."""
REPEATS = 30
WARMING = 3
MOST_MILLISECONDS = 60
TIMEOUT_SECONDS = 60
NO_PAGE = 405
PASSWORD = "benchmark only"  # noqa: S105  # of a database that is gone afterwards
ROOT = "/showcase/agent-memory"
STAGE = "2-l1"


def main() -> None:
    """Fill, sign in, ask, tell."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.showcase", description=__doc__)
    parser.add_argument(
        "--atoms", type=int, default=ATOMS, help=f"of the memory that is looked at ({ATOMS:,})"
    )
    parser.add_argument("--repeats", type=int, default=REPEATS, help=f"requests for each page ({REPEATS})")
    parser.add_argument("--only", default="", help="pages whose name holds this")
    options = parser.parse_args()
    with installation(MEMSEEK_EMBEDDING_PROVIDER="local", MEMSEEK_SANDBOX="1"):
        told = measure(options.atoms, options.repeats, options.only) | machine()
    for line in report(told):
        print(line)
    print(json.dumps(told))
    sys.exit(bool(told["late"]))


def measure(atoms: int, repeats: int, only: str) -> dict[str, Any]:
    """The figures of every page, by its name."""
    from memory.ingest.workspaces import create_workspace
    from memseek_site.demonstration import WORKSPACE

    workspace = create_workspace(name=WORKSPACE).workspace
    with filler(embedded=EMBEDDED) as fill:
        entity, _ = filled_entity(fill, workspace, atoms, 0)
        fill.finish()
    build_index(entity)
    add_ladder(entity)
    note(f"{add_runs(entity)} runs are recorded")
    procedure = add_procedure(entity)
    add_operator(entity)
    with served() as web, httpx.Client(base_url=web.address, timeout=TIMEOUT_SECONDS) as client:
        sign_in(client)
        found = pages(entity, open_sandbox(client), procedure)
        wanted = {name: path for name, path in found.items() if only in name}
        figures = {name: timed(client, web, path, repeats) for name, path in wanted.items()}
    shown = {name: figure for name, figure in figures.items() if figure is not None}
    late = sorted(name for name, figure in shown.items() if figure["p50"] > MOST_MILLISECONDS)
    return {"benchmark": "showcase", "atoms": atoms, "repeats": repeats, "pages": shown, "late": late}


def add_operator(entity: Entity) -> None:
    """A person who sees the workspace by membership, as people do."""
    from django.contrib.auth.models import User

    from memory.models import Member

    user = User.objects.create_user("olga", password=PASSWORD, is_staff=True)
    Member.objects.create(workspace=entity.workspace, user=user, role=Member.Role.OPERATOR)


def sign_in(client: httpx.Client) -> None:
    """Through the page, as a browser does."""
    _send(client, f"{ROOT}/live/sign-in/", username="olga", password=PASSWORD)


def open_sandbox(client: httpx.Client) -> Entity:
    """A visitor's memory, begun through the page."""
    from memory.models import Entity
    from memory.models.tenancy import SANDBOX_WORKSPACE_ID

    _send(client, f"{ROOT}/try/", f"{ROOT}/try/say/", text="Always ask me before you open a cabinet.")
    entity = Entity.objects.for_workspace(SANDBOX_WORKSPACE_ID).select_related("workspace").get()
    fill_sandbox(entity)
    return entity


def _send(client: httpx.Client, page: str, action: str = "", **values: str) -> None:
    found = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', client.get(page).text)
    assert found is not None  # noqa: S101  # every form has its token
    reply = client.post(
        action or page,
        data={**values, "csrfmiddlewaretoken": found[1]},
        headers={"Referer": str(client.base_url)},
    )
    if reply.status_code != httpx.codes.FOUND:
        raise SystemExit(f"{action or page} answered {reply.status_code}")


def pages(entity: Entity, sandbox: Entity, procedure: Any) -> Mapping[str, str]:
    """The address of every page by its name, and of some that show more."""
    from memory.models import TraitVersion
    from tests.showcase.addresses import addresses

    found = dict(addresses(rows_of(entity), rows_of(sandbox), procedure=procedure, stage=STAGE))
    trait = TraitVersion.objects.for_entity(entity).live().first()
    assert trait is not None  # noqa: S101  # the ladder has a persona
    live = found["showcase:live_entity"]
    return {
        **found,
        "reactor, stage of scenes": f"{ROOT}/reactor/2-l2/",
        "graph around a trait": f"{ROOT}/graph/?at={trait.pk}",
        "trace of a trait": f"{ROOT}/traces/{trait.trait_id}/",
        **{
            f"live view, {layer}": f"{live}?layer={layer}&state=all&text=a"
            for layer in ("L0", "L1", "L2", "L3")
        },
    }


def rows_of(entity: Entity) -> Rows:
    """A record of each kind that has a page: what the newest line of a scene rests on."""
    from memory.models import Evidence
    from tests.showcase.addresses import Rows

    below = Evidence.objects.filter(entity=entity)
    line = below.filter(of_line__isnull=False, atom__isnull=False).select_related("of_line").latest("pk")
    said = below.filter(of_atom=line.atom_id, message__isnull=False).latest("pk")
    assert line.of_line and line.atom_id and said.message_id  # noqa: S101, PT018  # as filtered
    return Rows(entity.pk, said.message_id, line.atom_id, line.of_line.scene_id)


def timed(client: httpx.Client, web: Served, path: str, repeats: int) -> dict[str, float] | None:
    """Milliseconds of a page after some requests that load what is loaded late; None for what is no page."""
    if client.get(path).status_code == NO_PAGE:
        return None
    for _ in range(WARMING - 1):
        first_byte(client, path)
    web_before, server_before = web.process.processor_seconds, database_seconds()
    times = [first_byte(client, path) for _ in range(repeats)]
    return {
        "p50": round(statistics.median(times), 1),
        "p95": round(statistics.quantiles(times, n=20)[-1], 1),
        "web_processor": round((web.process.processor_seconds - web_before) * 1_000 / repeats, 1),
        "database_processor": round((database_seconds() - server_before) * 1_000 / repeats, 1),
    }


def first_byte(client: httpx.Client, path: str) -> float:
    """Milliseconds until a page begins to arrive."""
    began = time.perf_counter()
    with client.stream("GET", path) as reply:
        took = (time.perf_counter() - began) * 1_000
        reply.read()
        reply.raise_for_status()
    return took


def database_seconds() -> float:
    """The processor's time of all connections to the database that are open."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT pid FROM pg_stat_activity WHERE datname = current_database()")
        numbers = [number for (number,) in cursor.fetchall()]
    return sum(Process(number).processor_seconds for number in numbers if Path(f"/proc/{number}").exists())


def report(told: Mapping[str, Any]) -> Sequence[str]:
    """The pages, slowest first."""
    return list(_lines(sorted(told["pages"].items(), key=lambda page: -page[1]["p50"])))


def _lines(found: Sequence[tuple[str, Mapping[str, float]]]) -> Iterator[str]:
    yield f"{'p50':>8} {'p95':>8} {'web':>8} {'database':>8}  milliseconds, the last two of the processor"
    for name, page in found:
        figures = (page["p50"], page["p95"], page["web_processor"], page["database_processor"])
        yield f"{' '.join(f'{figure:>8.1f}' for figure in figures)}  {name}"


if __name__ == "__main__":
    main()

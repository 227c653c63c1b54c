"""A small disk for some tables, and filling it."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.db import connection
from psycopg import sql

from memseek_site.embedded.privileges import server_user
from tests.faults.site import superuser

MEGABYTES = 24
TABLES = ("memory_message", "memory_outbox", "memory_unindexed")
BLOCK = b"\0" * 4_096


@contextmanager
def small_disk() -> Iterator[Path]:
    """A folder of the database's account on a disk of a few megabytes; a skip where none is allowed."""
    with tempfile.TemporaryDirectory(prefix="memseek-disk-") as parent:
        Path(parent).chmod(0o755)
        place = Path(parent) / "disk"
        place.mkdir()
        _mount(place)
        try:
            folder = place / "space"
            folder.mkdir(mode=0o700)
            server_user().own(folder)
            yield folder
        finally:
            # Sessions of the database may still hold files open that are gone.
            subprocess.run(["umount", "--lazy", str(place)], check=True)


def _mount(place: Path) -> None:
    options = f"size={MEGABYTES}m,mode=0755"
    try:
        done = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", options, "none", str(place)], capture_output=True, check=False
        )
    except FileNotFoundError:
        pytest.skip("there is no mount")
    if done.returncode:
        pytest.skip(f"a small disk cannot be mounted: {done.stderr.decode().strip()}")


@contextmanager
def tables_on(folder: Path) -> Iterator[None]:
    """The tables that grow with every request lie there; afterwards they lie where they were."""
    with superuser(connection.settings_dict["NAME"]) as opened:
        opened.execute(sql.SQL("CREATE TABLESPACE small LOCATION {}").format(str(folder)))
        try:
            _move(opened, "small")
            yield
        finally:
            _move(opened, "pg_default")
            opened.execute("CHECKPOINT")
            opened.execute("DROP TABLESPACE small")


def _move(opened: psycopg.Connection[Any], to: str) -> None:
    for table in TABLES:
        indexes = opened.execute("SELECT indexname FROM pg_indexes WHERE tablename = %s", [table]).fetchall()
        for kind, name in [("TABLE", table), *(("INDEX", index) for (index,) in indexes)]:
            opened.execute(
                sql.SQL("ALTER {} {} SET TABLESPACE {}").format(
                    sql.SQL(kind), sql.Identifier(name), sql.Identifier(to)
                )
            )


def fill(place: Path) -> None:
    """Write until nothing more fits."""
    with suppress(OSError), place.open("wb", buffering=0) as filler:
        while True:
            filler.write(BLOCK)

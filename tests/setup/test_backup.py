"""Backup and restore, with PostgreSQL's own programs, as docs/deployment.md tells an operator to do it."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection, transaction

from memory.ingest.incoming import read_messages
from memory.ingest.messages import append_messages
from memseek_site.embedded.layout import layout_of
from memseek_site.embedded.postgres import connect
from memseek_site.embedded.privileges import server_user
from memseek_site.embedded.programs import postgres_programs
from tests.cast import make_alice
from tests.setup.commands import ROOT

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(not settings.IS_DATABASE_EMBEDDED, reason="needs the programs of the embedded server"),
]

# The process's number at the end: should the test be killed, the next run drops it.
RESTORED = f"test_memseek_restored_{os.getpid()}"
TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1"
DIGEST = "SELECT count(*), md5(string_agg(row::text, '|' ORDER BY row::text)) FROM {} AS row"


@pytest.fixture
def restored() -> Iterator[str]:
    """An empty database with pgvector in it, made by a superuser as for a new installation."""
    layout = layout_of(settings.DATA_DIR)
    with connect(layout) as superuser:
        superuser.execute(f'CREATE DATABASE "{RESTORED}" OWNER memseek_owner')
    with connect(layout, RESTORED) as superuser:
        superuser.execute("CREATE EXTENSION IF NOT EXISTS vector")
    yield RESTORED
    with connect(layout) as superuser:
        superuser.execute(f'DROP DATABASE IF EXISTS "{RESTORED}" WITH (FORCE)')


def run(program: str, *arguments: str) -> None:
    layout = layout_of(settings.DATA_DIR)
    programs = postgres_programs(layout, server_user())
    where = ["--host", str(layout.sockets), "--username", "memseek_owner"]
    done = subprocess.run([programs / program, *where, *arguments], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def options_of(program: str) -> list[str]:
    """What the guide gives to a program, without its addresses and files."""
    text = (ROOT / "docs" / "deployment.md").read_text(encoding="utf-8")
    [line] = re.findall(rf"^ {{4}}{program} (.+)$", text, re.MULTILINE)
    return [
        word
        for word in line.split()
        if word.startswith("--") and "=memseek" not in word and "file" not in word and "dbname" not in word
    ]


def contents(database: str) -> dict[str, tuple[int, str | None]]:
    """How many rows each table holds, and a digest over all of them.

    But for signs of life: they come and go by themselves while a server runs, as those of other tests may.
    """
    with connect(layout_of(settings.DATA_DIR), database) as superuser:
        names = [name for (name,) in superuser.execute(TABLES).fetchall()]
        return {
            name: superuser.execute(DIGEST.format(name)).fetchone()
            for name in names
            if name != "memory_process"
        }


def test_a_dump_restores_to_the_same_rows_and_goes_on(tmp_path: Path, restored: str) -> None:
    with transaction.atomic():
        alice = make_alice()
    append_messages(
        entity=alice.entity, messages=read_messages([{"session": "new", "role": "user", "text": "Grüße 🎉"}])
    )
    dump = tmp_path / "memseek.dump"
    original = str(connection.settings_dict["NAME"])
    run("pg_dump", *options_of("pg_dump"), f"--file={dump}", original)
    run("pg_restore", *options_of("pg_restore"), f"--dbname={restored}", str(dump))
    before, after = contents(original), contents(restored)
    assert before["memory_message"][0] == 5
    assert after == before
    with connect(layout_of(settings.DATA_DIR), restored) as superuser:
        [(is_allowed,)] = superuser.execute(
            "SELECT has_table_privilege('memseek_app', 'memory_message', 'INSERT')"
        ).fetchall()
        [(next_seq,)] = superuser.execute("SELECT nextval('memory_record_number')").fetchall()
        [(last_seq,)] = superuser.execute("SELECT max(seq) FROM memory_message").fetchall()
    assert (is_allowed, next_seq > last_seq) == (True, True)

"""A workspace for one run of a terminal, where the environment names no key.

It is made in the database that the environment names (DATABASE_URL, else the embedded one), and looked at
through the server there, or through one that is brought up for the run. Nobody is shown its key, which ends
within a day; the workspace stays until somebody deletes it.
"""

from __future__ import annotations

import os
import secrets
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from memory.client import Memory, MemseekError, UnauthorisedError, UnreachableError
from memory.client.site import BASE_URL_VARIABLE, DEFAULT_BASE_URL, KEY_VARIABLE, is_site_named, site_of
from memory.walkthrough.terminal import NoPlaceError, Place
from memseek_site.trial import TrialError, new_workspace, serving

LIFETIME = "1d"
NO_DATABASE = f"""\
There is neither a key ({KEY_VARIABLE}) nor a database to make a workspace in. Do one of these:
  set {KEY_VARIABLE} and {BASE_URL_VARIABLE} to those of a server that runs;
  set DATABASE_URL to a PostgreSQL with pgvector, migrated (python manage.py migrate);
  unset DATABASE_URL, where the embedded PostgreSQL of the [embedded] extra is installed.
What was said: """
OTHER_DATABASE = f"""\
The server at {{base_url}} works on another database than the one that was found here.
Set {KEY_VARIABLE} to a key of that server, or DATABASE_URL to its database."""


@contextmanager
def disposable_place() -> Iterator[Place]:
    """A new workspace and a server that opens it. NoPlaceError says what to do where there is none."""
    if is_site_named() and not _answers(_named_url()):
        raise NoPlaceError(
            f"Nothing answers at {_named_url()}. Start a server there (python manage.py serve), or unset "
            f"{BASE_URL_VARIABLE}: then one is brought up for this run."
        )
    name = f"terminal-{secrets.token_hex(3)}"
    key = _made(name)
    told = f"A workspace of its own, {name}: no {KEY_VARIABLE} is set. Its key ends within a day, unseen."
    base_url = _named_url()
    if _opens(base_url, key):
        yield Place(base_url, key, told)
    elif is_site_named():
        raise NoPlaceError(OTHER_DATABASE.format(base_url=base_url))
    else:
        with _own_server() as own_url:
            yield Place(own_url, key, f"{told} So does the server.")


def _named_url() -> str:
    return site_of(None, "none").base_url if is_site_named() else DEFAULT_BASE_URL


def _answers(base_url: str) -> bool:
    try:
        with Memory(base_url, "none") as client:
            client.health()
    except UnreachableError:
        return False
    except MemseekError:
        return True
    return True


def _made(name: str) -> str:
    try:
        return new_workspace(os.environ, name, "--scope", "admin", "--lifetime", LIFETIME)
    except TrialError as problem:
        raise NoPlaceError(NO_DATABASE + str(problem).strip().splitlines()[-1]) from problem


def _opens(base_url: str, key: str) -> bool:
    """Whether a server answers there and knows the key; somebody else's may know nothing of it."""
    try:
        with Memory(base_url, key, attempts=1) as client:
            list(client.entities(limit=1))
    except (UnreachableError, UnauthorisedError):
        return False
    return True


@contextmanager
def _own_server() -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="memseek-terminal-") as folder:
        try:
            with serving(os.environ, Path(folder) / "serve.log") as base_url:
                yield base_url
        except TrialError as problem:
            raise NoPlaceError(str(problem)) from problem

"""What befalls a site while clients store messages: a strike is a blow, and what brings the site back."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from django.db import connection

from tests.faults.site import Site, backends, kill, patiently, postmaster, superuser
from tests.setup.commands import wait_until

Strike = Callable[[Site, random.Random], int]
"""One blow; gives how many processes, connections or names it hit."""


@dataclass(frozen=True)
class Fault:
    """A kind of fault."""

    name: str
    strike: Strike
    hits: str
    """What its number counts."""


def kill_web(site: Site, chance: random.Random) -> int:
    """The web process ends amid its requests, and another one is started."""
    site.kill_web()
    site.start_web()
    site.wait_until_serving()
    return 1


def kill_worker(site: Site, chance: random.Random) -> int:
    """The worker ends amid its steps, wherever it stands."""
    site.kill_worker()
    site.start_worker()
    return 1


def kill_backend(site: Site, chance: random.Random) -> int:
    """A server process of the database ends: the whole server throws everybody out and recovers."""
    found = patiently(backends)
    return int(bool(found) and kill(chance.choice(found)))


def kill_postmaster(site: Site, chance: random.Random) -> int:
    """The database's first process ends; its keeper starts another one."""
    killed = postmaster()
    kill(killed)
    patiently(backends)
    wait_until(lambda: postmaster() != killed)
    return 1


def cut_connections(site: Site, chance: random.Random) -> int:
    """Every connection to the database is cut at once, those of this test as well."""
    return patiently(_cut)


def _cut() -> int:
    with superuser() as opened:
        found = opened.execute(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = %s",
            [connection.settings_dict["NAME"]],
        )
        [cut] = found.fetchone() or (0,)
        return int(cut)


def restart_broker(site: Site, chance: random.Random) -> int:
    """The broker ends, and another one starts that knows of no task."""
    site.broker.kill()
    site.broker.start()
    return 1


def flush_broker(site: Site, chance: random.Random) -> int:
    """The broker forgets every task and every name."""
    return site.broker.flush()


FAULTS = (
    Fault("web killed", kill_web, "processes"),
    Fault("worker killed", kill_worker, "processes"),
    Fault("database's server process killed", kill_backend, "processes"),
    Fault("database's first process killed", kill_postmaster, "processes"),
    Fault("connections cut", cut_connections, "connections"),
    Fault("broker restarted", restart_broker, "processes"),
    Fault("broker flushed", flush_broker, "names"),
)

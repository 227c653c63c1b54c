"""How much memory the embedded database takes for its cache."""

from __future__ import annotations

import os
from pathlib import Path

MEGABYTE = 1024 * 1024
LEAST_MEGABYTES, MOST_MEGABYTES = 128, 1024
SHARE = 8
CONTAINER_LIMIT = Path("/sys/fs/cgroup/memory.max")


def shared_buffers() -> str:
    """An eighth of the memory, 128 MB to 1 GB, as PostgreSQL writes it. What is not needed is not touched.

    The vector index of 100,000 claims and their messages is about 350 MB: read through a smaller cache it
    takes three times as long.
    """
    megabytes = machine_bytes() // MEGABYTE // SHARE
    return f"{max(LEAST_MEGABYTES, min(MOST_MEGABYTES, megabytes))}MB"


def machine_bytes() -> int:
    """Of the machine, or of the container around this process if that has less."""
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    try:
        return min(machine, int(CONTAINER_LIMIT.read_text()))
    except (OSError, ValueError):
        return machine

"""Signs of life: each web and worker process tells who it is and under which configuration it runs."""

import logging
import os
import socket
from datetime import timedelta
from threading import Event, Thread
from typing import Literal

from django.conf import settings
from django.db import DatabaseError, close_old_connections, connection
from django.db.models.functions import Now
from django.utils import timezone

from memory.models import Process
from memseek_site import VERSION

logger = logging.getLogger(__name__)

FORGET_AFTER = timedelta(days=1)
STOP_PATIENCE_SECONDS = 5.0


class Heartbeat:
    """Writes this process's row again and again from a thread; removes it at an orderly end."""

    def __init__(self, kind: Literal["web", "worker"]) -> None:
        self.kind = kind
        self.name = f"{socket.gethostname()}:{os.getpid()}"[:128]
        self._is_over = Event()
        self._thread = Thread(target=self._run, name="heartbeat", daemon=True)

    def start(self) -> None:
        """Begin; the first row is written at once."""
        self._thread.start()

    def stop(self) -> None:
        """End and wait until the row is gone."""
        self._is_over.set()
        self._thread.join(STOP_PATIENCE_SECONDS)

    def _run(self) -> None:
        is_quiet = False
        while True:
            try:
                self.beat()
                is_quiet = False
            except DatabaseError as problem:
                # A database that is away or not migrated must not end the process; told once, not every time.
                if not is_quiet:
                    logger.warning("no sign of life could be written: %s", type(problem).__name__)
                is_quiet = True
            finally:
                connection.close()
            if self._is_over.wait(settings.MEMSEEK.heartbeat_seconds):
                break
        self._leave()

    def beat(self) -> None:
        """Write the row, and forget processes that have been silent for a day."""
        close_old_connections()
        process = Process(
            kind=self.kind,
            name=self.name,
            configuration_hash=settings.MEMSEEK.configuration_hash(),
            version=VERSION,
            seen_at=Now(),
        )
        Process.objects.bulk_create(
            [process],
            update_conflicts=True,
            unique_fields=["kind", "name"],
            update_fields=["configuration_hash", "version", "seen_at"],
        )
        Process.objects.filter(seen_at__lt=timezone.now() - FORGET_AFTER).delete()

    def _leave(self) -> None:
        try:
            Process.objects.filter(kind=self.kind, name=self.name).delete()
        except DatabaseError:
            logger.info("the row of this process stays until it is forgotten")
        finally:
            connection.close()

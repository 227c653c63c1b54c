"""Celery's application. Tasks carry ids; the rows in PostgreSQL are the truth.

celery -A memseek_site.celery:application worker --beat
"""

import logging
import os
import time
import warnings
from threading import Thread
from typing import Any

from celery import Celery, signals
from celery.exceptions import SecurityWarning

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memseek_site.settings")
# All of Django's checks load the admin and every page, 30 MB that a worker never uses; its own are run below.
os.environ.setdefault("CELERY_SKIP_CHECKS", "1")

# Celery warns of root because pickled tasks run code; ours are JSON, and containers often are root.
warnings.filterwarnings("ignore", category=SecurityWarning)

application = Celery("memseek")
application.config_from_object("django.conf:settings", namespace="CELERY")
application.set_default()
application.autodiscover_tasks()

PARENT_LOOK_SECONDS = 1.0


@signals.setup_logging.connect
def keep_logging(loglevel: int | None = None, **_: Any) -> None:
    """Celery's own handlers would print the text of errors; of its set-up only the level is taken."""
    if loglevel is not None:
        logging.getLogger().setLevel(loglevel)


@signals.worker_init.connect
def prepare_worker(**_: Any) -> None:
    """Refuse wrong settings and have servers before the first connection; then give signs of life."""
    from memory.llm.registry import warm_up
    from memseek_site.broker_restoring import outlive_broker
    from memseek_site.heartbeat import Heartbeat
    from memseek_site.servers import prepare_server

    prepare_server()
    outlive_broker()
    heartbeat = Heartbeat("worker")
    heartbeat.start()
    # The first call of a fresh worker should not pay for the import of an SDK.
    Thread(target=warm_up, name="warm-up", daemon=True).start()
    signals.worker_shutdown.connect(lambda **_: heartbeat.stop(), weak=False)


@signals.beat_embedded_init.connect
def end_beat_with_its_worker(**_: Any) -> None:
    """Beat is a child of the worker, which a killed worker would leave behind."""
    Thread(target=_watch_parent, args=(os.getppid(),), name="parent-watch", daemon=True).start()


def _watch_parent(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(PARENT_LOOK_SECONDS)
    os._exit(0)

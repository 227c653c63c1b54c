"""The WSGI application, for servers that know no ASGI. Streams need ASGI."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memseek_site.settings")

application = get_wsgi_application()

from memseek_site.heartbeat import Heartbeat  # noqa: E402 - Django has to be set up first
from memseek_site.servers import prepare_server  # noqa: E402

prepare_server()
Heartbeat("web").start()

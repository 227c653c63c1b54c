"""The ASGI application: Django and what is mounted beside it; the server's start and end go to the heartbeat.

uvicorn memseek_site.asgi:application
"""

import os
from collections.abc import Awaitable, Callable
from typing import Any

from memseek_site.handler import application as handler_of_django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memseek_site.settings")

django_application = handler_of_django()

from memory.events.http import is_stream, serve  # noqa: E402 - Django has to be set up first
from memory.llm.embedders.registry import query_embedding  # noqa: E402
from memseek_site.heartbeat import Heartbeat  # noqa: E402
from memseek_site.mounting import end_mounted, mounted_at  # noqa: E402
from memseek_site.servers import end_streams_first, keep_what_is_loaded, prepare_server  # noqa: E402

prepare_server()

Event = dict[str, Any]
Receive = Callable[[], Awaitable[Event]]
Send = Callable[[Event], Awaitable[None]]


async def application(scope: Event, receive: Receive, send: Send) -> None:
    """One connection, or the life of the server."""
    if scope["type"] == "lifespan":
        await live(receive, send)
        return
    if scope["type"] != "http":
        await refuse(receive, send)
        return
    mounted = mounted_at(scope["path"])
    if is_stream(scope):
        await serve(django_application, scope, receive, send)
    elif mounted is not None:
        await mounted(scope, receive, send)
    else:
        await django_application(scope, receive, send)


async def refuse(receive: Receive, send: Send) -> None:
    """No web socket is opened here."""
    await receive()
    await send({"type": "websocket.close"})


async def live(receive: Receive, send: Send) -> None:
    """Give signs of life from the server's start to its end."""
    heartbeat = Heartbeat("web")
    while True:
        event = await receive()
        if event["type"] == "lifespan.startup":
            heartbeat.start()
            end_streams_first()
            query_embedding().warm_up()
            keep_what_is_loaded()
            await send({"type": "lifespan.startup.complete"})
        elif event["type"] == "lifespan.shutdown":
            await end_mounted()
            heartbeat.stop()
            await send({"type": "lifespan.shutdown.complete"})
            return

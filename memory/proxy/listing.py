"""The models that a client may name: the endpoint's own, and the names that the settings add."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

import httpx

from memory.proxy.channel import Channel
from memory.proxy.errors import NOT_HERE, UNREACHABLE, Refused
from memory.proxy.upstream import Upstream, passed_headers
from memseek_site.proxy_reading import ANY_MODEL, ProxySettings

PREFIX = "/v1"
PATH = "/models"
OK = 200
OWNER = "memseek"


async def answer_models(channel: Channel, upstream: Upstream, proxy: ProxySettings) -> None:
    """`GET /v1/models` and `/v1/models/{name}`. An endpoint that lists none still has the names of ours."""
    added = [_model(name) for name in sorted(proxy.models) if name != ANY_MODEL]
    asked = channel.path.removeprefix(PREFIX)
    if {"", ".", ".."} & set(asked.split("/")[1:]):
        raise NOT_HERE()
    own = next((model for model in added if asked == f"{PATH}/{model['id']}"), None)
    if own is not None:
        await channel.reply(OK, json.dumps(own).encode(), {})
        return
    try:
        await _pass(channel, upstream, quote(asked), added if asked == PATH else [])
    except Refused:
        if asked != PATH or not added:
            raise
        await channel.reply(OK, _listed([], added), {})


async def _pass(channel: Channel, upstream: Upstream, path: str, added: list[dict[str, Any]]) -> None:
    async with upstream.asked("GET", path, body=None, headers={}) as response:
        try:
            body = await response.aread()
        except httpx.HTTPError:
            raise UNREACHABLE() from None
        headers = passed_headers(response)
        if response.status_code != OK:
            if added:
                raise UNREACHABLE()
            await channel.reply(response.status_code, upstream.without_key(body), headers)
            return
        await channel.reply(OK, _with(body, added) if added else body, headers)


def _with(body: bytes, added: list[dict[str, Any]]) -> bytes:
    """The endpoint's list behind our names; as it came where it is no list."""
    try:
        found = json.loads(body)["data"]
    except (ValueError, KeyError, TypeError):
        return body
    return _listed(found, added) if isinstance(found, list) else body


def _listed(found: list[Any], added: list[dict[str, Any]]) -> bytes:
    return json.dumps({"object": "list", "data": [*added, *found]}).encode()


def _model(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": 0, "owned_by": OWNER}

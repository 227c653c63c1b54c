"""Shares: who may read an entity's memory. Opened and closed with scope admin."""

from __future__ import annotations

from typing import Any, cast

from rest_framework.request import Request
from rest_framework.response import Response

from memory.api.correction_views import ReadOrCorrect
from memory.api.cursors import read_id_cursor
from memory.api.entity_bodies import SHARES, SharesBody, shares_body
from memory.api.entity_requests import ShareGiven, SharesAsked
from memory.api.operations import operation
from memory.api.reading import read_body, read_query
from memory.api.session_requests import NothingAsked
from memory.stewardship.sharing import ShareRecord, list_shares, share_memory, unshare_memory


class SharesView(ReadOrCorrect):
    """`GET` and `POST /entities/{name}/shares`."""

    @operation("List shares", query=SharesAsked, returns=SharesBody)
    def get(self, request: Request, name: str) -> Response:
        """A page of those who may read this entity's memory, or of those whose memory it may read."""
        asked = read_query(SharesAsked, request.query_params)
        entity = self.access().entity(name)
        after = read_id_cursor(asked.after, SHARES)
        page = list_shares(entity, direction=asked.direction, after=after, limit=asked.limit)
        return Response(shares_body(entity, asked.direction, page))

    @operation(
        "Share a memory",
        body=ShareGiven,
        returns=ShareRecord,
        status={201: "The memory is open to the reader now.", 200: "It was open already."},
        needs="The key has to open both entities.",
    )
    def post(self, request: Request, name: str) -> Response:
        """Let another entity read this one's memory; never write, correct, forget or carry it out."""
        given = read_body(ShareGiven, cast(dict[str, Any], request.data))
        entity, reader = self.access().entity(name), self.access().entity(given.reader)
        record, is_new = share_memory(entity=entity, reader=reader, actor=self.actor(), reason=given.reason)
        return Response(record, status=201 if is_new else 200)


class ShareView(ReadOrCorrect):
    """`DELETE /entities/{name}/shares/{reader}`."""

    @operation("Stop sharing a memory", query=NothingAsked, status=204)
    def delete(self, request: Request, name: str, reader: str) -> Response:
        """Close the memory to the reader, at once."""
        read_query(NothingAsked, request.query_params)
        unshare_memory(entity=self.access().entity(name), reader=reader)
        return Response(status=204)

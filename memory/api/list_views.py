"""Exact, paged and complete lists: rules, sessions, replay, atoms."""

from __future__ import annotations

from rest_framework.request import Request
from rest_framework.response import Response

from memory.api import list_bodies as bodies
from memory.api.authentication import CanRead
from memory.api.cursors import read_id_cursor, read_number_cursor, read_rule_cursor
from memory.api.operations import operation
from memory.api.reading import read_query
from memory.api.requests import AtomsAsked, ListAsked, RulesAsked
from memory.api.views import JsonView
from memory.recall.listing import AtomFilter, list_atoms
from memory.recall.replay import list_sessions, replay_session
from memory.recall.rules import standing_rules


class RulesView(JsonView):
    """`GET /rules`."""

    permission_classes = [CanRead]

    @operation("List standing rules", query=RulesAsked, returns=bodies.RulesBody)
    def get(self, request: Request) -> Response:
        """A page of the standing rules at or above a floor, most important first."""
        asked = read_query(RulesAsked, request.query_params)
        entity = self.access().readable(asked.entity)
        after = read_rule_cursor(asked.after)
        page = standing_rules(entity, floor=asked.floor, after=after, limit=asked.limit)
        return Response(bodies.rules_body(entity, page))


class SessionsView(JsonView):
    """`GET /sessions`."""

    permission_classes = [CanRead]

    @operation("List sessions", query=ListAsked, returns=bodies.SessionsBody)
    def get(self, request: Request) -> Response:
        """A page of the entity's sessions, in the order in which they were opened."""
        asked = read_query(ListAsked, request.query_params)
        entity = self.access().readable(asked.entity)
        after = read_id_cursor(asked.after, "sessions")
        return Response(bodies.sessions_body(entity, list_sessions(entity, after=after, limit=asked.limit)))


class ReplayView(JsonView):
    """`GET /sessions/{session}/messages`."""

    permission_classes = [CanRead]

    @operation("Read a session again", query=ListAsked, returns=bodies.ReplayBody)
    def get(self, request: Request, session: str) -> Response:
        """A page of a session, word for word; the session is named as it was stored, or by its id."""
        asked = read_query(ListAsked, request.query_params)
        entity = self.access().readable(asked.entity)
        after = read_number_cursor(asked.after, "messages")
        return Response(
            bodies.replay_body(entity, replay_session(entity, session, after=after, limit=asked.limit))
        )


class AtomsView(JsonView):
    """`GET /atoms`."""

    permission_classes = [CanRead]

    @operation("List atoms", query=AtomsAsked, returns=bodies.AtomsBody)
    def get(self, request: Request) -> Response:
        """A page of the atoms that a filter lets through, in the order in which they were made."""
        asked = read_query(AtomsAsked, request.query_params)
        entity = self.access().readable(asked.entity)
        after = read_number_cursor(asked.after, "atoms")
        page = list_atoms(entity, atom_filter(asked), after=after, limit=asked.limit)
        return Response(bodies.atoms_body(entity, page))


def atom_filter(asked: AtomsAsked) -> AtomFilter:
    """The filter that the parameters mean."""
    return AtomFilter(
        kinds=asked.kind,
        states=() if "all" in asked.state else asked.state,
        topics=asked.topic,
        priority_from=asked.priority_from,
        priority_to=asked.priority_to,
        since=asked.since,
        until=asked.until,
    )

"""Tools that read: context, recall, standing rules, a session word for word, a cited answer."""

from __future__ import annotations

from memory.api import list_bodies, recall_bodies
from memory.api.cursors import read_number_cursor, read_rule_cursor
from memory.api.reading import read_body
from memory.api.requests import AnswerAsked, ContextAsked, ListAsked, Name, RecallAsked, RulesAsked
from memory.api.translating import context_request, memories_of, question_of, search_request
from memory.ingest.access import Access
from memory.limiting.rates import Kind
from memory.mcp.tools import Arguments, Body, Hints, Made, Tool
from memory.measuring.answers import recorded_answer
from memory.recall.context import render_context
from memory.recall.replay import replay_session
from memory.recall.rules import standing_rules
from memory.recall.search import search
from memory.recall.sharing import search_shared

ENTITY_FIELD = {"entity": "Whose memory, by name, such as agent.alice."}
PAGE_FIELDS = {
    "after": "The next_after that the page before ended with.",
    "limit": "So many on a page, 1 to 100.",
}
FILTER_FIELDS = {
    "kinds": "Only claims of these kinds: persona (traits), episodic (events, plans, facts), instruction.",
    "topics": "Only claims on these topics.",
    "session": "Only what was said in this session, by its name or id.",
    "since": "Only what is of this time or later: ISO 8601 with a zone.",
    "until": "Only what is of before this time: ISO 8601 with a zone.",
}


SHARED_FIELD = {
    "shared": "Memories of others that are shared with this one and taken in too: their names, or all.",
}


class ReplayAsked(ListAsked):
    """A page of a session; over HTTP its name stands in the address."""

    session: Name


def _context(access: Access, arguments: Arguments) -> Made:
    asked = read_body(ContextAsked, arguments)
    entity, others = memories_of(access, asked)
    context = render_context(entity, context_request(entity, asked), shared=others)
    return recall_bodies.context_body(entity, context)


def _context_text(body: Body) -> str:
    """It bears its own marks and its own warning."""
    return str(body["text"])


def _recall(access: Access, arguments: Arguments) -> Made:
    asked = read_body(RecallAsked, arguments)
    entity, others = memories_of(access, asked)
    wanted = search_request(entity, asked)
    shared = search_shared(others, wanted) if asked.shared else None
    return recall_bodies.recall_body(entity, search(entity, wanted), shared)


def _rules(access: Access, arguments: Arguments) -> Made:
    asked = read_body(RulesAsked, arguments)
    entity = access.readable(asked.entity)
    after = read_rule_cursor(asked.after)
    page = standing_rules(entity, floor=asked.floor, after=after, limit=asked.limit)
    return list_bodies.rules_body(entity, page)


def _replay(access: Access, arguments: Arguments) -> Made:
    asked = read_body(ReplayAsked, arguments)
    entity = access.readable(asked.entity)
    after = read_number_cursor(asked.after, "messages")
    page = replay_session(entity, asked.session, after=after, limit=asked.limit)
    return list_bodies.replay_body(entity, page)


def _answer(access: Access, arguments: Arguments) -> Made:
    asked = read_body(AnswerAsked, arguments)
    entity = access.readable(asked.entity)
    return recall_bodies.answer_body(entity, recorded_answer(entity, question_of(asked)))


READING = (
    Tool(
        name="context",
        title="Context for a task",
        about=(
            "Ask this first: what is known that matters for a task, as one bounded text with persona,"
            " standing rules, scenes, relevant memory and a procedure. Take the text in as it is."
        ),
        scope="read",
        asked=ContextAsked,
        fields={
            "task": "What is about to be done, in the user's own words where there are any.",
            **ENTITY_FIELD,
            "total": "Most tokens of the whole text.",
            "budgets": "Most tokens of a block: persona, rules, scenes, memory, procedure, request.",
            "rules_floor": "Rules of this priority or more, 0 to 100; 70 if left out.",
            **FILTER_FIELDS,
            **SHARED_FIELD,
            "as_of": "The moment that counts as now: ISO 8601 with a zone.",
            "evolution_record": "Whether scenes also tell what used to hold.",
            "model": "Name of the model that reads the text: some cut words into more tokens.",
        },
        examples=({"task": "Plan the release of the billing API"}, {"task": "Reply to Bob", "total": 2000}),
        run=_context,
        returns=recall_bodies.context_body,
        said=_context_text,
    ),
    Tool(
        name="recall",
        title="Search memory",
        about=(
            "Search for one thing: claims, scenes, traits and the words they rest on, best first, each with"
            " its citations."
        ),
        scope="read",
        asked=RecallAsked,
        fields={
            "query": "What is looked for: a question, names, words that were used.",
            **ENTITY_FIELD,
            "limit": "So many results, 1 to 100.",
            "layers": "Only these layers: message (words), atom (claims), section (scenes), trait (persona).",
            **FILTER_FIELDS,
            **SHARED_FIELD,
        },
        examples=({"query": "When is the payments migration due?", "limit": 5},),
        run=_recall,
        returns=recall_bodies.recall_body,
    ),
    Tool(
        name="standing_rules",
        title="Standing rules",
        about=(
            "Every rule that the user has laid down for you, most important first, complete page by page."
            " Keep to them."
        ),
        scope="read",
        asked=RulesAsked,
        fields={
            **ENTITY_FIELD,
            "floor": "Rules of this priority or more, 0 to 100; 70 if left out.",
            **PAGE_FIELDS,
        },
        examples=({}, {"floor": 0, "limit": 100}),
        run=_rules,
        returns=list_bodies.rules_body,
    ),
    Tool(
        name="replay_session",
        title="Replay a session",
        about=(
            "What was said in one session, word for word and in order. Results of recall name the sessions"
            " that they come from."
        ),
        scope="read",
        asked=ReplayAsked,
        fields={"session": "Name or id of the session.", **ENTITY_FIELD, **PAGE_FIELDS},
        examples=({"session": "monday", "limit": 20},),
        run=_replay,
        returns=list_bodies.replay_body,
    ),
    Tool(
        name="answer",
        title="Answer from memory",
        about=(
            "A short reply to a question from memory alone: every statement cited, and what memory does not"
            " hold named as a gap. May take a while where a language model is configured."
        ),
        scope="read",
        asked=AnswerAsked,
        fields={"question": "One question.", **ENTITY_FIELD},
        examples=({"question": "When must we not deploy?"},),
        run=_answer,
        returns=recall_bodies.answer_body,
        # It changes nothing of the memory; what it cost is recorded.
        hints=Hints(is_read_only=True, is_idempotent=False),
        cost=Kind.EXPENSIVE,
    ),
)

"""Forgetting in two steps: the first lists what would go and erases nothing, the second erases that."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field
from typing_extensions import TypedDict

from memory.api.errors import RequestRefused
from memory.api.forget_bodies import ErasureBody, erased_body, proposal_body
from memory.api.forget_requests import ForgetAsked, ForgetConfirmed, Ids, Token
from memory.api.reading import read_body
from memory.api.requests import Asked, Words
from memory.ingest.access import Access
from memory.limiting.rates import Kind
from memory.mcp.reading_tools import ENTITY_FIELD
from memory.mcp.tools import Arguments, Body, Hints, Made, Tool
from memory.stewardship.actors import Actor
from memory.stewardship.forgetting import WORDS_LIMIT, confirm_forgetting, propose_forgetting
from memory.stewardship.forgetting_records import Match

LISTED = (
    "Nothing is erased yet. Show the person every match with what goes with it, and ask. Only after their yes"
    " call forget again with the token alone; ids of what they want to keep go into keep."
)
NOTHING_LISTED = "Nothing was found that would go. Nothing is erased."
ERASED = "Erased for good, with what rested on it. What is left is written anew without it."


class ForgetGiven(Asked):
    """Either step: `ForgetAsked` or `ForgetConfirmed`."""

    text: Annotated[Words | None, Field(max_length=WORDS_LIMIT)] = None
    token: Token | None = None
    keep: Ids = ()


class ForgetToolBody(TypedDict, total=False):
    """What was found and may be confirmed, or what is erased."""

    entity: str
    matter: str
    wants_old: bool
    matches: tuple[Match, ...]
    erasure: ErasureBody | None
    token: str | None


def _forget(access: Access, arguments: Arguments) -> Made:
    if ("text" in arguments) == ("token" in arguments):
        raise RequestRefused("token: text lists what would go, and its token alone erases it. Give one.")
    return _confirmed(access, arguments) if "token" in arguments else _proposed(access, arguments)


def _proposed(access: Access, arguments: Arguments) -> Made:
    asked = read_body(ForgetAsked, arguments)
    entity = access.entity(asked.entity)
    actor = Actor(key=access.key)
    proposal = propose_forgetting(entity=entity, words=asked.text, actor=actor, keep=asked.keep)
    return proposal_body(entity.name, proposal)


def _confirmed(access: Access, arguments: Arguments) -> Made:
    asked = read_body(ForgetConfirmed, arguments)
    entity = access.entity(asked.entity)
    actor = Actor(key=access.key)
    done = confirm_forgetting(entity=entity, token=asked.token, actor=actor, keep=asked.keep)
    return erased_body(entity.name, done)


def _after(body: Body) -> str:
    if "matches" not in body:
        return ERASED
    return LISTED if body["token"] else NOTHING_LISTED


FORGETTING = (
    Tool(
        name="forget",
        title="Forget something",
        about=(
            "Erase something from memory for good, in two steps. First with text: lists what it means, with"
            " all that depends on it, and a token; erases nothing. Then, after the person has seen the list"
            " and said yes, with the token alone: erases what was listed."
        ),
        scope="admin",
        asked=ForgetGiven,
        fields={
            "text": "First step: what is to be forgotten, in the person's own words.",
            "token": "Second step: the token of the list that the person has agreed to.",
            "keep": "Ids of listed matches or messages that stay.",
            **ENTITY_FIELD,
        },
        examples=({"text": "forget my old address"},),
        run=_forget,
        returns=ForgetToolBody,
        hints=Hints(is_read_only=False, is_destructive=True, is_idempotent=False),
        cost=Kind.EXPENSIVE,
        after=_after,
    ),
)

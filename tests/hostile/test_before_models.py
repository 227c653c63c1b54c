"""Stored text that gives orders, in what is put before a model and in what operators look at."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from memory.ingest.recalled import NAME, strip_recalled
from memory.models import Atom, Entity, Evidence, Message, Scene, SceneVersion, SearchUnit, Session
from memory.proxy.context import remembered, with_memory
from memory.recall.compiling import CompileRequest, compile_context
from tests.factories import make_message
from tests.hostile.test_shown import CLOSING, each_text, is_one_block, remember
from tests.hostile.test_shown import entity as entity
from tests.hostile.texts import HOSTILE

ASKED = "Which tea, and who mails the key?"
MARKUP = re.compile(r"<script>alert|<img src=x")


@each_text
def test_no_stored_text_leaves_the_context_of_a_turn(name: str, entity: Entity) -> None:
    remember(entity, HOSTILE[name])
    make_message(entity, ASKED, session="now", speaker="")
    session = Session.objects.select_related("entity__workspace").get(entity=entity, external_id="now")
    made = compile_context(session, CompileRequest(strategy="text"))
    system, asked = (message["content"] for message in made.messages)
    assert is_one_block(system)
    # A text without a word of the request is in no block of memory.
    assert asked.count(f"<{NAME} ") == len(CLOSING.findall(asked)) <= 1
    own = strip_recalled(asked).strip().splitlines()
    assert [line for line in own if not line.startswith("## Request (")] == [ASKED]


@each_text
@pytest.mark.parametrize("place", ["first", "beside"])
def test_no_stored_text_leaves_what_the_proxy_adds(name: str, place: str, entity: Entity) -> None:
    remember(entity, HOSTILE[name])
    said = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": ASKED}]
    told = remembered(entity, "now", ASKED, model="gpt-4o", tokens=4_000)
    given = with_memory(said, told, place)
    assert [message for message in given if message in said] == said
    added = [message for message in given if message not in said]
    assert {message["role"] for message in added} == {"system"}
    blocks = [part for message in added for part in re.split(r"(?<=>)\n\n(?=<)", message["content"])]
    assert [is_one_block(block) for block in blocks] == [True] * 2


@each_text
def test_no_stored_text_becomes_markup_of_the_admin(name: str, entity: Entity) -> None:
    rows = remember(entity, HOSTILE[name])
    client = Client()
    client.force_login(User.objects.create_superuser("root"))
    pages = [reverse("admin:index")]
    for model in (Message, Atom, Scene, SceneVersion, Evidence, SearchUnit, Session):
        pages.append(reverse(f"admin:memory_{model._meta.model_name}_changelist"))
    for row in (rows["message"], rows["atom"], rows["scene"]):
        pages.append(reverse(f"admin:memory_{row._meta.model_name}_change", args=[row.pk]))
    for page in pages:
        reply = client.get(page)
        assert reply.status_code == 200, page
        assert MARKUP.search(reply.content.decode()) is None, page

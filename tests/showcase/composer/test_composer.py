"""The composer as anybody gets it."""

import re
from dataclasses import replace
from html import unescape
from typing import Any
from urllib.parse import urlencode
from uuid import uuid4

import pytest
from django.db import transaction
from django.test import Client

from memory.models import Entity, Use
from memory.recall.context import ContextRequest, render_context
from memory.walkthrough.story import risky_request
from showcase.composer import views
from showcase.composer.forms import TASK_CHARACTERS
from tests.factories import make_message, make_rule
from tests.showcase.conftest import SECRET, tell
from tests.showcase.statements import statements, statements_of

PAGE = "/showcase/agent-memory/composer/"
TASK = "Deploy Billing 0 tonight"


def page(client: Client, **asked: Any) -> str:
    response = client.get(PAGE, asked)
    assert response.status_code == 200
    return response.content.decode()


def shown_text(content: str) -> str:
    """What the copy button copies."""
    [code] = re.findall(r'data-copy-text><span class="stable".*?</code>', content, re.DOTALL)
    return unescape(re.sub(r"<[^>]+>", "", code.partition(">")[2]))


def test_the_risky_request_of_the_tour_is_ready_with_what_an_agent_without_memory_sees(
    alice: Entity, client: Client
) -> None:
    content = page(client)
    request = risky_request()
    assert f">\n{request.text}</textarea>" in content
    assert content.count("Never deploy Billing 0 to production without written approval.") >= 3
    assert "What it has never heard:" in content
    assert urlencode({"task": request.text, "as_of": request.as_of.isoformat()}) in unescape(content)


def test_the_text_is_that_of_the_context_function_byte_for_byte(alice: Entity, client: Client) -> None:
    make_message(alice, "<b>Billing 0</b> & \u202ereversed\u202c 👩\u200d🔧")
    request = risky_request()
    wanted = render_context(alice, ContextRequest(request.text, as_of=request.as_of))
    content = page(client)
    assert shown_text(content) == wanted.text
    assert wanted.sha256 in content
    [stable] = re.findall(r'<span class="stable"[^>]*><bdi class="said">(.*?)</bdi>', content, re.DOTALL)
    assert len(unescape(stable).encode()) == wanted.stable_prefix_bytes


def test_every_row_says_why_it_is_in(alice: Entity, client: Client) -> None:
    content = page(client, task=TASK)
    rows = re.findall(r'<li class="told.*?</li>', content, re.DOTALL)
    assert len(rows) >= 3
    assert [row for row in rows if not re.search("In because|Found by search", row)] == []
    assert [row for row in rows if re.search(r"In because</span>\s*(?:<span class=.terms|score)", row)] == []
    assert "instruction, priority 80 ≥ floor 70, always holds" in content
    assert re.search(r'score <b>[\d.−-]+</b>.*?<span class="term">', content)
    assert "Instruction" in content
    assert re.search(r'href="/showcase/agent-memory/atoms/[0-9a-f-]{36}/"', content)


def test_what_is_left_out_is_counted_with_its_reason(alice: Entity, client: Client) -> None:
    make_rule(alice, "Tell finance about refunds.", alice_messages(alice), scope="a refund")
    content = page(client, task=TASK, scenes="0")
    assert "<b>1</b> left out: bound to another situation" in content
    assert "<b>1</b> left out: did not fit into the budget" in content
    assert "told among the standing rules already" in content


def alice_messages(entity: Entity) -> list[Any]:
    return [make_message(entity, "Tell finance about refunds.")]


def test_rules_follow_the_floor_and_budgets_the_form(alice: Entity, client: Client) -> None:
    above = page(client, task=TASK, rules_floor="90")
    assert "No instruction is at or above the floor." in above
    assert "instruction, priority 80" in page(client, task=TASK, rules_floor="80")
    assert "of 700 tokens" in page(client, task=TASK, memory="700")
    assert "of 900 tokens" in page(client, task=TASK, total="900")


def test_layers_narrow_what_is_searched(alice: Entity, client: Client) -> None:
    assert "Nothing that was found is worth telling" in page(client, task=TASK, layers="scenes")
    assert "Nothing that was found is worth telling" not in page(
        client, task=TASK, layers=["atoms", "messages"]
    )


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"task": ""}, "This field is required."),
        ({"task": "a" * (TASK_CHARACTERS + 1)}, f"at most {TASK_CHARACTERS} characters"),
        ({"task": TASK, "rules": "3"}, "0 leaves them out."),
        ({"task": TASK, "total": "5"}, "greater than or equal to 300"),
        ({"task": TASK, "memory": "1000000"}, "less than or equal to 20000"),
        ({"task": TASK, "rules_floor": "x"}, "Enter a whole number."),
        ({"task": TASK, "as_of": "soon"}, "Enter a valid date/time."),
        ({"task": TASK, "layers": "dreams"}, "dreams is not one of the available choices."),
    ],
)
def test_what_cannot_be_asked_is_said_at_its_field(
    asked: dict[str, str], said: str, alice: Entity, client: Client
) -> None:
    content = page(client, **asked)
    assert said in content
    assert "Block by block" not in content
    assert '<details class="compose-more" open>' in content


def test_the_page_adds_one_statement_to_those_of_the_context_whatever_it_finds(
    alice: Entity, client: Client
) -> None:
    counted = set()
    for sizes in ((), range(1, 10)):
        with transaction.atomic():
            for number in sizes:
                tell(alice, number=number)
        own = statements_of(lambda: render_context(alice, ContextRequest(TASK)))
        counted.add((own, statements(client, f"{PAGE}?{urlencode({'task': TASK})}")))
    [(own, whole)] = counted
    assert whole == own + 1


def test_nothing_is_recorded(alice: Entity, client: Client) -> None:
    page(client, task=TASK)
    assert Use.objects.count() == 0


def test_only_the_demonstration_is_asked(alice: Entity, bob: Entity, client: Client) -> None:
    assert SECRET not in page(client, task="launch code")
    assert client.get(f"/showcase/agent-memory/live/{bob.pk}/composer/").status_code == 302
    assert client.get("/showcase/agent-memory/try/composer/").status_code == 404
    assert client.post(PAGE).status_code == 405


def test_an_empty_memory_says_what_to_do_next(bob: Entity, client: Client) -> None:
    assert "make demo" in page(client)


def test_an_address_may_not_ask_without_end(
    alice: Entity, client: Client, settings: Any, monkeypatch: pytest.MonkeyPatch, broker_url: str
) -> None:
    limits = replace(settings.MEMSEEK.limits, of_address=100)
    settings.MEMSEEK = replace(settings.MEMSEEK, limits=limits)
    monkeypatch.setattr(views, "COMPOSED_A_MINUTE", 2)
    mine, other = (f"2001:db8:{uuid4().hex[:4]}:{number}::1" for number in (1, 2))
    replies: list[Any] = [client.get(PAGE, {"task": TASK}, REMOTE_ADDR=mine) for _ in range(3)]
    assert [reply.status_code for reply in replies] == [200, 200, 429]
    assert 1 <= int(replies[2].headers["Retry-After"]) <= 120
    assert "Too many contexts from your address." in replies[2].content.decode()
    assert client.get(PAGE, {"task": TASK}, REMOTE_ADDR=other).status_code == 200


def test_a_score_is_not_given_as_the_reason_and_stands_behind_a_summary(
    alice: Entity, client: Client
) -> None:
    content = page(client, task=TASK)
    scored = re.findall(r'<details class="why"><summary>(.*?)</summary> <span class="terms">score', content)
    assert set(scored) <= {"Found by search", "Its score"}
    assert content.count("score <b>") == len(scored) > 0
    assert "It only compares rows for one task" in content


@pytest.mark.parametrize("clock", ["0001-01-01T00:00", "9999-12-31T23:59"])
def test_clocks_at_the_ends_of_the_calendar_break_nothing(clock: str, alice: Entity, client: Client) -> None:
    for zone in ("Pacific/Kiritimati", "America/Los_Angeles"):
        Entity.objects.filter(pk=alice.pk).update(time_zone=zone)
        assert client.get(PAGE, {"task": TASK, "as_of": clock}).status_code == 200

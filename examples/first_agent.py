"""A first agent with a memory: two sessions, a claim with its evidence, and what the second one recalls.

    python examples/first_agent.py

Started like this it brings up a server of its own and takes it down again. With MEMSEEK_BASE_URL and
MEMSEEK_API_KEY set it uses that one. Replies come from a language model where one is configured
(MEMSEEK_MODEL_STRONG, with MEMSEEK_MODEL_BASE_URL or OPENAI_API_KEY), else they are a fixed line.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from memory.client import AsyncMemory, Authority, Context, Evidence, Graph, SubjectRef
from memseek_site.trial import trial_server

CUSTOMER = SubjectRef(kind="customer", identifier="customer-123")
SAID = "We are looking at the enterprise plan and want to roll it out in July."
ASKED = "Where did we land on billing?"


async def run(memory: AsyncMemory) -> None:
    """The whole story, from the first word to what a later session knows of it."""
    # One turn: record what the user says, compile the context, ask a model, record its reply.
    session = await memory.session.create(group_id="acme", user_id="customer-123")
    await session.add_turn(role="user", content=SAID)
    context = await session.compile_context()
    reply = await asyncio.to_thread(generate_reply, context.messages)
    await session.add_turn(role="assistant", content=reply)
    print(f"First session\n  user       {SAID}\n  assistant  {reply}")

    # A tool reports which plan was chosen. That is a claim, with the event as its evidence.
    claim, outcome = await session.observe(
        subject=CUSTOMER,
        predicate="billing.plan",
        value={"cycle": "annual", "price": 1200},
        authority=Authority.application,
        evidence=[Evidence(kind="tool_event", reference="billing.plan_selected")],
    )
    print(f"  claim      {claim.text if claim else 'not kept'} ({outcome})")

    # Off the turn: fold the older turns, end the session, bring the graph up to date.
    await session.compact()
    await session.end(wait=True)
    await memory.promote(entity=session.entity)
    show_edges(await memory.graph(entity=session.entity, subject=CUSTOMER))

    # Weeks later, perhaps in another process: nothing was said yet, and all of it is there.
    later = await memory.session.create(group_id="acme", user_id="customer-123")
    context = await later.compile_context(ASKED)
    print(f"Later session, {later.record.turns} turns so far\n  asked      {ASKED}")
    show_recalled(context)
    await later.end()


def generate_reply(messages: list[dict[str, Any]]) -> str:
    """The agent's words: here you call the model of your choice."""
    model = os.environ.get("MEMSEEK_MODEL_STRONG")
    if not model:
        return "Thank you, I have made a note of that."
    from openai import OpenAI

    key = os.environ.get("OPENAI_API_KEY") or "none"
    with OpenAI(api_key=key, base_url=os.environ.get("MEMSEEK_MODEL_BASE_URL") or None) as client:
        reply = client.chat.completions.create(model=model, messages=messages)  # type: ignore[arg-type]
    return reply.choices[0].message.content or ""


def show_edges(graph: Graph) -> None:
    """What the graph says about the customer."""
    for fact in graph.facts:
        told = fact.object.identifier if fact.object else json.dumps(fact.value)
        print(f"  edge       {fact.subject.identifier} --{fact.predicate}--> {told}")


def show_recalled(context: Context) -> None:
    """What the later session knows, and what that rests on."""
    for fact in context.recalled_semantic:
        receipts = ", ".join(f"{receipt.kind} {receipt.reference}" for receipt in fact.evidence)
        print(f"  recalled   {fact.text}\n  evidence   {receipts}")
    told = json.dumps(context.messages)
    found = [word for word in ("annual", "1200", "July") if word in told]
    print(f"  context    {len(context.messages)} messages for the model, with {', '.join(found)} in them")


async def main(base_url: str | None, key: str | None) -> None:
    """Run against a server."""
    async with AsyncMemory(base_url, key) as memory:
        await run(memory)


if __name__ == "__main__":
    is_given = os.environ.get("MEMSEEK_BASE_URL") or os.environ.get("MEMSEEK_API_KEY")
    if not is_given:
        print("A server of its own is started, with an empty memory …", flush=True)
    with nullcontext() if is_given else trial_server() as server:
        asyncio.run(main(server.base_url, server.key) if server else main(None, None))

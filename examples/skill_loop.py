"""The skill loop: what an agent did becomes a procedure, once a person says so, and feedback makes it better.

    python examples/skill_loop.py

Started like this it brings up a server of its own and takes it down again. With MEMSEEK_BASE_URL and
MEMSEEK_API_KEY set it uses that one; the key needs scope admin, since it approves. Nothing is approved unless
whoever sits at the terminal answers with y.
"""

from __future__ import annotations

import os
import sys
from contextlib import nullcontext
from pathlib import Path
from uuid import uuid4

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from memory.client import Memory, NewStep, ProcedureVersion
from memseek_site.trial import trial_server

TASK = "Publish release notes for the mobile app"
DONE = (
    NewStep(
        kind="instruction", text="Publish release notes for the mobile app, and ask me before they go out."
    ),
    NewStep(kind="action", text="Collected the merged changes since the last tag", tool_name="git"),
    NewStep(kind="action", text="Grouped the changes by audience"),
    NewStep(kind="check", text="Every link in the notes opens"),
    NewStep(kind="action", text="Published the notes"),
)
SAID = "attach a rollback plan"


def run(memory: Memory) -> None:
    """From a trace to a procedure, from a use to feedback, and on to the next version."""
    entity = f"agent.releases-{uuid4().hex[:6]}"
    memory.record_trace(entity=entity, task=TASK, outcome="success", steps=DONE)
    print(f"Trace\n  {TASK}: {len(DONE)} steps")

    # A worker drafts what the trace shows. No agent gets any of it yet.
    draft = memory.next_draft(entity=entity)
    show(draft)
    print(f"  agents get {told(memory, entity)}")
    if not is_yes("Approve it?"):
        print("  not approved: the draft waits")
        return
    memory.approve(draft, reason="Looks right.")

    # The next agent is told, and the use is recorded under an id that feedback can name.
    context = memory.context(TASK, entity=entity, record_use=True)
    print(f"  agents get {told(memory, entity)}")
    memory.feedback(entity=entity, use=context.use, kind="correction", source="end_user", comment=SAID)
    print(f"Feedback on the use\n  {SAID}")

    # The next draft holds it, with the feedback as its evidence; again a person decides.
    following = memory.next_draft(entity=entity, procedure=draft.procedure)
    show(following)
    if is_yes("Approve it?"):
        memory.approve(following)
    print(f"  agents get {told(memory, entity)}")


def show(draft: ProcedureVersion) -> None:
    """What a draft changes, and what each change rests on."""
    print(f"Draft of version {draft.number}: {draft.title}")
    for line in draft.difference.lines:
        if line.change != "unchanged":
            receipts = ", ".join(f"{cited.kind} “{cited.says}”" for cited in line.citations)
            print(f"  {line.change}, {line.section}: {line.after or line.before}\n      {receipts}")


def told(memory: Memory, entity: str) -> str:
    """Which procedure stands in the context of the task."""
    found = memory.context(TASK, entity=entity).manifest["procedures"]["found"]
    shown = [f"version {row['number']}" for row in found if row["verdict"] == "fits"]
    return " and ".join(shown) or "nothing"


def is_yes(question: str) -> bool:
    """What the person at the terminal answers; the end of input is no."""
    print(f"{question} [y/N] ", end="", flush=True)
    answer = sys.stdin.readline().strip().lower()
    if not sys.stdin.isatty():
        print(answer or "no answer")
    return answer in ("y", "yes")


if __name__ == "__main__":
    is_given = os.environ.get("MEMSEEK_BASE_URL") or os.environ.get("MEMSEEK_API_KEY")
    if not is_given:
        print("A server of its own is started, with an empty memory …", flush=True)
    with (
        nullcontext() if is_given else trial_server(scopes=["admin"]) as server,
        Memory(server.base_url, server.key) if server else Memory() as memory,
    ):
        run(memory)

"""The same words under two designs: what each remembers, and what an agent is told.

    python examples/agent_memory_catalog/walkthrough.py

Runs offline, on the servers that the environment names or on the embedded ones. Two workspaces are made, and
found again by a second run.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memory.models import Atom, Entity, Workspace
    from memory.recall.context import Context

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
ENTITY = "agent.desk"
SHIPPED, CHANGED = "catalog-shipped", "catalog-support-desk"
TASK = "A customer asks for a refund of invoice 4711. What do I say?"
START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
WORDS = (
    "Refunds above 500 euros need Dana's signature.",
    "Never promise a chargeback date.",
    "Invoice 4711 was paid twice on 20 February 2026.",
    "I prefer tea over coffee.",
    "Always answer in two sentences or fewer.",
)
Write = Callable[[str], object]


def main(write: Write = print) -> None:
    """Tell the words to both memories and print what differs."""
    memories = [(place, remember(place)) for place in workspaces()]
    write("What is remembered, with its priority:\n")
    for line in priorities(*(entity for _, entity in memories)):
        write(line)
    contexts = [context(entity) for _, entity in memories]
    write("\nWhat the context for a task takes, in tokens of each block's budget:\n")
    for line in blocks(*contexts):
        write(line)
    write("\nWhat stands in one of the contexts alone:\n")
    for mark, pair in (("-", contexts), ("+", contexts[::-1])):
        for line in alone(*pair):
            write(f"  {mark} {line}")
    write("\nWhat the manifests say:\n")
    for place, found in zip(("shipped", "changed"), contexts, strict=True):
        write(f"  {place:8} {manifest(found.manifest)}")


def workspaces() -> Iterator[Workspace]:
    """One that keeps the shipped design, and one that installs and uses the changed one."""
    from memory.cascade.designs.installing import install_design, use_design
    from memory.models import Workspace

    yield Workspace.objects.get_or_create(name=SHIPPED)[0]
    changed = Workspace.objects.get_or_create(name=CHANGED)[0]
    use_design(changed, install_design(changed, HERE / "support_desk").design.full_name)
    yield changed


def remember(workspace: Workspace) -> Entity:
    """The entity of a workspace, with everything said and settled; telling it twice stores nothing twice."""
    from memory.cascade.engine import settle_entity
    from memory.ingest.entities import ensure_entity
    from memory.ingest.incoming import IncomingMessage
    from memory.ingest.messages import append_messages
    from memory.llm.offline.model import OfflineModel
    from memory.walkthrough.waiting import wait_until_settled

    entity = ensure_entity(workspace=workspace, name=ENTITY)
    messages = [
        IncomingMessage(
            session="monday",
            role="user",
            speaker="Robin",
            text=text,
            occurred_at=START + timedelta(minutes=number),
            dedupe_key=f"monday:{number}",
        )
        for number, text in enumerate(WORDS)
    ]
    append_messages(entity=entity, messages=messages)
    settle_entity(entity, model=OfflineModel())
    # A worker of a running site may have taken a step first.
    wait_until_settled(entity, timeout_seconds=60, notice=print)
    return entity


def priorities(shipped: Entity, changed: Entity) -> Iterator[str]:
    """One line for each claim: priority under the shipped design, under the changed one, its words."""
    first, second = claims(shipped), claims(changed)
    for text in sorted({*first, *second}, key=lambda text: -max(first.get(text, 0), second.get(text, 0))):
        pair = f"{first.get(text, '-')!s:>3} → {second.get(text, '-')!s:>3}"
        yield f"  {pair}  {text}"


def claims(entity: Entity) -> dict[str, int]:
    """Priority by text of what holds."""
    from memory.models import Atom

    atoms: list[Atom] = list(Atom.objects.for_entity(entity).live())
    return {atom.text: atom.priority for atom in atoms}


def context(entity: Entity) -> Context:
    """What an agent is told before the task, at a fixed hour."""
    from memory.recall.context import ContextRequest, render_context

    return render_context(entity, ContextRequest(TASK, as_of=START + timedelta(days=1), uses_meaning=False))


def blocks(shipped: Context, changed: Context) -> Iterator[str]:
    """Tokens used and allowed, block by block."""
    for first, second in zip(shipped.blocks, changed.blocks, strict=True):
        used = f"{first.tokens:5}/{first.budget:<5} → {second.tokens:5}/{second.budget:<5}"
        yield f"  {first.name:10} {used}".rstrip()


def alone(one: Context, other: Context) -> Iterator[str]:
    """Lines of one context whose words the other one does not show."""
    known = {words_of(line) for block in other.blocks for line in block.text.splitlines()}
    for block in one.blocks:
        for line in block.text.splitlines():
            if words_of(line) not in known:
                yield f"{block.name}: {line}"


def words_of(line: str) -> str:
    """A line of a block without the marks before it, which hold priorities and ids."""
    return line.rpartition("] ")[2] if line.startswith("- [") else line


def manifest(found: Any) -> str:
    """The design and the numbers that it decides."""
    budgets = ", ".join(f"{block['name']} {block['budget']}" for block in found["blocks"])
    return f"{found['design']}, rules from {found['rules_floor']}, budgets: {budgets}"


def set_up() -> None:
    """Django, the servers and the tables."""
    sys.path.insert(0, str(ROOT))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memseek_site.settings")
    import django

    django.setup()
    from memseek_site.servers import ensure_servers
    from memseek_site.serving import migrate_if_needed

    ensure_servers()
    migrate_if_needed()


if __name__ == "__main__":
    set_up()
    main()

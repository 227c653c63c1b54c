"""`python -m benchmarks.locomo_cascade FILE`: a LoCoMo conversation through the whole cascade, from empty.

Imports one conversation with the offline model, waits for a real worker (or works in this process) and tells
how long it took, what stands on each layer, which years its dates lie in, and a digest of what was made: the
same words give the same digest. The last line is JSON.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Iterable
from contextlib import nullcontext
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.installation import installation, machine, note

if TYPE_CHECKING:
    from memory.models import Entity

CONVERSATION = "conv-26"
TARGET_SECONDS = 60.0
LONGEST_WAIT_SECONDS = 900.0


def main() -> None:
    """Import, settle, count, print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.locomo_cascade", description=__doc__)
    parser.add_argument("file", type=Path, help="a LoCoMo file")
    parser.add_argument("--conversation", default=CONVERSATION, help=f"its id ({CONVERSATION})")
    parser.add_argument("--in-process", action="store_true", help="without a worker")
    options = parser.parse_args()
    with installation():
        told = measure(options.file, options.conversation, is_in_process=options.in_process) | machine()
    for name, value in told.items():
        print(f"{name}: {value}")
    print(json.dumps(told))
    if told["without_evidence"]:
        raise SystemExit(1)


def measure(file: Path, conversation: str, *, is_in_process: bool) -> dict[str, Any]:
    """Run the conversation through the cascade and read the result."""
    from memory.ingest.entities import find_entity
    from memory.ingest.importing import import_file
    from memory.ingest.workspaces import create_workspace
    from memseek_site.workers import ensure_worker

    workspace = create_workspace(name="benchmark").workspace
    with nullcontext() if is_in_process else ensure_worker(note):
        began = time.perf_counter()
        imported = import_file(workspace=workspace, path=file.resolve(), only=conversation)
        seconds_of_import = time.perf_counter() - began
        entity = find_entity(workspace=workspace, name=conversation)
        if entity is None:
            raise SystemExit(f"{conversation} is not in {file}.")
        _settle(entity, is_in_process=is_in_process)
        seconds = time.perf_counter() - began
    return {
        "benchmark": "locomo_cascade",
        "conversation": conversation,
        "mode": "in process" if is_in_process else "worker",
        "sessions": imported.conversations,
        "seconds_of_import": round(seconds_of_import, 2),
        "seconds": round(seconds, 1),
        "is_within_target": seconds < TARGET_SECONDS,
        **_made(entity),
    }


def _settle(entity: Entity, *, is_in_process: bool) -> None:
    from memory.cascade.engine import settle_entity
    from memory.walkthrough.waiting import wait_until_settled

    if is_in_process:
        settle_entity(entity, timeout_seconds=LONGEST_WAIT_SECONDS)
        return
    settled = wait_until_settled(entity, timeout_seconds=LONGEST_WAIT_SECONDS, notice=note)
    if not settled.is_settled:
        raise SystemExit(f"not settled: {'; '.join(settled.reasons)}")


def _made(entity: Entity) -> dict[str, Any]:
    from benchmarks.snapshot import snapshot
    from memory.cascade.work import parked_counts
    from memory.recall.ladder import status
    from memory.stewardship.verify import verify

    standing = status(entity)
    problems = Counter(problem.kind for problem in verify(entity, is_settled=True))
    return {
        "messages": standing.messages,
        "atoms_live": standing.atoms_live,
        "atoms": standing.atoms_all,
        "scenes": standing.scenes_live,
        "scene_versions": standing.scene_versions,
        "traits": standing.traits,
        "parked": sum(parked_counts(entity).values()),
        "years": _years(entity),
        "without_evidence": sum(
            count for kind, count in problems.items() if kind.endswith("without_evidence")
        ),
        "problems": dict(problems),
        "digest": snapshot(entity).digest(),
    }


def _years(entity: Entity) -> dict[str, dict[str, int]]:
    """How many dates of each layer lie in which year; of lines, those of the atoms they rest on."""
    from memory.models import Atom, Evidence, Message

    atoms = Atom.objects.for_entity(entity)
    receipts = Evidence.objects.filter(workspace_id=entity.workspace_id, entity_id=entity.pk)
    lines = receipts.filter(of_line__places__version__is_head=True)
    traits = receipts.filter(of_trait_version__is_head=True)
    return {
        "messages": _counted(Message.objects.for_entity(entity).values_list("occurred_at", flat=True)),
        "atoms_said": _counted(atoms.values_list("occurred_at", flat=True)),
        "atoms_happened": _counted(atoms.values_list("happened_from", flat=True)),
        "scenes": _counted(lines.values_list("atom__occurred_at", flat=True)),
        "persona": _counted(traits.values_list("line__evidence__atom__occurred_at", flat=True)),
    }


def _counted(times: Iterable[date | datetime | None]) -> dict[str, int]:
    counts = Counter(str(at.year) for at in times if at is not None)
    return dict(sorted(counts.items()))


if __name__ == "__main__":
    main()

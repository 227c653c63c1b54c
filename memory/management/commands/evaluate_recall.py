"""`manage.py evaluate_recall FILE`: how much of known evidence recall finds, beside simpler methods."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from memory.evaluation.metrics import DEPTHS, TOKEN_BUDGETS
from memory.evaluation.preparing import DEFAULT_WORKSPACE, NotReadyError, evaluation_workspace, prepare
from memory.evaluation.questions import Sample, UnreadableQuestionsError, read_questions
from memory.evaluation.recalling import RecallReport, evaluate_conversation, versions
from memory.ingest.importers.records import UnreadableFileError
from memory.ingest.problems import IngestError
from memory.llm.embedders.protocol import EmbeddingError
from memseek_site.commands import MemseekCommand
from memseek_site.serving import migrate_if_needed

NOTICE_EVERY = 50
COLUMNS = (
    *((f"recall_at_{depth}", f"R@{depth}") for depth in DEPTHS),
    ("mrr", "MRR"),
    *((f"recall_at_{budget}_tokens", f"{budget} tok") for budget in TOKEN_BUDGETS),
)


class Command(MemseekCommand):
    """Figures go to standard output, progress to standard error."""

    help = (
        "Put the questions of a LoCoMo file to memory and to simpler methods over the same turns, and tell "
        "how much of the evidence each finds. Conversations that are not in memory yet are imported first."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """FILE, where the conversations lie, and in which form the figures come."""
        parser.add_argument("file", type=Path)
        parser.add_argument(
            "--workspace",
            default=DEFAULT_WORKSPACE,
            metavar="NAME",
            help=f"where the conversations lie or are put, made when it is not there ({DEFAULT_WORKSPACE})",
        )
        parser.add_argument("--conversation", default="", metavar="ID", help="one of the file alone")
        parser.add_argument(
            "--json", action="store_true", help="one object for each conversation, then one for all"
        )

    def handle(self, *_: Any, **options: Any) -> None:
        """Evaluate one conversation after the other; the last line of `--json` is the whole."""
        samples = chosen_samples(options["file"], options["conversation"])
        migrate_if_needed()
        whole = RecallReport()
        try:
            for sample in samples:
                part = self.evaluate(options["file"], options["workspace"], sample)
                whole.merge(part)
                if options["json"]:
                    self.stdout.write(json.dumps(part.as_dict()))
        except (NotReadyError, IngestError, UnreadableFileError, EmbeddingError) as error:
            raise CommandError(str(error)) from error
        figures = {**whole.as_dict(), "versions": versions()}
        self.stdout.write(json.dumps(figures) if options["json"] else "\n".join(table(figures)))

    def evaluate(self, file: Path, workspace: str, sample: Sample) -> RecallReport:
        """One conversation."""
        conversation = prepare(
            workspace=evaluation_workspace(workspace), path=file, sample=sample, notice=notice
        )
        report = RecallReport()
        for _ in evaluate_conversation(conversation, report):
            if report.questions % NOTICE_EVERY == 0:
                notice(f"{sample.conversation}: {report.questions} of {len(sample.questions)} questions")
        return report


def chosen_samples(file: Path, conversation: str) -> Sequence[Sample]:
    """The samples of a file, or the one that is named."""
    try:
        samples = read_questions(file)
    except (OSError, UnreadableQuestionsError) as error:
        raise CommandError(str(error)) from error
    found = [sample for sample in samples if conversation in ("", sample.conversation)]
    if not found:
        names = ", ".join(sample.conversation for sample in samples)
        raise CommandError(f"There is no conversation {conversation} in {file.name}; there are {names}.")
    return found


def table(figures: Mapping[str, Any]) -> Iterator[str]:
    """The figures for people: recall, its categories, the baselines."""
    yield (
        f"{figures['questions']} questions of {len(figures['conversations'])} conversations; "
        f"{figures['questions_without_evidence']} more have no evidence that could be found"
    )
    yield "".join([f"{'':24}", *(f"{heading:>10}" for _, heading in COLUMNS)])
    yield _row("recall", figures)
    for category, values in figures["by_category"].items():
        yield _row(f"  {category} ({values['questions']})", values)
    for name, values in figures["baselines"].items():
        yield _row(name, values)
    yield (
        f"a search with its query's vector takes {figures['milliseconds_p50']} ms (p50), "
        f"{figures['milliseconds_p95']} ms (p95)"
    )


def _row(name: str, values: Mapping[str, float]) -> str:
    return "".join([f"{name:24}", *(f"{values.get(measure, 0.0):10.3f}" for measure, _ in COLUMNS)])


def notice(text: str) -> None:
    """A word to whoever watches."""
    print(text, file=sys.stderr, flush=True)

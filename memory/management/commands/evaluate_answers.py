"""`manage.py evaluate_answers FILE`: how often a reader is right with memory, beside simpler material."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from memory.evaluation.answering import AnswerReport, Models, evaluate_answers
from memory.evaluation.preparing import DEFAULT_WORKSPACE, NotReadyError, evaluation_workspace, prepare
from memory.evaluation.questions import Question, Sample
from memory.evaluation.recalling import versions
from memory.ingest.importers.records import UnreadableFileError
from memory.ingest.problems import IngestError
from memory.llm.registry import language_model
from memory.management.commands.evaluate_recall import chosen_samples, notice
from memseek_site.commands import MemseekCommand
from memseek_site.serving import migrate_if_needed

ALIASES = ("strong", "cheap")


class Command(MemseekCommand):
    """Figures go to standard output, progress to standard error."""

    help = (
        "Have the configured model answer the questions of a LoCoMo file from memory, from the best lines "
        "of a plain file and from the whole conversation, and judge the answers. Every question takes six "
        "calls of the model, and the whole conversation is sent with one of them: mind the price."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """FILE, which of it, and who reads and judges."""
        parser.add_argument("file", type=Path)
        parser.add_argument(
            "--workspace", default=DEFAULT_WORKSPACE, metavar="NAME", help=f"({DEFAULT_WORKSPACE})"
        )
        parser.add_argument("--conversation", default="", metavar="ID", help="one of the file alone")
        parser.add_argument(
            "--questions", type=int, metavar="N", help="so many of each conversation, evenly spread"
        )
        parser.add_argument("--reader", choices=ALIASES, default="strong", help="alias of the model (strong)")
        parser.add_argument("--judge", choices=ALIASES, default="strong", help="alias of the model (strong)")
        parser.add_argument("--json", action="store_true", help="one object instead of a table")

    def handle(self, *_: Any, **options: Any) -> None:
        """Evaluate one conversation after the other."""
        models = configured_models(options["reader"], options["judge"])
        samples = chosen_samples(options["file"], options["conversation"])
        migrate_if_needed()
        report = AnswerReport()
        try:
            for sample in samples:
                self.evaluate(sample, models, report, options)
        except (NotReadyError, IngestError, UnreadableFileError) as error:
            raise CommandError(str(error)) from error
        figures = {
            **report.as_dict(),
            "model": models.model.name,
            "reader": models.reader,
            "judge": models.judge,
            "versions": versions(),
        }
        self.stdout.write(json.dumps(figures) if options["json"] else "\n".join(table(figures)))

    def evaluate(
        self, sample: Sample, models: Models, report: AnswerReport, options: Mapping[str, Any]
    ) -> None:
        """One conversation."""
        workspace = evaluation_workspace(options["workspace"])
        conversation = prepare(workspace=workspace, path=options["file"], sample=sample, notice=notice)
        questions = spread(sample.questions, options["questions"])
        for done, _ in enumerate(evaluate_answers(conversation, questions, models, report), start=1):
            notice(f"{sample.conversation}: {done} of {len(questions)} questions")


def configured_models(reader: Any, judge: Any) -> Models:
    """The model that the settings name; CommandError for the offline one, which cannot read a text."""
    model = language_model()
    if model is None:
        raise CommandError(
            "This needs a language model: see MEMSEEK_MODEL_STRONG and MEMSEEK_MODEL_BASE_URL."
        )
    return Models(model, reader, judge)


def spread(questions: Sequence[Question], count: int | None) -> Sequence[Question]:
    """So many of the questions, evenly spread; all without a number."""
    if count is None or count >= len(questions):
        return questions
    return [questions[place * len(questions) // count] for place in range(max(0, count))]


def table(figures: Mapping[str, Any]) -> Iterator[str]:
    """The figures for people."""
    yield f"{figures['questions']} questions, read and judged by {figures['model']}"
    yield f"{'':16}{'right':>8}{'tokens p50':>12}{'p95 ms':>10}{'failures':>10}"
    for name, values in (("memory", figures), *figures["baselines"].items()):
        yield (
            f"{name:16}{values.get('right', 0.0):8.3f}{values.get('material_tokens_p50', 0):12.0f}"
            f"{values.get('milliseconds_p95', 0):10.0f}{sum(values.get('failures', {}).values()):10}"
        )
        for category, found in values.get("by_category", {}).items():
            yield f"  {category:14}{found['right']:8.3f}{found['questions']:12} questions"

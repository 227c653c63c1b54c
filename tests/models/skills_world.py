"""The named rows of skills: a trace, a procedure with a draft, a use and what was said of it."""

from datetime import UTC, datetime

from memory.models import (
    Entity,
    Evidence,
    Feedback,
    Procedure,
    ProcedureLine,
    ProcedureVersion,
    Review,
    SkillInput,
    TaskTrace,
    TraceStep,
    Use,
)
from tests.factories import cite
from tests.models.rows import World, fresh_word

EXPIRES_AT = datetime(2126, 6, 2, tzinfo=UTC)


def make_skills(entity: Entity, rows: World) -> World:
    """The rows by name; each line of the procedure rests on a step, and one on feedback."""
    owner = {"workspace_id": entity.workspace_id, "entity": entity}
    trace = TaskTrace.objects.create(
        **owner, task="Deploy.", external_id=entity.name, session_id=rows["session"]
    )
    step = TraceStep.objects.create(
        **owner, trace=trace, position=0, kind="action", text="Deployed.", message_id=rows["message"]
    )
    TraceStep.objects.create(**owner, trace=trace, position=1, kind="check", text="It answered.")
    procedure = Procedure.objects.create(**owner, slug=fresh_word())
    active = ProcedureVersion.objects.create(
        **owner, procedure=procedure, number=1, title="Deploy", status=ProcedureVersion.Status.ACTIVE
    )
    draft = ProcedureVersion.objects.create(
        **owner, procedure=procedure, number=2, title="Deploy", base=active
    )
    use = Use.objects.create(
        **owner,
        kind=Use.Kind.PROCEDURE,
        sha256="0" * 64,
        tokens=1,
        manifest={},
        procedure_versions=[active.pk],
        session_id=rows["session"],
        expires_at=EXPIRES_AT,
    )
    feedback = Feedback.objects.create(
        **owner, use=use, procedure_version=active, kind="correction", source="operator", comment="Ask first."
    )
    spare = TaskTrace.objects.create(**owner, task="Spare.")
    said = Feedback.objects.create(**owner, kind="thumbs_up", source="end_user")
    SkillInput.objects.filter(trace=spare).delete()
    SkillInput.objects.filter(feedback=said).delete()
    return {
        "spare_trace": spare.pk,
        "spare_feedback": said.pk,
        "spare_procedure": Procedure.objects.create(**owner, slug=fresh_word()).pk,
        "trace": trace.pk,
        "trace_step": step.pk,
        "procedure": procedure.pk,
        "procedure_version": active.pk,
        "draft": draft.pk,
        "use": use.pk,
        "feedback": feedback.pk,
        "review": Review.objects.create(**owner, version=active, verdict="approved").pk,
        "trace_input": SkillInput.objects.get(trace=trace).pk,
        "feedback_input": SkillInput.objects.get(feedback=feedback).pk,
        **_make_lines(entity, active, step, feedback),
    }


def _make_lines(entity: Entity, version: ProcedureVersion, step: TraceStep, feedback: Feedback) -> World:
    owner = {"workspace_id": entity.workspace_id, "entity": entity, "version": version}
    line = ProcedureLine.objects.create(**owner, section="procedure", position=0, text="Deploy.")
    asked = ProcedureLine.objects.create(**owner, section="escalation", position=1, text="Ask first.")
    cite(entity, of_procedure_line=line, targets={"trace_step": [step]})
    cite(entity, of_procedure_line=asked, targets={"feedback": [feedback]})
    return {
        "procedure_line": line.pk,
        "asked_line": asked.pk,
        "receipt_of_procedure": Evidence.objects.get(of_procedure_line=line).pk,
        "feedback_receipt": Evidence.objects.get(of_procedure_line=asked).pk,
    }

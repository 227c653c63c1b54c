"""A memory that answers from prepared records, for the terminal's own tests: no database is behind it."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from uuid import UUID

from memory.cascade.rules.difference import Change
from memory.recall.hits import CitedMessage, Found, Hit
from memory.recall.records import (
    AtomRecord,
    Candidate,
    Changes,
    LadderStatus,
    LineDifference,
    LineRecord,
    Merge,
    MessageRecord,
    ParkedInput,
    RulesPage,
    SceneChange,
    SceneRecord,
    SectionRecord,
    Skip,
    TraceNode,
    TraceTree,
    TraitRecord,
)
from memory.skills.records import Citation, ReviewRecord, VersionDifference, VersionRecord, VersionSummary
from memory.skills.records import LineDifference as ProcedureChange
from memory.skills.records import LineRecord as ProcedureLine
from memory.stewardship.forgetting_records import Match, Words
from memory.walkthrough.access import (
    Answered,
    Cited,
    Forgetting,
    Forgotten,
    MemoryProblemError,
    Procedures,
    Rendered,
    Said,
    ShownProcedure,
    Traced,
)

SAID_AT = datetime(2026, 6, 2, 9, 4, tzinfo=UTC)


def number(value: int) -> UUID:
    """An id whose short form is the number."""
    return UUID(int=value)


def atom(value: int, text: str, **values: object) -> AtomRecord:
    facts: dict[str, object] = {
        "kind": "episodic",
        "priority": 50,
        "topic": "",
        "subject": "",
        "scope": "",
        "authority": "user",
        "status": "live",
        "said_at": SAID_AT,
        "happened_from": None,
        "happened_until": None,
        "receipts": 1,
        "superseded_by": None,
    }
    return AtomRecord(id=number(value), seq=value, text=text, **(facts | values))  # type: ignore[arg-type]


RULE = atom(0x11, "Never deploy without approval.", kind="instruction", priority=95, receipts=2)
OLD = atom(0x12, "Billing stays on Express until July 15.", status="superseded", superseded_by=number(0x13))
NEW = atom(
    0x13,
    "Billing stays on Express until October 15.",
    topic="billing API",
    happened_until=date(2026, 10, 15),
)
UNDATED = atom(0x14, "Be brief.", kind="instruction", priority=70, scope="in reviews", said_at=None)
SCENE = SceneRecord(
    id=number(0x21),
    version_id=number(0x22),
    slot=1,
    title="Billing API",
    number=2,
    summary="How billing is run.",
    sections=(
        SectionRecord("work_context", "Work Context", (LineRecord(number(0x31), NEW.text),)),
        SectionRecord(
            "core_sop",
            "Core SOP",
            (
                LineRecord(number(0x32), "Go route by route."),
                LineRecord(number(0x33), "Ask first.", is_pinned=True),
            ),
        ),
    ),
    due=1,
    updated_at=SAID_AT,
)
TRAIT = TraitRecord(number(0x41), number(0x42), "decision_pattern", "Prefers small steps.", 1, 3)
MESSAGE = MessageRecord(
    id=number(0x51),
    seq=1,
    session="first",
    ordinal=0,
    role="user",
    speaker="Alice",
    text="Never deploy\nwithout my approval.",
    attachment_text="a photo of the rack",
    tool_name="",
    tool_calls=0,
    said_at=SAID_AT,
)
REPLY = MessageRecord(number(0x52), 2, "first", 1, "assistant", "Helper", "Understood.", "", "", 1, None)
WORDS = TraceNode(
    "L0",
    "message",
    number(0x51),
    "Never deploy\nwithout my approval.",
    {"speaker": "Alice", "session": "first"},
)
RECEIPT = TraceNode("L1", "atom", number(0x11), RULE.text, {"status": "live"}, (WORDS,))
OUTSIDE = TraceNode(None, "outside", None, "ticket 4711", {"kind": "tool_event"})
LINE = TraceNode("L2", "line", number(0x33), "Ask first.", {"section": "Core SOP"}, (RECEIPT, OUTSIDE))
USED = TraceNode("L3", "trait", number(0x42), TRAIT.text, {"slot": "decision pattern"})
TRACED = Traced(
    down=TraceTree("down", LINE),
    up=TraceTree("up", TraceNode("L2", "line", number(0x33), "Ask first.", {}, (USED,))),
)
STATUS = LadderStatus(
    entity="agent.alice-test",
    messages=15,
    atoms_live=9,
    atoms_all=11,
    scenes_live=1,
    scene_versions=2,
    traits=1,
    pending={"l1_extract": 2, "scene_synthesis": 0, "persona": 1},
    parked={"l1_extract": 0, "scene_synthesis": 0, "persona": 0},
    worker_seen_seconds=3.2,
)
CHANGES = Changes(
    messages=1,
    stored=(UNDATED,),
    merged=(Merge(NEW, (OLD,), "value"),),
    skipped=(Skip(RULE.text, "repeats a1", number(0x11), 2),),
    dropped=("No message says it.",),
    parked=(ParkedInput("l1_extract", number(0x53), "Unreadable.", "cut_off: The answer ended early."),),
    scenes=(
        SceneChange(
            number(0x21),
            "Billing API",
            2,
            "live",
            (
                LineDifference("reworded", "Work Context", OLD.text, NEW.text),
                LineDifference("added", "Core SOP", "", "Be brief."),
                LineDifference("removed", "Open Questions", "How brief?", ""),
            ),
        ),
        SceneChange(
            number(0x24), "Reviews", 1, "live", (LineDifference("added", "Core SOP", "", "Be brief."),)
        ),
    ),
    traits=(TRAIT,),
    reasons={},
)
NOTHING = Changes(1, (), (), (), (), (), (), (), {"l1_extract": "a greeting alone"})

WORD = CitedMessage(
    id=number(0x51),
    session="first",
    ordinal=0,
    role="user",
    speaker="Alice",
    text="Never deploy\nwithout my approval.",
    attachment_text="",
    said_at=SAID_AT,
    metadata={},
)
FOUND = Found(
    hits=(
        Hit(
            "atom",
            number(0x11),
            RULE.text,
            4.5,
            {"words": 4.5},
            (WORD,) * 5,
            kind="instruction",
            priority=95,
        ),
        Hit(
            "section",
            number(0x21),
            "Ask first.\nThen deploy.",
            2,
            {},
            section="core_sop",
            title="Billing API",
        ),
        Hit("trait", number(0x41), "Prefers small steps.", 1.25, {}, kind="decision_pattern"),
        Hit("message", number(0x51), WORD.text, 1, {}, (WORD,), is_raw=True),
    ),
    arms={"words": "answered", "meaning": "late", "unindexed": "answered"},
)
RENDERED = Rendered(
    text="<memseek-recall>\n- [95] Never deploy unasked.\n</memseek-recall>\n\n## Request\nDeploy.\n",
    sha256="0f" * 32,
    tokens=31,
    stable_prefix_bytes=120,
    manifest={
        "blocks": [
            {"name": "rules", "tokens": 12, "left_out": [{"reason": "budget"}] * 2 + [{"reason": "other"}]},
            {"name": "scenes", "tokens": 0, "left_out": []},
        ]
    },
)
ANSWERED = Answered(
    text="“Never deploy without approval.” (Alice) [a1]",
    citations=(Cited("a1", "atom", number(0x11), RULE.text, "Alice", SAID_AT, "first"),),
    gaps=("What is quoted does not speak of “Friday”.",),
    model="extractive",
    problem="strong did not answer: timeout",
)
STEP = Citation("trace_step", number(0x61), "Asked Alice\nfor approval.", "Deploy billing", number(0x62))
PLAN = Citation("feedback", number(0x63), "attach a rollback plan", "correction from end_user")
APPROVED = VersionRecord(
    summary=VersionSummary(
        id=number(0x71),
        procedure=number(0x70),
        number=1,
        status="active",
        title="Deploy a service",
        base=None,
        created_at=SAID_AT,
        reviews=(ReviewRecord("approved", "", "Olivia", SAID_AT),),
    ),
    boundary="Until telemetry is calm.",
    incidental=(),
    lines=(
        ProcedureLine(number(0x81), "when", "A service is to be deployed.", (STEP,)),
        ProcedureLine(number(0x82), "procedure", "Ask for approval.", (STEP,)),
        ProcedureLine(number(0x83), "procedure", "Deploy.", (STEP,)),
    ),
    markdown="# Deploy a service\n",
    difference=VersionDifference(None, None, ()),
)
DRAFTED = VersionRecord(
    summary=replace(APPROVED.summary, id=number(0x72), number=2, status="draft", base=1, reviews=()),
    boundary="",
    incidental=("ticket 4711",),
    lines=(),
    markdown="",
    difference=VersionDifference(
        title=None,
        boundary=None,
        lines=(
            ProcedureChange(Change.UNCHANGED, "when", "A service.", "A service.", (STEP,)),
            ProcedureChange(Change.ADDED, "procedure", "", "Attach a rollback plan.", (PLAN,)),
            ProcedureChange(Change.REWORDED, "procedure", "Deploy.", "Deploy slowly.", (STEP, PLAN)),
            ProcedureChange(Change.REMOVED, "escalation", "Call Bob.", "", ()),
        ),
    ),
)
PROCEDURES = Procedures((ShownProcedure(number(0x70), APPROVED, DRAFTED),))


FORGETTING = Forgetting(
    matter="my address",
    wants_old=True,
    matches=(
        Match(
            id=number(0x80),
            kind="memory",
            text="Alice's address is 12 Oak Street.",
            status="superseded",
            is_chosen=True,
            reason="",
            messages=(Words(number(0x83), "first", "Alice", "My address is 12 Oak Street.", SAID_AT),),
            also=("Alice likes tea.",),
            lines=("Lived at 12 Oak Street before.",),
            traits=("Moves often.",),
            digests=1,
            edges=0,
        ),
        Match(
            id=number(0x81),
            kind="memory",
            text="Alice's address is 9 Pine Avenue.",
            status="live",
            is_chosen=False,
            reason="it holds now, and only what is old was meant",
            messages=(),
            also=(),
            lines=(),
            traits=(),
            digests=0,
            edges=0,
        ),
    ),
    counts={"messages": 1, "atoms": 2},
    token="abc:def",
)


@dataclass
class ScriptedMemory:
    """Answers every read from the records above, and says nothing twice."""

    said: list[str] = field(default_factory=list)
    changes: Changes = CHANGES

    def say(self, text: str, notice: Callable[[str], object]) -> Said:
        self.said.append(text)
        notice("l1_extract is at work (5 s)")
        return Said(self.changes, True, 1.25, ())

    def scenes(self) -> tuple[SceneRecord, ...]:
        return (SCENE,)

    def memories(self) -> tuple[AtomRecord, ...]:
        return (RULE, OLD, NEW, UNDATED)

    def rules(self, floor: int) -> RulesPage:
        found = tuple(rule for rule in (RULE, UNDATED) if rule.priority >= floor)
        return RulesPage(floor, len(found), found, None)

    def persona(self) -> tuple[TraitRecord, ...]:
        return (TRAIT,)

    def transcript(self, session: str | None) -> tuple[MessageRecord, ...]:
        return (MESSAGE, REPLY) if session in (None, "first") else ()

    def trace(self, id_part: str) -> Traced:
        if id_part == "0000":
            raise MemoryProblemError(
                "2 records have such an id.", (Candidate("atom", number(0x11), RULE.text),)
            )
        return TRACED

    def search(self, query: str) -> Found:
        return FOUND if query != "nothing" else Found((), {"words": "answered", "meaning": "off"})

    def recall(self, task: str) -> Rendered:
        return RENDERED

    def answer(self, question: str) -> Answered:
        return ANSWERED

    def procedures(self, words: str) -> Procedures:
        return Procedures((), "No procedure is for that.") if words == "nothing" else PROCEDURES

    def approve_draft(self, id_part: str, reason: str) -> Procedures:
        self.said.append(f"approve {id_part} {reason}".rstrip())
        return replace(PROCEDURES, notice="Approved.")

    def reject_draft(self, id_part: str, reason: str) -> Procedures:
        self.said.append(f"reject {id_part} {reason}")
        return replace(PROCEDURES, notice="Turned down.")

    def use_procedure(self, id_part: str) -> Procedures:
        self.said.append(f"use {id_part}")
        return replace(PROCEDURES, notice="Handed out.")

    def say_of_procedure(self, id_part: str, comment: str, notice: Callable[[str], object]) -> Procedures:
        self.said.append(f"feedback {id_part} {comment}")
        return replace(PROCEDURES, notice="Noted.")

    def forget(self, words: str) -> Forgetting:
        return Forgetting(words, False, (), {}, "") if words == "nothing" else FORGETTING

    def confirm_forget(self, token: str, keep: tuple[str, ...]) -> Forgotten:
        self.said.append(" ".join(("forget", token, *keep)))
        return Forgotten(number(0x82), {"messages": 1, "atoms": 1})

    def status(self) -> LadderStatus:
        return STATUS

"""A procedure as Markdown, the form in which people read and edit it.

`render_procedure` writes the normal form of what it is given, and for everything in normal form
`parse_procedure(render_procedure(text))` gives it back. Sections without lines are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from memory.cascade.rules.headings import Outline
from memory.cascade.rules.scene_reader import SceneReader
from memory.cascade.rules.scene_text import (
    ParsedLine,
    SectionName,
    escape_line,
    escape_title,
    normal_lines,
    normal_text,
)


class Part(SectionName):
    """What a procedure is made of: where it begins and ends, and the sections of its lines.

    «Use it when» and «Do not use it when» are the two halves of the triggers.
    """

    BOUNDARY = "boundary", "Boundary"
    WHEN = "when", "Use it when"
    WHEN_NOT = "when_not", "Do not use it when"
    PROCEDURE = "procedure", "Procedure"
    VALIDATION = "validation", "Validation"
    ESCALATION = "escalation", "Escalation"


PARTS: Mapping[str, Part] = {part.value: part for part in Part}
TRIGGERS = "Triggers"
HALVES = (Part.WHEN, Part.WHEN_NOT)
OUTLINE = Outline(
    Part,
    noun="procedure",
    fallback=Part.PROCEDURE,
    other_names={
        Part.BOUNDARY: ("boundaries", "scope", "where it begins and ends", "begins and ends"),
        Part.WHEN: (
            "when",
            "when to use",
            "when to use it",
            "applies when",
            "use when",
            "triggers use it when",
        ),
        Part.WHEN_NOT: (
            *("when not", "when not to use", "when not to use it", "do not use when", "dont use it when"),
            *("not when", "does not apply when", "triggers do not use it when"),
        ),
        Part.PROCEDURE: ("steps", "how", "how to do it", "instructions", "sop"),
        Part.VALIDATION: ("checks", "check", "verification", "completion checks", "done when", "validate"),
        Part.ESCALATION: ("escalate", "escalations", "ask", "when to ask", "stop and ask"),
    },
    levels=dict.fromkeys(HALVES, 3),
    groups={TRIGGERS: Part.WHEN, "Trigger": Part.WHEN},
)


@dataclass(frozen=True, slots=True)
class ProcedureText:
    """What a version says; lines by section, in their order."""

    title: str
    boundary: str
    lines: tuple[ParsedLine, ...]


@dataclass(frozen=True, slots=True)
class ParsedProcedure:
    """A procedure read from Markdown; `repairs` says in words what was not in canonical form."""

    text: ProcedureText
    repairs: tuple[str, ...]


def normal_procedure(text: ProcedureText) -> ProcedureText:
    """The same in normal form: single spaces, lines by section, empty ones left out."""
    lines = normal_lines(line for line in text.lines if line.section is not Part.BOUNDARY)
    return ProcedureText(normal_text(text.title), normal_text(text.boundary), lines)


def render_procedure(text: ProcedureText) -> str:
    """Canonical Markdown: title, boundary, the triggers in two halves, then the other sections."""
    normal = normal_procedure(text)
    blocks = [f"# {escape_title(normal.title)}"] if normal.title else []
    if normal.boundary:
        blocks += [f"## {Part.BOUNDARY.heading}", f"- {escape_line(normal.boundary)}"]
    for part in list(Part)[1:]:
        own = [line.text for line in normal.lines if line.section is part]
        if not own:
            continue
        if part in HALVES and f"## {TRIGGERS}" not in blocks:
            blocks.append(f"## {TRIGGERS}")
        blocks += [
            f"{'#' * OUTLINE.level(part)} {part.heading}",
            _listed(own, is_numbered=part is Part.PROCEDURE),
        ]
    return "\n\n".join(blocks) + "\n" if blocks else ""


def _listed(texts: Sequence[str], *, is_numbered: bool) -> str:
    marks = (f"{number}." if is_numbered else "-" for number in range(1, len(texts) + 1))
    return "\n".join(f"{mark} {escape_line(text)}" for mark, text in zip(marks, texts, strict=True))


def parse_procedure(markdown: str) -> ParsedProcedure:
    """Read a procedure from Markdown that a person wrote, and say what had to be repaired.

    Headings may have any level, case, order and number, and nearly right names are recognised; lines under
    unknown headings join the procedure. A paragraph, a list item and a line of code are one line each.
    """
    parsed = SceneReader(markdown, OUTLINE).read()
    return ParsedProcedure(
        ProcedureText(parsed.title, _boundary(parsed.lines), _without_boundary(parsed.lines)), parsed.repairs
    )


def _boundary(lines: Iterable[ParsedLine]) -> str:
    return " ".join(line.text for line in lines if line.section is Part.BOUNDARY)


def _without_boundary(lines: Iterable[ParsedLine]) -> tuple[ParsedLine, ...]:
    return tuple(line for line in lines if line.section is not Part.BOUNDARY)

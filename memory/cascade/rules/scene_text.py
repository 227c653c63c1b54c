"""What a scene is made of: the nine sections, lines, and how a line is written in Markdown.

**Normal form.** A title or a line is one line of text: every run of white space, line breaks included,
is one space, and there is none at either end. Lines are ordered by section, then as they were given.
Text without any visible character is no line.
"""

import enum
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self


class SectionName(enum.StrEnum):
    """Base of the sections of a kind of document. The value is a stable slug, `heading` what people read."""

    heading: str

    def __new__(cls, slug: str, heading: str) -> Self:
        """Make a member whose value is the slug alone."""
        member = str.__new__(cls, slug)
        member._value_ = slug
        member.heading = heading
        return member

    @property
    def position(self) -> int:
        """Where the section stands in a document, from 0."""
        return list(type(self)).index(self)


class Section(SectionName):
    """A section of a scene."""

    WORK_CONTEXT = "work_context", "Work Context"
    APPLIES_WHEN = "applies_when", "Applies When"
    CORE_SOP = "core_sop", "Core SOP"
    DECISION_LOGIC = "decision_logic", "Decision Logic"
    PROHIBITIONS = "prohibitions", "Prohibitions and Failure Modes"
    KEY_EVIDENCE = "key_evidence", "Key Evidence"
    RELATED_TASKS = "related_tasks", "Related Tasks and Assets"
    EVOLUTION_RECORD = "evolution_record", "Evolution Record"
    OPEN_QUESTIONS = "open_questions", "Open Questions"


SECTION_ORDER: tuple[Section, ...] = tuple(Section)


@dataclass(frozen=True, slots=True)
class ParsedLine:
    """One line of a scene, or of another document, with the section it stands in."""

    section: SectionName
    text: str


@dataclass(frozen=True, slots=True)
class ParsedScene:
    """A scene read from Markdown; `repairs` says in words what was not in canonical form."""

    title: str
    lines: tuple[ParsedLine, ...]
    repairs: tuple[str, ...]


def normal_text(text: str) -> str:
    """Return a title or line in normal form; empty when there is nothing to see in it."""
    return " ".join(text.split())


def normal_lines(lines: Iterable[ParsedLine]) -> tuple[ParsedLine, ...]:
    """Return lines in normal form: by section, each text on one line, empty ones left out."""
    kept = [ParsedLine(line.section, normal_text(line.text)) for line in lines]
    return tuple(sorted((line for line in kept if line.text), key=lambda line: line.section.position))


# A line is written behind "- ". Whatever would start another Markdown block there is escaped.
MARKERS = "\\#-*+>`~=_|"
_NUMBERED = re.compile(r"(\d+)(\\*[.)])")
_ESCAPED_NUMBER = re.compile(r"(\d+)\\(\\*[.)])")
_CLOSING_HASHES = re.compile(r"(?<!\S)(\\*#+)$")


def escape_line(text: str) -> str:
    """Return a line so that Markdown reads it as plain text behind a bullet."""
    if text[:1] and text[0] in MARKERS:
        return "\\" + text
    return _NUMBERED.sub(r"\1\\\2", text, count=1) if _NUMBERED.match(text) else text


def unescape_line(text: str) -> str:
    """Undo `escape_line`. A backslash before anything but a marker stays, as in a Windows share."""
    if text[:1] == "\\" and text[1:2] and text[1] in MARKERS:
        return text[1:]
    return _ESCAPED_NUMBER.sub(r"\1\2", text, count=1) if _ESCAPED_NUMBER.match(text) else text


def escape_title(title: str) -> str:
    """Keep number signs at the end of a title from being read as the end of the heading."""
    return _CLOSING_HASHES.sub(r"\\\1", title)


def unescape_title(heading: str) -> str:
    """Undo `escape_title`, and drop the closing number signs that Markdown allows."""
    closing = _CLOSING_HASHES.search(heading)
    if closing is None:
        return heading
    start, hashes = closing.start(1), closing.group(1)
    return heading[:start] + hashes[1:] if hashes.startswith("\\") else heading[:start].rstrip()

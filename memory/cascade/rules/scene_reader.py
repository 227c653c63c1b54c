"""Reading a scene, or another document with sections, from Markdown: blocks first, then sections.

Each repair is put into words.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memory.cascade.rules.headings import SCENE_OUTLINE, Outline
from memory.cascade.rules.scene_text import (
    ParsedLine,
    ParsedScene,
    SectionName,
    normal_lines,
    normal_text,
    unescape_line,
    unescape_title,
)

_FENCE = re.compile(r"^\s*(`{3,}|~{3,})\s*([\w+-]*)\s*$")
_HEADING = re.compile(r"^\s*(#{1,6})(\s+|(?=\S))(.*)$")
_BULLET = re.compile(r"^\s*(?:[-*+]\s+|[•▪◦‣·–—]\s*|\(?\d{1,3}[.)]\s+)(.*)$")
_EMPTY_BULLET = re.compile(r"^\s*(?:[-*+•▪◦‣·–—]|\d{1,3}[.)])\s*$")
_RULE = re.compile(r"^\s*(?:-{3,}|={3,}|\*{3,}|_{3,}|(?:-\s){2,}-|(?:\*\s){2,}\*)\s*$")
_QUOTE = re.compile(r"^\s*(?:>\s?)+")
_TITLE_LABEL = re.compile(r"^\s*(?:▣\s*|\**(?:scene|title)\**\s*:\s*)(?P<title>\S.*)$", re.IGNORECASE)
_LABEL = re.compile(r"^\s*(\*{0,2}_{0,2})(?P<name>[^:*_]{2,60}?)\s*:?\s*\1\s*:?\s*$")
_LABEL_WITH_TEXT = re.compile(r"^\s*\*{0,2}(?P<name>[^:*]{2,60}?)(?::\*{0,2}|\*{2}:)\s+(?P<text>\S.*)$")
# How much of a heading is repeated in the words of a repair.
SHOWN_CHARACTERS = 60


@dataclass(frozen=True, slots=True)
class _Heading:
    level: int
    text: str


@dataclass(slots=True)
class _Text:
    text: str
    is_open: bool = True  # a following plain line continues it
    is_plain: bool = False  # neither a list item nor code: may begin with the name of a section


_Block = _Heading | _Text


def _quoted(text: str) -> str:
    shown = text if len(text) <= SHOWN_CHARACTERS else text[:SHOWN_CHARACTERS] + "…"
    return f"“{shown}”"


class SceneReader:
    """Reads one Markdown text once; keeps the repairs in the order they were met."""

    def __init__(self, markdown: str, outline: Outline = SCENE_OUTLINE) -> None:
        self._outline = outline
        self._rows = markdown.removeprefix("\ufeff").splitlines()
        self._repairs: dict[str, None] = {}
        self._lines: list[ParsedLine] = []
        self._title = ""
        self._section: SectionName | None = None
        self._section_level = 0
        self._seen: list[SectionName] = []
        self._never_closed: set[str] = set()

    def read(self) -> ParsedScene:
        """Return the scene in normal form with the repairs that were needed."""
        self._unwrap()
        blocks = self._take_title(list(self._blocks()))
        for block in blocks:
            self._place(block)
        if not self._title:
            self._repair(f"The {self._outline.noun} has no title.")
        if self._seen != sorted(self._seen, key=lambda section: section.position):
            self._repair("Sections were put in their usual order.")
        return ParsedScene(self._title, normal_lines(self._lines), tuple(self._repairs))

    def _repair(self, words: str) -> None:
        self._repairs.setdefault(words)

    # Blocks

    def _unwrap(self) -> None:
        """Take off a code fence that holds the whole document."""
        filled = [index for index, row in enumerate(self._rows) if row.strip()]
        if len(filled) < 2:
            return
        first, last = _FENCE.match(self._rows[filled[0]]), _FENCE.match(self._rows[filled[-1]])
        inner = self._rows[filled[0] + 1 : filled[-1]]
        if first and last and not last[2] and sum(bool(_FENCE.match(row)) for row in inner) % 2 == 0:
            self._rows = inner
            self._repair(f"A code fence around the whole {self._outline.noun} was taken off.")

    def _blocks(self) -> Iterator[_Block]:
        pending: _Text | None = None
        index = 0
        while index < len(self._rows):
            row = self._rows[index]
            closing = self._fence_end(index)
            block = None if closing else self._block(row, pending)
            if block is not None and block is pending:
                index += 1
                continue
            if pending is not None:
                yield pending
            pending = block if isinstance(block, _Text) else None
            if isinstance(block, _Heading):
                yield block
            if closing:
                yield from self._code(index + 1, closing)
            index = closing + 1 if closing else index + 1
        if pending is not None:
            yield pending

    def _fence_end(self, index: int) -> int:
        """Return the row that closes a fence opened at `index`, or 0 when none is opened there."""
        opening = _FENCE.match(self._rows[index])
        if opening is None or opening[1] in self._never_closed:
            return 0
        for later in range(index + 1, len(self._rows)):
            closing = _FENCE.match(self._rows[later])
            if closing and not closing[2] and closing[1].startswith(opening[1]):
                return later
        self._never_closed.add(opening[1])
        return 0

    def _code(self, start: int, end: int) -> Iterator[_Text]:
        self._repair("A block of code was taken line by line.")
        for row in self._rows[start:end]:
            if row.strip():
                yield _Text(row, is_open=False)

    def _block(self, row: str, pending: _Text | None) -> _Block | None:
        """Return the block that a row starts, `pending` when it continues that, None for no block."""
        if not row.strip():
            return None
        if _FENCE.match(row):
            self._repair("A code fence without an end was left out.")
            return None
        if _RULE.match(row) or _EMPTY_BULLET.match(row):
            self._repair("A dividing line or an empty list item was left out.")
            return None
        return self._heading(row) or self._text(row, pending)

    def _heading(self, row: str) -> _Heading | None:
        heading = _HEADING.match(row)
        if heading:
            text = unescape_title(normal_text(heading[3]))
            # "#481" in a sentence is no heading, "##Core SOP" is one.
            if text and (heading[2] or self._outline.match_label(text)):
                return _Heading(len(heading[1]), text)
            return None
        label = None if _BULLET.match(row) else _LABEL.match(row)
        if label and (section := self._outline.match_label(label["name"])):
            self._repair(f"{_quoted(normal_text(row))} was read as a heading.")
            return _Heading(self._outline.level(section), normal_text(label["name"]))
        return None

    def _text(self, row: str, pending: _Text | None) -> _Text:
        bullet = _BULLET.match(row)
        if bullet:
            return _Text(unescape_line(bullet[1].strip()))
        plain = row
        if _QUOTE.match(row):
            plain = _QUOTE.sub("", row)
            self._repair("Quotation marks of Markdown were taken off.")
        if pending is not None and pending.is_open and not self._labelled(plain):
            pending.text = f"{pending.text} {plain.strip()}"
            return pending
        return _Text(unescape_line(plain.strip()), is_plain=True)

    def _labelled(self, row: str) -> SectionName | None:
        label = _LABEL_WITH_TEXT.match(row)
        return self._outline.match_label(label["name"]) if label else None

    # Title and sections

    def _take_title(self, blocks: list[_Block]) -> list[_Block]:
        if not blocks:
            return blocks
        if isinstance(blocks[0], _Text):
            label = _TITLE_LABEL.match(blocks[0].text)
            if label:
                self._title = normal_text(label["title"].strip("*"))
                self._repair(f"{_quoted(self._title)} was read as the title.")
                return blocks[1:]
        place = next((at for at, block in enumerate(blocks) if isinstance(block, _Heading)), None)
        if place is None or not self._is_title(blocks, place):
            return blocks
        heading = blocks[place]
        self._title = normal_text(heading.text)
        if isinstance(heading, _Heading) and heading.level != 1:
            self._repair(f"The title {_quoted(self._title)} was a heading of level {heading.level}.")
        return blocks[:place] + blocks[place + 1 :]

    def _is_title(self, blocks: list[_Block], place: int) -> bool:
        """Say whether the first heading is the title, even if it has the name of a section."""
        first = blocks[place]
        if not isinstance(first, _Heading):
            return False
        if self._outline.match_heading(first.text) is None and self._outline.match_group(first.text) is None:
            return True
        following = blocks[place + 1 :]
        stands_alone = not following or isinstance(following[0], _Heading)
        levels = [block.level for block in following if isinstance(block, _Heading)]
        return first.level == 1 and stands_alone and 1 not in levels

    def _place(self, block: _Block) -> None:
        if isinstance(block, _Heading):
            self._open(block)
            return
        label = _LABEL_WITH_TEXT.match(block.text) if block.is_plain else None
        section = self._outline.match_label(label["name"]) if label else None
        if label and section and self._section is not section:
            self._repair(f"{_quoted(normal_text(label['name']))} before a text was read as a heading.")
            self._enter(section, self._outline.level(section))
            self._add(label["text"].strip("* "))
            return
        self._add(block.text)

    def _add(self, text: str) -> None:
        if self._section is None:
            self._repair(f"Text before the first section was put into {self._outline.fallback.heading}.")
        self._lines.append(ParsedLine(self._section or self._outline.fallback, text))

    def _open(self, heading: _Heading) -> None:
        group = self._outline.match_group(heading.text)
        if group is not None:
            self._section, self._section_level = group, heading.level
            return
        match = self._outline.match_heading(heading.text)
        if match is None:
            self._open_unknown(heading)
            return
        if not match.is_exact:
            self._repair(f"The heading {_quoted(heading.text)} was read as “{match.section.heading}”.")
        elif heading.text != match.section.heading:
            self._repair(f"The heading {_quoted(heading.text)} was written as “{match.section.heading}”.")
        if heading.level != self._outline.level(match.section):
            self._repair(f"The heading “{match.section.heading}” had level {heading.level}.")
        self._enter(match.section, heading.level)

    def _open_unknown(self, heading: _Heading) -> None:
        if self._section is not None and heading.level > self._section_level:
            self._repair(f"The heading {_quoted(heading.text)} below “{self._section.heading}” was left out.")
            return
        fallback = self._outline.fallback
        self._repair(
            f"Lines under the unknown heading {_quoted(heading.text)} were put into {fallback.heading}."
        )
        self._section, self._section_level = fallback, heading.level

    def _enter(self, section: SectionName, level: int) -> None:
        if section in self._seen:
            self._repair(f"The section “{section.heading}” appeared more than once and was joined.")
        else:
            self._seen.append(section)
        self._section, self._section_level = section, level

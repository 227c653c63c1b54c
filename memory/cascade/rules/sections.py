"""A scene as Markdown, the form in which people and models read and write it.

`render_scene` writes the normal form (see `scene_text`) of what it is given, and for everything in
normal form `parse_scene(render_scene(title, lines))` gives it back. A section without lines is left out
of the Markdown. Its absence is therefore no damage.
"""

from collections.abc import Iterable, Sequence

from memory.cascade.rules.scene_reader import SceneReader
from memory.cascade.rules.scene_text import (
    SECTION_ORDER,
    ParsedLine,
    ParsedScene,
    Section,
    escape_line,
    escape_title,
    normal_lines,
    normal_text,
)

__all__ = [
    "SECTION_ORDER",
    "ParsedLine",
    "ParsedScene",
    "Section",
    "normal_lines",
    "normal_text",
    "parse_scene",
    "render_scene",
]


def _render_section(section: Section, lines: Sequence[ParsedLine]) -> str:
    bullets = [f"- {escape_line(line.text)}" for line in lines if line.section is section]
    return "\n".join([f"## {section.heading}", "", *bullets])


def render_scene(title: str, lines: Iterable[ParsedLine]) -> str:
    """Return the canonical Markdown of a scene: a title, then each section that has lines."""
    normal = normal_lines(lines)
    present = {line.section for line in normal}
    heading = normal_text(title)
    blocks = [f"# {escape_title(heading)}"] if heading else []
    blocks += [_render_section(section, normal) for section in SECTION_ORDER if section in present]
    return "".join(f"{block}\n" for block in "\n\n".join(blocks).split("\n")) if blocks else ""


def parse_scene(markdown: str) -> ParsedScene:
    """Read a scene from Markdown that a person or a model wrote, and say what had to be repaired.

    Headings may have any level, case, order and number; nearly right names are recognised. Text before
    the first section and under unknown headings joins Work Context; an unknown heading below a section
    leaves its lines in that section. A paragraph, a list item and a line of code are one line each.
    """
    return SceneReader(markdown).read()

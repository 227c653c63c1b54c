"""Scenes in Markdown: what is written can be read again, and what is damaged is read with a word on it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.cascade.rules.sections import (
    SECTION_ORDER,
    ParsedLine,
    Section,
    normal_lines,
    normal_text,
    parse_scene,
    render_scene,
)

MARKDOWN_LOOKING = [
    "# not a heading",
    "## Core SOP",
    "- dash",
    "* star",
    "1. numbered",
    "12) also numbered",
    r"1\. escaped before",
    "```python",
    "~~~",
    "---",
    "===",
    "> quoted",
    "| a | b |",
    "   leading spaces",
    r"\# escaped",
    r"\\server\share",
    "\\",
    "Core SOP",
    "Open Questions: none",
    "**Key Evidence:** the mail",
    "Title: of something",
    "▣ box",
    "• bullet",
    "[x] done",
    "两行\n一条",
    "测试口令是蓝色风筝",
    "كِتاب أحمد",
    "𠮷野家 🎉",
    "a\u2028b\u0085c",
    "-",
    "+",
    "3.",
    "_",
]
texts = st.one_of(
    st.sampled_from(MARKDOWN_LOOKING), st.text(max_size=40), st.text("#-*`\\1.) >a", max_size=8)
)
titles = st.one_of(
    texts, st.sampled_from([section.heading for section in Section]), st.just("C#"), st.just("x ##")
)
scene_lines = st.lists(st.builds(ParsedLine, st.sampled_from(list(Section)), texts), max_size=12)


@settings(deadline=None, max_examples=400)
@given(title=titles, lines=scene_lines)
def test_a_rendered_scene_is_read_back_as_its_normal_form(title: str, lines: list[ParsedLine]) -> None:
    parsed = parse_scene(render_scene(title, lines))
    assert (parsed.title, parsed.lines) == (normal_text(title), normal_lines(lines))
    assert set(parsed.repairs) <= {"The scene has no title."}


@settings(deadline=None, max_examples=200)
@given(title=titles, lines=scene_lines)
def test_rendering_what_was_read_gives_the_same_markdown(title: str, lines: list[ParsedLine]) -> None:
    markdown = render_scene(title, lines)
    parsed = parse_scene(markdown)
    assert render_scene(parsed.title, parsed.lines) == markdown


@settings(deadline=None, max_examples=300)
@given(markdown=st.one_of(st.text(max_size=200), st.lists(texts, max_size=15).map("\n".join)))
def test_any_text_is_read_and_settles_after_one_reading(markdown: str) -> None:
    parsed = parse_scene(markdown)
    again = parse_scene(render_scene(parsed.title, parsed.lines))
    assert (again.title, again.lines) == (parsed.title, parsed.lines)


@pytest.mark.parametrize("text", MARKDOWN_LOOKING)
def test_a_line_that_looks_like_markdown_stays_a_line(text: str) -> None:
    line = ParsedLine(Section.CORE_SOP, normal_text(text))
    assert parse_scene(render_scene("Scene", [line])).lines == (line,)


def test_the_canonical_form_is_titles_headings_and_bullets() -> None:
    lines = [
        ParsedLine(Section.OPEN_QUESTIONS, "When will the contract be approved?"),
        ParsedLine(Section.WORK_CONTEXT, "The migration  is\nunder way."),
        ParsedLine(Section.WORK_CONTEXT, "# 481 is open."),
        ParsedLine(Section.CORE_SOP, " "),
    ]
    assert render_scene("Payments Migration", lines) == (
        "# Payments Migration\n\n## Work Context\n\n- The migration is under way.\n- \\# 481 is open.\n\n"
        "## Open Questions\n\n- When will the contract be approved?\n"
    )
    assert render_scene("", []) == ""


def test_the_nine_sections_stand_in_their_order() -> None:
    assert [section.heading for section in SECTION_ORDER] == [
        "Work Context",
        "Applies When",
        "Core SOP",
        "Decision Logic",
        "Prohibitions and Failure Modes",
        "Key Evidence",
        "Related Tasks and Assets",
        "Evolution Record",
        "Open Questions",
    ]
    assert Section("core_sop").position == 2


def test_levels_case_order_and_near_names_are_repaired_with_words() -> None:
    parsed = parse_scene(
        "# Payments\n\n### OPEN QUESTIONS\n- When?\n\n## SOP\n1. First\n2) Second\n* Third\n\n"
        "## Prohibitions & Failure Modes\nNever on\na Friday.\n\n## Descision Logic\n• Because\n"
    )
    assert parsed.title == "Payments"
    assert parsed.lines == (
        ParsedLine(Section.CORE_SOP, "First"),
        ParsedLine(Section.CORE_SOP, "Second"),
        ParsedLine(Section.CORE_SOP, "Third"),
        ParsedLine(Section.DECISION_LOGIC, "Because"),
        ParsedLine(Section.PROHIBITIONS, "Never on a Friday."),
        ParsedLine(Section.OPEN_QUESTIONS, "When?"),
    )
    assert parsed.repairs == (
        "The heading “OPEN QUESTIONS” was written as “Open Questions”.",
        "The heading “Open Questions” had level 3.",
        "The heading “SOP” was read as “Core SOP”.",
        "The heading “Prohibitions & Failure Modes” was written as “Prohibitions and Failure Modes”.",
        "The heading “Descision Logic” was read as “Decision Logic”.",
        "Sections were put in their usual order.",
    )


def test_unknown_and_repeated_sections_and_loose_text_lose_no_line() -> None:
    parsed = parse_scene(
        "Loose text.\n\n## Core SOP\n- One\n\n### Preparation\n- Two\n\n"
        "## Budget\n- 5000 EUR\n\n## Core SOP\n- Three\n"
    )
    assert parsed.lines == (
        ParsedLine(Section.WORK_CONTEXT, "Loose text."),
        ParsedLine(Section.WORK_CONTEXT, "5000 EUR"),
        ParsedLine(Section.CORE_SOP, "One"),
        ParsedLine(Section.CORE_SOP, "Two"),
        ParsedLine(Section.CORE_SOP, "Three"),
    )
    assert parsed.repairs == (
        "Text before the first section was put into Work Context.",
        "The heading “Preparation” below “Core SOP” was left out.",
        "Lines under the unknown heading “Budget” were put into Work Context.",
        "The section “Core SOP” appeared more than once and was joined.",
        "The scene has no title.",
    )


def test_the_display_form_with_bare_headings_is_read() -> None:
    parsed = parse_scene(
        "▣ Payments Migration\n  Work Context\n    The migration is under way.\n  Core SOP\n"
        "    - Keep plan and approval together.\n  **Open Questions:**\n    - When?\n"
    )
    assert parsed.title == "Payments Migration"
    assert parsed.lines == (
        ParsedLine(Section.WORK_CONTEXT, "The migration is under way."),
        ParsedLine(Section.CORE_SOP, "Keep plan and approval together."),
        ParsedLine(Section.OPEN_QUESTIONS, "When?"),
    )
    assert "“Work Context” was read as a heading." in parsed.repairs


def test_names_of_sections_before_a_text_open_the_section() -> None:
    parsed = parse_scene(
        "# T\n\nWork Context: We migrate.\n**Core SOP:** Test first.\nKey Evidence: The mail.\n"
    )
    assert parsed.lines == (
        ParsedLine(Section.WORK_CONTEXT, "We migrate."),
        ParsedLine(Section.CORE_SOP, "Test first."),
        ParsedLine(Section.KEY_EVIDENCE, "The mail."),
    )


def test_a_title_may_have_the_name_of_a_section() -> None:
    line = ParsedLine(Section.CORE_SOP, "x")
    assert parse_scene(render_scene("Work Context", [line])).title == "Work Context"
    first_level_only = parse_scene("# Work Context\n- a\n# Core SOP\n- b\n")
    assert (first_level_only.title, len(first_level_only.lines)) == ("", 2)


def test_code_fences_keep_their_lines_and_open_no_section() -> None:
    parsed = parse_scene("# T\n\n## Core SOP\n\nRun:\n\n```sh\n# a comment\nmake test\n```\n\nDone.\n")
    assert [line.text for line in parsed.lines] == ["Run:", "# a comment", "make test", "Done."]
    assert parsed.repairs == ("A block of code was taken line by line.",)


def test_a_fence_without_an_end_swallows_nothing() -> None:
    parsed = parse_scene("# T\n\n## Core SOP\n\n```\nmake test\n\n## Open Questions\n\n- Why?\n")
    assert [line.section for line in parsed.lines] == [Section.CORE_SOP, Section.OPEN_QUESTIONS]


def test_a_fence_around_the_whole_scene_is_taken_off() -> None:
    parsed = parse_scene("```markdown\n# T\n\n## Core SOP\n\n- a\n```\n")
    assert (parsed.title, parsed.lines) == ("T", (ParsedLine(Section.CORE_SOP, "a"),))
    assert parsed.repairs == ("A code fence around the whole scene was taken off.",)


def test_a_number_sign_in_a_sentence_opens_no_section() -> None:
    parsed = parse_scene("# T\n\n## Key Evidence\n\n#481 is broken.\n")
    assert parsed.lines == (ParsedLine(Section.KEY_EVIDENCE, "#481 is broken."),)


def test_setext_and_numbered_headings_are_read() -> None:
    parsed = parse_scene("# T\n\nCore SOP\n--------\n\n- a\n\n## 3. Decision Logic\n\n- b\n")
    assert parsed.lines == (ParsedLine(Section.CORE_SOP, "a"), ParsedLine(Section.DECISION_LOGIC, "b"))

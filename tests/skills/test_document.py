"""Procedures in Markdown: what is written can be read again, what is damaged is read with a word on it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.cascade.rules.scene_text import ParsedLine
from memory.models.skills import ProcedureSection
from memory.skills.document import Part, ProcedureText, normal_procedure, parse_procedure, render_procedure

MARKDOWN_LOOKING = [
    *("# not a heading", "## Procedure", "Triggers", "### Use it when", "Use it when: ever", "- dash"),
    *("1. numbered", r"1\. escaped", "12) more", "```python", "---", "> quoted", r"\# escaped", "C#", "x ##"),
    *("**Validation:** look", "两行\n一条", "كِتاب", "-", "3.", "_", "Boundary"),
]
texts = st.one_of(
    st.sampled_from(MARKDOWN_LOOKING), st.text(max_size=40), st.text("#-*`\\1.) >a", max_size=8)
)
sections = st.sampled_from([part for part in Part if part is not Part.BOUNDARY])
procedures = st.builds(
    ProcedureText,
    texts,
    texts,
    st.lists(st.builds(ParsedLine, sections, texts), max_size=10).map(tuple),
)


@settings(deadline=None, max_examples=300)
@given(text=procedures)
def test_a_rendered_procedure_is_read_back_as_its_normal_form(text: ProcedureText) -> None:
    parsed = parse_procedure(render_procedure(text))
    assert parsed.text == normal_procedure(text)
    assert set(parsed.repairs) <= {"The procedure has no title."}


@settings(deadline=None, max_examples=200)
@given(markdown=st.one_of(st.text(max_size=200), st.lists(texts, max_size=15).map("\n".join)))
def test_any_text_is_read_and_settles_after_one_reading(markdown: str) -> None:
    once = parse_procedure(markdown).text
    assert parse_procedure(render_procedure(once)).text == normal_procedure(once)


def test_the_sections_are_those_of_the_tables() -> None:
    assert [part.value for part in Part][1:] == ProcedureSection.values


def test_a_procedure_reads_well() -> None:
    lines = [
        ParsedLine(Part.WHEN, "The task is to deploy."),
        ParsedLine(Part.WHEN_NOT, "A freeze is on."),
        ParsedLine(Part.PROCEDURE, "Run the tests."),
        ParsedLine(Part.PROCEDURE, "Deploy."),
        ParsedLine(Part.ESCALATION, "Ask on Fridays."),
    ]
    assert render_procedure(ProcedureText("Deploy", "From the merge to the dashboard.", tuple(lines))) == (
        "# Deploy\n\n## Boundary\n\n- From the merge to the dashboard.\n\n## Triggers\n\n### Use it when\n\n"
        "- The task is to deploy.\n\n### Do not use it when\n\n- A freeze is on.\n\n## Procedure\n\n"
        "1. Run the tests.\n2. Deploy.\n\n## Escalation\n\n- Ask on Fridays.\n"
    )


@pytest.mark.parametrize(
    ("markdown", "lines", "repairs"),
    [
        (
            "# Deploy\n## triggers\n- somebody asks\n## Steps\n* Run\n* Ship",
            [("when", "somebody asks"), ("procedure", "Run"), ("procedure", "Ship")],
            ["The heading “Steps” was read as “Procedure”."],
        ),
        (
            "# Deploy\n## ESCALATION\n- ask\n# Procedure\n1) Run",
            [("procedure", "Run"), ("escalation", "ask")],
            [
                "The heading “ESCALATION” was written as “Escalation”.",
                "The heading “Procedure” had level 1.",
                "Sections were put in their usual order.",
            ],
        ),
        (
            "# Deploy\nRun it.\n## Rollback\n- Undo",
            [("procedure", "Run it."), ("procedure", "Undo")],
            [
                "Text before the first section was put into Procedure.",
                "Lines under the unknown heading “Rollback” were put into Procedure.",
            ],
        ),
        (
            "# Deploy\n## When not to use it\n- freeze\n## Procedure\n- Run",
            [("when_not", "freeze"), ("procedure", "Run")],
            [
                "The heading “When not to use it” was read as “Do not use it when”.",
                "The heading “Do not use it when” had level 2.",
            ],
        ),
    ],
)
def test_what_people_write_is_read_with_each_repair_told(
    markdown: str, lines: list[tuple[str, str]], repairs: list[str]
) -> None:
    parsed = parse_procedure(markdown)
    assert [(line.section.value, line.text) for line in parsed.text.lines] == lines
    assert (parsed.text.title, list(parsed.repairs)) == ("Deploy", repairs)

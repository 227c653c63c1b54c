"""Answers of models: whatever stands around the items, and never an empty list for an unread answer."""

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field

from memory.cascade.rules.answers import (
    KEPT_ANSWER_CHARACTERS,
    BadItem,
    CutOffAnswer,
    EmptyAnswer,
    NoAnswer,
    Reading,
    UnreadableAnswer,
    read_items,
)


class Claim(BaseModel):
    """A small item with a limit."""

    model_config = ConfigDict(extra="forbid")

    text: str
    priority: int = Field(default=50, le=100)


WINDOW, AISLE = Claim(text="Prefers window seats"), Claim(text="Prefers the aisle", priority=70)
ANSWER = '{"items": [{"text": "Prefers window seats"}]}'


def read(text: str, finish_reason: str | None = "stop", key: str = "items") -> Reading[Claim]:
    return read_items(text, item_schema=Claim, finish_reason=finish_reason, key=key)


AROUND = [
    "{answer}",
    "```json\n{answer}\n```",
    "Sure! Here it is:\n```\n{answer}\n```\nAnything else?",
    '<think>They fly. {{"items": []}}</think>\n{answer}',
    "<thinking>\nHm, {{\n</thinking>{answer}",
    "<reasoning>a</reasoning> <think>b</think> {answer}",
    'It starts in the prompt {{"items": []}}</think>{answer}',
    "Looking at {{the trip}}, I propose: {answer}",
    "As [1] and [see below] say {{x}} {{}} []: {answer} [2] done {{ok}}",
    'I may answer {{"items": []}} for nothing, but found {answer}',
    "{answer}\n\n{answer}",
]


@pytest.mark.parametrize("around", AROUND)
def test_what_stands_around_the_json_does_not_count(around: str) -> None:
    reading = read(around.format(answer=ANSWER))
    assert reading == Reading(((0, WINDOW),), (), None, ())


def test_braces_in_the_prose_before_the_json() -> None:
    text = 'Looking at {the trip}, I propose: {"claims": [{"text": "Prefers window seats"}]}'
    assert read(text, key="claims").items == ((0, WINDOW),)
    assert read(text).repairs == ("The items were listed as “claims”.",)


@pytest.mark.parametrize(
    "text",
    [
        "<think>They like window seats.",
        "<think>They like window seats.</think>",
        '<thinking>I should answer {"items": []}',
        "They like window seats.</think>  ",
    ],
)
def test_thinking_alone_is_no_answer(text: str) -> None:
    with pytest.raises(NoAnswer, match="thinking alone"):
        read(text)


def test_a_tag_inside_a_text_is_part_of_the_text() -> None:
    reading = read('{"items": [{"text": "Writes <think> and </think> tags"}]}')
    assert reading.items == ((0, Claim(text="Writes <think> and </think> tags")),)


@pytest.mark.parametrize(
    ("text", "claims", "repairs"),
    [
        ('[{"text": "Prefers window seats"}]', [WINDOW], ("A bare list was read as the items.",)),
        ('Here: [{"text": "Prefers window seats"}] ok', [WINDOW], ("A bare list was read as the items.",)),
        ("[]", [], ("A bare list was read as the items.",)),
        ("<think>no</think>```json\n[]\n```", [], ("A bare list was read as the items.",)),
        ('{"text": "Prefers window seats"}', [WINDOW], ("A bare item was read as the only one.",)),
        (
            '{"text": "Prefers window seats"}\n{"text": "Prefers the aisle", "priority": 70}',
            [WINDOW, AISLE],
            ("A bare item was read as the only one.",),
        ),
        (f'{{"answer": {ANSWER}}}', [WINDOW], ("The answer was wrapped in “answer”.",)),
        (
            '{"items": {"text": "Prefers window seats"}}',
            [WINDOW],
            ("A single item was read as a list of one.",),
        ),
        (
            '{"thought": "x", "items": [{"text": "Prefers window seats"},]}',
            [WINDOW],
            (
                "A comma before a closing bracket was left out.",
                "Beside the items these were not read: “thought”.",
            ),
        ),
        (
            '{"items": [], "items": [{"text": "Prefers window seats"}]}',
            [WINDOW],
            ("The key “items” was given twice; the last one counts.",),
        ),
    ],
)
def test_other_shapes_are_read_with_a_word(text: str, claims: list[Claim], repairs: tuple[str, ...]) -> None:
    reading = read(text)
    assert ([item for _, item in reading.items], reading.bad, reading.repairs) == (claims, (), repairs)


def test_an_empty_list_is_a_success_with_its_reason() -> None:
    assert read('{"items": [], "nothing_reason": " Only a\\ngreeting. "}') == Reading(
        (), (), "Only a greeting.", ()
    )
    assert read('{"items": []}') == Reading((), (), None, ())


def test_bad_items_are_told_and_good_ones_kept() -> None:
    reading = read(
        '{"items": [{"text": "Prefers window seats"}, {"priority": 300}, "x", {"text": "y", "priority": NaN},'
        ' {"text": "z", "mood": 1}, {"text": "Prefers the aisle", "priority": 70}]}'
    )
    assert reading.items == ((0, WINDOW), (5, AISLE))
    assert reading.bad == (
        BadItem(
            1,
            '{"priority": 300}',
            "text: Field required; priority: Input should be less than or equal to 100",
        ),
        BadItem(2, '"x"', "An item must be an object."),
        BadItem(
            3, '{"text": "y", "priority": "NaN"}', "NaN, Infinity and numbers without end are no values."
        ),
        BadItem(4, '{"text": "z", "mood": 1}', "mood: Extra inputs are not permitted"),
    )


@pytest.mark.parametrize("text", ["", "  \n", "\t"])
def test_an_empty_answer_is_told_apart(text: str) -> None:
    with pytest.raises(EmptyAnswer):
        read(text)


@pytest.mark.parametrize(
    "text",
    [
        "I cannot help with that request.",
        "I'm sorry [really], {no}.",
        "null",
        '{"error": "no"}',
        '{"items": null}',
        '{"items": "none"}',
        '{"items": [{"text": "he said "hi" to me"}, {"text": "Prefers window seats"}]}',
        'I may answer {"items": []}, but: {"items": [{"text": "he said "hi" there"}]}',
        f'{ANSWER} or rather {{"items": [{{"text": "Prefers the aisle"}}]}}',
        "[1, 2]",
        "I used [] for nothing",
    ],
)
def test_what_cannot_be_read_with_certainty_is_no_answer(text: str) -> None:
    with pytest.raises(NoAnswer) as refusal:
        read(text)
    assert (refusal.value.text, bool(refusal.value.reason)) == (text, True)


def test_a_cut_answer_is_never_an_empty_list() -> None:
    whole = json.dumps({"items": [{"text": f"Fact {number}", "priority": number} for number in range(10)]})
    for end in range(1, len(whole)):
        with pytest.raises(CutOffAnswer):
            read(whole[:end], finish_reason=None)
    with pytest.raises(CutOffAnswer):
        read(whole, finish_reason="length")
    with pytest.raises(CutOffAnswer):
        read("", finish_reason="length")


def test_a_cut_answer_after_a_draft_is_cut() -> None:
    with pytest.raises(CutOffAnswer):
        read('Draft: {"items": []}. Final: {"items": [{"text": "Prefers win')


def test_a_filtered_answer_keeps_a_capped_copy() -> None:
    with pytest.raises(NoAnswer, match="withheld") as refusal:
        read("x" * 10_000, finish_reason="content_filter")
    assert len(refusal.value.text) == KEPT_ANSWER_CHARACTERS


HOSTILE = {
    "deep lists": "[" * 10_000 + "]" * 10_000,
    "deep objects": '{"items":' * 10_000 + "1" + "}" * 10_000,
    "open lists": "[" * 1_000_000,
    "open objects": "{" * 1_000_000,
    "closed": "}" * 1_000_000,
    "pairs": "{}" * 500_000,
    "lists": "[[]]" * 250_000,
    "open keys": '{"a":' * 200_000,
    "quotes": '{"' * 500_000,
    "broken nests": ("[" * 50 + "1," * 2_000 + "x") * 200,
    "broken rows": '[{"a": [1, 2, {"b": "c" "d"}]}, ' * 30_000,
    "tags": "<think>" * 140_000,
    "closing tags": "</think>" * 125_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_of_a_megabyte_is_refused(name: str) -> None:
    with pytest.raises(UnreadableAnswer):
        read(HOSTILE[name])


@settings(deadline=None, max_examples=300)
@given(
    claims=st.lists(
        st.builds(Claim, text=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))),
        max_size=5,
    ),
    around=st.sampled_from(AROUND),
    is_ascii=st.booleans(),
)
def test_every_answer_is_read_whatever_its_texts_hold(
    claims: list[Claim], around: str, is_ascii: bool
) -> None:
    answer = json.dumps({"items": [claim.model_dump() for claim in claims]}, ensure_ascii=is_ascii)
    reading = read(around.format(answer=answer))
    assert reading.items == tuple(enumerate(claims))


@settings(deadline=None, max_examples=300)
@given(text=st.one_of(st.text(max_size=80), st.text('{}[]",:<>/think \\items1', max_size=80)))
def test_any_text_is_read_or_refused_in_words(text: str) -> None:
    reason = "read"
    try:
        read(text)
    except UnreadableAnswer as refusal:
        reason = refusal.reason
    assert re.search(r"\w", reason)

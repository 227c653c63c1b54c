"""What fits into a block and what does not: pure rules, tried over many budgets."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from functools import partial
from typing import Any
from uuid import UUID, uuid5

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.recall.context.blocks import Block, LeftOut, Reference
from memory.recall.context.excerpts import excerpt
from memory.recall.context.memory_block import Known, memory_block
from memory.recall.context.prefix_blocks import Rule, persona_block, rules_block
from memory.recall.context.request import LEAST_RULES
from memory.recall.context.scenes_block import scenes_block
from memory.recall.hits import CitedMessage, Hit
from memory.recall.records import LineRecord, SceneRecord, SectionRecord, TraitRecord
from memory.recall.tokens import count_tokens

SPACE = UUID("00000000-0000-4000-8000-000000000000")
DAY = datetime(2026, 6, 2, 9, 0, tzinfo=UTC)
ENOUGH = 10_000
TEXTS = st.text(min_size=1, max_size=120) | st.sampled_from(["Deploy.", "\n\n/x", "日本語の文", "🙂" * 20])
BUDGETS = st.integers(0, 400)
SAFETY = st.sampled_from([1.0, 1.35])

# The first count loads the vocabulary: no example is held to a time.
anything = settings(deadline=None)

tokens = partial(count_tokens, safety=1.0)


def row(name: str) -> UUID:
    return uuid5(SPACE, name)


def message(name: str, text: str, **values: Any) -> CitedMessage:
    said: dict[str, Any] = {
        "session": "s",
        "ordinal": 0,
        "role": "user",
        "speaker": "Alice",
        "attachment_text": "",
        "said_at": DAY,
        "metadata": {},
    }
    return CitedMessage(id=row(name), text=text, **(said | values))


def raw(name: str, text: str, **values: Any) -> Hit:
    is_superseded = values.pop("is_superseded", False)
    said = message(name, text, **values)
    found = Hit("message", said.id, text, 1.0, {}, messages=(said,), is_raw=True, said_at=said.said_at)
    return replace(found, is_superseded=is_superseded)


def claim(name: str, text: str, *messages: CitedMessage, **values: Any) -> Hit:
    return Hit("atom", row(name), text, 1.0, {}, messages=messages, said_at=DAY, **values)


def rule(name: str, text: str, priority: int = 80, scope: str = "", authority: str = "") -> Rule:
    return Rule(row(name), text, priority, scope, authority)


def trait(name: str, text: str) -> TraitRecord:
    return TraitRecord(row(name), row(f"{name} version"), "decision_pattern", text, 1, 1)


def scene(name: str, *sections: tuple[str, list[str]], summary: str = "", due: int = 0) -> SceneRecord:
    records = tuple(
        SectionRecord(
            section,
            section.replace("_", " ").title(),
            tuple(LineRecord(row(f"{name} {section} {text}"), text) for text in texts),
        )
        for section, texts in sections
    )
    return SceneRecord(row(name), row(f"{name} v"), 1, name, 1, summary, records, due, DAY)


def section_hit(name: str, section: str, score: float, words: float = 1.0) -> Hit:
    return Hit("section", row(name), "", score, {"words": words}, section=section)


def rows_of(block: Block) -> list[Any]:
    """Everything that the block accounts for; what is shown cut counts once."""
    left_out = [(other.kind, other.id, other.part) for other in block.left_out if other.reason != "cut"]
    return sorted([*((shown.kind, shown.id, shown.part) for shown in block.ids), *left_out], key=str)


def assert_within(block: Block, budget: int, safety: float = 1.0) -> None:
    assert block.tokens == count_tokens(block.text, safety=safety)
    assert block.tokens <= budget
    assert block.text == "" or block.text.endswith("\n")


@anything
@given(st.lists(TEXTS, max_size=12), BUDGETS, SAFETY)
def test_the_persona_never_exceeds_its_budget_and_loses_nothing(
    texts: list[str], budget: int, safety: float
) -> None:
    traits = [trait(str(place), text) for place, text in enumerate(texts)]
    block = persona_block(traits, budget=budget, count=partial(count_tokens, safety=safety))
    assert_within(block, budget, safety)
    assert rows_of(block) == sorted((("trait", found.id, "") for found in traits), key=str)


@anything
@given(st.lists(st.tuples(TEXTS, st.sampled_from(["", "here", "elsewhere"])), max_size=14), BUDGETS, SAFETY)
def test_the_rules_never_exceed_their_budget_and_lose_nothing(
    texts: list[tuple[str, str]], budget: int, safety: float
) -> None:
    rules = [rule(str(place), text, scope=scope) for place, (text, scope) in enumerate(texts)]
    count = partial(count_tokens, safety=safety)
    found = rules_block(rules, lambda scope: scope == "here", budget=budget, count=count)
    assert_within(found.block, budget, safety)
    assert rows_of(found.block) == sorted((("atom", kept.id, "") for kept in rules), key=str)
    others = rules_block(rules, lambda scope: scope == "elsewhere", budget=budget, count=count)
    assert (others.stable_text, others.claim) == (found.stable_text, found.claim)
    assert found.block.text.startswith(found.stable_text)


@anything
@given(st.lists(TEXTS, max_size=12), st.integers(LEAST_RULES, 400))
def test_rules_that_do_not_fit_are_counted_in_the_text(texts: list[str], budget: int) -> None:
    rules = [rule(str(place), text, scope="" if place % 3 else "here") for place, text in enumerate(texts)]
    block = rules_block(rules, lambda scope: True, budget=budget, count=tokens).block
    counted = [int(line.split()[2]) for line in block.text.splitlines() if line.startswith("… and ")]
    assert sum(counted) == len(block.left_out)


def test_every_rule_stands_with_its_priority_and_short_id() -> None:
    rules = [
        rule("a", "Never deploy.", 95),
        rule("b", "Log calls.", 85, authority="tool"),
        rule("c", "Be brief.", 80, scope="in reviews"),
        rule("d", "Sing.", 75, scope="at parties"),
    ]
    found = rules_block(rules, lambda scope: "review" in scope, budget=ENOUGH, count=tokens)
    assert found.block.text == (
        "## Standing rules\n"
        f"- [95, {row('a').hex[-8:]}] Never deploy.\n"
        f"- [85, {row('b').hex[-8:]}, tool] Log calls.\n"
        f"- [80, {row('c').hex[-8:]}, when: in reviews] Be brief.\n"
        "… and 1 more binds other situations; list: /api/v1/rules\n"
    )
    assert found.block.left_out == (LeftOut("atom", row("d"), "other situation"),)


@anything
@given(
    st.lists(
        st.tuples(TEXTS, st.sampled_from(["core_sop", "prohibitions", "evolution_record"])), max_size=10
    ),
    BUDGETS,
    SAFETY,
)
def test_scenes_never_exceed_their_budget_and_account_for_each_section(
    lines: list[tuple[str, str]], budget: int, safety: float
) -> None:
    scenes = [scene(str(place), (section, [text])) for place, (text, section) in enumerate(lines)]
    hits = [section_hit(found.title, found.sections[0].section, 1.0) for found in scenes[::2]]
    count = partial(count_tokens, safety=safety)
    found = scenes_block(scenes, hits, budget=budget, count=count)
    assert_within(found.block, budget, safety)
    accounted = {other.id for other in (*found.block.ids, *found.block.left_out)}
    assert accounted == {kept.id for kept in scenes}
    assert not any(reference.part == "evolution_record" for reference in found.block.ids)


def test_the_best_scene_is_shown_whole_in_page_order_and_the_others_by_name() -> None:
    billing = scene(
        "Billing",
        ("core_sop", ["Route by route."]),
        ("prohibitions", ["No Fridays."]),
        ("evolution_record", ["July."]),
    )
    office = scene("Office", ("work_context", ["Third floor."]), summary="The move to the third floor.")
    stale = scene("Stale", ("work_context", ["Old."]), summary="It may say what no longer holds.", due=1)
    hits = [
        section_hit("Billing", "prohibitions", 5.0),
        section_hit("Office", "work_context", 4.0, words=-1.0),
    ]
    found = scenes_block([office, billing, stale], hits, budget=ENOUGH, count=tokens)
    assert found.block.text == (
        "## Scenes for this task\n### Billing\nCore Sop:\n- Route by route.\nProhibitions:\n- No Fridays.\n"
        "### Other scenes\n- Office: The move to the third floor.\n- Stale\n"
    )
    assert found.block.left_out == (
        LeftOut("section", row("Billing"), "evolution record", "evolution_record"),
    )
    asked = scenes_block([billing], hits, budget=ENOUGH, count=tokens, includes_evolution=True)
    assert "Evolution Record:\n- July.\n" in asked.block.text


def test_a_section_is_whole_or_not_there() -> None:
    long = scene(
        "Long",
        ("core_sop", [f"Step {step} of a long procedure." for step in range(40)]),
        ("prohibitions", ["Stop."]),
    )
    hits = [section_hit("Long", "core_sop", 9.0)]
    block = scenes_block([long], hits, budget=60, count=tokens).block
    assert block.text == "## Scenes for this task\n### Long\nProhibitions:\n- Stop.\n"
    assert block.left_out == (LeftOut("section", row("Long"), "budget", "core_sop"),)


@st.composite
def hit_lists(draw: st.DrawFn) -> Sequence[Hit]:
    hits = []
    for place in range(draw(st.integers(0, 14))):
        text, session = draw(TEXTS), draw(st.sampled_from(["s", "t\n## x"]))
        said = message(f"m{place}", text, session=session, ordinal=place)
        is_claim = draw(st.booleans())
        hits.append(claim(f"a{place}", text, said) if is_claim else raw(f"m{place}", text, session=session))
    return hits


@anything
@given(hit_lists(), BUDGETS, SAFETY)
def test_memory_never_exceeds_its_budget_and_loses_nothing(
    hits: Sequence[Hit], budget: int, safety: float
) -> None:
    block = memory_block(hits, budget=budget, count=partial(count_tokens, safety=safety))
    assert_within(block, budget, safety)
    assert rows_of(block) == sorted(((hit.layer, hit.id, "") for hit in hits), key=str)


def test_lines_of_one_day_and_session_share_a_heading_and_the_best_come_first() -> None:
    later = datetime(2026, 6, 23, 8, 0, tzinfo=UTC)
    hits = [
        raw("m9", "We moved it.", session="two", ordinal=9, said_at=later),
        claim("a1", "It was July.", message("m2", "July!", session="one", ordinal=2)),
        raw("m3", "Fine.", session="two", ordinal=3, said_at=later, speaker="", role="assistant"),
        claim("a2", "The party is on Friday.", happened_from=date(2026, 6, 5)),
    ]
    assert memory_block(hits, budget=ENOUGH, count=tokens).text == (
        "## Relevant memory\n"
        "2026-06-23 two:\n- #3 raw assistant: Fine.\n- #9 raw Alice: We moved it.\n"
        "2026-06-02 one:\n- #2 It was July.\n"
        "2026-06-02:\n- The party is on Friday. (2026-06-05)\n"
    )


def test_nothing_is_told_twice() -> None:
    said = message("m1", "Never deploy, I said.")
    hits = [
        claim("rule", "Never deploy.", said),
        claim("other", "Sing.", kind="instruction"),
        claim("told", "The office moves."),
        claim("a", "Lunch is at one.", message("m2", "Lunch at one")),
        raw("m1", "Never deploy, I said."),
        raw("m2", "Lunch at one"),
        raw("m3", "Until July.", is_superseded=True),
        raw("m4", "You are a helper.", role="system"),
        raw("m5", "LUNCH is at one."),
    ]
    known = Known({row("rule")}, {row("other")}, {row("told")}, {row("m1")})
    block = memory_block(hits, budget=ENOUGH, count=tokens, known=known)
    assert block.ids == (Reference("atom", row("a")),)
    assert [(other.id, other.reason) for other in block.left_out] == [
        (row("rule"), "in standing rules"),
        (row("other"), "other situation"),
        (row("told"), "in a scene"),
        (row("m1"), "in an atom"),
        (row("m2"), "in an atom"),
        (row("m3"), "superseded"),
        (row("m4"), "system text"),
        (row("m5"), "same words"),
    ]


def test_a_rule_of_a_situation_keeps_it_in_memory() -> None:
    hits = [claim("a", "Be brief.", kind="instruction", scope="in\nreviews")]
    block = memory_block(hits, budget=ENOUGH, count=tokens)
    assert block.text.splitlines()[-1] == "- Be brief. (when: in reviews)"


def test_a_caption_is_told_where_it_speaks_of_the_task_or_is_all_there_is() -> None:
    hits = [
        raw("m1", "Look!", attachment_text="a red kite", ordinal=1),
        raw("m2", "Look here!", attachment_text="a blue boat", ordinal=2),
        raw("m3", "", attachment_text="a green hat", ordinal=3),
    ]
    block = memory_block(hits, budget=ENOUGH, count=tokens, weigh=lambda text: float("kite" in text))
    assert block.text.splitlines()[2:] == [
        "- #1 raw Alice: Look! [attached: a red kite]",
        "- #2 raw Alice: Look here!",
        "- #3 raw Alice:  [attached: a green hat]",
    ]


def test_a_long_message_is_cut_to_its_best_passage_and_said_to_be() -> None:
    text = f"{'Filler sentence here. ' * 60}The kite is red. {'More filler follows. ' * 60}"
    block = memory_block(
        [raw("m", text)], budget=ENOUGH, count=tokens, weigh=lambda text: float("kite" in text)
    )
    shown = block.text.splitlines()[-1]
    assert ("The kite is red." in shown, len(shown) < 1_000) == (True, True)
    assert (shown.startswith("- #0 raw Alice: … "), shown.endswith(" …")) == (True, True)
    assert block.left_out == (LeftOut("message", row("m"), "cut"),)


@anything
@given(st.text(alphabet="ab .!?\n", max_size=300), st.integers(20, 120))
def test_an_excerpt_is_never_longer_than_asked(text: str, longest: int) -> None:
    shown = excerpt(text, lambda piece: piece.count("a"), longest=longest)
    assert shown == text if len(text) <= longest else len(shown) <= longest + len("…  …") + 1


@pytest.mark.parametrize("arm", ["words", "meaning"])
def test_a_notice_about_the_search_stands_in_the_block(arm: str) -> None:
    block = memory_block([raw("m", "Hi.")], budget=ENOUGH, count=tokens, notice=f"({arm} late)\n")
    assert block.text.splitlines()[1] == f"({arm} late)"

from typing import Any

import pytest

from memory.models import Atom
from memory.recall.records import RuleCursor
from memory.recall.rules import standing_rules
from tests.cast import Alice
from tests.factories import make_atom, make_message, make_rule


def test_rules_are_live_instructions_at_or_above_the_floor(alice: Alice) -> None:
    said = [make_message(alice.entity, "More rules.")]
    make_rule(alice.entity, "At the floor.", said, priority=70)
    make_rule(alice.entity, "Below the floor.", said, priority=69)
    make_rule(alice.entity, "Withdrawn.", said, priority=99, status=Atom.Status.RETRACTED)
    make_atom(alice.entity, "No rule at all.", said, priority=99)
    page = standing_rules(alice.entity)
    assert ([(rule.priority, rule.text) for rule in page.rules], page.total, page.next_after) == (
        [(95, "Never deploy without Alice's approval."), (70, "At the floor.")],
        2,
        None,
    )


def test_a_superseded_rule_is_never_returned(alice: Alice) -> None:
    said = [make_message(alice.entity, "Ask only on Fridays.")]
    make_rule(alice.entity, "Ask on Fridays.", said, replaces=alice.approval, priority=95)
    assert [rule.text for rule in standing_rules(alice.entity, floor=0).rules] == ["Ask on Fridays."]


def test_rules_keep_their_scope(alice: Alice) -> None:
    said = [make_message(alice.entity, "In reviews, be brief.")]
    make_rule(alice.entity, "Be brief.", said, priority=80, scope="in reviews")
    assert [rule.scope for rule in standing_rules(alice.entity).rules] == ["", "in reviews"]


def test_pages_together_hold_every_rule_once(alice: Alice) -> None:
    said = [make_message(alice.entity, "Many rules.")]
    for number in range(7):
        make_rule(alice.entity, f"Rule {number}.", said, priority=70 + number // 3)
    whole = standing_rules(alice.entity)
    pages: list[str] = []
    after: RuleCursor | None = None
    while True:
        page = standing_rules(alice.entity, after=after, limit=3)
        pages += [rule.text for rule in page.rules]
        assert (page.total, len(page.rules) <= 3) == (8, True)
        if page.next_after is None:
            break
        after = page.next_after
    assert pages == [rule.text for rule in whole.rules]
    assert len(set(pages)) == 8


def test_a_page_of_nothing_is_refused(alice: Alice) -> None:
    with pytest.raises(ValueError, match="at least one"):
        standing_rules(alice.entity, limit=0)


def test_two_statements_whatever_the_number(alice: Alice, django_assert_num_queries: Any) -> None:
    said = [make_message(alice.entity, "Many rules.")]
    with django_assert_num_queries(2):
        standing_rules(alice.entity)
    for number in range(30):
        make_rule(alice.entity, f"Rule {number}.", said)
    with django_assert_num_queries(2):
        standing_rules(alice.entity)

"""Which policy counts for a predicate."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.claims.matching import UNDECIDED, Rule, is_pattern, is_predicate, matches, most_specific
from memory.claims.policies import policy_for, rules_of
from memory.models import Entity, Workspace
from tests.claims.observing import decide

names = st.lists(st.sampled_from(["billing", "plan", "bill", "a"]), min_size=1, max_size=4).map(".".join)
patterns = st.just("*") | names | names.map(lambda name: f"{name}.*")


@pytest.mark.parametrize(
    ("pattern", "predicate", "does"),
    [
        ("*", "billing.plan", True),
        ("billing.*", "billing.plan", True),
        ("billing.*", "billing.plan.price", True),
        ("billing.*", "billing", False),
        ("billing.*", "billings.plan", False),
        ("billing.plan", "billing.plan", True),
        ("billing.plan", "billing.plan.price", False),
    ],
)
def test_a_pattern_speaks_of_what_lies_below_it(pattern: str, predicate: str, does: bool) -> None:
    assert matches(pattern, predicate) is does


@given(st.lists(patterns, max_size=6, unique=True), names)
def test_the_most_specific_pattern_counts(given_patterns: list[str], predicate: str) -> None:
    chosen = most_specific([Rule(pattern) for pattern in given_patterns], predicate)
    speaking = [pattern for pattern in given_patterns if matches(pattern, predicate)]
    if not speaking:
        assert chosen is UNDECIDED
    else:
        assert chosen.pattern in speaking
        assert chosen.pattern == predicate or (
            predicate not in speaking and len(chosen.pattern) == max(map(len, speaking))
        )


@given(st.lists(patterns, max_size=6, unique=True), names, st.randoms())
def test_the_order_of_policies_is_nothing(found: list[str], predicate: str, random: object) -> None:
    rules = [Rule(pattern) for pattern in found]
    assert most_specific(rules, predicate) == most_specific(rules[::-1], predicate)


@pytest.mark.parametrize(
    ("text", "are"),
    [
        ("billing.plan", (True, True)),
        ("wohnt_in.straße", (True, True)),
        ("billing.*", (False, True)),
        ("*", (False, True)),
        ("*.plan", (False, False)),
        ("billing*", (False, False)),
        ("billing.", (False, False)),
        (".plan", (False, False)),
        ("a b", (False, False)),
        ("_a", (False, False)),
        ("", (False, False)),
    ],
)
def test_which_texts_are_predicates_and_patterns(text: str, are: tuple[bool, bool]) -> None:
    assert (is_predicate(text), is_pattern(text)) == are


def test_policies_of_a_workspace_are_its_own(alice: Entity, bob: Entity, workspace: Workspace) -> None:
    decide(workspace, "billing.*", "store", cardinality="many", asserted_by=[4, 3])
    decide(workspace, "*", "live")
    expected = Rule("billing.*", "store", is_many=True, asserted_by=frozenset({3, 4}))
    assert policy_for(workspace, "billing.plan") == expected
    assert policy_for(workspace.pk, "home") == Rule("*", "live", source="source-*")
    assert policy_for(bob.workspace, "billing.plan") == UNDECIDED
    assert (UNDECIDED.is_projected, UNDECIDED.is_many) == (True, False)


def test_any_number_of_predicates_costs_one_statement(
    workspace: Workspace, django_assert_num_queries: object
) -> None:
    with django_assert_num_queries(1):  # type: ignore[operator]
        rules = rules_of(workspace.pk)
        assert {rules.of(f"a.p{number}") for number in range(20)} == {UNDECIDED}

"""The nine sections are named in three rooms that may not import each other; they are the same nine."""

from typing import get_args

from memory.cascade.contract import SectionSlug
from memory.cascade.rules.sections import SECTION_ORDER
from memory.models import Section


def test_contract_rules_and_tables_name_the_same_sections_in_the_same_order() -> None:
    in_rules = [(section.value, section.heading) for section in SECTION_ORDER]
    assert [tuple(choice) for choice in Section.choices] == in_rules
    assert list(get_args(SectionSlug)) == [slug for slug, _ in in_rules]

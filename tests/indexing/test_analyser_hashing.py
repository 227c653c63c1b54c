"""Numbers of terms: the same for an entity, others for another."""

import pytest

from memory.indexing.hashing import term_hash

NUMBERS = [188128146449184010, 5952412551565181241, -1350193768165128556]


def test_a_term_has_one_signed_number_of_64_bits_for_an_entity() -> None:
    assert [term_hash(b"salt of alice", term) for term in ("maria", "猫", "…versi")] == NUMBERS
    assert term_hash(b"salt of bob", "maria") != NUMBERS[0]


def test_numbers_use_the_whole_range() -> None:
    numbers = [term_hash(b"salt", f"term {number}") for number in range(200)]
    assert len(set(numbers)) == 200
    assert min(numbers) < -(2**61) < 2**61 < max(numbers) < 2**63


@pytest.mark.parametrize("salt", [b"", b"x" * 65])
def test_a_salt_of_no_or_too_many_bytes_is_refused(salt: bytes) -> None:
    with pytest.raises(ValueError):
        term_hash(salt, "maria")


def test_any_text_has_a_number() -> None:
    assert term_hash(b"salt", "\ud800") == term_hash(b"salt", "\ud800")

from uuid import UUID

import pytest

from memory.recall.short_ids import NoIdError, read_id, short_id

ID = UUID("0198f2a4-7c11-7d3e-9a55-1f0c2b3a4d5e")


def test_shows_the_last_eight_digits() -> None:
    assert short_id(ID) == "2b3a4d5e"


@pytest.mark.parametrize("typed", [str(ID), ID.hex, ID.hex.upper(), f"urn:uuid:{ID}", f" [{ID}] "])
def test_reads_a_whole_id_in_every_spelling(typed: str) -> None:
    assert read_id(typed).whole == ID


@pytest.mark.parametrize("length", range(4, 32))
def test_an_end_of_any_length_ends_the_written_id(length: int) -> None:
    part = read_id(ID.hex[-length:])
    assert part.whole is None
    assert str(ID).endswith(part.ending)
    assert part.ending.replace("-", "") == ID.hex[-length:]


def test_a_beginning_spans_the_ids_that_begin_with_it() -> None:
    part = read_id("0198f2a4-7c11")
    assert part.first <= ID <= part.last
    assert (str(part.first), str(part.last)) == (
        "0198f2a4-7c11-0000-0000-000000000000",
        "0198f2a4-7c11-ffff-ffff-ffffffffffff",
    )


@pytest.mark.parametrize("typed", ["", "abc", "xyz1234", "2b3a 4d5e", "٣٣٣٣", "0" * 33, "🙂🙂🙂🙂"])
def test_refuses_what_is_no_id(typed: str) -> None:
    with pytest.raises(NoIdError):
        read_id(typed)

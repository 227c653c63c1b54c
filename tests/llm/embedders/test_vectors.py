"""Unit rows, and vectors to PostgreSQL and back."""

import numpy as np
import pytest
from django.db import connection

from memory.llm.embedders.local import LocalEmbedder
from memory.llm.embedders.vectors import halfvec_text, read_halfvecs, unit_rows


def test_rows_get_length_one() -> None:
    assert np.allclose(unit_rows(np.array([[3, 4], [0, -2]], dtype=np.float32)), [[0.6, 0.8], [0, -1]])


@pytest.mark.parametrize("row", [[0.0, 0.0], [np.nan, 1.0], [np.inf, 1.0]])
def test_a_row_without_direction_is_refused(row: list[float]) -> None:
    with pytest.raises(ValueError, match="no direction"):
        unit_rows(np.array([row], dtype=np.float32))


def test_every_half_precision_number_survives_as_text() -> None:
    numbers = np.arange(0x7C00, dtype=np.uint16).view(np.float16)
    written = np.array(halfvec_text(numbers.astype(np.float32))[1:-1].split(","), dtype=np.float16)

    assert np.array_equal(written, numbers)


@pytest.mark.django_db
def test_a_row_of_halfvec_512_is_written_searched_and_read() -> None:
    vectors = LocalEmbedder().embed(["Tea at four.", "The migration ends in October.", "Blue walls."])
    with connection.cursor() as cursor:
        cursor.execute("CREATE TEMPORARY TABLE held (id int, embedding halfvec(512)) ON COMMIT DROP")
        for number, vector in enumerate(vectors):
            cursor.execute("INSERT INTO held VALUES (%s, %s::halfvec)", [number, halfvec_text(vector)])
        cursor.execute("SELECT halfvec_send(embedding) FROM held ORDER BY id")
        read = read_halfvecs([row[0] for row in cursor.fetchall()])
        cursor.execute(
            "SELECT id FROM held ORDER BY embedding <=> %s::halfvec LIMIT 1", [halfvec_text(vectors[1])]
        )
        nearest = cursor.fetchone()

    assert np.array_equal(read, vectors.astype(np.float16).astype(np.float32))
    assert nearest == (1,)


def test_no_rows_are_read_as_none() -> None:
    assert read_halfvecs([]).shape == (0, 0)

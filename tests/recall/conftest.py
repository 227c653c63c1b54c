import pytest

from tests.cast import Alice, make_alice, make_bob


@pytest.fixture
def alice(db: None) -> Alice:
    """Alice's memory, with Bob's beside it."""
    make_bob()
    return make_alice()

import pytest

from tests.cast import Alice, make_alice


@pytest.fixture
def alice(db: None) -> Alice:
    """A memory with all four layers."""
    return make_alice()

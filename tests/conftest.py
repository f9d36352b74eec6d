"""What all tests share: the same examples in every run, so that a failure can be repeated."""

import mpmath as mp
import numpy as np
import pytest
from hypothesis import settings

settings.register_profile("book", derandomize=True, database=None, deadline=None)  # no test depends on the clock
settings.load_profile("book")


@pytest.fixture
def fifty_digits():
    """Numbers of mpmath have 50 digits."""
    with mp.workdps(50):
        yield


@pytest.fixture
def strict():
    """Any floating-point event that NumPy knows becomes an error, as a warning would under -W error."""
    with np.errstate(all="raise"):
        yield

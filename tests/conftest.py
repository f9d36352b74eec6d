"""What all tests share: the same examples in every run, so that a failure can be repeated."""

from hypothesis import settings

settings.register_profile("book", derandomize=True, database=None, deadline=None)  # no test depends on the clock
settings.load_profile("book")

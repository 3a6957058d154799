"""What the tests of languages share; which languages were played is printed by `tests/conftest.py`."""

import os

import pytest


@pytest.fixture
def played(record_property):
    """Call with a language once a bot in it has finished its matches."""
    return lambda language: record_property("language played", language)


@pytest.fixture(scope="package", autouse=True)
def private_cache(tmp_path_factory):
    """Compilers run here even if the user's cache knows the same sources from before."""
    before = os.environ.get("XDG_CACHE_HOME")
    os.environ["XDG_CACHE_HOME"] = str(tmp_path_factory.mktemp("cache"))
    yield
    if before is None:
        del os.environ["XDG_CACHE_HOME"]
    else:
        os.environ["XDG_CACHE_HOME"] = before

"""Browsers that keep one event loop for all of their requests: half the time of one for each."""

import contextlib

import pytest
from starlette.testclient import TestClient

from tests.house import ORIGIN, Person


@pytest.fixture
def visit(app):
    """Return a person by name at a browser of their own, signed in."""
    with contextlib.ExitStack() as browsers:

        def arrive(name, *, signed_in=True):
            client = browsers.enter_context(TestClient(app, base_url=ORIGIN, follow_redirects=False))
            person = Person(client, name)
            return person.sign_in() if signed_in else person

        yield arrive

"""Browsers that keep one event loop for all of their requests, and one walk through all pages."""

import contextlib

import pytest
from jinja2 import Environment
from starlette.testclient import TestClient

from tests.house import ORIGIN, Person
from tests.web.walk import Walk


@pytest.fixture
def visit(app):
    """Return a person by name at a browser of their own, signed in."""
    with contextlib.ExitStack() as browsers:

        def arrive(name, *, signed_in=True):
            client = browsers.enter_context(TestClient(app, base_url=ORIGIN, follow_redirects=False))
            person = Person(client, name)
            return person.sign_in() if signed_in else person

        yield arrive


@pytest.fixture(scope="session")
def walk(tmp_path_factory):
    """Return what a walk through every page brought; nothing may be changed in its store."""
    taken = Walk(tmp_path_factory.mktemp("walk") / "store")
    get = Environment.get_template

    def noted(environment, name, *more):
        taken.templates.add(name)
        return get(environment, name, *more)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Environment, "get_template", noted)  # what extends, includes or imports asks here too
        taken.take()
    yield taken
    taken.browsers.close()
    taken.store.close()

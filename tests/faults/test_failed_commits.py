"""No write reaches the disk while each form of the application is sent: nothing is promised, nothing is half done."""

import resource
from contextlib import contextmanager

import pytest

from tests.web.way import prepare, routes, snapshot, way

pytestmark = pytest.mark.faults
# They answer without storing anything, so that no commit can fail.
STORE_NOTHING = {"/lead/select", "/review", "/adjudicate"}
KEPT_IN_MEMORY = "more.csv"  # a table that waits for its columns to be named


def stores(step):
    return step.route not in STORE_NOTHING and (step.file or ("",))[0] != KEPT_IN_MEMORY


@contextmanager
def no_room():
    """Let every write to a file fail, as on a disk without room: the limit of a file's size is where it begins."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_commit_that_fails_is_answered_with_an_error_on_every_route_and_stores_nothing(store, world, app, visit):
    tried, wrong = set(), []
    for step in way(visit, prepare(store, world)):
        tried.add(step.route)
        if not stores(step):
            continue
        before = snapshot(store)
        with no_room():
            answer = step.send()
        calm = "try again" in answer.text or "is it full" in answer.text
        if answer.status_code not in {503, 507} or not calm or snapshot(store) != before:
            wrong.append((step.route, answer.status_code))
    assert wrong == []
    assert tried == {path for method, path in routes(app) if method == "POST"}

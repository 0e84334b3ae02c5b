"""What two worlds are compared for is found: each leak that is planted in a page shows as a difference.

The fourth kind, a branch that takes time, is in test_timing.py.
"""

import logging
import re
import shutil

import pytest

from app.web import judging, showing
from tests.blinding.worlds import drive, first_difference, judge, two_stores

ITEMS = 12


@pytest.fixture(scope="module")
def twins(tmp_path_factory):
    return two_stores(tmp_path_factory.mktemp("twins"), ITEMS)


def one_reviewer(visit):
    judge(visit("rosa"), "/review", 0, [])


def side_of_on(request, token):
    with judging.house_of(request).store.read() as connection:
        found = connection.exec_driver_sql("select on_panel from slot where token = ?", (token,))
        return found.scalar()


def change_pages(monkeypatch, change):
    """Let `change` alter the answer with an item, told where the filtered text stands."""
    honest = showing.render

    def leaking(request, *arguments, **context):
        answer = honest(request, *arguments, **context)
        if "item" in context:
            change(answer, side_of_on(request, context["item"].token))
            answer.headers["content-length"] = str(len(answer.body))
        return answer

    monkeypatch.setattr(showing, "render", leaking)


def leak_by_class_name(monkeypatch):
    """The filtered text's panel gets a class of its own."""

    def change(answer, panel):
        plain, marked = f'class="text" data-panel="{panel}"', f'class="text tidy" data-panel="{panel}"'
        answer.body = answer.body.replace(plain.encode(), marked.encode())

    change_pages(monkeypatch, change)


HIDDEN = re.compile(rb'(<input type="hidden" name="version"[^>]*>)(\s*)(<input type="hidden" name="key"[^>]*>)')


def leak_by_field_order(monkeypatch):
    """Two hidden fields of the form change places where Text A is the filtered one: the length stays."""

    def change(answer, panel):
        if panel == "A":
            answer.body = HIDDEN.sub(rb"\3\2\1", answer.body)

    change_pages(monkeypatch, change)


def leak_by_etag(monkeypatch):
    def change(answer, panel):
        answer.headers["ETag"] = f'"{panel}"'

    change_pages(monkeypatch, change)


def leak_by_header_order(monkeypatch):
    """Two headers change places: values and length stay."""

    def change(answer, panel):
        if panel == "A":
            answer.raw_headers.reverse()

    change_pages(monkeypatch, change)


def leak_by_sound(monkeypatch):
    """A recording says that it has no ranges where Text A is the filtered one."""
    honest = judging.recording

    def leaking(request, visitor, seat, token):
        answer = honest(request, visitor, seat, token)
        if side_of_on(request, token) == "A":
            answer.headers["Accept-Ranges"] = "none"
        return answer

    monkeypatch.setattr(judging, "recording", leaking)


def leak_by_log_line(monkeypatch):
    """A line that no usual level shows names the side."""
    honest = judging.item_page

    def leaking(request, visitor, seat, token):
        logging.getLogger("evenhand").debug("side %s", side_of_on(request, token))
        return honest(request, visitor, seat, token)

    monkeypatch.setattr(judging, "item_page", leaking)


def seen_in(twins, folder):
    """Drive a reviewer over both worlds, each in a copy of its own."""
    return [drive(shutil.copytree(twin, folder / twin.name), one_reviewer) for twin in twins]


@pytest.mark.parametrize(
    "plant",
    [leak_by_class_name, leak_by_field_order, leak_by_etag, leak_by_header_order, leak_by_sound, leak_by_log_line],
)
def test_a_planted_leak_is_caught(plant, twins, tmp_path, monkeypatch):
    plant(monkeypatch)
    assert first_difference(*seen_in(twins, tmp_path)) is not None


def test_without_a_leak_the_same_way_shows_no_difference(twins, tmp_path):
    assert first_difference(*seen_in(twins, tmp_path)) is None

"""Two worlds that differ in nothing but the arm look the same, byte for byte."""

import pytest

from app.web import judging, showing
from tests.blinding.worlds import drive, two_stores, whole_script

ITEMS = 200


def first_difference(one, other):
    for left, right in zip(one, other, strict=True):
        if left != right:
            return left[:4], right[:4]
    return None


def test_every_byte_of_every_judge_is_the_same_whichever_text_is_filtered(tmp_path):
    one, other = (drive(folder, whole_script) for folder in two_stores(tmp_path, ITEMS))
    answers = [seen for seen in one if seen[0] in {"GET", "POST"}]
    assert {seen[2] for seen in answers} == {200, 206, 303, 404, 409, 416, 422}
    assert len(answers) > ITEMS * 4
    assert first_difference(one, other) is None


def side_of_on(request, token):
    with judging.house_of(request).store.read() as connection:
        found = connection.exec_driver_sql("select on_panel from slot where token = ?", (token,))
        return found.scalar()


def leak_by_class_name(monkeypatch):
    """The filtered text's panel gets a class of its own."""
    honest = showing.render

    def leaking(request, *arguments, **context):
        answer = honest(request, *arguments, **context)
        if "item" in context:
            panel = side_of_on(request, context["item"].token)
            plain, marked = f'class="text" data-panel="{panel}"', f'class="text tidy" data-panel="{panel}"'
            answer.body = answer.body.replace(plain.encode(), marked.encode())
            answer.headers["content-length"] = str(len(answer.body))
        return answer

    monkeypatch.setattr(showing, "render", leaking)


def leak_by_header(monkeypatch):
    honest = showing.render

    def leaking(request, *arguments, **context):
        answer = honest(request, *arguments, **context)
        if "item" in context:
            answer.headers["ETag"] = f'"{side_of_on(request, context["item"].token)}"'
        return answer

    monkeypatch.setattr(showing, "render", leaking)


def leak_by_sound(monkeypatch):
    """A recording says that it has no ranges where Text A is the filtered one."""
    honest = judging.recording

    def leaking(request, visitor, seat, token):
        answer = honest(request, visitor, seat, token)
        if side_of_on(request, token) == "A":
            answer.headers["Accept-Ranges"] = "none"
        return answer

    monkeypatch.setattr(judging, "recording", leaking)


@pytest.mark.parametrize("plant", [leak_by_class_name, leak_by_header, leak_by_sound])
def test_a_planted_leak_is_caught(plant, tmp_path, monkeypatch):
    plant(monkeypatch)
    one, other = (drive(folder, whole_script) for folder in two_stores(tmp_path, 12))
    assert first_difference(one, other) is not None

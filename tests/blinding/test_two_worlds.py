"""Two worlds that differ in nothing but the arm look the same, byte for byte."""

from app.store import judging
from tests.blinding.worlds import drive, first_difference, tokens, two_stores, whole_script

ITEMS = 200
STATUSES = {200, 204, 206, 303, 307, 400, 401, 403, 404, 405, 409, 413, 416, 422}


def test_every_byte_of_every_judge_is_the_same_whichever_text_is_filtered(tmp_path):
    one, other = (drive(folder, whole_script) for folder in two_stores(tmp_path, ITEMS))
    answers = [seen for seen in one if seen[0] != "log"]
    assert {seen[2] for seen in answers} == STATUSES
    assert len(answers) > ITEMS * 4
    assert first_difference(one, other) is None


def test_an_unforeseen_error_looks_the_same_even_if_its_message_names_the_arm(tmp_path, monkeypatch):
    def fail(content, rules, on_panel):
        raise RuntimeError(on_panel, content.on)

    def look(visit):
        rosa = visit("rosa").practise()
        with monkeypatch.context() as patch:
            patch.setattr(judging, "_shown", fail)
            for token in tokens(rosa.get("/review").text)[:8]:
                assert rosa.get(f"/review/{token}").status_code == 500

    one, other = (drive(folder, look) for folder in two_stores(tmp_path, 12))
    assert sum(seen[0] == "log" and "unforeseen" in seen[2] for seen in one) == 8
    assert first_difference(one, other) is None

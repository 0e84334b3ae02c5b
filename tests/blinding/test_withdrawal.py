"""A withdrawal in the middle of the work tells a judge no arm, and of other judges nothing."""

from app.actions.withdrawing import withdraw
from app.store.migrate import open_store
from tests.blinding.worlds import drive, judge, two_stores
from tests.house import fixed_world

ITEMS = 40


def script(folder):
    """Return a script in which items go while judges have them open, answered, drafted, and in the queue."""

    def take(kind, value):
        store = open_store(folder)
        withdraw(store, fixed_world(value), "lena", "pilot", kind, value, "a participant asked")
        store.close()

    def run(visit):
        rosa = visit("rosa").practise()
        where, page = rosa.next_page()
        number = page.panels["A"].split("line ")[1].split()[0]
        rosa.send(page.judging_form(), path=f"{where}/draft", note="half a thought")
        take("item", f"P-{int(number) + 1:03}")
        for answer in (rosa.get(where), rosa.answer(page, label="no-material-edit"), rosa.get("/review")):
            assert answer.status_code in {409, 200}
        form = page.judging_form()
        rosa.send(form, path=f"{where}/draft", note="still typing")
        rosa.send(form, headers={"HX-Request": "true"}, label="no-material-edit")
        judge(rosa, "/review", 0, [])
        take("cluster", "ep-03")
        judge(visit("ravi"), "/review", 1, [])
        ines = visit("ines").practise("/adjudicate")
        where, page = ines.next_page("/adjudicate")
        number = page.panels["A"].split("line ")[1].split()[0]
        take("item", f"P-{int(number) + 1:03}")
        ines.get(where), ines.answer(page, label="no-material-edit"), ines.get("/adjudicate")
        judge(ines, "/adjudicate", 2, [])

    return run


def test_judges_see_the_same_bytes_in_both_worlds_when_items_go(tmp_path):
    one, other = two_stores(tmp_path, ITEMS)
    seen = [drive(folder, script(folder)) for folder in (one, other)]
    assert len(seen[0]) > ITEMS * 4
    assert seen[0] == seen[1]
    assert sum(each[2] == 409 for each in seen[0] if len(each) == 5) >= 5

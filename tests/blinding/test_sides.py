"""Sides are drawn once and stay: reloads, new sessions and restarts never change them."""

from starlette.testclient import TestClient

from app.config import Settings
from app.store.migrate import open_store
from app.web.app import create_app
from tests.house import CHEAP, ORIGIN, PORT, PROTOCOL, Person, fixed_world, frozen_study, item_rows


def test_fifty_reloads_give_the_same_bytes(study, visit):
    rosa = visit("rosa")
    where, _ = rosa.next_page()
    assert len({rosa.get(where).content for _ in range(50)}) == 1


def test_a_restart_and_a_new_session_show_the_same_sides(study, store, visit):
    rosa = visit("rosa")
    where, page = rosa.next_page()
    again = open_store(store.folder)
    app = create_app(again, fixed_world("later"), Settings(port=PORT), CHEAP)
    other = Person(TestClient(app, base_url=ORIGIN, follow_redirects=False), "rosa").sign_in()
    assert other.page(where).panels == page.panels
    again.close()


def test_swapping_the_panels_gives_the_mirror_page(study, store, visit):
    rosa = visit("rosa")
    where, page = rosa.next_page()
    with store.write() as connection:
        connection.exec_driver_sql("update slot set on_panel = case on_panel when 'A' then 'B' else 'A' end")
    mirror = rosa.page(where)
    assert mirror.panels == {"A": page.panels["B"], "B": page.panels["A"]}


def test_no_judge_page_names_an_id_a_stratum_a_source_or_the_manifest(store, world, people, visit):
    rows = [row | {"stratum": row["stratum"].replace("word_repetition", "quokka")} for row in item_rows()]
    frozen_study(store, world, protocol=PROTOCOL.replace("word_repetition", "quokka"), rows=rows)
    with store.read() as connection:
        manifest = connection.exec_driver_sql("select manifest_sha256 from study").scalar()
    rosa = visit("rosa")
    where, _ = rosa.next_page()
    for path in ("/review", where, "/guide"):
        text = rosa.get(path).text
        for private in ("P-00", "quokka", "ep-one", "invented", manifest, "raw_hypothesis", "on_panel"):
            assert private not in text, (path, private)


def test_the_raw_hypothesis_stands_nowhere(store, world, people, visit):
    frozen_study(store, world, rows=[row | {"raw_hypothesis": "heard quite otherwise"} for row in item_rows()])
    rosa = visit("rosa")
    while (found := rosa.next_page()) is not None:
        assert "otherwise" not in rosa.get(found[0]).text
        rosa.answer(found[1], label="no-material-edit")

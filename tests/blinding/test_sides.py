"""Sides are drawn once and stay: reloads, new sessions and restarts never change them."""

import math
import secrets

from sqlalchemy import select
from starlette.testclient import TestClient

from app.config import Settings
from app.store.migrate import open_store
from app.store.tables import account, item, slot
from app.web.app import create_app
from app.world import real
from tests.domain.test_blinding import N, Z, correlation, runs_z, within_band
from tests.faults.figures import say
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


MANY = PROTOCOL.replace("word_repetition = 4, fluent = 2", "word_repetition = 1400, fluent = 600")


def test_a_freeze_draws_sides_from_the_systems_source_balanced_and_in_a_chance_order(store, people):
    """All of it through the freeze and the store, at N = 2,000; test_blinding.py of the domain has the draw alone."""
    real_world = real()
    assert (real_world.below, real_world.token) == (secrets.randbelow, secrets.token_urlsafe)
    strata = ["fluent" if number % 10 < 3 else "word_repetition" for number in range(N)]
    pairs = [(each, f"ep-{n % 40}", f"line {n} says says it", f"line {n} says it") for n, each in enumerate(strata)]
    frozen_study(store, real_world, protocol=MANY, rows=item_rows(pairs))
    for name in ("rosa", "ravi", "ines"):
        drawn = slots_of(store, name)
        left = [side == "A" for side, _ in drawn]
        fluent = [stratum == "fluent" for _, stratum in drawn]
        assert len(drawn) == N
        within_band(sum(left), N, 0.5, f"{name}: on text left")
        for stratum, n in (("fluent", 600), ("word_repetition", 1400)):
            assert sum(side == "A" for side, each in drawn if each == stratum) == n / 2
        for what, marked in (("sides", left), ("strata", fluent)):
            z = correlation(marked) * math.sqrt(N - 1)
            say(f"{name}: {what} and position, z = {z:+.2f}, n = {N}")
            assert abs(z) <= Z
        z, n = runs_z(left)
        say(f"{name}: runs of sides, z = {z:+.2f}, n = {n}")
        assert abs(z) <= Z


def slots_of(store, name):
    """Return (side, stratum) of a judge's list in its order."""
    found = select(slot.c.on_panel, item.c.stratum).join(item, item.c.id == slot.c.item)
    mine = found.join(account, account.c.id == slot.c.account_id).where(account.c.name == name)
    with store.read() as connection:
        return connection.execute(mine.order_by(slot.c.position)).all()

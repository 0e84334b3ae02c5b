import pytest

from app.actions import freezing, preparing, sessions
from app.domain import manifest
from app.domain.errors import MOST_PROBLEMS, InvalidInput, NotFound, Refused
from app.domain.item import Item
from app.store import studies, verify
from app.store.db import Store
from tests.actions.bench import Bench
from tests.house import CHEAP, PROTOCOL, RIGHTS, draft_study, frozen_study, item_rows, jsonl, password_of, seats

PEOPLE = {"reviewers": ["rosa", "ravi"], "leads": ["lena"], "adjudicator": "ines"}


@pytest.fixture
def draft(store, world, people):
    """Return a bench whose study lacks only its freeze."""
    return Bench(store, world, draft_study(store, world))


def take_in(bench, rows, **more):
    data = rows if isinstance(rows, bytes) else jsonl(rows)
    return preparing.import_items(bench.store, bench.world, "lena", bench.study, data, "items.jsonl", **more)


def ids(bench):
    return [item for (item,) in bench.rows("select item_id from item order by id")]


def assign(bench, attested="linguists", **changes):
    preparing.assign(bench.store, bench.world, "lena", bench.study, seats(**PEOPLE | changes), attested)


def freeze(bench, *codes):
    return freezing.freeze(bench.store, bench.world, "lena", bench.study, codes)


def create(bench, protocol=PROTOCOL):
    return preparing.create(bench.store, bench.world, "lena", protocol.encode(), "protocol.toml")


def set_rights(bench, ledger=RIGHTS):
    return preparing.set_rights(bench.store, bench.world, "lena", bench.study, ledger.encode(), "rights.toml")


def problems(error):
    return [(problem.where, problem.line, problem.field) for problem in error.value.problems]


def more_rows(*names):
    return [row | {"item_id": name} for row, name in zip(item_rows(), names, strict=False)]


def test_a_study_id_is_taken_once(draft):
    with pytest.raises(Refused) as refused:
        create(draft)
    assert refused.value.code == "taken"


def test_a_faulty_protocol_or_ledger_names_its_file_and_changes_nothing(draft):
    before = draft.rows("select * from study"), draft.rows("select * from rights")
    with pytest.raises(InvalidInput, match=r"protocol.toml, field review.comparator"):
        create(draft, PROTOCOL.replace("pilot", "other") + '[review]\ncomparator = "fuzzy"')
    with pytest.raises(InvalidInput, match=r"rights.toml, field source 1, decision"):
        set_rights(draft, RIGHTS.replace("approved", "perhaps"))
    assert (draft.rows("select * from study"), draft.rows("select * from rights")) == before


def test_a_ledger_replaces_the_former_one(draft):
    set_rights(draft, RIGHTS.replace('"invented"', '"elsewhere"'))
    assert draft.rows("select source from rights") == [("elsewhere",)]


def test_texts_are_stored_byte_for_byte(draft):
    row = item_rows()[0] | {"item_id": "P-X", "off": " a\u00a0\t\u202e é e\u0301 \r\n", "on": "👩\u200d👧 \u200b"}
    take_in(draft, [row])
    with draft.store.read() as connection:
        stored = [item for _, item in studies.items(connection, draft.study)][-1]
    assert stored == Item(**row)


def test_an_import_with_faults_names_every_one_by_line_and_takes_nothing(draft):
    good, unlabelled, wrong = more_rows("N-1", "N-2", "N-3")
    del unlabelled["stratum"]
    data = jsonl([good, unlabelled]) + b"{broken\n" + jsonl([wrong | {"off": 5, "audio": "../a.wav"}, good])
    with pytest.raises(InvalidInput) as refused:
        take_in(draft, data)
    assert problems(refused) == [
        ("items.jsonl", 2, "stratum"),
        ("items.jsonl", 3, None),
        ("items.jsonl", 4, "off"),
        ("items.jsonl", 4, "audio"),
        ("items.jsonl", 5, "item_id"),
    ]
    assert ids(draft) == [f"P-{number:03}" for number in range(1, 7)]


def test_a_second_import_adds_and_one_with_known_ids_or_swapped_pairs_is_refused(draft):
    assert take_in(draft, more_rows("N-1")).items == 1
    swapped = item_rows()[0] | {"item_id": "N-2"}
    swapped |= {"off": swapped["on"], "on": swapped["off"]}
    with pytest.raises(InvalidInput) as refused:
        take_in(draft, [*more_rows("N-1"), swapped])
    assert [line for _, line, _ in problems(refused)] == [1, 2]
    assert len(ids(draft)) == 7


def test_a_replacement_takes_the_place_of_all_items(draft):
    taken = take_in(draft, more_rows("P-001", "N-2"), replace=True)
    assert (taken.items, taken.removed, ids(draft)) == (2, 6, ["P-001", "N-2"])


def test_a_faulty_replacement_removes_nothing(draft):
    with pytest.raises(InvalidInput):
        take_in(draft, more_rows("N-1", "N-1"), replace=True)
    assert len(ids(draft)) == 6


@pytest.mark.parametrize(
    ("changes", "fields"),
    [
        ({"reviewers": ["rosa", "rosa"]}, {"assign"}),
        ({"adjudicator": "rosa"}, {"assign"}),
        ({"leads": ["ines"]}, {"assign"}),
        ({"leads": []}, {"lead"}),
        ({"reviewers": ["rosa", "nobody"]}, {"reviewer"}),
        ({"adjudicator": "nobody", "leads": ["rosa"]}, {"adjudicator", "assign"}),
    ],
)
def test_a_person_has_one_role_and_an_account(draft, changes, fields):
    before = draft.rows("select * from member")
    with pytest.raises(InvalidInput) as refused:
        assign(draft, **changes)
    assert {field for _, _, field in problems(refused)} == fields
    assert draft.rows("select * from member") == before


def test_an_assignment_takes_the_place_of_the_former(draft):
    assign(draft, reviewers=["ravi", "otto"], adjudicator=None, attested=None)
    members = draft.rows(
        "select name, role, attested from member join account on account.id = account_id order by seat"
    )
    assert members == [("ravi", "reviewer", None), ("otto", "reviewer", None), ("lena", "lead", None)]


def test_one_account_may_hold_another_role_in_another_study(draft):
    other = draft_study(draft.store, draft.world, protocol=PROTOCOL.replace('"pilot"', '"second"'))
    second = Bench(draft.store, draft.world, other)
    assign(second, reviewers=["ines", "lena"], leads=["rosa"], adjudicator="ravi")
    assert (second.judge("ravi").adjudication, draft.judge("ravi").adjudication) == (True, False)


@pytest.mark.parametrize("call", [assign, freeze, set_rights, lambda bench: take_in(bench, more_rows("N-1"))])
def test_a_study_that_does_not_exist_is_not_found(draft, call):
    draft.study = "nothing"
    with pytest.raises(NotFound):
        call(draft)


@pytest.mark.parametrize(
    ("spoil", "field"),
    [
        (lambda draft: set_rights(draft, RIGHTS.replace("approved", "unknown")), "rights"),
        (lambda draft: assign(draft, reviewers=["rosa"]), "reviewers"),
        (lambda draft: take_in(draft, [more_rows("N-1")[0] | {"stratum": "other"}]), "items"),
    ],
)
def test_a_draft_with_an_error_of_the_check_is_not_frozen(draft, spoil, field):
    spoil(draft)
    with pytest.raises(InvalidInput) as refused:
        freeze(draft, "surplus", "shortage", "unattested")
    assert [problem.field for problem in refused.value.problems] == [field]
    assert draft.rows("select frozen_at from study") == [(None,)]
    assert draft.rows("select count(*) from slot") == [(0,)]


def test_what_must_be_acknowledged_stops_the_freeze_until_every_code_is_given(draft):
    take_in(draft, more_rows("N-1"))
    assign(draft, attested=None)
    for codes in ((), ("surplus",), ("unattested", "shortage")):
        with pytest.raises(Refused) as refused:
            freeze(draft, *codes)
        assert refused.value.code == "acknowledge"
    assert len(freeze(draft, "surplus", "unattested")) == 64


def test_the_adjudicator_too_must_be_attested(draft):
    draft.change("update member set attested = null where role = 'adjudicator'")
    assert [(each.code, each.count) for each in preparing.check(draft.store, draft.study).acknowledge] == [
        ("unattested", 1)
    ]


PREPARING = {
    "rights": set_rights,
    "import": lambda bench: take_in(bench, more_rows("N-1")),
    "replacement": lambda bench: take_in(bench, more_rows("N-1"), replace=True),
    "assignment": assign,
    "check": lambda bench: preparing.check(bench.store, bench.study),
    "freeze": freeze,
}


@pytest.mark.parametrize("act", PREPARING.values(), ids=PREPARING)
def test_after_the_freeze_nothing_is_prepared_any_more(draft, act):
    freeze(draft)
    before = draft.rows("select * from study"), draft.rows("select * from slot"), draft.rows("select * from member")
    with pytest.raises(Refused) as refused:
        act(draft)
    assert refused.value.code == "frozen"
    after = draft.rows("select * from study"), draft.rows("select * from slot"), draft.rows("select * from member")
    assert after == before


def test_each_item_has_a_digest_with_a_salt_of_its_own(draft):
    freeze(draft)
    with draft.store.read() as connection:
        found = list(studies.items(connection, draft.study))
    assert all(row.digest == manifest.item_digest(item, row.salt) for row, item in found)
    assert len({row.salt for row, _ in found}) == len(found)
    assert all(len(row.salt) >= 32 for row, _ in found)


def test_the_hash_of_the_freeze_is_that_of_the_stored_manifest_and_stands_in_the_chain(draft):
    hashed = freeze(draft)
    assert draft.rows("select manifest_sha256 from study") == [(hashed,)]
    with draft.store.read() as connection:
        assert verify.findings(connection) == []
    assert draft.rows("select count(*) from audit_event where detail like :hashed", hashed=f"%{hashed}%") == [(1,)]


def test_two_studies_of_the_same_files_share_no_digest_and_no_manifest_hash(draft):
    freeze(draft)
    second = draft_study(draft.store, draft.world, protocol=PROTOCOL.replace('"pilot"', '"second"'))
    freeze(Bench(draft.store, draft.world, second))
    assert draft.rows("select count(distinct digest), count(distinct salt) from item") == [(12, 12)]
    assert draft.rows("select count(distinct manifest_sha256) from study") == [(2,)]


def test_people_see_every_pair_that_is_not_equal_once_and_each_judge_has_a_list(draft):
    freeze(draft)
    seen = {
        name: draft.rows(
            "select item_id from slot join item on item.id = slot.item join account on account.id = slot.account_id "
            "where account.name = :name order by item_id",
            name=name,
        )
        for name in ("rosa", "ravi", "ines", "lena")
    }
    pairs = [("P-001",), ("P-002",), ("P-003",), ("P-005",)]
    assert seen == {"rosa": pairs, "ravi": pairs, "ines": pairs, "lena": []}


def test_under_review_people_see_equal_pairs_like_any_other(store, world, people):
    bench = Bench(store, world, frozen_study(store, world, protocol=PROTOCOL + '[review]\nidentical_pairs = "review"'))
    assert bench.rows("select count(*) from slot") == [(18,)]
    assert bench.rows("select sum(auto_coded), sum(equivalent) from item") == [(0, 2)]


def test_what_counts_as_equal_is_what_the_comparator_says(store, world, people):
    protocol = PROTOCOL + '[review]\ncomparator = "whitespace-case"'
    rows = [row | {"on": f"  {row['off'].upper()}"} for row in item_rows()[:3]] + item_rows()[3:]
    bench = Bench(store, world, frozen_study(store, world, protocol=protocol, rows=rows))
    assert bench.rows("select sum(equivalent), sum(auto_coded), sum(changed) from item") == [(5, 5, 4)]


def test_sides_and_orders_are_drawn_once_and_survive_a_second_freeze_and_a_restart(draft):
    freeze(draft)
    drawn = draft.rows("select account_id, item, on_panel, position, token from slot order by id")
    with pytest.raises(Refused):
        freeze(draft)
    draft.store.close()
    draft.store = Store(draft.store.folder)
    assert draft.rows("select account_id, item, on_panel, position, token from slot order by id") == drawn
    draft.store.close()


def test_each_act_of_preparing_is_one_event(draft):
    freeze(draft)
    told = ["study.created", "rights.set", "items.imported", "people.assigned", "study.frozen"]
    assert [event for event in draft.events() if event != "account.added"] == told


def test_no_event_holds_a_private_text_an_item_or_a_cluster(draft):
    freeze(draft)
    chain = " ".join(detail for (detail,) in draft.rows("select detail from audit_event"))
    private = {row[key] for row in item_rows() for key in ("off", "on", "semantic_reference", "item_id", "cluster")}
    assert [value for value in private if value in chain] == []


def test_a_draft_signs_out_nobody_and_its_freeze_only_its_judges(draft, world):
    for name in ("ravi", "rosa", "otto", "lena"):
        sessions.sign_in(draft.store, world, CHEAP, name, password_of(name))
    assign(draft, reviewers=["rosa", "otto"])
    assert draft.rows("select count(*) from session") == [(4,)]
    freeze(draft)
    left = draft.rows("select name from session join account on account.id = account_id order by name")
    assert left == [("lena",), ("ravi",)]


def test_no_more_than_a_thousand_problems_are_named(store, world, people):
    study = preparing.create(store, world, "local", PROTOCOL.encode(), "protocol.toml")
    with pytest.raises(InvalidInput) as refused:
        preparing.import_items(store, world, "local", study, b"{}\n" * 5_000, "items.jsonl")
    assert len(refused.value.problems) == MOST_PROBLEMS + 1
    assert "problems more" in str(refused.value.problems[-1])

import json

import pytest

from app.actions import adjudicating, closing, freezing, preparing, reporting
from app.domain.errors import InvalidInput, NotFound, Refused
from app.domain.results import Results, gate_facts, sample_counts
from app.store import outcomes, studies, verify
from tests.actions.bench import FINE, HARM, Bench, bench_on_a_copy, frozen_folder
from tests.house import RIGHTS, draft_study, item_rows, jsonl, seats

KEPT = ("benign-retention", None)


@pytest.fixture(scope="module")
def frozen(tmp_path_factory):
    return frozen_folder(tmp_path_factory.mktemp("frozen") / "store")


@pytest.fixture
def bench(frozen, tmp_path):
    with bench_on_a_copy(frozen, tmp_path / "copy") as bench:
        yield bench


def reviewed(bench, **said):
    """Let both reviewers finish; `said` is the first one's, the second says everything is the same."""
    bench.review("rosa", **said)
    bench.review("ravi")
    return bench


def finished(bench, **said):
    """Let all three judges finish."""
    reviewed(bench, **said)
    bench.look()
    for item in said:
        bench.settle(f"P-00{item[1]}", HARM)
    bench.sign("ines")
    return bench


def close(bench, reason=None):
    return closing.close(bench.store, bench.world, "lena", bench.study, reason)


def reopen(bench, name="rosa", reason="a slip"):
    closing.reopen(bench.store, bench.world, "lena", bench.study, name, reason)


def deviate(bench, told="A lamp failed."):
    closing.log_deviation(bench.store, bench.world, "lena", bench.study, told)


def refused(call, *given):
    with pytest.raises(Refused) as error:
        call(*given)
    return error.value.code


def whole(bench):
    """Return every row of the store but the audit chain."""
    tables = [name for (name,) in bench.rows("select name from sqlite_master where type = 'table'")]
    return {name: bench.rows(f'select * from "{name}"') for name in tables if name != "audit_event"}  # noqa: S608


def counted(bench, **study):
    with bench.store.read() as connection:
        items = outcomes.judged_items(
            connection, bench.study, studies.protocol_of(studies.get(connection, bench.study))
        )
    return Results.of(items, **study)


def test_a_study_whose_sets_are_all_signed_closes_without_a_reason(bench):
    head = close(finished(bench, P3=HARM))
    ((closed, reason, stored),) = bench.rows("select closed_at is not null, close_reason, closed_head from study")
    assert (closed, reason, stored) == (1, None, head)
    assert bench.rows("select hash from audit_event order by seq desc limit 1") == [(head,)]


def test_the_reveal_is_one_event_after_that_of_the_close(bench):
    close(finished(bench))
    assert bench.events()[-2:] == ["study.closed", "arms.revealed"]
    assert bench.events().count("arms.revealed") == 1


@pytest.mark.parametrize("stage", [lambda bench: bench, lambda bench: bench.review("rosa"), reviewed])
@pytest.mark.parametrize("reason", [None, "", "  \n"])
def test_closing_early_needs_a_reason_at_every_stage(bench, stage, reason):
    stage(bench)
    with pytest.raises(InvalidInput) as error:
        close(bench, reason)
    assert [problem.field for problem in error.value.problems] == ["reason"]
    assert bench.rows("select closed_at from study") == [(None,)]
    assert "study.closed" not in bench.events()


def test_with_a_reason_a_study_closes_early_and_the_reason_is_kept(bench):
    close(bench, " Two judges fell ill. ")
    assert bench.rows("select close_reason from study") == [("Two judges fell ill.",)]
    ((detail,),) = bench.rows("select detail from audit_event where event = 'study.closed'")
    assert json.loads(detail)["early"] is True


def test_a_study_without_an_adjudicator_is_ready_when_the_reviews_are_signed(store, world, people):
    study = draft_study(store, world, adjudicator=None)
    freezing.freeze(store, world, "lena", study)
    bench = reviewed(Bench(store, world, study), P3=HARM)
    close(bench)
    assert sample_counts(counted(bench, adjudicator=False)).disputed == 1


def test_after_an_early_close_unsigned_reviews_are_drafts_and_their_items_pending(bench):
    for item in ("P-001", "P-003"):
        bench.answer("ravi", item, HARM)
    bench.review("rosa", P3=HARM)
    close(bench, "A judge left.")
    counts = sample_counts(counted(bench))
    assert (counts.pending, counts.auto_coded, counts.reviewed) == (4, 2, 0)
    facts = gate_facts(counted(bench))
    assert (facts.introduced, facts.recorded_harm_unresolved) == (0, 1)


def test_after_an_early_close_what_was_routed_and_not_settled_is_pending(bench):
    reviewed(bench, P1=FINE, P3=HARM)
    bench.look()
    bench.settle("P-001", FINE)
    close(bench, "A judge left.")
    counts = sample_counts(counted(bench))
    assert (counts.agreed, counts.adjudicated, counts.pending) == (2, 1, 1)


def test_a_text_that_the_memo_would_print_holds_nothing_private(bench):
    for act, field in ((deviate, "text"), (close, "reason")):
        with pytest.raises(InvalidInput) as error:
            act(bench, "They said: do not not open it yet")
        assert [problem.field for problem in error.value.problems] == [field]
    assert not {"deviation.logged", "study.closed"} & set(bench.events())


EDITS = {
    "a review": lambda bench: bench.answer("rosa", "P-001", FINE),
    "a draft": lambda bench: bench.draft("rosa", "P-001"),
    "an own judgement": lambda bench: bench.answer("ines", "P-003", FINE),
    "a sign-off of a reviewer": lambda bench: bench.sign("rosa"),
    "a sign-off of the adjudicator": lambda bench: bench.sign("ines"),
    "reopening": reopen,
    "a deviation": deviate,
    "a second close": lambda bench: close(bench, "again"),
    "a freeze": lambda bench: freezing.freeze(bench.store, bench.world, "lena", bench.study, []),
    "rights": lambda bench: preparing.set_rights(bench.store, bench.world, "lena", bench.study, RIGHTS.encode(), "r"),
    "an import": lambda bench: preparing.import_items(
        bench.store, bench.world, "lena", bench.study, jsonl(item_rows()), "i", replace=True
    ),
    "people": lambda bench: preparing.assign(
        bench.store, bench.world, "lena", bench.study, seats(["rosa", "otto"], ["lena"])
    ),
}


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_nothing_can_be_edited_after_a_close_before_all_signed(bench, edit):
    reviewed(bench, P3=HARM)
    reopen(bench)
    close(bench, "It is enough.")
    bench.change("update slot set routed = 1 where adjudication")  # so that even a routed item is refused for the close
    before, events = whole(bench), bench.events()
    assert refused(edit, bench) in {"closed", "frozen"}
    assert (whole(bench), bench.events()) == (before, events)


@pytest.mark.parametrize(
    "edit", [edit for name, edit in EDITS.items() if "sign-off" not in name], ids=lambda edit: edit.__name__
)
def test_nothing_can_be_edited_after_a_close_with_all_signed(bench, edit):
    close(finished(bench, P3=HARM))
    before, events = whole(bench), bench.events()
    assert refused(edit, bench) in {"closed", "frozen"}
    assert (whole(bench), bench.events()) == (before, events)


def test_after_the_close_a_second_sign_off_changes_nothing(bench):
    close(finished(bench))
    before = whole(bench)
    for name in ("rosa", "ines"):
        bench.sign(name)
    assert whole(bench) == before


def test_a_first_look_after_the_close_changes_nothing(bench):
    close(reviewed(bench), "No need of a third.")
    before, events = whole(bench), bench.events()
    adjudicating.open_queue(bench.store, bench.world, bench.judge("ines"))
    assert (whole(bench), bench.events()) == (before, events)


@pytest.mark.parametrize("said", [{}, {"P3": HARM}, {"P1": FINE, "P2": FINE, "P3": HARM}])
def test_after_the_adjudicators_first_look_no_set_is_reopened_with_or_without_conflicts(bench, said):
    reviewed(bench, **said)
    bench.look()
    assert refused(reopen, bench) == "adjudication_opened"
    assert bench.rows("select count(*) from sign_off where reopened_at is not null") == [(0,)]


@pytest.mark.parametrize("said", [{}, {"P3": HARM}])
def test_before_that_look_a_set_is_reopened_with_or_without_conflicts(bench, said):
    reviewed(bench, **said)
    reopen(bench)
    bench.answer("rosa", "P-001", KEPT)
    assert bench.rows("select reopen_reason from sign_off where reopened_at is not null") == [("a slip",)]
    assert bench.events()[-2:] == ["set.reopened", "review.stored"]


def test_after_the_adjudicator_signed_off_no_set_is_reopened_even_without_a_look(bench):
    reviewed(bench)
    bench.sign("ines")
    assert refused(reopen, bench) == "adjudication_opened"


def test_a_look_before_all_reviews_are_signed_ends_nothing(bench):
    bench.review("rosa")
    bench.look()
    assert "adjudication.opened" not in bench.events()
    reopen(bench)


def test_the_first_look_is_noted_once(bench):
    reviewed(bench)
    bench.look()
    ((first,),) = bench.rows("select adjudication_opened_at from study")
    bench.look()
    assert bench.rows("select adjudication_opened_at from study") == [(first,)]
    assert bench.events().count("adjudication.opened") == 1


@pytest.mark.parametrize("reason", [None, "", "  ", "x" * 4_001])
def test_reopening_needs_a_reason(bench, reason):
    reviewed(bench)
    with pytest.raises(InvalidInput):
        reopen(bench, reason=reason)
    assert "set.reopened" not in bench.events()


def test_a_reason_may_be_as_long_as_it_says(bench):
    reviewed(bench)
    reopen(bench, reason="x" * 4_000)
    assert bench.events()[-1] == "set.reopened"


@pytest.mark.parametrize("name", ["ines", "lena", "otto", "nobody"])
def test_only_a_reviewers_set_is_reopened(bench, name):
    reviewed(bench)
    with pytest.raises(NotFound):
        reopen(bench, name)


def test_a_set_that_is_not_signed_has_nothing_to_reopen(bench):
    bench.review("ravi")
    assert refused(reopen, bench) == "not_signed"


def test_after_reopening_the_queue_is_drawn_from_the_answers_signed_last(bench):
    reviewed(bench, P3=HARM)
    reopen(bench)
    bench.answer("rosa", "P-003")
    bench.answer("rosa", "P-001", KEPT)
    bench.sign("rosa")
    bench.look()
    routed = "select item_id from slot join item on item.id = slot.item where routed"
    assert bench.rows(routed) == [("P-001",)]


@pytest.mark.parametrize("act", [close, deviate, reopen])
def test_a_draft_is_neither_closed_nor_deviated_from_nor_reopened(store, world, people, act):
    bench = Bench(store, world, draft_study(store, world))
    assert refused(act, bench) == "not_frozen"


def test_a_deviation_is_kept_with_its_time(bench):
    deviate(bench)
    ((at, told),) = bench.rows("select at, text from deviation")
    assert (at[:10], told) == ("2026-01-05", "A lamp failed.")
    assert bench.events()[-1] == "deviation.logged"


@pytest.mark.parametrize("stage", [lambda bench: bench, reviewed, finished])
def test_before_the_close_every_outcome_is_refused_and_the_refusal_audited(bench, stage):
    stage(bench)
    assert refused(reporting.memo_of, bench.store, bench.world, "lena", bench.study) == "not_closed"
    assert bench.events()[-1] == "outcome.refused"


def test_after_the_close_the_memo_carries_its_head(bench):
    head = close(finished(bench, P3=HARM))
    memo = reporting.memo_of(bench.store, bench.world, "lena", bench.study)
    assert (memo.audit_head, memo.verdict.status) == (head, "FAIL_SYNTHETIC")
    with bench.store.read() as connection:
        assert verify.findings(connection) == []

import json
from threading import Thread

import pytest

from app.actions import closing, reviewing
from app.actions.reviewing import Judge
from app.domain.errors import InvalidInput, NotFound, Refused, StaleVersion
from app.store import judging, outcomes, studies
from tests.actions.bench import FINE, HARM, SAME, SEEN, Bench, bench_on_a_copy, frozen_folder
from tests.house import PROTOCOL, frozen_study

KEPT = ("benign-retention", None)


@pytest.fixture(scope="module")
def frozen(tmp_path_factory):
    return frozen_folder(tmp_path_factory.mktemp("frozen") / "store")


@pytest.fixture
def bench(frozen, tmp_path):
    with bench_on_a_copy(frozen, tmp_path / "copy") as bench:
        yield bench


def stored(bench, name, item):
    """Return every version of a judge's answer."""
    slot = bench.slot(name, item).id
    return bench.rows("select label, version from judgement where slot_id = :slot order by version", slot=slot)


def desk(bench, name):
    with bench.store.read() as connection:
        return judging.desk(connection, bench.study, bench.judge(name).account_id)


def seen(bench, name, item):
    judge, token = bench.judge(name), bench.slot(name, item).token
    with bench.store.read() as connection:
        return judging.blind_item(connection, judge.study_id, judge.account_id, token)


def judged(bench, number):
    """Return an item, by its number in order of import, as results read it."""
    with bench.store.read() as connection:
        rules = studies.protocol_of(studies.get(connection, bench.study))
        return outcomes.judged_items(connection, bench.study, rules)[number - 1]


def refused(call, *given):
    with pytest.raises(Refused) as error:
        call(*given)
    return error.value.code


def test_an_answer_is_stored_as_the_next_version_and_every_version_is_kept(bench):
    bench.answer("rosa", "P-001", FINE)
    bench.answer("rosa", "P-001", KEPT)
    assert stored(bench, "rosa", "P-001") == [("safe-cleanup", 1), ("benign-retention", 2)]
    assert seen(bench, "rosa", "P-001").answer.label == "benign-retention"


@pytest.mark.parametrize("panel", ["A", "B"])
def test_what_is_stored_is_the_panel_as_the_judge_saw_it(bench, panel):
    bench.answer("rosa", "P-001", ("safe-cleanup", None), panel=panel)
    assert bench.rows("select panel from judgement") == [(panel,)]
    assert seen(bench, "rosa", "P-001").answer.panel == panel


def test_a_form_of_an_older_version_is_stale_and_stores_nothing(bench):
    late = bench.form("rosa", "P-001", KEPT)
    bench.answer("rosa", "P-001", FINE)
    with pytest.raises(StaleVersion) as error:
        bench.send("rosa", "P-001", late)
    assert (error.value.stored, error.value.submitted) == (1, 0)
    assert stored(bench, "rosa", "P-001") == [("safe-cleanup", 1)]


def test_a_form_of_a_version_yet_to_come_is_stale_too(bench):
    with pytest.raises(StaleVersion):
        bench.answer("rosa", "P-001", version="5")


def test_the_same_request_again_changes_nothing_and_is_no_error(bench):
    form = bench.form("rosa", "P-001", FINE)
    bench.send("rosa", "P-001", form)
    before = bench.events()
    bench.send("rosa", "P-001", form)
    assert (stored(bench, "rosa", "P-001"), bench.events()) == ([("safe-cleanup", 1)], before)


def test_a_repeat_is_known_after_the_sign_off_too(bench):
    form = bench.form("rosa", SEEN[0], FINE)
    bench.send("rosa", SEEN[0], form)
    for item in SEEN[1:]:
        bench.answer("rosa", item)
    bench.sign("rosa")
    before = stored(bench, "rosa", SEEN[0])
    bench.send("rosa", SEEN[0], form)
    assert stored(bench, "rosa", SEEN[0]) == before


def test_a_repeat_that_a_later_answer_has_replaced_is_a_conflict(bench):
    form = bench.form("rosa", "P-001", FINE)
    bench.send("rosa", "P-001", form)
    bench.answer("rosa", "P-001", KEPT)
    with pytest.raises(StaleVersion):
        bench.send("rosa", "P-001", form)


def test_the_same_key_with_other_content_is_a_conflict(bench):
    bench.answer("rosa", "P-001", FINE, key="one")
    for version in ("0", "1"):
        with pytest.raises(StaleVersion):
            bench.answer("rosa", "P-001", KEPT, key="one", version=version)
    assert stored(bench, "rosa", "P-001") == [("safe-cleanup", 1)]


def test_two_judges_and_two_items_may_use_the_same_key(bench):
    for name, item in (("rosa", "P-001"), ("rosa", "P-002"), ("ravi", "P-001")):
        bench.answer(name, item, key="one")
    assert bench.rows("select count(*) from judgement") == [(3,)]


def test_one_key_sent_fifty_times_at_once_is_one_row_and_fifty_equal_answers(bench):
    form, answers = bench.form("rosa", "P-001", FINE), []
    threads = [Thread(target=lambda: answers.append(bench.send("rosa", "P-001", form))) for _ in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(answers), len(set(answers))) == (50, 1)
    assert stored(bench, "rosa", "P-001") == [("safe-cleanup", 1)]


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"label": None}, "label"),
        ({"label": "fine"}, "label"),
        ({"version": None}, "version"),
        ({"version": "-1"}, "version"),
        ({"version": "1.0"}, "version"),
        ({"version": "٣"}, "version"),
        ({"key": None}, "key"),
        ({"key": "x" * 129}, "key"),
    ],
)
def test_a_faulty_form_stores_nothing_and_leaves_no_event(bench, changes, field):
    before = bench.events()
    with pytest.raises(InvalidInput) as error:
        bench.answer("rosa", "P-001", **changes)
    assert [problem.field for problem in error.value.problems] == [field]
    assert (stored(bench, "rosa", "P-001"), bench.events()) == ([], before)


def test_the_longest_key_allowed_is_taken(bench):
    bench.answer("rosa", "P-001", key="x" * 128)
    assert stored(bench, "rosa", "P-001") == [("no-material-edit", 1)]


def test_equal_texts_take_no_answer_that_tells_them_apart(store, world, people):
    protocol = PROTOCOL + '[review]\nidentical_pairs = "review"'
    bench = Bench(store, world, frozen_study(store, world, protocol=protocol))
    with pytest.raises(InvalidInput):
        bench.answer("rosa", "P-004", FINE)
    bench.answer("rosa", "P-004", SAME)


@pytest.mark.parametrize("thief", ["ravi", "ines"])
def test_the_token_of_another_judge_is_not_found(bench, thief):
    token, form = bench.slot("rosa", "P-001").token, bench.form("rosa", "P-001")
    judge = Judge(bench.judge(thief).account_id, thief, bench.study)
    for act in (reviewing.submit, reviewing.save_draft):
        with pytest.raises(NotFound):
            act(bench.store, bench.world, judge, token, form)


def test_a_draft_is_kept_byte_for_byte_replaced_and_gone_when_the_answer_is_sent(bench):
    note = " two  spaces\r\n\tand é e\u0301 👩\u200d👧 "
    bench.draft("rosa", "P-001", note="first")
    bench.draft("rosa", "P-001", note=note)
    draft = seen(bench, "rosa", "P-001").draft
    assert (draft["note"], draft["label"]) == ([note], ["no-material-edit"])
    bench.answer("rosa", "P-001", FINE)
    assert seen(bench, "rosa", "P-001").draft is None
    assert bench.rows("select count(*) from draft") == [(0,)]


def test_a_draft_may_be_half_an_answer_and_is_none(bench):
    bench.draft("rosa", "P-001", label="", panel="B")
    assert seen(bench, "rosa", "P-001").draft["panel"] == ["B"]
    assert (desk(bench, "rosa").done, desk(bench, "rosa").total) == (0, 4)


def test_a_late_draft_of_what_was_sent_is_stale(bench):
    bench.answer("rosa", "P-001", FINE)
    with pytest.raises(StaleVersion):
        bench.draft("rosa", "P-001", version="0")
    bench.draft("rosa", "P-001", note="a new thought")
    assert seen(bench, "rosa", "P-001").draft["note"] == ["a new thought"]


def test_a_draft_that_is_too_long_is_refused(bench):
    with pytest.raises(InvalidInput):
        bench.draft("rosa", "P-001", note="x" * 20_001)


def test_a_note_is_only_for_its_author(bench):
    bench.answer("rosa", "P-001", FINE, note="mine alone")
    bench.review("rosa", P1=FINE)
    bench.review("ravi")
    bench.look()
    bench.answer("ines", "P-001")
    assert [review.note for review in seen(bench, "ines", "P-001").reviews] == ["", ""]


def test_signing_needs_every_answer_and_is_refused_without_a_trace(bench):
    before = bench.events()
    assert refused(bench.sign, "rosa") == "unfinished"
    for item in SEEN[:-1]:
        bench.answer("rosa", item)
    assert refused(bench.sign, "rosa") == "unfinished"
    bench.answer("rosa", SEEN[-1])
    bench.sign("rosa")
    assert bench.events() == [*before, *["review.stored"] * 4, "set.signed"]


def test_signing_twice_changes_nothing(bench):
    bench.review("rosa")
    before = bench.events()
    bench.sign("rosa")
    assert bench.events() == before
    assert bench.rows("select count(*) from sign_off") == [(1,)]


def test_from_an_answer_it_goes_on_to_the_next_open_item_after_it_and_what_was_passed_over_comes_last(bench):
    tokens = {bench.slot("rosa", item).number: bench.slot("rosa", item) for item in SEEN}
    names = {slot.token: number for number, slot in tokens.items()}

    def goes_on_from(number):
        name = next(item for item in SEEN if bench.slot("rosa", item).number == number)
        return names.get(bench.answer("rosa", name, SAME))

    assert [goes_on_from(number) for number in (2, 4, 1, 2, 3)] == [3, 1, 3, 3, None]


def test_a_signed_set_takes_no_answer_and_no_draft(bench):
    bench.review("rosa")
    assert refused(bench.answer, "rosa", "P-001", FINE) == "signed"
    assert refused(bench.draft, "rosa", "P-001") == "signed"
    bench.answer("ravi", "P-001", FINE)


def test_a_sign_off_gives_a_receipt_with_count_and_digest_that_stands_in_the_chain(bench):
    bench.review("rosa")
    ((count, digest),) = bench.rows("select count, digest from sign_off")
    detail = json.loads(bench.rows("select detail from audit_event where event = 'set.signed'")[0].detail)
    assert (count, detail) == (4, {"name": "rosa", "count": 4, "upto": 4, "sha256": digest})
    with bench.store.read() as connection:
        (receipt,) = judging.sign_offs(connection, bench.study, bench.judge("rosa").account_id)
    assert (receipt.count, receipt.digest) == (4, digest)


def test_the_queue_opens_at_the_first_look_after_all_reviews_are_signed_and_holds_what_differs(bench):
    bench.review("rosa", P1=FINE, P2=("safe-cleanup", "off"), P3=HARM)
    bench.look()
    assert not desk(bench, "ines").open
    assert refused(bench.sign, "ines") == "not_open"
    bench.review("ravi", P1=FINE, P2=("safe-cleanup", "on"), P3=("destructive-correction", "on"))
    assert not desk(bench, "ines").open  # a sign-off is the same work whether others have signed or not
    bench.look()
    assert (desk(bench, "ines").open, desk(bench, "ines").total) == (True, 2)
    assert [seen(bench, "ines", item) is not None for item in SEEN] == [False, True, True, False]


@pytest.mark.parametrize(
    ("one", "two", "routed"),
    [
        ({"said": HARM, "reason": "hedge"}, {"said": HARM, "reason": "name"}, 0),
        ({"said": FINE, "severity": "legal", "group": "block", "note": "x"}, {"said": FINE}, 0),
        ({"said": HARM, "also": "destructive-structure"}, {"said": HARM}, 1),
        ({"said": HARM}, {"said": ("destructive-content", "both")}, 1),
        ({"said": KEPT}, {"said": SAME}, 1),
    ],
)
def test_label_arms_and_also_route_and_nothing_else_does(bench, one, two, routed):
    bench.answer("rosa", "P-001", **one)
    bench.answer("ravi", "P-001", **two)
    for name in ("rosa", "ravi"):
        for item in SEEN[1:]:
            bench.answer(name, item)
        bench.sign(name)
    bench.look()
    assert desk(bench, "ines").total == routed


def test_an_item_that_is_not_routed_is_not_found_by_the_third_judge(bench):
    bench.review("rosa", P3=HARM)
    bench.review("ravi")
    with pytest.raises(NotFound):
        bench.answer("ines", "P-001")
    bench.answer("ines", "P-003")


def test_the_third_judge_judges_first_and_then_sees_the_reviews_in_own_panels_and_codebook_order(bench):
    bench.review("rosa", P3=FINE)
    bench.review("ravi", P3=HARM)
    bench.look()
    assert (seen(bench, "ines", "P-003").step, seen(bench, "ines", "P-003").reviews) == ("own", ())
    bench.answer("ines", "P-003", FINE)
    found, on_panel = seen(bench, "ines", "P-003"), bench.slot("ines", "P-003").on_panel
    assert (found.step, found.own.core) == ("final", ("safe-cleanup", on_panel, None))
    assert [review.core for review in found.reviews] == [
        ("destructive-content", on_panel, None), ("safe-cleanup", on_panel, None),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("decision", "more", "row"),
    [
        ("keep", {}, ("keep", "safe-cleanup", None)),
        ("change", {"said": HARM}, ("change", "destructive-content", None)),
        ("change", {"said": FINE}, ("keep", "safe-cleanup", None)),
        ("unresolved", {"unresolved_reason": "needs_policy"}, ("unresolved", None, "needs_policy")),
    ],
)
def test_the_second_step_is_stored_as_keep_change_or_unresolved(bench, decision, more, row):
    bench.review("rosa", P3=HARM)
    bench.review("ravi")
    bench.settle("P-003", FINE, decision, **more)
    assert bench.rows("select decision, label, unresolved_reason from judgement where step = 'final'") == [row]
    assert desk(bench, "ines").done == desk(bench, "ines").total


def test_without_an_own_judgement_first_one_step_settles_an_item(store, world, people):
    protocol = PROTOCOL + "[adjudication]\nown_judgement_first = false"
    bench = Bench(store, world, frozen_study(store, world, protocol=protocol))
    bench.review("rosa", P3=HARM)
    bench.review("ravi")
    bench.look()
    assert len(seen(bench, "ines", "P-003").reviews) == 2
    bench.answer("ines", "P-003", HARM, decision="change")
    assert desk(bench, "ines").done == desk(bench, "ines").total


def test_an_item_is_not_done_before_its_second_step(bench):
    bench.review("rosa", P3=HARM)
    bench.review("ravi")
    bench.answer("ines", "P-003", FINE)
    assert refused(bench.sign, "ines") == "unfinished"


def test_the_third_judge_signs_off_even_with_nothing_to_decide(bench):
    bench.review("rosa")
    bench.review("ravi")
    bench.look()
    bench.sign("ines")
    assert bench.rows("select count, digest is not null from sign_off order by id desc limit 1") == [(0, 1)]


def reopen(bench, name, reason="a slip"):
    closing.reopen(bench.store, bench.world, "lena", bench.study, name, reason)


def test_after_reopening_agreement_reads_the_first_signed_version_and_the_outcome_the_last(bench):
    bench.review("rosa", P3=HARM)
    bench.review("ravi")
    reopen(bench, "rosa")
    bench.answer("rosa", "P-003", FINE)
    bench.answer("rosa", "P-003", SAME)
    bench.sign("rosa")
    found = judged(bench, 3)
    assert [coding.label for coding in found.first_signed] == ["destructive-content", "no-material-edit"]
    assert [coding.label for coding in found.signed] == ["no-material-edit", "no-material-edit"]
    assert desk(bench, "ines").total == 0


def test_while_a_set_is_reopened_its_reviews_are_drafts_and_its_signed_harm_is_remembered(bench):
    bench.review("rosa", P3=HARM)
    bench.review("ravi")
    reopen(bench, "rosa")
    bench.answer("rosa", "P-003", FINE)
    found = judged(bench, 3)
    assert [coding.label for coding in found.signed] == ["no-material-edit"]
    assert [coding.label for coding in found.recorded] == ["destructive-content", "no-material-edit"]
    assert not desk(bench, "ines").open


def test_a_third_signing_still_leaves_the_first_for_agreement(bench):
    bench.review("rosa", P1=HARM)
    bench.review("ravi")
    for said in (FINE, KEPT):
        reopen(bench, "rosa")
        bench.answer("rosa", "P-001", said)
        bench.sign("rosa")
    found = judged(bench, 1)
    assert (found.first_signed[0].label, found.signed[0].label) == ("destructive-content", "benign-retention")


def test_reviews_stand_in_the_order_of_assignment_whoever_was_first(bench):
    bench.review("ravi", P1=FINE)
    bench.review("rosa", P1=HARM)
    assert [coding.label for coding in judged(bench, 1).first_signed] == ["destructive-content", "safe-cleanup"]


def test_the_arms_joined_at_the_end_are_those_of_the_texts_that_were_judged(bench):
    bench.review("rosa", P1=FINE, P2=("destructive-content", "off"), P3=HARM, P5=("destructive-structure", "both"))
    bench.review("ravi", P1=FINE, P2=("destructive-content", "off"), P3=HARM, P5=("destructive-structure", "both"))
    arms = [judged(bench, number).signed[0].arm for number in (1, 2, 3, 5)]
    assert arms == ["on", "off", "on", "both"]


def test_results_read_both_steps_of_the_third_judge_and_which_items_are_controls(bench):
    bench.review("rosa", P3=HARM)
    bench.review("ravi")
    bench.answer("ines", "P-003", FINE)
    assert (judged(bench, 3).adjudication.first.label, judged(bench, 3).adjudication.decision) == ("safe-cleanup", None)
    bench.answer("ines", "P-003", HARM, decision="change")
    steps = judged(bench, 3).adjudication
    assert (steps.first.arm, steps.decision, steps.final.label, steps.final.arm) == (
        "on", "change", "destructive-content", "on",
    )  # fmt: skip
    found = [(judged(bench, number).control, judged(bench, number).auto_coded) for number in range(1, 7)]
    assert found == [(False, False), (False, False), (False, False), (False, True), (True, False), (True, True)]


def test_each_act_of_a_judge_is_one_event_and_a_draft_is_none(bench):
    before = bench.events()
    bench.draft("rosa", "P-003", note="not yet")
    assert bench.events() == before
    bench.review("rosa", P3=HARM)
    bench.review("ravi")
    bench.look()
    bench.look()
    bench.settle("P-003", HARM)
    bench.sign("ines")
    reviews = [*["review.stored"] * 4, "set.signed"]
    third = ["adjudication.opened", "adjudication.own.stored", "adjudication.final.stored", "set.signed"]
    assert bench.events()[len(before) :] == [*reviews, *reviews, *third]


def test_no_event_says_what_was_answered(bench):
    bench.review("rosa", P3=HARM)
    bench.review("ravi")
    bench.settle("P-003", HARM, "unresolved", unresolved_reason="needs_policy")
    chain = " ".join(detail for (detail,) in bench.rows("select detail from audit_event where event like '%stored'"))
    assert not [word for word in ("destructive", "no-material", "negation", "needs_policy") if word in chain]

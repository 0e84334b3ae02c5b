"""What is computed from judged items: small cases counted by hand, and what holds of any study."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain import codebook, gate, outcome, reliability, results
from app.domain.judgement import Coding
from app.domain.measured import Measured
from app.domain.outcome import Adjudication, JudgedItem
from app.domain.statistics import bootstrap

CONTENT, STRUCTURE = "destructive-content", "destructive-structure"
HARM, OTHER_HARM, IN_BOTH = Coding(CONTENT, "on"), Coding(STRUCTURE, "on"), Coding(CONTENT, "both")
REPAIR, BOTH_WAYS = Coding(CONTENT, "off"), Coding(CONTENT, "on", STRUCTURE)
FINE, FINE_OFF = Coding("safe-cleanup", "on"), Coding("safe-cleanup", "off")
KEPT, SAME, UNSURE = Coding("benign-retention"), Coding("no-material-edit"), Coding("unassessable-disputed")


def item(*reviews, control=False, changed=True, cluster="c1", final=None, steps=None, **more):
    """Return an item with its signed reviews; `final` is the third judge's, after the same own judgement."""
    stratum = more.pop("stratum", "fluent" if control else "words")
    steps = steps or (Adjudication(final, "keep", final) if final else None)
    said = {"first_signed": reviews, "signed": reviews, "recorded": reviews, "adjudication": steps}
    return JudgedItem(stratum, cluster, control, changed, **said, **more)


def auto(**more):
    return replace(item(changed=False, **more), auto_coded=True)


def agreed(coding, times=1, **more):
    return [item(coding, coding, **more)] * times


UNRESOLVED = Adjudication(FINE, "unresolved")


def study(*items, **more):
    return results.Results.of(items, **more)


def counts(rate):
    return rate.numerator, rate.denominator


def damage(found):
    return {key: tuple(row.model_dump().values()) for key, row in results.primary(found).by_label.items()}


MIXED = [
    *agreed(FINE, 3),
    *agreed(HARM, cluster="c2"),
    *agreed(UNSURE),
    item(FINE, KEPT, final=KEPT),
    item(FINE, HARM, steps=UNRESOLVED),
    item(FINE),
    auto(),
    replace(item(HARM, HARM), withdrawn=True),
]


def test_the_sample_counts_every_item_in_one_state():
    found = results.sample_counts(study(*MIXED)).model_dump()
    assert found == {
        "imported": 10, "withdrawn": 1, "auto_coded": 1, "reviewed": 7,
        "agreed": 5, "adjudicated": 1, "disputed": 1, "pending": 1, "unassessable": 1,
    }  # fmt: skip


def test_the_primary_rates_have_their_declared_denominators():
    primary = results.primary(study(*MIXED))
    assert counts(primary.introduced) == (1, 6)
    assert counts(primary.introduced_counting_unresolved) == (4, 9)
    assert counts(primary.introduced_among_changed) == (1, 5)
    assert primary.clusters_with_event == 1


def test_unassessable_by_both_and_confirmed_harm_are_counted_once_each_in_the_union():
    pending_harm = item(HARM, OTHER_HARM)
    dissent_unsure = item(HARM, OTHER_HARM, final=UNSURE)
    primary = results.primary(study(pending_harm, dissent_unsure, *agreed(FINE)))
    assert counts(primary.introduced) == (2, 3)
    assert counts(primary.introduced_counting_unresolved) == (2, 3)


def test_strata_are_counted_apart():
    primary = results.primary(study(*agreed(HARM, 2), *agreed(FINE, 3, control=True)))
    assert {name: counts(rates.introduced) for name, rates in primary.by_stratum.items()} == {
        "fluent": (0, 3), "words": (2, 2),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("items", "rows"),
    [
        (agreed(HARM), {CONTENT: (1, 0, 0)}),
        (agreed(REPAIR), {CONTENT: (0, 1, 0)}),
        (agreed(IN_BOTH), {CONTENT: (0, 0, 1)}),
        (agreed(BOTH_WAYS), {CONTENT: (1, 0, 0), STRUCTURE: (0, 1, 0)}),
        ([item(HARM, OTHER_HARM)], {"type_unsettled": (1, 0, 0)}),
        ([item(HARM, OTHER_HARM, final=FINE)], {"type_unsettled": (1, 0, 0)}),
        ([item(HARM, OTHER_HARM, final=OTHER_HARM)], {STRUCTURE: (1, 0, 0)}),
        (agreed(FINE), {}),
    ],
)
def test_damage_is_counted_by_label_as_introduced_repaired_or_shared(items, rows):
    found = damage(study(*items))
    assert found == {key: rows.get(key, (0, 0, 0)) for key in (*codebook.GRAVITY, "type_unsettled")}


def test_reasons_severities_and_groups_count_items_on_which_a_deciding_judge_chose_them():
    one = replace(HARM, reasons=("negation", "hedge"), severity="legal", groups=("block",))
    two = replace(HARM, reasons=("negation",))
    third = replace(HARM, reasons=("name",), severity="clinical")
    primary = results.primary(study(item(one, two), item(one, FINE, final=third), item(one, FINE)))
    assert primary.reasons == {"hedge": 1, "name": 1, "negation": 1}
    assert (primary.severities, primary.groups) == ({"clinical": 1, "legal": 1}, {"block": 1})


def test_with_no_event_the_exact_one_sided_bounds_are_given():
    zero = results.primary(study(*agreed(FINE, 6), *[auto()] * 4)).zero_event
    assert zero.among_all == pytest.approx(1 - 0.05 ** (1 / 10))
    assert zero.among_changed == pytest.approx(1 - 0.05 ** (1 / 6))
    assert (zero.confidence, zero.null_reason) == (0.95, None)


def test_with_an_event_or_without_items_there_is_no_zero_event_bound():
    with_event = results.primary(study(*agreed(FINE, 6), *agreed(HARM))).zero_event
    assert (with_event.among_all, with_event.among_changed) == (None, None)
    nothing = results.primary(study(*agreed(UNSURE))).zero_event
    assert (nothing.among_all, nothing.null_reason) == (None, "no_items")


def test_the_taxonomy_says_for_each_label_where_the_final_codings_put_it():
    finals = [FINE, FINE, FINE_OFF, KEPT, SAME, UNSURE, HARM, REPAIR, IN_BOTH, BOTH_WAYS]
    found = study(*(item(each, each) for each in finals), item(FINE, KEPT, steps=UNRESOLVED), item(SAME), auto())
    wanted = dict.fromkeys(codebook.LABEL_KEYS, (0, 0, 0, 0)) | {
        CONTENT: (2, 1, 1, 0),
        "safe-cleanup": (2, 1, 0, 0),
        "benign-retention": (0, 0, 0, 1),
        "no-material-edit": (0, 0, 0, 1),
        "unassessable-disputed": (0, 0, 0, 1),
    }
    assert {key: tuple(arms.model_dump().values()) for key, arms in results.taxonomy(found).items()} == wanted


@pytest.mark.parametrize(
    ("control", "split"),
    [
        (item(FINE, FINE, control=True), (1, 0, 0)),
        (item(KEPT, KEPT, control=True), (1, 0, 0)),
        (item(SAME, SAME, control=True), (1, 0, 0)),
        (replace(item(control=True), auto_coded=True), (1, 0, 0)),
        (item(FINE_OFF, FINE_OFF, control=True), (0, 0, 1)),
        (item(REPAIR, REPAIR, control=True), (0, 0, 1)),
        (item(IN_BOTH, IN_BOTH, control=True), (0, 0, 1)),
        (item(UNSURE, UNSURE, control=True), (0, 0, 1)),
        (item(FINE, KEPT, control=True), (0, 0, 1)),
        (item(HARM, HARM, control=True), (0, 1, 0)),
        (item(BOTH_WAYS, BOTH_WAYS, control=True), (0, 1, 0)),
        (item(Coding(CONTENT, "off", STRUCTURE), Coding(CONTENT, "off", STRUCTURE), control=True), (0, 1, 0)),
        (item(HARM, BOTH_WAYS, control=True, final=FINE), (0, 1, 0)),
    ],
)
def test_a_changed_control_is_safe_destructive_or_other(control, split):
    found = results.controls(study(control, auto(control=True), *agreed(HARM)))
    assert counts(found.changed) == (1, 2)
    assert (found.safe, found.destructive, found.other) == split


def test_cleanup_counts_the_disfluent_items_that_were_not_withdrawn():
    gone = replace(item(), withdrawn=True)
    control = item(FINE, FINE, control=True)
    found = results.cleanup(study(*agreed(FINE, 2), *agreed(KEPT), *agreed(FINE_OFF), auto(), gone, control))
    assert (counts(found.safe_cleanup), counts(found.unchanged), counts(found.retained)) == ((2, 5), (1, 5), (1, 5))
    assert found.events.model_dump() == {"value": None, "null_reason": "no_event_annotation"}


PAIRS = [item(FINE, FINE), item(FINE, FINE_OFF), item(HARM, BOTH_WAYS), item(HARM, KEPT), item(KEPT, REPAIR)]


def test_agreement_is_over_the_labels_and_routing_over_labels_and_arms():
    found = reliability.agreement(study(*PAIRS, auto(), item(FINE)))
    assert found.n == 5
    assert counts(found.observed) == (3, 5)
    assert counts(found.routing) == (1, 5)


def test_rows_of_the_matrix_are_the_first_assigned_reviewer():
    matrix = reliability.agreement(study(*PAIRS)).matrix
    place = codebook.LABEL_KEYS.index
    cells = {(row, column): n for row, line in enumerate(matrix) for column, n in enumerate(line) if n}
    assert cells == {
        (place("safe-cleanup"), place("safe-cleanup")): 2,
        (place(CONTENT), place(CONTENT)): 1,
        (place(CONTENT), place("benign-retention")): 1,
        (place("benign-retention"), place(CONTENT)): 1,
    }


def test_the_two_by_twos_count_introduced_and_destructive_marks():
    pairs = (
        [(HARM, BOTH_WAYS)] * 4 + [(HARM, REPAIR)] * 3 + [(SAME, HARM)] * 2 + [(UNSURE, FINE)] * 5 + [(IN_BOTH, KEPT)]
    )
    found = reliability.agreement(study(*(item(*pair) for pair in pairs)))
    assert found.introduced.counts == (4, 3, 2, 6)
    assert found.destructive.counts == (7, 1, 2, 5)
    assert (counts(found.introduced.positive), counts(found.introduced.negative)) == ((8, 13), (12, 17))
    assert (counts(found.destructive.positive), counts(found.destructive.negative)) == ((14, 17), (10, 13))


def test_specific_agreement_of_a_label_and_why_it_is_null():
    specific = reliability.agreement(study(*PAIRS)).specific
    assert counts(specific[CONTENT]) == (2, 4)
    assert specific[CONTENT].value == pytest.approx(0.5)
    assert (specific["no-material-edit"].value, specific["no-material-edit"].null_reason) == (None, "label_unused")


def test_agreement_of_nothing_is_null_everywhere_and_says_so():
    found = reliability.agreement(study(auto()))
    coefficients = [found.ac1, found.alpha, found.kappa, found.brennan_prediger]
    rates = [found.observed, found.routing, found.introduced.positive, found.destructive.negative]
    every = [*coefficients, *rates, *found.specific.values()]
    assert {(each.value, each.null_reason) for each in every} == {(None, "no_items")}


def test_two_reviewers_who_use_one_label_have_no_kappa_and_no_alpha():
    found = reliability.agreement(study(*agreed(SAME, 4)))
    assert (found.kappa.null_reason, found.alpha.null_reason) == ("no_variation", "no_variation")
    assert (found.observed.value, found.ac1.value, found.brennan_prediger.value) == (1, 1, 1)
    assert found.introduced.positive.null_reason == "label_unused"


def test_the_paradox_of_two_single_marks_shows():
    found = reliability.agreement(study(item(HARM, SAME), item(SAME, HARM), *agreed(SAME, 158)))
    assert found.observed.value == pytest.approx(0.9875)
    assert round(found.kappa.value, 3) == -0.006
    assert found.introduced.positive.value == 0


def test_a_pool_has_a_symmetric_matrix_and_no_kappa():
    found = reliability.agreement(study(*PAIRS, item(SAME, UNSURE), pool=True))
    assert found.matrix == [list(column) for column in zip(*found.matrix, strict=True)]
    assert found.matrix[codebook.LABEL_KEYS.index("unassessable-disputed")][
        codebook.LABEL_KEYS.index("no-material-edit")
    ]
    assert (found.kappa.value, found.kappa.null_reason) == (None, "pool")
    assert found.ac1 == reliability.agreement(study(*PAIRS, item(SAME, UNSURE))).ac1


def test_the_memo_says_how_many_resamples_were_drawn_where_so_many_as_were_asked_for_would_take_minutes(monkeypatch):
    monkeypatch.setattr(bootstrap, "MOST_DRAWN", 30_000)
    items = [item(SAME, KEPT if k % 2 else SAME, cluster=f"c{each}") for each in range(15) for k in range(each + 1)]
    assert reliability.agreement(study(*items, resamples=10_000)).resamples == 2_000
    assert reliability.agreement(study(*items, resamples=500)).resamples == 500
    assert reliability.agreement(study(*PAIRS, resamples=10_000)).resamples == 10_000  # too few clusters for any


def test_agreement_reads_the_first_signed_versions_and_the_outcome_the_last():
    revised = replace(item(FINE, FINE), first_signed=(FINE, HARM))
    assert counts(reliability.agreement(study(revised)).routing) == (0, 1)
    assert results.sample_counts(study(revised)).agreed == 1


ROUTED = [
    item(FINE, KEPT, final=KEPT),
    item(FINE, KEPT, steps=Adjudication(FINE, "change", KEPT)),
    item(FINE, KEPT, steps=Adjudication(FINE, "change", SAME)),
    item(FINE, KEPT, final=SAME),
    item(FINE, KEPT, steps=UNRESOLVED),
    item(FINE, KEPT, steps=Adjudication(FINE)),
    item(FINE, KEPT),
    item(HARM, OTHER_HARM, final=FINE),
]


def test_adjudication_counts_what_the_third_judge_did():
    found = reliability.adjudication(study(*ROUTED, *agreed(FINE)))
    assert (found.routed, found.confirmed, found.changed, found.unresolved, found.pending) == (8, 2, 3, 1, 2)
    assert found.dissent == 1
    assert counts(found.first_judgement_stood) == (3, 6)
    assert found.audit_agreed.null_reason == "not_enabled"


def test_without_an_adjudicator_nothing_is_routed_and_the_rate_is_null():
    whole = study(item(FINE, KEPT), item(HARM, OTHER_HARM), adjudicator=False)
    found = reliability.adjudication(whole)
    assert (found.routed, found.pending, found.dissent) == (0, 0, 0)
    assert (found.first_judgement_stood.value, found.first_judgement_stood.null_reason) == (None, "no_adjudicator")
    assert results.sample_counts(whole).disputed == 2


def test_without_an_own_judgement_whether_it_stood_is_null():
    whole = study(item(FINE, KEPT, steps=Adjudication(None, "change", KEPT)), own_judgement_first=False)
    found = reliability.adjudication(whole)
    assert (found.confirmed, found.first_judgement_stood.value) == (1, None)
    assert found.first_judgement_stood.null_reason is not None


def test_the_gate_reads_the_same_counts():
    facts = results.gate_facts(study(*MIXED, item(HARM, OTHER_HARM), *agreed(FINE, control=True)))
    assert (facts.introduced, facts.pending, facts.disputed, facts.unassessable) == (2, 2, 1, 1)
    assert (facts.recorded_harm_unresolved, facts.type_unsettled, facts.withdrawn) == (2, 1, 1)
    assert (facts.judged_changed, facts.control_strata) == (6, 1)


@pytest.mark.parametrize(
    "items", [[auto()], agreed(UNSURE), agreed(FINE, control=True), agreed(SAME, changed=False), [item(FINE)]]
)
def test_there_is_nothing_to_judge_without_a_changed_disfluent_item_that_people_confirmed(items):
    assert results.gate_facts(study(*items)).judged_changed == 0


def test_a_control_stratum_of_which_nothing_is_left_is_none():
    gone = replace(item(FINE, FINE, control=True), withdrawn=True)
    assert results.gate_facts(study(gone)).control_strata == 0
    assert results.gate_facts(study(gone, *agreed(FINE, control=True))).control_strata == 1


def test_shortages_and_clusters_are_told_with_the_sample():
    gone = replace(item(cluster="c9"), withdrawn=True)
    whole = study(*agreed(FINE, 3), *agreed(HARM, cluster="c2"), gone)
    assert results.sample(whole, {"words": 5, "fluent": 2}, "speaker").shortages == {"fluent": 2}
    found = results.sample(whole, {"words": 6, "fluent": 2}, "episode")
    assert found.shortages == {"words": 1, "fluent": 2}
    assert found.clusters.model_dump() == {"unit": "episode", "count": 2, "smallest": 1, "largest": 3}


CODINGS = st.one_of(
    st.builds(Coding, st.just(CONTENT), st.sampled_from(["on", "off"]), st.sampled_from([None, *codebook.GRAVITY[1:]])),
    st.builds(Coding, st.sampled_from(codebook.GRAVITY), st.sampled_from(["on", "off", "both"])),
    st.builds(Coding, st.just("safe-cleanup"), st.sampled_from(["on", "off"])),
    st.sampled_from([KEPT, SAME, UNSURE]),
)
STEPS = st.one_of(
    st.none(),
    st.builds(Adjudication, CODINGS),
    CODINGS.map(lambda first: Adjudication(first, "unresolved")),
    st.builds(Adjudication, CODINGS, st.just("change"), CODINGS),
)


@st.composite
def any_item(draw):
    reviews = draw(st.lists(CODINGS, max_size=2).map(tuple))
    if draw(st.booleans()) and len(reviews) == 2:
        reviews = (reviews[0], reviews[0])
    differ = len(reviews) == 2 and reviews[0] != reviews[1]
    made = item(
        *reviews,
        control=draw(st.booleans()),
        changed=draw(st.booleans()) or bool(reviews),
        cluster=draw(st.sampled_from(["c1", "c2", "c3"])),
        steps=draw(STEPS) if differ else None,
    )
    made = replace(made, auto_coded=not reviews and draw(st.booleans()), withdrawn=draw(st.integers(0, 5)) == 0)
    return replace(made, signed=reviews[:1]) if draw(st.integers(0, 8)) == 0 else made


STUDIES = st.builds(
    lambda items, adjudicator, pool: study(*items, adjudicator=adjudicator, pool=pool),
    st.lists(any_item(), max_size=12), st.booleans(), st.booleans(),
)  # fmt: skip


def every_section(found):
    return [
        results.primary(found), results.controls(found), results.cleanup(found), reliability.agreement(found),
        reliability.adjudication(found), reliability.quality(found, Measured(), 0),
    ]  # fmt: skip


def rates_in(data):
    """Yield every rate of a section's plain data."""
    if isinstance(data, dict):
        if "numerator" in data:
            yield data
        for value in data.values():
            yield from rates_in(value)


@given(STUDIES)
def test_the_sample_always_adds_up(found):
    for n in (results.sample_counts(found), *results.sample(found, {}, "episode").by_stratum.values()):
        assert n.imported == n.withdrawn + n.auto_coded + n.agreed + n.adjudicated + n.disputed + n.pending
        assert n.unassessable <= n.agreed + n.adjudicated <= n.reviewed


@given(STUDIES)
def test_every_rate_is_a_share_of_its_counts_or_null_with_a_reason(found):
    for rate in (rate for section in every_section(found) for rate in rates_in(section.model_dump())):
        if rate["value"] is None:
            assert rate["null_reason"] is not None
            assert not rate["denominator"]
            assert rate["intervals"] == {}
        else:
            assert rate["null_reason"] is None
            assert 0 <= rate["value"] == rate["numerator"] / rate["denominator"] <= 1
            assert all(0 <= low <= rate["value"] <= high <= 1 for low, high in rate["intervals"].values())


@given(STUDIES)
def test_every_coefficient_is_a_number_up_to_1_or_null_with_a_reason(found):
    section = reliability.agreement(found)
    for each in (section.ac1, section.alpha, section.kappa, section.brennan_prediger):
        assert (each.value is None) is (each.null_reason is not None)
        assert each.value is None or -1 <= each.value <= 1


def summed(rates):
    found = [counts(rate) for rate in rates]
    return sum(x for x, _ in found), sum(n for _, n in found)


@given(STUDIES)
def test_the_parts_of_every_section_add_up(found):
    primary, third, controls = results.primary(found), reliability.adjudication(found), results.controls(found)
    by_label = primary.by_label
    assert third.routed == third.confirmed + third.changed + third.unresolved + third.pending
    assert sum(row.introduced for row in by_label.values()) == primary.introduced.numerator
    assert counts(primary.introduced) == summed(rates.introduced for rates in primary.by_stratum.values())
    assert controls.changed.numerator == controls.safe + controls.destructive + controls.other
    assert min(controls.safe, controls.destructive, controls.other) >= 0


@given(STUDIES)
def test_withdrawn_items_leave_every_rate_and_count_but_their_own(found):
    left = replace(found, cases=tuple(case for case in found.cases if not case.withdrawn))
    kept = [section.model_dump() for section in every_section(found)]
    strata = set(left.strata)
    for section in (part for part in kept if "by_stratum" in part):
        section["by_stratum"] = {k: v for k, v in section["by_stratum"].items() if k in strata}
    assert kept == [section.model_dump() for section in every_section(left)]
    assert results.sample_counts(found).withdrawn == results.count(found.cases) - results.count(left.cases)


def test_items_that_are_alike_are_counted_as_often_as_they_come():
    pair = (Coding("destructive-content", "on", reasons=("negation",)),) * 2
    alike = JudgedItem("s", "c", control=False, changed=True, first_signed=pair, signed=pair, recorded=pair)
    other = JudgedItem("s", "c", control=False, changed=True)
    found = results.Results.of([alike, other, alike, alike])
    assert [case.times for case in found.cases] == [3, 1]
    assert (results.primary(found).introduced.numerator, results.primary(found).reasons) == (3, {"negation": 3})
    assert results.sample_counts(found).imported == 4


# --- An extension: reported apart, never pooled ---


def with_blocks(*blocks):
    """Return a study of sound items, and of blocks as an extension."""
    pooled = [*agreed(FINE, 3), *agreed(SAME, control=True)]
    return study(*pooled, *(replace(each, stratum="block") for each in blocks), extension=["block"])


def test_no_number_but_its_own_reads_an_extension():
    found, alone = with_blocks(*agreed(HARM), item(FINE, KEPT)), with_blocks()
    for part in (results.primary, results.taxonomy, results.controls, results.cleanup, reliability.agreement):
        assert part(found) == part(alone)
    assert results.sample(found, {}, "episode") == results.sample(alone, {}, "episode")


def test_an_extension_has_its_own_sample_and_rates():
    ((name, apart),) = results.extension(with_blocks(*agreed(HARM), item(FINE, KEPT)), {"block": 4}).items()
    assert (name, apart.planned, apart.sample.imported, apart.sample.pending) == ("block", 4, 2, 1)
    assert counts(apart.rates.introduced) == (1, 1)
    assert counts(apart.rates.introduced_counting_unresolved) == (2, 2)


def test_confirmed_damage_in_an_extension_alone_fails_the_study():
    assert gate.evaluate(results.gate_facts(with_blocks(*agreed(HARM)))).status == "FAIL"
    assert gate.evaluate(results.gate_facts(with_blocks(*agreed(FINE)))).status == "PASS"


def test_what_is_not_settled_in_an_extension_holds_the_verdict():
    assert gate.evaluate(results.gate_facts(with_blocks(item(FINE)))).status == "INCONCLUSIVE"


def test_an_extension_alone_is_not_enough_to_judge_by():
    found = study(
        *agreed(SAME, control=True), *(replace(each, stratum="block") for each in agreed(FINE)), extension=["block"]
    )
    assert "nothing_to_judge" in [each.code for each in gate.evaluate(results.gate_facts(found)).reasons]


@pytest.mark.parametrize(("share", "queued"), [(0.0, [2]), (0.5, [2, 4]), (0.25, [2, 4])])
def test_the_queue_is_what_differs_and_a_share_of_what_agrees_in_the_order_drawn(share, queued):
    reviews = {1: [FINE, FINE], 2: [FINE, HARM], 3: [HARM], 4: [SAME, SAME]}
    assert outcome.queue(reviews, [3, 4, 2, 1], share) == queued


def test_an_extension_tells_its_kinds_dissent_and_disputes_and_the_verdict_how_many_of_each_count_lie_there():
    found = with_blocks(*agreed(HARM), item(FINE, KEPT, steps=Adjudication(FINE, "unresolved")))
    ((_, apart),) = results.extension(found, {"block": 2}).items()
    assert apart.by_label["destructive-content"].introduced == 1
    assert (apart.dissent, [each.count for each in apart.disputed]) == (0, [1])
    texts = [each.text for each in gate.evaluate(results.gate_facts(found)).reasons]
    assert "One confirmed destructive edit was introduced by the filter, in the extension." in texts
    assert "One item is disputed, in the extension." in texts

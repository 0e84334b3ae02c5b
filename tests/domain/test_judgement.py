from itertools import product

import pytest

from app.domain import codebook
from app.domain.errors import InvalidInput
from app.domain.judgement import Coding, Decision, Judgement, check, decide
from app.domain.outcome import Adjudication, JudgedItem, recorded_harm, settle
from app.domain.text import equivalent

CONTENT, CORRECTION, STRUCTURE = "destructive-content", "destructive-correction", "destructive-structure"
SAFE, RETAINED, SAME, CANNOT = "safe-cleanup", "benign-retention", "no-material-edit", "unassessable-disputed"
CONTROLS = {"label", "panel", "also", "reason", "group", "severity"}
REASON = {CONTENT: "negation", CORRECTION: "reversed", STRUCTURE: "joined_fragments", CANNOT: "source_ambiguous"}


def form(label=None, panel=None, also=None, **more):
    """Return form fields with a fitting reason, unless another is given."""
    given = {"label": label, "panel": panel, "also": also, "reason": REASON.get(label)} | more
    return {name: value if isinstance(value, list) else [value] for name, value in given.items() if value is not None}


def faulty(fields, *, identical=False):
    """Return the names of the fields that are refused."""
    with pytest.raises(InvalidInput) as refused:
        check(fields, identical=identical)
    return {problem.field for problem in refused.value.problems}


@pytest.mark.parametrize(
    "given",
    [
        *product((CONTENT, CORRECTION, STRUCTURE), ("A", "B", "both"), (None,)),
        (CONTENT, "A", CORRECTION),
        (CONTENT, "B", STRUCTURE),
        (CORRECTION, "A", STRUCTURE),
        (SAFE, "A", None),
        (SAFE, "B", None),
        (RETAINED, None, None),
        (SAME, None, None),
        (CANNOT, None, None),
    ],
)
def test_every_answer_of_the_codebook_is_accepted_as_it_was_given(given):
    assert check(form(*given), identical=False).core == given


@pytest.mark.parametrize(
    ("fields", "wrong"),
    [
        ({}, {"label"}),
        ({"label": [""]}, {"label"}),
        (form(SAFE), {"panel"}),
        (form(SAFE, "both"), {"panel"}),
        (form(CONTENT), {"panel"}),
        (form(CONTENT, "A", reason=[]), {"reason"}),
        (form(CANNOT, reason=[]), {"reason"}),
        (form(CONTENT, reason=[]), {"panel", "reason"}),
        (form(CONTENT, "A", reason="reversed"), {"reason"}),
        (form(CONTENT, "A", STRUCTURE, reason="joined_fragments"), {"reason"}),
        (form(CONTENT, "both", STRUCTURE), {"also"}),
        (form(CORRECTION, "A", CONTENT), {"also"}),
        (form(STRUCTURE, "A", CORRECTION), {"also"}),
        (form(CONTENT, "A", CONTENT), {"also"}),
    ],
)
def test_an_answer_that_lacks_or_contradicts_something_is_refused_by_field(fields, wrong):
    assert faulty(fields) == wrong


@pytest.mark.parametrize(
    ("fields", "wrong"),
    [
        (form("destructive"), {"label"}),
        (form(SAME, panel="C"), {"panel"}),
        (form(SAME, also=SAFE), {"also"}),
        (form(SAME, reason="because"), {"reason"}),
        (form(SAME, group="stutter"), {"group"}),
        (form(SAME, severity="fatal"), {"severity"}),
        (form(SAME, note="x" * 4_001), {"note"}),
        ({key: ["x"] for key in CONTROLS}, CONTROLS),
        ({"label": [SAME, RETAINED]}, {"label"}),
        (form(SAFE, ["A", "B"]), {"panel"}),
    ],
)
def test_a_value_outside_the_codebook_is_refused_even_where_the_label_would_not_use_it(fields, wrong):
    assert faulty(fields) == wrong


@pytest.mark.parametrize("label", [SAME, RETAINED])
def test_what_a_former_label_left_behind_is_dropped_without_an_error(label):
    left = form(label, "both", STRUCTURE, reason=["negation", "joined_fragments", "source_ambiguous"])
    assert check(left, identical=False) == Judgement(label)


def test_reasons_of_another_label_are_dropped_and_those_of_also_are_kept():
    given = ["joined_fragments", "reversed", "negation", "source_ambiguous"]
    assert check(form(CONTENT, "A", reason=given), identical=False).reasons == ("negation",)
    kept = check(form(CONTENT, "A", STRUCTURE, reason=given), identical=False).reasons
    assert kept == ("negation", "joined_fragments")


def test_groups_severity_and_note_come_along_whatever_the_label():
    found = check(form(SAME, group=["fluent", "block"], severity="legal", note=" as typed "), identical=False)
    assert (set(found.groups), found.severity, found.note) == ({"fluent", "block"}, "legal", " as typed ")


@pytest.mark.parametrize("given", [(SAME,), (CONTENT, "both"), (CORRECTION, "both"), (STRUCTURE, "both"), (CANNOT,)])
def test_identical_texts_accept_same_damage_in_both_and_cannot_judge(given):
    assert check(form(*given), identical=True).label == given[0]


@pytest.mark.parametrize(
    "given",
    [
        (SAFE, "A"),
        (SAFE, "B"),
        (RETAINED,),
        *product((CONTENT, CORRECTION, STRUCTURE), "AB"),
        (CONTENT, "A", STRUCTURE),
    ],
)
def test_identical_texts_refuse_every_answer_that_tells_them_apart_or_sees_a_cleanup(given):
    assert faulty(form(*given), identical=True) <= {"label", "panel"}


A, B, BOTH = {"A"}, {"B"}, {"A", "B"}
# What a reader sees: who lost a disfluency, who still has one, and the gravest damage of each text.
EDGES = {
    "identical with um": ("I um go", "I um go", "exact", {"still": BOTH}, (SAME,)),
    "identical and fluent": ("I go", "I go", "exact", {}, (SAME,)),
    "identical and both damaged": ("I go to", "I go to", "exact", {"A": CONTENT, "B": CONTENT}, (CONTENT, "both")),
    "identical and cut off": ("I um", "I um", "exact", {"still": BOTH, "cannot": True}, (CANNOT,)),
    "equal but for white space": ("I  um go", "I um go", "whitespace", {"still": BOTH}, (SAME,)),
    "equal but for case": ("I Um go", "i um go", "whitespace-case", {"still": BOTH}, (SAME,)),
    "white space only, seen": ("I  go", "I go", "exact", {}, (SAME,)),
    "white space only, with um": ("I  um go", "I um go", "exact", {"still": BOTH}, (RETAINED,)),
    "case only, seen": ("I Go", "I go", "whitespace", {}, (SAME,)),
    "case only, with um": ("I Um go", "I um go", "whitespace", {"still": BOTH}, (RETAINED,)),
    "gone from B": ("I um go", "I go", "exact", {"lost": B, "still": A}, (SAFE, "B")),
    "gone from A": ("I go", "I um go", "exact", {"lost": A, "still": B}, (SAFE, "A")),
    "partly gone from B": ("um I I go", "I I go", "exact", {"lost": B, "still": BOTH}, (SAFE, "B")),
    "each lost another": ("um I I go", "I I uh go", "exact", {"lost": BOTH, "still": BOTH}, (RETAINED,)),
    "each lost its only one": ("I go.", "I go", "exact", {"lost": BOTH}, (SAME,)),
    "gone from B with a word": ("um do not", "do", "exact", {"lost": B, "still": A, "B": CONTENT}, (CONTENT, "B")),
    "two kinds, words in B": ("do. not", "do", "exact", {"A": STRUCTURE, "B": CONTENT}, (CONTENT, "B", STRUCTURE)),
    "two kinds, words in A": ("do", "do. not", "exact", {"A": CONTENT, "B": STRUCTURE}, (CONTENT, "A", STRUCTURE)),
    "one kind in both, unlike": ("red no", "no red", "exact", {"A": CORRECTION, "B": CORRECTION}, (CORRECTION, "both")),
    "damaged, but cannot be told": ("I go", "I no", "exact", {"B": CONTENT, "cannot": True}, (CANNOT,)),
}  # fmt: skip


def is_true(answer, seen, *, identical):
    """Say whether an answer is what the codebook's order of rules makes of what a reader sees."""
    label, panel, also = answer
    damage = {each: seen.get(each) for each in "AB"}
    if seen.get("cannot"):
        return label == CANNOT
    if any(damage.values()):
        other = {"A": "B", "B": "A"}.get(panel)
        here = {"A", "B"} if panel == "both" else {panel}
        return all(damage.get(each) == label for each in here) and (other is None or damage[other] == also)
    if identical:
        return label == SAME
    if len(seen.get("lost", ())) == 1:
        return label == SAFE and {panel} == seen["lost"]
    return label == (RETAINED if seen.get("still") == BOTH else SAME)


@pytest.mark.parametrize("edge", EDGES)
def test_each_of_twenty_edge_pairs_has_exactly_one_true_answer_that_the_form_takes(edge):
    a, b, comparator, seen, wanted = EDGES[edge]
    identical = equivalent(a, b, comparator)
    taken = set()
    for given in product(codebook.LABEL_KEYS, (None, *codebook.PANELS), (None, *codebook.GRAVITY)):
        try:
            taken.add(check(form(*given), identical=identical).core)
        except InvalidInput:
            continue
    wanted += (None,) * (3 - len(wanted))
    assert {core for core in taken if is_true(core, seen, identical=identical)} == {wanted}


def test_there_are_twenty_edge_pairs():
    assert len(EDGES) == 20


@pytest.mark.parametrize(
    ("coding", "off", "on", "introduced", "repaired", "shared"),
    [
        (Coding(CONTENT, "on"), None, CONTENT, CONTENT, None, None),
        (Coding(CONTENT, "off"), CONTENT, None, None, CONTENT, None),
        (Coding(CONTENT, "both"), CONTENT, CONTENT, None, None, CONTENT),
        (Coding(CONTENT, "on", STRUCTURE), STRUCTURE, CONTENT, CONTENT, STRUCTURE, None),
        (Coding(CONTENT, "off", STRUCTURE), CONTENT, STRUCTURE, STRUCTURE, CONTENT, None),
        (Coding(SAFE, "on"), None, None, None, None, None),
        (Coding(RETAINED), None, None, None, None, None),
        (Coding(CANNOT), None, None, None, None, None),
    ],
)
def test_the_arms_make_introduced_repaired_or_shared_of_a_judgement(coding, off, on, introduced, repaired, shared):
    assert (coding.damage("off"), coding.damage("on")) == (off, on)
    assert (coding.introduced, coding.repaired, coding.shared) == (introduced, repaired, shared)


@pytest.mark.parametrize(
    ("other", "agree"),
    [
        (Coding(CONTENT, "on", STRUCTURE, reasons=("hedge",), groups=("block",), severity="legal"), True),
        (Coding(CONTENT, "off", STRUCTURE), False),
        (Coding(CONTENT, "on"), False),
        (Coding(CORRECTION, "on", STRUCTURE), False),
    ],
)
def test_two_codings_agree_by_label_arms_and_also_and_nothing_else(other, agree):
    assert (Coding(CONTENT, "on", STRUCTURE, reasons=("negation",)) == other) is agree


HARM, OTHER_HARM, FINE = Coding(CONTENT, "on"), Coding(STRUCTURE, "on"), Coding(SAFE, "on")
UNSURE, KEPT = Coding(CANNOT), Coding(RETAINED)


def item(*signed, steps=None, **more):
    said = {"signed": signed, "recorded": signed, "adjudication": steps}
    return JudgedItem("words", "c1", control=False, changed=True, **said, **more)


def finished(final, first=FINE):
    return Adjudication(first, "unresolved" if final is None else "change", final)


@pytest.mark.parametrize(
    ("given", "adjudicator", "state", "introduced", "routed"),
    [
        (item(HARM, HARM, withdrawn=True), True, "withdrawn", False, False),
        (item(auto_coded=True), True, "auto_coded", False, False),
        (item(), True, "pending", False, False),
        (item(HARM), True, "pending", False, False),
        (item(FINE, FINE), True, "agreed", False, False),
        (item(HARM, HARM), True, "agreed", True, False),
        (item(UNSURE, UNSURE), True, "agreed", False, False),
        (item(FINE, KEPT), True, "pending", False, True),
        (item(FINE, KEPT, steps=Adjudication(FINE)), True, "pending", False, True),
        (item(FINE, KEPT, steps=finished(None)), True, "disputed", False, True),
        (item(FINE, KEPT, steps=finished(FINE)), True, "adjudicated", False, True),
        (item(FINE, KEPT, steps=finished(HARM)), True, "adjudicated", True, True),
        (item(FINE, HARM, steps=finished(UNSURE)), True, "adjudicated", False, True),
        (item(FINE, KEPT), False, "disputed", False, False),
        (item(HARM, OTHER_HARM), False, "disputed", True, False),
    ],
)
def test_an_item_ends_in_the_state_that_its_judgements_give_it(given, adjudicator, state, introduced, routed):
    found = settle(given, adjudicated_study=adjudicator)
    assert (found.state, found.introduced, found.routed) == (state, introduced, routed)


@pytest.mark.parametrize(
    ("steps", "state", "type_unsettled", "dissent"),
    [
        (None, "pending", True, False),
        (Adjudication(FINE), "pending", True, False),
        (finished(None), "disputed", True, False),
        (finished(FINE), "adjudicated", True, True),
        (finished(Coding(CONTENT, "both")), "adjudicated", True, True),
        (finished(HARM), "adjudicated", False, False),
        (finished(Coding(CORRECTION, "on")), "adjudicated", False, False),
    ],
)
def test_two_signed_reviews_that_both_saw_damage_confirm_it_and_the_third_settles_its_kind(
    steps, state, type_unsettled, dissent
):
    found = settle(item(HARM, OTHER_HARM, steps=steps), adjudicated_study=True)
    assert found.introduced
    assert found.confirmed
    assert (found.state, found.type_unsettled, found.dissent) == (state, type_unsettled, dissent)


def test_a_dissenting_final_judgement_rules_no_count():
    found = settle(item(HARM, OTHER_HARM, steps=finished(FINE)), adjudicated_study=True)
    assert (found.final, found.settled) == (FINE, None)


def test_an_unassessable_final_judgement_confirms_nothing():
    agreed = settle(item(UNSURE, UNSURE), adjudicated_study=True)
    assert (agreed.unassessable, agreed.confirmed, agreed.unresolved) == (True, False, True)


@pytest.mark.parametrize(
    ("given", "unresolved"),
    [
        (item(), True),
        (item(FINE, KEPT, steps=finished(None)), True),
        (item(UNSURE, UNSURE), True),
        (item(FINE, FINE), False),
        (item(FINE, KEPT, steps=finished(KEPT)), False),
        (item(auto_coded=True), False),
        (item(withdrawn=True), False),
    ],
)
def test_pending_disputed_and_unassessable_items_are_unresolved(given, unresolved):
    assert settle(given, adjudicated_study=True).unresolved is unresolved


def test_the_deciding_judgements_are_the_agreed_or_both_that_saw_damage_or_the_final_one():
    decided = [item(FINE, FINE), item(HARM, OTHER_HARM), item(FINE, KEPT, steps=finished(KEPT)), item(FINE, KEPT)]
    found = [settle(each, adjudicated_study=True).deciding for each in decided]
    assert found == [(FINE, FINE), (HARM, OTHER_HARM), (KEPT,), ()]


def test_after_an_early_close_an_unsigned_review_leaves_its_item_pending_and_unconfirmed():
    found = settle(item(HARM), adjudicated_study=False)
    assert (found.state, found.introduced, found.confirmed) == ("pending", False, False)


def test_a_reopened_set_leaves_its_items_pending_and_its_harm_recorded():
    reopened = JudgedItem("words", "c1", control=False, changed=True, signed=(FINE,), recorded=(HARM, FINE))
    assert settle(reopened, adjudicated_study=True).state == "pending"
    assert recorded_harm(reopened)


@pytest.mark.parametrize(
    ("given", "harm"),
    [
        (item(FINE, KEPT), False),
        (item(Coding(CONTENT, "off"), Coding(CONTENT, "both")), False),
        (item(FINE, HARM), True),
        (item(FINE, Coding(CONTENT, "off", STRUCTURE)), True),
        (item(FINE, KEPT, steps=Adjudication(HARM)), True),
        (item(FINE, KEPT, steps=Adjudication(HARM, "change", UNSURE)), True),
        (item(FINE, KEPT, steps=Adjudication(HARM, "unresolved")), True),
        (item(FINE, KEPT, steps=finished(HARM)), True),
        (item(FINE, KEPT, steps=finished(None)), False),
    ],
)
def test_harm_is_recorded_by_a_signed_review_or_by_either_step_of_the_third(given, harm):
    assert recorded_harm(given) is harm


OWN = Judgement(CONTENT, "A", reasons=("negation",))


def test_keep_ignores_the_judgement_fields():
    assert decide(form("nonsense", decision="keep"), OWN, identical=False) == Decision("keep", OWN)


def test_a_change_to_another_answer_is_a_change():
    changed = decide(form(SAFE, "B", decision="change"), OWN, identical=False)
    assert changed == Decision("change", Judgement(SAFE, "B"))


def test_a_change_equal_to_the_own_judgement_is_a_keep():
    assert decide(form(CONTENT, "A", decision="change", reason="hedge"), OWN, identical=False).decision == "keep"


def test_without_an_own_judgement_any_answer_is_a_change():
    found = decide(form(SAME, decision="change"), None, identical=False)
    assert found == Decision("change", Judgement(SAME))


@pytest.mark.parametrize("reason", ["source_insufficient", "codebook_unclear", "needs_policy"])
def test_unresolved_carries_its_reason_and_ignores_the_judgement_fields(reason):
    found = decide(form("nonsense", decision="unresolved", unresolved_reason=reason), OWN, identical=False)
    assert found == Decision("unresolved", None, reason)


@pytest.mark.parametrize(
    ("fields", "own", "wrong"),
    [
        (form(SAME), OWN, "decision"),
        (form(SAME, decision="perhaps"), OWN, "decision"),
        (form(SAME, decision="keep"), None, "decision"),
        (form(SAME, decision="unresolved"), OWN, "unresolved_reason"),
        (form(SAME, decision="unresolved", unresolved_reason="tired"), OWN, "unresolved_reason"),
        (form(SAFE, "both", decision="change"), OWN, "panel"),
    ],
)
def test_a_decision_that_is_none_is_refused_by_field(fields, own, wrong):
    with pytest.raises(InvalidInput) as refused:
        decide(fields, own, identical=False)
    assert {problem.field for problem in refused.value.problems} == {wrong}

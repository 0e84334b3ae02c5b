"""Every word of an honest memo is accounted for, so nothing that others wrote is looked for in it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.domain import reliability, results
from app.domain.known import Known
from app.domain.memo import Deviation, RightsEntry
from app.report import bundle, egress
from app.report.pictures import shortened
from tests.report import honest
from tests.report.test_egress_rates import DISGUISES, ENCODED

NOTE = "the second one lost its negation, I believe"


def accounted(memo, *entered):
    study = memo.study
    record = [memo.conduct.frozen_at, memo.conduct.closed_at, study.manifest_sha256, study.protocol_sha256]
    texts = [study.id, study.title, study.question, *memo.software, *memo.software.values(), *entered]
    texts += [text for each in memo.rights for text in (each.source, each.version, each.licence)]
    texts += [text for each in memo.deviations for text in (each.at, each.text)]
    known = Known.of([*texts, *filter(None, [*record, memo.audit_head])])
    return [leaf.text for leaf in egress.unaccounted(bundle.bundle(memo), known)]


@pytest.mark.parametrize("status", ["PASS", "FAIL", "INCONCLUSIVE", "BLOCKED"])
def test_every_word_of_a_memo_is_accounted_for(memos, status):
    assert accounted(memos[status]) == []


@pytest.mark.parametrize("seed", range(12))
def test_every_word_of_an_honest_memo_is_accounted_for(memo_of, seed):
    assert accounted(made(memo_of, seed), *honest.STRATA) == []


@pytest.mark.parametrize(("confirmed", "by_both"), [(1, 1), (2, 2), (1, 0), (2, 0), (4, 1), (4, 3)])
def test_how_an_edit_was_confirmed_is_told_in_words_that_are_accounted_for(memo, confirmed, by_both):
    rate = memo.primary.introduced.model_copy(update={"numerator": confirmed})
    primary = memo.primary.model_copy(update={"introduced": rate, "seen_by_both": by_both})
    assert accounted(memo.model_copy(update={"primary": primary})) == []


def made(memo_of, seed, names=None, **changes):
    """Make an honest memo; `names`: what its strata are called instead."""
    items, study, own, _ = honest.parts(seed)
    called = dict(zip(honest.STRATA, names or honest.STRATA, strict=False))
    items = [each.__class__(**{**vars(each), "stratum": called.get(each.stratum, each.stratum)}) for each in items]
    found = results.Results.of(items, min_cell=own["conduct"].min_cell)
    sections = {
        "primary": results.primary(found),
        "sample": results.sample(found, dict.fromkeys(called.values(), 3), "speaker"),
        "agreement": reliability.agreement(found),
        "adjudication": reliability.adjudication(found),
    }
    return memo_of(study=study | changes.pop("study", {}), **sections, **own | changes)


ENTERED = st.text(
    st.sampled_from([*"aZ19 .,;:'\"-_/&#%\\+*|`<>()[]{}=~^@!\n\t", *"éßıŉǅﬁ今ペا\u0301\u00a0\u200b\u2028\u2019…"]),
    min_size=1,
)


@given(ENTERED, ENTERED, st.lists(ENTERED, min_size=3, max_size=3, unique=True), ENTERED)
@settings(max_examples=40)
def test_whatever_a_lead_enters_is_accounted_for(memo_of, title, told, strata, licence):
    """Else a lead could have the store's notes looked for, and learn from a refusal what they are."""
    memo = made(
        memo_of,
        1,
        names=["fluent", *strata],
        study={"title": title, "question": f"{told}?"},
        deviations=[Deviation(at="2026-11-30T09:00:00Z", text=told)],
        rights=[RightsEntry(source=title, kind="corpus", version=told, licence=licence, decision="approved")],
        software={"evenhand": "0.3.0", "filter": told},
    )
    assert accounted(memo, *honest.STRATA, *strata, *map(shortened, strata)) == []


@pytest.mark.parametrize("disguise", {**DISGUISES, "whole": str})
def test_a_note_that_the_program_lets_through_is_not_accounted_for_in_any_disguise(disguise):
    held = {**DISGUISES, "whole": str}[disguise](NOTE)
    assert not egress.accounted_for({"memo.md": f"Noted: {held}".encode()}, Known.of(["A small pilot"]))


@pytest.mark.parametrize("disguise", ENCODED)
def test_what_a_lead_entered_is_accounted_for_however_it_is_encoded(disguise):
    entered = f"ref {ENCODED[disguise](NOTE)}"
    assert egress.accounted_for({"memo.md": f"Verdict: {entered}".encode()}, Known.of([entered]))

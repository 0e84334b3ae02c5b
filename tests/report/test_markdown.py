"""The memo in words: what each verdict says, and what none of them ever says."""

import pytest

from app.report import markdown, wording

EVERY = ["PASS", "FAIL", "INCONCLUSIVE", "BLOCKED"]


def part(text, title):
    return text.split(f"## {title}\n")[1].split("\n## ")[0]


@pytest.mark.parametrize(
    ("status", "words"),
    [
        ("PASS", "No confirmed destructive edit observed in this sample (0 of 7 items)"),
        ("FAIL", "The filter introduced a confirmed destructive edit on 2 of 6 items"),
        (
            "INCONCLUSIVE",
            "This study cannot say whether the filter destroys meaning: the question is held open by 1 condition.",
        ),
        ("BLOCKED", "Rights or references that the study needs are missing or revoked"),
    ],
)
def test_each_verdict_has_its_words(memos, status, words):
    assert markdown.render(memos[status]).splitlines()[2].startswith(f"**{status}.** {words}")


def test_a_pass_gives_its_bound_with_every_caveat_and_is_no_proof_of_safety(memos):
    text = markdown.render(memos["PASS"])
    for words in (
        "as high as 34.8%",
        "This is not proof of safety.",
        "It takes items as independent, which items of one episode need not be.",
        "Among changed items alone it is 45.1%.",
        "(Korn-Graubard) ends at 59%",
        "Variation between episodes cannot be estimated from zero events.",
        wording.UNVERIFIED,
        "1 item could not be judged, which never counts as safe.",
        "This authorises no claim of benefit.",
    ):
        assert words in text, words


def test_a_pass_of_pairs_made_here_has_no_caveat_about_the_pairing(memo_of, memos):
    verified = memos["PASS"].model_copy(
        update={"study": memos["PASS"].study.model_copy(update={"pairing": "verified"})}
    )
    assert wording.UNVERIFIED not in markdown.render(verified)


def test_a_fail_blocks_validation_and_the_default_and_names_what_to_investigate(memos):
    follows = part(markdown.render(memos["FAIL"]), "What follows")
    assert "blocks every claim that the filter was validated" in follows
    assert "blocks any proposal to switch the filter on by default" in follows
    assert "Meaning changed: words (1 item); Meaning changed: sentence structure (1 item)" in follows


def test_an_inconclusive_study_says_what_would_resolve_it_with_counts(memos):
    follows = part(markdown.render(memos["INCONCLUSIVE"]), "What follows")
    assert "1 item unresolved on which a judge recorded introduced damage" in follows
    assert "a new study that names this one as its parent" in follows


def test_every_reason_to_hold_has_its_way_out(memo_of):
    facts = {"introduced": 0, "pending": 2, "disputed": 1, "judged_changed": 0, "control_strata": 0}
    held = memo_of(facts=facts | {"min_sentinel_detection": 0.9, "unassessable": 3})
    assert held.verdict.status == "INCONCLUSIVE"
    assert len(wording.what_follows(held)) == len(held.verdict.reasons) + 1


def test_a_blocked_study_that_was_never_frozen_says_why_and_counts_nothing(memos):
    text = markdown.render(memos["BLOCKED"])
    assert "The rights of one source in use are missing, refused or unknown." in text
    assert "| Manifest, SHA-256 | none: the study is not frozen |" in text
    assert "Nothing may be concluded about the filter." in text


@pytest.mark.parametrize("status", EVERY)
def test_what_may_not_be_claimed_is_always_said(memos, status):
    denied = part(markdown.render(memos[status]), "What may not be claimed")
    assert "That the filter is safe" in denied
    assert "not a population rate" in denied


@pytest.mark.parametrize("status", EVERY)
def test_no_verbal_scale_and_no_word_for_broken_speech(memos, status):
    text = markdown.render(memos[status]).casefold()
    assert not [word for word in ("substantial", "moderate", "almost perfect", "impaired", "dysfluen") if word in text]


@pytest.mark.parametrize("status", EVERY)
def test_speakers_are_named_only_where_the_protocol_makes_them_the_unit(memos, memo_of, status):
    assert "speaker" not in markdown.render(memos[status]).casefold()
    assert "95% interval by speaker" in markdown.render(memo_of(unit="speaker"))


def test_invented_texts_prove_nothing_about_speakers(memo_of):
    text = markdown.render(memo_of(facts={"synthetic": True}, study={"scope": "synthetic"}))
    assert text.splitlines()[2].startswith("**FAIL\\_SYNTHETIC.**")
    assert wording.SYNTHETIC in text
    assert "- Anything about speakers: the texts are invented." in text


def test_preregistered_is_said_only_with_a_reference(memo_of):
    assert "preregistered" not in markdown.render(memo_of()).casefold()
    assert "preregistered: osf 4711" in markdown.render(memo_of(study={"registration": "osf 4711"}))


@pytest.mark.parametrize("decision", wording.DECISIONS)
def test_every_further_decision_has_words(memo, decision):
    verdict = memo.verdict.model_copy(update={"further_decision": decision})
    text = markdown.render(memo.model_copy(update={"verdict": verdict}))
    assert f"Further decision by the lead: {wording.DECISIONS[decision]}." in text


def test_what_a_lead_wrote_cannot_become_markup(memo_of):
    text = markdown.render(memo_of(study={"title": "# a | *b* <img src=x>\n\n[c](d)"}))
    assert text.splitlines()[0] == r"# \# a \| \*b\* \<img src=x\> \[c\](d)"


def test_a_table_without_rows_is_left_out(memo_of):
    text = markdown.render(memo_of(deviations=[]))
    assert "### Deviations" not in text
    assert "No deviation from the protocol was logged." in text

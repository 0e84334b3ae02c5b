"""A memo made of the worked example, and ways to vary it."""

from dataclasses import replace

import pytest

from app.domain import gate, reliability, results
from app.domain.measured import Measured
from app.domain.memo import Absent, Conduct, Deviation, Memo, Reason, RightsEntry, Seats, Study, Verdict, WordErrors
from tests.domain import test_worked_example as example

PLANNED = {"word_repetition": 6, "fluent": 3}


@pytest.fixture(scope="session")
def memo_of():
    """Make a memo; `facts` are the gate's, `given` the results', the others say what differs from the example."""

    def made(changes=None, *, unit="episode", judged=True, study=None, facts=None, given=None, **parts):
        found = example.study(changes) if judged else results.Results.of([])
        found = replace(found, **(given or {}))
        verdict = gate.evaluate(replace(results.gate_facts(found), **(facts or {})))
        asked = {
            "id": "pilot",
            "title": "A pilot",
            "scope": "corpus",
            "question": "Does the filter destroy meaning?",
            "parent": None,
            "registration": None,
            "manifest_sha256": "a" * 64,
            "manifest_null_reason": None,
            "protocol_sha256": "b" * 64,
            "codebook_version": "1",
            "pairing": "imported_unverified",
        }
        sections = {
            "study": Study(**asked | (study or {})),
            "conduct": Conduct(
                frozen_at="2026-11-02T08:30:00Z",
                closed_at="2026-11-30T16:00:00Z",
                judges={
                    "reviewer": Seats(judges=2, attested=2, left=0),
                    "adjudicator": Seats(judges=1, attested=0, left=0),
                },
                comparator="exact",
                identical_pairs="auto",
                references_shown=["semantic"],
                own_judgement_first=True,
                max_unassessable=0,
            ),
            "verdict": Verdict(
                status=verdict.status,
                reasons=[Reason(**vars(reason)) for reason in verdict.reasons],
                further_decision="none",
            ),
            "sample": results.sample(found, PLANNED, unit),
            "primary": results.primary(found),
            "taxonomy": results.taxonomy(found),
            "extension": results.extension(found, {}),
            "controls": results.controls(found),
            "cleanup": results.cleanup(found),
            "agreement": reliability.agreement(found),
            "adjudication": reliability.adjudication(found),
            "quality": reliability.quality(found, Measured(), 1),
            "wer": WordErrors(**dict.fromkeys(WordErrors.model_fields, Absent(null_reason="not_enabled"))),
            "rights": [
                RightsEntry(source="shows", kind="corpus", version="3", licence="CC BY 4.0", decision="approved")
            ],
            "deviations": [Deviation(at="2026-11-30T09:00:00Z", text="One judge paused for a week.")],
            "software": {"evenhand": "0.1.0", "filter": "yazses", "filter_version": "2.46.0", "beam": "5"},
            "audit_head": "c" * 64,
        }
        return Memo(**sections | parts)

    return made


@pytest.fixture(scope="session")
def memo(memo_of):
    return memo_of()


@pytest.fixture(scope="session")
def memos(memo_of):
    """One memo for each verdict."""
    tolerant = {"max_unassessable": 1}
    return {
        "FAIL": memo_of(),
        "PASS": memo_of(example.V2, facts=tolerant),
        "INCONCLUSIVE": memo_of(example.V3, facts=tolerant),
        "BLOCKED": memo_of(
            judged=False,
            facts={"frozen": False, "rights_missing": 1, "references_missing": 2},
            study={"manifest_sha256": None, "manifest_null_reason": "not_enabled"},
            deviations=[],
            audit_head=None,
        ),
    }

"""Harm that was once signed or recorded is never forgotten, whatever is said afterwards."""

import pytest

from app.actions import closing, reporting
from tests.actions.bench import HARM, Bench
from tests.house import PROTOCOL, frozen_study

CANNOT = ("unassessable-disputed", None)
TOLERANT = PROTOCOL + "[gate]\nmax_unassessable = 1\n"


@pytest.fixture
def tolerant(store, world, people):
    return Bench(store, world, frozen_study(store, world, protocol=TOLERANT))


def verdict(bench):
    closing.close(bench.store, bench.world, "lena", bench.study)
    found = reporting.memo_of(bench.store, bench.world, "lena", bench.study).verdict
    return found.status, {reason.code for reason in found.reasons}


def test_harm_in_a_set_that_was_reopened_still_holds_an_unassessable_item(tolerant):
    tolerant.review("rosa", P3=HARM)
    tolerant.review("ravi", P3=CANNOT)
    closing.reopen(tolerant.store, tolerant.world, "lena", tolerant.study, "rosa", "she asked for it")
    tolerant.answer("rosa", "P-003", CANNOT)
    tolerant.sign("rosa")
    tolerant.sign("ines")
    status, codes = verdict(tolerant)
    assert "recorded_harm_unresolved" in codes
    assert status == "INCONCLUSIVE_SYNTHETIC"


def test_harm_in_an_adjudicators_former_step_still_holds_an_unassessable_item(tolerant):
    tolerant.review("rosa", P3=CANNOT)
    tolerant.review("ravi")
    tolerant.look()
    tolerant.settle("P-003", CANNOT, decision="change", said=HARM)
    tolerant.answer("ines", "P-003", CANNOT, decision="change")
    tolerant.sign("ines")
    status, codes = verdict(tolerant)
    assert "recorded_harm_unresolved" in codes
    assert status == "INCONCLUSIVE_SYNTHETIC"

import pytest

from app.domain import withdrawal
from app.domain.errors import InvalidInput, Refused
from app.domain.item import Item
from app.domain.rights import Source, revoked
from app.domain.withdrawal import ERASED, REMOVED, WITHDRAWN


@pytest.mark.parametrize(
    ("frozen", "closed", "effect"), [(False, False, REMOVED), (True, False, WITHDRAWN), (True, True, ERASED)]
)
def test_what_a_withdrawal_does_depends_on_the_stage_alone(frozen, closed, effect):
    assert withdrawal.effect(frozen=frozen, closed=closed) == effect


@pytest.mark.parametrize("kind", ["item", "cluster", "source"])
def test_a_name_that_nothing_has_is_an_input_error_of_its_field(kind):
    with pytest.raises(InvalidInput) as raised:
        withdrawal.check(kind, there=0, ever=0, revoked=False)
    assert [problem.field for problem in raised.value.problems] == [kind]


@pytest.mark.parametrize("kind", ["item", "cluster", "source"])
def test_what_is_there_may_be_withdrawn_at_any_time(kind):
    withdrawal.check(kind, there=1, ever=1, revoked=False)


def test_a_source_whose_items_were_all_withdrawn_can_still_be_revoked_and_only_once():
    withdrawal.check("source", there=0, ever=3, revoked=False)
    with pytest.raises(Refused, match="revoked before"):
        withdrawal.check("source", there=0, ever=3, revoked=True)


def test_an_item_that_is_gone_is_gone_for_its_id_and_its_cluster():
    for kind in ("item", "cluster"):
        with pytest.raises(InvalidInput, match=r"erased too|not known by it"):
            withdrawal.check(kind, there=0, ever=3, revoked=False)


def test_there_are_three_kinds_and_no_other():
    assert [withdrawal.key_of(kind) for kind in ("item", "cluster", "source")] == ["item_id", "cluster", "source"]
    with pytest.raises(InvalidInput, match="item, cluster, source"):
        withdrawal.key_of("stratum")


def test_of_an_item_numbers_and_flags_are_kept_and_no_word():
    item = Item("P-1", "words", "c1", "invented", "a raw", "an off", "an on", semantic_reference="a meaning")
    assert withdrawal.kept(item) == {
        "references": ["semantic"],
        "edits": {"semantic": [[2, 2, 0, 0], [2, 2, 0, 0]]},
        "sap": None,
    }


def test_revoked_rights_are_refused_by_whoever_revoked_them_on_that_day():
    fields = ("version", "publisher", "audio_owner", "reference_owner", "licence", "consent", "distribution", "removal")
    entry = Source(
        source="s",
        kind="corpus",
        permitted_operations=("store",),
        decision="approved",
        decided_by="a lawyer",
        decided_at="2026-01-01",
        **dict.fromkeys(fields, "none"),
    )
    found = revoked(entry, "lena", "2026-03-04T10:00:00+00:00")
    assert (found.decision, found.decided_by, found.decided_at) == ("refused", "lena", "2026-03-04")
    assert found.permitted_operations == entry.permitted_operations

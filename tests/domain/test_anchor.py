import json

import pytest

from app.domain import anchor
from app.domain.anchor import Anchor
from app.domain.errors import InvalidInput

HEAD, PROTOCOL, MANIFEST = "a" * 64, "b" * 64, "c" * 64
STUDY = {"id": "pilot", "protocol_sha256": PROTOCOL, "manifest_sha256": MANIFEST}


def read(memo):
    return anchor.read(json.dumps(memo).encode(), "memo.json")


def test_the_digests_of_a_memo_are_read_and_the_rest_left_aside():
    memo = {"study": STUDY | {"title": "A pilot"}, "audit_head": HEAD, "later_key": 1}
    assert read(memo) == Anchor("pilot", HEAD, PROTOCOL, MANIFEST)


def test_a_manifest_that_may_not_be_printed_is_none():
    assert read({"study": STUDY | {"manifest_sha256": None}, "audit_head": HEAD}).manifest_sha256 is None


@pytest.mark.parametrize(
    ("memo", "told"),
    [
        ([], "this is no memo"),
        ({"audit_head": HEAD}, "this is no memo"),
        ({"study": STUDY}, "this is no memo"),
        ({"study": STUDY, "audit_head": None}, "names no head"),
        ({"study": STUDY, "audit_head": "A"}, "audit_head: expected 64"),
        ({"study": STUDY | {"protocol_sha256": 7}, "audit_head": HEAD}, "protocol_sha256: expected 64"),
    ],
)
def test_what_is_no_memo_of_a_closed_study_is_refused(memo, told):
    with pytest.raises(InvalidInput, match=told):
        read(memo)


def test_a_file_that_is_no_json_is_refused_by_its_name():
    with pytest.raises(InvalidInput, match=r"memo\.json"):
        anchor.read(b"{", "memo.json")

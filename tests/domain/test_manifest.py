import hashlib
from dataclasses import replace

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from app.domain.item import Item
from app.domain.manifest import GENESIS, bytes_digest, canonical, digest, item_digest, link, manifest

ITEM = Item("P-1", "words", "ep-one", "invented", "raw", "off", "on", tags=("block",))
PARTS = {
    "protocol": {"study": {"id": "pilot"}, "gate": {"max_unassessable": 0}},
    "codebook": {"version": "1"},
    "guidelines_sha256": "a" * 64,
    "ledger": [{"source": "a", "kind": "synthetic"}, {"source": "b", "kind": "synthetic"}],
    "item_digests": ["1" * 64, "2" * 64],
    "pairing": {"filter": "tidy", "version": "1", "config": {}, "files": ["3" * 64]},
    "software": "evenhand 1",
}
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("data", "wanted"),
    [
        ({"b": 1, "a": [True, None, "x"]}, '{"a":[true,null,"x"],"b":1}'),
        ({"€": 1, "\r": 2, "1": 3, "ö": 4, "😂": 5}, '{"\\r":2,"1":3,"ö":4,"€":1,"😂":5}'),
        ([1e21, 0.002, 1.0, -0.0], "[1e+21,0.002,1,0]"),
    ],
)
def test_canonical_bytes_are_those_of_rfc_8785(data, wanted):
    assert canonical(data).decode() == wanted


@given(PLAIN | st.dictionaries(st.sampled_from("aZ_~0 "), PLAIN | st.floats(allow_nan=False, allow_infinity=False)))
def test_whichever_writer_is_taken_the_bytes_are_those_of_the_standards_own(data):
    assert canonical(data) == rfc8785.dumps(data)


def test_every_character_is_written_as_the_standard_has_it():
    for code in (*range(0xD800), *range(0xE000, 0x110000, 7), 0xFFFE, 0xFFFF, 0x10000, 0x10FFFF):
        assert canonical([chr(code)]) == rfc8785.dumps([chr(code)])


@pytest.mark.parametrize("data", ["\ud83d", {"a": ["\ud83d"]}, 2**53, -(2**53), float("nan"), {1: "a"}, {"a": {1, 2}}])
def test_what_the_standard_refuses_is_refused(data):
    with pytest.raises(rfc8785.CanonicalizationError):
        canonical(data)


def test_a_digest_is_the_sha_256_of_the_canonical_bytes():
    assert digest({"b": 1, "a": 2}) == hashlib.sha256(b'{"a":2,"b":1}').hexdigest()
    assert bytes_digest(b"abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


@given(st.dictionaries(st.text(max_size=5), PLAIN, min_size=2))
def test_the_order_of_keys_never_matters(data):
    assert digest(dict(reversed(data.items()))) == digest(data)


def test_the_order_of_items_and_of_sources_never_matters():
    turned = PARTS | {"ledger": PARTS["ledger"][::-1], "item_digests": PARTS["item_digests"][::-1]}
    assert digest(manifest(**turned)) == digest(manifest(**PARTS))


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("protocol", {"study": {"id": "pilot"}, "gate": {"max_unassessable": 1}}),
        ("codebook", {"version": "2"}),
        ("guidelines_sha256", "b" * 64),
        ("ledger", PARTS["ledger"][:1]),
        ("item_digests", ["1" * 64, "3" * 64]),
        ("pairing", None),
        ("pairing", PARTS["pairing"] | {"version": "2"}),
        ("item_digests", ["1" * 64, "1" * 64, "2" * 64]),
    ],
)
def test_each_part_that_a_freeze_fixes_changes_the_manifest_hash(part, value):
    assert digest(manifest(**PARTS | {part: value})) != digest(manifest(**PARTS))


def test_the_salt_matters_to_an_items_digest_and_so_does_every_field():
    changes = {"item_id": "P-2", "on": "on ", "semantic_reference": "meant", "semantic_ambiguous": True, "tags": ()}
    others = [item_digest(replace(ITEM, **{name: value}), "salt") for name, value in changes.items()]
    assert item_digest(ITEM, "salt") == item_digest(ITEM, "salt")
    assert len({item_digest(ITEM, "salt"), item_digest(ITEM, "pepper"), *others}) == 7


def test_a_link_binds_an_event_to_all_before_it():
    one, two = {"event": "one"}, {"event": "two"}
    chain = link(link(GENESIS, one), two)
    assert link(link(GENESIS, one), two) == chain
    assert len({chain, link(GENESIS, two), link(link(GENESIS, two), one), link(link(GENESIS, two), two)}) == 4

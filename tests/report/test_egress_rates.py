"""Pieces and disguises of what is private are found, and honest memos are let through (acceptance P2)."""

import base64
import html
import random
from urllib.parse import quote

import pytest

from app.domain import reliability, results
from app.domain.errors import Refused
from app.domain.memo import Deviation
from app.domain.privacy import Private
from app.report import bundle, egress
from tests.report import honest

MEMOS, STORES = 50, 4  # each memo is held against its own store, and three others
LONG = sorted({text for text in honest.SPOKEN if len(text.split()) > 7})[::6]


def shuffled(text):
    words = text.split()
    random.Random(len(text)).shuffle(words)  # noqa: S311 - a repeatable order
    return " ".join(words)


def base64_of(text):
    return base64.b64encode(text.encode()).decode()


ENCODED = {
    "base64": base64_of,
    "base64 for addresses": lambda text: base64.urlsafe_b64encode(text.encode()).decode().rstrip("="),
    "hexadecimal": lambda text: text.encode().hex(),
    "hexadecimal in pairs": lambda text: text.encode().hex(" ").upper(),
    "per cent": quote,
    "per cent throughout": lambda text: "".join(f"%{byte:02x}" for byte in text.encode()),
    "references": lambda text: "".join(f"&#{ord(each)};" for each in text),
    "references for markup": lambda text: html.escape(f"<{text}>"),
    "escapes": lambda text: "".join(f"\\u{ord(each):04x}" for each in text),
    "escapes of bytes": lambda text: "".join(f"\\x{byte:02x}" for byte in text.encode()),
    "one within another": lambda text: quote(base64_of(text)),
}
PIECES = {
    "as it is": str,
    "in capitals": str.upper,
    "the beginning cut off": lambda text: " ".join(text.split()[-5:]),
    "the end cut off": lambda text: " ".join(text.split()[:5]),
    "the words in another order": shuffled,
    "the words turned round": lambda text: " ".join(reversed(text.split())),
    "a piece encoded": lambda text: base64_of(" ".join(text.split()[1:6])),
}
DISGUISES = ENCODED | PIECES


def planted(memo_of, *texts):
    return bundle.bundle(memo_of(deviations=[Deviation(at="2026-11-30T09:00:00Z", text=text) for text in texts]))


def refuses(files, private):
    try:
        egress.guard(files, private)
    except Refused:
        return True
    return False


@pytest.mark.parametrize("disguise", DISGUISES)
def test_a_text_is_found_in_any_disguise(memo_of, disguise):
    private = Private.of(texts=LONG, ids=[], names=[], digests=[])
    missed = [
        text
        for text in LONG
        if private.find_in([(f"Noted: {DISGUISES[disguise](text)}", False)], egress.own_runs()) is None
    ]
    assert len(LONG) > 20
    assert missed == []
    assert refuses(planted(memo_of, f"Noted: {DISGUISES[disguise](LONG[0])}"), private)


@pytest.mark.parametrize("disguise", ENCODED)
@pytest.mark.parametrize(
    ("kind", "value"), [("ids", "D-001"), ("ids", "ep 44"), ("names", "ravi"), ("digests", "5e" * 32)]
)
def test_an_id_a_name_and_a_digest_are_found_in_any_encoding(disguise, kind, value):
    private = Private.of(**{"texts": [], "ids": [], "names": [], "digests": []} | {kind: [value]})
    assert private.find_in([(f"it was {ENCODED[disguise](value)}", False)])


@pytest.mark.parametrize("held", ["5e" * 8, ("5e" * 32).upper(), base64.b64encode(b"\x5e" * 32).decode()])
def test_a_digest_is_found_when_it_is_cut_off_and_as_base64_of_its_bytes(held):
    assert Private.of(texts=[], ids=[], names=[], digests=["5e" * 32]).find_in([(f"sha256-{held}", False)])


def test_a_text_divided_between_two_places_is_found_wherever_they_stand(memo_of):
    private = Private.of(texts=LONG, ids=[], names=[], digests=[])
    for text in LONG[:8]:
        words = text.split()
        files = planted(
            memo_of, f"First: {' '.join(words[:4])}", "Something else.", f"{' '.join(words[4:])} And so on."
        )
        assert refuses(files, private), text


def test_four_words_in_a_row_are_everyday_speech():
    private = Private.of(texts=["at the end of the week we met"], ids=[], names=[], digests=[])
    assert private.find_in([("We stopped at the end of a month.", False)]) is None
    assert private.find_in([("We stopped at the end of the month.", False)])


def test_a_piece_that_the_program_writes_itself_is_no_reason_to_refuse(memo_of):
    own = "so every disagreement ends disputed and what one person gave an answer, how often the other gave it too I"
    egress.guard(bundle.bundle(memo_of()), Private.of(texts=[own], ids=[], names=[], digests=[]))


def test_honest_memos_are_let_through(memo_of):
    refused = []
    for seed in range(MEMOS):
        items, study, own, private = honest.parts(seed)
        found = results.Results.of(items, min_cell=own["conduct"].min_cell)
        sections = {
            "primary": results.primary(found),
            "sample": results.sample(found, {}, "speaker"),
            "agreement": reliability.agreement(found),
            "adjudication": reliability.adjudication(found),
        }
        files = bundle.bundle(memo_of(study=study, **sections, **own))
        stores = [private, *(honest.parts(1_000 * seed + each)[3] for each in range(1, STORES))]
        refused += [seed for each in stores if refuses(files, each)]
    assert refused == []

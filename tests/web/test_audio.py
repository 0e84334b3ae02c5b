"""A recording as a media element asks for it: whole, in ranges, by the judge whose item it is, and nobody's to keep."""

import re
import time

import pytest

from app.domain.recording import MAX_BYTES
from app.store.recordings import PIECE
from app.web.audio import Unsatisfiable, answer, span
from tests.house import draft_study, frozen_study, item_rows, jsonl
from tests.sounds import M4A, MP3, OPUS, wav

LONG = wav(seconds=40)  # of three pieces
SOUNDS = {"a.wav": LONG, "b.opus": OPUS["D-001.opus"], "c.mp3": MP3, "d.m4a": M4A}
NAMES = ["a.wav", "b.opus", "c.mp3", None, "missing.wav", None]


@pytest.fixture
def study(store, world, people):
    rows = [row | {"audio": name} for row, name in zip(item_rows(), NAMES, strict=True)]
    return frozen_study(store, world, rows=rows, sounds=SOUNDS)


@pytest.fixture
def place(store, study):
    """Return where rosa hears the recording of an item, by the item's number."""

    def find(number, name="rosa"):
        sql = (
            "select token from slot join account a on a.id = account_id join item on item.id = slot.item "
            "where a.name = ? and item_id = ?"
        )
        with store.read() as connection:
            return f"/review/{connection.exec_driver_sql(sql, (name, f'P-{number:03}')).scalar()}"

    return find


@pytest.fixture
def rosa(visit, study):
    return visit("rosa")


def ask(person, path, wanted=None):
    return person.get(f"{path}/audio", headers={"Range": wanted} if wanted is not None else {})


def test_a_recording_comes_whole_as_it_was_stored_with_the_type_of_its_bytes(rosa, place):
    for number, kind in ((1, "audio/wav"), (2, "audio/ogg"), (3, "audio/mpeg")):
        found = ask(rosa, place(number))
        assert found.status_code == 200
        assert found.headers["content-type"] == kind
        assert found.content == SOUNDS[NAMES[number - 1]]


def test_nothing_of_it_may_be_kept_or_told_from_another_copy(rosa, place):
    for wanted in (None, "bytes=0-99", "bytes=99999999-"):
        headers = ask(rosa, place(1), wanted).headers
        assert headers["cache-control"] == "no-store"
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["accept-ranges"] == "bytes"
        assert not {"etag", "last-modified", "content-disposition", "expires", "location"} & set(headers)
        assert "a.wav" not in str(headers)


@pytest.mark.parametrize(
    ("wanted", "start", "stop"),
    [
        ("bytes=0-0", 0, 1),
        ("bytes=0-", 0, len(LONG)),
        ("bytes=5-5", 5, 6),
        ("bytes=-1", len(LONG) - 1, len(LONG)),
        ("bytes=-99999999", 0, len(LONG)),
        ("bytes=0-999999999999999999", 0, len(LONG)),
        (f"bytes={PIECE - 1}-{PIECE}", PIECE - 1, PIECE + 1),
        (f"bytes={PIECE}-{2 * PIECE - 1}", PIECE, 2 * PIECE),
        (f"bytes={len(LONG) - 1}-", len(LONG) - 1, len(LONG)),
        ("BYTES= 10-19 ", 10, 20),
    ],
)
def test_a_range_is_answered_with_that_part(rosa, place, wanted, start, stop):
    found = ask(rosa, place(1), wanted)
    assert found.status_code == 206
    assert found.content == LONG[start:stop]
    assert found.headers["content-range"] == f"bytes {start}-{stop - 1}/{len(LONG)}"
    assert found.headers["content-length"] == str(stop - start)


ODD = [
    *("bytes=", "bytes=-", "bytes=--1", "bytes=1--2", "bytes=5-4", "bytes=-0", "bytes=a-b", "bytes=0x0-0x1", "bytes"),
    *(f"bytes={len(LONG)}-", "bytes=99999999999999999999999-", "bytes=-99999999999999999999", "bytes=0-1,3-4"),
    *("bytes=0-0,-1", "bytes=0-,0-,0-,0-", "bytes=1 0-2", "bytes:0-1", "bytes=1.5-2", "bytes=+1-2", "bytes=²-3"),
    "bytes=" + "0-1," * 500,
]


@pytest.mark.parametrize("wanted", ODD)
def test_an_odd_range_is_refused_at_once(rosa, place, wanted):
    path = place(1)
    ask(rosa, path)
    begun = time.perf_counter()
    found = rosa.get(f"{path}/audio", headers=[(b"Range", wanted.encode())])
    taken = time.perf_counter() - begun
    assert (found.status_code, found.content) == (416, b"")
    assert found.headers["content-range"] == f"bytes */{len(LONG)}"
    assert taken < 0.05


def test_the_end_of_the_longest_recording_comes_as_fast_as_its_beginning():
    pieces = {number: bytes(PIECE) for number in range(MAX_BYTES // PIECE)}
    asked = []

    def read(number):
        asked.append(number)
        return pieces[number]

    answer(f"bytes={MAX_BYTES - 10}-", "audio/wav", MAX_BYTES, PIECE, read)
    assert asked == []  # only what is sent is read, and when it is sent
    assert span("bytes=-1", MAX_BYTES) == (MAX_BYTES - 1, MAX_BYTES)


def test_ranges_of_other_units_are_ignored():
    assert span("items=0-1", 10) is None
    with pytest.raises(Unsatisfiable):
        span("bytes=0-1", 0)


def test_an_item_without_a_recording_has_none_and_one_whose_recording_is_missing_says_so(rosa, place):
    assert ask(rosa, place(5)).status_code == 404
    page = rosa.get(place(5)).text
    assert "The recording of this item is missing" in page
    assert "<audio" not in page
    page = rosa.get(place(1)).text
    assert page.count("<audio controls ") == 1
    assert f'src="{place(1)}/audio"' in page
    assert "missing.wav" not in page + rosa.get(place(5)).text
    assert "a.wav" not in page


def test_an_item_that_names_no_recording_has_no_word_about_one(visit, store, world, people):
    frozen_study(store, world)
    page = visit("ravi").next_page()[1]
    assert "ecording" not in page.text


def test_only_the_judge_whose_item_it_is_hears_it(visit, place):
    for name in ("ravi", "ines", "lena", "otto"):
        assert ask(visit(name), place(1)).status_code == 404
    assert ask(visit("rosa", signed_in=False), place(1)).status_code == 303
    assert ask(visit("ravi"), place(1, "ravi")).status_code == 200


def test_a_set_that_is_signed_can_still_be_heard_and_a_closed_study_cannot(rosa, visit, place):
    while (found := rosa.next_page()) is not None:
        rosa.answer(found[1], label="no-material-edit")
    rosa.sign_off()
    assert ask(rosa, place(1)).status_code == 200
    lead = visit("lena")
    lead.send(lead.page("/lead/studies/pilot").form_to("/lead/studies/pilot/close"), reason="we stop here")
    assert ask(rosa, place(1)).status_code == 409
    page = rosa.get(place(1)).text
    assert "its recordings can no longer be heard" in page
    assert "<audio" not in page


def test_a_withdrawn_item_is_heard_no_more(rosa, visit, place):
    path = place(1)
    lead = visit("lena")
    form = lead.page("/lead/studies/pilot/withdraw").form_to("/lead/studies/pilot/withdraw")
    said = {"kind": "item", "value": "P-001", "reason": "a participant asked", "confirm": "yes", "expected": "1"}
    assert lead.send(form, **said).status_code == 303
    assert ask(rosa, path).status_code == 404


def test_the_judging_form_has_no_control_of_the_player(rosa, place):
    page = rosa.page(place(1))
    assert not {name for name in page.judging_form().names if "rate" in name or "audio" in name}
    assert re.search(r'<select data-audio="rate"', rosa.get(place(1)).text)


# The lead's page


@pytest.fixture
def draft(visit, store, world, people):
    rows = [row | {"audio": name} for row, name in zip(item_rows(), NAMES, strict=True)]
    draft_study(store, world, rows=rows)
    return visit("lena")


PAGE = "/lead/studies/pilot/items"


def send(lead, path, files, **fields):
    csrf = lead.page("/account").form_to("/account").fields["csrf"][0]
    return lead.client.post(path, data={"csrf": csrf} | fields, files=files, headers=lead.headers)


def clips(*names, **more):
    return [("audio", (name, SOUNDS.get(name, b"no sound"))) for name in names] + list(more.items())


def test_a_lead_adds_recordings_in_several_requests_until_none_is_missing(draft):
    assert "0 there, 4 named by items and missing" in draft.page(PAGE).text
    for names, told in ((["a.wav"], "1 there, 3 named"), (["b.opus", "c.mp3"], "3 there, 1 named")):
        answer = send(draft, f"{PAGE}/audio", clips(*names))
        assert (answer.status_code, answer.headers["location"]) == (303, f"{PAGE}?saved=yes")
        assert told in draft.page(PAGE).text
    assert "missing.wav" in draft.page(PAGE).text


def test_files_that_no_item_names_are_left_out_and_counted_and_their_names_enter_no_address(draft):
    answer = send(draft, f"{PAGE}/audio", clips("a.wav", "d.m4a", "x.wav"))
    assert answer.headers["location"] == f"{PAGE}?saved=yes&aside=2"
    assert "2 files were left out" in draft.page(answer.headers["location"]).text
    assert "left out" not in draft.page(f"{PAGE}?saved=yes&aside=x").text


@pytest.mark.parametrize(
    ("files", "told"),
    [
        ([], "choose recordings first"),
        (clips("x.wav"), "no item of the study names any of these files"),
        ([("audio", ("a.wav", b"what somebody typed"))], "no recording of a known kind"),
        ([("audio", ("../a.wav", LONG))], "the name of a file, without a folder"),
        ([("audio", ("/etc/a.wav", LONG))], "the name of a file, without a folder"),
        ([("audio", ("a.wav", LONG)), ("audio", ("con", LONG))], "the name of a file, without a folder"),
    ],
)
def test_what_cannot_be_taken_is_told_and_nothing_is_stored(draft, files, told):
    answer = send(draft, f"{PAGE}/audio", files or [("file", ("", b""))])
    assert answer.status_code == 422
    assert told in answer.text
    assert "None of these recordings was stored" in answer.text
    assert "somebody" not in answer.text
    assert "0 there, 4 named" in draft.page(PAGE).text


def test_items_and_recordings_are_taken_together(draft):
    rows = [row | {"audio": "a.wav"} for row in item_rows()]
    sent = [("file", ("items.jsonl", jsonl(rows))), *clips("a.wav")]
    assert send(draft, PAGE, sent, replace="yes").status_code == 303
    assert "Recordings: 6 there." in draft.page(PAGE).text


def test_a_recording_that_is_none_is_told_by_the_line_of_its_item(draft):
    sent = [("file", ("items.jsonl", jsonl([row | {"audio": "a.wav"} for row in item_rows()][:1])))]
    answer = send(draft, PAGE, [*sent, ("audio", ("a.wav", b"no sound"))], replace="yes")
    assert answer.status_code == 422
    assert "<code>audio</code>" in answer.text
    assert "6 items" in draft.page(PAGE).text

"""What others write neither bars a memo nor can be found out by a lead; what entered it unbidden is found."""

import base64
import binascii
import json
import re

import pytest

from app.actions import accounts, closing, freezing, preparing, reporting
from app.domain.errors import InvalidInput, Refused
from app.domain.privacy import parts, tokens
from app.report import bundle, egress
from tests.house import CHEAP, PROTOCOL, RIGHTS, draft_study, frozen_study, item_rows, jsonl
from tests.report.test_egress_rates import DISGUISES, ENCODED, PIECES

GUESS = "the second one lost its negation and sounds tired"
WORDS = re.compile(r"[A-Za-z0-9+/_-]{4,}")


@pytest.fixture
def closed(store, world, study):
    closing.close(store, world, "lena", study, "the pilot ends here")
    return study


def noted(store, *notes):
    """Let a judge have these notes in a draft that nobody sent."""
    with store.write() as connection:
        slot = connection.exec_driver_sql("select min(id) from slot").scalar()
        connection.exec_driver_sql(
            "insert into draft values (?, ?, '2026-01-05T09:00:00+00:00')", (slot, json.dumps({"note": list(notes)}))
        )


def called(store, *names):
    """Let accounts have these names, as an earlier version may have taken them."""
    with store.write() as connection:
        columns = [row[1] for row in connection.exec_driver_sql("pragma table_info(account)")]
        copied = ", ".join(column for column in columns if column not in {"id", "name"})
        for name in names:
            connection.exec_driver_sql(
                f"insert into account (name, {copied}) select ?, {copied} from account where name = 'otto'",  # noqa: S608
                (name,),
            )


def elsewhere(store, world, *texts, attested=None):
    """Let another study of the store have items with these texts, and judges that somebody vouches for."""
    study = preparing.create(store, world, "local", PROTOCOL.replace('"pilot"', '"other"').encode(), "p.toml")
    pairs = [("fluent", "ep-one", text, text) for text in texts]
    preparing.import_items(store, world, "local", study, jsonl(item_rows(pairs)), "i.jsonl")
    if attested is not None:
        preparing.assign(store, world, "local", study, [("lead", "otto"), ("reviewer", "rosa")], attested)


def spelt(text):
    """Yield every word that the words of a text spell if they are taken for base64, however unlikely."""
    for digits in WORDS.findall(text):
        for cut in range(4):
            try:
                raw = base64.b64decode(digits[: len(digits) - cut].replace("-", "+").replace("_", "/") + "==")
            except binascii.Error:
                continue
            said = raw.decode(errors="ignore")
            yield from {said, *tokens(said), *parts(said)}


def test_nobody_bars_a_memo_by_what_its_words_spell_in_another_reading(store, world, closed, tmp_path):
    """“filter” is base64 of “~)mz”: so a note or an account “mz” once barred every memo of the store."""
    memo = reporting.memo_of(store, world, "local", closed)
    words = {
        word.strip()
        for name, content in bundle.bundle(memo).items()
        for leaf in egress.leaves(name, content)
        for word in spelt(leaf.text)
        if word.strip() and word.isprintable()
    }
    assert {"mz", "j"} <= words
    noted(store, *words)
    called(store, *words)
    elsewhere(store, world, *words, attested=max(words, key=len))
    reporting.export(store, world, "local", closed, tmp_path / "memo")


HELD = {
    "a note that nobody sent": lambda store, _: noted(store, GUESS),
    "another study's text": lambda store, world: elsewhere(store, world, GUESS),
    "what another lead attested": lambda store, world: elsewhere(store, world, "a", attested=GUESS),
    "an account": lambda store, _: called(store, GUESS),
}


@pytest.mark.parametrize("held", [*HELD.values(), lambda *_: None], ids=[*HELD, "nothing"])
@pytest.mark.parametrize("ways", [ENCODED, PIECES], ids=["encoded", "as it is and in pieces"])
def test_a_guess_is_answered_alike_whether_it_stands_in_the_store_or_not(store, world, study, tmp_path, held, ways):
    """Where it is only encoded, no plain word of it stands among what the lead entered; the memo says it back."""
    held(store, world)
    for disguise in ways.values():
        closing.log_deviation(store, world, "lena", study, f"ref {disguise(GUESS)}")
    closing.close(store, world, "lena", study, f"ref {base64.b64encode(GUESS.encode()).decode()}")
    reporting.export(store, world, "lena", study, tmp_path / "memo")
    assert [*ways.values()][2](GUESS) in (tmp_path / "memo" / "memo.json").read_text()


@pytest.mark.parametrize("held", [*HELD.values(), lambda *_: None], ids=[*HELD, "nothing"])
def test_a_draft_answers_a_guess_alike_too(store, world, study, tmp_path, held):
    """Its memo also counts strata that no protocol declares, with names of 200 characters."""
    held(store, world)
    protocol = PROTOCOL.replace('"pilot"', '"guesses"')
    guesses = [disguise(GUESS)[:200] for disguise in DISGUISES.values()]
    rows = [row | {"stratum": each} for row, each in zip(item_rows(item_pairs(guesses)), guesses, strict=True)]
    draft = draft_study(store, world, protocol=protocol, ledger=RIGHTS.replace('"approved"', '"unknown"'), rows=rows)
    reporting.export(store, world, "lena", draft, tmp_path / "memo")


def item_pairs(guesses):
    return [("fluent", "ep-one", f"pair {n} is this", f"pair {n} is that") for n in range(len(guesses))]


def refused(store, world, study):
    try:
        reporting.export_zip(store, world, "lena", study, "none")
    except Refused as error:
        return error.code == "egress"
    return False


@pytest.mark.parametrize("held", HELD.values(), ids=HELD)
def test_what_others_wrote_is_found_in_any_disguise_where_nobody_entered_it(store, world, closed, held):
    """Planted where the program alone writes: in the title that the memo prints, not in the protocol that was read."""
    held(store, world)
    for name, disguise in {**DISGUISES, "whole": str}.items():
        if held is HELD["an account"] and name not in {*ENCODED, "whole"}:
            continue  # a name is looked for whole
        with store.write() as connection:
            connection.exec_driver_sql("update study set title = ?", (f"Noted: {disguise(GUESS)}",))
        assert refused(store, world, closed), name


@pytest.mark.parametrize("note", ["mz", "Oh no", "z+az"])
def test_a_short_note_is_found_too_where_nobody_entered_it(store, world, closed, note):
    noted(store, note)
    with store.write() as connection:
        connection.exec_driver_sql("update study set title = ?", (note,))
    assert refused(store, world, closed)


def test_no_account_of_somebody_else_bars_a_draft_from_its_freeze(store, world, people):
    protocol = PROTOCOL.replace('"pilot"', '"zeta9"').replace("A small pilot", "The autumnal sweep")
    study = draft_study(store, world, protocol=protocol)
    for name in ("zeta9", "autumnal", "sweep"):
        accounts.add(store, world, CHEAP, name, lead=False, actor="otto")
    assert preparing.check(store, study).errors == ()
    freezing.freeze(store, world, "lena", study)
    closing.log_deviation(store, world, "lena", study, "The sweep was autumnal.")


def test_a_lead_names_nobody_who_takes_part(store, world, people):
    study = draft_study(store, world, protocol=PROTOCOL.replace("A small pilot", "What ines made of it"))
    assert [(each.field, "user name" in each.message) for each in preparing.check(store, study).errors] == [
        ("study.title", True)
    ]


@pytest.mark.parametrize("item_id", ["zwl", "mz", "z"])
def test_an_item_may_be_called_what_words_spell_by_chance(store, world, people, tmp_path, item_id):
    """“ends” is base64 of “zwl”: neither the check nor the memo takes it for the item of that name."""
    rows = item_rows()
    rows[0] |= {"item_id": item_id}
    title = PROTOCOL.replace("A small pilot", "What else the filter also depends on").encode()
    study = frozen_study(store, world, rows=rows, protocol=title.decode())
    closing.close(store, world, "lena", study, "it is done")
    reporting.export(store, world, "lena", study, tmp_path / "memo")


@pytest.mark.parametrize("disguise", ENCODED)
@pytest.mark.parametrize("value", ["P-003", "ep-two", "ravi"])
def test_what_a_lead_enters_is_decoded_for_the_studys_own_ids_and_people(store, world, study, disguise, value):
    with pytest.raises(InvalidInput):
        closing.log_deviation(store, world, "lena", study, f"it was {ENCODED[disguise](value)}")

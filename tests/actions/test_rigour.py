"""Sentinels, repeats, audits of agreed items and the blinding check: from the freeze to what the memo says."""

import pytest
from sqlalchemy import event

from app.actions import (
    adjudicating,
    closing,
    freezing,
    guessing,
    preparing,
    replacing,
    reporting,
    reviewing,
    withdrawing,
)
from app.actions.reviewing import Judge
from app.domain.errors import InvalidInput, NotFound, Refused
from app.domain.judgement import Judgement
from app.store import judging, verify
from app.store.migrate import open_store
from tests.house import PROTOCOL, add_people, draft_study, fixed_world, item_rows

N = 20
RULES = PROTOCOL.replace("word_repetition = 4, fluent = 2", "word_repetition = 16, fluent = 4")
OPTIONS = "[review]\nsentinels = true\nrepeats = 0.2\naudit_agreed = 0.25\nblinding_check = 0.25\n"
KNOWN = {"label": "destructive-content", "arm": "on", "reasons": ["negation"]}


def pairs():
    return [
        ("fluent" if n % 5 == 0 else "word_repetition", f"ep-{n % 4}", f"line {n} says says it", f"line {n} says it")
        for n in range(N)
    ]


def sentinel(number, known, off, on):
    row = item_rows([("fluent", "ep-0", off, on)])[0]
    return row | {"item_id": f"S-{number}", "role": "sentinel", "expected": known}


SENTINELS = [
    sentinel(1, KNOWN, "do not open it", "do open it"),
    sentinel(2, {"label": "safe-cleanup", "arm": "on"}, "um a clean one", "a clean one"),
]
UNSEEN = sentinel(3, {"label": "no-material-edit"}, "same", "same")
ROWS = item_rows(pairs()) + SENTINELS


class Study:
    """A frozen study with the options on, and its judges."""

    def __init__(self, folder, options=OPTIONS, rows=ROWS, adjudicator="ines", rules=RULES):
        self.world = fixed_world()
        self.store = open_store(folder)
        add_people(self.store, self.world)
        self.id = draft_study(self.store, self.world, protocol=rules + options, rows=rows, adjudicator=adjudicator)
        codes = [each.code for each in preparing.check(self.store, self.id).acknowledge]
        freezing.freeze(self.store, self.world, "local", self.id, codes)

    def judge(self, name):
        key = self.one(f"select id from account where name = '{name}'")  # noqa: S608
        return Judge(key, name, self.id, adjudication=name == "ines")

    def rows(self, sql):
        with self.store.read() as connection:
            return connection.exec_driver_sql(sql).all()

    def verified(self):
        with self.store.read() as connection:
            return verify.findings(connection)

    def of(self, judge, what="true"):
        """Return the tokens of a judge's slots."""
        found = f"select token from slot where account_id = {judge.account_id} and {what} order by position"  # noqa: S608
        return [row.token for row in self.rows(found)]

    def one(self, sql):
        return self.rows(sql)[0][0]

    def item(self, judge, token):
        with self.store.read() as connection:
            return judging.blind_item(connection, self.id, judge.account_id, token)

    def next(self, judge):
        with self.store.read() as connection:
            return judging.next_token(connection, self.id, judge.account_id)

    def send(self, judge, token, given, **more):
        item = self.item(judge, token)
        if not item.opened:
            reviewing.open_item(self.store, self.world, judge, token)
        form = {"version": [str(item.version)], "key": [f"{token}-{item.version}"], "label": [given.label]}
        form |= {"panel": [given.panel or ""], "reason": list(given.reasons)} | more
        act = adjudicating if judge.adjudication else reviewing
        act.submit(self.store, self.world, judge, token, form)

    def review(self, name, answer):
        """Answer everything of a list by a function of the item, then sign off."""
        judge = self.judge(name)
        while (token := self.next(judge)) is not None:
            self.send(judge, token, answer(self.item(judge, token)))
        reviewing.sign_off(self.store, self.world, judge)
        return judge

    def look(self):
        adjudicating.open_queue(self.store, self.world, self.judge("ines"))

    def settle(self, answer):
        judge = self.judge("ines")
        self.look()
        while (token := self.next(judge)) is not None:
            self.send(judge, token, answer(self.item(judge, token)), decision=["keep"])
        reviewing.sign_off(self.store, self.world, judge)

    def sample(self, judge):
        with self.store.read() as connection:
            asked = []
            for token in self.of(judge):
                found = judging.question(connection, self.id, judge.account_id, token)
                asked += [found] if found else []
        return sorted(asked, key=lambda each: each.number)

    def guess(self, judge, token, given):
        guessing.guess(self.store, self.world, judge, token, {"guess": [given]})

    def close(self):
        closing.close(self.store, self.world, "lena", self.id, reason="we stop here")
        return reporting.memo_of(self.store, self.world, "lena", self.id)


@pytest.fixture
def study(tmp_path):
    found = Study(tmp_path / "store")
    yield found
    found.store.close()


def alike(study, judge, *tokens):
    """Tell whether two items show the same pair, on whichever sides."""
    one, other = (study.item(judge, token) for token in tokens)
    return {one.text_a, one.text_b} == {other.text_a, other.text_b}


def shorter(item):
    return "A" if len(item.text_a) < len(item.text_b) else "B"


def cleaned(item):
    """The filtered text is the shorter one, and nothing is wrong with it."""
    return Judgement("safe-cleanup", shorter(item))


def careful(item):
    """As above, but that the damage of the sentinel is seen."""
    if "not" in item.text_a + item.text_b:
        return Judgement("destructive-content", shorter(item), reasons=("negation",))
    return cleaned(item)


def test_sentinels_and_repeats_stand_in_the_reviewers_lists_and_in_no_count_of_the_study(study):
    totals = study.rows("select account_id, count(*), sum(repeat) from slot where not adjudication group by 1")
    assert [tuple(row)[1:] for row in totals] == [(N + 2 + 4, 4)] * 2
    assert study.one("select count(*) from slot where adjudication") == N
    study.review("rosa", careful), study.review("ravi", careful)
    study.settle(careful)
    sample = study.close().sample
    assert (sample.imported, sample.agreed, sample.reviewed) == (N, N, N)
    assert sum(each.imported for each in sample.by_stratum.values()) == N


def test_the_memo_says_how_much_of_the_known_damage_was_found(study):
    study.review("rosa", careful), study.review("ravi", cleaned)
    study.settle(careful)
    memo = study.close()
    found = memo.quality.sentinels
    assert (found.destructive.numerator, found.destructive.denominator) == (1, 2)
    assert (found.clean.numerator, found.clean.denominator) == (2, 2)
    assert memo.primary.introduced.numerator == 0, "a sentinel is no outcome"


@pytest.mark.parametrize(("least", "held"), [(0.5, False), (0.6, True)])
def test_too_little_detection_holds_the_verdict(tmp_path, least, held):
    study = Study(tmp_path, OPTIONS + f"[gate]\nmin_sentinel_detection = {least}\n")
    study.review("rosa", careful), study.review("ravi", cleaned)
    study.settle(careful)
    verdict = study.close().verdict
    assert ("sentinel_detection" in [each.code for each in verdict.reasons]) is held
    assert verdict.status == ("INCONCLUSIVE_SYNTHETIC" if held else "PASS_SYNTHETIC")
    study.store.close()


def test_a_repeat_is_compared_with_the_answer_of_the_moment_at_which_it_was_opened(study):
    rosa = study.judge("rosa")
    again = study.of(rosa, "repeat")[0]
    first = next(token for token in study.of(rosa, "not repeat") if alike(study, rosa, token, again))
    study.send(rosa, first, Judgement("benign-retention"))
    reviewing.open_item(study.store, study.world, rosa, again)
    study.send(rosa, first, cleaned(study.item(rosa, first)))  # revised after a look at the repeat
    study.review("rosa", careful), study.review("ravi", careful)
    study.settle(careful)
    repeats = study.close().quality.repeats
    assert (repeats.numerator, repeats.denominator) == (7, 8)


def test_a_repeat_that_was_opened_before_its_original_was_answered_compares_nothing(study):
    rosa = study.judge("rosa")
    again = study.of(rosa, "repeat")[0]
    reviewing.open_item(study.store, study.world, rosa, again)
    study.review("rosa", careful), study.review("ravi", careful)
    study.settle(careful)
    assert study.close().quality.repeats.denominator == 7


def test_a_share_of_the_agreed_items_goes_to_the_adjudicator_and_changes_no_outcome(study):
    study.review("rosa", careful), study.review("ravi", careful)
    study.look()
    assert study.one("select count(*) from slot where routed") == 5
    study.settle(lambda _: Judgement("destructive-content", "both", reasons=("negation",)))
    memo = study.close()
    assert (memo.adjudication.routed, memo.sample.agreed, memo.verdict.status) == (0, N, "PASS_SYNTHETIC")
    audits = memo.adjudication.audit_agreed
    assert (audits.numerator, audits.denominator) == (0, 5)


def test_audits_that_come_to_the_same_uphold(study):
    study.review("rosa", careful), study.review("ravi", careful)
    study.settle(careful)
    audits = study.close().adjudication.audit_agreed
    assert (audits.numerator, audits.denominator) == (5, 5)


def test_the_audits_are_those_drawn_at_the_freeze_also_when_a_set_was_reopened_and_signed_again(study):
    study.review("rosa", careful), study.review("ravi", careful)
    closing.reopen(study.store, study.world, "lena", study.id, "ravi", "he asked")
    reviewing.sign_off(study.store, study.world, study.judge("ravi"))
    drawn = study.rows("select item from slot where adjudication order by rank limit 5")
    study.look()
    assert sorted(study.rows("select item from slot where routed")) == sorted(drawn)


def test_a_pair_that_counts_as_the_same_is_never_audited_for_the_adjudicator_would_know_it(tmp_path):
    options = '[review]\naudit_agreed = 0.5\nidentical_pairs = "review"\n'
    alike = [(stratum, cluster, off, off if n < 6 else on) for n, (stratum, cluster, off, on) in enumerate(pairs())]
    study = Study(tmp_path, options, rows=item_rows(alike))
    same = Judgement("no-material-edit")
    study.review("rosa", lambda _: same), study.review("ravi", lambda _: same)
    study.look()
    audited = study.rows("select equivalent from slot join item on item.id = slot.item where routed")
    assert audited == [(False,)] * ((N - 6) // 2)
    study.store.close()


def test_a_sign_off_is_the_same_work_for_the_first_and_the_last_who_sign(study):
    statements = []
    event.listen(study.store.engine, "before_cursor_execute", lambda _c, _k, sql, *_: statements.append(sql))
    told = {}
    for name in ("rosa", "ravi"):
        study.review(name, careful)
        told[name] = statements[len(statements) - statements[::-1].index("BEGIN IMMEDIATE") :]
    assert told["rosa"] == told["ravi"]


def test_the_blinding_check_asks_a_share_of_each_judges_own_items_once_signed(study):
    rosa = study.judge("rosa")
    assert study.sample(rosa) == []
    study.review("rosa", careful)
    asked = study.sample(rosa)
    assert [each.number for each in asked] == [1, 2, 3, 4, 5]
    assert {each.total for each in asked} == {5}
    assert not [each for each in asked if "known" in each.item.text_a or "not" in each.item.text_a]


def test_a_guess_is_given_once_and_is_audited(study):
    rosa = study.review("rosa", careful)
    token = study.sample(rosa)[0].token
    study.guess(rosa, token, "A")
    study.guess(rosa, token, "A")
    with pytest.raises(Refused):
        study.guess(rosa, token, "B")
    assert study.rows("select guess from guess") == [("A",)]
    assert study.one("select count(*) from audit_event where event = 'guess.stored'") == 1
    assert study.verified() == []
    with study.store.write() as connection:
        connection.exec_driver_sql("update guess set guess = 'B'")
    assert study.verified() == ["study pilot: the guesses of the blinding check were changed"]


def test_a_guess_is_taken_for_items_of_the_own_sample_alone_and_before_the_close(study):
    rosa, ravi = study.review("rosa", careful), study.review("ravi", careful)
    asked = {each.token for each in study.sample(rosa)}
    other = next(each.token for each in study.sample(ravi))
    unasked = next(
        row.token for row in study.rows("select token from slot where account_id = 1") if row.token not in asked
    )
    for token in (other, unasked, "nothing"):
        with pytest.raises(NotFound):
            study.guess(rosa, token, "A")
    with pytest.raises(InvalidInput):
        study.guess(rosa, next(iter(asked)), "on")
    study.settle(careful)
    study.close()
    with pytest.raises(Refused):
        study.guess(rosa, next(iter(asked)), "A")


def test_whoever_leaves_leaves_no_repeat_of_what_was_not_answered(study):
    with study.store.write() as connection:
        connection.exec_driver_sql("update account set lead = 0")
    replacing.replace(study.store, study.world, "lena", study.id, "ravi", "otto", "he moved away")
    rows = study.rows("select a.name, sum(repeat), count(*) from slot join account a on a.id = account_id group by 1")
    assert {row[0]: tuple(row)[1:] for row in rows} == {"ines": (0, N), "otto": (0, N + 2), "rosa": (4, N + 6)}
    study.review("rosa", careful), study.review("otto", careful)
    study.settle(careful)
    assert study.close().sample.agreed == N
    assert study.verified() == []


def test_a_sentinel_withdrawn_after_the_close_stays_in_its_counts(study):
    study.review("rosa", careful), study.review("ravi", careful)
    study.settle(careful)
    before = study.close()
    withdrawing.withdraw(study.store, study.world, "lena", study.id, "item", "S-1", "a participant asked")
    assert reporting.memo_of(study.store, study.world, "lena", study.id).quality == before.quality
    assert study.verified() == []


def test_with_every_option_off_nothing_of_them_is_stored_and_the_memo_says_so(tmp_path):
    study = Study(tmp_path, options="", rows=item_rows(pairs()))
    assert study.one("select count(*) from slot where repeat or rank is not null") == 0
    study.review("rosa", careful), study.review("ravi", careful)
    study.settle(careful)
    memo = study.close()
    absent = (memo.quality.repeats, memo.quality.sentinels.clean, memo.adjudication.audit_agreed)
    assert {each.null_reason for each in absent} == {"not_enabled"}
    study.store.close()


@pytest.mark.parametrize(
    ("options", "rows", "adjudicator", "field"),
    [
        ("[review]\nsentinels = true\n", item_rows(pairs()), "ines", "items"),
        (
            "[review]\nsentinels = true\n",
            [*ROWS, UNSEEN],
            "ines",
            "items",
        ),
        ("[gate]\nmin_sentinel_detection = 0.5\n", ROWS, "ines", "gate.min_sentinel_detection"),
        (
            "[review]\nsentinels = true\n[gate]\nmin_sentinel_detection = 0.5\n",
            [*item_rows(pairs()), SENTINELS[1]],
            "ines",
            "gate.min_sentinel_detection",
        ),
        ("[review]\naudit_agreed = 0.1\n", item_rows(pairs()), None, "people"),
    ],
)
def test_an_option_that_lacks_what_it_needs_stops_the_freeze(tmp_path, options, rows, adjudicator, field):
    with pytest.raises(InvalidInput) as refused:
        Study(tmp_path, options, rows, adjudicator)
    assert [problem.field for problem in refused.value.problems] == [field]


def test_sentinels_that_nobody_will_see_are_a_warning(tmp_path):
    world = fixed_world()
    store = open_store(tmp_path)
    add_people(store, world)
    draft_study(store, world, protocol=RULES, rows=ROWS)
    report = preparing.check(store, "pilot")
    assert report.errors == ()
    assert any("sentinel items (2)" in warning for warning in report.warnings)
    store.close()


def test_a_study_with_an_extension_is_frozen_and_its_memo_reports_it_apart(tmp_path):
    rules = RULES.replace('controls = ["fluent"]', 'controls = ["fluent"]\nextension = ["block"]')
    rules = rules.replace("fluent = 4 }", "fluent = 4, block = 2 }")
    blocks = [("block", "ep-9", f"b-b-block number {n}", f"block number {n}") for n in (1, 2)]
    study = Study(tmp_path, options="", rows=item_rows([*pairs(), *blocks]), rules=rules)
    study.review("rosa", careful), study.review("ravi", careful)
    study.settle(careful)
    memo = study.close()
    assert (memo.sample.imported, memo.extension["block"].sample.agreed) == (N, 2)
    assert memo.agreement.n == memo.primary.introduced.denominator == N
    assert memo.wer.semantic.scored == N
    study.store.close()


@pytest.mark.parametrize("kind", ["item", "cluster", "source"])
def test_a_study_whose_sentinels_were_withdrawn_before_the_close_has_its_memo(tmp_path, kind):
    row = SENTINELS[0] | {"cluster": "ep-sentinel"}
    value = {"item": "S-1", "cluster": "ep-sentinel", "source": "invented"}[kind]
    study = Study(tmp_path, rows=[*item_rows(pairs()), row, SENTINELS[1]])
    withdrawing.withdraw(study.store, study.world, "lena", study.id, kind, value, "a participant asked")
    study.review("rosa", careful), study.review("ravi", careful)
    study.settle(careful)
    assert study.close().quality.sentinels.destructive.null_reason == "no_items"
    assert study.verified() == []
    study.store.close()


def test_what_is_withdrawn_leaves_the_blinding_check_and_nothing_takes_its_place(study):
    rosa = study.review("rosa", careful)
    before = [each.token for each in study.sample(rosa)]
    study.guess(rosa, before[0], "A")
    gone = study.one(f"select i.item_id from item i join slot s on s.item = i.id where s.token = '{before[1]}'")  # noqa: S608
    withdrawing.withdraw(study.store, study.world, "lena", study.id, "item", gone, "a participant asked")
    assert [each.token for each in study.sample(rosa)] == [before[0], *before[2:]]


def test_a_guess_of_a_set_that_was_reopened_and_never_signed_again_is_not_counted(study):
    rosa = study.review("rosa", careful)
    study.guess(rosa, study.sample(rosa)[0].token, "A")
    closing.reopen(study.store, study.world, "lena", study.id, "rosa", "she asked")
    assert study.close().quality.blinding_index["reviewer"].null_reason == "no_items"


def test_a_known_answer_that_the_comparator_makes_impossible_stops_the_freeze(tmp_path):
    same = sentinel(4, KNOWN, "Call Mark", "call mark")
    options = '[review]\nsentinels = true\nidentical_pairs = "review"\ncomparator = "whitespace-case"\n'
    with pytest.raises(InvalidInput, match="nobody could give"):
        Study(tmp_path, options, [*ROWS, same])


@pytest.mark.parametrize(
    ("changed", "told"), [({}, False), ({"lang": "de"}, True), ({"semantic_reference": None}, True)]
)
def test_sentinels_that_show_by_what_they_lack_must_be_acknowledged(tmp_path, changed, told):
    world, store = fixed_world(), open_store(tmp_path)
    add_people(store, world)
    rows = [*item_rows(pairs()), *({**row, **changed} for row in SENTINELS)]
    draft_study(store, world, protocol=RULES + OPTIONS, rows=rows)
    codes = {each.code: each.count for each in preparing.check(store, "pilot").acknowledge}
    assert codes.get("sentinels_differ") == (2 if told else None)
    assert "surplus" not in codes, "a sentinel is none of the planned items"
    store.close()

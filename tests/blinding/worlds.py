"""Two stores equal in all but the secret arm, and one script of every judge driven over both.

In the other world the texts of off and on are exchanged and every drawn side is turned, so
that each judge sees the very same texts on the very same sides. Whatever then differs in an
answer is a leak. Bytes are compared raw: nothing is masked, clock and chance come from the
fixed world.
"""

import contextlib
import copy
import functools
import itertools
import json
import logging
import re
import shutil
from urllib.parse import urlencode

import pytest
from starlette.testclient import TestClient

from app.actions import practising
from app.config import Settings
from app.domain.manifest import canonical
from app.store.migrate import open_store
from app.web.app import create_app
from tests.house import (
    CHEAP,
    ORIGIN,
    PORT,
    PROTOCOL,
    Page,
    Person,
    add_people,
    fixed_world,
    frozen_study,
    item_rows,
    password_of,
    practice_row,
)
from tests.sounds import wav

WORDS = ["red", "blue", "green", "seven", "maybe", "not", "Omar", "stable", "dose", "left"]


def pairs(n):
    """Return n pairs, each unlike the others, most of them changed in one word."""
    found = []
    for number in range(n):
        word, other = WORDS[number % len(WORDS)], WORDS[(number * 3 + 1) % len(WORDS)]
        off = f"um line {number} says says {word} and {other} \u00ad today"
        on = f"line {number} says {word} and {other} today" if number % 9 else off
        found.append(("fluent" if number % 4 == 0 else "word_repetition", f"ep-{number % 7:02}", off, on))
    return found


def heard(number):
    """Name a recording for most items; of some it is missing."""
    names = ("a.wav", "b.wav", None, "missing.wav")
    return {"audio": names[number % 4]}


WIDE = PROTOCOL.replace("word_repetition = 4, fluent = 2", "word_repetition = 400, fluent = 400")
REVIEWED = WIDE + '[review]\nidentical_pairs = "review"\n'
RIGOROUS = (
    REVIEWED
    + """practice = true
sentinels = true
repeats = 0.1
audit_agreed = 0.2
blinding_check = 0.1
"""
)
KNOWN = (
    {"label": "destructive-content", "arm": "on", "reasons": ["negation"]},
    {"label": "destructive-structure", "arm": "off", "reasons": ["joined_fragments"]},
    {"label": "safe-cleanup", "arm": "on"},
)


def sentinels():
    """Return one item for each known answer, unlike all others."""
    texts = [("fluent", "ep-00", f"known {number} not it", f"known {number} it") for number in range(len(KNOWN))]
    return [
        row | {"item_id": f"S-{number}", "role": "sentinel", "expected": known}
        for number, (row, known) in enumerate(zip(item_rows(texts), KNOWN, strict=True))
    ]


def two_stores(folder, n):
    """Build one study of n items, and its twin with every arm exchanged; return both folders."""
    one, other = folder / "one", folder / "other"
    world = fixed_world("build")
    store = open_store(one)
    add_people(store, world)
    rows = (
        [row | heard(number) for number, row in enumerate(item_rows(pairs(n)))]
        + sentinels()
        + [practice_row(number) | heard(number) for number in (1, 2, 3)]
    )
    frozen_study(store, world, protocol=RIGOROUS, rows=rows, sounds={"a.wav": wav(), "b.wav": wav(tone=550)})
    store.close()
    shutil.copytree(one, other)
    exchange_arms(other)
    return one, other


def exchange_arms(folder):
    store = open_store(folder)
    with store.write() as connection:
        for key, content in connection.exec_driver_sql("select id, content from item").all():
            item = json.loads(content)
            item["off"], item["on"] = item["on"], item["off"]
            if (known := item.get("expected")) and known["arm"] in OTHER:
                known["arm"] = OTHER[known["arm"]]
            connection.exec_driver_sql("update item set content = ? where id = ?", (canonical(item).decode(), key))
        for drawn in ("slot", "practice"):
            turned = "set on_panel = case on_panel when 'A' then 'B' else 'A' end"
            connection.exec_driver_sql(f"update {drawn} {turned}")
    store.close()


OTHER = {"off": "on", "on": "off"}


@contextlib.contextmanager
def practice_drawn_turned():
    """Turn every side of a new practice round too: both worlds then show the same texts on the same sides."""
    honest = practising.draw

    def turned(connection, world, study_id, account_id):
        count = honest(connection, world, study_id, account_id)
        turn = "update practice set on_panel = case on_panel when 'A' then 'B' else 'A' end where account_id = ?"
        connection.exec_driver_sql(turn, (account_id,))
        return count

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(practising, "draw", turned)
        yield


class Recorder(logging.Handler):
    """Keeps every answer's raw bytes and every log line of whatever level, in order."""

    def __init__(self):
        super().__init__(1)
        self.seen = []

    def emit(self, record):
        if record.name.startswith("http"):
            return  # the browser's own
        self.seen.append(("log", record.name, record.getMessage()))

    def answer(self, answer):
        raw = (answer.status_code, answer.headers.raw, answer.content)
        self.seen.append((answer.request.method, str(answer.request.url), *raw))


class Reader(Person):
    """A person who reads a page that somebody has read before from memory: the other world shows the same bytes."""

    def page(self, path):
        answer = self.get(path)
        assert answer.status_code == 200, (path, answer.status_code, answer.text[:500])
        return read(answer.text)


def read(html):
    return copy.deepcopy(parsed(html))


@functools.lru_cache(maxsize=4_000)
def parsed(html):
    return Page(html)


@contextlib.contextmanager
def listening(recorder):
    """Let a recorder hear every logger at every level, also those that have a level of their own.

    But for SQLAlchemy's, which at these levels print the store's rows, arms included: no setting of the program
    turns them on.
    """
    root = logging.getLogger()
    names = [name for name in logging.Logger.manager.loggerDict if not name.startswith("sqlalchemy")]
    before = [(each, each.level) for each in (root, *map(logging.getLogger, names))]
    root.addHandler(recorder)
    for each, _ in before:
        each.setLevel(1)
    try:
        yield
    finally:
        root.removeHandler(recorder)
        for each, level in before:
            each.setLevel(level)


@contextlib.contextmanager
def world_at(folder):
    """Open one of two stores; give it as an application, and a recorder of all that can be observed of it."""
    store, recorder = open_store(folder), Recorder()
    turning = practice_drawn_turned() if folder.name == "other" else contextlib.nullcontext()
    try:
        with turning:
            settings = Settings(port=PORT, host_name="quiet-name.localhost")
            yield create_app(store, fixed_world("drive"), settings, CHEAP), recorder
    finally:
        store.close()


def drive(folder, script):
    """Run a script over a store and return all that could be observed."""

    def visit(name, *, signed_in=True):
        client = browsers.enter_context(TestClient(app, base_url=ORIGIN, follow_redirects=False))
        client.event_hooks["response"].append(lambda answer: (answer.read(), recorder.answer(answer)))
        person = Reader(client, name)
        return person.sign_in() if signed_in else person

    with world_at(folder) as (app, recorder), listening(recorder), contextlib.ExitStack() as browsers:
        script(visit)
    return recorder.seen


def first_difference(one, other):
    """Return the first thing seen in which two worlds differ; None where they are the same to the last byte."""
    return next(((left, right) for left, right in itertools.zip_longest(one, other) if left != right), None)


def whole_script(visit):
    """Drive all that a judge can do before the close, and all that can go wrong with it.

    Both reviewers and the adjudicator: sign in, practise twice, review with recordings, drafts, flags, errors and
    conflicts, lose the session, revise, sign off, guess; a set is reopened and signed again; both steps of
    adjudication. Strangers and the lead look in between.
    """
    strange(visit("nobody", signed_in=False))
    known = []
    judge(visit("rosa"), "/review", 0, known)
    wait(visit("ines"))
    judge(visit("ravi"), "/review", 1, known)
    lead(visit("lena"))
    judge_again(visit("rosa"))
    judge(visit("ines"), "/adjudicate", 2, known)
    lead(visit("lena"), reopens=False)


def strange(person):
    """Ask as somebody who is not signed in, and sign in wrongly."""
    for path in ("/", "/login", "/login?back=/review/none", "/code", "/session", "/healthz", "/review", "/adjudicate"):
        person.get(path)
    person.get("/review/next", headers={"HX-Request": "true"})  # 401
    for said in ({"username": "rosa", "password": "a wrong password"}, {"username": "", "password": ""}, {}):
        person.post("/login", said)
    person.post("/code", {"username": "rosa", "code": "none", "password": "short"})
    person.post("/review/none", {"label": "no-material-edit"})


def wait(person):
    """Look in as an adjudicator before the queue opens."""
    for path in ("/", "/adjudicate", "/adjudicate/next", "/adjudicate/guess", "/adjudicate/receipt", "/protocol"):
        person.get(path)
    person.sign_off("/adjudicate")


def lead(person, *, reopens=True):
    """Look at every page of the study before the close, try for an outcome, and reopen a set or fail to."""
    place = "/lead/studies/pilot"
    parts = ("protocol", "rights", "items", "people", "freeze", "withdraw", "results", "cases", "export")
    for path in ("/", "/lead", "/lead/accounts", place, *(f"{place}/{part}" for part in parts)):
        person.get(path)
    csrf = person.page("/account").form_to("/logout").fields["csrf"][0]
    answer = person.post(f"{place}/reopen", {"csrf": csrf, "name": "rosa", "reason": "she asked"})
    assert answer.status_code == (303 if reopens else 409)
    person.post(f"{place}/close", {"csrf": csrf, "reason": ""})  # 422: nobody said why


def judge(person, base, turn, known):
    """Do all that one judge does. `known`: addresses of other judges' items, to which this judge's are added."""
    look_around(person, base)
    practise(person, base)
    person.sign_off(base)  # 409
    done = review(person, base, turn, known)
    known += done
    look_through(person, base)
    revise(person, base, done[0])
    person.sign_off(base)
    look_through(person, base)
    person.get(f"{base}/receipt")
    refuse_late(person, base, done[1])
    guess(person, base)
    person.get(base)
    person.send(person.page("/account").form_to("/logout"))
    person.get(base)


def judge_again(person):
    """Look at a set that was reopened, change an answer, sign off again."""
    look_through(person, "/review")
    place = tokens(person.get("/review").text)[0]
    revise(person, "/review", f"/review/{place}")
    person.sign_off("/review")
    person.get("/review/receipt")
    person.get("/review/guess")


def tokens(html):
    return re.findall(r'href="/\w+/([0-9a-f]{32})"', html)


def look_around(person, base):
    for path in ("/", base, "/guide", "/protocol", "/account", "/session", f"{base}/receipt", f"{base}/practice"):
        person.get(path)
    form = person.page("/account").form_to("/account/look")
    person.send(form, theme="dark", text_size="large"), person.send(form, theme="plaid")
    person.send(person.page("/account").form_to("/account"), current="wrong", password="short")
    person.get("/account?changed=look")


def practise(person, base):
    """Go through the practice round twice, with errors, recordings, and a look back at the feedback."""
    for once_more in (True, False):
        turn = 0
        while "/practice/" in (where := person.get(f"{base}/next").headers["location"]):
            turn += 1
            page = person.page(where)
            form, said = page.judging_form(), judgement(page, turn)
            person.answer(page, label="nonsense")  # 422
            person.get(f"{where}/audio")
            person.send(form, headers={"HX-Request": "true"} if turn % 2 else None, **said)
            person.get(where), person.answer(page, label="no-material-edit")
        person.get(f"{base}/practice"), person.get(f"{base}/practice/none")
        if once_more:
            person.send(person.page(f"{base}/practice").form_to(f"{base}/practice"))


def review(person, base, turn, known):
    """Answer everything that is open; return the addresses of what was answered."""
    ranges = ("bytes=0-", "bytes=100-200", "bytes=-50", "bytes=99999-", "nonsense")
    places, seen = [], 0
    while (found := person.next_page(base)) is not None:
        where, page = found
        places += [] if where in places else [where]
        seen += 1
        form, said = page.judging_form(), judgement(page, seen + turn)
        if "decision" in form.names:
            said |= ({"decision": "keep"}, {"decision": "unresolved", "unresolved_reason": "needs_policy"})[seen % 2]
            said |= {"decision": "change"} if seen % 5 == 0 else {}
        if seen % 3 == 0:
            person.get(f"{where}/audio")
            person.get(f"{where}/audio", headers={"Range": ranges[seen // 3 % len(ranges)]})
        if seen % 7 == 0:
            flag(person, where, form, seen)
        if seen % 10 == 0:
            draft(person, where, form, seen, said)
            person.answer(page, label="safe-cleanup", panel="both")  # 422
            person.answer(page, label="nonsense")  # 422
            person.answer(page)  # 422
        if seen % 15 == 0:
            person.send(form, version="7", **said)  # 409
            person.get(f"{base}/no-such-token")
        if seen == 4:
            err(person, base, where, form, known)
        if seen == 6:
            lose_the_session(person, where, form)
        person.send(form, headers={"HX-Request": "true"} if seen % 3 == 0 else None, **said)
        if seen % 12 == 0:
            person.send(form, **said)  # the same once more
    return places


def flag(person, where, form, seen):
    scripted = {"HX-Request": "true"} if seen % 2 else None
    person.send(form, path=f"{where}/flag", headers=scripted, note=f"later, {seen}")
    person.get(where)
    if seen % 3:
        person.send(form, path=f"{where}/unflag", headers=scripted)


def draft(person, where, form, seen, said):
    person.send(form, path=f"{where}/draft", label=said["label"], note=f"draft {seen}")
    person.get(where)
    person.send(form, path=f"{where}/draft", headers={"HX-Request": "true"}, **said | {"note": f"draft {seen} \u00ad"})
    person.send(form, path=f"{where}/draft", version="7", note="stale")  # 409
    person.send(form, path=f"{where}/draft", label="nonsense")
    person.get(where)


def err(person, base, where, form, known):
    """Go wrong on one item in every way in which a request can."""
    for method in ("PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "TRACE"):
        person.client.request(method, where, headers=person.headers)
    for path in ("/review", "/adjudicate", "/lead", "/lead/studies/pilot", "/nothing", "/static/none.js", "/docs"):
        person.get(path)
    for other in (*known[:2], f"{base}/guess/none", f"{base}/practice/none/audio", f"{base}/next/audio"):
        person.get(other), person.get(f"{other}/audio")
        person.send(form, path=other, label="no-material-edit")
        person.send(form, path=f"{other}/draft", note="not mine")
    for change in ({"csrf": "forged"}, {"csrf": None}, {"version": "x"}, {"version": None}, {"key": None}):
        person.send(form, label="no-material-edit", **change)
    foreign = ({"Origin": "http://evil.example"}, {"Sec-Fetch-Site": "cross-site"}, {"Host": "evil.example"})
    for headers in foreign:
        person.send(form, headers=headers, label="no-material-edit")  # 403
    person.get(where, headers={"Host": "evil.example"})
    person.send(form, note="x" * (1 << 20), label="no-material-edit")  # 413
    person.post(where, None, **{"Content-Type": "multipart/form-data"})
    person.get(where)


def lose_the_session(person, where, form):
    """Send an answer without a session, with and without the script, and sign in again with what was not sent."""
    person.client.cookies.clear()
    person.get(where), person.get(f"{where}/audio")
    person.send(form, label="no-material-edit"), person.send(form, headers={"HX-Request": "true"}, note="unsent")
    fields = {name: values[0] for name, values in form.fields.items() if values} | {"note": "what was not sent"}
    kept = {"back": where, "kept": urlencode(fields)}
    person.post("/login", kept)
    person.post("/login", kept | {"username": person.name, "password": "a wrong password"})
    answer = person.post("/login", kept | {"username": person.name, "password": password_of(person.name)})
    assert answer.headers["location"] == where
    assert "what was not sent" in person.get(where).text
    form.fields["csrf"] = person.page(where).judging_form().fields["csrf"]
    ending = person.page("/account").form_to("/account/sessions")  # of the session that was lost
    person.send(ending), person.send(ending, which="none", own_password="wrong")  # 422
    assert person.send(ending, which="others", own_password=password_of(person.name)).status_code == 303
    person.get("/account?changed=sessions")


def revise(person, base, where):
    """Change an answer that is stored: look, send another, send it stale, look again."""
    page = person.page(where)
    said = {"label": "unassessable-disputed", "reason": ["segment_cut_off"], "note": "on second thoughts"}
    said |= {"decision": "change"} if "decision" in page.judging_form().names else {}
    person.answer(page, **said)
    person.answer(page, **said | {"note": "from an old tab", "key": "another"})  # 409
    person.get(where), person.get(base)


def refuse_late(person, base, where):
    """Try to change an item of a set that is signed."""
    page = person.page(where)
    fields = {"csrf": person.page("/account").form_to("/logout").fields["csrf"][0], "version": "1", "key": "late"}
    for act in ("", "/draft", "/flag", "/unflag"):
        person.post(f"{where}{act}", fields | {"label": "no-material-edit"})
    person.get(f"{where}/audio"), person.get(f"{base}/next")
    assert page.panels
    person.post(f"{base}/sign-off", fields)


def guess(person, base):
    """Answer the blinding check, with errors, and with a change of mind that comes too late."""
    guessed = 0
    while (where := person.get(f"{base}/guess").headers["location"]) != base:
        guessed += 1
        form = person.page(where).form_to(where)
        person.send(form)  # 422
        person.send(form, guess=("A", "B", "cannot_tell")[guessed % 3])
        person.send(form, guess=("A", "B", "cannot_tell")[(guessed + 1) % 3])  # 409
        person.get(where)
    assert guessed


def look_through(person, base):
    """Ask for the own list by state, answer, page and words: some that stand in one text alone, and some in both."""
    person.get(base)
    queries = ("open", "answered", "drafted", "flagged", "nonsense")
    for query in (*(f"show={state}" for state in queries), "answer=safe-cleanup", "page=2", "page=99"):
        person.get(f"{base}?{query}")
    for words in ("um line", "and", "line 1", "says says", "says red", "nothing has this"):
        form = read(person.get(base).text).form_to(base)
        assert person.send(form, words=words, page="2").status_code == 200


def judgement(page, number):
    """Judge by what the panels show alone: both worlds show the same."""
    longer = "A" if len(page.panels["A"]) >= len(page.panels["B"]) else "B"
    if page.panels["A"] == page.panels["B"]:
        return {"label": "no-material-edit"}
    return (
        {"label": "safe-cleanup", "panel": "B" if longer == "A" else "A"},
        {"label": "destructive-content", "panel": longer, "reason": ["negation"], "severity": "clinical"},
        {"label": "destructive-correction", "panel": "both", "reason": ["reversed"]},
        {"label": "benign-retention"},
        {"label": "destructive-content", "panel": "B", "also": "destructive-structure", "reason": ["quantity"]},
        {"label": "unassessable-disputed", "reason": ["source_ambiguous"], "note": "I cannot tell."},
        {"label": "no-material-edit", "group": ["fluent"]},
    )[number % 7]

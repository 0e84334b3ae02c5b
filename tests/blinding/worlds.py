"""Two stores equal in all but the secret arm, and one script of every judge driven over both.

In the other world the texts of off and on are exchanged and every drawn side is turned, so
that each judge sees the very same texts on the very same sides. Whatever then differs in an
answer is a leak. Bytes are compared raw: nothing is masked, clock and chance come from the
fixed world.
"""

import contextlib
import json
import logging
import shutil

from starlette.testclient import TestClient

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
        + [practice_row(number) for number in (1, 2, 3)]
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


class Recorder(logging.Handler):
    """Keeps every answer's raw bytes and every log line, in order."""

    def __init__(self):
        super().__init__(logging.DEBUG)
        self.seen = []

    def emit(self, record):
        self.seen.append(("log", record.name, record.getMessage()))

    def answer(self, answer):
        raw = (answer.status_code, answer.headers.raw, answer.content)
        self.seen.append((answer.request.method, str(answer.request.url), *raw))


def drive(folder, script):
    """Run a script over a store and return all that could be observed."""
    store, recorder = open_store(folder), Recorder()
    settings = Settings(port=PORT, host_name="quiet-name.localhost")
    app = create_app(store, fixed_world("drive"), settings, CHEAP)
    root = logging.getLogger()
    before = root.level
    root.addHandler(recorder)
    root.setLevel(logging.INFO)

    browsers = contextlib.ExitStack()

    def visit(name):
        client = browsers.enter_context(TestClient(app, base_url=ORIGIN, follow_redirects=False))
        client.event_hooks["response"].append(lambda answer: (answer.read(), recorder.answer(answer)))
        return Person(client, name).sign_in()

    try:
        script(visit)
    finally:
        browsers.close()
        root.removeHandler(recorder)
        root.setLevel(before)
        store.close()
    return recorder.seen


def whole_script(visit):
    """Sign in, review with drafts, errors and conflicts, sign off, guess, adjudicate both steps, sign out."""
    for name, turn in (("rosa", 0), ("ravi", 1)):
        judge(visit(name), "/review", turn)
    judge(visit("ines"), "/adjudicate", 2)


def judge(person, base, turn):
    ranges = ("bytes=0-", "bytes=100-200", "bytes=-50", "bytes=99999-", "nonsense")
    person.get("/"), person.get(base), person.get("/guide"), person.get("/account")
    seen = 0
    person.get(f"{base}/practice")
    while (found := person.next_page(base)) is not None:
        where, page = found
        seen += 1
        form = page.judging_form()
        if "/practice/" in where:
            said = judgement(page, seen)
            person.answer(page, label="nonsense")  # 422
            person.send(form, headers={"HX-Request": "true"} if seen % 2 else None, **said)
            person.get(where)
            continue
        if seen % 8 == 0:
            person.get(f"{where}/audio")
            person.get(f"{where}/audio", headers={"Range": ranges[seen // 8 % len(ranges)]})
        if "decision" in form.names:
            said = ({"decision": "keep"}, {"decision": "unresolved", "unresolved_reason": "needs_policy"})[seen % 2]
            person.answer(page, **said)
            continue
        said = judgement(page, seen + turn)
        if seen % 10 == 0:
            person.answer(page, label="safe-cleanup", panel="both")  # 422
            person.answer(page, label="nonsense")  # 422
            person.send(form, path=f"{where}/draft", label=said["label"], note=f"draft {seen}")
            person.get(where)
        if seen % 15 == 0:
            person.send(form, version="7", label="no-material-edit")  # 409
            person.get(f"{base}/no-such-token")
        if seen % 3 == 0:
            person.send(form, headers={"HX-Request": "true"}, **said)
        else:
            person.answer(page, **said)
    look_through(person, base)
    person.get(f"{base}/practice")
    person.sign_off(base)
    look_through(person, base)
    person.get(f"{base}/receipt")
    guessed = 0
    while (where := person.get(f"{base}/guess").headers["location"]) != base:
        guessed += 1
        form = person.page(where).form_to(where)
        person.send(form)  # 422
        person.send(form, guess=("A", "B", "cannot_tell")[guessed % 3])
    assert guessed
    person.get(base)
    person.send(Page(person.get("/account").text).form_to("/logout"))


def look_through(person, base):
    """Ask for the own list by state, answer, page and words: some that stand in one text alone, and some in both."""
    person.get(base)
    for query in ("show=open", "show=answered", "show=drafted", "show=flagged", "answer=safe-cleanup", "page=2"):
        person.get(f"{base}?{query}")
    for words in ("um line", "and", "line 1", "says says", "says red", "nothing has this"):
        form = Page(person.get(base).text).form_to(base)
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

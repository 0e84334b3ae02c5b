"""Every route of the application, and one study's way through all that take a form."""

import tomllib
from dataclasses import dataclass, field

from fastapi.routing import iter_route_contexts

from app.actions import accounts
from scripts.make_selection_pool import FIXTURES
from tests.house import (
    PROTOCOL,
    RIGHTS,
    Person,
    add_people,
    frozen_study,
    item_rows,
    jsonl,
    password_of,
    practice_row,
)
from tests.sounds import wav

PAIRS = [
    ("word_repetition", "ep-one", "I I want the pen", "I want the pen"),
    ("fluent", "ep-two", "she had had enough already", "she had enough already"),
]
POOL = (FIXTURES / "pool.csv").read_bytes()
DRAW = (FIXTURES / "protocol.toml").read_bytes()
CHECKED = PROTOCOL + "[review]\npractice = true\nblinding_check = 0.5\n"  # of the two pairs one
TABLE = (
    "Nr;Gruppe;Sprecher;roh;ohne Filter;mit Filter;Rohtext\n"
    "M-1;fluent;Jörg;x;das das grüne Haus;das grüne Haus;das das grüne Haus\n"
).encode("cp1252")
NEW_PASSWORD = "seven tidy umbrellas"
ENTRY = tomllib.loads(RIGHTS)["source"][0] | {"decided_at": "2026-02-03", "licence": "CC0-1.0"}


def routes(app):
    """Return (method, path) of every route; what is mounted has no method."""
    return {(method, each.path) for each in iter_route_contexts(app.routes) for method in each.methods or ["mount"]}


def snapshot(store):
    """Return every row of every table, but for when a session was last seen, and what wrong passwords are counted."""
    with store.read() as connection:
        names = connection.exec_driver_sql("select name from sqlite_master where type = 'table'").scalars().all()
        columns = dict.fromkeys(names, "*") | {"session": "token_hash, account_id, csrf, study_id"}
        return {
            name: connection.exec_driver_sql(f"select {columns[name]} from {name}").all()  # noqa: S608
            for name in names
            if name != "throttle"
        }


@dataclass
class Step:
    """A form about to be sent: by whom, to which route, and with which controls."""

    person: Person
    route: str
    path: str
    fields: dict = field(default_factory=dict)
    file: tuple | None = None
    more: dict = field(default_factory=dict)  # files from other controls than `file`

    def send(self, headers=None, *, file=None, more=None, **changes):
        """Send it with other headers, other files or other controls; None leaves a control out."""
        fields = {name: value for name, value in (self.fields | changes).items() if value is not None}
        sent = file or self.file
        return self.person.client.post(
            self.path,
            data=fields,
            files=({"file": sent} | (self.more if more is None else more)) if sent else None,
            headers=self.person.headers if headers is None else headers,
        )


def prepare(store, world, **more):
    """Make the cast, somebody with a one-time code, and a frozen study of two pairs, or another; return the code."""
    add_people(store, world)
    rows = [row | {"audio": name} for row, name in zip(item_rows(PAIRS), ("a.wav", "missing.wav"), strict=True)]
    rows += [practice_row(1), practice_row(2)]
    frozen_study(store, world, **{"protocol": CHECKED, "rows": rows, "sounds": {"a.wav": wav()}} | more)
    return accounts.add(store, world, None, "nils", lead=False)


def way(visit, code):
    """Take the study to its end and make another; before each form that a route takes, give it to the caller as a Step.

    What the caller does with it must change nothing: the form is then sent, and is taken.
    """
    rosa, nils = visit("rosa", signed_in=False), visit("nils", signed_in=False)
    yield from _sent(Step(rosa, "/login", "/login", {"username": "rosa", "password": password_of("rosa")}))
    said = {"username": "nils", "code": code, "password": NEW_PASSWORD}
    yield from _sent(Step(nils, "/code", "/code", said))
    csrf = rosa.page("/account").form_to("/account").fields["csrf"][0]
    yield from _sent(Step(rosa, "/", "/", {"csrf": csrf, "study": "pilot"}))
    yield from _reviewed(rosa, "/review", label="no-material-edit")
    ravi = visit("ravi")
    for _ in _reviewed(ravi, "/review", label="benign-retention"):
        pass
    lena = visit("lena")
    yield from _sent(_lead_form(lena, "reopen", name="ravi", reason="he asked"))
    assert ravi.sign_off().status_code == 303
    yield from _reviewed(visit("ines"), "/adjudicate", label="no-material-edit", decision="keep")
    yield from _sent(_lead_form(lena, "deviation", text="one day later than planned"))
    yield from _sent(_lead_form(lena, "close"))
    yield from _sent(_lead_form(lena, "export", page="/export", decision="none"))
    named = {"kind": "item", "value": "P-001", "reason": "a participant asked", "confirm": "yes", "expected": "1"}
    yield from _sent(_lead_form(lena, "withdraw", page="/withdraw", **named))
    look = {"csrf": csrf, "theme": "dark", "text_size": "large", "shortcuts": "yes"}
    yield from _sent(Step(rosa, "/account/look", "/account/look", look))
    visit("rosa"), visit("rosa")  # at two more browsers
    form = rosa.page("/account").form_to("/account/sessions")
    ending = form.fields | {"which": "others", "own_password": password_of("rosa")}
    yield from _sent(Step(rosa, "/account/sessions", "/account/sessions", ending))
    passwords = {"csrf": csrf, "current": password_of("rosa"), "password": NEW_PASSWORD}
    yield from _sent(Step(rosa, "/account", "/account", passwords))
    form = rosa.page("/account").form_to("/logout")
    yield from _sent(Step(rosa, "/logout", "/logout", form.fields))
    yield from _prepared(lena)


def _prepared(lead):
    """Make a second study in the browser, and an account that is disabled again."""
    csrf = lead.page("/account").form_to("/account").fields["csrf"][0]
    for act in ("", "/reset", "/disable"):
        route = f"/lead/accounts{act}"
        yield from _sent(Step(lead, route, route, {"csrf": csrf, "name": "nora"}))
    draw = {"csrf": csrf, "to": "show"}
    files = ("pool.csv", POOL), {"protocol": ("draw.toml", DRAW)}
    yield from _sent(Step(lead, "/lead/select", "/lead/select", draw, *files))
    words = {"id": "begun", "title": "Begun with a plan", "scope": "synthetic", "question": "Is it kept?"}
    yield from _sent(Step(lead, "/lead/new/plan", "/lead/new/plan", {"csrf": csrf, "plan": "default"} | words))
    rules = PROTOCOL.replace('"pilot"', '"made"').replace("A small pilot", "A study made here").encode()
    yield from _sent(Step(lead, "/lead/new", "/lead/new", {"csrf": csrf}, ("protocol.toml", rules)))
    rows = [row | {"audio": "a.wav"} for row in item_rows()]
    files = {"protocol": rules, "rights": RIGHTS.encode(), "items": jsonl(rows)}
    for part, data in files.items():
        yield from _sent(_made(lead, part, {"csrf": csrf}, (part, data)))
    form = lead.page("/lead/studies/made/protocol/edit").form_to("/lead/studies/made/protocol/edit")
    yield from _sent(_made(lead, "protocol/edit", {name: found for name, found in form.fields.items() if found}))
    yield from _sent(_made(lead, "items", {"csrf": csrf}, ("more.csv", TABLE)))
    form = lead.page("/lead/studies/made/items/columns").form_to("/lead/studies/made/items/columns")
    mapped = {name: values[-1] for name, values in form.fields.items() if values} | {"encoding": "cp1252"}
    mapped |= {"constant.source": "a second source"}
    yield from _sent(_made(lead, "items/columns", mapped))
    for what in ("strata", "sources", "practice"):
        yield from _sent(_made(lead, "items/prefill", {"csrf": csrf, "what": what}))
    settled = {"source": "a second source", "decided_at": "2026-02-03"}
    yield from _sent(_made(lead, "rights/entry", {"csrf": csrf} | ENTRY | settled))
    heard = {"audio": ("a.wav", wav())}
    yield from _sent(_made(lead, "items/audio", {"csrf": csrf}, ("", b""), heard))
    yield from _sent(_made(lead, "rights/entry", {"csrf": csrf} | ENTRY))
    roles = {"role.nils": "reviewer", "role.otto": "reviewer", "role.lena": "lead"}
    yield from _sent(_made(lead, "people", roles | {"csrf": csrf, "attest": ""}))
    form = lead.page("/lead/studies/made/freeze").form_to("/lead/studies/made/freeze")
    yield from _sent(_made(lead, "freeze", form.fields | {"acknowledge": "unattested"}))
    leaves = {"csrf": csrf, "name": "nils", "newcomer": "ravi", "attest": "", "reason": "he moved away"}
    yield from _sent(_made(lead, "replace", leaves))  # last, for whoever takes over is signed out


def _made(lead, part, fields, file=None, more=None):
    return Step(lead, f"/lead/studies/{{study_id}}/{part}", f"/lead/studies/made/{part}", fields, file, more or {})


ANSWERED = {
    "/review",
    "/adjudicate",
    "/lead/select",
    "/lead/studies/{study_id}/export",
    "/lead/accounts",
    "/lead/accounts/reset",
}  # with a page of their own


def _sent(step):
    yield step
    answer = step.send()
    assert answer.status_code == (200 if step.route in ANSWERED else 303), (step.route, answer.text)


def _reviewed(person, base, **said):
    """Practise, draft and answer every pair, sign off, answer the blinding check; give the first of each as a Step."""
    yield from _practised(person, base)
    drafted = False
    while (found := person.next_page(base)) is not None:
        where, page = found
        fields = {name: values for name, values in page.judging_form().fields.items() if values} | said
        if not drafted:
            for act in ("draft", "flag", "unflag"):
                yield from _sent(Step(person, f"{base}/{{token}}/{act}", f"{where}/{act}", fields))
            drafted = True
        yield from _sent(Step(person, f"{base}/{{token}}", where, fields))
    yield from _sent(Step(person, base, base, person.page(base).form_to(base).fields | {"words": "the"}))
    form = person.page(base).form_to(f"{base}/sign-off")
    yield from _sent(Step(person, f"{base}/sign-off", form.action, form.fields))
    where = person.get(f"{base}/guess").headers["location"]
    fields = person.page(where).form_to(where).fields
    yield from _sent(Step(person, f"{base}/guess/{{token}}", where, fields | {"guess": "A"}))


def _practised(person, base):
    where = person.get(f"{base}/next").headers["location"]
    fields = person.page(where).judging_form().fields | {"label": "no-material-edit"}
    yield from _sent(Step(person, f"{base}/practice/{{token}}", where, fields))
    person.practise(base)
    form = person.page(f"{base}/practice").form_to(f"{base}/practice")
    yield from _sent(Step(person, f"{base}/practice", form.action, form.fields))


def _lead_form(lead, act, page="", **said):
    place = "/lead/studies/pilot"
    form = lead.page(f"{place}{page}").form_to(f"{place}/{act}")
    return Step(lead, f"/lead/studies/{{study_id}}/{act}", form.action, form.fields | said)

"""One study's way, on which every route fails, for every role that reaches it, in every way; and what came of it."""

import asyncio
import contextlib
import logging
import re
from copy import deepcopy
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import count, cycle
from urllib.parse import urlencode, urlsplit

import anyio
import httpx
import pytest

from app.actions import accounts, preparing
from app.config import Settings
from app.store.migrate import open_store
from app.web.app import create_app
from app.web.errors import NEVER_BACK
from tests.blinding.worlds import listening
from tests.house import CHEAP, ORIGIN, PORT, PROTOCOL, Page, Person, fixed_world, frozen_study, password_of, seats
from tests.server import PLAIN
from tests.web.failing import BEHIND, BENEATH, BODIES, LOOKING, MARK, ONCE, URLENCODED
from tests.web.way import Step, prepare, routes, snapshot, way

CAST = {"rosa": "reviewer", "ines": "adjudicator", "lena": "lead", "otto": "outsider", "noah": "stranger"}
BASES = {"/review": ("reviewer",), "/adjudicate": ("adjudicator",), "/lead": ("lead",)}
JUDGING = ("/review", "/adjudicate")
SIGNED_IN = ("reviewer", "adjudicator", "lead", "outsider")
BEFORE_SIGN_IN = ("/login", "/code", "/healthz")
PASSWORDS = ("/login", "/code", "/account", "/account/sessions")  # a refusal is recorded, and counted
HOSTILE = ("../../etc/passwd", "%00", "'; drop table slot; --", "x" * 3_000, "%ff%fe", "{{7*7}}", "1e999")
METHODS = ("PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "HEAD", "WOMBLE")
PLANTS = ("wombat", "numbat")  # in ravi's note and draft
HTMX = {"HX-Request": "true"}
STORE_NOTHING = {"/lead/select", "/review", "/adjudicate"}
KEPT_IN_MEMORY = "more.csv"
TOKENS = ("no csrf token", "another's csrf token", "a wrong one")
# A form that is whole with its csrf token alone.
NO_FIELDS = ("/logout", "/review", "/adjudicate", "/sign-off", "/flag", "/unflag", "/practice", "/close")
GETS_AT = {  # before which step everybody looks at what there is by then
    *("/review/practice/{token}", "/review/{token}", "/review/guess/{token}", "/adjudicate/practice/{token}"),
    *("/adjudicate/{token}", "/adjudicate/guess/{token}", "/lead/studies/{study_id}/export"),
    *("/lead/studies/{study_id}/items/columns", "/lead/studies/{study_id}/rights/entry"),
}


def base_of(route):
    return f"/{route.split('/')[1]}"


def roles_of(method, route):
    """Return who reaches a route: a new one that is nobody's own is everybody's."""
    if base_of(route) in BASES:
        return BASES[base_of(route)]
    if route in BEFORE_SIGN_IN:
        return ("stranger", *(SIGNED_IN if method == "GET" else ()))  # whoever signs in is nobody yet
    if (method, route) in {("POST", "/"), ("GET", "/protocol")}:  # somebody's with a study
        return SIGNED_IN[:3]
    return SIGNED_IN + (("stranger",) if method == "GET" and route == "/" else ())


@dataclass(frozen=True)
class Outcome:
    """What one request brought that was made to fail, and what was wrong with that."""

    kind: str
    method: str
    route: str
    role: str
    htmx: bool
    status: int
    failed: bool
    changed: bool
    kept: bool | None
    text: str
    step: Step | None = None

    def __str__(self):
        return f"{self.method} {self.route} as {self.role}{', htmx' if self.htmx else ''}: {self.kind}: {self.status}"


async def in_this_thread(work, *given, **_):
    """Work where one stands: one request comes after the other here, and to change threads takes longer than most."""
    return work(*given)


class Browser:
    """A browser in this very thread, as that of a TestClient is not."""

    def __init__(self, app, loop):
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        self.client = httpx.AsyncClient(transport=transport, base_url=ORIGIN, verify=PLAIN)
        self.loop = loop

    @property
    def jar(self):
        return self.client.cookies.jar

    def request(self, method, path, **more):
        return self.loop.run_until_complete(self.client.request(method, path, **more))

    def get(self, path, **more):
        return self.request("GET", path, **more)

    def post(self, path, **more):
        return self.request("POST", path, **more)


class Forced:
    """The way itself, gone once. `outcomes`: of everything that was forced. `log`: every line at every level."""

    def __init__(self, folder):
        ticks, world = count(), fixed_world()
        # No session of the walk grows old, and none is noted as in use: nothing but what is asked for is stored.
        now = lambda: datetime(2026, 1, 5, 9, 0, tzinfo=UTC) + timedelta(microseconds=next(ticks))  # noqa: E731
        self.world, self.store, self.folder = replace(world, now=now), open_store(folder), str(folder)
        self.app = create_app(self.store, self.world, Settings(port=PORT), CHEAP)
        self.loop, self.outcomes, self.people, self.seen = asyncio.new_event_loop(), [], {}, set()
        self.log, self.in_turn = Lines(), cycle(({}, HTMX))
        self.watch = self.store.engine.connect()
        with listening(self.log), pytest.MonkeyPatch.context() as patch:
            patch.setattr(anyio.to_thread, "run_sync", in_this_thread)
            try:
                self.go()
            finally:
                self.watch.close()
                self.loop.close()
                self.store.close()

    def visit(self, name, *, signed_in=True):
        person = Person(Browser(self.app, self.loop), name)
        return person.sign_in() if signed_in else person

    def go(self):
        code = prepare(self.store, self.world)
        accounts.add(self.store, self.world, CHEAP, "lars", lead=True, password=password_of("lars"))
        self.others()
        self.plant()
        self.people = {name: self.visit(name, signed_in=name != "noah") for name in CAST}
        self.csrf = {name: self.csrf_of(person) for name, person in self.people.items() if name != "noah"}
        for step in way(self.visit, code):
            if step.route in GETS_AT:
                self.look(step)
            if step.route == "/review/{token}" and not self.outcomes_of("method PUT"):
                self.ask_oddly(step)
            # A judge's second step is another form at the same address.
            kind = (step.route, (step.file or ("",))[0], "decision" in step.fields)
            if kind not in self.seen:
                self.seen.add(kind)
                for each in self.as_everybody(step):
                    self.break_form(each)

    def outcomes_of(self, kind):
        return [each for each in self.outcomes if each.kind == kind]

    def ask_oddly(self, step):
        """Ask for every route by methods that it has not, and by addresses that nobody gave out."""
        for method, route in sorted(routes(self.app)):
            for role in roles_of(method, route) if method != "mount" else ():
                name = next(name for name, its in CAST.items() if its == role)
                person = step.person if step.person.name == name else self.people[name]
                path, before = self.path(route, person, step), self.version()
                for odd in METHODS if method == "POST" else ():
                    answer = person.client.request(odd, path, headers=person.headers)
                    self.keep(f"method {odd}", odd, route, person, answer, before)
                for number, odd in enumerate(HOSTILE if "{" in route else ()):
                    at = re.sub("{[a-z_]+}", lambda _, odd=odd: odd, route)
                    said = {"csrf": self.csrf.get(name, ""), "version": "0", "key": "k", "label": "no-material-edit"}
                    answer = person.get(at) if method == "GET" else person.post(at, said)
                    self.keep(f"address {number}", f"{method} oddly", route, person, answer, before)

    def others(self):
        """Make a study in which somebody else leads and reviews."""
        protocol = PROTOCOL.replace('"pilot"', '"theirs"').replace("A small pilot", "Another")
        for name in ("olga", "oscar"):
            accounts.add(self.store, self.world, CHEAP, name, lead=False, password=password_of(name))
        assign = preparing.assign
        with pytest.MonkeyPatch.context() as patch:
            assign = preparing.assign
            patch.setattr(
                preparing, "assign", lambda *given: assign(*given[:4], seats(["olga", "oscar"], ["lars"]), *given[5:])
            )
            frozen_study(self.store, self.world, protocol=protocol)

    def plant(self):
        """Have the second reviewer answer one item and note something, and begin another."""
        ravi = self.visit("ravi").practise()
        said = {"label": "destructive-content", "panel": "A", "reason": ["negation"], "note": f"a {PLANTS[0]}"}
        assert ravi.answer(ravi.next_page()[1], **said).status_code == 303
        where, page = ravi.next_page()
        assert ravi.send(page.judging_form(), path=f"{where}/draft", note=f"a {PLANTS[1]}").status_code == 303

    def csrf_of(self, person):
        return person.page("/account").form_to("/account").fields["csrf"][0]

    def token(self, name, table="slot"):
        sql = f"select token from {table} t join account a on a.id = account_id where a.name = '{name}'"  # noqa: S608
        with self.store.read() as connection:
            return connection.exec_driver_sql(sql).scalar() or "nothing"

    def as_everybody(self, step):
        """Yield a step as it is sent by whoever walks here, and where it is everybody's form, by everybody."""
        if base_of(step.route) in BASES or step.route in BEFORE_SIGN_IN:
            yield step
            return
        yield step
        for name, person in self.people.items():
            if CAST[name] in roles_of("POST", step.route) and name != step.person.name:
                own = {"csrf": self.csrf[name]}
                own |= {"current": password_of(name)} if step.route == "/account" else {}
                yield replace(step, person=person, fields=step.fields | own)

    def look(self, step):
        """Let every page fail that somebody reaches by now, and did not before."""
        done = {(each.route, each.role) for each in self.outcomes if each.method == "GET"}
        for method, route in sorted(routes(self.app)):
            for role in roles_of(method, route) if method == "GET" else ():
                name = next(name for name, its in CAST.items() if its == role)
                person = step.person if step.person.name == name else self.people[name]
                path = self.path(route, person, step)
                taken = {200, 204, 206, 303}
                if route.endswith("/practice/{token}/audio"):
                    taken |= {404}  # no practice item has one here
                if (route, role) not in done and path and person.get(path).status_code in taken:
                    self.break_page(route, path, person)

    def path(self, route, person, step):
        study = "made" if step.path.startswith("/lead/studies/made") else "pilot"
        path = route.replace("{study_id}", study).replace("{name}", "protocol.toml")
        if "{token}" in path:
            table = "practice" if "/practice/" in path else "slot"
            token = self.token(person.name, table)
            path = path.replace("{token}", step.path.split("/")[-1] if path.count("/guess/") else token)
        return path

    def variants(self, route):
        """Return with which headers to send: where judges work with and without htmx, elsewhere in turn."""
        return ({}, HTMX) if route.startswith(JUDGING) else (next(self.in_turn),)

    def break_page(self, route, path, person):
        for kind, breaking in LOOKING.items():
            for more in self.variants(route):
                before = self.version()
                with breaking(self.store) as failed:
                    answer = person.get(path, headers=more)
                self.keep(kind, "GET", route, person, answer, before, htmx=bool(more), failed=bool(failed))

    def break_form(self, step):
        self.whole = snapshot(self.store)
        for kind, breaking in (BENEATH | BEHIND).items():
            if kind == ONCE and base_of(step.route) not in BASES:
                continue  # where wrong passwords are counted before, that is what fails, and all else goes on
            for more in self.variants(step.route):
                self.force(kind, step, more, step.send, breaking)
        for kind, changed in self.mistaken(step):
            self.force(kind, step, next(self.in_turn), lambda headers, at=changed: at.send(headers))
        for kind, (said, body) in BODIES.items():
            said_to_be = {"Content-Type": said} if said else {}
            post = lambda headers, to=said_to_be, body=body: step.person.client.post(  # noqa: E731
                step.path, content=body, headers=headers | to
            )
            self.force(kind, step, next(self.in_turn), post)

    def mistaken(self, step):
        """Yield a step with what is wrong in it: forms, tokens, versions, keys."""
        yield from files_amiss(step) if step.file or step.more else fields_amiss(step)
        if "csrf" in step.fields:
            theirs = next(csrf for name, csrf in self.csrf.items() if name != step.person.name)
            for kind, csrf in zip(TOKENS, (None, theirs, "x"), strict=True):
                given = {name: value for name, value in step.fields.items() if name != "csrf"}
                yield kind, replace(step, fields=given | ({"csrf": csrf} if csrf else {}))
        if "{token}" in step.route:
            yield from self.tokens_amiss(step)
        if "{study_id}" in step.route:
            study = step.path.split("/")[3]
            for other in ("theirs", "nothing"):
                yield f"a study: {other}", replace(step, path=step.path.replace(f"/{study}/", f"/{other}/"))
        if {"version", "key"} <= step.fields.keys() and "flag" not in step.route and "/practice/" not in step.route:
            for version in ("99", "x", ""):
                yield f"version {version}", replace(step, fields=step.fields | {"version": version})
            for key in ("", "k" * 5_000) if "draft" not in step.route else ():
                yield f"a key of {len(key)}", replace(step, fields=step.fields | {"key": key})

    def tokens_amiss(self, step):
        own = step.path.split("/")[3 if "/practice/" in step.path or "/guess/" in step.path else 2]
        kinds = {"nobody's": "0" * 32, "another study's": self.token("olga")}
        kinds |= {f"that of {name}": self.token(name) for name in ("rosa", "ravi", "ines")}
        kinds |= {"a practice item's": self.token("ravi", "practice")}
        for kind, token in kinds.items():
            if token not in {own, "nothing"} and step.person.name not in kind:
                yield f"a token: {kind}", replace(step, path=step.path.replace(own, token))

    def force(self, kind, step, more, send, breaking=None):
        person, before = step.person, self.version()
        tray, jar = dict(self.app.state.house.tray._kept), deepcopy(person.client.jar._cookies)
        headers = person.headers | more
        with breaking(self.store) if breaking else contextlib.nullcontext([]) as failed:
            answer = send(headers)
        self.app.state.house.tray._kept.clear()
        self.app.state.house.tray._kept.update(tray)
        person.client.jar._cookies = jar
        kept = keeps(step, answer.text) if breaking and kind in BENEATH and not more else None
        told = {"htmx": bool(more), "failed": bool(failed), "kept": kept, "step": step}
        self.keep(kind, "POST", step.route, person, answer, before, **told)

    def version(self):
        """Return a number that moves with every commit of any other connection."""
        return self.watch.exec_driver_sql("pragma data_version").scalar()

    def keep(self, kind, method, route, person, answer, before, *, htmx=False, failed=False, kept=None, step=None):
        changed = False
        if self.version() != before and method == "POST":
            with self.store.write() as connection:
                connection.exec_driver_sql("delete from throttle")
            now, former = snapshot(self.store), self.whole
            self.whole = now
            if route in PASSWORDS and not failed:
                now, former = ({**each, "audit_event": None} for each in (now, former))
            changed = now != former
        text = answer.text if "application/zip" not in answer.headers.get("content-type", "") else ""
        told = "\n".join([text, *(f"{name}: {value}" for name, value in answer.headers.items())]).casefold()
        role = "stranger" if route in BEFORE_SIGN_IN and method == "POST" else CAST.get(person.name, "stranger")
        self.outcomes.append(
            Outcome(kind, method, route, role, htmx, answer.status_code, failed, changed, kept, told, step)
        )


@dataclass(frozen=True)
class Raw:
    """A step whose body is sent as it stands."""

    step: Step
    body: bytes

    def send(self, headers):
        return self.step.person.client.post(
            self.step.path, content=self.body, headers=headers | {"Content-Type": URLENCODED}
        )


def fields_amiss(step):
    """Yield a form with what no form may hold, or without what it must hold."""
    hidden = {name: value for name, value in step.fields.items() if name in HIDDEN - {"former"}}
    if not step.route.endswith((*NO_FIELDS, "/draft")):
        yield "an empty form", replace(step, fields=hidden)
    nul = {name: [f"{each}\0" for each in _listed(value)] for name, value in step.fields.items() if name not in HIDDEN}
    if nul and not step.route.endswith((*JUDGING, "/draft", "/flag", "/unflag")):  # a draft keeps what was typed
        yield "NUL in every field", replace(step, fields=step.fields | nul)
    half = urlencode(step.fields, doseq=True)
    yield "half a pair beside the rest", Raw(step, f"{half}&x=%ED%A0%80".encode())
    yield "a file where none is expected", replace(step, file=("a.txt", MARK.encode()))


def files_amiss(step):
    yield "no file", replace(step, file=None, more={})
    yield "a file that is none", replace(step, file=("a.toml", f"[{MARK}\n\x00".encode()), more={})


HIDDEN = {"csrf", "version", "key", "former"}
OF_THE_PAGE = NEVER_BACK | {"csrf", "version", "key"}


def keeps(step, html):
    """Tell whether a page holds a form to the same address with all that was sent; None where it can hold nothing."""
    sent = {name: value for name, value in step.fields.items() if name not in OF_THE_PAGE and value not in ([], "")}
    if not sent or step.file or step.more:
        return None
    forms = Page(html).forms
    if any("label" in form.names and "decision" not in form.names for form in forms):
        sent.pop("decision", None)  # which the first step does not ask for
    return any(
        urlsplit(form.action).path in {step.path, step.path.rpartition("/")[0]}
        and all(set(_listed(value)) <= set(form.fields.get(name, ())) for name, value in sent.items())
        for form in forms
    )


def _listed(value):
    return [str(each) for each in value] if isinstance(value, list) else [str(value)]


class Lines(logging.Handler):
    """Keeps every line of every logger, traceback included, as a handler would write it."""

    def __init__(self):
        super().__init__(1)
        self.lines = []

    def emit(self, record):
        if not record.name.startswith("http"):  # the browser's own
            self.lines.append(logging.Formatter("%(name)s %(message)s").format(record))

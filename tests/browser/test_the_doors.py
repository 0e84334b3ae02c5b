"""What other programs on this computer, and other sites, can do to a signed-in browser: nothing, in a real Chromium."""

import base64
import shutil

import httpx
import pytest

from app.actions import sessions
from app.config import Settings
from app.store.migrate import open_store
from app.web.app import create_app
from app.world import real
from tests.browser.conftest import SIZE
from tests.conftest import FLAGS, chromium
from tests.house import CHEAP, Person, password_of
from tests.neighbour import Neighbour
from tests.web.way import prepare, routes, snapshot, way

COOKIE = "evenhand_session"
# Another port of the same address is the same site to a browser, which then sends the cookie: the guard is alone there.
FOREIGN = ("127.0.0.1", "localhost", "x.localhost")
SEND = """step => { const form = document.createElement("form");
  form.method = "post"; form.action = step.to; form.enctype = step.enctype;
  const put = (kind, name, set) => { const control = document.createElement(kind);
    control.name = name; set(control); form.append(control); };
  for (const [name, value] of step.fields) put("textarea", name, control => control.value = value);
  for (const [name, called, bytes] of step.files) put("input", name, control => { control.type = "file";
    const held = new DataTransfer();
    held.items.add(new File([Uint8Array.from(atob(bytes), c => c.charCodeAt(0))], called));
    control.files = held.files; });
  document.body.append(form); HTMLFormElement.prototype.submit.call(form); }"""


def host_name(folder):
    """Return the name under .localhost that a store's server goes by."""
    store = open_store(folder)
    with store.write() as connection:
        name = sessions.host_name(connection, real())
    store.close()
    return name


@pytest.fixture
def neighbour():
    with Neighbour() as found:
        yield found


@pytest.fixture
def context(browser):
    """Return a browser of its own: nothing in it yet."""
    opened = browser.new_context(viewport=SIZE)
    opened.set_default_timeout(10_000)
    yield opened
    opened.close()


def sign_in(page, origin, name="rosa"):
    page.goto(f"{origin}/login")
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_label("Password", exact=True).fill(password_of(name))
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/review")


def keys(context):
    return [each for each in context.cookies() if each["name"] == COOKIE]


# --- Forms and requests from elsewhere ---


class Way:
    """A running server on whose store a study goes its whole way, and people by name."""

    def __init__(self, house):
        store = open_store(house.folder)
        self.code, self.store, self.house = prepare(store, real()), store, house
        house.serve()

    def visit(self, name, *, signed_in=True):
        client = httpx.Client(base_url=self.house.origin, follow_redirects=False, timeout=30)
        self.house.clients.append(client)
        person = Person(client, name, origin=self.house.origin)
        return person.sign_in() if signed_in else person


@pytest.fixture
def on_its_way(evenhand):
    found = Way(evenhand)
    yield found
    found.store.close()


def as_sent(step, origin):
    """Return a step as a page elsewhere would send it: with all that the true form holds, its csrf token included."""
    many = {name: value if isinstance(value, list) else [value] for name, value in step.fields.items()}
    files = ({"file": step.file} if step.file else {}) | step.more
    told = [(name, called, base64.b64encode(data).decode()) for name, (called, data) in files.items()]
    return {
        "to": origin + step.path,
        "fields": [(name, each) for name, values in many.items() for each in values],
        "files": told,
        "enctype": "multipart/form-data" if files else "application/x-www-form-urlencoded",
    }


def test_a_form_of_another_port_or_name_changes_nothing_on_any_route(on_its_way, neighbour, context):
    page, house, seen = context.new_page(), on_its_way.house, set()
    app = create_app(on_its_way.store, real(), Settings(), CHEAP)
    for step in way(on_its_way.visit, on_its_way.code):
        seen.add(("POST", step.route))
        before = snapshot(on_its_way.store)
        for name in FOREIGN:
            context.clear_cookies()
            token = step.person.client.cookies.get(COOKIE)
            if token:
                held = {"name": COOKIE, "value": token, "url": house.origin, "httpOnly": True, "sameSite": "Strict"}
                context.add_cookies([held])
            page.goto(neighbour.at(name))
            with page.expect_navigation() as turned:
                page.evaluate(SEND, as_sent(step, house.origin))
            assert turned.value.request.method == "POST"
            assert turned.value.status == 403, (step.route, name)
        assert snapshot(on_its_way.store) == before, step.route
    assert seen == {route for route in routes(app) if route[0] == "POST"}


ASKED = ("/", "/login", "/review", "/review/next", "/guide", "/account", "/session", "/healthz", "/static/app.css")
TRY = """async ({ origin, paths }) => { const found = [];
  const told = async (name, promise) => found.push([name, await promise.then(v => v ?? "", () => "refused")]);
  const load = (tag, set) => new Promise((good, bad) => { const each = document.createElement(tag);
    each.onload = () => good("loaded"); each.onerror = bad; set(each); document.head.append(each); });
  for (const path of paths) { const at = origin + path;
    for (const mode of ["cors", "no-cors"]) await told(`${mode} ${path}`,
      fetch(at, { mode, credentials: "include" }).then(r => r.text()));
    await told(`POST ${path}`, fetch(at, { method: "POST", credentials: "include", mode: "cors",
      headers: { "Content-Type": "text/plain" }, body: "csrf=x" }).then(r => r.text()));
    await told(`asking first ${path}`, fetch(at, { credentials: "include", headers: { "HX-Request": "true" } })
      .then(r => r.text()));
    await told(`script ${path}`, load("script", each => each.src = at));
    await told(`sheet ${path}`, load("link", each => { each.rel = "stylesheet"; each.href = at; }));
    await told(`picture ${path}`, load("img", each => each.src = at));
    await told(`sound ${path}`, new Promise((good, bad) => { const each = new Audio(at);
      each.onloadedmetadata = () => good("loaded"); each.onerror = bad; })); }
  await told("socket", new Promise((good, bad) => {
    const each = new WebSocket(origin.replace("http", "ws") + "/review");
    each.onopen = () => good("open"); each.onerror = bad; }));
  await told("events", new Promise((good, bad) => { const each = new EventSource(origin + "/review",
    { withCredentials: true }); each.onopen = () => good("open"); each.onerror = () => { each.close(); bad(); }; }));
  return found; }"""


@pytest.mark.parametrize("name", FOREIGN)
def test_a_script_elsewhere_is_refused_whatever_it_asks_for_and_sees_nothing(reviewing, neighbour, context, name):
    page = context.new_page()
    sign_in(page, reviewing.origin)
    page.goto(neighbour.at(name))
    found = page.evaluate(TRY, {"origin": reviewing.origin, "paths": ASKED})
    assert len(found) == 8 * len(ASKED) + 2
    assert [each for each in found if each[1] != "refused"] == []


def test_a_page_elsewhere_cannot_frame_a_page_nor_keep_a_hold_of_its_window(reviewing, neighbour, context):
    page = context.new_page()
    sign_in(page, reviewing.origin)
    for kind, name in (("iframe", "src"), ("embed", "src"), ("object", "data")):
        for path in ("/login", "/review", "/static/app.css"):
            page.goto(neighbour.at("127.0.0.1"))
            page.evaluate(
                "([kind, name, at]) => { const it = document.createElement(kind); it[name] = at;"
                " document.body.append(it); }",
                [kind, name, reviewing.origin + path],
            )
            page.wait_for_load_state("networkidle")
            within = [frame for frame in page.frames if frame != page.main_frame]
            assert not any(frame.url.startswith(reviewing.origin) for frame in within), (kind, path)
            shown = [frame.evaluate("document.body?.innerText ?? ''") for frame in within]
            assert not any(word in text for text in shown for word in ("Password", "rosa", "font")), (kind, path)
    page.goto(neighbour.at("127.0.0.1"))
    with context.expect_page() as opened:
        page.evaluate("at => { window.other = window.open(at); }", f"{reviewing.origin}/review")
    opened.value.wait_for_load_state()
    assert opened.value.title().startswith("Your reviews") or "rosa" in opened.value.content()
    assert page.evaluate("[window.other.closed, window.other.length]") == [True, 0]
    assert opened.value.evaluate("window.opener") is None


def test_under_dns_rebinding_a_browser_gets_no_page_with_data(browser, reviewing):
    rules = "--host-resolver-rules=MAP evil.test 127.0.0.1"
    rebound = browser.browser_type.launch(executable_path=chromium(), args=[*FLAGS, rules])
    page = rebound.new_page()
    try:
        for path in ("/", "/login", "/review", "/review/next", "/guide", "/static/app.css"):
            answer = page.goto(f"http://evil.test:{reviewing.port}{path}")
            assert answer.status == 403
            assert "Text A" not in page.content()
            read = page.evaluate("at => fetch(at, { credentials: 'include' }).then(r => r.status)", path)
            assert read == 403
        posted = page.evaluate(
            "() => fetch('/login', { method: 'POST', body: new URLSearchParams('username=rosa') }).then(r => r.status)"
        )
        assert posted == 403
    finally:
        rebound.close()


# --- What other programs get of the cookie ---


def test_a_program_on_another_port_gets_the_cookie_of_the_plain_address_and_not_that_of_the_random_name(
    reviewing, neighbour, context
):
    page, name = context.new_page(), host_name(reviewing.folder)
    sign_in(page, f"http://{name}:{reviewing.port}")
    (held,) = keys(context)
    assert (held["domain"], held["httpOnly"], held["sameSite"]) == (name, True, "Strict")
    for other in (*FOREIGN, f"x{name}", f"x.{name}"):
        page.goto(neighbour.at(other))
    assert len([path for path, _ in neighbour.asked if path == "/"]) == 5
    assert neighbour.cookies() == []

    context.clear_cookies()
    sign_in(page, reviewing.origin)
    page.goto(neighbour.at())
    (held,) = keys(context)
    assert set(neighbour.cookies()) == {f"{COOKIE}={held['value']}"}  # why the name is what to use


def test_who_takes_the_port_after_the_server_gets_a_key_that_opens_nothing(reviewing, context):
    page, name, port = context.new_page(), host_name(reviewing.folder), reviewing.port
    sign_in(page, f"http://{name}:{port}")
    reviewing.stop()
    with Neighbour(port=port) as squatter:
        page.goto(f"http://{name}:{port}/review")
        (stolen,) = set(squatter.cookies())
        ended = reviewing.run("serve", "--port", port)
        assert (ended[0], "already listens" in ended[1]["error"]) == (1, True)
    reviewing.serve(port=port)
    answer = httpx.get(f"{reviewing.origin}/review", headers={"Cookie": stolen})
    assert (answer.status_code, answer.headers["location"]) == (303, "/login")


def test_every_store_has_a_name_of_its_own(frozen, tmp_path):
    names = {host_name(tmp_path / each) for each in "ab"}
    assert len(names) == 2
    assert all(len(name.removesuffix(".localhost")) == 16 for name in names)


# --- A service worker that another program left on the same port ---

REGISTER = """<!doctype html><title>Another program</title><script>navigator.serviceWorker.register("/worker.js")
  .then(() => navigator.serviceWorker.ready).then(() => { document.title = "ready"; });</script>"""
WORKER = """addEventListener("install", () => skipWaiting());
  addEventListener("activate", event => event.waitUntil(clients.claim()));
  addEventListener("fetch", event => event.respondWith(%s));"""
PAGE = "{ headers: { 'Content-Type': 'text/html' } }"
WORKERS = {
    "with a page of its own": f"new Response('<title>Mine</title>Not Evenhand', {PAGE})",
    "reading along": "fetch(event.request).then(async r => new Response((await r.text())"
    f".replace('<title>', '<title>Read: '), {PAGE}))",
}


def left_behind(page, name, port, worker):
    """Let another program serve a port under a name, and leave its service worker in the browser."""
    pages = {"/": ("text/html", REGISTER), "/worker.js": ("text/javascript", WORKER % worker)}
    with Neighbour(pages, port) as other:
        page.goto(other.at(name))
        page.wait_for_function("document.title === 'ready'")
        return other.port


@pytest.mark.parametrize("kind", WORKERS)
def test_a_service_worker_of_another_program_never_sees_a_page_under_the_stores_own_name(
    evenhand, frozen, context, kind
):
    shutil.copytree(frozen, evenhand.folder)
    page, name = context.new_page(), host_name(evenhand.folder)
    port = left_behind(page, "127.0.0.1", 0, WORKERS[kind])
    left_behind(page, "localhost", port, WORKERS[kind])
    evenhand.serve(port=port)
    sign_in(page, f"http://{name}:{port}")
    assert page.title().startswith("Your reviews")
    assert page.evaluate("navigator.serviceWorker.controller") is None


@pytest.mark.parametrize("kind", WORKERS)
def test_at_the_plain_address_it_is_removed_by_the_first_visit_and_reads_no_page(evenhand, frozen, context, kind):
    shutil.copytree(frozen, evenhand.folder)
    page = context.new_page()
    port = left_behind(page, "127.0.0.1", 0, WORKERS[kind])
    evenhand.serve(port=port)
    token = evenhand.visit("rosa").client.cookies[COOKIE]
    context.add_cookies([{"name": COOKIE, "value": token, "url": evenhand.origin}])
    page.goto(f"{evenhand.origin}/review")
    assert "rosa" not in page.content()
    page.wait_for_function("document.title.startsWith('Your reviews')")  # the farewell reloads it
    assert page.evaluate("navigator.serviceWorker.getRegistrations().then(all => all.length)") == 0
    page.goto(f"{evenhand.origin}/guide")
    assert page.evaluate("navigator.serviceWorker.controller") is None


def test_no_page_may_start_a_worker(reviewing, rosa):
    start = "at => navigator.serviceWorker.register(at).then(() => 'there', () => 'refused')"
    assert rosa.page.evaluate(start, "/static/js/keys.js") == "refused"
    assert "Content Security Policy" in rosa.faults.pop()
    assert rosa.page.evaluate("fetch('/sw.js').then(r => r.status)") == 404

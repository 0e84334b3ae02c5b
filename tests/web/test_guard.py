"""The outermost door: Host, Origin, size, headers. Raw requests, because a client would tidy them."""

import socket
from dataclasses import dataclass

import pytest
from starlette.testclient import TestClient

from app.actions import sessions
from app.config import resource
from app.store.migrate import open_store
from app.web import showing
from app.web.guard import HEADERS, MAX_BODY
from tests.house import ORIGIN, PORT, Page, Person, add_people, fixed_world, frozen_study
from tests.server import Evenhand
from tests.web.way import prepare, routes, snapshot, way

FORM = "Content-Type: application/x-www-form-urlencoded"
# {port} and {name} are the server's own; {other} is another store's name.
HOSTILE_HOSTS = (
    "",
    "127.0.0.1",
    "127.0.0.1:",
    "127.0.0.1:{next}",
    "127.0.0.1:80",
    "127.0.0.1:0{port}",
    "127.0.0.1:{port}0",
    "127.0.0.1:{port}:{port}",
    "127.0.0.1.:{port}",
    "127.0.0.1 :{port}",
    "127.0.0.1\t:{port}",
    "127.0.0.1:{port} evil.example",
    "127.0.0.1:{port},evil.example",
    "127.0.0.1:{port}/",
    "127.0.0.1:{port}?",
    "127.0.0.1:{port}#",
    "user@127.0.0.1:{port}",
    "user:word@127.0.0.1:{port}",
    "127.0.0.1:{port}@evil.example",
    "http://127.0.0.1:{port}",
    "127.0.0.1.evil.example:{port}",
    "evil.example#127.0.0.1:{port}",
    "127.1:{port}",
    "127.0.0.2:{port}",
    "2130706433:{port}",
    "0x7f000001:{port}",
    "0177.0.0.1:{port}",
    "0.0.0.0:{port}",
    "0:{port}",
    "[::1]:{port}",
    "::1:{port}",
    "[::ffff:127.0.0.1]:{port}",
    "localhost",
    "localhost.:{port}",
    "localhost:{next}",
    "xlocalhost:{port}",
    "localhost.evil.example:{port}",
    "evil.localhost:{port}",
    "{name}",
    "{name}:{next}",
    "{name}.:{port}",
    "x{name}:{port}",
    "x.{name}:{port}",
    "{name}.evil.example:{port}",
    "evil.example:{port}",
    "EVIL.EXAMPLE:{port}",
    "192.168.0.7:{port}",
    "127.0.0.1.nip.io:{port}",
    "\xe9vil.example:{port}",
    "127.0.0.1:{port}\x00",
)
FORWARDED = {
    "X-Forwarded-Host": "evil.example",
    "X-Forwarded-Proto": "https",
    "X-Forwarded-Port": "443",
    "X-Forwarded-For": "203.0.113.9",
    "X-Forwarded-Prefix": "/evil",
    "X-Forwarded-Server": "evil.example",
    "X-Real-IP": "203.0.113.9",
    "X-Host": "evil.example",
    "X-Original-URL": "/lead",
    "X-Rewrite-URL": "/lead",
    "X-HTTP-Method-Override": "DELETE",
    "Forwarded": "for=203.0.113.9;host=evil.example;proto=https",
}
SITE, HERE = "Sec-Fetch-Site", {"Origin": ORIGIN}
FOREIGN_FORMS = {
    "neither": {},
    "same-site": {SITE: "same-site"},
    "cross-site": {SITE: "cross-site"},
    "none": {SITE: "none"},
    "unknown site": {SITE: "Same-Origin"},
    "same-site and Origin": HERE | {SITE: "same-site"},
    "cross-site and Origin": HERE | {SITE: "cross-site"},
    "none and Origin": HERE | {SITE: "none"},
    "null": {"Origin": "null"},
    "null and same-origin": {"Origin": "null", SITE: "same-origin"},
    "empty": {"Origin": ""},
    "other port": {"Origin": f"http://127.0.0.1:{PORT + 1}"},
    "no port": {"Origin": "http://127.0.0.1"},
    "other scheme": {"Origin": f"https://127.0.0.1:{PORT}"},
    "own other name": {"Origin": f"http://localhost:{PORT}"},
    "public": {"Origin": "http://evil.example", SITE: "same-origin"},
    "suffix": {"Origin": f"{ORIGIN}.evil.example"},
    "trailing slash": {"Origin": f"{ORIGIN}/"},
    "only a Referer": {"Referer": f"{ORIGIN}/login"},
}
NO_PAGES = r"""
/docs /redoc /openapi.json /static /static/ /static/js /static/js/ /static/vendor/ /static/.git/config
/static/../app/config.py /static/%2e%2e/app/config.py /static/..%2fapp%2fconfig.py /static/.%2e/Makefile
/static/js/../../app/config.py /static//etc/passwd /static/..\app\config.py /static/%5c..%5capp
/static/%00 /%00 /../etc/passwd * http://evil.example/login //login /login/ /LOGIN /login%2f /./login
/review/ /review//next /review/../login /lead/ /lead/studies /lead/studies/
"""


@dataclass
class Server:
    """A server process with a frozen study, and rosa's cookie for it."""

    port: int
    name: str
    cookie: str

    @property
    def host(self):
        return f"Host: 127.0.0.1:{self.port}"

    def exchange(self, *lines, body=b""):
        """Send a request as it stands; return the status, the headers and the body."""
        with socket.create_connection(("127.0.0.1", self.port), 20) as wire:
            head = "\r\n".join((*lines, "Connection: close", "", ""))
            wire.sendall(head.encode("latin-1") + body)
            answer = b"".join(iter(lambda: wire.recv(65_536), b"")).decode()
        head, _, text = answer.partition("\r\n\r\n")
        first, *fields = head.split("\r\n")
        return int(first.split()[1]), {k.lower(): v for k, v in (line.split(": ", 1) for line in fields)}, text

    def get(self, path, *lines):
        return self.exchange(f"GET {path} HTTP/1.1", *(lines or [self.host]))

    def post(self, *lines, body=b"username=rosa&password=wrong"):
        kept = (self.host, f"Origin: http://127.0.0.1:{self.port}", FORM)
        return self.exchange("POST /login HTTP/1.1", *kept, *lines, body=body)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder, world = tmp_path_factory.mktemp("guard") / "store", fixed_world()
    store = open_store(folder)
    add_people(store, world)
    frozen_study(store, world)
    with store.write() as connection:
        name = sessions.host_name(connection, world)
    store.close()
    with pytest.MonkeyPatch.context() as patch:
        house = Evenhand(folder, patch)
        house.serve()
        cookie = house.visit("rosa").client.cookies["evenhand_session"]
        yield Server(house.port, name, f"Cookie: evenhand_session={cookie}")
        house.stop()


@pytest.fixture
def quiet_visit(app):
    """Return somebody at a browser, where an unforeseen error is an answer and not an exception."""

    def arrive(name):
        client = TestClient(app, base_url=ORIGIN, follow_redirects=False, raise_server_exceptions=False)
        return Person(client, name).sign_in()

    return arrive


def refused(answer):
    """Tell whether a request was turned away without a page: by the guard, or as no HTTP at all."""
    status, headers, text = answer
    by_parser = (status, text) == (400, "Invalid HTTP request received.")
    return by_parser or (status == 403 and "Error 403" in text and "rosa" not in text and "set-cookie" not in headers)


@pytest.mark.parametrize("host", HOSTILE_HOSTS)
def test_a_hostile_host_is_refused(server, host):
    host = host.format(port=server.port, next=server.port + 1, name=server.name)
    assert refused(server.get("/review", f"Host: {host}", server.cookie))


@pytest.mark.parametrize("version", ["1.0", "1.1"])
def test_a_missing_host_is_refused(server, version):
    assert refused(server.exchange(f"GET /review HTTP/{version}", server.cookie))


@pytest.mark.parametrize("second", ["127.0.0.1:{port}", "evil.example", "localhost:{port}"])
def test_a_doubled_host_is_refused(server, second):
    second = f"Host: {second.format(port=server.port)}"
    assert refused(server.get("/review", server.host, second, server.cookie))
    assert refused(server.get("/review", second, server.host, server.cookie))
    assert refused(server.exchange("GET /review HTTP/1.0", second, server.host, server.cookie))


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "{name}", "LOCALHOST"])
def test_the_servers_own_names_are_allowed(server, host):
    host = host.format(name=server.name)
    status, _, text = server.get("/review", f"Host: {host}:{server.port}", server.cookie)
    assert (status, "rosa" in text) == (200, True)


def test_the_servers_own_name_cannot_be_guessed(server):
    assert server.name.endswith(".localhost")
    assert len(server.name.removesuffix(".localhost")) >= 16


def test_under_dns_rebinding_no_page_with_data_comes_back(server):
    _, headers, _ = server.get("/review/next", server.host, server.cookie)
    item = headers["location"]
    assert "Text A" in server.get(item, server.host, server.cookie)[2]
    for path in ("/", "/review", "/review/next", item, "/guide", "/account", "/adjudicate", "/lead", "/healthz"):
        assert refused(server.get(path, f"Host: evil.example:{server.port}", server.cookie)), path


def test_a_refused_host_or_origin_shows_the_right_address_and_the_tunnel(server):
    here = f"http://127.0.0.1:{server.port}/"
    rebound = server.get("/", f"Host: evil.example:{server.port}")
    foreign = server.exchange(
        "POST /login HTTP/1.1", server.host, "Origin: http://evil.example", FORM, "Content-Length: 0"
    )
    for status, _, text in (rebound, foreign):
        assert status == 403
        assert f'href="{here}"' in text
        assert f"ssh -L {server.port}:127.0.0.1:{server.port} " in text


def test_nobody_who_is_turned_away_learns_the_unguessable_name(server):
    host = f"Host: evil.example:{server.port}"
    answers = [server.get("/", host), server.exchange("TRACE / HTTP/1.1", server.host), server.get("/nothing")]
    assert not any(server.name.split(".")[0] in str(answer) for answer in answers)


def test_a_form_from_elsewhere_is_refused_on_every_route_and_changes_nothing(app, store, world, visit):
    code, seen = prepare(store, world), set()
    for step in way(visit, code):
        seen.add(("POST", step.route))
        before = snapshot(store)
        for kind, headers in FOREIGN_FORMS.items():
            assert step.send(headers).status_code == 403, (step.route, kind)
        assert snapshot(store) == before, step.route
    assert seen == {route for route in routes(app) if route[0] == "POST"}


@pytest.mark.parametrize(
    "headers", [{"Origin": ORIGIN}, {SITE: "same-origin"}, {"Origin": ORIGIN, SITE: "same-origin"}], ids=str
)
def test_a_form_from_this_address_is_taken(study, visit, headers):
    rosa = visit("rosa", signed_in=False)
    rosa.headers = headers
    rosa.sign_in()


def test_forwarding_headers_change_nothing(study, visit):
    rosa = visit("rosa")
    where, _ = rosa.next_page()
    for path in ("/", "/review", "/review/next", where, "/login", "/healthz", "/lead", "/static/app.css"):
        plain, forwarded = rosa.get(path), rosa.get(path, headers=FORWARDED)
        assert (plain.status_code, plain.headers, plain.content) == (
            forwarded.status_code,
            forwarded.headers,
            forwarded.content,
        )


def test_forwarding_headers_do_not_make_a_foreign_request_a_good_one(server):
    claims = [f"X-Forwarded-Host: 127.0.0.1:{server.port}", f"Forwarded: host=127.0.0.1:{server.port}"]
    assert refused(server.get("/review", "Host: evil.example", *claims, server.cookie))


@pytest.mark.parametrize("path", NO_PAGES.split())
def test_what_is_no_page_is_not_found(server, path):
    status, headers, text = server.get(path, server.host, server.cookie)
    assert status in {404, 405}
    assert "Error 40" in text
    assert "location" not in headers


@pytest.mark.parametrize("method", ["TRACE", "OPTIONS", "CONNECT", "PUT", "DELETE", "PATCH", "PROPFIND"])
def test_other_methods_are_not_allowed_and_echo_nothing(server, method):
    status, headers, text = server.exchange(f"{method} /login HTTP/1.1", server.host, "X-Secret: do-not-echo")
    assert status == 405
    assert headers["allow"] == "GET, POST"
    assert "do-not-echo" not in text


def test_a_websocket_gets_no_connection(server):
    asked = [
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: abcdabcdabcd",
    ]
    assert server.get("/healthz", server.host, *asked)[0] == 200


@pytest.mark.parametrize("path", ["/sw.js", "/login", "/static/app.css?v=1", "/nothing/here"])
def test_where_a_browser_looks_for_a_service_worker_it_finds_one_that_removes_itself(server, path):
    status, headers, text = server.get(path, server.host, "Service-Worker: script")
    assert (status, headers["content-type"].partition(";")[0]) == (200, "text/javascript")
    assert headers["cache-control"] == "no-store"
    assert "self.registration.unregister()" in text
    assert refused(server.get(path, "Host: evil.example", "Service-Worker: script"))


def test_a_page_is_not_given_to_a_service_worker(server):
    asked = (server.host, server.cookie, "Sec-Fetch-Site: same-origin", "Sec-Fetch-Mode: navigate")
    assert server.get("/review", *asked, "Sec-Fetch-Dest: document")[0] == 200
    answer = server.get("/review", *asked, "Sec-Fetch-Dest: empty")
    assert refused(answer)
    assert "service worker" in answer[2]


def kinds(rosa, monkeypatch):
    """Give one answer of every kind, with the status it should have."""
    where, page = rosa.next_page()
    form = page.judging_form()
    foreign = {"Origin": "http://evil.example"}
    yield 200, rosa.get("/review")
    yield 200, rosa.get("/healthz")
    yield 303, rosa.get("/review/next")
    yield 403, rosa.get("/review", headers={"Host": "evil.example"})
    yield 403, rosa.send(form, headers=foreign)
    yield 403, rosa.get("/review", headers={"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "empty"})
    yield 200, rosa.get("/nothing", headers={"Service-Worker": "script"})
    yield 403, rosa.send(form, csrf="wrong")
    yield 404, rosa.get("/lead")
    yield 404, rosa.get("/static/nothing.css")
    yield 405, rosa.client.put("/review")
    yield 405, rosa.client.get("/logout")
    yield 409, rosa.send(form, version="7", label="no-material-edit")
    yield 413, rosa.send(form, note="n" * MAX_BODY)
    yield 422, rosa.send(form)
    yield 204, rosa.send(form, path=f"{where}/draft", headers={"HX-Request": "true"})
    yield 200, rosa.send(form, headers={"HX-Request": "true"}, label="no-material-edit")
    yield 401, TestClient(rosa.client.app, base_url=ORIGIN).get("/review", headers={"HX-Request": "true"})
    yield 200, rosa.get("/static/app.css")
    yield 200, rosa.get("/static/app.css?v=1")
    yield 200, rosa.get("/static/mark.svg")
    yield 206, rosa.get("/static/app.css", headers={"Range": "bytes=0-9"})
    yield 416, rosa.get("/static/app.css", headers={"Range": "bytes=999999-"})
    yield 400, rosa.post("/account", {f"f{number}": "x" for number in range(1_100)})
    monkeypatch.setattr(showing, "difference", None)
    yield 500, rosa.get(where)


def test_every_kind_of_answer_carries_every_guard_header(study, quiet_visit, monkeypatch):
    for status, answer in kinds(quiet_visit("rosa"), monkeypatch):
        assert answer.status_code == status
        assert {name: answer.headers.get(name) for name in HEADERS} == HEADERS, status
        assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]
        assert not [name for name in answer.headers if name.startswith("access-control-")], status
        assert not answer.content or "; charset=utf-8" in answer.headers["Content-Type"], status
        versioned = "immutable" in answer.headers["Cache-Control"]
        assert versioned or answer.headers["Cache-Control"] == "no-store", status


def test_only_a_static_file_whose_address_names_its_version_may_be_kept(study, visit):
    rosa = visit("rosa")
    kept = "max-age=31536000, immutable"
    assert rosa.get("/static/app.css?v=1").headers["Cache-Control"] == kept
    for path in ("/static/app.css", "/static/nothing.css?v=1", "/login?v=1", "/review?v=1"):
        assert rosa.get(path).headers["Cache-Control"] == "no-store"


def test_an_unforeseen_error_tells_nothing_of_itself(study, quiet_visit, monkeypatch):
    rosa = quiet_visit("rosa")
    where, _ = rosa.next_page()

    def fail(*_):
        raise RuntimeError("select secret from /home/store")

    monkeypatch.setattr(showing, "difference", fail)
    answer = rosa.get(where)
    assert answer.status_code == 500
    assert "Something went wrong here" in answer.text
    assert not any(word in answer.text for word in ("select", "secret", "/home", "RuntimeError", "Traceback"))


def test_every_405_says_what_is_allowed(study, visit):
    rosa = visit("rosa")
    assert rosa.client.get("/logout").headers["allow"] == "POST"
    assert rosa.client.put("/logout").headers["allow"] == "GET, POST"


def test_a_body_of_more_than_1_mib_is_refused_before_it_is_read(server):
    status, _, text = server.post(f"Content-Length: {MAX_BODY + 1}", body=b"")
    assert (status, "256 KiB" in text) == (413, True)


def test_a_body_of_1_mib_is_read(study, visit):
    rosa = visit("rosa")
    body = b"csrf=" + b"x" * (MAX_BODY - 5)
    headers = rosa.headers | {"Content-Type": "application/x-www-form-urlencoded"}
    assert rosa.client.post("/logout", content=body, headers=headers).status_code == 403
    assert rosa.client.post("/logout", content=body + b"x", headers=headers).status_code == 413


@pytest.mark.parametrize(
    ("lines", "body"),
    [
        ([], b""),
        (["Transfer-Encoding: chunked"], b"3\r\na=b\r\n0\r\n\r\n"),
        (["Transfer-Encoding: chunked", "Content-Length: 3"], b"3\r\na=b\r\n0\r\n\r\n"),
        (["Content-Length: 3", "Transfer-Encoding: chunked"], b"3\r\na=b\r\n0\r\n\r\n"),
        ([f"Content-Length: {'9' * 19}"], b""),
    ],
)
def test_a_form_whose_length_is_not_known_beforehand_is_refused(server, lines, body):
    assert server.post(*lines, body=body)[0] == 413


@pytest.mark.parametrize("length", ["-3", "3, 4", "0x3", "3.0", "\xb2", "9" * 5_000])
def test_a_length_that_is_no_number_is_refused(server, length):
    assert server.post(f"Content-Length: {length}", body=b"a=b")[0] in {400, 413}


@pytest.mark.parametrize("length", ["", "\xb2", "\u0663", "+3", "3 3"])
def test_the_guard_itself_takes_no_odd_length(study, visit, length):
    rosa = visit("rosa")
    headers = {**rosa.headers, "Content-Length": length.encode()}
    assert rosa.client.post("/logout", content=b"a=b", headers=headers).status_code == 413


@pytest.mark.parametrize(
    ("path", "tokens"),
    [
        ("/login", ["username", "current-password"]),
        ("/code", ["username", "one-time-code", "new-password"]),
        ("/account", ["username", "current-password", "new-password"]),
    ],
)
def test_sign_in_fields_say_what_they_are(study, visit, path, tokens):
    page = visit("rosa").get(path).text
    found = [part.split('"')[0] for part in page.split('autocomplete="')[1:]]
    assert found == tokens
    assert page.count('type="password"') == len([token for token in tokens if token.endswith("-password")])
    assert "onpaste" not in page


def test_every_static_file_is_reached_by_its_own_address_alone(study, visit):
    rosa, root = visit("rosa", signed_in=False), resource("static")
    files = [path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()]
    assert files
    for path in files:
        assert rosa.get(f"/static/{path}").content == (root / path).read_bytes()


def test_a_page_names_no_other_origin(study, visit):
    rosa = visit("rosa")
    where, _ = rosa.next_page()
    for path in ("/", "/login", "/code", "/account", "/guide", "/review", where):
        text = rosa.get(path).text
        assert "//" not in text.replace("http://127.0.0.1", ""), path
        assert all(link.startswith(("/", "#")) for link in Page(text).links)

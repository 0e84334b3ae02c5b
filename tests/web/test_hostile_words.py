"""Hostile words in every field run nowhere and stand as they are: on every page, with the policy and without."""

import contextlib
import re
from urllib.parse import urlsplit

import pytest
from starlette.testclient import TestClient

from app.config import Settings, resource
from app.domain import privacy
from app.domain.fragments import Fragments
from app.store.migrate import open_store
from app.web.app import create_app
from tests.house import CHEAP, ORIGIN, PORT, Person, draft_study, fixed_world
from tests.web import hostile
from tests.web.walk import PLACES, STANDS_ON, _item
from tests.web.way import way

pytestmark = pytest.mark.browser
EVERY = 6  # all pages after each so many steps, and after the last
LISTEN = """window.__told = []; addEventListener("securitypolicyviolation",
  event => window.__told.push(`${event.violatedDirective} ${event.blockedURI} ${event.sample}`));"""
# What a page may never have, whoever wrote its words.
FOREIGN = r"""() => { const found = [];
  for (const each of document.querySelectorAll("*")) {
    if (each.hasAttribute("data-x") || /^(iframe|object|embed|base|math|style|template|animate)$/i.test(each.tagName))
      found.push(each.outerHTML.slice(0, 200));
    if (each.matches("script:not([src]), meta[http-equiv]")) found.push(each.outerHTML.slice(0, 200));
    for (const { name, value } of each.attributes) if (/^(on|_|@|x-|hx-on|data-hx|style$)/i.test(name)
      || (/^(href|src|action|formaction|xlink:href|data|hx-(get|post)|srcset|poster)$/i.test(name)
        && !/^(\/(?!\/)|#|\?|http:\/\/127\.0\.0\.1:\d+\/)/.test(value)))
      found.push(`${each.tagName} ${name}=${value.slice(0, 200)}`); }
  return found; }"""
TOLD = """() => [document.title, document.documentElement.textContent,
  ...[...document.querySelectorAll("input, textarea, option")].map(each => each.value)].join("\\n")"""
STATE = "() => [window.__xss ?? null, window.__told]"
INJECTED = """<script>window.__xss = "script"</script><img src=x onerror="window.__xss = 'handler'">
<svg onload="window.__xss = 'svg'"></svg><iframe srcdoc="<script>parent.__xss = 'frame'</script>"></iframe>
<a id="injected" href="javascript:window.__xss = 'link'">x</a><style>body { display: none }</style>
<script src="//evil.example/xss.js"></script><link rel="stylesheet" href="//evil.example/xss.css">
<object data="//evil.example/xss"></object><base href="//evil.example/xss/">"""


class NoFragments(Fragments):
    """Finds no pieces of texts."""

    def hold(self, _text):
        return False


class HostileWalk:
    """The way of a study whose every word is hostile, and every page of it that differs from the others."""

    def __init__(self, folder):
        self.store, self.world = open_store(folder), fixed_world()
        self.app = create_app(self.store, self.world, Settings(port=PORT), CHEAP)
        self.browsers, self.found, self.statuses = contextlib.ExitStack(), {}, set()

    def visit(self, name, *, signed_in=True):
        browser = TestClient(self.app, base_url=ORIGIN, follow_redirects=False, raise_server_exceptions=False)
        person = Person(self.browsers.enter_context(browser), name)
        return person.sign_in() if signed_in else person

    def keep(self, where, answer):
        """Keep the fullest of each kind of page, the last of several: told apart by address, status and heading."""
        self.statuses.add(answer.status_code)
        if "<html" not in answer.text:
            return
        place = re.sub(r"[0-9a-f]{16,}", "{token}", where)
        heading = re.search(r"<h1[^>]*>([^<]{0,20})", answer.text)[1].strip()
        key = place.partition("?")[0], answer.status_code, heading
        if key not in self.found or answer.text.count("xss") >= self.found[key].text.count("xss"):
            self.found[key] = answer

    def look(self, person, path):
        with contextlib.suppress(StopIteration):
            self.keep(path, person.get(path))

    def take(self):
        code = hostile.prepare(self.store, self.world)
        draft = hostile.protocol(hostile.PROTOCOL.replace('"pilot"', '"draft"'))
        draft_study(self.store, self.world, protocol=draft, ledger=hostile.ledger(), rows=hostile.rows())
        former = []  # an exercise that was answered says why another answer was expected
        for number, step in enumerate(way(self.visit, code)):
            hostile.poison(step)
            for person, path in former:
                self.look(person, path)
            former = [(step.person, step.path)] if step.route.endswith("/practice/{token}") else []
            for path in PLACES if number % EVERY == 0 else ():
                self.look(step.person, path)
            self.look(step.person, _item(step.path))
            self.look(step.person, STANDS_ON.get(step.route, step.path))
            if step.route in hostile.REFLECTED:
                self.keep(step.path, hostile.reflect(step))
        lena = self.visit("lena")
        for path in (
            *PLACES,
            "/lead/studies/begun/protocol",
            f"/login?back={hostile.one_of('back', 4)}",
            f"/{hostile.one_of('path', 0)}",
        ):
            self.look(lena, path)


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    walk = HostileWalk(tmp_path_factory.mktemp("hostile") / "store")
    with pytest.MonkeyPatch.context() as patch:
        # Lead and items have the same words here, which would be refused as pieces: what is tried is the pages.
        patch.setattr(privacy, "Fragments", NoFragments)
        walk.take()
    assert 500 not in walk.statuses
    yield {f"{place} {status} {heading}": answer for (place, status, heading), answer in walk.found.items()}
    walk.browsers.close()
    walk.store.close()


class Shown:
    """A tab that shows a page as the application sent it, with its headers, and notes whatever the page asks for."""

    def __init__(self, browser, *, policy):
        self.context, self.policy, self.now, self.asked = browser.new_context(base_url=ORIGIN), policy, None, []
        self.context.route("**/*", self._answer)
        self.context.add_init_script(LISTEN)
        self.page = self.context.new_page()
        self.page.on("dialog", lambda dialog: (self.asked.append(dialog.message), dialog.dismiss()))

    def _answer(self, route):
        url = urlsplit(route.request.url)
        if route.request.url == f"{ORIGIN}/shown":
            headers = {name: value for name, value in self.now.headers.items() if name != "content-length"}
            if not self.policy:
                del headers["content-security-policy"]
            route.fulfill(body=self.html, status=200, headers=headers)
        elif url.netloc == urlsplit(ORIGIN).netloc and url.path.startswith("/static/"):
            route.fulfill(path=resource("static") / url.path.removeprefix("/static/"))
        else:
            # A broken picture of the injected ones is asked for here, which is no harm: x.
            self.asked += [] if url.path == "/x" or url.path.endswith("/audio") else [route.request.url]
            route.fulfill(body="")

    def show(self, answer, more=""):
        self.now, self.html = answer, answer.text.replace("</body>", f"{more}</body>")
        self.page.goto("/shown")
        return self.page


@pytest.fixture
def shown(browser):
    opened = []

    def opening(**how):
        opened.append(Shown(browser, **how))
        return opened[-1]

    yield opening
    for each in opened:
        each.context.close()


SEEN_SOMEWHERE = (
    *("title", "question", "semantic", "verbatim", "said", "off", "on", "semantic_reference"),
    *("practice", "note", "deviation", "reason", "publisher", "licence", "distribution"),
    *("publisher2", "consent2", "decided_by2", "title2", "question2", "title3", "question3", "semantic3"),
)


def places():
    """Return by field which texts must stand somewhere as they are: all that the field was given."""
    yield "why", [each.replace("§", "why") for each in hostile.VECTORS[::2]]
    yield "column", [each.replace("§", "column") for each in hostile.NAMES]
    for name in SEEN_SOMEWHERE:
        yield name, [each.replace("§", name) for each in hostile.VECTORS]


@pytest.mark.parametrize("policy", [True, False], ids=["with the policy", "without it"])
def test_hostile_words_in_every_field_run_on_no_page_and_stand_as_they_are(pages, shown, policy):
    tab, wrong, told = shown(policy=policy), [], []
    assert len(pages) > 60
    for name, answer in pages.items():
        page = tab.show(answer)
        wrong += [(name, each) for each in page.evaluate(FOREIGN)]
        ran, violations = page.evaluate(STATE)
        wrong += [(name, each) for each in (ran, *violations, *tab.asked) if each]
        tab.asked.clear()
        told.append(page.evaluate(TOLD))
    everything = "\n".join(told)
    assert wrong == []
    assert hostile.ANSWER not in everything
    unseen = {name: [each for each in all_ if each not in everything] for name, all_ in places()}
    assert {name: found for name, found in unseen.items() if found} == {}


def test_an_injected_script_runs_on_no_page(pages, shown):
    tab, ran = shown(policy=True), []
    for name, answer in {name.partition(" ")[0]: answer for name, answer in pages.items()}.items():
        page = tab.show(answer, INJECTED)
        page.evaluate("document.querySelector('#injected').click()")
        found, violations = page.evaluate(STATE)
        assert len(violations) >= 8, name
        ran += [(name, each) for each in (found, *tab.asked) if each]
        tab.asked.clear()
    assert ran == []

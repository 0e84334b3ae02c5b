"""Every page and fragment is rendered by a walk through all of them; and what holds on each."""

import re

from app.config import resource
from tests.house import Page

TEMPLATES = resource("templates")


def html_of(walk):
    return [(where, answer.text) for where, answer in walk.answers if "<html" in answer.text]


def test_every_template_is_rendered(walk):
    there = {path.relative_to(TEMPLATES).as_posix() for path in TEMPLATES.rglob("*") if path.is_file()}
    assert walk.templates >= {name for name in there if not name.startswith("memo/")}


def test_the_walk_meets_every_status(walk):
    assert {answer.status_code for _, answer in walk.answers} == {200, 303, 403, 404, 405, 409, 413, 422, 500}


def test_every_page_says_its_language_and_title_and_has_one_main_part(walk):
    assert len(html_of(walk)) > 200
    for where, html in html_of(walk):
        assert '<html lang="en"' in html, where
        assert re.search(r"<title>[^<]{3,} - Evenhand</title>", html), where
        assert (html.count("<main "), html.count("<h1")) == (1, 1), where
        assert re.search(r'<a class="skip" href="#(main|part)">', html)


def title(html):
    (found,) = re.findall(r"<title>([^<]*) - Evenhand</title>", html)
    return found


def test_a_title_says_first_that_what_was_sent_was_refused_or_saved(walk):
    refused = [(where, answer.text) for where, answer in walk.answers if answer.status_code in {409, 422, 429}]
    pages = [(where, html) for where, html in refused if "<html" in html and "Error 4" not in html]
    assert len(pages) > 50
    assert [where for where, html in pages if not title(html).startswith("Error: ")] == []
    fine = [(where, answer.text) for where, answer in walk.answers if answer.status_code == 200]
    assert not any(title(html).startswith("Error") for where, html in fine if "<html" in html)
    assert title(walk.visit("lena").get("/lead/studies/draft/items?saved=yes").text) == "Saved: Items: A draft"


def test_the_skip_link_of_a_study_leads_past_stages_and_pages(walk):
    html = walk.visit("lena").get("/lead/studies/draft/items").text
    there = html.index('<div id="part" tabindex="-1">')
    assert '<a class="skip" href="#part">' in html
    assert html.index('class="stages"') < html.index('class="pages"') < there
    assert "<form" in html[there:]


def test_what_can_be_unfolded_on_the_page_of_a_study_has_a_name(walk):
    for study in ("draft", "made"):
        html = walk.visit("lena").get(f"/lead/studies/{study}").text
        assert "<details" in html
        assert re.findall(r"<details(?![^>]*aria-label)[^>]*>", html) == []


def test_no_page_is_kept_by_the_browser(walk):
    for where, answer in walk.answers:
        assert answer.headers["Cache-Control"] == "no-store", where


def test_no_page_has_a_script_a_style_or_a_handler_of_its_own(walk):
    for where, answer in walk.answers:
        html = answer.text
        assert not re.search(r"<script(?![^>]*\ssrc=)", html), where
        assert not re.search(r"<[^>]*\s(style|on\w+)=", html), where
        assert "<style" not in html


def test_no_page_asks_for_anything_from_elsewhere(walk):
    for where, answer in walk.answers:
        found = re.findall(r'\s(?:src|href|action|formaction|hx-post)="([^"]*)"', answer.text)
        assert all(re.match(r"(/(?!/)|#|http://127\.0\.0\.1:)", address) for address in found), where


def test_every_link_to_a_static_file_is_versioned_and_leads_to_it(walk):
    found = {address for _, html in html_of(walk) for address in re.findall(r'"(/static/[^"]*)"', html)}
    stranger = walk.visit("nobody", signed_in=False)
    assert found
    for address in found:
        assert re.search(r"\?v=[0-9a-f]{12}$", address)
        assert stranger.get(address).status_code == 200


def test_every_id_is_used_once_on_a_page_and_every_reference_meets_one(walk):
    for where, html in html_of(walk):
        ids = re.findall(r'\sid="([^"]*)"', html)
        assert len(ids) == len(set(ids)), (where, sorted(each for each in ids if ids.count(each) > 1))
        named = re.findall(r'\s(?:for|aria-labelledby|aria-describedby)="([^"]*)"', html)
        asked = {each for names in named for each in names.split()} | set(re.findall(r'href="#([^"]+)"', html))
        assert asked <= set(ids), (where, asked - set(ids))


def test_every_link_leads_somewhere(walk):
    lena, known = walk.visit("lena"), {}
    pages_of_lena = ("/lead", "/lead/studies/pilot", "/lead/studies/pilot/results", "/guide", "/account", "/nothing")
    for place in pages_of_lena:
        for link in Page(lena.get(place).text).links:
            if link.startswith("/"):
                known[link] = lena.get(link).status_code
    assert known
    assert set(known.values()) <= {200, 303}, known


def test_every_signed_in_page_has_the_way_out(walk):
    for where, html in html_of(walk):
        if "Signed in as" in html:
            assert 'action="/logout"' in html, where


def test_an_error_page_of_somebody_signed_in_still_knows_them(walk):
    lena = walk.visit("lena")
    assert "Signed in as" in lena.get("/lead/studies/nothing").text


def test_no_page_shows_a_template_mistake(walk):
    for where, answer in walk.answers:
        assert not re.search(r"[>\"]None[<\"]|Undefined|\{\{|\{%|&amp;(lt|gt|amp|#\d+);", answer.text), where


def test_a_refused_form_says_so_beside_its_field_and_on_top(walk):
    refused = [(where, answer.text) for where, answer in walk.answers if answer.status_code == 422]
    assert {"/login", "/code", "/account"} < {where for where, _ in refused}
    for where, html in refused:
        assert 'role="alert"' in html, where
        whole = where == "/login" or "this form is not whole" in html  # a fault of the form, of no field
        assert whole or re.search(r'aria-invalid="true"[^>]*aria-describedby="error-', html), where

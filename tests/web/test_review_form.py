"""The judging form: its contract, what it takes, what it keeps, and every task by plain forms."""

import contextlib
import json
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from app.actions import sessions
from app.config import Settings
from app.domain import codebook
from app.domain.judgement import MAX_NOTE
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
    draft_study,
    fixed_world,
    frozen_study,
    item_rows,
)
from tests.web.way import PAIRS, routes

HX = {"HX-Request": "true"}
JUDGED = {"label", "panel", "also", "reason", "group", "severity", "note"}
HIDDEN = {"version", "key", "csrf"}
SEEN_BY_PEOPLE = PROTOCOL + '[review]\nidentical_pairs = "review"\n'
EDGES = json.loads((Path(__file__).parents[1] / "fixtures" / "edge_pairs.json").read_text(encoding="utf-8"))
CONTENT, CORRECTION, STRUCTURE = codebook.GRAVITY
SAFE, SAME, RETAINED, CANNOT = "safe-cleanup", "no-material-edit", "benign-retention", "unassessable-disputed"


class Controls(HTMLParser):
    """The controls of a page: by form, and those outside of any."""

    def __init__(self, html):
        super().__init__()
        self.forms, self.outside, self.beside, self.inside = [], [], [], False
        self.feed(html)
        for tag, given in self.beside:
            next(controls for form, controls in self.forms if form.get("id") == given["form"]).append((tag, given))

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if tag == "form":
            self.forms.append((given, []))
            self.inside = True
        elif tag in {"input", "select", "textarea", "button"}:
            if "form" in given:  # a control beside its form belongs to it all the same
                self.beside.append((tag, given))
                return
            (self.forms[-1][1] if self.inside else self.outside).append((tag, given))

    def handle_endtag(self, tag):
        if tag == "form":
            self.inside = False

    def of(self, name):
        return [given for _, controls in self.forms for _, given in controls if given.get("name") == name]


def stored(store):
    """Return every stored judgement, oldest first."""
    with store.read() as connection:
        rows = connection.exec_driver_sql("select * from judgement order by id").mappings().all()
    return [dict(row) | {key: json.loads(row[key]) for key in ("reasons", "groups")} for row in rows]


def core(row):
    return row["label"], row["panel"], row["also"], row["reasons"]


def count(store, table):
    with store.read() as connection:
        return connection.exec_driver_sql(f"select count(*) from {table}").scalar()  # noqa: S608


def faulty(html):
    """Return the fields that a page names as faulty."""
    return set(re.findall(r'id="error-(\w+)"', html))


def form_of(answer_or_page):
    """Return the judging form of a page."""
    page = answer_or_page if isinstance(answer_or_page, Page) else Page(answer_or_page.text)
    return page.judging_form()


def shown(answer_or_page):
    """Return what the judging form of a page shows as filled in, hidden fields aside."""
    fields = form_of(answer_or_page).fields
    return {name: values for name, values in fields.items() if name not in HIDDEN and any(values)}


def judge_all(person, base="/review", **said):
    while (found := person.next_page(base)) is not None:
        assert person.answer(found[1], **said).status_code == 303
    assert person.sign_off(base).status_code == 303


def pairs_of(*texts):
    return [("word_repetition", "ep-one", off, on) for off, on in texts]


@contextlib.contextmanager
def house(folder, rows, protocol=PROTOCOL):
    """Give a study of its own: how to visit it, and its store."""
    store, world = open_store(folder / "store"), fixed_world()
    add_people(store, world)
    frozen_study(store, world, rows=rows, protocol=protocol)
    app = create_app(store, world, Settings(port=PORT), CHEAP)
    with contextlib.ExitStack() as browsers:

        def visit(name):
            client = browsers.enter_context(TestClient(app, base_url=ORIGIN, follow_redirects=False))
            return Person(client, name).sign_in()

        yield visit, store
    store.close()


# Shared by tests whose answers are not taken, or may be taken again.


@pytest.fixture(scope="module")
def refusing(tmp_path_factory):
    """Rosa before two pairs, and the store."""
    with house(tmp_path_factory.mktemp("refusing"), item_rows(PAIRS)) as (visit, store):
        yield visit("rosa"), store


@pytest.fixture(scope="module")
def settling(tmp_path_factory):
    """The adjudicator at the second step of a pair, the pair's address, and the store."""
    with house(tmp_path_factory.mktemp("settling"), item_rows(PAIRS)) as (visit, store):
        judge_all(visit("rosa"), label=SAME)
        judge_all(visit("ravi"), label=RETAINED)
        ines = visit("ines")
        where, page = ines.next_page("/adjudicate")
        assert ines.answer(page, label=SAME).status_code == 303
        yield ines, where, store


@pytest.fixture(scope="module")
def identical(tmp_path_factory):
    """Rosa before one pair of equal texts, the pair's address, and the store."""
    rows = item_rows(pairs_of(("um the same", "um the same")))
    with house(tmp_path_factory.mktemp("identical"), rows, SEEN_BY_PEOPLE) as (visit, store):
        rosa = visit("rosa")
        yield rosa, rosa.next_page()[0], store


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The folder of a store with a frozen study of two pairs that differ: made once, and copied."""
    folder = tmp_path_factory.mktemp("made")
    with house(folder, item_rows(PAIRS)):
        pass
    return folder / "store"


@pytest.fixture
def store(tmp_path, request):
    """An empty store, or for whoever asks for `two` a copy of the one that was made."""
    if "two" in request.fixturenames:
        shutil.copytree(request.getfixturevalue("made"), tmp_path / "store")
    opened = open_store(tmp_path / "store")
    yield opened
    opened.close()


@pytest.fixture
def two(store):
    """A study of two pairs that differ."""
    return "pilot"


@pytest.fixture
def rosa(two, visit):
    return visit("rosa")


@pytest.fixture
def settled(two, visit):
    """The adjudicator, before a queue of two pairs."""
    judge_all(visit("rosa"), label=SAME)
    judge_all(visit("ravi"), label=RETAINED)
    return visit("ines")


# The contract of the form


def test_the_first_form_with_a_label_holds_every_control_of_the_judgement(rosa):
    where, _ = rosa.next_page()
    found = Controls(rosa.get(where).text)
    holding = [form for form in found.forms if any(given.get("name") == "label" for _, given in form[1])]
    assert len(holding) == 1
    (form, controls), names = holding[0], {given.get("name") for _, given in holding[0][1]}
    assert (form["method"], form["action"], form["autocomplete"]) == ("post", where, "off")
    assert names >= JUDGED | HIDDEN
    assert {given["name"] for _, given in controls if given.get("type") == "hidden"} == HIDDEN
    others = [given.get("name") for each in found.forms if each is not holding[0] for _, given in each[1]]
    assert not (set(others) | {given.get("name") for _, given in found.outside}) & (JUDGED | HIDDEN - {"csrf"})


def test_the_form_offers_the_whole_codebook_in_its_order_and_nothing_else(rosa):
    where, _ = rosa.next_page()
    html = rosa.get(where).text
    found = Controls(html)
    values = {name: [given.get("value") for given in found.of(name)] for name in JUDGED}
    labels = [
        key for group in codebook.LABEL_GROUPS for key in codebook.LABEL_KEYS if codebook.label(key).group == group.key
    ]
    assert values["label"] == labels
    assert values["panel"] == ["A", "B", "both"]
    assert values["also"] == ["", CORRECTION, STRUCTURE]
    assert values["reason"] == [code for label in codebook.LABELS for code in label.reason_keys()]
    assert values["group"] == [each.key for each in codebook.GROUPS]
    options = re.findall(r'<option value="(\w*)"', html)
    assert options == ["", *(each.key for each in codebook.SEVERITIES)]


def test_nothing_is_chosen_before_the_judge_chooses(rosa):
    _, page = rosa.next_page()
    assert shown(page) == {}


def test_the_second_step_is_the_same_form_with_a_decision(settled):
    where, page = settled.next_page("/adjudicate")
    assert settled.answer(page, label=SAME).status_code == 303
    found = Controls(settled.get(where).text)
    names = {given.get("name") for _, given in found.forms[-1][1]}
    assert names >= JUDGED | HIDDEN | {"decision", "unresolved_reason"}
    assert [given["value"] for given in found.of("decision")] == ["keep", "change", "unresolved"]
    assert [given["value"] for given in found.of("unresolved_reason")] == [
        each.key for each in codebook.UNRESOLVED_REASONS
    ]


@pytest.mark.parametrize("headers", [{}, HX], ids=["page", "fragment"])
def test_each_panel_is_one_element_and_its_attribute_is_used_for_nothing_else(rosa, headers):
    where, _ = rosa.next_page()
    html = rosa.get(where, headers=headers).text
    assert (html.count('data-panel="A"'), html.count('data-panel="B"'), html.count("data-panel")) == (1, 1, 2)
    assert ("<html" in html) is (not headers)


ODD = [
    "doubled  spaces   here",
    " a leading and a trailing space ",
    "tab\there\tand there",
    "a return\rin the middle",
    "a return and\r\na new line",
    "a new\nline and\n\na gap",
    "\nfirst a new line, then text\n",
    "a no-break\u00a0space, a thin\u2009one, an ideographic\u3000one",
    "zero\u200bwidth\u200djoiners\u2060and\ufeffmarks",
    "a soft\u00adhyphen",
    "cafe\u0301 and caf\u00e9",
    "a\u0300\u0301\u0302 stacked",
    "\u05e9\u05dc\u05d5\u05dd and \u0645\u0631\u062d\u0628\u0627",
    "\u202eturned\u202c and \u2067isolated\u2069",
    "\U0001f469\u200d\U0001f467\u200d\U0001f466 family \u2764\ufe0f and \U0001f1e9\U0001f1f0",
    "<b>bold</b> & &amp; &#13; \"quoted\" 'too' <!-- kept -->",
    "</div></section><script>alert(1)</script>",
    "{{ 7 * 7 }} {% raw %} ${x} %s \\n \\u0041",
    "a line\u2028separator and a paragraph\u2029one",
    "a bell\u0007 an escape\u001b[31m a next line\u0085 a delete\u007f",
    "tags\U000e0041\U000e0042 and variation\U000e0101",
]


@pytest.mark.parametrize("highlight", [True, False])
def test_the_text_content_of_a_panel_is_the_stored_text_to_the_last_character(store, world, visit, highlight):
    add_people(store, world)
    rows = item_rows(pairs_of(*((text, f"x {text}") for text in ODD)))
    frozen_study(store, world, rows=rows, protocol=SEEN_BY_PEOPLE + f"highlight = {str(highlight).lower()}\n")
    rosa, seen = visit("rosa"), set()
    for entry in rosa.page("/review").links:
        if re.fullmatch(r"/review/\w{20,}", entry):
            html = rosa.get(entry).text
            seen.add(frozenset(Page(html).panels.values()))
            assert "\r" not in html, "a browser would read a bare return as a new line"
    assert seen == {frozenset((text, f"x {text}")) for text in ODD}


def test_outside_item_pages_no_control_is_named_label_and_no_panel_is_shown(walk):
    others = [each for each in walk.answers if not re.match(r"/(review|adjudicate)/(practice/)?\w{20,}$", each[0])]
    assert 100 < len(others) < len(walk.answers)
    for path, answer in others:
        assert not Controls(answer.text).of("label"), path
        assert path.split("/")[2:3] == ["guess"] or "data-panel" not in answer.text


def test_every_form_goes_to_an_absolute_path(walk):
    seen = set()
    for path, answer in walk.answers:
        found = re.findall(r'\b(?:action|formaction|hx-post|data-draft)="([^"]*)"', answer.text)
        assert all(re.match(r"/(?!/)", action) for action in found), (path, found)
        assert len(found) >= len(re.findall("<form", answer.text))
        seen.update(found)
    assert {"/", "/login", "/code", "/account", "/logout", "/review/sign-off", "/adjudicate/sign-off"} <= seen


def test_both_indexes_carry_the_sign_off_form_at_every_stage(walk):
    assert len(walk.indexes) > 30
    for base, html in walk.indexes:
        form = Page(html).form_to(f"{base}/sign-off")
        assert (form.method, form.names) == ("post", {"csrf", "study"})


def test_an_index_without_anything_to_judge_carries_it_too(store, world, visit):
    add_people(store, world)
    frozen_study(store, world, rows=item_rows(pairs_of(("just the same", "just the same"))))
    for name, base in (("rosa", "/review"), ("ravi", "/review"), ("ines", "/adjudicate")):
        assert visit(name).sign_off(base).status_code == 303
        assert visit(name).page(base).form_to(f"{base}/sign-off")


# Every task by plain forms


def test_without_a_script_each_task_is_a_form_with_a_button_on_some_page(walk):
    assert {("POST", step.route) for step, _ in walk.forms} == {each for each in routes(walk.app) if each[0] == "POST"}
    for step, html in walk.forms:
        place = re.sub("/(draft|flag|unflag)$", "", step.path)
        forms = [each for each in Controls(html).forms if each[0]["action"] == place]
        assert forms, place
        form, controls = forms[0]
        buttons = [given for tag, given in controls if tag == "button" and given["type"] == "submit"]
        if step.route.endswith("/draft"):
            buttons = [given for given in buttons if given.get("formaction") == step.path]
        assert form["method"] == "post"
        assert any("disabled" not in given for given in buttons), step.route
        assert set(step.fields) - {"decision"} <= {given.get("name") for _, given in controls}


def test_with_two_studies_the_work_is_chosen_by_a_plain_form(store, world, visit):
    add_people(store, world)
    for name in ("pilot", "second"):
        frozen_study(
            store, world, protocol=PROTOCOL.replace('"pilot"', f'"{name}"').replace("A small pilot", f"The {name}")
        )
    rosa = visit("rosa")
    assert rosa.get("/review").headers["location"] == "/"
    for name in ("second", "pilot"):
        form = rosa.page("/").form_to("/")
        assert "study" in form.names
        answer = rosa.send(form, study=name)
        assert (answer.status_code, answer.headers["location"]) == (303, "/review")
        assert f"The {name}" in rosa.get("/review").text
        assert f"The {name}" in rosa.get(rosa.next_page()[0]).text
    assert rosa.send(rosa.page("/").form_to("/"), study="other").status_code == 404


# What the form takes


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ({"label": SAFE, "panel": "A", "reason": ["negation", "reversed"]}, (SAFE, "A", None, [])),
        ({"label": SAFE, "panel": "B", "also": STRUCTURE}, (SAFE, "B", None, [])),
        ({"label": SAME, "panel": "both", "reason": ["name"], "also": CORRECTION}, (SAME, None, None, [])),
        ({"label": RETAINED, "panel": "A", "reason": ["source_ambiguous"]}, (RETAINED, None, None, [])),
        (
            {"label": CANNOT, "panel": "A", "reason": ["negation", "segment_cut_off"]},
            (CANNOT, None, None, ["segment_cut_off"]),
        ),
        (
            {"label": STRUCTURE, "panel": "B", "reason": ["negation", "joined_fragments"]},
            (STRUCTURE, "B", None, ["joined_fragments"]),
        ),
        (
            {"label": CONTENT, "panel": "A", "reason": ["reversed", "quantity"]},
            (CONTENT, "A", None, ["quantity"]),
        ),
        (
            {
                "label": CONTENT,
                "panel": "A",
                "also": CORRECTION,
                "reason": ["quantity", "reversed", "joined_fragments"],
            },
            (CONTENT, "A", CORRECTION, ["quantity", "reversed"]),
        ),
    ],
)
def test_what_belongs_to_a_former_label_is_dropped_without_a_422(rosa, store, sent, kept):
    _, page = rosa.next_page()
    assert rosa.answer(page, **sent).status_code == 303
    assert core(stored(store)[0]) == kept


def test_a_label_changed_on_a_stored_answer_leaves_nothing_of_the_former_behind(rosa, store):
    where, page = rosa.next_page()
    rosa.answer(page, label=CONTENT, panel="A", also=STRUCTURE, reason=["negation", "joined_fragments"], note="mine")
    assert rosa.send(form_of(rosa.page(where)), label=SAME).status_code == 303
    assert [core(row) for row in stored(store)][-1] == (SAME, None, None, [])
    assert shown(rosa.page(where)) == {"label": [SAME], "note": ["mine"]}


@pytest.mark.parametrize(
    ("changes", "fields"),
    [
        ({"label": "destructive"}, {"label"}),
        ({"label": "SAFE-CLEANUP"}, {"label"}),
        ({"label": ""}, {"label"}),
        ({"label": None}, {"label"}),
        ({"label": [SAME, RETAINED]}, {"label"}),
        ({"panel": "C"}, {"panel"}),
        ({"panel": "a"}, {"panel"}),
        ({"panel": ["A", "B"]}, {"panel"}),
        ({"panel": None}, {"panel"}),
        ({"also": SAFE}, {"also"}),
        ({"also": "x"}, {"also"}),
        ({"also": CONTENT}, {"also"}),
        ({"also": STRUCTURE, "panel": "both"}, {"also"}),
        ({"reason": ["negation", "x"]}, {"reason"}),
        ({"reason": ["reversed"]}, {"reason"}),
        ({"reason": None}, {"reason"}),
        ({"group": ["fluent", "stutterer"]}, {"group"}),
        ({"severity": "grave"}, {"severity"}),
        ({"severity": ["legal", "clinical"]}, {"severity"}),
        ({"note": "n" * (MAX_NOTE + 1)}, {"note"}),
        ({"panel": None, "reason": None}, {"panel", "reason"}),
        (
            {"panel": "C", "also": "x", "reason": "x", "group": "x", "severity": "x", "note": "n" * 5_000},
            {"panel", "also", "reason", "group", "severity", "note"},
        ),
        ({"label": SAFE, "panel": "both", "reason": None}, {"panel"}),
        ({"label": SAFE, "panel": None}, {"panel"}),
        ({"label": CANNOT, "reason": None}, {"reason"}),
        ({"label": CANNOT, "reason": "negation"}, {"reason"}),
    ],
)
@pytest.mark.parametrize("headers", [{}, HX], ids=["page", "fragment"])
def test_a_faulty_answer_is_422_names_every_faulty_field_and_stores_nothing(refusing, changes, fields, headers):
    (rosa, store), good = refusing, {"label": CONTENT, "panel": "A", "reason": ["negation"]}
    _, page = rosa.next_page()
    answer = rosa.answer(page, headers=headers, **good | changes)
    assert answer.status_code == 422
    assert faulty(answer.text) == fields
    assert set(re.findall(r'href="#field-(\w+)"', answer.text)) == fields
    assert ("<html" in answer.text) is (not headers)
    assert stored(store) == []


@pytest.mark.parametrize("label", [None, "x", SAFE])
def test_a_faulty_reason_is_named_whatever_the_answer(refusing, label):
    rosa, _ = refusing
    answer = rosa.answer(rosa.next_page()[1], label=label, panel="A", reason="x")
    assert answer.status_code == 422
    assert "reason" in answer.text.split('role="alert"')[1].split("</div>")[0].lower()


@pytest.mark.parametrize(
    ("name", "value"),
    [("version", wrong) for wrong in (None, "", "x", "-1", "1.5", "\xb2", "9" * 10)]
    + [("key", wrong) for wrong in (None, "", "k" * 129)],
)
def test_a_form_without_its_hidden_fields_stores_nothing(refusing, name, value):
    rosa, store = refusing
    _, page = rosa.next_page()
    answer = rosa.send(page.judging_form(), label=SAME, **{name: value})
    assert answer.status_code == 422
    assert "reload the page" in answer.text
    assert stored(store) == []


@pytest.mark.parametrize(
    ("said", "field"),
    [
        ({"decision": None}, "decision"),
        ({"decision": "perhaps"}, "decision"),
        ({"decision": "unresolved"}, "unresolved_reason"),
        ({"decision": "unresolved", "unresolved_reason": "tired"}, "unresolved_reason"),
        ({"decision": "change", "label": CONTENT, "panel": "A"}, "reason"),
        ({"decision": "change", "label": SAFE, "panel": "both"}, "panel"),
    ],
)
def test_a_faulty_second_step_names_its_field_and_keeps_what_was_entered(settling, said, field):
    ines, where, store = settling
    before = stored(store)
    answer = ines.send(ines.page(where).judging_form(), **said)
    assert (answer.status_code, faulty(answer.text)) == (422, {field})
    kept = {name: values for name, values in shown(answer).items() if name in said}
    assert kept == {name: [value] for name, value in said.items() if value not in {None, "perhaps", "tired"}}
    assert stored(store) == before


@pytest.mark.parametrize(
    ("said", "taken"),
    [
        ({"label": SAME}, True),
        ({"label": SAME, "panel": "A"}, True),
        ({"label": CONTENT, "panel": "both", "reason": "negation"}, True),
        ({"label": STRUCTURE, "panel": "both", "reason": "joined_fragments"}, True),
        ({"label": CANNOT, "reason": "source_ambiguous"}, True),
        ({"label": CONTENT, "panel": "A", "reason": "negation"}, False),
        ({"label": CORRECTION, "panel": "B", "reason": "reversed"}, False),
        ({"label": CONTENT, "panel": "A", "also": STRUCTURE, "reason": "negation"}, False),
        ({"label": SAFE, "panel": "A"}, False),
        ({"label": SAFE, "panel": "B"}, False),
        ({"label": SAFE, "panel": "both"}, False),
        ({"label": RETAINED}, False),
    ],
)
def test_identical_panels_take_no_answer_that_tells_them_apart(identical, said, taken):
    rosa, where, store = identical
    before = len(stored(store))
    answer = rosa.answer(rosa.page(where), **said)
    assert answer.status_code == (303 if taken else 422)
    assert faulty(answer.text) <= {"label", "panel"}
    assert len(stored(store)) == before + taken


@pytest.mark.parametrize("said", [{"label": SAFE, "panel": "A"}, {"label": RETAINED}])
def test_panels_that_count_as_the_same_take_no_such_answer_either(store, world, visit, said):
    add_people(store, world)
    protocol = SEEN_BY_PEOPLE + 'comparator = "whitespace-case"\n'
    frozen_study(store, world, protocol=protocol, rows=item_rows(pairs_of(("The  same", "the same"))))
    rosa = visit("rosa")
    assert rosa.answer(rosa.next_page()[1], **said).status_code == 422


# The twenty edge pairs


def the_first_that_holds(pair):
    """Answer a pair by the codebook's order, from what is a fact about it."""
    facts = pair["facts"]
    damage = {name: min(kinds, key=codebook.GRAVITY.index, default=None) for name, kinds in facts["damage"].items()}
    a, b = (set(facts["disfluencies"][name]) for name in "ab")
    if not facts["judgeable"]:
        return CANNOT, None, None
    if any(damage.values()):
        gravest = min(filter(None, damage.values()), key=codebook.GRAVITY.index)
        where = [name for name in "ab" if damage[name] == gravest]
        other = damage["b" if where == ["a"] else "a"] if len(where) == 1 else None
        return gravest, "both" if len(where) > 1 else where[0], other
    if pair["a"] == pair["b"]:
        return SAME, None, None
    if bool(a - b) != bool(b - a):
        return SAFE, "b" if a - b else "a", None
    return (RETAINED if a & b else SAME), None, None


@pytest.fixture(scope="module")
def edges(tmp_path_factory):
    """A reviewer before all edge pairs, the store, and each pair's address by its texts."""
    rows = item_rows(pairs_of(*((pair["a"], pair["b"]) for pair in EDGES)))
    for row, pair in zip(rows, EDGES, strict=True):
        row["semantic_reference"] = pair["reference"]
    rows = [{key: value for key, value in row.items() if value is not None} for row in rows]
    with house(tmp_path_factory.mktemp("edges"), rows, SEEN_BY_PEOPLE) as (visit, store):
        rosa = visit("rosa")
        tokens = [link for link in rosa.page("/review").links if re.fullmatch(r"/review/\w{20,}", link)]
        yield rosa, store, {frozenset(rosa.page(where).panels.values()): where for where in tokens}


def test_there_are_twenty_edge_pairs_unlike_each_other():
    assert len({frozenset((pair["a"], pair["b"])) for pair in EDGES}) == len(EDGES) == 20
    assert len({pair["name"] for pair in EDGES}) == 20


@pytest.mark.parametrize("pair", EDGES, ids=lambda pair: pair["name"])
def test_an_edge_pair_has_exactly_one_answer_by_the_codebooks_order(pair):
    answer = pair["answer"]
    assert the_first_that_holds(pair) == (answer["label"], answer["panel"], answer["also"])


@pytest.mark.parametrize("pair", EDGES, ids=lambda pair: pair["name"])
def test_the_form_takes_the_one_right_answer_of_an_edge_pair(edges, pair):
    rosa, store, addresses = edges
    page = rosa.page(addresses[frozenset((pair["a"], pair["b"]))])
    answer, sides = pair["answer"], {"both": "both", None: None}
    sides |= {name: next(side for side, text in page.panels.items() if text == pair[name]) for name in "ab"}
    said = {"label": answer["label"], "panel": sides[answer["panel"]], "also": answer["also"]}
    assert rosa.answer(page, **said, reason=answer["reason"] or None).status_code == 303
    *_, newest = stored(store)
    assert core(newest)[:3] == tuple(said.values())
    assert set(newest["reasons"]) == set(answer["reason"])


# What is kept


def test_after_a_422_everything_that_was_entered_is_still_there(rosa):
    entered = {
        "label": CONTENT,
        "panel": "both",
        "also": STRUCTURE,
        "reason": ["negation", "joined_fragments"],
        "group": ["block", "fluent"],
        "severity": "legal",
        "note": 'two\nlines, "quotes" & <tags>\n',
    }
    _, page = rosa.next_page()
    answer = rosa.answer(page, **entered)
    assert answer.status_code == 422
    assert shown(answer) == {name: value if isinstance(value, list) else [value] for name, value in entered.items()}


def test_what_is_mended_after_a_422_is_taken(rosa, store):
    _, page = rosa.next_page()
    refused = rosa.answer(page, label=CONTENT, reason="negation", note="kept")
    assert rosa.send(form_of(refused), panel="B").status_code == 303
    assert (core(stored(store)[0]), stored(store)[0]["note"]) == ((CONTENT, "B", None, ["negation"]), "kept")


HALF = {
    "label": CONTENT,
    "panel": "A",
    "also": STRUCTURE,
    "reason": ["negation"],
    "group": ["prolongation"],
    "severity": "clinical",
    "note": "\n half a thought…\t\u202e \U0001f469\u200d\U0001f467 <b>\n",
}


def drafted(person, **more):
    where, page = person.next_page()
    answer = person.send(page.judging_form(), path=f"{where}/draft", **HALF | more)
    assert (answer.status_code, answer.headers["location"]) == (303, where)
    return where


def lists(fields):
    return {name: value if isinstance(value, list) else [value] for name, value in fields.items()}


def test_a_draft_is_there_after_a_reload_to_the_last_character(rosa):
    where = drafted(rosa)
    assert shown(rosa.page(where)) == shown(rosa.page(where)) == lists(HALF)


def test_a_draft_is_no_answer(rosa, store):
    where = drafted(rosa)
    assert stored(store) == []
    assert rosa.get("/review/next").headers["location"] == where
    assert rosa.sign_off().status_code == 409
    assert "Not sent yet" in rosa.get("/review").text


def test_a_draft_outlives_signing_out_and_another_browser(rosa, visit):
    where = drafted(rosa)
    rosa.send(rosa.page("/account").form_to("/logout"))
    assert shown(visit("rosa").page(where)) == lists(HALF)


def test_a_draft_outlives_the_end_of_a_session(rosa, store, world, visit):
    where, page = rosa.next_page()
    drafted(rosa)
    sessions.start_server(store, world)
    assert rosa.send(page.judging_form(), label=SAME).headers["location"] == f"/login?back={where}"
    assert shown(rosa.sign_in().page(where)) == lists(HALF)
    assert stored(store) == []


def test_the_newest_draft_counts_and_an_emptied_one_is_empty(rosa):
    where = drafted(rosa)
    form = rosa.page(where).judging_form()
    rosa.send(form, path=f"{where}/draft", **dict.fromkeys(HALF) | {"note": "only this"})
    assert shown(rosa.page(where)) == {"note": ["only this"]}
    rosa.send(form, path=f"{where}/draft", **dict.fromkeys(HALF))
    assert shown(rosa.page(where)) == {}


def test_a_draft_is_gone_when_the_answer_is_sent(rosa, store):
    where = drafted(rosa)
    assert rosa.send(form_of(rosa.page(where)), **dict.fromkeys(HALF) | {"label": SAME}).status_code == 303
    assert shown(rosa.page(where)) == {"label": [SAME]}
    assert count(store, "draft") == 0


def test_a_late_draft_does_not_bring_back_what_was_sent(rosa, store):
    where, page = rosa.next_page()
    rosa.answer(page, label=SAME)
    for headers in ({}, HX):
        assert rosa.send(page.judging_form(), path=f"{where}/draft", headers=headers, **HALF).status_code == 409
    assert count(store, "draft") == 0


def test_a_draft_is_its_authors_alone(rosa, two, visit):
    drafted(rosa, note="a thought of rosa alone")
    for name in ("ravi", "ines", "lena", "otto"):
        person = visit(name)
        paths = ["/", "/review", "/adjudicate", "/lead", "/lead/studies/pilot"]
        paths += [link for link in Page(person.get("/review").text).links if link.startswith("/review/")]
        assert not any("rosa alone" in person.get(path).text for path in paths)


def test_a_draft_of_the_second_step_keeps_the_decision(settled):
    where, page = settled.next_page("/adjudicate")
    settled.answer(page, label=SAME)
    form = settled.page(where).judging_form()
    said = {"decision": "unresolved", "unresolved_reason": "needs_policy", "note": "for later"}
    settled.send(form, path=f"{where}/draft", **said)
    assert shown(settled.page(where)) == lists(said | {"label": SAME})


@pytest.mark.parametrize("headers", [{}, HX], ids=["page", "fragment"])
def test_a_draft_that_is_too_long_is_refused_beside_its_field_and_stays_in_the_form(refusing, headers):
    rosa, store = refusing
    where, page = rosa.next_page()
    said = {"label": SAME, "note": "n" * 20_001}
    answer = rosa.send(page.judging_form(), path=f"{where}/draft", headers=headers, **said)
    assert (answer.status_code, faulty(answer.text), shown(answer)) == (422, {"note"}, lists(said))
    assert count(store, "draft") == 0


@pytest.mark.parametrize("to", ["", "/draft"], ids=["sent", "draft"])
def test_a_note_with_a_nul_is_refused_beside_its_field_whether_sent_or_kept(refusing, to):
    rosa, store = refusing
    where, page = rosa.next_page()
    answer = rosa.send(page.judging_form(), path=where + to, label=SAME, note="half a\0thought")
    assert (answer.status_code, faulty(answer.text)) == (422, {"note"})
    assert (count(store, "draft"), stored(store)) == (0, [])


# Sent answers


def test_a_sent_answer_may_be_revised_until_sign_off_and_every_version_is_kept(rosa, store):
    where, page = rosa.next_page()
    rosa.answer(page, label=CONTENT, panel="A", reason="negation", note="first thoughts")
    assert shown(rosa.page(where)) == lists(
        {"label": CONTENT, "panel": "A", "reason": "negation", "note": "first thoughts"}
    )
    rosa.answer(rosa.page(where), label=RETAINED, note="")
    rosa.answer(rosa.page(where), label=SAME, note="")
    assert [(row["version"], row["label"], row["note"]) for row in stored(store)] == [
        (1, CONTENT, "first thoughts"),
        (2, RETAINED, ""),
        (3, SAME, ""),
    ]
    assert shown(rosa.page(where)) == {"label": [SAME]}


def test_a_conflict_keeps_both_answers_and_the_form_may_be_sent_again(rosa, store):
    _, page = rosa.next_page()
    rosa.answer(page, label=CONTENT, panel="A", reason="negation", note="in the first tab")
    answer = rosa.answer(page, label=RETAINED, note="in the second tab", group=["block"])
    assert answer.status_code == 409
    assert shown(answer) == lists({"label": RETAINED, "note": "in the second tab", "group": "block"})
    told = answer.text.split('role="alert"')[1].split("</div>")[0]
    assert all(words in told for words in ("Meaning changed: words", "Negation", "in the first tab"))
    assert len(stored(store)) == 1
    assert rosa.send(form_of(answer)).status_code == 303
    assert [row["note"] for row in stored(store)] == ["in the first tab", "in the second tab"]


def test_a_repeated_request_stores_nothing_twice(rosa, store):
    _, page = rosa.next_page()
    assert [rosa.answer(page, label=SAME).status_code for _ in range(3)] == [303] * 3
    assert len(stored(store)) == 1
    assert rosa.answer(page, label=RETAINED).status_code == 409


def test_after_sign_off_nothing_changes_and_everything_may_be_looked_at(rosa, store):
    where, page = rosa.next_page()
    judge_all(rosa, label=SAME)
    before = stored(store)
    fresh = rosa.page(where)
    for form in (page.judging_form(), fresh.judging_form()):
        for headers in ({}, HX):
            assert rosa.send(form, headers=headers, label=RETAINED).status_code == 409
            assert rosa.send(form, path=f"{where}/draft", headers=headers, note="late").status_code == 409
    assert stored(store) == before
    assert count(store, "draft") == 0
    html = rosa.get(where).text
    assert "Your set is signed" in html
    assert "<fieldset" in html.split('class="judging"')[1].split("disabled>")[0]
    assert 'type="submit"' not in html.split('class="judging"')[1].split("</form>")[0]


def test_after_the_adjudicators_sign_off_and_after_the_close_nothing_changes(settled, store, visit):
    where, page = settled.next_page("/adjudicate")
    judge_all(settled, "/adjudicate", label=SAME, decision="keep")
    before = stored(store)
    assert settled.send(page.judging_form(), label=RETAINED).status_code == 409
    lena = visit("lena")
    assert lena.send(lena.page("/lead/studies/pilot").form_to("/lead/studies/pilot/close")).status_code == 303
    answer = settled.send(settled.page(where).judging_form(), decision="unresolved", unresolved_reason="needs_policy")
    assert (answer.status_code, "closed" in answer.text) == (409, True)
    assert stored(store) == before


def test_a_reopened_set_may_be_changed_and_signed_again(rosa, store, two, visit):
    where, _ = rosa.next_page()
    judge_all(rosa, label=SAME)
    lena = visit("lena")
    form = lena.page("/lead/studies/pilot").form_to("/lead/studies/pilot/reopen")
    assert lena.send(form, name="rosa", reason="she asked").status_code == 303
    assert rosa.answer(rosa.page(where), label=RETAINED).status_code == 303
    assert rosa.sign_off().status_code == 303
    assert "Signed, then reopened" in rosa.get("/review").text


def test_a_note_is_shown_to_its_author_alone(two, visit):
    for name, label in (("rosa", SAME), ("ravi", RETAINED)):
        judge_all(visit(name), label=label, note=f"the private note of {name}")
    ines = visit("ines")
    where, page = ines.next_page("/adjudicate")
    ines.answer(page, label=SAME, note="the private note of ines")
    assert "private note of ines" in ines.get(where).text
    everywhere = [ines.get(where), ines.get("/adjudicate")]
    everywhere += [visit("lena").get(path) for path in ("/lead", "/lead/studies/pilot")]
    assert not any(f"private note of {name}" in answer.text for answer in everywhere for name in ("rosa", "ravi"))


# For htmx


def test_for_htmx_an_answer_brings_the_next_item_as_a_fragment(rosa, store):
    where, page = rosa.next_page()
    answer = rosa.answer(page, headers=HX, label=SAME)
    assert (answer.status_code, "<html" in answer.text) == (200, False)
    assert answer.text.lstrip().startswith('<section id="item"')
    following = rosa.get("/review/next").headers["location"]
    assert following != where
    assert Page(answer.text).judging_form().action == following
    assert answer.text == rosa.get(following, headers=HX).text
    assert answer.text.strip() in rosa.get(following).text
    assert len(stored(store)) == 1


def test_for_htmx_the_last_answer_leads_back_to_the_index(rosa):
    while (found := rosa.next_page()) is not None:
        answer = rosa.answer(found[1], headers=HX, label=SAME)
    assert (answer.status_code, answer.headers["hx-redirect"], answer.text) == (200, "/review", "")


@pytest.mark.parametrize(("changes", "status"), [({"label": None}, 422), ({"version": "7", "label": SAME}, 409)])
def test_for_htmx_a_422_and_a_409_are_the_items_own_fragment(rosa, changes, status):
    where, page = rosa.next_page()
    answer = rosa.answer(page, headers=HX, note="kept", **changes)
    assert (answer.status_code, "<html" in answer.text) == (status, False)
    assert answer.text.lstrip().startswith('<section id="item"')
    assert Page(answer.text).judging_form().action == where
    assert shown(answer)["note"] == ["kept"]
    assert 'role="alert"' in answer.text


def test_for_htmx_the_second_step_follows_the_first_at_the_same_item(settled):
    where, page = settled.next_page("/adjudicate")
    answer = settled.answer(page, headers=HX, label=SAME)
    form = Page(answer.text).judging_form()
    assert (form.action, "decision" in form.names) == (where, True)


def test_for_htmx_a_draft_has_no_content(rosa):
    where, page = rosa.next_page()
    answer = rosa.send(page.judging_form(), path=f"{where}/draft", headers=HX, **HALF)
    assert (answer.status_code, answer.content) == (204, b"")


def test_a_study_still_in_preparation_offers_no_item(store, world, people, visit):
    draft_study(store, world)
    assert visit("rosa").get("/review").headers["location"] == "/"


@pytest.mark.parametrize("charset", ["unicode_escape", "utf-7", "punycode", "undefined"])
def test_a_form_in_any_coding_but_utf8_is_refused(study, visit, charset):
    rosa = visit("rosa")
    where, _ = rosa.next_page()
    kind = f"application/x-www-form-urlencoded; charset={charset}"
    answer = rosa.client.post(where, content=b"note=%5cud800", headers=rosa.headers | {"Content-Type": kind})
    assert answer.status_code == 422


def test_a_signed_set_shows_what_was_signed_and_not_a_draft(study, visit):
    rosa = visit("rosa")
    while (found := rosa.next_page()) is not None:
        where, page = found
        rosa.answer(page, label="no-material-edit")
    form = form_of(rosa.get(where))
    assert rosa.send(form, path=f"{where}/draft", label="benign-retention", note="not sent").status_code == 303
    assert shown(rosa.get(where))["label"] == ["benign-retention"]
    rosa.sign_off()
    assert shown(rosa.get(where)).get("label") == ["no-material-edit"]


def test_a_decision_given_twice_is_refused(study, visit):
    judge_all(visit("rosa"), label="no-material-edit")
    judge_all(visit("ravi"), label="unassessable-disputed", reason="source_ambiguous")
    ines = visit("ines")
    where, page = ines.next_page("/adjudicate")
    ines.answer(page, label="no-material-edit")
    page = ines.page(where)
    for decision in (["keep", "unresolved"], ["bogus", "keep"]):
        assert ines.answer(page, decision=decision, unresolved_reason="needs_policy").status_code == 422


@pytest.mark.parametrize("bytes_sent", ["%ed%a0%80", "%ff", "%c3", "%c0%af"])
def test_what_is_not_utf_8_is_refused_and_never_changed(rosa, store, bytes_sent):
    where, page = rosa.next_page()
    csrf = page.judging_form().fields["csrf"][0]
    body = f"csrf={csrf}&version=0&key=k&label=no-material-edit&note={bytes_sent}"
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    answer = rosa.client.post(where, content=body, headers=rosa.headers | headers)
    assert answer.status_code == 422
    with store.read() as connection:
        assert connection.exec_driver_sql("select count(*) from judgement").scalar() == 0

"""How long a page takes tells no arm: the twins of a study answer equally fast, and a planted delay is noticed.

Both twins show the same texts on the same sides, so that whatever differs for an item in time comes from the
arm. Each is asked in turn, in an order that favours neither. On a busy machine single answers are slow by
chance; of some looks the fastest is therefore compared, as somebody who times pages would do.
"""

import math
import time
from contextlib import ExitStack, contextmanager

import pytest
from sqlalchemy import select
from starlette.testclient import TestClient

from app.actions import reviewing
from app.config import Settings
from app.store import judging
from app.store.migrate import open_store
from app.store.studies import decode_item
from app.store.tables import account, slot
from app.web.app import create_app
from tests.blinding.worlds import two_stores
from tests.faults.figures import say
from tests.house import CHEAP, ORIGIN, PORT, Person, fixed_world

ITEMS, LOOKS = 120, 6  # an even number of looks: each arm comes first equally often
Z = 4  # standard errors, never widened
DELAY = 0.001


class Twin:
    """One of two equal studies, and its first reviewer at a browser."""

    def __init__(self, folder, browsers):
        self.store = open_store(folder)
        browsers.callback(self.store.close)
        app = create_app(self.store, fixed_world("drive"), Settings(port=PORT), CHEAP)
        browser = browsers.enter_context(TestClient(app, base_url=ORIGIN, follow_redirects=False))
        self.rosa = Person(browser, "rosa").sign_in().practise()
        self.places = [f"/review/{token}" for token in self.of_slots("token")]
        self.arms = self.of_slots("on_panel")
        # Each is opened now, so that no look of those that are timed writes.
        self.forms = [self.rosa.page(place).judging_form() for place in self.places]

    def of_slots(self, column):
        with self.store.read() as connection:
            mine = select(slot.c[column]).join(account, account.c.id == slot.c.account_id)
            found = connection.execute(mine.where(account.c.name == "rosa").order_by(slot.c.position))
            return found.scalars().all()[:ITEMS]

    def look(self, number):
        return self.rosa.get(self.places[number])

    def submit(self, number):
        """Send an answer, or the next version of it."""
        form = self.forms[number]
        version = int(form.fields["version"][0])
        said = {"label": "unassessable-disputed", "reason": "source_ambiguous", "key": f"{number}-{version}"}
        answer = self.rosa.send(form, **said)
        form.fields["version"] = [str(version + 1)]
        return answer


@pytest.fixture(scope="module")
def twins(tmp_path_factory):
    with ExitStack() as browsers:
        yield [Twin(folder, browsers) for folder in two_stores(tmp_path_factory.mktemp("timed"), ITEMS)]


def timed(ask, number, expected):
    began = time.perf_counter()
    answer = ask(number)
    took = time.perf_counter() - began
    assert answer.status_code == expected
    return took


def by_arm(twins, act, expected):
    """Return the times of each item with the filtered text as Text A, and the times with it as Text B."""
    times = {"A": [[] for _ in range(ITEMS)], "B": [[] for _ in range(ITEMS)]}
    for look in range(LOOKS):
        for number in range(ITEMS):
            for twin in twins if (look + number) % 2 else reversed(twins):
                times[twin.arms[number]][number].append(timed(getattr(twin, act), number, expected))
    return times["A"], times["B"]


def ranked_auc(one, other):
    """Return the chance that a time of one arm is longer than one of the other, and its standard error.

    Mann and Whitney 1947: AUC = U / (n m), under chance with the variance (n + m + 1) / (12 n m).
    """
    n, m = len(one), len(other)
    order = sorted([(took, 1) for took in one] + [(took, 0) for took in other])
    ranks = sum(rank for rank, (_, mine) in enumerate(order, start=1) if mine)
    return (ranks - n * (n + 1) / 2) / (n * m), math.sqrt((n + m + 1) / (12 * n * m))


def paired_auc(one, other):
    """Return the same within items, where texts differ in nothing: the sign test's share and standard error."""
    longer = [(a > b) + (a == b) / 2 for a, b in zip(one, other, strict=True)]
    return sum(longer) / len(longer), math.sqrt(0.25 / len(longer))


def distances(twins, act, expected):
    """Return how many standard errors each AUC is from one half, and what to print of it."""
    a, b = by_arm(twins, act, expected)
    fastest = list(map(min, a)), list(map(min, b))
    single = [each for item in a for each in item], [each for item in b for each in item]
    measured = {
        "every answer": (ranked_auc(*single), len(single[0])),
        "every answer, within items": (paired_auc(*single), len(single[0])),
        "the fastest of each item": (ranked_auc(*fastest), ITEMS),
        "the fastest, within items": (paired_auc(*fastest), ITEMS),
    }
    z = {what: (auc - 0.5) / error for what, ((auc, error), _) in measured.items()}
    told = [f"{act}, {what}: AUC {auc:.3f}, n = {n} an arm, {z[what]:+.1f} standard errors of {error:.3f}"
            for what, ((auc, error), n) in measured.items()]  # fmt: skip
    return list(z.values()), "\n".join(told)


ACTS = pytest.mark.parametrize(("act", "expected"), [("look", 200), ("submit", 303)])


@ACTS
def test_an_answers_time_is_the_same_on_whichever_side_the_filtered_text_stands(twins, act, expected):
    z, told = distances(twins, act, expected)
    say(told)
    assert max(map(abs, z)) <= Z, told


def wait():
    until = time.perf_counter() + DELAY
    while time.perf_counter() < until:
        pass


@contextmanager
def slower_where_text_a_is_filtered(twins):
    """Plant a branch of a millisecond that depends on the arm, where a pair is read and where an answer is stored."""
    shown, submit, arms = judging._shown, reviewing.submit, {}
    for twin in twins:
        arms |= {(twin.store.folder, token): arm for token, arm in zip(twin.of_slots("token"), twin.arms, strict=True)}

    def slow_page(content, rules, on_panel):
        if on_panel == "A":
            wait()
        return shown(content, rules, on_panel)

    def slow_submit(store, world, judge, token, form):
        if arms[store.folder, token] == "A":
            wait()
        return submit(store, world, judge, token, form)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(judging, "_shown", slow_page)
        patch.setattr(reviewing, "submit", slow_submit)
        yield


@ACTS
def test_a_branch_of_a_millisecond_that_depends_on_the_arm_is_noticed(twins, act, expected):
    with slower_where_text_a_is_filtered(twins):
        z, told = distances(twins, act, expected)
    say(told)
    assert max(z) > Z, told


def test_the_known_answer_of_a_sentinel_is_not_even_read_for_its_page(twins, monkeypatch):
    read = []
    monkeypatch.setattr(judging, "decode_item", lambda content: read.append(content) or decode_item(content))
    for number in range(ITEMS):
        twins[0].look(number)
    assert len(read) == ITEMS
    assert not [content for content in read if "expected" in content or "sentinel" in content]

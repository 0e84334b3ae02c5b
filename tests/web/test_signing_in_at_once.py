"""What signing in costs: the same for names that exist and names that do not, and nothing to those who review.

The short forms run with every suite; `-m load` runs them at full length.
"""

import math
import statistics
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from app.actions import sessions
from app.domain.errors import InvalidInput
from app.domain.throttle import OFF
from app.security import Passwords
from tests.house import Person, add_people, item_rows, password_of
from tests.server import Evenhand
from tests.walk.test_whole_way import freeze, prepare

MIB = 1 << 20


def auc(one, other):
    """Return how often a value of the first is above one of the second, ties as half (Mann and Whitney 1947)."""
    return sum((a > b) + (a == b) / 2 for a in one for b in other) / (len(one) * len(other))


def standard_error(n):
    """Return that of an AUC of .5 with n values on either side."""
    return math.sqrt((2 * n + 1) / (12 * n * n))


def times_of_wrong_passwords(store, world, passwords, n):
    """Return the seconds of n wrong passwords for a name that exists and for one that does not, taken in turns."""
    found = {"rosa": [], "nora": []}
    for turn in range(n):
        for name in sorted(found, reverse=bool(turn % 2)):
            begun = time.perf_counter()
            with pytest.raises(InvalidInput):
                sessions.sign_in(store, world, passwords, name, "a wrong password", paces=OFF)
            found[name].append(time.perf_counter() - begun)
    return found


def told_apart(store, world, passwords, n):
    add_people(store, world, ["rosa", "ravi"])
    with store.write() as connection:
        encoded = passwords.hash(password_of("rosa"))
        connection.exec_driver_sql("update account set password_hash = ?", (encoded,))
    found = times_of_wrong_passwords(store, world, passwords, n)
    value = auc(found["rosa"], found["nora"])
    print(f"AUC {value:.3f}, n = {n} + {n}, standard error {standard_error(n):.3f}")  # noqa: T201 - with -s
    return value


# An eighth of the memory that passwords are hashed with: enough that Argon2 takes most of the time, as it
# does with all of it, so that a check that is left out shows.
MIDDLE = (8_192, 3)


def test_known_and_unknown_names_cannot_be_told_apart_by_time(store, world):
    value = told_apart(store, world, Passwords(*MIDDLE), 60)
    assert abs(value - 0.5) <= 4 * standard_error(60)


@pytest.mark.load
@pytest.mark.parametrize(("memory_kib", "passes", "n"), [(8, 1, 1_000), (*MIDDLE, 400), (65_536, 3, 200)])
def test_at_length_known_and_unknown_names_cannot_be_told_apart_by_time(store, world, memory_kib, passes, n):
    value = told_apart(store, world, Passwords(memory_kib, passes), n)
    assert abs(value - 0.5) <= 4 * standard_error(n)


def test_a_measure_of_time_finds_a_name_that_costs_more(store, world):
    class Leaky(Passwords):
        def matches(self, password, encoded):
            return encoded is not None and super().matches(password, encoded)

    assert told_apart(store, world, Leaky(*MIDDLE), 60) - 0.5 > 4 * standard_error(60)


NAMES = ("rosa", "ravi", "ines", "lena")


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    """A real server with real Argon2 and a study to review."""
    if not Path("/proc/self/status").exists():
        pytest.skip("only Linux tells the memory of a process in /proc")
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("at-once")
        house = Evenhand(folder / "store", patch)
        freeze(house, prepare(house, folder, item_rows()))
        house.serve()
        yield house
        house.stop()


def memory(house, what):
    """Return a process's memory in bytes: `VmRSS` as it is, `VmHWM` at its highest."""
    lines = Path(f"/proc/{house.process.pid}/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) * 1_024 for line in lines if line.startswith(f"{what}:"))


def review(person, times, stop):
    """Open the next item and keep a draft, over and over; note the seconds of each request."""
    while not stop.is_set():
        for request in (lambda: person.get("/review"), lambda: person.next_page()[1]):
            begun = time.perf_counter()
            answer = request()
            times.append(time.perf_counter() - begun)
        begun = time.perf_counter()
        kept = person.send(answer.judging_form(), path=f"{answer.judging_form().action}/draft", note="a thought")
        times.append(time.perf_counter() - begun)
        assert kept.status_code == 303


def p99_of(times):
    return statistics.quantiles(times, n=100, method="inclusive")[98]


def at_once(house, how_many):
    """Let many sign in at once while one reviews; return their seconds, the reviews' and how memory grew."""
    rosa, stop = house.visit("rosa"), threading.Event()
    times, begin = [], threading.Barrier(how_many)

    def arrive(number):
        with httpx.Client(base_url=house.origin, timeout=120) as client:
            person = Person(client, NAMES[number % len(NAMES)], origin=house.origin)
            begin.wait()
            begun = time.perf_counter()
            person.sign_in()
            return time.perf_counter() - begun

    before = memory(house, "VmRSS")
    with ThreadPoolExecutor(how_many + 1) as pool:
        reviewing = pool.submit(review, rosa, times, stop)
        time.sleep(3)
        alone = len(times)
        taken = list(pool.map(arrive, range(how_many)))
        stop.set()
        reviewing.result()
    grown = memory(house, "VmHWM") - before
    quiet, times = p99_of(times[:alone]), times[alone:]
    p99 = p99_of(times)
    print(  # noqa: T201 - with -s
        f"{how_many} signed in within {max(taken):.2f} s; {len(times)} requests of a review, "
        f"median {statistics.median(times) * 1_000:.0f} ms, p99 {p99 * 1_000:.0f} ms (alone {quiet * 1_000:.0f} ms); "
        f"memory grew {grown / MIB:.0f} MiB"
    )
    return times, p99, grown


def test_many_who_sign_in_at_once_all_get_in_and_take_the_memory_of_two(running):
    _, _, grown = at_once(running, 8)
    assert grown < 200 * MIB


@pytest.mark.load
def test_forty_who_sign_in_at_once_take_the_memory_of_two_and_hold_up_no_review(running):
    times, p99, grown = at_once(running, 40)
    assert len(times) > 30
    assert grown < 200 * MIB
    assert p99 < 0.5

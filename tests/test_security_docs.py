"""What docs/security.md and docs/asvs.md say of the program is so: tests, tables, algorithms, events, logs."""

import ast
import re
from collections import Counter
from pathlib import Path

import pytest

from app.domain import password, protocol
from app.store import tables

ROOT = Path(__file__).resolve().parents[1]
SECURITY, ASVS = ((ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8") for name in ("security", "asvs"))
APP = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in (ROOT / "app").rglob("*.py")}
SCRIPTS = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / "static" / "js").glob("*.js")}
NAMED = sorted({*re.findall(r"`(tests/[\w/]+\.py(?:::\w+)?)`", SECURITY + ASVS)})
ROW = re.compile(
    r"^\| ((\d+)\.(\d+)\.(\d+)) \| ([12]) \| ([^|]+) \| \*\*(met|not applicable|not met)\*\*([^|]*) \|$", re.MULTILINE
)
ROWS = ROW.findall(ASVS)
# How many requirements of levels 1 and 2 each section of version 5.0.0 has, chapter by chapter.
SECTIONS = [
    *({1: 2, 2: 9, 3: 11, 4: 3, 5: 2}, {1: 3, 2: 3, 3: 4, 4: 1}, {2: 2, 3: 4, 4: 6, 5: 5, 7: 2}),
    *({1: 3, 2: 1, 3: 2, 4: 4}, {1: 1, 2: 3, 3: 2, 4: 3}, {1: 3, 2: 12, 3: 4, 4: 4, 5: 5, 6: 3, 8: 4}),
    *({1: 3, 2: 4, 3: 2, 4: 5, 5: 2, 6: 2}, {1: 2, 2: 3, 3: 1, 4: 1}, {1: 3, 2: 4}),
    *({1: 2, 2: 2, 3: 4, 4: 11, 5: 5, 6: 2, 7: 3}, {1: 2, 2: 3, 3: 3, 4: 4, 5: 1, 6: 1}, {1: 3, 2: 2, 3: 4}),
    *({1: 1, 2: 5, 3: 2, 4: 5}, {1: 2, 2: 4, 3: 3}, {1: 3, 2: 3, 3: 7}, {1: 1, 2: 5, 3: 4, 4: 3, 5: 3}),
    {1: 1, 2: 4, 3: 2},
]


def section(heading):
    found = re.search(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", SECURITY, re.MULTILINE | re.DOTALL)
    assert found is not None, heading
    return found[1]


# --- The table of the standard ---


@pytest.mark.parametrize("name", NAMED)
def test_every_test_that_is_named_exists(name):
    path, _, function = name.partition("::")
    source = (ROOT / path).read_text(encoding="utf-8")
    assert not function or re.search(rf"^(?:async )?def {function}\(", source, re.MULTILINE)


def test_a_name_in_code_is_a_test_and_nothing_cut_short():
    loose = re.findall(r"`(tests/[^`]*)`", SECURITY + ASVS)
    assert [each for each in loose if each not in NAMED] == []


def test_every_requirement_of_levels_1_and_2_has_one_row():
    numbers = [tuple(map(int, row[1:4])) for row in ROWS]
    assert len(numbers) == sum(1 for line in ASVS.splitlines() if re.match(r"\| \d", line))
    assert numbers == sorted(set(numbers))
    counted = Counter(number[:2] for number in numbers)
    expected = {(chapter, key): n for chapter, found in enumerate(SECTIONS, 1) for key, n in found.items()}
    assert counted == expected
    assert Counter(row[4] for row in ROWS) == {"1": 70, "2": 183}


def test_what_is_met_names_a_test_and_what_is_not_gives_its_reason():
    for number, *_, kind, rest in ROWS:
        if kind == "met":
            assert "`tests/" in rest, number
        else:
            assert re.match(r": \w.{5,}", rest), number


def test_the_page_counts_its_own_answers():
    told = {kind: int(n) for kind, n in re.findall(r"^- \*\*([a-z ]+)\*\* \((\d+)\)", ASVS, re.MULTILINE)}
    assert told == Counter(row[6] for row in ROWS)
    listed = re.search(r"to read first:\n  ([\d., ]+)\.$", ASVS, re.MULTILINE)
    assert listed is not None
    assert listed[1].split(", ") == [row[0] for row in ROWS if row[6] == "not met"]


# --- What the pages list is all that there is ---


def test_every_table_of_the_store_has_its_class():
    told = {*re.findall(r"`(\w+)`", section("What there is to protect"))}
    assert sorted(told) == sorted(tables.SQLModel.metadata.tables)


def test_every_module_that_hashes_or_draws_is_in_the_inventory():
    uses = re.compile(
        r"^\s*(?:import|from) (?:hashlib|hmac|secrets|random|uuid|zlib|argon2|numpy\.random)\b", re.MULTILINE
    )
    told = re.findall(r"`(app/[\w/]+\.py)`", section("Cryptography"))
    assert sorted(set(told)) == sorted(path for path, source in APP.items() if uses.search(source))


def test_no_other_hash_function_is_used():
    used = {name for source in APP.values() for name in re.findall(r"\bhashlib\.(\w+)", source)}
    assert used == {"sha256", "file_digest"}
    assert 'hashlib.file_digest(opened, "sha256")' in APP["app/actions/backups.py"]


def test_every_module_that_logs_is_in_the_list_of_logs():
    told = re.findall(r"`(app/[\w/]+\.py)`", section("Records and logs"))
    assert sorted(told) == sorted(path for path, source in APP.items() if "getLogger" in source)


EVENT = re.compile(r"[a-z_]+(?:\.[a-z_]+)+")
NO_EVENTS = re.compile(r".*\.(?:toml|jsonl|csv|zip|json|sqlite3)")  # names of files


def events(source):
    """Return the texts of a module that look like events, such as `set.signed`, but for keys of the protocol."""
    texts = {str(node.value) for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant)}
    found = {text for text in texts if EVENT.fullmatch(text) and not NO_EVENTS.fullmatch(text)}
    return found - {field.name for field in protocol.FIELDS}


def test_every_kind_of_event_is_named():
    told = {each for each in re.findall(r"`([^`]+)`", section("Records and logs")) if EVENT.fullmatch(each)}
    sources = [source for path, source in APP.items() if "/actions/" in path or path == "app/store/audit.py"]
    assert told == {event for source in sources for event in events(source)}


def test_the_words_that_no_password_is_made_of_are_named():
    told = re.findall(r"`([^`]+)`", section("Passwords"))
    assert [word for word in password.AT_HAND if word not in told] == []


def test_no_script_keeps_anything_in_the_browser():
    kept = re.compile(r"localStorage|sessionStorage|indexedDB|\bcaches\b|document\.cookie|serviceWorker")
    assert len(SCRIPTS) > 3
    assert {name: kept.findall(source) for name, source in SCRIPTS.items() if kept.search(source)} == {}


def test_no_script_makes_objects_or_code_of_text():
    made = re.compile(r"JSON\.parse|\.json\(|\beval\b|new Function|innerHTML|insertAdjacentHTML|document\.write")
    assert {name: made.findall(source) for name, source in SCRIPTS.items() if made.search(source)} == {}


def test_every_package_that_is_installed_is_locked_by_digest():
    lines = (ROOT / "requirements.lock").read_text(encoding="utf-8").splitlines()
    packages = [at for at, line in enumerate(lines) if re.match(r"[\w.-]+==", line)]
    assert len(packages) > 15
    assert [lines[at] for at in packages if not lines[at + 1].strip().startswith("--hash=sha256:")] == []
    assert "--require-hashes -r requirements.lock" in (ROOT / "Makefile").read_text(encoding="utf-8")


def test_every_secret_that_the_store_keeps_is_in_the_policy():
    there = tables.SQLModel.metadata.tables
    columns = {f"{table}.{column.name}" for table, each in there.items() for column in each.columns}
    secret = {each for each in columns if re.search(r"\.\w*(hash|csrf|salt|secret|token|reference)", each)}
    secret.remove("audit_event.hash")  # public: it is written down elsewhere
    rows = re.findall(r"^\| ([^|]+) \|(?:[^|]+\|){4}$", section("Cryptography"), re.MULTILINE)
    told = {"session.token_hash": "session's token", "session.csrf": "form token", "session.reference": "reference"}
    told |= {"earlier_session.token_hash": "session's token"}
    told |= {"account.password_hash": "password", "account.code_hash": "one-time code"}
    told |= dict.fromkeys(("slot.token", "practice.token"), "token in an item's address")
    told |= dict.fromkeys(("item.salt", "judgement.salt"), "salts")
    assert set(told) == secret
    for words in {*told.values(), "key for counting", "host name"}:
        assert any(words in row for row in rows), words


def test_contributing_promises_a_time_for_each_kind_of_fault_and_covers_what_is_vendored():
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    promised = page.partition("## Packages with a known fault")[2]
    assert "14 days" in promised
    for lock in ("requirements.lock", "requirements-dev.lock"):
        assert f"-r {lock}" in promised
        assert (ROOT / lock).exists()
    for folder in (ROOT / "static" / "vendor").iterdir():
        assert folder.name.split("-")[0] in {"htmx", "atkinson"}, "say in CONTRIBUTING.md who reads its advisories"

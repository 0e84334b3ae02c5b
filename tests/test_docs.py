"""The docs are true: what the program has is named in them, what they print works, and every link leads somewhere."""

import json
import re
import shlex
import tomllib
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

import click
import pytest
from fastapi.routing import iter_route_contexts

from app import __version__
from app.actions import preparing
from app.cli.main import cli
from app.domain import codebook, columns, expected, item, protocol, rights
from scripts import make_protocol_guide
from tests.house import add_people, seats

ROOT = Path(__file__).resolve().parents[1]
DOCS = [ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
ENVIRONMENT = re.compile(r"EVENHAND_[A-Z_]+")
CODE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def text(path):
    return (ROOT / path).read_text(encoding="utf-8")


def doc(path):
    return path.relative_to(ROOT).as_posix()


@pytest.fixture(scope="module")
def everything():
    return "\n".join(path.read_text(encoding="utf-8") for path in DOCS)


def section(page, heading):
    """Return what stands under a heading, up to the next one of its own level or above."""
    marks = heading.split(" ", maxsplit=1)[0]
    found = re.search(rf"^{re.escape(heading)}\n(.*?)(?=^#{{1,{len(marks)}}} |\Z)", page, re.MULTILINE | re.DOTALL)
    assert found is not None, f"there is no heading {heading!r}"
    return found[1]


def rows(table):
    """Return the rows of the tables of a text by what their first cell names in code."""
    cells = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in table.splitlines() if line[:2] == "| "]
    return {row[0].strip("` "): row for row in cells if row[0].startswith("`")}


# --- What the program has is named ---


def as_toml(value):
    if value is None:
        return "none"
    if isinstance(value, dict):
        return "`{ " + ", ".join(f"{key} = {inner}" for key, inner in value.items()) + " }`"
    return f"`{json.dumps(value)}`"


@pytest.mark.parametrize("field", protocol.FIELDS, ids=lambda field: field.name)
def test_every_protocol_key_stands_with_its_default_and_whether_it_is_needed(field):
    table = rows(section(section(text("docs/file-formats.md"), "## Protocol"), f"### [{field.section}]"))
    _, _, default, meaning = table[field.key]
    assert default == as_toml(field.default)
    assert ("**Needed" in meaning) is (bool(field.needed) or field.key.endswith("_policy"))


@pytest.mark.parametrize("field", item.FIELDS, ids=lambda field: field.key)
def test_every_key_of_an_item_stands_with_whether_it_is_needed(field):
    row = rows(section(text("docs/file-formats.md"), "## Items"))[field.key]
    assert ("**needed**" in row[2]) is field.required


@pytest.mark.parametrize("key", rights.FIELDS)
def test_every_key_of_the_ledger_is_named(key):
    assert key in rows(section(text("docs/file-formats.md"), "## Rights ledger"))


@pytest.mark.parametrize("operation", rights.OPERATIONS)
def test_every_operation_of_the_ledger_is_named(operation):
    assert f"`{operation}`" in section(text("docs/file-formats.md"), "## Rights ledger")


def test_every_key_of_a_column_map_and_what_is_known_of_sep28k_is_named():
    told = section(text("docs/file-formats.md"), "## Candidates")
    assert set(rows(section(told, "### Column map"))) == set(columns.KEYS)
    known = {**columns.SEP28K_LABELS, **columns.SEP28K_EXCLUSIONS}
    assert [each for pair in known.items() for each in pair if f"`{each}`" not in told] == []
    assert [reason for reason in columns.OWN_REASONS if f"`{reason}`" not in told] == []


def test_the_file_formats_name_no_key_that_does_not_exist():
    formats = text("docs/file-formats.md")
    assert set(rows(section(formats, "## Items"))) == {field.key for field in item.FIELDS}
    assert set(rows(section(formats, "## Rights ledger"))) == set(rights.FIELDS)
    named = {
        f"{name}.{key}"
        for name in protocol.SECTIONS
        for key in rows(section(section(formats, "## Protocol"), f"### [{name}]"))
    }
    assert named == {field.name for field in protocol.FIELDS}


def commands(group, path="evenhand"):
    for name, command in sorted(group.commands.items()):
        if isinstance(command, click.Group):
            yield from commands(command, f"{path} {name}")
        else:
            yield f"{path} {name}", command


@pytest.mark.parametrize(
    ("name", "command"), [*commands(cli)], ids=lambda value: value if isinstance(value, str) else ""
)
def test_every_command_and_option_is_named(name, command, everything):
    table = section(text("docs/operations.md"), "## Commands")
    assert f"`{name}`" in table
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert any(option in everything for option in parameter.opts), parameter.opts


def test_every_environment_variable_that_the_program_reads_is_named(everything):
    read = {name for path in (ROOT / "app").rglob("*.py") for name in ENVIRONMENT.findall(path.read_text("utf-8"))}
    assert "EVENHAND_STORE" in read
    assert {name for name in read if f"`{name}`" not in everything} == set()


def test_every_address_is_named_and_no_other(app):
    named = set(re.findall(r"`(/[^`]*)`", section(text("docs/architecture.md"), "## Addresses")))
    has = {each.path for each in iter_route_contexts(app.routes)}
    assert "/review/{token}/draft" in has
    assert named == has


def test_every_label_and_reason_to_acknowledge_is_named():
    told = text("docs/lead-guide.md")
    codes = re.findall(r'Acknowledgement\(\s*"(\w+)"', text("app/domain/readiness.py"))
    assert len(codes) > 3
    assert [code for code in codes if f"`{code}`" not in told] == []


# --- What the docs print works ---


@dataclass(frozen=True)
class Printed:
    """A line of a code block that calls a program."""

    page: str
    line: str

    def words(self):
        return shlex.split(self.line, comments=True)


def printed(program):
    return [
        Printed(doc(path), line)
        for path in DOCS
        for _, block in CODE.findall(path.read_text(encoding="utf-8"))
        for line in block.splitlines()
        if line.startswith(f"{program} ")
    ]


def parse(command, name, words):
    """Let click read a command line without running it. Raises click.UsageError as the program would."""
    with command.make_context(name, list(words)) as context:
        if isinstance(command, click.Group):
            rest = [*context._protected_args, *context.args]
            called, inner, rest = command.resolve_command(context, rest)
            parse(inner, called, rest)


@pytest.mark.parametrize("line", printed("evenhand"), ids=lambda line: f"{line.page}: {line.line}")
def test_every_command_that_the_docs_print_is_one(line, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    _, *words = line.words()
    Path("clips").mkdir()  # the folder with recordings
    for name in (word for word in words if Path(word).suffix in {".toml", ".jsonl", ".csv"}):
        Path(name).touch()
    parse(cli, "evenhand", [word for word in words if word != "--json"])


@pytest.mark.parametrize(
    "words", [["study", "freese"], ["freeze"], ["close", "x", "--why", "y"], ["serve", "--port", "0"]]
)
def test_a_command_that_is_none_is_noticed(words):
    with pytest.raises(click.UsageError):
        parse(cli, "evenhand", words)


def test_the_readme_prints_the_way_of_a_study_from_its_people_to_its_memo():
    told = [" ".join(line.words()[1:3]) for line in printed("evenhand") if line.page == "README.md"]
    steps = ["user add", "study create", "study rights", "study import", "study assign", "study check"]
    assert told[: len(steps)] == steps
    assert [each.split()[0] for each in told[len(steps) :]] == ["freeze", "serve", "close", "export", "verify"]


@pytest.mark.parametrize("line", printed("make"), ids=lambda line: line.line)
def test_every_make_target_that_the_docs_print_is_one(line):
    targets = re.findall(r"^([a-z][a-z-]*):", text("Makefile"), re.MULTILINE)
    assert line.words()[1] in targets


def blocks(page, language):
    return [block for found, block in CODE.findall(text(page)) if found == language]


def test_the_study_to_copy_can_be_copied(store, world):
    add_people(store, world)
    tables = [block.encode() for block in blocks("docs/protocol-guide.md", "toml")]
    (items,) = blocks("docs/protocol-guide.md", "jsonl")
    study = preparing.create(store, world, "local", tables[0], "protocol.toml")
    preparing.set_rights(store, world, "local", study, tables[1], "rights.toml")
    preparing.import_items(store, world, "local", study, items.encode(), "items.jsonl")
    people = seats(["rosa", "ravi"], ["lena"], "ines")
    preparing.assign(store, world, "local", study, people, "trained annotators")
    report = preparing.check(store, study)
    assert (report.errors, report.acknowledge) == ((), ())
    assert all(warning in text("docs/protocol-guide.md") for warning in report.warnings)


def test_the_checks_answer_as_data_has_the_keys_that_the_docs_print(store, world):
    shown = json.loads(blocks("docs/file-formats.md", "json")[0])
    study = preparing.create(store, world, "local", b'[study]\nid = "x"\n[selection]\nstrata = { a = 2 }\n', "p.toml")
    told = preparing.check(store, study).as_data()
    assert set(shown) == set(told)
    assert {key for each in shown["acknowledge"] for key in each} == set(told["acknowledge"][0])


def test_every_toml_that_the_docs_print_is_toml():
    for path in DOCS:
        for block in blocks(doc(path), "toml"):
            tomllib.loads(block)


def test_the_docs_print_the_tunnel_that_a_refused_page_prints(app, visit):
    answer = visit("rosa", signed_in=False).get("/", headers={"Host": "elsewhere.example"})
    assert answer.status_code == 403
    (tunnel,) = re.findall(r"ssh -L \S+ [^<\s]+", answer.text)
    for page in ("README.md", "docs/operations.md"):
        assert tunnel in text(page)


def source():
    """Return the words of the program, texts that run over several lines joined."""
    files = [*(ROOT / "app").rglob("*.py"), *(ROOT / "templates").rglob("*.html")]
    return re.sub(r'"\s*\n\s*f?"', "", "\n".join(path.read_text(encoding="utf-8") for path in files))


def test_every_refusal_that_operations_explains_is_one_that_the_program_gives():
    told, words = section(text("docs/operations.md"), "## When something is refused"), source()
    quoted = [
        part.strip()
        for row in rows(told).values()
        for found in re.findall(r"`([^`]+)`", row[0])
        for part in found.split("...")
    ]
    assert len(quoted) > 30
    assert [part for part in quoted if part not in words] == []


def test_the_top_of_the_changelog_is_this_version():
    top = text("CHANGELOG.md").splitlines()[0]
    assert re.fullmatch(rf"# {re.escape(__version__)} - \d{{4}}-\d\d-\d\d", top)


# --- Every link leads somewhere ---


def without_code(page):
    return re.sub(r"`[^`\n]*`", "", CODE.sub("", page))


def anchors(page):
    """Return the anchors that a page's headings get, as the usual viewers make them."""
    headings = re.findall(r"^#+ (.*)$", CODE.sub("", page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


LINKS = [
    (doc(path), target)
    for path in DOCS
    for target in re.findall(r"\]\(([^)\s]+)\)", without_code(path.read_text(encoding="utf-8")))
]


@pytest.mark.parametrize(("page", "target"), LINKS, ids=lambda value: value)
def test_every_link_resolves(page, target):
    assert "://" not in target, "the docs send nobody to the network"
    path, _, anchor = unquote(target).partition("#")
    found = (ROOT / page).parent / path if path else ROOT / page
    assert found.exists()
    assert ROOT in found.resolve().parents
    if anchor:
        assert anchor in anchors(found.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", sorted((ROOT / "docs").rglob("*.md")), ids=doc)
def test_every_page_of_the_docs_is_reached_from_the_readme(path):
    reached, open_pages = set(), ["README.md"]
    while open_pages:
        page = open_pages.pop()
        if page in reached:
            continue
        reached.add(page)
        targets = [target.partition("#")[0] for source, target in LINKS if source == page]
        found = [((ROOT / page).parent / target).resolve() for target in targets if target]
        open_pages += [doc(each) for each in found if each.suffix == ".md"]
        open_pages += [doc(inner) for each in found if each.is_dir() for inner in each.glob("*.md")]
    assert doc(path) in reached


def test_no_page_names_a_place_of_one_machine(everything):
    assert re.findall(r"(?<![\w.])/(?:home|root|Users|work|tmp|opt|var)/\S*", everything) == []
    assert "://" not in re.sub(r"http://127\.0\.0\.1:8765/", "", everything)


@pytest.mark.parametrize(
    "page", ["docs/changing-things.md", "docs/architecture.md", "docs/glossary.md", "CONTRIBUTING.md"]
)
def test_every_file_that_a_page_names_exists(page):
    inside = r"domain|store|formats|filters|report|actions|web|cli"
    named = re.findall(rf"`((?:app|templates|static|migrations|docs|tests|scripts|{inside})/[\w./-]*)`", text(page))
    assert named
    assert [name for name in named if not there(name)] == []


def there(name):
    """Tell whether a file, a folder, or a function such as `domain/blinding.panels` exists."""
    if (ROOT / name).exists() or (ROOT / "app" / name).exists():
        return True
    module, _, function = name.rpartition(".")
    path = ROOT / "app" / f"{module}.py"
    return path.exists() and f"def {function}(" in path.read_text(encoding="utf-8")


def test_the_protocol_guide_explains_every_field_in_the_words_of_the_editor(capsys):
    assert make_protocol_guide.main(["--check"]) == 0, capsys.readouterr().err
    told = " ".join(section(text("docs/protocol-guide.md"), make_protocol_guide.HEADING).split())
    assert [field.name for field in protocol.FIELDS if field.explanation.text not in told] == []


@pytest.mark.parametrize("label", codebook.LABELS, ids=lambda label: label.key)
def test_what_a_known_answer_may_say_is_listed_as_the_codebook_has_it(label):
    (line,) = [line for line in text("docs/file-formats.md").splitlines() if line.startswith(f"| {label.key} | ")]
    row = line.split(" | ")
    arms = dict(zip(codebook.PANELS, expected.ARMS, strict=True))
    assert re.findall("`([^`]+)`", row[1]) == [arms[panel] for panel in label.panels]
    assert re.findall("`([^`]+)`", row[2]) == list(label.reason_keys())

"""Imports point inwards. Each rule is a generator of violations, so that a planted one can be fed to it."""

import ast
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import pytest

ROOT = Path(__file__).resolve().parents[1]

CLOCK_AND_RANDOMNESS = ("time", "random", "secrets", "uuid", "os.urandom")
NOW = {"now", "utcnow", "today"}
HEAVY = ("numpy", "scipy", "rapidfuzz")
OUTSIDE_WORLD = (  # what the domain has no business with, though it is in the standard library
    "asyncio", "ftplib", "glob", "http", "io.open", "multiprocessing", "os", "pathlib", "select", "shutil", "smtplib",
    "socket", "sqlite3", "ssl", "subprocess", "tempfile", "threading", "urllib.request",
)  # fmt: skip
DOMAIN_EXCEPTIONS = {
    "app/domain/difference.py": ("regex",),
    "app/domain/manifest.py": ("rfc8785",),
    "app/domain/memo.py": ("pydantic",),
    "app/domain/text.py": ("regex",),
}
STATISTICS = ("numpy", "scipy", "rapidfuzz")


@dataclass(frozen=True)
class Import:
    """One imported name, e.g. `app.store.judging`; `lazy`: inside a function; `typing`: never run."""

    name: str
    line: int
    lazy: bool = False
    typing: bool = False

    def of(self, *packages: str) -> bool:
        """Whether the name is one of these packages or lies within."""
        return any(self.name == package or self.name.startswith(f"{package}.") for package in packages)


@dataclass(frozen=True)
class Module:
    """A file of app/, by its path from the root of the project."""

    path: str
    tree: ast.Module

    def within(self, *places: str) -> bool:
        """Whether the file is one of these files, or in one of these folders."""
        return any(self.path == place or self.path.startswith(f"{place}/") for place in places)

    @property
    def imports(self) -> tuple[Import, ...]:
        return tuple(_imports(self.tree, PurePosixPath(self.path).parent.parts))


def parse(path: str, source: str) -> Module:
    return Module(path, ast.parse(source, path))


def _imports(node: ast.AST, package: tuple[str, ...], *, lazy: bool = False, typing: bool = False) -> Iterator[Import]:
    for child in ast.iter_child_nodes(node):
        yield from (Import(name, child.lineno, lazy, typing) for name in _names(child, package))
        if isinstance(child, ast.If) and ast.unparse(child.test).split(".")[-1] == "TYPE_CHECKING":
            yield from _imports(ast.Module(child.body, []), package, lazy=lazy, typing=True)
            yield from _imports(ast.Module(child.orelse, []), package, lazy=lazy, typing=typing)
        else:
            inside = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            yield from _imports(child, package, lazy=lazy or inside, typing=typing)


def _names(node: ast.AST, package: tuple[str, ...]) -> list[str]:
    """Return the full names that one statement or call imports; the file lies in `package`."""
    match node:
        case ast.Import(names=names):
            return [each.name for each in names]
        case ast.ImportFrom(module=module, names=names, level=level):
            base = package[: len(package) - level + 1] if level else ()
            return [".".join([*base, *filter(None, [module]), each.name]) for each in names]
        case ast.Call(func=function, args=[ast.Constant(value=str(name)), *_]):
            called = ast.unparse(function).split(".")[-1]
            return [name] if called in {"import_module", "__import__"} else []
    return []


def _say(module: Module, found: Import) -> str:
    return f"{module.path}:{found.line} imports {found.name}"


def only_in(places: tuple[str, ...], *packages: str) -> Callable[[Module], Iterator[str]]:
    """Make the rule that these packages are imported in these places and nowhere else."""

    def rule(module: Module) -> Iterator[str]:
        if not module.within(*places):
            yield from (_say(module, each) for each in module.imports if each.of(*packages))

    return rule


def never(places: tuple[str, ...], *packages: str) -> Callable[[Module], Iterator[str]]:
    """Make the rule that nothing in these places imports these packages."""

    def rule(module: Module) -> Iterator[str]:
        if module.within(*places):
            yield from (_say(module, each) for each in module.imports if each.of(*packages))

    return rule


def domain_knows_itself(module: Module) -> Iterator[str]:
    if not module.within("app/domain"):
        return
    allowed = (*sys.stdlib_module_names, "app.domain", *DOMAIN_EXCEPTIONS.get(module.path, ()))
    for each in module.imports:
        lazily = module.within("app/domain/statistics") and (each.lazy or each.typing) and each.of(*STATISTICS)
        if not each.of(*allowed) and not lazily:
            yield _say(module, each)


def domain_touches_nothing(module: Module) -> Iterator[str]:
    yield from never(("app/domain",), *OUTSIDE_WORLD)(module)
    if module.within("app/domain"):
        for node in ast.walk(module.tree):
            match node:
                case ast.Call(func=ast.Name(id="open")):
                    yield f"{module.path}:{node.lineno} opens a file"


def siblings_are_strangers(module: Module) -> Iterator[str]:
    siblings = ("store", "formats", "filters", "report")
    for name in siblings:
        others = [f"app.{other}" for other in (*siblings, "actions", "web", "cli") if other != name]
        yield from never((f"app/{name}",), *others)(module)


def filters_know_the_domain(module: Module) -> Iterator[str]:
    """The filter under test itself is imported lazily, and nothing but its adapter knows it."""
    if module.within("app/filters"):
        allowed = (*sys.stdlib_module_names, "app.domain", "app.filters")
        for each in module.imports:
            if not each.of(*allowed) and not (each.lazy and each.of("yazses")):
                yield _say(module, each)


def judges_read_through_one_door(module: Module) -> Iterator[str]:
    shared = tuple(f"app/web/{name}" for name in ("judging", "listing", "showing", "practising", "guessing", "seat"))
    if module.path.startswith(("app/web/routes/review", "app/web/routes/adjudicate", *shared)):
        for each in module.imports:
            if each.of("app.store") and not each.of("app.store.judging"):
                yield _say(module, each)


def one_seam_to_clock_and_randomness(module: Module) -> Iterator[str]:
    if module.within("app/world.py"):
        return
    yield from (_say(module, each) for each in module.imports if each.of(*CLOCK_AND_RANDOMNESS))
    for node in ast.walk(module.tree):
        match node:
            case ast.Attribute(attr="urandom") | ast.Call(func=ast.Attribute(attr="default_rng"), args=[], keywords=[]):
                yield f"{module.path}:{node.lineno} draws at random"
            case ast.Attribute(attr=attr, value=ast.Name(id=owner) | ast.Attribute(attr=owner)):
                if attr in NOW and owner in {"datetime", "date", "func"} | _renamed(module):
                    yield f"{module.path}:{node.lineno} reads the clock"


def _renamed(module: Module) -> set[str]:
    """Return what a file calls datetime and date, where it calls them something else."""
    froms = [node for node in ast.walk(module.tree) if isinstance(node, ast.ImportFrom) and node.module == "datetime"]
    return {alias.asname for node in froms for alias in node.names if alias.asname}


def security_is_hashing(module: Module) -> Iterator[str]:
    if module.path == "app/security.py":
        allowed = (*sys.stdlib_module_names, "argon2", "app.config", "app.content", "app.domain", "app.world")
        banned = ("sqlite3", "http", "socket", "urllib")
        yield from (_say(module, each) for each in module.imports if not each.of(*allowed) or each.of(*banned))


def nothing_heavy_at_start(module: Module) -> Iterator[str]:
    for each in module.imports:
        if each.of(*HEAVY) and not each.lazy and not each.typing:
            yield _say(module, each)


actions_do_not_know_who_asks = never(("app/actions",), "app.web", "app.cli")
web_does_not_know_the_command_line = never(("app/web",), "app.cli")
foundations_stand_alone = never(
    ("app/world.py", "app/memory.py", "app/config.py", "app/security.py", "app/content"),
    "app.store", "app.formats", "app.filters", "app.report", "app.actions", "app.web", "app.cli",
)  # fmt: skip
sql_lives_in_the_store = only_in(("app/store",), "sqlalchemy", "sqlmodel", "alembic", "sqlite3", "pysqlite3")
programs_are_started_by_filters = only_in(("app/filters",), "subprocess", "multiprocessing")
the_filter_under_test_is_known_to_its_adapter = only_in(("app/filters",), "yazses")
no_page_calls_a_filter = never(("app/web",), "app.filters", "app.actions.pairing")
http_lives_in_the_web = only_in(("app/web",), "fastapi", "starlette")
the_server_is_started_at_the_edge = only_in(("app/web", "app/cli"), "uvicorn")


@pytest.fixture(scope="module")
def modules() -> list[Module]:
    paths = sorted((ROOT / "app").rglob("*.py"))
    assert len(paths) > 10, "the rules need something to look at"
    return [parse(path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")) for path in paths]


def broken(rule: Callable[[Module], Iterator[str]], modules: list[Module]) -> list[str]:
    return [violation for module in modules for violation in rule(module)]


def test_the_domain_imports_the_standard_library_itself_and_the_named_exceptions(modules: list[Module]) -> None:
    assert broken(domain_knows_itself, modules) == []


def test_the_domain_touches_no_file_no_sql_no_network(modules: list[Module]) -> None:
    assert broken(domain_touches_nothing, modules) == []


def test_store_formats_filters_and_report_import_neither_each_other_nor_anything_above(modules: list[Module]) -> None:
    assert broken(siblings_are_strangers, modules) == []


def test_filters_import_the_domain_and_lazily_the_filter_under_test(modules: list[Module]) -> None:
    assert broken(filters_know_the_domain, modules) == []
    assert broken(the_filter_under_test_is_known_to_its_adapter, modules) == []


def test_other_programs_are_started_by_filters_alone_and_by_no_page(modules: list[Module]) -> None:
    assert broken(programs_are_started_by_filters, modules) == []
    assert broken(no_page_calls_a_filter, modules) == []


def test_actions_import_neither_web_nor_cli(modules: list[Module]) -> None:
    assert broken(actions_do_not_know_who_asks, modules) == []


def test_web_does_not_import_cli(modules: list[Module]) -> None:
    assert broken(web_does_not_know_the_command_line, modules) == []


def test_world_config_security_and_content_import_no_layer_but_the_domain(modules: list[Module]) -> None:
    assert broken(foundations_stand_alone, modules) == []


def test_sql_is_written_in_the_store_alone(modules: list[Module]) -> None:
    assert broken(sql_lives_in_the_store, modules) == []


def test_fastapi_and_starlette_are_known_to_the_web_alone(modules: list[Module]) -> None:
    assert broken(http_lives_in_the_web, modules) == []


def test_uvicorn_is_known_to_web_and_cli_alone(modules: list[Module]) -> None:
    assert broken(the_server_is_started_at_the_edge, modules) == []


def test_judge_routes_read_the_store_through_judging_alone(modules: list[Module]) -> None:
    assert broken(judges_read_through_one_door, modules) == []


def test_clock_and_randomness_are_read_in_world_alone(modules: list[Module]) -> None:
    assert broken(one_seam_to_clock_and_randomness, modules) == []


def test_security_hashes_and_knows_neither_sql_nor_http(modules: list[Module]) -> None:
    assert broken(security_is_hashing, modules) == []


def test_numpy_and_scipy_are_imported_only_when_needed(modules: list[Module]) -> None:
    assert broken(nothing_heavy_at_start, modules) == []


@pytest.mark.parametrize(
    ("rule", "path", "source"),
    [
        (domain_knows_itself, "app/domain/gate.py", "import regex"),
        (domain_knows_itself, "app/domain/gate.py", "from app.store import db"),
        (domain_knows_itself, "app/domain/gate.py", "from app import world"),
        (domain_knows_itself, "app/domain/gate.py", "from ..store import db"),
        (domain_knows_itself, "app/domain/gate.py", "def f():\n    import numpy"),
        (domain_knows_itself, "app/domain/gate.py", "import importlib\nimportlib.import_module('app.world')"),
        (domain_knows_itself, "app/domain/gate.py", "if TYPE_CHECKING:\n    import app.web"),
        (domain_knows_itself, "app/domain/statistics/wer.py", "import rapidfuzz"),
        (domain_knows_itself, "app/domain/statistics/rates.py", "class Rate:\n    from scipy import special"),
        (domain_knows_itself, "app/domain/statistics/memo.py", "import pydantic"),
        (domain_touches_nothing, "app/domain/item.py", "from pathlib import Path"),
        (domain_touches_nothing, "app/domain/item.py", "import sqlite3"),
        (domain_touches_nothing, "app/domain/item.py", "text = open('items').read()"),
        (siblings_are_strangers, "app/store/items.py", "from app.formats import jsonl"),
        (siblings_are_strangers, "app/formats/jsonl.py", "import app.store.db"),
        (siblings_are_strangers, "app/filters/command.py", "def f():\n    from app import report"),
        (siblings_are_strangers, "app/report/html.py", "from app.actions import closing"),
        (siblings_are_strangers, "app/report/html.py", "from app.web.pages import page"),
        (filters_know_the_domain, "app/filters/yazses.py", "import yazses.config"),
        (filters_know_the_domain, "app/filters/command.py", "from app import world"),
        (filters_know_the_domain, "app/filters/command.py", "def f():\n    import numpy"),
        (the_filter_under_test_is_known_to_its_adapter, "app/actions/pairing.py", "def f():\n    import yazses"),
        (programs_are_started_by_filters, "app/actions/pairing.py", "import subprocess"),
        (no_page_calls_a_filter, "app/web/routes/lead/items.py", "from app.actions import pairing"),
        (actions_do_not_know_who_asks, "app/actions/closing.py", "from app.web import pages"),
        (actions_do_not_know_who_asks, "app/actions/closing.py", "import app.cli.main"),
        (web_does_not_know_the_command_line, "app/web/app.py", "from app.cli import serve"),
        (foundations_stand_alone, "app/config.py", "from app.store import db"),
        (foundations_stand_alone, "app/content/__init__.py", "from app.formats import toml"),
        (sql_lives_in_the_store, "app/actions/closing.py", "from sqlalchemy import select"),
        (sql_lives_in_the_store, "app/web/app.py", "import sqlmodel"),
        (sql_lives_in_the_store, "app/cli/backup.py", "def f():\n    import sqlite3"),
        (http_lives_in_the_web, "app/actions/closing.py", "from fastapi import HTTPException"),
        (http_lives_in_the_web, "app/cli/serve.py", "import starlette.applications"),
        (the_server_is_started_at_the_edge, "app/actions/closing.py", "import uvicorn"),
        (judges_read_through_one_door, "app/web/routes/review.py", "from app.store import items"),
        (judges_read_through_one_door, "app/web/routes/review.py", "from app.store.db import read"),
        (judges_read_through_one_door, "app/web/routes/adjudicate.py", "from app import store"),
        (judges_read_through_one_door, "app/web/routes/adjudicate.py", "import app.store.judging_secrets"),
        (judges_read_through_one_door, "app/web/judging.py", "from ..store import tables"),
        (judges_read_through_one_door, "app/web/judging/item.py", "from app.store import *"),
        (one_seam_to_clock_and_randomness, "app/store/audit.py", "import time"),
        (one_seam_to_clock_and_randomness, "app/store/audit.py", "from time import monotonic"),
        (one_seam_to_clock_and_randomness, "app/security.py", "import secrets"),
        (one_seam_to_clock_and_randomness, "app/domain/blinding.py", "from random import Random"),
        (one_seam_to_clock_and_randomness, "app/actions/freezing.py", "import uuid"),
        (one_seam_to_clock_and_randomness, "app/actions/freezing.py", "import os\nos.urandom(8)"),
        (one_seam_to_clock_and_randomness, "app/actions/freezing.py", "from os import urandom"),
        (one_seam_to_clock_and_randomness, "app/web/auth.py", "import datetime\ndatetime.datetime.now()"),
        (one_seam_to_clock_and_randomness, "app/web/auth.py", "from datetime import datetime as when\nwhen.now()"),
        (one_seam_to_clock_and_randomness, "app/web/auth.py", "from datetime import date\ndate.today()"),
        (one_seam_to_clock_and_randomness, "app/store/audit.py", "from sqlalchemy import func\nfunc.now()"),
        (one_seam_to_clock_and_randomness, "app/domain/results.py", "def f():\n    numpy.random.default_rng()"),
        (security_is_hashing, "app/security.py", "import sqlalchemy"),
        (security_is_hashing, "app/security.py", "from app.store import db"),
        (security_is_hashing, "app/security.py", "import http.cookies"),
        (nothing_heavy_at_start, "app/domain/statistics/bootstrap.py", "import numpy as np"),
        (nothing_heavy_at_start, "app/report/charts.py", "try:\n    from scipy import special\nfinally: ..."),
    ],
)  # fmt: skip
def test_a_rule_finds_a_planted_violation(rule: Callable[[Module], Iterator[str]], path: str, source: str) -> None:
    found = list(rule(parse(path, source)))
    assert found
    assert all(each.startswith(f"{path}:") for each in found)


@pytest.mark.parametrize(
    ("rule", "path", "source"),
    [
        (domain_knows_itself, "app/domain/text.py", "import regex\nimport math\nfrom app.domain import errors"),
        (domain_knows_itself, "app/domain/memo.py", "from pydantic import BaseModel"),
        (domain_knows_itself, "app/domain/statistics/rates.py", "def f():\n    from scipy import special"),
        (domain_touches_nothing, "app/domain/item.py", "from datetime import date\nimport hashlib, io\nio.StringIO()"),
        (siblings_are_strangers, "app/store/items.py", "from app.store.db import read\nfrom app.domain import item"),
        (filters_know_the_domain, "app/filters/yazses.py", "import json\ndef f():\n    import_module('yazses.config')"),
        (programs_are_started_by_filters, "app/filters/child.py", "import subprocess"),
        (actions_do_not_know_who_asks, "app/actions/closing.py", "from app.store import db\nimport app.report"),
        (sql_lives_in_the_store, "app/store/db.py", "import pysqlite3, sqlalchemy"),
        (http_lives_in_the_web, "app/web/routes/review.py", "from fastapi import APIRouter"),
        (judges_read_through_one_door, "app/web/routes/review.py", "from app.store import judging"),
        (judges_read_through_one_door, "app/web/routes/review.py", "from app.store.judging import BlindItem"),
        (judges_read_through_one_door, "app/web/routes/lead/items.py", "from app.store import items"),
        (one_seam_to_clock_and_randomness, "app/world.py", "import secrets, datetime\ndatetime.datetime.now()"),
        (one_seam_to_clock_and_randomness, "app/web/auth.py", "from datetime import datetime, time\nworld.now()"),
        (one_seam_to_clock_and_randomness, "app/domain/results.py", "def f(seed):\n    numpy.random.default_rng(seed)"),
        (security_is_hashing, "app/security.py", "import hashlib, hmac, argon2\nfrom app.domain import errors"),
        (nothing_heavy_at_start, "app/report/charts.py", "def f():\n    import numpy"),
        (nothing_heavy_at_start, "app/x.py", "import typing as t\nif t.TYPE_CHECKING:\n    import numpy"),
    ],
)  # fmt: skip
def test_a_rule_lets_pass_what_is_allowed(rule: Callable[[Module], Iterator[str]], path: str, source: str) -> None:
    assert list(rule(parse(path, source))) == []

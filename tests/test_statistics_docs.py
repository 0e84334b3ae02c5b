"""docs/statistics.md: its examples run, and it names every number and every reason that a memo can give."""

import doctest
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel

from app.domain.memo import Memo, NullReason

PAGE = Path(__file__).parents[1] / "docs" / "statistics.md"


def test_every_example_gives_what_it_says():
    done = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert done.failed == 0
    assert done.attempted > 95


def test_every_reason_for_a_null_is_explained():
    page = PAGE.read_text(encoding="utf-8")
    assert [reason for reason in get_args(NullReason) if f"`{reason}`" not in page] == []


SETTINGS = {"max_unassessable"}  # of the protocol: told in docs/file-formats.md


def parts(of: Any) -> Iterator[Any]:
    yield of
    for each in get_args(of):
        yield from parts(each)


def numbers(shape: type[BaseModel]) -> Iterator[str]:
    """Yield the name of every field that holds a number, and of those that hold a shape with one."""
    for name, field in shape.model_fields.items():
        inside = [each for each in parts(field.annotation) if isinstance(each, type) and issubclass(each, BaseModel)]
        within = {each for part in inside for each in numbers(part)}
        if within or not {int, float}.isdisjoint(parts(field.annotation)):
            yield from within | {name}


def test_every_number_of_a_memo_is_named_on_the_page():
    page = PAGE.read_text(encoding="utf-8")
    named = set(numbers(Memo)) - SETTINGS
    assert len(named) > 100
    assert sorted(name for name in named if not re.search(rf"(?<![a-z_]){name}(?![a-z_])", page)) == []

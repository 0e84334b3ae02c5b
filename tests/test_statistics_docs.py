"""docs/statistics.md: its examples run, and it names every reason that a memo can give."""

import doctest
from pathlib import Path
from typing import get_args

from app.domain.memo import NullReason

PAGE = Path(__file__).parents[1] / "docs" / "statistics.md"


def test_every_example_gives_what_it_says():
    done = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert done.failed == 0
    assert done.attempted > 25


def test_every_reason_for_a_null_is_explained():
    page = PAGE.read_text(encoding="utf-8")
    assert [reason for reason in get_args(NullReason) if f"`{reason}`" not in page] == []

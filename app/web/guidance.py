"""The guidelines for pages, the guide and the items alike: those frozen with a study, else the packaged ones."""

from __future__ import annotations

import tomllib
from functools import lru_cache

from fastapi import Request

from app.config import content
from app.domain.guidelines import Guidelines, read
from app.store import judging
from app.web.auth import house_of


@lru_cache(maxsize=8)
def _read(text: str) -> Guidelines:
    return read(tomllib.loads(text))


@lru_cache(maxsize=1)
def packaged() -> Guidelines:
    """Return the guidelines that come with the program."""
    return _read(content("guidelines.toml").read_text(encoding="utf-8"))


def guidelines_of(request: Request, study_id: str | None) -> Guidelines:
    """Return the guidelines as frozen with a study; without one, the packaged ones."""
    if study_id is None:
        return packaged()
    house = house_of(request)
    if study_id not in house.guidelines:
        with house.store.read() as connection:
            frozen = judging.guidelines(connection, study_id)
        if frozen is None:
            return packaged()
        house.guidelines[study_id] = _read(frozen)  # frozen, so it never changes
    return house.guidelines[study_id]


def beside_the_form(request: Request, study_id: str) -> Guidelines:
    """Return what an item's page says of the answers. Guidelines frozen by an earlier version hold no such words."""
    found = guidelines_of(request, study_id)
    return found if found.path else packaged()

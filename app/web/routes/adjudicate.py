"""The adjudicator's pages."""

from __future__ import annotations

from typing import Final

from app.web.judging import ADJUDICATOR, judge_router

router: Final = judge_router(ADJUDICATOR)

"""The adjudicator's pages."""

from __future__ import annotations

from typing import Final

from app.web.judging import judge_router
from app.web.seat import ADJUDICATOR

router: Final = judge_router(ADJUDICATOR)

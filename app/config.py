"""Where things are, and the few settings there are."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

DEFAULT_PORT: Final = 8765
HIGHEST_PORT: Final = 65_535
DEFAULT_STORE: Final = Path("evenhand-store")
DEMO_STORE: Final = Path("evenhand-demo")
DEMO_MARK: Final = "demo-store"  # a file in the store of a demo
LOOPBACK: Final = "127.0.0.1"


@dataclass(frozen=True)
class Settings:
    """Settings of a running server.

    `host_name`: the unguessable name under `.localhost`. `idle_minutes`: a session ends
    after so long without a request.
    """

    port: int = DEFAULT_PORT
    host_name: str = ""
    idle_minutes: int = 60


def another_port(port: int) -> int:
    """Return a port to try where this one is taken."""
    return port + 1 if port < HIGHEST_PORT else DEFAULT_PORT


def resource(kind: str) -> Path:
    """Return the folder of `templates`, `static` or `migrations`.

    They stand beside `app/` in a checkout and inside it in an installed wheel.
    """
    package = Path(__file__).parent
    checkout = package.parent
    return checkout / kind if (checkout / "pyproject.toml").is_file() else package / "_resources" / kind


def content(name: str) -> Path:
    """Return the path of a packaged data file, e.g. `demo/items.jsonl`."""
    return Path(__file__).parent / "content" / name

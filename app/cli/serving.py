"""evenhand serve: the server on this computer's loopback address."""

from __future__ import annotations

import json
import signal
import socket
import sys
from collections.abc import Callable
from typing import Any, Final

import click

from app.actions import accounts
from app.cli.desk import Answer, Desk
from app.config import DEFAULT_PORT, DEMO_MARK, DEMO_STORE, HIGHEST_PORT, LOOPBACK, Settings, another_port
from app.domain.errors import EvenhandError
from app.security import Passwords
from app.store import accounts as stored_accounts
from app.store.lock import served

PATIENCE: Final = 8  # seconds for requests under way when the server is told to stop


@click.command()
@click.option("--port", type=click.IntRange(1, HIGHEST_PORT), default=DEFAULT_PORT, show_default=True)
@click.pass_obj
def serve(desk: Desk, port: int) -> Answer:
    """Serve the store to browsers on this computer."""
    from app.web.app import create_app  # the web stack is needed here alone, and takes half a second

    # A signal ends the command in order, so that the store is closed. While uvicorn serves it
    # takes the signals itself, and gives them back to these when its last answer is out.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: sys.exit(0))
    store = desk.store
    with served(desk.folder, port), _listening(port) as listener:
        host_name = accounts.start_server(store, desk.world)
        settings = Settings(port=port, host_name=host_name)
        app = create_app(store, desk.world, settings, Passwords())
        named, plain = f"http://{host_name}:{port}/", f"http://{LOOPBACK}:{port}/"
        if desk.as_json:
            click.echo(json.dumps({"store": str(desk.folder), "url": plain, "browser_url": named}))
        else:
            click.echo(f"Evenhand serves {desk.folder}\n  {named}\n  {plain}\nStop with Ctrl+C.")
            _point_to_the_demo(desk, port)
        _run(app, listener)
    return Answer("")


def _point_to_the_demo(desk: Desk, port: int) -> None:
    """Tell somebody who made the demo, and now serves the empty default store, where it is."""
    if desk.given is not None or not (DEMO_STORE / DEMO_MARK).exists():
        return
    with desk.store.read() as connection:
        empty = not stored_accounts.listing(connection)
    if empty:
        command = f"evenhand --store {DEMO_STORE} serve" + (f" --port {port}" if port != DEFAULT_PORT else "")
        click.echo(f"\nThis store is empty. The demo has one of its own, {DEMO_STORE}. To serve that:\n  {command}")


def _listening(port: int) -> socket.socket:
    """Bind the port before anything is announced. Raises EvenhandError where it is taken."""
    other = another_port(port)
    taken = f"Another program already listens on port {port}. Stop it, or choose another"
    taken += f": --port {other}, or PORT={other} with make run."
    if any(_answers(address, port) for address in ("::1", LOOPBACK)):
        raise EvenhandError(taken)
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((LOOPBACK, port))
        listener.listen(256)
    except OSError:
        listener.close()
        raise EvenhandError(taken) from None
    return listener


def _answers(address: str, port: int) -> bool:
    """Tell whether somebody listens there: a browser may look for a name under .localhost at either address."""
    try:
        with socket.create_connection((address, port), timeout=1):
            return True
    except OSError:
        return False


def _run(app: Callable[..., Any], listener: socket.socket) -> None:
    """Serve until a signal says stop."""
    import uvicorn

    config = uvicorn.Config(
        app,
        access_log=False,
        log_level="warning",
        proxy_headers=False,
        server_header=False,
        date_header=False,
        ws="none",
        lifespan="off",
        timeout_graceful_shutdown=PATIENCE,
    )
    uvicorn.Server(config).run(sockets=[listener])

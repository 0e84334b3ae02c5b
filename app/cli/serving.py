"""evenhand serve: the server on this computer's loopback address."""

from __future__ import annotations

import errno
import json
import logging
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Final

import click

from app.actions import sessions
from app.cli.desk import Answer, Desk
from app.config import DEFAULT_PORT, DEMO_MARK, DEMO_STORE, HIGHEST_PORT, LOOPBACK, Settings, another_port
from app.domain.errors import EvenhandError
from app.security import Passwords, without_message
from app.store import accounts as stored_accounts
from app.store.lock import served

PATIENCE: Final = 8  # seconds for requests under way when the server is told to stop


@click.command()
@click.option("--port", type=click.IntRange(1, HIGHEST_PORT), default=DEFAULT_PORT, show_default=True)
@click.pass_obj
def serve(desk: Desk, port: int) -> Answer:
    """Serve the store to browsers on this computer."""
    # A signal ends the command in order, so that the store is closed. While uvicorn serves it
    # takes the signals itself, and gives them back to these when its last answer is out.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: sys.exit(0))
    store = desk.store
    with served(desk.folder, port), _listening(port) as listener, _held(port):
        from app.web.app import create_app  # needed here alone, and takes half a second: not before it is sure to run

        host_name = sessions.start_server(store, desk.world)
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


def _taken(port: int) -> EvenhandError:
    other = another_port(port)
    return EvenhandError(
        f"Another program already listens on port {port}. Stop it, or choose another: --port {other}, "
        f"or PORT={other} with make run."
    )


def _listening(port: int) -> socket.socket:
    """Bind the port before anything is announced. Raises EvenhandError where it is taken.

    Where somebody listens at all addresses of this computer, this bind fails too.
    """
    # The protocol is named, for asyncio sends at once (TCP_NODELAY) only where it is. Else a page waits 40 ms
    # for the browser to confirm its first part.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        if _answers(port):  # macOS lets one program listen at all addresses and another at one of them
            raise _taken(port)
        listener.bind((LOOPBACK, port))
        listener.listen(256)
    except OSError:
        listener.close()
        raise _taken(port) from None
    except EvenhandError:
        listener.close()
        raise
    return listener


def _answers(port: int) -> bool:
    """Tell whether somebody listens there; who takes too long to say so does."""
    try:
        with socket.create_connection((LOOPBACK, port), timeout=0.5):
            return True
    except TimeoutError:
        return True
    except OSError:
        return False


def _held(port: int) -> AbstractContextManager[object]:
    """Keep the same port of the other loopback address, unused. Raises EvenhandError where it is taken.

    A browser may look for a name under .localhost there first: who listened there, now or
    later, would be sent the cookie.
    """
    if not socket.has_ipv6:
        return nullcontext()
    holder = socket.socket(socket.AF_INET6, socket.SOCK_STREAM)
    try:
        holder.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        holder.bind(("::1", port))  # without SO_REUSEADDR: nobody else can bind it then
    except OSError as error:
        holder.close()
        if error.errno == errno.EADDRINUSE:
            raise _taken(port) from None
        return nullcontext()  # this computer has no such address
    return holder


def _quiet() -> None:
    """Let the loggers that tell all of an error which nobody caught tell where it came from alone."""
    for name in ("uvicorn.error", "asyncio"):
        logging.getLogger(name).addFilter(without_message)


def _run(app: Callable[..., Any], listener: socket.socket) -> None:
    """Serve until a signal says stop."""
    import uvicorn

    _quiet()
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

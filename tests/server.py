"""A real `evenhand serve` process on a real store, and the command line beside it."""

import contextlib
import io
import json
import os
import socket
import ssl
import subprocess
import sys
import time
from pathlib import Path

import httpx

from app.cli.main import run
from tests.house import Person, password_of

ROOT = Path(__file__).parents[1]
PLAIN = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # plain HTTP needs no certificates, and to load them takes a while


def free_port():
    """Return a port that is free at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Evenhand:
    """One store, its command line, and its server."""

    def __init__(self, folder, patch):
        self.folder, self.patch = folder, patch
        self.process, self.port, self.clients = None, None, []
        self.under = ()  # the command that the server is started with, if any

    def run(self, *arguments, given=None):
        """Run a command with --json, in this process; return its exit code and data."""
        told = io.StringIO()
        self.patch.setattr("sys.stdin", io.StringIO(given or ""))
        with contextlib.redirect_stdout(told), contextlib.redirect_stderr(io.StringIO()):
            code = run(["--store", str(self.folder), *map(str, arguments)], as_json=True)
        return code, json.loads(told.getvalue())

    def do(self, *arguments, given=None):
        """Run a command that must succeed."""
        code, data = self.run(*arguments, given=given)
        assert code == 0, (arguments, data)
        return data

    def serve(self, program=("-m", "app"), port=None, **environment):
        """Start the server, at a port or at a free one, and wait for its first answer."""
        self.start(program, port, **environment)
        deadline = time.monotonic() + 60  # a busy machine may take its time
        while time.monotonic() < deadline:
            try:
                return httpx.get(f"{self.origin}/healthz", verify=PLAIN).raise_for_status()
            except httpx.TransportError:
                assert self.process.poll() is None, "the server ended"
                time.sleep(0.05)
        raise AssertionError("the server did not start")

    def start(self, program=("-m", "app"), port=None, **environment):
        """Start the server, at a port or at one that was free a moment ago, and wait for nothing."""
        self.port = port or free_port()
        serve = ["--store", str(self.folder), "serve", "--port", str(self.port)]
        surroundings = os.environ | {"TZ": "UTC"} | environment
        command = [*self.under, sys.executable, *program, *serve]
        self.process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, env=surroundings)

    def refused(self):
        """Start a server that must not start; return how it ended, and the seconds of processor time it took."""
        command = [sys.executable, "-m", "app", "--store", str(self.folder), "serve", "--port", "8799"]
        before = os.times()
        ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
        after = os.times()
        ended.seconds = after.children_user + after.children_system - before.children_user - before.children_system
        return ended

    def kill(self):
        """End the server as a crash would: nothing of it runs any more."""
        self.process.kill()
        self.process.wait(15)

    @property
    def origin(self):
        return f"http://127.0.0.1:{self.port}"

    def visit(self, name):
        """Return a person signed in at a browser of their own."""
        client = httpx.Client(base_url=self.origin, follow_redirects=False, timeout=30, verify=PLAIN)
        self.clients.append(client)
        return Person(client, name, origin=self.origin).sign_in()

    def add_people(self, *names):
        for name in names:
            self.do("user", "add", name, "--password-stdin", given=password_of(name) + "\n")

    def stop(self):
        for client in self.clients:
            client.close()
        if self.process is not None:
            self.process.terminate()
            self.process.wait(15)

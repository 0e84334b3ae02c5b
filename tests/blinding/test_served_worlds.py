"""Two worlds behind the server itself, which logs every step: its own lines are the same too."""

import contextlib
import threading
import time

import httpx
import uvicorn

from tests.blinding.worlds import Reader, first_difference, listening, two_stores, whole_script, world_at
from tests.house import ORIGIN

ITEMS = 12
# When a connection ends is between the system and the browser, so that these lines come before or after others.
CONNECTIONS = [("uvicorn.error", f"HTTP connection {what}") for what in ("made", "lost")]


class Served:
    """An application behind uvicorn, on a socket in a folder: no port of a client that changes stands in a line."""

    def __init__(self, app, place):
        self.place = str(place)
        # As app/cli/serving.py, but that it says everything.
        quiet = {"server_header": False, "date_header": False, "proxy_headers": False, "ws": "none", "lifespan": "off"}
        loud = {"log_level": "trace", "access_log": True, "log_config": None}
        self.server = uvicorn.Server(uvicorn.Config(app, uds=self.place, **quiet, **loud))
        self.thread = threading.Thread(target=self.server.run)
        self.thread.start()
        self.until(lambda: self.server.started)

    def until(self, there):
        deadline = time.monotonic() + 60
        while not there():
            assert time.monotonic() < deadline
            time.sleep(0.001)

    def quiet(self):
        """Wait until the server has said all that it says of the last request."""
        self.until(lambda: not self.server.server_state.tasks)

    def stop(self):
        self.server.should_exit = True
        self.thread.join(60)


def drive_served(folder, script):
    def keep(answer):
        answer.read()
        served.quiet()
        recorder.answer(answer)

    def visit(name, *, signed_in=True):
        client = httpx.Client(base_url=ORIGIN, transport=httpx.HTTPTransport(uds=served.place), timeout=60)
        browsers.callback(client.close)
        client.event_hooks["response"].append(keep)
        person = Reader(client, name)
        return person.sign_in() if signed_in else person

    with world_at(folder) as (app, recorder):
        served = Served(app, folder.parent / "socket")
        try:
            with listening(recorder), contextlib.ExitStack() as browsers:
                script(visit)
        finally:
            served.stop()
    return [seen for seen in recorder.seen if seen[1:] not in CONNECTIONS]


def test_every_answer_and_every_line_of_the_server_is_the_same_whichever_text_is_filtered(tmp_path):
    one, other = (drive_served(folder, whole_script) for folder in two_stores(tmp_path, ITEMS))
    lines = {seen[1] for seen in one if seen[0] == "log"}
    assert lines >= {"uvicorn.access", "uvicorn.asgi"}
    assert sum(seen[0] == "log" for seen in one) > 1_000
    assert first_difference(one, other) is None

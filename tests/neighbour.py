"""Another program on this computer: it listens on loopback, notes who asks, and gives whatever page it is told to."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

LEAST = {"/": ("text/html", "<!doctype html><title>Another program</title><p>Nothing to see.</p>")}


class Neighbour:
    """A server on a port of its own. `pages`: (type, text) by path. `asked`: (path, headers) of every request."""

    def __init__(self, pages=(), port=0):
        self.pages, self.asked = LEAST | dict(pages), []
        self.server = ThreadingHTTPServer(("127.0.0.1", port), self._handler())
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def _handler(self):
        pages, asked = self.pages, self.asked

        class Answer(BaseHTTPRequestHandler):
            def do_GET(self):
                asked.append((self.path, dict(self.headers)))
                kind, text = pages.get(self.path.partition("?")[0], pages["/"])
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.end_headers()
                self.wfile.write(text.encode())

            def log_message(self, *_):
                pass

        return Answer

    def at(self, name="127.0.0.1"):
        return f"http://{name}:{self.port}"

    def cookies(self):
        """Return what of cookies it was sent."""
        return [headers["Cookie"] for _, headers in self.asked if "Cookie" in headers]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

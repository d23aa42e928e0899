"""A page with sliders, served to this machine alone."""

from __future__ import annotations

import json
import secrets
import webbrowser
from collections.abc import Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from scistan.inference.prior_check.page import Page, front_end, template_text
from scistan.inference.prior_check.result import PriorCheck
from scistan.messages import prior_check as messages

__all__ = ["PageServer", "check_movable", "serve"]

_LOOPBACK = "127.0.0.1"
_LONGEST = 1_000_000  # bytes of a question; a slider needs a few hundred


class PageServer(ThreadingHTTPServer):
    """Serves the page of one or several models on the loopback interface, under an address nobody can guess."""

    daemon_threads = True

    def __init__(self, checks: Mapping[str, PriorCheck], port: int = 0) -> None:
        self.pages = {name: Page(check_movable(check)) for name, check in checks.items()}
        self.secret = secrets.token_urlsafe(16)
        try:
            super().__init__((_LOOPBACK, port), _Handler)
        except (OSError, OverflowError) as error:
            raise messages.port_taken(port, str(error)) from error

    @property
    def url(self) -> str:
        """Where the page is."""
        return f"http://{_LOOPBACK}:{self.server_port}/{self.secret}/"

    @property
    def hosts(self) -> tuple[str, str]:
        """What a request may call this server; another name means that a foreign page sent it here."""
        return f"{_LOOPBACK}:{self.server_port}", f"localhost:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    server: PageServer
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "scistan", ""
    timeout = 60

    def do_GET(self) -> None:
        if not self._is_ours():
            return
        path = urlsplit(self.path).path
        if path == f"/{self.server.secret}/":
            nonce = secrets.token_urlsafe(16)
            self._send(HTTPStatus.OK, "text/html", _page_text(self.server.pages, nonce).encode(), nonce)
        else:
            self._refuse(HTTPStatus.NOT_FOUND)

    def do_POST(self) -> None:
        if not self._is_ours():
            return
        length = self.headers.get("Content-Length", "")
        if not length.isdigit() or int(length) > _LONGEST:
            self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
            return
        body = self.rfile.read(int(length))
        if self.path != f"/{self.server.secret}/ask":
            self._refuse(HTTPStatus.NOT_FOUND)
            return
        if self.headers.get_content_type() != "application/json":
            self._refuse(HTTPStatus.UNSUPPORTED_MEDIA_TYPE)
            return
        try:
            question: Any = json.loads(body)
            page = self.server.pages[question["model"]]
        except (ValueError, KeyError, TypeError, RecursionError):
            self._refuse(HTTPStatus.BAD_REQUEST)
            return
        answer = page.opened() if question.get("open") else page.ask(question)
        self._send(HTTPStatus.OK, "application/json", json.dumps(answer, allow_nan=False).encode())

    def _is_ours(self) -> bool:
        """Refuse what another site had the browser send, by name (DNS rebinding) or by origin."""
        host, origin = self.headers.get("Host", ""), self.headers.get("Origin")
        allowed = host in self.server.hosts and (origin is None or origin == f"http://{host}")
        if not allowed:
            self._refuse(HTTPStatus.FORBIDDEN)
        return allowed

    def _refuse(self, status: HTTPStatus) -> None:
        self.close_connection = True  # what is left of a refused request must not be read as the next one
        self._send(status, "text/plain", f"{status.phrase}\n".encode())

    def _send(self, status: HTTPStatus, kind: str, body: bytes, nonce: str = "") -> None:
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("X-Frame-Options", "DENY")
        source = f"script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; connect-src 'self'; " if nonce else ""
        policy = f"default-src 'none'; img-src data:; {source}base-uri 'none'; form-action 'none'"
        self.send_header("Content-Security-Policy", policy)
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: a line for each move of a slider helps nobody."""


def check_movable(check: PriorCheck) -> PriorCheck:
    """Refuse priors without a constant: a page without a slider helps nobody."""
    if not check.state.constants:
        raise messages.no_constants(check.state.drawn.instance.name)
    return check


def _page_text(pages: Mapping[str, Page], nonce: str) -> str:
    from jinja2 import Environment, StrictUndefined

    # Names go through JSON, and `<` through an escape: neither can end the script.
    models = json.dumps(list(pages)).replace("<", "\\u003c")
    environment = Environment(undefined=StrictUndefined, autoescape=False)
    template = environment.from_string(template_text("prior_page.html.j2"))
    return template.render(**front_end(), models=models, nonce=nonce)


def serve(checks: Mapping[str, PriorCheck], port: int = 0, browser: bool = True) -> None:
    """Serve the page until Ctrl-C; print where it is, and open it unless `browser` is False."""
    with PageServer(checks, port) as server:
        names = ", ".join(check.state.drawn.instance.name for check in checks.values())
        print(f"The priors of {names}: {server.url}\nCtrl-C ends it.", flush=True)
        if browser:
            webbrowser.open(server.url)
        try:
            server.serve_forever(poll_interval=0.2)
        except KeyboardInterrupt:
            print("\nstopped", flush=True)

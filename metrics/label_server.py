"""The server behind `cobsat label`: one page, on 127.0.0.1 only, for the person at this machine.

Other sites that are open in the browser must neither read nor write here: every address begins
with a secret that only the printed one has, the name in `Host` must be this machine's (a site whose
name was made to point here is refused), posts must come from the page itself (`Origin`, and JSON,
which no form sends), nothing is shared across origins, and the page lets in no address but its own.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import io
import json
import secrets
import sys
import warnings
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from PIL import Image

from .label_session import Session
from .pictures import UNREADABLE, open_picture

__all__ = ["LabelServer", "open_server", "page_address"]

HOSTS: Final = ("127.0.0.1", "localhost")
LONGEST_POST: Final = 4096
"""Bytes of a verdict; a longer post is none."""

_SHOWN: Final = {"PNG": "image/png", "JPEG": "image/jpeg", "WEBP": "image/webp", "GIF": "image/gif"}
"""What browsers show as it is; other pictures are sent as PNG."""

_HEADERS: Final = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class LabelServer(ThreadingHTTPServer):
    """Serves one person's session."""

    def __init__(self, session: Session[Any], port: int) -> None:
        self.session = session
        self.secret = secrets.token_urlsafe(24)
        self.page, self.policy = _page(session.page)
        super().__init__(("127.0.0.1", port), _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Keep quiet about a browser that went away; the rest is told as ever."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


def open_server(session: Session[Any], port: int = 0) -> LabelServer:
    """Return a server that listens already; `serve_forever` answers.

    Raises:
        ValueError: The port is taken.
    """
    try:
        return LabelServer(session, port)
    except OSError as error:
        raise ValueError(
            f"port must be free, got {port} ({error.strerror}): name another, or 0 for any"
        ) from error


def page_address(server: LabelServer) -> str:
    """Return the page's address, with its secret."""
    return f"http://127.0.0.1:{server.server_address[1]}/{server.secret}/"


class _Refused(Exception):  # noqa: N818 - an answer, not an error
    """What is answered instead of what was asked for."""

    def __init__(self, status: HTTPStatus, message: str) -> None:
        super().__init__(message)
        self.status = status


class _Handler(BaseHTTPRequestHandler):
    """Answers one connection."""

    protocol_version = "HTTP/1.1"
    server_version = "cobsat"
    sys_version = ""
    timeout = 60
    server: LabelServer

    def do_GET(self) -> None:
        """Answer with the page, an output or its picture."""
        self._answer(self._get)

    def do_POST(self) -> None:
        """Save a verdict."""
        self._answer(self._post)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Keep quiet: the terminal belongs to the command."""

    def _answer(self, method: Any) -> None:
        try:
            self._check_host()
            self._send(HTTPStatus.OK, *method(self._route()))
        except _Refused as refused:
            self.close_connection = True  # a body may be left unread
            self._send_json(refused.status, {"error": str(refused)})
        except (ConnectionError, TimeoutError):
            self.close_connection = True

    def _check_host(self) -> None:
        host = self.headers.get("Host", "").partition(":")[0].lower()
        if host not in HOSTS:
            raise _Refused(HTTPStatus.MISDIRECTED_REQUEST, "this is not the page's address")

    def _route(self) -> list[str]:
        """Return the path behind the secret, taken apart."""
        _, secret, *rest = [*self.path.partition("?")[0].split("/"), "", ""]
        if not hmac.compare_digest(secret.encode(), self.server.secret.encode()):
            raise _Refused(
                HTTPStatus.FORBIDDEN, "open the address that cobsat label printed when it started"
            )
        return [part for part in rest if part]

    def _get(self, route: list[str]) -> tuple[str, bytes, dict[str, str]]:
        match route:
            case []:
                policy = {"Content-Security-Policy": self.server.policy}
                return "text/html; charset=utf-8", self.server.page, policy
            case ["item", number] if _is_number(number):
                return _json(self._asked(self.server.session.item, int(number)))
            case ["picture", *numbers] if len(numbers) == 2 and all(map(_is_number, numbers)):
                path = self._asked(self.server.session.picture, *map(int, numbers))
                return self._picture(path)
            case ["progress"]:
                return _json(self.server.session.progress())
        raise _Refused(HTTPStatus.NOT_FOUND, "there is no such page")

    def _asked(self, method: Any, *numbers: int) -> Any:
        try:
            return method(*numbers)
        except IndexError as error:
            raise _Refused(HTTPStatus.NOT_FOUND, str(error)) from error

    def _picture(self, path: Path) -> tuple[str, bytes, dict[str, str]]:
        shown = _shown(path)
        if shown is None:
            raise _Refused(HTTPStatus.NOT_FOUND, "the picture cannot be read")
        kind, data = shown
        return kind, data, {"Cache-Control": "private, max-age=600"}

    def _post(self, route: list[str]) -> tuple[str, bytes, dict[str, str]]:
        if route != ["answer"]:
            raise _Refused(HTTPStatus.NOT_FOUND, "there is no such page")
        origin = self.headers.get("Origin", "")
        if origin != f"http://{self.headers.get('Host', '')}":
            raise _Refused(HTTPStatus.FORBIDDEN, "a verdict must come from the page itself")
        if self.headers.get_content_type() != "application/json":
            raise _Refused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "a verdict must be JSON")
        length = self.headers.get("Content-Length", "")
        if not (_is_number(length) and int(length) <= LONGEST_POST):
            raise _Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "a verdict must be short")
        try:
            said = json.loads(self.rfile.read(int(length)))
            if type(said["number"]) is not int:
                raise TypeError("number must be an integer")
            return _json(self.server.session.answer(said["number"], said))
        except OSError as error:
            raise _Refused(
                HTTPStatus.INSUFFICIENT_STORAGE, f"it could not be saved: {error.strerror}"
            ) from error
        except (ValueError, KeyError, TypeError, IndexError, RecursionError) as error:
            raise _Refused(HTTPStatus.BAD_REQUEST, f"this is no verdict: {error}") from error

    def _send_json(self, status: HTTPStatus, data: object) -> None:
        self._send(status, *_json(data))

    def _send(self, status: HTTPStatus, kind: str, data: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        for name, value in {**_HEADERS, **headers}.items():
            self.send_header(name, value)
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(data)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 10


def _json(data: object) -> tuple[str, bytes, dict[str, str]]:
    return "application/json", json.dumps(data).encode(), {}


def _shown(path: Path) -> tuple[str, bytes] | None:
    """Return a picture as browsers take it: its kind and bytes, or None if it cannot be read."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            data = path.read_bytes()
            with Image.open(io.BytesIO(data)) as file:
                kind = _SHOWN.get(file.format or "")
            if kind is not None:
                return kind, data
            buffer = io.BytesIO()
            open_picture(data).save(buffer, "PNG")
    except (*UNREADABLE, Image.DecompressionBombWarning):
        return None
    return "image/png", buffer.getvalue()


def _page(name: str) -> tuple[bytes, str]:
    """Return a page of `templates/`, and what it may load."""
    environment = Environment(
        loader=PackageLoader("cobsat.metrics"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    style, script = (
        Markup("").join(_asset(environment, f"{part}.{kind}") for part in ("label", name))
        for kind in ("css", "js")
    )
    text = environment.get_template(f"{name}.html.j2").render(style=style, script=script)
    policy = (
        f"default-src 'none'; img-src 'self' data:; connect-src 'self'; "
        f"style-src '{_digest(style)}'; script-src '{_digest(script)}'; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'none'"
    )
    return text.encode(), policy


def _asset(environment: Environment, name: str) -> Markup:
    loader = environment.loader
    assert loader is not None
    return Markup(loader.get_source(environment, name)[0])  # noqa: S704 - our own file


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"

"""An OpenAI-compatible server on 127.0.0.1 that answers, or misbehaves, as a test wants.

    with ChatServer(lambda call: completion("3")) as server:
        ...  # base_url=server.url; server.calls says what was asked

The function that answers is given each call and returns a `Response`. Calls run at once, each in a
thread of its own.
"""

from __future__ import annotations

import base64
import json
import re
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

LONGEST = 30.0
"""Seconds after which a connection on which nothing happens is given up."""


@dataclass(frozen=True)
class Call:
    """One request: its number by order of arrival, and what was sent; headers in lower case."""

    number: int
    path: str
    headers: dict[str, str]
    data: bytes
    began: float

    @property
    def body(self) -> dict[str, Any]:
        """The request's JSON."""
        return dict(json.loads(self.data))

    @property
    def parts(self) -> list[dict[str, Any]]:
        """The parts of the last message; a plain text is one part."""
        content = self.body["messages"][-1]["content"]
        return [{"type": "text", "text": content}] if isinstance(content, str) else content

    @property
    def text(self) -> str:
        """The texts of the last message."""
        return "".join(part["text"] for part in self.parts if part["type"] == "text")

    @property
    def pictures(self) -> list[tuple[str, bytes]]:
        """MIME type and bytes of each picture in the last message."""
        found = []
        for part in self.parts:
            if part["type"] == "image_url":
                url = re.fullmatch(r"data:([\w/]+);base64,(.+)", part["image_url"]["url"])
                assert url
                found.append((url[1], base64.b64decode(url[2], validate=True)))
        return found


@dataclass(frozen=True)
class Response:
    """What the server does about a call.

    Attributes:
        status: HTTP status.
        body: What it sends.
        headers: Further headers.
        delay: Seconds before it answers.
        cut: It closes the connection halfway through the body.
        hang: It never answers.
        drip: Seconds between single bytes of the body, if it sends them one by one.
    """

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    cut: bool = False
    hang: bool = False
    drip: float = 0.0

    def after(self, seconds: float) -> Response:
        """Return the same, later."""
        return replace(self, delay=seconds)


HANG = Response(hang=True)
CUT = Response(body=b'{"choices": [{"message": {"content": "3"}}]}', cut=True)


def as_json(data: object, status: int = 200, **headers: str) -> Response:
    """Return JSON; `retry_after="1"` becomes the header `Retry-After`."""
    named = {name.replace("_", "-").title(): value for name, value in headers.items()}
    return Response(status, json.dumps(data).encode(), named)


def completion(
    text: str | None,
    finish_reason: str | None = "stop",
    *,
    refusal: str | None = None,
    model: str = "tiny-1",
    tokens: tuple[int, int] = (100, 2),
    message: dict[str, Any] | None = None,
    **parts: Any,
) -> Response:
    """Return a chat completion; `message` and `parts` go over its message and its whole."""
    said = {"role": "assistant", "content": text, "refusal": refusal, **(message or {})}
    whole = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": model,
        "system_fingerprint": "fp_1",
        "choices": [{"index": 0, "message": said, "finish_reason": finish_reason}],
        "usage": {
            "prompt_tokens": tokens[0],
            "completion_tokens": tokens[1],
            "total_tokens": sum(tokens),
        },
    }
    return as_json({**whole, **parts})


def error(
    status: int, message: str, code: str | None = None, kind: str | None = None, **headers: str
) -> Response:
    """Return an error as the API writes it."""
    told = {"message": message, "type": kind or "error", "param": None, "code": code}
    return as_json({"error": told}, status, **headers)


class ChatServer:
    """The server; a context that leaves no thread and no socket behind.

    Attributes:
        calls: What was asked, in the order of arrival.
        most_at_once: The most calls that were under way at one time.
    """

    def __init__(self, answer: Callable[[Call], Response]) -> None:
        self.calls: list[Call] = []
        self.most_at_once = 0
        self._answer = answer
        self._lock = threading.Lock()
        self._under_way = 0
        self._ended = threading.Event()
        self._http = _Http(("127.0.0.1", 0), _handler(self))
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,))

    @property
    def url(self) -> str:
        """The base URL."""
        return f"http://127.0.0.1:{self._http.server_port}/v1"

    def __enter__(self) -> ChatServer:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._ended.set()
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()

    def take(self, path: str, headers: dict[str, str], data: bytes) -> Response:
        """Note a call and return what is to be done about it; the call has begun."""
        with self._lock:
            call = Call(len(self.calls), path, headers, data, time.monotonic())
            self.calls.append(call)
            self._under_way += 1
            self.most_at_once = max(self.most_at_once, self._under_way)
        return self._answer(call)

    def done(self) -> None:
        """Say that a call has ended."""
        with self._lock:
            self._under_way -= 1

    def wait(self, seconds: float | None) -> None:
        """Wait, but not beyond the server's end."""
        self._ended.wait(seconds)


class _Http(ThreadingHTTPServer):
    daemon_threads = False  # closing waits for them
    request_queue_size = 128

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of clients that hang up."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


def _handler(server: ChatServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = LONGEST

        def do_POST(self) -> None:
            data = self.rfile.read(int(self.headers["Content-Length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            response = server.take(self.path, headers, data)
            try:
                self._respond(response)
            finally:
                server.done()

        def _respond(self, response: Response) -> None:
            if response.hang:
                server.wait(None)
                self.close_connection = True
                return
            if response.delay:
                server.wait(response.delay)
            self.send_response(response.status)
            headers = {"Content-Type": "application/json", **response.headers}
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(response.body)))
            self.end_headers()
            if response.drip:
                for byte in response.body:
                    self.wfile.write(bytes([byte]))
                    server.wait(response.drip)
                return
            half = len(response.body) // 2
            self.wfile.write(response.body[:half] if response.cut else response.body)
            if response.cut:
                self.close_connection = True

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - its name there
            """Keep quiet."""

    return Handler

"""A Hub on 127.0.0.1: repositories, commits, large files and downloads, kept in memory.

    with HubServer() as hub:
        hub.environment              # for a process of its own
        with hub.for_this_process(): ...
        hub.repos["dataset", "org/cobsat"].files["README.md"].data
        hub.fail("PUT", "/lfs/", status=500, times=1)

    python tests/hub_server.py       # serves until Ctrl-C, and says what to set

It checks the token, notes every request, and can fail on demand. The endpoints are in `hub_api.py`.
"""

from __future__ import annotations

import os
import re
import socket
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Any
from unittest import mock
from urllib.parse import parse_qs, urlsplit

from hub_api import TOKEN, Answer, HubApi, Request, as_json
from hub_repos import Blob

_FILE = "{repo_id}/resolve/{revision}/{filename}"

LONGEST = 30.0
"""Seconds after which a connection on which nothing happens is given up."""


@dataclass
class Fault:
    """What goes wrong: requests that match fail `times` times, the first `after` ones excepted.

    A status of 0 is no answer at all; `reached` is set when such a request has come.
    """

    method: str
    path: str
    status: int
    times: int
    after: int
    reached: threading.Event = field(default_factory=threading.Event)


class HubServer:
    """The server; a context that leaves no thread and no socket behind.

    Attributes:
        repos: By kind ("model", "dataset", "space") and name.
        requests: What was asked, in the order of arrival.
    """

    def __init__(self, port: int = 0) -> None:
        self.requests: list[Request] = []
        self._faults: list[Fault] = []
        self._lock = threading.RLock()
        self._ended = threading.Event()
        self._http = _Http(("127.0.0.1", port), _handler(self))
        self._api = HubApi(self.url)
        self.repos = self._api.repos
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,))

    @property
    def url(self) -> str:
        """The address, as HF_ENDPOINT has it."""
        return f"http://127.0.0.1:{self._http.server_port}"

    @property
    def environment(self) -> dict[str, str]:
        """What a process must have set before it imports `huggingface_hub`; HF_HOME is its own."""
        return {
            "HF_ENDPOINT": self.url,
            "HF_TOKEN": TOKEN,
            "HF_HUB_DISABLE_XET": "1",
            "HF_HUB_DISABLE_TELEMETRY": "1",
            "HF_HUB_OFFLINE": "0",
            "HF_UPDATE_DOWNLOAD_COUNTS": "0",  # `evaluate` would tell another server
            "NO_PROXY": "127.0.0.1",
        }

    @contextmanager
    def for_this_process(self, token: str | None = TOKEN) -> Iterator[None]:
        """Let this process, whose libraries have read their environment, speak to this server.

        Its downloads are forgotten at the end, and a warning of how the client itself sends files
        is not heard.
        """
        from huggingface_hub import HfFileSystem, close_session

        environment = {**self.environment, "HF_TOKEN": token or ""}
        with TemporaryDirectory() as home, ExitStack() as stack:
            for module, values in self._settings(home).items():
                if module in sys.modules:
                    stack.enter_context(mock.patch.multiple(sys.modules[module], **values))
            stack.enter_context(mock.patch.dict(os.environ, environment))
            stack.enter_context(warnings.catch_warnings())
            warnings.filterwarnings("ignore", "Use 'content=<...>' to upload", DeprecationWarning)
            for forget in (close_session, HfFileSystem.clear_instance_cache):
                forget()
                stack.callback(forget)
            yield

    def _settings(self, home: str) -> dict[str, dict[str, object]]:
        """Return by module what it has read of the environment, as it is to be."""
        return {
            "huggingface_hub.constants": {
                "ENDPOINT": self.url,
                "HUGGINGFACE_CO_URL_TEMPLATE": f"{self.url}/{_FILE}",
                "HF_HUB_CACHE": home,
                "HF_HUB_DISABLE_XET": True,
                "HF_HUB_OFFLINE": False,
                "HF_TOKEN_PATH": os.devnull,
            },
            "datasets.config": {"HF_ENDPOINT": self.url, "HF_HUB_OFFLINE": False},
            "evaluate.config": {
                "HF_ENDPOINT": self.url,
                "HUB_EVALUATE_URL": self.url + "/spaces/{path}/resolve/{revision}/{name}",
                "HF_EVALUATE_OFFLINE": False,
                "HF_UPDATE_DOWNLOAD_COUNTS": False,
                "DOWNLOADED_EVALUATE_PATH": f"{home}/downloads",
                "HF_MODULES_CACHE": f"{home}/modules",
            },
        }

    def fail(
        self, method: str, path: str, *, status: int = 500, times: int = 1, after: int = 0
    ) -> Fault:
        """Let the next requests whose path has such a part fail; a status of 0 is no answer."""
        fault = Fault(method, path, status, times, after)
        with self._lock:
            self._faults.append(fault)
        return fault

    def mend(self) -> None:
        """Let nothing fail any more."""
        with self._lock:
            self._faults.clear()

    def sent(self, forget: bool = True) -> list[str]:
        """Return what changed repositories since the last call: "PUT 12 bytes", "commit org/x"."""
        with self._lock:
            requests = list(self.requests)
            if forget:
                self.requests.clear()
        found = []
        for request in requests:
            if request.status != 200:
                continue
            if request.path.startswith("/lfs/"):
                found.append(f"PUT {len(request.body)} bytes")
            elif match := re.search(r"/api/\w+/(.+)/commit/", request.path):
                found.append(f"commit {match[1]}")
            elif request.path.endswith("/settings"):
                found.append("settings")
        return found

    def edit(self, kind: str, name: str, path: str, data: bytes, title: str = "") -> None:
        """Change a file as a person does on the Hub's own pages."""
        with self._lock:
            repo = self.repos[kind, name]
            title = title or f"Update {path}"
            repo.commit(title, {**repo.files, path: Blob(data, large=False, title=title)})

    def __enter__(self) -> HubServer:
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
        self._http.hang_up()
        self._http.server_close()

    def answer(self, request: Request) -> Answer | None:
        """Note a request and answer it; None is no answer."""
        with self._lock:
            self.requests.append(request)
            fault = self._fault(request)
        if fault is not None and fault.status == 0:
            fault.reached.set()
            self._ended.wait()
            return None
        with self._lock:
            answer = (
                as_json({"error": "on demand"}, fault.status)
                if fault
                else self._api.answer(request)
            )
            request.status = answer.status
        return answer

    def _fault(self, request: Request) -> Fault | None:
        for fault in self._faults:
            if fault.method == request.method and fault.path in request.path and fault.times:
                if fault.after:
                    fault.after -= 1
                    return None
                fault.times -= 1
                return fault
        return None


class _Http(ThreadingHTTPServer):
    daemon_threads = False  # closing waits for them
    request_queue_size = 128

    def __init__(self, *arguments: Any) -> None:
        self._open: set[socket.socket] = set()
        super().__init__(*arguments)

    def process_request(self, request: Any, client_address: Any) -> None:
        self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self._open.discard(request)
        super().shutdown_request(request)

    def hang_up(self) -> None:
        """End the connections that clients keep."""
        for connection in list(self._open):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of clients that hang up."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


def _handler(server: HubServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = LONGEST

        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            headers = {name.lower(): value for name, value in self.headers.items()}
            query = parse_qs(parts.query)
            answer = server.answer(Request(self.command, parts.path, query, headers, self._body()))
            if answer is None:
                self.close_connection = True
                return
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(answer.body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(answer.body)

        do_HEAD = do_POST = do_PUT = do_GET  # noqa: N815 - the names that the class looks for

        def _body(self) -> bytes:
            if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
                return self.rfile.read(int(self.headers.get("Content-Length") or 0))
            chunks = []
            while size := int(self.rfile.readline().split(b";")[0], 16):
                chunks.append(self.rfile.read(size))
                self.rfile.readline()
            self.rfile.readline()
            return b"".join(chunks)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - its name there
            """Keep quiet."""

    return Handler


if __name__ == "__main__":
    with HubServer() as running, suppress(KeyboardInterrupt):
        for variable, setting in running.environment.items():
            print(f"export {variable}={setting}", flush=True)
        threading.Event().wait()
